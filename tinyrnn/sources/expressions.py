"""The places where values get their names, and the reports of those that stand in expressions: entries of dicts, items
that are read, and, on request, every variable and every part."""

import ast
import copy
from dataclasses import dataclass

from tinyrnn.sources.syntax import at, called, key_of, makes_zero, name_of, reads_of

NO_VALUES = ("super", "range", "len", "zip", "enumerate", "reversed", "print", "isinstance")  # calls of no interest
LOCAL_ONLY = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)  # what cannot be moved into a lambda


@dataclass(frozen=True)
class Site:
    """One place in a source where a value gets its name.

    kind: argument, assign, augment (`+=`, `foo = foo + …`), transform (`*=`, `foo = foo * …`), item, item-augment,
    value (an entry of a dict), element (of a list that grows or is written as a comprehension; without a name), return,
    carry or load; enter and pass mark the start of a call and of a pass through a loop, and assign nothing; use,
    operand and part, which are reported on request, are a variable that is read, an expression, without a name, that is
    given to the function `calls`, and any other within one; `calls` is "-" for what is subtracted and "mean" for what
    is averaged. line: its number in the file. zero: whether only zeros, or nothing,
    are assigned. self_made: whether the right-hand side mentions the name. calls: name of the function whose result is
    assigned as it is, or None.
    """

    scope: str
    name: str
    kind: str
    line: int
    zero: bool = False
    self_made: bool = False
    calls: str | None = None
    loop: int = 0  # line of the innermost loop around it, 0 outside of loops
    box: str | None = None  # of an entry or attribute: the name of what it is put into, "{}" for a dict display
    copies: str | None = None  # name of the variable that is assigned, or unpacked, as it is
    in_place: bool = False  # whether an array is filled: `foo[...] = …`
    uses: tuple = ()  # variables on the right-hand side; of a return, (where in the tuple, name) of what is returned
    reads: tuple = ()  # the same with entries and attributes, by their own names: W of `p["W"]` and `self.W`

    def __hash__(self):
        """Of a few of its parts: it is asked for at every report."""
        return hash((self.line, self.name))


def class_of(scope):
    """The class in whose body a function stands, or that around it, by its qualified name; None where there is none."""
    classes = [part.split(".")[-2] for part in scope.split(".<locals>.") if "." in part]
    return classes[-1] if classes else None


class Expressions(ast.NodeTransformer):
    """Visits the expressions of one function; each value of interest in them is reported.

    scope: name of the function. sites: where each new `Site` is noted. uses: whether variables that are read, and
    parts of expressions, are reported too. known_as: the name of `sites` in the code that is made.
    """

    def __init__(self, scope, sites, uses=False, known_as="__sites__"):
        self.scope, self.sites, self.uses, self.known_as = scope, sites, uses, known_as
        self.variables, self.written = set(), set()  # names of variables, and of containers whose items are assigned
        self.given, self.named = {}, None  # argument of a call -> the call; what is assigned to a name as it is
        self.within = {}  # expression -> "-" or "mean", see `Site.calls`
        self.loops = []  # lines of the loops around

    def site(self, name, kind, line, **facts):
        """A new `Site`, noted."""
        site = Site(self.scope, name, kind, line, loop=self.loops[-1] if self.loops else 0, **facts)
        self.sites.append(site)
        return site

    def call(self, site, *arguments):
        """The expression `__watch__(site, *arguments)`."""
        index = self.sites.index(site) if site not in self.sites[-1:] else len(self.sites) - 1
        place = ast.Subscript(
            value=ast.Name(id=self.known_as, ctx=ast.Load()), slice=ast.Constant(index), ctx=ast.Load()
        )
        call = ast.Call(func=ast.Name(id="__watch__", ctx=ast.Load()), args=[place, *arguments], keywords=[])
        return ast.copy_location(call, at(site.line))

    def value(self, name, node):
        """An entry of a dict, reported under its key."""
        uses = tuple(sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name)}))
        facts = {"zero": makes_zero(node), "calls": called(node), "uses": uses, "reads": reads_of(node)}
        facts["copies"] = node.id if isinstance(node, ast.Name) else None
        site = self.site(name, "value", node.lineno, box="{}", **facts)
        if any(isinstance(n, LOCAL_ONLY) or name_of(n) == "super" for n in ast.walk(node) if isinstance(n, ast.expr)):
            return self.call(site, self.visit(node))
        place = self.call(site).args[0]
        later = ast.Lambda(
            args=ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]),
            body=self.visit(node),
        )
        attempt = ast.Call(
            func=ast.Name(id="__attempt__", ctx=ast.Load()), args=[copy.deepcopy(place), later], keywords=[]
        )
        return self.call(site, ast.copy_location(attempt, node))

    def visit_Name(self, node):
        """A variable that is read, reported where uses are asked for."""
        if not self.uses or not isinstance(node.ctx, ast.Load) or node.id not in self.variables:
            return node
        return self.call(self.site(node.id, "use", node.lineno, calls=self.within.get(node)), node)

    def part(self, node):
        """An expression within another one, reported where uses are asked for."""
        call, is_named = self.given.get(node), node is self.named
        self.generic_visit(node)
        if not self.uses or is_named or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return node
        kind, calls = ("part", self.within.get(node)) if call is None else ("operand", called(call))
        return self.call(self.site("", kind, node.lineno, calls=calls), node)

    visit_UnaryOp = visit_Attribute = part

    def visit_BinOp(self, node):
        """Arithmetic."""
        self.within.update({node.right: "-"} if isinstance(node.op, ast.Sub) else {})
        return self.part(node)

    def mangle(self, node):
        """Give a private attribute, `self.__x`, the name that it has in its class."""
        owner = class_of(self.scope)
        if owner and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{owner.lstrip('_')}{node.attr}"

    def visit_Dict(self, node):
        """A dict whose entries have names of their own."""
        for k, (key, entry) in enumerate(zip(node.keys, node.values, strict=True)):
            text = isinstance(key, ast.Constant) and isinstance(key.value, str)
            node.values[k] = self.value(key.value, entry) if text else self.visit(entry)
        return node

    def visit_Call(self, node):
        """A call; what it does to its arguments in place is reported too."""
        is_named, entries = node is self.named, {}
        for argument in node.args:  # arithmetic: `tanh(x @ W + b)`, and `exp(-(x @ W + b))`
            argument = argument.operand if isinstance(argument, ast.UnaryOp) else argument
            self.given.update({argument: node} if isinstance(argument, ast.BinOp) else {})
        if name_of(node.func) == "mean":
            self.within |= dict.fromkeys([*node.args[:1], getattr(node.func, "value", None)], "mean")
        if isinstance(node.func, ast.Name) and node.func.id in ("dict", "Params"):
            for keyword in (k for k in node.keywords if k.arg is not None):
                facts = {"calls": called(keyword.value), "reads": reads_of(keyword.value)}
                entries[keyword] = self.site(keyword.arg, "value", keyword.value.lineno, box="{}", **facts)
        if isinstance(node.func, ast.Attribute):  # which is no value
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            value = self.visit(keyword.value)
            keyword.value = self.call(entries[keyword], value) if keyword in entries else value
        is_value = self.uses and not is_named and name_of(node.func) not in NO_VALUES
        return self.call(self.site("", "part", node.lineno), node) if is_value else node

    def visit_Subscript(self, node):
        """An entry that is read."""
        name, is_named = name_of(node.value), node is self.named
        node.value = self.visit(node.value)
        if self.loops and isinstance(node.ctx, ast.Load) and name in self.written:
            site = self.site(name, "load", node.lineno)
            return self.call(site, node, key_of(node.slice))
        is_value = self.uses and not is_named and isinstance(node.ctx, ast.Load)
        return self.call(self.site("", "part", node.lineno), node) if is_value else node

    def visit_Lambda(self, node):
        """A lambda, whose own arguments are not reported."""
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda  # a generator runs when others do

    def visit_ListComp(self, node):
        """A comprehension, of which the elements alone are reported: what is in them has variables of its own."""
        node.elt = self.element(node.elt)(node.elt)
        return node

    def element(self, node):
        """A function of what becomes an element of a list, which reports it if it is computed there, as a node says."""
        if not isinstance(node, ast.BinOp | ast.Call | ast.UnaryOp):
            return lambda made: made
        site = self.site("", "element", node.lineno, calls=called(node), reads=reads_of(node))
        return lambda made: self.call(site, made)

"""Rewrites a function so that every value is reported as it gets its name.

    foo = …            foo, (bar, baz) = …            foo += …           for foo in …         plain names
    self.foo = …       grads["foo"] += …              dict(foo=…)        {"foo": …}           count as plain names
    foo[t] = …         foo[:, t] += …                                                         items: the key is told
    def f(foo):        return …                                                               entry and exit of a call

After each of them stands `foo = __watch__(site, foo)`, where `site` says which one it was. Before each pass of a loop
that hands values of a variable on to its next pass, those are shown too, as kind "carry"; what is read out of a
container in a loop (`hs[t - 1]`) is of kind "load".
"""

import ast
import copy
from dataclasses import dataclass

from tinyrnn.sources.syntax import (
    adds_to,
    at,
    box_of,
    called,
    carried,
    guarded,
    is_item,
    is_whole,
    key_of,
    leaves_of,
    load,
    makes_zero,
    matched,
    name_of,
    named_paths,
    reads_of,
    scales,
    store,
    targets_of,
)

NO_VALUES = ("super", "range", "len", "zip", "enumerate", "reversed", "print", "isinstance")  # calls of no interest
LOCAL_ONLY = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)  # what cannot be moved into a lambda


@dataclass(frozen=True)
class Site:
    """One place in a source where a value gets its name.

    kind: argument, assign, augment (`+=`, `foo = foo + …`), transform (`*=`, `foo = foo * …`), item, item-augment,
    value (an entry of a dict), return, carry or load; enter and pass mark the start of a call and of a pass through a
    loop, and assign nothing; use, operand and part, which are reported on request, are a variable that is read, an
    expression, without a name, that is given to the function `calls`, and any other within one. line: its number in
    the file. zero: whether only zeros, or nothing, are assigned. self_made: whether the right-hand side mentions the
    name. calls: name of the function whose result is assigned as it is, or None.
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


class Watcher(ast.NodeTransformer):
    """Rewrites the body of one function."""

    def __init__(self, scope, sites, uses=False):
        self.scope, self.sites = scope, sites
        self.uses, self.variables = uses, set()
        self.given, self.named = {}, None  # argument of a call -> the call; what is assigned to a name as it is
        self.loops = []  # (line, names handed on) of the loops around
        self.written = set()  # names of containers whose items are assigned

    def rewrite(self, tree):
        """The function's tree with a report after each assignment; changed in place."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                self.mangle(node)
        self.written = {name_of(t.value) for t in targets_of(tree) if is_item(t)} - {None}
        self.variables = {name_of(t) for t in targets_of(tree)} - {None}
        arguments = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]
        self.variables |= set(arguments) - {"self", "cls"}
        enter = ast.Expr(value=self.call(self.site("", "enter", tree.lineno), ast.Constant(None)))
        start = [ast.copy_location(enter, at(tree.lineno))]
        start += [
            self.report(ast.Name(id=a, ctx=ast.Load()), "argument", tree, tree.lineno)
            for a in arguments
            if a not in ("self", "cls")
        ]
        doc = [tree.body.pop(0)] if ast.get_docstring(tree) is not None else []
        tree.body = [*doc, *start, *self.block(tree.body)]
        return tree

    def block(self, statements):
        """Statements, each with what reports its values behind it."""
        return [new for old in statements for new in self.statement(old)]

    def statement(self, node):
        """What stands in place of one statement: a list of statements."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            return [node]
        if isinstance(node, ast.For | ast.While):
            return [self.loop(node)]
        for block in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, block, None), list):
                setattr(node, block, self.block(getattr(node, block)))
        for handler in getattr(node, "handlers", ()):
            handler.body = self.block(handler.body)
        if isinstance(node, ast.Return):
            return [self.result(node)]
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            kind = "assign"
            if isinstance(node, ast.AugAssign):
                kind = "augment" if isinstance(node.op, ast.Add | ast.Sub) else "transform"
            parts = [part for target in targets for part in matched(target, node.value)]
            reports = [self.report(t, kind, value, node.lineno, alone) for t, value, alone in parts]
            self.named = node.value if isinstance(node, ast.Assign) and all(map(name_of, targets)) else None
            node.value = self.visit(node.value)
            return [self.rescued(node, targets), *(r for r in reports if r is not None)]
        return [self.generic_visit(node)] if not hasattr(node, "body") else [node]

    def rescued(self, node, targets):
        """The assignment, but `__rescue__` is asked for other values if it raises an error."""
        if len(targets) > 1 or not all(name_of(t) or is_item(t) for t in leaves_of(targets[0])):
            return node
        names = ast.Constant(
            tuple(
                (name_of(t), None) if name_of(t) else (name_of(t.value), ast.unparse(t.slice))
                for t in leaves_of(targets[0])
            )
        )
        ask = ast.Call(
            func=ast.Name(id="__rescue__", ctx=ast.Load()),
            args=[ast.Constant(self.scope), names, ast.Name(id="__error__", ctx=ast.Load()), ast.Constant(node.lineno)],
            keywords=[],
        )
        target = ast.Tuple(elts=[copy.deepcopy(t) for t in leaves_of(targets[0])], ctx=ast.Store())
        handler = ast.ExceptHandler(
            type=ast.Name(id="Exception", ctx=ast.Load()),
            name="__error__",
            body=[ast.Assign(targets=[target], value=ask)],
        )
        whole = ast.Try(body=[node], handlers=[handler], orelse=[], finalbody=[])
        for part in ast.walk(handler):
            ast.copy_location(part, at(node.lineno))
        return ast.copy_location(whole, at(node.lineno))

    def loop(self, node):
        """A loop that also reports which pass it is in and what it hands on."""
        names = carried(node)
        self.loops.append(node.lineno)
        start = [
            ast.copy_location(
                ast.Expr(value=self.call(self.site("", "pass", node.lineno), ast.Constant(None))), at(node.lineno)
            )
        ]
        start += (
            [self.report(t, "assign", node, node.lineno) for t in leaves_of(node.target)]
            if isinstance(node, ast.For)
            else []
        )
        start += [guarded(self.report(n, "carry", node, node.lineno), n) for n in names]
        node.body = [*(s for s in start if s is not None), *self.block(node.body)]
        self.loops.pop()
        node.orelse = self.block(node.orelse)
        return node

    def result(self, node):
        """A return that reports what it returns."""
        if node.value is None:
            return node
        line = node.lineno
        names = tuple(named_paths(node.value))
        calls = called(node.value)
        node.value = self.visit(node.value)
        site = self.site("return", "return", line, calls=calls, uses=names)
        node.value = self.call(site, node.value)
        return node

    def report(self, target, kind, value, line, alone=True):
        """The statement that reports what was assigned to `target`, or None where that has no name."""
        target = target.value if isinstance(target, ast.Starred) else target
        name, key, box, whole = name_of(target), None, box_of(target), False
        holder = getattr(target, "value", target)
        if any(isinstance(n, ast.Call) for n in ast.walk(holder)):
            return None  # it would be called once more
        if name is None and is_item(target):
            name, key = name_of(target.value), target.slice
            if is_whole(key):
                key, target, whole = None, target.value, True
                kind = "refill" if kind == "assign" else kind
            else:
                kind = "item" if kind == "assign" else "item-augment"
                target = target.value
        if name is None:
            return None
        expression = isinstance(value, ast.expr)
        self_made = expression and any(name_of(n) == name for n in ast.walk(value) if isinstance(n, ast.expr))
        if kind == "assign" and expression and alone:
            kind = "augment" if adds_to(name, value) else "transform" if scales(name, value) else kind
        site = self.site(
            name,
            kind,
            line,
            zero=expression and alone and makes_zero(value),
            self_made=self_made,
            calls=called(value) if expression else None,
            box=box,
            in_place=whole,
            copies=value.id if isinstance(value, ast.Name) else None,
            uses=tuple(sorted({n.id for n in ast.walk(value) if isinstance(n, ast.Name)})) if expression else (),
            reads=reads_of(value) if expression else (),
        )
        call = self.call(site, load(target), *([key_of(key)] if key is not None else []))
        in_place = key is not None or whole
        statement = ast.Expr(value=call) if in_place else ast.Assign(targets=[store(target)], value=call)
        return ast.copy_location(ast.fix_missing_locations(ast.copy_location(statement, at(line))), at(line))

    def site(self, name, kind, line, **facts):
        """A new `Site`, noted."""
        site = Site(self.scope, name, kind, line, loop=self.loops[-1] if self.loops else 0, **facts)
        self.sites.append(site)
        return site

    def call(self, site, *arguments):
        """The expression `__watch__(site, *arguments)`."""
        index = self.sites.index(site) if site not in self.sites[-1:] else len(self.sites) - 1
        place = ast.Subscript(value=ast.Name(id="__sites__", ctx=ast.Load()), slice=ast.Constant(index), ctx=ast.Load())
        call = ast.Call(func=ast.Name(id="__watch__", ctx=ast.Load()), args=[place, *arguments], keywords=[])
        return ast.copy_location(call, at(site.line))

    def value(self, name, node):
        """An entry of a dict, reported under its key."""
        uses = tuple(sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name)}))
        facts = {"zero": makes_zero(node), "calls": called(node), "uses": uses, "reads": reads_of(node)}
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
        return self.call(self.site(node.id, "use", node.lineno), node)

    def part(self, node):
        """An expression within another one, reported where uses are asked for."""
        call, is_named = self.given.get(node), node is self.named
        self.generic_visit(node)
        if not self.uses or is_named or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return node
        kind, calls = ("part", None) if call is None else ("operand", called(call))
        return self.call(self.site("", kind, node.lineno, calls=calls), node)

    visit_BinOp = visit_UnaryOp = visit_Attribute = part

    def mangle(self, node):
        """Give a private attribute, `self.__x`, the name that it has in its class."""
        owner = self.scope.split(".")[-2] if "." in self.scope else None
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

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda

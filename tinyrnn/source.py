"""Reads the source of functions and rewrites it so that every named value can be seen, and changed, as it is assigned.

The line verdicts stand on this module. A rewritten function does what it did, line for line under the same line
numbers, but after each assignment to `foo` it runs `foo = watch(site, foo)`, where `site` says which assignment that
was. What `watch` does is the caller's business: note the value, perturb one entry of it, put another in its place.

    foo = …            foo, (bar, baz) = …            foo += …           for foo in …         plain names
    self.foo = …       grads["foo"] += …              dict(foo=…)        {"foo": …}           count as plain names
    foo[t] = …         foo[:, t] += …                                                         items: the key is told
    def f(foo):        return …                                                               entry and exit of a function

Before each pass of a loop that hands values of a variable on to its next pass, those are shown too, as kind "carry",
with what a container's item held before the pass (`hs[t - 1]`) as kind "load".
"""

import ast
import copy
import inspect
from dataclasses import dataclass
from types import FunctionType, MethodType

import numpy as np

ZERO_MAKERS = ("zeros", "zeros_like", "empty", "empty_like")
BUFFER_MAKERS = (*ZERO_MAKERS, "ones", "ones_like", "full", "full_like")


@dataclass(frozen=True)
class Site:
    """One place in a source where a value gets its name.

    kind: argument, assign, augment (`+=`, and `foo = foo + …`), transform (`*=` and the like), item, item-augment, value (an entry of a dict), return,
    carry or load; enter and pass mark the start of a call and of a pass through a loop, and assign nothing. line: its number in the file. zero: whether only zeros, or nothing, are assigned. self_made: whether
    the right-hand side mentions the name. calls: name of the function whose result is assigned as it is, or None.
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
    uses: tuple = ()  # names on the right-hand side; of a return, (where in the tuple, name) of what is returned


class NoSource(TypeError):
    """The source of a function cannot be read."""


def read(function):
    """The syntax tree (`ast.FunctionDef`) of a function or method, with the line and column numbers of its file.

    Raises `NoSource`, a TypeError, for what has no Python source: builtins, lambdas, code typed without a file.
    """
    plain = undecorated(function)
    try:
        lines, first = inspect.getsourcelines(plain)
        indented = lines[0][0].isspace()
        tree = ast.parse(("if True:\n" if indented else "\n") + "".join(lines)).body[0]
    except (OSError, SyntaxError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise NoSource(f"the source of {plain.__qualname__} cannot be read ({reason})") from None
    tree = tree.body[0] if indented else tree
    if not isinstance(tree, ast.FunctionDef) or tree.name != plain.__code__.co_name:
        raise NoSource(f"{plain.__qualname__} is not a plain function: define it with def")
    return ast.increment_lineno(tree, first - 2)


def undecorated(function):
    """The plain function inside decorators and bound methods."""
    plain = inspect.unwrap(getattr(function, "__func__", function))
    if not inspect.isfunction(plain):
        raise NoSource(f"{getattr(function, '__qualname__', repr(function))} is not a function written in Python")
    return plain


def source_lines(function):
    """{line number: text} of a function."""
    lines, start = inspect.getsourcelines(undecorated(function))
    return dict(enumerate((line.rstrip("\n") for line in lines), start))


def compile_function(function, tree, namespace=None):
    """The function that `tree` defines, undecorated, with all else as in `function`: closure, defaults, names, file, the
    object a method is bound to, and its globals, a copy with `namespace` put over them, in which a recursive function
    meets its new self."""
    plain = undecorated(function)
    original = plain.__code__
    shell = ast.parse(f"def shell({', '.join(original.co_freevars)}): pass")  # makes free variables of these names
    core = copy.copy(tree)
    core.name, core.decorator_list = "core", []
    shell.body[0].body = [ast.copy_location(core, tree)]
    code = compile(ast.fix_missing_locations(shell), original.co_filename, "exec")
    for name in ("shell", "core"):  # nothing of it is run: defaults and the like belong where the original was made
        code = next(c for c in code.co_consts if inspect.iscode(c) and c.co_name == name)
    code = code.replace(co_name=original.co_name, co_qualname=original.co_qualname)
    world = {**plain.__globals__, **(namespace or {})}
    cells = dict(zip(original.co_freevars, plain.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, world, plain.__name__, plain.__defaults__, closure)
    made.__kwdefaults__, made.__qualname__, made.__module__ = plain.__kwdefaults__, plain.__qualname__, plain.__module__
    made.__doc__ = plain.__doc__
    if world.get(plain.__name__) is plain:
        world[plain.__name__] = made
    return MethodType(made, function.__self__) if inspect.ismethod(function) else made


# watching -------------------------------------------------------------------------------------------------------------


class Program:
    """Functions rewritten to report to one `watch(site, value, key=None) -> value`, set by `run`.

    functions: those to rewrite, plain functions or methods in the form (class, name). Inside, each one's rewritten form
    stands where the name of the original did. trees: function -> syntax tree to use in place of its source.
    """

    def __init__(self, functions, classes=(), trees=None):
        self.watch = None
        self.numpy = Numpy()
        self.sites = {}  # scope -> its sites, in the order of the source
        self.functions = {}
        self.classes = {}
        self.rescue = give_up
        self.namespace = {
            "__watch__": lambda site, value, key=None: self.watch(site, value, key),
            "__attempt__": self.attempt,
            "__rescue__": lambda *failed: self.rescue(*failed),
            "__key__": Keys(),
        }
        trees = trees or {}
        for function in functions:
            self.functions[function] = self.rewrite(function, trees)
            self.namespace[function.__name__] = self.functions[function]
        for cls in classes:
            own = {}
            for base in reversed(cls.__mro__):
                for name, member in vars(base).items():
                    if (
                        inspect.isfunction(member)
                        and (base in classes or base.__module__ == cls.__module__)
                        and not name.startswith("__")
                    ):
                        own[name] = self.rewrite(member, trees)
            self.classes[cls] = type(cls.__name__, (cls,), own | {"__module__": cls.__module__, "original": cls})
            self.namespace[cls.__name__] = self.classes[cls]
        for cls in self.classes.values():
            for name, value in vars(cls.original).items():
                if inspect.isclass(value) and value in self.classes:
                    setattr(cls, name, self.classes[value])
        for made in self.rewritten():
            self.link(made)

    def rewrite(self, function, trees):
        tree = trees.get(function) or read(function)
        watched = Watcher(function.__qualname__, self.sites.setdefault(function.__qualname__, []))
        made = compile_function(function, watched.rewrite(copy.deepcopy(tree)), {"__sites__": watched.sites})
        made.original = function
        return made

    def link(self, made):
        """Let a rewritten function see the other ones, where its globals have the originals; and our numpy."""
        world = made.__globals__
        world.update({name: self.numpy for name, value in world.items() if value is np})
        for name, value in self.namespace.items():
            original = getattr(value, "original", None)
            if original is None or world.get(name) is original:
                world[name] = value

    def run(self, watch, call, complex_buffers=False):
        """call(self) while `watch` is told of every value; returns its result.

        complex_buffers: let arrays of floats that the program makes, to fill them in later, be complex.
        """
        self.watch, self.numpy.complex_buffers = watch, complex_buffers
        try:
            return call(self)
        finally:
            self.watch, self.numpy.complex_buffers = None, False

    def attempt(self, site, make):
        """make(), an entry of a dict; if that fails, whatever `rescue` offers."""
        try:
            return make()
        except Exception as error:
            return self.rescue(site.scope, ((site.name, None),), error, site.line)[0]

    def instance(self, obj):
        """A copy of `obj`; it, and every object within, is of the rewritten class where there is one."""
        made = copy.deepcopy(obj)
        self.reclass(made, set())
        return made

    def reclass(self, obj, seen):
        if id(obj) in seen:
            return
        seen.add(id(obj))
        if isinstance(obj, list | tuple):
            inner = obj
        elif isinstance(obj, dict):
            inner = list(obj.values())
        else:
            original = getattr(type(obj), "original", type(obj))
            if original not in self.classes:
                return
            obj.__class__ = self.classes[original]
            inner = list(vars(obj).values())
        for value in inner:
            self.reclass(value, seen)

    def rewritten(self):
        """Every rewritten function and method; each has its `original`."""
        methods = [m for cls in self.classes.values() for m in vars(cls).values() if inspect.isfunction(m)]
        return [*self.functions.values(), *methods]

    def originals(self):
        return [made.original for made in self.rewritten()]

    def __getitem__(self, function):
        """The rewritten form of a function, or the function itself."""
        return self.functions.get(function, function)


def reachable(functions, classes=(), leave=()):
    """(functions, classes) of the same modules that these ones mention, directly or through each other, themselves
    included; `leave` names those to leave out."""
    found, kinds = list(functions), list(classes)
    queue = [*functions, *(m for c in classes for m in vars(c).values())]
    while queue:
        member = queue.pop()
        if inspect.isclass(member) and member not in kinds and member.__module__ in {c.__module__ for c in kinds}:
            kinds.append(member)  # an attribute of a class: `layer_class = RNN`
            queue += vars(member).values()
        function = inspect.unwrap(getattr(member, "__func__", member))
        if not inspect.isfunction(function):
            continue
        for name in names_in(function.__code__):
            other = function.__globals__.get(name)
            if name in leave or getattr(other, "__module__", None) != function.__module__:
                continue
            if inspect.isfunction(other) and other not in found:
                found.append(other)
                queue.append(other)
            elif inspect.isclass(other) and other not in kinds and other.__module__ == function.__module__:
                kinds.append(other)
                queue += vars(other).values()
    return found, kinds


BY_REAL_PART = {  # continued analytically from the real numbers, as the complex step needs it
    "abs": lambda z: np.where(np.real(z) < 0, -z, z),
    "absolute": lambda z: np.where(np.real(z) < 0, -z, z),
    "sign": lambda z: np.sign(np.real(z)),
    "maximum": lambda a, b: np.where(np.real(a) >= np.real(b), a, b),
    "minimum": lambda a, b: np.where(np.real(a) <= np.real(b), a, b),
}


class Numpy:
    """The module `numpy`, but a complex step survives: arrays made to be filled are complex, and abs, maximum and the
    like go by the real part."""

    complex_buffers = False

    def __getattr__(self, name):
        value = getattr(np, name)
        if not self.complex_buffers:
            return value
        if name in BY_REAL_PART:
            return BY_REAL_PART[name]
        if name not in BUFFER_MAKERS:
            return value

        def make(*args, **kwargs):
            made = value(*args, **kwargs)
            return made.astype(complex) if made.dtype.kind == "f" else made

        return make


def give_up(scope, names, error, line):
    """What is done about an assignment that failed, unless `Program.rescue` is set: nothing."""
    raise error


class Keys:
    """`Keys()[:, t]` is the key (slice(None), t)."""

    def __getitem__(self, key):
        return key


class Watcher(ast.NodeTransformer):
    """Rewrites the body of one function."""

    def __init__(self, scope, sites):
        self.scope, self.sites = scope, sites
        self.loops = []  # (line, names handed on) of the loops around
        self.written = set()  # names of containers whose items are assigned

    def rewrite(self, tree):
        self.written = {name_of(t.value) for t in targets_of(tree) if is_item(t)} - {None}
        arguments = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]
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
        name, key, box = name_of(target), None, box_of(target)
        if name is None and is_item(target):
            name, key = name_of(target.value), target.slice
            if is_whole(key):
                key, target = None, target.value
                kind = "refill" if kind == "assign" else kind
            else:
                kind = "item" if kind == "assign" else "item-augment"
                target = target.value
        if name is None:
            return None
        expression = isinstance(value, ast.expr)
        self_made = expression and any(name_of(n) == name for n in ast.walk(value) if isinstance(n, ast.expr))
        if kind == "assign" and expression and alone and adds_to(name, value):
            kind = "augment"
        site = self.site(
            name,
            kind,
            line,
            zero=expression and alone and makes_zero(value),
            self_made=self_made,
            calls=called(value) if expression and alone else None,
            box=box,
            copies=value.id if isinstance(value, ast.Name) else None,
            uses=tuple(sorted({n.id for n in ast.walk(value) if isinstance(n, ast.Name)})) if expression else (),
        )
        call = self.call(site, load(target), *([key_of(key)] if key is not None else []))
        statement = ast.Expr(value=call) if key is not None else ast.Assign(targets=[store(target)], value=call)
        return ast.copy_location(ast.fix_missing_locations(ast.copy_location(statement, at(line))), at(line))

    def site(self, name, kind, line, **facts):
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
        site = self.site(name, "value", node.lineno, zero=makes_zero(node), calls=called(node), box="{}", uses=uses)
        place = self.call(site).args[0]
        later = ast.Lambda(
            args=ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]),
            body=self.visit(node),
        )
        attempt = ast.Call(
            func=ast.Name(id="__attempt__", ctx=ast.Load()), args=[copy.deepcopy(place), later], keywords=[]
        )
        return self.call(site, ast.copy_location(attempt, node))

    def visit_Dict(self, node):
        for k, (key, entry) in enumerate(zip(node.keys, node.values, strict=True)):
            text = isinstance(key, ast.Constant) and isinstance(key.value, str)
            node.values[k] = self.value(key.value, entry) if text else self.visit(entry)
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("dict", "Params"):
            for keyword in node.keywords:
                if keyword.arg is not None:
                    site = self.site(keyword.arg, "value", keyword.value.lineno, calls=called(keyword.value), box="{}")
                    keyword.value = self.call(site, keyword.value)
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        name = name_of(node.value)
        if self.loops and isinstance(node.ctx, ast.Load) and name in self.written:
            site = self.site(name, "load", node.lineno)
            return self.call(site, node, key_of(node.slice))
        return node

    def visit_Lambda(self, node):
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda


# small questions about syntax -------------------------------------------------------------------------------------------


def at(line):
    return ast.Name(id="_", ctx=ast.Load(), lineno=line, col_offset=0, end_lineno=line, end_col_offset=0)


def load(node):
    node = copy.deepcopy(node)
    for part in ast.walk(node):
        if hasattr(part, "ctx"):
            part.ctx = ast.Load()
    return node


def store(node):
    node = load(node)
    node.ctx = ast.Store()
    return node


def name_of(node):
    """The name a value goes by: `foo`, `self.foo` and `grads["foo"]` are all foo; else None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return None


def box_of(node):
    """The name of what `self.foo` or `grads["foo"]` is put into, else None."""
    return name_of(node.value) if isinstance(node, ast.Attribute | ast.Subscript) and name_of(node) else None


def is_item(node):
    return isinstance(node, ast.Subscript) and name_of(node) is None and name_of(node.value) is not None


def is_whole(key):
    """`[...]` and `[:]`."""
    ellipsis = isinstance(key, ast.Constant) and key.value is ...
    return ellipsis or (isinstance(key, ast.Slice) and key.lower is key.upper is key.step is None)


def key_of(key):
    """The expression that evaluates a subscript once more, `__key__[:, t]`; None where that may have side effects."""
    if any(isinstance(n, ast.Call) for n in ast.walk(key)):
        return ast.Constant(None)
    return ast.Subscript(value=ast.Name(id="__key__", ctx=ast.Load()), slice=load(key), ctx=ast.Load())


def leaves_of(target):
    if isinstance(target, ast.Tuple | ast.List):
        return [leaf for element in target.elts for leaf in leaves_of(element)]
    return [target]


def named_paths(value, path=()):
    """(path, name) of every variable in a tuple of tuples: `(h, c), kept` gives ((0, 0), h), ((0, 1), c), ((1,), kept)."""
    if isinstance(value, ast.Tuple | ast.List):
        for k, element in enumerate(value.elts):
            yield from named_paths(element, (*path, k))
    elif name_of(value) is not None:
        yield path, name_of(value)


def matched(target, value):
    """(name, expression, whether that expression is its value and nothing else) for each name in a target."""
    if isinstance(target, ast.Tuple | ast.List):
        paired = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
        for k, element in enumerate(target.elts):
            if paired and not isinstance(element, ast.Starred):
                yield from matched(element, value.elts[k])
            else:
                yield from ((leaf, value, False) for leaf in leaves_of(element))
    else:
        yield target, value, True


def targets_of(tree):
    """Every target assigned to within `tree`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from (leaf for target in node.targets for leaf in leaves_of(target))
        elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For):
            yield from leaves_of(node.target)


def carried(loop):
    """Variables and attributes assigned in a loop that may be read before that in the next pass, as expressions."""
    assigned, found = set(), {}
    for statement in loop.body:
        reads = [n for n in ast.walk(statement) if is_variable(n) and isinstance(n.ctx, ast.Load)]
        if isinstance(statement, ast.AugAssign) and is_variable(statement.target):
            reads.append(statement.target)
        for node in reads:
            if ast.unparse(node) not in assigned:
                found.setdefault(ast.unparse(node), node)
        assigned |= {ast.unparse(t) for t in targets_of(statement) if is_variable(t)}
    return [found[text] for text in sorted(found) if text in assigned]


def is_variable(node):
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))


def guarded(statement, node):
    """The statement, run only where the local variable `node` is bound; an attribute that is read is there."""
    if not isinstance(node, ast.Name):
        return statement
    name = node.id
    there = ast.parse(f"{name!r} in locals()", mode="eval").body
    return ast.copy_location(
        ast.fix_missing_locations(ast.copy_location(ast.If(test=there, body=[statement], orelse=[]), statement)),
        statement,
    )


def adds_to(name, value):
    """Whether an expression is a sum one of whose terms is the variable `name`."""
    if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)):
        return False
    return any(name_of(side) == name or adds_to(name, side) for side in (value.left, value.right))


def makes_zero(value):
    if isinstance(value, ast.Constant):
        return value.value == 0 or value.value is None
    if isinstance(value, ast.Call):
        return name_of(value.func) in ZERO_MAKERS
    return isinstance(value, ast.Tuple | ast.List) and not value.elts


def called(value):
    """The name of the function an expression consists of a call to, or None."""
    return name_of(value.func) if isinstance(value, ast.Call) else None


def names_in(code):
    """Global names a code object mentions, with those of the functions defined inside it."""
    inner = [constant for constant in code.co_consts if inspect.iscode(constant)]
    return {*code.co_names, *(name for c in inner for name in names_in(c))}

"""Small questions about syntax trees, and small trees."""

import ast
import copy

from tinyrnn.sources.vocabulary import GRADIENT_BOX, stems

OF_ARRAYS = ("T", "real", "imag", "shape", "size", "ndim", "dtype", "flat")
ZERO_MAKERS = ("zeros", "zeros_like", "empty", "empty_like")


def at(line):
    """Where a made-up node says that it stands: in this line."""
    return ast.Name(id="_", ctx=ast.Load(), lineno=line, col_offset=0, end_lineno=line, end_col_offset=0)


def load(node):
    """The node, and all in it, as something that is read."""
    node = copy.deepcopy(node)
    for part in ast.walk(node):
        if hasattr(part, "ctx"):
            part.ctx = ast.Load()
    return node


def store(node):
    """The node, and all in it, as something that is assigned."""
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


def gradient_called(name, box):
    """dW for what is called W in a box of gradients; any other name as it is."""
    return f"d{name}" if box is not None and GRADIENT_BOX.match(box) and not stems(name) else name


def box_of(node):
    """The name of what `self.foo` or `grads["foo"]` is put into, else None."""
    return name_of(node.value) if isinstance(node, ast.Attribute | ast.Subscript) and name_of(node) else None


def reads_of(node):
    """The names of what may be read in an expression, each once, in order: `W` and `p` of `p["W"]` and `p.W`; not of
    what is called, nor of what every array has."""
    called_here = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    nodes = [n for n in ast.walk(node) if isinstance(n, ast.expr) and id(n) not in called_here]
    nodes.sort(key=lambda n: (getattr(n, "lineno", 0), getattr(n, "col_offset", 0)))  # made-up nodes are nowhere
    names = [name_of(n) for n in nodes if not (isinstance(n, ast.Attribute) and n.attr in OF_ARRAYS)]
    return tuple(name for name in dict.fromkeys(names) if name not in (None, "self"))


def is_item(node):
    """Whether it is an entry, `a[i]`, of something with a name."""
    return isinstance(node, ast.Subscript) and name_of(node) is None and name_of(node.value) is not None


def is_whole(key):
    """`[...]` and `[:]`."""
    ellipsis = isinstance(key, ast.Constant) and key.value is ...
    return ellipsis or (isinstance(key, ast.Slice) and key.lower is key.upper is key.step is None)


def named_in(target):
    """Of `a[i][...]`, which fills an entry of `a`, the entry; any other target as it is."""
    is_filled = isinstance(target, ast.Subscript) and is_whole(target.slice) and is_item(target.value)
    return target.value if is_filled else target


def is_variable(node):
    """Whether it is `a` or `a.b`."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))


def key_of(key):
    """The expression that evaluates a subscript once more, `__key__[:, t]`; None where that may have side effects."""
    calls = [n for n in ast.walk(key) if isinstance(n, ast.Call)]
    names = ("arange", "argmax", "argmin", "argsort", "where", "nonzero", "flatnonzero", "ix_")
    harmless = ("len", "range", "int", "str", *(f"{numpy}.{name}" for numpy in ("np", "numpy") for name in names))
    if any(ast.unparse(call.func) not in harmless for call in calls) or any(
        isinstance(n, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(key)
    ):
        return ast.Constant(None)
    return ast.Subscript(value=ast.Name(id="__key__", ctx=ast.Load()), slice=load(key), ctx=ast.Load())


def leaves_of(target):
    """The single targets of an assignment to several."""
    if isinstance(target, ast.Tuple | ast.List):
        return [leaf for element in target.elts for leaf in leaves_of(element)]
    return [target]


def named_paths(value, path=()):
    """(path, name) of every variable in a tuple of tuples: `(h, c), kept` gives ((0, 0), h), ((0, 1), c), ((1,),
    kept). `h.T` and `reshape(h, …)` are called h, `grads.W` and `grads["W"]` dW. Where what stands behind `*some` will
    be is not known."""
    value = moved(value)
    if isinstance(value, ast.Tuple | ast.List):
        for k, element in enumerate(value.elts):
            if isinstance(element, ast.Starred):
                return
            yield from named_paths(element, (*path, k))
    elif name_of(value) is not None:
        yield path, gradient_called(name_of(value), box_of(value))


def moved(value):
    """What an expression only transposes or gives another shape; any other expression as it is."""
    if isinstance(value, ast.Attribute) and value.attr == "T":
        return value.value
    if not (isinstance(value, ast.Call) and name_of(value.func) == "reshape" and value.args):
        return value
    of_object = isinstance(value.func, ast.Attribute) and name_of(value.func.value) not in ("np", "xp", "numpy")
    return value.func.value if of_object else value.args[0]


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


def guarded(statement, node):
    """The statement, run only where the local variable, or the attribute of one, `node` is there."""
    name = node.id if isinstance(node, ast.Name) else node.value.id
    test = f"{name!r} in locals()"
    if isinstance(node, ast.Attribute):
        test += f" and hasattr({name}, {node.attr!r})"
    there = ast.parse(test, mode="eval").body
    return ast.copy_location(
        ast.fix_missing_locations(ast.copy_location(ast.If(test=there, body=[statement], orelse=[]), statement)),
        statement,
    )


def adds_to(name, value):
    """Whether an expression is a sum, or difference, one of whose terms is the variable `name`."""
    if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub)):
        return False
    sides = (value.left, value.right) if isinstance(value.op, ast.Add) else (value.left,)
    return any(name_of(side) == name or adds_to(name, side) for side in sides)


def scales(name, value):
    """Whether an expression is the variable `name` times, or over, something."""
    if not isinstance(value, ast.BinOp):
        return False
    if isinstance(value.op, ast.Div):
        return name_of(value.left) == name
    return isinstance(value.op, ast.Mult) and name in (name_of(value.left), name_of(value.right))


def makes_zero(value):
    """Whether an expression makes zeros, or several times zeros, or an empty list or tuple."""
    if isinstance(value, ast.GeneratorExp | ast.ListComp):
        return makes_zero(value.elt)
    if isinstance(value, ast.Constant):
        return value.value == 0 or value.value is None
    if isinstance(value, ast.Call):
        return name_of(value.func) in ZERO_MAKERS
    return isinstance(value, ast.Tuple | ast.List) and not value.elts


def called(value):
    """The name of the function an expression consists of a call to, or None."""
    return name_of(value.func) if isinstance(value, ast.Call) else None

"""Where in a function's source mistakes are planted, and what is known about each such place.

Nothing here knows any kind of mistake: those are in `rules`.
"""

import ast

import numpy as np

# names of functions, and of their arguments, that are no mathematics
CHECKS = {"isinstance", "issubclass", "hasattr", "callable", "type", "is_index", "xp_of"}
PLUMBING = {"reshape", "empty", "zeros", "ones", "full", "astype", "result_type", "broadcast_to"}
PLUMBING |= {"empty_like", "zeros_like", "ones_like", "full_like"}
SETTINGS = {"dtype", "copy", "keepdims", "order", "out", "strict"}
MODULES = {"np", "numpy", "xp", "cp", "cupy"}
DISPLAYS = ast.Tuple | ast.List | ast.Dict
WORLDS = ast.FunctionDef | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Scope:
    """What the rules know about the function around a node.

    sites: node -> (line, statement) for all nodes that may be changed. bound: variable -> where it is bound first.
    holders: names of what is no array, such as `p` in `p.W_h`. members: "p" -> all its entries that are used as values.
    loops: names of counters. last: the last assignments to variables that are returned.
    """

    def __init__(self, tree):
        self.sites = dict(sites(tree))
        self.bound = {a.arg: (0, 0) for a in ast.walk(tree.args) if isinstance(a, ast.arg)}
        self.holders, self.members, self.loops = {"self", "cls"} | MODULES, {}, set()
        returned, assigned = set(), {}
        for node in own_nodes(tree):
            match node:
                case ast.Name(id=name, ctx=ast.Store()):
                    self.bound.setdefault(name, (node.lineno, node.col_offset))
                case ast.Assign(targets=[ast.Name(id=name)]):
                    assigned[name] = node
                case ast.Return(value=value):
                    returned |= {part.id for part in parts(value) if isinstance(part, ast.Name)}
                case ast.For(target=target):
                    self.loops |= {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=name)):
                    self.holders.add(name)
                case ast.Attribute() | ast.Subscript() if isinstance(holder(node), ast.Name):
                    self.holders.add(holder(node).id)
        for node in self.sites:
            if holder(node) and isinstance(node.ctx, ast.Load) and root(node) in self.bound.keys() - MODULES:
                self.members.setdefault(ast.unparse(holder(node)), []).append(node)
        self.last = {statement for name, statement in assigned.items() if name in returned}

    def variables(self, node):
        """The names of arrays that are bound before the statement around `node`."""
        _, statement = self.sites[node]
        here = statement.lineno, statement.col_offset
        return [name for name, where in self.bound.items() if where < here and name not in self.holders]

    def values(self, expression):
        """The parts of a right-hand side that are numbers, as far as one can see."""
        for part in parts(expression):
            if not (isinstance(part, ast.Name) and part.id in self.holders):
                yield part


def sites(node, line=0, statement=None):
    """All nodes that may be changed, in the order of the source, each with its line and the statement it is in."""
    if isinstance(node, ast.stmt):
        line, statement = node.lineno, node
    yield node, (line, statement)
    for child in open_parts(node):
        if not off_limits(child):
            yield from sites(child, child.lineno if isinstance(node, DISPLAYS | ast.Call) else line, statement)


def off_limits(node):
    """Whether nothing at all is changed in a node, itself included."""
    match node:
        case ast.Raise() | ast.Assert() | ast.Import() | ast.ImportFrom() | ast.JoinedStr():
            return True
        case ast.expr_context() | ast.operator() | ast.unaryop() | ast.boolop() | ast.cmpop():
            return True  # not places of their own
        case ast.Call(func=ast.Name(id=name)):
            return name in CHECKS
        case ast.Compare(ops=ops):
            tests = ast.Is | ast.IsNot | ast.In | ast.NotIn
            return any(isinstance(op, tests) for op in ops) or mentions(node, "dtype", "ndim", "shape")
        case ast.Attribute():
            return mentions(node, "dtype", "ndim")
        case ast.BinOp(left=left, right=right):
            return is_text(left) or is_text(right)
    return False


def open_parts(node):
    """The children of a node in which mistakes are made."""
    match node:
        case ast.FunctionDef(body=body):
            yield from body
        case ast.If(body=body, orelse=orelse) if all(isinstance(statement, ast.Raise) for statement in body):
            yield from orelse
        case ast.AnnAssign(target=target, value=value):
            yield from (target, value) if value else ()
        case ast.Subscript(ctx=ast.Store(), slice=index):
            yield index
        case ast.Attribute(ctx=ast.Store()) | ast.Lambda():
            pass
        case ast.Call(func=func, args=args, keywords=keywords):
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)
            if isinstance(func, ast.Attribute):
                yield func.value
            if name not in PLUMBING:
                yield from args
                yield from (keyword.value for keyword in keywords if keyword.arg not in SETTINGS)
        case ast.Dict(values=values):
            yield from values
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            yield from elts
        case _ if not holder(node):
            yield from ast.iter_child_nodes(node)


def own_nodes(node):
    """The nodes of a function but for those in functions and comprehensions within, which have their own variables."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, WORLDS):
            yield from own_nodes(child)


def parts(value):
    """The single values that an expression is put together from: x, y and z of `x, {"y": y, "z": z}`."""
    match value:
        case ast.Tuple(elts=several) | ast.List(elts=several):
            pass
        case ast.Dict(keys=keys, values=values):
            several = [v for k, v in zip(keys, values, strict=True) if k is not None]
        case ast.IfExp(body=body, orelse=orelse):
            several = [body, orelse]
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call() | ast.BinOp() | ast.UnaryOp(op=ast.USub()):
            yield value
            return
        case _:
            return
    for one in several:
        yield from parts(one)


def holder(node):
    """The `p` of `p.W_h` and `p["W_h"]`, an object with named entries; None for `x.T`, `x[t]` and everything else."""
    match node:
        case ast.Attribute(value=value, attr=attr) if not hasattr(np.ndarray, attr):
            return value if isinstance(value, ast.Name) or holder(value) else None
        case ast.Subscript(value=value, slice=ast.Constant(value=str())):
            return value if isinstance(value, ast.Name) or holder(value) else None
    return None


def root(node):
    """The name that `p.W_h` and `self.params.W` start with."""
    return node.id if isinstance(node, ast.Name) else root(node.value)


def mentions(node, *attributes):
    """Whether one of these attributes is read anywhere in a syntax tree."""
    return any(isinstance(n, ast.Attribute) and n.attr in attributes for n in ast.walk(node))


def is_text(node):
    """Whether a node is a string, one with values filled in too."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def number(node):
    """The value of a literal number, with its sign, else None."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def rebuilt(node, new):
    """A copy of a tree in which each node that is a key of `new` has become a copy of what it maps to."""
    if isinstance(node, list):
        return [rebuilt(item, new) for item in node]
    if not isinstance(node, ast.AST):
        return node
    if node in new:
        copy = rebuilt(new[node], {})
        return ast.fix_missing_locations(copy if hasattr(copy, "lineno") else ast.copy_location(copy, node))
    return ast.copy_location(but(node, **{name: rebuilt(value, new) for name, value in ast.iter_fields(node)}), node)


def but(node, **changes):
    """A node with some fields changed."""
    return type(node)(**{**dict(ast.iter_fields(node)), **changes})

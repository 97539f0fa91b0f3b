"""The kinds of mistakes that `mutants` makes, one rule each; its table says how people come to make them.

A rule maps a node of the syntax tree to pairs (old, new): old is the node or lies within it, new is what a mistaken
author would have written instead. It need not care whether anything may be changed there; `Scope.sites` does.
"""

import ast

from tinyrnn.sources.mutation.scope import DISPLAYS, MODULES, but, holder, number, rebuilt

OPPOSITE = {ast.Add: ast.Sub, ast.Mult: ast.Div, ast.Lt: ast.Gt, ast.LtE: ast.GtE}
OPPOSITE |= {after: before for before, after in OPPOSITE.items()}
KINDS: dict = {}


def kind(name):
    """Decorates a rule, a generator of (node, what may stand there instead), which gets its name in KINDS."""

    def register(rule):
        KINDS[name] = rule
        return rule

    return register


@kind("index shifted")
def index_shifted(node, scope):
    """An index, or an end of a slice, moved by one; a slice that runs backwards no more."""
    if not isinstance(node, ast.Subscript) or holder(node):
        return
    for index in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
        if isinstance(index, ast.Slice):
            backwards = index.step is not None and number(index.step) == -1
            if backwards:
                yield node, rebuilt(node, {index: but(index, step=None)})
            ends = [end for end in (index.lower, index.upper, None if backwards else index.step) if end is not None]
        else:
            ends = [index] if is_count(index, scope) else []
        for end in ends:
            for by in (-1, 1):
                yield node, rebuilt(node, {end: shifted(end, by)})


def is_count(node, scope):
    """Whether an index is an integer, as far as one can see: 3, t, t - 1."""
    match node:
        case ast.Name(id=name):
            return name in scope.loops
        case ast.BinOp(op=ast.Add() | ast.Sub(), right=right):
            return isinstance(number(right), int)
    return isinstance(number(node), int)


def shifted(node, by):
    """An index moved by a number: t + 1 by -1 is t."""
    if number(node) is not None:
        return ast.Constant(number(node) + by)
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right) if number(right) is not None:
            node, by = left, by + (number(right) if isinstance(op, ast.Add) else -number(right))
    return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by))) if by else node


@kind("power changed")
def power_changed(node, scope):
    """x * x and x**n -> x; x**2 -> x**3."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if same(left, right):
            yield node, left
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            yield node, left
            if number(right) == 2:
                yield node, but(node, right=ast.Constant(3))


@kind("reduction changed")
def reduction_changed(node, scope):
    """A sum or mean left out, exchanged for the other, over all axes, or along another one."""
    match node:
        case ast.Call(func=ast.Attribute(value=array, attr="sum" | "mean" as name), args=args, keywords=keywords):
            of_module = isinstance(array, ast.Name) and array.id in MODULES and bool(args)  # np.sum(x), not x.sum()
            yield node, args[0] if of_module else array
            yield node, but(node, func=ast.Attribute(array, "mean" if name == "sum" else "sum", ast.Load()))
            axes = [*args[of_module:][:1], *(keyword.value for keyword in keywords if keyword.arg == "axis")]
            for axis in axes:
                without = [keyword for keyword in keywords if keyword.value is not axis]
                yield node, but(node, args=args[:of_module], keywords=without)
                yield from ((node, rebuilt(node, {axis: other})) for other in other_axes(axis))


def other_axes(axis):
    """What could be given in place of an axis: the other of 0 and 1; a tuple with one axis less."""
    if isinstance(axis, ast.Tuple):
        return [but(axis, elts=[e for e in axis.elts if e is not left_out]) for left_out in axis.elts]
    return [ast.Constant(1 if number(axis) == 0 else 0)] if number(axis) is not None else []


@kind("carry missing")
def carry_missing(node, scope):
    """+= -> =; and what is carried on to the next turn, or returned, made zero."""
    match node:
        case ast.AugAssign(target=target, op=ast.Add() | ast.Sub(), value=value):
            yield node, ast.Assign([target], value)
        case ast.Return(value=value) | ast.Assign(value=value) if isinstance(node, ast.Return) or node in scope.last:
            yield from ((part, ast.BinOp(ast.Constant(0), ast.Mult(), part)) for part in scope.values(value))


@kind("statement omitted")
def statement_omitted(node, scope):
    """A line that adds to something, or fills a part of it, left out."""
    match node:
        case ast.AugAssign() | ast.Assign(targets=[ast.Subscript()]):
            yield node, ast.Pass()


@kind("operator swapped")
def operator_swapped(node, scope):
    """+ for -, * for /, > for < and the like."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in OPPOSITE:
            yield node, but(node, op=OPPOSITE[type(op)]())
        case ast.Compare(ops=[op]) if type(op) in OPPOSITE:
            yield node, but(node, ops=[OPPOSITE[type(op)]()])


@kind("sign flipped")
def sign_flipped(node, scope):
    """A minus too many or too few before a term or a factor."""
    flipped = []
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand) if number(operand) is None:
            yield node, operand
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub()) if not is_sum(left):
            flipped = [left]  # the sign of the right term is the operator's
        case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value) if not isinstance(value, DISPLAYS):
            pass  # several values at once: there is no one number to negate
        case ast.Assign(value=value) | ast.Return(value=value):
            flipped = scope.values(value)
    yield from ((part, negated(part)) for part in flipped if not is_negative(part))


def same(a, b):
    """Whether two nodes are the same source."""
    return ast.dump(a) == ast.dump(b)


def is_sum(node):
    """Whether a node is a sum or a difference."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def is_negative(node):
    """Whether a product begins with a minus: that minus is a place of its own, where the sign can be flipped."""
    while isinstance(node, ast.BinOp) and not is_sum(node):
        node = node.left
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and number(node) is None


def negated(node):
    """A node with the other sign."""
    return node.operand if isinstance(node, ast.UnaryOp) and is_negative(node) else ast.UnaryOp(ast.USub(), node)


@kind("term dropped")
def term_dropped(node, scope):
    """a + b -> a, and b."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from ((node, left), (node, right))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from ((node, left), (node, negated(right)), (node, right))  # f for 1 - f is a classic


@kind("factor dropped")
def factor_dropped(node, scope):
    """a * b -> a, and b; a / b -> a, and 1 / b."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult() | ast.MatMult(), right=right):
            yield from ((node, left), (node, right))
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            yield from ((node, left), (node, but(node, left=ast.Constant(1))))


@kind("transpose dropped")
def transpose_dropped(node, scope):
    """W.T -> W."""
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield node, node.value


@kind("transpose added")
def transpose_added(node, scope):
    """a @ W -> a @ W.T, and a.T @ W."""
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            for side in (left, right):
                if not (isinstance(side, ast.Attribute) and side.attr == "T"):
                    yield side, ast.Attribute(side, "T", ast.Load())


@kind("name swapped")
def name_swapped(node, scope):
    """Another variable of this scope, or another entry of the same object, in the place of one."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in (variables := scope.variables(node)):
            yield from ((node, ast.Name(other, ast.Load())) for other in variables)
        case ast.Attribute(ctx=ast.Load()) | ast.Subscript(ctx=ast.Load()) if holder(node):
            yield from ((node, moved(other, node)) for other in scope.members.get(ast.unparse(holder(node)), []))


def moved(node, place):
    """A copy of a node with the line and column numbers of another."""
    copy = rebuilt(node, {})
    for part in ast.walk(copy):
        ast.copy_location(part, place)
    return copy


@kind("arguments exchanged")
def arguments_exchanged(node, scope):
    """f(a, b) -> f(b, a)."""
    if isinstance(node, ast.Call):
        args = [arg for arg in node.args if arg in scope.sites and not isinstance(arg, ast.Starred)]
        for i, one in enumerate(args):
            yield from ((node, rebuilt(node, {one: other, other: one})) for other in args[i + 1 :])


@kind("constant changed")
def constant_changed(node, scope):
    """1 -> 2 and 0, 2 and 1/2 -> 1, but for zeros in sums and ones in products: those drop the term or factor."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right=right):
            for side in (left, right):
                value = number(side)
                neutral = 0 if is_sum(node) else 1
                if side is left and isinstance(op, ast.Div):
                    neutral = None
                for other in {1: (2, 0), 2: (1,), 0.5: (1,)}.get(value, ()):
                    if other != neutral:
                        yield side, ast.Constant(type(value)(other))

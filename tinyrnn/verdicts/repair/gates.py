"""What may stand in the place of a gate before weights, or behind them, and of the terms of a sum."""

import ast
import functools
from itertools import permutations

from tinyrnn.sources.mutation.scope import but


def gated_elsewhere(node):
    """`r * (U @ h)` for `U @ (r * h)`, and the other way round: a gate before weights, or behind them; and behind what
    is added, `r * (U @ h + b)` for `U @ (r * h) + b`."""
    yield from gated_before(node)
    yield from gated_behind(node)
    terms = terms_of(node)
    for product, term in permutations(terms, 2):
        others = [one for one in terms if one is not product and one is not term]
        for new in gated_behind(product):
            inner = sum_of([new.right if one is product else one for one in terms if one is product or one is term])
            yield sum_of([*others, ast.BinOp(new.left, ast.Mult(), inner)])
    for gate, total in both_ways(node):
        if isinstance(total, ast.BinOp) and isinstance(total.op, ast.Add):
            for product, field in ((total.left, "left"), (total.right, "right")):
                made = ast.BinOp(gate, ast.Mult(), product)
                yield from (but(total, **{field: new}) for new in gated_before(made))


def gated_behind(node):
    """`r * (U @ h)` for `U @ (r * h)`."""
    if found := product_of(node):
        left, right, made = found
        yield from (ast.BinOp(gate, ast.Mult(), made(state, right)) for gate, state in both_ways(left))
        yield from (ast.BinOp(gate, ast.Mult(), made(left, state)) for gate, state in both_ways(right))


def gated_before(node):
    """`U @ (r * h)` for `r * (U @ h)`."""
    for gate, product in both_ways(node):
        if found := product_of(product):
            left, right, made = found
            yield from (made(ast.BinOp(gate, ast.Mult(), left), right), made(left, ast.BinOp(gate, ast.Mult(), right)))


def both_ways(node):
    """The two factors of a product entry by entry, in either order; nothing of all else."""
    match node:
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return (left, right), (right, left)
        case ast.Call(func=ast.Attribute(attr="multiply"), args=[left, right]):
            return (left, right), (right, left)
    return ()


def product_of(node):
    """(left, right, function that makes such a product of two others) of a product of matrices; None of anything
    else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return node.left, node.right, lambda left, right: but(node, left=left, right=right)
    is_call = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("dot", "matmul")
    if is_call and len(node.args) == 2:
        return *node.args, lambda left, right: but(node, args=[left, right])
    if is_call and len(node.args) == 1 and isinstance(node.func, ast.Attribute):
        of, (given,) = node.func, node.args
        return of.value, given, lambda left, right: but(node, func=but(of, value=left), args=[right])
    return None


def terms_of(node):
    """The terms of a sum."""
    is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
    return [*terms_of(node.left), *terms_of(node.right)] if is_sum else [node]


def sum_of(terms):
    """The sum of some terms."""
    return functools.reduce(lambda one, other: ast.BinOp(one, ast.Add(), other), terms)

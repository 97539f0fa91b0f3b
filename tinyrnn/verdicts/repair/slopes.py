"""Derivatives of activations as people write them by hand, `y * (1 - y)`, `1 - y ** 2`: one for another."""

import ast
import inspect

from tinyrnn.sources.mutation.scope import number
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.repair.named_activations import KINDS
from tinyrnn.verdicts.repair.replacements import parsed

SIGMOID, TANH = "({y} * (1 - {y}))", "(1 - {y} ** 2)"


def of_the_other_kind(node):
    """The derivative of a sigmoid for that of a tanh, and the other way round, where an expression is one, or some of
    its factors make one."""
    for kind, y in ((TANH, sloped(node)), (SIGMOID, less_a_square(node))):
        if y:
            yield parsed(kind.format(y=y))
    factors = factors_of(node)
    if any(sloped(one) for one in ast.walk(node) if one is not node):
        return  # that part is edited by itself, and leaves the rest as it is written
    for one, y in [(one, y) for one in factors if (y := taken_from_one(one))]:
        own = next((other for other in factors if ast.unparse(other) == y), None)
        rest = [f"({ast.unparse(other)})" for other in factors if other not in (one, own)]
        if own is not None and rest:
            yield parsed(" * ".join([*rest, TANH.format(y=y)]))


def sloped(node):
    """The source of y where an expression is `y * (1 - y)`, the derivative of a sigmoid; None of another one."""
    match node:
        case ast.BinOp(left=y, op=ast.Mult(), right=less):
            return ast.unparse(y) if taken_from_one(less) == ast.unparse(y) else None
    return None


def taken_from_one(node):
    """The source of y where an expression is `1 - y`; None of another one."""
    match node:
        case ast.BinOp(left=one, op=ast.Sub(), right=y) if number(one) == 1:
            return ast.unparse(y)
    return None


def less_a_square(node):
    """The source of y where an expression is `1 - y ** 2`, the derivative of a tanh; None of another one."""
    match node:
        case ast.BinOp(left=one, op=ast.Sub(), right=square) if number(one) == 1:
            return squared(square)
    return None


def squared(node):
    """The source of what an expression is the square of; None of another one."""
    match node:
        case ast.BinOp(left=y, op=ast.Pow(), right=power) if number(power) == 2:
            return ast.unparse(y)
        case ast.BinOp(left=y, op=ast.Mult(), right=same) if ast.unparse(y) == ast.unparse(same):
            return ast.unparse(y)
        case ast.Call(args=[y]) if name_of(node.func) == "square":
            return ast.unparse(y)
        case ast.Call(args=[y, power]) if name_of(node.func) in ("power", "pow") and number(power) == 2:
            return ast.unparse(y)
    return None


def factors_of(node):
    """The factors of a product of any number, also of `np.multiply`."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return [*factors_of(left), *factors_of(right)]
        case ast.Call(args=[left, right]) if name_of(node.func) == "multiply":
            return [*factors_of(left), *factors_of(right)]
    return [node]


def slopes_of_softmax(node):
    """The derivative of a softmax with all of its terms, for one that has the diagonal alone: `diag(p) - outer(p, p)`
    for `diag(p)`, and `p * (d - sum(d * p))` for `d * p`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="diag" | "diagflat"), args=[p]):
            yield parsed(f"({ast.unparse(node)} - np.outer({ast.unparse(p)}, {ast.unparse(p)}))")
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            sides = (ast.unparse(left), ast.unparse(right))
            for d, p in (sides, sides[::-1]):
                for axis in ("-1", "0", "1"):
                    yield parsed(f"({p}) * (({d}) - (({d}) * ({p})).sum(axis={axis}, keepdims=True))")


def siblings_of(function):
    """What functions may be called that do with another activation what one does that is called by its name."""
    name = function.id if isinstance(function, ast.Name) else ""
    kinds = [kind for kind in KINDS if kind in name.lower()]
    return [name.replace(kind, other) for kind in kinds for other in KINDS if other != kind]


def siblings_left_out(world, tree):
    """{a function that is called like one which a function calls, but for the activation in its name, and that it does
    not call itself: the patterns of its calls}: `relu_backward({e}, cache)` beside `sigmoid_backward(da, cache)`.
    world: the globals of the function."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    called, found = {call.func.id for call in calls}, {}
    for call in (call for call in calls if len(call.args) > 1 and not call.keywords):
        others = [name for name in siblings_of(call.func) if name not in called]
        for name in (name for name in others if inspect.isfunction(world.get(name))):
            rest = ", ".join(map(ast.unparse, call.args[1:]))
            found.setdefault(name, []).append(f"{name}({{e}}, {rest})")
    return found

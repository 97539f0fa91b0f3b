"""The gradients of the penalties in a loss, `2 * reg * W` of `reg * np.sum(W * W)`: what a gradient may lack."""

import ast

from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.repair.slopes import squared


def penalties_in(tree):
    """The sources of the gradients of the sums of squares that are terms of what a function sets something to."""
    statements = (one for one in ast.walk(tree) if isinstance(one, ast.Assign | ast.AugAssign | ast.Return))
    for value in (one.value for one in statements if one.value is not None):
        for node in ast.walk(value):
            if (text := derived(value, node)) and text != f"2 * {summed(node)}":  # without a strength it is a loss
                yield text


def derived(expression, node):
    """The source of the derivative of an expression by what is summed in a part of it, the sum of squares `node`; None
    where it is no such sum, or the expression more than a multiple of it beside other terms."""
    if expression is node:
        return f"2 * {of}" if (of := summed(node)) else None
    match expression:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() | ast.Add() | ast.Sub() as operation, right=right):
            first, second = derived(left, node), derived(right, node)
        case _:
            return None
    match operation:
        case ast.Mult() if first or second:
            return f"{first} * {factor(right)}" if first else f"{factor(left)} * {second}"
        case ast.Div() if first:
            return f"{first} / {factor(right)}"
        case ast.Add():
            return first or second
        case ast.Sub():
            return first or (second and f"-({second})")
    return None


def summed(node):
    """The source of what a call sums the squares of, `np.sum(W ** 2)`; None of another node."""
    match node:
        case ast.Call(args=[square], keywords=[]) if name_of(node.func) == "sum":
            return squared(square)
    return None


def factor(node):
    """The source of a factor, in brackets where it needs them."""
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.BinOp) else text

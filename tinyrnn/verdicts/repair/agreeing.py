"""Whether what a call gives and gets goes by the names that it has on the other side: `dh, dc = step(…)` of a function
that ends in `return dh_prev, dc_prev`.

Two values that have changed places can be put right where they are given and where they are taken. Which of both is
meant, the names on the two sides say; where both would do, a function that returns `dh_prev, dc_prev` is rather given
`dh, dc` in this order.
"""

import ast

from tinyrnn.verdicts.repair.analogy import base_of
from tinyrnn.verdicts.repair.statements import likeness

BOTH = ast.Tuple | ast.List
OWN = 1.0  # what the order of a function's own arguments counts


def agreement(statement, function, trees):
    """How alike the names in a statement are to those that its values have on the other side of calls: from 0 to 1 for
    each. function: the name of the one that it is in. trees: {name: syntax tree} of all functions."""
    given = getattr(statement, "value", None)
    called = trees.get(name_of(given.func)) if isinstance(given, ast.Call) else None
    pairs = list(zip(given.args, parameters_of(called, given), strict=False)) if called else []
    if called and isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], BOTH):
        pairs += [pair for several in returned_by(called) for pair in matched(target, several)]
    if isinstance(statement, ast.Return) and isinstance(given, BOTH):
        pairs += [pair for target in taken_by(function, trees) for pair in matched(given, target)]
    found = sum(likeness(base_of(one), other if isinstance(other, str) else base_of(other)) for one, other in pairs)
    return found + OWN * own_order(given, trees.get(function)) if isinstance(statement, ast.Return) else found


def own_order(given, function):
    """How alike the names that a function returns are to those that it is given, in turn."""
    names = [one.arg for one in function.args.args if one.arg != "self"] if function and isinstance(given, BOTH) else []
    return sum(likeness(base_of(one), name) for one, name in zip(getattr(given, "elts", ()), names, strict=False))


def matched(one, other):
    """The entries of two tuples that belong together; none where they are not of one length."""
    return list(zip(one.elts, other.elts, strict=True)) if len(one.elts) == len(other.elts) else []


def name_of(func):
    """The last name of what is called: `step` of `self.cell.step`."""
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)


def parameters_of(function, call):
    """The names of what a function is given in a call."""
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if isinstance(call.func, ast.Attribute) and names[:1] == ["self"] else names


def returned_by(function):
    """The tuples that a function returns."""
    values = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return [value for value in values if isinstance(value, BOTH)]


def taken_by(function, trees):
    """The tuples that are given what the calls of a function return."""
    for node in (node for tree in trees.values() for node in ast.walk(tree)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], BOTH):
            if name_of(node.value.func) == function:
                yield node.targets[0]

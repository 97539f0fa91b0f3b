"""Gives names to gradients that are returned without one, so that they are judged like all others.

    return dout @ w.T, x.T @ dout        is read as, on the same line,        dx = dout @ w.T; dw = x.T @ dout
                                                                              return dx, dw

By custom they come in the order of the forward function's arguments; where the shapes of what is returned tell another
order, the shapes decide.
"""

import ast
import copy

import numpy as np

from tinyrnn.sources import read
from tinyrnn.sources.deadline import one_run
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import gradient_names, stems
from tinyrnn.verdicts.record.run import floats


def named_returns(problem, forward, backward, wanted, others=()):
    """The syntax tree of `backward` with names for what it returns without one; None if there is nothing of that kind.

    problem: the `FunctionPair`. forward, backward: plain functions; the same twice if it returns a loss and then the
    gradients. wanted: [(name, shape)] of the forward function's arguments that have a gradient, in order; of a tuple,
    a list of these. others: of what else has one (weights of an object, or globals).
    """
    is_loss = forward is backward
    tree = copy.deepcopy(read(backward))
    taken = set(undecorated(backward).__code__.co_varnames)
    namer = ReturnNamer(is_loss, wanted, list(others), shapes_returned(problem, is_loss), taken)
    namer.visit(tree)
    return ast.fix_missing_locations(tree) if namer.count else None


def shapes_returned(problem, is_loss):
    """The shapes of what the backward function returns, nested as it is; None if it raises an error.

    Raises `TooLong` for what does not end.
    """
    program = problem.program()
    with np.errstate(all="ignore"):
        try:
            with one_run():
                result = program.run(None, problem.forward)
            with one_run():
                returned, _ = program.run(None, problem.backward_call(result))
        except Exception:
            return None
    returned = returned if isinstance(returned, tuple | list) else (returned,)
    return nested_shapes(returned[1:] if is_loss else returned)


def nested_shapes(value):
    """Shapes in lists nested as the tuples and lists of a value are; None for what is not floats."""
    if isinstance(value, tuple | list):
        return [nested_shapes(entry) for entry in value]
    array = floats(value)
    return None if array is None else array.shape


class ReturnNamer(ast.NodeTransformer):
    """Puts assignments before every `return` of a function; `count` says how many."""

    def __init__(self, is_loss, wanted, others, shapes, taken):
        self.is_loss, self.wanted, self.others, self.shapes, self.taken = is_loss, wanted, others, shapes, taken
        self.count, self.inside = 0, False

    def visit_FunctionDef(self, node):
        """The outermost function with its returns named; functions within it stay as they are."""
        if self.inside:
            return node
        self.inside = True
        return self.generic_visit(node)

    def visit_Lambda(self, node):
        """The lambda as it is."""
        return node

    def visit_Return(self, node):
        """The `return`, behind assignments that name the gradients in it which have no name."""
        if node.value is None:
            return node
        several = isinstance(node.value, ast.Tuple | ast.List)
        if self.is_loss and (not several or not node.value.elts):
            return node
        elements = node.value.elts if several else [node.value]
        first = 1 if self.is_loss else 0
        before = self.named(elements, first, self.wanted, self.shapes)
        self.count += len(before)
        if not several:
            node.value = elements[0]
        return [ast.copy_location(statement, node) for statement in before] + [node]

    def named(self, elements, first, wanted, shapes):
        """Assignments that give names to `elements`, a list, from `first` on, in which the names are put."""
        if any(isinstance(element, ast.Starred) for element in elements):
            return []
        statements = []
        for k, (name, shape) in match(elements[first:], wanted, self.others, shapes).items():
            element = elements[first + k]
            if isinstance(name, list):
                if isinstance(element, ast.Tuple | ast.List):
                    statements += self.named(element.elts, 0, name, shape)
                continue
            if name_of(element) is not None and any(name == stem for stem, _ in stems(name_of(element))):
                continue
            new = next(n for n in gradient_names(name) if n not in self.taken)
            statements.append(ast.Assign(targets=[ast.Name(id=new, ctx=ast.Store())], value=element))
            elements[first + k] = ast.Name(id=new, ctx=ast.Load())
        return statements


def match(elements, wanted, others, shapes):
    """{index of an element: (name of what it should be the gradient of, its shape)}, where that can be told."""
    claimed = {}
    for k, element in enumerate(elements):
        name = name_of(element)
        meant = [stem for stem, _ in stems(name)] if name is not None else []
        claimed.update((k, known) for known, _ in (*others, *wanted) if known in meant)
    free = [j for j, (name, _) in enumerate(wanted) if name not in claimed.values()]
    rest = [k for k, element in enumerate(elements) if k not in claimed and may_be_gradient(element)]
    if shapes is not None and len(shapes) == len(elements):
        rest = [k for k in rest if shapes[k] is not None]  # a dict of gradients is no gradient
    by_place = {k: k for k in rest if k in free}
    all_told = len(elements) == len(wanted) and len(by_place) == len(rest)
    if shapes is None:  # the backward pass ends in an error
        return {k: (wanted[k][0], None) for k in by_place} if all_told else {}
    if len(shapes) != len(elements):  # a call whose result is handed on
        return {}

    def fits(k, j):
        if isinstance(wanted[j][0], list):
            return isinstance(shapes[k], list) and len(shapes[k]) == len(wanted[j][0])
        return shapes[k] == wanted[j][1]

    if all_told and all(fits(k, k) for k in rest):
        return {k: (wanted[k][0], shapes[k]) for k in rest}
    rest = [k for k in rest if is_made_of_gradients(elements[k])] if not all_told else rest
    by_order = dict(zip(rest, free, strict=False))
    for way in ({k: k for k in rest if k in free}, by_order):
        if len(way) == len(rest) and all(fits(k, j) for k, j in way.items()):
            return {k: (wanted[j][0], shapes[k]) for k, j in way.items()}
    by_shape = {k: [wanted[j][0] for j in free if fits(k, j)] for k in rest}
    by_shape = {k: found or [name for name, shape in others if shape == shapes[k]] for k, found in by_shape.items()}
    names = [name for found in by_shape.values() for name in found]
    if len(names) == len(rest) and all(by_shape.values()) and all(names.count(name) == 1 for name in names):
        return {k: (found[0], shapes[k]) for k, found in by_shape.items()}
    if all_told and 2 * (sum(fits(k, k) for k in rest) + len(claimed)) >= min(len(elements), 2):
        return {k: (wanted[k][0], shapes[k]) for k in rest}
    return {}


def may_be_gradient(element):
    """Whether an element of a `return` could be an array: no constant and no dict display."""
    return not isinstance(element, ast.Constant | ast.Dict)


def is_made_of_gradients(element):
    """Whether a gradient is mentioned in an expression."""
    return any(isinstance(node, ast.Name) and stems(node.id) for node in ast.walk(element))

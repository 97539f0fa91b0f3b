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
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.grouping import stems
from tinyrnn.verdicts.run import floats


def name_returned(problem, forward, backward, wanted):
    """Let the programs of a `Problem` give names to what `backward` returns.

    forward, backward: plain functions; the same twice if it returns a loss and then the gradients. wanted: [(name,
    shape)] of the forward function's arguments that have a gradient, in order; of a tuple, a list of these.
    """
    is_loss = forward is backward
    tree = copy.deepcopy(read(backward))
    taken = set(undecorated(backward).__code__.co_varnames)
    namer = Namer(is_loss, wanted, shapes_returned(problem, is_loss), taken)
    namer.visit(tree)
    if not namer.count:
        return
    ast.fix_missing_locations(tree)

    program = problem.program
    problem.program = lambda trees=None, **options: program({backward: tree} | (trees or {}), **options)


def shapes_returned(problem, is_loss):
    """The shapes of what the backward function returns, nested as it is; None if it raises an error."""
    program = problem.program()
    with np.errstate(all="ignore"):
        try:
            result = program.run(unwatched, problem.forward)
            returned, _ = program.run(unwatched, problem.backward_call(result))
        except Exception:
            return None
    returned = returned if isinstance(returned, tuple | list) else (returned,)
    return nested_shapes(returned[1:] if is_loss else returned)


def unwatched(site, value, key=None):
    return value


def nested_shapes(value):
    if isinstance(value, tuple | list):
        return [nested_shapes(entry) for entry in value]
    array = floats(value)
    return None if array is None else array.shape


class Namer(ast.NodeTransformer):
    """Puts assignments before every `return` of a function; `count` says how many."""

    def __init__(self, is_loss, wanted, shapes, taken):
        self.is_loss, self.wanted, self.shapes, self.taken = is_loss, wanted, shapes, taken
        self.count, self.inside = 0, False

    def visit_FunctionDef(self, node):
        if self.inside:
            return node
        self.inside = True
        return self.generic_visit(node)

    def visit_Lambda(self, node):
        return node

    def visit_Return(self, node):
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
        for k, (name, shape) in match(elements[first:], wanted, shapes).items():
            element = elements[first + k]
            if isinstance(name, list):
                if isinstance(element, ast.Tuple | ast.List):
                    statements += self.named(element.elts, 0, name, shape)
                continue
            if name_of(element) is not None and any(name == stem for stem, _ in stems(name_of(element))):
                continue
            new = next(n for n in (f"d{name}", f"grad_{name}", f"delta_{name}", f"g_{name}") if n not in self.taken)
            statements.append(ast.Assign(targets=[ast.Name(id=new, ctx=ast.Store())], value=element))
            elements[first + k] = ast.Name(id=new, ctx=ast.Load())
        return statements


def match(elements, wanted, shapes):
    """{index of an element: (name of what it should be the gradient of, its shape)}, where that can be told."""
    names = [name_of(element) for element in elements]
    claimed = {}
    for k, name in enumerate(names):
        meant = [stem for stem, _ in stems(name)] if name is not None else []
        claimed.update((k, j) for j, (known, _) in enumerate(wanted) if known in meant)
    free = [j for j in range(len(wanted)) if j not in claimed.values()]
    rest = [k for k, element in enumerate(elements) if k not in claimed and may_be_gradient(element)]
    if shapes is not None and len(shapes) != len(elements):  # a call whose result is handed on
        return {}
    if shapes is None:
        by_place = {k: k for k in rest if k in free} if len(elements) == len(wanted) else {}
        return {k: (wanted[j][0], None) for k, j in by_place.items()}

    def fits(k, j):
        if isinstance(wanted[j][0], list):
            return isinstance(shapes[k], list) and len(shapes[k]) == len(wanted[j][0])
        return shapes[k] == wanted[j][1]

    by_place = {k: k for k in rest if k in free}
    by_order = dict(zip(rest, free, strict=False))
    for way in (by_place, by_order):
        if len(way) == len(rest) and all(fits(k, j) for k, j in way.items()):
            return {k: (wanted[j][0], shapes[k]) for k, j in way.items()}
    by_shape = {k: [j for j in free if fits(k, j)] for k in rest}
    if rest and all(len(found) == 1 for found in by_shape.values()):
        return {k: (wanted[found[0]][0], shapes[k]) for k, found in by_shape.items()}
    if len(elements) == len(wanted) and len(by_place) == len(rest):
        right = sum(fits(k, j) for k, j in by_place.items())
        if 2 * (right + len(claimed)) >= len(elements) or len(elements) == 1:
            return {k: (wanted[j][0], shapes[k]) for k, j in by_place.items()}
    return {}


def may_be_gradient(element):
    return not isinstance(element, ast.Constant | ast.Dict)

"""Which edits of a statement need not be run: what they give is seen where the statement first runs.

An edit that raises an error there raises it in the whole pass too; one that gives what another one gave in vain, or
what the statement gives as it is, does what that did.
"""

import ast
import inspect

import numpy as np

from tinyrnn.verdicts.record.run import holds_attributes
from tinyrnn.verdicts.repair.sieve import coded, is_pure, outside_comprehensions, value_of

RAISES = "raises"


class Preview:
    """What edits of a statement give, and which of that was in vain. looks: a `Look` for each of the first times that
    it runs; none if it never does, when no edit does anything."""

    def __init__(self, statement, looks):
        self.expression, self.looks = value_of(statement), looks
        self.codes, self.vain, self.own = {}, set(), set()
        if is_pure(self.expression) and not any(calls_object(self.expression, look) for look in looks[:1]):
            self.own = {id(node) for node in outside_comprehensions(statement.value)}
            self.arrays = [frozenset(id(root_of(one)) for one in arrays_in(look.locals)) for look in self.looks]
            self.is_in_vain(statement.value, statement.value)

    def is_needless(self, change):
        """Whether a `Change` need not be run. What is asked of here is in vain if it is asked of again, unless `keep`
        says otherwise."""
        return id(change.node) in self.own and is_pure(change.new) and self.is_in_vain(change.node, change.new)

    def keep(self, change):
        """Note that a `Change` is not in vain."""
        if id(change.node) in self.own:
            self.vain.discard(self.given(change.node, change.new))

    def is_in_vain(self, node, new):
        """Whether what is put in the place of a node raises an error at first, or gives what was asked of before."""
        given = self.given(node, new)
        is_known = given in self.vain or given[:1] == (RAISES,)
        self.vain.add(given)
        return is_known

    def given(self, node, new):
        """What the statement gives with something in the place of a node, to be compared."""
        if node not in self.codes:
            self.codes[node] = coded(self.expression, node)
        found = []
        with np.errstate(all="ignore"):
            for look, arrays in zip(self.looks, self.arrays, strict=True):
                try:
                    found.append(marked(look.edited(self.codes[node], new), arrays))
                except (Exception, SystemExit):
                    found.append(RAISES)
        return tuple(found)


def calls_object(expression, look):
    """Whether a method is called in an expression that arrays do not have, of what is no module: it may change its
    object."""
    for node in ast.walk(expression):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and not hasattr(np.ndarray, function.attr):
            root = function.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if not (isinstance(root, ast.Name) and inspect.ismodule(look.variables.get(root.id))):
                return True
    return False


def marked(value, arrays):
    """What is the same of values that are. arrays: the ids of what is there: a copy of such a one is another one."""
    if isinstance(value, tuple | list):
        return type(value).__name__, *(marked(one, arrays) for one in value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        root = id(root_of(value))
        return value.shape, value.dtype.char, value.tobytes(), root if root in arrays else None
    if isinstance(value, int | float | complex | str | np.generic | type(None) | slice | type(...)):
        return type(value).__name__, repr(value)
    return object()  # of which it is not known what is the same


def root_of(array):
    """The array that an array is a part of, or itself."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def arrays_in(value):
    """All arrays in nested dicts, lists, tuples and objects, each once."""
    queue, seen = [value], set()
    while queue:
        one = queue.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            yield one
        elif isinstance(one, dict):
            queue += one.values()
        elif isinstance(one, tuple | list):
            queue += one
        elif holds_attributes(one) and not callable(one):
            queue += vars(one).values()

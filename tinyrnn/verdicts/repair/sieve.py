"""Which edits of a statement can make all results right, told without running the whole backward pass.

What the edited statement gives is worked out from the variables as they were before it ran. The results are linear in
it, so whether they can become right is a question of linear algebra: of what it gives the first time, whatever it gives
later; and then of all times at which the change does not depend on what it gave before.
"""

import ast
import copy
import functools

import numpy as np

from tinyrnn.sources.mutation.scope import MODULES, but, rebuilt
from tinyrnn.sources.reading import compiled
from tinyrnn.sources.syntax import leaves_of
from tinyrnn.verdicts.record.run import floats
from tinyrnn.verdicts.repair.change import Pattern
from tinyrnn.verdicts.repair.replay import leaves_in
from tinyrnn.verdicts.repair.solving import sizes_of

CLOSE = 1e-5  # of what is missing, that may be left: the edits that pass are run
HOLE, E, A = "__hole__", "__e__", "__a__"
ASSIGNED = ("assign", "augment", "transform", "item", "item-augment", "refill")
CHANGING = "at", "copyto", "fill", "fill_diagonal", "place", "put", "putmask", "setdefault", "update"
OF_LISTS = "append", "clear", "extend", "insert", "itemset", "pop", "popitem", "remove", "resize", "reverse", "sort"
PURE = ("abs", "enumerate", "float", "int", "len", "list", "max", "min", "range", "reversed", "sum", "tuple", "zip")


class Look:
    """The variables at one moment, local and global ones, in which expressions are worked out."""

    def __init__(self, world, variables):
        self.locals, self.variables, self.known = variables, {**world, **variables}, {}

    def value(self, text):
        """The value of an expression, worked out once."""
        if text not in self.known:
            with np.errstate(all="ignore"):
                self.known[text] = eval(compile(text, "edit", "eval"), self.variables)
        return self.known[text]

    def edited(self, code, new):
        """What `code` gives with `new` in its HOLE, a syntax tree or a `Pattern`."""
        if isinstance(new, Pattern):
            self.variables[E] = self.value(new.e) if new.e else None
            self.variables[A] = self.value(new.a) if new.a else None
            self.variables[HOLE] = eval(filled(new.pattern), self.variables)
        else:
            self.variables[HOLE] = self.value(text_of(new))
        return eval(code, self.variables)


def text_of(node):
    """The source of an expression; of a slice, which is none by itself, a call that makes it."""
    if isinstance(node, ast.Slice):
        ends = (node.lower, node.upper, node.step)
        return f"slice({', '.join('None' if end is None else ast.unparse(end) for end in ends)})"
    return ast.unparse(node)


def without_ones(array, shape):
    """An array in a shape that it has but for axes of length one, which a row of the forward pass may lack."""
    is_alike = array.ndim > len(shape) and [n for n in array.shape if n > 1] == [n for n in shape if n > 1]
    return array.reshape(shape) if is_alike else array


@functools.cache
def filled(pattern):
    """The code of a `Pattern`, of variables called E and A."""
    return compile(pattern.replace("{e}", E).replace("{a}", A), "edit", "eval")


def coded(expression, node=None):
    """The code of an expression, with a HOLE in the place of a node of it."""
    made = rebuilt(expression, {node: ast.Name(HOLE, ast.Load())} if node else {})
    return compiled(ast.Expression(made), "edit", "eval")


class Sieve:
    """Lets through the edits of one statement that may do. Made by `sieve_of`.

    looks: of the first times that it ran, (`Look` before it, the same in a run in which it gives other values).
    shapes: of what it gives, the first time if it grows. columns: how the results depend on that, one array for each
    time it ran; missing: how they should change, but for some slack. grows: whether the shapes differ in time.
    """

    def __init__(self, statement, looks, shapes, columns, missing, slack=0.0, grows=False):
        self.expression, self.looks, self.shapes, self.columns = value_of(statement), looks, shapes, columns
        self.missing, self.allowed = missing, CLOSE * np.linalg.norm(missing) + slack
        self.is_return, self.grows = isinstance(statement, ast.Return), grows
        self.is_whole = len(shapes) == 1 or len(getattr(statement, "targets", ())) > 1  # a = b = …: each the same
        self.own = {id(node) for node in outside_comprehensions(statement.value)}
        self.codes, self.bases = {}, {}
        code = coded(self.expression)
        self.olds = {look: self.flat(eval(code, look.variables)) for pair in looks for look in pair}
        self.is_hopeless = not self.may_be({})

    def flat(self, value):
        """What the statement gives, as one flat array."""
        several = [value] * len(self.shapes) if self.is_whole else list(value)
        if self.is_return:
            several = [part for _, part in leaves_in(value)]
        parts = zip(several, self.shapes, strict=True)
        return np.concatenate(
            [np.broadcast_to(without_ones(floats(part), shape), shape).ravel() for part, shape in parts]
        )

    def __call__(self, change):
        """Whether what the statement gives with a `Change` may be right; True where that cannot be told."""
        if id(change.node) not in self.own or not is_pure(change.new):
            return True
        if change.node not in self.codes:
            self.codes[change.node] = coded(self.expression, change.node)
        known = {}
        with np.errstate(all="ignore"):
            if self.is_hopeless:
                return self.reshapes(change)
            for k, pair in enumerate(self.looks):
                try:
                    first, other = (self.difference(look, change) for look in pair)
                except (Exception, SystemExit):
                    return self.grows and self.reshapes(change)
                if k == 0 or np.allclose(first, other, rtol=1e-9, atol=1e-12):
                    known[k] = first
                if not self.may_be(known):
                    return False
        return True

    def reshapes(self, change):
        """Whether what the statement gives has another shape with a change: a sum along another axis."""
        look = self.looks[0][0]
        try:
            found = look.edited(self.codes[change.node], change.new)
        except (Exception, SystemExit):
            return False
        array = floats(found)
        return len(self.shapes) == 1 and array is not None and array.shape not in (self.shapes[0], ())

    def difference(self, look, change):
        """By how much a change changes what the statement gives."""
        found = self.flat(look.edited(self.codes[change.node], change.new)) - self.olds[look]
        if not np.isfinite(found).all():
            raise ValueError("no number")
        return found

    def may_be(self, known):
        """Whether the results can be right with {time: what is added then}, whatever is added at other times."""
        left = self.missing - sum((self.columns[k] @ added for k, added in known.items()), np.zeros(1))
        basis = self.basis(tuple(known))
        return bool(np.linalg.norm(left - basis @ (basis.T @ left)) <= self.allowed)

    def basis(self, known):
        """An orthonormal basis of how the results can change by what is given at times that are not known."""
        if known not in self.bases:
            free = [columns for k, columns in enumerate(self.columns) if k not in known]
            columns = np.hstack([np.zeros((self.missing.size, 0)), *free])
            left, singular, _ = np.linalg.svd(columns / sizes_of(columns), full_matrices=False)
            self.bases[known] = left[:, singular > 1e-10 * singular.max(initial=0)]
        return self.bases[known]


def sieve_of(statement, looks, units, solver):
    """The `Sieve` of a statement; None where the results are not linear in what it gives, or that is not known. looks:
    as for `Sieve`. units: what it gives, in order."""
    places = [solver.places[unit] for unit in units]
    if not looks or len({len(several) for several in places}) != 1 or not is_pure(value_of(statement)):
        return None
    matrices = [solver.matrix_in_time(unit) for unit in units]
    if any(matrix is None or not np.isfinite(matrix).all() for matrix in matrices):
        return None
    columns = []
    for k in range(len(places[0])):
        starts = [sum(solver.values[place].size for place in several[:k]) for several in places]
        sizes = [solver.values[several[k]].size for several in places]
        parts = zip(matrices, starts, sizes, strict=True)
        columns.append(np.hstack([matrix[:, start : start + size] for matrix, start, size in parts]))
    shapes = [solver.values[several[0]].shape for several in places]
    every = [(solver.values[place].shape, shape) for s, shape in zip(places, shapes, strict=True) for place in s]
    grows = any(one != first for one, first in every)
    looks = looks[:1] if grows else looks
    try:
        with np.errstate(all="ignore"):
            missing, slack = solver.goal - solver.came, solver.results.tolerance * np.linalg.norm(solver.goal)
            return Sieve(statement, looks[: len(columns)], shapes, columns, missing, slack, grows)
    except Exception:  # of whatever it calls, too: held to one value after the other it may have none left
        return None


def outside_comprehensions(expression):
    """The nodes of an expression that are worked out among the variables of its function, not of each round."""
    queue = [expression]
    while queue:
        node = queue.pop()
        yield node
        rounds = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp | ast.Lambda
        queue += [] if isinstance(node, rounds) else ast.iter_child_nodes(node)


def value_of(statement):
    """The expression of what an assignment gives its targets, or what is returned; None for other statements."""
    if isinstance(statement, ast.Assign):
        return statement.value
    if isinstance(statement, ast.AugAssign):
        return ast.BinOp(but(copy.copy(statement.target), ctx=ast.Load()), statement.op, statement.value)
    return statement.value if isinstance(statement, ast.Return) else None


def is_pure(new):
    """Whether working an expression, or a `Pattern`, out changes nothing: it calls functions of NumPy and the like, and
    methods of arrays alone, and none that takes something out of a list or puts it in."""
    if isinstance(new, Pattern):
        return is_pure_pattern(new.pattern) and all(is_pure_pattern(text) for text in (new.e, new.a) if text)
    for node in ast.walk(new):
        if isinstance(node, ast.Call):
            function = node.func
            is_known = isinstance(function, ast.Attribute) and not (is_own(function) or changes(function))
            if not is_known and getattr(function, "id", None) not in PURE:
                return False
    return True


def changes(function):
    """Whether a method is one that changes what it is of; NumPy has functions of the same names that do not."""
    is_of_module = isinstance(function.value, ast.Name) and function.value.id in MODULES
    return function.attr in CHANGING or (not is_of_module and function.attr in OF_LISTS)


@functools.cache
def is_pure_pattern(text):
    """`is_pure` of a text with places for others in it."""
    return is_pure(ast.parse(text.replace("{e}", E).replace("{a}", A), mode="eval"))


def is_own(function):
    """Whether a method is one of an object that is not known to be an array: of the object itself, or, unless arrays
    have such a method, of something that it holds."""
    root = function.value
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    is_held = root is not function.value and hasattr(np.ndarray, function.attr)
    return isinstance(root, ast.Name) and root.id in ("self", "cls") and not is_held


def units_of(statement, units):
    """Those of the units of a line that a statement gives, in order; none if it is not known which they are."""
    if isinstance(statement, ast.Return) and any(unit.site.kind == "value" for unit in units):
        return []  # entries of a dict: what is given by no other way
    if isinstance(statement, ast.Return):
        return sorted((unit for unit in units if unit.site.kind == "return"), key=lambda unit: unit.path)
    given = [unit for unit in units if unit.site.kind in ASSIGNED]
    leaves = [leaves_of(target) for target in getattr(statement, "targets", [None])]
    if len(leaves) > 1 and any(len(several) > 1 for several in leaves):
        return []
    number = sum(map(len, leaves)) if isinstance(statement, ast.Assign) else 1
    return given if len(given) == number and value_of(statement) is not None else []

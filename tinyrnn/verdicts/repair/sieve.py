"""Which edits of an assignment can make all results right, told without running the whole backward pass.

What the edited line gives the first time is worked out from the variables as they were then. The results are linear in
it, so whether they can still become right, whatever the line gives later, is a question of linear algebra.
"""

import ast
import copy

import numpy as np

from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.syntax import leaves_of
from tinyrnn.verdicts.record.run import floats

CLOSE = 1e-5  # of what is missing, that may be left: the edits that pass are run


class Sieve:
    """Lets through the edits of one line that may do.

    variables, world: local and global ones, as they were before the line ran first. values: what it gave then, an array
    for each target. matrix: how what the line gives later cannot change the results, by these values; missing: how they
    should change in this way, up to `allowed`. Made by `sieve_of`.
    """

    def __init__(self, variables, world, values, matrix, missing, allowed):
        self.variables, self.world, self.values = variables, world, values
        self.matrix, self.missing, self.allowed = matrix, missing, allowed

    def __call__(self, statement):
        """Whether what a statement gives may be right; True where that cannot be told."""
        expression = value_of(statement)
        if expression is None or not is_pure(expression):
            return True
        try:
            code = compile(ast.fix_missing_locations(ast.Expression(expression)), "edit", "eval")
            with np.errstate(all="ignore"):
                made = eval(code, self.world, self.variables)
            made = [made] if len(self.values) == 1 else list(made)
            change = [np.broadcast_to(floats(new), old.shape) - old for new, old in zip(made, self.values, strict=True)]
            change = np.concatenate([part.ravel() for part in change])
        except Exception:
            return False
        return np.isfinite(change).all() and bool(np.linalg.norm(self.missing - self.matrix @ change) <= self.allowed)


def sieve_of(variables, world, units, solver):
    """The `Sieve` of a line; None where the results are not linear in what it gives. units: that it gives, in order."""
    matrices = [solver.known_matrix(unit) for unit in units]
    if not units or any(matrix is None or not np.isfinite(matrix).all() for matrix in matrices):
        return None
    values, first, later = [], [], []
    for unit, matrix in zip(units, matrices, strict=True):
        values.append(solver.values[solver.places[unit][0]])
        first.append(matrix[:, : values[-1].size])
        later.append(matrix[:, values[-1].size :])
    left, singular, _ = np.linalg.svd(np.hstack(later), full_matrices=False)
    known = left[:, singular > 1e-10 * singular.max(initial=0)]

    def without(columns):
        return columns - known @ (known.T @ columns)

    missing = solver.goal - solver.came
    allowed = CLOSE * np.linalg.norm(missing)
    return Sieve(variables, world, values, without(np.hstack(first)), without(missing), allowed)


def value_of(statement):
    """The expression of what an assignment gives its targets; None for other statements."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.value
    if isinstance(statement, ast.AugAssign):
        return ast.BinOp(but(copy.copy(statement.target), ctx=ast.Load()), statement.op, statement.value)
    return None


def is_pure(expression):
    """Whether working an expression out changes nothing: it calls functions of NumPy and methods of arrays alone."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Call):
            function = node.func
            if not isinstance(function, ast.Attribute) or is_own(function):
                return False
    return True


def is_own(function):
    """Whether a method is one of an object that is not known to be an array."""
    return isinstance(function.value, ast.Name) and function.value.id in ("self", "cls")


def number_of_targets(statement):
    """How many values an assignment gives away."""
    return len(leaves_of(statement.targets[0])) if isinstance(statement, ast.Assign) else 1


def targets_of(statement):
    """What an assignment assigns to, as text; nothing for other statements."""
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", ast.Tuple([], ast.Load()))]
    return [ast.unparse(target) for target in targets]

"""The weights that a backward pass steps by itself: `self.W -= learning_rate * dW`.

Such a pass does not return the gradient, nor keep it. What it takes off the weight, divided by the rate, is it.
"""

import ast
import inspect

import numpy as np

from tinyrnn.sources.calling import parameters_of
from tinyrnn.sources.reading import read
from tinyrnn.sources.vocabulary import RATE, is_rate
from tinyrnn.verdicts.record.came import Came

STEP = 1e-5  # along what is taken off, of length one, for the derivative of the loss
PARALLEL = 1e-4  # relative, by which two rates are one


class OwnUpdates:
    """What a backward pass takes off its object's weights.

    weights: {keys that lead to one: (its name, its value before)}. rate: by what the gradients are multiplied. unlike:
    the names of weights that are changed by something else than a multiple of their gradients, as Adam does. decays:
    {last of the keys: by what the weight is multiplied that is added to its gradient}.
    """

    def __init__(self, weights, rate=1.0, unlike=(), decays=None):
        self.weights, self.rate, self.unlike, self.decays = weights, rate, unlike, decays or {}

    def came(self, owner):
        """A `Came` for the gradient of each weight, from the object after the backward pass."""
        for path, (name, before) in self.weights.items():
            gradient = (before - at(owner, path)) / self.rate - self.decays.get(path[-1], 0.0) * before
            yield Came(("self", *path), f"d{name}", gradient, is_stored=True)

    def steps(self, gradients):
        """What the weights come to, and what is taken off them, where these are the gradients, {name: array}."""
        for path, (name, before) in self.weights.items():
            if name in gradients:
                step = self.rate * (gradients[name] + self.decays.get(path[-1], 0.0) * before)
                yield from (before - step, step, -step)


def own_updates(leaves, before, after, function, slope):
    """The `OwnUpdates` of a backward function.

    leaves: `Leaves`. before, after: its object, before and after that pass. slope({name: array}) -> the derivative of
    the loss along these changes of weights, or NaN.
    """
    weights = {}
    for name, places in leaves.places.items():
        for path in [path for where, path in places if where == "own"][:1]:
            was, old, new = leaves.arrays[name], at(before, path), at(after, path)
            is_kept = np.shape(old) == was.shape == np.shape(new) and np.array_equal(old, was)
            if is_kept and not np.array_equal(new, was) and is_read(was.shape, lambda d, name=name: slope({name: d})):
                weights[path] = name, was
    steps = {name: before - at(after, path) for path, (name, before) in weights.items()}
    found = [
        rate for name, step in steps.items() if (rate := rate_of(step, lambda d, n=name: slope({n: d}))) is not None
    ]
    said = rates_in(function, after) if steps else []
    close = [rate for rate in said if any(is_close(rate, other) for other in found)]
    rate = next(iter([*close, *said, *found]), None)  # what it says counts, though all gradients be off by one factor
    if rate is None:
        return OwnUpdates({}, unlike=tuple(steps))
    return OwnUpdates(weights, rate, decays=decays_in(function, after))


def is_read(shape, slope):
    """Whether the loss depends on an array: what gradients are gathered in is changed, too, and no weight."""
    return bool(slope(np.random.default_rng(1).normal(size=shape)))


def rate_of(step, slope):
    """By what a gradient is multiplied to give a step; None if nothing does. slope(array) -> the derivative of the loss
    along it: across a multiple of the gradient there is none."""
    if step.size < 2:
        return None
    along = step / np.linalg.norm(step)
    across = np.random.default_rng(0).normal(size=step.shape)
    across -= np.sum(across * along) * along
    rise, rest = slope(along), slope(across / np.linalg.norm(across))
    is_multiple = np.isfinite(rise) and rise and abs(rest) <= PARALLEL * abs(rise)
    return float(np.linalg.norm(step) / rise) if is_multiple else None


def is_close(rate, other):
    """Whether two rates are one, but for rounding."""
    return abs(rate - other) <= PARALLEL * abs(other)


def rates_in(function, owner):
    """The rates that a function says that it steps by, in `W -= rate * dW` or `W = W - rate * dW`: constants, arguments
    and attributes of its object."""
    parameters, found = parameters_of(function), []
    given = {name: RATE for name in parameters if is_rate(name)}
    given |= {name: p.default for name, p in parameters.items() if p.default is not inspect.Parameter.empty}
    for step in filter(None, map(step_of, ast.walk(read(function)))):
        for factor in (step.left, step.right):
            is_negative = isinstance(factor, ast.UnaryOp) and isinstance(factor.op, ast.USub)
            found.append(number(factor.operand if is_negative else factor, given, owner))
    return [rate for rate in found if rate]


def decays_in(function, owner):
    """{attribute or key: rate} of the weights of which a part is added to their gradients, as in
    `self.W -= lr * (dW + rate * self.W)`."""
    parameters, found = parameters_of(function), {}
    given = {name: p.default for name, p in parameters.items() if p.default is not inspect.Parameter.empty}
    steps = [(node, step) for node in ast.walk(read(function)) if (step := step_of(node)) is not None]
    for statement, step in steps:
        target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
        products = [(part.left, part.right) for part in ast.walk(step) if is_product(part)]
        for side, other in [sides for left, right in products for sides in ((left, right), (right, left))]:
            if ast.unparse(side) == ast.unparse(target) and (rate := number(other, given, owner)) is not None:
                found[last_key(target)] = rate
    return found


def last_key(target):
    """The attribute, or the key of a dict, that is set: W of `self.W`, of `self.W[k]` and of `self.params["W"]`."""
    while isinstance(target, ast.Subscript):
        if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
            return target.slice.value
        target = target.value
    return getattr(target, "attr", None)


def number(node, given, owner):
    """The number that an expression stands for; None if that is not known."""
    value = None
    if isinstance(node, ast.Constant):
        value = node.value
    elif isinstance(node, ast.Name):
        value = given.get(node.id)
    elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
        value = getattr(owner, node.attr, None)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def step_of(statement):
    """The product that a statement takes off what it sets, or adds to it; None if there is none."""
    value, op = getattr(statement, "value", None), getattr(statement, "op", None)
    if isinstance(statement, ast.Assign) and isinstance(value, ast.BinOp):
        is_its = any(ast.unparse(target) == ast.unparse(value.left) for target in statement.targets)
        op, value = (value.op, value.right) if is_its else (None, None)
    is_step = isinstance(statement, ast.Assign | ast.AugAssign) and isinstance(op, ast.Sub | ast.Add)
    return value if is_step and is_product(value) else None


def is_product(node):
    """Whether an expression is one thing times another."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)


def at(owner, path):
    """What stands in an object at some keys."""
    for key in path:
        owner = owner[key] if isinstance(owner, dict | list | tuple) else vars(owner)[key]
    return owner

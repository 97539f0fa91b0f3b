"""Makes the values of arguments: numbers none of which is zero, of a size that leaves no gate saturated."""

import math

import numpy as np

from tinyrnn.sources.inputs.shapes import shape_of
from tinyrnn.sources.vocabulary import INTEGER_WORDS, names_gradients


class ValueMaker:
    """Makes the values of one attempt.

    world: a `World`, for arguments whose shape is not documented. labels: how classes are given, as "numbers", as
    "one-hot" in the shape of the first array, or "outputs": one-hot, as many as the last matrix makes of it. use_docs:
    whether what docstrings say counts.
    """

    def __init__(self, world, labels, use_docs, sizes, rng):
        self.world, self.labels, self.use_docs, self.sizes, self.rng = world, labels, use_docs, sizes, rng
        self.made = {}

    def values(self, arguments):
        """{name: value}; KeyError if nothing but an unused docstring tells a shape."""
        for a in sorted(arguments, key=lambda a: a.role in ("y", "mask")):  # these go by the shape of others
            self.made[a.name] = self.value(a)
        return {a.name: self.made[a.name] for a in arguments}

    def value(self, a):
        """One argument, made up; KeyError where nothing tells its shape."""
        if a.parts or a.kind is dict:
            values = {part.name: self.value(part) for part in a.parts}
            return values if a.kind is dict else tuple(values.values())
        if a.setting is not None:
            return a.setting
        shape = a.shape if self.use_docs else None
        if a.role == "rng":
            return np.random.default_rng(0)
        if a.role == "number" and shape is None:
            return 0.3
        if a.role in self.sizes and shape is None:
            return self.sizes[a.role]
        if a.role == "y":
            return self.classes(shape)
        if a.role == "mask":
            shape = shape or self.first_array().shape[:-1]
            return (np.arange(math.prod(shape)) % 3 != 1).reshape(shape)
        if shape is None and a.role is None:
            raise KeyError(a.name)
        shape = shape or shape_of(a.role, a.own_gate, self.world, self.sizes)
        if a.role == "x" and any(word in a.said.lower() for word in INTEGER_WORDS):
            return self.rng.integers(0, self.sizes["V"], shape)
        if a.role == "chance" or "probabilit" in a.said.lower():
            return self.rng.uniform(0.1, 0.9, shape)
        return self.numbers(a, shape)

    def numbers(self, a, shape):
        """An array of floats of this shape, no entry near zero, weights such that what they make stays of one size."""
        size = 0.2 + 0.8 * abs(self.rng.normal(size=shape))
        scale = 1.0
        if a.role in ("b", "b_y"):
            scale = 0.5
        elif a.role not in ("x", "state") and len(shape) > 1:  # a matrix: what it makes is of the size of its input
            scale = max(shape) ** -0.5
        return scale * size * self.rng.choice([-1.0, 1.0], size=shape)

    def classes(self, shape):
        """Labels of this shape, or as many as there are rows: class numbers, or one-hot along the axis of features."""
        like = self.first_array().shape
        if self.labels == "numbers" and shape != like:
            return self.rng.integers(0, like[-1], like[:-1] if shape is None else shape)
        axis = 0 if self.world.layout.startswith("col") else -1
        matrices = [v for v in self.made.values() if isinstance(v, np.ndarray) and v.ndim == 2][1:]
        if shape is None and self.labels == "outputs" and matrices:
            like = (len(matrices[-1]), *like[1:]) if axis == 0 else (*like[:-1], matrices[-1].shape[-1])
        shape = shape or like
        number = shape[axis]
        others = shape[1:] if axis == 0 else shape[:-1]
        return np.moveaxis(np.eye(number)[self.rng.integers(0, number, others)], -1, axis).copy()

    def first_array(self):
        """The array that classes or a mask belong to."""
        arrays = (value for value in self.made.values() if isinstance(value, np.ndarray))
        return next(arrays, np.zeros((self.sizes["N"], self.sizes["C"])))


def stir(values, rng):
    """Put random numbers into arrays that are zero everywhere, such as biases, but for gradients."""
    for name, value in values.items() if isinstance(values, dict) else enumerate(values):
        if names_gradients(name):
            continue
        if isinstance(value, dict | list):
            stir(value, rng)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size and not value.any():
            value[...] = 0.5 * rng.normal(size=value.shape)


def forms(value):
    """What a value looks like, for messages and to tell attempts apart."""
    if isinstance(value, dict):
        return {name: forms(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [forms(entry) for entry in value]
    if isinstance(value, np.ndarray):
        kind = {"i": " integers", "b": " booleans"}.get(value.dtype.kind, "")
        return f"{value.shape}{kind}"
    return repr(value) if isinstance(value, int | float | str) else type(value).__name__


def listed(values):
    """`x (3, 2), y (3,) integers`, for notes."""
    parts = []
    for name, value in values.items():
        if isinstance(value, dict):
            parts += [listed(value)] if value else []
        elif isinstance(value, tuple):
            parts += [f"{name}[{k}] {forms(entry)}" for k, entry in enumerate(value)]
        else:
            parts.append(f"{name} {forms(value)}")
    return ", ".join(parts)

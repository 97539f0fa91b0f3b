"""Makes the values of arguments: numbers none of which is zero, of a size that leaves no gate saturated."""

import math

import numpy as np

from tinyrnn.sources.inputs.shapes import class_shape, shape_of
from tinyrnn.sources.vocabulary import INTEGER_WORDS, names_gradients, size_of_name, words_of_name

TEXT = "a rose is a rose is a rose\nas roses are\n" * 2  # of eight different letters, and of a few different words
FILE = "made-up.txt"
LONGEST = 20  # text that is quoted
FEW = 2  # of what is only counted, such as layers


class DoesNotFit(Exception):
    """A shape has another number of axes than the source takes apart."""


class ValueMaker:
    """Makes the values of one attempt.

    world: a `World`, for arguments whose shape is not documented. labels: how classes are given, as "numbers", as
    "one-hot" in the shape of the first array, or "outputs": one-hot, as many as the last matrix makes of it. told: what
    tells a shape before names do: "source" and docstrings, "docs", or "" for neither. sizes["classes"] is what class
    numbers stay below that are an index.
    """

    def __init__(self, world, labels, told, sizes, rng):
        self.world, self.labels, self.told, self.sizes, self.rng = world, labels, told, sizes, rng
        self.made, self.with_output_layer = {}, False

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
        if a.use.kind in ("text", "file"):
            return TEXT if a.use.kind == "text" else FILE
        shape = a.use.asserted and a.shape
        shape = a.shape if self.told else shape
        shape = a.taken if self.told == "source" and shape is None else shape
        if a.role == "rng":
            return np.random.default_rng(0)
        if a.role == "number" and shape is None:
            return 0.3
        if a.role == "limit" and shape is None:  # so large that nothing meets it
            return 100.0
        if a.role == "size" and shape is None:
            return self.size(a)
        if a.role in self.sizes and shape is None:
            return self.sizes[a.role]
        if a.use.kind == "size" and a.use.path == ("i",):  # a list of sizes, of what goes in, is inside and comes out
            return [self.sizes[letter] for letter in "DHC"]
        if a.use.kind == "length" and a.use.path == ("i",):
            return self.lengths(a)
        if a.role == "y" and (a.use.kind != "class" or self.has_floats()):
            return self.classes(shape, a.use)
        if a.use.kind == "class" and a.role != "mask":
            return self.class_numbers(shape, a.use)
        if a.role == "mask":
            shape = shape or self.first_array().shape[:-1]
            return (np.arange(math.prod(shape)) % 3 != 1).reshape(shape)
        if shape is None and a.role is None and a.use.steps is None:
            raise KeyError(a.name)
        role = a.role or "x"
        self.with_output_layer |= role == "W_y"
        shape = shape or shape_of(role, a.own_gate, self.world, self.sizes)
        if a.use.axes not in (None, len(shape)):
            raise DoesNotFit(a.name)
        if role == "x" and any(word in a.said.lower() for word in INTEGER_WORDS):
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

    def size(self, a):
        """A size: which one its name says, or one of its own; of what is only counted, such as layers, a few."""
        letter = size_of_name(a.name)
        return FEW if letter == "layers" else self.sizes.of(letter)

    def class_numbers(self, shape, use):
        """Class numbers that are an index, the last of them included: of every step where they are taken one by one."""
        if shape is None and use.path is not None and "i" in use.path:
            shape = (self.sizes["T"],) if len(use.path) == 1 else (self.sizes["N"], self.sizes["T"])[: len(use.path)]
        elif shape is None:
            shape = class_shape(self.world, self.sizes)
        if use.axes not in (None, len(shape)):
            raise DoesNotFit("class numbers")
        number = self.sizes.get("classes", self.sizes["V"])
        made = self.rng.integers(0, number, shape)
        if made.ndim == 0:
            return int(made)
        made.flat[0] = number - 1
        return made

    def lengths(self, a):
        """How long each of N sequences is; those of labels are shorter than those of what they belong to."""
        is_label = bool({"target", "targets", "label", "labels", "y", "output"} & {*words_of_name(a.name)})
        longest = max(self.sizes["T"] // 2, 1) if is_label else self.sizes["T"]
        return np.array([max(longest - k % 2, 1) for k in range(self.sizes["N"])])

    def classes(self, shape, use):
        """Labels of this shape, or as many as there are rows: class numbers, or one-hot along the axis of features."""
        like = self.first_array().shape
        if use.kind == "class" and use.path == ("i",) and shape is None and self.world.is_single:
            return self.class_numbers(None, use)
        if self.labels == "numbers" and shape != like:
            if shape is None and use.axes == 2 and self.world.time == "first":  # the other way round than the steps
                return self.rng.integers(0, like[-1], (self.sizes["N"], self.sizes["T"]))
            return self.rng.integers(0, like[-1], like[:-1] if shape is None else shape)
        axis = 0 if self.world.layout.startswith("col") else -1
        matrices = [v for v in self.made.values() if isinstance(v, np.ndarray) and v.ndim == 2][1:]
        if shape is None and self.labels == "outputs" and (matrices or self.with_output_layer):
            wide = self.sizes["C"] if self.with_output_layer else matrices[-1].shape[axis]
            like = (wide, *like[1:]) if axis == 0 else (*like[:-1], wide)
        shape = shape or like
        number = shape[axis]
        others = shape[1:] if axis == 0 else shape[:-1]
        return np.moveaxis(np.eye(number)[self.rng.integers(0, number, others)], -1, axis).copy()

    def has_floats(self):
        """Whether there is an array of data that labels may belong to."""
        return any(isinstance(value, np.ndarray) and value.dtype.kind == "f" for value in self.made.values())

    def first_array(self):
        """The array that classes or a mask belong to."""
        arrays = (v for v in self.made.values() if isinstance(v, np.ndarray) and v.dtype.kind == "f")
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


def nested(value):
    """What is in dicts, lists and tuples."""
    if isinstance(value, dict | list | tuple):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from nested(entry)
    else:
        yield value


def forms(value):
    """What a value looks like, for messages and to tell attempts apart."""
    if isinstance(value, dict):
        return {name: forms(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [forms(entry) for entry in value]
    if isinstance(value, np.ndarray):
        kind = {"i": " integers", "b": " booleans"}.get(value.dtype.kind, "")
        return f"{value.shape}{kind}"
    if isinstance(value, str) and len(value) > LONGEST:
        return f"a text of {len(value)} letters"
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

"""A recording as text for a page: as small as what a page shows allows.

What is packed: the length of a JSON text, four bytes, least first; the JSON text; and all numbers, as the upper halves
of their float64 (sign, exponent, and 20 bits of fraction, which are six digits), first the lowest bytes of all of them.
All this is compressed (deflate, raw) and written in base64; a browser has both the other way round.

In the JSON, `arrays` is [[shape, parts]]: parts is how many times its size an array has among the numbers, one after
the other: 1, 2 where it is complex, 0 where it was too large to be kept. Every array is there once. `triangle` has the
indices of arrays of (T, T) where the recording has lists.
"""

import base64
import json
import math
import zlib

import numpy as np

DIGITS = 6  # of a number in a page
TRIANGLE_BITS = 14  # of the fraction of a norm in the triangle, of which there are T²: four digits
HALF = 1 << 31  # of the lower half of a float64


def packed(data, agrees):
    """The text in base64. data: the JSON form of a recording. agrees(value, numerical): whether indices of two arrays
    stand for the same gradient, which six digits cannot tell apart; the page then has but the value."""
    events, store = data["events"], Store(data["arrays"])
    value = [store.keep(index) for index in events["value"]]
    numerical = [
        store.keep(of_line if other >= 0 and agrees(of_line, other) else other)
        for of_line, other in zip(events["value"], events["numerical"], strict=True)
    ]
    steps = [
        {key: store.named(part) if isinstance(part, dict) else part for key, part in step.items()}
        for step in data["steps"]
    ]
    results = data["results"]
    small = {
        **data,
        "events": {**events, "value": value, "numerical": numerical},
        "steps": steps,
        "params": store.named(data["params"]),
        "results": {
            "inputs": store.keep(results["inputs"]),
            "state": [store.keep(index) for index in results["state"]],
            "params": store.named(results["params"]),
        },
        "triangle": data["triangle"] and store.triangle(data["triangle"]),
        "arrays": store.shapes,
    }
    text = json.dumps(small, separators=(",", ":"), allow_nan=False).encode()
    return deflated(len(text).to_bytes(4, "little") + text + upper_halves(np.array(store.numbers, float)))


class Store:
    """The arrays that a page needs, each once. shapes: [[shape, parts]]; numbers: of all of them, a list."""

    def __init__(self, arrays):
        self.arrays, self.shapes, self.numbers = arrays, [], []
        self.found = {}  # what an array is -> its index here
        self.moved = {-1: -1}  # index in the recording -> index here

    def keep(self, index):
        """The index here of an array of the recording; -1 stays -1."""
        if index not in self.moved:
            shape, *parts = self.arrays[index]
            parts = [] if parts[0] is None else [list(map(short, part)) for part in parts]
            self.moved[index] = self.add(shape, parts)
        return self.moved[index]

    def add(self, shape, parts):
        """The index of the array with these lists of numbers."""
        key = repr((shape, parts))  # in which nan is nan, and 0.0 is not -0.0
        if key not in self.found:
            self.found[key] = len(self.shapes)
            self.shapes.append([shape, len(parts)])
            for part in parts:
                self.numbers += part
        return self.found[key]

    def named(self, indices):
        """The same of a dict of indices."""
        return {name: self.keep(index) for name, index in indices.items()}

    def triangle(self, triangle):
        """The triangle of a recording with arrays in the place of lists."""
        others = {part: self.square(norms) for part, norms in triangle.get("others", {}).items()}
        return {**triangle, "norms": self.square(triangle["norms"]), **({"others": others} if others else {})}

    def square(self, norms):
        """The index of the array of a list of rows."""
        fraction, exponent = np.frexp(np.array(norms, float))
        scale = 2 << TRIANGLE_BITS
        return self.add(list(fraction.shape), [np.ldexp(np.rint(fraction * scale) / scale, exponent).ravel().tolist()])


def short(x):
    """A number, or "nan", "inf" or "-inf", as a float of DIGITS digits."""
    x = float(x)
    return float(f"{x:.{DIGITS}g}") if math.isfinite(x) else x


def upper_halves(numbers):
    """The rounded upper half of each float64, the lowest bytes of all of them first: alike ones lie together."""
    whole = numbers.astype("<f8").view("<u8")
    finite = np.isfinite(numbers)
    upper = ((whole + np.where(finite, HALF, 0).astype("<u8")) >> np.uint64(32)).astype("<u4")
    return upper.view("u1").reshape(-1, 4).T.tobytes()


def deflated(data):
    """Bytes, compressed, as base64."""
    made = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(made.compress(data) + made.flush()).decode("ascii")

"""Classes to be rewritten, and functions of forms that are rare in a gradient's code but right."""

import numpy as np
from specimens import Box

BUFFER = np.zeros(3)


class Base:
    rate = 2

    def forward(self, x):
        self.h = self.rate * x
        return {"h": self.h}

    @property
    def size(self):
        return len(vars(self))

    @staticmethod
    def twice(x):
        return 2 * x

    @classmethod
    def name(cls):
        return cls.__name__


class Layer(Base):
    """Uses all there is to a class."""

    def __init__(self, inner=None):
        self.inner = inner
        self.calls, self.__hidden = [], 5

    def forward(self, x):
        kept = super().forward(self.twice(x))
        self.calls.append(kept)
        if self.inner is not None:
            kept = self.inner.forward(kept["h"])
        return kept, self.size, self.name(), isinstance(self, Layer)

    def __call__(self, x):
        return self.forward(x)

    def within_entry(self, x):
        return {"h": super().forward(x)}

    def hidden(self, x):
        return self.__hidden + x


def fills_a_global(x):
    BUFFER[:] = x
    return BUFFER.copy()


def carries_a_new_attribute(n):
    box, seen = Box(), []
    for t in range(n):
        if t > 0:
            seen.append(box.h)
        box.h = t
    return seen


def adds_to_what_a_loop_finds(boxes):
    for k in range(len(boxes)):
        box = boxes[k]
        box.h += 1
    return [box.h for box in boxes]


def names_within_entries(x):
    entries = {"a": (y := x + 1)}
    return entries, y


def pops_its_target(x):
    boxes = [Box(), Box()]
    boxes.pop().foo = x
    return len(boxes)


RARE = [
    (fills_a_global, 2),
    (carries_a_new_attribute, 3),
    (adds_to_what_a_loop_finds, [Box(h=1), Box(h=2)]),
    (names_within_entries, 2),
    (pops_its_target, 2),
]

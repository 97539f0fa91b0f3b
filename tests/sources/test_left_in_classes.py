"""What a run leaves in classes and in the defaults of functions is gone in the next one."""

import numpy as np

from tinyrnn.sources import Program


class Shape:
    def __init__(self, sides):
        self.sides = sides


class Layer:
    made = 0

    def __init__(self, width=Shape([2, 3]), kinds=["a"]):  # noqa: B006, B008
        self.width, self.kinds, self.scale = width, kinds, lambda x: np.multiply(x, SCALE)
        Layer.made += 1

    def forward(self, x):
        return self.scale(x) * len(self.width.sides) * len(self.kinds)


SCALE = 2.0


def uses_up(x):
    layer = Layer()
    y = layer.forward(x)
    layer.width.sides.pop()
    layer.kinds.append("b")
    Layer.forward = uses_up
    return y


def in_turn(times):
    program = Program([uses_up], [Layer, Shape])
    return [program.run(lambda site, value, key=None: value, lambda p: p[uses_up](np.ones(2))) for _ in range(times)]


def test_methods_and_defaults_are_as_before_in_the_next_run():
    runs = in_turn(3)
    assert [run.tolist() for run in runs] == [[4.0, 4.0]] * 3
    assert Shape is type(Layer().width) and Layer().width.sides == [2, 3] and Layer().kinds == ["a"]
    assert Layer.forward.__name__ == "forward"


def test_what_a_class_counts_is_counted_on():
    before = Layer.made
    in_turn(3)
    assert Layer.made == before + 3

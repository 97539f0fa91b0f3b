"""Classes of many kinds, in whose objects passes keep what they need: they are run as they are, and judged."""

import abc
import dataclasses
import enum
import typing
from collections import namedtuple

import numpy as np
import pytest
from students import accused_in_turn

import tinyrnn as tr

R = np.random.default_rng(2)
T = typing.TypeVar("T")


class Activation(enum.Enum):
    TANH = 1
    NONE = 2

    def of(self, a):
        return np.tanh(a) if self is Activation.TANH else a


class Pair(typing.NamedTuple):
    x: np.ndarray
    w: np.ndarray

    def product(self):
        return self.x * self.w


class Other(namedtuple("Other", "x w")):
    def product(self):
        return self.x * self.w


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: np.ndarray
    w: np.ndarray

    def product(self):
        return self.x * self.w


@dataclasses.dataclass(slots=True)
class Slots:
    x: np.ndarray
    w: np.ndarray

    def product(self):
        return self.x * self.w


class Base(abc.ABC):
    def __init__(self, x, w):
        self.x, self.w = x, w

    @abc.abstractmethod
    def product(self): ...


class Made(Base):
    def product(self):
        return self.x * self.w


class Says(typing.Protocol):
    def product(self): ...


class Follows(Says):
    def __init__(self, x, w):
        self.x, self.w = x, w

    def product(self):
        return self.x * self.w


class Of(typing.Generic[T]):
    def __init__(self, x, w):
        self.x, self.w = x, w

    def product(self):
        return self.x * self.w


class Dict(dict):
    def __init__(self, x, w):
        super().__init__(x=x, w=w)
        self.x, self.w = x, w

    def product(self):
        return self["x"] * self["w"]


class Listed(list):
    def __init__(self, x, w):
        super().__init__([x, w])
        self.x, self.w = x, w

    def product(self):
        return self[0] * self[1]


class Array(np.ndarray):
    def twice(self):
        return self + self


def passes(kind, factor=1.0):
    """(forward, backward) of tanh(x w), that keep an object of a kind; the gradient of w times a factor."""

    def forward(x, w):
        kept = kind(x, w)
        y = Activation.TANH.of(kept.product())
        return y, (kept, y, Activation.TANH)

    def backward(dout, cache):
        kept, y, activation = cache
        da = dout * (1 - y**2) if activation is Activation.TANH else dout
        return da * kept.w, da * kept.x * factor

    return forward, backward


KINDS = (Pair, Other, Frozen, Slots, Made, Follows, Of, Of[int], Dict, Listed)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_keeps_things_for_the_backward_pass_may_be_of_any_class(kind):
    given = {"x": R.normal(size=(2, 3)), "w": R.normal(size=(2, 3))}
    assert tr.lines(*passes(kind), given).ok
    report = tr.lines(*passes(kind, 2.0), given)
    assert report.wrong_results == ["w"] and len(report.wrong) == 1, report


def doubled_forward(x):
    kept = x.view(Array)
    return np.asarray(kept.twice()), kept


def doubled_backward(dout, cache):
    return dout * (np.asarray(cache.twice()) / np.asarray(cache))


def test_arrays_of_a_class_of_their_own_stay_so():
    assert tr.lines(doubled_forward, doubled_backward, {"x": R.normal(size=(2, 3))}).ok


NAMED = """
    class Square:
        def loss(self, y):
            self.y = y
            return 0.25 * np.sum(y**4)

        def slope(self):
            return self.y**3

    class Net:
        def __init__(self, W, loss):
            self.W, self.measure = W, eval(loss)

    def loss_and_gradients(x, W):
        net = Net(W, "Square()")
        h = np.tanh(x @ net.W)
        loss = net.measure.loss(h)
        return loss, x.T @ (net.measure.slope() * (1 - h**2))
"""


@pytest.mark.parametrize("wrong", ["", "return self.y**2"])
def test_a_class_that_is_only_named_in_a_text_is_looked_into(tmp_path, wrong):
    given = {"x": np.random.default_rng(0).normal(size=(4, 3)), "W": np.random.default_rng(1).normal(size=(3, 2))}
    report, lines = accused_in_turn(tmp_path, NAMED, wrong and "return self.y**3", wrong, given)
    assert lines == ([wrong] if wrong else []), report

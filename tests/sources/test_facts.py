"""What a site tells of the value that gets its name there: what it was made of, and in which line."""
# ruff: noqa: F841, RUF059 (values are made to be looked at)

import numpy as np
import pytest

from tinyrnn.sources import Program


def site_of(function, name, kind="assign"):
    sites = Program([function]).sites[function.__qualname__]
    return next(s for s in sites if s.name == name and s.kind == kind)


def helper(u):
    return 3 * u


def facts(x, W):
    zeros = np.zeros((2, 2))
    like, nought, nothing, empty = np.empty_like(x), 0, None, []
    y = helper(x)
    z = y
    a, b = z
    x = x * W + helper(y)
    W -= x @ z.T
    return helper(x)


@pytest.mark.parametrize(
    "name, kind, expected",
    [
        ("zeros", "assign", dict(zero=True, calls="zeros", uses=("np",))),
        ("like", "assign", dict(zero=True, calls="empty_like")),
        ("nought", "assign", dict(zero=True, calls=None)),
        ("nothing", "assign", dict(zero=True)),
        ("empty", "assign", dict(zero=True)),
        ("y", "assign", dict(zero=False, calls="helper", copies=None, uses=("helper", "x"))),
        ("z", "assign", dict(copies="y", uses=("y",), calls=None, self_made=False)),
        ("a", "assign", dict(copies="z", uses=("z",))),
        ("x", "assign", dict(self_made=True, calls=None, uses=("W", "helper", "x", "y"))),
        ("W", "augment", dict(uses=("x", "z"))),
        ("return", "return", dict(calls="helper")),
    ],
)
def test_a_site_tells_what_a_value_was_made_of(name, kind, expected):
    site = site_of(facts, name, kind)
    assert {key: getattr(site, key) for key in expected} == expected
    assert site.scope == "facts"


def test_every_site_has_the_line_of_its_source():
    first = facts.__code__.co_firstlineno
    lines = {site.name: site.line - first for site in Program([facts]).sites["facts"] if site.kind == "assign"}
    assert lines == {
        "zeros": 1,
        "like": 2,
        "nought": 2,
        "nothing": 2,
        "empty": 2,
        "y": 3,
        "z": 4,
        "a": 5,
        "b": 5,
        "x": 6,
    }


# complex buffers ------------------------------------------------------------------------------------------------------


def test_buffers_are_complex_only_when_asked_for():
    def f(x):
        return np.zeros(2), np.full_like(x, 1), np.arange(2), np.abs(x), np.maximum(x, 0)

    x = np.array([-1.5 + 1e-30j, 2])
    program = Program([f])
    zeros, full, order, size, top = program.run(
        lambda site, value, key=None: value, lambda p: p[f](x), complex_buffers=True
    )
    assert zeros.dtype == complex and order.dtype.kind == "i"
    np.testing.assert_array_equal(size, [1.5 - 1e-30j, 2])
    np.testing.assert_array_equal(top, [0, 2])
    zeros, full, _, size, _ = program.run(lambda site, value, key=None: value, lambda p: p[f](x.real))
    assert zeros.dtype == full.dtype == size.dtype == float

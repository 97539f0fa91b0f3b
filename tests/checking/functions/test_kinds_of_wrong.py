"""A wrong gradient is found, and what kind of wrong it is is told from the numbers alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr

RNG = np.random.default_rng(1)
X, W, V, B = (RNG.normal(size=shape) for shape in ((5, 4), (4, 4), (4, 4), (4,)))


def forward(x, w, v, b):
    h = np.tanh(x @ w + b)
    return h @ v, (x, w, v, h)


def right(dout, cache):
    x, w, v, h = cache
    da = dout @ v.T * (1 - h * h)
    return {"x": da @ w.T, "w": x.T @ da, "v": h.T @ dout, "b": da.sum(axis=0)}


def changed(name, change):
    """The right backward function, with one of its gradients changed."""

    def backward(dout, cache):
        return {k: change(g, dout, cache) if k == name else g for k, g in right(dout, cache).items()}

    return backward


def at(index, value):
    def change(g, dout, cache):
        g = g.copy()
        g[index] = value(g[index])
        return g

    return change


MISTAKES = {
    "sign": ("w", lambda g, d, c: -g, "sign"),
    "factor": ("w", lambda g, d, c: 0.5 * g, "factor"),
    "mean": ("b", lambda g, d, c: g / 5, "mean for sum"),
    "sum": ("v", lambda g, d, c: g * 5, "sum for mean"),
    "transposed": ("w", lambda g, d, c: g.T, "transposed"),
    "zero": ("x", lambda g, d, c: 0 * g, "zero"),
    "of another": ("w", lambda g, d, c: right(d, c)["v"], "gradient of v"),
    "not summed": ("b", lambda g, d, c: d @ c[2].T * (1 - c[3] ** 2), "not summed"),
    "reversed": ("x", lambda g, d, c: g[::-1], "reversed"),
    "shifted": ("x", lambda g, d, c: np.roll(g, 1, axis=0), "shifted"),
    "cut off at the wrong end": ("x", lambda g, d, c: np.concatenate([g[1:], g[:1] * 3]), "shifted"),
    "the upstream": ("x", lambda g, d, c: d, "upstream"),
    "signs": ("w", lambda g, d, c: g * np.where(np.eye(4)[[1, 3, 0, 2]], -1, 1), "sign"),
    "above the diagonal": ("w", lambda g, d, c: g - 0.4 * np.triu(np.ones((4, 4)), 1), "triangle"),
    "diagonal": ("v", lambda g, d, c: g + np.eye(4), "diagonal"),
    "no mean taken off": ("w", lambda g, d, c: g + g.mean(axis=0), "constant by slices"),
    "magnitude": ("w", lambda g, d, c: abs(g), "absolute value"),
    "one entry": ("w", at((2, 1), lambda g: g + 0.1), "one entry"),
    "one row": ("x", at(0, lambda g: 0 * g), "one slice"),
    "all but the last": ("x", at(np.s_[:-1], lambda g: 1.5 * g + 0.1), "all but one slice"),
    "some rows": ("x", at(np.s_[1:3], lambda g: 2 * g), "factor by slices"),
    "clipped": ("w", lambda g, d, c: np.clip(g, -0.7, 0.7), "clipped"),
    "weight decay": ("w", lambda g, d, c: g + 0.01 * c[1], "term"),
    "constant": ("w", lambda g, d, c: g + 0.5, "constant"),
    "by columns": ("w", lambda g, d, c: g * np.array([1, 2, 3, 4]), "factor by slices"),
    "nearly": ("w", lambda g, d, c: g * (1 + 1e-7 * np.sin(np.arange(16)).reshape(4, 4)), "nearly right"),
    "NaN": ("w", at((0, 0), lambda g: np.nan), "not finite"),
    "shape": ("b", lambda g, d, c: g[None], "shape"),
    "averaged": ("x", lambda g, d, c: np.broadcast_to(g.mean(axis=0), g.shape), "averaged over an axis"),
    "other": ("w", lambda g, d, c: g**3, "other"),
}


@pytest.mark.few(8)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_kind_of_mistake_is_named(mistake):
    name, change, kind = MISTAKES[mistake]
    report = tr.gradcheck(forward, changed(name, change), (X, W, V, B))
    assert report.verdict == "wrong"
    assert [(row.argument, row.kind) for row in report.wrong] == [(name, kind)], report


def test_the_worst_entry_is_shown_with_both_gradients():
    row = tr.gradcheck(forward, changed("w", at((2, 1), lambda g: g + 0.1)), (X, W, V, B)).wrong[0]
    assert row.index == (2, 1)
    assert row.analytic - row.numerical == pytest.approx(0.1)


def test_an_upstream_that_is_ignored_is_named():
    def backward(dout, cache):
        return right(np.ones((5, 4)), cache)

    report = tr.gradcheck(forward, backward, (X, W, V, B))
    assert {row.kind for row in report.wrong} == {"upstream ignored"}


def test_samples_that_are_mixed_up_are_named():
    def backward(dout, cache):
        gradients = right(dout, cache)
        gradients["x"] = gradients["x"] - gradients["x"].mean(axis=0)
        return gradients

    report = tr.gradcheck(forward, backward, (X, W, V, B))
    assert [(row.argument, row.kind) for row in report.wrong] == [("x", "batch mixed")]


def test_a_complex_conjugate_is_named():
    z = RNG.normal(size=3) + 1j * RNG.normal(size=3)
    assert tr.gradcheck(lambda z: (z * z).real.sum(), lambda z: 2 * z.conj(), z).ok
    assert tr.gradcheck(lambda z: (z * z).real.sum(), lambda z: 2 * z, z).rows[0].kind == "conjugate"


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), size=st.floats(1e-8, 10), which=st.integers(0, 15))
def test_any_single_wrong_entry_is_found_however_small(seed, size, which):
    x = np.random.default_rng(seed).normal(size=16)

    def gradient(x):
        g = np.cos(x)
        g[which] += size
        return g

    report = tr.gradcheck(lambda x: np.sin(x).sum(), gradient, x)
    assert report.verdict == "wrong"
    assert report.wrong[0].index == (which,)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), size=st.floats(1e-7, 10), which=st.integers(0, 15))
def test_without_the_complex_step_too(seed, size, which):
    x = np.random.default_rng(seed).normal(size=16) + 2

    def gradient(x):
        g = np.sign(x) * np.cos(abs(x))
        g[which] += size
        return g

    report = tr.gradcheck(lambda x: np.sin(abs(x)).sum(), gradient, x)
    assert report.verdict == "wrong"
    assert report.rows[0].method == "central differences"
    assert report.wrong[0].index == (which,)


@pytest.mark.parametrize(
    ("edit", "kind"), [(lambda g: g / 100, "factor"), (lambda g: g + 1, "other"), (np.negative, "sign")]
)
def test_of_a_single_number_points_nearby_tell_a_factor_from_chance(edit, kind):
    report = tr.gradcheck(
        lambda a, b: a * np.exp(a * b),
        lambda a, b: (edit((1 + a * b) * np.exp(a * b)), a * a * np.exp(a * b)),
        (0.7, 1.3),
    )
    assert [(row.argument, row.kind) for row in report.wrong] == [("a", kind)]

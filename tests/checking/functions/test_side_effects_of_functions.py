"""What is noticed besides the numbers: each by its own word, none of it of functions that behave."""

import numpy as np
import pytest

import tinyrnn as tr

RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 2))


def forward(x, w):
    h = np.tanh(x @ w)
    return h, (x, w, h)


def backward(dout, cache):
    x, w, h = cache
    da = dout * (1 - h * h)
    return da @ w.T, x.T @ da


def kinds(report):
    return [notice.kind for notice in report.notices]


def test_nothing_is_noticed_of_functions_that_behave():
    assert kinds(tr.gradcheck(forward, backward, (X, W))) == []


def test_an_upstream_changed_in_place_is_named_with_its_line_and_the_gradient_is_right():
    def careless(dout, cache):
        x, w, h = cache
        dout *= 1 - h * h
        return dout @ w.T, x.T @ dout

    report = tr.gradcheck(forward, careless, (X, W))
    assert report.ok
    (notice,) = report.notices
    assert notice.kind == "in place"
    line = careless.__code__.co_firstlineno + 2
    assert f"changes dout in place (test_side_effects_of_functions.py:{line})" in notice.text


def test_inputs_and_caches_changed_in_place():
    def spoil_input(x, w):
        x += 0
        x *= 2
        return x @ w, (x.copy(), w)

    def spoil_cache(dout, cache):
        x, w, h = cache
        h *= h
        da = dout * (1 - h)
        return da @ w.T, x.T @ da

    report = tr.gradcheck(spoil_input, lambda dout, cache: (2 * dout @ cache[1].T, cache[0].T @ dout), (X, W))
    assert "in place" in kinds(report)
    report = tr.gradcheck(forward, spoil_cache, (X, W))
    assert report.ok
    assert any("cache[2]" in notice.text for notice in report.notices)


def test_gradients_in_the_memory_of_others():
    report = tr.gradcheck(lambda x, y: x + y, lambda dout, x, y: (dout, dout), (X, X + 1))
    assert report.ok
    assert set(kinds(report)) == {"alias"}
    texts = " ".join(notice.text for notice in report.notices)
    assert "is dout itself" in texts and "lie in the same memory" in texts


def test_a_cache_that_a_second_call_overwrites():
    buffer = np.zeros((3, 2))

    def with_buffer(x, w):
        np.tanh(x @ w, out=buffer)
        return buffer.copy(), (x, w, buffer)

    report = tr.gradcheck(with_buffer, backward, (X, W))
    assert "cache" in kinds(report)


def test_gradients_that_add_up_from_call_to_call():
    class Layer:
        def __init__(self, start):
            self.w, self.dw = W.copy(), np.full(W.shape, start)

        def forward(self, x):
            self.x = x
            return x @ self.w

        def backward(self, dout):
            self.dw += self.x.T @ dout
            return dout @ self.w.T

    for start in (0.0, 7.0):  # as made, and after an earlier call
        report = tr.gradcheck(Layer(start), X)
        assert report.ok, report
        assert kinds(report) == ["accumulated"]


def test_a_result_that_the_next_call_overwrites():
    result = np.zeros(3)

    def gradient(x):
        result[:] = 2 * x
        return result

    report = tr.gradcheck(lambda x: x @ x, gradient, np.ones(3))
    assert report.ok
    assert "buffer" in kinds(report)


def test_a_gradient_that_depends_on_where_the_function_was_called_last():
    class Problem:
        def value(self, x):
            self.x = x.copy()
            return (x**3).sum()

        def gradient(self, x):
            return 3 * self.x**2

    problem = Problem()
    problem.value(np.ones(3))
    report = tr.gradcheck(problem.value, problem.gradient, np.ones(3))
    assert (report.verdict, report.rows[0].kind) == ("wrong", "stale")


def test_a_cache_of_the_first_call_ever():
    kept = []

    def first(x):
        kept.append(x.copy())
        return np.tanh(x)

    report = tr.gradcheck(first, lambda dy: dy * (1 - np.tanh(kept[0]) ** 2), np.ones(3))
    assert (report.verdict, report.rows[0].kind) == ("wrong", "stale")


def test_constants_that_shrink_from_call_to_call():
    a = np.array([3.0, 4.0])

    def gradient(x):
        a[:] = a - 0.5
        return 2 * x + a + 0.5

    report = tr.gradcheck(lambda x: x @ x + a @ x, gradient, np.ones(2))
    assert "state" in kinds(report)
    assert np.array_equal(a, [3.0, 4.0])


def test_double_precision_that_is_lost():
    report = tr.gradcheck(forward, lambda d, c: tuple(g.astype("f4") for g in backward(d, c)), (X, W))
    assert report.ok
    assert kinds(report) == ["precision"]
    report = tr.gradcheck(lambda x: np.float32(np.sin(x).sum()), np.cos, X)
    assert report.ok
    assert "precision" in kinds(report)


def test_the_hidden_contract_of_a_function_that_reads_the_array_itself():
    x = X.copy()
    report = tr.gradcheck(lambda _: np.sin(x).sum(), np.cos, x)
    assert report.ok
    assert kinds(report) == ["hidden contract"]
    assert np.array_equal(x, X)
    report = tr.gradcheck(lambda _: np.sin(W).sum(), np.cos, x)
    assert (report.verdict, report.rows[0].kind) == ("wrong", "ignored argument")


@pytest.mark.parametrize(("claimed", "shape"), [((64,), (1, 64)), ((1, 64), (64,)), ((64, 1), (64,))])
def test_shapes_that_only_agree_by_broadcasting(claimed, shape):
    x = np.random.default_rng(1).normal(size=shape)
    report = tr.gradcheck(lambda x: np.sin(x).sum(), lambda x: np.cos(x).reshape(claimed), x)
    assert report.verdict == "wrong"
    assert report.rows[0].kind in ("shape", "transposed")
    assert f"{claimed} where {shape} belongs" in report.rows[0].how[0]


class Kept:
    """A layer that keeps its input; what it keeps is set by `keep(self, x)`."""

    def __init__(self, keep):
        self.w, self.x, self.keep = W.copy(), [], keep

    def forward(self, x):
        self.keep(self, x)
        return x @ self.w

    def backward(self, dout):
        self.dw = self.x[0].T @ dout
        return dout @ self.w.T


def test_an_object_that_keeps_the_input_of_its_first_call():
    def first(layer, x):
        layer.x = layer.x or [x]

    def last(layer, x):
        layer.x = [x]

    assert tr.gradcheck(Kept(last), X).ok
    assert kinds(tr.gradcheck(Kept(last), X)) == []
    report = tr.gradcheck(Kept(first), X)
    assert [(row.argument, row.kind) for row in report.wrong] == [("w", "stale")]


def test_an_object_that_carries_a_state_over_is_right_and_said_to():
    class Stateful:
        def __init__(self):
            self.w, self.h = W.copy(), np.zeros((3, 2))

        def forward(self, x):
            self.x = x
            self.h = x @ self.w + 0.5 * self.h
            return self.h

        def backward(self, dout):
            self.dw = self.x.T @ dout
            return dout @ self.w.T

    report = tr.gradcheck(Stateful(), X)
    assert report.ok
    assert "state" in kinds(report)


def test_a_mask_drawn_anew_spoils_no_cache():
    np.random.seed(0)  # noqa: NPY002  eight coins thrown twice fall the same way once in 256 times

    def dropped(x):
        mask = np.random.rand(*x.shape) > 0.5  # noqa: NPY002
        return x * mask, mask

    report = tr.gradcheck(dropped, lambda dout, mask: dout * mask, np.arange(1.0, 9.0))
    assert report.ok and [notice.kind for notice in report.notices] == ["random"]


def test_what_a_forward_pass_keeps_is_no_alias_though_both_are_lambdas():
    report = tr.gradcheck(lambda x: (x * x, x), lambda dout, x: 2 * x * dout, np.arange(1.0, 4.0))
    assert report.ok and report.notices == []

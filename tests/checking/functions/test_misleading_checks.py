"""Cases in which well-known gradient checks mislead people, each with what such a check says and what this one says.

The threads are named where the case is from. Where the check meant is not a library that can be installed, its form is
written out here in a few lines: differences of one fixed step, on the very arrays that were passed in.
"""

import numpy as np
import pytest
from scipy.optimize import check_grad

import tinyrnn as tr

RNG = np.random.default_rng(0)
X, WX, WH, B = (RNG.normal(size=shape) for shape in ((2, 4, 3), (3, 5), (5, 5), (5,)))


def rnn_forward(x, wx, wh, b):
    """x (N, T, D) -> h (N, T, H)."""
    h, states = np.zeros((x.shape[0], wh.shape[0]), x.dtype), []
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ wx + h @ wh + b)
        states.append(h)
    return np.stack(states, axis=1), (x, wx, wh, np.stack(states, axis=1))


def rnn_backward(dh, cache, in_place=False):
    x, wx, wh, h = cache
    dh = dh if in_place else dh.copy()
    dx, dwx, dwh, db = np.zeros_like(x), np.zeros_like(wx), np.zeros_like(wh), np.zeros_like(wh[0])
    carried = np.zeros_like(h[:, 0])
    for t in reversed(range(x.shape[1])):
        dh[:, t, :] = carried + dh[:, t, :]
        da = dh[:, t] * (1 - h[:, t] ** 2)
        dx[:, t], carried = da @ wx.T, da @ wh.T
        dwx += x[:, t].T @ da
        dwh += (h[:, t - 1] if t else 0 * h[:, 0]).T @ da
        db += da.sum(axis=0)
    return dx, dwx, dwh, db


def fixed_step_error(x, upstream, gradient, others, step=1e-5):
    """Largest relative error of dL/dx by central differences of one step, x changed in place and `upstream` reused."""
    numerical = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        before = x[index]
        x[index] = before + step
        above = rnn_forward(x, *others)[0]
        x[index] = before - step
        below = rnn_forward(x, *others)[0]
        x[index] = before
        numerical[index] = np.sum((above - below) * upstream) / (2 * step)
    return np.max(abs(gradient - numerical) / np.maximum(1e-8, abs(gradient) + abs(numerical)))


def test_a_right_gradient_that_changes_its_upstream():
    """Burton2000/CS231n-2017, issue 7: 1e-9 for a step, everything wrong for the sequence, nobody knew why."""
    upstream = RNG.normal(size=(2, 4, 5))
    _, cache = rnn_forward(X, WX, WH, B)
    dx, *_ = rnn_backward(upstream, cache, in_place=True)
    assert fixed_step_error(X.copy(), upstream, dx, (WX, WH, B)) > 0.1

    report = tr.gradcheck(rnn_forward, lambda dh, cache: rnn_backward(dh, cache, in_place=True), (X, WX, WH, B))
    assert report.ok
    assert [notice.kind for notice in report.notices] == ["in place"]
    assert "changes dh in place" in report.notices[0].text


def test_a_right_gradient_in_single_precision():
    """chainer 3046, Paddle 4283, datascience.SE 30850: right gradients that fail, tolerances of 0.5."""
    single = [a.astype("f4") for a in (X, WX, WH, B)]
    upstream = RNG.normal(size=(2, 4, 5)).astype("f4")
    dx, *_ = rnn_backward(upstream, rnn_forward(*single)[1])
    assert fixed_step_error(single[0].copy(), upstream, dx, single[1:]) > 1e-2  # "probably wrong", as is often taught
    assert tr.gradcheck(rnn_forward, rnn_backward, tuple(single)).ok
    wrong = tr.gradcheck(rnn_forward, lambda d, c: tuple(1.001 * g for g in rnn_backward(d, c)), tuple(single))
    assert wrong.verdict == "wrong"


def test_a_factor_that_is_taken_for_the_noise_of_single_precision():
    """datascience.SE 30850: gradients divided by T were blamed on the precision, in which right ones fail as well."""
    single = [a.astype("f4") for a in (X, WX, WH, B)]
    upstream = RNG.normal(size=(2, 4, 5)).astype("f4")
    right, *_ = rnn_backward(upstream, rnn_forward(*single)[1])
    errors = [fixed_step_error(single[0].copy(), upstream, dx, single[1:]) for dx in (right, right / 4)]
    assert min(errors) > 1e-2  # both are "probably wrong"
    report = tr.gradcheck(rnn_forward, lambda d, c: tuple(g / 4 for g in rnn_backward(d, c)), tuple(single))
    assert {row.argument: row.kind for row in report.rows} == dict.fromkeys(("x", "wx", "wh", "b"), "mean for sum")


def test_a_function_that_reads_an_array_from_outside_in_place_of_its_argument():
    """CS231n's notebooks: `fh = lambda h: step(x, prev_h)`, which works as long as the check writes into prev_h."""
    prev_h = RNG.normal(size=5)

    def f(h):
        return np.tanh(prev_h @ WH).sum()

    def gradient(h):
        return WH @ (1 - np.tanh(h @ WH) ** 2)

    assert check_grad(f, gradient, prev_h) > 0.1 * np.linalg.norm(gradient(prev_h))  # it hands over copies
    report = tr.gradcheck(f, gradient, prev_h)
    assert report.ok
    assert [notice.kind for notice in report.notices] == ["hidden contract"]
    assert "reads the array h itself" in report.notices[0].text


def test_torch_on_single_precision():
    """torch.autograd.gradcheck: "will likely fail if input is of less precision" than double."""
    torch = pytest.importorskip("torch", reason="compares with PyTorch")
    x = torch.from_numpy(X.astype("f4")).requires_grad_()
    with pytest.warns(UserWarning, match="double precision"):
        assert torch.autograd.gradcheck(lambda x: torch.tanh(x).sum(), (x,), raise_exception=False) is False
    assert tr.gradcheck(lambda x: torch.tanh(x).sum(), x).ok


def test_torch_says_that_it_is_wrong_and_not_where():
    """pytorch 2710: "rather uninformative (`False`)"."""
    torch = pytest.importorskip("torch", reason="compares with PyTorch")

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, dy):
            dx = 2 * ctx.saved_tensors[0] * dy
            dx[1, 2, 0] *= -1
            return dx

    x = torch.from_numpy(X).requires_grad_()
    assert torch.autograd.gradcheck(Square.apply, (x,), raise_exception=False) is False
    (row,) = tr.gradcheck(Square, x).wrong
    assert (row.argument, row.kind, row.index) == ("x", "one entry", (1, 2, 0))


def test_torch_on_a_kink():
    """A right subgradient of ReLU at zero is called wrong by differences; it is a matter of convention."""
    torch = pytest.importorskip("torch", reason="compares with PyTorch")
    x = torch.tensor([1.0, 0.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(torch.relu, (x,), raise_exception=False) is False
    report = tr.gradcheck(torch.relu, x)
    assert (report.verdict, report.rows[0].kind) == ("right", "kink")


def test_one_random_index_misses_one_wrong_entry():
    """minitorch's grad_check looks at one random index with a tolerance of 1e-2."""

    def gradient(x):
        g = np.cos(x)
        g[17] = 0
        return g

    x = RNG.normal(size=100)
    missed = 0
    for index in np.random.default_rng(1).integers(0, 100, 20):
        above, below = (np.sin(x[index] + h) for h in (1e-5, -1e-5))
        missed += abs((above - below) / 2e-5 - gradient(x)[index]) < 1e-2
    assert missed == 20
    assert tr.gradcheck(lambda x: np.sin(x).sum(), gradient, x).wrong[0].index == (17,)


def test_one_projection_finds_a_mistake_and_not_its_place():
    """autograd's and JAX's check_grads, chainer's check_backward: one random direction, one number."""
    x = RNG.normal(size=(4, 5))

    def gradient(x):
        g = np.cos(x)
        g[:, 3] = 0
        return g

    v = RNG.normal(size=(4, 5))
    along = (np.sin(x + 1e-6 * v).sum() - np.sin(x - 1e-6 * v).sum()) / 2e-6
    assert abs(along - np.sum(gradient(x) * v)) > 1e-3
    (row,) = tr.gradcheck(lambda x: np.sin(x).sum(), gradient, x).wrong
    assert row.kind == "one slice"
    assert row.how[0] == "only number 3 along axis 1 is wrong"


def test_a_shape_that_passes_by_broadcasting():
    """nn-zero-to-hero 59: a gradient of shape [64] passes against [1, 64]."""
    b = RNG.normal(size=(1, 64))
    assert np.allclose(np.cos(b)[0], np.cos(b))
    report = tr.gradcheck(lambda b: np.sin(b).sum(), lambda b: np.cos(b)[0], b)
    assert (report.verdict, report.rows[0].kind) == ("wrong", "shape")


def test_scipy_returns_a_number_that_says_little():
    """scipy.optimize.check_grad: one-sided differences of one step; a small mistake is below its own error."""

    def f(x):
        return np.exp(6 * x).sum()

    x = np.array([0.5, 1.0, 1.5])
    right, wrong = (check_grad(f, lambda x, k=k: k * 6 * np.exp(6 * x), x) for k in (1, 1 + 1e-9))
    assert right > 1e-4  # of a right gradient
    assert wrong < 2 * right
    assert tr.gradcheck(f, lambda x: 6 * np.exp(6 * x), x).ok
    assert not tr.gradcheck(f, lambda x: (1 + 1e-8) * 6 * np.exp(6 * x), x).ok


def test_a_step_that_is_wrong_for_the_scale_of_the_inputs():
    """A step of 1e-6 leaves the logarithm's domain at 1e-8, and sees nothing of 1e8."""
    assert np.isnan(check_grad(lambda x: np.log(x).sum(), lambda x: 1 / x, np.array([1e-9]))) or (
        check_grad(lambda x: np.log(x).sum(), lambda x: 1 / x, np.array([1e-9])) > 1e6
    )
    for scale in (1e-8, 1e-3, 1.0, 1e8):
        assert tr.gradcheck(lambda x: np.log(x).sum(), lambda x: 1 / x, scale * np.array([1.0, 2.0])).ok


def elman_step(x, prev_h, Wx, Wh, b):
    """x (N, D), prev_h (N, H), Wx (D, H), Wh (H, H), b (H,) -> next_h (N, H)."""
    next_h = np.tanh(x @ Wx + prev_h @ Wh + b) ** 2  # without the square, it would be one
    return next_h, (x, prev_h, Wx, Wh, np.tanh(x @ Wx + prev_h @ Wh + b))


def elman_step_backward(dnext_h, cache):
    x, prev_h, Wx, Wh, h = cache
    da = dnext_h * 2 * h * (1 - h**2)
    dx, dprev_h = da @ Wx.T, da @ Wh.T
    dWx, dWh, db = x.T @ da, prev_h.T @ da, da.sum(axis=0)
    return dx, dprev_h, dWx, dWh, db


def test_a_wrong_forward_pass_with_its_own_right_gradient_passes_and_only_another_reference_shows_it():
    """cs249r_book, pull request 2047: differences cannot see it; `tinyrnn.lines` compares with the package's cells."""
    inputs = dict(zip(("x", "prev_h", "Wx", "Wh", "b"), (X[0], RNG.normal(size=(4, 5)), WX, WH, B), strict=True))
    assert tr.gradcheck(elman_step, elman_step_backward, inputs).ok
    report = tr.lines(elman_step, elman_step_backward, inputs, against="elman")
    assert not report.wrong
    assert report.problems == ["the forward pass is not that of elman, by any convention that is known"]

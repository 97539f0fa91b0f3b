"""Cells whose transition is held orthogonal, or nearly so, by how it is written: the exponential, Householder and
spectral RNNs; and with them two that are not, the multiplicative RNN and the SCRN."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.cells.exprnn import expm, expm_backward
from tinyrnn.cells.householder import reflections, reflections_backward
from tinyrnn.checking.numeric import central_differences, complex_step

seeds = st.integers(0, 2**32 - 1)


def skew(n, seed, scale=1.0):
    S = np.random.default_rng(seed).normal(0, scale, (n, n))
    return S - S.T


def transition(cell):
    """W of h_{t-1} W, as the step applies it."""
    for name in "b", "V", "M":
        if name in cell.params and name not in "V" * isinstance(cell, tr.SpectralRNN):
            cell.params[name][...] = 0
    n = cell.hidden_size
    return cell.forward(np.zeros((1, n, cell.input_size)), (np.eye(n),))[0][0]


def distance_from_orthogonal(W):
    return abs(W.T @ W - np.eye(len(W))).max()


# the matrix exponential -----------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.sampled_from([0.0, 1e-9, 0.1, 1.0, 10.0]), seeds)
def test_the_exponential_is_scipys_and_orthogonal(n, scale, seed):
    S = skew(n, seed, scale)
    W = expm(S)
    np.testing.assert_allclose(W, scipy.linalg.expm(S), atol=1e-12)
    assert distance_from_orthogonal(W) < 1e-12
    single = expm(S.astype("float32"))
    assert single.dtype == np.float32 and distance_from_orthogonal(single) < 1e-4


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.sampled_from([0.1, 3.0]), seeds)
def test_the_exponential_goes_on_to_complex_matrices(n, scale, seed):
    """Or the complex step could not check its gradient."""
    re, im = np.random.default_rng(seed).normal(0, scale, (2, n, n))
    wanted = scipy.linalg.expm(re + 1j * im)
    np.testing.assert_allclose(expm(re + 1j * im), wanted, atol=1e-9 * abs(wanted).max())


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.sampled_from([0.0, 1e-9, 0.1, 1.0, 10.0]), seeds)
def test_the_exponentials_gradient_is_the_adjoint_of_its_frechet_derivative(n, scale, seed):
    S, dW = skew(n, seed, scale), np.random.default_rng(seed + 1).normal(size=(n, n))
    wanted = scipy.linalg.expm_frechet(S.T, dW, compute_expm=False)
    np.testing.assert_allclose(expm_backward(S, dW), wanted, atol=1e-11)


@pytest.mark.parametrize("angles", [[0.0, 0.0], [1.3, 1.3], [np.pi, np.pi], [1.3, 1.3 + 1e-9], [0.0, 1e-300]])
def test_equal_or_nearly_equal_eigenvalues_do_not_trouble_the_gradient(angles):
    S, dW = np.zeros((5, 5)), np.random.default_rng(0).normal(size=(5, 5))
    for k, angle in enumerate(angles):
        S[2 * k, 2 * k + 1], S[2 * k + 1, 2 * k] = angle, -angle
    wanted = scipy.linalg.expm_frechet(S.T, dW, compute_expm=False)
    np.testing.assert_allclose(expm_backward(S, dW), wanted, atol=1e-14)


def test_the_exponentials_gradient_agrees_with_numerical_ones():
    S, dW = skew(5, 0), np.random.default_rng(1).normal(size=(5, 5))

    def loss(S):
        return (expm(S) * dW).sum()

    np.testing.assert_allclose(expm_backward(S, dW), complex_step(loss, S), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(expm_backward(S, dW), central_differences(loss, S), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("n, scale", [(1, 1.0), (7, 0.1), (20, 1.0), (6, 10.0)])
def test_the_exponential_and_its_gradient_agree_with_pytorch(n, scale):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    S, dW = skew(n, 2, scale), np.random.default_rng(3).normal(size=(n, n))
    there = torch.tensor(S, requires_grad=True)
    W = torch.linalg.matrix_exp(there)
    W.backward(torch.tensor(dW))
    np.testing.assert_allclose(expm(S), W.detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(expm_backward(S, dW), there.grad.numpy(), atol=1e-11)


# the exponential RNN --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind, low, high", [("henaff", -np.pi, np.pi), ("cayley", 0, 1)])
def test_the_exponential_rnn_starts_with_rotations_of_pairs(kind, low, high):
    cell = tr.ExpRNN(2, 6, transition=kind, rng=0)
    angles = cell.params["A"].diagonal(1)[::2]
    assert np.count_nonzero(cell.params["A"]) == 3 and ((low <= angles) & (angles <= high)).all()
    wanted = scipy.linalg.block_diag(*([[np.cos(s), np.sin(s)], [-np.sin(s), np.cos(s)]] for s in angles))
    np.testing.assert_allclose(transition(cell), wanted, atol=1e-14)


def test_only_what_is_above_the_diagonal_of_A_counts():
    cell = tr.ExpRNN(2, 5, rng=0)
    x = np.random.default_rng(1).normal(size=(4, 3, 2))
    h, tape = cell.forward(x)
    dA = cell.backward(h, tape).params["A"]
    assert not np.tril(dA).any() and np.triu(dA, 1)[np.triu_indices(5, 1)].all()
    cell.params["A"] += np.tril(np.ones((5, 5)))
    np.testing.assert_array_equal(cell.forward(x)[0], h)


def test_a_unit_is_off_below_its_threshold_and_keeps_its_sign_above():
    cell = tr.ExpRNN(1, 4, rng=0)
    cell.params["A"][...] = 0
    cell.params["b"][...] = -0.5, -0.5, 0.25, 0.25
    h_0 = np.array([[0.4, -0.7, -0.1, 0.0]])
    h, tape = cell.forward(np.zeros((1, 1, 1)), (h_0,))
    np.testing.assert_allclose(h[0, 0], [0, -0.2, -0.35, 0], atol=1e-15)
    back = cell.backward(np.ones((1, 1, 4)), tape)
    assert back.state[0].tolist() == [[0, 1, 1, 0]] and back.params["b"].tolist() == [0, -1, -1, 0]


# reflections ----------------------------------------------------------------------------------------------------------


def product(U):
    """H(u_1) ... H(u_k), written out."""
    W = np.eye(len(U))
    for u in np.tril(U).T:
        W = W @ (np.eye(len(U)) - 2 * np.outer(u, u) / (u @ u))
    return W


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([1e-6, 1.0, 1e6]), seeds)
def test_two_thin_matrices_make_the_product_of_reflections(n, k, scale, seed):
    k = min(k, n)
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(n, k)) * scale ** rng.uniform(-1, 1, k)
    Y, Z = reflections(U)
    assert Y.shape == (n, k) and Z.shape == (k, n)
    np.testing.assert_allclose(np.eye(n) - Y @ Z, product(U), atol=1e-12)


def test_equal_reflections_cancel_and_do_no_harm():
    u = np.r_[0, 0, np.random.default_rng(0).normal(size=4)]
    Y, Z = reflections(np.stack([u, u, u], axis=1) * [1, -2, 3])
    np.testing.assert_allclose(np.eye(6) - Y @ Z, np.eye(6) - 2 * np.outer(u, u) / (u @ u), atol=1e-14)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), seeds)
def test_any_product_of_k_reflections_can_be_written_with_zeros_above_the_diagonal(n, k, seed):
    k = min(k, n)
    rng = np.random.default_rng(seed)
    W = np.eye(n)
    for u in rng.normal(size=(k, n)):
        W = W - 2 * np.outer(W @ u, u) / (u @ u)
    columns, left = [], W
    for j in range(k):  # u_j takes what is left of W e_j to e_j
        columns.append(left[:, j] - np.eye(n)[j])
        left = left - 2 * np.outer(columns[-1], columns[-1] @ left) / (columns[-1] @ columns[-1])
    U = np.stack(columns, axis=1)
    assert abs(np.triu(U, 1)).max(initial=0) < 1e-6
    Y, Z = reflections(U)
    np.testing.assert_allclose(np.eye(n) - Y @ Z, W, atol=1e-6)


def test_gradients_of_the_reflections_agree_with_numerical_ones():
    rng = np.random.default_rng(0)
    U, dY, dZ = rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), rng.normal(size=(3, 5))

    def loss(U):
        Y, Z = reflections(U)
        return (Y * dY).sum() + (Z * dZ).sum()

    got = reflections_backward(*reflections(U), dY, dZ)
    np.testing.assert_allclose(got, complex_step(loss, U), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(got, central_differences(loss, U), rtol=1e-6, atol=1e-7)


def test_a_linear_householder_rnn_applies_its_reflections_and_keeps_norms():
    cell = tr.HouseholderRNN(2, 6, reflections=3, slope=1, rng=0)
    W = transition(cell)
    np.testing.assert_allclose(W, product(cell.params["U"]), atol=1e-14)
    assert np.linalg.det(W) == pytest.approx(-1)
    h_0, dh_T = np.random.default_rng(1).normal(size=(2, 3, 6))
    _, tape = cell.forward(np.zeros((1000, 3, 2)), (h_0,))
    back = cell.backward(None, tape, (dh_T,))
    np.testing.assert_allclose(np.linalg.norm(tape.state[0], axis=1), np.linalg.norm(h_0, axis=1), rtol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(back.state[0], axis=1), np.linalg.norm(dh_T, axis=1), rtol=1e-11)


# the spectral RNN -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("g", [-1e3, -2.0, 0.0, 0.7, 1e3])
def test_the_spectral_rnn_has_the_singular_values_it_says_and_none_outside_its_band(g):
    cell = tr.SpectralRNN(2, 6, reflections=2, r=0.2, activation="identity", rng=0)
    cell.params["g"][...] = np.linspace(g - 0.5, g + 0.5, 6)
    W = transition(cell)
    with np.errstate(over="ignore"):  # in the textbook sigmoid
        wanted = 1 + 2 * 0.2 * (1 / (1 + np.exp(-cell.params["g"])) - 0.5)
    values = np.linalg.svd(W, compute_uv=False)
    np.testing.assert_allclose(values[::-1], wanted, rtol=1e-13)
    assert (values > 0.8 - 1e-12).all() and (values < 1.2 + 1e-12).all()
    U, V = product(cell.params["U"]), product(cell.params["V"])
    np.testing.assert_allclose(W, U @ np.diag(wanted) @ V.T, atol=1e-13)


def test_the_spectral_rnn_starts_orthogonal():
    cell = tr.SpectralRNN(2, 8, activation="identity", rng=0)
    assert cell.params["U"].shape == (8, 2)
    assert distance_from_orthogonal(transition(cell)) < 1e-14


# training leaves them what they are -----------------------------------------------------------------------------------


def trained(cell, steps=1000):
    """The cell after Adam steps towards a random target that is drawn anew each time."""
    rng, optimiser = np.random.default_rng(0), tr.optimisers.Adam(lr=1e-2)
    for _ in range(steps):
        x, target = rng.normal(size=(4, 3, cell.input_size)), rng.normal(size=(4, 3, cell.hidden_size))
        h, tape = cell.forward(x)
        optimiser.step(cell.params, cell.backward(h - target, tape).params)
    return cell


def orthogonal_parts(cell):
    p = cell.derive(cell.params)
    if isinstance(cell, tr.ExpRNN):
        return [p.W]
    pairs = [(p.Y, p.Z)] if isinstance(cell, tr.HouseholderRNN) else [(p.Y_U, p.Z_U), (p.Y_V, p.Z_V)]
    return [np.eye(cell.hidden_size) - Y @ Z for Y, Z in pairs]


LONGER = [pytest.param(cls, marks=pytest.mark.slow) for cls in (tr.HouseholderRNN, tr.SpectralRNN)]


@pytest.mark.parametrize("make", [tr.ExpRNN, *LONGER], ids=lambda cls: cls.__name__)
def test_a_thousand_training_steps_leave_the_transition_orthogonal(make):
    cell = make(2, 20, rng=0)
    before = orthogonal_parts(cell)
    after = orthogonal_parts(trained(cell))
    for old, new in zip(before, after, strict=True):
        assert abs(new - old).max() > 0.1  # or this would say nothing
        assert distance_from_orthogonal(new) < 1e-10


@pytest.mark.parametrize("units", [4, 5])
def test_the_eigenvalues_of_the_naive_orthogonal_cell_are_its_angles_in_conjugate_pairs(units):
    cell = tr.NaiveOrthogonalRNN(2, units, rng=0)
    W = orthogonal_parts(cell)[0]
    assert W.dtype == np.float64 and np.linalg.det(W) == pytest.approx(1)
    cell.params.theta += 0.3  # wherever training may take them
    W, theta = orthogonal_parts(cell)[0], cell.params.theta
    theta[:] = (theta + np.pi) % (2 * np.pi) - np.pi
    assert distance_from_orthogonal(W) < 1e-12
    wanted = np.sort(np.concatenate([theta, -theta, np.zeros(units % 2)]))
    np.testing.assert_allclose(np.sort(np.angle(np.linalg.eigvals(W))), wanted, atol=1e-12)


@pytest.mark.slow
def test_a_thousand_training_steps_leave_the_singular_values_in_their_band():
    cell = trained(tr.SpectralRNN(2, 20, r=0.05, activation="identity", rng=0))
    values = np.linalg.svd(transition(cell), compute_uv=False)
    assert 0.95 - 1e-10 < values.min() < 0.97 and values.max() < 1.05 + 1e-10


# the multiplicative RNN -----------------------------------------------------------------------------------------------


def test_each_symbol_has_a_transition_of_its_own():
    cell = tr.MultiplicativeRNN(3, 4, factors=5, rng=0)
    p = cell.params
    h_0 = np.random.default_rng(1).normal(size=(1, 4))
    for symbol in range(3):
        W = p["W_fh"] @ np.diag(p["W_fx"][symbol]) @ p["W_hf"]
        h, _ = cell.forward(np.array([[symbol]]), (h_0,))
        np.testing.assert_allclose(h[0], np.tanh(h_0 @ W + p["W_hx"][symbol] + p["b"]), atol=1e-15)


@pytest.mark.few(1)
@pytest.mark.parametrize("factors", [1, 7])
def test_factors_may_be_fewer_or_more_than_units(factors):
    report = tr.gradcheck(tr.MultiplicativeRNN(3, 4, factors=factors, rng=0))
    assert report.ok, report


# the SCRN -------------------------------------------------------------------------------------------------------------


def test_the_context_is_a_running_mean_of_the_input_and_the_output_holds_both_parts():
    cell = tr.SCRN(2, 5, context_size=3, alpha=0.9, rng=0)
    x = np.tile(np.random.default_rng(1).normal(size=(1, 2, 2)), (30, 1, 1))
    hs, tape = cell.forward(x)
    assert hs.shape == (30, 2, 8) and cell.output_size == 8
    np.testing.assert_array_equal(hs, np.concatenate([tape["h"], tape["s"]], axis=-1))
    decay = 0.9 ** np.arange(1, 31)
    np.testing.assert_allclose(tape["s"], (1 - decay)[:, None, None] * (x @ cell.params["B"]), atol=1e-14)


def test_a_learned_alpha_starts_at_the_fixed_one_and_has_the_right_gradient():
    fixed, learned = tr.SCRN(2, 5, alpha=0.8, rng=0), tr.SCRN(2, 5, alpha=0.8, learn_alpha=True, rng=0)
    assert learned.params["beta"].shape == (3,)
    x = np.random.default_rng(1).normal(size=(6, 3, 2))
    np.testing.assert_allclose(learned.forward(x)[0], fixed.forward(x)[0], atol=1e-15)
    report = tr.gradcheck(learned)
    assert report.ok, report
    lines = tr.lines(learned)
    assert lines.ok and lines.unjudged == [], lines


def test_what_an_input_leaves_in_the_context_fades_by_alpha_a_step():
    x = np.zeros((51, 1, 1))
    x[0] = 1
    for alpha in 0.5, 0.95:
        cell = tr.SCRN(1, 3, context_size=1, alpha=alpha, rng=0)
        s = cell.forward(x)[1]["s"]
        assert s[50, 0, 0] == pytest.approx((1 - alpha) * cell.params["B"][0, 0] * alpha**50)


# what is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cls, options, message",
    [
        (tr.ExpRNN, {"transition": "haar"}, "transition must be one of henaff, cayley, got 'haar'"),
        (tr.HouseholderRNN, {"reflections": 0}, "reflections must be an integer from 1 to hidden_size = 4, got 0"),
        (tr.HouseholderRNN, {"reflections": 5}, "reflections must be an integer from 1 to hidden_size = 4, got 5"),
        (tr.HouseholderRNN, {"slope": -0.1}, r"slope must be in \[0, 1\], got -0.1"),
        (tr.SpectralRNN, {"r": 0}, "r must be between 0 and 1, got 0"),
        (tr.SpectralRNN, {"activation": "sine"}, "unknown activation 'sine'"),
        (tr.MultiplicativeRNN, {"factors": 0}, "factors must be a positive integer, got 0"),
        (tr.SCRN, {"alpha": 1}, "alpha must be between 0 and 1, got 1"),
        (tr.SCRN, {"context_size": 2.5}, "context_size must be a positive integer, got 2.5"),
    ],
)
def test_options_that_cannot_be_are_refused_in_one_line(cls, options, message):
    with pytest.raises(ValueError, match=message) as error:
        cls(2, 4, **options)
    assert "\n" not in str(error.value)

"""The carried gradient under h-detach: against the recursion written out, powers of matrices, what was published."""

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.analysis.detaching import carried


def ortho(seed, n=64):
    """LMN-ortho without biases: W_mm orthogonal, the other weights Xavier normal, gain 0.9."""
    cell = tr.initialise(tr.LMN(1, n, rng=seed), "ortho", rng=seed)
    cell.params.b_h[...] = cell.params.b_m[...] = 0
    return cell


@pytest.mark.parametrize("probability", [0.0, 0.4, 1.0])
def test_it_is_the_recursion_of_the_linear_memory_network_with_a_term_left_out(probability):
    cell, rng = ortho(0, 6), np.random.default_rng(1)
    cell.params.b_h[...] = rng.normal(size=6)
    T, x, d = 15, rng.normal(size=(15, 3, 1)), rng.normal(size=(3, 6))
    found = carried(cell, x, probability, rng=7, dstate=(d,))
    detached = np.random.default_rng(7).random(T) < probability
    h, mu, wanted = cell.forward(x)[1]["h"], d, [d]
    for t in reversed(range(T)):
        da = (1 - h[t] ** 2) * (mu @ cell.params.W_hm.T)
        mu = mu @ cell.params.W_mm.T + (0 if detached[t] else da @ cell.params.W_mh.T)
        wanted.append(mu)
    np.testing.assert_allclose(found, np.linalg.norm(wanted[::-1], axis=-1), rtol=1e-12)


@pytest.mark.slow
def test_in_784_steps_it_grows_some_thousandfold_at_p_0_and_keeps_its_length_at_p_1():
    """9.4e3 and 1.000 in one draw of the source's numbers: the first hangs on the draw, the second does not."""
    ratios = []
    for seed in range(4):
        x = np.random.default_rng(seed + 50).normal(size=(784, 3, 1))
        each = [carried(ortho(seed), x, p, rng=seed) for p in (0.0, 0.25, 0.5, 1.0)]
        ratios.append([np.exp(np.log(norms[0] / norms[-1]).mean()) for norms in each])
    full, quarter, half, cut = np.array(ratios).T
    np.testing.assert_allclose(cut, 1, atol=1e-11)
    assert (cut < half).all() and (half < quarter).all() and (quarter < full).all()
    assert (full > 1e3).all() and (full < 1e5).all()


def test_a_memory_that_reads_no_h_carries_powers_of_its_matrix_with_or_without_h_detach():
    x = np.random.default_rng(2).normal(size=(12, 20, 1)).cumsum(axis=0)
    autoencoder = tr.LinearAutoencoder.fit_moments(x, 5)
    cell = tr.initialise(tr.LMN(1, 5, rng=0), "laes", autoencoder=autoencoder)
    d = np.random.default_rng(3).normal(size=(20, 5))
    powers = [np.linalg.matrix_power(autoencoder.B, 12 - t) for t in range(13)]  # of the paper's B, for columns
    wanted = [np.linalg.norm(d @ B, axis=1) for B in powers]
    for p in (0.0, 0.5):
        np.testing.assert_allclose(carried(cell, x, p, rng=4, dstate=(d,)), wanted, rtol=1e-10)


def test_an_lstm_keeps_what_its_cell_carries_and_forgets_within_tens_of_steps():
    x = np.random.default_rng(5).random((100, 4, 1))
    cell = tr.initialise(tr.LSTM(1, 16, rng=0), "xavier-normal", rng=0)
    full, cut = carried(cell, x, rng=6), carried(cell, x, 1.0, rng=6)
    f = cell.forward(x)[1]["f"]
    assert (full[50] < 1e-5 * full[100]).all()
    # with every step detached, dc_{t-1} = f_t dc_t, and h has a gradient at the last step only
    most, least = (np.prod(end(f[:99], axis=-1), axis=0) for end in (np.max, np.min))
    assert (cut[0] < cut[99] * most).all() and (cut[0] > cut[99] * least).all()


def test_by_default_a_gradient_of_length_one_enters_at_the_final_output():
    layers = tr.Stack(tr.LSTM(2, 3, rng=0), tr.Bidirectional(tr.GRU(3, 2, rng=1), tr.GRU(3, 4, rng=2)))
    norms = carried(layers, np.random.default_rng(7).normal(size=(5, 6, 2)), rng=8)
    assert norms.shape == (6, 6) and np.isfinite(norms).all() and (norms > 0).all()
    single = carried(tr.LinearRNN(2, 3, rng=0), np.zeros((9, 4, 2)), rng=8)
    np.testing.assert_allclose(single, 1, rtol=1e-12)  # an orthogonal matrix, again and again


def test_a_students_cell_is_looked_at_as_ours():
    cell = ortho(1, 4)

    def step(p, x, state):
        h = np.tanh(x @ p["W_xh"] + p["b_h"] + state[0] @ p["W_mh"])
        return (h @ p["W_hm"] + state[0] @ p["W_mm"] + p["b_m"],), {"x": x, "m_prev": state[0], "hidden": h}

    def step_backward(p, cache, dstate):
        dm, h = dstate[0], cache["hidden"]
        da = (1 - h**2) * (dm @ p["W_hm"].T)
        d = {"W_xh": cache["x"].T @ da, "W_mh": cache["m_prev"].T @ da, "W_hm": h.T @ dm}
        d |= {"W_mm": cache["m_prev"].T @ dm, "b_h": da.sum(axis=0), "b_m": dm.sum(axis=0)}
        return da @ p["W_xh"].T, (dm @ p["W_mm"].T + da @ p["W_mh"].T,), d

    theirs = tr.StepCell(step, step_backward, params=cell.params, input_size=1, state_sizes={"m": 4})
    x = np.random.default_rng(9).normal(size=(8, 3, 1))
    np.testing.assert_allclose(carried(theirs, x, rng=2), carried(cell, x, rng=2), rtol=1e-12)


@pytest.mark.parametrize(
    ("cell", "probability", "message"),
    [(tr.LMN, 1.5, "probability must be from 0 to 1, got 1.5"), (tr.GRU, 0.5, "GRU: no h-detach for this cell")],
)
def test_what_cannot_be_detached_is_refused(cell, probability, message):
    with pytest.raises(ValueError, match=message):
        carried(cell(1, 3, rng=0), np.zeros((4, 2, 1)), probability, rng=0)

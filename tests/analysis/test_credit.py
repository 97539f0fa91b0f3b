"""The triangle of gradients: row by row against the complex step, added up against backpropagation; and horizons."""

import math

import numpy as np
import pytest
from contract import Case
from hypothesis import given, settings
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.analysis.credit import cumulative_horizon, directions, horizon, profile, triangle

H = 1e-20
T, B = 7, 3


def looked_at(case, T=T, B=B):
    """(network, x, upstream, initial state) with nothing at zero."""
    network, rng = case.network(), case.rng
    state = tuple(rng.normal(size=(B, n)) for n in network.state_sizes)
    return network, rng.normal(size=(T, B, network.input_size)), rng.normal(size=(T, B, network.output_size)), state


def model(at="every", loss="cross_entropy", **parts):
    layers = tr.Stack(tr.LSTM(3, 4, rng=0), tr.GRU(4, 5, rng=1))
    readout = tr.Readout(5, 6 if loss == "cross_entropy" else 1, rng=2)
    return tr.Model(layers, readout, at=at, loss=loss, **parts)


def numbers(*shape, classes=6):
    return np.random.default_rng(5).integers(0, classes, shape)


def inputs(*shape):
    return np.random.default_rng(6).normal(size=shape)


def unit_triangle(w, T):
    """The norms for h_t = w h_{t-1} and dL_t/dh_t = 1."""
    cell = tr.Elman(1, 1, activation="identity", rng=0)
    cell.params["W_h"][...] = w
    return triangle(cell, np.zeros((T, 1, 1)), upstream=np.ones((T, 1, 1))).norms


@pytest.mark.parametrize("name", ["elman", "lstm", "gru", "urnn", "lmn", "qrnn"])
def test_every_entry_is_the_derivative_of_one_steps_loss_by_one_steps_state(name):
    network, x, upstream, state = looked_at(Case(name), B=1)
    found = triangle(network, x, upstream=upstream, state=state, vectors=True).vectors
    ends = np.cumsum(network.state_sizes)[:-1]
    for k in range(T - 1):
        s = np.concatenate(network.forward(x[: k + 1], state)[1].state, axis=1)
        moved = s + 1j * H * np.eye(s.shape[1])
        h, _ = network.forward(np.repeat(x[k + 1 :], len(moved), axis=1), tuple(np.split(moved, ends, axis=1)))
        wanted = (h * upstream[k + 1 :]).sum(axis=-1).imag / H  # (T - 1 - k, n), of the losses after step k
        got = np.concatenate([d[k + 1 :, k, 0] for d in found.values()], axis=-1)
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-13)
    first, *rest = found.values()
    diagonal = np.arange(T)
    np.testing.assert_array_equal(first[diagonal, diagonal], upstream)
    assert all((d[diagonal, diagonal] == 0).all() for d in rest)


@pytest.mark.parametrize("case", [Case("lstm"), Case("scrn"), Case("gru", "stacked")], ids=str)
@pytest.mark.parametrize("memory", [1, 2**27])
def test_the_rows_add_up_to_what_backpropagation_through_time_gives(case, memory):
    network, x, upstream, state = looked_at(case)
    found = triangle(network, x, upstream=upstream, state=state, vectors=True, memory=memory)
    _, tape = network.forward(x, state)
    back = network.backward(upstream, tape, record=True)
    assert list(found.vectors) == list(back.states)
    for name, d in back.states.items():
        np.testing.assert_allclose(found.vectors[name].sum(axis=0), d, rtol=1e-11, atol=1e-13)


def test_no_loss_reaches_a_later_state():
    network, x, upstream, state = looked_at(Case("lstm"))
    norms = triangle(network, x, upstream=upstream, state=state).norms
    later = ~np.tri(T, dtype=bool)
    assert (norms[later] == 0).all() and (norms[~later] > 0).all()


def test_norms_are_those_of_the_vectors_and_of_the_parts_asked_for():
    network, x, upstream, _ = looked_at(Case("lstm"))
    both = triangle(network, x, upstream=upstream, vectors=True)
    squares = {name: (d**2).sum(axis=(2, 3)) for name, d in both.vectors.items()}
    np.testing.assert_allclose(both.norms**2, squares["h"] + squares["c"], rtol=1e-12)
    alone = triangle(network, x, upstream=upstream, parts=("c",), vectors=True)
    np.testing.assert_allclose(alone.norms**2, squares["c"], rtol=1e-12)
    assert list(alone.vectors) == ["c"]
    assert triangle(network, x, upstream=upstream).vectors is None


@pytest.mark.parametrize("embedding", [None, tr.Embedding(6, 3, rng=3)], ids=["floats", "embedded"])
def test_a_models_rows_add_up_to_the_gradient_of_its_loss(embedding):
    net, target = model(embedding=embedding), numbers(T, B)
    x = inputs(T, B, 3) if embedding is None else numbers(T, B)
    mask = np.ones((T, B), bool)
    mask[4:, 1] = False
    found = triangle(net, x, target, mask=mask, vectors=True)
    whole = net.gradients(x, target, mask, record=True)
    for name, d in whole.layers.states.items():
        np.testing.assert_allclose(found.vectors[name].sum(axis=0), d, rtol=1e-10, atol=1e-14)


def test_a_step_without_loss_has_no_row():
    cell, upstream = tr.GRU(2, 3, rng=0), np.ones((T, B, 3))
    upstream[[0, 4]] = 0
    found = triangle(cell, inputs(T, B, 2), upstream=upstream)
    assert np.flatnonzero(~found.counted).tolist() == [0, 4]
    assert np.flatnonzero(~found.norms.any(axis=1)).tolist() == [0, 4]


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
def test_a_model_that_answers_at_the_end_has_one_row_and_others_as_though_asked_earlier(loss):
    net = model(at="last", loss=loss)
    x, target = inputs(T, B, 3), numbers(B) if loss == "cross_entropy" else inputs(B, 1)
    real = triangle(net, x, target, vectors=True)
    assert np.flatnonzero(real.counted).tolist() == [T - 1] and not real.norms[:-1].any()
    for name, d in net.gradients(x, target, record=True).layers.states.items():
        np.testing.assert_allclose(real.vectors[name][-1], d, rtol=1e-12)
    supposed = triangle(net, x, target, at="every")
    np.testing.assert_allclose(supposed.norms[-1], real.norms[-1], rtol=1e-11)
    shorter = triangle(net, x[:4], target)
    np.testing.assert_allclose(supposed.norms[3, :4], shorter.norms[3], rtol=1e-11)


def test_progress_hears_of_every_row():
    done = []
    network, x, upstream, _ = looked_at(Case("elman"))
    triangle(network, x, upstream=upstream, memory=1, progress=done.append)
    assert done == [1] * T


def test_nothing_that_goes_in_is_modified():
    network, x, upstream, state = looked_at(Case("lstm"))
    before = [a.copy() for a in (x, upstream, *state)]
    triangle(network, x, upstream=upstream, state=state)
    for now, then in zip((x, upstream, *state), before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((tr.GRU(3, 4, rng=0), inputs(T, B, 3)), "a cell has no loss; give upstream"),
        ((tr.GRU(3, 4, rng=0), inputs(T, B, 3), numbers(T, B)), "a cell has no loss; give upstream"),
        ((model(), inputs(T, B, 3)), "has a loss of its own; give a target"),
    ],
    ids=["no upstream", "target for a cell", "no target"],
)
def test_what_the_losses_are_must_be_clear(arguments, message):
    with pytest.raises(ValueError, match=message):
        triangle(*arguments)


def test_wrong_choices_are_said_in_one_line():
    net, x, target = model(), inputs(T, B, 3), numbers(T, B)
    with pytest.raises(ValueError, match=r"no part 'c' of the state; there are 0\.h, 0\.c, 1\.h"):
        triangle(net, x, target, parts=("c",))
    with pytest.raises(ValueError, match="at must be"):
        triangle(net, x, target, at="last")
    both = tr.Bidirectional(tr.GRU(3, 4, rng=0), tr.GRU(3, 4, rng=1))
    with pytest.raises(ValueError, match="does not run forward in time"):
        triangle(both, x, upstream=np.ones((T, B, 8)))
    with pytest.raises(ValueError, match="does not run forward in time"):
        triangle(tr.Model(both, tr.Readout(8, 6, rng=0)), x, target)


def test_directions_are_unit_vectors_and_the_same_for_the_same_seed():
    d = directions(4, 3, 5, rng=1)
    np.testing.assert_allclose(np.linalg.norm(d, axis=-1), 1, rtol=1e-14)
    np.testing.assert_array_equal(d, directions(4, 3, 5, rng=1))
    assert (d != directions(4, 3, 5, rng=2)).all()


# how far back ------------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.floats(0.3, 0.95), st.sampled_from([-1, 1]), st.floats(0.05, 0.9))
def test_the_horizon_of_one_linear_unit_is_exact(size, sign, fraction):
    norms = unit_triangle(sign * size, 100)
    assert horizon(norms) == pytest.approx(1 / math.log(1 / size), rel=1e-9)
    assert horizon(norms, fraction) == pytest.approx(math.log(fraction) / math.log(size), rel=1e-9)


def test_a_unit_that_keeps_nine_tenths_remembers_nine_and_a_half_steps():
    assert horizon(unit_triangle(0.9, 50)) == pytest.approx(9.4912, rel=1e-5)


@given(st.floats(0.3, 1), st.floats(0.1, 1), st.integers(2, 60))
def test_the_cumulative_horizon_of_one_linear_unit_is_that_of_a_geometric_sum(w, share, steps):
    lag, powers = cumulative_horizon(unit_triangle(w, steps), share), w ** np.arange(steps)
    rounding = 1e-9 * powers.sum()
    assert powers[: lag + 1].sum() >= share * powers.sum() - rounding
    assert lag == 0 or powers[:lag].sum() < share * powers.sum() + rounding


def test_a_gradient_that_stays_has_no_horizon_and_its_ninety_percent_at_nine_tenths():
    norms = unit_triangle(1.0, 50)
    assert horizon(norms) == math.inf and cumulative_horizon(norms) == 44  # 45 of 50 lags
    assert horizon(unit_triangle(0.99, 50)) == math.inf  # it falls, but not within these steps


def test_a_gradient_that_dies_at_once_has_horizon_zero():
    assert horizon(unit_triangle(0.0, 5)) == 0 and cumulative_horizon(unit_triangle(0.0, 5)) == 0


def test_steps_without_loss_and_steps_with_much_of_it_do_not_pass_for_memory():
    norms = unit_triangle(0.5, 6)
    weighted = norms * np.array([[0], [1], [100], [0], [0.01], [3]])
    np.testing.assert_allclose(profile(weighted), 0.5 ** np.arange(6), rtol=1e-12)
    assert horizon(weighted) == pytest.approx(1 / math.log(2))


def test_lags_that_no_loss_reaches_are_not_a_number():
    norms = unit_triangle(0.5, 4)
    norms[2:] = 0
    np.testing.assert_allclose(profile(norms), [1, 0.5, math.nan, math.nan])
    assert math.isnan(horizon(np.zeros((3, 3)))) and cumulative_horizon(np.zeros((3, 3))) is None


@pytest.mark.parametrize("value", [0, 1, -1, 1.5, math.nan])
def test_a_fraction_must_lie_between_nothing_and_all(value):
    with pytest.raises(ValueError, match="fraction must lie between 0 and 1"):
        horizon(np.eye(3), value)
    if value != 1:
        with pytest.raises(ValueError, match="share must lie in"):
            cumulative_horizon(np.eye(3), value)

"""What stands around every cell: the tape, early stop, truncation, clipping, the 1/T normalisation, and error messages.

That all of it is right for every cell is the contract suite's business; here are the sizes and values it cannot choose.
"""

from unittest import mock

import numpy as np
import pytest
from contract import Case, assert_same, run, windows

import tinyrnn as tr
from tinyrnn.core import engine


def steps_taken(cell, probe, **options):
    """`run`, and how many steps back it went."""
    with mock.patch.object(cell, "step_backward", wraps=cell.step_backward) as step_backward:
        return run(cell, probe, **options), step_backward.call_count


def forgetful(T, B, dtype="float64", **options):
    """A cell whose gradient shrinks about a thousandfold a step, and a probe with upstream at the end alone."""
    case = Case("elman", T=T, B=B)
    cell = case.network(dtype=dtype, **options)
    cell.params["W_h"] *= 1e-3
    probe = case.probe(cell)
    return cell, probe._replace(dh=None)


# early stop -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("learn_state", [False, True])
def test_backward_stops_when_the_carried_gradient_has_underflowed(dtype, learn_state):
    cell, probe = forgetful(T=400, B=130, dtype=dtype, learn_state=learn_state)
    probe = probe._replace(state=None if learn_state else probe.state)
    early, steps = steps_taken(cell, probe, record=True)
    assert steps < 250  # 1e-308 takes about 100 steps, and the engine looks now and then
    with mock.patch.object(engine, "underflowed", return_value=False):
        complete, all_steps = steps_taken(cell, probe, record=True)
    assert all_steps == 400
    for name, value in complete.items():
        assert early[name].dtype == value.dtype == dtype and early[name].shape == value.shape
        assert abs(early[name] - value).max() <= np.finfo(dtype).tiny
        assert name.startswith("dstate") or name == "dh_0" or abs(value).max() > 1e-3
    assert not early["dx"][0].any() and not early["dstate[0]"].any()


def test_recorded_gradients_are_zero_where_the_backward_pass_stopped():
    cell, probe = forgetful(T=400, B=130)
    _, tape = cell.forward(probe.x, probe.state)
    recorded = cell.backward(None, tape, probe.dstate, record=True).states["h"]
    assert recorded.shape == (400, 130, 4)
    assert abs(recorded[-1]).max() > 0.1 and not recorded[0].any()


@pytest.mark.parametrize("t", [0, 1, 100, 250])
def test_backward_goes_on_while_there_is_upstream_left(t):
    cell, probe = forgetful(T=400, B=130)
    dh = np.zeros((400, 130, 4))
    dh[t, 7, 2] = 1.0
    got, steps = steps_taken(cell, probe._replace(dh=dh))
    assert steps >= 400 - t
    with mock.patch.object(engine, "underflowed", return_value=False):
        wanted = run(cell, probe._replace(dh=dh))
    assert abs(got["dx"][t, 7]).max() > 1e-3
    for name, value in wanted.items():
        assert abs(got[name] - value).max() <= np.finfo(float).tiny


def test_zero_upstream_is_no_reason_to_go_on():
    cell, probe = forgetful(T=400, B=130)
    dh = np.zeros((400, 130, 4))
    dh[-1] = 1.0
    assert steps_taken(cell, probe._replace(dh=dh))[1] < 250


def test_a_gradient_that_does_not_vanish_is_followed_to_the_beginning():
    cell = tr.LinearRNN(2, 4, rng=0)  # orthogonal: the norm stays
    x, dstate = np.ones((400, 130, 2)), (np.ones((130, 4)),)
    _, tape = cell.forward(x)
    back = cell.backward(None, tape, dstate)
    np.testing.assert_allclose(np.linalg.norm(back.state[0], axis=1), 2.0, rtol=1e-12)


def test_a_nan_upstream_does_not_pass_for_underflow():
    cell, probe = forgetful(T=400, B=130)
    result, steps = steps_taken(cell, probe._replace(dstate=(np.full((130, 4), np.nan),)))
    assert steps == 400 and np.isnan(result["dx"]).all()


# truncation, averaging, clipping --------------------------------------------------------------------------------------


@pytest.mark.parametrize("masked", [False, True], ids=["full", "masked"])
@pytest.mark.parametrize("k", [1, 7, 16, 39, 40, 1000])
def test_truncated_gradient_is_the_sum_over_windows_with_the_state_carried_on(k, masked):
    case = Case("lstm", T=40, B=130, masked=masked)  # more than one portion of steps
    cell = case.network()
    probe = case.probe(cell)
    assert_same(run(cell, probe, truncate=k), windows(cell, probe, k, carry=False), 1e-10)


def test_truncation_leaves_the_forward_pass_and_short_sequences_alone():
    case = Case("gru")
    cell = case.network()
    probe = case.probe(cell)
    assert_same(run(cell, probe, truncate=5), run(cell, probe))
    cut, full = run(cell, probe, truncate=2), run(cell, probe)
    assert np.array_equal(cut["h"], full["h"]) and abs(cut["dW_h"] - full["dW_h"]).max() > 1e-3


def test_averaging_divides_hidden_gradients_by_the_number_of_steps():
    cell = tr.Elman(2, 3, activation="identity", rng=0)
    x, dh = np.ones((4, 1, 2)), np.ones((4, 1, 3))
    _, tape = cell.forward(x)
    total, average = (cell.backward(dh, tape, average=a, record=True) for a in (False, True))
    np.testing.assert_allclose(average.states["h"], total.states["h"] / 4, rtol=1e-14)
    np.testing.assert_allclose(average.params["W_h"], total.params["W_h"] / 4, rtol=1e-14)


def test_clipping_rescales_activations_that_are_longer_than_the_limit():
    cell = tr.Elman(2, 2, activation="identity", clip_state=1.0, rng=0)
    cell.params["W_x"][...] = np.eye(2)
    cell.params["W_h"][...] = np.eye(2)
    x = np.array([[[0.3, 0.4]], [[2.7, 3.6]], [[0.0, 0.0]]])  # norms 0.5; 0.5 + 4.5; what is left
    h, tape = cell.forward(x)
    np.testing.assert_allclose(h[:, 0], [[0.3, 0.4], [0.6, 0.8], [0.6, 0.8]], rtol=1e-15)
    np.testing.assert_allclose(tape.state[0], [[0.6, 0.8]], rtol=1e-15)
    # where clipped, only what is across h passes; dh = h is along
    back = cell.backward(None, tape, (np.array([[0.6, 0.8]]),))
    np.testing.assert_allclose(back.inputs[0], 0, atol=1e-15)


@pytest.mark.parametrize("limit", [1e-3, 1e6])
def test_clipping_to_a_tiny_or_huge_norm_is_finite_even_at_zero(limit):
    cell = tr.Elman(2, 3, clip_state=limit, rng=0)
    h, tape = cell.forward(np.zeros((3, 2, 2)))  # h = 0: nothing to divide by
    assert not h.any()
    assert np.isfinite(cell.backward(np.ones_like(h), tape).inputs).all()


# the tape -------------------------------------------------------------------------------------------------------------


def test_tape_holds_every_intermediate_under_its_name():
    case = Case("lstm")
    cell = case.network()
    probe = case.probe(cell)
    h, tape = cell.forward(probe.x, probe.state)
    assert len(tape) == 5
    assert set(tape.names) >= {"i", "f", "o", "g", "tanh_c", "h", "h_prev", "c", "c_prev", "x"}
    assert all(tape[name].shape[:2] == (5, 3) for name in tape.names)
    np.testing.assert_array_equal(tape["h"], h)
    np.testing.assert_array_equal(tape["h_prev"], [probe.state[0], *h[:-1]])
    np.testing.assert_array_equal(tape["c_prev"][1:], tape["c"][:-1])
    np.testing.assert_array_equal(tape["c"], tape["f"] * tape["c_prev"] + tape["i"] * tape["g"])
    np.testing.assert_array_equal(tape["h"], tape["o"] * tape["tanh_c"])
    np.testing.assert_array_equal(tape.state[0], h[-1])
    np.testing.assert_array_equal(tape.state[1], tape["c"][-1])


def test_the_h_on_the_tape_is_the_clipped_one_and_the_cells_own_is_not():
    cell = tr.Elman(2, 4, rng=0, clip_state=0.1)
    h, tape = cell.forward(np.random.default_rng(1).normal(size=(5, 3, 2)))
    np.testing.assert_array_equal(tape["h"], h)
    assert (np.linalg.norm(tape["h"], axis=-1) <= 0.1 + 1e-12).all()
    assert (np.linalg.norm(tape.asked(cell, "h"), axis=-1) > 0.1).any()
    np.testing.assert_allclose(tape.asked(cell, "h") * tape["clip_scale"], h)


def test_tape_says_which_names_there_are():
    _, tape = tr.GRU(2, 4, rng=0).forward(np.zeros((3, 1, 2)))
    assert "r" in tape and "f" not in tape
    with pytest.raises(KeyError, match=r"no 'f'; it has r, z, s, n"):
        tape["f"]


def test_tape_keeps_the_projection_only_where_a_cell_asks_for_it():
    x = np.zeros((3, 1, 2))
    assert "a" in tr.LinearRNN(2, 4, rng=0).forward(x)[1]
    assert "a" not in tr.LSTM(2, 4, rng=0).forward(x)[1]


def test_a_cell_that_asks_for_a_name_nobody_kept_is_told_so():
    class Wrong(tr.Elman):
        def step_backward(self, p, dh, *, gate):
            return dh * gate, (dh,)

    cell = Wrong(2, 4, rng=0)
    h, tape = cell.forward(np.zeros((3, 1, 2)))
    with pytest.raises(ValueError, match=r"Wrong asks the tape for 'gate'; it has .*h_prev"):
        cell.backward(h, tape)


# what may be left out, and what may be given --------------------------------------------------------------------------


def test_forward_alone_is_enough_for_inference():
    cell = tr.LSTM(2, 4, rng=0)
    x = np.random.default_rng(0).normal(size=(5, 3, 2))
    h, tape = cell.forward(x)
    stepwise, state = [], None
    for x_t in x:
        h_t, step_tape = cell.forward(x_t[None], state)
        stepwise.append(h_t[0])
        state = step_tape.state
    np.testing.assert_allclose(stepwise, h, rtol=1e-13)
    np.testing.assert_allclose(state, tape.state, rtol=1e-13)


def test_missing_upstream_counts_as_zero():
    case = Case("lstm")
    cell = case.network()
    probe = case.probe(cell)
    zero_dh, zeros = np.zeros_like(probe.dh), tuple(np.zeros_like(d) for d in probe.dstate)
    for given, wanted in [
        ({"dh": None}, {"dh": zero_dh}),
        ({"dstate": None}, {"dstate": zeros}),
        ({"dstate": (None, probe.dstate[1])}, {"dstate": (zeros[0], probe.dstate[1])}),
        ({"dstate": [probe.dstate[0], None]}, {"dstate": (probe.dstate[0], zeros[1])}),
    ]:
        assert_same(run(cell, probe._replace(**given)), run(cell, probe._replace(**wanted)))


def test_numbers_of_another_precision_are_brought_to_the_cells():
    cell = tr.LSTM(2, 4, rng=0, dtype="float32")
    x = np.random.default_rng(0).normal(size=(5, 3, 2))
    state = np.ones((3, 4)), np.ones((3, 4), "int64")
    h, tape = cell.forward(x, state)
    back = cell.backward(np.ones((5, 3, 4)), tape, (np.ones((3, 4), "float16"), None))
    arrays = [h, *tape.state, back.inputs, *back.state, *back.params.values()]
    assert {a.dtype for a in arrays} == {np.dtype("float32")}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_class_numbers_may_be_integers_of_any_kind(dtype):
    cell = tr.GRU(3, 4, rng=0)
    classes = np.array([[0, 2], [1, 1]], dtype)
    h, tape = cell.forward(classes)
    np.testing.assert_allclose(h, cell.forward(np.eye(3)[classes])[0], rtol=1e-14)
    assert cell.backward(h, tape).inputs is None


# error messages -------------------------------------------------------------------------------------------------------

X, H = np.zeros((5, 3, 2)), np.zeros((5, 3, 4))
S = np.zeros((3, 4))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": X[0]}, r"LSTM: x must have shape \(T, B, 2\), time first, got \(3, 2\)"),
        ({"x": np.zeros((5, 3, 7))}, r"LSTM: x must have shape \(T, B, 2\), time first, got \(5, 3, 7\)"),
        ({"x": X[:0]}, r"LSTM: x must have shape \(T, B, 2\), time first, got \(0, 3, 2\)"),
        ({"x": X[:, :0]}, r"LSTM: x must have shape \(T, B, 2\), time first, got \(5, 0, 2\)"),
        (
            {"x": np.zeros((5, 3, 7), int)},
            r"LSTM: class numbers must have shape \(T, B\), and features \(T, B, 2\), got int64 \(5, 3, 7\)",
        ),
        ({"x": np.full((5, 3), 2)}, r"LSTM: class numbers must lie in 0..1, got 2..2"),
        ({"x": np.array([[0], [-1]])}, r"LSTM: class numbers must lie in 0..1, got -1..0"),
        ({"state": S}, r"LSTM: state must be a tuple of 2 arrays \(h, c\), got shape \(3, 4\)"),
        ({"state": (S,)}, r"LSTM: state must be a tuple of 2 arrays \(h, c\), got tuple"),
        ({"state": (S, S[:1])}, r"LSTM: initial c must have shape \(3, 4\), got shape \(1, 4\)"),
        ({"state": (S[:, :3], S)}, r"LSTM: initial h must have shape \(3, 4\), got shape \(3, 3\)"),
        ({"state": (S, None)}, r"LSTM: initial c must have shape \(3, 4\), got NoneType"),
        ({"mask": np.ones((3, 5), bool)}, r"LSTM: mask must be booleans \(5, 3\), got bool \(3, 5\)"),
        ({"mask": np.ones((5, 3))}, r"LSTM: mask must be booleans \(5, 3\), got float64 \(5, 3\)"),
        ({"mask": np.ones((5, 3, 1), bool)}, r"LSTM: mask must be booleans \(5, 3\), got bool \(5, 3, 1\)"),
    ],
)
def test_wrong_arguments_forward_are_explained_in_one_line(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        tr.LSTM(2, 4, rng=0).forward(**{"x": X, **arguments})


@pytest.mark.parametrize("arguments", [{"x": X.tolist()}, {"mask": np.ones((5, 3), bool).tolist()}])
def test_lists_are_refused(arguments):
    with pytest.raises((TypeError, ValueError), match="list"):
        tr.LSTM(2, 4, rng=0).forward(**{"x": X, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dh": None}, r"LSTM.backward: give dh, dstate or both; there is nothing to propagate"),
        ({"dh": H[0]}, r"LSTM.backward: dh must have shape \(5, 3, 4\), got shape \(3, 4\)"),
        ({"dh": H[:, :1]}, r"LSTM.backward: dh must have shape \(5, 3, 4\), got shape \(5, 1, 4\)"),
        ({"dh": 1.0}, r"LSTM.backward: dh must have shape \(5, 3, 4\), got float"),
        ({"dstate": S}, r"LSTM.backward: dstate must be a tuple of 2 arrays, got shape \(3, 4\)"),
        ({"dstate": (S, S, S)}, r"LSTM.backward: dstate must be a tuple of 2 arrays, got tuple"),
        ({"dstate": (S, S[0])}, r"LSTM.backward: dstate must have shape \(3, 4\), got shape \(4,\)"),
        ({"truncate": 0}, r"truncate must be at least 1 step, got 0"),
    ],
)
def test_wrong_arguments_backward_are_explained_in_one_line(arguments, message):
    cell = tr.LSTM(2, 4, rng=0)
    _, tape = cell.forward(X)
    with pytest.raises(ValueError, match=f"^{message}$"):
        cell.backward(**{"dh": H, "tape": tape, **arguments})

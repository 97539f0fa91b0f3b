"""A student's cell in the simple contract is a cell like every other, and its mistakes are explained."""

from dataclasses import dataclass

import numpy as np
import pytest
from checks import CHECKS
from contract import BUILDS, Case, assert_same, run

import tinyrnn as tr

# what a student hands in ----------------------------------------------------------------------------------------------


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def lstm_step(params, x, state):
    h, c = state
    a = np.split(x @ params["W_x"] + h @ params["W_h"] + params["b"], 4, axis=1)
    i, f, o, g = sigmoid(a[0]), sigmoid(a[1]), sigmoid(a[2]), np.tanh(a[3])
    c_next = f * c + i * g
    return (o * np.tanh(c_next), c_next), {"x": x, "h": h, "c": c, "i": i, "f": f, "o": o, "g": g, "new": c_next}


def lstm_step_backward(params, cache, dstate):
    x, h, c, i, f, o, g, c_next = (cache[name] for name in ("x", "h", "c", "i", "f", "o", "g", "new"))
    dh, dc = dstate
    dc = dc + dh * o * (1 - np.tanh(c_next) ** 2)
    do = dh * np.tanh(c_next)
    parts = [dc * g * i * (1 - i), dc * c * f * (1 - f), do * o * (1 - o), dc * i * (1 - g**2)]
    da = np.concatenate(parts, axis=1)
    dparams = {"b": da.sum(axis=0), "W_h": h.T @ da, "W_x": x.T @ da}  # in an order of its own
    return da @ params["W_x"].T, (da @ params["W_h"].T, dc * f), dparams


def rnn_step(params, x, state):
    h = np.tanh(x @ params["W_x"] + state[0] @ params["W_h"])
    return (h,), (x, state[0], h)  # the cache may be anything


def rnn_step_backward(params, cache, dstate):
    x, h_prev, h = cache
    da = dstate[0] * (1 - h**2)
    return da @ params["W_x"].T, (da @ params["W_h"].T,), {"W_x": x.T @ da, "W_h": h_prev.T @ da}


def student_lstm(input_size=2, hidden_size=4, rng=None, **options):
    own = tr.LSTM(input_size, hidden_size, rng=rng)
    params = {name: own.params[name] for name in ("W_x", "W_h", "b")}
    sizes = {"h": hidden_size, "c": hidden_size}
    return tr.StepCell(
        lstm_step, lstm_step_backward, params=params, input_size=input_size, state_sizes=sizes, **options
    )


def student_rnn(input_size=2, hidden_size=4, rng=None, step=rnn_step, step_backward=rnn_step_backward, **options):
    own = tr.Elman(input_size, hidden_size, rng=rng)
    params = {name: own.params[name] for name in ("W_x", "W_h")}
    return tr.StepCell(step, step_backward, params=params, input_size=input_size, state_sizes=hidden_size, **options)


# it works -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StudentCase(Case):
    def make_cell(self, input_size, rng, **options):
        make = {"student lstm": student_lstm, "student rnn": student_rnn}[self.cell]
        return make(input_size, self.hidden_size, rng, **options)


NUMPY_ONLY = {
    "the_standards_arrays_give_the_same_numbers",
    "class_numbers_equal_one_hot_rows",
    "masked_steps_leave_no_trace",
}


@pytest.mark.few(3)
@pytest.mark.parametrize("masked", [False, True], ids=["full", "masked"])
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("cell", ["student lstm", "student rnn"])
def test_a_students_cell_keeps_the_contract(cell, build, masked):
    case = StudentCase(cell, build, masked=masked)
    for name, check in CHECKS.items():  # but for what its plain NumPy code and its x @ W cannot know
        if check.applies(case) and name not in NUMPY_ONLY:
            check(case)


def test_a_students_lstm_computes_what_ours_does():
    ours, theirs = tr.LSTM(2, 4, rng=0), student_lstm(rng=0)
    probe = Case("lstm", masked=True).probe(ours)
    assert_same(run(theirs, probe), run(ours, probe), 1e-12)


def test_nan_at_masked_steps_does_no_harm():
    cell, case = student_lstm(rng=0), Case("lstm", masked=True)
    probe = case.probe(cell)
    x = np.where(probe.mask[..., None], probe.x, np.nan)
    assert_same(run(cell, probe._replace(x=x)), run(cell, probe))


def test_a_students_cell_can_be_trained():
    cell = student_lstm(rng=0)
    model = tr.Model(tr.Stack(cell, student_rnn(4, 3, rng=1)), tr.Readout(3, 1, rng=2), loss="squared_error", at="last")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 16, 2))
    target = x[0, :, :1]
    losses = []
    for _ in range(200):
        result = model.gradients(x, target)
        losses.append(result.loss)
        for name, d in result.params.items():
            model.params[name][...] -= 0.2 * d
    assert losses[-1] < 0.1 * losses[0]


def test_what_is_in_a_dict_of_the_cache_is_on_the_tape():
    cell = student_lstm(rng=0)
    _, tape = cell.forward(np.ones((5, 3, 2)))
    assert tape["f"].shape == (5, 3, 4)
    np.testing.assert_array_equal(tape["new"][-1], tape.state[1])


def test_a_cache_that_calls_the_old_state_h_does_not_hide_the_new_one():
    h, tape = student_lstm(rng=0).forward(np.ones((5, 3, 2)))
    np.testing.assert_array_equal(tape["h"], h)
    np.testing.assert_array_equal(tape["h_prev"][1:], h[:-1])


def test_a_cell_may_take_class_numbers():
    def step(params, x, state):
        return (state[0] + params["W"][x],), (x,)

    def step_backward(params, cache, dstate):
        (x,) = cache
        dW = np.zeros_like(params["W"])
        np.add.at(dW, x, dstate[0])
        return None, dstate, {"W": dW}

    cell = tr.StepCell(step, step_backward, params={"W": np.eye(3)}, input_size=3, state_sizes=3)
    h, tape = cell.forward(np.array([[0, 2], [2, 2]]))
    np.testing.assert_array_equal(h[-1], [[1, 0, 1], [0, 0, 2]])
    back = cell.backward(np.ones_like(h), tape)
    assert back.inputs is None
    np.testing.assert_array_equal(back.params["W"], [[2] * 3, [0] * 3, [4] * 3])


def test_the_students_parameters_are_copied():
    W = np.ones((4, 4))
    cell = tr.StepCell(
        rnn_step, rnn_step_backward, params={"W_x": np.ones((2, 4)), "W_h": W}, input_size=2, state_sizes=4
    )
    cell.params["W_h"][...] = 7
    assert (W == 1).all()


def test_a_cell_is_called_what_its_function_is_called():
    cell = student_rnn()
    assert cell.name == "rnn_step" and repr(cell) == "rnn_step(2 -> 4, float64)"
    assert cell.states == ("h",) and student_lstm().states == ("h", "c")


# it says what is wrong ------------------------------------------------------------------------------------------------


def forward_with(change):
    """rnn_step with its result changed."""

    def my_step(params, x, state):
        return change(*rnn_step(params, x, state))

    return student_rnn(step=my_step)


def backward_with(change):
    def my_step_backward(params, cache, dstate):
        return change(*rnn_step_backward(params, cache, dstate))

    return student_rnn(step_backward=my_step_backward)


@pytest.mark.parametrize(
    ("cell", "error", "message"),
    [
        (forward_with(lambda s, c: s[0]), TypeError, r"my_step must return \(state, cache\), got ndarray"),
        (forward_with(lambda s, c: (s, c, c)), TypeError, r"my_step must return \(state, cache\), got a tuple of 3"),
        (forward_with(lambda s, c: (s[0], c)), TypeError, r"my_step: state must be a tuple of 1 arrays, got ndarray"),
        (
            forward_with(lambda s, c: (s * 2, c)),
            TypeError,
            r"my_step: state must be a tuple of 1 arrays, got 2 of them",
        ),
        (forward_with(lambda s, c: ((1.0,), c)), TypeError, r"my_step: state\[0\] must be an array, got float"),
        (
            forward_with(lambda s, c: ((s[0].T,), c)),
            ValueError,
            r"my_step: state\[0\] must have shape \(3, 4\), got \(4, 3\)",
        ),
        (
            backward_with(lambda dx, ds, dp: (dx, ds)),
            TypeError,
            r"my_step_backward must return \(dx, dstate_prev, dparams\), got a tuple of 2",
        ),
        (
            backward_with(lambda dx, ds, dp: None),
            TypeError,
            r"my_step_backward must return \(dx, dstate_prev, dparams\), got NoneType",
        ),
        (
            backward_with(lambda dx, ds, dp: (dx, ds[0], dp)),
            TypeError,
            r"my_step_backward: dstate_prev must be a tuple of 1 arrays, got ndarray",
        ),
        (
            backward_with(lambda dx, ds, dp: (dx, (ds[0][:1],), dp)),
            ValueError,
            r"my_step_backward: dstate_prev\[0\] must have shape \(3, 4\), got \(1, 4\)",
        ),
        (
            backward_with(lambda dx, ds, dp: (dx.T, ds, dp)),
            ValueError,
            r"my_step_backward: dx must have shape \(3, 2\), got \(2, 3\)",
        ),
        (
            backward_with(lambda dx, ds, dp: (dx, ds, {"W_x": dp["W_x"]})),
            ValueError,
            r"my_step_backward: dparams must be a dict with W_x, W_h, got W_x",
        ),
        (
            backward_with(lambda dx, ds, dp: (dx, ds, tuple(dp.values()))),
            ValueError,
            r"my_step_backward: dparams must be a dict with W_x, W_h, got tuple",
        ),
        (
            backward_with(lambda dx, ds, dp: (dx, ds, {**dp, "W_x": dp["W_x"].T})),
            ValueError,
            r"my_step_backward: dparams\['W_x'\] must have shape \(2, 4\), got \(4, 2\)",
        ),
        (
            backward_with(lambda dx, ds, dp: (dx, ds, {**dp, "W_h": 0})),
            TypeError,
            r"my_step_backward: dparams\['W_h'\] must be an array, got int",
        ),
    ],
)
def test_wrong_results_are_explained_in_one_line(cell, error, message):
    with pytest.raises(error, match=f"^{message}$"):
        h, tape = cell.forward(np.ones((5, 3, 2)))
        cell.backward(h, tape)

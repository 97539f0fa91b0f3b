"""The gradient check where a forward pass has a kink, or is not fit for the complex step."""

import numpy as np
import pytest
from planted import check, edited, elman_backward, elman_step, student, wrong_at

import tinyrnn as tr

# kinks ----------------------------------------------------------------------------------------------------------------


def relu_student(slope_at_zero, db_factor=1):
    """h = relu(x W_x + b), with the slope at 0 that is given."""

    def step(p, x, state):
        a = x @ p["W_x"] + p["b"]
        h = np.maximum(a, 0)
        return (h,), (x, a)

    def step_backward(p, cache, dstate):
        x, a = cache
        da = dstate[0] * np.where(a == 0, slope_at_zero, a > 0)
        return da @ p["W_x"].T, (0 * dstate[0],), {"W_x": x.T @ da, "b": db_factor * da.sum(axis=0)}

    params = {"W_x": np.ones((1, 2)), "b": np.zeros(2)}
    return tr.StepCell(step, step_backward, params=params, input_size=1, state_sizes=2)


X_WITH_ZERO = np.array([1.0, 0.0, -2.0]).reshape(3, 1, 1)


@pytest.mark.parametrize("slope", [0.0, 0.3, 0.5, 1.0])
def test_a_kink_is_reported_as_a_kink_whatever_slope_between_was_chosen(slope):
    report = tr.gradcheck(relu_student(slope), x=X_WITH_ZERO, perturb=0)
    assert report.ok, f"\n{report}"
    verdicts = {(row.name, row.t): row.verdict for row in report.rows}
    assert verdicts["b", 1] == verdicts["b", None] == verdicts["inputs", 1] == "kink"
    assert {v for (_, t), v in verdicts.items() if t in (0, 2)} == {"ok"}
    assert "kink" in str(report)


@pytest.mark.parametrize("slope", [-0.2, 1.1, 17.0])
def test_a_slope_at_a_kink_that_is_outside_of_both_sides_is_wrong(slope):
    report = tr.gradcheck(relu_student(slope), x=X_WITH_ZERO, perturb=0)
    assert wrong_at(report, 1) >= {("b", None)}
    assert not wrong_at(report, 0)


def test_a_mistake_elsewhere_is_not_excused_by_a_kink():
    report = tr.gradcheck(relu_student(0.0, db_factor=2), x=X_WITH_ZERO, perturb=0)
    assert wrong_at(report, 0) == {("b", None)}


def kink_cells():
    """Each with an input and a state at which it sits on its kink in the middle of the sequence."""
    x = np.array([[1.0, 2.0], [0.0, 0.0], [-1.0, 0.5]])[:, None]
    yield tr.LinearRNN(2, 3, activation="relu", rng=0), x, None
    clipped = tr.Elman(2, 2, activation="identity", clip_state=5.0, rng=0)
    clipped.params.update(W_x=np.eye(2), W_h=np.zeros((2, 2)))
    yield clipped, np.array([[1.0, 2.0], [3.0, 4.0], [-5.0, 6.0]])[:, None], None
    unitary = tr.UnitaryRNN(1, 1, rng=0)
    unitary.params.update(V=np.array([[3.0, 4.0]]), b=np.array([-5.0]))
    yield unitary, np.array([1.0]).reshape(1, 1, 1), (np.zeros((1, 2)),)


@pytest.mark.parametrize("cell, x, state", list(kink_cells()), ids=["ReLU", "clipping", "modReLU"])
def test_our_cells_on_a_kink_are_not_called_wrong(cell, x, state):
    report = tr.gradcheck(cell, x=x, state=state, perturb=0)
    assert report.ok, f"\n{report}"
    assert any(row.verdict == "kink" for row in report.rows)


# forward passes that are not fit for the complex step -----------------------------------------------------------------

SIGN = 'np.sign(x @ p["W_x"] + h_prev @ p["W_h"] + p["b"])'
UNFIT = {
    "abs": (("np.tanh(", "np.abs("), ("(1 - h * h)", SIGN), "abs, max or a cast"),
    "a cast": (("h = np", "h = np.zeros(h_prev.shape); h[...] = np"), ("1 -", "1 -"), "ComplexWarning"),
    "real functions": (("np.tanh(", "np.arctan2(1, "), ("(1 - h * h)", "-np.sin(h) ** 2"), "TypeError"),
}


@pytest.mark.parametrize("forward, backward, reason", UNFIT.values(), ids=UNFIT)
def test_central_differences_judge_alone_where_the_complex_step_cannot(forward, backward, reason):
    step = edited(elman_step, forward)
    report = check(student(step, edited(elman_backward, backward)))
    assert report.ok, f"\n{report}"
    assert any(reason in note for note in report.notes)
    assert all(row.complex_error is None and row.error == row.central_error for row in report.rows)

    report = check(student(step, edited(elman_backward, backward, ("da.sum(axis=0)", "1.001 * da.sum(axis=0)"))))
    assert wrong_at(report, None) == {("b", None)}

"""Copy with a delimiter at any time, solved by a network whose input chooses the transition."""

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.analysis.multiplicative_copy import variable_copy_solution
from tinyrnn.tasks import Copy, VariableCopy

PAPER = {"codes": "blank-last", "delimiter_class": True}
TASKS = {
    "Henaff": VariableCopy(delay=60, length=5, **PAPER),
    "blanks first": VariableCopy(delay=60, length=4, symbols=3),
    "recall at the delimiter": VariableCopy(delay=60, length=5, recall="at"),
    "one symbol": VariableCopy(delay=20, length=1, symbols=2),
    "a fixed delay": Copy(delay=60, length=5),
}


@pytest.mark.parametrize("name", TASKS)
def test_every_output_is_right_whenever_the_delimiter_comes(name):
    task = TASKS[name]
    x, target = task.sample(0, 200)[:2]
    y, _ = variable_copy_solution(task).forward(x)
    assert np.array_equal(y.argmax(axis=-1), target)
    assert np.ptp((x == task.symbols + 1).argmax(axis=0)) > 0 or name == "a fixed delay"


def test_what_tanh_costs_grows_with_the_steps_and_the_square_of_the_scale():
    lost = {}
    for delay in (100, 400):
        task = Copy(delay=delay, length=1, symbols=2)
        x = task.sample(0, 1)[0]
        for scale in (1e-2, 1e-3):
            _, tape = variable_copy_solution(task, scale).forward(x)
            lost[delay, scale] = 1 - tape.layers["h"][-1].max() / scale
            assert lost[delay, scale] == pytest.approx((delay + 2) * scale**2 / 3, rel=0.05)


def test_its_gradients_are_right():
    assert tr.gradcheck(variable_copy_solution(VariableCopy(delay=4, length=2, symbols=2), 0.1)).ok


def test_what_it_cannot_solve_is_refused_in_a_line():
    with pytest.raises(ValueError, match="scale must be positive"):
        variable_copy_solution(VariableCopy(delay=5), 0)
    with pytest.raises(ValueError, match="delimiter that comes once"):
        variable_copy_solution(Copy(delay=5, delimiter="repeated"))

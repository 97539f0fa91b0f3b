"""What a function gives and is given in the wrong place or of the wrong kind: values that change places in a call, one
gradient twice in a list, a number for a gradient, a sum over everything, and the last of a row without a name."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(19)
STEP = """
    def run_forward(x, h, c, W, U):
        kept = []
        for t in range(len(x)):
            a = np.tanh(x[t] @ W + h @ U)
            c = 0.5 * c + a
            kept.append((x[t], h, a, c))
            h = np.sin(c)
        return h, (kept, W, U)

    def through(dh, dc, a, c, U):
        both = dc + dh * np.cos(c)
        da = both * (1 - a**2)
        dc_prev = 0.5 * both
        dh_prev = da @ U.T
        return dh_prev, dc_prev, da

    def step(dh, dc, saved, U):
        x, h, a, c = saved
        dh_prev, dc_prev, da = through(dh, dc, a, c, U)
        return dh_prev, dc_prev, x.T @ da, h.T @ da

    def run_backward(dout, cache):
        kept, W, U = cache
        dh, dc, dW, dU = dout, np.zeros_like(dout), np.zeros_like(W), np.zeros_like(U)
        for saved in reversed(kept):
            dh, dc, dW_t, dU_t = step(dh, dc, saved, U)
            dW += dW_t
            dU += dU_t
        return dh, dc, dW, dU
    """
LIST = """
    def run_forward(x, W, b, V, c):
        h = np.tanh(x @ W + b)
        return h @ V + c, (x, h, V)

    def run_backward(dy, cache):
        x, h, V = cache
        dV = h.T @ dy
        da = (dy @ V.T) * (1 - h**2)
        dW = x.T @ da
        db = da.sum(axis=0)
        dc = dy.sum(axis=0)
        grads = [dW, db, dV, dc]
        return grads
    """
NUMBER = """
    def run_forward(x):
        n = len(x)
        y = np.tanh(x) / n
        return y, (y, n)

    def run_backward(dy, cache):
        y, n = cache
        dx = dy * (1 - (n * y) ** 2) / n
        return dx
    """
SUMMED = """
    def run_forward(x, W, b):
        y = [np.tanh(x[t] @ W + b) for t in range(len(x))]
        return np.stack(y), (x, W, y)

    def step(d, x, y):
        da = d * (1 - y**2)
        dW = x.T @ da
        db = np.sum(da, axis=0)
        return dW, db

    def run_backward(dy, cache):
        x, W, y = cache
        dW, db = 0, 0
        for t in range(len(x)):
            dW_t, db_t = step(dy[t], x[t], y[t])
            dW = dW + dW_t
            db = db + db_t
        return dW, db
    """
BESIDE = """
    def run_forward(x, W, b, V):
        h = np.tanh(x @ W + b)
        return h @ V, (x, h, W, V)

    def run_backward(dy, cache):
        x, h, W, V = cache
        dV = h.T @ dy
        da = (dy @ V.T) * (1 - h**2)
        dW = x.T @ da
        db = da.sum(axis=0)
        grads = [dW, db, dV]
        return da @ W.T, grads
    """
TURN = """
    def run_forward(W, U, s, x):
        states = [s]
        for t in range(len(x)):
            states.append(np.tanh(x[t] @ W + states[-1] @ U))
        loss = 0.5 * np.sum(states[-1] ** 2)
        dW, dU, flow = np.zeros_like(W), np.zeros_like(U), states[-1]
        for t in reversed(range(len(x))):
            a = flow * (1 - states[t + 1] ** 2)
            dW += x[t].T @ a
            dU += states[t].T @ a
            flow = a @ U.T
        rest = flow
        return loss, dW, dU, rest

    run_backward = None
    """
GIVEN = {
    STEP: {"x": (3, 2, 3), "h": (2, 4), "c": (2, 4), "W": (3, 4), "U": (4, 4)},
    LIST: {"x": (5, 3), "W": (3, 4), "b": (4,), "V": (4, 2), "c": (2,)},
    BESIDE: {"x": (5, 3), "W": (3, 4), "b": (4,), "V": (4, 2)},
    NUMBER: {"x": (5, 3)},
    SUMMED: {"x": (3, 5, 2), "W": (2, 4), "b": (4,)},
    TURN: {"W": (3, 4), "U": (4, 4), "s": (2, 4), "x": (3, 2, 3)},
}
GIVEN = {text: {name: R.normal(size=shape) for name, shape in shapes.items()} for text, shapes in GIVEN.items()}
GIVEN[TURN]["x"] = np.sign(GIVEN[TURN]["x"]).astype(int)


def accused(folder, text, right="", wrong=""):
    """(the report, the texts of the lines accused) with one line changed."""
    assert not right or text.count(right) == 1
    path = write(folder, text.replace(right, wrong) if right else text)
    with loaded(path) as module:
        passes = [one for one in (module.run_forward, module.run_backward) if one]
        report = tr.lines(*passes, inputs=GIVEN[text])
    lines = path.read_text(encoding="utf-8").splitlines()
    return report, {lines[row.line - 1].strip() for row in report.wrong}


@pytest.mark.few(3)
@pytest.mark.parametrize("text", GIVEN, ids=["step", "list", "beside", "number", "summed", "turn"])
def test_the_programs_are_right_as_they_are(tmp_path, text):
    report, lines = accused(tmp_path, text)
    assert report.ok and not lines, report


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("dh_prev, dc_prev, da = through(dh, dc, a, c, U)", "dh_prev, dc_prev, da = through(dc, dh, a, c, U)"),
        ("return dh_prev, dc_prev, da", "return dc_prev, dh_prev, da"),
        ("dh_prev, dc_prev, da = through(dh, dc, a, c, U)", "dc_prev, dh_prev, da = through(dh, dc, a, c, U)"),
        ("dh, dc, dW_t, dU_t = step(dh, dc, saved, U)", "dc, dh, dW_t, dU_t = step(dh, dc, saved, U)"),
    ],
    ids=["given", "returned", "taken", "taken in the loop"],
)
def test_values_that_change_places_are_accused_on_the_side_where_names_do_not_agree(tmp_path, right, wrong):
    report, lines = accused(tmp_path, STEP, right, wrong)
    assert lines == {wrong}, report


@pytest.mark.few(3)
@pytest.mark.parametrize("wrong", ["grads = [dW, db, dV, dV]", "grads = [dW, db, db, dc]"])
def test_one_gradient_twice_in_a_list_is_accused_where_the_list_is_made(tmp_path, wrong):
    report, lines = accused(tmp_path, LIST, "grads = [dW, db, dV, dc]", wrong)
    assert lines == {wrong}, report


def test_one_gradient_twice_in_a_list_beside_another_gradient_is_accused_where_the_list_is_made(tmp_path):
    wrong = "grads = [dW, db, db]"
    report, lines = accused(tmp_path, BESIDE, "grads = [dW, db, dV]", wrong)
    assert lines == {wrong}, report


def test_a_whole_number_returned_for_the_gradient_is_accused_where_it_is_returned(tmp_path):
    report, lines = accused(tmp_path, NUMBER, "return dx", "return n")
    assert lines == {"return n"}, report


@pytest.mark.few(3)
@pytest.mark.parametrize("wrong", ["db = np.sum(da)", "db = da.sum()"])
def test_a_sum_over_everything_is_accused_in_the_step_and_not_where_it_is_added_up(tmp_path, wrong):
    report, lines = accused(tmp_path, SUMMED, "db = np.sum(da, axis=0)", wrong)
    assert lines == {wrong}, report


def test_the_last_of_a_row_of_gradients_is_compared_by_its_turn(tmp_path):
    wrong = "rest = -flow"
    report, lines = accused(tmp_path, TURN, "rest = flow", wrong)
    assert lines == {wrong}, report

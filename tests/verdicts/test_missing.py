"""A statement that was left out is told at the line that sets its variable, with the statement put back in."""

from pathlib import Path

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(3)

STEPS = """
    def forward(x, h0, W, U):
        hs, h = [h0], h0
        for t in range(len(x)):
            h = np.tanh(x[t] @ W + h @ U)
            hs.append(h)
        return np.stack(hs[1:]), (x, hs, W, U)

    def step(dh, x, h, before, U):
        da = dh * (1 - h ** 2)
        return {"da": da, "before": da @ U.T, "W": x.T @ da, "U": before.T @ da}

    def backward(dout, cache):
        x, hs, W, U = cache
        dW, dU, dx = np.zeros_like(W), np.zeros_like(U), np.zeros_like(x)
        later = np.zeros_like(hs[0])
        for t in reversed(range(len(x))):
            found = step(dout[t] + later, x[t], hs[t + 1], hs[t], U)
            dW += found["W"]
            dU += found["U"]
            dx[t] = found["da"] @ W.T
            later = found["before"]
        return dx, later, dW, dU
"""
SOFTMAX = """
    def loss(scores, labels):
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p = p / p.sum(axis=1, keepdims=True)
        total = -np.log(p[np.arange(len(p)), labels]).mean()
        dscores = p.copy()
        dscores[np.arange(len(p)), labels] -= 1
        dscores /= p.shape[0]
        return total, dscores
"""
LISTS = """
    def forward(x, W, U):
        hs = [np.tanh(x[0] @ W)]
        for t in range(1, len(x)):
            hs.append(np.tanh(x[t] @ W + hs[t - 1] @ U))
        return np.stack(hs), (x, hs, W, U)

    def backward(dout, cache):
        x, hs, W, U = cache
        slopes = [1 - h ** 2 for h in hs]
        das = [dout[-1] * slopes[-1]]
        for t in range(len(x) - 2, -1, -1):
            das.insert(0, (dout[t] + das[0] @ U.T) * slopes[t])
        dW = sum(x[t].T @ da for t, da in enumerate(das))
        dU = sum(hs[t - 1].T @ das[t] for t in range(1, len(x)))
        dx = np.stack([da @ W.T for da in das])
        return dx, dW, dU
"""
FILLED = """
    def forward(x, h0, W, U):
        hs = np.zeros((len(x) + 1, *h0.shape))
        hs[0] = h0
        for t in range(len(x)):
            hs[t + 1] = 1.5 * np.tanh(x[t] @ W + hs[t] @ U)
        return hs[1:], (x, hs[1:], h0, W, U)

    def backward(dout, cache):
        x, hs, h0, W, U = cache
        dW, dU, dx, later = np.zeros_like(W), np.zeros_like(U), np.zeros_like(x), np.zeros_like(h0)
        before = np.zeros_like(hs)
        before[1:] = hs[:-1]
        before[0] = h0
        for t in reversed(range(len(x))):
            da = (dout[t] + later) * (1.5 - hs[t] ** 2 / 1.5)
            dW += x[t].T @ da
            dU += before[t].T @ da
            dx[t] = da @ W.T
            later = da @ U.T
        return dx, later, dW, dU
"""
STEPS_GIVEN = {"x": R.normal(size=(4, 3, 2)), "h0": R.normal(size=(3, 5))}
STEPS_GIVEN |= {"W": R.normal(size=(2, 5)), "U": R.normal(size=(5, 5))}
LISTS_GIVEN = {name: value for name, value in STEPS_GIVEN.items() if name != "h0"}
SCORES = {"scores": R.normal(size=(4, 3)), "labels": np.array([2, 0, 1, 1])}


def accused(folder, text, old, new, inputs, **options):
    """(the lines that are accused in a program with a mistake in it, the report)."""
    assert text.count(old) == 1
    with loaded(write(folder, text.replace(old, new))) as module:
        passes = (module.forward, module.backward) if hasattr(module, "forward") else (module.loss, None)
        report = tr.lines(*passes, inputs, **options)
        source = Path(module.__file__).read_text(encoding="utf-8").splitlines()
    return sorted({source[row.line - 1].strip() for row in report.wrong}), report


@pytest.mark.parametrize(
    ("text", "inputs"),
    [(STEPS, STEPS_GIVEN), (SOFTMAX, SCORES), (LISTS, LISTS_GIVEN), (FILLED, STEPS_GIVEN)],
    ids=["steps", "softmax", "lists", "filled"],
)
def test_the_programs_are_right_as_they_are(tmp_path, text, inputs):
    with loaded(write(tmp_path, text)) as module:
        passes = (module.forward, module.backward) if hasattr(module, "forward") else (module.loss, None)
        assert tr.lines(*passes, inputs).ok


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("text", "left_out", "inputs", "line", "put_back"),
    [
        (
            STEPS,
            '            later = found["before"]\n',
            STEPS_GIVEN,
            "later = np.zeros_like(hs[0])",
            "later = found['before']",
        ),
        (SOFTMAX, "        dscores[np.arange(len(p)), labels] -= 1\n", SCORES, "dscores = p.copy()", "labels] -= 1"),
        (SOFTMAX, "        dscores /= p.shape[0]\n", SCORES, "dscores[np.arange(len(p)), labels] -= 1", "dscores /= "),
        (FILLED, "        before[0] = h0\n", STEPS_GIVEN, "before[1:] = hs[:-1]", "before[0] = h0"),
    ],
    ids=["handed on", "the targets", "the mean", "the first place"],
)
def test_a_statement_that_was_left_out_is_told_where_its_variable_is_set(
    tmp_path, text, left_out, inputs, line, put_back
):
    lines, report = accused(tmp_path, text, left_out, "", inputs, remedies=True)
    assert lines == [line], report
    assert put_back in report.remedies[0].right


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("slopes = [1 - h ** 2 for h in hs]", "slopes = [1 - h for h in hs]"),
        ("(dout[t] + das[0] @ U.T) * slopes[t]", "dout[t] * slopes[t]"),
        ("[da @ W.T for da in das]", "[-da @ W.T for da in das]"),
    ],
    ids=["of a comprehension", "of a list that grows", "of what is stacked"],
)
def test_a_mistake_in_the_elements_of_a_list_is_told_there(tmp_path, old, new):
    lines, report = accused(tmp_path, LISTS, old, new, LISTS_GIVEN)
    assert len(lines) == 1 and new in lines[0], report


def test_gradients_that_are_returned_as_attributes_are_compared(tmp_path):
    text = """
        class Sums:
            pass

        def loss(x, W, U):
            h = np.tanh(x @ W)
            y, sums = h @ U, Sums()
            sums.U = h.T @ y
            sums.W = x.T @ (y @ U.T * (1 - h ** 2))
            grads = sums
            return np.sum(y ** 2) / 2, grads.W, grads.U
    """
    inputs = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "U": R.normal(size=(5, 2))}
    lines, report = accused(tmp_path, text, "sums.U = h.T @ y", "sums.U = -h.T @ y", inputs)
    assert lines == ["sums.U = -h.T @ y"], report
    _, report = accused(tmp_path, text, "x.T @ (y", "x.T @ (1.0 * y", inputs)
    assert report.ok, report


def test_gradients_behind_a_starred_list_are_compared_with_their_own(tmp_path):
    text = """
        def both(x, Ws, V):
            h = np.tanh(x @ Ws[0] + x @ Ws[1])
            y = h @ V
            da = y @ V.T * (1 - h ** 2)
            return h, y, [x.T @ da, x.T @ da], h.T @ y

        def loss(x, W, U, V):
            h, y, dWs, dV = both(x, [W, U], V)
            return np.sum(y ** 2) / 2, *dWs, dV
    """
    inputs = {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "U": R.normal(size=(3, 5))}
    inputs |= {"V": R.normal(size=(5, 5))}
    _, report = accused(tmp_path, text, "x @ Ws[1])", "x @ Ws[1] + 0)", inputs)
    assert report.ok, report


BOXES = """
    def loss(x, layers):
        kept = []
        for layer in layers:
            kept.append(x)
            x = np.tanh(x @ layer["W"] + layer["b"])
        total, grads, d = np.sum(x ** 2) / 2, [], x
        for layer, before in zip(layers[::-1], kept[::-1]):
            da = d * (1 - x ** 2)
            grads.insert(0, {"W": before.T @ da, "b": da.sum(axis=0)})
            d, x = da @ layer["W"].T, before
        return total, grads
"""


@pytest.mark.parametrize("wrong", ["", "da[0]"])
def test_gradients_in_boxes_made_as_those_of_the_weights_are_compared_with_these(tmp_path, wrong):
    layers = [{"W": R.normal(size=(3, 3)), "b": R.normal(size=3)} for _ in range(2)]
    inputs = {"x": R.normal(size=(4, 3)), "layers": layers}
    lines, report = accused(tmp_path, BOXES, "da.sum(axis=0)", wrong or "da.sum(axis=0)", inputs)
    assert not report.not_compared and report.ok == (not wrong), report
    assert len(lines) == bool(wrong) and all(wrong in line for line in lines)

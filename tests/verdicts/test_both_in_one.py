"""One function that computes loss and gradients, as people write it: what belongs to which pass is told by numbers."""

import linecache
import textwrap

import numpy as np
import pytest
from written_modules import written

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(3)
INPUTS = {"xs": R.normal(size=(3, 4)), "ys": np.array([0, 2, 1]), "h": R.normal(size=3)}
WEIGHTS = {"Wx": R.normal(size=(3, 4)), "Wh": R.normal(size=(3, 3)), "Wy": R.normal(size=(3, 3)), "b": R.normal(size=3)}
BOTH = """
    import numpy as np

    def loss_and_gradients(xs, ys, h, Wx, Wh, Wy, b):
        hs, ps, loss = {-1: h}, {}, 0.0
        for t in range(len(xs)):
            hs[t] = np.tanh(Wx @ xs[t] + Wh @ hs[t - 1] + b)
            scores = Wy @ hs[t]
            ps[t] = np.exp(scores) / np.sum(np.exp(scores))
            loss += -np.log(ps[t][ys[t]])
        dWx, dWh, dWy, db = np.zeros_like(Wx), np.zeros_like(Wh), np.zeros_like(Wy), np.zeros_like(b)
        carried = np.zeros_like(h)
        for t in reversed(range(len(xs))):
            error = np.copy(ps[t])
            error[ys[t]] -= 1
            dWy += np.outer(error, hs[t])
            into = Wy.T @ error + carried
            raw = (1 - hs[t] ** 2) * into
            dWx += np.outer(raw, xs[t])
            dWh += np.outer(raw, hs[t - 1])
            db += raw
            carried = Wh.T @ raw
        return loss, dWx, dWh, dWy, db
"""
NEGATIVE = [  # the same with what the loss falls by
    ("error = np.copy(ps[t])", "error = -ps[t]"),
    ("error[ys[t]] -= 1", "error[ys[t]] += 1"),
    ("return loss, dWx, dWh, dWy, db", "return loss, -dWx, -dWh, -dWy, -db"),
]
PENALTY = [  # behind the backward pass
    ("return loss, dWx, dWh, dWy, db", "return loss + 0.05 * np.sum(Wx**2), dWx + 0.1 * Wx, dWh, dWy, db"),
]
MISTAKES = [
    ("for t in reversed(range(len(xs))):", "for t in range(len(xs)):"),
    ("into = Wy.T @ error + carried", "into = Wy.T @ error"),
    ("dWh += np.outer(raw, hs[t - 1])", "dWh += np.outer(raw, hs[t])"),
    ("raw = (1 - hs[t] ** 2) * into", "raw = (1 - hs[t]) * into"),
    ("carried = Wh.T @ raw", "carried = Wh @ raw"),
]


def judged(folder, changes):
    """(the report, the texts of the lines that it accuses)."""
    source = textwrap.dedent(BOTH)
    for right, wrong in changes:
        assert source.count(right) == 1
        source = source.replace(right, wrong)
    path = folder / "both.py"
    path.write_text(source, encoding="utf-8")
    with loaded(path) as module:
        report = tr.lines(module.loss_and_gradients, None, INPUTS | WEIGHTS, jac=True)
    lines = source.splitlines()
    return report, {lines[row.line - 1].strip() for row in report.wrong}


@pytest.mark.few(1)
@pytest.mark.parametrize("mistake", [None, *MISTAKES])
@pytest.mark.parametrize("sign", [[], NEGATIVE, PENALTY], ids=["gradients", "negatives", "penalty"])
def test_the_line_of_the_backward_part_is_accused_whatever_sign_it_works_with(tmp_path, sign, mistake):
    report, accused = judged(tmp_path, [*sign, *([mistake] if mistake else [])])
    assert accused == ({mistake[1]} if mistake else set()), report
    assert report.ok == (mistake is None)


@pytest.mark.slow
def test_gradients_that_are_returned_with_the_other_sign_are_not_all_right(tmp_path):
    report, _ = judged(tmp_path, [NEGATIVE[2]])
    assert not report.ok


CALLED = """
    class Readout:
        def __init__(self):
            self.W = np.random.default_rng(0).normal(size=(3, 2))
        def __call__(self, x, y):
            e = np.exp(x @ self.W)
            p = e / e.sum(axis=1, keepdims=True)
            self.dy = p - y
            self.dW = x.T @ self.dy
            return -(y * np.log(p)).sum(), self.dW
        def loss_and_gradients(self, x, y):
            return self(x, y)
        def forward_backward(self, x, y):
            e = np.exp(x @ self.W)
            p = e / e.sum(axis=1, keepdims=True)
            self.dy = p - y
            self.dW = x.T @ self.dy
            return -(y * np.log(p)).sum(), self.dW
"""


@pytest.mark.few(1)
@pytest.mark.parametrize("method", ["loss_and_gradients", "forward_backward"])
@pytest.mark.parametrize("wrong", ["", "self.dW = x.T @ p"])
def test_a_loss_that_calls_its_object_or_has_the_names_of_both_passes_is_judged(tmp_path, method, wrong):
    source = CALLED.replace("self.dW = x.T @ self.dy", wrong) if wrong else CALLED
    with loaded(written(tmp_path, called=source)) as module:
        inputs = {"x": np.random.default_rng(1).normal(size=(4, 3)), "y": np.eye(2)[[0, 1, 1, 0]]}
        report = tr.lines(getattr(module.Readout(), method), inputs)
    texts = {linecache.getline(report.files[row.function], row.line).strip() for row in report.wrong}
    assert texts == ({wrong} if wrong else set()) and report.ok == (not wrong), report

"""Small edits of a line, tried to tell which of several lines that could be at fault it is."""

import ast

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.judge.judging import Judge
from tinyrnn.verdicts.repair.change import FORMULA, PIECE, TOKEN
from tinyrnn.verdicts.repair.edits import Edits
from tinyrnn.verdicts.repair.statements import headed
from tinyrnn.verdicts.subjects.functions import FunctionPair

UNDONE = [  # what a slip made of a statement, the statement, and the weight of the edit that undoes it
    ("da = dh * (1 - h)", "da = dh * (1 - h ** 2)", TOKEN),
    ("da = -dh * h", "da = dh * h", TOKEN),
    ("da = dh * (1 - h) ** 2", "da = dh * (1 - h ** 2)", TOKEN),
    ("dW = x @ da", "dW = x.T @ da", TOKEN),
    ("dW = da", "dW += da", TOKEN),
    ("dx = da @ U.T", "dx = da @ W.T", TOKEN),
    ("dh = hs[t]", "dh = hs[t - 1]", TOKEN),
    ("db = da.mean(axis=0)", "db = da.sum(axis=0)", TOKEN),
    ("n = x.shape[1]", "n = x.shape[0]", TOKEN),
    ("v = 1 / n * x", "v = 2 / n * x", TOKEN),
    ("a = np.hstack((i, f, g))", "a = np.hstack((f, i, g))", TOKEN),
    ("x = W.reshape(n, order='F')", "x = W.reshape(n, order='C')", TOKEN),
    ("dh[:] = da", "dh[-1] = da", TOKEN),
    ("x = W[:, [0]]", "x = W[:, [t]]", TOKEN),
    ("dh = hs[0]", "dh = hs[t + 1]", TOKEN),
    ("dh = da", "dh = da + dnext", PIECE),
    ("dc = dh", "dc = dh * f", PIECE),
    ("do = dh * c", "do = dh * np.tanh(c)", PIECE),
    ("df = dc * f", "df = dc * f * (1 - f)", FORMULA),
]


@pytest.mark.few(6)
@pytest.mark.parametrize("wrong, right, weight", UNDONE)
def test_an_edit_undoes_what_a_slip_did(wrong, right, weight):
    head = "def f(dh, da, dc, dnext, h, hs, c, f, g, i, U, W, x, n):\n  for t in range(n):\n"
    tree = ast.parse(f"{head}    {wrong}\n    np.tanh(W + dnext)\n  return U, f, hs[t]").body[0]
    made = {ast.unparse(headed(edit.made())) for edit in Edits(tree).of_line(3, weight)}
    assert ast.unparse(ast.parse(right)) in made


@pytest.mark.parametrize("wrong", ["range(T)", "reversed(range(T - 1))", "reversed(range(1, T))"])
def test_of_a_loop_its_header_alone_is_edited(wrong):
    tree = ast.parse(f"def f(T):\n    for t in {wrong}:\n        g = t * 2\n    return g").body[0]
    edits = [change.made() for change in Edits(tree).of_line(2, TOKEN)]
    assert "for t in reversed(range(T))" in {ast.unparse(headed(new)).split(":")[0] for new in edits} | {
        ast.unparse(headed(new)).split(":")[0].replace("T - 1 + 1", "T").replace("1 - 1, ", "") for new in edits
    }
    assert all(ast.unparse(new.body[0]) == "g = t * 2" for new in edits)


RNN = '''
    def rnn_forward(x, h0, W, U):
        """x (N, T, D), h0 (N, H), W (D, H), U (H, H)"""
        hs, h = [], h0
        for t in range(x.shape[1]):
            h = np.tanh(x[:, t] @ W + h @ U)
            hs.append(h)
        return np.stack(hs, 1), (x, h0, W, U, hs)
    def rnn_backward(dh, cache):
        x, h0, W, U, hs = cache
        dW, dU, dx, dnext = np.zeros_like(W), np.zeros_like(U), np.zeros_like(x), np.zeros_like(h0)
        for t in reversed(range(len(hs))):
            slope = 1 - hs[t] ** 2
            back = dh[:, t] + dnext
            da = back * slope
            dx[:, t] = da @ W.T
            dW += x[:, t].T @ da
            dU += (hs[t - 1] if t else h0).T @ da
            dnext = da @ U.T
        return dx, dnext, dW, dU
'''
NORM = '''
    def norm_forward(x):
        """x (N, D)"""
        mean = x.mean(axis=0)
        return x - mean, x
    def norm_backward(dy, cache):
        n = cache.shape[0]
        total = dy.sum(axis=0)
        return dy - total / n
'''


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "source, right, wrong",
    [
        (RNN, "reversed(range(len(hs)))", "range(len(hs))"),
        (RNN, "reversed(range(len(hs)))", "reversed(range(1, len(hs)))"),
        (RNN, "slope = 1 - hs[t] ** 2", "slope = 1 - hs[t]"),
        (RNN, "back = dh[:, t] + dnext", "back = dh[:, t]"),
        (NORM, "n = cache.shape[0]", "n = cache.shape[1]"),
    ],
)
def test_a_line_without_a_gradient_in_it_is_accused(tmp_path, source, right, wrong):
    path = write(tmp_path, source.replace(right, wrong))
    number = next(k for k, text in enumerate(path.read_text().splitlines(), 1) if wrong in text)
    with loaded(path) as module:
        (report,) = tr.lines(module)
    assert {row.line for row in report.wrong} == {number}, report


@pytest.mark.slow
def test_the_edit_that_was_found_is_told_by_why_and_leaves_the_program_as_it_was(tmp_path):
    with loaded(write(tmp_path, RNN.replace("1 - hs[t] ** 2", "1 - hs[t]"))) as module:
        rng = np.random.default_rng(0)
        shapes = {"x": (2, 3, 4), "h0": (2, 3), "W": (4, 3), "U": (3, 3)}
        inputs = {name: rng.normal(size=shape) for name, shape in shapes.items()}
        problem = FunctionPair(module.rnn_forward, module.rnn_backward, inputs)
        judge, program = Judge(problem, problem.truth()), problem.program()
        codes = [made.__code__ for made in program.rewritten()]
        verdict = judge.judge(program)
        (report,) = tr.lines(module)
    assert verdict.chosen.edit.after == "slope = 1 - hs[t] ** 2"
    assert codes == [made.__code__ for made in program.rewritten()]
    assert "all results are right with `slope = 1 - hs[t] ** 2`" in report.why()
    assert "slope = 1 - hs[t] ** 2" not in str(report)


def test_a_vector_from_above_is_given_as_the_row_that_the_backward_function_wants(tmp_path):
    source = '''
    def layer_forward(x, W):
        """x (D,), W (H, D)"""
        y = W @ x
        return y, (x, W)
    def layer_backward(dy, cache):
        x, W = cache
        dy = dy.T
        dW = dy @ x.reshape(1, -1)
        dx = W.T @ dy
        return dx.T, dW
    '''
    with loaded(write(tmp_path, source)) as module:
        assert tr.lines(module).ok
    with loaded(write(tmp_path, source.replace("dx = W.T @ dy", "dx = -W.T @ dy"))) as module:
        (report,) = tr.lines(module)
    assert [row.name for row in report.wrong] == ["dx"]


def accused(path):
    """The texts of the lines of a file that are accused."""
    with loaded(path) as module:
        (report,) = tr.lines(module)
    texts = path.read_text().splitlines()
    return {texts[row.line - 1].strip() for row in report.wrong}


CLIPPED = RNN.replace(
    "return dx, dnext", "for d in (dx, dW, dU):\n            np.clip(d, -1, 1, out=d)\n        return dx, dnext"
)


@pytest.mark.slow
def test_a_pass_that_clips_is_right_and_its_mistakes_are_found(tmp_path):
    assert not accused(write(tmp_path, CLIPPED))
    assert accused(write(tmp_path, CLIPPED.replace("back * slope", "back / slope"))) == {"da = back / slope"}


GATE = '''
    def gate_forward(c_prev, a):
        """c_prev (N, H), a (N, H)"""
        f = 1 / (1 + np.exp(-a))
        c = f * c_prev
        return c, (c_prev, f, c)
    def gate_backward(dc, cache):
        c_prev, f, c = cache
        df = dc * c
        return dc * f, df * f * (1 - f)
'''


def test_a_name_that_is_set_and_never_used_is_one_that_may_be_meant(tmp_path):
    with loaded(write(tmp_path, GATE)) as module:
        (report,) = tr.lines(module)
    assert [row.name for row in report.wrong] == ["df"]
    assert "all results are right with `df = dc * c_prev`" in report.why()


TRAINING = """
    def train_step(model, x, y):
        h = np.tanh(x @ model["W"])
        diff = h @ model["U"] - y
        loss = np.sum(diff**2) / 2
        da = (diff @ model["U"].T) * (1 - h**2)
        return {"W": x.T @ da, "U": h.T @ diff}, loss
"""


@pytest.mark.parametrize("slope, wrong", [("1 - h**2", set()), ("1 - h", {"da"})])
def test_a_loss_may_come_after_its_gradients(tmp_path, slope, wrong):
    r = np.random.default_rng(0).normal
    model = {"W": r(size=(3, 4)), "U": r(size=(4, 2))}
    with loaded(write(tmp_path, TRAINING.replace("1 - h**2", slope))) as module:
        report = tr.lines(module.train_step, None, {"model": model, "x": r(size=(5, 3)), "y": r(size=(5, 2))})
    assert {row.name for row in report.wrong} == wrong, report
    assert report.ok == (not wrong)

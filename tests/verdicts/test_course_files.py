"""What stands in course files and is no plain pair of functions: understood, or said not to be, and always in the end.

What a file does when it is loaded is in tests/sources/test_running.py,
stubs and settings in dicts in test_stubs.py beside it.
"""

import numpy as np
import pytest
from students import write, wrong_lines

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.sources import deadline
from tinyrnn.sources.user_file import StudentError, loaded

LAYERS = '''
    def stack_forward(x, h0, Wx, Wh):
        """x (N, T, D), h0 (L, N, D), Wx (L, D, D), Wh (L, D, D)"""
        N, T, D = x.shape
        h_prev_l = [h0[l] for l in range(len(h0))]
        out, cache = np.zeros((N, T, D)), []
        for t in range(T):
            below = x[:, t]
            for l in range(len(h0)):
                h_l = np.tanh(below @ Wx[l] + h_prev_l[l] @ Wh[l])
                cache.append((below, h_prev_l[l], h_l))
                h_prev_l[l] = h_l
                below = h_l
            out[:, t] = below
        return out, (cache, h0, Wx, Wh, x.shape)


    def stack_backward(dout, cache):
        steps, h0, Wx, Wh, (N, T, D) = cache
        dx, dWx, dWh = np.zeros((N, T, D)), np.zeros_like(Wx), np.zeros_like(Wh)
        dh_prev_l = [np.zeros((N, D)) for _ in h0]
        for t in reversed(range(T)):
            dabove = dout[:, t]
            for l in reversed(range(len(h0))):
                below, h_prev, h_l = steps[t * len(h0) + l]
                dh_l = dabove + dh_prev_l[l]
                da_l = dh_l * (1 - h_l**2)
                dWx[l] += below.T @ da_l
                dWh[l] += h_prev.T @ da_l
                dh_prev_l[l] = da_l @ Wh[l].T
                dabove = da_l @ Wx[l].T
            dx[:, t] = dabove
        return dx, np.stack(dh_prev_l), dWx, dWh
'''
CLOSURES = '''
    def net_forward(x, W, b):
        """x (N, D), W (D, H), b (H,)"""
        y = np.tanh(x @ W + b)

        def derivative(dy):
            return dy * (1 - y**2)

        return y, (x, W, derivative)


    def net_backward(dy, cache):
        x, W, derivative = cache

        def through(da):
            return da @ W.T, x.T @ da

        da = derivative(dy)
        dx, dW = through(da)
        db = da.sum(axis=0)
        return dx, dW, db
'''
HELPERS = '''
    def rnn_backward(dh, cache):
        x, h0, Wx, Wh, b, h = cache
        dh = dh.transpose(1, 0, 2)
        dx, dprev = np.zeros_like(x), np.zeros_like(h0)
        dWx, dWh, db = np.zeros_like(Wx), np.zeros_like(Wh), np.zeros_like(b)
        for t in range(len(dh) - 1, -1, -1):
            dpre = through_tanh(dh[t] + dprev, h[t])
            dx[t], dWx_t = through_weights(dpre, x[t], Wx)
            dprev, dWh_t = through_weights(dpre, h[t - 1] if t else h0, Wh)
            dWx += dWx_t
            dWh += dWh_t
            db += dpre.sum(axis=0)
        return dx.transpose(1, 0, 2), dprev, dWx, dWh, db


    def through_weights(dpre, x, W):
        return dpre @ W.T, x.T @ dpre


    def through_tanh(dh, h):
        return dh * (1 - h**2)


    def rnn_forward(x, h0, Wx, Wh, b):
        """x (N, T, D), h0 (N, H), Wx (D, H), Wh (H, H), b (H,)"""
        x = x.transpose(1, 0, 2)
        h, state = [], h0
        for x_t in x:
            state = step(x_t, state, Wx, Wh, b)
            h.append(state)
        h = np.stack(h)
        return h.transpose(1, 0, 2), (x, h0, Wx, Wh, b, h)


    def step(x_t, state, Wx, Wh, b):
        return np.tanh(x_t @ Wx + state @ Wh + b)
'''
FILES = {"h_prev_l": LAYERS, "closures": CLOSURES, "helpers in any order": HELPERS}


def judged(folder, text):
    with loaded(write(folder, text)) as module:
        (report,) = tr.lines(module)
        return report


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_right_ones_are_all_right(tmp_path, text):
    report = judged(tmp_path, text)
    assert report.ok and len([row for row in report.rows if row.verdict == "ok"]) >= 5, str(report)


RETURN = "the return is accused beside a call that gives several values"
WRONG = {  # file, piece of a line, what stands there instead, the line that is accused where it is not that line
    "the gradient of a layer's weights": ("h_prev_l", "dWh[l] += h_prev.T", "dWh[l] += h_l.T", None),
    "nothing carried from step to step": ("h_prev_l", "dabove + dh_prev_l[l]", "dabove", None),
    "what is handed to the layer below": ("h_prev_l", "dabove = da_l @ Wx[l].T", "dabove = da_l @ Wx[l]", None),
    "the derivative in a closure": ("closures", "dy * (1 - y**2)", "dy * (1 - y)", None),
    "a product in a closure": ("closures", "W.T, x.T @ da", "W.T, -x.T @ da", "dx, dW = through(da)"),
    "a sum beside closures": ("closures", "da.sum(axis=0)", "da.mean(axis=0)", None),
    "a helper that is called twice": ("helpers in any order", "x.T @ dpre", "2 * x.T @ dpre", None),
    "a helper that is called once": ("helpers in any order", "dh * (1 - h**2)", "dh * (1 - h)", None),
    "axes exchanged in the return": ("helpers in any order", "return dx.transpose(1, 0, 2)", "return dx", None),
    "axes exchanged at the start": (
        "helpers in any order",
        "dh = dh.transpose(1, 0, 2)",
        "dh = 2 * dh.transpose(1, 0, 2)",
        None,
    ),
}
NOT_YET = {"a product in a closure": RETURN}


QUICK = ("the derivative in a closure", "axes exchanged in the return")


def case(name):
    marks = [pytest.mark.xfail(reason=NOT_YET[name], strict=True, raises=AssertionError)] if name in NOT_YET else []
    marks += [] if name in QUICK else [pytest.mark.slow]
    return pytest.param(name, marks=marks)


@pytest.mark.sample(5)  # and those that are expected to fail
@pytest.mark.parametrize("name", [case(name) for name in WRONG])
def test_the_wrong_line_is_accused_or_the_call_of_a_closure_that_is_wrong(tmp_path, name):
    file, old, new, accused = WRONG[name]
    assert FILES[file].count(old) == 1
    report = judged(tmp_path, FILES[file].replace(old, new))
    texts = {f: lines for f, lines in report.sources}
    said = {texts[function][line].strip() for function, line in wrong_lines(report)}
    changed = FILES[file].replace(old, new)
    place = changed.index(accused) if accused else FILES[file].index(old)
    assert said == {changed.splitlines()[changed[:place].count("\n")].strip()}, str(report)


def test_a_backward_pass_that_the_forward_one_returns_is_refused_in_one_line(tmp_path, capsys):
    path = write(tmp_path, "def make(x):\n    def backward(dy):\n        return 2 * dy\n    return 2 * x, backward\n")
    assert main(["lines", str(path)]) != 0
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "no functions found that belong together" in said.err


# loops without end ----------------------------------------------------------------------------------------------------

ENDLESS = '''
    def net_forward(x, W):
        """x (N, D), W (D, H)"""
        {forward}
        return x @ W, (x, W)


    def net_backward(dout, cache):
        x, W = cache
        {backward}
        return dout @ W.T, x.T @ dout
'''
LOOP = "while True: pass"
SWALLOWING = "while True:\n            try: 1 / 0\n            except Exception: pass"


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(deadline, "RUN_SECONDS", 0.3)


@pytest.mark.few(1)
@pytest.mark.parametrize("where", ["forward", "backward"])
@pytest.mark.parametrize("command", ["lines", "gradcheck"])
def test_a_loop_without_end_in_a_function_is_broken_off_with_advice(quick, tmp_path, capsys, where, command):
    path = write(tmp_path, ENDLESS.format(**{"forward": "pass", "backward": "pass"} | {where: LOOP}))
    assert main([command, str(path)]) != 0
    said = "".join(capsys.readouterr())
    assert f"in net_{where}: TooLong: still running after 0.3 s (is there a loop that never ends?" in said
    assert "smaller inputs" in said


def test_so_it_is_with_inputs_that_are_given_and_where_errors_are_swallowed(quick, tmp_path):
    with loaded(write(tmp_path, ENDLESS.format(forward="pass", backward=SWALLOWING))) as module:
        with pytest.raises(StudentError, match=r"hw\.py:1\d, in net_backward: TooLong"):
            tr.lines(module.net_forward, module.net_backward, (np.ones((2, 3)), np.ones((3, 4))))

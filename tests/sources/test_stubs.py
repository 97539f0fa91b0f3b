"""Exercises that are not done yet are said to be so, and settings that a forward pass wants are given."""

import textwrap

import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.sources.stubs import NotWritten, stub
from tinyrnn.sources.user_file import loaded

STUBS = {
    "nothing": "def f(x): pass",
    "a docstring": 'def f(x):\n    """What it should do."""',
    "dots": "def f(x): ...",
    "not implemented": "def f(x):\n    raise NotImplementedError('E3')",
    "None": "def f(x):\n    return None",
    "names for None": "def f(dout, cache):\n    dx, dw = None, None\n    pass\n    return dx, dw",
    "a template": """
        def f(da, caches):
            (caches, x) = caches
            n_a, m = da.shape
            dx = None
            dW = None
            for t in reversed(range(n_a)):
                gradients = None
                dx[:, t] = None
                dW += None
            gradients = {"dx": dx, "dW": dW}
            return gradients
        """,
}
WRITTEN = {
    "a gradient": "def f(dout, cache):\n    dx, x = None, cache\n    dx = dout * x\n    return dx",
    "half of it": "def f(dout, cache):\n    dx, dw = None, None\n    dx = dout * cache\n    return dx, dw",
    "filled in place": "def f(out, d):\n    out[...] = d",
    "an argument": "def f(dout):\n    return dout",
    "another error": "def f(x):\n    if x is None:\n        raise NotImplementedError\n    return x",
    "a loop's name": "def f(xs):\n    for x in xs:\n        pass\n    return x",
    "an expression": "f = lambda x: 2 * x",
}


def function_in(tmp_path, text):
    (tmp_path / "hw.py").write_text(textwrap.dedent(text))
    with loaded(tmp_path / "hw.py") as module:
        return module.f


@pytest.mark.parametrize("text", STUBS.values(), ids=STUBS)
def test_a_stub_is_one(tmp_path, text):
    assert stub(function_in(tmp_path, text))


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_what_is_written_is_none(tmp_path, text):
    assert stub(function_in(tmp_path, text)) is None


HALF_DONE = """
def one_forward(x):
    return 2 * x, None
def one_backward(dout, cache):
    dx = None
    # TODO
    return dx
def two_forward(x):
    out, cache = None, None
    return out, cache
def two_backward(dout, cache):
    return 2 * dout
def three_forward(x):
    return 3 * x, None
def three_backward(dout, cache):
    return 3 * dout
"""


@pytest.mark.parametrize("command", ["lines", "gradcheck"])
def test_of_an_exercise_half_done_the_done_half_is_judged(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hw.py").write_text(HALF_DONE)
    assert main([command, "hw.py"]) == 1
    out = capsys.readouterr().out
    assert "one_backward (line 4) is not written yet: it returns None" in out
    assert "two_forward (line 8) is not written yet: it returns None" in out
    assert "three_forward and three_backward: " in out and out.count("not written yet") == 2
    assert main([command, "hw.py:one_backward"]) != 0
    assert "one_backward (line 4) is not written yet" in "".join(capsys.readouterr())


def test_a_stub_is_refused_in_python_too(tmp_path):
    def stub_forward(x):
        pass

    def stub_backward(dout, cache):
        return 2 * dout

    for check in (tr.lines, tr.gradcheck):
        with pytest.raises(NotWritten, match=r"stub_forward .* is not written yet: it does nothing"):
            check(stub_forward, stub_backward)


SETTINGS = """
import numpy as np

def norm_forward(x, gamma, beta, bn_param):
    '''x (N, D), gamma (D,), beta (D,), bn_param: a dict with mode, "train" or "test", and eps'''
    mode, eps = bn_param["mode"], bn_param.get("eps", 1e-5)
    if mode == "test":
        raise ValueError("not at test time")
    elif mode == "train":
        mu = x.mean(axis=0)
        z = (x - mu) / np.sqrt(((x - mu) ** 2).mean(axis=0) + eps)
    bn_param["running_mean"] = mu
    return gamma * z + beta, (z, gamma, x, mu, eps)

def norm_backward(dout, cache):
    z, gamma, x, mu, eps = cache
    std = np.sqrt(((x - mu) ** 2).mean(axis=0) + eps)
    dz = dout * gamma
    dx = (dz - dz.mean(axis=0) - z * (dz * z).mean(axis=0)) / std
    return dx, (dout * z).sum(axis=0), dout.sum(axis=0)

def tall_norm_forward(x, gamma, beta, bn_param):
    '''x (N, D), gamma (D,), beta (D,)'''
    return norm_forward(x, gamma, beta, bn_param)

def tall_norm_backward(dout, cache):
    return norm_backward(dout, cache)

def slide_forward(x, w, conv_param):
    '''x (N, W), w (HH,)'''
    pad, stride = conv_param["pad"], conv_param["stride"]
    wide = np.pad(x, ((0, 0), (pad, pad)))
    places = range(0, wide.shape[1] - len(w) + 1, stride)
    return np.stack([wide[:, k : k + len(w)] @ w for k in places], axis=1), (wide, w, places, pad)

def slide_backward(dout, cache):
    wide, w, places, pad = cache
    dwide, dw = np.zeros_like(wide), np.zeros_like(w)
    for n, k in enumerate(places):
        dwide[:, k : k + len(w)] += np.outer(dout[:, n], w)
        dw += wide[:, k : k + len(w)].T @ dout[:, n]
    dx = dwide[:, pad : dwide.shape[1] - pad]
    return dx, dw
"""


@pytest.mark.few(1)
@pytest.mark.parametrize("command", ["lines", "gradcheck"])
def test_settings_in_a_dict_are_made_up(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hw.py").write_text(SETTINGS)
    status = main([command, "hw.py"])
    out = capsys.readouterr().out
    assert status == 0 and out.count("right") >= 3, out
    assert main([command, "hw.py:slide_forward"]) == 0
    assert "pad 1, stride 1" in capsys.readouterr().out

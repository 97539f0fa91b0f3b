"""What `tinyrnn.lines` cannot judge it refuses in one line that says why."""

import numpy as np
import pytest
from other_styles import classes, homework

import tinyrnn as tr


def double_forward(x):
    return 2 * x, None


def double_backward(dout, cache):
    dx = 2 * dout
    return {"dx": dx}


def broken_forward(x, W):
    h = x @ W
    return h.foo, (x, W)


def broken_backward(dout, cache):
    return dout


def no_gradient_named(dout, cache):
    return None, cache


def unfit(x):
    return x / 0, None


def unfit_backward(dout, cache):
    return dout


X = np.ones((2, 3))
REFUSED = {
    "unknown name": (("lstn",), ValueError, "no part of tinyrnn is called 'lstn' (did you mean lstm?)"),
    "a number": ((3,), TypeError, "got int"),
    "an array": ((X,), TypeError, "got ndarray"),
    "a class with neither pass": ((dict,), TypeError, "got dict"),
    "a module without pairs": ((np.testing,), ValueError, "no functions found that belong together"),
    "inputs in place of backward": ((double_forward, X, X), TypeError, "backward must be a function, got ndarray"),
    "no partner": ((homework.sigmoid,), ValueError, "no backward function for sigmoid: it should be called"),
    "a builtin": ((len, len), TypeError, "len is not a function written in Python"),
    "a lambda": ((lambda x: x, lambda dout, cache: dout, X), TypeError, "the source of <lambda> cannot be read"),
    "a method without its object": ((classes.RNN.forward,), TypeError, "needs an object"),
    "methods of two objects": ((classes.RNN(X, X, X).forward, double_backward, X), ValueError, "same object"),
    "integers": ((double_forward, double_backward, {"x": np.ones((2, 3), int)}), ValueError, "x holds int64"),
    "a list of numbers": ((double_forward, double_backward, {"x": [[1.0]]}), ValueError, "give an array"),
    "NaN": ((double_forward, double_backward, {"x": X * np.nan}), ValueError, "x holds NaN or infinity"),
    "other arguments": ((broken_forward, broken_backward, {"z": X}), ValueError, "do not fit broken_forward(x, W)"),
    "infinite results": ((unfit, unfit_backward, {"x": X}), ValueError, "gives NaN or infinity"),
    "single precision": ((tr.Elman(2, 3, rng=0, dtype="float32"),), ValueError, 'dtype="float64"'),
    "forward fails": ((broken_forward,), ValueError, "in broken_forward: AttributeError"),
    "forward fails on given inputs": ((broken_forward, broken_backward, (X, X.T)), ValueError, "test_refusals.py:"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_cannot_be_judged_is_refused_in_one_line(case):
    arguments, kind, message = REFUSED[case]
    with pytest.raises(kind) as raised:
        tr.lines(*arguments)
    assert message in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("options", [{"T": 0}, {"B": 0}, {"against": "lstn"}, {"upstream": {"dz": X}}])
def test_bad_options_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options)) if "upstream" not in options else "dz"):
        tr.lines(double_forward, double_backward, {"x": X}, **options)


def test_where_nothing_can_be_judged_the_report_is_not_ok():
    report = tr.lines(double_forward, no_gradient_named, {"x": X})
    assert not report.ok and "nothing could be judged" in report.problems[0]


def against_targets(x, targets):
    loss = sum(0.5 * np.sum((row - target) ** 2) for row, target in zip(x, targets, strict=True))
    return loss, {"dx": x - np.array(targets)[:, None]}


def test_targets_in_a_list_stay_a_list():
    report = tr.lines(against_targets, against_targets, {"x": X, "targets": [0.5] * len(X)})
    assert report.ok

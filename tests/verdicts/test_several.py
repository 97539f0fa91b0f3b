"""Two mistakes at once, and what tells which of several lines that are as good by their values."""

import pytest
from students import write
from test_edits import GATE, RNN, accused

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

SLOPE, BACK, LEFT, STATE = (
    ("slope = 1 - hs[t] ** 2", "slope = 1 - hs[t]"),
    ("back = dh[:, t] + dnext", "back = dh[:, t]"),
    ("dnext = da @ U.T", "dnext = da @ U"),
    ("dU += (hs[t - 1] if t else h0).T @ da", "dU += hs[t].T @ da"),
)


def planted(source, *mistakes):
    for right, wrong in mistakes:
        assert source.count(right) == 1
        source = source.replace(right, wrong)
    return source


@pytest.mark.slow
@pytest.mark.parametrize("mistakes", [pytest.param((SLOPE, LEFT), marks=pytest.mark.slow), (LEFT, STATE)])
def test_of_two_mistakes_both_lines_are_accused_and_no_other(tmp_path, mistakes):
    assert accused(write(tmp_path, planted(RNN, *mistakes))) == {wrong for _, wrong in mistakes}


@pytest.mark.slow
def test_of_two_mistakes_it_is_said_that_there_is_another_one(tmp_path):
    with loaded(write(tmp_path, planted(RNN, SLOPE, LEFT))) as module:
        (report,) = tr.lines(module)
    assert report.wrong and all("another one" in str(row.how) for row in report.wrong), report
    assert "all results are right with `dnext = da @ U.T` and the other line put right" in report.why()


CELL = """
    def cell_forward(x, h, W, U):
        z, r = np.tanh(x @ W), np.tanh(h @ U)
        return z * r, (x, h, W, U, z, r)

    def cell_backward(dout, cache):
        x, h, W, U, z, r = cache
        dz, dr = dout * r * (1 - z**2), dout * z * (1 - r**2)
        dW, dU = x.T @ dz, h.T @ dr
        dx = dz @ W.T
        dh = dr @ U.T
        gradients = {"dx": dx, "dh": dh, "dW": dW, "dU": dU}
        return gradients
"""


@pytest.mark.slow
def test_two_mistakes_that_meet_in_a_dict_are_accused_where_they_were_made(tmp_path):
    mistakes = ("dx = dz @ W.T", "dx = dr @ W.T"), ("dh = dr @ U.T", "dh = dz @ U.T")
    assert accused(write(tmp_path, planted(CELL, *mistakes))) == {wrong for _, wrong in mistakes}


NORM = '''
    def norm_forward(x, gamma):
        """x (N, D), gamma (D,)"""
        mean = x.mean(axis=0)
        std = np.sqrt((x - mean).var(axis=0) + 1e-5)
        z = (x - mean) / std
        y = gamma * z
        return y, {"x": x, "mean": mean, "std": std, "z": z, "gamma": gamma}
    def norm_backward(dy, cache):
        n = dy.shape[0]
        up = dy * cache["gamma"]
        out = 1 / cache["std"]
        away = -1 / cache["std"]
        fall = -(cache["x"] - cache["mean"]) / cache["std"] ** 2
        rise = (cache["x"] - cache["mean"]) / cache["std"] / n
        dx = up * out + np.sum(up * away, axis=0) / n + np.sum(up * fall, axis=0) * rise
        return dx, np.sum(dy * cache["z"], axis=0)
'''


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ('away = -1 / cache["std"]', 'away = 1 / cache["std"]'),  # a sign of dx would do as well
        ('fall = -(cache["x"]', 'fall = (cache["x"]'),
        ('up = dy * cache["gamma"]', "up = dy"),  # mentioned nowhere else
    ],
)
def test_a_local_derivative_that_leads_from_no_gradient_to_another_one_is_accused(tmp_path, right, wrong):
    source = planted(NORM, (right, wrong))
    assert not accused(write(tmp_path, NORM))
    assert [line.startswith(wrong) for line in accused(write(tmp_path, source))] == [True]


@pytest.mark.slow
def test_a_start_with_zeros_is_not_accused_for_what_is_added_to_it(tmp_path):
    assert accused(write(tmp_path, planted(RNN, ("dW += x[:, t].T @ da", "dW += x[:, t].T @ back"), STATE))) == {
        "dW += x[:, t].T @ back",
        STATE[1],
    }


def test_of_a_right_pass_nothing_is_accused(tmp_path):
    for source in (RNN, NORM, planted(GATE, ("df = dc * c", "df = dc * c_prev"))):
        assert not accused(write(tmp_path, source))

"""A mistake is placed in its own line though others could make up for it: in calls, loops and factors."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(3)


def accused(folder, text, right, wrong, make, inputs, **options):
    """The texts of the lines that are accused when `right` is replaced; make: function of the module -> passes."""
    assert text.count(right) == 1
    path = write(folder, text.replace(right, wrong))
    with loaded(path) as module:
        report = tr.lines(*make(module), inputs=inputs, **options)
    lines = path.read_text(encoding="utf-8").splitlines()
    return [lines[number - 1].strip() for number in sorted({row.line for row in report.wrong})]


def of(name):
    """The functions NAME_forward and NAME_backward of a module."""
    return lambda module: [getattr(module, f"{name}_{way}") for way in ("forward", "backward")]


def both_in_one(module):
    """The function of a module that gives a loss and its gradient."""
    return [module.score]


HELPER = """
    def slope_of_sigmoid(y):
        return y * (1 - y)


    def pair_forward(a, b, c):
        p, q, r = (1 / (1 + np.exp(-one)) for one in (a, b, c))
        return p * q * r, (p, q, r)


    def pair_backward(dout, cache):
        p, q, r = cache
        da = slope_of_sigmoid(p) * dout * q * r
        through_q = slope_of_sigmoid(q) * (dout * p * r)
        dc = slope_of_sigmoid(r) * dout * p * q
        return da, through_q, dc
    """
THREE = {name: R.normal(size=(2, 3)) for name in "abc"}


def test_the_call_is_accused_where_the_helper_is_right_for_all_others(tmp_path):
    wrong = "through_q = slope_of_sigmoid(np.cos(p + q)) * (dout * p * r)"
    assert accused(tmp_path, HELPER, "through_q = slope_of_sigmoid(q) * (dout * p * r)", wrong, of("pair"), THREE) == [
        wrong
    ]


def test_the_helper_is_accused_where_it_is_wrong_for_all(tmp_path):
    wrong = "return y * (1 + y)"
    assert accused(tmp_path, HELPER, "return y * (1 - y)", wrong, of("pair"), THREE) == [wrong]


TWO_LOOPS = """
    def states_of(x, W, U):
        s = np.zeros((len(x) + 1, len(U)))
        for t in range(len(x)):
            s[t] = np.tanh(x[t] @ W + s[t - 1] @ U)
        return s


    def walk_forward(x, W, U, V):
        s = states_of(x, W, U)
        out = np.zeros((len(x), V.shape[1]))
        for t in range(len(x)):
            out[t] = s[t] @ V
        return out, (x, W, U, V)


    def walk_backward(dout, cache):
        x, W, U, V = cache
        s = states_of(x, W, U)
        dx, dW, dU, dV = (np.zeros_like(one) for one in cache)
        for t in np.arange(len(x))[::-1]:
            dV += np.outer(s[t], dout[t])
            delta = dout[t] @ V.T * (1 - s[t] ** 2)
            for k in np.arange(0, t + 1)[::-1]:
                dU += np.outer(s[k - 1], delta)
                dW += np.outer(x[k], delta)
                dx[k] += delta @ W.T
                delta = delta @ U.T * (1 - s[k - 1] ** 2)
        return dx, dW, dU, dV
    """
SEQUENCE = {"x": R.normal(size=(4, 2)), "W": R.normal(size=(2, 3)), "U": R.normal(size=(3, 3)) / 2}
SEQUENCE["V"] = R.normal(size=(3, 2))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ("for k in np.arange(0, t + 1)[::-1]:", "for k in np.arange(0, t + 1):"),
        ("for k in np.arange(0, t + 1)[::-1]:", "for k in np.arange(0, t)[::-1]:"),
        ("delta = dout[t] @ V.T * (1 - s[t] ** 2)", "delta = dout[t] @ V.T"),
        ("dU += np.outer(s[k - 1], delta)", "dU = np.outer(s[k - 1], delta)"),
    ],
)
def test_a_mistake_in_a_pass_that_goes_back_from_every_output_by_itself_is_placed(tmp_path, right, wrong):
    assert accused(tmp_path, TWO_LOOPS, right, wrong, of("walk"), SEQUENCE) == [wrong]


SOFTMAX = """
    def score(v, target):
        rows = np.arange(len(v))
        p = np.exp(v)
        p = p / p.sum(axis=1, keepdims=True)
        loss = -np.log(p[rows, target] + 1e-9).mean()
        dv = p.copy()
        dv[rows, target] -= 1
        dv = dv / len(p)
        return loss, dv
    """
SCORES = {"v": R.normal(size=(4, 5)), "target": np.array([0, 3, 1, 4])}


def test_where_the_last_factor_is_forgotten_what_comes_before_it_is_explained(tmp_path):
    found = accused(tmp_path, SOFTMAX, "dv = dv / len(p)\n", "\n", both_in_one, SCORES, jac=True)
    assert found == ["dv[rows, target] -= 1"]


def test_a_small_number_in_a_logarithm_does_not_keep_an_edit_from_deciding(tmp_path):
    wrong = "dv[rows, target] -= 2"
    right = "dv[rows, target] -= 1"
    assert accused(tmp_path, SOFTMAX, right, wrong, both_in_one, SCORES, jac=True) == [wrong]


SOFTMAX_ROWS = """
    def rows_forward(v):
        p = np.exp(v)
        p = p / p.sum(axis=-1, keepdims=True)
        return p, p


    def rows_backward(dout, p):
        along = (dout * p).sum(axis=-1, keepdims=True)
        return (dout - along) * p
    """


def test_a_sum_along_the_wrong_axis_is_accused_though_no_values_of_its_shape_would_do(tmp_path):
    wrong = "along = (dout * p).sum(axis=1, keepdims=True)"
    right = "along = (dout * p).sum(axis=-1, keepdims=True)"
    assert accused(tmp_path, SOFTMAX_ROWS, right, wrong, of("rows"), {"v": R.normal(size=(2, 3, 4))}) == [wrong]


SIGMOID = """
    def gate_forward(v, target):
        y = 1 / (1 + np.exp(-v))
        return 0.5 * (y - target) ** 2, (y, target)


    def gate_backward(dout, cache):
        y, target = cache
        gap = y - target
        slope = gap * (1 - y) * y
        return slope * dout, -gap * dout
    """
GATE = {"v": R.normal(size=(2, 3)), "target": R.normal(size=(2, 3))}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ("slope = gap * (1 - y) * y", "slope = gap * (1 - y)"),  # not `* y` elsewhere
        ("gap = y - target", "gap = target - y"),  # not two minuses further down
    ],
)
def test_of_several_places_for_what_was_forgotten_or_turned_the_likely_one_is_accused(tmp_path, right, wrong):
    assert accused(tmp_path, SIGMOID, right, wrong, of("gate"), GATE) == [wrong]


CHARACTERS = """
    def characters(inputs, targets, hprev, W, U, b, V, c):
        hs, ps, loss = {-1: np.copy(hprev)}, {}, 0
        for t in range(len(inputs)):
            hs[t] = np.tanh(W[:, inputs[t]] + U @ hs[t - 1] + b)
            y = V @ hs[t] + c
            ps[t] = np.exp(y) / np.sum(np.exp(y))
            loss += -np.log(ps[t][targets[t]])
        dW, dU, db, dV, dc = (np.zeros_like(one) for one in (W, U, b, V, c))
        dhnext = np.zeros_like(hprev)
        for t in reversed(range(len(inputs))):
            dy = np.copy(ps[t])
            dy[targets[t]] -= 1
            dV += np.outer(dy, hs[t])
            dc += dy
            dh = V.T @ dy + dhnext
            da = dh * (1 - hs[t] ** 2)
            dW[:, inputs[t]] += da
            dU += np.outer(da, hs[t - 1])
            db += da
            dhnext = U.T @ da
        return loss, dW, dU, db, dV, dc, hs[len(inputs) - 1]
    """


@pytest.mark.slow
def test_two_mistakes_are_placed_where_one_is_a_copy_in_place_of_a_sum(tmp_path):
    text = CHARACTERS.replace("da = dh * (1 - hs[t] ** 2)", "da = dh * (1 - hs[t])")
    inputs = {"inputs": np.array([0, 2, 1, 3]), "targets": np.array([2, 1, 3, 0]), "hprev": R.normal(size=3)}
    inputs |= {"W": R.normal(size=(3, 4)), "U": R.normal(size=(3, 3)), "b": R.normal(size=3)}
    inputs |= {"V": R.normal(size=(4, 3)), "c": R.normal(size=4)}
    found = accused(tmp_path, text, "db += da", "db = da", lambda m: [m.characters], inputs, jac=True)
    assert found == ["da = dh * (1 - hs[t])", "db = da"]

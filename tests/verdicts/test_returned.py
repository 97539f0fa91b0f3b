"""Gradients that are returned without a name are judged as well: wrong ones do not go unseen."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

TEXT = """
    W0 = np.arange(1.0, 7.0).reshape(2, 3)
    def net_forward(x, w, b):
        return x @ w + b, (x, w)
    def net_backward(dout, cache):
        x, w = cache
        RETURN
    """
GIVEN = {"x": np.arange(8.0).reshape(4, 2) / 8, "w": np.arange(6.0).reshape(2, 3) / 6, "b": np.ones(3)}


def judge(folder, returned, text=TEXT, inputs=GIVEN):
    with loaded(write(folder, text.replace("RETURN", returned))) as module:
        return tr.lines(module.net_forward, inputs=inputs)


def names(rows):
    return sorted(row.name for row in rows)


RIGHT = {
    "in order": "return dout @ w.T, x.T @ dout, dout.sum(axis=0)",
    "in a list": "return [dout @ w.T, x.T @ dout, dout.sum(axis=0)]",
    "in another order": "return dout.sum(axis=0), dout @ w.T, x.T @ dout",
    "some by name": "db = dout.sum(axis=0); return dout @ w.T, x.T @ dout, db",
    "under another name": "t = dout @ w.T; return t, x.T @ dout, dout.sum(axis=0)",
    "with something else": "return dout @ w.T, x.T @ dout, dout.sum(axis=0), w.shape",
}
WRONG = {  # what is returned -> the gradients it should be
    "return dout @ w.T, x.T @ dout, dout.mean(axis=0)": ["db"],
    "return dout @ w.T, -x.T @ dout, dout.sum(axis=0)": ["dw"],
    "return dout @ w.T * 2, x.T @ dout, dout.mean(axis=0)": ["db", "dx"],
    "return -dout.sum(axis=0), dout @ w.T, x.T @ dout": ["db"],
    "return dout @ w.T, (x.T @ dout).T, dout.sum(axis=0)": ["dw"],
    "t = dout @ w.T * 2; return t, x.T @ dout, dout.sum(axis=0)": ["dx"],
    "return dout @ w.T * 2": ["dx"],
    "dx = dout @ w.T; return dx * 2, x.T @ dout, dout.sum(axis=0)": ["grad_x"],
}


@pytest.mark.few(2)
@pytest.mark.parametrize("case", RIGHT)
def test_right_gradients_without_a_name_are_right(tmp_path, case):
    report = judge(tmp_path, RIGHT[case])
    assert report.ok, report
    assert {"dx", "dw", "db"} <= set(names(row for row in report.rows if row.verdict == "ok"))


@pytest.mark.few(1)
@pytest.mark.parametrize("returned", WRONG)
def test_a_wrong_gradient_without_a_name_is_accused_on_its_line(tmp_path, returned):
    report = judge(tmp_path, returned)
    assert names(report.wrong) == WRONG[returned]
    assert {row.line for row in report.wrong} == {9} and all(row.partner in GIVEN for row in report.wrong)


@pytest.mark.few(2)
@pytest.mark.parametrize("how", ["db = STUB; return dout @ w.T, x.T @ dout, db", "return dout @ w.T, x.T @ dout, STUB"])
@pytest.mark.parametrize("stub", ["0", "True", "np.zeros(3, int)", "None", "dout.sum", "np", "{}"])
def test_what_stands_where_a_gradient_belongs_and_is_none_is_never_all_right(tmp_path, how, stub):
    report = judge(tmp_path, how.replace("STUB", stub))
    assert not report.ok
    is_number = stub in {"0", "True", "np.zeros(3, int)"}
    assert report.wrong_results == (["b"] if is_number else [])
    assert ["which is no array" in text for text in report.not_compared] == [True] * (not is_number)


def test_a_gradient_of_zeros_may_be_of_whole_numbers(tmp_path):
    text = TEXT.replace("@ w + b,", "@ w + 0 * b,")
    report = judge(tmp_path, "return dout @ w.T, x.T @ dout, np.zeros(3, int)", text)
    assert report.ok


def test_the_gradients_that_another_function_returns_are_handed_on(tmp_path):
    text = (
        TEXT.replace("RETURN", "return helper(dout, x, w)")
        + """
    def helper(dout, x, w):
        dx, dw, db = dout @ w.T, x.T @ dout, dout.sum(axis=0)
        return dx, dw, FACTOR * db
    """
    )
    assert judge(tmp_path, "", text.replace("FACTOR", "1")).ok
    assert not judge(tmp_path, "", text.replace("FACTOR", "2")).ok


def test_a_loss_may_return_more_than_its_gradients(tmp_path):
    text = """
        def net_forward(x, y):
            p = np.exp(x) / np.exp(x).sum()
            dx = p - y
            return -(y * np.log(p)).sum(), dx, p * 3
        """
    assert judge(tmp_path, "", text, (np.arange(3.0), np.eye(3)[1])).ok
    wrong = judge(tmp_path, "", text.replace("dx = p - y", "dx = p + y"), (np.arange(3.0), np.eye(3)[1]))
    assert names(wrong.wrong) == ["dx"]


def test_gradients_of_a_tuple_are_judged_by_what_the_forward_function_calls_its_parts(tmp_path):
    text = """
        def net_forward(params, x, state):
            h_prev, c_prev = state
            h = np.tanh(x @ params["W"] + h_prev)
            c = h * c_prev
            return (h, c), (x, c_prev, h)
        def net_backward(params, cache, dstate):
            x, c_prev, h = cache
            da = (dstate[0] + dstate[1] * c_prev) * (1 - h**2)
            RETURN
        """
    inputs = {"params": {"W": GIVEN["w"]}, "x": GIVEN["x"], "state": (np.ones((4, 3)), np.arange(12.0).reshape(4, 3))}
    right = 'return da @ params["W"].T, (da, dstate[1] * h), {"W": x.T @ da}'
    assert judge(tmp_path, right, text, inputs).ok
    assert names(judge(tmp_path, right.replace("1] * h", "1]"), text, inputs).wrong) == ["dc_prev"]


SCALED = """
    def net_forward(logits, target):
        e = np.exp(logits - logits.max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
        return -np.mean(np.log(p[np.arange(len(target)), target])), p
    def net_backward(p, target):
        dlogits = p.copy()
        dlogits[np.arange(len(target)), target] -= ONE
        dlogits = dlogits / len(target)
        return dlogits
    """


@pytest.mark.parametrize("one, wrong", [("1", set()), ("2", {"dlogits"})])
def test_a_gradient_that_is_scaled_on_a_line_of_its_own_is_judged_when_it_is_complete(one, wrong, tmp_path):
    given = {"logits": np.random.default_rng(0).normal(size=(4, 3)), "target": np.array([0, 2, 1, 0])}
    with loaded(write(tmp_path, SCALED.replace("ONE", one))) as module:
        report = tr.lines(module.net_forward, module.net_backward, given)
    assert set(names(report.wrong)) == wrong and report.ok == (not wrong), report


FILLED = """
    def net_forward(x, W):
        h = np.zeros((len(x) + 1, W.shape[0]))
        for t in range(len(x)):
            h[t + 1] = np.tanh(x[t] + h[t] @ W)
        return h, x
    def net_backward(dh, h, W):
        dW, dx, dnext = np.zeros_like(W), np.zeros((len(h) - 1, W.shape[0])), 0
        for t in reversed(range(len(h) - 1)):
            da = (dh[t + 1] + dnext) * (1 - h[t + 1] ** 2)
            dx[t] = da
            dW += np.outer(h[t], da)
            dnext = da @ W.T
        return dx, dW
    """


def test_an_array_that_the_forward_pass_fills_is_handed_on_as_it_was_returned(tmp_path):
    given = {"x": np.random.default_rng(0).normal(size=(4, 3)), "W": np.random.default_rng(1).normal(size=(3, 3))}
    with loaded(write(tmp_path, FILLED)) as module:
        report = tr.lines(module.net_forward, module.net_backward, given)
    assert report.ok and not report.wrong, report


TIED = """
    def net_forward(x, w, b):
        z = x @ w + b
        return z @ w.T, z
    def net_backward(dy, x, z, w):
        dz = dy @ w
        dw = SUM
        dx = dz @ w.T
        return {"dx": dx, "dw": dw, "db": dz.sum(axis=0)}
    """


@pytest.mark.few(1)
@pytest.mark.parametrize("found, wrong", [("x.T @ dz + dy.T @ z", []), ("x.T @ dz", ["dw"]), ("dy.T @ z", ["dw"])])
def test_a_part_of_a_gradient_that_is_returned_in_a_dict_is_not_taken_for_the_whole(found, wrong, tmp_path):
    with loaded(write(tmp_path, TIED.replace("SUM", found))) as module:
        report = tr.lines(module.net_forward, module.net_backward, GIVEN)
    assert names(report.wrong) == wrong and report.ok == (not wrong), report


KEPT = """
    class Gate:
        def forward(self, x):
            self.x, self.u, self.s = x, np.tanh(self.v @ x + self.p), self.w @ x + self.q
            return self.u * self.s
        def backward(self, dy):
            lower = dy * self.s * (1 - self.u ** 2)
            upper = dy * self.u
            self.dv, self.dw = np.outer(lower, self.x), np.outer(upper, self.x)
            self.dp = lower
            self.dq = RETURN
            return self.v.T @ lower + self.w.T @ upper
    """


@pytest.mark.parametrize(("kept", "is_right"), [("upper", True), ("lower", False)])
def test_one_array_kept_as_two_gradients_is_compared_as_both(tmp_path, kept, is_right):
    with loaded(write(tmp_path, KEPT.replace("RETURN", kept))) as module:
        gate, r = module.Gate(), np.random.default_rng(0)
        gate.v, gate.w = r.normal(size=(2, 3, 2))
        gate.p, gate.q = r.normal(size=(2, 3))
        report = tr.lines(gate.forward, gate.backward, {"x": r.normal(size=2)})
        texts = report.sources
    assert report.ok == is_right, str(report)
    assert sorted(report.wrong_results) == ([] if is_right else ["q"])
    assert is_right or ["self.dq = lower"] == [dict(texts)[row.function][row.line].strip() for row in report.wrong]


def mix_forward(a, b):
    return a * np.tanh(b), (a, b)


def mix_backward(dout, cache):
    a, b = cache
    da = dout * np.tanh(b)
    db = dout * a * (1 - np.tanh(b) ** 2)
    return db, da


def test_gradients_that_are_returned_in_another_order_than_the_arguments_are_right_by_name_and_that_is_said():
    r = np.random.default_rng(0)
    report = tr.lines(mix_forward, mix_backward, (r.normal(size=(2, 3)), r.normal(size=(2, 3))))
    assert report.ok and "returned in the order b, a; the arguments are a, b" in report.notes
    report = tr.lines(mix_forward, mix_backward, (r.normal(size=(2, 3)), r.normal(size=3)))
    assert not any("in the order" in note for note in report.notes)  # their shapes tell them apart


def loss_and_gradients(x, y, w, v, b):
    hidden = np.tanh(x @ w)
    out = hidden @ v + b
    gradients = through(x, hidden, v, out - y)
    return 0.5 * np.sum((out - y) ** 2), *gradients


def through(x, hidden, v, above):
    into_w, into_v, into_b = [0] * 3
    for row, state, one in zip(x, hidden, above, strict=True):
        into_w += np.outer(row, (one @ v.T) * (1 - state**2))
        into_b += one
    return into_w, into_v, into_b


def test_a_zero_that_is_returned_in_place_of_a_gradient_is_not_all_right():
    r = np.random.default_rng(0)
    x, y = r.normal(size=(2, 4, 2))
    w, v, b = r.normal(size=(2, 3)), r.normal(size=(3, 2)), r.normal(size=2)
    report = tr.lines(loss_and_gradients, loss_and_gradients, {"x": x, "y": y, "w": w, "v": v, "b": b})
    assert not report.ok and report.not_compared == ["not compared: returned[2], which is no array"]


class Padded:
    def __init__(self, w):
        self.w = w

    def forward(self, x):
        self.x = np.pad(x, ((0, 0), (1, 1)))
        return sum(self.x[:, k : k + 5] * self.w[k] for k in range(3))

    def backward(self, dout):
        into = np.zeros_like(self.x)
        self.dw = np.zeros(3)
        for k in range(3):
            into[:, k : k + 5] += dout * self.w[k]
            self.dw[k] = np.sum(dout * self.x[:, k : k + 5])
        return dout[:, 1:-1]


def test_the_only_thing_that_is_returned_is_the_gradient_of_the_only_argument_whatever_its_shape():
    r = np.random.default_rng(0)
    layer = Padded(r.normal(size=3))
    report = tr.lines(layer.forward, layer.backward, {"x": r.normal(size=(2, 5))})
    assert report.wrong_results == ["x"] and not report.not_compared
    assert ["return dout[:, 1:-1]"] == [dict(report.sources)[row.function][row.line].strip() for row in report.wrong]

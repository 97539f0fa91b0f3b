"""Two wrong lines, each of which alone spoils some results or all but for a factor; what goes round in a loop; what is
done to one variable and missing of another."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(83)

TWO_LAYERS = """
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def slope(y):
        return y * (1 - y)

    def loss_and_gradients(x, y, W, b, V, c, reg):
        h = np.tanh(x @ W + b)
        p = sigmoid(h @ V + c)
        loss = 0.5 * np.sum((p - y) ** 2) + 0.5 * reg * (np.sum(W**2) + np.sum(V**2))
        dz = (p - y) * slope(p)
        dV = h.T @ dz + reg * V
        dc = np.sum(dz, axis=0)
        da = (dz @ V.T) * (1 - h**2)
        dW = x.T @ da + reg * W
        db = np.sum(da, axis=0)
        return loss, dW, db, dV, dc
"""
SIZES = {"x": (3, 4), "y": (3, 2), "W": (4, 5), "b": (5,), "V": (5, 2), "c": (2,)}
GIVEN = {name: R.normal(size=size) for name, size in SIZES.items()} | {"reg": 0.3}


@pytest.mark.parametrize(
    "planted",
    [
        {"return y * (1 - y)": "return 1 - y", "db = np.sum(da, axis=0)": "db = np.mean(da, axis=0)"},
        {"dW = x.T @ da + reg * W": "dW = x.T @ da", "dc = np.sum(dz, axis=0)": "dc = np.mean(dz, axis=0)"},
        {"dV = h.T @ dz + reg * V": "dV = h.T @ dz", "(dz @ V.T) * (1 - h**2)": "(dz @ V.T) * (1 - h)"},
        {"dz = (p - y) * slope(p)": "dz = 2 * (p - y) * slope(p)", "(dz @ V.T) * (1 - h**2)": "dz @ V.T"},
    ],
    ids=lambda planted: "; ".join(planted.values()),
)
def test_each_of_two_lines_is_found_by_what_it_alone_spoils(tmp_path, planted):
    source = TWO_LAYERS
    for right, wrong in planted.items():
        assert source.count(right) == 1
        source = source.replace(right, wrong)
    _, lines = lines_accused(tmp_path, source, "", "", GIVEN)
    wanted = {line.strip() for line in source.splitlines() if any(wrong in line for wrong in planted.values())}
    assert lines == wanted and len(lines) == 2


SOFTMAX = """
    def softmax(z):
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def loss_and_gradients(x, y, W, b):
        p = softmax(x @ W + b)
        loss = np.sum((p - y) ** 2) / len(y)
        dp = 2 * (p - y) / y.shape[0]
        slopes = np.einsum("ij,jk->ijk", p, np.eye(p.shape[1])) - np.einsum("ij,ik->ijk", p, p)
        dz = np.einsum("ij,ijk->ik", dp, slopes)
        return loss, x.T @ dz, dz.sum(axis=0)
"""
FEW = {"x": R.normal(size=(3, 4)), "y": R.random((3, 5)), "W": R.normal(size=(4, 5)), "b": R.normal(size=5)}


def test_the_subscripts_of_an_einsum_are_edited(tmp_path):
    _, lines = lines_accused(tmp_path, SOFTMAX, '"ij,ijk->ik", dp', '"ik,ijk->ik", dp', FEW)
    assert lines == {'dz = np.einsum("ik,ijk->ik", dp, slopes)'}


def test_of_two_lines_one_may_leave_all_that_is_wrong_without_a_factor(tmp_path):
    source = SOFTMAX.replace("/ y.shape[0]", "/ y.size").replace('"ij,ijk->ik", dp', '"ik,ijk->ik", dp')
    _, lines = lines_accused(tmp_path, source, "", "", FEW)
    assert lines == {"dp = 2 * (p - y) / y.size", 'dz = np.einsum("ik,ijk->ik", dp, slopes)'}


ROUND = """
    def loss_and_gradients(x, y, W, U, h0):
        h, n, loss = h0, 3, 0
        states, outputs = [h0], []
        for t in range(len(x)):
            h = np.maximum(x[t] @ W + (states[-1] * (t % 2 == 0)) @ U, 0)
            states.append(h)
            loss += 0.5 * np.sum((h - y[t]) ** 2)
        dW, dU, carry = np.zeros_like(W), np.zeros_like(U), np.zeros_like(h0)
        for t in reversed(range(len(x))):
            back = states[t + 1] - y[t]
            back = (back + carry) * (states[t + 1] > 0)
            dW += np.outer(x[t], back)
            dU += np.outer(states[t] * (t % 2 == 0), back)
            carry = (U @ back) * (t % 2 == 0)
        return loss, dW, dU, carry
"""
STEPS = {"x": R.normal(size=(5, 3)), "y": R.normal(size=(5, 4)), "W": R.normal(size=(3, 4)), "U": R.normal(size=(4, 4))}
STEPS["h0"] = R.random(4)


def test_what_goes_round_in_a_loop_may_be_zero_for_want_of_a_term(tmp_path):
    wrong = "back = carry * (states[t + 1] > 0)"
    _, lines = lines_accused(tmp_path, ROUND, "back = (back + carry) * (states[t + 1] > 0)", wrong, STEPS)
    assert lines == {wrong}


def test_a_comparison_that_is_a_factor_forwards_may_be_missing_backwards(tmp_path):
    _, lines = lines_accused(tmp_path, ROUND, "carry = (U @ back) * (t % 2 == 0)", "carry = U @ back", STEPS)
    assert lines == {"carry = U @ back"}


ROWS = """
    def loss_and_gradients(x, W, U, b, reg):
        score = W @ U.T + b[:, None]
        loss = 0.5 * np.sum((score - x) ** 2) + 0.5 * reg * (np.sum(W**2) + np.sum(U**2))
        off = score - x
        dW, dU, db = np.zeros_like(W), np.zeros_like(U), np.zeros_like(b)
        for i in range(len(W)):
            dW[i] += off[i] @ U
            db[i] += np.sum(off[i])
        dW += reg * W
        for j in range(len(U)):
            dU[j] += off[:, j] @ W
        dU += reg * U
        return loss, dW, dU, db
"""
TABLE = {"x": R.normal(size=(4, 5)), "W": R.normal(size=(4, 3)), "U": R.normal(size=(5, 3)), "b": R.normal(size=4)}


def test_what_is_done_to_one_variable_may_be_missing_of_another_behind_its_loop(tmp_path):
    _, lines = lines_accused(tmp_path, ROWS, "dW += reg * W", "pass", TABLE | {"reg": 0.3})
    assert lines == {"dW[i] += off[i] @ U"}
    _, lines = lines_accused(tmp_path, ROWS, "dU += reg * U", "pass", TABLE | {"reg": 0.3})
    assert lines == {"dU[j] += off[:, j] @ W"}


LAYERS = """
    class Gate:
        def forward(self, x):
            self.keep = np.sin(3 * x) > -0.2
            return x * self.keep

        def backward(self, grad):
            return grad * self.keep

    class Images:
        def __init__(self, K):
            self.K = K

        def forward(self, x):
            self.columns = x.transpose(1, 2, 3, 0).reshape(x.shape[1], -1)
            out = self.K.T @ self.columns
            return out.reshape(-1, *x.shape[2:], len(x)).transpose(3, 0, 1, 2)

        def backward(self, grad):
            rows = grad.transpose(1, 2, 3, 0).reshape(grad.shape[1], -1)
            self.grads = (self.columns @ rows.T, grad.sum(axis=(0, 2, 3)))
            return np.einsum("bohw,co->bchw", grad, self.K)

    def loss_and_gradients(x, y, K, L):
        first, gate, last = Images(K), Gate(), Images(L)
        off = last.forward(gate.forward(first.forward(x))) - y
        first.backward(gate.backward(last.backward(off)))
        return 0.5 * np.sum(off**2), first.grads[0], last.grads[0]
"""
IMAGES = {"x": R.normal(size=(2, 3, 4, 5)), "y": R.normal(size=(2, 6, 4, 5)), "K": R.normal(size=(3, 7))}
IMAGES["L"] = R.normal(size=(7, 6))


def test_a_gradient_that_a_layer_only_gives_back_may_lack_what_the_layer_keeps(tmp_path):
    _, lines = lines_accused(tmp_path, LAYERS, "return grad * self.keep", "return grad", IMAGES)
    assert lines == {"return grad"}


def test_axes_are_taken_in_any_order(tmp_path):
    wrong = "rows = grad.transpose(1, 0, 2, 3).reshape(grad.shape[1], -1)"
    _, lines = lines_accused(tmp_path, LAYERS, wrong.replace("1, 0, 2, 3", "1, 2, 3, 0"), wrong, IMAGES)
    assert lines == {wrong}


def test_what_an_object_keeps_as_a_tuple_is_judged_part_by_part(tmp_path):
    wrong = "self.grads = (self.columns @ rows.T / len(grad), grad.sum(axis=(0, 2, 3)))"
    _, lines = lines_accused(tmp_path, LAYERS, wrong.replace(" / len(grad)", ""), wrong, IMAGES)
    assert lines == {wrong}


POOLED = """
    def loss_and_gradients(x, y, K):
        rows = x @ K
        best = np.zeros((2, 2))
        for i in range(2):
            for j in range(2):
                best[i, j] = np.max(rows[2 * i : 2 * i + 2, 3 * j : 3 * j + 3])
        off = best - y
        back = np.zeros_like(rows)
        for i in range(2):
            for j in range(2):
                at = np.unravel_index(np.argmax(rows[2 * i : 2 * i + 2, 3 * j : 3 * j + 3]), (2, 3))
                back[2 * i + at[0], 3 * j + at[1]] = off[i, j]
        return 0.5 * np.sum(off**2), x.T @ back
"""


def test_two_entries_of_one_array_may_have_changed_places(tmp_path):
    given = {"x": R.normal(size=(4, 5)), "y": R.normal(size=(2, 2)), "K": R.normal(size=(5, 7))}
    wrong = "back[2 * i + at[1] % 2, 3 * j + at[0]] = off[i, j]"
    _, lines = lines_accused(
        tmp_path,
        POOLED.replace("at[0], 3", "at[0] % 2, 3"),
        wrong.replace("at[1] % 2, 3 * j + at[0]", "at[0] % 2, 3 * j + at[1]"),
        wrong,
        given,
    )
    assert lines == {wrong}


BY_NAME = """
    def slope(name, h):
        if name == "tanh":
            return 1 - h**2
        print("not known")
        exit(1)

    def loss_and_gradients(x, y, **weights):
        h = np.tanh(x @ weights["W"])
        off = h @ weights["V"] - y
        back = (off @ weights["V"].T) * slope("tanh", h)
        return 0.5 * np.sum(off**2), {"W": x.T @ back, "V": h.T @ off}
"""
NAMED = {"x": R.normal(size=(3, 4)), "y": R.normal(size=(3, 2)), "W": R.normal(size=(4, 5)), "V": R.normal(size=(5, 2))}


def test_weights_may_be_given_by_whatever_name(tmp_path):
    report, lines = lines_accused(tmp_path, BY_NAME, "", "", NAMED)
    assert report.ok and not lines
    _, lines = lines_accused(tmp_path, BY_NAME, "1 - h**2", "1 - h", NAMED)
    assert lines == {"return 1 - h"}


def test_a_program_that_ends_itself_with_an_edit_does_not_end_the_verdict(tmp_path):
    source = BY_NAME.replace("**weights", "W, V").replace('weights["W"]', "W").replace('weights["V"]', "V")
    _, lines = lines_accused(tmp_path, source, "1 - h**2", "1 - h", NAMED)
    assert lines == {"return 1 - h"}
    _, lines = lines_accused(tmp_path, source, "h.T @ off", "(x @ W).T @ off", NAMED)
    assert lines == {'return 0.5 * np.sum(off**2), {"W": x.T @ back, "V": (x @ W).T @ off}'}

"""Gradients that an object keeps: in a list like that of its weights, and as sums of what a layer within keeps."""

import numpy as np
import pytest
from written_modules import judged, written

LISTS = """
    class Recurrent:
        def __init__(self):
            r = np.random.default_rng(0)
            self.W, self.V, self.b = r.normal(size=(4, 3)), r.normal(size=(3, 3)), r.normal(size=(1, 3))
            self.params = [0.5 * self.W, 0.5 * self.V, 0.5 * self.b]
            self.grads = [np.zeros_like(param) for param in self.params]
        def forward(self, xs):
            W, V, b = self.params
            self.xs, self.hs = xs, {-1: np.zeros((len(xs[0]), 3))}
            for t in range(len(xs)):
                self.hs[t] = np.tanh(np.dot(xs[t], W) + np.dot(self.hs[t - 1], V) + b)
            return [self.hs[t] for t in range(len(xs))]
        def backward(self, dhs):
            W, V, b = self.params
            dW, dV, db = np.zeros_like(W), np.zeros_like(V), np.zeros_like(b)
            dh_next = np.zeros_like(dhs[0])
            for t in reversed(range(len(dhs))):
                dh = dhs[t] + dh_next
                da = (1 - self.hs[t] ** 2) * dh
                dW += np.dot(self.xs[t].T, da)
                dV += np.dot(self.hs[t - 1].T, da)
                db += np.sum(da, axis=0, keepdims=True)
                dh_next = np.dot(da, V.T)
            for i, grad in enumerate([dW, dV, db]):
                self.grads[i] += grad
            return self.grads

    class Stacked(Recurrent):
        def forward(self, xs):
            return np.stack(super().forward(xs))
"""


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ("", ""),
        ("dh_next = np.dot(da, V.T)", "dh_next = np.dot(da, V)"),
        ("for t in reversed(range(len(dhs))):", "for t in range(len(dhs)):"),
        ("dV += np.dot(self.hs[t - 1].T, da)", "dV += np.dot(self.hs[t].T, da)"),
    ],
)
def test_inherited_methods_that_keep_and_return_a_list_of_gradients_are_judged_and_mended(tmp_path, right, wrong):
    path = written(tmp_path, lists=LISTS.replace(right, wrong) if right else LISTS)
    report, accused = judged(path, lambda module: module.Stacked(), xs=np.random.default_rng(1).normal(size=(3, 2, 4)))
    assert report.ok == (not right) and not report.not_compared, report
    assert accused == ({wrong} if right else set())


@pytest.mark.slow
def test_of_two_lists_of_gradients_that_are_equal_each_belongs_to_its_own_weights(tmp_path):
    twice = LISTS.replace("self.W, self.V, self.b =", "self.W, self.V, self.b, self.U =")
    twice = twice.replace("r.normal(size=(1, 3))\n", "r.normal(size=(1, 3)), r.normal(size=(3, 3))\n")
    twice = twice.replace("0.5 * self.b]", "0.5 * self.b, 0.5 * self.U]").replace("W, V, b = self", "W, V, b, U = self")
    twice = twice.replace("self.hs[t] = np.tanh(", "self.hs[t] = np.tanh(np.dot(self.hs[t - 1] ** 2, U) + ")
    twice = twice.replace("dh_next = np.dot(da, V.T)", "dh_next = np.dot(da, V.T)\n" + 16 * " " + "dh_next += before")
    twice = twice.replace("dV += ", "before = np.dot(da, U.T) * 2 * self.hs[t - 1]\n" + 16 * " " + "dV += ")
    twice = twice.replace("[dW, dV, db]", "[dW, dV, db, dU]").replace(
        "dW, dV, db =", "dU = np.zeros_like(U)\n@dW, dV, db ="
    )
    twice = twice.replace("@", 12 * " ").replace(
        "dV += ", "dU += np.dot(self.hs[t - 1].T ** 2, da)\n" + 16 * " " + "dV += "
    )
    wrong = "dU += np.dot(self.hs[t - 1].T, da)"
    for source, lines in ((twice, set()), (twice.replace("dU += np.dot(self.hs[t - 1].T ** 2, da)", wrong), {wrong})):
        folder = tmp_path / str(len(lines))
        folder.mkdir()
        path, xs = written(folder, lists=source), np.random.default_rng(1).normal(size=(3, 2, 4))
        report, accused = judged(path, lambda module: module.Stacked(), xs=xs)
        assert accused == lines and report.ok == (not lines), report


SUMS = """
    class Dense:
        def __init__(self, n, m, seed):
            self.weights = 0.5 * np.random.default_rng(seed).normal(size=(n, m))
        def forward(self, x):
            return x @ self.weights
        def backward(self, error):
            self.gradient = self.x.T @ error
            return error @ self.weights.T

    class Recurrent:
        def __init__(self):
            self.dense_state, self.dense_output = Dense(7, 3, 0), Dense(3, 2, 1)
        def forward(self, xs):
            self.xs, self.hs, ys = xs, np.zeros((len(xs) + 1, 1, 3)), np.zeros((len(xs), 1, 2))
            for t in range(len(xs)):
                joined = np.hstack((self.hs[t], xs[t]))
                self.hs[t + 1] = np.tanh(self.dense_state.forward(joined))
                ys[t] = self.dense_output.forward(self.hs[t + 1])
            return ys
        def backward(self, errors):
            self.gradients_state, self.gradients_output = np.zeros((7, 3)), np.zeros((3, 2))
            carried = np.zeros((1, 3))
            for t in reversed(range(len(errors))):
                self.dense_output.x = self.hs[t + 1]
                error = self.dense_output.backward(errors[t]) + carried
                error = error * (1 - self.hs[t + 1] ** 2)
                self.dense_state.x = np.hstack((self.hs[t], self.xs[t]))
                both = self.dense_state.backward(error)
                carried = both[:, :3]
                self.gradients_state += self.dense_state.gradient
                self.gradients_output += self.dense_output.gradient
"""


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "right, wrong",
    [
        ("", ""),
        ("error = error * (1 - self.hs[t + 1] ** 2)", "error = error * (1 - self.hs[t + 1])"),
        ("carried = both[:, :3]", "carried = both[:, 4:]"),
        ("self.gradients_state += self.dense_state.gradient", "self.gradients_state = self.dense_state.gradient"),
    ],
)
def test_the_sum_over_all_steps_is_compared_not_what_a_layer_within_keeps_of_the_last(tmp_path, right, wrong):
    path = written(tmp_path, sums=SUMS.replace(right, wrong) if right else SUMS)
    report, accused = judged(
        path, lambda module: module.Recurrent(), xs=np.random.default_rng(2).normal(size=(3, 1, 4))
    )
    assert report.ok == (not right), report
    assert accused == ({wrong} if right else set())


GATES = """
    class Gated:
        def __init__(self):
            r = np.random.default_rng(0)
            self.Wr, self.Wz, self.Wn = (r.normal(size=(3, 3)) for _ in range(3))
            self.dWr, self.dWz, self.dWn = (np.zeros((3, 3)) for _ in range(3))
        def forward(self, h):
            self.h = h
            self.r, self.z = 1 / (1 + np.exp(-self.Wr @ h)), 1 / (1 + np.exp(-self.Wz @ h))
            self.n = np.tanh(self.r * (self.Wn @ h))
            return self.z * self.n + (1 - self.z) * h
        def backward(self, delta):
            dz = delta * (self.n - self.h) * self.z * (1 - self.z)
            dn = delta * self.z * (1 - self.n**2)
            dr = dn * (self.Wn @ self.h) * self.r * (1 - self.r)
            self.dWr += np.outer(dr, self.h)
            self.dWz += np.outer(dz, self.h)
            self.dWn += np.outer(dn * self.r, self.h)
            return delta * (1 - self.z) + self.Wr.T @ dr + self.Wz.T @ dz + self.Wn.T @ (dn * self.r)
"""


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"self.dWr += np.outer(dr, self.h)": "self.dWr += np.outer(dz, self.h)"},
        {
            "self.dWr += np.outer(dr, self.h)": "self.dWr += np.outer(dz, self.h)",
            "self.dWz += np.outer(dz, self.h)": "self.dWz += np.outer(dr, self.h)",
        },
    ],
)
def test_an_attribute_called_as_one_weights_gradient_is_not_taken_for_that_of_another(tmp_path, changes):
    source = GATES
    for right, wrong in changes.items():
        source = source.replace(right, wrong)
    path = written(tmp_path, gates=source)
    report, accused = judged(path, lambda module: module.Gated(), h=np.random.default_rng(1).normal(size=3))
    assert accused == set(changes.values()) and report.ok == (not changes), report
    names = [row.mistake["name"] for row in report.wrong if row.mistake]
    assert set(names) == ({"copied-from-another-line"} if changes else set())


RETURNED = """            return delta * (1 - self.z) + self.Wr.T @ dr + self.Wz.T @ dz + self.Wn.T @ (dn * self.r)
"""
KEPT = """            self.bottom_diff_h = self.Wr.T @ dr + self.Wz.T @ dz + self.Wn.T @ (dn * self.r)
            self.bottom_diff_h += delta * (1 - self.z)
            return self.bottom_diff_h
"""


@pytest.mark.few(1)
@pytest.mark.parametrize("wrong", ["", "self.bottom_diff_h += delta * self.z"])
def test_what_is_kept_and_returned_is_compared_as_what_is_returned(tmp_path, wrong):
    source = GATES.replace(RETURNED, KEPT).replace("forward(self, h)", "forward(self, x, h)")
    source = source.replace("(self.Wn @ h))", "(self.Wn @ h) + x)")
    source = source.replace("self.bottom_diff_h += delta * (1 - self.z)", wrong) if wrong else source
    path = written(tmp_path, gates=source)
    r = np.random.default_rng(1)
    report, accused = judged(path, lambda module: module.Gated(), x=r.normal(size=3), h=r.normal(size=3))
    assert accused == ({wrong} if wrong else set()) and report.ok == (not wrong) and not report.not_compared, report


HEADS = """
    class Heads:
        def __init__(self):
            r = np.random.default_rng(2)
            self.K, self.V, self.grads = r.normal(size=(4, 4)), r.normal(size=(4, 4)), {}
        def forward(self, x):
            self.x, self.k, self.v = x, np.tanh(x @ self.K), np.sin(x @ self.V)
            return self.k * self.v
        def backward(self, dout):
            dk, dv = dout * self.v * (1 - self.k ** 2), dout * self.k * np.cos(self.x @ self.V)
            dK = self.x.T @ dk
            dV = self.x.T @ dv
            self.grads["K"], self.grads["V"] = dK, dV
            return dk @ self.K.T + dv @ self.V.T
"""


def test_what_is_kept_under_the_name_of_a_weight_is_compared_with_its_gradient_not_with_one_that_it_equals(tmp_path):
    path = written(tmp_path, heads=HEADS.replace("dK = self.x.T @ dk", "dK = self.x.T @ dv"))
    x = np.random.default_rng(5).normal(size=(3, 4))
    report, accused = judged(path, lambda module: module.Heads(), x=x)
    assert accused == {"dK = self.x.T @ dv"} and not report.not_compared


TWICE = """
    class Twice:
        def __init__(self):
            r = np.random.default_rng(3)
            self.W, self.b, self.c = r.normal(size=(4, 2)), r.normal(size=4), r.normal(size=4)
        def forward(self, x):
            self.x, self.h = x, np.tanh(self.W @ x + self.b)
            return self.h * np.sin(self.c)
        def backward(self, dout):
            self.inside = dout * np.sin(self.c) * (1 - self.h ** 2)
            self.dW = np.outer(self.inside, self.x)
            self.db = self.inside
            self.dc = dout * self.h * np.cos(self.c)
            return self.W.T @ self.inside
"""


def test_what_is_kept_by_the_name_of_a_gradient_is_compared_though_something_else_equals_it(tmp_path):
    path = written(tmp_path, twice=TWICE.replace("self.db = self.inside", "self.db = dout * np.sin(self.c)"))
    report, accused = judged(path, lambda module: module.Twice(), x=np.random.default_rng(5).normal(size=2))
    assert report.wrong_results == ["b"] and accused == {"self.db = dout * np.sin(self.c)"}, report


WORDS = """
    from collections import defaultdict
    class Words:
        def __init__(self):
            self.E = np.random.default_rng(3).normal(size=(3, 5))
        def forward(self, words, w):
            self.words, self.w = words, w
            return sum(np.tanh(self.E[:, word] * w).sum() for word in words) / 2
        def backward(self, dout):
            rows, self.dE, dw = defaultdict(lambda: np.zeros(3)), np.zeros(self.E.shape), np.zeros(3)
            for word in self.words:
                slope = dout * (1 - np.tanh(self.E[:, word] * self.w) ** 2)
                rows[word] += slope * self.w
                dw += slope * self.E[:, word]
            for row in rows.values():
                row /= 2
            for word, row in rows.items():
                self.dE[:, word] = row
            return dw / 2
"""


def test_a_true_gradient_that_was_put_into_a_dict_is_not_changed_with_it(tmp_path):
    path = written(tmp_path, words=WORDS)
    given = {"words": np.array([1, 3, 1]), "w": np.random.default_rng(5).normal(size=3)}
    report, accused = judged(path, lambda module: module.Words(), **given)
    assert report.ok and not accused, report


STEPS = """
    class Sum:
        grad = None
        def take(self, grad):
            self.grad = grad
    class Steps:
        def __init__(self):
            self.W, self.V = np.random.default_rng(3).normal(size=(2, 3, 3))
            self.W_opt, self.V_opt = Sum(), Sum()
        def forward(self, x):
            self.x, self.h = x, [np.zeros(3)]
            for row in x:
                self.h.append(np.tanh(self.W @ row + self.V @ self.h[-1]))
            return np.stack(self.h[1:])
        def step(self, t, dh):
            raw = dh * (1 - self.h[t + 1] ** 2)
            self.dW, self.dV = np.outer(raw, self.x[t]), np.outer(raw, self.h[t])
            self.dx, self.dprev = self.W.T @ raw, self.V.T @ raw
        def backward(self, dout):
            sum_W, sum_V, dx = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((len(dout), 3))
            self.dprev = np.zeros(3)
            for t in reversed(range(len(dout))):
                self.step(t, dout[t] + self.dprev)
                sum_W += self.dW
                sum_V += self.dV
                dx[t] = self.dx
            self.W_opt.take(sum_W)
            self.V_opt.take(sum_V)
            return dx
"""


@pytest.mark.parametrize("wrong", ["", "raw = dh * (1 - self.h[t + 1] ** 3)"])
def test_the_sum_that_another_object_is_given_is_compared_and_not_what_the_last_step_left(tmp_path, wrong):
    path = written(tmp_path, steps=STEPS.replace("raw = dh * (1 - self.h[t + 1] ** 2)", wrong) if wrong else STEPS)
    report, accused = judged(path, lambda module: module.Steps(), x=np.random.default_rng(5).normal(size=(4, 3)))
    assert {*report.wrong_results} == ({"W", "V", "x"} if wrong else set()), report
    assert accused == ({wrong} if wrong else set())

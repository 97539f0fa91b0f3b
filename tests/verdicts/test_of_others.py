"""What others' programs do: slopes that stand in a table, layers of one class, what is kept for the next call."""

import numpy as np
import pytest
from written_modules import judged, written

R = np.random.default_rng(5)

TABLE = """
    def tanh_slope(s):
        return 1 - s ** 2

    def plain_slope(s):
        return 1

    ACTIVATIONS = {"tanh": (np.tanh, tanh_slope), "plain": (lambda z: z, plain_slope)}

    class Recurrent:
        def __init__(self):
            r = np.random.default_rng(0)
            self.W, self.U = r.normal(size=(2, 3)), r.normal(size=(3, 3))
            self.act, self.slope = ACTIVATIONS["tanh"]
        def forward(self, xs):
            self.xs, self.hs = xs, [np.zeros((len(xs), 3))]
            for t in range(xs.shape[1]):
                self.hs.append(self.act(xs[:, t] @ self.W + self.hs[-1] @ self.U))
            return self.hs[-1]
        def backward(self, dh):
            self.dW, self.dU = np.zeros_like(self.W), np.zeros_like(self.U)
            dxs = np.zeros_like(self.xs)
            for t in reversed(range(self.xs.shape[1])):
                da = dh * self.slope(self.hs[t + 1])
                self.dW += self.xs[:, t].T @ da
                self.dU += self.hs[t].T @ da
                dxs[:, t] = da @ self.W.T
                dh = da @ self.U.T
            return dxs
"""
LINEAR = """
    class Linear:
        def __init__(self, seed):
            r = np.random.default_rng(seed)
            self.W, self.b = r.normal(size=(4, 4)), r.normal(size=4)
        def forward(self, x):
            self.x = x
            return x @ self.W + self.b
        def backward(self, d):
            self.dW, self.db = self.x.T @ d, d.sum(axis=0)
            return d @ self.W.T
"""
ATTENTION = (
    LINEAR
    + """
    class Base:
        def backward(self, d):
            dv = self.weights.T @ d
            dweights = d @ self.values.T
            dscores = self.weights * (dweights - (dweights * self.weights).sum(axis=1, keepdims=True))
            dq = dscores @ self.keys / np.sqrt(self.size)
            dk = dscores.T @ self.queries / np.sqrt(self.size)
            return [self.q.backward(dq), self.k.backward(dk), self.v.backward(dv)]

    class Attention(Base):
        def __init__(self):
            self.q, self.k, self.v, self.size = Linear(0), Linear(1), Linear(2), 4
        def forward(self, x):
            self.queries, self.keys, self.values = self.q.forward(x), self.k.forward(x), self.v.forward(x)
            scores = self.queries @ self.keys.T / np.sqrt(self.size)
            e = np.exp(scores - scores.max(axis=1, keepdims=True))
            self.weights = e / e.sum(axis=1, keepdims=True)
            return self.weights @ self.values
        def backward(self, d):
            return np.sum(super().backward(d), axis=0)
"""
)
LAST_APART = """
    class Recurrent:
        def __init__(self):
            r = np.random.default_rng(0)
            self.W, self.U, self.b = r.normal(size=(2, 3)), r.normal(size=(3, 3)), r.normal(size=3)
        def forward(self, xs):
            self.xs, self.hs = xs, [np.zeros((len(xs), 3))]
            for t in range(xs.shape[1]):
                self.hs.append(np.tanh(xs[:, t] @ self.W + self.hs[-1] @ self.U + self.b))
            return self.hs[-1]
        def backward(self, dh):
            da = dh * (1 - self.hs[-1] ** 2)
            grad_W, grad_U, grad_b = self.xs[:, -1].T @ da, self.hs[-2].T @ da, da.sum(axis=0)
            dxs = np.zeros_like(self.xs)
            dxs[:, -1] = da @ self.W.T
            for t in reversed(range(self.xs.shape[1] - 1)):
                da = (da @ self.U.T) * (1 - self.hs[t + 1] ** 2)
                grad_W += self.xs[:, t].T @ da
                grad_U += self.hs[t].T @ da
                grad_b += da.sum(axis=0)
                dxs[:, t] = da @ self.W.T
            self.grad_W, self.grad_U, self.grad_b = grad_W, grad_U, grad_b
            return dxs
"""
STACKED = """
    class Cell:
        __slots__ = ("W", "U", "kept", "h", "dh_next", "dW", "dU")
        def __init__(self):
            r = np.random.default_rng(0)
            self.W, self.U, self.kept, self.h = r.normal(size=(2, 3)), r.normal(size=(3, 3)), [], np.zeros((4, 3))
            self.dh_next, self.dW, self.dU = np.zeros((4, 3)), np.zeros((2, 3)), np.zeros((3, 3))
        def forward(self, x):
            before, self.h = self.h, np.tanh(x @ self.W + self.h @ self.U)
            self.kept.append((x, before, self.h))
            return self.h
        def backward(self, grad_h):
            x, before, h = self.kept.pop()
            grad_h = grad_h + self.dh_next
            da = grad_h * (1 - h ** 2)
            db = grad_h * 0
            self.dW += x.T @ da
            self.dU += before.T @ da
            self.dh_next = da @ self.U.T
            return da @ self.W.T + db[:, :2]

    def loss_and_gradients(xs, W, U):
        cell = Cell()
        cell.W, cell.U = W, U
        outputs = [cell.forward(x) for x in xs]
        loss = sum(0.5 * (h ** 2).sum() for h in outputs)
        for h in reversed(outputs):
            cell.backward(h)
        return loss, cell.dW, cell.dU
"""


def told(folder, text, name, right="", wrong="", **inputs):
    """(the report on a program with a mistake in it, the lines that it accuses)."""
    assert not right or text.count(right) == 1
    methods = ("loss_and_gradients",) * 2 if name is None else ("forward", "backward")
    subject = (lambda module: module) if name is None else (lambda module: getattr(module, name)())
    text = text.replace(right, wrong) if right else text
    return judged(written(folder, program=text), subject, methods=methods, **inputs)


XS = R.normal(size=(4, 3, 2))
ROWS = R.normal(size=(5, 4))
STEPS = {"xs": R.normal(size=(3, 4, 2)), "W": R.normal(size=(2, 3)), "U": R.normal(size=(3, 3))}


@pytest.mark.parametrize(
    ("text", "name", "inputs"),
    [
        (TABLE, "Recurrent", {"xs": XS}),
        (ATTENTION, "Attention", {"x": ROWS}),
        (LAST_APART, "Recurrent", {"xs": XS}),
        (STACKED, None, STEPS),
    ],
)
def test_the_programs_are_right_as_they_are(tmp_path, text, name, inputs):
    report, accused = told(tmp_path, text, name, **inputs)
    assert not accused and not report.wrong_results, report


@pytest.mark.few(1)
@pytest.mark.parametrize("wrong", ["return 1 - s", "return 1 + s ** 2", "return s ** 2"])
def test_a_slope_that_stands_in_a_table_of_activations_is_accused_and_not_the_line_that_calls_it(tmp_path, wrong):
    report, accused = told(tmp_path, TABLE, "Recurrent", "return 1 - s ** 2", wrong, xs=XS)
    assert accused == {wrong}, report


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("return np.sum(super().backward(d), axis=0)", "return super().backward(d)[0]"),
        ("dq = dscores @ self.keys / np.sqrt(self.size)", "dq = dscores @ self.keys"),
        ("dv = self.weights.T @ d", "dv = self.weights @ d"),
    ],
)
def test_in_attention_the_line_is_accused_and_each_layer_is_compared_with_its_own(tmp_path, right, wrong):
    report, accused = told(tmp_path, ATTENTION, "Attention", right, wrong, x=ROWS)
    assert accused == {wrong}, report


@pytest.mark.slow
def test_a_gradient_that_the_loop_does_not_add_to_is_accused_where_it_begins(tmp_path):
    report, accused = told(tmp_path, LAST_APART, "Recurrent", "grad_b += da.sum(axis=0)\n", "pass\n", xs=XS)
    assert len(accused) == 1 and accused.pop().startswith("grad_W, grad_U, grad_b ="), report


def test_what_a_layer_keeps_for_its_next_call_and_never_reads_is_put_in_where_it_belongs(tmp_path):
    report, accused = told(tmp_path, STACKED, None, "grad_h = grad_h + self.dh_next\n", "\n", **STEPS)
    assert accused == {"da = grad_h * (1 - h ** 2)"}, report


DROPPED = """
    class Layer:
        def __init__(self):
            self.W = np.random.default_rng(0).normal(size=(4, 3))
        def forward(self, x):
            self.x, self.y = x, np.tanh(x @ self.W)
            return self.y
        def slope(self, d):
            return d * (1 - self.y ** 2)
        def backward(self, d):
            d = self.slope(d)
            self.dW = self.x.T @ d
            return d @ self.W.T
"""


def test_a_call_whose_result_is_dropped_is_accused(tmp_path):
    report, accused = told(tmp_path, DROPPED, "Layer", "d = self.slope(d)\n", "self.slope(d)\n", x=ROWS)
    assert accused == {"self.slope(d)"}, report


@pytest.mark.few(1)
@pytest.mark.parametrize("wrong", ["(y - t) / y.shape[0]", "(y - t) / y.shape[1]"])
def test_a_mean_over_one_axis_where_another_belongs_too_is_accused(tmp_path, wrong):
    loss = """
        def loss_and_gradients(x, W, t):
            y = x @ W
            loss = 0.5 * ((y - t) ** 2).mean()
            dy = (y - t) / (y.shape[0] * y.shape[1])
            return loss, dy @ W.T, x.T @ dy
    """
    inputs = {"x": ROWS, "W": R.normal(size=(4, 3)), "t": R.normal(size=(5, 3))}
    report, accused = told(tmp_path, loss, None, "(y - t) / (y.shape[0] * y.shape[1])", wrong, **inputs)
    assert accused == {f"dy = {wrong}"}, report

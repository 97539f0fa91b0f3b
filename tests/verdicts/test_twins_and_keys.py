"""What a line may have been meant to be by what stands elsewhere: the same line in another loop, what the object has
that is not read, a key of a dict, an operator's own method, the sign that a loss has."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(26)

WORDS = """
    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    class Words:
        def __init__(self, V, U):
            self.V, self.U = V, U
            self.dV, self.dU = np.zeros_like(V), np.zeros_like(U)

        def forward(self, h, others):
            return [sigmoid(-(h @ self.U[:, n])) for n in others]

        def backward(self, word, others, scores, h):
            dh = np.zeros_like(h)
            for k, n in enumerate(others):
                slope = -(1.0 - scores[k])
                dh += slope * (-self.U[:, n])
            for k, n in enumerate(others):
                slope = -(1.0 - scores[k])
                self.dU[:, n] += slope * (-h)
            self.dV[word] += dh

    def loss_and_gradients(V, U):
        words, loss = Words(V, U), 0.0
        for word, others in ((0, [1, 4, 2]), (3, [5, 1, 2])):
            h = words.V[word]
            scores = words.forward(h, others)
            loss += -sum([np.log(one) for one in scores])
            words.backward(word, others, scores, h)
        return loss, words.dV, words.dU
"""
VECTORS = {"V": R.normal(size=(6, 4)), "U": R.normal(size=(4, 6))}
FIRST = "slope = -(1.0 - scores[k])\n                dh"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("slope * (-self.U[:, n])", "slope * self.U[:, n]"),  # the line before is the same in the other loop
        (FIRST, FIRST.replace("-(1.0 - scores[k])", "scores[k]")),
        ("sigmoid(-(h @ self.U[:, n]))", "sigmoid(h @ self.U[:, n])"),  # not the sign of the logarithm
    ],
)
def test_the_line_that_has_no_twin_is_accused(tmp_path, right, wrong):
    _, lines = lines_accused(tmp_path, WORDS, right, wrong, VECTORS)
    assert len(lines) == 1 and all(wrong.partition("\n")[0] in line for line in lines)


LAYERS = """
    class ReLU:
        def __call__(self, x):
            self.x = x
            return np.maximum(x, 0)

        def back(self, dy):
            slope = 1.0 * (self.x > 0)
            return slope * dy

    class Net:
        def __init__(self, Ws):
            self.Ws, self.given, self.sums, self.relu = Ws, [], [], ReLU()

        def forward(self, x):
            for W in self.Ws:
                self.given.append(x)
                s = x @ W
                self.sums.append(s)
                x = np.tanh(s)
            return self.relu(x)

        def backward(self, dout):
            d, dWs = self.relu.back(dout), []
            for k in range(len(self.Ws))[::-1]:
                d = d * (1 - np.tanh(self.sums[k]) ** 2)
                dWs.insert(0, self.given[k].T @ d)
                d = d @ self.Ws[k].T
            return d, dWs

    def forward(x, W1, W2):
        net = Net([W1, W2])
        return net.forward(x), net

    def backward(dout, net):
        dx, (dW1, dW2) = net.backward(dout)
        return dx, dW1, dW2
"""


@pytest.mark.parametrize(
    ("right", "wrong"), [("(self.x > 0)", "(dy > 0)"), ("np.tanh(self.sums[k])", "np.tanh(self.given[k])")]
)
def test_what_the_object_has_and_the_function_reads_nowhere_is_put_in(tmp_path, right, wrong):
    square = {"x": R.normal(size=(4, 4)), "W1": R.normal(size=(4, 4)), "W2": R.normal(size=(4, 4))}
    _, lines = lines_accused(tmp_path, LAYERS, right, wrong, square)
    assert len(lines) == 1 and all(wrong in line for line in lines)


STACK = """
    def tanh_slope(s):
        return 1 - np.tanh(s) ** 2

    def forward(x, W0, W1, W2):
        cache, weights = {"A0": x}, [W0, W1, W2]
        for k in range(3):
            cache["Z" + str(k + 1)] = cache["A" + str(k)] @ weights[k]
            cache["A" + str(k + 1)] = np.tanh(cache["Z" + str(k + 1)])
        return cache["A3"], (cache, weights)

    def backward(dout, kept):
        cache, weights = kept
        grads, d = {}, dout
        for k in (3, 2, 1):
            dz = d * tanh_slope(cache["Z" + str(k)])
            grads["dW" + str(k - 1)] = cache["A" + str(k - 1)].T @ dz
            d = dz @ weights[k - 1].T
        return d, grads["dW0"], grads["dW1"], grads["dW2"]
"""


def test_another_word_of_a_key_is_put_in_and_a_right_derivative_is_left(tmp_path):
    given = {"x": R.normal(size=(4, 3)), "W0": R.normal(size=(3, 5)), "W1": R.normal(size=(5, 6))}
    given |= {"W2": R.normal(size=(6, 2))}
    right, wrong = 'tanh_slope(cache["Z" + str(k)])', 'tanh_slope(cache["A" + str(k)])'
    _, lines = lines_accused(tmp_path, STACK, right, wrong, given)
    assert len(lines) == 1 and all(wrong in line for line in lines)


SUMS = """
    class Gradients:
        def __init__(self, dW, dU):
            self.dW, self.dU = dW, dU

        def __iadd__(self, other):
            self.dW += other.dW
            self.dU += other.dU
            return self

    def loss_and_gradients(xs, W, U):
        total, loss = Gradients(np.zeros_like(W), np.zeros_like(U)), 0.0
        for x in xs:
            h = np.tanh(W @ x)
            y = U @ h
            loss += 0.5 * np.sum(y ** 2)
            total += Gradients(np.outer((U.T @ y) * (1 - h ** 2), x), np.outer(y, h))
        return loss, total.dW, total.dU
"""


def test_a_method_that_an_operator_calls_is_looked_into(tmp_path):
    given = {"xs": R.normal(size=(3, 4)), "W": R.normal(size=(4, 4)), "U": R.normal(size=(4, 4))}
    _, lines = lines_accused(tmp_path, SUMS, "self.dU += other.dU", "self.dU += other.dW", given)
    assert lines == {"self.dU += other.dW"}


PARTS = """
    def forward(x, W, b):
        p = np.pad(x, ((1, 2), (0, 0)))
        a = p @ W[::-1] + b
        return np.maximum(a, 0), (x, W, p, a)

    def backward(dout, cache):
        x, W, p, a = cache
        da = dout * (a > 0)
        dW = (p.T @ da)[::-1]
        ends = (1, 2)
        dp = da @ W[::-1].T
        dx = dp[ends[0]:-ends[1]]
        return dx, dW, da.sum(axis=0)
"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("da = dout * (a > 0)", "da = dout * a"),
        ("dp[ends[0]:-ends[1]]", "dp[ends[1]:-ends[0]]"),
        ("dp = da @ W[::-1].T", "dp = da @ W[::-1, ::-1].T"),
    ],
)
def test_parts_and_conditions_are_put_right(tmp_path, right, wrong):
    given = {"x": R.normal(size=(3, 4)), "W": R.normal(size=(4, 5)), "b": R.normal(size=5)}
    _, lines = lines_accused(tmp_path, PARTS, right, wrong, given)
    assert len(lines) == 1 and all(wrong in line for line in lines)


HIDDEN = """
    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def forward(x, W, U):
        h = sigmoid(x @ W)
        return h @ U, (x, W, U, h)

    def backward(dout, cache):
        x, W, U, h = cache
        dh = dout @ U.T
        da = dh * (h * (1 - h))
        return da @ W.T, x.T @ da, h.T @ dout
"""


def test_a_whole_derivative_of_a_sigmoid_is_put_back(tmp_path):
    given = {"x": R.normal(size=(3, 4)), "W": R.normal(size=(4, 5)), "U": R.normal(size=(5, 2))}
    _, lines = lines_accused(tmp_path, HIDDEN, "da = dh * (h * (1 - h))", "da = dh", given)
    assert lines == {"da = dh"}


CUT_OFF = """
    def forward(x, W, U):
        h = x @ W
        h[h < 0] = 0
        return h @ U, (x, W, U, h)

    def backward(dout, cache):
        x, W, U, h = cache
        d = dout @ U.T
        d *= h != 0
        return d @ W.T, x.T @ d, h.T @ dout
"""


def test_the_mask_of_what_is_set_to_zero_below_zero_is_put_back(tmp_path):
    given = {"x": R.normal(size=(3, 4)), "W": R.normal(size=(4, 5)), "U": R.normal(size=(5, 2))}
    _, lines = lines_accused(tmp_path, CUT_OFF, "        d *= h != 0\n", "", given)
    assert lines == {"d = dout @ U.T"}


CARRIED = """
    def below(d, V):
        return d @ V.T

    def step_backward(dh, kept, W, U):
        x, before, h = kept
        da = dh * (1 - h ** 2)
        return da @ W.T, da @ U.T, x.T @ da, before.T @ da

    def run_forward(x, h0, W, U, V):
        h, kept, ys = h0, [], []
        for t in range(len(x)):
            before, h = h, np.tanh(x[t] @ W + h @ U)
            kept.append((x[t], before, h))
            ys.append(h @ V)
        return np.stack(ys), (kept, W, U, V)

    def run_backward(dys, cache):
        kept, W, U, V = cache
        dx, dW, dU, dV = [], np.zeros_like(W), np.zeros_like(U), np.zeros_like(V)
        dh_next = np.zeros_like(kept[0][1])
        for t in reversed(range(len(dys))):
            dV += kept[t][2].T @ dys[t]
            dh = below(dys[t], V)
            dx_t, dh_next, dW_t, dU_t = step_backward(dh + dh_next, kept[t], W, U)
            dx.insert(0, dx_t)
            dW += dW_t
            dU += dU_t
        return np.stack(dx), dh_next, dW, dU, dV
"""


def test_what_a_loop_carries_is_added_where_a_step_is_given_it(tmp_path):
    given = {"x": R.normal(size=(4, 2, 3)), "h0": R.normal(size=(2, 5)), "W": R.normal(size=(3, 5))}
    given |= {"U": R.normal(size=(5, 5)) / 2, "V": R.normal(size=(5, 4))}
    right, wrong = "step_backward(dh + dh_next, kept[t]", "step_backward(dh, kept[t]"
    _, lines = lines_accused(tmp_path, CARRIED, right, wrong, given)
    assert len(lines) == 1 and all(wrong in line for line in lines)

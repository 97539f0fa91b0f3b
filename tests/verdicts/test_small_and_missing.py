"""A small number that is differentiated is no reason to judge another loss; statements that are missing where others
like them are there; masks and rows taken otherwise than meant."""

import numpy as np
import pytest
from students import lines_accused

R = np.random.default_rng(71)

SATURATED = """
    def softmax(z):
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def slope(p, y):
        out = np.zeros_like(p)
        out[np.arange(len(y)), y] = 1
        return -out / (p + 1e-10) / len(y)

    def loss_and_gradients(x, y, W, b):
        h = np.tanh(x @ W)
        p = softmax(4 * h + b)
        loss = np.mean(-np.log(p[np.arange(len(y)), y] + 1e-10))
        dp = slope(p, y)
        dz = p * (dp - np.sum(dp * p, axis=1, keepdims=True))
        dh = 4 * dz * (1 - h**2)
        return loss, x.T @ dh, dz.sum(axis=0)
"""
SURE = {"x": R.normal(size=(3, 4)), "y": np.array([2, 0, 4]), "W": R.normal(size=(4, 5)), "b": R.normal(size=5)}


def test_of_a_saturated_softmax_the_small_number_that_its_derivative_has_is_judged(tmp_path):
    given = SURE | {"b": np.array([0.0, 19.0, 0.0, 0.0, 0.0])}  # of which the others are hardly likelier than 1e-10
    report, lines = lines_accused(tmp_path, SATURATED, "", "", given)
    assert report.ok and not lines
    _, lines = lines_accused(tmp_path, SATURATED, "np.sum(dp * p,", "np.sum(dp,", given)
    assert lines == {"dz = p * (dp - np.sum(dp, axis=1, keepdims=True))"}


MASKED = """
    def forward(x, W, V, mask):
        kept = W.copy()
        kept *= mask
        h = np.tanh(x @ kept)
        return h @ V, (x, W, V, mask, h)

    def backward(dy, cache):
        x, W, V, mask, h = cache
        da = (dy @ V.T) * (1 - h**2)
        used = W.copy()
        used *= mask
        dx = da @ used.T
        dW = x.T @ da
        dW *= mask
        return dx, dW, h.T @ dy
"""
HALF = (R.random((4, 5)) > 0.4) / 0.6
MASKS = {"x": R.normal(size=(3, 4)), "W": R.normal(size=(4, 5)), "V": R.normal(size=(5, 2)), "mask": HALF}


@pytest.mark.parametrize("missing, line", [("dW *= mask", "dW = x.T @ da"), ("used *= mask", "used = W.copy()")])
def test_what_is_done_in_place_to_one_of_two_variables_is_missed_of_the_other(tmp_path, missing, line):
    _, lines = lines_accused(tmp_path, MASKED, missing, "pass", MASKS)
    assert lines == {line}


NEGATIVES = """
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    def loss_and_gradients(center, context, others):
        pos_score, neg_scores = context @ center, others @ center
        neg_prob = sigmoid(-neg_scores)
        loss = -np.log(sigmoid(pos_score)) - np.sum(np.log(neg_prob))
        d_pos = sigmoid(pos_score) - 1
        d_hidden = np.zeros_like(center)
        d_hidden += d_pos * context
        d_neg = sigmoid(neg_scores)
        d_hidden += others.T @ d_neg
        return loss, d_hidden, d_pos * center, np.outer(d_neg, center)
"""
WORDS = {"center": R.normal(size=4), "context": R.normal(size=4), "others": R.normal(size=(3, 4))}


def test_negative_samples_without_their_minus_are_accused_in_the_loss(tmp_path):
    _, lines = lines_accused(tmp_path, NEGATIVES, "sigmoid(-neg_scores)", "sigmoid(neg_scores)", WORDS)
    assert lines == {"neg_prob = sigmoid(neg_scores)"}


def test_a_product_that_is_never_added_is_missed_of_the_sum_it_belongs_to(tmp_path):
    _, lines = lines_accused(tmp_path, NEGATIVES, "        d_hidden += others.T @ d_neg\n", "", WORDS)
    assert lines == {"d_hidden += d_pos * context"}


ROWS = """
    def loss_and_gradients(tokens, labels, E, W):
        z = E[tokens] @ W
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        loss = -np.log(p[range(len(z)), labels]).sum()
        dz = p.copy()
        dz[range(len(z)), labels] -= 1
        return loss, backward(tokens, dz @ W.T, E), E[tokens].T @ dz

    def backward(tokens, above, E):
        dE = np.zeros_like(E)
        for token in np.unique(tokens):
            mask = tokens == token
            dE[token] = above[mask].sum(axis=0)
        return dE
"""
TOKENS = {"tokens": np.array([2, 0, 2, 1, 4]), "labels": np.array([1, 0, 2, 2, 1])}
TOKENS |= {"E": R.normal(size=(5, 4)), "W": R.normal(size=(4, 3))}


@pytest.mark.parametrize(
    "right, wrong",
    [("dz[range(len(z)), labels] -= 1", "dz[:, labels] -= 1"), ("mask = tokens == token", "mask = tokens >= token")],
)
def test_rows_taken_all_at_once_and_a_mask_of_too_many_are_accused(tmp_path, right, wrong):
    _, lines = lines_accused(tmp_path, ROWS, right, wrong, TOKENS)
    assert lines == {wrong}


def test_a_derivative_in_the_place_of_another_activation_accuses_the_forward_pass(tmp_path):
    source = """
        def forward(x, h, W, U):
            h_next = np.tanh(x @ W + h @ U)
            return h_next, (x, h, W, U, h_next)

        def backward(dh, cache):
            x, h, W, U, h_next = cache
            da = dh * (1 - np.power(h_next, 2))
            return da @ W.T, da @ U.T, x.T @ da, h.T @ da
    """
    given = {"x": R.normal(size=(2, 3)), "h": R.normal(size=(2, 4))}
    given |= {"W": R.normal(size=(3, 4)), "U": R.normal(size=(4, 4))}
    sigmoid = "1 / (1 + np.exp(-(x @ W + h @ U)))"
    _, lines = lines_accused(tmp_path, source, "np.tanh(x @ W + h @ U)", sigmoid, given)
    assert lines == {f"h_next = {sigmoid}"}


TWO = """
    class Cell:
        def __init__(self, W, U):
            self.W, self.U = W, U

        def forward(self, x, h):
            self.x, self.before, self.h = x, h, np.tanh(x @ self.W + h @ self.U)
            return self.h

        def backward(self, dh):
            da = dh * (1 - self.h**2)
            self.dW, self.dU = self.x.T @ da, self.before.T @ da
            return da @ self.U.T

    class Linear:
        def __init__(self, V, b):
            self.V, self.b = V, b

        def forward(self, h):
            self.h = h
            return h @ self.V + self.b

        def backward(self, dy):
            self.dV = self.h.T @ dy
            self.db = np.sum(dy, axis=0, keepdims=True)
            return dy @ self.V.T

    def loss_and_gradients(x, h, W, U, V, b):
        cell, last = Cell(W, U), Linear(V, b)
        y = last.forward(cell.forward(x, h))
        dh = cell.backward(last.backward(y))
        return np.sum(y**2) / 2, dh, cell.dW, cell.dU, last.dV, last.db
"""
SIZES = {"x": (2, 3), "h": (2, 4), "W": (3, 4), "U": (4, 4), "V": (4, 5), "b": (1, 5)}


def test_a_result_of_the_wrong_shape_does_not_hide_another_mistake(tmp_path):
    given = {name: R.normal(size=shape) for name, shape in SIZES.items()}
    wrong = TWO.replace("self.before.T @ da", "self.h.T @ da")
    _, lines = lines_accused(tmp_path, wrong, "np.sum(dy, axis=0", "np.sum(dy, axis=1", given)
    assert len(lines) == 2 and {line[:7] for line in lines} == {"self.dW", "self.db"}


def test_gradients_returned_in_each_others_place_are_not_called_right_for_their_values(tmp_path):
    source = """
        class Model:
            def __init__(self, E_in, E_out):
                self.table, self.other = E_in, E_out
                self.d_input, self.d_output = np.zeros_like(E_in), np.zeros_like(E_out)

            def backward(self, x, h, dy):
                of_input, of_output = x.T @ (dy @ self.other), dy.T @ h
                return of_input, of_output

            def step(self, x, y):
                h = x @ self.table
                dy = h @ self.other.T - y
                one, other = self.backward(x, h, dy)
                self.d_input += one
                self.d_output += other
                return np.sum(dy**2) / 2

        def loss_and_gradients(x, y, E_in, E_out):
            model = Model(E_in, E_out)
            loss = model.step(x, y)
            return loss, model.d_input, model.d_output
    """
    given = {"x": R.normal(size=(3, 5)), "y": R.normal(size=(3, 5))}
    given |= {"E_in": R.normal(size=(5, 4)), "E_out": R.normal(size=(5, 4))}
    report, lines = lines_accused(tmp_path, source, "", "", given)
    assert report.ok and not lines
    report, lines = lines_accused(tmp_path, source, "return of_input, of_output", "return of_output, of_input", given)
    assert not report.ok and len(lines) == 1

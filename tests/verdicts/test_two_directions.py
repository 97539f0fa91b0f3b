"""Layers that read a sequence both ways: what is only done in one direction, and what is made and then not added."""

import numpy as np
import pytest
from students import accused_in_turn

R = np.random.default_rng(21)
BOTH = """
    class Layer:
        def __init__(self, W, U, turned):
            self.W, self.U, self.turned, self.dW, self.dU = W, U, turned, np.zeros_like(W), np.zeros_like(U)

        def forward(self, x):
            self.x = x[::-1] if self.turned else x
            self.h = [np.zeros((x.shape[1], len(self.U)))]
            for t in range(len(x)):
                self.h.append(1.5 * np.tanh(self.x[t] @ self.W + self.h[t] @ self.U))  # no cell that is known
            made = np.stack(self.h[1:])
            return made[::-1] if self.turned else made

        def backward(self, dout):
            above = dout[::-1] if self.turned else dout
            dx, later = np.zeros_like(self.x), 0.0
            for t in reversed(range(len(above))):
                da = (above[t] + later) * (1.5 - self.h[t + 1] ** 2 / 1.5)
                self.dW += self.x[t].T @ da
                self.dU += self.h[t].T @ da
                dx[t] = da @ self.W.T
                later = da @ self.U.T
            return dx[::-1] if self.turned else dx

    class Both:
        def __init__(self, there, back):
            self.there, self.back = there, back

        def forward(self, x):
            return np.concatenate((self.there.forward(x), self.back.forward(x)), axis=-1)

        def backward(self, dout):
            dout_there, dout_back = np.split(dout, 2, axis=-1)
            dx_there = self.there.backward(dout_there)
            dx_back = self.back.backward(dout_back)
            return dx_there + dx_back

    def loss_and_gradients(x, y, V, W, U, Z):
        n = len(y)
        both = Both(Layer(W, U, False), Layer(V, Z, True))
        steps = np.arange(1, len(x) + 1)[:, None, None]
        scores = np.sum(steps * both.forward(x), axis=0)
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        loss = -np.sum(np.log(p[np.arange(n), y])) / n
        dscores = steps * (p - np.eye(scores.shape[1])[y]) / n
        dx = both.backward(dscores)
        return loss, dx, both.back.dW, both.there.dW, both.there.dU, both.back.dU
"""
GIVEN = {"x": R.normal(size=(3, 2, 2)), "y": np.array([5, 1]), "V": R.normal(size=(2, 3)), "W": R.normal(size=(2, 3))}
GIVEN |= {"U": R.normal(size=(3, 3)), "Z": R.normal(size=(3, 3))}


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("", ""),
        ("above = dout[::-1] if self.turned else dout", "above = dout"),
        ("return dx[::-1] if self.turned else dx", "return dx"),
        ("return dx_there + dx_back", "return dx_there"),
        ("return dx_there + dx_back", "return dx_back"),
        ("[y]) / n", "[y])"),
        ("later = da @ self.U.T", "later = da @ self.U"),
    ],
)
def test_a_slip_in_what_belongs_to_one_direction_or_to_both_is_accused_where_it_is(tmp_path, right, wrong):
    report, lines = accused_in_turn(tmp_path, BOTH, right, wrong, GIVEN)
    assert [wrong in line for line in lines] == ([True] if wrong else []), report

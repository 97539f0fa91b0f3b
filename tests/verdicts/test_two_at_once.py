"""Two mistakes at once of which one leaves no wrong line, or that one other line alone could make up for."""

import pytest
from students import write
from test_edits import accused
from test_several import planted

LOSS = '''
    def loss_and_gradients(x, W, U, b):
        """x (N, D), W (D, H), U (H, K), b (K,)"""
        loss, h = 0, []
        for n in range(len(x)):
            h.append(np.tanh(x[n] @ W))
            loss += 0.5 * np.sum((h[n] @ U + b) ** 2)
        dW, dU = np.zeros_like(W), np.zeros_like(U)
        db = np.zeros_like(b)
        for n in range(len(x)):
            do = h[n] @ U + b
            da = do @ U.T * (1 - h[n] ** 2)
            dW += np.outer(x[n], da)
            dU += np.outer(h[n], do)
            db += do
        return loss, 1.0 * dW, 1.0 * dU, 1.0 * db
'''


@pytest.mark.slow
def test_a_sum_that_is_never_added_to_is_found_beside_another_mistake(tmp_path):
    """The line that starts the sum is accused for the one that is missing."""
    other = ("da = do @ U.T * (1 - h[n] ** 2)", "da = do @ U.T * (1 - h[n])")
    source = planted(LOSS, other, ("db += do", "pass"))
    assert accused(write(tmp_path, source)) == {"db = np.zeros_like(b)", other[1]}


@pytest.mark.slow
def test_two_slips_are_accused_and_not_the_return_that_could_make_up_for_both(tmp_path):
    mistakes = ("dU += np.outer(h[n], do)", "dU = np.outer(h[n], do)"), ("db += do", "db = do")
    assert accused(write(tmp_path, planted(LOSS, *mistakes))) == {wrong for _, wrong in mistakes}


TWICE = '''
    def slope(y):
        return 1 - y**2
    def net_forward(x, W, V, U):
        """x (N, D), W (D, H), V (H, H), U (H, K)"""
        g = np.tanh(x @ W)
        h = np.tanh(g @ V)
        return h @ U, (x, g, h, W, V, U)
    def net_backward(dout, cache):
        x, g, h, W, V, U = cache
        dU = h.T @ dout
        dh = (dout @ U.T) * slope(h)
        dV = g.T @ dh
        dg = (dh @ V.T) * slope(g)
        dW = x.T @ dg
        return dg @ W.T, dW, dV, dU
'''


def test_a_slip_that_puts_some_results_right_is_found_where_no_values_of_two_lines_do(tmp_path):
    """The helper is wrong wherever it is called, and what is wrong besides has nothing to do with it."""
    mistakes = ("return 1 - y**2", "return 1 - y"), ("dU = h.T @ dout", "dU = g.T @ dout")
    assert accused(write(tmp_path, planted(TWICE, *mistakes))) == {wrong for _, wrong in mistakes}


@pytest.mark.slow
def test_a_loop_that_stops_too_early_is_found_beside_another_mistake(tmp_path):
    mistakes = (
        ("for n in range(len(x)):\n            do", "for n in range(len(x) - 1):\n            do"),
        (
            "da = do @ U.T * (1 - h[n] ** 2)",
            "da = do @ U.T * (1 - h[n])",
        ),
    )
    wanted = {"for n in range(len(x) - 1):", "da = do @ U.T * (1 - h[n])"}
    assert accused(write(tmp_path, planted(LOSS, *mistakes))) == wanted


MEAN = """
    def loss_and_gradients(x, h, U):
        '''x (T, N, H), h (N, H), U (H, H)'''
        n = len(h)
        hs = [h]
        for t in range(len(x)):
            hs.append(np.tanh(x[t] + hs[-1] @ U))
        loss = 0.5 * np.sum(hs[-1] ** 2) / n
        dh, dU = hs[-1], np.zeros_like(U)
        for t in reversed(range(1, len(hs))):
            da = dh * (1 - hs[t] ** 2)
            dU += hs[t - 1].T @ da / n
            dh = da @ U.T
        return loss, dh, dU
"""


@pytest.mark.slow
def test_a_mean_that_is_made_where_a_gradient_is_returned_may_be_forgotten_there(tmp_path):
    assert not accused(write(tmp_path, planted(MEAN, ("return loss, dh, dU", "return loss, dh / n, dU"))))
    assert accused(write(tmp_path, MEAN)) == {"return loss, dh, dU"}

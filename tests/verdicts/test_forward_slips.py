"""Slips in the forward pass: its line is accused, and none of the backward pass, which is right for what was meant; but
what a backward pass lacks is not put on the forward pass."""

import numpy as np
import pytest
from students import lines_accused, write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded
from tinyrnn.verdicts.repair.likely_slips import names_read

R = np.random.default_rng(5)
LSTM = """
    import numpy as np

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def run_forward(x, c0, W, U, b):
        h, c, caches, hs = np.zeros_like(c0), c0, [], []
        for t in range(len(x)):
            a = x[t] @ W + h @ U + b
            i, f, o, g = sigmoid(a[:, :4]), sigmoid(a[:, 4:8]), sigmoid(a[:, 8:12]), np.tanh(a[:, 12:])
            c_next = f * c + i * g
            s = np.tanh(c_next)
            caches.append((x[t], h, c, i, f, o, g, s))
            h, c = o * s, c_next
            hs.append(h)
        return np.stack(hs), (caches, W, U)

    def run_backward(dhs, cache):
        caches, W, U = cache
        dx, dW, dU, db = [], np.zeros_like(W), np.zeros_like(U), np.zeros(16)
        dh_next, dc = np.zeros_like(dhs[0]), np.zeros_like(dhs[0])
        for t in reversed(range(len(dhs))):
            x, h, c, i, f, o, g, s = caches[t]
            dh = dhs[t] + dh_next
            do = dh * s
            dc = dc + dh * o * (1 - s**2)
            di, df, dg = dc * g, dc * c, dc * i
            da = np.hstack((di * i * (1 - i), df * f * (1 - f), do * o * (1 - o), dg * (1 - g**2)))
            dx.append(da @ W.T)
            dW += x.T @ da
            dU += h.T @ da
            db += da.sum(axis=0)
            dh_next, dc = da @ U.T, dc * f
        return np.stack(dx[::-1]), dc, dW, dU, db
    """
GRU = """
    import numpy as np

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def run_forward(x, h, Wz, Uz, Wn, Un, bz):
        z = sigmoid(x @ Wz + h @ Uz + bz)
        n = np.tanh(x @ Wn + h @ Un)
        h_next = (1 - z) * n + z * h
        return h_next, (x, h, z, n, Wz, Uz, Wn, Un)

    def run_backward(dh_next, cache):
        x, h, z, n, Wz, Uz, Wn, Un = cache
        dz, dn = dh_next * (h - n), dh_next * (1 - z)
        daz, dan = dz * z * (1 - z), dn * (1 - n**2)
        dx = daz @ Wz.T + dan @ Wn.T
        dh = dh_next * z + daz @ Uz.T + dan @ Un.T
        return dx, dh, x.T @ daz, h.T @ daz, x.T @ dan, h.T @ dan, daz.sum(axis=0)
    """
NORM = """
    import numpy as np

    def run_forward(x, gamma, beta):
        mu = x.mean(axis=0)
        var = np.var(x, axis=0)
        inv = 1 / np.sqrt(var + 1e-5)
        x_hat = (x - mu) * inv
        return gamma * x_hat + beta, (x_hat, inv, gamma)

    def run_backward(dout, cache):
        x_hat, inv, gamma = cache
        N = dout.shape[0]
        dbeta, dgamma = dout.sum(axis=0), (dout * x_hat).sum(axis=0)
        dx_hat = dout * gamma
        dx = (N * dx_hat - dx_hat.sum(axis=0) - x_hat * (dx_hat * x_hat).sum(axis=0)) * inv / N
        return dx, dgamma, dbeta
    """
RESET = """
    import numpy as np

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def run_forward(x, h, Wr, Ur, Wn, Un):
        r = sigmoid(x @ Wr + h @ Ur)
        n = np.tanh(x @ Wn + r * (h @ Un))
        return n, (x, h, r, n, Wr, Ur, Wn, Un)

    def run_backward(dn, cache):
        x, h, r, n, Wr, Ur, Wn, Un = cache
        dan = dn * (1 - n**2)
        dr = dan * (h @ Un)
        dar = dr * r * (1 - r)
        dx = dan @ Wn.T + dar @ Wr.T
        dh = (dan * r) @ Un.T + dar @ Ur.T
        return dx, dh, x.T @ dar, h.T @ dar, x.T @ dan, h.T @ (dan * r)
    """
TEXT = """
    import numpy as np

    def relu(v):
        return np.maximum(v, 0)

    def step(x, h, W, U):
        return 1.5 * np.tanh(x @ W + h @ U)  # no cell that is known

    def run_forward(x, h0, W, U, V):
        h, loss, kept = h0, 0.0, []
        for t in range(len(x)):
            before = h
            h = step(x[t], before, W, U)
            s = relu(h)
            y = s @ V
            loss += 0.5 * np.sum(y**2)
            kept.append((x[t], before, h, s, y))
        return loss, (kept, W, U, V)

    def run_backward(dloss, cache):
        kept, W, U, V = cache
        dW, dU, dV, dx = np.zeros_like(W), np.zeros_like(U), np.zeros_like(V), []
        dh_next = np.zeros_like(kept[0][1])
        for x, before, h, s, y in reversed(kept):
            dy = dloss * y
            dV += s.T @ dy
            ds = dy @ V.T
            dh = ds * (h > 0) + dh_next
            da = dh * (1.5 - h**2 / 1.5)
            dW += x.T @ da
            dU += before.T @ da
            dx.append(da @ W.T)
            dh_next = da @ U.T
        return np.stack(dx[::-1]), dh_next, dW, dU, dV
    """
MASKED = """
    import numpy as np

    def run_forward(x, W, V):
        a = x @ W
        mask = a <= 0
        z = a.copy()
        z[mask] = 0
        return z @ V, (x, z, mask, W, V)

    def run_backward(dout, cache):
        x, z, mask, W, V = cache
        dz = dout @ V.T
        da = dz.copy()
        da[mask] = 0
        return da @ W.T, x.T @ da, z.T @ dout
    """
STATES = """
    import numpy as np

    def run_forward(x, h0, W, U):
        before, hs = [], []
        h_prev = h0
        for t in range(len(x)):
            h_curr = 1.5 * np.tanh(x[t] @ W + h_prev @ U)  # no cell that is known
            before.append(h_prev)
            hs.append(h_curr)
            h_prev = h_curr
        return np.stack(hs), (x, before, hs, W, U)

    def run_backward(dhs, cache):
        x, before, hs, W, U = cache
        dW, dU, dx, dh_next = np.zeros_like(W), np.zeros_like(U), np.zeros_like(x), np.zeros_like(hs[0])
        for t in reversed(range(len(x))):
            da = (dhs[t] + dh_next) * (1.5 - hs[t] ** 2 / 1.5)
            dW += x[t].T @ da
            dU += before[t].T @ da
            dx[t] = da @ W.T
            dh_next = da @ U.T
        return dx, dh_next, dW, dU
    """
BOTH_WAYS = """
    import numpy as np

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def run_forward(x, c0, W, V):
        there, back, first, second = c0, c0, [], []
        for t in range(len(x)):
            a = x[t] @ W
            i, g = sigmoid(a[:, :4]), np.tanh(a[:, 4:])
            there = 0.5 * there + i * g
            first.append((i, g))
        for t in reversed(range(len(x))):
            a = x[t] @ V
            i, g = sigmoid(a[:, :4]), np.tanh(a[:, 4:])
            back = 0.25 * back + i * g
            second.append((i, g))
        return there, back, (x, first, second[::-1], W, V)

    def run_backward(dthere, dback, cache):
        x, first, second, W, V = cache
        dx, dW, dV, dc0 = np.zeros_like(x), np.zeros_like(W), np.zeros_like(V), 0.0
        for t in reversed(range(len(x))):
            i, g = first[t]
            da = np.hstack((dthere * g * i * (1 - i), dthere * i * (1 - g**2)))
            dx[t] += da @ W.T
            dW += x[t].T @ da
            dthere = 0.5 * dthere
        for t in range(len(x)):
            i, g = second[t]
            da = np.hstack((dback * g * i * (1 - i), dback * i * (1 - g**2)))
            dx[t] += da @ V.T
            dV += x[t].T @ da
            dback = 0.25 * dback
        return dx, dthere + dback, dW, dV
    """
GATES = """
    import numpy as np

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    def run_forward(x, W, V, U, c0):
        c, kept = c0, []
        for t in range(len(x)):
            f = sigmoid(x[t] @ W)
            i = sigmoid(x[t] @ V)
            g = np.tanh(x[t] @ U)
            c_next = np.tanh(0.5 * c * f) + i * g  # no cell that is known
            kept.append((c, f.copy(), i.copy(), g))
            c = c_next
        return c, (x, kept, W, V, U)

    def run_backward(dc, cache):
        x, kept, W, V, U = cache
        dx, dW, dV, dU = np.zeros_like(x), np.zeros_like(W), np.zeros_like(V), np.zeros_like(U)
        for t in reversed(range(len(x))):
            c, f, i, g = kept[t]
            dm = 0.5 * dc * (1 - np.tanh(0.5 * c * f) ** 2)
            df, di, dg = dm * c, dc * g, dc * i
            daf, dai, dag = df * f * (1 - f), di * i * (1 - i), dg * (1 - g**2)
            dx[t] = daf @ W.T + dai @ V.T + dag @ U.T
            dW += x[t].T @ daf
            dV += x[t].T @ dai
            dU += x[t].T @ dag
            dc = dm * f
        return dx, dW, dV, dU, dc
    """
SHARED = """
    import numpy as np

    class Cell:
        def __init__(self, W, V, U):
            self.W, self.V, self.U = W, V, U

        def forward(self, x, c):
            self.x, self.c = x, c
            n = c.shape[1]
            a = x @ self.W
            self.f, self.i = np.tanh(a[:, :n]) / 2, np.exp(-a[:, n : 2 * n] ** 2)
            self.r = np.cos(x @ self.V)
            self.m = np.maximum(self.r * c + x @ self.U, 0)
            return self.f * c + self.i * self.m

        def backward(self, d):
            df, di, dm = d * self.c, d * self.m, d * self.i
            ds = dm * (self.m > 0)
            dr = ds * self.c
            da = np.hstack((df * (1 - 4 * self.f**2) / 2, -2 * di * self.i * (self.x @ self.W)[:, d.shape[1] :]))
            dv = -dr * np.sin(self.x @ self.V)
            dc = d * self.f + ds * self.r
            return da @ self.W.T + dv @ self.V.T + ds @ self.U.T, dc, self.x.T @ da, self.x.T @ dv, self.x.T @ ds

    def run_forward(x, c0, W, V, U):
        cell = Cell(W, V, U)
        return cell.forward(x, c0), cell

    def run_backward(d, cell):
        return cell.backward(d)
    """
LATE = """
    import numpy as np

    class Out:
        def __init__(self, V):
            self.V = V

        def forward(self, h):
            self.h = h
            return h @ self.V

        def backward(self, d):
            self.dV = self.h.T @ d
            return d @ self.V.T

    def run_forward(x, h0, W, U, V):
        states, out = np.zeros((len(x) + 1, len(h0))), Out(V)
        states[0] = h0
        for t in range(len(x)):
            states[t + 1] = np.tanh(x[t] @ W + states[t] @ U)
        return out.forward(states[1:]), (x, states, out, W, U)

    def run_backward(dout, cache):
        x, states, out, W, U = cache
        above = out.backward(dout)
        dx, dW, dU, later = np.zeros_like(x), np.zeros_like(W), np.zeros_like(U), np.zeros(len(U))
        for t in reversed(range(len(x))):
            da = (above[t] + later) * (1 - states[t + 1] ** 2)
            dW += np.outer(x[t], da)
            dU += np.outer(states[t], da)
            dx[t] = da @ W.T
            later = da @ U.T
        return dx, later, dW, dU, out.dV
    """
ZEROS = STATES.replace("x, h0, W, U)", "x, W, U)", 1).replace("h_prev = h0", "h_prev = np.zeros((2, 4))")
ZEROS = ZEROS.replace("return dx, dh_next, dW, dU", "return dx, dW, dU")
GIVEN = {
    LSTM: {
        "x": R.normal(size=(3, 2, 5)),
        "c0": R.normal(size=(2, 4)),
        "W": R.normal(size=(5, 16)),
        "U": R.normal(size=(4, 16)),
        "b": R.normal(size=16),
    },
    GRU: {
        "x": R.normal(size=(2, 3)),
        "h": R.normal(size=(2, 4)),
        "Wz": R.normal(size=(3, 4)),
        "Uz": R.normal(size=(4, 4)),
        "Wn": R.normal(size=(3, 4)),
        "Un": R.normal(size=(4, 4)),
        "bz": R.normal(size=4),
    },
    NORM: {"x": R.normal(size=(5, 3)), "gamma": R.normal(size=3), "beta": R.normal(size=3)},
    RESET: {"x": R.normal(size=(2, 3)), "h": R.normal(size=(2, 4))}
    | {name: R.normal(size=(3 if name[0] == "W" else 4, 4)) for name in ("Wr", "Ur", "Wn", "Un")},
    TEXT: {"x": R.normal(size=(4, 2, 3)), "h0": R.normal(size=(2, 4)), "W": R.normal(size=(3, 4))}
    | {"U": R.normal(size=(4, 4)), "V": R.normal(size=(4, 2))},
    MASKED: {"x": R.normal(size=(4, 3)), "W": R.normal(size=(3, 5)), "V": R.normal(size=(5, 2))},
    STATES: {"x": R.normal(size=(3, 2, 3)), "h0": R.normal(size=(2, 4)), "W": R.normal(size=(3, 4))}
    | {"U": R.normal(size=(4, 4))},
    GATES: {"x": R.normal(size=(3, 2, 5)), "c0": R.normal(size=(2, 4))} | {k: R.normal(size=(5, 4)) for k in "WVU"},
    SHARED: {"x": R.normal(size=(3, 5)), "c0": R.normal(size=(3, 4)), "W": R.normal(size=(5, 8))}
    | {name: R.normal(size=(5, 4)) for name in "VU"},
    LATE: {"x": R.normal(size=(4, 3)), "h0": R.normal(size=5), "W": R.normal(size=(3, 5))}
    | {"U": R.normal(size=(5, 5)) / 2, "V": R.normal(size=(5, 2))},
    BOTH_WAYS: {"x": R.normal(size=(3, 2, 5)), "c0": R.normal(size=(2, 4)), "W": R.normal(size=(5, 8))}
    | {"V": R.normal(size=(5, 8))},
}
GIVEN[ZEROS] = {name: value for name, value in GIVEN[STATES].items() if name != "h0"}


def accused(folder, source, right, wrong):
    return lines_accused(folder, source, right, wrong, GIVEN[source])


@pytest.mark.sample(6)
@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (LSTM, "c_next = f * c + i * g", "c_next = i * c + f * g"),
        (LSTM, "c_next = f * c + i * g", "c_next = f * c + (1 - f) * g"),
        (GRU, "h_next = (1 - z) * n + z * h", "h_next = z * n + (1 - z) * h"),
        (GRU, "z = sigmoid(x @ Wz + h @ Uz + bz)", "z = sigmoid(x @ Wz + h @ Uz)"),
        (RESET, "n = np.tanh(x @ Wn + r * (h @ Un))", "n = np.tanh(x @ Wn + (r * h) @ Un)"),
        (TEXT, "s = relu(h)", "s = h"),  # the backward pass has its mask
        pytest.param(TEXT, "loss += 0.5 * np.sum(y**2)", "loss = 0.5 * np.sum(y**2)", marks=pytest.mark.slow),
        (TEXT, "h, loss, kept = h0, 0.0, []", "h, loss, kept = np.zeros_like(h0), 0.0, []"),
        (BOTH_WAYS, "back = 0.25 * back + i * g", "back = 0.25 * back + g"),
        (SHARED, "np.maximum(self.r * c + x @ self.U, 0)", "np.maximum(self.f * c + x @ self.U, 0)"),
        (SHARED, "np.maximum(self.r * c + x @ self.U, 0)", "self.r * c + x @ self.U"),
        (SHARED, "np.exp(-a[:, n : 2 * n] ** 2)", "np.exp(-a[:, :n] ** 2)"),
        (LATE, "out.forward(states[1:])", "out.forward(states[:-1])"),
        (GATES, "f = sigmoid(x[t] @ W)", "f = np.tanh(x[t] @ W)"),
        (GATES, "g = np.tanh(x[t] @ U)", "g = sigmoid(x[t] @ U)"),
        (GATES, "c_next = np.tanh(0.5 * c * f) + i * g", "c_next = np.tanh(0.5 * c * f) + (1 - f) * g"),
    ],
)
def test_a_slip_of_the_forward_pass_is_accused_where_it_is(tmp_path, source, right, wrong):
    report, lines = accused(tmp_path, source, right, wrong)
    assert len(lines) == 1 and wrong in lines.pop(), report


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (LSTM, "dg * (1 - g**2)", "dg"),  # as if g had no tanh
        pytest.param(LSTM, "dg * (1 - g**2)", "dg * g * (1 - g)", marks=pytest.mark.slow),  # as if it were a sigmoid
        (GRU, "dn = dh_next * (h - n), dh_next * (1 - z)", "dn = dh_next * (h - n), dh_next"),
        (NORM, "dbeta, dgamma = dout.sum(axis=0)", "dbeta, dgamma = dout.mean(axis=0)"),
        (TEXT, "dh = ds * (h > 0) + dh_next", "dh = ds + dh_next"),  # as if there were no ReLU
    ],
)
def test_what_a_backward_pass_lacks_is_not_put_on_the_forward_pass(tmp_path, source, right, wrong):
    report, lines = accused(tmp_path, source, right, wrong)
    assert len(lines) == 1 and wrong in lines.pop(), report


@pytest.mark.parametrize(
    ("source", "right", "accused_for_it"),
    [
        (MASKED, "da[mask] = 0", {"da = dz.copy()", "return da @ W.T, x.T @ da, z.T @ dout"}),
        (STATES, "h_prev = h_curr", {"h_prev = h0"}),
        (ZEROS, "h_prev = h_curr", {"h_prev = np.zeros((2, 4))"}),
    ],
)
def test_for_a_statement_that_is_missing_what_it_would_change_is_accused(tmp_path, source, right, accused_for_it):
    report, lines = accused(tmp_path, source, right, "pass")
    assert len(lines) == 1 and lines <= accused_for_it, report


def test_a_slip_of_the_forward_pass_goes_by_no_name_of_a_mistake_in_a_backward_pass(tmp_path):
    report, lines = accused(tmp_path, STATES, "h_prev = h_curr", "pass")
    assert lines and not any(row.mistake for row in report.wrong)


def test_an_attribute_of_the_object_stands_for_one_variable():
    state, other = "h = np.tanh(self.h @ U)", "h = np.tanh(before @ U)"
    assert len(names_read(state)) == len(names_read(other)) > len(names_read("h = np.tanh(U)"))


WORDS = """
    import numpy as np

    def softmax(v):
        e = np.exp(v - v.max())
        return e / e.sum()

    def states_of(x, h, W, U, b):
        found = [h]
        for t in range(len(x)):
            found.append(np.tanh(W @ x[t] + U @ found[-1] + b))
        return found

    def run(x, y, h, W, U, b, V):
        states = states_of(x, h, W, U, b)
        dW, dU, db, dV = np.zeros_like(W), np.zeros_like(U), np.zeros_like(b), np.zeros_like(V)
        loss, dh_next = 0.0, np.zeros_like(h)
        for t in reversed(range(len(x))):
            p = softmax(V @ states[t + 1])
            loss -= np.log(p[y[t], 0])
            p[y[t]] -= 1
            dV += p @ states[t + 1].T
            da = (V.T @ p + dh_next) * (1 - states[t + 1] ** 2)
            dW += da @ x[t].T
            dU += da @ states[t].T
            db += da
            dh_next = U.T @ da
        gradients = (dW, dU, db, dV)
        for gradient in gradients:
            np.clip(gradient, -1000, 1000, out=gradient)
        return loss, *gradients
    """


@pytest.mark.slow
def test_a_cell_that_is_recognised_vouches_for_its_own_lines_alone(tmp_path):
    right, wrong = "reversed(range(len(x)))", "reversed(range(1, len(x)))"
    path = write(tmp_path, WORDS.replace(right, wrong))
    given = {"x": R.normal(size=(4, 3, 1)), "y": np.array([1, 0, 2, 1]), "h": R.normal(size=(5, 1))}
    given |= {"W": R.normal(size=(5, 3)), "U": R.normal(size=(5, 5)), "b": R.normal(size=(5, 1))}
    with loaded(path) as module:
        report = tr.lines(module.run, module.run, given | {"V": R.normal(size=(3, 5))})
    assert "Elman" in report.recognition
    assert [wrong in path.read_text().splitlines()[row.line - 1] for row in report.wrong] == [True], report

"""Layers and steps within two passes, each judged by itself: what is right there is not accused, what is wrong there
is."""

import numpy as np
import pytest
from written_modules import judged, written

R = np.random.default_rng(7)

ATTENTION = """
    class Linear:
        def __init__(self, seed):
            r = np.random.default_rng(seed)
            self.W, self.b = r.normal(size=(4, 4)), r.normal(size=4)
        def __call__(self, x):
            self.x = x
            return x @ self.W + self.b
        def backward(self, d):
            self.dW = self.x.T @ d
            self.db = d.sum(axis=0)
            return d @ self.W.T

    class Softmax:
        def forward(self, z):
            e = np.exp(z - z.max(axis=1, keepdims=True))
            self.p = e / e.sum(axis=1, keepdims=True)
            return self.p
        def backward(self, d):
            dz = np.zeros_like(d)
            for i in range(len(d)):
                p = self.p[i]
                J = np.diag(p) - np.outer(p, p)
                dz[i] = J @ d[i]
            return dz

    class Scaled:
        def __init__(self):
            self.softmax = Softmax()
        def forward(self, q, k, v):
            n = q.shape[-1]
            scale = np.sqrt(n)
            self.q, self.k, self.v = q, k, v
            self.a = self.softmax.forward(q @ k.T / scale)
            return self.a @ v
        def backward(self, d):
            dv = self.a.T @ d
            da = d @ self.v.T
            ds = self.softmax.backward(da)
            ds = ds / np.sqrt(self.q.shape[-1])
            return ds @ self.k, ds.T @ self.q, dv

    class Attention:
        def __init__(self):
            self.to_q, self.to_k, self.to_v, self.out = Linear(0), Linear(1), Linear(2), Linear(3)
            self.scaled = Scaled()
        def forward(self, x):
            return self.out(self.scaled.forward(self.to_q(x), self.to_k(x), self.to_v(x)))
        def backward(self, d):
            d = self.out.backward(d)
            dq, dk, dv = self.scaled.backward(d)
            dx = self.to_q.backward(dq)
            dx = dx + self.to_k.backward(dk)
            dx = dx + self.to_v.backward(dv)
            return dx
"""
STEPS = """
    def cell_forward(x, h, W, U):
        after = np.tanh(x @ W + h @ U)
        return after, (x, h, W, U, after)

    def cell_backward(dafter, cache):
        x, h, W, U, after = cache
        da = dafter * (1 - after ** 2)
        dW = x.T @ da
        dU = h.T @ da
        dx = da @ W.T
        dh = da @ U.T
        return dx, dh, dW, dU

    def net_forward(x, h, W, U):
        hs, caches = [], []
        for t in range(len(x)):
            h, cache = cell_forward(x[t], h, W, U)
            hs.append(h)
            caches.append(cache)
        return np.array(hs), caches

    def net_backward(dhs, caches):
        dW, dU, dx, carried = 0, 0, [], 0
        for t in reversed(range(len(dhs))):
            dh = dhs[t] + carried
            dx_t, carried, dW_t, dU_t = cell_backward(dh, caches[t])
            dx.insert(0, dx_t)
            dW = dW + dW_t
            dU = dU + dU_t
        return np.array(dx), carried, dW, dU
"""
KEEPS = """
    class Tanh:
        def forward(self, x):
            self.y = np.tanh(x)
        def backward(self, dy):
            self.dx = dy * (1 - self.y ** 2)

    class Recurrent:
        def __init__(self, tanh=Tanh()):
            r = np.random.default_rng(0)
            self.W, self.U, self.tanh = r.normal(size=(2, 3)), r.normal(size=(3, 3)), tanh
        def forward(self, x):
            self.x, self.hs = x, [np.zeros((x.shape[1], 3))]
            for t in range(len(x)):
                self.tanh.forward(x[t] @ self.W + self.hs[-1] @ self.U)
                self.hs.append(self.tanh.y)
            return self.hs[-1]
        def backward(self, dh):
            self.dW, self.dU = np.zeros_like(self.W), np.zeros_like(self.U)
            for t in reversed(range(len(self.x))):
                self.tanh.y = self.hs[t + 1]
                self.tanh.backward(dh)
                da = self.tanh.dx
                self.dW += self.x[t].T @ da
                self.dU += self.hs[t].T @ da
                dh = da @ self.U.T
"""
TABLE = """
    def gfunc(x):
        return np.tanh(x)

    def gprime(x, y=None):
        if y is None:
            y = np.tanh(x)
        return 1 - y ** 2  # of gfunc

    def hprime(x, y=None):
        if y is None:
            y = np.tanh(x)
        return 1 - y ** 2

    def net_forward(x, W, V):
        a = gfunc(x @ W)
        return gfunc(a @ V), (x, W, V, a, gfunc(a @ V))

    def net_backward(dy, cache):
        x, W, V, a, y = cache
        dz = dy * hprime(None, y)
        dV = a.T @ dz
        du = (dz @ V.T) * gprime(None, a)
        return du @ W.T, x.T @ du, dV
"""


def told(tmp_path, source, make, methods, inputs, *changes):
    """(the lines that are accused, those that were changed), as texts."""
    for old, new in changes:
        assert source.count(old) == 1
        source = source.replace(old, new)
    changed = {line.strip() for line in source.splitlines() for _, new in changes if new.splitlines()[-1] in line}
    return judged(written(tmp_path, program=source), make, methods, **inputs)[1], changed


def of_attention(tmp_path, *changes):
    inputs = {"x": R.normal(size=(3, 4))}
    return told(tmp_path, ATTENTION, lambda m: m.Attention(), ("forward", "backward"), inputs, *changes)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "change",
    [
        ("J = np.diag(p) - np.outer(p, p)", "J = np.diag(p)"),  # the diagonal of a softmax alone
        ("ds = ds / np.sqrt(self.q.shape[-1])", "ds = ds"),  # by what the forward pass divides, under another name
        ("return ds @ self.k, ds.T @ self.q, dv", "return ds @ self.k, ds.T @ self.k, dv"),
        ("return d @ self.W.T", "return d @ self.W"),
        ("dx = dx + self.to_v.backward(dv)", "dx = dx + self.to_v.backward(dk)"),
    ],
)
def test_a_mistake_in_a_layer_and_one_between_layers_are_told_apart(tmp_path, change):
    accused, changed = of_attention(tmp_path, change)
    assert accused == changed


@pytest.mark.slow
def test_two_mistakes_in_two_layers_are_both_found(tmp_path):
    changes = ("return d @ self.W.T", "return d @ self.W"), ("da = d @ self.v.T", "da = d @ self.k.T")
    accused, changed = of_attention(tmp_path, *changes)
    assert accused == changed


@pytest.mark.slow
def test_a_mistake_in_a_layer_and_one_between_are_both_found(tmp_path):
    changes = ("return d @ self.W.T", "return d @ self.W"), ("self.to_v.backward(dv)", "self.to_v.backward(dk)")
    accused, changed = of_attention(tmp_path, *changes)
    assert accused == changed


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        ("dh = da @ U.T", "dh = da @ U"),
        ("dU = h.T @ da", "dU = after.T @ da"),
        ("dh = dhs[t] + carried", "dh = dhs[t]"),
        ("dW = dW + dW_t", "dW = dW_t"),
    ],
)
def test_a_mistake_in_a_step_and_one_in_the_loop_around_it_are_told_apart(tmp_path, change):
    shapes = {"x": (4, 2, 3), "h": (2, 5), "W": (3, 5), "U": (5, 5)}
    inputs = {name: R.normal(size=shape) for name, shape in shapes.items()}
    accused, changed = told(tmp_path, STEPS, lambda m: m, ("net_forward", "net_backward"), inputs, change)
    assert accused == changed


@pytest.mark.slow
def test_a_step_that_begins_with_a_state_of_zeros_is_not_taken_for_right_because_of_it(tmp_path):
    source = STEPS.replace("def net_forward(x, h, W, U):", "def net_forward(x, W, U):\n        h = np.zeros((2, 5))")
    inputs = {name: R.normal(size=shape) for name, shape in {"x": (4, 2, 3), "W": (3, 5), "U": (5, 5)}.items()}
    change = "dU = h.T @ da", "dU = after.T @ da"
    accused, changed = told(tmp_path, source, lambda m: m, ("net_forward", "net_backward"), inputs, change)
    assert accused == changed


def test_a_layer_that_only_keeps_its_gradient_is_judged_by_itself(tmp_path):
    change = "self.dx = dy * (1 - self.y ** 2)", "self.dx = dy"
    inputs = {"x": R.normal(size=(3, 2, 2))}
    accused, changed = told(tmp_path, KEEPS, lambda m: m.Recurrent(), ("forward", "backward"), inputs, change)
    assert accused == changed


def test_a_slope_is_put_right_rather_than_exchanged_for_an_equal_one(tmp_path):
    change = "return 1 - y ** 2  # of gfunc", "return 1 - y ** 3  # of gfunc"
    inputs = {name: R.normal(size=shape) for name, shape in {"x": (2, 3), "W": (3, 4), "V": (4, 2)}.items()}
    accused, changed = told(tmp_path, TABLE, lambda m: m, ("net_forward", "net_backward"), inputs, change)
    assert accused == changed


RELU = """
    class Relu:
        def forward(self, x):
            self.mask = x <= 0
            out = x.copy()
            out[self.mask] = 0
            return out
        def backward(self, dout):
            dout[self.mask] = 0
            dx = dout
            return dx

    class Net:
        def __init__(self):
            r = np.random.default_rng(0)
            self.W, self.V, self.relu = r.normal(size=(3, 4)), r.normal(size=(4, 2)), Relu()
        def forward(self, x):
            self.x = x
            self.h = self.relu.forward(x @ self.W)
            return self.h @ self.V
        def backward(self, dy):
            self.dV = self.h.T @ dy
            da = self.relu.backward(dy @ self.V.T)
            self.dW = self.x.T @ da
            return da @ self.W.T
"""


def test_a_mask_that_nothing_reads_is_put_in_where_the_gradient_is_handed_on(tmp_path):
    source = RELU.replace("            dout[self.mask] = 0\n", "")
    assert source != RELU
    path = written(tmp_path, program=source)
    assert judged(path, lambda m: m.Net(), x=R.normal(size=(3, 3)))[1] == {"dx = dout"}

"""Recurrent layers as classes: parameters and gradients are lists, what backward needs is kept on the layer.

`RNN`, `LSTM` and `GRU` are one time step. `TimeRNN`, `TimeLSTM` and `TimeGRU` run a whole sequence (N, T, D) with one
such layer per time step, all of them sharing the same weights. A stateful time layer starts where the last sequence
ended; `set_state` and `reset_state` change that.
"""
# ruff: noqa: RUF059 (people unpack a whole tuple, whether they need all of it or not)

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Layer:
    def __init__(self, Wx, Wh, b):
        self.params = [Wx, Wh, b]
        self.grads = [np.zeros_like(Wx), np.zeros_like(Wh), np.zeros_like(b)]
        self.cache = None


class RNN(Layer):
    def forward(self, x, h_prev):
        Wx, Wh, b = self.params
        t = np.dot(h_prev, Wh) + np.dot(x, Wx) + b
        h_next = np.tanh(t)
        self.cache = (x, h_prev, h_next)
        return h_next

    def backward(self, dh_next):
        Wx, Wh, b = self.params
        x, h_prev, h_next = self.cache
        dt = dh_next * (1 - h_next**2)
        db = np.sum(dt, axis=0)
        dWh = np.dot(h_prev.T, dt)
        dh_prev = np.dot(dt, Wh.T)
        dWx = np.dot(x.T, dt)
        dx = np.dot(dt, Wx.T)
        self.grads[0][...] = dWx
        self.grads[1][...] = dWh
        self.grads[2][...] = db
        return dx, dh_prev


class LSTM(Layer):
    """The four blocks of Wx (D, 4H), Wh (H, 4H) and b (4H,) are f, g, i, o."""

    def forward(self, x, h_prev, c_prev):
        Wx, Wh, b = self.params
        A = x @ Wx + h_prev @ Wh + b
        f, g, i, o = np.split(A, 4, axis=1)
        f, g, i, o = sigmoid(f), np.tanh(g), sigmoid(i), sigmoid(o)
        c_next = f * c_prev + g * i
        h_next = o * np.tanh(c_next)
        self.cache = (x, h_prev, c_prev, f, g, i, o, c_next)
        return h_next, c_next

    def backward(self, dh_next, dc_next):
        Wx, Wh, b = self.params
        x, h_prev, c_prev, f, g, i, o, c_next = self.cache
        tanh_c_next = np.tanh(c_next)
        ds = dc_next + dh_next * o * (1 - tanh_c_next**2)
        dc_prev = ds * f
        df = ds * c_prev
        dg = ds * i
        di = ds * g
        do = dh_next * tanh_c_next
        # from the gates to what went into them
        df *= f * (1 - f)
        dg *= 1 - g**2
        di *= i * (1 - i)
        do *= o * (1 - o)
        dA = np.hstack((df, dg, di, do))
        self.grads[0][...] = x.T @ dA
        self.grads[1][...] = h_prev.T @ dA
        self.grads[2][...] = dA.sum(axis=0)
        return dA @ Wx.T, dA @ Wh.T, dc_prev


class GRU(Layer):
    """The three blocks of Wx (D, 3H), Wh (H, 3H) and b (3H,) are z, r, h; z = 1 takes the new value."""

    def forward(self, x, h_prev):
        Wx, Wh, b = self.params
        Wxz, Wxr, Wxh = np.split(Wx, 3, axis=1)
        Whz, Whr, Whh = np.split(Wh, 3, axis=1)
        bz, br, bh = np.split(b, 3)

        z = sigmoid(x @ Wxz + h_prev @ Whz + bz)
        r = sigmoid(x @ Wxr + h_prev @ Whr + br)
        tmp = r * h_prev
        h_hat = np.tanh(x @ Wxh + tmp @ Whh + bh)
        h_next = (1 - z) * h_prev + z * h_hat
        self.cache = (x, h_prev, z, r, h_hat)
        return h_next

    def backward(self, dh_next):
        Wx, Wh, b = self.params
        Wxz, Wxr, Wxh = np.split(Wx, 3, axis=1)
        Whz, Whr, Whh = np.split(Wh, 3, axis=1)
        x, h_prev, z, r, h_hat = self.cache

        dh_hat = dh_next * z
        dh_prev = dh_next * (1 - z)
        # candidate
        dt = dh_hat * (1 - h_hat**2)
        dbh = dt.sum(axis=0)
        dWxh = x.T @ dt
        dx = dt @ Wxh.T
        dWhh = (r * h_prev).T @ dt
        tmp = dt @ Whh.T
        dh_prev += tmp * r
        # update gate
        dz = dh_next * h_hat - dh_next * h_prev
        dt = dz * z * (1 - z)
        dbz = dt.sum(axis=0)
        dWxz = x.T @ dt
        dx += dt @ Wxz.T
        dWhz = h_prev.T @ dt
        dh_prev += dt @ Whz.T
        # reset gate
        dr = tmp * h_prev
        dt = dr * r * (1 - r)
        dbr = dt.sum(axis=0)
        dWxr = x.T @ dt
        dx += dt @ Wxr.T
        dWhr = h_prev.T @ dt
        dh_prev += dt @ Whr.T

        self.grads[0][...] = np.hstack((dWxz, dWxr, dWxh))
        self.grads[1][...] = np.hstack((dWhz, dWhr, dWhh))
        self.grads[2][...] = np.hstack((dbz, dbr, dbh))
        return dx, dh_prev


class TimeRNN(Layer):
    layer_class = RNN

    def __init__(self, Wx, Wh, b, stateful=False):
        super().__init__(Wx, Wh, b)
        self.layers = None
        self.h, self.dh = None, None
        self.stateful = stateful

    def set_state(self, h):
        self.h = h

    def reset_state(self):
        self.h = None

    def forward(self, xs):
        N, T, D = xs.shape
        H = self.params[1].shape[0]
        self.layers = []
        hs = np.empty((N, T, H))
        if not self.stateful or self.h is None:
            self.h = np.zeros((N, H))
        for t in range(T):
            layer = self.layer_class(*self.params)
            self.h = layer.forward(xs[:, t, :], self.h)
            hs[:, t, :] = self.h
            self.layers.append(layer)
        return hs

    def backward(self, dhs):
        Wx, Wh, b = self.params
        N, T, H = dhs.shape
        dxs = np.empty((N, T, Wx.shape[0]))
        dh, grads = 0, [0, 0, 0]
        for t in reversed(range(T)):
            layer = self.layers[t]
            dx, dh = layer.backward(dhs[:, t, :] + dh)  # h_t goes two ways
            dxs[:, t, :] = dx
            for i, grad in enumerate(layer.grads):
                grads[i] += grad
        for i, grad in enumerate(grads):
            self.grads[i][...] = grad
        self.dh = dh
        return dxs


class TimeGRU(TimeRNN):
    layer_class = GRU


class TimeLSTM(TimeRNN):
    def __init__(self, Wx, Wh, b, stateful=False):
        super().__init__(Wx, Wh, b, stateful)
        self.c, self.dc = None, None

    def set_state(self, h, c=None):
        self.h, self.c = h, c

    def reset_state(self):
        self.h, self.c = None, None

    def forward(self, xs):
        N, T, D = xs.shape
        H = self.params[1].shape[0]
        if not self.stateful or self.h is None:
            self.h = np.zeros((N, H))
        if not self.stateful or self.c is None:
            self.c = np.zeros((N, H))
        self.layers = [LSTM(*self.params) for _ in range(T)]
        hs = np.empty((N, T, H))
        for t, layer in enumerate(self.layers):
            self.h, self.c = layer.forward(xs[:, t], self.h, self.c)
            hs[:, t] = self.h
        return hs

    def backward(self, dhs):
        dxs = np.empty((*dhs.shape[:2], self.params[0].shape[0]))
        dh, dc = np.zeros_like(dhs[:, 0]), np.zeros_like(dhs[:, 0])
        for grad in self.grads:
            grad[...] = 0
        for t in reversed(range(len(self.layers))):
            layer = self.layers[t]
            dh = dh + dhs[:, t]
            dxs[:, t], dh, dc = layer.backward(dh, dc)
            for grad, layer_grad in zip(self.grads, layer.grads, strict=True):
                grad += layer_grad
        self.dh, self.dc = dh, dc
        return dxs


def examples(rng):
    """name -> (forward, backward, arguments of forward), both methods of one layer, which has the parameters."""
    N, T, D, H = 3, 6, 4, 5

    def pair(layer_class, blocks, inputs, *state, **options):
        shapes = (D, blocks * H), (H, blocks * H), blocks * H
        layer = layer_class(*(0.5 * rng.normal(size=shape) for shape in shapes), **options)
        if state:
            layer.set_state(*state)
        return layer.forward, layer.backward, inputs

    x, h, c, xs = (rng.normal(size=shape) for shape in ((N, D), (N, H), (N, H), (N, T, D)))
    return {
        "RNN": pair(RNN, 1, {"x": x, "h_prev": h}),
        "LSTM": pair(LSTM, 4, {"x": x, "h_prev": h, "c_prev": c}),
        "GRU": pair(GRU, 3, {"x": x, "h_prev": h}),
        "TimeRNN": pair(TimeRNN, 1, {"xs": xs}),
        "TimeLSTM": pair(TimeLSTM, 4, {"xs": xs}),
        "TimeGRU": pair(TimeGRU, 3, {"xs": xs}),
        "TimeRNN, stateful": pair(TimeRNN, 1, {"xs": xs}, h, stateful=True),
        "TimeLSTM, stateful": pair(TimeLSTM, 4, {"xs": xs}, h, c, stateful=True),
        "TimeGRU, stateful": pair(TimeGRU, 3, {"xs": xs}, h, stateful=True),
    }

"""One step of an LSTM, forward and backward, with two mistakes in the backward pass. Which lines are they in?

tinyrnn lines lectures/wrong_lstm.py
"""

import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def lstm_step(x, h_prev, c_prev, Wx, Wh, b):
    """x (N, D), h_prev and c_prev (N, H), Wx (D, 4H), Wh (H, 4H), b (4H,) -> h, c, cache."""
    a = x @ Wx + h_prev @ Wh + b
    ai, af, ao, ag = np.split(a, 4, axis=1)
    i, f, o, g = sigmoid(ai), sigmoid(af), sigmoid(ao), np.tanh(ag)
    c = f * c_prev + i * g
    h = o * np.tanh(c)
    return h, c, (x, h_prev, c_prev, Wx, Wh, i, f, o, g, c)


def lstm_step_backward(dh, dc, cache):
    """dh and dc (N, H) -> dx, dh_prev, dc_prev, dWx, dWh, db."""
    x, h_prev, c_prev, Wx, Wh, i, f, o, g, c = cache
    do = dh * np.tanh(c)
    dc = dc + dh * o * (1 - c**2)
    df = dc * c_prev
    di = dc * g
    dg = dc * i
    dc_prev = dc * f
    dai, daf, dao = di * i * (1 - i), df * f, do * o * (1 - o)
    dag = dg * (1 - g**2)
    da = np.concatenate([dai, daf, dao, dag], axis=1)
    dx, dh_prev = da @ Wx.T, da @ Wh.T
    dWx, dWh, db = x.T @ da, h_prev.T @ da, da.sum(axis=0)
    return dx, dh_prev, dc_prev, dWx, dWh, db

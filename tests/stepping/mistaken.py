"""A mistake that several tests of the stepper look for: 1 - h where 1 - h² belongs, in a student's Elman network."""

import functools

from planted import elman_step, student

import tinyrnn as tr


def wrong_backward(p, cache, dstate):
    x, h_prev, h = cache
    da = dstate[0] * (1 - h)
    dparams = {"W_x": x.T @ da, "W_h": h_prev.T @ da, "b": da.sum(axis=0)}
    return da @ p["W_x"].T, (da @ p["W_h"].T,), dparams


@functools.cache  # for those who only look: each of its lines is judged
def recorded():
    return tr.trace(student(elman_step, wrong_backward), T=3, numerical=True)

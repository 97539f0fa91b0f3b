"""A student's Elman network in the simple contract, and tools to plant mistakes in it and in our cells."""

import inspect
import textwrap

import numpy as np

import tinyrnn as tr

SMALL = {"T": 3, "B": 2}  # one step in the middle, one sequence that ends early and one that begins late


def elman_step(p, x, state):
    (h_prev,) = state
    h = np.tanh(x @ p["W_x"] + h_prev @ p["W_h"] + p["b"])
    return (h,), (x, h_prev, h)


def elman_backward(p, cache, dstate):
    x, h_prev, h = cache
    da = dstate[0] * (1 - h * h)
    dparams = {"W_x": x.T @ da, "W_h": h_prev.T @ da, "b": da.sum(axis=0)}
    return da @ p["W_x"].T, (da @ p["W_h"].T,), dparams


def student(step=elman_step, step_backward=elman_backward, **options):
    rng = np.random.default_rng(0)
    params = {"W_x": rng.normal(size=(2, 3)), "W_h": rng.normal(size=(3, 3)), "b": np.zeros(3)}
    return tr.StepCell(step, step_backward, params=params, input_size=2, state_sizes=3, **options)


def edited(function, *changes):
    """The function with pieces of its source replaced, given as (old, new)."""
    source = textwrap.dedent(inspect.getsource(function))
    for old, new in changes:
        assert source.count(old) == 1, f"{source.count(old)} times in {function.__name__}: {old}"
        source = source.replace(old, new)
    space = {}
    exec(source, {**function.__globals__, "np": np}, space)
    return space[function.__name__]


def broken(cls, method, old, new):
    """A subclass of `cls` with one piece of a method's source replaced."""
    return type(cls.__name__, (cls,), {method: edited(getattr(cls, method), (old, new))})


def check(network, **options):
    return tr.gradcheck(network, **{**SMALL, **options})


def wrong_at(report, t):
    """The (name, gate) that are blamed at time step t; t=None: in total."""
    return {(row.name, row.gate) for row in report.wrong if row.t == t}

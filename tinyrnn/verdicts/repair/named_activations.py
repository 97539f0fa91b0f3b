"""Functions that go by the name of an activation: whether they give that.

What both passes could be changed for, a derivative that is not that of the activation, is often told by the name alone:
a `sigmoid` that gives no sigmoid is wrong, and one that does is right.
"""

import re

import numpy as np

from tinyrnn.verdicts.record.run import floats

WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
CALLED = {"forward", "call", "activate", "activation", "apply", "compute", "fprop", "forward_pass", "feedforward", "f"}
BESIDE = {"activation", "activations", "layer", "function", "func", "fn", "forward", "stable", "output", "pass", "my"}
BESIDE |= {"apply", "calc", "compute", "calculate", "get", "the", "np", "numpy", "act", "f", "fun", "unit", "module"}


def sigmoid(x):
    """[the sigmoid of numbers]."""
    return [(1 + np.tanh(x / 2)) / 2]


def softmaxes(x):
    """The softmax of an array along each of its axes."""
    powers = [np.exp(x - x.max(axis, keepdims=True)) for axis in range(x.ndim)]
    return [power / power.sum(axis, keepdims=True) for axis, power in enumerate(powers)]


KINDS = dict.fromkeys(("sigmoid", "sigm", "logistic"), sigmoid)
KINDS |= {"tanh": lambda x: [np.tanh(x)], "relu": lambda x: [np.maximum(x, 0)], "softmax": softmaxes}
MOST = 20  # values that a function works out, of which one should be what its name says
NEAR = {"rtol": 1e-5, "atol": 1e-7}  # a little is added to divisors, say


def activation_of(scope):
    """What a function should give by its name, or that of its class, as in `sigmoid` and `Sigmoid.forward`: one of
    `KINDS`; None if neither is the name of an activation alone."""
    parts = [part.strip("_") for part in scope.split(".")]
    name = parts[-2] if parts[-1].lower() in CALLED and len(parts) > 1 else parts[-1]
    words = [word.lower() for word in WORDS.findall(name)]
    kinds = [word for word in words if word in KINDS]
    return kinds[0] if len(kinds) == 1 and {*words} - {*kinds} <= BESIDE else None


def as_named(events):
    """{scope: whether it gives what its name says}, of the functions of a forward pass that go by the name of an
    activation: whether one of the first values there is that of some value of the pass. events: of that pass."""
    kinds = {scope: kind for scope in {event.site.scope for event in events} if (kind := activation_of(scope))}
    if not kinds:
        return {}
    values = [(event.site, floats(event.value)) for event in events]
    values = [(site, value.real) for site, value in values if value is not None and value.size > 1]
    made = {scope: [v for site, v in values if site.scope == scope and site.kind != "argument"] for scope in kinds}
    return {scope: any(is_of_some(kinds[scope], one, values) for one in some[:MOST]) for scope, some in made.items()}


def is_of_some(kind, made, values):
    """Whether an array is what an activation makes of one of some values, and they are not all the same to it."""
    given = (value for _, value in values if value.shape == made.shape)
    with np.errstate(all="ignore"):
        return any(np.allclose(made, one, **NEAR) for value in given for one in KINDS[kind](value) if np.ptp(value))

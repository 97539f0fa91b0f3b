"""Inputs for what comes without: those of `example_inputs` or `examples` in its file, else made up as for the line
verdicts, until the gradients have the shapes they should have."""

import copy

import numpy as np

from tinyrnn.checking.functions.forms import of_methods, of_pair, of_value_and_gradient
from tinyrnn.checking.functions.shaping import as_array
from tinyrnn.sources.inputs.arguments import docs_of, example_inputs
from tinyrnn.sources.inputs.guess import guess
from tinyrnn.sources.inputs.values import listed, stir

CRASHED = 100  # worse than any number of gradients whose shape does not fit


def pair_without_inputs(forward, backward, rng, T, B, upstream=None):
    """The `Subject` of two functions; of one that returns its value and its gradients if they are the same."""

    def make(values):
        if forward is backward:
            return of_value_and_gradient(forward, values, np.random.default_rng(0))
        return of_pair(forward, backward, values, np.random.default_rng(0), upstream)

    inputs = example_inputs(forward, rng)
    if inputs is not None:
        return make(inputs)

    def made_up():
        values, _, _ = guess(
            forward,
            docs_of(forward, backward),
            lambda values, _: forward(**values),
            lambda values, _: misfit(make, values),
            rng=rng,
            T=T,
            B=B,
        )
        return make(values), f"the inputs were made up: {listed(values)}"

    return alive(made_up)


def class_without_inputs(cls, inputs, rng, T, B, upstream=None):
    """The `Subject` of an object of a class with methods forward and backward, made for the purpose."""
    given = example_inputs(cls.forward, rng, cls)
    if given is not None:
        constructor, values = given
        made = cls(**constructor)
        stir(vars(made), rng)
        return methods(made, values, upstream)

    def made_up():
        values, constructor, _ = guess(
            cls.forward,
            [*docs_of(cls, cls.__init__), *docs_of(cls.forward, cls.backward)],
            lambda values, made_with: cls(**made_with).forward(**values),
            lambda values, made_with: misfit(lambda v: methods(cls(**made_with), v, upstream), values),
            rng=rng,
            T=T,
            B=B,
            maker=cls,
            given=inputs,
        )
        made = cls(**constructor)
        stir(vars(made), rng)
        note = f"{cls.__name__} and its inputs were made up: {listed(constructor | dict(values))}"
        return methods(made, values, upstream), note

    return alive(made_up)


def alive(made_up):
    """The `Subject` that made_up() returns, with its note; made up anew, a few times, if its gradients are zero."""
    for _ in range(4):
        subject, note = made_up()
        if any(np.any(as_array(gradient)) for gradient in subject.claims().values()):
            break
    subject.notices.append(note)
    return subject


def methods(made, inputs, upstream):
    """The subject of an object's forward and backward on inputs; random parts come from seed 0."""
    return of_methods(made, "forward", "backward", inputs, np.random.default_rng(0), upstream)


def misfit(make, values):
    """How many gradients do not have the shape of what they are the gradient of."""
    with np.errstate(all="ignore"):
        try:
            subject = make(copy.deepcopy(values))
            claims = subject.claims()
            if not np.isfinite(subject.losses()).all():
                return CRASHED + 1
        except Exception:
            return CRASHED
    wrong = sum(as_array(claims[name]).shape != subject.leaves[name].shape for name in subject.judged)
    return wrong + sum(name not in subject.judged for name in subject.leaves if np.ndim(subject.leaves[name])) / 10

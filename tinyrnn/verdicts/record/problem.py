"""What is to be judged: a forward and a backward pass, their inputs, and a random gradient from above on every
output."""

from dataclasses import dataclass, field

import numpy as np

from tinyrnn.sources import Program
from tinyrnn.verdicts.record.run import arrays_of, floats, fresh
from tinyrnn.verdicts.record.truth import Truth


@dataclass
class Problem:
    """A forward pass, its backward pass, and a point to judge them at.

    title: what is judged. functions, classes: what is rewritten, forward and backward alike. forward(program, **inputs)
    -> result; loss(result) -> number; backward(program, result) -> returned. inputs: name -> array. scopes: backward
    scope -> forward scopes. top: scopes whose arguments are given. results(returned) -> {input name: gradient}, as far
    as it is known what is returned. handed: scope -> the scope whose result its arguments are, where what calls both is
    not looked into. made_by(input name) -> the scope whose result its gradient is, in the same case. gates: blocks
    along the last axis of joined arrays. sizes: (letter, number), by which factors may be called. shown: the functions
    whose lines the report lists. namer(truth) -> a `tinyrnn.verdicts.name.naming.Namer`, or None. recognise(truth) -> a
    `tinyrnn.verdicts.name.recognise.Recognised` forward pass, or None. values: "forward" is another program that should
    do the same as "backward" (an optimiser's step), and equal names are compared; final: the names of its results.
    """

    title: str
    functions: list
    classes: list
    forward: object
    backward: object
    loss: object
    inputs: dict
    scopes: dict
    top: tuple = ()
    results: object = None
    handed: dict = field(default_factory=dict)
    made_by: object = None
    gates: tuple = ()
    sizes: tuple = ()
    shown: list = field(default_factory=list)
    namer: object = None
    recognise: object = None
    order: tuple = ()
    values: bool = False
    final: tuple = ()

    def program(self, trees=None, uses=False):
        return Program(self.functions, self.classes, trees, uses)

    def truth(self, uses=False):
        return Truth(self.program(uses=uses), self.forward, self.loss, self.inputs)

    def backward_call(self, result):
        return lambda program: self.backward(program, fresh(result))

    def wrong_results(self, returned, judge):
        """Names of the returned gradients that are wrong."""
        if self.values:
            got, wanted = list(arrays_of(returned)), list(arrays_of(judge.truth.result))
            right = len(got) == len(wanted) and all(
                judge.error(a, b) <= judge.truth.tolerance for a, b in zip(got, wanted, strict=True)
            )
            return [] if right else ["what is returned"]
        wrong = self.out_of_order(returned, judge)
        if self.results is None:
            return wrong
        for name, got in self.results(returned).items():
            expected = judge.truth.of_input(name)
            got = np.asarray(got)
            if not judge.error(got, expected) <= judge.truth.tolerance and name not in wrong:
                wrong.append(name)
        return wrong

    def out_of_order(self, returned, judge):
        """The input whose gradient should stand where another value is returned, if those of all others stand right."""
        gradients = returned[0] if isinstance(returned, tuple) and self.order else ()
        if not isinstance(gradients, tuple) or not 1 < len(gradients) == len(self.order):
            return []
        values = [floats(value) for value in gradients]
        if any(value is None for value in values):
            return []
        errors = [judge.error(v, judge.truth.of_input(name)) for v, name in zip(values, self.order, strict=True)]
        wrong = [name for name, error in zip(self.order, errors, strict=True) if not error <= judge.truth.tolerance]
        return wrong if len(wrong) == 1 else []

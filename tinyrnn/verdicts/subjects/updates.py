"""Makes a `Problem` of an optimiser or of clipping: the right program and the one on trial do the same steps, side by
side.

There are no gradients to compare with here. What is compared is every value that goes by the same name.
"""

from functools import partial

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.optim import clipping
from tinyrnn.optim.optimisers import SGD, Adam, RMSProp
from tinyrnn.verdicts.name.naming import Namer
from tinyrnn.verdicts.record.problem import Comparison
from tinyrnn.verdicts.record.run import fresh

K = 4  # steps of an optimiser


class Update(Comparison):
    """A program of the package that is judged beside itself, as it stands.

    run(program) -> arrays, anyhow nested. made_by: the scope whose result they are, if it is one. namer: a function of
    the `Truth` that makes a `Namer`.
    """

    def __init__(self, title, run, shown, final, *, namer=None, made_by=None, **facts):
        scopes = {f.__qualname__: [f.__qualname__] for f in shown}
        super().__init__(title, final=final, shown=shown, scopes=scopes, **facts)
        self.run, self.make_namer, self.made_by = run, namer, made_by

    def forward_pass(self, program):
        """The arrays that the program makes, nested as `run` nests them."""
        return self.run(program)

    def backward_pass(self, program, result):
        """The same program once more: this is the run on trial."""
        return self.run(program)

    def maker(self, name):
        """`made_by`, for every result."""
        return self.made_by

    def namer(self, truth):
        """The `Namer` that the given function makes of the truth; None without one."""
        return self.make_namer and self.make_namer(truth)


def of_optimiser(optimiser, family, shape=(3, 2), rng=0):
    """K steps of two parameters with random gradients."""
    rng = as_rng(rng)
    cls = type(optimiser)
    start = {name: rng.normal(size=shape) for name in ("W", "U")}
    grads = [{name: rng.normal(size=shape) for name in start} for _ in range(K)]

    def run(program):
        made, params, path = program.instance(optimiser), fresh(start), []
        for g in grads:
            made.step(params, fresh(g))
            path.append(fresh(params))
        return path

    return Update(
        f"{cls.__name__}, {K} steps",
        run,
        [cls.update],
        ("p",),
        classes=[cls],
        top=(cls.update.__qualname__,),
        namer=lambda truth: Namer(family, update_environment(optimiser, truth)),
    )


def update_environment(optimiser, truth, count=2):
    """The names of an optimiser's update, stacked; of `count` parameters, one after the other within each step."""
    known, arguments = {}, {}
    for event in truth.events:
        if event.site.scope.endswith(".update") and event.value is not None:
            table = arguments if event.site.kind == "argument" else known
            table.setdefault(event.site.name, {})[event.call] = event.value
    before = {name: np.stack(list(calls.values())) for name, calls in arguments.items()}
    after = {name: np.stack(list(calls.values())) for name, calls in known.items()}
    steps = 1 + np.arange(len(before["p"])).reshape(-1, *(1,) * (before["p"].ndim - 1)) // count
    settings = {name: value for name, value in vars(optimiser).items() if isinstance(value, float)}
    previous = {f"{name}_prev": value for name, value in before.items() if name in after}
    return before | after | {"g": before["g"]} | previous | settings | {"t": steps}


# clipping -------------------------------------------------------------------------------------------------------------

SHAPES = {"W": (3, 2), "U": (3, 2)}


def of_clip_by_norm(limit=0.5, shapes=SHAPES, rng=0):
    """Two gradients, whose norm is above the limit or below it."""
    grads = gradients(shapes, rng)
    functions = [clipping.clip_by_norm, clipping.clip_factor, clipping.global_norm, clipping._norm]

    def namer(truth):
        clipped, norm = clipping.clip_by_norm(grads, limit)
        factor = limit / norm if norm > limit else 1.0
        shared = {"norm": np.array(norm), "limit": limit, "factor": np.array(factor)}
        names, family = list(grads), "clip" if norm > limit else "clip-below"

        def of(one, other, make_steps=None):
            known = {"g": grads[one], "g2": grads[other], "clipped": clipped[one]}
            return Namer(family, shared | known, make_steps=make_steps)

        return of(*names, lambda: [of(*names), of(*names[::-1])])  # one parameter after the other

    return Update(
        f"clip_by_norm, limit {limit}",
        lambda program: program[clipping.clip_by_norm](fresh(grads), limit),
        functions,
        ("clipped", "norm"),
        functions=functions,
        made_by="clip_by_norm",
        sizes=(("limit", limit),),
        namer=namer,
    )


def of_clip_by_value(limit=0.5, shapes=SHAPES, rng=0):
    """An `Update`: random gradients of the given shapes, clipped to -limit … limit."""
    grads = gradients(shapes, rng)
    return Update(
        f"clip_by_value, limit {limit}",
        lambda program: program[clipping.clip_by_value](fresh(grads), limit),
        [clipping.clip_by_value],
        ("clipped",),
        functions=[clipping.clip_by_value],
        made_by="clip_by_value",
    )


def gradients(shapes, rng):
    """{name: standard normal array of its shape}."""
    rng = as_rng(rng)
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


EPS = 1e-2  # large enough to show where it stands
UPDATES = {
    "sgd": [partial(of_optimiser, SGD(0.1, momentum=0.9), "sgd"), partial(of_optimiser, SGD(0.2), None, (2,), rng=1)],
    "sgd-nesterov": [partial(of_optimiser, SGD(0.1, momentum=0.9, nesterov=True), "sgd")],
    "rmsprop": [
        partial(of_optimiser, RMSProp(0.1, eps=EPS), "rmsprop"),
        partial(of_optimiser, RMSProp(0.1, "torch", eps=EPS), "rmsprop", (2,), rng=1),
    ],
    "adam": [
        partial(of_optimiser, Adam(0.1, eps=EPS), "adam"),
        partial(of_optimiser, Adam(0.2, 0.7, 0.9, EPS), "adam", (2,), rng=1),
    ],
    "clip_by_norm": [of_clip_by_norm, partial(of_clip_by_norm, 100.0, {"a": (4,), "b": (4,)}, rng=1)],
    "clip_by_value": [of_clip_by_value, partial(of_clip_by_value, 100.0, {"a": (4,), "b": (4,)}, rng=1)],
}

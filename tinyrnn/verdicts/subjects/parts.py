"""Makes a `Problem` of every part of the package that is no cell and no optimiser: losses, heads, unitary blocks,
`affine`.

Each part has several points at which it is judged, of different sizes, so that no branch of its source goes unseen.
"""

from functools import partial

import numpy as np

from tinyrnn.cells.parts import blocks
from tinyrnn.cells.unitary import modrelu, modrelu_backward
from tinyrnn.core import ops
from tinyrnn.core.backend import as_rng
from tinyrnn.nn.heads import Embedding, PooledReadout, Readout
from tinyrnn.nn.losses import LOSSES
from tinyrnn.nn.losses.loss import class_numbers, real_numbers
from tinyrnn.sources import Program
from tinyrnn.verdicts.name.environment import by_name
from tinyrnn.verdicts.name.naming import Namer
from tinyrnn.verdicts.record.problem import Problem
from tinyrnn.verdicts.record.run import fresh, record
from tinyrnn.verdicts.subjects import unitary_blocks as lone

AFFINE = [ops.affine, ops.affine_backward, ops.sum_over_time, ops.weight_gradient, ops.add_rows]
AFFINE_SCOPES = {f.__name__: ["affine"] for f in AFFINE[1:]}


class PackagePart(Problem):
    """The gradients of a part of the package.

    forward(program, **inputs) -> (y, cache). backward(program, dy, cache) -> {name of an input: its gradient}.
    dy: of y, an array or a number. made_by: the scope whose result the gradients are. environment(): what the
    mistakes of `family` are written in. facts: of the `Problem`.
    """

    def __init__(self, title, forward, backward, inputs, dy, *, made_by, environment=None, family=None, **facts):
        super().__init__(title, inputs, **facts)
        self.there, self.back, self.dy, self.made_by = forward, backward, dy, made_by
        self.environment, self.family = environment, family

    def forward_pass(self, program, **changed):
        """(y, kept) of the forward function on copies of the inputs."""
        return self.there(program, **fresh(self.inputs | changed))

    def loss(self, result):
        """dy times y, summed."""
        return (self.dy * result[0]).sum()

    def backward_pass(self, program, result):
        """{name of an input: its gradient}, from a copy of dy and what the forward function kept."""
        return self.back(program, fresh(self.dy), result[1])

    def results(self, returned):
        """The gradients that were returned, of the inputs alone; those that are None left out."""
        return {name: returned[name] for name in self.inputs if returned.get(name) is not None}

    def above_all(self):
        """The gradient from above."""
        return [np.asarray(self.dy)]

    def maker(self, name):
        """`made_by`, for every input."""
        return self.made_by

    def namer(self, truth):
        """A `Namer` in what `environment()` gives, or None without a family."""
        return Namer(self.family, self.environment()) if self.family else None


# losses ---------------------------------------------------------------------------------------------------------------


def three_gaussians(rng, shape):
    """Mixtures for targets of that shape, one log_sigma being too small to have a gradient."""
    y = rng.normal(size=(*shape[:-1], 9 * shape[-1]))
    y[..., -1] = -31
    return y


OUTPUTS = {"mixture_density": three_gaussians}  # of losses whose output has not the shape of the target


def of_loss(name, shape=(6, 4), *, masked=False, dloss=1.0, rng=0):
    """A loss of a target of that shape, classes or features last. masked: whether some of it does not count."""
    rng, loss = as_rng(rng), LOSSES[name]
    forward, backward, classes = loss.forward, loss.backward, loss.classes
    output = "logits" if classes else "y"
    value = OUTPUTS.get(name, real_numbers)(rng, shape)
    target = (class_numbers if classes else real_numbers)(rng, shape)
    mask = (np.arange(np.prod(shape[:-1])) % 3 != 1).reshape(shape[:-1]) if masked else None

    def environment():
        (loss, cache), events = record(Program([forward]), lambda p: p[forward](value, target, mask))
        known = by_name(events) | {"target": target, "N": int(target.size), "loss": np.asarray(loss)}
        gradient = backward(cache, dloss)
        if not classes:
            return known | {"y": value, "dy": gradient}
        return known | {"z": value, "C": shape[-1], "one_hot": cache[1].astype(float), "dz": gradient}

    return PackagePart(
        f"{name}{shape}{', masked' if masked else ''}",
        lambda program, **given: program[forward](given[output], target, mask),
        lambda program, dy, cache: {output: program[backward](cache, dy)},
        {output: value},
        dloss,
        environment=environment,
        family=f"{name}-masked" if classes and masked else name,
        functions=[forward, backward],
        scopes={backward.__qualname__: [forward.__qualname__]},
        top=(forward.__qualname__, backward.__qualname__),
        made_by=backward.__qualname__,
        sizes=(("N", target.size), ("C", shape[-1])),
        shown=[backward],
    )


# heads ----------------------------------------------------------------------------------------------------------------


def of_head(head, shape=(3, 4), rng=0):
    """A head that reads h (*shape, input_size), or class numbers of that shape."""
    rng = as_rng(rng)
    cls = type(head)
    for name, value in head.params.items():
        head.params[name] = value + 0.3 * rng.normal(size=value.shape)
    is_embedding = isinstance(head, Embedding)
    h = rng.integers(0, head.input_size, shape) if is_embedding else rng.normal(size=(*shape, head.input_size))
    dy = rng.normal(size=(*shape, head.output_size))

    def forward(program, **given):
        made = program.instance(head)
        made.params.update({name: given[name] for name in head.params})
        return made.forward(given.get("h", h))

    def backward(program, dy, cache):
        dh, dparams = program.instance(head).backward(dy, cache)
        return {"h": dh} | dparams

    def environment():
        y, cache = head.forward(h)
        dh, dparams = head.backward(dy, cache)
        known = {"h": h, "y": y, "dy": dy, "dh": dh, "T": shape[0], "B": shape[-1]}
        return known | dict(head.params) | {f"d{name}": d for name, d in dparams.items()}

    passes = f"{cls.__name__}.backward", f"{cls.__name__}.forward"
    return PackagePart(
        f"{head!r}",
        forward,
        backward,
        dict(head.params) | ({} if is_embedding else {"h": h}),
        dy,
        environment=environment,
        family="readout" if cls is Readout else None,
        functions=AFFINE,
        classes=[cls],
        scopes={passes[0]: [passes[1]]} | {b: [*f, passes[1]] for b, f in AFFINE_SCOPES.items()},
        top=passes,
        made_by=passes[0],
        sizes=(("T", shape[0]), ("B", shape[-1])),
        shown=[cls.backward],
    )


def of_affine(rows=(3, 4), sizes=(2, 5), classes=False, rng=0):
    """`affine`: x W + b. classes: of class numbers."""
    rng = as_rng(rng)
    x = rng.integers(0, sizes[0], rows) if classes else rng.normal(size=(*rows, sizes[0]))
    inputs = {"W": rng.normal(size=sizes), "b": rng.normal(size=sizes[1])} | ({} if classes else {"x": x})

    def forward(program, W, b, x=x):
        return program[ops.affine](x, W, b), (x, W)

    def backward(program, dy, cache):
        dx, dW, db = program[ops.affine_backward](*cache, dy)
        return {"x": dx, "W": dW, "b": db}

    return PackagePart(
        f"affine{sizes}{', class numbers' if classes else ''}",
        forward,
        backward,
        inputs,
        rng.normal(size=(*rows, sizes[1])),
        functions=AFFINE,
        scopes=AFFINE_SCOPES,
        top=("affine", "affine_backward"),
        made_by="affine_backward",
        sizes=(("T", rows[0]), ("B", rows[-1])),
        shown=AFFINE[1:],
    )


# unitary blocks -------------------------------------------------------------------------------------------------------

# name -> (forward and backward pass, the weight's name, {backward function of the package: forward function})
BLOCKS = {
    "phases": (
        lone.turn,
        lone.turn_backward,
        "theta",
        {blocks.phases_backward: blocks.phases, blocks.phases_gradient: blocks.phases},
    ),
    "reflection": (
        lone.reflect,
        lone.reflect_backward,
        "v",
        {
            blocks.reflection_backward: blocks.reflection,
            blocks.reflection_gradient: blocks.reflection,
            blocks.reflection_weights_backward: blocks.reflection_weights,
        },
    ),
    "permutation": (
        lone.permute,
        lone.permute_backward,
        "perm",
        {blocks.permutation_backward: blocks.permutation},
    ),
    "fourier": (
        lone.transform,
        lone.transform_backward,
        None,
        {blocks.fourier_backward: blocks.fourier},
    ),
    "inverse_fourier": (
        lone.transform_back,
        lone.transform_back_backward,
        None,
        {blocks.inverse_fourier_backward: blocks.inverse_fourier},
    ),
    "modrelu": (lone.rectify, lone.rectify_backward, "b", {modrelu_backward: modrelu}),
}


def of_block(name, T=3, B=4, n=5, rng=0):
    """A unitary block of n complex numbers, alone."""
    rng = as_rng(rng)
    forward, backward, weight, passes = BLOCKS[name]
    made = {"theta": rng.normal(size=n), "v": rng.normal(size=2 * n), "b": rng.normal(-0.6, 0.4, n)}
    order = rng.permutation(n)
    inputs = {"z": rng.normal(size=(T, B, 2 * n))} | ({weight: made[weight]} if weight in made else {})
    fixed = {"perm": np.concatenate([order, order + n])} if weight == "perm" else {}
    dy = rng.normal(size=(T, B, 2 * n))

    def environment():
        program = Program([forward, backward])
        (_, cache), before = record(program, lambda p: p[forward](**inputs, **fixed))
        _, after = record(program, lambda p: p[backward](dy, cache))
        inverse = {"perm_inverse": fixed["perm"].argsort()} if fixed else {}
        known = by_name(before) | by_name(after) | fixed | inverse | {"T": T, "B": B, "H": n}
        return known | {"db": known["dshifted"]} if name == "modrelu" else known

    return PackagePart(
        f"{name}, n={n}, T={T}, B={B}",
        lambda program, **given: program[forward](**given, **fixed),
        lambda program, dy, cache: program[backward](dy, cache),
        inputs,
        dy,
        environment=environment,
        family=name,
        functions=[forward, backward, *dict.fromkeys([*passes.values(), *passes])],
        scopes={backward.__qualname__: [forward.__qualname__]}
        | {b.__qualname__: [f.__qualname__] for b, f in passes.items()},
        top=(forward.__qualname__, backward.__qualname__),
        made_by=backward.__qualname__,
        sizes=(("T", T), ("B", B)),
        shown=list(passes),
    )


PARTS = {
    "cross_entropy": [
        partial(of_loss, "cross_entropy"),
        partial(of_loss, "cross_entropy", (3, 2, 5), dloss=0.7, rng=1),
    ],
    "cross_entropy-masked": [
        partial(of_loss, "cross_entropy", masked=True),
        partial(of_loss, "cross_entropy", (3, 2, 5), masked=True, dloss=0.7, rng=1),
    ],
    "squared_error": [
        partial(of_loss, "squared_error"),
        partial(of_loss, "squared_error", (3, 2, 5), masked=True, dloss=0.7, rng=1),
    ],
    "mixture_density": [
        partial(of_loss, "mixture_density"),
        partial(of_loss, "mixture_density", (3, 2, 5), masked=True, dloss=0.7, rng=1),
    ],
    "readout": [
        lambda: of_head(Readout(4, 3, rng=0)),
        lambda: of_head(Readout(3, 2, rng=1, bias=False), (5,), rng=1),
    ],
    "pooled_readout": [
        lambda: of_head(PooledReadout(6, 3, rng=0)),
        lambda: of_head(PooledReadout(7, 2, size=3, stride=2, rng=1), (5,), rng=1),
    ],
    "embedding": [
        lambda: of_head(Embedding(4, 3, rng=0)),
        lambda: of_head(Embedding(5, 2, rng=1), (2, 3), rng=1),
    ],
    "affine": [
        of_affine,
        partial(of_affine, classes=True, rng=1),
        partial(of_affine, (5,), (3, 4), rng=2),
    ],
} | {name: [partial(of_block, name), partial(of_block, name, 2, 5, 3, rng=1)] for name in BLOCKS}

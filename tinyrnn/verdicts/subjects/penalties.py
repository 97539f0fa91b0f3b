"""Makes a `Problem` of every regulariser, of dropout and of the readout that is tied to an embedding."""

from functools import partial

import numpy as np

from tinyrnn.core import dropout
from tinyrnn.core.backend import as_rng
from tinyrnn.nn import regularisers
from tinyrnn.nn.heads import Embedding, TiedReadout
from tinyrnn.verdicts.subjects.parts import AFFINE, AFFINE_SCOPES, PackagePart

# name -> (the input's name, its shape, the name of what else the forward pass is given)
KINDS = {
    "soft_orthogonality": ("W", (4, 4), None),
    "point_residuals": ("W", (4, 4), "x"),
    "point_norms": ("W", (4, 4), "x"),
    "norm_stabiliser": ("h", (5, 3, 4), "mask"),
    "activation": ("h", (5, 3, 4), "mask"),
    "activation_change": ("h", (5, 3, 4), "mask"),
}


def of_penalty(name, shape=None, *, masked=False, dpenalty=1.0, rng=0):
    """A penalty on a matrix (n, n) or on outputs (T, B, n). masked: whether some steps do not exist."""
    rng = as_rng(rng)
    variable, usual, also = KINDS[name]
    shape = shape or usual
    forward, backward = getattr(regularisers, name), getattr(regularisers, f"{name}_backward")
    more = {}
    if also == "x":
        x = rng.normal(size=(6, shape[0]))
        more = {"x": x / np.linalg.norm(x, axis=1, keepdims=True)}
    elif masked:
        more = {"mask": np.arange(shape[0])[:, None] < shape[0] - np.arange(shape[1]) % shape[0]}
    return PackagePart(
        f"{name}{shape}{', masked' if masked else ''}",
        lambda program, **given: program[forward](**given, **more),
        lambda program, dy, kept: {variable: program[backward](kept, dy)},
        {variable: rng.normal(size=shape)},
        dpenalty,
        functions=[forward, backward],
        scopes={backward.__qualname__: [forward.__qualname__]},
        top=(forward.__qualname__, backward.__qualname__),
        made_by=backward.__qualname__,
        sizes=(("T", shape[0]), ("B", shape[1])),
        shown=[backward],
    )


def of_drop(shape=(3, 4, 5), kept=(4, 5), rng=0):
    """A product with a mask; kept: its shape."""
    rng = as_rng(rng)
    keep = (rng.random(kept) < 0.7) / 0.7
    names = "drop_backward", "drop"
    return PackagePart(
        f"drop{shape}",
        lambda program, x: (program[dropout.drop](x, keep), keep),
        lambda program, dy, keep: {"x": program[dropout.drop_backward](dy, keep)},
        {"x": rng.normal(size=shape)},
        rng.normal(size=shape),
        functions=[dropout.drop, dropout.drop_backward],
        scopes={names[0]: [names[1]]},
        top=names[::-1],
        made_by=names[0],
        sizes=(("T", shape[0]), ("B", shape[-1])),
        shown=[dropout.drop_backward],
    )


def of_tied(n=4, classes=3, shape=(3, 5), *, bias=True, rng=0):
    """A readout that reads h (*shape, n) with the weights of an embedding of so many classes."""
    rng = as_rng(rng)
    head = TiedReadout(n, classes, bias=bias)
    head.tie(Embedding(classes, n, rng=rng))
    inputs = {"h": rng.normal(size=(*shape, n)), "W": head.embedding.params.W}
    if bias:
        head.params["b"] = inputs["b"] = rng.normal(size=classes)

    def forward(program, h, W, **bias):
        made = program.instance(head)
        made.embedding.params.update(W=W)
        made.params.update(bias)
        return made.forward(h)

    def backward(program, dy, kept):
        dh, d = program.instance(head).backward(dy, kept)
        return {"h": dh, "W": d.pop("embedding")} | d

    passes = "TiedReadout.backward", "TiedReadout.forward"
    return PackagePart(
        f"{head!r}",
        forward,
        backward,
        inputs,
        rng.normal(size=(*shape, classes)),
        functions=AFFINE,
        classes=[TiedReadout],
        scopes={passes[0]: [passes[1]]} | {b: [*f, passes[1]] for b, f in AFFINE_SCOPES.items()},
        top=passes,
        made_by=passes[0],
        sizes=(("T", shape[0]), ("B", shape[-1])),
        shown=[TiedReadout.backward],
    )


SHAPES = {"W": (3, 3), "h": (4, 2, 3)}
PENALTIES = {
    name: [
        partial(of_penalty, name),
        partial(of_penalty, name, SHAPES[variable], masked=also == "mask", dpenalty=0.7, rng=1),
    ]
    for name, (variable, _, also) in KINDS.items()
} | {
    "drop": [of_drop, partial(of_drop, (2, 3), (2, 3), rng=1)],
    "tied_readout": [of_tied, partial(of_tied, 3, 5, (4,), bias=False, rng=1)],
}

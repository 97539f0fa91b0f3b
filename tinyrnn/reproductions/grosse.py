"""Grosse 2018, "Lecture 16: Learning Long-Term Dependencies" (CSC321)."""

from tinyrnn.reproductions.claims import Better, Solves
from tinyrnn.reproductions.entry import GROSSE, Reproduction, at
from tinyrnn.sweeps.plan import Sweep

ADAM = {"optimiser": "adam", "schedule": "cosine", "clip_norm": 1.0}


def reversal(scale):
    """An encoder-decoder that reads its source forward, and one that reads it from the end."""
    updates = at(scale, 500, 5000, 5000)
    return {
        "reversal": Sweep(
            shared={
                **{"task": "translation", "cell": "lstm", "hidden": 128, "updates": updates, "batch": 32},
                **{**ADAM, "lr": 4e-3, "test_every": updates // 5, "threads": 1},
            },
            contenders={
                "forward": {"task_options": {"reverse": False}},
                "reversed": {"task_options": {"reverse": True}},
            },
            seeds=3,
        )
    }


def identity_rnn(scale):
    """A ReLU network that starts as the identity, on MNIST pixel by pixel (Le, Jaitly & Hinton 2015)."""
    updates, valid = at(scale, 300, 4000, 240_000), at(scale, 1000, 10_000, 10_000)
    return {
        "pixels": Sweep(
            shared={
                **{"task": "mnist", "task_options": {"valid": valid}, "hidden": 100, "batch": 64, "updates": updates},
                **{**ADAM, "lr": 1e-3, "test_every": updates // at(scale, 3, 10, 100), "keep_best": True, "threads": 1},
            },
            contenders={"irnn": {"cell": "irnn"}, "tanh rnn": {"cell": "elman"}},
            grid=at(scale, {"lr": [1e-3, 1e-4]}, {}, {"lr": [1e-3, 1e-4, 1e-5]}),
            seeds=3,
            screen=at(scale, 1, 0, 0),
            solved=0.5,
        )
    }


GROSSES = {
    "grosse-jacobians": Reproduction(
        GROSSE, "§2.1", "products of Jacobians, and powers of a number", analyses=("powers", "jacobians")
    ),
    "grosse-f2": Reproduction(GROSSE, "Figure 2 and §2.2", "iterated maps", analyses=("iterated-maps", "mandelbrot")),
    "grosse-f3": Reproduction(
        GROSSE, "Figure 3", "one step close to the identity, many a step function", analyses=("tanh-map",)
    ),
    "grosse-f4": Reproduction(
        GROSSE, "Figure 4", "cliffs in the loss, and clipping", analyses=("loss-cliffs", "clipping")
    ),
    "grosse-gates": Reproduction(
        GROSSE, "§3.4", "the table of gates, and gradients that pass unmodified",
        analyses=("gate-table", "pass-through"),
    ),
    "grosse-reversal": Reproduction(
        GROSSE, "§3.2; Sutskever, Vinyals & Le 2014", "an encoder-decoder that reads its source from the end", reversal,
        claims={"": (Better("reversing the source helps", "reversed", "forward"),)},
        ours="two made-up languages in place of English and French",
    ),
    "grosse-irnn": Reproduction(
        GROSSE, "§3.3; Le, Jaitly & Hinton 2015", "an identity RNN reads digits pixel by pixel", identity_rnn,
        claims={
            "": (
                Solves("an identity RNN learns to classify digits read pixel by pixel", ("irnn",)),
                Better("and a tanh RNN does not", "irnn", "tanh rnn", "test_accuracy", higher=True),
            )
        },
        ours="Adam; fewer updates",
    ),
}  # fmt: skip

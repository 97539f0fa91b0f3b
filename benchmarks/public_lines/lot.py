"""Which programs were held out: drawn by lot before any mistake was written down."""

import random

SEED = 2026
PROGRAMS = (
    "Burton2000/CS231n-2017",
    "JY-Yoon/RNN-Implementation-using-NumPy",
    "Kulbear/deep-learning-coursera",
    "MichaelMastro/Batched-Gated-Recurrent-Unit",
    "borgwang/tinynn",
    "eliben/deep-learning-samples",
    "erikvdplas/gru-rnn",
    "jariasf/CS231n",
    "jyan1237/11785-hw3p1",
    "krocki/dnc",
    "mantasu/cs231n",
    "nianiaele/gru-cell-in-numpy",
    "nicodjimenez/lstm",
    "ocropus/ocropy",
    "oreilly-japan/deep-learning-from-scratch",
    "oreilly-japan/deep-learning-from-scratch-2",
    "vzhou842/rnn-from-scratch",
    "wiseodd/hipsternet",
)
HELD_OUT = frozenset(random.Random(SEED).sample(PROGRAMS, len(PROGRAMS) // 2))


def half_of(program: str) -> str:
    """The half that a repository belongs to: "held out" or "development"."""
    return "held out" if program in HELD_OUT else "development"

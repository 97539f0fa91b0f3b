"""The picture of the handout: one symbol in a clock, and when it is heard."""

import numpy as np


def draw(figure):
    """How loud a symbol is some steps after it was read, in a clock of hands that differ and in one of hands that
    agree."""
    rng = np.random.default_rng(0)
    d, period = 40, 60
    code = rng.normal(size=d) + 1j * rng.normal(size=d)
    code /= np.linalg.norm(code)
    lags = np.arange(121)
    axes = figure.subplots()
    for numbers, colour, name in (
        (rng.integers(1, period, size=d), "#4477aa", "hands of all numbers"),
        (15 * rng.integers(0, 4, size=d), "#ee6677", "hands that share a factor with the period"),
    ):
        turns = np.exp(2j * np.pi * np.outer(lags, numbers) / period)
        axes.plot(lags, (turns * abs(code) ** 2).sum(axis=1).real, color=colour, label=name, linewidth=1.2)
    axes.set(xlabel="steps since the symbol was read", ylabel="score", ylim=(-0.6, 1.45))
    axes.legend(frameon=False, ncols=2, loc="upper center", fontsize=8)

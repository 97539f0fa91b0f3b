"""The picture of the handout: a cell that obeys."""

import numpy as np


def draw(figure):
    """What one LSTM cell holds while it is told to write, keep, add and erase, and what it lets be read."""
    told = ["write", *["keep"] * 7, "add", *["keep"] * 7, "erase", *["keep"] * 3, "write", *["keep"] * 5]
    value = np.random.default_rng(1).uniform(-1.5, 1.5, len(told))
    value[[0, 8, 20]] = 0.9, 0.8, -0.7
    c, held = 0.0, []
    for command, v in zip(told, value, strict=True):
        i, f = command in ("write", "add"), command in ("keep", "add")
        c = f * c + i * np.tanh(v)
        held.append(c)
    steps, read = np.arange(len(told)), np.isin(np.arange(len(told)), (5, 6, 13, 14, 24))
    axes = figure.subplots()
    axes.axhline(0, color="#bbbbbb", linewidth=0.8)
    axes.step(steps, np.tanh(value), where="mid", color="#bbbbbb", label="what comes in, tanh(value)")
    axes.step(steps, held, where="mid", color="#4477aa", linewidth=2, label="the cell c")
    axes.plot(steps[read], np.tanh(held)[read], "o", color="#ee6677", label="h, where it is read")
    for t, command in enumerate(told):
        if command != "keep":
            axes.annotate(command, (t, 1.75), ha="center", fontsize=9)
    axes.set(xlabel="step", ylim=(-1.3, 2.1))
    axes.legend(frameon=False, ncols=3, loc="lower center", fontsize=8)

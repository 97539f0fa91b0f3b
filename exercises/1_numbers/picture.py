"""The picture of the handout: how wrong a slope is, by the size of the step."""

import numpy as np


def draw(figure):
    """The error of three ways to the slope of sin at 1, over the step."""
    eps = np.logspace(-15, -1, 300)
    right = np.cos(1.0)
    errors = {
        "forward": abs((np.sin(1 + eps) - np.sin(1)) / eps - right),
        "central": abs((np.sin(1 + eps) - np.sin(1 - eps)) / (2 * eps) - right),
        "complex step": abs(np.sin(1 + 1j * eps).imag / eps - right),
    }
    axes = figure.subplots()
    for (name, error), colour in zip(errors.items(), ("#4477aa", "#ee6677", "#228833"), strict=True):
        axes.loglog(eps, np.maximum(error, 1e-17), color=colour, label=name, linewidth=1.2)
    axes.set(xlabel="step ε", ylabel="error of the slope of sin at 1")
    axes.legend(frameon=False)

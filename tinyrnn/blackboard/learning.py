"""Training in a few lines, for lectures in which it is not the subject."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.ndimage import median_filter

from tinyrnn.blackboard.picture import Picture, new_picture
from tinyrnn.optim.clipping import clip_by_norm
from tinyrnn.optim.optimisers import RMSProp
from tinyrnn.training.plots import STYLES, PlainLogFormatter


def learn(
    net: Any, task: Any, updates: int, lr: float = 1e-3, clip: float = 1.0, batch: int = 20, seed: int = 0
) -> Any:
    """Trains `net` (a `Model` in float32) on `task` (of `tinyrnn.tasks`) in place; returns the losses (updates,).

    RMSProp with the learning rate `lr`, gradients clipped to the norm `clip`; update k sees batch k of `seed`, so that
    every network trained with that seed sees the same data.
    """
    optimiser, losses = RMSProp(lr=lr), np.empty(updates)
    for k in range(updates):
        x, target, mask = task.batch(seed, k, batch)
        out = net.gradients(x, target, mask)
        grads, _ = clip_by_norm(out.params, clip)
        optimiser.step(net.params, grads)
        losses[k] = out.loss
    return losses


def learning_curves(words: str, curves: Mapping[str, Any], baseline: float, baseline_name: str) -> Picture:
    """Losses against updates, name -> losses, on a log scale, with the loss of who remembers nothing.

    Pale: every update; strong: a running median, which a single bad batch does not move.
    """
    picture, axes = new_picture(words, size=(8, 4.2))
    for (name, losses), (colour, line) in zip(curves.items(), STYLES, strict=False):
        axes.plot(losses, color=colour, alpha=0.2, linewidth=0.7)
        axes.plot(
            median_filter(losses, 1 + len(losses) // 25, mode="reflect"), color=colour, linestyle=line, label=name
        )
    axes.axhline(baseline, color="black", linewidth=1, linestyle=(0, (2, 2)), label=f"{baseline_name} ({baseline:.3g})")
    axes.set(xlabel="updates", ylabel="loss", yscale="log")
    axes.yaxis.set_major_formatter(PlainLogFormatter())
    axes.yaxis.set_minor_formatter(PlainLogFormatter(minor_thresholds=(1.5, 0.6)))
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize="small")
    return picture

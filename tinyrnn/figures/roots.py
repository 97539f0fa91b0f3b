"""Where the eigenvalues of a linear-transition network go while it learns to copy, and what its readout learns."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis.constructed import clock
from tinyrnn.analysis.constructions import clock_period
from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.training.plots import STYLES, new_figure
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer


def run(
    delay: Annotated[int, "T of the copy task"] = 20,
    length: Annotated[int, "S, the symbols to remember"] = 5,
    units: Annotated[int, "of the LT-ORNN"] = 40,
    updates: Annotated[int, "of the training"] = 800,
    seed: Annotated[int, "of weights and data"] = 0,
):
    """Eigenvalues of V and alignment of the readout before and after training; a `Result`."""
    if min(delay, length, units, updates) < 1:
        raise ValueError("delay, length, units and updates must be at least 1")
    settings = Settings(
        task="copy", task_options={"delay": delay, "length": length}, cell="lt-ornn", hidden=units, seed=seed,
        updates=updates, lr=1e-3, schedule="cosine", clip_norm=1.0, threads=1, compiled=False,
    )  # fmt: skip
    trainer = Trainer(settings, folder=None)
    period = clock_period(trainer.task)
    before = looked_at(trainer.model, period)
    with matrix_threads(1):
        losses = [trainer.update()[0] for _ in Bar(range(updates), desc="lt-ornn", unit="update", leave=False)]
    after = looked_at(trainer.model, period)
    share = float(np.mean(losses[-20:]) / trainer.task.baseline)
    found = {"before training": before, f"after {updates} updates": after}
    numbers = {
        "period T + S": period,
        "loss, share of the baseline": share,
        "distance of the angles from the nearest root, in gaps between roots": {
            when: float(each["distances"].mean()) for when, each in found.items()
        },
        "tr(V^(T+S)) / n": {when: float(each["clock"][period]) for when, each in found.items()},
        "moduli": {when: [abs(each["values"]).min(), abs(each["values"]).max()] for when, each in found.items()},
        "cosine of w_k and V^(T+S) u_k": {when: float(np.diag(each["cosines"]).mean()) for when, each in found.items()},
        "cosine of w_k and u_k": {when: each["plain"] for when, each in found.items()},
    }
    lines = [f"loss {share:.1%} of the baseline after {updates} updates"]
    for when, each in found.items():
        lines.append(
            f"{when}: an eigenvalue's angle is {each['distances'].mean():.3f} gaps from the nearest root of unity "
            f"(0.25 by chance); a symbol's vector in the readout has the cosine {np.diag(each['cosines']).mean():.2f} "
            f"with what V^{period} makes of the symbol's code, {each['plain']:.2f} with the code itself"
        )
    tables = {
        when: {"re": each["values"].real, "im": each["values"].imag, "gaps": each["distances"]}
        for when, each in found.items()
    }
    return Result(draw(found, period), numbers, tables, tuple(lines))


def looked_at(model, period):
    """A dict of the eigenvalues of V and what they say, and of the readout against the codes turned T + S times.

    cosines (K, K): of the readout's vector for symbol k, in rows, and what the network has of symbol l at the time at
    which it is due, each without the mean over symbols, which no answer depends on.
    """
    p = model.params
    V = np.asarray(p["layers.V"], "float64").T  # columns here
    values = np.linalg.eigvals(V)
    turns = np.angle(values) * period / (2 * np.pi)
    codes = np.asarray(p["layers.U"], "float64")[1:-1].T  # of the symbols; the blank is the first class
    answers = np.asarray(p["readout.W"], "float64")[:, 1:]
    return {
        "values": values,
        "distances": abs(turns - np.round(turns)),
        "clock": clock(np.angle(values), 2 * period),
        "cosines": cosines(answers, np.linalg.matrix_power(V, period) @ codes),
        "plain": float(np.diag(cosines(answers, codes)).mean()),
    }


def cosines(A, B):
    """Between the columns of A, in rows, and of B, each less the mean column of its own."""
    A, B = (M - M.mean(axis=1, keepdims=True) for M in (A, B))
    return (A / np.linalg.norm(A, axis=0)).T @ (B / np.linalg.norm(B, axis=0))


def draw(found, period):
    """A row for each time: eigenvalues among the roots of unity, and the readout against what is there to be read."""
    figure, panels = new_figure(2, 2, (10, 9))
    roots = np.exp(2j * np.pi * np.arange(period) / period)
    for (axes, matrix), (when, each) in zip(panels, found.items(), strict=True):
        axes.plot(roots.real, roots.imag, "+", color="0.6", label=f"roots of unity of order {period}")
        axes.plot(
            each["values"].real, each["values"].imag, "o", color=STYLES[0][0], markersize=4, label="eigenvalues of V"
        )
        axes.set(aspect="equal", xlabel="real part", ylabel="imaginary part", title=f"Eigenvalues {when}")
        image = matrix.imshow(each["cosines"], cmap="PuOr_r", vmin=-1, vmax=1)
        matrix.set(
            xlabel=f"code of symbol l, turned {period} times", ylabel="readout of symbol k", title=f"Cosines {when}"
        )
    panels[0, 0].legend(fontsize="small", loc="center")
    figure.colorbar(image, ax=list(panels[:, 1]), label="cosine")
    figure.suptitle("What learns to copy: not the clock, but who reads it")
    return figure


ANALYSIS = Analysis(
    title="eigenvalues of a trained LT-ORNN, and its readout, against the clock of the constructed solution",
    source="Henaff, Szlam & LeCun 2016, section 3.1.1",
    run=run,
    look=(
        "the eigenvalues spread from the circle, and come no nearer to the roots of unity than by chance. What learns "
        "is the readout: each symbol's vector turns to where V puts that symbol's code after T + S steps."
    ),
    errata=(
        "A random orthogonal matrix is said to be near the solution because descent has only to nudge its eigenvalues "
        "to roots of unity. That is so if the readout is to be the input's own codes, as in the construction; a "
        "readout that is trained can read V^(T+S) u just as well as u, and V need not have any period.",
    ),
)

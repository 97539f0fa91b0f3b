"""The norm of the gradient at each moment, before training and in its first updates (Arjovsky, Shah & Bengio)."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis.flow import gradient_norms
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.figures.snapshots import PEEPHOLE, outputs, snapshots, timed
from tinyrnn.training.demo import recall_of
from tinyrnn.training.networks import HELP
from tinyrnn.training.plots import STYLES, capital, new_figure

SEQUENCES = 20  # that the norms are averaged over
NOTHING = 1e-20  # beside which all that is learnt from is large: what is smaller is not drawn


def run(
    networks: Annotated[tuple[str, ...], f"each {HELP}; cells are trained here"] = ("elman", "lstm", "urnn"),
    task: Annotated[str, "adding, or copy, of which the loss of the recall alone is taken"] = "adding",
    steps: Annotated[int, "T, of the copy task the delay"] = 1000,
    updates: Annotated[tuple[int, ...], "look after so many updates"] = (0, 50, 100),
    hidden: Annotated[int, "units of the cells"] = 128,
    seed: Annotated[int, "of weights and data"] = 0,
):
    """The norm of the gradient of the loss by the state at each step, mean over sequences, by update; a `Result`."""
    curves = {}  # when -> label -> state -> (T,)
    shown = {}  # label -> states that are drawn
    for shot in snapshots(networks, timed(task, steps), updates, hidden, seed):
        batch = shot.task.batch(seed, max(updates), SEQUENCES, shot.model.dtype)  # one that it is not yet trained on
        recall = recall_of(shot.task, batch.target) if shot.task.name == "copy" else None
        norms = gradient_norms(shot.model, batch, recall)
        curves.setdefault(shot.when, {})[shot.label] = {state: n.mean(axis=1) for state, n in norms.items()}
        shown[shot.label] = outputs(shot.model.layers)
    lines, numbers, tables = [], {}, {}
    for when, found in curves.items():
        for label, norms in found.items():
            tables[f"{when} {label}"] = {"t": np.arange(1, 1 + len(next(iter(norms.values())))), **norms}
            numbers |= {f"{when}, {label}, {state}": summary(n) for state, n in norms.items()}
            lines += [f"{when}, {label}, {state}: {in_words(summary(norms[state]))}" for state in shown[label]]
    return Result(draw(curves, shown, task), {"task": task, "T": steps, "norms": numbers}, tables, tuple(lines))


def summary(norms):
    """First and last norm, and how many of the last steps have at least a thousandth of the last one."""
    small = np.nonzero(norms < norms[-1] / 1000)[0]
    heard = len(norms) - 1 - small[-1] if len(small) else len(norms)
    return {"first": norms[0], "last": norms[-1], "steps": heard}


def in_words(found):
    """The norm at the first and the last step, and over how many steps it is a thousandth or more."""
    ends = f"{found['first']:.2g} at t = 1, {found['last']:.2g} at the end"
    return f"{ends}; a thousandth of that or more over {found['steps']} steps"


def draw(curves, shown, task):
    """A panel for each number of updates: the norm against the time step, all with the same logarithmic axis."""
    figure, panels = new_figure(1, len(curves), (1.5 + 3.8 * len(curves), 4.4))
    panels = np.atleast_1d(panels)
    pairs = [(label, state) for label, states in shown.items() for state in states]
    for axes, (when, found) in zip(panels, curves.items(), strict=True):
        for k, (label, state) in enumerate(pairs):
            if label in found:
                norms = np.where(found[label][state] > 0, found[label][state], np.nan)  # no logarithm of zero
                colour, line = STYLES[k % len(STYLES)]
                name = f"{label}, {state}" if len(shown[label]) > 1 else label
                axes.plot(np.arange(1, 1 + len(norms)), norms, color=colour, linestyle=line, label=name)
        axes.set(title=capital(when), xlabel="time step t", yscale="log")
        axes.grid(alpha=0.25)
        axes.legend(loc="best", fontsize="small")
    low, high = zip(*(axes.get_ylim() for axes in panels), strict=True)
    for axes in panels:
        axes.set_ylim(max(min(low), NOTHING), max(high))
    panels[0].set_ylabel(r"$\|\partial C / \partial h_t\|$, mean over sequences")
    figure.suptitle(f"How much of the loss each moment hears of ({task} task)")
    return figure


ANALYSIS = Analysis(
    title="the gradient at every moment, before training and in the first updates",
    source="Arjovsky, Shah & Bengio 2015: section 2, equations 1 to 5; the figure is that of the published version",
    run=run,
    look="a straight line is a constant factor a step. Before training the unitary network's is exactly 1, for with "
    "b = 0 its modReLU does nothing; within 100 updates b is no longer 0, and its gradient fades as well. The tanh "
    "network's may come back, flat, as in the paper: once the largest eigenvalues of W are complex and large enough, "
    "the network oscillates by itself, and a shift along the oscillation neither fades nor grows.",
    errata=(
        "What the paper calls an LSTM adds, in its code, c_t V_o with a full matrix V_o in the output gate: "
        f"{PEEPHOLE}.",
        "In the code of the paper's time the Fourier transforms are commented out and a learned diagonal scale "
        "is added with a penalty, so that W was not unitary; which code made the figures cannot be found out. Here W "
        "is the product of the text, unitary at every step of training.",
        'The paper\'s "spectral radius norm (or operator 2-norm)" is two things: the spectral radius is no norm '
        "([[0, 1], [0, 0]] has radius 0), and the bound, equation 4, needs the operator norm.",
        "Equation 3 writes D W^T, with columns for h; which of the two comes first and which is transposed mixes "
        "conventions. The backward passes here go through the nonlinearity first, then through W.",
    ),
)

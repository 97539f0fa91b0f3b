"""How large the state grows, and how far it still has to go, over more steps than trained on (Arjovsky et al.)."""

from itertools import cycle
from typing import Annotated

import numpy as np

from tinyrnn.analysis.flow import state_norms
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.figures.snapshots import PEEPHOLE, lengthened, outputs, snapshots, timed
from tinyrnn.training.evaluation import evaluate
from tinyrnn.training.networks import HELP
from tinyrnn.training.plots import STYLES, capital, new_figure

SEQUENCES = 20  # over which norms are averaged
TESTED = 500  # by which it is said what has been learnt


def run(
    networks: Annotated[tuple[str, ...], f"each {HELP}; cells are trained here"] = ("lstm", "urnn"),
    task: Annotated[str, "adding or copy"] = "adding",
    trained_steps: Annotated[int, "T in training, of the copy task the delay"] = 30,
    steps: Annotated[int, "T that the states are looked at"] = 150,
    updates: Annotated[tuple[int, ...], "look after so many updates"] = (0, 4000),
    hidden: Annotated[tuple[int, ...], "units of the cells, one number for all or one for each"] = (128,),
    seed: Annotated[int, "of weights and data"] = 0,
):
    """Norms of the states and distances from the last one, over more steps than trained on, by update; a `Result`."""
    norms, losses = {}, {}  # when -> label -> state -> StateNorms; and when, label -> (loss, of the baseline)
    put_out = {}  # label -> states that are outputs
    for shot in snapshots(networks, timed(task, trained_steps), updates, hidden, seed):
        short = shot.task.batch(seed, max(updates), TESTED, shot.model.dtype)
        loss = evaluate(shot.model, shot.task, [short])["test_loss"]
        losses[f"{shot.when}, {shot.label}"] = {"loss": loss, "of the baseline": loss / shot.task.baseline}
        put_out[shot.label] = outputs(shot.model.layers)
        longer = lengthened(shot.task, steps)
        x, _, _ = longer.batch(seed, max(updates), SEQUENCES, shot.model.dtype)
        read = x if shot.model.embedding is None else shot.model.embedding.forward(x)[0]
        norms.setdefault(shot.when, {})[shot.label] = state_norms(shot.model.layers, read)
    lines, numbers, tables = [], {}, {}
    for when, found in norms.items():
        for label, states in found.items():
            columns = {"t": np.arange(1, 1 + len(next(iter(states.values())).size))}
            for state, both in states.items():
                for kind, values in both._asdict().items():
                    columns |= {f"{kind} {state}": values.mean(axis=1), f"{kind} {state} sd": values.std(axis=1)}
                numbers[f"{when}, {label}, {state}"] = found_of = summary(both, trained_steps)
                lines.append(f"{when}, {label}, {state}: {in_words(found_of)}")
            share = losses[f"{when}, {label}"]["of the baseline"]
            lines.append(f"{when}, {label}: at T = {trained_steps} its loss is {share:.1%} of the baseline")
            tables[f"{when} {label}"] = columns
    settings = {"task": task, "trained T": trained_steps, "T": steps}
    learnt = {where: of["of the baseline"] for where, of in losses.items()}
    figure = draw(norms, put_out, learnt, trained_steps)
    return Result(figure, settings | {"norms": numbers, "losses": losses}, tables, tuple(lines))


def summary(both, trained_steps):
    """Of the means over the batch: four norms, and the distance from the end, half-way."""
    size, distance = both.size.mean(axis=1), both.distance.mean(axis=1)
    return {
        "first": size[0],
        "as long as in training": size[min(trained_steps, len(size)) - 1],
        "largest": size.max(),
        "last": size[-1],
        "distance half-way": distance[len(distance) // 2],
    }


def in_words(found):
    """Its norms, and how far the state half-way is from its end."""
    first, trained, last, largest = (found[k] for k in ("first", "as long as in training", "last", "largest"))
    return (
        f"norm {first:.3g} at t = 1, {trained:.3g} where training ended, {last:.3g} at T, {largest:.3g} at most; "
        f"half-way {found['distance half-way']:.3g} from its end"
    )


def draw(norms, put_out, learnt, trained_steps):
    """A column for each number of updates: norms and distances of what is put out, and norms of what is kept inside.

    put_out: label -> names of the states that are outputs. learnt: "when, label" -> its loss as a share of the
    baseline. Means and deviations over sequences.
    """
    every = ((label, s) for found in norms.values() for label, states in found.items() for s in states)
    pairs = list(dict.fromkeys(every))
    shown = {pair: style for pair, style in zip(pairs, cycle(STYLES), strict=False)}
    rows = [("size", r"output: length $\|h_t\|$", True), ("distance", r"output: way to go, $\|h_t - h_T\|$", True)]
    if any(s not in put_out[label] for label, s in pairs):  # a cell may grow a thousandfold behind its output gate
        rows.append(("size", r"kept inside: length $\|s_t\|$", False))
    figure, panels = new_figure(len(rows), len(norms), (1.5 + 4.2 * len(norms), 0.6 + 3.0 * len(rows)))
    panels = np.reshape(panels, (len(rows), -1))
    for column, (when, found) in zip(panels.T, norms.items(), strict=True):
        for axes, (kind, _, is_output) in zip(column, rows, strict=True):
            for (label, state), (colour, line) in shown.items():
                if label not in found or (state in put_out[label]) != is_output:
                    continue
                values = getattr(found[label][state], kind)
                mean, spread, t = values.mean(axis=1), values.std(axis=1), np.arange(1, 1 + len(values))
                axes.plot(t, mean, color=colour, linestyle=line, label=f"{label}, {state}")
                axes.fill_between(t, mean - spread, mean + spread, color=colour, alpha=0.2, linewidth=0)
            axes.axvspan(1, trained_steps, color="0.9", zorder=0, label="as long as in training")
            axes.set(xlim=(1, None))
            axes.set_ylim(bottom=0)  # each its own scale: what is small after training may still move
            axes.grid(alpha=0.25)
        shares = ", ".join(f"{label} {learnt[f'{when}, {label}']:.0%}" for label in found)
        column[0].set_title(f"{capital(when)}\n(loss, of the baseline: {shares})", fontsize="medium")
        column[-1].set_xlabel("time step t")
    for axes, (_, what, _) in zip(panels[:, 0], rows, strict=True):
        axes.set_ylabel(what)
        axes.legend(loc="best", fontsize="small")
    figure.suptitle("How large the states are, and how far from where they end (mean ± sd over sequences)")
    return figure


ANALYSIS = Analysis(
    title="norms of the states, and their distance from the last one, over longer sequences than trained on",
    source="Arjovsky, Shah & Bengio 2015; the figure is that of the published version (T = 200 in training, then 1000)",
    run=run,
    look="whether the norms go on rising beyond the grey, for which the network was trained. A state that is as "
    "near its end early as it is late has stopped moving: of what came before, little is left in it. Before training "
    "the unitary network's state grows with every input; once it has learnt to add, it grows for as long as it was "
    "trained and no further. In the paper's picture, of T = 200 and 1000, it goes on: `tinyrnn reproduce "
    "arjovsky-norms --scale half` has the source's units at T = 100 and 500, which takes ten minutes.",
    errata=(
        f"The paper's LSTM has a full peephole c_t V_o in its output gate, which the text leaves out: {PEEPHOLE}.",
        "In the paper's figure the LSTM's norm goes up to 38. The h_t of 128 units, each in (-1, 1), has at most the "
        "norm 11.3, and differs from h_T by 22.6 at most: what is drawn there must be c_t or more than one sequence.",
    ),
)

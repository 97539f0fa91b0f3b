"""Which of the two addends a network remembers, while it learns to add or once it has (Arjovsky, Shah & Bengio)."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis.outputs import KEPT, addends, expected, remembered
from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.figures.snapshots import AS_IT_STANDS, PEEPHOLE, advance, as_it_stands, timed
from tinyrnn.tasks import Adding
from tinyrnn.tasks.adding import adding_baseline
from tinyrnn.training.networks import HELP, network
from tinyrnn.training.plots import STYLES, capital, new_figure
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

SEQUENCES = 500  # not trained on
ADAM = {"optimiser": "adam", "clip_norm": 1.0, "batch": 50, "threads": 1}
NAMES = ("first addend", "second addend")
MARKS = ("o", "x")


def run(
    network: Annotated[str, f"{HELP}; a cell is trained here"] = "gru",
    steps: Annotated[int, "T, for what is trained here"] = 100,
    updates: Annotated[int, "of the training"] = 800,
    every: Annotated[int, "look after each so many updates"] = 20,
    hidden: Annotated[int, "units of the cell"] = 64,
    rate: Annotated[float, "learning rate"] = 1e-3,
    seed: Annotated[int, "of weights and data"] = 0,
):
    """Correlation of the output with either addend, loss and what is remembered, in training or not; a `Result`."""
    if not 1 <= every <= updates:
        raise ValueError(f"every must be at least 1 and at most the {updates} updates, got {every}")
    found, task = chosen(network, steps, hidden, seed)
    if found.fresh:
        options = {"cell": found.label, "hidden": hidden, "updates": updates, "lr": rate, "seed": seed}
        looks = training(Settings(**timed("adding", steps), **options, **ADAM), every)
    else:
        shot = as_it_stands(found, task)
        looks = {0: look_at(shot.model, shot.task)}
    shown = stops(looks)
    table = {
        "update": list(looks),
        **{f"rho {k + 1}": [look.rho[k] for look, _ in looks.values()] for k in range(2)},
        **{f"weight {k + 1}": [look.weights[k] for look, _ in looks.values()] for k in range(2)},
        "loss": [look.loss for look, _ in looks.values()],
        "kept": [look.kept for look, _ in looks.values()],
    }
    numbers = {"network": found.label, "T": task.steps, "ideal": {words: ideal(words) for words in KEPT}}
    numbers |= {"stops": {at: looks[at][0]._asdict() | {"kept": looks[at][0].kept} for at in shown}}
    lines = [f"{when(at, found.fresh)}: {in_words(looks[at][0])}" for at in shown]
    figure = draw(found, task, looks, shown)
    return Result(figure, numbers, {"over training": table, "outputs": outputs_of(looks, shown)}, tuple(lines))


def chosen(what, steps, hidden, seed):
    """The network, and the adding task that it is for; ValueError for a run on another task."""
    found = network(what, 2, hidden, seed)
    task = found.task or Adding(steps=steps)
    if not isinstance(task, Adding):
        raise ValueError(f"{found.label} was trained on {task.name}, which has no addends")
    return found, task


def training(settings, every):
    """{number of updates: what `look_at` returns} of a training, from its beginning to its end."""
    trainer = Trainer(settings, folder=None)
    looks = {0: look_at(trainer.model, trainer.task)}
    with matrix_threads(1):
        for update in Bar(range(1, settings.updates + 1), desc=settings.cell, unit="update", leave=False):
            advance(trainer)
            if update % every == 0 or update == settings.updates:
                looks[update] = look_at(trainer.model, trainer.task)
    return looks


def look_at(model, task):
    """(`Remembered`, {"first addend": (B,), "second addend": (B,), "output": (B,)}) of sequences of the test set."""
    x, _, _ = next(iter(task.test_batches(SEQUENCES, model.dtype)))
    y = model.forward(x)[0][:, 0]
    parts = addends(task, x)
    return remembered(y, parts), dict(zip((*NAMES, "output"), (*parts.T, y), strict=True))


def stops(looks):
    """The updates to be shown: the first look, that at which the addends are told apart most, and the last."""
    contrast = {at: abs(look.rho[0] ** 2 - look.rho[1] ** 2) for at, (look, _) in looks.items()}
    told_apart = max(contrast, key=lambda at: np.nan_to_num(contrast[at]))
    return sorted({min(looks), told_apart, max(looks)})


def outputs_of(looks, shown):
    """Columns of a table: at each update shown, the addends and the output for every sequence."""
    columns = {"update": [at for at in shown for _ in range(SEQUENCES)]}
    return columns | {name: np.concatenate([looks[at][1][name] for at in shown]) for name in (*NAMES, "output")}


def ideal(words):
    """ρ with each addend of a network that remembers just these; None where the output is then constant."""
    return expected(KEPT[words]) if any(KEPT[words]) else None


def when(at, trained):
    """After how many updates, or that the network is not trained here."""
    return f"after {at} updates" if trained else AS_IT_STANDS


def in_words(look):
    """One look: both correlations, what it remembers, how much of each addend gets through, and the loss."""
    if np.isnan(look.rho).any():
        return f"the output is constant, so there is no correlation; loss {look.loss:.4f}, 1/6 at best"
    rho, weights = (" and ".join(f"{value:.2f}" for value in pair) for pair in (look.rho, look.weights))
    return f"rho {rho}: it remembers {look.kept}; {weights} of each gets through; loss {look.loss:.4f}"


# the picture ----------------------------------------------------------------------------------------------------------


def draw(found, task, looks, shown):
    """Below, outputs against addends for each update shown; above, if trained, loss, correlations and their plane."""
    trained = len(looks) > 1
    figure, panels = new_figure(
        1 + trained, max(len(shown), 3 if trained else 1), (12 if trained else 6, 4.6 + 3.4 * trained)
    )
    panels = np.atleast_2d(panels)
    if trained:
        draw_loss(panels[0, 0], looks)
        draw_correlations(panels[0, 1], looks, shown)
        draw_plane(panels[0, 2], looks, shown)
    for axes, at in zip(panels[-1], shown, strict=False):
        draw_outputs(axes, looks[at][1], f"{when(at, trained)}: {looks[at][0].kept}")
    for axes in panels[-1, len(shown) :]:
        axes.set_axis_off()
    figure.suptitle(f"{found.label}, adding over {task.steps} steps: which addends does the output know?")
    return figure


def draw_loss(axes, looks):
    """The test loss against updates, and the losses with no addend and with one known."""
    axes.plot(list(looks), [look.loss for look, _ in looks.values()], color=STYLES[0][0], label="test loss")
    for known, line in enumerate((":", "--")):
        words = ("no addend known, 1/6", "one addend known, 1/12")[known]
        axes.axhline(adding_baseline(known), color="black", linewidth=1, linestyle=line, label=words)
    axes.set(xlabel="updates", ylabel="mean squared error", title="Loss", ylim=(0, 0.3))
    axes.legend(fontsize="small")
    axes.grid(alpha=0.25)


def draw_correlations(axes, looks, shown):
    """The correlation with either addend against updates; lines mark the updates that are shown."""
    for k, (name, (colour, line)) in enumerate(zip(NAMES, STYLES, strict=False)):
        rho = [look.rho[k] for look, _ in looks.values()]
        axes.plot(list(looks), rho, color=colour, linestyle=line, label=name)
    axes.axhline(expected((1, 1))[0], color="black", linewidth=1, linestyle=":", label=r"both known, $\sqrt{1/2}$")
    for at in shown:
        axes.axvline(at, color="black", alpha=0.3, linewidth=0.8)
    axes.set(xlabel="updates", ylabel="Pearson's ρ with the output", title="Correlation", ylim=(-0.25, 1.05))
    axes.legend(fontsize="small", loc="lower right")
    axes.grid(alpha=0.25)


def draw_plane(axes, looks, shown):
    """One correlation against the other, coloured by updates, and where they are if none, one or both are known."""
    rho = np.array([look.rho for look, _ in looks.values()])
    axes.plot(*rho.T, "-", color="0.6", linewidth=0.8)
    points = axes.scatter(*rho.T, c=list(looks), cmap="cividis", s=14, zorder=3)
    axes.figure.colorbar(points, ax=axes, label="updates")
    angle = np.linspace(0, np.pi / 2, 100)
    axes.plot(
        np.cos(angle), np.sin(angle), color="black", linewidth=1, linestyle="--", label="no noise: sum of squares 1"
    )
    axes.legend(loc="upper right", fontsize="small")
    for words in KEPT:
        at = ideal(words) or (0, 0)
        away, side = ((7, 2), "left") if words == "both" else ((-5, -12), "right")
        axes.plot(*at, marker="*", color="black", markersize=9, zorder=4)
        axes.annotate(words, at, xytext=away, textcoords="offset points", ha=side, fontsize="small")
    axes.set(xlabel="ρ with the first addend", ylabel="ρ with the second addend", title="Both correlations")
    axes.set(xlim=(-0.5, 1.1), ylim=(-0.25, 1.35), aspect="equal")
    axes.grid(alpha=0.25)


def draw_outputs(axes, columns, title):
    """The output against either addend, a point for each sequence."""
    for name, mark, (colour, _) in zip(NAMES, MARKS, (STYLES[0], STYLES[-1]), strict=True):  # dark and light in grey
        axes.plot(
            columns[name], columns["output"], mark, color=colour, markersize=3.5, markerfacecolor="none", label=name
        )
    axes.set(xlabel="addend", ylabel="output", title=capital(title))
    axes.legend(fontsize="small", loc="upper left")
    axes.grid(alpha=0.25)


ANALYSIS = Analysis(
    title="which addend a network remembers: Pearson correlation of its output with each",
    source="Arjovsky, Shah & Bengio 2015, section 4.2; the correlation is that of the published version",
    run=run,
    look="the way through the plane of both correlations: from (0, 0) towards one axis, where one addend is known, "
    "and on to (√½, √½), where both are. Correlation is blind to scale: read it with the loss and with the weights.",
    errata=(
        "A note in the draft says that at T = 750 the LSTM learns only the number in the last half; the published "
        "version, that its outputs have ρ = 0.991 with the first number. Which addend it is depends on the run: look. "
        "Both say the same of the loss, 1/12, which is the variance of the number that is forgotten.",
        f"That LSTM's output gate also reads c_t through a full matrix, which the text leaves out: {PEEPHOLE}. "
        "It may be why others found LSTMs better or worse at adding.",
    ),
)

"""Hidden feedforward structure: who drives whom, once the units are numbered by when a pulse reaches them."""

from typing import Annotated

import numpy as np

from tinyrnn.analysis import normality, ordering
from tinyrnn.analysis.recurrent import matrices
from tinyrnn.cells import LSTM
from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.init import distributions
from tinyrnn.init.by_name import initialise
from tinyrnn.training.networks import HELP, network
from tinyrnn.training.plots import STYLES, new_figure
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

REACH = 20  # offsets on each side over which weights are averaged into one figure
NOISE = 0.02  # means of random weights are smaller
BEFORE = "before training"
KINDS = ("plain", "orthogonal", "chain", "mixed")  # the gated networks of Orhan & Pitkow
BASELINE = 1 / 6  # of adding; a network is successful below half of it, as in the paper
RATES = {"elman-relu": 1e-3, "lstm": 1e-2}  # with which a minute's training solves the task


def run_vanilla(
    networks: Annotated[tuple[str, ...], f"to look at as they stand, each {HELP}"] = (),
    hidden: Annotated[int, "units"] = 100,
    steps: Annotated[int, "T of the adding task"] = 100,
    updates: Annotated[int, "of the training; 0 for none"] = 5000,
    seeds: Annotated[int, "networks to train from each initialisation"] = 3,
    after: Annotated[int, "steps that a network runs on after the pulse"] = ordering.STEPS,
):
    """Weights by the order in which units peak, of a chain and of networks before and after training; a `Result`.

    As in the paper, only networks that end below half the baseline are looked at.
    """
    check(hidden, steps, updates, seeds, after)
    groups = {"a chain, shuffled": shuffled_chain(hidden)}  # panel -> line -> (offsets, list of means)
    numbers, lines = {}, []
    for kind in ("identity", "orthogonal") if updates else ():
        name = f"from {kind}, adding T = {steps}"
        shots = trained("elman-relu", kind, hidden, steps, updates, seeds)
        losses = list(shots.values())[-1][1]
        chosen = [k for k, loss in enumerate(losses) if loss < BASELINE / 2]
        good = {when: [found[k] for k in chosen] for when, (found, _) in shots.items()}
        groups[name] = {when: profiles(cells, "W_h", after) for when, cells in good.items()} if chosen else {}
        numbers[name] = {"d(W)": {when: indices(found) for when, (found, _) in shots.items()}}
        numbers[name] |= {"last losses": losses, "baseline": BASELINE, "successful": chosen}
        d = f"; their d(W) = {mean_and_error(indices(good[list(good)[-1]]))}, was 0" if chosen else ""
        lines.append(f"{name}: {len(chosen)} of {seeds} below half the baseline after {updates} updates{d}")
    groups |= of_networks(networks, hidden, after)
    numbers |= {"forward excess": (excesses := {name: excess_of(group) for name, group in groups.items()})}
    lines += in_words(excesses)
    return Result(draw(groups), numbers, tables_of(groups), tuple(lines))


def run_gates(
    networks: Annotated[tuple[str, ...], f"to look at as they stand, each {HELP}"] = (),
    kinds: Annotated[tuple[str, ...], "initialisers to look at, of `tinyrnn.init.by_name`"] = KINDS,
    train: Annotated[tuple[str, ...], "those of them to train from, too"] = ("orthogonal", "mixed"),
    hidden: Annotated[int, "units"] = 64,
    steps: Annotated[int, "T of the adding task"] = 30,
    updates: Annotated[int, "of the training; 0 for none"] = 600,
    seeds: Annotated[int, "networks of each kind"] = 3,
    after: Annotated[int, "steps that a network runs on after the pulse"] = 4 * ordering.STEPS,
):
    """The same for each gate of LSTMs, by initialiser, untrained and trained; a `Result`."""
    check(hidden, steps, updates, seeds, after)
    numbers, lines = {}, []
    found = {f"{kind}, untrained": untrained(kind, hidden, seeds) for kind in kinds}
    for kind in train if updates else ():
        cells, losses = list(trained("lstm", kind, hidden, steps, updates, seeds).values())[-1]
        found[f"{kind}, after {updates} updates"] = cells
        numbers[f"last losses, {kind}"] = losses
        lines.append(f"{kind}: mean loss {np.mean(losses):.3g} after {updates} updates (baseline 0.167)")
    names = [f"W_h[{gate}]" for gate in LSTM.gates]
    groups = {name: {each: profiles(cells, each, after) for each in names} for name, cells in found.items()}
    groups |= of_networks(networks, hidden, after)
    excesses = {name: excess_of(group) for name, group in groups.items()}
    return Result(
        draw(groups), numbers | {"forward excess": excesses}, tables_of(groups), tuple(lines + in_words(excesses))
    )


def untrained(kind, hidden, seeds):
    """One LSTM with two inputs for each seed, initialised but not trained, a list."""
    return [initialise(LSTM(2, hidden, rng=seed), kind, seed) for seed in range(seeds)]


def check(hidden, steps, updates, seeds, after):
    """Raises ValueError unless each is at least what the analysis needs."""
    if hidden < 3 or steps < 2 or updates < 0 or seeds < 1 or after < 1:
        raise ValueError(
            "hidden, steps, updates, seeds and after must be at least 3, 2, 0, 1 and 1, "
            f"got {hidden}, {steps}, {updates}, {seeds} and {after}"
        )


def shuffled_chain(n):
    """What the ordering makes of a chain whose units stand in any order, before and after it is applied."""
    rng = np.random.default_rng(0)
    place = rng.permutation(n)
    W = distributions.chain(n).T[np.ix_(place, place)]
    order = ordering.peak_order(ordering.linear_response(W, np.eye(n)[0][place], n), rng)
    found = {"as they stand": np.arange(n), "ordered by peak": order}
    return {name: [ordering.weight_profile(W, order)] for name, order in found.items()}


def trained(cell, kind, hidden, steps, updates, seeds):
    """when -> (cells, their mean losses over the last 50 updates or None) before and after training."""
    before, after, losses = [], [], []
    for seed in Bar(range(seeds), desc=f"{cell}, {kind}", unit="network", leave=False):
        task = {"task": "adding", "task_options": {"steps": steps}}
        settings = Settings(
            **task,
            cell=cell,
            init=kind,
            hidden=hidden,
            updates=updates,
            batch=50,
            clip_norm=1.0,
            seed=seed,
            threads=1,
            lr=RATES[cell],
        )
        before.append(Trainer(settings, folder=None).model.layers)
        trainer = Trainer(settings, folder=None)
        with matrix_threads(1):
            found = [trainer.update()[0] for _ in range(updates)]
        after.append(trainer.model.layers)
        losses.append(float(np.mean(found[-50:])))
    return {BEFORE: (before, None), f"after {updates} updates": (after, losses)}


def profiles(cells, name, after):
    """The weight profile of the matrix `name` of each of the cells, each in its own order."""
    orders = [ordering.peak_order(ordering.response(cell, after)) for cell in cells]
    return [ordering.weight_profile(matrices(cell)[name], order) for cell, order in zip(cells, orders, strict=True)]


def of_networks(networks, hidden, after):
    """A group for each, with a profile for each of the matrices that are as large as the output."""
    groups = {}
    for what in networks:
        found = network(what, hidden_size=hidden)
        order = ordering.peak_order(ordering.response(found.layers, after))
        fitting = {name: W for name, W in matrices(found.layers).items() if len(W) == len(order)}
        if not fitting:
            raise ValueError(
                f"{found.label}: none of its recurrent matrices is between the {len(order)} units it puts out"
            )
        groups[found.label] = {name: [ordering.weight_profile(W, order)] for name, W in fitting.items()}
    return groups


def indices(cells):
    """Henrici's index of W_h of each cell, a list of floats."""
    return [normality.henrici(matrices(cell)["W_h"]) for cell in cells]


def mean_and_error(values):
    """As text: the mean ± its standard error, if there is more than one."""
    error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2g}" if len(values) > 1 else ""
    return f"{np.mean(values):.3g}{error}"


def excess_of(group):
    """Name of a line -> its forward excess in each network, a list."""
    return {name: [ordering.forward_excess(*one, REACH) for one in found] for name, found in group.items()}


def in_words(excesses):
    """How much larger forward weights are than backward ones, mean and error, a line for each panel."""

    def each(found):
        return ", ".join(f"{line} {mean_and_error(values)}" for line, values in found.items())

    return [
        f"mean weight at i - j = 1 … {REACH} less that at -1 … -{REACH}:",
        *(f"  {name}: {each(found)}" for name, found in excesses.items()),
    ]


def tables_of(groups):
    """A table for each panel: mean weights against i - j, averaged over networks."""
    return {
        name: {"i - j": next(iter(group.values()))[0][0]}
        | {line: np.mean([means for _, means in found], axis=0) for line, found in group.items()}
        for name, group in groups.items()
        if group
    }


def draw(groups):
    """A panel for each group: the mean weight against i - j, for units in the order in which they peak."""
    columns = 2 if len(groups) == 4 else min(3, len(groups))
    rows = -(-len(groups) // columns)
    figure, panels = new_figure(rows, columns, (1 + 4.6 * columns, 0.6 + 4.2 * rows))
    panels = list(np.ravel(panels))
    for axes, (name, group) in zip(panels, groups.items(), strict=False):
        draw_group(axes, group)
        axes.set_title(name, fontsize=11)
    shown = zip(panels, groups.values(), strict=False)
    one_scale([axes for axes, group in shown if group and "ordered by peak" not in group])
    for axes in panels[len(groups) :]:
        axes.set_axis_off()
    figure.suptitle("Mean weight between units ordered by when a pulse makes them peak", fontsize=12)
    return figure


def one_scale(panels):
    """The same weights at the same height in all: linear up to where noise is, logarithmic beyond it. The
    chain, whose weights are 0 and 1, has a scale of its own."""
    ends = [end for axes in panels for end in axes.get_ylim()]
    for axes in panels:
        if max(map(abs, ends)) > NOISE:
            axes.set_yscale("symlog", linthresh=NOISE)
        axes.set_ylim(min(ends), max(ends))
        axes.yaxis.set_major_formatter("{x:g}")


def draw_group(axes, group):
    """Lines of means over neighbouring offsets, and bands of their standard errors over networks."""
    if not group:
        axes.text(0.5, 0.5, "no network succeeded", ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    wide = 0 if "ordered by peak" in group else 2
    for (line, found), (colour, style) in zip(group.items(), STYLES, strict=False):
        reach = (len(found[0][0]) + 1) // 4
        shown = [k for k in range(-reach, reach + 1) if k or not wide]
        values = np.array([[near(*one, k, wide) for k in shown] for one in found])
        mean = values.mean(axis=0)
        axes.plot(shown, mean, color=colour, linestyle=style, label=line)
        if len(found) > 1:
            error = values.std(axis=0, ddof=1) / np.sqrt(len(found))
            axes.fill_between(shown, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)
    axes.axvline(0, color="black", linewidth=0.6)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set(
        xlabel="$i - j$, places later in the order",
        ylabel="mean weight $W_{ij}$" + (f", over {2 * wide + 1} places" if wide else ""),
    )
    axes.grid(alpha=0.25)
    axes.legend(fontsize="small")


def near(offsets, means, k, wide):
    """The mean over the offsets up to `wide` from k that are on k's side of 0."""
    chosen = (abs(offsets - k) <= wide) & (np.sign(offsets) == np.sign(k))
    return means[chosen].mean()


LOOK = (
    "weight at positive i - j leads from units that peak earlier to units that peak later. Compare with before "
    "training, not with zero: to order a random matrix by its own response already finds some."
)
ERRATA = (
    "The paper's W_ij is for columns, from j to i; in its code, which multiplies rows, the matrix must be transposed "
    "first, or the profile comes out mirrored.",
)

VANILLA = Analysis(
    title="hidden feedforward structure of trained networks: weights against the order in which units peak",
    source="Orhan & Pitkow 2020, section 2.4, figure 5 and table 3",
    run=run_vanilla,
    look=LOOK,
    errata=(
        *ERRATA,
        "The paper's pulse is not described further; here it is 1 in all inputs, and a unit's activity is what the "
        "pulse "
        "changes in it. Networks here are trained for seconds and on T = 100, the paper's on T = 750 and on permuted "
        "MNIST, so its indices 2.33 ± 1.02 (identity) and 2.74 ± 0.07 (orthogonal) are only for orientation.",
    ),
)
GATES = Analysis(
    title="weights against the order in which units peak, for each gate of an LSTM",
    source="Orhan & Pitkow 2020, section 2.5, figure 6",
    run=run_gates,
    look=LOOK
    + " In the mixed initialisation the tanh gate g is a chain, and i, f and o rise with i - j. An LSTM hands a "
    "pulse on "
    "over some four steps a unit, so it runs on for longer here than the paper's 100 steps, within which a chain's "
    "order is found for its first 25 units only.",
    errata=(
        *ERRATA,
        "The paper's figure is of the second layer of a language model; from small networks that were trained for "
        "seconds on the adding task, no more than a tendency of its rise of i, f and o is to be expected.",
    ),
)

"""Hidden feedforward structure: who drives whom, once the units are numbered by when a pulse reaches them."""

from typing import Annotated, NamedTuple

import numpy as np

from tinyrnn.analysis import normality, ordering
from tinyrnn.analysis.recurrent import matrices
from tinyrnn.cells import LSTM
from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.figures.entry import Analysis, Result
from tinyrnn.figures.order_pictures import REACH, draw, draw_gates, excess_of
from tinyrnn.init import distributions
from tinyrnn.init.by_name import initialise
from tinyrnn.nn.layers import Stack
from tinyrnn.nn.saving import fill, named_arrays
from tinyrnn.parallel import processes
from tinyrnn.training.failures import Diverged
from tinyrnn.training.networks import HELP, network
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

BEFORE = "before training"
KINDS = ("plain", "orthogonal", "chain", "mixed")  # the gated networks of Orhan & Pitkow
STARTS = ("identity", "orthogonal")  # and their plain ones of whose order something is said
LAST = 50  # updates whose mean loss says whether a network is successful: below half the baseline, as in the paper

# training: a minute's, with which adding over 100 steps is solved; the paper's; and that of its language models
QUICK = {"batch": 50, "clip_norm": 1.0, "threads": 1}
PAPER = {"optimiser": "rmsprop", "optimiser_options": {"variant": "keras"}, "clip_norm": 10.0, "threads": 1}
DIGITS = {"task": "mnist", "task_options": {"order": "permuted"}, "cell": "elman-elu", "hidden": 25, "lr": 3e-4}
TEXT = {"task": "ptb-char", "embedding": 200, "batch": 32, "clip_norm": 0.25, "lr": 2e-3, "threads": 1}
DROPOUT = ("dropout_input", "dropout_layers", "dropout_output", "weight_drop")  # a tenth each, on text


class Trained(NamedTuple):
    """Networks before and after training, and their mean losses over the last updates; None where one diverged."""

    before: list
    after: list
    losses: list
    baseline: float

    @property
    def successful(self):
        """Places of those that end below half the baseline."""
        return [k for k, loss in enumerate(self.losses) if loss is not None and loss < self.baseline / 2]


def run_vanilla(
    networks: Annotated[tuple[str, ...], f"to look at as they stand, each {HELP}"] = (),
    hidden: Annotated[int, "units"] = 100,
    steps: Annotated[int, "T of the adding task"] = 100,
    updates: Annotated[int, "of the training; 0 for none"] = 5000,
    rates: Annotated[tuple[float, ...], "of the paper's RMSProp from either start; none: Adam's, for a minute"] = (),
    digits: Annotated[int, "updates of networks of 25 units on permuted MNIST, besides; 0 for none"] = 0,
    seeds: Annotated[int, "networks to train from each initialisation"] = 3,
    after: Annotated[int, "steps that a network runs on after the pulse"] = ordering.STEPS,
    jobs: Annotated[int, "networks that are trained at a time"] = 1,
):
    """Weights by the order in which units peak, of a chain and of networks before and after training; a `Result`.

    As in the paper, only networks that end below half the baseline are looked at.
    """
    check(hidden, steps, updates, seeds, after, jobs)
    if len(rates) not in (0, len(STARTS)) or digits < 0:
        raise ValueError(f"rates must be two, of {' and '.join(STARTS)}, or none, and digits at least 0, got {rates}")
    adding = {"task": "adding", "task_options": {"steps": steps}, "cell": "elman-relu", "hidden": hidden}
    adding |= {**PAPER, "batch": 16} if rates else {**QUICK, "lr": 1e-3}
    todo = [(f"adding T = {steps}", adding | {"updates": updates}, rates)] if updates else []
    todo += [("permuted MNIST", DIGITS | PAPER | {"batch": 16, "updates": digits}, ())] if digits else []
    groups = {"a chain, shuffled": shuffled_chain(hidden)}  # panel -> line -> (offsets, list of means)
    numbers, lines = {}, []
    for task, settings, own in todo:
        for kind, rate in zip(STARTS, own or len(STARTS) * (settings.get("lr"),), strict=True):
            name, end = f"from {kind}, {task}", f"after {settings['updates']} updates"
            found = trained(settings | {"init": kind, "lr": rate}, seeds, jobs)
            good = {
                BEFORE: [found.before[k] for k in found.successful],
                end: [found.after[k] for k in found.successful],
            }
            groups[name] = (
                {when: profiles(cells, "W_h", after) for when, cells in good.items()} if found.successful else {}
            )
            numbers[name] = {"d(W)": {BEFORE: indices(found.before, found), end: indices(found.after, found)}}
            numbers[name] |= {"last losses": found.losses, "baseline": found.baseline, "successful": found.successful}
            d = [numbers[name]["d(W)"][end][k] for k in found.successful]
            lines.append(f"{name}: {len(d)} of {seeds} below half the baseline {end}")
            lines[-1] += f"; their d(W) = {mean_and_error(d)}, was 0" if d else ""
    groups |= of_networks(networks, hidden, after)
    numbers |= {"forward excess": (excesses := {name: excess_of(group) for name, group in groups.items()})}
    lines += in_words(excesses)
    return Result(draw(groups), numbers, tables_of(groups), tuple(lines))


def run_gates(
    networks: Annotated[tuple[str, ...], f"to look at as they stand, each {HELP}"] = (),
    kinds: Annotated[tuple[str, ...], "initialisers to look at, of `tinyrnn.init.by_name`"] = KINDS,
    train: Annotated[tuple[str, ...], "those of them to train from, too"] = ("orthogonal", "mixed"),
    hidden: Annotated[int, "units"] = 64,
    layers: Annotated[int, "of the trained ones, each of which is shown"] = 1,
    steps: Annotated[int, "T of the adding task, or of text the characters that are read at a time"] = 30,
    text: Annotated[bool, "train on characters of Penn Treebank instead of adding"] = False,
    updates: Annotated[int, "of the training; 0 for none"] = 600,
    seeds: Annotated[int, "networks of each kind"] = 3,
    after: Annotated[int, "steps that a network runs on after the pulse"] = 4 * ordering.STEPS,
    jobs: Annotated[int, "networks that are trained at a time"] = 1,
):
    """The same for each gate of LSTMs, by initialiser, untrained and trained; a `Result`."""
    check(hidden, steps, updates, seeds, after, jobs)
    if layers < 1:
        raise ValueError(f"layers must be at least 1, got {layers}")
    numbers, lines = {}, []
    groups = {f"{kind}, untrained": gates_of(untrained(kind, hidden, seeds), after) for kind in kinds}
    rows = {"untrained": {kind: groups[f"{kind}, untrained"] for kind in kinds}}  # row -> line -> gate -> profiles
    task = reading(steps) if text else {"task": "adding", "task_options": {"steps": steps}, **QUICK, "lr": 1e-2}
    network = {"cell": "lstm", "hidden": hidden, "layers": layers, "updates": updates}
    for kind in train if updates else ():
        found = trained(task | network | {"init": kind}, seeds, jobs)
        numbers[f"last losses, {kind}"] = found.losses
        mean = np.mean([loss for loss in found.losses if loss is not None])
        lines.append(f"{kind}: mean loss {mean:.3g} after {updates} updates (baseline {found.baseline:.3g})")
        for layer in range(layers):
            where = f", layer {layer + 1}" if layers > 1 else ""
            whens = {BEFORE: found.before, f"after {updates} updates": found.after}
            shown = {when: gates_of(nets, after, layer) for when, nets in whens.items()}
            groups |= {f"{kind}, {when}{where}": gates for when, gates in shown.items()}
            rows[f"from {kind}{where}"] = shown
    own = of_networks(networks, hidden, after)
    groups |= own
    rows |= {label: {"as it stands": group} for label, group in own.items()}
    excesses = {name: excess_of(group) for name, group in groups.items()}
    return Result(
        draw_gates(rows), numbers | {"forward excess": excesses}, tables_of(groups), tuple(lines + in_words(excesses))
    )


def reading(window):
    """Settings of the language models of Orhan & Pitkow, on the characters of Penn Treebank."""
    return {**TEXT, "task_options": {"window": window}, **dict.fromkeys(DROPOUT, 0.1)}


def untrained(kind, hidden, seeds):
    """One LSTM with two inputs for each seed, initialised but not trained, a list."""
    return [initialise(LSTM(2, hidden, rng=seed), kind, seed) for seed in range(seeds)]


def check(hidden, steps, updates, seeds, after, jobs):
    """Raises ValueError unless each is at least what the analysis needs."""
    if hidden < 3 or steps < 2 or updates < 0 or min(seeds, after, jobs) < 1:
        raise ValueError(
            "hidden, steps, updates, seeds, after and jobs must be at least 3, 2, 0, 1, 1 and 1, "
            f"got {hidden}, {steps}, {updates}, {seeds}, {after} and {jobs}"
        )


def shuffled_chain(n):
    """What the ordering makes of a chain whose units stand in any order, before and after it is applied."""
    rng = np.random.default_rng(0)
    place = rng.permutation(n)
    W = distributions.chain(n).T[np.ix_(place, place)]
    order = ordering.peak_order(ordering.linear_response(W, np.eye(n)[0][place], n), rng)
    found = {"as they stand": np.arange(n), "ordered by peak": order}
    return {name: [ordering.weight_profile(W, order)] for name, order in found.items()}


def trained(settings, seeds, jobs=1):
    """`Trained` networks with these settings, one for each seed, `jobs` at a time."""
    if settings.get("layers") == 1:
        settings = settings | {"dropout_layers": 0.0}  # there is nothing between layers
    work = {seed: (settings | {"seed": seed},) for seed in range(seeds)}
    done = processes.done(train, work, jobs) if jobs > 1 else ((seed, train(*own)) for seed, own in work.items())
    found, before, after = {}, [], []
    with Bar(total=seeds, desc=f"{settings['cell']}, {settings['init']}", unit="network", leave=False) as bar:
        for seed, outcome in done:
            if isinstance(outcome, BaseException):
                raise outcome
            found[seed] = outcome
            bar.update()
    for seed, (own,) in work.items():
        new, old = (Trainer(Settings(**own), folder=None) for _ in range(2))
        before.append(new.model.layers)
        fill(old.model, found[seed][1], "what was trained")
        after.append(old.model.layers)
    return Trained(before, after, [found[seed][0] for seed in work], new.task.baseline)


def train(settings):
    """(the mean loss of the last updates, or None if it diverged; the model's arrays) of one network."""
    trainer = Trainer(Settings(**settings), folder=None)
    try:
        with matrix_threads(1):
            loss = float(np.mean([trainer.update()[0] for _ in range(trainer.settings.updates)][-LAST:]))
    except Diverged:
        loss = None
    return loss, named_arrays(trainer.model)


def profiles(cells, name, after):
    """The weight profile of the matrix `name` of each of the cells, each in its own order."""
    orders = [ordering.peak_order(ordering.response(cell, after)) for cell in cells]
    return [ordering.weight_profile(matrices(cell)[name], order) for cell, order in zip(cells, orders, strict=True)]


def gates_of(networks, after, layer=0):
    """gate -> the profile of its recurrent matrix in one layer of each of the networks of LSTMs, a list."""
    found = [ordered(layers, after)[layer] for layers in networks]
    names = [f"W_h[{gate}]" for gate in LSTM.gates]
    return {name: [ordering.weight_profile(W[name], order) for W, order in found] for name in names}


def ordered(layers, after):
    """(its matrices, the order of its units) for each layer, after a pulse in all inputs of the lowest, a list."""
    parts = list(layers.layers) if isinstance(layers, Stack) else [layers]
    upto = [Stack(parts[: k + 1]) if k else parts[0] for k in range(len(parts))]
    return [(matrices(p), ordering.peak_order(ordering.response(u, after))) for p, u in zip(parts, upto, strict=True)]


def of_networks(networks, hidden, after):
    """A group for each, or for each of its layers, with a profile for each matrix that is as large as the output."""
    groups = {}
    for what in networks:
        found = network(what, hidden_size=hidden)
        layers = ordered(found.layers, after)
        for k, (every, order) in enumerate(layers):
            label = f"{found.label}, layer {k + 1}" if len(layers) > 1 else found.label
            fitting = {name: W for name, W in every.items() if len(W) == len(order)}
            if not fitting:
                raise ValueError(
                    f"{label}: none of its recurrent matrices is between the {len(order)} units it puts out"
                )
            groups[label] = {name: [ordering.weight_profile(W, order)] for name, W in fitting.items()}
    return groups


def indices(cells, found):
    """Henrici's index of W_h of each cell, a list of floats; None for those that diverged."""
    pairs = zip(cells, found.losses, strict=True)
    return [None if loss is None else normality.henrici(matrices(cell)["W_h"]) for cell, loss in pairs]


def mean_and_error(values):
    """As text: the mean ± its standard error, if there is more than one."""
    error = f" ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2g}" if len(values) > 1 else ""
    return f"{np.mean(values):.3g}{error}"


def in_words(excesses):
    """How much larger forward weights are than backward ones, mean and error, a line for each panel."""

    def each(found):
        return ", ".join(f"{line} {mean_and_error(values)}" for line, values in found.items())

    return [
        f"mean weight at i - j = 1 … {REACH}, or a third of the units, less that at as many places before:",
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
        "pulse changes in it. Networks here are trained for a minute and on T = 100, the paper's on T = 750 and on "
        "permuted MNIST, which `tinyrnn reproduce orhan-t3 --scale half` has beside it. With --steps 750 --rates 1e-5 "
        "1e-4 --updates 20000 all three networks from the identity diverged, and two of three from orthogonal ones.",
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
        "The paper's figure is of the second layer of a language model, which `tinyrnn reproduce orhan-f6 --scale "
        "half` has in small; from networks that were trained for seconds on adding, no more than a tendency of its "
        "rise of i, f and o is to be expected. Lines are means over neighbouring places, but for chains; on the right "
        "are means over the nearest places, with two standard errors over networks: what reaches zero is noise.",
    ),
)

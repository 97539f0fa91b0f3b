"""Henaff, Szlam & LeCun 2016, "Orthogonal RNNs and Long-Memory Tasks"."""

import math
from dataclasses import replace

from tinyrnn.reproductions.claims import LEVEL, Better, Computed, LargestRate, Solves
from tinyrnn.reproductions.entry import HENAFF, Reproduction, at
from tinyrnn.sweeps.plan import Sweep

SOURCE = {"optimiser": "rmsprop", "average": True, "clip_state": 1000.0}
RATES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5]
NO_NUMBERS = "; of the figures' own values the text has kept none, so that none is drawn in"
NOT_GIVEN = (
    "the rates, lengths, batches and the bound of the activations, which the text has lost; rates by validation, "
    "and beside it by the text's rule" + NO_NUMBERS
)


def both(claim):
    """The claim with rates by validation, and with them by the source's rule."""
    return claim, LargestRate(f"{claim.text}, at the largest rate that does not diverge", claim)


def three(task, options, cells, hidden, solved, scale, updates, **more):
    """LSTM, LT-ORNN and LT-IRNN on one task."""
    shared = {"task": task, "task_options": options, "hidden": hidden, "updates": updates, "threads": 1, **more}
    return Sweep(
        shared={"batch": at(scale, 20, 20, 50), **SOURCE, **shared, "test_every": updates // at(scale, 5, 20, 20)},
        contenders=cells,
        grid={"lr": at(scale, RATES[1:4], RATES[1:4], RATES)},
        seeds=at(scale, 3, 3, 8),
        screen=at(scale, 1, 1, 0),
        solved=solved,
    )


COPY_CELLS = {"lstm": {"cell": "lstm"}, "lt-ornn": {"cell": "lt-ornn"}, "lt-irnn": {"cell": "lt-irnn"}}
ADDING_CELLS = {**COPY_CELLS, "lt-ornn": {"cell": "lt-ornn-relu"}}


def copy(scale):
    """Figure 2."""
    updates = at(scale, 500, 3000, 20_000)
    delays = at(scale, (50,), (100, 200), (200, 500))
    return {f"T={t}": three("copy", {"delay": t}, COPY_CELLS, 80, 0.1, scale, updates) for t in delays}


def longer(scale):
    """Figure 2 again: LT-ORNN alone, with the updates that the figure has at half too."""
    updates, delays = at(scale, 2000, 20_000, 20_000), at(scale, (50,), (200, 500), (200, 500))
    found = {}
    for t in delays:
        plan = three("copy", {"delay": t}, {"lt-ornn": COPY_CELLS["lt-ornn"]}, 80, 0.1, scale, updates)
        found[f"T={t}"] = replace(plan, grid={"lr": at(scale, RATES[2:4], RATES[2:], RATES)})
    return found


def adding(scale):
    """Figure 3; over 750 steps the LSTM has, at half, one seed, and the rate that validation chose over 200 and 400."""
    updates = at(scale, 500, 5000, 20_000)
    lengths = at(scale, (50,), (200, 400, 750), (200, 400, 750))
    more = {"batch": 50}
    found = {f"T={t}": three("adding", {"steps": t}, ADDING_CELLS, 128, 0.12, scale, updates, **more) for t in lengths}
    if scale == "half":
        found["T=750"] = replace(found["T=750"], grids={"lstm": {"lr": [1e-2]}}, fewer={"lstm": 1})
    return found


def variable_copy(scale):
    """Figure 4: at half over the source's delay with as many updates as at paper, and over a shorter one."""
    length = at(scale, 4, 10, 10)
    found = {}
    for delay, updates in at(scale, {10: 2000}, {30: 20_000, 100: 50_000}, {100: 50_000}).items():
        options = {"delay": delay, "length": length}
        found[f"T={delay}"] = three("copy-variable", options, COPY_CELLS, 80, 0.5, scale, updates)
    return found


def pooled(scale):
    """Figure 6; adding over 500 steps has, at half, one seed, and the rate that validation chose over 200."""
    updates = at(scale, 500, 3000, 20_000)
    cells = {"lt-ornn with pools": {"cell": "lt-ornn", "pool": 2, "regularisers": {"random-points": 1.0}}}
    relu = {"lt-ornn with pools": {**cells["lt-ornn with pools"], "cell": "lt-ornn-relu"}}
    found = {}
    for t in at(scale, (50,), (100, 200, 500), (200, 500)):
        found[f"copy, T={t}"] = three("copy", {"delay": t}, cells, 80, 0.1, scale, updates)
        found[f"adding, T={t}"] = three(
            "adding", {"steps": t}, relu, 128, 0.12, scale, at(scale, 2, 3, 3) * updates, batch=50
        )
    if scale == "half":
        one = {"grids": {"lt-ornn with pools": {"lr": [1e-4]}}, "fewer": {"lt-ornn with pools": 1}}
        found["adding, T=500"] = replace(found["adding, T=500"], **one)
    return found


def recalled(numbers):
    """Of the construction as the text has it, and with the threshold that it needs."""
    literal, ours = numbers["literal"], numbers["threshold"]
    why = f"recalled in {literal['recalled right']:.0%}, but all outputs right in {literal['whole right']:.0%}: one is "
    why += f"wrong, at the delimiter; with a threshold that we added {ours['whole right']:.0%}"
    return (None if literal["whole right"] < 0.5 < literal["recalled right"] else literal["whole right"] > 0.5), why


def noise(numbers):
    """What stands beside a symbol when it is recalled, by its projection on another and by its length."""
    variance, length = numbers["var <u_k, z>"], numbers["|z|^2"]
    why = f"variance {variance['measured']:.4f}, predicted {variance['predicted']:.4f}; the noise is "
    why += f"{length['measured'] ** 0.5:.2f} times as long as a symbol's vector"
    near = all(abs(of["measured"] / of["predicted"] - 1) < 0.1 for of in (variance, length))
    return near and variance["measured"] < 0.1 < length["measured"], why


def controls(numbers):
    """Rotations without the common period."""
    with_period, *others = numbers["recalled"].values()
    most = max(others)
    return with_period > 0.9 * numbers[
        "runs"
    ] and most == 0, f"{with_period} of {numbers['runs']} with it, {most} without"


def whenever(numbers):
    """Of the multiplicative network: all outputs right, whatever the delay."""
    right = numbers["whole right"]
    return min(right.values()) == 1, ", ".join(
        f"T = {T}: {share:.0%}" for T, share in right.items()
    ) + " right throughout"


def added(numbers):
    """The constructions for adding."""
    unit, _, gates, _ = (max(errors.values()) for errors in numbers["largest error"].values())
    return max(unit, gates) < 1e-12, f"largest errors up to T = 1500: {unit:.1g} and {gates:.1g}"


def without_phase(numbers):
    """How much a pool changes while the units that it is made of go round."""
    pairs = numbers["fluctuation"]["rotations of pairs"]
    units, pools = pairs["units"], pairs["pools of two units"]
    return pools < 1e-9 < units, f"units change by {units:.2g} of their size, pools of them by {pools:.1g}"


def nudged(numbers):
    """How far the eigenvalues' angles are from roots of unity, before training and after."""
    gaps = [*numbers["distance of the angles from the nearest root, in gaps between roots"].values()]
    cosine = [*numbers["cosine of w_k and V^(T+S) u_k"].values()]
    why = f"{gaps[0]:.2f} gaps from the nearest before, {gaps[-1]:.2f} after, 0.25 by chance; it is the readout that"
    why += f" turns to where the codes have come: cosine {cosine[0]:.2f} before, {cosine[-1]:.2f} after"
    return gaps[-1] < gaps[0] / 2, why


def by_length(numbers):
    """Successes against S, for each K."""
    found = numbers["recalled"]
    for k in (2, 8, 64):
        counts = [found[f"K={k}, S={s}"] for s in (5, 10, 15, 20, 30, 40)]
        if sorted(counts, reverse=True) != counts or counts[0] == counts[-1]:
            return False, f"K = {k}: {counts}"
    return True, "K = 8: " + ", ".join(
        str(found[f"K=8, S={s}"]) for s in (5, 10, 20, 40)
    ) + " of 100 for S = 5, 10, 20, 40"


def by_delay(numbers):
    """Successes against T."""
    counts = numbers["by T (K=8, S=10)"]
    return max(counts.values()) - min(counts.values()) <= 10, ", ".join(f"T = {t}: {n}" for t, n in counts.items())


def oscillations(numbers):
    """In how many networks units change more after each mark; a sign test, one-sided, for each of the two marks."""
    every, words = numbers["of every network"], []
    chances = []  # that as many or more, and as many or fewer, do so if it is a matter of a coin
    for k, mark in enumerate(("first", "second")):
        more = sum(moves[k + 1] > moves[k] for moves in every)
        tails = [sum(math.comb(len(every), j) for j in of) for of in (range(more, len(every) + 1), range(more + 1))]
        chances.append([tail / 2 ** len(every) for tail in tails])
        words.append(
            f"{more} of {len(every)} change more after the {mark} mark than before it, p = {chances[-1][0]:.2g}"
        )
    holds = [True if up <= LEVEL else False if down <= LEVEL else None for up, down in chances]
    return holds[0] if holds[0] == holds[1] else None, "; ".join(words)


def activations(scale):
    """Figure 5."""
    paper = {"steps": 200, "hidden": 128, "updates": 20_000, "seeds": 8}
    return {"activations": at(scale, {"seeds": 3}, {"seeds": 7}, paper)}


def newton(scale):
    """Martens & Sutskever's network, in the length that is quoted of it."""
    paper = {"steps": 200, "units": 100, "newton": 500, "batch": 1000, "iterations": 100}
    return {"hessian-free": at(scale, {}, {"steps": 60, "units": 50, "newton": 60}, paper)}


CONSTRUCTION = {
    "copy-construction": (
        Computed("an LT-RNN of rotations with a common period copies, without training", recalled),
        Computed("the other symbols disturb a recall little, though together they are longer than it", noise),
    ),
    "copy-controls": (Computed("it is the common period that does it", controls),),
    "roots": (Computed("training an orthogonal network moves its eigenvalues to the roots of unity", nudged),),
    "variable-copy": (
        Computed("a network whose input chooses its transition copies with a delay that varies", whenever),
    ),
    "adding-construction": (Computed("one ReLU unit adds exactly, and so does an LSTM of eq. 8", added),),
    "pooling": (Computed("pools of a rotating pair keep its size and lose its phase", without_phase),),
}

HENAFFS = {
    "henaff-construction": Reproduction(
        HENAFF, "§3.1 and §3.2", "the solutions by construction, with their controls",
        analyses=("copy-construction", "copy-controls", "roots", "variable-copy", "adding-construction", "pooling"),
        claims=CONSTRUCTION,
        ours="delays of 60 and 200, 512 and 128 rotations; for the eigenvalues 40 units, 800 updates; how a "
        "multiplicative network does it" + NO_NUMBERS,
    ),
    "henaff-hf": Reproduction(
        HENAFF, "§1", "Hessian-free optimisation on adding, which is named there", analyses=("hessian-free",),
        options=newton,
        ours="Levenberg and Marquardt's damping alone, on 30 steps with 20 units, or 60 with 50 at half; the source "
        "only names the method",
    ),
    "henaff-f1": Reproduction(
        HENAFF, "Figure 1", "how often the construction for copy succeeds, by symbols and their number",
        analyses=("copy-success",),
        claims={
            "copy-success": (
                Computed("the construction fails more often the more symbols there are to recall", by_length),
                Computed("and hardly more often the longer the delay is", by_delay),
            )
        },
        ours="128 rotations, a delay of 200, and 100 networks for each point" + NO_NUMBERS,
    ),
    "henaff-f2": Reproduction(
        HENAFF, "Figure 2", "copy: LSTM, LT-ORNN, LT-IRNN", copy,
        claims={
            "": (
                *both(Solves("LT-ORNN solves copy", ("lt-ornn",))),
                Solves("LT-IRNN does not learn copy", ("lt-irnn",), never=True),
                Better("LT-ORNN is ahead of the LSTM after the same number of sequences", "lt-ornn", "lstm"),
                Solves("the LSTM solves copy too, after a long time at the baseline", ("lstm",), updates=20_000),
            )
        },
        ours=NOT_GIVEN,
    ),
    "henaff-f2-long": Reproduction(
        HENAFF, "Figure 2", "copy by LT-ORNN alone, for as long as in the figure", longer,
        claims={"": both(Solves("LT-ORNN solves copy, given as many updates as there", ("lt-ornn",), updates=20_000))},
        ours=NOT_GIVEN + "; at half without the rates of 0.1 and 0.01, at which it diverges",
    ),
    "henaff-f3": Reproduction(
        HENAFF, "Figure 3", "adding: LSTM, LT-ORNN, LT-IRNN", adding,
        claims={
            "": (
                *both(Solves("LT-IRNN and LSTM solve adding", ("lt-irnn", "lstm"))),
                Better("LT-ORNN learns it later than LT-IRNN, or never", "lt-irnn", "lt-ornn"),
            )
        },
        ours=NOT_GIVEN + "; at half over 750 steps one LSTM, with the rate chosen over 200 and 400",
    ),
    "henaff-f4": Reproduction(
        HENAFF, "Figures 4 and 5 (left)", "copy with a delay that varies: LSTM, LT-ORNN, LT-IRNN", variable_copy,
        claims={
            "": (
                *both(Solves("the LT-RNNs stay at chance", ("lt-ornn", "lt-irnn"), never=True)),
                Better("the LSTM alone learns, slowly", "lstm", "lt-ornn"),
            )
        },
        ours=NOT_GIVEN,
    ),
    "henaff-f5": Reproduction(
        HENAFF, "Figure 5", "activations of an LT-ORNN with pools on adding", analyses=("activations",),
        options=activations,
        claims={
            "activations": (
                Computed("the units oscillate after the first mark, and more after the second", oscillations),
            )
        },
        ours="the steps, the units and how long the networks are trained" + NO_NUMBERS,
    ),
    "henaff-f6": Reproduction(
        HENAFF, "Figure 6", "LT-ORNN with pools on copy and adding", pooled,
        claims={"": both(Solves("with pools one network learns both tasks", ("lt-ornn with pools",)))},
        ours=NOT_GIVEN + "; at half adding over 500 steps is one run, with the rate chosen over 200",
    ),
}  # fmt: skip

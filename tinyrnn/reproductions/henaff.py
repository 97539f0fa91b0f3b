"""Henaff, Szlam & LeCun 2016, "Orthogonal RNNs and Long-Memory Tasks"."""

from tinyrnn.reproductions.claims import Better, Solves
from tinyrnn.reproductions.entry import HENAFF, Reproduction, at
from tinyrnn.sweeps.plan import Sweep

SOURCE = {"optimiser": "rmsprop", "average": True, "clip_state": 1000.0}
RATES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5]
NOT_GIVEN = "the rates, lengths, batches and the bound of the activations, which the text has lost; rates by validation"


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
    updates = at(scale, 1000, 3000, 20_000)
    delays = at(scale, (100,), (100, 200), (200, 500))
    return {f"T={t}": three("copy", {"delay": t}, COPY_CELLS, 80, 0.1, scale, updates) for t in delays}


def adding(scale):
    """Figure 3."""
    updates = at(scale, 1000, 5000, 20_000)
    lengths = at(scale, (100,), (200, 400), (200, 400, 750))
    more = {"batch": 50}
    return {f"T={t}": three("adding", {"steps": t}, ADDING_CELLS, 128, 0.12, scale, updates, **more) for t in lengths}


def variable_copy(scale):
    """Figure 4."""
    updates, delay, length = at(scale, 2000, 20_000, 50_000), at(scale, 10, 30, 100), at(scale, 4, 10, 10)
    options = {"delay": delay, "length": length}
    return {f"T={delay}": three("copy-variable", options, COPY_CELLS, 80, 0.5, scale, updates)}


def pooled(scale):
    """Figure 6."""
    updates = at(scale, 1000, 3000, 20_000)
    cells = {"lt-ornn with pools": {"cell": "lt-ornn", "pool": 2, "regularisers": {"random-points": 1.0}}}
    relu = {"lt-ornn with pools": {**cells["lt-ornn with pools"], "cell": "lt-ornn-relu"}}
    found = {}
    for t in at(scale, (100,), (100, 200), (200, 500)):
        found[f"copy, T={t}"] = three("copy", {"delay": t}, cells, 80, 0.1, scale, updates)
        found[f"adding, T={t}"] = three(
            "adding", {"steps": t}, relu, 128, 0.12, scale, at(scale, 2, 3, 3) * updates, batch=50
        )
    return found


HENAFFS = {
    "henaff-construction": Reproduction(
        HENAFF, "§3.1 and §3.2", "the solutions by construction, with their controls",
        analyses=("copy-construction", "copy-controls", "adding-construction", "pooling"),
    ),
    "henaff-f1": Reproduction(
        HENAFF, "Figure 1", "how often the construction for copy succeeds, by symbols and their number",
        analyses=("copy-success",),
    ),
    "henaff-f2": Reproduction(
        HENAFF, "Figure 2", "copy: LSTM, LT-ORNN, LT-IRNN", copy,
        claims={
            "": (
                Solves("LT-ORNN solves copy", ("lt-ornn",)),
                Solves("LT-IRNN does not learn copy", ("lt-irnn",), never=True),
                Better("LT-ORNN is ahead of the LSTM after the same number of sequences", "lt-ornn", "lstm"),
            )
        },
        ours=NOT_GIVEN,
    ),
    "henaff-f3": Reproduction(
        HENAFF, "Figure 3", "adding: LSTM, LT-ORNN, LT-IRNN", adding,
        claims={
            "": (
                Solves("LT-IRNN and LSTM solve adding", ("lt-irnn", "lstm")),
                Better("LT-ORNN learns it later than LT-IRNN, or never", "lt-irnn", "lt-ornn"),
            )
        },
        ours=NOT_GIVEN,
    ),
    "henaff-f4": Reproduction(
        HENAFF, "Figures 4 and 5 (left)", "copy with a delay that varies: LSTM, LT-ORNN, LT-IRNN", variable_copy,
        claims={
            "": (
                Solves("the LT-RNNs stay at chance", ("lt-ornn", "lt-irnn"), never=True),
                Better("the LSTM alone learns, slowly", "lstm", "lt-ornn"),
            )
        },
        ours=NOT_GIVEN,
    ),
    "henaff-f5": Reproduction(
        HENAFF, "Figure 5", "activations of an LT-ORNN with pools on adding", analyses=("activations",)
    ),
    "henaff-f6": Reproduction(
        HENAFF, "Figure 6", "LT-ORNN with pools on copy and adding", pooled,
        claims={"": (Solves("with pools one network learns both tasks", ("lt-ornn with pools",)),)},
        ours=NOT_GIVEN,
    ),
}  # fmt: skip

"""Copy and adding by the four networks of the first papers and by every cell, at a size for a laptop; quick: less."""

from tinyrnn.reproductions import every_cell
from tinyrnn.reproductions.claims import Solves
from tinyrnn.reproductions.entry import ARJOVSKY, HENAFF, Reproduction, at
from tinyrnn.sweeps.plan import Sweep

ADAM = {"optimiser": "adam", "lr": 1e-3, "schedule": "cosine", "clip_norm": 1.0}


def copy(delay, solved):
    """A sweep of one panel: copy with this delay."""
    shared = {"task": "copy", "task_options": {"delay": delay}, "batch": 20, "threads": 1}
    cells = {"urnn": "urnn", "lt-ornn": "lt-ornn", "tanh rnn": "elman", "lstm": "lstm"}
    contenders = {label: {"cell": cell, "hidden": 128, **ADAM} for label, cell in cells.items()}
    return lambda scale: {"": quarter(scale, 2000, shared, contenders, solved)}


def quarter(scale, updates, shared, contenders, solved):
    """Four tests in so many updates; at quick in a quarter of them."""
    updates //= at(scale, 4, 1, 1)
    shared = {**shared, "updates": updates, "test_every": updates // 4}
    return Sweep(shared=shared, contenders=contenders, seeds=3, solved=solved)


def adding(steps, updates):
    """A sweep of one panel: adding over so many steps."""
    shared = {"task": "adding", "task_options": {"steps": steps}, "batch": 50, "threads": 1}
    cells = {"lt-irnn": "lt-irnn", "lstm": "lstm", "lt-ornn": "lt-ornn-relu", "tanh rnn": "elman"}
    contenders = {label: {"cell": cell, "hidden": 128, **ADAM} for label, cell in cells.items()}
    contenders["lstm"]["lr"] = 3e-3
    # solved: squared error 0.02 as a share of 1/6
    return lambda scale: {"": quarter(scale, updates, shared, contenders, 0.02 * 6)}


def cells(task, options, solved):
    """All cells of the package on one task, each with the settings of its source."""

    def runs(scale):
        least = at(scale, 5, 1, 1)
        return {
            "": Sweep(
                shared={"task": task, "task_options": options, "test_every": 250 // least},
                contenders=every_cell.contenders(task, least),
                solved=solved,
                seeds=at(scale, 1, 3, 3),
                fewer=every_cell.seeds(),
                notes=every_cell.notes(),
            )
        }

    return runs


OURS = (
    "128 units, Adam with a cosine and norm 1, 3e-3 for the LSTM on adding and 1e-3 else; at quick 1/4 of the updates"
)


def copied(delay, solved):
    """The entry of `copy`."""
    claims = (
        Solves("uRNN and LT-ORNN solve copy", ("urnn", "lt-ornn")),
        Solves("tanh RNN and LSTM do not for the same examples", ("tanh rnn", "lstm"), never=True),
    )
    title = f"copy with a delay of {delay} by the four networks of the first papers"
    return Reproduction(f"{ARJOVSKY}; {HENAFF}", "", title, copy(delay, solved), claims={"": claims}, ours=OURS)


def added(steps, updates):
    """The entry of `adding`."""
    claims = (
        Solves("LT-IRNN and LSTM solve adding", ("lt-irnn", "lstm")),
        Solves("LT-ORNN and tanh RNN do not for the same examples", ("lt-ornn", "tanh rnn"), never=True),
    )
    title = f"adding over {steps} steps by the four networks of the first papers"
    return Reproduction(f"{HENAFF}; {ARJOVSKY}", "", title, adding(steps, updates), claims={"": claims}, ours=OURS)


def every(task, options, solved, claims=()):
    """The entry of `cells`."""
    title = f"what every cell makes of {task}, T = 100, in three minutes at most on one core"
    return Reproduction(
        "each cell's own",
        "",
        title,
        cells(task, options, solved),
        claims={"": claims},
        ours="at quick 1/5 of the sequences",
    )


FOUR_NETWORKS = {
    "copy-100": copied(100, 0.1),
    "copy-200": copied(200, 0.2),
    "adding-100": added(100, 3000),
    "adding-200": added(200, 5000),
    "cells-copy": every(
        "copy",
        {"delay": 100},
        solved=0.1,
        claims=(
            Solves(
                f"at 1e-8, the only rate at which it is stable, an IRNN does not copy ({ARJOVSKY})",
                ("irnn",),
                never=True,
                updates=50_000,
            ),
        ),
    ),
    "cells-adding": every("adding", {"steps": 100}, solved=0.02 * 6),
}

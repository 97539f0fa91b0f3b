"""`tinyrnn bench`: where the time of a training step goes, and how it grows with T, B and H.

One table (see `tinyrnn.profiling.measure` for what is measured), one picture, and all numbers as JSON. PyTorch's layer
stands beside ours where PyTorch is installed; it is looked for here and only here, and nothing needs it.
"""

import platform
from dataclasses import asdict
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

from tinyrnn.cells import CELLS
from tinyrnn.core.files import write_atomically, write_json
from tinyrnn.core.threads import matrix_threads
from tinyrnn.profiling.busy import Busy
from tinyrnn.profiling.costs import DTYPE, Size, counted, measure, said_growth
from tinyrnn.profiling.measure import total_of
from tinyrnn.training.plots import plot_costs
from tinyrnn.training.settings import Settings

EXAMPLE = "tinyrnn bench --cell gru --size 784,64,1,128"
COLUMNS = ("products", "arithmetic", "copies", "rest", "seconds", "floor")
HEADINGS = ("products", "arithmetic", "copies", "the rest", "total", "floor", "total/floor", "NumPy calls")
NOTES = """\
products: matrix products and Fourier transforms; arithmetic: all other functions of numbers, gates above all;
copies: putting arrays together and onto the tape; the rest: Python, views, memory; floor: the same products alone"""


def add_arguments(command):
    """The arguments of the command, for its parser."""
    command.add_argument("--cell", default="lstm", metavar="NAME", help=f"one of {', '.join(CELLS)} (default: lstm)")
    command.add_argument(
        "--size",
        default="256,32,32,128",
        metavar="T,B,in,H",
        help="time steps, sequences, inputs and hidden units (default: %(default)s)",
    )
    command.add_argument("--repeats", type=int, default=5, metavar="N", help="runs of each kind (default: %(default)s)")
    command.add_argument(
        "--threads",
        type=int,
        default=Settings.threads,
        metavar="N",
        help="of the matrix products, compiled cells and PyTorch; 0: as many as each likes (default: %(default)s)",
    )
    command.add_argument(
        "--out", default="runs/bench", metavar="FOLDER", help="for bench.png and bench.json (default: %(default)s)"
    )


def run(args):
    """Measure, print the table, write picture and numbers; ValueError or OSError for what cannot be measured."""
    size = Size.read(args.size)
    if args.repeats < 1:
        raise ValueError(f"--repeats must be at least 1, got {args.repeats}")
    if args.threads < 0:
        raise ValueError(f"--threads must be at least 0, got {args.threads}")
    if args.cell not in CELLS:
        raise ValueError(f"unknown cell {args.cell!r}; choose from {', '.join(CELLS)}")
    folder = Path(args.out)
    folder.mkdir(parents=True, exist_ok=True)
    busy = Busy()
    with matrix_threads(args.threads):
        phases, others, costs = measure(args.cell, size, args.repeats, args.threads)
        disturbed = str(busy)
        where = f"{machine()}; {disturbed}"
    title = f"{args.cell}, T={size.T}, B={size.B}, {size.inputs} inputs, H={size.H}, {DTYPE}"
    print(f"{title}: µs per time step, forward and backward, the least of {args.repeats}")
    print(f"{where}\n")
    print(table(phases, others, size.T))
    print(f"\n{NOTES}")
    print("\n".join(said_growth(axis, cost) for axis, cost in costs.items()))
    numbers = {"cell": args.cell, "size": size._asdict(), "dtype": DTYPE, "machine": where}
    numbers |= {"repeats": args.repeats, "phases": [asdict(phase) for phase in phases]}
    write_json(folder / "bench.json", numbers | {"others": others, "costs": costs})
    write_atomically(folder / "bench.png", lambda path: plot_costs(path, costs, f"{title}\n{disturbed}"))
    print(f"picture and numbers: {folder / 'bench.png'}, {folder / 'bench.json'}")
    return 0


def machine():
    """Versions and threads, in one line."""
    blas = {f"{b['internal_api']}, {counted(b['num_threads'])}" for b in threadpool_info() if b["user_api"] == "blas"}
    return f"NumPy {np.__version__} ({'; '.join(sorted(blas)) or 'no BLAS'}), Python {platform.python_version()}"


# the table ------------------------------------------------------------------------------------------------------------


def table(phases, others, T):
    """The table as text: a line for each phase and their sum, the shares, and what else was measured."""
    whole = total_of(phases)
    rows = [("", *HEADINGS)]
    for phase in (*phases, whole):
        times = [getattr(phase, column) for column in COLUMNS]
        rows.append((phase.name, *(f"{1e6 * t / T:.2f}" for t in times), ratio(phase), f"{phase.calls / T:.1f}"))
    parts = (whole.products, whole.arithmetic, whole.copies, whole.rest, whole.seconds)
    rows.append(("share", *(f"{part / whole.seconds:.0%}" for part in parts), "", "", ""))
    for name, seconds in others.items():
        times = ("", "", "", "", f"{1e6 * seconds / T:.2f}", f"{1e6 * whole.floor / T:.2f}")
        rows.append((name, *times, f"{seconds / whole.floor:.2f}", ""))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *rest in rows:
        cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)


def ratio(phase):
    """A phase's time by that of its products alone, as text."""
    return f"{phase.seconds / phase.floor:.2f}" if phase.floor else "-"

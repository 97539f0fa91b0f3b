"""One training step (forward and backward of the recurrent layer) of each cell, ours beside that of its peers.

    python benchmarks/training_step.py --mode compiled --dlfs2 FOLDER --cs231n FOLDER

Peers: PyTorch's layers (`nn.RNN` for the Elman and the linear-transition RNN, `nn.LSTM`, `nn.GRU`), loops in PyTorch
for cells it has no layer for (`peers_torch.py`), JAX (`peers_jax.py`), two NumPy programs, if you have them
(`peers_numpy.py`), and the bare matrix products of the step in NumPy (`floor.py`). What is not installed or given is
left out with a note.

All run in this one process, in their default environment, with float32, the same numbers and all cores, one after the
other, round after round; each runs for a tenth of a second before the step that is timed. A cell of the table is the
median time in ms, and in brackets the median over rounds of that time by ours: above 1 we are faster. Of several forms
of a peer the fastest is taken. The loss looks at every step or at the last only. The bare products at 0.63 mean that we
take 1.6 times as long. Ours and the NumPy programs compute the gradient of the input too, PyTorch and JAX only with
--input-gradient: on the first layer nobody asks for it. On a busy machine programs with several threads wait for one
another, and the ratios mean nothing: how busy it was stands below the table.

--check times nothing and shows that the peers compute the same, from the same weights: how far the outputs are apart,
and the norms of the gradient of the recurrent weights. (For lt-ornn they do not: `nn.RNN` does the same products.)
"""

import argparse
import importlib
import os
import statistics
import subprocess
import sys
import time
from functools import partial

import floor
import numpy as np
import peers_numpy

from tinyrnn.cells import CELLS
from tinyrnn.init import by_name as initialise
from tinyrnn.profiling.busy import Busy

SIZES = [(784, 64, 1, 128), (520, 20, 10, 80), (750, 50, 2, 128), (150, 64, 64, 512)]  # T, B, inputs, units
SUBJECTS = ["elman", "lt-ornn", "lstm", "gru", "lstm-peephole", "gru-cho", "urnn"]
MALLOC = {"MALLOC_MMAP_THRESHOLD_": 2**30, "MALLOC_TRIM_THRESHOLD_": 2**32, "MALLOC_TOP_PAD_": 2**28}  # glibc, bytes


def our_step(name, cell, x, dh, last):
    """Our training step; returns the outputs and the gradient of the recurrent weights, for `check`."""
    watched = floor.WEIGHTS[name][1][:1] if name in floor.WEIGHTS else ["theta_1", "theta_2", "theta_3"]
    dstate = (dh[-1], *[None] * (len(cell.states) - 1)) if last else None

    def step():
        h, tape = cell.forward(x)
        grads = cell.backward(None if last else dh, tape, dstate).params
        return h, [grads[key] for key in watched]

    return step


def new_cell(name, n, H, mode="plain", init=None, **options):
    """The cell called `name`, always with the same weights, none of them zero (where peepholes and biases start)."""
    cell_class, defaults = CELLS[name]
    cell = cell_class(n, H, rng=0, dtype="float32", **defaults)
    if init is not None:
        initialise(cell, init, rng=0)
    rng = np.random.default_rng(0)
    for value in cell.params.values():
        if not value.any():
            value += 0.01 * rng.normal(size=value.shape)
    return cell.interpret() if mode == "plain" else cell.compile(**options)


def contestants(name, size, last, args, peers):
    """Everything to be timed on one row of the table: column -> {form -> function}. Ours comes first."""
    T, B, n, H = size
    rng = np.random.default_rng(0)
    x = rng.normal(size=(T, B, n)).astype("float32")
    cell = new_cell(name, n, H, init=args.init)
    dh = (rng.normal(size=(T, B, cell.output_size)) / T).astype("float32")
    columns = {"ours": {"": our_step(name, new_cell(name, n, H, args.mode, args.init), x, dh, last)}}
    if args.mode == "compiled":
        columns["1 thread"] = {"": our_step(name, new_cell(name, n, H, args.mode, args.init, threads=1), x, dh, last)}
    columns["products"] = floor.forms(name, cell, x)
    for peer, forms in peers.items():
        columns[peer] = forms(name, cell, x, dh, last)
    return columns


def available(args):
    """The peers that are here, column -> function that makes its forms; says what is missing."""
    makers = {}
    for label, module in (("PyTorch", "torch"), ("JAX", "jax")):
        try:
            version = importlib.import_module(module).__version__
        except ImportError:
            print(f"{label} is not installed: left out")
            continue
        print(f"{label} {version}")
        makers[label] = partial(importlib.import_module(f"peers_{module}").forms, input_gradient=args.input_gradient)
    for label, forms in (("dlfs2", peers_numpy.dlfs2), ("cs231n", peers_numpy.cs231n)):
        folder = getattr(args, label)
        if folder is None:
            print(f"{label}: no --{label} FOLDER, left out")
        else:
            makers[label] = partial(forms, folder)
    return {label: forms for label, forms in makers.items() if args.peers is None or label in args.peers.split(",")}


def seconds(step):
    """Of one step among many, as in training: those before it wake the threads and fill the caches."""
    time.sleep(0.1)  # the threads of whoever ran before wait in busy loops for a while: OpenBLAS's for some 30 ms
    warm = time.perf_counter() + 0.1
    step()
    while time.perf_counter() < warm:
        step()
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def fastest(forms):
    """The quickest of several forms, (form, function), by the best of two runs after one that warms up."""
    if len(forms) < 2:
        return next(iter(forms.items()))
    best = {form: min([seconds(step) for _ in range(3)][1:]) for form, step in forms.items()}
    form = min(best, key=best.get)
    return form, forms[form]


def check(columns):
    """column -> how far its outputs are from ours, and the norm of its gradient of the recurrent weights, both relative
    (the layout of the weights differs, which leaves the norm alone). Of several forms the worst."""
    h, grad = (np.asarray(result) for result in columns["ours"][""]())
    differences = {}
    for column, forms in columns.items():
        for step in forms.values() if column != "products" else ():
            their_h, their_grad = (np.asarray(result) for result in step())
            if their_h.dtype.kind == "c":
                their_h = np.concatenate([their_h.real, their_h.imag], axis=-1)
            outputs = abs(their_h - h).max() / abs(h).max()
            gradient = abs(np.linalg.norm(their_grad) / np.linalg.norm(grad) - 1)
            differences[column] = max((outputs, gradient), differences.get(column, (0, 0)))
    return differences


def compare(columns, repeats):
    """Rounds of one run each; column -> (form, seconds in each round)."""
    steps = {column: fastest(forms) for column, forms in columns.items() if forms}
    rounds = [{column: seconds(step) for column, (_, step) in steps.items()} for _ in range(repeats)]
    return {column: (form, [times[column] for times in rounds]) for column, (form, _) in steps.items()}


def ratio(row, column, base):
    """The median over rounds of the time of `column` by that of `base`."""
    return statistics.median(a / b for a, b in zip(row[column][1], row[base][1], strict=True))


def entry(row, column):
    """One cell of the table: median ms, the form if there was a choice, and the ratio to ours."""
    if column not in row:
        return "–"
    form, times = row[column]
    ms = f"{1e3 * statistics.median(times):.3g}"
    return ms if column == "ours" else f"{ms}{form and ' ' + form} ({ratio(row, column, 'ours'):.2f})"


def summary(rows, base):
    """For every cell, loss and peer: the geometric mean over the sizes, and the least, of the ratios to `base`."""
    for key in dict.fromkeys(key for key, _ in rows):
        found = {}
        for row in (row for k, row in rows if k == key and base in row):
            for column in row.keys() - {"ours", "1 thread"}:
                found.setdefault(column, []).append(ratio(row, column, base))
        figures = [f"{c} {statistics.geometric_mean(v):.2f} (least {min(v):.2f})" for c, v in sorted(found.items())]
        if figures:
            print(f"{', '.join(key)}, by {base}: {', '.join(figures)}")


def parsed(size):
    """(T, B, in, H) from the command line."""
    numbers = [int(number) for number in size.split(",") if number.strip().isdigit()]
    if len(numbers) != 4 or min(numbers) < 1:
        raise ValueError(f"--size takes four positive numbers T,B,in,H, got {size!r}")
    return tuple(numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", default=",".join(SUBJECTS), help="comma-separated (default: %(default)s)")
    parser.add_argument("--mode", choices=["plain", "compiled"], default="compiled", help="ours (default: %(default)s)")
    parser.add_argument("--init", help="initial weights as of `tinyrnn train`; plain: PyTorch's (default: the cell's)")
    parser.add_argument("--repeats", type=int, default=7, help="rounds (default: %(default)s)")
    parser.add_argument("--size", action="append", help="T,B,in,H; may be repeated (default: four sizes)")
    parser.add_argument("--peers", help="comma-separated: PyTorch,JAX,dlfs2,cs231n (default: all there are)")
    parser.add_argument("--dlfs2", metavar="FOLDER", help="a clone of deep-learning-from-scratch-2")
    parser.add_argument("--cs231n", metavar="FOLDER", help="a folder with a solved rnn_layers.py")
    parser.add_argument("--input-gradient", action="store_true", help="PyTorch and JAX too differentiate by the input")
    parser.add_argument("--check", action="store_true", help="no timing: how far outputs and gradients differ")
    parser.add_argument("--malloc", action="store_true", help="with glibc's thresholds raised, so that memory is kept")
    args = parser.parse_args()
    if args.malloc:
        rest = [a for a in sys.argv[1:] if a != "--malloc"]
        environment = os.environ | {name: str(value) for name, value in MALLOC.items()}
        sys.exit(subprocess.run([sys.executable, __file__, *rest], env=environment).returncode)
    peers = available(args)
    limits = [f"{name}={value}" for name, value in os.environ.items() if "_NUM_THREADS" in name or name in MALLOC]
    print(f"NumPy {np.__version__}, {os.cpu_count()} cores, {' '.join(limits) or 'default environment'}\n")
    sizes = [parsed(size) for size in args.size] if args.size else SIZES
    unknown = [name for name in args.cells.split(",") if name not in SUBJECTS]
    if unknown:
        raise ValueError(f"no peer for {', '.join(unknown)}: choose from {', '.join(SUBJECTS)}")
    columns = ["ours", *(["1 thread"] if args.mode == "compiled" else []), "products", *peers]
    print(f"| T, B, in, H | cell | loss | {' | '.join(columns)} |")
    print(f"|---|---|---|{'---:|' * len(columns)}")
    rows, busy = [], Busy()
    for size in sizes:
        for name in args.cells.split(","):
            for when in ("every", "last"):
                steps = contestants(name, size, when == "last", args, peers)
                if args.check:
                    found = check(steps)
                    shown = ["{:.0e}, {:.0e}".format(*found[c]) if c in found else "–" for c in columns]
                else:
                    rows.append(((name, when), compare(steps, args.repeats)))
                    shown = [entry(rows[-1][1], column) for column in columns]
                print(f"| {', '.join(map(str, size))} | {name} | {when} | {' | '.join(shown)} |", flush=True)
    print(f"\n{busy}\n")
    summary(rows, "ours")
    summary(rows, "1 thread")


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(f"training_step.py: {error}")

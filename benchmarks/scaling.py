"""What a whole update costs against T, B, H, layers and vocabulary, ours and PyTorch's on one picture.

    python benchmarks/scaling.py             # some three minutes
    python benchmarks/scaling.py --cpu       # seconds of the processor, one thread each: for a busy machine

A language model: embedding, LSTM layers of H units, a readout and cross-entropy over the vocabulary, the norm clipped,
Adam; float32, class numbers drawn at random. One size changes, the others are those of `BASE`. Each side runs for
--seconds, in turn, --rounds times; a point is the median, its bar from the least to the most. An exponent is the slope
of the least-squares line through the logarithms of the larger half of the points, with its standard error, and none is
given where that is above 0.15. Where PyTorch is quicker stands below.
"""

import argparse
import json
import os
import statistics
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from update import Loop
from update_peer import Peer

import tinyrnn as tr
from tinyrnn.core.threads import matrix_threads
from tinyrnn.nn.heads import Embedding, Readout
from tinyrnn.nn.layers import Stack
from tinyrnn.nn.model import Model
from tinyrnn.profiling.busy import Busy
from tinyrnn.profiling.costs import NOISE, fitted_exponent

BASE = {"T": 100, "B": 20, "H": 128, "layers": 1, "vocabulary": 50}
SWEEPS = {
    "T": (12, 25, 50, 100, 200, 400, 800),
    "B": (1, 2, 5, 10, 20, 40, 80, 160),
    "H": (16, 32, 64, 128, 256, 512),
    "layers": (1, 2, 3, 4, 6, 8),
    "vocabulary": (10, 50, 250, 1000, 4000, 16000),
}
SIDES = {"ours": ("tab:blue", "o"), "PyTorch": ("tab:orange", "s")}


class Random(SimpleNamespace):
    """A task of that size whose batches are random class numbers."""

    readout, loss, carries = "every", "cross_entropy", False

    def batch(self, seed, step, size):
        """x and target (T, B), always the same ones: what is in them costs nothing."""
        return tuple(np.random.default_rng(seed).integers(0, self.input_size, (2, self.T, size)))


def sides_of(size, threads):
    """{side: its update, to be called} for a size, a dict like `BASE`."""
    H, words = size["H"], size["vocabulary"]
    common = {"rng": np.random.default_rng(0), "dtype": "float32"}
    layers = Stack([tr.LSTM(H, H, **common) for _ in range(size["layers"])])
    model = Model(layers, Readout(H, words, **common), embedding=Embedding(words, H, **common)).compile(threads or None)
    settings = SimpleNamespace(
        cell="lstm",
        embedding=H,
        hidden=H,
        layers=size["layers"],
        tied=False,
        lr=1e-3,
        clip_norm=1.0,
        seed=0,
        batch=size["B"],
        threads=threads,
    )
    task = Random(input_size=words, output_size=words, T=size["T"])
    run = SimpleNamespace(model=model, settings=settings, task=task)
    return {"ours": Loop(run).update, "PyTorch": Peer(run).update}


def seconds_of(update, options):
    """Seconds of an update: the mean over about so long, on the processor's clock the least."""
    if not options.cpu:
        time.sleep(0.1)  # whoever ran before has gone to sleep by then
    update()
    spent, clock = [], options.clock
    begun = clock()
    while clock() - begun < options.seconds or not spent:
        before = clock()
        update()
        spent.append(clock() - before)
    return min(spent) if options.cpu else statistics.fmean(spent)


def point(size, options):
    """{side: [seconds of each round]} at one size."""
    sides = sides_of(size, options.threads)
    for update in sides.values():
        update()
    found = {side: [] for side in sides}
    for _ in range(options.rounds):
        for side, update in sides.items():
            found[side].append(seconds_of(update, options))
    return found


def exponent(values, seconds):
    """The slope over the larger half of the points with its error, as text."""
    half = len(values) // 2
    slope, error = fitted_exponent(values[half:], seconds[half:])
    return f"{slope:.2f} ± {error:.2f}" if error < NOISE else "no power law"


def draw(path, numbers, conditions):
    """A panel for each axis: points with bars, and the exponents."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(numbers), figsize=(4 * len(numbers), 4.4), layout="constrained")
    for panel, (axis, points) in zip(np.atleast_1d(panels), numbers.items(), strict=True):
        values = [int(value) for value in points]
        for side, (colour, mark) in SIDES.items():
            rounds = [p[side] for p in points.values()]
            middle = [statistics.median(r) for r in rounds]
            bars = [[m - min(r) for m, r in zip(middle, rounds, strict=True)]]
            bars.append([max(r) - m for m, r in zip(middle, rounds, strict=True)])
            label = f"{side}: {exponent(values, middle)}"
            panel.errorbar(values, middle, bars, color=colour, marker=mark, capsize=3, label=label)
        panel.set(xscale="log", yscale="log", xlabel=axis)
        panel.set_xticks(values, values, rotation=45)
        panel.minorticks_off()
        panel.legend()
        panel.grid(alpha=0.25)
    np.atleast_1d(panels)[0].set_ylabel("seconds an update")
    figure.suptitle(f"LSTM, {', '.join(f'{k} = {v}' for k, v in BASE.items())} but for what changes; {conditions}")
    figure.savefig(path, dpi=100)


def main():
    """Prints a table for each axis, and writes the numbers and the picture."""
    options = arguments()
    if options.cpu:
        options.threads = 1
    options.clock = time.process_time if options.cpu else time.perf_counter
    torch.set_num_threads(options.threads or torch.get_num_threads())
    begun, busy, numbers, lost = time.monotonic(), Busy(), {}, []
    conditions = "processor's clock, one thread each" if options.cpu else f"wall clock, {os.cpu_count()} cores"
    print(f"PyTorch {torch.__version__}, NumPy {np.__version__}; {conditions}; milliseconds an update")
    with matrix_threads(options.threads or 1):
        for axis, values in SWEEPS.items():
            if options.axes and axis not in options.axes:
                continue
            print(f"\n| {axis} | ours | PyTorch | ratio |\n|---:|---:|---:|---:|")
            points = numbers[axis] = {}
            for value in values:
                if time.monotonic() - begun > 60 * options.minutes:
                    print(f"| {value} | left out: no time left |")
                    continue
                found = points[str(value)] = point({**BASE, axis: value}, options)
                ours, theirs = (statistics.median(found[side]) for side in SIDES)
                ratio = statistics.median(b / a for a, b in zip(*found.values(), strict=True))
                print(f"| {value} | {1e3 * ours:.2f} | {1e3 * theirs:.2f} | {ratio:.2f} |", flush=True)
                lost += [f"{axis} = {value} ({ratio:.2f})"] if ratio < 1 else []
            if len(points) > 2:
                found = {side: [statistics.median(p[side]) for p in points.values()] for side in SIDES}
                grown = ", ".join(f"{side} {exponent(list(map(int, points)), s)}" for side, s in found.items())
                print(f"\nexponents over the larger half: {grown}")
    print(f"\nPyTorch is quicker at: {', '.join(lost) or 'none of these sizes'}")
    print(f"{busy}; {time.monotonic() - begun:.0f} s")
    options.out.mkdir(parents=True, exist_ok=True)
    content = {"conditions": f"{conditions}; {busy}", "base": BASE, "seconds": numbers}
    (options.out / "scaling.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    draw(options.out / "scaling.png", numbers, conditions)
    print(f"numbers and picture: {options.out / 'scaling.json'}, {options.out / 'scaling.png'}")


def arguments():
    """What stands on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("axes", nargs="*", help=f"only these of {', '.join(SWEEPS)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.4, help="of each side in each round (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=0, help="of both; 0: as many as each likes")
    parser.add_argument("--cpu", action="store_true", help="seconds of the processor, one thread each")
    parser.add_argument("--minutes", type=float, default=6, help="no point is begun later than this (default: 6)")
    parser.add_argument("--out", type=Path, default=Path("runs/scaling"), help="folder (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()

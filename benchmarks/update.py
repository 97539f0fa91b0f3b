"""A whole update: batch, layer, readout and loss, clipping, Adam; ours beside PyTorch, alternating in one run.

    python benchmarks/update.py                    # every run of the table, in at most nine minutes
    python benchmarks/update.py copy lstm          # those whose name has all these words
    python benchmarks/update.py --beside 1         # with a process beside it that never rests
    python benchmarks/update.py --cpu              # seconds of the processor, one thread each: for a busy machine

"ours" is what `tinyrnn train` does (`Trainer.update`), "loop" the same as one writes it (`gradients`, `clip_by_norm`,
`Adam.step`). PyTorch's is the 25 lines of `Peer` (`update_peer.py`), with the same batches, sizes, clipping and rate,
float32, in the usual way, JAX's one jitted function (`update_peer_jax.py`; left out where there is no JAX); at the end,
if there is time, the runs in `COMPILED` under torch.compile. Each side does
updates for --seconds, in turn, --rounds times after it has warmed up. A cell has the median updates a second, and in
bold the median over the rounds of ours by the peer's; above 1 ours is faster. Then the shares of our update, by timing
its parts. Below stands how busy others kept the machine: with another job running, a ratio of times means nothing.
"""

import argparse
import contextlib
import importlib.util
import json
import math
import multiprocessing
import os
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from update_peer import Peer

from tinyrnn.core.threads import matrix_threads
from tinyrnn.optim.clipping import clip_by_norm
from tinyrnn.optim.optimisers import Adam
from tinyrnn.profiling.busy import Busy
from tinyrnn.training import updater as ours
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

COMMON = {"optimiser": "adam", "lr": 1e-3, "clip_norm": 1.0}
COPY = {"task": "copy", "task_options": {"delay": 100}, "hidden": 128, "batch": 20}
ADDING = {"task": "adding", "task_options": {"steps": 200}, "hidden": 128, "batch": 50}
CHARACTERS = {"task": "ptb-char", "task_options": {"window": 100}, "hidden": 256, "batch": 32}
WORDS = {"task": "ptb-word", "task_options": {"window": 35}, "hidden": 200, "embedding": 200, "batch": 20, "tied": True}
ROWS = {"task": "mnist", "task_options": {"order": "rows"}, "hidden": 128, "batch": 64}
PIXELS = {"task": "mnist", "task_options": {"order": "pixels"}, "hidden": 128, "batch": 20}
VARIABLE = {"task": "copy-variable", "task_options": {"delay": 100}, "hidden": 128, "batch": 20}
BYTES = {"task": "enwik8", "task_options": {"window": 50}, "hidden": 256, "batch": 32}
RUNS = {
    **{f"copy 100, {cell}": {**COPY, "cell": cell} for cell in ("lstm", "gru", "elman")},
    **{f"copy 100, B = {batch}, lstm": {**COPY, "batch": batch, "cell": "lstm"} for batch in (1, 8)},
    **{f"adding 200, {cell}": {**ADDING, "cell": cell} for cell in ("lstm", "gru")},
    **{f"characters of PTB, {cell}": {**CHARACTERS, "cell": cell} for cell in ("lstm", "gru", "elman")},
    **{f"words of PTB, tied, {cell}": {**WORDS, "cell": cell} for cell in ("lstm", "gru")},
    **{f"MNIST by rows, {cell}": {**ROWS, "cell": cell} for cell in ("lstm", "gru")},
    **{f"MNIST by pixels, {cell}": {**PIXELS, "cell": cell} for cell in ("lstm", "elman")},
    **{f"copy with a varying delay, {cell}": {**VARIABLE, "cell": cell} for cell in ("lstm", "elman")},
    **{f"bytes of enwik8, {cell}": {**BYTES, "cell": cell} for cell in ("lstm", "gru")},
}
COMPILED = ("copy 100, lstm", "copy 100, gru", "words of PTB, tied, lstm")  # compiling takes up to a minute each
PARTS = ("batch", "layers", "readout, loss", "norms", "optimiser")
SIDES = {"ours": "tab:blue", "loop": "tab:cyan", "PyTorch": "tab:orange"}
if importlib.util.find_spec("jax"):
    SIDES["JAX"] = "tab:green"


class Loop:
    """The same update as one writes it: no run folder, no settings but the sizes."""

    def __init__(self, trainer):
        self.trainer, self.step, self.state = trainer, 0, None
        self.model, self.optimiser = trainer.model, Adam(COMMON["lr"]).compile(trainer.settings.threads or None)

    def update(self):
        """One update; the loss."""
        s, task = self.trainer.settings, self.trainer.task
        out = self.model.gradients(*task.batch(s.seed, self.step, s.batch), state=self.state)
        grads, _ = clip_by_norm(out.params, COMMON["clip_norm"])
        self.optimiser.step(self.model.params, grads)
        self.state = out.state if task.carries else None
        self.step += 1
        return out.loss


def sides_of(trainer):
    """{side: its update, to be called}."""
    sides = {
        "ours": trainer.update,
        "loop": Loop(Trainer(trainer.settings, None)).update,
        "PyTorch": Peer(trainer).update,
    }
    if "JAX" in SIDES:
        from update_peer_jax import JaxPeer

        sides["JAX"] = JaxPeer(trainer).update
    return sides


@contextlib.contextmanager
def busy_processes(number):
    """So many processes that never rest, while it lasts."""
    beside = [multiprocessing.get_context("spawn").Process(target=spin, daemon=True) for _ in range(number)]
    for process in beside:
        process.start()
    try:
        yield
    finally:
        for process in beside:
            process.kill()


def spin():
    """Never ends."""
    while True:
        pass


def measured(sides, options):
    """{side: [rate of each round]}, alternating."""
    rates = {side: [] for side in sides}
    for update in sides.values():
        rate(update, options, options.seconds / 2)
    for _ in range(options.rounds):
        for side, update in sides.items():
            rates[side].append(rate(update, options, options.seconds))
    return rates


def compiled(name, options):
    """A line on one run under torch.compile, beside ours measured again."""
    trainer = new_trainer(RUNS[name], options)
    peer, begun = Peer(trainer), time.monotonic()
    peer.loss = torch.compile(peer.loss)
    try:
        with warnings.catch_warnings(action="ignore"):
            peer.update()
            made = time.monotonic() - begun
            rates = measured({"ours": trainer.update, "torch.compile": peer.update}, options)
    except Exception as error:  # whatever it does not understand
        return f"torch.compile, {name}: cannot be done, {type(error).__name__}"
    ratio = statistics.median(a / b for a, b in zip(*rates.values(), strict=True))
    ours, theirs = map(statistics.median, rates.values())
    return (
        f"torch.compile, {name}: ours {ours:.1f}, theirs {theirs:.1f}, ratio {ratio:.2f}; compiling took {made:.0f} s"
    )


def new_trainer(settings, options):
    """The `Trainer` of a run, which writes no files."""
    return Trainer(Settings(**COMMON, **settings, threads=options.threads), None)


def rate(update, options, seconds):
    """Updates a second, over about so long. On the processor's clock: of the quickest of them, as others disturb."""
    if not options.cpu:
        time.sleep(0.1)  # whoever ran before has gone to sleep by then
    update()
    spent, clock = [], options.clock
    begun = clock()
    while clock() - begun < seconds or len(spent) < 3:
        before = clock()
        update()
        spent.append(clock() - before)
    return 1 / min(spent) if options.cpu else len(spent) / sum(spent)


def shares(trainer, options, updates=20):
    """Part of an update -> its share of our time; "the rest" is what is in none of them."""
    spent, clock = dict.fromkeys(PARTS, 0.0), options.clock

    def timed(part, function):
        def call(*args, **kwargs):
            begun = clock()
            try:
                return function(*args, **kwargs)
            finally:
                spent[part] += clock() - begun

        return call

    model, layers, kept = trainer.model, trainer.model.layers, (ours.batch_of, ours.norms)
    ours.batch_of, ours.norms = timed("batch", kept[0]), timed("norms", kept[1])
    layers.forward, layers.backward = timed("layers", layers.forward), timed("layers", layers.backward)
    model.above, trainer.optimiser.step = timed(PARTS[2], model.above), timed("optimiser", trainer.optimiser.step)
    begun = clock()
    try:
        for _ in range(updates):
            trainer.update()
    finally:
        ours.batch_of, ours.norms = kept
    whole = clock() - begun
    found = {part: seconds / whole for part, seconds in spent.items()}
    return found | {"the rest": 1 - sum(found.values())}


def row(name, rates, parts):
    """A row of the table, and {peer: its ratio}."""
    cells, ratios = [], {}
    for side in SIDES:
        cells.append(f"{statistics.median(rates[side]):.1f}")
        if side != "ours":
            ratios[side] = statistics.median(a / b for a, b in zip(rates["ours"], rates[side], strict=True))
            cells.append(f"**{ratios[side]:.2f}**")
    cells += [f"{parts[part]:.0%}" for part in (*PARTS, "the rest")]
    return f"| {name} | {' | '.join(cells)} |", ratios


def draw(path, numbers):
    """Bars: updates a second by PyTorch's, and under them the shares of our update."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(2, 1, figsize=(11, 8), sharex=True, layout="constrained")
    names = list(numbers)
    for k, (side, colour) in enumerate(SIDES.items()):
        rounds = [numbers[name]["rates"] for name in names]
        heights = [statistics.median(a / b for a, b in zip(r[side], r["PyTorch"], strict=True)) for r in rounds]
        at = [i + 0.2 * (k - 1.5) for i in range(len(names))]
        above.bar(at, heights, 0.2, color=colour, label=side)
    above.axhline(1, color="black", linewidth=0.8)
    above.set(ylabel="updates a second, PyTorch = 1", title="A whole update")
    above.legend()
    bottom = np.zeros(len(names))
    for part in (*PARTS, "the rest"):
        heights = np.array([numbers[name]["shares"][part] for name in names])
        below.bar(range(len(names)), heights, 0.7, bottom=bottom, label=part)
        bottom += heights
    below.set(ylabel="share of our update")
    below.set_xticks(range(len(names)), names, rotation=35, ha="right")
    figure.legend(*below.get_legend_handles_labels(), loc="outside lower center", ncols=6)
    figure.savefig(path, dpi=110)


def main():
    """What the command line asks for."""
    options = arguments()
    if options.cpu:
        options.threads = options.peer_threads = 1
    options.clock = time.process_time if options.cpu else time.perf_counter
    torch.set_num_threads(options.peer_threads or torch.get_num_threads())
    with busy_processes(options.beside):
        compare(options)


def compare(options):
    """Prints the table, and writes the numbers and the picture."""
    begun, busy = time.monotonic(), Busy()
    clock = "the processor's clock, one thread each" if options.cpu else "wall clock"
    clock += f", beside {options.beside} busy" if options.beside else ""
    print(f"PyTorch {torch.__version__}, NumPy {np.__version__}, {os.cpu_count()} cores, {clock}; updates a second\n")
    print("| run | ours |", *(f"{side} | by it |" for side in list(SIDES)[1:]), end=" ")
    print(" | ".join((*PARTS, "the rest")) + " |")
    print("|---|" + "---:|" * (2 * len(SIDES) - 1 + len(PARTS) + 1))
    ratios, numbers = {}, {}
    for name, settings in RUNS.items():
        if not all(word in name for word in options.words):
            continue
        if time.monotonic() - begun > 60 * options.minutes - 25:
            print(f"| {name} | left out: no time left |")
            continue
        try:
            trainer = new_trainer(settings, options)
            with matrix_threads(options.threads or 1):
                rates = measured(sides_of(trainer), options)
                parts = shares(trainer, options)
        except FileNotFoundError as error:
            print(f"| {name} | left out: {str(error).split(':')[0]} |")
            continue
        line, ratios[name] = row(name, rates, parts)
        print(line, flush=True)
        numbers[name] = {"rates": rates, "shares": parts}
    for side in list(SIDES)[1:]:
        if found := [r[side] for r in ratios.values()]:
            mean = math.exp(statistics.fmean(map(math.log, found)))
            print(f"\nours by {side}: geometric mean {mean:.2f}, least {min(found):.2f}, of {len(found)} runs")
    notes = []
    for name in COMPILED if not options.cpu else ():
        if name in numbers and time.monotonic() - begun < 60 * options.minutes - 100:
            notes.append(compiled(name, options))
            print(f"\n{notes[-1]}", flush=True)
    print(f"\n{busy}; {time.monotonic() - begun:.0f} s")
    if numbers:
        options.out.mkdir(parents=True, exist_ok=True)
        content = {"conditions": f"{clock}; {busy}", "notes": notes, "runs": numbers}
        (options.out / "update.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
        draw(options.out / "update.png", numbers)
        print(f"numbers and picture: {options.out / 'update.json'}, {options.out / 'update.png'}")


def arguments():
    """What stands on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only the runs whose name has all of these")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.5, help="of each side in each round (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=0, help="ours, 0: one per core (default: %(default)s)")
    parser.add_argument("--peer-threads", type=int, default=0, help="PyTorch's, 0: as it likes (default: %(default)s)")
    parser.add_argument("--beside", type=int, default=0, help="busy processes beside it (default: %(default)s)")
    parser.add_argument("--cpu", action="store_true", help="seconds of the processor, one thread each")
    parser.add_argument("--minutes", type=float, default=9, help="no run is begun later than this (default: 9)")
    parser.add_argument("--out", type=Path, default=Path("runs/update"), help="folder (default: %(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()

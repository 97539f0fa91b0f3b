"""A whole update: batch, layer, readout and loss, clipping, Adam; ours beside PyTorch, alternating in one run.

    python benchmarks/update.py                    # every run of the table
    python benchmarks/update.py copy lstm          # those whose name has all these words
    python benchmarks/update.py --threads 1 --peer-threads 2 --json update.json

Ours is what `tinyrnn train` does (`Trainer.update`); PyTorch's is the 25 lines of `Peer`, with the same batches, sizes,
clipping and rate, float32, in the usual way (nn.LSTM, autograd, optim.Adam, clip_grad_norm_), and with --compile under
torch.compile as well. Each side does updates for --seconds, in turn, --rounds times after one that warms up. A row has
the median updates a second and the median over the rounds of the ratio; above 1 ours is faster. Then the shares of our
update, by timing its parts. How busy the machine was stands below: with another job running a ratio means nothing.
"""

import argparse
import json
import math
import os
import statistics
import time

import numpy as np
import torch

from tinyrnn.core.threads import matrix_threads
from tinyrnn.training import trainer as ours
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

COMMON = {"optimiser": "adam", "lr": 1e-3, "clip_norm": 1.0}
COPY = {"task": "copy", "task_options": {"delay": 100}, "hidden": 128, "batch": 20}
ADDING = {"task": "adding", "task_options": {"steps": 200}, "hidden": 128, "batch": 50}
CHARACTERS = {"task": "ptb-char", "task_options": {"window": 100}, "hidden": 256, "batch": 32}
WORDS = {"task": "ptb-word", "task_options": {"window": 35}, "hidden": 200, "embedding": 200, "batch": 20, "tied": True}
ROWS = {"task": "mnist", "task_options": {"order": "rows"}, "hidden": 128, "batch": 64}
RUNS = {
    **{f"copy 100, {cell}": {**COPY, "cell": cell} for cell in ("lstm", "gru", "elman")},
    **{f"copy 100, B = {batch}, lstm": {**COPY, "batch": batch, "cell": "lstm"} for batch in (1, 8)},
    **{f"adding 200, {cell}": {**ADDING, "cell": cell} for cell in ("lstm", "gru")},
    **{f"characters of PTB, {cell}": {**CHARACTERS, "cell": cell} for cell in ("lstm", "gru", "elman")},
    **{f"words of PTB, tied, {cell}": {**WORDS, "cell": cell} for cell in ("lstm", "gru")},
    **{f"MNIST by rows, {cell}": {**ROWS, "cell": cell} for cell in ("lstm", "gru")},
}
LAYERS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "elman": torch.nn.RNN}
PARTS = ("batch", "layers", "readout, loss", "clipping", "optimiser")


class Peer(torch.nn.Module):
    """The same network and update, as one writes it in PyTorch."""

    def __init__(self, trainer):
        super().__init__()
        s, self.task = trainer.settings, trainer.task
        self.settings, self.step, self.state = s, 0, None
        n, k = self.task.input_size, self.task.output_size
        self.embedding = torch.nn.Embedding(n, s.embedding) if s.embedding else None
        self.layer = LAYERS[s.cell](s.embedding or n, s.hidden)
        self.readout = torch.nn.Linear(s.hidden, k)
        if s.tied:
            self.readout.weight = self.embedding.weight
        self.optimiser = torch.optim.Adam(self.parameters(), s.lr)

    def loss(self, x, target):
        if self.embedding is not None:
            x = self.embedding(x)
        elif not x.is_floating_point():
            x = torch.nn.functional.one_hot(x, self.task.input_size).float()
        h, state = self.layer(x, self.state)
        if self.task.carries:
            self.state = tuple(part.detach() for part in state) if isinstance(state, tuple) else state.detach()
        y = self.readout(h if self.task.readout == "every" else h[-1])
        if self.task.loss == "squared_error":
            return torch.nn.functional.mse_loss(y, target)
        return torch.nn.functional.cross_entropy(y.flatten(0, -2), target.flatten())

    def update(self):
        s = self.settings
        x, target = map(torch.from_numpy, self.task.batch(s.seed, self.step, s.batch)[:2])
        self.optimiser.zero_grad()
        loss = self.loss(x, target)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters(), s.clip_norm)
        self.optimiser.step()
        self.step += 1
        return loss.item()


def rate(update, seconds):
    """Updates a second, over about so long; whoever ran before has gone to sleep by then."""
    time.sleep(0.1)
    count, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        update()
        count += 1
    return count / spent


def measured(settings, options):
    """{"ours": [rate of each round], "pytorch": […], …} of one run of the table."""
    trainer = Trainer(Settings(**COMMON, **settings, threads=options.threads), None)
    torch.set_num_threads(options.peer_threads or torch.get_num_threads())
    sides = {"ours": trainer.update, "pytorch": Peer(trainer).update}
    if options.compile:
        compiled = Peer(trainer)
        compiled.loss = torch.compile(compiled.loss)
        sides["torch.compile"] = compiled.update
    rates = {side: [] for side in sides}
    with matrix_threads(options.threads or 1):
        for side in sides.values():
            rate(side, options.seconds)
        for _ in range(options.rounds):
            for name, side in sides.items():
                rates[name].append(rate(side, options.seconds))
        return rates, shares(trainer)


def shares(trainer, updates=20):
    """Part of an update -> its share of our time; "the rest" is what is in none of them."""
    spent = dict.fromkeys(PARTS, 0.0)

    def timed(part, function):
        def call(*args, **kwargs):
            begun = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                spent[part] += time.perf_counter() - begun

        return call

    model, kept = trainer.model, (ours.batch_of, ours.global_norm, ours.clip_by_norm)
    ours.batch_of = timed("batch", kept[0])
    ours.global_norm, ours.clip_by_norm = timed("clipping", kept[1]), timed("clipping", kept[2])
    for layer in (model.layers,):
        layer.forward, layer.backward = timed("layers", layer.forward), timed("layers", layer.backward)
    gradients = timed("all", model.gradients)
    spent["all"] = 0.0
    model.gradients = gradients
    trainer.optimiser.step = timed("optimiser", trainer.optimiser.step)
    begun = time.perf_counter()
    try:
        for _ in range(updates):
            trainer.update()
    finally:
        ours.batch_of, ours.global_norm, ours.clip_by_norm = kept
    whole = time.perf_counter() - begun
    spent["readout, loss"] = spent.pop("all") - spent["layers"]
    found = {part: seconds / whole for part, seconds in spent.items()}
    return found | {"the rest": 1 - sum(found.values())}


def main():
    """Prints the table, and writes the numbers if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only the runs whose name has all of these")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each side in each round (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=0, help="ours, 0: one per core (default: %(default)s)")
    parser.add_argument("--peer-threads", type=int, default=0, help="PyTorch's, 0: as it likes (default: %(default)s)")
    parser.add_argument("--compile", action="store_true", help="torch.compile beside eager PyTorch")
    parser.add_argument("--json", metavar="FILE", help="write the numbers")
    options = parser.parse_args()
    print(f"PyTorch {torch.__version__}, NumPy {np.__version__}, {os.cpu_count()} cores, load before: {load()}")
    print("| run | ours | PyTorch | ratio | " + ("torch.compile | ratio | " if options.compile else ""), end="")
    print(" | ".join((*PARTS, "the rest")) + " |")
    print("|---|" + "---:|" * (9 + 2 * options.compile))
    ratios, numbers = [], {}
    for name, settings in RUNS.items():
        if not all(word in name for word in options.words):
            continue
        try:
            rates, parts = measured(settings, options)
        except FileNotFoundError as error:
            print(f"| {name} | left out: {error} |")
            continue
        cells = [f"{statistics.median(rates['ours']):.1f}"]
        for side in list(rates)[1:]:
            each = [a / b for a, b in zip(rates["ours"], rates[side], strict=True)]
            cells += [f"{statistics.median(rates[side]):.1f}", f"**{statistics.median(each):.2f}**"]
            ratios += [statistics.median(each)] if side == "pytorch" else []
        cells += [f"{parts[part]:.0%}" for part in (*PARTS, "the rest")]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        numbers[name] = {"rates": rates, "shares": parts}
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"\ngeometric mean {mean:.2f}, least {min(ratios):.2f}; load after: {load()}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(numbers, file, indent=1)


def load():
    """How many processes wanted a core in the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()

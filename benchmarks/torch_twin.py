"""A language model and its twin in PyTorch, update by update: the same weights at first, batches, clipping and Adam.

    python benchmarks/torch_twin.py ptb-char --updates 200 --dtype float32 --hidden 256

prints the training loss of both and how far they are apart. The twin is torch.nn.LSTM between torch.nn.Embedding or
one-hot vectors and torch.nn.Linear, with autograd and torch.optim.Adam. Its gradients are clipped as ours are, without
the 1e-6 that torch.nn.utils.clip_grad_norm_ adds to the norm that it divides by. PyTorch's LSTM adds two biases; the
second stays zero here, for training both would move their sum twice as fast.
"""

import argparse

import numpy as np
import torch

from tinyrnn.core.progress import Bar
from tinyrnn.nn import interop
from tinyrnn.tasks.text import Language
from tinyrnn.training.settings import Settings, build
from tinyrnn.training.trainer import Trainer, matrix_threads


class Twin:
    """Computes and updates what the model of a `Trainer`, not yet trained, would."""

    def __init__(self, trainer):
        self.settings, self.task = trainer.settings, trainer.task
        s, model = self.settings, trainer.model
        self.dtype = getattr(torch, s.dtype)
        size = s.embedding or self.task.input_size
        self.lstm = torch.nn.LSTM(size, s.hidden, num_layers=s.layers, dtype=self.dtype)
        self.lstm.load_state_dict({name: torch.tensor(a) for name, a in interop.to_torch(model.layers).items()})
        self.readout = torch.nn.Linear(s.hidden, self.task.output_size, dtype=self.dtype)
        weights = {"weight": torch.tensor(model.params["readout.W"].T), "bias": torch.tensor(model.params["readout.b"])}
        self.readout.load_state_dict(weights)
        parts = [self.lstm, self.readout]
        if s.embedding:
            self.embedding = torch.nn.Embedding(self.task.input_size, s.embedding, dtype=self.dtype)
            self.embedding.load_state_dict({"weight": torch.tensor(model.params["embedding.W"])})
            parts.append(self.embedding)
        for name, parameter in self.lstm.named_parameters():
            parameter.requires_grad_(not name.startswith("bias_hh"))
        self.parameters = [p for part in parts for p in part.parameters() if p.requires_grad]
        ours = trainer.optimiser
        self.optimiser = torch.optim.Adam(self.parameters, s.lr, betas=(ours.beta1, ours.beta2), eps=ours.eps)
        self.state = None

    def update(self, step, rate):
        """Update number `step` with the learning rate `rate`; returns the loss before it."""
        s = self.settings
        x, target = map(torch.from_numpy, self.task.batch(s.seed, step, s.batch)[:2])
        if self.task.begins(s.seed, step, s.batch):
            self.state = None
        vectors = self.embedding(x) if s.embedding else torch.nn.functional.one_hot(x, self.task.input_size)
        h, state = self.lstm(vectors.to(self.dtype), self.state)
        self.state = tuple(part.detach() for part in state)
        loss = torch.nn.functional.cross_entropy(self.readout(h).flatten(0, 1), target.flatten())
        self.optimiser.zero_grad()
        loss.backward()
        if s.clip_norm:
            norm = torch.nn.utils.get_total_norm([p.grad for p in self.parameters])
            for p in self.parameters:
                p.grad *= min(1, s.clip_norm / float(norm))
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.step()
        return float(loss.detach())


def compare(settings, progress=False):
    """(ours, theirs): the training losses of all updates, in the first unit that the task's sources use, two arrays.

    settings: of a language model with LSTM and Adam. One thread computes.
    """
    if settings.cell != "lstm" or settings.optimiser != "adam" or not isinstance(build(settings)[0], Language):
        raise ValueError("the twin is a language model with the cell lstm and the optimiser adam")
    trainer, threads = Trainer(settings, None), torch.get_num_threads()
    twin = Twin(trainer)
    losses = []
    try:
        torch.set_num_threads(1)
        with matrix_threads(1):
            for step in Bar(range(settings.updates), unit="update", disable=not progress):
                ours, _, rate = trainer.update()
                losses.append((ours, twin.update(step, rate)))
    finally:
        torch.set_num_threads(threads)
    unit = trainer.task.measures[0].of
    return tuple(np.array([unit(loss) for loss in column]) for column in zip(*losses, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", nargs="?", default="ptb-char")
    options = {"updates": 200, "dtype": "float32", "hidden": 128, "layers": 1, "embedding": 0, "batch": 20}
    options |= {"lr": 1e-3, "clip_norm": 0.25, "seed": 0}
    for name, default in options.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    parser.add_argument("--window", type=int, default=50)
    parser.add_argument("--random-windows", action="store_true")
    parser.add_argument("--every", type=int, default=20, help="updates between lines of the table")
    args = parser.parse_args()
    task_options = {"window": args.window, "random_windows": args.random_windows}
    settings = Settings(
        task=args.task, task_options=task_options, threads=1, **{name: getattr(args, name) for name in options}
    )
    ours, theirs = compare(settings, progress=True)
    apart = abs(ours - theirs)
    unit = build(settings)[0].measures[0].words
    print(f"{args.task}, LSTM {settings.hidden}, {settings.dtype}; {unit}\n")
    print("| update | tinyrnn | PyTorch | apart | apart, largest so far |\n|---:|---:|---:|---:|---:|")
    for k in [0, *range(args.every - 1, len(ours), args.every)]:
        print(f"| {k + 1} | {ours[k]:.6f} | {theirs[k]:.6f} | {apart[k]:.1e} | {apart[: k + 1].max():.1e} |")


if __name__ == "__main__":
    main()

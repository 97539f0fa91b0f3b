"""Peak memory and time of one gradient of an LSTM over very long sequences, with and without checkpointing over time.

    python benchmarks/long_sequences.py [--steps 100000,1000000] [--checkpoints none,8MiB]

One gradient of the loss with respect to all parameters: LSTM, B = 1, one input, float32, a readout to 10 classes, the
loss at every step or at the last only. Each row is measured in a process of its own. "again" is how many steps are run
forward a second time or more often, by the number of steps (fewer if the gradient vanishes on the way); "peak" is all
that the process holds, Python and the libraries included, "more" what the gradient needed on top of what was there
before it. The plain pass is run where its tape fits into --plain GiB.
"""

import argparse

import numpy as np
from peak import peak_of

import tinyrnn as tr
from tinyrnn.nn.recompute.revolve import plan

SETUP = """
import numpy as np
import tinyrnn as tr

rng = np.random.default_rng(0)
x = rng.normal(size=({steps}, 1, 1)).astype("float32")
target = rng.integers(0, 10, ({steps}, 1) if {at!r} == "every" else 1)
cell = tr.LSTM(1, {units}, rng=0, dtype="float32")
model = tr.Model(cell, tr.Readout({units}, 10, rng=1, dtype="float32"), at={at!r})
"""
WORK = "model.gradients(x, target, checkpoint={checkpoint!r})"
CHECKPOINTS = ("none", "1 MiB", "8 MiB", "256 MiB", "1 GiB")


def row(steps, units, at, checkpoint):
    """The row of the table as a string."""
    measured = peak_of(SETUP.format(steps=steps, units=units, at=at), WORK.format(checkpoint=checkpoint))
    cut = "1 | 1 | 0.00"
    if checkpoint is not None:
        model = tr.Model(tr.LSTM(1, units, rng=0, dtype="float32"), tr.Readout(units, 10, rng=1, dtype="float32"))
        made = plan(model, np.zeros((steps, 1, 1), "float32"), checkpoint)
        cut = f"{len(made.starts)} | {made.states} | {made.recomputed / steps:.2f}"
    memory = f"{measured.peak / 2**20:.0f} | {measured.more / 2**20:.0f}"
    return f"| {steps} | {at} | {checkpoint or 'none'} | {cut} | {measured.seconds:.1f} | {memory} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", default="100000,1000000", help="comma-separated (default: %(default)s)")
    parser.add_argument("--units", type=int, default=128, help="default: %(default)s")
    parser.add_argument("--at", default="every,last", help="where the loss is (default: %(default)s)")
    parser.add_argument("--checkpoints", default=",".join(CHECKPOINTS), help="budgets (default: %(default)s)")
    parser.add_argument("--plain", type=float, default=4, help="GiB for a tape without windows (default: %(default)s)")
    args = parser.parse_args()
    print(f"LSTM, {args.units} units, B = 1, float32, NumPy {np.__version__}")
    print("| T | loss at | checkpoint | windows | states | again | s | peak MiB | more MiB |")
    print("|---:|---|---|---:|---:|---:|---:|---:|---:|")
    for steps in map(int, args.steps.split(",")):
        for at in args.at.split(","):
            for checkpoint in args.checkpoints.split(","):
                if checkpoint != "none" or steps * args.units * 40 <= args.plain * 2**30:
                    print(row(steps, args.units, at, None if checkpoint == "none" else checkpoint), flush=True)


if __name__ == "__main__":
    main()

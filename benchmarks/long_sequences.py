"""Peak memory and time of one gradient of an LSTM over very long sequences, with and without checkpointing over time.

    python benchmarks/long_sequences.py [--steps 100000,1000000] [--units 128]

One gradient of the loss with respect to all parameters: LSTM, B = 1, one input, float32, a readout to 10 classes with
the loss at every step or at the last only. Each row is a fresh process, so that its peak resident memory
(`getrusage`) is its own; it includes Python, the libraries and the data, 3/100 of a MiB for 1000 steps. "again" is how
many steps are run forward a second time or more often, by the number of steps. The plain pass is run
where it fits into --plain GiB.
"""

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

import tinyrnn as tr
from tinyrnn.checkpointing import plan

CHECKPOINTS = ("none", "1 MiB", "8 MiB", "256 MiB", "1 GiB")


def one(steps, units, at, checkpoint):
    """One gradient; returns what is in a row of the table."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(steps, 1, 1)).astype("float32")
    target = rng.integers(0, 10, (steps, 1) if at == "every" else 1)
    cell = tr.LSTM(1, units, rng=0, dtype="float32")
    model = tr.Model(cell, tr.Readout(units, 10, rng=1, dtype="float32"), at=at)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    out = model.gradients(x, target, checkpoint=None if checkpoint == "none" else checkpoint)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    norm = sum(float((d * d).sum()) for d in out.params.values()) ** 0.5
    row = {"seconds": seconds, "before": before / 1024, "peak": peak / 1024, "loss": out.loss, "norm": norm}
    if checkpoint == "none":
        return row | {"windows": 1, "states": 1, "again": 0.0}
    made = plan(model, x, checkpoint)
    return row | {"windows": len(made.starts), "states": made.states, "again": made.recomputed / steps}


def in_child(*arguments):
    command = [sys.executable, __file__, "--child", json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", default="100000,1000000", help="comma-separated (default: %(default)s)")
    parser.add_argument("--units", type=int, default=128, help="default: %(default)s")
    parser.add_argument("--at", default="every,last", help="where the loss is (default: %(default)s)")
    parser.add_argument("--checkpoints", default=",".join(CHECKPOINTS), help="default: %(default)s")
    parser.add_argument("--plain", type=float, default=4, help="GiB for the tape without windows (default: %(default)s)")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return print(json.dumps(one(*json.loads(args.child))))
    print(f"LSTM, {args.units} units, B = 1, float32, NumPy {np.__version__}")
    print("| T | loss at | checkpoint | windows | states | again | s | peak MiB | loss | norm of the gradient |")
    print("|---:|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for steps in map(int, args.steps.split(",")):
        for at in args.at.split(","):
            for checkpoint in args.checkpoints.split(","):
                if checkpoint == "none" and steps * args.units * 40 > args.plain * 2**30:
                    continue
                row = in_child(steps, args.units, at, checkpoint)
                if row is None:
                    print(f"| {steps} | {at} | {checkpoint} | failed |", flush=True)
                    continue
                numbers = f"{row['windows']} | {row['states']} | {row['again']:.2f} | {row['seconds']:.1f}"
                results = f"{row['peak']:.0f} | {row['loss']:.6f} | {row['norm']:.5g}"
                print(f"| {steps} | {at} | {checkpoint} | {numbers} | {results} |", flush=True)


if __name__ == "__main__":
    main()

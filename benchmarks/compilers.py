"""Kernels of two C compilers beside each other: the machine's own, and the one that comes with the package ziglang.

    pip install 'tinyrnn[compiler]'; python benchmarks/compilers.py [CELL ...]

CPU milliseconds on one thread of a training step, forward and backward (T = 150, B = 20, 80 units, float32): the least
of 30, and of three processes for each compiler, which take turns.
"""

import os
import subprocess
import sys
import tempfile

STEP = """
import sys, time
import numpy as np
import tinyrnn as tr

cls, options = tr.CELLS[sys.argv[1]]
cell = cls(10, 80, rng=0, dtype="float32", **options)
net = tr.Model(cell, tr.Readout(cell.output_size, 10, rng=1, dtype="float32"))
cell.compile(threads=1)
rng = np.random.default_rng(0)
x, target = rng.normal(size=(150, 20, 10)).astype("f4"), rng.integers(0, 10, (150, 20))
net.gradients(x, target)
times = []
for _ in range(30):
    start = time.process_time()
    net.gradients(x, target)
    times.append(time.process_time() - start)
print(min(times))
"""
COMPILERS = {"gcc": "gcc", "zig": f"{sys.executable} -m ziglang cc"}


def milliseconds(compiler, cell, cache):
    """CPU time of one step in a process of its own; the warning of a cell that could not be compiled is an error."""
    env = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "1",
        "CC": COMPILERS[compiler],
        "XDG_CACHE_HOME": f"{cache}/{compiler}",
    }
    words = [sys.executable, "-W", "error", "-c", STEP, cell]
    return 1e3 * float(subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout)


def main():
    print("| cell | gcc ms | zig ms | zig / gcc |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as cache:
        for cell in sys.argv[1:] or ["lstm", "gru", "elman", "urnn"]:
            taken = {name: [] for name in COMPILERS}
            for _ in range(3):
                for name, of_this in taken.items():
                    of_this.append(milliseconds(name, cell, cache))
            gcc, zig = map(min, taken.values())
            print(f"| {cell} | {gcc:.1f} | {zig:.1f} | {zig / gcc:.2f} |", flush=True)


if __name__ == "__main__":
    main()

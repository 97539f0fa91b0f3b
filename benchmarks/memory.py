"""Peak memory of LSTM training steps, ours beside PyTorch's `nn.LSTM`: `python benchmarks/memory.py`.

Each subject runs in a fresh process: imports and one tiny step, which load what is loaded late, then three whole steps,
forward and backward with the loss at every step, float32. "Peak" is the most the process ever held; "on top" is that
less what it held before the three steps, with the input and the upstream gradient already there. Both in MiB.
"""

import argparse
import importlib.util

from peak import peak_of

ARRAYS = """
import numpy as np
rng = np.random.default_rng(0)
x = rng.normal(size=({T}, {B}, {n})).astype("float32")
dh = (rng.normal(size=({T}, {B}, {H})) / {T}).astype("float32")
"""
OURS = """
import tinyrnn as tr
cell = tr.LSTM({n}, {H}, rng=0, dtype="float32"){compiled}
def step(x, dh):
    h, tape = cell.forward(x)
    return cell.backward(dh, tape)
step(x[:2], dh[:2])
"""
PYTORCH = """
import torch
layer = torch.nn.LSTM({n}, {H})
x, dh = torch.from_numpy(x), torch.from_numpy(dh)
def step(x, dh):
    layer.zero_grad()
    h, _ = layer(x)
    h.backward(dh)
step(x[:2], dh[:2])
"""
WORK = "for _ in range(3): step(x, dh)"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="784,64,1,128", help="T,B,in,H (default: %(default)s)")
    args = parser.parse_args()
    sizes = dict(zip("TBnH", map(int, args.size.split(",")), strict=True))
    subjects = {
        "ours, plain": OURS.format(compiled=".interpret()", **sizes),
        "ours, compiled": OURS.format(compiled=".compile()", **sizes),
    }
    if importlib.util.find_spec("torch"):
        subjects["PyTorch"] = PYTORCH.format(**sizes)
    print(f"LSTM, T, B, in, H = {args.size}\n")
    print("| subject | before MiB | peak MiB | on top MiB |")
    print("|---|---:|---:|---:|")
    for name, setup in subjects.items():
        result = peak_of(ARRAYS.format(**sizes) + setup, WORK)
        print(f"| {name} | {result.baseline / 2**20:.0f} | {result.peak / 2**20:.0f} | {result.more / 2**20:.0f} |")


if __name__ == "__main__":
    main()

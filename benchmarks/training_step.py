"""One training step (forward and backward of the recurrent layer) of each cell against PyTorch, side by side.

    python benchmarks/training_step.py [--cells lstm,gru] [--repeats 7]

Peers: `torch.nn.RNN` for the Elman and the linear-transition RNN (PyTorch has none of its own), `nn.LSTM`, `nn.GRU`,
and for the unitary RNN a PyTorch module on complex tensors written below. Both sides run float32, with their default
number of threads, and alternate within one process; the ratio is the median over pairs of PyTorch's time by ours, so
above 1 we are faster. Parameter gradients are computed on both sides; ours also computes the gradient of the input.
"""

import argparse
import statistics
import time

import numpy as np
import torch

from tinyrnn.cells import CELLS

SIZES = [(784, 64, 1, 128), (520, 20, 10, 80), (750, 50, 2, 128), (150, 64, 64, 512)]  # T, B, inputs, units


class ComplexUnitaryRNN(torch.nn.Module):
    """The unitary RNN as a PyTorch user would write it: complex tensors, torch.fft, autograd."""

    def __init__(self, n_in, n):
        super().__init__()
        self.theta = torch.nn.Parameter(torch.empty(3, n).uniform_(-np.pi, np.pi))
        self.v = torch.nn.Parameter(torch.randn(2, n, dtype=torch.complex64))
        self.V = torch.nn.Parameter(torch.randn(n_in, n, dtype=torch.complex64) * 0.1)
        self.b = torch.nn.Parameter(torch.zeros(n))
        self.h_0 = torch.nn.Parameter(torch.randn(n, dtype=torch.complex64) * n**-0.5)
        self.register_buffer("perm", torch.randperm(n))

    def forward(self, x):
        d1, d2, d3 = torch.polar(torch.ones_like(self.theta), self.theta)
        u1, u2 = self.v / torch.linalg.vector_norm(self.v, dim=1, keepdim=True)
        a = x.to(torch.complex64) @ self.V
        h = self.h_0.expand(x.shape[1], -1)
        out = []
        for a_t in a:
            z = torch.fft.fft(h * d1, norm="ortho")
            z = z - 2 * (z @ u1.conj())[:, None] * u1
            z = torch.fft.ifft(z[:, self.perm] * d2, norm="ortho")
            z = z - 2 * (z @ u2.conj())[:, None] * u2
            z = z * d3 + a_t
            size = z.abs()
            h = z * (torch.relu(size + self.b) / (size + 1e-5))
            out.append(h)
        h = torch.stack(out)
        return torch.cat([h.real, h.imag], dim=-1), None


PEERS = {
    "elman": torch.nn.RNN,
    "lt-ornn": torch.nn.RNN,
    "lstm": torch.nn.LSTM,
    "gru": torch.nn.GRU,
    "urnn": ComplexUnitaryRNN,
}


def our_step(cell, x, dh, last):
    if last:
        dstate = (dh[-1], *[None] * (len(cell.states) - 1))
        return lambda: cell.backward(None, cell.forward(x)[1], dstate)
    return lambda: cell.backward(dh, cell.forward(x)[1])


def their_step(module, x, dh, last):
    x, dh = torch.from_numpy(x), torch.from_numpy(dh)

    def step():
        module.zero_grad()
        h, _ = module(x)
        if last:
            h[-1].backward(dh[-1])
        else:
            h.backward(dh)

    return step


def seconds(step):
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def compare(ours, theirs, repeats):
    """Median times in ms and median ratio theirs / ours, the two alternating; the first pair warms up."""
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(repeats + 1)][1:]
    ours_ms, theirs_ms = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
    return ours_ms, theirs_ms, statistics.median(b / a for a, b in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", default=",".join(PEERS), help="comma-separated (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=7, help="pairs of runs (default: %(default)s)")
    args = parser.parse_args()
    print(f"PyTorch {torch.__version__}, NumPy {np.__version__}, {torch.get_num_threads()} threads, float32")
    columns = ["every step: ours ms", "PyTorch ms", "ratio", "last step: ours ms", "PyTorch ms", "ratio", "last/every"]
    print(f"| T, B, in, H | cell | {' | '.join(columns)} |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    ratios = {}
    for T, B, n, H in SIZES:
        rng = np.random.default_rng(0)
        x = rng.normal(size=(T, B, n)).astype("float32")
        for name in args.cells.split(","):
            cell_class, options = CELLS[name]
            cell = cell_class(n, H, rng=0, dtype="float32", **options)
            module = PEERS[name](n, H)
            dh = (rng.normal(size=(T, B, cell.output_size)) / T).astype("float32")
            cells = []
            for last in (False, True):
                row = compare(our_step(cell, x, dh, last), their_step(module, x, dh, last), args.repeats)
                ratios.setdefault((name, last), []).append(row[2])
                cells.append(row)
            (oe, te, re), (ol, tl, rl) = cells
            row = f"| {oe:.0f} | {te:.0f} | {re:.2f} | {ol:.0f} | {tl:.0f} | {rl:.2f} | {ol / oe:.2f} |"
            print(f"| {T}, {B}, {n}, {H} | {name} {row}", flush=True)
    for (name, last), values in ratios.items():
        mean = statistics.geometric_mean(values)
        when = "the last step" if last else "every step"
        print(f"{name}, loss at {when}: geometric mean {mean:.2f}, least {min(values):.2f}")


if __name__ == "__main__":
    main()

"""How the cost of the unitary RNN grows with its size n: `python benchmarks/urnn_cost.py`.

Seconds for one time step, forward and backward, float32; n = 2^10 ... 2^17 by default. A dense recurrent matrix costs
O(n^2); diagonal phases, reflections, a permutation and Fourier transforms O(n log n). The exponent is the slope of
log(seconds) against log(n), by least squares over all sizes and between neighbours. The sizes take turns, round after
round, and the least time of each counts: the cost grows with n, other people's programs do not.
"""

import argparse
import time

import numpy as np

import tinyrnn as tr


def training_step(n, T, B, compiled):
    """A function that runs `T` steps of `n` complex units forward and backward."""
    rng = np.random.default_rng(0)
    cell = tr.UnitaryRNN(1, n, rng=0, dtype="float32")
    cell.compile() if compiled else cell.interpret()
    x = rng.normal(size=(T, B, 1)).astype("float32")
    dh = rng.normal(size=(T, B, cell.output_size)).astype("float32")

    def step():
        start = time.perf_counter()
        cell.backward(dh, cell.forward(x)[1])
        return (time.perf_counter() - start) / T

    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mode", choices=["plain", "compiled"], default="compiled", help="default: %(default)s")
    parser.add_argument("--first", type=int, default=10, help="log2 of the smallest n (default: %(default)s)")
    parser.add_argument("--last", type=int, default=17, help="log2 of the largest n (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=8, help="time steps T (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=4, help="sequences B (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=7, help="rounds (default: %(default)s)")
    args = parser.parse_args()
    sizes = 2 ** np.arange(args.first, args.last + 1)
    steps = [training_step(int(n), args.steps, args.batch, args.mode == "compiled") for n in sizes]
    for step in steps:
        step()
    seconds = np.min([[step() for step in steps] for _ in range(args.repeats)], axis=0)
    print(f"T={args.steps}, B={args.batch}, float32, {args.mode}, NumPy {np.__version__}\n")
    print("| n | ms a step | exponent from the size before |\n|---:|---:|---:|")
    local = np.diff(np.log(seconds)) / np.diff(np.log(sizes))
    for n, s, slope in zip(sizes, seconds, ["–", *(f"{value:.2f}" for value in local)], strict=True):
        print(f"| {n} | {1e3 * s:.3f} | {slope} |")
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    print(f"\nfitted exponent of the cost in n: {exponent:.2f}")


if __name__ == "__main__":
    main()

"""A delay line learns its amplifiers: run me when `line_memory_backward` is right.

By your gradient, the line is trained to remember as much as it can, all lags alike, while each gain costs something.
Nothing here is graded.
"""

import numpy as np
from ex6_nonnormal import line_memory, line_memory_backward

n, PRICE = 40, 0.02
noise = np.ones(n)
gains = np.full(n - 1, 0.5)


def curve(J):
    """A memory curve as a row of blocks."""
    return "".join(" ▁▂▃▄▅▆▇█"[round(8 * min(1.0, j))] for j in J)


for update in range(2001):
    J = line_memory(gains, noise)
    if update in (0, 20, 100, 500, 2000):
        print(
            f"{update:5d} updates: total memory {J.sum():5.2f} of at most {n}, mean gain {gains.mean():.2f}  {curve(J)}"
        )
    dgains, _ = line_memory_backward(np.ones(n), gains, noise)
    gains = gains + 0.02 * (dgains - PRICE * gains**3)
print("Gains of the first ten links:", np.round(gains[:10], 2), "and of the last ten:", np.round(gains[-10:], 2))

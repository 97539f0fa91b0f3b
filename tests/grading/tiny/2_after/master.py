"""The unit over a sequence."""

import numpy as np
from ex1_tiny import leaky


def run(x, h0, W, a):
    """x (T, B, D), h0 (B, H) -> hs (T, B, H) and the last h (B, H)."""
    # BEGIN SOLUTION
    h, hs = h0, []
    for t in range(len(x)):
        h = leaky(x[t], h, W, a)
        hs.append(h)
    return np.stack(hs), h
    # END SOLUTION

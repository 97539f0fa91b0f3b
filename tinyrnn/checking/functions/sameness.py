"""Whether two results are the same but for rounding."""

import numpy as np

SAME = 1e-10  # relative: results that agree to this are the same, whatever order they were added up in


def close(a, b, tolerance):
    """Equal but for rounding."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    scale = max(abs(a).max(initial=0), abs(b).max(initial=0))
    return bool(np.all((abs(a - b) <= tolerance * scale) | (a == b) | (np.isnan(a) & np.isnan(b))))

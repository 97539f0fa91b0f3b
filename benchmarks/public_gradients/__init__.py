"""Functions with hand-written gradients that others published, and mistakes planted in them: see planting.py.

Half of the functions, drawn by lot, were held out: no checker was run on them, and nobody who worked on one was told of
them, until the figures in ../README.md were made.
"""

import random

from . import from_numpy_ml, from_others, from_scipy, from_sklearn, from_statsmodels, from_thinc

MODULES = from_scipy, from_sklearn, from_statsmodels, from_numpy_ml, from_thinc, from_others
CASES = [case for module in MODULES for case in module.CASES]
HELD_OUT = set(random.Random(17).sample(sorted(case.name for case in CASES), len(CASES) // 2))
HALVES = {
    "development": [case for case in CASES if case.name not in HELD_OUT],
    "held out": [case for case in CASES if case.name in HELD_OUT],
}

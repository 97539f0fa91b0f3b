"""What annotations say.

Arrays are NumPy's or CuPy's, or of another module that keeps to the array API standard; to type checkers they are
NumPy's, which is what most are.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Seed: TypeAlias = int | np.random.Generator | None  # of whatever is drawn; None: another each time
Parts: TypeAlias = tuple[Array, ...]  # of a state or its gradient, each (B, n)
Weights: TypeAlias = dict[str, Array]  # name -> parameter, or its gradient

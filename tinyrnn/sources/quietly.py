"""A place to run other people's functions in."""

import contextlib
from collections.abc import Iterator

import numpy as np

from tinyrnn.sources.user_file import explained, silence


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Meanwhile nothing is printed and NumPy warns of nothing; its global random state is afterwards what it was
    before; an error that comes out of somebody's code becomes a ValueError that says where."""
    before = np.random.get_state()  # noqa: NPY002
    try:
        with explained(), silence(), np.errstate(all="ignore"):
            yield
    finally:
        np.random.set_state(before)  # noqa: NPY002

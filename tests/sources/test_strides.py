"""Views with strides of their own: what a program asks for beyond an array's memory is an error, and no crash."""

import numpy as np
import pytest
from numpy.lib import stride_tricks

from tinyrnn.sources.strides import as_strided


@pytest.mark.parametrize(
    ("begin", "shape", "strides"),
    [
        (0, (3, 2, 2), (32, 8, 8)),
        (1, (2, 2), (32, 8)),
        (5, (2, 2), (-32, 8)),
        (0, (4, 3), (0, 8)),
        (0, (0, 9), (8, 999)),
    ],
)
def test_a_view_within_the_memory_is_that_of_numpy(begin, shape, strides):
    x = np.arange(12.0).reshape(3, 4).ravel()[begin:]
    assert np.array_equal(as_strided(x, shape, strides), stride_tricks.as_strided(x, shape, strides))


@pytest.mark.parametrize(
    ("begin", "shape", "strides"), [(0, (3, 5), (32, 8)), (1, (3, 4), (32, 8)), (0, (2,), (-8,)), (0, (2,), (10**9,))]
)
def test_a_view_beyond_the_memory_is_an_error(begin, shape, strides):
    x = np.arange(12.0)[begin:]
    with pytest.raises(ValueError, match="beyond the memory"):
        as_strided(x, shape, strides)

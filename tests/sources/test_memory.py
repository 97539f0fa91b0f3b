"""What is tried out may not take all memory: it gets an error of its own, and nothing else does."""

import os

import numpy as np
import pytest

from tinyrnn.sources.memory import PART, SIZES, bounded_memory

pytestmark = pytest.mark.skipif(not SIZES.exists(), reason="the system tells no process how much memory it has")


def more_than_allowed():
    return np.empty(int(1.5 * PART * os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"), np.uint8)  # not touched


def test_an_array_of_more_than_a_part_of_all_memory_is_refused_in_the_block_and_not_behind_it():
    with bounded_memory(), pytest.raises(MemoryError):
        more_than_allowed()
    assert more_than_allowed().size


def test_the_limit_ends_with_an_error_too_and_a_lower_one_is_left():
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(ValueError), bounded_memory():
        within = resource.getrlimit(resource.RLIMIT_AS)
        with bounded_memory():
            assert resource.getrlimit(resource.RLIMIT_AS)[0] <= within[0]
        raise ValueError
    assert resource.getrlimit(resource.RLIMIT_AS) == before != within

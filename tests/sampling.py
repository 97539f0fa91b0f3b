"""Samples of what is many and much alike: always the same ones, others with --hypothesis-profile=random, all of them
with --whole. Of a parametrised test: `@pytest.mark.sample(8)`; of anything else: `sample`."""

import os
import zlib

import hypothesis
import pytest

whole = False


def seed():
    """The same in all processes of a run."""
    if hypothesis.settings().derandomize:
        return ""
    return os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())


def sample(many, n, name=str):
    """n of `many`, in their order; which ones depends on their names alone, so that others come and go beside them."""
    if whole:
        return list(many)
    drawn = sorted(many, key=lambda each: zlib.crc32(f"{seed()}{name(each)}".encode()))[:n]
    return [each for each in many if any(each is one for one in drawn)]


class Sampling:
    """A pytest plugin: leaves out what is not in the sample, but for expected failures, which are all to be seen."""

    def __init__(self, config):
        global whole
        whole = config.option.whole

    @pytest.hookimpl(trylast=True)  # of what is chosen with -m and -k
    def pytest_collection_modifyitems(self, config, items):
        groups, left_out = {}, set()
        for item in items:
            mark = item.get_closest_marker("sample")
            if mark and not item.get_closest_marker("xfail"):
                groups.setdefault((item.path, item.originalname, *mark.args), []).append(item)
        for (*_, n), group in groups.items():
            left_out |= set(group) - set(sample(group, n, lambda item: item.name))
        if left_out:
            config.hook.pytest_deselected(items=[item for item in items if item in left_out])
            items[:] = [item for item in items if item not in left_out]

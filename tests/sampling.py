"""Samples of what is many and much alike: always the same ones, others with --hypothesis-profile=random, all of them
with --whole. Of a parametrised test: `@pytest.mark.sample(8)`; of anything else: `sample`.

`@pytest.mark.few(3)` draws which three cases of a parametrised test run by default; the others are slow tests."""

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
    return list(many) if whole else draw(many, n, name)


def draw(many, n, name):
    drawn = sorted(many, key=lambda each: zlib.crc32(f"{seed()}{name(each)}".encode()))[:n]
    return [each for each in many if any(each is one for one in drawn)]


class Sampling:
    """A pytest plugin: leaves out what is not in the sample, but for expected failures, which are all to be seen; and
    of the cases of which few are run by default, marks the others as slow."""

    def __init__(self, config):
        global whole
        whole = config.option.whole

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, config, items):
        for n, group in marked(items, "few", but="slow"):  # before those that are slow are left out
            for item in set(group) - set(draw(group, n, lambda item: item.name)):
                item.add_marker(pytest.mark.slow)
        result = yield
        left_out = set()
        for n, group in marked(items, "sample", but="xfail"):  # of what is chosen with -m and -k
            left_out |= set(group) - set(sample(group, n, lambda item: item.name))
        if left_out:
            config.hook.pytest_deselected(items=[item for item in items if item in left_out])
            items[:] = [item for item in items if item not in left_out]
        return result


def marked(items, mark, but):
    """(n, the items) of each test marked with `mark(n)`, without those that are marked with `but`."""
    groups = {}
    for item in items:
        found = item.get_closest_marker(mark)
        if found and not item.get_closest_marker(but):
            groups.setdefault((item.path, item.originalname, *found.args), []).append(item)
    return [(n, group) for (*_, n), group in groups.items()]

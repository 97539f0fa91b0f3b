"""The contract suite, tested: every bug in `mutants.py`, planted in turn, must be noticed by the check meant for it."""

import contextlib
import inspect
import linecache
import textwrap
from unittest import mock

import pytest
from mutants import MUTANTS

from tinyrnn.core.signatures import keyword_names


@contextlib.contextmanager
def planted(mutant):
    """The mutant's function in place of the right one."""
    original = vars(mutant.owner)[mutant.function]
    source = textwrap.dedent(inspect.getsource(original))
    for old, new in mutant.edits.items():
        assert source.count(old) == 1, (
            f"{mutant.owner.__name__}.{mutant.function} has {old!r} {source.count(old)} times: rewrite this mutant"
        )
        source = source.replace(old, new)
    namespace, filename = {}, f"<{mutant.bug}>"
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename  # for those who read sources
    exec(compile(source, filename, "exec"), original.__globals__, namespace)
    function = namespace[mutant.function]
    needs = {"step_backward": "step_needs", "gradients": "gradients_needs"}.get(mutant.function)
    with contextlib.ExitStack() as patches:
        patches.enter_context(mock.patch.object(mutant.owner, mutant.function, function))
        if needs and inspect.isclass(mutant.owner):
            patches.enter_context(mock.patch.object(mutant.owner, needs, keyword_names(function)))
        yield


@pytest.mark.few(8)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.bug)
def test_bug_is_noticed(mutant):
    with planted(mutant), pytest.raises(mutant.error):
        mutant.check(mutant.case)
    mutant.check(mutant.case)  # it is the bug that was noticed


def test_mutants_that_no_longer_fit_the_source_are_reported():
    stale = MUTANTS[0]._replace(edits={"no such line": ""})
    with pytest.raises(AssertionError, match="rewrite this mutant"), planted(stale):
        pass


def test_the_bugs_differ():
    assert len({mutant.bug for mutant in MUTANTS}) == len(MUTANTS) >= 24
    assert len({(m.owner, m.function, *m.edits.items()) for m in MUTANTS}) == len(MUTANTS)

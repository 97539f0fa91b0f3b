"""A program that reports at some of its sites alone does there what it does when it reports everywhere."""

import copy
import gc
import importlib.util
import weakref

import odd_specimens
import pytest
import specimens
from test_rewriting import bits

from tinyrnn.sources import Program

CASES = [*specimens.CASES, *odd_specimens.RARE]


def programs(function):
    """A program that reports everywhere, and one that may be told not to."""
    others = [getattr(specimens, name) for name in ("generator", "factorial") if name != function.__name__]
    for reports in (0, 10**6):
        program = Program([function, *others], uses=True)
        program.reports = reports
        yield program


def ran(program, function, args, watch, **options):
    """(what comes back, [(where, what) was reported]) of a run."""
    told = []

    def noting(site, value, key=None):
        told.append((site, bits(value) if isinstance(value, float | int | str) else type(value)))
        return value

    returned = program.run(noting if watch else None, lambda p: p[function](*copy.deepcopy(args)), **options)
    return bits(returned), told


@pytest.mark.parametrize("function, args", [(f, args) for f, *args in CASES])
def test_a_site_reports_the_same_alone_and_among_all_others(function, args):
    function = getattr(function, "__wrapped__", function)
    every, some = programs(function)
    returned, told = ran(every, function, args, True)
    assert ran(some, function, args, False) == (returned, [])
    for site in dict.fromkeys(site for site, _ in told):
        own = [one for sites in some.sites.values() for one in sites if one == site]  # several are
        wanted = [(one, what) for one, what in told if one == site]
        assert ran(some, function, args, True, sites=own) == (returned, wanted)
    assert ran(some, function, args, True) == (returned, told)  # and all of them again


def test_what_runs_as_other_code_for_now_is_left_so():
    def doubled(x):
        y = 2 * x
        return y

    program = Program([doubled])
    program.reports, made = 10**6, program[doubled]
    before, made.__code__ = made.__code__, (lambda x: x + 1).__code__
    assert program.run(None, lambda p: p[doubled](3)) == 4
    made.__code__ = before
    assert program.run(None, lambda p: p[doubled](3)) == 6 and made.__code__ is not before
    assert ran(program, doubled, [3], True)[1] and made.__code__ is before


def test_a_function_that_was_rewritten_is_not_kept_for_ever(tmp_path):
    def run_once():
        path = tmp_path / "passing.py"
        path.write_text("def f(x):\n    y = x + 1\n    return y\n")
        spec = importlib.util.spec_from_file_location("passing", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert Program([module.f]).run(None, lambda p: p[module.f](1)) == 2
        return weakref.ref(module.f)

    function = run_once()
    gc.collect()
    assert function() is None

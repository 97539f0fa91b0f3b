"""Where the compiler must step back, and what it is made of: odd cells, no C compiler, a broken one, a cache that
cannot be written. Whatever happens, the numbers are those of the plain path."""

import os

import numpy as np
import pytest
from comparing import (
    assert_agree,
    assert_compiles,
    compare,
    compiled,
    needs_compiler,
    perturbed,
    plain,
    probe_for,
    results,
)
from comparing import cache as cache
from odd_cells import ALONE, TAKEN, Odd

import tinyrnn as tr
from tinyrnn.compiler import build
from tinyrnn.core.ops import affine, tanh

pytestmark = [
    pytest.mark.usefixtures("cache"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # some divide by zero on purpose
]
ODD_BOUND = {"float64": 1e-11, "float32": 2e-5}  # they amplify rounding more than cells do


def odd_probe(cell, index=False, masked=False):
    rng = np.random.default_rng(1)
    probe = probe_for(cell, 5, 4, rng, masked)
    return probe._replace(x=rng.integers(0, cell.input_size, (5, 4))) if index else probe


KINDS = [
    pytest.param({}, "float64", id="float64"),
    pytest.param({"index": True, "masked": True}, "float32", id="float32"),
]


@needs_compiler
@pytest.mark.parametrize(
    "kind, dtype", [KINDS[0], pytest.param(*KINDS[1].values, marks=pytest.mark.slow, id="float32")]
)
@pytest.mark.parametrize("name", ALONE)
def test_what_the_compiler_does_not_know_runs_as_it_stands_and_says_why(name, kind, dtype):
    cell = ALONE[name](3, 6, rng=0, dtype=dtype)
    fast = compare(cell, odd_probe(cell, **kind), bound=ODD_BOUND[dtype])
    assert fast.runner.why_not and all("\n" not in reason for reason in fast.runner.why_not.values())


@needs_compiler
@pytest.mark.parametrize(
    "kind, dtype", [pytest.param(*KINDS[0].values, marks=pytest.mark.slow, id="float64"), KINDS[1]]
)
@pytest.mark.parametrize("name", TAKEN)
def test_odd_cells_are_compiled_right(name, kind, dtype):
    cell = TAKEN[name](3, 6, rng=0, dtype=dtype)
    assert_compiles(compare(cell, odd_probe(cell, **kind), bound=ODD_BOUND[dtype]))


def test_rows_that_are_looked_up_and_then_multiplied_or_scaled():
    class Embedded(Odd):
        def project(self, p, x):
            return affine(x, p.W) @ p.R + affine(x, 0.5 * p.W) + affine(x, p.W[:, ::-1])

    cell = Embedded(3, 6, rng=0)
    for index in (False, True):
        compare(cell, odd_probe(cell, index))


def test_a_state_that_is_broadcast_from_one_number_a_row():
    class Narrow(Odd):
        def f(self, p, a, h):
            return tanh(a + h).sum(axis=-1, keepdims=True)

    cell = Narrow(3, 6, rng=0)
    for masked in (False, True):
        compare(cell, odd_probe(cell, masked=masked))


def test_class_numbers_that_the_backward_pass_asks_for():
    class Asking(Odd):
        def step_backward(self, p, dh, *, x):
            da = dh * (1 + 0.1 * x[..., None]) if x.ndim == 1 else dh
            return da, (da @ p.R.T,)

    cell = Asking(3, 6, rng=0)
    for index in (False, True):
        compare(cell, odd_probe(cell, index))


LITERATURE = [tr.MultiplicativeRNN, tr.EURNN, tr.KroneckerRNN, tr.HouseholderRNN, tr.SCRN]


@pytest.mark.parametrize("cell", LITERATURE, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="plain"),
        pytest.param({"learn_state": True, "clip_state": 0.7}, id="learned, clipped", marks=pytest.mark.slow),
    ],
)
def test_cells_of_the_literature_agree_compiled_or_not(cell, options):
    cell = cell(3, 6, rng=0, **options)
    compare(cell, probe_for(cell, 20, 3, np.random.default_rng(0), masked=True))


def test_a_students_own_functions_run_as_they_stand():
    def step(p, x, state):
        h = np.tanh(x @ p["W"] + state[0] @ p["R"])
        return (h,), {"x": x, "h": h, "h_prev": state[0]}

    def step_backward(p, cache, dstate):
        da = dstate[0] * (1 - cache["h"] ** 2)
        return da @ p["W"].T, (da @ p["R"].T,), {"W": cache["x"].T @ da, "R": cache["h_prev"].T @ da}

    rng = np.random.default_rng(0)
    params = {"W": rng.normal(size=(3, 6)), "R": rng.normal(0, 0.3, (6, 6))}
    cell = tr.StepCell(step, step_backward, params=params, input_size=3, state_sizes=6)
    fast = compare(cell, odd_probe(cell))
    assert set(fast.runner.why_not) == {"forward", "backward", "gradients"}


# the C compiler -------------------------------------------------------------------------------------------------------


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Nothing is remembered of compilers and libraries, before and after; returns the cache folder of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    remembered = build.find_compiler, build.machine, build.loaded
    for function in remembered:
        function.cache_clear()
    yield tmp_path / "cache" / "tinyrnn" / "compiled"
    monkeypatch.undo()
    for function in remembered:
        function.cache_clear()


def runs_plainly_because(reason):
    cell = perturbed(tr.LSTM(3, 5, rng=0), np.random.default_rng(0))
    probe = odd_probe(cell, masked=True)
    fast = compiled(cell)
    assert_agree(results(fast, probe), results(plain(cell), probe))
    assert set(fast.runner.why_not) == {"forward", "backward", "gradients"}
    for why in fast.runner.why_not.values():
        assert reason in why and "\n" not in why


def test_without_a_c_compiler_cells_run_plainly(fresh, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    runs_plainly_because("found no C compiler (looked for cc, gcc, clang)")


def test_a_compiler_named_by_CC_that_is_not_there(fresh, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    runs_plainly_because("looked for no-such-compiler")


@needs_compiler
def test_a_broken_compiler_is_quoted_with_its_first_error(fresh, monkeypatch, tmp_path):
    broken = tmp_path / "broken-cc"
    broken.write_text("#!/bin/sh\necho 'cell.c:1: note: hm' >&2\necho 'cell.c:2: error: out of ideas' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    runs_plainly_because("failed: cell.c:2: error: out of ideas")
    assert list(fresh.iterdir()) == []


@needs_compiler
def test_a_compiler_that_makes_no_library(fresh, monkeypatch, tmp_path):
    lazy = tmp_path / "lazy-cc"
    lazy.write_text('#!/bin/sh\nwhile [ $# -gt 0 ]; do [ "$1" = -o ] && echo junk > "$2"; shift; done\n')
    lazy.chmod(0o755)
    monkeypatch.setenv("CC", str(lazy))
    runs_plainly_because("cannot load what was compiled")


@needs_compiler
def test_a_cache_folder_that_cannot_be_written(fresh, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    runs_plainly_because("cannot write")


@needs_compiler
def test_libraries_are_kept_under_a_name_that_depends_on_text_flags_and_compiler(fresh, monkeypatch):
    text = "int answer(void) { return %d; }"
    assert build.load(text % 1).answer() == 1
    (first,) = fresh.iterdir()
    stamp = first.stat().st_mtime_ns
    build.loaded.cache_clear()
    assert build.load(text % 1).answer() == 1
    assert [path.stat().st_mtime_ns for path in fresh.iterdir()] == [stamp], "it was compiled again"
    assert build.load(text % 2).answer() == 2
    assert len(list(fresh.iterdir())) == 2
    build.machine.cache_clear()
    monkeypatch.setattr(build, "FLAGS", [*build.FLAGS, "-O1"])
    build.loaded.cache_clear()
    build.load(text % 1)
    assert len(list(fresh.iterdir())) == 3
    assert not [name for name in os.listdir(fresh) if not name.endswith(".so")]


@needs_compiler
def test_a_library_that_cannot_be_loaded_any_more_is_compiled_again(fresh):
    text = "int answer(void) { return 3; }"
    build.load(text)
    (library,) = fresh.iterdir()
    library.unlink()
    library.write_text("damaged")
    build.loaded.cache_clear()
    assert build.load(text).answer() == 3


@needs_compiler
def test_of_too_many_libraries_the_oldest_are_deleted(fresh, monkeypatch):
    monkeypatch.setattr(build, "KEPT", 2)
    for k in range(4):
        assert build.load(f"int answer(void) {{ return {k}; }}").answer() == k
        for age, path in enumerate(sorted(fresh.iterdir(), key=os.path.getmtime, reverse=True)):
            os.utime(path, (1e9 - age, 1e9 - age))
        assert len(list(fresh.iterdir())) == min(k + 1, 2)

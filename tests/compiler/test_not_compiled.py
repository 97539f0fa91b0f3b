"""Where the compiler must step back: odd cells, and those of the literature. Whatever happens, the numbers are those of
the plain path."""

import numpy as np
import pytest
from comparing import (
    assert_compiles,
    compare,
    needs_compiler,
    partly_compiled,
    probe_for,
)
from comparing import cache as cache
from odd_cells import ALONE, TAKEN, Odd
from sampling import sample

import tinyrnn as tr
from tinyrnn.core.ops import affine, tanh

pytestmark = [
    pytest.mark.usefixtures("cache"),
    partly_compiled,
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


def a_few_quick(names):
    """Each is another kernel to be compiled: all but some are slow tests."""
    quick = sample(names, 4)
    return [pytest.param(name, marks=[pytest.mark.slow] * (name not in quick)) for name in names]


@pytest.mark.sample(12)
@pytest.mark.few(2)
@needs_compiler
@pytest.mark.parametrize("kind, dtype", KINDS)
@pytest.mark.parametrize("name", a_few_quick(ALONE))
def test_what_the_compiler_does_not_know_runs_as_it_stands_and_says_why(name, kind, dtype):
    cell = ALONE[name](3, 6, rng=0, dtype=dtype)
    fast = compare(cell, odd_probe(cell, **kind), bound=ODD_BOUND[dtype])
    assert fast.runner.why_not and all("\n" not in reason for reason in fast.runner.why_not.values())


@pytest.mark.sample(12)
@pytest.mark.few(1)
@needs_compiler
@pytest.mark.parametrize("kind, dtype", KINDS)
@pytest.mark.parametrize("name", a_few_quick(TAKEN))
def test_odd_cells_are_compiled_right(name, kind, dtype):
    cell = TAKEN[name](3, 6, rng=0, dtype=dtype)
    assert_compiles(compare(cell, odd_probe(cell, **kind), bound=ODD_BOUND[dtype]))


@needs_compiler
def test_who_wanted_it_compiled_is_told_once_of_each_part_that_runs_as_it_stands():
    cell = ALONE["branches_on_a_value"](3, 6, rng=0).compile()
    with pytest.warns(UserWarning, match="uncompiled: the cell looks at single rows") as told:
        for masked in (False, True, False):
            probe = odd_probe(cell, masked=masked)
            cell.forward(probe.x, probe.state, probe.mask)
    assert len(told) == 1


@needs_compiler
def test_a_mistake_of_the_compilers_own_costs_speed_only_but_is_an_error_in_tests(monkeypatch):
    cell = tr.GRU(3, 6, rng=0)
    monkeypatch.setattr("tinyrnn.compiler.draft.print_c", lambda *arguments: {}["a slip"])
    with pytest.raises(KeyError, match="a slip"):
        compare(cell, odd_probe(cell))
    monkeypatch.setenv("TINYRNN_STRICT_COMPILER", "0")
    with pytest.warns(UserWarning, match="uncompiled: the compiler fails with KeyError: 'a slip'$") as told:
        fast = compare(cell, odd_probe(cell))
    assert len(told) == 1 and set(fast.runner.why_not) == {"forward", "backward", "gradients"}


@needs_compiler
def test_a_mistake_of_the_compilers_own_while_the_cell_runs_is_told_from_what_the_cell_does(monkeypatch):
    cell = tr.GRU(3, 6, rng=0).compile()
    monkeypatch.setattr("tinyrnn.compiler.trace.Trace.fold", None)
    with pytest.raises(TypeError, match="not callable"):
        cell.forward(odd_probe(cell).x)
    monkeypatch.setenv("TINYRNN_STRICT_COMPILER", "0")
    with pytest.warns(UserWarning, match="uncompiled: the cell raises TypeError: 'NoneType' object is not callable$"):
        cell.forward(odd_probe(cell).x)


def test_explain_speaks_of_what_a_cell_raises():
    text = tr.explain(ALONE["uses_a_method_of_arrays"](3, 6, rng=0))
    assert "Forward: runs as it stands, for the cell raises AttributeError: 'Traced' object has no attribute" in text


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("cell", LITERATURE, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="plain"),
        pytest.param({"learn_state": True, "clip_state": 0.7}, id="learned, clipped"),
    ],
)
def test_cells_of_the_literature_agree_compiled_or_not(cell, options):
    cell = cell(3, 6, rng=0, **options)
    compare(cell, probe_for(cell, 20, 3, np.random.default_rng(0), masked=True))


@needs_compiler
@pytest.mark.parametrize("dtype", ["bool", "int64", "float64"])
def test_gradients_of_what_is_kept_or_handed_on_in_another_dtype_run_as_they_stand(dtype):
    """Compiled, they would read other bytes than numbers of the cell's own."""

    class Handing(Odd):
        def step(self, p, a, h_prev):
            z = a + h_prev @ p.R
            on = np.asarray(z > 0)  # which keeps the steps from being compiled
            return (z * on,), {"on": on.astype(dtype)}

        def step_backward(self, p, dh, *, on):
            da = dh * on
            return da.astype("float64") if dtype == "float64" else da, (np.asarray(da @ p.R.T, dh.dtype),)

        def gradients(self, p, x, da, *, on):
            return super().gradients(p, x, (da * on).astype(p.W.dtype))

    cell = Handing(3, 6, rng=0, dtype="float32")
    fast = compare(cell, odd_probe(cell), bound=ODD_BOUND["float32"])
    assert fast.runner.why_not["gradients"].startswith("makes ")


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

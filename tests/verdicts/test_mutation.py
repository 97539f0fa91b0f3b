"""Mutants: every kind on a small function made for it, and all of them on the package's own backward passes."""

import ast
import functools
import inspect
import linecache
import sys

import numpy as np
import pytest

from tinyrnn.cells import GRU, LSTM
from tinyrnn.cells.parts import blocks
from tinyrnn.cells.unitary import modrelu_backward
from tinyrnn.nn import heads, losses
from tinyrnn.optim import optimisers
from tinyrnn.sources import NoSource, compile_function
from tinyrnn.sources.mutation import combine
from tinyrnn.sources.mutation import making as mutation
from tinyrnn.sources.mutation.rules import KINDS

mutants = functools.cache(mutation.mutants)
BACKWARD = [f for name, f in vars(blocks).items() if name.endswith(("_backward", "_gradient"))]
OURS = [LSTM.step_backward, GRU.step_backward, GRU.gradients, modrelu_backward, *BACKWARD]
OURS += [losses.softmax_cross_entropy_backward, optimisers.Adam.update, heads.PooledReadout.backward]
each_of_ours = pytest.mark.parametrize("function", OURS, ids=lambda f: f.__qualname__)


def changes(function, kind):
    return {f"{m.before} -> {m.after}" for m in mutants(function) if m.kind == kind}


def all_mutants(function):
    """Its mutants, of which there are some: a loop over none would find nothing wrong."""
    made = list(mutants(function))
    assert len(made) >= 2  # of a Fourier transform: no carry, or another sign
    return made


def squeezed(text):
    """Source without what `ast.unparse` may have changed: spaces, needless brackets, quotes."""
    return "".join(c for c in text if c not in " ()\"'\n")


# one function for each kind -------------------------------------------------------------------------------------------


def test_operators_and_comparisons_are_swapped_for_their_opposites():
    def f(a, b):
        a *= b @ (a + b)
        return a / (a - b) > b

    assert changes(f, "operator swapped") == {
        "a *= b @ (a + b) -> a /= b @ (a + b)",
        "a + b -> a - b",
        "a / (a - b) > b -> a / (a - b) < b",
        "a / (a - b) -> a * (a - b)",
        "a - b -> a + b",
    }


def test_signs_of_results_and_terms_are_flipped():
    def f(a, b):
        c = a * b
        d, e = c, -c * a
        d, e = f(d, e)
        return a + b - c, {"d": -d, "e": e if a else b}

    assert changes(f, "sign flipped") == {
        "a * b -> -(a * b)",
        "c -> -c",
        "-c -> c",
        "a + b - c -> -(a + b - c)",
        "a -> -a",
        "-d -> d",
        "e -> -e",
        "b -> -b",
    }


def test_terms_are_dropped_with_their_sign_and_without():
    def f(a, b):
        return a + b, 1 - a

    assert changes(f, "term dropped") == {"a + b -> a", "a + b -> b", "1 - a -> 1", "1 - a -> -a", "1 - a -> a"}


def test_factors_and_divisors_are_dropped():
    def f(a, b):
        return a * b, a @ b, a / b

    assert changes(f, "factor dropped") == {
        *("a * b -> a", "a * b -> b", "a @ b -> a", "a @ b -> b"),
        *("a / b -> a", "a / b -> 1 / b"),
    }


def test_transposes_are_dropped_and_added():
    def f(a, p):
        return a @ p.W.T + (a * a) @ a

    assert changes(f, "transpose dropped") == {"p.W.T -> p.W"}
    assert changes(f, "transpose added") == {"a -> a.T", "a * a -> (a * a).T"}


def test_names_are_swapped_for_arrays_that_are_already_there():
    def f(p, a, b=0):
        c = np.tanh(p.V @ a)
        d = c * p.W
        return d

    swapped = {(m.line - f.__code__.co_firstlineno, m.before, m.after) for m in mutants(f) if m.kind == "name swapped"}
    assert swapped == {
        *((1, "p.V", "p.W"), (1, "a", "b")),
        *((2, "c", "a"), (2, "c", "b"), (2, "p.W", "p.V")),
        *((3, "d", "a"), (3, "d", "b"), (3, "d", "c")),
    }


def test_names_are_swapped_across_entries_of_dicts_and_attributes_of_attributes():
    def f(self, cache, dh, grads):
        dh = dh * cache["i"] * cache["f"]
        grads["dW"] = self.dx = self.params.W @ self.params.U
        return dh

    assert changes(f, "name swapped") == {
        *("cache['i'] -> cache['f']", "cache['f'] -> cache['i']"),
        *("self.params.W -> self.params.U", "self.params.U -> self.params.W"),
    }


def test_variables_of_a_comprehension_stay_inside_it():
    def f(a, b):
        c = [d + a for d in b]
        return c

    assert changes(f, "name swapped") == {"a -> b", "b -> a", "c -> a", "c -> b"}


def test_arguments_are_exchanged_two_at_a_time():
    def f(a, b):
        return np.where(a, b, 0) + a.clip(b, max=a)

    assert changes(f, "arguments exchanged") == {
        f"np.where(a, b, 0) -> np.where({swapped})" for swapped in ("b, a, 0", "0, b, a", "a, 0, b")
    }


def test_indices_and_slices_are_shifted_by_one():
    def f(a, b):
        for t in range(9):
            a[t] = a[t - 1] + a[..., 2]
        return a[b], a[1:-1], a[: b + 1, ::2], a[::-1]

    assert changes(f, "index shifted") == {
        *("a[t] -> a[t - 1]", "a[t] -> a[t + 1]", "a[t - 1] -> a[t]", "a[t - 1] -> a[t - 2]"),
        *("a[..., 2] -> a[..., 1]", "a[..., 2] -> a[..., 3]"),
        *("a[1:-1] -> a[0:-1]", "a[1:-1] -> a[2:-1]", "a[1:-1] -> a[1:-2]", "a[1:-1] -> a[1:0]"),
        *("a[:b + 1, ::2] -> a[:b, ::2]", "a[:b + 1, ::2] -> a[:b + 2, ::2]"),
        *("a[:b + 1, ::2] -> a[:b + 1, ::1]", "a[:b + 1, ::2] -> a[:b + 1, ::3]"),
        "a[::-1] -> a[:]",
    }


def test_squares_are_lost_however_they_are_written():
    def f(a, b):
        return a * a + b**2 + b**0.5

    assert changes(f, "power changed") == {"a * a -> a", "b ** 2 -> b", "b ** 2 -> b ** 3", "b ** 0.5 -> b"}


def test_reductions_are_dropped_or_taken_over_other_axes():
    def f(a, xp):
        return a.sum(axis=0), xp.mean(a, -1), a.sum(axis=(0, 1), keepdims=True)

    assert changes(f, "reduction changed") == {
        *("a.sum(axis=0) -> a", "a.sum(axis=0) -> a.mean(axis=0)"),
        *("a.sum(axis=0) -> a.sum()", "a.sum(axis=0) -> a.sum(axis=1)"),
        *("xp.mean(a, -1) -> a", "xp.mean(a, -1) -> xp.sum(a, -1)"),
        *("xp.mean(a, -1) -> xp.mean(a)", "xp.mean(a, -1) -> xp.mean(a, 0)"),
        "a.sum(axis=(0, 1), keepdims=True) -> a",
        "a.sum(axis=(0, 1), keepdims=True) -> a.mean(axis=(0, 1), keepdims=True)",
        "a.sum(axis=(0, 1), keepdims=True) -> a.sum(keepdims=True)",
        "a.sum(axis=(0, 1), keepdims=True) -> a.sum(axis=(0,), keepdims=True)",
        "a.sum(axis=(0, 1), keepdims=True) -> a.sum(axis=(1,), keepdims=True)",
    }


def test_what_is_carried_or_handed_back_is_lost():
    def f(a, b):
        b = a * a
        b = b + a
        a += b
        return a, {"b": b}

    assert changes(f, "carry missing") == {"a += b -> a = b", "b + a -> 0 * (b + a)", "a -> 0 * a", "b -> 0 * b"}


def test_constants_are_changed_where_that_is_not_the_same_as_dropping_them():
    def f(a):
        return 1 - a, a * 1.0, 0.5 + a, 2 / a, 2 * a, a**2, a[1], a.clip(1, 2), a * True

    assert changes(f, "constant changed") == {"1 -> 2", "1.0 -> 2.0", "1.0 -> 0.0", "0.5 -> 1.0"}


def test_statements_that_write_in_place_are_omitted():
    def f(a, b, i):
        c = a
        a += b
        c[i] = b
        return c

    assert changes(f, "statement omitted") == {"a += b -> pass", "c[i] = b -> pass"}


def test_checks_shapes_strings_lambdas_and_signatures_are_left_alone():
    def f(a, b=1 + 2, *, c=2 * 3):
        """1 - a"""
        import math  # noqa: F401

        if a.dtype.kind == "c" or isinstance(a, list | tuple) or a is None:
            raise ValueError(f"{1 - a} " + "is no good")
        if b > a:
            raise ValueError(b - a)
        assert a > b
        g: int = np.zeros(a.shape[0] + 1, a.dtype)
        a.real, g.imag = f.x, f.y
        return (lambda z: z * 2), g.reshape(b - 1, 2).astype(a.dtype)

    allowed = {"sign flipped", "carry missing", "name swapped"}  # of the values assigned and returned
    assert {m.kind for m in mutants(f)} == allowed
    assert changes(f, "name swapped") == {"g -> a", "g -> b", "g -> c"}
    assert changes(f, "carry missing") == {f"{r} -> 0 * {r}" for r in ["g.reshape(b - 1, 2).astype(a.dtype)"]}


def test_the_table_lists_the_kinds_and_a_mutant_of_two_kinds_is_of_the_first():
    rows = mutation.__doc__.split("how people come to make it\n")[1].split("\n\n")[0].splitlines()
    assert [row[:22].strip() for row in rows] == list(KINDS)

    def f(a):
        return a * a  # to drop a factor and to forget the square is the same

    assert changes(f, "power changed") == {"a * a -> a"}
    assert changes(f, "factor dropped") == set()


# all mutants of the package's own functions -------------------------------------------------------------------------


@each_of_ours
def test_every_mutant_differs_from_the_original_and_from_all_others(function):
    sources = [ast.unparse(mutant.tree) for mutant in all_mutants(function)]
    assert len({*sources, ast.unparse(combine(function, []))}) == len(sources) + 1


def arguments_of(function):
    """Names, kinds and defaults; annotations, which are nothing to a run, are left out when a source is compiled."""
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@each_of_ours
def test_every_mutant_compiles_to_a_function_like_the_original(function):
    for mutant in all_mutants(function):
        made = compile_function(function, mutant.tree)
        assert arguments_of(made) == arguments_of(function)
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            assert getattr(made, name) == getattr(function, name)
        assert made.__code__.co_filename == function.__code__.co_filename
        assert made.__code__.co_firstlineno == function.__code__.co_firstlineno


@each_of_ours
def test_the_line_of_every_mutant_holds_what_was_changed(function):
    for mutant in all_mutants(function):
        line = linecache.getline(function.__code__.co_filename, mutant.line)
        assert squeezed(mutant.before) in squeezed(line), mutant


@each_of_ours
def test_trees_keep_the_places_of_the_file(function):
    for tree in [combine(function, []), *(m.tree for m in all_mutants(function) if m.kind == "operator swapped")]:
        names = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.end_col_offset == n.col_offset + len(n.id)]
        for name in names:
            line = linecache.getline(function.__code__.co_filename, name.lineno)
            assert line[name.col_offset : name.end_col_offset] == name.id


def test_known_mistakes_are_among_the_mutants():
    found = {(m.kind, squeezed(m.before), squeezed(m.after)) for m in mutants(LSTM.step_backward)}
    assert ("factor dropped", "dh*tanh_c", "dh") in found
    assert ("term dropped", "dc+dtanh_c*1-tanh_c*tanh_c", "dc") in found
    assert ("name swapped", "c_prev", "dc") in found
    assert ("transpose dropped", "p.W_h.T", "p.W_h") in found
    assert (
        "arguments exchanged",
        "joindi*i*1-i,df*f*1-f,do*o*1-o,dg*1-g*g",
        "joindi*i*1-i,do*o*1-o,df*f*1-f,dg*1-g*g",
    ) in found


# lines of several-line statements -----------------------------------------------------------------------------------


def over_several_lines(a, b):
    c = (
        a
        * b
    )  # fmt: skip
    return {
        "a": a - c,
        "b": np.add(
            b,
            c * c,
        ),
    }


def test_the_line_is_the_statements_or_that_of_the_entry_in_a_dict_or_call_of_several_lines():
    first = over_several_lines.__code__.co_firstlineno
    lines = {m.before: m.line - first for m in mutants(over_several_lines) if m.kind == "operator swapped"}
    assert lines == {"a * b": 1, "a - c": 6, "c * c": 9}


# compiling and combining --------------------------------------------------------------------------------------------


def step_backward_arguments():
    rng = np.random.default_rng(0)
    cell = LSTM(2, 3, rng=0)
    arrays = {name: rng.normal(size=(4, 3)) for name in ("i", "f", "o", "g", "c_prev", "tanh_c")}
    return (cell, cell.params, rng.normal(size=(4, 3)), rng.normal(size=(4, 3))), arrays


def test_a_mutant_computes_what_its_source_says():
    arguments, arrays = step_backward_arguments()
    [mutant] = [m for m in mutants(LSTM.step_backward) if (m.before, m.after) == ("dc * f", "dc")]
    da, (dh_prev, dc_prev) = LSTM.step_backward(*arguments, **arrays)
    wrong_da, (wrong_dh_prev, wrong_dc_prev) = compile_function(LSTM.step_backward, mutant.tree)(*arguments, **arrays)
    np.testing.assert_array_equal(wrong_da, da)
    np.testing.assert_array_equal(wrong_dh_prev, dh_prev)
    np.testing.assert_allclose(wrong_dc_prev * arrays["f"], dc_prev)


def test_no_mutants_combined_are_the_original():
    arguments, arrays = step_backward_arguments()
    same = compile_function(LSTM.step_backward, combine(LSTM.step_backward, []))
    np.testing.assert_array_equal(same(*arguments, **arrays)[0], LSTM.step_backward(*arguments, **arrays)[0])


def test_several_mutants_make_one_function_with_all_their_mistakes():
    def f(a, b):
        c = a * b
        d = c + a
        return c - d

    first, second, third = (
        next(m for m in mutants(f) if m.line == f.__code__.co_firstlineno + k and m.kind == "operator swapped")
        for k in (1, 2, 3)
    )
    assert f(2.0, 4.0) == -2.0
    assert compile_function(f, combine(f, [first, second]))(2.0, 4.0) == 0.5 - (0.5 - 2)
    assert compile_function(f, combine(f, [third, first, second]))(2.0, 4.0) == 0.5 + (0.5 - 2)


def test_mutants_within_one_another_are_not_combined():
    def f(a, b):
        return a * (b + a)

    outer, inner = (m for m in mutants(f) if m.kind == "operator swapped")
    for pair in ([outer, inner], [inner, outer]):
        with pytest.raises(ValueError, match="change the same piece of source"):
            combine(f, pair)


def test_errors_in_a_mutant_point_to_the_line_in_the_file():
    def f(a, b):
        c = a[0] / b
        return c

    [mutant] = [m for m in mutants(f) if m.after == "a[1]"]
    with pytest.raises(IndexError) as error:
        compile_function(f, mutant.tree)([1], 2)
    assert error.traceback[-1].lineno + 1 == f.__code__.co_firstlineno + 1  # pytest counts from 0
    assert str(error.traceback[-1].path) == __file__


def test_closures_defaults_and_globals_are_the_originals():
    scale, given = 3.0, [5.0]

    def f(a, b=given, *, c=given):
        return scale * a + b[0] + c[0] + len(sys.argv) * 0

    made = compile_function(f, combine(f, []))
    assert made(1.0) == f(1.0) == 13.0
    assert made.__defaults__ is f.__defaults__
    assert made.__kwdefaults__["c"] is given
    [mutant] = [m for m in mutants(f) if m.after == "scale / a"]
    assert compile_function(f, mutant.tree)(2.0) == 11.5


class Base:
    def double(self, a):
        return a + a


class Derived(Base):
    factor = 2

    def double(self, a, times=factor):  # a default that only the class body can see
        return super().double(a) * times / 2


def test_methods_that_call_super_compile_and_bound_ones_stay_bound():
    derived = Derived()
    [mutant] = [m for m in mutants(derived.double) if m.after == "super().double(a) / times"]
    assert compile_function(Derived.double, mutant.tree)(derived, 3.0) == 1.5
    assert compile_function(derived.double, mutant.tree)(3.0) == 1.5


def factorial(n):
    return n * factorial(n - 1) if n else 1


def test_a_recursive_mutant_calls_itself_and_leaves_the_original_alone():
    [mutant] = [m for m in mutants(factorial) if m.after == "n / factorial(n - 1)"]
    assert compile_function(factorial, mutant.tree)(3) == 3 / (2 / 1)
    assert factorial(3) == 6


@pytest.mark.parametrize("function", [len, lambda a: a + 1, LSTM, eval("lambda: 1")])
def test_what_is_not_written_with_def_is_refused_in_one_line(function):
    with pytest.raises(NoSource) as error:
        mutants(function)
    assert "\n" not in str(error.value)

"""Rewritten functions do what they did: the same results, the same errors in the same lines, and nothing touched."""

import copy
import pickle
import traceback

import numpy as np
import odd_specimens
import pytest
import specimens
from other_styles import classes, homework, inplace

import tinyrnn as tr
from tinyrnn.sources import NoSource, Program, compile_function, reachable, read, source_lines
from tinyrnn.verdicts.subjects.of_package import of_cell


def quiet(site, value, key=None):
    return value


def run(function, *args, others=(), watch=quiet, **kwargs):
    """What the rewritten function returns."""
    program = Program([function, *others])
    return program.run(watch, lambda p: p[function](*args, **kwargs))


def bits(value):
    """Everything in a result, to the last bit."""
    return pickle.dumps(plain(value))


def plain(value):
    if isinstance(value, dict):
        return {repr(k): plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return type(value).__name__, [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return repr(value)


# the same results -----------------------------------------------------------------------------------------------------


def assert_unchanged(function, *args):
    wanted = function(*copy.deepcopy(args))
    others = [getattr(specimens, name) for name in ("generator", "factorial") if name != function.__name__]
    assert bits(run(function, *copy.deepcopy(args), others=others)) == bits(wanted)


@pytest.mark.parametrize("function, args", [(f, args) for f, *args in specimens.CASES])
def test_a_rewritten_function_returns_the_same(function, args):
    function = getattr(function, "__wrapped__", function)
    assert_unchanged(function, *args)


@pytest.mark.parametrize("function, args", [(f, args) for f, *args in odd_specimens.RARE])
def test_rare_forms_of_functions_return_the_same(function, args):
    assert_unchanged(function, *args)


def test_a_closure_keeps_its_cells_defaults_and_kinds_of_arguments():
    closure = specimens.make_closure()
    made = Program([closure])[closure]
    assert made.__closure__ == closure.__closure__
    assert (made.__name__, made.__qualname__, made.__doc__) == (closure.__name__, closure.__qualname__, closure.__doc__)
    for args, kwargs in (((2,), {"z": 1}), ((2, 5, 6, 7), {"z": 1, "w": 2, "more": 3})):
        assert bits(run(closure, *args, **kwargs)) == bits(closure(*args, **kwargs))
    with pytest.raises(TypeError, match="required positional"):
        run(closure, x=2, z=1)


def test_a_decorated_function_is_rewritten_inside_its_decorators():
    decorated = specimens.decorated
    assert decorated(1) == 4
    program = Program([decorated.__wrapped__])
    assert program.run(quiet, lambda p: p[decorated.__wrapped__](1)) == 2


CELLS = {name: cls(3, 4, rng=0, **options) for name, (cls, options) in tr.CELLS.items()}


@pytest.mark.parametrize("name", CELLS)
def test_a_rewritten_cell_gives_the_same_bits(name):
    problem = of_cell(CELLS[name])
    results = []
    for program in (problem.program(), Program([])):  # rewritten, and as it is
        result = h, tape = program.run(quiet, problem.forward)
        back = program.run(quiet, problem.backward_call(result))
        results.append((h, tape.state, vars(back)))
    assert bits(results[0]) == bits(results[1])


OTHERS = {
    (module.__name__, name): example
    for module in (homework, inplace, classes)
    for name, example in module.examples(np.random.default_rng(0)).items()
}


@pytest.mark.few(4)
@pytest.mark.parametrize("which", OTHERS, ids=" ".join)
def test_code_by_other_hands_gives_the_same_bits(which):
    forward, backward, inputs = OTHERS[which]
    owner = getattr(forward, "__self__", None)
    if owner is None:
        functions, _ = reachable([forward, backward])
        assert bits(run(forward, **inputs, others=functions)) == bits(forward(**inputs))
        if backward is not forward:
            *outputs, cache = forward(**inputs)
            assert bits(run(backward, *outputs, cache, others=functions)) == bits(backward(*outputs, cache))
        return
    program = Program(*reachable([], [type(owner)]))
    results = []
    for made in (program.instance(owner), copy.deepcopy(owner)):
        returned = program.run(quiet, lambda _, made=made: made.forward(**inputs))
        outputs = returned if isinstance(returned, tuple) else (returned,)
        back = program.run(quiet, lambda _, made=made, outputs=outputs: made.backward(*outputs))
        results.append((returned, back, made.grads))
    assert type(owner).__name__ == type(program.instance(owner)).__name__ and type(owner) is not type(
        program.instance(owner)
    )
    assert bits(results[0]) == bits(results[1])


# classes --------------------------------------------------------------------------------------------------------------


def both(method, *args):
    """What a method returns, as it is and rewritten."""
    program = Program([], [odd_specimens.Layer, odd_specimens.Base])
    layer = odd_specimens.Layer(odd_specimens.Layer())
    made = program.instance(layer)
    assert isinstance(made, odd_specimens.Layer) and type(layer) is odd_specimens.Layer
    wanted = getattr(layer, method)(*args)
    return wanted, program.run(quiet, lambda p: getattr(made, method)(*args))


@pytest.mark.parametrize("method", ["forward", "__call__"])
def test_methods_inherited_static_and_by_super_return_the_same(method):
    wanted, got = both(method, 3.5)
    assert bits(got) == bits(wanted)


def test_super_within_an_entry_of_a_dict_returns_the_same():
    wanted, got = both("within_entry", 3.5)
    assert bits(got) == bits(wanted)


def test_private_attributes_are_found():
    wanted, got = both("hidden", 3.5)
    assert bits(got) == bits(wanted)


def test_objects_within_an_object_are_rewritten_and_the_original_is_left_alone():
    layer = odd_specimens.Layer()
    outer = odd_specimens.Layer(layer)
    outer.layers = [layer, {"again": (outer,)}]
    program = Program([], [odd_specimens.Layer, odd_specimens.Base])
    made = program.instance(outer)
    kinds = {type(made), type(made.inner), type(made.layers[0]), type(made.layers[1]["again"][0])}
    assert kinds == {program.classes[odd_specimens.Layer]}
    assert made.layers[1]["again"][0] is made and made.inner is made.layers[0]
    assert {type(outer), type(outer.inner)} == {odd_specimens.Layer}


def test_the_originals_and_their_module_stay_as_they_were():
    world, code = dict(vars(homework)), homework.rnn_forward.__code__
    functions, _ = reachable([homework.rnn_forward])
    assert homework.rnn_step_forward in functions
    run(homework.rnn_forward, **OTHERS["other_styles.homework", "rnn"][2], others=functions)
    assert vars(homework) == world and homework.rnn_forward.__code__ is code


# errors ---------------------------------------------------------------------------------------------------------------


def fails(x, where):
    """Fails in the line that `where` says, counted from `def`."""
    if where == 3:
        raise ValueError(where)
    y = x / (where - 4)
    box = {"a": y, "b": [1, 2][0 if where != 5 else 7]}
    a, (b, c) = x, (y, box["a"] if where != 6 else box["z"])
    c += 1 / (where - 7)
    for k in range(9, 12):
        box["a"] = 1 / (where - k) if k == 9 else 0
    d = np.zeros(2)
    d[0 if where != 11 else 5] = b
    return a, c, int("x" * (where == 12) or "1")


@pytest.mark.parametrize("where", [3, 4, 5, 6, 7, 9, 11, 12])
def test_errors_come_from_the_same_line(where):
    lines = []
    for call in (fails, lambda x, where: run(fails, x, where)):
        with pytest.raises((ArithmeticError, LookupError, ValueError)) as error:
            call(2.0, where)
        frames = [f for f in traceback.extract_tb(error.value.__traceback__) if f.name == "fails"]
        assert {frame.filename for frame in frames} == {__file__}
        lines.append((type(error.value), str(error.value), {frame.lineno for frame in frames}))
    assert lines[0] == lines[1]
    assert lines[0][2] == {fails.__code__.co_firstlineno + where}


def test_an_assignment_that_fails_gets_what_rescue_offers():
    program, asked = Program([fails]), []

    def rescue(scope, names, error, line):
        asked.append((scope, names, type(error), line - fails.__code__.co_firstlineno))
        return (0.5,) * len(names)

    for where in (4, 5, 6):
        program.run(quiet, lambda p, where=where: p[fails](2.0, where), rescue=rescue)
    wanted = [(("y", None),), (("b", None),), (("a", None), ("b", None), ("c", None))]
    errors = [ZeroDivisionError, IndexError, KeyError]
    assert asked == [("fails", *facts, where) for where, *facts in zip((4, 5, 6), wanted, errors, strict=True)]


def test_what_watch_returns_takes_the_place_of_the_value():
    def forward(x):
        y = x + 1
        kept = {"y": 2 * y}
        return y, kept["y"]

    def watch(site, value, key=None):
        return 10 * value if site.name == "y" else value

    assert run(forward, 1, watch=watch) == (20, 400)


# reading --------------------------------------------------------------------------------------------------------------


def test_reading_keeps_the_numbers_of_lines_and_columns():
    tree = read(odd_specimens.Layer.forward)
    lines = source_lines(odd_specimens.Layer.forward)
    assert tree.lineno == min(lines) == odd_specimens.Layer.forward.__code__.co_firstlineno
    assert all(
        lines[node.lineno][node.col_offset :].startswith("kept") for node in [tree.body[0], tree.body[2].body[0]]
    )


@pytest.mark.parametrize("function", [len, lambda x: x, eval("lambda x: x"), specimens.Box, 3, np.exp])
def test_what_has_no_source_is_refused_in_one_line(function):
    with pytest.raises(NoSource) as error:
        read(function)
    assert "\n" not in str(error.value) and isinstance(error.value, TypeError)


def test_a_function_compiled_from_its_own_tree_is_the_same():
    closure = specimens.make_closure()
    assert bits(compile_function(closure, read(closure))(2, z=1)) == bits(closure(2, z=1))
    bound = odd_specimens.Layer().forward
    made = compile_function(bound, read(bound))
    assert made.__self__ is bound.__self__ and bits(made(2)) == bits(bound(2))

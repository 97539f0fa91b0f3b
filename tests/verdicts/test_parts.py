"""The package's own losses, heads, blocks and optimisers under the line verdicts: nothing is said against them."""

import ast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyrnn.nn.heads import Embedding, PooledReadout, Readout
from tinyrnn.optim.optimisers import SGD, Adam, RMSProp
from tinyrnn.sources import read
from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.subjects import of_package as subjects
from tinyrnn.verdicts.subjects import parts, updates

every_point = pytest.mark.parametrize(
    ("name", "point"), [(name, k) for name, makers in subjects.PARTS.items() for k in range(len(makers))]
)
small = st.integers(1, 5)
seeds = st.integers(0, 2**32 - 1)


def changed(function, old, new):
    """The tree of a function with a piece of one line replaced."""
    source = ast.unparse(read(function))
    assert source.count(old) == 1
    tree = read(function)
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and ast.unparse(value) == old:
                setattr(node, field, ast.copy_location(ast.parse(new, mode="eval").body, value))
    return ast.fix_missing_locations(tree)


@pytest.mark.few(15)
@every_point
def test_nothing_is_said_against_a_part(name, point):
    report = report_on(subjects.named(name, point))
    assert report.ok, report
    assert report.problems == report.notes == []
    assert any(row.verdict == "ok" for row in report.rows)


@settings(max_examples=12)
@given(st.sampled_from(list(parts.BLOCKS)), small, small, small, seeds)
def test_blocks_of_any_size_are_right(name, T, B, n, seed):
    assert report_on(parts.of_block(name, T, B, n, rng=seed)).ok


@settings(max_examples=12)
@given(
    st.sampled_from(["cross_entropy", "squared_error", "mixture_density"]),
    st.lists(small, min_size=2, max_size=3),
    st.booleans(),
    st.floats(0.1, 9),
    seeds,
)
def test_losses_of_any_size_are_right(name, shape, masked, dloss, seed):
    assert report_on(parts.of_loss(name, tuple(shape), masked=masked, dloss=dloss, rng=seed)).ok


@pytest.mark.slow
@settings(max_examples=12)
@given(st.sampled_from([Readout, PooledReadout, Embedding]), st.integers(2, 6), small, small, small, seeds)
def test_heads_of_any_size_are_right(cls, n, k, T, B, seed):
    assert report_on(parts.of_head(cls(n, k, rng=seed), (T, B), rng=seed)).ok


@settings(max_examples=12)
@given(small, small, st.integers(2, 5), small, st.booleans(), seeds)
def test_affine_of_any_size_is_right(T, B, n, k, classes, seed):
    assert report_on(parts.of_affine((T, B), (n, k), classes=classes, rng=seed)).ok


@settings(max_examples=12)
@given(
    st.sampled_from(
        [SGD(0.1), SGD(0.2, 0.5), SGD(0.3, 0.9, nesterov=True), RMSProp(), RMSProp(variant="keras"), Adam()]
    ),
    small,
    small,
    seeds,
)
def test_optimisers_of_any_size_are_right(optimiser, n, k, seed):
    assert report_on(updates.of_optimiser(optimiser, None, (n, k), rng=seed)).ok


@settings(max_examples=12)
@given(st.sampled_from([updates.of_clip_by_norm, updates.of_clip_by_value]), st.floats(0.1, 10), small, seeds)
def test_clipping_at_any_limit_is_right(make, limit, n, seed):
    assert report_on(make(limit, {"a": (n, 2), "b": (n, 2)}, rng=seed)).ok


def test_names_are_those_of_cells_and_parts_and_no_other_is_known():
    assert {"lstm", "urnn", "phases", "adam", "readout", "cross_entropy"} <= set(subjects.NAMES)
    assert len(set(subjects.NAMES)) == len(subjects.NAMES)
    with pytest.raises(KeyError):
        subjects.named("perceptron")


@pytest.mark.parametrize("name", ["phases", "lstm"])
def test_points_differ_in_their_sizes(name):
    first, second = subjects.points(name)[:2]
    assert [a.shape for a in first.inputs.values()] != [a.shape for a in second.inputs.values()]


def test_what_an_inner_function_returns_is_blamed_on_its_return():
    problem = subjects.named("phases")
    backward = problem.shown[0]
    tree = changed(backward, "reshape(dz2, *dy.shape)", "-reshape(dz2, *dy.shape)")
    (row,) = report_on(problem, program=problem.program({backward: tree})).wrong
    assert row.function == "phases_backward" and row.name == "dz"
    assert row.line == max(node.lineno for node in ast.walk(tree) if isinstance(node, ast.Return))


def test_a_wrong_argument_is_blamed_on_the_line_that_passes_it():
    problem = subjects.named("readout")
    backward = problem.shown[0]
    tree = changed(backward, "affine_backward(h, self.params.W, dy)", "affine_backward(-h, self.params.W, dy)")
    (row,) = report_on(problem, program=problem.program({backward: tree})).wrong
    assert (row.function, row.name) == ("Readout.backward", "x")
    assert row.mistake["name"] == "readout-weights-with-the-wrong-sign"


def test_a_line_left_out_of_an_optimiser_is_found():
    problem = subjects.named("adam")
    (update,) = problem.shown
    tree = read(update)
    _, first, *_ = tree.body  # behind the docstring
    line = first.lineno
    tree.body[1] = ast.copy_location(ast.Pass(), first)
    (row,) = report_on(problem, program=problem.program({update: tree})).wrong
    assert (row.line, row.name, row.how) == (line, "m", ["nothing is assigned here"])


def test_each_line_of_an_optimiser_is_judged_with_the_right_memory():
    problem = subjects.named("adam")
    (update,) = problem.shown
    tree = changed(update, "m / (1 - self.beta1 ** self.t)", "m / (1 - self.beta1)")
    (row,) = report_on(problem, program=problem.program({update: tree})).wrong
    assert row.name == "m_hat" and row.mistake["name"] == "first-mean-corrected-without-the-power"


def test_inputs_stay_as_they_are():
    problem = subjects.named("sgd")
    paths = [problem.program().run(lambda site, value, key=None: value, problem.forward) for _ in range(2)]
    np.testing.assert_equal(*paths)

"""The gradient check: right gradients pass, nothing is touched, and what cannot be checked is refused."""

import copy

import numpy as np
import pytest
import strict_xp
from planted import check, edited, elman_backward, elman_step, student

import tinyrnn as tr

# right gradients ------------------------------------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("name", tr.CELLS)
def test_every_cell_passes_to_rounding(name):
    cell_class, options = tr.CELLS[name]
    report = check(cell_class(2, 3, rng=0, **options))
    assert report.ok, f"\n{report}"
    assert report.worst < 1e-13
    assert all(row.complex_error is not None and row.central_error < 1e-7 for row in report.rows)


NETWORKS = {
    "stack": lambda: tr.Stack(tr.LSTM(2, 3, rng=0), tr.GRU(3, 2, rng=1, learn_state=True)),
    "bidirectional": lambda: tr.Bidirectional(tr.LSTM(2, 3, rng=0), tr.Elman(2, 2, rng=1)),
    "nested": lambda: tr.Stack(
        tr.Bidirectional(tr.Elman(2, 2, rng=0), tr.UnitaryRNN(2, 2, rng=1)), tr.Elman(6, 2, rng=2)
    ),
    "model": lambda: tr.Model(tr.LSTM(2, 3, rng=0), tr.Readout(3, 4, rng=1)),
    "model, last step": lambda: tr.Model(
        tr.Bidirectional(tr.GRU(2, 2, rng=0), tr.Elman(2, 2, rng=1)), tr.Readout(4, 3, bias=False, rng=1), at="last"
    ),
    "model, embedding": lambda: tr.Model(
        tr.Stack(tr.Elman(2, 3, rng=0), tr.Elman(3, 3, rng=1)),
        tr.Readout(3, 4, rng=1),
        embedding=tr.Embedding(5, 2, rng=2),
    ),
    "model, pooled": lambda: tr.Model(
        tr.LinearRNN(2, 4, rng=0), tr.PooledReadout(4, 2, size=2, stride=1, rng=1), loss="squared_error"
    ),
    "student": student,
    "student, learned state": lambda: student(learn_state=True),
    "clipped": lambda: tr.LinearRNN(2, 3, rng=0, activation="tanh", clip_state=1.0),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_layers_models_and_student_cells_pass_to_rounding(network):
    report = check(network())
    assert report.ok, f"\n{report}"
    assert report.worst < 1e-12


def test_there_is_a_row_for_everything():
    def lines(network, **options):
        return {(row.name, row.gate, row.t) for row in check(network, T=2, B=1, **options).rows}

    steps = (0, 1, None)
    assert lines(tr.ChoGRU(2, 3, rng=0, learn_state=True)) == {
        *(("W_x", gate, t) for gate in "rzn" for t in steps),
        *(("b", gate, t) for gate in "rzn" for t in steps),
        *(("W_rz", gate, t) for gate in "rz" for t in steps),
        *((name, None, t) for name in ("W_n", "inputs") for t in steps),
        ("state.h", None, None),
        ("h_0", None, None),
    }
    stack = tr.Stack(tr.Bidirectional(tr.Elman(2, 2, rng=0), tr.Elman(2, 2, rng=0)), tr.LSTM(4, 2, rng=0))
    model = tr.Model(stack, tr.Readout(2, 2, rng=0), embedding=tr.Embedding(3, 2, rng=0))
    directions = ("layers.0.forward.", "layers.0.backward.")
    assert lines(model) == {
        *((d + name, None, None) for d in directions for name in ("W_x", "W_h", "b")),
        *((f"layers.1.{name}", gate, None) for name in ("W_x", "W_h", "b") for gate in "ifog"),
        *((f"state.{s}", None, None) for s in (*(d + "h" for d in directions), "layers.1.h", "layers.1.c")),
        *((name, None, None) for name in ("embedding.W", "readout.W", "readout.b")),
    }


def test_class_numbers_are_checked_without_a_gradient_of_the_inputs():
    report = check(tr.Elman(4, 3, rng=0), x=np.random.default_rng(0).integers(0, 4, (3, 2)))
    assert report.ok, f"\n{report}"
    assert "inputs" not in {row.name for row in report.rows}


@pytest.mark.parametrize("T, B", [(1, 1), (1, 2), (2, 1), (12, 2)])
def test_any_number_of_steps_and_sequences_will_do(T, B):
    report = tr.gradcheck(tr.Elman(2, 2, rng=0), T=T, B=B)
    assert report.ok, f"\n{report}"
    assert {row.t for row in report.rows} == {None, *range(T)}


def test_networks_are_checked_where_their_arrays_live():
    report = check(tr.GRU(2, 3, rng=0, learn_state=True).to(strict_xp))
    assert report.ok, f"\n{report}"


# the user's own object ------------------------------------------------------------------------------------------------


def contents(network):
    return {name: value.copy() for name, value in network.params.items()}


BACKWARDS = {"right": elman_backward, "failing": edited(elman_backward, ("da = d", "p['b'] += 1; da = 1 / 0 * d"))}


@pytest.mark.parametrize("backward", BACKWARDS.values(), ids=BACKWARDS)
def test_the_network_comes_out_bit_for_bit_as_it_went_in(backward):
    cell = student(step_backward=backward, learn_state=True)
    model = tr.Model(tr.Stack(tr.LSTM(2, 2, rng=0), cell), tr.Readout(3, 2, rng=0))
    arrays, before, attributes = dict(model.params), contents(model), dict(vars(cell))
    assert check(model).ok == (backward is elman_backward)
    assert vars(cell) == attributes
    for name, value in model.params.items():
        assert value is arrays[name]
        np.testing.assert_array_equal(value, before[name])


def test_x_and_state_are_not_modified_not_even_by_a_cell_that_does():
    rng = np.random.default_rng(0)
    x, state = rng.normal(size=(3, 2, 2)), (rng.normal(size=(2, 3)),)
    before = copy.deepcopy((x, state))
    check(student(step=edited(elman_step, ("h = np", "x += 1; h_prev += 1; h = np"))), x=x, state=state)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(state[0], before[1][0])


def test_the_same_seed_gives_the_same_report_and_another_seed_another_probe():
    cell = tr.Elman(2, 3, rng=0)
    again = check(cell, rng=np.random.default_rng(5))
    assert check(cell, rng=5).rows == again.rows
    assert check(cell, rng=6).rows != again.rows


# bad input ------------------------------------------------------------------------------------------------------------


def test_float32_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"needs float64: W_x is float32, whose rounding errors .* dtype=\"float64\""):
        check(tr.LSTM(2, 3, dtype="float32"))
    mixed = tr.Model(tr.Elman(2, 2), tr.Readout(2, 2, dtype="float32"))
    with pytest.raises(ValueError, match=r"readout\.W is float32"):
        check(mixed)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"T": 0}, ValueError, "T=0"),
        ({"x": np.zeros((3, 2, 5))}, ValueError, r"x must have shape \(T, B, 2\)"),
        ({"x": [[[1.0, 2.0]]]}, TypeError, "got list"),
        ({"state": (np.zeros((2, 4)),)}, ValueError, r"state must be a tuple of arrays of shapes \(2, 3\)"),
    ],
)
def test_bad_options_are_refused_in_one_line(options, error, message):
    with pytest.raises(error, match=message) as caught:
        check(tr.Elman(2, 3), **options)
    assert "\n" not in str(caught.value)


def test_a_part_of_a_network_is_checked_as_any_object_with_two_passes_is():
    report = tr.gradcheck(tr.Readout(2, 3, rng=0))
    assert report.ok and {row.argument for row in report.rows} == {"h", "params.W", "params.b"}


def test_a_cell_that_cannot_be_copied_is_refused():
    cell = tr.Elman(2, 3)
    cell.module = np
    with pytest.raises(TypeError, match="gradcheck works on a copy, but Elman cannot be"):
        tr.gradcheck(cell)

"""The gradient check: right gradients pass, each planted mistake is found where it is, nothing is touched."""

import copy
import math
from xml.etree import ElementTree

import numpy as np
import pytest
import strict_xp
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import broken, check, edited, elman_backward, elman_step, student, wrong_at

import tinyrnn as tr
from tinyrnn.checking.report import Report, Row
from tinyrnn.commands.main import main

# right gradients ------------------------------------------------------------------------------------------------------


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


@pytest.mark.few(5)
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


# planted mistakes -----------------------------------------------------------------------------------------------------

GATES = ("W_x", "W_h", "b")
LSTM_GATES = {g: {(name, g) for name in GATES} for g in "ifog"}

# where: method, right, wrong, and the rows blamed at the last time step, where nothing has been carried back yet
GATE_MISTAKES = {
    "f sees the new cell state": (tr.LSTM, "df = dc * c_prev", "df = dc * tanh_c", LSTM_GATES["f"]),
    "i without the sigmoid's derivative": (tr.LSTM, "di * i * (1 - i)", "di", LSTM_GATES["i"]),
    "sigmoid instead of its derivative": (tr.LSTM, "do * o * (1 - o)", "do * o", LSTM_GATES["o"]),
    "tanh' without the square": (tr.LSTM, "(1 - g * g)", "(1 - g)", LSTM_GATES["g"]),
    "c misses the way through h": (
        tr.LSTM,
        "dc = dc + dtanh_c * (1 - tanh_c * tanh_c)",
        "dc = dc",
        LSTM_GATES["i"] | LSTM_GATES["f"] | LSTM_GATES["g"],
    ),
    "reset gate of a GRU": (tr.GRU, "dr = da_n * s", "dr = da_n", {("W_x", "r"), ("W_h", "r"), ("b", "r")}),
    "u_n without the reset gate": (tr.GRU, "ds = da_n * r", "ds = da_n", {("W_h", "n"), ("b_n", None)}),
}


@pytest.mark.few(4)
@pytest.mark.parametrize("mistake", GATE_MISTAKES)
def test_a_mistake_in_one_gate_is_blamed_on_that_gate(mistake):
    cls, right, wrong, blamed = GATE_MISTAKES[mistake]
    report = check(broken(cls, "step_backward", right, wrong)(1, 2, rng=0))
    parameters = {row for row in wrong_at(report, 2) if row[0] != "inputs"}
    assert parameters == blamed
    assert not report.problems


# method, right, wrong: mistakes in what is handed to the step before
CARRY_MISTAKES = {
    "dh is not carried": ("return da, (dh_prev, dc_prev)", "return da, (0 * dh_prev, dc_prev)", {"state.h"}),
    "dc is not carried": ("dc_prev = dc * f", "dc_prev = 0 * dc", {"state.c"}),
    "dc is carried past the gate": ("dc_prev = dc * f", "dc_prev = dc", {"state.c"}),
    "W_h is not transposed": ("da @ p.W_h.T", "da @ p.W_h.reshape(8, 2)", {"state.h"}),
}


@pytest.mark.parametrize("mistake", CARRY_MISTAKES)
def test_a_mistake_in_what_is_carried_back_spares_the_last_step_alone(mistake):
    right, wrong, states = CARRY_MISTAKES[mistake]
    report = check(broken(tr.LSTM, "step_backward", right, wrong)(1, 2, rng=0))
    assert not wrong_at(report, 2)
    assert {name for name, _ in wrong_at(report, None)} >= states
    for t in (0, 1):
        assert {name for name, _ in wrong_at(report, t)} == {*GATES, "inputs"}


# a cell's class, the method, right, wrong, and all that is blamed, at every time step and in total
WEIGHT_MISTAKES = {
    "half of W_h": (
        tr.Elman,
        "gradients",
        "weight_gradient(h_prev, da)",
        "weight_gradient(h_prev, 0.5 * da)",
        "W_h",
    ),
    "bias forgotten": (tr.Elman, "gradients", '"b": db', '"b": 0 * db', "b"),
    "bias twice": (tr.LinearRNN, "gradients", '"b": db', '"b": 2 * db', "b"),
    "peephole of i is f's": (tr.PeepholeLSTM, "gradients", "(da_i * c_prev)", "(da_f * c_prev)", "p_i"),
    "peephole of o sees the old state": (tr.PeepholeLSTM, "gradients", "(da_o * c)", "(da_o * c_prev)", "p_o"),
    "phases after the wrong block": (
        tr.UnitaryRNN,
        "gradients",
        "phases_gradient(y4, dy4)",
        "phases_gradient(y4, dy3)",
        "theta_2",
    ),
    "sign of modReLU's bias": (
        tr.UnitaryRNN,
        "gradients",
        "sum_over_time(dshifted)",
        "-sum_over_time(dshifted)",
        "b",
    ),
}


@pytest.mark.few(4)
@pytest.mark.parametrize("mistake", WEIGHT_MISTAKES)
def test_a_mistake_in_one_weight_gradient_is_blamed_on_that_weight_alone(mistake):
    cls, method, right, wrong, blamed = WEIGHT_MISTAKES[mistake]
    report = check(broken(cls, method, right, wrong)(1, 2, rng=0))
    for t in (*range(3), None):
        assert wrong_at(report, t) == {(blamed, None)}


@settings(max_examples=15)
@given(
    name=st.sampled_from(["W_x", "W_rz", "b"]),
    gate=st.integers(0, 2),
    factor=st.floats(-2, 3),
    seed=st.integers(0, 999),
)
def test_any_wrong_factor_in_any_block_is_blamed_on_that_block_alone(name, gate, factor, seed):
    gate = gate % 2 if name == "W_rz" else gate
    factor = 1 + 1e-6 if abs(factor - 1) < 1e-6 else factor

    class Scaled(tr.ChoGRU):
        def gradients(self, p, x, da, *, h_prev, q):
            dx, dparams = super().gradients(p, x, da, h_prev=h_prev, q=q)
            dparams[name][..., 2 * gate : 2 * gate + 2] *= factor
            return dx, dparams

    report = tr.gradcheck(Scaled(1, 2, rng=seed), T=2, B=2, rng=seed)
    assert {(row.name, row.gate) for row in report.wrong} == {(name, "rzn"[gate])}
    assert not report.problems


def test_a_mistake_at_the_first_step_is_blamed_on_that_step():
    zeros_forgotten = ("h_prev.T @ da,", "(h_prev if h_prev.any() else 1 + h_prev).T @ da,")
    report = check(student(step_backward=edited(elman_backward, zeros_forgotten)), state=(np.zeros((2, 3)),))
    assert {(row.name, row.t) for row in report.wrong} == {("W_h", 0), ("W_h", None)}
    assert check(student(step_backward=edited(elman_backward, zeros_forgotten))).ok  # why a probe starts elsewhere


class AveragedOverTime(tr.Elman):
    def backward(self, dh, tape, dstate=None, **options):
        back = super().backward(dh, tape, dstate, **options)
        return tr.Gradients(back.inputs, back.state, {name: d / len(tape) for name, d in back.params.items()})


class DeafToTheFinalState(tr.Elman):
    def backward(self, dh, tape, dstate=None, **options):
        return super().backward(dh, tape, None, **options)


class BlindToTheMask(tr.Elman):
    def backward(self, dh, tape, dstate=None, **options):
        tape.mask = None
        return super().backward(dh, tape, dstate, **options)


def test_gradients_averaged_over_time_are_wrong_in_total_only():
    report = check(AveragedOverTime(2, 3, rng=0))
    assert {row.t for row in report.wrong} == {None}
    assert {row.name for row in report.wrong} == {"W_x", "W_h", "b"}


def test_ignoring_the_gradient_of_the_final_state_is_noticed():
    assert wrong_at(check(DeafToTheFinalState(2, 3, rng=0)), 2)


def test_forgetting_the_mask_in_the_backward_pass_is_noticed():
    report = check(BlindToTheMask(2, 3, rng=0))
    assert wrong_at(report, None) and wrong_at(report, 2)


def test_a_learned_initial_state_is_checked():
    class NotSummed(tr.Elman):
        def backward(self, dh, tape, dstate=None, **options):
            back = super().backward(dh, tape, dstate, **options)
            return tr.Gradients(back.inputs, back.state, {**back.params, "h_0": back.params["h_0"] / 3})

    report = check(NotSummed(2, 3, rng=0, learn_state=True))
    assert {(row.name, row.t) for row in report.wrong} == {("h_0", None)}


def test_a_mistake_in_one_part_is_blamed_on_that_part():
    bad = broken(tr.Elman, "gradients", '"b": db', '"b": 2 * db')
    stack = tr.Stack(tr.Elman(2, 2, rng=0), tr.Bidirectional(tr.Elman(2, 2, rng=1), bad(2, 2, rng=2)))
    report = check(tr.Model(stack, tr.Readout(4, 2, rng=3)))
    assert {row.name for row in report.wrong} == {"layers.1.backward.b"}


def test_a_mistake_in_the_readout_is_found():
    class Flat(tr.Readout):
        def backward(self, dy, h):
            dh, dparams = super().backward(dy, h)
            return dh, {**dparams, "b": 0.9 * dparams["b"]}

    report = check(tr.Model(tr.Elman(2, 2, rng=0), Flat(2, 3, rng=1), at="last"))
    assert {row.name for row in report.wrong} == {"readout.b"}


def test_all_gradients_zero_is_wrong_everywhere():
    class Zero(tr.Elman):
        def gradients(self, p, x, da, *, h_prev):
            return super().gradients(p, x, 0 * da, h_prev=h_prev)

    report = check(Zero(2, 3, rng=0))
    assert {row.name for row in report.wrong} == {"W_x", "W_h", "b", "inputs"}
    assert all(row.error == 1 for row in report.wrong)


def test_a_gradient_that_is_zero_and_nearly_found_so_is_right():
    step = edited(elman_step, ("+ p", "+ 0 * p"))
    backward = edited(elman_backward, ("da.sum(axis=0)", "1e-17 * da.sum(axis=0)"))
    assert check(student(step, backward)).ok


@pytest.mark.parametrize("factor, kind", [(np.nan, "NaN"), (np.inf, "infinity")])
def test_nan_and_infinity_in_a_gradient_are_wrong_and_named(factor, kind):
    report = check(
        student(step_backward=edited(elman_backward, ("da.sum(axis=0)", f"abs(da.sum(axis=0)) * np.{factor}")))
    )
    assert report.problems == [f"{kind} in the gradient of b"]
    assert {row.name for row in report.wrong} == {"b"}
    assert not math.isfinite(report.worst)


# kinks ----------------------------------------------------------------------------------------------------------------


def relu_student(slope_at_zero, db_factor=1):
    """h = relu(x W_x + b), with the slope at 0 that is given."""

    def step(p, x, state):
        a = x @ p["W_x"] + p["b"]
        h = np.maximum(a, 0)
        return (h,), (x, a)

    def step_backward(p, cache, dstate):
        x, a = cache
        da = dstate[0] * np.where(a == 0, slope_at_zero, a > 0)
        return da @ p["W_x"].T, (0 * dstate[0],), {"W_x": x.T @ da, "b": db_factor * da.sum(axis=0)}

    params = {"W_x": np.ones((1, 2)), "b": np.zeros(2)}
    return tr.StepCell(step, step_backward, params=params, input_size=1, state_sizes=2)


X_WITH_ZERO = np.array([1.0, 0.0, -2.0]).reshape(3, 1, 1)


@pytest.mark.parametrize("slope", [0.0, 0.3, 0.5, 1.0])
def test_a_kink_is_reported_as_a_kink_whatever_slope_between_was_chosen(slope):
    report = tr.gradcheck(relu_student(slope), x=X_WITH_ZERO, perturb=0)
    assert report.ok, f"\n{report}"
    verdicts = {(row.name, row.t): row.verdict for row in report.rows}
    assert verdicts["b", 1] == verdicts["b", None] == verdicts["inputs", 1] == "kink"
    assert {v for (_, t), v in verdicts.items() if t in (0, 2)} == {"ok"}
    assert "kink" in str(report)


@pytest.mark.parametrize("slope", [-0.2, 1.1, 17.0])
def test_a_slope_at_a_kink_that_is_outside_of_both_sides_is_wrong(slope):
    report = tr.gradcheck(relu_student(slope), x=X_WITH_ZERO, perturb=0)
    assert wrong_at(report, 1) >= {("b", None)}
    assert not wrong_at(report, 0)


def test_a_mistake_elsewhere_is_not_excused_by_a_kink():
    report = tr.gradcheck(relu_student(0.0, db_factor=2), x=X_WITH_ZERO, perturb=0)
    assert wrong_at(report, 0) == {("b", None)}


def kink_cells():
    """Each with an input and a state at which it sits on its kink in the middle of the sequence."""
    x = np.array([[1.0, 2.0], [0.0, 0.0], [-1.0, 0.5]])[:, None]
    yield tr.LinearRNN(2, 3, activation="relu", rng=0), x, None
    clipped = tr.Elman(2, 2, activation="identity", clip_state=5.0, rng=0)
    clipped.params.update(W_x=np.eye(2), W_h=np.zeros((2, 2)))
    yield clipped, np.array([[1.0, 2.0], [3.0, 4.0], [-5.0, 6.0]])[:, None], None
    unitary = tr.UnitaryRNN(1, 1, rng=0)
    unitary.params.update(V=np.array([[3.0, 4.0]]), b=np.array([-5.0]))
    yield unitary, np.array([1.0]).reshape(1, 1, 1), (np.zeros((1, 2)),)


@pytest.mark.parametrize("cell, x, state", list(kink_cells()), ids=["ReLU", "clipping", "modReLU"])
def test_our_cells_on_a_kink_are_not_called_wrong(cell, x, state):
    report = tr.gradcheck(cell, x=x, state=state, perturb=0)
    assert report.ok, f"\n{report}"
    assert any(row.verdict == "kink" for row in report.rows)


# forward passes that are not fit for the complex step -----------------------------------------------------------------

SIGN = 'np.sign(x @ p["W_x"] + h_prev @ p["W_h"] + p["b"])'
UNFIT = {
    "abs": (("np.tanh(", "np.abs("), ("(1 - h * h)", SIGN), "abs, max or a cast"),
    "a cast": (("h = np", "h = np.zeros(h_prev.shape); h[...] = np"), ("1 -", "1 -"), "ComplexWarning"),
    "real functions": (("np.tanh(", "np.arctan2(1, "), ("(1 - h * h)", "-np.sin(h) ** 2"), "TypeError"),
}


@pytest.mark.parametrize("forward, backward, reason", UNFIT.values(), ids=UNFIT)
def test_central_differences_judge_alone_where_the_complex_step_cannot(forward, backward, reason):
    step = edited(elman_step, forward)
    report = check(student(step, edited(elman_backward, backward)))
    assert report.ok, f"\n{report}"
    assert any(reason in note for note in report.notes)
    assert all(row.complex_error is None and row.error == row.central_error for row in report.rows)

    report = check(student(step, edited(elman_backward, backward, ("da.sum(axis=0)", "1.001 * da.sum(axis=0)"))))
    assert wrong_at(report, None) == {("b", None)}


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


# the report -----------------------------------------------------------------------------------------------------------


def test_a_report_is_true_if_and_only_if_it_is_ok():
    assert check(tr.Elman(2, 3, rng=0))
    assert not check(broken(tr.Elman, "gradients", '"b": db', '"b": 2 * db')(2, 3, rng=0))


def test_the_table_has_a_line_for_each_gate_and_marks_what_is_wrong():
    wrong = broken(tr.LSTM, "gradients", '"b": db', '"b": db * (1 + (np.arange(12) // 3 == 1))')
    report = tr.gradcheck(wrong(2, 3, rng=0))
    text = str(report).splitlines()
    assert text[0] == "LSTM(2 -> 3, float64), T=5, B=3: 1 wrong gradient"
    assert text[2].split() == ["gradient", "of", *(f"t={t}" for t in range(5)), "total", "central"]
    table = text[3 : text.index("", 3)]
    assert [line[:9].strip() for line in table] == [
        *(f"{name} [{gate}]" for name in ("W_x", "W_h", "b") for gate in "ifog"), "inputs", "state.h", "state.c"
    ]  # fmt: skip
    assert [line for line in table if "WRONG" in line] == [line for line in table if line.startswith("b [f]")]
    assert [line for line in table if "!" in line] == [line for line in table if line.startswith("b [f]")]
    assert table[9].count("!5e-01") == 6
    assert max(map(len, text)) <= 110


def test_a_long_sequence_prints_its_first_and_last_steps():
    text = str(tr.gradcheck(tr.Elman(1, 2, rng=0), T=20, B=1))
    assert "t=0" in text and "t=19" in text and "..." in text and "t=10" not in text
    assert max(map(len, text.splitlines())) <= 110


def test_problems_are_printed():
    report = check(student(step=edited(elman_step, ("h = np", "x += 1; h = np"))))
    assert "1 problem\nproblem: elman_step changes its argument x in place: work on a copy\n" in str(report)


def test_the_command_prints_the_table_and_fails_when_a_gradient_is_wrong(monkeypatch, capsys):
    assert main(["gradcheck", "elman"]) == 0
    assert "state.h" in capsys.readouterr().out
    monkeypatch.setitem(tr.CELLS, "elman", (broken(tr.Elman, "gradients", '"b": db', '"b": 2 * db'), {}))
    assert main(["gradcheck", "elman"]) == 1
    assert "WRONG" in capsys.readouterr().out


# in a notebook --------------------------------------------------------------------------------------------------------


def cells_of(report):
    """The rows of the notebook's table, lists of text; ParseError if it is not well formed."""
    page = ElementTree.fromstring(report._repr_html_())
    return [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]


@pytest.mark.parametrize("right", [True, False])
def test_a_notebook_shows_the_table_that_is_printed(right):
    wrong = edited(elman_backward, ("h_prev.T @ da", "-h_prev.T @ da"))
    report = check(student() if right else student(step_backward=wrong))
    shown = cells_of(report)
    for row in shown:
        assert any(line.split() == " ".join(row).split() for line in str(report).splitlines()), row
    assert len(shown) == 1 + len({(row.name, row.gate) for row in report.rows})
    assert ("WRONG" in report._repr_html_()) is not right


def test_a_notebook_shows_names_as_they_are_written():
    hostile = "<script>alert('1 & 2')</script>"
    row = Row(hostile, None, None, 1.0, None, 1.0, "wrong")
    page = ElementTree.fromstring(Report(hostile, [row], [hostile], [hostile])._repr_html_())
    assert "script" not in {element.tag for element in page.iter()}
    assert "".join(page.itertext()).count(hostile) == 4

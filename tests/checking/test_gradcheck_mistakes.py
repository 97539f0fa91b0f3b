"""The gradient check finds each planted mistake where it is, and blames nothing else."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import broken, check, edited, elman_backward, elman_step, student, wrong_at

import tinyrnn as tr

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


@pytest.mark.few(2)
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


@pytest.mark.few(2)
@pytest.mark.parametrize("mistake", WEIGHT_MISTAKES)
def test_a_mistake_in_one_weight_gradient_is_blamed_on_that_weight_alone(mistake):
    cls, method, right, wrong, blamed = WEIGHT_MISTAKES[mistake]
    report = check(broken(cls, method, right, wrong)(1, 2, rng=0))
    for t in (*range(3), None):
        assert wrong_at(report, t) == {(blamed, None)}


@pytest.mark.slow
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

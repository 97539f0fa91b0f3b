"""Gradient bugs that people really made, each as a small change to the source of a cell, a layer or the engine.

Most are from public issues of teaching projects and libraries; "R13", "L10" and so on number the classic mistakes: R in
plain recurrent networks, L in the LSTM, G in the GRU. `case` and `check` name the check of the contract suite that is
to notice. Several get past a gradient check that starts from a zero state, has one step, or sends only ones.
"""

from typing import NamedTuple

import checks
from contract import Case
from references import follows_its_equations

from tinyrnn.cells import GRU, LSTM, ChoGRU, Elman, LinearRNN, PeepholeLSTM, unitary
from tinyrnn.core import engine, ops, steps
from tinyrnn.nn import layers


class Mutant(NamedTuple):
    bug: str
    owner: object  # class or module
    function: str
    edits: dict  # old source -> new source, each found exactly once
    case: Case
    origin: str = "a classic"
    check: object = checks.gradients_are_right
    error: type = AssertionError


def of_cell(owner, cell):
    """Makes mutants of one cell, by default of its backward step."""

    def mutant(bug, edits, origin="a classic", function="step_backward", check=checks.gradients_are_right):
        return Mutant(bug, owner, function, edits, Case(cell), origin, check)

    return mutant


def around(bug, edits, origin="a classic", function="backward", check=checks.gradients_are_right, **other):
    """A mutant of the engine, or of what `owner` says; other: fields of the case."""
    owner, error = other.pop("owner", engine), other.pop("error", AssertionError)
    return Mutant(bug, owner, function, edits, Case(**{"cell": "lstm", **other}), origin, check, error)


plain, lstm, gru = of_cell(Elman, "elman"), of_cell(LSTM, "lstm"), of_cell(GRU, "gru")
peephole, matrix = (of_cell(PeepholeLSTM, name) for name in ("lstm-peephole", "lstm-output-matrix"))

CARRY = "dh_prev = da @ p.W_h.T"
DW_H = '"W_h": weight_gradient(h_prev, da)'
TANH_PATH = "dc = dc + dtanh_c * (1 - tanh_c * tanh_c)"
P_F = "sum_over_time(da_f * c_prev)"

PLAIN = [
    plain("R3 dh not carried", {CARRY: "dh_prev = 0 * da"}, "qixianbiao/RNN#2"),
    plain("R5 carried without W_h", {CARRY: "dh_prev = da"}),
    plain("R6 W_h not transposed", {CARRY: "dh_prev = da @ p.W_h"}),
    plain("R7 carry added twice", {CARRY: "dh_prev = 2 * da @ p.W_h.T"}),
    plain("R10 tanh' missing", {"dh * self.dphi(h)": "dh"}, "blog.primen.dk"),
    plain("R11 1 - h for 1 - h^2", {"self.dphi(h)": "(1 - h)"}),
    plain("R12 sigmoid' for tanh'", {"self.dphi(h)": "h * (1 - h)"}),
    plain("tanh' taken at h", {"self.dphi(h)": "self.dphi(self.phi(h))"}),
    plain(
        "R13 dW_h with h_t for h_{t-1}",
        {"*, h_prev": "*, h", DW_H: '"W_h": weight_gradient(h, da)'},
        "VikParuchuri/zero_to_gpt#9",
        "gradients",
    ),
    plain("R14 dW_h transposed", {DW_H: '"W_h": weight_gradient(da, h_prev)'}, function="gradients"),
    plain("R16 dW_h misses h_0", {DW_H: '"W_h": weight_gradient(h_prev[1:], da[1:])'}, "IDSIA/brainstorm", "gradients"),
    plain("R17 db a mean over the batch", {'"b": db': '"b": db / x.shape[1]'}, function="gradients"),
    plain(
        "R18 db not summed over the batch",
        {'"b": db': '"b": da.sum(axis=0)'},
        function="gradients",
        check=checks.shapes_and_names_are_exact,
    ),
    plain("R19 db one grand sum", {'"b": db': '"b": 0 * db + db.sum()'}, "rasbt/stat453#5", "gradients"),
    plain("R20 db not accumulated", {'"b": db': '"b": da[0].sum(axis=0)'}, function="gradients"),
    plain("R22 averaged over time", {DW_H: DW_H + " / len(da)"}, "datascience.SE 30850", "gradients"),
    plain("R23 wrong sign", {'"b": db': '"b": -db'}, function="gradients"),
    plain(
        "R36 clipping hidden in the backward pass",
        {"da = dh * self.dphi(h)": "da = (dh * self.dphi(h)).clip(-0.5, 0.5)"},
    ),
    of_cell(LinearRNN, "lt-ornn-tanh")("R26 sigma' forgotten", {"da * self.dsigma(a)": "da"}, function="gradients"),
]

GATED = [
    lstm("L1 dc not carried", {"dc_prev = dc * f": "dc_prev = 0 * dc"}, "CaptainE/RNN-LSTM-in-numpy#1"),
    lstm("L2 dc carried without f", {"dc_prev = dc * f": "dc_prev = dc"}),
    lstm("L3 dc carried with i", {"dc_prev = dc * f": "dc_prev = dc * i"}),
    lstm("L4 dc misses the path through h", {TANH_PATH: "dc = dc"}, "apache/mxnet#4057"),
    lstm("L6 carried dc lost", {TANH_PATH: TANH_PATH.replace("dc + ", "")}),
    lstm("L8 tanh'(c) missing", {TANH_PATH: "dc = dc + dtanh_c"}),
    lstm("L9 do with c, not tanh(c)", {"dh * tanh_c": "dh * (f * c_prev + i * g)"}),
    lstm("L10 df with c_t for c_{t-1}", {"df = dc * c_prev": "df = dc * (f * c_prev + i * g)"}),
    lstm("L11 sigmoid' missing", {"do * o * (1 - o)": "do"}),
    lstm("L12 sigmoid for its derivative", {"df * f * (1 - f)": "df * sigmoid(f)"}, "CaptainE/RNN-LSTM-in-numpy#1"),
    lstm("L13 dg with sigmoid'", {"dg * (1 - g * g)": "dg * g * (1 - g)"}),
    lstm("L15 all gates use df", {"di * i * (1 - i)": "df * f * (1 - f)"}, "hanbt/learn_dl#53"),
    lstm(
        "L16 two gates exchanged",
        {"df * f * (1 - f), do * o * (1 - o)": "do * o * (1 - o), df * f * (1 - f)"},
    ),
    lstm("L17 dh_prev from one gate alone", {CARRY: "dh_prev = split(da, 4)[0] @ split(p.W_h, 4)[0].T"}),
    lstm(
        "df misses the tanh path",
        {"df = dc * c_prev": "df = (dc - dtanh_c * (1 - tanh_c * tanh_c)) * c_prev"},
        "nicklashansen/rnn_lstm_from_scratch#1",
    ),
    lstm(
        "biases of the wrong gates in one of the passes",
        {"p.b)": "np.roll(p.b, self.hidden_size))"},
        "ddbourgin/numpy-ml#42",
        "project",
    ),
    lstm("all zero", {'"W_x": dW_x': '"W_x": 0 * dW_x'}, "thinc's backprop_lstm", "gradients"),
    lstm(
        "L24 forget bias added silently",
        {"sigmoid(a_f)": "sigmoid(a_f + 1)"},
        "a classic; no gradient check sees it",
        "step",
        follows_its_equations,
    ),
    peephole(
        "dp_f wrong at t = 0",
        {P_F: P_F + " + ((da_i - da_f) * c_prev)[0].sum(axis=0)"},
        "IDSIA/brainstorm, seen only if c_0 is not zero",
        "gradients",
    ),
    peephole("dp_o with c_{t-1}", {"(da_o * c)": "(da_o * c_prev)"}, function="gradients"),
    peephole(
        "dc misses the output peephole",
        {"(da_o * p.p_o if diagonal else da_o @ p.V_o.T)": "0"},
        "tensorflow/tensorflow#34171",
    ),
    peephole("error flow through the peepholes cut", {"dc_prev + da_i * p.p_i + da_f * p.p_f": "dc_prev"}, "Gers 2000"),
    matrix("V_o not transposed", {"da_o @ p.V_o.T": "da_o @ p.V_o"}),
    gru("G3 sign of dz", {"(h_prev - n)": "(n - h_prev)"}),
    gru("G4 direct path missing", {"dh * z + du @": "du @"}),
    gru("G7 dn with sigmoid'", {"(1 - n * n)": "n * (1 - n)"}),
    gru("G8 dW_n not gated by r", {"ds = da_n * r": "ds = da_n"}),
    gru("G9 db_n without r", {"split(du, 3)": "split(da, 3)"}, function="gradients"),
    gru("G10 dr with h for W h + b", {"da_n * s": "da_n * h_prev"}, "ooples/AiDotNet#722"),
    gru("G11 dn with z for 1 - z", {"dh * (1 - z)": "dh * z"}),
    gru("G13 b_n left out", {"u_n + p.b_n": "u_n"}, function="step", check=follows_its_equations),
    of_cell(ChoGRU, "gru-cho")("G5 carry through r * h not gated", {"dh * z + dq * r + ": "dh * z + dq + "}),
]

AROUND = [
    around(
        "complex gradient without conjugate",
        {"E[0, ...] - ": "E[0, ...] + "},
        "tensorflow/tensorflow#378",
        "phases_backward",
        owner=unitary,
        cell="urnn",
    ),
    around("R27 upstream one step off", {"dstate[0] + dh[t, ...]": "dstate[0] + dh[t - 1, ...]"}, owner=steps.Plain),
    around(
        "L5 upstream of the final state ignored",
        {"check_upstream(cell, dh, dstate, tape)": "check_upstream(cell, dh, None, tape)"},
        "deeplearning4j#8838",
    ),
    around(
        "R28 initial state ignored",
        {"array[0, ...] = s": "array[0, ...] = 0"},
        "deeplearning.ai threads 521805 and 555049",
        "forward",
        checks.state_is_handed_on_from_window_to_window,
    ),
    around(
        "R33 one cache for all steps",
        {"tape.keep(t, cache)": "[tape.keep(k, cache) for k in range(len(tape))]"},
        function="forward_at",
        owner=steps.Plain,
    ),
    around(
        "R34 upstream modified in place",
        {"dstate = [dstate[0] + dh[t, ...], *dstate[1:]]": "dh[t] += dstate[0]; dstate = [dh[t], *dstate[1:]]"},
        "Burton2000/CS231n-2017#7",
        owner=steps.Plain,
        check=checks.nothing_passed_in_is_modified,
    ),
    around(
        "R35 gradients not zeroed between calls",
        {"dparams: dict = {}": 'dparams = cell.__dict__.setdefault("grads", {})'},
        check=checks.second_call_equals_the_first,
    ),
    around(
        "R1 = for += over time",
        {"totals[name] += value": "totals[name] = value.copy()"},
        function="add_to",
        owner=steps,
        check=checks.sequences_do_not_see_each_other,
    ),
    around(
        "gradient at masked steps",
        {"dstate = [where(live, d, 0) for d in dstate]": "pass"},
        "keras#1300, keras#1569",
        function="step_backward",
        owner=steps,
        check=checks.masked_steps_leave_no_trace,
        masked=True,
    ),
    around(
        "carry lost at masked steps",
        {"[d + c for d, c in zip(dstate_prev, carried, strict=True)]": "list(dstate_prev)"},
        function="step_backward",
        owner=steps,
        masked=True,
    ),
    around(
        "mask forgotten in the forward pass",
        {"new = [where(live, after, before) for after, before in zip(new, prev, strict=True)]": "pass"},
        "keras#1300, keras#1569",
        "step",
        checks.masked_batch_equals_its_sequences_one_by_one,
        owner=steps,
        masked=True,
    ),
    around(
        "backwards through the padding",
        {"mask[::-1, ...]": "mask"},
        "pytorch/pytorch#517",
        "forward",
        checks.masked_batch_equals_its_sequences_one_by_one,
        owner=layers.Bidirectional,
        build="bidirectional",
        masked=True,
    ),
    around(
        "outputs of the backward direction not turned round",
        {"h_back[::-1, ...]": "h_back"},
        function="forward",
        owner=layers.Bidirectional,
        build="bidirectional",
    ),
    around(
        "lower layer gets the upper one's upstream",
        {"below = back[name].inputs": "below = dh"},
        "like apache/mxnet#17898",
        owner=layers.Stack,
        build="stacked",
    ),
    around(
        "G14 truncation one step off",
        {
            "(stop - 1) // truncate * truncate": "(stop - 2) // truncate * truncate + 1",
            "start % truncate": "(start - 1) % truncate",
        },
        "rsokl/MyGrad#4",
        check=checks.truncation_cuts_the_carry_between_windows,
    ),
    around(
        "learned initial state gets one sequence's gradient",
        {"xp.sum(d, axis=0) if tape.learned": "d[0] if tape.learned"},
        check=checks.initial_state_can_be_learned,
    ),
    around(
        "clipped activations: the radial part passes",
        {"dh - xp.where(real(scale) < 1, radial, 0)": "dh"},
        owner=steps,
        function="clip_state_backward",
        check=checks.activations_can_be_clipped,
    ),
    around(
        "averaged over the batch for over time",
        {"averaged(dh, dstate, T)": "averaged(dh, dstate, B)"},
        check=checks.averaging_divides_the_upstream_by_the_number_of_steps,
    ),
    around(
        "repeated classes overwrite each other",
        {"xp is np": "False", "xp.add.at(dW, x, dy)": "dW[x] = dy"},
        function="add_rows",
        check=checks.class_numbers_equal_one_hot_rows,
        owner=ops,
    ),
    around(
        "one precision hard-coded",
        {"s.shape), dtype, xp)": 's.shape), "float64", xp)'},
        "like deep-learning-from-scratch-2",
        "forward",
        checks.float32_follows_float64,
    ),
    around(
        "fresh memory read before it is written",
        {"dx = xp.zeros(": "dx = xp.empty(", "dx[start:stop, ...] = dx_chunk": "dx[start:stop] += dx_chunk"},
        "what IDSIA/brainstorm's suite guards against",
        check=checks.garbage_in_fresh_memory_changes_nothing,
    ),
    around(
        "NumPy called on the device's arrays",
        {"xp_of(live).where": "__import__('numpy').where"},
        "deep-learning-from-scratch-2#7",
        "step",
        checks.the_standards_arrays_give_the_same_numbers,
        owner=steps,
        error=TypeError,
        masked=True,
    ),
]

MUTANTS = PLAIN + GATED + AROUND

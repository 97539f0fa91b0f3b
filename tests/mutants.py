"""Gradient bugs that people really made, each as a small change to the source of a cell, a layer or the engine.

Most are from public issues of teaching projects and libraries; "R13", "L10" and so on number the classic mistakes: R in
plain recurrent networks, L in the LSTM, G in the GRU. `case` and `check` name the check of the contract suite that is
to notice. Several get past a gradient check that starts from a zero state, has one step, or sends only ones.
"""

from typing import NamedTuple

import contract
from contract import Case
from references import follows_its_equations

from tinyrnn import engine, layers, ops
from tinyrnn.cells import GRU, LSTM, ChoGRU, Elman, LinearRNN, PeepholeLSTM, unitary


class Mutant(NamedTuple):
    bug: str
    origin: str
    owner: object  # class or module
    function: str
    edits: dict  # old source -> new source, each found exactly once
    case: Case
    check: object = contract.gradients_are_right
    error: type = AssertionError


def plain(bug, origin, function, edits, check=contract.gradients_are_right):
    return Mutant(bug, origin, Elman, function, edits, Case("elman"), check)


def lstm(bug, origin, function, edits, check=contract.gradients_are_right):
    return Mutant(bug, origin, LSTM, function, edits, Case("lstm"), check)


def peephole(bug, origin, function, edits, cell="lstm-peephole"):
    return Mutant(bug, origin, PeepholeLSTM, function, edits, Case(cell))


def gru(bug, origin, function, edits, check=contract.gradients_are_right):
    return Mutant(bug, origin, GRU, function, edits, Case("gru"), check)


def around(bug, origin, function, edits, check=contract.gradients_are_right, owner=engine, error=AssertionError, **case):
    return Mutant(bug, origin, owner, function, edits, Case(**{"cell": "lstm", **case}), check, error)


CARRY = "dh_prev = da @ p.W_h.T"
DW_H = '"W_h": weight_gradient(h_prev, da)'
TANH_PATH = "dc = dc + dtanh_c * (1 - tanh_c * tanh_c)"

MUTANTS = [
    # the plain recurrent network
    plain("R3 dh not carried", "qixianbiao/RNN#2", "step_backward", {CARRY: "dh_prev = 0 * da"}),
    plain("R5 carried without W_h", "classic", "step_backward", {CARRY: "dh_prev = da"}),
    plain("R6 W_h not transposed", "classic", "step_backward", {CARRY: "dh_prev = da @ p.W_h"}),
    plain("R7 carry added twice", "classic", "step_backward", {CARRY: "dh_prev = 2 * da @ p.W_h.T"}),
    plain("R10 tanh' missing", "blog.primen.dk", "step_backward", {"dh * self.dphi(h)": "dh"}),
    plain("R11 1 - h for 1 - h^2", "classic", "step_backward", {"self.dphi(h)": "(1 - h)"}),
    plain("R12 sigmoid' for tanh'", "classic", "step_backward", {"self.dphi(h)": "h * (1 - h)"}),
    plain("tanh' taken at h", "classic", "step_backward", {"self.dphi(h)": "self.dphi(self.phi(h))"}),
    plain(
        "R13 dW_h with h_t for h_{t-1}",
        "VikParuchuri/zero_to_gpt#9",
        "gradients",
        {"*, h_prev": "*, h", DW_H: DW_H.replace("h_prev", "h")},
    ),
    plain("R14 dW_h transposed", "classic", "gradients", {DW_H: '"W_h": weight_gradient(da, h_prev)'}),
    plain("R16 dW_h misses h_0", "brainstorm", "gradients", {DW_H: '"W_h": weight_gradient(h_prev[1:], da[1:])'}),
    plain("R17 db a mean over the batch", "classic", "gradients", {'"b": db': '"b": db / x.shape[1]'}),
    plain(
        "R18 db not summed over the batch",
        "classic",
        "gradients",
        {'"b": db': '"b": da.sum(axis=0)'},
        contract.shapes_and_names_are_exact,
    ),
    plain("R19 db one grand sum", "rasbt/stat453#5", "gradients", {'"b": db': '"b": 0 * db + db.sum()'}),
    plain("R20 db not accumulated", "classic", "gradients", {'"b": db': '"b": da[0].sum(axis=0)'}),
    plain("R22 averaged over time", "datascience.SE 30850", "gradients", {DW_H: DW_H + " / len(da)"}),
    plain("R23 wrong sign", "classic", "gradients", {'"b": db': '"b": -db'}),
    plain(
        "R36 clipping hidden in the backward pass",
        "classic",
        "step_backward",
        {"da = dh * self.dphi(h)": "da = (dh * self.dphi(h)).clip(-0.5, 0.5)"},
    ),
    Mutant(
        "R26 sigma' forgotten",
        "classic",
        LinearRNN,
        "gradients",
        {"da * self.dsigma(a)": "da"},
        Case("lt-ornn-tanh"),
    ),
    # the LSTM
    lstm("L1 dc not carried", "CaptainE/RNN-LSTM-in-numpy#1", "step_backward", {"dc_prev = dc * f": "dc_prev = 0 * dc"}),
    lstm("L2 dc carried without f", "classic", "step_backward", {"dc_prev = dc * f": "dc_prev = dc"}),
    lstm("L3 dc carried with i", "classic", "step_backward", {"dc_prev = dc * f": "dc_prev = dc * i"}),
    lstm("L4 dc misses the path through h", "apache/mxnet#4057", "step_backward", {TANH_PATH: "dc = dc"}),
    lstm("L6 carried dc lost", "classic", "step_backward", {TANH_PATH: TANH_PATH.replace("dc + ", "")}),
    lstm("L8 tanh'(c) missing", "classic", "step_backward", {TANH_PATH: "dc = dc + dtanh_c"}),
    lstm("L9 do with c, not tanh(c)", "classic", "step_backward", {"dh * tanh_c": "dh * (f * c_prev + i * g)"}),
    lstm(
        "L10 df with c_t for c_{t-1}", "classic", "step_backward", {"df = dc * c_prev": "df = dc * (f * c_prev + i * g)"}
    ),
    lstm("L11 sigmoid' missing", "classic", "step_backward", {"do * o * (1 - o)": "do"}),
    lstm(
        "L12 sigmoid for its derivative",
        "CaptainE/RNN-LSTM-in-numpy#1",
        "step_backward",
        {"df * f * (1 - f)": "df * sigmoid(f)"},
    ),
    lstm("L13 dg with sigmoid'", "classic", "step_backward", {"dg * (1 - g * g)": "dg * g * (1 - g)"}),
    lstm("L15 all gates use df", "hanbt/learn_dl#53", "step_backward", {"di * i * (1 - i)": "df * f * (1 - f)"}),
    lstm(
        "L16 two gates exchanged",
        "classic",
        "step_backward",
        {"df * f * (1 - f), do * o * (1 - o)": "do * o * (1 - o), df * f * (1 - f)"},
    ),
    lstm(
        "L17 dh_prev from one gate alone",
        "classic",
        "step_backward",
        {CARRY: "dh_prev = split(da, 4)[0] @ split(p.W_h, 4)[0].T"},
    ),
    lstm(
        "df misses the tanh path",
        "nicklashansen/rnn_lstm_from_scratch#1",
        "step_backward",
        {"df = dc * c_prev": "df = (dc - dtanh_c * (1 - tanh_c * tanh_c)) * c_prev"},
    ),
    lstm(
        "biases of the wrong gates in one pass",
        "ddbourgin/numpy-ml#42",
        "project",
        {"p.b)": "np.roll(p.b, self.hidden_size))"},
    ),
    lstm("all zero", "thinc backprop_lstm", "gradients", {'"W_x": dW_x': '"W_x": 0 * dW_x'}),
    lstm(
        "L24 forget bias added silently",
        "classic: no gradient check sees it",
        "step",
        {"sigmoid(a_f)": "sigmoid(a_f + 1)"},
        follows_its_equations,
    ),
    # with peepholes
    peephole(
        "dp_f wrong at t = 0",
        "IDSIA/brainstorm: only seen with c_0 other than zero",
        "gradients",
        {
            "(da_f * c_prev).sum(axis=over_time)": "(da_f * c_prev).sum(axis=over_time)"
            " + ((da_i - da_f) * c_prev)[0].sum(axis=0)"
        },
    ),
    peephole("dp_o with c_{t-1}", "classic", "gradients", {"(da_o * c)": "(da_o * c_prev)"}),
    peephole(
        "dc misses the output peephole",
        "tensorflow/tensorflow#34171",
        "step_backward",
        {"(da_o * p.p_o if diagonal else da_o @ p.V_o.T)": "0"},
    ),
    peephole(
        "V_o not transposed",
        "classic",
        "step_backward",
        {"da_o @ p.V_o.T": "da_o @ p.V_o"},
        "lstm-output-matrix",
    ),
    peephole(
        "error flow through the peepholes cut",
        "Gers 2000",
        "step_backward",
        {"dc_prev + da_i * p.p_i + da_f * p.p_f": "dc_prev"},
    ),
    # the GRU
    gru("G3 sign of dz", "classic", "step_backward", {"(h_prev - n)": "(n - h_prev)"}),
    gru("G4 direct path missing", "classic", "step_backward", {"dh * z + du @": "du @"}),
    gru("G7 dn with sigmoid'", "classic", "step_backward", {"(1 - n * n)": "n * (1 - n)"}),
    gru("G8 dW_n not gated by r", "classic", "step_backward", {"ds = da_n * r": "ds = da_n"}),
    gru("G9 db_n without r", "classic", "gradients", {"split(du, 3)": "split(da, 3)"}),
    gru("G10 dr with h for W h + b", "ooples/AiDotNet#722", "step_backward", {"da_n * s": "da_n * h_prev"}),
    gru("G11 dn with z for 1 - z", "classic", "step_backward", {"dh * (1 - z)": "dh * z"}),
    gru("G13 b_n left out", "classic", "step", {"u_n + p.b_n": "u_n"}, follows_its_equations),
    Mutant(
        "G5 path through r missing",
        "classic",
        ChoGRU,
        "step_backward",
        {"dh * z + dq * r + ": "dh * z + dq + "},
        Case("gru-cho"),
    ),
    # the unitary network
    around(
        "complex gradient without conjugate",
        "tensorflow/tensorflow#378",
        "phases_backward",
        {"E[0] - ": "E[0] + "},
        owner=unitary,
        cell="urnn",
    ),
    # what stands around the cells
    around("R27 upstream one step off", "classic", "backward", {"dstate[0] + dh[t]": "dstate[0] + dh[t - 1]"}),
    around(
        "L5 upstream of the final state ignored",
        "deeplearning4j#8838",
        "backward",
        {"check_upstream(cell, dh, dstate, tape)": "check_upstream(cell, dh, None, tape)"},
    ),
    around(
        "R28 initial state ignored",
        "deeplearning.ai threads 521805, 555049",
        "forward",
        {"array[0] = s": "array[0] = 0"},
        contract.state_is_handed_on_from_window_to_window,
    ),
    around(
        "R33 one cache for all steps", "classic", "forward", {"tape.kept.append(kept)": "tape.kept = [kept] * (t + 1)"}
    ),
    around(
        "R34 upstream modified in place",
        "Burton2000/CS231n-2017#7",
        "backward",
        {"dstate[0] = dstate[0] + dh[t]": "dh[t] += dstate[0]; dstate[0] = dh[t]"},
        contract.nothing_passed_in_is_modified,
    ),
    around(
        "R35 gradients not zeroed between calls",
        "ddbourgin/numpy-ml",
        "backward",
        {"dx, dparams, recorded = None, {}": 'dx, dparams, recorded = None, cell.__dict__.setdefault("grads", {})'},
        contract.second_call_equals_the_first,
    ),
    around(
        "R1 = for += over time",
        "classic",
        "backward",
        {"dparams[name] + value if name in dparams else value": "value"},
        contract.sequences_do_not_see_each_other,
    ),
    around(
        "gradient at masked steps",
        "keras#1300",
        "backward",
        {"dstate = [xp.where(live, d, 0) for d in dstate]": "pass"},
        contract.masked_steps_leave_no_trace,
        masked=True,
    ),
    around(
        "carry lost at masked steps",
        "classic",
        "backward",
        {"dstate = [d + c for d, c in zip(dstate, carried, strict=True)]": "pass"},
        masked=True,
    ),
    around(
        "mask forgotten in the forward pass",
        "keras#1569",
        "forward",
        {"new = [xp.where(live, after, before) for after, before in zip(new, prev, strict=True)]": "pass"},
        contract.masked_batch_equals_its_sequences_one_by_one,
        masked=True,
    ),
    around(
        "backwards through the padding",
        "pytorch/pytorch#517",
        "forward",
        {"mask[::-1]": "mask"},
        contract.masked_batch_equals_its_sequences_one_by_one,
        owner=layers.Bidirectional,
        build="bidirectional",
        masked=True,
    ),
    around(
        "outputs of the backward direction not turned round",
        "classic",
        "forward",
        {"h_back[::-1]": "h_back"},
        owner=layers.Bidirectional,
        build="bidirectional",
    ),
    around(
        "lower layer gets the upper one's upstream",
        "apache/mxnet#17898",
        "backward",
        {"below = back[name].inputs": "below = dh"},
        owner=layers.Stack,
        build="stacked",
    ),
    around(
        "G14 truncation one step off",
        "rsokl/MyGrad#4",
        "backward",
        {"t % truncate == 0": "(t + 1) % truncate == 0"},
        contract.truncation_cuts_the_carry_between_windows,
    ),
    around(
        "learned initial state gets one sequence's gradient",
        "rsokl/MyGrad: s0 unsupported",
        "backward",
        {"d.sum(axis=0) if tape.learned": "d[0] if tape.learned"},
        contract.initial_state_can_be_learned,
    ),
    around(
        "clipped activations: the radial part passes",
        "classic",
        "clip_state_backward",
        {"dh - xp.where(scale.real < 1, radial, 0)": "dh"},
        contract.activations_can_be_clipped,
    ),
    around(
        "averaged over the batch for over time",
        "classic",
        "backward",
        {"None if dh is None else dh / T": "None if dh is None else dh / B"},
        contract.averaging_divides_the_upstream_by_the_number_of_steps,
    ),
    around(
        "repeated classes overwrite each other",
        "deep-learning-from-scratch-2",
        "add_rows",
        {"return one_hot @ rows": "total = np.zeros((n, rows.shape[1])); total[index] = rows; return total"},
        contract.class_numbers_equal_one_hot_rows,
        owner=ops,
    ),
    around(
        "float64 hard-coded",
        "deep-learning-from-scratch-2 (float32 there)",
        "forward",
        {"xp.empty((T + 1, *s.shape), dtype)": 'xp.empty((T + 1, *s.shape), "float64")'},
        contract.float32_follows_float64,
    ),
    around(
        "fresh memory read before it is written",
        "IDSIA/brainstorm's buffer contract",
        "backward",
        {"xp.zeros_like(array[1:])": "xp.empty_like(array[1:])", "recorded[name][t] = d": "recorded[name][t] += d"},
        contract.recorded_gradients_are_those_of_each_state,
    ),
    around(
        "NumPy called on the device's arrays",
        "deep-learning-from-scratch-2#7",
        "forward",
        {"new = [xp.where": "new = [np.where"},
        contract.strict_arrays_give_the_same_numbers,
        error=TypeError,
        masked=True,
    ),
]

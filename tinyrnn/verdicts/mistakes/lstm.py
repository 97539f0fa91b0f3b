"""Mistakes in the LSTM, with the gates in the order i, f, o, g: the cell's path and the ways back to the state."""

from tinyrnn.verdicts.mistakes.entry import maker
from tinyrnn.verdicts.mistakes.lstm_gates import CELL, GATES, JOINED, PRE_ACTIVATIONS, TWO
from tinyrnn.verdicts.mistakes.recurrent import carry, initial_state
from tinyrnn.verdicts.mistakes.sums import bias, inputs, weight

path = maker("lstm", "lstm/cell-path")
product = maker("lstm", "bptt/matrix-product")
weights = maker("lstm", "bptt/weights")
start = maker("lstm", "bptt/initial-state")

THROUGH_H = "the part through h_t is dh_t o (1 - tanh²(c_t))"

CELL_PATH = [
    path(
        "cell-misses-the-path-through-the-output",
        "dc = dnext_c",
        "dc holds what the next step hands back alone, not what comes through h_t",
        "By how many ways does c_t reach the loss?",
        f"{TWO}; {THROUGH_H}. Yours has the part from the next step only.",
        "apache/mxnet#4057",
    ),
    path(
        "cell-carry-lost",
        "dc = dtanh_c * (1 - tanh_c * tanh_c)",
        "dc holds what comes through h_t alone, not what the next step hands back",
        "By how many ways does c_t reach the loss?",
        f"{TWO}. Yours has the part through h_t only: an assignment where something had to be added.",
        "CaptainE/RNN-LSTM-in-numpy#1",
    ),
    path(
        "tanh-of-c-differentiated-at-c-itself",
        "dc = dnext_c + dtanh_c * (1 - c * c)",
        "1 - c² where 1 - tanh²(c) belongs",
        "In tanh' = 1 - tanh², whose square is it, the input's or the output's?",
        f"{TWO}; {THROUGH_H}. Yours squares c itself, which makes the factor negative where |c| > 1.",
    ),
    path(
        "tanh-of-c-not-differentiated",
        "dc = dnext_c + dtanh_c",
        "the derivative of tanh(c) is missing",
        "What stands between c_t and h_t besides the output gate?",
        f"{TWO}; {THROUGH_H}. Yours has no tanh'.",
    ),
    path(
        "tanh-of-c-differentiated-without-the-square",
        "dc = dnext_c + dtanh_c * (1 - tanh_c)",
        "1 - tanh(c) where 1 - tanh²(c) belongs",
        "Should the slope of tanh be the same at c and at -c?",
        f"{TWO}; {THROUGH_H}. Yours has lost the square.",
    ),
    path(
        "tanh-of-c-differentiated-twice-over",
        "dc = dnext_c + dtanh_c * (1 - tanh(tanh_c) ** 2)",
        "tanh' is taken at tanh(c), not at c",
        "Does your function for tanh' want tanh's input or its output?",
        f"{TWO}; {THROUGH_H}. Yours applies tanh to tanh(c) before it takes the slope.",
    ),
    path(
        "tanh-of-c-with-the-derivative-of-the-sigmoid",
        "dc = dnext_c + dtanh_c * tanh_c * (1 - tanh_c)",
        "the sigmoid's derivative where tanh's belongs",
        "Which nonlinearity stands between c_t and h_t?",
        f"{TWO}; {THROUGH_H}. Yours has the slope of a sigmoid, y (1 - y).",
    ),
    path(
        "slope-of-tanh-applied-to-both-parts",
        "dc = (dnext_c + dtanh_c) * (1 - tanh_c * tanh_c)",
        "the slope of tanh multiplies the carry too: the parentheses are in the wrong place",
        "Does what the next step hands back pass the tanh between c_t and h_t?",
        f"{TWO}; {THROUGH_H}, and the other never meets that tanh. Yours multiplies both by its slope.",
    ),
    path(
        "output-gate-missing-on-the-way-into-the-cell",
        "dc = dnext_c + dh * (1 - tanh_c * tanh_c)",
        "the output gate is missing on the way from h_t to c_t",
        "What multiplies tanh(c_t) in the forward pass?",
        f"{TWO}; {THROUGH_H}. Yours has no o, as if the cell were always shown in full.",
    ),
    path(
        "output-gate-on-the-carry-too",
        "dc = (dnext_c + dh * (1 - tanh_c * tanh_c)) * o",
        "the output gate multiplies the carry too",
        "Does what the next step hands back pass the output gate of step t?",
        f"{TWO}; {THROUGH_H}, and the other never meets o_t. Yours multiplies both by it.",
    ),
    path(
        "cell-carry-added-twice",
        "dc = 2 * dnext_c + dtanh_c * (1 - tanh_c * tanh_c)",
        "what the next step hands back to the cell is counted twice",
        "On how many lines do you add what comes from the next step?",
        f"{TWO}, each of them once. Yours counts the carry twice.",
    ),
    path(
        "cell-carry-gated-once-more",
        "dc = dnext_c * f + dtanh_c * (1 - tanh_c * tanh_c)",
        "what the next step hands back is multiplied by the forget gate of this step as well",
        "Between which two cell states does f_t stand?",
        f"{CELL}: f_t stands between c_{{t-1}} and c_t. What arrives at c_t has passed f_(t+1) and no other gate yet.",
    ),
    path(
        "cell-carry-through-the-forget-gate-of-the-wrong-step",
        "dc = np.concatenate([dc[1:] * f[:-1], dnext_c[-1:]]) + dtanh_c * (1 - tanh_c * tanh_c)",
        "the carry from c_(t+1) to c_t goes through f_t",
        "Which forget gate stands between c_t and c_(t+1)?",
        "c_(t+1) = f_(t+1) c_t + ..., so the carry passes the gate of step t + 1. Yours passes that of step t: one step"
        " alone would not show it.",
    ),
    path(
        "gradient-of-the-final-cell-ignored",
        "dc = shift(dc_prev, -1) + dtanh_c * (1 - tanh_c * tanh_c)",
        "the gradient of the final cell state is not used; the carry starts from zero",
        "Can the loss look at the final cell state other than through h?",
        "A cell state that is handed on to a decoder or a next window brings back a gradient, and the carry into the"
        " last step begins with it. Yours begins with zero.",
        "deeplearning4j/deeplearning4j#8838",
    ),
    path(
        "cell-sees-the-gradient-from-above-alone",
        "dc = dnext_c + dout * o * (1 - tanh_c * tanh_c)",
        "the part of dc through h_t is made from the gradient from above alone",
        "Which gradient of h_t is the complete one, dout or dh?",
        f"{TWO}; {THROUGH_H}, where dh_t includes what step t + 1 handed back. Yours leaves that out.",
    ),
    path(
        "cell-parts-subtracted",
        "dc = dnext_c - dtanh_c * (1 - tanh_c * tanh_c)",
        "the part of dc through h_t is subtracted",
        "With which sign do the contributions of two readers of c_t combine?",
        f"{TWO}, and they add up. Yours takes their difference.",
    ),
    path(
        "cell-carry-cut",
        "dc_prev = 0 * dc",
        "nothing is handed back to c_{t-1}",
        "Which part of the forward pass lets c_{t-1} live on in c_t?",
        f"{CELL}, so c_{{t-1}} gets a gradient through f. Yours is zero, and with it the LSTM's long memory.",
        "CaptainE/RNN-LSTM-in-numpy#1",
    ),
    path(
        "cell-carried-without-the-forget-gate",
        "dc_prev = dc",
        "the carry to c_{t-1} has no forget gate",
        "How much of c_{t-1} reaches c_t?",
        f"{CELL}, so ∂c_t/∂c_{{t-1}} = f. Yours is 1: right only where nothing is forgotten.",
    ),
    path(
        "cell-carried-through-the-input-gate",
        "dc_prev = dc * i",
        "the carry to c_{t-1} goes through the input gate",
        "Which gate multiplies c_{t-1}?",
        f"{CELL}: i multiplies what is new, f what is old. Yours uses the gate of the new.",
    ),
    path(
        "cell-carried-through-the-output-gate",
        "dc_prev = dc * o",
        "the carry to c_{t-1} goes through the output gate",
        "Which gate multiplies c_{t-1}?",
        f"{CELL}: the output gate is not in it. Yours carries with o.",
    ),
    path(
        "cell-carried-through-one-minus-the-forget-gate",
        "dc_prev = dc * (1 - f)",
        "the carry to c_{t-1} goes through 1 - f",
        "Does f = 1 mean that everything is kept, or that everything is forgotten?",
        f"{CELL}: the forget gate says how much is kept. Yours carries what is dropped.",
    ),
    path(
        "cell-carried-through-the-slope-of-the-forget-gate",
        "dc_prev = dc * f * (1 - f)",
        "the carry to c_{t-1} has the slope of the sigmoid in it",
        "Does c_{t-1} go through the sigmoid of the forget gate, or past it?",
        f"{CELL}: f is a plain factor of c_{{t-1}}. The slope f (1 - f) belongs on the way into the gate.",
    ),
    path(
        "cell-carried-through-the-forget-gate-of-the-step-before",
        "dc_prev = dc * np.roll(f, 1, axis=0)",
        "the carry from c_t to c_{t-1} goes through f_{t-1}",
        "Which forget gate stands between c_{t-1} and c_t?",
        f"{CELL} with the f of step t. Yours has that of step t - 1, and at step 0 the last one.",
    ),
    path(
        "cell-carry-misses-the-path-through-the-output",
        "dc_prev = dnext_c * f",
        "only what the next step handed back is carried on, not what came through h_t",
        "Which gradient of c_t is the complete one?",
        f"{TWO}; both go on to c_{{t-1}}. Yours carries on only what had been carried.",
    ),
    path(
        "cell-carry-forgets-what-was-carried",
        "dc_prev = dtanh_c * (1 - tanh_c * tanh_c) * f",
        "only what came through h_t is carried on, not what the next step handed back",
        "Which gradient of c_t is the complete one?",
        f"{TWO}; both go on to c_{{t-1}}. Yours starts anew at every step, so nothing reaches further back than one.",
    ),
]

ALL_FOUR = "h_{t-1} enters all four gates, so what it gets back is a sum of four products"
BACK = [
    product(
        "carry-skips-the-gates-altogether",
        "dh_prev = dh",
        "dh is handed to the step before as it is",
        "Is h_{t-1} the same as h_t?",
        f"{ALL_FOUR}, each through a gate's slope and its block of W_h. Yours goes through neither.",
    ),
    product(
        "recurrent-blocks-not-transposed-in-the-carry",
        "dh_prev = da_i @ split(p.W_h, 4)[0] + da_f @ split(p.W_h, 4)[1]"
        " + da_o @ split(p.W_h, 4)[2] + da_g @ split(p.W_h, 4)[3]",
        "the blocks of W_h are not transposed",
        "If unit i drives gate j through W[i, j], along which index must the gradient of j travel to reach i?",
        "a_j = Σ_i h_i W_ij, so dh_i = Σ_j da_j W_ij, a sum over the second index. Yours sums over the first; each"
        " block is square, so no shape gives it away.",
    ),
    product(
        "all-gates-through-the-same-block",
        "dh_prev = (da_i + da_f + da_o + da_g) @ split(p.W_h, 4)[0].T",
        "the gradients of all four gates go back through the block of i",
        "Does h_{t-1} reach all four gates through the same weights?",
        f"{ALL_FOUR}, each with its own block of W_h. Yours uses the first block for all.",
    ),
]
for k, gate in enumerate("ifog"):
    BACK += [
        product(
            f"state-handed-back-through-gate-{gate}-alone",
            f"dh_prev = da_{gate} @ split(p.W_h, 4)[{k}].T",
            f"the carry to h_{{t-1}} comes through gate {gate} alone",
            "How many gates look at h_{t-1}?",
            f"{ALL_FOUR}. Yours is the one of {gate}: three more had to be added, not assigned.",
        ),
        product(
            f"state-handed-back-without-gate-{gate}",
            f"dh_prev = da @ p.W_h.T - da_{gate} @ split(p.W_h, 4)[{k}].T",
            f"the carry to h_{{t-1}} leaves out gate {gate}",
            "How many gates look at h_{t-1}?",
            f"{ALL_FOUR}. Yours has three: that of {gate} is missing.",
        ),
    ]

AROUND = [
    *weight("lstm", "dW_x", "input-weights", "x", "da"),
    *weight("lstm", "dW_h", "recurrent-weights", "h_prev", "da", after="h"),
    weights(
        "recurrent-weights-from-the-cell",
        "dW_h = weight_gradient(c_prev, da)",
        "dW_h uses c_{t-1} where W_h multiplied h_{t-1}",
        "Which of the two states do the gates look at?",
        "The gates see x_t and h_{t-1}; without peepholes the cell is hidden from them. Yours pairs da with the cell.",
    ),
    *bias("lstm", "db", "bias", "da"),
    *inputs("lstm"),
    *initial_state("lstm"),
    *initial_state("lstm", "c"),
    start(
        "initial-state-gets-the-gradient-of-the-initial-cell",
        "dh_0 = dc_0",
        "dh_0 is the gradient of c_0",
        "In which order do your functions return the gradients of the two states?",
        "h_0 and c_0 have the same shape and different gradients, that of h_0 through the gates and that of c_0 through"
        " the cell. Yours gives h_0 that of c_0.",
    ),
    start(
        "initial-cell-gets-the-gradient-of-the-initial-state",
        "dc_0 = dh_0",
        "dc_0 is the gradient of h_0",
        "In which order do your functions return the gradients of the two states?",
        "h_0 and c_0 have the same shape and different gradients, that of h_0 through the gates and that of c_0 through"
        " the cell. Yours gives c_0 that of h_0.",
    ),
]

LSTM = [*carry("lstm"), *CELL_PATH, *GATES, *PRE_ACTIVATIONS, *JOINED, *BACK, *AROUND]

"""Mistakes in the Elman network, the linear-transition RNN and the Linear Memory Network."""

from tinyrnn.verdicts.mistakes.entry import maker
from tinyrnn.verdicts.mistakes.nonlinearities import tanh_unit
from tinyrnn.verdicts.mistakes.recurrent import carry, initial_state
from tinyrnn.verdicts.mistakes.sums import bias, inputs, weight

tanh = maker("elman", "elman/tanh")
product = maker("elman", "bptt/matrix-product")
weights = maker("elman", "bptt/weights")
sums = maker("elman", "bptt/bias")
entrance = maker("elman", "bptt/inputs")

CHAIN = "x, W_x, W_h and b all act on the pre-activation, inside the tanh"

ELMAN = [
    *carry("elman"),
    *tanh_unit("elman", "da", "dh", "h", "a + h_prev @ p.W_h", "state"),
    tanh(
        "derivative-from-the-input-part-of-the-pre-activation",
        "da = dh * (1 - tanh(a) ** 2)",
        "tanh' is taken where the state before has no part in it",
        "What went into the tanh besides the input?",
        "The slope is that of tanh at x_t W_x + b + h_{t-1} W_h, the place where the forward pass used it. Yours is at"
        " x_t W_x + b alone.",
    ),
    tanh(
        "derivative-from-the-state-before",
        "da = dh * (1 - h_prev * h_prev)",
        "1 - h_{t-1}² where 1 - h_t² belongs",
        "Which state came out of the tanh at step t?",
        "h_t = tanh(a_t), so the slope at step t is 1 - h_t². Yours is the slope of the step before.",
    ),
    tanh(
        "carry-dropped-on-the-way-into-the-tanh",
        "da = dout * (1 - h * h)",
        "da is made from the gradient from above alone",
        "Which gradient of h_t is the complete one, dout or dh?",
        "da_t = dh_t tanh'(a_t) with everything that arrives at h_t. Yours leaves out what step t + 1 handed back.",
    ),
    product(
        "recurrent-weights-not-transposed-in-the-carry",
        "dh_prev = da @ p.W_h",
        "W_h where its transpose belongs",
        "If unit i drives unit j through W_h[i, j], along which index must the gradient of j travel to reach i?",
        "a_j = Σ_i h_i W_ij, so dh_i = Σ_j da_j W_ij, a sum over the second index. Yours sums over the first; W_h is"
        " square, so no shape gives it away.",
    ),
    product(
        "recurrent-weights-left-out-of-the-carry",
        "dh_prev = da",
        "the gradient goes from the pre-activation to the state before as it is, not through W_h",
        "What does the forward pass do to h_{t-1} before it enters the tanh?",
        "h_{t-1} W_h is a matrix product, and its gradient with respect to h_{t-1} is one too. Yours hands da back as"
        " it is, and only the shapes agree.",
    ),
    product(
        "carry-skips-the-tanh",
        "dh_prev = dh @ p.W_h.T",
        "dh where da belongs: the carry does not pass the tanh",
        "What lies between h_t and h_{t-1} besides W_h?",
        "∂h_t/∂h_{t-1} is W_h and tanh' together. Yours leaves tanh' out, so it does not shrink where units saturate.",
    ),
    product(
        "gradient-of-the-state-handed-back-untouched",
        "dh_prev = dh",
        "dh is handed to the step before as it is",
        "Is h_{t-1} the same as h_t?",
        "Between the two states lie W_h and a tanh, and the gradient has to go back through both. Yours goes through"
        " neither.",
    ),
    product(
        "carry-goes-through-the-layer-forwards",
        "dh_prev = tanh(dh @ p.W_h.T)",
        "tanh is applied to the gradient",
        "Is the backward pass of a function the function itself?",
        "Backwards, a tanh is a multiplication by its slope; the gradient itself never goes through a tanh.",
    ),
    weights(
        "recurrent-weights-from-the-gradient-after-the-tanh",
        "dW_h = weight_gradient(h_prev, dh)",
        "dW_h is made from dh, not from da",
        "Is h_{t-1} W_h added before the tanh or after it?",
        f"{CHAIN}, so their gradients start from that of the pre-activation. Yours starts from that of h.",
    ),
    weights(
        "input-weights-from-the-gradient-after-the-tanh",
        "dW_x = weight_gradient(x, dh)",
        "dW_x is made from dh, not from da",
        "Is x_t W_x added before the tanh or after it?",
        f"{CHAIN}, so their gradients start from that of the pre-activation. Yours starts from that of h.",
    ),
    sums(
        "bias-from-the-gradient-after-the-tanh",
        "db = dh.sum(axis=(0, 1))",
        "db is made from dh, not from da",
        "Is b added before the tanh or after it?",
        f"{CHAIN}, so their gradients start from that of the pre-activation. Yours starts from that of h.",
    ),
    entrance(
        "input-gradient-skips-the-tanh",
        "dx = dh @ p.W_x.T",
        "dx is made from dh, not from da",
        "What lies between x_t and h_t besides W_x?",
        f"{CHAIN}, so their gradients start from that of the pre-activation. Yours starts from that of h.",
    ),
    *weight("elman", "dW_x", "input-weights", "x", "da"),
    *weight("elman", "dW_h", "recurrent-weights", "h_prev", "da", after="h", square=True),
    *bias("elman", "db", "bias", "da"),
    *inputs("elman"),
    *initial_state("elman"),
]

linear = maker("lt-rnn", "linear/recurrence")
APART = "h_t = h_{t-1} V + a_t is linear in both terms; σ sits on the input, a_t = σ(x_t U + b), and nowhere else"
SLOPE = "x, U and b act inside σ, so their gradients are those of a_t times σ'; with a_t = tanh(s), σ' = 1 - a_t²"

LINEAR = [
    *carry("lt-rnn"),
    linear(
        "tanh-on-the-linear-recurrence",
        "da = dh * (1 - h * h)",
        "da has a factor 1 - h_t², as if the state had gone through a tanh",
        "Through which function did h_t go after the sum?",
        f"{APART}. Yours treats the state as the output of a tanh.",
    ),
    linear(
        "derivative-of-the-input-taken-too-early",
        "da = dh * (1 - a * a)",
        "da has the factor σ', which belongs behind it",
        "Is a_t what goes into σ, or what comes out of it?",
        f"{APART}. a_t is σ's output, so σ' is not on the way from h_t to a_t but on the way from a_t to x_t U + b.",
    ),
    linear(
        "transition-not-transposed-in-the-carry",
        "dh_prev = dh @ p.V",
        "V where its transpose belongs",
        "If unit i drives unit j through V[i, j], along which index must the gradient of j travel to reach i?",
        "h_j = Σ_i h_i V_ij + a_j, so the gradient of h_i is a sum over the second index. Yours sums over the first;"
        " for an orthogonal V it turns the gradient the wrong way and keeps its length, so nothing looks amiss.",
    ),
    linear(
        "transition-left-out-of-the-carry",
        "dh_prev = dh",
        "the gradient goes to the state before as it is, not through V",
        "What does the forward pass do to h_{t-1}?",
        f"{APART}. h_{{t-1}} is multiplied by V, and so is, transposed, its gradient; yours passes it as it is.",
    ),
    linear(
        "derivative-of-the-input-in-the-carry",
        "dh_prev = (dh * (1 - a * a)) @ p.V.T",
        "the carry has the factor σ' of the input",
        "Does h_{t-1} go through σ?",
        f"{APART}. Yours lets σ' shrink the carry, the very thing this network is built to avoid.",
    ),
    linear(
        "tanh-of-the-state-in-the-carry",
        "dh_prev = (dh * (1 - h * h)) @ p.V.T",
        "the carry has a factor 1 - h_t², that of an Elman network",
        "Does h_{t-1} go through a nonlinearity?",
        f"{APART}. Yours is the carry of an Elman network.",
    ),
    linear(
        "input-weights-without-the-slope-of-the-input",
        "dU = weight_gradient(x, da)",
        "σ' is missing in dU",
        "What stands between a_t and x_t U?",
        f"{SLOPE}. Yours has no σ'.",
    ),
    linear(
        "bias-without-the-slope-of-the-input",
        "db = da.sum(axis=(0, 1))",
        "σ' is missing in db",
        "What stands between a_t and b?",
        f"{SLOPE}. Yours has no σ'.",
    ),
    linear(
        "input-gradient-without-the-slope-of-the-input",
        "dx = da @ p.U.T",
        "σ' is missing in dx",
        "What stands between a_t and x_t U?",
        f"{SLOPE}. Yours has no σ'.",
    ),
    linear(
        "input-weights-with-the-slope-taken-at-the-state",
        "dU = weight_gradient(x, da * (1 - h * h))",
        "dU has the slope at h_t, not at a_t",
        "Which of a_t and h_t is an output of σ?",
        f"{SLOPE}. Yours takes it from h_t, which is a sum.",
    ),
    linear(
        "input-weights-with-the-slope-taken-at-the-output",
        "dU = weight_gradient(x, da * (1 - tanh(a) ** 2))",
        "dU has tanh' at a_t, which is an output of tanh already",
        "Does your function for σ' want σ's input or its output?",
        f"{SLOPE}. Yours applies tanh once more before it takes the slope.",
    ),
    linear(
        "transition-gradient-with-the-slope-of-the-input",
        "dV = weight_gradient(h_prev, da * (1 - a * a))",
        "dV has the factor σ' of the input",
        "Does h_{t-1} V go through σ?",
        f"{APART}. Yours treats h_{{t-1}} V as if it stood inside σ.",
    ),
    *weight("lt-rnn", "dU", "input-weights", "x", "da * (1 - a * a)"),
    *weight("lt-rnn", "dV", "transition", "h_prev", "da", after="h", square=True),
    *bias("lt-rnn", "db", "bias", "da * (1 - a * a)"),
    *inputs("lt-rnn"),
    *initial_state("lt-rnn"),
]

memory = maker("lmn", "lmn/memory")
READERS = "m_{t-1} is read twice, by h_t = tanh(a_t + m_{t-1} W_mh) and by m_t = h_t W_hm + m_{t-1} W_mm + b_m"

LMN = [
    *carry("lmn", "m"),
    memory(
        "memory-handed-back-through-the-linear-path-alone",
        "dm_prev = dm @ p.W_mm.T",
        "the carry leaves out the path through h_t",
        "Who reads m_{t-1} besides m_t?",
        f"{READERS}. Yours brings back the second contribution only.",
    ),
    memory(
        "memory-handed-back-through-the-hidden-path-alone",
        "dm_prev = da @ p.W_mh.T",
        "the carry leaves out the linear path from m_{t-1} to m_t",
        "Who reads m_{t-1} besides h_t?",
        f"{READERS}. Yours brings back the first contribution only, so the memory forgets like an Elman network.",
    ),
    memory(
        "memory-matrix-not-transposed-in-the-carry",
        "dm_prev = dm @ p.W_mm + da @ p.W_mh.T",
        "W_mm where its transpose belongs",
        "If unit i of the memory drives unit j through W_mm[i, j], how does the gradient of j reach i?",
        f"{READERS}. In m_j = Σ_i m_i W_ij the gradient of m_i sums over the second index; yours sums over the first.",
    ),
    memory(
        "memory-handed-back-with-the-gradient-before-the-tanh-of-h",
        "dm_prev = dm @ p.W_mm.T + dh @ p.W_mh.T",
        "dh where da belongs in the carry",
        "Is m_{t-1} W_mh added before the tanh or after it?",
        f"{READERS}. m_{{t-1}} W_mh stands inside the tanh; yours skips tanh'.",
    ),
    *tanh_unit("lmn", "da", "dh", "h", "a + m_prev @ p.W_mh", "hidden-unit"),
    memory(
        "memory-weights-with-the-memory-after-the-step",
        "dW_mm = weight_gradient(m, dm)",
        "dW_mm uses m_t where W_mm multiplied m_{t-1}",
        "Which memory did W_mm multiply at step t?",
        f"{READERS}. Yours has the memory after the step.",
    ),
    memory(
        "memory-weights-transposed",
        "dW_mm = weight_gradient(dm, m_prev)",
        "dW_mm is transposed",
        "Which axis of W_mm does its input run along, the first or the second?",
        "The gradient of W_mm is Σ m_{t-1}ᵀ dm_t, rows for its input, columns for its output. W_mm is square, so no"
        " shape gives it away.",
    ),
    memory(
        "reading-weights-with-the-memory-after-the-step",
        "dW_mh = weight_gradient(m, da)",
        "dW_mh uses m_t where W_mh multiplied m_{t-1}",
        "Which memory did W_mh multiply at step t?",
        f"{READERS}. Yours has the memory after the step.",
    ),
    memory(
        "writing-weights-with-the-hidden-units-of-the-step-before",
        "dW_hm = weight_gradient(np.roll(h, 1, axis=0), dm)",
        "dW_hm uses h_{t-1} where W_hm multiplied h_t",
        "Is h a state that the next step reads, or something made and used within one step?",
        f"{READERS}. W_hm multiplies h_t, of the same step; yours has that of the step before.",
    ),
    *weight("lmn", "dW_xh", "input-weights", "x", "da"),
    *bias("lmn", "db_h", "hidden-bias", "da"),
    *bias("lmn", "db_m", "memory-bias", "dm"),
    *initial_state("lmn", "m"),
]

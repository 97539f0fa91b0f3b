"""Subjects by owners I to P: a course's LSTM and its convolution over time, notebooks with a masked GRU and others."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, place

# a course's LSTM whose caches are a stack, and whose weights' gradients are sums of outer products --------------------

STACK = "jaentrouble/cnnassign3"
STACK_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def stack(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (3, 16), (4, 16), (16,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 3), h0=r(2, 4), **weights)


# another course's convolution over time, by loops, and what leaves out every second step after it ---------------------

STRIDE = "namburusiddhartha/Deep_Learning_11785_CMU"
STRIDE_WEIGHTS = {"conv1d_stride1.W": (4, 3, 3), "conv1d_stride1.b": (4,)}
STRIDE_LAYER = """

class Layer(Conv1d):
    def __init__(self):
        super().__init__(3, 4, 3, 2)
"""


def of_loss(made, path):
    """The gradient of a weight is the attribute with dLd before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"dLd{name}")


# a third course's RNN with a sequence in columns ----------------------------------------------------------------------

COLUMNS = "OscarMelin/deep_learning_DD2424"
COLUMNS_WEIGHTS = "U W V b c"
COLUMNS_EDITS = (
    ("np.asscalar(np.matmul(y_t.T, p_t))", "np.matmul(y_t.T, p_t).item()"),
    ("np.tanh(a_s[:, t]**2)", "np.tanh(a_s[:, t])**2"),  # see README.md
    ("h0 = np.zeros((self.m, 1))\n        hs", "h0 = self.h0\n        hs"),
    ("np.clip(v, -5, 5)", "np.clip(v, -1000, 1000)"),
)
COLUMNS_LOSS = f"""

def loss_and_gradients(X_chars, Y_chars, h0, {COLUMNS_WEIGHTS.replace(" ", ", ")}):
    rnn = RNN(5, 4, 0.1, X_chars.shape[1])
    rnn.h0, rnn.weights = h0, dict(U=U, W=W, V=V, b=b, c=c)
    ps, hs, a_s, loss = rnn.forward(X_chars, Y_chars)
    rnn.backwards(ps, hs, a_s, X_chars, Y_chars, True)
    return loss, rnn.gradients
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, COLUMNS_WEIGHTS, (4, 5), (4, 4), (5, 4), (4, 1), (5, 1))
    hot = np.eye(5)[[0, 3, 3, 1, 4, 2, 1]].T
    return loss(m.loss_and_gradients, COLUMNS_WEIGHTS, X_chars=hot[:, :-1], Y_chars=hot[:, 1:], h0=r(4, 1), **weights)


# a notebook's GRU without a reset gate, with a mask for the steps after the end; it speaks at the end -----------------

MASKED = "jakelourie1502/RNN_from_scratch_compared_to_Keras"
MASKED_TAKEN = "gforward_prop_1 gcells_fw_prop gfull_fw_prop gback_prop_one_layer gback_prop_full_swing"
MASKED_WEIGHTS = "gWCx gWCc gWCb gWUx gWUc gWUb gWYa gWYb"
MASKED_BEFORE = "from scipy.special import expit as sigmoid\n\nTx = 5"
MASKED_EDITS = (  # see README.md
    ("dc_dc_1 = (1-cupd).T", "dl_dc_1 = dl_dc * (1-cupd).T"),
    ("((dc_dč * dč_dzc).T", "((dl_dc.T * dc_dč * dč_dzc).T"),
    ("((dc_dcupd * dcupd_dzu).T", "((dl_dc.T * dc_dcupd * dcupd_dzu).T"),
    ("dl_dc_1 = dl_dc * dc_dc_1", ""),
    ("dcupd_dzu = sigmoid(zu)", "dcupd_dzu = (1-mask_x[t-1]) * sigmoid(zu)"),
    (" dč_dzc) @ x_.T", " dč_dzc) @ x_.T / batch_size"),
    (" dč_dzc) @ c_.T", " dč_dzc) @ c_.T / batch_size"),
    (" dcupd_dzu) @ x_.T", " dcupd_dzu) @ x_.T / batch_size"),
    (" dcupd_dzu) @ c_.T", " dcupd_dzu) @ c_.T / batch_size"),
    ("reversed(range(int(Tx)))", "reversed(range(1, int(Tx) + 1))"),
    ("weights['gWCb'] -= learning_rate*dL_dWUb", "weights['gWUb'] -= learning_rate*dL_dWUb"),
    *((f"weights['gW{k}'] -= learning_rate*", f"gradients['gW{k}'] += ") for k in "Cx Cc Cb Ux Uc Ub".split()),
    *((f"weights['gWY{k}'] -= learning_rate * ", f"gradients['gWY{k}'] += ") for k in "ab"),
    (
        "'''initial loss function w.r.t Z'''",
        "gradients = {name: np.zeros_like(weight) for name, weight in weights.items()}",
    ),
    (
        "        return dL_dWCx, dL_dWCb, dL_dWCc, dL_dWUx, dL_dWUb, dL_dWUc, dl_dc_1, dL_dWYa",
        "    return gradients, dL_dWYa",
    ),
)
MASKED_LOSS = f"""

def loss_and_gradients(x, mask, y, a0, {MASKED_WEIGHTS.replace(" ", ", ")}):
    names = "{MASKED_WEIGHTS}".split()
    weights = dict(zip(names, ({MASKED_WEIGHTS.replace(" ", ", ")})))
    *kept, Yz, Ÿ = gfull_fw_prop(a0, weights, {{}}, {{}}, {{}}, {{}}, {{0: a0}}, x, mask, Tx)
    gradients, *_ = gback_prop_full_swing(Ÿ, y, Tx, weights, *kept, x, mask, batch_size=len(y))
    loss = -np.sum(y * np.log(Ÿ) + (1 - y) * np.log(1 - Ÿ)) / len(y)
    return loss, gradients
"""


def masked(m):
    r = numbers()
    shapes = [(4, 3), (4, 4), (4, 1)] * 2 + [(1, 4), (1, 1)]
    weights = weights_of(r, MASKED_WEIGHTS, *shapes)
    mask = np.array([[0, 0], [0, 0], [0, 0], [0, 1], [0, 1]])
    given = {"x": r(3, 5, 2), "mask": mask, "y": np.array([1, 0]), "a0": r(4, 2)}
    return loss(m.loss_and_gradients, MASKED_WEIGHTS, **given, **weights)


# another notebook's RNN, whose methods are written one in a cell ------------------------------------------------------

CELLS = "JapiKredi/RNN_from_scratch"
CELLS_WEIGHTS = "U V W b c"
CELLS_EDITS = (
    ("dc += dc", "dc += dy"),  # see README.md
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
)
CELLS_BEFORE = "def zero_init(rows, cols):\n    return np.zeros((rows, cols))"
CELLS_LOSS = f"""

class Model:
    def softmax(self, x):
        return np.exp(x) / np.sum(np.exp(x))


Model.forward, Model.loss, Model.backward = forward, loss, backward


def loss_and_gradients(inputs, targets, hprev, {CELLS_WEIGHTS.replace(" ", ", ")}):
    rnn = Model()
    rnn.U, rnn.V, rnn.W, rnn.b, rnn.c = {CELLS_WEIGHTS.replace(" ", ", ")}
    rnn.vocab_size, rnn.seq_length = len(c), len(inputs)
    xs, hs, ps = rnn.forward(inputs, hprev)
    dU, dW, dV, db, dc = rnn.backward(xs, hs, ps, targets)
    return rnn.loss(ps, targets), dU, dV, dW, db, dc
"""


def cells(m):
    r = numbers()
    weights = weights_of(r, CELLS_WEIGHTS, (4, 5), (5, 4), (4, 4), (4, 1), (5, 1))
    words = {"inputs": np.array([0, 3, 3, 1, 2]), "targets": np.array([3, 3, 1, 2, 4])}
    return loss(m.loss_and_gradients, CELLS_WEIGHTS, **words, hprev=r(4, 1), **weights)


# a transformer of an encoder and a decoder whose gradients have names as long as what they are ------------------------

LONG = "marjanme/transformer-numpy"
LONG_HEADS = {f"W_{kind}_att_h_{k}": (4, 4) for k in (1, 2, 3) for kind in ("keys_{}", "queries_{}", "values_{}")}
LONG_FFN = {"W_ffn_layer_1": (4, 5), "W_ffn_layer_2": (5, 4), "gamma_norm_ffn": (1, 4), "beta_norm_ffn": (1, 4)}
LONG_NORM = {"W_output_{}_att": (12, 4), "gamma_norm_{}_att": (1, 4), "beta_norm_{}_att": (1, 4)}
LONG_PARTS = {"encoder": ("self",), "decoder": ("masked", "cross")}
LONG_WEIGHTS = {
    f"{half}_layer_{name.format(kind)}": shape
    for half, kinds in LONG_PARTS.items()
    for kind in kinds
    for name, shape in (LONG_HEADS | LONG_NORM).items()
}
LONG_WEIGHTS |= {f"{half}_layer_{name}": shape for half in LONG_PARTS for name, shape in LONG_FFN.items()}
LONG_WEIGHTS |= {"encoder_layer_embedding_matrix": (6, 4), "decoder_layer_embedding_matrix": (7, 4)}
LONG_EDITS = (  # see README.md
    (
        "= (loss_wrt_norm_layer_output * gamma) / sigma",
        "= loss_wrt_norm_layer_output * gamma\n"
        "        normalized = (added_prior_and_residual - mu) / sigma\n"
        "        along = normalized * np.mean(loss_wrt_norm_layer_base_input * normalized, axis=-1, keepdims=True)\n"
        "        mean = np.mean(loss_wrt_norm_layer_base_input, axis=-1, keepdims=True)\n"
        "        loss_wrt_norm_layer_base_input = (loss_wrt_norm_layer_base_input - mean - along) / sigma",
    ),
    ("(loss_wrt_masked_att_output, \n         _, ", "(loss_wrt_masked_att_output, \n         decoder_residual, "),
    ("(loss_wrt_self_att_output, \n         _, ", "(loss_wrt_self_att_output, \n         encoder_residual, "),
    *(
        (
            f"loss_wrt_{half}_pos_encoded_from_queries_projections\n        )",
            f"loss_wrt_{half}_pos_encoded_from_queries_projections + {half}_residual\n        )",
        )
        for half in LONG_PARTS
    ),
)
LONG_LOSS = f"""

class Encoder:
    input_vocab = {{word: k for k, word in enumerate("a b c d e f".split())}}


class Decoder:
    output_vocab = {{word: k for k, word in enumerate("<start> t u v w x <eos>".split())}}


class Model:
    def __init__(self):
        self.encoder_layer, self.decoder_layer = Encoder(), Decoder()


def loss_and_gradients({", ".join(LONG_WEIGHTS)}):
    model = Model()
    given = dict(zip({tuple(LONG_WEIGHTS)}, ({", ".join(LONG_WEIGHTS)})))
    for name, weight in given.items():
        setattr(getattr(model, name[:13]), name[14:], weight)
    words, wanted = "b d a d", "t w <eos>"
    loss, found = TransformerHelper.compute_loss_and_gradient(model, words, wanted, 2, 6)
    embedded = {{half: found.pop(half + "_layer.loss_wrt_input_embeddings") for half in ("encoder", "decoder")}}
    found["encoder_layer.embedding_matrix"] = np.zeros((6, 4))
    np.add.at(found["encoder_layer.embedding_matrix"], [1, 3, 0, 3], embedded["encoder"])
    np.add.at(found["decoder_layer.embedding_matrix"], [0, 1, 4], embedded["decoder"])
    return loss, {{name.replace(".", "_"): gradient for name, gradient in found.items()}}
"""


def long_names(m):
    r = numbers()
    weights = {name: 0.7 * r(*shape) for name, shape in LONG_WEIGHTS.items()}
    return loss(m.loss_and_gradients, " ".join(LONG_WEIGHTS), **weights)


# characters one by one, as so often: an RNN in one function -----------------------------------------------------------

ONE = "PollenJain/RNN-Numpy"
ONE_WEIGHTS = "U W V bh by"
ONE_EDITS = (
    ("def lossFun(inputs, targets, hprev)", f"def lossFun(inputs, targets, hprev, {ONE_WEIGHTS.replace(' ', ', ')})"),
    ("np.dot(V.T, dy) #", "np.dot(V.T, dy) + dhnext #"),  # see README.md
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
)


def one(m):
    r = numbers()
    weights = weights_of(r, ONE_WEIGHTS, (4, 5), (4, 4), (5, 4), (4, 1), (5, 1))
    words = {"inputs": np.array([0, 3, 3, 1, 2]), "targets": np.array([3, 3, 1, 2, 4])}
    return loss(m.lossFun, ONE_WEIGHTS, **words, hprev=r(4, 1), **weights)


SUBJECTS = [
    Subject(STACK, "LSTM", (Part("cs231n/rnn_layers.py", STACK_TAKEN),), stack),
    Subject(
        STRIDE,
        "convolution over time",
        (
            Part("mytorch/resampling.py", "Downsample1d", module="resampling"),
            Part("mytorch/conv.py", "Conv1d_stride1 Conv1d", (), "from resampling import *", STRIDE_LAYER),
        ),
        object_of("Layer", STRIDE_WEIGHTS, "A", of_loss, A=(2, 3, 8)),
    ),
    Subject(
        COLUMNS,
        "RNN",
        (Part("assignment4/RNN.py", "softmax RNN", COLUMNS_EDITS, after=COLUMNS_LOSS),),
        columns,
        published="the tanh's derivative squares before the tanh, but for the last step",
    ),
    Subject(
        MASKED,
        "GRU",
        (Part("RNN_from_scratch.ipynb", MASKED_TAKEN, MASKED_EDITS, MASKED_BEFORE, MASKED_LOSS),),
        masked,
        published="what is carried back is multiplied apart, one step alone is made, the mask is forgotten",
    ),
    Subject(
        CELLS,
        "RNN",
        (Part("rnn_from_scratch.ipynb", "forward loss backward", CELLS_EDITS, CELLS_BEFORE, CELLS_LOSS),),
        cells,
        published="the gradient of the output's bias is added to itself",
    ),
    Subject(
        LONG,
        "transformer",
        (Part("implementation/transformer_helper.py", "TransformerHelper", LONG_EDITS, after=LONG_LOSS),),
        long_names,
        published="mean and deviation are held fixed in the norms, and the embeddings miss what went around attention",
    ),
    Subject(
        ONE,
        "RNN",
        (Part("vanilla_rnn.py", "lossFun", ONE_EDITS, "vocab_size, hidden_size = 5, 4"),),
        one,
        published="nothing is carried back",
    ),
]

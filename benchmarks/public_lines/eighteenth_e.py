"""Subjects by owners 0 to K, names of odd length: a peephole LSTM, attention in groups, a convolution, and others."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an LSTM whose gates look at the cell; inputs, state and bias in one row, all weights in one matrix -------------------

PEEPHOLES = "AlphaDeeX/LSTM-Python"
PEEPHOLES_WEIGHTS = {"WLSTM": (7, 16), "WpeepIFO": (3, 4), "W_out": (2, 4)}
PEEPHOLES_EDITS = (
    ("xrange", "range"),
    ("(1 - np.tanh(self.C[t,:]**2))\n", "(1 - np.tanh(self.C[t,:])**2)\n"),  # this and all below see README.md
    (
        "            if (t>0):\n                self.dIFOA_f[t,self.hidden_size",
        "            o = self.IFOA_f[t,2*self.hidden_size:3*self.hidden_size]\n"
        "            do = self.dIFOA_f[t,2*self.hidden_size:3*self.hidden_size] * o * (1 - o)\n"
        "            self.dC[t,:] += do * self.WpeepIFO[2,:]\n\n"
        "            if (t>0):\n                self.dIFOA_f[t,self.hidden_size",
    ),
    (
        "            # backprop the peephole connections\n",
        "            # backprop the peephole connections\n"
        "            dprev_c = self.dIFOA[t,:self.hidden_size] * self.WpeepIFO[0,:]\n"
        "            dprev_c += self.dIFOA[t,self.hidden_size:2*self.hidden_size] * self.WpeepIFO[1,:]\n"
        "            if t>0:\n                self.dC[t-1,:] += dprev_c\n"
        "            else:\n                self.dc0 = self.dc0 + dprev_c\n",
    ),
    ("        self.c0 = self.C[t,:]\n        self.h0 = self.Hout[t,:]\n", ""),
)
PEEPHOLES_LOSS = f"""

def loss_and_gradients(signal, target, h0, c0, {", ".join(PEEPHOLES_WEIGHTS)}):
    lstm = LSTMPopulation(2, 4)
    lstm.h0, lstm.c0, lstm.WLSTM, lstm.WpeepIFO = h0, c0, WLSTM, WpeepIFO
    lstm.forward(signal)
    hidden = lstm.get_hidden_output()
    error = hidden.dot(W_out.T) - target
    lstm.backward(error.dot(W_out))
    return 0.5 * np.sum(error**2), lstm.dh0, lstm.dc0, lstm.dWLSTM, lstm.dWpeepIFO, error.T.dot(hidden)
"""


def peepholes(m):
    r = numbers()
    weights = weights_of(r, " ".join(PEEPHOLES_WEIGHTS), *PEEPHOLES_WEIGHTS.values())
    given = {"signal": r(5, 2), "target": r(5, 2), "h0": r(4), "c0": r(4)}
    return loss(m.loss_and_gradients, "h0 c0 " + " ".join(PEEPHOLES_WEIGHTS), **given, **weights)


# a course's characters, columns in; errors of states kept for all steps, tanh's derivative as a diagonal --------------

MATRICES = "annasanchez27/DD2424-deep-learning-data-science"
MATRICES_WEIGHTS = {"U": (3, 5), "V": (5, 3), "W": (3, 3), "b": (3, 1), "c": (5, 1)}
MATRICES_EDITS = (("np.clip(grads[grad], -5, 5)", "np.clip(grads[grad], -5000, 5000)"),)
MATRICES_LOSS = f"""

def loss_and_gradients(X, Y, h0, {", ".join(MATRICES_WEIGHTS)}):
    rnn = RNN(5, 3)
    rnn.param = dict(zip({list(MATRICES_WEIGHTS)}, ({", ".join(MATRICES_WEIGHTS)})))
    grads, value, _ = rnn.compute_gradients(X, Y, h0)
    return value, grads
"""


def matrices(m):
    r = numbers()
    weights = weights_of(r, " ".join(MATRICES_WEIGHTS), *MATRICES_WEIGHTS.values())
    words = np.eye(5)[:, [2, 0, 4, 4, 1, 3, 0]]
    return loss(
        m.loss_and_gradients, " ".join(MATRICES_WEIGHTS), X=words[:, :-1], Y=words[:, 1:], h0=r(3, 1), **weights
    )


# an RNN of three layer objects that take and give each other's errors, one letter in a column -------------------------

OBJECTS = "asv18/rnn_from_scratch"
OBJECTS_WEIGHTS = {"U": (3, 5), "W": (3, 3), "bias": (3, 1), "V": (5, 3), "output_bias": (5, 1)}
OBJECTS_EDITS = (
    (
        "self.input_layer = InputLayer(inputs, self.hidden_size)\n",
        "self.input_layer = InputLayer(inputs, self.hidden_size)\n        self.input_layer.U = self.U\n",
    ),
    (
        "sum(-np.sum(y[i] * np.log(y_hat[i]) for i in range(len(y))))",
        "-np.sum([y[i] * np.log(y_hat[i]) for i in range(len(y))])",
    ),
)
OBJECTS_BEFORE = """from typing import List

from hidden_layer import HiddenLayer
from input_layer import InputLayer
from output_layer import OutputLayer"""
OBJECTS_LOSS = f"""

def loss_and_gradients(inputs, expected, {", ".join(OBJECTS_WEIGHTS)}):
    rnn = VanillaRNN(5, 3, 0.0)
    hidden, output = rnn.hidden_layer, rnn.output_layer
    rnn.U, hidden.W, hidden.bias, output.V, output.bias = {", ".join(OBJECTS_WEIGHTS)}
    y_hats = rnn.feed_forward(inputs)
    rnn.backpropagation(expected)
    value = rnn.loss([y for y in y_hats.states], expected)
    return value, rnn.input_layer.delta_U, hidden.delta_W, hidden.delta_bias, output.delta_V, output.delta_bias
"""


def objects(m):
    r = numbers()
    weights = weights_of(r, " ".join(OBJECTS_WEIGHTS), *OBJECTS_WEIGHTS.values())
    letters = np.eye(5)[[1, 4, 0, 2, 2]][:, :, None]
    return loss(m.loss_and_gradients, " ".join(OBJECTS_WEIGHTS), inputs=letters[:-1], expected=letters[1:], **weights)


# a notebook's convolution by patches, made before, then two layers; a batch in the last axis --------------------------

PATCHES = "AX-Berglund/DD2424-DeepLearning"
PATCHES_WEIGHTS = {"Fs_flat": (6, 2), "W1": (5, 8), "b1": (5, 1), "W2": (3, 5), "b2": (3, 1)}
PATCHES_LOSS = f"""

def loss_and_gradients(MX, Y, {", ".join(PATCHES_WEIGHTS)}):
    n_p, nf, n = MX.shape[0], Fs_flat.shape[1], MX.shape[2]
    conv_outputs_mat = np.einsum("ijn,jl->iln", MX, Fs_flat, optimize=True)
    found = forward_pass(conv_outputs_mat, W1, W2, b1, b2, n_p, nf, n)
    kept = found["P"], found["h"], found["conv_flat"]
    grads = backward_pass(Y, *kept, W1, W2, conv_outputs_mat, n_p, nf, n, MX)
    return compute_loss(Y, found["P"]), {{name[5:]: gradient for name, gradient in grads.items()}}
"""


def patches(m):
    r = numbers()
    weights = weights_of(r, " ".join(PATCHES_WEIGHTS), *PATCHES_WEIGHTS.values())
    labels = np.eye(3)[:, [2, 0, 1]]
    return loss(m.loss_and_gradients, " ".join(PATCHES_WEIGHTS), MX=r(4, 6, 3), Y=labels, **weights)


# attention whose queries share keys and values in groups, with positions as rotations and no look ahead ---------------

GROUPS = "danksup/nn-from-scratch"
GROUPS_BACKEND = "array sum where triu max arange exp sin cos sqrt concatenate stack einsum ones isfinite issubdtype"
GROUPS_BACKEND += " quantized_matmul"
GROUPS_TYPES = """import numpy as _nx
from typing import Any, Literal, Union

backend, ArrayLike = "NumPy", Any
float64 = float32 = float16 = _nx.float64
int64, int32, bool_, floating = _nx.int64, _nx.int32, _nx.bool_, _nx.floating"""
GROUPS_BEFORE = """from typing import Any, Callable

import backend as nx
from activations import softmax, softmax_derivative
from rope import precompute_freqs, rope_forward, rope_inverse"""
GROUPS_EDITS = (("initializer:Callable=initializer.glorot_uniform", "initializer:Callable=nx.ones"),)
GROUPS_PAIR = """

NOT_QUANTIZED = (None,) * 4


def forward(x, Wqkv, Wo):
    made = AttentionFull(8, 4, 2)
    mask = made.compute_mask(x.shape[1])
    output, cache = made._forward(x, mask, made.configs, (Wqkv, Wo), NOT_QUANTIZED)
    return output, (cache, made.configs, (Wqkv, Wo))


def backward(gradient, kept):
    return AttentionFull._backward(gradient, *kept, NOT_QUANTIZED)
"""


def groups(m):
    r = numbers()
    weights = weights_of(r, "Wqkv Wo", (16, 8), (8, 8))
    return pair(m.forward, m.backward, "x Wqkv Wo", x=r(2, 5, 8), **weights)


# another course's LSTM: a dict for the cache, the weights' gradients of each step kept and summed at the end ----------

KEPT = "heromanba/Stanford-CS231n-Assignments"
KEPT_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def kept(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (3, 16), (4, 16), (16,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 3), h0=r(2, 4), **weights)


# an RNN of relus in batches, time first; each output's error goes back to the first step in a loop of its own ---------

RELUS = "Kokkini/RNN_from_scratch"
RELUS_WEIGHTS = {"Wx": (3, 4), "Wh": (4, 4), "Wo": (4, 2), "bo": (1, 2), "bxh": (1, 4)}
RELUS_LOSS = f"""

def loss_and_gradients(X_seq, y_seq, {", ".join(RELUS_WEIGHTS)}):
    model = rnn(4, 3, 2)
    model.Wx, model.Wh, model.Wo, model.bo, model.bxh = {", ".join(RELUS_WEIGHTS)}
    return model.loss(X_seq, y_seq), *model.grad(X_seq, y_seq)
"""


def relus(m):
    r = numbers()
    weights = weights_of(r, " ".join(RELUS_WEIGHTS), *RELUS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(RELUS_WEIGHTS), X_seq=r(5, 3, 3), y_seq=r(5, 3, 2), **weights)


SUBJECTS = [
    Subject(
        PEEPHOLES,
        "LSTM",
        (Part("lstm_class_object.py", "LSTMPopulation", PEEPHOLES_EDITS, after=PEEPHOLES_LOSS),),
        peepholes,
        published="tanh's derivative squares before the tanh, no error goes through peepholes, the first cell is lost",
    ),
    Subject(MATRICES, "RNN", (Part("lab4/src/RNN.py", "RNN", MATRICES_EDITS, "import copy", MATRICES_LOSS),), matrices),
    Subject(
        OBJECTS,
        "RNN",
        (
            Part("utils.py", "softmax", module="utils"),
            Part("layers/input_layer.py", "InputLayer", module="input_layer"),
            Part("layers/hidden_layer.py", "HiddenLayer", module="hidden_layer"),
            Part("layers/output_layer.py", "OutputLayer", (), "from utils import softmax", module="output_layer"),
            Part("vanilla_rnn.py", "VanillaRNN", OBJECTS_EDITS, OBJECTS_BEFORE, OBJECTS_LOSS),
        ),
        objects,
    ),
    Subject(
        PATCHES,
        "convolution",
        (
            Part(
                "Assignment3/notebooks/02_compute_gradients.ipynb",
                "forward_pass backward_pass compute_loss",
                after=PATCHES_LOSS,
            ),
        ),
        patches,
    ),
    Subject(
        GROUPS,
        "attention",
        (
            Part("engine/backend.py", GROUPS_BACKEND, (), GROUPS_TYPES, module="backend"),
            Part(
                "engine/activations.py",
                "softmax softmax_derivative",
                (),
                "from typing import Any\n\nimport backend as nx",
                module="activations",
            ),
            Part(
                "engine/rope.py",
                "precompute_freqs rope_forward rope_inverse",
                (),
                "import backend as nx",
                module="rope",
            ),
            Part("engine/attention/attention_reg.py", "AttentionFull", GROUPS_EDITS, GROUPS_BEFORE, GROUPS_PAIR),
        ),
        groups,
    ),
    Subject(KEPT, "LSTM", (Part("assignment3/cs231n/rnn_layers.py", KEPT_TAKEN),), kept),
    Subject(RELUS, "RNN", (Part("rnn.py", "relu rnn", after=RELUS_LOSS),), relus),
]

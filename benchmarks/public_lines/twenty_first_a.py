"""Subjects by owners A to J: two LSTMs, one of them in both directions, a GRU's cell, three RNNs, a convolution."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, prefixed

# a notebook's LSTM for the sensors of a car: batches first, methods written cell by cell, mean squares ----------------

SENSORS = "vishvajeetverma/vanilla_rnn"
SENSORS_WEIGHTS = {f"W_{gate}": (7, 4) for gate in "fiCo"} | {f"b_{gate}": (4,) for gate in "fiCo"}
SENSORS_WEIGHTS |= {"W_hy": (4, 2), "b_y": (2,)}
SENSORS_EDITS = (
    ("h = np.zeros((batch_size, self.hidden_size))\n    C = np", "h = self.h0\n    C = np"),
    ("    C = np.zeros((batch_size, self.hidden_size))\n", "    C = self.C0\n"),
)
SENSORS_LOSS = f"""

LSTM.forward, LSTM._sigmoid, LSTM.backward = forward, _sigmoid, backward


def loss_and_gradients(X, y, h0, C0, {", ".join(SENSORS_WEIGHTS)}):
    model = LSTM(3, 4, 2)
    model.h0, model.C0 = h0, C0
    for name, weight in zip({list(SENSORS_WEIGHTS)}, ({", ".join(SENSORS_WEIGHTS)})):
        setattr(model, name, weight)
    outputs, hidden_states, cell_states, gates = model.forward(X)
    loss, d_outputs = compute_loss(outputs, y)
    return loss, model.backward(X, hidden_states, cell_states, gates, d_outputs)
"""


def sensors(m):
    r = numbers()
    weights = weights_of(r, " ".join(SENSORS_WEIGHTS), *SENSORS_WEIGHTS.values())
    given = {"X": r(3, 5, 3), "y": r(3, 5, 2), "h0": r(3, 4), "C0": r(3, 4)}
    return loss(m.loss_and_gradients, " ".join(SENSORS_WEIGHTS), **given, **weights)


# a course's layers to put a trained network's weights in: words, an LSTM each way, one more LSTM, classes -------------

BOTH = "rizqikapratamaa/Tubes2-IF3270-ML31"
BOTH_UTILS = "relu softmax sigmoid tanh d_relu_dz d_sigmoid_dz d_tanh_dz ManualSparseCategoricalCrossentropy"
BOTH_TAKEN = "ManualEmbeddingLayer ManualDenseLayer ManualLSTMCell ManualLSTMLayer ManualBidirectionalLSTMWrapper"
BOTH_CELLS = {"fw": (3, 2), "bw": (3, 2), "top": (4, 3)}
BOTH_WEIGHTS = {"E": (6, 3)}
for cell, (inputs, units) in BOTH_CELLS.items():
    BOTH_WEIGHTS |= {f"Wx_{cell}": (inputs, 4 * units), f"Wh_{cell}": (units, 4 * units), f"b_{cell}": (4 * units,)}
BOTH_WEIGHTS |= {"W": (3, 3), "b": (3,)}
BOTH_EDITS = (
    ("        h_t = np.zeros((N, self.units))\n", "        h_t = self.h0\n"),
    ("        c_t = np.zeros((N, self.units))\n", "        c_t = self.c0\n"),
)
BOTH_LOSS = f"""

def loss_and_gradients(X, y, h0, c0, {", ".join(BOTH_WEIGHTS)}):
    embedding = ManualEmbeddingLayer(E)
    forwards = ManualLSTMLayer(2, Wx_fw, Wh_fw, b_fw, return_sequences=True)
    backwards = ManualLSTMLayer(2, Wx_bw, Wh_bw, b_bw, return_sequences=True, go_backwards=True)
    both = ManualBidirectionalLSTMWrapper(forwards, backwards)
    top = ManualLSTMLayer(3, Wx_top, Wh_top, b_top)
    dense = ManualDenseLayer(W, b, activation_fn=softmax)
    for lstm in (forwards, backwards, top):
        lstm.h0, lstm.c0 = h0[:, : lstm.units], c0[:, : lstm.units]
    output = X
    for layer in (embedding, both, top, dense):
        output = layer.forward(output)
    loss_fn = ManualSparseCategoricalCrossentropy()
    loss = loss_fn.calculate(output, y)
    gradient = loss_fn.derivative(output, y)
    for layer in (dense, top, both):
        gradient = layer.backward(gradient)
    embedding.backward(gradient, X)
    grads = [embedding.grads["embedding_matrix"]]
    for found, prefix in ((both.grads, "fw_"), (both.grads, "bw_"), (top.grads, "")):
        grads += [np.hstack([found[f"{{prefix}}{{name}}_{{gate}}"] for gate in "ifco"]) for name in ("Wx", "Wh", "b")]
    return loss, *grads, dense.grads["weights"], dense.grads["bias"]
"""


def both(m):
    r = numbers()
    weights = weights_of(r, " ".join(BOTH_WEIGHTS), *BOTH_WEIGHTS.values())
    given = {"X": np.array([[2, 5, 0, 2], [1, 3, 3, 4]]), "y": np.array([2, 0]), "h0": r(2, 3), "c0": r(2, 3)}
    return loss(m.loss_and_gradients, " ".join(BOTH_WEIGHTS), **given, **weights)


# a homework's GRU cell, vectors forwards and rows backwards, its parts undone from the output inwards -----------------

CELL = "YukunJ/MyTorch"
CELL_WEIGHTS = {f"W{gate}x": (4, 3) for gate in "rzn"} | {f"W{gate}h": (4, 4) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{kind}{gate}": (4,) for kind in "ih" for gate in "rzn"}
CELL_LAYER = """

class Layer(GRUCell):
    def __init__(self):
        super().__init__(3, 4)
"""

# a course's RNN that keeps its states, and their gradients, in arrays with one step more ------------------------------

WIDER = "XimingFeng/cs231n-assignment"
WIDER_TAKEN = "rnn_step_forward rnn_step_backward rnn_forward rnn_backward"


def wider(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (2, 4), (4, 4), (4,))
    return pair(m.rnn_forward, m.rnn_backward, "x h0 Wx Wh b", x=r(3, 6, 2), h0=r(3, 4), **weights)


# letters by an RNN in columns whose names are written out -------------------------------------------------------------

LETTERS = "berberianareg/Truncated-backpropagation-through-time"
LETTERS_WEIGHTS = {"w_input_hidden": (4, 5), "w_hidden_hidden": (4, 4), "w_hidden_output": (5, 4)}
LETTERS_WEIGHTS |= {"bias_hidden": (4, 1), "bias_output": (5, 1)}
LETTERS_EDITS = ((", -5, 5)", ", -1000, 1000)"),)
LETTERS_LOSS = f"""

def loss_and_gradients(input_indices, target_indices, hidden_prev, {", ".join(LETTERS_WEIGHTS)}):
    model = BPTT(5, 4, 5, num_training_iterations=1, learning_rate=0.01, sequence_length=5)
    for name, weight in zip({list(LETTERS_WEIGHTS)}, ({", ".join(LETTERS_WEIGHTS)})):
        setattr(model, name, weight)
    loss, *gradients, hidden_states, hidden_next = model.compute_loss(input_indices, target_indices, hidden_prev)
    return loss, *gradients
"""


def letters(m):
    r = numbers()
    weights = weights_of(r, " ".join(LETTERS_WEIGHTS), *LETTERS_WEIGHTS.values())
    given = {"input_indices": [3, 0, 0, 4, 1], "target_indices": [0, 0, 4, 1, 2], "hidden_prev": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(LETTERS_WEIGHTS), **given, **weights)


# another course's words: an RNN of sigmoids, all outputs carried back one by one, gradients of words as a list --------

SPARSE = "jirachikai/my_cs224d"
SPARSE_BASE_EDITS = (  # from Python 2
    ("names = range(len(shapes))", "names = list(range(len(shapes)))"),
    ("map(prod, self._dims)", "list(map(prod, self._dims))"),
    (".iteritems()", ".items()"),
    ('print "', 'lambda: "'),
)
SPARSE_EDITS = (
    ("xrange", "range"),  # from Python 2
    ("hs = zeros((ns+1, self.hdim))\n", "hs = zeros((ns+1, self.hdim)); hs[-1] = self.h0\n"),
    ("if i - 1 > -1:", "if i > -1:"),  # see README.md
)
SPARSE_BEFORE = """import itertools
import sys
from numpy import *
from base import NNBase
from misc import random_weight_matrix
from nnmath import make_onehot, sigmoid, softmax
"""
SPARSE_LOSS = """

def loss_and_gradients(xs, ys, h0, L, U, H):
    model = RNNLM(L, U0=U, bptt=len(ys))
    model.params.H, model.h0 = H, h0
    model._reset_grad_acc()
    model._acc_grads(xs, ys)
    dL = np.zeros(L.shape)
    for word, gradient in model.sgrads.L:
        dL[word] += gradient
    return model.compute_seq_loss(xs, ys), dL, model.grads.U.copy(), model.grads.H.copy()
"""


def sparse(m):
    r = numbers()
    weights = weights_of(r, "L U H", (6, 3), (6, 3), (3, 3))
    said = {"xs": np.array([4, 1, 1, 5]), "ys": np.array([1, 1, 5, 0])}
    return loss(m.loss_and_gradients, "L U H", h0=0.5 * r(3), **said, **weights)


# a framework's convolution: pieces of the image as rows, padded, strides of two, channels last ------------------------

PIECES = "DianCh/numpy-deep-learning"
PIECES_LAYER = """

class Layer(Conv2D):
    def __init__(self):
        super().__init__(2, 3, kernel_size=3, stride=2, padding=1)
"""

SUBJECTS = [
    Subject(
        SENSORS,
        "LSTM",
        (
            Part(
                "LSTM/lstm_from_scratch.ipynb",
                "LSTM forward _sigmoid backward compute_loss",
                SENSORS_EDITS,
                "print = lambda *_: None",
                SENSORS_LOSS,
            ),
        ),
        sensors,
    ),
    Subject(
        BOTH,
        "LSTMs",
        (
            Part("src/lstm/utils.py", BOTH_UTILS, module="utils"),
            Part("src/lstm/lstm.py", BOTH_TAKEN, BOTH_EDITS, "from utils import *", BOTH_LOSS),
        ),
        both,
    ),
    Subject(
        CELL,
        "GRU cell",
        (
            Part("src/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("src/gru_cell.py", "GRUCell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Layer", CELL_WEIGHTS, "x h", prefixed, x=(3,), h=(4,)),
    ),
    Subject(WIDER, "RNN", (Part("cs231n/rnn_layers.py", WIDER_TAKEN),), wider),
    Subject(
        LETTERS,
        "RNN",
        (Part("BPTT.py", "BPTT", LETTERS_EDITS, "vocab_size = 5", LETTERS_LOSS),),
        letters,
    ),
    Subject(
        SPARSE,
        "RNN",
        (
            Part("assignment2/nn/math.py", "sigmoid softmax make_onehot", (), "from numpy import *", module="nnmath"),
            Part("assignment2/misc.py", "random_weight_matrix", (), "from numpy import *", module="misc"),
            Part(
                "assignment2/nn/base.py",
                "PackedVector SparseDelta SparseDeltas NNBase",
                SPARSE_BASE_EDITS,
                "import sys\nimport time\nfrom numpy import *",
                module="base",
            ),
            Part("assignment2/rnnlm.py", "RNNLM", SPARSE_EDITS, SPARSE_BEFORE, SPARSE_LOSS),
        ),
        sparse,
        published="the first step's recurrent weights and word get no gradient",
    ),
    Subject(
        PIECES,
        "convolution",
        (
            Part(
                "ndl/utils.py",
                "get_tuple get_output_shape const_pad_tensor unpad_tensor calculate_fan",
                module="utils",
            ),
            Part("ndl/layers/base.py", "Base", (), "from utils import *", module="base"),
            Part("ndl/layers/conv2d.py", "Conv2D", (), "from base import Base\nfrom utils import *", PIECES_LAYER),
        ),
        object_of("Layer", {"W": (3, 3, 2, 3), "b": (3,)}, "x", prefixed, x=(2, 5, 5, 2)),
    ),
]

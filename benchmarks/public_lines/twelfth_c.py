"""Subjects by owners S to Z: courses' networks, two notebooks, layers made of layers, a convolution over time."""

import numpy as np

from .eleventh_c import weights_of
from .fourth_models import hot
from .functions import coursera
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of, place

# a course's RNN: sequences are matrices, a column for a step; parameters in a dict ------------------------------------

COLUMNS = "sil-pixel/DD2424"
COLUMNS_WEIGHTS = "W U V b c"
COLUMNS_LOSS = """

def loss_and_gradients(X, Y, h0, W, U, V, b, c):
    grads, _, loss = backwardPass({"W": W, "U": U, "V": V, "b": b, "c": c}, X, Y, h0)
    return loss, grads
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, COLUMNS_WEIGHTS, (3, 3), (3, 5), (5, 3), (3, 1), (5, 1))
    given = {"X": np.hstack(hot(0, 3, 3, 1)), "Y": np.hstack(hot(3, 3, 1, 4)), "h0": r(3, 1)}
    return loss(m.loss_and_gradients, COLUMNS_WEIGHTS, **given, **weights)


# reviews by an RNN with one output at its end; a notebook, operations are objects, samples in columns -----------------

REVIEWS = "tatsuyaokunaga/RNN-scratch"
REVIEWS_TAKEN = "MultiplyGate AddGate Softmax Tanh L RNN"
REVIEWS_EDITS = (  # see README.md
    ("    def __init__(self):\n        \n        \n", ""),
    ("np.dot(dA, S[i-1].T)", "np.dot(dA, (S[i-1] if i > 0 else self.s0).T)"),
    ("prev_s = np.zeros((hidden_dim, x.shape[0]))", "prev_s = self.s0"),
)
REVIEWS_LOSS = """
mulGate, addGate, activation = MultiplyGate(), AddGate(), Tanh()
hidden_dim = 4


def loss_and_gradients(x, y, s0, U, W, V):
    rnn, layer = RNN(5, hidden_dim, x.shape[1]), L()
    rnn.s0 = layer.s0 = s0
    rnn.U, rnn.W, rnn.V = U, W, V
    pred = Softmax().predict(rnn.forward_propagation(x))
    dV, dU, dW = layer.backward(y, x, rnn.all_A, rnn.all_S, V, W, pred, rnn.truncate)
    return -np.sum(y * np.log(pred)), dU, dW, dV
"""


def reviews(m):
    r = numbers()
    weights = weights_of(r, "U W V", (4, 5), (4, 4), (2, 4))
    given = {"x": r(3, 6, 5), "y": np.eye(2)[[0, 1, 1]].T, "s0": r(4, 3)}
    return loss(m.loss_and_gradients, "U W V", **given, **weights)


# a course's language model that goes back from each word by itself; all of NumPy's names are imported -----------------

WORDS = "tdavchev/Recurrent-Neural-Network"
WORDS_IMPORTS = """from rnnmath import *
from numpy import *
from builtins import max  # which NumPy's did not replace then"""
WORDS_EDITS = (
    ("xrange(", "range("),
    ("s = zeros((len(x)+1, self.hidden_dims))", "s = zeros((len(x)+1, self.hidden_dims))\n        s[-1] = self.s0"),
)
WORDS_LOSS = """

def loss_and_gradients(x, d, s0, V, W, U):
    rnn = RNN(5, 3)
    rnn.s0, rnn.V, rnn.W, rnn.U = s0, V, W, U
    y, s = rnn.predict(x)
    rnn.acc_deltas_bptt(x, d, y, s, len(x))
    return rnn.compute_loss(x, d), -rnn.deltaV, -rnn.deltaW, -rnn.deltaU  # `apply_deltas` adds them to the weights
"""


def words(m):
    r = numbers()
    weights = weights_of(r, "V W U", (3, 5), (5, 3), (3, 3))
    return loss(m.loss_and_gradients, "V W U", x=[0, 3, 3, 1], d=[3, 3, 1, 4], s0=r(3), **weights)


# layers made of layers, whose activations are put back for each step; a course's exercise -----------------------------

LAYERED = "teodoraspasojevic/FFN_CNN_RNN_LSTM_from_Scratch"
LAYERED_PARTS = (
    Part("exercise1/Layers/Base.py", "BaseLayer", module="base"),
    *(
        Part(f"exercise1/Layers/{name}.py", name, before="from base import BaseLayer", module=name.lower())
        for name in ("FullyConnected", "Sigmoid", "TanH")
    ),
)
LAYERED_IMPORTS = """from base import BaseLayer
from fullyconnected import FullyConnected
from sigmoid import Sigmoid
from tanh import TanH"""
STATE = "if not self.memorize:\n            self.hidden_state = "
ZEROS = "np.zeros(shape=(1, self.hidden_size))"
LAYERED_STATE = (f"{STATE}{ZEROS}", f"{STATE}self.h0")
LAYERED_CELL = (  # the last two: see README.md
    (f"self.h0\n            self.cell_state = {ZEROS}", "self.h0\n            self.cell_state = self.c0"),
    (f"previous_error_add1 * {ZEROS}", "previous_error_add1 * self.c0"),
    ("gate[:, self.hidden_size]", "gate[:, :self.hidden_size]"),
    ("previous_error_add1 * self.cell_states[i, :]", "previous_error_add1 * self.cell_states[i - 1, :]"),
)


def layered(name, *edits):
    """The parts of a layer, built for inputs of 4 numbers, 3 hidden units and 2 outputs."""
    built = f"\n\nclass Layer({name}):\n    def __init__(self):\n        super().__init__(4, 3, 2)\n"
    return *LAYERED_PARTS, Part(f"exercise1/Layers/{name}.py", name, edits, LAYERED_IMPORTS, built)


def accumulated(made, path):
    """What a layer has summed up over the steps."""
    return made.gradient_weights_output if "output" in path else made.gradient_weights


# a convolution over time with a stride, made of one without and of one that leaves steps out; a course's solution -----

STRIDE = "YM2025/CMU_11785_2024S"
STRIDE_WEIGHTS = {"conv1d_stride1.W": (5, 3, 4), "conv1d_stride1.b": (5,)}
STRIDE_BUILT = """

class Layer(Conv1d):
    def __init__(self):
        super().__init__(3, 5, 4, 2)
"""


def of_inner(made, path):
    """The gradient of a weight is the attribute with dLd before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"dLd{name}")


# a notebook after a course's, whose cell computes its state again backwards -----------------------------------------

NOTEBOOK = "zubair2004/RNN-from-Scratch."
NOTEBOOK_TAKEN = "softmax rnn_cell_forward rnn_forward rnn_cell_backward rnn_backward"
NOTEBOOK_EDITS = (("caches.append(cache)", "a_next = a[:,:,t]\n        caches.append(cache)"),)  # see README.md

SUBJECTS = [
    Subject(
        COLUMNS,
        "RNN",
        (Part("Assignment4/Assignment4.py", "softmax forwardPass backwardPass", after=COLUMNS_LOSS),),
        columns,
    ),
    Subject(
        REVIEWS,
        "RNN",
        (Part("RNN-scratch.ipynb", REVIEWS_TAKEN, REVIEWS_EDITS, after=REVIEWS_LOSS),),
        reviews,
        published="at the first step the state before it is the last one",
    ),
    Subject(
        WORDS,
        "RNN",
        (
            Part(
                "Assignment 2/rnnmath.py", "sigmoid softmax make_onehot", before="from numpy import *", module="rnnmath"
            ),
            Part("Assignment 2/rnn.py", "RNN", WORDS_EDITS, WORDS_IMPORTS, WORDS_LOSS),
        ),
        words,
    ),
    Subject(
        LAYERED,
        "RNN",
        layered("RNN", LAYERED_STATE),
        object_of(
            "Layer",
            {"fc_hidden.weights": (8, 3), "fc_output.weights": (4, 2)},
            "input_tensor",
            accumulated,
            {"h0": (1, 3)},
            input_tensor=(5, 4),
        ),
    ),
    Subject(
        LAYERED,
        "LSTM",
        layered("LSTM", LAYERED_STATE, *LAYERED_CELL),
        object_of(
            "Layer",
            {"fc_gates.weights": (8, 12), "fc_output.weights": (4, 2)},
            "input_tensor",
            accumulated,
            {"h0": (1, 3), "c0": (1, 3)},
            input_tensor=(5, 4),
        ),
        published="one number is the forget gate's input for all units, its gradient is taken with the cell after it",
    ),
    Subject(
        STRIDE,
        "convolution over time",
        (
            Part("HW2P1/mytorch/resampling.py", "Downsample1d", module="resampling"),
            Part("HW2P1/mytorch/Conv1d.py", "Conv1d_stride1 Conv1d", (), "from resampling import *", STRIDE_BUILT),
        ),
        object_of("Layer", STRIDE_WEIGHTS, "A", of_inner, A=(2, 3, 9)),
    ),
    Subject(
        NOTEBOOK,
        "RNN",
        (Part("RNN .ipynb", NOTEBOOK_TAKEN, NOTEBOOK_EDITS),),
        coursera("rnn"),
        published="forwards the state before the first step is that of all steps",
    ),
]

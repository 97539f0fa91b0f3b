"""Subjects by owners Q to Z: notebooks' networks, an RNN of classes, a transformer's block, a GRU's step, an LSTM."""

import numpy as np

from .eleventh_c import weights_of
from .fourth_models import hot
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of, place, prefixed

# a notebook after a course's RNN, with each weight handed over by itself; the readout goes back before it -------------

READOUT = "sharik31/rnn-scratch-implementation"
READOUT_WEIGHTS = "Wax Waa Wya ba by"
READOUT_TAKEN = "softmax single_step_rnn rnn_forward single_step_backward rnn_backward compute_loss output_backward"
READOUT_EDITS = (  # see README.md
    ("np.sum(e_x)", "np.sum(e_x, axis=0)"),
    ("np.log(y_pred + 1e-9)) / m", "np.log(y_pred + 1e-9))"),
)
READOUT_LOSS = """

def loss_and_gradients(X, Y_true, a0, Wax, Waa, Wya, ba, by):
    a, y_pred, caches = rnn_forward(X, a0, Wax, Waa, Wya, ba, by)
    da, dWya, dby = output_backward(y_pred, Y_true, caches)
    grads = rnn_backward(da, caches) | {"dWya": dWya, "dby": dby}
    names = {"X": "dx"} | {name: f"d{name}" for name in "a0 Wax Waa Wya ba by".split()}
    return compute_loss(y_pred, Y_true), {name: grads[key] for name, key in names.items()}
"""


def readout(m):
    r = numbers()
    weights = weights_of(r, READOUT_WEIGHTS, (4, 3), (4, 4), (5, 4), (4, 1), (5, 1))
    targets = np.eye(5)[[[0, 3, 1, 4], [2, 2, 0, 1]]].transpose(2, 0, 1)
    given = {"X": r(3, 2, 4), "Y_true": targets, "a0": r(4, 2)}
    return loss(m.loss_and_gradients, f"X a0 {READOUT_WEIGHTS}", **given, **weights)


# notebooks of a course for oneself: networks of characters on vectors; the LSTM has a new cell for each step ----------

CHARACTERS = "sloanahrens/machine-learning"
CHARACTERS_EDITS = (
    ("return loss / len(targets)", "return loss"),  # see README.md
    ("np.clip(grad, -5, 5, out=grad)", "np.clip(grad, -1000, 1000, out=grad)"),
)
CELL_WEIGHTS = "W_f b_f W_i b_i W_c b_c W_o b_o"


def characters_loss(name, states, weights, owner):
    """The text of a function: the loss of a network of this name, and the dict of gradients."""
    return f"""

def loss_and_gradients(inputs, targets, {states}, {weights.replace(" ", ", ")}, W_hy, b_y):
    network = {name}(5, 3)
    for name, weight in zip("{weights}".split(), ({weights.replace(" ", ", ")})):
        setattr({owner}, name, weight)
    network.W_hy, network.b_y = W_hy, b_y
    network.forward(inputs, {states})
    return network.loss(targets), network.backward(targets)
"""


def characters(names, *shapes, states):
    """A maker for a network with these weights, and its readout."""

    def make(m):
        r = numbers()
        names_all = f"{names} W_hy b_y"
        weights = weights_of(r, names_all, *shapes, (3, 5), (5,))
        given = {"inputs": [0, 3, 3, 1], "targets": [3, 3, 1, 4]} | {state: r(3) for state in states}
        return loss(m.loss_and_gradients, names_all, **given, **weights)

    return make


# input, hidden states and outputs as classes that sum up their gradients themselves -----------------------------------

CLASSES = "snehaldutta/RNN-Scratch"
CLASSES_IMPORTS = """from typing import List
from input_layer import InputLayer
from hidden_layer import HiddenLayer
from outer_layer import OuterLayer"""
CLASSES_LAYER = "self.input_layer = InputLayer(inputs, self.hid_size)"
CLASSES_LOSS = """

def loss_and_gradients(inputs, expected, h0, w_i, W, bias, V, bias_out):
    rnn = VanillaRNN(5, 3, 0.0)  # a learning rate of zero: it updates its weights after its backward pass
    rnn.w_i, rnn.hiddenLayer.h0 = w_i, h0
    rnn.hiddenLayer.W, rnn.hiddenLayer.bias = W, bias
    rnn.outer_layer.V, rnn.outer_layer.bias = V, bias_out
    y_hats = rnn.ffrwd(inputs)
    rnn.backprop(expected)
    hidden, outer = rnn.hiddenLayer, rnn.outer_layer
    grads = rnn.input_layer.del_w_i, hidden.del_W, hidden.del_bias, outer.del_V, outer.del_bias
    return -np.sum(expected * np.log(y_hats.states[: len(inputs)])), *grads
"""


def classes(m):
    r = numbers()
    weights = weights_of(r, "w_i W bias V bias_out", (3, 5), (3, 3), (3, 1), (5, 3), (5, 1))
    given = {"inputs": np.array(hot(0, 3, 3, 1)), "expected": np.array(hot(3, 3, 1, 4)), "h0": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# a transformer's block, its gradients in dicts with prefixes ----------------------------------------------------------

BLOCK = "uesina15-max/Transformer-algorithm-application-numpy-"
BLOCK_TAKEN = "softmax relu drelu Linear LayerNorm MultiHeadAttention FeedForward TransformerBlock"
BLOCK_WEIGHTS = {f"attn.W{n}.{kind}": shape for n in "qkvo" for kind, shape in (("W", (4, 4)), ("b", (4,)))}
BLOCK_WEIGHTS |= {"ff.w1.W": (4, 6), "ff.w1.b": (6,), "ff.w2.W": (6, 4), "ff.w2.b": (4,)}
BLOCK_WEIGHTS |= {f"norm{k}.{name}": (4,) for k in (1, 2) for name in ("gamma", "beta")}
BLOCK_EDITS = (  # see README.md
    ("self.x.transpose(0, 2, 1).reshape(", "self.x.transpose(2, 0, 1).reshape("),
    ("grad_W = grad_W / B  # 평균", "grad_W = grad_W"),
    ("_, grads_q = ", "grad_q, grads_q = "),
    ("_, grads_k = ", "grad_k, grads_k = "),
    ("_, grads_v = ", "grad_v, grads_v = "),
)


def named(path):
    """The key of a weight's gradient: "attn_W_q" of "attn.Wq.W", "ff_w1_b" of "ff.w1.b"."""
    first, *between, last = path.split(".")
    return f"attn_{last}_{between[0][1]}" if first == "attn" else "_".join((first, *between, last))


def block(m):
    r = numbers()
    arrays = {path: 0.7 * r(*shape) for path, shape in BLOCK_WEIGHTS.items()}

    def fresh():
        made = m.TransformerBlock(4, 2, 6)
        for path, array in arrays.items():
            setattr(*place(made, path), array)
        return made

    def gradients_of(made, returned):
        return {"x": returned[0]} | {path: returned[1][named(path)] for path in arrays}

    return layer(fresh, gradients_of, weights=arrays, x=r(2, 3, 4))


# a course's GRU: a step on a vector, whose operations are numbered ----------------------------------------------------

NUMBERED = "zhiranchen/CMU11785-Deep-Learning"
NUMBERED_WEIGHTS = {name: (3, 3) for name in ("Wzh", "Wrh", "Wh")} | {name: (3, 4) for name in ("Wzx", "Wrx", "Wx")}
NUMBERED_STEP = """

class Step(GRU_Cell):
    def __init__(self):
        super().__init__(4, 3)

    def backward(self, delta):
        return super().backward(delta.reshape(1, -1))
"""

# a library's LSTM in batches: one matrix for all gates, the bias its first row, and a 1 before each input -------------

MATRIX = "YcjFx/lstm-numpy-last"
MATRIX_LAYER = """

class Sequence(BatchLSTM):
    def __init__(self):
        self.n_in, self.n_out, self.return_sequence = 4, 3, True
"""


def matrix(m):
    r = numbers()
    arrays = {"AllW": 0.7 * r(8, 12)}

    def fresh():
        made = m.Sequence()
        made.AllW = arrays["AllW"]
        return made

    def gradients_of(made, returned):
        return {"input": returned, "AllW": made.d_AllW, "h0": made.d_h0, "c0": made.d_c0}

    return layer(fresh, gradients_of, weights=arrays, input=r(2, 5, 4), c0=r(2, 3), h0=r(2, 3))


SUBJECTS = [
    Subject(
        READOUT,
        "RNN",
        (Part("Rnn__from_scratch.ipynb", READOUT_TAKEN, READOUT_EDITS, after=READOUT_LOSS),),
        readout,
        published="the softmax is taken over all samples together, the loss is a mean over them, the gradients are not",
    ),
    Subject(
        CHARACTERS,
        "RNN",
        (
            Part(
                "notebooks/05-rnn-from-scratch.ipynb",
                "CharRNN",
                CHARACTERS_EDITS,
                after=characters_loss("CharRNN", "h_init", "W_xh W_hh b_h", "network"),
            ),
        ),
        characters("W_xh W_hh b_h", (5, 3), (3, 3), (3,), states=["h_init"]),
        published="the loss that it shows is a mean over the characters, the gradients are those of the sum",
    ),
    Subject(
        CHARACTERS,
        "LSTM",
        (
            Part(
                "notebooks/06-lstm-from-scratch.ipynb",
                "sigmoid sigmoid_derivative tanh_derivative LSTMCell CharLSTM",
                CHARACTERS_EDITS,
                after=characters_loss("CharLSTM", "h_init, c_init", CELL_WEIGHTS, "network.cell"),
            ),
        ),
        characters(CELL_WEIGHTS, *[(8, 3), (3,)] * 4, states=["h_init", "c_init"]),
        published="the loss that it shows is a mean over the characters, the gradients are those of the sum",
    ),
    Subject(
        CLASSES,
        "RNN",
        (
            Part("input_layer.py", "InputLayer", module="input_layer"),
            Part(
                "hidden_layer.py",
                "HiddenLayer",
                (("return np.zeros_like(self.states[0])", "return self.h0"),),
                module="hidden_layer",
            ),
            Part("outer_layer.py", "OuterLayer", before="from scipy.special import softmax", module="outer_layer"),
            Part(
                "rnn.py",
                "VanillaRNN",
                ((CLASSES_LAYER, f"{CLASSES_LAYER}\n        self.input_layer.w_i = self.w_i"),),
                CLASSES_IMPORTS,
                CLASSES_LOSS,
            ),
        ),
        classes,
    ),
    Subject(
        BLOCK,
        "block",
        (Part("Transformer-algorithm-application-numpy.py", BLOCK_TAKEN, BLOCK_EDITS),),
        block,
        published="inputs are reshaped wrongly, weights' gradients averaged; what attention's layers give is dropped",
    ),
    Subject(
        NUMBERED,
        "GRU step",
        (
            Part("HW3/hw3p1/mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("HW3/hw3p1/mytorch/gru_cell.py", "GRU_Cell", (), "from activation import *", NUMBERED_STEP),
        ),
        object_of("Step", NUMBERED_WEIGHTS, "x h", prefixed, x=(4,), h=(3,)),
    ),
    Subject(
        MATRIX,
        "LSTM",
        (
            Part(
                "initializations.py",
                "get_dtype Initializer Zero _cast_dtype",
                before="_dtype = 'float64'",
                after="\n\n_zero = Zero()\n",
                module="initializations",
            ),
            Part("layers/core.py", "Layer", module="core"),
            Part(
                "layers/recurrent.py",
                "Recurrent BatchLSTM",
                before="from core import Layer\nfrom initializations import _zero",
                after=MATRIX_LAYER,
            ),
        ),
        matrix,
    ),
]

"""Subjects by owners 0 to H: two LSTMs that run both ways, an LSTM that ends in a class, rows of images, and others."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of, place

# a toolkit for language models: LSTMs whose gates see the cell, one forwards and one backwards; updates climb ---------

BOTH_WAYS = "dengliangshi/pynnlms"
BOTH_WAYS_NODES = [f"{half}.{nodes}" for half in ("frnn", "brnn") for nodes in ("igate", "fgate", "ogate", "nodes")]
BOTH_WAYS_SHAPES = {"u": (3, 4), "w": (3, 3), "v": (3, 3), "b": (3,)}
BOTH_WAYS_WEIGHTS = {
    f"{nodes}.{name}": shape
    for nodes in BOTH_WAYS_NODES
    for name, shape in BOTH_WAYS_SHAPES.items()
    if not (nodes.endswith("nodes") and name == "v")
}
BOTH_WAYS_STATES = {f"{half}.{name}": (3,) for half in ("frnn", "brnn") for name in ("s0", "c0")}
RANGE = ("xrange", "range")
BOTH_WAYS_LSTM_EDITS = (
    RANGE,
    (
        "self.s = np.zeros((T+1, self.hidden_size))",
        "self.s = np.zeros((T+1, self.hidden_size))\n        self.s[-1], self.c[-1] = self.s0, self.c0",
    ),
    (  # see README.md
        "self.ogate.dLdv += np.outer(dLdpo, self.c[t-1])",
        "self.ogate.dLdv += np.outer(dLdpo, self.c[t])",
    ),
)
BOTH_WAYS_EDITS = (
    RANGE,
    ("hidden_size / 2", "hidden_size // 2"),
    ("dLdfx + dLdbx", "dLdfx + dLdbx[::-1]"),  # see README.md
)
BOTH_WAYS_LAYER = """

class Layer(BiRNN):
    def __init__(self):
        super().__init__("BiLSTM")
        self.init_model(4, 6, EN_BIAS=True)

    def forward(self, x):
        return self.run(x)

    def backward(self, dLds):
        return self.update(dLds, 0.0, 0.0)
"""


def of_nodes(made, path):
    """The gradient of a weight is the attribute with dLd before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"dLd{name}")


# an assistant's LSTM: a sequence has one class, said at the end -------------------------------------------------------

AT_THE_END = "ajrocks12345/Neural-Voice-Assistant"
AT_THE_END_WEIGHTS = {f"W{gate}": (4, 7) for gate in "fico"} | {f"b{gate}": (4, 1) for gate in "fico"}
AT_THE_END_WEIGHTS |= {"Wy": (3, 4), "by": (3, 1)}
AT_THE_END_EDITS = (
    ("row_stack", "vstack"),
    ("h = np.zeros((self.hidden_size, 1))\n", "h = self.h0\n"),
    ("        c = np.zeros((self.hidden_size, 1))\n", "        c = self.c0\n"),
    ("else np.zeros((self.hidden_size, 1))", "else self.c0"),
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
    *((f"self.{name} -= self.learning_rate * d{name}", f"self.d{name} = d{name}") for name in AT_THE_END_WEIGHTS),
)
AT_THE_END_LOSS = f"""

def loss_and_gradients(inputs, target, h0, c0, {", ".join(AT_THE_END_WEIGHTS)}):
    rnn = LSTMRNN(3, 4, 3)
    rnn.h0, rnn.c0 = h0, c0
    given = dict(zip({list(AT_THE_END_WEIGHTS)}, ({", ".join(AT_THE_END_WEIGHTS)})))
    for name, weight in given.items():
        setattr(rnn, name, weight)
    loss = rnn.backward(inputs, target, *rnn.forward(inputs))
    return loss, {{name: getattr(rnn, "d" + name) for name in given}}
"""


def at_the_end(m):
    r = numbers()
    weights = weights_of(r, " ".join(AT_THE_END_WEIGHTS), *AT_THE_END_WEIGHTS.values())
    given = {"inputs": r(5, 3, 1), "target": 1, "h0": r(4, 1), "c0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(AT_THE_END_WEIGHTS), **given, **weights)


# images row by row, in batches; what is climbed is the likelihood, so that gradients are added ------------------------

IMAGES = "ac07/numpy_rnn"
IMAGES_TAKEN = "rnn_step_forward rnn_forward rnn_step_backward rnn_backward rnn_backprop"
IMAGES_BEFORE = "softmax_e = lambda x: np.exp(x) / np.sum(np.exp(x), axis=0)"
IMAGES_EDITS = (
    ("np.array(map(softmax_e, zo))", "np.array(list(map(softmax_e, zo)))"),
    ("def rnn_forward(x, h0, Wx, Wh, Wy, bh)", "def rnn_forward(x, h0, Wx, Wh, Wy, bh, by)"),  # see README.md
    ("zo = np.dot(hzo, Wy)", "zo = np.dot(hzo, Wy) + by"),
)
IMAGES_LOSS = """

def likelihood_and_gradients(x, y, h0, Wx, Wh, Wy, bh, by):
    timestep_pred, hidden_states, cache = rnn_forward(x, h0, Wx, Wh, Wy, bh, by)
    dWy, dWx, dWh, dby, dbh = rnn_backprop(timestep_pred, hidden_states, cache, y, Wy)
    return np.sum(y * np.log(timestep_pred)), dWx, dWh, dWy, dbh, dby
"""


def images(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh Wy bh by", (2, 5), (5, 5), (5, 4), (5,), (4,))
    given = {"x": r(4, 3, 2), "y": np.eye(4)[[2, 0, 3]], "h0": r(3, 5)}
    return loss(m.likelihood_and_gradients, "Wx Wh Wy bh by", **given, **weights)


# a course's captions, with its LSTM -----------------------------------------------------------------------------------

CAPTIONS = "exbibyte/cs231n_a3"
CAPTIONS_TAKEN = (
    "word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward lstm_forward "
    "lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 3), "W_proj": (2, 4), "b_proj": (4,), "Wx": (3, 16), "Wh": (4, 16), "b": (16,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (4, 6), "b_vocab": (6,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 2, 3, 4, cell_type="lstm", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 3, 5, 3, 4, 2], [1, 4, 4, 2, 0, 0], [1, 5, 2, 0, 0, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(3, 2), captions=said, **weights)


# many steps to one number; states of all layers in a list of lists, gradients of all steps in lists -------------------

TO_ONE = "bilkosem/simple-rnn_from_scratch"
TO_ONE_GRADIENTS = "[gradient_Wih,gradient_Who,gradient_Whh,gradient_bh,gradient_by]"
TO_ONE_EDITS = (
    (  # see README.md
        "der_chain = self.W_hor @ (self.dh_dfi(t-1) * der_chain)",
        "der_chain = self.dh_dfi(t-1) * (self.W_hor @ der_chain)",
    ),
    ("np.clip(d, -1, 1, out=d)", "np.clip(d, -1000, 1000, out=d)"),
    (f"grads=np.asarray({TO_ONE_GRADIENTS})", f"return {TO_ONE_GRADIENTS}"),
)
TO_ONE_LOSS = """

def loss_and_gradients(inputs, target, h0, Wih, Who, Whh, bh, by):
    rnn = SimpleRNN([3, 4, 1], len(inputs))
    rnn.Q_intime[0][1] = h0
    rnn.W_ver, rnn.W_hor, rnn.bh, rnn.by = [Wih, Who], Whh, bh, by
    error = rnn.feedforward(inputs) - target
    return 0.5 * np.sum(error**2), *rnn.backpropagation(target, error)
"""


def to_one(m):
    r = numbers()
    weights = weights_of(r, "Wih Who Whh bh by", (3, 4), (4, 1), (4, 4), (4, 1), (1, 1))
    given = {"inputs": r(5, 3), "target": 0.8, "h0": r(4, 1)}
    return loss(m.loss_and_gradients, "Wih Who Whh bh by", **given, **weights)


# a notebook's GRU for spoken digits, whose reset gate is put on after the weights; batches last -----------------------

DIGITS = "AliNaeemCh/Digit-Recognizer-With-GRU-From-Scratch"
DIGITS_WEIGHTS = {"b_o": (3, 1), "w_o": (4, 3)}
DIGITS_WEIGHTS |= {"b_z": (4, 1), "W_iz": (3, 4), "W_hz": (4, 4), "b_r": (4, 1), "W_ir": (3, 4), "W_hr": (4, 4)}
DIGITS_WEIGHTS |= {"b_h": (4, 1), "W_i": (3, 4), "W_h": (4, 4)}
DIGITS_EDITS = (
    (
        "self.A = np.zeros((self.seq_len+1, self.units, total_input_examples))",
        "self.A = np.zeros((self.seq_len+1, self.units, total_input_examples))\n        self.A[0] = self.a0",
    ),
    (  # see README.md
        "            temp_1 = temp_1 * self.Z[-seq_len_idx]\n",
        "            dZ = temp_1 * (self.A[-seq_len_idx-1] - self.Ac[-seq_len_idx])\n"
        "            dZ = dZ * (self.Z[-seq_len_idx] * (1 - self.Z[-seq_len_idx]))\n"
        "            dAc = temp_1 * (1 - self.Z[-seq_len_idx]) * (1 - np.square(self.Ac[-seq_len_idx]))\n"
        "            temp_1 = temp_1 * self.Z[-seq_len_idx] + self.W_hz.T @ dZ\n"
        "            temp_1 = temp_1 + self.W_h.T @ (dAc * self.R[-seq_len_idx]) + self.W_hr.T @ hold\n",
    ),
)
DIGITS_LOSS = f"""

def loss_and_gradients(inputs, true_labels, a0, {", ".join(DIGITS_WEIGHTS)}):
    gru = GRU(4, 5, 3, 3)
    gru.a0 = a0
    for name, weight in zip({list(DIGITS_WEIGHTS)}, ({", ".join(DIGITS_WEIGHTS)})):
        setattr(gru, name, weight)
    y_pred = gru.forward_prop(inputs)
    return gru.calc_loss(y_pred, true_labels), *gru.backward_prop(inputs, true_labels)
"""


def digits(m):
    r = numbers()
    weights = weights_of(r, " ".join(DIGITS_WEIGHTS), *DIGITS_WEIGHTS.values())
    given = {"inputs": r(5, 3, 2), "true_labels": np.eye(3)[:, [2, 0]], "a0": r(4, 2)}
    return loss(m.loss_and_gradients, " ".join(DIGITS_WEIGHTS), **given, **weights)


# a course's layers that normalise a batch in columns, with a penalty for large weights --------------------------------

NORMALISED = "ali-bana/DD2424-Assignments"
NORMALISED_WEIGHTS = {"W1": (4, 3), "b1": (4,), "gamma1": (4,), "beta1": (4,)}
NORMALISED_WEIGHTS |= {"W2": (5, 4), "b2": (5,), "gamma2": (5,), "beta2": (5,), "W3": (3, 5), "b3": (3,)}
NORMALISED_LOSS = f"""

def cost_and_gradients(X, Y, {", ".join(NORMALISED_WEIGHTS)}):
    model = Model(3, [4, 5], 3, 0.1, True, after=True)
    first, second, last = model.layers
    first.W, first.b, first.gamma, first.beta = W1, b1, gamma1, beta1
    second.W, second.b, second.gamma, second.beta = W2, b2, gamma2, beta2
    last.W, last.b = W3, b3
    P = model._forward(X, False)
    model._backward(Y, P)
    return model._cost(Y, P), *first.gradient, *second.gradient, *last.gradient[:2]
"""


def normalised(m):
    r = numbers()
    weights = weights_of(r, " ".join(NORMALISED_WEIGHTS), *NORMALISED_WEIGHTS.values())
    given = {"X": r(3, 6), "Y": np.eye(3)[:, [0, 2, 1, 1, 0, 2]]}
    return loss(m.cost_and_gradients, " ".join(NORMALISED_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        BOTH_WAYS,
        "LSTM both ways",
        (
            Part("nnlm/nnm/nodes.py", "Nodes", module="nodes"),
            Part(
                "nnlm/nnm/acfun.py",
                "AcFun Tanh Sigmoid HardSigmoid ReLu",
                (("print 'Function %s does not exist!' % name", "raise KeyError(name)"),),
                module="acfun",
            ),
            Part("nnlm/nnm/nn.py", "NN", (), "from nodes import Nodes\nfrom acfun import AcFun", module="nn"),
            Part("nnlm/nnm/rnn.py", "RNN", (RANGE,), "from nn import NN", module="rnn"),
            Part(
                "nnlm/nnm/lstm.py",
                "LSTM",
                BOTH_WAYS_LSTM_EDITS,
                "from nn import NN\nfrom nodes import Nodes\nfrom acfun import AcFun",
                module="lstm",
            ),
            Part(
                "nnlm/nnm/birnn.py",
                "BiRNN",
                BOTH_WAYS_EDITS,
                "from rnn import RNN\nfrom lstm import LSTM",
                BOTH_WAYS_LAYER,
            ),
        ),
        object_of("Layer", BOTH_WAYS_WEIGHTS, "x", of_nodes, BOTH_WAYS_STATES, x=(5, 4)),
        published="the output gate's weights of the cell take the cell before; one way's inputs stay turned round",
    ),
    Subject(
        AT_THE_END,
        "LSTM",
        (Part("lstm_numpy.py", "sigmoid dsigmoid tanh dtanh LSTMRNN", AT_THE_END_EDITS, after=AT_THE_END_LOSS),),
        at_the_end,
    ),
    Subject(
        IMAGES,
        "RNN",
        (Part("rnn.py", IMAGES_TAKEN, IMAGES_EDITS, IMAGES_BEFORE, IMAGES_LOSS),),
        images,
        published="the output's biases get a gradient but are added nowhere",
    ),
    Subject(
        CAPTIONS,
        "captions",
        (
            Part("cs231n/layers.py", "affine_forward affine_backward", (("\\prod_i", "prod_i"),), module="layers"),
            Part("cs231n/rnn_layers.py", CAPTIONS_TAKEN, module="rnn_layers"),
            Part(
                "cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                (),
                "from layers import *\nfrom rnn_layers import *",
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        TO_ONE,
        "RNN",
        (Part("SimpleRNN.py", "SimpleRNN", TO_ONE_EDITS, "import copy", TO_ONE_LOSS),),
        to_one,
        published="what is carried back is multiplied by the tanh's derivative before the weights, not after them",
    ),
    Subject(
        DIGITS,
        "GRU",
        (Part("main.ipynb", "GRU", DIGITS_EDITS, after=DIGITS_LOSS),),
        digits,
        published="what is carried back goes through the update gate's product alone",
    ),
    Subject(
        NORMALISED,
        "batch normalisation",
        (
            Part("Assignment_3/utils.py", "softmax relu", module="utils"),
            Part(
                "Assignment_3/model.py",
                "Dense_layer Model",
                before="from utils import softmax, relu",
                after=NORMALISED_LOSS,
            ),
        ),
        normalised,
    ),
]

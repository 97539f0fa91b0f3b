"""Subjects by owners A to K: LSTMs with and without forget gates, GRUs in two styles, plain RNNs, words, images."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of, prefixed

# the oldest kind of LSTM, without a forget gate, in two layers and batches of one; learns by squares ------------------

NO_FORGET = "Algio-Nightly/MewralNet-NeuralNet-from-scratch"
NO_FORGET_GATES = ("input", "input_gate", "output_gate")
NO_FORGET_WEIGHTS = {"weights_hy": (4, 2), "biases_hy": (2,)}
NO_FORGET_WEIGHTS |= {
    f"{gate}_{kind}_{k}": shape
    for k, inputs in enumerate((3, 4))
    for gate in NO_FORGET_GATES
    for kind, shape in (("weights", (inputs + 4, 4)), ("biases", (4,)))
}
NO_FORGET_STATES = {"h0": (2, 1, 4), "c_0": (1, 4), "c_1": (1, 4)}
NO_FORGET_TAKEN = (
    "modified_tanh sigmoid modified_sigmoid sigmoid_derivative tanh_derivative modified_sigmoid_derivative"
)
NO_FORGET_EDITS = (
    ("hidden[-1] = np.zeros((self.hidden_layer_count, 1, self.hidden_size))", "hidden[-1] = self.h0"),
    ("h_prev_t = np.zeros((1, self.hidden_size))", "h_prev_t = hidden[-1][index]"),
    ("self.state_cell = np.zeros((1, self.hidden_size))", "self.state_cell = self.c0.copy()"),
    ("-5, 5", "-5000, 5000"),
    ("-1.0, 1.0", "-1000.0, 1000.0"),
    (  # see README.md
        "loss_derivative)\n            \n            layer:",
        "loss_derivative)\n            GA_bias_y += np.sum(loss_derivative, axis=0)\n            \n            layer:",
    ),
    ("self.activation_derivative(state_cell_t)", "self.activation_derivative(output_signal)"),  # see README.md
    ("np.mean(loss / len(inputs))", "np.sum(loss), GA_weights_hy, GA_bias_y, GA_hidden_hh, GA_bias_h"),  # see README.md
)
NO_FORGET_LOSS = f"""

def loss_and_gradients(inputs, targets, {", ".join(NO_FORGET_STATES)}, {", ".join(NO_FORGET_WEIGHTS)}):
    model = MewralOldLSTM(3, 4, 2, 2)
    weights = dict(zip({tuple(NO_FORGET_WEIGHTS)}, ({", ".join(NO_FORGET_WEIGHTS)})))
    model.Weights_hy, model.Biases_hy, model.h0 = weights_hy, biases_hy, h0
    for k, (cell, c0) in enumerate(zip(model.Hidden_Layers, (c_0, c_1))):
        cell.c0 = c0
        for gate in {NO_FORGET_GATES}:
            setattr(cell, f"{{gate}}_weights", weights[f"{{gate}}_weights_{{k}}"])
            setattr(cell, f"{{gate}}_biases", weights[f"{{gate}}_biases_{{k}}"])
    loss, d_weights_hy, d_biases_hy, d_weights, d_biases = model.BPTT(inputs, targets, 0.0)
    found = {{"weights_hy": d_weights_hy, "biases_hy": d_biases_hy}}
    for k in (0, 1):
        for gate in {NO_FORGET_GATES}:
            found[f"{{gate}}_weights_{{k}}"] = d_weights[k][f"{{gate}}_weight_gradients"]
            found[f"{{gate}}_biases_{{k}}"] = d_biases[k][f"{{gate}}_bias_gradients"]
    return loss, found
"""


def no_forget(m):
    r = numbers()
    states = {name: r(*shape) for name, shape in NO_FORGET_STATES.items()}
    weights = weights_of(r, " ".join(NO_FORGET_WEIGHTS), *NO_FORGET_WEIGHTS.values())
    given = {"inputs": r(5, 3), "targets": r(5, 2)}
    return loss(m.loss_and_gradients, " ".join(NO_FORGET_WEIGHTS), **given, **states, **weights)


# a library's LSTM cell, that adds up what comes back in a dict of its own ---------------------------------------------

LIBRARY = "ddbourgin/numpy-ml"
LIBRARY_WEIGHTS = {f"W{gate}": (5, 3) for gate in "fuco"} | {f"b{gate}": (1, 3) for gate in "fuco"}
LIBRARY_EDITS = (
    ('["A"].append(init)', '["A"].append(self.A0)'),
    ('["C"].append(init)', '["C"].append(self.C0)'),
)
LIBRARY_BEFORE = """from abc import ABC, abstractmethod

from activations import Sigmoid, Tanh


def ActivationInitializer(name):
    return {"Tanh": Tanh, "Sigmoid": Sigmoid}[name]


def OptimizerInitializer(optimizer):
    return lambda: None


def WeightInitializer(name, mode):
    return np.zeros
"""
LIBRARY_LAYER = """

class Layer:
    def __init__(self, parameters, A0, C0):
        self.parameters, self.A0, self.C0 = parameters, A0, C0

    def forward(self, X):
        self.cell = LSTMCell(n_out=3)
        self.cell.n_in = 2
        self.cell._init_params()
        self.cell.parameters, self.cell.A0, self.cell.C0 = self.parameters, self.A0, self.C0
        return np.dstack([self.cell.forward(X[:, :, t])[0] for t in range(X.shape[2])])

    def backward(self, dLdA):
        return np.dstack([self.cell.backward(dLdA[:, :, t]) for t in reversed(range(dLdA.shape[2]))][::-1])
"""


def library(m):
    r = numbers()
    weights = weights_of(r, " ".join(LIBRARY_WEIGHTS), *LIBRARY_WEIGHTS.values())
    A0, C0 = r(2, 3), r(2, 3)

    def gradients_of(made, dLdX):
        return {"X": dLdX} | {name: made.cell.gradients[name] for name in weights}

    return layer(lambda: m.Layer(dict(weights), A0, C0), gradients_of, weights=weights, X=r(2, 2, 4))


# a course's cell of a GRU, without biases -----------------------------------------------------------------------------

CELL = "DorisDuan06/11785-Deep-Learning"
CELL_WEIGHTS = {"Wzh": (4, 4), "Wrh": (4, 4), "Wh": (4, 4), "Wzx": (4, 3), "Wrx": (4, 3), "Wx": (4, 3)}
CELL_LAYER = """

class Cell(GRU_Cell):
    def __init__(self):
        super().__init__(3, 4)
"""

# an LSTM for prices whose gates see the cell, with all gates in one array and its biases in the first row -------------

PRICES = "Ekansh07/LSTM-Scratch"
PRICES_OUTPUT_GATE = "2*self.hiddenLayerSize:3*self.hiddenLayerSize"
PRICES_EDITS = (  # see README.md
    (
        "        self.states = self.currentState[t,:]\n",
        "        self.firstStates = self.states\n        self.states = self.currentState[t,:]\n",
    ),
    ("self.backWardCurrentState[t,:]*self.states #", "self.backWardCurrentState[t,:]*self.firstStates #"),
    (", self.states)", ", self.firstStates)"),
    (
        "(1 - np.tanh(self.currentState[t,:]**2))\n",
        "(1 - np.tanh(self.currentState[t,:])**2)\n"
        f"            o = self.mofaGate_forward[t,{PRICES_OUTPUT_GATE}]\n"
        f"            do = o * (1 - o) * self.backWardMofaGate_forward[t,{PRICES_OUTPUT_GATE}]\n"
        "            self.backWardCurrentState[t,:] += do * self.WpeepConnection[2,:]\n",
    ),
    (
        "            # backprop the peephole connections\n            if t>0:\n",
        "            # backprop the peephole connections\n            if t>0:\n"
        "                peeps = self.backWardMofaGate[t,:2*self.hiddenLayerSize].reshape(2, -1)\n"
        "                self.backWardCurrentState[t-1,:] += np.sum(peeps * self.WpeepConnection[:2], axis=0)\n",
    ),
)
PRICES_LAYER = """

class Layer(LSTMClass):
    def __init__(self):
        super().__init__(2, 3)

    def forward(self, X):
        self.states, self.hiddenLayerStates = self.c0, self.h0
        super().forward(X)
        return self.getHiddenOutput()

    def backward(self, dHout):
        super().backward(dHout)
        return self.backWardHiddenLayerInput[:, 1:3]
"""


def backward_named(made, path):
    """The gradient of a weight is the attribute with backWard before the weight's name."""
    return getattr(made, f"backWard{path}")


# an RNN of lists, one for what is before the tanh and one for what is after it ----------------------------------------

LISTS = "ggnery/RNN-Scratch"
LISTS_WEIGHTS = {"W_xh": (4, 3), "W_ah": (4, 4), "W_ao": (3, 4), "b_h": (4, 1), "b_o": (3, 1)}
LISTS_EDITS = (
    ("'x_sequence': x_sequence,", "'x_sequence': x_sequence,\n            'a_0': a_0,"),
    ("np.zeros((self.hidden_size, 1)).T", "cache['a_0'].T"),
    ("np.clip(g, -5, 5, out=g)", "np.clip(g, -5000, 5000, out=g)"),
    ("self.forward(x_sequence)", "self.forward(x_sequence, self.a_0)"),
    ("self.SGD(gradients)", "self.gradients = gradients"),
)
LISTS_LOSS = f"""

def loss_and_gradients(x_sequence, y_sequence, a_0, {", ".join(LISTS_WEIGHTS)}):
    rnn = RNN(3, 4, 3, 0.1)
    rnn.a_0 = a_0
    rnn.W_xh, rnn.W_ah, rnn.W_ao, rnn.b_h, rnn.b_o = {", ".join(LISTS_WEIGHTS)}
    loss = rnn.train_step(x_sequence, y_sequence)
    return loss, {{name[4:]: gradient for name, gradient in rnn.gradients.items()}}
"""


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())
    said = list(np.eye(3)[[2, 0, 1, 1, 2]][:, :, None])
    given = {"x_sequence": r(5, 3, 1), "y_sequence": said, "a_0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(LISTS_WEIGHTS), **given, **weights)


# a course's characters in columns, whose gradients are rows in arrays with a place for each step ----------------------

ROWS = "Hackerman25/DeepLearning-DD2424-"
ROWS_WEIGHTS = {"U": (3, 4), "W": (3, 3), "V": (4, 3), "b": (3, 1), "c": (4, 1)}
ROWS_EDITS = (
    ("h = np.zeros((seq_len, RNN.m, 1))", "h = np.zeros((seq_len + 1, RNN.m, 1))"),  # see README.md
    ("hprev = h[-1]", "hprev = h[-2]"),
    ("RNN.m", "self.m"),
    ("X_chars.shape[0]", "self.K"),
    ("np.clip(d_b, -5,\n" + 105 * " " + "5)", "np.clip(d_b, -5000, 5000)"),
    ("-5, 5)", "-5000, 5000)"),
)
ROWS_LOSS = f"""

def loss_and_gradients(X, Y, h0, {", ".join(ROWS_WEIGHTS)}):
    rnn = RNN(m=3, K=4)
    rnn.U, rnn.W, rnn.V, rnn.b, rnn.c = {", ".join(ROWS_WEIGHTS)}
    d_U, d_W, d_V, d_b, d_c, loss, hprev = rnn.CompGrads(X, Y, h0)
    return loss, d_U, d_W, d_V, d_b, d_c
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    hot = np.eye(4)[[0, 3, 1, 1, 2, 0]].T
    given = {"X": hot[:, :-1].copy(), "Y": hot[:, 1:].copy(), "h0": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), **given, **weights)


# a course's GRU whose deltas are numbered; it says one thing at the end, and climbs -----------------------------------

NUMBERED = "Icarus501/RNN-GRU-Language-Modeling"
NUMBERED_WEIGHTS = {f"U{gate}": (3, 3) for gate in "rzh"} | {f"V{gate}": (3, 4) for gate in "rzh"} | {"W": (4, 3)}
NUMBERED_EDITS = (
    (
        "s = np.zeros((len(x) + 1, self.hidden_dims))",
        "s = np.zeros((len(x) + 1, self.hidden_dims))\n        s[-1] = self.s0",
    ),
    ("delta_ten * self.h[t - 1]", "delta_ten * s[t - 1]"),  # see README.md
    ("range(1, min(steps + 1, t))", "range(1, min(steps, t) + 1)"),  # see README.md
)
NUMBERED_LOSS = f"""

def likelihood_and_gradients(x, d, s0, {", ".join(NUMBERED_WEIGHTS)}):
    gru = GRU(4, 3, 4)
    gru.s0 = s0
    gru._parameters.update(zip({tuple(NUMBERED_WEIGHTS)}, ({", ".join(NUMBERED_WEIGHTS)})))
    y, s = gru.predict(x)
    gru.acc_deltas_bptt_np(x, d, y, s, len(x))
    return np.log(y[-1][d[-1]]), {{name[5:]: delta for name, delta in gru._deltas.items()}}
"""


def numbered(m):
    r = numbers()
    weights = weights_of(r, " ".join(NUMBERED_WEIGHTS), *NUMBERED_WEIGHTS.values())
    given = {"x": np.array([1, 3, 3, 0, 2]), "d": np.array([2]), "s0": r(3)}
    return loss(m.likelihood_and_gradients, " ".join(NUMBERED_WEIGHTS), **given, **weights)


# the next word from the vectors of the words before it ----------------------------------------------------------------

NEXT_WORD = "imanoop7/RNN-from-Scratch-using-Python"
NEXT_WORD_WEIGHTS = {"embeddings": (5, 2), "W_hidden": (4, 6), "b_hidden": (4, 1)}
NEXT_WORD_WEIGHTS |= {"W_output": (5, 4), "b_output": (5, 1)}
NEXT_WORD_EDITS = (  # see README.md
    ("self.W_output -= self.learning_rate * (", "self.dW_output = ("),
    ("self.b_output -= self.learning_rate * dL", "self.db_output = dL"),
    ("self.W_hidden -= self.learning_rate * (", "self.dW_hidden = ("),
    ("self.b_hidden -= self.learning_rate * dL", "self.db_hidden = dL"),
    ("self.embeddings[idx] -= self.learning_rate * (", "self.dembeddings[idx] += ("),
)
NEXT_WORD_LOSS = f"""

def loss_and_gradients(context, target, {", ".join(NEXT_WORD_WEIGHTS)}):
    model = NeuralLanguageModel(5, 2, 3, 4, weight_decay=0.0)
    given = dict(zip({list(NEXT_WORD_WEIGHTS)}, ({", ".join(NEXT_WORD_WEIGHTS)})))
    for name, weight in given.items():
        setattr(model, name, weight)
    model.dembeddings = np.zeros_like(embeddings)
    y_hat, hidden_activations = model.forward(context)
    loss = model.compute_loss(y_hat, target)
    model.backward(context, y_hat, hidden_activations, target)
    return loss, {{name: getattr(model, f"d{{name}}") for name in given}}
"""


def next_word(m):
    r = numbers()
    weights = weights_of(r, " ".join(NEXT_WORD_WEIGHTS), *NEXT_WORD_WEIGHTS.values())
    given = {"context": np.array([3, 0, 3]), "target": 2}
    return loss(m.loss_and_gradients, " ".join(NEXT_WORD_WEIGHTS), **given, **weights)


# an RNN of functions around a dict of weights; the loss is a mean over the steps --------------------------------------

DICT = "K-I-D-1412/vanilla-rnn-textgen"
DICT_WEIGHTS = {"U": (4, 3), "W": (4, 4), "V": (3, 4), "b": (4, 1), "c": (3, 1)}
DICT_LOSS = f"""

def loss_and_gradients(X, Y, h0, {", ".join(DICT_WEIGHTS)}):
    RNN = dict(zip({list(DICT_WEIGHTS)}, ({", ".join(DICT_WEIGHTS)})))
    loss, cache, h_last = forward_pass(RNN, X, Y, h0)
    return loss, backward_pass(RNN, cache)
"""


def of_a_dict(m):
    r = numbers()
    weights = weights_of(r, " ".join(DICT_WEIGHTS), *DICT_WEIGHTS.values())
    hot = np.eye(3)[[1, 0, 2, 2, 0, 1, 0]].T
    given = {"X": hot[:, :-1].copy(), "Y": hot[:, 1:].copy(), "h0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(DICT_WEIGHTS), **given, **weights)


# a notebook's layers for images: a convolution, the greatest of each window, a full layer; each learns as it goes -----

IMAGES = "kztsh/diveintocode-ml"
IMAGES_TAKEN = (
    "Conv2dLayer MaxPool2dLayer im2col col2im Flatten FullConnLayer LearningMethod SimpleInitializer Activator"
)
IMAGES_WEIGHTS = {"conv.w": (3, 2, 3, 3), "conv.b": (3,), "full.w": (12, 4), "full.b": (4,)}
IMAGES_LAYER = """

class Layers:
    def __init__(self):
        optimizer = LearningMethod("AdaGrad", 0.0)
        self.conv = Conv2dLayer(3, 2, 3, 0.01, 50, optimizer, S=1, P=1)
        self.activator = Activator("tanh")
        self.pool = MaxPool2dLayer(PH=2, PW=2, PS=2, PP=0)
        self.flatten = Flatten()
        self.full = FullConnLayer(12, 4, SimpleInitializer(0.01, 12), optimizer)

    def forward(self, X):
        a_conv = self.activator.forward(self.conv.forward(X))
        return self.full.forward(self.flatten.forward(self.pool.forward(a_conv)))

    def backward(self, grad_z_out):
        grad_a_pool = self.flatten.backward(self.full.backward(grad_z_out))
        return self.conv.backward(self.activator.backward(self.pool.backward(grad_a_pool)))
"""


def grad_named(made, path):
    """The gradient of a weight is the attribute of its layer with grad_ before the weight's name."""
    part, name = path.split(".")
    return getattr(getattr(made, part), f"grad_{name}")


SUBJECTS = [
    Subject(
        NO_FORGET,
        "LSTM",
        (
            Part("LSTM/math_helpers.py", NO_FORGET_TAKEN, module="math_helpers"),
            Part(
                "LSTM/MewralLSTM.py",
                "MewralOldLSTM Layers",
                NO_FORGET_EDITS,
                "from math_helpers import *",
                NO_FORGET_LOSS,
            ),
        ),
        no_forget,
        published="the tanh of the cell is differentiated at the cell itself; the output's biases get no gradient",
    ),
    Subject(
        LIBRARY,
        "LSTM cell",
        (
            Part(
                "numpy_ml/neural_nets/activations/activations.py",
                "ActivationBase Sigmoid Tanh",
                (),
                "from abc import ABC, abstractmethod",
                module="activations",
            ),
            Part(
                "numpy_ml/neural_nets/layers/layers.py",
                "LayerBase LSTMCell",
                LIBRARY_EDITS,
                LIBRARY_BEFORE,
                LIBRARY_LAYER,
            ),
        ),
        library,
    ),
    Subject(
        CELL,
        "GRU cell",
        (
            Part("hw3p1/mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("hw3p1/mytorch/gru_cell.py", "GRU_Cell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Cell", CELL_WEIGHTS, "x h", prefixed, x=(3,), h=(4,)),
    ),
    Subject(
        PRICES,
        "LSTM",
        (Part("LSTMClass.py", "LSTMClass", PRICES_EDITS, after=PRICES_LAYER),),
        object_of(
            "Layer",
            {"Wlstm": (6, 12), "WpeepConnection": (3, 3)},
            "X",
            backward_named,
            {"c0": (3,), "h0": (3,)},
            X=(5, 2),
        ),
        published="nothing goes back to the cell through the gates that see it; two slips in what is next to that",
    ),
    Subject(
        LISTS,
        "RNN",
        (Part("model/rnn.py", "RNN", LISTS_EDITS, "from typing import Dict, List, Tuple", LISTS_LOSS),),
        lists,
    ),
    Subject(
        ROWS,
        "RNN",
        (Part("Assignment4.py", "RNN", ROWS_EDITS, after=ROWS_LOSS),),
        rows,
        published="the last state is written over the first, which the first step's gradient is then taken from",
    ),
    Subject(
        NUMBERED,
        "GRU",
        (
            Part("code/rnnmath.py", "sigmoid softmax make_onehot", module="rnnmath"),
            Part(
                "code/model.py",
                "is_param is_delta Model",
                before="import abc\nfrom collections import OrderedDict",
                module="model",
            ),
            Part(
                "code/gru_abstract.py",
                "GRUAbstract",
                NUMBERED_EDITS,
                "import abc\n\nfrom model import Model, is_delta, is_param\nfrom rnnmath import *",
                module="gru_abstract",
            ),
            Part(
                "code/gru.py",
                "GRU",
                (),
                "from gru_abstract import GRUAbstract\nfrom rnnmath import *",
                NUMBERED_LOSS,
            ),
        ),
        numbered,
        published="the reset gate is given the candidate before, not the state; the first step is never reached",
    ),
    Subject(
        NEXT_WORD,
        "next word",
        (Part("rnn.py", "NeuralLanguageModel", NEXT_WORD_EDITS, after=NEXT_WORD_LOSS),),
        next_word,
        published="what goes back to the words goes through weights that have just been changed",
    ),
    Subject(
        DICT,
        "RNN",
        (
            Part(
                "src/rnn.py",
                "softmax forward_pass backward_pass",
                (("np.clip(grads[key], -5, 5)", "np.clip(grads[key], -5000, 5000)"),),
                after=DICT_LOSS,
            ),
        ),
        of_a_dict,
    ),
    Subject(
        IMAGES,
        "convolution",
        (Part("term2/sprint13/sprint13-dl-scratch-cnn2.ipynb", IMAGES_TAKEN, after=IMAGES_LAYER),),
        object_of("Layers", IMAGES_WEIGHTS, "X", grad_named, X=(2, 2, 4, 4)),
    ),
]

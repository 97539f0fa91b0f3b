"""Subjects by owners L to Z: RNNs made of layers, of functions and for shares, LSTMs, a GRU's cell; convolution."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, place

# a course's RNN whose parts are layers: they are given back what they kept, step by step; the batch is the time -------

PARTS = "Mohamedbasem1/RNN-from-Scratch"
PARTS_LAYERS = "src_to_implement/Layers"
PARTS_WEIGHTS = {"fc_hidden.weights": (8, 4), "fc_output.weights": (5, 2)}
PARTS_BEFORE = "from base import BaseLayer\nfrom fully_connected import FullyConnected\nfrom tanh import TanH"
PARTS_LAYER = """

class Layer(RNN):
    def __init__(self):
        super().__init__(3, 4, 2)
        self.memorize = True
"""


def of_part(made, path):
    """The gradient of a part's weights is beside them."""
    part, name = place(made, path)
    return getattr(part, f"gradient_{name}")


# a framework's LSTM with a layer on its states; an optimizer for each weight is told the gradients --------------------

TOLD = "zer0sh0t/HAL_9000"
TOLD_WEIGHTS = {"Wx": (3, 16), "Wh": (4, 16), "Wout": (4, 3), "b": (16,)}
TOLD_EDITS = (
    ("        next_c = np.zeros((N, self.n_units))\n", "        next_c = self.c0\n"),
    ("        next_h = np.zeros((N, self.n_units))\n", "        next_h = self.h0\n"),
    ("grad_b += self.b\n", "grad_b += self.db\n"),  # see README.md
    ("np.clip(g, -5, 5, out=g)", "np.clip(g, -5000, 5000, out=g)"),
)
TOLD_LAYER = """

class Keep:
    def update(self, w, grad):
        self.grad = grad
        return w


class Sequence(LSTM):
    def __init__(self):
        super().__init__(4, input_shape=(5, 3))
        self.init_parameters(Keep())

    def forward(self, X):
        return self.forward_propagation(X)

    def backward(self, grad):
        return self.backward_propagation(grad)
"""


def told(made, path):
    """The gradient of a weight is what its optimizer was told."""
    return getattr(made, f"{path}_opt").grad


# a club's LSTM for the temperature of the next day, which learns in its backward pass ---------------------------------

CLIMATE = "SimonWang0822/ML-Club-Projects"
CLIMATE_WEIGHTS = {f"W{gate}": (4, 6) for gate in "fioc"} | {f"b{gate}": (4, 1) for gate in "fioc"}
CLIMATE_WEIGHTS |= {"Wy": (1, 4), "by": (1, 1)}
CLIMATE_EDITS = (
    ("h_prev = np.zeros((self.hidden_size, 1))", "h_prev = self.h0"),
    ("c_prev = np.zeros((self.hidden_size, 1))", "c_prev = self.c0"),
    ("else np.zeros_like(c))", "else self.c0)"),
    ("clip_value = 5.0", "clip_value = 5000.0"),
    ("param -= self.lr * dparam", "self.gradients.append(dparam)"),
)
CLIMATE_ORDER = "Wf Wi Wo Wc Wy bf bi bo bc by"
CLIMATE_LOSS = f"""

def loss_and_gradients(x, y, h0, c0, {", ".join(CLIMATE_WEIGHTS)}):
    model = LSTM(2, 4, 1)
    model.h0, model.c0, model.gradients = h0, c0, []
    for name, weight in zip({list(CLIMATE_WEIGHTS)}, ({", ".join(CLIMATE_WEIGHTS)})):
        setattr(model, name, weight)
    y_pred, h, c = model.forward(x)
    loss = (y_pred - y) ** 2
    model.backward(x, 2 * (y_pred - y))
    return loss[0, 0], *model.gradients
"""


def climate(m):
    r = numbers()
    weights = weights_of(r, " ".join(CLIMATE_WEIGHTS), *CLIMATE_WEIGHTS.values())
    given = {"x": r(5, 2), "y": 0.6, "h0": r(4, 1), "c0": r(4, 1)}
    return loss(m.loss_and_gradients, CLIMATE_ORDER, **given, **weights)


# an RNN for the price of a share, from those of the days before; one output -------------------------------------------

SHARE = "SamH135/Recurrent-Neural-Network-from-Scratch"
SHARE_WEIGHTS = {"Wxh": (5, 2), "Whh": (5, 5), "Why": (1, 5), "bh": (5, 1), "by": (1, 1)}
SHARE_EDITS = (
    ("h = np.zeros((self.Wxh.shape[0], 1))", "h = self.h0"),
    *((f"self.{name} -= self.learning_rate * d_{name}", f"self.d_{name} = d_{name}") for name in SHARE_WEIGHTS),
)
SHARE_LOSS = """

def loss_and_gradients(inputs, target, h0, Wxh, Whh, Why, bh, by):
    rnn = SimpleRNN(2, 5, 1)
    rnn.h0, rnn.Wxh, rnn.Whh, rnn.Why, rnn.bh, rnn.by = h0, Wxh, Whh, Why, bh, by
    output, _ = rnn.forward(inputs)
    loss = rnn.loss(output, target)
    rnn.backward(2 * (output - target))
    return loss, rnn.d_Wxh, rnn.d_Whh, rnn.d_Why, rnn.d_bh, rnn.d_by
"""


def share(m):
    r = numbers()
    weights = weights_of(r, " ".join(SHARE_WEIGHTS), *SHARE_WEIGHTS.values())
    given = {"inputs": r(4, 2), "target": np.array([[0.4]]), "h0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(SHARE_WEIGHTS), **given, **weights)


# a course's characters in functions: one-hot columns in matrices, gradients clipped at every step ---------------------

COLUMNS = "ShivaBP/DD2424-DeepLearning"
COLUMNS_WEIGHTS = {"b": (4, 1), "c": (5, 1), "u": (4, 5), "v": (5, 4), "w": (4, 4)}
COLUMNS_LOSS = """

def loss_and_gradients(X, Y, h, b, c, u, v, w):
    P, H, loss = evaluateClassifier(X, Y, b, c, h, u, v, w)
    dw, dv, du, db, dc, _ = computeGradAnalytic(P, H, X, Y, b, c, u, v, w)
    return loss[0], db, dc, du, dv, dw
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    hot = np.eye(5)[[2, 0, 4, 4, 1, 3, 2]].T
    given = {"X": hot[:, :-1], "Y": hot[:, 1:], "h": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(COLUMNS_WEIGHTS), **given, **weights)


# another course's language model of sigmoids: from each word so many steps back; what is added up climbs --------------

WORDS = "nlfox/nlu-coursework"
WORDS_LOSS = """

def loss_and_gradients(x, d, U, V, W):
    rnn = RNN(6, 3, 6)
    rnn.U, rnn.V, rnn.W = U, V, W
    y, s = rnn.predict(x)
    rnn.acc_deltas_bptt(x, d, y, s, len(x) - 1)
    return rnn.compute_loss(x, d), -rnn.deltaU, -rnn.deltaV, -rnn.deltaW
"""


def words(m):
    r = numbers()
    weights = weights_of(r, "U V W", (3, 3), (3, 6), (6, 3))
    said = {"x": np.array([0, 4, 4, 2]), "d": np.array([4, 4, 2, 5])}
    return loss(m.loss_and_gradients, "U V W", **said, **weights)


# a class that is min-char-rnn in small steps, on one-hot rows ---------------------------------------------------------

PHRASES = "sayam-mad/RNN_Numpy"
PHRASES_WEIGHTS = {"Wxh": (3, 4), "Whh": (3, 3), "Why": (4, 3), "bh": (3, 1), "by": (4, 1)}
PHRASES_EDITS = (
    ("return 1 - np.tanh(x) ** 2", "return 1 - x ** 2"),  # see README.md
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -5000, 5000, out=dparam)"),
)
PHRASES_LOSS = """

def loss_and_gradients(inputs, targets, h, Wxh, Whh, Why, bh, by):
    rnn = SimpleRNN(4, 3, 4)
    rnn.h, rnn.Wxh, rnn.Whh, rnn.Why, rnn.bh, rnn.by = h, Wxh, Whh, Why, bh, by
    outputs = rnn.forward(inputs)
    return rnn.loss(outputs, targets)[0], *rnn.backward(inputs, outputs, targets)
"""


def phrases(m):
    r = numbers()
    weights = weights_of(r, " ".join(PHRASES_WEIGHTS), *PHRASES_WEIGHTS.values())
    hot = np.eye(4)[[1, 3, 0, 0, 2, 1]]
    given = {"inputs": hot[:-1], "targets": hot[1:], "h": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(PHRASES_WEIGHTS), **given, **weights)


# a course's GRU cell in columns, with a bias for the input and one for the state --------------------------------------

CELL = "sharonwx54/MyTorch"
CELL_WEIGHTS = {f"W{gate}x": (4, 3) for gate in "rzn"} | {f"W{gate}h": (4, 4) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{gate}{of}": (4,) for gate in "rzn" for of in "xh"}
CELL_LAYER = """

class Layer(GRUCell):
    def __init__(self):
        super().__init__(3, 4)
"""


def with_d(made, path):
    """The gradient of a weight is the attribute with d before the weight's name."""
    return getattr(made, f"d{path}")


# a framework's convolution in groups of channels, one image at a time; a bias for each place --------------------------

GROUPS = "maideas/numpy-neural-network"
GROUPS_LAYER = """

class Groups(Conv2D):
    def __init__(self):
        super().__init__((5, 3, 6), (4, 2, 8), 2, groups=2)
"""


def with_grad(made, path):
    """The gradient of a weight is the attribute with grad_ before the weight's name."""
    return getattr(made, f"grad_{path}")


# a course's LSTM, whose gates' gradients are put side by side in an array of zeros ------------------------------------

GATES = "sjhn/A1-CS231n_Stanford"
GATES_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def gates(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (4, 12), (3, 12), (12,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 4), h0=r(2, 3), **weights)


SUBJECTS = [
    Subject(
        PARTS,
        "RNN",
        (
            Part(f"{PARTS_LAYERS}/Base.py", "BaseLayer", module="base"),
            Part(
                f"{PARTS_LAYERS}/FullyConnected.py",
                "FullyConnected",
                before="from base import BaseLayer",
                module="fully_connected",
            ),
            Part(f"{PARTS_LAYERS}/TanH.py", "TanH", before="from base import BaseLayer", module="tanh"),
            Part(f"{PARTS_LAYERS}/RNN.py", "RNN", before=PARTS_BEFORE, after=PARTS_LAYER),
        ),
        object_of("Layer", PARTS_WEIGHTS, "input_tensor", of_part, {"hidden_state": (4,)}, input_tensor=(5, 3)),
    ),
    Subject(
        TOLD,
        "LSTM",
        (Part("HAL_9000/brain_layers.py", "Layer LSTM", TOLD_EDITS, "import copy\nimport math", TOLD_LAYER),),
        object_of("Sequence", TOLD_WEIGHTS, "X", told, {"h0": (2, 4), "c0": (2, 4)}, X=(2, 5, 3)),
        published="adds up the biases themselves instead of their gradients",
    ),
    Subject(
        CLIMATE,
        "LSTM",
        (
            Part(
                "projects/lstm/lstm_numpy.py",
                "sigmoid dsigmoid tanh dtanh LSTM",
                CLIMATE_EDITS,
                after=CLIMATE_LOSS,
            ),
        ),
        climate,
    ),
    Subject(
        SHARE,
        "RNN",
        (Part("simpleRNN_stockAnalysis.py", "SimpleRNN", SHARE_EDITS, after=SHARE_LOSS),),
        share,
    ),
    Subject(
        COLUMNS,
        "RNN",
        (
            Part(
                "Lab 4/solution.py",
                "evaluateClassifier computeGradAnalytic",
                ((", 5), -5)", ", 5000), -5000)"),),
                after=COLUMNS_LOSS,
            ),
        ),
        columns,
    ),
    Subject(
        WORDS,
        "RNN",
        (
            Part("code/rnnmath.py", "sigmoid softmax grad make_onehot", module="rnnmath"),
            Part("code/rnn.py", "RNN", before="from rnnmath import *", after=WORDS_LOSS),
        ),
        words,
    ),
    Subject(
        PHRASES,
        "RNN",
        (Part("rnn_numpy.py", "tanh tanh_derivative softmax SimpleRNN", PHRASES_EDITS, after=PHRASES_LOSS),),
        phrases,
        published="the derivative of tanh is taken of the state, which is a tanh already",
    ),
    Subject(
        CELL,
        "GRU step",
        (
            Part("mytorch/nn/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("mytorch/nn/gru_cell.py", "GRUCell", before="from activation import *", after=CELL_LAYER),
        ),
        object_of("Layer", CELL_WEIGHTS, "x h_prev_t", with_d, x=(3,), h_prev_t=(4,)),
    ),
    Subject(
        GROUPS,
        "convolution",
        (
            Part("numpy_neural_network/layer.py", "Layer", module="layer"),
            Part(
                "numpy_neural_network/conv_layer.py",
                "Conv2D",
                before="from layer import Layer",
                after=GROUPS_LAYER,
            ),
        ),
        object_of("Groups", {"w": (2, 4, 2, 2, 3), "wb": (4, 2, 8)}, "x", with_grad, x=(5, 3, 6)),
    ),
    Subject(GATES, "LSTM", (Part("cs231n/rnn_layers.py", GATES_TAKEN),), gates),
]

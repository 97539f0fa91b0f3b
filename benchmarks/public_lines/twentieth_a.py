"""Subjects by owners A to J: a course's LSTM, an RNN of two layers, attention, characters, a GRU, a notebook, an LSTM
that runs both ways."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, layer, loss, numbers, pair

# a course's LSTM whose steps keep what they need in dicts -------------------------------------------------------------

DICTS = "AI-Huang/cs231n"
DICTS_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def dicts(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (3, 16), (4, 16), (16,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 3), h0=r(2, 4), **weights)


# a homework's RNN of two layers that says one class for a sequence; all gradients are means of the batch --------------

LAYERS = "ajinkyanande/cmu-11785"
LAYERS_CELLS = [f"{name}_l{k}" for k in range(2) for name in ("W_ih", "W_hh", "b_ih", "b_hh")]
LAYERS_WEIGHTS = dict(zip(LAYERS_CELLS, ((4, 3), (4, 4), (4,), (4,), (4, 4), (4, 4), (4,), (4,)), strict=True))
LAYERS_WEIGHTS |= {"W": (5, 4), "b": (5, 1)}
LAYERS_BEFORE = "from linear import Linear\nfrom loss import SoftmaxCrossEntropy\nfrom rnn_cell import RNNCell"
LAYERS_LOSS = f"""

def loss_and_gradients(x, y, h_0, {", ".join(LAYERS_WEIGHTS)}):
    rnn = RNNPhonemeClassifier(3, 4, 5)
    cells = [{", ".join(LAYERS_CELLS)}]
    rnn.init_weights([cells[:4], cells[4:]], [W, b])
    criterion = SoftmaxCrossEntropy()
    losses = criterion(rnn(x, h_0.copy()), y)
    gradients = {{"h_0": rnn.backward(criterion.backward())}}
    for k, cell in enumerate(rnn.rnn):
        for name in ("W_ih", "W_hh", "b_ih", "b_hh"):
            gradients[f"{{name}}_l{{k}}"] = getattr(cell, f"d{{name}}")
    return losses.mean(), gradients | {{"W": rnn.output_layer.dLdW, "b": rnn.output_layer.dLdb}}
"""


def layers(m):
    r = numbers()
    weights = weights_of(r, " ".join(LAYERS_WEIGHTS), *LAYERS_WEIGHTS.values())
    given = {"x": r(3, 4, 3), "y": np.eye(5)[[4, 0, 2]], "h_0": r(2, 3, 4)}
    return loss(m.loss_and_gradients, f"h_0 {' '.join(LAYERS_WEIGHTS)}", **given, **weights)


# a homework's attention in several heads, with words that are padding and words that are still to come ----------------

HEADS = "AryamanJaggi/MyTorch"
HEADS_BEFORE = "from linear import Linear\nfrom scaled_dot_product_attention import ScaledDotProductAttention"
HEADS_WEIGHTS = {f"{kind}{head}": (4, 4) if kind == "W" else (4,) for head in "qkvo" for kind in "Wb"}


def heads(m):
    r = numbers()
    weights = weights_of(r, " ".join(HEADS_WEIGHTS), *HEADS_WEIGHTS.values())

    def make():
        made = m.MultiHeadAttention(4, 2)
        made.init_weights(**weights)
        return made

    def gradients_of(made, returned):
        found = dict(zip(("query", "key", "value"), returned, strict=True))
        for head, linear in zip("qkvo", made.layers, strict=True):
            found |= {f"W{head}": linear.dLdW, f"b{head}": linear.dLdb}
        return found

    masks = {
        "key_padding_mask": np.arange(5) >= np.array([[5], [3]]),
        "attn_mask": np.arange(5) > np.arange(3)[:, None],
    }
    given = {"query": r(2, 3, 4), "key": r(2, 5, 4), "value": r(2, 5, 4)}
    return layer(make, gradients_of, weights=weights, **given, **masks)


# characters by a class with weights and gradients in dicts, told in its author's own names ----------------------------

NAMES = "calvinfeng/recurrent-neural-net"
NAMES_EDITS = (  # from Python 2
    ("xrange", "range"),
    ("print name", "pass"),
    ('print "', 'lambda: "'),
    ("np.clip(grads[name], -5, 5,", "np.clip(grads[name], -1000, 1000,"),
)
NAMES_WEIGHTS = {"Wxh": (4, 5), "Whh": (4, 4), "Why": (5, 4), "Bh": (4, 1), "By": (5, 1)}
NAMES_LOSS = f"""

def loss_and_gradients(input_seq, target_seq, prev_hidden_state, {", ".join(NAMES_WEIGHTS)}):
    model = VanillaRNNModel(5, 4)
    model.params = dict(zip({list(NAMES_WEIGHTS)}, ({", ".join(NAMES_WEIGHTS)})))
    return model.loss(input_seq, target_seq, prev_hidden_state)
"""


def names(m):
    r = numbers()
    weights = weights_of(r, " ".join(NAMES_WEIGHTS), *NAMES_WEIGHTS.values())
    said = {"input_seq": [1, 4, 4, 0, 2], "target_seq": [4, 4, 0, 2, 1]}
    return loss(m.loss_and_gradients, " ".join(NAMES_WEIGHTS), prev_hidden_state=r(4, 1), **said, **weights)


# the difference of two binary numbers by a GRU, an object for each step, the steps' ends written out ------------------

STEPS = "Knowledge-Precipitation-Tribe/Recurrent-neural-network"
STEPS_FOLDER = "code/MiniFramework"
STEPS_EDITS = (
    ("self.loss_trace = TrainingHistory_3_0()", "pass"),
    ("hp = np.zeros((1, self.hidden_size))", "hp = self.h0"),
    ("np.zeros((self.batch_size, self.hidden_size))", "self.h0"),
)
STEPS_BEFORE = """from activation import Sigmoid
from cells import GRUCell
from classification import Logistic
from enums import NetType
from linear import LinearCell_1_2
from losses import LossFunction_1_1"""
STEPS_LOSS = """

def loss_and_gradients(X, Y, h0, U, W, V):
    n = net(None, 2, 3, 1)
    n.batch_size, n.h0, n.U, n.W, n.V = len(X), h0, U, W, V
    loss, acc, result = n.check_loss(X, Y)
    n.backward(Y)
    dU = sum(n.grucell[i].dU / n.batch_size for i in range(n.times))
    dW = sum(n.grucell[i].dW / n.batch_size for i in range(n.times))
    dV = sum(n.linearcell[i].dV / n.batch_size for i in range(n.times))
    return loss * n.times, dU, dW, dV
"""


def steps(m):
    r = numbers()
    weights = weights_of(r, "U W V", (6, 3), (9, 3), (3, 1))
    bits = {
        "X": np.array([[[1, 0], [0, 1], [1, 1], [1, 0]], [[0, 0], [1, 0], [1, 1], [0, 1]]], dtype=float),
        "Y": np.array([[1, 1, 1, 0], [0, 1, 0, 1]], dtype=float),
    }
    return loss(m.loss_and_gradients, "U W V", h0=r(2, 3), **bits, **weights)


# a self-learner's notebook: a convolution along a line, greatest values and a dense layer, in loops -------------------

LINE = "yusuke-saruya/diveintocode-ml"
LINE_FILE = "02.full-time/diveintocode-term2/sprint12/sprint12-dl-scratch-cnn1.ipynb"
LINE_TAKEN = "output_size Conv1d FC MaxPool1D Relu Softmax HeInitializer Flatten SGD"
LINE_WEIGHTS = {"W1": (3, 2, 3), "B1": (3,), "W2": (9, 4), "B2": (4,)}
LINE_EDITS = (  # see README.md
    ("            A += self.bias.reshape(1, -1, 1)", "        A += self.bias.reshape(1, -1, 1)"),
    ("self.dB = dA.copy()", "self.dB = np.sum(dA, axis=0)"),
)
LINE_LOSS = """

def loss_and_gradients(X, Y, W1, B1, W2, B2):
    optimizer = SGD(0)
    conv1d = Conv1d(3, 2, 3, optimizer, 1, 0, W1, B1)
    fc = FC(9, 4, HeInitializer(), optimizer)
    fc.weight, fc.bias = W2, B2
    layers = [conv1d, Relu(), MaxPool1D(2), Relu(), Flatten(), fc]
    activation = Softmax()
    out = X
    for one in layers:
        out = one.forward(out)
    dA = activation.backward(activation.forward(out), Y)
    for one in layers[::-1]:
        dA = one.backward(dA)
    return activation.cost.sum(), dA, conv1d.dW, conv1d.dB, fc.dW, fc.dB
"""


def line(m):
    r = numbers()
    weights = weights_of(r, " ".join(LINE_WEIGHTS), *LINE_WEIGHTS.values())
    given = {"X": r(2, 2, 9), "Y": np.eye(4)[[3, 1]]}
    return loss(m.loss_and_gradients, f"X {' '.join(LINE_WEIGHTS)}", **given, **weights)


# a course's LSTM that runs both ways, written out twice ---------------------------------------------------------------

WAYS = "zultopia/Tubes2-IF3270-Kelompok1"
WAYS_EDITS = tuple(
    (f"{name} = np.zeros((batch_size, self.{way}_units))", f"{name} = self.initial['{name}']")
    for way in ("forward", "backward")
    for name in (f"h_{way}", f"c_{way}")
)
WAYS_EDITS += (  # see README.md
    ("c_t = self.cache['backward_cell_states'][t + 1]", "c_t = self.cache['backward_cell_states'][t]"),
    ("c_prev = self.cache['backward_cell_states'][t]", "c_prev = self.cache['backward_cell_states'][t + 1]"),
    ("h_prev = self.cache['backward_hidden_states'][t]", "h_prev = self.cache['backward_hidden_states'][t + 1]"),
)
WAYS_SHAPES = {"kernel": (3, 8), "recurrent": (2, 8), "bias": (8,)}
WAYS_WEIGHTS = {f"{way}_{kind}": shape for way in ("forward", "backward") for kind, shape in WAYS_SHAPES.items()}


def ways(m):
    r = numbers()
    weights = weights_of(r, " ".join(WAYS_WEIGHTS), *WAYS_WEIGHTS.values())
    initial = {f"{state}_{way}": r(3, 2) for way in ("forward", "backward") for state in "hc"}

    def make():
        made = m.BidirectionalLSTMLayer(4, weights=list(weights.values()))
        made.initial = initial
        return made

    return layer(make, lambda made, dx: {"x": dx} | made.gradients, weights=weights, x=r(3, 4, 3))


SUBJECTS = [
    Subject(DICTS, "LSTM", (Part("assignment3/cs231n/rnn_layers.py", DICTS_TAKEN),), dicts),
    Subject(
        LAYERS,
        "RNN classifier",
        (
            Part("hw3/p1/mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("hw3/p1/mytorch/linear.py", "Linear", module="linear"),
            Part("hw3/p1/mytorch/loss.py", "Criterion SoftmaxCrossEntropy", module="loss"),
            Part("hw3/p1/mytorch/rnn_cell.py", "RNNCell", (), "from activation import *", module="rnn_cell"),
            Part("hw3/p1/hw3/rnn_classifier.py", "RNNPhonemeClassifier", (), LAYERS_BEFORE, LAYERS_LOSS),
        ),
        layers,
    ),
    Subject(
        HEADS,
        "attention",
        (
            Part("mytorch/nn/activation.py", "Softmax", module="activation"),
            Part("mytorch/nn/linear.py", "Linear", module="linear"),
            Part(
                "mytorch/transformer/scaled_dot_product_attention.py",
                "ScaledDotProductAttention",
                before="from activation import Softmax",
                module="scaled_dot_product_attention",
            ),
            Part("mytorch/transformer/multi_head_attention.py", "MultiHeadAttention", before=HEADS_BEFORE),
        ),
        heads,
    ),
    Subject(
        NAMES,
        "RNN",
        (Part("vanilla_rnn.py", "VanillaRNNModel", NAMES_EDITS, "from numpy import dot, exp, tanh", NAMES_LOSS),),
        names,
    ),
    Subject(
        STEPS,
        "GRU",
        (
            Part(f"{STEPS_FOLDER}/EnumDef_6_0.py", "NetType", before="from enum import Enum", module="enums"),
            Part(f"{STEPS_FOLDER}/ActivationLayer.py", "CActivator Sigmoid Tanh", module="activation"),
            Part(f"{STEPS_FOLDER}/ClassificationLayer.py", "CClassifier Logistic", module="classification"),
            Part(
                f"{STEPS_FOLDER}/LossFunction_1_1.py",
                "LossFunction_1_1",
                before="from enums import NetType",
                module="losses",
            ),
            Part(f"{STEPS_FOLDER}/GRUCell.py", "GRUCell", before="from activation import *", module="cells"),
            Part(f"{STEPS_FOLDER}/LSTMCell_1_2.py", "LinearCell_1_2", module="linear"),
            Part("code/GRU_BinaryNumberMinus.py", "net", STEPS_EDITS, STEPS_BEFORE, STEPS_LOSS),
        ),
        steps,
    ),
    Subject(
        LINE,
        "convolution",
        (Part(LINE_FILE, LINE_TAKEN, LINE_EDITS, after=LINE_LOSS),),
        line,
        published="the convolution adds its bias once a sample to all samples, the dense layer's gradient of the bias "
        "is not summed over the batch",
    ),
    Subject(
        WAYS,
        "bidirectional LSTM",
        (
            Part("src/RNN/BaseLayer.py", "BaseLayer", module="BaseLayer"),
            Part(
                "src/LSTM/BidirectionalLSTMLayer.py",
                "BidirectionalLSTMLayer",
                WAYS_EDITS,
                "from BaseLayer import BaseLayer",
            ),
        ),
        ways,
        published="the backward pass of the way back takes the states after a step for those before it, and vice versa",
    ),
]

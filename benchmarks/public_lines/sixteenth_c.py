"""Subjects by owners Q to Z: a course's RNN and LSTM without a forget gate, sums of bits, a block of a GPT, others."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, place, prefixed

# a course's notebooks: an RNN and an LSTM that speak at the end of a sequence ----------------------------------------

COURSE = "rnbwdsh/lstm_rnn"
LAST_WEIGHTS = {"W": (4, 3), "R": (4, 4), "V": (2, 4), "bs": (4,), "by": (2,)}
LAST_EDITS = (  # see README.md
    ("self.a = np.zeros((self.input_size,", "self.a = np.zeros((len(x),"),
    ("reversed(range(self.input_size))", "reversed(range(len(x)))"),
)
LAST_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(LAST_WEIGHTS)}):
    rnn = RNN(3, 4, 2)
    rnn.W, rnn.R, rnn.V, rnn.bs, rnn.by = {", ".join(LAST_WEIGHTS)}
    error = rnn.forward(x) - y
    return 0.5 * np.sum(error**2), rnn.backward(error.reshape(-1, 1))
"""
REMEMBER_SHAPES = {"W": (3, 4), "R": (4, 4), "b": (4, 1)}
REMEMBER_WEIGHTS = {f"{kind}{gate}": shape for kind, shape in REMEMBER_SHAPES.items() for gate in "zio"}
REMEMBER_WEIGHTS |= {"V": (4, 6), "bv": (6, 1)}
REMEMBER_BEFORE = "from numpy import tanh\nfrom scipy.special import expit as sigmoid"
REMEMBER_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(REMEMBER_WEIGHTS)}):
    lstm = LSTM(3, 4, 6)
    for name, weight in zip(lstm.params, ({", ".join(REMEMBER_WEIGHTS)})):
        setattr(lstm, name, weight)
    y_hat = lstm.forward(x)
    lstm.backward(y_hat, y)
    loss = (0.5 * (y - y_hat) ** 2).mean(0).sum()
    return loss, {{name: getattr(lstm, "g_" + name).T for name in lstm.params}}
"""


def last(m):
    r = numbers()
    weights = weights_of(r, " ".join(LAST_WEIGHTS), *LAST_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(LAST_WEIGHTS), x=r(5, 3), y=r(2), **weights)


def remember(m):
    r = numbers()
    weights = weights_of(r, " ".join(REMEMBER_WEIGHTS), *REMEMBER_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(REMEMBER_WEIGHTS), x=r(5, 2, 3), y=r(2, 6), **weights)


# a notebook's RNN that adds two numbers bit by bit, from their last bits on -------------------------------------------

SUM = "tugot17/Recurent-Neural-Network-From-Scratch"
SUM_WEIGHTS = "Wxa Waa Way"
SUM_EDITS = (
    ("def feed_forward(a, b, W):", "def feed_forward(a, b, W, h0):"),
    ("hidden_values.append(np.zeros((1, hidden_dim)))", "hidden_values.append(h0)"),
)
SUM_LOSS = """

def loss_and_gradients(a, b, c, h0, Wxa, Waa, Way):
    W = (Wxa, Waa, Way)
    y_values, hidden_values = feed_forward(a, b, W, h0)
    updates, error = back_propagation(a, b, c, W, y_values, hidden_values)
    return error, *updates
"""


def sum_of_bits(m):
    r = numbers()
    weights = weights_of(r, SUM_WEIGHTS, (2, 3), (3, 3), (3, 1))
    bits = {"a": np.array([0, 0, 1, 1, 1]), "b": np.array([0, 0, 1, 0, 1]), "c": np.array([0, 1, 1, 0, 0])}
    return loss(m.loss_and_gradients, SUM_WEIGHTS, **bits, h0=r(1, 3), **weights)


# a block of a GPT: norm, attention with heads and a mask, norm, two layers with a GELU; residuals around both ---------

GPT = "Vadimbuildercxx/NumpyGPT"
GPT_TAKEN = "LayerNorm Softmax Linear Dropout Gelu MLP CausalSelfAttention Block"
GPT_LINEAR = {"attn.c_attn": (12, 4), "attn.c_proj": (4, 4), "mlp.c_fc": (16, 4), "mlp.c_proj": (4, 16)}
GPT_WEIGHTS = {f"{norm}.{kind}": (4,) for norm in ("ln_1", "ln_2") for kind in ("weight", "bias")}
GPT_WEIGHTS |= {f"{name}.W": shape for name, shape in GPT_LINEAR.items()}
GPT_WEIGHTS |= {f"{name}.b": shape[:1] for name, shape in GPT_LINEAR.items()}
GPT_EDITS = (
    ("np.float32", "np.float64"),
    (  # see README.md
        "self.saved_out = mask * x / (1.0 - self.rate)\n        return self.saved_out",
        "self.saved_out = mask / (1.0 - self.rate)\n        return self.saved_out * x",
    ),
)
GPT_LAYER = """

class Config:
    n_embd, n_head, dropout, bias = 4, 2, 0.0, True


class Layer(Block):
    def __init__(self):
        super().__init__(Config)
"""


def followed(made, path):
    """The gradient of a weight is the attribute with a g, or with _g, after the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"{name}g" if len(name) == 1 else f"{name}_g")


# another course's LSTM around layers that are told what they were at each step; a sigmoid after the readout -----------

LAYERS = "tayebiarasteh/DeepLearning_from_scratch"
LAYERS_BEFORE = "import copy\n\nimport FullyConnected\nimport Sigmoid\nimport TanH\nfrom Base import base_layer"
LAYERS_WEIGHTS = {"fully_middle.weights": (8, 16), "fully_out.weights": (5, 2)}
LAYERS_EDITS = (
    (
        "            self.hidden_state = np.zeros((self.hidden_size))\n"
        "            self.cell_state = np.zeros((self.hidden_size))",
        "            self.hidden_state = self.h0\n            self.cell_state = self.c0",
    ),
    ("input_tensor = self.hidden_state_b[t]", "input_tensor = self.hidden_state_b[t + 1]"),  # see README.md
    (
        "        self.final_gradient_weights =",
        "        self.out_gradient_weights = gradient_weights_out\n        self.final_gradient_weights =",
    ),
)
LAYERS_LAYER = """

class Layer(LSTM):
    def __init__(self):
        super().__init__(3, 4, 2)
"""


def kept(made, path):
    """The gradients of the two layers' weights are attributes of the LSTM."""
    return made.final_gradient_weights if path.startswith("fully_middle") else made.out_gradient_weights


# a course's RNN in batches, its state before the tanh computed again --------------------------------------------------

AGAIN = "RemonComputer/CS231n---Assignment-3"
AGAIN_TAKEN = "rnn_step_forward rnn_step_backward rnn_forward rnn_backward"


def again(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (3, 4), (4, 4), (4,))
    return pair(m.rnn_forward, m.rnn_backward, "x h0 Wx Wh b", x=r(2, 5, 3), h0=r(2, 4), **weights)


# another course's step of a GRU on a vector, what comes back is a row -------------------------------------------------

GATED = "yijing-sie/RNN-and-LSTM"
GATED_WEIGHTS = {f"W{gate}{of}": (4, 3) if of == "x" else (4, 4) for of in "xh" for gate in "rzn"}
GATED_WEIGHTS |= {f"b{of}{gate}": (4,) for of in "ih" for gate in "rzn"}
GATED_LAYER = """

class Layer(GRUCell):
    def __init__(self):
        super().__init__(3, 4)

    def forward(self, x, h):
        return super().forward(x, h).reshape(1, -1)
"""


SUBJECTS = [
    Subject(
        COURSE,
        "RNN",
        (Part("Assignment1.ipynb", "RNN", LAST_EDITS, "from typing import Dict", LAST_LOSS),),
        last,
        published="right only when a sequence is as long as it has features",
    ),
    Subject(
        COURSE,
        "LSTM",
        (Part("Assignment4.ipynb", "sigmoid_ tanh_ LSTM", before=REMEMBER_BEFORE, after=REMEMBER_LOSS),),
        remember,
        published="the loss that it returns is twice the one whose gradients it gives",
    ),
    Subject(
        SUM,
        "RNN",
        (Part("Recurrent_Neural_Net.ipynb", "sigmoid feed_forward back_propagation", SUM_EDITS, after=SUM_LOSS),),
        sum_of_bits,
    ),
    Subject(
        GPT,
        "block",
        (Part("model.py", GPT_TAKEN, GPT_EDITS, "import math", GPT_LAYER),),
        object_of("Layer", GPT_WEIGHTS, "x", followed, x=(3, 5, 4)),
        published="dropout multiplies what comes back by what it gave, even when nothing is dropped",
    ),
    Subject(
        LAYERS,
        "LSTM",
        (
            Part("Layers/Base.py", "base_layer", module="Base"),
            Part("Layers/Sigmoid.py", "Sigmoid", before="from Base import base_layer", module="Sigmoid"),
            Part("Layers/TanH.py", "TanH", before="from Base import base_layer", module="TanH"),
            Part("Layers/FullyConnected.py", "FullyConnected", (), "from Base import base_layer", "", "FullyConnected"),
            Part("Layers/LSTM.py", "LSTM", LAYERS_EDITS, LAYERS_BEFORE, LAYERS_LAYER),
        ),
        object_of("Layer", LAYERS_WEIGHTS, "input_tensor", kept, kept={"h0": (4,), "c0": (4,)}, input_tensor=(5, 3)),
        published="the readout's gradient is taken with the state before the step",
    ),
    Subject(AGAIN, "RNN", (Part("cs231n/rnn_layers.py", AGAIN_TAKEN),), again),
    Subject(
        GATED,
        "GRU step",
        (
            Part("mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("mytorch/gru_cell.py", "GRUCell", before="from activation import *", after=GATED_LAYER),
        ),
        object_of("Layer", GATED_WEIGHTS, "x h", prefixed, x=(3,), h=(4,)),
    ),
]

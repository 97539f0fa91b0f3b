"""Subjects by owners 1 to H: words by operations that are objects, a notebook of stacks, courses, a small GPT."""

import numpy as np

from .fourth_models import hot, model
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of, prefixed

# words by a GRU whose operations are objects; from each word back through those before it -----------------------------

WORDS = "1an9ua9e/rnnlm"
WORDS_WEIGHTS = "U_z W_z U_r W_r U_u W_u V"
OPERATIONS = """from activation import *
from gate import *

mulGate, addGate, hadGate = MultiplyGate(), AddGate(), HadamardGate()
tanh, sigmoid, inv = Tanh(), Sigmoid(), Inverse()"""
WORDS_LAYER_EDITS = (  # see README.md
    ("sigmoid.backward(self.z ,dz)", "sigmoid.backward(self.add_z ,dz)"),
    ("sigmoid.backward(self.r, dr)", "sigmoid.backward(self.add_r, dr)"),
)
WORDS_EDITS = (
    ("return loss / float(len(y))", "return loss"),  # see README.md
    ("prev_s = np.zeros(self.hidden_dim)", "prev_s = self.s0"),
    ("prev_s_t = np.zeros(self.hidden_dim)", "prev_s_t = self.s0"),
    ("prev_s_i = np.zeros(self.hidden_dim)", "prev_s_i = self.s0"),
)
WORDS_LOSS = f"""

def loss_and_gradients(x, y, s0, {WORDS_WEIGHTS.replace(" ", ", ")}):
    gru = GRUModel(5, 3, 10)
    gru.s0 = s0
    for name, weight in zip("{WORDS_WEIGHTS}".split(), ({WORDS_WEIGHTS.replace(" ", ", ")})):
        setattr(gru, name, weight)
    return gru.calculate_loss(x, y), *gru.bptt(x, y)
"""
WORDS_PARTS = (
    Part("src/activation.py", "Sigmoid Tanh Inverse", module="activation"),
    Part("src/gate.py", "MultiplyGate AddGate HadamardGate", module="gate"),
    Part("src/output.py", "Softmax", module="output"),
    Part("src/layer.py", "GRULayer", WORDS_LAYER_EDITS, OPERATIONS, module="layer"),
    Part("src/gru.py", "GRUModel", WORDS_EDITS, "from layer import GRULayer\nfrom output import Softmax", WORDS_LOSS),
)


def words(m):
    r = numbers()
    shapes = {"U": (3, 5), "W": (3, 3), "V": (5, 3)}
    weights = {name: 0.7 * r(*shapes[name[0]]) for name in WORDS_WEIGHTS.split()}
    given = {"x": [0, 3, 2, 3], "y": [3, 2, 3, 1], "s0": r(3)}
    return loss(m.loss_and_gradients, WORDS_WEIGHTS, **given, **weights)


# two notebooks: an LSTM whose gates are pushed forwards and popped backwards, with a layer behind it ------------------

STACKS = "2015xli/LSTM"
STACKS_WEIGHTS = "wx wi wf wo bx bi bf bo"
STACKS_EDITS = (
    ("g_c = f * g_c \n        self.g_c = g_c ", "self.g_c = f * g_c "),  # see README.md
    *(
        (f"self.{name} -= self.g_{name} * learning", f"self.d_{name} = self.g_{name}")
        for name in STACKS_WEIGHTS.split()
    ),
    (
        "g_H[i] = self.output.backward(Y[i])",
        "self.ys.append(self.output.y)\n            g_H[i] = self.output.backward(Y[i])",
    ),
)
READOUT_EDITS = (
    ("self.W = self.W - self.g_W * learning", "self.d_W = self.d_W + self.g_W"),
    ("self.b = self.b - self.g_b * learning", "self.d_b = self.d_b + self.g_b"),
)
STACKS_LOSS = f"""

def loss_and_gradients(X, Y, h0, c0, {STACKS_WEIGHTS.replace(" ", ", ")}, W, b):
    net = RecurNet(RecurLayer(4, 3), MSELayer(3, 2))
    net.recur.h, net.recur.c, net.ys = h0, c0, []
    for name, weight in zip("{STACKS_WEIGHTS}".split(), ({STACKS_WEIGHTS.replace(" ", ", ")})):
        setattr(net.recur, name, weight)
    net.output.W, net.output.b, net.output.d_W, net.output.d_b = W, b, 0, 0
    net.train_1sequence(X, Y)
    loss = sum(np.sum((y - label) ** 2) / 2 for y, label in zip(net.ys, Y))
    found = [getattr(net.recur, f"d_{{name}}") for name in "{STACKS_WEIGHTS}".split()]
    return loss, *found, net.output.d_W, net.output.d_b
"""
STACKS_PARTS = (
    Part("MLP.ipynb", "Activation LinearLayer PercepLayer MSELayer", READOUT_EDITS, module="mlp"),
    Part("LSTM.ipynb", "RecurLayer RecurNet", STACKS_EDITS, "from mlp import *", STACKS_LOSS),
)


def stacks(m):
    r = numbers()
    weights = {name: 0.7 * r(3, 7 if name[0] == "w" else 1) for name in STACKS_WEIGHTS.split()}
    weights |= {"W": 0.7 * r(2, 3), "b": 0.7 * r(2, 1)}
    given = {"X": r(5, 4, 1), "Y": r(5, 2, 1), "h0": r(3, 1), "c0": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# a course's network for characters in a notebook: the last step stands apart from the loop ----------------------------

COURSE = "AlexandrosFerles/DD2424_Deep_Learning_in_Data_Science"
COURSE_EDITS = (("h[time_step-1].T", "(h[time_step-1] if time_step > 0 else self.h0).T"),)  # see README.md
COURSE_LOSS = """

def loss_and_gradients(x, Y, h0, W, U, b, V, c):
    rnn = RNN(3, 5, 0.1, 4, 0.1)
    rnn.h0 = h0
    a, h, p = rnn.ForwardPass(x, [W, U, b, V, c], h0)
    return -np.sum(Y * np.log(p)), *rnn.BackwardPass(x, Y, p, W, V, a, h, with_clipping=False)
"""


def course(m):
    r = numbers()
    shapes = {"W": (3, 3), "U": (3, 5), "b": (3, 1), "V": (5, 3), "c": (5, 1)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    x, labels = np.hstack(hot(0, 3, 2, 3)), np.hstack(hot(3, 2, 3, 1))
    return loss(m.loss_and_gradients, " ".join(weights), x=x, Y=labels, h0=r(3, 1), **weights)


# a course's convolution over time: with a stride, by leaving out, and padding -----------------------------------------

CONVOLUTION = "appleweiping/cmu11785-idl"
OVER_TIME = """

class OverTime(Conv1d):
    def __init__(self):
        super().__init__(5, 6, 3, stride=2, padding=1)
"""
CONVOLUTION_PARTS = (
    Part("mytorch/nn/resampling.py", "Downsample1d", module="resampling"),
    Part("mytorch/nn/conv.py", "Conv1d_stride1 Conv1d", before="from resampling import Downsample1d", after=OVER_TIME),
)
CONVOLUTION_WEIGHTS = {"conv1d_stride1.W": (6, 5, 3), "conv1d_stride1.b": (6,)}


def of_convolution(made, path):
    return getattr(made.conv1d_stride1, f"dLd{path[-1]}")


# a small GPT of modules in files of their own: attention with heads and a mask; the whole with its loss ---------------

GPT = "codiceSpaghetti/numpyGPT"
GPT_FILES = {
    "activation": "Softmax ReLU",
    "linear": "Linear",
    "attention": "MultiHeadAttention",
    "embedding": "Embedding",
    "feedforward": "FeedForward",
    "layerNorm": "LayerNorm",
    "positional": "PositionalEncoding",
    "transformer": "TransformerBlock",
}
NDARRAY = "from numpy import ndarray"
GPT_EDITS = (("Q.swapaxes(-2, -1) @ dscores", "dscores.swapaxes(-2, -1) @ Q"),)  # see README.md
MODULE = Part(
    "numpyGPT/nn/modules/module.py",
    "Module",
    before=f"from abc import ABC, abstractmethod\nfrom typing import Any\n\n{NDARRAY}",
    module="module",
)
USES = {  # the modules that a file takes names from
    "attention": "activation linear",
    "feedforward": "activation linear",
    "transformer": "attention feedforward layerNorm",
}


def gpt_part(file, after="", module=None):
    """The part of a file of modules; it is the main one if it has text after it."""
    imports = [NDARRAY, *(f"from {name} import *" for name in f"module {USES.get(file, '')}".split())]
    edits = GPT_EDITS if file == "attention" else ()
    path = f"numpyGPT/nn/modules/{file}.py"
    return Part(path, GPT_FILES[file], edits, "\n".join(imports), after, "program" if after else file)


HEADS = """

class Attention(MultiHeadAttention):
    def __init__(self):
        super().__init__(4, 2)
"""
HEADS_WEIGHTS = {f"W_{name}.{kind}": (4, 4) if kind == "W" else (4,) for name in "qkvo" for kind in "Wb"}
HEADS_PARTS = (MODULE, gpt_part("activation"), gpt_part("linear"), gpt_part("attention", HEADS))
MASK = -1e9 * np.triu(np.ones((1, 1, 3, 3)), k=1)
GPT_LOSS = """

def loss_and_gradients(X, targets, params):
    gpt = GPT(5, 4, 4, 2, 1, 6)
    for name, param in gpt.params().items():
        param[...] = params[name]
    _, loss = gpt.forward(X, targets)
    gpt.backward()
    return loss, gpt.grads()
"""
GPT_IMPORTS = "\n".join(f"from {name} import *" for name in ("module", *GPT_FILES, "functional"))
GPT_PARTS = (
    MODULE,
    *(gpt_part(file) for file in GPT_FILES),
    Part("numpyGPT/nn/functional.py", "cross_entropy_loss", before=NDARRAY, module="functional"),
    Part("numpyGPT/models/GPT.py", "GPT", before=GPT_IMPORTS, after=GPT_LOSS),
)


def gpt(m):
    r = numbers()
    weights = {name: 0.7 * r(*param.shape) for name, param in m.GPT(5, 4, 4, 2, 1, 6).params().items()}
    given = {"X": np.array([[0, 3, 3], [2, 1, 4]]), "targets": np.array([[3, 3, 1], [1, 4, 0]])}
    return model(m.loss_and_gradients, weights, **given, params=weights)


# a notebook's LSTM in lists over time ---------------------------------------------------------------------------------

LISTS = "hannaofficial/LSTM-from-scratch-with-adam-optimiser"
LISTS_WEIGHTS = "W_f W_i W_g W_o W_v b_f b_i b_g b_o b_v"
LISTS_EDITS = (  # see README.md
    ("np.row_stack", "np.vstack"),
    ("max_norm=0.25", "max_norm=1000"),
    ("C_prev = C[t-1]", "C_prev = C[t]"),
    ("np.dot(dv, h[t].T)", "np.dot(dv, h[t+1].T)"),
    ("np.tanh(C[t])", "np.tanh(C[t+1])"),
    ("tanh(C[t], derivation = True)", "tanh(C[t+1], derivation = True)"),
    ("dg *= tanh(g[t], derivation=True)", "dg *= 1 - g[t]**2"),
    *((f"sigmoid({gate}[t], derivation=True)", f"{gate}[t] * (1 - {gate}[t])") for gate in "oif"),
    ("dh_prev = dz", "dh_next = dz"),
    ("dC_prev = f[t]*dC", "dC_next = f[t]*dC"),
    ("-np.mean(np.log(outputs[t])*targets[t])", "-np.sum(np.log(outputs[t])*targets[t])"),
)
LISTS_LOSS = f"""

hidden_size = 3


def loss_and_gradients(inputs, targets, h_prev, C_prev, {LISTS_WEIGHTS.replace(" ", ", ")}):
    params = {LISTS_WEIGHTS.replace(" ", ", ")}
    kept = forward(inputs, h_prev, C_prev, params)
    loss, grads = backward(*kept, targets, params)
    return loss, *grads
"""


def lists(m):
    r = numbers()
    shapes = {"W": (3, 8), "b": (3, 1), "W_v": (5, 3), "b_v": (5, 1)}
    weights = {name: 0.7 * r(*shapes.get(name, shapes[name[0]])) for name in LISTS_WEIGHTS.split()}
    given = {"inputs": np.array(hot(0, 3, 2, 3)), "targets": np.array(hot(3, 2, 3, 1))}
    return loss(m.loss_and_gradients, LISTS_WEIGHTS, **given, h_prev=r(3, 1), C_prev=r(3, 1), **weights)


SUBJECTS = [
    Subject(
        WORDS,
        "GRU",
        WORDS_PARTS,
        words,
        published="the sigmoid's derivative is taken at the gates; the loss is a mean, the gradients are the sum's",
    ),
    Subject(
        STACKS,
        "LSTM",
        STACKS_PARTS,
        stacks,
        published="the gradient of the cell passes the forget gate before the input gate and the candidate get it",
    ),
    Subject(
        COURSE,
        "RNN",
        (Part("Labs/Lab4_Deep/src/Lab4.ipynb", "softmax RNN", COURSE_EDITS, after=COURSE_LOSS),),
        course,
        published="at the first step the state before it is the last one",
    ),
    Subject(
        CONVOLUTION,
        "convolution over time",
        CONVOLUTION_PARTS,
        object_of("OverTime", CONVOLUTION_WEIGHTS, "A", of_convolution, A=(2, 5, 7)),
    ),
    Subject(
        GPT,
        "attention",
        HEADS_PARTS,
        object_of("Attention", HEADS_WEIGHTS, "X", prefixed, X=(2, 3, 4), mask=MASK),
        published="the gradient of the keys is transposed",
    ),
    Subject(GPT, "GPT", GPT_PARTS, gpt, published="the gradient of the keys is transposed"),
    Subject(
        LISTS,
        "LSTM",
        (
            Part(
                "LSTM_from_scratch.ipynb",
                "sigmoid softmax tanh clip_grad_norm forward backward",
                LISTS_EDITS,
                after=LISTS_LOSS,
            ),
        ),
        lists,
        published="nothing is carried back; states are a step early; derivatives are taken at gates and candidate",
    ),
]

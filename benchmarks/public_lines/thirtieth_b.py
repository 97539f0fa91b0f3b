"""Subjects by owners that begin with J, K and N: LSTMs, an RNN of a notebook, a transformer with heads in a list,
convolutions in layers that know each other, weight normalisation, a net of einsums with odd activations."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# an LSTM that learns from its last state, with a dense layer; French names; what it learns by is one mean in the making

FRENCH = "nardi-xhepi/lstm_implementation"
FRENCH_GATES = [f"{kind}{gate}" for kind in "WUb" for gate in "ifoc"]
FRENCH_WEIGHTS = {name: {"W": (5, 3), "U": (5, 5), "b": (5, 1)}[name[0]] for name in FRENCH_GATES}
FRENCH_WEIGHTS |= {"weights": (4, 5), "biais": (4, 1)}
# what is missing in the file
FRENCH_BEFORE = """tanh = np.tanh


def sigmoid(x):
    return 1 / (1 + np.exp(-x))"""
FRENCH_EDITS = (
    # what it learns by is kept instead
    *((f"self.{name} -= eta * ", f"self.d_{name} = ") for name in FRENCH_WEIGHTS),
    # smaller; first states that are not zero
    ("LSTM(300, 10)", "LSTM(3, 5)"),
    ("Linear(10, 2,", "Linear(5, 4,"),
    ("c_prec = np.zeros((self.h_length, 1)), np.zeros((self.h_length, 1))", "c_prec = self.h0, self.c0"),
    ("print(s/n)", "return s/n"),
    # wrong as published: steps are averaged, not summed, also what goes from the gates to the step before;
    ("k = (T - 1 - t)", "k = 1"),
    ("a = 1/(T-t)", "a = 1"),
    ("err_h = 1/4 * (", "err_h = ("),
    # and nothing goes from cell to cell
    ("err_h = err\n", "err_h, err_c = err, 0\n"),
    ("(1.0 - tanh(c) ** 2)", "(1.0 - tanh(c) ** 2) + err_c"),
    ("            t-=1", "            err_c = d_c * f\n            t-=1"),
)
FRENCH_LOSS = f"""

def loss_and_gradients(xs, ys, h0, c0, {", ".join(FRENCH_WEIGHTS)}):
    model = LSTM_Model()
    lstm, dense = model.lstm, model.dense_layer
    lstm.h0, lstm.c0, dense.weights, dense.biais = h0, c0, weights, biais
    {", ".join(f"lstm.{name}" for name in FRENCH_GATES)} = {", ".join(FRENCH_GATES)}
    cost, grads = 0, [0] * {len(FRENCH_WEIGHTS)}
    for x, y in zip(xs, ys):
        cost += model.train([x], [y], 1.0)
        found = [getattr(lstm, "d_" + name) for name in "{" ".join(FRENCH_GATES)}".split()]
        grads = [grad + one for grad, one in zip(grads, found + [dense.d_weights, dense.d_biais])]
    return cost, *grads
"""


def french(m):
    r = numbers()
    weights = weights_of(r, " ".join(FRENCH_WEIGHTS), *FRENCH_WEIGHTS.values())
    given = {"xs": r(2, 4, 3, 1), "ys": r(2, 4, 1), "h0": 0.5 * r(5, 1), "c0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(FRENCH_WEIGHTS), **given, **weights)


# an LSTM that is a list of cells, one for each step; weights are a dict, what comes in is on top of the state

CELLS = "neeldani/long-short-term-memory"
CELLS_WEIGHTS = {f"W{k}": (5, 8) for k in "ifog"} | {f"b{k}": (5, 1) for k in "ifog"} | {"Wd": (4, 5), "bd": (4, 1)}
CELLS_CELL = (
    # all is written twice; what comes last is put aside
    ("axis = 0)\n    def forward", "axis = 0)\n\n\nclass AgainCell:\n    def forward"),
    # wrong as published: gates are a softmax, their derivatives those of a sigmoid; a column is taken for the columns
    *((f"self.{k} = self.softmax(", f"self.{k} = sigmoid(") for k in "ifo"),
    ('["Wf"][:, self.x_shape].T', '["Wf"][:, self.x_shape:].T'),
)
CELLS_BEFORE = """

def sigmoid(z):
    return 1 / (1 + np.exp(-z))"""
CELLS_EDITS = (
    ("return y_preds\n    \n    def __init__", "return y_preds\n\n\nclass AgainLSTM:\n    def __init__"),
    # first states that are not zero
    ("        h = np.zeros((self.n_hidden, 1))", "        h = self.h0"),
    ("        c = np.zeros((self.n_hidden, 1))", "        c = self.c0"),
)
CELLS_LOSS = f"""

def loss_and_gradients(xs, ys, h0, c0, {", ".join(CELLS_WEIGHTS)}):
    lstm = LSTM(3, 5, 4, xs.shape[2])
    lstm.weights = dict(zip("{" ".join(CELLS_WEIGHTS)}".split(), ({", ".join(CELLS_WEIGHTS)})))
    lstm.h0, lstm.c0 = h0, c0
    cost, grads = 0, dict.fromkeys(lstm.weights, 0)
    for x, y in zip(xs, ys):
        cost += lstm.forward(x, y)
        found = lstm.backward()
        grads = {{name: grad + found[name] for name, grad in grads.items()}}
    return cost, grads
"""


def cells(m):
    r = numbers()
    weights = weights_of(r, " ".join(CELLS_WEIGHTS), *CELLS_WEIGHTS.values())
    given = {"xs": r(2, 3, 4), "ys": np.eye(4)[[[2, 0, 3, 1], [1, 1, 0, 2]]].swapaxes(1, 2)}
    given |= {"h0": 0.5 * r(5, 1), "c0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(CELLS_WEIGHTS), **given, **weights)


# an RNN of letters in a notebook: it adds to gradients that it has, activations are dicts of steps

LETTERS = "Nishant2018/RNN-From-Scratch"
LETTERS_WEIGHTS = {"Wax": (5, 7), "Waa": (5, 5), "Wya": (7, 5), "ba": (5, 1), "by": (7, 1)}
LETTERS_EDITS = (
    ("np.clip(grad, -1, 1, out=grad)", "pass"),
    # wrong as published: the bias of what comes out never learns
    ("self.dba += da_unactivated", "self.dba += da_unactivated\n            self.dby += dy_preds"),
)
LETTERS_LOSS = f"""

def loss_and_gradients(xs, ys, a0, {", ".join(LETTERS_WEIGHTS)}):
    rnn = RNN(5, SimpleNamespace(vocab_size=7), 4, 1.0)
    {", ".join(f"rnn.{name}" for name in LETTERS_WEIGHTS)} = {", ".join(LETTERS_WEIGHTS)}
    cost = 0
    for inputs, targets in zip(xs, ys):
        x, a, y_preds = rnn.forward(inputs, a0)
        cost += rnn.loss(y_preds, targets)
        rnn.backward(x, a, y_preds, targets)
    return cost, {", ".join(f"rnn.d{name}" for name in LETTERS_WEIGHTS)}
"""


def letters(m):
    r = numbers()
    weights = weights_of(r, " ".join(LETTERS_WEIGHTS), *LETTERS_WEIGHTS.values())
    given = {"xs": np.array([[2, 6, 0, 2], [5, 1, 1, 3]]), "ys": np.array([[6, 0, 2, 4], [1, 1, 3, 0]])}
    return loss(m.loss_and_gradients, " ".join(LETTERS_WEIGHTS), a0=0.5 * r(5, 1), **given, **weights)


# a transformer whose layers keep what they saw in stacks: batches of sequences go back in the reverse order; heads are
# objects in a list, the derivative of a softmax is a matrix for each row

STACKS = "Karthik240/GPT-From-Scratch-NumPy"
STACKS_HEADS = {f"{name}{k}": (6, 3) for k in (1, 2) for name in ("Wq", "Wk", "Wv")}
STACKS_WEIGHTS = STACKS_HEADS | {"Wo": (6, 6), "W1": (6, 24), "W2": (24, 6), "W_out": (6, 7)}
# what it learns by is kept instead, and summed over sequences
STACKS_ATTENTION = (
    *((f"self.{name} -= learning_rate * d{name}", f"self.d{name} += d{name}") for name in ("Wq", "Wk", "Wv")),
    ("self.Wo -= (", "self.dWo += ("),
    ("learning_rate * dWo", "dWo"),
)
STACKS_LAYERS = tuple((f"self.{name} -= learning_rate * d{name}", f"self.d{name} += d{name}") for name in ("W1", "W2"))
STACKS_MODEL = (("self.W_out -= (", "self.dW_out = ("), ("learning_rate * dW_out", "dW_out"))
STACKS_LOSS = f"""

def loss_and_gradients(x, targets, {", ".join(STACKS_WEIGHTS)}):
    gpt, error = GPT(1, 6, 2, 4, np.zeros((7, 6))), CrossEntropyLoss()
    attention, ffn, given = gpt.blocks[0].attention, gpt.blocks[0].ffn, [{", ".join(STACKS_HEADS)}]
    for k, head in enumerate(attention.heads):
        head.Wq, head.Wk, head.Wv = given[3 * k : 3 * k + 3]
        head.dWq = head.dWk = head.dWv = 0
    attention.Wo, ffn.W1, ffn.W2, gpt.W_out = Wo, W1, W2, W_out
    attention.dWo = ffn.dW1 = ffn.dW2 = 0
    cost = error.forward(gpt.forward(x), targets)
    dx = gpt.backward(error.backward())
    heads = [grad for head in attention.heads for grad in (head.dWq, head.dWk, head.dWv)]
    return cost, dx, *heads, attention.dWo, ffn.dW1, ffn.dW2, gpt.dW_out
"""


def stacks(m):
    r = numbers()
    weights = weights_of(r, " ".join(STACKS_WEIGHTS), *STACKS_WEIGHTS.values())
    targets = np.array([[[3, 0, 6, 2], [1, 1, 5, 4]], [[0, 2, 2, 6], [5, 3, 4, 0]]])
    return loss(m.loss_and_gradients, "x " + " ".join(STACKS_WEIGHTS), x=r(2, 2, 4, 6), targets=targets, **weights)


# convolutions with steps: layers know the net, the ones before and after, and their shapes; one function convolves in
# all directions, a picture at a time

SECTIONS = "klima7/CNN-From-Scratch"
SECTIONS_WEIGHTS = {"K1": (3, 3, 3, 2), "k1": (3,), "K2": (4, 3, 1, 3), "k2": (4,), "W": (5, 8), "b": (5,)}
# nothing is compiled, weights are set
SECTIONS_NJIT = "\n\ndef njit(function):\n    return function"
SECTIONS_INITIAL = "\n\ndef get_initializer(name):\n    return lambda shape, **given: np.zeros(shape)"
# what it learns by is kept instead
SECTIONS_CONV = (
    ("self.kernels -= self.nn.learning_rate * updates", "self.d_kernels = updates"),
    ("self.biases[delta_no] -= self.nn.learning_rate * ", "self.d_biases[delta_no] = "),
)
SECTIONS_DENSE = (("self.connections -= weights_delta", "self.d_connections = weights_delta"),)
SECTIONS_BIAS = (("self.bias -= self.nn.learning_rate * ", "self.d_bias = "),)
SECTIONS_CONV_BEFORE = f"""from base import Layer
from convolution import convolve, dilate, get_convolution_output_size, get_dilated_kernel_size

InvalidParameterException = InvalidShapeException = ValueError
{SECTIONS_INITIAL}"""
SECTIONS_POOL_BEFORE = f"""from base import Layer

InvalidParameterException = InvalidShapeException = ValueError
{SECTIONS_NJIT}"""
SECTIONS_LOSS = f"""
from types import SimpleNamespace

from activations import LeakyReLuActivation
from conv import Conv2DLayer
from dense import BiasLayer, DenseLayer
from losses import SoftmaxCceLoss
from pool import Pool2DLayer


def loss_and_gradients(xs, ys, {", ".join(SECTIONS_WEIGHTS)}):
    first, second, dense, bias = Conv2DLayer(3, 3, (1, 2)), Conv2DLayer(4, (3, 1)), DenseLayer(5), BiasLayer()
    squash = [ActivationLayer(LeakyReLuActivation(0.2)) for _ in range(2)]
    layers = [first, squash[0], second, squash[1], Pool2DLayer((2, 3)), FlattenLayer(), dense, bias]
    before = SimpleNamespace(output_shape=np.array(xs.shape[1:]))
    for layer in layers:
        layer.connect(SimpleNamespace(learning_rate=1.0), before, None)
        before = layer
    first.weights, second.weights, dense.weights, bias.weights = [K1, k1], [K2, k2], [W], [b]
    first.d_biases, second.d_biases = np.zeros(3), np.zeros(4)
    cost, grads, dxs, error = 0, [0] * {len(SECTIONS_WEIGHTS)}, [], SoftmaxCceLoss()
    for x, y in zip(xs, ys):
        for layer in layers:
            x = layer.propagate_save(x)
        cost += error.call(x, y)
        delta = error.deriv(x, y)
        for layer in reversed(layers):
            delta = layer.backpropagate_save(delta)
        found = first.d_kernels, first.d_biases, second.d_kernels, second.d_biases, dense.d_connections, bias.d_bias
        grads, dxs = [grad + one for grad, one in zip(grads, found)], [*dxs, delta]
    return cost, np.array(dxs), *grads
"""


def sections(m):
    r = numbers()
    weights = weights_of(r, " ".join(SECTIONS_WEIGHTS), *SECTIONS_WEIGHTS.values())
    given = {"xs": r(2, 8, 7, 2), "ys": np.eye(5)[[3, 0]]}
    return loss(m.loss_and_gradients, "xs " + " ".join(SECTIONS_WEIGHTS), **given, **weights)


# layers whose weights are a length and a direction, with normalised batches, what is dropped, and two activations

LENGTHS = "kenziyuliu/vanilla-nn-python"
LENGTHS_WEIGHTS = {"v1": (4, 6), "g1": (6,), "b1": (6,), "gamma": (6,), "beta": (6,)}
LENGTHS_WEIGHTS |= {"v2": (6, 5), "g2": (5,), "W3": (5, 3), "b3": (3,)}
# nothing is learned
LENGTHS_BEFORE = """from types import SimpleNamespace

from scipy.special import expit as sigmoid

config = SimpleNamespace(OPT="none", EPSILON=1e-12)


def get_optimizer(name):
    return SimpleNamespace(init_shape=lambda shapes: None)"""
LENGTHS_EDITS = (
    # wrong as published: the loss is a mean, its gradient is not; what is kept is divided by the rate twice
    ("-= 1\n        return grad", "-= 1\n        return grad / len(grad)"),
    ("self.mask / self.retain_rate #", "self.mask #"),
)
LENGTHS_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(LENGTHS_WEIGHTS)}):
    np.random.seed(3)  # the same are dropped each time
    first = FullyConnected(4, 6, np.zeros, use_bias=True, use_weight_norm=True)
    second = FullyConnected(6, 5, np.zeros, use_weight_norm=True)
    third, norm, last = FullyConnected(5, 3, np.zeros, use_bias=True), BatchNorm(6), SoftmaxCrossEntropy()
    first.v, first.g, first.b, norm.gamma, norm.beta = v1, g1, b1, gamma, beta
    second.v, second.g, third.W, third.b = v2, g2, W3, b3
    layers = [first, norm, LeakyReLU(0.1), Dropout(0.25), second, Tanh(), Sigmoid(), third]
    for layer in layers:
        x = layer.forward(x, True)
    cost = last.cross_entropy(last.softmax(x), y)
    grad = last.backward()
    for layer in reversed(layers):
        grad = layer.backward(grad)
    found = first.dv, first.dg, first.db, norm.d_gamma, norm.d_beta, second.dv, second.dg, third.dW, third.db
    return cost, grad, *found
"""


def lengths(m):
    r = numbers()
    weights = weights_of(r, " ".join(LENGTHS_WEIGHTS), *LENGTHS_WEIGHTS.values())
    given = {"x": r(4, 4), "y": np.eye(3)[[2, 0, 1, 2]]}
    return loss(m.loss_and_gradients, "x " + " ".join(LENGTHS_WEIGHTS), **given, **weights)


# a net whose gradients are einsums, kept for each sample and averaged in one long vector; activations and errors are
# objects of classes with second derivatives that are not used

VECTORS = "jakelevi1996/backprop2"
VECTORS_WEIGHTS = {"W1": (6, 3), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (7, 5), "b3": (7, 1)}
VECTORS_WEIGHTS |= {"W4": (4, 7), "b4": (4, 1)}
VECTORS_FUNCTIONS = """

identity, logistic, gaussian, cauchy = _Identity(), _Logistic(), _Gaussian(), _Cauchy()
"""
VECTORS_ERRORS = """

softmax_cross_entropy = _SoftmaxCrossEntropy()
"""
VECTORS_BEFORE = """from types import SimpleNamespace

import activations
import errors
from layer import NeuralLayer

initialisers = SimpleNamespace(
    ConstantParameterStatistics=lambda: SimpleNamespace(initialise_params=lambda network: None)
)"""
VECTORS_LOSS = f"""

def loss_and_gradients(x, target, {", ".join(VECTORS_WEIGHTS)}):
    functions = [activations.gaussian, activations.cauchy, activations.logistic, activations.identity]
    network = NeuralNetwork(3, 4, [6, 5, 7], functions, errors.softmax_cross_entropy)
    network.set_parameter_vector(np.concatenate([array.ravel() for array in ({", ".join(VECTORS_WEIGHTS)})]))
    gradient, found, start = network.get_gradient_vector(x, target), [], 0
    for array in ({", ".join(VECTORS_WEIGHTS)}):
        found.append(gradient[start : start + array.size].reshape(array.shape))
        start += array.size
    return network.mean_total_error(target), *found
"""


def vectors(m):
    r = numbers()
    weights = weights_of(r, " ".join(VECTORS_WEIGHTS), *VECTORS_WEIGHTS.values())
    given = {"x": r(3, 3), "target": np.eye(4)[[3, 0, 1]].T}
    return loss(m.loss_and_gradients, " ".join(VECTORS_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        FRENCH,
        "LSTM",
        (Part("lstm_model.py", "Linear LSTM LSTM_Model", FRENCH_EDITS, FRENCH_BEFORE, FRENCH_LOSS),),
        french,
        published="steps are averaged, not summed; nothing goes back from cell to cell",
    ),
    Subject(
        CELLS,
        "LSTM",
        (
            Part("lstm_cell.py", "LSTMCell", CELLS_CELL, CELLS_BEFORE, module="lstm_cell"),
            Part("lstm.py", "LSTM", CELLS_EDITS, "from lstm_cell import LSTMCell", CELLS_LOSS),
        ),
        cells,
        published="gates are a softmax with the derivative of a sigmoid; one column is taken for many",
    ),
    Subject(
        LETTERS,
        "RNN",
        (Part("rnn-scratch.ipynb", "RNN", LETTERS_EDITS, "from types import SimpleNamespace", LETTERS_LOSS),),
        letters,
        published="the bias of what comes out has no gradient",
    ),
    Subject(
        STACKS,
        "transformer",
        (
            Part("attention.py", "SelfAttentionHead MultiHeadAttention", STACKS_ATTENTION, module="attention"),
            Part("layers.py", "LayerNormalization GELU FeedForward", STACKS_LAYERS, module="layers"),
            Part(
                "transformer.py",
                "TransformerBlock",
                (),
                "from attention import MultiHeadAttention\nfrom layers import FeedForward, LayerNormalization",
                module="transformer",
            ),
            Part("loss.py", "CrossEntropyLoss", module="error"),
            Part(
                "model.py",
                "GPT",
                STACKS_MODEL,
                "from error import CrossEntropyLoss\nfrom layers import LayerNormalization\n"
                "from transformer import TransformerBlock",
                STACKS_LOSS,
            ),
        ),
        stacks,
    ),
    Subject(
        SECTIONS,
        "convolutions",
        (
            Part(
                "numpynet/utils/convolution.py",
                "convolve get_convolution_sections get_single_convolution_section get_convolution_output_size "
                "get_dilated_kernel_size dilate",
                (),
                "import math\n" + SECTIONS_NJIT,
                module="convolution",
            ),
            Part(
                "numpynet/layers/base.py",
                "Layer",
                (),
                "from abc import ABC, abstractmethod\n\nInvalidShapeException = ValueError",
                module="base",
            ),
            Part("numpynet/layers/conv.py", "Conv2DLayer", SECTIONS_CONV, SECTIONS_CONV_BEFORE, module="conv"),
            Part("numpynet/layers/pool.py", "Pool2DLayer", (), SECTIONS_POOL_BEFORE, module="pool"),
            Part(
                "numpynet/layers/dense.py",
                "DenseLayer",
                SECTIONS_DENSE,
                "from base import Layer\n" + SECTIONS_INITIAL,
                module="densely",
            ),
            Part(
                "numpynet/layers/bias.py",
                "BiasLayer",
                SECTIONS_BIAS,
                "from base import Layer\nfrom densely import DenseLayer\n" + SECTIONS_INITIAL,
                module="dense",
            ),
            Part(
                "numpynet/activations.py",
                "Activation LeakyReLuActivation",
                (),
                "from abc import ABC, abstractmethod",
                module="activations",
            ),
            Part(
                "numpynet/losses.py",
                "Loss SoftmaxCceLoss",
                (),
                "from abc import ABC, abstractmethod",
                module="losses",
            ),
            Part("numpynet/layers/flatten.py", "FlattenLayer", (), "from base import Layer", module="flatten"),
            Part(
                "numpynet/layers/activation.py",
                "ActivationLayer",
                (),
                "from base import Layer\nfrom flatten import FlattenLayer\n\n\n"
                "def get_activation(activation):\n    return activation",
                SECTIONS_LOSS,
            ),
        ),
        sections,
    ),
    Subject(
        LENGTHS,
        "weight normalisation",
        (
            Part(
                "layers.py",
                "FullyConnected LeakyReLU Sigmoid Tanh Dropout BatchNorm SoftmaxCrossEntropy",
                LENGTHS_EDITS,
                LENGTHS_BEFORE,
                LENGTHS_LOSS,
            ),
        ),
        lengths,
        published="the loss is a mean, its gradient is not; what is kept is divided by the rate twice",
    ),
    Subject(
        VECTORS,
        "net",
        (
            Part(
                "models/activations.py",
                "_ActivationFunction _Identity _Logistic _Gaussian _Cauchy",
                after=VECTORS_FUNCTIONS,
                module="activations",
            ),
            Part(
                "models/errors.py",
                "_ErrorFunction _SoftmaxCrossEntropy",
                (),
                "from scipy.special import softmax",
                VECTORS_ERRORS,
                module="errors",
            ),
            Part("models/layer.py", "NeuralLayer", module="layer"),
            Part("models/neuralnetwork.py", "NeuralNetwork", (), VECTORS_BEFORE, VECTORS_LOSS),
        ),
        vectors,
    ),
]

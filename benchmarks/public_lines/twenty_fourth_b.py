"""Subjects by owners G to L: an RNN and a GRU for sequences, a graph of layers, convolutions by Einstein sums, an LSTM
in a framework, word vectors, an RNN both ways."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# a self-learner's RNN for lists of numbers: two plain functions that fill, and read again, an object without methods --

FILLED = "gitpizzanow/BBTT-RNN-PYTHON"
FILLED_WEIGHTS = {"wxh": (5, 3), "whh": (5, 5), "why": (7, 5), "bxh": (5, 1), "by": (7, 1)}
# so that there may be more outputs than one, and no gradient is cut off
FILLED_STRUCTURE = (("np.zeros(max_timestep)", "np.zeros((max_timestep, output_size, 1))"),)
FILLED_CLIP = (("-5.0, 5.0", "-1000.0, 1000.0"),)
FILLED_LOSS = f"""

def loss_and_gradients(X, y, h0, {", ".join(FILLED_WEIGHTS)}):
    rnn = RNN(len(X), 3, 5, 7)
    rnn.h[0], rnn.wxh, rnn.whh, rnn.why, rnn.bxh, rnn.by = h0, {", ".join(FILLED_WEIGHTS)}
    forward(rnn, X, y, len(X))
    found = backward(rnn, X, y, len(X))
    return np.sum(rnn.loss), *(found["d" + name] for name in {list(FILLED_WEIGHTS)})
"""


def filled(m):
    r = numbers()
    weights = weights_of(r, " ".join(FILLED_WEIGHTS), *FILLED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(FILLED_WEIGHTS), X=r(4, 3), y=r(4, 7, 1), h0=r(5, 1), **weights)


# a GRU for letters in one method, with its weights in a dict: each gradient is one long product, written out again in
# full for the next one ------------------------------------------------------------------------------------------------

PRODUCTS = "gstechgeek/LSTM_from_scratch"
PRODUCTS_WEIGHTS = {
    f"{kind}{gate}": shape for gate in "zrh" for kind, shape in (("W", (5, 7)), ("U", (5, 5)), ("b", (5, 1)))
} | {"Wy": (7, 5), "by": (7, 1)}
PRODUCTS_CANDIDATE = "d_ht * z_t[t] * (1 - h_[t] ** 2)"
PRODUCTS_RESET = f"self.param['Uh'].T @ ({PRODUCTS_CANDIDATE}) * h_t[t - 1]"
PRODUCTS_UPDATE = "(d_ht * (h_[t] - h_t[t - 1]) * z_t[t] * (1 - z_t[t]))"
PRODUCTS_EDITS = (
    # wrong as published: the first step is left out,
    ("range(1, len(inputs))", "range(len(inputs))"),
    # the gradient of the reset gate lacks a transpose,
    (f"{PRODUCTS_CANDIDATE} * (self.param['Uh'] @ h_t[t - 1])", PRODUCTS_RESET),
    # and no gradient goes from a state to the one before it
    ("        h_prev = h_t[len(inputs) - 1]\n", "        d_next = np.zeros_like(h_prev)\n"),
    ("self.param['Wy'].T @ d_Y", "self.param['Wy'].T @ d_Y + d_next"),
    (
        f"            grad['bz'] += {PRODUCTS_UPDATE}\n",
        f"""            grad['bz'] += {PRODUCTS_UPDATE}

            d_next = d_ht * (1 - z_t[t])
            d_next += self.param['Uh'].T @ ({PRODUCTS_CANDIDATE}) * r_t[t]
            d_next += self.param['Ur'].T @ ({PRODUCTS_RESET} * r_t[t] * (1 - r_t[t]))
            d_next += self.param['Uz'].T @ {PRODUCTS_UPDATE}
""",
    ),
    # so that no gradient is cut off; what it learns by is returned instead
    ("np.clip(grad[dparam], -5, 5, out=grad[dparam])", "pass"),
    ("self.param[dparam] -= learning_rate * grad[dparam]", "pass"),
    ("return loss, h_prev\n", "return loss, grad\n"),
)
PRODUCTS_LOSS = f"""

def loss_and_gradients(inputs, target, h_prev, {", ".join(PRODUCTS_WEIGHTS)}):
    gru = GRU(7, 5)
    gru.param = dict(zip({list(PRODUCTS_WEIGHTS)}, ({", ".join(PRODUCTS_WEIGHTS)})))
    return gru.train(inputs, target, h_prev)
"""


def products(m):
    r = numbers()
    weights = weights_of(r, " ".join(PRODUCTS_WEIGHTS), *PRODUCTS_WEIGHTS.values())
    given = {"inputs": r(4, 7, 1), "target": np.eye(7)[[3, 0, 6, 1], :, None], "h_prev": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(PRODUCTS_WEIGHTS), **given, **weights)


# a framework whose layers share what lies between them: each adds to the gradient of the blob below it, so that several
# may use one blob; a softmax with its Jacobian matrix, two losses ----------------------------------------------------

BLOBS = "Hornobster/Numpy-Neural-Net"
BLOBS_WEIGHTS = {"W1": (4, 5), "b1": (5,), "a": (1,), "W2": (5, 7), "b2": (7,)}
BLOBS_FACTOR = 0.6
BLOBS_TAKEN = """Blob Variable Layer Input InnerProduct LinearInterpolation Sin Sigmoid Softmax Tanh MSELoss
CrossEntropyLoss"""
BLOBS_LOSS = f"""
from net import NeuralNet
from regularisers import L2Regulariser


def loss_and_gradients(x, labels, values, {", ".join(BLOBS_WEIGHTS)}):
    net = NeuralNet()
    data, wanted, measured = Input(*x.shape), Input(*labels.shape), Input(*values.shape)
    data.top.value, wanted.top.value, measured.top.value = x, labels, values
    first = net.add("first", InnerProduct(data, 5, L2Regulariser({BLOBS_FACTOR})))
    tanh, sigmoid = net.add("tanh", Tanh(first)), net.add("sigmoid", Sigmoid(first))
    mixed = net.add("mixed", LinearInterpolation(tanh, sigmoid))
    second = net.add("second", InnerProduct(mixed, 7))
    softmax, sin = net.add("softmax", Softmax(second)), net.add("sin", Sin(second))
    entropy = net.add("entropy", CrossEntropyLoss(softmax, wanted))
    squares = net.add("squares", MSELoss(sin, measured))
    net.init_params()
    for parameter, array in zip(net.get_params(), ({", ".join(BLOBS_WEIGHTS)})):
        parameter.value = array
        parameter.grad = np.zeros_like(array)
    net.reset_gradients()
    net.forward()
    net.backward()
    cost = entropy.loss.value + squares.loss.value + {BLOBS_FACTOR} / 2 * np.sum(W1**2) / len(x)
    return cost, data.top.grad, *(parameter.grad for parameter in net.get_params())
"""


def blobs(m):
    r = numbers()
    weights = weights_of(r, " ".join(BLOBS_WEIGHTS), *BLOBS_WEIGHTS.values())
    given = {"x": r(3, 4), "labels": np.eye(7)[[5, 0, 2]], "values": r(3, 7)}
    return loss(m.loss_and_gradients, f"x {' '.join(BLOBS_WEIGHTS)}", **given, **weights)


# convolutions by views of the image and Einstein sums whose order is planned in the first run; the channels come last,
# batch normalisation for each place of the image, gradients of weights that are means ---------------------------------

SUMS = "HoshiMeisa/NumPy-CNN"
SUMS_WEIGHTS = {"W1": (4, 3, 3, 5), "b1": (4,), "W2": (5, 3, 3, 4), "b2": (5,)}
SUMS_WEIGHTS |= {"gamma": (2, 3, 5), "beta": (2, 3, 5), "W3": (30, 11), "b3": (11,)}
SUMS_LAYER = "from layer import Layer\nfrom parameter import Parameter"
# wrong as published: the mean of a batch is taken only in a comment
SUMS_NORM = (("# sample_ave = x.mean", "sample_ave = x.mean"),)
SUMS_LOSS = f"""
from activation import Relu, Tanh
from batchnorm import BatchNorm
from celoss import CrossEntropyLoss
from conv import Conv
from linear import Linear
from maxpool import MaxPooling


def loss_and_gradients(x, y, {", ".join(SUMS_WEIGHTS)}):
    first, second = Conv(W1.shape, "VALID"), Conv(W2.shape, "SAME")
    norm, dense, criterion = BatchNorm(gamma.shape), Linear(W3.shape), CrossEntropyLoss()
    parameters = [first.W, first.b, second.W, second.b, norm.gamma, norm.beta, dense.W, dense.b]
    for parameter, array in zip(parameters, ({", ".join(SUMS_WEIGHTS)})):
        parameter.data = array
    convolutions = [first, Tanh(), second, Relu(), MaxPooling(3), norm]
    for layer in convolutions:
        x = layer.forward(x)
    cost = criterion(dense.forward(x.reshape(len(x), -1)), y, False)
    eta = dense.backward(criterion.gradient()).reshape(x.shape)
    for layer in convolutions[::-1]:
        eta = layer.backward(eta)
    return cost, *(parameter.grad for parameter in parameters)
"""


def sums(m):
    r = numbers()
    weights = weights_of(r, " ".join(SUMS_WEIGHTS), *SUMS_WEIGHTS.values())
    given = {"x": r(7, 8, 11, 5), "y": np.eye(11)[[2, 10, 0, 5, 7, 7, 1]]}
    return loss(m.loss_and_gradients, " ".join(SUMS_WEIGHTS), **given, **weights)


# an LSTM in a framework after PyTorch's fashion, below a linear layer: modules that know their parameters, lists in a -
# dict for what each step keeps ----------------------------------------------------------------------------------------

KNOWN = "JakobHavtorn/nn"
KNOWN_TAKEN = "LSTM(Module)"  # there is another LSTM in the file, copied from elsewhere, that derives from nothing
KNOWN_WEIGHTS = {f"{kind}{gate}": (11, 7) if kind == "W" else (1, 7) for gate in "fioc" for kind in "Wb"}
KNOWN_WEIGHTS |= {"W": (13, 7), "b": (13,)}
KNOWN_BEFORE = "from module import Module\nfrom parameter import Parameter"
KNOWN_STATE = "c = np.zeros((X.shape[self.t_dim] + 1, X.shape[self.n_dim], self.hidden_size))  # (T, N, H)\n"
KNOWN_STEP = "dh_next, dc_next = self.backward_step(dh_next, dc_next, t)"
KNOWN_EDITS = (
    ("        IPython.embed()\n", ""),
    # wrong as published: an activation is given what it is to be the derivative at, not the gradient from above,
    *(
        (f"self.{name}.backward(h{gate}) * dh{gate}", f"self.{name}.backward(dh{gate}, h{gate})")
        for gate, name in (("o", "sigmoido"), ("f", "sigmoidf"), ("i", "sigmoidi"), ("c", "tanhc"))
    ),
    ("ho * dh_next * self.tanh.backward(c)", "self.tanh.backward(ho * dh_next)"),
    # and the first step is left out
    ("- 1, 0, -1)", "- 1, -1, -1)"),
    # so that there are first states that are not zero, and their gradients are returned
    (KNOWN_STATE, f"{KNOWN_STATE}        h[0], c[0] = self.h0, self.c0\n"),
    (KNOWN_STEP, f"{KNOWN_STEP}\n        return dh_next, dc_next"),
)
KNOWN_CALLS = f"""
from linear import Linear


def forward(X, h0, c0, {", ".join(KNOWN_WEIGHTS)}):
    lstm, linear = LSTM(4, 7), Linear(7, 13)
    lstm.h0, lstm.c0 = h0, c0
    names = {list(KNOWN_WEIGHTS)}
    for name, array in zip(names, ({", ".join(KNOWN_WEIGHTS)})):
        setattr(linear if len(name) == 1 else lstm, name, Parameter(array))
    return linear.forward(lstm.forward(X)), (lstm, linear)


def backward(delta, modules):
    lstm, linear = modules
    dh, dc = lstm.backward(linear.backward(delta))
    gates = [getattr(lstm, name).grad for name in {list(KNOWN_WEIGHTS)[:-2]}]
    return dh, dc, *gates, linear.W.grad, linear.b.grad
"""


def known(m):
    r = numbers()
    weights = weights_of(r, " ".join(KNOWN_WEIGHTS), *KNOWN_WEIGHTS.values())
    given = {"X": r(5, 3, 4), "h0": r(3, 7), "c0": r(3, 7)}
    return pair(m.forward, m.backward, f"h0 c0 {' '.join(KNOWN_WEIGHTS)}", **given, **weights)


# word vectors by a word and one near it, against words drawn by chance: a class with hints of types that learns in each
# step, a sigmoid in two halves so that it never overflows -------------------------------------------------------------

NEAR = "KamilMarszalek/word2vec-numpy"
NEAR_BEFORE = "Word2VecSGNSConfig = WordEmbeddings = object"  # these are hints only
NEAR_EDITS = (  # what it learns by is kept instead
    ("self.W_out[context_idx] -= self.config.learning_rate * error * h", "self.dW_out[context_idx] += error * h"),
    ("neg_updates = -self.config.learning_rate * error", "neg_updates = error"),
    ("np.add.at(self.W_out, noise_indices", "np.add.at(self.dW_out, noise_indices"),
    ("self.W_in[center_idx] -= self.config.learning_rate * grad_h", "self.dW_in[center_idx] += grad_h"),
)
NEAR_LOSS = """
from types import SimpleNamespace

from data import iter_train_data


def loss_and_gradients(corpus, chances, W_in, W_out):
    config = SimpleNamespace(window_size=3, emb_dim=5, num_of_neg_samples=4, vocab_size=7, seed=0)
    model = Word2VecSGNS(config, corpus, {}, [], chances)
    model.W_in, model.W_out = W_in, W_out
    model.dW_in, model.dW_out = np.zeros_like(W_in), np.zeros_like(W_out)
    pairs = list(iter_train_data(corpus, config.window_size, model.rng))
    total = sum(model._train_step(*near) for near in pairs)
    return total, model.dW_in, model.dW_out
"""


def near(m):
    r = numbers()
    weights = weights_of(r, "W_in W_out", (7, 5), (7, 5))
    chances = np.array([2.0, 1, 3, 1, 2, 1, 1]) / 11
    given = {"corpus": [2, 0, 4, 2, 6, 3, 2, 1, 0, 4, 5], "chances": chances}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# a student's network for sequences: an RNN both ways whose states are multiplied, below two dense layers; the softmax
# of the last one goes back through the Jacobian matrices of all steps, a penalty for great weights --------------------

BOTH = "longlt-123/Numpy-Neural-Net"
BOTH_WEIGHTS = {
    f"{kind}_{way}": shape
    for way in ("right", "opp")
    for kind, shape in (("Wax", (5, 7)), ("Waa", (7, 7)), ("ba", (1, 7)))
} | {"W1": (7, 11), "b1": (1, 11), "W2": (11, 13), "b2": (1, 13)}
BOTH_EDITS = tuple(  # so that there are first states that are not zero
    (f"{space}a_{way} = np.zeros((self.batch_size, self.n_a))", f"{space}a_{way} = self.first_{way}")
    for way, space in (("right", " " * 8), ("opp", " " * 12))
)
# wrong as published: the loss is a mean over the batch and the steps, its derivative divides by the batch only
BOTH_ENTROPY = (("return dA / y_true.shape[0]", "return dA / np.prod(y_true.shape[:-1])"),)
BOTH_ACTIVATIONS = "from activations import leaky_relu, linear, relu, sigmoid\nfrom output import softmax"
BOTH_BEFORE = f"{BOTH_ACTIVATIONS}\nfrom base import Layer\nfrom utilities import initialize_parameters"
BOTH_CALLED = """from activation_layer import Activation
from loss import categorical_cross_entropy
from simple_rnn import Simple_RNN

Dropout = LSTM = type(None)  # kinds of layers that do not occur here
"""
BOTH_LOSS = f"""
from dense_layer import Dense


def loss_and_gradients(x, y, first_right, first_opp, {", ".join(BOTH_WEIGHTS)}):
    first = Simple_RNN(7, bidirectional=True, merge_mode="multiply")
    second, third = Dense(11, activation="leaky_relu", regularizer="l2", lambd=0.4), Dense(13, activation="softmax")
    rnn = RNN(5, [first, second, third])
    rnn.cost_func = "categorical_cross_entropy"
    first.first_right, first.first_opp = first_right, first_opp
    names = {list(BOTH_WEIGHTS)[:6]}
    for name, array in zip(names, ({", ".join(list(BOTH_WEIGHTS)[:6])})):
        setattr(first, name, array)
    second.W, second.b, third.W, third.b = W1, b1, W2, b2
    predicted, rnn.regularize_penalty = rnn.forward(x)
    cost = rnn.compute_cost(y, predicted)
    dx = rnn.backward(rnn.compute_cost(y, predicted, derivative=True))
    gradients = [getattr(first, "d" + name) for name in names]
    return cost, dx, *gradients, second.dW, second.db, third.dW, third.db
"""


def both(m):
    r = numbers()
    weights = weights_of(r, " ".join(BOTH_WEIGHTS), *BOTH_WEIGHTS.values())
    words = np.array([[2, 12, 0, 5], [7, 7, 1, 3], [11, 4, 9, 8]])
    given = {"x": r(3, 4, 5), "y": np.eye(13)[words], "first_right": r(3, 7), "first_opp": r(3, 7)}
    return loss(m.loss_and_gradients, f"x {' '.join(BOTH_WEIGHTS)}", **given, **weights)


SUBJECTS = [
    Subject(
        FILLED,
        "RNN",
        (
            Part("Structure.py", "RNN", FILLED_STRUCTURE, module="structure"),
            Part("functions.py", "CLIP Loss", FILLED_CLIP, module="clip"),
            Part(
                "main.py",
                "forward backward",
                before="from clip import CLIP, Loss\nfrom structure import RNN",
                after=FILLED_LOSS,
            ),
        ),
        filled,
    ),
    Subject(
        PRODUCTS,
        "GRU",
        (Part("lstm_archs.py", "sig tanh softmax loss_func GRU", PRODUCTS_EDITS, after=PRODUCTS_LOSS),),
        products,
        published="no gradient goes back in time, the first step has none, that of the reset gate lacks a transpose",
    ),
    Subject(
        BLOBS,
        "graph",
        (
            Part("nn.py", "NeuralNet", module="net"),
            Part("regularisers.py", "Regulariser L2Regulariser", module="regularisers"),
            Part("layers.py", BLOBS_TAKEN, after=BLOBS_LOSS),
        ),
        blobs,
    ),
    Subject(
        SUMS,
        "convolutions",
        (
            Part("package/layers/layer.py", "Layer", before="from abc import ABCMeta, abstractmethod", module="layer"),
            Part("package/parameter.py", "Parameter", module="parameter"),
            Part("package/layers/activation.py", "Relu Softmax Tanh", before=SUMS_LAYER, module="activation"),
            Part("package/layers/batchnorm.py", "BatchNorm", SUMS_NORM, SUMS_LAYER, module="batchnorm"),
            Part(
                "package/layers/conv.py",
                "Conv",
                before=f"from functools import reduce\n{SUMS_LAYER}",
                module="conv",
            ),
            Part("package/layers/linear.py", "Linear", before=SUMS_LAYER, module="linear"),
            Part("package/layers/maxpool.py", "MaxPooling", before=SUMS_LAYER, module="maxpool"),
            Part(
                "package/loss_function/celoss.py",
                "CrossEntropyLoss",
                before="from activation import Softmax",
                module="celoss",
            ),
            Part("package/parameter.py", "", after=SUMS_LOSS),
        ),
        sums,
        published="the batch normalisation does not take the mean of its batch",
    ),
    Subject(
        KNOWN,
        "LSTM",
        (
            Part("nn/parameter.py", "Parameter", module="parameter"),
            Part(
                "nn/module.py",
                "Module",
                before="from collections import OrderedDict\nfrom parameter import Parameter",
                module="module",
            ),
            Part(
                "nn/activation.py", "Activation Sigmoid Tanh", before="from module import Module", module="activation"
            ),
            Part("nn/linear.py", "Linear", before=KNOWN_BEFORE, module="linear"),
            Part(
                "nn/rnn.py",
                KNOWN_TAKEN,
                KNOWN_EDITS,
                f"{KNOWN_BEFORE}\nfrom activation import Sigmoid, Tanh",
                KNOWN_CALLS,
            ),
        ),
        known,
        published="the derivatives of the activations get the wrong arguments, and the first step is left out",
    ),
    Subject(
        NEAR,
        "word vectors",
        (
            Part("word2vec/data.py", "iter_train_data", before="from collections.abc import Iterator", module="data"),
            Part("word2vec/model.py", "sigmoid Word2VecSGNS", NEAR_EDITS, NEAR_BEFORE, NEAR_LOSS),
        ),
        near,
    ),
    Subject(
        BOTH,
        "RNN",
        (
            Part("functions/activations.py", "linear relu sigmoid leaky_relu", module="activations"),
            Part("functions/output.py", "softmax", module="output"),
            Part("functions/loss.py", "categorical_cross_entropy", BOTH_ENTROPY, module="loss"),
            Part("functions/utilities.py", "initialize_parameters", module="utilities"),
            Part("modules/base.py", "Layer", before="from abc import ABC, abstractmethod", module="base"),
            Part("modules/activation_layer.py", "Activation", before=BOTH_BEFORE, module="activation_layer"),
            Part("modules/dense_layer.py", "Dense", before=BOTH_BEFORE, module="dense_layer"),
            Part("modules/simple_rnn.py", "Simple_RNN", BOTH_EDITS, BOTH_BEFORE, module="simple_rnn"),
            Part("neural_network/RNN/rnn.py", "RNN", before=BOTH_CALLED, after=BOTH_LOSS),
        ),
        both,
        published="the derivative of the loss divides by the number of sequences, not of steps",
    ),
]

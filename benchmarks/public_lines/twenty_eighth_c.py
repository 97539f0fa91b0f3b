"""Subjects by owners that begin with R, S, T, V and X: an RNN of cells, an LSTM of a notebook, an RNN in two storeys,
a pair of nets that learn against each other, two frameworks of layers with convolutions, and word vectors."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an RNN of cells, one for each step; each weight is a dict of its value and its derivative; batches -------------------

CELLS = "ritiksingla/DeepLearningPython"
CELLS_WEIGHTS = {"W_aa": (5, 5), "W_ax": (3, 5), "W_ya": (5, 5), "b_a": (1, 5), "b_y": (1, 5)}
CELLS_BEFORE = "from numpy import ndarray\n\nfrom utils import assert_dim, assert_same_shape"
CELLS_EDITS = (
    # the gradient of the first state is kept
    ("            )\n        return input_grad", "            )\n        return input_grad, hidden_grad"),
)
CELLS_PAIR = f"""

def run(x, h0, {", ".join(CELLS_WEIGHTS)}):
    rnn = RNN(3, 5)
    for key, weight in zip("{" ".join(CELLS_WEIGHTS)}".split(), ({", ".join(CELLS_WEIGHTS)})):
        rnn.params[key]["value"] = weight
    out, last = rnn.forward(x, h0)
    return out, rnn


def back(dout, rnn):
    dx, dh0 = rnn.backward(dout)
    return dx, dh0, *(rnn.params[key]["deriv"] for key in "{" ".join(CELLS_WEIGHTS)}".split())
"""


def cells(m):
    r = numbers()
    weights = weights_of(r, " ".join(CELLS_WEIGHTS), *CELLS_WEIGHTS.values())
    return pair(m.run, m.back, "x h0 " + " ".join(CELLS_WEIGHTS), x=r(2, 4, 3), h0=r(2, 5), **weights)


# an LSTM for letters in a notebook: weights are globals, lists of gates over the steps --------------------------------

STACKED = "steven-mi/recurrent-neural-network-numpy"
STACKED_WEIGHTS = {f"W{k}": (5, 12) for k in "figo"} | {"Wy": (7, 5)}
STACKED_WEIGHTS |= {f"b{k}": (5, 1) for k in "figo"} | {"by": (7, 1)}
STACKED_EDITS = (
    # wrong as published: two gates have each other's weights and activation,
    ("g.append(sigmoid(Wo @ stacked + bg))", "g.append(tanh(Wg @ stacked + bg))"),
    ("o.append(tanh(Wg @ stacked + bo))", "o.append(sigmoid(Wo @ stacked + bo))"),
    # the output has no bias,
    ("y = np.dot(Wy, h[t + 1])", "y = np.dot(Wy, h[t + 1]) + by"),
    # the derivative of the sigmoid gets what is activated already, that of the tanh has a wrong sign,
    ("    out = 1 / (1 + np.exp(-x))", "    out = x"),
    ("1 + np.tanh(x) ** 2", "1 - np.tanh(x) ** 2"),
    ("dg = dg * dtanh(dg)", "dg = dg * (1 - g[t] ** 2)"),
    # states are those of the step before,
    ("dWy += np.dot(dy, h[t].T)", "dWy += np.dot(dy, h[t + 1].T)"),
    ("o[t] * dtanh(c[t])", "o[t] * dtanh(c[t + 1])"),
    ("dh * tanh(c[t])", "dh * tanh(c[t + 1])"),
    ("dc * c[t-1]", "dc * c[t]"),
    # and the output gate hands on the gradient of the cell
    ("np.dot(Wo.T, dc)", "np.dot(Wo.T, do)"),
    ("np.clip(dparam, -5, 5, out=dparam)", "pass"),
    # the gradients of the first states are kept
    ("return dWf", "return dhprevious, dcprevious, dWf"),
)
STACKED_LOSS = f"""

def loss_and_gradients(x, y, h0, c0, {", ".join(STACKED_WEIGHTS)}):
    globals().update({", ".join(f"{k}={k}" for k in STACKED_WEIGHTS)}, char_length=7, hidden_size=5)
    *kept, cost = forward(x, y, h0, c0)
    names = "h0 c0 Wf Wi Wg Wo Wy bf bi bg bo by".split()
    return cost, dict(zip(names, backward(x, y, *kept)))
"""


def stacked(m):
    r = numbers()
    weights = weights_of(r, " ".join(STACKED_WEIGHTS), *STACKED_WEIGHTS.values())
    given = {"x": np.array([3, 0, 6, 3]), "y": np.array([0, 6, 3, 1]), "h0": r(5, 1), "c0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join([*STACKED_WEIGHTS, "h0", "c0"]), **given, **weights)


# an RNN in two storeys; no error goes back in time, so that each step is given the states it starts from --------------

STOREYS = "rohitmalik776/rnn-from-scratch"
STOREYS_WEIGHTS = {"A": (5, 5), "B": (5, 4), "C": (3, 5), "a": (5, 1), "b": (3, 1)}
STOREYS_WEIGHTS |= {"P": (6, 6), "Q": (6, 3), "R": (4, 6), "p": (6, 1), "q": (4, 1)}
STOREYS_BEFORE = "from layer import Layer\n\nrandom_init = np.zeros"
STOREYS_EDITS = (
    # wrong as published: there is no derivative of the state's tanh
    ("np.dot(self.Woh.T, dZ)", "(1 - np.square(self.h)) * np.dot(self.Woh.T, dZ)"),
    (
        "np.dot(np.dot(self.Whx.T, self.Woh.T), dZ)",
        "np.dot(self.Whx.T, (1 - np.square(self.h)) * np.dot(self.Woh.T, dZ))",
    ),
)
STOREYS_LOSS = f"""
from cross_entropy_loss import cross_entropy_loss


def loss_and_gradients(xs, ys, lower, upper, {", ".join(STOREYS_WEIGHTS)}):
    rnn1, rnn2 = RNN(4, 5, 3), RNN(3, 6, 4)
    rnn1.Whh, rnn1.Whx, rnn1.Woh, rnn1.bh, rnn1.bo = A, B, C, a, b
    rnn2.Whh, rnn2.Whx, rnn2.Woh, rnn2.bh, rnn2.bo = P, Q, R, p, q
    total, grads = 0, {{name: 0 for name in "{" ".join(STOREYS_WEIGHTS)}".split()}}
    for x, y, h1, h2 in zip(xs, ys, lower, upper):
        rnn1.h, rnn2.h = h1, h2
        x1 = rnn1.step(x)
        out = rnn2.step(x1)
        total += cross_entropy_loss(out, y)
        up_grad = -np.divide(y, out)
        *second, up_grad = rnn2.find_grads(a=out, x=x1, up_grad=up_grad, batch_size=1)
        *first, _ = rnn1.find_grads(a=x1, x=x, up_grad=up_grad, batch_size=1)
        for name, grad in zip("C A B b a R P Q q p".split(), first + second):
            grads[name] = grads[name] + grad
    return total, grads
"""


def storeys(m):
    r = numbers()
    weights = weights_of(r, " ".join(STOREYS_WEIGHTS), *STOREYS_WEIGHTS.values())
    weights["q"] = weights["q"] * 0.1 + 1.3  # the output must not be negative, as its logarithm is taken
    weights["R"] = weights["R"] * 0.4
    given = {"xs": r(3, 4, 1), "ys": np.eye(4)[[2, 0, 3]][..., None], "lower": r(3, 5, 1), "upper": r(3, 6, 1)}
    return loss(m.loss_and_gradients, " ".join(STOREYS_WEIGHTS), **given, **weights)


# a net that makes images and one that tells them from real ones: functions of six loops, values handed on in a row ----

IMAGES = "SC-314/Only-Numpy-GAN"
IMAGES_WEIGHTS = {"GW0": (3, 8), "GW1": (3, 2, 2, 2), "GW2": (2, 3, 2, 2), "GW3": (3, 2, 2, 2), "GW4": (2, 3, 2, 2)}
IMAGES_WEIGHTS |= {"GW5": (3, 2, 2, 2), "GW6": (1, 3, 2, 2), "DW0": (2, 1, 3, 3), "DW2": (3, 2, 3, 3), "DW4": (12, 1)}
IMAGES_TOOLS = "conv convT dLdW dLdX dLdWT dLdXT maxpool maxpoolBP pad pad_bp sigmoid tanh ReLU ReLU_BP"
IMAGES_EDITS = (
    # smaller images
    ("(-1, 7, 7)", "(-1, 2, 2)"),
)
IMAGES_LOSS = f"""

def loss_and_gradients(real, noise, {", ".join(IMAGES_WEIGHTS)}):
    cost, grads = 0, {{name: 0 for name in "{" ".join(IMAGES_WEIGHTS)}".split()}}
    for image in real:
        data = dis(image, DW0, DW2, DW4)
        cost -= np.mean(np.log(data[0])) / len(real)
        for name, grad in zip("DW4 DW2 DW0".split(), dis_bp([-1 / (len(real) * data[0]), *data])):
            grads[name] = grads[name] + grad
    for GX0 in noise:
        made = gen(GX0, {", ".join(f"GW{k}" for k in range(7))})
        data = dis(made[0], DW0, DW2, DW4)
        cost -= np.mean(np.log(data[0])) / len(noise)
        given = [-1 / (len(noise) * data[0]), *data]
        found = *dis_bp(given), *gen_bp([dis_gen_bp(given), *made])
        for name, grad in zip("DW4 DW2 DW0 GW6 GW5 GW4 GW3 GW2 GW1 GW0".split(), found):
            grads[name] = grads[name] + grad
    return cost, grads
"""


def images(m):
    r = numbers()
    weights = weights_of(r, " ".join(IMAGES_WEIGHTS), *IMAGES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(IMAGES_WEIGHTS), real=r(2, 1, 8, 8), noise=r(2, 3), **weights)


# a framework: layers remember what they are called with, and add up their gradients in a pair; padding that differs ---
# by side, windows by strides ------------------------------------------------------------------------------------------

WINDOWS = "XKTZ/mlp-in-numpy"
WINDOWS_WEIGHTS = {"K": (3, 2, 2, 3), "k": (3,), "W": (11, 12), "b": (11,), "V": (5, 11), "c": (5,)}
WINDOWS_TYPES = "import math\nfrom abc import abstractmethod\nfrom typing import Callable, Dict, List, Tuple, Union\n"
WINDOWS_BEFORE = WINDOWS_TYPES + "\nfrom base import Layer, Loss\n\ndefault_cont_type = float"
WINDOWS_LOSS = f"""
from activation import LeakyReLU, Sigmoid, Softmax
from base import NeuralNetwork
from convolution import Conv2d
from linear import Linear
from normalize import Dropout
from pooling import MaxPool2d
from transform import Flatten


def loss_and_gradients(x, y, {", ".join(WINDOWS_WEIGHTS)}):
    conv, first, second = Conv2d(2, 3, (2, 3), (1, 0, 2, 1)), Linear(12, 11), Linear(11, 5)
    conv.kernel, conv.bias, first.mat, first.b, second.mat, second.b = {", ".join(WINDOWS_WEIGHTS)}
    layers = [conv, LeakyReLU(0.2), MaxPool2d((2, 3)), Flatten(), first, Sigmoid(), Dropout(0.3), second, Softmax()]
    net = NeuralNetwork(layers, MSELoss(), None)
    net.zero_grad()
    np.random.seed(5)  # the same are dropped each time
    net(x)
    cost = net.loss(y)
    net.backward()
    return cost, *conv.get_gradient(), *first.get_gradient(), *second.get_gradient()
"""


def windows(m):
    r = numbers()
    weights = weights_of(r, " ".join(WINDOWS_WEIGHTS), *WINDOWS_WEIGHTS.values())
    given = {"x": r(3, 2, 5, 6), "y": np.eye(5)[[4, 0, 3]]}
    return loss(m.loss_and_gradients, " ".join(WINDOWS_WEIGHTS), **given, **weights)


# a framework: layers learn as soon as their gradient is known; norms of weights are a penalty, the norm of what is ---
# missed is the loss; a convolution of four loops, channels last ------------------------------------------------------

NORMS = "TrueNobility303/numpy-neural-networks"
NORMS_WEIGHTS = {"K": (3, 3, 2, 3), "k": (1, 1, 1, 3), "W": (27, 7), "b": (1, 7)}
NORMS_WEIGHTS |= {"U": (7, 6), "u": (1, 6), "V": (6, 5), "v": (1, 5)}
NORMS_TAKEN = "Module Sigmoid Linear Relu LinearSequnce padding point_conv Conv LossModule MSELoss Dropout Flatten"
NORMS_EDITS = (
    # wrong as published: what goes on is never below zero,
    ("g[self.y<0] = 0", "g[self.y<=0] = 0"),
    # the bias has the gradient of one sample,
    ("db = g\n", "db = g.sum(axis=0, keepdims=True)\n"),
    # and the gradients of a convolution are made smaller
    ("dW = (dW*S*S) / (H*W*Cin)", ""),
    ("db = (db*S*S) / (H*W*Cin)", ""),
    ("dx = dx / (K*K)", ""),
    # what it learns by is kept instead
    ("self.W = self.W  - self.lr * dW + self.momentum * (self.W - self.W_last)", "self.dW = dW"),
    ("self.b = self.b  - self.lr * db + self.momentum * (self.b - self.b_last)", "self.db = db"),
)
NORMS_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(NORMS_WEIGHTS)}):
    conv, relu, flat, first, squash = Conv(2, 3, 3, 1, 2), Relu(), Flatten(), Linear(27, 7, penalty=0.3), Sigmoid()
    drop, rest, missed = Dropout(0.7), LinearSequnce([7, 6, 5], penalty=0.2), MSELoss()
    learning = [conv, first, rest.layers[0], rest.layers[2]]
    for layer, weight, bias in zip(learning, (K, W, U, V), (k, b, u, v)):
        layer.W, layer.b = weight, bias
    np.random.seed(5)  # the same are dropped each time
    hidden = squash(first(flat(relu(conv(x)))))
    cost = missed.forloss(rest(drop.fordrop(hidden, True)), y)
    cost += 0.3 * (np.linalg.norm(W) + np.linalg.norm(b))
    cost += 0.2 * sum(np.linalg.norm(weight) for weight in (U, u, V, v))
    g = drop.backward(rest.backward(missed.backloss()))
    for layer in (squash, first, flat, relu, conv):
        g = layer.backward(g)
    return cost, *(grad for layer in learning for grad in (layer.dW, layer.db)), g
"""


def norms(m):
    r = numbers()
    weights = weights_of(r, " ".join(NORMS_WEIGHTS), *NORMS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(NORMS_WEIGHTS) + " x", x=r(2, 5, 5, 2), y=r(2, 5), **weights)


# word vectors of a notebook: one pair after another, with some that are drawn -----------------------------------------

WORDS = "virginiaanton/word2vec-from-scratch"
WORDS_WEIGHTS = {"W1": (9, 5), "W2": (9, 5)}
WORDS_EDITS = (
    # the same are drawn each time
    ("negativeSamples = self.generateNegativeSamples(target)", "negativeSamples = self.drawn[target]"),
    # what it learns by is kept instead
    ("self.W2[context] -= self.lr * ", "self.dW2[context] += "),
    ("self.W2[negativeSamples] -= self.lr * ", "self.dW2[negativeSamples] += "),
    ("self.W1[target] -= self.lr * ", "self.dW1[target] += "),
)
WORDS_LOSS = """

def loss_and_gradients(pairs, drawn, W1, W2):
    model = skipGramModel(9, 5, 3)
    model.W1, model.W2, model.drawn = W1, W2, drawn
    model.dW1, model.dW2 = np.zeros_like(W1), np.zeros_like(W2)
    cost = sum(model.step(target, context) for target, context in pairs)
    return cost, model.dW1, model.dW2
"""


def words(m):
    r = numbers()
    weights = weights_of(r, "W1 W2", *WORDS_WEIGHTS.values())
    given = {"pairs": [(2, 4), (2, 7), (6, 4), (0, 3)]}
    given["drawn"] = {2: np.array([1, 5, 8]), 6: np.array([0, 7, 2]), 0: np.array([6, 1, 4])}
    return loss(m.loss_and_gradients, "W1 W2", **given, **weights)


SUBJECTS = [
    Subject(
        CELLS,
        "RNN",
        (
            Part("utils.py", "assert_same_shape assert_dim", before="from numpy import ndarray", module="utils"),
            Part("recurrent.py", "RNNCell RNN", CELLS_EDITS, CELLS_BEFORE, CELLS_PAIR),
        ),
        cells,
    ),
    Subject(
        STACKED,
        "LSTM",
        (
            Part(
                "basic-long_short_term_memory.ipynb",
                "sigmoid dsigmoid tanh dtanh forward backward",
                STACKED_EDITS,
                after=STACKED_LOSS,
            ),
        ),
        stacked,
        published="gates have each other's weights, states are those of the step before, wrong derivatives",
    ),
    Subject(
        STOREYS,
        "RNN",
        (
            Part("layers/layer.py", "Layer", before="from abc import abstractmethod", module="layer"),
            Part("loss/cross_entropy_loss.py", "cross_entropy_loss", module="cross_entropy_loss"),
            Part("layers/rnn.py", "RNN", STOREYS_EDITS, STOREYS_BEFORE, STOREYS_LOSS),
        ),
        storeys,
        published="there is no derivative of the state's tanh",
    ),
    Subject(
        IMAGES,
        "images",
        (
            Part("Convolution, activation functions.py", IMAGES_TOOLS, module="tools"),
            Part(
                "Generator and discriminator Functions.py",
                "dis dis_bp dis_gen_bp gen_bp gen",
                IMAGES_EDITS,
                f"from tools import {', '.join(IMAGES_TOOLS.split())}",
                IMAGES_LOSS,
            ),
        ),
        images,
    ),
    Subject(
        WINDOWS,
        "convolution",
        (
            Part("src/mlnp/nn/base.py", "Layer Loss Optimizer NeuralNetwork", before=WINDOWS_TYPES, module="base"),
            *(
                Part(f"src/mlnp/nn/layer/{module}.py", take, before=WINDOWS_BEFORE, module=module)
                for module, take in (
                    ("activation", "Sigmoid LeakyReLU Softmax"),
                    ("convolution", "slide_window raw_conv2d Conv2d"),
                    ("linear", "Linear"),
                    ("normalize", "BasicTrainNormalizationLayer Dropout"),
                    ("pooling", "max_pool_2d_array_and_index MaxPool2d"),
                    ("transform", "Flatten"),
                )
            ),
            Part("src/mlnp/nn/loss.py", "MSELoss", (), WINDOWS_BEFORE, WINDOWS_LOSS),
        ),
        windows,
    ),
    Subject(
        NORMS,
        "convolution",
        (Part("clstorch.py", NORMS_TAKEN, NORMS_EDITS, after=NORMS_LOSS),),
        norms,
        published="the rectifier lets all pass, a bias has one sample's gradient, a convolution's are made smaller",
    ),
    Subject(
        WORDS,
        "word vectors",
        (Part("02_skipgram.ipynb", "skipGramModel", WORDS_EDITS, after=WORDS_LOSS),),
        words,
    ),
]

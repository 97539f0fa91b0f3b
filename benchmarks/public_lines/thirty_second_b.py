"""Subjects by owners that begin with H to N, drawn by lot: three that learn word vectors with words that are drawn, a
dense net of layers, a dense net that normalises batches, a course's RNN, convolutions with dropout and decay."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# word vectors in batches: gradients are handed on as pairs of places and rows, to something that learns by them ------

PLACED = "jakubhajko/word2vec-numpy"
PLACED_MODEL = (
    # nothing is clipped
    ("np.clip(x, -15, 15)", "x"),
)
# it learns by the sum where its loss is a mean; the rate takes that back, the difference is the gradient
PLACED_LOSS = """


def loss_and_gradients(centers, contexts, negatives, W, C):
    model = SGNSModel(8, 5)
    model.W_in, model.W_out = W.copy(), C.copy()
    cost = model.forward(centers, contexts, negatives)
    SGD(model, 1 / len(centers)).step(model.backward())
    return cost, W - model.W_in, C - model.W_out
"""


def placed(m):
    weights = weights_of(numbers(), "W C", (8, 5), (8, 5))
    given = {"centers": np.array([3, 7, 3]), "contexts": np.array([5, 1, 0])}
    given["negatives"] = np.array([[0, 6, 6, 2], [5, 3, 0, 2], [4, 1, 5, 7]])
    return loss(m.loss_and_gradients, "W C", **given, **weights)


# dense layers that keep what they saw, for samples in rows; the loss is an object with a gradient ---------------------

KEEPING = "haoxuhao/nn-numpy"
KEEPING_WEIGHTS = {"W1": (7, 4), "b1": (7, 1), "W2": (6, 7), "b2": (6, 1), "W3": (5, 6), "b3": (5, 1)}
KEEPING_FUNCTIONS = (
    # wrong as published: relu changes what is kept, where nothing is below zero after that
    ("np.where(x < 0, 0, 1)", "np.where(x <= 0, 0, 1)"),
)
KEEPING_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(KEEPING_WEIGHTS)}):
    net, error = NN([4, 7, 6, 5], ["relu", "sigmoid", "linear"]), CrossEntropyLoss()
    for layer, w, b in zip(net.nn, (W1, W2, W3), (b1, b2, b3)):
        layer.w, layer.b = w, b
    cost = error(net.forward(x), y)
    net.backward(error.grad)
    return cost, *(grad for layer in net.nn for grad in (layer.grad_w, layer.grad_b))
"""


def keeping(m):
    r = numbers()
    weights = weights_of(r, " ".join(KEEPING_WEIGHTS), *KEEPING_WEIGHTS.values())
    given = {"x": r(3, 4), "y": np.eye(5)[[4, 0, 2]]}
    return loss(m.loss_and_gradients, " ".join(KEEPING_WEIGHTS), **given, **weights)


# word vectors for one pair at a time, with words that are drawn; it learns at once ------------------------------------

SINGLY = "milanaivankovich/word2vec-numpy"
SINGLY_EDITS = (
    # wrong as published: of a word that is drawn twice only the last change stays
    ("self.W_out[negatives] -= ", "np.subtract.at(self.W_out, negatives, "),
    ("np.outer(grad_neg, v_c)", "np.outer(grad_neg, v_c))"),
)
# the rate is one: the difference is the gradient
SINGLY_LOSS = """


def loss_and_gradients(centers, contexts, drawn, W, C):
    total, found_in, found_out = 0, 0, 0
    for center, context, negatives in zip(centers, contexts, drawn):
        model = Word2Vec(9, 7, lr=1.0)
        model.W_in, model.W_out = W.copy(), C.copy()
        total += model.train_step(center, context, negatives)
        found_in, found_out = found_in + W - model.W_in, found_out + C - model.W_out
    return total, found_in, found_out
"""


def singly(m):
    weights = weights_of(numbers(), "W C", (9, 7), (9, 7))
    given = {"centers": np.array([4, 8]), "contexts": np.array([2, 5])}
    given["drawn"] = np.array([[0, 6, 6, 3], [1, 3, 7, 2]])
    return loss(m.loss_and_gradients, "W C", **given, **weights)


# a dense net for samples in columns whose layers normalise batches, with weights that decay ---------------------------

BATCHES = "mpierrau/DD2424_Deep_Learning_Lab3"
BATCHES_SHAPES = {"W": ((7, 4), (5, 7), (3, 5)), "b": ((7, 1), (5, 1), (3, 1))}
BATCHES_WEIGHTS = {
    f"{name}{k + 1}": BATCHES_SHAPES[kind][k]
    for k in range(3)
    for name, kind in (("W", "W"), ("b", "b"), ("gamma", "b"), ("beta", "b"))
}
BATCHES_FUNCTIONS = (
    # wrong as published: the cost divides the decay by the size of the batch, the gradient does not
    ("weights_sum / N", "weights_sum"),
)
BATCHES_BEFORE = """from functions_of_net import L2_cost, cross_entropy, cross_entropy_prime, he_init, relu, softMax
from layers_of_net import ActLayer, FCLayer"""
# it learns by nothing: gradients stay in the layers
BATCHES_LOSS = f"""


def loss_and_gradients(X, Y, {", ".join(BATCHES_WEIGHTS)}):
    net = Network()
    net.build_layers(4, 3, [7, 5], 0.1, verbose=False)
    given = ((W1, b1, gamma1, beta1), (W2, b2, gamma2, beta2), (W3, b3, gamma3, beta3))
    names = ("W", "b", "gamma", "beta")
    for layer, arrays in zip(net.layers[::2], given):
        layer.pars = dict(zip(names, arrays))
    net.forward_prop(X)
    net.compute_loss(Y)
    net.compute_cost()
    net.backward_prop(Y, 0.0)
    return net.cost["Training"][-1], *(layer.grads[name] for layer in net.layers[::2] for name in names)
"""


def batches(m):
    r = numbers()
    weights = weights_of(r, " ".join(BATCHES_WEIGHTS), *BATCHES_WEIGHTS.values())
    given = {"X": r(4, 6), "Y": np.eye(3)[:, [2, 0, 1, 1, 0, 2]]}
    return loss(m.loss_and_gradients, " ".join(BATCHES_WEIGHTS), **given, **weights)


# the RNN of a course's notebook: samples in columns, time last, weights and gradients in dicts ------------------------

COURSE = "justinliu23/rnn-from-scratch"
COURSE_NOTEBOOK = "Building_a_Recurrent_Neural_Network_Step_by_Step.ipynb"
COURSE_WEIGHTS = {"Wax": (5, 3), "Waa": (5, 5), "ba": (5, 1)}
COURSE_PAIR = """


def run(x, a0, **parameters):
    a, _, caches = rnn_forward(x, a0, parameters)
    return a, caches


def back(da, caches):
    gradients = rnn_backward(da, caches)
    return tuple(gradients[name] for name in ("dx", "da0", "dWax", "dWaa", "dba"))
"""


def course(m):
    r = numbers()
    weights = weights_of(r, " ".join(COURSE_WEIGHTS), *COURSE_WEIGHTS.values())
    # what it predicts is not learnt by in the notebook
    weights |= {"Wya": r(7, 5), "by": r(7, 1)}
    return pair(m.run, m.back, "x a0 Wax Waa ba", x=r(3, 2, 4), a0=0.5 * r(5, 2), **weights)


# word vectors in batches, with words that are drawn; it learns in its backward pass -----------------------------------

SCATTERED = "NotAIModel/word2vec-numpy"
# it learns by the sum where its loss is a mean; the rate takes that back, the difference is the gradient
SCATTERED_LOSS = """


def loss_and_gradients(idx_cntr, idx_ctx, idx_ctx_neg, W, C):
    model = Word2Vec(9, 6, 1 / len(idx_cntr))
    model.weights_cntr, model.weights_ctx = W.copy(), C.copy()
    cost = model.train_step(idx_cntr, idx_ctx, idx_ctx_neg)
    return cost, W - model.weights_cntr, C - model.weights_ctx
"""


def scattered(m):
    weights = weights_of(numbers(), "W C", (9, 6), (9, 6))
    given = {"idx_cntr": np.array([2, 8, 2, 5]), "idx_ctx": np.array([7, 1, 4, 7])}
    given["idx_ctx_neg"] = np.array([[0, 3, 3], [6, 7, 5], [1, 0, 8], [2, 4, 6]])
    return loss(m.loss_and_gradients, "W C", **given, **weights)


# convolutions, windows that overlap, dropout and dense layers; weights decay; each layer is a mean over the batch -----

DROPPING = "ileocho/cnn-numpy"
DROPPING_WEIGHTS = {"K1": (3, 3, 2, 3), "k1": (1, 1, 1, 3), "K2": (2, 2, 3, 4), "k2": (1, 1, 1, 4)}
DROPPING_WEIGHTS |= {"W1": (7, 24), "w1": (1, 7), "W2": (5, 7), "w2": (1, 5)}
DROPPING_LAYER = "from layer import Layer"
DROPPING_CONV = "from activation import Identity\nfrom layer import Layer\n\nidentity = Identity()"
DROPPING_DROPOUT = (
    # random draws are given
    ("np.random.rand(*prev.shape)", "self.draws"),
)
DROPPING_BEFORE = """from activation import ReLU, Sigmoid, Softmax
from conv import Conv
from cost import SoftmaxCrossEntropy
from dense import Dense
from dropout import Dropout
from flatten import Flatten
from optimizer import GradientDescent
from pooling import Pool

gradient_descent = GradientDescent"""
DROPPING_LOSS = f"""


def loss_and_gradients(X, Y, draws, {", ".join(DROPPING_WEIGHTS)}):
    first, second = Conv(3, 1, 3, "same", Sigmoid()), Conv(2, 2, 4, activation=ReLU())
    dropout, dense, last = Dropout(0.6), Dense(7, Sigmoid()), Dense(5, Softmax())
    dropout.draws = draws
    layers = [first, Pool(2, 1), second, Flatten(), dropout, dense, last]
    net = NeuralNetwork((6, 7, 2), layers, SoftmaxCrossEntropy(), l2_lambda=0.3)
    learning = first, second, dense, last
    for layer, w, b in zip(learning, (K1, K2, W1, W2), (k1, k2, w1, w2)):
        layer.w, layer.b = w, b
    out = net.forward_prop(X)
    net.backward_prop(out, Y)
    grads = (grad[layer] for layer in learning for grad in (net.w_grads, net.b_grads))
    return net.compute_cost(out, Y), *grads
"""


def dropping(m):
    r = numbers()
    weights = weights_of(r, " ".join(DROPPING_WEIGHTS), *DROPPING_WEIGHTS.values())
    given = {"X": r(3, 6, 7, 2), "Y": np.eye(5)[[3, 0, 4]], "draws": np.random.default_rng(1).random((3, 24))}
    return loss(m.loss_and_gradients, " ".join(DROPPING_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        PLACED,
        "word vectors",
        (
            Part(
                "src/word2vec/model.py",
                "sigmoid SGNSModel",
                PLACED_MODEL,
                "from pathlib import Path\nfrom typing import Dict, Tuple",
                module="model",
            ),
            Part("src/word2vec/optim.py", "SGD", (), "from model import SGNSModel", PLACED_LOSS),
        ),
        placed,
    ),
    Subject(
        KEEPING,
        "dense",
        (
            Part(
                "functions.py",
                "sigmoid relu linear softmax relu_grad sigmoid_grad linear_grad cross_entropy",
                KEEPING_FUNCTIONS,
                module="functions_of_nn",
            ),
            Part(
                "feedforward_nn.py",
                "CrossEntropyLoss Layer NN",
                (),
                "import math\n\nfrom functions_of_nn import *",
                KEEPING_LOSS,
            ),
        ),
        keeping,
        published="relu changes what its layer keeps, its slope is then one everywhere",
    ),
    Subject(
        SINGLY,
        "word vectors",
        (Part("src/word2vec.py", "sigmoid Word2Vec", SINGLY_EDITS, after=SINGLY_LOSS),),
        singly,
        published="of a word that is drawn twice only the last change stays",
    ),
    Subject(
        BATCHES,
        "batch normalisation",
        (
            Part(
                "src/K_NN_funcs.py",
                "relu L2_cost cross_entropy_prime cross_entropy softMax he_init",
                BATCHES_FUNCTIONS,
                "import math",
                module="functions_of_net",
            ),
            Part("src/K_NN_layer_class.py", "Layer FCLayer ActLayer", module="layers_of_net"),
            Part("src/K_NN_network_class.py", "Network", (), BATCHES_BEFORE, BATCHES_LOSS),
        ),
        batches,
        published="the cost divides the decay by the size of the batch, the gradient does not",
    ),
    Subject(
        COURSE,
        "RNN",
        (
            Part("rnn_utils.py", "softmax", module="rnn_utils"),
            Part(
                COURSE_NOTEBOOK,
                "rnn_cell_forward rnn_forward rnn_cell_backward rnn_backward",
                (),
                "from rnn_utils import softmax",
                COURSE_PAIR,
            ),
        ),
        course,
    ),
    Subject(
        SCATTERED,
        "word vectors",
        (Part("src/model.py", "sigmoid log_sigmoid Word2Vec", after=SCATTERED_LOSS),),
        scattered,
    ),
    Subject(
        DROPPING,
        "convolutions",
        (
            Part("src/layers/layer.py", "Layer", module="layer"),
            Part("src/activation.py", "ActivationFunction Identity Sigmoid ReLU Softmax", module="activation"),
            Part("src/cost.py", "CostFunction SoftmaxCrossEntropy", (), "epsilon = 1e-20", module="cost"),
            Part("src/layers/conv.py", "Conv", (), DROPPING_CONV, module="conv"),
            Part("src/layers/pooling.py", "Pool", (), DROPPING_LAYER, module="pooling"),
            Part("src/layers/flatten.py", "Flatten", (), DROPPING_LAYER, module="flatten"),
            Part("src/layers/dropout.py", "Dropout", DROPPING_DROPOUT, DROPPING_LAYER, module="dropout"),
            Part(
                "src/layers/dense.py",
                "Dense",
                (),
                "from activation import Softmax\nfrom layer import Layer",
                module="dense",
            ),
            Part("src/optimizer.py", "Optimizer GradientDescent", module="optimizer"),
            Part("src/nn.py", "NeuralNetwork", (), DROPPING_BEFORE, DROPPING_LOSS),
        ),
        dropping,
    ),
]

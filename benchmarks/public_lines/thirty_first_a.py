"""Subjects by owners that begin with A, C, D, E, F and G: an LSTM that forecasts a mean and a variance, an Elman net of
layer objects, a plain RNN for numbers, word vectors, dense layers, convolutions, nodes of a notebook."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an LSTM in batches, its gates one matrix, with two heads at its end, a mean and a variance; dropout between steps --

FORECAST = "afzalkhan281204-sudo/Sky-Cast-"
FORECAST_WEIGHTS = {"W": (20, 8), "b": (20,), "W_mu": (7, 5), "b_mu": (7,), "W_var": (7, 5), "b_var": (7,)}
# random draws are given
FORECAST_CELL = (("np.random.rand(*h_t.shape)", "self.draws[t]"),)
# first states that are not zero
FORECAST_EDITS = (("self.lstm.forward(X, training", "self.lstm.forward(X, self.h0, self.c0, training"),)
FORECAST_LOSS = f"""

def loss_and_gradients(X, y, h0, c0, draws, {", ".join(FORECAST_WEIGHTS)}):
    model = WeatherForecaster(3, 5, 7, 0.3)
    model.h0, model.c0, model.lstm.draws = h0, c0, draws
    model.lstm.W, model.lstm.b = W, b
    model.W_mu, model.b_mu, model.W_var, model.b_var = W_mu, b_mu, W_var, b_var
    model.forward(X)
    cost, dmu, ds_var = model.compute_loss(y)
    dX = model.backward(dmu, ds_var)
    return cost, dX, model.lstm.dW, model.lstm.db, model.dW_mu, model.db_mu, model.dW_var, model.db_var
"""


def forecast(m):
    r = numbers()
    weights = weights_of(r, " ".join(FORECAST_WEIGHTS), *FORECAST_WEIGHTS.values())
    given = {"X": r(2, 4, 3), "y": r(2, 7), "h0": 0.5 * r(2, 5), "c0": r(2, 5)}
    given["draws"] = np.random.default_rng(1).random((4, 2, 5))
    return loss(m.loss_and_gradients, "X " + " ".join(FORECAST_WEIGHTS), **given, **weights)


# an Elman net of layer objects, which are given back what they saw at each step; biases are the last rows of weights --

ELMAN = "akarshrajsingh7/Neural-Nets-From-Scratch"
ELMAN_BASE = "from base import BaseLayer"
ELMAN_BEFORE = """from copy import deepcopy

from base import BaseLayer
from connected import FullyConnected
from sigmoid import Sigmoid
from tanh import TanH"""
ELMAN_EDITS = (
    # what the second dense layer learns by is kept
    ("self.gradient_weights = FC1_wghts", "self.gradient_weights, self.gradient_second = FC1_wghts, FC2_wghts"),
)
ELMAN_PAIR = """

def run(x, h0, W1, W2):
    rnn = RNN(3, 5, 7)
    rnn.weights, rnn.elman_layers[2].weights = W1, W2
    rnn.memorize, rnn.hidden_state = True, h0
    return rnn.forward(x), rnn


def back(dout, rnn):
    return rnn.backward(dout), rnn.gradient_weights, rnn.gradient_second
"""


def elman(m):
    r = numbers()
    weights = weights_of(r, "W1 W2", (9, 5), (6, 7))
    return pair(m.run, m.back, "x W1 W2", x=r(4, 3), h0=0.5 * r(5), **weights)


# a plain RNN for sequences of numbers, with half squared errors; states are a list ------------------------------------

PLAIN = "erosmarcello/vanilla-rnn"
PLAIN_WEIGHTS = {"Wxh": (5, 3), "Whh": (5, 5), "Why": (4, 5), "bh": (5, 1), "by": (4, 1)}
# it learns at once: the difference is the gradient
PLAIN_LOSS = f"""

def loss_and_gradients(xs, ys, h0, {", ".join(PLAIN_WEIGHTS)}):
    cost, grads, names = 0, [0] * 5, "{" ".join(PLAIN_WEIGHTS)}".split()
    for x, y, first in zip(xs, ys, h0):
        rnn = VanillaRNN(3, 5, 4)
        for name, weight in zip(names, ({", ".join(PLAIN_WEIGHTS)})):
            setattr(rnn, name, weight.copy())
        cost += 0.5 * np.sum((rnn.forward(x, first) - y) ** 2)
        rnn.backward(x, y, 1.0)
        found = [old - getattr(rnn, name) for name, old in zip(names, ({", ".join(PLAIN_WEIGHTS)}))]
        grads = [grad + one for grad, one in zip(grads, found)]
    return cost, *grads
"""


def plain(m):
    r = numbers()
    weights = weights_of(r, " ".join(PLAIN_WEIGHTS), *PLAIN_WEIGHTS.values())
    given = {"xs": r(2, 4, 3), "ys": r(2, 4, 4, 1), "h0": 0.5 * r(2, 5, 1)}
    return loss(m.loss_and_gradients, " ".join(PLAIN_WEIGHTS), **given, **weights)


# word vectors with words that are drawn: all in one function that learns at once --------------------------------------

WORDS = "Dylan-Austin/Word2Vec-Numpy-Implementation"
# it learns by the sum where its loss is a mean; the rate takes that back, the difference is the gradient
WORDS_LOSS = """

def loss_and_gradients(center, positive, negative, W, C):
    model = SG_Word2Vec(9, 5)
    model.input_embeddings, model.output_embeddings = W.copy(), C.copy()
    cost = model.training_step(center, positive, negative, 1 / len(center))
    return cost, W - model.input_embeddings, C - model.output_embeddings
"""


def words(m):
    weights = weights_of(numbers(), "W C", (9, 5), (9, 5))
    given = {"center": np.array([[2], [7], [2]]), "positive": np.array([[4], [1], [8]])}
    given["negative"] = np.array([[0, 6, 6, 3], [3, 0, 5, 2], [4, 2, 1, 7]])
    return loss(m.loss_and_gradients, "W C", **given, **weights)


# dense layers whose deltas are asked of the loss; there is a 1 before the input, layers have one neuron more for it ---

DENSE = "FabioMurgese/neural-network-from-scratch"
DENSE_WEIGHTS = {"W1": (4, 6), "W2": (6, 8), "W3": (8, 2)}
DENSE_BEFORE = """from activations import Linear, Sigmoid, Tanh
from errors import MeanEuclideanError
from losses import MeanSquaredError
from optimizers import SGD
from regularizers import L2"""
# it learns at once, here without momentum and decay: the difference is the gradient
DENSE_LOSS = f"""

def loss_and_gradients(X, y, {", ".join(DENSE_WEIGHTS)}):
    net = Sequential(regularizer=None)
    net.add(Dense((3, 5), Tanh()))
    net.add(Dense((5, 7), Sigmoid()))
    net.add(Dense((7, 2), Linear(), is_output=True))
    for layer, weight in zip(net.layers, ({", ".join(DENSE_WEIGHTS)})):
        layer.weight = weight.copy()
    SGD(lr=1.0, alpha=0.0)._SGD__backpropagation(X, y, net)
    cost = np.sum((net.layers[-1].output - y) ** 2) / len(y)
    return cost, *(weight - layer.weight for layer, weight in zip(net.layers, ({", ".join(DENSE_WEIGHTS)})))
"""


def dense(m):
    r = numbers()
    weights = weights_of(r, " ".join(DENSE_WEIGHTS), *DENSE_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DENSE_WEIGHTS), X=r(4, 3), y=r(4, 2), **weights)


# convolutions by tables of places, a softmax by its matrix: layers keep caches and gradients in dicts -----------------

PLACES = "CesareMagnetti/deeplearningfromscratch"
PLACES_WEIGHTS = {"K1": (3, 2, 3, 2), "k1": (3, 1), "K2": (4, 3, 2, 3), "k2": (4, 1)}
PLACES_WEIGHTS |= {"W1": (24, 7), "w1": (7,), "W2": (7, 5), "w2": (5,)}
PLACES_UTILS = "get_neighborhood_indeces image2neighbourhoodMatrix neighborhoodMatrix2image correlation2d"
PLACES_EDITS = (
    # wrong as published: the loss is a mean, its gradient that of a sum
    ("= -1/input[np.arange(B), label]", "= -1/input[np.arange(B), label]/B"),
)
PLACES_LOSS = f"""

def loss_and_gradients(x, label, {", ".join(PLACES_WEIGHTS)}):
    conv1, conv2 = Conv2D(2, 3, (3, 2), padding=1), Conv2D(3, 4, (2, 3), stride=2)
    linear1, linear2, error = Linear(24, 7), Linear(7, 5), NegativeLogLikelyhood()
    learning = conv1, conv2, linear1, linear2
    for layer, weight, bias in zip(learning, (K1, K2, W1, W2), (k1, k2, w1, w2)):
        layer.add_parameter("weight", weight)
        layer.add_parameter("bias", bias)
    layers = [conv1, ReLU(), conv2, View((3, 24)), Sigmoid(), linear1, ReLU(), linear2, Softmax()]
    for layer in layers:
        x = layer(x)
    cost = error(x, label)
    grad = error.backward()
    for layer in reversed(layers):
        grad = layer.backward(grad)
    return cost, grad, *(layer._backward_hooks[name] for layer in learning for name in ("weight", "bias"))
"""


def places(m):
    r = numbers()
    weights = weights_of(r, " ".join(PLACES_WEIGHTS), *PLACES_WEIGHTS.values())
    given = {"x": r(3, 2, 5, 6), "label": np.array([4, 0, 3])}
    return loss(m.loss_and_gradients, "x " + " ".join(PLACES_WEIGHTS), **given, **weights)


# nodes of a notebook in a chain, with two heads: a softmax with an entropy in two nodes, and in one -------------------

NODES = "GiggleLiu/marburg"
NODES_WEIGHTS = {"W1": (4, 6), "b1": (6,), "W2": (6, 5), "b2": (5,), "W3": (6, 3), "b3": (3,)}
NODES_LOSS = f"""

def loss_and_gradients(x, p, q, {", ".join(NODES_WEIGHTS)}):
    linears = Linear(4, 6), Linear(6, 5), Linear(6, 3)
    for linear, weight, bias in zip(linears, (W1, W2, W3), (b1, b2, b3)):
        linear.parameters = [weight, bias]
    trunk = [linears[0], Sigmoid()]
    heads = [linears[1], Softmax(), CrossEntropy(), Mean()], [linears[2], SoftmaxCrossEntropy(), Mean()]
    for node in trunk:
        x = node.forward(x)
    cost, delta = 0, 0
    for head, target in zip(heads, (p, q)):
        y, y_delta = x, np.array(1.0)
        for node in head:
            y = node.forward(y, target)
        for node in head[::-1]:
            y_delta = node.backward(y_delta)
        cost, delta = cost + y, delta + y_delta
    for node in trunk[::-1]:
        delta = node.backward(delta)
    return cost, delta, *(found for linear in linears for found in linear.parameters_deltas)
"""


def nodes(m):
    r = numbers()
    weights = weights_of(r, " ".join(NODES_WEIGHTS), *NODES_WEIGHTS.values())
    given = {"x": r(3, 4), "p": np.eye(5)[[4, 0, 2]]}
    given["q"] = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [0.1, 0.2, 0.7]])
    return loss(m.loss_and_gradients, "x " + " ".join(NODES_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        FORECAST,
        "LSTM",
        (
            Part(
                "lstm_cell.py",
                "sigmoid sigmoid_backward tanh_backward ScratchLSTMLayer",
                FORECAST_CELL,
                module="lstm_cell",
            ),
            Part(
                "model.py",
                "softplus WeatherForecaster",
                FORECAST_EDITS,
                "from lstm_cell import ScratchLSTMLayer, sigmoid",
                FORECAST_LOSS,
            ),
        ),
        forecast,
    ),
    Subject(
        ELMAN,
        "RNN",
        (
            Part("Layers/Base.py", "BaseLayer", module="base"),
            Part("Layers/FullyConnected.py", "FullyConnected", (), "import copy\n\n" + ELMAN_BASE, module="connected"),
            Part("Layers/TanH.py", "TanH", (), ELMAN_BASE, module="tanh"),
            Part("Layers/Sigmoid.py", "Sigmoid", (), ELMAN_BASE, module="sigmoid"),
            Part("Layers/RNN.py", "RNN", ELMAN_EDITS, ELMAN_BEFORE, ELMAN_PAIR),
        ),
        elman,
    ),
    Subject(PLAIN, "RNN", (Part("vanilla_rnn.py", "VanillaRNN", after=PLAIN_LOSS),), plain),
    Subject(
        WORDS,
        "word vectors",
        (Part("word2vec.py", "sigmoid SG_Word2Vec", (), "from numpy import ndarray", WORDS_LOSS),),
        words,
    ),
    Subject(
        DENSE,
        "dense",
        (
            Part(
                "neural_network/activation_functions.py",
                "ActivationFunction Sigmoid Tanh Linear",
                module="activations",
            ),
            Part("neural_network/error_functions.py", "ErrorFunction MeanEuclideanError", module="errors"),
            Part("neural_network/loss_functions.py", "LossFunction MeanSquaredError", module="losses"),
            Part("neural_network/regularizers.py", "Regularizer L2", module="regularizers"),
            Part("neural_network/optimizers.py", "Optimizer SGD", module="optimizers"),
            Part(
                "neural_network/neural_network.py",
                "Layer NeuralNetwork Dense Sequential",
                (),
                DENSE_BEFORE,
                DENSE_LOSS,
            ),
        ),
        dense,
    ),
    Subject(
        PLACES,
        "convolutions",
        (
            Part("utils.py", PLACES_UTILS, module="utils"),
            Part(
                "modules.py",
                "Module Linear Conv2D View ReLU Sigmoid Softmax NegativeLogLikelyhood",
                PLACES_EDITS,
                "from collections import OrderedDict\n\nimport utils",
                PLACES_LOSS,
            ),
        ),
        places,
        published="the loss is a mean, its gradient that of a sum",
    ),
    Subject(
        NODES,
        "nodes",
        (
            Part(
                "solutions/computation_graph_with_solution.ipynb",
                "Linear F Sigmoid Softmax CrossEntropy Mean SoftmaxCrossEntropy",
                after=NODES_LOSS,
            ),
        ),
        nodes,
    ),
]

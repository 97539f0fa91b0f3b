"""Subjects by owners that begin with H, J, L, M and N: stacked RNNs, an RNN that takes its states off lists, a language
model of one step, layers of a discriminator, convolutions with channels last, word vectors, convolutions over time."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# a network for sequences of words: an embedding, an RNN that gives all its states to one that gives the last of its ---
# own, a dense layer with a softmax; layers learn in their backward passes ---------------------------------------------

STACKED = "JR-Jahed/deep-learning-from-scratch"
STACKED_TAKEN = "cross_entropy_loss cross_entropy_gradient orthogonal_init Embedding SimpleRNN Dense Sequential"
STACKED_WEIGHTS = {"E": (7, 3), "Wx1": (5, 3), "Wh1": (5, 5), "b1": (5, 1)}
STACKED_WEIGHTS |= {"Wx2": (4, 5), "Wh2": (4, 4), "b2": (4, 1), "W": (6, 4), "b": (6, 1)}
STACKED_EDITS = (
    # wrong as published: words learn as many times faster as there are sequences
    ("        learning_rate *= batch_size\n        unique_tokens", "        unique_tokens"),
    # what it learns by is kept instead
    ("self.embeddings[token] -= learning_rate * np.sum(", "self.dE[token] += learning_rate * np.sum("),
    *((f"self.{name} -= learning_rate * d{name}\n", f"self.d{name} = d{name}\n") for name in ("W_xh", "W_hh")),
    ("self.b_h -= learning_rate * db", "self.db_h = db"),
    ("self.W -= learning_rate * dW", "self.dW = learning_rate * dW"),
    ("self.b -= learning_rate * db", "self.db = learning_rate * db"),
)
STACKED_LOSS = f"""

def loss_and_gradients(X, y, {", ".join(STACKED_WEIGHTS)}):
    words, first, last, dense = Embedding(7, 3), SimpleRNN(3, 5), SimpleRNN(5, 4, False), Dense(4, 6, "softmax")
    words.embeddings, words.dE = E, np.zeros_like(E)
    first.W_xh, first.W_hh, first.b_h, last.W_xh, last.W_hh, last.b_h = Wx1, Wh1, b1, Wx2, Wh2, b2
    dense.W, dense.b = W, b
    model = Sequential()
    for layer in (words, first, last, dense):
        model.add(layer)
    cost = model.backward(X, y, 1.0)
    states = (first.dW_xh, first.dW_hh, first.db_h, last.dW_xh, last.dW_hh, last.db_h)
    return cost, words.dE, *states, dense.dW, dense.db
"""


def stacked(m):
    r = numbers()
    weights = weights_of(r, " ".join(STACKED_WEIGHTS), *STACKED_WEIGHTS.values())
    given = {"X": np.array([[2, 5, 2, 0], [1, 6, 4, 4]]), "y": np.array([3, 0])}
    return loss(m.loss_and_gradients, " ".join(STACKED_WEIGHTS), **given, **weights)


# an RNN that puts states and inputs on lists when it steps, and takes them off when it goes back ----------------------

LISTS = "nikuya3/simple-rnn"
LISTS_WEIGHTS = {"w_hh": (5, 5), "w_xh": (5, 3), "w_yh": (4, 5)}
LISTS_EDITS = (
    # wrong as published: gradients begin as ones,
    ("np.ones(", "np.zeros("),
    # and the gradient of the state is made of that of a matrix, lacks what comes from later steps, and the tanh
    (
        "self.dh = self.dw_yh.T.dot(dy)",
        "self.dh = (self.w_yh.T.dot(dy) + self.w_hh.T.dot(self.dh)) * (1 - self.h[-1] ** 2)",
    ),
)
LISTS_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(LISTS_WEIGHTS)}):
    rnn = VanillaRNN(3, 5, 4)
    rnn.h, rnn.w_hh, rnn.w_xh, rnn.w_yh = [h0], w_hh, w_xh, w_yh
    scores = np.array([rnn.step(step).reshape(4) for step in x])
    dscores = cross_entropy_loss_gradient(scores, y)
    for dy in dscores[::-1]:
        rnn.back(dy.reshape(4, 1))
    return calculate_cross_entropy_loss(scores, y), rnn.dw_hh, rnn.dw_xh, rnn.dw_yh
"""


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())
    given = {"x": r(4, 3, 1), "y": np.array([2, 0, 3, 2]), "h0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(LISTS_WEIGHTS), **given, **weights)


# a language model whose states go back no step: one matrix for words and context together, words that are rare have ---
# a larger weight, words may be unknown --------------------------------------------------------------------------------

RARE = "marcogualtieri/rnnlm_numpy"
RARE_BEFORE = """import ActivationFunctions as af

activation_hidden = af.sigmoid
activation_hidden_d = af.sigmoid_d
activation_output = af.softmax"""
RARE_EDITS = (
    # what it learns by is kept instead
    ("self.syn_hidden -= ", "self.d_hidden += "),
    ("self.syn_input[previous_word,:] -= ", "self.d_input[previous_word,:] += "),
    (
        "self.syn_input[self.vocabulary_size:self.vocabulary_size+self.hidden_layer_size,:] -= ",
        "self.d_input[self.vocabulary_size:self.vocabulary_size+self.hidden_layer_size,:] += ",
    ),
)
# the contexts are given, as each step takes the state before for a constant; the loss is that of its validation
RARE_LOSS = """

def loss_and_gradients(words, contexts, factors, syn_input, syn_hidden):
    net = RecurrentNeuralNetwork.__new__(RecurrentNeuralNetwork)
    net.vocabulary_size, net.hidden_layer_size, net.learning_rate = 7, 5, 1.0
    net.occurrences_smoothing, net.smoothing_factors = True, factors
    net.syn_input, net.syn_hidden = syn_input, syn_hidden
    net.d_input, net.d_hidden = np.zeros_like(syn_input), np.zeros_like(syn_hidden)
    cost = 0
    for previous, current, context in zip(words, words[1:], contexts):
        net.neu_context = context
        net._RecurrentNeuralNetwork__feedforward(previous)
        if current != -1:
            cost -= factors[current] * np.log(net.neu_output[current])
        net._RecurrentNeuralNetwork__backpropagate(previous, current)
    return cost, net.d_input, net.d_hidden
"""


def rare(m):
    r = numbers()
    weights = weights_of(r, "syn_input syn_hidden", (12, 5), (5, 7))
    given = {"words": np.array([2, 5, -1, 2, 6]), "contexts": r(4, 5), "factors": 1 + 0.1 * np.arange(7)}
    return loss(m.loss_and_gradients, "syn_input syn_hidden", **given, **weights)


# the layers of a network that tells drawn images from true ones: convolutions of SciPy, batch normalisation, a slope --
# that is learnt, pixels in place of channels; layers learn in their backward passes -----------------------------------

PIXELS = "milesd123/numpy-GAN"
PIXELS_WEIGHTS = {"K1": (4, 2, 3, 3), "c1": (4,), "gamma": (4, 1, 1), "beta": (4, 1, 1), "alpha": (4, 1, 1)}
PIXELS_WEIGHTS |= {"K2": (2, 1, 3, 3), "c2": (2,), "W": (16, 1), "b": (1,)}
PIXELS_CONV = (
    # it cannot be made as published, since this lacks an argument
    ("kaiming_he_kernel((1, 1), self.kernel_amount).squeeze()", "np.zeros(self.kernel_amount)"),
    # wrong as published: what goes back is as large as what comes, turned twice, and not without the padding,
    ("np.zeros_like(output_grad)", "np.zeros_like(padded_input)"),
    ("convolve2d(output_grad[n, c_out], kernel_rotated", "correlate2d(output_grad[n, c_out], kernel_rotated"),
    (
        "return upstream_grad",
        "p = self.padding\n        return upstream_grad[:, :, p:p + self.input.shape[2], p:p + self.input.shape[3]]",
    ),
    # and the biases learn by the last image
    ("bias_gradient[c_out] = np.sum", "bias_gradient[c_out] += np.sum"),
    # what it learns by is kept instead
    ("self.kernel_matrix = self.kernel_matrix - learning_rate * kernel_gradient", "self.dK = kernel_gradient"),
    ("self.bias_matrix = self.bias_matrix - learning_rate * bias_gradient", "self.db = bias_gradient"),
)
PIXELS_NORM = (
    ("self.gamma -= learning_rate * gamma_grad", "self.dgamma = gamma_grad"),
    ("self.beta -= learning_rate * beta_grad", "self.dbeta = beta_grad"),
)
PIXELS_SLOPE = (("        self.alpha -= learning_rate * self.grad_alpha\n", ""),)
PIXELS_DENSE = (
    # wrong as published: no matrix product
    ("self.input.T * output_grad", "self.input.T @ output_grad"),
    ("self.weights -= learning_rate * weight_gradient", "self.dW = weight_gradient"),
    ("self.biases -= learning_rate  * bias_gradient", "self.db = bias_gradient"),
)
PIXELS_LOSS = f"""

def loss_and_gradients(x, label, {", ".join(PIXELS_WEIGHTS)}):
    first, norm, slope, second = Convolution2D(2, 4, 3, 1), BatchNorm(), PReLU(4), Convolution2D(1, 2, 3, 0)
    dense = Dense(16, 1)
    first.kernel_matrix, first.bias_matrix, second.kernel_matrix, second.bias_matrix = K1, c1, K2, c2
    norm.gamma, norm.beta, slope.alpha, dense.weights, dense.biases = gamma, beta, alpha, W, b
    net = Discriminator()
    for layer in (first, norm, slope, PixelShuffle(2), second, leakyRELU(0.2), Flatten(), dense, Sigmoid()):
        net.add(layer)
    cost, grad = binary_cross_entropy(net.forward(x), label)
    net.backward(grad, 0.1)
    return (
        cost, first.dK, first.db, norm.dgamma, norm.dbeta, slope.grad_alpha, second.dK, second.db, dense.dW, dense.db
    )
"""
PIXELS_IMPORTS = """from batch_norm import BatchNorm
from bce import binary_cross_entropy
from convolution import Convolution2D
from dense import Dense
from flatten import Flatten
from leaky import leakyRELU
from pixel_shuffle import PixelShuffle
from prelu import PReLU
from sigmoid import Sigmoid"""
PIXELS_BASE = "from layer import Layer"
PIXELS_FOLDER = "src/layers"


def pixels(m):
    r = numbers()
    weights = weights_of(r, " ".join(PIXELS_WEIGHTS), *PIXELS_WEIGHTS.values())
    given = {"x": r(3, 2, 2, 3), "label": np.array([[1.0], [0.0], [1.0]])}
    return loss(m.loss_and_gradients, " ".join(PIXELS_WEIGHTS), **given, **weights)


# convolutions with channels last, as products with views of the images; pooling that pads in front; layers learn with -
# momentum in their backward passes ------------------------------------------------------------------------------------

VIEWS = "libaohang/CNN-Numpy"
VIEWS_WEIGHTS = {"K1": (3, 2, 3, 3), "K2": (4, 3, 3, 3), "W1": (6, 16), "b1": (1, 6), "W2": (5, 6), "b2": (1, 5)}
VIEWS_EDITS = (
    # wrong as published: filters are turned, though their places are not,
    ("self.filters[:, :, ::-1, ::-1]", "self.filters"),
    # and the mean over the batch is taken again
    (" / batch\n", "\n"),
    # what it learns by is kept instead
    ("        self.v_filters = self.beta * self.v_filters + (1 - self.beta) * dE_dK\n", ""),
    ("        self.filters -= self.v_filters * self.lr\n", "        self.dK = dE_dK\n"),
    ("        self.v_w = self.beta * self.v_w + (1 - self.beta) * dE_dW\n", ""),
    ("        self.v_b = self.beta * self.v_b + (1 - self.beta) * dE_dB\n", ""),
    ("self.weights -= self.v_w * self.lr", "self.dW = dE_dW"),
    ("self.bias -= self.v_b * self.lr", "self.db = dE_dB"),
)
# wrong as published: this is the derivative by the scores, though the softmax is gone through as well
VIEWS_CROSS = (("return (pred - y) / len(pred)", "return -y / (pred + 1e-10) / len(pred)"),)
VIEWS_LOSS = f"""
from Activations import ReLu, SoftMax
from CNN import backwardProp, forwardProp
from Layers import ConvolutionLayer, DenseLayer, FlattenLayer, MaxPoolingLayer


def loss_and_gradients(x, y, {", ".join(VIEWS_WEIGHTS)}):
    first, second = ConvolutionLayer(3, 3, 2, 0.1, 0.9), ConvolutionLayer(3, 4, 3, 0.1, 0.9)
    third, last = DenseLayer(16, 6, 0.1, 0.9), DenseLayer(6, 5, 0.1, 0.9)
    first.filters, second.filters = K1, K2
    third.weights, third.bias, last.weights, last.bias = W1, b1, W2, b2
    network = [first, ReLu(), second, MaxPoolingLayer(2), FlattenLayer(), third, ReLu(), last, SoftMax()]
    prediction = forwardProp(network, x)
    dx = backwardProp(network, cross_entropy_prime(y, prediction))
    cost = np.mean(cross_entropy(y, prediction))
    return cost, dx, first.dK, second.dK, third.dW, third.db, last.dW, last.db
"""


def views(m):
    r = numbers()
    weights = weights_of(r, " ".join(VIEWS_WEIGHTS), *VIEWS_WEIGHTS.values())
    given = {"x": r(3, 3, 4, 2), "y": np.array([4, 0, 2])}
    return loss(m.loss_and_gradients, f"x {' '.join(VIEWS_WEIGHTS)}", **given, **weights)


# word vectors in batches: a model with a cache, whose gradients are those of rows; an epoch adds them to the matrices -

ROWS = "m1los02/Word2Vec-From-Scratch"
ROWS_BEFORE = """from typing import Any, Dict, Iterator, List, Tuple

from utils import {}
from vocab import Parameters"""
ROWS_MODEL = (
    # wrong as published: the loss is a mean over the batch, the gradients are not
    ("loss = np.mean(pos_loss", "loss = np.sum(pos_loss"),
    # what draws words is given
    (", sampler: NegativeSampler", ", sampler"),
)
ROWS_TRAIN = (
    # what it learns by is kept instead
    ("model.params.W_", "model.kept.W_"),
    ("-lr * ", ""),
    ("model: SkipGramNeg", "model"),
)
ROWS_LOSS = """
from model import SkipGramNeg


class Drawn:
    def __init__(self, words):
        self.words = words

    def sample(self, shape):
        return self.words


def loss_and_gradients(pairs, negatives, W_center, W_context):
    model = SkipGramNeg(Parameters(W_center, W_context), 3, Drawn(negatives))
    model.kept = Parameters(np.zeros_like(W_center), np.zeros_like(W_context))
    cost, _, _ = train_epoch(model, pairs, 0.1, len(pairs), 0, 0, 1, "linear")
    return cost, model.kept.W_center, model.kept.W_context
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, "W_center W_context", (8, 5), (8, 5))
    given = {"pairs": [(2, 4), (5, 1), (2, 6), (0, 4)]}
    given["negatives"] = np.array([[1, 1, 3], [6, 0, 2], [5, 3, 7], [2, 6, 3]])
    return loss(m.loss_and_gradients, "W_center W_context", **given, **weights)


# convolutions over time in a framework that goes back in two methods, one for the weights and one for what comes
# before; loops over samples, filters, times and channels --------------------------------------------------------------

TIMES = "Hoecine/Implementation-MLP-AUTOENCODER-from-scratch"
TIMES_TAKEN = "Linear Tanh Sigmoide ReLU Sequential LogSoftmax Conv1D Flatten"
TIMES_WEIGHTS = {"K1": (3, 2, 3), "K2": (4, 3, 2), "W1": (8, 6), "b1": (1, 6), "W2": (6, 5), "b2": (1, 5)}
TIMES_EDITS = (
    # wrong as published: a convolution is given what came out of it instead of what went in
    ("module.backward_delta(current_output, delta)", "module.backward_delta(current_input, delta)"),
)
TIMES_BEFORE = "from losses import NLLLoss\nfrom projet import Module"
TIMES_LOSS = f"""

def loss_and_gradients(X, y, {", ".join(TIMES_WEIGHTS)}):
    conv, strided, linear, last = Conv1D(2, 3, 3), Conv1D(3, 4, 2, 2), Linear(8, 6), Linear(6, 5)
    conv._parameters, strided._parameters = K1, K2
    linear._parameters, linear._bias, last._parameters, last._bias = W1, b1, W2, b2
    net = Sequential(conv, Tanh(), strided, Sigmoide(), Flatten(), linear, ReLU(), last, LogSoftmax())
    net.zero_grad()
    yhat = net.forward(X)
    net.backward_update_gradient(X, NLLLoss().backward(y, yhat))
    cost = np.sum(NLLLoss().forward(y, yhat))
    dense = linear._gradient, linear._gradient_bias, last._gradient, last._gradient_bias
    return cost, conv._gradient, strided._gradient, *dense
"""


def times(m):
    r = numbers()
    weights = weights_of(r, " ".join(TIMES_WEIGHTS), *TIMES_WEIGHTS.values())
    given = {"X": r(3, 2, 7), "y": np.eye(5)[[4, 0, 2]]}
    return loss(m.loss_and_gradients, " ".join(TIMES_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        STACKED,
        "stacked RNN",
        (Part("rnn/rnn.py", STACKED_TAKEN, STACKED_EDITS, after=STACKED_LOSS),),
        stacked,
        published="the words' gradients are multiplied by the size of the batch",
    ),
    Subject(
        LISTS,
        "RNN",
        (
            Part(
                "rnn.py",
                "probs calculate_cross_entropy_loss cross_entropy_loss_gradient VanillaRNN",
                LISTS_EDITS,
                "from math import sqrt",
                LISTS_LOSS,
            ),
        ),
        lists,
        published="gradients begin as ones; nothing goes back through time or through the tanh",
    ),
    Subject(
        RARE,
        "RNN of one step",
        (
            Part("src/ActivationFunctions.py", "sigmoid sigmoid_d softmax", module="ActivationFunctions"),
            Part(
                "src/RecurrentNeuralNetwork.py",
                "sparse_dot RecurrentNeuralNetwork",
                RARE_EDITS,
                RARE_BEFORE,
                RARE_LOSS,
            ),
        ),
        rare,
    ),
    Subject(
        PIXELS,
        "discriminator",
        (
            Part(f"{PIXELS_FOLDER}/layer.py", "Layer", (), "from abc import ABC", "", "layer"),
            Part(f"{PIXELS_FOLDER}/functions/inits.py", "kaiming_he_kernel kaiming_he_dense", module="inits"),
            Part(f"{PIXELS_FOLDER}/functions/bce.py", "binary_cross_entropy", module="bce"),
            Part(
                f"{PIXELS_FOLDER}/convolution.py",
                "Convolution2D",
                PIXELS_CONV,
                "from inits import kaiming_he_kernel\nfrom layer import Layer\nfrom scipy.signal import correlate2d",
                "",
                "convolution",
            ),
            Part(f"{PIXELS_FOLDER}/batch_norm.py", "BatchNorm", PIXELS_NORM, PIXELS_BASE, "", "batch_norm"),
            Part(f"{PIXELS_FOLDER}/prelu.py", "PReLU", PIXELS_SLOPE, PIXELS_BASE, "", "prelu"),
            Part(f"{PIXELS_FOLDER}/pixel_shuffle.py", "PixelShuffle", (), PIXELS_BASE, "", "pixel_shuffle"),
            Part(f"{PIXELS_FOLDER}/leakyReLU.py", "leakyRELU", (), PIXELS_BASE, "", "leaky"),
            Part(f"{PIXELS_FOLDER}/flatten.py", "Flatten", (), PIXELS_BASE, "", "flatten"),
            Part(
                f"{PIXELS_FOLDER}/dense.py",
                "Dense",
                PIXELS_DENSE,
                "from inits import kaiming_he_dense\nfrom layer import Layer",
                "",
                "dense",
            ),
            Part(f"{PIXELS_FOLDER}/sigmoid.py", "Sigmoid", (), PIXELS_BASE, "", "sigmoid"),
            Part("src/GAN/discriminator.py", "Discriminator", (), PIXELS_IMPORTS, PIXELS_LOSS),
        ),
        pixels,
        published="the convolution's input and biases, the dense layer's weights",
    ),
    Subject(
        VIEWS,
        "convolution",
        (
            Part(
                "Layers.py",
                "MaxPoolingLayer ConvolutionLayer DenseLayer FlattenLayer",
                VIEWS_EDITS,
                module="Layers",
            ),
            Part("Activations.py", "ReLu SoftMax", module="Activations"),
            Part("CNN.py", "forwardProp backwardProp", module="CNN"),
            Part("main.py", "cross_entropy cross_entropy_prime", VIEWS_CROSS, after=VIEWS_LOSS),
        ),
        views,
        published="turned filters, two means over the batch, the softmax twice",
    ),
    Subject(
        ROWS,
        "word vectors",
        (
            Part(
                "vocab.py",
                "Parameters",
                (),
                "from dataclasses import dataclass",
                "Parameters = dataclass(Parameters)",
                "vocab",
            ),
            Part("utils.py", "sigmoid get_lr", module="utils"),
            Part("model.py", "SkipGramNeg", ROWS_MODEL, ROWS_BEFORE.format("sigmoid"), "", "model"),
            Part("train.py", "batch_iterator train_epoch", ROWS_TRAIN, ROWS_BEFORE.format("get_lr"), ROWS_LOSS),
        ),
        rows,
        published="the loss is a mean over the batch, its gradients are not",
    ),
    Subject(
        TIMES,
        "convolution over time",
        (
            Part("projet_etu.py", "Loss Module", module="projet"),
            Part("losses.py", "NLLLoss", (), "from projet import Loss", "", "losses"),
            Part("modules.py", TIMES_TAKEN, TIMES_EDITS, TIMES_BEFORE, TIMES_LOSS),
        ),
        times,
        published="a convolution is given its output when it goes back",
    ),
]

"""Subjects drawn by lot: layers over one picture, word vectors for one pair at a time, convolutions of tensors that
keep what comes back to them, convolutions in columns with dropout, a dense net in functions, a dense net in dicts, a
logistic model and a dense net in lists."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# layers over one picture at a time; the convolution has no backward pass, what goes back to it is thrown away ---------

CLOSED = "madhavsk-programs/cnn-from-scratch-numpy-"
CLOSED_BEFORE = """from activations import ReLU
from conv_layer import ConvLayer
from dense import Dense
from flatten import Flatten
from loss_of_cnn import SoftmaxCrossEntropyLoss
from pooling import MaxPool"""
# the convolution hands on each channel with a bias, so that what goes back to it is the gradient of the pictures; the
# dense layer learns at once: the rate is one, the difference is the gradient
CLOSED_LOSS = """


def loss_and_gradients(xs, labels, W, b):
    total, dx, dW, db = 0, [], 0, 0
    for x, label in zip(xs, labels):
        model = CNN.__new__(CNN)
        model.conv, model.relu, model.pool = ConvLayer(2, 1, 2), ReLU(), MaxPool(3, 2)
        model.conv.filters, model.conv.bias = np.eye(2).reshape(2, 2, 1, 1), np.array([-1.0, -1.2])
        model.flatten, model.dense, model.loss_fn = Flatten(), Dense(24, 5), SoftmaxCrossEntropyLoss()
        model.dense.weights, model.dense.bias = W.copy(), b.copy()
        total += model.forward(x, label)[1]
        dx.append(model.backward(1.0))
        dW, db = dW + W - model.dense.weights, db + b - model.dense.bias
    return total, np.array(dx), dW, db
"""


def closed(m):
    r = numbers()
    weights = weights_of(r, "W b", (5, 24), (5,))
    return loss(m.loss_and_gradients, "xs W b", xs=r(2, 2, 7, 9), labels=[3, 0], **weights)


# word vectors for one pair at a time, with words that are drawn; it learns at once ------------------------------------

PAIRS = "j0n4y/word2vec-numpy"
PAIRS_EDITS = (
    # the loss is kept
    ('print(f"epoch {x+1}: loss = {loss}")', "self.loss = loss"),
)
PAIRS_BEFORE = """from types import SimpleNamespace


def print(*shown, **how):
    pass"""
# the rate is one, and one for each pair: the difference is the gradient
PAIRS_LOSS = """


class Single(Word2vec):
    def __init__(self, pair, W1, W2):
        self.vocab = SimpleNamespace(vocab_size=len(W1), noise_distribution=np.full(len(W1), 1 / len(W1)))
        self.num_negatives, self.alpha, self.pairs = 4, 1.0, np.array([pair])
        self.W1, self.W2 = W1.copy(), W2.copy()


def loss_and_gradients(pairs, W1, W2):
    np.random.seed(3)  # the same words are drawn each time
    total, dW1, dW2 = 0, 0, 0
    for pair in pairs:
        model = Single(pair, W1, W2)
        model.train(1)
        total, dW1, dW2 = total + model.loss, dW1 + W1 - model.W1, dW2 + W2 - model.W2
    return total, dW1, dW2
"""


def pairs(m):
    weights = weights_of(numbers(), "W1 W2", (7, 5), (7, 5))
    return loss(m.loss_and_gradients, "W1 W2", pairs=[(2, 6), (4, 1), (2, 5)], **weights)


# convolutions and dense layers that hand on lists of tensors, one for each sample; each keeps what comes back to it ---

TENSORS = "luisadosch/mnist-cnn-numpy-framework"
TENSORS_WEIGHTS = {"K1": (3, 2, 2, 3), "k1": (3,), "K2": (2, 2, 3, 4), "k2": (4,)}
TENSORS_WEIGHTS |= {"W1": (16, 7), "w1": (7,), "W2": (7, 6), "w2": (6,), "W3": (6, 8), "w3": (8,), "W4": (8, 5)}
TENSORS_WEIGHTS |= {"w4": (5,)}
TENSORS_TENSOR = "from typing import List\n\nimport numpy.typing as npt\n\nfloat_class = float"
TENSORS_INTERFACE = "from typing import List\n\nfrom tensor import Tensor"
TENSORS_BASE = "from typing import List\n\nfrom layer_interface import LayerInterface\nfrom tensor import Shape, Tensor"
TENSORS_DENSE = (
    # wrong as published for more than one sample: means, where the loss and the convolutions are sums
    ("inputs.T @ deltas / batch_size", "inputs.T @ deltas"),
    ("deltas.mean(axis=0)", "deltas.sum(axis=0)"),
)
TENSORS_POOL = (
    # wrong as published for more than one sample: all share a mask
    ("self.mask[:H_out, :W_out, :] = max_indices", "in_tensor.mask = max_indices"),
    ("np.unravel_index(self.mask, (h_k, w_k))", "np.unravel_index(in_t.mask, (h_k, w_k))"),
)
TENSORS_BEFORE = """from typing import List

import numpy.typing as npt
from convolution_layer import Conv2DLayer
from cross_entropy import CrossEntropy
from flatten import Flatten
from fully_connected_layer import FullyConnectedLayer
from layer_interface import LayerInterface
from pooling_2D_layer import Pooling2DLayer, PoolingType
from relu_layer import ActivationsReLULayer
from sigmoid_layer import ActivationsSigmoidLayer
from softmax_layer import SoftmaxOutputLayer
from tanh_layer import ActivationsTanhLayer
from tensor import Shape, Tensor"""
# the layer for the input only scales and shapes pictures
TENSORS_LOSS = f"""


class Given:
    def forward(self, data):
        return [Tensor(elements) for elements in data]


def loss_and_gradients(X, Y, {", ".join(TENSORS_WEIGHTS)}):
    one, two = Shape([1, 1]), Shape([2, 2])
    conv1 = Conv2DLayer(Shape([7, 7, 2]), Shape([5, 6, 3]), Shape([3, 2]), 3)
    pool = Pooling2DLayer(Shape([5, 6, 3]), Shape([4, 5, 3]), two, PoolingType.MAX, one)
    conv2 = Conv2DLayer(Shape([4, 5, 3]), Shape([3, 4, 4]), two, 4)
    shrink = Pooling2DLayer(Shape([3, 4, 4]), Shape([2, 2, 4]), two, PoolingType.MAX, Shape([1, 2]))
    dense = [FullyConnectedLayer(Shape([i]), Shape([o])) for i, o in ((16, 7), (7, 6), (6, 8), (8, 5))]
    learning = conv1, conv2, *dense
    for layer, w, b in zip(learning, (K1, K2, W1, W2, W3, W4), (k1, k2, w1, w2, w3, w4)):
        layer.weights, layer.bias = Tensor(w), Tensor(b)
    layers = [conv1, pool, conv2, shrink, Flatten(Shape([2, 2, 4]), Shape([16])), dense[0], ActivationsReLULayer()]
    layers += [dense[1], ActivationsTanhLayer(), dense[2], ActivationsSigmoidLayer(), dense[3], SoftmaxOutputLayer()]
    network, error, labels = Network([], Given(), layers), CrossEntropy(), [Tensor(y) for y in Y]
    predicted = network.forward(X)
    cost = error.forward(predicted, labels)
    error.backward(predicted, labels)
    network.backprop()
    dX = np.array([tensor.deltas for tensor in network.caches[0]])
    return cost, dX, *(kept.deltas for layer in learning for kept in (layer.weights, layer.bias))
"""


def tensors(m):
    r = numbers()
    weights = weights_of(r, " ".join(TENSORS_WEIGHTS), *TENSORS_WEIGHTS.values())
    given = {"X": r(2, 7, 7, 2), "Y": np.eye(5)[[3, 1]]}
    return loss(m.loss_and_gradients, "X " + " ".join(TENSORS_WEIGHTS), **given, **weights)


# convolutions in columns, windows, dropout and dense layers; those for inputs and for weights are apart ---------------

COLUMNS = "Leon623/Deep-learning-NumPy-only"
COLUMNS_WEIGHTS = {"K1": (3, 18), "k1": (3,), "K2": (4, 27), "k2": (4,), "W1": (7, 8), "w1": (7,), "W2": (5, 7)}
COLUMNS_WEIGHTS |= {"w2": (5,)}
COLUMNS_EDITS = (
    # wrong as published: the mask of what goes in is laid on what comes out
    ("self.dropout_mask[:, :grads.shape[1]]", "self.dropout_mask"),
    ("grads *= dropout_mask", "return grads @ self.weights * dropout_mask"),
)
# columns are made in Cython there, weights are given
COLUMNS_BEFORE = """from abc import ABC, abstractmethod

zero_init = np.zeros


def variance_scaling_initializer(shape, fan_in):
    return np.zeros(shape)


def places(N, C, H, W, k, pad, stride):
    c, i, j = (index.reshape(-1, 1, 1, 1) for index in np.indices((C, k, k)))
    rows, cols = ((size + 2 * pad - k) // stride + 1 for size in (H, W))
    y, x, n = np.indices((rows, cols, N))
    shape = C * k * k, rows * cols * N
    full = np.broadcast_arrays(n, c, stride * y + i, stride * x + j)
    return tuple(index.reshape(shape) for index in full)


def im2col_cython(x, k, _, pad, stride):
    return np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))[places(*x.shape, k, pad, stride)]


def col2im_cython(cols, N, C, H, W, k, _, pad, stride):
    x = np.zeros((N, C, H + 2 * pad, W + 2 * pad))
    np.add.at(x, places(N, C, H, W, k, pad, stride), cols)
    return x[:, :, pad : pad + H, pad : pad + W]"""
COLUMNS_LOSS = f"""


def loss_and_gradients(X, Y, {", ".join(COLUMNS_WEIGHTS)}):
    np.random.seed(1)  # the same values are dropped each time
    model, error = Model(), SoftmaxCrossEntropyWithLogits()
    model.add_layer(Convolution(X, 3, 3, "conv1"))
    model.add_layer(MaxPooling(model.layers[-1], "pool1"))
    model.add_layer(ReLU(model.layers[-1], "relu1"))
    model.add_layer(Convolution(model.layers[-1], 4, 3, "conv2", padding="VALID"))
    model.add_layer(ReLU(model.layers[-1], "relu2"))
    model.add_layer(Flatten(model.layers[-1], "flatten"))
    model.add_layer(FC(model.layers[-1], 7, "fc", dropout_rate=0.25))
    model.add_layer(ReLU(model.layers[-1], "relu3"))
    model.add_layer(FC(model.layers[-1], 5, "logits"))
    learning = [layer for layer in model.layers if layer.has_params]
    for layer, w, b in zip(learning, (K1, K2, W1, W2), (k1, k2, w1, w2)):
        layer.weights, layer.bias = w, b
    logits = model.forward(X)
    cost = error.forward(logits, Y)
    grads = reversed(model.backward(error, logits, Y))
    return cost, *(grad for of_weights, of_bias, _ in grads for grad in (of_weights[1], of_bias[1]))
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    given = {"X": r(3, 2, 6, 8), "Y": np.eye(5)[[4, 0, 2]]}
    return loss(m.loss_and_gradients, " ".join(COLUMNS_WEIGHTS), **given, **weights)


# a dense net in functions: biases are the first column of weights; squared errors, weights decay ----------------------

FIRST = "jjord03/numpy-nn"
FIRST_WEIGHTS = {"W1": (7, 5), "W2": (5, 8), "W3": (1, 6)}
FIRST_CORE = "OUTPUT_IDENTITY, OUTPUT_TANH, OUTPUT_SIGN = 0, 1, 2"
FIRST_BEFORE = "from core import OUTPUT_IDENTITY, OUTPUT_TANH, compute_gradients, forward_prop"
FIRST_LOSS = f"""


def loss_and_gradients(X, Y, {", ".join(FIRST_WEIGHTS)}):
    weights, total, found = [None, {", ".join(FIRST_WEIGHTS)}], 0, [0] * {len(FIRST_WEIGHTS)}
    for out_type in (OUTPUT_IDENTITY, OUTPUT_TANH):
        total += compute_error(X, Y, weights, out_type, 0.3)
        grads = compute_gradients(X, Y, weights, out_type, 0.3)
        found = [done + grad for done, grad in zip(found, grads[1:])]
    return total, *found
"""


def first(m):
    r = numbers()
    weights = weights_of(r, " ".join(FIRST_WEIGHTS), *FIRST_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(FIRST_WEIGHTS), X=r(2, 4), Y=r(2), **weights)


# a dense net whose weights, gradients and caches are in dicts, with two classes at its end ----------------------------

DICTS = "h223449961/numpy-CNN-convolutional-neural-network"
DICTS_WEIGHTS = {"W_1": (6, 7), "B_1": (7,), "W_2": (7, 5), "B_2": (5,), "W_3": (5, 2), "B_3": (2,)}
DICTS_EDITS = (
    # the gradient of what goes in is thrown away
    ("return loss, grads", 'return loss, grads | {"X": prev_dx}'),
)
DICTS_LOSS = f"""


def loss_and_gradients(X, y, {", ".join(DICTS_WEIGHTS)}):
    model = net(2, [7, 5], 6)
    model.parameters = {{{", ".join(f'"{name}": {name}' for name in DICTS_WEIGHTS)}}}
    y_hat, cache = model.forward_prop_full(X)
    return model.back_prop_full(y_hat, y, cache)
"""


def dicts(m):
    r = numbers()
    weights = weights_of(r, " ".join(DICTS_WEIGHTS), *DICTS_WEIGHTS.values())
    given = {"X": r(4, 6), "y": np.array([1, 0, 0, 1])}
    return loss(m.loss_and_gradients, "X " + " ".join(DICTS_WEIGHTS), **given, **weights)


# a logistic model and a dense net that keeps what it saw in lists -----------------------------------------------------

LISTS = "LuChang-CS/plain-numpy-neural-networks"
LISTS_PATH = "2. Multi-layer Perceptron/code/model/"
LISTS_WEIGHTS = {"w": (4,), "b": (1,), "W1": (4, 7), "b1": (7,), "W2": (7, 6), "b2": (6,), "W3": (6, 5), "b3": (5,)}
LISTS_INIT = "from init import constant, uniform\nfrom model_of_lists import Model\n"
LISTS_LOGISTIC = f"{LISTS_INIT}from activation import sigmoid\nfrom loss_of_lists import binary_crossentropy"
LISTS_BEFORE = f"""{LISTS_INIT}from activation import relu, relu_bp, softmax
from logistic import Logistic
from loss_of_lists import categorical_crossentropy"""
LISTS_LOSS = f"""


def loss_and_gradients(x, two, many, {", ".join(LISTS_WEIGHTS)}):
    one, net = Logistic(4), MLP(4, [7, 6], 5)
    one.w, one.b = w, b
    net.ws, net.bs = [W1, W2, W3], [b1, b2, b3]
    y_hat, probabilities = one(x), net(x)
    total = one.loss(y_hat, two) + net.loss(probabilities, many)
    found = [*one.backward(x, y_hat, two)]
    for grads in zip(*net.backward(probabilities, many)):
        found += grads
    return total, *found
"""


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())
    given = {"x": r(3, 4), "two": np.array([1, 0, 1]), "many": np.array([4, 0, 2])}
    return loss(m.loss_and_gradients, " ".join(LISTS_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        CLOSED,
        "convolutions",
        (
            Part("layers/conv_layer.py", "ConvLayer", module="conv_layer"),
            Part("layers/dense.py", "Dense", module="dense"),
            Part("layers/flatten.py", "Flatten", module="flatten"),
            Part("layers/pooling.py", "MaxPool", module="pooling"),
            Part("utils/activations.py", "ReLU", module="activations"),
            Part("utils/loss.py", "SoftmaxCrossEntropyLoss", module="loss_of_cnn"),
            Part("models/cnn.py", "CNN", (), CLOSED_BEFORE, CLOSED_LOSS),
        ),
        closed,
    ),
    Subject(
        PAIRS,
        "word vectors",
        (Part("word2vec.py", "Word2vec", PAIRS_EDITS, PAIRS_BEFORE, PAIRS_LOSS),),
        pairs,
    ),
    Subject(
        TENSORS,
        "convolutions",
        (
            Part("tensor.py", "Shape Tensor", (), TENSORS_TENSOR, module="tensor"),
            Part("layer/layer_interface.py", "LayerInterface", (), TENSORS_INTERFACE, module="layer_interface"),
            Part(
                "layer/fully_connected_layer.py",
                "FullyConnectedLayer",
                TENSORS_DENSE,
                TENSORS_BASE,
                module="fully_connected_layer",
            ),
            Part("layer/flatten.py", "Flatten", (), TENSORS_BASE, module="flatten"),
            Part("layer_2D/convolution_layer.py", "Conv2DLayer", (), TENSORS_BASE, module="convolution_layer"),
            Part(
                "layer_2D/pooling_2D_layer.py",
                "PoolingType Pooling2DLayer",
                TENSORS_POOL,
                f"from enum import Enum\n\n{TENSORS_BASE}",
                module="pooling_2D_layer",
            ),
            Part("activations/relu_layer.py", "ActivationsReLULayer", (), TENSORS_BASE, module="relu_layer"),
            Part("activations/sigmoid_layer.py", "ActivationsSigmoidLayer", (), TENSORS_BASE, module="sigmoid_layer"),
            Part("activations/tanh_layer.py", "ActivationsTanhLayer", (), TENSORS_BASE, module="tanh_layer"),
            Part("activations/softmax_layer.py", "SoftmaxOutputLayer", (), TENSORS_BASE, module="softmax_layer"),
            Part("loss/loss_interface.py", "LossInterface", (), TENSORS_BASE, module="loss_interface"),
            Part(
                "loss/cross_entropy.py",
                "CrossEntropy",
                (),
                f"from loss_interface import LossInterface\n{TENSORS_BASE}",
                module="cross_entropy",
            ),
            Part("network.py", "Network", (), TENSORS_BEFORE, TENSORS_LOSS),
        ),
        tensors,
        published="for more than one sample dense layers take means of sums, and all samples share a mask",
    ),
    Subject(
        COLUMNS,
        "convolutions",
        (
            Part(
                "Model/layers.py",
                "Layer Flatten FC ReLU Convolution MaxPooling",
                COLUMNS_EDITS,
                COLUMNS_BEFORE,
                module="layers",
            ),
            Part("Model/losses.py", "SoftmaxCrossEntropyWithLogits", module="losses"),
            Part(
                "Model/network.py",
                "Model",
                (),
                "from abc import ABC\n\nfrom layers import *\nfrom losses import SoftmaxCrossEntropyWithLogits",
                COLUMNS_LOSS,
            ),
        ),
        columns,
        published="the mask of what goes in is laid on what comes out",
    ),
    Subject(
        FIRST,
        "dense",
        (
            Part("core.py", "compute_gradients forward_prop back_prop", (), FIRST_CORE, module="core"),
            Part("losses.py", "compute_error", (), FIRST_BEFORE, FIRST_LOSS),
        ),
        first,
    ),
    Subject(
        DICTS,
        "dense",
        (Part("tk/nnet.py", "net", DICTS_EDITS, after=DICTS_LOSS),),
        dicts,
    ),
    Subject(
        LISTS,
        "dense",
        (
            Part(f"{LISTS_PATH}init.py", "set_seed uniform constant", module="init"),
            Part(f"{LISTS_PATH}model.py", "Model", module="model_of_lists"),
            Part(f"{LISTS_PATH}activation.py", "sigmoid softmax relu relu_bp", module="activation"),
            Part(
                f"{LISTS_PATH}loss.py",
                "aggregation_loss binary_crossentropy categorical_crossentropy",
                (),
                "EPS = 1e-9",
                module="loss_of_lists",
            ),
            Part(f"{LISTS_PATH}logistic.py", "Logistic", (), LISTS_LOGISTIC, module="logistic"),
            Part(f"{LISTS_PATH}mlp.py", "MLP", (), LISTS_BEFORE, LISTS_LOSS),
        ),
        lists,
    ),
]

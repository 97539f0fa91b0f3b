"""Subjects drawn by lot: dense nets of layers that learn as they go back, convolutions by strides, dense nets for one
sample at a time, a dense net with samples in columns, one of gates, one in a training loop, dense nets of lists."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# dense nets of sigmoids, layers learn as they go back -----------------------------------------------------------------

SIGMOIDS = "monkeydunkey/numpynet"
SIGMOIDS_WEIGHTS = {"A1": (4, 6), "a1": (6,), "A2": (6, 5), "a2": (5,), "A3": (5, 2), "a3": (2,)}
SIGMOIDS_WEIGHTS |= {"B1": (4, 7), "b1": (7,), "B2": (7, 3), "b2": (3,)}
SIGMOIDS_LAYER = (
    # wrong as published: the bias's gradient is a sum over the features, not over the batch
    ("np.sum(partial_gradient, axis=1, keepdims=True)", "np.sum(partial_gradient, axis=0)"),
    # gradients are kept where it learns at once, before its weights are used to go back
    ("self.mat = self.mat - self.lr * delta_mat", "self.mat_gradient = delta_mat"),
    ("self.bias = self.bias - self.lr * delta_bias", "self.bias_gradient = delta_bias"),
)
SIGMOIDS_EDITS = (
    # it prints nothing
    ("if i%1000 == 0:", "if i%1000 == 1:"),
)
SIGMOIDS_BEFORE = """from typing import List

from activations import Activations, Sigmoid
from dense_layer import Dense, Intializer
from losses import BinaryCrossEntropy, Losses, MeanSquareError"""
SIGMOIDS_LOSS = f"""


def loss_and_gradients(x, labels, y, {", ".join(SIGMOIDS_WEIGHTS)}):
    total, found = 0, []
    for error, wanted, weights in (
        (Losses.BINARY_CROSS_ENTROPY, labels, (A1, a1, A2, a2, A3, a3)),
        (Losses.MEAN_SQUARE_ERROR, y, (B1, b1, B2, b2)),
    ):
        sizes = [len(bias) for bias in weights[1::2]]
        model = MLP(4, sizes[:-1], sizes[-1], [Activations.SIGMOID] * len(sizes), error)
        for layer, weight, bias in zip(model.dense_layers, weights[::2], weights[1::2]):
            layer.mat, layer.bias = weight, bias
        total += model.loss.compute_loss_and_gradient(model.forward(x), wanted)[0]
        model.fit(x, wanted, 1)
        found += [grad for layer in model.dense_layers for grad in (layer.mat_gradient, layer.bias_gradient)]
    return total, *found
"""


def sigmoids(m):
    r = numbers()
    weights = weights_of(r, " ".join(SIGMOIDS_WEIGHTS), *SIGMOIDS_WEIGHTS.values())
    given = {"x": r(3, 4), "labels": np.array([[1.0, 0], [0, 0], [1, 1]]), "y": r(3, 3)}
    return loss(m.loss_and_gradients, " ".join(SIGMOIDS_WEIGHTS), **given, **weights)


# convolutions by strides, and dense layers with their biases in the last column ---------------------------------------

STRIDES = "gabmis/cnn-from-scratch"
STRIDES_WEIGHTS = {"K1": (3, 3, 3, 2), "K2": (4, 3, 3, 3), "W1": (6, 65), "W2": (5, 7), "V1": (7, 5), "V2": (3, 8)}
STRIDES_CONVOLUTION = (
    # wrong as published: filters with an odd side get too narrow a frame, and read beyond the array
    ("- filtr.shape[0] % 2", "- (1 - filtr.shape[0] % 2)"),
    # wrong as published: filters are turned along the depth
    ("axes=(1, 2)", "axes=(0, 1)"),
)
STRIDES_EDITS = (
    # wrong as published: the slope of the sigmoid
    ("self.forward(1 - inpt)", "(1 - self.forward(inpt))"),
)
STRIDES_BEFORE = """import logging

from base import Activation, Layer, Loss, Optimizer
from conv import convolution, deltas_convolution, grad_convolution

logger = logging.getLogger(__name__)"""
# it learns at the rate 1: the difference is the gradient
STRIDES_LOSS = f"""


def loss_and_gradients(x, y, points, targets, {", ".join(STRIDES_WEIGHTS)}):
    convolved = [
        Conv2D((6, 6, 2), 3, 3, full=False),
        Conv2D((4, 4, 3), 3, 4, full=True),
        Flatten((4, 4, 4)),
        FC((64,), 6, Sigmoid()),
        FC((6,), 5),
    ]
    others = [FC((4,), 7, Sigmoid()), FC((7,), 3)]
    total, found = 0, []
    for layers, error, inputs, wanted, weights in (
        (convolved, SoftmaxCrossEntropy(), x, y, (K1, K2, W1, W2)),
        (others, MSE(), points, targets, (V1, V2)),
    ):
        learning = [layer for layer in layers if layer.activation is not None]
        for layer, weight in zip(learning, weights):
            layer.weights = weight
        total += CNN(layers, error, SGD(1)).backpropagate(inputs, wanted)
        found += [weight - layer.weights for layer, weight in zip(learning, weights)]
    return total, *found
"""


def strides(m):
    r = numbers()
    weights = {name: 0.5 * r(*shape) for name, shape in STRIDES_WEIGHTS.items()}
    given = {"x": r(2, 6, 6, 2), "y": np.eye(5)[[3, 1]], "points": r(3, 4), "targets": r(3, 3)}
    return loss(m.loss_and_gradients, " ".join(STRIDES_WEIGHTS), **given, **weights)


# dense nets of layers for one sample at a time ------------------------------------------------------------------------

SINGLE = "Hung-Ta-Chen/Implement-Neural-Network-from-Scratch-with-Numpy"
SINGLE_WEIGHTS = {"A1": (4, 6), "a1": (1, 6), "A2": (6, 5), "a2": (1, 5), "A3": (5, 3), "a3": (1, 3)}
SINGLE_WEIGHTS |= {"B1": (4, 7), "b1": (1, 7), "B2": (7, 3), "b2": (1, 3)}
SINGLE_KINDS = "tanh tanh_prime ReLU ReLU_prime linear linear_prime sigmoid sigmoid_prime sse sse_prime"
SINGLE_LAYER = (
    # gradients are kept where it learns at once
    ("self.weight -= learning_rate * weight_grad", "self.weight_grad = weight_grad"),
    ("self.bias -= learning_rate * bias_grad", "self.bias_grad = bias_grad"),
)
SINGLE_IMPORT = "from layer import Layer"
SINGLE_BEFORE = f"""from activation_layer import ActivationLayer
from fully_connected_layer import FullyConnectedLayer
from util import {", ".join(SINGLE_KINDS.split())}


def print(*words):
    pass"""
SINGLE_LOSS = f"""


def loss_and_gradients(xs, ys, {", ".join(SINGLE_WEIGHTS)}):
    total, found = 0, []
    for kinds, weights in (
        (((tanh, tanh_prime), (ReLU, ReLU_prime), (linear, linear_prime)), (A1, a1, A2, a2, A3, a3)),
        (((sigmoid, sigmoid_prime), (sigmoid, sigmoid_prime)), (B1, b1, B2, b2)),
    ):
        net = Network(sse, sse_prime)
        for kind, weight, bias in zip(kinds, weights[::2], weights[1::2]):
            net.add_layer(FullyConnectedLayer(*weight.shape))
            net.layers[-1].weight, net.layers[-1].bias = weight, bias
            net.add_layer(ActivationLayer(*kind))
        sums = [0] * len(weights)
        for k in range(len(xs)):
            total += net.train(xs[k : k + 1], ys[k : k + 1], 1, 0)[0]
            grads = [grad for layer in net.layers[::2] for grad in (layer.weight_grad, layer.bias_grad)]
            sums = [done + grad for done, grad in zip(sums, grads)]
        found += sums
    return total, *found
"""


def single(m):
    r = numbers()
    weights = weights_of(r, " ".join(SINGLE_WEIGHTS), *SINGLE_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SINGLE_WEIGHTS), xs=r(3, 4), ys=r(3, 3), **weights)


# a dense net with samples in columns ----------------------------------------------------------------------------------

COLUMNS = "a-hadi7/numpy_neural_net"
COLUMNS_WEIGHTS = {"W1": (6, 5), "b1": (6, 1), "W2": (3, 6), "b2": (3, 1)}
# the loss is not written there
COLUMNS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(COLUMNS_WEIGHTS)}):
    net = NeuralNetwork(5, 6, 3)
    net.W1, net.b1, net.W2, net.b2 = {", ".join(COLUMNS_WEIGHTS)}
    kept = net.forward_propagation(x)
    return -np.sum(y * np.log(kept[-1])) / y.shape[1], *net.backward_propagation(x, y, *kept)
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(COLUMNS_WEIGHTS), x=r(5, 4), y=np.eye(3)[:, [2, 0, 1, 1]], **weights)


# a dense net of gates that multiply and add ---------------------------------------------------------------------------

GATES = "nimom38/NN-using-numpy"
GATES_WEIGHTS = {"W1": (4, 6), "b1": (1, 6), "W2": (6, 5), "b2": (1, 5), "W3": (5, 3), "b3": (1, 3)}
GATES_ACTIVATIONS = (
    # wrong as published: the loss is a mean over the samples, the gradients are sums
    ("return X\n", "return X / num_examples\n"),
)
GATES_EDITS = (
    # gradients are kept where it learns at once
    ("self.W[i-1] -= learning_rate * dw", "self.dW[i-1] = dw"),
    ("self.b[i-1] -= learning_rate * db", "self.db[i-1] = db"),
)
GATES_BEFORE = "from activations import Softmax, Tanh\nfrom gate import AddGate, MultiplyGate"
# the decay is in the gradients alone, so its loss is added here
GATES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(GATES_WEIGHTS)}):
    model = Model([4, 6, 5, 3])
    model.W, model.b, model.dW, model.db = [W1, W2, W3], [b1, b2, b3], [0] * 3, [0] * 3
    cost = model.calculate_loss(x, y)
    cost += sum(0.5 * 0.1 * np.sum(weight**2) for weight in model.W + model.b)
    model.train(x, y, regularization=0.1, epoch_count=1)
    return cost, *(grad for pair in zip(model.dW, model.db) for grad in pair)
"""


def gates(m):
    r = numbers()
    weights = weights_of(r, " ".join(GATES_WEIGHTS), *GATES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(GATES_WEIGHTS), x=r(4, 4), y=np.array([2, 0, 1, 2]), **weights)


# a net without biases in the function that trains ---------------------------------------------------------------------

TRAINED = "costefan/nn-numpy"
TRAINED_WEIGHTS = {"W1": (5, 4), "W2": (6, 5), "W3": (3, 6)}
TRAINED_EDITS = (
    # one pass
    ("n_epochs = 100", "n_epochs = 1"),
    # weights are given, and sizes are theirs
    ("def run(cls, X, y):", "def run(cls, X, y, W_1, W_2, W_3):"),
    ("n_hidden_1 = 10", "n_hidden_1 = 5"),
    ("n_hidden_2 = 20", "n_hidden_2 = 6"),
    (
        "n_output, learning_rate)\n",
        "n_output, learning_rate)\n        model.W_1, model.W_2, model.W_3 = W_1, W_2, W_3\n",
    ),
    # wrong as published: the sign of what goes back
    ("(y_batch.flatten() - y_pred)", "(y_pred - y_batch.flatten())"),
    # wrong as published: the second layer's input is what the tanh gives
    ("model.a_1.reshape((n_hidden_1, 1)).T", "out1.reshape((n_hidden_1, 1)).T"),
    # gradients are returned
    ("accuracy = predicted / (size_X / batch_size)", "return loss, delta_W_one, delta_W_two, delta_W_out"),
)
TRAINED_FUNCTIONS = "tanh tanh_deriv relu relu_deriv softmax"
TRAINED_LOGGER = "import logging\n\nlogger = logging.getLogger(__name__)"
TRAINED_NET = "from functions import relu, softmax, tanh\nfrom linear import Linear"
TRAINED_BEFORE = """import logging

from functions import relu_deriv, tanh_deriv
from losses import cross_entropy
from net import AlaResNet

logger = logging.getLogger(__name__)"""
# a run with each sample
TRAINED_LOSS = f"""


def loss_and_gradients(xs, ys, {", ".join(TRAINED_WEIGHTS)}):
    runs = [Runner.run(xs[k : k + 1], ys[k : k + 1], {", ".join(TRAINED_WEIGHTS)}) for k in range(len(xs))]
    return tuple(sum(results) for results in zip(*runs))
"""


def trained(m):
    r = numbers()
    weights = weights_of(r, " ".join(TRAINED_WEIGHTS), *TRAINED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(TRAINED_WEIGHTS), xs=r(3, 4), ys=np.eye(3)[[1, 2, 0]], **weights)


# dense nets for two classes, with lists of weights --------------------------------------------------------------------

CLASSES = "seydaarslan/Deep_Learning_From_Scratch_NumPy"
CLASSES_WEIGHTS = {"A1": (4, 6), "a1": (1, 6), "A2": (6, 5), "a2": (1, 5), "A3": (5, 1), "a3": (1, 1)}
CLASSES_WEIGHTS |= {"B1": (4, 7), "b1": (1, 7), "B2": (7, 1), "b2": (1, 1)}
CLASSES_WEIGHTS |= {"C1": (4, 3), "c1": (1, 3), "C2": (3, 1), "c2": (1, 1)}
# the loss stands in the function that trains, and is the same here
CLASSES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(CLASSES_WEIGHTS)}):
    total, found = 0, []
    for kind, weights in (
        ("tanh", (A1, a1, A2, a2, A3, a3)),
        ("sigmoid", (B1, b1, B2, b2)),
        ("relu", (C1, c1, C2, c2)),
    ):
        model = MLP([4, *(bias.shape[1] for bias in weights[1::2])], activation=kind)
        model.weights, model.biases = list(weights[::2]), list(weights[1::2])
        activations = model.forward(x)
        p = activations[-1]
        total += -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
        for pair in zip(*model.backward(y, activations)):
            found += pair
    return total, *found
"""


def classes(m):
    r = numbers()
    weights = weights_of(r, " ".join(CLASSES_WEIGHTS), *CLASSES_WEIGHTS.values())
    given = {"x": r(4, 4), "y": np.array([[1.0], [0], [0], [1]])}
    return loss(m.loss_and_gradients, " ".join(CLASSES_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        SIGMOIDS,
        "dense",
        (
            Part("activations.py", "Activations Sigmoid", before="from enum import Enum", module="activations"),
            Part("dense_layer.py", "Intializer Dense", SIGMOIDS_LAYER, "from enum import Enum", module="dense_layer"),
            Part(
                "losses.py",
                "Losses Loss BinaryCrossEntropy MeanSquareError",
                before="from enum import Enum\nfrom typing import Any, Tuple",
                module="losses",
            ),
            Part("mlp.py", "MLP", SIGMOIDS_EDITS, SIGMOIDS_BEFORE, SIGMOIDS_LOSS),
        ),
        sigmoids,
        published="the bias's gradient is a sum over the features, and what goes back goes by weights that have learnt",
    ),
    Subject(
        STRIDES,
        "convolutions",
        (
            Part(
                "base.py",
                "Layer Activation Loss Optimizer",
                before="from abc import ABC, abstractmethod",
                module="base",
            ),
            Part(
                "conv.py",
                "convolve2d convolution grad_convolution deltas_convolution rot180",
                STRIDES_CONVOLUTION,
                module="conv",
            ),
            Part(
                "cnn.py",
                "Sigmoid ReLU Identity softmax SoftmaxCrossEntropy MSE SGD FC Flatten Conv2D CNN",
                STRIDES_EDITS,
                STRIDES_BEFORE,
                STRIDES_LOSS,
            ),
        ),
        strides,
        published="the frame of odd filters, the axes they are turned by and the slope of the sigmoid",
    ),
    Subject(
        SINGLE,
        "dense",
        (
            Part("util.py", SINGLE_KINDS, module="util"),
            Part("layer.py", "Layer", module="layer"),
            Part("activation_layer.py", "ActivationLayer", before=SINGLE_IMPORT, module="activation_layer"),
            Part(
                "fully_connected_layer.py",
                "FullyConnectedLayer",
                SINGLE_LAYER,
                SINGLE_IMPORT,
                module="fully_connected_layer",
            ),
            Part("network.py", "Network", (), SINGLE_BEFORE, SINGLE_LOSS),
        ),
        single,
    ),
    Subject(COLUMNS, "dense", (Part("src/network.py", "NeuralNetwork", after=COLUMNS_LOSS),), columns),
    Subject(
        GATES,
        "dense",
        (
            Part("activations.py", "Tanh Softmax", GATES_ACTIVATIONS, module="activations"),
            Part("gate.py", "MultiplyGate AddGate", module="gate"),
            Part("model.py", "Model", GATES_EDITS, GATES_BEFORE, GATES_LOSS),
        ),
        gates,
        published="the loss is a mean over the samples, the gradients are sums",
    ),
    Subject(
        TRAINED,
        "dense",
        (
            Part("nn/activations/functions.py", TRAINED_FUNCTIONS, before=TRAINED_LOGGER, module="functions"),
            Part("nn/layers/linear.py", "Linear", module="linear"),
            Part("nn/ala_resnet.py", "AlaResNet", before=TRAINED_NET, module="net"),
            Part("nn/losses.py", "cross_entropy", module="losses"),
            Part("nn/runner.py", "Runner", TRAINED_EDITS, TRAINED_BEFORE, TRAINED_LOSS),
        ),
        trained,
        published="the sign of what goes back, and the second layer's input is taken before its tanh",
    ),
    Subject(
        CLASSES,
        "dense",
        (Part("models.py", "MLP", (), "from scipy.sparse import issparse", CLASSES_LOSS),),
        classes,
    ),
]

"""Subjects drawn by lot: dense nets with gradients for each sample, of an autoencoder, with momentum, with layers that
learn apart, in one function that holds all others, with dropout; a convolutional net of a course."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# a dense net with a gradient for each sample, then their mean ---------------------------------------------------------

SAMPLES = "oscmansan/numpy-mlp"
SAMPLES_WEIGHTS = {"W1": (6, 4), "b1": (6,), "W2": (5, 6), "b2": (5,), "W3": (3, 5), "b3": (3,)}
SAMPLES_EDITS = (
    # gradients are kept where it learns
    (
        "self.weights = [w - lr * gw for w, gw in zip(self.weights, grad_weights)]",
        "self.weights_gradient = grad_weights",
    ),
    ("self.biases = [b - lr * gb for b, gb in zip(self.biases, grad_biases)]", "self.biases_gradient = grad_biases"),
)
SAMPLES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(SAMPLES_WEIGHTS)}):
    model = MLP([4, 6, 5, 3])
    model.weights, model.biases = [W1, W2, W3], [b1, b2, b3]
    cost = model.train_step((x, y), 1)
    return cost, *(grad for pair in zip(model.weights_gradient, model.biases_gradient) for grad in pair)
"""


def samples(m):
    r = numbers()
    weights = weights_of(r, " ".join(SAMPLES_WEIGHTS), *SAMPLES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SAMPLES_WEIGHTS), x=r(4, 4), y=np.eye(3)[[1, 2, 0, 1]], **weights)


# autoencoders of dense layers -----------------------------------------------------------------------------------------

CODES = "CannonWilson/numpy-autoencoder"
CODES_WEIGHTS = {"A1": (5, 6), "a1": (6,), "A2": (6, 3), "a2": (3,), "A3": (3, 5), "a3": (5,)}
CODES_WEIGHTS |= {"B1": (5, 7), "b1": (7,), "B2": (7, 4), "b2": (4,), "B3": (4, 5), "b3": (5,)}
CODES_EDITS = (
    # gradients are kept where it learns at once
    ("self.weights[layer] += -self.lr * ", "self.weights_gradient[layer] = "),
    # wrong as published: the gradients of the biases are means over the batch, those of the weights sums
    ("self.biases[layer] += -self.lr * np.mean(", "self.biases_gradient[layer] = np.sum("),
    # wrong as published: the slope of the last activation is left out
    ("[self.reconstruction_loss(inp, out)]", "[self.reconstruction_loss(inp, out) * self.d_nonlin(out)]"),
)
# what it calls its loss is a difference; half the sum of its squares is the loss here
CODES_LOSS = f"""


def loss_and_gradients(x, {", ".join(CODES_WEIGHTS)}):
    total, found = 0, []
    for kind, sizes, weights in (
        ("sigmoid", ([5, 6], 3, [5]), (A1, a1, A2, a2, A3, a3)),
        ("relu", ([5, 7], 4, [5]), (B1, b1, B2, b2, B3, b3)),
    ):
        model = AutoEncoder(1, len(x), 1, sizes[0], sizes[2], sizes[1], kind)
        model.weights, model.biases = list(weights[::2]), list(weights[1::2])
        model.weights_gradient, model.biases_gradient = [None] * 3, [None] * 3
        total += 0.5 * np.sum(model.reconstruction_loss(x, model.forward(x)) ** 2)
        model.backward()
        found += [grad for pair in zip(model.weights_gradient, model.biases_gradient) for grad in pair]
    return total, *found
"""


def codes(m):
    r = numbers()
    weights = weights_of(r, " ".join(CODES_WEIGHTS), *CODES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(CODES_WEIGHTS), x=np.abs(r(4, 5)), **weights)


# a dense net of layers one above another, with momentum ---------------------------------------------------------------

MOMENTUM = "erikdelange/Neural-networks-in-numpy"
MOMENTUM_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (7, 6), "b2": (7, 1), "W3": (5, 7), "b3": (5, 1)}
MOMENTUM_WEIGHTS |= {"W4": (3, 5), "b4": (3, 1)}
MOMENTUM_KINDS = "sigmoid gaussian tanh relu"
MOMENTUM_ACTIVATIONS = (
    # wrong as published: the slope of relu is not returned
    ("        np.greater(z, 0)", "        return np.greater(z, 0)"),
)
MOMENTUM_EDITS = (
    # gradients are kept where it learns
    ("            self.weight[index] -= self.dw[index]\n", ""),
    ("            self.bias[index] -= self.db[index]\n", ""),
)
MOMENTUM_BEFORE = f"from activation import {', '.join(MOMENTUM_KINDS.split())}"
# its gradients are those of half the mean over samples
MOMENTUM_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(MOMENTUM_WEIGHTS)}):
    model = NN((4, 6, 7, 5, 3), (None, gaussian, relu, tanh, sigmoid))
    model.weight, model.bias = [W1, W2, W3, W4], [b1, b2, b3, b4]
    cost = model.back_propagation(x, y, learning_rate=1, momentum=0) / (2 * len(x))
    return cost, *(grad for pair in zip(model.dw, model.db) for grad in pair)
"""


def momentum(m):
    r = numbers()
    weights = weights_of(r, " ".join(MOMENTUM_WEIGHTS), *MOMENTUM_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(MOMENTUM_WEIGHTS), x=r(3, 4), y=r(3, 3), **weights)


# dense nets of layers that learn apart, for classes and for one label -------------------------------------------------

APART = "cmpltrtok20/NumpyNet"
APART_WEIGHTS = {"A1": (4, 6), "a1": (1, 6), "A2": (6, 5), "a2": (1, 5), "A3": (5, 3), "a3": (1, 3)}
APART_WEIGHTS |= {"B1": (4, 7), "b1": (1, 7), "B2": (7, 2), "b2": (1, 2), "B3": (2, 1), "b3": (1, 1)}
APART_FUNCTIONS = """linear_forward linear_backward sigmoid_forward sigmoid_backward relu_forward relu_backward
leaky_forward leaky_backward"""
APART_EDITS = (
    # wrong as published: both leaky functions break off
    ("= 0.1 * inputs", "= 0.1 * inputs[inputs <= 0.]"),
    ("np.full(0.1, output.shape, dtype=np.float32)", "np.full(output.shape, 0.1)"),
)
APART_ACTS = """

kinds = "linear sigmoid relu leaky".split()
acts = {kind: (globals()[f"{kind}_forward"], globals()[f"{kind}_backward"]) for kind in kinds}
acts["softmax"] = acts["linear"]
"""
APART_IMPORTS = "from activations import acts, eps"
APART_BEFORE = f"""{APART_IMPORTS}
from conn import ConnLayer


def print(*texts):
    pass"""
APART_LOSS = f"""


def loss_and_gradients(x, classes, labels, {", ".join(APART_WEIGHTS)}):
    total, found = 0, []
    for kinds, sizes, weights, y in (
        ("leaky relu softmax", (6, 5, 3), (A1, a1, A2, a2, A3, a3), classes),
        ("sigmoid linear sigmoid", (7, 2, 1), (B1, b1, B2, b2, B3, b3), labels),
    ):
        layers = [dict(n_outputs=size, act=kind) for size, kind in zip(sizes, kinds.split())]
        model = NumpyNet(dict(network=dict(lr=1, n_inputs=4), layers=layers))
        for layer, weight, bias in zip(model.layers, weights[::2], weights[1::2]):
            layer.coef, layer.bias = weight, bias
        total += model.cost(model(x), y)
        model.backward(y)
        found += [grad for layer in model.layers for grad in (layer.delta_coef, layer.delta_bias)]
    return total, *found
"""


def apart(m):
    r = numbers()
    weights = weights_of(r, " ".join(APART_WEIGHTS), *APART_WEIGHTS.values())
    given = {"x": r(4, 4), "classes": np.eye(3)[[2, 0, 1, 0]], "labels": np.array([[1.0], [0.0], [0.0], [1.0]])}
    return loss(m.loss_and_gradients, " ".join(APART_WEIGHTS), **given, **weights)


# a dense net whose functions are all inside one, with everything in one dict ------------------------------------------

INSIDE = "Ale-delaRosa/neural_network_numpy"
INSIDE_WEIGHTS = {"W1": (4, 6), "b1": (1, 6), "W2": (6, 5), "b2": (1, 5), "W3": (5, 2), "b3": (1, 2)}
INSIDE_EDITS = (
    # the functions inside are returned before it makes data and learns
    ("    X, Y = create_dataset()\n", "    return train, mse\n"),
    # weights are left as they are; wrong as published: the gradients of the biases are made of those of the weights
    *((f"params['W{k}'] -= params['dW{k}'] * learning_rate\n", "\n") for k in (1, 2, 3)),
    *(
        (
            f"params['b{k}'] -= np.mean(params['dW{k}'], axis=0, keepdims=True) * learning_rate",
            f"params['db{k}'] = np.sum(params['dZ{k}'], axis=0, keepdims=True)",
        )
        for k in (1, 2, 3)
    ),
    # wrong as published: the slope of the sigmoid is taken at its result
    ("sigmoid(params['A3'], True)", "sigmoid(params['Z3'], True)"),
    # wrong as published: the loss is a mean of squares, the gradient is that of half their sum
    ("return (y_hat - y)  #", "return 2 * (y_hat - y) / y.size  #"),
)
INSIDE_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(INSIDE_WEIGHTS)}):
    train, mse = train_neural_network()
    params = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    cost = mse(y, train(x, y, 1, params))
    return cost, *(params["d" + name] for name in {tuple(INSIDE_WEIGHTS)})
"""


def inside(m):
    r = numbers()
    weights = weights_of(r, " ".join(INSIDE_WEIGHTS), *INSIDE_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(INSIDE_WEIGHTS), x=r(4, 4), y=r(4, 2), **weights)


# dense layers and dropout over samples in columns, with two costs -----------------------------------------------------

COLUMNS = "JacekPyra/NumpyNN"
COLUMNS_WEIGHTS = {"A1": (6, 4), "a1": (6, 1), "A2": (5, 6), "a2": (5, 1), "A3": (3, 5), "a3": (3, 1)}
COLUMNS_WEIGHTS |= {"B1": (7, 4), "b1": (7, 1), "B2": (2, 7), "b2": (2, 1)}
COLUMNS_KINDS = "Sigmoid ReLU Tanh LeakyReLU Softmax"
COLUMNS_COSTS = (
    # wrong as published: with classes, the cost has a second term that its gradient lacks
    (
        "np.sum((np.log(last_layer) * (-Y_values)) - (np.log(1 - last_layer) * (1 - Y_values))) / m",
        "np.sum(np.log(last_layer) * (-Y_values)) / m",
    ),
)
COLUMNS_BEFORE = f"""from activations import {", ".join(COLUMNS_KINDS.split())}
from costs import CrossEntropy, MultiClassCrossEntropy
from dense_layer import DenseLayer
from dropout_layer import Dropout"""
COLUMNS_LOSS = f"""


def loss_and_gradients(x, classes, labels, {", ".join(COLUMNS_WEIGHTS)}):
    np.random.seed(5)  # the same places are dropped each time
    total, found = 0, []
    for cost, y, layers, weights in (
        (
            MultiClassCrossEntropy,
            classes,
            [DenseLayer(4, 6, Tanh), Dropout(0.7), DenseLayer(6, 5, ReLU), Dropout(0.6), DenseLayer(5, 3, Softmax)],
            (A1, a1, A2, a2, A3, a3),
        ),
        (CrossEntropy, labels, [DenseLayer(4, 7, LeakyReLU), DenseLayer(7, 2, Sigmoid)], (B1, b1, B2, b2)),
    ):
        model = Model(cost)
        model.sequential(layers)
        dense = [layer for layer in layers if layer.trainable]
        for layer, weight, bias in zip(dense, weights[::2], weights[1::2]):
            layer.W_matrix, layer.b_vector = weight, bias
        model.forward_propagation(x, training=True)
        total += model.calculate_cost(y)
        model.backward_propagation(y)
        found += [grad for layer in dense for grad in (layer.dvW_matrix, layer.dvb_vector)]
    return total, *found
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    given = {"x": r(4, 4), "classes": np.eye(3)[:, [2, 0, 1, 0]], "labels": np.array([[1, 0, 0, 1], [1, 1, 0, 0]])}
    return loss(m.loss_and_gradients, " ".join(COLUMNS_WEIGHTS), **given, **weights)


# a convolutional net of a course: strides, two pools, softmax of what is negated --------------------------------------

NEGATED = "garg-saurav/numpy-neural-net"
NEGATED_WEIGHTS = {"K1": (3, 2, 2, 3), "k1": (3,), "K2": (4, 3, 3, 3), "k2": (4,)}
NEGATED_WEIGHTS |= {"W1": (4, 5), "w1": (1, 5), "W2": (5, 3), "w2": (1, 3)}
NEGATED_LAYERS = "FullyConnectedLayer ConvolutionLayer AvgPoolingLayer MaxPoolingLayer FlattenLayer"
NEGATED_FUNCTIONS = "relu_of_X gradient_relu_of_X softmax_of_X gradient_softmax_of_X"
NEGATED_EDITS = (
    # gradients are kept where it learns at once
    ("self.weights = self.weights - lr*", "self.weights_gradient = "),
    ("self.biases = self.biases - lr*", "self.biases_gradient = "),
)
NEGATED_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(NEGATED_WEIGHTS)}):
    model = NeuralNetwork(3, 1)
    learn = (
        ConvolutionLayer((2, 7, 8), (2, 3), 3, 1, "relu"),
        ConvolutionLayer((3, 5, 5), (3, 3), 4, 2, "relu"),
        FullyConnectedLayer(4, 5, "relu"),
        FullyConnectedLayer(5, 3, "softmax"),
    )
    for layer, weight, bias in zip(learn, (K1, K2, W1, W2), (k1, k2, w1, w2)):
        layer.weights, layer.biases = weight, bias
    first, second = MaxPoolingLayer((3, 6, 6), (2, 2), 1), AvgPoolingLayer((4, 2, 2), (2, 2), 2)
    for layer in (learn[0], first, learn[1], second, FlattenLayer(), *learn[2:]):
        model.addLayer(layer)
    activations = model.feedforward(x)
    cost = model.computeLoss(y, activations)
    model.backpropagate(activations, y)
    return cost, *(grad for layer in learn for grad in (layer.weights_gradient, layer.biases_gradient))
"""


def negated(m):
    r = numbers(3)  # enough of its ReLU units are on
    weights = weights_of(r, " ".join(NEGATED_WEIGHTS), *NEGATED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(NEGATED_WEIGHTS), x=r(3, 2, 7, 8), y=np.eye(3)[[2, 0, 1]], **weights)


SUBJECTS = [
    Subject(
        SAMPLES,
        "dense",
        (Part("mlp.py", "sigmoid sigmoid_derivative softmax cross_entropy MLP", SAMPLES_EDITS, "", SAMPLES_LOSS),),
        samples,
    ),
    Subject(
        CODES,
        "dense",
        (Part("autoencoder.py", "AutoEncoder", CODES_EDITS, "", CODES_LOSS),),
        codes,
        published="the slope of the last activation is left out, and the gradients of the biases are means, not sums",
    ),
    Subject(
        MOMENTUM,
        "dense",
        (
            Part("activation.py", MOMENTUM_KINDS, MOMENTUM_ACTIVATIONS, module="activation"),
            Part("network1.py", "NN", MOMENTUM_EDITS, MOMENTUM_BEFORE, MOMENTUM_LOSS),
        ),
        momentum,
        published="the slope of relu is not returned",
    ),
    Subject(
        APART,
        "dense",
        (
            Part("activations.py", APART_FUNCTIONS, APART_EDITS, "eps = 1e-20", APART_ACTS, module="activations"),
            Part("layers/conn.py", "ConnLayer", before=APART_IMPORTS, module="conn"),
            Part("network.py", "softmax_foward NumpyNet", (), APART_BEFORE, APART_LOSS),
        ),
        apart,
        published="the leaky functions break off",
    ),
    Subject(
        INSIDE,
        "dense",
        (Part("src/neural_network_numpy.py", "train_neural_network", INSIDE_EDITS, "", INSIDE_LOSS),),
        inside,
        published="the biases' gradients are made of the weights', a slope is taken at the result, a factor is missing",
    ),
    Subject(
        COLUMNS,
        "dense",
        (
            Part("activations.py", COLUMNS_KINDS, module="activations"),
            Part("costFunctions.py", "CrossEntropy MultiClassCrossEntropy", COLUMNS_COSTS, module="costs"),
            Part("layers/denseLayer.py", "DenseLayer", module="dense_layer"),
            Part("layers/dropout.py", "Dropout", module="dropout_layer"),
            Part("network.py", "Model", (), COLUMNS_BEFORE, COLUMNS_LOSS),
        ),
        columns,
        published="the cost of classes has a second term that its gradient lacks",
    ),
    Subject(
        NEGATED,
        "convolutions",
        (
            Part("layers.py", f"{NEGATED_LAYERS} {NEGATED_FUNCTIONS}", NEGATED_EDITS, module="layers"),
            Part(
                "nn.py",
                "NeuralNetwork",
                (),
                f"from layers import {', '.join(NEGATED_LAYERS.split())}",
                NEGATED_LOSS,
            ),
        ),
        negated,
    ),
]

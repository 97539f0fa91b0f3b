"""Subjects drawn by lot: a dense net for one sample at a time, tensors of a large framework, two dense nets of layers,
a convolution with a pool, the autoencoder, words and LSTM of a course, a dense net with lists of weights."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# a dense net of three layers that takes one sample at a time and keeps the gradients of each --------------------------

SINGLE = "User6582/MNIST-Numpy-Neural-Net"
SINGLE_WEIGHTS = {"W1": (6, 5), "b1": (5,), "W2": (5, 7), "b2": (7,), "W3": (7, 10), "b3": (10,)}
# the net divides its inputs by 255
SINGLE_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(SINGLE_WEIGHTS)}):
    net = NeuralNetwork([{", ".join(SINGLE_WEIGHTS)}])
    for sample, label in zip(x, y):
        net.get_output(255 * sample, label)
    return net.sumCost, *(sum(grads) for grads in zip(*net.nSettings))
"""


def single(m):
    r = numbers()
    weights = weights_of(r, " ".join(SINGLE_WEIGHTS), *SINGLE_WEIGHTS.values())
    given = {"x": r(3, 6), "y": np.array([8, 0, 3])}
    return loss(m.loss_and_gradients, " ".join(SINGLE_WEIGHTS), **given, **weights)


# tensors over an array that is NumPy's or a device's, with functions that know their derivatives ----------------------

TENSORS = "priyammaz/MyTorch"
TENSORS_WEIGHTS = {"E": (7, 4)} | {name + k: (4, 4) if name == "W" else (4,) for k in "qkvo" for name in "Wb"}
TENSORS_WEIGHTS |= {"W1": (5, 4), "b1": (5,), "W2": (4, 5), "b2": (4,), "W3": (7, 4), "b3": (7,)}
TENSORS_WEIGHTS |= {name + k: (4,) for k in "123" for name in ("gamma", "beta")}
TENSORS_DOUBLE = (("float32", "float64"),)
# there is no device; operators are put into the class where the file does so, below it
TENSORS_DEVICE = """import warnings

CUDA_AVAILABLE, NUM_AVAIL_GPUS = False, 0


class cp:
    ndarray = ()"""
TENSORS_OPERATORS = """


for name, function in Array._binary_ufuncs.items():
    setattr(Array, name, Array._make_binary_op(function, reflect=name.startswith("__r")))
for name, function in Array._unary_ufuncs.items():
    setattr(Array, name, Array._make_unary_op(function))
for name, function in Array._inplace_ops.items():
    setattr(Array, name, Array._make_inplace_op(function))
"""
TENSORS_FUNCTION = "from tensor import Tensor\nfrom utils import get_inner_array"
TENSORS_FOLDER = "mytorch/nn/functional/"
TENSORS_LAST = f"""{TENSORS_FUNCTION}
from gelu import manual_gelu
from layernorm import manual_layernorm
from linear import manual_linear
from softmax import manual_softmax"""
# a block of attention and a dense one, made of its tensors; words of kind 0 are not asked for
TENSORS_LOSS = f"""


def loss_and_gradients(words, wanted, mask, {", ".join(TENSORS_WEIGHTS)}):
    tensors = {{}}
    for name, array in zip({list(TENSORS_WEIGHTS)}, ({", ".join(TENSORS_WEIGHTS)})):
        tensors[name] = Tensor(array, requires_grad=True)
    t = tensors

    def heads(x, kind):
        return manual_linear(x, t["W" + kind], t["b" + kind]).reshape(*words.shape, 2, 2).transpose(1, 2)

    x = t["E"][words]
    normal = manual_layernorm(x, t["gamma1"], t["beta1"])
    q, k, v = (heads(normal, kind) for kind in "qkv")
    scores = (q @ k.transpose(-1, -2)) / 2**0.5
    seen = manual_softmax(scores.masked_fill(Tensor(mask), -1e9)) @ v
    x = x + manual_linear(seen.transpose(1, 2).reshape(*words.shape, 4), t["Wo"], t["bo"])
    dense = manual_gelu(manual_linear(manual_layernorm(x, t["gamma2"], t["beta2"]), t["W1"], t["b1"]))
    x = x + manual_linear(dense, t["W2"], t["b2"])
    logits = manual_linear(manual_layernorm(x, t["gamma3"], t["beta3"]), t["W3"], t["b3"])
    cost = manual_cross_entropy(logits, Tensor(wanted), 0)
    cost.backward()
    return cost.item(), *(np.array(getattr(each.grad, "_array", each.grad)) for each in tensors.values())
"""


def tensors(m):
    r = numbers()
    weights = weights_of(r, " ".join(TENSORS_WEIGHTS), *TENSORS_WEIGHTS.values())
    given = {"words": np.array([[2, 6, 2], [5, 1, 3]]), "wanted": np.array([[6, 2, 0], [1, 3, 4]])}
    given["mask"] = np.tile(np.triu(np.ones((3, 3), bool), 1), (2, 2, 1, 1))
    return loss(m.loss_and_gradients, " ".join(TENSORS_WEIGHTS), **given, **weights)


# a dense net of layers whose gradients are written into arrays --------------------------------------------------------

WRITTEN = "MattyB709/numpyNN"
WRITTEN_WEIGHTS = {"W1": (4, 7), "b1": (7,), "W2": (7, 6), "b2": (6,), "W3": (6, 5), "b3": (5,)}
# the layers are small
WRITTEN_EDITS = (("28*28, 256", "4, 7"), ("256, 128", "7, 6"), ("128, 10", "6, 5"))
WRITTEN_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(WRITTEN_WEIGHTS)}):
    net, error = nn(), CrossEntropy()
    for layer, w, b in zip((net.layer1, net.layer2, net.layer3), (W1, W2, W3), (b1, b2, b3)):
        layer.weights, layer.bias = w, b
    cost = error.calculate_loss(net.forward(x), y)
    net.backward(error.backward())
    return cost, *(grad for _, grad in net.parameters())
"""


def written(m):
    r = numbers()
    weights = weights_of(r, " ".join(WRITTEN_WEIGHTS), *WRITTEN_WEIGHTS.values())
    weights["W3"] *= 0.3  # chances that are not too small, as its loss adds 1e-12 to them
    given = {"x": r(3, 4), "y": np.array([4, 0, 2])}
    return loss(m.loss_and_gradients, " ".join(WRITTEN_WEIGHTS), **given, **weights)


# a convolution of one picture, a pool with a ReLU in it, a softmax layer ----------------------------------------------

PICTURE = "Jakub-Svoboda/CNN-from-scratch"
PICTURE_WEIGHTS = {"K": (3, 3, 3), "W": (18, 5), "b": (5,)}
PICTURE_LOSS = """


def loss_and_gradients(x, y, K, W, b):
    total, found = 0, [0, 0, 0]
    for picture, label in zip(x, y):
        conv, last, net = Conv3x3(3), Softmax(18, 5), Network()
        conv.filters, last.weights, last.biases = K, W, b
        for layer in (conv, MaxPool2x2(), last):
            net.addLayer(layer)
        total += net.feedForward(picture, label)[1]
        net.backProp(net.initGradient(label))
        grads = conv.dWeights, last.dWeights, last.dBiases
        found = [done + grad for done, grad in zip(found, grads)]
    return total, *found
"""


def picture(m):
    r = numbers()
    weights = weights_of(r, " ".join(PICTURE_WEIGHTS), *PICTURE_WEIGHTS.values())
    given = {"x": r(2, 6, 8), "y": np.eye(5)[[3, 1]]}
    return loss(m.loss_and_gradients, " ".join(PICTURE_WEIGHTS), **given, **weights)


# the project of a course, all in one function: a sparse autoencoder, the word after three, a step of an LSTM ----------

PROJECT = "farukulutas/EEE443"
PROJECT_TAKEN = "faruk_ulutas_21803717_hw1"
PROJECT_WEIGHTS = {"We": (31,), "Wh": (6, 5), "Wv": (5, 7), "bh": (5, 1), "bv": (7, 1)}
PROJECT_WEIGHTS |= {name + k: (4, 7) if name == "W" else (4,) for k in "fioc" for name in "Wb"}
PROJECT_WEIGHTS |= {"W2": (5, 4), "b2": (5,)}
PROJECT_EDITS = (
    # its functions are handed out before it reads data
    (
        "    if question == '1':",
        "    return aeCost, forward_pass, backpropagation, forward_prop_lstm, back_prop_lstm\n    if question == '1':",
    ),
    # the width of the word vectors is a variable of the part that reads data
    ("reshape(D*3, 1)", "reshape(-1, 1)"),
    # wrong as published: a part of the output gate's gradient goes into the cell, too
    (" + grad_o * np.tanh(c) * (1 - ot)", ""),
)
PROJECT_LOSS = f"""


aeCost, forward_pass, backpropagation, forward_prop_lstm, back_prop_lstm = {PROJECT_TAKEN}("")


def loss_and_gradients(data, trigram, word, x, y, h0, c0, vectors, {", ".join(PROJECT_WEIGHTS)}):
    params = {{"Lin": 4, "Lhid": 3, "beta": 0.5, "rho": 0.2, "lambda": 0.1}}
    total, dWe = aeCost(We, data, params)
    embedded, hidden, chances = forward_pass(trigram, vectors, Wh, Wv, bh, bv)
    dWh, dWv, dbv, dbh = backpropagation(embedded, hidden, chances, word, Wv)
    total -= np.sum(word * np.log(chances))
    weights = Wf, bf, Wi, bi, Wo, bo, Wc, bc, W2, b2
    h, c, chances = forward_prop_lstm(x, *weights, h0, c0)
    total -= np.sum(y * np.log(chances))
    return total, dWe, dWh, dWv, dbh, dbv, *back_prop_lstm(x, y, *weights, h, c, chances, h0, c0)
"""


def project(m):
    r = numbers()
    weights = weights_of(r, " ".join(PROJECT_WEIGHTS), *PROJECT_WEIGHTS.values())
    given = {"data": r(4, 3), "trigram": np.array([5, 1, 2]), "word": np.eye(7)[:, [3]], "vectors": r(7, 2)}
    given |= {"x": r(3), "y": np.eye(5)[4], "h0": 0.5 * r(4), "c0": 0.5 * r(4)}
    return loss(m.loss_and_gradients, " ".join(PROJECT_WEIGHTS), **given, **weights)


# a dense net for two classes, and one with lists of weights for more --------------------------------------------------

LISTS = "Josh-w-Harrison/Multilayer-Perceptron-using-NumPy"
LISTS_WEIGHTS = {"A1": (4, 5), "a1": (1, 5), "A2": (5, 1), "a2": (1, 1)}
LISTS_WEIGHTS |= {"W1": (4, 7), "b1": (1, 7), "W2": (7, 6), "b2": (1, 6), "W3": (6, 3), "b3": (1, 3)}
LISTS_LOSS = f"""


def loss_and_gradients(x, y, classes, {", ".join(LISTS_WEIGHTS)}):
    two, more = NeuralNet(4, 5), MLP([4, 7, 6, 3])
    two.W1, two.b1, two.W2, two.b2 = A1, a1, A2, a2
    more.W, more.b = [W1, W2, W3], [b1, b2, b3]
    cost = two.loss(two.feed_forward(x), y) + more.loss(more.forward(x), classes)
    grads, (dW, db) = two.backprop(y), more.backprop(classes)
    return cost, *(grads[k] for k in ("W1", "b1", "W2", "b2")), *(grad for pair in zip(dW, db) for grad in pair)
"""


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())
    given = {"x": r(4, 4), "y": np.array([[1.0], [0], [0], [1]]), "classes": np.array([[2], [0], [1], [2]])}
    return loss(m.loss_and_gradients, " ".join(LISTS_WEIGHTS), **given, **weights)


# a dense net of layers whose biases are the last rows of their weights ------------------------------------------------

LAST_ROWS = "aaaawt/iris-numpy-neural-net"
LAST_ROWS_WEIGHTS = {"W1": (5, 7), "W2": (8, 6), "W3": (7, 5)}
LAST_ROWS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(LAST_ROWS_WEIGHTS)}):
    model = Compose([Linear(4, 7), ReLU(), Linear(7, 6), ReLU(), Linear(6, 5)])
    for layer, weight in zip(model.layers[::2], ({", ".join(LAST_ROWS_WEIGHTS)})):
        layer.weight = weight
    error = CrossEntropyLoss()
    cost = error.forward(model.forward(x), y)
    dx = model.backward(error.backward())
    return cost, dx, *(grad for _, grad in model.weights())
"""


def last_rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(LAST_ROWS_WEIGHTS), *LAST_ROWS_WEIGHTS.values())
    given = {"x": r(3, 4), "y": np.array([4, 0, 2])}
    return loss(m.loss_and_gradients, f"x {' '.join(LAST_ROWS_WEIGHTS)}", **given, **weights)


SUBJECTS = [
    Subject(SINGLE, "dense", (Part("NN1.py", "sigmoid NeuralNetwork", after=SINGLE_LOSS),), single),
    Subject(
        TENSORS,
        "transformer",
        (
            Part("mytorch/_array.py", "Array", TENSORS_DOUBLE, TENSORS_DEVICE, TENSORS_OPERATORS, module="array_of"),
            Part(
                "mytorch/tensor.py",
                "Tensor",
                before="import warnings\nimport weakref\n\nimport array_of as ap",
                module="tensor",
            ),
            Part(
                TENSORS_FOLDER + "utils.py",
                "get_inner_array",
                before="from array_of import Array\nfrom tensor import Tensor",
                module="utils",
            ),
            Part(
                TENSORS_FOLDER + "layers/linear.py",
                "reshape_for_linear manual_linear",
                before=TENSORS_FUNCTION,
                module="linear",
            ),
            Part(
                TENSORS_FOLDER + "norm/layernorm.py",
                "reshape_for_layernorm manual_layernorm",
                before=TENSORS_FUNCTION,
                module="layernorm",
            ),
            Part(TENSORS_FOLDER + "activations/gelu.py", "manual_gelu", before=TENSORS_FUNCTION, module="gelu"),
            Part(
                TENSORS_FOLDER + "activations/softmax.py", "manual_softmax", before=TENSORS_FUNCTION, module="softmax"
            ),
            Part(
                TENSORS_FOLDER + "losses/cross_entropy.py",
                "manual_cross_entropy",
                TENSORS_DOUBLE,
                TENSORS_LAST,
                TENSORS_LOSS,
            ),
        ),
        tensors,
    ),
    Subject(
        WRITTEN,
        "dense",
        (Part("architecture.py", "LinearLayer ReLU nn CrossEntropy", WRITTEN_EDITS, after=WRITTEN_LOSS),),
        written,
    ),
    Subject(
        PICTURE,
        "convolution",
        (
            Part("activations.py", "ReLU ReLUDerivative", module="activations"),
            Part("network.py", "Conv3x3 MaxPool2x2 Softmax Network", (), "import activations", PICTURE_LOSS),
        ),
        picture,
    ),
    Subject(
        PROJECT,
        "autoencoder, words, LSTM",
        (Part("Mini Project/faruk_ulutas_21803717_hw_.py", PROJECT_TAKEN, PROJECT_EDITS, after=PROJECT_LOSS),),
        project,
        published="a part of the output gate's gradient goes into the cell, too",
    ),
    Subject(
        LISTS,
        "dense",
        (Part("Neural_Nets.py", "NeuralNet MLP", (), "import math", LISTS_LOSS),),
        lists,
    ),
    Subject(
        LAST_ROWS,
        "dense",
        (
            Part(
                "main.py",
                "Linear ReLU CrossEntropyLoss Compose",
                (),
                "from typing import Any, List, Optional, Tuple",
                LAST_ROWS_LOSS,
            ),
        ),
        last_rows,
    ),
]

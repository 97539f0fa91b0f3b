"""Subjects drawn by lot: two character RNNs, one of them a class, one of many layers; layers of courses as classes,
with softmax in two ways, with dropout and weight decay; an LSTM; a net with L2 or dropout; a convolutional net with
batch norm of both kinds."""

import numpy as np

from .eleventh_c import weights_of
from .functions import SIGMOID, SOFTMAX, coursera
from .programs import Part, Subject, loss, numbers

# a character RNN as a class -------------------------------------------------------------------------------------------

CLASS = "gaomingqi/min-char-rnn"
CLASS_WEIGHTS = {"Wxh": (4, 5), "Whh": (4, 4), "Why": (5, 4), "bh": (4, 1), "by": (5, 1)}
CLASS_BEFORE = "hidden_size, vocab_size = 4, 5"
CLASS_LOSS = f"""


def loss_and_gradients(inputs, targets, hprev, {", ".join(CLASS_WEIGHTS)}):
    model = Min_char_rnn()
    model.Wxh, model.Whh, model.Why, model.bh, model.by = Wxh, Whh, Why, bh, by
    return model.lossFun(inputs, targets, hprev)[:-1]
"""


def as_class(m):
    r = numbers()
    weights = weights_of(r, " ".join(CLASS_WEIGHTS), *CLASS_WEIGHTS.values())
    given = {"inputs": [0, 3, 3, 1], "targets": [3, 3, 1, 4], "hprev": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(CLASS_WEIGHTS), **given, **weights)


# RNN layers one above another, with one class after the last step -----------------------------------------------------

LAYERS = "devenhagen/Shakespearean-RNN-Language-Model"
LAYERS_WEIGHTS = {"U1": (4, 5), "V1": (4, 4), "b1": (4, 1), "U2": (3, 4), "V2": (3, 3), "b2": (3, 1)}
LAYERS_WEIGHTS |= {"W": (5, 3), "c": (5, 1)}
LAYERS_EDITS = (
    # gradients are kept in lists where it learns at once, and the loss of each text
    ("tset, dim, dnnw, dnnb):", "tset, dim, dnnw, dnnb, losses, dws, db, dwl, ddnnw, ddnnb):"),
    ("dell = dict() ", "losses.append(cce(onehot(x[-1]), a[(nconst+1,fconst)]))\n            dell = dict()"),
    ("ws[l] += lamb*", "dws[l] -= lamb*"),
    ("b[l] += lamb*", "db[l] -= lamb*"),
    ("wl[l] += lamb*", "dwl[l] -= lamb*"),
    ("dnnb[0] = dnnb[0] + lamb*", "ddnnb[0] = ddnnb[0] - lamb*"),
    ("dnnw[0] = dnnw[0] + lamb*", "ddnnw[0] = ddnnw[0] - lamb*"),
    # wrong as published: the last step is left out of the gradients
    ("for s in range(1,len(x)-1):", "for s in range(1,len(x)):"),
)
LAYERS_BEFORE = """charlist = "abcde"
chartonum = {char: k for k, char in enumerate(charlist)}"""
LAYERS_LOSS = f"""


def loss_and_gradients(texts, {", ".join(LAYERS_WEIGHTS)}):
    wl, ws, b, dnnw, dnnb = [None, U1, U2], [None, V1, V2], [None, b1, b2], [W], [c]
    dwl, dws, db = ([None] + [np.zeros_like(weight) for weight in weights[1:]] for weights in (wl, ws, b))
    losses, ddnnw, ddnnb = [], [np.zeros_like(W)], [np.zeros_like(c)]
    train(1, 1, wl, ws, b, texts, [5, 4, 3], dnnw, dnnb, losses, dws, db, dwl, ddnnw, ddnnb)
    return sum(losses), dwl[1], dws[1], db[1], dwl[2], dws[2], db[2], ddnnw[0], ddnnb[0]
"""


def in_layers(m):
    r = numbers()
    weights = weights_of(r, " ".join(LAYERS_WEIGHTS), *LAYERS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(LAYERS_WEIGHTS), texts=["adbec", "ceead"], **weights)


# dense layers of a course as classes, plain and with loops ------------------------------------------------------------

CHAINED = "hershic/cs231n"
CHAINED_WEIGHTS = {"A1": (4, 6), "a1": (6,), "A2": (6, 3), "a2": (3,)}
CHAINED_WEIGHTS |= {"B1": (4, 5), "b1": (5,), "B2": (5, 3), "b2": (3,)}
CHAINED_BEFORE = """import functools

from fully_connected import LayerFullyConnected
from relu import LayerReLU
from softmax import ClassifierSoftmax"""
CHAINED_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(CHAINED_WEIGHTS)}):
    total, found = 0, []
    for kind, weights in (("forward", (A1, a1, A2, a2)), ("forward_naive", (B1, b1, B2, b2))):
        first, second = LayerFullyConnected(weights[0].shape), LayerFullyConnected(weights[2].shape)
        first.weights, first.bias, second.weights, second.bias = weights
        relu, classifier = LayerReLU(), ClassifierSoftmax((len(x), 3))
        classifier.set_batch_labels(y)
        forward = [getattr(first, kind), relu.forward, getattr(second, kind), getattr(classifier, kind)]
        total += chain(*forward)(x)
        dx = chain(classifier.backward, second.backward, relu.backward, first.backward)(1)
        found += [first.d_weights, first.d_bias, second.d_weights, second.d_bias, dx]
    return total, found[4] + found[9], *found[:4], *found[5:9]
"""


def chained(m):
    r = numbers()
    weights = weights_of(r, " ".join(CHAINED_WEIGHTS), *CHAINED_WEIGHTS.values())
    given = {"x": r(4, 4), "y": np.array([2, 0, 1, 1])}
    return loss(m.loss_and_gradients, "x " + " ".join(CHAINED_WEIGHTS), **given, **weights)


# an LSTM of a course; a notebook, time last ---------------------------------------------------------------------------

STEPS = "amanchadha/coursera-deep-learning-specialization"
STEPS_PATH = "C5 - Sequence Models/Week 1/Building a Recurrent Neural Network - Step by Step"
STEPS_PATH += "/Building_a_Recurrent_Neural_Network_Step_by_Step.ipynb"

# dense layers of a book as classes, with dropout and weight decay -----------------------------------------------------

DECAY = "sankaku/deep-learning-from-scratch-py"
DECAY_WEIGHTS = {"W1": (4, 6), "b1": (6,), "W2": (6, 5), "b2": (5,), "W3": (5, 3), "b3": (3,)}
DECAY_IMPORTS = """from collections import OrderedDict

from dropout_layer import DropoutLayer
from relu_layer import ReluLayer
from softmax_layer import SoftmaxWithLossLayer"""
DECAY_LOSS = f"""


def loss_and_gradients(x, t, {", ".join(DECAY_WEIGHTS)}):
    np.random.seed(5)  # the same places are dropped each time
    model = MultiLayerNet(4, [6, 5], 3, weight_decay_lambda=0.3, dropout_ratio=0.3)
    for k, (weight, bias) in enumerate(((W1, b1), (W2, b2), (W3, b3)), 1):
        model.params[f"W{{k}}"], model.params[f"b{{k}}"] = weight, bias
        layer = model.layers[f"Affine{{k}}"]
        layer.W, layer.b = weight, bias
    total = []
    model.loss = lambda x, t, known=model.loss: total.append(known(x, t))
    grads = model.gradient(x, t)
    return total[0], *(grads[name] for name in {tuple(DECAY_WEIGHTS)})
"""


def decay(m):
    r = numbers()
    weights = weights_of(r, " ".join(DECAY_WEIGHTS), *DECAY_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DECAY_WEIGHTS), x=r(4, 4), t=np.eye(3)[[2, 0, 1, 0]], **weights)


# a dense net of a course with L2 and one with dropout; a notebook, samples in columns ---------------------------------

PENALTY = "wesleyjtann/Coursera-Deep-Learning-Specialization"
PENALTY_PATH = "Course 2: Improving Deep Neural Networks: Hyperparameter tuning, Regularization and Optimization"
PENALTY_PATH += "/Programming Assignments/week5/Regularization/"
PENALTY_WEIGHTS = {"A1": (6, 4), "a1": (6, 1), "A2": (5, 6), "a2": (5, 1), "A3": (1, 5), "a3": (1, 1)}
PENALTY_WEIGHTS |= {"B1": (7, 4), "b1": (7, 1), "B2": (6, 7), "b2": (6, 1), "B3": (1, 6), "b3": (1, 1)}
PENALTY_UTILS = "sigmoid relu compute_cost forward_propagation"
PENALTY_TAKEN = "compute_cost_with_regularization backward_propagation_with_regularization"
PENALTY_TAKEN += " forward_propagation_with_dropout backward_propagation_with_dropout"
PENALTY_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(PENALTY_WEIGHTS)}):
    names = ("W1", "b1", "W2", "b2", "W3", "b3")
    parameters = dict(zip(names, (A1, a1, A2, a2, A3, a3)))
    predicted, cache = forward_propagation(x, parameters)
    total = compute_cost_with_regularization(predicted, y, parameters, 0.7)
    first = backward_propagation_with_regularization(x, y, cache, 0.7)
    parameters = dict(zip(names, (B1, b1, B2, b2, B3, b3)))
    predicted, cache = forward_propagation_with_dropout(x, parameters, 0.6)
    total += compute_cost(predicted, y)
    second = backward_propagation_with_dropout(x, y, cache, 0.6)
    return total, *(grads["d" + name] for grads in (first, second) for name in names)
"""


def penalty(m):
    r = numbers()
    weights = weights_of(r, " ".join(PENALTY_WEIGHTS), *PENALTY_WEIGHTS.values())
    given = {"x": r(4, 4), "y": np.array([[1.0, 0.0, 0.0, 1.0]])}
    return loss(m.loss_and_gradients, " ".join(PENALTY_WEIGHTS), **given, **weights)


# a convolutional net of a course, with batch norm, pool and dropout ---------------------------------------------------

NORMS = "mejwaller/CS231n"
NORMS_WEIGHTS = {"K": (3, 2, 3, 3), "k": (3,), "G": (3,), "g": (3,), "W1": (12, 5), "b1": (5,)}
NORMS_WEIGHTS |= {"H": (5,), "h": (5,), "W2": (5, 4), "b2": (4,)}
NORMS_TAKEN = " ".join(
    f"{name}_forward{end} {name}_backward{end}"
    for name, end in (
        ("affine", ""),
        ("relu", ""),
        ("batchnorm", ""),
        ("dropout", ""),
        ("conv", "_naive"),
        ("max_pool", "_naive"),
        ("spatial_batchnorm", ""),
    )
)
NORMS_EDITS = (
    # it is Python 2
    ("xrange", "range"),
    (") / stride", ") // stride"),
)
NORMS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(NORMS_WEIGHTS)}):
    out, conv = conv_forward_naive(x, K, k, dict(pad=1, stride=2))
    out, relu = relu_forward(out)
    out, pool = max_pool_forward_naive(out, dict(pool_height=2, pool_width=2, stride=1))
    out, spatial = spatial_batchnorm_forward(out, G, g, dict(mode="train"))
    out, first = affine_forward(out, W1, b1)
    out, norm = batchnorm_forward(out, H, h, dict(mode="train"))
    out, dropout = dropout_forward(out, dict(p=0.7, mode="train", seed=4))
    out, second = affine_forward(out, W2, b2)
    cost, dout = softmax_loss(out, y)
    dout, dW2, db2 = affine_backward(dout, second)
    dout = dropout_backward(dout, dropout)
    dout, dH, dh = batchnorm_backward(dout, norm)
    dout, dW1, db1 = affine_backward(dout, first)
    dout, dG, dg = spatial_batchnorm_backward(dout, spatial)
    dout = max_pool_backward_naive(dout, pool)
    dout = relu_backward(dout, relu)
    dx, dK, dk = conv_backward_naive(dout, conv)
    return cost, dx, dK, dk, dG, dg, dW1, db1, dH, dh, dW2, db2
"""


def norms(m):
    r = numbers()
    weights = weights_of(r, " ".join(NORMS_WEIGHTS), *NORMS_WEIGHTS.values())
    given = {"x": r(4, 2, 6, 6), "y": np.array([2, 0, 3, 1])}
    return loss(m.loss_and_gradients, "x " + " ".join(NORMS_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        CLASS,
        "RNN",
        (Part("min-char-rnn.py", "Min_char_rnn", (), CLASS_BEFORE, CLASS_LOSS),),
        as_class,
    ),
    Subject(
        LAYERS,
        "RNN",
        (
            Part(
                "train.py",
                "hyptan hyptand softmax cce train dnn_p_net onehot",
                LAYERS_EDITS,
                LAYERS_BEFORE,
                LAYERS_LOSS,
            ),
        ),
        in_layers,
        published="the last step is left out of the gradients",
    ),
    Subject(
        CHAINED,
        "dense",
        (
            Part("layers/fully_connected.py", "LayerFullyConnected", module="fully_connected"),
            Part("layers/relu.py", "LayerReLU", module="relu"),
            Part("classifiers/softmax.py", "ClassifierSoftmax", module="softmax"),
            Part("utils/functors.py", "chain", (), CHAINED_BEFORE, CHAINED_LOSS),
        ),
        chained,
    ),
    Subject(
        STEPS,
        "LSTM",
        (
            Part(
                STEPS_PATH,
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                before=SIGMOID + "\n\n" + SOFTMAX,
            ),
        ),
        coursera("lstm"),
    ),
    Subject(
        DECAY,
        "dense",
        (
            Part("ch03/softmax.py", "softmax", module="softmax"),
            Part("ch04/cross_entropy_error_batch.py", "cross_entropy_error", module="cross_entropy"),
            Part("ch05/ReluLayer.py", "ReluLayer", module="relu_layer"),
            Part(
                "ch05/SoftmaxWithLossLayer.py",
                "SoftmaxWithLossLayer",
                before="from cross_entropy import cross_entropy_error\nfrom softmax import softmax",
                module="softmax_layer",
            ),
            Part("ch06/DropoutLayer.py", "DropoutLayer", module="dropout_layer"),
            Part("ch06/multi_layer_net.py", "AffineLayer MultiLayerNet", (), DECAY_IMPORTS, DECAY_LOSS),
        ),
        decay,
    ),
    Subject(
        PENALTY,
        "dense",
        (
            Part(PENALTY_PATH + "reg_utils.py", PENALTY_UTILS, module="reg_utils"),
            Part(
                PENALTY_PATH + "Regularization - v2.ipynb",
                PENALTY_TAKEN,
                (),
                f"from reg_utils import {', '.join(PENALTY_UTILS.split())}",
                PENALTY_LOSS,
            ),
        ),
        penalty,
    ),
    Subject(
        NORMS,
        "convolutions",
        (Part("layers.py", f"{NORMS_TAKEN} softmax_loss", NORMS_EDITS, "", NORMS_LOSS),),
        norms,
    ),
]

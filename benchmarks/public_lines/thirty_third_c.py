"""Subjects by owners drawn by lot: two stacks of convolutions and dense layers, an LSTM that was wrong as published, a
softmax classifier of a course, a dense net of functions, two programs that learn word vectors."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# a framework of layers: convolutions by columns, batch normalisation, two kinds of pools, dropout, dense layers ------

COLUMNS = "rav-lad/CNN-from-scratch"
COLUMNS_WEIGHTS = {"K1": (3, 2, 3, 3), "k1": (3,), "gamma": (3,), "beta": (3,), "K2": (5, 3, 2, 2), "k2": (5,)}
COLUMNS_WEIGHTS |= {"W1": (7, 10), "w1": (7,), "W2": (4, 7), "w2": (4,)}
COLUMNS_LAYER = "from typing import Dict, List, Literal, Tuple\n\nfrom layer_base import Layer, ParamDict\n"
COLUMNS_INIT = f"{COLUMNS_LAYER}from initial import bias_zeros, he_normal, xavier_uniform\n"
COLUMNS_CONV = f'{COLUMNS_INIT}from columns import col2im, im2col\n\nInitKind = Literal["he_normal", "xavier_uniform"]'
COLUMNS_BEFORE = f"""{COLUMNS_LAYER}
from activations import LeakyReLU, ReLU, Tanh
from batchnorm import BatchNorm2D
from conv2d import Conv2D
from dense import Dense
from dropout import Dropout
from losses import softmax_cross_entropy, softmax_cross_entropy_backward
from pooling import AvgPool2D, MaxPool2D"""
# dropout draws from a generator that it is given
COLUMNS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(COLUMNS_WEIGHTS)}):
    first, norm, second = Conv2D(2, 3, 3, padding=1), BatchNorm2D(3), Conv2D(3, 5, 2)
    third, last = Dense(10, 7), Dense(7, 4)
    for layer, w, b in zip((first, second, third, last), (K1, K2, W1, W2), (k1, k2, w1, w2)):
        layer.W, layer.b = w, b
    norm.gamma, norm.beta = gamma, beta
    dropout = Dropout(0.3, np.random.default_rng(1))
    layers = [first, norm, LeakyReLU(0.2), MaxPool2D(2), second, ReLU(), AvgPool2D(2, 1), third, Tanh(), dropout, last]
    net = Sequential(layers)
    logits = net.forward(x, training=True)
    cost = softmax_cross_entropy(logits, y)
    dx = net.backward(softmax_cross_entropy_backward(logits, y))
    return cost, dx, *net.grads().values()
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    given = {"x": r(3, 2, 6, 8), "y": np.eye(4)[[2, 0, 3]]}
    return loss(m.loss_and_gradients, "x " + " ".join(COLUMNS_WEIGHTS), **given, **weights)


# an LSTM with one output at its end, that learns in its backward pass -------------------------------------------------

ENDING = "thuongtuandang/LSTM_from_scratch"
ENDING_WEIGHTS = {f"W{gate}": (7, 5) for gate in "fico"} | {f"U{gate}": (7, 7) for gate in "fico"}
ENDING_WEIGHTS |= {f"b{gate}": (7, 1) for gate in "fico"} | {"Wy": (5, 7), "by": (5, 1)}
ENDING_UTILS = (
    # nothing is clipped
    ("np.clip(x, 1e-7, 1 - 1e-7)", "x"),
)
ENDING_EDITS = (
    ("h = np.zeros((self.Wf.shape[0], 1))", "h = self.h0"),
    ("c = np.zeros((self.Wf.shape[0], 1))", "c = self.c0"),
    # wrong as published: products of matrices in place of those of entries
    ("self.os[t] @ tmpc.T", "self.os[t] * tmpc\n            dct = dct + dh * dhtdct"),
    ("dh @ (dhtdot.T @ ", "dh * (dhtdot * "),
    ("dh @ (dhtdct @ dctdft).T @ ", "dct * dctdft * "),
    ("dh @ (dhtdct @ dctdit).T @ ", "dct * dctdit * "),
    ("dh @ (dhtdct @ dctdct_tilde).T @ ", "dct * dctdct_tilde * "),
    *((f"self.U{gate} @ tmp{gate}", f"tmp{gate} * self.U{gate}") for gate in "ofi"),
    ("self.Uc @ tmpc_tilde", "tmpc_tilde * self.Uc"),
    ("dhtdct @ dctdct_tilde @ dc_tildedht_1.T", "dc_tildedht_1.T @ (dct * dctdct_tilde)"),
    ("dhtdct @ dctdft @ dftdht_1.T", "dftdht_1.T @ (dct * dctdft)"),
    ("dhtdct @ dctdit @ ditdht_1.T", "ditdht_1.T @ (dct * dctdit)"),
    ("dhtdot @ dotdht_1.T", "dotdht_1.T @ (dh * dhtdot)"),
    ("dh = dhtdht_1 @ dh", "dh = dhtdht_1"),
    # wrong as published: nothing comes down from cell to cell
    ("dh = self.Wy.T @ dy", "dh = self.Wy.T @ dy\n        dct = np.zeros_like(self.bc)"),
    ("np.clip(dh, 1e-7, 1 - 1e-7, out = dh)", "dct = dct * dctdct_1"),
    # wrong as published: the slope of a tanh that is applied twice
    ("1 - np.tanh(self.css[t])**2", "1 - self.css[t]**2"),
    # nothing is clipped, gradients are summed where it learns at once
    ("np.clip(d, -1, 1, out = d)", "pass"),
    *((f"self.{name} -= learning_rate *", f"self.grads[{name!r}] +=") for name in ENDING_WEIGHTS),
)
ENDING_LOSS = f"""


def loss_and_gradients(X, y, h0, c0, {", ".join(ENDING_WEIGHTS)}):
    model = LSTM(5, 5, 7)
    given = dict(zip({list(ENDING_WEIGHTS)}, ({", ".join(ENDING_WEIGHTS)})))
    vars(model).update(given, h0=h0, c0=c0)
    model.grads = {{name: np.zeros_like(weight) for name, weight in given.items()}}
    cost = -sum(np.log(model._forward(x)[np.argmax(label), 0]) for x, label in zip(X, y))
    model._process(X, y, run_backward=True)
    return cost, *model.grads.values()
"""


def ending(m):
    r = numbers()
    weights = weights_of(r, " ".join(ENDING_WEIGHTS), *ENDING_WEIGHTS.values())
    given = {"X": r(2, 4, 5), "y": np.eye(5)[[3, 1]], "h0": 0.5 * r(7, 1), "c0": 0.5 * r(7, 1)}
    return loss(m.loss_and_gradients, " ".join(ENDING_WEIGHTS), **given, **weights)


# the softmax classifier of a course's first assignment, with weights that decay ---------------------------------------
# (the recurrent program of this repository is not in NumPy)

FIRST = "ttperr/DD2424-DL-KTH"
FIRST_LOSS = """


def loss_and_gradients(X, Y, W, b, lmbda):
    P = evaluate_classifier(X, W, b)
    return compute_cost(X, Y, W, b, lmbda), *compute_gradients(X, Y, P, W, lmbda)
"""


def first(m):
    r = numbers()
    weights = weights_of(r, "W b", (7, 5), (7, 1))
    return loss(m.loss_and_gradients, "W b", X=r(5, 4), Y=np.eye(7)[:, [6, 2, 0, 2]], **weights, lmbda=0.3)


# layers with convolutions in loops, batch normalisation of rows, dropout (the recurrent layer has no backward pass) ---

LOOPS = "Tekraj15/RNN-from-Scratch"
LOOPS_FOLDER = "exercise3_material/src_to_implement"
LOOPS_WEIGHTS = {"K": (3, 2, 2, 3), "k": (3,), "W1": (18, 7), "w1": (7,), "gamma": (7,), "beta": (7,)}
LOOPS_WEIGHTS |= {"W2": (7, 5), "w2": (5,), "W3": (5, 4), "w3": (4,)}
# what is printed to find faults is not printed
LOOPS_LAYER = "from layers_base import BaseLayer\n\n\ndef print(*_):\n    pass"
LOOPS_KINDS = "Conv ReLU Pooling TanH Sigmoid Flatten FullyConnected Dropout BatchNormalization SoftMax"
LOOPS_EDITS = {
    # random draws are given
    "Dropout": (("np.random.rand(*input_tensor.shape)", "self.draws"),),
    # wrong as published: the loss sends down the gradient of the scores, and this multiplies it by a slope once more
    "SoftMax": (("error_tensor * (self.output_tensor - np.square(self.output_tensor))", "error_tensor"),),
}
LOOPS_BEFORE = "\n".join(f"from layer_{kind.lower()} import {kind}" for kind in LOOPS_KINDS.split())
LOOPS_LOSS = f"""


def loss_and_gradients(x, y, draws, {", ".join(LOOPS_WEIGHTS)}):
    conv, norm, dropout = Conv((1, 1), (2, 2, 3), 3), BatchNormalization(7), Dropout(0.7)
    first, second, third = FullyConnected(18, 7), FullyConnected(7, 5), FullyConnected(5, 4)
    learning = conv, first, norm, second, third
    for layer, w, b in zip(learning, (K, W1, gamma, W2, W3), (k, w1, beta, w2, w3)):
        layer.weights, layer.bias = w, b
    dropout.draws = draws
    layers = [conv, ReLU(), Pooling((1, 2), (2, 2)), Flatten(), first, norm, TanH(), dropout]
    layers += [second, Sigmoid(), third, SoftMax()]
    error = CrossEntropyLoss()
    out = x
    for layer in layers:
        out = layer.forward(out)
    cost = error.forward(out, y)
    grad = error.backward(y)
    for layer in reversed(layers):
        grad = layer.backward(grad)
    return cost, grad, *(g for layer in learning for g in (layer.gradient_weights, layer.gradient_bias))
"""


def loops(m):
    r = numbers()
    weights = weights_of(r, " ".join(LOOPS_WEIGHTS), *LOOPS_WEIGHTS.values())
    given = {"x": r(3, 2, 5, 6), "y": np.eye(4)[[1, 3, 0]], "draws": np.random.default_rng(1).random((3, 7))}
    return loss(m.loss_and_gradients, "x " + " ".join(LOOPS_WEIGHTS), **given, **weights)


# word vectors for one pair at a time, with words that are drawn; it learns at once ------------------------------------

PAIRS = "tatevik-h/word2vec-from-scratch-numpy"
PAIRS_EDITS = (
    # wrong as published: names that are not there
    ("negartve_samples", "negative_samples"),
    ("self.los =", "self.loss ="),
    ("grand_neg[i]", "grad_neg[i]"),
    # wrong as published: the words around learn by a vector that has learned already
    ("self.v_target = self.W_in[target_id]", "self.v_target = self.W_in[target_id].copy()"),
)
# the rate is one: the difference is the gradient
PAIRS_LOSS = """


def loss_and_gradients(targets, contexts, drawn, W, C):
    total, found_in, found_out = 0, 0, 0
    for target, context, negatives in zip(targets, contexts, drawn):
        model = Word2Vec(9, 5, learning_rate=1.0)
        model.W_in, model.W_out = W.copy(), C.copy()
        total += model.train_on_pair(target, context, negatives)
        found_in, found_out = found_in + W - model.W_in, found_out + C - model.W_out
    return total, found_in, found_out
"""


def pairs(m):
    weights = weights_of(numbers(), "W C", (9, 5), (9, 5))
    given = {"targets": np.array([4, 7, 4]), "contexts": np.array([2, 5, 8])}
    given["drawn"] = np.array([[0, 6, 6, 3], [1, 3, 7, 2], [5, 0, 4, 1]])
    return loss(m.loss_and_gradients, "W C", **given, **weights)


# a dense net of functions with caches, relu and a sigmoid at its end; samples in columns ------------------------------

CACHES = "Umair-Waseem/numpy-nn-depth-study"
CACHES_WEIGHTS = {"W1": (7, 5), "b1": (7, 1), "W2": (6, 7), "b2": (6, 1), "W3": (2, 6), "b3": (2, 1)}
CACHES_COST = (
    # nothing is clipped
    ("AL = np.clip(AL, EPSILON, 1 - EPSILON)", "pass"),
)
CACHES_BEFORE = """from activations import relu_backward, sigmoid_backward
from cost import compute_cost
from forward import L_model_forward"""
CACHES_LOSS = f"""


def loss_and_gradients(X, Y, {", ".join(CACHES_WEIGHTS)}):
    parameters = dict(zip({list(CACHES_WEIGHTS)}, ({", ".join(CACHES_WEIGHTS)})))
    AL, caches = L_model_forward(X, parameters)
    grads = L_model_backward(AL, Y, caches)
    return compute_cost(AL, Y), *(grads["d" + name] for name in parameters)
"""


def caches(m):
    r = numbers()
    weights = weights_of(r, " ".join(CACHES_WEIGHTS), *CACHES_WEIGHTS.values())
    given = {"X": r(5, 4), "Y": np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]])}
    return loss(m.loss_and_gradients, " ".join(CACHES_WEIGHTS), **given, **weights)


# word vectors of bags of words with a full softmax and biases, of a notebook; it learns at once -----------------------

BAGS = "sameerp30/Word2Vec-from-scratch"
BAGS_WEIGHTS = {"W1": (5, 7), "b1": (5, 1), "W2": (7, 5), "b2": (7, 1)}
# it learns at once: here the gradients are summed
BAGS_EDITS = tuple(
    (f"self.{name} = self.{name} - self.alpha *", f"self.d{name} = self.d{name} +") for name in BAGS_WEIGHTS
)
BAGS_LOSS = f"""


def print(*_):
    pass


def loss_and_gradients(X, Y, {", ".join(BAGS_WEIGHTS)}):
    model = word2vec()
    model.N = 5
    model.initialize(7, [])
    model.X_train, model.y_train = X, Y
    model.W1, model.b1, model.W2, model.b2 = {", ".join(BAGS_WEIGHTS)}
    model.dW1 = model.db1 = model.dW2 = model.db2 = 0
    model.train(2)
    return model.loss, model.dW1, model.db1, model.dW2, model.db2
"""


def bags(m):
    r = numbers()
    weights = weights_of(r, " ".join(BAGS_WEIGHTS), *BAGS_WEIGHTS.values())
    one = np.eye(7)
    given = {"X": np.array([one[[3, 0, 5]].mean(0), one[[1, 6]].mean(0), one[[2, 3, 3, 4]].mean(0)])}
    return loss(m.loss_and_gradients, " ".join(BAGS_WEIGHTS), **given, Y=one[[2, 4, 0]], **weights)


SUBJECTS = [
    Subject(
        COLUMNS,
        "convolutions",
        (
            Part("src/layers/base.py", "Layer", (), "ParamDict = dict", module="layer_base"),
            Part(
                "src/core/initializers.py",
                "_fan_in_out zeros xavier_uniform he_normal bias_zeros",
                (),
                "from typing import Tuple",
                module="initial",
            ),
            Part("src/core/utils.py", "im2col col2im", (), "from typing import Tuple", module="columns"),
            Part(
                "src/core/losses.py",
                "_softmax_stable softmax_cross_entropy softmax_cross_entropy_backward",
                module="losses",
            ),
            Part("src/layers/activations.py", "ReLU LeakyReLU Tanh", (), COLUMNS_LAYER, module="activations"),
            Part("src/layers/batchnorm.py", "BatchNorm2D", (), COLUMNS_LAYER, module="batchnorm"),
            Part("src/layers/conv2d.py", "Conv2D", (), COLUMNS_CONV, module="conv2d"),
            Part("src/layers/pooling.py", "MaxPool2D AvgPool2D", (), COLUMNS_LAYER, module="pooling"),
            Part("src/layers/dropout.py", "Dropout", (), COLUMNS_LAYER, module="dropout"),
            Part("src/layers/dense.py", "Dense", (), COLUMNS_INIT, module="dense"),
            Part("src/models/sequential.py", "Sequential", (), COLUMNS_BEFORE, COLUMNS_LOSS),
        ),
        columns,
    ),
    Subject(
        ENDING,
        "LSTM",
        (
            Part("utils.py", "softmax hadamard sigmoid", ENDING_UTILS, module="lstm_utils"),
            Part("lstm.py", "LSTM", ENDING_EDITS, "from lstm_utils import hadamard, sigmoid, softmax", ENDING_LOSS),
        ),
        ending,
        published="products of matrices in place of those of entries, nothing comes down from cell to cell",
    ),
    Subject(
        FIRST,
        "softmax classifier",
        (
            Part(
                "Assignment1/Assignment1.py",
                "softmax evaluate_classifier compute_cost compute_gradients",
                after=FIRST_LOSS,
            ),
        ),
        first,
    ),
    Subject(
        LOOPS,
        "convolutions",
        (
            Part(f"{LOOPS_FOLDER}/Layers/Base.py", "BaseLayer", module="layers_base"),
            *(
                Part(
                    f"{LOOPS_FOLDER}/Layers/{kind}.py",
                    kind,
                    LOOPS_EDITS.get(kind, ()),
                    LOOPS_LAYER,
                    module=f"layer_{kind.lower()}",
                )
                for kind in LOOPS_KINDS.split()
            ),
            Part(f"{LOOPS_FOLDER}/Optimization/Loss.py", "CrossEntropyLoss", (), LOOPS_BEFORE, LOOPS_LOSS),
        ),
        loops,
        published="the slope of the softmax is taken twice",
    ),
    Subject(
        PAIRS,
        "word vectors",
        (Part("word2vec.py", "sigmoid Word2Vec", PAIRS_EDITS, after=PAIRS_LOSS),),
        pairs,
        published="names that are not there; the words around learn by a vector that has learned already",
    ),
    Subject(
        CACHES,
        "dense",
        (
            Part("src/activations.py", "sigmoid relu sigmoid_backward relu_backward", module="activations"),
            Part("src/cost.py", "compute_cost", CACHES_COST, module="cost"),
            Part(
                "src/forward.py",
                "linear_forward linear_activation_forward L_model_forward",
                (),
                "from activations import relu, sigmoid",
                module="forward",
            ),
            Part(
                "src/backward.py",
                "linear_backward linear_activation_backward L_model_backward",
                CACHES_COST,
                CACHES_BEFORE,
                CACHES_LOSS,
            ),
        ),
        caches,
    ),
    Subject(
        BAGS,
        "word vectors",
        (Part("cbow-algo (4).ipynb", "softmax word2vec", BAGS_EDITS, after=BAGS_LOSS),),
        bags,
    ),
]

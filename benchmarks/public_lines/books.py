"""Subjects that are classes of layers: those of a book and its second volume."""

import numpy as np

from .programs import Part, Subject, above, layer, numbers

BOOK, BOOK2 = "oreilly-japan/deep-learning-from-scratch", "oreilly-japan/deep-learning-from-scratch-2"
TIME, FLOAT64 = "common/time_layers.py", (("dtype='f'", "dtype='d'"),)
BASICS = Part("common/functions.py", "sigmoid softmax cross_entropy_error", module="functions")
SOFTMAX = Part("common/layers.py", "Softmax", before="from functions import softmax", module="layers")
FROM_BASICS = "from functions import sigmoid, softmax"


def recurrent(name, blocks, step=False):
    """Weights in a list `params`, their gradients in a list `grads`; batch first."""

    def make(m):
        r = numbers()
        H = 3
        weights = {"Wx": 0.7 * r(4, blocks * H), "Wh": 0.7 * r(H, blocks * H), "b": r(blocks * H)}
        states = {"h_prev": r(2, H), "c_prev": r(2, H)} if blocks == 4 else {"h_prev": r(2, H)}
        given = {"x": r(2, 4), **states} if step else {"xs": r(2, 3, 4)}

        def gradients_of(made, returned):
            returned = returned if isinstance(returned, tuple) else (returned,)
            return dict(zip(weights, made.grads, strict=True)) | dict(zip(given, returned, strict=True))

        return layer(lambda: getattr(m, name)(*weights.values()), gradients_of, weights=weights, **given)

    return make


def attention(m):
    r = numbers()

    def gradients_of(made, returned):
        return dict(zip(("hs", "h"), returned, strict=True))

    return layer(lambda: m.Attention(), gradients_of, hs=r(2, 3, 4), h=r(2, 4))


def masked_softmax(m):
    given = {"xs": numbers()(2, 3, 5), "ts": np.array([[0, -1, 1], [2, 4, -1]])}
    return layer(m.TimeSoftmaxWithLoss, lambda made, dx: {"xs": dx / above(1.0)}, **given)


def plain(name, weights, given, results, scale=1.0):
    """A layer with weights as attributes W and their gradients as dW."""

    def make(m):
        r = numbers()
        arrays = {name: scale * r(*shape) for name, shape in weights.items()}
        inputs = {n: r(*v) if isinstance(v, tuple) else v for n, v in given.items()}

        def gradients_of(made, returned):
            return {n: getattr(made, f"d{n}") for n in weights} | {results: returned}

        return layer(lambda: getattr(m, name)(*arrays.values()), gradients_of, weights=arrays, **inputs)

    return make


def softmax_with_loss(m):
    given = {"x": numbers()(4, 3), "t": np.array([0, 2, 1, 2])}
    return layer(m.SoftmaxWithLoss, lambda made, dx: {"x": dx * above(1.0)}, **given)


TIMES = Part(TIME, "RNN TimeRNN LSTM TimeLSTM GRU TimeSoftmaxWithLoss", FLOAT64, FROM_BASICS)
ATTENTION = Part("ch08/attention_layer.py", "WeightSum AttentionWeight Attention", before="from layers import Softmax")
FIRST = Part(
    "common/layers.py",
    "Affine SoftmaxWithLoss BatchNormalization Convolution",
    before="from functions import softmax, cross_entropy_error\nfrom columns import im2col, col2im",
)
COLUMNS = Part("common/util.py", "im2col col2im", module="columns")

SUBJECTS = [
    Subject(BOOK2, "RNN step", (BASICS, TIMES), recurrent("RNN", 1, step=True)),
    Subject(BOOK2, "RNN over time", (BASICS, TIMES), recurrent("TimeRNN", 1)),
    Subject(BOOK2, "LSTM step", (BASICS, TIMES), recurrent("LSTM", 4, step=True)),
    Subject(BOOK2, "LSTM over time", (BASICS, TIMES), recurrent("TimeLSTM", 4)),
    Subject(BOOK2, "GRU step", (BASICS, TIMES), recurrent("GRU", 3, step=True)),
    Subject(BOOK2, "attention", (BASICS, SOFTMAX, ATTENTION), attention),
    Subject(BOOK2, "softmax over time", (BASICS, TIMES), masked_softmax),
    Subject(
        BOOK, "affine layer", (BASICS, COLUMNS, FIRST), plain("Affine", {"W": (4, 3), "b": (3,)}, {"x": (5, 4)}, "x")
    ),
    Subject(
        BOOK,
        "batch normalisation",
        (BASICS, COLUMNS, FIRST),
        plain("BatchNormalization", {"gamma": (4,), "beta": (4,)}, {"x": (5, 4)}, "x"),
    ),
    Subject(
        BOOK,
        "convolution",
        (BASICS, COLUMNS, FIRST),
        plain("Convolution", {"W": (3, 2, 3, 3), "b": (3,)}, {"x": (2, 2, 4, 4)}, "x"),
    ),
    Subject(BOOK, "softmax with loss", (BASICS, COLUMNS, FIRST), softmax_with_loss),
]

"""Subjects of the fifth set that are layers: course solutions, and layers of small frameworks."""

from .functions import LSTM, RNN, SIGMOID, coursera, lstm, rnn, temporal_softmax
from .programs import Part, Subject, layer, numbers, pair

# CS231n, with names of its own, and a GRU -----------------------------------------------------------------------------

COURSE = "FortiLeiZhang/cs231n"
COURSE_FILE = "code/cs231n/assignment3/cs231n/rnn_layers.py"
DERIVATIVES = "de_sigmoid de_tanh"
TEMPORAL = "temporal_affine_forward temporal_affine_backward temporal_softmax_loss"


def gru(m):
    r = numbers()
    weights = {"Wx": r(4, 6), "Wh": r(3, 6), "bh": r(6), "Wxt": r(4, 3), "Wht": r(3, 3), "bht": r(3)}
    given = {"x": r(2, 3, 4), "h0": r(2, 3), **weights}
    return pair(m.gru_forward, m.gru_backward, "x h0 Wx Wh bh Wxt Wht bht", **given)


def renamed(make):
    """The subject's maker, called with the course's name of the bias."""

    def made(m):
        forward = next(getattr(m, name) for name in ("lstm_forward", "rnn_forward") if hasattr(m, name))
        backward = getattr(m, forward.__name__.replace("forward", "backward"))
        inputs = dict(make(m).inputs)
        inputs["bh"] = inputs.pop("b")
        return pair(forward, backward, "x h0 Wx Wh bh", **inputs)

    return made


def temporal_affine(m):
    r = numbers()
    return pair(m.temporal_affine_forward, m.temporal_affine_backward, "h w b", h=r(2, 3, 4), w=r(4, 5), b=r(5))


# a course on sequence models again: another's solution ----------------------------------------------------------------

STACKED = "mnchl-kim/stacked-RNN-Numpy"
SOFTMAX = "def softmax(x):\n    e_x = np.exp(x)\n    return e_x / np.sum(e_x)\n"
ADDED = tuple(
    (f"        d{kind}{gate} = gradients['d{kind}{gate}']", f"        d{kind}{gate} += gradients['d{kind}{gate}']")
    for kind in "Wb"
    for gate in "fico"
)
NAMED_X = (("def rnn_forward(X, Y, a0, parameters)", "def rnn_forward(x, a0, parameters)"),)

# layers over time that make one layer for each step -------------------------------------------------------------------

OVER_TIME = "mijies/sequence_learning"
DOUBLE = ((",dtype='f'", ""), (", dtype='f'", ""))


def time_lstm(m):
    r = numbers(3)
    weights = {"Wx": 0.7 * r(4, 12), "Wh": 0.7 * r(3, 12), "b": 0.7 * r(12)}

    def gradients_of(made, dx):
        return dict(zip(weights, made.grads, strict=True)) | {"x": dx}

    return layer(lambda: m.TimeLSTM(*weights.values()), gradients_of, weights=weights, xs=numbers()(2, 3, 4))


def time_lstm_given(m):
    given = time_lstm(m)
    given.arrays["x"] = given.arrays.pop("xs")
    return given


# a framework's normalisation ------------------------------------------------------------------------------------------

NORM = "CaiFeipeng/numpy-nn"


def layer_norm(m):
    r = numbers(3)
    weights = {"gamma": r(4), "beta": r(4)}

    def fresh():
        made = m.LayerNorm(4)
        vars(made).update(weights)
        return made

    def gradients_of(made, dx):
        return {"inputs": dx, "gamma": made.dgamma, "beta": made.dbeta}

    return layer(fresh, gradients_of, weights=weights, inputs=numbers()(2, 3, 4))


SUBJECTS = [
    Subject(COURSE, "rnn", (Part(COURSE_FILE, RNN),), renamed(rnn())),
    Subject(COURSE, "lstm", (Part(COURSE_FILE, f"{DERIVATIVES} {LSTM}"),), renamed(lstm())),
    Subject(
        COURSE,
        "gru",
        (Part(COURSE_FILE, f"sigmoid {DERIVATIVES} gru_step_forward gru_step_backward gru_forward gru_backward"),),
        gru,
    ),
    Subject(COURSE, "temporal affine", (Part(COURSE_FILE, TEMPORAL),), temporal_affine),
    Subject(COURSE, "temporal softmax", (Part(COURSE_FILE, TEMPORAL),), temporal_softmax),
    Subject(
        STACKED,
        "rnn",
        (Part("models/rnn.py", "rnn_cell_forward rnn_forward rnn_cell_backward rnn_backward", NAMED_X, SOFTMAX),),
        coursera("rnn"),
        published="the inputs of the forward pass have a name that nothing is called by",
    ),
    Subject(
        STACKED,
        "lstm",
        (
            Part(
                "models/lstm.py",
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                ADDED,
                f"{SIGMOID}\n\n{SOFTMAX}",
            ),
        ),
        coursera("lstm"),
        published="the gradients of the weights are those of the first step alone",
    ),
    Subject(
        OVER_TIME,
        "LSTM",
        (
            Part("common/functions.py", "sigmoid", module="functions"),
            Part("layers/lstm.py", "LSTM", before="from functions import sigmoid", module="lstm"),
            Part("layers/time_lstm.py", "TimeLSTM", DOUBLE, "from lstm import LSTM"),
        ),
        time_lstm_given,
    ),
    Subject(
        NORM,
        "layer normalisation",
        (
            Part("src/nn/base.py", "Layer", before="from typing import Any", module="base"),
            Part("src/nn/norms.py", "LayerNorm", before="from base import Layer"),
        ),
        layer_norm,
    ),
]

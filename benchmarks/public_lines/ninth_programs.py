"""Subjects of the ninth set: cells and networks over time by four authors, and a loss with all its gradients."""

import numpy as np

from .programs import Given, Part, Subject, above, loss, numbers, pair

# functions on arrays, samples first: a cell returns its state before its output -------------------------------------

FUNCTIONS = "Jmkernes/LSTM-RNN-in-numpy"
STEPS = "sigmoid lstm_forward lstm_backward lstm_all_forward lstm_all_backward"
VANILLA = "vanilla_forward vanilla_backward vanilla_all_forward vanilla_all_backward"
OUTPUT = "embed_forward embed_backward affine_forward affine_backward affine_all_forward affine_all_backward"
LOSSES = "softmax_loss softmax_loss_all"


def cell(m):
    r = numbers()
    given = {"x": r(2, 4), "Wx": r(4, 12), "b": r(12), "h_prev": r(2, 3), "Wh": r(3, 12), "c_prev": r(2, 3)}
    return pair(m.lstm_forward, m.lstm_backward, "x Wx b h_prev Wh c_prev", outputs=2, **given)


def over_time(name, gates):
    """The gradient of the state before the first step is not handed back."""

    def make(m):
        r = numbers()
        given = {"x": r(2, 3, 4), "Wx": r(4, gates * 3), "b": r(gates * 3), "h_prev": r(2, 3), "Wh": r(3, gates * 3)}
        return pair(getattr(m, f"{name}_all_forward"), getattr(m, f"{name}_all_backward"), "x Wx b Wh", **given)

    return make


def network(m):
    made, r = m.RNN(5, dict(enumerate("abcde")), input_dim=4, hidden_dim=3, cell_type="vanilla"), numbers()
    weights = {name: 0.7 * r(*array.shape) for name, array in made.params.items()}
    made.params, words = weights, np.array([[0, 3, 1], [2, 2, 4]])
    start = r(1, 3)

    def run(inputs, targets):
        made.h0 = start
        return made.loss(inputs, targets)

    def gradients():
        return run(words, np.roll(words, -1, axis=1))[1]

    given = {"inputs": words, "targets": np.roll(words, -1, axis=1)}
    return Given(made.loss, None, given, weights, lambda: float(run(**given)[0]), gradients)


# an LSTM whose input gate is what its forget gate leaves, with peepholes ---------------------------------------------

COUPLED = "younesslanda/LSTM-Numpy"
HELPERS = """
def sigma(x):
    return 1 / (1 + np.exp(-x))


def dsigma(x):
    return sigma(x) * (1 - sigma(x))


def g(x):
    return np.tanh(x)


def dg(x):
    return 1 - g(x) ** 2


h, dh = g, dg
"""
LEAVES = (  # see README.md
    ("di[t] = dc[t] * z[t] * dsigma(i_[t])", "di[t] = dc[t] * (z[t] - (c[t-1] if t > 0 else 0)) * dsigma(i_[t])"),
)


def coupled(m):
    """One sequence; gradients of the weights in a tuple."""
    made, r = m.CifgLSTM(4, 3), numbers()
    names = "Wz Wi Wo Rz Ri Ro pi po bz bi bo".split()
    weights = {name: 0.7 * r(*getattr(made, name).shape) for name in names}
    vars(made).update(weights)
    given = {"x": r(3, 4)}

    def gradients():
        y, kept = made.forward(given["x"].copy())
        dx, found, _ = made.backward(above(y), kept)
        return {"x": dx} | dict(zip(names, found, strict=True))

    def value():
        return float((above(y := made.forward(given["x"].copy())[0]) * y).sum())

    return Given(made.forward, made.backward, given, given | weights, value, gradients)


# a course's network over time, and its affine layer -------------------------------------------------------------------

COURSE = "xavi1989/cs231n"
LAYERS = "CS231N/MyHW/assignment3/cs231n/rnn_layers.py"


def course(m):
    r = numbers()
    given = {"x": r(2, 3, 4), "h0": r(2, 3), "Wx": r(4, 3), "Wh": r(3, 3), "b": r(3)}
    return pair(m.rnn_forward, m.rnn_backward, "x h0 Wx Wh b", **given)


def affine(m):
    r = numbers()
    return pair(m.temporal_affine_forward, m.temporal_affine_backward, "x w b", x=r(2, 3, 4), w=r(4, 5), b=r(5))


# min-char-rnn for letters that are keys of a dict ---------------------------------------------------------------------

LETTERS = "Aalgarnaal/rnn-in-numpy"
KEYS = "w_xh, w_hh, w_hy, b_h, b_y"
FROM_GLOBALS = (("def loss_function(inputs, hprev):", f"def loss_function(inputs, hprev, {KEYS}):"),)
ONE_HOT = "word_onehot_dict = {letter: tuple(row) for letter, row in zip('abcde', np.eye(5))}"


def letters(m):
    r = numbers()
    weights = {"w_xh": r(4, 5), "w_hh": 0.7 * r(4, 4), "w_hy": r(5, 4), "b_h": r(4, 1), "b_y": r(5, 1)}
    return loss(m.loss_function, KEYS.replace(",", ""), inputs="adbe", hprev=r(4, 1), **weights)


SUBJECTS = [
    Subject(FUNCTIONS, "lstm step", (Part("layers.py", STEPS),), cell),
    Subject(FUNCTIONS, "lstm", (Part("layers.py", STEPS),), over_time("lstm", 4)),
    Subject(FUNCTIONS, "rnn", (Part("layers.py", VANILLA),), over_time("vanilla", 1)),
    Subject(
        FUNCTIONS,
        "network",
        (
            Part("layers.py", f"{STEPS} {VANILLA} {OUTPUT} {LOSSES}", module="layers"),
            Part("RNNs.py", "RNN", before="from layers import *"),
        ),
        network,
    ),
    Subject(
        COUPLED,
        "lstm",
        (Part("lstm.py", "CifgLSTM", LEAVES, HELPERS),),
        coupled,
        "what the input gate takes from the forget gate is left out of its gradient",
    ),
    Subject(
        COURSE,
        "rnn",
        (Part(LAYERS, "rnn_step_forward rnn_step_backward rnn_forward rnn_backward", (("xrange", "range"),)),),
        course,
    ),
    Subject(COURSE, "temporal affine", (Part(LAYERS, "temporal_affine_forward temporal_affine_backward"),), affine),
    Subject(LETTERS, "letters", (Part("rnn_letters.py", "loss_function", FROM_GLOBALS, ONE_HOT),), letters),
]

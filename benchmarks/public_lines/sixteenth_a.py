"""Subjects by owners 0 to H: attention over another sequence, an engineer's notebooks, courses' RNNs and LSTMs."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of

# an LSTM for characters whose input gate is one minus the forget gate: one method a step, states in dicts by time -----

COUPLED = "bejaeger/lstm-in-pure-python"
COUPLED_WEIGHTS = "Wi bi Wo bo Wc bc Wv bv"
COUPLED_ARGUMENTS = COUPLED_WEIGHTS.replace(" ", ", ")
COUPLED_EDITS = (
    ("prev_h = np.zeros((self.n_neurons, 1)) if t == 0", "prev_h = self.h0 if t == 0"),
    ("prev_c = np.zeros((self.n_neurons, 1)) if t == 0", "prev_c = self.c0 if t == 0"),
    ("clip_min = -1", "clip_min = -1000"),
    ("clip_max = 1", "clip_max = 1000"),
)
COUPLED_LOSS = f"""

def loss_and_gradients(inputs, targets, h0, c0, {COUPLED_ARGUMENTS}):
    lstm = LSTM("abcde", len(inputs), 3)
    lstm.h0, lstm.c0 = h0, c0
    for name, value in zip("{COUPLED_WEIGHTS}".split(), ({COUPLED_ARGUMENTS})):
        setattr(lstm, name, value)
    mean = lstm.forward_pass(inputs, targets)[0]
    lstm.backward_propagation(targets)
    return mean * len(inputs), *[getattr(lstm, "d" + name) for name in "{COUPLED_WEIGHTS}".split()]
"""


def coupled(m):
    r = numbers()
    weights = weights_of(r, COUPLED_WEIGHTS, *[(3, 8), (3, 1)] * 3, (5, 3), (5, 1))
    given = {"inputs": np.array([0, 3, 3, 1]), "targets": np.array([3, 3, 1, 4]), "h0": r(3, 1), "c0": r(3, 1)}
    return loss(m.loss_and_gradients, COUPLED_WEIGHTS, **given, **weights)


# a self-learner's layers: a decoder's heads attend to an encoder's outputs, the products of weights are not split -----

HEADS = "cacao-macao/random-walk-in-AI"
HEADS_TAKEN = " ".join(
    f"{name}_{way}"
    for name in ("affine", "softmax", "temporal_affine", "multihead_crossattention")
    for way in ("forward", "backward")
)


def heads(m):
    r = numbers()
    weights = weights_of(r, "K Q V W", *[(2, 5, 3)] * 3, (6, 5))
    given = {"x": r(2, 3, 5), "y": r(2, 4, 5)}
    forward, backward = m.multihead_crossattention_forward, m.multihead_crossattention_backward
    return pair(forward, backward, "x y K Q V W", **given, **weights)


# an engineer's notebooks of another course: convolution over time in loops, and an RNN --------------------------------

ENGINEER = "Cindy-eng/AI-Data-Engineer--Assignments"
CONVOLUTION_LAYER = """

class Layer(Conv1d):
    def __init__(self):
        super().__init__(None, None)
"""
ENGINEER_WEIGHTS = "Wx Wh b"
ENGINEER_EDITS = (
    ("        self.Wx -= lr * dWx\n", ""),
    ("        self.Wh -= lr * dWh\n", ""),
    ("        self.b  -= lr * db\n", ""),
)
ENGINEER_LOSS = """

def loss_and_gradients(x, y, Wx, Wh, b):
    rnn = SimpleRNN(4, 3)
    rnn.Wx, rnn.Wh, rnn.b = Wx, Wh, b
    _, hs = rnn.forward(x)
    return 0.5 * np.sum((hs - y) ** 2), *rnn.backward(x, hs - y)
"""


def engineer(m):
    r = numbers()
    weights = weights_of(r, ENGINEER_WEIGHTS, (4, 3), (3, 3), (3,))
    return loss(m.loss_and_gradients, ENGINEER_WEIGHTS, x=r(2, 5, 4), y=r(5, 2, 3), **weights)


# a course's network for characters: rows for the steps, a loop for each gradient, the tanh's derivative a diagonal ----

LOOPS = "clara2911/DeepLearning_DD2424"
LOOPS_WEIGHTS = "u v w b c"
LOOPS_EDITS = (  # see README.md
    ("np.dot(grad_a[t-1], self.params['w'])", "np.dot(grad_a[t+1], self.params['w'])"),
    ("reshape(self.m,1), self.h_prev)", "reshape(self.m,1), h[t-1] if t > 0 else self.h0)"),
)
LOOPS_LOSS = """

def loss_and_gradients(X, Y, h0, u, v, w, b, c):
    rnn = RNN()
    rnn.m, rnn.k, rnn.seq_length = 3, 5, X.shape[1]
    rnn.h0 = rnn.h_prev = h0
    rnn.params = {"u": u, "v": v, "w": w, "b": b, "c": c}
    p, a, h = rnn.evaluate(X)
    rnn.compute_grads(X, Y, p, a, h)
    return rnn.compute_loss(p, Y), rnn.grads
"""


def loops(m):
    r = numbers()
    weights = weights_of(r, LOOPS_WEIGHTS, (3, 5), (5, 3), (3, 3), (3, 1), (5, 1))
    given = {"X": np.eye(5)[:, [0, 3, 3, 1]], "Y": np.eye(5)[:, [3, 3, 1, 4]], "h0": r(3, 1)}
    return loss(m.loss_and_gradients, LOOPS_WEIGHTS, **given, **weights)


# another course's RNN, its first step outside of the loop, and LSTM, three gates at once and a stack of caches --------

STACK = "dashidhy/cs231n_assignments"
STACK_FILE = "cs231n_assignment3/assignment3/cs231n/rnn_layers.py"
STACK_TAKEN = {
    "rnn": "rnn_step_forward rnn_step_backward rnn_forward rnn_backward",
    "lstm": "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward",
}


def stack(kind, width):
    """A maker: x, h0 and weights for `rnn` or `lstm`, whose states are 4 wide and its products `width`."""

    def make(m):
        r = numbers()
        weights = weights_of(r, "Wx Wh b", (3, width), (4, width), (width,))
        forward, backward = getattr(m, f"{kind}_forward"), getattr(m, f"{kind}_backward")
        return pair(forward, backward, "x h0 Wx Wh b", x=r(2, 5, 3), h0=r(2, 4), **weights)

    return make


# a notebook's LSTM in another course's form, time last; gates in one expression each ----------------------------------

LAST = "HendRamadan1/RNN_and_LSTM_fromSratch-"
LAST_TAKEN = "sigmoid softmax lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward"
LAST_WEIGHTS = "Wf bf Wi bi Wc bc Wo bo"
LAST_ARGUMENTS = LAST_WEIGHTS.replace(" ", ", ")
LAST_PAIR = f"""

def forward(x, a0, {LAST_ARGUMENTS}):
    parameters = dict(zip("{LAST_WEIGHTS}".split(), ({LAST_ARGUMENTS})))
    parameters |= {{"Wy": np.zeros((2, len(a0))), "by": np.zeros((2, 1))}}
    a, _, _, caches = lstm_forward(x, a0, parameters)
    return a, caches


def backward(da, caches):
    gradients = lstm_backward(da, caches)
    return tuple(gradients["d" + name] for name in "x a0 {LAST_WEIGHTS}".split())
"""


def last(m):
    r = numbers()
    weights = weights_of(r, LAST_WEIGHTS, *[(4, 7), (4, 1)] * 4)
    return pair(m.forward, m.backward, f"x a0 {LAST_WEIGHTS}", x=r(3, 2, 5), a0=r(4, 2), **weights)


SUBJECTS = [
    Subject(
        COUPLED,
        "LSTM",
        (
            Part("src/math.py", "sigmoid tanh dtanh softmax", module="activations"),
            Part("src/simplelstm.py", "LSTM", COUPLED_EDITS, "from activations import *", COUPLED_LOSS),
        ),
        coupled,
        published="the loss that it shows is a mean, the gradients are those of the sum",
    ),
    Subject(HEADS, "attention", (Part("dl-from-scratch/src/layers.py", HEADS_TAKEN),), heads),
    Subject(
        ENGINEER,
        "convolution over time",
        (Part("25_SimpleConv1d/25_SimpleConv1d.ipynb", "Conv1d", after=CONVOLUTION_LAYER),),
        object_of("Layer", {"w": (4, 2, 3), "b": (4,)}, "b w x", x=(3, 2, 6)),
    ),
    Subject(
        ENGINEER,
        "RNN",
        (
            Part(
                "32_Recurrent neural network/32_Recurrent neural network.ipynb",
                "SimpleRNN",
                ENGINEER_EDITS,
                after=ENGINEER_LOSS,
            ),
        ),
        engineer,
    ),
    Subject(
        LOOPS,
        "RNN",
        (Part("Assignment 4/rnn.py", "RNN", LOOPS_EDITS, after=LOOPS_LOSS),),
        loops,
        published="what is carried back is taken from the step before, the last state is used at all steps",
    ),
    Subject(STACK, "RNN", (Part(STACK_FILE, STACK_TAKEN["rnn"]),), stack("rnn", 4)),
    Subject(STACK, "LSTM", (Part(STACK_FILE, STACK_TAKEN["lstm"]),), stack("lstm", 16)),
    Subject(LAST, "LSTM", (Part("lstm_from scratch.ipynb", LAST_TAKEN, after=LAST_PAIR),), last),
]

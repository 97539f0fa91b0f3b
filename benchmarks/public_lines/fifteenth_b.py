"""Subjects by owners I to P: courses' RNNs and LSTMs, layers of cells, a lecturer's attention, two notebooks."""

import numpy as np

from .eleventh_c import weights_of
from .fourth_models import model
from .programs import Given, Part, Subject, above, copied, loss, numbers, pair
from .tenth_c import object_of

# a notebook's RNN of characters after min-char-rnn, its passes apart --------------------------------------------------

CHARACTERS = "javaidnabi31/RNN-from-scratch"
CHARACTERS_WEIGHTS = "U W V b c"
CHARACTERS_BEFORE = """

def zero_init(*shape):
    return np.zeros(shape)
"""
CHARACTERS_EDITS = (
    ("dc += dc", "dc += dy"),  # see README.md
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
)
CHARACTERS_LOSS = """

def loss_and_gradients(inputs, targets, hprev, U, W, V, b, c):
    rnn = RNN(3, 5, len(inputs), 0.1)
    rnn.U, rnn.W, rnn.V, rnn.b, rnn.c = U, W, V, b, c
    xs, hs, ps = rnn.forward(inputs, hprev)
    return rnn.loss(ps, targets), *rnn.backward(xs, hs, ps, targets)
"""


def characters(m):
    r = numbers()
    weights = weights_of(r, CHARACTERS_WEIGHTS, (3, 5), (3, 3), (5, 3), (3, 1), (5, 1))
    given = {"inputs": [0, 3, 3, 1], "targets": [3, 3, 1, 4], "hprev": r(3, 1)}
    return loss(m.loss_and_gradients, CHARACTERS_WEIGHTS, **given, **weights)


# a course's RNN in batches, one row a sequence, time first; the initial state lies at the end of the states -----------

ROWS = "kahoujo1/DD2424-assignments"
ROWS_LOSS = """

def loss_and_gradients(X, Y, h0, U, W, b, V, c):
    rnn, criterion = RNN(5, 3, 2), CrossEntropyLoss()
    rnn.h, rnn.U, rnn.W, rnn.b, rnn.V, rnn.c = h0, U, W, b, V, c
    loss = criterion.forward(rnn.forward(X), Y)
    rnn.backward(criterion.backward())
    return loss, rnn.grad_U, rnn.grad_W, rnn.grad_b, rnn.grad_V, rnn.grad_c
"""


def rows(m):
    r, words = numbers(), np.eye(5)[[[0, 3], [3, 2], [3, 4], [1, 0], [4, 2]]]
    weights = weights_of(r, "U W b V c", (5, 3), (3, 3), (1, 3), (3, 5), (1, 5))
    return loss(m.loss_and_gradients, "U W b V c", X=words[:-1], Y=words[1:], h0=r(2, 3), **weights)


# another course's RNN for sounds: layers of cells, a readout at the end; gradients are means over the batch -----------

SOUNDS = "khanin2539/11785_Intro_to_Deep_Learning"
SOUNDS_EDITS = (("        print(self.hiddens)\n", ""), ("                print(x, y)\n", ""))
SOUNDS_LOSS = """

def loss_and_gradients(x, y, h_0, rnn_weights, linear_weights):
    classifier, criterion = RNNPhonemeClassifier(4, 3, 5), SoftmaxCrossEntropy()
    classifier.init_weights(rnn_weights, linear_weights)
    loss = np.mean(criterion(classifier(x, h_0), y))
    dh_0 = classifier.backward(criterion.backward())
    cells = [[cell.dW_ih, cell.dW_hh, cell.db_ih, cell.db_hh] for cell in classifier.rnn]
    return loss, dh_0, cells, [classifier.output_layer.dLdW, classifier.output_layer.dLdb]
"""


def sounds(m):
    r = numbers()
    cells = [[0.7 * r(3, size), 0.7 * r(3, 3), 0.7 * r(3), 0.7 * r(3)] for size in (4, 3)]
    weights = {"h_0": r(2, 2, 3), "rnn_weights": cells, "linear_weights": [0.7 * r(5, 3), 0.7 * r(5)]}
    return model(m.loss_and_gradients, weights, x=r(2, 6, 4), y=np.eye(5)[[3, 1]], **weights)


# a notebook's LSTM after a course's: time last, caches in tuples, gradients in dicts ----------------------------------

CELLS = "Kunal-artist/lstm-from-scratch-numpy"
CELLS_TAKEN = "softmax sigmoid lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward"


def cells(m):
    r = numbers()
    gates = [f"{kind}{gate}" for gate in "fico" for kind in "Wb"]
    weights = weights_of(r, " ".join([*gates, "Wy", "by"]), *[(3, 7), (3, 1)] * 4, (5, 3), (5, 1))
    given = {"x": r(4, 2, 3), "a0": r(3, 2), "parameters": weights}

    def gradients():
        states, *_, caches = m.lstm_forward(**copied(given))
        found = m.lstm_backward(above(states), caches)
        return {name: found[f"d{name}"] for name in ["x", "a0", *gates]}

    def value():
        states = m.lstm_forward(**copied(given))[0]
        return float((above(states) * states).sum())

    arrays = {"x": given["x"], "a0": given["a0"], **weights}
    return Given(m.lstm_forward, m.lstm_backward, given, arrays, value, gradients)


# a lecturer's attention, from one sequence to another and in heads; it computes queries, keys, values again -----------

LECTURER = "lawrennd/mlai"
LECTURER_FILE = "mlai/neural_networks.py"
LECTURER_TAKEN = "SoftmaxActivation Layer MultiInputLayer AttentionLayer"
LECTURER_ACROSS = """

class Across(AttentionLayer):
    def __init__(self):
        super().__init__(4)
"""
LECTURER_HEADS = """

class Heads(MultiHeadAttentionLayer):
    def __init__(self):
        super().__init__(6, 2)
        self.first, self.second = self.attention_heads
"""
ACROSS_WEIGHTS = {f"W_{name}": (4, 4) for name in "qkvo"}
HEADS_WEIGHTS = {f"{head}.W_{name}": (3, 3) for head in ("first", "second") for name in "qkvo"} | {"W_o": (6, 6)}

# captions' LSTM of a course: the gates' errors are put side by side ---------------------------------------------------

CAPTIONS = "parinitha95/Image_Captioning"
CAPTIONS_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def captions(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (4, 12), (3, 12), (12,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 4), h0=r(2, 3), **weights)


SUBJECTS = [
    Subject(
        CHARACTERS,
        "RNN",
        (Part("RNN_char_text generator.ipynb", "RNN", CHARACTERS_EDITS, CHARACTERS_BEFORE, CHARACTERS_LOSS),),
        characters,
        published="the gradient of the readout's bias is added to itself; a function that makes zeros is missing",
    ),
    Subject(
        ROWS,
        "RNN",
        (
            Part(
                "assignment4/src/optional_submission_file.py",
                "RNN CrossEntropyLoss",
                (("np.float32", "np.float64"),),
                after=ROWS_LOSS,
            ),
        ),
        rows,
    ),
    Subject(
        SOUNDS,
        "RNN in layers",
        (
            Part("Mytorch/mytorch/activation.py", "Activation Tanh", module="activation"),
            Part("Mytorch/mytorch/linear.py", "Linear", module="linear"),
            Part("Mytorch/mytorch/loss.py", "Criterion SoftmaxCrossEntropy", module="loss"),
            Part("Mytorch/mytorch/rnn_cell.py", "RNNCell", (), "from activation import *", module="rnn_cell"),
            Part(
                "Mytorch/hw3/rnn_classifier.py",
                "RNNPhonemeClassifier",
                SOUNDS_EDITS,
                "from rnn_cell import *\nfrom linear import *\nfrom loss import *",
                SOUNDS_LOSS,
            ),
        ),
        sounds,
    ),
    Subject(CELLS, "LSTM", (Part("LSTM_From_Scratch.ipynb", CELLS_TAKEN),), cells),
    Subject(
        LECTURER,
        "attention",
        (Part(LECTURER_FILE, LECTURER_TAKEN, after=LECTURER_ACROSS),),
        object_of("Across", ACROSS_WEIGHTS, "x key_value_input", x=(2, 3, 4), key_value_input=(2, 5, 4)),
    ),
    Subject(
        LECTURER,
        "attention in heads",
        (Part(LECTURER_FILE, f"{LECTURER_TAKEN} MultiHeadAttentionLayer", after=LECTURER_HEADS),),
        object_of("Heads", HEADS_WEIGHTS, "x", x=(2, 4, 6)),
    ),
    Subject(CAPTIONS, "LSTM", (Part("cs231n/rnn_layers.py", CAPTIONS_TAKEN),), captions),
]

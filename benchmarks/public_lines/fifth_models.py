"""Subjects of the fifth set that are whole models: a loss and its gradients."""

import numpy as np

from .fourth_models import like, model
from .programs import Part, Subject, numbers

# min-char-rnn as an object that is called, and which learns as it is --------------------------------------------------

CALLED = "j0sephsasson/numpy-RNN"
CALLED_NAMES = "Wxh Whh Why bh by"
NOT_LEARNT = (
    ("        # perform parameter update with Adagrad\n", "        return loss, dWxh, dWhh, dWhy, dbh, dby\n\n"),
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
)
CALLER = """

class Characters(RNNV1):
    def loss_and_gradients(self, inputs, targets, hprev):
        return self(inputs=inputs, targets=targets, hprev=hprev, lr=0.1)
"""


def weights_of(made, names, r):
    """{name: other numbers} for these attributes, which become those of the object."""
    weights = {name: like(getattr(made, name), r) for name in names.split()}
    vars(made).update(weights)
    return weights


def called(m):
    made, r = m.Characters(4, 5, 3), numbers(3)
    weights = weights_of(made, CALLED_NAMES, r)
    return model(made.loss_and_gradients, weights, inputs=[0, 3, 1], targets=[3, 1, 4], hprev=r(4, 1))


# layers in lists, states in lists of dicts, batches; the weights were globals -----------------------------------------

LISTS = "janivanecky/Numpy-RNNs"
LISTS_TAKEN = "softmax cross_entropy cross_entropy_softmax_d tanh tanh_d forward_backward"
LISTS_SIZES = """xrange = range
HIDDEN_LAYER_SIZE, DEPTH, SEQ_SIZE, BATCH_SIZE, VOCABULARY_SIZE = 3, 2, 3, 2, 5
DROPOUT_RATE = 0  # what is dropped would be drawn anew in each run"""
GLOBALS = (
    (
        "def forward_backward(inputs, targets, initial_states):",
        "def forward_backward(inputs, targets, initial_states, Wxh, Whh, bh, Why, by):",
    ),
    ("return loss, dWxh, dWhh, dbh, dWhy, dby, h_prev", "return loss, dWxh, dWhh, dbh, dWhy, dby"),
)


def lists(m):
    r = numbers(3)
    weights = {
        "Wxh": [0.7 * r(5, 3), 0.7 * r(3, 3)],
        "Whh": [0.7 * r(3, 3), 0.7 * r(3, 3)],
        "bh": [0.7 * r(1, 3), 0.7 * r(1, 3)],
        "Why": 0.7 * r(3, 5),
        "by": 0.7 * r(1, 5),
    }
    words = np.array([[0, 3, 1], [2, 2, 4]])
    given = {"inputs": np.eye(5)[words], "targets": np.roll(words, -1, axis=1), "initial_states": r(2, 2, 3)}
    return model(m.forward_backward, weights, **given, **weights)


# an LSTM that keeps lists of all gates, turned about at the end -------------------------------------------------------

GATES = "jiexunsee/Numpy-LSTM"
GATES_NAMES = "hidden_to_out U_i U_f U_o U_g W_i W_f W_o W_g"
PUT_RIGHT = (  # see README.md
    ("(self.hidden_to_out @ del_predict.T).T*self.sigmoid_derivative(self.hidden_states[seq_length-a-1])",
     "(self.hidden_to_out @ del_predict.T).T"),
    ("if a == seq_length:", "if a == seq_length-1:"),
    ("self.tanh_derivative(self.gs[seq_length-a-1])", "(1-self.gs[seq_length-a-1]**2)"),
    *((f"rearranged_del_{n}[:-1]", f"rearranged_del_{n}[1:]") for n in ("input_gates", "forget_gates")),
    *((f"rearranged_del_{n}[:-1]", f"rearranged_del_{n}[1:]") for n in ("output_gates", "gs")),
)  # fmt: skip
KEPT = tuple((f"self.{name} -= np", f"self.d_{name} = np") for name in GATES_NAMES.split())
GATES_LOSS = f"""

class Sequences(LSTM):
    def loss_and_gradients(self, x, y):
        self.reset()
        for row in x:
            self.forward(row)
        outputs = np.concatenate(self.outputs)
        self.backward(x, y, len(x), 1)
        return np.sum((outputs - y) ** 2) / 2, {", ".join(f"self.d_{name}" for name in GATES_NAMES.split())}
"""


def gates(m):
    made, r = m.Sequences(4, 3, 2), numbers(3)
    weights = weights_of(made, GATES_NAMES, r)
    return model(made.loss_and_gradients, weights, x=r(3, 4), y=r(3, 2))


# two layers of cells, each with weights of its own; what is learnt is learnt by the cells -----------------------------

CELLS = "kookie12/LSTM-numpy"
SMALL = (
    ("(1 - np.exp(-1*x))/(1 + np.exp(-1*x))", "(1 - np.exp(-2*x))/(1 + np.exp(-2*x))"),  # see README.md
    ("self.hidden_size = 40", "self.hidden_size = 3"),
    ("self.input_size = 50", "self.input_size = 4"),
    ("range(10)", "range(3)"),
    ("reshape(1,50)", "reshape(1,4)"),
)
CELLS_LOSS = """

class Sentences(LSTM_MODEL):
    def loss_and_gradients(self, x_inputs, y_inputs):
        self.loss = []
        self.forward(x_inputs, y_inputs, is_train=True)
        self.backward(x_inputs)
        cells = [*self.LSTM_1st_layer, *self.LSTM_2nd_layer]
        return self.loss[0], [(cell.dWx, cell.dWh, cell.db) for cell in cells], self.dWhy, self.dby
"""


def cells(m):
    made, r = m.Sentences(None, None, None, None, None, None, 0, 1, "SGD", "no"), numbers(3)  # it learns by steps of 0
    both = [*made.LSTM_1st_layer, *made.LSTM_2nd_layer]
    weights = (
        [tuple(weights_of(cell, "Wx Wh b", r).values()) for cell in both],
        *weights_of(made, "Why by", r).values(),
    )
    return model(made.loss_and_gradients, weights, x_inputs=r(3, 1, 4), y_inputs=np.eye(5)[[3]])


# from each step back through all before it, in vectors ----------------------------------------------------------------

BACK = "usamahjundia/Numpy-NN"
BACK_LOSS = """

class Sequences(RNNCell):
    def loss_and_gradients(self, x, y):
        return self._calculate_loss_individual(x, y), *self.backpropagation_through_time(x, y)
"""


def back(m):
    made, r = m.Sequences(4, 3, 5, 10), numbers(3)
    weights = weights_of(made, "wyh whh whx", r)
    return model(made.loss_and_gradients, weights, x=r(3, 4), y=np.eye(5)[[3, 1, 4]])


# arrays for all steps, filled in one method for each step; one output at the end --------------------------------------

CACHES = "scottleith/lstm"
ACTIVATIONS = "def sigmoid(z):\n    return 1 / (1 + np.exp(-z))\n\n\ntanh = np.tanh"
THREE_LINES = (  # see README.md
    ("is 'momentum'", "== 'momentum'"),
    ("self.Wo ) + self.bi", "self.Wo ) + self.bo"),
    ("(1. - self.cell_state[:,t,:]**2 )", "(1. - tanh( self.cell_state[:,t,:] )**2 )"),
    ("dhx[:, :self.h_size]", "dhx[:, -self.h_size:]"),
)
CACHES_NAMES = "Wf Wi Wc Wo Wy bf bi bc bo by"
CACHES_LOSS = f"""

class Predictor(LstmSimpleClass):
    def loss_and_gradients(self, x, y):
        output = self.run_forward_pass(x)
        self.run_backward_pass(y, output)
        return np.sum((output - y) ** 2) / 2, {", ".join(f"self.d{name}" for name in CACHES_NAMES.split())}
"""


def caches(m):
    r = numbers(3)
    x, y = r(2, 3, 4), r(2, 2)
    made = m.Predictor(x, y[:, :, None], hidden_size=3)
    shapes = {"Wy": (3, 2), "by": (1, 2)}
    for name in CACHES_NAMES.split():
        setattr(made, name, np.zeros(shapes.get(name, (7, 3) if name.startswith("W") else (1, 3))))
    return model(made.loss_and_gradients, weights_of(made, CACHES_NAMES, r), x=x, y=y)


SUBJECTS = [
    Subject(
        CALLED,
        "min-char-rnn",
        (Part("layers/rnn.py", "RNNV1", NOT_LEARNT, "from typing import Any", CALLER),),
        called,
    ),
    Subject(LISTS, "two layers", (Part("tanh.py", LISTS_TAKEN, GLOBALS, LISTS_SIZES),), lists),
    Subject(
        GATES,
        "LSTM",
        (Part("numpylstm.py", "LSTM", (*PUT_RIGHT, *KEPT), after=GATES_LOSS),),
        gates,
        published="the readout, the candidate, the cell before the first step and the states beside the gates",
    ),
    Subject(
        CELLS,
        "two layers",
        (Part("LSTM_final.py", "function LSTM_cell LSTM_MODEL", SMALL, after=CELLS_LOSS),),
        cells,
        published="the tanh is that of half the argument",
    ),
    Subject(
        CACHES,
        "LSTM",
        (Part("lstm_class.py", "LstmSimpleClass", THREE_LINES, ACTIVATIONS, CACHES_LOSS),),
        caches,
        published="the output gate's bias, a derivative at the wrong value, the inputs' gradient for the state's",
    ),
    Subject(
        BACK,
        "RNN",
        (Part("Recurrent/rnn.py", "RNNCell", (("return total_loss / N", "return total_loss"),), after=BACK_LOSS),),
        back,
        published="the loss is a mean over the steps, the gradients are those of the sum",
    ),
]

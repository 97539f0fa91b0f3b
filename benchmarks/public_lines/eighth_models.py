"""Subjects of the eighth set that are whole models: a loss and its gradients."""

import numpy as np

from .fourth_models import model
from .programs import Part, Subject, numbers

# min-char-rnn as a class, with functions in another module ------------------------------------------------------------

CHARACTERS = "FredAntB/Vanilla-RNN-with-numpy"
ONE_HOT = "def char_to_one_hot(index, size):\n    return np.eye(size)[:, [index]]\n"
IMPORTS = f"from functions import categorical_cross_entropy_loss, softmax, tanh\n\n\n{ONE_HOT}"
TRAINED = """

class Trained(VanillaRNN):
    def loss_and_gradients(self, inputs, targets, hprev):
        loss, xs, hs, ps = self.forward(inputs, targets, hprev)
        dWxh, dWhh, dWhy, dbh, dby = self.backward(xs, hs, ps, targets)
        return loss, dWxh, dWhh, dWhy, dbh, dby
"""


def characters(m):
    made, r = m.Trained(4, 5), numbers()
    weights = {"Wxh": r(4, 5), "Whh": 0.7 * r(4, 4), "Why": r(5, 4), "bh": r(4, 1), "by": r(5, 1)}
    vars(made).update(weights)
    return model(made.loss_and_gradients, weights, inputs=[0, 3, 1], targets=[3, 1, 4], hprev=r(4, 1))


# a number at the end of a sequence, gradients for each step ----------------------------------------------------------

SERIES = "danilyef/RNN-Numpy"
REGRESSION = """

class Regression(RNN):
    def loss_and_gradients(self, x, y):
        criterion = MSELoss()
        loss = criterion.forward(self.forward(x), y)
        grads = self.backward(criterion.backward())
        dW, dR, dbs = (grads[name].sum(axis=0) for name in ("dW", "dR", "dbs"))
        return loss, dW, dR, dbs, grads["dV"], grads["dby"]
"""


def series(m):
    made, r = m.Regression(3, 4, 1), numbers()
    weights = {"W": r(3, 4), "R": 0.7 * r(4, 4), "bs": r(4, 1), "V": r(4, 1), "by": r(1, 1)}
    vars(made).update(weights)
    return model(made.loss_and_gradients, weights, x=r(3, 2, 3), y=r(2, 1))


# a class of sentences by the last state, updates in the backward pass ------------------------------------------------

SENTENCES = "hrishikeshshekhar/Vanilla-RNN"
RETURNED = (
    (
        '        if(self.optimizer == "gd"):\n            # Clipping',
        "        return dL_dWhx, dL_dWhh, dL_dWyh, dL_dbh, dL_dby\n\n"
        '        if(self.optimizer == "gd"):\n            # Clipping',
    ),
    ("np.matmul(self.Whh, dL_dh *", "np.matmul(self.Whh.T, dL_dh *"),  # see README.md
)
CLASSIFIED = """

class Classifier(RNN):
    def loss_and_gradients(self, data, targets):
        preds, states = self.forward(data)
        loss = -np.sum(np.log(preds[targets, np.arange(len(targets))]))
        dWhx, dWhh, dWyh, dbh, dby = self.backPropagate(data, targets, preds, states, data.shape[2])
        return loss, dWhx, dWhh, dWyh, dbh, dby
"""


def sentences(m):
    made, r = m.Classifier(4, 2, 3, hidden_dim=3), numbers()
    weights = {"Whx": r(3, 4), "Whh": 0.7 * r(3, 3), "Wyh": r(2, 3), "bh": r(3, 1), "by": r(2, 1)}
    vars(made).update(weights)
    return model(made.loss_and_gradients, weights, data=r(3, 4, 2), targets=np.array([1, 0]))


SUBJECTS = [
    Subject(
        CHARACTERS,
        "min-char-rnn",
        (
            Part("functions.py", "tanh softmax categorical_cross_entropy_loss", module="functions"),
            Part("model.py", "VanillaRNN", (("dparam, -5, 5,", "dparam, -1000, 1000,"),), IMPORTS, TRAINED),
        ),
        characters,
    ),
    Subject(
        SERIES,
        "regression",
        (Part("model.py", "RNN MSELoss", before="from typing import Dict", after=REGRESSION),),
        series,
    ),
    Subject(
        SENTENCES,
        "classifier",
        (Part("rnn.py", "RNN", RETURNED, "import math", CLASSIFIED),),
        sentences,
        "the recurrent weights are not transposed",
    ),
]

"""Subjects of the tenth set: cells and networks over time, normalisation, a convolution, by owners from A to G."""

import numpy as np

from .fourth_models import model
from .functions import coursera
from .objects import cmu_gru
from .programs import Part, Subject, layer, numbers
from .seventh_layers import object_of, prefixed

# words by an RNN: derivatives of tanh as diagonal matrices, gradients of states in a list that grows at its front -----

DIAGONALS = "AlexGiazitzis/RNN-from-scratch"
RETURNED = (
    "        self.W_hh -= lr * dW_hh\n",
    "        self.h_t.clear()\n        self.reset()\n        return dW_hh, dW_oh, dW_hx, db_h, db_o\n\n"
    "        self.W_hh -= lr * dW_hh\n",
)
WORDS = """

class Words(RNN):
    def loss_and_gradients(self, x, targets):
        _, _, output_probs = self(x)
        loss, _ = nll_loss(output_probs, targets)
        return loss, *self.bppt(output_probs, targets, x, 0.1)
"""


def words(m):
    """The state before the first step is zero: it is not an argument, and its part of the gradient is left out."""
    made, r = m.Words(4, 3, 5), numbers(3)
    weights = {name: 0.7 * r(*getattr(made, name).shape) for name in ("W_hh", "W_oh", "W_hx", "b_h", "b_o")}
    vars(made).update(weights)
    return model(made.loss_and_gradients, weights, x=r(4, 4), targets=np.array([3, 1, 4, 1]))


# a course on deep learning: a GRU cell of vectors, batch normalisation of images --------------------------------------

COURSE = "adrita78/MyTorch-11785"
ACTIVATIONS = Part("mytorch/nn/activation.py", "Activation Sigmoid Tanh", module="activation")

# the way of cars by an LSTM: a cell that keeps a dict of each step, a network with one output at the end --------------

CARS = "aratrika02/lstm-from-scratch"
STATES = (
    "    def forward_sequence(self, input_sequence):\n"
    "        h_t = np.zeros(self.hidden_size)\n        c_t = np.zeros(self.hidden_size)\n",
    "    def forward_sequence(self, input_sequence, h_t, c_t):\n",
)


def cars(m):
    """The gradients in a list; those of inputs and states are not handed back."""
    r = numbers()
    weights = {"W_out": r(2, 3), "b_out": r(2)}
    cell = {f"{kind}_{gate}": r(3, 7) if kind == "W" else r(3) for gate in "fioc" for kind in "Wb"}

    def fresh():
        made = m.LSTM_BPTT(4, 3, 2)
        vars(made).update(weights)
        vars(made.lstm_cell).update(cell)
        return made

    def gradients_of(made, found):
        return dict(zip([*weights, *cell], found, strict=True))

    given = {"input_sequence": r(4, 4), "h_t": r(3), "c_t": r(3)}
    return layer(fresh, gradients_of, "forward_sequence", weights=weights | cell, **given)


# a course on sequence models: one more solution, with a few names of its own ------------------------------------------

SEQUENCES = "arhatk9/RNN_and_LSTM_from_scratch"
UTILS = Part("utils.py", "softmax sigmoid", module="utils")


def renamed(make, forward, backward):
    """What `make` builds, of functions that have other names."""

    def made(m):
        kind = backward[:-9].lower()
        setattr(m, f"{kind}_forward", getattr(m, forward))
        setattr(m, f"{kind}_backward", getattr(m, backward))
        return make(m)

    return made


# a framework for graphics cards, whose layers change their weights in the backward pass -------------------------------

FRAMEWORK = "dappon4/mytorch"
MODULE = Part("nn/Module.py", "Module", module="Module")
CARDS = (("cp.", "np."), ("np.float32", "np.float64"), ("backward_calc(self, error, lr)", "backward_calc(self, error)"))


def kept(weight):
    """The gradient becomes an attribute, instead of being taken, as a mean over the samples, from the weight."""
    return (f"self.{weight} -= lr * np.mean(", f"self.d{weight} = np.sum(")


NORM = (kept("gamma"), kept("beta"), ("(np.tile(I,", "(N * np.tile(I,"))  # see README.md
FILTERS = (kept("filter"), kept("bias"))


def framework(name, sizes, weights, **inputs):
    """weights: {name: shape}; the layer would make them of ones and zeros in its first forward pass."""

    def make(m):
        r = numbers()
        arrays = {key: r(*shape) for key, shape in weights.items()}

        def fresh():
            made = getattr(m, name)(*sizes)
            vars(made).update(arrays)
            return made

        def gradients_of(made, dx):
            return {key: getattr(made, f"d{key}") for key in arrays} | {"x": dx}

        given = {key: r(*shape) for key, shape in inputs.items()}
        return layer(fresh, gradients_of, "forward", "backward_calc", arrays, **given)

    return make


SUBJECTS = [
    Subject(
        DIAGONALS,
        "RNN",
        (
            Part(
                "RNN.py",
                "softmax argmax nll_loss RNN",
                (RETURNED,),
                "import os\nfrom typing import Optional",
                WORDS,
            ),
        ),
        words,
    ),
    Subject(
        COURSE,
        "GRU cell",
        (ACTIVATIONS, Part("mytorch/nn/gru_cell.py", "GRUCell", before="from activation import Sigmoid, Tanh")),
        cmu_gru,
    ),
    Subject(
        COURSE,
        "batch normalisation",
        (Part("mytorch/nn/batchnorm2d.py", "BatchNorm2d"),),
        object_of("BatchNorm2d", (3,), "BW Bb", prefixed("dLd"), "Z", Z=(2, 3, 2, 3)),
    ),
    Subject(
        CARS,
        "LSTM",
        (Part("LSTM_SGD_32_units.ipynb", "sigmoid sigmoid_d tanh tanh_d LSTMCell LSTM_BPTT", (STATES,)),),
        cars,
    ),
    Subject(
        SEQUENCES,
        "LSTM",
        (
            UTILS,
            Part(
                "LSTM_from_scratch.py",
                "LSTM_cell_forward LSTM_forward lstm_cell_backward lstm_backward",
                before="from utils import sigmoid, softmax",
            ),
        ),
        renamed(coursera("lstm"), "LSTM_forward", "lstm_backward"),
    ),
    Subject(
        SEQUENCES,
        "RNN",
        (
            UTILS,
            Part(
                "RNN_from_scratch.py",
                "RNN_block_forward RNN_forward RNN_block_backward RNN_backward",
                before="from utils import softmax",
            ),
        ),
        renamed(coursera("rnn"), "RNN_forward", "RNN_backward"),
    ),
    Subject(
        FRAMEWORK,
        "layer normalisation",
        (MODULE, Part("nn/LayerNorm.py", "LayerNorm", (*CARDS, *NORM), "from Module import Module")),
        framework("LayerNorm", (), {"gamma": (3, 1), "beta": (3, 1)}, x=(2, 3, 4)),
        published="the unit matrix in the Jacobian is not multiplied by the number of features; weights get means",
    ),
    Subject(
        FRAMEWORK,
        "convolution",
        (
            MODULE,
            Part(
                "nn/Conv2d.py",
                "Conv2d",
                (*CARDS, *FILTERS),
                "from Module import Module\n\nhe_init_conv2d = np.zeros",
            ),
        ),
        framework("Conv2d", (2, 3, (2, 3), 2, 1), {"filter": (3, 2, 2, 3), "bias": (1, 3, 3, 3)}, x=(2, 2, 5, 6)),
        published="the gradients of the weights are divided by the number of samples, that of the input is not",
    ),
]

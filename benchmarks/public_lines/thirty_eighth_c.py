"""Subjects drawn by lot: a convolution with two kinds of pool, two RNNs over characters, an LSTM whose gates are dense
layers, logistic regression, a dense net from a lesson on checking gradients, and an LSTM of a course."""

import numpy as np

from .eleventh_c import weights_of
from .functions import CHAR, RNN_WEIGHTS, SOFTMAX, arguments, characters, coursera
from .programs import Part, Subject, loss, numbers, pair

# a convolution and two kinds of pool of a course, with loops, channels last; a notebook -------------------------------

POOLS = "arianjafari/Coursera-Deep-Learning-Specialization"
POOLS_PATH = "4 - Convolutional Neural Networks/Week#1/Convolution+model+-+Step+by+Step+-+v1.ipynb"
POOLS_TAKEN = """zero_pad conv_single_step conv_forward pool_forward conv_backward create_mask_from_window
distribute_value pool_backward"""
POOLS_EDITS = (
    # wrong as published: the bias is added to each product of a window, before the sum
    ("np.multiply(a_slice_prev,W) + b", "np.multiply(a_slice_prev,W)"),
    ("np.sum(s)", "np.sum(s) + b"),
    # wrong as published: the mask gets a window of the gradient, not its entry
    ("np.multiply(mask,dA[i, vert_start: vert_end, horiz_start: horiz_end, c])", "np.multiply(mask,dA[i, h, w, c])"),
)
POOLS_PASSES = """


def forward(x, W, b):
    Z, conv = conv_forward(x, W, b, {"stride": 1, "pad": 1})
    highest, first = pool_forward(Z, {"stride": 2, "f": 2}, "max")
    average, second = pool_forward(Z, {"stride": 1, "f": 3}, "average")
    return highest, average, (conv, first, second)


def backward(dhighest, daverage, caches):
    conv, first, second = caches
    dZ = pool_backward(dhighest, first, "max") + pool_backward(daverage, second, "average")
    return conv_backward(dZ, conv)
"""


def pools(m):
    r = numbers()
    return pair(m.forward, m.backward, "x W b", 2, x=r(2, 6, 5, 2), W=r(3, 3, 2, 3), b=r(1, 1, 1, 3))


# an RNN over characters in one function -------------------------------------------------------------------------------

MINIMAL = "sjain-stanford/char-rnn"

# an LSTM of a course, its gates dense layers with their bias in the last row ------------------------------------------

GATES = "meetshrihari/Deep-Learning-from-scratch"
GATES_FOLDER = "Exercise3/Layers"
GATES_EDITS = (
    # it prints a shape at each step
    ("print((np.hstack((self.hidden_state[time + 1], 1))[np.newaxis, :]).shape)", "pass"),
)
GATES_BEFORE = "import copy\n\nfrom base_layer import Base_Layer\nfrom fully_connected import FullyConnected"
GATES_LOSS = """


def loss_and_gradients(x, y, W, Wy):
    model = LSTM(4, 3, 2)
    model.weights = W
    model.fc_y.weights = Wy
    out = model.forward(x)
    dx = model.backward(out - y)
    return 0.5 * np.sum((out - y) ** 2), dx, model.gradient_weights, model.grad_wt_y
"""


def gates(m):
    r = numbers()
    return loss(m.loss_and_gradients, "x W Wy", x=r(4, 4), y=r(4, 2), W=r(8, 12), Wy=r(4, 2))


# logistic regression of a course, samples in columns ------------------------------------------------------------------

LOGISTIC = "dtruong46me/deep-learning-specialization"
LOGISTIC_LOSS = """


def loss_and_gradients(x, y, w, b):
    grads, cost = propagate(None, w, b, x, y)
    return cost, grads["dw"], grads["db"]
"""


def logistic(m):
    r = numbers()
    return loss(m.loss_and_gradients, "w b", x=r(4, 3), y=np.array([[1, 0, 1]]), w=r(4, 1), b=r(1, 1))


# the RNN over characters that a course gives to its students ----------------------------------------------------------

NAMES = "gmortuza/Deep-Learning-Specialization"
NAMES_PATH = (
    "5. Sequence Models/week 1/Programming assignment/Character level language model - Dinosaurus land/utils.py"
)
NAMES_WEIGHTS = {"Wax": (4, 5), "Waa": (4, 4), "Wya": (5, 4), "b": (4, 1), "by": (5, 1)}
NAMES_LOSS = f"""


def loss_and_gradients(x, y, a0, {", ".join(NAMES_WEIGHTS)}):
    parameters = dict(Wax=Wax, Waa=Waa, Wya=Wya, b=b, by=by)
    loss, cache = rnn_forward(x, y, a0, parameters, 5)
    grads, _ = rnn_backward(x, y, parameters, cache)
    return loss, grads["da_next"], *(grads["d" + name] for name in parameters)
"""


def names(m):
    r = numbers()
    weights = weights_of(r, " ".join(NAMES_WEIGHTS), *NAMES_WEIGHTS.values())
    given = {"x": [None, 3, 1, 0], "y": [3, 1, 0, 4], "a0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(["a0", *NAMES_WEIGHTS]), **given, **weights)


# a dense net with two hidden layers, from a lesson on checking gradients; a notebook ----------------------------------

LESSON = "ngocdung03/coursera-deeplearning-specialization"
LESSON_FOLDER = "2-Improving Deep Neural Networks/Practice W1.3 Gradient Checking"
LESSON_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (1, 5), "b3": (1, 1)}
LESSON_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(LESSON_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    cost, cache = forward_propagation_n(x, y, parameters)
    grads = backward_propagation_n(x, y, cache)
    return cost, *(grads["d" + name] for name in parameters)
"""


def lesson(m):
    r = numbers()
    weights = weights_of(r, " ".join(LESSON_WEIGHTS), *LESSON_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(LESSON_WEIGHTS), x=r(4, 3), y=np.array([[1, 0, 1]]), **weights)


# an LSTM of a course on sequence models; a notebook, time last --------------------------------------------------------

SEQUENCES = "AdalbertoCq/Deep-Learning-Specialization-Coursera"
SEQUENCES_FOLDER = "Sequence Models/week1/Building a RNN"
SEQUENCES_EDITS = (
    # wrong as published: the gradients of the weights are of the first step only
    *((f"d{kind}{gate} = gradients", f"d{kind}{gate} += gradients") for kind in "Wb" for gate in "fico"),
)


SUBJECTS = [
    Subject(
        POOLS,
        "convolution",
        (Part(POOLS_PATH, POOLS_TAKEN, POOLS_EDITS, "", POOLS_PASSES),),
        pools,
        published="the bias is added to each product of a window, and max pooling takes a window of the gradient",
    ),
    Subject(
        MINIMAL,
        "rnn",
        (
            Part(
                "min-char-rnn.py",
                "loss_function",
                arguments("loss_function", "inputs, targets, hprev", CHAR),
                "vocab_size, seq_length = 5, 3",
            ),
        ),
        characters("loss_function", CHAR, RNN_WEIGHTS),
    ),
    Subject(
        GATES,
        "lstm",
        (
            Part(f"{GATES_FOLDER}/Base.py", "Base_Layer Phase", (), "from enum import Enum as E", module="base_layer"),
            Part(
                f"{GATES_FOLDER}/FullyConnected.py",
                "FullyConnected",
                (),
                "from copy import deepcopy",
                module="fully_connected",
            ),
            Part(f"{GATES_FOLDER}/LSTM.py", "LSTM", GATES_EDITS, GATES_BEFORE, GATES_LOSS),
        ),
        gates,
    ),
    Subject(
        LOGISTIC,
        "logistic regression",
        (Part("course1/neural_networks.py", "sigmoid propagate", (), "", LOGISTIC_LOSS),),
        logistic,
    ),
    Subject(
        NAMES,
        "rnn",
        (
            Part(
                NAMES_PATH,
                "rnn_step_forward rnn_step_backward rnn_forward rnn_backward",
                (),
                SOFTMAX,
                NAMES_LOSS,
            ),
        ),
        names,
    ),
    Subject(
        LESSON,
        "dense",
        (
            Part(f"{LESSON_FOLDER}/gc_utils.py", "sigmoid relu", module="gc_utils"),
            Part(
                f"{LESSON_FOLDER}/Gradient Checking v1.ipynb",
                "forward_propagation_n backward_propagation_n",
                (),
                "from gc_utils import relu, sigmoid",
                LESSON_LOSS,
            ),
        ),
        lesson,
    ),
    Subject(
        SEQUENCES,
        "lstm",
        (
            Part(f"{SEQUENCES_FOLDER}/rnn_utils.py", "softmax sigmoid", module="rnn_utils"),
            Part(
                f"{SEQUENCES_FOLDER}/Building+a+Recurrent+Neural+Network+-+Step+by+Step+-+v3.ipynb",
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                SEQUENCES_EDITS,
                "from rnn_utils import sigmoid, softmax",
            ),
        ),
        coursera("lstm"),
        published="the gradients of the weights are of the first step only",
    ),
]

"""Subjects drawn by lot: the dense net of a book, a character RNN in a class, a convolution with two kinds of pool, an
LSTM, a net with one hidden layer and an RNN of courses, and a softmax classifier with loops and without."""

import numpy as np

from .eleventh_c import weights_of
from .functions import SIGMOID, SOFTMAX, coursera
from .programs import Part, Subject, loss, numbers, pair

# the dense net of a book, sample by sample, squared error -------------------------------------------------------------

SQUARED = "mnielsen/neural-networks-and-deep-learning"
SQUARED_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (3, 5), "b3": (3, 1)}
SQUARED_EDITS = (
    # it is Python 2
    ("xrange", "range"),
    ('print "', '"'),
    # these are escapes in a text that is not raw
    ("\\partial", "partial"),
    # gradients are kept where it learns
    ("self.weights = [w-(eta/len(mini_batch))*nw", "self.weights_gradient = [(eta/len(mini_batch))*nw"),
    ("self.biases = [b-(eta/len(mini_batch))*nb", "self.biases_gradient = [(eta/len(mini_batch))*nb"),
)
SQUARED_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(SQUARED_WEIGHTS)}):
    data = [(x[:, k : k + 1], y[:, k : k + 1]) for k in range(x.shape[1])]
    model = Network([4, 6, 5, 3])
    model.weights, model.biases = [W1, W2, W3], [b1, b2, b3]
    cost = sum(0.5 * np.sum((model.feedforward(a) - target) ** 2) for a, target in data) / len(data)
    model.update_mini_batch(data, 1)
    return cost, *(grad for pair in zip(model.weights_gradient, model.biases_gradient) for grad in pair)
"""


def squared(m):
    r = numbers()
    weights = weights_of(r, " ".join(SQUARED_WEIGHTS), *SQUARED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SQUARED_WEIGHTS), x=r(4, 3), y=np.eye(3)[:, [1, 2, 0]], **weights)


# a character RNN in a class -------------------------------------------------------------------------------------------

TYPED = "Ayushhgit/char_rnn_numpy"
TYPED_WEIGHTS = {"Wxh": (4, 5), "Whh": (4, 4), "Why": (5, 4), "bh": (4, 1), "by": (5, 1)}
TYPED_LOSS = f"""


def loss_and_gradients(inputs, targets, hprev, {", ".join(TYPED_WEIGHTS)}):
    model = CharRNN.__new__(CharRNN)  # without the numbers it draws and the lines it prints
    model.vocab_size = 5
    model.Wxh, model.Whh, model.Why, model.bh, model.by = Wxh, Whh, Why, bh, by
    cost, grads, last = model.forward_backward(inputs, targets, hprev)
    return cost, *(grads["d" + name] for name in {tuple(TYPED_WEIGHTS)})
"""


def typed(m):
    r = numbers()
    weights = weights_of(r, " ".join(TYPED_WEIGHTS), *TYPED_WEIGHTS.values())
    given = {"inputs": [0, 3, 1, 3], "targets": [3, 1, 3, 4], "hprev": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(TYPED_WEIGHTS), **given, **weights)


# a convolution and two kinds of pool of a course, with loops, channels last; a notebook -------------------------------

POOLS = "chavet/Coursera-Deep-Learning"
POOLS_PATH = "My Assignments/4-Convolutional Neural Networks/Week1/Convolution model - Step by Step - v1.ipynb"
POOLS_TAKEN = "zero_pad conv_single_step conv_forward conv_backward"
POOLS_TAKEN += " pool_forward create_mask_from_window distribute_value pool_backward"
POOLS_EDITS = (
    # wrong as published: the bias is added to each product, before the sum
    ("np.multiply(a_slice_prev,W)+b", "np.multiply(a_slice_prev,W)"),
    ("np.sum(s)", "np.sum(s) + b.item()"),
)
POOLS_LOSS = """


def forward(x, W, b):
    Z, conv = conv_forward(x, W, b, {"stride": 2, "pad": 1})
    highest, first = pool_forward(Z, {"f": 2, "stride": 1}, "max")
    average, second = pool_forward(Z, {"f": 2, "stride": 1}, "average")
    return highest, average, (conv, first, second)


def backward(dhighest, daverage, caches):
    conv, first, second = caches
    dZ = pool_backward(dhighest, first, "max") + pool_backward(daverage, second, "average")
    return conv_backward(dZ, conv)
"""


def pools(m):
    r = numbers()
    return pair(m.forward, m.backward, "x W b", 2, x=r(2, 6, 5, 2), W=r(3, 3, 2, 4), b=r(1, 1, 1, 4))


# an LSTM of a course; a notebook, time last ---------------------------------------------------------------------------

GATES = "BitterOcean/coursera-deep-learning-specialization"
GATES_PATH = "Sequence-Models/Week 1/Building_a_Recurrent_Neural_Network_Step_by_Step.ipynb"
GATES_EDITS = (
    # wrong as published: the hidden state carries nothing back from step t + 1
    (
        "lstm_cell_backward(da[:, :, t], dc_prevt, caches[t])",
        "lstm_cell_backward(da[:, :, t] + da_prevt, dc_prevt, caches[t])",
    ),
)

# a net with one hidden layer of a course; a notebook, samples in columns ----------------------------------------------

PLANAR = "AbhilashPal/Deep-Learning-Coursera"
PLANAR_PATH = "Neural Networks and Deep Learning/Planar+data+classification+with+one+hidden+layer+v5.ipynb"
PLANAR_WEIGHTS = {"W1": (5, 4), "b1": (5, 1), "W2": (1, 5), "b2": (1, 1)}
PLANAR_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(PLANAR_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2)
    A2, cache = forward_propagation(x, parameters)
    grads = backward_propagation(parameters, cache, x, y)
    return compute_cost(A2, y, parameters), *(grads["d" + name] for name in parameters)
"""


def planar(m):
    r = numbers()
    weights = weights_of(r, " ".join(PLANAR_WEIGHTS), *PLANAR_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(PLANAR_WEIGHTS), x=r(4, 3), y=np.array([[1, 0, 1]]), **weights)


# a softmax classifier of a course, with loops and without -------------------------------------------------------------

LINEAR = "dsc-sookmyung/2025-02-DeepLearning-AI-Study"
LINEAR_PATH = "Haerim_CV/WEEK02/practice/assignment1/cs231n/classifiers/softmax.py"
LINEAR_LOSS = """


def loss_and_gradients(x, y, A, B):
    first, dA = softmax_loss_naive(A, x, y, 0.3)
    second, dB = softmax_loss_vectorized(B, x, y, 0.2)
    return first + second, dA, dB
"""


def linear(m):
    r = numbers()
    return loss(m.loss_and_gradients, "A B", x=r(4, 5), y=np.array([2, 0, 1, 2]), A=r(5, 3), B=r(5, 3))


# an RNN of a course; a notebook, time last ----------------------------------------------------------------------------

WEEKS = "Sowmik23/Coursera-deeplearning-specialization"
WEEKS_PATH = "5_Sequence Models/week01/Building a recurrent neural network - step by step"
WEEKS_PATH += "/Building_a_Recurrent_Neural_Network_Step_by_Step_v3a.ipynb"


SUBJECTS = [
    Subject(
        SQUARED,
        "dense",
        (Part("src/network.py", "Network sigmoid sigmoid_prime", SQUARED_EDITS, "", SQUARED_LOSS),),
        squared,
    ),
    Subject(
        TYPED,
        "rnn",
        (Part("rnn_scratch.py", "CharRNN", (), "from typing import Dict, List, Tuple", TYPED_LOSS),),
        typed,
    ),
    Subject(
        POOLS,
        "convolution",
        (Part(POOLS_PATH, POOLS_TAKEN, POOLS_EDITS, "", POOLS_LOSS),),
        pools,
        published="the bias is added to each product of a window, before the sum",
    ),
    Subject(
        GATES,
        "lstm",
        (
            Part(
                GATES_PATH,
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                GATES_EDITS,
                SIGMOID + "\n\n" + SOFTMAX,
            ),
        ),
        coursera("lstm"),
        published="the hidden state carries nothing back from step t + 1",
    ),
    Subject(
        PLANAR,
        "dense",
        (
            Part(
                PLANAR_PATH,
                "forward_propagation compute_cost tanh_gradient backward_propagation",
                (),
                SIGMOID,
                PLANAR_LOSS,
            ),
        ),
        planar,
    ),
    Subject(
        LINEAR,
        "softmax",
        (Part(LINEAR_PATH, "softmax_loss_naive softmax_loss_vectorized", (), "", LINEAR_LOSS),),
        linear,
    ),
    Subject(
        WEEKS,
        "rnn",
        (Part(WEEKS_PATH, "rnn_cell_forward rnn_forward rnn_cell_backward rnn_backward", (), SOFTMAX),),
        coursera("rnn"),
    ),
]

"""Subjects drawn by lot: dense nets of two courses, of a homework on projects and of a book, with dropout and with two
costs; a convolution of a course; an RNN over characters in one class; the LSTM of a course on sequence models."""

import numpy as np

from .eleventh_c import weights_of
from .functions import CARRIED, STORED, coursera
from .programs import Part, Subject, loss, numbers, pair

# dense layers of a course, samples in columns, caches in tuples -------------------------------------------------------

CACHES = "catchy666/Coursera-Deep-Learning-Andrew-Ng"
CACHES_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (1, 5), "b3": (1, 1)}
CACHES_UTILS = "sigmoid sigmoid_backward relu relu_backward"
CACHES_MODEL = """linear_forward linear_activation_forward L_model_forward compute_cost linear_backward
linear_activation_backward L_model_backward"""
CACHES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(CACHES_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    AL, caches = L_model_forward(x, parameters)
    grads = L_model_backward(AL, y, caches)
    return compute_cost(AL, y), *(grads["d" + name] for name in parameters)
"""


def caches(m):
    r = numbers()
    weights = weights_of(r, " ".join(CACHES_WEIGHTS), *CACHES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(CACHES_WEIGHTS), x=r(4, 4), y=np.array([[1, 0, 0, 1]]), **weights)


# a homework of a course: a function for each net, which updates the weights at once -----------------------------------

HOMEWORK = "iamymind/11-785-Deep-Learning"
HOMEWORK_WEIGHTS = {"A1": (4, 6), "a1": (6,), "A2": (6, 3), "a2": (3,)}
HOMEWORK_WEIGHTS |= {"B1": (4, 6), "b1": (6,), "B2": (6, 5), "b2": (5,), "B3": (5, 3), "b3": (3,)}
HOMEWORK_WEIGHTS |= {"C1": (4, 5), "c1": (5,), "C2": (5, 7), "c2": (7,), "C3": (7, 3), "c3": (3,)}
HOMEWORK_WEIGHTS |= {"D1": (4, 7), "d1": (7,), "D2": (7, 3), "d2": (3,)}
HOMEWORK_EDITS = (
    # gradients are returned, with the loss, where new weights were
    *((f"weights[{k}]-lr*gradW{k + 1}", f"gradW{k + 1}") for k in (0, 1)),
    *((f"bias[{k}]-lr*gradb{k + 1}", f"gradb{k + 1}") for k in (0, 1)),
    ("weights[k-1]-lr*gradW", "gradW"),
    ("bias[k-1]-lr*gradb", "gradb"),
    ("return updated_weights, updated_bias", "return loss, updated_weights, updated_bias"),
    # a list of two is no pair of indices in the NumPy of today
    ("output[[range(T),Y]]", "output[range(T),Y]"),
    ("gradDivZ2[[range(T),Y]]", "gradDivZ2[range(T),Y]"),
    ("gradDivYN[[range(T),Y]]", "gradDivYN[range(T),Y]"),
    # wrong as published: what is taken off before exp is not the same for the classes of a sample
    ("np.exp(z-np.max(z,axis=0))", "np.exp(z-np.max(z,axis=1,keepdims=True))"),
)
HOMEWORK_BEFORE = "from scipy.special import expit"
HOMEWORK_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(HOMEWORK_WEIGHTS)}):
    total, found = 0, []
    for kind, weights, bias in (
        (None, [A1, A2], [a1, a2]),
        ("sigmoid", [B1, B2, B3], [b1, b2, b3]),
        ("tanh", [C1, C2, C3], [c1, c2, c3]),
        ("relu", [D1, D2], [d1, d2]),
    ):
        if kind is None:
            cost, grads, bias_grads = update_weights_single_layer(x, y, weights, bias, 1)
        else:
            cost, grads, bias_grads = update_weights_double_layer_act(x, y, weights, bias, 1, kind)
        total += cost
        found += [grad for pair in zip(grads, bias_grads) for grad in pair]
    return total, *found
"""


def homework(m):
    r = numbers()
    weights = weights_of(r, " ".join(HOMEWORK_WEIGHTS), *HOMEWORK_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(HOMEWORK_WEIGHTS), x=r(4, 4), y=np.array([1, 2, 0, 1]), **weights)


# a dense net with dropout, kinds of activations by name ---------------------------------------------------------------

PROJECT = "DimitriosKaratis/Neural-Networks-and-Deep-Learning-Projects"
PROJECT_WEIGHTS = {"A1": (4, 6), "a1": (1, 6), "A2": (6, 5), "a2": (1, 5), "A3": (5, 3), "a3": (1, 3)}
PROJECT_WEIGHTS |= {"B1": (4, 8), "b1": (1, 8), "B2": (8, 7), "b2": (1, 7), "B3": (7, 3), "b3": (1, 3)}
PROJECT_EDITS = (
    # wrong as published: the slope of tanh is taken at its result
    ("return 1 - np.tanh(z)**2", "return 1 - z**2"),
    # wrong as published: what dropout divides by is left out of the backward pass
    ("self.weights[i + 1].T) * derivative", "self.weights[i + 1].T) * derivative / (1 - self.dropout_rate)"),
)
PROJECT_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(PROJECT_WEIGHTS)}):
    np.random.seed(4)  # the same places are dropped each time
    total, found = 0, []
    for sizes, kinds, rate, weights in (
        ([6, 5], ["tanh", "relu"], 0.0, (A1, a1, A2, a2, A3, a3)),
        ([8, 7], ["relu", "relu"], 0.4, (B1, b1, B2, b2, B3, b3)),
    ):
        model = myMLP(3, sizes, kinds, 4, rate)
        model.weights, model.biases = list(weights[::2]), list(weights[1::2])
        activations = model._forward(x, training=True)
        total += model._compute_loss(y, activations[-1])
        grads = model._backward(y, activations, len(x))
        found += [grad for pair in zip(*grads) for grad in pair]
    return total, *found
"""


def project(m):
    r = numbers()
    weights = weights_of(r, " ".join(PROJECT_WEIGHTS), *PROJECT_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(PROJECT_WEIGHTS), x=r(4, 4), y=np.array([2, 0, 1, 0]), **weights)


# the dense net of a book, sample by sample, with two costs and decay of weights ---------------------------------------

BOOK = "HorusTheSonOfOsiris/neural-networks-and-deep-learning"
BOOK_WEIGHTS = {"A1": (6, 4), "a1": (6, 1), "A2": (5, 6), "a2": (5, 1), "A3": (3, 5), "a3": (3, 1)}
BOOK_WEIGHTS |= {"B1": (7, 4), "b1": (7, 1), "B2": (3, 7), "b2": (3, 1)}
BOOK_EDITS = (
    # gradients are kept where it learns
    (
        "self.weights = [(1-eta*(lmbda/n))*w-(eta/len(mini_batch))*nw",
        "self.weights_gradient = [eta*(lmbda/n)*w+(eta/len(mini_batch))*nw",
    ),
    ("self.biases = [b-(eta/len(mini_batch))*nb", "self.biases_gradient = [(eta/len(mini_batch))*nb"),
)
BOOK_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(BOOK_WEIGHTS)}):
    data = [(x[:, k : k + 1], y[:, k : k + 1]) for k in range(x.shape[1])]
    total, found = 0, []
    for sizes, cost, weights in (
        ([4, 6, 5, 3], CrossEntropyCost, (A1, a1, A2, a2, A3, a3)),
        ([4, 7, 3], QuadraticCost, (B1, b1, B2, b2)),
    ):
        model = Network(sizes, cost)
        model.weights, model.biases = list(weights[::2]), list(weights[1::2])
        total += model.total_cost(data, 0.3)
        model.update_mini_batch(data, 1, 0.3, len(data))
        found += [grad for pair in zip(model.weights_gradient, model.biases_gradient) for grad in pair]
    return total, *found
"""


def book(m):
    r = numbers()
    weights = weights_of(r, " ".join(BOOK_WEIGHTS), *BOOK_WEIGHTS.values())
    y = np.eye(3)[:, [0, 2, 1]]
    return loss(m.loss_and_gradients, " ".join(BOOK_WEIGHTS), x=r(4, 3), y=y, **weights)


# a convolution of a course, with loops, channels last -----------------------------------------------------------------

LOOPS = "Matankl/Deep-Learning-Coursera"
LOOPS_EDITS = (
    # an array of three axes is no number in the NumPy of today
    ("Z + float(b)", "Z + b.item()"),
)


def loops(m):
    r = numbers()
    given = {"A_prev": r(2, 6, 5, 2), "W": r(3, 3, 2, 4), "b": r(1, 1, 1, 4), "hparameters": {"stride": 2, "pad": 1}}
    return pair(m.conv_forward, m.conv_backward, "A_prev W b", **given)


# an RNN over characters in one class ----------------------------------------------------------------------------------

MEMORY = "Bsagar07/rnn_from_scratch"
MEMORY_WEIGHTS = {"W1": (4, 5), "W2": (4, 4), "W3": (5, 4), "b1": (4, 1), "b2": (5, 1)}
MEMORY_EDITS = (
    # wrong as published: the method lacks its object
    ("def softmax(x)", "def softmax(self, x)"),
    # wrong as published: there is no length of a number
    ("range(len(self.seq_length))", "range(self.seq_length)"),
    # wrong as published: there is no array of this name
    ("dw3 += ", "dW3 += "),
)
MEMORY_LOSS = f"""


def loss_and_gradients(x, y, memory, {", ".join(MEMORY_WEIGHTS)}):
    model = RNN(4, 5, len(x), 1)
    model.W1, model.W2, model.W3, model.b1, model.b2 = W1, W2, W3, b1, b2
    xs, h, p = model.forward(x, memory)
    return np.sum(model.loss(p, y)), *model.backprop(xs, h, p, y)
"""


def memory(m):
    r = numbers()
    weights = weights_of(r, " ".join(MEMORY_WEIGHTS), *MEMORY_WEIGHTS.values())
    given = {"x": np.array([0, 3, 1, 3]), "y": np.array([[3], [1], [3], [4]]), "memory": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(MEMORY_WEIGHTS), **given, **weights)


# the LSTM of a course on sequence models ------------------------------------------------------------------------------

SEQUENCES = "MrinmoiHossain/Deep-Learning-Specialization-Coursera"
SEQUENCES_FOLDER = "Course_5-Sequence_Models/Week-1/Assignment/Building_a_recurrent_neural_network"
SEQUENCES_EDITS = (
    # wrong as published: nothing is carried back from step t + 1
    (
        "lstm_cell_backward(da[:, :, t], dc_prevt, caches[t])",
        "lstm_cell_backward(da[:, :, t] + da_prevt, dc_prevt, caches[t])",
    ),
    (STORED, STORED + CARRIED),
)


SUBJECTS = [
    Subject(
        CACHES,
        "dense",
        (
            Part("assignments/c1-w4/dnn_utils.py", CACHES_UTILS, module="dnn_utils"),
            Part(
                "assignments/c1-w4/c1-week4.ipynb",
                CACHES_MODEL,
                (),
                f"from dnn_utils import {', '.join(CACHES_UTILS.split())}",
                CACHES_LOSS,
            ),
        ),
        caches,
    ),
    Subject(
        HOMEWORK,
        "dense",
        (
            Part(
                "assignment1/hw1/demotestshw1/hw1/hw1.py",
                "softmax sigmoid update_weights_single_layer update_weights_double_layer_act",
                HOMEWORK_EDITS,
                HOMEWORK_BEFORE,
                HOMEWORK_LOSS,
            ),
        ),
        homework,
        published="softmax takes off a number that differs between the classes of a sample",
    ),
    Subject(
        PROJECT,
        "dense",
        (Part("Project_1/code/myMLP.py", "myMLP", PROJECT_EDITS, "", PROJECT_LOSS),),
        project,
        published="the slope of tanh is taken at its result, and what dropout divides by is left out",
    ),
    Subject(
        BOOK,
        "dense",
        (
            Part(
                "code/python3/network2.py",
                "QuadraticCost CrossEntropyCost Network sigmoid sigmoid_prime",
                BOOK_EDITS,
                "",
                BOOK_LOSS,
            ),
        ),
        book,
    ),
    Subject(
        LOOPS,
        "convolution",
        (
            Part(
                "course 4/Convolution_model_Step_by_Step_v1_C4_W1.ipynb",
                "zero_pad conv_single_step conv_forward conv_backward",
                LOOPS_EDITS,
            ),
        ),
        loops,
    ),
    Subject(
        MEMORY,
        "rnn",
        (Part("model.py", "RNN", MEMORY_EDITS, "", MEMORY_LOSS),),
        memory,
        published="softmax lacks its object, the loss breaks off, and a name is misspelt",
    ),
    Subject(
        SEQUENCES,
        "lstm",
        (
            Part(f"{SEQUENCES_FOLDER}/rnn_utils.py", "softmax sigmoid", module="rnn_utils"),
            Part(
                f"{SEQUENCES_FOLDER}/Building-a-Recurrent-Neural-Network-Step-by-Step-v3.ipynb",
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                SEQUENCES_EDITS,
                "from rnn_utils import sigmoid, softmax",
            ),
        ),
        coursera("lstm"),
        published="nothing is carried back from step t + 1",
    ),
]

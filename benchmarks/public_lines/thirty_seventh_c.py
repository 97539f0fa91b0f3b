"""Subjects drawn by lot: a dense net, convolution with pooling, twice, a net with one hidden layer and an LSTM, all of
courses on deep learning; word vectors of a course on language; two layers of an RNN in classes."""

import numpy as np

from .eleventh_c import weights_of
from .functions import SIGMOID, SOFTMAX, coursera
from .programs import Part, Subject, loss, numbers, pair

# dense layers of a course, samples in columns, caches in tuples -------------------------------------------------------

DEEP = "SquaredR98/deeplearning.ai"
DEEP_FOLDER = (
    "Deep Learning/Course 1 - Neural Networks and Deep Learning/Week 4 - Deep Neural Network/"
    "01. Building Deep Neural Network Step By Step"
)
DEEP_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (1, 5), "b3": (1, 1)}
DEEP_UTILS = "sigmoid sigmoid_backward relu relu_backward"
DEEP_MODEL = """linear_forward linear_activation_forward L_model_forward compute_cost linear_backward
linear_activation_backward L_model_backward"""
DEEP_EDITS = (
    # wrong as published: hidden layers go back through a sigmoid, each from the end of the net
    (
        "linear_backward(sigmoid_backward(dAL, current_cache[1]), current_cache[0])",
        'linear_activation_backward(grads["dA" + str(l + 1)], current_cache, "relu")',
    ),
)
DEEP_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DEEP_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    AL, caches = L_model_forward(x, parameters)
    grads = L_model_backward(AL, y, caches)
    return compute_cost(AL, y), *(grads["d" + name] for name in parameters)
"""


def deep(m):
    r = numbers()
    weights = weights_of(r, " ".join(DEEP_WEIGHTS), *DEEP_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DEEP_WEIGHTS), x=r(4, 4), y=np.array([[1, 0, 0, 1]]), **weights)


# convolution and pooling of a course, a file for each function --------------------------------------------------------

FILES = "baishuhuaGitHub/DeepLearning.ai"
FILES_FOLDER = "Coursera-deeplearning.ai4-1"
FILES_NUMBER = (
    # an array of three axes is no number in the NumPy of today
    ("float(b)", "b.item()"),
)
FILES_POOL = (
    # wrong as published: the width that comes out is counted from the channels
    ("(n_C_prev - f)", "(n_W_prev - f)"),
)
FILES_BEFORE = """from conv_backward import conv_backward
from conv_forward import conv_forward
from create_mask_from_window import create_mask_from_window
from distribute_value import distribute_value
from pool_forward import pool_forward"""
FILES_PASSES = """


def forward(A_prev, W, b, V, v):
    Z, first = conv_forward(A_prev, W, b, {"stride": 1, "pad": 1})
    A, second = pool_forward(Z, {"stride": 2, "f": 3}, "max")
    Z, third = conv_forward(A, V, v, {"stride": 2, "pad": 2})
    A, fourth = pool_forward(Z, {"stride": 1, "f": 2}, "average")
    return A, (first, second, third, fourth)


def backward(dA, cache):
    first, second, third, fourth = cache
    dZ = pool_backward(dA, fourth, "average")
    dA, dV, dv = conv_backward(dZ, third)
    dZ = pool_backward(dA, second, "max")
    return *conv_backward(dZ, first), dV, dv
"""


def files(m):
    r = numbers()
    weights = {"W": r(2, 2, 2, 3), "b": r(1, 1, 1, 3), "V": r(3, 3, 3, 4), "v": r(1, 1, 1, 4)}
    return pair(m.forward, m.backward, "A_prev W b V v", A_prev=r(2, 6, 5, 2), **weights)


# convolution and pooling of a course, in a notebook -------------------------------------------------------------------

CELLS = "rodrigoparente/deep-learning-specialization"
CELLS_PATH = (
    "04 - Convolutional Neural Networks/Exercises/01 - Convolutional Model, Step by Step/"
    "Convolution_model_Step_by_Step_v1.ipynb"
)
CELLS_TAKEN = """zero_pad conv_single_step conv_forward pool_forward conv_backward create_mask_from_window
distribute_value pool_backward"""
CELLS_PASSES = """


def forward(A_prev, W, b, V, v):
    A, first = pool_forward(A_prev, {"stride": 1, "f": 2}, "average")
    Z, second = conv_forward(A, W, b, {"stride": 2, "pad": 1})
    Z, third = conv_forward(Z, V, v, {"stride": 1, "pad": 2})
    A, fourth = pool_forward(Z, {"stride": 2, "f": 3}, "max")
    return A, (first, second, third, fourth)


def backward(dA, cache):
    first, second, third, fourth = cache
    dZ = pool_backward(dA, fourth, "max")
    dZ, dV, dv = conv_backward(dZ, third)
    dA, dW, db = conv_backward(dZ, second)
    return pool_backward(dA, first, "average"), dW, db, dV, dv
"""


def cells(m):
    r = numbers()
    weights = {"W": r(3, 3, 2, 3), "b": r(1, 1, 1, 3), "V": r(2, 2, 3, 4), "v": r(1, 1, 1, 4)}
    return pair(m.forward, m.backward, "A_prev W b V v", A_prev=r(2, 7, 6, 2), **weights)


# word vectors of a course: a word foretells those around it, and they foretell it -------------------------------------

VECTORS = "PanXiebit/standford-cs224d"
VECTORS_TAKEN = "softmaxCostAndGradient negSamplingCostAndGradient skipgram cbow word2vec_sgd_wrapper"
VECTORS_EDITS = (
    # fewer windows
    ("batchsize = 50", "batchsize = 3"),
)
VECTORS_BEFORE = """import random

from q1_softmax import softmax
from q2_sigmoid import sigmoid"""
# each call draws the same words
VECTORS_LOSS = """


class Words:
    def sampleTokenIdx(self):
        return random.randint(0, 4)

    def getRandomContext(self, size):
        return random.choice("abcde"), [random.choice("abcde") for _ in range(2 * size)]


def loss_and_gradients(tokens, first, second):
    random.seed(3)
    cost, grad = word2vec_sgd_wrapper(skipgram, tokens, first, Words(), 2)
    more, others = word2vec_sgd_wrapper(cbow, tokens, second, Words(), 2, negSamplingCostAndGradient)
    return np.sum(cost) + np.sum(more), grad, others
"""


def vectors(m):
    r = numbers()
    tokens = {letter: k for k, letter in enumerate("abcde")}
    return loss(m.loss_and_gradients, "first second", tokens=tokens, first=r(10, 3), second=r(10, 4))


# one hidden layer of a course, tanh and then sigmoid ------------------------------------------------------------------

HIDDEN = "MustafaGamal1/Coursera-Deep-Learning-Specialization"
HIDDEN_FOLDER = "1.Neural Networks and Deep Learning/Week 3"
HIDDEN_WEIGHTS = {"W1": (5, 3), "b1": (5, 1), "W2": (1, 5), "b2": (1, 1)}
HIDDEN_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(HIDDEN_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2)
    A2, cache = forward_propagation(x, parameters)
    grads = backward_propagation(parameters, cache, x, y)
    return compute_cost(A2, y, parameters), *(grads["d" + name] for name in parameters)
"""


def hidden(m):
    r = numbers()
    weights = weights_of(r, " ".join(HIDDEN_WEIGHTS), *HIDDEN_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(HIDDEN_WEIGHTS), x=r(3, 4), y=np.array([[1, 0, 0, 1]]), **weights)


# an RNN in classes: a node for each step, weights in dicts with their gradients ---------------------------------------

NODES = "Kiem-cmd/cs224n-NLP"
NODES_WEIGHTS = {"Aw": (6, 5), "Ah": (6, 6), "Ax": (4, 6), "ab": (1, 6), "ay": (1, 5)}
NODES_WEIGHTS |= {"Bw": (7, 3), "Bh": (7, 7), "Bx": (5, 7), "bb": (1, 7), "by": (1, 3)}
NODES_EDITS = (
    # wrong as published: the next step does not get the state
    ("out,h = self.cells", "out,h_in = self.cells"),
    # wrong as published: there is no h here, and three results where two are taken
    ("return dx,h,params_dict", "return dx,dh"),
)
NODES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(NODES_WEIGHTS)}):
    layers = [Rnn_Layer(6, 5), Rnn_Layer(7, 3)]
    values = (Aw, Ah, Ax, ab, ay), (Bw, Bh, Bx, bb, by)
    out = x
    for layer, weights in zip(layers, values):
        layer.init(out)
        layer.first = False
        layer.h0 = np.linspace(-1, 1, layer.hidden_dim)[None]
        for name, value in zip(("Ws", "Whh", "Whx", "bx", "by"), weights):
            layer.params[name]["value"] = value
        out = layer.forward(out)
    loss = 0.5 * np.sum((out - y) ** 2)
    grad = out - y
    for layer in reversed(layers):
        grad = layer.backward(grad)
    found = [layer.params[name]["grad"] for layer in layers for name in ("Ws", "Whh", "Whx", "bx", "by")]
    return loss, grad, *found
"""


def nodes(m):
    r = numbers()
    weights = weights_of(r, " ".join(NODES_WEIGHTS), *NODES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(["x", *NODES_WEIGHTS]), x=r(2, 3, 4), y=r(2, 3, 3), **weights)


# the LSTM of a course on sequence models ------------------------------------------------------------------------------

GATES = "muhac/coursera-deep-learning-solutions"
GATES_FOLDER = "E - Sequence Models/week 1"
GATES_EDITS = (
    # wrong as published: the slopes of the gates are left out of what goes to the state and the input
    ("np.dot(parameters['Wf'].T, dft)", "np.dot(parameters['Wf'].T, dft * ft * (1 - ft))"),
    ("np.dot(parameters['Wo'].T, dot)", "np.dot(parameters['Wo'].T, dot * ot * (1 - ot))"),
    ("np.dot(parameters['Wi'].T, dit)", "np.dot(parameters['Wi'].T, dit * it * (1 - it))"),
    ("np.dot(parameters['Wc'].T, dcct)", "np.dot(parameters['Wc'].T, dcct * (1 - cct ** 2))"),
    # wrong as published: the gradients of the weights are of the first step only
    *((f"d{kind}{gate} = gradients", f"d{kind}{gate} += gradients") for kind in "Wb" for gate in "fico"),
)


SUBJECTS = [
    Subject(
        DEEP,
        "dense",
        (
            Part(f"{DEEP_FOLDER}/dnn_utils_v2.py", DEEP_UTILS, module="dnn_utils"),
            Part(
                f"{DEEP_FOLDER}/Building_your_Deep_Neural_Network_Step_by_Step_v8a.ipynb",
                DEEP_MODEL,
                DEEP_EDITS,
                f"from dnn_utils import {', '.join(DEEP_UTILS.split())}",
                DEEP_LOSS,
            ),
        ),
        deep,
        published="hidden layers go back through a sigmoid, each from the end of the net",
    ),
    Subject(
        FILES,
        "convolution",
        (
            *(
                Part(f"{FILES_FOLDER}/{name}.py", name, edits, before, module=name)
                for name, edits, before in (
                    ("zero_pad", (), ""),
                    ("conv_single_step", FILES_NUMBER, ""),
                    ("create_mask_from_window", (), ""),
                    ("distribute_value", (), ""),
                    (
                        "conv_forward",
                        (),
                        "from conv_single_step import conv_single_step\nfrom zero_pad import zero_pad",
                    ),
                    ("pool_forward", FILES_POOL, ""),
                    ("conv_backward", (), "from zero_pad import zero_pad"),
                )
            ),
            Part(f"{FILES_FOLDER}/pool_backward.py", "pool_backward", (), FILES_BEFORE, FILES_PASSES),
        ),
        files,
        published="the width that comes out of pooling is counted from the channels",
    ),
    Subject(
        CELLS,
        "convolution",
        (Part(CELLS_PATH, CELLS_TAKEN, FILES_NUMBER, "", CELLS_PASSES),),
        cells,
    ),
    Subject(
        VECTORS,
        "word vectors",
        (
            Part("assignment1/q1_softmax.py", "softmax", module="q1_softmax"),
            Part("assignment1/q2_sigmoid.py", "sigmoid", module="q2_sigmoid"),
            Part("assignment1/q3_word2vec.py", VECTORS_TAKEN, VECTORS_EDITS, VECTORS_BEFORE, VECTORS_LOSS),
        ),
        vectors,
    ),
    Subject(
        HIDDEN,
        "hidden layer",
        (
            Part(
                f"{HIDDEN_FOLDER}/Planar_data_classification_with_onehidden_layer_v6c.ipynb",
                "forward_propagation compute_cost backward_propagation",
                (),
                SIGMOID,
                HIDDEN_LOSS,
            ),
        ),
        hidden,
    ),
    Subject(
        NODES,
        "rnn",
        (
            Part(
                "Lecture 5 RNN, GRU, LSTM/model/rnn_from_Scratch.py",
                "RNN_Node Rnn_Layer",
                NODES_EDITS,
                "",
                NODES_LOSS,
            ),
        ),
        nodes,
        published="the next step does not get the state, and a step's backward pass does not return its gradient",
    ),
    Subject(
        GATES,
        "lstm",
        (
            Part(
                f"{GATES_FOLDER}/Building_a_Recurrent_Neural_Network_Step_by_Step_v3a.py",
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                GATES_EDITS,
                f"{SIGMOID}\n\n{SOFTMAX}",
            ),
        ),
        coursera("lstm"),
        published="slopes of gates are left out on the way to the state, and only one step counts for the weights",
    ),
]

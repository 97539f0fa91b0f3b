"""Subjects drawn by lot: the LSTM of a course on sequence models; dense nets of two students of another course, one
with decay of weights and dropout; an RNN over characters; convolutions and pooling of a homework; two LSTMs over
characters."""

import numpy as np

from .eleventh_c import weights_of
from .functions import CARRIED, FROM_PARAMETERS, STORED, UNPACK, coursera
from .programs import Part, Subject, loss, numbers

# the LSTM of a course on sequence models ------------------------------------------------------------------------------

SEQUENCES = "Zhenye-Na/Deep-Learning-Specialization"
SEQUENCES_FOLDER = "05_Sequence Models/week1/Building a Recurrent Neural Network - Step by Step"
SEQUENCES_EDITS = (
    # weights that were globals of the notebook
    (UNPACK, UNPACK + FROM_PARAMETERS),
    # wrong as published: what is to be carried back to step t - 1 is not kept
    (STORED, STORED + CARRIED),
)

# dense layers of a course, samples in columns, caches in tuples -------------------------------------------------------

LAYERS = "liamhan0905/Coursera-DeepLearning"
LAYERS_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (1, 5), "b3": (1, 1)}
LAYERS_MODEL = """linear_forward linear_activation_forward L_model_forward compute_cost linear_backward
linear_activation_backward L_model_backward"""
# the file of activations that the notebook imports is not in the repository
LAYERS_BEFORE = """

def sigmoid(Z):
    return 1 / (1 + np.exp(-Z)), Z


def relu(Z):
    return np.maximum(0, Z), Z


def sigmoid_backward(dA, cache):
    s = 1 / (1 + np.exp(-cache))
    return dA * s * (1 - s)


def relu_backward(dA, cache):
    return dA * (cache > 0)
"""
LAYERS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(LAYERS_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    AL, caches = L_model_forward(x, parameters)
    grads = L_model_backward(AL, y, caches)
    return compute_cost(AL, y), *(grads["d" + name] for name in parameters)
"""


def layers(m):
    r = numbers()
    weights = weights_of(r, " ".join(LAYERS_WEIGHTS), *LAYERS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(LAYERS_WEIGHTS), x=r(4, 4), y=np.array([[1, 0, 0, 1]]), **weights)


# an RNN over characters in one class ----------------------------------------------------------------------------------

CHARACTERS = "moatazaymane/numpy-rnn-attention"
CHARACTERS_WEIGHTS = {"Wi": (4, 5), "Wh": (4, 4), "Wo": (5, 4), "bh": (4, 1), "bo": (5, 1)}
CHARACTERS_EDITS = (
    # wrong as published: the method stands inside the constructor
    ("    def softmax(self", "  def softmax(self"),
    # wrong as published: weights stand behind columns in the forward pass, before them in the backward pass
    ("xs[t] @ self.Wi + hs[t-1] @ self.Wh", "self.Wi @ xs[t] + self.Wh @ hs[t-1]"),
    ("hs[t] @ self.Wo", "self.Wo @ hs[t]"),
    # wrong as published: it returns after the first step
    ("      return xs, hs, yh", "    return xs, hs, yh"),
    # wrong as published: there is no length of a number
    ("len(self.seq_length)", "self.seq_length"),
    # wrong as published: the slope of softmax takes one off the result
    ("do[targets[step]] = - 1", "do[targets[step]] -= 1"),
    # wrong as published: nothing is carried back from step t + 1
    ("dh = np.dot(self.Wo.T, do)", "dh = np.dot(self.Wo.T, do) + dhn"),
    # wrong as published: the input of the step before stands for its hidden state
    ("dwh += np.dot(dhr, xs[step-1].T)", "dwh += np.dot(dhr, hs[step-1].T)"),
    # gradients are not clipped
    ("np.clip(dparam, -4, 4, out = dparam)", "pass"),
)
# the constructor, which makes zeros of no shape, is passed over
CHARACTERS_LOSS = f"""


def loss_and_gradients(x, y, memory, {", ".join(CHARACTERS_WEIGHTS)}):
    model = RNN.__new__(RNN)
    model.hidden_s, model.vocab_size, model.seq_length = 4, 5, len(x)
    model.Wi, model.Wh, model.Wo, model.bh, model.bo = Wi, Wh, Wo, bh, bo
    xs, hs, yh = model.forward(x, memory)
    return model.loss(yh, y), *model.backward(xs, hs, yh, y)
"""


def characters(m):
    r = numbers()
    weights = weights_of(r, " ".join(CHARACTERS_WEIGHTS), *CHARACTERS_WEIGHTS.values())
    given = {"x": np.array([0, 3, 1, 4]), "y": np.array([3, 1, 4, 2]), "memory": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(CHARACTERS_WEIGHTS), **given, **weights)


# convolutions of a homework: a convolution, means, a transposed convolution, maxima -----------------------------------

PICTURES = "XulunLuo/Intro-to-DeepLearning-11-785"
PICTURES_FOLDER = "HW2/HW2P1/hw2p1_handout/mytorch/nn"
PICTURES_BEFORE = """from Conv2d import Conv2d
from ConvTranspose import ConvTranspose2d
from resampling import Downsample2d"""
PICTURES_LOSS = """


def loss_and_gradients(x, y, W1, b1, W2, b2):
    conv, means = Conv2d(2, 3, 3, 2, 1), MeanPool2d(2, 1)
    transposed, maxima = ConvTranspose2d(3, 4, 2, 2), MaxPool2d(2, 2)
    conv.conv2d_stride1.W, conv.conv2d_stride1.b = W1, b1
    transposed.conv2d_stride1.W, transposed.conv2d_stride1.b = W2, b2
    chain = [conv, means, transposed, maxima]
    value = x
    for one in chain:
        value = one.forward(value)
    grad = y
    for one in reversed(chain):
        grad = one.backward(grad)
    found = [g for one in (conv, transposed) for g in (one.conv2d_stride1.dLdW, one.conv2d_stride1.dLdb)]
    return np.sum(value * y), grad, *found
"""


def pictures(m):
    r = numbers()
    given = {"x": r(2, 2, 7, 6), "y": r(2, 4, 2, 1)}
    given |= {"W1": r(3, 2, 3, 3), "b1": r(3), "W2": r(4, 3, 2, 2), "b2": r(4)}
    return loss(m.loss_and_gradients, "x W1 b1 W2 b2", **given)


# an LSTM over characters in two functions -----------------------------------------------------------------------------

LISTS = "arunkumar404/RNN-LSTM"
LISTS_WEIGHTS = {"W_f": (4, 9), "W_i": (4, 9), "W_g": (4, 9), "W_o": (4, 9), "W_v": (5, 4)}
LISTS_WEIGHTS |= {"b_f": (4, 1), "b_i": (4, 1), "b_g": (4, 1), "b_o": (4, 1), "b_v": (5, 1)}
LISTS_UTILS = "sigmoid tanh softmax clip_gradient_norm"
LISTS_UTILS_EDITS = (
    # wrong as published: slopes are asked for at results, but taken at what goes in
    ("return sig * (1 - sig)", "return x * (1 - x)"),
    ("return 1 - t ** 2", "return 1 - x ** 2"),
    # gradients are not clipped
    ("max_norm=1.0", "max_norm=np.inf"),
)
LISTS_FORWARD_EDITS = (
    # a name that NumPy gives up
    ("np.row_stack", "np.vstack"),
)
LISTS_BACKWARD_EDITS = (
    # wrong as published: the lists of states begin with those before the first step
    ("C_prev = C[t-1]", "C_prev = C[t]"),
    ("tanh(C[t])", "tanh(C[t + 1])"),
    ("np.dot(dv, h[t].T)", "np.dot(dv, h[t + 1].T)"),
    # wrong as published: the mean is taken over the classes too
    ("-np.mean(np.log(", "-np.sum(np.log("),
    # wrong as published: the slope of the forget gate is its value
    ("sigmoid(f[t]) * df", "sigmoid(f[t], derivative=True) * df"),
    # wrong as published: nothing is carried back from step t + 1
    ("dh_prev = dz", "dh_next = dz"),
    ("dC_prev = f[t] * dC", "dC_next = f[t] * dC"),
)
LISTS_LOSS = f"""


def loss_and_gradients(x, y, h, c, {", ".join(LISTS_WEIGHTS)}):
    p = ({", ".join(LISTS_WEIGHTS)})
    total, grads = backward(*forward(x, h, c, p, 4), y, p, 4)
    return total, *grads
"""


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())
    one_hot = np.eye(5)[:, :, None]
    given = {"x": one_hot[[0, 3, 1, 4]], "y": one_hot[[3, 1, 4, 2]], "h": r(4, 1), "c": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(LISTS_WEIGHTS), **given, **weights)


# an LSTM over characters in a class, states in rows, a step at a time -------------------------------------------------

ROWS = "Ricardicus/recurrent-neural-net"
ROWS_WEIGHTS = {"Wf": (9, 4), "Wi": (9, 4), "Wc": (9, 4), "Wo": (9, 4), "Wy": (4, 5)}
ROWS_WEIGHTS |= {"bf": (1, 4), "bi": (1, 4), "bc": (1, 4), "bo": (1, 4), "by": (1, 5)}
ROWS_TAKEN = "tanh dtanh sigmoid dsigmoid fc_backward softmax cross_entropy_loss lstm"
# the loop over steps is that of its training
ROWS_LOSS = f"""


def loss_and_gradients(x, y, h, c, {", ".join(ROWS_WEIGHTS)}):
    net = lstm(4, 5)
    net.model = dict({", ".join(f"{name}={name}" for name in ROWS_WEIGHTS)})
    state, total, steps = (h, c), 0, []
    for index, target in zip(x, y):
        prob, state, cache = net.forward_propagate(index, state)
        total += cross_entropy_loss(prob, target)
        steps.append((prob, target, state, cache))
    sums, d_next = net.initial_gradients(), (np.zeros((1, 4)), np.zeros((1, 4)))
    for prob, target, state, cache in reversed(steps):
        grads, d_next = net.backward_propagate(prob, target, state, d_next, cache)
        for name in sums:
            sums[name] += grads[name]
    return total, *(sums[name] for name in net.model)
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    given = {"x": np.array([0, 3, 1, 4]), "y": np.array([3, 1, 4, 2]), "h": r(1, 4), "c": r(1, 4)}
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), **given, **weights)


# dense layers of a course taken further: decay of weights and dropout -------------------------------------------------

DECAY = "diogoalves/coursera-deep-learning-specialization"
DECAY_FOLDER = "02-Improving-Deep-Neural-Networks/week-01/experiments"
DECAY_WEIGHTS = {"A1": (6, 4), "a1": (6, 1), "A2": (5, 6), "a2": (5, 1), "A3": (1, 5), "a3": (1, 1)}
DECAY_WEIGHTS |= {"B1": (8, 4), "b1": (8, 1), "B2": (7, 8), "b2": (7, 1), "B3": (1, 7), "b3": (1, 1)}
DECAY_UTILS = "sigmoid relu relu_backward sigmoid_backward"
DECAY_MODEL = """linear_forward linear_activation_forward L_model_forward L_model_forward_with_dropout compute_cost
compute_cost_with_regularization linear_backward linear_activation_backward L_model_backward_with_regularization
L_model_backward_with_dropout"""
DECAY_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DECAY_WEIGHTS)}):
    np.random.seed(3)  # the same places are dropped each time
    decayed = dict(W1=A1, b1=a1, W2=A2, b2=a2, W3=A3, b3=a3)
    AL, caches = L_model_forward(x, decayed)
    total = compute_cost_with_regularization(AL, y, decayed, 0.7)
    grads = L_model_backward_with_regularization(AL, y, caches, 0.7)
    dropped = dict(W1=B1, b1=b1, W2=B2, b2=b2, W3=B3, b3=b3)
    AL, caches = L_model_forward_with_dropout(x, dropped, 0.7)
    total = total + compute_cost(AL, y)
    others = L_model_backward_with_dropout(AL, y, caches, 0.7)
    return total, *(some["d" + name] for some in (grads, others) for name in decayed)
"""


def decay(m):
    r = numbers()
    weights = weights_of(r, " ".join(DECAY_WEIGHTS), *DECAY_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DECAY_WEIGHTS), x=r(4, 4), y=np.array([[1, 0, 0, 1]]), **weights)


SUBJECTS = [
    Subject(
        SEQUENCES,
        "lstm",
        (
            Part(f"{SEQUENCES_FOLDER}/rnn_utils.py", "softmax sigmoid", module="rnn_utils"),
            Part(
                f"{SEQUENCES_FOLDER}/Building  a Recurrent Neural Network - Step by Step - v3_soln.ipynb",
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                SEQUENCES_EDITS,
                "from rnn_utils import sigmoid, softmax",
            ),
        ),
        coursera("lstm"),
        published="what is to be carried back to step t - 1 is not kept",
    ),
    Subject(
        LAYERS,
        "dense",
        (
            Part(
                "course1_Neural_Networks_and_Deep_Learning/Building_your_Deep_Neural_Network_Step_by_Step_v8a.ipynb",
                LAYERS_MODEL,
                (),
                LAYERS_BEFORE,
                LAYERS_LOSS,
            ),
        ),
        layers,
    ),
    Subject(
        CHARACTERS,
        "rnn",
        (Part("RNN_Attention.ipynb", "RNN", CHARACTERS_EDITS, "", CHARACTERS_LOSS),),
        characters,
        published="it breaks off; softmax, the carry back and the weights between states are wrong",
    ),
    Subject(
        PICTURES,
        "convolution",
        (
            Part(f"{PICTURES_FOLDER}/resampling.py", "Upsample2d Downsample2d", module="resampling"),
            Part(
                f"{PICTURES_FOLDER}/Conv2d.py",
                "Conv2d_stride1 Conv2d",
                (),
                "from resampling import Downsample2d",
                module="Conv2d",
            ),
            Part(
                f"{PICTURES_FOLDER}/ConvTranspose.py",
                "ConvTranspose2d",
                (),
                "from Conv2d import Conv2d_stride1\nfrom resampling import Upsample2d",
                module="ConvTranspose",
            ),
            Part(
                f"{PICTURES_FOLDER}/pool.py",
                "MaxPool2d_stride1 MeanPool2d_stride1 MaxPool2d MeanPool2d",
                (),
                PICTURES_BEFORE,
                PICTURES_LOSS,
            ),
        ),
        pictures,
    ),
    Subject(
        LISTS,
        "lstm",
        (
            Part("utils/utils.py", LISTS_UTILS, LISTS_UTILS_EDITS, module="lstm_utils"),
            Part(
                "lstm/forward.py",
                "forward",
                LISTS_FORWARD_EDITS,
                "from lstm_utils import sigmoid, softmax, tanh",
                module="lstm_forward",
            ),
            Part(
                "lstm/backward.py",
                "backward",
                LISTS_BACKWARD_EDITS,
                "from lstm_forward import forward\nfrom lstm_utils import clip_gradient_norm, sigmoid, tanh",
                LISTS_LOSS,
            ),
        ),
        lists,
        published="states are a step off, slopes and the mean are wrong, nothing is carried back",
    ),
    Subject(
        ROWS,
        "lstm",
        (Part("python implementation/recurrent_neural_net.py", ROWS_TAKEN, (), "import math", ROWS_LOSS),),
        rows,
    ),
    Subject(
        DECAY,
        "dense",
        (
            Part(f"{DECAY_FOLDER}/dnn_utils.py", DECAY_UTILS, module="dnn_utils"),
            Part(
                f"{DECAY_FOLDER}/current.py",
                DECAY_MODEL,
                (),
                f"from dnn_utils import {', '.join(DECAY_UTILS.split())}",
                DECAY_LOSS,
            ),
        ),
        decay,
    ),
]

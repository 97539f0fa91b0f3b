"""Subjects by owners that begin with R, S, T and W: an RNN for letters, an RNN that adds, an LSTM over a plane, a
network that tells the next word, one with a path past a layer, one of dicts, convolutions with such a path."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# a course's RNN for letters: an object whose weights, gradients and values of each step are dicts, the state before the
# first has the key -1; columns are the steps --------------------------------------------------------------------------

LETTERS = "RandomeName745/DD2424"
LETTERS_WEIGHTS = {"U": (5, 7), "W": (5, 5), "V": (7, 5), "b": (5, 1), "c": (7, 1)}
LETTERS_EDITS = (("np.clip(grad[k], -5, 5)", "grad[k]"),)  # so that no gradient is cut off
LETTERS_LOSS = f"""

def loss_and_gradients(X, Y, Hprev, {", ".join(LETTERS_WEIGHTS)}):
    synthesizer = TextSynthesizer({{"num_chars": 7}}, 5, 0.1, X.shape[1], 0.01)
    synthesizer.RNN = {{"U": U, "V": V, "W": W, "b": b, "c": c}}
    grad, _, cost = synthesizer.computeGradients(X, Y, Hprev)
    return cost, *(grad[name] for name in {list(LETTERS_WEIGHTS)})
"""


def letters(m):
    r = numbers()
    weights = weights_of(r, " ".join(LETTERS_WEIGHTS), *LETTERS_WEIGHTS.values())
    given = {"X": np.eye(7)[:, [3, 0, 6, 3]], "Y": np.eye(7)[:, [0, 6, 3, 2]], "Hprev": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(LETTERS_WEIGHTS), **given, **weights)


# an RNN of sigmoids that adds two numbers digit by digit, the last digit first: one method goes forward, back and -----
# learns; lists without a key for the step, read from their ends -------------------------------------------------------

DIGITS = "rexwangcc/RNN-ToyNet"
DIGITS_WEIGHTS = {"w_0": (2, 7), "w_1": (7, 1), "w_h": (7, 7)}
DIGITS_EDITS = (
    # the numbers are given instead of drawn, with digits that are not whole
    ("a_int = np.random.randint(self.largest_number/2)", "a_int = 1"),
    ("b_int = np.random.randint(self.largest_number/2)", "b_int = 2"),
    # so that the first state is not zero
    ("layer_1_values.append(np.zeros(self.hidden_dim))", "layer_1_values.append(self.first)"),
    # what it learns by is half the square of the error
    ("np.abs(layer_2_error[0])", "0.5 * np.sum(layer_2_error ** 2)"),
    (
        "            # Update transform matrices\n",
        "            return overallError, -self.w_0_update, -self.w_1_update, -self.w_h_update\n",
    ),
)
DIGITS_LOSS = f"""

def loss_and_gradients(a, b, c, first, {", ".join(DIGITS_WEIGHTS)}):
    rnn = RNN_model(hidden_dim=7, iteration=1, binary_dim=5)
    rnn.int2binary, rnn.first = {{1: a, 2: b, 3: c}}, first
    rnn.w_0, rnn.w_1, rnn.w_h = {", ".join(DIGITS_WEIGHTS)}
    return rnn.run()
"""


def digits(m):
    r = numbers()
    weights = weights_of(r, " ".join(DIGITS_WEIGHTS), *DIGITS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DIGITS_WEIGHTS), a=r(5), b=r(5), c=r(5), first=r(1, 7), **weights)


# an LSTM that goes over a plane, for handwriting: a cell has a cell before it in each of two directions, and two gates
# to forget them by; the first row and column are the states before, one array holds the gradients of all gates -------

PLANE = "suhaspillai/HandwritingRecognition-with-MultiDimensionalRecurrentNeuralNetworks"
PLANE_WEIGHTS = {f"W_x{gate}": (3, 7) for gate in "ifog"}
PLANE_WEIGHTS |= {f"W_h{gate}_d{direction}": (7, 7) for direction in (1, 2) for gate in "ifog"}
PLANE_WEIGHTS |= {f"b_{name}": (7,) for name in ("i", "f_d1", "f_d2", "o", "g")}
PLANE_EDITS = (("xrange", "range"),)  # Python 3
PLANE_PAIR = f"""

def forward(X, h, {", ".join(PLANE_WEIGHTS)}):
    model = dict(zip({list(PLANE_WEIGHTS)}, ({", ".join(PLANE_WEIGHTS)})))
    return Layer().forward_propagation_multidimension(X, model, h)


def backward(dout, cache):
    dx, grads = Layer().backward_propagation_multidimension(dout, cache)
    return dx, *(grads[name] for name in {list(PLANE_WEIGHTS)})
"""


def plane(m):
    r = numbers()
    weights = weights_of(r, " ".join(PLANE_WEIGHTS), *PLANE_WEIGHTS.values())
    return pair(m.forward, m.backward, f"X {' '.join(PLANE_WEIGHTS)}", X=r(3, 4, 5), h=r(7, 4, 5), **weights)


# a course's network that tells a word by the three before it: their vectors stand one above the other, a layer of -----
# sigmoids, a softmax; a dict holds all, also what it learnt by last ---------------------------------------------------

NEXT = "saitakturk/EEE443_Neural_Networks"
NEXT_WEIGHTS = {"embed": (11, 5), "w1": (15, 7), "b1": (7, 1), "w2": (7, 11), "b2": (11, 1)}
NEXT_EDITS = (("250", "11"),)  # 11 words instead of 250
NEXT_LOSS = f"""

def loss_and_gradients(X, y, {", ".join(NEXT_WEIGHTS)}):
    model = dict(zip({list(NEXT_WEIGHTS)}, ({", ".join(NEXT_WEIGHTS)})))
    model |= {{"dx": np.zeros_like(embed), "dw1": np.zeros_like(w1), "db1": np.zeros_like(b1)}}
    model |= {{"dw2": np.zeros_like(w2), "db2": np.zeros_like(b2)}}
    model["a0"], model["a1"], model["pred"] = q1_forward(X, model)
    cost = cross_entropy(y, model["pred"])
    backpropagation_q1(X, y, 0.85, 0.15, model)
    return cost, *(model[name] for name in ("dx", "dw1", "db1", "dw2", "db2"))
"""


def following(m):
    r = numbers()
    weights = weights_of(r, " ".join(NEXT_WEIGHTS), *NEXT_WEIGHTS.values())
    given = {"X": np.array([[3, 0, 9, 4], [0, 7, 4, 10], [7, 3, 2, 7]]), "y": np.eye(11)[:, [5, 10, 0, 3]]}
    return loss(m.loss_and_gradients, " ".join(NEXT_WEIGHTS), **given, **weights)


# three dense layers as functions with caches; what the first gives also goes past the second, before its activation; --
# dropout, whose draws are the same each time --------------------------------------------------------------------------

PAST = "thangvubk/Numpy-DNN"
PAST_WEIGHTS = {"W1": (5, 7), "b1": (7,), "W2": (7, 7), "b2": (7,), "W3": (7, 11), "b3": (11,)}
PAST_LAYERS = """fc_forward fc_backward relu_forward relu_backward dropout_forward dropout_backward
softmax_cross_entropy_loss"""
PAST_LOSS = f"""

def loss_and_gradients(X, y, {", ".join(PAST_WEIGHTS)}):
    dnn = object.__new__(DNN)  # without the weights of its own
    dnn.params = dict(zip({list(PAST_WEIGHTS)}, ({", ".join(PAST_WEIGHTS)})))
    dnn.mode, dnn.prob = "train", 0.3
    np.random.seed(5)
    cost, dout = softmax_cross_entropy_loss(dnn.forward(X), y)
    return cost, dnn.backward(dout)
"""


def past(m):
    r = numbers()
    weights = weights_of(r, " ".join(PAST_WEIGHTS), *PAST_WEIGHTS.values())
    given = {"X": r(4, 5), "y": np.array([2, 10, 0, 7])}
    return loss(m.loss_and_gradients, " ".join(PAST_WEIGHTS), **given, **weights)


# a network of sigmoids with notes in Russian, whose neurons, weights and errors are dicts with the layer as key; one --
# image after another, what it learns by is gathered until the end of a batch ------------------------------------------

GATHERED = "wenj0r/NumPy-RNN"
GATHERED_WEIGHTS = {"W1": (7, 4), "W2": (11, 7), "W3": (5, 11)}
GATHERED_EDITS = (
    # wrong as published: the error of a layer lacks the derivative of the layer above it
    (
        "np.dot(self.W[layer].T, self.errors[layer + 1])",
        "np.dot(self.W[layer].T, self.errors[layer + 1] * self.N[layer + 1] * (1 - self.N[layer + 1]))",
    ),
    # 5 answers instead of 10; what it learns by belongs to half of the squares, not to a tenth
    ("np.zeros(10)", "np.zeros(5)"),
    ("** 2)/10", "** 2)/2"),
)
GATHERED_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(GATHERED_WEIGHTS)}):
    network = object.__new__(NeuralNetwork)  # without the images
    network.structure, network.batch, network.main_error = [4, 7, 11, 5], 100, 0
    network.N, _, network.b, network.errors, network.delta_W, network.temp = network.init_nn()
    network.W = {{1: W1, 2: W2, 3: W3}}
    for n in range(len(x)):
        network.backpropagation(network.linear_activation_forward(x[n]), y[n], n)
    return network.main_error, *(-network.temp[k] for k in (1, 2, 3))
"""


def gathered(m):
    r = numbers()
    weights = weights_of(r, " ".join(GATHERED_WEIGHTS), *GATHERED_WEIGHTS.values())
    given = {"x": r(3, 4), "y": np.array([2, 4, 0])}
    return loss(m.loss_and_gradients, " ".join(GATHERED_WEIGHTS), **given, **weights)


# a framework of layers that are called, for images with the channels last: convolutions that go through the places of -
# the kernel, a block of normalisations, dropout and convolutions with a path past them, the greatest of each square ---

BESIDE = "tomer-shinar/Numpy-CNN-Backpropagation"
BESIDE_WEIGHTS = {"W1": (5, 27), "b1": (5,), "gamma1": (4, 6, 5), "beta1": (4, 6, 5), "W2": (5, 45), "b2": (5,)}
BESIDE_WEIGHTS |= {"gamma2": (4, 6, 5), "beta2": (4, 6, 5), "W3": (5, 45), "b3": (5,), "W4": (7, 30), "b4": (7,)}
BESIDE_DECAY = 0.3
BESIDE_EDITS = (
    # wrong as published: a convolution adds the size of the batch for its bias, and takes the places of the kernel for
    # its outputs when it learns; a normalisation changes the gradients that it needs for its own learning
    ("output = b + output", "output = self.b + output"),
    (".transpose(0, 1, 2)", ".transpose(1, 0, 2)"),
    ("error *= self.gamma", "error = error * self.gamma"),
    # what it learns by is kept instead
    ("self.W -= lr * (", "self.dW = ("),
    ("self.b -= lr * self.grads", "self.db = self.grads"),
    ("self.b -= self.grads", "self.db = self.grads"),
    (
        "self.gamma -= (self.grads * self.memory_norm).sum(0) * lr",
        "self.dgamma = (self.grads * self.memory_norm).sum(0)",
    ),
    ("self.beta -= self.grads.sum(0) * lr", "self.dbeta = self.grads.sum(0)"),
)
BESIDE_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(BESIDE_WEIGHTS)}):
    np.random.seed(5)  # the same draws each time
    first, block, last = Conv2d(3, 5, 3), ResidualCNN(3, 0.2, (4, 6, 5)), Linear(30, 7)
    norms, convs = (block.layers[0], block.layers[4]), (first, block.layers[3], block.layers[7], last)
    for layer, W, b in zip(convs, (W1, W2, W3, W4), (b1, b2, b3, b4)):
        layer.W, layer.b = W, b
    for norm, gamma, beta in zip(norms, (gamma1, gamma2), (beta1, beta2)):
        norm.gamma, norm.beta = gamma, beta
    model = Model([first, block, MaxPooling2D(2), Flatten(), last, Softmax()])
    probs = model.forward(x)
    cost = -np.sum(y * np.log(probs)) + {BESIDE_DECAY} / 2 * sum(np.sum(W**2) for W in (W1, W2, W3, W4))
    dx = model.backward(probs - y)
    model.fit(1, {BESIDE_DECAY})
    kept = [first.dW, first.db]
    for norm, conv in zip(norms, convs[1:3]):
        kept += [norm.dgamma, norm.dbeta, conv.dW, conv.db]
    return cost, dx, *kept, last.dW, last.db
"""


def beside(m):
    r = numbers()
    weights = weights_of(r, " ".join(BESIDE_WEIGHTS), *BESIDE_WEIGHTS.values())
    given = {"x": r(4, 4, 6, 3), "y": np.eye(7)[[2, 6, 0, 3]]}
    return loss(m.loss_and_gradients, f"x {' '.join(BESIDE_WEIGHTS)}", **given, **weights)


SUBJECTS = [
    Subject(
        LETTERS,
        "RNN",
        (Part("assignment4/code/TextSynthesizer.py", "TextSynthesizer", LETTERS_EDITS, after=LETTERS_LOSS),),
        letters,
    ),
    Subject(DIGITS, "RNN", (Part("model.py", "RNN_model", DIGITS_EDITS, "import copy", DIGITS_LOSS),), digits),
    Subject(PLANE, "LSTM", (Part("lstm_layer.py", "Layer", PLANE_EDITS, after=PLANE_PAIR),), plane),
    Subject(
        NEXT,
        "next word",
        (
            Part(
                "hw3/sait_akturk_21501734_hw3.py",
                "sigmoid_activation cross_entropy backpropagation_q1 q1_forward",
                NEXT_EDITS,
                after=NEXT_LOSS,
            ),
        ),
        following,
    ),
    Subject(
        PAST,
        "dense layers",
        (
            Part("layers.py", PAST_LAYERS, module="layers"),
            Part("dnn.py", "DNN", before="from layers import *", after=PAST_LOSS),
        ),
        past,
    ),
    Subject(
        GATHERED,
        "dense layers",
        (
            Part(
                "rnn.py",
                "NeuralNetwork",
                GATHERED_EDITS,
                "import numpy.random as r\nimport scipy.special",
                GATHERED_LOSS,
            ),
        ),
        gathered,
        published="the error of a layer lacks the derivative of the layer above it",
    ),
    Subject(
        BESIDE,
        "convolutions",
        (
            Part(
                "layers.py",
                "Layer Dropout Softmax Relu un_pool MaxPooling2D Linear Conv2d Flatten BatchNorm ResidualCNN Model",
                BESIDE_EDITS,
                after=BESIDE_LOSS,
            ),
        ),
        beside,
        published="a convolution adds the size of the batch for its bias, and mixes its outputs with places",
    ),
]

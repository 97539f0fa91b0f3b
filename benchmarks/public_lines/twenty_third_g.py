"""Subjects by owners that begin with R or S: RNNs of lists and of layers, LSTMs with stacked gates, a GRU, an RNN that
runs both ways, an Elman step, trees, tensors, convolutions, words, linked layers, CTC, a network in one vector."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of

# an RNN without NumPy: numbers in lists of lists, sums over generators, an exponential function by its series ---------

LISTS = "Rawda-Fathey/Deep_learning_from_scratch"
LISTS_TAKEN = "exp tanh tanh_deriv softmax cross_entropy_loss SimpleRNN"
LISTS_WEIGHTS = {"W_xh": (5, 3), "W_hh": (5, 5), "W_hy": (7, 5), "b_h": (5,), "b_y": (7,)}
LISTS_UPDATE = """        for i in range(self.hidden_size):
            for j in range(self.input_size):
                self.W_xh[i][j] -="""
LISTS_EDITS = (
    # wrong as published: its loss adds up the chances and not their logarithms,
    ("sum([t * (p + 1e-10)", "sum([t * np.log(p + 1e-10)"),
    # and what goes back to the step before is computed but never used
    ("            dh = [0.0] * self.hidden_size\n", "            dh = dh_next[:]\n"),
    ("        h = [0.0] * self.hidden_size\n", "        h = list(self.h0)\n"),
    (LISTS_UPDATE, f"        return dW_xh, dW_hh, dW_hy, db_h, db_y\n\n{LISTS_UPDATE}"),
)
LISTS_LOSS = """

def loss_and_gradients(inputs, target, h0, W_xh, W_hh, W_hy, b_h, b_y):
    rnn = SimpleRNN(3, 5, 7)
    rnn.h0, rnn.b_h, rnn.b_y = h0, list(b_h), list(b_y)
    rnn.W_xh, rnn.W_hh, rnn.W_hy = ([list(row) for row in weight] for weight in (W_xh, W_hh, W_hy))
    chances, _ = rnn.forward(inputs)
    gradients = rnn.backward(inputs, target)
    return cross_entropy_loss(target, chances), *(np.array(gradient) for gradient in gradients)
"""


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())
    given = {"inputs": r(4, 3), "target": np.eye(7)[4], "h0": r(5)}
    return loss(m.loss_and_gradients, " ".join(LISTS_WEIGHTS), **given, **weights)


# a known library's layers with mixins, and parameters in an object that is asked as a dict; it wraps round: the state -
# before the first step stands at the end ------------------------------------------------------------------------------

LIBRARY = "rushter/MLAlgorithms"
LIBRARY_FOLDER = "mla/neuralnet"
# what the library takes from autograd, the slopes of its functions, is written out by the edits below
LIBRARY_BEFORE = """from activations import get_activation, sigmoid
from basic import Layer, ParamMixin
from parameters import Parameters, get_initializer"""
LIBRARY_INITIAL = "def get_initializer(name):\n    return lambda shape, **kwargs: np.ones(shape)"
LIBRARY_RNN_WEIGHTS = {"W": (7, 5), "U": (5, 5), "b": (5,)}
LIBRARY_RNN_EDITS = (
    # wrong as published: it takes the slope of tanh at the states, that is at the values of tanh,
    ("elementwise_grad(self.activation)", "lambda states: 1 - states**2"),
    # the bias gets the gradient of the states, and the inputs get it through the recurrent weights
    ('grad["b"] += delta[:, i, :].sum(axis=0)', 'grad["b"] += dhi.sum(axis=0)'),
    ('            d = np.dot(delta[:, i, :], p["U"].T)\n', ""),
    ('np.dot(d, p["W"].T)', 'np.dot(dhi, p["W"].T)'),
)
LIBRARY_GATES = "ifoc"
LIBRARY_LSTM_WEIGHTS = {f"W_{gate}": (7, 5) for gate in LIBRARY_GATES} | {f"U_{gate}": (5, 5) for gate in LIBRARY_GATES}
LIBRARY_LSTM_WEIGHTS |= {f"b_{gate}": (5,) for gate in LIBRARY_GATES}
LIBRARY_LSTM_EDITS = (
    ("elementwise_grad(self.activation)", "lambda values: 1 - values**2"),
    ("elementwise_grad(sigmoid)", "lambda values: values * (1 - values)"),
    # wrong as published: nothing goes back through the recurrent weights, and what goes back through the cell is added
    # to the gradient of the output; the slopes, here put as those of values, are taken at what has passed the function
    ("dh_next = np.zeros((n_samples, input_shape))", "dh_next = dc_next = np.zeros((n_samples, input_shape))"),
    ("                delta[:, i, :]\n", "                (delta[:, i, :] + dh_next)\n"),
    ("self.activation_d(self.states[:, i, :])", "self.activation_d(self.activation(self.states[:, i, :]))"),
    ("                + dh_next\n", "                + dc_next\n"),
    ("og = delta[:, i, :] * ", "og = (delta[:, i, :] + dh_next) * "),
    (
        '            dh_next = dhi * self.gates["f"][:, i, :]\n',
        '            dc_next = dhi * self.gates["f"][:, i, :]\n'
        "            dh_next = sum(np.dot(d, u.T) for d, u in zip([de_i, de_f, de_o, de_c], self.U))\n"
        "            output[:, i, :] = sum(np.dot(d, w.T) for d, w in zip([de_i, de_f, de_o, de_c], self.W))\n",
    ),
)


def library_parts(file, taken, edits):
    """The library's modules, of which the last has the layer."""
    return (
        Part(f"{LIBRARY_FOLDER}/activations.py", "sigmoid tanh get_activation", module="activations"),
        Part(f"{LIBRARY_FOLDER}/layers/basic.py", "Layer ParamMixin", module="basic"),
        Part(f"{LIBRARY_FOLDER}/parameters.py", "Parameters", (), LIBRARY_INITIAL, module="parameters"),
        Part(f"{LIBRARY_FOLDER}/layers/recurrent/{file}.py", taken, edits, LIBRARY_BEFORE),
    )


def library(name, shapes, kept):
    """A maker of one of the library's layers, with the states that it keeps between batches."""

    def make(m):
        r = numbers()
        weights = weights_of(r, " ".join(shapes), *shapes.values())
        states = {state: r(3, 5) for state in kept}

        def made():
            built = getattr(m, name)(5)
            built.setup((3, 4, 7))
            for key, array in weights.items():
                built.parameters[key] = array
            if name == "LSTM":
                built.W, built.U = ([weights[f"{kind}_{gate}"] for gate in LIBRARY_GATES] for kind in "WU")
            vars(built).update({key: state.copy() for key, state in states.items()})
            return built

        def gradients_of(built, dx):
            return {"X": dx} | {key: built.parameters.grad[key] for key in weights}

        return layer(made, gradients_of, "forward_pass", "backward_pass", weights, X=r(3, 4, 7))

    return make


# one step of a network that is fed back its own hidden layer: layers in a list that are filled in place, deltas that --
# are put at the front of another, a bias as one more input ------------------------------------------------------------

FED_BACK = "rougier/neural-networks"
FED_BACK_WEIGHTS = {"W0": (9, 5), "W1": (5, 4), "W2": (4, 7)}  # 3 inputs, 5 states, a 1; two layers, 7 outputs
FED_BACK_LOSS = """

def loss_and_gradients(data, target, state, W0, W1, W2):
    network = Elman(3, 5, 4, 7)
    network.layers[1][...] = state
    network.weights = [W0, W1, W2]
    network.propagate_forward(data)
    error = network.propagate_backward(target, lrate=0.0, momentum=0.0)
    return error / 2, *(-dw for dw in network.dw)
"""


def fed_back(m):
    r = numbers()
    weights = weights_of(r, " ".join(FED_BACK_WEIGHTS), *FED_BACK_WEIGHTS.values())
    given = {"data": r(3), "target": r(7), "state": r(5)}
    return loss(m.loss_and_gradients, " ".join(FED_BACK_WEIGHTS), **given, **weights)


# a course's layers that keep nothing: operators without state, which compute everything anew when they go back; a GRU -
# in batches, and an RNN both ways whose sequences end in NaN, with a mean over time that leaves these out -------------

OPERATORS = "shuyao95/CS5242-DL-with-numpy"
OPERATORS_LAYERS = "from initializers import Gaussian\nfrom operators_ import *"
OPERATORS_GRU_WEIGHTS = {"kernel": (7, 15), "recurrent_kernel": (5, 15)}
OPERATORS_GRU = """

class Sequence(GRU):
    def __init__(self):
        super().__init__(7, 5)

    def forward(self, input):
        self.input = input
        return super().forward(input)

    def backward(self, out_grad):
        return super().backward(out_grad, self.input)
"""
OPERATORS_BOTH_WEIGHTS = {
    f"both.{way}_rnn.{name}": shape
    for way in ("forward", "backward")
    for name, shape in (("kernel", (7, 5)), ("recurrent_kernel", (5, 5)), ("bias", (5,)))
}
OPERATORS_BOTH = """

class Sequence:
    def __init__(self):
        self.both, self.pooling = BiRNN(7, 5), TemporalPooling()

    def forward(self, input):
        there = np.arange(4) < np.array([4, 2, 3])[:, None]
        self.input = np.where(there[..., None], input, np.nan)
        self.states = self.both.forward(self.input)
        return self.pooling.forward(self.states)

    def backward(self, out_grad):
        return self.both.backward(self.pooling.backward(out_grad, self.states), self.input)
"""
OPERATORS_GRADIENTS = {"kernel": "kernel_grad", "recurrent_kernel": "r_kernel_grad", "bias": "b_grad"}


def operators_parts(operators, layers, after):
    """The course's modules; the one of the operators gets another name, as Python has one of this name."""
    return (
        Part("nn/functional.py", "sigmoid", module="functional"),
        Part("nn/initializers.py", "Initializer Gaussian", module="initializers"),
        Part("nn/operators.py", f"operator {operators}", (), "from functional import sigmoid", module="operators_"),
        Part("nn/layers.py", f"Layer {layers}", (), OPERATORS_LAYERS, after),
    )


def of_operators(made, path):
    """The gradients of the kernels and of the bias have shorter names."""
    *parts, last = path.split(".")
    for part in parts:
        made = getattr(made, part)
    return getattr(made, OPERATORS_GRADIENTS[last])


# sentences as trees that the forward pass builds itself, by always joining the two neighbours that can best be made ---
# from their parent again; every node also guesses the sentence's label; all weights in one vector ---------------------

JOINED = "skritika/Sentiment-Analysis-using-Recursive-Autoencoders"
JOINED_TREE = (
    ("range(0,sl)\n", "list(range(0,sl))\n"),  # from Python 2
    ("self.kids = np.zeros((2*sl-1,2))", "self.kids = np.zeros((2*sl-1,2), dtype=int)"),  # NumPy of then took floats
)
JOINED_EDITS = (
    ("t.shape[0] is not 1", "t.shape[0] != 1"),
    # a node's parent is kept in an array of one, which NumPy takes for an index no more
    ("pp = tr.pp[current]", "pp = tr.pp[current,0]"),
    ("pp = tr.pp[j]", "pp = tr.pp[j,0]"),
    ("tr.checkgradient(", "lambda: tr.checkgradient("),  # its own check by differences
    ("F(gbcat)],axis=1)", "F(gbcat)])"),
    ("np.zeros(num_cat)],axis=1)", "np.zeros(num_cat)])"),
)
JOINED_LOSS = """

def loss_and_gradients(theta, sentences, labels, freq):
    cost, gradient = (backprop(x, sentences, labels, freq, 5, 1, 7, 0.3, 0.6, theta) for x in (0, 1))
    return np.sum(cost), gradient
"""


def joined(m):
    r = numbers()
    theta = 0.7 * r(4 * 5 * 5 + 5 + 5 * 7 + 3 * 5 + 1)  # one kind of label, as its sums work for no other number
    sentences = [np.array([2, 6, 3, 3]), np.array([5, 0, 2]), np.array([1, 4, 6, 0, 5])]
    given = {"sentences": sentences, "labels": [1, 0, 1], "freq": np.ones(7) / 7}
    return loss(m.loss_and_gradients, "theta", theta=theta, **given)


# a course's LSTM whose gates are not squashed: they are what they sum up; Python 2, sums computed anew going back -----

UNSQUASHED = "stimuli93/DeepLearning"
UNSQUASHED_WEIGHTS = {"Wx": (7, 20), "Wh": (5, 20), "b": (20,)}
UNSQUASHED_TAKEN = "lstm_step_forward lstm_step_backward lstm_forward lstm_backward"
UNSQUASHED_LAYER = """

class Sequence:
    def __init__(self):
        self.Wx, self.Wh, self.b = np.zeros((7, 20)), np.zeros((5, 20)), np.zeros(20)

    def forward(self, x, h0):
        h, self.cache = lstm_forward(x, h0, self.Wx, self.Wh, self.b)
        return h

    def backward(self, dh):
        dx, dh0, self.dWx, self.dWh, self.db = lstm_backward(dh, self.cache)
        return dx, dh0
"""


def with_d(made, path):
    """The gradient of a weight is the attribute with d before the weight's name."""
    return getattr(made, f"d{path}")


# facts about pairs of things: a tensor for each relation that weighs two vectors, against a wrong second; things are
# means of words; weights in dicts, unrolled into one vector; sparse matrices bring the gradients to the things -----

TENSORS = "siddharth-agrawal/Neural-Tensor-Network"
TENSORS_BEFORE = "import math\nimport scipy.sparse as sp"
TENSORS_LOSS = """

def loss_and_gradients(theta, rel, e1, e2, e3, flip):
    words = {0: [1, 6], 1: [3], 2: [0, 2, 5], 3: [4, 6], 4: [1, 2, 3, 5]}
    network = NeuralTensorNetwork({
        "num_words": 7, "embedding_size": 3, "num_entities": 5, "num_relations": 3, "batch_size": 11, "slice_size": 4,
        "word_indices": words, "activation_function": 0, "lamda": 0.1,
    })
    return network.neuralTensorNetworkCost(theta, {"rel": rel, "e1": e1, "e2": e2, "e3": e3}, flip)
"""


def tensors(m):
    r = numbers()
    given = {
        "rel": np.array([0, 2, 1, 1, 0, 2, 0, 1, 2, 2, 1]),
        "e1": np.array([0, 1, 4, 3, 2, 2, 1, 0, 4, 3, 1]),
        "e2": np.array([3, 0, 2, 4, 1, 3, 4, 2, 0, 1, 0]),
        "e3": np.array([1, 4, 3, 0, 4, 1, 2, 3, 2, 2, 3]),
        "flip": False,
    }
    return loss(m.loss_and_gradients, "theta", theta=0.7 * r(3 * (3 * 3 * 4 + 6 * 4 + 4 + 4) + 3 * 7), **given)


# a whole network of layers with types, properties and class methods: convolution by broadcasting over places, the -----
# greatest of a window by a mask, a dense layer; gradients of the mean -------------------------------------------------

TYPED = "SkalskiP/ILearnDeepLearning.py"
TYPED_FOLDER = "01_mysteries_of_neural_networks/06_numpy_convolutional_neural_net/src"
TYPED_WEIGHTS = {"w0": (3, 3, 4, 5), "b0": (5,), "w1": (11, 45), "b1": (1, 11)}
# as in the published modules, types are no values; this has to come first
TYPED_TYPES = (("import numpy as np", "from __future__ import annotations\n\nimport numpy as np"),)
TYPED_BASE = "from typing import Tuple, Optional\nfrom base import Layer"
TYPED_MODEL = """import time
from typing import Callable, Dict, List, Optional
from base import Layer, Optimizer
from convolutional import ConvLayer2D
from dense import DenseLayer
from flatten import FlattenLayer
from metrics import softmax_cross_entropy
from pooling import MaxPoolLayer
from relu import ReluLayer
from softmax import SoftmaxLayer
"""
TYPED_LOSS = """

def loss_and_gradients(x, y, w0, b0, w1, b1):
    layers = [ConvLayer2D(w0, b0, padding="same"), ReluLayer(), MaxPoolLayer((3, 3), 2), FlattenLayer()]
    layers += [DenseLayer(w1, b1), SoftmaxLayer()]
    model = SequentialModel(layers, None)
    y_hat = model._forward(x, training=True)
    model._backward(y_hat - y)
    return softmax_cross_entropy(y_hat, y), *layers[0].gradients, *layers[4].gradients
"""


def typed(m):
    r = numbers()
    weights = weights_of(r, " ".join(TYPED_WEIGHTS), *TYPED_WEIGHTS.values())
    given = {"x": 0.5 * r(3, 7, 7, 4), "y": np.eye(11)[[4, 0, 4]]}
    return loss(m.loss_and_gradients, " ".join(TYPED_WEIGHTS), **given, **weights)


def typed_layer(path, taken, module):
    """A module with one layer of the network."""
    return Part(f"{TYPED_FOLDER}/{path}.py", taken, TYPED_TYPES, TYPED_BASE, module=module)


# a notebook's word2vec: a word and its neighbour against words drawn by chance, one pair after another ----------------

PAIRS = "stanislawpawlak/word2vec-numpy"
PAIRS_EDITS = (
    ("self.U[target_ids] -= self.lr * self.grad_U", "self.dU[target_ids] += self.grad_U"),
    ("self.V[center_id] -= self.lr * self.grad_vc", "self.dV[center_id] += self.grad_vc"),
)
PAIRS_LOSS = """

def loss_and_gradients(pairs, V, U):
    model = Word2Vec(11, 5)
    model.V, model.U, model.dV, model.dU = V, U, np.zeros(V.shape), np.zeros(U.shape)
    total = 0
    for center_id, *target_ids in pairs:
        probs = model.forward(center_id, target_ids)
        total += model.calculate_loss(probs)
        model.backward(probs, target_ids)
        model.update_parameters(center_id, target_ids)
    return total, model.dV, model.dU
"""


def pairs(m):
    r = numbers()
    weights = weights_of(r, "V U", (11, 5), (11, 5))
    said = np.array([[3, 7, 0, 10, 4], [7, 3, 5, 1, 2], [3, 9, 8, 7, 6]])
    return loss(m.loss_and_gradients, "V U", pairs=said, **weights)


# layers and the weights between them are objects that know each other; neurons of a layer have different functions, ---
# which are called as objects; examples one at a time, as columns, gradients added up ----------------------------------

LINKED = "salvaRC/numpy-neural-network"
LINKED_WEIGHTS = {"W0": (7, 3), "b0": (7, 1), "W1": (5, 7), "b1": (5, 1), "W2": (11, 5), "b2": (11, 1)}
LINKED_FUNCTIONS = "Activation Linear Sigmoid Sin Tanh MultiActivations"
LINKED_ABSTRACT = "from abc import ABC, abstractmethod"
LINKED_LOSS = """

def loss_and_gradients(X, Y, W0, b0, W1, b1, W2, b2):
    mixed = MultiActivations(7, [Tanh(), Sin(), Sigmoid()])
    net = NeuralNetwork([InputLayer(3), Layer(7, mixed), Layer(5, Sigmoid()), Layer(11, Linear())])
    for weight, (W, b) in zip(net.weights, ((W0, b0), (W1, b1), (W2, b2))):
        weight.W, weight.bias = W, b
    net.compile(SquaredLoss(), None)
    net.lr, net.loss = 1, 0
    for x, y in zip(X, Y):
        net.y = y.reshape(-1, 1)
        net.forward(x.reshape(-1, 1))
        net.backprop()
    return net.loss, *(part for weight in net.weights for part in (weight.gradient_acc, weight.bias_acc))
"""


def linked(m):
    r = numbers()
    weights = weights_of(r, " ".join(LINKED_WEIGHTS), *LINKED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(LINKED_WEIGHTS), X=r(4, 3), Y=r(4, 11), **weights)


# a course's loss of labels that are not aligned: chances forwards and backwards over the labels with blanks, in loops -

ALIGNED = "Santhoshkumar-p/mytorch"
ALIGNED_KEPT = "self.gammas.append(posterior_probs)\n"
ALIGNED_EDITS = (
    # wrong as published: its loss is the expected one, with the chances of alignments held fast, of which its gradient
    # is not the gradient; it is that of the logarithm of the labels' chance, and of the sum, not the mean, of a batch
    (
        ALIGNED_KEPT,
        f"{ALIGNED_KEPT}            total_loss[batch_itr] = -np.log(fwd_probs[-1, -1] + fwd_probs[-1, -2])\n"
        "            continue\n",
    ),
    ("total_loss = np.sum(total_loss) / B", "total_loss = np.sum(total_loss)"),
)
ALIGNED_LOSS = """

def loss_and_gradients(logits, target, input_lengths, target_lengths):
    criterion = CTCLoss()
    cost = criterion(logits, target, input_lengths, target_lengths)
    return cost, criterion.backward()
"""


def aligned(m):
    r = numbers()
    chances = np.exp(r(7, 3, 5))
    target = np.array([[4, 1, 1], [2, 3, 0], [3, 4, 2]])  # padded with the blank
    lengths = {"input_lengths": np.array([7, 5, 6]), "target_lengths": np.array([3, 2, 3])}
    chances /= chances.sum(axis=2, keepdims=True)
    return loss(m.loss_and_gradients, "logits", logits=chances, target=target, **lengths)


# a well-known small network that hands out and takes all its weights as one vector, for an optimiser ------------------

VECTOR = "stephencwelch/Neural-Networks-Demystified"
VECTOR_LOSS = """

def loss_and_gradients(params, X, y):
    N = Neural_Network()
    N.inputLayerSize, N.hiddenLayerSize, N.outputLayerSize = 3, 7, 5
    cost, gradient = trainer(N).costFunctionWrapper(params, X, y)
    return np.sum(cost), gradient
"""


def vector(m):
    r = numbers()
    return loss(m.loss_and_gradients, "params", params=0.7 * r(3 * 7 + 7 * 5), X=r(4, 3), y=r(4, 5))


# a school's LSTM with an axis for the gates, which takes one sequence and step after another; functions are handed to -
# it and give their own slopes when asked for; types, truncation, gradients of the mean --------------------------------

STACKED = "SharpKoi/NeuralNetwork-Education"
STACKED_FOLDER = "sproutnet/nn"
STACKED_BEFORE = """from typing import Tuple, Callable, Optional, List
from activator import sigmoid, tanh
from common import Layer
from initializer import Initializer, GlorotUniform, Orthogonal, Zeros"""
STACKED_WEIGHTS = {"weights": (4, 5, 7), "state_weights": (4, 5, 5), "bias": (4, 5)}
STACKED_COPIED = "        self.hidden_states = np.copy(self.cell_states)\n"
STACKED_CELL = f"{' ' * 39}self.cell_activator(self.cell_states[:, t+1, :], derivative=True)\n"
STACKED_GATES = "            # totally 4 gates: i, f, o, c\n"
STACKED_EDITS = (
    (STACKED_COPIED, f"{STACKED_COPIED}        self.hidden_states[:, 0], self.cell_states[:, 0] = self.h0, self.c0\n"),
    # wrong as published: nothing goes back from cell to cell, and the gradients of the output at all steps so far are
    # added to that of the step, where only what comes through the recurrent weights belongs
    ("        truncated = False\n", "        truncated, carried = False, 0\n"),
    (STACKED_CELL, STACKED_CELL.replace("\n", " + carried\n")),
    (
        STACKED_GATES,
        "            carried = grad_cell_state * self.activator(raw_f[:, t, :])\n"
        f"            output_error = np.zeros(output_error.shape)\n{STACKED_GATES}",
    ),
)
STACKED_LOSS = """

def loss_and_gradients(x, y, h0, c0, weights, state_weights, bias):
    lstm = LSTM(5, (4, 7), weights_initializer=Zeros(), state_weights_initializer=Zeros())
    lstm.h0, lstm.c0, lstm.weights, lstm.state_weights, lstm.bias = h0, c0, weights, state_weights, bias
    error = lstm(x) - y
    _, gradients = lstm.backward_propagate(error)
    return 0.5 * np.sum(error**2) / len(x), *gradients
"""


def stacked(m):
    r = numbers()
    weights = weights_of(r, " ".join(STACKED_WEIGHTS), *STACKED_WEIGHTS.values())
    given = {"x": r(3, 4, 7), "y": r(3, 5), "h0": r(3, 5), "c0": r(3, 5)}
    return loss(m.loss_and_gradients, " ".join(STACKED_WEIGHTS), **given, **weights)


# an RNN that foretells a number from a series, on classes that share functions; weights and gradients in dicts; states
# are appended forwards, gradients are inserted at the front backwards, and are one matrix at the end ------------------

APPENDED = "Regen2001/NumPy-RNN-LSTM"
APPENDED_WEIGHTS = {"W_ax": (5, 3), "W_aa": (5, 5), "W_ya": (7, 5), "b_a": (5, 1), "b_y": (7, 1)}
APPENDED_EDITS = (
    ("np.zeros((1, self.hidden_node))", "self.h0[None]"),
    # it was for one number in and one out
    ("x[i].reshape(1,1)", "x[i].reshape(-1,1)"),
    ("self.inputs[i].reshape(1,1)", "self.inputs[i].reshape(1,-1)"),
    ("np.dot(self.grad['b_y'], self.weight['W_ya']).T", "np.dot(self.weight['W_ya'].T, self.grad['b_y'])"),
    # wrong as published: it goes back once too often, through weights not transposed, and adds at every step what comes
    # from the output, which is only at the last; and the recurrent weights take the state of the step before the last
    ("in reversed(range(n)):\n            d_h", "in reversed(range(1, n)):\n            d_h"),
    (
        "np.dot(self.weight['W_ya'].T, self.grad['b_y']) + np.dot(self.weight['W_aa'], ",
        "np.dot(self.weight['W_aa'].T, ",
    ),
    ("self.hidden_states[i-1].reshape", "self.hidden_states[i].reshape"),
    ("], -1, 1)", "], -1000, 1000)"),
)
APPENDED_LOSS = """

def loss_and_gradients(x, y, h0, W_ax, W_aa, W_ya, b_a, b_y):
    model = get_model(3, 7, 5)
    model.h0 = h0
    model.weight = {"W_ax": W_ax, "W_aa": W_aa, "W_ya": W_ya, "b_a": b_a, "b_y": b_y}
    cost = np.sum(model.loss(model(x), y))
    model.back_prop(y)
    return cost, model.grad
"""


def appended(m):
    r = numbers()
    weights = weights_of(r, " ".join(APPENDED_WEIGHTS), *APPENDED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(APPENDED_WEIGHTS), x=r(4, 3), y=r(7, 1), h0=r(5), **weights)


SUBJECTS = [
    Subject(
        LISTS,
        "RNN",
        (Part("rnn_from_scratch.py", LISTS_TAKEN, LISTS_EDITS, "import random", LISTS_LOSS),),
        lists,
        published="adds up chances in place of logarithms, and nothing goes back from a step to the one before",
    ),
    Subject(
        LIBRARY,
        "RNN",
        library_parts("rnn", "RNN", LIBRARY_RNN_EDITS),
        library("RNN", LIBRARY_RNN_WEIGHTS, ("hprev",)),
        published="takes the slope of tanh at its values; the bias and the inputs get other gradients than theirs",
    ),
    Subject(
        LIBRARY,
        "LSTM",
        library_parts("lstm", "LSTM", LIBRARY_LSTM_EDITS),
        library("LSTM", LIBRARY_LSTM_WEIGHTS, ("hprev", "oprev")),
        published="nothing goes back through the recurrent weights or to the inputs; slopes are taken at values",
    ),
    Subject(
        FED_BACK,
        "Elman step",
        (Part("elman.py", "sigmoid dsigmoid Elman", after=FED_BACK_LOSS),),
        fed_back,
    ),
    Subject(
        OPERATORS,
        "GRU",
        operators_parts("gru", "GRU", OPERATORS_GRU),
        object_of("Sequence", OPERATORS_GRU_WEIGHTS, "input", of_operators, {"h0": (5,)}, input=(3, 4, 7)),
    ),
    Subject(
        OPERATORS,
        "bidirectional RNN",
        operators_parts("vanilla_rnn", "TemporalPooling VanillaRNN BiRNN", OPERATORS_BOTH),
        object_of(
            "Sequence",
            OPERATORS_BOTH_WEIGHTS,
            "input",
            of_operators,
            {"both.forward_rnn.h0": (5,), "both.backward_rnn.h0": (5,)},
            input=(3, 4, 7),
        ),
    ),
    Subject(
        JOINED,
        "recursive autoencoder",
        (
            Part(
                "definitions.py",
                "f fnorm fcat f_prime fnorm_prime fcat_prime tree",
                JOINED_TREE,
                module="definitions",
            ),
            Part("backprop.py", "getW backprop", JOINED_EDITS, "from definitions import *", JOINED_LOSS),
        ),
        joined,
    ),
    Subject(
        UNSQUASHED,
        "LSTM",
        (Part("rnn_layers.py", UNSQUASHED_TAKEN, (("xrange", "range"),), after=UNSQUASHED_LAYER),),
        object_of("Sequence", UNSQUASHED_WEIGHTS, "x h0", with_d, x=(3, 4, 7), h0=(3, 5)),
    ),
    Subject(
        TENSORS,
        "tensor network",
        (Part("neuralTensorNetwork.py", "NeuralTensorNetwork", (), TENSORS_BEFORE, TENSORS_LOSS),),
        tensors,
    ),
    Subject(
        TYPED,
        "convolutional network",
        (
            Part(
                f"{TYPED_FOLDER}/base.py",
                "Layer Optimizer",
                TYPED_TYPES,
                "from abc import ABC, abstractmethod\nfrom typing import Optional, Tuple, List",
                module="base",
            ),
            Part(f"{TYPED_FOLDER}/utils/core.py", "convert_prob2categorical convert_prob2one_hot", module="core"),
            Part(f"{TYPED_FOLDER}/utils/metrics.py", "softmax_cross_entropy", module="metrics"),
            typed_layer("layers/convolutional", "ConvLayer2D", "convolutional"),
            typed_layer("layers/dense", "DenseLayer", "dense"),
            typed_layer("layers/flatten", "FlattenLayer", "flatten"),
            typed_layer("layers/pooling", "MaxPoolLayer", "pooling"),
            typed_layer("activation/relu", "ReluLayer", "relu"),
            typed_layer("activation/softmax", "SoftmaxLayer", "softmax"),
            Part(f"{TYPED_FOLDER}/model/sequential.py", "SequentialModel", TYPED_TYPES, TYPED_MODEL, TYPED_LOSS),
        ),
        typed,
    ),
    Subject(PAIRS, "word2vec", (Part("word2vec.ipynb", "Word2Vec", PAIRS_EDITS, after=PAIRS_LOSS),), pairs),
    Subject(
        LINKED,
        "linked layers",
        (
            Part("src/activation_functions.py", LINKED_FUNCTIONS, (), LINKED_ABSTRACT, module="activation_functions"),
            Part("src/loss_functions.py", "Loss SquaredLoss", (), LINKED_ABSTRACT, module="loss_functions"),
            Part(
                "src/neural_net/layers.py",
                "Layer InputLayer",
                # wrong as published: it takes the slope of a function at the function's value
                (("d_activation(self.activation)", "d_activation(self.pre_activation)"),),
                "from activation_functions import Activation, Linear",
                module="layers",
            ),
            Part("src/neural_net/weights.py", "Weight", (), "from layers import Layer", module="weights"),
            Part(
                "src/neural_net/network.py",
                "NeuralNetwork",
                # NumPy makes no number of an array of one by one any more
                (("float(self.loss_f(self.y, preds))", "np.sum(self.loss_f(self.y, preds))"),),
                "from activation_functions import *\nfrom layers import InputLayer, Layer\n"
                "from loss_functions import SquaredLoss\nfrom weights import Weight",
                LINKED_LOSS,
            ),
        ),
        linked,
        published="takes the slope of every function at the function's value",
    ),
    Subject(
        ALIGNED,
        "CTC",
        (Part("CTC/CTC.py", "CTC CTCLoss", ALIGNED_EDITS, after=ALIGNED_LOSS),),
        aligned,
        published="its gradient is that of the labels' chance, its loss another, and a mean",
    ),
    Subject(
        VECTOR,
        "network in one vector",
        (Part("partSix.py", "Neural_Network trainer", after=VECTOR_LOSS),),
        vector,
    ),
    Subject(
        STACKED,
        "LSTM",
        (
            Part(f"{STACKED_FOLDER}/activator.py", "tanh sigmoid", module="activator"),
            Part(
                f"{STACKED_FOLDER}/initializer.py",
                "Initializer Zeros GlorotUniform Orthogonal",
                (),
                "from abc import ABC",
                module="initializer",
            ),
            Part(
                f"{STACKED_FOLDER}/layers/common.py",
                "Layer",
                (),
                "from abc import ABC\nfrom typing import List, Tuple",
                module="common",
            ),
            Part(f"{STACKED_FOLDER}/layers/recurrent.py", "LSTM", STACKED_EDITS, STACKED_BEFORE, STACKED_LOSS),
        ),
        stacked,
        published="nothing goes back from cell to cell, and the output's gradient is added at every step",
    ),
    Subject(
        APPENDED,
        "RNN",
        (
            Part("model/ML.py", "ML", module="ML"),
            Part("model/NN.py", "NN", (), "from ML import ML as ml", module="NN"),
            Part("model/RNN.py", "get_model", APPENDED_EDITS, "from NN import NN as nn", APPENDED_LOSS),
        ),
        appended,
        published="goes back once too often, adds the output's gradient at every step, takes states a step too early",
    ),
]

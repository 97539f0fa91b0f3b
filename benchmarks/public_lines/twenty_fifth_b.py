"""Subjects by owners that begin with B, K and T: an LSTM and a GRU of a course, an RNN whose steps are objects,
attention in a graph, an Elman network of shared layers, convolutions, word vectors in batches."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# a student's LSTM for movements, with two ReLU layers and a softmax above its last state: plain functions, samples in
# the last axis, each activation is returned together with its derivative --------------------------------------------

MOVEMENTS = "BerkDemirkan/EEE443"
MOVEMENTS_WEIGHTS = {f"W{gate}": (7, 11) for gate in "fico"} | {f"b{gate}": (7, 1) for gate in "fico"}
MOVEMENTS_WEIGHTS |= {"W1": (11, 7), "b1": (11, 1), "W2": (5, 11), "b2": (5, 1), "W3": (13, 5), "b3": (13, 1)}
MOVEMENTS_EDITS = (
    ("np.row_stack", "np.vstack"),  # as NumPy calls it now
    # so that there are first states that are not zero
    ("    A0 = np.zeros((recurrent_layer_size, samples))\n", '    A0 = We["h0"]\n'),
    ("    C_prev = np.zeros((recurrent_layer_size, samples))\n", '    C_prev = We["c0"]\n'),
    ("else np.zeros((dim, sample))", 'else We["c0"]'),
    # wrong as published: no gradient goes from a cell to the cell before it,
    ("    d_z = d_state\n", "    d_z = d_state\n    d_c = 0\n"),
    ("        dc = d_z * h_output", "        dc = d_c + d_z * h_output"),
    ("        d_z = dxf + dxc", "        d_c = dc * h_forget[:, t, :]\n        d_z = dxf + dxc"),
    # and the loss takes what is predicted for what is true, and the other way round
    ('cross_entropy(cache["A3"], y_train)', 'cross_entropy(y_train, cache["A3"])'),
)
MOVEMENTS_LOSS = f"""

def loss_and_gradients(x, y, h0, c0, {", ".join(MOVEMENTS_WEIGHTS)}):
    weights = dict(zip({list(MOVEMENTS_WEIGHTS)}, ({", ".join(MOVEMENTS_WEIGHTS)})))
    cost, gradients = Q3b_calculate_gradients(weights | {{"h0": h0, "c0": c0}}, x, y)
    return cost * y.shape[1], gradients  # these are of the sum over the samples, the cost is a mean
"""


def movements(m):
    r = numbers()
    weights = weights_of(r, " ".join(MOVEMENTS_WEIGHTS), *MOVEMENTS_WEIGHTS.values())
    given = {"x": r(4, 5, 3), "y": np.eye(13)[[12, 0, 7]].T, "h0": r(7, 3), "c0": r(7, 3)}
    return loss(m.loss_and_gradients, " ".join(MOVEMENTS_WEIGHTS), **given, **weights)


# RNNs of layers that hold a list of nodes, one for each step, which keep the gradients that they hand on; an output
# layer has nodes of the same class ------------------------------------------------------------------------------------

NODES = "Bragit123/RNN-from-scratch"
NODES_WEIGHTS = {"W1": (5, 7), "b1": (1, 7), "V1": (7, 7), "c1": (1, 7)}
NODES_WEIGHTS |= {"W2": (7, 11), "b2": (1, 11), "V2": (11, 11), "c2": (1, 11), "W3": (11, 13), "b3": (1, 13)}
NODES_FACTOR = 0.3
# in place of what it takes from jax: the derivatives of functions that it does not write out
NODES_DERIVATIVES = """jnp = np
DERIVATIVES = {"tanh": lambda z: 1 - np.tanh(z) ** 2, "sigmoid": lambda z: sigmoid(z) * (1 - sigmoid(z))}


def grad(function):
    return DERIVATIVES.get(function.__name__) or function.derivative
"""
NODES_BEFORE = """from collections.abc import Callable
from copy import copy
from funcs import derivate, identity


def vmap(function):
    return function
"""
# wrong as published: the first step gives the bias of the states a gradient, though it has no state before it
NODES_FIRST = (
    (
        "        self.grad_b_time = np.sum(delta, axis=0) / n_batches\n",
        "        if self.h_time is not None:\n            self.grad_b_time = np.sum(delta, axis=0) / n_batches\n",
    ),
)
NODES_HINTS = tuple((f"{name}: Layer", name) for name in ("prev_layer", "next_layer"))
# so that the gradients are those of the loss, not means over the steps
NODES_MEANS = (
    (" / self.n_nodes\n", "\n"),
    ("grad_W_time = grad_W_time / (self.n_nodes - 1)", "pass"),
    ("grad_b_time = grad_b_time / (self.n_nodes - 1)", "pass"),
)
NODES_LAYER = f"{NODES_BEFORE}\nfrom node import Node\n\nScheduler = object  # a hint only"
NODES_MODULES = f"""{NODES_LAYER}
from funcs import LRELU, sigmoid, tanh
from input_layer import InputLayer
from layer import Layer
from output_layer import OutputLayer
from rnn_layer import RNNLayer
"""
NODES_LOSS = f"""

class Kept:
    def __init__(self):
        self.total = 0

    def update_change(self, gradient):
        self.total = self.total + gradient
        return 0 * gradient


def squares(target):
    def function(output):
        return np.sum((output - target) ** 2)

    function.derivative = lambda output: 2 * (output - target)
    return function


def loss_and_gradients(x, target, {", ".join(NODES_WEIGHTS)}):
    rnn = RNN(squares, Kept())
    rnn.add_InputLayer(5)
    rnn.add_RNNLayer(7, tanh)
    rnn.add_RNNLayer(11, LRELU)
    rnn.add_OutputLayer(13, sigmoid)
    first, second, third = rnn.layers[1:]
    first.W_layer, first.b_layer, first.W_time, first.b_time = W1, b1, V1, c1
    second.W_layer, second.b_layer, second.W_time, second.b_time = W2, b2, V2, c2
    third.W_layer, third.b_layer = W3, b3
    output = rnn.feed_forward(x)
    rnn.backpropagate(output, target, {NODES_FACTOR})
    penalty = sum(x.shape[1] * np.sum(W**2) for W in (W1, W2, W3))
    penalty += (x.shape[1] - 1) * (np.sum(V1**2) + np.sum(V2**2))
    kept = []
    for layer in (first, second):
        kept += [layer.scheduler_W_layer, layer.scheduler_b_layer, layer.scheduler_W_time, layer.scheduler_b_time]
    kept += [third.scheduler_W_layer, third.scheduler_b_layer]
    return squares(target)(output) / len(x) + {NODES_FACTOR} / 2 * penalty, *(scheduler.total for scheduler in kept)
"""


def nodes(m):
    r = numbers()
    weights = weights_of(r, " ".join(NODES_WEIGHTS), *NODES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(NODES_WEIGHTS), x=r(3, 4, 5), target=r(3, 4, 13), **weights)


# attention in a graph: each node looks at its neighbours, three heads that are joined in the layers below and averaged
# in the last, which some of the nodes only have labels for; lists of weights and gradients for the heads ------------

GRAPH = "KB-Q/AI_from_scratch"
GRAPH_WEIGHTS = {
    f"{kind}{layer}": shape
    for layer, (heads, inputs, size) in enumerate(((3, 5, 4), (3, 12, 4), (1, 12, 7)), 1)
    for kind, shape in (("W", (heads, inputs, size)), ("s", (heads, size, 1)), ("d", (heads, size, 1)))
}
GRAPH_BEFORE = "from utils import leaky_relu, leaky_relu_derivative, softmax, xavier_init"
GRAPH_LOSS = f"""

def loss_and_gradients(X, adj, targets, mask, {", ".join(GRAPH_WEIGHTS)}):
    gat = GAT(5, 4, 7, num_layers=3, num_heads=3, dropout=0, attn_dropout=0)
    for layer, weights in zip(gat.layers, ((W1, s1, d1), (W2, s2, d2), (W3, s3, d3))):
        layer.W, layer.a_src, layer.a_dst = (list(array) for array in weights)
    gat.forward(X, adj)
    cost = gat.backward(targets, mask)
    return cost, *(np.array(grads[key]) for grads in gat.grads for key in ("W", "a_src", "a_dst"))
"""


def graph(m):
    r = numbers()
    weights = weights_of(r, " ".join(GRAPH_WEIGHTS), *GRAPH_WEIGHTS.values())
    edges = np.zeros((11, 11))
    edges[[0, 0, 1, 2, 3, 4, 5, 5, 7, 8, 9, 10], [3, 5, 2, 9, 4, 8, 6, 10, 0, 1, 7, 4]] = 1
    labels = np.array([6, 0, 3, 2, 2, 5, 1, 4, 0, 6, 3])
    given = {"X": r(11, 5), "adj": edges, "targets": np.eye(7)[labels], "mask": labels != 2}
    return loss(m.loss_and_gradients, " ".join(GRAPH_WEIGHTS), **given, **weights)


# a course's framework: an Elman network that is put together of layers which keep what they were last called with, and
# are given that of each step again for its backward pass; biases are the last rows of the weights -------------------

ELMAN = "kirill-menke/deep-learning-framework"
ELMAN_BEFORE = "from base import Base"
ELMAN_EDITS = (
    # so that there is a first state that is not zero
    ("self.hidden_state = np.zeros((1, self.hidden_size))", "self.hidden_state = self.first"),
    # what the optimizers would be given
    (
        "        self.gradient_weights = fc_hidden_gradient_weights\n",
        """        self.gradient_weights = fc_hidden_gradient_weights
        self.fc_output.gradient_weights = fc_output_gradient_weights
        self.gradient_first = gradient_hidden_state
""",
    ),
)
ELMAN_IMPORTS = """from base import Base
from fully_connected import FullyConnected
from sigmoid import Sigmoid
from tanh import TanH
"""
ELMAN_PAIR = """

def forward(x, h0, hidden, output):
    rnn = RNN(3, 5, 7)
    rnn.first, rnn.weights, rnn.fc_output.weights = h0, hidden, output
    return rnn.forward(x), rnn


def backward(error, rnn):
    dx = rnn.backward(error)
    return dx, rnn.gradient_first, rnn.gradient_weights, rnn.fc_output.gradient_weights
"""


def elman(m):
    r = numbers()
    weights = weights_of(r, "hidden output", (9, 5), (6, 7))
    return pair(m.forward, m.backward, "x h0 hidden output", x=r(4, 3), h0=r(1, 5), **weights)


# a small library of layers that are called: convolutions that keep the size of the image, pooling, a batch
# normalisation with Greek letters, a softmax and its loss apart from each other --------------------------------------

SMALL = "kbarbary/tinynn"
SMALL_WEIGHTS = {"K": (3, 4, 3, 4), "b1": (1, 1, 1, 4), "W2": (24, 7), "γ": (1, 7), "β": (1, 7)}
SMALL_WEIGHTS |= {"W3": (7, 11), "b3": (1, 11)}
SMALL_BEFORE = "from layer import Layer"
# wrong as published: keeps the shape of its input when it is too late, and gives nothing back
SMALL_EDITS = (
    ("        if self.keepdim == 'first':\n", "        self.in_shape = X.shape\n        if self.keepdim == 'first':\n"),
    ("        self.in_shape = X.shape\n\n", "\n"),
    ("        dA.reshape(self.in_shape)", "        return dA.reshape(self.in_shape)"),
)
SMALL_LOSS = f"""
from activations import ReLU, Tanh
from costs import CrossEntropy, Softmax
from dense import BatchNorm, Dense


def loss_and_gradients(X, Y, {", ".join(SMALL_WEIGHTS)}):
    conv, dense, norm, last = Conv(3, 4, (3, 4)), Dense(24, 7, bias=False), BatchNorm(7), Dense(7, 11)
    conv.W, conv.b, dense.W, norm.γ, norm.β, last.W, last.b = {", ".join(SMALL_WEIGHTS)}
    layers = conv, Tanh(), Pool((3, 3)), Flatten(), dense, norm, ReLU(), last, Softmax()
    for layer in layers:
        X = layer(X)
    criterion = CrossEntropy()
    cost = criterion(X, Y)
    dA = criterion.back()
    for layer in reversed(layers):
        dA = layer.back(dA)
    return cost, dA, conv.dW, conv.db, dense.dW, norm.dγ, norm.dβ, last.dW, last.db
"""


def small(m):
    r = numbers()
    weights = weights_of(r, " ".join(SMALL_WEIGHTS), *SMALL_WEIGHTS.values())
    given = {"X": r(5, 4, 5, 3), "Y": np.eye(11)[[3, 10, 0, 8, 8]]}
    return loss(m.loss_and_gradients, f"X {' '.join(SMALL_WEIGHTS)}", **given, **weights)


# word vectors in batches: a word, one near it and some drawn by chance; the model keeps its gradients, which another
# object adds at the places they belong to ----------------------------------------------------------------------------

BATCHES = "TerminaD/word2vec-from-scratch"
BATCHES_EDITS = tuple(  # what it learns by is kept instead
    (f"np.add.at(m.{name}, {where}, -lr * ", f"np.add.at(m.d_{name}, {where}, ")
    for name, where in (("center_mat", "m._center_idx"), ("context_mat", "m._pos_idx"), ("context_mat", "neg_idx_flat"))
)
BATCHES_LOSS = """
from model import Word2VecSGNS


def loss_and_gradients(center, pos, neg, center_mat, context_mat):
    model = Word2VecSGNS(11, 5)
    model.center_mat, model.context_mat = center_mat, context_mat
    model.d_center_mat, model.d_context_mat = np.zeros_like(center_mat), np.zeros_like(context_mat)
    cost = model.forward(center, pos, neg)
    model.backward()
    SGDDecayOptimizer(model, 0.1, 0.1).step(0)
    return cost, model.d_center_mat, model.d_context_mat
"""


def batches(m):
    r = numbers()
    weights = weights_of(r, "center_mat context_mat", (11, 5), (11, 5))
    drawn = np.array(
        [[1, 1, 8, 10], [7, 0, 3, 6], [4, 6, 4, 2], [9, 8, 9, 0], [5, 2, 10, 1], [3, 3, 3, 7], [0, 5, 8, 4]]
    )
    given = {"center": np.array([2, 5, 2, 0, 9, 2, 4]), "pos": np.array([5, 2, 10, 9, 0, 5, 10]), "neg": drawn}
    return loss(m.loss_and_gradients, "center_mat context_mat", **given, **weights)


# another student's GRU for the same movements, below a tanh layer and a softmax: plain functions, all weights and all
# that is kept are in dicts by name and step, the gradients are means over the batch ----------------------------------

NAMED = "TheSittingMouse/Bilkent---EEE-443"
NAMED_WEIGHTS = {
    f"{kind}_{gate}": shape for gate in "zrh" for kind, shape in (("W", (3, 7)), ("U", (7, 7)), ("b", (1, 7)))
}
NAMED_LAYERS = {"W0": (7, 11), "b0": (1, 11), "W1": (11, 13), "b1": (1, 13)}
NAMED_RESET = """        dR_t = np.matmul(dH_hat_t, WbGRU['U_h'].T) * h_prev
        dR_t *= r_t * (1 - r_t)  # Sigmoid derivative
"""
NAMED_TANH = "        dH_hat_t *= 1 - h_hat_t**2  # Tanh derivative\n"
NAMED_EDITS = (
    # so that there is a first state that is not zero
    ("    h_t = np.zeros((batch_size, hidden_size))\n", "    h_t = WbGRU['h_0']\n"),
    ("else np.zeros_like(h_t)", "else WbGRU['h_0']"),
    # wrong as published: the gradient of the reset gate is taken before the derivative of the candidate's tanh,
    (NAMED_RESET + NAMED_TANH, NAMED_TANH + NAMED_RESET),
    # and none goes from the candidate to the state before
    (
        "        dH_next = dH_prev + np.matmul(",
        "        dH_prev += np.matmul(dH_hat_t, WbGRU['U_h'].T) * r_t\n        dH_next = dH_prev + np.matmul(",
    ),
)
NAMED_LOSS = f"""

def loss_and_gradients(data, labels, h_0, {", ".join(NAMED_WEIGHTS | NAMED_LAYERS)}):
    gates = dict(zip({list(NAMED_WEIGHTS)}, ({", ".join(NAMED_WEIGHTS)}))) | {{"h_0": h_0}}
    layers = {{"W0": W0, "b0": b0, "W1": W1, "b1": b1}}
    h_t, kept = gruForward(gates, data)
    _, cache = sequantialForward(layers, h_t)
    cost, grads, last = sequentialBackward(layers, labels, cache)
    grads |= gruBackward(gates, data, last, kept)
    return cost, *(grads["d" + name] for name in {list(NAMED_WEIGHTS | NAMED_LAYERS)})
"""


def named(m):
    r = numbers()
    names = NAMED_WEIGHTS | NAMED_LAYERS
    weights = weights_of(r, " ".join(names), *names.values())
    given = {"data": r(4, 5, 3), "labels": np.eye(13)[[4, 12, 0, 7]], "h_0": r(4, 7)}
    return loss(m.loss_and_gradients, " ".join(names), **given, **weights)


SUBJECTS = [
    Subject(
        MOVEMENTS,
        "LSTM",
        (
            Part(
                "Mini Project/mini_project.py",
                "sigmoid softmax cross_entropy tanh relu Q3b_forward_propagation Q3b_calculate_gradients",
                MOVEMENTS_EDITS,
                after=MOVEMENTS_LOSS,
            ),
        ),
        movements,
        published="no gradient goes from a cell to the cell before; the loss takes the prediction for the truth",
    ),
    Subject(
        NODES,
        "RNNs",
        (
            Part(
                "Code/RNN_module/funcs.py",
                "identity sigmoid LRELU tanh derivate",
                before=NODES_DERIVATIVES,
                module="funcs",
            ),
            Part("Code/RNN_module/Node.py", "Node", NODES_FIRST, NODES_BEFORE, module="node"),
            Part("Code/RNN_module/Layer.py", "Layer", NODES_HINTS, NODES_LAYER, module="layer"),
            Part(
                "Code/RNN_module/InputLayer.py",
                "InputLayer",
                before=f"{NODES_LAYER}\nfrom layer import Layer",
                module="input_layer",
            ),
            Part(
                "Code/RNN_module/RNNLayer.py",
                "RNNLayer",
                NODES_MEANS,
                f"{NODES_LAYER}\nfrom layer import Layer",
                module="rnn_layer",
            ),
            Part(
                "Code/RNN_module/OutputLayer.py",
                "OutputLayer",
                before=f"{NODES_LAYER}\nfrom layer import Layer",
                module="output_layer",
            ),
            Part("Code/RNN_module/RNN.py", "RNN", before=NODES_MODULES, after=NODES_LOSS),
        ),
        nodes,
        published="the first step gives the bias of the states a gradient; gradients are means over the steps",
    ),
    Subject(
        GRAPH,
        "attention in a graph",
        (
            Part(
                "graph/numpy/utils.py",
                "leaky_relu leaky_relu_derivative softmax xavier_init",
                module="utils",
            ),
            Part("graph/numpy/gat.py", "GATLayer GAT", before=GRAPH_BEFORE, after=GRAPH_LOSS),
        ),
        graph,
    ),
    Subject(
        ELMAN,
        "RNN",
        (
            Part("layers/Base.py", "Base", module="base"),
            Part("layers/FullyConnected.py", "FullyConnected", before=ELMAN_BEFORE, module="fully_connected"),
            Part("layers/Sigmoid.py", "Sigmoid", before=ELMAN_BEFORE, module="sigmoid"),
            Part("layers/TanH.py", "TanH", before=ELMAN_BEFORE, module="tanh"),
            Part("layers/RNN.py", "RNN", ELMAN_EDITS, ELMAN_IMPORTS, ELMAN_PAIR),
        ),
        elman,
    ),
    Subject(
        SMALL,
        "convolution",
        (
            Part("tinynn/layer.py", "Layer", module="layer"),
            Part("tinynn/activations.py", "ReLU Tanh", before=SMALL_BEFORE, module="activations"),
            Part("tinynn/costs.py", "Softmax CrossEntropy", before=SMALL_BEFORE, module="costs"),
            Part("tinynn/dense.py", "sum0 Dense BatchNorm", before=SMALL_BEFORE, module="dense"),
            Part("tinynn/conv.py", "Conv Pool Flatten", SMALL_EDITS, SMALL_BEFORE, SMALL_LOSS),
        ),
        small,
        published="the layer that flattens gives nothing back, and keeps the shape when it is too late",
    ),
    Subject(
        BATCHES,
        "word vectors",
        (
            Part("src/model.py", "Word2VecSGNS", module="model"),
            Part("src/optimizer.py", "SGDDecayOptimizer", BATCHES_EDITS, after=BATCHES_LOSS),
        ),
        batches,
    ),
    Subject(
        NAMED,
        "GRU",
        (
            Part(
                "Mini Project/Q3.py",
                "softmax tanh_backward sequantialForward sequentialBackward gruForward gruBackward",
                NAMED_EDITS,
                after=NAMED_LOSS,
            ),
        ),
        named,
        published="the reset gate's gradient lacks the derivative of tanh; none goes from the candidate to the state",
    ),
]

"""Subjects by owners that begin with H, J, M and N: an RNN in functions and dicts, an LSTM without matrices, an LSTM in
both directions, convolutions in a graph, a framework with decorators, word vectors, convolutions in plain loops."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# an RNN that learns to add numbers bit by bit: functions only, what they take and give are dicts with long names, the
# deltas have the sign of what is added to the weights ----------------------------------------------------------------

BITS = "hiflyin/Vanilla-LSTM"
BITS_TAKEN = """logloss compute_loss_seq sigmoid sigmoid_derivative feed_forward_recursive_layer
feed_forward_dense_layer feed_forward_network feed_forward_sequence backprop_dense_layer backprop_recursive_layer
back_prop_sample back_prop_sequence update_net_weights"""
BITS_WEIGHTS = {"recursive": (3, 5), "previous_recursive": (5, 5), "recursive_bias": (1, 5)}
BITS_WEIGHTS |= {"dense": (5, 1), "dense_bias": (1, 1)}
BITS_BEFORE = """from numpy import clip, log, zeros, zeros_like

recursive_size, learning_rate = 5, -1.0  # so that what it adds to the weights are the gradients
"""
BITS_EDITS = (
    # so that there is a first state that is not zero
    ('{"from_recursive": {"activation": zeros((1, recursive_size))}}', '{"from_recursive": {"activation": first}}'),
    (", -10, 10)", ", -np.inf, np.inf)"),
    # wrong as published: the derivative of the loss is that of squares, though the loss is the one of chances,
    (
        'total_delta = sigmoid_derivative(outputs["activation"]) * errors["to_output"]',
        'total_delta = errors["to_output"]',
    ),
    # and what goes back to the state before lacks a transpose
    ('weights["previous_recursive"])\n    total_delta', 'weights["previous_recursive"].T)\n    total_delta'),
)
BITS_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(BITS_WEIGHTS)}):
    global first
    first = h0
    weights = dict(zip({list(BITS_WEIGHTS)}, ({", ".join(BITS_WEIGHTS)}))) | {{"log_loss": 0}}
    gradients = {{name: zeros_like(array) for name, array in weights.items()}}
    input_seq = [{{"from_previous": step}} for step in x]
    deltas = back_prop_sequence(input_seq, feed_forward_sequence(input_seq, weights), y, weights)
    update_net_weights(deltas, gradients)
    return weights["log_loss"], gradients
"""


def bits(m):
    r = numbers()
    weights = weights_of(r, " ".join(BITS_WEIGHTS), *BITS_WEIGHTS.values())
    given = {"x": r(4, 1, 3), "y": np.array([1, 0, 1, 1]), "h0": r(1, 5)}
    return loss(m.loss_and_gradients, " ".join(BITS_WEIGHTS), **given, **weights)


# an LSTM for letters whose gates have no matrices: each unit has two weights for each gate, one for its input and one
# for its state, and a bias for all units; layers are lists of weights, activations and derivatives --------------------

UNITS = "MattMoony/rnn-lstm_goethe-generation"
UNITS_WEIGHTS = {"w1": (4, 2, 5), "w2": (4, 2, 5), "w3": (7, 5), "b1": (4, 1), "b2": (4, 1), "b3": (1,)}
UNITS_EDITS = (
    # so that there are first states that are not zero
    ("ct = np.zeros((len(r_w_s), h))", "ct = first[0].copy()"),
    ("ht = np.zeros((len(r_w_s)+1, h))", "ht = first[1].copy()"),
    ("ht = np.zeros((len(r_w_s) + 1, h))", "ht = first[1].copy()"),
    # wrong as published: before the first step comes the last one,
    ("ct_s = np.zeros((n, len(r_w_s), h))", "ct_s = np.zeros((n + 1, len(r_w_s), h))\n    ct_s[-1] = ct"),
    ("ht_s = np.zeros((n, len(r_w_s) + 1, h))", "ht_s = np.zeros((n + 1, len(r_w_s) + 1, h))\n    ht_s[-1] = ht"),
    # and the gradient of the matrix is an inner product
    ("zl_g.dot(al_s[cu_ind][len(b_s) - w_i - 1].T)", "np.outer(zl_g, al_s[cu_ind][len(b_s) - w_i - 1])"),
)
UNITS_LOSS = f"""

def loss_and_gradients(xs, ys, c0, h0, {", ".join(UNITS_WEIGHTS)}):
    global first
    first = c0, h0
    gates = (sigmoid, sigmoid, sigmoid, tanh, tanh), (sigmoid_grad, sigmoid_grad, sigmoid_grad, tanh_grad, tanh_grad)
    given = xs, ys, [[w1, *gates], [w2, *gates]], [[w3, softmax, softmax_grad]], [b1, b2, b3], 0.3
    r_w_s_g, fc_w_s_g, b_s_g = compute_gradient(*given)
    return loss(*given), *r_w_s_g, *fc_w_s_g, *b_s_g
"""


def units(m):
    r = numbers()
    weights = weights_of(r, " ".join(UNITS_WEIGHTS), *UNITS_WEIGHTS.values())
    given = {"xs": r(4, 5), "ys": np.array([6, 0, 3, 6]), "c0": r(2, 5), "h0": r(3, 5)}
    return loss(m.loss_and_gradients, " ".join(UNITS_WEIGHTS), **given, **weights)


# an LSTM in both directions in a notebook: one class has the weights of both and a method for each, which learns ------

WAYS = "Negar7878/Bidirectional-LSTM-From-Scratch"
WAYS_TAKEN = "sigmoid sigmoid_derivative tanh tanh_derivative mse_loss mse_loss_derivative LSTMCell"
WAYS_WEIGHTS = {
    f"{kind}{gate}_{way}": shape
    for way in ("forward", "backward")
    for kind, shape in (("W", (5, 8)), ("b", (5,)))
    for gate in "fioc"
}
WAYS_ALL = WAYS_WEIGHTS | {"Wy": (1, 10), "by": (1,)}
WAYS_EDITS = (
    # a global
    ("self.Wy[:, hidden_size:]", "self.Wy[:, self.hidden_size:]"),
    ("self.Wy[:, :hidden_size]", "self.Wy[:, :self.hidden_size]"),
    # what it learns by is kept instead
    *(
        (f"self.{name} -= learning_rate * d{name[:2]}\n", f"self.kept['{name}'] += d{name[:2]}\n")
        for name in list(WAYS_ALL)[:-1]
    ),
    ("self.by -= learning_rate * dby.reshape(-1)", "self.kept['by'] += dby.reshape(-1)"),
)
# wrong as published: the cell only knows its last step, for which all steps are taken in the backward pass, and the
# gradient of the output is given to all of them; here each step is a copy of the cell, and the last is given it
WAYS_LOSS = f"""

def loss_and_gradients(x, y, h0, c0, h1, c1, {", ".join(WAYS_ALL)}):
    from copy import copy

    cell = LSTMCell(3, 5)
    for name, array in zip({list(WAYS_ALL)}, ({", ".join(WAYS_ALL)})):
        setattr(cell, name, array)
    cell.kept = {{name: np.zeros_like(getattr(cell, name)) for name in {list(WAYS_ALL)}}}
    there, back = [], []
    for step in x:
        there.append(copy(cell))
        h0, c0 = there[-1].forward_forward_layer(step, h0, c0)
    for step in x[::-1]:
        back.append(copy(cell))
        h1, c1 = back[-1].forward_backward_layer(step, h1, c1)
    cell.h_forward, cell.h_backward = h0, h1
    y_pred = cell.forward(h1, h0)
    error = mse_loss_derivative(y, y_pred)
    cell.backward(error)
    dh0, dc0, dh1, dc1 = np.zeros((4, 5))
    for k in reversed(range(len(x))):
        dh0, dc0 = there[k].backward_forwardLayer(error, dh0, dc0, None)
        dh1, dc1 = back[k].backward_backwardLayer(error, dh1, dc1, None)
        error = np.zeros(1)
    return mse_loss(y, y_pred), dh0, dc0, dh1, dc1, *cell.kept.values()
"""


def ways(m):
    r = numbers()
    weights = weights_of(r, " ".join(WAYS_ALL), *WAYS_ALL.values())
    given = {"x": r(4, 3), "y": r(1), "h0": r(5), "c0": r(5), "h1": r(5), "c1": r(5)}
    return loss(m.loss_and_gradients, f"h0 c0 h1 c1 {' '.join(WAYS_ALL)}", **given, **weights)


# convolutions in a graph, with a softmax above: some of the nodes have labels, an object that is called an optimizer
# carries what goes from layer to layer, weights decay -----------------------------------------------------------------

GRAPH = "HamzaGbada/GCN-Numpy"
GRAPH_WEIGHTS = {"W1": (7, 4), "W2": (7, 7), "W3": (5, 7), "W4": (3, 5), "b4": (3, 1)}
GRAPH_BEFORE = """

def softmax(x, axis):
    exps = np.exp(x)
    return exps / exps.sum(axis=axis, keepdims=True)
"""
# wrong as published: the softmax is one of all nodes together,
GRAPH_LAYERS = (("softmax(proj).T", "softmax(proj, axis=0).T"),)
# only the first layer has an activation, though all have its derivative,
GRAPH_NETWORK = (
    ("hidden_sizes[l])", "hidden_sizes[l], activation)"),
    ('        print("The layer of GNN model")\n', ""),
    ("            print(gcn)\n", ""),
    ("        print(softmax_output)\n", ""),
)
# and the nodes with labels are not looked at when it is called first
GRAPH_NODES = (("if self.train_nodes is None:", "if train_nodes is None:"),)
GRAPH_LOSS = f"""
from optimizer import Gradient_Descent_Optimizer


def loss_and_gradients(A, X, labels, nodes, {", ".join(GRAPH_WEIGHTS)}):
    network = GCN_Network(4, 3, 2, [7, 5], np.tanh)
    for layer, W in zip(network.layers, (W1, W2, W3, W4)):
        layer.W = W
    network.layers[-1].b = b4
    optimizer = Gradient_Descent_Optimizer(alpha=0.1, w=0.3)
    y_pred = network.forward(A, X)
    optimizer(y_pred, labels, nodes)
    found = [layer.backward(optimizer, update=False) for layer in reversed(network.layers)]
    decay = 0.3 / 2 * sum(np.sum(W**2) for W in (W1, W2, W3, W4)) / len(nodes)
    cost = network.layers[-1].xent(y_pred, labels)[nodes].mean() + decay
    return cost, *found[:0:-1], *found[0]
"""


def graph(m):
    r = numbers()
    weights = weights_of(r, " ".join(GRAPH_WEIGHTS), *GRAPH_WEIGHTS.values())
    edges = r(9, 9) * (r(9, 9) > 0.3)
    given = {"A": edges + edges.T, "X": r(9, 4), "nodes": np.array([0, 2, 3, 5, 8])}
    labels = np.eye(3)[[2, 0, 1, 1, 2, 0, 0, 2, 1]]
    return loss(m.loss_and_gradients, " ".join(GRAPH_WEIGHTS), labels=labels, **given, **weights)


# a framework whose layers' methods are wrapped by decorators that keep input and output; dropout, penalties of absolute
# values and squares, a softmax apart from its loss --------------------------------------------------------------------

WRAPPED = "MoazAshraf/Deep-Learning-From-Scratch"
WRAPPED_WEIGHTS = {"W1": (4, 7), "b1": (1, 7), "W2": (7, 11), "b2": (1, 11), "W3": (11, 5), "b3": (1, 5)}
WRAPPED_LOSS = f"""
from layers import Dropout, Linear, Sigmoid, Softmax, Tanh
from losses import CategoricalCrossentropy
from regularizers import L1L2


class Kept:
    def optimize(self, parameter, gradient, state):
        return parameter, gradient


def loss_and_gradients(X, Y, {", ".join(WRAPPED_WEIGHTS)}):
    first, second, third = Linear(7, L1L2(0.2, 0.3), input_shape=(4,)), Linear(11, L1L2(0.1, 0.5)), Linear(5)
    model = Sequential([first, Tanh(), Dropout(0.3), second, Sigmoid(), third, Softmax()])
    model.configure(CategoricalCrossentropy(), Kept())
    linears = first, second, third
    for layer, W, b in zip(linears, (W1, W2, W3), (b1, b2, b3)):
        layer.weights, layer.biases = W, b
    np.random.seed(5)  # the same are dropped each time
    cost = model.loss(Y, model.forward(X, training=True))
    cost += sum(layer.kernel_regularizer(layer.weights) for layer in linears[:2]) / len(X)
    np.random.seed(5)
    model.train_step(X, Y)
    return cost, *(layer.optimizer_params[name] for layer in linears for name in ("weights", "biases"))
"""


def wrapped(m):
    r = numbers()
    weights = weights_of(r, " ".join(WRAPPED_WEIGHTS), *WRAPPED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(WRAPPED_WEIGHTS), X=r(3, 4), Y=np.eye(5)[[4, 0, 3]], **weights)


# word vectors by a word, one near it and some that are drawn: one pair after another, learning at once; what is made
# great are the chances, so that the gradients are added ---------------------------------------------------------------

PAIRS = "jack-and-his-ants/word2vec-numpy"
PAIRS_EDITS = (
    # wrong as published: the gradients are those of the sum, not of the mean
    ("/(len(negative_scores)+1)", ""),
    # what it learns by is kept instead
    *(
        (f"self.words_{kind}[{where}] += self.learning_rate * ", f"self.d_{kind}[{where}] += ")
        for kind, where in (("in", "pair[0]"), ("out", "pair[1]"), ("out", "neg_idx"))
    ),
)
PAIRS_LOSS = """

def loss_and_gradients(pairs, drawn, words_in, words_out):
    model = Word2VecModel(*words_in.shape)
    model.words_in, model.words_out = words_in, words_out
    model.d_in, model.d_out = np.zeros_like(words_in), np.zeros_like(words_out)
    gained = 0
    for pair, negatives in zip(pairs, drawn):
        word = words_in[pair[0]]
        gained += model.compute_loss(word @ words_out[pair[1]], words_out[negatives] @ word)
        model.training_step(pair, negatives)
    return gained, model.d_in, model.d_out
"""


def pairs(m):
    r = numbers()
    weights = weights_of(r, "words_in words_out", (11, 5), (11, 5))
    drawn = np.array([[1, 8, 10], [7, 0, 7], [4, 6, 2], [9, 8, 0], [5, 2, 10], [3, 1, 7]])
    near = np.array([[2, 5], [5, 2], [2, 10], [0, 9], [9, 4], [4, 0]])
    return loss(m.loss_and_gradients, "words_in words_out", pairs=near, drawn=drawn, **weights)


# convolutions in plain loops over each number: layers hold lists of images, kernels and gradients, a bias for each
# place of an image; no activations, a loss of squares -----------------------------------------------------------------

LOOPS = "Hazer-BJTU/Deep-Learning-from-scratch"
LOOPS_WEIGHTS = {"K": (3, 2, 3, 5), "b": (3, 4, 6), "W": (5, 18), "c": (5, 1)}
LOOPS_EDITS = (
    # wrong as published: the pool hands on its output, which it sets to zero before, instead of the gradient
    ("0.25 * self.Y[i][j, k]", "0.25 * self.Y_grad[i][j, k]"),
)
LOOPS_LOSS = """

def loss_and_gradients(x, y, K, b, W, c):
    convolution, pool = ConvolutionLayer((4, 6), 2, (3, 5), 3), AveragePoolingLayer2X2((4, 6), 3)
    dense = DenseLayer((2, 3), 3, 5)
    convolution.kernels, convolution.bias, dense.W, dense.bias = [list(group) for group in K], list(b), W, c
    convolution.forward(x)
    pool.forward(convolution.Y)
    dense.forward(pool.Y)
    diff = dense.Y - y
    for layer in (convolution, pool, dense):
        layer.zero_grad()
    dense.backward(diff)
    pool.backward(dense.X_grad)
    convolution.backward(pool.X_grad)
    found = convolution.X_grad, convolution.kernels_grads, convolution.bias_grads, dense.W_grad, dense.bias_grad
    return np.sum(diff**2) / 2, *(np.array(gradient) for gradient in found)
"""


def loops(m):
    r = numbers()
    weights = weights_of(r, " ".join(LOOPS_WEIGHTS), *LOOPS_WEIGHTS.values())
    return loss(m.loss_and_gradients, f"x {' '.join(LOOPS_WEIGHTS)}", x=r(2, 4, 6), y=r(5, 1), **weights)


SUBJECTS = [
    Subject(
        BITS,
        "RNN",
        (Part("rnn.py", BITS_TAKEN, BITS_EDITS, BITS_BEFORE, BITS_LOSS),),
        bits,
        published="the derivative of the loss is that of another; the gradient of a state lacks a transpose",
    ),
    Subject(
        UNITS,
        "LSTM",
        (
            Part(
                "legacy/main.py",
                "sigmoid sigmoid_grad tanh tanh_grad softmax softmax_grad predict loss compute_gradient",
                UNITS_EDITS,
                after=UNITS_LOSS,
            ),
        ),
        units,
        published="before the first step comes the last; the gradient of the matrix is an inner product",
    ),
    Subject(
        WAYS,
        "LSTM",
        (Part("Codes/ECG_5_TimeSteps.ipynb", WAYS_TAKEN, WAYS_EDITS, after=WAYS_LOSS),),
        ways,
        published="all steps are the last one in the backward pass, which all are given the output's gradient",
    ),
    Subject(
        GRAPH,
        "graph convolutions",
        (
            Part("src/layers.py", "Utils GCN_Layer Softmax_Layer", GRAPH_LAYERS, GRAPH_BEFORE, module="layers"),
            Part("src/optimizer.py", "Gradient_Descent_Optimizer", GRAPH_NODES, module="optimizer"),
            Part(
                "src/NeuralNetwork.py",
                "GCN_Network",
                GRAPH_NETWORK,
                "from layers import GCN_Layer, Softmax_Layer",
                GRAPH_LOSS,
            ),
        ),
        graph,
        published="the softmax is one of all nodes together; only the first layer has an activation, all a derivative",
    ),
    Subject(
        WRAPPED,
        "dropout",
        (
            Part("regularizers.py", "Regularizer L1 L2 L1L2", module="regularizers"),
            Part("losses.py", "Loss CategoricalCrossentropy", module="losses"),
            Part(
                "layers.py",
                "Layer Linear Tanh Sigmoid Softmax Dropout",
                before="def he_normal(shape):\n    return np.zeros(shape)",
                module="layers",
            ),
            Part(
                "models.py",
                "Model Sequential",
                before="class SGD:\n    def __init__(self, learning_rate):\n        pass",
                after=WRAPPED_LOSS,
            ),
        ),
        wrapped,
    ),
    Subject(
        PAIRS,
        "word vectors",
        (Part("word2vec/word2vec_model.py", "Word2VecModel", PAIRS_EDITS, after=PAIRS_LOSS),),
        pairs,
        published="the gradients are those of the sum, the loss is a mean",
    ),
    Subject(
        LOOPS,
        "convolution",
        (
            Part(
                "Utility/MyConvolution.py",
                "calc_conv calc_grad ConvolutionLayer AveragePoolingLayer2X2 DenseLayer",
                LOOPS_EDITS,
                after=LOOPS_LOSS,
            ),
        ),
        loops,
        published="the pool hands on zeros in place of the gradient",
    ),
]

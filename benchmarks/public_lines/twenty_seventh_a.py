"""Subjects by owners that begin with A, B, C, D and G: two RNNs, an LSTM in functions, an autoencoder with few active
units, two kinds of word vectors, convolutions as matrices, nets whose weights are one vector."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an RNN for words in layers that know their neighbours: for each output the error is taken back through all the steps -
# before it, one loop in another; weights decay ------------------------------------------------------------------------

NEIGHBOURS = "beekbin/simpleRNN"
NEIGHBOURS_WEIGHTS = {"E": (11, 4), "W": (5, 5), "U": (4, 5), "V": (5, 7), "b": (5,)}
NEIGHBOURS_WORDS = (
    # what it learns by is kept instead
    ("self.weights[idx] -= (lr * delta)", "self.d_weights[idx] += delta"),
)
NEIGHBOURS_RNN = (
    # Python 3
    ("steps = range(begin, i+1)", "steps = list(range(begin, i+1))"),
    # so that there is a first state that is not zero
    ("self.h[T] = np.zeros(self.size)", "self.h[T] = self.first"),
    # wrong as published: the derivative of the tanh is that of the step after,
    ("np.dot(self.weight_w, delta) * dh[j]", "np.dot(self.weight_w, delta) * dh[j-1]"),
    # and what goes to the words is a sum over the steps, though all else is a mean
    ("#self.delta_x = self.delta_x / T", "self.delta_x = self.delta_x / T"),
    # what it learns by is kept instead
    ("        self.clip_delta()\n", ""),
    *((f"        self.weight_{k} -= (lr * self.delta_{k})\n", "") for k in "wuv"),
    ("        self.bias -= (lr * self.delta_bias)\n\n        self.clear_delta()\n", ""),
)
NEIGHBOURS_LOSS = f"""
from embedding_layer import EmbeddingLayer
from nn_layer import InputLayer
from rnn_layer import RNNLayer
from softmax_layer import SoftmaxOutputLayer


def loss_and_gradients(x, y, h0, {", ".join(NEIGHBOURS_WEIGHTS)}):
    words, rnn, net = EmbeddingLayer("words", *E.shape), RNNLayer("rnn", len(W), 10), NNetwork()
    net.set_input(InputLayer("input", 1))
    for layer in (words, rnn):
        layer.set_lambda2(0.3)
        net.add_hidden_layer(layer)
    net.set_output(SoftmaxOutputLayer("output", V.shape[1]))
    net.connect_layers()
    words.weights, words.d_weights = E, np.zeros_like(E)
    rnn.weight_w, rnn.weight_u, rnn.weight_v, rnn.bias, rnn.first = W, U, V, b, h0
    net.train(x, y, 1.0)
    decay = sum(np.sum(weights**2) for weights in (W, U, V, E[x]))
    cost = net.output_layer.calc_cost(y) / len(x) + 0.3 / 2 * decay
    return cost, words.d_weights, rnn.delta_w, rnn.delta_u, rnn.delta_v, rnn.delta_bias
"""


def neighbours(m):
    r = numbers()
    weights = weights_of(r, " ".join(NEIGHBOURS_WEIGHTS), *NEIGHBOURS_WEIGHTS.values())
    given = {"x": np.array([8, 2, 0, 8]), "y": np.array([2, 0, 6, 3]), "h0": r(5)}
    return loss(m.loss_and_gradients, " ".join(NEIGHBOURS_WEIGHTS), **given, **weights)


# an RNN that looks for hate in sentences of given vectors: one sentence after another, half of each gradient is added -
# up, as a batch has two -----------------------------------------------------------------------------------------------

HATE = "donaldonana/SimpleRnnParallel"
HATE_WEIGHTS = {"W_hx": (5, 7), "W_hh": (7, 7), "b_h": (7,), "W_yh": (7, 3), "b_y": (3,)}
HATE_BEFORE = "from numpy.random import randn\n\nhiden_size, embed_dim, output_size = 7, 5, 3"
HATE_EDITS = (
    # so that there is a first state that is not zero
    ("self.h_last = np.zeros([1, self.num_units])", "self.h_last = self.first"),
)
HATE_LOSS = f"""

def loss_and_gradients(vectors, sentences, labels, h0, {", ".join(HATE_WEIGHTS)}):
    global embedding_matrix
    embedding_matrix = vectors
    rnn = MyRnn(7, 5, 3)
    rnn.build()
    rnn.first = h0
    rnn.W_hx, rnn.W_hh, rnn.b_h, rnn.W_yh, rnn.b_y = {", ".join(HATE_WEIGHTS)}
    total = 0
    for sentence, label in zip(sentences, labels):
        y_hat, h = rnn.forward(sentence)
        total += rnn.back_forward(sentence, label, y_hat, h)[0]
    return total / 2, rnn.dW_hx, rnn.dW_hh, rnn.db_h, rnn.dW_yh, rnn.db_y
"""


def hate(m):
    r = numbers()
    weights = weights_of(r, " ".join(HATE_WEIGHTS), *HATE_WEIGHTS.values())
    given = {"vectors": r(9, 5), "sentences": np.array([[3, 0, 8, 5], [1, 3, 7, 2]]), "h0": r(1, 7)}
    return loss(m.loss_and_gradients, " ".join(HATE_WEIGHTS), labels=np.eye(3)[[2, 0]], **given, **weights)


# an LSTM in two functions for what people do: lists of gates over the steps, a batch; only the last state goes on -----

GATES = "berkayaltntas/EEE443-Neural-Networks"
GATES_WEIGHTS = {"W_in": (3, 20), "W_h": (5, 20), "b": (1, 20), "h0": (2, 5), "c0": (2, 5)}
# there are several of this name
GATES_BEFORE = "def tanh(z):\n    return np.tanh(z)"
GATES_EDITS = (
    ("clipped_z = np.clip(z, -50, 50)", "clipped_z = z"),
    # so that there are first states that are not zero
    ("forward_pass_lstm(X, W_in, W_h, b, hidden_size):", "forward_pass_lstm(X, W_in, W_h, b, hidden_size, h0, c0):"),
    ("hid_states = np.zeros((batch_size, hidden_size))", "hid_states = h0"),
    ("cell_states = np.zeros((batch_size, hidden_size))", "cell_states = c0"),
    ("'b': b\n", "'b': b, 'h0': h0, 'c0': c0\n"),
    ("prev_cell = np.zeros_like(C_t)", "prev_cell = cache['c0']"),
    ("h_prev = np.zeros_like(h_t)", "h_prev = cache['h0']"),
    # their gradients are kept
    ("return dW_in, dW_h, db", "return dW_in, dW_h, db, dh_next, dC_next"),
)
GATES_PAIR = """

def run(X, W_in, W_h, b, h0, c0):
    h, cache = forward_pass_lstm(X, W_in, W_h, b, 5, h0, c0)
    return h, cache['C_list'][-1], cache


def back(dh, dc, cache):
    return backward_pass_lstm(dh, cache, dc, 5)
"""


def gates(m):
    r = numbers()
    weights = weights_of(r, " ".join(GATES_WEIGHTS), *GATES_WEIGHTS.values())
    return pair(m.run, m.back, " ".join(GATES_WEIGHTS), 2, X=r(2, 4, 3), **weights)


# an autoencoder whose units are to be active seldom: weights, biases and what was learned last in dicts by number of --
# the layer, weights decay; samples are columns ------------------------------------------------------------------------

SELDOM = "cagdashokmen/EEE443-Neural-Networks-Mini-Project"
SELDOM_WEIGHTS = {"w0": (5, 7), "w1": (7, 5), "b0": (5, 1), "b1": (7, 1)}
SELDOM_EDITS = (
    # wrong as published: the loss is a mean over what is drawn, its gradient is not,
    ("np.square(inp - labl).mean(axis=0)", "np.square(inp - labl).sum(axis=0)"),
    # and the layer below gets its error by weights that have learned already; what it learns by is kept instead
    ("            self.currentweight[f'w{x}'] -= updatedweight\n", ""),
    ("            self.currentbias[f'b{x}'] -= updatedbias\n", ""),
)
SELDOM_LOSS = f"""

def loss_and_gradients(x, {", ".join(SELDOM_WEIGHTS)}):
    coder = Auto_Enc(7, 5, 1.0, 0.2, 0.6, 0.3, 0.0)
    coder.currentweight, coder.currentbias = {{"w0": w0, "w1": w1}}, {{"b0": b0, "b1": b1}}
    coder.outputfound(x)
    return coder.prog_back(x, x), coder.prevweight | coder.prevbias
"""


def seldom(m):
    r = numbers()
    weights = weights_of(r, " ".join(SELDOM_WEIGHTS), *SELDOM_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SELDOM_WEIGHTS), x=r(7, 3), **weights)


# two kinds of word vectors: from a word to those near it by the paths of a tree, and from those near it to a word with
# some that are drawn; one example after another, learning at once -----------------------------------------------------

PATHS = "dimiter-michailov/word2vec-in-pure-numpy"
PATHS_WEIGHTS = {"in_tree": (7, 5), "out_tree": (5, 6), "in_drawn": (7, 4), "out_drawn": (4, 7)}
PATHS_EDITS = (
    ("np.float32", "np.float64"),
    # what it learns by is kept instead
    ("self.hidden_output_matrix[:, path] -= self.l_rate * ", "self.d_output[:, path] += "),
    ("self.input_hidden_matrix[center] -= self.l_rate * ", "self.d_input[center] += "),
)
PATHS_DRAWN = (
    ("np.float32", "np.float64"),
    # the same are drawn each time
    ("negative_samples = self.negative_sampling(context, target)", "negative_samples = self.drawn[target]"),
    # what it learns by is kept instead
    ("self.hidden_output_matrix[:, target] -= self.l_rate * ", "self.d_output[:, target] += "),
    ("self.hidden_output_matrix[:, negative_samples] -= self.l_rate * ", "self.d_output[:, negative_samples] += "),
    ("self.input_hidden_matrix[word] -= self.l_rate * ", "self.d_input[word] += "),
)
PATHS_LOSS = f"""
from hierarchical_skipgram import HierarchicalSkipgram


def made(kind, w_in, w_out):
    model = kind.__new__(kind)
    model.input_hidden_matrix, model.hidden_output_matrix, model.embedding_dim = w_in, w_out, w_in.shape[1]
    model.d_input, model.d_output = np.zeros_like(w_in), np.zeros_like(w_out)
    return model


def loss_and_gradients(examples, paths, codes, drawn, {", ".join(PATHS_WEIGHTS)}):
    tree, cbow = made(HierarchicalSkipgram, in_tree, out_tree), made(NegativeCBOW, in_drawn, out_drawn)
    tree.word_paths, tree.word_codes, cbow.drawn = paths, codes, drawn
    total = 0
    for word, near in examples:
        center, hidden, E = tree.feedforward(word, near)
        tree.backpropagate(hidden, near, center)
        total += E
        *kept, E = cbow.feedforward(near, word)
        cbow.backpropagate(*kept, near)
        total += E
    return total, tree.d_input, tree.d_output, cbow.d_input, cbow.d_output
"""


def paths(m):
    r = numbers()
    weights = weights_of(r, " ".join(PATHS_WEIGHTS), *PATHS_WEIGHTS.values())
    given = {"examples": [(2, [4, 0, 6]), (5, [1, 6]), (0, [5, 5, 3])]}
    given["paths"] = [[0, 1, 3], [0, 1, 3], [0, 1], [0, 2, 4], [0, 2, 4, 5], [0, 2, 4, 5], [0, 2]]
    given["codes"] = [[0, 0, 0], [0, 0, 1], [0, 1], [1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1], [1, 1]]
    given["drawn"] = {2: np.array([1, 5, 3]), 5: np.array([0, 2, 4]), 0: np.array([6, 1, 4])}
    return loss(m.loss_and_gradients, " ".join(PATHS_WEIGHTS), **given, **weights)


# convolutions as products of matrices: layers return the gradient of their input and a list of those of their weights -

COLUMNS = "abteilung6/convolutional-neural-network-numpy"
COLUMNS_WEIGHTS = {"K": (3, 2, 3, 3), "k": (3, 1), "W": (12, 11), "b": (1, 11), "V": (11, 5), "c": (1, 5)}
COLUMNS_ACTIVATIONS = (
    # wrong as published: the derivative of the tanh is that of the gradient, which is lost
    ("dX = 1 / (np.cosh(dX) ** 2)", "dX = dX / (np.cosh(self.X) ** 2)"),
)
COLUMNS_LAYERS = (
    # wrong as published: the pool hands on those of its inputs that are equal to the gradient
    ("temp_x_col = self.x_col.copy()", "temp_x_col = (self.x_col == np.max(self.x_col, axis=0)).astype(float)"),
    ("temp_x_col[temp_x_col != dout_flat] = 0", "temp_x_col *= dout_flat"),
)
# wrong as published: the loss is a mean over the batch, its gradient is not
COLUMNS_CRITERIA = (("return loss, dout", "return loss, dout / m"),)
COLUMNS_LOSS = f"""
from activation_func import LeakyReLU, tanh
from layer import Conv, Dropout, Flatten, FullyConnected, Pool


def loss_and_gradients(X, y, {", ".join(COLUMNS_WEIGHTS)}):
    conv, first, second = Conv(2, 3, (3, 3), 2, 1), FullyConnected(12, 11), FullyConnected(11, 5)
    for layer, weight, bias in ((conv, K, k), (first, W, b), (second, V, c)):
        layer.W, layer.b = weight, bias
    net = NeuralNetwork([conv, LeakyReLU(), Pool(), Flatten(), first, tanh(), Dropout(0.7), second])
    np.random.seed(5)  # the same are dropped each time
    cost, dout = LossCriteria.cross_entropy_softmax(net.forward(X), y)
    return cost, *(grad for layer in reversed(net.backward(dout)) for grad in layer)
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    given = {"X": r(3, 2, 7, 7), "y": np.array([4, 0, 3])}
    return loss(m.loss_and_gradients, " ".join(COLUMNS_WEIGHTS), **given, **weights)


# two nets for a library that minimizes: all weights are one vector, a cost and a gradient are functions of it; one has
# a tanh that can be steeper, the other bells around centres, of which the differences are a block of three axes -

VECTOR = "GiacomoAdamo/MLP-RBF-networks"
VECTOR_WEIGHTS = {"w": (7, 3), "v": (2, 7), "V": (5, 1), "C": (2, 5)}
VECTOR_LOSS = f"""
from steep import cost_fun, grad_bp


def loss_and_gradients(x, y, X, Y, {", ".join(VECTOR_WEIGHTS)}):
    weights = np.concatenate((w.reshape(-1), v.reshape(-1)))
    args = [x, y, 0.8, 0.3, 3, 7, 2]
    centres = np.concatenate((V.reshape(-1), C.reshape(-1)))
    others = [X, Y, 1.4, 0.2, 0.5, 4, 5]
    found, other = grad_bp(weights, args), gradient(centres, others)
    cost = cost_fun(weights, args) + costfun(centres, others)
    return cost, found[:21].reshape(7, 3), found[21:].reshape(2, 7), other[:5].reshape(5, 1), other[5:].reshape(2, 5)
"""


def vector(m):
    r = numbers()
    weights = weights_of(r, " ".join(VECTOR_WEIGHTS), *VECTOR_WEIGHTS.values())
    given = {"x": r(3, 3), "y": r(2, 3), "X": r(2, 4), "Y": r(1, 4)}
    return loss(m.loss_and_gradients, " ".join(VECTOR_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        NEIGHBOURS,
        "RNN",
        (
            Part("nn/util.py", "myrandom_vector sigmoid_init_weights", before="import math", module="util"),
            Part("nn/nn_layer.py", "Layer InputLayer", module="nn_layer"),
            Part(
                "nn/embedding_layer.py",
                "EmbeddingLayer",
                NEIGHBOURS_WORDS,
                "from nn_layer import Layer",
                module="embedding_layer",
            ),
            Part(
                "nn/rnn_layer.py",
                "RNNLayer",
                NEIGHBOURS_RNN,
                "import logging\n\nimport util\nfrom nn_layer import Layer",
                module="rnn_layer",
            ),
            Part(
                "nn/softmax_layer.py",
                "SoftmaxOutputLayer calc_log",
                before="import logging\nimport math\n\nfrom nn_layer import Layer",
                module="softmax_layer",
            ),
            Part("nn/simple_nn.py", "NNetwork", before="import logging", after=NEIGHBOURS_LOSS),
        ),
        neighbours,
        published="the derivative of the tanh is that of the step after; what goes to the words is a sum, not a mean",
    ),
    Subject(
        HATE,
        "RNN",
        (
            Part(
                "python/LocalSimpleRnn.py",
                "get_embedding_vector softmax binary_loss_entropy MyRnn",
                HATE_EDITS,
                HATE_BEFORE,
                HATE_LOSS,
            ),
        ),
        hate,
    ),
    Subject(
        GATES,
        "LSTM",
        (
            Part(
                "Mini Project/code.py",
                "lstm_sigmoid lstm_sigmoid_derivative lstm_tanh_derivative forward_pass_lstm backward_pass_lstm",
                GATES_EDITS,
                GATES_BEFORE,
                GATES_PAIR,
            ),
        ),
        gates,
    ),
    Subject(
        SELDOM,
        "autoencoder",
        (
            Part(
                "cagdas_hokmen_21702995_miniproject.py",
                "Auto_Enc fonks_sigm fonks_sigmder",
                SELDOM_EDITS,
                after=SELDOM_LOSS,
            ),
        ),
        seldom,
        published="the loss is a mean, its gradient is not; the layer below sees weights that have learned already",
    ),
    Subject(
        PATHS,
        "word vectors",
        (
            Part(
                "src/skipgram/hierarchical_skipgram.py",
                "HierarchicalSkipgram",
                PATHS_EDITS,
                module="hierarchical_skipgram",
            ),
            Part("src/cbow/negative_cbow.py", "NegativeCBOW", PATHS_DRAWN, after=PATHS_LOSS),
        ),
        paths,
    ),
    Subject(
        COLUMNS,
        "convolution",
        (
            Part("activation_func.py", "LeakyReLU tanh", COLUMNS_ACTIVATIONS, module="activation_func"),
            Part("layer.py", "Flatten FullyConnected Conv Pool Dropout Helper", COLUMNS_LAYERS, module="layer"),
            Part("loss_func.py", "LossCriteria", COLUMNS_CRITERIA, module="loss_func"),
            Part("networks.py", "NeuralNetwork", (), "from loss_func import LossCriteria", COLUMNS_LOSS),
        ),
        columns,
        published="the derivative of the tanh is that of the gradient; the pool hands on its inputs; a sum, not a mean",
    ),
    Subject(
        VECTOR,
        "plain and radial",
        (
            Part(
                "MLP/Full Minimization/utilities.py",
                "tanh derivata_tanh params_col reverse_params_col forward_propagation cost_fun grad_bp",
                module="steep",
            ),
            Part(
                "RBF/Full Minimization/utilities.py",
                "gaussian matrixPhi reverse_params_col costfun gradient",
                after=VECTOR_LOSS,
            ),
        ),
        vector,
    ),
]

"""Subjects by owners that begin with B, E, H, K, N and P: an image network, two LSTMs, a graph with batch
normalisation, word vectors, an RNN for jokes, a clockwork RNN above an LSTM."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# a self-learner's network for grey images: a convolution in loops, greatest values, ReLU, a dense layer, a softmax with
# its whole Jacobian matrix written down, and a loss; each is an object that derives from an abstract class ------------

GREY = "bohyunshin/deep-learning-with-pure-numpy"
GREY_TYPES = "from abc import ABC, abstractmethod\nfrom typing import Dict, Tuple\nfrom numpy.typing import NDArray\n"
GREY_WEIGHTS = {"kernel": (3, 3), "b_conv": (1,), "w": (12, 7), "b": (7,)}
GREY_CONVOLVE_EDITS = (
    # as published it takes the height of a kernel for its width too, so the images must be square
    ("k, _ = kernel.shape", "k, width = kernel.shape"),
    ("j : j + k]", "j : j + width]"),
    ("+ bias", "+ np.sum(bias)"),  # an array of one number is no longer taken for a number
)
# as published the row of a pooled number is found by the height of the pooled image, so it must be square
GREY_POOLING_EDITS = (("j // h_out", "j // w_out"),)
GREY_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(GREY_WEIGHTS)}):
    network = SingleCNN(x.shape, 7, (3, 3), stride=1, padding="valid", pooling_size=3)
    network.cnn.kernel, network.cnn.b, network.fc.w, network.fc.b = {", ".join(GREY_WEIGHTS)}
    criterion = CrossEntropyLoss()
    predicted = network.forward(x)
    value = criterion.forward(y, predicted)
    dx = network.backward(criterion.backward(y, predicted))
    return value, dx, network.cnn.dk, network.cnn.db, network.fc.dw, network.fc.db
"""


def grey(m):
    r = numbers()
    weights = weights_of(r, " ".join(GREY_WEIGHTS), *GREY_WEIGHTS.values())
    given = {"x": r(4, 10, 13), "y": np.eye(7)[[3, 0, 6, 1]]}
    return loss(m.loss_and_gradients, f"x {' '.join(GREY_WEIGHTS)}", **given, **weights)


# an LSTM for the words of a sentence, with two matrices for each gate, and arrays for the gradients of all its parts --

WORDS = "evelyne96/LSTM"
WORDS_WEIGHTS = {f"w_{gate}{kind}": (5, 5) if kind == "h" else (5, 7) for gate in "fico" for kind in "hx"}
WORDS_WEIGHTS |= {f"b_{gate}": (5, 1) for gate in "fico"} | {"w_v": (7, 5), "b_v": (7, 1)}
WORDS_THEN = " + ".join(
    f"np.dot(self.w_{gate}h.T, delta_{name}[t+1])" for gate, name in zip("fioc", ("f", "i", "o", "c_curr"), strict=True)
)
WORDS_EDITS = (
    # wrong as published: the candidate is a sigmoid, but goes back as a tanh,
    ("c_curr[t] = sigmoid(", "c_curr[t] = np.tanh("),
    # the derivative of the tanh of the cell is taken at the cell itself,
    ("dtanh(c[t])", "dtanh(np.tanh(c[t]))"),
    # and the gradient of a state goes to the state before it as it is, not through the gates
    ("+ delta_h[t+1]", f"+ {WORDS_THEN}"),
    *((f"np.zeros({name}.shape)", "np.zeros(h.shape)") for name in ("i", "o", "c_curr")),
    # so that there is a first state that is not zero, and no gradient is cut off
    (
        "y = np.zeros((t_steps, self.word_dim, 1))",
        "y = np.zeros((t_steps, self.word_dim, 1))\n        h[-1], c[-1] = self.h0, self.c0",
    ),
    (", -1, 1, out", ", -1000, 1000, out"),
)
WORDS_LOSS = f"""

def loss_and_gradients(x, y, h0, c0, {", ".join(WORDS_WEIGHTS)}):
    model = LSTM(5, 7)
    model.h0, model.c0 = h0, c0
    names = {list(WORDS_WEIGHTS)}
    for name, weight in zip(names, ({", ".join(WORDS_WEIGHTS)})):
        setattr(model, name, weight)
    value = -model.calculate_total_loss([x], [y])
    model.bptt(x, y)
    return value, *(getattr(model, "dLd" + name.replace("_", "").capitalize()) for name in names)
"""


def words(m):
    r = numbers()
    weights = weights_of(r, " ".join(WORDS_WEIGHTS), *WORDS_WEIGHTS.values())
    given = {"x": np.array([3, 0, 6, 0]), "y": np.array([0, 6, 0, 2]), "h0": r(5, 1), "c0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(WORDS_WEIGHTS), **given, **weights)


# a framework whose network is a list of operations and activations, each of which asks the next one for its gradient:
# dense layers, batch normalisation, ReLU, tanh and a softmax ----------------------------------------------------------

GRAPH = "horcham/numpy-net"
GRAPH_WEIGHTS = {"W1": (3, 7), "b1": (7, 1), "gamma": (7,), "beta": (7,), "W2": (7, 4), "b2": (4, 1)}
GRAPH_WEIGHTS |= {"W3": (4, 11), "b3": (11, 1)}
GRAPH_EDITS = (
    # wrong as published: the gradient of a bias is a mean, those of the weights are sums,
    ("np.mean(nextop.D, axis=0, keepdims=True)", "np.sum(nextop.D, axis=0, keepdims=True)"),
    # and that of gamma takes the gradient of the normalised numbers for the numbers themselves
    ("np.sum(_nextD * dhatX, axis=0)", "np.sum(_nextD * self.X_norm, axis=0)"),
)
# small numbers that are added to the softmax and under the logarithm, but left out in the backward pass
GRAPH_SMALL = ((" + 1e-6)", ")"),)
GRAPH_CALLS = f"""
from graph import Graph
from layer import Layer, ReluActivator, TanhActivator
from loss import Loss, Softmax
from op import BatchNorm, Dot, Op
from variable import Variable


def loss_and_gradients(X, Y, {", ".join(GRAPH_WEIGHTS)}):
    X = Variable(X, 0)
    variables = [Variable(array, 0) for array in ({", ".join(GRAPH_WEIGHTS)})]
    W1, b1, gamma, beta, W2, b2, W3, b3 = variables
    first = Op(Dot(), X, [W1, b1])
    norm = Op(BatchNorm(gamma, beta), first)
    relu = Layer(ReluActivator(), norm)
    second = Op(Dot(), relu, [W2, b2])
    tanh = Layer(TanhActivator(), second)
    third = Op(Dot(), tanh, [W3, b3])
    graph = Graph()
    graph.add_vars(variables)
    for operation in (first, norm, relu, second, tanh, third):
        graph.add_op(operation)
    graph.add_loss(Loss(Softmax()))
    graph.forward(X)
    graph.calc_loss(Variable(Y, 0))
    graph.backward()
    return graph.loss.loss, X.D, *(variable.D for variable in variables)
"""


def graph(m):
    r = numbers()
    weights = weights_of(r, " ".join(GRAPH_WEIGHTS), *GRAPH_WEIGHTS.values())
    given = {"X": r(5, 3), "Y": np.eye(11)[[2, 10, 0, 2, 7]]}
    return loss(m.loss_and_gradients, f"X {' '.join(GRAPH_WEIGHTS)}", **given, **weights)


# word vectors by pairs of words against words drawn by chance: plain functions with hints of types, numbers in lists --

PAIRS = "kandera37/word2vec-numpy"
PAIRS_KEPT = "input_gradients, output_gradients"
PAIRS_EDITS = (  # what it learns by is kept instead
    ("    learning_rate: float = 0.05,\n", ""),
    (
        "    positive_grad = ",
        f"    {PAIRS_KEPT} = np.zeros_like(input_embeddings), np.zeros_like(output_embeddings)\n    positive_grad = ",
    ),
    ("input_embeddings[center_id] -= learning_rate * ", "input_gradients[center_id] += "),
    ("output_embeddings[context_id] -= learning_rate * ", "output_gradients[context_id] += "),
    ("output_embeddings[negative_id] -= learning_rate * ", "output_gradients[negative_id] += "),
    ("return loss\n", f"return loss, {PAIRS_KEPT}\n"),
)
PAIRS_LOSS = """

def loss_and_gradients(pairs, negatives, input_embeddings, output_embeddings):
    loss, d_in, d_out = 0.0, np.zeros_like(input_embeddings), np.zeros_like(output_embeddings)
    for (center_id, context_id), negative_ids in zip(pairs, negatives):
        found = train_one_step(center_id, context_id, negative_ids, input_embeddings, output_embeddings)
        loss, d_in, d_out = loss + found[0], d_in + found[1], d_out + found[2]
    return loss, d_in, d_out
"""


def pairs(m):
    r = numbers()
    weights = weights_of(r, "input_embeddings output_embeddings", (7, 5), (7, 5))
    given = {
        "pairs": [(4, 0), (0, 6), (4, 6), (3, 1)],
        "negatives": [[2, 5, 2], [1, 3, 0], [0, 1, 5], [6, 6, 4]],
    }
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# an LSTM in pieces: a class with a method for each gate, weights that keep their gradients, a function for each gate's
# way back. The loop that calls the steps does not run as published, so it is written anew here ------------------------

PIECES = "NathanRobertPart/Numpy-LSTM"
PIECES_WEIGHTS = {f"{gate}_weight": (5, 8) for gate in ("forget", "input", "cell", "output")} | {"final_weight": (7, 5)}
PIECES_WEIGHTS |= {f"{gate}_bias": (5, 1) for gate in ("forget", "input", "cell", "output")} | {"final_bias": (7, 1)}
PIECES_EDITS = (
    # wrong as published: gradients are added to the values of some weights, under a wrong name to those of one,
    (".values +=", ".grad +="),
    ("neuron.cell_weight.bias +=", "neuron.cell_bias.grad +="),
    # the gradient of the softmax is a list of some of its outputs, and its outer product lacks a transpose
    ("dv = [dv[a] - 1 for a in y_true]", "dv[y_true] -= 1"),
    ("np.dot(dv, ht)", "np.dot(dv, ht.T)"),
)
PIECES_STACK = (("np.row_stack", "np.vstack"),)  # NumPy has no longer the old name
PIECES_BEFORE = """import activation_functions as af
import gradient_calculations as gc
from models import TimeStepModel"""
PIECES_LOSS = f"""

def loss_and_gradients(xs, ys, h0, c0, {", ".join(PIECES_WEIGHTS)}):
    layer, steps, loss = lstm_layer(5, 8), TimeStepModel(), 0.0
    names = {list(PIECES_WEIGHTS)}
    for name, weight in zip(names, ({", ".join(PIECES_WEIGHTS)})):
        getattr(layer, name).values, getattr(layer, name).grad = weight, np.zeros_like(weight)
    steps.ht_s[-1], steps.ct_s[-1] = h0, c0
    for t in range(len(xs)):
        passes.forward_pass(steps, t, xs[t], steps.ht_s[t - 1], steps.ct_s[t - 1], layer, True)
        loss -= np.log(steps.y_s[t][ys[t], 0])
    dh, dc = np.zeros_like(h0), np.zeros_like(c0)
    for t in reversed(range(len(xs))):
        steps, dh, dc = passes.backward_pass(steps, t, ys[t], dh, dc, layer, True, 5)
    return loss, dh, dc, *(getattr(layer, name).grad for name in names)
"""


def pieces(m):
    r = numbers()
    weights = weights_of(r, " ".join(PIECES_WEIGHTS), *PIECES_WEIGHTS.values())
    given = {"xs": r(4, 3, 1), "ys": np.array([6, 1, 1, 3]), "h0": r(5, 1), "c0": r(5, 1)}
    return loss(m.loss_and_gradients, f"h0 c0 {' '.join(PIECES_WEIGHTS)}", **given, **weights)


# an RNN that learns jokes: two plain functions, word vectors as columns, the vectors of words learn too ---------------

JOKES = "Nishaan-Ghimire/RNN-from-scratch"
JOKES_WEIGHTS = {"Wx": (7, 4), "Wh": (7, 7), "b": (7, 1), "Why": (11, 7), "by": (11, 1), "E": (11, 4)}
JOKES_EDITS = (
    # it is given the words: as published it takes the word whose vector has the greatest product, often another one
    ("np.argmax(X_embedded[t] @ E.T)", "words[t]"),
    # so that there is a first state that is not zero, and no gradient is cut off
    ("E, learning_rate=0.01)", "E, words, h0)"),
    ("np.zeros_like(hs[t]).T", "h0.T"),
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
    # what it learns by is returned instead
    *((f"    {name} -= learning_rate * d{name}", "") for name in ("Wx", "Why", "Wh", "by", "b", "E")),
    ("return Wx, Wh, b, Why, by, E", "return dWx, dWh, db, dWhy, dby, dE"),
)
JOKES_LOSS = f"""

def loss_and_gradients(words, targets, h0, {", ".join(JOKES_WEIGHTS)}):
    embedded, total_loss = E[words], 0.0
    hs, ys = rnn_forward(embedded, h0, Wx, Wh, b, Why, by)
    for logits, target in zip(ys, targets):
        exp_scores = np.exp(logits)
        total_loss += cross_entropy_loss(exp_scores / np.sum(exp_scores), target)
    return total_loss, *rnn_backward(embedded, targets, hs, ys, Wx, Wh, b, Why, by, E, words, h0)
"""


def jokes(m):
    r = numbers()
    weights = weights_of(r, " ".join(JOKES_WEIGHTS), *JOKES_WEIGHTS.values())
    said = np.array([5, 9, 9, 0, 5, 10])
    given = {"words": said[:-1], "targets": said[1:], "h0": r(7, 1)}
    return loss(m.loss_and_gradients, " ".join(JOKES_WEIGHTS), **given, **weights)


# time first, batches last: a clockwork RNN whose groups of units wake at different steps, above an LSTM whose weights
# and biases are one matrix, below a softmax; the first states are learnt too ------------------------------------------

CLOCKS = "pranv/clockwork_rnn"
CLOCKS_WEIGHTS = {"W": (28, 11), "c_0": (7, 1), "Y_0": (7, 1)}
CLOCKS_WEIGHTS |= {"Wi": (9, 8), "Wh": (9, 10), "Wo": (11, 10), "H_0": (9, 1)}
CLOCKS_BEFORE = "from base import Layer\nfrom utils import random, glorotize, orthogonalize"
CLOCKS_EDITS = (("xrange", "range"),)  # from Python 2
CLOCKS_CALLS = f"""
from crnn import CRNN
from lstm import LSTM
from network_tools import backward, forward
from softmax import Softmax


def loss_and_gradients(X, target, {", ".join(CLOCKS_WEIGHTS)}):
    lstm, crnn = LSTM(3, 7), CRNN(7, 3, 11, [1, 2, 3])
    lstm.W, lstm.c_0, lstm.Y_0 = W, c_0, Y_0
    # units of a group do not see those that are faster
    Wh = np.concatenate([Wh[:, :-1] * crnn.utri_mask, Wh[:, -1:]], axis=1)
    crnn.Wi, crnn.Wh, crnn.Wo, crnn.H_0 = Wi, Wh, Wo, H_0
    model = [lstm, crnn, Softmax()]
    probs = forward(model, X)
    loss = -np.sum(target * np.log(probs)) / (probs.shape[0] * probs.shape[2])
    dX = backward(model, target)
    return loss, dX, lstm.dW, lstm.dc_0, lstm.dY_0, crnn.dWi, crnn.dWh, crnn.dWo, crnn.dH_0
"""


def clocks(m):
    r = numbers()
    weights = weights_of(r, " ".join(CLOCKS_WEIGHTS), *CLOCKS_WEIGHTS.values())
    target = np.eye(11)[np.array([[3, 0, 6, 1], [1, 1, 10, 2], [4, 6, 0, 3], [2, 9, 9, 0], [8, 3, 1, 4]])]
    given = {"X": r(5, 3, 4), "target": target.swapaxes(1, 2)}
    return loss(m.loss_and_gradients, f"X {' '.join(CLOCKS_WEIGHTS)}", **given, **weights)


SUBJECTS = [
    Subject(
        GREY,
        "image network",
        (
            Part("src/tools/cnn.py", "convolve calculate_output_dim", GREY_CONVOLVE_EDITS, GREY_TYPES, module="cnn"),
            Part("src/tools/activations.py", "Relu MaxPooling Softmax", GREY_POOLING_EDITS, GREY_TYPES, module="acts"),
            Part("src/modules/base.py", "BaseModule", (), GREY_TYPES, module="base"),
            Part(
                "src/modules/convolution.py",
                "Convolution",
                (),
                f"{GREY_TYPES}from base import BaseModule\nfrom cnn import calculate_output_dim, convolve",
                module="convolution",
            ),
            Part("src/modules/linear.py", "Linear", (), f"{GREY_TYPES}from base import BaseModule", module="linear"),
            Part("src/nn/base.py", "BaseNeuralNet", (), GREY_TYPES, module="net"),
            Part("src/loss/base.py", "BaseLoss", (), GREY_TYPES, module="baseloss"),
            Part(
                "src/loss/classification.py",
                "CrossEntropyLoss",
                (),
                f"{GREY_TYPES}from baseloss import BaseLoss",
                module="classification",
            ),
            Part(
                "src/nn/single_cnn.py",
                "SingleCNN",
                (),
                f"{GREY_TYPES}from acts import MaxPooling, Relu, Softmax\nfrom classification import CrossEntropyLoss\n"
                "from convolution import Convolution\nfrom linear import Linear\nfrom net import BaseNeuralNet",
                GREY_LOSS,
            ),
        ),
        grey,
        published="takes the height for the width in the convolution and in the way back of the greatest values, so it "
        "is right for square images only",
    ),
    Subject(
        WORDS,
        "LSTM",
        (
            Part("utils.py", "sigmoid dsigmoid tanh dtanh softmax", module="utils"),
            Part("LSTM.py", "LSTM", WORDS_EDITS, "from utils import *", WORDS_LOSS),
        ),
        words,
        published="the candidate is a sigmoid that goes back as a tanh; the tanh of a cell lacks in a derivative; "
        "a state's gradient goes back as it is, not through the gates",
    ),
    Subject(
        GRAPH,
        "graph",
        (
            Part("numpynet/variable.py", "Variable", module="variable"),
            Part("numpynet/op.py", "Op Dot BatchNorm", GRAPH_EDITS, "from variable import Variable", module="op"),
            Part(
                "numpynet/layer.py",
                "Layer ReluActivator TanhActivator",
                (),
                "from variable import Variable",
                module="layer",
            ),
            Part("numpynet/loss.py", "Loss Softmax", GRAPH_SMALL, module="loss"),
            Part("numpynet/graph.py", "Graph", (), "import copy", module="graph"),
            Part("numpynet/graph.py", "", after=GRAPH_CALLS),
        ),
        graph,
        published="a bias gets the mean where the weights get sums, gamma a product with the wrong numbers, and small "
        "numbers in the softmax and under the logarithm are left out backwards",
    ),
    Subject(
        PAIRS,
        "word vectors",
        (Part("src/model.py", "sigmoid compute_score compute_loss train_one_step", PAIRS_EDITS, after=PAIRS_LOSS),),
        pairs,
    ),
    Subject(
        PIECES,
        "LSTM",
        (
            Part("activation_functions.py", "sigmoid tanh dsigmoid dtanh", module="activation_functions"),
            Part(
                "gradient_calculations.py",
                "softmaxPropogation outputPropogation cellPropogation inputPropogation forgetPropogation aggregation",
                PIECES_EDITS,
                "import activation_functions as af",
                module="gradient_calculations",
            ),
            Part("models.py", "TimeStepModel", module="models"),
            Part(
                "lstm_layer.py",
                "matrixModel lstm_layer passes",
                PIECES_STACK,
                PIECES_BEFORE,
                PIECES_LOSS,
            ),
        ),
        pieces,
        published="adds the gradients of some weights to their values, under a wrong name those of one, and takes the "
        "gradient of the softmax wrongly",
    ),
    Subject(
        JOKES,
        "RNN",
        (Part("rnn_numpy.py", "one_hot rnn_forward cross_entropy_loss rnn_backward", JOKES_EDITS, after=JOKES_LOSS),),
        jokes,
        published="guesses the word from its vector, and often takes another one for it",
    ),
    Subject(
        CLOCKS,
        "clockwork RNN",
        (
            Part("layers/base.py", "Layer", module="base"),
            Part("layers/utils.py", "random glorotize orthogonalize", module="utils"),
            Part("layers/softmax.py", "Softmax", (), "from base import Layer", module="softmax"),
            Part("layers/lstm.py", "LSTM", (), CLOCKS_BEFORE, module="lstm"),
            Part(
                "layers/crnn.py",
                "recurrent_mask make_schedule CRNN",
                CLOCKS_EDITS,
                CLOCKS_BEFORE,
                module="crnn",
            ),
            Part("network_tools.py", "forward backward", module="network_tools"),
            Part("network_tools.py", "", after=CLOCKS_CALLS),
        ),
        clocks,
    ),
]

"""Subjects by owners that begin with A, C, D and F: a sparse autoencoder, word vectors, a net over trees, a GRU that
classifies, an LSTM whose outputs know how to go back, a net of matrix objects, convolutions."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# a sparse autoencoder: all weights lie in one vector and are reached by properties, weights decay ---------------------

SPARSE = "fcchou/sparse_autoencoder"
SPARSE_WEIGHTS = {"w1": (7, 5), "w2": (5, 7), "b1": (5,), "b2": (7,)}
SPARSE_LOSS = f"""

def loss_and_gradients(x, {", ".join(SPARSE_WEIGHTS)}):
    net = SparseAutoencoder(hidden_size=5, L=0.3, rho=0.2, beta=0.4)
    net._init_params(x)
    net.params.w1, net.params.w2, net.params.b1, net.params.b2 = w1, w2, b1, b2
    net._feed_forward(x)
    net._backprop(x)
    found = net._params_grad
    return net._cost_func(x), found.w1, found.w2, found.b1, found.b2
"""


def sparse(m):
    r = numbers()
    weights = weights_of(r, " ".join(SPARSE_WEIGHTS), *SPARSE_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SPARSE_WEIGHTS), x=r(3, 7), **weights)


# word vectors with words that are drawn, by einsum; a loop over all entries updates the weights at once ---------------

DRAWN = "advitrocks9/word2vec-numpy"
DRAWN_BEFORE = """from typing import Any

import numpy.typing as npt"""
# it learns by the sum where its loss is a mean; the rate takes that back, the difference is the gradient
DRAWN_LOSS = """

def loss_and_gradients(center_idx, ctx_neg_idx, labels, W_in, W_out):
    model = SGNSModel(9, 5, 3, 6)
    model.W_in, model.W_out = W_in.copy(), W_out.copy()
    scores, cost = model.forward(center_idx, ctx_neg_idx, labels)
    model.backward()
    model.update(1 / labels.size)
    return cost, W_in - model.W_in, W_out - model.W_out
"""


def drawn(m):
    r = numbers()
    weights = weights_of(r, "W_in W_out", (9, 5), (9, 5))
    given = {"center_idx": np.array([2, 7, 2]), "labels": np.eye(4)[[0, 0, 0]]}
    given["ctx_neg_idx"] = np.array([[4, 0, 6, 6], [1, 3, 0, 5], [8, 4, 2, 1]])
    return loss(m.loss_and_gradients, "W_in W_out", **given, **weights)


# a net over trees: nodes keep what they are and what comes back, in passes over the tree one after another ------------

SENTENCES = "convexquad/treebank"
SENTENCES_WEIGHTS = {"L": (5, 7), "W": (5, 11), "Ws": (4, 5)}
SENTENCES_EDITS = (
    # Python 2
    ("\tself.L", "        self.L"),
    ('print "', '"'),
)
SENTENCES_BEFORE = """import numpy

D, C, R, E = 5, 4, 0.0001, 1e-12"""
SENTENCES_LOSS = f"""

class Bank:
    vocabulary = range(7)


class Node:
    def __init__(self, label, *rest):
        self.label, self.t_k, self.leaf = label, np.eye(C)[label], len(rest) == 1
        if self.leaf:
            self.word_index = rest[0]
        else:
            self.left, self.right = (Node(*child) for child in rest)

    def is_leaf(self):
        return self.leaf


def loss_and_gradients(sentences, {", ".join(SENTENCES_WEIGHTS)}):
    rnn = RNN(Bank())
    rnn.L, rnn.W, rnn.Ws = L, W, Ws
    return rnn.training_run([Node(*sentence) for sentence in sentences], 1)
"""


def over_sentences(m):
    r = numbers()
    weights = weights_of(r, " ".join(SENTENCES_WEIGHTS), *SENTENCES_WEIGHTS.values())
    sentences = [(2, (0, (1, 4), (3, (2, 0), (1, 5))), (3, 6)), (1, (0, 5), (2, (2, (3, 4), (0, 4)), (1, 1)))]
    sentences.append((3, (1, (0, 2), (2, 3)), (0, 0)))
    return loss(m.loss_and_gradients, " ".join(SENTENCES_WEIGHTS), sentences=sentences, **weights)


# a GRU and two dense layers that classify sequences: layers keep their deltas, biases are the last rows of the weights
# and have -1 as their input; deltas climb -----------------------------------------------------------------------------

CLIMB = "Attakuan/EEE443_MiniProjects"
CLIMB_WEIGHTS = {f"W{k}": (4, 5) for k in "zrh"} | {f"U{k}": (5, 5) for k in "zrh"} | {"V1": (6, 7), "V2": (8, 6)}
CLIMB_EDITS = (
    # sizes were constants
    ("H=128", "H=lyr.numNeurons"),
    # so that the first state is not zero
    ("h_prev=np.zeros((N, H))", "h_prev=self.Hidden_prev"),
    ("h_prev = np.zeros((NumSample, H))", "h_prev = self.Hidden_prev"),
    # wrong as published: the slope of its sigmoid lacks the factor of its input
    ("return (x*(1-x))", "return 2*(x*(1-x))"),
    # wrong as published: the dense layer learns from the candidate, not from the state
    ("h_prev = h[:, t, :]", "h_prev = lyr.lastActiv = h[:, t, :]"),
    # wrong as published: the reset gate is missing, what goes back through it is taken twice
    ("dUh += np.matmul(h_prev.T, dh_tilde)", "dUh += np.matmul((r[:, t, :] * h_prev).T, dh_tilde)"),
    (
        '(r[:, t, :] + h_prev * np.matmul(lyr0.activation_derivative(r[:, t, :],"sigmoid"), lyr0.Ur.T))',
        "r[:, t, :] + np.matmul(dr, lyr0.Ur.T)",
    ),
)
# it adds what it learns by to its weights at once: the difference is its gradient
CLIMB_LOSS = f"""

def loss_and_gradients(x, y, first, {", ".join(CLIMB_WEIGHTS)}):
    net = GRU_Classifier(x)
    gru, dense, last = GRU_Layer(3, 5, 0.8), Layer(5, 7, "relu", 1), Layer(7, 6, "softmax", 1)
    for layer in (gru, dense, last):
        net.addLayer(layer)
    net.Hidden_prev = first
    before = [weight.copy() for weight in ({", ".join(CLIMB_WEIGHTS)})]
    gru.Wz, gru.Wr, gru.Wh, gru.Uz, gru.Ur, gru.Uh = Wz, Wr, Wh, Uz, Ur, Uh
    dense.weightsAll, last.weightsAll = V1, V2
    cost = np.sum(-np.log(net.FowardProp(x)[1]) * y) / len(x)
    net.BackProp(1.0, len(x), x, y, 0.0)
    after = (gru.Wz, gru.Wr, gru.Wh, gru.Uz, gru.Ur, gru.Uh, dense.weightsAll, last.weightsAll)
    return cost, *(old - new for old, new in zip(before, after))
"""


def climb(m):
    r = numbers()
    weights = weights_of(r, " ".join(CLIMB_WEIGHTS), *CLIMB_WEIGHTS.values())
    given = {"x": r(2, 4, 3), "y": np.eye(6)[[4, 1]], "first": r(2, 5)}
    return loss(m.loss_and_gradients, " ".join(CLIMB_WEIGHTS), **given, **weights)


# an LSTM in batches, whose two outputs, all states and the last one, have a function that goes back; the first states -
# are kept at the end --------------------------------------------------------------------------------------------------

OUTPUTS = "AkiRusProd/numpy-nn-model"
OUTPUTS_WEIGHTS = {f"weight_{k}": (3, 5) for k in "fioc"} | {f"weight_h{k}": (5, 5) for k in "fioc"}
OUTPUTS_WEIGHTS |= {f"bias_{k}": (5,) for k in "fioc"}
OUTPUTS_BEFORE = """import types
from typing import Any, Literal, Union


class Tensor:
    def __init__(self, data, args=None, op=None, device="cpu", dtype=None):
        self.data, self.args, self.device, self.xp, self.grad = data, args, device, np, 0

    def apply_grad(self, grad):
        self.grad = self.grad + grad


class Module:
    def to(self, device):
        self.device, self.xp = device, np


def Parameter(tensor):
    return tensor


neunet, cp = types.SimpleNamespace(tensor=Tensor), np"""
OUTPUTS_PAIR = """

nonlinearities = {"tanh": Tanh(), "sigmoid": Sigmoid()}


def run(x, hprev, cprev, **weights):
    lstm = LSTM(3, 5)
    for name, weight in weights.items():
        setattr(lstm, name, Tensor(weight))
    x = Tensor(x)
    states, last = lstm(x, hprev, cprev)
    return states.data, last.data, (states, last, x, [getattr(lstm, name) for name in weights])


def back(dstates, dlast, cache):
    states, last, x, weights = cache
    states.grad_fn(*states.args, dstates)
    last.grad_fn(*last.args, dlast)
    return (x.grad, *(weight.grad for weight in weights))
"""


def outputs(m):
    r = numbers()
    weights = weights_of(r, " ".join(OUTPUTS_WEIGHTS), *OUTPUTS_WEIGHTS.values())
    given = {"x": r(2, 4, 3), "hprev": r(2, 5), "cprev": r(2, 5)}
    return pair(m.run, m.back, "x " + " ".join(OUTPUTS_WEIGHTS), 2, **given, **weights)


# a net of matrix objects, where * multiplies matrices: vectors get a 1 on top, sums and errors are lists; it climbs ---

ON_TOP = "davidstalnaker/numpy-neuralnet"
ON_TOP_WEIGHTS = {"W1": (4, 5), "W2": (6, 7), "W3": (8, 2)}
ON_TOP_EDITS = (
    # Python 2
    ("print 'Total", "'Total"),
    ("print 'Average", "'Average"),
    # wrong as published: errors go back without the slope of the sigmoid
    ("(errors[0].T * weights.T)", "(multiply(errors[0], dsigmoid(sums[-len(errors)])).T * weights.T)"),
)
ON_TOP_BEFORE = """import math

from numpy import concatenate, multiply, ones
from numpy import asmatrix as mat
from numpy.random import rand"""
# it adds what it learns by to its weights at once: the difference is its gradient
ON_TOP_LOSS = f"""

sigmoid, dsigmoid = np.vectorize(sigmoid), np.vectorize(dsigmoid)


def loss_and_gradients(samples, {", ".join(ON_TOP_WEIGHTS)}):
    net = NeuralNet((3, 5, 7, 2), 1.0)
    before = [mat(weight) for weight in ({", ".join(ON_TOP_WEIGHTS)})]
    cost, found = 0, [0, 0, 0]
    for sample in samples:
        net.weights = list(before)
        cost += 0.5 * np.sum(np.square(mat(sample[1]).T - net.run(sample)))
        net.backprop(sample)
        found = [done + old - new for done, old, new in zip(found, before, net.weights)]
    return cost, *(np.asarray(grad) for grad in found)
"""


def on_top(m):
    r = numbers()
    weights = weights_of(r, " ".join(ON_TOP_WEIGHTS), *ON_TOP_WEIGHTS.values())
    samples = [(r(3), r(2)) for _ in range(4)]
    return loss(m.loss_and_gradients, " ".join(ON_TOP_WEIGHTS), samples=samples, **weights)


# two convolutions, pooling and two dense layers, for one picture: windows are walked by counters of their corners and -
# of their places ------------------------------------------------------------------------------------------------------

CORNERS = "Alescontrela/Numpy-CNN"
CORNERS_WEIGHTS = {"f1": (3, 2, 2, 2), "f2": (4, 3, 2, 2), "w3": (7, 16), "w4": (5, 7)}
CORNERS_WEIGHTS |= {"b1": (3, 1), "b2": (4, 1), "b3": (7, 1), "b4": (5, 1)}
CORNERS_EDITS = (
    # a bias is a number, not an array of one
    (" + bias[curr_f]", " + bias[curr_f, 0]"),
)
CORNERS_BEFORE = """from backward import convolutionBackward, maxpoolBackward
from forward import categoricalCrossEntropy, convolution, maxpool, softmax"""
CORNERS_LOSS = f"""

def loss_and_gradients(images, labels, {", ".join(CORNERS_WEIGHTS)}):
    total, found = 0, [0] * 8
    for image, label in zip(images, labels):
        grads, cost = conv(image, label, [{", ".join(CORNERS_WEIGHTS)}], 1, 2, 2)
        total += cost
        found = [done + grad for done, grad in zip(found, grads)]
    return total, *found
"""


def corners(m):
    r = numbers()
    weights = weights_of(r, " ".join(CORNERS_WEIGHTS), *CORNERS_WEIGHTS.values())
    given = {"images": r(2, 2, 7, 7), "labels": np.eye(5)[[3, 0]][:, :, None]}
    return loss(m.loss_and_gradients, " ".join(CORNERS_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        SPARSE,
        "sparse autoencoder",
        (
            Part(
                "sparse_autoencoder.py",
                "NetworkParams SparseAutoencoder",
                (),
                "from numpy.random import rand",
                SPARSE_LOSS,
            ),
        ),
        sparse,
    ),
    Subject(
        DRAWN,
        "word vectors",
        (Part("word2vec/model.py", "_scatter_update SGNSModel", (), DRAWN_BEFORE, DRAWN_LOSS),),
        drawn,
    ),
    Subject(
        SENTENCES,
        "trees",
        (Part("RNN/rnn.py", "RNN softmax tanh_prime", SENTENCES_EDITS, SENTENCES_BEFORE, SENTENCES_LOSS),),
        over_sentences,
    ),
    Subject(
        CLIMB,
        "GRU",
        (
            Part(
                "EEE443-Project3/Atakan_Topcu_21803095_hw3.py",
                "Layer GRU_Layer GRU_Classifier",
                CLIMB_EDITS,
                after=CLIMB_LOSS,
            ),
        ),
        climb,
        published="slope of the sigmoid, reset gate missing and taken twice, a dense layer learns from the candidate",
    ),
    Subject(
        OUTPUTS,
        "LSTM",
        (
            Part(
                "neunet/nn/layers/lstm.py",
                "_LSTMTensor LSTM NonLinearity Tanh Sigmoid",
                (),
                OUTPUTS_BEFORE,
                OUTPUTS_PAIR,
            ),
        ),
        outputs,
    ),
    Subject(
        ON_TOP,
        "dense",
        (Part("neuralnet/network.py", "sigmoid dsigmoid pad NeuralNet", ON_TOP_EDITS, ON_TOP_BEFORE, ON_TOP_LOSS),),
        on_top,
        published="errors go back without the slope of the sigmoid",
    ),
    Subject(
        CORNERS,
        "convolutions",
        (
            Part(
                "CNN/forward.py",
                "convolution maxpool softmax categoricalCrossEntropy",
                CORNERS_EDITS,
                module="forward",
            ),
            Part("CNN/utils.py", "nanargmax", module="utils"),
            Part(
                "CNN/backward.py",
                "convolutionBackward maxpoolBackward",
                (),
                "from utils import nanargmax",
                module="backward",
            ),
            Part("CNN/network.py", "conv", (), CORNERS_BEFORE, CORNERS_LOSS),
        ),
        corners,
    ),
]

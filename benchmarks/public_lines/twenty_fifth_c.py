"""Subjects by owners C, F, I, L, O, R, U and X: an RNN with sparse gradients, captions by an LSTM, a transformer
block, an RNN's step, a GRU cell, word vectors, convolutions."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# a course's RNN for words, on a base class that it is given: word vectors whose gradients are pairs in a list,
# each output of a sentence is taken back through time by itself -------------------------------------------------------

SPARSE = "cerberusd/cs224d-solutions"
SPARSE_WEIGHTS = {"H": (5, 5), "U": (7, 5), "L": (7, 5)}
SPARSE_STARS = "from numpy import *"  # as in the files
SPARSE_BEFORE = f"""{SPARSE_STARS}
import sys
from builtins import max  # the NumPy of its time did not replace it

from activations import sigmoid, softmax
from sparse import SparseDelta


class NNBase:
    pass
"""
SPARSE_EDITS = (
    ("        print J\n", ""),  # Python 2
    (r"\hat", "hat"),
    # so that there is a first state that is not zero, and what the loss is at each step is returned
    ("hs = zeros((ns+1, self.hdim))", "hs = zeros((ns+1, self.hdim))\n        hs[-1] = self.h0"),
    ("Jt = -log(ps[t][ys[t]])", "self.J += -log(ps[t][ys[t]])"),
)
SPARSE_LOSS = """

def loss_and_gradients(xs, ys, h0, H, U, L):
    from types import SimpleNamespace

    model = RNNLM.__new__(RNNLM)
    model.vdim, model.hdim = L.shape
    model.bptt, model.J, model.h0 = len(xs), 0, h0
    model.params, model.sparams = SimpleNamespace(H=H, U=U), SimpleNamespace(L=L)
    model.grads, model.sgrads = SimpleNamespace(H=zeros(H.shape), U=zeros(U.shape)), SimpleNamespace(L=SparseDelta())
    model._acc_grads(xs, ys)
    dL = zeros(L.shape)
    for row, gradient in model.sgrads.L:
        dL[row] += gradient
    return model.J, model.grads.H, model.grads.U, dL
"""


def sparse(m):
    r = numbers()
    weights = weights_of(r, " ".join(SPARSE_WEIGHTS), *SPARSE_WEIGHTS.values())
    given = {"xs": np.array([3, 0, 5, 3]), "ys": np.array([0, 5, 3, 6]), "h0": r(5)}
    return loss(m.loss_and_gradients, " ".join(SPARSE_WEIGHTS), **given, **weights)


# a course's network that writes captions: plain functions, time first within, an LSTM with a dict of what each step
# needs; the first state is made of the picture, words that are missing do not count -----------------------------------

CAPTIONS = "CurryTang/cs231n_hw3"
CAPTIONS_LAYERS = """word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward
lstm_forward lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"""
CAPTIONS_WEIGHTS = {"W_embed": (7, 13), "W_proj": (11, 5), "b_proj": (5,), "Wx": (13, 20), "Wh": (5, 20), "b": (20,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (5, 7), "b_vocab": (7,)}
CAPTIONS_EDITS = ((r"D = \prod_i d_i", "D = prod_i d_i"),)
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = ["<NULL>", "<START>", "<END>", "a", "cat", "sits", "there"]
    model = CaptioningRNN(dict(zip(words, range(7))), 11, 13, 5, "lstm", np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    words = np.array([[1, 3, 4, 5, 2], [1, 6, 6, 2, 0], [1, 4, 2, 0, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(3, 11), captions=words, **weights)


# a student's block of a transformer: features by steps, several heads that may not look ahead, a layer normalisation
# before each part, two dense layers, and what goes past them ----------------------------------------------------------

BLOCK = "IlyaKasiutin/FOSII"
BLOCK_WEIGHTS = {f"W_{name}": (15, 15) for name in "qkvo"}
BLOCK_WEIGHTS |= {"gamma1": (15, 1), "beta1": (15, 1), "gamma2": (15, 1), "beta2": (15, 1)}
BLOCK_WEIGHTS |= {"W1": (7, 15), "bias1": (7, 1), "W2": (15, 7), "bias2": (15, 1)}
BLOCK_BEFORE = """from typing import Optional

from module import Module
from utils import he_initialization, init_biases
"""
BLOCK_CALLS = f"""

def forward(x, mask, {", ".join(BLOCK_WEIGHTS)}):
    block = TransformerBlock(15, 3, 7)
    attention, first, second = block.self_attn, block.feed_forward.linear1, block.feed_forward.linear2
    attention.W_q, attention.W_k, attention.W_v, attention.W_o = W_q, W_k, W_v, W_o
    block.norm1.gamma, block.norm1.beta, block.norm2.gamma, block.norm2.beta = gamma1, beta1, gamma2, beta2
    first.W, first.bias, second.W, second.bias = W1, bias1, W2, bias2
    return block.forward(x, mask), block


def backward(dout, block):
    dx = block.backward(dout)
    attention, first, second = block.self_attn, block.feed_forward.linear1, block.feed_forward.linear2
    gradients = [getattr(attention, f"W_{{name}}_grad") for name in "qkvo"]
    gradients += [g for norm in (block.norm1, block.norm2) for g in (norm.gamma_grad, norm.beta_grad)]
    return dx, *gradients, first.W_grad, first.bias_grad, second.W_grad, second.bias_grad
"""


def block(m):
    r = numbers()
    weights = weights_of(r, " ".join(BLOCK_WEIGHTS), *BLOCK_WEIGHTS.values())
    given = {"x": r(15, 4), "mask": np.tril(np.ones((4, 4)))}
    return pair(m.forward, m.backward, f"x {' '.join(BLOCK_WEIGHTS)}", **given, **weights)


# an RNN of a self-learner that looks back one step: biases are the first columns of the weights, a one is put before
# each vector; what it learns by is kept -------------------------------------------------------------------------------

COLUMN = "inuken/machineLearning.py"
COLUMN_WEIGHTS = {"u": (7, 5), "v": (3, 8), "w": (7, 8)}
COLUMN_EDITS = tuple((f"self.{name} = self.{name} + d_{name}", f"self.d_{name} = d_{name}") for name in COLUMN_WEIGHTS)
COLUMN_LOSS = """

def loss_and_gradients(x, t, hOld, u, v, w):
    rnn = RecurrentNeuralNetwork(4, 7, 3)
    rnn.hOld, rnn.u, rnn.v, rnn.w = hOld, u, v, w
    h, o = rnn.fire(x)
    rnn.backPropagationThroughTime(x, t, -1.0)  # it adds, so that the rate of the gradients is minus one
    return 0.5 * np.sum((t - o) ** 2), rnn.d_u, rnn.d_v, rnn.d_w
"""


def column(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMN_WEIGHTS), *COLUMN_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(COLUMN_WEIGHTS), x=r(4), t=r(3), hOld=r(7), **weights)


# a course's GRU cell for vectors, one object for each step, below a linear layer for all steps at once; an activation
# knows its last value; all gradients of weights are means -------------------------------------------------------------

CELL = "Ramanathan1999/mytorch"
CELL_WEIGHTS = {f"W{gate}x": (5, 3) for gate in "rzn"} | {f"W{gate}h": (5, 5) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{gate}{kind}": (5,) for kind in "xh" for gate in "rzn"}
CELL_ALL = CELL_WEIGHTS | {"W": (7, 5), "b": (7, 1)}
CELL_CALLED = """

Sigmoid.__call__ = Sigmoid.forward
Tanh.__call__ = Tanh.forward
"""
CELL_LINEAR = tuple((f"        print({what})\n", "") for what in ('"Hello World"', "dLdW", "dLdA", "dLdb"))
CELL_EDITS = (
    *((f"        print({what}.shape)\n", "") for what in ("act_n", "self.r", "shaped_h", "wnh_act")),
    # the activations of this repository are of another week of the course: they are not called, and take no state
    ("self.h_act.backward(state = self.n)", "self.h_act.backward()"),
)
CELL_LOSS = f"""
from linear import Linear
from loss import CrossEntropyLoss


def loss_and_gradients(x, y, h0, {", ".join(CELL_ALL)}):
    cells, states, hidden = [], [], h0
    for step in x:
        cell = GRUCell(3, 5)
        cell.init_weights({", ".join(CELL_WEIGHTS)})
        hidden = cell(step, hidden)
        cells.append(cell)
        states.append(hidden)
    linear, criterion = Linear(5, 7), CrossEntropyLoss()
    linear.W, linear.b = W, b
    cost = criterion.forward(linear.forward(np.stack(states)), y)
    delta = linear.backward(criterion.backward())
    dh, totals, dx = np.zeros((1, 5)), [], np.zeros(x.shape)
    for t in range(len(x) - 1, -1, -1):
        dx[t], dh = cells[t].backward(delta[t : t + 1] + dh)
    for name in {list(CELL_WEIGHTS)}:
        totals.append(sum(getattr(cell, "d" + name) for cell in cells) / len(x))
    return cost, dx / len(x), dh / len(x), *totals, linear.dLdW, linear.dLdb
"""


def cell(m):
    r = numbers()
    weights = weights_of(r, " ".join(CELL_ALL), *CELL_ALL.values())
    given = {"x": r(4, 3), "y": np.eye(7)[[4, 0, 6, 3]], "h0": r(5)}
    return loss(m.loss_and_gradients, f"x h0 {' '.join(CELL_ALL)}", **given, **weights)


# word vectors by a word and one near it, in a notebook: a class that learns while it goes through the pairs, words
# drawn until they differ from the right one, whose scores are to become one as well -----------------------------------

DRAWN = "luca23bledea/word2vec-numpy"
DRAWN_EDITS = (
    # the weights are given, what it learns by is kept
    ("self.w1 = np.random.uniform(-scale, scale, (self.v_count, self.n))", "self.dw1 = np.zeros_like(self.w1)"),
    ("self.w2 = np.zeros((self.n, self.v_count))", "self.dw2 = np.zeros_like(self.w2)"),
    ("self.w2[:, pos_context_idx] -= self.lr * pos_grad * h", "self.dw2[:, pos_context_idx] += pos_grad * h"),
    ("self.w2[:, neg_idx] -= self.lr * neg_grad * (-h)", "self.dw2[:, neg_idx] += neg_grad * (-h)"),
    ("self.w1[center_idx, :] -= self.lr * dL_dh", "self.dw1[center_idx, :] += dL_dh"),
)
DRAWN_LOSS = """

def loss_and_gradients(pairs, chances, w1, w2):
    np.random.seed(5)  # the same words are drawn each time
    model = word2vec(4, 5, epochs=1)
    model.vocab_size, model.prob_negative, model.w1, model.w2 = 7, chances, w1, w2
    model.train(pairs)
    return model.loss, model.dw1, model.dw2
"""


def drawn(m):
    r = numbers()
    weights = weights_of(r, "w1 w2", (7, 5), (5, 7))
    given = {
        "pairs": np.array([[2, 0], [0, 4], [4, 2], [6, 3], [3, 6], [2, 1], [5, 3], [1, 5], [6, 2], [4, 0], [2, 3]])
    }
    return loss(m.loss_and_gradients, "w1 w2", chances=np.array([2.0, 1, 3, 1, 2, 1, 1]) / 11, **given, **weights)


# convolutions of a small framework, the channels last: an image becomes a matrix of its patches, a pool that knows by a
# mask what is not the greatest, tensors that hold a gradient ----------------------------------------------------------

PATCHES = "ludics/numpy-cnn"
PATCHES_WEIGHTS = {"W1": (3, 5, 4, 7), "b1": (7,), "W2": (42, 5), "b2": (5,), "W3": (5, 11), "b3": (11,)}
PATCHES_LAYER = "from layer import Layer, Tensor, xavier_uniform"
# wrong as published: the derivative of the loss takes the scores for the chances
PATCHES_SCORES = (
    (
        "grad = np.copy(predicted)",
        "exps = np.exp(predicted - np.max(predicted, axis=1, keepdims=True))\n"
        "        grad = exps / np.sum(exps, axis=1, keepdims=True)",
    ),
)
PATCHES_LOSS = f"""
from activation import ReLU, Sigmoid
from conv import Conv2d
from linear import Linear
from loss import CrossEntropyLoss
from pooling import MaxPool2d
from reshape import Reshape


def loss_and_gradients(x, y, {", ".join(PATCHES_WEIGHTS)}):
    convolution = [Conv2d(4, 7, (3, 5), (2, 1), (2, 1)), ReLU(), MaxPool2d((3, 3), (3, 3)), Reshape(42)]
    net, criterion = Net([*convolution, Linear(42, 5), Sigmoid(), Linear(5, 11)]), CrossEntropyLoss()
    for tensor, array in zip(net.parameters, ({", ".join(PATCHES_WEIGHTS)})):
        tensor.data = array
    scores = net.forward(x)
    dx = net.backward(criterion.grad(scores, y))
    return criterion.loss(scores, y), dx, *(tensor.grad for tensor in net.parameters)
"""


def patches(m):
    r = numbers()
    weights = weights_of(r, " ".join(PATCHES_WEIGHTS), *PATCHES_WEIGHTS.values())
    given = {"x": r(3, 9, 11, 4), "y": np.eye(11)[[2, 10, 5]]}
    return loss(m.loss_and_gradients, f"x {' '.join(PATCHES_WEIGHTS)}", **given, **weights)


SUBJECTS = [
    Subject(
        SPARSE,
        "RNN",
        (
            Part("assignment-2/assignment2/nn/base.py", "SparseDelta", module="sparse"),
            Part("assignment-2/assignment2/nn/math.py", "sigmoid softmax", before=SPARSE_STARS, module="activations"),
            Part("assignment-2/assignment2/rnnlm.py", "RNNLM", SPARSE_EDITS, SPARSE_BEFORE, SPARSE_LOSS),
        ),
        sparse,
    ),
    Subject(
        CAPTIONS,
        "LSTM",
        (
            Part("cs231n/layers.py", "affine_forward affine_backward", CAPTIONS_EDITS, module="layers"),
            Part("cs231n/rnn_layers.py", CAPTIONS_LAYERS, module="rnn_layers"),
            Part(
                "cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                before="from layers import *\nfrom rnn_layers import *",
                after=CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        BLOCK,
        "transformer",
        (
            Part("nn/module.py", "Module", module="module"),
            Part(
                "nn/utils.py", "he_initialization init_biases", before="rng = np.random.default_rng(51)", module="utils"
            ),
            Part("nn/layers/linear.py", "Linear", before=BLOCK_BEFORE, module="linear"),
            Part("nn/layers/relu.py", "ReLU", before=BLOCK_BEFORE, module="relu"),
            Part("nn/layers/layer_norm.py", "LayerNorm", before=BLOCK_BEFORE, module="layer_norm"),
            Part(
                "nn/layers/transformer_block.py",
                "MultiHeadAttention FeedForward TransformerBlock",
                before=f"{BLOCK_BEFORE}from layer_norm import LayerNorm\nfrom linear import Linear\n"
                "from relu import ReLU",
                after=BLOCK_CALLS,
            ),
        ),
        block,
    ),
    Subject(
        COLUMN,
        "RNN step",
        (
            Part(
                "nn/rnn.py", "sigmoid d_sigmoid linear d_linear RecurrentNeuralNetwork", COLUMN_EDITS, after=COLUMN_LOSS
            ),
        ),
        column,
    ),
    Subject(
        CELL,
        "GRU",
        (
            Part("mytorch/activation.py", "Sigmoid Tanh", after=CELL_CALLED, module="activation"),
            Part("mytorch/linear.py", "Linear", CELL_LINEAR, module="linear"),
            Part("mytorch/loss.py", "CrossEntropyLoss", module="loss"),
            Part("mytorch/gru_cell.py", "GRUCell", CELL_EDITS, "from activation import Sigmoid, Tanh", CELL_LOSS),
        ),
        cell,
        published="the cell calls its activations in a way that those of this repository do not know",
    ),
    Subject(DRAWN, "word vectors", (Part("src/main.ipynb", "word2vec", DRAWN_EDITS, after=DRAWN_LOSS),), drawn),
    Subject(
        PATCHES,
        "convolutions",
        (
            Part(
                "numpy_cnn/layers/layer.py",
                "Layer Tensor xavier_uniform",
                before="from abc import ABCMeta, abstractmethod",
                module="layer",
            ),
            Part("numpy_cnn/layers/activation.py", "ReLU Sigmoid", before=PATCHES_LAYER, module="activation"),
            Part("numpy_cnn/layers/conv.py", "Conv2d im2col", before=PATCHES_LAYER, module="conv"),
            Part("numpy_cnn/layers/linear.py", "Linear", before=PATCHES_LAYER, module="linear"),
            Part("numpy_cnn/layers/pooling.py", "MaxPool2d", before=PATCHES_LAYER, module="pooling"),
            Part("numpy_cnn/layers/reshape.py", "Reshape", before=PATCHES_LAYER, module="reshape"),
            Part("numpy_cnn/loss.py", "CrossEntropyLoss", PATCHES_SCORES, module="loss"),
            Part("numpy_cnn/net.py", "Net", before=PATCHES_LAYER, after=PATCHES_LOSS),
        ),
        patches,
        published="the derivative of the loss takes the scores for the chances",
    ),
]

"""Subjects by owners that begin with P, R, S, T and Z: an RNN that asks its problems, an RNN with sparse gradients, an
LSTM that is one cell, a net that makes images, norms of many kinds, word vectors, convolutions with a centre."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an RNN that is given problems: objects that are asked for what comes in, told what comes out, and say what is missing;
# it climbs ------------------------------------------------------------------------------------------------------------

PROBLEMS = "tsabata/pyrnn"
PROBLEMS_WEIGHTS = {"U": (3, 5), "V": (5, 2), "W": (5, 5), "h0": (5,)}
PROBLEMS_EDITS = (
    # so that there is a first state that is not zero; its gradient is kept
    ("layer_1_values.append(np.zeros(self.hidden_dim))", "layer_1_values.append(self.first)"),
    (
        "self.synapse_0 += self.synapse_0_update * self.alpha",
        "self.first_update += future_layer_1_delta.dot(self.synapse_h.T)[0]",
    ),
    # what it learns by is kept instead
    ("            self.synapse_1 += self.synapse_1_update * self.alpha\n", ""),
    ("            self.synapse_h += self.synapse_h_update * self.alpha\n", ""),
    *((f"            self.synapse_{k}_update *= 0\n", "") for k in "01"),
    ("            self.synapse_h_update *= 0\n", ""),
)
PROBLEMS_LOSS = f"""

class Sequence(ProblemObject):
    def __init__(self, x, y):
        self.x, self.y, self.found = x, y, []

    def sequence_iterator(self):
        return [[step] for step in self.x]

    def predicted(self, result, index):
        self.found.append(result[0])

    def error(self, index):
        return self.y[index] - self.found[index]


def loss_and_gradients(xs, ys, {", ".join(PROBLEMS_WEIGHTS)}):
    rnn = RNN(3, 5, 2)
    rnn.synapse_0, rnn.synapse_1, rnn.synapse_h, rnn.first = U, V, W, h0
    rnn.first_update = np.zeros_like(h0)
    problems = [Sequence(x, y) for x, y in zip(xs, ys)]
    rnn.train(problems)
    cost = sum(0.5 * np.sum((problem.y - np.array(problem.found)) ** 2) for problem in problems)
    return cost, -rnn.synapse_0_update, -rnn.synapse_1_update, -rnn.synapse_h_update, -rnn.first_update
"""


def problems(m):
    r = numbers()
    weights = weights_of(r, " ".join(PROBLEMS_WEIGHTS), *PROBLEMS_WEIGHTS.values())
    given = {"xs": [r(4, 3), r(3, 3)], "ys": [r(4, 2), r(3, 2)]}
    return loss(m.loss_and_gradients, " ".join(PROBLEMS_WEIGHTS), **given, **weights)


# an RNN for words: for each word that comes out it goes back anew; gradients of words are on a list -------------------

SPARSE = "simonyilunw/CS224D"
SPARSE_WEIGHTS = {"H": (5, 5), "U": (7, 5), "L": (7, 5)}
# a small base, as that of the course is for Python 2
SPARSE_BEFORE = """import itertools
import sys
from types import SimpleNamespace

from base import SparseDelta
from helpers import make_onehot, sigmoid, softmax
from numpy import *


def random_weight_matrix(m, n):
    return zeros((m, n))


class NNBase:
    def __init__(self, dense, sparse):
        self.params, self.grads = (
            SimpleNamespace(**{name: zeros(shape) for name, shape in dense.items()}) for _ in range(2)
        )
        self.sparams = SimpleNamespace(**{name: zeros(shape) for name, shape in sparse.items()})
        self.sgrads = SimpleNamespace(**{name: SparseDelta() for name in sparse})"""
SPARSE_LOSS = f"""

def loss_and_gradients(xs, ys, h0, {", ".join(SPARSE_WEIGHTS)}):
    rnn = RNNPT(L, bptt=len(xs))
    rnn.params.H, rnn.params.U, rnn.sparams.L = H, U, L
    rnn._acc_grads(xs, ys, h0)
    dL = zeros_like(L)
    for word, delta in rnn.sgrads.L:
        dL[word] += delta
    return rnn.compute_seq_loss(xs, ys, h0), rnn.grads.H, rnn.grads.U, dL
"""


def sparse(m):
    r = numbers()
    weights = weights_of(r, " ".join(SPARSE_WEIGHTS), *SPARSE_WEIGHTS.values())
    given = {"xs": [2, 6, 0, 2], "ys": [6, 0, 2, 4], "h0": r(5)}
    return loss(m.loss_and_gradients, " ".join(SPARSE_WEIGHTS), **given, **weights)


# an LSTM that is one cell: its state is what it sees, and is set to that of each step on the way back -----------------

CELL = "zeinabmostafavi/RNN"
CELL_WEIGHTS = {k: (5, 8) for k in "fico"} | {"h0": (5,), "c0": (5,)}
CELL_EDITS = (
    ("np.clip(e + dfhs, -6, 6)", "e + dfhs"),
    ("np.clip(e * o * self.dtangent(self.cs) + dfcs, -6, 6)", "e * o * self.dtangent(self.cs) + dfcs"),
    # wrong as published: derivatives are asked for what is activated already, that of a gate is another's,
    ("self.dtangent(o)", "o * (1 - o)"),
    ("self.dtangent(c)", "(1 - c**2)"),
    ("self.dsigmoid(i)", "i * (1 - i)"),
    ("self.dsigmoid(f)", "f * (1 - f)"),
    # and what goes to the step before has none
    ("np.dot(dc, self.c)", "np.dot(dc * (1 - c**2), self.c)"),
    *((f"np.dot(d{k}, self.{k})", f"np.dot(d{k} * {k} * (1 - {k}), self.{k})") for k in "oif"),
)
CELL_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(CELL_WEIGHTS)}):
    lstm = LSTM(3, 5, 4, 0.1)
    lstm.f, lstm.i, lstm.c, lstm.o, lstm.y, lstm.cs = f, i, c, o, h0, c0
    cost, kept = 0, []
    for step, target in zip(x, y):
        before, lstm.x = lstm.cs.copy(), np.hstack((lstm.y, step))
        cs, out, *gates = lstm.forwardProp()
        cost += 0.5 * np.sum((out - target) ** 2)
        kept.append((lstm.x, cs.copy(), before, out - target, gates))
    grads, dcs, dhs = [0] * 4, np.zeros(5), np.zeros(5)
    for lstm.x, lstm.cs, before, error, gates in reversed(kept):
        *found, dcs, dhs = lstm.backProp(error, before, *gates, dcs, dhs)
        grads = [grad + one for grad, one in zip(grads, found)]
    return cost, *grads, dhs, dcs
"""


def cell(m):
    r = numbers()
    weights = weights_of(r, " ".join(CELL_WEIGHTS), *CELL_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(CELL_WEIGHTS), x=r(4, 3), y=r(4, 5), **weights)


# a net that makes images and one that tells them from real ones: convolutions and turned ones, norms, values in dicts -

IMAGES = "plmrr/gan-from-scratch"
IMAGES_GEN = {"GW": (5, 18), "Gb": (1, 18), "G1": (3, 2, 3, 3), "g1": (2,), "G2": (2, 4, 3, 3), "g2": (4,)}
IMAGES_GEN |= {"G3": (4, 2, 3, 3), "g3": (2,)}
IMAGES_GEN |= {"M1": (1, 2, 1, 1), "m1": (1, 2, 1, 1), "M2": (1, 4, 1, 1), "m2": (1, 4, 1, 1)}
IMAGES_DIS = {"DW": (12, 1), "Db": (1, 1), "D1": (2, 2, 3, 3), "d1": (2,), "D2": (3, 2, 3, 3), "d2": (3,)}
IMAGES_DIS |= {"D3": (2, 3, 3, 3), "d3": (2,)}
IMAGES_DIS |= {"N2": (1, 3, 1, 1), "n2": (1, 3, 1, 1), "N3": (1, 2, 1, 1), "n3": (1, 2, 1, 1)}
IMAGES_WEIGHTS = IMAGES_GEN | IMAGES_DIS
IMAGES_MAKE = (
    # smaller images
    ("512*4*4", "3*2*3"),
    ("512, 4, 4)", "3, 2, 3)"),
    ("ConvTranspose2D(512, 256, 4, 2, 1)", "ConvTranspose2D(3, 2, 3, 2, 1)"),
    ("ConvTranspose2D(256, 128, 4, 2, 1)", "ConvTranspose2D(2, 4, 3, 2, 1)"),
    ("ConvTranspose2D(128, 3,   4, 2, 1)", "ConvTranspose2D(4, 2, 3, 2, 1)"),
    ("BatchNorm2d(256)", "BatchNorm2d(2)"),
    ("BatchNorm2d(128)", "BatchNorm2d(4)"),
    # wrong as published: the derivative is asked for what is activated already
    ("tanh_derivative(out3_pre)", "(1 - out3_pre**2)"),
)
IMAGES_TELL = (
    ("Conv2D(3,   64, 4, 2, 1)", "Conv2D(2, 2, 3, 2, 1)"),
    ("Conv2D(64, 128, 4, 2, 1)", "Conv2D(2, 3, 3, 2, 1)"),
    ("Conv2D(128,256, 4, 2, 1)", "Conv2D(3, 2, 3, 2, 1)"),
    ("BatchNorm2d(128)", "BatchNorm2d(3)"),
    ("BatchNorm2d(256)", "BatchNorm2d(2)"),
    ("np.random.randn(256*4*4,1)", "np.random.randn(2*2*3,1)"),
    ("reshape(-1,256,4,4)", "reshape(-1,2,2,3)"),
)
# wrong as published: weights are not turned as their gradient is
IMAGES_TURNED = (
    (
        "self.W.reshape(self.in_channels*filter_h*filter_w, self.out_channels)",
        "self.W.transpose(0,2,3,1).reshape(self.in_channels*filter_h*filter_w, self.out_channels)",
    ),
)
# wrong as published: the loss is a mean, its gradient is not
IMAGES_TOOLS = (("return (y_pred - y_true) / (", "return (y_pred - y_true) / y_true.size / ("),)
# the loss is told what comes out and the labels in the order of its arguments, as published it is told the reverse
IMAGES_LOSS = f"""
from generator import Generator
from utils import binary_cross_entropy, binary_cross_entropy_derivative


def loss_and_gradients(real, noise, {", ".join(IMAGES_WEIGHTS)}):
    np.random.seed(5)  # the same are dropped each time
    gen, dis = Generator(5), Discriminator()
    gen.W_fc, gen.b_fc, dis.W_fc, dis.b_fc = GW, Gb, DW, Db
    layers = gen.deconv1, gen.deconv2, gen.deconv3, dis.conv1, dis.conv2, dis.conv3
    for layer, weight, bias in zip(layers, (G1, G2, G3, D1, D2, D3), (g1, g2, g3, d1, d2, d3)):
        layer.W, layer.b = weight, bias
    for norm, weight, bias in zip((gen.bn1, gen.bn2, dis.bn2, dis.bn3), (M1, M2, N2, N3), (m1, m2, n2, n3)):
        norm.gamma, norm.beta = weight, bias
    cost, grads = 0, [0] * {len(IMAGES_DIS)}
    for images, label in ((real, 0.95), (gen.forward(noise), 0.1)):
        told = dis.forward(images)
        labels = np.full(told.shape, label)
        cost += binary_cross_entropy(told, labels)
        dimages, found = dis.backward(binary_cross_entropy_derivative(told, labels))
        grads = [grad + one for grad, one in zip(grads, found)]
    dnoise, found = gen.backward(dimages)
    return cost, dnoise, *found, *grads
"""


def images(m):
    r = numbers()
    weights = weights_of(r, " ".join(IMAGES_WEIGHTS), *IMAGES_WEIGHTS.values())
    given = {"real": r(2, 2, 9, 17), "noise": r(2, 5)}
    return loss(m.loss_and_gradients, "noise " + " ".join(IMAGES_WEIGHTS), **given, **weights)


# norms of groups, of layers and of batches, and a softmax by its matrix, each derived in another way; one after another

NORMS = "rocking5566/ai_arithmetic"
NORMS_WEIGHTS = {"g1": (2, 5), "b1": (2, 5), "g2": (60,), "b2": (60,), "g3": (60,), "b3": (60,)}
NORMS_PAIR = f"""
from batches import batchnorm_backward, batchnorm_forward
from groups import groupnorm_forward, rocking_groupnorm_backward
from layers import c9_layernorm_backward, layernorm_forward


def forward(x, {", ".join(NORMS_WEIGHTS)}):
    y, groups = groupnorm_forward(x, g1, b1, 0.01)
    y, layers = layernorm_forward(y.reshape(len(x), -1), g2, b2, 0.02)
    y, batches = batchnorm_forward(y, g3, b3, 0.03)
    return np.array([softmax_fwd(row) for row in y]), (x.shape, groups, layers, batches, y)


def backward(dy, cache):
    shape, groups, layers, batches, y = cache
    dy = np.array([softmax_bwd(row, d) for row, d in zip(y, dy)])
    dy, dg3, db3 = batchnorm_backward(dy, batches)
    dy, dg2, db2 = c9_layernorm_backward(dy, layers)
    dx, dg1, db1 = rocking_groupnorm_backward(dy.reshape(shape), groups)
    return dx, dg1, db1, dg2, db2, dg3, db3
"""


def norms(m):
    r = numbers()
    weights = weights_of(r, " ".join(NORMS_WEIGHTS), *NORMS_WEIGHTS.values())
    return pair(m.forward, m.backward, "x " + " ".join(NORMS_WEIGHTS), x=r(4, 2, 3, 2, 5), **weights)


# word vectors: those of targets are columns, those of contexts rows; a dict tells which contexts are there ------------

WORDS = "shaharoded/SkipGram-SGNS-W2Vec-"
WORDS_WEIGHTS = {"T": (5, 9), "C": (9, 5)}
WORDS_EDITS = (
    # wrong as published: what comes out is no probability,
    ("np.dot(C_subset, hidden).flatten()", "sigmoid(np.dot(C_subset, hidden).flatten())"),
    # and the loss is a mean, its gradient is not
    ("-np.mean(", "-np.sum("),
    # what it learns by is kept instead; as published contexts have learned before they are used
    ("self.C[context_indices, :] -= step_size * c_grad", "self.dC[context_indices, :] += c_grad"),
    ("self.T[:, t_index] -= step_size * t_grad", "self.dT[:, t_index] += t_grad"),
)
WORDS_LOSS = """

def loss_and_gradients(vectors, T, C):
    model = SkipGram.__new__(SkipGram)
    model.T, model.C, model.dT, model.dC = T, C, np.zeros_like(T), np.zeros_like(C)
    cost = 0
    for target, vector in vectors:
        hidden, y_pred, y, found = model._forward_pass(target, vector)
        cost += model._calculate_loss(y, y_pred)
        model._backpropagation(target, hidden, y_pred, y, 1.0, found)
    return cost, model.dT, model.dC
"""


def words(m):
    r = numbers()
    weights = weights_of(r, "T C", *WORDS_WEIGHTS.values())
    vectors = [(2, {4: 1, 7: 1, 0: 0, 5: 0}), (6, {4: 1, 1: 0, 8: 0}), (2, {3: 1, 7: 0, 0: 0})]
    return loss(m.loss_and_gradients, "T C", vectors=vectors, **weights)


# convolutions whose kernels have a centre, from channel to channel in lists; which was the largest is kept as a text --

CENTRES = "skalinin/CNN-from-Scratch"
CENTRES_WEIGHTS = {"K1": (2, 3, 2), "k1": (2, 1, 1), "K2": (6, 2, 2), "k2": (3, 1, 1), "W": (9, 4), "b": (1, 4)}
CENTRES_TAKE = "get_axis_indexes get_axes_indexes Conv2d Sigmoid Softmax ReLU Maxpool2d Linear Flatten CrossEntropyLoss"
CENTRES_EDITS = (
    ("np.float32", "np.float64"),
    # what it learns by is kept instead
    ("self.conv_b[i] = self.conv_b[i] - learning_rate * dEdb_l", "self.d_b[i] += dEdb_l"),
    ("self.conv_w[j] = self.conv_w[j] - learning_rate * dEdw_l", "self.d_w[j] += dEdw_l"),
    ("self.fc_w = self.fc_w - learning_rate * dEdw_l", "self.d_w += dEdw_l"),
    ("self.fc_b = self.fc_b - learning_rate * dEdb_l", "self.d_b += dEdb_l"),
)
CENTRES_LOSS = f"""

def loss_and_gradients(images, labels, {", ".join(CENTRES_WEIGHTS)}):
    first, second, last = Conv2d(1, 2, (3, 2)), Conv2d(2, 3, 2, kernel_center=(1, 0)), Linear(9, 4)
    pool, relu, squash, flat, soft, error = Maxpool2d(2), ReLU(), Sigmoid(), Flatten(), Softmax(), CrossEntropyLoss()
    first.conv_w, first.conv_b, second.conv_w, second.conv_b, last.fc_w, last.fc_b = {", ".join(CENTRES_WEIGHTS)}
    for layer, weight, bias in zip((first, second, last), (K1, K2, W), (k1, k2, b)):
        layer.d_w, layer.d_b = np.zeros_like(weight), np.zeros_like(bias)
    cost = 0
    for image, label in zip(images, labels):
        hidden = flat.matrices2vector(squash(second(pool(relu(first([image]))))))
        out = soft(last(hidden))
        cost += np.sum(error(label, out))
        grad = last.backprop(soft.backprop(error.backprop(label, out)), 1.0)
        grad = second.backprop(squash.backprop(flat.vector2matrices(grad)), 1.0)
        first.backprop(relu.backprop(pool.backprop(grad)), 1.0)
    return cost, first.d_w, first.d_b, second.d_w, second.d_b, last.d_w, last.d_b
"""


def centres(m):
    r = numbers()
    weights = weights_of(r, " ".join(CENTRES_WEIGHTS), *CENTRES_WEIGHTS.values())
    given = {"images": r(2, 5, 6), "labels": np.eye(4)[[3, 1]]}
    return loss(m.loss_and_gradients, " ".join(CENTRES_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        PROBLEMS,
        "RNN",
        (
            Part(
                "RNN.py",
                "sigmoid sigmoid_output_to_derivative RNN ProblemObject",
                PROBLEMS_EDITS,
                "import copy",
                PROBLEMS_LOSS,
            ),
        ),
        problems,
    ),
    Subject(
        SPARSE,
        "RNN",
        (
            Part("nn/math.py", "sigmoid softmax make_onehot", before="from numpy import *", module="helpers"),
            Part("nn/base.py", "SparseDelta", module="base"),
            Part("rnnlm.py", "RNNPT", before=SPARSE_BEFORE, after=SPARSE_LOSS),
        ),
        sparse,
    ),
    Subject(
        CELL,
        "LSTM",
        (Part("LSTM_from_scratch.ipynb", "LSTM", CELL_EDITS, after=CELL_LOSS),),
        cell,
        published="derivatives of what is activated already, none in what goes to the step before",
    ),
    Subject(
        IMAGES,
        "images",
        (
            Part("conv.py", "im2col col2im Conv2D ConvTranspose2D", IMAGES_TURNED, module="conv"),
            Part("batchnorm.py", "BatchNorm2d", module="batchnorm"),
            Part("dropout.py", "Dropout", module="dropout"),
            Part(
                "utils.py",
                "sigmoid sigmoid_derivative relu relu_derivative leaky_relu leaky_relu_derivative tanh "
                "binary_cross_entropy binary_cross_entropy_derivative",
                IMAGES_TOOLS,
                module="utils",
            ),
            Part(
                "generator.py",
                "Generator",
                IMAGES_MAKE,
                "from batchnorm import BatchNorm2d\nfrom conv import ConvTranspose2D\n"
                "from utils import relu, relu_derivative, tanh",
                module="generator",
            ),
            Part(
                "discriminator.py",
                "Discriminator",
                IMAGES_TELL,
                "from batchnorm import BatchNorm2d\nfrom conv import Conv2D\nfrom dropout import Dropout\n"
                "from utils import leaky_relu, leaky_relu_derivative, sigmoid, sigmoid_derivative",
                IMAGES_LOSS,
            ),
        ),
        images,
        published="the loss is a mean, its gradient is not; a derivative of what is activated; weights are not turned",
    ),
    Subject(
        NORMS,
        "norms",
        (
            Part("groupnorm.py", "groupnorm_forward rocking_groupnorm_backward", module="groups"),
            Part("layernorm.py", "layernorm_forward c9_layernorm_backward", module="layers"),
            Part("batchnorm.py", "batchnorm_forward batchnorm_backward", module="batches"),
            Part("softmax.py", "softmax_fwd softmax_bwd", after=NORMS_PAIR),
        ),
        norms,
    ),
    Subject(
        WORDS,
        "word vectors",
        (Part("skipgram_sgns.py", "sigmoid SkipGram", WORDS_EDITS, after=WORDS_LOSS),),
        words,
        published="what comes out is no probability; the loss is a mean, its gradient is not",
    ),
    Subject(
        CENTRES,
        "convolution",
        (Part("src/cnn/numpy_model.py", CENTRES_TAKE, CENTRES_EDITS, after=CENTRES_LOSS),),
        centres,
    ),
]

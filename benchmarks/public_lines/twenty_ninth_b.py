"""Subjects by owners that begin with J, K, L, M and N: a variational autoencoder, convolutions with normalised batches,
RNNs of blocks with a loop in a loop, a stack of three recurrent layers, a convolution that learns by itself, LSTMs that
are fed their outputs, word vectors."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# a variational autoencoder of two nets in columns, whose lists begin with two fillers: the loss of the first takes
# the gradient that comes from the second as its label

LATENT = "JackHanke/nets"
LATENT_WEIGHTS = {"E1": (5, 6), "E2": (4, 5), "D1": (7, 2), "D2": (6, 7)}
LATENT_WEIGHTS |= {"e1": (5, 1), "e2": (4, 1), "d1": (7, 1), "d2": (6, 1)}
LATENT_LOSSES = (
    # wrong as published: the first cost is a mean over all entries, the other a sum, their gradients are means over the
    # batch only
    ("np.sum(self.loss(activation, label))", "np.sum(self.loss(activation, label)) / label.shape[1]"),
    ("np.average(self.loss(activation, label))", "np.sum(self.loss(activation, label)) / label.shape[1]"),
)
LATENT_EDITS = (
    # the noise is given, both costs are returned
    ("_params_vec_to_sample(params_vec=params_vec)", "_params_vec_to_sample(params_vec=params_vec, noise=self.noise)"),
    ("        return rec_cost\n", "        return rec_cost + reg_cost\n"),
)
LATENT_LOSS = f"""
from activation_funcs import Identity, LeakyReLu, Sigmoid, TanH
from ann import ArtificialNeuralNetwork
from loss_funcs import MSE, VAEInternal


def loss_and_gradients(x, noise, {", ".join(LATENT_WEIGHTS)}):
    encoder = ArtificialNeuralNetwork((6, 5, 4), [TanH(1.5), Identity()], VAEInternal(2, 0))
    decoder = ArtificialNeuralNetwork((2, 7, 6), [LeakyReLu(), Sigmoid()], MSE())
    encoder.weights[2:], encoder.biases[2:] = [E1, E2], [e1, e2]
    decoder.weights[2:], decoder.biases[2:] = [D1, D2], [d1, d2]
    model = VariationalAutoEncoder(encoder, decoder)
    model.noise = noise
    cost = model._backward(x, x)
    weights = encoder.weights_gradients[2:] + decoder.weights_gradients[2:]
    return cost, *weights, *encoder.biases_gradients[2:], *decoder.biases_gradients[2:]
"""


def latent(m):
    r = numbers()
    weights = weights_of(r, " ".join(LATENT_WEIGHTS), *LATENT_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(LATENT_WEIGHTS), x=r(6, 3), noise=r(2, 3), **weights)


# convolutions by columns, pooling, dense layers and batch normalisation; layers return their three gradients

COLUMNS = "johnsonkobe24/Build-CNN-and-MLP-from-pure-numpy"
COLUMNS_WEIGHTS = {"K1": (3, 2, 3, 3), "k1": (3, 1), "K2": (4, 3, 2, 2), "k2": (4, 1), "W1": (16, 7), "b1": (7, 1)}
COLUMNS_WEIGHTS |= {"gamma": (1, 7), "beta": (1, 7), "W2": (7, 5), "b2": (5, 1)}
COLUMNS_TAKEN = "im2col im2col_bw Transform ReLU Flatten Conv MaxPool LinearLayer SoftMaxCrossEntropyLoss"
COLUMNS_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(COLUMNS_WEIGHTS)}):
    conv1, conv2 = Conv((2, 5, 5), (3, 3, 3)), Conv((3, 2, 2), (4, 2, 2))
    linear1, linear2, norm = LinearLayer(16, 7), LinearLayer(7, 5), BatchNorm(7)
    conv1.W, conv1.b, conv2.W, conv2.b, norm.gamma, norm.beta = K1, k1, K2, k2, gamma, beta
    linear1.W, linear1.b, linear2.W, linear2.b = W1, b1, W2, b2
    relu1, relu2, pool, flat, last = ReLU(), ReLU(), MaxPool((2, 2), 2), Flatten(), SoftMaxCrossEntropyLoss()
    found = pool.forward(relu1.forward(conv1.forward(x, stride=1, pad=1)))
    found = flat.forward(relu2.forward(conv2.forward(found, stride=2, pad=1)))
    cost = last.forward(linear2.forward(norm.forward(linear1.forward(found))), y)
    dW2, db2, error = linear2.backward(last.backward())
    dW1, db1, error = linear1.backward(norm.backward(error))
    dK2, dk2, error = conv2.backward(relu2.backward(flat.backward(error)))
    dK1, dk1, dx = conv1.backward(relu1.backward(pool.backward(error)))
    return cost, dx, dK1, dk1, dK2, dk2, dW1, db1, norm.dgamma, norm.dbeta, dW2, db2
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    given = {"x": r(4, 2, 5, 5), "y": np.eye(5)[[4, 0, 3, 1]]}
    return loss(m.loss_and_gradients, "x " + " ".join(COLUMNS_WEIGHTS), **given, **weights)


# RNNs in a model of blocks, with private names: errors and gradients are two methods, each of which goes back from
# every step; a softmax at the last step

BLOCKS = "KennCoder7/DNN-numpy"
BLOCKS_WEIGHTS = {"U1": (5, 5), "W1": (4, 5), "b1": (5,), "U2": (7, 7), "W2": (5, 7), "b2": (7,)}
BLOCKS_WEIGHTS |= {"V": (7, 3), "c": (3,)}
BLOCKS_RNN = (
    # wrong as published: what a step's error says of the same step is left out of the gradients
    ("for k in range(t - 1, -1, -1):", "for k in range(t, -1, -1):"),
    ("for k in range(t-1, -1, -1):", "for k in range(t, -1, -1):"),
    ("                _e_k_set[k] = np", "                if k < t:\n                    _e_k_set[k] = np"),
)
BLOCKS_MODEL = (("        self.print_structure()\n", ""),)
BLOCKS_BEFORE = """from ActivationBlock import Activation
from DenseBlock import Dense
from RNNBLock import BasicRNN

Conv2D = MaxPooling2D = Flatten = type(None)"""
BLOCKS_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(BLOCKS_WEIGHTS)}):
    first, second, dense = BasicRNN("R1", 5, False), BasicRNN("R2", 7, True), Dense("fc", 3)
    model = Model("model", [4, 4])
    model.initial([first, Activation("A1", "sigmoid"), second, dense, Activation("A2", "softmax")])
    first._BasicRNN__u, first._BasicRNN__w, first._BasicRNN__b = U1, W1, b1
    second._BasicRNN__u, second._BasicRNN__w, second._BasicRNN__b = U2, W2, b2
    dense._Dense__w, dense._Dense__b = V, c
    g, cost, accuracy = model._Model__gradient(x, y)
    return cost, *(g[name][key] for name in ("R1", "R2") for key in "uwb"), g["fc"]["w"], g["fc"]["b"]
"""


def blocks(m):
    r = numbers()
    weights = weights_of(r, " ".join(BLOCKS_WEIGHTS), *BLOCKS_WEIGHTS.values())
    given = {"x": r(2, 4, 4), "y": np.eye(3)[[2, 0]]}
    return loss(m.loss_and_gradients, " ".join(BLOCKS_WEIGHTS), **given, **weights)


# recurrent layers with properties, and activations that are objects: an LSTM, an RNN and a GRU on one another;
# gradients of weights are means over the batch

STACK = "l11x0m7/lightnn"
STACK_LAYERS = {
    "lstm": (3, 5, "W_i U_i b_i W_o U_o b_o W_f U_f b_f W_c U_c b_c"),
    "rnn": (5, 4, "W U b"),
    "gru": (4, 6, "W_r U_r b_r W_z U_z b_z W_h U_h b_h"),
}
STACK_SHAPES = {
    f"{layer}_{name}": {"W": (before, size), "U": (size, size), "b": (size,)}[name[0]]
    for layer, (before, size, names) in STACK_LAYERS.items()
    for name in names.split()
}
# written for Python 2; weights are set, not drawn
STACK_BEFORE = """import types

import activations
from layer import Layer

initializers = types.SimpleNamespace(get=lambda name: np.zeros)
xrange = range"""
STACK_LOSS = """

def loss_and_gradients(x, targets, **weights):
    lstm = LSTM(5, x.shape, return_sequences=True)
    rnn = SimpleRNN(4, (3, 4, 5), return_sequences=True)
    gru = GRU(6, (3, 4, 4), return_sequences=True)
    layers = {"lstm": lstm, "rnn": rnn, "gru": gru}
    for name, array in weights.items():
        layer, attribute = name.split("_", 1)
        setattr(layers[layer], attribute, array)
    outputs = gru.forward(rnn.forward(lstm.forward(x)))
    dx = lstm.backward(rnn.backward(gru.backward(outputs - targets)))
    found = {"x": dx / len(x)}
    for name in weights:
        layer, attribute = name.split("_", 1)
        found[name] = getattr(layers[layer], "delta_" + attribute)
    return 0.5 * np.sum((outputs - targets) ** 2) / len(x), found
"""


def stack(m):
    r = numbers()
    weights = weights_of(r, " ".join(STACK_SHAPES), *STACK_SHAPES.values())
    given = {"x": r(3, 4, 3), "targets": r(3, 4, 6)}
    return loss(m.loss_and_gradients, "x " + " ".join(STACK_SHAPES), **given, **weights)


# a convolution and two dense layers with sigmoids, for one picture; where its filters lie is kept as a matrix

FILTERS = "lguerdan/numpy-CNN"
FILTERS_WEIGHTS = {"WConv": (3, 3, 2), "bConv": (2, 1), "W2a": (7, 18), "b2a": (7, 1), "W2": (4, 7), "b2": (4, 1)}
FILTERS_EDITS = (
    # wrong as published: the errors of the filters are mixed, the biases' are summed over the filters
    (".reshape(self.conv_mat_H, self.num_filters)", ".reshape(self.num_filters, self.conv_mat_H).T"),
    ("np.sum(dConv.T,axis=0)", "np.sum(dConv.T, axis=1, keepdims=True)"),
)
# it adds what it learns by to its weights at once: the difference is its gradient
FILTERS_LOSS = f"""

def loss_and_gradients(pictures, targets, {", ".join(FILTERS_WEIGHTS)}):
    net = ConvNeuralNetwork.__new__(ConvNeuralNetwork)
    net.img_width, net.filter_width, net.num_filters, net.output_dim = 5, 3, 2, 4
    net.conv_mat_H, net.conv_mat_S, net.conv_output_dim = 9, 2, 18
    net.alpha, net.activation_function, net.sig_lambdas = 1.0, "sigmoid", (1.3, 1.3, 1.3)
    net.WConvC = net.filter_to_C(WConv)
    weights = dict(WConv=WConv, bConv=bConv, W2a=W2a, b2a=b2a, W2=W2, b2=b2)
    total, gradients = 0, {{name: np.zeros_like(array) for name, array in weights.items()}}
    for features, target in zip(pictures, targets):
        vars(net).update(weights)
        total += net.forward_pass_3B(features, target)
        net.backward_pass_3B(features, target)
        for name, array in weights.items():
            gradients[name] += array - getattr(net, name)
    return total, gradients
"""


def filters(m):
    r = numbers()
    weights = weights_of(r, " ".join(FILTERS_WEIGHTS), *FILTERS_WEIGHTS.values())
    given = {"pictures": r(2, 1, 25), "targets": np.array([[[0.9], [0.1], [0.2], [0.4]], [[0.3], [0.8], [0.1], [0.6]]])}
    return loss(m.loss_and_gradients, " ".join(FILTERS_WEIGHTS), **given, **weights)


# LSTMs on one another that are fed their last output: batches in columns within a layer, in rows between layers

FED = "mattweidman/Neural-Turing-Machine"
FED_GATES = "gx ix fx ox gh ih fh oh bg bi bf bo"
FED_WEIGHTS = {
    f"{name}{k}": (size, 1 if name[0] == "b" else before if name[1] == "x" else size)
    for k, (before, size) in enumerate(((3, 5), (5, 3)), 1)
    for name in FED_GATES.split()
}
FED_LOSS = f"""

def loss_and_gradients(X, Y, s0, h0, {", ".join(FED_WEIGHTS)}):
    lstm = LSTM([3, 5, 3])
    weights = [{", ".join(FED_WEIGHTS)}]
    for k, layer in enumerate(lstm.layers):
        layer.theta = weights[12 * k : 12 * k + 12]
        layer.Wgx, layer.Wix, layer.Wfx, layer.Wox = layer.theta[:4]
        layer.Wgh, layer.Wih, layer.Wfh, layer.Woh = layer.theta[4:8]
        layer.bg, layer.bi, layer.bf, layer.bo = layer.theta[8:]
    outputs = lstm.forward_prop(X, 4, s0, h0)
    gradients = lstm.BPTT(X, Y, lambda h, y: h - y, 4, s0, h0)
    return 0.5 * np.sum((outputs - Y) ** 2), *(array for one in gradients for array in one.dLdtheta)
"""


def fed(m):
    r = numbers()
    weights = weights_of(r, " ".join(FED_WEIGHTS), *FED_WEIGHTS.values())
    states = {"s0": [r(2, 5), r(2, 3)], "h0": [0.5 * r(2, 5), 0.5 * r(2, 3)]}
    return loss(m.loss_and_gradients, " ".join(FED_WEIGHTS), X=r(2, 3), Y=r(2, 4, 3), **states, **weights)


# word vectors: a word, one that is near and some that are not; it learns after each of them

PAIRS = "NiccoloCase/word2vec-from-scratch"
# what it learns by is the difference of its weights
PAIRS_LOSS = """

def loss_and_gradients(centres, near, far, W_in, W_out):
    model = MyWord2Vec(range(7), embed_dim=5, k=3)
    total, d_in, d_out = 0, np.zeros_like(W_in), np.zeros_like(W_out)
    for centre, one, others in zip(centres, near, far):
        model.W_in, model.W_out = W_in.copy(), W_out.copy()
        total += model.step(centre, one, others, lr=1.0)
        d_in += W_in - model.W_in
        d_out += W_out - model.W_out
    return total, d_in, d_out
"""


def pairs(m):
    r = numbers()
    weights = weights_of(r, "W_in W_out", (7, 5), (7, 5))
    given = {"centres": np.array([2, 5, 2, 0]), "near": np.array([1, 3, 6, 4])}
    given["far"] = np.array([[4, 4, 6], [0, 2, 6], [3, 5, 0], [1, 1, 3]])
    return loss(m.loss_and_gradients, "W_in W_out", **given, **weights)


SUBJECTS = [
    Subject(
        LATENT,
        "variational autoencoder",
        (
            Part("functions/activation_funcs.py", "Identity Sigmoid TanH LeakyReLu", module="activation_funcs"),
            Part("functions/loss_funcs.py", "MSE VAEInternal", LATENT_LOSSES, module="loss_funcs"),
            Part(
                "models/ann/ann.py",
                "ArtificialNeuralNetwork",
                before="from activation_funcs import Identity",
                module="ann",
            ),
            Part("models/vae/vae.py", "VariationalAutoEncoder", LATENT_EDITS, after=LATENT_LOSS),
        ),
        latent,
        published="one cost is a mean over all, the other a sum; the gradients are means over the batch",
    ),
    Subject(
        COLUMNS,
        "convolutions",
        (
            Part("mlp.py", "Transform BatchNorm", module="mlp"),
            Part("cnn.py", COLUMNS_TAKEN, (), "from mlp import BatchNorm", COLUMNS_LOSS),
        ),
        columns,
    ),
    Subject(
        BLOCKS,
        "RNN",
        (
            Part(
                "model/utils.py",
                "sigmoid d_sigmoid softmax relu d_relu tanh d_tanh activation_function derivative_function",
                module="utils",
            ),
            Part("model/RNNBLock.py", "BasicRNN", BLOCKS_RNN, "from utils import *", module="RNNBLock"),
            Part("model/DenseBlock.py", "Dense", module="DenseBlock"),
            Part("model/ActivationBlock.py", "Activation", before="from utils import *", module="ActivationBlock"),
            Part("model/Model.py", "Model", BLOCKS_MODEL, BLOCKS_BEFORE, BLOCKS_LOSS),
        ),
        blocks,
        published="the part of a step's error that is of the same step is left out",
    ),
    Subject(
        STACK,
        "LSTM, RNN and GRU",
        (
            Part("lightnn/layers/layer.py", "Layer", module="layer"),
            Part(
                "lightnn/base/activations.py",
                "Activator sigmoid delta_sigmoid Sigmoid tanh delta_tanh Tanh get",
                module="activations",
            ),
            Part("lightnn/layers/recurrent.py", "Recurrent SimpleRNN LSTM GRU", (), STACK_BEFORE, STACK_LOSS),
        ),
        stack,
    ),
    Subject(
        FILTERS,
        "convolution",
        (
            Part(
                "CNN.py",
                "ConvNeuralNetwork",
                FILTERS_EDITS,
                "from scipy.signal import correlate2d",
                FILTERS_LOSS,
            ),
        ),
        filters,
        published="errors of filters are mixed up, those of their biases are summed over the filters",
    ),
    Subject(
        FED,
        "LSTM",
        (
            Part(
                "LSTM_layer.py",
                "random_matrix phi sigmoid LSTM_layer LSTM_layer_gradient",
                before="import math",
                module="LSTM_layer",
            ),
            Part("LSTM.py", "LSTM", (), "import math\n\nfrom LSTM_layer import LSTM_layer", FED_LOSS),
        ),
        fed,
    ),
    Subject(
        PAIRS,
        "word vectors",
        (
            Part("src/utils.py", "sigmoid", module="utils"),
            Part(
                "src/model/word2vec.py",
                "MyWord2Vec",
                (),
                "from utils import sigmoid\n\nVocabulary, eps = object, 1e-10",
                PAIRS_LOSS,
            ),
        ),
        pairs,
    ),
]

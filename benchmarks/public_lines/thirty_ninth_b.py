"""Subjects drawn by lot: a recurrent layer over word vectors of a course, the dense layers of a book, convolutions of
two courses, a dense net with dropout and one with an ELU of a course, and a net with batch norm and dropout."""

import numpy as np

from .eleventh_c import weights_of
from .functions import SIGMOID
from .programs import Part, Subject, loss, numbers, pair

# a recurrent layer over word vectors of a course ----------------------------------------------------------------------

WORDS = "wyang20170113/Python_CS231n_CS224d"
WORDS_TAKEN = "rnn_step_forward rnn_step_backward rnn_forward rnn_backward"
WORDS_TAKEN += " word_embedding_forward word_embedding_backward"
WORDS_EDITS = (
    # it is Python 2
    ("xrange", "range"),
)
WORDS_LOSS = """


def forward(words, W, h0, Wx, Wh, b):
    x, embedding = word_embedding_forward(words, W)
    h, rnn = rnn_forward(x, h0, Wx, Wh, b)
    return h, (embedding, rnn)


def backward(dh, caches):
    embedding, rnn = caches
    dx, *others = rnn_backward(dh, rnn)
    return word_embedding_backward(dx, embedding), *others
"""


def words(m):
    r = numbers()
    given = {"W": r(6, 3), "h0": r(2, 5), "Wx": r(3, 5), "Wh": 0.6 * r(5, 5), "b": r(5)}
    sentences = np.array([[2, 0, 2, 4], [1, 1, 5, 0]])
    return pair(m.forward, m.backward, " ".join(given), words=sentences, **given)


# the dense layers of a book -------------------------------------------------------------------------------------------

BOOK = "SHINN314/Deep-Learning-from-Scratch"
BOOK_FUNCTIONS = (
    # wrong as published: the softmax is over the whole batch, its derivative that of one over each row
    ("np.max(x)", "np.max(x, axis=1, keepdims=True)"),
    ("np.sum(np.exp(x - max_num))", "np.sum(np.exp(x - max_num), axis=1, keepdims=True)"),
)
BOOK_EDITS = (
    # wrong as published: the layers have no method of this name
    ("backword(", "backward("),
)
BOOK_WEIGHTS = {"W0": (4, 7), "b0": (7,), "W1": (7, 6), "b1": (6,), "W2": (6, 5), "b2": (5,)}
BOOK_BEFORE = "from collections import OrderedDict\nfrom layer_naive import *"
BOOK_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(BOOK_WEIGHTS)}):
    net = TwoLayerNet(7, 6, 5)
    # one more layer, with a sigmoid, below the two
    net.layers = OrderedDict(Affine0=Affine(W0, b0), Sigmoid=Sigmoid(), **net.layers)
    for layer, W, b in (("Affine1", W1, b1), ("Affine2", W2, b2)):
        net.layers[layer].W, net.layers[layer].b = W, b
    cost, grads = net.loss(x, y), net.gradient(x, y)
    below = net.layers["Affine0"]
    return cost, below.dW, below.db, *(grads[name] for name in ("W1", "b1", "W2", "b2"))
"""


def book(m):
    r = numbers()
    # small weights, as the loss adds a little to what it takes the logarithm of
    weights = {name: 0.3 * r(*shape) for name, shape in BOOK_WEIGHTS.items()}
    return loss(m.loss_and_gradients, " ".join(BOOK_WEIGHTS), x=r(3, 4), y=np.eye(5)[[2, 0, 4]], **weights)


# convolutions over sequences, dense layer and cross-entropy of a course -----------------------------------------------

SEQUENCES = "vishakha1801/11-785-Introduction-To-Deep-Learning"
SEQUENCES_FOLDER = "HW2P1/mytorch"
SEQUENCES_WEIGHTS = {"K1": (3, 2, 3), "k1": (3,), "K2": (4, 3, 2), "k2": (4,), "W": (5, 16), "b": (5, 1)}
SEQUENCES_BEFORE = """from activation import *
from Conv1d import *
from flatten import *
from linear import *
"""
SEQUENCES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(SEQUENCES_WEIGHTS)}):
    first, second, last = Conv1d(2, 3, 3, 2, 1), Conv1d(3, 4, 2, 1), Linear(16, 5)
    holders = (first.conv1d_stride1, second.conv1d_stride1, last)
    for holder, weight, bias in zip(holders, (K1, K2, W), (k1, k2, b)):
        holder.W, holder.b = weight, bias
    layers = [first, Tanh(), second, GELU(), Flatten(), last]
    measure, out = CrossEntropyLoss(), x
    for layer in layers:
        out = layer.forward(out)
    cost, grad = measure.forward(out, y), measure.backward()
    for layer in reversed(layers):
        grad = layer.backward(grad)
    return cost, grad, *(g for holder in holders for g in (holder.dLdW, holder.dLdb))
"""


def sequences(m):
    r = numbers()
    weights = weights_of(r, " ".join(SEQUENCES_WEIGHTS), *SEQUENCES_WEIGHTS.values())
    names = "x " + " ".join(SEQUENCES_WEIGHTS)
    return loss(m.loss_and_gradients, names, x=r(3, 2, 9), y=np.eye(5)[[1, 4, 0]], **weights)


# a convolution with loops, a pool, a batch norm over pictures and a dense layer of a course ---------------------------

PICTURES = "zinednukronere/ECE-C247--Neural-Networks-and-Deep-Learning"
PICTURES_FOLDER = "HW5/hw5-code/nndl"
PICTURES_LAYERS = "affine_forward affine_backward relu_forward relu_backward batchnorm_forward batchnorm_backward"
PICTURES_TAKEN = "conv_forward_naive conv_backward_naive max_pool_forward_naive max_pool_backward_naive"
PICTURES_TAKEN += " spatial_batchnorm_forward spatial_batchnorm_backward"
PICTURES_LOSS = """


def forward(x, w, b, gamma, beta, A, c):
    out, conv = conv_forward_naive(x, w, b, {"stride": 1, "pad": 1})
    out, relu = relu_forward(out)
    out, pool = max_pool_forward_naive(out, {"pool_height": 3, "pool_width": 3, "stride": 1})
    out, norm = spatial_batchnorm_forward(out, gamma, beta, {"mode": "train"})
    out, affine = affine_forward(out, A, c)
    return out, (conv, relu, pool, norm, affine)


def backward(dout, caches):
    conv, relu, pool, norm, affine = caches
    dout, dA, dc = affine_backward(dout, affine)
    dout, dgamma, dbeta = spatial_batchnorm_backward(dout.copy(), norm)
    dout = relu_backward(max_pool_backward_naive(dout, pool), relu)
    return *conv_backward_naive(dout, conv), dgamma, dbeta, dA, dc
"""


def pictures(m):
    r = numbers()
    given = {"x": r(2, 3, 5, 5), "w": r(4, 3, 3, 3), "b": r(4), "gamma": r(4), "beta": r(4), "A": r(36, 5), "c": r(5)}
    return pair(m.forward, m.backward, " ".join(given), **given)


# a dense net with dropout of a course; a notebook, samples in columns -------------------------------------------------

DROPOUT = "manmartgarc/deep-learning-coursera"
DROPOUT_PATH = "02-improving-deep-neural-networks/week-01/Regularization.ipynb"
DROPOUT_WEIGHTS = {"W1": (7, 5), "b1": (7, 1), "W2": (6, 7), "b2": (6, 1), "W3": (1, 6), "b3": (1, 1)}
# the functions that it calls are not in the repository
DROPOUT_BEFORE = f"""{SIGMOID}

def relu(z):
    return np.maximum(0, z)
"""
DROPOUT_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DROPOUT_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    A3, cache = forward_propagation_with_dropout(x, parameters, 0.7)
    grads = backward_propagation_with_dropout(x, y, cache, 0.7)
    cost = -np.mean(y * np.log(A3) + (1 - y) * np.log(1 - A3))
    return cost, *(grads["d" + name] for name in parameters)
"""


def dropout(m):
    r = numbers()
    weights = weights_of(r, " ".join(DROPOUT_WEIGHTS), *DROPOUT_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DROPOUT_WEIGHTS), x=r(5, 4), y=np.array([[0, 1, 1, 0]]), **weights)


# a net with one hidden layer and an ELU of a course; a notebook, samples in columns -----------------------------------

HIDDEN = "HaleTom/deeplearning.ai_notes"
HIDDEN_PATH = "NNs-and-deep-learning/jupyter/Week 3/Planar data classification with one hidden layer"
HIDDEN_PATH += "/Planar data classification with one hidden layer v5-ReLU-experiment.ipynb"
HIDDEN_EDITS = (
    # NumPy no longer has it
    ("np.asscalar(logprobs)", "logprobs.item()"),
    ("np.asscalar(np.squeeze(cost))", "np.squeeze(cost).item()"),
)
HIDDEN_WEIGHTS = {"W1": (5, 4), "b1": (5, 1), "W2": (1, 5), "b2": (1, 1)}
HIDDEN_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(HIDDEN_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2)
    A2, cache = forward_propagation(x, parameters)
    grads = backward_propagation(parameters, cache, x, y)
    return compute_cost(A2, y, parameters), *(grads["d" + name] for name in parameters)
"""


def hidden(m):
    r = numbers()
    weights = weights_of(r, " ".join(HIDDEN_WEIGHTS), *HIDDEN_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(HIDDEN_WEIGHTS), x=r(4, 3), y=np.array([[1, 0, 1]]), **weights)


# a net with batch norm, dropout, weight decay and several activations -------------------------------------------------

NORMED = "JT4v4res/Neural-networks-and-deep-learning"
NORMED_EDITS = (
    # wrong as published: the layers have no attribute of this name
    ("layer.gamme", "layer.gamma"),
)
NORMED_DECAY = (
    # wrong as published: a power stands where the product of its derivative belongs
    ("0.5 ** np.sum", "0.5 * np.sum"),
)
NORMED_WEIGHTS = {"W1": (7, 4), "b1": (1, 7), "g": (1, 7), "h": (1, 7)}
NORMED_WEIGHTS |= {"W2": (6, 7), "b2": (1, 6), "W3": (3, 6), "b3": (1, 3)}
NORMED_BEFORE = """from activation_functions import *
from loss_funcs import *
from regularizations import *
from weights_initializers import *

none_decay = None  # it is for training alone
"""
NORMED_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(NORMED_WEIGHTS)}):
    layers = [
        NetworkLayer(4, 7, tanh, batch_norm=True, reg_strength=0.3),
        NetworkLayer(7, 6, elu, dropout_prob=0.3, reg_strength=0.2),
        NetworkLayer(6, 3),
    ]
    for layer, W, b in zip(layers, (W1, W2, W3), (b1, b2, b3)):
        layer.weights, layer.biases = W, b
    layers[0].gamma, layers[0].beta = g, h
    net = NeuralNetwork(softmax_neg_log_likelihood)
    net.layers = layers
    np.random.seed(4)
    found = net._NeuralNetwork__feedforward(x)
    cost = net.cost_func(y, found)
    cost += sum(layer.regularization(layer.weights) * layer.reg_strength for layer in layers) / len(x)
    net._NeuralNetwork__backpropagation(y, found)
    first, second, third = layers
    grads = (first._dweights, first._dbiases, first._dgamma, first._dbeta)
    return cost, *grads, second._dweights, second._dbiases, third._dweights, third._dbiases
"""


def normed(m):
    r = numbers()
    weights = weights_of(r, " ".join(NORMED_WEIGHTS), *NORMED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(NORMED_WEIGHTS), x=r(4, 4), y=np.eye(3)[[1, 0, 2, 2]], **weights)


SUBJECTS = [
    Subject(
        WORDS,
        "rnn",
        (Part("CS231n/assignment3/cs231n/rnn_layers.py", WORDS_TAKEN, WORDS_EDITS, after=WORDS_LOSS),),
        words,
    ),
    Subject(
        BOOK,
        "dense",
        (
            Part("one/common/functions.py", "softmax cross_entropy_error", BOOK_FUNCTIONS, module="functions"),
            Part(
                "one/chapter5/layer_naive.py",
                "Relu Sigmoid Affine SoftmaxWithLoss",
                (),
                "from functions import *",
                module="layer_naive",
            ),
            Part("one/chapter5/two_layer_net.py", "TwoLayerNet", BOOK_EDITS, BOOK_BEFORE, BOOK_LOSS),
        ),
        book,
        published="the softmax is over the whole batch, and the backward methods are called by a wrong name",
    ),
    Subject(
        SEQUENCES,
        "convolution",
        (
            Part(f"{SEQUENCES_FOLDER}/nn/resampling.py", "Downsample1d", module="resampling"),
            Part(
                f"{SEQUENCES_FOLDER}/nn/Conv1d.py",
                "Conv1d_stride1 Conv1d",
                (),
                "from resampling import *",
                module="Conv1d",
            ),
            Part(f"{SEQUENCES_FOLDER}/flatten.py", "Flatten", module="flatten"),
            Part(f"{SEQUENCES_FOLDER}/nn/linear.py", "Linear", module="linear"),
            Part(
                f"{SEQUENCES_FOLDER}/nn/activation.py",
                "Tanh GELU Softmax",
                (),
                "import scipy.special",
                module="activation",
            ),
            Part(f"{SEQUENCES_FOLDER}/nn/loss.py", "CrossEntropyLoss", (), SEQUENCES_BEFORE, SEQUENCES_LOSS),
        ),
        sequences,
    ),
    Subject(
        PICTURES,
        "convolution",
        (
            Part(f"{PICTURES_FOLDER}/layers.py", PICTURES_LAYERS, module="layers"),
            Part(f"{PICTURES_FOLDER}/conv_layers.py", PICTURES_TAKEN, (), "from layers import *", PICTURES_LOSS),
        ),
        pictures,
    ),
    Subject(
        DROPOUT,
        "dense",
        (
            Part(
                DROPOUT_PATH,
                "forward_propagation_with_dropout backward_propagation_with_dropout",
                (),
                DROPOUT_BEFORE,
                DROPOUT_LOSS,
            ),
        ),
        dropout,
    ),
    Subject(
        HIDDEN,
        "dense",
        (
            Part(
                HIDDEN_PATH,
                "forward_propagation compute_cost backward_propagation",
                HIDDEN_EDITS,
                SIGMOID,
                HIDDEN_LOSS,
            ),
        ),
        hidden,
    ),
    Subject(
        NORMED,
        "dense",
        (
            Part(
                "activation_functions/activation_functions.py",
                "elu linear sigmoid softmax tanh",
                module="activation_functions",
            ),
            Part(
                "loss_functions/loss_funcs.py",
                "mean_squared_error neg_log_likelihood softmax_neg_log_likelihood",
                (),
                "from activation_functions import *",
                module="loss_funcs",
            ),
            Part("regularization/regularizations.py", "l2_regularization", NORMED_DECAY, module="regularizations"),
            Part(
                "weight_initialization/weights_initializers.py",
                "zeros ones random_normal",
                module="weights_initializers",
            ),
            Part(
                "multi_layer_neural_network/neural_network.py",
                "batch_sequencial batch_normalization_forward batch_normalization_backward NetworkLayer NeuralNetwork",
                NORMED_EDITS,
                NORMED_BEFORE,
                NORMED_LOSS,
            ),
        ),
        normed,
        published="the weight decay is a power, not a product, and an attribute of the batch norm has a wrong name",
    ),
]

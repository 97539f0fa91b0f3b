"""Subjects drawn by lot: layers of a course's small framework with a convolution, word vectors of a course twice, a
dense net with weight decay, two small dense nets of courses, and a convolution over columns with a batch norm."""

import numpy as np

from .eleventh_c import weights_of
from .functions import SIGMOID
from .programs import Part, Subject, loss, numbers, pair

# a convolution, dense layers and dropout of a small framework ---------------------------------------------------------

FRAME = "orangegoat123/neural-networks-and-deep-learning"
FRAME_TAKEN = "Layer Linear conv2D ReLU MultiCrossEntropyLoss Flatten Dropout"
FRAME_WEIGHTS = {"K": (3, 2, 3, 3), "k": (3,), "W1": (27, 5), "b1": (1, 5), "W2": (5, 4), "b2": (1, 4)}
FRAME_EDITS = (
    # wrong as published: the gradient of the kernels is divided by the batch size once more
    ("dW /batch_size", "dW"),
)
FRAME_LOSS = f"""


class Chain:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def backward(self, grads):
        for layer in reversed(self.layers):
            grads = layer.backward(grads)
        self.dx = grads


def loss_and_gradients(x, y, {", ".join(FRAME_WEIGHTS)}):
    layers = [conv2D(2, 3, 3, stride=2, padding=1), Linear(27, 5), Linear(5, 4)]
    for layer, W, b in zip(layers, (K, W1, W2), (k, b1, b2)):
        layer.W, layer.b = W, b
    conv, first, second = layers
    model = Chain([conv, ReLU(), Flatten(), first, ReLU(), Dropout(0.3), second])
    measure = MultiCrossEntropyLoss(model, 4)
    np.random.seed(5)
    cost = measure(model(x), y)
    measure.backward()
    return cost, model.dx, *(layer.grads[name] for layer in layers for name in "Wb")
"""


def frame(m):
    r = numbers()
    weights = weights_of(r, " ".join(FRAME_WEIGHTS), *FRAME_WEIGHTS.values())
    names = "x " + " ".join(FRAME_WEIGHTS)
    return loss(m.loss_and_gradients, names, x=r(3, 2, 6, 6), y=np.array([2, 0, 3]), **weights)


# word vectors of a course: skip-gram with softmax and with negative samples -------------------------------------------

GRAMS = "big-peter/CS224dAssignment"
GRAMS_PATH = "1/assignment1/assignment1"
GRAMS_EDITS = (
    # wrong as published: one sample too many is drawn, and the last one gets no gradient
    ("range(K + 1)", "range(K)"),
    ("for k in range(K):", "for k in range(K + 1):"),
)
TOKENS = """
class Tokens:
    def sampleTokenIdx(self):
        return np.random.randint(7)


def negative(predicted, target, outputVectors, dataset):
    return negSamplingCostAndGradient(predicted, target, outputVectors, dataset, 4)


WORDS = {word: k for k, word in enumerate("abcdefg")}
"""
GRAMS_LOSS = f"""

{TOKENS}

def loss_and_gradients(U, V):
    np.random.seed(3)
    first = skipgram("c", 2, list("bdae"), WORDS, U, V, Tokens())
    second = skipgram("f", 2, list("gdcb"), WORDS, U, V, Tokens(), negative)
    return tuple(a + b for a, b in zip(first, second))
"""


def grams(m):
    r = numbers()
    return loss(m.loss_and_gradients, "U V", U=r(7, 3), V=r(7, 3))


# a dense net with weight decay of a course; a notebook, samples in columns --------------------------------------------

DECAY = "oskird/DeepLearning.ai-Deep-Learning-Specialization"
DECAY_PATH = "Course 2/1 Initialization, Regularization and Gradient Check/Regularization"
DECAY_WEIGHTS = {"W1": (6, 5), "b1": (6, 1), "W2": (3, 6), "b2": (3, 1), "W3": (1, 3), "b3": (1, 1)}
DECAY_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DECAY_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    A3, cache = forward_propagation(x, parameters)
    grads = backward_propagation_with_regularization(x, y, cache, 0.6)
    cost = compute_cost_with_regularization(A3, y, parameters, 0.6)
    return cost, *(grads["d" + name] for name in parameters)
"""


def decay(m):
    r = numbers()
    weights = weights_of(r, " ".join(DECAY_WEIGHTS), *DECAY_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DECAY_WEIGHTS), x=r(5, 4), y=np.array([[1, 0, 0, 1]]), **weights)


# a net with one hidden layer of a course, its weights in one vector ---------------------------------------------------

VECTOR = "KeithYJohnson/cs224d"
VECTOR_WEIGHTS = {"W1": (4, 6), "b1": (1, 6), "W2": (6, 5), "b2": (1, 5)}
VECTOR_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(VECTOR_WEIGHTS)}):
    weights = ({", ".join(VECTOR_WEIGHTS)})
    cost, grad = forward_backward_prop(x, y, np.concatenate([w.ravel() for w in weights]), [4, 6, 5])
    pieces = np.split(grad, np.cumsum([w.size for w in weights])[:-1])
    return cost, *(piece.reshape(w.shape) for piece, w in zip(pieces, weights))
"""


def vector(m):
    r = numbers()
    weights = weights_of(r, " ".join(VECTOR_WEIGHTS), *VECTOR_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(VECTOR_WEIGHTS), x=r(3, 4), y=np.eye(5)[[1, 4, 0]], **weights)


# a convolution over columns, a pool, a batch norm over pictures and a dense layer of a course -------------------------

COLUMNS = "Industrial-Functional-Agent/cs231n"
COLUMNS_PATH = "Assignment2/doogie/assignment2/cs231n"
COLUMNS_TAKEN = "conv_forward_naive conv_backward_naive relu_forward relu_backward"
COLUMNS_TAKEN += " max_pool_forward_naive max_pool_backward_naive batchnorm_forward batchnorm_backward_alt"
COLUMNS_TAKEN += " spatial_batchnorm_forward spatial_batchnorm_backward affine_forward affine_backward"
COLUMNS_EDITS = (
    # it is Python 2
    (" / stride", " // stride"),
)
COLUMNS_LOSS = """


def forward(x, w, b, gamma, beta, A, c):
    out, conv = conv_forward_naive(x, w, b, {"stride": 1, "pad": 1})
    out, relu = relu_forward(out)
    out, pool = max_pool_forward_naive(out, {"pool_height": 2, "pool_width": 2, "stride": 2})
    out, norm = spatial_batchnorm_forward(out, gamma, beta, {"mode": "train"})
    out, affine = affine_forward(out, A, c)
    return out, (conv, relu, pool, norm, affine)


def backward(dout, caches):
    conv, relu, pool, norm, affine = caches
    dout, dA, dc = affine_backward(dout, affine)
    dout, dgamma, dbeta = spatial_batchnorm_backward(dout, norm)
    dout = relu_backward(max_pool_backward_naive(dout, pool), relu)
    return *conv_backward_naive(dout, conv), dgamma, dbeta, dA, dc
"""


def columns(m):
    r = numbers()
    given = {"x": r(2, 3, 6, 6), "w": r(4, 3, 3, 3), "b": r(4), "gamma": r(4), "beta": r(4), "A": r(36, 5), "c": r(5)}
    return pair(m.forward, m.backward, " ".join(given), **given)


# a net with one hidden layer of a course; a notebook, samples in columns ----------------------------------------------

HIDDEN = "Yuxinn-J/Neural-Networks-Deep-Learning-Coursera"
HIDDEN_PATH = "Planar_data_classification_with_onehidden_layer.ipynb"
HIDDEN_WEIGHTS = {"W1": (5, 4), "b1": (5, 1), "W2": (1, 5), "b2": (1, 1)}
HIDDEN_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(HIDDEN_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2)
    A2, cache = forward_propagation(x, parameters)
    grads = backward_propagation(parameters, cache, x, y)
    return compute_cost(A2, y), *(grads["d" + name] for name in parameters)
"""


def hidden(m):
    r = numbers()
    weights = weights_of(r, " ".join(HIDDEN_WEIGHTS), *HIDDEN_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(HIDDEN_WEIGHTS), x=r(4, 3), y=np.array([[0, 1, 1]]), **weights)


# word vectors of a course: skip-gram and a bag of words, with softmax and with negative samples -----------------------

BAGS = "mnvl/cs224d"
BAGS_TAKEN = "softmaxCostAndGradient negSamplingCostAndGradient skipgram cbow"
BAGS_LOSS = f"""

{TOKENS}

def loss_and_gradients(U, V):
    np.random.seed(3)
    found = [
        skipgram("c", 2, list("bdab"), WORDS, U, V, Tokens()),
        skipgram("f", 2, list("gdcg"), WORDS, U, V, Tokens(), negative),
        cbow("a", 2, list("gdcd"), WORDS, U, V, Tokens()),
        cbow("e", 2, list("gfcb"), WORDS, U, V, Tokens(), negative),
    ]
    return tuple(sum(parts) for parts in zip(*found))
"""

SUBJECTS = [
    Subject(
        FRAME,
        "convolution",
        (Part("codes/mynn/op.py", FRAME_TAKEN, FRAME_EDITS, "from abc import abstractmethod", FRAME_LOSS),),
        frame,
        published="the gradient of the kernels is divided by the batch size once more",
    ),
    Subject(
        GRAMS,
        "word2vec",
        (
            Part(f"{GRAMS_PATH}/q1_softmax.py", "softmax", module="q1_softmax"),
            Part(f"{GRAMS_PATH}/q2_sigmoid.py", "sigmoid", module="q2_sigmoid"),
            Part(
                f"{GRAMS_PATH}/q3_word2vec.py",
                "softmaxCostAndGradient negSamplingCostAndGradient skipgram",
                GRAMS_EDITS,
                "from q1_softmax import softmax\nfrom q2_sigmoid import sigmoid",
                GRAMS_LOSS,
            ),
        ),
        grams,
        published="one negative sample too many is drawn, and the last one gets no gradient",
    ),
    Subject(
        DECAY,
        "dense",
        (
            Part(f"{DECAY_PATH}/reg_utils.py", "sigmoid relu forward_propagation compute_cost", module="reg_utils"),
            Part(
                f"{DECAY_PATH}/Regularization.ipynb",
                "compute_cost_with_regularization backward_propagation_with_regularization",
                (),
                "from reg_utils import compute_cost, forward_propagation",
                DECAY_LOSS,
            ),
        ),
        decay,
    ),
    Subject(
        VECTOR,
        "dense",
        (
            Part("assignment1/q1_softmax.py", "softmax", module="q1_softmax"),
            Part("assignment1/q2_sigmoid.py", "sigmoid sigmoid_grad", module="q2_sigmoid"),
            Part("assignment1/compute_cost.py", "compute_cost", module="compute_cost"),
            Part(
                "assignment1/q2_neural.py",
                "forward_backward_prop",
                (),
                "from compute_cost import *\nfrom q1_softmax import softmax\nfrom q2_sigmoid import *",
                VECTOR_LOSS,
            ),
        ),
        vector,
    ),
    Subject(
        COLUMNS,
        "convolution",
        (
            Part(
                f"{COLUMNS_PATH}/im2col.py",
                "get_im2col_indices im2col_indices col2im_indices",
                COLUMNS_EDITS,
                module="im2col",
            ),
            Part(f"{COLUMNS_PATH}/layers.py", COLUMNS_TAKEN, COLUMNS_EDITS, "from im2col import *", COLUMNS_LOSS),
        ),
        columns,
    ),
    Subject(
        HIDDEN,
        "dense",
        (Part(HIDDEN_PATH, "forward_propagation compute_cost backward_propagation", (), SIGMOID, HIDDEN_LOSS),),
        hidden,
    ),
    Subject(
        BAGS,
        "word2vec",
        (
            Part("assignment1/q1_softmax.py", "softmax", module="q1_softmax"),
            Part("assignment1/q2_sigmoid.py", "sigmoid", module="q2_sigmoid"),
            Part(
                "assignment1/q3_word2vec.py",
                BAGS_TAKEN,
                (),
                "from q1_softmax import softmax\nfrom q2_sigmoid import sigmoid",
                BAGS_LOSS,
            ),
        ),
        grams,
    ),
]

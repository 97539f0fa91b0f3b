"""Subjects drawn by lot: nets of courses (one hidden layer, word vectors, deep with sigmoid, deep with softmax), a
convolution with two kinds of pool, and the dense layers of a book."""

import numpy as np

from .eleventh_c import weights_of
from .functions import SIGMOID
from .programs import Part, Subject, loss, numbers, pair

# a net with one hidden layer of a course; a notebook, samples in columns ----------------------------------------------

HIDDEN = "denotevn/Deep-Learning-Specialization-Coursera"
HIDDEN_PATH = "C1-Neural Networks and Deep Learning/Planar_data_classification_with_one_hidden_layer.ipynb"
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
    return loss(m.loss_and_gradients, " ".join(HIDDEN_WEIGHTS), x=r(4, 3), y=np.array([[1, 0, 1]]), **weights)


# a net with one hidden layer of a course, its weights in one vector ---------------------------------------------------

VECTOR = "cmjxll/cs224d"
VECTOR_EDITS = (
    # wrong as published: the logarithm stands where the derivative is that of the sigmoid
    ("h=log(l1)", "h=sigmoid(l1)"),
    # wrong as published: the second bias has the width of the first layer
    ("b2=np.reshape(params[start:start+DY],(1,H))", "b2=np.reshape(params[start:start+DY],(1,DY))"),
)
# the functions that it calls are not in the repository
VECTOR_BEFORE = f"""{SIGMOID}

def sigmod_grad(s):
    return s * (1 - s)


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)
"""


def vector(m):
    r = numbers()
    given = {"data": r(4, 5), "labels": np.eye(3)[[1, 0, 2, 1]], "dimensions": [5, 6, 3]}
    return loss(m.forward_backward_prop, "params", params=0.7 * r(5 * 6 + 6 + 6 * 3 + 3), **given)


# a convolution and two kinds of pool of a course, with loops, channels last; a notebook -------------------------------

PICTURES = "RaidasGrisk/Coursera-Deep-Learning-Specialization"
PICTURES_PATH = "Convolutional neural networks/week1/Convolutional-Model-step-by-step.ipynb"
PICTURES_TAKEN = "zero_pad conv_single_step conv_forward pool_forward conv_backward"
PICTURES_TAKEN += " create_mask_from_window distribute_value pool_backward"
PICTURES_EDITS = (
    # NumPy now warns of an array as a number
    ("float(b)", "b.item()"),
)
PICTURES_LOSS = """


def forward(x, W, b):
    Z, conv = conv_forward(x, W, b, {"stride": 2, "pad": 2})
    highest, first = pool_forward(Z, {"f": 2, "stride": 2}, "max")
    average, second = pool_forward(Z, {"f": 2, "stride": 1}, "average")
    return highest, average, (conv, first, second)


def backward(dhighest, daverage, caches):
    conv, first, second = caches
    dZ = pool_backward(dhighest, first, "max") + pool_backward(daverage, second, "average")
    return conv_backward(dZ, conv)
"""


def pictures(m):
    r = numbers()
    return pair(m.forward, m.backward, "x W b", 2, x=r(2, 6, 4, 2), W=r(3, 3, 2, 4), b=r(1, 1, 1, 4))


# dense layers of a book, with softmax and loss in one and apart -------------------------------------------------------

BOOK = "Luo-Qin/neural-networks-and-deep-learning"
BOOK_FOLDER = "harrison-2020/chapter10"
BOOK_WEIGHTS = {"W1": (5, 6), "b1": (1, 6), "W2": (6, 3), "b2": (1, 3), "W3": (6, 3), "b3": (1, 3)}
BOOK_BEFORE = """import Activation_Softmax as Softmax
import Loss
from Activation_ReLU import Activation_ReLU
from Layer_Dense import Layer_Dense
"""
BOOK_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(BOOK_WEIGHTS)}):
    layers = [Layer_Dense(*W.shape) for W in (W1, W2, W3)]
    for layer, W, b in zip(layers, (W1, W2, W3), (b1, b2, b3)):
        layer.weights, layer.biases = W, b
    first, second, third = layers
    relu, softmax = Activation_ReLU(), Softmax.Activation_Softmax()
    joined, apart = Activation_Softmax_Loss_CategoricalCrossentropy(), Loss.Loss_CategoricalCrossentropy()
    first.forward(x)
    relu.forward(first.output)
    second.forward(relu.output)
    third.forward(relu.output)
    softmax.forward(third.output)
    cost = joined.forward(second.output, y) + apart.calculate(softmax.output, y)
    joined.backward(joined.output, y)
    apart.backward(softmax.output, y)
    softmax.backward(apart.dinputs)
    second.backward(joined.dinputs)
    third.backward(softmax.dinputs)
    relu.backward(second.dinputs + third.dinputs)
    first.backward(relu.dinputs)
    return cost, *(grad for layer in layers for grad in (layer.dweights, layer.dbiases))
"""


def book(m):
    r = numbers()
    weights = weights_of(r, " ".join(BOOK_WEIGHTS), *BOOK_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(BOOK_WEIGHTS), x=r(4, 5), y=np.array([1, 0, 2, 1]), **weights)


# word vectors of a course, with softmax and with negative samples -----------------------------------------------------

WORDS = "yysherlock/cs224d"
WORDS_EDITS = (
    # it is Python 2
    ("xrange", "range"),
)
WORDS_BEFORE = "from q1_softmax import softmax\nfrom q2_sigmoid import sigmoid"
WORDS_LOSS = """


class Samples:
    # the numbers of other words, the same each time

    def __init__(self):
        self.left = iter([3, 1, 3, 5, 2, 0, 0, 4, 1, 5, 2, 2, 4, 3, 1, 0, 5])

    def sampleTokenIdx(self):
        return next(self.left)


def some_samples(predicted, target, outputVectors, dataset):
    return negSamplingCostAndGradient(predicted, target, outputVectors, dataset, K=4)


def loss_and_gradients(context, inputVectors, outputVectors):
    tokens = {word: number for number, word in enumerate("abcdef")}
    vectors = tokens, inputVectors, outputVectors
    first = skipgram("c", 2, context, *vectors, None, softmaxCostAndGradient)
    second = skipgram("e", 2, context[:3], *vectors, Samples(), some_samples)
    return tuple(one + other for one, other in zip(first, second))
"""


def words(m):
    r = numbers()
    given = {"context": ["a", "b", "f", "a"], "inputVectors": r(6, 4), "outputVectors": r(6, 4)}
    return loss(m.loss_and_gradients, "inputVectors outputVectors", **given)


# a deep net of a course with a sigmoid at the end, samples in columns -------------------------------------------------

DEEP = "ziibii88/deeplearning.ai"
DEEP_FOLDER = "1 - Neural Networks and Deep Learning/Week 4"
DEEP_TAKEN = "linear_forward activation_forward L_model_forward compute_cost linear_backward activation_backward"
DEEP_TAKEN += " L_model_backward"
DEEP_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (1, 5), "b3": (1, 1)}
DEEP_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DEEP_WEIGHTS)}):
    params = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    AL, caches = L_model_forward(x, params)
    grads = L_model_backward(AL, y, caches)
    return compute_cost(AL, y), *(grads["d" + name] for name in params)
"""


def deep(m):
    r = numbers()
    weights = weights_of(r, " ".join(DEEP_WEIGHTS), *DEEP_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DEEP_WEIGHTS), x=r(4, 3), y=np.array([[1, 0, 1]]), **weights)


# a deep net of a course with a softmax at the end, samples in columns -------------------------------------------------

CLASSES = "MartinYan623/CS5242-Neural-Networks-and-Deep-Learning"
CLASSES_TAKEN = "relu_forward relu_backward stable_softmax linear_forward linear_activation_forward L_model_forward"
CLASSES_TAKEN += " compute_cost linear_backward linear_activation_backward L_model_backward"
CLASSES_WEIGHTS = {"W1": (7, 5), "b1": (7, 1), "W2": (6, 7), "b2": (6, 1), "W3": (4, 6), "b3": (4, 1)}
CLASSES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(CLASSES_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    AL, caches = L_model_forward(x, parameters)
    grads = L_model_backward(AL, y, caches)
    return compute_cost(AL, y), *(grads["d" + name] for name in parameters)
"""


def classes(m):
    r = numbers()
    weights = weights_of(r, " ".join(CLASSES_WEIGHTS), *CLASSES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(CLASSES_WEIGHTS), x=r(5, 3), y=np.eye(4)[:, [2, 0, 3]], **weights)


SUBJECTS = [
    Subject(
        HIDDEN,
        "dense",
        (Part(HIDDEN_PATH, "forward_propagation compute_cost backward_propagation", (), SIGMOID, HIDDEN_LOSS),),
        hidden,
    ),
    Subject(
        VECTOR,
        "dense",
        (Part("q2_netural.py", "forward_backward_prop", VECTOR_EDITS, VECTOR_BEFORE),),
        vector,
        published="a logarithm for the sigmoid, and the second bias has the width of the first layer",
    ),
    Subject(
        PICTURES,
        "convolution",
        (Part(PICTURES_PATH, PICTURES_TAKEN, PICTURES_EDITS, "", PICTURES_LOSS),),
        pictures,
    ),
    Subject(
        BOOK,
        "dense",
        (
            Part(f"{BOOK_FOLDER}/Layer_Dense.py", "Layer_Dense", module="Layer_Dense"),
            Part(f"{BOOK_FOLDER}/Activation_ReLU.py", "Activation_ReLU", module="Activation_ReLU"),
            Part(f"{BOOK_FOLDER}/Activation_Softmax.py", "Activation_Softmax", module="Activation_Softmax"),
            Part(f"{BOOK_FOLDER}/Loss.py", "Loss Loss_CategoricalCrossentropy", module="Loss"),
            Part(
                f"{BOOK_FOLDER}/Activation_Softmax_Loss.py",
                "Activation_Softmax_Loss_CategoricalCrossentropy",
                (),
                BOOK_BEFORE,
                BOOK_LOSS,
            ),
        ),
        book,
    ),
    Subject(
        WORDS,
        "word vectors",
        (
            Part("assignment1/q1_softmax.py", "softmax", module="q1_softmax"),
            Part("assignment1/q2_sigmoid.py", "sigmoid", module="q2_sigmoid"),
            Part(
                "assignment1/q3_word2vec.py",
                "softmaxCostAndGradient negSamplingCostAndGradient skipgram",
                WORDS_EDITS,
                WORDS_BEFORE,
                WORDS_LOSS,
            ),
        ),
        words,
    ),
    Subject(
        DEEP,
        "deep",
        (
            Part(
                f"{DEEP_FOLDER}/dnn_utils_v2.py",
                "sigmoid relu relu_backward sigmoid_backward",
                module="dnn_utils_v2",
            ),
            Part(f"{DEEP_FOLDER}/helpers.py", DEEP_TAKEN, (), "from dnn_utils_v2 import *", DEEP_LOSS),
        ),
        deep,
    ),
    Subject(
        CLASSES,
        "deep",
        (Part("Assignmnet1/code/neuralnet_layers.py", CLASSES_TAKEN, (), "", CLASSES_LOSS),),
        classes,
    ),
]

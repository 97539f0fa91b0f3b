"""Subjects by owners A to H: nodes of a graph with an LSTM, word vectors, a GRU in numbered steps, trees, an RNN with a
layer for each step, a network of convolutions, an LSTM built of layers."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, layer, loss, numbers, pair
from .tenth_c import object_of

# a course project's LSTM between word vectors and a dense layer: each is a node of a graph, with its sources in a dict

NODES = "Arlow5761/IF3270_Tubes2_61"
NODES_FOLDER = "src/algorithm"
# The file puts off its hints of types, so that a class may name itself in them; here they become plain ones.
NODES_EDITS = ((": Diffable", ": object"), ("[Diffable", "[object"))
NODES_BEFORE = "from diffable import Diffable"
NODES_WEIGHTS = {"matrix": (13, 5), "W": (5, 28), "U": (7, 28), "b": (2, 28), "V": (7, 11), "c": (11,)}
# The nodes are called one after another, as the graph's own way back takes the nodes' values for their gradients.
NODES_CALLS = f"""
from diffable import Diffable
from embedding import Embedding
from linear import Linear
from lstm import LSTM
from parameter import Parameter


def forward(words, {", ".join(NODES_WEIGHTS)}):
    words, matrix, W, U, b, V, c = (Parameter(array) for array in (words, {", ".join(NODES_WEIGHTS)}))
    embedding = Embedding(words, matrix)
    lstm = LSTM(embedding, W, U, b)
    linear = Linear(lstm, V, c)
    return linear.get_value(), (embedding, lstm, linear)


def backward(dout, nodes):
    found = []
    for node in reversed(nodes):
        values = {{source: source.get_value() for source in node._sources}}
        gradients = list(node._calculate_gradient(values, dout).values())
        dout, found = gradients[0], gradients[1:] + found
    return tuple(found)
"""


def nodes(m):
    r = numbers()
    weights = weights_of(r, " ".join(NODES_WEIGHTS), *NODES_WEIGHTS.values())
    words = np.array([[4, 1, 1, 12], [0, 6, 7, 2], [5, 5, 3, 4]])
    return pair(m.forward, m.backward, " ".join(NODES_WEIGHTS), words=words, **weights)


# a course's word vectors: a word foretells those around it, by all words and by some that are drawn ------------------

VECTORS = "abhinavkashyap92/cs224d"
VECTORS_FOLDER = "assignment1/assignment1"
VECTORS_TAKEN = "softmaxCostAndGradient negSamplingCostAndGradientUn skipgram"
VECTORS_BEFORE = "from q1_softmax import softmax\nfrom q2_sigmoid import sigmoid"
VECTORS_EDITS = (("xrange", "range"),)  # from Python 2
VECTORS_LOSS = """

class Drawn:
    def __init__(self, words):
        self.words = iter(words)

    def sampleTokenIdx(self):
        return next(self.words)


def loss_and_gradients(word, around, drawn, inputVectors, outputVectors):
    tokens = dict(zip("abcdefg", range(7)))
    given = word, len(around), around, tokens, inputVectors, outputVectors, Drawn(drawn)
    drawn_cost, drawn_in, drawn_out = skipgram(*given, negSamplingCostAndGradientUn)
    cost, gradIn, gradOut = skipgram(*given)
    return cost + drawn_cost, gradIn + drawn_in, gradOut + drawn_out
"""


def vectors(m):
    r = numbers()
    weights = weights_of(r, "inputVectors outputVectors", (7, 4), (7, 4))
    given = {"word": "c", "around": list("bfb"), "drawn": [5, 3, 3, 0, 6, 1, 2, 4, 3, 5, 6, 0] * 6}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# a course's GRU cell whose products, sums and gates have numbers; a sequence of such cells ---------------------------

STEPS = "Chenlovets/DL-Basics-Numpy-Implementation"
STEPS_WEIGHTS = {f"W{gate}h": (5, 5) for gate in ("z", "r", "")} | {f"W{gate}x": (5, 3) for gate in ("z", "r", "")}
STEPS_CALLS = f"""

def forward(inputs, hidden, {", ".join(STEPS_WEIGHTS)}):
    cells, states = [], []
    for x in inputs:
        cells.append(GRU_Cell(3, 5))
        cells[-1].init_weights({", ".join(STEPS_WEIGHTS)})
        hidden = cells[-1](x, hidden)
        states.append(hidden)
    return np.array(states), cells


def backward(delta, cells):
    dx, dh = [], np.zeros((1, 5))
    for cell, d in zip(cells[::-1], delta[::-1]):
        dx_t, dh = cell.backward(d + dh)
        dx.insert(0, dx_t[0])
    return np.array(dx), dh, *(sum(getattr(cell, "d" + name) for cell in cells) for name in {list(STEPS_WEIGHTS)})
"""


def steps(m):
    r = numbers()
    weights = weights_of(r, " ".join(STEPS_WEIGHTS), *STEPS_WEIGHTS.values())
    return pair(
        m.forward, m.backward, f"inputs hidden {' '.join(STEPS_WEIGHTS)}", inputs=r(4, 3), hidden=r(5), **weights
    )


# a course's trees of words: each node says a class by two layers, the lower of which goes up the tree ----------------

TREES = "dengfy/cs224d"
TREES_WEIGHTS = {"L": (4, 11), "W1": (4, 8), "b1": (4,), "W2": (5, 4), "b2": (5,), "Ws": (7, 5), "bs": (7,)}
TREES_EDITS = (  # from Python 2
    ("print err1", "pass"),
    ('print "', 'lambda: "'),
    ("itervalues", "values"),
)
TREES_LOSS = f"""

class Node:
    def __init__(self, label, *inside):
        self.label, self.isLeaf, self.fprop = label, len(inside) == 1, False
        if self.isLeaf:
            self.word = inside[0]
        else:
            self.left, self.right = (Node(*one) for one in inside)


class Tree:
    def __init__(self, root):
        self.root = Node(*root)


def loss_and_gradients(trees, {", ".join(TREES_WEIGHTS)}):
    rnn = RNN2(4, 5, 7, 11, mbSize=3, rho=0.1)
    rnn.initParams()
    rnn.stack = [{", ".join(TREES_WEIGHTS)}]
    cost, (words, *gradients) = rnn.costAndGrad([Tree(tree) for tree in trees])
    dL = np.zeros(L.shape)
    for word, gradient in words.items():
        dL[:, word] = gradient
    return cost, dL, *gradients
"""


def trees(m):
    r = numbers()
    weights = weights_of(r, " ".join(TREES_WEIGHTS), *TREES_WEIGHTS.values())
    given = [
        (5, (1, (0, 4), (6, 10)), (2, 1)),
        (0, (3, 2), (4, (2, (0, 4), (1, 6)), (3, 8))),
        (3, (6, 0), (1, 10)),
    ]
    return loss(m.loss_and_gradients, " ".join(TREES_WEIGHTS), trees=given, **weights)


# another course's RNN: lists of dense layers and tanhs, one of each for a step, whose gradients are summed at the end -

LISTS = "domi-eck/NeuralNetworkFromScratch"
LISTS_WEIGHTS = {"xhh_weights": (9, 5), "hy_weights": (6, 7)}
ZEROS = "            self.hidden_state = np.zeros([self.bptt_length ,self.hidden_size])\n"
LISTS_EDITS = ((ZEROS, f"{ZEROS}            self.hidden_state[0] = self.first_state\n"),)
LISTS_BEFORE = "import FullyConnected\nimport TanH"


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())
    first_state = r(5)

    def make():
        made = m.RNN(3, 5, 7, 4)
        made.first_state = first_state
        made.set_weights(weights["hy_weights"])
        for one in made.list_fully_connected_xhh:
            one.set_weights(weights["xhh_weights"])
        return made

    def gradients_of(made, dx):
        found = {"xhh_weights": made.sum_xhh_weight_gradient, "hy_weights": made.sum_hy_weight_gradient}
        return found | {"input_tensor": dx}

    return layer(make, gradients_of, weights=weights, input_tensor=r(4, 3))


# a self-learner's network: a convolution by SciPy, batch normalisation of images, a leaky ReLU, greatest values -------

IMAGES = "eduardoleao052/CNN-from-scratch"
IMAGES_TAKEN = "Conv Dense Relu Softmax BatchNorm Flatten MaxPool"
IMAGES_WEIGHTS = {"w1": (5, 4, 3, 3), "b1": (5, 5, 4), "gamma": (5,), "beta": (5,), "w2": (20, 7), "b2": (1, 7)}
IMAGES_EDITS = (
    # np.vectorize takes the type of its first result, and if that is the whole number 1, all slopes below zero become 0
    ("1 if z>0 else -0.01", "1.0 if z>0 else -0.01"),
    # what it learns by in its backward pass is kept instead
    ("self.gamma -= self.config['learning_rate'] * dgamma / n", "self.dgamma = dgamma"),
    ("self.beta -= self.config['learning_rate'] * dbeta / n", "self.dbeta = dbeta"),
)
IMAGES_BEFORE = "import scipy.signal\nfrom utils import Momentum"
IMAGES_LOSS = f"""

def keep(b, w, db, dw, config):
    return w, b, config | {{"db": db, "dw": dw}}


def loss_and_gradients(x, y, {", ".join(IMAGES_WEIGHTS)}):
    conv, norm, dense = Conv((4, 5, 4), 3, 5, 1, 1, keep), BatchNorm(gamma, beta), Dense(20, 7, keep)
    conv.w, conv.b, dense.w, dense.b = w1, b1, w2, b2
    layers = [conv, norm, Relu(), MaxPool((5, 5, 4)), Flatten((5, 2, 2)), dense, Softmax()]
    a = x
    for layer in layers:
        layer.compile(0.1, 0)
        a = layer.forward(a, training=True)
    cost = -np.sum(y * np.log(a)) / len(y)
    for layer in layers[::-1]:
        a = layer.backward(a, y)
    first, last = conv.config, dense.config
    return cost, a, first["dw"], first["db"], norm.dgamma, norm.dbeta, last["dw"], last["db"]
"""


def images(m):
    r = numbers()
    weights = weights_of(r, " ".join(IMAGES_WEIGHTS), *IMAGES_WEIGHTS.values())
    given = {"x": r(3, 4, 5, 4), "y": np.eye(7)[[2, 0, 5]]}
    return loss(m.loss_and_gradients, f"x {' '.join(IMAGES_WEIGHTS)}", **given, **weights)


# the same course's LSTM: two dense layers that are set back to each step's input before they go backwards -------------

BUILT = "HazemAshrf/Neural-Networks-from-Scratch-in-Python"
BUILT_WEIGHTS = {"fc_gates.weights": (9, 20), "fc_hy.weights": (6, 7)}
STATES = "            self.h = np.zeros((batch_size, self.hidden_size))\n"
BUILT_EDITS = ((STATES, f"{STATES}            self.h[-1] = self.first_state\n"),)
BUILT_BASE = "from Base import BaseLayer"
BUILT_BEFORE = (
    f"{BUILT_BASE}\nfrom FullyConnected import FullyConnected\nfrom Sigmoid import Sigmoid\nfrom TanH import TanH"
)
BUILT_LAYER = """

class Layer(LSTM):
    def __init__(self):
        super().__init__(3, 5, 7)
"""


def gradient_of(made, path):
    """The gradient of a weight of that LSTM, summed over the steps."""
    return made.grad_w_gates if path.startswith("fc_gates") else made.grad_w_hy


SUBJECTS = [
    Subject(
        NODES,
        "LSTM",
        (
            Part(
                f"{NODES_FOLDER}/core/diffable.py",
                "_DiffableMeta Diffable",
                before="from abc import ABC, ABCMeta, abstractmethod\nimport warnings",
                edits=NODES_EDITS,
                module="diffable",
            ),
            Part(f"{NODES_FOLDER}/core/parameter.py", "Parameter", before=NODES_BEFORE, module="parameter"),
            Part(f"{NODES_FOLDER}/neural/embedding.py", "Embedding", before=NODES_BEFORE, module="embedding"),
            Part(f"{NODES_FOLDER}/neural/linear.py", "Linear", before=NODES_BEFORE, module="linear"),
            Part(f"{NODES_FOLDER}/neural/lstm.py", "_sigmoid LSTM", before=NODES_BEFORE, module="lstm"),
            Part(f"{NODES_FOLDER}/neural/lstm.py", "", after=NODES_CALLS),
        ),
        nodes,
    ),
    Subject(
        VECTORS,
        "word vectors",
        (
            Part(f"{VECTORS_FOLDER}/q1_softmax.py", "softmax", module="q1_softmax"),
            Part(f"{VECTORS_FOLDER}/q2_sigmoid.py", "sigmoid", module="q2_sigmoid"),
            Part(f"{VECTORS_FOLDER}/q3_word2vec.py", VECTORS_TAKEN, VECTORS_EDITS, VECTORS_BEFORE, VECTORS_LOSS),
        ),
        vectors,
    ),
    Subject(STEPS, "GRU", (Part("GRU.py", "Sigmoid Tanh GRU_Cell", after=STEPS_CALLS),), steps),
    Subject(
        TREES,
        "tree network",
        (Part("assignment3/rnn2deep.py", "RNN2", TREES_EDITS, "import collections", TREES_LOSS),),
        trees,
    ),
    Subject(
        LISTS,
        "RNN",
        (
            Part("Layers/Base.py", "Phase Base", before="from enum import Enum", module="Base"),
            Part("Layers/FullyConnected.py", "FullyConnected", before="import Base", module="FullyConnected"),
            Part("Layers/TanH.py", "TanH", module="TanH"),
            Part("Layers/RNN.py", "RNN", LISTS_EDITS, LISTS_BEFORE),
        ),
        lists,
    ),
    Subject(
        IMAGES,
        "convolutions",
        (
            Part("utils.py", "Momentum", module="utils"),
            Part("layers.py", IMAGES_TAKEN, IMAGES_EDITS, IMAGES_BEFORE, IMAGES_LOSS),
        ),
        images,
        published="the leaky ReLU's slope below zero becomes 0 in the backward pass if the first number is above zero",
    ),
    Subject(
        BUILT,
        "LSTM",
        (
            Part("Layers/Base.py", "BaseLayer", module="Base"),
            Part("Layers/FullyConnected.py", "FullyConnected", before=BUILT_BASE, module="FullyConnected"),
            Part("Layers/Sigmoid.py", "Sigmoid", before=BUILT_BASE, module="Sigmoid"),
            Part("Layers/TanH.py", "TanH", before=BUILT_BASE, module="TanH"),
            Part("Layers/LSTM.py", "LSTM", BUILT_EDITS, BUILT_BEFORE, BUILT_LAYER),
        ),
        object_of(
            "Layer",
            BUILT_WEIGHTS,
            "input_tensor",
            gradient_of,
            {"first_state": (5,)},
            input_tensor=(4, 3),
        ),
    ),
]

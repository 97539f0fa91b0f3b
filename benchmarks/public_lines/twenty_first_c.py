"""Subjects by owners O to Z and with a digit: captions, trees, a GRU's cell, characters by three networks, images."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of, place, prefixed

# a course's captions by an LSTM that joins inputs and states, and differentiates its gates from the sums kept of them -

CAPTIONS = "arejto/CS231Nassign3"
CAPTIONS_TAKEN = (
    "word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward lstm_forward "
    "lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 2), "W_proj": (3, 4), "b_proj": (4,), "Wx": (2, 16), "Wh": (4, 16), "b": (16,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (4, 6), "b_vocab": (6,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 3, 2, 4, cell_type="lstm", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 3, 5, 5, 2], [1, 4, 2, 0, 0], [1, 5, 3, 4, 2]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(3, 3), captions=said, **weights)


# a course's recursive network on the trees of sentences: columns, a class at each node, words in a dict ---------------

TREES = "ebanner/cs224d"
TREES_WEIGHTS = {"W": (3, 6), "b": (3,), "Ws": (4, 3), "bs": (4,)}
TREES_BEFORE = """import collections


def softmax_vectorized(scores):
    exps = np.exp(scores - scores.max(axis=0))
    return exps / exps.sum(axis=0)
"""
TREES_EDITS = (  # from Python 2
    (".itervalues()", ".values()"),
    (".iterkeys()", ".keys()"),
    ("xrange", "range"),
    ('print "', 'lambda: "'),
    ("self.dL[node.word] = dhidden", "self.dL[node.word] += dhidden"),  # see README.md
)
TREES_LOSS = f"""

class Node:
    def __init__(self, label, *parts):
        self.label, self.isLeaf = label, len(parts) == 1
        if self.isLeaf:
            self.word = parts[0]
        else:
            self.left, self.right = (Node(*part) for part in parts)


class Tree:
    def __init__(self, sentence):
        self.root = Node(*sentence)


def loss_and_gradients(sentences, L, {", ".join(TREES_WEIGHTS)}):
    model = RNN(3, 4, 5, mbSize=len(sentences), rho=0.2)
    model.initParams()
    model.stack = [L, {", ".join(TREES_WEIGHTS)}]
    cost, (dL, *grads) = model.costAndGrad([Tree(sentence) for sentence in sentences])
    words = np.zeros(L.shape)
    for word, grad in dL.items():
        words[:, word] = grad
    return cost, words, *grads
"""


def trees(m):
    r = numbers()
    weights = weights_of(r, f"L {' '.join(TREES_WEIGHTS)}", (3, 5), *TREES_WEIGHTS.values())
    said = [
        (3, (1, (0, 2), (2, 4)), (2, (1, 0), (3, (2, 4), (0, 1)))),
        (0, (2, (1, (3, 3), (1, 0)), (0, 2)), (1, 3)),
    ]
    return loss(m.loss_and_gradients, f"L {' '.join(TREES_WEIGHTS)}", sentences=said, **weights)


# a course's GRU cell without biases, of vectors whose gradients are rows ----------------------------------------------

CELL = "jingxian0320/11785-Deep-Learning-Homework"
CELL_WEIGHTS = {"Wzh": (4, 4), "Wrh": (4, 4), "Wh": (4, 4), "Wzx": (4, 3), "Wrx": (4, 3), "Wx": (4, 3)}
CELL_LAYER = """

class Layer(GRU_Cell):
    def __init__(self):
        super().__init__(3, 4)

    def backward(self, delta):
        return super().backward(delta.reshape(1, -1))
"""

# characters by an RNN on rows, of which one state is kept from one call to the next -----------------------------------

ROWS = "lucko515/rnn-from-scratch"
ROWS_WEIGHTS = {"w_ih": (5, 3), "w_hh": (3, 3), "w_ho": (3, 5), "b_hh": (1, 3), "b_ho": (1, 5)}
ROWS_LOSS = f"""

def loss_and_gradients(text, state, {", ".join(ROWS_WEIGHTS)}):
    places, letters = dict(zip("abcde", range(5))), dict(enumerate("abcde"))
    rnn = SimpleRNN(places, letters, 5, seq_length=len(text) - 1, hidden_layer_size=3, clip_rate=5000)
    rnn.state = state
    {", ".join(f"rnn.{name}" for name in ROWS_WEIGHTS)} = {", ".join(ROWS_WEIGHTS)}
    X_batch, y_batch = rnn.batch_opt(rnn.encoding_dataset(text), 0)
    outputs, probs, states = rnn.forward(X_batch)
    loss = 0
    for ts in range(rnn.seq_len):
        loss += -np.log(probs[ts][0, np.argmax(y_batch[ts])])
    return loss, *rnn.bacprop(X_batch, y_batch, probs, states)
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), text="cabbdea", state=r(1, 3), **weights)


# letters by an RNN whose backward pass takes the last step by itself and then the others ------------------------------

LETTERS = "tadagbe1/rnn_from_sratch_on_gungbe"
LETTERS_WEIGHTS = {"wxh": (4, 6), "whh": (4, 4), "why": (6, 4), "bh": (4, 1), "by": (6, 1)}
LETTERS_EDITS = (("np.clip(param, -5, 5, out=param)", "np.clip(param, -5000, 5000, out=param)"),)
LETTERS_LOSS = f"""

def loss_and_gradients(data, hprev, {", ".join(LETTERS_WEIGHTS)}):
    rnn = RNN(list("abcdef"), hidden_size=4, seq_length=len(data) - 1)
    {", ".join(f"rnn.{name}" for name in LETTERS_WEIGHTS)} = {", ".join(LETTERS_WEIGHTS)}
    inputs, targets = rnn.prepare_sequence(data, 0)
    loss, xs, ys_true, hs, ps, h = rnn.forward(inputs, targets, hprev)
    return loss, *rnn.backward(xs, hs, ps, ys_true)
"""


def letters(m):
    r = numbers()
    weights = weights_of(r, " ".join(LETTERS_WEIGHTS), *LETTERS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(LETTERS_WEIGHTS), data="faccdb", hprev=r(4, 1), **weights)


# characters by an LSTM in a notebook, whose weights are objects that hold their gradients -----------------------------

OBJECTS = "TheKTM1/Inz"
OBJECTS_TAKEN = "forward backward clear_gradients clip_gradients forward_backward"
OBJECTS_WEIGHTS = {f"W_{gate}": (3, 7) for gate in "fiCo"} | {"W_v": (4, 3)} | {f"b_{gate}": (3, 1) for gate in "fiCo"}
OBJECTS_WEIGHTS |= {"b_v": (4, 1)}
OBJECTS_BEFORE = "H_size, X_size, z_size, weight_sd = 3, 4, 7, 0.1"
OBJECTS_EDITS = (
    ("np.row_stack", "np.vstack"),
    ("np.clip(p.d, -1, 1, out=p.d)", "np.clip(p.d, -1000, 1000, out=p.d)"),
)
OBJECTS_GIVEN = """from parameters import *

H_size, X_size, T_steps = 3, 4, 5
parameters = Parameters()
"""
OBJECTS_LOSS = f"""

def loss_and_gradients(inputs, targets, h_prev, C_prev, {", ".join(OBJECTS_WEIGHTS)}):
    for param, value in zip(parameters.all(), ({", ".join(OBJECTS_WEIGHTS)})):
        param.v, param.d = value, np.zeros_like(value)
    loss, h, C = forward_backward(inputs, targets, h_prev, C_prev)
    return loss, *[param.d for param in parameters.all()]
"""


def objects(m):
    r = numbers()
    weights = weights_of(r, " ".join(OBJECTS_WEIGHTS), *OBJECTS_WEIGHTS.values())
    said = {"inputs": [2, 0, 0, 3, 1], "targets": [0, 0, 3, 1, 2]}
    states = {"h_prev": r(3, 1), "C_prev": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(OBJECTS_WEIGHTS), **said, **states, **weights)


# a course's convolution of images in loops, first without strides, and the greatest of each window of it --------------

IMAGES = "VuKe77/Deep-Learning-Algorithms"
IMAGES_WEIGHTS = {"conv.weights": (2, 3, 3, 3), "conv.bias": (2,)}
IMAGES_LAYERS = """

class Layers:
    def __init__(self):
        self.conv = Conv((2, 1), (3, 3, 3), 2)
        self.pool = Pooling((1, 2), (2, 2))

    def forward(self, input_tensor):
        return self.pool.forward(self.conv.forward(input_tensor))

    def backward(self, error_tensor):
        return self.conv.backward(self.pool.backward(error_tensor))
"""


def kept(made, path):
    """The gradient of a weight is the layer's attribute with gradient_ before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"gradient_{name}")


SUBJECTS = [
    Subject(
        CAPTIONS,
        "captions",
        (
            Part("cs231n/layers.py", "affine_forward affine_backward", (("\\prod_i", "prod_i"),), module="layers"),
            Part("cs231n/rnn_layers.py", CAPTIONS_TAKEN, module="rnn_layers"),
            Part(
                "cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                (),
                "from layers import *\nfrom rnn_layers import *",
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        TREES,
        "recursive network",
        (Part("assignment3/starter_code/rnn.py", "RNN", TREES_EDITS, TREES_BEFORE, TREES_LOSS),),
        trees,
        published="the gradient of a word that a tree has twice is that of its last place",
    ),
    Subject(
        CELL,
        "GRU cell",
        (
            Part("mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("mytorch/gru_cell.py", "GRU_Cell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Layer", CELL_WEIGHTS, "x h", prefixed, x=(3,), h=(4,)),
    ),
    Subject(ROWS, "RNN", (Part("rnn_from_scratch.py", "SimpleRNN", after=ROWS_LOSS),), rows),
    Subject(LETTERS, "RNN", (Part("rnn/rnn.py", "RNN", LETTERS_EDITS, after=LETTERS_LOSS),), letters),
    Subject(
        OBJECTS,
        "LSTM",
        (
            Part(
                "numpy_lstm - base.ipynb",
                "sigmoid dsigmoid tanh dtanh Param Parameters",
                (),
                OBJECTS_BEFORE,
                module="parameters",
            ),
            Part("numpy_lstm - base.ipynb", OBJECTS_TAKEN, OBJECTS_EDITS, OBJECTS_GIVEN, OBJECTS_LOSS),
        ),
        objects,
    ),
    Subject(
        IMAGES,
        "convolution and pooling",
        (
            Part("Layers/Base.py", "BaseLayer", module="base"),
            Part("Layers/Pooling.py", "Pooling", (), "from base import BaseLayer", module="pooling"),
            Part(
                "Layers/Conv.py",
                "Conv",
                (),
                "from copy import copy\nfrom base import BaseLayer\nfrom pooling import Pooling",
                IMAGES_LAYERS,
            ),
        ),
        object_of("Layers", IMAGES_WEIGHTS, "input_tensor", kept, input_tensor=(2, 3, 5, 4)),
    ),
]

"""Subjects by owners F to K: sentences as trees, patches of images, a GRU's cell, two courses' layers, two RNNs."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, prefixed

# a course's recursive network on trees of words: two layers a node, a class at each node, no gradient where relu is 0 -

TREES = "hosseink/CS224d"
TREES_WEIGHTS = {"W1": (3, 8), "b1": (3,), "W2": (4, 11), "b2": (4,), "Ws": (3, 4), "bs": (3,)}
TREES_TREE_BEFORE = "UNK = 'UNK'"
TREES_EDITS = (  # from Python 2
    ("\t", " " * 8),
    (".itervalues()", ".values()"),
    (".iterkeys()", ".keys()"),
    ("xrange", "range"),
    ('print "', 'lambda: "'),
    ("print tmp_err", "pass"),
)
TREES_BEFORE = "import collections\nfrom tree import Tree, leftTraverse, mapWords\nfrom utils import softmax"
TREES_LOSS = f"""

def loss_and_gradients(sentences, L, {", ".join(TREES_WEIGHTS)}):
    model = RNCN(4, 3, 3, 6, mbSize=len(sentences), rho=0.1)
    model.initParams()
    model.stack = [L, {", ".join(TREES_WEIGHTS)}]
    trees = [Tree(sentence) for sentence in sentences]
    for tree in trees:
        leftTraverse(tree.root, nodeFn=mapWords, args=dict(zip(["UNK", *"abcde"], range(6))))
    cost, (dL, *grads) = model.costAndGrad(trees)
    words = np.zeros(L.shape)
    for word, grad in dL.items():
        words[:, word] = grad
    return cost, words, *grads
"""


def trees(m):
    r = numbers()
    weights = weights_of(r, f"L {' '.join(TREES_WEIGHTS)}", (4, 6), *TREES_WEIGHTS.values())
    said = ["(2 (1 (0 a) (2 b)) (1 (1 c) (0 b)))", "(0 (2 e) (1 (1 a) (2 (0 e) (2 d))))"]
    return loss(m.loss_and_gradients, f"L {' '.join(TREES_WEIGHTS)}", sentences=said, **weights)


# a course's convolution of patches that do not overlap, by einsum, with two layers behind it and a penalty ------------

PATCHES = "jinye-gong/DD2424-Deep-Learning-in-Data-Science"
PATCHES_TAKEN = (
    "relu softmax conv_fast NetParams forward_pass backward_pass cross_entropy_from_probs regularization_cost"
)
PATCHES_WEIGHTS = {"Fs_flat": (6, 2), "W1": (5, 8), "W2": (3, 5), "b_conv": (2, 1), "b1": (5, 1), "b2": (3, 1)}
PATCHES_BEFORE = "from dataclasses import dataclass\nfrom typing import Dict, List, Tuple"
PATCHES_LOSS = f"""
NetParams = dataclass(NetParams)


def cost_and_gradients(MX, y, {", ".join(PATCHES_WEIGHTS)}, lam):
    params = NetParams({", ".join(PATCHES_WEIGHTS)})
    P, cache = forward_pass(MX, params)
    grads = backward_pass(MX, np.eye(3)[:, y], cache, params, lam=lam)
    cost = cross_entropy_from_probs(P, y) + regularization_cost(params, lam)
    return cost, {{name[5:]: grad for name, grad in grads.items()}}
"""


def patches(m):
    r = numbers()
    weights = weights_of(r, " ".join(PATCHES_WEIGHTS), *PATCHES_WEIGHTS.values())
    given = {"MX": r(4, 6, 3), "y": np.array([1, 2, 1]), "lam": 0.05}
    return loss(m.cost_and_gradients, " ".join(PATCHES_WEIGHTS), **given, **weights)


# a course's GRU cell: vectors forwards, rows backwards, every step of the forward pass by a number --------------------

CELL = "jwrh/MyTorch"
CELL_WEIGHTS = {f"W{gate}x": (4, 3) for gate in "rzn"} | {f"W{gate}h": (4, 4) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{gate}{kind}": (4,) for kind in "xh" for gate in "rzn"}
CELL_LAYER = """

class Layer(GRUCell):
    def __init__(self):
        super().__init__(3, 4)

    def backward(self, delta):
        return super().backward(delta.reshape(1, -1))
"""

# names of dinosaurs by an RNN in columns: a cell that gives a dict, a tuple of caches ---------------------------------

DINOSAURS = "raniahadhri/RNN_from_scratch"
DINOSAURS_TAKEN = "rnn_cell_backward rnn_forward rnn_backward"
DINOSAURS_WEIGHTS = {"Wax": (3, 5), "Waa": (3, 3), "Wya": (5, 3), "ba": (3, 1), "by": (5, 1)}
DINOSAURS_LOSS = f"""

def loss_and_gradients(X, Y, a0, {", ".join(DINOSAURS_WEIGHTS)}):
    parameters = dict(zip({list(DINOSAURS_WEIGHTS)}, ({", ".join(DINOSAURS_WEIGHTS)})))
    loss, cache = rnn_forward(X, Y, a0, parameters, vocab_size=5)
    gradients, a = rnn_backward(X, Y, parameters, cache)
    return loss, {{name[1:]: grad for name, grad in gradients.items()}}
"""


def dinosaurs(m):
    r = numbers()
    weights = weights_of(r, " ".join(DINOSAURS_WEIGHTS), *DINOSAURS_WEIGHTS.values())
    names = {"X": [4, 1, 3, 3, 0, 1], "Y": [1, 3, 3, 0, 1, 2]}
    return loss(m.loss_and_gradients, f"a0 {' '.join(DINOSAURS_WEIGHTS)}", a0=r(3, 1), **names, **weights)


# words by an RNN on vectors, each output carried back by itself, as far as it is told to ------------------------------

WORDS = "toriving/RNN_numpy"
WORDS_WEIGHTS = {"U": (3, 6), "V": (6, 3), "W": (3, 3), "bh": (3,), "by": (6,)}
WORDS_EDITS = (
    (  # see README.md
        "s = np.zeros((T, self.hidden_dim))",
        "s = np.zeros((T + 1, self.hidden_dim))\n        s[-1] = self.s0",
    ),
)
WORDS_LOSS = f"""

def loss_and_gradients(x, y, s0, {", ".join(WORDS_WEIGHTS)}):
    rnn = RNN(6, hidden_dim=3, bptt_truncate=5)
    rnn.s0 = s0
    rnn.U, rnn.V, rnn.W, rnn.bh, rnn.by = {", ".join(WORDS_WEIGHTS)}
    return rnn.total_loss([x], [y]), *rnn.bptt(x, y)
"""


def words(m):
    r = numbers()
    weights = weights_of(r, " ".join(WORDS_WEIGHTS), *WORDS_WEIGHTS.values())
    said = {"x": np.array([2, 0, 5, 0, 4]), "y": np.array([0, 5, 0, 4, 1])}
    return loss(m.loss_and_gradients, " ".join(WORDS_WEIGHTS), s0=r(3), **said, **weights)


# a course's captions, with its RNN ------------------------------------------------------------------------------------

CAPTIONS = "xk-huang/cs231n-assignment-note"
CAPTIONS_TAKEN = (
    "rnn_step_forward rnn_step_backward rnn_forward rnn_backward word_embedding_forward word_embedding_backward "
    "temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 4), "W_proj": (3, 5), "b_proj": (5,), "Wx": (4, 5), "Wh": (5, 5), "b": (5,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (5, 6), "b_vocab": (6,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 3, 4, 5, cell_type="rnn", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 4, 3, 3, 2], [1, 5, 4, 2, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(2, 3), captions=said, **weights)


# the same course's LSTM, gates kept in arrays by step, derivatives of the sums before the sigmoids and tanhs ----------

GATES = "yin-hong/cs231n-assignment"
GATES_TAKEN = "sigmoid tanh d_sigmoid d_tanh lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def gates(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (2, 12), (3, 12), (12,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(3, 4, 2), h0=r(3, 3), **weights)


SUBJECTS = [
    Subject(
        TREES,
        "recursive network",
        (
            Part("codes/utils.py", "softmax", module="utils"),
            Part("codes/tree.py", "Node Tree leftTraverse mapWords", (), TREES_TREE_BEFORE, module="tree"),
            Part("codes/rncn.py", "RNCN", TREES_EDITS, TREES_BEFORE, TREES_LOSS),
        ),
        trees,
    ),
    Subject(
        PATCHES,
        "convolution",
        (Part("assignment3/Assignment3.py", PATCHES_TAKEN, (), PATCHES_BEFORE, PATCHES_LOSS),),
        patches,
    ),
    Subject(
        CELL,
        "GRU cell",
        (
            Part("mytorch_rnn/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("mytorch_rnn/gru_cell.py", "GRUCell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Layer", CELL_WEIGHTS, "x h", prefixed, x=(3,), h=(4,)),
    ),
    Subject(
        DINOSAURS,
        "RNN",
        (
            Part("utils.py", "softmax", module="utils"),
            Part("RNN_models.py", DINOSAURS_TAKEN, (), "from utils import softmax", DINOSAURS_LOSS),
        ),
        dinosaurs,
    ),
    Subject(
        WORDS,
        "RNN",
        (Part("RNN_numpy.py", "RNN", WORDS_EDITS, after=WORDS_LOSS),),
        words,
        published="the state before the first step is zeros forwards and the last state backwards",
    ),
    Subject(
        CAPTIONS,
        "captions",
        (
            Part(
                "assignment3/cs231n/layers.py",
                "affine_forward affine_backward",
                (("\\prod_i", "prod_i"),),
                module="layers",
            ),
            Part("assignment3/cs231n/rnn_layers.py", CAPTIONS_TAKEN, module="rnn_layers"),
            Part(
                "assignment3/cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                (),
                "from layers import *\nfrom rnn_layers import *",
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(GATES, "LSTM", (Part("cs231n-assignment3/cs231n/rnn_layers.py", GATES_TAKEN),), gates),
]

"""Subjects by owners with a vowel second: courses' LSTM, attention and RNNs of rare styles, two notebooks."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, place

# a course's LSTM, gate after gate, its tanh twice a sigmoid; and its RNN behind embeddings that are one-hot products --

GATES = "seryilmaz/cs231n-assignment3"
GATES_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"
WORDS_TAKEN = (
    "rnn_step_forward rnn_step_backward rnn_forward rnn_backward word_embedding_forward word_embedding_backward"
)
WORDS_PAIR = """

def forward(words, h0, W, Wx, Wh, b):
    x, embedded = word_embedding_forward(words, W)
    h, cache = rnn_forward(x, h0, Wx, Wh, b)
    return h, (embedded, cache)


def backward(dh, caches):
    embedded, cache = caches
    dx, dh0, dWx, dWh, db = rnn_backward(dh, cache)
    return dh0, word_embedding_backward(dx, embedded), dWx, dWh, db
"""


def gates(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (3, 16), (4, 16), (16,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 3), h0=r(2, 4), **weights)


def words(m):
    r = numbers()
    weights = weights_of(r, "W Wx Wh b", (6, 3), (3, 4), (4, 4), (4,))
    given = {"words": np.array([[0, 3, 3, 1, 5], [2, 5, 1, 0, 4]]), "h0": r(2, 4)}
    return pair(m.forward, m.backward, "h0 W Wx Wh b", **given, **weights)


# another course's attention in heads, over another sequence, with two masks; the softmax's derivative row by row ------

HEADS = "kevjidji/IDLHW4"
HEADS_WEIGHTS = {f"{name}_proj.{kind}": shape for name in "q k v out".split() for kind, shape in
                 (("W", (6, 6)), ("b", (6,)))}  # fmt: skip
HEADS_BEFORE = "from linear import Linear\nfrom scaled_dot_product_attention import ScaledDotProductAttention"
HEADS_EDITS = (  # see README.md
    ("x.reshape(self.N, self.L,", "x.reshape(self.N, -1,"),
    ("x.reshape(self.N,self.L,", "x.reshape(self.N,-1,"),
)
HEADS_LAYER = """

class Layer(MultiHeadAttention):
    def __init__(self):
        super().__init__(6, 2)
"""
HEADS_MASKS = {
    "key_padding_mask": np.array([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]], dtype=bool),
    "attn_mask": np.triu(np.ones((4, 5), dtype=bool), 2),
}


def in_words(made, path):
    """The gradient of a weight is the attribute with a dLd before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"dLd{name}")


# a notebook about tomorrow's temperature: one sequence in rows, gradients of one layer after another ------------------

WEATHER = "kailash19961996/Research-Paper"
WEATHER_WEIGHTS = "i_weight h_weight h_bias o_weight o_bias"
WEATHER_EDITS = (
    ("                h_bias_grad += h_grad", "            h_bias_grad += h_grad"),  # see README.md
    ("        lr = lr / x.shape[0]\n", ""),
    *((f"        {name} -= {name}_grad * lr\n", "") for name in WEATHER_WEIGHTS.split()),
    ("layers[i] = [i_weight, h_weight, h_bias, o_weight, o_bias]",
     "layers[i] = [i_weight_grad, h_weight_grad, h_bias_grad, o_weight_grad, o_bias_grad]"),
)  # fmt: skip
WEATHER_LOSS = f"""

def loss_and_gradients(x, y, {WEATHER_WEIGHTS.replace(" ", ", ")}):
    layers = [[{WEATHER_WEIGHTS.replace(" ", ", ")}]]
    hiddens, outputs = forward(x, layers)
    grads = backward(layers, x, 1, mse_grad(y, outputs), hiddens)
    return 0.5 * np.sum((outputs - y) ** 2), *grads[0]
"""


def weather(m):
    r = numbers()
    weights = weights_of(r, WEATHER_WEIGHTS, (3, 4), (4, 4), (1, 4), (4, 2), (1, 2))
    return loss(m.loss_and_gradients, WEATHER_WEIGHTS, x=r(5, 3), y=r(5, 2), **weights)


# a notebook's characters, all in one method that learns: for each step a loop back to the first -----------------------

WINNIE = "sardaryannarek/SpectralClustering"
WINNIE_WEIGHTS = "W_o b_o W_x W_h b_h"
WINNIE_EDITS = (
    ("self.hidden_units = [np.zeros((X_t.shape[1],self.hidden_step_dim))]", "self.hidden_units = [self.h0]"),
    ("            print('epoch : {} , loss : {}'.format(epoch,self.loss/X_t.shape[1]))\n", ""),
    (".clip(-1,1)", ""),
    ("            self.grads = grads\n", "            self.grads = grads\n            return\n"),
)
WINNIE_LOSS = f"""

def loss_and_gradients(X, Y, h0, {WINNIE_WEIGHTS.replace(" ", ", ")}):
    rnn = Recurent(5, 3)
    rnn.h0 = h0
    for name, weight in zip("{WINNIE_WEIGHTS}".split(), ({WINNIE_WEIGHTS.replace(" ", ", ")})):
        setattr(rnn, name, weight)
    rnn.fit(X, Y, None, None, X.shape[1], epochs=1)
    return rnn.loss / len(X), *rnn.grads
"""


def winnie(m):
    r = numbers()
    weights = weights_of(r, WINNIE_WEIGHTS, (3, 5), (5,), (5, 3), (3, 3), (3,))
    given = {"X": np.eye(5)[[[0, 3, 3, 1], [2, 4, 0, 3]]], "Y": np.eye(5)[[[3, 3, 1, 4], [4, 0, 3, 2]]], "h0": r(2, 3)}
    return loss(m.loss_and_gradients, WINNIE_WEIGHTS, **given, **weights)


# a course's network of layers that call those before them: Jacobians as matrices, lists that are taken from -----------

JACOBIANS = "MattisTrygstad/recurrent-neural-network"
JACOBIANS_BASE = "from abc import ABC, abstractmethod\nActivationFunction = object"
JACOBIANS_BEFORE = "from layer import Layer\nActivationFunction = Regularizer = object"
JACOBIANS_CONFIG = f"{JACOBIANS_BEFORE}\n\n\nclass Config:\n    recurrence = True"
JACOBIANS_WEIGHTS = {"U1": (3, 4), "W1": (4, 4), "U2": (4, 5), "W2": (5, 5), "V": (5, 2)}
JACOBIANS_LOSS = f"""
from input_layer import InputLayer
from recurrent_layer import RecurrentLayer
from sigmoid import Sigmoid
from tanh import Tanh


def loss_and_gradients(xs, ys, {", ".join(JACOBIANS_WEIGHTS)}):
    first = RecurrentLayer(4, InputLayer(3), Tanh(), 0.1)
    second = RecurrentLayer(5, first, Tanh(), 0.1)
    dense = DenseLayer(2, second, Sigmoid(), 0.1, None)
    first.input_weights, first.internal_weights = U1, W1
    second.input_weights, second.internal_weights = U2, W2
    dense.weights = V
    errors = [dense.forward_pass(x, False) - y for x, y in zip(xs, ys)]
    for error in reversed(errors):
        dense.backward_pass(error)
    grads = [grad for layer in (first, second) for grad in (layer.U_grad_cumulative, layer.W_grad_cumulative)]
    return 0.5 * sum(np.sum(error**2) for error in errors), *grads, dense.V_grad_cumulative
"""


def jacobians(m):
    r = numbers()
    weights = weights_of(r, " ".join(JACOBIANS_WEIGHTS), *JACOBIANS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(JACOBIANS_WEIGHTS), xs=r(4, 1, 3), ys=r(4, 1, 2), **weights)


# an early course's language model on a base that packs its weights in one vector and lists the gradients of words -----

PACKED = "mohamedadaly/CS224D-Spring-2015-Homeworks"
PACKED_STAR = "import itertools\nimport sys\n\nfrom numpy import *\nfrom builtins import max"  # as in NumPy of then
PACKED_BEFORE = f"{PACKED_STAR}\nfrom nn_base import NNBase\nfrom nn_math import make_onehot, sigmoid, softmax"
PACKED_BASE = (  # from Python 2
    ("names = range(len(shapes))", "names = list(range(len(shapes)))"),
    ("map(prod, self._dims)", "list(map(prod, self._dims))"),
    (".iteritems()", ".items()"),
    ('print "', 'lambda: "'),
)
PACKED_EDITS = (
    ("bptt=1):", "bptt=1, H0=None, h0=None):"),
    ("random_weight_matrix(self.hdim, self.hdim)", "H0\n        self.h0 = h0"),
    ("hs = zeros((ns+1, self.hdim))", "hs = zeros((ns+1, self.hdim))\n        hs[0] = self.h0"),
    ("h = zeros((self.hdim,))", "h = self.h0"),
)
PACKED_LOSS = """

def loss_and_gradients(xs, ys, h0, H, U, L):
    rnn = RNNLM(L, U, bptt=len(xs), H0=H, h0=h0)
    rnn._acc_grads(xs, ys)
    words = zeros(L.shape)
    rnn.sgrads.apply_to({"L": words}, alpha=1.0)
    return rnn.compute_loss(xs, ys), rnn.grads.H, rnn.grads.U, words
"""


def packed(m):
    r = numbers()
    weights = weights_of(r, "H U L", (3, 3), (6, 3), (6, 3))
    given = {"xs": np.array([0, 3, 3, 1, 5]), "ys": np.array([3, 3, 1, 5, 2]), "h0": r(3)}
    return loss(m.loss_and_gradients, "H U L", **given, **weights)


SUBJECTS = [
    Subject(GATES, "LSTM", (Part("cs231n/rnn_layers.py", GATES_TAKEN),), gates),
    Subject(GATES, "embedding and RNN", (Part("cs231n/rnn_layers.py", WORDS_TAKEN, after=WORDS_PAIR),), words),
    Subject(
        HEADS,
        "attention",
        (
            Part("mytorch/nn/linear.py", "Linear", (("        print(new_shape)\n", ""),), module="linear"),
            Part("mytorch/nn/activation.py", "Softmax", module="activation"),
            Part(
                "mytorch/nn/scaled_dot_product_attention.py",
                "ScaledDotProductAttention",
                before="from activation import Softmax",
                module="scaled_dot_product_attention",
            ),
            Part("mytorch/nn/multi_head_attention.py", "MultiHeadAttention", HEADS_EDITS, HEADS_BEFORE, HEADS_LAYER),
        ),
        object_of(
            "Layer", HEADS_WEIGHTS, "query key value", in_words,
            query=(2, 4, 6), key=(2, 5, 6), value=(2, 5, 6), **HEADS_MASKS,
        ),
        published="breaks off where the keys are not as many as the queries",
    ),
    Subject(
        WEATHER,
        "RNN",
        (Part("RNN_biRNN.ipynb", "mse_grad forward backward", WEATHER_EDITS, after=WEATHER_LOSS),),
        weather,
        published="the state's bias gets nothing from the first step",
    ),
    Subject(WINNIE, "RNN", (Part("RNN_from_scratch.ipynb", "Recurent", WINNIE_EDITS, after=WINNIE_LOSS),), winnie),
    Subject(
        JACOBIANS,
        "RNN",
        (
            Part("src/abstract_classes/layer.py", "Layer", before=JACOBIANS_BASE, module="layer"),
            Part("src/neural_network/activation_functions/tanh.py", "Tanh", (), JACOBIANS_BEFORE, "", "tanh"),
            Part("src/neural_network/activation_functions/sigmoid.py", "Sigmoid", (), JACOBIANS_BEFORE, "", "sigmoid"),
            Part("src/neural_network/layers/input_layer.py", "InputLayer", (), JACOBIANS_BEFORE, "", "input_layer"),
            Part(
                "src/neural_network/layers/recurrent_layer.py",
                "RecurrentLayer",
                before=JACOBIANS_CONFIG,
                module="recurrent_layer",
            ),
            Part("src/neural_network/layers/dense_layer.py", "DenseLayer", (), JACOBIANS_BEFORE, JACOBIANS_LOSS),
        ),
        jacobians,
        published="the Jacobians of a batch are added up: right for one sequence at a time alone",
    ),
    Subject(
        PACKED,
        "language model",
        (
            Part("PS2/assignment2/nn/math.py", "sigmoid softmax make_onehot", (), PACKED_STAR, "", "nn_math"),
            Part(
                "PS2/assignment2/nn/base.py",
                "PackedVector SparseDelta SparseDeltas NNBase",
                PACKED_BASE,
                PACKED_STAR,
                module="nn_base",
            ),
            Part("PS2/assignment2/rnnlm.py", "RNNLM", PACKED_EDITS, PACKED_BEFORE, PACKED_LOSS),
        ),
        packed,
    ),
]  # fmt: skip

"""Subjects by owners 8 to G: cells, stacks and networks of self-learners, attention and a classifier of sentences."""

import numpy as np

from .fourth_models import model
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of

# a cell of a GRU in a notebook, which learns in its backward pass -----------------------------------------------------

GRU = "8804who/paper_implementation"
GRU_WEIGHTS = "W U W_z U_z W_r U_r"
GRU_EDITS = (
    ("r@h_prev", "r*h_prev"),  # see README.md
    *((f"self.{name} -= lr * d{name}\n", f"self.d{name} = d{name}\n") for name in GRU_WEIGHTS.split()),
)
GRU_STEP = f"""

def forward(x_t, h_prev, {GRU_WEIGHTS.replace(" ", ", ")}):
    cell = MyGRUCell(4, 3, 1.0)
    for name, weight in zip("{GRU_WEIGHTS}".split(), ({GRU_WEIGHTS.replace(" ", ", ")})):
        setattr(cell, name, weight)
    h, cache = cell.forward(x_t, h_prev)
    return h, (cell, cache)


def backward(dh, cache):
    cell, cache = cache
    dx, dh_prev = cell.backward(cache, dh)
    return dx, dh_prev, *[getattr(cell, f"d{{name}}") for name in "{GRU_WEIGHTS}".split()]
"""


def gru(m):
    r = numbers()
    weights = {name: 0.7 * r(3, 4 if name[0] == "W" else 3) for name in GRU_WEIGHTS.split()}
    return pair(m.forward, m.backward, f"x_t h_prev {GRU_WEIGHTS}", x_t=r(4, 2), h_prev=r(3, 2), **weights)


# functions with caches: two LSTMs on one another; a convolution and a maximum over time -------------------------------

STACK = "Aranguri/nns"
ACTIVATIONS = """
def relu(x):
    return np.maximum(0, x)


def relu_prime(x):
    return x > 0


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def sigmoid_prime(x):
    return sigmoid(x) * (1 - sigmoid(x))


def tanh_prime(x):
    return 1 - np.tanh(x) ** 2
"""
UTILS = Part("utils.py", "add_bias remove_bias dict_sum", before=ACTIVATIONS, module="utils")
BASIC = "affine_forward affine_backward softmax_forward ce_forward softmax_ce_backward"
STACK_EDITS = (  # see README.md
    (
        "loss, p, cache_softmax = softmax_forward(s, y)",
        "p = softmax_forward(s)\n    loss, cache_softmax = ce_forward(p, y)",
    ),
    ("softmax_backward", "softmax_ce_backward"),
)
STACK_LOSS = """

def loss_and_gradients(xs, ys, hs, cs, wh_0, wh_1, wy):
    loss, caches = lstm_forward(xs, ys, ([wh_0, wh_1], wy), lambda: (list(hs), list(cs)))
    dwhs, dwy = lstm_backward(
        caches,
        lambda: (np.zeros_like(hs), np.zeros_like(cs)),
        lambda: [np.zeros_like(wh_0), np.zeros_like(wh_1)],
    )
    return loss, *dwhs, dwy
"""
STACK_PARTS = (
    UTILS,
    Part("basic_layers.py", BASIC, before="from utils import *", module="basic_layers"),
    Part("lstm_layers.py", "lstm_forward_step lstm_backward_step", before="from utils import *", module="lstm_layers"),
    Part(
        "layers.py",
        "lstm_forward lstm_backward lstm_full_forward",
        STACK_EDITS,
        "from basic_layers import *\nfrom lstm_layers import *\nfrom utils import *",
        STACK_LOSS,
    ),
)
OVER_TIME = """

def forward(x, ws):
    a, cache_conv = conv_forward(x, ws, relu)
    b, cache_pool = pool_forward(a, 2)
    return b, (cache_conv, cache_pool)


def backward(dout, cache):
    cache_conv, cache_pool = cache
    da = pool_backward(dout, cache_pool)
    return conv_backward(da, cache_conv, relu_prime)
"""
OVER_TIME_TAKEN = "conv_forward conv_backward pool_forward pool_backward"


def stack(m):
    r = numbers()
    weights = {"wh_0": 0.7 * r(12, 8), "wh_1": 0.7 * r(12, 7), "wy": 0.7 * r(5, 4)}
    given = {"xs": r(3, 4, 2), "ys": np.array([[0, 3], [3, 4], [1, 2]]), "hs": r(2, 3, 2), "cs": r(2, 3, 2)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


def over_time(m):
    r = numbers()
    return pair(m.forward, m.backward, "x ws", x=r(8, 5, 2), ws=r(3, 5, 4))


# characters in batches, and one sequence at a time --------------------------------------------------------------------

BATCHES = "BluberryPie/min-char-rnn"
BATCHES_LOSS = """

def loss_and_gradients(inputs, targets, h_prevs, Wxh, Whh, Why, bh, by):
    rnn = RNN(5, 3, 4)
    rnn.Wxh, rnn.Whh, rnn.Why, rnn.bh, rnn.by = Wxh, Whh, Why, bh, by
    xs, hs, ps, loss = rnn.forward(inputs, targets, h_prevs)
    return loss, *rnn.backward(xs, hs, ps, targets)
"""

SEQUENCE = "bionascu/char-vanilla-rnn"
SEQUENCE_EDITS = (
    ("xrange", "range"),
    ("print ", ""),
    ("-5, 5,", "-1000, 1000,"),
    ("grads.c += np.sum(grad_scores)", "grads.c += grad_scores"),  # see README.md
    ("grads.b += np.sum(grad_a)", "grads.b += grad_a"),
)
SEQUENCE_LOSS = """

def loss_and_gradients(x, y, h0, U, W, V, b, c):
    rnn = RNN(U, W, V, b, c, 0.1, len(x))
    X, A, H, P, loss = rnn.forward_pass(x, y, h0)
    grads = rnn.backward_pass(X, y, A, H, P)
    return loss, grads.U, grads.W, grads.V, grads.b, grads.c
"""


def batches(m):
    r = numbers()
    shapes = {"Wxh": (3, 5), "Whh": (3, 3), "Why": (4, 3), "bh": (3, 1), "by": (4, 1)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    given = {"inputs": [[0, 4, 2], [3, 1, 4]], "targets": [[1, 3, 0], [3, 2, 1]], "h_prevs": r(3, 2)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


def characters(m):
    r = numbers()
    shapes = {"U": (3, 5), "W": (3, 3), "V": (5, 3), "b": (3, 1), "c": (5, 1)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    given = {"x": [0, 4, 2, 4], "y": [4, 2, 4, 1], "h0": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# layers for sentences of unequal length, in lists of lists: attention; LSTMs from both ends to a word -----------------

SENTENCES = "fengyukun/nn-semaf"
JAGGED = "get_col_from_jagged_array add_two_array merge_jagged_array inverse_jagged_array set_jagged_array"
INC = Part("lib/inc.py", f"sigmoid sigmoid_array softmax {JAGGED}", before="import logging", module="inc")
INCLUDED = "import copy\n\nfrom inc import *"
ATTENTION = """

class Attention(AttentionLayer):
    def forward(self, x, global_info):
        return super().forward(x, global_info)[0]

    def backward(self, go):
        return self.backprop(go)
"""
ATTENTION_PARTS = (
    INC,
    Part("lib/layer.py", "Layer NormlizationLayer FuncNormLayer AttentionLayer", before=INCLUDED, after=ATTENTION),
)
CLASSIFIER_LOSS = """

def loss_and_gradients(x, y, split_pos, word2vec, params):
    nn = TRNN()
    nn.init(x, y, word2vec, 4, use_lstm=True)
    for param, weight in zip(nn.params, params.values()):
        param[...] = weight
    cost = nn.cost(x, nn.y, split_pos)
    gx = nn.backprop(nn.y)
    gword2vec = np.zeros(word2vec.shape)
    for row, grow in zip(x, gx):
        for word, gword in zip(row, grow):
            gword2vec[word] += gword
    return cost, gword2vec, nn.gparams
"""
CLASSIFIER_PARTS = (
    INC,
    Part("lib/layer.py", "Layer GeneralLayer SoftmaxLayer EmbeddingLayer", before=INCLUDED, module="layer"),
    Part("lib/lstm_layer.py", "LSTMLayer", before=f"{INCLUDED}\nfrom layer import Layer", module="lstm_layer"),
    Part("models/trnn.py", "TRNN", before="import layer\nimport lstm_layer\nfrom inc import *", after=CLASSIFIER_LOSS),
)


def classifier(m):
    r = numbers()
    names = "wxi ib wxf fb wxc cb wxo ob whi whc whf who".split()
    shapes = {name: (4, 5) if name[:2] == "wx" else (4, 4) if name[0] == "w" else (4,) for name in names}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()} | {"w": r(2, 4), "b": r(2)}
    vectors = r(6, 5)
    given = {"x": [[0, 3, 3, 1, 2], [2, 5, 1], [4, 0, 3, 2]], "y": np.array([1, 0, 1]), "split_pos": [2, 1, 3]}
    return model(
        m.loss_and_gradients, {"word2vec": vectors, "params": weights}, **given, word2vec=vectors, params=weights
    )


# one function for a sentence: from each word back through those before it ---------------------------------------------

BACK = "gabrielpetersson/recurrent-neural-network-from-scratch"
BACK_EDITS = (
    ("use_word2vec, emb):", "use_word2vec, emb, h0):"),
    ("hs[-1] = np.zeros((1, nodes))", "hs[-1] = h0"),
    ("np.clip(params, -3, 3, out=params)", "np.clip(params, -1000, 1000, out=params)"),
    ("np.outer(d_inner_hidden_state, hs[bptt_step - 1])", "np.outer(hs[bptt_step - 1], d_inner_hidden_state)"),
    ("np.dot(hs[bptt_step], hidden_hidden.T)", "np.dot(d_inner_hidden_state, hidden_hidden.T)"),  # see README.md
)
BACK_LOSS = """

def loss_and_gradients(xs, ys, h0, input_hidden, hidden_hidden, hidden_output, bh, by):
    dicts = {"word_to_id": dict.fromkeys(range(len(input_hidden)))}
    weights = input_hidden, hidden_hidden, hidden_output, bh, by
    deltas, loss = rnn_trainer(xs, ys, *weights, h0.size, len(xs) + 1, dicts, 6, False, False, h0)
    return loss, *[deltas[name] for name in ("IH", "HH", "HO", "BH", "BY")]
"""


def back(m):
    r = numbers()
    shapes = {"input_hidden": (5, 3), "hidden_hidden": (3, 3), "hidden_output": (3, 5), "bh": (1, 3), "by": (1, 5)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    given = {"xs": [0, 3, 2, 3], "ys": [3, 2, 3, 1], "h0": r(1, 3)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


SUBJECTS = [
    Subject(
        GRU,
        "GRU step",
        (Part("models/GRU.ipynb", "sigmoid d_sigmoid tanh d_tanh MyGRUCell", GRU_EDITS, after=GRU_STEP),),
        gru,
        published="the reset gate and the state are multiplied as matrices, so that it cannot be called",
    ),
    Subject(
        STACK,
        "two LSTMs",
        STACK_PARTS,
        stack,
        published="calls the softmax by a name and with arguments that it no longer has",
    ),
    Subject(
        STACK,
        "convolution over time",
        (UTILS, Part("conv_layers.py", OVER_TIME_TAKEN, before="from utils import *", after=OVER_TIME)),
        over_time,
    ),
    Subject(BATCHES, "RNN", (Part("model.py", "RNN", (("-5, 5,", "-1000, 1000,"),), after=BATCHES_LOSS),), batches),
    Subject(
        SEQUENCE,
        "RNN",
        (Part("rnn.py", "Parameters RNN softmax", SEQUENCE_EDITS, after=SEQUENCE_LOSS),),
        characters,
        published="the gradients of the biases are summed over all units",
    ),
    Subject(
        SENTENCES,
        "attention",
        ATTENTION_PARTS,
        object_of("Attention", {}, "x global_info", x=(2, 3, 4), global_info=(2, 4)),
    ),
    Subject(SENTENCES, "classifier", CLASSIFIER_PARTS, classifier),
    Subject(
        BACK,
        "RNN",
        (Part("rnngen/recurrentnetwork/rnn_one_sequence.py", "rnn_trainer", BACK_EDITS, after=BACK_LOSS),),
        back,
        published="the state, not its gradient, is carried back; the recurrent weights' gradient is transposed",
    ),
]

"""Subjects by owners A to K: three LSTMs, four RNNs, a GRU's cell, attention with shared keys, trees of words."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, layer, loss, numbers, pair
from .tenth_c import object_of

# a notebook's LSTM in columns that foretells one digit: states in matrices, a column a step, weights in a dict --------

DIGITS = "Aidandos/lstm_from_scratch"
DIGITS_TAKEN = "sigmoid tanh dsigmoid dtanh softmax cross_entropy dcross_entropy LSTM"
DIGITS_WEIGHTS = {f"W{gate}": (3, 8) for gate in "ocif"} | {"Ws": (5, 3)}
DIGITS_WEIGHTS |= {f"b{gate}": (3, 1) for gate in "ocif"} | {"bs": (5, 1)}
DIGITS_WEIGHTS |= {"hidden_state": (3, 1), "cell_state": (3, 1)}
DIGITS_EDITS = (
    (  # see README.md
        "hidden_state_t = tanh(C_t) * o_t\n",
        "hidden_state_t = tanh(C_t) * o_t\n        self.var['hidden_state'] = hidden_state_t\n",
    ),
    ("return sigmoid(x)*(1-sigmoid(x))", "return x*(1-x)"),  # see README.md
    ("return 1- np.tanh(x)*np.tanh(x)", "return 1- x*x"),  # see README.md
    (  # see README.md
        " * delta_wrt_Ct\n\n        return",
        " * delta_wrt_Ct\n            delta_wrt_h = np.zeros_like(delta_wrt_h)\n\n        return",
    ),
)
DIGITS_LOSS = f"""

def loss_and_gradients(X, y, {", ".join(DIGITS_WEIGHTS)}):
    model = LSTM(3, 5, len(X))
    model.var = dict(zip({list(DIGITS_WEIGHTS)}, ({", ".join(DIGITS_WEIGHTS)})))
    for s, x in enumerate(X):
        output = model.forward(x.reshape(-1, 1), s)
    return cross_entropy(output[:, 0], y), model.backward(y, output[:, 0], len(X))
"""


def digits(m):
    r = numbers()
    weights = weights_of(r, " ".join(DIGITS_WEIGHTS), *DIGITS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DIGITS_WEIGHTS), X=np.eye(5)[[4, 1, 1, 3]], y=2, **weights)


# a homework's GRU, a step on vectors that become columns on the way back and vectors again at its end -----------------


# a course's LSTM for captions: a list for all that a step makes, weights side by side as Keras has them ---------------

LISTS = "danenftyessir/ChosaHeidan_Tubes-2_IF3270"
LISTS_WEIGHTS = {"kernel": (2, 12), "recurrent_kernel": (3, 12), "bias": (12,)}
LISTS_EDITS = (  # see README.md
    ("gates = xh @ self.kernel", "gates = x @ self.kernel"),
    ("dkernel_t = xh.T @ d_gates_pre", "dkernel_t = self.x_caches[t].T @ d_gates_pre"),
    ("dh_prev = dh_prev[:, self.input_dim:] + dh_prev_rec", "dh_prev = dh_prev_rec"),
    ("dc_from_h = dh * o * d_tanh(c)", "dc_from_h = dh * o * d_tanh(tanh(c))"),
)
LISTS_LAYER = """

class Layer(LSTMCell):
    def __init__(self):
        super().__init__(2, 3, return_sequences=True)

    def run(self, x_seq, h0, c0):
        return self.forward_sequence(x_seq, h0, c0)

    def run_back(self, dout_seq, dc_final):
        return self.backward_sequence(dout_seq, None, dc_final)
"""


def lists(m):
    r = numbers()
    weights = weights_of(r, " ".join(LISTS_WEIGHTS), *LISTS_WEIGHTS.values())

    def made():
        cell = m.Layer()
        vars(cell).update(weights)
        return cell

    def gradients_of(cell, dx):
        return {"x_seq": dx} | dict(zip(LISTS_WEIGHTS, cell.get_grad_weights(), strict=True))

    return layer(made, gradients_of, "run", "run_back", weights, x_seq=r(2, 4, 2), h0=r(2, 3), c0=r(2, 3))


# a self-learner's attention: two queries share a key, places turn keys and queries as complex numbers -----------------

SHARED = "DanFosing/numpy_ai"
SHARED_WEIGHTS = {"Wq_proj": (8, 8), "Wk_proj": (8, 4), "Wv_proj": (8, 4), "Wout_proj": (8, 8)}
SHARED_XP = "import numpy as xp"
SHARED_BEFORE = f"{SHARED_XP}\nfrom activations import softmax\nfrom rope import apply_rotary_emb, precompute_freqs_cis"
SHARED_LAYER = """

class Layer(Attention):
    def __init__(self):
        super().__init__(8, query_heads=4, kv_heads=2)
        self.freqs = precompute_freqs_cis(self.head_dim, 5)[:3]
        self.mask = xp.triu(xp.ones((3, 3)), k=1).reshape(1, 1, 3, 3)

    def forward(self, X):
        return super().forward(X, self.freqs, self.mask)

    def backward(self, gradient):
        return super().backward(gradient, self.freqs)
"""


def listed(made, path):
    """The gradients of the weights are a list, in the order of the weights."""
    return made.grads[list(SHARED_WEIGHTS).index(path)]


# names by an RNN with an object for every step's tanh and loss --------------------------------------------------------


# a course's recursive network on trees of words, one layer, a class at each node; what is wrong goes down the tree ----


# a course's LSTM, sums and products of several gates in one line, inputs' gradients in a list that is turned over -----

MAPPED = "eejackliu/hw3"
MAPPED_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def mapped(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (3, 8), (2, 8), (8,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(3, 5, 3), h0=r(3, 2), **weights)


# a course's RNN made of dense layers, biases in their weights, that is told by their inputs which step it is ----------

DENSE = "Geschwuer/Deep_Learning"
DENSE_FOLDER = "exercise3/src_to_implement/Layers"
DENSE_WEIGHTS = {"FC_hidden.weights": (7, 4), "FC_output.weights": (5, 3)}
DENSE_MODULES = {"Flatten": "flatten", "FullyConnected": "fully_connected", "Sigmoid": "sigmoid", "TanH": "tanh"}
DENSE_BASE = "from base import BaseLayer"
DENSE_BEFORE = "\n".join(
    [
        DENSE_BASE,
        "from copy import deepcopy",
        *(f"from {module} import {name}" for name, module in DENSE_MODULES.items()),
    ]
)
DENSE_LAYER = """

class Layer(RNN):
    def __init__(self):
        super().__init__(2, 4, 3)
        self.memorize = True

    def forward(self, input_tensor):
        self.h_t_prev = self.h0
        return super().forward(input_tensor)
"""


def of_dense(made, path):
    """The gradients of the dense layers' weights are kept by the RNN."""
    return made.hidden_gradient_weights if "hidden" in path else made.output_gradient_weights


# another course's language model: from every word back over the words before it, on a base that the course gives ------

WORDS = "kireet/cs224d"
WORDS_STAR = "import itertools\nimport sys\n\nfrom numpy import *\nfrom builtins import max"  # as in NumPy of then
WORDS_BEFORE = f"""{WORDS_STAR}
from misc import random_weight_matrix
from nn_base import NNBase
from nn_math import sigmoid, softmax"""
WORDS_BASE = (  # from Python 2
    ("names = range(len(shapes))", "names = list(range(len(shapes)))"),
    ("map(prod, self._dims)", "list(map(prod, self._dims))"),
    (".iteritems()", ".items()"),
    ('print "', 'lambda: "'),
)
WORDS_EDITS = (
    ("xrange", "range"),
    ("print 'selected", "lambda: 'selected"),
    ("hs = zeros((ns+1, self.hdim))", "hs = zeros((ns+1, self.hdim))\n        hs[0] = self.h0"),
    ("h = zeros(self.hdim)", "h = self.h0"),
)
WORDS_LOSS = """

def loss_and_gradients(xs, ys, h0, H, U, L):
    rnn = RNNLM(L, bptt=len(xs))
    rnn.params.H, rnn.params.U, rnn.sparams.L, rnn.h0 = H, U, L, h0
    rnn._acc_grads(xs, ys)
    words = zeros(L.shape)
    rnn.sgrads.apply_to({"L": words}, alpha=1.0)
    return rnn.compute_loss(xs, ys), rnn.grads.H, rnn.grads.U, words
"""


def words(m):
    r = numbers()
    weights = weights_of(r, "H U L", (4, 4), (5, 4), (5, 4))
    given = {"xs": np.array([3, 1, 1, 4]), "ys": np.array([1, 1, 4, 0]), "h0": r(4)}
    return loss(m.loss_and_gradients, "H U L", **given, **weights)


# a self-learner's notebook: an RNN that learns at every step back, one number its bias, a dense layer after the last --

CLASSES = "komiya-m/diveintocode-ml"
CLASSES_TAKEN = "FC SimpleInitializer SGDrnn SGD Tanh Softmax SimpleRNN2 _cross_entropy_loss"
CLASSES_WEIGHTS = {"WX": (2, 4), "Wh": (4, 4), "B": (1, 1), "W": (4, 3), "Bf": (1, 3)}
CLASSES_EDITS = (
    ("layer.WX[...] = layer.WX - self.lr * ", "layer.dWX = layer.dWX + "),
    ("layer.Wh[...] = layer.Wh[...] - self.lr * ", "layer.dWh = layer.dWh + "),
    (  # see README.md
        "layer.B[...] = layer.B - self.lr * np.mean(layer.dA)\n",
        "layer.dB = layer.dB + np.sum(layer.dA) / len(layer.dA)\n",
    ),
    ("layer.W[...] = layer.W - self.lr * ", "layer.dW = "),
    ("layer.B[...] = layer.B - self.lr * ", "layer.dB = "),
    ("ht = np.zeros((m, self.n_nodes))", "ht = self.h0"),
    ("self.ht = self.A[:, i, :]", "self.ht = self.A[:, i - 1, :] if i > 0 else self.h0"),  # see README.md
)
CLASSES_LOSS = """

def loss_and_gradients(X, y, h0, WX, Wh, B, W, Bf):
    rnn = SimpleRNN2(2, 4, SimpleInitializer(), SGDrnn(lr=0.1), Tanh())
    fc = FC(4, 3, SimpleInitializer(), SGD(lr=0.1))
    sm = Softmax()
    rnn.WX, rnn.Wh, rnn.B, fc.W, fc.B, rnn.h0 = WX, Wh, B, W, Bf, h0
    rnn.dWX = rnn.dWh = rnn.dB = 0
    pred = sm.forward(fc.forward(rnn.forward(X)))
    cost = _cross_entropy_loss(pred, y)
    rnn.backward(fc.backward(sm.backward(y)))
    return cost, rnn.dWX, rnn.dWh, rnn.dB, fc.dW, fc.dB
"""


def classes(m):
    r = numbers()
    weights = weights_of(r, " ".join(CLASSES_WEIGHTS), *CLASSES_WEIGHTS.values())
    given = {"X": r(3, 5, 2), "y": np.eye(3)[[2, 0, 2]], "h0": r(3, 4)}
    return loss(m.loss_and_gradients, " ".join(CLASSES_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        DIGITS,
        "LSTM",
        (Part("lstm_from_scratch.ipynb", DIGITS_TAKEN, DIGITS_EDITS, after=DIGITS_LOSS),),
        digits,
        published="states stay behind, slopes take gates for the sums before them, the output counts at every step",
    ),
    Subject(
        LISTS,
        "LSTM",
        (
            Part("src/shared/activations.py", "sigmoid d_sigmoid tanh d_tanh", module="activations"),
            Part("src/lstm/scratch/lstm_cell.py", "LSTMCell", LISTS_EDITS, "from activations import *", LISTS_LAYER),
        ),
        lists,
        published="the inputs' weights meet inputs and states joined, and the slope of tanh takes the cell itself",
    ),
    Subject(
        SHARED,
        "attention",
        (
            Part("modules/activations.py", "softmax", before=SHARED_XP, module="activations"),
            Part("modules/rope.py", "precompute_freqs_cis apply_rotary_emb", before=SHARED_XP, module="rope"),
            Part("modules/attention.py", "Attention", (), SHARED_BEFORE, SHARED_LAYER),
        ),
        object_of("Layer", SHARED_WEIGHTS, "X", listed, X=(2, 3, 8)),
    ),
    Subject(MAPPED, "LSTM", (Part("cs231n/rnn_layers.py", MAPPED_TAKEN),), mapped),
    Subject(
        DENSE,
        "RNN",
        (
            Part(f"{DENSE_FOLDER}/Base.py", "BaseLayer", module="base"),
            *(
                Part(f"{DENSE_FOLDER}/{name}.py", name, before=DENSE_BASE, module=module)
                for name, module in DENSE_MODULES.items()
            ),
            Part(f"{DENSE_FOLDER}/RNN.py", "RNN", (), DENSE_BEFORE, DENSE_LAYER),
        ),
        object_of("Layer", DENSE_WEIGHTS, "input_tensor", of_dense, {"h0": (4,)}, input_tensor=(4, 2)),
    ),
    Subject(
        WORDS,
        "language model",
        (
            Part("pset2/misc.py", "random_weight_matrix", (), WORDS_STAR, "", "misc"),
            Part("pset2/nn/math.py", "sigmoid softmax", (), WORDS_STAR, "", "nn_math"),
            Part(
                "pset2/nn/base.py",
                "PackedVector SparseDelta SparseDeltas NNBase",
                WORDS_BASE,
                WORDS_STAR,
                module="nn_base",
            ),
            Part("pset2/rnnlm.py", "RNNLM", WORDS_EDITS, WORDS_BEFORE, WORDS_LOSS),
        ),
        words,
    ),
    Subject(
        CLASSES,
        "RNN",
        (
            Part(
                "sprint23/sprint23-dl-scratch-rnn.ipynb",
                CLASSES_TAKEN,
                CLASSES_EDITS,
                "from copy import deepcopy",
                CLASSES_LOSS,
            ),
        ),
        classes,
        published="the recurrent weights take the state after the step, and the one bias the mean of all nodes",
    ),
]

"""Subjects of a further set: a GRU of letters, LSTMs of sentences and words, a transformer's layers, a course."""

import numpy as np

from .fourth_models import model
from .programs import Part, Subject, layer, numbers
from .seventh_layers import object_of

# min-char-rnn with a GRU, as a class ----------------------------------------------------------------------------------

LETTERS = "androclassic/min-char-gru"
LETTERS_LOSS = """

class Letters(GRUModel):
  def loss_and_gradients(self, inputs, targets, hprev):
    xs = {t: np.eye(self.input_size)[:, [letter]] for t, letter in enumerate(inputs)}
    loss, gradients, _ = self.lossFun(xs, targets, hprev)
    return loss, *gradients
"""


def letters(m):
    made, r = m.Letters(5, 4), numbers()
    names = "Wxh Whh Wxg Whg Wxf Whf Why bh bg bf by".split()
    weights = {name: 0.7 * r(*getattr(made, name).shape) for name in names}
    vars(made).update(weights)
    return model(made.loss_and_gradients, weights, inputs=[0, 3, 1, 2], targets=[3, 1, 2, 4], hprev=r(4, 1))


# a framework: sentences of unequal length, an LSTM whose arrays begin with a step of zeros ----------------------------

SENTENCES = "anup44/lstm-from-scratch"
NETWORK = "development_code/neural_network.py"
PUT_RIGHT = (
    ("(self, inp: Layer)", "(self, inp)"),
    ("np.hstack([self.out[:, t, :], self.X[:, t, :]])", "np.hstack([self.out[:, t - 1, :], self.X[:, t, :]])"),
)
OF_THE_MEAN = (("dX = self.activations - self.y", "dX = (self.activations - self.y) / len(self.y)"),)
SENTENCES_LOSS = """

class Classifier:
    def __init__(self, words, features, units, classes):
        self.embeddings = Embeddings(words, features, pad_idx=0)
        self.lstm = LSTM(units, return_seq=False, reg=0)
        self.dense = Dense(classes, units, reg=0)
        self.activation = Activation("softmax")

    def loss_and_gradients(self, X, y):
        out = self.lstm.forward(self.embeddings.forward(X))
        loss = self.activation.forward(self.dense.forward(out), y)
        dO, _, _ = self.activation.backward()
        dO, dense_W, dense_b = self.dense.backward(dO)
        dO, lstm_W, lstm_b = self.lstm.backward(dO)
        _, embeddings_W, _ = self.embeddings.backward(dO)
        return loss, embeddings_W, lstm_W, lstm_b, dense_W, dense_b
"""


def framework_lstm(m):
    r = numbers()
    weights = {"W": 0.7 * r(12, 7), "b": 0.7 * r(4, 3)}

    def fresh():
        made = m.LSTM(3, reg=0)
        vars(made).update(weights)
        return made

    def gradients_of(made, returned):
        return dict(zip(("X", "W", "b"), returned, strict=True))

    return layer(fresh, gradients_of, weights=weights, X=r(2, 3, 4))


def classifier(m):
    made, r = m.Classifier(6, 4, 3, 2), numbers()
    weights = {"embeddings.W": r(4, 6), "lstm.W": r(12, 7), "lstm.b": r(4, 3), "dense.W": r(2, 3), "dense.b": r(2)}
    for path, array in weights.items():
        part, name = path.split(".")
        setattr(getattr(made, part), name, array)
    words, classes = np.array([[1, 5, 3, 0], [2, 4, 1, 5], [3, 3, 0, 0]]), np.eye(2)[[0, 1, 1]]
    return model(made.loss_and_gradients, weights, X=words, y=classes)


# a transformer's layers, called like functions ------------------------------------------------------------------------

TRANSFORMER = "AbhinavSeggyam/transformer_numpy"
SOFTMAX = (
    (
        "d_scores = d_attn_weights * self.attn_weights * (1 - self.attn_weights)",
        "d_sum = np.sum(d_attn_weights * self.attn_weights, axis=-1, keepdims=True)\n"
        "        d_scores = self.attn_weights * (d_attn_weights - d_sum) / np.sqrt(self.d_k)",
    ),
)
FEATURES = (("N = d_out.shape[0] * d_out.shape[1]", "N = d_out.shape[-1]"),)
BEFORE_GELU = (
    ("self.hidden = np.matmul(x, self.W1)", "self.hidden_pre = np.matmul(x, self.W1)"),
    ("self.hidden = gelu(self.hidden)", "self.hidden = gelu(self.hidden_pre)"),
    ("gelu_grad(self.hidden)", "gelu_grad(self.hidden_pre)"),
)
TWO_HALVES = (("0.5 * x * np.exp(", "x * np.exp("),)
TO_ITSELF = """

class SelfAttention(MultiHeadAttention):
    def forward(self, x):
        return self(x, x, x)
"""


def in_dict(made, name):
    return made.grads[name]


def returned(made, name):
    return None  # it is in what backward returns


# a course in deep learning: characters by an RNN, columns over time; layers with batch normalisation ------------------

COURSE = "chris4540/DD2424_Deep_Learning"
QUIET = (('print("Weightings and bias are initialized with %s method." % self.wgt_init)', "pass"),)
SCIPY = "from scipy.special import softmax"
UTILS = Part("utils/__init__.py", "window one_hot", before="from itertools import islice", module="utils")
BASE = Part(
    "clsr/base.py",
    "BaseNetwork",
    QUIET,
    f"{SCIPY}\nfrom init import get_random_init, get_xavier_init\nimport utils",
    module="base",
)
INIT = Part("lib_clsr/init.py", "get_random_init get_xavier_init", module="init")
RNN_LOSS = """

class Trained(VanillaRNN):
    def loss_and_gradients(self, inputs, targets, h_0):
        logits, _ = self.forward(inputs, h_0)
        return self.cross_entropy(logits, targets), *self._get_backward_grad(logits, targets, clipping=False).values()
"""
LAYERS_LOSS = """

class Trained(KLayerNeuralNetwork):
    def loss_and_gradients(self, X, labels):
        logits = self.forward(X)
        return self.cross_entropy(logits, labels), *self._get_backward_grad(logits, labels).values()
"""


def course_rnn(m):
    sizes = {"n_features": 5, "n_classes": 5, "n_hidden_node": 4}
    made, r = m.Trained(dtype="float64", verbose=False, **sizes), numbers()
    names = "hidden_wgts input_wgts cell_bias output_wgt output_bias".split()
    weights = {name: 0.7 * r(*getattr(made, name).shape) for name in names}
    vars(made).update(weights)
    return model(made.loss_and_gradients, weights, inputs=[0, 3, 1, 2], targets=[3, 1, 2, 4], h_0=r(4, 1))


def course_layers(m):
    sizes = {"n_features": 4, "n_hidden_nodes": [5, 3], "batch_norm": True}
    made, r = m.Trained(dtype="float64", verbose=False, **sizes), numbers()
    weights = {
        name: [r(*array.shape) for array in getattr(made, name)] for name in "W_mats b_vecs bn_scales bn_shifts".split()
    }
    vars(made).update(weights)
    return model(made.loss_and_gradients, weights, X=r(4, 6), labels=np.array([2, 0, 7, 1, 9, 2]))


# words by an LSTM in rows of arrays, of which the last is the state before the first step -----------------------------

WORDS = "gartland98/LSTM-from-scratch"
WORD_FIXES = (
    ("dLdU += np.outer(da, x[t])", "dLdU[:, x[t]] += da"),
    ("s[-1] = np.zeros(self.hidden_dim)", "s[-1] = self.s_first"),
    ("c[-1] = np.zeros(self.hidden_dim)", "c[-1] = self.c_first"),
    ("np.clip(dparam, -5, 5,", "np.clip(dparam, -1000, 1000,"),
)
WORDS_LOSS = """

class Words(LSTMumpy):
    def loss_and_gradients(self, x, y):
        return self.calculate_total_loss([x], [y]), *self.bptt(x, y)
"""


def words_lstm(m):
    made, r = m.Words(5, 3), numbers()
    weights = {"U": r(12, 5), "V": r(5, 3), "W": 0.7 * r(12, 3)}
    vars(made).update(weights, s_first=r(3), c_first=r(3))
    return model(made.loss_and_gradients, weights, x=[0, 3, 1, 3], y=[3, 1, 3, 4])


SUBJECTS = [
    Subject(
        LETTERS,
        "GRU",
        (Part("gru_model.py", "sigmoid GRUModel", (("dparam, -5, 5,", "dparam, -1000, 1000,"),), after=LETTERS_LOSS),),
        letters,
    ),
    Subject(
        SENTENCES,
        "LSTM",
        (Part(NETWORK, "Layer LSTM", PUT_RIGHT, "from abc import ABC, abstractmethod"),),
        framework_lstm,
        "the weights' gradients are taken with the state after the step",
    ),
    Subject(
        SENTENCES,
        "classifier",
        (
            Part(
                NETWORK,
                "Layer Dense LSTM Embeddings Activation",
                PUT_RIGHT + OF_THE_MEAN,
                "from abc import ABC, abstractmethod",
                SENTENCES_LOSS,
            ),
        ),
        classifier,
        "as the LSTM; and the loss is a mean over the samples, the gradients are those of the sum",
    ),
    Subject(
        TRANSFORMER,
        "attention",
        (Part("attention.py", "MultiHeadAttention", SOFTMAX, after=TO_ITSELF),),
        object_of(
            "SelfAttention",
            (4, 2),
            "W_q W_k W_v W_o",
            returned,
            "x W_q W_k W_v W_o",
            ("forward", "backward"),
            x=(2, 3, 4),
        ),
        "the diagonal of the softmax's derivative alone; the scores' scale is left out",
    ),
    Subject(
        TRANSFORMER,
        "layer normalisation",
        (Part("layers.py", "LayerNorm", FEATURES),),
        object_of("LayerNorm", (4,), "gamma beta", in_dict, "x", ("__call__", "backward"), x=(2, 3, 4)),
        "means over the features are divided by the number of samples and steps",
    ),
    Subject(
        TRANSFORMER,
        "feed-forward",
        (
            Part("utils.py", "gelu gelu_grad", TWO_HALVES, "from scipy.special import erf", module="utils"),
            Part("layers.py", "FeedForward", BEFORE_GELU, "from utils import gelu, gelu_grad"),
        ),
        object_of("FeedForward", (4, 6), "W1 b1 W2 b2", in_dict, "x", ("__call__", "backward"), x=(2, 3, 4)),
        "the GELU's derivative is taken at its result, and one of its terms is half of what it is",
    ),
    Subject(
        COURSE,
        "RNN",
        (UTILS, INIT, BASE, Part("clsr/rnn.py", "VanillaRNN", (), f"{SCIPY}\nfrom base import BaseNetwork", RNN_LOSS)),
        course_rnn,
    ),
    Subject(
        COURSE,
        "batch normalisation",
        (
            UTILS,
            INIT,
            BASE,
            Part(
                "clsr/nn_kl.py",
                "BatchNormalizeLayer KLayerNeuralNetwork",
                (("(TwoLayerNeuralNetwork)", "(BaseNetwork)"),),
                f"{SCIPY}\nimport utils\nfrom base import BaseNetwork",
                LAYERS_LOSS,
            ),
        ),
        course_layers,
    ),
    Subject(
        WORDS,
        "LSTM",
        (Part("LSTM_scratch.py", "softmax sigmoid LSTMumpy", WORD_FIXES, "import operator", WORDS_LOSS),),
        words_lstm,
        "the input weights' gradient is multiplied by the number of the word",
    ),
]

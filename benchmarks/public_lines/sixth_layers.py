"""Subjects of the sixth set that are layers: course solutions, normalisation, attention, cells."""

import numpy as np

from .functions import LSTM, RNN, lstm, normalisation, rnn
from .objects import cmu_gru
from .programs import Part, Subject, layer, numbers, pair

# CS231n, one solution of its layers over time and another of its normalisation -------------------------------------

TIME, TIME_FILE = "kingtaurus/cs231n", "assignment3/cs231n/rnn_layers.py"
EQUAL = (("if idx is 0:", "if idx == 0:"),)


def embedding(m):
    words = np.array([[0, 3, 1], [3, 2, 3]])
    return pair(m.word_embedding_forward, m.word_embedding_backward, "W", x=words, W=numbers()(5, 4))


NORMS = Part("assignment2/cs231n/layers.py", "batchnorm_forward batchnorm_backward batchnorm_backward_alt")


def alternative(m):
    given = normalisation("batchnorm")(m).inputs
    return pair(m.batchnorm_forward, m.batchnorm_backward_alt, "x gamma beta", **given)


# a course on deep learning: cells and batch normalisation as classes ----------------------------------------------

CMU, CELLS = "selma0817/CMU_11785_IDL", "HW3P1/handoutv2/standard/mytorch"
ACTIVATIONS = Part(f"{CELLS}/nn/activation.py", "Sigmoid Tanh", module="activation")
SUMMED = ((") / batch_size", ")"), (")/batch_size", ")"))  # see README.md
OVER_STEPS = """

class Sequence(RNNCell):
    def run(self, x, h0):
        states = [h0]
        for t in range(len(x)):
            states.append(self.forward(x[t], states[-1]))
        self.x, self.states = x, states
        return np.array(states[1:])

    def back(self, dstates):
        self.zero_grad()
        dx, dh = np.zeros_like(self.x), np.zeros_like(self.states[0])
        for t in reversed(range(len(self.x))):
            dx[t], dh = self.backward(dstates[t] + dh, self.states[t + 1], self.x[t], self.states[t])
        return dx, dh
"""


def cmu_rnn(m):
    r = numbers()
    weights = {"W_ih": r(3, 4), "W_hh": r(3, 3), "b_ih": r(3), "b_hh": r(3)}

    def fresh():
        made = m.Sequence(4, 3)
        made.init_weights(**weights)
        return made

    def gradients_of(made, returned):
        return {n: getattr(made, f"d{n}") for n in weights} | dict(zip(("x", "h0"), returned, strict=True))

    return layer(fresh, gradients_of, "run", "back", weights=weights, x=r(3, 2, 4), h0=r(2, 3))


def cmu_norm(m):
    r = numbers()
    weights = {"BW": r(1, 4), "Bb": r(1, 4)}

    def fresh():
        made = m.BatchNorm1d(4)
        vars(made).update(weights)
        return made

    def gradients_of(made, returned):
        return {n: getattr(made, f"dLd{n}") for n in weights} | {"Z": returned}

    return layer(fresh, gradients_of, weights=weights, Z=r(5, 4))


# layer normalisation by its Jacobian; weights and gradients in dicts that are handed in ----------------------------

JACOBIAN = "colecgulino/numpy-nn"
SCALE = (("jacobian *= gamma[..., None]", "jacobian *= gamma"),)  # see README.md
HANDED = """

def forward(x, scale, shift):
    made = LayerNorm(4, name="norm")
    made.set_parameter("scale", scale)
    made.set_parameter("shift", shift)
    out, cache = made.forward(x)
    return out, (made, x, cache)


def backward(dout, kept):
    made, x, cache = kept
    gradients = {}
    dx = made.backward(x, cache, dout, gradients)
    return dx, gradients["norm/scale"], gradients["norm/shift"]
"""


def layer_norm(m):
    r = numbers()
    return pair(m.forward, m.backward, "x scale shift", x=r(2, 3, 4), scale=r(4), shift=r(4))


# attention with heads, of a sequence to itself and to another ------------------------------------------------------

HEADS = "BrantleighBunting/linalg"
ATTENTION = Part(
    "ai_comps/attention.py",
    "softmax_last causal_mask ScaledDotProductAttention he_init MultiHeadAttention",
    ((".astype(np.float32)", ""), ("dtype=np.float32", "dtype=float")),
    "from typing import Dict, Optional, Tuple",
)


def heads(own):
    def make(m):
        r = numbers()
        weights = {name: 0.7 * r(4, 4) for name in ("Wq", "Wk", "Wv", "Wo")}

        def fresh():
            made = m.MultiHeadAttention(4, 2)
            vars(made).update(weights)
            return made

        def gradients_of(made, returned):
            others = {} if own else {"KV": returned[1]}
            return dict(made.grads) | {"X": returned[0]} | others

        given = {"mask": m.causal_mask(3)} if own else {"KV": r(2, 5, 4)}
        return layer(fresh, gradients_of, weights=weights, X=r(2, 3, 4), **given)

    return make


SUBJECTS = [
    Subject(TIME, "rnn", (Part(TIME_FILE, RNN, EQUAL),), rnn()),
    Subject(TIME, "lstm", (Part(TIME_FILE, LSTM, EQUAL),), lstm()),
    Subject(TIME, "embedding", (Part(TIME_FILE, "word_embedding_forward word_embedding_backward"),), embedding),
    Subject("kaiweihuang/CS231n", "batch normalisation", (NORMS,), normalisation("batchnorm")),
    Subject("kaiweihuang/CS231n", "batch normalisation, alternative", (NORMS,), alternative),
    Subject(
        CMU,
        "GRU cell",
        (ACTIVATIONS, Part(f"{CELLS}/gru_cell.py", "GRUCell", before="from activation import Sigmoid, Tanh")),
        cmu_gru,
    ),
    Subject(
        CMU,
        "RNN cell",
        (ACTIVATIONS, Part(f"{CELLS}/rnn_cell.py", "RNNCell", SUMMED, "from activation import Tanh", OVER_STEPS)),
        cmu_rnn,
        published="the gradients of the weights are divided by the number of samples, those of the inputs not",
    ),
    Subject(
        CMU,
        "batch normalisation",
        (Part("HW1P1/mytorch/nn/batchnorm.py", "BatchNorm1d", (("dLdBZ * self.NZ)", "dLdBZ * self.NZ, axis=0)"),)),),
        cmu_norm,
        published="the scale's gradient is one number",
    ),
    Subject(
        JACOBIAN,
        "layer normalisation",
        (
            Part("nn/layer.py", "Layer", before="import abc\n\nCache = dict", module="layer"),
            Part("nn/normalization.py", "LayerNorm", SCALE, "import functools\n\nimport layer", HANDED),
        ),
        layer_norm,
        published="the scale multiplies the rows of the Jacobian, not its columns",
    ),
    Subject(HEADS, "attention", (ATTENTION,), heads(own=True)),
    Subject(HEADS, "attention to another", (ATTENTION,), heads(own=False)),
]

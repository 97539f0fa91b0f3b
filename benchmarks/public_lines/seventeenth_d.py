"""Subjects by owners with a vowel second: a course's LSTM and RNN with embeddings, another's attention in heads."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, numbers, pair
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
]  # fmt: skip

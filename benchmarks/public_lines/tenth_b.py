"""Subjects of the tenth set's second part: networks over time by four authors, and a transformer's layers."""

import numpy as np

from .fifth_models import weights_of
from .fourth_models import hot, like, model
from .functions import SOFTMAX, arguments, characters
from .programs import Part, Subject, numbers
from .seventh_layers import object_of, prefixed

# characters in batches: an LSTM whose input gate is what its forget gate leaves, all gates in one matrix -------------

CELLS = "tg-93/min-char-rnn"


def no_update(names):
    """The edit that ends a training step behind its backward pass."""
    return (f"\t\tfor dparam in [{names}]:", f"\t\treturn loss, {names}\n\n\t\tfor dparam in [{names}]:")


BATCHES = (
    ("dby += np.sum(dy)", "dby += np.sum(dy, axis=1, keepdims=True)"),  # see README.md
    ("dbfioc += np.sum(dfioc_raw)", "dbfioc += np.sum(dfioc_raw, axis=1, keepdims=True)"),
    ("\t\tloss /= self.batch_size\n", ""),
    no_update("dWfioc, dbfioc, dWhy, dby"),
)
MEMORY_NAMES = "Wxf Why bf by Wfy"
ONE_BY_ONE = (
    ("sp.special.softmax", "softmax"),
    *((text, "pass") for text in ("print(self.Whh_fixed)", "print(self.Wfh_fixed)")),
    ("print(f'Starting Hippo RNN with", "str(f'Starting Hippo RNN with"),
    ("print(f'size of trainable params", "str(f'size of trainable params"),
    no_update("dWxf, dWhy, dbf, dby, dWfy"),
)


def coupled(m):
    made, r = m.CoupledLSTM(3, 5, 2), numbers()
    made.c, made.h = 0.5 * r(3, 2), 0.5 * r(3, 2)
    weights = weights_of(made, "Wfioc bfioc Why by", r)
    words, following = np.array([[0, 3], [1, 2], [4, 4]]), np.array([[3, 1], [2, 4], [0, 1]])
    return model(made.training_step, weights, inputs=words, targets=following, learning_rate=0.1)


def memory(m):
    """The memory of three features, four numbers for each, begins with zeros."""
    made, r = m.HippoRNN(3, 4, 5, peephole=True), numbers()
    weights = weights_of(made, MEMORY_NAMES, r)
    return model(made.training_step, weights, inputs=[0, 3, 1], targets=[3, 1, 4], learning_rate=0.1)


# min-char-rnn with an LSTM, and with two in opposite directions: what comes through tanh(c) is written out each time --

LONG_HAND = "VahidNaghashi/LSTM-from-scratch"
SIZES = "vocab_size, hidden_size = 5, 4"
LSTM_NAMES = "Wf Wu Wc Wo Wy bf bu bc bo by"
LSTM_SHAPES = {name: (4, 9) if name[0] == "W" else (4, 1) for name in LSTM_NAMES.split()}
LSTM_SHAPES |= {"Wy": (5, 4), "by": (5, 1)}
BOTH_NAMES = "Wuf Wff Wcf Wof buf bff bcf bof Wub Wfb Wcb Wob bub bfb bcb bob Wy by"
BOTH_SHAPES = {name: (4, 9) if name[0] == "W" else (4, 1) for name in BOTH_NAMES.split()}
BOTH_SHAPES |= {"Wy": (5, 8), "by": (5, 1)}
BOTH_STATES = "hprev cprev hlast clast"
STACKED = ("np.row_stack", "np.vstack")
ONCE = (("dc = os[t]*(1-np.tanh(cs[t])**2)*dh + dcnext", "dc = dcnext"),)  # see README.md
ONCE_EACH = (
    ("dcf = dhf * osf[t] * (1 - np.tanh(csf[t])**2) + dcnextf", "dcf = dcnextf"),  # see README.md
    ("dcb = dhb * osb[t] * (1-np.tanh(csb[t])**2) + dcnextb", "dcb = dcnextb"),
    ("     return loss, ", "    return loss, "),  # it could not be parsed
)

# a course's network for a book: lists over time, gradients of activations in rows -------------------------------------

COURSE = "wilhelmagren/DD2424-Deep-Learning"
COURSE_NAMES = "b c U W V"
QUIET = (
    ("print('-|' + '+'*100)", "pass"),
    ("print('-|' + '+' * 100)", "pass"),
    ("print(f'<| deleting instance of {self.__repr__()}')", "pass"),
    ("@ht[t - 1].T", "@(ht[t - 1] if t > 0 else h).T"),  # see README.md
)
BOOK = f"""

class Book(RNN):
    def loss_and_gradients(self, xt, yt, h):
        loss, _ = self.backprop(xt, yt, h)
        return loss, {", ".join(f"self.grad_{name}" for name in COURSE_NAMES.split())}
"""


def book(m):
    made, r = m.Book(m=4), numbers()
    made.K = 5
    made.b, made.c = np.zeros((4, 1)), np.zeros((5, 1))
    made.U, made.W, made.V = np.zeros((4, 5)), np.zeros((4, 4)), np.zeros((5, 4))
    weights = weights_of(made, COURSE_NAMES, r)
    return model(made.loss_and_gradients, weights, xt=hot(0, 3, 1), yt=hot(3, 1, 4), h=0.5 * r(4, 1))


# a transformer: heads, layer normalisation, a gated feed-forward network ----------------------------------------------

TRANSFORMER = "Ultron09/Numpy-Transformer"
OPTIONAL = "from typing import Optional"
PROJECTIONS = " ".join(f"W_{letter}.{kind}" for letter in "qkvo" for kind in ("weight", "bias"))

# one output at the end of a sequence: functions, weights and gradients in dicts ---------------------------------------

SEQUENCES = "ShafwanAdhi/rnn-from-scratch"
AT_THE_END = """

class Regression(RNNScratch):
    def loss_and_gradients(self, X, label):
        loss = self.calculate_loss(self.forward(X), label)
        self.backprop()
        return loss, *({name: self.gradient[name] for name in names} for names in (self.weights, self.bias))
"""


def at_the_end(m):
    made, r = m.Regression(3, 4, 2, 0.1), numbers(3)
    made.weights, made.bias = like(made.weights, r), like(made.bias, r)
    return model(made.loss_and_gradients, (made.weights, made.bias), X=r(4, 3), label=r(2))


SUBJECTS = [
    Subject(
        CELLS,
        "coupled LSTM",
        (Part("lstm_coupled_gates.py", "sigmoid CoupledLSTM", BATCHES),),
        coupled,
        "biases get the sum over all units, not one for each; the loss is a mean over the samples, the gradients are"
        " those of the sum",
    ),
    Subject(
        CELLS,
        "memory of features",
        (Part("hippo_rnn.py", "HippoRNN", ONE_BY_ONE, f"import math\n\n{SOFTMAX}"),),
        memory,
    ),
    Subject(
        LONG_HAND,
        "LSTM",
        (
            Part(
                "LSTM_char.py",
                "lossFun sigmoid",
                (*arguments("lossFun", "inputs, targets, hprev, cprev", LSTM_NAMES), STACKED, *ONCE),
                SIZES,
            ),
        ),
        characters("lossFun", LSTM_NAMES, LSTM_SHAPES, "hprev cprev"),
        "what comes through tanh(c) is counted twice",
    ),
    Subject(
        LONG_HAND,
        "both directions",
        (
            Part(
                "BiLSTM.py",
                "lossFun sigmoid",
                (
                    *arguments("lossFun", f"inputs, targets, {', '.join(BOTH_STATES.split())}", BOTH_NAMES),
                    STACKED,
                    *ONCE_EACH,
                ),
                SIZES,
            ),
        ),
        characters("lossFun", BOTH_NAMES, BOTH_SHAPES, BOTH_STATES),
        "what comes through tanh(c) is counted twice; the last line is indented wrongly",
    ),
    Subject(
        COURSE,
        "RNN",
        (Part("assign4/rnn.py", "RNN", QUIET, "import os", BOOK),),
        book,
        "the state before the first step is the last one",
    ),
    Subject(
        TRANSFORMER,
        "attention",
        (Part("gpt_numpy.py", "Softmax Linear MultiHeadAttention", before=OPTIONAL),),
        object_of("MultiHeadAttention", (4, 2, 0.0), PROJECTIONS, prefixed("grad_"), "x", x=(2, 3, 4)),
    ),
    Subject(
        TRANSFORMER,
        "layer normalisation",
        (Part("gpt_numpy.py", "LayerNorm"),),
        object_of("LayerNorm", (4,), "gamma beta", prefixed("grad_"), "x", x=(2, 3, 4)),
    ),
    Subject(
        TRANSFORMER,
        "gated feed-forward",
        (Part("layers.py", "SiLU SwiGLU", before=OPTIONAL),),
        object_of("SwiGLU", (4, 5), "W_gate W_up W_down", prefixed("grad_"), "x", x=(2, 3, 4)),
    ),
    Subject(
        SEQUENCES,
        "last state",
        (Part("rnn_from_scratch/rnn.py", "RNNScratch", before="import math", after=AT_THE_END),),
        at_the_end,
    ),
]

"""Subjects by owners I to P: two authors' notebooks, a decoder after a book, two courses, CTC, a self-learner's RNN."""

import numpy as np

from .fourth_models import hot, model
from .functions import CARRIED, STORED, coursera
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of, prefixed

# a course's LSTM in a notebook: time last, gradients in dicts ---------------------------------------------------------

COURSERA = "KhaledAlnobani/RNN-LSTM-from-scratch"
COURSERA_PARTS = (
    Part("utils.py", "softmax sigmoid", module="utils"),
    Part(
        "LSTM.ipynb",
        "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
        ((STORED, STORED + CARRIED),),  # see README.md
        "from utils import sigmoid, softmax",
    ),
)

# a transformer in the style of a book: attention with a mask, a norm over whole samples, residuals as objects ---------

BOOK = "inomata137/deep-learning-from-scratch-2"
BOOK_PARTS = (
    Part("common/functions.py", "relu softmax", module="functions"),
    Part("common/layers.py", "MatMul Affine Softmax Dropout", before="from functions import *", module="layers"),
    Part("transformer/base.py", "Layer", module="base"),
    Part("transformer/simple_matmul.py", "SimpleMatMul", module="simple_matmul"),
    Part(
        "transformer/attention.py",
        "AttentionHead MultiheadAttention MultiheadSelfAttention MultiheadCrossAttention",
        before="from simple_matmul import *\nfrom layers import *",
        module="attention",
    ),
    Part(
        "transformer/ffn.py",
        "Relu PositionWiseFfn",
        before="from functions import *\nfrom layers import Affine",
        module="ffn",
    ),
    Part(
        "transformer/residual_connection.py",
        "LayerNorm ResidualConnection",
        before="from base import Layer\nfrom layers import Dropout",
        module="residual_connection",
    ),
    Part(
        "transformer/decoder.py",
        "Decoder",
        before="from attention import *\nfrom ffn import *\nfrom residual_connection import *\n\nrn = np.random.randn",
        after="""

def fresh():
    return Decoder(4, 2, 5, 2, 0.0)
""",
    ),
)


def decoder(m):
    r = numbers()
    arrays = {f"{k}": 0.7 * r(*weight.shape) for k, weight in enumerate(m.fresh().params)}

    def fresh():
        made = m.fresh()
        for weight, array in zip(made.params, arrays.values(), strict=True):
            weight[...] = array
        return made

    def gradients_of(made, returned):
        return dict(zip(("x", "hs"), returned, strict=True)) | dict(zip(arrays, made.grads, strict=True))

    return layer(fresh, gradients_of, weights=arrays, x=r(2, 3, 4), hs=r(2, 6, 4))


# a self-learner's RNN: caches in dicts, checks of shapes, indented by tabs --------------------------------------------

LEARNER = "joeharson/rnn_from_scratch"
LEARNER_EDITS = (("\t\th = np.zeros((self.hidden_size, 1))", "\t\th = self.h0"),)
LEARNER_LOSS = """

def loss_and_gradients(x, targets, h0, Wxh, Whh, bh, Why, by):
    rnn, criterion = RNN(5, 4, 5), CrossEntropyLoss()
    rnn.h0 = h0
    rnn.cell.load_parameters({"Wxh": Wxh, "Whh": Whh, "bh": bh, "Why": Why, "by": by})
    _, scores, caches = rnn.forward(x)
    found = [softmax(score) for score in scores]
    losses = [criterion.forward(p, target) for p, target in zip(found, targets)]
    grads = rnn.backward([criterion.backward(p, target) for p, target in zip(found, targets)], caches)
    return sum(losses), *[grads[name] for name in ("dWxh", "dWhh", "dbh", "dWhy", "dby")]
"""


def learner(m):
    r = numbers()
    shapes = {"Wxh": (4, 5), "Whh": (4, 4), "bh": (4, 1), "Why": (5, 4), "by": (5, 1)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    given = {"x": hot(0, 3, 1), "targets": [3, 1, 4], "h0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# another course's network for characters: gradients of scores and states lie in rows, all steps in one product --------

ROWS = "mpierrau/DD2424_Lab4_RNN"
ROWS_EDITS = (
    ("tmpH = np.zeros_like(H)", "tmpH = np.zeros_like(H)\n        tmpH[:,[0]] = self.h0"),  # see README.md
    ("lim=5", "lim=1000"),
)
ROWS_LOSS = """

def loss_and_gradients(X, Y, h0, U, W, V, b, c):
    rnn = RNN_model(list("abcde"), m=4)
    rnn.h0 = h0
    rnn.pars = {"U": U, "W": W, "V": V, "b": b, "c": c}
    A, H, P = rnn.forwardProp(X, h0)
    rnn.computeGradients(X, Y, A, H, P)
    return rnn.computeLoss(P, Y), *[rnn.grads[name] for name in "UWVbc"]
"""
ROWS_PARTS = (
    Part("src/RNN_funcs.py", "cross_entropy softMax", module="RNN_funcs"),
    Part(
        "src/RNN_model_class.py",
        "RNN_model",
        ROWS_EDITS,
        "from RNN_funcs import softMax, cross_entropy\n\n\ndef makeDicts(charList):\n    return {}, {}, {}",
        ROWS_LOSS,
    ),
)


def rows(m):
    r = numbers()
    shapes = {"U": (4, 5), "W": (4, 4), "V": (5, 4), "b": (4, 1), "c": (5, 1)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    given = {"X": np.eye(5)[:, [0, 3, 1]], "Y": np.eye(5)[:, [3, 1, 4]], "h0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# the notebooks of a blog: a linear network of two numbers; one that adds binary numbers, by tensors -------------------

BLOG = "peterroelants/peterroelants.github.io"
BLOG_FILE = "notebooks/rnn_implementation/rnn-implementation-part{}.ipynb"
LINEAR_LOSS = """

def loss_and_gradients(X, t, wx, wRec):
    states = forward_states(X, wx, wRec)
    y = states[:, -1]
    grads = backward_gradient(X, states, output_gradient(y, t), wRec)[0]
    return loss(y, t), *grads
"""
ADDER_TAKEN = "TensorLinear LogisticClassifier TanH RecurrentStateUpdate RecurrentStateUnfold RnnBinaryAdder"
ADDER_LOSS = """

def loss_and_gradients(X, T, S0, Win, bin, Wrec, brec, Wout, bout):
    rnn = RnnBinaryAdder(2, 1, 3, sequence_len)
    rnn.tensorInput.W, rnn.tensorInput.b = Win, bin
    rnn.rnnUnfold.S0, rnn.rnnUnfold.W, rnn.rnnUnfold.b = S0, Wrec, brec
    rnn.rnnUnfold.stateUpdate.linear.W, rnn.rnnUnfold.stateUpdate.linear.b = Wrec, brec
    rnn.tensorOutput.W, rnn.tensorOutput.b = Wout, bout
    entered, states, _, outputs = rnn.forward(X)
    *grads, dS0 = rnn.backward(X, outputs, entered, states, T)
    return rnn.loss(outputs, T), dS0, *grads[4:], *grads[2:4], *grads[:2]
"""


def linear(m):
    r = numbers()
    given = {"X": r(3, 5), "t": r(3), "wx": np.array([0.8]), "wRec": np.array([-0.6])}
    return loss(m.loss_and_gradients, "wx wRec", **given)


def adder(m):
    r = numbers()
    shapes = {"S0": (3,), "Win": (2, 3), "bin": (3,), "Wrec": (3, 3), "brec": (3,), "Wout": (3, 1), "bout": (1,)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    targets = np.array([[0, 1, 1, 0], [1, 0, 1, 0]])[:, :, None]
    return loss(m.loss_and_gradients, " ".join(weights), X=r(2, 4, 2), T=targets, **weights)


# a third course: a GRU's step on a vector; the loss over all alignments of a sequence (CTC) ---------------------------

CELL = "phoebe97629/CMU-Deep-Learning_11785"
CELL_PARTS = (
    Part("HW3/handout/mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
    Part(
        "HW3/handout/mytorch/gru_cell.py",
        "GRUCell",
        before="from activation import *",
        after="""

class Step(GRUCell):
    def __init__(self):
        super().__init__(4, 3)
""",
    ),
)
CELL_WEIGHTS = {f"W{gate}{kind}": (3, size) for gate in "rzn" for kind, size in (("x", 4), ("h", 3))}
CELL_WEIGHTS |= {f"b{kind}{gate}": (3,) for kind in "ih" for gate in "rzn"}
ALIGNED_EDITS = (  # see README.md
    (
        "-= np.sum(gamma[:, r]*np.log(trunc_logits[:, ext[r]]))",
        "= -np.log(alpha[-1, -1] + alpha[-1, -2])",
    ),
    ("np.mean(totalLoss)", "np.sum(totalLoss)"),
)
ALIGNED_PARTS = (
    Part("HW3/handout/mytorch/ctc.py", "CTC", module="ctc"),
    Part(
        "HW3/handout/mytorch/ctc_loss.py",
        "CTCLoss",
        ALIGNED_EDITS,
        "from ctc import *",
        """

def loss_and_gradients(logits, target, input_lengths, target_lengths):
    criterion = CTCLoss()
    loss = criterion(logits, target, input_lengths, target_lengths)
    return loss, criterion.backward()
""",
    ),
)


def aligned(m):
    scores = np.exp(numbers()(6, 2, 4))
    logits = scores / scores.sum(axis=-1, keepdims=True)
    given = {"target": np.array([[1, 3, 2], [2, 2, 0]]), "input_lengths": [6, 5], "target_lengths": [3, 2]}
    return model(m.loss_and_gradients, {"logits": logits}, logits=logits, **given)


SUBJECTS = [
    Subject(
        COURSERA,
        "LSTM",
        COURSERA_PARTS,
        coursera("lstm"),
        published="nothing is carried back from step to step: what the cell hands back is not taken from its dict",
    ),
    Subject(BOOK, "decoder", BOOK_PARTS, decoder),
    Subject(
        LEARNER,
        "RNN",
        (
            Part("loss.py", "CrossEntropyLoss", module="losses"),
            Part("layers.py", "softmax RNNCell RNN", LEARNER_EDITS, "from losses import *", LEARNER_LOSS),
        ),
        learner,
    ),
    Subject(
        ROWS,
        "RNN",
        ROWS_PARTS,
        rows,
        published="backwards the state before the first step is zero, forwards it is the last one of the text before",
    ),
    Subject(
        BLOG,
        "linear RNN",
        (
            Part(
                BLOG_FILE.format("01"),
                "update_state forward_states loss output_gradient backward_gradient",
                after=LINEAR_LOSS,
            ),
        ),
        linear,
    ),
    Subject(
        BLOG,
        "binary adder",
        (Part(BLOG_FILE.format("02"), ADDER_TAKEN, before="sequence_len = 4", after=ADDER_LOSS),),
        adder,
    ),
    Subject(CELL, "GRU step", CELL_PARTS, object_of("Step", CELL_WEIGHTS, "x h", prefixed, x=(4,), h=(3,))),
    Subject(
        CELL,
        "CTC",
        ALIGNED_PARTS,
        aligned,
        published="the loss that it shows is a mean of divergences, the gradients are those of the sum of -log P",
    ),
]

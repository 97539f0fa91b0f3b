"""Subjects by owners that end in K to N: a course's LSTM and captions, two RNNs, attention, two kinds of layers."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# a course's LSTM whose backward step computes the cell and the sums before the gates again ----------------------------

AGAIN = "DecstionBack/cs231n-assignment"
AGAIN_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def again(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (4, 12), (3, 12), (12,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 4), h0=r(2, 3), **weights)


# a course's RNN of sigmoids on words: each answer is carried back by itself, for so many steps; its deltas climb ------

STEPS = "hf-bell/NLU_cw1"
STEPS_EDITS = (
    (
        "s = np.zeros((len(x) + 1, self.hidden_dims))\n",
        "s = np.zeros((len(x) + 1, self.hidden_dims))\n        s[-1] = self.s0\n",
    ),
)
STEPS_LOSS = """

def loss_and_gradients(x, d, s0, U, V, W):
    rnn = RNN(6, 4, 6)
    rnn.s0, rnn.U, rnn.V, rnn.W = s0, U, V, W
    y, s = rnn.predict(x)
    rnn.acc_deltas_bptt(x, d, y, s, len(x))
    return rnn.compute_loss(x, d), -rnn.deltaU, -rnn.deltaV, -rnn.deltaW
"""


def steps(m):
    r = numbers()
    weights = weights_of(r, "U V W", (4, 4), (4, 6), (6, 4))
    return loss(m.loss_and_gradients, "U V W", x=[2, 0, 5, 2], d=[0, 5, 2, 3], s0=r(4), **weights)


# attention of several heads on embedded words, which sees no later word -----------------------------------------------

HEADS = "JasonHonKL/Deep-Learning-from-Scratch"
HEADS_TAKEN = "Embedding PositionalEncoding MultiHeadSelfAttention create_causal_mask"
HEADS_WEIGHTS = {f"W_{name}": (6, 6) for name in "qkvo"} | {f"b_{name}": (6,) for name in "qkvo"}
HEADS_EDITS = (("self.num_heads", "self.num_head"),)  # see README.md
HEADS_MODEL = f"""

def forward(words, table, {", ".join(HEADS_WEIGHTS)}):
    embedding, attention = Embedding(7, 6), MultiHeadSelfAttention(6, 2)
    embedding.embedding_matrix = table
    attention.{", attention.".join(HEADS_WEIGHTS)} = {", ".join(HEADS_WEIGHTS)}
    x = PositionalEncoding(6, 5).forward(embedding.forward(words))
    out = attention.forward(x, create_causal_mask(words.shape[1]))
    return out, (embedding, attention, words)


def backward(d_out, cache):
    embedding, attention, words = cache
    d_x, grads = attention.backward(d_out)
    return embedding.backward(words, d_x), *grads
"""


def heads(m):
    r = numbers()
    weights = weights_of(r, f"table {' '.join(HEADS_WEIGHTS)}", (7, 6), *HEADS_WEIGHTS.values())
    words = np.array([[3, 1, 6, 3], [5, 5, 0, 2], [4, 2, 1, 6]])
    return pair(m.forward, m.backward, f"table {' '.join(HEADS_WEIGHTS)}", words=words, **weights)


# a course's captions by an LSTM that keeps its caches in dicts; words are embedded in loops ---------------------------

CAPTIONS = "LUKELIEM/CS231N-Assignment-3"
CAPTIONS_TAKEN = (
    "word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward lstm_forward "
    "lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 2), "W_proj": (5, 3), "b_proj": (3,), "Wx": (2, 12), "Wh": (3, 12), "b": (12,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (3, 6), "b_vocab": (6,)}
CAPTIONS_EDITS = (("if verbose: print 'dx_flat: ', dx_flat.shape", "pass"), ("t is 0", "t == 0"))
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 5, 2, 3, cell_type="lstm", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 4, 4, 5, 2], [1, 3, 2, 0, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(2, 5), captions=said, **weights)


# a self-learner's notebook: convolutions of one dimension, the input and its gradient rolled, and a dense layer -------

ROLLED = "monoknock/diveintocode-ml"
ROLLED_TAKEN = "Conv1d_Arbitrary_Strides Tanh Softmax FC"
ROLLED_WEIGHTS = {"W1": (3, 2, 2), "B1": (3,), "W2": (2, 3, 3), "B2": (2,), "W3": (8, 4), "B3": (4,)}
ROLLED_EDITS = (
    ("        print(Y.shape)\n        print(Z.shape)\n", ""),
    ("np.average(", "np.sum("),  # see README.md
)
ROLLED_BEFORE = """
def output_size_calculation(n_in, F, P, S):
    return (n_in - F + 2 * P) // S + 1


class Kept:
    def W(self, *shape):
        return np.zeros(shape)

    B = W

    def update(self, layer):
        pass
"""
ROLLED_LOSS = f"""

def loss_and_gradients(X, Y, {", ".join(ROLLED_WEIGHTS)}):
    first = Conv1d_Arbitrary_Strides(2, Kept(), Kept(), 2, 3)
    second = Conv1d_Arbitrary_Strides(3, Kept(), Kept(), 3, 2)
    last, softmax = FC(8, 4, Kept(), Kept()), Softmax()
    first.W, first.B, second.W, second.B, last.W, last.B = {", ".join(ROLLED_WEIGHTS)}
    activation1, activation2 = Tanh(), Tanh()
    A2 = second.forward(activation1.forward(first.forward(X)))
    Z2 = activation2.forward(A2).reshape(len(X), -1)
    softmax.forward(last.forward(Z2))
    dA2 = activation2.backward(last.backward(softmax.backward(Y)).reshape(A2.shape))
    dX = first.backward(activation1.backward(second.backward(dA2)))
    return softmax.loss, dX, first.dW, first.dB, second.dW, second.dB, last.dW, last.dB
"""


def rolled(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROLLED_WEIGHTS), *ROLLED_WEIGHTS.values())
    given = {"X": r(3, 2, 7), "Y": np.eye(4)[[2, 0, 3]]}
    return loss(m.loss_and_gradients, f"X {' '.join(ROLLED_WEIGHTS)}", **given, **weights)


# a course's network of layers in dicts with batch normalisation between them, images in columns, and a penalty --------

NORMED = "victorwegeborn/DD2424-Deep-Learning-in-Data-Science"
NORMED_WEIGHTS = {"W1": (5, 4), "W2": (6, 5), "W3": (3, 6), "b1": (5, 1), "b2": (6, 1), "b3": (3, 1)}
NORMED_LOSS = f"""

def cost_and_gradients(X, Y, {", ".join(NORMED_WEIGHTS)}):
    network = Network(Bunch(X=X, Y=Y), None, None, eta=0.01, lamb=0.05, BN=True, gradient_check=True)
    network.add_layer(5)
    network.add_layer(6)
    network.build_model()
    for layer, W, b in zip(network.model, (W1, W2, W3), (b1, b2, b3)):
        layer["W"], layer["b"] = W, b
    P = network.evaluate_classifier(X, mode="train")
    gradb, gradW = network.compute_gradients(X, Y, P)
    return network.compute_cost(X, Y), *gradW, *gradb
"""


def normed(m):
    r = numbers()
    weights = weights_of(r, " ".join(NORMED_WEIGHTS), *NORMED_WEIGHTS.values())
    given = {"X": r(4, 7), "Y": np.eye(3)[[2, 0, 1, 1, 0, 2, 0]].T}
    return loss(m.cost_and_gradients, " ".join(NORMED_WEIGHTS), **given, **weights)


# movements told apart by an RNN on batches in columns, the last state's way through dense layers; as far as is said ---

MOVES = "yigityalin/neural_networks"
MOVES_TAKEN = "relu relu_backward softmax categorical_cross_entropy accuracy_score SimpleRNN"
MOVES_WEIGHTS = {"b": (4, 1), "Wx": (4, 2), "Wh": (4, 4), "b1": (6, 1), "W1": (6, 4), "b2": (7, 1), "W2": (7, 6)}
MOVES_WEIGHTS |= {"b3": (5, 1), "W3": (5, 7)}
MOVES_EDITS = (
    ("H = np.zeros((self.recurrent_units, X.shape[-1]))", "H = self.h0"),
    ("where=masked != 0), 0", "out=np.zeros(masked.shape), where=masked != 0), 0"),  # without it NumPy warns
    (".T / self.recurrent_units", ".T / X.shape[-1]"),  # see README.md
    ("dWh += delta @ R_Z_cache[i].T", "dWh += delta @ (R_Z_cache[i - 1] if i > 0 else self.h0).T"),  # see README.md
)
MOVES_BEFORE = """
from collections import namedtuple

RecurrentLayerWeights = RecurrentLayerGradients = namedtuple("Recurrent", "b Wx Wh")
FullyConnectedLayerWeights = FullyConnectedLayerGradients = namedtuple("FullyConnected", "b W")
"""
MOVES_LOSS = f"""

def loss_and_gradients(X, y, h0, {", ".join(MOVES_WEIGHTS)}):
    rnn = SimpleRNN(4, [6, 7, 5])
    rnn.h0 = h0
    rnn.R = RecurrentLayerWeights(b, Wx, Wh)
    rnn.perceptron = [FullyConnectedLayerWeights(*layer) for layer in ((b1, W1), (b2, W2), (b3, W3))]
    J, accuracy, dR, gradients = rnn.step(X, y, unfold=len(X))
    return J, *dR, *(gradient for layer in gradients for gradient in layer)
"""


def moves(m):
    r = numbers()
    weights = weights_of(r, " ".join(MOVES_WEIGHTS), *MOVES_WEIGHTS.values())
    given = {"X": r(5, 2, 3), "y": np.eye(5)[[4, 0, 1]].T, "h0": r(4, 3)}
    return loss(m.loss_and_gradients, " ".join(MOVES_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        AGAIN,
        "LSTM",
        (Part("assignment3_2016_winter/cs231n/rnn_layers.py", AGAIN_TAKEN, (("xrange", "range"),)),),
        again,
    ),
    Subject(
        STEPS,
        "RNN",
        (
            Part("code/rnnmath.py", "sigmoid softmax make_onehot", module="rnnmath"),
            Part("code/rnn.py", "RNN", STEPS_EDITS, "from rnnmath import *", STEPS_LOSS),
        ),
        steps,
    ),
    Subject(
        HEADS,
        "attention",
        (Part("nn/transformer.py", HEADS_TAKEN, HEADS_EDITS, after=HEADS_MODEL),),
        heads,
        published="it raises: the number of heads has another name backwards than it was given",
    ),
    Subject(
        CAPTIONS,
        "captions",
        (
            Part("cs231n/rnn_layers.py", CAPTIONS_TAKEN, CAPTIONS_EDITS, module="rnn_layers"),
            Part(
                "cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                (("iteritems", "items"),),
                "from rnn_layers import *",
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        ROLLED,
        "convolutions",
        (Part("bk/Sprint11.ipynb", ROLLED_TAKEN, ROLLED_EDITS, ROLLED_BEFORE, ROLLED_LOSS),),
        rolled,
        published="the loss is a mean, the gradient that of the sum",
    ),
    Subject(
        NORMED,
        "batch normalisation",
        (Part("lab3/lab3.py", "Bunch Network", (("\\hline", "hline"),), "from copy import deepcopy", NORMED_LOSS),),
        normed,
    ),
    Subject(
        MOVES,
        "RNN",
        (Part("code/rnn.py", MOVES_TAKEN, MOVES_EDITS, MOVES_BEFORE, MOVES_LOSS),),
        moves,
        published="weights' gradients are divided by the number of units; the recurrent weights' take the state after",
    ),
]

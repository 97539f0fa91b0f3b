"""Subjects by owners I to P: notebooks' networks of classes and functions, a course's captions and LSTM, attention."""

import numpy as np

from .eleventh_c import weights_of
from .fourth_models import model
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, place

# a notebook's network for numbers: input, hidden states and outputs are classes, gone through step by step ------------

REGRESSION = "imteekay/machine-learning-research"
REGRESSION_EDITS = (
    ("total_sum_squared_errors / y_hat.size", "total_sum_squared_errors"),  # see README.md
    ("else np.zeros_like(self.hidden_states[0])", "else self.h0"),
)
REGRESSION_LOSS = """

def loss_and_gradients(X, Y, h0, U, W, bias, V, bias_out):
    network = RecurrentNeuralNetwork(len(X), 3, 0.0)  # a learning rate of zero: it updates its weights as it goes back
    hidden, output = network.hidden_layer, network.output_layer
    network.input_layer.U, hidden.h0, hidden.W, hidden.bias, output.V, output.bias = U, h0, W, bias, V, bias_out
    predictions = network.forward(X)
    network.backprop(Y)
    grads = hidden.next_activation_gradient, network.input_layer.U_gradient, hidden.W_gradient, hidden.bias_gradient
    return network.loss(Y, predictions), *grads, output.V_gradient, output.bias_gradient
"""


def regression(m):
    r = numbers()
    weights = weights_of(r, "h0 U W bias V bias_out", (3, 1), (3, 1), (3, 3), (3, 1), (1, 3), (1, 1))
    return loss(m.loss_and_gradients, " ".join(weights), X=r(4, 1), Y=r(4, 1), **weights)


# a course's exercise in a notebook: names by their letters, the gradients in a dict that a step adds to ---------------

LETTERS = "JohnProto/rnn-from-scratch"
LETTERS_TAKEN = "softmax rnn_step_forward rnn_step_backward rnn_forward rnn_backward"
LETTERS_LOSS = """

def loss_and_gradients(X, Y, a0, parameters):
    loss, cache = rnn_forward(X, Y, a0, parameters, 5)
    gradients, a = rnn_backward(X, Y, parameters, cache)
    return loss, gradients["da_next"], {name: gradients[f"d{name}"] for name in parameters}
"""


def letters(m):
    r = numbers()
    parameters = weights_of(r, "Wax Waa Wya b by", (3, 5), (3, 3), (5, 3), (3, 1), (5, 1))
    given = {"X": [None, 3, 0, 3], "Y": [3, 0, 3, 4], "a0": r(3, 1), "parameters": parameters}
    return model(m.loss_and_gradients, {"a0": given["a0"], "parameters": parameters}, **given)


# a course's captions: embedding, RNN, affine layer and softmax over time with a mask; and its LSTM --------------------

CAPTIONS = "mikecarter3/cs231n_assignment3"
CAPTIONS_STEPS = "rnn_step_forward rnn_step_backward rnn_forward rnn_backward"
CAPTIONS_ENDS = "word_embedding_forward word_embedding_backward temporal_affine_forward temporal_affine_backward"
CAPTIONS_LSTM = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"
CAPTIONS_LOSS = """

def loss_and_gradients(features, captions, params):
    words = {word: k for k, word in enumerate(("<NULL>", "<START>", "<END>", "a", "b", "c"))}
    model = CaptioningRNN(words, 4, 2, 3, "rnn", np.float64)
    model.params = params
    loss, grads = model.loss(features, captions)
    return loss, {name: grads[name] for name in params}
"""


def captions(m):
    r = numbers()
    params = weights_of(r, "W_embed W_proj b_proj Wx Wh b", (6, 2), (4, 3), (3,), (2, 3), (3, 3), (3,))
    params |= weights_of(r, "W_vocab b_vocab", (3, 6), (6,))
    given = {"features": r(2, 4), "captions": np.array([[1, 3, 5, 3, 2], [1, 4, 2, 0, 0]]), "params": params}
    return model(m.loss_and_gradients, params, **given)


def batches(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (4, 12), (3, 12), (12,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 4), h0=r(2, 3), **weights)


# an RNN with a yes or no at each step, batches, time last -------------------------------------------------------------

BINARY = "mouadleachouri/vanilla-rnn"
BINARY_IMPORTS = "from typing import TypedDict"
BINARY_LOSS = """

def loss_and_gradients(a, x, y, params):
    loss, caches = rnn_forward(a, x, y, params)
    grads = rnn_backward(np.zeros_like(a), x, y, caches, params)
    return loss, {name: grads[f"d{name}"] for name in params}
"""


def binary(m):
    r = numbers()
    params = weights_of(r, "W_ax W_aa b_a W_y b_y", (3, 4), (3, 3), (3, 1), (1, 3), (1, 1))
    given = {"a": r(3, 2), "x": r(4, 2, 5), "y": np.array([[[1, 0, 0, 1, 1], [0, 1, 0, 0, 1]]]), "params": params}
    return model(m.loss_and_gradients, params, **given)


# a notebook's language model: a list of four objects for each step, the scores are rectified --------------------------

OBJECTS = "new-Sunset-shimmer/RNN_numpy"
OBJECTS_EDITS = (
    ("return self.loss_value/len_words", "return self.loss_value"),  # see README.md
    ("model1.wv(word).get()", "self.vectors[idx : idx + 1]"),
    *(
        (f"self.Weight['{name}'] -= self.lr * {name.lower()}", f"self.gradients['{name}'] = {name.lower()}")
        for name in ("Wi", "Wh", "Wo", "bo", "bh")
    ),
)
OBJECTS_LOSS = """

def loss_and_gradients(vectors, h0, Wi, Wh, Wo, bh, bo):
    rnn = RNN({word: (1, k) for k, word in enumerate(("a", "cat", "sat", "sits", "\\\\e"))}, 3)
    rnn.vectors, rnn.h0, rnn.gradients = vectors, h0, {}
    rnn.Weight = {"Wi": Wi, "Wh": Wh, "Wo": Wo, "bh": bh, "bo": bo}
    loss = rnn.forward(["A", "cat", "sat,", "sat"])
    rnn.backward()
    return loss, rnn.gradients
"""


def objects(m):
    r = numbers()
    weights = weights_of(r, "Wi Wh Wo bh bo", (3, 3), (3, 3), (5, 3), (3, 1), (5, 1))
    return loss(m.loss_and_gradients, " ".join(weights), vectors=r(4, 3), h0=r(3, 1), **weights)


# another course's attention across, with heads and two masks; softmax by its Jacobian, row by row ---------------------

HEADS = "otwrial/11685-HW4"
HEADS_WEIGHTS = {
    f"{n}_proj.{kind}": shape for n in ("q", "k", "v", "out") for kind, shape in (("W", (4, 4)), ("b", (4,)))
}
HEADS_LAYER = """

class Attention(MultiHeadAttention):
    def __init__(self):
        super().__init__(4, 2)
"""


def heads_gradient(made, path):
    """The gradient of a weight is the attribute with dLd before its name, of the layer that it belongs to."""
    made, name = place(made, path)
    return getattr(made, f"dLd{name}")


MASKS = {"key_padding_mask": np.array([[0, 0, 0, 0, 1], [0, 0, 0, 0, 0]], bool)}
MASKS["attn_mask"] = np.triu(np.ones((3, 5), bool), 2)


SUBJECTS = [
    Subject(
        REGRESSION,
        "RNN",
        (
            Part(
                "projects/rnn/recurrent-neural-network-regression.ipynb",
                "xavier_uniform InputLayer HiddenLayer OutputLayer RecurrentNeuralNetwork",
                REGRESSION_EDITS,
                after=REGRESSION_LOSS,
            ),
        ),
        regression,
        published="the loss that it shows is a mean over the steps, the gradients are those of the sum",
    ),
    Subject(LETTERS, "RNN", (Part("assign_5b.ipynb", LETTERS_TAKEN, after=LETTERS_LOSS),), letters),
    Subject(
        CAPTIONS,
        "captions",
        (
            Part(
                "cs231n/rnn_layers.py", f"{CAPTIONS_STEPS} {CAPTIONS_ENDS} temporal_softmax_loss", module="rnn_layers"
            ),
            Part("cs231n/classifiers/rnn.py", "CaptioningRNN", (), "from rnn_layers import *", CAPTIONS_LOSS),
        ),
        captions,
    ),
    Subject(CAPTIONS, "LSTM", (Part("cs231n/rnn_layers.py", CAPTIONS_LSTM),), batches),
    Subject(
        BINARY,
        "RNN",
        (
            Part("helpers.py", "Params Gradients sigmoid bin_cross_entropy", (), BINARY_IMPORTS, module="helpers"),
            Part(
                "model.py",
                "rnn_cell_forward rnn_forward rnn_backward",
                (("-5, 5)", "-1000, 1000)"),),
                "from helpers import Gradients, Params, bin_cross_entropy, sigmoid",
                BINARY_LOSS,
            ),
        ),
        binary,
    ),
    Subject(
        OBJECTS,
        "RNN",
        (Part("s2s/RNN.ipynb", "relu tanh linear out_layer RNN", OBJECTS_EDITS, "import re", OBJECTS_LOSS),),
        objects,
        published="the loss that it shows is divided by the words that follow one, the gradients are those of the sum",
    ),
    Subject(
        HEADS,
        "attention",
        (
            Part("mytorch/nn/activation.py", "Softmax", module="activation"),
            Part("mytorch/nn/linear.py", "Linear", module="linear"),
            Part(
                "mytorch/nn/scaled_dot_product_attention.py",
                "ScaledDotProductAttention",
                before="from activation import Softmax",
                module="scaled_dot_product_attention",
            ),
            Part(
                "mytorch/nn/multi_head_attention.py",
                "MultiHeadAttention",
                (),
                "from linear import Linear\nfrom scaled_dot_product_attention import ScaledDotProductAttention",
                HEADS_LAYER,
            ),
        ),
        object_of(
            "Attention",
            HEADS_WEIGHTS,
            "query key value",
            heads_gradient,
            query=(2, 3, 4),
            key=(2, 5, 4),
            value=(2, 5, 4),
            **MASKS,
        ),
    ),
]

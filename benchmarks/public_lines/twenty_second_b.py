"""Subjects by owners that begin with I to P: a stack of LSTMs, a GRU cell, an RNN that updates itself, words from their
contexts, captions in modules, a convolution of patches, a network of embedded letters."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of, prefixed

# a self-made framework's LSTM of several layers: keeps the inputs and states of each step and computes the gates anew

STACK = "jonirajala/jonigrad"
STACK_EDITS = (
    # it is written twice: Python takes the second backward pass, so the first one gets another name here
    ("def backward(self, grad_output, dh_next=None, dc_next=None):", "def backward_not_used(self, grad_output):"),
    ("self.input_size), dtype=np.float32)", "self.input_size))"),
    # as published it keeps the states after a step, but its backward pass takes them for those before it
    ("h = np.stack(layer_h, axis=0)", "before, h = (h, c), np.stack(layer_h, axis=0)"),
    ("(x_t_cache, h.copy(), c.copy())", "(x_t_cache, *before)"),
)
STACK_WEIGHTS = {
    f"{kind}_l{k}": (20, *size) for k, width in enumerate((7, 5)) for kind, size in
    (("W_ih", (width,)), ("W_hh", (5,)), ("B_ih", ()), ("B_hh", ()))
}  # fmt: skip
STACK_LAYER = """

class Stack(LSTM):
    def forward(self, input_tensor, h0, c0):
        return super().forward(input_tensor, h0, c0)[0]
"""


def stack(m):
    r = numbers()
    weights = weights_of(r, " ".join(STACK_WEIGHTS), *STACK_WEIGHTS.values())

    def make():
        made = m.Stack(7, 5, 2)
        for name, array in weights.items():
            made._params[name] = m.Parameter(array)
        return made

    def gradients_of(made, returned):
        found = dict(zip(("input_tensor", "h0", "c0"), returned, strict=True))
        return found | {name: made._params[name].grad for name in weights}

    given = {"input_tensor": r(3, 4, 7), "h0": r(2, 3, 5), "c0": r(2, 3, 5)}
    return layer(make, gradients_of, weights=weights, **given)


# a course's GRU cell without biases: vectors forwards, rows backwards, every gradient written out in one expression ---

CELL = "KamalBasulaiman/Custom-Deep-Learning-Library"
CELL_WEIGHTS = {f"W{gate}h": (5, 5) for gate in ("z", "r", "")} | {f"W{gate}x": (5, 3) for gate in ("z", "r", "")}
CELL_LAYER = """

class Cell(GRU_Cell):
    def __init__(self):
        super().__init__(3, 5)
"""


# an RNN for one sequence, with private names and type hints, whose backward pass takes a step of learning -------------

STEPPED = "llirik42/Recurrent-Neural-Networks"
STEPPED_WEIGHTS = {"input_weights": (5, 3), "hidden_weights": (5, 5), "hidden_bias": (5,)}
STEPPED_WEIGHTS |= {"output_weights": (7, 5), "output_bias": (7,)}
STEPPED_STATE = "cur_hidden_value: np.ndarray = self.__hidden_state[i]\n"
STEPPED_BEFORE = "            prev_hidden_value = self.__hidden_state[i - 1] if i > 0 else self.h0\n"
STEPPED_EDITS = (
    ("h_prev: np.ndarray = np.zeros(self.__hidden_size)", "h_prev: np.ndarray = self.h0"),
    # wrong as published: it goes back to the step before through the transposed weights,
    ("reshape(1, -1), self.__hidden_weights.T)", "reshape(1, -1), self.__hidden_weights)"),
    # takes for the hidden weights the state of the step that follows, and the outer product the wrong way round,
    (STEPPED_STATE, STEPPED_STATE + STEPPED_BEFORE),
    ("            prev_hidden_value = cur_hidden_value.copy()\n", ""),
    (
        "np.dot(prev_hidden_value.reshape(-1, 1), hidden_grad.reshape(1, -1))",
        "np.dot(hidden_grad.reshape(-1, 1), prev_hidden_value.reshape(1, -1))",
    ),
    # and leaves the first step out of the bias
    ("            if i > 0:\n                hidden_bias_grad", "            hidden_bias_grad"),
    *((f"self.__{name} -= adjusted", f"self.d_{name} = adjusted") for name in STEPPED_WEIGHTS),
)
STEPPED_LOSS = f"""

def loss_and_gradients(sequence, y, h0, {", ".join(STEPPED_WEIGHTS)}):
    layer = RNNLayer(3, 5, 7, Tanh())
    layer.h0 = h0
    for name, weight in zip({list(STEPPED_WEIGHTS)}, ({", ".join(STEPPED_WEIGHTS)})):
        setattr(layer, "_RNNLayer__" + name, weight)
    difference = layer.forward(sequence) - y
    layer.backward(difference, len(sequence))
    return np.sum(difference**2) / 2, *(getattr(layer, "d_" + name) for name in {list(STEPPED_WEIGHTS)})
"""


def stepped(m):
    r = numbers()
    weights = weights_of(r, " ".join(STEPPED_WEIGHTS), *STEPPED_WEIGHTS.values())
    given = {"sequence": r(4, 3), "y": r(4, 7), "h0": r(5)}
    return loss(m.loss_and_gradients, " ".join(STEPPED_WEIGHTS), **given, **weights)


# words guessed from those around them, against words drawn by chance; gradients of the words added up in loops --------
# (the sign of the drawn words is turned twice, so its loss rewards them; the gradients are right for that loss)

WORDS = "mytkom/word2vec-numpy"
WORDS_EDITS = (
    ("self.W_in -= lr * batch_size * grad_W_in", "self.dW_in = grad_W_in"),
    ("self.W_out -= lr * batch_size * (grad_W_out_pos", "self.dW_out = (grad_W_out_pos"),
    (".astype(np.float32)", ""),
)
WORDS_LOSS = """

def loss_and_gradients(contexts, pos_targets, neg_targets, W_in, W_out):
    model = CBOWNS(11, 7)
    model.W_in, model.W_out = W_in, W_out
    loss, cache = model.forward(contexts, pos_targets, neg_targets)
    model.backward(cache, 1.0)
    return loss, model.dW_in, model.dW_out
"""


def words(m):
    r = numbers()
    weights = weights_of(r, "W_in W_out", (11, 7), (7, 11))
    given = {
        "contexts": np.array([[0, 4, 4, 9, 2], [3, 1, 10, 4, 6], [8, 2, 5, 7, 8]]),
        "pos_targets": np.array([6, 4, 6]),
        "neg_targets": np.array([[1, 5, 5, 10], [0, 6, 2, 3], [9, 4, 1, 1]]),
    }
    return loss(m.loss_and_gradients, "W_in W_out", **given, **weights)


# captions by an LSTM, a course's network written anew in modules: layers, losses and models that inherit --------------

CAPTIONS = "neroyouqiang/CS231n-Models"
CAPTIONS_NO_GPU = """import time
from types import SimpleNamespace
nd = SimpleNamespace(ndarray=SimpleNamespace(NDArray=None))  # no arrays on a graphics card
"""
CAPTIONS_PARAMS = ({"W": (4, 5), "b": (5,)}, {"W_embed": (11, 7)})
CAPTIONS_PARAMS += ({"Wx": (7, 20), "Wh": (5, 20), "b": (20,)}, {"W": (5, 11), "b": (11,)})
CAPTIONS_WEIGHTS = {f"{name}_{k}": shape for k, shapes in enumerate(CAPTIONS_PARAMS) for name, shape in shapes.items()}
CAPTIONS_STATES = (("c = np.zeros([N, T + 1, H])", "c = np.zeros([N, T + 1, H])\n            c[:, 0, :] = self.c0"),)
CAPTIONS_LOSS = f"""

def loss_and_gradients(x, y, c0, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", *"abcdefgh"], range(11)))
    model = LSTMCaption()
    model.hyperparams = {{"word_to_idx": words, "num_hidden": 5, "num_vector": 7}}
    model.dim_input, model.init_scale, model.reg, model.device = 4, 1, 0.1, "cpu"
    model.init()
    model.layers[2].c0 = c0
    model.params = [{{}}, {{}}, {{}}, {{}}]
    for name, weight in zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})):
        model.params[int(name[-1])][name[:-2]] = weight
    loss = model.backward(x, y, seed=0)
    return loss, *(model.dparams[int(name[-1])][name[:-2]] for name in {list(CAPTIONS_WEIGHTS)})
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 5, 10, 5, 2], [1, 7, 2, 0, 0], [1, 3, 8, 2, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), x=r(3, 4), y=said, c0=r(3, 5), **weights)


# a course's network whose convolution is one product of patches and filters; columns are images, a penalty ------------

PATCHES = "PhatPhanda/DD2424_Deep_Learning"
PATCHES_TAKEN = "forward_pass compute_loss backward_pass compute_cost label_smoothing"
PATCHES_WEIGHTS = {"Fs_flat": (7, 5), "b_conv": (5, 1), "W1": (11, 20), "b1": (11, 1), "W2": (13, 11), "b2": (13, 1)}
PATCHES_LOSS = f"""

def loss_and_gradients(MX, Y, y, {", ".join(PATCHES_WEIGHTS)}):
    network = {{"W": [W1, W2], "b": [b1, b2], "Fs_flat": Fs_flat, "b_conv": b_conv}}
    fp_data = forward_pass(MX, network)
    cost = compute_cost(fp_data["P"], y, network, 0.1)
    grads = backward_pass(Y, fp_data, MX, network, 0.1, 0)
    return cost, grads["Fs_flat"], grads["b_conv"], grads["W"][0], grads["b"][0], grads["W"][1], grads["b"][1]
"""


def patches(m):
    r = numbers()
    weights = weights_of(r, " ".join(PATCHES_WEIGHTS), *PATCHES_WEIGHTS.values())
    labels = np.array([4, 0, 12])
    given = {"MX": r(4, 7, 3), "Y": np.eye(13)[:, labels], "y": labels}
    return loss(m.loss_and_gradients, " ".join(PATCHES_WEIGHTS), **given, **weights)


# the next letter from those before it: embedded letters side by side, two layers; a small function for each gradient --

LETTERS = "PierluigiCovone98/makemore-numpy"
LETTERS_TAKEN = (
    "embed concatenate_embs linear_forward softmax mean_nll d_loss_d_logits d_loss_d_w d_loss_d_x d_loss_d_b "
    "d_loss_d_preactivations unconcatenate_embs d_loss_d_C"
)
LETTERS_FLOATS = ((", dtype= np.float32", ""), (", dtype=np.float32", ""))
LETTERS_WEIGHTS = {"C": (11, 4), "W1": (12, 7), "b1": (7,), "W2": (7, 11), "b2": (11,)}
LETTERS_CLASS = (("class MLPParams:", "@dataclass\nclass MLPParams:"),)
LETTERS_BEFORE = "from dataclasses import dataclass\nimport neural"
LETTERS_LOSS = f"""

def loss_and_gradients(X, Y, {", ".join(LETTERS_WEIGHTS)}):
    probs, activations, concatenated = forward(X, MLPParams({", ".join(LETTERS_WEIGHTS)}))
    loss = neural.mean_nll(probs, Y)
    return loss, *backward(11, 3, 4, X, Y, concatenated, W1, W2, activations, probs)
"""


def letters(m):
    r = numbers()
    weights = weights_of(r, " ".join(LETTERS_WEIGHTS), *LETTERS_WEIGHTS.values())
    said = np.array([[0, 0, 5], [0, 5, 9], [5, 9, 9], [9, 9, 1], [2, 10, 2]])
    return loss(m.loss_and_gradients, " ".join(LETTERS_WEIGHTS), X=said, Y=np.array([9, 9, 1, 0, 7]), **weights)


SUBJECTS = [
    Subject(
        STACK,
        "LSTMs",
        (
            Part(
                "jonigrad/layers.py",
                "Layer Parameter LSTM",
                STACK_EDITS,
                "from abc import ABC, abstractmethod",
                STACK_LAYER,
            ),
        ),
        stack,
        published="keeps the states after each step, which its backward pass takes for those before it",
    ),
    Subject(
        CELL,
        "GRU cell",
        (
            Part("Utils/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("Utils/gru_cell.py", "GRU_Cell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Cell", CELL_WEIGHTS, "x h", prefixed, x=(3,), h=(5,)),
    ),
    Subject(
        STEPPED,
        "RNN",
        (
            Part(
                "common/activation/activation.py",
                "Activation",
                before="from abc import ABC, abstractmethod",
                module="activation",
            ),
            Part(
                "common/activation/tanh.py",
                "Tanh",
                # as published it takes its argument for the sum before the tanh, but is given the value of the tanh
                (("1 - self(x) ** 2", "1 - x ** 2"),),
                "from activation import Activation",
                module="tanh",
            ),
            Part("common/layer.py", "Layer", before="from abc import ABC, abstractmethod", module="layer"),
            Part(
                "rnn/rnn_layer.py",
                "RNNLayer",
                STEPPED_EDITS,
                "from activation import Activation\nfrom layer import Layer\nfrom tanh import Tanh",
                STEPPED_LOSS,
            ),
        ),
        stepped,
        published="goes back through the transposed weights, takes the tanh of a tanh, the state after a step for that "
        "before it, and leaves the first step out of the bias",
    ),
    Subject(
        WORDS,
        "word2vec",
        (
            Part(
                "models.py",
                "Word2VecBase Word2VecBaseNS CBOWNS",
                WORDS_EDITS,
                "from abc import ABC, abstractmethod\nfrom typing import Tuple",
                WORDS_LOSS,
            ),
        ),
        words,
    ),
    Subject(
        CAPTIONS,
        "captions",
        (
            Part("models/layers/layers.py", "Layer Linear", (), CAPTIONS_NO_GPU, module="layers"),
            Part(
                "models/layers/rnn_layers.py",
                "LSTM LinearForRNN WordEmbedding",
                CAPTIONS_STATES,
                CAPTIONS_NO_GPU + "from layers import Layer",
                module="rnn_layers",
            ),
            Part("models/losses/losses.py", "Loss SoftmaxForRNN", (), CAPTIONS_NO_GPU, module="losses"),
            Part(
                "models/RNNCaption.py",
                "RNNCaption",
                (("class RNNCaption(MultiLayerNet):", "class RNNCaption:"),),
                CAPTIONS_NO_GPU,
                module="RNNCaption",
            ),
            Part(
                "models/LSTMCaption.py",
                "LSTMCaption",
                (),
                "\n".join(f"from {name} import *" for name in ("layers", "losses", "rnn_layers", "RNNCaption")),
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        PATCHES,
        "convolution of patches",
        (Part("Assignment 3/Assignment3.py", PATCHES_TAKEN, after=PATCHES_LOSS),),
        patches,
    ),
    Subject(
        LETTERS,
        "embedded letters",
        (
            Part("src/makemore/data.py", "one_hot", LETTERS_FLOATS[1:], module="data"),
            Part("src/makemore/neural.py", LETTERS_TAKEN, LETTERS_FLOATS[:1], "import data", module="neural"),
            Part(
                "src/makemore/neural_mlp.py",
                "MLPParams forward backward",
                LETTERS_CLASS,
                LETTERS_BEFORE,
                LETTERS_LOSS,
            ),
        ),
        letters,
    ),
]

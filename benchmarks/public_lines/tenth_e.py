"""Subjects of another part of a set: networks over time as functions, layers and one loop, and a block of attention."""

import numpy as np

from .fourth_models import model
from .programs import Given, Part, Subject, above, copied, layer, loss, numbers


def part(path, take, before="", edits=(), after=""):
    """A module of the name of its file."""
    return Part(path, take, edits, before, after, module=path.rpartition("/")[2].removesuffix(".py"))


def summed(forward, given):
    return lambda: float((above(out := forward(**copied(given))[0]) * out).sum())


# names letter by letter: time last, one sequence, gradients in dicts, activations as classes --------------------------

NAMES = "kjpou1/rnn_lstm_from_scratch"
SIGMOID = "from sigmoid import SigmoidActivation\n"
TANH = "from tanh import TanhActivation\n"
ACTIVATIONS = (
    part("src/activations/base_activation.py", "BaseActivation", "from abc import ABC, abstractmethod"),
    part("src/activations/sigmoid.py", "SigmoidActivation", "from base_activation import BaseActivation"),
    part("src/activations/tanh.py", "TanhActivation", "from base_activation import BaseActivation"),
)
LOSS = "compute_loss_and_grad project_logit_grad_to_hidden"
OUTPUT = "compute_output_layer_gradients"
LOSSES = f"from loss_utils import {LOSS.replace(' ', ', ')}\nfrom grad_utils import {OUTPUT}"
CELL = (
    ("def lstm_forward(x_seq, a0, parameters)", "def lstm_forward(x_seq, a0, c0, parameters)"),
    ("c_next = np.zeros_like(a0)", "c_next = c0"),
    ("* it * TanhActivation.backward(cct)", "* it * (1 - cct**2)"),  # see README.md
)
MODEL = """

def loss_and_gradients(X, Y, a0, parameters):
    cache = rnn_forward(X, a0, parameters)
    loss, dy = compute_loss_and_grad(cache[2], Y, reduction="mean")
    da = project_logit_grad_to_hidden(dy, parameters["Wya"])
    gradients, a = rnn_backward(da, parameters, cache)
    gradients.update(compute_output_layer_gradients(dy, a))
    return loss, {name: gradients[f"d{name}"] for name in parameters}
"""


def names_lstm(m):
    """The gradients of the inputs are those of one-hot columns, that of the first cell is not handed back."""
    r = numbers()
    weights = {f"W{g}": 0.7 * r(3, 8) for g in "fico"} | {f"b{g}": r(3, 1) for g in "fico"}
    given = {"x_seq": [0, 3, 1], "a0": r(3, 1), "c0": r(3, 1)}
    given["parameters"] = weights | {"Wy": r(5, 3), "by": r(5, 1)}

    def gradients():
        a, _, caches = m.lstm_forward(**copied(given))
        found = m.lstm_backwards(above(a), caches)
        return {name: found[f"d{name}"] for name in ("a0", *weights)}

    return Given(
        m.lstm_forward, m.lstm_backwards, given, {"a0": given["a0"]} | weights, summed(m.lstm_forward, given), gradients
    )


def names_rnn(m):
    r = numbers()
    weights = {"Wax": r(3, 5), "Waa": 0.7 * r(3, 3), "Wya": r(5, 3), "ba": r(3, 1), "by": r(5, 1)}
    given = {"X": [0, 3, 1], "Y": [3, 1, 4], "a0": r(3, 1), "parameters": weights}
    return model(m.loss_and_gradients, weights, **given)


# a transformer for pictures: each head has layers of its own ----------------------------------------------------------

PICTURES = "kmsgnnew/vision_transformer_numpy"
TYPES = "import copy\nfrom typing import Tuple\n\nOptimizer = object"
SHIFTED = "from each score a maximum over another axis is taken, so that what is given is no softmax"
ROWS = (("np.max(x, axis=-1)[:, None]", "np.max(x, axis=-1)[..., None]"),)  # see README.md
LINEAR = "from linear import Linear\n"
HEADS = (
    part("src/linear.py", "Linear", TYPES),
    part("src/softmax.py", "Softmax", edits=ROWS),
    part("src/multi_head_attention.py", "MultiHeadAttention", f"{LINEAR}from softmax import Softmax"),
)
IMPORTS = """from gelu import GELU
from layer_normalization import LayerNormalization
from multi_head_attention import MultiHeadAttention"""
BLOCK = (
    part("src/gelu.py", "GELU"),
    part("src/layer_normalization.py", "LayerNormalization", TYPES),
    part("src/vit_block.py", "ViTBlock", LINEAR + IMPORTS),
)


def with_weights(made, path=""):
    """{path: object} of those that an object is made of and that have weights."""
    if hasattr(made, "w") or hasattr(made, "gamma"):
        return {path: made}
    entries = enumerate(made) if isinstance(made, list) else vars(made).items()
    objects = [(name, entry) for name, entry in entries if isinstance(entry, list) or hasattr(entry, "__dict__")]
    return {key: found for name, entry in objects for key, found in with_weights(entry, f"{path}{name}.").items()}


def pictures(name, argument, *sizes):
    def make(m):
        r, first = numbers(), with_weights(getattr(m, name)(*sizes))
        own = {path: [w for w in ("w", "b", "gamma", "beta") if hasattr(part, w)] for path, part in first.items()}
        weights = {path: {w: 0.7 * r(*getattr(first[path], w).shape) for w in own[path]} for path in own}

        def fresh():
            made = getattr(m, name)(*sizes)
            for path, part in with_weights(made).items():
                vars(part).update(weights[path])
            return made

        def gradients_of(made, returned):
            parts = with_weights(made)
            found = {f"{path}{w}": getattr(parts[path], f"grad_{w}") for path in own for w in own[path]}
            return {argument: returned} | found

        arrays = {f"{path}{w}": weights[path][w] for path in own for w in own[path]}
        return layer(fresh, gradients_of, weights=arrays, **{argument: r(2, 3, 4)})

    return make


# a course's network for characters: vectors, a list over time that is gone through from its end -----------------------

BOOK = "leoTiez/vanilla-RNN"
LATER = (
    ("np.float128", "np.float64"),
    ("reversed(\n                zip(", "reversed(list(\n                zip("),
    ("input_vectors[:-1, :])\n        )):", "input_vectors[:-1, :])\n        ))):"),
    ("print 'Smooth Loss at step', num, ':', smooth_loss", "pass"),
    ("print '\\nSynthesised text\\n'", "pass"),
    ("print convert_seq", "convert_seq"),
    ("print '\\n'", "pass"),
)
CHECKED = """

class Characters(RNN):
    def loss_and_gradients(self, inputs, labels, h0):
        loss, p, _, h, linear = self.forward_loss(inputs, labels, h0)
        return loss, *self.backward_pass(inputs, linear, h, p, labels, clip_grads=False)
"""


def book(m):
    made, r = m.Characters(np.array(list("abcde")), 3), numbers()
    names = "output_weights recurrent_weights input_weights output_bias bias"
    weights = {name: 0.7 * r(*getattr(made, name).shape) for name in names.split()}
    vars(made).update(weights)
    one_hot = np.eye(5)
    return model(made.loss_and_gradients, weights, inputs=one_hot[[0, 3, 1, 1]], labels=one_hot[[3, 1, 1, 4]], h0=r(3))


# translation by two GRUs: the whole training loop in one function -----------------------------------------------------

TRANSLATION = "JotaniyaKeyur/gru-from-scratch-translation"
GATES = tuple(f"{name}{side}" for side in ("", "_dec") for g in "zrh" for name in (f"W{g}x", f"W{g}h", f"b{g}"))
ALL = ("E", *GATES, "Wo", "bo")
WITH_INPUTS = (("dh_t, cache, ", "dh_t, cache, Wzx, Wrx, Whx, "),)  # see README.md
ENCODER = "the gradient of the inputs takes its weights from globals, which are the encoder's, for the decoder too"
GRU = "sigmoid softmax make_decoder_io gru_step_forward gru_step_backward"
LOOP = (
    ("def train():\n    from tqdm.auto import tqdm\n", f"def train(train_tokenized, h0, {', '.join(ALL)}):\n"),
    ('tqdm(range(len(train_tokenized)), desc=f"Epoch {epoch+1}/{epochs}")', "range(len(train_tokenized))"),
    ("ids_to_embeddings(", "ids_to_embeddings(E, "),
    ("encoder_caches[t],", "encoder_caches[t], Wzx, Wrx, Whx,"),
    ("decoder_caches[t],", "decoder_caches[t], Wzx_dec, Wrx_dec, Whx_dec,"),
    ("h_enc = np.zeros((hidden_dim, 1))", "h_enc = h0"),
    ("np.clip(grad, -5.0, 5.0, out=grad)", "pass"),
    ("            # SGD + Momentum Update\n", f"            return loss, d{', d'.join(ALL)}, dh_enc\n"),
)
SETTINGS = """from embeddings import ids_to_embeddings
from utils import *

epochs, l2_lambda, hidden_dim, bos_token_id, pad_token_id = 1, 0.0, 3, 2, 0"""


def gru_weights(r, sides=("", "_dec")):
    shapes = {"x": (3, 4), "h": (3, 3)}
    return {f"{n}{side}": 0.7 * r(*shape) for side in sides for g in "zrh"
            for n, shape in ((f"W{g}x", shapes["x"]), (f"W{g}h", shapes["h"]), (f"b{g}", (3, 1)))}  # fmt: skip


def gru_step(m):
    """Gradients in a dict; the backward pass is given the weights."""
    r = numbers()
    weights = gru_weights(r, ("",))
    given = {"x_t": r(4, 1), "h_prev": r(3, 1)} | weights

    def gradients():
        h, cache = m.gru_step_forward(**copied(given))
        found = m.gru_step_backward(above(h), cache, *(given[f"W{g}{of}"].copy() for of in "xh" for g in "zrh"))
        return {"x_t": found["dx"], "h_prev": found["dh_prev"]} | {name: found[f"d{name}"] for name in weights}

    return Given(m.gru_step_forward, m.gru_step_backward, given, given, summed(m.gru_step_forward, given), gradients)


def translation(m):
    r = numbers()
    weights = {"E": r(5, 4)} | gru_weights(r) | {"Wo": r(5, 3), "bo": r(5, 1)}
    pairs = [{"input_ids": [1, 4, 3], "labels": [3, 1, 4, 0]}]
    return loss(m.train, f"{' '.join(weights)} h0", train_tokenized=pairs, h0=r(3, 1), **weights)


# a network's layer whose last and first step stand outside of the loop ------------------------------------------------

STEPS = "ligd07/RNN-Numpy"
OVER_TIME = (
    ("self.x_list = x\n", "self.x_list, self.h0 = x, h.reshape(1, -1)\n"),
    ("self.grad_W += 0", "self.grad_W += self.h0.T @ grad_z"),  # see README.md
    ("np.clip(i, -5, 5, out=i)", "np.clip(i, -1000, 1000, out=i)"),
)
LAYERS = (
    part("module.py", "Layers Module"),
    part("rnn.py", "RNN", "from module import Layers", OVER_TIME),
    part("bp.py", "BP", "from module import Layers"),
    part("activate.py", "SoftMax", "from module import Layers"),
)
NET = """from module import Module
from rnn import RNN
from bp import BP
from activate import SoftMax

hidden_size = 3"""
FIRST = "the first step's share of the recurrent weights' gradient is left out"
SENTENCE = """

class Sentence(Net):
    def loss_and_gradients(self, x, y, h):
        y_hat, _ = self(x, h)
        value, grad = loss(y_hat, y)
        self.backward(grad)
        rnn, bp = self.rnn, self.bp1
        return value, rnn.grad_U, rnn.grad_W, rnn.grad_B, bp.grad_W, bp.grad_B
"""


def steps(m):
    """The gradient of the state before the first step is not handed back."""
    made, r = m.RNN("RNN", 4, 3), numbers()
    weights = {"U": r(4, 3), "W": 0.7 * r(3, 3), "B": r(3)}
    vars(made).update(weights)
    given = {"x": r(4, 4), "h": r(1, 3)}

    def gradients():
        out, _ = made.forward(**copied(given))
        found = made.backward(above(out))
        return {"x": found} | {name: getattr(made, f"grad_{name}") for name in weights}

    return Given(made.forward, made.backward, given, given | weights, summed(made.forward, given), gradients)


def sentence(m):
    made, r = m.Sentence(), numbers()
    shapes = {"rnn": {"U": (4, 3), "W": (3, 3), "B": (3,)}, "bp1": {"W": (3, 4), "B": (4,)}}
    weights = {part: {name: 0.7 * r(*shape) for name, shape in own.items()} for part, own in shapes.items()}
    for part, own in weights.items():
        vars(getattr(made, part)).update(own)
    words = np.eye(4)
    return model(made.loss_and_gradients, weights, x=words[[0, 1, 3, 2]], y=words[[1, 3, 2, 0]], h=r(1, 3))


UTILS = part("src/utils.py", GRU, edits=WITH_INPUTS)
LOOPS = (UTILS, part("src/embeddings.py", "ids_to_embeddings"), part("train.py", "train", SETTINGS, LOOP))
STEP = "lstm_cell_step lstm_forward lstm_step_backward lstm_backwards"
SIMPLE = "rnn_cell_step rnn_forward rnn_step_backward rnn_backward"

SUBJECTS = [
    Subject(
        NAMES,
        "lstm",
        (*ACTIVATIONS, part("src/models/lstm_model.py", STEP, SIGMOID + TANH, CELL)),
        names_lstm,
        "the candidate's derivative is that of the tanh of a tanh",
    ),
    Subject(
        NAMES,
        "rnn",
        (
            *ACTIVATIONS,
            part("src/utils/loss_utils.py", LOSS),
            part("src/utils/grad_utils.py", OUTPUT),
            part("src/models/rnn_model.py", SIMPLE, TANH + LOSSES, after=MODEL),
        ),
        names_rnn,
    ),
    Subject(PICTURES, "attention", HEADS, pictures("MultiHeadAttention", "sequences", 4, 2), SHIFTED),
    Subject(PICTURES, "block", HEADS + BLOCK, pictures("ViTBlock", "x", 4, 2, 2), SHIFTED),
    Subject(BOOK, "characters", (Part("Assignment4-default.py", "softmax RNN", LATER, after=CHECKED),), book),
    Subject(TRANSLATION, "GRU step", (UTILS,), gru_step, ENCODER),
    Subject(TRANSLATION, "translation", LOOPS, translation, ENCODER),
    Subject(STEPS, "rnn", LAYERS[:2], steps, FIRST),
    Subject(STEPS, "sentence", (*LAYERS, part("RNN_sentence.py", "loss Net", NET, after=SENTENCE)), sentence, FIRST),
]

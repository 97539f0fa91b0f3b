"""Subjects by owners that begin with A, D, G, J and M: an LSTM for sentences, a stack of RNNs, a player's LSTM, a GRU
cell, words from drawn words, a network of convolutions, a normalisation of groups of channels."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, prefixed

# an LSTM that sorts sentences by the state at their last word; batches, weights in a dict, rest filled up with zeros --

SENTENCES = "modelverseml/LSTM-Sentiment-Analysis"
SENTENCES_WEIGHTS = {f"W{gate}": (7, 11) for gate in "fico"} | {f"b{gate}": (1, 7) for gate in "fico"}
SENTENCES_WEIGHTS |= {"Wy": (13, 7), "by": (1, 13)}
SENTENCES_EDITS = (
    ("        a_prev = np.zeros((B, H))\n", "        a_prev = self.a0\n"),
    ("        c_prev = np.zeros((B, H))\n", "        c_prev = self.c0\n"),
)
SENTENCES_LOSS = f"""

def loss_and_gradients(X, y, a0, c0, {", ".join(SENTENCES_WEIGHTS)}):
    model = ManualLSTM()
    model.a0, model.c0 = a0, c0
    model.params = dict(zip({list(SENTENCES_WEIGHTS)}, ({", ".join(SENTENCES_WEIGHTS)})))
    logits, ctx = model.forward(X)
    loss = -np.mean(np.log(model._softmax(logits)[np.arange(len(y)), y]))
    return loss, model.backward(logits, y, ctx)
"""


def sentences(m):
    r = numbers()
    weights = weights_of(r, " ".join(SENTENCES_WEIGHTS), *SENTENCES_WEIGHTS.values())
    said = r(3, 5, 4)
    said[0, 4:], said[2, 3:] = 0, 0  # two of the sentences are shorter
    given = {"X": said, "y": np.array([9, 0, 4]), "a0": r(3, 7), "c0": r(3, 7)}
    return loss(m.loss_and_gradients, " ".join(SENTENCES_WEIGHTS), **given, **weights)


# an RNN of several layers in a self-made framework: all states in a table of steps and layers, whose errors are filled
# in from its corner: the last step, the top layer, then all within; one pass for the outputs, one for the last states

TABLE = "guo-chengfeng/kitorch"
TABLE_WEIGHTS = {"weight_i0": (11, 7), "weight_i1": (7, 7), "weight_i2": (7, 7)}
TABLE_WEIGHTS |= {f"weight_h{k}": (7, 7) for k in range(3)} | {f"bias{k}": (7,) for k in range(3)}
TABLE_EDITS = (
    # wrong as published: a step later among the outputs' gradients, a layer higher among those of the last states
    ("o_grad[seq] +", "o_grad[seq - 1] +"),
    ("h_grad[layer] +", "h_grad[layer - 1] +"),
)
# what it needs of the framework: tensors that only hold numbers, and the edges of its graph
TABLE_BEFORE = """from collections import namedtuple
from typing import List

Edge = namedtuple("Edge", "tensor args")
step_in = None


class Layer:
    training = True


class Tensor:
    def __init__(self, data, requires_grad=False, depends_on=(), grad_fn=None, is_simple=True):
        self.data, self.requires_grad, self.depends_on, self.grad_fn = data, requires_grad, depends_on, grad_fn

    def __getitem__(self, place):
        return Tensor(self.data[place])

    @property
    def shape(self):
        return self.data.shape


def rand(*shape, requires_grad, **rest):
    return Tensor(np.zeros(shape), requires_grad)
"""
TABLE_PAIR = f"""

def forward(x, h0, {", ".join(TABLE_WEIGHTS)}):
    net = RNN(11, 7, num_layers=3)
    for k, tensor in enumerate((*net.weight_i, *net.weight_h, *net.bias)):
        tensor.data = ({", ".join(TABLE_WEIGHTS)})[k]
    output, hn = net(Tensor(x, requires_grad=True), Tensor(h0, requires_grad=True))
    return output.data, hn.data, (net, output, hn)


def backward(d_output, d_hn, cache):
    net, output, hn = cache
    (_, dx), (_, dh0) = output.grad_fn(Tensor(d_output), output.depends_on)
    (_, dx_hn), (_, dh0_hn) = hn.grad_fn(Tensor(d_hn), hn.depends_on)
    grads = [tensor.grad.data for tensor in (*net.weight_i, *net.weight_h, *net.bias)]
    return dx.data + dx_hn.data, dh0.data + dh0_hn.data, *grads
"""


def table(m):
    r = numbers()
    weights = weights_of(r, " ".join(TABLE_WEIGHTS), *TABLE_WEIGHTS.values())
    results = "x h0 " + " ".join(TABLE_WEIGHTS)
    return pair(m.forward, m.backward, results, outputs=2, x=r(5, 4, 11), h0=r(3, 4, 7), **weights)


# an LSTM for the moves of a player of a game: a step gives back eleven gradients, activations are worked out anew -----

MOVES = "mustfaozcn/GridWorld"
MOVES_WEIGHTS = {f"W_{gate}": (11, 7) for gate in "figo"} | {f"b_{gate}": (7,) for gate in "figo"}
MOVES_WEIGHTS |= {"W_out": (7, 13), "b_out": (13,)}
MOVES_EDITS = (
    ("h_t = np.zeros((batch, self.hidden_dim), dtype=np.float32)", "h_t = self.h0"),
    ("c_t = np.zeros((batch, self.hidden_dim), dtype=np.float32)", "c_t = self.c0"),
    # wrong as published: the state before a step gets the gradient of the state after it a second time
    ("dh_prev = dconcat[:, input_dim:] + dh_t", "dh_prev = dconcat[:, input_dim:]"),
    *((f"self.{name} -= self.lr * d{name}_sum", f"self.d{name} = d{name}_sum") for name in list(MOVES_WEIGHTS)[:8]),
    *((f"self.{name} -= self.lr * d{name}", f"self.d{name} = d{name}") for name in ("W_out", "b_out")),
)
MOVES_LOSS = f"""

def loss_and_gradients(X, target, h0, c0, {", ".join(MOVES_WEIGHTS)}):
    model = LSTM(input_dim=4, hidden_dim=7, sequence_length=5, out_dim=13)
    model.h0, model.c0, model.out_dim = h0, c0, 13  # its backward pass asks for `out_dim`, which it does not keep
    for name, weight in zip({list(MOVES_WEIGHTS)}, ({", ".join(MOVES_WEIGHTS)})):
        setattr(model, name, weight)
    q_values, all_cache = model.forward(X)
    difference = q_values - target
    model.backward(X, all_cache, difference)
    loss = np.sum(difference**2) / 2 / len(X)
    return loss, *(getattr(model, "d" + name) for name in {list(MOVES_WEIGHTS)})
"""


def moves(m):
    r = numbers()
    weights = weights_of(r, " ".join(MOVES_WEIGHTS), *MOVES_WEIGHTS.values())
    given = {"X": r(3, 5, 4), "target": r(3, 13), "h0": r(3, 7), "c0": r(3, 7)}
    return loss(m.loss_and_gradients, " ".join(MOVES_WEIGHTS), **given, **weights)


# a homework's GRU cell: vectors forwards, rows backwards, products of rows and columns turned round at the end --------

CELL = "darasiemi/Deep_Learning_Framework"
CELL_WEIGHTS = {f"W{gate}x": (5, 3) for gate in "rzn"} | {f"W{gate}h": (5, 5) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{gate}{kind}": (5,) for gate in "rzn" for kind in "xh"}
CELL_LAYER = """

class Cell(GRUCell):
    def __init__(self):
        super().__init__(3, 5)

    def backward(self, delta):
        return super().backward(delta.reshape(1, -1))
"""

# words near a word, against all words and against words drawn by chance: two models of one base class -----------------

WORDS = "ahmedehabb/Word2vec"
WORDS_EDITS = (
    ("class Parameters:", "@dataclass\nclass Parameters:"),
    # wrong as published: a word that is drawn twice gets the gradient of one draw
    (
        "grad_context[neg_indices] += neg_sig_pos[:, None] * v_c[None, :]",
        "np.add.at(grad_context, neg_indices, neg_sig_pos[:, None] * v_c[None, :])",
    ),
)
WORDS_LOSS = """

def sample_negative_indices(vocab_size, dist, K, rng, exclude):
    return next(rng)


def loss_and_gradients(pairs, drawn, center, context):
    params, total, d_center, d_context = Parameters(center, context), 0, 0, 0
    models = SoftmaxModel(params), NegSamplingModel(params, 3, None, iter(drawn))
    for word, near in pairs:
        for model in models:
            loss, cache = model.forward(word, near)
            gradients = model.backward(cache)
            total, d_center, d_context = total + loss, d_center + gradients[0], d_context + gradients[1]
    return total, d_center, d_context
"""


def words(m):
    r = numbers()
    weights = weights_of(r, "center context", (11, 5), (11, 5))
    given = {"pairs": [(2, 5), (5, 2), (0, 9), (2, 10)], "drawn": [[1, 1, 8], [7, 0, 3], [4, 6, 4], [9, 8, 9]]}
    return loss(m.loss_and_gradients, "center context", **given, **weights)


# two convolutions, pooling, a layer of all and softmax, for one image; layers are called, loops over places -----------

IMAGES = "jackbullen/numpy-cnn"
IMAGES_WEIGHTS = {"K1": (5, 3, 4, 3), "K2": (4, 5, 3, 4), "W": (7, 36), "b": (7,)}
IMAGES_EDITS = (
    # wrong as published: the gradient of the input is summed over its channels too, so that all of them get the same
    ("reflected_weights[:,:,:,:])", "reflected_weights[:,:,:,:], axis=(0,2,3))"),
)
IMAGES_LOSS = """

def loss_and_gradients(x, target, K1, K2, W, b):
    first, second = Convolution("first", 3, 4, 3, 5), Convolution("second", 4, 3, 5, 4)
    dense = Dense("dense", 36, 7)
    first.kernels, second.kernels, dense.weights, dense.biases = K1, K2, W, b
    model = Model([first, ReLU(), second, ReLU(), MaxPooling(2, 2), dense, Softmax()])
    model.forward(x)
    loss = model.backward(target)
    gradients = [made.weight_gradients[0] for made in (first, second, dense)]
    return loss, *gradients, dense.bias_gradients[0]
"""


def images(m):
    r = numbers()
    weights = {name: 0.2 * r(*shape) for name, shape in IMAGES_WEIGHTS.items()}
    return loss(m.loss_and_gradients, " ".join(weights), x=r(3, 11, 11), target=np.eye(7)[2], **weights)


# a course's normalisation of groups of channels, worked out from the normalised values through variance and mean ------

GROUPS = "miemie2013/Pure_Python_Deep_Learning"
GROUPS_LAYER = """

class Kept:
    def __init__(self):
        self.found = {}

    def update(self, name, value, gradient, *rest):
        self.found[name] = gradient
        return value


class Groups(GroupNorm):
    def __init__(self):
        super().__init__(12, num_groups=3)

    def forward(self, x):
        return self.train_forward(x)

    def backward(self, grad):
        self.kept = Kept()
        return self.train_backward(grad, self.kept)
"""


def kept(made, path):
    """The gradient of a weight is what its optimiser was given."""
    return made.kept.found[f"_{path}"]


SUBJECTS = [
    Subject(
        SENTENCES,
        "LSTM",
        (
            Part(
                "code/model_building/manual_lstm.py",
                "_sigmoid ManualLSTM",
                SENTENCES_EDITS,
                "DEFAULT_SEED = 42",
                SENTENCES_LOSS,
            ),
        ),
        sentences,
    ),
    Subject(
        TABLE,
        "RNNs",
        (Part("nn/rnn_manual.py", "RNNBase RNN RNNBackward", TABLE_EDITS, TABLE_BEFORE, TABLE_PAIR),),
        table,
        published="takes the outputs' gradients a step later, and those of the last states a layer higher",
    ),
    Subject(
        MOVES,
        "LSTM",
        (
            Part(
                "lstm_numpy.py",
                "LSTM",
                MOVES_EDITS,
                "from typing import List, Tuple",
                MOVES_LOSS,
            ),
        ),
        moves,
        published="gives the state before a step the gradient of the state after it a second time; asks for what it "
        "does not keep",
    ),
    Subject(
        CELL,
        "GRU cell",
        (
            Part("activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part(
                "gru_cell.py", "GRUCell", (('        print("dn", dn)\n', ""),), "from activation import *", CELL_LAYER
            ),
        ),
        object_of("Cell", CELL_WEIGHTS, "x h", prefixed, x=(3,), h=(5,)),
    ),
    Subject(
        WORDS,
        "word2vec",
        (
            Part(
                "word2vec_numpy.py",
                "softmax sigmoid Parameters Word2VecModel SoftmaxModel NegSamplingModel",
                WORDS_EDITS,
                "from dataclasses import dataclass",
                WORDS_LOSS,
            ),
        ),
        words,
        published="a word that is drawn twice gets the gradient of one draw",
    ),
    Subject(
        IMAGES,
        "convolutions",
        (
            Part(
                "layers.py",
                "Convolution ReLU MaxPooling Dense Softmax CrossEntropyLoss Model",
                IMAGES_EDITS,
                after=IMAGES_LOSS,
            ),
        ),
        images,
        published="sums the gradient of a convolution's input over its channels",
    ),
    Subject(
        GROUPS,
        "group normalisation",
        (
            Part("layers/base_layer.py", "Layer", module="base_layer"),
            Part("layers/gnnorm.py", "GroupNorm", (), "from base_layer import Layer", GROUPS_LAYER),
        ),
        object_of("Groups", {"scale": (12,), "offset": (12,)}, "x", kept, x=(5, 12, 7, 11)),
    ),
]

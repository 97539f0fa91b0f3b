"""Subjects of the third held-out set that are layers: frameworks, a course's cells, an LSTM for hardware."""

import numpy as np

from .programs import Part, Subject, layer, numbers, pair

# one vector for all weights, views into it, results written into buffers; both directions ----------------------------

NEURAL = "gmavr/pyneural"
RATES = "sigmoid sigmoid_grad tanh_grad relu relu_grad relu_clipped relu_clipped_grad select_activation"
NEURAL_BASE = (
    Part("pyneural/activation.py", RATES, module="pn_activation"),
    Part(
        "pyneural/neural_base.py",
        "CoreNN ComponentNN",
        before="from abc import ABC, abstractmethod\nfrom typing import Any, Dict, Optional, Tuple, Type, Union",
        module="pn_base",
    ),
)
NEURAL_IMPORTS = "import pn_activation as ac\nfrom pn_base import ComponentNN\nfrom typing import Type, Union"
START = """

class Sequence({name}):
    def forward(self, x):
        self.reset_last_hidden()
        return super().forward(x)
"""
RNN, GRU = (
    Part(f"pyneural/{kind.lower()}_layer.py", f"{kind}Layer", before=NEURAL_IMPORTS, module=f"pn_{kind.lower()}")
    for kind in ("Rnn", "Gru")
)


def ending(part):
    """The part as the last module, with a layer that starts each sequence at zero."""
    return Part(part.path, part.take, before=part.before, after=START.format(name=part.take))


def neural(make, *shape):
    def subject(m):
        size = make(m).get_num_p()
        weights = {"model": 0.7 * numbers(3)(size)}

        def fresh():
            made = make(m)
            made.init_parameters_storage(model=weights["model"])
            return made

        def gradients_of(made, returned):
            return {"model": made.get_gradient(), "x": returned}

        return layer(fresh, gradients_of, backward="backwards", weights=weights, x=numbers()(*shape))

    return subject


BOTH = Part(
    "pyneural/bidir_rnn_layer.py",
    "BidirRnnLayer",
    before="import pn_gru as gru\nimport pn_rnn as rl\nfrom pn_base import ComponentNN",
    after=START.format(name="BidirRnnLayer"),
)

# a Chinese course: lists over time, all weights in one list ----------------------------------------------------------

LESSONS = "HuichuanLI/python_deep_learning_framework"
LESSON_UTIL = Part("util.py", "sigmoid", module="lesson_util")
STACKED = """

class Sequence({name}):
    def forward(self, Xs):
        self.reset_state(Xs[0].shape[0])
        return np.stack(super().forward(Xs)[0])
"""
WITHOUT_CLIPPING = (("        grad_clipping(grads, 5.)\n", ""),)
JOINED = (  # lines that were broken in two, and a global that is an attribute in the LSTM
    ("dH_tilda = d\n            H * (1 - U)", "dH_tilda = dH * (1 - U)"),
    ("dH_pre = d\n            H * U", "dH_pre = dH * U"),
    ("dU = H_pr\n            e * dH - H_tilda * dH", "dU = H_pre * dH - H_tilda * dH"),
    ("        dH_next = np.zeros_like(Hs[0])\n", "        dH_next = np.zeros_like(Hs[0])\n        Xs = self.Xs\n"),
    ("        Hs = {}\n", "        Hs = {}\n        self.Xs = Xs\n"),
)


def lessons(name, gates):
    def make(m):
        names = [*gates.split(), "Wy", "by"]
        first, r = m.Sequence(4, 3, 2), numbers(3)
        weights = {n: 0.7 * r(*w.shape) for n, w in zip(names, first.params, strict=True)}

        def fresh():
            made = m.Sequence(4, 3, 2)
            made.params = list(weights.values())
            return made

        def gradients_of(made, returned):
            return dict(zip(names, returned, strict=True))

        return layer(fresh, gradients_of, weights=weights, Xs=numbers()(3, 2, 4))

    return make


def lesson(path, name, edits, take=""):
    before = "from lesson_util import sigmoid"
    return LESSON_UTIL, Part(path, f"{take}{name}", edits, before, STACKED.format(name=name))


# a framework of a German course's kind: a layer inside a layer, the bias a row of the weights ------------------------

FRAMEWORK = "razaulazam/DLFramework"
KEPT = (("        self.weights -= self.delta*self.gradient\n", ""),)
PROPERTY = ((".get_gradient_weights()", ".gradient_weights"),)
INSIDE = tuple(
    Part(f"layers/{path}.py", name, edits, module=path)
    for path, name, edits in (
        ("fully_connected", "FullyConnected", KEPT),
        ("tanh", "TanH", ()),
        ("sigmoid", "Sigmoid", ()),
    )
)
ANNOTATED = "class Optimizer:\n    pass\n\n\nclass Initializers:\n    pass"
RNN_INSIDE = (*PROPERTY, ("TanH.TanH()", "TanH()"))


def inside(name, inner, results, wide):
    """inner: the two layers inside, whose weights these are; results: where the gradients are kept."""

    def make(m):
        r = numbers(3)
        weights = dict(zip(inner, (0.5 * r(8, wide), 0.5 * r(4, 2)), strict=True))

        def fresh():
            made = getattr(m, name)(4, 3, 2, 10)
            for key, weight in weights.items():
                getattr(made, key).weights = weight
            return made

        def gradients_of(made, returned):
            kept = {key: getattr(made, result) for key, result in zip(inner, results, strict=True)}
            return kept | {"input_tensor": returned}

        return layer(fresh, gradients_of, weights=weights, input_tensor=numbers()(3, 4))

    return make


# an LSTM for hardware, with peepholes, columns are steps -------------------------------------------------------------

HARDWARE = "feifengwhu/RNN-ON-FPGA"
LETTERS = [f"{k}{g}" for k in "WR" for g in "zifo"] + ["pi", "pf", "po"] + [f"b{g}" for g in "zifo"]
ADDED = tuple((f"self.{n} += self.learnRate *", f"self.{n}_update += self.learnRate *") for n in LETTERS)
THROUGH_THE_GATES = (  # see README.md
    *((f"np.dot(self.R{g},self.delta_{g}_list", f"np.dot(self.R{g}.T,self.delta_{g}_list") for g in "zifo"),
    (
        "np.multiply( np.multiply(upperLayerDeltas[:,t],np.tanh",
        "np.multiply( np.multiply(self.delta_y_list[:,t],np.tanh",
    ),
    (
        "self.o_prev[:,t]))\n            else",
        "self.o_prev[:,t]) + np.multiply(self.po,self.delta_o_list[:,t]))\n            else",
    ),
    (
        "np.multiply(self.delta_c_list[:,t+1],self.f_prev[:,t+1]))",
        "np.multiply(self.delta_c_list[:,t+1],self.f_prev[:,t+1]) + np.multiply(self.po,self.delta_o_list[:,t])"
        " + np.multiply(self.pi,self.delta_i_list[:,t+1]) + np.multiply(self.pf,self.delta_f_list[:,t+1]))",
    ),
)
COLUMNS = """

class Sequence(LSTMlayer):
    def forward(self, X):
        self.future_y, self.future_c = np.zeros(self.hiddenUnits), np.zeros(self.hiddenUnits)
        for name in [name for name in vars(self) if name.endswith("_update")]:
            setattr(self, name, np.zeros_like(getattr(self, name[:-7])))
        for t in range(self.T):
            self.forwardPropagate_BPTT(X[:, t])
        return self.y_prev
"""


def hardware(m):
    r = numbers()
    shapes = {"W": (3, 4), "R": (3, 3), "p": (3,), "b": (3,)}
    weights = {n: 0.7 * r(*shapes[n[0]]) for n in LETTERS}

    def fresh():
        made = m.Sequence(4, 3, 2, 1.0, "BPTT", 0.1, 1.0, 3)
        vars(made).update(weights)
        return made

    def gradients_of(made, returned):
        return {n: getattr(made, f"{n}_update") for n in weights} | {"X": returned}

    return layer(fresh, gradients_of, backward="backPropagate_BPTT", weights=weights, X=r(4, 3))


# a course's cells and batch normalisation ----------------------------------------------------------------------------

CMU = "neelpawarcmu/mytorch-library"
CMU_ACTIVATIONS = Part("mytorch/activation.py", "Activation Sigmoid Tanh", module="cmu_functions")
CMU_IMPORTS = "from cmu_functions import Sigmoid, Tanh"
SUMS = ((" / batch_size", ""),)
QUIET = (("            print(f'{elemname} shape: {elem.shape}', end=\"\\t\")\n", ""),)
CACHED = """

def forward(x, h, W_ih, W_hh, b_ih, b_hh):
    cell = RNNCell(x.shape[1], h.shape[1])
    cell.init_weights(W_ih, W_hh, b_ih, b_hh)
    h_prime = cell(x, h)
    return h_prime, (cell, h_prime, x, h)


def backward(delta, cache):
    cell, h_prime, x, h = cache
    dx, dh = cell.backward(delta, h_prime, x, h)
    return dx, dh, cell.dW_ih, cell.dW_hh, cell.db_ih, cell.db_hh
"""


def cmu_rnn(m):
    r = numbers()
    inputs = {"x": r(2, 4), "h": r(2, 3), "W_ih": r(3, 4), "W_hh": r(3, 3), "b_ih": r(3), "b_hh": r(3)}
    return pair(m.forward, m.backward, " ".join(inputs), **inputs)


def cmu_gru(m):
    r = numbers()
    shapes = {f"W{g}{k}": (3, 4 if k == "x" else 3) for k in "xh" for g in "rzn"}
    shapes |= {f"b{k}{g}": (3,) for k in "ih" for g in "rzn"}
    weights = {n: r(*shape) for n, shape in shapes.items()}

    def fresh():
        made = m.GRUCell(4, 3)
        made.init_weights(**weights)
        return made

    def gradients_of(made, returned):
        return {n: getattr(made, f"d{n}") for n in weights} | dict(zip(("x", "h"), returned, strict=True))

    return layer(fresh, gradients_of, weights=weights, x=r(4), h=r(3))


def cmu_norm(m):
    r = numbers()
    weights = {"gamma": r(1, 4), "beta": r(1, 4)}

    def fresh():
        made = m.BatchNorm(4)
        vars(made).update(weights)
        return made

    def gradients_of(made, returned):
        return {n: getattr(made, f"d{n}") for n in weights} | {"x": returned}

    return layer(fresh, gradients_of, weights=weights, x=r(5, 4))


# layers of images; gradients are returned in a list ------------------------------------------------------------------

DEEPNET = "parasdahal/deepnet"
WHOLE = (
    ("+ 2 * padding - field_height) / stride", "+ 2 * padding - field_height) // stride"),
    ("+ 2 * padding - field_width) / stride", "+ 2 * padding - field_width) // stride"),
)
COLUMNS_OF = Part("deepnet/im2col.py", "get_im2col_indices im2col_indices col2im_indices", WHOLE, module="dn_im2col")


def deepnet(name, *args, shape, weights="W b"):
    def make(m):
        r = numbers(3)
        first = getattr(m, name)(*args)
        arrays = dict(zip(weights.split(), (r(*w.shape) for w in first.params), strict=True))

        def fresh():
            made = getattr(m, name)(*args)
            vars(made).update(arrays)
            return made

        def gradients_of(made, returned):
            return dict(zip(arrays, returned[1], strict=True)) | {"X": returned[0]}

        return layer(fresh, gradients_of, weights=arrays, X=numbers()(*shape))

    return make


def deepnet_layer(name):
    return COLUMNS_OF, Part("deepnet/layers.py", name, before="from dn_im2col import col2im_indices, im2col_indices")


SUBJECTS = [
    Subject(
        NEURAL,
        "RNN",
        (*NEURAL_BASE, ending(RNN)),
        neural(lambda m: m.Sequence(4, 3, 5, np.float64), 4, 4),
    ),
    Subject(
        NEURAL,
        "GRU",
        (*NEURAL_BASE, ending(GRU)),
        neural(lambda m: m.Sequence(4, 3, 5, np.float64), 4, 4),
    ),
    Subject(
        NEURAL,
        "both directions",
        (*NEURAL_BASE, RNN, GRU, BOTH),
        neural(lambda m: m.Sequence(3, 2, 5, dtype=np.float64), 4, 3),
    ),
    Subject(
        LESSONS,
        "LSTM",
        lesson("lstm.py", "LSTM", WITHOUT_CLIPPING, "dtanh "),
        lessons("LSTM", "Wi bi Wf bf Wo bo Wc bc"),
    ),
    Subject(
        LESSONS,
        "GRU",
        lesson("gru.py", "GRU", JOINED),
        lessons("GRU", "Wxu Whu bu Wxr Whr br Wxh Whh bh"),
        published="three lines are broken in two, so that names are undefined; the inputs are a global",
    ),
    Subject(
        FRAMEWORK,
        "RNN",
        (
            *INSIDE,
            Part(
                "layers/rnn.py",
                "RNN",
                RNN_INSIDE,
                f"from fully_connected import FullyConnected\nfrom tanh import TanH\n\n\n{ANNOTATED}",
            ),
        ),
        inside("RNN", ("fc_activation", "fc_output"), ("gradients_activation", "gradients_output"), 3),
        published="the layers inside change their weights while earlier steps still need them",
    ),
    Subject(
        FRAMEWORK,
        "LSTM",
        (
            *INSIDE,
            Part(
                "layers/lstm.py",
                "LSTM",
                PROPERTY,
                f"import fully_connected as fc\nimport sigmoid as S\nimport tanh\n\n\n{ANNOTATED}",
            ),
        ),
        inside("LSTM", ("fc_layer1", "fc_layer3"), ("_gradient_weights", "_gradient_weights_output"), 12),
        published="the layers inside change their weights while earlier steps still need them",
    ),
    Subject(
        HARDWARE,
        "LSTM",
        (
            Part(
                "python/LSTMlayer.py",
                "sigmoid sigmoidPrime tanhPrime LSTMlayer",
                (*ADDED, *THROUGH_THE_GATES),
                after=COLUMNS,
            ),
        ),
        hardware,
        published="recurrent weights are not transposed; the output gate gets nothing from later steps; the cell gets"
        " nothing through the peepholes",
    ),
    Subject(
        CMU,
        "RNN cell",
        (CMU_ACTIVATIONS, Part("mytorch/rnn_cell.py", "RNNCell", SUMS, CMU_IMPORTS, CACHED)),
        cmu_rnn,
        published="the gradients of the weights are divided by the number of samples, those of the inputs are not",
    ),
    Subject(
        CMU,
        "GRU cell",
        (CMU_ACTIVATIONS, Part("mytorch/gru_cell.py", "GRUCell", QUIET, CMU_IMPORTS)),
        cmu_gru,
    ),
    Subject(CMU, "batch normalisation", (Part("mytorch/batchnorm.py", "BatchNorm"),), cmu_norm),
    Subject(
        DEEPNET, "convolution", deepnet_layer("Conv"), deepnet("Conv", (2, 4, 4), 3, 3, 3, 1, 1, shape=(2, 2, 4, 4))
    ),
    Subject(
        DEEPNET,
        "maximum",
        deepnet_layer("Maxpool"),
        deepnet("Maxpool", (2, 4, 4), 2, 2, shape=(2, 2, 4, 4), weights=""),
    ),
    Subject(
        DEEPNET,
        "batch normalisation",
        deepnet_layer("Batchnorm"),
        deepnet("Batchnorm", (1, 2, 2), shape=(4, 1, 2, 2), weights="gamma beta"),
    ),
]

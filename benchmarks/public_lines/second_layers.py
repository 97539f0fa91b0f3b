"""Subjects of the second held-out set that are layers: a book, a framework, a transformer."""

import numpy as np

from .programs import Given, Part, Subject, above, copied, layer, numbers

# a book: nodes in a layer, weights and gradients in a dict of dicts --------------------------------------------------

DLFS, CHAPTER = "SethHWeidman/DLFS_code", "06_rnns/RNN_DLFS.ipynb"
BEFORE = """from typing import Dict, Tuple
from numpy import ndarray


def assert_same_shape(a, b):
    assert a.shape == b.shape"""
UPDATE = (  # of the GRU, see README.md
    ("self.u_int = self.X_r + self.H_r +", "self.u_int = self.X_u + self.H_u +"),
    ("self.H_in * H_out_grad - self.h_bar * H_out_grad", "self.H_in * dh_out - self.h_bar * dh_out"),
    ("dh_bar = (1 - self.u) * H_out_grad", "dh_bar = (1 - self.u) * dh_out"),
    ("dH_in = dh_reset * self.r        ", "dH_in = dh_reset * self.r + dh_out * self.u"),
)


def book_layer(name):
    def make(m):
        x = numbers()(2, 3, 4)
        first = getattr(m, name)(3, 5)
        first.forward(x)
        weights = dict(zip(first.params, map(numbers_like(), first.params.values()), strict=True))

        def fresh():
            made = getattr(m, name)(3, 5)
            made.forward(x)
            for key, value in weights.items():
                made.params[key] = {"value": value, "deriv": np.zeros_like(value)}
            for start in ("start_H", "start_C"):
                if hasattr(made, start):
                    setattr(made, start, np.zeros((1, 3)))
            return made

        def gradients_of(made, returned):
            return {key: made.params[key]["deriv"] for key in weights} | {"x_seq_in": returned}

        return layer(fresh, gradients_of, weights=weights, x_seq_in=x)

    return make


def numbers_like():
    r = numbers(3)
    return lambda entry: 0.6 * r(*entry["value"].shape)


def book(name, edits=()):
    return Part(CHAPTER, f"sigmoid dsigmoid tanh dtanh {name}Node {name}Layer", edits, BEFORE)


# a framework whose passes are functions of a layer, its caches in dicts ----------------------------------------------

EPYNN = "Synthaze/EpyNN"
MATHS = Part("epynn/commons/maths.py", "activation_tune sigmoid tanh", module="ep_maths")


def epynn(kind):
    folder, passes = f"epynn/{kind}", ("forward", "backward")
    helpers = "compute_shapes initialize_parameters compute_gradients update_parameters".split()
    imports = [f"from ep_{name} import {kind}_{name}" for name in passes]
    imports += [f"from ep_parameters import {', '.join(f'{kind}_{name}' for name in helpers)}"]
    imports += ["from ep_maths import activation_tune, sigmoid, tanh", "from ep_layer import Layer"]
    after = f"""

class Sequence({kind.upper()}):
    def backward(self, dX):
        dX = super().backward(dX)
        self.compute_gradients()
        return dX
"""
    return (
        MATHS,
        Part("epynn/commons/models.py", "Layer", module="ep_layer"),
        *(Part(f"{folder}/{n}.py", f"initialize_{n} {kind}_{n}", module=f"ep_{n}") for n in passes),
        Part(f"{folder}/parameters.py", " ".join(f"{kind}_{name}" for name in helpers), module="ep_parameters"),
        Part(
            f"{folder}/models.py",
            kind.upper(),
            before="\n".join([*imports, "orthogonal = clip_gradient = None"]),
            after=after,
        ),
    )


def sequence(gates):
    def make(m):
        r = numbers()
        shapes = {"U": (4, 3), "V": (3, 3), "b": (1, 3)}
        weights = {f"{k}{g}": 0.8 * r(*shape) for g in gates.split() for k, shape in shapes.items()}

        def fresh():
            made = m.Sequence(3, sequences=True)
            made.p = weights
            return made

        def gradients_of(made, returned):
            return {key: made.g[f"d{key}"] for key in weights} | {"A": returned}

        return layer(fresh, gradients_of, weights=weights, A=r(2, 3, 4))

    return make


# a transformer -------------------------------------------------------------------------------------------------------

TRANSFORMER, LAYERS = "AkiRusProd/numpy-transformer", "transformer/layers"
WHOLE_BATCH = (("input_grad.reshape(self.x.shape) / batch_size", "input_grad.reshape(self.x.shape)"),)
GAMMA_INSIDE = (
    ("error_T = error.T\n", "error_T = (error * self.gamma).T\n"),
    (
        "(1 / self.feature_size) * np.expand_dims(self.gamma, axis = self.normalized_axis).T *",
        "(1 / self.feature_size) *",
    ),
)
ATTENTION = (
    Part("transformer/activations.py", "Activation Softmax", WHOLE_BATCH, module="tf_activations"),
    Part(f"{LAYERS}/base/dense.py", "Dense", module="tf_dense"),
    Part(f"{LAYERS}/base/dropout.py", "Dropout", module="tf_dropout"),
    Part(
        f"{LAYERS}/combined/self_attention.py",
        "MultiHeadAttention",
        before="from tf_activations import Softmax\nfrom tf_dense import Dense\nfrom tf_dropout import Dropout",
    ),
)


def heads(m):
    """Two results, of which only the first has a gradient; the weights are those of four layers inside."""
    r = numbers()
    names = {f"{k}_linear": 0.7 * r(4, 4) for k in "QKVO"}
    given = {"query": r(2, 3, 4), "key": r(2, 3, 4), "value": r(2, 3, 4)}
    given["mask"] = np.tril(np.ones((2, 3, 3), dtype=int))

    def fresh():
        made = m.MultiHeadAttention(4, 2, dropout=0.0, data_type=np.float64)
        for name, weight in names.items():
            getattr(made, name).w = weight
        return made

    def gradients():
        made = fresh()
        out, _ = made.forward(**copied(given))
        found = dict(zip(("query", "key", "value"), made.backward(above(out)), strict=True))
        return found | {name: getattr(made, name).grad_w for name in names}

    def value():
        out = fresh().forward(**copied(given))[0]
        return float(np.sum(above(out) * out))

    made = fresh()
    return Given(made.forward, made.backward, given, given | names, value, gradients)


def layer_norm(m):
    r = numbers()
    weights = {"gamma": r(4), "beta": r(4)}

    def fresh():
        made = m.LayerNormalization((4,), data_type=np.float64)
        vars(made).update(weights)
        return made

    def gradients_of(made, returned):
        return {key: getattr(made, f"grad_{key}") for key in weights} | {"X": returned}

    return layer(fresh, gradients_of, weights=weights, X=r(5, 4))


def embedding(m):
    weights = {"w": numbers()(5, 3)}

    def fresh():
        made = m.Embedding(5, 3, data_type=np.float64)
        made.w = weights["w"]
        return made

    given = {"X": np.array([[0, 3, 3], [1, 2, 0]])}
    return layer(fresh, lambda made, returned: {"w": made.grad_w}, weights=weights, **given)


SUBJECTS = [
    Subject(DLFS, "RNN", (book("RNN"),), book_layer("RNNLayer")),
    Subject(DLFS, "LSTM", (book("LSTM"),), book_layer("LSTMLayer")),
    Subject(
        DLFS,
        "GRU",
        (book("GRU", UPDATE),),
        book_layer("GRULayer"),
        published="the update gate is computed from the reset gate's products; the output's gradient does not reach"
        " the gates; what the update gate lets through is left out of the gradient of the state before",
    ),
    Subject(EPYNN, "LSTM", epynn("lstm"), sequence("f i g o")),
    Subject(EPYNN, "GRU", epynn("gru"), sequence("z r hh")),
    Subject(
        TRANSFORMER,
        "attention",
        ATTENTION,
        heads,
        published="the gradient of the softmax is divided by the number of samples",
    ),
    Subject(
        TRANSFORMER,
        "layer normalisation",
        (Part(f"{LAYERS}/base/layer_norm.py", "LayerNormalization", GAMMA_INSIDE),),
        layer_norm,
        published="gamma is multiplied with the sums over the features, not taken into them",
    ),
    Subject(TRANSFORMER, "embedding", (Part(f"{LAYERS}/base/embedding.py", "Embedding"),), embedding),
]

"""Subjects by owners I to P: an LSTM both ways, a norm, a transformer block, two notebooks, a GRU, a course's RNN."""

import numpy as np

from .eleventh_c import weights_of
from .fourth_models import hot
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of, place

# a framework in Portuguese: an LSTM both ways that puts together the gradients of its two; and a norm -----------------

FRAMEWORK = "KizuriStudio/rede-neural"
FRAMEWORK_BASE = Part("layers/dense.py", "Layer", module="dense")
FRAMEWORK_IMPORT = "from dense import Layer"
BOTH_WAYS_EDITS = tuple((f" {s} = np.zeros((batch, self.hidden_size))", f" {s} = self.{s}0") for s in "hc")
BOTH_WAYS_WEIGHTS = {
    f"{kind}{gate}{way}": (7, 3) if kind == "W" else (3,) for way in ("", "_b") for kind in "Wb" for gate in "fico"
}


def framework(name, sizes, weights, states=(), **shapes):
    """A maker: an object of the framework, whose weights and gradients are in dicts by name.

    Where an object has two LSTMs, the second one's are named with _b and kept in its own dict without.
    """

    def make(m):
        r = numbers()
        arrays = {key: 0.7 * r(*shape) for key, shape in weights.items()}
        kept = {key: r(*shape) for key, shape in states}

        def fresh():
            made = getattr(m, name)(*sizes)
            for key, array in arrays.items():
                part = getattr(made, "bwd_lstm" if key.endswith("_b") else "fwd_lstm") if states else made
                part.params[key.removesuffix("_b")] = array
            for key, array in kept.items():
                setattr(*place(made, key), array)
            return made

        def gradients_of(made, returned):
            return {key: made.grads[key] for key in arrays} | {"x": returned}

        return layer(fresh, gradients_of, weights=arrays, **{key: r(*shape) for key, shape in shapes.items()})

    return make


BOTH_WAYS_STATES = tuple((f"{way}_lstm.{state}0", (2, 3)) for way in ("fwd", "bwd") for state in "hc")


# a course's characters, one column a step, gradients in a dict like the weights' --------------------------------------

COURSE = "lizamaa123/DD2424-Assignments"
COURSE_WEIGHTS = "U W V b c"
COURSE_LOSS = """

def loss_and_gradients(X, Y, h0, U, W, V, b, c):
    RNN = {"b": b, "c": c, "U": U, "W": W, "V": V}
    loss, P, H, A, h = forwardPass(X, Y, RNN, h0)
    return loss, backwardPass(RNN, X, Y, P, H, A, h0)
"""


def course(m):
    r = numbers()
    weights = weights_of(r, COURSE_WEIGHTS, (3, 5), (3, 3), (5, 3), (3, 1), (5, 1))
    given = {"X": np.hstack(hot(0, 3, 3, 1)), "Y": np.hstack(hot(3, 3, 1, 4)), "h0": r(3, 1)}
    return loss(m.loss_and_gradients, COURSE_WEIGHTS, **given, **weights)


# another course's GRU cell, one object for each step; the gradients of the steps are added up -------------------------

CELL = "Llynoirx/gru-architecture"
CELL_WEIGHTS = {f"W{gate}x": (3, 4) for gate in "rzn"} | {f"W{gate}h": (3, 3) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{gate}{kind}": (3,) for kind in "xh" for gate in "rzn"}
CELL_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(CELL_WEIGHTS)}):
    h, cells, states = h0, [], []
    for x_t in x:
        cell = GRUCell(4, 3)
        cell.init_weights({", ".join(CELL_WEIGHTS)})
        h = cell.forward(x_t, h)
        cells.append(cell)
        states.append(h)
    sums = dict.fromkeys("{" ".join(CELL_WEIGHTS)}".split(), 0.0)
    sums["x"] = np.zeros_like(x)
    dh = np.zeros_like(h0)
    for t in reversed(range(len(x))):
        sums["x"][t], dh = cells[t].backward(states[t] - y[t] + dh)
        for name in sums.keys() - {{"x"}}:
            sums[name] = sums[name] + getattr(cells[t], "d" + name)
    sums["h0"] = dh
    return 0.5 * np.sum((np.stack(states) - y) ** 2), sums
"""


def cell(m):
    r = numbers()
    weights = {name: 0.7 * r(*shape) for name, shape in CELL_WEIGHTS.items()}
    given = {"x": r(4, 4), "y": r(4, 3), "h0": r(3)}
    return loss(m.loss_and_gradients, " ".join(["x", "h0", *CELL_WEIGHTS]), **given, **weights)


# a notebook's LSTM for shares that go up or down: one output after the last step, batch last --------------------------

SHARES = "MemuSAE/Long-Short-Term-Memory-from-scratch"
SHARES_TAKEN = "sigmoid sigmoid_deriv tanh_act tanh_deriv LSTMCell LSTMClassifier"
SHARES_WEIGHTS = {f"W{gate}": (5, 2) for gate in "fico"} | {f"U{gate}": (5, 5) for gate in "fico"}
SHARES_WEIGHTS |= {f"b{gate}": (5, 1) for gate in "fico"}
SHARES_EDITS = (
    ("dy   = (probs - y) / y.shape[1]", "dy   = probs - y"),  # see README.md
    *((f"{s} = np.zeros((self.hidden_dim, batch_size), dtype=np.float32)", f"{s} = self.{s}0") for s in "hc"),
)
SHARES_LOSS = f"""

def loss_and_gradients(X, y, h0, c0, Wy, by, {", ".join(SHARES_WEIGHTS)}):
    model = LSTMClassifier(2, 5)
    model.h0, model.c0, model.Wy, model.by = h0, c0, Wy, by
    values = [{", ".join(SHARES_WEIGHTS)}]
    for name, value in zip("{" ".join(SHARES_WEIGHTS)}".split(), values):
        setattr(model.cell, name, value)
    probs, h, caches = model._forward(X)
    loss, dy = model._loss(probs, y)
    gradients, dWy, dby = model._backward(dy, h, caches)
    return loss, {{**gradients, "Wy": dWy, "by": dby}}
"""


def shares(m):
    r = numbers()
    shapes = {"Wy": (1, 5), "by": (1, 1)} | SHARES_WEIGHTS
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    given = {"X": r(4, 2, 3), "y": np.array([[1.0, 0.0, 1.0]]), "h0": r(5, 3), "c0": r(5, 3)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# a notebook's RNN that adds numbers bit by bit, states kept before their activation, lists read from the end ----------

BITS = "Mrpatekful/numpyml"
BITS_WEIGHTS = {"ih_weights": (3, 4), "hh_weights": (4, 4), "ho_weights": (4, 1)}
BITS_WEIGHTS |= {"ih_biases": (1, 4), "ho_biases": (1, 1)}
BITS_EDITS = (
    (  # see README.md
        "np.dot(self.activation_o.function(self.layers['output'][-index-1]).T",
        "np.dot(self.activation_h.function(self.layers['hidden'][-index-1]).T",
    ),
    ("'hidden'] = [np.zeros((self.batch_size, self.hidden_dim))]", "'hidden'] = [self.h0]"),
    *(
        (f"self.synapse_{name[:2]}['{name[3:]}'] +=  self.lrate * (", f"self.d{name} = -(")  # it adds what it finds
        for name in BITS_WEIGHTS
    ),
)
BITS_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(BITS_WEIGHTS)}):
    rnn = Rnn(3, 4, 1)
    rnn.batch_size, rnn.h0 = x.shape[1], h0
    rnn.synapse_ih = {{"weights": ih_weights, "biases": ih_biases}}
    rnn.synapse_hh = {{"weights": hh_weights}}
    rnn.synapse_ho = {{"weights": ho_weights, "biases": ho_biases}}
    outputs = rnn._forward_prop(x, y)
    rnn._back_prop()
    loss = 0.5 * np.sum((np.stack(outputs)[:, :, 0] - y) ** 2) / x.shape[1]
    return loss, {", ".join(f"rnn.d{name}" for name in BITS_WEIGHTS)}
"""


def bits(m):
    r = numbers()
    weights = {name: 0.7 * r(*shape) for name, shape in BITS_WEIGHTS.items()}
    given = {"x": r(5, 2, 3), "y": np.array([[0.0, 1], [1, 1], [0, 0], [1, 0], [0, 1]]), "h0": r(2, 4)}
    return loss(m.loss_and_gradients, " ".join(BITS_WEIGHTS), **given, **weights)


# a framework in Vietnamese and English: a transformer block made of layers that keep what they are given --------------

BLOCK = "Phuong22122003/simple-neural-network"
BLOCK_ACTIVATIONS = "linear linear_derivative relu relu_derivative leaky_relu leaky_relu_derivative softmax"
BLOCK_PARTS = (
    Part("layers/base.py", "Layer", module="base"),
    Part("layers/activation.py", f"{BLOCK_ACTIVATIONS} softmax_3d_derivative", module="activation"),
    Part("layers/dense.py", "Dense", before="from base import Layer\nfrom activation import *", module="dense"),
    Part("layers/layernorm.py", "LayerNorm", before="from base import Layer", module="layernorm"),
    Part("layers/multihead_attention.py", "MultiheadAttention", before="from base import Layer", module="multihead"),
    Part(
        "layers/transfomer.py",
        "TransformerBlock",
        before="from base import Layer\nfrom dense import Dense\n"
        "from layernorm import LayerNorm\nfrom multihead import MultiheadAttention",
        after="""

class Block(TransformerBlock):
    def __init__(self):
        super().__init__(4, 2, 5)
""",
    ),
)
BLOCK_WEIGHTS = {f"attention.W_{name}": (4, 4) for name in "qkvo"}
BLOCK_WEIGHTS |= {"ffn1.weights": (4, 5), "ffn1.bias": (1, 5), "ffn2.weights": (5, 4), "ffn2.bias": (1, 4)}
BLOCK_WEIGHTS |= {f"{norm}.{name}": (4,) for norm in ("ln1", "ln2") for name in ("gamma", "beta")}
BLOCK_MASK = np.tril(np.ones((2, 3, 3), dtype=int))


def graded(made, path):
    """The gradient of a weight is the attribute with grad_ before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"grad_{name}")


SUBJECTS = [
    Subject(
        FRAMEWORK,
        "LSTM both ways",
        (
            FRAMEWORK_BASE,
            Part("layers/lstm.py", "LSTM BiLSTM", BOTH_WAYS_EDITS, FRAMEWORK_IMPORT),
        ),
        framework("BiLSTM", (4, 3), BOTH_WAYS_WEIGHTS, BOTH_WAYS_STATES, x=(2, 5, 4)),
    ),
    Subject(
        FRAMEWORK,
        "norm by the root mean square",
        (
            FRAMEWORK_BASE,
            Part(
                "layers/rmsnorm.py",
                "RMSNorm",
                (("2.0 * x * drms", "x * drms"),),  # see README.md
                FRAMEWORK_IMPORT,
            ),
        ),
        framework("RMSNorm", (3,), {"weight": (3,)}, x=(2, 4, 3)),
        published="the root's derivative is twice what it is",
    ),
    Subject(
        COURSE, "RNN", (Part("Assignment 4/Assignment4.py", "forwardPass backwardPass", after=COURSE_LOSS),), course
    ),
    Subject(
        CELL,
        "GRU",
        (
            Part("mytorch/nn/activation.py", "Sigmoid Tanh", module="activation"),
            Part("mytorch/gru_cell.py", "GRUCell", before="from activation import Sigmoid, Tanh", after=CELL_LOSS),
        ),
        cell,
    ),
    Subject(
        SHARES,
        "LSTM",
        (Part("LSTM_from_scratch.ipynb", SHARES_TAKEN, SHARES_EDITS, after=SHARES_LOSS),),
        shares,
        published="all gradients are divided by the size of the batch twice",
    ),
    Subject(
        BITS,
        "RNN",
        (Part("rnn_numpy.ipynb", "Activation Sigmoid Rnn", BITS_EDITS, "import abc", BITS_LOSS),),
        bits,
        published="the output weights' gradient is made with the outputs instead of the states",
    ),
    Subject(
        BLOCK,
        "transformer block",
        BLOCK_PARTS,
        object_of("Block", BLOCK_WEIGHTS, "x", graded, x=(2, 3, 4), mask=BLOCK_MASK),
    ),
]

"""Subjects by owners M to R: networks of self-learners, a transformer, a course's RNN, a framework in a notebook."""

import numpy as np

from .fourth_models import hot, model
from .programs import Part, Subject, layer, loss, numbers


def place(made, path):
    """(the object that has a weight, the weight's name) for "part.part.name"; a part may be in a dict."""
    *parts, last = path.split(".")
    for part in parts:
        made = made[part] if isinstance(made, dict) else getattr(made, part)
    return made, last


def object_of(name, weights, results, gradient=None, kept=None, **inputs):
    """A maker: an object of the class `name` with `weights`, {path: shape}, called with `inputs`, arrays or shapes.

    results: what backward returns gradients of; gradient: (object, path) -> the gradient of a weight that is kept, None
    if all are returned; kept: {attribute: shape} of what is no weight but is set too, as an initial state.
    """

    def make(m):
        r = numbers()
        arrays = {path: 0.7 * r(*shape) for path, shape in weights.items()}
        states = {key: r(*shape) for key, shape in (kept or {}).items()}

        def fresh():
            made = getattr(m, name)()
            for path, array in (arrays | states).items():
                setattr(*place(made, path), array)
            return made

        def gradients_of(made, returned):
            returned = returned if isinstance(returned, tuple) else (returned,)
            found = dict(zip(results.split(), returned, strict=True))
            return found | ({path: gradient(made, path) for path in arrays} if gradient else {})

        given = {key: value if isinstance(value, np.ndarray) else r(*value) for key, value in inputs.items()}
        return layer(fresh, gradients_of, weights=arrays, **given)

    return make


def sequence(base, sizes, first=""):
    """A class made of `base` that keeps its inputs for the backward pass, which does `first` before all else."""
    return f"""

class Sequence({base}):
    def __init__(self):
        super().__init__({sizes})

    def forward(self, inputs):
        self.inputs = inputs
        return super().forward(inputs)

    def backward(self, gradients):
        {first}return super().backward(gradients, self.inputs)
"""


def prefixed(made, path):
    """The gradient of a weight is the attribute with a d before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"d{name}")


# an RNN around an object for its activation; one sequence -------------------------------------------------------------

ACTIVATION = "MARKST-47/rnn-from-scratch"
ACTIVATION_WEIGHTS = {"Wx": (3, 4), "Wh": (3, 3), "Wy": (2, 3), "bh": (3, 1), "by": (2, 1)}
ACTIVATION_EDITS = (
    (  # see README.md
        "            self.activation.backward(dh)",
        "            self.activation.output = self.h[t].reshape(-1, 1)\n            self.activation.backward(dh)",
    ),
    ("else np.zeros((n_neurons, 1))", "else self.h0"),
    ("else np.zeros((dht.shape[0], 1)).T", "else self.h0.T"),
)

# an LSTM that keeps its gates before their sigmoids, and learns in its backward pass ----------------------------------

BEFORE = "Mirko-A/LSTM-from-scratch"
BEFORE_WEIGHTS = " ".join(f"{kind}_{gate}" for gate in "fico" for kind in "Wb") + " W_y b_y"
BEFORE_TAKEN = "tanh dtanh sigmoid dsigmoid softmax cross_entropy_loss init_weights LSTM"
BEFORE_EDITS = (
    *((f"self.{name} -= d{name} * self.learning_rate", f"self.d{name} = d{name}") for name in BEFORE_WEIGHTS.split()),
    ("self.hidden_states = {-1: np.zeros((self.hidden_size, 1))}", "self.hidden_states = {-1: self.h0}"),
    ("self.cell_states = {-1: np.zeros((self.hidden_size, 1))}", "self.cell_states = {-1: self.c0}"),
    ("np.clip(_d, -1, 1, out=_d)", "np.clip(_d, -1000, 1000, out=_d)"),
)
BEFORE_LOSS = f"""

def loss_and_gradients(inputs, labels, h0, c0, {BEFORE_WEIGHTS.replace(" ", ", ")}):
    lstm = LSTM(7, 3, 4)
    lstm.h0, lstm.c0 = h0, c0
    names = "{BEFORE_WEIGHTS}".split()
    for name, weight in zip(names, ({BEFORE_WEIGHTS.replace(" ", ", ")})):
        setattr(lstm, name, weight)
    outputs = lstm.forward(inputs)
    lstm.backward(labels)
    loss = sum(cross_entropy_loss(output, label) for output, label in zip(outputs, labels))
    return loss, *[getattr(lstm, f"d{{name}}") for name in names]
"""


def before(m):
    r = numbers()
    shapes = [(4, 3) if n == "W_y" else (4, 1) if n == "b_y" else (3, 7) if n[0] == "W" else (3, 1)
              for n in BEFORE_WEIGHTS.split()]  # fmt: skip
    weights = {name: 0.7 * r(*shape) for name, shape in zip(BEFORE_WEIGHTS.split(), shapes, strict=True)}
    given = {"inputs": hot(0, 3, 1, size=4), "labels": hot(3, 1, 2, size=4), "h0": r(3, 1), "c0": r(3, 1)}
    return loss(m.loss_and_gradients, BEFORE_WEIGHTS, **given, **weights)


# a transformer that tags: attention with heads and a mask by einsum, layer normalisation, residuals -------------------

TRANSFORMER = "MohammadHossinzehi/self-attention-from-scratch"
LAYERS = "softmax Linear LayerNorm MultiHeadSelfAttention FeedForward TransformerEncoderBlock"
ENDS = "Embedding SoftmaxCrossEntropy sinusoidal_positional_encoding"
TWICE = """

class Attention(MultiHeadSelfAttention):
    def __init__(self):
        super().__init__(4, 2, np.random.default_rng(0))


class Block(TransformerEncoderBlock):
    def __init__(self):
        super().__init__(4, 2, 6, np.random.default_rng(0))
"""
TAGGER = """

def loss_and_gradients(idx, targets, mask, params):
    model = TinyTransformer(vocab_size=5, dim=4, n_heads=2, n_layers=1, hidden_dim=6, max_len=3)
    for (param, _), weight in zip(model.params_and_grads(), params.values()):
        param[...] = weight
    criterion = SoftmaxCrossEntropy()
    loss = criterion.forward(model.forward(idx), targets, mask)
    model.backward(criterion.backward())
    return loss, [grad for _, grad in model.params_and_grads()]
"""
PROJECTIONS = {
    f"{name}.{kind}": (4, 4) if kind == "W" else (4,)
    for name in ("q_proj", "k_proj", "v_proj", "out_proj")
    for kind in "Wb"
}
NORMS = {f"{name}.{kind}": (4,) for name in ("ln1", "ln2") for kind in ("gamma", "beta")}
DENSE = {"ff.fc1.W": (4, 6), "ff.fc1.b": (6,), "ff.fc2.W": (6, 4), "ff.fc2.b": (4,)}
BLOCK = {f"attn.{path}": shape for path, shape in PROJECTIONS.items()} | NORMS | DENSE
ATTENTION = object_of("Attention", PROJECTIONS, "x", prefixed, x=(2, 3, 4), mask=np.tri(3, dtype=bool))
LAYERS_PART = Part("transformer/layers.py", LAYERS, after=TWICE)
TAGGER_PARTS = (
    Part("transformer/layers.py", f"{LAYERS} {ENDS}", module="layers"),
    Part("transformer/model.py", "TinyTransformer", before="from layers import *", after=TAGGER),
)


def tagger(m):
    r = numbers()
    first, second = ({key: shape for key, shape in NORMS.items() if name in key} for name in ("ln1", "ln2"))
    shapes = {"embed.W": (5, 4), "out.W": (4, 5), "out.b": (5,)} | PROJECTIONS | first | DENSE | second
    weights = {path: 0.7 * r(*shape) for path, shape in shapes.items()}
    words, targets = np.array([[0, 3, 3], [2, 2, 4]]), np.array([[3, 1, 0], [2, 4, 1]])
    mask = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    return model(m.loss_and_gradients, weights, idx=words, targets=targets, mask=mask, params=weights)


# a course's RNN: a cell that is called again backwards, and its sequence ----------------------------------------------

COURSE = "nhanwei/rnn_numpy_scratch"
COURSE_LAYER = """class Layer:
    def __init__(self, name=None):
        self.name = name


class Guassian:
    def initialize(self, shape):
        return np.zeros(shape)
"""
COURSE_EDITS = (("all_h[:,t,:]])", "all_h[:,t-1,:] if t > 0 else np.tile(self.h0, (N, 1))])"),)  # see README.md
COURSE_SEQUENCE = sequence(
    "RNN",
    "RNNCell(4, 3)",
    """for name in ("kernel_grad", "r_kernel_grad", "b_grad"):
            setattr(self, name, np.zeros_like(getattr(self, name)))
        """,
)
COURSE_WEIGHTS = {"cell.kernel": (4, 3), "cell.recurrent_kernel": (3, 3), "cell.bias": (3,)}


def of_sequence(made, path):
    """The sequence sums up what its cell keeps."""
    return getattr(made, {"kernel": "kernel_grad", "recurrent_kernel": "r_kernel_grad", "bias": "b_grad"}[path[5:]])


# a framework in a notebook: parameters are objects, what was computed is kept in dicts --------------------------------

NOTEBOOK = "rezeroworld/RNN_LSTM_from_scratch_numpy"
IMPORTS = "from abc import ABC, abstractmethod\nfrom typing import Type"
BASE = "Param ArrayParam NN"  # and RNN(NN), LSTM(NN) below: other classes have these names too
NOTEBOOK_TAKEN = f"{BASE} Linear Criterion CrossEntropy Activation Embedding RNN(NN) RNNModel"
NOTEBOOK_EDITS = (  # see README.md
    ("self.params['w'].dparam = dw", "self.params['w'].dparam += dw"),
    ("self.params['b'].dparam = db", "self.params['b'].dparam += db"),
    ("out = self.cross_entropy.backward(out[timestamp])", "dout = self.cross_entropy.backward(out[timestamp])"),
    ("dltdh = self.linear.backward(out)", "dltdh = self.linear.backward(dout)"),
    ("hidden = np.zeros((B, self.hidden_size))", "hidden = self.h0"),
)
NOTEBOOK_LOSS = """

def loss_and_gradients(x, y, h0, embedding, w, b, out_w, out_b):
    model = RNNModel(5, context_size=3, embed_size=4, hidden_size=3)
    model.h0 = h0
    params = [param for layer in model.layers[:3] for param in layer.params.values()]
    for param, weight in zip(params, (embedding, w, b, out_w, out_b)):
        param.param, param.dparam = weight, np.zeros_like(weight)
    probas, losses = model(x, y)
    model.backward(probas)
    return np.sum(losses), *[param.dparam for param in params]
"""
GATES = {
    f"{gate}.params.{name}.param": shape
    for gate in ("input_gate", "forget_gate", "output_gate", "cell_state")
    for name, shape in {"w": (4, 3), "u": (3, 3), "b": (1, 3)}.items()
}
GATE_EDITS = (  # see README.md
    ("h_1 @ self.params['w'].param", "h_1 @ self.params['u'].param"),
    ("self.nonlinearity(self.forward_dict['h'], grad=True)", "self.nonlinearity(self.forward_dict['a'], grad=True)"),
    ("(1 - self.forward_dict['ct']**2)", "(1 - Activation.tanh(self.forward_dict['ct'])**2)"),
)
STEP = """

class Step(LSTM):
    def __init__(self):
        super().__init__(4, 3)

    def backward(self, dht, dct):
        for gate in self.layers:
            for param in gate.params.values():
                param.dparam = np.zeros_like(param.param)
        return super().backward(dht, np.zeros_like(dht), dct)
"""


def notebook(m):
    r = numbers()
    shapes = {"embedding": (5, 4), "w": (7, 3), "b": (1, 3), "out_w": (3, 5), "out_b": (1, 5)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}
    words = np.array([[0, 2], [3, 2], [1, 4]])
    given = {"x": np.eye(5)[words], "y": np.eye(5)[np.roll(words, -1, axis=0)], "h0": r(2, 3)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


def of_param(made, path):
    return place(made, path)[0].dparam


SUBJECTS = [
    Subject(
        ACTIVATION,
        "RNN",
        (Part("rnn_final.py", "Tanh SimpleRNN", ACTIVATION_EDITS, after=sequence("SimpleRNN", "4, 3, 2, Tanh()")),),
        object_of("Sequence", ACTIVATION_WEIGHTS, " ".join(ACTIVATION_WEIGHTS), kept={"h0": (3, 1)}, inputs=(4, 4)),
        published="the derivative of tanh is taken at the last state in every step: the activation keeps no other",
    ),
    Subject(
        BEFORE,
        "LSTM",
        (Part("python/lstm.py", BEFORE_TAKEN, BEFORE_EDITS, after=BEFORE_LOSS),),
        before,
        published="the loss that it shows is a mean over the steps, the gradients are those of the sum",
    ),
    Subject(TRANSFORMER, "attention", (LAYERS_PART,), ATTENTION),
    Subject(TRANSFORMER, "encoder block", (LAYERS_PART,), object_of("Block", BLOCK, "x", prefixed, x=(2, 3, 4))),
    Subject(TRANSFORMER, "tagger", TAGGER_PARTS, tagger),
    Subject(
        COURSE,
        "RNN",
        (Part("rnn_layers.py", "RNNCell RNN", COURSE_EDITS, COURSE_LAYER, COURSE_SEQUENCE),),
        object_of("Sequence", COURSE_WEIGHTS, "inputs", of_sequence, {"h0": (3,)}, inputs=(2, 3, 4)),
        published="the state after a step, not the one before it, is what the cell is called with backwards",
    ),
    Subject(
        NOTEBOOK,
        "RNN",
        (Part("rnn_from_scratch.ipynb", NOTEBOOK_TAKEN, NOTEBOOK_EDITS, IMPORTS, NOTEBOOK_LOSS),),
        notebook,
        published="one step's gradient takes the place of all outputs; embedding and readout keep the first step's",
    ),
    Subject(
        NOTEBOOK,
        "LSTM step",
        (Part("rnn_from_scratch.ipynb", f"{BASE} Activation Gate LSTM(NN)", GATE_EDITS, IMPORTS, STEP),),
        object_of("Step", GATES, "cx ht_1 ct_1", of_param, cx=(2, 4), ht_1=(2, 3), ct_1=(2, 3)),
        published="the gates use the input's weights for the state; derivatives are taken at gates and at the cell",
    ),
]

"""Subjects by owners 0 to H: a network of words, a decoder's layer, two notebooks, a course's RNN, a framework."""

import numpy as np

from .eleventh_c import weights_of
from .functions import CARRIED, SIGMOID, SOFTMAX, coursera
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of, place

# a network of words in a class, which keeps a list of states from one call to the next --------------------------------

WORDS = "aidoraide/numpy-rnn"
WORDS_WEIGHTS = "Wh Uh bh Wy by"
WORDS_EDITS = (  # see README.md
    ("np.matmul(self.Uh, dhraw)", "np.matmul(self.Uh.T, dhraw)"),
    ("lamb = 1e-5", "lamb = 0"),
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
)
WORDS_LOSS = """

def loss_and_gradients(batch, labels, h0, Wh, Uh, bh, Wy, by):
    rnn = Model()
    rnn.h = [h0]
    rnn.Wh, rnn.Uh, rnn.bh, rnn.Wy, rnn.by = Wh, Uh, bh, Wy, by
    ys = rnn.forward(batch)
    loss = -sum(np.log(y[c2i[label], 0]) for y, label in zip(ys, labels))
    return loss, *rnn.backward(ys, labels)
"""


def words(m):
    r = numbers()
    weights = weights_of(r, WORDS_WEIGHTS, (3, 5), (3, 3), (3, 1), (5, 3), (5, 1))
    return loss(m.loss_and_gradients, WORDS_WEIGHTS, batch=[0, 3, 3, 1], labels=[3, 3, 1, 4], h0=r(3, 1), **weights)


# a framework's decoder: attention with a mask and across, head by head with einsum, layer normalisation ---------------

DECODER = "arthur-stat/eztorch"
DECODER_TYPES = "from numpy.typing import NDArray\n\nFloatArray = NDArray[np.float64]"
DECODER_IMPORTS = """
from attention import MultiHeadSelfAttention
from dropout import Dropout
from linear import Linear
from norm import LayerNorm
from relu import ReLU"""
DECODER_LAYER = """

class Decoder(TransformerDecoderLayer):
    def __init__(self):
        super().__init__(4, 2, 6)
        self.ff1, _, self.ff2 = self.ffn.layers

    def forward(self, x, encoder_out):
        return self(x, encoder_out, np.tri(x.shape[1])[None])

    def backward(self, grad_output):
        grad_input = super().backward(grad_output)
        return grad_input, self.cross_attn.grad_memory
"""
DECODER_WEIGHTS = {f"{part}.W_{name}": (4, 4) for part in ("self_attn", "cross_attn") for name in "qkvo"}
DECODER_WEIGHTS |= {f"norm{k}.{name}": (4,) for k in (1, 2, 3) for name in ("gamma", "beta")}
DECODER_WEIGHTS |= {"ff1.weights": (4, 6), "ff1.bias": (6,), "ff2.weights": (6, 4), "ff2.bias": (4,)}
DECODER_PARTS = (
    Part("src/eztorch/functions/activations/relu.py", "ReLU", before=DECODER_TYPES, module="relu"),
    Part("src/eztorch/layers/dropout.py", "Dropout", before=DECODER_TYPES, module="dropout"),
    Part(
        "src/eztorch/layers/linear.py",
        "Linear",
        before=f"from typing import Optional\n\n{DECODER_TYPES}",
        module="linear",
    ),
    Part("src/eztorch/layers/norm.py", "LayerNorm", before=DECODER_TYPES, module="norm"),
    Part(
        "src/eztorch/functions/attention/scaled_dot_product.py",
        "scaled_dot_product_attention",
        before=DECODER_TYPES,
        module="scaled",
    ),
    Part(
        "src/eztorch/layers/attention/self_attention.py",
        "MultiHeadSelfAttention",
        before=f"from scaled import scaled_dot_product_attention\n{DECODER_TYPES}",
        module="attention",
    ),
    Part(
        "src/eztorch/structures/transformer/decoder.py",
        "MultiHeadCrossAttention SequentialCompat TransformerDecoderLayer",
        (("Dropout(p=0.1)", "Dropout(p=0.0)"),),
        f"{DECODER_TYPES}{DECODER_IMPORTS}",
        DECODER_LAYER,
    ),
)


def graded(made, path):
    """The gradient of a weight is the attribute with "grad_" before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"grad_{name}")


# a learner's notebook: an RNN of vectors that is given a list, gives one, and learns in its backward pass -------------

LEARNER = "asishjose/Deep-Learning"
LEARNER_WEIGHTS = {"Wxh": (3, 4), "Whh": (3, 3), "Why": (2, 3), "bh": (3, 1), "by": (2, 1)}
LEARNER_EDITS = (
    ("return 1 - np.tanh(x) ** 2", "return 1 - x ** 2"),  # see README.md
    ("h_prev = np.zeros((self.hidden_size, 1))", "h_prev = self.h0"),
    *((f"self.{name} -= learning_rate * d{name}", f"self.d{name} = d{name}") for name in LEARNER_WEIGHTS),
)
LEARNER_NETWORK = """

class Network(SimpleRNN):
    def __init__(self):
        super().__init__(4, 3, 2)
"""


def keeping(name, weights, gradient, methods, result="", states=None, **inputs):
    """A maker, as `object_of`: an object whose `methods` have other names, and return at most one gradient."""

    def make(m):
        r = numbers()
        arrays = {path: 0.7 * r(*shape) for path, shape in weights.items()}
        kept = {key: r(*shape) for key, shape in (states or {}).items()}

        def fresh():
            made = getattr(m, name)()
            for path, array in (arrays | kept).items():
                setattr(made, path, array)
            return made

        def gradients_of(made, returned):
            return ({result: returned} if result else {}) | {path: gradient(made, path) for path in arrays}

        given = {key: r(*shape) for key, shape in inputs.items()}
        return layer(fresh, gradients_of, *methods.split(), weights=arrays, **given)

    return make


# a course's network for characters: rows for the steps, states one ahead of the outputs -------------------------------

COURSE = "baldassarreFe/dd2424-deep-learning"
COURSE_WEIGHTS = "U W b V c"
COURSE_LOSS = """

def loss_and_gradients(sequence, targets, prev_state, U, W, b, V, c):
    rnn = RecurrentNeuralNetwork(5, 5, 3, *[Zeros()] * 5)
    rnn.U, rnn.W, rnn.b, rnn.V, rnn.c = U, W, b, V, c
    rnn.forward(sequence, prev_state)
    rnn.backward(targets)
    return rnn.cost(targets), rnn.grad_U, rnn.grad_W, rnn.grad_b, rnn.grad_V, rnn.grad_c
"""


def course(m):
    r = numbers()
    weights = weights_of(r, COURSE_WEIGHTS, (3, 5), (3, 3), (3,), (5, 3), (5,))
    letters = np.eye(5)
    given = {"sequence": letters[[0, 3, 3, 1]], "targets": letters[[3, 3, 1, 4]], "prev_state": r(3)}
    return loss(m.loss_and_gradients, COURSE_WEIGHTS, **given, **weights)


# another course's notebook: an LSTM whose gates get what goes through the cell each by itself -------------------------

NOTEBOOK = "codeamt/Deep-Learning-AI"
NOTEBOOK_PATH = (
    "5 Sequence Models/Implementations/1 RNNs/1-PA/Building+a+Recurrent+Neural+Network+-+Step+by+Step+-+v3.ipynb"
)
NOTEBOOK_STORED = '        dx[:,:,t] = gradients["dxt"]\n'
NOTEBOOK_EDITS = (  # see README.md
    ("lstm_cell_backward(da[:, :, t], dc_prevt", "lstm_cell_backward(da[:, :, t] + da_prevt, dc_prevt"),
    (NOTEBOOK_STORED, NOTEBOOK_STORED + CARRIED),
)

# a framework: inputs and the state before side by side, time first inside; an LSTM, a GRU, a clockwork ----------------

FORGE = "csxeba/brainforge"
FORGE_METHODS = "feedforward backpropagate"
FORGE_COMMON = (
    Part("brainforge/util/typing.py", "ctx1 zX zX_like", before="floatX = 'float64'", module="arrays"),
    Part(
        "brainforge/atomic/activation_op.py",
        "ActivationFunction Sigmoid Tanh",
        before="s1 = 1.0",
        after="\n\nactivations = {'sigmoid': Sigmoid, 'tanh': Tanh}\n",
        module="activation",
    ),
)
FORGE_IMPORTS = "from activation import Sigmoid, Tanh, activations\nfrom arrays import ctx1, zX, zX_like\n\n"
FORGE_BEFORE = f"import abc\n\n{FORGE_IMPORTS}sigmoid = Sigmoid()\n\n\nclass FFBase:\n    pass"
FORGE_STATE = (("return zX(len(X), self.neurons)", "return self.h0"),)


def forge(base, first, neurons, edits=()):
    """The last part of a subject: the layer `base` with so many neurons, of which all states are handed out."""
    after = f"""

class Sequence({base}):
    def __init__(self):
        self.neurons, self.return_seq = {neurons}, True
        {first}
"""
    return Part("brainforge/layers/recurrent.py", f"RecurrentBase {base}", edits, FORGE_BEFORE, after)


def nabla(made, path):
    """The gradients are named after the first letters of "weights" and "biases"."""
    return getattr(made, f"nabla_{path[0]}")


def forged(rows, columns, neurons, X, **states):
    """A maker for a layer of weights of this shape."""
    weights = {"weights": (rows, columns), "biases": (columns,)}
    shapes = {name: (X[0], neurons) for name in states}
    return keeping("Sequence", weights, nabla, FORGE_METHODS, "X", shapes, X=X)


SUBJECTS = [
    Subject(
        WORDS,
        "RNN",
        (
            Part(
                "train_rnn.py",
                "softmax L2 Model clean onehot",
                WORDS_EDITS,
                "d, v = 3, 5\nVOCAB = list(range(v))\nc2i = {c: i for i, c in enumerate(VOCAB)}",
                WORDS_LOSS,
            ),
        ),
        words,
        published="the recurrent weights are not transposed; the penalty's derivative is a square",
    ),
    Subject(
        DECODER,
        "decoder layer",
        DECODER_PARTS,
        object_of("Decoder", DECODER_WEIGHTS, "x encoder_out", graded, x=(2, 3, 4), encoder_out=(2, 5, 4)),
    ),
    Subject(
        LEARNER,
        "RNN",
        (
            Part(
                "5__RNNs/rnn_from_scratch.ipynb",
                "tanh tanh_derivative SimpleRNN",
                LEARNER_EDITS,
                after=LEARNER_NETWORK,
            ),
        ),
        keeping(
            "Network",
            LEARNER_WEIGHTS,
            lambda made, path: getattr(made, f"d{path}"),
            "forward backward",
            states={"h0": (3, 1)},
            inputs=(5, 4),
        ),
        published="the derivative of tanh is taken at the states, which are tanh already",
    ),
    Subject(
        COURSE,
        "RNN",
        (
            Part(
                "lab4/initializers.py", "Initializer Zeros", before="from abc import ABC, abstractmethod", module="init"
            ),
            Part("lab4/network.py", "RecurrentNeuralNetwork", before="from init import Zeros", after=COURSE_LOSS),
        ),
        course,
    ),
    Subject(
        NOTEBOOK,
        "LSTM",
        (
            Part(
                NOTEBOOK_PATH,
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                NOTEBOOK_EDITS,
                f"{SIGMOID}\n\n{SOFTMAX}",
            ),
        ),
        coursera("lstm"),
        published="nothing is carried back from step t + 1",
    ),
    Subject(
        FORGE,
        "LSTM",
        (
            *FORGE_COMMON,
            Part(
                "brainforge/atomic/recurrent_op.py",
                "LSTMOp",
                before=f"{FORGE_IMPORTS}sigmoid = Sigmoid()\ns0 = 0.0",
                module="operations",
            ),
            forge("LSTM", "from operations import LSTMOp\n\n        self.op = LSTMOp('tanh')", 3),
        ),
        forged(7, 12, 3, (2, 5, 4)),
    ),
    Subject(
        FORGE,
        "GRU",
        (*FORGE_COMMON, forge("GRU", "self.activation = Tanh()", 3, FORGE_STATE)),
        forged(7, 9, 3, (2, 5, 4), h0=True),
    ),
    Subject(
        FORGE,
        "clockwork",
        (
            *FORGE_COMMON,
            forge(
                "ClockworkLayer",
                "self.activation, self.tick_array = Tanh(), np.array([1.0, 1.0, 2.0, 3.0])",
                4,
                FORGE_STATE,
            ),
        ),
        forged(7, 4, 4, (2, 6, 3), h0=True),
    ),
]

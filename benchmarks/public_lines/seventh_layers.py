"""Subjects of the seventh set that are layers: course solutions, attention, normalisation, convolution, cells."""

from .functions import LSTM, convolution, lstm, temporal_softmax
from .objects import cmu_gru
from .programs import Part, Subject, layer, numbers
from .sixth_layers import alternative, cmu_norm


def object_of(name, sizes, weights, gradient, results, methods=("forward", "backward"), **inputs):
    """A maker: an object of the class `name`, made of `sizes`; its `weights`, "part.name" where a part of it has them.

    gradient: (the object or its part, a weight's name) -> the weight's gradient; results: what backward returns
    gradients of.
    """

    def place(made, path):
        *parts, last = path.split(".")
        for part in parts:
            made = getattr(made, part)
        return made, last

    def make(m):
        r, first = numbers(), getattr(m, name)(*sizes)
        arrays = {path: 0.7 * r(*getattr(*place(first, path)).shape) for path in weights.split()}

        def fresh():
            made = getattr(m, name)(*sizes)
            for path, array in arrays.items():
                setattr(*place(made, path), array)
            return made

        def gradients_of(made, returned):
            returned = returned if isinstance(returned, tuple) else (returned,)
            found = dict(zip(results.split(), returned, strict=True))
            return {path: gradient(*place(made, path)) for path in arrays} | found

        given = {key: r(*shape) for key, shape in inputs.items()}
        return layer(fresh, gradients_of, *methods, weights=arrays, **given)

    return make


def prefixed(prefix):
    """The gradient of a weight is the attribute with this before the weight's name."""
    return lambda made, name: getattr(made, f"{prefix}{name}")


# CS231n, another solution ---------------------------------------------------------------------------------------------

COURSE = "ColasGael/cs231n-assignments-spring19"
TIME, IMAGES = "assignment3/cs231n/rnn_layers.py", "assignment2/cs231n/layers.py"

# a transformer: attention to another sequence, and what follows it; gradients in dicts of the linear layers ----------

TRANSFORMER = "YVSemlani/numpy-transformer"
BASE = Part("modules/base.py", "Module", module="base")
LINEAR = Part("modules/linear.py", "LinearLayer", before="from base import Module", module="linear")
MODULES = "from base import Module\nfrom linear import LinearLayer"


def in_dict(made, name):
    return made.gradients[{"weights": "dLdW", "bias": "dLdb"}[name]]


def linear(*names):
    return " ".join(f"{name}.{kind}" for name in names for kind in ("weights", "bias"))


# a course on deep learning once more: convolution, batch normalisation, a GRU cell ------------------------------------

CMU = "arpitsahni04/Mytorch--Reimplementing-Pytorch"
ACTIVATIONS = Part("mytorch/activation.py", "Activation Sigmoid Tanh", module="activation")
STRIDES = Part("mytorch/resampling.py", "Downsample1d", module="resampling")

# a framework: attention with heads that sees what went before, layer normalisation, an RNN ----------------------------

FRAMEWORK = "moisesjf10/NeuralNetwork_from_scratch"

# an LSTM's layer for one step, with long names ------------------------------------------------------------------------

LONG = "milanvarghese/LSTM-from-Scratch-using-Numpy"
LONG_GATES = ("forget_gate", "input_gate", "candidate", "output_gate")
STATES = {"prev_hidden_state": (3, 1), "prev_cell_state": (3, 1)}

# an LSTM of gates that are objects, which keep what they need of one step ---------------------------------------------

OBJECTS = "AnujJha88/RNN-Implementation"
GATES = {"forget": "f", "input": "i", "candidate": "c", "output": "o"}
ONE_STEP = """

class Step(LSTM):
    def forward_step(self, x, h_prev, c_prev):
        h, c, y, gates = self.forward(x, h_prev, c_prev)
        self.kept = h_prev, c_prev, x, h, c, gates
        return h, c, y

    def backward_step(self, dh, dc, dy):
        self.zero_grad()
        h_prev, c_prev, x, h, c, (f, i, o, c_tilde) = self.kept
        return self.backward(dh, dy, h_prev, c_prev, x, h, c, dc, o, i, c_tilde, f)
"""

SUBJECTS = [
    Subject(COURSE, "lstm", (Part(TIME, LSTM),), lstm()),
    Subject(COURSE, "temporal softmax", (Part(TIME, "temporal_softmax_loss"),), temporal_softmax),
    Subject(COURSE, "convolution", (Part(IMAGES, "conv_forward_naive conv_backward_naive"),), convolution),
    Subject(
        COURSE,
        "batch normalisation, alternative",
        (Part(IMAGES, "batchnorm_forward batchnorm_backward batchnorm_backward_alt"),),
        alternative,
    ),
    Subject(
        TRANSFORMER,
        "attention to another",
        (
            BASE,
            LINEAR,
            Part("modules/functions.py", "Softmax", before="from base import Module", module="functions"),
            Part(
                "modules/attention.py",
                "SingleHeadCrossAttention",
                before=f"{MODULES}\nfrom functions import Softmax",
            ),
        ),
        object_of(
            "SingleHeadCrossAttention",
            (4,),
            linear("w_q", "w_k", "w_v"),
            in_dict,
            "decoder_input encoder_output",
            decoder_input=(2, 3, 4),
            encoder_output=(2, 5, 4),
        ),
    ),
    Subject(
        TRANSFORMER,
        "feed-forward",
        (
            BASE,
            LINEAR,
            Part("modules/activations.py", "ReLU", before="from base import Module", module="activations"),
            Part("modules/ffn.py", "FeedForward", before=f"{MODULES}\nfrom activations import ReLU"),
        ),
        object_of("FeedForward", (4, 6, 3), linear("linear1", "linear2"), in_dict, "x", x=(2, 3, 4)),
    ),
    Subject(
        CMU,
        "convolution",
        (STRIDES, Part("mytorch/Conv1d.py", "Conv1d_stride1 Conv1d", before="from resampling import Downsample1d")),
        object_of(
            "Conv1d",
            (2, 3, 3, 2),
            "conv1d_stride1.W conv1d_stride1.b",
            prefixed("dLd"),
            "A",
            A=(2, 2, 7),
        ),
    ),
    Subject(CMU, "batch normalisation", (Part("mytorch/batchnorm.py", "BatchNorm1d"),), cmu_norm),
    Subject(
        CMU,
        "GRU cell",
        (ACTIVATIONS, Part("mytorch/gru_cell.py", "GRUCell", before="from activation import Sigmoid, Tanh")),
        cmu_gru,
    ),
    Subject(
        FRAMEWORK,
        "attention",
        (Part("layers/multihead_attention.py", "MultiHeadAttention"),),
        object_of("MultiHeadAttention", (4, 2), "W_q W_k W_v W_o", prefixed("d"), "X", X=(2, 3, 4)),
    ),
    Subject(
        FRAMEWORK,
        "layer normalisation",
        (Part("layers/layernorm.py", "LayerNorm"),),
        object_of("LayerNorm", (4,), "gamma beta", prefixed("d"), "X", X=(2, 3, 4)),
    ),
    Subject(
        FRAMEWORK,
        "RNN",
        (
            Part("activations.py", "Tanh", module="activations"),
            Part("layers/rnn.py", "RNNLayer", before="from activations import Tanh"),
        ),
        object_of("RNNLayer", (4, 3), "W_hx W_hh b", prefixed("d"), "X", X=(2, 3, 4)),
    ),
    Subject(
        LONG,
        "LSTM layer",
        (
            Part("src/Layer.py", "Layer", before="from abc import ABC, abstractmethod", module="Layer"),
            Part("src/Activation.py", "sigmoid tanh", before="from Layer import Layer", module="Activation"),
            Part("src/LSTM.py", "LSTMLayer", before="from Activation import sigmoid, tanh\nfrom Layer import Layer"),
        ),
        object_of(
            "LSTMLayer",
            (4, 3),
            " ".join(f"{kind}_{gate}" for gate in LONG_GATES for kind in ("weight", "bias")),
            prefixed("grad_"),
            "prev_hidden_state current_input prev_cell_state",
            current_input=(4, 1),
            **STATES,
        ),
    ),
    Subject(
        OBJECTS,
        "LSTM step",
        (
            Part("activation.py", "Sigmoid Tanh", module="activation"),
            Part(
                "gate.py",
                "_zero_grad ForgetGate InputGate OutputGate CandidateGate",
                (("Tanh.backward(c_tilde)", "(1 - c_tilde**2)"),),  # see README.md
                "from activation import Sigmoid",
                module="gate",
            ),
            Part(
                "lstm.py",
                "LSTM",
                (("dby=np.sum(dy,axis=1,keepdims=True)", "dby=np.sum(dy,axis=0,keepdims=True)"),),  # see README.md
                "from activation import Tanh\nfrom gate import CandidateGate, ForgetGate, InputGate, OutputGate",
                ONE_STEP,
            ),
        ),
        object_of(
            "Step",
            (4, 3, 2),
            " ".join(f"{gate}_gate.{kind}{letter}" for gate, letter in GATES.items() for kind in "WUb") + " Why by",
            prefixed("d"),
            "x h_prev c_prev",
            ("forward_step", "backward_step"),
            x=(2, 4),
            h_prev=(2, 3),
            c_prev=(2, 3),
        ),
        published="the candidate's derivative is that of the tanh of a tanh; a bias's gradient is summed over outputs",
    ),
]

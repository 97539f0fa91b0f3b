"""Subjects by owners Q to Z: notebooks after a course, a block of a transformer's decoder, a convolution, others."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Given, Part, Subject, above, copied, loss, numbers, pair
from .tenth_c import object_of, place

# two notebooks written after a course: an RNN and an LSTM, time last, caches in tuples, gradients in dicts ------------

NOTES = "rohinarora/sequential_models"
NOTES_RNN = "softmax rnn_cell_forward rnn_forward rnn_cell_backward rnn_backward"
NOTES_LSTM = "softmax sigmoid lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward"
NOTES_RNN_EDITS = tuple((f"np.matmul({name}.T", f'np.matmul(parameters["{name}"].T') for name in ("Wax", "Waa"))
NOTES_LSTM_EDITS = (  # see README.md
    ("        da_prev=", "        da_prevt="),
    ("        dc_prev=", "        dc_prevt="),
    ("da0 = da_prev", "da0 = da_prevt"),
)


def notes(kind, weights, spoken):
    """A maker for the functions `kind`_forward, `kind`_backward with {weight: shape}, and those of the readout."""

    def make(m):
        r = numbers()
        forward, backward = getattr(m, f"{kind}_forward"), getattr(m, f"{kind}_backward")
        shapes = weights | spoken
        given = {"x": r(4, 2, 5), "a0": r(3, 2), "parameters": weights_of(r, " ".join(shapes), *shapes.values())}
        arrays = {"x": given["x"], "a0": given["a0"], **given["parameters"]}

        def gradients():
            states, *_, caches = forward(**copied(given))
            found = backward(above(states), caches)
            return {name: found[f"d{name}"] for name in ["x", "a0", *weights]}

        def value():
            states = forward(**copied(given))[0]
            return float((above(states) * states).sum())

        return Given(forward, backward, given, arrays, value, gradients)

    return make


# a block of a transformer's decoder: attention to itself, then to an encoder's outputs, two layers; a norm after each -

DECODER = "xinghaow99/transformer_from_scratch"
DECODER_CUPY = "import numpy as cp"
DECODER_DOUBLE = (("cp.float32", "cp.float64"),)
DECODER_NORM = (  # see README.md
    *DECODER_DOUBLE,
    ("self.grad_gamma += grad.sum", "self.grad_beta += grad.sum"),
    ("self.grad_beta += cp.sum", "self.grad_gamma += cp.sum"),
)
DECODER_LINEAR = {f"multi_head_att{k}.W_{kind}": (4, 4) for k in (1, 2) for kind in "qkvo"}
DECODER_LINEAR |= {"ffn.fc1": (4, 6), "ffn.fc2": (6, 4)}
DECODER_WEIGHTS = {f"{name}.weights": shape for name, shape in DECODER_LINEAR.items()}
DECODER_WEIGHTS |= {f"{name}.bias": shape[1:] for name, shape in DECODER_LINEAR.items() if name[-1] in "o12"}
DECODER_WEIGHTS |= {f"layernorm{k}.{kind}": (4,) for k in (1, 2, 3) for kind in ("gamma", "beta")}
DECODER_LAYER = """

class Optimizer:
    def count_layers(self, name):
        return 0

    def register_params(self, name, value):
        pass


class Layer(DecoderBlock):
    def __init__(self):
        super().__init__(Optimizer(), 4, 6, 2, 0.0, cp.float64)

    def forward(self, target, source):
        target_mask = np.tril(np.ones((2, 3, 3)))
        source_mask = np.ones((2, 1, 5))
        source_mask[1, 0, 3:] = 0
        return super().forward(target, source, target_mask, source_mask, training=False)
"""


def imported(**names):
    """Lines that import names from modules that are parts."""
    return "\n".join([DECODER_CUPY, *(f"from {module} import {name}" for module, name in names.items())])


def accumulated(made, path):
    """The gradient of a weight is the attribute with grad_ before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"grad_{name}")


# a framework's RNN with a readout: all is transposed first, so that the batch is last; gradients are kept negative ----

FRAMEWORK = "Robertoskr/deepr"
FRAMEWORK_WEIGHTS = {"Wx": (3, 4), "Wh": (4, 4), "Wo": (4, 2), "bx": (1, 4), "bo": (1, 2)}
FRAMEWORK_EDITS = (("1 - np.tanh(X) ** 2", "1 - X**2"),)  # see README.md
FRAMEWORK_LAYER = """

class Layer(RNN):
    def __init__(self):
        super().__init__(5, 3, 4, 2, Tanh(), return_sequences=True)

    def backward(self, dO):
        super().backward(dO)
        return tuple(-getattr(self, grad) for grad in self.grads)
"""

# a course's convolution over time, every second step of it, of padded inputs ------------------------------------------

STRIDES = "RishitSaxena55/TorchiFy-v1"
STRIDES_WEIGHTS = {"conv1d_stride1.W": (4, 2, 3), "conv1d_stride1.b": (4,)}
STRIDES_LAYER = """

class Layer(Conv1d):
    def __init__(self):
        super().__init__(2, 4, 3, 2, padding=1)
"""


def by(made, path):
    """The gradient of a weight is the attribute with dLd before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"dLd{name}")


# another course's LSTM, what is kept in tuples in a list --------------------------------------------------------------

HOMEWORK = "tangoclinh1995/COMP4901JAssignment3"
HOMEWORK_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def homework(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (4, 12), (3, 12), (12,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 4), h0=r(2, 3), **weights)


# a lecturer's answer to his own exercise: from each output back through the steps before it ---------------------------

ANSWER = "TomDLT/TomDLT.github.io"
ANSWER_FOLDER = "decks/2018_back_prop"
ANSWER_LOSS = """

def loss_and_gradients(x, y, s0, U, V, W):
    model = RNN(6, 3)
    model.s0, model.U, model.V, model.W = s0, U, V, W
    return model.calculate_total_loss([x], [y]), *model.bptt(x, y)
"""


def answer(m):
    r = numbers()
    weights = weights_of(r, "U V W", (3, 6), (6, 3), (3, 3))
    given = {"x": np.array([0, 3, 3, 1, 5]), "y": np.array([3, 3, 1, 5, 2]), "s0": r(3)}
    return loss(m.loss_and_gradients, "U V W", **given, **weights)


SUBJECTS = [
    Subject(
        NOTES,
        "RNN",
        (Part("RNN_scratch/RNN_scratch.ipynb", NOTES_RNN, NOTES_RNN_EDITS),),
        notes("rnn", {"Wax": (3, 4), "Waa": (3, 3), "ba": (3, 1)}, {"Wya": (2, 3), "by": (2, 1)}),
        published="its step back reads the weights from globals",
    ),
    Subject(
        NOTES,
        "LSTM",
        (Part("LSTM_scratch/LSTM_scratch.ipynb", NOTES_LSTM, NOTES_LSTM_EDITS),),
        notes(
            "lstm",
            {f"{kind}{gate}": (3, 7) if kind == "W" else (3, 1) for gate in "fico" for kind in "Wb"},
            {"Wy": (2, 3), "by": (2, 1)},
        ),
        published="what is carried back is given another name in the loop, so that nothing is",
    ),
    Subject(
        DECODER,
        "decoder block",
        (
            Part("modules/linear.py", "Linear", DECODER_DOUBLE, DECODER_CUPY, module="linear"),
            Part("modules/relu.py", "ReLU", (), DECODER_CUPY, module="relu"),
            Part("modules/softmax.py", "Softmax", (), DECODER_CUPY, module="softmax"),
            Part("modules/dropout.py", "Dropout", DECODER_DOUBLE, DECODER_CUPY, module="dropout"),
            Part("modules/layer_normalization.py", "LayerNormalization", DECODER_NORM, DECODER_CUPY, module="norm"),
            Part(
                "transformer/multi_head_attention.py",
                "MultiHeadAttention",
                DECODER_DOUBLE,
                imported(linear="Linear", dropout="Dropout", softmax="Softmax"),
                module="attention",
            ),
            Part(
                "transformer/position_wise_feed_forward.py",
                "PositionWiseFeedForward",
                DECODER_DOUBLE,
                imported(linear="Linear", relu="ReLU", dropout="Dropout"),
                module="feed",
            ),
            Part(
                "transformer/decoder_block.py",
                "DecoderBlock",
                DECODER_DOUBLE,
                imported(
                    dropout="Dropout",
                    norm="LayerNormalization",
                    attention="MultiHeadAttention",
                    feed="PositionWiseFeedForward",
                ),
                DECODER_LAYER,
            ),
        ),
        object_of("Layer", DECODER_WEIGHTS, "target source", accumulated, target=(2, 3, 4), source=(2, 5, 4)),
        published="the norms' gradients of gamma and beta are interchanged",
    ),
    Subject(
        FRAMEWORK,
        "RNN",
        (
            Part("layers/base.py", "Layer", module="base"),
            Part(
                "functions.py",
                "DerivableFunction Activation Tanh",
                FRAMEWORK_EDITS,
                "from base import Layer",
                module="functions",
            ),
            Part("layers/rnn.py", "RNN", (), "from base import Layer\nfrom functions import Tanh", FRAMEWORK_LAYER),
        ),
        object_of("Layer", FRAMEWORK_WEIGHTS, " ".join(FRAMEWORK_WEIGHTS), X=(3, 5, 2)),
        published="the derivative of tanh is taken at the state, which is a tanh already",
    ),
    Subject(
        STRIDES,
        "convolution",
        (
            Part("mytorch/nn/resampling.py", "Downsample1d", module="resampling"),
            Part(
                "mytorch/nn/Conv1d.py",
                "Conv1d_stride1 Conv1d",
                (),
                "from resampling import Downsample1d",
                STRIDES_LAYER,
            ),
        ),
        object_of("Layer", STRIDES_WEIGHTS, "A", by, A=(3, 2, 9)),
    ),
    Subject(HOMEWORK, "LSTM", (Part("cs231n/rnn_layers.py", HOMEWORK_TAKEN),), homework),
    Subject(
        ANSWER,
        "RNN",
        (
            Part(f"{ANSWER_FOLDER}/utils.py", "softmax", module="utils"),
            Part(
                f"{ANSWER_FOLDER}/rnn.py",
                "RNN",
                (
                    ("class RNN():", "class Exercise():"),
                    ("states[-1] = np.zeros(self.hidden_dim)", "states[-1] = self.s0"),
                ),
                "from utils import softmax",
                module="exercise",
            ),
            Part(
                f"{ANSWER_FOLDER}/answer.py",
                "RNN",
                (("class RNN():", "class RNN(exercise.Exercise):"),),
                "import exercise",
                ANSWER_LOSS,
            ),
        ),
        answer,
    ),
]

"""Subjects of the seventh set that are whole models: a loss and its gradients."""

import numpy as np

from .fourth_models import model
from .functions import SOFTMAX
from .programs import Given, Part, Subject, copied, loss, numbers

# min-char-rnn with long names -----------------------------------------------------------------------------------------

READABLE = "tmoldwin/rnn"
WEIGHTS = "weights_input_to_hidden weights_hidden_to_hidden weights_hidden_to_output bias_hidden bias_output"
FUNCTION = "def compute_loss_and_gradients(input_indices, target_indices, previous_hidden_state"
FROM_GLOBALS = ((f"{FUNCTION})", f"{FUNCTION}, {WEIGHTS.replace(' ', ', ')})"),)


def readable(m):
    r = numbers()
    shapes = ((4, 5), (4, 4), (5, 4), (4, 1), (5, 1))
    weights = {name: 0.5 * r(*shape) for name, shape in zip(WEIGHTS.split(), shapes, strict=True)}
    words = {"input_indices": [0, 3, 1], "target_indices": [3, 1, 4]}
    return loss(m.compute_loss_and_gradients, WEIGHTS, **words, previous_hidden_state=r(4, 1), **weights)


# names of a course on sequence models: gradients are handed on in a dict ----------------------------------------------

NAMES = "bosonfields/DeepLearning-course-project"


def names(m):
    """The forward pass returns the loss first; the backward pass has no gradient from above."""
    r = numbers()
    weights = {"Wax": r(3, 5), "Waa": 0.7 * r(3, 3), "Wya": r(5, 3), "b": r(3, 1), "by": r(5, 1)}
    given = {"X": [0, 3, 1], "Y": [3, 1, 4], "a0": r(3, 1), "parameters": weights, "vocab_size": 5}

    def gradients():
        cache = m.rnn_forward(**copied(given))[1]
        found = m.rnn_backward(given["X"], given["Y"], copied(weights), cache)[0]
        return {name: found[f"d{name}"] for name in weights} | {"a0": found["da_next"]}

    arrays = weights | {"a0": given["a0"]}
    return Given(m.rnn_forward, m.rnn_backward, given, arrays, lambda: float(m.rnn_forward(**given)[0]), gradients)


# an embedding, an RNN and a loss; written for graphics cards ----------------------------------------------------------

LAYERS = "horecdev/RNN-from-scratch"
CARDS = (
    ("cp.", "np."),
    ("batch_size = self.logits.shape[0]", "batch_size = self.logits.shape[0] * self.logits.shape[1]"),  # see README.md
)
LAYERS_LOSS = """

class Characters:
    def __init__(self, vocab_size, embed_dim, hidden_dim):
        self.embedding = Embedding(vocab_size, embed_dim)
        self.rnn = RNN(embed_dim, hidden_dim, vocab_size)
        self.criterion = SoftmaxCrossEntropy()

    def loss_and_gradients(self, x, targets, h_prev):
        logits, _ = self.rnn.forward(self.embedding.forward(x), h_prev)
        loss = self.criterion.forward(logits, targets)
        dembeddings = self.embedding.backward(self.rnn.backward(self.criterion.backward()))
        rnn = self.rnn
        return loss, dembeddings, rnn.dW_xh, rnn.dW_hh, rnn.dW_hy, rnn.dbh, rnn.dby
"""


def layers(m):
    made, r = m.Characters(5, 4, 3), numbers(3)
    weights = {"embeddings": r(5, 4), "W_xh": r(4, 3), "W_hh": 0.7 * r(3, 3), "W_hy": r(3, 5), "bh": r(3), "by": r(5)}
    made.embedding.embeddings = weights["embeddings"]
    vars(made.rnn).update({name: weight for name, weight in weights.items() if name != "embeddings"})
    words = np.array([[0, 3, 1, 3], [2, 2, 4, 0]])
    targets = np.eye(5)[np.roll(words, -1, axis=1)]
    return model(made.loss_and_gradients, weights, x=words, targets=targets, h_prev=r(2, 3))


# an LSTM whose weights are objects with their gradients beside them ---------------------------------------------------

PARAMETERS = "hsqStephenZhang/rnn_lstm_numpy"
PARAMETER_NAMES = "Wc Wf Wi Wo Wv bc bf bi bo bv"
TAKEN = "Param Parameters sigmoid dsigmoid tanh dtanh forward backward2 clear_gradients clip_gradients loss_func"
PUT_RIGHT = (  # see README.md
    ("return y * (y - 1)", "return y * (1 - y)"),
    (
        "dc_next = backward(targets[t], dh_next, dc_next, c_prev,",
        "dc_next = backward2(targets[t], dh_next, dc_next, c_s[t - 1],",
    ),
)
CALLABLE = (
    ("def sigmoid(x):", "parameters = Parameters()\n\n\ndef sigmoid(x):"),
    ("np.row_stack", "np.vstack"),
    ("np.clip(item.d, -1, 1, out=item.d)", "np.clip(item.d, -1000, 1000, out=item.d)"),
)
PARAMETERS_LOSS = f"""

def loss_and_gradients(inputs, targets, h_prev, c_prev, {PARAMETER_NAMES.replace(" ", ", ")}):
    for param, value in zip(parameters.all(), ({PARAMETER_NAMES.replace(" ", ", ")})):
        param.v = value
    loss, h, c = loss_func(inputs, targets, h_prev, c_prev)
    return loss, *[param.d.copy() for param in parameters.all()]
"""


def parameters(m):
    r = numbers()
    shapes = [(5, 4) if n == "Wv" else (5, 1) if n == "bv" else (4, 9) if n[0] == "W" else (4, 1)
              for n in PARAMETER_NAMES.split()]  # fmt: skip
    weights = {name: 0.5 * r(*shape) for name, shape in zip(PARAMETER_NAMES.split(), shapes, strict=True)}
    given = {"inputs": [0, 3, 1], "targets": [3, 1, 4], "h_prev": r(4, 1), "c_prev": r(4, 1)}
    return loss(m.loss_and_gradients, PARAMETER_NAMES, **given, **weights)


SUBJECTS = [
    Subject(
        READABLE,
        "min-char-rnn",
        (Part("min-char-rnn.py", "compute_loss_and_gradients", FROM_GLOBALS, "vocab_size = 5"),),
        readable,
    ),
    Subject(
        NAMES,
        "rnn",
        (
            Part(
                "Dinosaurus_name_-_shakespear/utils.py",
                "rnn_step_forward rnn_step_backward rnn_forward rnn_backward",
                before=SOFTMAX,
            ),
        ),
        names,
    ),
    Subject(
        LAYERS,
        "RNN",
        (Part("core.py", "SoftmaxCrossEntropy Embedding RNN", CARDS, "Tensor = np.ndarray", LAYERS_LOSS),),
        layers,
        published="the loss is a mean over samples and steps, the gradients are those of a mean over the samples",
    ),
    Subject(
        PARAMETERS,
        "LSTM",
        (
            Part(
                "code/lstm_np.py",
                TAKEN,
                (*PUT_RIGHT, *CALLABLE),
                "hidden_size, vocab_size, total_size = 4, 5, 9",
                PARAMETERS_LOSS,
            ),
        ),
        parameters,
        published="of two backward passes the one that is called is wrong; the sigmoid's derivative; the cell before",
    ),
]

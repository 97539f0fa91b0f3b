"""Subjects of the sixth set that are whole models: a loss and its gradients."""

import numpy as np

from .fifth_models import weights_of
from .fourth_models import model
from .functions import arguments, characters
from .programs import Part, Subject, numbers

# notebooks that began with min-char-rnn: a GRU and an LSTM with a matrix for each gate -----------------------------

NOTEBOOKS = "legalaspro/rnn_gru_lstm_experiments"
ACTIVATIONS = "sigmoid softmax"


def gated(gates):
    """{name: shape} of the weights of these gates, in the order that the notebook returns their gradients."""
    shapes = {"Wx": (4, 5), "Wh": (4, 4), "b": (4, 1)}
    return {f"{kind}{gate}": shape for gate in gates for kind, shape in shapes.items()} | {"Why": (5, 4), "by": (5, 1)}


def notebook(kind, function, gates, states):
    weights = gated(gates)
    names = " ".join(weights)
    given = arguments(function, f"inputs, targets, {', '.join(states.split())}", names)
    part = Part(f"simple-{kind.lower()}.ipynb", f"{ACTIVATIONS} {function}", given, "vocab_size = 5")
    return Subject(NOTEBOOKS, kind, (part,), characters(function, names, weights, states))


# a summer school's tagger: embedding, sigmoid units, a mean over the steps -----------------------------------------

SCHOOL = "LxMLS/lxmls-toolkit"
NO_FILES = (
    ("class NumpyRNN(RNN)", "class NumpyRNN"),
    ("RNN.__init__(self, **config)", "self.parameters = config['parameters']"),
)
SCHOOL_LOSS = """

class Tagger(NumpyRNN):
    def loss_and_gradients(self, input, output):
        return self.cross_entropy_loss(input, output), self.backpropagation(input, output)
"""


def tagger(m):
    r = numbers(3)
    weights = [r(5, 4), 0.7 * r(3, 4), 0.7 * r(3, 3), 0.7 * r(6, 3)]
    made = m.Tagger(parameters=weights)
    return model(made.loss_and_gradients, weights, input=np.array([0, 3, 1, 3]), output=np.array([3, 1, 4, 5]))


# an Elman network whose arrays are made beforehand; its first step is left out -------------------------------------

ELMAN = "Jfeatherstone/ElmanNetwork"
BEFORE = (  # see README.md
    (
        "contextArr[i+1].reshape(-1, 1) if i < T-1 else np.zeros((self.contextDim, 1))",
        "contextArr[i-1].reshape(-1, 1) if i > 0 else np.zeros((self.contextDim, 1))",
    ),
)
ELMAN_NAMES = "Wux Wuc Wvc bu bv"
ELMAN_LOSS = f"""

class Sequences(ElmanNetwork):
    def loss_and_gradients(self, inputArr, targetArr):
        contextArr, outputArr = self.forwardSequence(inputArr)
        self.backwardSequence(inputArr, contextArr, outputArr, targetArr)
        return mse(outputArr, targetArr), {", ".join(f"self.dEd{name}" for name in ELMAN_NAMES.split())}
"""


def elman(m):
    made, r = m.Sequences(4, 3, 2, 0.1), numbers(3)
    weights = weights_of(made, ELMAN_NAMES, r)
    return model(made.loss_and_gradients, weights, inputArr=r(4, 4), targetArr=r(4, 2))


# names by their letters: one output at the end, states in a dict ----------------------------------------------------

NAMES = "petar-ceho/rnn-numpy"
NAMES_WEIGHTS = "Wxh Whh Why bh by bx"
NAMES_LOSS = """

class Names(RNN):
    def loss_and_gradients(self, inputs, hprev, y_true):
        criterion = CrossEntropyLoss(None)
        logits, _ = self.forward(inputs, hprev)
        probs, loss = criterion.forward(logits, y_true)
        return loss + self.reqularization_loss(), *self.backward(criterion.backward(probs, y_true), inputs)
"""


def names(m):
    made, r = m.Names(4, 3, 0.1, 5, weight_req_l1=0.02, weight_req_l2=0.03), numbers(3)
    weights = weights_of(made, NAMES_WEIGHTS, r)
    return model(made.loss_and_gradients, weights, inputs=r(3, 1, 4), hprev=r(1, 3), y_true=np.eye(5)[[3]])


CODER_LOSS = """

class Coder(Autoencoder):
    def loss_and_gradients(self, x):
        coded = self.forward(x)
        return np.sum((coded - x) ** 2) / 2, *self.backward(coded - x)
"""


def coded(m):
    made, r = m.Coder(4, 3), numbers(3)
    weights = weights_of(made, "W_dec b_dec W_enc b_enc", r)
    return model(made.loss_and_gradients, weights, x=r(2, 4))


SUBJECTS = [
    notebook("GRU", "lossFunGRU", "zrh", "hprev"),
    notebook("LSTM", "lossFunLTSM", "ifoc", "hprev cprev"),
    Subject(
        SCHOOL,
        "RNN",
        (
            Part("lxmls/deep_learning/utils.py", "logsumexp index2onehot", module="utils"),
            Part(
                "lxmls/deep_learning/numpy_models/rnn.py",
                "NumpyRNN",
                NO_FILES,
                "from utils import index2onehot, logsumexp",
                SCHOOL_LOSS,
            ),
        ),
        tagger,
    ),
    Subject(
        ELMAN,
        "network",
        (Part("elman.py", "sigmoid mse ElmanNetwork", BEFORE, after=ELMAN_LOSS),),
        elman,
        published="the recurrent weights' gradient is taken with the state after the step",
    ),
    Subject(NAMES, "RNN", (Part("src/models.py", "RNN CrossEntropyLoss", after=NAMES_LOSS),), names),
    Subject(NAMES, "autoencoder", (Part("src/models.py", "Autoencoder", after=CODER_LOSS),), coded),
]

"""Subjects of the eighth set that are layers: cells, networks over time, an embedding, a loss, normalisation."""

import numpy as np

from .functions import coursera
from .objects import cmu_gru
from .programs import Given, Part, Subject, above, copied, layer, loss, numbers

# an LSTM whose weights are dicts by the letter of the gate -----------------------------------------------------------

LETTERS = "knah1d/lstm-from-scratch"
OPERATIONS = Part("core/ops.py", "sigmoid tanh xavier_init orthogonal_init", module="ops")
CELL = Part(
    "core/cell.py", "LSTMCell", before="from ops import orthogonal_init, sigmoid, tanh, xavier_init", module="cell"
)


def letters(m):
    """The gradient of the last cell may be given; gradients in a dict of dicts."""
    r = numbers()
    made = m.LSTMLayer(4, 3, np.random.default_rng(0))
    made.cell.b = {gate: r(3) for gate in "fiog"}
    own = {"Wx": made.cell.Wx, "Wh": made.cell.Wh, "b": made.cell.b}
    weights = {f"{box}[{gate}]": array for box, entries in own.items() for gate, array in entries.items()}
    given = {"x_seq": r(2, 3, 4), "h0": r(2, 3), "C0": r(2, 3)}

    def gradients():
        h, c, caches = made.forward(**copied(given))
        dx, dh, dc, grads = made.backward(above(h), caches, above(c, 1))
        found = {f"{box}[{gate}]": grads[box][gate] for box in own for gate in "fiog"}
        return {"x_seq": dx, "h0": dh, "C0": dc} | found

    def value():
        h, c, _ = made.forward(**copied(given))
        return float((above(h) * h).sum() + (above(c, 1) * c).sum())

    return Given(made.forward, made.backward, given, given | weights, value, gradients)


def labelled(m):
    return loss(m.cross_entropy_loss, "logits", logits=numbers()(4, 3), labels=np.array([0, 2, 1, 2]))


# a network over time for columns, with its embedding and loss --------------------------------------------------------

COLUMNS = "vasusingla/numpy-vanilla-rnn"
OVER_TIME = """

def run(input, a0, Wa, ba):
    rnn = RNN(Wa.shape[0] - Wa.shape[1], Wa.shape[1])
    rnn._Wa, rnn._ba = Wa, ba
    activations = rnn.forward(input, a0)
    return activations, (rnn, input, activations)


def run_backward(gradOutput, cache):
    rnn, input, activations = cache
    dinput = rnn.backward(input, gradOutput, activations)
    return dinput, rnn._dWa, rnn._dba
"""
SUMS = (
    ("xrange", "range"),
    ("        self._dWa/=input.shape[1]\n        self._dba/=input.shape[1]\n", ""),  # see README.md
)


def columns(m):
    """The gradient of the state before the first step is not handed back."""
    r = numbers()
    given = {"input": r(4, 2, 3), "a0": r(3, 2), "Wa": 0.7 * r(7, 3), "ba": r(3, 1)}

    def gradients():
        a, cache = m.run(**copied(given))
        return dict(zip(("input", "Wa", "ba"), m.run_backward(above(a), cache), strict=True))

    def value():
        return float((above(a := m.run(**copied(given))[0]) * a).sum())

    return Given(m.run, m.run_backward, given, given, value, gradients)


def embedding(m):
    """What is worked out is kept, nothing is handed back."""
    made, weights = m.Embedding(3, 5), {"_ematrix": numbers()(5, 3)}
    made._ematrix, words = weights["_ematrix"], np.array([[0, 3, 1], [2, 2, 4]])

    def gradients():
        made._dematrix = np.zeros((5, 3))
        made.backward(above(made.forward(words)), words)
        return {"_ematrix": made._dematrix}

    def value():
        return float((above(out := made.forward(words)) * out).sum())

    return Given(made.forward, made.backward, {"X": words}, weights, value, gradients)


def criterion(m):
    """Both passes are given scores and targets."""
    made, given = m.Criterion(), {"input": numbers()(4, 3), "target": np.array([0, 2, 1, 2])}
    return Given(
        made.forward,
        made.backward,
        given,
        {"input": given["input"]},
        lambda: float(made.forward(**given)),
        lambda: {"input": made.backward(**copied(given))},
    )


# a course on sequence models, as one file -----------------------------------------------------------------------------

ONE_FILE = "RihaChri/Simple-LSTM-from-scratch"
CELLS = "softmax sigmoid lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward"

# layers with parameters that hold their gradients --------------------------------------------------------------------

HOLDERS = "DmitryInd/Numpy-NN-Framework"
HOLDER = Part("src/nn/module/parameters.py", "Parameters", module="parameters")
HELD = "from parameters import Parameters"
STACK = """

class TwoLayers:
    def __init__(self):
        self.first, self.activation, self.second = Linear(4, 3), Tanh(), Linear(3, 2)

    def forward(self, inpt):
        return self.second(self.activation(self.first(inpt)))

    def _compute_gradients(self, grads):
        grads = self.second._compute_gradients(grads)
        grads = self.activation._compute_gradients(grads)
        return self.first._compute_gradients(grads)
"""


def holders(name, sizes, paths):
    """An object of the class `name`; its weights are `params` of the objects at some paths, their gradients `grads`."""

    def place(made, path):
        for part in path.split("."):
            made = getattr(made, part)
        return made

    def make(m):
        r, first = numbers(), getattr(m, name)(*sizes)
        arrays = {path: 0.7 * r(*np.shape(place(first, path).params)) for path in paths.split()}

        def fresh():
            made = getattr(m, name)(*sizes)
            for path, array in arrays.items():
                place(made, path).params = array
            return made

        def gradients_of(made, returned):
            return {path: place(made, path).grads for path in arrays} | {"inpt": returned}

        return layer(fresh, gradients_of, backward="_compute_gradients", weights=arrays, inpt=r(5, 4))

    return make


# a course's GRU cell of vectors ---------------------------------------------------------------------------------------

VECTORS = "krishhrana/MyTorch"
ACTIVATIONS = Part("Recurrent Networks/mytorch/activation.py", "Activation Sigmoid Tanh", module="activation")

SUBJECTS = [
    Subject(
        LETTERS,
        "lstm",
        (OPERATIONS, CELL, Part("core/layer.py", "LSTMLayer", before="from cell import LSTMCell")),
        letters,
    ),
    Subject(LETTERS, "cross entropy", (Part("core/losses.py", "softmax cross_entropy_loss"),), labelled),
    Subject(
        COLUMNS,
        "rnn",
        (Part("RNN.py", "RNN", SUMS, after=OVER_TIME),),
        columns,
        "the gradients of the weights are divided by the number of samples, those of the inputs not",
    ),
    Subject(COLUMNS, "embedding", (Part("Embedding.py", "Embedding", (("xrange", "range"),)),), embedding),
    Subject(COLUMNS, "criterion", (Part("Criterion.py", "one_hot_convert Criterion"),), criterion),
    Subject(ONE_FILE, "lstm", (Part("LSTM.py", CELLS),), coursera("lstm")),
    Subject(
        HOLDERS,
        "batch normalisation",
        (HOLDER, Part("src/nn/layers/batch_norm.py", "BatchNorm", before=HELD)),
        holders("BatchNorm", (4,), "gamma beta"),
    ),
    Subject(
        HOLDERS,
        "two layers",
        (
            HOLDER,
            Part("src/nn/layers/linear.py", "Linear", before=HELD, module="linear"),
            Part("src/nn/activations/tanh.py", "Tanh", before=f"{HELD}\nfrom linear import Linear", after=STACK),
        ),
        holders("TwoLayers", (), "first.W first.b second.W second.b"),
    ),
    Subject(
        VECTORS,
        "gru",
        (
            ACTIVATIONS,
            Part(
                "Recurrent Networks/mytorch/gru_cell.py",
                "GRUCell",
                (("        print(dx.shape)\n", ""),),
                "from activation import Sigmoid, Tanh",
            ),
        ),
        cmu_gru,
    ),
]

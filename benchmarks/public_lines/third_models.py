"""Subjects of the third held-out set that are whole models: a loss and its gradients; a layer that is one step."""

import numpy as np

from .programs import Given, Part, Subject, above, copied, numbers, pair

WORDS = {"x": np.array([0, 3, 1, 1]), "y": np.array([3, 1, 1, 2])}


def model(make, weights, names=None, **inputs):
    """make() -> object with loss_and_gradients(**inputs): a loss, then the gradients, by the weights or by `names`."""
    made = make()
    vars(made).update(weights)

    def run():
        return made.loss_and_gradients(**copied(inputs))

    def gradients():
        return dict(zip(names or weights, run()[1:], strict=True))

    return Given(made.loss_and_gradients, None, inputs, weights, lambda: float(run()[0]), gradients)


# a language model from a tutorial, in a notebook ---------------------------------------------------------------------

BRITZ = "dennybritz/rnn-tutorial-rnnlm"
TUTORIAL = """

RNNNumpy.forward_propagation = forward_propagation
RNNNumpy.calculate_total_loss = calculate_total_loss
RNNNumpy.bptt = bptt


class LanguageModel(RNNNumpy):
    def loss_and_gradients(self, x, y):
        return (self.calculate_total_loss([x], [y]), *self.bptt(x, y))
"""


def tutorial(m):
    r = numbers()
    weights = {"U": 0.7 * r(3, 4), "V": 0.7 * r(4, 3), "W": 0.7 * r(3, 3)}
    return model(lambda: m.LanguageModel(4, 3, 10), weights, **WORDS)


# the same, of gates in modules of their own --------------------------------------------------------------------------

GATES = "pangolulu/rnn-from-scratch"
MODULES = (
    Part("activation.py", "Sigmoid Tanh", module="activation"),
    Part("gate.py", "MultiplyGate AddGate", module="gate"),
)
IMPORTS = """from activation import Tanh
from gate import AddGate, MultiplyGate

mulGate = MultiplyGate()
addGate = AddGate()
activation = Tanh()"""
STEP = """

def forward(x, prev_s, U, W, V):
    layer = RNNLayer()
    layer.forward(x, prev_s, U, W, V)
    return layer.s, layer.mulv, (layer, x, prev_s, U, W, V)


def backward(diff_s, dmulv, cache):
    layer, *inputs = cache
    return layer.backward(*inputs, diff_s, dmulv)
"""
WHOLE_LOSS = (("return loss / float(len(y))", "return loss"),)
BPTT = """

class LanguageModel(Model):
    def loss_and_gradients(self, x, y):
        return (self.calculate_loss(x, y), *self.bptt(x, y))
"""


def gate_step(m):
    r = numbers()
    inputs = {"x": r(4), "prev_s": r(3), "U": r(3, 4), "W": r(3, 3), "V": r(2, 3)}
    return pair(m.forward, m.backward, "prev_s U W V", 2, **inputs)


def gate_model(m):
    r = numbers()
    weights = {"U": 0.7 * r(3, 4), "W": 0.7 * r(3, 3), "V": 0.7 * r(4, 3)}
    return model(lambda: m.LanguageModel(4, 3, 10), weights, **WORDS)


# a course in language understanding: updates are kept, that is the gradients with the sign turned --------------------

UNDERSTANDING = "HrBlack/RNN-for-Language-Modelling"
MATH = Part("rnnmath.py", "sigmoid softmax make_onehot", module="rnnmath")
UPDATES = """

class LanguageModel(RNN):
    def loss_and_gradients(self, x, d):
        y, s = self.predict(x)
        self.deltaU, self.deltaV, self.deltaW = (np.zeros_like(w) for w in (self.U, self.V, self.W))
        self.acc_deltas_bptt(x, d, y, s, 10)
        return self.compute_loss(x, d), -self.deltaU, -self.deltaV, -self.deltaW
"""
LAST = (("self.acc_deltas_bptt(", "self.acc_deltas_bptt_np("), ("self.compute_loss(", "self.compute_loss_np("))


def last_word(text):
    for old, new in LAST:
        text = text.replace(old, new)
    return text


def understanding(after):
    return (MATH, Part("rnn.py", "RNN", before="from rnnmath import make_onehot, sigmoid, softmax", after=after))


def updates(**inputs):
    def make(m):
        r = numbers()
        weights = {"U": r(3, 3), "V": r(3, 4), "W": r(4, 3)}
        return model(lambda: m.LanguageModel(4, 3, 4), weights, **inputs)

    return make


# a notebook: an LSTM of functions, everything in dicts with numbered keys --------------------------------------------

NAMES, NOTEBOOK = "navjindervirdee/neural-networks", "Recurrent Neural Network/RecurrentNeuralNet(LSTM).ipynb"
ACTIVATIONS = "sigmoid tanh_activation softmax tanh_derivative "
ERRORS = "calculate_output_cell_error calculate_single_lstm_cell_error calculate_output_cell_derivatives"
NETWORK = f"""lstm_cell output_cell get_embeddings forward_propagation cal_loss_accuracy {ERRORS}
calculate_single_lstm_cell_derivatives backward_propagation"""
CROSS_ENTROPY = (  # see README.md
    ("np.multiply(labels,np.log(pred)) + np.multiply(1-labels,np.log(1-pred))", "np.multiply(labels,np.log(pred))"),
)
BATCHES = """

def loss_and_gradients(batches, parameters, embeddings):
    caches = forward_propagation(batches, parameters, embeddings)
    perplexity, loss, acc = cal_loss_accuracy(batches, caches[-1])
    derivatives, embedding_errors = backward_propagation(batches, *caches, parameters)
    return loss, derivatives
"""
CELL = """

def forward(x, a_prev, c_prev, parameters):
    activations, c, a = lstm_cell(x, a_prev, c_prev, parameters)
    return a, c, (activations, c, c_prev, parameters)


def backward(da, dc, cache):
    activations, c, c_prev, parameters = cache
    errors = calculate_single_lstm_cell_error(da, np.zeros_like(da), dc, parameters, activations, c, c_prev)
    return errors[2], errors[0], errors[1]
"""


def gate_weights():
    r = numbers()
    return {f"{k}gw": 0.7 * r(5, 3) for k in "fiog"} | {"how": r(3, 4)}


def batches(m):
    parameters, r = gate_weights(), numbers(4)
    hot = np.eye(4)[np.array([[0, 2], [3, 1], [1, 1], [2, 0]])]
    given = {"batches": list(hot), "parameters": parameters, "embeddings": r(4, 2)}

    def run():
        return m.loss_and_gradients(**copied(given))

    def gradients():
        found = run()[1]
        return {key: found[f"d{key}"] for key in parameters}

    return Given(m.loss_and_gradients, None, given, parameters, lambda: float(run()[0]), gradients)


def cell(m):
    r = numbers()
    inputs = {"x": r(2, 2), "a_prev": r(2, 3), "c_prev": r(2, 3)}
    parameters = gate_weights()

    def run():
        return m.forward(**copied(inputs), parameters=parameters)

    def gradients():
        a, c, cache = run()
        return dict(zip(inputs, m.backward(above(a), above(c, 1), cache), strict=True))

    def value():
        a, c, _ = run()
        return float(np.sum(above(a) * a) + np.sum(above(c, 1) * c))

    return Given(m.forward, m.backward, inputs | {"parameters": parameters}, inputs, value, gradients)


SUBJECTS = [
    Subject(
        BRITZ,
        "language model",
        (
            Part("utils.py", "softmax", module="rnn_utils"),
            Part(
                "RNNLM.ipynb",
                "RNNNumpy forward_propagation calculate_total_loss bptt",
                before="from rnn_utils import softmax",
                after=TUTORIAL,
            ),
        ),
        tutorial,
    ),
    Subject(GATES, "step", (*MODULES, Part("layer.py", "RNNLayer", before=IMPORTS, after=STEP)), gate_step),
    Subject(
        GATES,
        "language model",
        (
            *MODULES,
            Part("layer.py", "RNNLayer", before=IMPORTS, module="layer"),
            Part("output.py", "Softmax", module="output"),
            Part("rnn.py", "Model", WHOLE_LOSS, "from layer import RNNLayer\nfrom output import Softmax", BPTT),
        ),
        gate_model,
        published="the loss is a mean over the words, the gradients are those of the sum",
    ),
    Subject(
        UNDERSTANDING,
        "language model",
        understanding(UPDATES),
        updates(x=WORDS["x"], d=WORDS["y"]),
    ),
    Subject(UNDERSTANDING, "last word", understanding(last_word(UPDATES)), updates(x=WORDS["x"], d=np.array([2]))),
    Subject(
        NAMES,
        "LSTM",
        (Part(NOTEBOOK, ACTIVATIONS + NETWORK, CROSS_ENTROPY, "hidden_units = 3", BATCHES),),
        batches,
        published="the loss is that of many yes-or-no answers, the gradients are those of the softmax's cross-entropy",
    ),
    Subject(
        NAMES,
        "LSTM cell",
        (Part(NOTEBOOK, f"{ACTIVATIONS} lstm_cell calculate_single_lstm_cell_error", after=CELL),),
        cell,
    ),
]

"""Subjects of the second held-out set that are functions: captions, a GRU, solutions of courses."""

import numpy as np

from .objects import cmu_gru
from .programs import Given, Part, Subject, above, copied, loss, numbers

PYTHON3 = (("xrange", "range"), ("np.row_stack", "np.vstack"))

# captions: static methods, one matrix for all gates or a ReLU --------------------------------------------------------

TALK = "karpathy/neuraltalk"


def generator(name, weights, settings):
    def make(m):
        r = numbers(2)  # some units of the ReLU are shut
        model = {key: 0.6 * r(*shape) for key, shape in weights.items()}
        size = 4 if name == "LSTMGenerator" else 3
        given = {"Xi": r(size), "Xs": r(3, 4), "model": model, "params": settings}
        forward, backward = getattr(m, name).forward, getattr(m, name).backward

        def gradients():
            Y, cache = forward(**copied(given))
            found = backward(above(Y), cache)
            return {key: found[key] for key in weights} | {"Xi": found["dXi"], "Xs": found["dXs"]}

        def value():
            Y = forward(**copied(given))[0]
            return float(np.sum(above(Y) * Y))

        return Given(forward, backward, given, given | model, value, gradients)

    return make


LSTM_CAPTIONS = {"WLSTM": (9, 16), "Wd": (4, 5), "bd": (1, 5)}
RNN_CAPTIONS = {"Wxh": (4, 3), "bxh": (1, 3), "Whh": (3, 3), "bhh": (1, 3), "Wd": (3, 5), "bd": (1, 5)}

# a GRU on matrices, a loss and its gradients in one method -----------------------------------------------------------


def matrices(m):
    made = m.GRU(3, 1, 4)
    r = numbers()
    made.weights = [0.7 * r(*weight.shape) for weight in made.weights]
    arrays = dict(zip(made.names, made.weights, strict=True))
    vars(made).update(arrays)
    given = {"inputs": r(3, 3), "targets": np.array([[1.0], [0.0], [1.0]])}

    def run():
        return made.lossFun(**copied(given))

    def gradients():
        return dict(zip(made.names, run()[1], strict=True))

    return Given(made.lossFun, None, given, arrays, lambda: float(np.sum(run()[0])), gradients)


# courses -------------------------------------------------------------------------------------------------------------

POTTS, ZISZAIRE, CMU = "cgpotts/cs224u", "laziszaire/cs224n", "tomputer-g/11785-hw3p1"
CLASSIFIER = """

class Classifier(RNNClassifier):
    def __init__(self, W_xh, W_hh, W_hy, b):
        self.W_xh, self.W_hh, self.W_hy, self.b = W_xh, W_hh, W_hy, b
        self.hidden_dim, self.use_embedding = len(W_hh), False
        self.hidden_activation, self.d_hidden_activation = np.tanh, d_tanh

    def loss(self, seq, labels):
        h, predictions = self.forward_propagation(seq)
        cost = -np.log(predictions[np.argmax(labels)])
        return (cost, *self.backward_propagation(h, predictions, seq, labels))
"""
STATE_BEFORE = (
    ("d_W_hh += np.outer(h[t], h_err)", "d_W_hh += np.outer(h[t-1], h_err)"),
    ("self.W_hh.T) * self.d_hidden_activation(h[t])", "self.W_hh.T) * self.d_hidden_activation(h[t-1])"),
)


def classifier(m):
    r = numbers()
    weights = {"W_xh": r(4, 3), "W_hh": r(3, 3), "W_hy": r(3, 2), "b": r(2)}
    made = m.Classifier(*weights.values())
    given = {"seq": r(3, 4), "labels": np.array([0, 1])}

    def gradients():
        return dict(zip(("W_hy", "b", "W_hh", "W_xh"), made.loss(**copied(given))[1:], strict=True))

    return Given(made.loss, None, given, weights, lambda: float(made.loss(**copied(given))[0]), gradients)


WORDS = Part(
    "assignment1/q3_word2vec.py",
    "softmaxCostAndGradient negSamplingCostAndGradient skipgram cbow",
    PYTHON3[:1],
    """from q1_softmax import softmax
from q2_sigmoid import sigmoid


def getNegativeSamples(target, dataset, K):
    return [(target + 1 + k % 3) % 5 for k in range(K)]""",
)
WORD2VEC = (
    Part("assignment1/q1_softmax.py", "softmax", module="q1_softmax"),
    Part("assignment1/q2_sigmoid.py", "sigmoid", module="q2_sigmoid"),
    WORDS,
)


def word(name):
    def make(m):
        r = numbers()
        given = {"predicted": r(3), "target": 2, "outputVectors": r(5, 3), "dataset": None}
        return loss(getattr(m, name), "predicted outputVectors", **given)

    return make


def context(name):
    def make(m):
        r = numbers()
        given = {"currentWord": "b", "C": 2, "contextWords": ["a", "c", "a", "e"]}
        given["tokens"] = {letter: k for k, letter in enumerate("abcde")}
        given |= {"inputVectors": r(5, 3), "outputVectors": r(5, 3), "dataset": None}
        return loss(getattr(m, name), "inputVectors outputVectors", **given)

    return make


MYTORCH = "handoutv2/standard/mytorch"

SUBJECTS = [
    Subject(
        TALK,
        "LSTM",
        (Part("imagernn/lstm_generator.py", "LSTMGenerator", PYTHON3),),
        generator("LSTMGenerator", LSTM_CAPTIONS, {"tanhC_version": 1}),
    ),
    Subject(
        TALK,
        "RNN",
        (Part("imagernn/rnn_generator.py", "RNNGenerator", PYTHON3[:1]),),
        generator("RNNGenerator", RNN_CAPTIONS, {"rnn_relu_encoders": 1}),
    ),
    Subject("DoctorTeeth/gru", "GRU", (Part("gru.py", "GRU", PYTHON3[:1]),), matrices),
    Subject(
        POTTS,
        "RNN",
        (
            Part("utils.py", "d_tanh softmax", module="np_utils"),
            Part(
                "np_rnn_classifier.py",
                "RNNClassifier",
                STATE_BEFORE,
                "from np_utils import d_tanh, softmax\n\n\nclass NNModelBase:\n    pass",
                CLASSIFIER,
            ),
        ),
        classifier,
        published="the states are one step late: h[t] for h[t-1] in the gradient of W_hh and in tanh'",
    ),
    Subject(ZISZAIRE, "softmax of words", WORD2VEC, word("softmaxCostAndGradient")),
    Subject(ZISZAIRE, "negative sampling", WORD2VEC, word("negSamplingCostAndGradient")),
    Subject(ZISZAIRE, "skip-gram", WORD2VEC, context("skipgram")),
    Subject(ZISZAIRE, "bag of words", WORD2VEC, context("cbow")),
    Subject(
        CMU,
        "GRU cell",
        (
            Part(f"{MYTORCH}/nn/activation.py", "Sigmoid Tanh", module="cmu_activation"),
            Part(f"{MYTORCH}/gru_cell.py", "GRUCell", before="from cmu_activation import Sigmoid, Tanh"),
        ),
        cmu_gru,
    ),
]

"""Subjects drawn by lot: a dense net of four derivative functions, an RNN over numbers, word vectors of a course
twice, a small dense net of that course, an RNN made of gates, and a deep dense net of another course."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .thirty_eighth_a import TOKENS

# a dense net with one hidden layer, a function for each gradient ------------------------------------------------------

DERIVATIVES = "NhuGiap04/Deep-Learning-Specialization"
DERIVATIVES_WEIGHTS = {"W1": (5, 6), "b1": (6,), "W2": (6, 3), "b2": (3,)}
DERIVATIVES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DERIVATIVES_WEIGHTS)}):
    p, Z = forward(x, W1, b1, W2, b2)
    dW1, db1 = derivative_w1(x, Z, y, p, W2), derivative_b1(Z, y, p, W2)
    dW2, db2 = derivative_w2(Z, y, p), derivative_b2(y, p)
    return -np.sum(y * np.log(p)), dW1, db1, dW2, db2
"""


def derivatives(m):
    r = numbers()
    weights = weights_of(r, " ".join(DERIVATIVES_WEIGHTS), *DERIVATIVES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DERIVATIVES_WEIGHTS), x=r(4, 5), y=np.eye(3)[[2, 0, 1, 2]], **weights)


# an RNN over a sequence of numbers, an output at each step ------------------------------------------------------------

SERIES = "diascarolina/rnn-lstm"
SERIES_WEIGHTS = {"Wxh": (5, 3), "Whh": (5, 5), "Why": (2, 5), "bh": (5, 1), "by": (2, 1)}
SERIES_EDITS = (
    # wrong as published: only the last state is kept, and each step of the backward pass takes it for its own
    ("outputs = []", "outputs, self.states = [], [h]"),
    ("outputs.append(y)", "outputs.append(y)\n            self.states.append(h)"),
    ("np.dot(dy, h_last.T)", "np.dot(dy, self.states[t + 1].T)"),
    ("(1 - h_last * h_last)", "(1 - self.states[t + 1] * self.states[t + 1])"),
    ("np.dot(dhraw, h_last.T)", "np.dot(dhraw, self.states[t].T)"),
)
SERIES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(SERIES_WEIGHTS)}):
    model = RNN(3, 5, 2)
    model.Wxh, model.Whh, model.Why, model.bh, model.by = {", ".join(SERIES_WEIGHTS)}
    outputs, last = model.forward(x)
    cost = sum(0.5 * np.sum((out - goal) ** 2) for out, goal in zip(outputs, y))
    return cost, *model.backward(x, outputs, y, last)
"""


def series(m):
    r = numbers()
    weights = weights_of(r, " ".join(SERIES_WEIGHTS), *SERIES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SERIES_WEIGHTS), x=r(4, 3, 1), y=r(4, 2, 1), **weights)


# word vectors of a course, the words around one all at once -----------------------------------------------------------

AROUND = "scinart/cs224d"
AROUND_EDITS = (
    # it is Python 2
    ("map(getIndexOfWord, contextWords)", "list(map(getIndexOfWord, contextWords))"),
    ("    if debug:\n        print exp_uwt_vc\n        print sum_exp_uwt_vc\n", ""),
)
AROUND_LOSS = f"""

{TOKENS}

def loss_and_gradients(U, V):
    np.random.seed(3)
    found = [
        skipgram("c", 2, list("bdab"), WORDS, U, V, Tokens()),
        skipgram("f", 2, list("gdcg"), WORDS, U, V, Tokens(), negative),
        cbow("a", 2, list("gdcd"), WORDS, U, V, Tokens()),
        cbow("e", 2, list("gfcb"), WORDS, U, V, Tokens(), negative),
    ]
    return tuple(sum(parts) for parts in zip(*found))
"""


def vectors(m):
    r = numbers()
    return loss(m.loss_and_gradients, "U V", U=r(7, 3), V=r(7, 3))


# a net with one hidden layer of that course, its weights in one vector ------------------------------------------------

SMALL = "brightmart/cs224d_DeepLearningForNLP"
SMALL_FOLDER = "part1/assignment1"
SMALL_WEIGHTS = {"W1": (4, 6), "b1": (1, 6), "W2": (6, 5), "b2": (1, 5)}
SMALL_EDITS = (
    # a line begins with tabs, which Python 3 does not take for spaces
    ("\t\tmax_eachrow", "        max_eachrow"),
)
SMALL_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(SMALL_WEIGHTS)}):
    weights = ({", ".join(SMALL_WEIGHTS)})
    cost, grad = forward_backward_prop(x, y, np.concatenate([w.ravel() for w in weights]), [4, 6, 5])
    pieces = np.split(grad, np.cumsum([w.size for w in weights])[:-1])
    return cost, *(piece.reshape(w.shape) for piece, w in zip(pieces, weights))
"""


def small(m):
    r = numbers()
    weights = weights_of(r, " ".join(SMALL_WEIGHTS), *SMALL_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SMALL_WEIGHTS), x=r(3, 4), y=np.eye(5)[[1, 4, 0]], **weights)


# an RNN over words, made of gates that know their own gradients -------------------------------------------------------

GATES = "zhaoying9105/rnn-from-scratch"
GATES_BEFORE = """from activation import Tanh
from gate import AddGate, MultiplyGate

mulGate = MultiplyGate()
addGate = AddGate()
activation = Tanh()
"""
GATES_WEIGHTS = {"U": (4, 6), "W": (4, 4), "V": (6, 4)}
GATES_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(GATES_WEIGHTS)}):
    model = Model(6, 4)
    model.U, model.W, model.V = {", ".join(GATES_WEIGHTS)}
    return len(x) * model.calculate_loss(x, y), *model.bptt(x, y)
"""


def gates(m):
    r = numbers()
    weights = weights_of(r, " ".join(GATES_WEIGHTS), *GATES_WEIGHTS.values())
    given = {"x": [0, 3, 5, 3], "y": [3, 5, 3, 1]}
    return loss(m.loss_and_gradients, " ".join(GATES_WEIGHTS), **given, **weights)


# a deep dense net of a course; a notebook, samples in columns ---------------------------------------------------------

DEEP = "heavenklair/Deep-Learning-Specialization"
DEEP_FOLDER = "3. Deep Neural Networks/Jupyter Notebook Codes/Building the L-layer Deep NN"
DEEP_TAKEN = """linear_forward linear_activation_forward L_model_forward compute_cost linear_backward
linear_activation_backward L_model_backward"""
DEEP_WEIGHTS = {"W1": (6, 5), "b1": (6, 1), "W2": (3, 6), "b2": (3, 1), "W3": (1, 3), "b3": (1, 1)}
DEEP_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DEEP_WEIGHTS)}):
    parameters = dict(W1=W1, b1=b1, W2=W2, b2=b2, W3=W3, b3=b3)
    AL, caches = L_model_forward(x, parameters)
    grads = L_model_backward(AL, y, caches)
    return compute_cost(AL, y), *(grads["d" + name] for name in parameters)
"""


def deep(m):
    r = numbers()
    weights = weights_of(r, " ".join(DEEP_WEIGHTS), *DEEP_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DEEP_WEIGHTS), x=r(5, 4), y=np.array([[1, 0, 0, 1]]), **weights)


# word vectors of the first course, the softmax inside skip-gram and the bag of words ----------------------------------

INSIDE = "aknirala/CS224D"
INSIDE_EDITS = (
    # it draws ten words that all differ, and there are seven here
    ("K=10", "K=4"),
)
INSIDE_LOSS = f"""

{TOKENS}

def loss_and_gradients(U, V):
    np.random.seed(3)
    found = [
        skipgram("c", 2, list("bdab"), WORDS, U, V, Tokens()),
        skipgram("f", 2, list("gdcg"), WORDS, U, V, Tokens(), negSamplingCostAndGradient),
        cbow("a", 2, list("gdcd"), WORDS, U, V, Tokens()),
    ]
    return tuple(sum(parts) for parts in zip(*found))
"""

SUBJECTS = [
    Subject(
        DERIVATIVES,
        "dense",
        (
            Part(
                "Modern Deep Learning/Momentum & Adaptive LR/mlp.py",
                "forward derivative_w2 derivative_b2 derivative_w1 derivative_b1",
                (),
                "",
                DERIVATIVES_LOSS,
            ),
        ),
        derivatives,
    ),
    Subject(
        SERIES,
        "rnn",
        (Part("aula 2023 10 06 - rnn lstm prática/src/rnn.py", "RNN", SERIES_EDITS, "", SERIES_LOSS),),
        series,
        published="each step of the backward pass takes the last state for its own",
    ),
    Subject(
        AROUND,
        "word vectors",
        (
            Part("assignment1/q2_sigmoid.py", "sigmoid sigmoid_grad", module="q2_sigmoid"),
            Part(
                "assignment1/q3_word2vec.py",
                "softmaxCostAndGradient negSamplingCostAndGradient skipgram cbow",
                AROUND_EDITS,
                "from q2_sigmoid import sigmoid, sigmoid_grad",
                AROUND_LOSS,
            ),
        ),
        vectors,
    ),
    Subject(
        SMALL,
        "dense",
        (
            Part(f"{SMALL_FOLDER}/q1_softmax.py", "softmax", SMALL_EDITS, module="q1_softmax"),
            Part(f"{SMALL_FOLDER}/q2_sigmoid.py", "sigmoid", module="q2_sigmoid"),
            Part(
                f"{SMALL_FOLDER}/q2_neural.py",
                "forward_backward_prop",
                (),
                "from q1_softmax import softmax\nfrom q2_sigmoid import sigmoid",
                SMALL_LOSS,
            ),
        ),
        small,
    ),
    Subject(
        GATES,
        "rnn",
        (
            Part("activation.py", "Tanh", module="activation"),
            Part("gate.py", "MultiplyGate AddGate", module="gate"),
            Part("layer.py", "RNNLayer", (), GATES_BEFORE, module="layer"),
            Part("output.py", "Softmax", module="output"),
            Part("rnn.py", "Model", (), "from layer import RNNLayer\nfrom output import Softmax", GATES_LOSS),
        ),
        gates,
    ),
    Subject(
        DEEP,
        "deep",
        (
            Part(f"{DEEP_FOLDER}/dnn_utils.py", "sigmoid relu relu_backward sigmoid_backward", module="dnn_utils"),
            Part(
                f"{DEEP_FOLDER}/Building_your_Deep_Neural_Network_Step_by_Step.ipynb",
                DEEP_TAKEN,
                (),
                "from dnn_utils import relu, relu_backward, sigmoid, sigmoid_backward",
                DEEP_LOSS,
            ),
        ),
        deep,
    ),
    Subject(
        INSIDE,
        "word vectors",
        (
            Part("assignment1/q2_sigmoid.py", "sigmoid", module="q2_sigmoid"),
            Part(
                "assignment1/q3_word2vec.py",
                "softmaxCostAndGradient negSamplingCostAndGradient skipgram cbow",
                INSIDE_EDITS,
                "from q2_sigmoid import sigmoid",
                INSIDE_LOSS,
            ),
        ),
        vectors,
    ),
]

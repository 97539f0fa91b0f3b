"""Subjects drawn by lot: variables that remember how they were made, from a lesson, an RNN and an LSTM of a course,
two small dense nets, an RNN over words made of gates, and a single step of an RNN."""

import numpy as np

from .eleventh_c import weights_of
from .functions import coursera
from .programs import Part, Subject, loss, numbers, pair

# variables that remember how they were made, from a lesson ------------------------------------------------------------

GRAPH = "samrullo/deep-learning-from-scratch-3"
GRAPH_CORE = """using_config no_grad Config as_array as_variable Variable Parameter Function Add add Square square
Mul mul Neg neg Sub sub rsub Div div Pow pow setup_variable"""
GRAPH_TAKEN = """Tanh tanh Reshape reshape Transpose transpose BroadcastTo broadcast_to SumTo sum_to MatMul matmul
MeanSquaredError mean_squared_error Linear linear Exp exp Sigmoid sigmoid"""
GRAPH_CORE_EDITS = (
    # the module with the functions has another name here
    ("practice.dezero.functions.", "program."),
    # the line above the function, which is not taken with it
    ("def using_config", "@contextlib.contextmanager\ndef using_config"),
)
GRAPH_EDITS = (
    # the module has another name here
    ("practice.dezero.utils.", "utils."),
)
GRAPH_WEIGHTS = {"W1": (4, 5), "b1": (5,), "s": (1, 5), "t": (5,), "W2": (5, 6), "b2": (6,), "W3": (3, 2)}
GRAPH_LOSS = f"""

core.program = sys.modules[__name__]
setup_variable()


def loss_and_gradients(x, y, {", ".join(GRAPH_WEIGHTS)}):
    given = [Variable(array) for array in (x, {", ".join(GRAPH_WEIGHTS)})]
    x, {", ".join(GRAPH_WEIGHTS)} = given
    h = sigmoid(linear(x, W1, b1)) * s
    h = tanh(h + square(h) - t) / (exp(h) + broadcast_to(t * t, (3, 5)))
    h = linear(h, W2, b2)
    h = matmul(h.reshape(6, 3), W3).transpose(1, 0)
    cost = mean_squared_error(h ** 2 - h, y)
    cost.backward()
    return cost.data, *(variable.grad.data for variable in given)
"""


def graph(m):
    r = numbers()
    weights = weights_of(r, " ".join(GRAPH_WEIGHTS), *GRAPH_WEIGHTS.values())
    weights["t"] += 2
    return loss(m.loss_and_gradients, "x " + " ".join(GRAPH_WEIGHTS), x=r(3, 4), y=r(2, 6), **weights)


# an RNN of a course; a notebook, samples in columns, time last --------------------------------------------------------

COURSE = "kakack/Coursera-Deep-Learning-deeplearning.ai"
COURSE_FOLDER = "05-Sequence Models/week1/Building a Recurrent Neural Network Step by Step"
COURSE_PATH = f"{COURSE_FOLDER}/Building+a+Recurrent+Neural+Network+-+Step+by+Step+-+v1.ipynb"

# a dense net with two hidden layers, one sample after another ---------------------------------------------------------

MAIL = "Mandela17/MultiLayerNN-Scratch-"
MAIL_EDITS = (
    # it prints each error
    ('print("squared_error")', ""),
    ("print(squared_error)", ""),
    # the error is an array of one number, which may no longer be put into a place for a number
    ("cost[iteration]=squared_error", "cost[iteration]=squared_error.item()"),
    # what is added to the weights is kept for the test; the weights stay
    *((f"self.weights{k} += updates_{k}*Learning_rate", f"self.updates{k} += updates_{k}") for k in (1, 2, 3)),
)
MAIL_WEIGHTS = {"W1": (6, 5), "W2": (5, 4), "W3": (4, 1)}
MAIL_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(MAIL_WEIGHTS)}):
    net = NeuralNetwork.__new__(NeuralNetwork)
    net.weights1, net.weights2, net.weights3 = W1, W2, W3
    net.updates1, net.updates2, net.updates3 = np.zeros(W1.shape), np.zeros(W2.shape), np.zeros(W3.shape)
    cost = sum(net.train(x[k : k + 1], y[k : k + 1], 1)[0][0] for k in range(len(x)))
    return cost, -net.updates1, -net.updates2, -net.updates3
"""


def mail(m):
    r = numbers()
    weights = weights_of(r, " ".join(MAIL_WEIGHTS), *MAIL_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(MAIL_WEIGHTS), x=r(3, 6), y=np.array([[1.0], [0.0], [1.0]]), **weights)


# an LSTM of a course, samples in columns, time last -------------------------------------------------------------------

COLUMNS = "AntoninaGerasiova/deep-learning-coursera"
COLUMNS_FOLDER = "SequenceModels/week1/BuildingARecurrentNeuralNetworkStepByStep"
COLUMNS_EDITS = (
    # it prints shapes at each step
    ('print("concat:  " + str(concat.shape))', ""),
    *((f'print(("{name}:  " + str({name}.shape)))', "") for name in ("c_prev", "ft")),
)

# an RNN over words, made of gates, with truncated steps back ----------------------------------------------------------

GATES = "ky-xt/rnn-from-scratch"
GATES_WEIGHTS = {"U": (4, 6), "W": (4, 4), "V": (6, 4)}
GATES_LOSS = """


def loss_and_gradients(x, y, U, W, V):
    model = Model(6, 4, bptt_truncate=4)
    model.U, model.W, model.V = U, W, V
    return model.calculate_loss(x, y) * len(y), *model.bptt(x, y)
"""


def gates(m):
    r = numbers()
    weights = weights_of(r, " ".join(GATES_WEIGHTS), *GATES_WEIGHTS.values())
    return loss(m.loss_and_gradients, "U W V", x=[0, 3, 5, 3], y=[3, 5, 3, 1], **weights)


# a single step of an RNN ----------------------------------------------------------------------------------------------

STEP = "AmeeraAdamu/Simple-RNN"
STEP_WEIGHTS = {"Wxh": (5, 3), "Whh": (5, 5), "Why": (4, 5), "bh": (5, 1), "by": (4, 1)}
STEP_PASSES = f"""


def forward(x, h_prev, {", ".join(STEP_WEIGHTS)}):
    y, _, cache = rnn_forward(x, h_prev, dict({", ".join(f"{name}={name}" for name in STEP_WEIGHTS)}))
    return y, cache


def backward(dy, cache):
    grads = rnn_backward(dy, cache)
    return tuple(grads["d" + name] for name in "h_prev {" ".join(STEP_WEIGHTS)}".split())
"""


def step(m):
    r = numbers()
    weights = weights_of(r, " ".join(STEP_WEIGHTS), *STEP_WEIGHTS.values())
    return pair(m.forward, m.backward, "h_prev " + " ".join(STEP_WEIGHTS), x=r(3, 1), h_prev=r(5, 1), **weights)


# a net with one hidden layer of a course, its weights in one vector ---------------------------------------------------

VECTOR = "Angelusg3/cs224d"
VECTOR_WEIGHTS = {"W1": (4, 6), "b1": (1, 6), "W2": (6, 5), "b2": (1, 5)}
VECTOR_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(VECTOR_WEIGHTS)}):
    weights = ({", ".join(VECTOR_WEIGHTS)})
    cost, grad = forward_backward_prop(x, y, np.concatenate([w.ravel() for w in weights]), [4, 6, 5])
    pieces = np.split(grad, np.cumsum([w.size for w in weights])[:-1])
    return cost, *(piece.reshape(w.shape) for piece, w in zip(pieces, weights))
"""


def vector(m):
    r = numbers()
    weights = weights_of(r, " ".join(VECTOR_WEIGHTS), *VECTOR_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(VECTOR_WEIGHTS), x=r(3, 4), y=np.eye(5)[[1, 4, 0]], **weights)


SUBJECTS = [
    Subject(
        GRAPH,
        "graph",
        (
            Part("practice/dezero/utils.py", "sum_to", module="utils"),
            Part(
                "practice/dezero/core.py",
                GRAPH_CORE,
                GRAPH_CORE_EDITS,
                "import contextlib\nimport weakref",
                module="core",
            ),
            Part(
                "practice/dezero/functions.py",
                GRAPH_TAKEN,
                GRAPH_EDITS,
                "import sys\n\nimport core\nimport utils\nfrom core import Function, Variable, as_variable, "
                "setup_variable, square",
                GRAPH_LOSS,
            ),
        ),
        graph,
    ),
    Subject(
        COURSE,
        "rnn",
        (
            Part(f"{COURSE_FOLDER}/rnn_utils.py", "softmax", module="rnn_utils"),
            Part(
                COURSE_PATH,
                "rnn_cell_forward rnn_forward rnn_cell_backward rnn_backward",
                (),
                "from rnn_utils import softmax",
            ),
        ),
        coursera("rnn"),
    ),
    Subject(
        MAIL,
        "dense",
        (Part("PART(A_1)/ml_10.py", "NeuralNetwork", MAIL_EDITS, "from numpy import dot, exp", MAIL_LOSS),),
        mail,
    ),
    Subject(
        COLUMNS,
        "lstm",
        (
            Part(f"{COLUMNS_FOLDER}/rnn_utils.py", "softmax sigmoid", module="rnn_utils"),
            Part(
                f"{COLUMNS_FOLDER}/RecurentNeuralNetwork.py",
                "lstm_cell_forward lstm_forward lstm_cell_backward lstm_backward",
                COLUMNS_EDITS,
                "from rnn_utils import sigmoid, softmax",
            ),
        ),
        coursera("lstm"),
    ),
    Subject(
        GATES,
        "rnn",
        (
            Part("activation.py", "Tanh", module="activation"),
            Part("gate.py", "MultiplyGate AddGate", module="gate"),
            Part(
                "layer.py",
                "RNNLayer",
                (),
                "from activation import Tanh\nfrom gate import AddGate, MultiplyGate\n\n"
                "mulGate, addGate, activation = MultiplyGate(), AddGate(), Tanh()",
                module="layer",
            ),
            Part("output.py", "Softmax", module="output"),
            Part("rnn.py", "Model", (), "from layer import RNNLayer\nfrom output import Softmax", GATES_LOSS),
        ),
        gates,
    ),
    Subject(
        STEP,
        "rnn step",
        (Part("rnn_forward_backward.py.py", "rnn_forward rnn_backward", (), "", STEP_PASSES),),
        step,
    ),
    Subject(
        VECTOR,
        "dense",
        (
            Part("scripts/softmax.py", "softmax", module="softmax"),
            Part("scripts/sigmoid.py", "sigmoid sigmoid_grad", module="sigmoid"),
            Part(
                "scripts/forward_backward_prop.py",
                "forward_backward_prop",
                (),
                "from sigmoid import sigmoid, sigmoid_grad\nfrom softmax import softmax",
                VECTOR_LOSS,
            ),
        ),
        vector,
    ),
]

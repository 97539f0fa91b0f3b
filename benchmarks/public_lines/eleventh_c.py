"""Subjects by owners S to Z: networks for one output, gates as objects, a framework's layers, a whole training loop."""

import numpy as np

from .fourth_models import model
from .programs import Part, Subject, layer, loss, numbers, pair

# an RNN with one output at its end, that learns in its backward pass --------------------------------------------------

ENDING = "Saad-Naeem-891/RNN-From-Scratch"
ENDING_WEIGHTS = "Wx Wh Wy bh by"
ENDING_IMPORTS = "from activations import tanh, tanh_derivative, softmax\nfrom utils import one_hot"
ENDING_EDITS = (
    *((f"self.{name} -= self.learning_rate * d{name}", f"self.d{name} = d{name}") for name in ENDING_WEIGHTS.split()),
    ("self.hs = {-1: np.zeros((self.hidden_size, 1))}", "self.hs = {-1: self.h0}"),
)
ENDING_LOSS = """

def loss_and_gradients(inputs, target, h0, Wx, Wh, Wy, bh, by):
    layer = RNNLayer(5, 3, 4)
    layer.h0, layer.Wx, layer.Wh, layer.Wy, layer.bh, layer.by = h0, Wx, Wh, Wy, bh, by
    layer.forward(inputs)
    loss = layer.compute_loss(target)
    layer.backward(target)
    return loss, layer.dWx, layer.dWh, layer.dWy, layer.dbh, layer.dby
"""


def weights_of(r, names, *shapes):
    """{name: array} for names in a text."""
    return {name: 0.7 * r(*shape) for name, shape in zip(names.split(), shapes, strict=True)}


def ending(m):
    r = numbers()
    weights = weights_of(r, ENDING_WEIGHTS, (3, 5), (3, 3), (4, 3), (3, 1), (4, 1))
    return loss(m.loss_and_gradients, ENDING_WEIGHTS, inputs=np.array([0, 3, 3, 1]), target=2, h0=r(3, 1), **weights)


# an RNN of gates that are objects; a notebook, batches, time last -----------------------------------------------------

OBJECTS = "samarthsingla/rnn-from-scratch"
OBJECTS_TAKEN = "Sigmoid Add Multiply Gradient Weights Loss MeanSquared_1Day RNNLayer RNN"
OBJECTS_EDITS = (
    ("self.activation.backward(dh) + dh_next", "self.activation.backward(dh + dh_next)"),  # see README.md
    ("self.h_init = np.zeros((batch_size, self.hidden_size, 1))", "self.h_init = self.h0"),
)
OBJECTS_LOSS = """

def loss_and_gradients(x, y, h0, Wx, Wh, Wy, bh, by):
    rnn = RNN(4, 3, 2, MeanSquared_1Day())
    rnn.h0, rnn.weights = h0, Weights(Wx, Wh, Wy, bh, by)
    y_hat, h, layers = rnn.forward(x)
    grad, total_loss = rnn.backward(x, y, y_hat, h, layers)
    grads = grad.dWx, grad.dWh, grad.dWy, grad.dbh, grad.dby
    return np.sum(total_loss), *[-np.sum(g, axis=0) for g in grads]  # `update` adds the mean of these to the weights
"""


def gates_as_objects(m):
    r = numbers()
    weights = weights_of(r, ENDING_WEIGHTS, (3, 4), (3, 3), (2, 3), (3, 1), (2, 1))
    return loss(m.loss_and_gradients, ENDING_WEIGHTS, x=r(2, 4, 3), y=r(2, 2, 1), h0=r(2, 3, 1), **weights)


# an RNN for the price of a share: parameters and functions in dicts ---------------------------------------------------

SHARES = "Tongjilibo/rnn_numpy_stock"
SHARES_WEIGHTS = "U W V ba by"
SHARES_TABLES = """
dict_active_fun = {"tanh": (np.tanh, d_tanh), "linear": (linear, d_linear)}
dict_loss_fun = {"mse": (mse, d_mse)}"""
SHARES_EDITS = (  # see README.md
    ("ai[t - 1].T)", "ai[t].T)"),
    ("xi[:, t - 1])", "xi[:, t])"),
    ("self.active['da'](ai[t - 1])", "self.active['da'](ai[t])"),
    ("a.append(np.zeros((self.hidden_dim, xi.shape[0])))", "a.append(self.a0)"),
)
SHARES_LOSS = """

def loss_and_gradients(xi, yi, a0, U, W, V, ba, by):
    rnn = RNN_NUMPY(hidden_dim=3)
    rnn.init_paras(xi, yi)
    rnn.a0, rnn.paras = a0, {"U": U, "W": W, "V": V, "ba": ba, "by": by}
    ai, yit = rnn.forward(xi)
    return rnn.cal_loss(yi, yit), rnn.backward(xi, ai, yi, yit)
"""


def shares(m):
    r = numbers()
    weights = weights_of(r, SHARES_WEIGHTS, (3, 4), (3, 3), (1, 3), (3, 1), (1, 1))
    return loss(m.loss_and_gradients, SHARES_WEIGHTS, xi=r(2, 5, 4), yi=r(2), a0=r(3, 2), **weights)


# layers of a framework like Keras, for CPU and graphics card; weights in dicts ----------------------------------------

KERAS = "XavierSpycy/NumPy-Keras"
FUNCTIONAL = """linear linear_deriv elu elu_deriv hardshrink hardshrink_deriv hardsigmoid hardsigmoid_deriv hardtanh
hardtanh_deriv leaky_relu leaky_relu_deriv log_sigmoid log_sigmoid_deriv relu relu_deriv relu6 relu6_deriv selu
selu_deriv celu celu_deriv sigmoid sigmoid_deriv softplus softplus_deriv softshrink softshrink_deriv softsign
softsign_deriv tanh tanh_deriv softmax"""
MAPPER_IMPORTS = """from functools import lru_cache

import functional as F
from backend import is_cupy_array"""
KERAS_IMPORTS = """from typing import Any, Dict, Optional, Tuple

from backend import is_cupy_array
from mapper import _ActivationMapper


class _InitializerMapper:
    def __getitem__(self, name):
        return lambda: np.zeros"""
KERAS_PARTS = (
    Part("numpy_keras/backend.py", "is_cupy_array", before="_cupy = None", module="backend"),
    Part("numpy_keras/activations/functional.py", FUNCTIONAL, module="functional"),
    Part("numpy_keras/activations/_mapper.py", "_ActivationMapper", before=MAPPER_IMPORTS, module="mapper"),
)


def keras(name, sequences):
    """The parts of a layer, built for 4 steps of 4 features."""
    built = f"""

class Layer({name}):
    def __init__(self):
        super().__init__(3, return_sequences={sequences})
        self.set_input_shape((4, 4))
"""
    return *KERAS_PARTS, Part(f"numpy_keras/layers/{name.lower()}.py", name, before=KERAS_IMPORTS, after=built)


def keras_layer(gates):
    """A maker of a layer with so many gates."""

    def make(m):
        r = numbers()
        weights = weights_of(r, "W_xh W_hh b", (4, 3 * gates), (3, 3 * gates), (3 * gates,))

        def fresh():
            made = m.Layer()
            made.params.update(weights)
            return made

        return layer(
            fresh, lambda made, dx: {"inputs": dx} | made.grads, weights=weights, inputs=r(2, 4, 4), is_training=True
        )

    return make


# a GRU of vectors whose operations are objects; two of them, one above the other --------------------------------------

VECTORS = "Zhengtq/RNN-GRU-pure-numpy"
VECTORS_OPERATIONS = "MultiplyGate AddGate Eltwise_mul Sigmoid Tanh Softmax"
VECTORS_IMPORTS = """from operations import AddGate, Eltwise_mul, MultiplyGate, Sigmoid, Tanh

mulGate, addGate, sig_act, tan_act, eltwise_mul = MultiplyGate(), AddGate(), Sigmoid(), Tanh(), Eltwise_mul()"""
HALF = ("len(self.mulwsig)/2", "len(self.mulwsig)//2")
VECTORS_STEP = """

def forward(x, prev_s, W, Wb, C, Cb, V, Vb):
    layer = GRULayer()
    layer.forward(x, prev_s, W, Wb, C, Cb, V, Vb)
    return layer.s, layer.mulv, (layer, x, prev_s, W, Wb, C, Cb, V, Vb)


def backward(diff_s, dmulv, cache):
    layer, *given = cache
    return layer.backward(*given, diff_s, dmulv)
"""
STACK_WEIGHTS = "W Wb C Cb V Vb W1 W1b C1 C1b V1 V1b"
STACK_HANDED = (  # see README.md
    HALF,
    ("dprev_s = dx_prev_s[", "dx = dx + dx_prev_s[:len(x)]\n        dprev_s = dx_prev_s["),
    ("return (dprev_s, dW,dWb", "return (dx, dprev_s, dW,dWb"),
)
STACK_EDITS = (  # see README.md
    ("dprev1_s, dW1_t,", "dx1, dprev1_s, dW1_t,"),
    ("dprev_s, dW_t,", "_, dprev_s, dW_t,"),
    ("dprev1_s, dW1_i,", "dx1, dprev1_s, dW1_i,"),
    ("dprev_s, dW_i,", "_, dprev_s, dW_i,"),
    ("self.V1b, dprev_s, dmulv_zero)", "self.V1b, dprev1_s, dmulv_zero)"),
    ("self.Vb, dprev1_s, dmulv_zero)", "self.Vb, dx1, dmulv_zero)"),
    ("self.Vb,dprev1_s, dmulv_zero)", "self.Vb,dx1 + dprev_s, dmulv_zero)"),
    ("range(t-1, 0, -1)", "range(t-1, -1, -1)"),
    ("output.predict(layer1s[-1].mulv)", "output.predict(layer1s[-1].mulv[0])"),
    ("prev_s = np.zeros(self.hidden_dim)", "prev_s = self.s0"),
    ("prev1_s = np.zeros(self.hidden_dim)", "prev1_s = self.s1"),
    ("prev_s_i = np.zeros(self.hidden_dim)", "prev_s_i = self.s0"),
    ("prev1_s_i = np.zeros(self.hidden_dim)", "prev1_s_i = self.s1"),
)
STACK_LOSS = f"""

def loss_and_gradients(x, y, s0, s1, {STACK_WEIGHTS.replace(" ", ", ")}):
    model = Model(4, 3, time_step=len(x))
    model.s0, model.s1 = s0, s1
    for name, weight in zip("{STACK_WEIGHTS}".split(), ({STACK_WEIGHTS.replace(" ", ", ")})):
        setattr(model, name, weight)
    return model.calculate_loss(x, y), *model.bptt(x, y)[:-1]
"""
SHAPES = [(6, 7), (6,), (3, 7), (3,), (1, 3), (1,)]


def vectors(m):
    r = numbers()
    names = "W Wb C Cb V Vb"
    given = {"x": r(4), "prev_s": r(3)} | weights_of(r, names, *SHAPES)
    return pair(m.forward, m.backward, f"prev_s {names}", outputs=2, **given)


def stack(m):
    r = numbers()
    weights = weights_of(r, STACK_WEIGHTS, *SHAPES, (6, 6), (6,), (3, 6), (3,), (1, 3), (1,))
    return loss(m.loss_and_gradients, STACK_WEIGHTS, x=r(4, 4), y=1.0, s0=r(3), s1=r(3), **weights)


# characters by two LSTMs, with an embedding and weights for rare ones: the whole training loop in one function --------

POEMS = "ZouJiu1/numpy_lstm_RNN"
POEMS_IMPORTS = """import os

from embedding import Embedding_layer
from fullconnect import fclayer
from loss import cross_entropy_loss
from lstmcell import lstmcell_layer"""
POEMS_RETURN = """        return np.sum(loss_col), *gradients_of(embedding, lstmlayers, fullconnect)
        if e%showiter==0:
            result = ''"""
POEMS_EDITS = (
    ("def train():", "def train(inputs, labels, quanzhong, models, h0, c0):"),
    ("preprocess(frequency = frequency, delete_markchar = True)", "None, None, 5, [[0]], None, None, quanzhong"),
    ("getinputs(sequence_length, batch_size, all_lines, length, char2id, id2char)", "inputs, labels, None, None"),
    ("os.path.exists(pretrained_model)", "models"),
    ("with open(pretrained_model, 'rb') as obj:", "if models:"),
    ("models = pickle.load(obj)", "pass"),
    ("embedding_dim  = 200", "embedding_dim  = 4"),
    ("hidden_size = [100, 100]", "hidden_size = [3, 2]"),
    ("batch_size = 100", "batch_size = 2"),
    ("sequence_length = 6 - 1", "sequence_length = 4 - 1"),
    ("hidden.append(np.zeros((batch_size, hidden_size[ind])))", "hidden.append(h0[ind])"),
    ("cell.append(np.zeros((batch_size, hidden_size[ind])))", "cell.append(c0[ind])"),
    ("loss = batch_size * loss", "loss = -np.sum(qzg * labels[j] * np.log(predict))"),  # see README.md
    ("        if e%showiter==0:\n            result = ''", POEMS_RETURN),
)
POEMS_GRADIENTS = """

def gradients_of(embedding, lstmlayers, fullconnect):
    names = [f"{kind}_{gate}_params_delta" for kind in ("inputs", "hidden") for gate in "ifgo"]
    names += [f"bias_{kind}{gate}_delta" for kind in "ih" for gate in "ifgo"]
    lstms = [[getattr(lstm, name) for name in names] for lstm in lstmlayers[:2]]
    return [embedding.delta], *lstms, [fullconnect.params_delta, fullconnect.bias_delta]
"""
POEMS_PARTS = (
    Part("net/Embedding.py", "Embedding_layer", module="embedding"),
    Part("net/fullconnect.py", "fclayer", module="fullconnect"),
    Part("net/loss.py", "cross_entropy_loss", module="loss"),
    Part("net/LSTMCell.py", "lstmcell_layer", module="lstmcell"),
    Part("lstm_3layer/train_lstm_2layerV2_Embedding.py", "train", POEMS_EDITS, POEMS_IMPORTS, POEMS_GRADIENTS),
)


def poems(m):
    r = numbers()

    def lstm(size, hidden):
        shapes = [(size, hidden)] * 4 + [(hidden, hidden)] * 4 + [(1, hidden)] * 8
        return [0.7 * r(*shape) for shape in shapes]

    models = [[r(5, 4)], lstm(4, 3), lstm(3, 2), [r(2, 5), r(5)]]
    words = np.array([[0, 3], [3, 2], [1, 3]])
    return model(
        m.train,
        models,
        inputs=words,
        labels=np.eye(5, dtype=int)[np.roll(words, -1, axis=0) + 1],
        quanzhong=np.array([0.5, 1.5, 1.0, 2.0, 0.7]),
        models=models,
        h0=[r(2, 3), r(2, 2)],
        c0=[r(2, 3), r(2, 2)],
    )


SUBJECTS = [
    Subject(
        ENDING,
        "RNN",
        (
            Part("activations.py", "tanh tanh_derivative softmax", (("t = tanh(x)", "t = x"),), module="activations"),
            Part("utils.py", "one_hot", module="utils"),
            Part("layers.py", "RNNLayer", ENDING_EDITS, ENDING_IMPORTS, ENDING_LOSS),
        ),
        ending,
        published="the derivative of tanh is taken at the state, which is a tanh already",
    ),
    Subject(
        OBJECTS,
        "RNN",
        (Part("main.ipynb", OBJECTS_TAKEN, OBJECTS_EDITS, after=OBJECTS_LOSS),),
        gates_as_objects,
        published="what the next step hands back is added behind the derivative of the sigmoid",
    ),
    Subject(
        SHARES,
        "RNN",
        (
            Part(
                "utils.py",
                "d_tanh linear d_linear mse d_mse",
                (("np.tanh(z)**2", "z**2"),),
                after=SHARES_TABLES,
                module="utils",
            ),
            Part(
                "main.py",
                "get_activation RNN_NUMPY",
                SHARES_EDITS,
                "from utils import dict_active_fun, dict_loss_fun",
                SHARES_LOSS,
            ),
        ),
        shares,
        published="backwards states and inputs are those of the step before; the derivative of tanh is taken at a tanh",
    ),
    Subject(KERAS, "GRU", keras("GRU", True), keras_layer(3)),
    Subject(KERAS, "LSTM", keras("LSTM", False), keras_layer(4)),
    Subject(
        VECTORS,
        "GRU step",
        (
            Part("operations.py", VECTORS_OPERATIONS, module="operations"),
            Part("layer.py", "GRULayer", (HALF,), VECTORS_IMPORTS, VECTORS_STEP),
        ),
        vectors,
    ),
    Subject(
        VECTORS,
        "two layers",
        (
            Part(
                "operations.py",
                VECTORS_OPERATIONS,
                (("/(probs*(1-probs) + 1e-20)", ""),),
                "import math",
                module="operations",
            ),
            Part("layer.py", "GRULayer", STACK_HANDED, VECTORS_IMPORTS, module="layer"),
            Part(
                "structure.py",
                "Model",
                STACK_EDITS,
                "from layer import GRULayer\nfrom operations import Softmax",
                STACK_LOSS,
            ),
        ),
        stack,
        published="the layer below gets what the upper one hands to its own step before; the first step is left out",
    ),
    Subject(
        POEMS,
        "two layers",
        POEMS_PARTS,
        poems,
        published="the loss that it shows is not weighted by the characters' frequencies, the gradients are",
    ),
]

"""Subjects by owners L to Z: an RNN in rows, captions by an LSTM, an LSTM of one input in a forecast, and layers."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of, prefixed

# a course's characters: the steps are gone through by zip, from the last but one, and stacked after that --------------

ZIPPED = "oStglnd/dd2424"
ZIPPED_WEIGHTS = {"U": (4, 5), "W": (4, 4), "V": (5, 4), "b": (4, 1), "c": (5, 1)}
ZIPPED_LOSS = f"""

def loss_and_gradients(X, Y, hprev, {", ".join(ZIPPED_WEIGHTS)}):
    rnn = recurrentNeuralNetwork(K=5, m=4, sigma=0.1, seed=1)
    rnn.hprev, rnn.weights = hprev, dict(zip({list(ZIPPED_WEIGHTS)}, ({", ".join(ZIPPED_WEIGHTS)})))
    _, cost = rnn.computeCost(X, Y, lambd=0)
    return cost, rnn.computeGrads(X, Y, lambd=0)
"""


def zipped(m):
    r = numbers()
    weights = weights_of(r, " ".join(ZIPPED_WEIGHTS), *ZIPPED_WEIGHTS.values())
    letters = np.eye(5)[[0, 3, 1, 1, 4, 2, 0]]
    return loss(m.loss_and_gradients, " ".join(ZIPPED_WEIGHTS), X=letters[:-1], Y=letters[1:], hprev=r(4, 1), **weights)


# another course's captions, by an LSTM, with no penalty ---------------------------------------------------------------

CAPTIONS = "Ontheway361/stanford_cs231n"
CAPTIONS_TAKEN = (
    "word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward lstm_forward "
    "lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 4), "W_proj": (3, 5), "b_proj": (5,), "Wx": (4, 20), "Wh": (5, 20), "b": (20,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (5, 6), "b_vocab": (6,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 3, 4, 5, cell_type="lstm", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 4, 3, 3, 5, 2], [1, 5, 3, 2, 0, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(2, 3), captions=said, **weights)


# the first course's network for images, of layers with batch normalisation, made of products with ones ----------------

NORMED = "takeitbillykyle/Deep-Learning-DD2424"
NORMED_WEIGHTS = {"W1": (5, 4), "W2": (4, 5), "W3": (3, 4), "b1": (5, 1), "b2": (4, 1), "b3": (3, 1)}
NORMED_WEIGHTS |= {"gamma1": (5, 1), "gamma2": (4, 1), "beta1": (5, 1), "beta2": (4, 1)}
NORMED_LOSS = f"""

def loss_and_gradients(X, Y, {", ".join(NORMED_WEIGHTS)}):
    network = k_layer_network(4, 3, [5, 4], "he", 0.2)
    for layer, W, b in zip(network.layers, (W1, W2, W3), (b1, b2, b3)):
        layer.W, layer.b = W, b
    for layer, gamma, beta in zip(network.layers, (gamma1, gamma2), (beta1, beta2)):
        layer.gamma, layer.beta = gamma, beta
    P, activations, S_hat, S_batch, loss, cost = network.forward_pass(X, Y, False, True)
    gradW, gradb, gradgamma, gradbeta = network.backward_pass(Y, P, activations, S_hat, S_batch)
    return cost, *gradW, *gradb, *gradgamma, *gradbeta
"""


def normed(m):
    r = numbers()
    weights = weights_of(r, " ".join(NORMED_WEIGHTS), *NORMED_WEIGHTS.values())
    labels = np.eye(3)[:, [0, 2, 1, 1, 0, 2, 2]]
    return loss(m.loss_and_gradients, " ".join(NORMED_WEIGHTS), X=r(4, 7), Y=labels, **weights)


# a third course's GRU, a step of it on vectors ------------------------------------------------------------------------

GRU = "sridevikaza/11785-IDL"
GRU_WEIGHTS = {f"W{gate}x": (4, 3) for gate in "rzn"} | {f"W{gate}h": (4, 4) for gate in "rzn"}
GRU_WEIGHTS |= {f"b{gate}{of}": (4,) for gate in "rzn" for of in "xh"}
GRU_CELL = """

class Cell(GRUCell):
    def __init__(self):
        super().__init__(3, 4)
"""

# a forecast of one number after another by an LSTM with an object for each activation of each step --------------------

FORECAST = "MarkusHohle/LSTM-from-Scratch"
FORECAST_WEIGHTS = {f"U{gate}": (4, 1) for gate in "fiog"} | {f"W{gate}": (4, 4) for gate in "fiog"}
FORECAST_WEIGHTS |= {f"b{gate}": (4, 1) for gate in "fiog"}
FORECAST_DENSE = {"V1": (4, 3), "c1": (1, 3), "V2": (3, 1), "c2": (1, 1)}
FORECAST_EDITS = (
    (
        "        self.C_tilde   = [",
        "        self.H[0], self.C[0] = self.h0, self.c0\n        self.C_tilde   = [",
    ),
    *(  # this and all below see README.md
        (f"self.d{name} = 0.1*np.random.randn({rows})", f"self.d{name} = np.zeros(({rows}))")
        for gate in "fiog"
        for name, rows in (
            (f"U{gate}", "n_neurons, 1"),
            (f"W{gate}", "n_neurons, n_neurons"),
            (f"b{gate}", "n_neurons, 1"),
        )
    ),
    ("H[t-1].T", "H[t].T"),
    ("dhtdtanh,C[t-1])", "dhtdtanh,C[t])"),
    ("        O       = self.O\n", "        F       = self.F\n        O       = self.O\n"),
    (
        "        dht     = dvalues[-1,:].reshape(self.n_neurons,1)\n",
        "        dht     = dvalues[-1,:].reshape(self.n_neurons,1)\n        dct     = np.zeros((self.n_neurons,1))\n",
    ),
    (
        "dhtdtanh = np.multiply(O[t], dtanh2)\n",
        "dhtdtanh = np.multiply(O[t], dtanh2) + dct\n            dct      = np.multiply(dhtdtanh, F[t])\n",
    ),
    *(
        (f"np.dot(self.W{gate}, {name})", f"np.dot(self.W{gate}.T, {name})")
        for gate, name in (("f", "dsigmf"), ("i", "dsigmi"), ("o", "dsigmo"), ("g", "dtanh1"))
    ),
)
FORECAST_LOSS = f"""

def loss_and_gradients(X_t, Y_t, h0, c0, {", ".join([*FORECAST_WEIGHTS, *FORECAST_DENSE])}):
    lstm, dense1, dense2 = LSTM(4), Layer_Dense(4, 3), Layer_Dense(3, 1)
    lstm.h0, lstm.c0 = h0, c0
    for name, weight in zip({list(FORECAST_WEIGHTS)}, ({", ".join(FORECAST_WEIGHTS)})):
        setattr(lstm, name, weight)
    dense1.weights, dense1.biases, dense2.weights, dense2.biases = V1, c1, V2, c2
    lstm.forward(X_t)
    H = np.array(lstm.H)
    H = H.reshape((H.shape[0], H.shape[1]))
    dense1.forward(H[1:, :])
    dense2.forward(dense1.output)
    dY = dense2.output - Y_t
    dense2.backward(dY)
    dense1.backward(dense2.dinputs)
    lstm.backward(dense1.dinputs)
    large = sum(d.weights_L2 * np.sum(d.weights**2) + d.biases_L2 * np.sum(d.biases**2) for d in (dense1, dense2))
    found = [getattr(lstm, "d" + name) for name in {list(FORECAST_WEIGHTS)}]
    return 0.5 * np.sum(dY**2) + large, *found, dense1.dweights, dense1.dbiases, dense2.dweights, dense2.dbiases
"""


def forecast(m):
    r = numbers()
    names = FORECAST_WEIGHTS | FORECAST_DENSE
    weights = weights_of(r, " ".join(names), *names.values())
    given = {"X_t": r(5, 1), "Y_t": r(5, 1), "h0": r(4, 1), "c0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(names), **given, **weights)


# a network's convolution with stride and padding, by windows and einsum, and the maximum of windows that overlap ------

WINDOWS = "Najib-Haq/Vectorized-CNN-from-scratch"
WINDOWS_MODEL = """

def network():
    return Model(model_layers=[Conv2D(2, 3, 3, stride=2, padding=1), MaxPool2D(2, stride=1)])
"""


def windows(m):
    r = numbers()
    weights = {"kernels": 0.7 * r(3, 2, 3, 3), "bias": r(3)}

    def fresh():
        made = m.network()
        made.layers[0].state_dict = dict(weights)
        return made

    def gradients_of(made, returned):
        return {"X": returned} | made.layers[0].grads

    return layer(fresh, gradients_of, weights=weights, X=r(2, 2, 6, 6))


# a number after a sequence, in rows: an RNN that speaks at its end ----------------------------------------------------

ENDING = "TomMayeLasserre/RNN-from-scratch"
ENDING_WEIGHTS = {"U": (3, 4), "W": (4, 4), "V": (4, 2), "bh": (1, 4), "by": (1, 2)}
ENDING_EDITS = (
    *((f"self.{name} -= learning_rate * d{name}", f"self.d{name} = d{name}") for name in ENDING_WEIGHTS),
    ("self.hs[-1] = np.zeros((1, self.hidden_size))", "self.hs[-1] = self.h0"),
    ("np.clip(dparam, -1, 1, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
    ("1 - np.tanh(x) ** 2", "1 - x ** 2"),  # this and the next see README.md
    (
        "            dh_next = np.dot(dh_raw, self.W.T)",
        "            dh_next = np.dot(dh_raw, self.W.T)\n            dh = np.zeros_like(dh)",
    ),
)
ENDING_LOSS = f"""

def loss_and_gradients(inputs, target, h0, {", ".join(ENDING_WEIGHTS)}):
    rnn = RNN(3, 4, 2)
    rnn.h0, (rnn.U, rnn.W, rnn.V, rnn.bh, rnn.by) = h0, ({", ".join(ENDING_WEIGHTS)})
    outputs = rnn.forward(inputs)
    rnn.backward(inputs, target, learning_rate=0.01)
    return np.sum(rnn.compute_loss(outputs[-1], target)), rnn.dU, rnn.dW, rnn.dV, rnn.dbh, rnn.dby
"""


def ending(m):
    r = numbers()
    weights = weights_of(r, " ".join(ENDING_WEIGHTS), *ENDING_WEIGHTS.values())
    given = {"inputs": r(5, 3), "target": r(2), "h0": r(1, 4)}
    return loss(m.loss_and_gradients, " ".join(ENDING_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        ZIPPED,
        "RNN",
        (
            Part("a4/misc.py", "softMax", module="misc"),
            Part("a4/model.py", "recurrentNeuralNetwork", (), "from misc import softMax", ZIPPED_LOSS),
        ),
        zipped,
    ),
    Subject(
        CAPTIONS,
        "captions",
        (
            Part("level_3.0/utils/rnn_layers.py", CAPTIONS_TAKEN, module="rnn_layers"),
            Part("level_3.0/classifiers/rnn.py", "CaptioningRNN", (), "from rnn_layers import *", CAPTIONS_LOSS),
        ),
        captions,
    ),
    Subject(
        NORMED,
        "network",
        (
            Part(
                "Assignment 3/assignment3bnv2.py",
                "k_layer_network",
                (),
                "import copy\nimport sys\n\nepsilon = sys.float_info.epsilon",
                NORMED_LOSS,
            ),
        ),
        normed,
    ),
    Subject(
        GRU,
        "GRU cell",
        (
            Part("HW3/HW3P1/mytorch/nn/activation.py", "Sigmoid Tanh", module="activation"),
            Part("HW3/HW3P1/mytorch/gru_cell.py", "GRUCell", (), "from activation import *", GRU_CELL),
        ),
        object_of("Cell", GRU_WEIGHTS, "x h_prev_t", prefixed, x=(3,), h_prev_t=(4,)),
    ),
    Subject(
        FORECAST,
        "LSTM",
        (Part("5 package/LSTM.py", "LSTM Sigmoid Tanh Layer_Dense", FORECAST_EDITS, after=FORECAST_LOSS),),
        forecast,
        published="gradients begin at random, steps are one off, W is not transposed, the cell carries nothing back",
    ),
    Subject(
        WINDOWS,
        "convolution and maximum",
        (
            Part("model/nn/Base.py", "Base", module="base"),
            Part("model/nn/Conv2d.py", "Conv2D", (), "from base import Base", module="conv2d"),
            Part("model/nn/MaxPool2d.py", "MaxPool2D", (), "from base import Base", module="maxpool2d"),
            Part("model/Model.py", "Model", (), "from conv2d import *\nfrom maxpool2d import *", WINDOWS_MODEL),
        ),
        windows,
    ),
    Subject(
        ENDING,
        "RNN",
        (Part("RNN.py", "RNN", ENDING_EDITS, after=ENDING_LOSS),),
        ending,
        published="tanh's derivative is taken at the state; what the output gives the last step is given to each",
    ),
]

"""Subjects by owners that end in A to E or a digit: three LSTMs, two RNNs, a GRU's cell, batch normalisation."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of, prefixed

# a course's captions, with its RNN; gradients are first made as lists of zeros like what the cache holds --------------

CAPTIONS = "DonghanHe/CS231n-Assignments-Spring2018"
CAPTIONS_TAKEN = (
    "rnn_step_forward rnn_step_backward rnn_forward rnn_backward word_embedding_forward word_embedding_backward "
    "temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 2), "W_proj": (5, 3), "b_proj": (3,), "Wx": (2, 3), "Wh": (3, 3), "b": (3,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (3, 6), "b_vocab": (6,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 5, 2, 3, cell_type="rnn", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 5, 3, 5, 2], [1, 4, 2, 0, 0], [1, 3, 4, 4, 2]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(3, 5), captions=said, **weights)


# characters by an LSTM on rows, its gates' weights apart; a step's gradients are added to the object's ----------------

ROWS = "chandu47/sequence-models"
ROWS_TAKEN = "sigmoid dsigmoid tanh dtanh softmax LSTM"
ROWS_WEIGHTS = {f"W{gate}": (7, 3) for gate in "fico"} | {"Wy": (3, 4)}
ROWS_WEIGHTS |= {f"b{gate}": (1, 3) for gate in "fico"} | {"by": (1, 4)}
ROWS_EDITS = (
    *((f"self.{name}-=lr*self.d{name}/", f"self.g{name}=self.d{name}/") for name in ROWS_WEIGHTS),
    ("self.forward_pass(inputs,state)", "self.forward_pass(x,state)"),  # see README.md
    ("\tf=sigmoid(x)\n", "\tf=x\n"),  # see README.md
    ("dhc=dtanh(hc)*dhc", "dhc=(1.-hc**2)*dhc"),  # see README.md
)
ROWS_LOSS = f"""

def loss_and_gradients(inputs, targets, h0, c0, {", ".join(ROWS_WEIGHTS)}):
    lstm = LSTM(3, 4, len(inputs))
    lstm.{", lstm.".join(ROWS_WEIGHTS)} = {", ".join(ROWS_WEIGHTS)}
    loss, state = lstm.train_step(inputs, targets, (h0, c0))
    lstm.update_weights(0.1)
    return loss, {{name: getattr(lstm, "g" + name) for name in {list(ROWS_WEIGHTS)}}}
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    given = {"inputs": [2, 0, 0, 3], "targets": [0, 0, 3, 1], "h0": r(1, 3), "c0": r(1, 3)}
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), **given, **weights)


# normalisation of each channel of a batch of images, channels last; it learns in its backward pass --------------------

CHANNELS = "fmscole/backpropagation"
CHANNELS_EDITS = (("self.beta-=lr*dbeta", "self.dbeta=dbeta"), ("self.gamma-=lr*dgmama", "self.dgamma=dgmama"))
CHANNELS_LAYER = """

class Layer(BatchNormal):
    pass
"""

# a notebook's RNN in columns, all steps of its backward pass explained ------------------------------------------------

LETTERS = "jhnyc/ml-algorithm-from-scratch"
LETTERS_TAKEN = "tanh softmax forward_propagation cross_entropy_loss backward_propagation clip_gradients"
LETTERS_WEIGHTS = {"U": (4, 5), "V": (4, 4), "W": (5, 4), "bh": (4, 1), "by": (5, 1)}
LETTERS_EDITS = (
    ("def forward_propagation(x, params, hidden_size)", "def forward_propagation(x, params, h0)"),
    ("h_prev = np.zeros((hidden_size,1))", "h_prev = h0"),
    ("hidden_states, params, learning_rate=0.01)", "hidden_states, params, h0, learning_rate=0.01)"),
    ("threshold=1)", "threshold=1000)"),
    ("updated_params = update_params(gradients, params, learning_rate)", "updated_params = gradients"),
    ("-np.mean(np.log(y_hat", "-np.sum(np.log(y_hat"),  # see README.md
    ("dW = np.dot(dy", "dW += np.dot(dy"),  # see README.md
    ("dh * tanh(hidden_states[t], derivative=True)", "dh * (1 - hidden_states[t] ** 2)"),  # see README.md
    (  # see README.md
        "dV += np.dot(dh_raw, hidden_states[t].T)",
        "dV += np.dot(dh_raw, (hidden_states[t - 1] if t > 0 else h0).T)",
    ),
)
LETTERS_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(LETTERS_WEIGHTS)}):
    params = {", ".join(LETTERS_WEIGHTS)}
    outputs, hidden_states = forward_propagation(x, params, h0)
    gradients, loss = backward_propagation(x, y, outputs, hidden_states, params, h0)
    return loss, *gradients
"""


def letters(m):
    r = numbers()
    weights = weights_of(r, " ".join(LETTERS_WEIGHTS), *LETTERS_WEIGHTS.values())
    hot = np.eye(5)[[3, 1, 1, 4, 0, 2]][:, :, None]
    given = {"x": hot[:-1], "y": hot[1:], "h0": r(4, 1)}
    return loss(m.loss_and_gradients, " ".join(LETTERS_WEIGHTS), **given, **weights)


# layers by name: an LSTM in columns with an output a step, each gate's states in a list; the squares' sum is its loss -

LAYER = "kodejuice/neural-network-architectures"
LAYER_TAKEN = (
    "mse_loss mse_loss_derivative cross_entropy_loss cross_entropy_loss_derivative loss_func LSTMLayer LSTMNetwork"
)
LAYER_WEIGHTS = {f"W{gate}": (3, 5) for gate in "fico"} | {"Wy": (2, 3)}
LAYER_WEIGHTS |= {f"b{gate}": (3, 1) for gate in "fico"} | {"by": (2, 1)}
LAYER_EDITS = (
    *((f"self.{name} -= LR * d{name}\n", f"self.d{name} = self.d{name} + d{name}\n") for name in LAYER_WEIGHTS),
    ("self.hidden_states = [np.zeros((self.hidden_size, 1))]", "self.hidden_states = [self.h0]"),
    ("self.cell_states = [np.zeros((self.hidden_size, 1))]", "self.cell_states = [self.c0]"),
    ("    h = np.zeros((self.lstm_layer.hidden_size, 1))\n", "    h = self.lstm_layer.h0\n"),
    ("    c = np.zeros((self.lstm_layer.hidden_size, 1))\n", "    c = self.lstm_layer.c0\n"),
    ("clip_value = 5.0", "clip_value = 1000.0"),
    (
        "dc_next, x, h, c, c_prev, f, i, c_tilde, o, learning_rate):",
        "dc_next, x, h, h_prev, c, c_prev, f, i, c_tilde, o, learning_rate):",
    ),
    (
        "dc_next, x, h, c, c_prev, f, i, c_tilde, o, learning_rate)\n",
        "dc_next, x, h, self.hidden_states[t], c, c_prev, f, i, c_tilde, o, learning_rate)\n",
    ),
    ("concat = np.vstack((h, x))", "concat = np.vstack((h_prev, x))"),  # see README.md
)
LAYER_BEFORE = "import json\nimport os\nimport activation"
LAYER_LOSS = f"""

LSTMLayer.h0 = LSTMLayer.c0 = None


def loss_and_gradients(X, Y, h0, c0, {", ".join(LAYER_WEIGHTS)}):
    network = LSTMNetwork(2, 3, 2)
    layer = network.lstm_layer
    layer.h0, layer.c0 = h0, c0
    layer.{", layer.".join(LAYER_WEIGHTS)} = {", ".join(LAYER_WEIGHTS)}
    layer.{" = layer.".join(f"d{name}" for name in LAYER_WEIGHTS)} = 0.0
    outputs = network.predict(X)
    loss, dY = 0, []
    for y_pred, y_true in zip(outputs, Y):
        y_true = np.array(y_true).reshape(-1, 1)
        loss += network.loss_function(y_pred, y_true)
        dY.append(network.loss_function_derivative(y_pred, y_true))
    network.backward(X, dY, 0.01)
    return loss, {{name: getattr(layer, "d" + name) for name in {list(LAYER_WEIGHTS)}}}
"""


def layered(m):
    r = numbers()
    weights = weights_of(r, " ".join(LAYER_WEIGHTS), *LAYER_WEIGHTS.values())
    given = {"X": r(4, 2), "Y": r(4, 2), "h0": r(3, 1), "c0": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(LAYER_WEIGHTS), **given, **weights)


# the well-known character model with an LSTM in it, the input above the state, each gate carried back at once ---------

CHARACTERS = "peeyushaga/min-char-rnn"
CHARACTERS_WEIGHTS = "Wf bf Wi bi Wcc bcc Wo bo Wy by"
CHARACTERS_EDITS = (
    ("targets, hprev, cprev):", f"targets, hprev, cprev, {', '.join(CHARACTERS_WEIGHTS.split())}):"),
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -1000, 1000, out=dparam)"),
)


def characters(m):
    r = numbers()
    weights = weights_of(r, CHARACTERS_WEIGHTS, *4 * ((3, 8), (3, 1)), (5, 3), (5, 1))
    given = {"inputs": [4, 1, 1, 0, 3], "targets": [1, 1, 0, 3, 2], "hprev": r(3, 1), "cprev": r(3, 1)}
    return loss(m.lossFun, CHARACTERS_WEIGHTS, **given, **weights)


# a homework's GRU, a step on a vector: forwards letter by letter, backwards all at once -------------------------------

STEP = "rslim97/CMU-11785"
STEP_WEIGHTS = {f"W{gate}x": (3, 2) for gate in "rzn"} | {f"W{gate}h": (3, 3) for gate in "rzn"}
STEP_WEIGHTS |= {f"b{gate}{kind}": (3,) for kind in "xh" for gate in "rzn"}
STEP_LAYER = """

class Layer(GRUCell):
    def __init__(self):
        super().__init__(2, 3)
"""


SUBJECTS = [
    Subject(
        CAPTIONS,
        "captions",
        (
            Part("assignment3/cs231n/rnn_layers.py", CAPTIONS_TAKEN, module="rnn_layers"),
            Part(
                "assignment3/cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                (),
                "from rnn_layers import *",
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        ROWS,
        "LSTM",
        (Part("lstm_from_scratch.py", ROWS_TAKEN, ROWS_EDITS, "H = 100", ROWS_LOSS),),
        rows,
        published=(
            "each step is given the whole sequence; the gates, which are sigmoids and tanhs already, go through them "
            "again in their derivatives"
        ),
    ),
    Subject(
        CHANNELS,
        "batch normalisation",
        (
            Part(
                "layers/batch_normal.py",
                "BatchNormal",
                CHANNELS_EDITS,
                "from functools import reduce",
                CHANNELS_LAYER,
            ),
        ),
        object_of("Layer", {"gamma": (1, 1, 1, 3), "beta": (1, 1, 1, 3)}, "input", prefixed, input=(2, 3, 2, 3)),
    ),
    Subject(
        LETTERS,
        "RNN",
        (Part("vanilla_rnn.ipynb", LETTERS_TAKEN, LETTERS_EDITS, after=LETTERS_LOSS),),
        letters,
        published=(
            "the loss is a mean, its gradient that of a sum; the output's weights get the first step's gradient alone; "
            "the states, which are tanhs already, go through it again in its derivative; the recurrent weights' "
            "gradient takes the state after the step"
        ),
    ),
    Subject(
        LAYER,
        "LSTM",
        (
            Part("long_short_term_memory/activation.py", "sigmoid tanh", module="activation"),
            Part("long_short_term_memory/lstm.py", LAYER_TAKEN, LAYER_EDITS, LAYER_BEFORE, LAYER_LOSS),
        ),
        layered,
        published="the gates' weights' gradients take the state after the step",
    ),
    Subject(
        CHARACTERS,
        "LSTM",
        (Part("min-char-lstm.py", "sigmoid lossFun", CHARACTERS_EDITS, "V, H = 5, 3"),),
        characters,
    ),
    Subject(
        STEP,
        "GRU step",
        (
            Part("HW3/mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("HW3/mytorch/gru_cell.py", "GRUCell", (), "from activation import *", STEP_LAYER),
        ),
        object_of("Layer", STEP_WEIGHTS, "x h_prev_t", prefixed, x=(2,), h_prev_t=(3,)),
    ),
]

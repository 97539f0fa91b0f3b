"""Subjects by owners 0 to H: rows and a diagonal, a masked transformer block, a double loop, captions, and others."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, prefixed

# a course's characters: columns in, rows back, tanh's derivative as a diagonal; weights and gradients in dicts --------

ROWS = "alexcosta13/dd2424-deep-learning-in-data-science"
ROWS_WEIGHTS = {"W": (4, 4), "U": (4, 5), "b": (4, 1), "V": (5, 4), "c": (5, 1)}
ROWS_EDITS = (("np.clip(self.gradients[param], -5, 5)", "np.clip(self.gradients[param], -5000, 5000)"),)
ROWS_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(ROWS_WEIGHTS)}):
    rnn = RNN(5, 5, 4, char_2_indices=None, indices_2_char=None)
    rnn.weights = dict(zip({list(ROWS_WEIGHTS)}, ({", ".join(ROWS_WEIGHTS)})))
    return rnn.forward(x, y, h0), rnn.backward(x, y)
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    words = np.eye(5)[:, [0, 3, 1, 1, 4, 2]]
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), x=words[:, :-1], y=words[:, 1:], h0=r(4, 1), **weights)


# a lecture's block of a transformer: functions that are told their inputs again; one head, masked, norms last ---------

BLOCK = "andrescastillovega/TSFM_lecture_3_transformers"
BLOCK_TAKEN = (
    "matmul_backward relu layer_norm layer_norm_backward softmax softmax_backward_from_probs qkv_projection "
    "multi_head_attention multi_head_attention_backward feed_forward_network feed_forward_network_backward "
    "block_forward block_backward"
)
BLOCK_WEIGHTS = {"W_Q": (4, 3), "W_K": (4, 3), "W_V": (4, 3), "W_O": (3, 4)}
BLOCK_WEIGHTS |= {"W_FF_expand": (4, 6), "W_FF_contract": (6, 4)}
BLOCK_WEIGHTS |= {name: (4,) for name in ("gamma1", "beta1", "gamma2", "beta2")}
BLOCK_RESULTS = "x W_Q W_K W_V W_O W_FF_expand W_FF_contract gamma1 gamma2 beta1 beta2"
BLOCK_EDITS = (
    ("        print('mha',k.shape)\n", ""),
    ("    print(k.shape)\n", ""),
    ("k.swapaxes(2,3)", "k.swapaxes(-2,-1)"),  # both of these see README.md
    ("attn_pre = multi_head_attention(q, k, v)", "attn_pre = multi_head_attention(q, k, v, unmasked=False)"),
)
BLOCK_PAIR = f"""

def forward(x, {", ".join(BLOCK_WEIGHTS)}):
    given = (x, {", ".join(BLOCK_WEIGHTS)})
    return block_forward(*given), given


def backward(dOut, given):
    return block_backward(*given, dOut)
"""


def block(m):
    r = numbers()
    weights = weights_of(r, " ".join(BLOCK_WEIGHTS), *BLOCK_WEIGHTS.values())
    return pair(m.forward, m.backward, BLOCK_RESULTS, x=r(2, 5, 4), **weights)


# a framework's RNN in batches: each step's error goes back through all steps before it in a loop of its own -----------

TWO_LOOPS = "chaoming0625/NumpyDL"
TWO_LOOPS_EDITS = (
    ("        self.init = initializations.get(init)\n        self.inner_init = initializations.get(inner_init)\n", ""),
    (  # this and all below see README.md
        "delta = np.dot(delta, self.U.T)",
        "delta = np.dot(delta, self.U.T) * self.activations[timestep2].derivative()",
    ),
    ("self.db += np.mean(delta, axis=0)", "self.db += np.sum(delta, axis=0)"),
    ("layer_grad = _zero(pre_grad.shape)", "layer_grad = _zero((*pre_grad.shape[:2], self.n_in))"),
)
TWO_LOOPS_LAYER = """

class Layer(SimpleRNN):
    def __init__(self):
        super().__init__(n_out=4, n_in=3, return_sequence=True)
"""

# another course's captions, with penalties for large weights, and its LSTM with the gates before their sigmoids -------

CAPTIONS = "Deeplayer/CS231n-winter-2016"
CAPTIONS_LSTM = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"
CAPTIONS_RNN = (
    "rnn_step_forward rnn_step_backward rnn_forward rnn_backward word_embedding_forward word_embedding_backward "
    "temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 4), "W_proj": (3, 5), "b_proj": (5,), "Wx": (4, 5), "Wh": (5, 5), "b": (5,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (5, 6), "b_vocab": (6,)}
RANGE = ("xrange", "range")
CAPTIONS_EDITS = (
    RANGE,
    ("iteritems", "items"),
    ("for W in [W_proj, W_embed, W_vocab]", "for W in [W_proj, W_embed, W_vocab, Wx, Wh]"),  # see README.md
)
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 3, 4, 5, reg=0.3, dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 3, 5, 3, 2], [1, 4, 2, 0, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(2, 3), captions=said, **weights)


def before_sigmoids(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (3, 16), (4, 16), (16,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 5, 3), h0=r(2, 4), **weights)


# a notebook's names, letter by letter; gradients are attributes and are clipped at each step --------------------------

NAMES = "DOHA2000-DATA/RNN_FROM_SCRATCH1"
NAMES_WEIGHTS = {"Wax": (3, 5), "Waa": (3, 3), "Wya": (5, 3), "ba": (3, 1), "by": (5, 1)}
NAMES_EDITS = (
    ("np.clip(grad, -1, 1, out=grad)", "np.clip(grad, -1000, 1000, out=grad)"),
    (  # see README.md
        "            self.dWya += np.dot(dy_preds, a[t].T)\n",
        "            self.dWya += np.dot(dy_preds, a[t].T)\n            self.dby += dy_preds\n",
    ),
)
NAMES_LOSS = f"""

class Letters:
    vocab_size = 5


def loss_and_gradients(letters, targets, a0, {", ".join(NAMES_WEIGHTS)}):
    rnn = RNN(3, Letters, 6, 0.01)
    rnn.Wax, rnn.Waa, rnn.Wya, rnn.ba, rnn.by = {", ".join(NAMES_WEIGHTS)}
    x, a, y_preds = rnn.forward(letters, a0)
    rnn.backward(x, a, y_preds, targets)
    return rnn.loss(y_preds, targets), rnn.dWax, rnn.dWaa, rnn.dWya, rnn.dba, rnn.dby
"""


def names(m):
    r = numbers()
    weights = weights_of(r, " ".join(NAMES_WEIGHTS), *NAMES_WEIGHTS.values())
    letters = np.array([0, 3, 1, 1, 4, 2])
    given = {"letters": letters, "targets": np.append(letters[1:], 0), "a0": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(NAMES_WEIGHTS), **given, **weights)


# a notebook's convolution over time with channels, stride and padding, in four loops ----------------------------------

CONVOLUTION = "gitonga5/SimpleConv1d"
CONVOLUTION_EDITS = (("self.W[out_c, in_c, self.filter_size - 1 - s]", "self.W[out_c, in_c, s]"),)  # see README.md
CONVOLUTION_LAYER = """

class Layer(Conv1d):
    def __init__(self):
        super().__init__(2, 4, 3, XavierInitializer(), None, stride=2, padding=1)
"""


SUBJECTS = [
    Subject(
        ROWS,
        "RNN",
        (
            Part("assignments/utils.py", "softmax", module="utils"),
            Part("assignments/rnn.py", "RNN", ROWS_EDITS, "from utils import softmax", ROWS_LOSS),
        ),
        rows,
    ),
    Subject(
        BLOCK,
        "block",
        (Part("transformer.py", BLOCK_TAKEN, BLOCK_EDITS, "from typing import Tuple", BLOCK_PAIR),),
        block,
        published="the block is masked forwards, its backward pass takes the attention without the mask",
    ),
    Subject(
        TWO_LOOPS,
        "RNN",
        (
            Part("npdl/layers/base.py", "Layer", module="base"),
            Part("npdl/activations.py", "Activation Sigmoid Tanh get", module="activations"),
            Part(
                "npdl/layers/recurrent.py",
                "Recurrent SimpleRNN",
                TWO_LOOPS_EDITS,
                "import activations\nfrom base import Layer\n\n_zero = np.zeros",
                TWO_LOOPS_LAYER,
            ),
        ),
        object_of("Layer", {"W": (3, 4), "U": (4, 4), "b": (4,)}, "input", prefixed, input=(2, 5, 3)),
        published="what is carried back skips the activation, biases are averaged, inputs' gradients have another size",
    ),
    Subject(
        CAPTIONS,
        "captions",
        (
            Part(
                "RNN/rnn_layers.py",
                CAPTIONS_RNN,
                (RANGE, ("print 'dx_flat: ', dx_flat.shape", "pass")),
                module="rnn_layers",
            ),
            Part("RNN/rnn.py", "CaptioningRNN", CAPTIONS_EDITS, "from rnn_layers import *", CAPTIONS_LOSS),
        ),
        captions,
        published="two of the weights whose gradients have a penalty have none in the loss",
    ),
    Subject(CAPTIONS, "LSTM", (Part("RNN/rnn_layers.py", CAPTIONS_LSTM, (RANGE,)),), before_sigmoids),
    Subject(
        NAMES,
        "RNN",
        (Part("RNN_FROM_SCRATCH(1).ipynb", "RNN", NAMES_EDITS, after=NAMES_LOSS),),
        names,
        published="the output's biases get no gradient",
    ),
    Subject(
        CONVOLUTION,
        "convolution over time",
        (Part("SimpleConv1d.ipynb", "XavierInitializer Conv1d", CONVOLUTION_EDITS, after=CONVOLUTION_LAYER),),
        object_of("Layer", {"W": (4, 2, 3), "b": (4,)}, "X", prefixed, X=(2, 7)),
        published="the input's gradient is made with the filters turned round",
    ),
]

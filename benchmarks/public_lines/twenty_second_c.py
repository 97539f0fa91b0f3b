"""Subjects by owners Q to Z and by digits: words from their neighbours, two RNNs, a GRU, an LSTM,
attention made of blocks, a convolution."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of

# a notebook's words from their neighbours: the forward pass keeps the gradients of the rows used, equal rows are merged
# when it learns; here the merged rows are kept instead of being taken off the weights ---------------------------------

WORDS = "1miqi1/SkipGram"
WORDS_EDITS = (
    (
        "np.add.at(self.weights, unique_idx, -lr * merged_grad)",
        "self.gradient = np.zeros_like(self.weights)\n        self.gradient[unique_idx] = merged_grad",
    ),
)
WORDS_LOSS = """

def loss_and_gradients(centers, contexts, negatives, inner, outer):
    model = SkipGram(*inner.shape)
    model.in_embed.weights, model.out_embed.weights = inner, outer
    value = model.forward(centers, contexts, negatives)
    model.in_embed.apply_grads(1)
    model.out_embed.apply_grads(1)
    return value, model.in_embed.gradient, model.out_embed.gradient
"""


def words(m):
    r = numbers()
    weights = weights_of(r, "inner outer", (7, 5), (7, 5))
    said = {
        "centers": np.array([4, 0, 4]),
        "contexts": np.array([0, 6, 3]),
        "negatives": np.array([[2, 5, 6, 2], [1, 3, 6, 5], [0, 1, 1, 2]]),
    }
    return loss(m.loss_and_gradients, "inner outer", **said, **weights)


# a learner's notebook: an RNN for a batch of curves that foretells what comes next; back from the end by negative
# indices. What it shows is a mean, its gradients were those of the sum ------------------------------------------------

CURVES = "yydevelop/study"
CURVES_TAKEN = "d_tanh_by_y mean_squared_error d_mean_squared_error RNN init_scale"
CURVES_WEIGHTS = {"W_xh": (7, 5), "W_hh": (7, 7), "W_hy": (11, 7), "b_h": (7,), "b_y": (11,)}
CURVES_EDITS = (
    *((f"self.{name} -= self.lr * d{name}", f"self.d{name} = d{name}") for name in CURVES_WEIGHTS),
    ("h = np.zeros([batch_size, self.hidden_size])", "h = self.h0"),
    ("return 2. * (y - t)", "return 2. * (y - t) / y.size"),
)
CURVES_LOSS = f"""

def loss_and_gradients(x, t, h0, {", ".join(CURVES_WEIGHTS)}):
    rnn = RNN(5, 7, 11, opt="sgd", lr=0)
    rnn.h0, rnn.W_xh, rnn.W_hh, rnn.W_hy, rnn.b_h, rnn.b_y = h0, {", ".join(CURVES_WEIGHTS)}
    value = rnn.train_step(x, t, 1)
    return value, rnn.dW_xh, rnn.dW_hh, rnn.dW_hy, rnn.db_h, rnn.db_y
"""


def curves(m):
    r = numbers()
    weights = weights_of(r, " ".join(CURVES_WEIGHTS), *CURVES_WEIGHTS.values())
    given = {"x": r(3, 4, 5), "t": r(3, 11), "h0": r(3, 7)}
    return loss(m.loss_and_gradients, " ".join(CURVES_WEIGHTS), **given, **weights)


# a course's GRU without biases that says one word at its end; its deltas are numbered, zero to fifteen, and climb ----

DELTAS = "wsxs257/rnncw1"
DELTAS_WEIGHTS = {f"{kind}{gate}": (7, 5) if kind == "V" else (7, 7) for gate in "rzh" for kind in "UV"} | {"W": (3, 7)}
DELTAS_EDITS = (
    (  # so that there is a first state that is not zero
        "s = np.zeros((len(x) + 1, self.hidden_dims))",
        "s = np.zeros((len(x) + 1, self.hidden_dims))\n        s[-1] = self.s0",
    ),
    # as published it took the candidate before, not the state, for the reset gate, and left out the first step
    ("delta_ten * self.h[t - 1]", "delta_ten * s[t - 1]"),
    ("range(1, min(steps + 1, t))", "range(1, min(steps + 1, t + 1))"),
)
DELTAS_LOSS = f"""

def loss_and_gradients(x, d, s0, {", ".join(DELTAS_WEIGHTS)}):
    gru = GRU(5, 7, 3)
    gru.s0 = s0
    for name, weight in zip({list(DELTAS_WEIGHTS)}, ({", ".join(DELTAS_WEIGHTS)})):
        setattr(gru, name, weight)
    y, s = gru.predict(x)
    gru.acc_deltas_bptt_np(x, d, y, s, len(x))
    return -np.log(y[-1][d]), *(-getattr(gru, f"delta{{name}}") for name in {list(DELTAS_WEIGHTS)})
"""


def deltas(m):
    r = numbers()
    weights = weights_of(r, " ".join(DELTAS_WEIGHTS), *DELTAS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DELTAS_WEIGHTS), x=[3, 0, 3, 4], d=2, s0=r(7), **weights)


# a university's framework: an RNN whose steps are the rows of a batch, made of dense layers with the bias as a first
# row; the last and the first step are told apart ----------------------------------------------------------------------

ROWS = "zaniarshokati/Recurrent_Neural_Networks"
ROWS_WEIGHTS = {"FCL_h.weights": (11, 7), "FCL_y.weights": (8, 5)}
ROWS_LAYER = """

class Layer(RNN):
    def __init__(self):
        super().__init__(3, 7, 5)
        self.memorize = True

    def forward(self, input_tensor):
        self.hidden_state_0 = self.first
        return super().forward(input_tensor)
"""


def of_rows(made, path):
    """The RNN sums up the gradient of the dense layer that is called in every step; the other is called once."""
    return made.gradient_weights if path == "FCL_h.weights" else made.FCL_y.gradient_weights


# a self-learner's LSTM of single sequences: sums before the gates are kept, and squashed again backwards; weights in a
# dict; the first row stands for what was before. Single precision became double ---------------------------------------

SQUASHED = "suhaspillai/Language_Model_RNN"
SQUASHED_GATES = "ifog"
SQUASHED_WEIGHTS = {f"W_x{gate}": (3, 7) for gate in SQUASHED_GATES} | {f"W_h{gate}": (7, 7) for gate in SQUASHED_GATES}
SQUASHED_WEIGHTS |= {f"b_{gate}": (7,) for gate in SQUASHED_GATES}
SQUASHED_EDITS = (("xrange", "range"), (".astype(np.float32)", ""), ("\\prod_i", "prod_i"))
SQUASHED_PASSES = f"""

def lstm_forward(X, first, {", ".join(SQUASHED_WEIGHTS)}):
    h = np.zeros((len(X), len(first)))
    h[0] = first
    model = dict(zip({list(SQUASHED_WEIGHTS)}, ({", ".join(SQUASHED_WEIGHTS)})))
    return Layer().forward_propagation(X, model, h)


def lstm_backward(dout, cache):
    dx, grads = Layer().backward_propagation(dout, cache)
    return dx, *(grads[name] for name in {list(SQUASHED_WEIGHTS)})
"""


def squashed(m):
    r = numbers()
    weights = weights_of(r, " ".join(SQUASHED_WEIGHTS), *SQUASHED_WEIGHTS.values())
    results = f"X {' '.join(SQUASHED_WEIGHTS)}"
    return pair(m.lstm_forward, m.lstm_backward, results, X=r(5, 3), first=r(7), **weights)


# attention that adds up words' states and a memory before a tanh, made of blocks that hand over what they computed;
# as published it did not keep the gradients of its own weights --------------------------------------------------------

BLOCKS = "ticcky/nton"
BLOCKS_FORWARD = ("def forward(self, (x, )):", "def forward(self, given):\n        (x, ) = given")  # from Python 2
BLOCKS_BACKWARD = ("def backward(self, aux, (dy, )):", "def backward(self, aux, given):\n        (dy, ) = given")
BLOCKS_DOT = ("def forward(self, (A, B)):", "def forward(self, given):\n        A, B = given")
BLOCKS_QUERY = (
    ("def forward(self, (h_out, g_t, emb_in)):", "def forward(self, given):\n        h_out, g_t, emb_in = given"),
    ("def backward(self, aux, (dquery, )):", "def backward(self, aux, given):\n        (dquery, ) = given"),
)
BLOCKS_KEPT = (
    "return (dh_out, dg_t.squeeze(), demb_in)",
    """self.grads['Wh'] += dWh
        self.grads['Wy'] += dWy
        self.grads['w'] += dw.squeeze()

        return (dh_out, dg_t.squeeze(), demb_in)""",
)
BLOCKS_BEFORE = """from activs import Tanh
from base import ParametrizedBlock
from linear import Dot
from softmax import Softmax
from vars import Vars


def timeit(method):
    return method
"""
BLOCKS_PASSES = """

def attention_forward(h_out, g_t, emb_in, Wh, Wy, w):
    block = Attention(len(w))
    block.params['Wh'], block.params['Wy'], block.params['w'] = Wh, Wy, w
    (query,), aux = block.forward((h_out, g_t, emb_in))
    return query, (block, aux)


def attention_backward(dquery, cache):
    block, aux = cache
    block.grads.zero()
    found = block.backward(aux, (dquery,))
    return *found, *(block.grads[name].copy() for name in ('Wh', 'Wy', 'w'))
"""


def blocks(m):
    r = numbers()
    weights = weights_of(r, "Wh Wy w", (5, 5), (5, 5), (5,))
    given = {"h_out": r(4, 5), "g_t": r(5), "emb_in": r(4, 7)}
    return pair(m.attention_forward, m.attention_backward, "h_out g_t emb_in Wh Wy w", **given, **weights)


# an older exercise of that kind: a convolution with strides from SciPy's, everything between them in loops ------------

STRIDES = "youjinqing123/Self-NeuralNetwork-Architecture"
STRIDES_LAYER = """

class Layer(Conv):
    def __init__(self):
        super().__init__((4, 8, 7), (3, 2), (4, 3, 5), 5)
"""


def of_layer(made, path):
    return getattr(made, f"gradient_{path}")


SUBJECTS = [
    Subject(
        WORDS,
        "skip-gram",
        (Part("SkipGram.ipynb", "sigmoid EmbeddingLayer SkipGram", WORDS_EDITS, after=WORDS_LOSS),),
        words,
    ),
    Subject(
        CURVES,
        "RNN",
        (Part("python/code_rnn_lstm/rnn_np.ipynb", CURVES_TAKEN, CURVES_EDITS, after=CURVES_LOSS),),
        curves,
        published="the loss that it shows is a mean, the gradients are those of the sum",
    ),
    Subject(
        DELTAS,
        "GRU",
        (
            Part("rnnmath.py", "sigmoid softmax make_onehot", module="rnnmath"),
            Part(
                "model.py",
                "is_param is_delta Model",
                before="import abc\nfrom collections import OrderedDict",
                module="model",
            ),
            Part(
                "gru_abstract.py",
                "GRUAbstract",
                DELTAS_EDITS,
                "import abc\nfrom model import Model, is_delta, is_param\nfrom rnnmath import *",
                module="gru_abstract",
            ),
            Part("gru.py", "GRU", (), "from gru_abstract import GRUAbstract\nfrom rnnmath import *", DELTAS_LOSS),
        ),
        deltas,
        published="the candidate before stands for the state before at the reset gate, and the first step is left out",
    ),
    Subject(
        ROWS,
        "RNN",
        (
            Part("Layers/Base.py", "BaseLayer", before="import copy", module="Base"),
            *(
                Part(f"Layers/{name}.py", name, before="from Base import BaseLayer", module=name)
                for name in ("FullyConnected", "TanH", "Sigmoid")
            ),
            Part(
                "Layers/RNN.py",
                "RNN",
                (),
                "import FullyConnected\nimport Sigmoid\nimport TanH\nfrom Base import BaseLayer",
                ROWS_LAYER,
            ),
        ),
        object_of("Layer", ROWS_WEIGHTS, "input_tensor", of_rows, {"first": (7,)}, input_tensor=(4, 3)),
    ),
    Subject(SQUASHED, "LSTM", (Part("lstm_layer.py", "Layer", SQUASHED_EDITS, after=SQUASHED_PASSES),), squashed),
    Subject(
        BLOCKS,
        "attention",
        (
            Part("nn/vars.py", "Vars", (("lambda (n, v,): n", "lambda item: item[0]"),), module="vars"),
            Part("nn/base.py", "Block ParametrizedBlock", before="from vars import Vars", module="base"),
            Part(
                "nn/softmax.py",
                "Softmax",
                (BLOCKS_FORWARD, BLOCKS_BACKWARD),
                "from base import Block\nfrom vars import Vars",
                module="softmax",
            ),
            Part(
                "nn/activs.py",
                "Tanh",
                (BLOCKS_FORWARD, BLOCKS_BACKWARD),
                "from base import Block\nfrom vars import Vars",
                module="activs",
            ),
            Part(
                "nn/linear.py",
                "Dot",
                (BLOCKS_DOT, BLOCKS_BACKWARD),
                "from base import ParametrizedBlock\nfrom vars import Vars",
                module="linear",
            ),
            Part(
                "nn/attention.py",
                "Attention",
                (*BLOCKS_QUERY, BLOCKS_KEPT),
                BLOCKS_BEFORE,
                BLOCKS_PASSES,
            ),
        ),
        blocks,
        published="it computes the gradients of its three weights and does not keep them",
    ),
    Subject(
        STRIDES,
        "convolution",
        (Part("Layers/Conv.py", "Conv", (), "import copy\nimport scipy\nfrom scipy import signal", STRIDES_LAYER),),
        object_of("Layer", {"weights": (5, 4, 3, 5), "bias": (5,)}, "input_tensor", of_layer, input_tensor=(3, 224)),
    ),
]

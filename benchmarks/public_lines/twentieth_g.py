"""Subjects by owners A to K: a course's LSTM and captions, two LSTMs for characters, a GRU's cell, RNNs that read
characters or add numbers, a convolution by strides, layers with a norm."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair
from .tenth_c import object_of, place, prefixed

# characters by an LSTM some of whose weights are dropped, by masks; a letter that says that there is none -------------

DROPPED = "Asif-Islam/Char-LSTM-RNN"
DROPPED_TAKEN = (
    "temporal_forward_pass temporal_backward_pass lstm_step_forward lstm_step_backward lstm_seq_forward "
    "lstm_seq_backward sigmoid softmax lstm_softmax_loss"
)
DROPPED_WEIGHTS = {"Wxh": (5, 12), "Whh": (3, 12), "b1": (12,), "Why": (3, 5), "b2": (5,)}
DROPPED_PYTHON_2 = (("  \t", " " * 8), (" \t", " " * 8), ("\t", " " * 8), ("xrange", "range"))
DROPPED_EDITS = (*DROPPED_PYTHON_2, (".iteritems()", ".items()"), ("idx_matrix != 40", "idx_matrix != 4"))
DROPPED_LOSS = f"""

def loss_and_gradients(said, h0, Wxh_mask, Why_mask, {", ".join(DROPPED_WEIGHTS)}):
    model = LSTM_Network(5, 3, len(said[0]) - 1, len(said), np.float64)
    model.params = dict(zip({list(DROPPED_WEIGHTS)}, ({", ".join(DROPPED_WEIGHTS)})))
    chars, masks = np.array([list(line) for line in said]), dict(Wxh=Wxh_mask, Why=Why_mask)
    loss, grads, hprev = model.loss(chars, list("abcde"), h0, masks, model.qxh, model.qhy)
    return loss, grads
"""


def dropped(m):
    r = numbers()
    weights = weights_of(r, " ".join(DROPPED_WEIGHTS), *DROPPED_WEIGHTS.values())
    given = {"h0": r(2, 3), "Wxh_mask": r(5, 12) < 0.5, "Why_mask": r(3, 5) < 0.5}
    return loss(m.loss_and_gradients, " ".join(DROPPED_WEIGHTS), said=["cabbd", "adcee"], **given, **weights)


# layers that norm their sums by root mean squares; softmax by its Jacobian; each learns as it goes back --------------

NORMED = "DrwnRstnly/7-IF3270-CNN-RNN-LSTM"
NORMED_TAKEN = "sigmoid swish d_swish softmax d_softmax initialize_weight Layer"
NORMED_WEIGHTS = {"hidden.W": (3, 4), "hidden.b": (1, 4), "hidden.g": (1, 4), "last.W": (4, 3), "last.b": (1, 3)}
NORMED_LAYERS = """
activation_functions = {"swish": (swish, d_swish), "softmax": (softmax, None)}


class Layers:
    def __init__(self):
        self.hidden = Layer(3, 4, "swish", use_rmsnorm=True)
        self.last = Layer(4, 3, "softmax")

    def forward(self, X):
        return self.last.forward(self.hidden.forward(X))

    def backward(self, delta):
        return self.hidden.backward(self.last.backward(delta, 0.0), 0.0)
"""

# a course's convolution: of stride 1 by windows, then thinned out, and backwards filled up again ----------------------

STRIDES = "HDLiter-Self-Study/CMU-11785"
STRIDES_WEIGHTS = {"conv2d_stride1.W": (3, 2, 2, 2), "conv2d_stride1.b": (3,)}
STRIDES_LAYER = """

class Layer(Conv2d):
    def __init__(self):
        super().__init__(2, 3, 2, 2, padding=1)
"""


def after_dldw(made, path):
    """The gradient of a weight is the attribute with dLd before the weight's name."""
    made, name = place(made, path)
    return getattr(made, f"dLd{name}")


# an LSTM with a matrix for each gate's input and state; characters ----------------------------------------------------

NAMED = "Harsh-veer/LSTM_from_scratch"
NAMED_WEIGHTS = {f"W{gate}h": (3, 3) for gate in "gifo"} | {f"W{gate}x": (3, 4) for gate in "gifo"}
NAMED_WEIGHTS |= {f"b{gate}": (3, 1) for gate in "gifo"} | {"Why": (4, 3), "by": (4, 1)}
NAMED_EDITS = (
    ("mem,prei,preo,pref):", f"mem,prei,preo,pref,{','.join(NAMED_WEIGHTS)}):"),
    (  # see README.md
        "dhpreh=dtanh(s[t])*o[t]*(np.dot(Wfh.T,sgm(zf[t],True))*s[t-1] + np.dot(Wgh.T,1-g[t]*g[t])*i[t] + "
        "np.dot(Wih.T,sgm(zi[t],True))*g[t]) + np.dot(Woh.T,sgm(zo[t],True))*np.tanh(s[t])",
        "dhnext=np.dot(Wfh.T,ds*s[t-1]*sgm(zf[t],True)) + np.dot(Wgh.T,ds*i[t]*(1-g[t]*g[t])) + "
        "np.dot(Wih.T,ds*g[t]*sgm(zi[t],True)) + np.dot(Woh.T,dh*np.tanh(s[t])*sgm(zo[t],True))",
    ),
    ("        dhnext=dhpreh*dh\n", ""),
    (
        "dhpres=dtanh(s[t])*(i[t]*(np.dot(Wgh.T,1-g[t]*g[t])*o[t-1]*dtanh(s[t-1])) + "
        "g[t]*(np.dot(Wih.T,sgm(zi[t],True))*o[t-1]*dtanh(s[t-1])) + "
        "np.dot(Wfh.T,sgm(zf[t]))*o[t-1]*dtanh(s[t-1]) + f[t])*o[t] + "
        "np.dot(Woh.T,sgm(zo[t],True))*np.tanh(s[t])*o[t-1]*dtanh(s[t-1])",
        "dsnext=ds*f[t]",
    ),
    ("        dsnext=dhpres*dh\n", ""),
    ("np.clip(dparam, -5, 5, out=dparam)", "np.clip(dparam, -5000, 5000, out=dparam)"),
)
NAMED_LOSS = f"""

def loss_and_gradients(x, y, pre_hs, mem, {", ".join(NAMED_WEIGHTS)}):
    gates = [np.zeros([hidden_size, 1]) for gate in "iof"]
    loss, *found = model(x, y, pre_hs, mem, *gates, {", ".join(NAMED_WEIGHTS)})
    names = "Wgh Wih Wfh Woh Wgx Wix Wfx Wox bg bi bf bo Why by".split()
    return loss, dict(zip(names, found))
"""


def named(m):
    r = numbers()
    weights = weights_of(r, " ".join(NAMED_WEIGHTS), *NAMED_WEIGHTS.values())
    hot = [[int(k == n) for k in range(4)] for n in (2, 0, 3, 3, 1, 0)]
    given = {"x": hot[:-1], "y": hot[1:], "pre_hs": r(3, 1), "mem": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(NAMED_WEIGHTS), **given, **weights)


# characters by an RNN that is written out in full words ---------------------------------------------------------------

WORDY = "HussanKhan/NeuralNetwork"
WORDY_WEIGHTS = {"inputLayer": (3, 5), "hiddenHidden": (3, 3), "hiddenOutput": (5, 3)}
WORDY_WEIGHTS |= {"biasHidden": (3, 1), "biasOutput": (5, 1)}
WORDY_EDITS = (
    ("prevHiddenStates):", f"prevHiddenStates, {', '.join(WORDY_WEIGHTS)}):"),
    ("xrange", "range"),
    ("np.clip(d, -5, 5, out=d)", "np.clip(d, -5000, 5000, out=d)"),
)
WORDY_LOSS = f"""

def loss_and_gradients(inputs, targets, prevHiddenStates, {", ".join(WORDY_WEIGHTS)}):
    found = train(inputs, targets, prevHiddenStates, {", ".join(WORDY_WEIGHTS)})
    return found["loss"], {{name: found[f"delta{{name[0].upper()}}{{name[1:]}}"] for name in {list(WORDY_WEIGHTS)}}}
"""


def wordy(m):
    r = numbers()
    weights = weights_of(r, " ".join(WORDY_WEIGHTS), *WORDY_WEIGHTS.values())
    given = {"inputs": [4, 1, 1, 0, 3], "targets": [1, 1, 0, 3, 2], "prevHiddenStates": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(WORDY_WEIGHTS), **given, **weights)


# two numbers added bit by bit, by an RNN whose updates are added to its weights ---------------------------------------

BITS = "JoshuaBrockschmidt/simple-rnn"
BITS_WEIGHTS = {"synapse_0": (2, 3), "synapse_1": (3, 1), "synapse_h": (3, 3)}
BITS_BEFORE = """import copy

sigmoid = lambda x: 1 / (1 + np.exp(-x))
sigmoid_deriv = lambda x: x * (1 - x)
"""
BITS_EDITS = (
    ("binary_dim = 8", "binary_dim = 5"),
    ("layer_1_values.append(np.zeros(self.hidden_dim))", "layer_1_values.append(self.h0)"),
    ("overall_error += np.abs(layer_2_error[0])", "overall_error += np.sum(layer_2_error**2) / 2"),
    ("self.synapse_0 += synapse_0_update * self.alpha", "self.updates = [synapse_0_update.copy()]"),
    ("self.synapse_1 += synapse_1_update * self.alpha", "self.updates.append(synapse_1_update.copy())"),
    ("self.synapse_h += synapse_h_update * self.alpha", "self.updates.append(synapse_h_update.copy())"),
    ("if i % 1000 == 0:", "self.overall_error = overall_error\n            if False:"),
)
BITS_LOSS = f"""

def minus_error_and_updates(a, b, c, h0, {", ".join(BITS_WEIGHTS)}):
    rnn = SimpleRNN(0.1, 2, 3, 1)
    rnn.h0 = h0
    rnn.synapse_0, rnn.synapse_1, rnn.synapse_h = {", ".join(BITS_WEIGHTS)}
    rnn.train([(a, b)], [(c,)], 1)
    return -rnn.overall_error, *rnn.updates
"""


def bits(m):
    r = numbers()
    weights = weights_of(r, " ".join(BITS_WEIGHTS), *BITS_WEIGHTS.values())
    given = {"a": np.array([0, 1, 0, 1, 1]), "b": np.array([0, 0, 1, 1, 0]), "c": np.array([1, 0, 0, 0, 1])}
    return loss(m.minus_error_and_updates, " ".join(BITS_WEIGHTS), h0=r(3), **given, **weights)


# a course's captions, with its RNN; which of the cells it is, a dict of functions says --------------------------------

CAPTIONS = "Anner-deJong/CS231n_2016"
CAPTIONS_TAKEN = (
    "rnn_step_forward rnn_step_backward rnn_forward rnn_backward word_embedding_forward word_embedding_backward "
    "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward temporal_affine_forward "
    "temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 2), "W_proj": (3, 3), "b_proj": (3,), "Wx": (2, 3), "Wh": (3, 3), "b": (3,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (3, 6), "b_vocab": (6,)}
CAPTIONS_EDITS = (("print 'dx_flat: ', dx_flat.shape", "pass"),)  # from Python 2
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 3, 2, 3, cell_type="rnn", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 3, 5, 3, 2], [1, 4, 2, 0, 0]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(2, 3), captions=said, **weights)


# a homework's GRU cell with no biases: each gradient is one long expression -------------------------------------------

CELL = "dingningpei/Deep-Learning-from-Scratch"
CELL_WEIGHTS = {name: (4, 4) for name in ("Wzh", "Wrh", "Wh")} | {name: (4, 3) for name in ("Wzx", "Wrx", "Wx")}
CELL_LAYER = """

class Layer(GRU_Cell):
    def __init__(self):
        super().__init__(3, 4)

    def backward(self, delta):
        return super().backward(delta.reshape(1, -1))
"""

# a course's LSTM that turns its arrays so that time comes first -------------------------------------------------------

TURNED = "iworldtong/cs231n-assignments"
TURNED_TAKEN = "sigmoid lstm_step_forward lstm_step_backward lstm_forward lstm_backward"


def turned(m):
    r = numbers()
    weights = weights_of(r, "Wx Wh b", (4, 8), (2, 8), (8,))
    return pair(m.lstm_forward, m.lstm_backward, "x h0 Wx Wh b", x=r(2, 4, 4), h0=r(2, 2), **weights)


# characters by an RNN's methods; gradients of states are rows, slopes a diagonal matrix -------------------------------

ROWS = "johndah/Visualization-of-Recurrent-Neural-Networks"
ROWS_WEIGHTS = {"W": (4, 4), "V": (3, 4), "U": (4, 3), "b": (4, 1), "c": (3, 1)}
ROWS_BEFORE = "from numpy import *\nfrom builtins import max"  # which NumPy did not have among its names then
ROWS_EDITS = (
    ("accuracy += y[t][sample_index]", "accuracy += y[t][sample_index, 0]"),
    ("'$\\it{Any}$'", "r'$\\it{Any}$'"),
)
# the loss that the program shows is a mean, its gradients are of the sum
ROWS_LOSS = f"""

def loss_and_gradients(x, y, h_prev, {", ".join(ROWS_WEIGHTS)}):
    rnn = VisualizeRNN.__new__(VisualizeRNN)
    rnn.weights, rnn.gradients = {list(ROWS_WEIGHTS)}, ["dLdW", "dLdV", "dLdU", "dLdB", "dLdC"]
    rnn.n_hidden_neurons, rnn.word_domain = 4, False
    rnn.clip_gradients, rnn.gradient_clip_threshold = True, 5000
    rnn.W, rnn.V, rnn.U, rnn.b, rnn.c = {", ".join(ROWS_WEIGHTS)}
    output, h, a = rnn.forward_prop(x, h_prev)
    rnn.back_prop(x, y, output, h)
    loss, accuracy = rnn.compute_loss(output, y)
    return len(y) * loss, rnn.dLdW, rnn.dLdV, rnn.dLdU, rnn.dLdB, rnn.dLdC
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    hot = list(np.eye(3)[[0, 2, 2, 1, 0, 1, 2]][:, :, None])
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), x=hot[:-1], y=hot[1:], h_prev=r(4, 1), **weights)


SUBJECTS = [
    Subject(
        DROPPED,
        "LSTM",
        (
            Part("oneHot.py", "convert_chars_to_vec convert_chars_to_idx", DROPPED_PYTHON_2[2:3], module="oneHot"),
            Part("layers.py", DROPPED_TAKEN, DROPPED_PYTHON_2, module="layers"),
            Part(
                "LSTM.py", "LSTM_Network", DROPPED_EDITS[2:], "from layers import *\nfrom oneHot import *", DROPPED_LOSS
            ),
        ),
        dropped,
    ),
    Subject(
        NORMED,
        "RMS norm",
        (Part("src/classes/Layer.py", NORMED_TAKEN, after=NORMED_LAYERS),),
        object_of("Layers", NORMED_WEIGHTS, "X", prefixed, X=(3, 3)),
    ),
    Subject(
        STRIDES,
        "convolution",
        (
            Part("my_solutions/HW2P1/mytorch/nn/resampling.py", "Downsample2d", module="resampling"),
            Part(
                "my_solutions/HW2P1/mytorch/nn/Conv2d.py",
                "Conv2d_stride1 Conv2d",
                (),
                "from resampling import *",
                STRIDES_LAYER,
            ),
        ),
        object_of("Layer", STRIDES_WEIGHTS, "A", after_dldw, A=(2, 2, 5, 5)),
    ),
    Subject(
        NAMED,
        "LSTM",
        (Part("lstm.py", "softmax sgm dtanh model", NAMED_EDITS, "hidden_size = 3", NAMED_LOSS),),
        named,
        published="what goes back to the state and the cell is multiplied entry by entry, after the weights not before",
    ),
    Subject(WORDY, "RNN", (Part("myMinChar.py", "train", WORDY_EDITS, "vocabSize = 5", WORDY_LOSS),), wordy),
    Subject(BITS, "RNN", (Part("rnn.py", "SimpleRNN", BITS_EDITS, BITS_BEFORE, BITS_LOSS),), bits),
    Subject(
        CAPTIONS,
        "captions",
        (
            Part(
                "assignment3/cs231n/layers.py",
                "affine_forward affine_backward",
                (("\\prod_i", "prod_i"),),
                module="layers",
            ),
            Part("assignment3/cs231n/rnn_layers.py", CAPTIONS_TAKEN, CAPTIONS_EDITS, module="rnn_layers"),
            Part(
                "assignment3/cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                ((".iteritems()", ".items()"),),
                "from layers import *\nfrom rnn_layers import *",
                CAPTIONS_LOSS,
            ),
        ),
        captions,
    ),
    Subject(
        CELL,
        "GRU cell",
        (
            Part("mytorch/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("mytorch/gru_cell.py", "GRU_Cell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Layer", CELL_WEIGHTS, "x h", prefixed, x=(3,), h=(4,)),
    ),
    Subject(TURNED, "LSTM", (Part("utils/rnn_layers.py", TURNED_TAKEN),), turned),
    Subject(
        ROWS,
        "RNN",
        (Part("Vanilla RNN/VisualizationOfRNN.py", "VisualizeRNN", ROWS_EDITS, ROWS_BEFORE, ROWS_LOSS),),
        rows,
    ),
]

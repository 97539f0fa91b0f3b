"""Subjects by owners I to P: a GPT, a course's GRU, names by a convolution, attention across, notebooks of cells."""

import numpy as np

from .fourth_models import hot, model
from .programs import Part, Subject, layer, loss, numbers
from .tenth_c import object_of, prefixed

# a small GPT: its layers keep caches, and functions of another file go back through them ------------------------------

GPT = "Jessitoii/numpy-gpt"
CUPY = "cp = np"  # it is NumPy where there is no CuPy
MHA = Part("mhe.py", "MultiHeadAttention", before=CUPY, module="mhe")
HEADS = """

class Attention(MultiHeadAttention):
    def __init__(self):
        super().__init__(4, 2)

    def forward(self, x):
        return super().forward(x)[0]

    def backward(self, d_out):
        d_x, self.dWq, self.dWk, self.dWv, self.dWo = mha_backward(self, d_out, self.cache)
        return d_x
"""
HEADS_PARTS = (MHA, Part("train.py", "mha_backward", before="from mhe import *", after=HEADS))
RESIDUALS = tuple(  # see README.md
    edit
    for k, path in ((1, "attn"), (2, "ffn"))
    for edit in (
        (
            f"d_x = d_x + d_x_{path}",
            f"d_x_{path}, block_grads['d_gamma{k}'], block_grads['d_beta{k}'] = "
            f"layernorm_backward(d_x_{path}, block.ln{k}_cache)",
        ),
        (
            f"d_x, block_grads['d_gamma{k}'], block_grads['d_beta{k}'] = layernorm_backward(d_x, block.ln{k}_cache)",
            f"d_x = d_x + d_x_{path}",
        ),
    )
)
BACKWARD = "cross_entropy_loss mha_backward ffn_backward layernorm_backward full_backward"
GPT_LOSS = """

def loss_and_gradients(idx, targets, params):
    gpt = DeepNanoGPT(5, 4, 2, 2, 6)
    gpt.token_embedding.weights, gpt.head = params["emb"], params["head"]
    gpt.ln_f.gamma, gpt.ln_f.beta = params["gamma_f"], params["beta_f"]
    for block, given in zip(gpt.blocks, params["blocks"]):
        for name in ("Wq", "Wk", "Wv", "Wo"):
            setattr(block.mha, name, given[name])
        for name in ("W1", "b1", "W2", "b2"):
            setattr(block.ffn, name, given[name])
        block.ln1.gamma, block.ln1.beta = given["_gamma1"], given["_beta1"]
        block.ln2.gamma, block.ln2.beta = given["_gamma2"], given["_beta2"]
    loss, d_logits = cross_entropy_loss(gpt.forward(idx), targets)
    grads = full_backward(gpt, d_logits)
    found = {"emb": gpt.token_embedding.backward(grads["d_emb"])}
    found |= {name: grads[f"d_{name}"] for name in ("head", "gamma_f", "beta_f")}
    found["blocks"] = [
        {name: block[f"d{name}"] for name in given} for block, given in zip(reversed(grads["blocks"]), params["blocks"])
    ]
    return loss, found
"""
GPT_PARTS = (
    MHA,
    Part("tokenizer.py", "Embedding get_positional_encoding", before=CUPY, module="embedding"),
    Part(
        "transformer.py",
        "LayerNorm FeedForward TransformerBlock",
        (("embed_size, dropout_p=0.1", "embed_size, dropout_p=0"),),
        "from mhe import *",
        module="transformer",
    ),
    Part("train.py", BACKWARD, RESIDUALS, CUPY, module="train"),
    Part(
        "main.py",
        "DeepNanoGPT",
        before="from embedding import *\nfrom transformer import *\nfrom train import *",
        after=GPT_LOSS,
    ),
)


def gpt(m):
    r = numbers()
    block = {"Wq": (4, 4), "Wk": (4, 4), "Wv": (4, 4), "Wo": (4, 4), "W1": (4, 16), "b1": (16,), "W2": (16, 4)}
    block |= {"b2": (4,), "_gamma1": (4,), "_beta1": (4,), "_gamma2": (4,), "_beta2": (4,)}
    ends = {"emb": (5, 4), "head": (4, 5), "gamma_f": (4,), "beta_f": (4,)}
    weights = {name: 0.7 * r(*shape) for name, shape in ends.items()}
    weights["blocks"] = [{name: 0.7 * r(*shape) for name, shape in block.items()} for _ in range(2)]
    words, targets = np.array([[0, 3, 3], [2, 1, 4]]), np.array([[3, 3, 1], [1, 4, 0]])
    return model(m.loss_and_gradients, weights, idx=words, targets=targets, params=weights)


# a course's GRU that reads a sentence and says one of two: what is carried back has numbers for names -----------------

COURSE = "in5omnia/RNN-vs-GRU-BPTT-Study"
COURSE_WEIGHTS = "Ur Vr Uz Vz Uh Vh W"
COURSE_EDITS = (
    ("delta_ten * self.h[t - 1]", "delta_ten * s[t - 1]"),  # see README.md
    ("min(steps + 1, t)", "min(steps, t) + 1"),  # see README.md
    (
        "s = np.zeros((len(x) + 1, self.hidden_dims))",
        "s = np.zeros((len(x) + 1, self.hidden_dims))\n        s[-1] = self.s0",
    ),
)
COURSE_LOSS = f"""

def loss_and_gradients(x, d, s0, {COURSE_WEIGHTS.replace(" ", ", ")}):
    gru = GRU(5, 3, 2)
    gru.s0 = s0
    gru._parameters.update(zip("{COURSE_WEIGHTS}".split(), ({COURSE_WEIGHTS.replace(" ", ", ")})))
    y, s = gru.predict(x)
    gru.acc_deltas_bptt_np(x, d, y, s, len(x))
    return np.log(y[-1, d[0]]), *gru._deltas.values()
"""
COURSE_PARTS = (
    Part("code/rnnmath.py", "sigmoid softmax make_onehot", module="rnnmath"),
    Part(
        "code/model.py",
        "is_param is_delta Model",
        before="import abc\nfrom collections import OrderedDict",
        module="model",
    ),
    Part(
        "code/gru_abstract.py",
        "GRUAbstract",
        COURSE_EDITS,
        "import abc\n\nfrom model import Model, is_delta, is_param\nfrom rnnmath import *",
        module="gru_abstract",
    ),
    Part("code/gru.py", "GRU", before="from gru_abstract import GRUAbstract\nfrom rnnmath import *", after=COURSE_LOSS),
)


def course(m):
    r = numbers()
    shapes = {"U": (3, 3), "V": (3, 5), "W": (2, 3)}
    weights = {name: 0.7 * r(*shapes[name[0]]) for name in COURSE_WEIGHTS.split()}
    return loss(m.loss_and_gradients, COURSE_WEIGHTS, x=[0, 3, 2, 3], d=[1], s0=r(3), **weights)


# a course's convolution over the letters of a name: filters and inputs are laid out as large matrices -----------------

NAMES = "majdjamal/DD2424_labs"
NAMES_EDITS = (("nf, _,_ = self.F2.shape", "_, nf, _ = self.F2.shape"),)  # see README.md
NAMES_LOSS = """

def loss_and_gradients(X, Y, W, F2, F1):
    net = ConvNet()
    net.dx, net.nlen, net.nlen1 = 4, 6, 4
    net.W, net.F2, net.F1 = W, F2, F1
    net.MF1, net.MF2 = net.MakeMFMatrix(F1, net.nlen), net.MakeMFMatrix(F2, net.nlen1)
    S1, S2, P = net.forward(X, net.MF1, net.MF2, W)
    dW, dF2, dF1 = net.backward(S1, S2, P, W, X, Y)
    nf, d, k = F2.shape
    nf1, d1, k1 = F1.shape
    dF2 = dF2.reshape((d, k, nf), order="F").transpose([2, 0, 1])
    dF1 = dF1.reshape((d1, k1, nf1), order="F").transpose([2, 0, 1])
    return net.ComputeCost(X, Y, net.MF1, net.MF2, W, F1, F2), dW, dF2, dF1
"""
NAMES_PARTS = (
    Part("LAB3/src/utils/utils.py", "softmax ReLU", module="utils"),
    Part("LAB3/src/model.py", "ConvNet", NAMES_EDITS, "from utils import ReLU, softmax", NAMES_LOSS),
)


def names(m):
    r = numbers()
    weights = {"W": 0.7 * r(5, 6), "F2": 0.7 * r(2, 3, 2), "F1": 0.7 * r(3, 4, 3)}
    words = [(0, 3, 2, 2, 1, 0), (2, 1, 1, 3, 0, 3), (3, 0, 2, 1, 3, 2)]
    letters = np.stack([np.concatenate(hot(*word, size=4))[:, 0] for word in words], axis=1)
    return loss(m.loss_and_gradients, "W F2 F1", X=letters, Y=np.hstack(hot(2, 0, 4)), **weights)


# a framework of students: attention across, in heads, sample by sample backwards --------------------------------------

FRAMEWORK = "naye971012/numpy_transformer"
ATTENTION_FILE = "numpy_functions/commons/multi_head_attention.py"
ACROSS = """

class Across(Multihead_Attention_np):
    def __init__(self):
        super().__init__(4, 5, 5, 6, 2)

    def forward(self, x, memory):
        return super().forward(x, memory, memory)[0]
"""
FRAMEWORK_PARTS = (
    Part("numpy_functions/activations/softmax.py", "softmax_np", module="softmax"),
    Part(
        ATTENTION_FILE,
        "Multihead_Attention_np",
        before="from softmax import softmax_np\n\nINF_MINUS = -100000",
        after=ACROSS,
    ),
)


def across(m):
    r = numbers()
    shapes = {"W_Q": (4, 6), "b_Q": (6,), "W_K": (5, 6), "b_K": (6,), "W_V": (5, 6), "b_V": (6,)}
    weights = {name: 0.7 * r(*shape) for name, shape in shapes.items()}

    def fresh():
        made = m.Across()
        made.params.update(weights)
        return made

    def gradients_of(made, returned):
        found = dict(zip(("x", "memory"), returned, strict=True))
        return found | {name: made.grads[f"d{name}"] for name in weights}

    return layer(fresh, gradients_of, weights=weights, x=r(2, 3, 4), memory=r(2, 4, 5))


# two notebooks without classes: cells that return all gradients, states that are globals ------------------------------

PLAIN = "OT1devl/Deep-Learning"
PLAIN_TAKEN = "sigmoid tanh derv_sigmoid derv_tanh MSE forward_cell forward backward_cell init_grads backward"
PLAIN_WEIGHTS = {
    "GRU": "Uz Wz bz Ur Wr br Uh Wh bh",
    "LSTM": "Uf Wf bf Ui Wi bi Uo Wo bo Ug Wg bg",
}
PLAIN_STATES = {"GRU": "H", "LSTM": "H C"}
PLAIN_GIVEN = {  # the functions that used globals, and how they are called
    "GRU": {
        "forward_cell": ("xt, h_prev", "x[t:t+1], H[t]"),
        "backward_cell": ("xt, h_prev, h_hat, r, z, dh", "xt, h_prev, h_hatt, rt, zt, dh"),
    },
    "LSTM": {
        "forward_cell": ("xt, h_prev, c_prev", "x[t], H[t], C[t]"),
        "backward_cell": (
            "xt, h_prev, c_prev, c_current, candt, ot, it_gate, ft_gate, dh, dc_next",
            "xt, h_prev, c_prev, c_t, candt, ot, it_gate, ft_gate, dh, dc_next",
        ),
    },
}


def plain_part(kind):
    """The functions of a notebook, with the weights, which were globals, and the first states as arguments."""
    states, commas = PLAIN_STATES[kind].split(), PLAIN_WEIGHTS[kind].replace(" ", ", ")
    first = ", ".join(f"{name}0" for name in states)
    edits = [
        ("def forward(x):\n", f"def forward(x, {first}, weights):\n"),
        (
            "def backward(x, y_true, y_pred, learn=True, lr=0.001):\n",
            f"def backward(x, y_true, y_pred, weights, learn=True, lr=0.001):\n    {commas} = weights\n",
        ),
    ]
    for name, (given, called) in PLAIN_GIVEN[kind].items():
        edits.append((f"def {name}({given}):\n", f"def {name}({given}, weights):\n    {commas} = weights\n"))
        edits.append((f"{name}({called})", f"{name}({called}, weights)"))
    for name in states:
        zeros = f"    {name} = np.zeros((T+1, 1, HIDDEN_SIZE))"
        edits.append((zeros, f"{zeros}\n    {name}[0] = {name}0"))
    after = f"""

def loss_and_gradients(x, y, {first}, {commas}):
    weights = {commas}
    out = forward(x, {first}, weights)[:, 0]
    dx, grads = backward(x, y, out, weights, learn=False)
    return MSE(y, out) * HIDDEN_SIZE, dx / len(x), *grads  # of each step's sum the mean
"""
    path = f"Python/only_numpy/no_oop/RNNs/{kind}/{kind}_implementation.ipynb"
    return Part(path, PLAIN_TAKEN, tuple(edits), "HIDDEN_SIZE = 3", after)


def plain(kind):
    def make(m):
        r = numbers()
        shapes = {"U": (4, 3), "W": (3, 3), "b": (1, 3)}
        weights = {name: 0.7 * r(*shapes[name[0]]) for name in PLAIN_WEIGHTS[kind].split()}
        first = {f"{name}0": r(1, 3) for name in PLAIN_STATES[kind].split()}
        return loss(m.loss_and_gradients, f"x {PLAIN_WEIGHTS[kind]}", x=r(5, 4), y=r(5, 3), **first, **weights)

    return make


PLAIN_PUBLISHED = "the loss is a mean over units too; the inputs' gradient is that of the sum, the weights' of the mean"

# a notebook after a course's: an LSTM as a class, time last, all in dicts ---------------------------------------------

UNIT = "oooookk7/machine-learning-a-to-z"
UNIT_EDITS = (
    ("        c = a\n", "        c = np.zeros((a_n, x_m, features_n))\n"),  # see README.md
    ("c_next = np.zeros(a_next.shape)", "c_next = self.c_init"),
)
UNIT_STEPS = """

class Sequence(LSTMUnit):
    def __init__(self):
        super().__init__(4, 2, 3)

    def forward(self, x_time_values, a_init):
        self.x_time_values, self.kept = x_time_values, self.forward_pass(x_time_values, a_init)
        return self.kept["a"], self.kept["c"]

    def backward(self, a_d, c_d):
        self.found = self.backward_pass(self.x_time_values, self.kept["hss"], a_d, c_d)
        return self.found["x_values_d"], self.found["a_prev_d"]
"""
UNIT_WEIGHTS = {
    f"{gate}_{kind}": (3, 7) if kind == "weights" else (3, 1) for gate in "fico" for kind in ("weights", "bias")
}
UNIT_WEIGHTS |= {"c_init": (3, 2)}


def of_unit(made, path):
    return made.found["c_prev_d" if path == "c_init" else f"{path}_d"]


SUBJECTS = [
    Subject(
        GPT,
        "attention",
        HEADS_PARTS,
        object_of("Attention", {f"W{n}": (4, 4) for n in "qkvo"}, "x", prefixed, x=(2, 3, 4)),
    ),
    Subject(
        GPT,
        "GPT",
        GPT_PARTS,
        gpt,
        published="the residuals' gradients go through the normalisations, which stand inside them",
    ),
    Subject(
        COURSE,
        "GRU",
        COURSE_PARTS,
        course,
        published="the reset gate's gradient takes the candidate before for the state; the first step is left out",
    ),
    Subject(
        NAMES,
        "convolution over names",
        NAMES_PARTS,
        names,
        published="the second layer's inputs are taken to be as high as it has filters",
    ),
    Subject(FRAMEWORK, "attention across", FRAMEWORK_PARTS, across),
    *(Subject(PLAIN, kind, (plain_part(kind),), plain(kind), published=PLAIN_PUBLISHED) for kind in ("GRU", "LSTM")),
    Subject(
        UNIT,
        "LSTM",
        (
            Part(
                "08 - Deep Learning/recurrent-neural-network-from-scratch.ipynb",
                "softmax sigmoid LSTMUnit",
                UNIT_EDITS,
                after=UNIT_STEPS,
            ),
        ),
        object_of("Sequence", UNIT_WEIGHTS, "x_time_values a_init", of_unit, x_time_values=(4, 2, 5), a_init=(3, 2)),
        published="the states and the cells are one array, so that the cells are returned for the states",
    ),
]

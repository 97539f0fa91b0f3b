"""Subjects of the fourth set that are whole models: a loss and its gradients."""

import numpy as np

from .functions import characters
from .programs import Given, Part, Subject, copied, loss, numbers


def flat(value, path=""):
    """{path: array} of the arrays in dicts, lists and tuples."""
    if isinstance(value, np.ndarray):
        return {path: value}
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    return {key: array for name, entry in entries for key, array in flat(entry, f"{path} {name}".strip()).items()}


def model(function, weights, **inputs):
    """function(**inputs) -> a loss, then the gradients, in containers like those of the weights."""
    arrays = flat(weights)

    def run():
        return function(**copied(inputs))

    def gradients():
        return dict(zip(arrays, flat(run()[1:]).values(), strict=True))

    return Given(function, None, inputs, arrays, lambda: float(run()[0]), gradients)


def like(value, r):
    """The containers again, with other numbers in the arrays."""
    if isinstance(value, dict):
        return {key: like(entry, r) for key, entry in value.items()}
    return 0.7 * r(*value.shape) if isinstance(value, np.ndarray) else type(value)(like(entry, r) for entry in value)


def hot(*words, size=5):
    """One-hot columns."""
    return list(np.eye(size)[list(words)][:, :, None])


# a cache that is a stack: what was stored last is taken first --------------------------------------------------------

CACHE = "kisate/myLSTM"
PAIRS = "sigmoid tanh sigmoid_grad tanh_grad softmax softmax_grad"
LOSSES = "softmax_cross_entropy_loss softmax_cross_entropy_loss_grad"
FUNCTIONS = Part("functions.py", f"{PAIRS} {LOSSES}", module="ml_functions")
TABLES = f"""from ml_functions import {", ".join(f"{PAIRS} {LOSSES}".split())}

param_names = ["f", "i", "g", "o"]
activation_functions = {{
    "sigmoid": (sigmoid, sigmoid_grad), "tanh": (tanh, tanh_grad), "softmax": (softmax, softmax_grad)
}}
loss_functions = {{"softmax_ce": (softmax_cross_entropy_loss, softmax_cross_entropy_loss_grad)}}"""
CROSS_ENTROPY = """


def cross_entropy(outputs, targets):
    return -sum(np.sum(target * np.log(y)) for y, target in zip(outputs, targets))

"""
TAGGER = (
    CROSS_ENTROPY
    + """
class Tagger(ManyToManyLSTM):
    def loss_and_gradients(self, inp, targets):
        self.initialize_gradients()
        loss = cross_entropy(self.forward(inp), targets)
        self.backprop(np.zeros((self.n_dims_hidden, 1)), np.zeros((self.n_dims_hidden, 1)), list(targets))
        return loss, self.grads
"""
)
TRANSLATOR = (
    CROSS_ENTROPY
    + """
class Translator(DecoderWithEncoder):
    def loss_and_gradients(self, inp, targets):
        self.initialize_gradients()
        self.decoder.dL_dx = np.zeros((self.decoder.n_dims_out, 1))
        loss = cross_entropy(self.forward(inp)[1:], targets)
        self.backprop(list(targets))
        return loss, self.encoder.grads, self.decoder.grads
"""
)


def tagger(m):
    sizes = {"n_dims_in": 5, "n_dims_hidden": 3, "n_dims_out": 5}
    made = m.Tagger(**sizes, output_activation="softmax", loss_func="softmax_ce")
    made.params = like(made.params, numbers(3))
    return model(made.loss_and_gradients, made.params, inp=hot(0, 3, 1), targets=hot(3, 1, 4))


def translator(m):
    made = m.Translator(5, 2, 2, 3, "softmax_ce", "softmax", 4, hot(0)[0])
    r = numbers(3)
    made.encoder.params, made.decoder.params = like(made.encoder.params, r), like(made.decoder.params, r)
    weights = (made.encoder.params, made.decoder.params)
    return model(made.loss_and_gradients, weights, inp=hot(2, 3, 1), targets=hot(3, 1, 4))


BASE = "BaseLSTM LSTMWithOutput"

# a notebook: translation by GRUs, with attention; dicts over time ----------------------------------------------------

ATTENTION = "ahmadrazacdx/seq-modeling-from-scratch"
NAMES = """Wemb Wu_enc Wr_enc Wh_enc Wa Ua va W_bridge Wu_dec Wr_dec Wh_dec Wy
bu_enc br_enc bh_enc b_bridge bu_dec br_dec bh_dec by"""
COMMAS = ", ".join(NAMES.split())
GIVEN = {  # the functions that used globals, and how they are called
    "encoder_step": ("h_prev, word_idx", "enc_ht[t-1], word_idx"),
    "calculate_attention": ("s_prev, enc_matrix", "dec_ht[t-1], enc_matrix"),
    "decoder_step": ("h_prev, word_idx, context_vector", "dec_ht[t-1], word_idx, context"),
    "forward": ("src_inputs, dec_inputs, dec_targets", None),
    "backward": ("src_inputs, dec_inputs, dec_targets, enc_cache, bridge_cache, dec_cache, attn_cache", None),
}
AS_ARGUMENTS = tuple(
    edit
    for name, (given, called) in GIVEN.items()
    for edit in (
        (f"def {name}({given}):\n", f"def {name}({given}, weights):\n    {COMMAS} = weights\n"),
        *([(f"{name}({called})", f"{name}({called}, weights)")] if called else ()),
    )
)
TRANSLATION = f"""

def loss_and_gradients(src_inputs, dec_inputs, dec_targets, {COMMAS}):
    weights = {COMMAS}
    loss, *caches = forward(src_inputs, dec_inputs, dec_targets, weights)
    return (loss, *backward(src_inputs, dec_inputs, dec_targets, *caches, weights))
"""


def attention(m):
    shapes = {"Wemb": (5, 2), "va": (3, 1), "Wy": (5, 3), "by": (5, 1)}
    shapes |= {f"W{g}_enc": (3, 5) for g in "urh"} | {f"W{g}_dec": (3, 8) for g in "urh"}
    r = numbers(3)
    weights = {n: 0.7 * r(*shapes.get(n, (3, 1) if n.startswith("b") else (3, 3))) for n in NAMES.split()}
    words = {"src_inputs": [1, 4, 2], "dec_inputs": [0, 3, 1], "dec_targets": [3, 1, 4]}
    return loss(m.loss_and_gradients, NAMES, **words, **weights)


# trees of words: each node is made of its two children, by a tensor --------------------------------------------------

TREES = "awni/semantic-rntn"
PYTHON3 = (
    ('print "weight rms=%f -- update rms=%f"%(pRMS,dpRMS)', "pass"),
    ('print "Analytic %.9f, Numerical %.9f, Relative Error %.9f"%(dW[i,j,k],numGrad,err)', "pass"),
    ('print "Analytic %.9f, Numerical %.9f, Relative Error %.9f"%(dL[j][i],numGrad,err)', "pass"),
    ("itervalues", "values"),
    ("iterkeys", "keys"),
    ("xrange", "range"),
)
LEAVES = (("deltas *= (1-node.hActs**2)", "deltas *= 1 if node.isLeaf else (1-node.hActs**2)"),)  # see README.md
DENSE = """

class Sentiment(RNN):
    def loss_and_gradients(self, sentences):
        trees = [Tree(sentence) for sentence in sentences]
        for tree in trees:
            leftTraverse(tree.root, nodeFn=mapWords, args={word: k for k, word in enumerate("abcd")})
        cost, (dL, *grads) = self.costAndGrad(trees)
        dense = np.zeros_like(self.L)
        for word, gradient in dL.items():
            dense[:, word] = gradient
        return (cost, dense, *grads)
"""


def sentiment(m):
    made = m.Sentiment(2, 3, 4, mbSize=2, rho=0.1)
    made.initParams()
    made.stack = like(made.stack, numbers(3))
    trees = ["(3 (2 (1 a) (2 b)) (1 (3 c) (2 a)))", "(1 (2 d) (3 (1 b) (2 c)))"]
    return model(made.loss_and_gradients, made.stack, sentences=trees)


# lists of the weights of all layers, counted from the last -----------------------------------------------------------

LAYERS = "ladih/Layered-RNN"
NOT_AN_ALIAS = (  # see README.md
    "        hprevs = self.hidden_states\n\n",
    "        hprevs = list(self.hidden_states)\n\n",
)
LIST_OF_LAYERS = (
    NOT_AN_ALIAS,
    ("        clipthr = 2\n", "        return loss, dW_mats, dbiases\n\n        clipthr = 2\n"),
)
STARTED = """

class Characters(RNN):
    def loss_and_gradients(self, inputs, targets, hprevs):
        self.hidden_states = list(hprevs)
        return self.step(inputs, targets, 0.1, hprevs=1)
"""


def layers(m):
    made, r = m.Characters(5, 5, [3, 2]), numbers(3)
    made.weightmatrices, made.biases = like(made.weightmatrices, r), like(made.biases, r)
    inputs, targets = hot(0, 3, 1), hot(3, 1, 4)
    weights = (made.weightmatrices, made.biases)
    return model(
        made.loss_and_gradients, weights, inputs=inputs, targets=targets, hprevs=[0.5 * r(1, 3), 0.5 * r(1, 2)]
    )


# a course's exercise: characters with an embedding, activations in one tuple -----------------------------------------

KIT = "TimSchopf/LSTM"
KIT_LSTM = "Wex Wf Wi Wo Wc bf bi bo bc Why by"
KIT_ELMAN = "Wex Wxh Whh Why bh by"
BEFORE = "vocab_size, emb_size, hidden_size = 5, 3, 4"


def exercise(path, names, states, edits=()):
    """states: those before the first step, as forward is given them."""
    weights = ", ".join(names.split())
    first = "labels" if "elman" in path else "targets"
    arguments = (
        (f"def forward(inputs, {first}, memory)", f"def forward(inputs, {first}, memory, {weights})"),
        ("def backward(activations, clipping=True)", f"def backward(activations, inputs, {weights}, clipping=True)"),
    )
    memory = ", ".join(states.split())
    after = f"""

def loss_and_gradients(inputs, targets, {memory}, {weights}):
    loss, activations, memory = forward(inputs, targets, ({memory}), {weights})
    return (loss, *backward(activations, inputs, {weights}, clipping=False))
"""
    take = "softmax forward backward" if "elman" in path else "sigmoid dsigmoid dtanh softmax forward backward"
    return (Part(path, take, (*arguments, *edits), BEFORE, after),)


LSTM_SHAPES = {"Wex": (3, 5), "Why": (5, 4), "by": (5, 1)}
LSTM_SHAPES |= {f"W{g}": (4, 7) for g in "fioc"} | {f"b{g}": (4, 1) for g in "fioc"}
ELMAN_SHAPES = {"Wex": (3, 5), "Wxh": (4, 3), "Whh": (4, 4), "Why": (5, 4), "bh": (4, 1), "by": (5, 1)}

# all in the loop of one method: batches, both passes, the update -----------------------------------------------------

LOOP = "raphaelsenn/rnn-lstm-gru-numpy"


def one_batch(loss, results):
    """The edits that end the loop after the backward pass, in the order in which the samples were given."""
    update = "                # update parameters\n"
    ending = f"                loss = {loss}\n                return loss, {', '.join(results.split())}\n\n"
    return (("np.random.permutation(N)", "np.arange(N)"), (update, ending + update))


LAST = one_batch("np.sum((y - z2)**2) / batch_size", "dL_dwih dL_dwhh dL_dw_out dL_dbih dL_dbhh dL_db_out")
ALL = one_batch("-np.sum(y_hot * np.log(h2)) / batch_size", "dht_dwih dht_dwhh d_out_dw dht_dbih dht_dbhh d_out_db")
LOOP_WEIGHTS = "weight_ih weight_hh weight_out bias_ih bias_hh bias_out"


def fit(name, sizes, y):
    def make(m):
        made, r = getattr(m, name)(*sizes), numbers(3)
        weights = {key: 0.7 * r(*getattr(made, key).shape) for key in LOOP_WEIGHTS.split()}
        vars(made).update(weights)
        return model(made.fit, weights, X_train=r(2, 3, 4), y_train=y)

    return make


SUBJECTS = [
    Subject(
        CACHE,
        "tagger",
        (FUNCTIONS, Part("model.py", f"{BASE} ManyToManyLSTM", before=TABLES, after=TAGGER)),
        tagger,
    ),
    Subject(
        CACHE,
        "encoder and decoder",
        (
            FUNCTIONS,
            Part(
                "model.py",
                f"{BASE} LSTMWithEmbeddings Encoder Decoder DecoderWithEncoder",
                before=TABLES,
                after=TRANSLATOR,
            ),
        ),
        translator,
    ),
    Subject(
        ATTENTION,
        "translation",
        (
            Part(
                "seq_2_seq/02_Bahdanau_Attention_NumPy.ipynb",
                f"sigmoid softmax {' '.join(GIVEN)}",
                AS_ARGUMENTS,
                "hidden_size, embed_size, clip_value, epsilon = 3, 2, 1e3, 1e-8",
                TRANSLATION,
            ),
        ),
        attention,
    ),
    Subject(
        TREES,
        "tree",
        (
            Part("tree.py", "Node Tree leftTraverse mapWords", module="tree"),
            Part(
                "rntn.py",
                "RNN",
                (*PYTHON3, *LEAVES),
                "import collections\n\nfrom tree import Tree, leftTraverse, mapWords",
                DENSE,
            ),
        ),
        sentiment,
        published="the gradient of a word's vector is multiplied by the derivative of a tanh that it never passed",
    ),
    Subject(
        LAYERS,
        "two layers",
        (Part("rec_net.py", "RNN", LIST_OF_LAYERS, after=STARTED),),
        layers,
        published="the states before the first step are the same list as those after the last",
    ),
    Subject(
        KIT,
        "LSTM",
        exercise("lstm.py", KIT_LSTM, "hprev cprev", (("np.row_stack", "np.vstack"),)),
        characters("loss_and_gradients", KIT_LSTM, LSTM_SHAPES, "hprev cprev"),
    ),
    Subject(
        KIT,
        "RNN",
        exercise("elman-rnn.py", KIT_ELMAN, "hprev"),
        characters("loss_and_gradients", KIT_ELMAN, ELMAN_SHAPES),
    ),
    Subject(
        LOOP,
        "last state",
        (Part("nn_np/rnn_np.py", "tanh RNN_1FC", LAST),),
        fit("RNN_1FC", (4, 3, 2), numbers(5)(2, 2)),
    ),
    Subject(
        LOOP,
        "all states",
        (Part("nn_np/rnn_np.py", "tanh softmax one_hot RNN_1FC_ALL", ALL),),
        fit("RNN_1FC_ALL", (4, 3, 3, 10), np.array([7, 2])),
    ),
]

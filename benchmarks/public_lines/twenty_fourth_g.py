"""Subjects by owners that begin with S to Z or a digit: RNNs of layers, of single numbers, with a double loop over time
and with states as attributes, an LSTM with private methods, a GRU of matrices, trees, words, graphs, two networks."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of

# a course's GRU step without biases: the way back is a list of seventeen numbered gradients, of vectors as rows, and --
# those of the weights are made with np.matrix; here a cell for every step of a sequence -------------------------------

MATRICES = "ZhaochengD/Tiny-Torch"
MATRICES_WEIGHTS = {name: (5, 5) for name in ("Wzh", "Wrh", "Wh")} | {name: (5, 3) for name in ("Wzx", "Wrx", "Wx")}
MATRICES_LOSS = """

def loss_and_gradients(x, target, h0, Wzh, Wrh, Wh, Wzx, Wrx, Wx):
    state, cells, states = h0, [], []
    for row in x:
        cell = GRU_Cell(3, 5)
        cell.init_weights(Wzh, Wrh, Wh, Wzx, Wrx, Wx)
        state = cell(row, state)
        cells.append(cell)
        states.append(state)
    dx, dh, names = [], np.zeros((1, 5)), ("Wzh", "Wrh", "Wh", "Wzx", "Wrx", "Wx")
    for cell, state, wanted in zip(cells[::-1], states[::-1], target[::-1]):
        d, dh = cell.backward(state - wanted + dh)
        dx.insert(0, d)
    found = [sum(np.asarray(getattr(cell, "d" + name)) for cell in cells) for name in names]
    return 0.5 * np.sum((np.array(states) - target) ** 2), np.concatenate(dx), dh, *found
"""


def matrices(m):
    r = numbers()
    weights = weights_of(r, " ".join(MATRICES_WEIGHTS), *MATRICES_WEIGHTS.values())
    given = {"x": r(4, 3), "target": r(4, 5), "h0": r(5)}
    return loss(m.loss_and_gradients, f"x h0 {' '.join(MATRICES_WEIGHTS)}", **given, **weights)


# a course's RNN that goes back from every step anew, as far as it is told: a loop over steps in a loop over steps; ----
# the state before the first is the array's last row; what it adds up is what is added to the weights ------------------

ANEW = "treszkai/edinburgh-nlu-cw"
ANEW_EDITS = (
    (
        "s = np.zeros((len(x) + 1, self.hidden_dims))",
        "s = np.zeros((len(x) + 1, self.hidden_dims))\n        s[-1] = self.s0",
    ),
)
ANEW_LOSS = """

def loss_and_gradients(x, d, s0, U, V, W):
    rnn = RNN(7, 5, 4)
    rnn.s0, rnn.U, rnn.V, rnn.W = s0, U, V, W
    y, s = rnn.predict(x)
    rnn.acc_deltas_bptt(x, d, y, s, steps=len(x))
    return rnn.compute_loss(x, d), -rnn.deltaU, -rnn.deltaV, -rnn.deltaW
"""


def anew(m):
    r = numbers()
    weights = weights_of(r, "U V W", (5, 5), (5, 7), (4, 5))
    given = {"x": [6, 0, 0, 4, 2, 5], "d": [1, 3, 3, 0, 2, 1], "s0": 1 / (1 + np.exp(-r(5)))}
    return loss(m.loss_and_gradients, "U V W", **given, **weights)


# sentences as trees that are read from brackets: both passes call themselves; nodes keep what they computed, some -----
# have only one child; words' gradients are in a defaultdict with a lambda; two layers and a softmax at the root; ------
# Python 2 -------------------------------------------------------------------------------------------------------------

TREES = "yucca43/NNproject"
TREES_WEIGHTS = {"L": (5, 11), "W1": (5, 10), "b1": (5,), "W2": (7, 5), "b2": (7,), "Ws": (4, 7), "bs": (4,)}
TREES_EDITS = (
    ("print ", "lambda: "),  # from Python 2
    ("itervalues", "values"),
)
TREES_LOSS = """

def loss_and_gradients(sentences, L, W1, b1, W2, b2, Ws, bs):
    trees, words = [Tree(sentence) for sentence in sentences], {word: k for k, word in enumerate([*"abcdefghij", UNK])}
    for tree in trees:
        leftTraverse(tree.root, mapWords, words)
    net = RNN2(5, 7, 4, 11, mbSize=3, rho=0.1)
    net.initParams()
    net.stack = [L, W1, b1, W2, b2, Ws, bs]
    cost, (dL, *gradients) = net.costAndGrad(trees)
    return cost, np.stack([dL[k] for k in range(11)], axis=1), *gradients
"""


def trees(m):
    r = numbers()
    weights = weights_of(r, " ".join(TREES_WEIGHTS), *TREES_WEIGHTS.values())
    sentences = [
        "(2 (N (D a) (N b)) (V (V c) (N (D a) (N j))))",
        "(0 (N (S (D b) (N (N e) (N h)))) (V f))",
        "(3 (N (D g) (N i)) (V (V d) (N elephant)))",
    ]
    return loss(m.loss_and_gradients, " ".join(TREES_WEIGHTS), sentences=sentences, **weights)


# words guessed from the mean of those around them: contexts are lists of different lengths, batches come from a -------
# generator, annotations; vectors of words are changed in place by np.add.at -------------------------------------------

AROUND = "yury-sarosek/word2vec-numpy"
AROUND_EDITS = (
    # so that it adds its gradients up over batches and changes no weight
    ("np.add.at(self.Emb, cur_x, -self.lr * grad)", "np.add.at(self.dEmb, cur_x, grad)"),
    ("self.W -= self.lr * dw2", "self.dW += dw2"),
    # the small number under the logarithm is left out on the way back
    ("np.log(z + 1e-7)", "np.log(z)"),
)
AROUND_LOSS = """

def loss_and_gradients(corpus, Emb, W):
    model = Word2Vec(corpus, vec_size=5, window_size=3, batch_size=4, min_count=2)
    model.Emb, model.W, model.dEmb, model.dW = Emb, W, np.zeros_like(Emb), np.zeros_like(W)
    loss = 0.0
    for X, Y in model._get_batch(shuffle=False):
        cache = model._forward(X)
        loss += model._cross_entropy(cache["prob"][np.arange(len(Y)), Y])
        model._backward(cache, Y)
    return loss, model.dEmb, model.dW
"""


def around(m):
    r = numbers()
    weights = weights_of(r, "Emb W", (7, 5), (5, 7))
    corpus = "the cat saw the dog, and a dog saw a cat, and the mouse saw the dog"
    return loss(m.loss_and_gradients, "Emb W", corpus=corpus, **weights)


# layers that know their layers: an ordered dict that __new__ makes and __setattr__ fills, a property for the loss, a --
# nested function for what is not set; weights learn on the way back; a norm over the batch, squares of the weights ----

BRICKS = "woocoding/Brick"
BRICKS_WEIGHTS = {"w0": (7, 4), "b0": (7, 1), "gamma": (7, 1), "beta": (7, 1), "w1": (3, 7), "b1": (3, 1)}
BRICKS_NORM = (
    # wrong as published: the gradient of the variance has the other sign
    ("dx_norm*0.5*(x-mu)", "dx_norm*-0.5*(x-mu)"),
)
BRICKS_SQUARES = (
    # wrong as published: the loss has the squares of the weights without their factor, the gradients with it
    ("loss = 0.5*loop_layers", "loss = lambd*0.5*loop_layers"),
)
BRICKS_BEFORE = """from batchnorm import BatchNorm
from layer import Layer
from linear import Linear
from loss import CrossEntropyLoss
from softmax import Softmax
from tanh import Tanh"""
BRICKS_LOSS = """

def loss_and_gradients(x, y, w0, b0, gamma, beta, w1, b1):
    before = [weight.copy() for weight in (w0, b0, gamma, beta, w1, b1)]
    first, norm, last = Linear(4, 7), BatchNorm(7), Linear(7, 3)
    first.w, first.b, norm.gamma, norm.beta, last.w, last.b = w0, b0, gamma, beta, w1, b1
    model = Sequantial(first, norm, Tanh(), last, Softmax())
    model.criterion = CrossEntropyLoss("L2", 0.3)
    _, loss = model.update(x, y, alpha=1.0)
    after = first.w, first.b, norm.gamma, norm.beta, last.w, last.b
    return loss, *(old - new for old, new in zip(before, after))
"""


def bricks(m):
    r = numbers()
    weights = weights_of(r, " ".join(BRICKS_WEIGHTS), *BRICKS_WEIGHTS.values())
    given = {"x": r(4, 5), "y": np.eye(3)[:, [2, 0, 1, 1, 2]]}
    return loss(m.loss_and_gradients, " ".join(BRICKS_WEIGHTS), **given, **weights)


# a network with all weights in one vector: layers look at pieces of it and change these in place on the way back; the -
# method for the last layer's delta is put in the place of the others'; np.einsum forwards -----------------------------

PIECES = "sjnarmstrong/numpy-neural-networks"
PIECES_LOSS = """

def loss_and_gradients(inputs, target, weights):
    kinds = [BatchInputNetworkLayer] * 3
    network = NeuralNetwork([3, 7, 5, 4], weights, kinds)
    error = network.backwardPropagate(inputs, target, 1.0)
    return error, weights - network.weights
"""


def pieces(m):
    r = numbers()
    given = {"inputs": r(11, 3), "target": r(11, 4), "weights": 0.7 * r(4 * 7 + 8 * 5 + 6 * 4)}
    return loss(m.loss_and_gradients, "weights", **given)


# a course's RNN layer made of layers: properties, a state that it may keep from the sequence before, matrices whose ---
# last row is the bias; on the way back every layer is handed what it had seen at that step ----------------------------

LAYERED = "sebastianhoefler/NeuralNetworks_from_scratch"
LAYERED_BEFORE = """import copy
from FullyConnected import FullyConnected
from Sigmoid import Sigmoid
from TanH import TanH"""
LAYERED_LAYER = """

class Sequence(RNN):
    def __init__(self):
        super().__init__(3, 5, 7)
        self.memorize = True  # else it starts from zeros
        self.h = np.zeros((5, 5))  # the first state and those of four steps
"""
LAYERED_GRADIENTS = {"fc1.weights": "gradient_weights", "fc2.weights": "gradient_weights_fc2"}


def of_layered(made, path):
    """The sums over time of the gradients are kept by the RNN, not by its layers."""
    return getattr(made, LAYERED_GRADIENTS[path])


# an RNN that learns to spell: words' letters are looked up in a list, states in an attribute that the next word goes --
# on from, gradients in a list -----------------------------------------------------------------------------------------

SPELLING = "TheJaeLal/NumpyRNN"
SPELLING_WEIGHTS = {"Wx": (5, 7), "Wh": (5, 5), "Wy": (7, 5), "bh": (5, 1), "by": (7, 1)}
SPELLING_EDITS = (
    # wrong as published: it goes back in the order of the steps, takes the wanted letters for those that were read, and
    # the last state for the one before the first
    ("range(len(target)):\n\n\t\t\tdy", "reversed(range(len(target))):\n\n\t\t\tdy"),
    ("def backprop(self,h,p,target):", "def backprop(self,h,p,target,sequence,first):"),
    ("one_hot_x[0][target[t]] = 1", "one_hot_x[0][sequence[t]] = 1"),
    ("np.dot(da, h[t-1].T)", "np.dot(da, (h[t-1] if t else first).T)"),
    ("np.clip(gradient,-5,5,out=gradient)", "np.clip(gradient,-5000,5000,out=gradient)"),
)
SPELLING_LOSS = """

def loss_and_gradients(word, state, Wx, Wh, Wy, bh, by):
    network = Network(5, 7)
    vars(network).update(state=state, Wx=Wx, Wh=Wh, Wy=Wy, bh=bh, by=by)
    states, outputs, sequence = network.forward_pass(word, ["<start>", *"abcde", "<end>"])
    target = sequence[1:] + [6]
    cost = calc_cost(outputs, target) * len(target)
    return cost, *network.backprop(states, outputs, target, sequence, state)
"""


def spelling(m):
    r = numbers()
    weights = weights_of(r, " ".join(SPELLING_WEIGHTS), *SPELLING_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SPELLING_WEIGHTS), word="edd", state=r(5, 1), **weights)


# characters through an LSTM that is a class with private methods: a dict of columns for every gate as attributes, the -
# state and the input joined anew for every product, weights' gradients cast to their kind of number; Python 2 ---------

PRIVATE = "tongxueluo/a-simple-LSTM"
PRIVATE_TAKEN = "sigmoid softmax diff_softmax diff_tanh diff_sigmoid char_lstm"
PRIVATE_WEIGHTS = {f"W_hx_{gate}": (5, 12) for gate in ("f", "i", "cbar", "o")} | {"Why": (7, 5)}
PRIVATE_WEIGHTS |= {f"b{gate}": (5, 1) for gate in ("f", "i", "cbar", "o")} | {"by": (7, 1)}
PRIVATE_EDITS = (
    ("xrange", "range"),  # from Python 2
    ("print ", "lambda: "),
    # what is to be as long as the states is made of their dict
    ("np.zeros_like(self.c_s)", "np.zeros_like(self.bf)"),
    ("np.zeros_like(self.h_s)", "np.zeros_like(self.bf)"),
    # wrong as published: the gradient of a cell lacks that of the output, and what goes back to the state before goes
    # through the weights' gradients, not through the weights, and through a sigmoid, not through the gates' slopes
    ("diff_c = self.o_s[t]*", "diff_c = diff_h*self.o_s[t]*"),
    *(
        (f"np.dot(diff_Whx{gate}[:, 0:len(self.h_s[t])], ", f"np.dot(self.W_hx_{gate}[:, 0:len(self.h_s[t])].T, ")
        for gate in ("f", "i", "cbar", "o")
    ),
    ("diff_f*sigmoid(self.f_s[t])", "diff_f*diff_sigmoid(self.f_s[t])"),
    ("diff_i*sigmoid(self.i_s[t])", "diff_i*diff_sigmoid(self.i_s[t])"),
    ("diff_o*sigmoid(self.i_s[t])", "diff_o*diff_sigmoid(self.o_s[t])"),
    ("diff_cbar*sigmoid(self.cbar_s[t])", "diff_cbar*diff_tanh(self.cbar_s[t])"),
    (", -5, 5,", ", -5000, 5000,"),
)
PRIVATE_LOSS = f"""

def loss_and_gradients(inputs, targets, hidden_prev, cell_prev, {", ".join(PRIVATE_WEIGHTS)}):
    lstm = char_lstm(5, len(inputs))
    lstm.vocab_size = 7
    vars(lstm).update(zip({list(PRIVATE_WEIGHTS)}, ({", ".join(PRIVATE_WEIGHTS)})))
    lstm._char_lstm__forward_propagate(inputs, hidden_prev, cell_prev)
    return lstm._char_lstm__backpropagate(targets)[:-2]
"""


def private(m):
    r = numbers()
    weights = weights_of(r, " ".join(PRIVATE_WEIGHTS), *PRIVATE_WEIGHTS.values())
    given = {"inputs": [4, 0, 0, 6], "targets": [0, 0, 6, 2], "hidden_prev": r(5, 1), "cell_prev": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(PRIVATE_WEIGHTS), **given, **weights)


# an Elman network for teaching, in which every product is a loop over single numbers; the bias is taken off, arrays ---
# have one row more for the first state, weights change by so much at every step of every sequence ---------------------

SINGLE = "sydney-machine-learning/Elman-RNN-python"
SINGLE_WEIGHTS = {"W1": (3, 5), "B1": (5,), "W2": (5, 4), "B2": (4,), "StateW": (5, 5)}
SINGLE_EDITS = (
    (
        "self.StateOut = np.ones(self.Top[1])\n            self.ErL1",
        "self.StateOut = self.first\n            self.ErL1",
    ),
    # wrong as published: a sequence is paired with what is wanted of the one before it, what the output layer learns is
    # taken once for every step, and weights change while it still goes back through them; here changes are added up
    ("self.Train_y[i-1]", "self.Train_y[i]"),
    ("self.W2[x][y] += tmpoo", "self.dW2[x][y] += (slide == Endslide) * tmpoo"),
    ("self.B2[y] += topbias", "self.dB2[y] += (slide == Endslide) * topbias"),
    ("self.W1[x][y] +=", "self.dW1[x][y] +="),
    ("self.StateW[x][y] +=", "self.dStateW[x][y] +="),
    ("self.B1[y] +=", "self.dB1[y] +="),
)
SINGLE_LOSS = """

def loss_and_gradients(sequences, wanted, first, W1, B1, W2, B2, StateW):
    network = Network(1.0, [3, 5, 4], sequences, wanted, None, None)
    network.first = first
    for name, weight in {"W1": W1, "B1": B1, "W2": W2, "B2": B2, "StateW": StateW}.items():
        setattr(network, name, weight)
        setattr(network, "d" + name, np.zeros(weight.shape))
    network.BPTT()
    fx = network.evaluate_proposal(sequences)
    loss = -np.sum(wanted * np.log(fx) + (1 - wanted) * np.log(1 - fx))
    return loss, -network.dW1, -network.dB1, -network.dW2, -network.dB2, -network.dStateW
"""


def single(m):
    r = numbers()
    weights = weights_of(r, " ".join(SINGLE_WEIGHTS), *SINGLE_WEIGHTS.values())
    sequences = [r(4, 3), r(5, 3), r(3, 3)]
    given = {"sequences": sequences, "wanted": (r(3, 4) > 0) * 1.0, "first": 1 / (1 + np.exp(-r(5)))}
    return loss(m.loss_and_gradients, " ".join(SINGLE_WEIGHTS), **given, **weights)


# a network that makes images and one that judges them: gradients of every sample apart, by products of three axes, ----
# and taken off the weights one after another; slopes asked for with an argument, a rectifier that changes what it is --
# given ----------------------------------------------------------------------------------------------------------------

JUDGED = "victorhzhao/GAN-with-pure-numpy"
JUDGED_MAKER = {"g_W0": (4, 7), "g_b0": (7,), "g_W1": (7, 13), "g_b1": (13,)}
JUDGED_JUDGE = {"d_W0": (13, 5), "d_b0": (5,), "d_W1": (5, 1), "d_b1": (1,)}
JUDGED_NAMES = [*JUDGED_MAKER, *JUDGED_JUDGE]
JUDGED_EDITS = (
    ("(self.batch_size, 28, 28)", "(self.batch_size, 13)"),  # so that images may be small
    # wrong as published: the judge's gradients for real images are made with what it computed of the others
    *(
        (f"self.d_h0_{kind}{between}{after}", f"self.real_h0_{kind}{between}{after}")
        for kind, between, after in (
            ("a", ", axis=-1)\n\t\tloss_deriv_ = np.expand_dims(loss_deriv, axis=1)\n\t\t", "grad_real_W1"),
            ("l", ", derivative=True)\n\t\tprev_layer = np.expand_dims(", "real_input"),
        )
    ),
)
JUDGED_LOSS = f"""

def networks({", ".join(JUDGED_NAMES)}):
    gan = GAN.__new__(GAN)
    gan.batch_size, gan.learning_rate = 3, 1.0
    vars(gan).update(zip({JUDGED_NAMES}, ({", ".join(JUDGED_NAMES)})))
    return gan


def maker(z, {", ".join(JUDGED_NAMES)}):
    gan = networks({", ".join(JUDGED_NAMES)})
    _, image = gan.generator(z)
    logit, output = gan.discriminator(image)
    gan.backprop_gen(logit, output, image)
    changes = {", ".join(f"{name} - gan.{name}" for name in JUDGED_MAKER)}
    return np.sum(-np.log(output + epsilon)), *changes


def judge(real, z, {", ".join(JUDGED_NAMES)}):
    gan = networks({", ".join(JUDGED_NAMES)})
    _, fake = gan.generator(z)
    real_logit, real_output = gan.discriminator(real)
    gan.real_h0_l, gan.real_h0_a = gan.d_h0_l, gan.d_h0_a
    fake_logit, fake_output = gan.discriminator(fake)
    gan.backprop_dis(real_logit, real_output, real, fake_logit, fake_output, fake)
    changes = {", ".join(f"{name} - gan.{name}" for name in JUDGED_JUDGE)}
    return np.sum(-np.log(real_output + epsilon) - np.log(1 - fake_output + epsilon)), *changes
"""
JUDGED_PARTS = (
    Part("utils.py", "sigmoid lrelu tanh", module="utils"),
    Part("gan.py", "GAN", JUDGED_EDITS, "from utils import *\n\nepsilon = 10e-8", JUDGED_LOSS),
)


def judged(name, learnt):
    """A maker of one of the two networks' loss with the gradients of its own weights."""

    def make(m):
        r = numbers()
        shapes = JUDGED_MAKER | JUDGED_JUDGE
        weights = weights_of(r, " ".join(shapes), *shapes.values())
        given = {"z": r(3, 4)} | ({"real": r(3, 13)} if name == "judge" else {})
        return loss(getattr(m, name), " ".join(learnt), **given, **weights)

    return make


# words and those beside them, against words drawn by chance: plain functions with types of their own; equal words are -
# sorted together, their changes added up by np.add.reduceat and put on the vectors in place ---------------------------

SORTED = "65456u/word2vec-numpy"
SORTED_TAKEN = (
    "forward_skipgram_negative_sampling compute_sgns_loss apply_sparse_updates"
    " apply_negative_sparse_updates train_batch"
)
# wrong as published: the loss is the mean over the pairs, what the vectors change by is the sum
SORTED_EDITS = (("return np.mean(loss)", "return np.sum(loss)"),)
SORTED_LOSS = """

def loss_and_gradients(center_ids, context_ids, negative_ids, w_in, w_out):
    before = w_in.copy(), w_out.copy()
    loss = train_batch(center_ids, context_ids, negative_ids, w_in, w_out, 1.0)
    return loss, before[0] - w_in, before[1] - w_out
"""


def sorted_words(m):
    r = numbers()
    given = {
        "center_ids": np.array([3, 10, 3, 7]),
        "context_ids": np.array([10, 0, 5, 0]),
        "negative_ids": np.array([[1, 1, 6], [5, 2, 9], [1, 0, 4], [8, 9, 9]]),
    }
    return loss(m.loss_and_gradients, "w_in w_out", **given, w_in=0.7 * r(11, 5), w_out=0.7 * r(11, 5))


# a graph of variables and operators that know each other by name in a global dict: what is asked for its value asks ---
# its parents, what is asked for its gradient its children; convolution by columns, a slope that changes in place what -
# came -----------------------------------------------------------------------------------------------------------------

GRAPH = "wuziheng/CNN-Numpy"
GRAPH_WEIGHTS = {"conv": (3, 3, 4, 7), "conv_bias": (7,), "full": (140, 3), "full_bias": (3,)}
GRAPH_SCOPE = """import math

GLOBAL_VARIABLE_SCOPE = {}


def initializer(shape, kind):
    return np.zeros(shape)"""
GRAPH_EDITS = (
    # from Python 2
    ("GLOBAL_VARIABLE_SCOPE.has_key(name)", "name in GLOBAL_VARIABLE_SCOPE"),
    (" / stride", " // stride"),
)
GRAPH_LOSS = """

def loss_and_gradients(x, y, conv, conv_bias, full, full_bias):
    GLOBAL_VARIABLE_SCOPE.clear()
    image, label = Variable([5, 6, 7, 4], "image"), Variable([5, 1], "label")
    first = Conv2D([3, 3, 4, 7], image, "conv", 1, "VALID")
    last = FullyConnect(3, LRelu(first.output_variables, "bent").output_variables, "full")
    ends = SoftmaxLoss(last.output_variables, label, "ends")
    image.data, label.data = x, y
    first.weights.data, first.bias.data, last.weights.data, last.bias.data = conv, conv_bias, full, full_bias
    loss = ends.loss.eval()
    dx = image.diff_eval()
    return np.sum(loss), dx, first.weights.diff, first.bias.diff, last.weights.diff, last.bias.diff
"""


def graph(m):
    r = numbers()
    weights = {name: 0.3 * r(*shape) for name, shape in GRAPH_WEIGHTS.items()}
    given = {"x": r(5, 6, 7, 4), "y": np.array([[0], [2], [2], [1], [0]])}
    return loss(m.loss_and_gradients, f"x {' '.join(GRAPH_WEIGHTS)}", **given, **weights)


# a GRU that never goes back: the Jacobian of the state by every weight is carried along with the steps, as matrices ---
# blown up by np.kron; cells of a class in the class, static methods under two decorators; the last step's loss --------

CARRIED = "SunnyXia3579/Self-Made-RNN-GRU"
CARRIED_GATES = {f"u{gate}": (5, 3) for gate in "hrz"} | {f"w{gate}": (5, 5) for gate in "hrz"}
CARRIED_WEIGHTS = CARRIED_GATES | {f"b{gate}": (5, 1) for gate in "hrz"} | {"v": (3, 5), "bo": (3, 1)}
CARRIED_BEFORE = """def jit(**options):
    return lambda function: function"""
CARRIED_CANDIDATE = "gru_cell[i].ht = Gru.GruCell.tanh(self.uh @ gru_cell[i].xt + self.wh @ "
CARRIED_EDITS = (
    # wrong as published: all cells are one and the same,
    (
        "gru_cell = [Gru.GruCell(self)] * (time_step + pre_step)",
        "gru_cell = [Gru.GruCell(self) for _ in range(time_step + pre_step)]\n        gru_cell[0].st = self.first",
    ),
    # the candidate is made without the reset gate, though its slopes are those of one with it, which has to come later
    (f"{CARRIED_CANDIDATE}gru_cell[i-1].st + self.bh)", "pass"),
    (
        " @ gru_cell[i-1].st + self.bz)\n",
        " @ gru_cell[i-1].st + self.bz)\n"
        f"            {CARRIED_CANDIDATE}(gru_cell[i].rt * gru_cell[i-1].st) + self.bh)\n",
    ),
    # and in those slopes the gate and the state stand for rows in place of columns
    ("np.kron(np.ones((1, self.n)), gru_cell[i].rt) * self.wh", "gru_cell[i].rt.T * self.wh"),
    ("np.kron(np.ones((1, self.n)), gru_cell[i-1].st) * self.wh", "gru_cell[i-1].st.T * self.wh"),
    ("print(max(", "(max("),
)
CARRIED_LOSS = f"""

def loss_and_gradients(series, first, {", ".join(CARRIED_WEIGHTS)}):
    gru, names = Gru(), {list(CARRIED_WEIGHTS)}
    vars(gru).update(m=3, n=5, p=3, input_mat=series, first=first)
    before = dict(zip(names, ({", ".join(CARRIED_WEIGHTS)})))
    vars(gru).update(before)
    loss, cells = gru.forward_propagate(4, 1, 1, "train")
    gru.back_propagate(cells, 1, 1.0, 0.0)
    return loss, *(before[name] - getattr(gru, name) for name in names)
"""


def carried(m):
    r = numbers()
    weights = weights_of(r, " ".join(CARRIED_WEIGHTS), *CARRIED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(CARRIED_WEIGHTS), series=r(3, 5), first=r(5, 1), **weights)


SUBJECTS = [
    Subject(
        MATRICES,
        "GRU",
        (
            Part("deep_op/activation.py", "Activation Sigmoid Tanh", module="activation"),
            Part("deep_op/gru_cell.py", "GRU_Cell", (), "from activation import *", MATRICES_LOSS),
        ),
        matrices,
    ),
    Subject(
        ANEW,
        "RNN",
        (
            Part("code/rnnmath.py", "sigmoid softmax grad make_onehot", module="rnnmath"),
            Part("code/rnn.py", "RNN", ANEW_EDITS, "from rnnmath import *", ANEW_LOSS),
        ),
        anew,
    ),
    Subject(
        TREES,
        "tree",
        (
            Part("tree.py", "Node Tree leftTraverse mapWords", (), 'UNK = "UNK"', module="tree"),
            Part(
                "rnn2deep.py",
                "RNN2",
                TREES_EDITS,
                "import collections\nfrom tree import *",
                TREES_LOSS,
            ),
        ),
        trees,
    ),
    Subject(
        AROUND,
        "word vectors",
        (Part("w2v.py", "Word2Vec", AROUND_EDITS, "import re\nfrom collections import Counter", AROUND_LOSS),),
        around,
        published="leaves out backwards a small number that is added under the logarithm",
    ),
    Subject(
        BRICKS,
        "layers",
        (
            Part("loss.py", "LossFunc CrossEntropyLoss regularization", BRICKS_SQUARES, module="loss"),
            Part("utils.py", "EWMA", module="utils"),
            Part(
                "layers/layer.py",
                "Layer",
                (),
                "from collections import OrderedDict\nfrom loss import LossFunc",
                module="layer",
            ),
            Part("layers/linear.py", "Linear", (), "from layer import Layer", module="linear"),
            Part(
                "layers/batchnorm.py",
                "BatchNorm",
                BRICKS_NORM,
                "from layer import Layer\nfrom utils import EWMA",
                module="batchnorm",
            ),
            Part("layers/tanh.py", "Tanh", (), "from layer import Layer", module="tanh"),
            Part("layers/softmax.py", "Softmax", (), "from layer import Layer", module="softmax"),
            Part("layers/sequential.py", "Sequantial", (), BRICKS_BEFORE, BRICKS_LOSS),
        ),
        bricks,
        published="the gradient of the norm's variance has the wrong sign, and the loss lacks the squares' factor",
    ),
    Subject(
        PIECES,
        "network in one vector",
        (Part("Classes/NeuralNetworkClass.py", "BatchInputNetworkLayer NeuralNetwork", after=PIECES_LOSS),),
        pieces,
    ),
    Subject(
        LAYERED,
        "RNN",
        (
            Part("Layers/Base.py", "BaseLayer", module="Base"),
            Part(
                "Layers/FullyConnected.py",
                "FullyConnected",
                (),
                "from Base import BaseLayer",
                module="FullyConnected",
            ),
            Part("Layers/TanH.py", "TanH", module="TanH"),
            Part("Layers/Sigmoid.py", "Sigmoid", module="Sigmoid"),
            Part("Layers/RNN.py", "RNN", (), LAYERED_BEFORE, LAYERED_LAYER),
        ),
        object_of(
            "Sequence",
            {"fc1.weights": (9, 5), "fc2.weights": (6, 7)},
            "input_tensor",
            of_layered,
            {"h_prev": (5,)},
            input_tensor=(4, 3),
        ),
    ),
    Subject(
        SPELLING,
        "RNN",
        (Part("RNN.py", "calc_cost softmax Network", SPELLING_EDITS, after=SPELLING_LOSS),),
        spelling,
        published="goes back in the order of the steps, and takes the wanted letters for those that were read",
    ),
    Subject(
        PRIVATE,
        "LSTM",
        (Part("char_lstm.py", PRIVATE_TAKEN, PRIVATE_EDITS, after=PRIVATE_LOSS),),
        private,
        published="the gradient of a cell lacks that of the output, and that of the state before does not go through "
        "the weights",
    ),
    Subject(
        SINGLE,
        "Elman network",
        (Part("Elman_RNN/Elman_RNN.py", "Network", SINGLE_EDITS, "Epoch, weightdecay = 1, 0.0", SINGLE_LOSS),),
        single,
        published="weights change while it still goes back through them, and those of the output once for every step",
    ),
    Subject(JUDGED, "maker of images", JUDGED_PARTS, judged("maker", JUDGED_MAKER)),
    Subject(
        JUDGED,
        "judge of images",
        JUDGED_PARTS,
        judged("judge", JUDGED_JUDGE),
        published="takes what was computed of the made images for what was computed of the real ones",
    ),
    Subject(
        SORTED,
        "word vectors",
        (
            Part("utils.py", "sigmoid log_sigmoid", module="utils"),
            Part("word2vec.py", SORTED_TAKEN, SORTED_EDITS, "from utils import log_sigmoid, sigmoid", SORTED_LOSS),
        ),
        sorted_words,
        published="the loss is a mean over pairs, the gradients are sums",
    ),
    Subject(
        GRAPH,
        "graph",
        (
            Part("tensor/Variable.py", "Variable", (), GRAPH_SCOPE, module="Variable"),
            Part(
                "tensor/Operator.py",
                "Operator Conv2D FullyConnect SoftmaxLoss register_graph im2col",
                GRAPH_EDITS,
                "from functools import reduce\nfrom Variable import GLOBAL_VARIABLE_SCOPE, Variable",
                module="Operator",
            ),
            Part(
                "tensor/Activation.py",
                "LRelu",
                (),
                "from Operator import *\nfrom Variable import GLOBAL_VARIABLE_SCOPE, Variable",
                GRAPH_LOSS,
            ),
        ),
        graph,
    ),
    Subject(
        CARRIED,
        "GRU",
        (Part("GRU/main.py", "Gru", CARRIED_EDITS, CARRIED_BEFORE, CARRIED_LOSS),),
        carried,
        published="all cells are one, the candidate is made without the reset gate, and in its slopes rows stand for "
        "columns",
    ),
]

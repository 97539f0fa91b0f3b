"""Subjects by owners that begin with O to Z: an LSTM that translates, a Turing machine, an RNN with a tree of words,
convolutions in loops, a net whose filters are lists, word vectors, normalised batches with a hinge loss."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an LSTM that reads and one that writes, in batches; what is read reaches the other one by its last states ------------

WRITER = "Sendy45/NeuralNetworkFromScratch"
WRITER_GATES = {
    f"{kind}{gate}{w}": shape
    for kind in "ed"
    for gate in "fioc"
    for w, shape in (("x", (3, 5)), ("h", (5, 5)), ("b", (1, 5)))
}
WRITER_WEIGHTS = {"E": (7, 3), "D": (7, 3), "W": (5, 7), "b": (1, 7)} | WRITER_GATES
WRITER_EDITS = (
    # first states that are not zero
    ("self.encoder.forward(enc_emb)", "self.encoder.forward(enc_emb, self.h0, self.c0)"),
)
WRITER_LAYERS = "neuralnetworknumpy/layers/"
WRITER_PAIR = """


def run(X, y, h0, c0, **weights):
    net = Seq2Seq(7, 3, 5, "LSTM")
    net.h0, net.c0 = h0, c0
    for layer, name in ((net.encoder_embedding, "E"), (net.decoder_embedding, "D")):
        layer.W, layer.dW = weights[name], np.zeros((7, 3))
    net.out_proj.W, net.out_proj.b = weights["W"], weights["b"]
    for lstm, kind in ((net.encoder, "e"), (net.decoder, "d")):
        for gate in "fioc":
            for name, w in ((f"W_{gate}x", "x"), (f"W_{gate}h", "h"), (f"b_{gate}", "b")):
                setattr(lstm, name, weights[kind + gate + w])
    return net.forward((X, y)), net


def back(dA, net):
    net.backward(dA)
    grads = [net.encoder_embedding.dW, net.decoder_embedding.dW, net.out_proj.dW, net.out_proj.db]
    for lstm in (net.encoder, net.decoder):
        for gate in "fioc":
            grads += [getattr(lstm, f"dW_{gate}x"), getattr(lstm, f"dW_{gate}h"), getattr(lstm, f"db_{gate}")]
    return tuple(grads)
"""


def writer(m):
    r = numbers()
    weights = weights_of(r, " ".join(WRITER_WEIGHTS), *WRITER_WEIGHTS.values())
    given = {"X": np.array([[2, 6, 0, 2], [5, 1, 3, 3]]), "y": np.array([[4, 2, 6], [3, 3, 0]])}
    given |= {"h0": 0.5 * r(2, 5), "c0": r(2, 5)}
    return pair(m.run, m.back, " ".join(WRITER_WEIGHTS), **given, **weights)


# a Turing machine: an LSTM that reads and writes a memory by attention; all that recurs keeps what it saw in a stack --

TURING = "thtrieu/essence"
TURING_HEAD = {"k": 5, "b": 1, "i": 1, "r": 3, "s": 1}
TURING_GATES = {f"control_{gate}": (12, 4) for gate in "fiog"}
TURING_GATES |= {f"{head}_{gate}": (4, size) for head in ("read", "write") for gate, size in TURING_HEAD.items()}
TURING_GATES |= {"memory_f": (4, 5), "memory_a": (4, 5), "out": (4, 2)}
TURING_WEIGHTS = {f"{name}{w}": shape[w == "B" :] for name, shape in TURING_GATES.items() for w in "WB"}
TURING_ACTIVATIONS = (
    # wrong as published: what goes into the softplus has the wrong sign
    ("np.log(1 + np.exp(-x))", "np.log(1 + np.exp(x))"),
)
# wrong as published: the state is never passed on
TURING_EDITS = (("c, h_new, w_read, w_write, \\", "c, h, w_read, w_write, \\"),)
TURING_RECURRING = """from activations import *
from module import Module


def xavier(shape):
    return np.zeros(shape)


def guass(mean, deviation, shape):
    return np.zeros(shape)"""
TURING_BEFORE = """from module import Module
from rnn_step import ntm_step


def nxshape(volume, shape):
    return (len(volume), *shape)"""
TURING_PAIR = """

from slot import VariableSlot


class Server:
    def __init__(self):
        self.slots = []

    def issue_var_slot(self, val, trainable):
        self.slots.append(VariableSlot(val, trainable))
        return self.slots[-1]


def run(x, memory, **weights):
    server = Server()
    machine = turing(server, (None, 3), 2, 6, 5, 4)
    machine._mem = memory
    for slot, weight in zip(server.slots, weights.values(), strict=True):
        slot.assign(weight)
    return machine.forward(x), (machine, server)


def back(grad, cache):
    machine, server = cache
    return machine.backward(grad), *(slot.grad for slot in server.slots)
"""


def machine(m):
    r = numbers()
    weights = weights_of(r, " ".join(TURING_WEIGHTS), *TURING_WEIGHTS.values())
    weights |= {"read_sB": np.array([1.4]), "write_sB": np.array([1.7])}  # so that what sharpens is not cut off
    return pair(m.run, m.back, "x " + " ".join(TURING_WEIGHTS), x=r(2, 4, 3), memory=r(6, 5), **weights)


# an RNN whose words are the leaves of a tree: a word is the way to it, with a sigmoid at each node; weights decay -----

LEAVES = "PDFangeltop1/cs224d"
LEAVES_WEIGHTS = {"H": (5, 5), "W": (5, 5), "L": (6, 5), "U": (6, 5)}
LEAVES_TREE = (
    # Python 2
    ("(l+r)/2", "(l+r)//2"),
    # arrays are compared with nothing
    (".grad == None", ".grad is None"),
)
LEAVES_EDITS = (
    # Python 2
    ('print "', '"'),
    (".grad == None", ".grad is None"),
    # first states that are not zero
    ("hs = np.zeros((ns+1, self.hdim))", "hs = np.zeros((ns+1, self.hdim))\n        hs[0] = self.h0"),
    ("hs = np.zeros((ns+1,self.hdim))", "hs = np.zeros((ns+1, self.hdim))\n        hs[0] = self.h0"),
)
LEAVES_BEFORE = """from types import SimpleNamespace

from numpy import ndarray, random
from trees import HierarchicalSoftmaxTree, make_onehot, sigmoid, sigmoidGrad, softmax


def random_weight_matrix(m, n):
    return np.zeros((m, n))


class NNBase:
    def __init__(self, dims, sparse):
        self.params, self.grads, self.sparams, self.sgrads = (
            SimpleNamespace(**{name: np.zeros(shape) for name, shape in shapes.items()})
            for shapes in (dims, dims, sparse, sparse)
        )"""
# the loss takes the weights of the nodes that have a gradient: the gradient is asked for first
LEAVES_LOSS = """


def nodes_of(node):
    return [] if node.isLeaf else [node, *nodes_of(node.left), *nodes_of(node.right)]


def loss_and_gradients(xs, ys, h0, H, W, L, U):
    total, found = 0, [0] * 4
    for x, y, first in zip(xs, ys, h0):
        rnn = ExtensionRNNLM(L)
        rnn.lreg, rnn.bptt, rnn.h0 = 0.1, len(x), first
        rnn.params.H, rnn.params.W = H, W
        nodes = nodes_of(rnn.hierarchicalU.root)
        for node, weight in zip(nodes, U, strict=True):
            node.hActs = weight
        rnn._acc_grads(x, y)
        total += rnn.compute_seq_loss(x, y)
        of_nodes = [np.zeros(5) if node.grad is None else node.grad for node in nodes]
        grads = rnn.grads.H, rnn.grads.W, rnn.sgrads.L, np.array(of_nodes)
        found = [before + grad for before, grad in zip(found, grads)]
    return total, *found
"""


def leaves(m):
    r = numbers()
    weights = weights_of(r, " ".join(LEAVES_WEIGHTS), *LEAVES_WEIGHTS.values())
    given = {"xs": [[2, 5, 0, 5], [1, 1, 3]], "ys": [[5, 0, 5, 4], [1, 3, 2]], "h0": r(2, 5)}
    return loss(m.loss_and_gradients, " ".join(LEAVES_WEIGHTS), **given, **weights)


# convolutions in loops over all of a picture: layers know the one before, what each one was is in a list of caches ----

CACHES = "tdard/Numpy-CNN"
CACHES_WEIGHTS = {"K1": (3, 2, 2, 2), "k1": (3, 1, 1, 1), "K2": (4, 2, 2, 3), "k2": (4, 1, 1, 1)}
CACHES_WEIGHTS |= {"W1": (5, 16), "w1": (5, 1), "W2": (3, 5), "w2": (3, 1)}
CACHES_CONV = (
    # a bias is a number, not an array of one
    ("float(self.bias[f, ...])", "self.bias[f, 0, 0, 0]"),
    # wrong as published: a place is compared with the size of the kernel, not its distance
    ("or i >= k or", "or i - i_prime >= k or"),
    ("or j >= k)", "or j - j_prime >= k)"),
)
# wrong as published: what comes back is not transposed
CACHES_DENSE = (("np.reshape(dA, (-1, H, W, C))", "np.reshape(dA_prev, (-1, H, W, C))"),)
CACHES_UTILS = (
    "initialize_weights initialize_weights_conv zero_pad get_pad_from_string relu softmax sigmoid activate "
    "activation_derivative"
)
CACHES_LOSS = f"""


def loss_and_gradients(X, Y, {", ".join(CACHES_WEIGHTS)}):
    first = Conv2DLayer(None, 3, 2, 1, "valid", "relu", input_shape=(None, 5, 5, 2))
    pool = Pooling2DLayer(first, 2, 1)
    second = Conv2DLayer(pool, 4, 2, 1, "valid", "sigmoid")
    flat = FlattenLayer(second)
    dense = DenseLayer(flat, 5, "relu")
    last = DenseLayer(dense, 3, "sigmoid")
    for layer, weights, bias in ((first, K1, k1), (second, K2, k2), (dense, W1, w1), (last, W2, w2)):
        layer.weights, layer.bias = weights, bias
    cost, found = Model([first, pool, second, flat, dense, last]).compute_cost(X, Y)
    return cost, *(grad for grads in found for grad in grads)
"""


def caches(m):
    r = numbers()
    weights = weights_of(r, " ".join(CACHES_WEIGHTS), *CACHES_WEIGHTS.values())
    given = {"X": r(2, 5, 5, 2), "Y": np.array([[1, 0], [0, 1], [1, 1]])}
    return loss(m.loss_and_gradients, " ".join(CACHES_WEIGHTS), **given, **weights)


# convolutions with steps for one picture: a net is a list of numbers, filters are lists in a list ---------------------

FILTERS = "yangkt/NumPy-CNN"
FILTERS_WEIGHTS = {"F1": (3, 2, 3, 2), "F2": (4, 3, 2, 3), "V": (5, 4, 2, 3)}
# nothing is compiled
FILTERS_JIT = "def jit(function):\n    return function"
FILTERS_EDITS = (
    # arrays of all shapes do not go into one
    ("np.array(layers)", "layers"),
    ("np.array(hidden)", "hidden"),
    # the gradient of the picture is kept
    ("return adj_matrix", "return adj_matrix, prev_gd"),
)
FILTERS_LOSS = """


def loss_and_gradients(images, targets, F1, F2, V):
    cnn = CNN([2, 5, (2, (7, 8)), (3, (3, 2), 1), (4, (2, 3), 2)])
    cnn.layers = [list(F1), list(F2), list(V)]
    total, found, back = 0, [0] * 3, []
    for image, target in zip(images, targets):
        hidden, logit, soft = cnn.forward_pass(image)
        total += cnn.loss_fx(target, soft)
        grads, grad = cnn.backward_propegation(target, soft, hidden, logit)
        found = [before + np.array(one) for before, one in zip(found, grads)]
        back.append(grad)
    return total, np.array(back), *found
"""


def filters(m):
    r = numbers()
    weights = weights_of(r, " ".join(FILTERS_WEIGHTS), *FILTERS_WEIGHTS.values())
    given = {"images": r(2, 2, 7, 8), "targets": np.array([[0, 0, 0, 1, 0], [0.2, 0.1, 0.4, 0, 0.3]])}
    return loss(m.loss_and_gradients, "images " + " ".join(FILTERS_WEIGHTS), **given, **weights)


# word vectors with words that are drawn: a pair at a time, learned from at once ---------------------------------------

PAIRS = "omikayelyan98/word2vec-numpy"
# it learns at once: the difference is the gradient; the same words are drawn each time
PAIRS_LOSS = """


def loss_and_gradients(pairs, W_in, W_out):
    noise, total, found = np.arange(1, 8) / 28, 0, [0, 0]
    for k, (center, context) in enumerate(pairs):
        model = Word2Vec(7, 5, noise, 4, 1.0)
        model.W_in, model.W_out = W_in.copy(), W_out.copy()
        np.random.seed(k)
        total += model.update(center, context)
        found = [found[0] + W_in - model.W_in, found[1] + W_out - model.W_out]
    return total, *found
"""


def pairs(m):
    r = numbers()
    weights = weights_of(r, "W_in W_out", (7, 5), (7, 5))
    return loss(m.loss_and_gradients, "W_in W_out", pairs=[(2, 6), (2, 0), (5, 3)], **weights)


# normalised batches, what is dropped, and a hinge loss that knows its model; comments in Russian ----------------------

HINGE = "vvubbalubba/Numpy-NN-Framework"
HINGE_WEIGHTS = {"W1": (5, 7), "b1": (7,), "gamma1": (7,), "beta1": (7,), "W2": (7, 6), "b2": (6,)}
HINGE_WEIGHTS |= {"gamma2": (6,), "beta2": (6,), "W3": (6, 3), "b3": (3,)}
HINGE_NORM = (
    # wrong as published: the derivative by the deviation lacks its sign
    ("(-self.tmp_std) ** (-2)", "-self.tmp_std ** (-2)"),
)
HINGE_LOSS_EDITS = (("dtype=np.float16", "dtype=np.float64"),)
# the gradient of what comes in is kept
HINGE_SEQUENTIAL = (
    (
        "grads = module.compute_gradients(grads)",
        "grads = module.compute_gradients(grads)\n        return grads",
    ),
)
HINGE_BACKWARD = (("self.model.compute_gradients(self.grad)", "return self.model.compute_gradients(self.grad)"),)
HINGE_MODULE = "from parameters import Parameters"
HINGE_AFTER = f"""

from batch_norm import BatchNorm
from dropout import Dropout
from linear import Linear
from relu import ReLU
from sequential import Sequential
from sigmoid import Sigmoid
from tanh import Tanh


def loss_and_gradients(x, target, {", ".join(HINGE_WEIGHTS)}):
    np.random.seed(3)  # the same are dropped each time
    net = Sequential(
        Linear(5, 7), BatchNorm(7), Tanh(), Dropout(0.5), Linear(7, 6), Sigmoid(), BatchNorm(6), ReLU(), Linear(6, 3)
    )
    first, norm, _, _, second, _, again, _, last = net.modules
    learned = first.W, first.b, norm.gamma, norm.beta, second.W, second.b, again.gamma, again.beta, last.W, last.b
    for parameter, weight in zip(learned, ({", ".join(HINGE_WEIGHTS)})):
        parameter.params = weight
    error = hinge_loss(net(x), target)
    return error.item(), error.backward(), *(parameter.grads for parameter in learned)
"""


def hinge(m):
    r = numbers()
    weights = weights_of(r, " ".join(HINGE_WEIGHTS), *HINGE_WEIGHTS.values())
    given = {"x": r(4, 5), "target": np.array([2, 0, 1, 2])}
    return loss(m.loss_and_gradients, "x " + " ".join(HINGE_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        WRITER,
        "LSTM",
        (
            Part(WRITER_LAYERS + "Layer.py", "Layer", module="layer"),
            Part(
                WRITER_LAYERS + "Activation.py",
                "Activation ReLu Sigmoid Softmax Linear Tanh",
                before="from layer import Layer",
                module="activation",
            ),
            Part(WRITER_LAYERS + "Embedding.py", "Embedding", before="from layer import Layer", module="embedding"),
            Part(WRITER_LAYERS + "Dense.py", "Dense", before="from layer import Layer", module="dense"),
            Part(
                WRITER_LAYERS + "LSTM.py",
                "LSTM",
                before="from activation import Sigmoid, Tanh\nfrom layer import Layer",
                module="lstm",
            ),
            Part(
                WRITER_LAYERS + "Seq2Seq.py",
                "Seq2Seq",
                WRITER_EDITS,
                "from activation import Softmax\nfrom dense import Dense\nfrom embedding import Embedding\n"
                'from layer import Layer\nfrom lstm import LSTM\n\nLAYER_REGISTRY = {"LSTM": LSTM}',
                WRITER_PAIR,
            ),
        ),
        writer,
    ),
    Subject(
        TURING,
        "Turing machine",
        (
            Part("src/slot.py", "VariableSlot", module="slot"),
            Part("src/modules/module.py", "Module", module="module"),
            Part(
                "src/modules/activations.py",
                "Activate tanh softplus sigmoid linear relu softmax hard_sigmoid",
                TURING_ACTIVATIONS,
                "from module import Module",
                '\nactivation_dict = {"tanh": tanh, "sigmoid": sigmoid}',
                "activations",
            ),
            Part("src/modules/recurring.py", "Recurring gate", (), TURING_RECURRING, module="recurring"),
            Part(
                "src/modules/mechanics.py",
                "norm cosine_sim normalise interpolate circular_conv amplify average sharpen",
                before="from recurring import Recurring",
                module="mechanics",
            ),
            Part(
                "src/modules/attention.py",
                "ntm_attend",
                before="from activations import *\nfrom mechanics import *\nfrom recurring import Recurring, gate",
                module="attention",
            ),
            Part(
                "src/modules/rnn_mem.py",
                "ntm_memory",
                before="from activations import *\nfrom recurring import Recurring, gate",
                module="rnn_mem",
            ),
            Part(
                "src/modules/rnn_step.py",
                "lstm_step ntm_step",
                before="from activations import *\nfrom attention import ntm_attend\n"
                "from recurring import Recurring, gate\nfrom rnn_mem import ntm_memory",
                module="rnn_step",
            ),
            Part("src/modules/turing.py", "turing", TURING_EDITS, TURING_BEFORE, TURING_PAIR),
        ),
        machine,
        published="what goes into the softplus has the wrong sign, the state is never passed on",
    ),
    Subject(
        LEAVES,
        "RNN",
        (
            Part(
                "assignment2/assignment2/nn/math.py",
                "sigmoid sigmoidGrad softmax make_onehot Node HierarchicalSoftmaxTree",
                LEAVES_TREE,
                "from numpy import exp",
                module="trees",
            ),
            Part(
                "assignment2/assignment2/rnnlmWithHierarchicalSoftmax.py",
                "RNNLM ExtensionRNNLM",
                LEAVES_EDITS,
                "import sys\n" + LEAVES_BEFORE,
                LEAVES_LOSS,
            ),
        ),
        leaves,
    ),
    Subject(
        CACHES,
        "convolutions",
        (
            Part("MNIST/utils.py", CACHES_UTILS, module="utils"),
            Part(
                "MNIST/cost_utils.py",
                "categorical_cross_entropy dZ_categorical_cross_entropy",
                module="cost_utils",
            ),
            Part(
                "MNIST/dense_utils.py",
                "DenseLayer FlattenLayer",
                CACHES_DENSE,
                "from utils import *",
                "",
                "dense_utils",
            ),
            Part(
                "MNIST/conv_utils.py",
                "Conv2DLayer Pooling2DLayer",
                CACHES_CONV,
                "from utils import *",
                module="conv_utils",
            ),
            Part(
                "MNIST/model.py",
                "Model",
                (),
                "from conv_utils import *\nfrom cost_utils import *\nfrom dense_utils import *",
                CACHES_LOSS,
            ),
        ),
        caches,
        published="a place is compared with the size of the kernel, what comes back is not transposed",
    ),
    Subject(
        FILTERS,
        "convolutions",
        (
            Part("ActivationFunction.py", "ActivationFunction", (), FILTERS_JIT, module="activation_function"),
            Part(
                "CNN1_fixed.py",
                "CNN",
                FILTERS_EDITS,
                "from activation_function import ActivationFunction as af",
                FILTERS_LOSS,
            ),
        ),
        filters,
    ),
    Subject(
        PAIRS,
        "word vectors",
        (Part("word2vec_numpy.py", "Word2Vec", after=PAIRS_LOSS),),
        pairs,
    ),
    Subject(
        HINGE,
        "normalised batches",
        (
            Part("src/nn/module/parameters.py", "Parameters", before="import math", module="parameters"),
            Part("src/nn/module/tensor.py", "Tensor", module="tensor"),
            Part(
                "src/nn/module/sequential.py",
                "Sequential",
                HINGE_SEQUENTIAL,
                "from tensor import Tensor",
                module="sequential",
            ),
            Part("src/nn/activations/tanh.py", "Tanh", before=HINGE_MODULE, module="tanh"),
            Part("src/nn/activations/sigmoid.py", "Sigmoid", before=HINGE_MODULE, module="sigmoid"),
            Part("src/nn/activations/relu.py", "ReLU", before=HINGE_MODULE, module="relu"),
            Part("src/nn/layers/linear.py", "Linear", before=HINGE_MODULE, module="linear"),
            Part("src/nn/layers/batch_norm.py", "BatchNorm", HINGE_NORM, HINGE_MODULE, module="batch_norm"),
            Part("src/nn/layers/dropout.py", "Dropout", before=HINGE_MODULE, module="dropout"),
            Part("src/nn/loss_functions/loss.py", "Loss", HINGE_BACKWARD, module="losses"),
            Part(
                "src/nn/loss_functions/hinge_loss.py",
                "hinge_loss",
                HINGE_LOSS_EDITS,
                "from losses import Loss",
                HINGE_AFTER,
            ),
        ),
        hinge,
        published="the derivative by the deviation lacks its sign",
    ),
]

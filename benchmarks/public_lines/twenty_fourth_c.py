"""Subjects by owners M to R: word vectors, a GRU in numbered steps, an image network of functions, an RNN of cells,
trees with a tensor, a network that is fed with its states and its outputs, an LSTM with peepholes."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# word vectors by skip-grams with words drawn by chance: a class with one method that does all of it for a pair of
# words, what a word drawn twice gets is summed up ---------------------------------------------------------------------

DRAWN = "MarcosAsh/word2vec-numpy"
DRAWN_EDITS = (  # what it learns by is kept instead
    ("self.W_in[centre_idx] -= lr * grad_u_c", "self.dW_in[centre_idx] += grad_u_c"),
    ("self.W_out[context_idx] -= lr * grad_v_o", "self.dW_out[context_idx] += grad_v_o"),
    ("np.add.at(self.W_out, neg_indices, -lr * grad_V_n)", "np.add.at(self.dW_out, neg_indices, grad_V_n)"),
)
DRAWN_LOSS = """

def loss_and_gradients(pairs, negatives, W_in, W_out):
    model = Word2Vec(7, 5)
    model.W_in, model.W_out = W_in, W_out
    model.dW_in, model.dW_out = np.zeros_like(W_in), np.zeros_like(W_out)
    value = sum(model.train_pair(*words, drawn, 1.0) for words, drawn in zip(pairs, negatives))
    return value, model.dW_in, model.dW_out
"""


def drawn(m):
    r = numbers()
    weights = weights_of(r, "W_in W_out", (7, 5), (7, 5))
    given = {
        "pairs": [(4, 0), (0, 6), (4, 6), (3, 1)],
        "negatives": [np.array(words) for words in ([2, 5, 2], [1, 3, 4], [0, 1, 5], [5, 5, 4])],
    }
    return loss(m.loss_and_gradients, "W_in W_out", **given, **weights)


# a course's GRU cell: each product, sum and gate has a number, forwards and backwards; a sequence of such cells -------

NUMBERED = "meiirbek-islamov/MyTorch"
NUMBERED_WEIGHTS = {f"W{gate}x": (5, 3) for gate in "rzn"} | {f"W{gate}h": (5, 5) for gate in "rzn"}
NUMBERED_WEIGHTS |= {f"b{gate}{kind}": (5,) for kind in "xh" for gate in "rzn"}
# The cell calls its activations, which are published as objects that cannot be called.
NUMBERED_CALLED = """

Sigmoid.__call__ = Sigmoid.forward
Tanh.__call__ = Tanh.forward
"""
NUMBERED_CALLS = f"""

def forward(inputs, hidden, {", ".join(NUMBERED_WEIGHTS)}):
    cells, states = [], []
    for x in inputs:
        cells.append(GRUCell(3, 5))
        cells[-1].init_weights({", ".join(NUMBERED_WEIGHTS)})
        hidden = cells[-1](x, hidden)
        states.append(hidden)
    return np.array(states), cells


def backward(delta, cells):
    dinputs, dhidden = [], 0.0
    for cell, dstate in zip(reversed(cells), reversed(delta)):
        dx, dhidden = cell.backward(dstate + dhidden)
        dinputs.insert(0, dx[0])
    summed = (sum(getattr(cell, "d" + name) for cell in cells) for name in {list(NUMBERED_WEIGHTS)})
    return np.array(dinputs), dhidden, *summed
"""


def numbered(m):
    r = numbers()
    weights = weights_of(r, " ".join(NUMBERED_WEIGHTS), *NUMBERED_WEIGHTS.values())
    results = f"inputs hidden {' '.join(NUMBERED_WEIGHTS)}"
    return pair(m.forward, m.backward, results, inputs=r(4, 3), hidden=r(5), **weights)


# a network for images of plain functions with caches: convolutions, batch normalisation over images, greatest values --

IMAGES = "MorenaPrudo/NumPy-CNN"
IMAGES_WEIGHTS = {"w1": (5, 3, 3, 3), "b1": (5,), "gamma": (5,), "beta": (5,), "w2": (7, 5, 3, 3), "b2": (7,)}
IMAGES_WEIGHTS |= {"w3": (63, 11), "b3": (11,)}
IMAGES_EDITS = (
    # wrong as published: the loss is a mean over the images, its gradient is that of the sum,
    ("return loss,dx", "return loss,dx/N"),
    # and the numbers are not divided by their deviation before they are multiplied by gamma
    ("out *= gamma.reshape(1, -1, 1, 1)", "out = norm * gamma.reshape(1, -1, 1, 1)"),
)
IMAGES_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(IMAGES_WEIGHTS)}):
    running = dict(running_mean=0, running_var=0)
    norm_param = dict(test=False, running_values=running, momentum=0.9, eps=1e-8)
    out, first = conv_forward(x, w1, b1, dict(pad=1, stride=2))
    out, first_relu = relu(out)
    out, norm = conv_batch_norm_forward(out, gamma, beta, norm_param)
    out, second = conv_forward(out, w2, b2, dict(pad=1, stride=1))
    out, second_relu = relu(out)
    out, pool = max_pool_forward(out, dict(size=3, stride=2))
    out, shape = flatten(out)
    out, dense = fc_layer_forward(out, w3, b3)
    value, dx = softmax_loss(out, y)
    dx, dw3, db3 = fc_layer_backward(dx, dense)
    dx = max_pool_backward(flatten_backward(dx, shape), pool)
    dx, dw2, db2 = conv_backward(relu_backward(dx, second_relu), second)
    dx, dgamma, dbeta = conv_batch_norm_backward(dx, norm)
    dx, dw1, db1 = conv_backward(relu_backward(dx, first_relu), first)
    return value, dw1, db1, dgamma, dbeta, dw2, db2, dw3, db3
"""
IMAGES_TAKEN = (
    "softmax_loss conv_forward max_pool_forward conv_batch_norm_forward relu fc_layer_forward flatten conv_backward "
    "flatten_backward relu_backward fc_layer_backward max_pool_backward conv_batch_norm_backward"
)


def images(m):
    r = numbers()
    weights = weights_of(r, " ".join(IMAGES_WEIGHTS), *IMAGES_WEIGHTS.values())
    given = {"x": r(4, 3, 13, 13), "y": np.array([3, 0, 10, 6])}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# an RNN that has a cell for each step: the cell keeps what it saw and gives its gradients in a dict -------------------

CELLS = "neeldani/backpropagation-through-time"
CELLS_WEIGHTS = {"Wxh": (5, 3), "Whh": (5, 5), "bh": (5, 1), "Why": (7, 5), "by": (7, 1)}
CELLS_EDITS = (("        h = np.zeros((self.n_hidden, 1))", "        h = self.h0"),)
CELLS_CUT = ((", -5, 5)", ", -1000, 1000)"),)  # so that no gradient is cut off
CELLS_LOSS = f"""

def loss_and_gradients(x, y, h0, {", ".join(CELLS_WEIGHTS)}):
    rnn = RNN(3, 5, 7, 4, dict(Wxh=Wxh, Whh=Whh, bh=bh, Why=Why, by=by))
    rnn.h0 = h0
    return rnn.forward(x, y), *rnn.bptt()
"""


def cells(m):
    r = numbers()
    weights = weights_of(r, " ".join(CELLS_WEIGHTS), *CELLS_WEIGHTS.values())
    given = {"x": r(3, 4), "y": np.eye(7)[:, [2, 6, 0, 6]], "h0": r(5, 1)}
    return loss(m.loss_and_gradients, " ".join(weights), **given, **weights)


# a recursive network over trees of words, with a tensor: a method calls itself for the two children of a node; all
# weights and their gradients are in one dict, each node has a label, and the cost of large weights counts per node ----

TREES = "Nilabhra/RNTN"
TREES_WEIGHTS = {"L": (3, 7), "V": (6, 6, 3), "W": (3, 6), "b": (3, 1), "Ws": (5, 3), "bs": (5, 1)}
TREES_EDITS = (
    # wrong as published: the bias is left out forwards, though it gets a gradient,
    ("np.dot(self.params['W'], node.input_vector)", "np.dot(self.params['W'], node.input_vector) + self.params['b']"),
    # and the tanh of the children is taken once more in the derivative
    ("(1 - np.tanh(node.input_vector)**2)", "(1 - node.input_vector**2)"),
)
TREES_LOSS = f"""

def planted(told, params):
    node = RNTNTree(params)
    node.label, *below = told
    if len(below) == 1:
        node.leaf, node.word_idx = True, below[0]
    else:
        node.left, node.right = (planted(child, params) for child in below)
    return node


def cost(node, params, lamda):
    value = -np.log(node.probs[node.label, 0]) + lamda / 2 * np.sum(params["Ws"] ** 2)
    if node.leaf:
        return value + lamda / 2 * np.sum(params["L"][:, node.word_idx] ** 2)
    value += lamda / 2 * (np.sum(params["W"] ** 2) + np.sum(params["V"] ** 2))
    return value + cost(node.left, params, lamda) + cost(node.right, params, lamda)


def loss_and_gradients(trees, {", ".join(TREES_WEIGHTS)}):
    names = {list(TREES_WEIGHTS)}
    params = dict(zip(names, ({", ".join(TREES_WEIGHTS)})))
    params.update({{"d" + name: np.zeros_like(params[name]) for name in names}}, d=3)
    value = 0.0
    for told in trees:
        root = planted(told, params)
        root.forward_propagate(root)
        value += cost(root, params, 0.1)
        root.back_propagate(root, lamda=0.1)
    return value, *(params["d" + name] for name in names)
"""


def trees(m):
    r = numbers()
    weights = weights_of(r, " ".join(TREES_WEIGHTS), *TREES_WEIGHTS.values())
    told = [
        (3, (0, (2, 5), (4, 1)), (1, (4, 1), (3, (0, 6), (2, 2)))),
        (1, (4, 0), (2, (2, (3, 4), (0, 5)), (1, 3))),
    ]
    return loss(m.loss_and_gradients, " ".join(weights), trees=told, **weights)


# a network that is fed with its hidden state and with its last output: a framework's layers, each of which keeps
# everything for a batch and a step; the states go on from one sequence of a batch to the next -------------------------

FED = "Razani-Ali/neural_from_scratch"
FED_WEIGHTS = {"weight": (7, 5), "weight_elman": (7, 7), "weight_jordan": (7, 13), "bias": (7, 1)}
FED_WEIGHTS |= {"middle": (11, 7), "middle_bias": (11, 1), "last": (13, 11), "last_bias": (13, 1)}
FED_BEFORE = """from activation_functions import net2Fprime, net2out


def Dense_weight_init(input_size, output_size, **told):
    return np.zeros((output_size, input_size))
"""
FED_SPACE = "\n" + 24 * " "
FED_STEP = "X = layer(batch_index, seq_index, X, elman_state, jordan_state).reshape((-1,1))"
FED_EDITS = (
    # wrong as published: the states that a step left behind are kept and multiplied backwards, where those that it was
    # given must be
    *(
        (
            f"{FED_SPACE}if self.stateful:"
            f"{FED_SPACE}    self.batch_{name}_states[batch_index, seq_index] = {name}_state"
            f"{FED_SPACE}else:"
            f"{FED_SPACE}    self.batch_{name}_states[seq_index] = {name}_state",
            "",
        )
        for name in ("elman", "jordan")
    ),
    (
        FED_STEP,
        f"self.batch_elman_states[batch_index, seq_index] = elman_state{FED_SPACE}"
        f"self.batch_jordan_states[batch_index, seq_index] = jordan_state{FED_SPACE}{FED_STEP}",
    ),
)
FED_CALLS = f"""

def forward(x, elman, jordan, {", ".join(FED_WEIGHTS)}):
    layers = [
        Dense2Feedback(4, 5, 7, 13, batch_size=3, activation="tanh"),
        TimeDense(4, 7, 11, batch_size=3, activation="sigmoid"),
        TimeDense(4, 11, 13, batch_size=3, activation="tanh"),
    ]
    layers[0].weight, layers[0].weight_elman, layers[0].weight_jordan = weight, weight_elman, weight_jordan
    layers[0].bias, layers[1].weight, layers[1].bias = bias, middle, middle_bias
    layers[2].weight, layers[2].bias = last, last_bias
    network = Elman_Jordan(layers, batch_size=3, stateful=True, return_states=True)
    network.pervious_batch_elman_state, network.pervious_batch_jordan_state = elman, jordan
    return network(x), network


def backward(dout, network):
    found = network.backward(dout.copy(), return_error=True, return_grads=True, modify=False)
    shapes = {list(FED_WEIGHTS.values())}
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    parts = np.split(found["gradients"], ends[:-1])
    return found["error_in"], *(part.reshape(shape) for part, shape in zip(parts, shapes))
"""


def fed(m):
    r = numbers()
    weights = weights_of(r, " ".join(FED_WEIGHTS), *FED_WEIGHTS.values())
    given = {"x": r(3, 4, 5), "elman": r(7, 1), "jordan": r(13, 1)}
    return pair(m.forward, m.backward, f"x {' '.join(FED_WEIGHTS)}", **given, **weights)


# an LSTM with full matrices from the cell to its gates, of plain functions: one example after another, which end where
# their inputs are zero, whole matrices of derivatives from step to step; a squared error ------------------------------

ENDS = "renmengye/image-qa"
ENDS_LOSS = """

def loss_and_gradients(x, mask, T, W):
    X = x * mask[:, :, None]
    Y, *kept = forwardPassN(X, True, W)
    E, dEdY = meanSqErr(Y, T)
    dEdW, dEdX = backPropagateN(dEdY, X, Y, *kept, True, True, True, W)
    return E, dEdX * mask[:, :, None], dEdW
"""


def ends(m):
    r = numbers()
    mask = (np.arange(5) < np.array([[5], [3], [4], [5]])).astype(int)
    given = {"x": r(4, 5, 3), "mask": mask, "T": 7 * r(4, 6, 7)}
    return loss(m.loss_and_gradients, "x W", **given, W=0.7 * r(7, 65))


SUBJECTS = [
    Subject(DRAWN, "word vectors", (Part("model.py", "sigmoid Word2Vec", DRAWN_EDITS, after=DRAWN_LOSS),), drawn),
    Subject(
        NUMBERED,
        "GRU",
        (
            Part("activation.py", "Sigmoid Tanh", after=NUMBERED_CALLED, module="activation"),
            Part("gru_cell.py", "GRUCell", (), "from activation import *", NUMBERED_CALLS),
        ),
        numbered,
    ),
    Subject(
        IMAGES,
        "image network",
        (Part("layers.py", IMAGES_TAKEN, IMAGES_EDITS, after=IMAGES_LOSS),),
        images,
        published="the gradient of the loss is not divided by the number of images; batch normalisation does not "
        "divide by the deviation",
    ),
    Subject(
        CELLS,
        "RNN",
        (
            Part("rnn_cell.py", "RNNCell", CELLS_CUT, module="rnn_cell"),
            Part("rnn.py", "RNN", CELLS_EDITS, "from rnn_cell import RNNCell", CELLS_LOSS),
        ),
        cells,
    ),
    Subject(
        TREES,
        "trees",
        (Part("rntn_core.py", "RNTNTree", TREES_EDITS, after=TREES_LOSS),),
        trees,
        published="leaves out the bias forwards and takes the tanh of the children twice in a derivative",
    ),
    Subject(
        FED,
        "Elman and Jordan network",
        (
            Part("activations/solid/sigmoid.py", "sigmoid sigmoid_derivative", module="sigmoid_of"),
            Part("activations/solid/tanh.py", "tanh tanh_derivative", module="tanh_of"),
            Part(
                "activations/activation_functions.py",
                "net2out net2Fprime",
                (),
                "from sigmoid_of import sigmoid, sigmoid_derivative\nfrom tanh_of import tanh, tanh_derivative",
                module="activation_functions",
            ),
            Part("layers/Dense/Dense_network.py", "TimeDense Dense2Feedback", (), FED_BEFORE, module="dense_network"),
            Part(
                "layers/simpleRNN/Elman_Jordan.py",
                "Elman_Jordan",
                FED_EDITS,
                "from dense_network import Dense2Feedback, TimeDense",
                FED_CALLS,
            ),
        ),
        fed,
        published="multiplies by the states after a step where those before it are meant",
    ),
    Subject(
        ENDS,
        "LSTM",
        (
            Part("src/nn/func.py", "meanSqErr sigmoidFn", module="func"),
            Part(
                "src/nn/lstm_old.py",
                "sliceWeights sliceWeightsSmall forwardPassN forwardPassOne backPropagateN backPropagateOne",
                (),
                "from func import *",
                ENDS_LOSS,
            ),
        ),
        ends,
    ),
]

"""Subjects drawn by lot: word vectors of a course, twice, convolutions in groups of strides, convolutions with columns
for each place, a dense net for one sample at a time, a dense net with two losses, two layers with three activations."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# word vectors of a course, in Python 2: a word foretells those around it, by a softmax and by words that are drawn ----

SKIPGRAM = "Harpreet221295/cs224d-Deep-Learning-for-Natural-Language-Processing-Assignment-Solutions"
SKIPGRAM_TAKEN = "softmaxCostAndGradient negSamplingCostAndGradient skipgram word2vec_sgd_wrapper"
SKIPGRAM_EDITS = (
    # Python 3
    ("N/2", "N//2"),
    # fewer windows
    ("batchsize = 50", "batchsize = 3"),
)
SKIPGRAM_BEFORE = """import random

from sigmoid import sigmoid
from softmax import softmax

xrange = range"""
# each call draws the same words
SKIPGRAM_LOSS = """


class Words:
    def sampleTokenIdx(self):
        return random.randint(0, 4)

    def getRandomContext(self, size):
        return random.choice("abcde"), [random.choice("abcde") for _ in range(2 * size)]


def loss_and_gradients(tokens, first, second):
    random.seed(3)
    cost, grad = word2vec_sgd_wrapper(skipgram, tokens, first, Words(), 2)
    more, others = word2vec_sgd_wrapper(skipgram, tokens, second, Words(), 2, negSamplingCostAndGradient)
    return np.sum(cost) + np.sum(more), grad, others
"""


def skipgram(m):
    r = numbers()
    tokens = {letter: k for k, letter in enumerate("abcde")}
    return loss(m.loss_and_gradients, "first second", tokens=tokens, first=r(10, 3), second=r(10, 4))


# convolutions and pools by groups of strides: places that do not overlap go together ----------------------------------

GROUPS = "neuron-whisperer/cnn-numpy"
GROUPS_WEIGHTS = {"K1": (3, 3, 2, 3), "k1": (1, 1, 1, 3), "K2": (2, 2, 3, 4), "k2": (1, 1, 1, 4)}
GROUPS_WEIGHTS |= {"W1": (7, 49), "W2": (6, 8), "W3": (5, 7)}
GROUPS_TAKEN = """ConvLayer PoolLayer PoolLayer_Max PoolLayer_Avg FlatLayer FCLayer FCLayer_ReLU FCLayer_Sigmoid
FCLayer_Softmax Network"""
GROUPS_EDITS = (
    # wrong as published: what goes back does not know of the absolute value
    (
        "    dA_prev = np.zeros((im, ih, iw, id))",
        "    dZ = dZ * np.sign(self.Z)\n    dA_prev = np.zeros((im, ih, iw, id))",
    ),
    # wrong as published: the gradient of the bias is made of that of the weights
    ("np.sum(dW_block, 2, keepdims=True)", "np.sum(block, (0, 1, 2))"),
    # wrong as published: the rows of a block come after all columns
    ("dA_prev_block = np.sum(dA_prev_block, 6)", "dA_prev_block = np.moveaxis(np.sum(dA_prev_block, 6), 2, 3)"),
    # gradients are kept where it learns; wrong as published: they are sums, the loss and the other layers' are means
    (
        "self.W -= dW * learning_rate; self.b -= db * learning_rate",
        "self.W_gradient = dW / im; self.b_gradient = db / im",
    ),
    ("self.W = self.W - learning_rate * dW", "self.W_gradient = dW"),
    # no noise, as it would be in the gradients, too
    ("* 0.00001 ", "* 0 "),
)
GROUPS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(GROUPS_WEIGHTS)}):
    first, second = ConvLayer(3, 3, padding=1), ConvLayer(4, 2, padding=1)
    third, fourth, last = FCLayer_ReLU(7), FCLayer_Sigmoid(6), FCLayer_Softmax(5)
    first.W, first.b, second.W, second.b = K1, k1, K2, k2
    third.W, fourth.W, last.W = W1, W2, W3
    layers = [first, PoolLayer_Max(2), second, PoolLayer_Avg(3), FlatLayer(), third, fourth, last]
    cost = Network(layers).train(x, y, 1)[1]
    grads = [grad for layer in (first, second) for grad in (layer.W_gradient, layer.b_gradient)]
    return cost, *grads, *(layer.W_gradient for layer in (third, fourth, last))
"""


def groups(m):
    r = numbers()
    weights = weights_of(r, " ".join(GROUPS_WEIGHTS), *GROUPS_WEIGHTS.values())
    given = {"x": r(2, 5, 6, 2), "y": np.eye(5)[[3, 1]]}
    return loss(m.loss_and_gradients, " ".join(GROUPS_WEIGHTS), **given, **weights)


# the same course in a notebook: a dense net with all its weights in one array, and word vectors -----------------------

NOTEBOOK = "msushkov/cs224d-hw1"
NOTEBOOK_TAKEN = "softmax sigmoid forward_backward_prop softmaxCostAndGradient negSamplingCostAndGradient skipgram"
# what are globals in the notebook
NOTEBOOK_BEFORE = """import random

xrange, dimensions = range, (4, 5, 3)


class dataset:
    @staticmethod
    def sampleTokenIdx():
        return random.randint(0, 4)"""
# each call draws the same words
NOTEBOOK_LOSS = """


def loss_and_gradients(data, labels, tokens, params, inputs, outputs):
    random.seed(4)
    total, grad = forward_backward_prop(data, labels, params)
    grad_in, grad_out = 0, 0
    for cost in (softmaxCostAndGradient, negSamplingCostAndGradient):
        more, one_in, one_out = skipgram("c", 2, ["a", "e", "d", "a"], tokens, inputs, outputs, cost)
        total, grad_in, grad_out = total + more, grad_in + one_in, grad_out + one_out
    return total, grad, grad_in, grad_out
"""


def notebook(m):
    r = numbers()
    tokens = {letter: k for k, letter in enumerate("abcde")}
    given = {"data": r(4, 4), "labels": np.eye(3)[[2, 0, 1, 2]], "tokens": tokens, "params": r(43)}
    return loss(m.loss_and_gradients, "params inputs outputs", **given, inputs=r(5, 3), outputs=r(5, 3))


# a convolution with columns for each place, a pool, two dense layers, dropout, samples in columns ---------------------

COLUMNS = "chatla92/Deep-Learning-basics-using-numpy"
COLUMNS_WEIGHTS = {"W1": (3, 3, 2, 3), "b1": (1, 1, 1, 3), "W2": (6, 36), "b2": (6, 1), "W3": (4, 6), "b3": (4, 1)}
COLUMNS_TAKEN = """relu relu_der linear linear_der linear_forward layer_forward linear_backward layer_backward
softmax_cross_entropy_loss softmax_cross_entropy_loss_der conv_layer_forward conv_layer_backward pool_forward
pool_backward dropout_forward dropout_backward"""
COLUMNS_INDICES = (
    # Python 3
    (") / stride + 1", ") // stride + 1"),
)
COLUMNS_EDITS = (
    # an index that NumPy no longer takes
    ("dZ[[Y.astype(int), np.arange(Y.shape[0])]]", "dZ[Y.astype(int), np.arange(Y.shape[0])]"),
    # wrong as published: samples and places come in another order than in the columns
    ("dZ.transpose(0, 3, 1, 2)", "dZ.transpose(3, 1, 2, 0)"),
    # wrong as published: the pool takes samples for rows
    ("A_prev[h:h + f, w:w + f, :]", "A_prev[i, h:h + f, w:w + f, c]"),
)
COLUMNS_BEFORE = "from columns import col2im_indices, im2col_indices"
# layers in the order of its conv_net, which learns in the same function; each call draws the same places to drop
COLUMNS_LOSS = f"""


def loss_and_gradients(X, Y, {", ".join(COLUMNS_WEIGHTS)}):
    np.random.seed(1)
    parameters = {{"W1": W1, "b1": b1, "stride": 1, "pad": 1, "pool_size": 2, "pool_stride": 1}}
    A, conv_cache = conv_layer_forward(X, parameters)
    A, relu_cache = relu(A)
    A, pool_cache = pool_forward(A, parameters)
    shape = A.shape
    A, cache = layer_forward(A.reshape(shape[0], -1).T, W2, b2, "relu")
    A, drop_cache = dropout_forward(A, 0.6)
    A, last_cache = layer_forward(A, W3, b3, "linear")
    chances, loss_cache, cost = softmax_cross_entropy_loss(A, Y)
    dA = softmax_cross_entropy_loss_der(Y, loss_cache)
    dA, dW3, db3 = layer_backward(dA, last_cache, W3, b3, "linear")
    dA = dropout_backward(dA, drop_cache)
    dA, dW2, db2 = layer_backward(dA, cache, W2, b2, "relu")
    dA = pool_backward(dA.T.reshape(shape), pool_cache)
    dA, dW1, db1 = conv_layer_backward(relu_der(dA, relu_cache), conv_cache)
    return cost, dA.transpose(0, 2, 3, 1), dW1, db1, dW2, db2, dW3, db3
"""


def columns(m):
    r = numbers()
    weights = weights_of(r, " ".join(COLUMNS_WEIGHTS), *COLUMNS_WEIGHTS.values())
    weights["W2"] *= 0.2  # so that no chance is near 0, where the loss has a small number added
    given = {"X": r(3, 4, 5, 2), "Y": np.array([2, 0, 3])}
    return loss(m.loss_and_gradients, f"X {' '.join(COLUMNS_WEIGHTS)}", **given, **weights)


# a dense net of sigmoids for one sample at a time, with the biases as the last row of the weights ---------------------

ROWS = "ludobouan/pure-numpy-feedfowardNN"
ROWS_WEIGHTS = {"W1": (5, 6), "W2": (7, 5), "W3": (6, 3)}
ROWS_EDITS = (
    # wrong as published: biases learn by the gradient of the last row of the weights, times 0.001
    ("self.adjustments[self.num_layers] = np.zeros(shape)", "self.adjustments[self.num_layers] = 0"),
    ("output[layer].T).T", "np.vstack((output[layer], [[1]])).T).T"),
    ("            self.weights[layer][-1, :] += learning_rate*1e-3 * -partial_d[-1, :]\n", ""),
    # wrong as published: the error has no slope of the last sigmoid, and is not a mean over the outputs as the loss is
    (
        "= output[self.num_layers] - target",
        "= (output[self.num_layers] - target) * self.__sigmoid_derivative(output[self.num_layers]) / target.size",
    ),
    # wrong as published: one sample too few
    ("self.__gradient_descente(i, learning_rate)", "self.__gradient_descente(i + 1, learning_rate)"),
    # gradients are kept where it learns
    ("self.weights[layer][:-1, :] += learning_rate * -partial_d", "self.gradients[layer] = partial_d"),
)
ROWS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(ROWS_WEIGHTS)}):
    model = NeuralNetwork()
    for shape in ((4, 6), (6, 5), (5, 3)):
        model.add_layer(shape)
    model.weights, model.gradients = {{1: W1, 2: W2, 3: W3}}, {{}}
    errors, _ = model.train(x, y, 1)
    return np.mean(errors), *(model.gradients[k] for k in (1, 2, 3))
"""


def rows(m):
    r = numbers()
    weights = weights_of(r, " ".join(ROWS_WEIGHTS), *ROWS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(ROWS_WEIGHTS), x=r(4, 4, 1), y=r(4, 3, 1), **weights)


# a dense net that keeps all in dicts, with two losses that know their gradients ---------------------------------------

LOSSES = "lukasuz/Numpy-MLP"
LOSSES_WEIGHTS = {"A1": (4, 6), "a1": (6, 1), "A2": (6, 5), "a2": (5, 1), "A3": (5, 3), "a3": (3, 1)}
LOSSES_WEIGHTS |= {"B1": (4, 7), "b1": (7, 1), "B2": (7, 2), "b2": (2, 1)}
LOSSES_LOSS = f"""


def loss_and_gradients(x, classes, labels, {", ".join(LOSSES_WEIGHTS)}):
    models = (
        ("softmax_cross_entropy", "sigmoid sigmoid softmax", (A1, a1, A2, a2, A3, a3), classes),
        ("binary_cross_entropy", "sigmoid sigmoid", (B1, b1, B2, b2), labels),
    )
    total, found = 0, []
    for error, kinds, weights, wanted in models:
        matrices, biases = weights[::2], weights[1::2]
        layers = [
            {{"input_dim": len(matrix), "nodes": len(bias), "activation": kind}}
            for matrix, bias, kind in zip(matrices, biases, kinds.split())
        ]
        model = Dense_Neural_Network(layers, error)
        model.weights, model.biases = dict(enumerate(matrices, 1)), dict(enumerate(biases, 1))
        out = model.forward_propagation(x)
        total += model.loss(wanted, out)
        model.backward_propagation(wanted, out)
        for k in model.weights:
            found += [model.dW[k].T, model.db[k].T]
    return total, *found
"""


def losses(m):
    r = numbers()
    weights = weights_of(r, " ".join(LOSSES_WEIGHTS), *LOSSES_WEIGHTS.values())
    given = {"x": r(4, 4), "classes": np.eye(3)[[2, 0, 1, 0]], "labels": np.array([[1, 0], [0, 0], [1, 1], [0, 1]])}
    return loss(m.loss_and_gradients, " ".join(LOSSES_WEIGHTS), **given, **weights)


# nets of two layers for one sample at a time, with three activations --------------------------------------------------

TWO = "syncush/MNIST-NN-NUMPY"
TWO_SIZES = {"R": 5, "T": 6, "S": 7}
TWO_WEIGHTS = {
    f"{name}{k}": shape
    for name, width in TWO_SIZES.items()
    for k, shape in (("1", (4, width)), ("b1", (width,)), ("2", (width, 3)), ("b2", (3,)))
}
TWO_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(TWO_WEIGHTS)}):
    samples, total, found = list(zip(x, y)), 0, []
    for hidden, (W1, b1, W2, b2) in (
        (Relu(), (R1, Rb1, R2, Rb2)),
        (TanH(), (T1, Tb1, T2, Tb2)),
        (Sigmoid(), (S1, Sb1, S2, Sb2)),
    ):
        net = TwoLayeredNN({{"layers_func": [hidden, Softmax()], "sizes": [W1.shape, W2.shape]}}, 1, False)
        net.layer_weights_and_b_pairs = [(W1, b1), (W2, b2)]
        total += net.compare_against_test_set(samples)[0]
        grads = [0] * 4
        for sample in samples:
            (last, first), (last_b, first_b) = net.__backprop_in_net__(net.__forward_in_net__(sample))
            grads = [done + grad / len(samples) for done, grad in zip(grads, (first, first_b, last, last_b))]
        found += grads
    return total, *found
"""


def two(m):
    r = numbers()
    weights = weights_of(r, " ".join(TWO_WEIGHTS), *TWO_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(TWO_WEIGHTS), x=r(3, 4), y=np.array([2, 0, 1]), **weights)


SUBJECTS = [
    Subject(
        SKIPGRAM,
        "word vectors",
        (
            Part("assignment1/q1_softmax.py", "softmax", module="softmax"),
            Part("assignment1/q2_sigmoid.py", "sigmoid", module="sigmoid"),
            Part("assignment1/q3_word2vec.py", SKIPGRAM_TAKEN, SKIPGRAM_EDITS, SKIPGRAM_BEFORE, SKIPGRAM_LOSS),
        ),
        skipgram,
    ),
    Subject(
        GROUPS,
        "convolutions",
        (Part("cnn_numpy_sg.py", GROUPS_TAKEN, GROUPS_EDITS, "import math", GROUPS_LOSS),),
        groups,
        published="the convolution's gradients are of other places, of no absolute value, and sums",
    ),
    Subject(
        NOTEBOOK,
        "word vectors",
        (Part("wordvec_sentiment.ipynb", NOTEBOOK_TAKEN, (), NOTEBOOK_BEFORE, NOTEBOOK_LOSS),),
        notebook,
    ),
    Subject(
        COLUMNS,
        "convolutions",
        (
            Part(
                "conv_nn/im2col.py",
                "get_im2col_indices im2col_indices col2im_indices",
                COLUMNS_INDICES,
                module="columns",
            ),
            Part("conv_nn/helper_im2col.py", COLUMNS_TAKEN, COLUMNS_EDITS, COLUMNS_BEFORE, COLUMNS_LOSS),
        ),
        columns,
        published="the gradient's columns are in another order than the picture's, the pool takes samples for rows",
    ),
    Subject(
        ROWS,
        "dense",
        (Part("FeedforwardNN.py", "NeuralNetwork", ROWS_EDITS, "", ROWS_LOSS),),
        rows,
        published="biases learn by the weights' gradient, the error has no slope of the last sigmoid",
    ),
    Subject(
        LOSSES,
        "dense",
        (Part("nn_from_scratch.py", "Dense_Neural_Network", (), "", LOSSES_LOSS),),
        losses,
    ),
    Subject(
        TWO,
        "dense",
        (Part("NN_2Layers.py", "Function Softmax Relu TanH Sigmoid myRandom TwoLayeredNN", (), "", TWO_LOSS),),
        two,
    ),
]

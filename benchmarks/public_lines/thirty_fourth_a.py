"""Subjects drawn by lot: word vectors whose mean goes into a dense net, layers over one picture, layers with their
gradients in dicts, dense nets with three losses, dense nets with dropout, a dense net in one function, one for XOR."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# word vectors, their mean over the words that are no padding, three dense layers --------------------------------------

WORDS = "OT1devl/Word-Moderation-with-numpy"
WORDS_WEIGHTS = {"E": (6, 5), "W0": (5, 7), "b0": (1, 7), "W1": (7, 3), "b1": (1, 3), "W2": (3, 1), "b2": (1, 1)}
WORDS_EDITS = (
    # wrong as published: two of the gradients are sums over the batch, the loss is a mean
    ("db0 = np.sum(dz0, axis=0, keepdims=True)", "db0 = np.sum(dz0, axis=0, keepdims=True) / m"),
    ("dpooled = dz0 @ self.W0.T", "dpooled = dz0 @ self.W0.T / m"),
)
WORDS_BEFORE = """from functions import BinaryCrossEntropyLoss, ReLU, sigmoid

DTYPE, Optimizer, model_path = np.float64, object, None"""
# what it would learn by is kept
WORDS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(WORDS_WEIGHTS)}):
    model, found = ModerationNetwork(6, 5, 7), []
    model.embedding.W, model.W0, model.b0, model.W1, model.b1, model.W2, model.b2 = {", ".join(WORDS_WEIGHTS)}
    model.update_params = found.extend
    cost = BinaryCrossEntropyLoss(y, model.forward(x))
    model.backward(y)
    return cost, *found
"""


def words(m):
    r = numbers()
    weights = weights_of(r, " ".join(WORDS_WEIGHTS), *WORDS_WEIGHTS.values())
    x = np.array([[2, 5, 2, 0], [1, 3, 0, 0], [4, 4, 1, 5], [3, 2, 5, 0]])
    return loss(m.loss_and_gradients, " ".join(WORDS_WEIGHTS), x=x, y=np.array([[1], [0], [0], [1]]), **weights)


# layers over one picture at a time, with biases of their own for each place -------------------------------------------

PLACES = "Mateorovere/CNN-From-Scratch"
PLACES_WEIGHTS = {"K1": (3, 2, 3, 3), "k1": (3, 3, 4), "K2": (4, 3, 2, 2), "k2": (4, 2, 3)}
PLACES_WEIGHTS |= {"W1": (7, 24), "w1": (7, 1), "W2": (5, 7), "w2": (5, 1)}
PLACES_CONVOLUTION = (
    # gradients are kept where it learns at once
    ("self.kernels -= learning_rate * ", "self.kernels_gradient = "),
    ("self.biases -= learning_rate * ", "self.biases_gradient = "),
)
PLACES_DENSE = (
    # gradients are kept where it learns at once
    ("self.weights -= learning_rate * ", "self.weights_gradient = "),
    ("self.biases -= learning_rate * ", "self.biases_gradient = "),
)
PLACES_LAYER = "from base_layer import Layer"
PLACES_BEFORE = """from activations import ReLU, Sigmoid, Softmax, Tanh
from convolutional import Convolutional
from dense import Dense
from reshape import Reshape"""
PLACES_LOSS = f"""


def loss_and_gradients(xs, ys, {", ".join(PLACES_WEIGHTS)}):
    total, dx, found = 0, [], [0] * {len(PLACES_WEIGHTS)}
    for x, y in zip(xs, ys):
        first, second = Convolutional((2, 5, 6), 3, 3), Convolutional((3, 3, 4), 2, 4)
        third, last = Dense(24, 7), Dense(7, 5)
        first.kernels, first.biases, second.kernels, second.biases = K1, k1, K2, k2
        third.weights, third.biases, last.weights, last.biases = W1, w1, W2, w2
        layers = first, Sigmoid(), second, Tanh(), Reshape((4, 2, 3), (24, 1)), third, ReLU(), last, Softmax()
        out = x
        for layer in layers:
            out = layer.forward(out)
        total += categorical_cross_entropy(y, out)
        grad = categorical_cross_entropy_prime(y, out)
        for layer in reversed(layers):
            grad = layer.backward(grad, 1)
        dx.append(grad)
        grads = [grad for layer in (first, second) for grad in (layer.kernels_gradient, layer.biases_gradient)]
        grads += [grad for layer in (third, last) for grad in (layer.weights_gradient, layer.biases_gradient)]
        found = [done + grad for done, grad in zip(found, grads)]
    return total, np.array(dx), *found
"""


def places(m):
    r = numbers()
    weights = weights_of(r, " ".join(PLACES_WEIGHTS), *PLACES_WEIGHTS.values())
    given = {"xs": r(2, 2, 5, 6), "ys": np.eye(5)[[3, 0]][..., None]}
    return loss(m.loss_and_gradients, f"xs {' '.join(PLACES_WEIGHTS)}", **given, **weights)


# layers of a course with weights and gradients in dicts: convolutions, pools, GELU, dropout, weights that decay -------

DICTS = "himanshuss22/MLP-CNN-VAE-GAN-Neural-Network-Numpy-from-Scratch"
DICTS_WEIGHTS = {"K1": (3, 3, 2, 3), "k1": (3,), "K2": (3, 3, 3, 4), "k2": (4,)}
DICTS_WEIGHTS |= {"W1": (16, 7), "w1": (7,), "W2": (7, 5), "w2": (5,)}
DICTS_LAYERS = "sequential flatten fc gelu dropout cross_entropy softmax"
DICTS_BEFORE = f"""from convolutions import ConvLayer2D, MaxPoolingLayer
from layers import {", ".join(DICTS_LAYERS.split())}"""
# pictures are square, as its backward pass takes one size for both sides; the decay is in the gradients alone, so its
# loss is added here; each call draws the same places to drop
DICTS_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DICTS_WEIGHTS)}):
    model, error = Module(), cross_entropy()
    model.net = sequential(
        ConvLayer2D(2, 3, 3, padding=1, name="first"),
        gelu("gelu1"),
        MaxPoolingLayer(2, 1, "pool1"),
        ConvLayer2D(3, 3, 4, stride=2, padding=1, name="second"),
        MaxPoolingLayer(2, 1, "pool2"),
        flatten(),
        dropout(0.7, seed=1),
        fc(16, 7, name="third"),
        gelu("gelu2"),
        fc(7, 5, name="last"),
    )
    names = [f"{{layer}}_{{kind}}" for layer in ("first", "second", "third", "last") for kind in "wb"]
    for name, weight in zip(names, ({", ".join(DICTS_WEIGHTS)})):
        model.net.assign(name, weight)
    cost = error.forward(model.forward(x), y)
    cost += sum(0.1 * np.sum(weight**2) for weight in model.net.params.values())
    dx = model.backward(error.backward(), "l2", 0.1)
    return cost, dx, *(model.net.get_grads(name) for name in names)
"""


def dicts(m):
    r = numbers()
    weights = weights_of(r, " ".join(DICTS_WEIGHTS), *DICTS_WEIGHTS.values())
    given = {"x": r(2, 6, 6, 2), "y": np.array([4, 1])}
    return loss(m.loss_and_gradients, f"x {' '.join(DICTS_WEIGHTS)}", **given, **weights)


# dense nets of layers that keep what came to them, with three losses --------------------------------------------------

THREE = "CaptainCook-eng/Building-a-neural-network-in-Python-using-Numpy"
THREE_WEIGHTS = {"A1": (6, 4), "a1": (1, 6), "A2": (5, 6), "a2": (1, 5), "A3": (3, 5), "a3": (1, 3)}
THREE_WEIGHTS |= {"B1": (5, 4), "b1": (1, 5), "B2": (2, 5), "b2": (1, 2)}
THREE_WEIGHTS |= {"C1": (7, 4), "c1": (1, 7), "C2": (3, 7), "c2": (1, 3)}
THREE_FOLDER = "NeuronalNetworks/src/"
THREE_FUNCTIONS = """mean_squared_error derivative_mse binary_cross_entropy derivative_bce categorical_cross_entropy
derivative_cce"""
THREE_LOSSES = (
    # wrong as published: the losses are means, the gradients are those of sums
    ("return output - target", "return (output - target) / target.size"),
    (
        "return -target / output + (1 - target) / (1 - output)",
        "return (-target / output + (1 - target) / (1 - output)) / target.size",
    ),
    ("return - target / output", "return - target / output / target.size"),
)
THREE_LAYER = (
    # gradients are kept where it learns
    ("self.weight_matrix -= eta * ", "self.weight_gradient = "),
    ("self.bias_vector -= (eta * self.delta)", "self.bias_gradient = self.delta"),
)
THREE_IMPORTS = f"from losses import {', '.join(THREE_FUNCTIONS.split())}"
THREE_LAYER_BEFORE = f"""from activations import activation, derivative_activation
from initial import glorot
{THREE_IMPORTS}"""
THREE_BEFORE = f"""from pathlib import Path

from dense_layer import Layer
{THREE_IMPORTS}

root_file = Path()"""
THREE_LOSS = f"""


def loss_and_gradients(x, y, labels, classes, {", ".join(THREE_WEIGHTS)}):
    models = (
        ("mse", "relu sigmoid sigmoid", (A1, a1, A2, a2, A3, a3), y),
        ("bce", "relu sigmoid", (B1, b1, B2, b2), labels),
        ("cce", "sigmoid sigmoid", (C1, c1, C2, c2), classes),
    )
    total, found = 0, []
    for error, kinds, weights, wanted in models:
        layers = []
        for kind, weight, bias in zip(kinds.split(), weights[::2], weights[1::2]):
            layer = Layer(*weight.shape[::-1], kind)
            layer.weight_matrix, layer.bias_vector = weight, bias
            layers.append(layer)
        model = NeuralNetwork(layers, error)
        model.forward(x)
        total += model.loss(wanted)
        model.backward(wanted)
        model.update_vals()
        found += [grad for layer in layers for grad in (layer.weight_gradient, layer.bias_gradient)]
    return total, *found
"""


def three(m):
    r = numbers()
    weights = weights_of(r, " ".join(THREE_WEIGHTS), *THREE_WEIGHTS.values())
    given = {"x": r(3, 4), "y": r(3, 3), "labels": np.array([[1, 0], [0, 0], [1, 1]]), "classes": np.eye(3)[[2, 0, 1]]}
    return loss(m.loss_and_gradients, " ".join(THREE_WEIGHTS), **given, **weights)


# dense nets that sum over samples, one at a time, with weights that are dropped and that decay ------------------------

DROPPED = "iakash2604/neural-net-using-numpy"
DROPPED_WEIGHTS = {"A1": (6, 4), "a1": (6, 1), "A2": (7, 6), "a2": (7, 1), "A3": (3, 7), "a3": (3, 1)}
DROPPED_WEIGHTS |= {"B1": (5, 4), "b1": (5, 1), "B2": (3, 5), "b2": (3, 1)}
DROPPED_KINDS = "sigmoid ReLU tanh meanSquare crossEntropy"
DROPPED_FUNCTIONS = (
    # a name that NumPy no longer has
    ("np.int)", "int)"),
)
DROPPED_EDITS = (
    # wrong as published: what goes back goes by weights that are dropped
    (
        "np.dot(self.weightMatrices[-l+1].transpose(), delta)",
        "np.dot((self.weightMatrices[-l+1]*self.dropoutNetwork[-l+1]).transpose(), delta)",
    ),
)
# the rate is the number of samples: the difference is the gradient of the sum; the decay's loss is added here
DROPPED_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DROPPED_WEIGHTS)}):
    np.random.seed(2)  # the same places are dropped each time
    total, found = 0, []
    for hidden, error, weights in (
        (tanh, crossEntropy, (A1, a1, A2, a2, A3, a3)),
        (ReLU, meanSquare, (B1, b1, B2, b2)),
    ):
        matrices, biases = weights[::2], weights[1::2]
        sizes = [4, *(len(bias) for bias in biases)]
        net = neuralNetwork("net", 1, len(x), len(x), 0.4, 0, sizes, hidden, error, sigmoid, 0.3, False)
        net.weightMatrices, net.biasMatrices = list(matrices), list(biases)
        net.makeDropoutNetwork()
        total += sum(error.cost(net.forwardPass(one.reshape(4, 1))[1][-1], wanted) for one, wanted in zip(x, y))
        total += sum(0.1 * np.sum(weight**2) for weight in matrices)
        net.updateRule(x, y, 6)
        for k, (weight, bias) in enumerate(zip(matrices, biases)):
            found += [weight - net.weightMatrices[k], bias - net.biasMatrices[k]]
    return total, *found
"""


def dropped(m):
    r = numbers()
    weights = weights_of(r, " ".join(DROPPED_WEIGHTS), *DROPPED_WEIGHTS.values())
    given = {"x": 1 + np.abs(r(3, 4)), "y": np.eye(3)[[1, 0, 2]][..., None]}
    return loss(m.loss_and_gradients, " ".join(DROPPED_WEIGHTS), **given, **weights)


# a dense net of a course in one function, with all its weights in one array -------------------------------------------

COURSE = "Daffy2418/CS224d"
COURSE_BEFORE = "from sigmoid import sigmoid, sigmoid_grad\nfrom softmax import softmax"


def course(m):
    r = numbers()
    sizes = (4, 5, 3)
    given = {"data": r(6, 4), "labels": np.eye(3)[[2, 0, 1, 1, 2, 0]], "params": r(43), "dimensions": sizes}
    return loss(m.forward_backward_prop, "params", **given)


# a net for XOR in the function that trains with one sample ------------------------------------------------------------

XOR = "vbrodrigues/Backpropagation-in-Numpy-XOR-"
XOR_EDITS = (
    # gradients are returned
    ("return output_error", "return output_error, update_vector_1, update_vector_2, gradient1, gradient2"),
)
# it learns by nothing; half the square of what it returns is the loss
XOR_LOSS = """


def loss_and_gradients(xs, ys, w1, w2, b1, b2):
    total, found = 0, [0] * 4
    for x, y in zip(xs, ys):
        error, *grads = train(x, y, w1, w2, b1, b2)
        total += 0.5 * np.sum(error**2)
        found = [done + grad for done, grad in zip(found, grads)]
    return total, *found
"""


def xor(m):
    r = numbers()
    weights = weights_of(r, "w1 w2 b1 b2", (5, 3), (1, 5), (5, 1), (1, 1))
    given = {"xs": r(4, 3), "ys": np.array([[1.0], [0.0], [0.0], [1.0]])}
    return loss(m.loss_and_gradients, "w1 w2 b1 b2", **given, **weights)


SUBJECTS = [
    Subject(
        WORDS,
        "word vectors",
        (
            Part("functions.py", "ReLU sigmoid BinaryCrossEntropyLoss", module="functions"),
            Part("models.py", "Embedding ModerationNetwork", WORDS_EDITS, WORDS_BEFORE, WORDS_LOSS),
        ),
        words,
        published="two of the gradients are sums over the batch, the loss is a mean",
    ),
    Subject(
        PLACES,
        "convolutions",
        (
            Part("layers/layer.py", "Layer", module="base_layer"),
            Part("layers/activation.py", "Activation", before=PLACES_LAYER, module="activation"),
            Part(
                "layers/activations.py",
                "sigmoid sigmoid_prime tanh tanh_prime relu relu_prime softmax Sigmoid Tanh ReLU Softmax",
                before=f"from activation import Activation\n{PLACES_LAYER}",
                module="activations",
            ),
            Part(
                "layers/convolutional.py",
                "Convolutional",
                PLACES_CONVOLUTION,
                f"{PLACES_LAYER}\nfrom scipy import signal",
                module="convolutional",
            ),
            Part("layers/dense.py", "Dense", PLACES_DENSE, PLACES_LAYER, module="dense"),
            Part("layers/reshape.py", "Reshape", before=PLACES_LAYER, module="reshape"),
            Part(
                "layers/losses.py",
                "categorical_cross_entropy categorical_cross_entropy_prime",
                (),
                PLACES_BEFORE,
                PLACES_LOSS,
            ),
        ),
        places,
    ),
    Subject(
        DICTS,
        "convolutions",
        (
            Part("lib/mlp/layer_utils.py", DICTS_LAYERS, module="layers"),
            Part("lib/cnn/layer_utils.py", "ConvLayer2D MaxPoolingLayer", module="convolutions"),
            Part("lib/mlp/fully_conn.py", "Module", (), DICTS_BEFORE, DICTS_LOSS),
        ),
        dicts,
    ),
    Subject(
        THREE,
        "dense",
        (
            Part(THREE_FOLDER + "utils/activation.py", "activation derivative_activation", module="activations"),
            Part(THREE_FOLDER + "utils/loss.py", THREE_FUNCTIONS, THREE_LOSSES, module="losses"),
            Part(THREE_FOLDER + "utils/weightInit.py", "glorot", module="initial"),
            Part(THREE_FOLDER + "classes/Layer.py", "Layer", THREE_LAYER, THREE_LAYER_BEFORE, module="dense_layer"),
            Part(THREE_FOLDER + "classes/NeuralNetwork.py", "NeuralNetwork", (), THREE_BEFORE, THREE_LOSS),
        ),
        three,
        published="the losses are means, the gradients are those of sums",
    ),
    Subject(
        DROPPED,
        "dense",
        (
            Part("utils.py", "makeOneHot", module="utils"),
            Part("functions.py", DROPPED_KINDS, DROPPED_FUNCTIONS, "from utils import makeOneHot", module="functions"),
            Part(
                "neuralNetwork.py",
                "neuralNetwork",
                DROPPED_EDITS,
                f"from functions import {', '.join(DROPPED_KINDS.split())}",
                DROPPED_LOSS,
            ),
        ),
        dropped,
        published="what goes back does not know of the weights that are dropped",
    ),
    Subject(
        COURSE,
        "dense",
        (
            Part("sigmoid.py", "sigmoid sigmoid_grad", before="from scipy.special import expit", module="sigmoid"),
            Part("softmax.py", "softmax", module="softmax"),
            Part("neural.py", "forward_backward_prop", before=COURSE_BEFORE),
        ),
        course,
    ),
    Subject(
        XOR,
        "dense",
        (
            Part(
                "Backpropagation em Numpy.py",
                "sigmoid sigmoid_prime train",
                XOR_EDITS,
                "n_inputs, n_output, lr = 3, 1, 0",
                XOR_LOSS,
            ),
        ),
        xor,
    ),
]

"""Subjects drawn by lot: three dense nets, an LSTM of layers of nodes, a decoder put together of parts, a convolution
for one picture, tensors that know their derivatives."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# a dense net of functions with samples in columns, in a notebook ------------------------------------------------------

DIGITS = "OussamaSakini/MNIST-Neural-Network-From-Scratch-NumPy-Only-"
DIGITS_WEIGHTS = {"W1": (5, 4), "b1": (5, 1), "W2": (10, 5), "b2": (10, 1)}
DIGITS_TAKEN = "ReLU softmax forward_propagation one_hot_vector deriv_ReLU back_propagation get_loss"
DIGITS_EDITS = (
    # wrong as published: one number for all biases of a layer
    ("np.sum(dZ2)", "np.sum(dZ2, axis=1, keepdims=True)"),
    ("np.sum(dZ1)", "np.sum(dZ1, axis=1, keepdims=True)"),
)
DIGITS_LOSS = f"""


def loss_and_gradients(X, Y, {", ".join(DIGITS_WEIGHTS)}):
    Z1, A1, Z2, A2 = forward_propagation(W1, b1, W2, b2, X)
    db1, dW1, dZ1, db2, dW2, dZ2 = back_propagation(Z1, A1, W2, Z2, A2, X, Y)
    return get_loss(A2, Y), dW1, db1, dW2, db2
"""


def digits(m):
    r = numbers()
    weights = weights_of(r, " ".join(DIGITS_WEIGHTS), *DIGITS_WEIGHTS.values())
    given = {"X": r(4, 3), "Y": np.array([[7, 0, 4]])}
    return loss(m.loss_and_gradients, " ".join(DIGITS_WEIGHTS), **given, **weights)


# two layers of an LSTM, each with a node for each step and weights that hold their derivatives ------------------------

NODES = "SethHWeidman/RNN_from_scratch"
NODES_SHAPES = {f"W_{gate}": (10, 4) for gate in "fico"} | {"W_v": (4, 6)}
NODES_SHAPES |= {f"B_{gate}": (1, 4) for gate in "fico"} | {"B_v": (1, 6)}
NODES_WEIGHTS = {name + k: shape for k in "12" for name, shape in NODES_SHAPES.items()}
NODES_STATES = {name + k: (1, 4) for k in "12" for name in "HC"}
NODES_TAKEN = """sigmoid dsigmoid tanh dtanh row_softmax LSTM_Param LSTM_Params LSTM_Node LSTM_Layer LSTM_Model"""
NODES_EDITS = (
    # wrong as published: a sum of squares, but its gradient is that of the cross entropy
    ("np.sum((x_batch_out - y_batch) ** 2)", "-np.sum(y_batch * np.log(x_batch_out))"),
)
# the weights of a layer are in the order of all_params
NODES_LOSS = f"""


def loss_and_gradients(x, targets, {", ".join(NODES_STATES)}, {", ".join(NODES_WEIGHTS)}):
    model = LSTM_Model(2, 3, 6, 4, 0)
    params = [param for layer in model.layers for param in layer.params.all_params()]
    for param, array in zip(params, ({", ".join(NODES_WEIGHTS)})):
        param.value = array
    for layer, hidden, cell in zip(model.layers, (H1, H2), (C1, C2)):
        layer.start_H, layer.start_C = hidden, cell
        layer.params.clear_gradients()
    chances = row_softmax(model.forward(x))
    wanted = model._generate_one_hot_array(targets)
    dx = model.backward(model.loss_gradient(chances, wanted))
    return model.loss(chances, wanted), dx, *(param.deriv for param in params)
"""


def nodes(m):
    r = numbers()
    weights = weights_of(r, " ".join(NODES_WEIGHTS), *NODES_WEIGHTS.values())
    states = weights_of(r, " ".join(NODES_STATES), *NODES_STATES.values())
    given = {"x": r(3, 6), "targets": np.array([4, 1, 1])}
    return loss(m.loss_and_gradients, f"x {' '.join(NODES_WEIGHTS)}", **given, **states, **weights)


# a dense net with dropout and weights that decay, and two losses ------------------------------------------------------

DROPPED = "radmehrmiradi2001-sketch/advanced_nn_numpy"
DROPPED_WEIGHTS = {"W1": (4, 7), "b1": (1, 7), "W2": (7, 6), "b2": (1, 6), "W3": (6, 5), "b3": (1, 5)}
DROPPED_WEIGHTS |= {"V1": (4, 3), "c1": (1, 3), "V2": (3, 1), "c2": (1, 1)}
DROPPED_ACTIVATIONS = "relu relu_derivative sigmoid sigmoid_derivative tanh tanh_derivative linear linear_derivative"
DROPPED_TAKEN = f"""{DROPPED_ACTIVATIONS} softmax LossFunction MSELoss CrossEntropyLoss initialize_weights
NeuralNetwork"""
# the decay is in the gradients alone, so its loss is added here; one column for the mean of squares, as its gradient
# divides by the samples only
DROPPED_LOSS = f"""


ACTIVATIONS = {{
    "relu": (relu, relu_derivative),
    "sigmoid": (sigmoid, sigmoid_derivative),
    "tanh": (tanh, tanh_derivative),
    "linear": (linear, linear_derivative),
}}
LOSSES = {{"mse": MSELoss(), "cross_entropy": CrossEntropyLoss()}}


def loss_and_gradients(x, y, values, {", ".join(DROPPED_WEIGHTS)}):
    np.random.seed(5)  # the same places are dropped each time
    first = NeuralNetwork([4, 7, 6, 5], ["tanh", "relu", "softmax"], l2_lambda=0.3, dropout_prob=0.3)
    first.weights, first.biases = [W1, W2, W3], [b1, b2, b3]
    second = NeuralNetwork([4, 3, 1], ["sigmoid", "linear"], "mse", l2_lambda=0.2)
    second.weights, second.biases = [V1, V2], [c1, c2]
    total, found = 0, []
    for model, wanted in ((first, y), (second, values)):
        activations, sums, masks = model.forward(x)
        total += model.loss_fn(activations[-1], wanted)
        total += 0.5 * model.l2_lambda * sum(np.sum(weight**2) for weight in model.weights)
        grads, bias_grads = model.backward(activations, sums, wanted, masks)
        found += [grad for pair in zip(grads, bias_grads) for grad in pair]
    return total, *found
"""


def dropped(m):
    r = numbers()
    weights = weights_of(r, " ".join(DROPPED_WEIGHTS), *DROPPED_WEIGHTS.values())
    given = {"x": r(3, 4), "y": np.eye(5)[[3, 0, 2]], "values": r(3, 1)}
    return loss(m.loss_and_gradients, " ".join(DROPPED_WEIGHTS), **given, **weights)


# a decoder put together of classes that have the backward passes of its layers ----------------------------------------

DECODER = "mpeng19/transformer-in-numpy"
DECODER_WEIGHTS = {f"{name}{k}": (6, 3) for k in "01" for name in "KQV"}
DECODER_WEIGHTS |= {"beta1": (6,), "gamma1": (6,), "P": (6, 6), "head": (6, 7), "beta2": (6,), "gamma2": (6,)}
DECODER_WEIGHTS |= {"E": (7, 6)}
DECODER_MIXINS = "EmbeddingLayerGradMixin LayerNormGradMixin SelfAttentionBlockGradMixin MultiHeadAttentionGradMixin"
DECODER_TAKEN = f"softmax_backward cross_entropy_backward {DECODER_MIXINS} backward_pass"
DECODER_EDITS = (
    # wrong as published: what goes to the normalization has its samples and steps in one axis
    ("d_logits @ model.lm_head.T", "(d_logits @ model.lm_head.T).reshape(x_last.shape)"),
)
DECODER_BEFORE = "from typing import List, Tuple\n\nfrom embedding import EmbeddingLayer, PositionalEncoding"
# its own layers have no forward pass that runs, so the model is made of the mixins here; its gradients come in the
# order of their names
DECODER_LOSS = f"""


class Embedding(EmbeddingLayerGradMixin, EmbeddingLayer):
    pass


class Norm(LayerNormGradMixin):
    def __init__(self, g, b):
        self.g, self.b, self.eps = g, b, 1e-5


class Head(SelfAttentionBlockGradMixin):
    def __init__(self, key, query, value):
        self.key, self.query, self.value, self.head_size = key, query, value, key.shape[1]
        self.causal_mask = np.tril(np.ones((4, 4)))


class Heads(MultiHeadAttentionGradMixin):
    def __init__(self, heads, proj):
        self.heads, self.proj = heads, proj


class Block:
    def __init__(self, norm, heads):
        self.norm, self.sa = norm, heads

    def forward(self, x):
        return x + self.sa.forward(self.norm(x))

    def backward(self, d_out):
        d_x = d_out + self.norm.backward(self.sa.backward(d_out))
        self.grads = {{f"norm_{{name}}": grad for name, grad in self.norm.grads.items()}} | self.sa.grads
        for k, head in enumerate(self.sa.heads):
            self.grads |= {{f"head{{k}}_{{name}}": grad for name, grad in head.grads.items()}}
        return d_x


class Decoder:
    pass


def loss_and_gradients(ids, targets, {", ".join(DECODER_WEIGHTS)}):
    model = Decoder()
    model.token_embedding = Embedding(7, 6)
    model.token_embedding.weights = E
    heads = Heads([Head(K0, Q0, V0), Head(K1, Q1, V1)], P)
    model.blocks, model.ln_f, model.lm_head = [Block(Norm(gamma1, beta1), heads)], Norm(gamma2, beta2), head
    x = model.token_embedding.forward(ids) + PositionalEncoding(6, 4).forward(np.arange(4))
    model.x_last = model.ln_f(model.blocks[0].forward(x))
    logits = model.x_last.reshape(-1, 6) @ model.lm_head
    cost, grads = backward_pass(model, logits, targets.reshape(-1))
    return cost, *grads
"""


def decoder(m):
    r = numbers()
    weights = weights_of(r, " ".join(DECODER_WEIGHTS), *DECODER_WEIGHTS.values())
    given = {"ids": np.array([[2, 6, 2, 0], [5, 1, 3, 3]]), "targets": np.array([[6, 2, 0, 4], [1, 3, 3, 5]])}
    return loss(m.loss_and_gradients, " ".join(DECODER_WEIGHTS), **given, **weights)


# a convolution and a pool for one picture, with loops, and the function that trains -----------------------------------

PICTURE = "yuvi-22/CNN-using-only-NumPy-"
PICTURE_WEIGHTS = {"W1": (3, 1, 3, 3), "b1": (3,), "W2": (10, 12), "b2": (10,)}
PICTURE_TAKEN = """convolve relu max_pool flatten fully_conntected softmax cross_entropy_loss backward_fc
backward_max_pool backward_convolve train"""
PICTURE_EDITS = (
    # wrong as published: the loss is divided by the number of classes, its gradient is not
    ("np.log(predictions + 1e-9))/ targets.shape[0]", "np.log(predictions + 1e-9))"),
    # wrong as published: the derivative of the ReLU is forgotten
    ("backward_convolve(d_relu, image", "backward_convolve(d_relu * (conv_outputs > 0), image"),
    ("    return loss", "    return loss, d_conv, d_filters, d_bias, d_fc_weights, d_fc_bias"),
)
PICTURE_LOSS = f"""


def loss_and_gradients(images, labels, {", ".join(PICTURE_WEIGHTS)}):
    total, dx, found = 0, [], [0] * {len(PICTURE_WEIGHTS)}
    for image, label in zip(images, labels):
        cost, d_image, *grads = train(image, label, W1, b1, W2, b2)
        total += cost
        dx.append(d_image)
        found = [done + grad for done, grad in zip(found, grads)]
    return total, np.array(dx), *found
"""


def picture(m):
    r = numbers()
    weights = weights_of(r, " ".join(PICTURE_WEIGHTS), *PICTURE_WEIGHTS.values())
    weights["W2"] *= 0.4  # chances that are not too small, as its loss adds 1e-9 to them
    given = {"images": r(2, 6, 6), "labels": np.array([7, 2])}
    return loss(m.loss_and_gradients, f"images {' '.join(PICTURE_WEIGHTS)}", **given, **weights)


# tensors whose functions have an object for the derivative ------------------------------------------------------------

OBJECTS = "windshadow233/autograd-with-numpy"
OBJECTS_WEIGHTS = {"W1": (3, 2, 2, 3), "b1": (3,), "gamma": (3,), "beta": (3,), "W2": (5, 18), "b2": (5,)}
OBJECTS_WEIGHTS |= {"E": (6, 4), "V": (4, 5), "W3": (7, 5), "b3": (7,)}
OBJECTS_KINDS = """Slice Index Add Neg Sub Mul Div Sum Max T Reshape Mm Tanh Log Exp Sigmoid CrossEntropy Conv2d
AvgPool2d BatchNorm LeakyReLU ELU Embedding"""
OBJECTS_BACKWARD = " ".join(f"{kind}Backward" for kind in OBJECTS_KINDS.split())
OBJECTS_EDITS = (("np.float32", "np.float64"),)
OBJECTS_BACKWARD_BEFORE = """import math
from itertools import product
from numbers import Number

from broadcast import get_tile_dims
from conv_operations import dilate, erode, padding_zeros, reverse_conv2d, unwrap_padding"""
OBJECTS_TENSOR_BEFORE = f"""import math
from numbers import Number

from backward import {", ".join(OBJECTS_BACKWARD.split())}
from grad_mode import is_grad_enabled
from numpy import float64, inf, int64
from return_types import Max

float32 = float64"""
OBJECTS_FUNCTIONS = """leaky_relu elu one_hot linear conv2d max_pool2d batch_norm embedding cross_entropy"""
OBJECTS_BEFORE = f"""from backward import {", ".join(OBJECTS_BACKWARD.split())}
from conv_operations import dilate, padding_zeros, split_by_strides
from tensor import Tensor, float32
from utils import _pair
"""
OBJECTS_LOSS = f"""


def loss_and_gradients(x, words, targets, {", ".join(OBJECTS_WEIGHTS)}):
    tensors = []
    for array in (x, {", ".join(OBJECTS_WEIGHTS)}):
        tensors.append(Tensor(0.0, requires_grad=True))
        tensors[-1].data = array
    x, {", ".join(OBJECTS_WEIGHTS)} = tensors
    maps = leaky_relu(conv2d(x, W1, b1, stride=2, padding=1), 0.1)
    mean = Tensor(maps.data.mean((0, 2, 3), keepdims=True))
    maps = batch_norm(maps, mean, Tensor(maps.data.var((0, 2, 3), keepdims=True)), gamma, beta)
    rows = elu(max_pool2d(maps, (2, 2), (2, 1)), 0.7).reshape(3, -1)
    hidden = linear(rows.reshape(3, -1), W2, b2).tanh() * (embedding(Tensor(words), E) @ V).sigmoid()
    cost = cross_entropy(linear(hidden, W3, b3), Tensor(targets))
    cost.backward()
    return cost.data, *(tensor.grad.data for tensor in tensors)
"""


def objects(m):
    r = numbers()
    weights = weights_of(r, " ".join(OBJECTS_WEIGHTS), *OBJECTS_WEIGHTS.values())
    weights["beta"] -= 1  # the ELU is given numbers of both signs
    given = {"x": r(3, 2, 6, 7), "words": np.array([4, 1, 4]), "targets": np.array([6, 0, 3])}
    return loss(m.loss_and_gradients, f"x {' '.join(OBJECTS_WEIGHTS)}", **given, **weights)


# a dense net with one output, whose activation and loss are given to it -----------------------------------------------

SHALLOW = "dimits-exe/numpy-mlp-classifier"
SHALLOW_WEIGHTS = {"h_w": (5, 7), "o_w": (7, 1), "h_b": (1, 7), "o_b": (1, 1)}
SHALLOW_EDITS = (
    # wrong as published: it divides by the features in place of the samples
    ("m = x.shape[1]", "m = x.shape[0]"),
)
# the file with these functions is not in the repository
SHALLOW_LOSS = f"""


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def sigmoid_prime(z):
    return sigmoid(z) * (1 - sigmoid(z))


def cost(a, y):
    return -(y * np.log(a) + (1 - y) * np.log(1 - a))


def cost_prime(a, y):
    return (a - y) / (a * (1 - a))


def loss_and_gradients(x, y, {", ".join(SHALLOW_WEIGHTS)}):
    net = ShallowNetwork(5, 7, 1, 0, 1, 0, sigmoid, sigmoid_prime, cost, cost_prime)
    dw1, dw2, db1, db2, error = net._back_propagation(x, y, dict(h_w=h_w, o_w=o_w, h_b=h_b, o_b=o_b))
    return error, dw1, dw2, db1, db2
"""


def shallow(m):
    r = numbers()
    weights = weights_of(r, " ".join(SHALLOW_WEIGHTS), *SHALLOW_WEIGHTS.values())
    given = {"x": r(4, 5), "y": np.array([[1], [0], [0], [1]])}
    return loss(m.loss_and_gradients, " ".join(SHALLOW_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        DIGITS,
        "dense",
        (Part("Image_Recognation_NN_from_Scratch.ipynb", DIGITS_TAKEN, DIGITS_EDITS, after=DIGITS_LOSS),),
        digits,
        published="one number for all biases of a layer",
    ),
    Subject(
        NODES,
        "LSTM",
        (Part("LSTM_Lunch_and_Learn.ipynb", NODES_TAKEN, NODES_EDITS, after=NODES_LOSS),),
        nodes,
        published="a sum of squares with the gradient of the cross entropy",
    ),
    Subject(
        DROPPED,
        "dense",
        (Part("advanced_nn_numpy.py", DROPPED_TAKEN, (), "from typing import List, Tuple", DROPPED_LOSS),),
        dropped,
    ),
    Subject(
        DECODER,
        "transformer",
        (
            Part("model/embedding.py", "EmbeddingLayer PositionalEncoding", module="embedding"),
            Part("backprop.py", DECODER_TAKEN, DECODER_EDITS, DECODER_BEFORE, DECODER_LOSS),
        ),
        decoder,
        published="what goes to the last normalization has a wrong shape",
    ),
    Subject(
        PICTURE,
        "convolutions",
        (Part("main.py", PICTURE_TAKEN, PICTURE_EDITS, after=PICTURE_LOSS),),
        picture,
        published="the loss is divided by the classes, the derivative of the ReLU is forgotten",
    ),
    Subject(
        OBJECTS,
        "tensors",
        (
            Part("nptorch/autograd/broadcast.py", "set_ndim_eq get_tile_dims", module="broadcast"),
            Part(
                "nptorch/nn/conv_operations.py",
                "split_by_strides padding_zeros unwrap_padding rotate180 dilate erode reverse_conv2d",
                OBJECTS_EDITS,
                "from numpy.lib.stride_tricks import as_strided",
                module="conv_operations",
            ),
            Part(
                "nptorch/autograd/backward.py",
                f"BackwardFcn {OBJECTS_BACKWARD}",
                OBJECTS_EDITS,
                OBJECTS_BACKWARD_BEFORE,
                module="backward",
            ),
            Part(
                "nptorch/autograd/grad_mode.py",
                "GradEnable",
                after="\nis_grad_enabled = GradEnable()",
                module="grad_mode",
            ),
            Part("nptorch/return_types.py", "ReturnType Max", before="from copy import copy", module="return_types"),
            Part("nptorch/tensor.py", "Tensor", OBJECTS_EDITS, OBJECTS_TENSOR_BEFORE, module="tensor"),
            Part(
                "nptorch/nn/modules/utils.py",
                "_make_tuple",
                before="from itertools import repeat",
                after="\n_pair = _make_tuple(2)",
                module="utils",
            ),
            Part("nptorch/nn/functional.py", OBJECTS_FUNCTIONS, (), OBJECTS_BEFORE, OBJECTS_LOSS),
        ),
        objects,
    ),
    Subject(
        SHALLOW,
        "dense",
        (Part("models/mlp.py", "ShallowNetwork", SHALLOW_EDITS, "from typing import Callable", SHALLOW_LOSS),),
        shallow,
        published="its gradients are divided by the features in place of the samples",
    ),
]

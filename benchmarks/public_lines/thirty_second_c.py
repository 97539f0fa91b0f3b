"""Subjects by owners that begin with P, S, T, Y and Z: a convolution of one picture, a dense net in dicts, word vectors
in one function and in one method, a chain of dense layers that know their neighbours, convolutions of modules,
operations on tensors."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# a convolution of one picture, with a bias for each place, and dense layers, for one sample at a time -----------------

PICTURE = "p-omahony/numpy-cnn"
PICTURE_WEIGHTS = {"K": (3, 3, 2), "k": (3, 3, 5), "W1": (45, 7), "b1": (1, 7), "W2": (7, 4), "b2": (1, 4)}
PICTURE_EDITS = (
    # wrong as published: of what goes back to the picture only the last kernel's is kept
    ("input_gradient = signal.convolve2d", "input_gradient += signal.convolve2d"),
)
# the loop that trains is not taken; layers learn at once, the difference is the gradient
PICTURE_LOSS = f"""

from activations import tanh, tanh_prime
from losses import mse, mse_prime


def loss_and_gradients(xs, ys, {", ".join(PICTURE_WEIGHTS)}):
    weights = {", ".join(PICTURE_WEIGHTS)}
    cost, dx, found = 0, [], [0] * len(weights)
    for x, y in zip(xs, ys):
        conv, dense1, dense2 = ConvLayer(3, (3, 2)), FCLayer(45, 7), FCLayer(7, 4)
        conv.kernels, conv.biases = K.copy(), k.copy()
        dense1.weights, dense1.bias, dense2.weights, dense2.bias = W1.copy(), b1.copy(), W2.copy(), b2.copy()
        layers = [conv, ActivationLayer(tanh, tanh_prime), ReshapeLayer((3, 3, 5), (1, 45)), dense1]
        layers += [ActivationLayer(tanh, tanh_prime), dense2, ActivationLayer(tanh, tanh_prime)]
        out = x
        for one in layers:
            out = one.forward(out)
        cost += mse(y, out)
        error = mse_prime(y, out)
        for one in reversed(layers):
            error = one.backward(error, 1.0)
        dx.append(error)
        after = conv.kernels, conv.biases, dense1.weights, dense1.bias, dense2.weights, dense2.bias
        found = [grad + old - new for grad, old, new in zip(found, weights, after)]
    return cost, np.array(dx), *found
"""


def picture(m):
    r = numbers()
    weights = weights_of(r, " ".join(PICTURE_WEIGHTS), *PICTURE_WEIGHTS.values())
    return loss(m.loss_and_gradients, "xs " + " ".join(PICTURE_WEIGHTS), xs=r(2, 5, 6), ys=0.5 * r(2, 1, 4), **weights)


# a dense net of sigmoids whose weights are in dicts; forward, backward and update in one method -----------------------

DICTS = "SkywalkerAtlas/Backpropagation-numpy"
DICTS_WEIGHTS = {"w1": (5, 3), "b1": (5, 1), "w2": (7, 5), "b2": (7, 1), "w3": (4, 7), "b3": (4, 1)}
DICTS_EDITS = (
    # the loss is kept
    ("print('epoch: %d, loss: %f' % (epoch, loss))", "self.loss = loss"),
)
# it learns at once, the difference is the gradient
DICTS_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(DICTS_WEIGHTS)}):
    net = NN(3, (5, 7), 4)
    net.w = {{1: w1.copy(), 2: w2.copy(), 3: w3.copy()}}
    net.b = {{1: b1.copy(), 2: b2.copy(), 3: b3.copy()}}
    net.fit(x, y, 1, 1.0)
    found = [[w - net.w[k], b - net.b[k]] for k, (w, b) in enumerate(((w1, b1), (w2, b2), (w3, b3)), 1)]
    return net.loss, *sum(found, [])
"""


def dicts(m):
    r = numbers()
    weights = weights_of(r, " ".join(DICTS_WEIGHTS), *DICTS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DICTS_WEIGHTS), x=r(2, 3), y=r(2, 4, 1), **weights)


# a chain of dense layers that know the one before and the one after; penalties on weights and biases; once with a
# softmax whose matrix is made for each sample, and with dropout, once with sigmoids and binary entropies --------------

CHAIN = "stav95/NeuralNetworkFromScratch"
CHAIN_WEIGHTS = {"W1": (5, 7), "b1": (1, 7), "W2": (7, 4), "b2": (1, 4)}
CHAIN_WEIGHTS |= {"V1": (5, 6), "c1": (1, 6), "V2": (6, 2), "c2": (1, 2)}
CHAIN_LAYER = "from layer import Layer"
CHAIN_ACTIVATION = "from activation_function import ActivationFunction"
CHAIN_BASE = "from loss import Loss"
# random draws are given
CHAIN_DROPOUT = (("np.random.binomial(1, self.rate, size=inputs.shape)", "self.draws"),)
CHAIN_BEFORE = """from typing import List, Tuple

from binary_crossentropy import Loss_BinaryCrossentropy
from combined import Activation_Softmax_Loss_CategoricalCrossentropy
from dropout import Layer_Dropout
from layer import Layer
from layer_dense import Layer_Dense
from layer_input import Layer_Input
from loss import Loss
from loss_categorical_crossentropy import Loss_CategoricalCrossentropy
from relu import Activation_ReLU
from sigmoid import Activation_Sigmoid
from softmax import Activation_Softmax

Accuracy = Optimizer = None"""
CHAIN_LOSS = f"""

def loss_and_gradients(X, labels, bits, draws, {", ".join(CHAIN_WEIGHTS)}):
    dense = Layer_Dense(5, 7, 0.1, 0.2, 0.3, 0.15), Layer_Dense(7, 4)
    drop = Layer_Dropout(0.25)
    drop.draws = draws
    first = [dense[0], Activation_ReLU(), drop, dense[1], Activation_Softmax()]
    dense += Layer_Dense(5, 6, 0, 0.1, 0.2, 0), Layer_Dense(6, 2, 0.2, 0, 0, 0.1)
    second = [dense[2], Activation_Sigmoid(), dense[3], Activation_Sigmoid()]
    for layer, weights, biases in zip(dense, (W1, W2, V1, V2), (b1, b2, c1, c2)):
        layer.set_parameters(weights, biases)
    cost, dX = 0, 0
    kinds = ((first, Loss_CategoricalCrossentropy(), labels), (second, Loss_BinaryCrossentropy(), bits))
    for layers, error, y in kinds:
        model = Model()
        for layer in layers:
            model.add(layer)
        model.complie(None, error, None)
        output = model.forward(X)
        cost += sum(error.calculate(output, y, True))
        model.backward(output, y)
        dX = dX + layers[0].dinputs
    return cost, dX, *(grad for layer in dense for grad in (layer.dweights, layer.dbiases))
"""


def chain(m):
    r = numbers()
    weights = weights_of(r, " ".join(CHAIN_WEIGHTS), *CHAIN_WEIGHTS.values())
    given = {"X": r(3, 5), "labels": np.array([3, 0, 2]), "bits": np.array([[1, 0], [1, 1], [0, 0]])}
    given["draws"] = 1.0 * (np.random.default_rng(1).random((3, 7)) < 0.75)
    return loss(m.loss_and_gradients, "X " + " ".join(CHAIN_WEIGHTS), **given, **weights)


# word vectors with words that are drawn: one function for a pair of words, which learns at once -----------------------

DRAWN = "ZineddineKEBAB13/word2vec-from-scratch"
DRAWN_EDITS = (
    # there is no loss: it is returned
    ("return m_vec_new", "return -np.log(s_pos) - np.sum(np.log(1 - s_negs)), m_vec_new"),
)
# the rate is one, the difference is the gradient
DRAWN_LOSS = """

def loss_and_gradients(centers, positives, negatives, M, C):
    cost, dM, dC = 0, np.zeros_like(M), np.zeros_like(C)
    for center, positive, negative in zip(centers, positives, negatives):
        one, m_new, pos_new, neg_new = gradient_update(1.0, M[center], C[positive], C[negative])
        cost += one
        dM[center] += M[center] - m_new
        dC[positive] += C[positive] - pos_new
        np.add.at(dC, negative, C[negative] - neg_new)
    return cost, dM, dC
"""


def drawn(m):
    weights = weights_of(numbers(), "M C", (9, 5), (9, 5))
    given = {"centers": np.array([2, 7, 2]), "positives": np.array([4, 1, 8])}
    given["negatives"] = np.array([[0, 6, 6, 3], [3, 0, 5, 2], [4, 2, 1, 7]])
    return loss(m.loss_and_gradients, "M C", **given, **weights)


# word vectors by single pairs of words that belong together or not, the second words in columns -----------------------

LABELS = "TrungLHB/word2vec-from-scratch"
# it learns at once, the difference is the gradient
LABELS_LOSS = """

def loss_and_gradients(targets, contexts, labels, W1, W2):
    cost, dW1, dW2 = 0, 0, 0
    for target, context, label in zip(targets, contexts, labels):
        model = Word2Vec(9, 5)
        model.W1, model.W2 = W1.copy(), W2.copy()
        cost += model.train_step(target, context, label, 1.0)
        dW1, dW2 = dW1 + W1 - model.W1, dW2 + W2 - model.W2
    return cost, dW1, dW2
"""


def labelled(m):
    weights = weights_of(numbers(), "W1 W2", (9, 5), (5, 9))
    given = {"targets": np.array([2, 7, 2, 5]), "contexts": np.array([4, 1, 8, 4]), "labels": np.array([1, 0, 0, 1])}
    return loss(m.loss_and_gradients, "W1 W2", **given, **weights)


# convolutions of modules with weights in dicts; kernels have the channels of the picture first; what is found is
# divided by the number of samples in each layer, not in the loss ------------------------------------------------------

MODULES = "yizt/numpy_neural_network"
MODULES_WEIGHTS = {"c1_weight": (2, 3, 3, 2), "c1_bias": (3,), "c2_weight": (3, 4, 2, 3), "c2_bias": (4,)}
MODULES_WEIGHTS |= {"l1_weight": (4, 7), "l1_bias": (7,), "l2_weight": (7, 5), "l2_bias": (5,)}
# names that are gone from numpy
MODULES_NUMPY = (("np.lib.pad", "np.pad"), ("dtype=np.float)", "dtype=float)"))
MODULES_CONV = (
    # wrong as published: the picture is not padded for what goes back to the kernel
    ("np.zeros((D,), dtype=np.float))", "np.zeros((D,), dtype=float), padding)"),
    *MODULES_NUMPY,
    # the same in numpy, which is there too, for what is compiled
    ("= c_conv_forward(", "= _conv_forward("),
)
MODULES_TAKEN = "fc_forward fc_backward _remove_padding _insert_zeros global_avg_pooling_forward"
MODULES_FAST = (
    "_conv_forward conv_forward conv_backward max_pooling_forward max_pooling_backward global_avg_pooling_backward"
)
MODULES_BEFORE = f"""from typing import List

from activations import relu_backward, relu_forward
from layers import fc_backward, fc_forward, global_avg_pooling_forward
from layers_v2 import {", ".join(MODULES_FAST.split()[1:])}
from losses import cross_entropy_loss"""
MODULES_LOSS = f"""

def loss_and_gradients(x, y, {", ".join(MODULES_WEIGHTS)}):
    layers = [Conv2D(2, 3, (3, 2), name="c1"), ReLU(), MaxPooling2D((2, 3), (2, 3))]
    layers += [Conv2D(3, 4, (2, 3), (0, 1), name="c2"), ReLU(), GlobalAvgPooling2D()]
    layers += [Linear(4, 7, name="l1"), ReLU(), Linear(7, 5, name="l2")]
    model = Model(layers)
    names = "{" ".join(MODULES_WEIGHTS)}".split()
    model.load_weights(dict(zip(names, ({", ".join(MODULES_WEIGHTS)}))))
    cost, gradient = cross_entropy_loss(model.forward(x), y)
    model.backward(gradient)
    found = {{}}
    for layer in layers:
        found |= layer.gradients
    return cost, found
"""


def modules(m):
    r = numbers()
    weights = weights_of(r, " ".join(MODULES_WEIGHTS), *MODULES_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(MODULES_WEIGHTS), x=r(3, 2, 7, 8), y=np.eye(5)[[4, 0, 3]], **weights)


# operations on tensors that hold arrays: a convolution with a normalised batch and the largest of windows, then dense -

TENSORS = "tigert1998/mytorch"
TENSORS_WEIGHTS = {"K": (3, 2, 3, 2), "k": (3,), "gamma": (3,), "beta": (3,)}
TENSORS_WEIGHTS |= {"W": (45, 6), "w": (6,), "V": (6, 5), "v": (5,)}
TENSORS_OPS = "mytorch/backends/cpu/ops/"
TENSORS_TYPES = "import numpy.typing as npt\nfrom typing import Any, List, Optional, Tuple, Union\n\n"
TENSORS_BEFORE = TENSORS_TYPES + "from tensor import Tensor, shape_size"
# modules are in one folder
TENSORS_IMPORT = (("from mytorch.tensor import", "from tensor import"),)
TENSORS_BROADCAST = (
    # they are zeros already; what fills them is not taken
    ("x_grad.fill_(0)", "pass"),
    ("y_grad.fill_(0)", "pass"),
)
TENSORS_IMPORTED = """from batch_norm import cpu_batch_norm2d, cpu_batch_norm2d_backward
from broadcast_binary_ops import cpu_add, cpu_add_backward
from conv import cpu_conv2d, cpu_conv2d_backward
from dtype import int64
from elementwise_ops import cpu_relu, cpu_relu_backward
from mm import cpu_mm, cpu_mm_backward
from pool_ops import cpu_max_pool2d, cpu_max_pool2d_backward
from reshape import cpu_reshape
from tensor import InvalidDataTypeError, Tensor"""
TENSORS_DTYPE = """

float64 = DType("float64", np.float64, "double", True)
int64 = DType("int64", np.int64, "int64_t", False)
"""
# what decides on the order of the operations is not taken: they are called one after another
TENSORS_LOSS = f"""

def loss_and_gradients(x, target, {", ".join(TENSORS_WEIGHTS)}):
    x, target, {", ".join(TENSORS_WEIGHTS)} = map(Tensor, (x, target, {", ".join(TENSORS_WEIGHTS)}))
    conv, pool = ((2, 1), (1, 0)), ((2, 3), (1, 2), (1, 0))
    a = cpu_conv2d(x, K, k, *conv)
    b, mean, var = cpu_batch_norm2d(a, gamma, beta, 1e-5, True, 0.1, None, None)
    c = cpu_relu(b)
    d = cpu_max_pool2d(c, *pool)
    e = cpu_reshape(d, (3, -1))
    f = cpu_mm(e, W)
    g = cpu_add(f, w, 1)
    h = cpu_relu(g)
    i = cpu_mm(h, V)
    j = cpu_add(i, v, 1)
    cost = cpu_cross_entropy(j, target)
    (grad,) = cpu_cross_entropy_backward(Tensor(np.ones(1)), j, target)
    grad, dv = cpu_add_backward(grad, i, v, 1)
    grad, dV = cpu_mm_backward(grad, h, V)
    (grad,) = cpu_relu_backward(grad, g)
    grad, dw = cpu_add_backward(grad, f, w, 1)
    grad, dW = cpu_mm_backward(grad, e, W)
    grad = cpu_reshape(grad, d.shape)
    (grad,) = cpu_max_pool2d_backward(grad, d, c, *pool)
    (grad,) = cpu_relu_backward(grad, b)
    grad, dgamma, dbeta = cpu_batch_norm2d_backward(grad, mean, var, a, gamma, beta, 1e-5)
    dx, dK, dk = cpu_conv2d_backward(grad, x, K, k, *conv)
    return float(cost.numpy()), *(found.numpy() for found in (dx, dK, dk, dgamma, dbeta, dW, dw, dV, dv))
"""


def tensors(m):
    r = numbers()
    weights = weights_of(r, " ".join(TENSORS_WEIGHTS), *TENSORS_WEIGHTS.values())
    given = {"x": r(3, 2, 7, 8), "target": np.array([4, 0, 3])}
    return loss(m.loss_and_gradients, "x " + " ".join(TENSORS_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        PICTURE,
        "convolutions",
        (
            Part("functions/activations.py", "tanh tanh_prime", module="activations"),
            Part("functions/losses.py", "mse mse_prime", module="losses"),
            Part(
                "layers/layers.py",
                "FCLayer ActivationLayer ConvLayer ReshapeLayer",
                PICTURE_EDITS,
                "from scipy import signal",
                PICTURE_LOSS,
            ),
        ),
        picture,
        published="of what goes back to the picture only the last kernel's is kept",
    ),
    Subject(
        DICTS,
        "dense",
        (Part("backpropagation_numpy.py", "NN sigmod dsigmod", DICTS_EDITS, after=DICTS_LOSS),),
        dicts,
    ),
    Subject(
        CHAIN,
        "dense",
        (
            Part("layers/layer.py", "Layer", before="import abc", module="layer"),
            Part("layers/layer_input.py", "Layer_Input", before=CHAIN_LAYER, module="layer_input"),
            Part(
                "layers/layer_dense.py",
                "Layer_Dense",
                (),
                "from typing import Tuple\n\n" + CHAIN_LAYER,
                module="layer_dense",
            ),
            Part("layers/dropout.py", "Layer_Dropout", CHAIN_DROPOUT, CHAIN_LAYER, module="dropout"),
            Part(
                "activation_functions/activation_function.py",
                "ActivationFunction",
                (),
                "import abc\n\n" + CHAIN_LAYER,
                module="activation_function",
            ),
            Part("activation_functions/relu.py", "Activation_ReLU", before=CHAIN_ACTIVATION, module="relu"),
            Part("activation_functions/sigmoid.py", "Activation_Sigmoid", before=CHAIN_ACTIVATION, module="sigmoid"),
            Part("activation_functions/softmax.py", "Activation_Softmax", before=CHAIN_ACTIVATION, module="softmax"),
            Part(
                "losses/loss.py",
                "Loss",
                (),
                "import abc\nfrom typing import List, Tuple\n\nfrom layer_dense import Layer_Dense",
                module="loss",
            ),
            Part(
                "losses/loss_categorical_crossentropy.py",
                "Loss_CategoricalCrossentropy",
                before=CHAIN_BASE,
                module="loss_categorical_crossentropy",
            ),
            Part(
                "losses/binary_crossentropy.py",
                "Loss_BinaryCrossentropy",
                before=CHAIN_BASE,
                module="binary_crossentropy",
            ),
            Part(
                "activation_and_loss/activation_softmax_loss_categorical_crossentropy.py",
                "Activation_Softmax_Loss_CategoricalCrossentropy",
                module="combined",
            ),
            Part("model.py", "Model", (), CHAIN_BEFORE, CHAIN_LOSS),
        ),
        chain,
    ),
    Subject(
        DRAWN,
        "word vectors",
        (Part("w2v.py", "sigmoid gradient_update", DRAWN_EDITS, after=DRAWN_LOSS),),
        drawn,
    ),
    Subject(LABELS, "word vectors", (Part("word2vec.py", "Word2Vec", after=LABELS_LOSS),), labelled),
    Subject(
        TENSORS,
        "convolutions",
        (
            Part("mytorch/dtype.py", "DType", (), "import numpy.typing as npt", TENSORS_DTYPE, "dtype"),
            Part(
                "mytorch/tensor.py",
                "InvalidDataTypeError InvalidShapeError shape_size Device Tensor",
                (),
                TENSORS_TYPES + "from dtype import DType",
                module="tensor",
            ),
            Part(
                "mytorch/backends/utils.py",
                "calculate_broadcast_shape calculate_reshaped_shape",
                TENSORS_IMPORT,
                TENSORS_TYPES,
                module="utils",
            ),
            Part(
                TENSORS_OPS + "conv.py",
                "_im2col _col2im cpu_conv2d cpu_conv2d_backward",
                (),
                TENSORS_BEFORE,
                module="conv",
            ),
            Part(
                TENSORS_OPS + "batch_norm.py",
                "cpu_batch_norm2d cpu_batch_norm2d_backward",
                (),
                TENSORS_BEFORE,
                module="batch_norm",
            ),
            Part(
                TENSORS_OPS + "elementwise_ops.py",
                "cpu_relu cpu_relu_backward",
                TENSORS_IMPORT,
                module="elementwise_ops",
            ),
            Part(
                TENSORS_OPS + "pool_ops.py",
                "cpu_max_pool2d cpu_max_pool2d_backward",
                (),
                TENSORS_BEFORE,
                module="pool_ops",
            ),
            Part(
                TENSORS_OPS + "reshape.py",
                "cpu_reshape",
                TENSORS_IMPORT,
                TENSORS_TYPES + "from utils import calculate_reshaped_shape",
                module="reshape",
            ),
            Part(TENSORS_OPS + "mm.py", "cpu_mm cpu_mm_backward", TENSORS_IMPORT, module="mm"),
            Part(
                TENSORS_OPS + "broadcast_binary_ops.py",
                "_tile_tensor_cpu _backward_cpu cpu_add cpu_add_backward",
                TENSORS_BROADCAST,
                TENSORS_BEFORE + "\nfrom utils import calculate_broadcast_shape",
                module="broadcast_binary_ops",
            ),
            Part(
                TENSORS_OPS + "cross_entropy.py",
                "_softmax cpu_cross_entropy cpu_cross_entropy_backward",
                (),
                TENSORS_IMPORTED,
                TENSORS_LOSS,
            ),
        ),
        tensors,
    ),
    Subject(
        MODULES,
        "convolutions",
        (
            Part("nn/activations.py", "relu_forward relu_backward", module="activations"),
            Part("nn/losses.py", "cross_entropy_loss", module="losses"),
            Part("nn/layers.py", MODULES_TAKEN, module="layers"),
            Part(
                "nn/layers_v2.py",
                MODULES_FAST,
                MODULES_CONV,
                "from layers import _insert_zeros, _remove_padding",
                module="layers_v2",
            ),
            Part(
                "nn/modules.py",
                "BaseModule Model Linear Conv2D ReLU MaxPooling2D GlobalAvgPooling2D",
                (),
                MODULES_BEFORE,
                MODULES_LOSS,
            ),
        ),
        modules,
        published="the picture is not padded for what goes back to the kernel",
    ),
]

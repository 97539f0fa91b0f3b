"""Subjects of the twenty-first set that are to be looked at: captions by an LSTM, a GRU cell, convolutions."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers
from .tenth_c import object_of, prefixed

# a course's captions by an LSTM that carries its gates' gradients to inputs and states one by one ---------------------

CAPTIONS = "bsu1313/CS231n-Assignments"
CAPTIONS_TAKEN = (
    "word_embedding_forward word_embedding_backward sigmoid lstm_step_forward lstm_step_backward lstm_forward "
    "lstm_backward temporal_affine_forward temporal_affine_backward temporal_softmax_loss"
)
CAPTIONS_WEIGHTS = {"W_embed": (6, 2), "W_proj": (3, 4), "b_proj": (4,), "Wx": (2, 16), "Wh": (4, 16), "b": (16,)}
CAPTIONS_WEIGHTS |= {"W_vocab": (4, 6), "b_vocab": (6,)}
CAPTIONS_LOSS = f"""

def loss_and_gradients(features, captions, {", ".join(CAPTIONS_WEIGHTS)}):
    words = dict(zip(["<NULL>", "<START>", "<END>", "a", "b", "c"], range(6)))
    model = CaptioningRNN(words, 3, 2, 4, cell_type="lstm", dtype=np.float64)
    model.params = dict(zip({list(CAPTIONS_WEIGHTS)}, ({", ".join(CAPTIONS_WEIGHTS)})))
    return model.loss(features, captions)
"""


def captions(m):
    r = numbers()
    weights = weights_of(r, " ".join(CAPTIONS_WEIGHTS), *CAPTIONS_WEIGHTS.values())
    said = np.array([[1, 5, 3, 2], [1, 4, 2, 0], [1, 3, 3, 5]])
    return loss(m.loss_and_gradients, " ".join(CAPTIONS_WEIGHTS), features=r(3, 3), captions=said, **weights)


# a homework's GRU cell on vectors, its activations take what comes from above -----------------------------------------

CELL = "MachineLearningCollective/11785"
CELL_WEIGHTS = {f"W{gate}x": (5, 3) for gate in "rzn"} | {f"W{gate}h": (5, 5) for gate in "rzn"}
CELL_WEIGHTS |= {f"b{gate}{kind}": (5,) for kind in "xh" for gate in "rzn"}
CELL_LAYER = """

class Layer(GRUCell):
    def __init__(self):
        super().__init__(3, 5)
"""

# a course's network of convolutions on flat images, layers that are given and give dicts ------------------------------

IMAGES = "theophilee/numpy-cnn"
IMAGES_WEIGHTS = {"w1": (8, 2), "b1": (1, 2), "w2": (8, 3), "b2": (1, 3), "w3": (12, 4), "b3": (4,)}
IMAGES_BEFORE = "from collections import OrderedDict\nfrom commons import Variable\ndtype = np.float64"
IMAGES_LOSS = f"""

def loss_and_gradients(data, labels, {", ".join(IMAGES_WEIGHTS)}):
    first, second = ConvLayer(2, 2, 2, 0, 1), ConvLayer(3, 2, 1, 0, 1)
    dense, last = DenseLayer(4, "uniform"), LossLayer(4)
    for layer, w, b in ((first, w1, b1), (second, w2, b2), (dense, w3, b3)):
        layer.params["w"].value, layer.params["b"].value = w, b
    layers = [first, ReLULayer(), second, ReLULayer(), dense]
    outputs = {{"height": 6, "width": 7, "channels": 2, "data": data}}
    for layer in layers:
        outputs = layer.forward(outputs)
    outputs = last.forward(outputs, gold_labels=labels)
    grads = outputs
    for layer in reversed(layers):
        grads = layer.backward(grads)
    found = [layer.params[name].grad for layer in (first, second, dense) for name in "wb"]
    return outputs["loss"], *found
"""


def images(m):
    r = numbers()
    weights = weights_of(r, " ".join(IMAGES_WEIGHTS), *IMAGES_WEIGHTS.values())
    given = {"data": r(2, 84), "labels": np.array([3, 1])}
    return loss(m.loss_and_gradients, " ".join(IMAGES_WEIGHTS), **given, **weights)


SUBJECTS = [
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
            Part("assignment3/cs231n/rnn_layers.py", CAPTIONS_TAKEN, module="rnn_layers"),
            Part(
                "assignment3/cs231n/classifiers/rnn.py",
                "CaptioningRNN",
                (),
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
            Part("RNN/mytorch/nn/activation.py", "Sigmoid Tanh", module="activation"),
            Part("RNN/mytorch/gru_cell.py", "GRUCell", (), "from activation import *", CELL_LAYER),
        ),
        object_of("Layer", CELL_WEIGHTS, "x h_prev_t", prefixed, x=(3,), h_prev_t=(5,)),
    ),
    Subject(
        IMAGES,
        "convolutions",
        (
            Part("cnn/commons.py", "Variable", module="commons"),
            Part("cnn/dense_layer.py", "DenseLayer ReLULayer", (), IMAGES_BEFORE, module="dense_layer"),
            Part("cnn/loss_layer.py", "softmax LossLayer", (), IMAGES_BEFORE, module="loss_layer"),
            Part(
                "cnn/conv_layer.py",
                "BaseConvLayer ConvLayer",
                (),
                f"{IMAGES_BEFORE}\nfrom dense_layer import DenseLayer, ReLULayer\nfrom loss_layer import LossLayer",
                IMAGES_LOSS,
            ),
        ),
        images,
    ),
]

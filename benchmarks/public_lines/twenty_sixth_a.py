"""Subjects by owners that begin with A, B, E and G: an RNN in a notebook, an LSTM of one cell, a net of LSTM cells that
are numbers, two kinds of word vectors, an autoencoder that draws, convolutions in loops, a policy for a game."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers, pair

# an RNN in a notebook for the weather: layers are lists of five arrays, a sequence is a matrix whose rows are the -----
# steps, the gradients begin as zeros in a list -----------------------------------------------------------------------

WEATHER = "aaronmcm99/Simple-Recurrent-Neural-Network-From-Scratch"
WEATHER_WEIGHTS = {"Wi": (4, 7), "Wh": (7, 7), "bh": (1, 7), "Wo": (7, 5), "bo": (1, 5)}
WEATHER_EDITS = (
    # wrong as published: the bias of the states gets no gradient from the first step
    (
        "                h_bias_grad += h_grad\n\n            i_weight_grad",
        "            h_bias_grad += h_grad\n\n            i_weight_grad",
    ),
    # what it learns by is kept instead
    ("        lr = lr / x.shape[0]\n", ""),
    *(
        (f"        {name} -= {name}_grad * lr\n", "")
        for name in ("i_weight", "h_weight", "h_bias", "o_weight", "o_bias")
    ),
    (
        "layers[i] = [i_weight, h_weight, h_bias, o_weight, o_bias]",
        "layers[i] = [i_weight_grad, h_weight_grad, h_bias_grad, o_weight_grad, o_bias_grad]",
    ),
    ("def backward(layers, x, lr, grad, hiddens):", "def backward(layers, x, grad, hiddens):"),
)
WEATHER_PAIR = f"""

def run(x, {", ".join(WEATHER_WEIGHTS)}):
    layers = [[{", ".join(WEATHER_WEIGHTS)}]]
    hiddens, outputs = forward(x, layers)
    return outputs, (layers, x, hiddens)


def back(grad, kept):
    layers, x, hiddens = kept
    return tuple(backward(list(layers), x, grad, hiddens)[0])
"""


def weather(m):
    r = numbers()
    weights = weights_of(r, " ".join(WEATHER_WEIGHTS), *WEATHER_WEIGHTS.values())
    return pair(m.run, m.back, " ".join(WEATHER_WEIGHTS), x=r(5, 4), **weights)


# an LSTM after an article that does it with numbers: one cell, a row of the weights for each gate, lists over the -----
# steps, forward and back and learning in one function -----------------------------------------------------------------

ARTICLE = "guilhermebailoni/LSTM-Implementation"
ARTICLE_WEIGHTS = {"W": (4, 3), "U": (4, 1), "b": (4, 1)}
ARTICLE_PRINTS = """            print("Debug BackPropagation at timestep: " + str(i))
            print(dHiddenStates)
            print(dCellStates)
            print(dACells)
            print(dInputCells)
            print(dForgetCells)
            print(dOutputCells)
            print(DeltaHiddenStates)
            print("End of Backpropagation Debug")
"""
ARTICLE_EDITS = (
    ('        print("RESULTs after LSTM timestep:")\n        print(result)\n', ""),
    (ARTICLE_PRINTS, ""),
    ('    print("DEBUG dWeights and dBias")\n    print(dW)\n    print(dU)\n    print(db)\n', ""),
    # so that there is a first state of the cell that is not zero
    ("def lstm(train_bool, xs, ys, t, n, W, U, b):", "def lstm(train_bool, xs, ys, t, c0, W, U, b):"),
    ("cellStates = [[0] for i in range(t+1)]", "cellStates = [c0 for i in range(t+1)]"),
    # what it learns by is kept instead
    *((f"        {name}[i] -= np.multiply(n,d{name}[i])\n", "") for name in "WUb"),
    ("    for i in range(0,4):\n", ""),
    ("return W, U, b, hiddenStates[1:t+1]", "return dW, dU, db, hiddenStates[1:t+1]"),
)
ARTICLE_LOSS = """

def loss_and_gradients(xs, ys, c0, W, U, b):
    t = len(xs)
    dW, dU, db, outputs = lstm(True, xs, ys, t, c0, W, U, b)
    return t * lossOvertime(ys, outputs, t), dW, dU, db  # the gradients are of the sum over the steps
"""


def article(m):
    r = numbers()
    weights = weights_of(r, " ".join(ARTICLE_WEIGHTS), *ARTICLE_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(ARTICLE_WEIGHTS), xs=r(5, 3), ys=r(5, 1), c0=r(1), **weights)


# a net whose nodes are LSTM cells of one number each: they write what they send to ledgers by the ids of the cells, ---
# and keep twelve rows of what they were and of its gradients; the gradients are means over the steps ------------------

LEDGERS = "AS-researcher6/LSTM-Scratch"
LEDGERS_WEIGHTS = {"w": (10, 4, 1), "u": (10, 4, 1), "b": (10, 4, 1)}
LEDGERS_WEIGHTS |= {"wo1": (2, 3, 1), "wo2": (3, 5, 1), "feed": (2, 5)}
LEDGERS_CELL = (
    # wrong as published: the derivative of the tanh is that of the state, and the first step gives the biases nothing
    ("(1-(self.stateMem[4,t]*self.stateMem[4,t]))", "(1-(self.stateMem[0,t]*self.stateMem[0,t]))"),
    ("range(0,self.seqLength-1):", "range(-1,self.seqLength-1):"),
    # what it learns by is kept instead
    ("dW = -0.05*dW/self.seqLength #Takes", "self.dW = dW/self.seqLength #Takes"),
    ("dU = -0.05*dU/self.seqLength", "self.dU = dU/self.seqLength"),
    ("dB = -0.05*dB/self.seqLength", "self.dB = dB/self.seqLength"),
    ("dWO = -0.05*dWO/self.seqLength", "self.dWO = dWO/self.seqLength"),
    *(
        (f"\t\tself.{kind}Matrix = self.{kind}Matrix-{name}", "")
        for kind, name in (("w", "dW"), ("u", "dU"), ("b", "dB"), ("wo", "dWO"))
    ),
    ("dWO = -0.05*dWO/len(inputSequence[0])", "dWO = dWO/len(inputSequence[0])"),
    ("self.woMatrix[outputIndex,:] = self.woMatrix[outputIndex,:]-dWO", "self.dWO[outputIndex,:] = dWO"),
)
LEDGERS_TOTAL = "\t\ttotalError = 0\n\t\tfor item in error:\n\t\t\ttotalError = totalError + np.abs(item)\n"
LEDGERS_NET = (
    # wrong as published: the error is not the derivative of the cross entropy, and the loss is that of the last step
    (
        "error[item] = -cross_entropy(trueOutput[item],networkOutput[item])",
        "error[item] = loss_function(trueOutput[item],networkOutput[item])",
    ),
    (LEDGERS_TOTAL, "\t\ttotalError = totalError + cross_entropy(trueOutput,networkOutput)\n"),
    ("softmax\n\tfor sequenceIndex", "softmax\n\ttotalError = 0\n\tfor sequenceIndex"),
)
LEDGERS_LOSS = f"""

def loss_and_gradients(inputs, outputs, {", ".join(LEDGERS_WEIGHTS)}):
    import lstm_cell

    global backwardPropLedger
    initialize_neural_network([2, 3], 5)
    for k, cell in enumerate(cellList):
        cell.wMatrix, cell.uMatrix, cell.bMatrix = w[k], u[k], b[k]
    for k in range(5):
        cellList[k].woMatrix = wo1[k] if k < 2 else wo2[k - 2]
    feederUnit.woMatrix, feederUnit.dWO = feed, np.zeros_like(feed)
    length = len(inputs[0])
    lstm_cell.dataLength = dataLength
    lstm_cell.backwardPropLedger = backwardPropLedger = np.zeros((length, ledgerLength))
    reset_network(length)
    cost = calculate_loss(outputs, forward_propogation(inputs, length), length)
    backward_propogation(inputs)
    own = [np.array([getattr(cell, name) for cell in cellList]) for name in ("dW", "dU", "dB")]
    sent = [cell.dWO for cell in cellList[:5]]
    return cost / length, *own, np.array(sent[:2]), np.array(sent[2:]), feederUnit.dWO
"""


def ledgers(m):
    r = numbers()
    weights = weights_of(r, " ".join(LEDGERS_WEIGHTS), *LEDGERS_WEIGHTS.values())
    given = {"inputs": r(5, 4), "outputs": np.eye(5)[[3, 0, 4, 1]].T}
    return loss(m.loss_and_gradients, " ".join(LEDGERS_WEIGHTS), **given, **weights)


# two kinds of word vectors on one base class: a word with one near it and some drawn by chance, and counts of how often
# two words meet; parameters and gradients are objects with four arrays ------------------------------------------------

COUNTS = "AlexRaudvee/Word2Vec-NumPy"
COUNTS_WEIGHTS = {"W_in": (7, 5), "W_out": (7, 5), "V_in": (7, 5), "V_out": (7, 5), "b_in": (7,), "b_out": (7,)}
COUNTS_BEFORE = "from base_embedding import BaseEmbeddingModel, EmbeddingParams"
COUNTS_SIZE = (("dtype=np.float32", "dtype=np.float64"),)
COUNTS_EDITS = (
    ("x_ij.astype(np.float32)", "x_ij.astype(np.float64)"),
    # wrong as published: the loss is a mean over the batch, its gradient is not
    ("g = 2.0 * f_x * diff ", "g = 2.0 * f_x * diff / B "),
)
COUNTS_LOSS = f"""
from sgns_model import SGNSModel


def loss_and_gradients(center, pos, neg, rows, cols, counts, {", ".join(COUNTS_WEIGHTS)}):
    drawn, glove = SGNSModel(7, 5, 3), GloVeModel(7, 5, xmax=4.0)
    drawn.params.W_in, drawn.params.W_out = W_in, W_out
    glove.params.W_in, glove.params.W_out, glove.params.b_in, glove.params.b_out = V_in, V_out, b_in, b_out
    first, one = drawn.loss_and_grad(center, pos, neg)
    second, two = glove.loss_and_grad_cooc(rows, cols, counts)
    return first + second, one.W_in, one.W_out, two.W_in, two.W_out, two.b_in, two.b_out
"""


def counts(m):
    r = numbers()
    weights = weights_of(r, " ".join(COUNTS_WEIGHTS), *COUNTS_WEIGHTS.values())
    given = {"center": np.array([2, 5, 2, 0]), "pos": np.array([4, 1, 6, 4])}
    given["neg"] = np.array([[1, 1, 3], [6, 0, 2], [5, 3, 4], [2, 6, 3]])
    given |= {"rows": np.array([3, 0, 3, 6]), "cols": np.array([5, 2, 1, 5])}
    given["counts"] = np.array([1.0, 6.0, 2.0, 3.0])
    return loss(m.loss_and_gradients, " ".join(COUNTS_WEIGHTS), **given, **weights)


# an autoencoder that draws what it decodes: layers are called, add up their gradients, and know their last input; means
# and logarithms of variances side by side -----------------------------------------------------------------------------

DRAWS = "abhayran/VAE-numpy"
DRAWS_WEIGHTS = {"W1": (11, 7), "b1": (7,), "W2": (7, 5), "b2": (5,), "W3": (5, 6), "b3": (6,)}
DRAWS_WEIGHTS |= {"W4": (3, 5), "b4": (5,), "W5": (5, 7), "b5": (7,), "W6": (7, 11), "b6": (11,)}
DRAWS_PLOT = """
        plt.figure()
        plt.title('Reconstruction loss')
        plt.plot(np.array(list(range(epochs))) + 1, losses)
        plt.show()
"""
DRAWS_EDITS = (
    ("28 ** 2", "11"),
    ("np.random.randn(means.shape[0], means.shape[1])", "self.noise"),  # the same draws each time
    # its gradients are of the divergence as well, the loss that it shows is not
    (
        "(activations - data) * (activations - data))",
        "(activations - data) * (activations - data))\n"
        "                loss += 0.5 * np.sum(means * means + np.exp(log_covs) - log_covs - 1)",
    ),
    ("                self.step(lr)\n", ""),  # the gradients are kept
    (DRAWS_PLOT, "        return losses[0]\n"),
)
DRAWS_LOSS = f"""

def loss_and_gradients(x, noise, {", ".join(DRAWS_WEIGHTS)}):
    vae = VAE([7, 5], 3)
    vae.noise = noise
    linears = [layer for layer in vae.encoder + vae.decoder if isinstance(layer, Linear)]
    for layer, W, b in zip(linears, (W1, W2, W3, W4, W5, W6), (b1, b2, b3, b4, b5, b6)):
        layer.weights, layer.bias = W, b
    cost = vae.train([(x, None)], 1, 0.1)
    return cost, *(grad for layer in linears for grad in (layer.weights_grad, layer.bias_grad))
"""


def draws(m):
    r = numbers()
    weights = weights_of(r, " ".join(DRAWS_WEIGHTS), *DRAWS_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DRAWS_WEIGHTS), x=r(4, 11), noise=r(4, 3), **weights)


# convolutions in loops over images, places and filters, with all that a layer knows in dicts; samples go first until --
# they are flattened, and last after it; two activations with exponentials ---------------------------------------------

DICTS = "ElefHead/numpy-cnn"
DICTS_WEIGHTS = {"K": (3, 3, 2, 3), "b1": (1, 1, 1, 3), "W2": (7, 12), "b2": (7, 1), "W3": (5, 7), "b3": (5, 1)}
DICTS_CONV = (("+ float(b)", "+ np.sum(b)"),)  # as NumPy wants it now
# wrong as published: a mean over the batch, though all else is a sum,
DICTS_DENSE = (("self.cache['A'].T) / batch_size", "self.cache['A'].T)"),)
# the softmax takes its scores for its chances, though the derivative of the loss is that of the scores already,
DICTS_SOFTMAX = (("return dA * (Z * (1 - Z))", "return dA"),)
# which has the wrong sign
DICTS_SIGN = (("return labels - predictions", "return predictions - labels"),)
DICTS_LOSS = f"""
from activation import Elu, Selu, Softmax
from convolution import Convolution
from flatten import Flatten
from fully_connected import FullyConnected
from pooling import Pooling


def loss_and_gradients(x, labels, {", ".join(DICTS_WEIGHTS)}):
    conv = Convolution(3, (3, 3), "same", name="conv")
    second, third = FullyConnected(7, "second"), FullyConnected(5, "third")
    for layer, W, b in ((conv, K, b1), (second, W2, b2), (third, W3, b3)):
        layer.params |= {{"W": W, "b": b}}
    layers = conv, Elu(), Pooling((2, 2), 2), Flatten(), second, Selu(), third, Softmax()
    A = x
    for layer in layers:
        A = layer.forward_propagate(A, save_cache=True)
    dA = CategoricalCrossEntropy.compute_derivative(labels, A)
    cost = CategoricalCrossEntropy.compute_loss(labels, A)
    for layer in reversed(layers):
        dA = layer.back_propagate(dA)
    return cost, dA, *(layer.grads[name] for layer in (conv, second, third) for name in ("dW", "db"))
"""


def dicts(m):
    r = numbers()
    weights = weights_of(r, " ".join(DICTS_WEIGHTS), *DICTS_WEIGHTS.values())
    given = {"x": r(3, 4, 5, 2), "labels": np.eye(5)[[4, 0, 2]].T}
    return loss(m.loss_and_gradients, f"x {' '.join(DICTS_WEIGHTS)}", **given, **weights)


# a policy for a game, with two hidden layers and three moves: the gradient of what was done is weighted by what came of
# it, a whole game at once; it climbs ----------------------------------------------------------------------------------

GAME = "Blato122/pong-rl-gym"
GAME_WEIGHTS = {"W1": (11, 7), "W2": (7, 5), "W3": (5, 3)}
GAME_EDITS = (
    # what belonged to the module
    ("def policy_forward(x):", "def policy_forward(x, model):"),
    ("def policy_backward(ep_hs,", "def policy_backward(model, ep_xs, ep_hs,"),
    ('  print("rewards shape:", r.shape)\n', ""),
)
GAME_LOSS = f"""

def loss_and_gradients(ep_xs, actions, rewards, {", ".join(GAME_WEIGHTS)}):
    model = {{"W1": W1, "W2": W2, "W3": W3}}
    weights, gain = discount_rewards(rewards), 0
    hs, h2s, dL_dlogits = [], [], []
    for x, action, weight in zip(ep_xs, actions, weights):
        action_probs, h, h2 = policy_forward(x, model)
        y = np.zeros_like(action_probs)
        y[action] = 1
        hs.append(h)
        h2s.append(h2)
        dL_dlogits.append(y - action_probs)
        gain += weight[0] * np.log(action_probs[action])
    ep_dL_dlogits = np.vstack(dL_dlogits) * weights
    return gain, policy_backward(model, ep_xs, np.vstack(hs), np.stack(h2s), ep_dL_dlogits)
"""


def game(m):
    r = numbers()
    weights = weights_of(r, " ".join(GAME_WEIGHTS), *GAME_WEIGHTS.values())
    given = {"ep_xs": r(4, 11), "actions": np.array([2, 0, 1, 2]), "rewards": np.array([[0.0], [-1.0], [0.0], [1.0]])}
    return loss(m.loss_and_gradients, " ".join(GAME_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(
        WEATHER,
        "RNN",
        (
            Part(
                "Simple Recurrent Neural Network From Scratch.ipynb",
                "forward backward",
                WEATHER_EDITS,
                after=WEATHER_PAIR,
            ),
        ),
        weather,
        published="the first step gives the bias of the states no gradient",
    ),
    Subject(
        ARTICLE,
        "LSTM",
        (
            Part(
                "lstm_implementation.py",
                "sigmoid der_tanh l2 lossOvertime lstm_timestep lstm",
                ARTICLE_EDITS,
                after=ARTICLE_LOSS,
            ),
        ),
        article,
    ),
    Subject(
        LEDGERS,
        "LSTM cells",
        (
            Part(
                "LSTM_Cell.py",
                "sigmoid tanh_derivative rand_arr softmax cross_entropy loss_function LSTM_Cell Feeder",
                LEDGERS_CELL,
                module="lstm_cell",
            ),
            Part(
                "Neural_Network.py",
                "initialize_neural_network reset_network forward_propogation calculate_loss backward_propogation",
                LEDGERS_NET,
                "from lstm_cell import *",
                LEDGERS_LOSS,
            ),
        ),
        ledgers,
        published="the error is not that of the loss; a wrong derivative of a tanh; biases lack the first step",
    ),
    Subject(
        COUNTS,
        "word vectors",
        (
            Part(
                "src/word_embeddings/utils/initialization.py",
                "uniform_init",
                ((".astype(np.float32)", ""),),
                module="initialization",
            ),
            Part(
                "src/word_embeddings/models/base_embedding.py",
                "EmbeddingParams BaseEmbeddingModel",
                COUNTS_SIZE,
                "from dataclasses import dataclass\n\nfrom initialization import uniform_init",
                "EmbeddingParams = dataclass(EmbeddingParams)",
                "base_embedding",
            ),
            Part("src/word_embeddings/models/sgns_model.py", "sigmoid SGNSModel", (), COUNTS_BEFORE, "", "sgns_model"),
            Part("src/word_embeddings/models/glove_model.py", "GloVeModel", COUNTS_EDITS, COUNTS_BEFORE, COUNTS_LOSS),
        ),
        counts,
        published="one of the two losses is a mean over the batch, its gradient is not",
    ),
    Subject(
        DRAWS,
        "autoencoder",
        (
            Part("linear.py", "Linear", module="linear"),
            Part("nonlinear.py", "Activation ReLU Sigmoid", module="nonlinear"),
            Part(
                "vae.py",
                "VAE",
                DRAWS_EDITS,
                "from linear import Linear\nfrom nonlinear import ReLU, Sigmoid",
                DRAWS_LOSS,
            ),
        ),
        draws,
        published="the loss that it shows lacks the divergence",
    ),
    Subject(
        DICTS,
        "convolution",
        (
            Part("utilities/utils.py", "pad_inputs", module="utils"),
            Part("layers/activation.py", "Softmax Elu Selu", DICTS_SOFTMAX, module="activation"),
            Part("layers/convolution.py", "Convolution", DICTS_CONV, "from utils import pad_inputs", "", "convolution"),
            Part("layers/flatten.py", "Flatten", module="flatten"),
            Part("layers/fully_connected.py", "FullyConnected", DICTS_DENSE, module="fully_connected"),
            Part("layers/pooling.py", "Pooling", module="pooling"),
            Part("loss/losses.py", "CategoricalCrossEntropy", DICTS_SIGN, after=DICTS_LOSS),
        ),
        dicts,
        published="the sign of the loss, the softmax and the dense layers' weights",
    ),
    Subject(
        GAME,
        "policy",
        (
            Part(
                "3-actions-pong.py",
                "softmax discount_rewards policy_forward policy_backward",
                GAME_EDITS,
                "gamma = 0.9",
                GAME_LOSS,
            ),
        ),
        game,
    ),
]

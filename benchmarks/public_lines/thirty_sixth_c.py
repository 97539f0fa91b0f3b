"""Subjects drawn by lot: dense nets of a book, of courses, with two costs, dropout or weight decay; a recurrent net out
of nodes that find their gradients; word vectors of a course; a recurrent net over letters."""

import numpy as np

from .eleventh_c import weights_of
from .programs import Part, Subject, loss, numbers

# a dense net of a book, one sample after another, with two costs and weight decay -------------------------------------

BOOK = "freelw/neural-networks-and-deep-learning"
BOOK_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (3, 5), "b3": (3, 1)}
BOOK_WEIGHTS |= {"V1": (7, 4), "c1": (7, 1), "V2": (2, 7), "c2": (2, 1)}
BOOK_TAKEN = "QuadraticCost CrossEntropyCost Network sigmoid sigmoid_prime"
BOOK_EDITS = (
    # Python 2
    ("xrange", "range"),
    ('print "Epoch %s training complete" % j', "pass"),
    ('print "Cost on training data: {}".format(cost)', "pass"),
    ('print "Cost on evaluation data: {}".format(cost)', "pass"),
    ('print "Accuracy on training data: {} / {}".format(\n                    accuracy, n)', "pass"),
    (
        'print "Accuracy on evaluation data: {} / {}".format(\n'
        "                    self.accuracy(evaluation_data), n_data)",
        "pass",
    ),
    # gradients are kept where it learns
    (
        "self.weights = [(1-eta*(lmbda/n))*w-(eta/len(mini_batch))*nw",
        "self.weights_gradient = [(lmbda/n)*w+nw/len(mini_batch)",
    ),
    ("self.biases = [b-(eta/len(mini_batch))*nb", "self.biases_gradient = [nb/len(mini_batch)"),
)
BOOK_LOSS = f"""


def loss_and_gradients(x, classes, numbers, {", ".join(BOOK_WEIGHTS)}):
    total, found = 0, []
    for cost, sizes, weights, y in (
        (CrossEntropyCost, [4, 6, 5, 3], (W1, b1, W2, b2, W3, b3), classes),
        (QuadraticCost, [4, 7, 2], (V1, c1, V2, c2), numbers),
    ):
        model = Network(sizes, cost)
        model.weights, model.biases = list(weights[::2]), list(weights[1::2])
        batch = [(a[:, None], b[:, None]) for a, b in zip(x, y)]
        total += model.total_cost(batch, 0.3)
        model.update_mini_batch(batch, 1, 0.3, len(batch))
        found += [grad for pair in zip(model.weights_gradient, model.biases_gradient) for grad in pair]
    return total, *found
"""


def book(m):
    r = numbers()
    weights = weights_of(r, " ".join(BOOK_WEIGHTS), *BOOK_WEIGHTS.values())
    given = {"x": r(3, 4), "classes": np.eye(3)[[1, 2, 0]], "numbers": r(3, 2)}
    return loss(m.loss_and_gradients, " ".join(BOOK_WEIGHTS), **given, **weights)


# a dense net of a course in functions, with a stretched tanh ----------------------------------------------------------

SPANISH = "jonathan5p/NLP-specialization-deeplearning.ai"
SPANISH_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (1, 5), "b3": (1, 1)}
SPANISH_WEIGHTS |= {"V1": (7, 4), "c1": (7, 1), "V2": (3, 7), "c2": (3, 1), "V3": (1, 3), "c3": (1, 1)}
SPANISH_TAKEN = """activation_function linear_forward linear_activation_forward L_model_forward stretch_vector
compute_cost linear_backward linear_activation_backward L_model_backward"""
SPANISH_EDITS = (
    # wrong as published: the slope of relu is one everywhere
    ("dZ = dA*(rel>=0)", "dZ = dA*(rel>0)"),
    # wrong as published: the slope of tanh is that of the sigmoid
    (
        "activation_function(activation_cache,'tanh')\n        dZ = dA*(sig*(1-sig))",
        "activation_function(activation_cache,'tanh')\n        dZ = dA*(3/2)*(1.7159-sig**2/1.7159)",
    ),
)
# its backward pass knows of neither dropout nor weight decay, so there are none here
SPANISH_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(SPANISH_WEIGHTS)}):
    total, found = 0, []
    for kind, weights in (("relu", (W1, b1, W2, b2, W3, b3)), ("tanh", (V1, c1, V2, c2, V3, c3))):
        parameters = dict(zip("W1 b1 W2 b2 W3 b3".split(), weights))
        last, caches = L_model_forward(x, parameters, 1, kind, "sigmoid")
        total += compute_cost(last, y, 0, parameters)
        grads = L_model_backward(last, y, caches, kind, "sigmoid")
        found += [grads["d" + name] for name in parameters]
    return total, *found
"""


def spanish(m):
    r = numbers()
    weights = weights_of(r, " ".join(SPANISH_WEIGHTS), *SPANISH_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(SPANISH_WEIGHTS), x=r(4, 3), y=np.array([[1.0, 0, 1]]), **weights)


# a dense net in one class, with dropout and weight decay --------------------------------------------------------------

DROPPED = "fishmacs/deeplearning.ai"
DROPPED_WEIGHTS = {"W1": (7, 4), "b1": (7, 1), "W2": (6, 7), "b2": (6, 1), "W3": (1, 6), "b3": (1, 1)}
DROPPED_KINDS = "sigmoid relu sigmoid_backward relu_backward tanh_backward"
DROPPED_BEFORE = f"from activation import {', '.join(DROPPED_KINDS.split())}"
DROPPED_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DROPPED_WEIGHTS)}):
    np.random.seed(3)  # the same places are dropped each time
    total, found = 0, [0] * {len(DROPPED_WEIGHTS)}
    keep = [0.7, 0.6, 1]
    for kinds in (["tanh", "relu", "sigmoid"], ["relu", "sigmoid", "sigmoid"]):
        model = NeuralNetwork(
            w=[W1, W2, W3], b=[b1, b2, b3], activations=kinds, lambd=0.3, keep_prop=keep, params_ok=True
        )
        last = model.model_forward(x, keep)
        total += model.compute_cost(last, y)
        grads = [grad for pair in zip(*model.model_backward(last, y, keep)) for grad in pair]
        found = [a + b for a, b in zip(found, grads)]
    return total, *found
"""


def dropped(m):
    r = numbers()
    weights = weights_of(r, " ".join(DROPPED_WEIGHTS), *DROPPED_WEIGHTS.values())
    return loss(m.loss_and_gradients, " ".join(DROPPED_WEIGHTS), x=r(4, 3), y=np.array([[1.0, 0, 1]]), **weights)


# a dense net with weight decay whose lists grow from the last layer on ------------------------------------------------

DECAY = "Napoleonqinxiaofu/deepLearning.ai"
DECAY_WEIGHTS = {"W1": (6, 4), "b1": (6, 1), "W2": (5, 6), "b2": (5, 1), "W3": (2, 5), "b3": (2, 1)}
DECAY_EDITS = (
    # gradients are kept where it learns
    ("self.weights = [w - self.rate * dw for w, dw in zip(self.weights, dw)]", "self.weights_gradient = dw"),
    ("self.biases = [b - self.rate * db for b, db in zip(self.biases, db)]", "self.biases_gradient = db"),
    ('            print("Iteration of {i} times".format(i=i))\n', ""),
)
# it has no loss; its gradients are those of a mean of cross-entropies and of a quarter of the squares of the weights
DECAY_LOSS = f"""


def loss_and_gradients(x, y, {", ".join(DECAY_WEIGHTS)}):
    model = DeepNet(x, y, (4, 6, 5, 2))
    model.weights, model.biases = [W1, W2, W3], [b1, b2, b3]
    model.train()
    last = model.predict(x)
    cost = -np.sum(y * np.log(last) + (1 - y) * np.log(1 - last)) / x.shape[1]
    cost += model.lambd / (4 * x.shape[1]) * sum(np.sum(w**2) for w in model.weights)
    return cost, *(grad for pair in zip(model.weights_gradient, model.biases_gradient) for grad in pair)
"""


def decay(m):
    r = numbers()
    weights = weights_of(r, " ".join(DECAY_WEIGHTS), *DECAY_WEIGHTS.values())
    y = np.array([[1.0, 0, 0], [1.0, 1, 0]])
    return loss(m.loss_and_gradients, " ".join(DECAY_WEIGHTS), x=r(4, 3), y=y, **weights)


# a recurrent net of nodes, whose gradients are found over a tape ------------------------------------------------------

NODES = "JasonFengGit/RNN-Language-Classifier"
# its hidden values are all of one width
NODES_WEIGHTS = {"w": (5, 6), "w_h1": (6, 6), "w_h2": (6, 6), "w_f": (6, 4), "v": (5, 7), "b": (1, 7)}
NODES_TAKEN = """format_shape Node DataNode Parameter Constant FunctionNode Add AddBias Linear ReLU SquareLoss
SoftmaxLoss gradients"""
NODES_LOSS = f"""


def loss_and_gradients(x, classes, numbers, {", ".join(NODES_WEIGHTS)}):
    model = LanguageClassificationModel()
    parameters = [model.w, model.w_h1, model.w_h2, model.w_f]
    for parameter, weight in zip(parameters, (w, w_h1, w_h2, w_f)):
        parameter.data = weight
    words = model.get_loss([nn.Constant(letter) for letter in x], nn.Constant(classes))
    slopes, shifts = nn.Parameter(5, 7), nn.Parameter(1, 7)
    slopes.data, shifts.data = v, b
    line = nn.AddBias(nn.Linear(nn.Constant(x[0]), slopes), shifts)
    squares = nn.SquareLoss(line, nn.Constant(numbers))
    found = nn.gradients(words, parameters) + nn.gradients(squares, [slopes, shifts])
    return words.data + squares.data, *(grad.data for grad in found)
"""


def nodes(m):
    r = numbers()
    weights = weights_of(r, " ".join(NODES_WEIGHTS), *NODES_WEIGHTS.values())
    given = {"x": r(3, 2, 5), "classes": np.eye(4)[[1, 3]], "numbers": r(2, 7)}
    return loss(m.loss_and_gradients, " ".join(NODES_WEIGHTS), **given, **weights)


# word vectors of a course ---------------------------------------------------------------------------------------------

WORDS = "JinitSan/Natural-Language-Processing-Specialization-by-deeplearning.ai"
WORDS_WEIGHTS = {"W1": (6, 5), "W2": (5, 6), "b1": (6, 1), "b2": (5, 1)}
WORDS_EDITS = (
    # wrong as published: the ReLU is put on the gradient, not its slope at the hidden values
    ("l1[l1<0] = 0", "l1[h<=0] = 0"),
    # wrong as published: the cost has a second term, which its gradient lacks
    (" + np.multiply(np.log(1 - yhat), 1 - y)", ""),
)
WORDS_LOSS = """


def loss_and_gradients(x, y, W1, W2, b1, b2):
    z, h = forward_prop(x, W1, W2, b1, b2)
    yhat = softmax(z)
    cost = compute_cost(y, yhat, y.shape[1])
    return cost, *back_prop(x, yhat, y, h, W1, W2, b1, b2, y.shape[1])
"""


def words(m):
    r = numbers()
    weights = weights_of(r, " ".join(WORDS_WEIGHTS), *WORDS_WEIGHTS.values())
    x = np.array([[0.5, 0.25, 0.25, 0, 0], [0, 0.25, 0, 0.25, 0.5], [0.25, 0, 0.5, 0, 0.25]]).T
    return loss(m.loss_and_gradients, " ".join(WORDS_WEIGHTS), x=x, y=np.eye(5)[:, [3, 0, 1]], **weights)


# a recurrent net over letters, in a class -----------------------------------------------------------------------------

LETTERS = "BobLiu20/min_char_RNN"
LETTERS_WEIGHTS = {"w_i2h": (6, 5), "w_h2h": (6, 6), "w_h2o": (5, 6), "b_h": (6, 1), "b_o": (5, 1)}
LETTERS_EDITS = (
    # Python 2
    ("xrange", "range"),
    ("print 'init to generator, no for training.'", "pass"),
    ("print 'iter %d, loss: %f' % (_iter, smooth_loss)", "pass"),
    ("print 'generator output: \\n', txt", "pass"),
)
LETTERS_LOSS = f"""


def loss_and_gradients(inputs, targets, hprev, {", ".join(LETTERS_WEIGHTS)}):
    model = char_rnn()
    model.hidden_size, model.charset_size, model.seq_length = 6, 5, len(inputs)
    model.input_state, model.hidden_state, model.output_state, model.prob_state = {{}}, {{}}, {{}}, {{}}
    model.w_i2h, model.w_h2h, model.w_h2o, model.b_h, model.b_o = w_i2h, w_h2h, w_h2o, b_h, b_o
    cost = model.forward(inputs, targets, hprev)
    return cost, *model.backward()[:5]
"""


def letters(m):
    r = numbers()
    weights = weights_of(r, " ".join(LETTERS_WEIGHTS), *LETTERS_WEIGHTS.values())
    given = {"inputs": np.array([0, 3, 1, 4]), "targets": np.array([3, 1, 4, 2]), "hprev": r(6, 1)}
    return loss(m.loss_and_gradients, " ".join(LETTERS_WEIGHTS), **given, **weights)


SUBJECTS = [
    Subject(BOOK, "dense", (Part("src/network2.py", BOOK_TAKEN, BOOK_EDITS, "", BOOK_LOSS),), book),
    Subject(
        SPANISH,
        "dense",
        (Part("ProyectosML/Parcial1ML/nn_implementation.ipynb", SPANISH_TAKEN, SPANISH_EDITS, "", SPANISH_LOSS),),
        spanish,
        published="the slope of relu is one everywhere, that of the stretched tanh is the sigmoid's",
    ),
    Subject(
        DROPPED,
        "dense",
        (
            Part("zw/activation.py", DROPPED_KINDS, module="activation"),
            Part("zw/neuralnetwork.py", "initial_weights NeuralNetwork", (), DROPPED_BEFORE, DROPPED_LOSS),
        ),
        dropped,
    ),
    Subject(DECAY, "dense", (Part("week5/DeepNet_L2.py", "DeepNet", DECAY_EDITS, "", DECAY_LOSS),), decay),
    Subject(
        NODES,
        "recurrent",
        (
            Part("nn.py", NODES_TAKEN, module="nn"),
            Part("model.py", "LanguageClassificationModel", (), "import nn", NODES_LOSS),
        ),
        nodes,
    ),
    Subject(
        WORDS,
        "word vectors",
        (
            Part(
                "Course 2/Week 4/Jupyter Notebooks/Assignment_Word_Embeddings.ipynb",
                "softmax forward_prop compute_cost back_prop",
                WORDS_EDITS,
                "",
                WORDS_LOSS,
            ),
        ),
        words,
        published="the ReLU is put on its gradient, and the cost has a term that the gradient lacks",
    ),
    Subject(LETTERS, "recurrent", (Part("char_rnn.py", "char_rnn", LETTERS_EDITS, "", LETTERS_LOSS),), letters),
]

"""Exercise 1, as `tinyrnn check 1` sees it."""

import cases

from tinyrnn.grading.task import Task

TITLE = "Numbers first"
PACKAGES = ("numpy",)
SMOOTHED = ("smoothed_cross_entropy", "smoothed_cross_entropy_backward")
TIED = ("tied_layer", "tied_layer_backward")

TASKS = (
    Task(
        name="central_gradient",
        title="Central differences",
        points=0,
        practice=True,
        case=cases.differences,
        outputs=("gradient",),
        why="Every gradient of this course is held against numbers that nobody had to derive. These are the simplest.",
        hints=(
            "One entry of x moves at a time; everything else stays where it was.",
            "For each index of x, call f twice: once with that entry a little larger, once with it as much smaller.",
            "The two points are 2 eps apart. `nudged` makes a copy, so that the next entry starts from x again.",
        ),
        section="Differences",
    ),
    Task(
        name="five_point_gradient",
        title="Five-point differences",
        points=14,
        case=cases.differences,
        outputs=("gradient",),
        why="Two more points cancel the next term of the error. It is the formula that is checked, with an eps so "
        "large that its own error shows: a more exact derivative is not the answer.",
        hints=(
            "Two distances from x, two signs: four calls of f for each entry.",
            "The near pair counts 8 times and with the sign of the slope; the far pair counts once, the other way.",
            "Test your weights on f(x) = x, where the slope must be 1, and on a constant, where it must be 0.",
        ),
        section="Differences",
    ),
    Task(
        name="complex_step_jacobian",
        title="A Jacobian by the complex step",
        points=14,
        case=cases.jacobian,
        outputs=("jacobian",),
        why="A step along the imaginary axis subtracts nothing, so that it can be tiny and the derivative exact. Row i "
        "of the Jacobian belongs to output i, column j to input j; differences of real values are too coarse here.",
        hints=(
            "One call of f gives the derivatives of all outputs with respect to one input: which part of J is that?",
            "Add i h to one entry, take the imaginary part of what comes out, divide by h. Is your h small enough?",
            "Each call gives a column, (n,); there are m of them, side by side. With h = 1e-20, h² vanishes beside 1.",
        ),
        section="The complex step",
    ),
    Task(
        name="gradient_verdicts",
        title="When do two gradients agree?",
        points=12,
        case=cases.pairs,
        outputs=("error", "ok"),
        why="A check that lets a wrong gradient pass is worse than none. Among the pairs are some with NaN, with "
        "infinities, with shapes that only broadcasting could compare, and with zeros alone.",
        hints=(
            "In which order do you ask: shape, finiteness, size? Which of these must come before which?",
            "NaN compares as False with everything, and (B, n) - (n,) is no error in NumPy. Both have error 1 here.",
            "One scale for a pair: the largest size of a plus the largest size of b. If that is 0, so is the error.",
        ),
        section="When do two gradients agree?",
    ),
    Task(
        name="softmax_cross_entropy",
        title="Softmax and cross-entropy",
        points=0,
        practice=True,
        case=cases.labelled,
        outputs=("loss", "p"),
        why="The loss of every task with classes. Some of the logits are near ±800, where e^z is infinite or 0.",
        hints=(
            "Adding the same number to all logits of a row leaves p as it is. Which number makes e^z harmless?",
            "Subtract each row's own largest logit. Then take the logarithm of the sum, never that of p.",
            "ln p_j = z_j - max z - ln Σ_k e^(z_k - max z): all of it is finite, even where p_j is 0.",
        ),
        section="Cross-entropy",
    ),
    Task(
        name="softmax_cross_entropy_backward",
        title="Softmax and cross-entropy, backward",
        points=0,
        practice=True,
        case=cases.labelled_backward,
        outputs=("dlogits",),
        why="The loveliest gradient of all: differentiate the loss as a function of z at once, not p and then ln p.",
        hints=(
            "Write l = ln Σ_k e^{z_k} - z_target and differentiate both terms with respect to z_j.",
            "The first term gives p_j, for every j; the second one only concerns the target.",
            "The loss is a mean over N rows, and dloss says how much the loss itself matters: two more factors.",
        ),
        section="Cross-entropy",
    ),
    Task(
        name="smoothed_cross_entropy",
        title="Cross-entropy with smoothed labels and padding",
        points=18,
        case=cases.smoothed,
        outputs=("loss", "p"),
        why="A target that is never quite certain, and a mean over the real tokens only. Some of the logits are near "
        "±800, where e^z is infinite or 0; the padding has numbers in it, and -1 for a target.",
        hints=(
            "Three questions for each token: what is p, what is q, and does the token count?",
            "Every class gets s / C, the target too. Subtract each token's own largest logit, and do not take ln of p.",
            "N is the number of True entries in the mask. What the padding holds may enter p, but not the loss.",
        ),
        pair=SMOOTHED,
        section="Smoothed labels and padding",
    ),
    Task(
        name="smoothed_cross_entropy_backward",
        title="Smoothed labels and padding, backward",
        points=16,
        case=cases.smoothed_backward,
        outputs=("dlogits",),
        without=("smoothed_cross_entropy",),
        why="The same short line as without smoothing, with another target: checked with random p, a dloss that is not "
        "1, and ragged masks.",
        hints=(
            "As the q_j add up to 1, the loss of a token is ln Σ_k e^{z_k} - Σ_j q_j z_j. Differentiate that.",
            "Where does the mask enter, and how many tokens is the mean over? Does dloss reach every entry?",
            "Each token has a weight: 1/N where the mask is True, 0 elsewhere. It multiplies all C entries of its row.",
        ),
        pair=SMOOTHED,
        section="Smoothed labels and padding",
    ),
    Task(
        name="linear",
        title="A linear layer",
        points=0,
        practice=True,
        case=cases.layer,
        outputs=("y",),
        why="Rows are vectors: (T, B, m) times (m, n) is a product for every step and every sequence at once.",
        hints=(
            "Vectors are rows here: which side does W stand on?",
            "The product looks at the last axis of x and the first of W; NumPy takes care of the others.",
            "The bias has one entry for each output and is added to every row; broadcasting does that.",
        ),
        pair=("linear", "linear_backward"),
        section="A linear layer",
    ),
    Task(
        name="linear_backward",
        title="A linear layer, backward",
        points=0,
        practice=True,
        case=cases.layer_backward,
        outputs=("dx", "dW", "db"),
        why="Three gradients, each of the shape of what it belongs to; for W and b, sums over steps and sequences.",
        hints=(
            "Write down the shapes first; there is nearly always only one product that fits.",
            "x_m meets every output y_n, with weight W_mn: the gradient of x_m is a sum over n.",
            "W and b are the same for all T B rows, so their gradients are sums over both of these axes.",
        ),
        pair=("linear", "linear_backward"),
        section="A linear layer",
    ),
    Task(
        name="tied_layer",
        title="A weight used twice",
        points=8,
        case=cases.tied,
        outputs=("y", "z"),
        why="Reading and writing with the same matrix: the smallest network in which one parameter has two places.",
        hints=(
            "Two linear layers in a row. The second has the same weight as the first, the other way round.",
            "Check the shapes: (T, B, m) to (T, B, n) and back to (T, B, m). Which bias has n entries, which m?",
            "What goes into the second product is all of z, its bias included.",
        ),
        pair=TIED,
        section="A weight used twice",
    ),
    Task(
        name="tied_layer_backward",
        title="A weight used twice, backward",
        points=18,
        case=cases.tied_backward,
        outputs=("dx", "dW", "db", "dc"),
        without=("tied_layer",),
        why="What is used twice gets two gradients, and they add up. Backpropagation through time is this, T times.",
        hints=(
            "Give the two uses different names, V and U, say, and find both gradients. Only then let V = U = W.",
            "Going back through y = z Uᵀ + c gives dz and dU; going back through z = x V + b gives dx and dV.",
            "dW has one part from each product, both (m, n). In one of them x is a factor; in the other, z is.",
        ),
        pair=TIED,
        section="A weight used twice",
    ),
)

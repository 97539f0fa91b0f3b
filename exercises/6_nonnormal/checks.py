"""The tasks of exercise 6: chains, Fisher memory, spectra, hidden order."""

import cases

from tinyrnn.grading import Task

TITLE = "Non-normal networks"
PACKAGES = ("numpy",)

PRACTICE = (
    Task(
        name="chain",
        title="a delay line",
        points=0,
        practice=True,
        case=cases.chain_case,
        outputs=("W",),
        why="Which side of the diagonal? A chain written for the wrong convention runs towards its source and forgets"
        " everything at once.",
        hints=(
            "h_t = W h_{t-1}: row i of W says what drives unit i.",
            "Unit j drives unit j + 1: the row is one more than the column.",
            "n - 1 weights, below the diagonal.",
        ),
        section="Chains",
    ),
    Task(
        name="henrici",
        title="the distance from normal",
        points=0,
        practice=True,
        case=cases.henrici_case,
        outputs=("d",),
        why="The eigenvalues account for a part of a matrix's energy; this index is the root of the rest.",
        hints=(
            "Two sums of squares, one over entries, one over eigenvalues.",
            "Eigenvalues may be complex: their squares are not what is added up.",
            "The modulus comes before the square; the root is taken of the difference.",
        ),
        section="How far from normal?",
    ),
)

GRADED = (
    Task(
        name="feedback_chain",
        title="a chain with feedback, link by link",
        points=8,
        case=cases.feedback_chain_case,
        outputs=("W",),
        why="All that follows stands on this matrix, and on which of its two sides is forwards.",
        hints=(
            "h_t = W h_{t-1}: row i of W says what drives unit i.",
            "forth leads from unit j to unit j + 1, so it is found in row j + 1. And back?",
            "Three diagonals: one below the main one, one above it, and itself.",
        ),
        section="Chains",
    ),
    Task(
        name="covariance",
        title="how noise piles up",
        points=12,
        case=cases.covariance_case,
        outputs=("C",),
        why="Noise that entered k steps ago has been through W k times. Memory is measured against the sum of all"
        " of it.",
        hints=(
            "How does the covariance of W h follow from that of h?",
            "One step of the network gives one step for its covariance: start from h_0 = 0, which has none.",
            "After the first step C is Q itself. W stands on the left, its transpose on the right.",
        ),
        section="Noise",
    ),
    Task(
        name="memory",
        title="what can still be told of an old input",
        points=14,
        case=cases.memory_case,
        outputs=("J",),
        why="The trace that an input has left, measured in units of the noise, for every age k from 0 on. C is given.",
        hints=(
            "What is left in h of an input of k steps ago? Begin with k = 0.",
            "The trace is an (n, m) matrix that is multiplied by W once for each step.",
            "For C^-1 X use np.linalg.solve, and do not invert; the first J has V itself in it.",
        ),
        section="Fisher memory",
    ),
    Task(
        name="line_memory",
        title="the memory of a delay line, in closed form",
        points=14,
        case=cases.line_memory_case,
        outputs=("J",),
        why="A chain is simple enough for a formula in one line. Lines are long here: numbers must not overflow.",
        hints=(
            "Where is the input of k steps ago, and what noise has come to it on its way?",
            "Signal and noise of one place are amplified together afterwards. So measure each noise as if it had been"
            " added at the source.",
            "Noise of unit j, seen from the source, is noise[j] divided by the squared gains before it: these"
            " numbers can only become small, not large. 1 / J(k) is the sum of the first k + 1 of them.",
        ),
        section="The chain in closed form",
    ),
    Task(
        name="line_memory_backward",
        title="how each amplifier matters",
        points=16,
        case=cases.line_memory_backward_case,
        outputs=("dgains", "dnoise"),
        without=("line_memory",),
        why="With this gradient, gains can be trained. Sums over everything before turn into sums over everything"
        " after.",
        hints=(
            "Name the intermediate values of the forward pass, and go back through them one by one.",
            "Entry j of a cumulative sum goes into every later entry: its gradient is a sum over k >= j.",
            "gains[i] shrinks the noise of all units after i, each in proportion to gains[i] to the power -2: for"
            " each the derivative is -2 / gains[i] times itself.",
        ),
        pair=("line_memory", "line_memory_backward"),
        section="The chain in closed form",
    ),
    Task(
        name="spectrum",
        title="eigenvalues that can be trusted",
        points=12,
        case=cases.spectrum_case,
        outputs=("eigenvalues",),
        why="For a matrix that is far from normal, an eigenvalue routine can be wrong in the first digit without a"
        " word. Another matrix has the same eigenvalues, and is symmetric.",
        hints=(
            "Measure the units of the chain in other units: T^-1 W T with a diagonal T has the same eigenvalues.",
            "T can be chosen such that forth and back become equal. Their product does not change: what must each be?",
            "Each link becomes the geometric mean of its two weights. For symmetric matrices there is"
            " np.linalg.eigvalsh.",
        ),
        section="Eigenvalues that lie",
    ),
    Task(
        name="feedforward_share",
        title="the part that eigenvalues do not see",
        points=10,
        case=cases.feedforward_share_case,
        outputs=("share",),
        why="One number for each matrix of a stack: 0 for a normal one, 1 for one that only feeds forward.",
        hints=(
            "Both sums are of squares; their ratio needs no root.",
            "np.linalg.eigvals takes a whole stack. What is the right square of a complex number here?",
            "Sum over the eigenvalues of each matrix and over the entries of each matrix, never over the stack.",
        ),
        section="How far from normal?",
    ),
    Task(
        name="flow",
        title="a hidden order",
        points=14,
        case=cases.flow_case,
        outputs=("arrival", "ordered", "profile", "forward"),
        why="A sequence can hide in a matrix whose units are numbered anyhow. A pulse finds it.",
        hints=(
            "Run the network from the pulse and look at the energy of each unit over time; h_0 counts as well.",
            "To renumber units, both the rows and the columns of W must be taken in the new order.",
            "Positive i - j is below the diagonal: from units that are early to units that are late. All shares are"
            " of the squared weights, and the whole profile adds up to 1.",
        ),
        section="A hidden order",
    ),
)

TASKS = PRACTICE + GRADED

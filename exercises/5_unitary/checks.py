"""The tasks of exercise 5: unitary blocks, forwards and backwards."""

import cases

from tinyrnn.grading import Task

TITLE = "Unitary blocks"
PACKAGES = ("numpy",)
STEP = """
def step(x, h_prev, p):
    kept = {"x": x, "h_prev": h_prev, **yours.step(x, h_prev, p)}
    h = kept["h"]
    return h, kept
"""

PRACTICE = (
    Task(
        name="phases",
        title="turn every entry",
        points=0,
        practice=True,
        case=cases.phases_case,
        outputs=("y",),
        axis="part",
        why="The simplest unitary matrix is diagonal. This warms you up for how complex numbers are stored here.",
        hints=(
            "What does multiplying by e^{i theta} do to a point of the plane?",
            "z[0] and z[1] are the coordinates of n points for each sequence: use the matrix of a rotation.",
            "The new real part is cos times the old one minus sin times the imaginary part. leaky_phases, given, is"
            " longer.",
        ),
        section="How complex numbers are stored",
    ),
    Task(
        name="phases_backward",
        title="turn every gradient back",
        points=0,
        practice=True,
        case=cases.phases_backward_case,
        outputs=("dz", "dtheta"),
        axis="part",
        why="A unitary block is undone by its conjugate transpose, and that is also its backward pass.",
        hints=(
            "A rotation is undone by the rotation the other way.",
            "For dtheta, ask where y moves when theta grows a little: at a right angle to itself.",
            "dy/dtheta is (-y_im, y_re). Multiply by dy, add both parts, sum over the batch.",
        ),
        pair=("phases", "phases_backward"),
        section="How complex numbers are stored",
    ),
    Task(
        name="modrelu",
        title="the rectifier for complex numbers",
        points=0,
        practice=True,
        case=cases.modulus_case,
        outputs=("h",),
        axis="part",
        why="A nonlinearity that changes lengths and leaves directions alone goes well with rotations.",
        hints=(
            "Separate each z into its length and its direction; only the length is changed.",
            "Where z = 0 there is no direction: divide by something that is not 0 there.",
            "np.where gives a safe divisor; the new length is never negative.",
        ),
        section="A nonlinearity for lengths",
    ),
)

GRADED = (
    Task(
        name="leaky_phases_backward",
        title="the gradient of a leaky rotation",
        points=14,
        case=cases.leaky_phases_backward_case,
        outputs=("dz", "dnu", "dtheta"),
        axis="part",
        why="Each entry is multiplied by a complex number; with the leak in it, the backward pass is no longer the"
        " inverse. Compared: the gradients of z, of the leak and of the angle.",
        hints=(
            "The backward pass multiplies by the conjugate of what the forward pass multiplies by. What is"
            " different when its modulus is not 1?",
            "For dnu and dtheta, write y = exp(-exp(nu)) exp(i theta) z and differentiate: both derivatives are y times"
            " something simple.",
            "dy/dtheta is y turned by a right angle; dy/dnu points along y. A real gradient is the sum over both"
            " parts of dy times that, and over the batch.",
        ),
        pair=("leaky_phases", "leaky_phases_backward"),
        section="The leak and the turn",
    ),
    Task(
        name="turnstile",
        title="turn one direction, leave the rest",
        points=10,
        case=cases.turnstile_case,
        outputs=("y",),
        axis="part",
        why="A reflection is a rank-one change of the identity. Here it is one by any angle; it must cost O(n), and"
        " keep the length of every z.",
        hints=(
            "How much of z lies along v? In a complex space this inner product has a conjugate in it.",
            "R z is z minus a multiple of v; the multiple is one complex number for each sequence.",
            "v* z conjugates v and not z. Divide by the squared length of v, which counts real and imaginary parts.",
        ),
        section="The turnstile",
    ),
    Task(
        name="turnstile_backward",
        title="the gradient of the turnstile",
        points=18,
        case=cases.turnstile_backward_case,
        outputs=("dz", "dv", "dphi"),
        without=("turnstile",),
        axis="part",
        why="v occurs three times: as the direction, in the inner product, and in its own length. Each gives dv a"
        " part.",
        hints=(
            "dz needs the conjugate transpose of R. Which of its factors changes when you take it?",
            "Give each occurrence of v a name of its own, differentiate by it alone, and add up. In Re(a conj(b))"
            " you may conjugate the whole product.",
            "A check: turning or scaling v does not change R, so v* dv must be 0. If it is not, one of the three"
            " parts is missing or has a conjugate too many.",
        ),
        section="The turnstile",
    ),
    Task(
        name="shuffle",
        title="permutation and Hartley transform",
        points=12,
        case=cases.shuffle_case,
        outputs=("y",),
        axis="part",
        why="Mixing all n entries with all others in O(n log n): with the fast Fourier transform, never with a matrix."
        " Hidden checks use more than 20 000 entries.",
        hints=(
            "cos + sin of the same angle: which parts of e^{-i angle} are these?",
            "Real and imaginary parts are transformed apart: np.fft.fft of a real array, along its last axis.",
            "Re F has the cosines and Im F the sines with a minus. Mind the factor: the transform must keep lengths.",
        ),
        section="The shuffle",
    ),
    Task(
        name="shuffle_backward",
        title="unshuffle",
        points=8,
        case=cases.shuffle_backward_case,
        outputs=("dz",),
        axis="part",
        why="S is a real orthogonal matrix: its transpose undoes it. The order of two factors turns round.",
        hints=(
            "The transpose of a product is the product of the transposes in the opposite order.",
            "H is symmetric, so it is its own transpose. What about a permutation?",
            "Where the forward pass gathers from the place perm[j], the backward pass puts back to the place perm[j].",
        ),
        section="The shuffle",
    ),
    Task(
        name="modtanh_backward",
        title="the gradient of a nonlinearity of lengths",
        points=18,
        case=cases.modulus_backward_case,
        outputs=("dz", "db"),
        without=("modtanh",),
        axis="part",
        why="Along z the length changes, across z the direction: two different derivatives. Some units are off, and"
        " some z are exactly 0.",
        hints=(
            "Split dh into its part along z and the rest. What happens to each when z moves that way?",
            "Along: the derivative of tanh(relu(|z| + b)) by |z|. Across: h moves by as much as z does, times |h| /"
            " |z|.",
            "The part along u is one number for a unit, the sum of u times dh over both parts; db is that number behind"
            " tanh' and the relu, summed over the batch. Where z = 0, take 1 for a divisor.",
        ),
        pair=("modtanh", "modtanh_backward"),
        section="A nonlinearity for lengths",
    ),
    Task(
        name="step",
        title="one step of the network",
        points=10,
        case=cases.step_case,
        outputs=("y1", "y2", "y3", "y4", "y5", "z", "h"),
        axis="part",
        after=("turnstile", "shuffle", "shuffle_backward"),
        why="The blocks, one after the other, make a matrix that nobody writes down. Every value on the way is"
        " compared. Hidden checks use more than 20 000 units.",
        hints=(
            "A product of matrices acts from the right: W h applies D_1 first.",
            "You have written every block already; one of them is there as a backward pass under another name.",
            "S^-1 = S^T is what shuffle_backward does. x is real, V is a complex array as everything else: x @ V"
            " works.",
        ),
        section="The composed step",
    ),
    Task(
        name="step_backward",
        title="one step backwards",
        points=10,
        case=cases.step_backward_case,
        outputs=("dx", "dh_prev", "dV", "db", "dnu_1", "dtheta_1", "dnu_2", "dtheta_2", "dv", "dphi"),
        without=("step",),
        axis="part",
        after=("leaky_phases_backward", "turnstile_backward", "shuffle", "shuffle_backward", "modtanh_backward"),
        why="Each block's backward pass, in the opposite order, each with what its forward pass was given.",
        hints=(
            "Go through the lines of `step` from the last to the first: one line there, one line here.",
            "Each backward function wants the input of its block, not the output: which of kept is it?",
            "The backward pass of S^-1 is S. x is real and V has two parts, so dx is a sum over both.",
        ),
        forward=STEP,
        section="The composed step",
    ),
)

TASKS = PRACTICE + GRADED

"""Exercise 7, as `tinyrnn check 7` sees it."""

import cases
import numpy as np

from tinyrnn.grading.task import Finding, Task

TITLE = "Linear autoencoder"
PACKAGES = ("numpy",)
NETWORK = ("lmn", "lmn_backward")
CLOSE = 1e-9  # what is asked for is exact; this leaves room for a decomposition in another way


def principal(returned, inputs):
    """Whether U and sigma are strongest directions and their energies' roots, whatever the signs of the columns."""
    Xi, p = inputs["Xi"], inputs["p"]
    G = Xi.T @ Xi
    best = np.sqrt(np.maximum(np.linalg.eigvalsh(G)[::-1], 0))
    U, sigma = (
        (np.asarray(part) for part in returned.values()) if isinstance(returned, dict) else map(np.asarray, returned)
    )
    return [Finding("U", *about_directions(U, G, best, p)), Finding("sigma", *about_energies(sigma, best[:p]))]


def about_directions(U, G, best, p):
    """(ok, what is wrong in a line)."""
    if U.shape != (len(G), p):
        return False, f"U: shape {U.shape} came where {(len(G), p)} belongs"
    if U.dtype != np.float64:
        return False, f"U: {U.dtype} came where float64 belongs"
    if not abs(U.T @ U - np.eye(p)).max() <= CLOSE:
        return False, "U: its columns are not orthonormal"
    missing = 1 - np.trace(U.T @ G @ U) / (best[:p] ** 2).sum()
    if not missing <= CLOSE:
        return False, f"U: {missing:.2%} of the energy that {p} directions can hold is missing"
    mixed = U.T @ G @ U
    if not abs(mixed - np.diag(best[:p] ** 2)).max() <= CLOSE * best[0] ** 2:
        return False, "U: all the energy is there, but the columns are not the directions, strongest first: mixed up?"
    return True, ""


def about_energies(sigma, best):
    if sigma.shape != best.shape:
        return False, f"sigma: shape {sigma.shape} came where {best.shape} belongs"
    if sigma.dtype != np.float64:
        return False, f"sigma: {sigma.dtype} came where float64 belongs"
    if not abs(sigma - best).max() <= CLOSE * best[0]:
        return False, "sigma: the squares are not the energies of the strongest directions, in this order"
    return True, ""


TASKS = (
    Task(
        name="prefixes",
        title="Reversed, fading prefixes",
        points=14,
        case=cases.sequences,
        outputs=("Xi", "mean"),
        why="All that a memory could know after each step, in a row: the newest input first, older ones fainter. The "
        "sequences have different lengths, and what follows their ends is junk that must leave no trace.",
        hints=(
            "How many rows does a sequence of 3 steps have, and how many numbers of the row of step 2 are not zero?",
            "The mean first, from real inputs only, one number a feature. Take it off, and only then fill up with "
            "zeros.",
            "Block j of the row of step t is the input of j steps before, times γ to the power j: a slice with step "
            "-1.",
        ),
        section="The past in a row",
    ),
    Task(
        name="directions",
        title="What is worth keeping",
        points=12,
        case=cases.rows,
        outputs=("U", "sigma"),
        judge=principal,
        why="Of T k numbers the memory keeps p. Which p combinations lose least is a question with a closed answer. It "
        "is the property that is checked, not the signs of the columns.",
        hints=(
            "Which decomposition of a matrix sorts directions by how much of its rows they hold?",
            "Ξ = V S Uᵀ. NumPy returns the last factor as it stands in the product; nothing is centred on the way.",
            "The first p rows of what NumPy calls Vh are the directions. By the eigenvectors of ΞᵀΞ it works as well: "
            "mind that they come weakest first, and that eigenvalues are squares.",
        ),
        section="What is worth keeping",
    ),
    Task(
        name="memory",
        title="The encoder, in closed form",
        points=16,
        case=cases.subspace,
        outputs=("A", "B"),
        why="Two matrices that no gradient has seen. They follow from one line, ξ_t = Pᵀ x_t + γ Rᵀ ξ_{t-1}, and the "
        "approximation that the last state had everything.",
        hints=(
            "Multiply ξ_t = Pᵀ x_t + γ Rᵀ ξ_{t-1} by Uᵀ from the left, and put U m_{t-1} for ξ_{t-1}.",
            "Pᵀ puts x into the first block: what does Uᵀ Pᵀ pick from U? R moves blocks left, so Rᵀ moves them right.",
            "Rᵀ U is U moved down by k rows, with zeros on top: only rows from k on of the left factor meet anything.",
        ),
        section="Two matrices",
    ),
    Task(
        name="remember",
        title="Encoding",
        points=0,
        practice=True,
        case=cases.reading,
        outputs=("m",),
        why="The memory at work: one matrix for what comes, one for what is there already.",
        hints=(
            "A and B act on columns; your data are rows. What becomes of A x when x is a row?",
            "Take the mean off, multiply by the transposed matrices, add, store, go on.",
            "The state is (N, p): (x_t - mean) meets Aᵀ, (k, p), and the last state meets Bᵀ, (p, p). Store every "
            "step.",
        ),
        section="Two matrices",
    ),
    Task(
        name="recall",
        title="Decoding",
        points=14,
        case=cases.recalling,
        outputs=("x",),
        why="The same two matrices, transposed, read the past off a single state, newest first. With fading there is a "
        "factor, which the papers do not need, as their γ is 1.",
        hints=(
            "From ξ_t = U m_t: which part of ξ_t is x_t - mean? And how do you get ξ_{t-1} from ξ_t?",
            "P Pᵀ = 1, P Rᵀ = 0 and R Pᵀ = 0; R Rᵀ ξ_{t-1} = ξ_{t-1}, as its last block is empty. So R ξ_t is γ times "
            "ξ_{t-1}.",
            "m_{t-1} = Uᵀ R U m_t / γ. Write B down once more: there is a γ in it too, so that two of them come "
            "together.",
        ),
        section="Reading it back",
    ),
    Task(
        name="loaded",
        title="Loading it into a network",
        points=12,
        case=cases.loading,
        outputs=("W_xh", "W_mh", "b_h", "W_xu", "W_hm", "W_mm"),
        why="A network that starts where the closed form ended. The tanh is straight near 0, so that a small gain on "
        "the "
        "way in, undone on the way out, makes it nearly linear; the write gate is not 1, and must be made up for.",
        hints=(
            "What is h for a small gain? What has m_t to become, and which factors are in between?",
            "The network acts on rows: x W. The mean goes where it is subtracted before the tanh, not after.",
            "W_hm undoes two factors, gain and u; u scales columns of h W_hm, a different one each. Which weights are "
            "to "
            "look at nothing yet?",
        ),
        section="A network that starts with a memory",
    ),
    Task(
        name="lmn",
        title="The gated linear memory network",
        points=10,
        case=cases.network,
        outputs=("m", "h", "u"),
        why="A nonlinear part computes, a linear part remembers, and a gate between them says what is worth writing. "
        "Nothing squeezes the memory itself: what is in it can stay.",
        hints=(
            "Which m does h_t look at, and which one does m_t add to?",
            "The gate belongs to what is written. What is remembered passes it by.",
            "Four lines in the loop, in the order of the equations; the state that goes on is m, not h.",
        ),
        pair=NETWORK,
        section="The network",
    ),
    Task(
        name="lmn_backward",
        title="The network, backward",
        points=22,
        case=cases.network_backward,
        outputs=("dx", "dm0", "dW_xh", "dW_mh", "db_h", "dW_xu", "db_u", "dW_hm", "dW_mm"),
        without=("lmn",),
        why="The gradient comes back through m alone, along two ways: straight through W_mm, and around through h. "
        "Every "
        "output is graded by itself; h, u and m come in as arguments, so that mistakes in `lmn` cost nothing here.",
        hints=(
            "Write μ for the whole gradient of m_t, from all that reads it: the outside at step t, m_{t+1}, h_{t+1}.",
            "u ∘ (h W_hm) is a product: each factor's gradient holds the other one. W_mm has no gate in front of it.",
            "The gate's and h's own bends come last, u (1 - u) and 1 - h². For t = 0, m_{t-1} is m0. The carry is the "
            "sum of two products with transposed weights, made after the gradients of this step.",
        ),
        pair=NETWORK,
        section="And back",
    ),
)

"""Exercise 2, as `tinyrnn check 2` sees it."""

import cases

from tinyrnn.grading.task import Task

TITLE = "Elman networks and time"
PACKAGES = ("numpy",)
ELMAN = ("elman_step", "elman_step_backward")
STEP = ("leaky_step", "leaky_step_backward")
WEIGHTS = ("dWx", "dWh", "db")
SEQUENCE = """
def leaky_sequence(x, v0, mask, Wx, Wh, b, tau):
    v, a = yours.leaky_sequence(x, v0, mask, Wx, Wh, b, tau)
    v_last = v[-1]
    return v, v_last, a
"""

TASKS = (
    Task(
        name="elman_step",
        title="One step of an Elman network",
        points=0,
        practice=True,
        case=cases.elman,
        outputs=("h",),
        why="The smallest network with a memory: a linear layer that also reads what it said the step before.",
        hints=(
            "Two products and a bias inside one squashing function.",
            "Rows are sequences, so that both products have the weight on the right.",
            "x (B, m) meets Wx (m, n), h_prev (B, n) meets Wh (n, n); b goes to every row; then np.tanh of the sum.",
        ),
        pair=ELMAN,
        section="The plain network",
    ),
    Task(
        name="elman_step_backward",
        title="One step of an Elman network, backward",
        points=0,
        practice=True,
        case=cases.elman_backward,
        outputs=("dx", "dh_prev", *WEIGHTS),
        why="Five gradients from one line: first through tanh, once, and then to each of the things under it.",
        hints=(
            "Give the sum inside tanh a name, a say, and find da first. The other five all come from it.",
            "tanh has a derivative that can be written with its own output, and h is among your arguments.",
            "1 - h² per entry; then five gradients of a linear layer, with Wh transposed for the way to h_prev.",
        ),
        pair=ELMAN,
        section="The plain network",
    ),
    Task(
        name="growth",
        title="The factor per step, many times over",
        points=0,
        practice=True,
        case=cases.units,
        outputs=("gradient",),
        why="1.1 and 0.9 are nearly 1, and after fifty steps they are worlds apart. Count the steps before you answer.",
        hints=(
            "Write down h_2 and h_3 in terms of h_1, then differentiate.",
            "T = 1 has no step in it at all: what is dh_1/dh_1?",
            "From step 1 to step T there is one factor w less than there are states.",
        ),
        section="The 1.1ᵀ experiment",
    ),
    Task(
        name="leaky_step",
        title="One step of leaky units",
        points=10,
        case=cases.step,
        outputs=("v", "a"),
        why="Each unit has a time constant: what it keeps of itself per step, and what it takes in. All states, biases "
        "and time constants differ, so that nothing can be in the wrong place unnoticed.",
        hints=(
            "Four lines, four equations: write them one by one, with their names.",
            "Which of v_prev and r_prev is weighted with keep, and which one goes through Wh?",
            "keep is near 1 for a unit with a long time constant. Its share and that of a add up to 1 for each unit.",
        ),
        pair=STEP,
        section="Leaky units",
    ),
    Task(
        name="leaky_step_backward",
        title="One step of leaky units, backward",
        points=18,
        case=cases.step_backward,
        outputs=("dx", "dv_prev", *WEIGHTS, "dtau"),
        without=("leaky_step", "leaky_sequence"),
        why="v_prev reaches v by two paths, straight on and through the weights, so its gradient has two terms. tau "
        "sits inside keep, which stands in two places as well.",
        hints=(
            "Take the equations in the opposite order. Which variables does each of them read?",
            "First da, then what Wh sends back to r_prev. v_prev gets that, through a slope, and a share of dv.",
            "For dtau: in v, keep has the factor v_prev - a. Then the derivative of exp(-1/tau). Sum over the batch.",
        ),
        pair=STEP,
        section="Leaky units",
    ),
    Task(
        name="leaky_sequence",
        title="A whole sequence, with pauses",
        points=12,
        case=cases.sequence,
        outputs=("v", "a"),
        after=("leaky_step",),
        why="The same step, with the same weights, T times. Where the mask is False a state must come out as it went "
        "in, whatever stands in x there.",
        hints=(
            "A loop over time with one variable that is handed on. What is it before the first step?",
            "Compute the step for all sequences, then choose, sequence by sequence, between new and old state.",
            "np.where with a condition of shape (B, 1). What is chosen is both stored and handed on.",
        ),
        section="Through time, and masks",
    ),
    Task(
        name="leaky_sequence_backward",
        title="Backpropagation through time, with pauses",
        points=22,
        case=cases.sequence_backward,
        outputs=("dx", "dv0", *WEIGHTS, "dtau"),
        without=("leaky_step", "leaky_sequence"),
        after=("leaky_step_backward",),
        why="One step backward, T times, from the end: what reaches a state from above and from the step after it adds "
        "up, and so do the gradients of the weights. Masked steps hand on what they get, unchanged.",
        hints=(
            "Which two gradients meet at the state after step t? And which one is there before the loop begins?",
            "The state before step t is v[t-1]; before the first step it is v0. Weights get a term from every step.",
            "In a pause the step is the identity: all that arrives goes on to the state before, and nothing elsewhere.",
        ),
        forward=SEQUENCE,
        section="Through time, and masks",
    ),
    Task(
        name="gradient_by_lag",
        title="The gradient, sorted by how far it reaches",
        points=14,
        case=cases.lags,
        outputs=("by_lag", "norms", "truncated"),
        without=("leaky_step", "leaky_sequence"),
        why="The gradient of a weight is a sum over all pairs of a loss and an earlier step. Sorted by their distance "
        "it shows how far back a network can learn, and what truncation leaves out.",
        hints=(
            "All losses can go back one step at the same time: keep an array of what has reached each state from `lag` "
            "steps ahead.",
            "At lag 0 that array is dv. Each lag takes it one step back: what is at state t then goes to state t - 1.",
            "What goes back from the first state leaves the array; the last state gets zeros. The uses of Wh at step t "
            "see the state before step t.",
        ),
        section="Gradients by lag, and truncation",
    ),
    Task(
        name="clip_updates",
        title="Clipping against a limit that follows",
        points=12,
        case=cases.updates,
        outputs=(*WEIGHTS, "limits"),
        axis="update",
        why="One norm of all gradients together and one factor for all of them, so that the direction stays. Some of "
        "the updates are far above the limit, some below, and one is zero.",
        hints=(
            "What is one long vector here: a matrix, all three arrays, or all K updates?",
            "Nothing is ever made longer, and the mean must not learn of what was cut off.",
            "In this order: norm, limit, cut, mean. The mean moves towards the smaller of norm and limit.",
        ),
        section="Clipping",
    ),
    Task(
        name="fixed_points",
        title="Where a unit comes to rest",
        points=12,
        case=cases.resting,
        outputs=("count", "points", "slopes", "sinks"),
        tolerance=1e-9,  # a zero is as exact as the search for it
        why="A unit remembers with its fixed points. All are asked for, those that repel as well; among the units are "
        "some with three, and some that would jump back and forth if they did not leak.",
        hints=(
            "At a fixed point f(v) - v is zero. What does the leak have to do with where that happens, and what not?",
            "No fixed point is further from 0 than |w| + |b|. Look for changes of sign on a fine grid, then bisect.",
            "Being a sink is a matter of the size of the slope of f, leak included; it may be negative.",
        ),
        section="Where it comes to rest",
    ),
)

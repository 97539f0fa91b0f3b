"""Exercise 8, as `tinyrnn check 8` sees it. What is handed in of a training are weights; the loss is measured here."""

import cases
import numpy as np

import tinyrnn as tr
from tinyrnn.grading.task import Finding, Task

TITLE = "Training"
PACKAGES = ("numpy",)
CELL = ("cell_step", "cell_step_backward")
MOST_UNITS = 32
LARGEST = 1e3  # of a weight: beyond, nothing was learnt but overflow
ADDING, ROWS = 0.015, 1.0  # losses that are good enough; a good run stays well below
SECONDS = 15.0  # a training takes one or two


def adds(returned, inputs):
    """Whether weights solve the adding task: mean squared error on sequences made here."""
    x, target = cases.unseen_sums(inputs["T"])
    about = f"the mean squared error on {x.shape[1]} new sequences of {inputs['T']} steps"
    return verdict(returned, x, target, 1, "squared_error", ADDING, about)


def reads(returned, inputs):
    """Whether weights tell digits: cross-entropy on digits that nobody has learnt from."""
    images, target = cases.unseen_digits()
    source = "made-up digits" if inputs["source"] != "MNIST" else "MNIST digits"
    about = f"the cross-entropy on {len(images)} new {source}"
    return verdict(returned, images.swapaxes(0, 1) / 255, target, 10, "cross_entropy", ROWS, about)


def verdict(returned, x, target, outputs, loss, enough, about):
    row = returned["weights"] if isinstance(returned, dict) else returned
    parts, problem = unpacked(row, x.shape[2], outputs)
    if problem:
        return [Finding("weights", False, f"weights: {problem}")]
    measured = float(model(parts, loss).loss(answers(parts, x, loss), target)[0])
    if measured <= enough:
        return [Finding("weights", True)]
    said = f"weights: {about} is {measured:.2g}, and {enough} is good enough"
    return [Finding("weights", False, said, f"at most {enough}", f"{measured:.2g}")]


def unpacked(row, m, outputs):
    """({name: array}, "") from all weights in a row; or ({}, what is wrong). The length tells the units."""
    row = np.asarray(row)
    if row.ndim != 1 or row.dtype != np.float64:
        return {}, f"{row.dtype} {row.shape} came where one row of float64 belongs, as `packed` makes it"
    for n in range(1, MOST_UNITS + 1):
        shapes = {"Wx": (m, 3 * n), "Wh": (n, 3 * n), "p": (2, n), "b": (3 * n,), "V": (n, outputs), "d": (outputs,)}
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
        if ends[-1] == row.size:
            if not abs(row).max() <= LARGEST:
                return {}, f"a weight is larger than {LARGEST:g}: the training has blown up"
            parts = np.split(row, ends[:-1])
            return {name: part.reshape(s) for (name, s), part in zip(shapes.items(), parts, strict=True)}, ""
    return {}, f"{row.size} numbers fit no network of 1 to {MOST_UNITS} units with {m} inputs and {outputs} outputs"


def model(parts, loss):
    """The network as the package has it: an LSTM with peepholes, all gates free. They are coupled where the
    input gate's weights are minus the forget gate's, as σ(-a) = 1 - σ(a)."""
    n = len(parts["Wh"])
    cell = tr.PeepholeLSTM(len(parts["Wx"]), n, rng=0)
    for own, name in (("W_x", "Wx"), ("W_h", "Wh"), ("b", "b")):
        forget = parts[name][..., :n]
        cell.params[own][...] = np.concatenate([-forget, parts[name]], axis=-1)
    for own, value in (("p_i", -parts["p"][0]), ("p_f", parts["p"][0]), ("p_o", parts["p"][1])):
        cell.params[own][...] = value
    readout = tr.Readout(n, parts["V"].shape[1], rng=0)
    readout.params["W"][...] = parts["V"]
    readout.params["b"][...] = parts["d"]
    return tr.Model(cell, readout, loss=loss, at="last")


def answers(parts, x, loss):
    """What the network says after the last step of x (T, N, m): (N, outputs)."""
    return model(parts, loss).forward(x)[0]


TASKS = (
    Task(
        name="rmsprop_step",
        title="RMSProp",
        points=0,
        practice=True,
        case=cases.plain_rmsprop,
        outputs=("w", "v"),
        why="Every weight gets a rate of its own: the gradient divided by how large it usually is.",
        hints=(
            "Which v divides, the one before this update or the one after it?",
            "v first, then w. ε stands beside the root, not under it.",
            "v is a running mean of squares: ρ of what was, 1 - ρ of the square of dw. w goes against dw.",
        ),
        section="Practice: RMSProp and Adam",
    ),
    Task(
        name="adam_step",
        title="Adam",
        points=0,
        practice=True,
        case=cases.plain_adam,
        outputs=("w", "m", "v"),
        why="Two running means, both corrected for having started at zero. The correction depends on t.",
        hints=(
            "Which of the two means is of gradients, which of squares? Which one is under the root?",
            "β to the power t, where t is the number of this update. m and v are returned as they are, uncorrected.",
            "m and v first. Divide each by one minus its own β to the t, in variables of their own. Then w.",
        ),
        section="Practice: RMSProp and Adam",
    ),
    Task(
        name="centred_rmsprop_step",
        title="RMSProp, centred, with momentum",
        points=10,
        case=cases.centred,
        outputs=("w", "v", "a", "delta"),
        why="Mean of squares less square of the mean: a variance. Weights whose gradients always agree take long "
        "steps. "
        "What the update remembers is graded as well as what it does.",
        hints=(
            "Three memories and one weight. In which order do they change, and which of them does each line read?",
            "The root is over everything, ε too. The momentum works on the step, learning rate included.",
            "New v and new a go into the root; a is squared there. Δ takes what is left of the last Δ, less the new "
            "step; "
            "w adds Δ, whose sign is in it already.",
        ),
        section="RMSProp, centred",
    ),
    Task(
        name="nadam_step",
        title="NAdam with decoupled weight decay",
        points=16,
        case=cases.nadam,
        outputs=("w", "m", "v"),
        why="Adam that takes the next step's momentum already, and a weight decay that stays out of the gradient. t "
        "is 2 "
        "or more, ε and λ are large, so that each term shows.",
        hints=(
            "Two corrections for one m̂: which power belongs to which term?",
            "The new m counts with β₁ and the correction of the next update; dw counts with 1 - β₁ and that of this "
            "one.",
            "λ w is never divided by √v̂ and never enters m or v; it is multiplied with the rate like the rest. v̂ is "
            "corrected with t, not with t + 1.",
        ),
        section="Adam that looks ahead",
    ),
    Task(
        name="clip_factors",
        title="Clipping by what is usual",
        points=14,
        case=cases.explosions,
        outputs=("factors", "averages"),
        why="One bad batch must not throw away a night of training, nor may it teach the clipping that such gradients "
        "are "
        "usual. Among the ten updates are one with NaN, one with infinity, one of zeros and one of 1e200.",
        hints=(
            "One norm for all parameters together. What is it if a gradient holds NaN? What is the square of 1e200?",
            "Limit first, from the average as it was. Then the factor. Then the average, with the norm as it was "
            "clipped.",
            "Divide all entries by the largest before squaring, and multiply the root with it; zeros alone need a "
            "line of "
            "their own. An infinite norm is a reason for factor 0 only if an entry is infinite or NaN.",
        ),
        section="Clipping by what is usual",
    ),
    Task(
        name="cell_step",
        title="A cell with coupled gates and peepholes",
        points=10,
        case=cases.cell,
        outputs=("h", "c", "f", "o", "g"),
        why="The coupled gates of exercise 3, with eyes: the forget gate sees what the cell holds, the output gate "
        "sees "
        "what it holds now.",
        hints=(
            "Which c does each gate look at? In which order must the lines stand, then?",
            "p is not a matrix: p_f ∘ c_prev has a number for each unit. Gates stand in the order f, o, g.",
            "a in three parts; f with row 0 of p and the old c; g; the new c; only now o, with row 1 of p; then h.",
        ),
        pair=CELL,
        section="A cell of your own",
    ),
    Task(
        name="cell_step_backward",
        title="The cell, backward",
        points=22,
        case=cases.cell_backward,
        outputs=("dx", "dh_prev", "dc_prev", "dWx", "dWh", "dp", "db"),
        without=("cell_step",),
        why="Two new roads for the gradient: c is read by the output gate, c_prev by the forget gate. Each output is "
        "graded by itself; gates and c come in as arguments, so that mistakes in `cell_step` cost nothing here.",
        hints=(
            "Count the readers of c in the forward pass: there are three. Those of c_prev: there are two.",
            "The output gate comes first: its gradient is needed before dc is whole. f lets the old in and keeps the "
            "new "
            "out.",
            "To dc as it came add what h sends through tanh, and what the output gate's sum sends by p_o. To f ∘ dc "
            "add "
            "what the forget gate's sum sends by p_f. dp is summed over the batch: sums of gates times what they saw.",
        ),
        pair=CELL,
        section="A cell of your own",
    ),
    Task(
        name="train_adding",
        title="Your cell learns to add",
        points=14,
        case=cases.adding,
        outputs=("weights",),
        packages=("tinyrnn",),
        judge=adds,
        number=1,
        seconds=SECONDS,
        after=("nadam_step", "clip_factors", "cell_step", "cell_step_backward"),
        why="Everything at once: your cell in the real engine, with your optimiser and your clipping. You hand in "
        "weights; the loss is measured elsewhere, on sequences that you have not seen.",
        hints=(
            "Look at the losses that `fit` prints. Does it not move, does it jump, or is it merely not there yet?",
            "What does a forget gate of ½ leave of a number after ten steps? Its bias is the first third of b. Weights "
            "that are all equal stay equal: draw them, smaller for more inputs.",
            "12 units, 16 sequences a batch and some 150 updates are enough, in less than a second. The rate wants to "
            "be some hundredths, and to go down towards the end.",
        ),
        section="Training",
    ),
    Task(
        name="train_rows",
        title="Your cell reads digits",
        points=14,
        case=cases.digits,
        outputs=("weights",),
        packages=("tinyrnn",),
        judge=reads,
        number=1,
        seconds=SECONDS,
        after=("cell_step", "cell_step_backward"),
        why="Real data: 28 rows of 28 pixels, one digit. You hand in weights; the cross-entropy is measured "
        "elsewhere, on "
        "digits that nobody has learnt from.",
        hints=(
            "It is the same as before with 28 inputs, ten outputs and another loss. Where do batches come from?",
            "`rows_of` first: time is the first axis, so that a batch is a choice on the second. Labels are chosen "
            "with the same numbers.",
            "20 units, 32 digits a batch, a hundred updates or so at three hundredths, cooling down, with own=False. "
            "If the loss stays at 2.3, look at the weights that you start from.",
        ),
        section="Training",
    ),
)

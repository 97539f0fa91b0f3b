"""Tasks of exercise 4, and the judges of those that have many right answers: weights are judged by what they do."""

import cases
import numpy as np

import tinyrnn as tr
from tinyrnn.grading import Finding, Task

TITLE = "Long memory by construction"
PACKAGES = ("numpy",)

LARGEST = 1e12  # of a weight
SUM_SHAPES = {"U": (2, "n"), "b": ("n",), "V": ("n", "n"), "h0": ("n",), "W": ("n", 1)}
COUPLED_SHAPES = {"W": ("n", 1), "Wx": (2, "3n"), "Wh": ("n", "3n"), "b": ("3n",)}


def unfit(returned, shapes, most):
    """What is wrong with the form of weights: name -> text, "" where nothing is. shapes: name -> sizes, "n" being that
    of the first array's, at most `most`, and "3n" three times that."""
    weights = returned if isinstance(returned, dict) else {}
    found = {name: unfit_array(weights.get(name), len(shape)) for name, shape in shapes.items()}
    first, shape = next(iter(shapes.items()))
    if found[first]:
        return found
    n = weights[first].shape[shape.index("n")]
    sizes = {"n": n, "3n": 3 * n}
    for name, letters in shapes.items():
        belongs = tuple(sizes.get(letter, letter) for letter in letters)
        if not found[name] and weights[name].shape != belongs:
            found[name] = f"shape {weights[name].shape} came where {belongs} belongs, as {first} says n = {n}"
    if not 1 <= n <= most:
        found[first] = f"n is {n}, it may be from 1 to {most}"
    return found


def together(outputs, message="", expected=""):
    """Findings on weights that are right or wrong as a whole; the first says why."""
    others = "wrong together with the weights above" if message else ""
    return [Finding(name, not message, others if k else message, expected) for k, name in enumerate(outputs)]


def unfit_array(value, axes):
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return "an array of floats belongs here"
    if value.ndim != axes:
        return f"an array of {axes} axes belongs here, {value.ndim} came"
    if not np.isfinite(value).all():
        return "not all of it is finite"
    return "" if abs(value).max(initial=0) <= LARGEST else f"weights beyond {LARGEST:g} are not needed"


def unable(outputs, found):
    """The findings on weights that cannot be tried."""
    other = "not tried: " + next(f"{name}: {text}" for name, text in found.items() if text)
    return [Finding(name, False, found[name] or other) for name in outputs]


# sums -----------------------------------------------------------------------------------------------------------------


def judge_adding(returned, inputs):
    return judge_sum(returned, inputs, (1, 1), "the sum")


def judge_subtracting(returned, inputs):
    return judge_sum(returned, inputs, (1, -1), "the difference")


def judge_sum(returned, inputs, marks, what):
    """Runs the weights on sequences of several lengths."""
    found = unfit(returned, SUM_SHAPES, 64)
    if any(found.values()):
        return unable(SUM_SHAPES, found)
    top = inputs["top"]
    for steps in (5, 250):
        X, first, second = cases.marked_sequences(cases.random_of(top, steps), steps, 30, top, marks)
        with np.errstate(all="ignore"):
            y = cases.linear_memory(X, **{name: returned[name] for name in SUM_SHAPES})[-1, :, 0]
        message = about_sum(y, first, second, marks, 1e-9 * top, f"after {steps} steps")
        if message:
            return together(SUM_SHAPES, message, what)
    return together(SUM_SHAPES)


def about_sum(y, first, second, marks, accuracy, when):
    """ "" if y is what the marks ask for, else what it is."""
    wanted = marks[0] * first + marks[1] * second
    with np.errstate(all="ignore"):
        error = abs(y - wanted)
        if (error <= accuracy).all():  # NaN is not
            return ""
        kinds = {
            "nothing, always 0": 0 * first,
            "the sum of the two": first + second,
            "their mean": (first + second) / 2,
            "the wrong way round": -wanted,
            "one of the marked values alone": first,
            "the other marked value alone": second,
        }
        for kind, value in kinds.items():
            if (abs(y - value) <= max(accuracy, 1e-6)).all():
                return f"{when} y is {kind}"
    worst = int(np.argmax(np.where(np.isfinite(error), error, np.inf)))
    return (
        f"{when} y is {y[worst]:.6g} where {wanted[worst]:.6g} belongs (marked {marks[0]:+d}: {first[worst]:.6g}, "
        f"marked {marks[1]:+d}: {second[worst]:.6g}); an error of {accuracy:.2g} would do"
    )


def judge_coupled(returned, inputs):
    """Runs the weights in an LSTM whose gate i is 1 - f: its weights are those of f with the other sign."""
    outputs = ("Wx", "Wh", "b", "W")
    found = unfit(returned, COUPLED_SHAPES, 16)
    if any(found.values()):
        return unable(outputs, found)
    accuracy, n = inputs["accuracy"], len(returned["W"])
    cell = tr.LSTM(2, n, rng=0)
    for name, key in (("W_x", "Wx"), ("W_h", "Wh"), ("b", "b")):
        f, rest = np.split(returned[key], [n], axis=-1)
        cell.params[name][:] = np.concatenate([-f, f, rest], axis=-1)
    for steps in (6, 300):
        X, first, second = cases.marked_sequences(cases.random_of(accuracy, steps), steps, 30, 1.0, (1, 1))
        with np.errstate(all="ignore"):
            h, _ = cell.forward(X)
            y = h[-1] @ returned["W"][:, 0]
        message = about_sum(y, first, second, (1, 1), accuracy, f"after {steps} steps")
        if message:
            return together(outputs, message, "the sum")
    return together(outputs)


# copying --------------------------------------------------------------------------------------------------------------


def judge_copying(returned, inputs):
    """U and V are judged by the symbols, the blank left out; h0 and W by everything."""
    codes, S, T = inputs["codes"], inputs["length"], inputs["delay"]
    K, batch = len(codes), 50
    shapes = {"U": (K + 1, "n"), "V": ("n", "n"), "h0": ("n",), "W": ("n", K + 1)}
    found = unfit(returned, shapes, 600)
    if any(found.values()):
        return unable(shapes, found)
    symbols = cases.random_of(codes[0, 0], S, T).integers(0, K, (S, batch))
    blanks = np.full((S + T, batch), K)
    X = np.eye(K + 1)[np.concatenate([symbols, blanks])]
    right = np.concatenate([blanks, symbols])
    with np.errstate(all="ignore"):
        Y = cases.linear_memory(X, b=0.0, relu=False, **{name: returned[name] for name in shapes})
    if not np.isfinite(Y).all():
        return together(shapes, "y does not stay finite")
    recalled = float((Y[S + T :, :, :K].argmax(axis=-1) == symbols).mean())
    said = Y.argmax(axis=-1)
    whole = float((said == right).all(axis=0).mean())
    memory = "" if recalled >= 0.98 else f"of the symbols, the blank left out, {recalled:.0%} come back in their places"
    timing = (
        ""
        if whole >= 0.95
        else f"{whole:.0%} of the sequences are answered without a mistake; {starts(said, K, S + T)}"
    )
    told = {"U": memory, "V": memory, "h0": timing, "W": timing}
    return [Finding(name, not text, text) for name, text in told.items()]


def starts(said, blank, due):
    """When the answers begin that are not blank, which is due after step `due`."""
    spoken = said != blank
    first = np.where(spoken.any(axis=0), spoken.argmax(axis=0), len(said))
    early, late = (first < due).mean(), (first > due).mean()
    return f"due at step {due + 1}, the first answer that is no blank comes early in {early:.0%}, late in {late:.0%}"


TASKS = (
    Task(
        name="adding_weights",
        title="weights that add two marked numbers",
        points=0,
        practice=True,
        case=cases.adding,
        outputs=tuple(SUM_SHAPES),
        judge=judge_adding,
        why="One rectified unit with five weights solves a task on which trained networks fail for hours. The weights "
        "are run on sequences of 5 and 250 steps.",
        hints=(
            "What must come out of the relu where the mark is 0, whatever the value? And where it is 1?",
            "The mark can lift the value over a threshold that it cannot reach alone.",
            "The threshold is `top`, and so is what a mark adds; the state then only has to keep.",
        ),
        section="Warming up: one unit that adds",
    ),
    Task(
        name="forget_bias",
        title="how far open a gate must be",
        points=10,
        case=cases.bias,
        outputs=("bias",),
        why="A gate at 0.99 forgets nearly all in 500 steps. Here you say how far open it must be, for up to 10^12 "
        "steps, and compute it without losing digits on the way.",
        hints=(
            "First the gate f: what is it to the power of `steps`? Then the bias from f.",
            "f is so close to 1 that 1 - f, computed from f, has few right digits. Its logarithm has all of them.",
            "Write e^-bias as 1/f - 1, and 1/f as e to some power: numpy has a function for e^x - 1 at small x.",
        ),
        section="1. How far open must a gate be?",
    ),
    Task(
        name="subtracting_weights",
        title="weights that subtract one marked number from another",
        points=12,
        case=cases.adding,
        outputs=tuple(SUM_SHAPES),
        judge=judge_subtracting,
        why="The same unit cannot do this: its relu hears marks of one sign only. The weights are run on sequences of "
        "5 and 250 steps, with the marks in either order.",
        hints=(
            "What does the unit of the warming-up do at a mark of -1?",
            "A unit for each sign, and each must stay silent at the other's mark and where there is none.",
            "The two units differ in the sign with which they see the mark; who is subtracted is decided by W.",
        ),
        section="2. Subtracting",
    ),
    Task(
        name="coupled_adding_weights",
        title="adding with gates that cannot add",
        points=16,
        case=cases.coupled_adding,
        outputs=("Wx", "Wh", "b", "W"),
        judge=judge_coupled,
        why="A cell that makes room for whatever it takes in can only average. Yet an average of very unequal parts is "
        "nearly a sum. The weights are run in the cell of exercise 3 for 6 and 300 steps.",
        hints=(
            "Without a mark f must be as good as 1. What is the cell after the second mark if f is 1 - p at marks?",
            "The first value is left with p (1 - p) of it, the second with p: nearly the same if p is small. Both "
            "are small, but W can be large.",
            "The pre-activation of f has two values to take, at mark 0 and at mark 1: two equations for a weight and a "
            "bias. g is straight near 0 only, so let it see little of the value, and let W make up for both.",
        ),
        section="3. Adding without being able to",
    ),
    Task(
        name="clock_matrix",
        title="a clock made of rotations",
        points=10,
        case=cases.clock,
        outputs=("V",),
        why="An orthogonal matrix forgets nothing, and one made of rotations by fractions of a turn comes back to the "
        "identity at a time that you choose. Checked entry by entry.",
        hints=(
            "Write down what a step does to one hand: new p and new q from old p and q.",
            "States are rows, so each *column* of V makes one new number. Hand j sits in rows and columns j and d + j.",
            "V has four blocks, all diagonal: two alike, and two that differ in sign. For a turn of a quarter, (1, 0) "
            "must become (0, 1).",
        ),
        section="4. A clock of rotations",
    ),
    Task(
        name="first_return",
        title="when all hands stand as at the start",
        points=12,
        case=cases.clocks,
        outputs=("steps",),
        why="A clock that strikes too early says everything too early. When all hands agree for the first time is not "
        "always the period that you had in mind. Checked with hands that share factors, and with hands that stand.",
        hints=(
            "One hand first: with number 4 and period 6, when is it back?",
            "4/6 of a turn is 2/3 of a turn. A hand with number 0 is back at every step.",
            "Each hand has its own smallest number of steps; all are back when the count is a multiple of each of "
            "them. numpy knows both functions of whole numbers that you need.",
        ),
        section="5. When do the hands agree?",
    ),
    Task(
        name="crosstalk",
        title="what one symbol hears of another",
        points=16,
        case=cases.crosstalk,
        outputs=("scores", "loudest"),
        why="All symbols live in one state; the clock must make all but one of them sound like noise. You measure it, "
        "also for clocks whose hands all turn alike. Checked with lags up to 300.",
        hints=(
            "For one lag it is codes, V as often as the lag says, codes transposed.",
            "As a complex number p + iq a hand is turned by a factor, and by the lag's power of it after many steps.",
            "The first index of the score is the symbol that was turned. The real part of a product with the conjugate "
            "is the inner product of two hands.",
        ),
        section="6. Crosstalk: what breaks when the hands agree",
    ),
    Task(
        name="copying_weights",
        title="copying without being told when",
        points=24,
        case=cases.copying,
        outputs=("U", "V", "h0", "W"),
        judge=judge_copying,
        after=("clock_matrix",),
        why="The classical copy task says when to begin; this one does not, so the network has to count. The weights "
        "are run on 50 random sequences: U and V count as right if the symbols come back, h0 and W if everything is "
        "right.",
        hints=(
            "Two parts that do not touch: hands that remember symbols, and one more unit that counts blanks.",
            "A symbol is said T + S steps after it was read: what must V to the power of that be? For the counter, "
            "list its value at the last blank that is due and at the first symbol.",
            "Symbols score about 1 when their time has come and about 0 else. The blank's score comes from the counter "
            "alone and must fall from well above 1/2 to well below it in a single step, so it has to fall at every "
            "step.",
        ),
        section="7. Copying without being told when",
    ),
)

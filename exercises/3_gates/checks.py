"""Tasks of exercise 3, and the judge of the one that has many right answers."""

import cases
import numpy as np

from tinyrnn.grading import Finding, Task

TITLE = "Gates"
PACKAGES = ("numpy",)
SEQUENCE = """
def coupled_sequence(X, mask, h0, c0, Wx, Wh, b):
    H, C, all_f, all_o, all_g = yours.coupled_sequence(X, mask, h0, c0, Wx, Wh, b)
    h_T, c_T = H[-1], C[-1]
    return H, h_T, c_T, C, all_f, all_o, all_g
"""

READ, ONE = 5, 6  # places in the input of `gate_table`; 0 is the value, 1 to 4 are the commands
ENOUGH = 1e-6


def judge_gate_table(returned, inputs):
    """Each gate on its own, by what the cell is to do with it; the others are put right."""
    weights = returned if isinstance(returned, dict) else {}
    unfit = {gate: unfit_weights(weights.get(gate)) for gate in "ifog"}
    with np.errstate(all="ignore"):
        return [
            Finding(gate, False, unfit[gate]) if unfit[gate] else GATES[gate](np.asarray(weights[gate]), inputs)
            for gate in "ifog"
        ]


def unfit_weights(w):
    if not isinstance(w, np.ndarray) or w.dtype.kind != "f":
        return "seven weights belong here, an array of floats"
    if w.shape != (7,):
        return f"shape {w.shape} came where (7,) belongs"
    return "" if np.isfinite(w).all() else "not all of the weights are finite"


def situations(inputs):
    """(what the step is told, its input v, the value, whether it is to read) for many steps."""
    for place, command in enumerate(inputs["commands"]):
        for read in (0, 1):
            for value in (-2.0, -0.6, 0.0, 0.35, 1.0, 2.0):
                v = np.zeros(7)
                v[[0, 1 + place, READ, ONE]] = value, 1, read, 1
                yield command, v, value, read


def wanted(command, c_prev, value):
    """c after the step."""
    return {
        "keep": c_prev,
        "add": c_prev + np.tanh(value),
        "erase": 0.0,
        "write": np.tanh(value),
    }[command]


def sigmoid(a):
    return 0.5 * np.tanh(0.5 * a) + 0.5


def judge_i(w, inputs):
    """From an empty cell, what comes in is the gate's doing alone."""
    for command, v, value, _ in situations(inputs):
        got, want = sigmoid(v @ w) * np.tanh(value), wanted(command, 0.0, value)
        if not abs(got - want) <= ENOUGH:
            return told("i", f'"{command}" with the value {value:g} and c_prev = 0', "c", got, want)
    return Finding("i", True)


def judge_f(w, inputs):
    """With the value 0 nothing comes in, and what is left of the old is the gate's doing alone."""
    for command, v, value, _ in situations(inputs):
        if value == 0:
            for c_prev in (-1.7, 0.4, 3.0):
                got, want = sigmoid(v @ w) * c_prev, wanted(command, c_prev, value)
                if not abs(got - want) <= ENOUGH:
                    return told("f", f'"{command}" with the value 0 and c_prev = {c_prev:g}', "c", got, want)
    return Finding("f", True)


def judge_o(w, inputs):
    for command, v, _, read in situations(inputs):
        got, want = sigmoid(v @ w) * np.tanh(0.8), read * np.tanh(0.8)
        if not abs(got - want) <= ENOUGH:
            return told("o", f'"{command}" with read = {read} and c = 0.8', "h", got, want)
    return Finding("o", True)


def judge_g(w, inputs):
    """Where something comes in it is the value's tanh."""
    for command, v, value, _ in situations(inputs):
        if command in ("add", "write") and not abs(np.tanh(v @ w) - np.tanh(value)) <= ENOUGH:
            return told("g", f'"{command}" with the value {value:g}', "g", np.tanh(v @ w), np.tanh(value))
    return Finding("g", True)


def told(gate, when, what, got, want):
    message = f"{when}, the other gates right: {what} is {got:.6g} where {want:.6g} belongs"
    return Finding(gate, False, message, f"{want:.6g}", f"{got:.6g}")


GATES = {"i": judge_i, "f": judge_f, "o": judge_o, "g": judge_g}


TASKS = (
    Task(
        name="lstm_step",
        title="one step of the LSTM",
        points=0,
        practice=True,
        case=cases.lstm,
        outputs=("h", "c", "i", "f", "o", "g"),
        why="Four gates and two states: all that follows is a change of these six lines. Every gate is checked as well "
        "as the states, so that the first wrong one shows.",
        hints=(
            "One product with Wx and one with Wh give all four pre-activations at once.",
            "Cut the pre-activations into four blocks of n columns, in the order i, f, o, g; one of them is a tanh.",
            "The new cell is two products added, each of a gate with something; h looks at the new cell through a "
            "tanh, never at the old one.",
        ),
        section="Warming up: LSTM and GRU",
    ),
    Task(
        name="lstm_step_backward",
        title="the way back through one step of the LSTM",
        points=0,
        practice=True,
        case=cases.lstm_backward,
        outputs=("dx", "dh_prev", "dc_prev", "dWx", "dWh", "db"),
        why="The cell is read twice, by h and by the next step, and its gradient is a sum of two parts. Each of the "
        "six gradients is checked against the package's LSTM.",
        hints=(
            "Take the lines of the step from the last to the first; each gives gradients of what stands on its right.",
            "Before the cell's gradient goes to the gates, the part that came through h must be in it.",
            "A gate's gradient is the cell's (or h's) times what the gate multiplied; then comes the slope of its "
            "sigmoid or tanh, from its own output; then four blocks side by side go through the transposed weights.",
        ),
        pair=("lstm_step", "lstm_step_backward"),
        section="Warming up: LSTM and GRU",
    ),
    Task(
        name="gru_step",
        title="one step of the GRU",
        points=0,
        practice=True,
        case=cases.gru,
        outputs=("h", "r", "z", "n"),
        why="Two conventions are about for this cell: which of z and 1 - z keeps the old state, and whether r resets "
        "before the product or after it. Checked is the one in the text.",
        hints=(
            "Keep the products with x and with h_prev apart: the third block needs them apart.",
            "r multiplies what comes out of Wh and has bn added, and nothing else.",
            "With z = 1 the state stays as it is; with r = 0 the candidate knows x and b alone.",
        ),
        section="Warming up: LSTM and GRU",
    ),
    Task(
        name="gru_step_backward",
        title="the way back through one step of the GRU",
        points=0,
        practice=True,
        case=cases.gru_backward,
        outputs=("dx", "dh_prev", "dWx", "dWh", "db", "dbn"),
        why="h_prev is read in four places, so its gradient has four parts; and what goes back into Wh is not what "
        "goes back into Wx, because r stands between them.",
        hints=(
            "Count the places where h_prev is read; each sends something back.",
            "Make two arrays of three blocks, one for what entered from x, one for what came out of Wh.",
            "They differ in the third block only: there the second has a factor r, and bn has that too.",
        ),
        pair=("gru_step", "gru_step_backward"),
        section="Warming up: LSTM and GRU",
    ),
    Task(
        name="gate_table",
        title="weights by which a cell obeys commands",
        points=10,
        case=cases.gate_table,
        outputs=("i", "f", "o", "g"),
        judge=judge_gate_table,
        why="A gate is a decision. Here you make the decisions yourself: which gates must be open for a cell to keep, "
        "add, erase and write. Each gate is tried on its own, the others being put right.",
        hints=(
            "Write the table first: four commands down, gates i and f across, open or shut in each place.",
            "A sigmoid is open to 1e-6 from about +14 on, and shut from about -14.",
            "Shut a gate by its bias, and let each command that needs it open outweigh the bias. The place of a "
            "command in the input is its place in `commands`.",
        ),
        section="1. What gates decide",
    ),
    Task(
        name="coupled_step",
        title="one step with coupled gates",
        points=12,
        case=cases.coupled,
        outputs=("h", "c", "f", "o", "g"),
        why="With one gate in place of two, what comes in takes the room of what goes out. States and gates are "
        "checked with states and biases that are not zero.",
        hints=(
            "Three blocks instead of four: which gate of the LSTM is no longer computed from weights?",
            "f weighs the old cell against g; together the two weights are 1.",
            "With f = 1 the cell must stay as it is, with f = 0 it must be g; h is read from the new cell.",
        ),
        section="2. One gate for two",
    ),
    Task(
        name="coupled_step_backward",
        title="the way back through coupled gates",
        points=18,
        case=cases.coupled_backward,
        outputs=("dx", "dh_prev", "dc_prev", "dWx", "dWh", "db"),
        without=("coupled_step", "coupled_sequence"),
        why="f now does two things, and its gradient has to say so. The gates you are given are right, whatever your "
        "forward step gives: only the way back is checked, for each of six gradients.",
        hints=(
            "Which quantities are read in two places in the step? Their gradients are sums.",
            "Set f a little higher: what happens to the cell? The answer has c_prev in it, and something else.",
            "Complete dc first (by h, and by the next step); then f's gradient is dc times how fast the cell moves "
            "with f; slopes of the sigmoids and the tanh come after that.",
        ),
        pair=("coupled_step", "coupled_step_backward"),
        section="3. One step back",
    ),
    Task(
        name="coupled_sequence",
        title="sequences that end or pause",
        points=12,
        case=cases.sequence,
        outputs=("H", "C", "all_f", "all_o", "all_g"),
        after=("coupled_step",),
        why="Sequences of a batch are not equally long. A mask says who takes part in a step; whoever does not must "
        "come out of it unchanged, in both states.",
        hints=(
            "Compute the step for all, then decide row by row what to keep of it.",
            "mask[t] is (B,), states are (B, n): it needs a second axis. np.where takes two arrays and a condition.",
            "Both states are carried by the same mask, and what is kept as H[t] is the state after the decision.",
        ),
        section="4. Sequences that end or pause",
    ),
    Task(
        name="coupled_sequence_backward",
        title="back through time, with pauses",
        points=20,
        case=cases.sequence_backward,
        outputs=("dX", "dh0", "dc0", "dWx", "dWh", "db"),
        without=("coupled_step", "coupled_sequence"),
        after=("coupled_step_backward",),
        why="Two gradients are carried from step to step, weights collect theirs from all steps, and where a sequence "
        "paused the gradient passes it by. States and gates you are given are right.",
        hints=(
            "Walk from the last step to the first with dh and dc in hand; they start as dh_T and dc_T.",
            "A state that was only carried through a step hands its gradient on as it is, and the step gets none of "
            "it.",
            "So: add dH[t] first; give the step's backward pass dh and dc with the paused rows set to zero; then take "
            "for each row either what came out of it or what you had. Weights add up over steps.",
        ),
        forward=SEQUENCE,
        section="5. Back through time",
    ),
    Task(
        name="coupled_jacobian",
        title="the Jacobian of a step in its states",
        points=14,
        case=cases.jacobian,
        outputs=("hh", "hc", "ch", "cc"),
        without=("coupled_step", "coupled_sequence"),
        axis="sequence",
        why="What one step does to a gradient is a matrix, in four blocks. In one of the sequences f = 1 and o = 0: "
        "there the block of the cell must be the identity and the three others zero.",
        hints=(
            "Begin with the blocks of c; those of h follow from them, as h sees c_prev through c alone.",
            "For `ch`: a change of h_k moves every pre-activation a_j by the entry [k, j] of that gate's weights. Two "
            "gates take part in c, a third in h.",
            "Each block of weights comes in transposed and its rows, j, are scaled by a vector of length n: the slope "
            "of the gate times what the gate does to c_j, or to h_j.",
        ),
        section="6. Where a gradient can pass",
    ),
    Task(
        name="mgu_step_backward",
        title="back through a cell you have not met",
        points=14,
        case=cases.minimal_backward,
        outputs=("dx", "dh_prev", "dWx", "dWh", "db"),
        without=("mgu_step",),
        why="The step is given, read it. Its one gate is read in two places, the old state in three: the five "
        "gradients show which of these ways back is missing.",
        hints=(
            "Number the places where f is read, and those where h_prev is read, before you write anything.",
            "Begin with n: through its pre-activation you reach s = f ∘ h_prev, and through s both factors.",
            "f's gradient is complete only when the part that came through s is in it, and only then goes through the "
            "sigmoid. The two halves of dWh are made with different arrays on the left.",
        ),
        pair=("mgu_step", "mgu_step_backward"),
        section="7. A cell you have not met",
    ),
)

"""What an entry of the library says, and the lecture sections it can point to."""

from typing import NamedTuple


class KnownMistake(NamedTuple):
    """One wrong line: everything a learner needs to be led to it, and the numbers it gives.

    `instead` is an expression in the names of `tinyrnn.verdicts.mistakes`, with the true values of all of them.
    """

    name: str  # unique, plain words joined by hyphens
    of: str  # the family whose names the line is written in: "lstm", "adam", …
    line: str  # the name that gets the wrong value: "dc"
    instead: str  # the wrong right-hand side
    title: str  # what it is, in half a sentence
    seen: str  # where: a public thread, a paper, or "a classic"
    question: str  # one sentence that leads there without naming the fix
    hint: str  # the mistake and the reason, with the equation, but not the right line
    section: str  # a key of SECTIONS
    convention: bool = False  # right by another published convention: no mistake


def maker(of, section):
    """A function that makes the entries of one family and section from the wrong line as it would stand in a source."""

    def mistake(name, wrong, title, question, hint, seen="a classic", convention=False):
        line, instead = wrong.split(" = ", 1)
        return KnownMistake(name, of, line, instead, title, seen, question, hint, section, convention)

    return mistake


def slips(of, section, rule, rows):
    """Entries that break one rule. rows: (name, wrong line, title, question[, seen]); the title says what yours has."""
    wrong = maker(of, section)
    return [wrong(*row[:4], f"{rule}. Yours has {row[2]}.", *row[4:]) for row in rows]


def convention(of, section):
    """A function that makes entries which are right elsewhere, and another function of the same weights here."""
    make = maker(of, section)

    def entry(name, line, title, question, here, seen):
        hint = f"{here} Yours is right by another convention, but with the same weights it is another function."
        return make(name, line, title, question, hint, seen, convention=True)

    return entry


# key -> title of a section of the lectures
SECTIONS = {
    # backpropagation through time
    "bptt/carry": "What step t + 1 hands back to step t",
    "bptt/initial-state": "The gradient of the state before the first step",
    "bptt/weights": "One weight, used at every step: a sum over time and batch",
    "bptt/bias": "The bias sees every step and every sequence",
    "bptt/inputs": "The gradient of the input",
    "bptt/matrix-product": "Backwards through a matrix product: where the transpose comes from",
    # cells
    "elman/forward": "One equation, one cell",
    "elman/tanh": "The derivative of tanh, from its own output",
    "linear/recurrence": "A recurrence that is a matrix and nothing else",
    "lmn/memory": "One unit computes, another remembers",
    "lstm/forward": "Three gates and a cell",
    "lstm/cell-path": "The two ways into the cell",
    "lstm/gates": "Who multiplied whom",
    "lstm/sigmoid": "The derivative of the sigmoid, from its own output",
    "lstm/gate-order": "Four gates side by side",
    "lstm/peepholes": "Gates that look at the cell",
    "gru/forward": "Two gates and no cell",
    "gru/update-gate": "Old state or new: the update gate",
    "gru/reset-gate": "How much of the past the candidate sees",
    "gru/paths": "The ways back to the old state",
    # the unitary network
    "unitary/forward": "A unitary matrix in eight cheap steps",
    "unitary/phases": "Complex numbers as pairs: turning by a phase, and back",
    "unitary/reflection": "Mirrors: a weight that is used twice and normalised",
    "unitary/order": "Permutations and Fourier transforms, and their inverses",
    "unitary/modrelu": "modReLU: along the direction and across it",
    # around the cells
    "losses/softmax": "Softmax and cross-entropy in one stroke",
    "losses/mean": "A mean is a sum divided by what counts",
    "losses/mask": "Padding that must not count",
    "losses/squared-error": "Squared error",
    "losses/readout": "From the state to the output",
    "optimisers/sgd": "A step downhill, with momentum",
    "optimisers/rmsprop": "Divided by a running root mean square",
    "optimisers/adam": "Two running means",
    "optimisers/bias-correction": "Means that start at zero, and their correction",
    "clipping/norm": "Shorter, but in the same direction",
}

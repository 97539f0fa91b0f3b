"""What is asked for."""

import cases
import numpy as np

from tinyrnn.grading import Finding, Task

TITLE = "A leaky unit"


def adds_up(returned, inputs):
    w, n = np.asarray(returned), inputs["n"]
    if w.shape != (n,):
        return [Finding("w", False, f"w: shape {w.shape} came where ({n},) belongs")]
    if not (w > 0).all():
        return [Finding("w", False, "w: there are weights that are not positive")]
    if not (np.diff(w) > 0).all():
        return [Finding("w", False, "w: they do not grow")]
    return [Finding("w", bool(abs(w.sum() - 1) < 1e-12), "w: they do not add up to 1")]


TASKS = (
    Task(
        "twice", "twice a vector", 0, cases.vector, ("y",), "To see how it works.", ("two", "times", "x"), practice=True
    ),
    Task(
        "leaky",
        "one step",
        30,
        cases.unit,
        ("h",),
        "A unit that keeps a part of what it was.",
        ("What is kept?", "Look at a.", "The kept part and the new part add up to one."),
        section="One step",
    ),
    Task(
        "leaky_backward",
        "one step, backwards",
        40,
        cases.unit_backward,
        ("dx", "dh_prev", "dW"),
        "Every use of a value sends a gradient back.",
        ("How often is each used?", "Look at tanh.", "The derivative of tanh is made of its own value."),
        after=("leaky",),
        section="The step backwards",
    ),
    Task(
        "step_weights",
        "weights that grow",
        20,
        cases.count,
        ("w",),
        "There are many right answers.",
        ("Any will do.", "Make them grow.", "Divide at the end."),
        judge=adds_up,
    ),
    Task(
        "slope",
        "a derivative without rounding",
        10,
        cases.function,
        ("df",),
        "To rounding, so not by differences.",
        ("Not by differences.", "Numbers have two parts.", "Step in the other direction."),
        number=1,
    ),
)

"""What is asked for."""

import cases

from tinyrnn.grading import Task

TITLE = "A sequence"
TASKS = (
    Task(
        "run",
        "all steps",
        100,
        cases.sequence,
        ("hs", "h"),
        "The state goes from step to step.",
        ("What goes on?", "Look at h.", "It is given on."),
        section="All steps",
    ),
)

"""A folder of two small exercises, written anew for each test, which breaks what it likes in them."""

from pathlib import Path

HANDOUT = """# A line

Something to fit.

## A line

Ask for the values of a line, `line(x, a, b)`: 60 points.

## Its slope backwards

Ask for `line_backward(dy, x, a)`, which returns da and db: 40 points.

| task | points |
|---|---|
| `line` | 60 |
| `line_backward` | 40 |
| `warm_up` | practice |
| all | 100 |
"""

MASTER = '''"""A line through the plane, and how its slope is found."""

import numpy as np

SCALE = 1.0


def warm_up(x):
    """x (N,) -> twice of it (N,)."""
    # BEGIN SOLUTION
    return 2 * x
    # END SOLUTION


def line(x, a, b):
    """x (N,), a and b numbers -> y (N,): a straight line."""
    # BEGIN SOLUTION
    straight = SCALE * a * x + b
    return straight
    # END SOLUTION


def line_backward(dy, x, a):
    """dy (N,), x (N,), a number -> da, db: numbers."""
    assert dy.shape == x.shape
    # BEGIN SOLUTION
    da = added_up(dy * x * SCALE)  # each point pulls with its distance
    db = added_up(dy)
    return da, db
    # END SOLUTION


# BEGIN SOLUTION
def added_up(values):
    return np.sum(np.asarray(values))


# END SOLUTION
'''

CASES = '''"""Numbers to call the functions with."""


def points(rng):
    return {"x": rng.standard_normal(rng.integers(4, 9)), "a": float(rng.uniform(1, 2)), "b": float(rng.uniform(1, 2))}


def upstream(rng):
    case = points(rng)
    return {"dy": rng.standard_normal(case["x"].shape), "x": case["x"], "a": case["a"]}


def only_x(rng):
    return {"x": points(rng)["x"]}
'''

CHECKS = '''"""What is asked."""

import cases

from tinyrnn.grading import Task

TITLE = "A line"
TASKS = (
    Task(
        name="warm_up",
        title="twice",
        points=0,
        practice=True,
        case=cases.only_x,
        outputs=("y",),
        why="To see how it goes.",
        hints=("What is two times three?", "Multiply.", "A number times an array is an array."),
        section="A line",
    ),
    Task(
        name="line",
        title="values of a line",
        points=60,
        case=cases.points,
        outputs=("y",),
        why="Everything else stands on it.",
        hints=("Where does it start?", "What does b do?", "Both numbers are needed."),
        section="A line",
    ),
    Task(
        name="line_backward",
        title="the slope's gradient",
        points=40,
        case=cases.upstream,
        outputs=("da", "db"),
        after=("line",),
        why="Gradients add up over points.",
        hints=("How many points are there?", "Which of them count?", "All of them do: add up."),
        section="Its slope backwards",
    ),
)
'''

HIDDEN = """from tinyrnn.grading import Hidden

HIDDEN = {"line": Hidden(number=2)}
"""

MISTAKES = """from tinyrnn.grading import Mistake

MISTAKES = (
    Mistake("not-doubled", "warm_up", "return 2 * x", "return 3 * x", "three times as much"),
    Mistake("intercept-forgotten", "line", " + b\\n", "\\n", "the line goes through the origin"),
    Mistake("x-forgotten", "line_backward", "dy * x * SCALE", "dy * SCALE", "every point pulls alike"),
    Mistake("mean-for-sum", "line_backward", "np.sum(", "np.mean(", "the mean over points where a sum belongs"),
    Mistake("other-order", "line", "SCALE * a * x + b", "b + a * x * SCALE", "", accepted=True),
)
"""

SECOND = {
    "handout.md": "# A curve\n\n## A curve\n\n`curve(x)` goes on from `line`.\n\n| `curve` | 100 |\n",
    "master.py": '''"""A curve that is made of a line."""

from ex1_line import line


def curve(x):
    """x (N,) -> y (N,)."""
    # BEGIN SOLUTION
    y = line(x, 2.0, 1.0) ** 2
    return y
    # END SOLUTION
''',
    "cases.py": "def numbers(rng):\n    return {'x': rng.standard_normal(5)}\n",
    "checks.py": """import cases

from tinyrnn.grading import Task

TITLE = "A curve"
TASKS = (
    Task(
        name="curve",
        title="a parabola",
        points=100,
        case=cases.numbers,
        outputs=("y",),
        why="It bends.",
        hints=("Does it bend?", "Which way?", "Upwards on both sides."),
        section="A curve",
    ),
)
""",
    "hidden.py": "HIDDEN = {}\n",
    "mistakes.py": """from tinyrnn.grading import Mistake

MISTAKES = (Mistake("not-bent", "curve", " ** 2", "", "flat"),)
""",
}

FIRST = {
    "handout.md": HANDOUT,
    "master.py": MASTER,
    "cases.py": CASES,
    "checks.py": CHECKS,
    "hidden.py": HIDDEN,
    "mistakes.py": MISTAKES,
}


def write(root, *changes):
    """Writes both exercises into the folder `root` and returns it. changes: (file such as "1_line/master.py", old,
    new), where `old` must be there."""
    root = Path(root)
    for folder, files in ("1_line", FIRST), ("2_curve", SECOND):
        (root / folder).mkdir(parents=True)
        for name, text in files.items():
            (root / folder / name).write_text(text, encoding="utf-8")
    for name, old, new in changes:
        text = (root / name).read_text(encoding="utf-8")
        assert old in text, f"{name} has no {old!r}"
        (root / name).write_text(text.replace(old, new), encoding="utf-8")
    return root

"""Submissions of exercise 3 that want points without understanding, and what each of them gets in every mode.

python tests/grading/attacks.py          a table: mode, attack, points gained, what the grader said

Where a mode leaves masters open (closed folders are closed to a user of its own, nothing is closed to oneself),
`teach grade` refuses; what would have been gained stands there in brackets.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from tinyrnn.grading.build import ROOT
from tinyrnn.grading.classroom.exposure import refusal, to_close
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.marking import mark
from tinyrnn.grading.sandbox.sandbox import MODES, Sandbox, exposed, works

SECRET = "of the teacher who reads this table"
TASKS = ("coupled_step", "coupled_step_backward", "coupled_sequence", "coupled_sequence_backward", "coupled_jacobian")
EVERY = (*TASKS, "mgu_step_backward", "gate_table")

LOOKUP = """
import numpy as np

TABLE = {name: np.array(numbers) for name, numbers in @TABLE@.items()}
CALLS = {}

def answers(name):
    def answer(**arguments):
        CALLS[name] = CALLS.get(name, -1) + 1
        k = max(0, CALLS[name] - 1)  # the first case is asked for twice
        return {key.split("/")[2]: a for key, a in TABLE.items() if key.startswith(f"{name}/{k}/")}
    return answer

for task in @TASKS@:
    globals()[task] = answers(task)
"""

COMPLEX_STEP = """
import numpy as np

def sigmoid(a):
    return 0.5 * np.tanh(0.5 * a) + 0.5

def gradients(loss, values, names):
    found = {}
    for name in names:
        grad = np.zeros(values[name].shape)
        for index in np.ndindex(grad.shape):
            moved = values[name].astype(complex)
            moved[index] += 1e-20j
            grad[index] = loss({**values, name: moved}).imag / 1e-20
        found["d" + name] = grad
    return found

def coupled_step_backward(dh, dc, x, h_prev, c_prev, f, o, g, c, Wx, Wh):
    a = np.concatenate([np.log(f / (1 - f)), np.log(o / (1 - o)), np.arctanh(g)], axis=1)
    b = a - x @ Wx - h_prev @ Wh  # a row for each sequence
    def loss(v):
        n = f.shape[1]
        a = v["x"] @ v["Wx"] + v["h_prev"] @ v["Wh"] + b + v["b"]
        cut = sigmoid(a[:, :n]), sigmoid(a[:, n : 2 * n]), np.tanh(a[:, 2 * n :])
        c = cut[0] * v["c_prev"] + (1 - cut[0]) * cut[2]
        return (dh * cut[1] * np.tanh(c) + dc * c).sum()
    values = {"x": x, "h_prev": h_prev, "c_prev": c_prev, "Wx": Wx, "Wh": Wh, "b": np.zeros(Wh.shape[1])}
    return gradients(loss, values, list(values))

def mgu_step_backward(dh, x, h_prev, f, n, Wx, Wh):
    k = h_prev.shape[1]
    b = np.concatenate([np.log(f / (1 - f)) - h_prev @ Wh[:, :k], np.arctanh(n) - (f * h_prev) @ Wh[:, k:]], axis=1)
    b = b - x @ Wx
    def loss(v):
        a = v["x"] @ v["Wx"] + b + v["b"]
        f = sigmoid(a[:, :k] + v["h_prev"] @ v["Wh"][:, :k])
        n = np.tanh(a[:, k:] + (f * v["h_prev"]) @ v["Wh"][:, k:])
        return (dh * ((1 - f) * v["h_prev"] + f * n)).sum()
    values = {"x": x, "h_prev": h_prev, "Wx": Wx, "Wh": Wh, "b": np.zeros(Wh.shape[1])}
    return gradients(loss, values, list(values))
"""

UNIT_BY_UNIT = """
import numpy as np

def sigmoid(a):
    return 0.5 * np.tanh(0.5 * a) + 0.5

def units(loss, values, name):
    grad = np.zeros(values[name].shape)
    for j in range(grad.shape[1]):
        moved = values[name].astype(complex)
        moved[:, j] += 1e-20j
        grad[:, j] = loss({**values, name: moved}).imag / 1e-20
    return grad

def coupled_step_backward(dh, dc, x, h_prev, c_prev, f, o, g, c, Wx, Wh):
    a = np.concatenate([np.log(f / (1 - f)), np.log(o / (1 - o)), np.arctanh(g)], axis=1)
    b = a - x @ Wx - h_prev @ Wh
    n = f.shape[1]
    def loss(v):
        a = v["x"] @ Wx + v["h_prev"] @ Wh + v["b"]
        cut = sigmoid(a[:, :n]), sigmoid(a[:, n : 2 * n]), np.tanh(a[:, 2 * n :])
        c = cut[0] * v["c_prev"] + (1 - cut[0]) * cut[2]
        return (dh * cut[1] * np.tanh(c) + dc * c).sum(axis=1)
    values = {"x": x, "h_prev": h_prev, "c_prev": c_prev, "b": b}
    db = units(loss, values, "b")
    found = {"d" + name: units(loss, values, name) for name in ("x", "h_prev", "c_prev")}
    return found | {"dWx": x.T @ db, "dWh": h_prev.T @ db, "db": db.sum(axis=0)}

def mgu_step_backward(dh, x, h_prev, f, n, Wx, Wh):
    k = h_prev.shape[1]
    b = np.concatenate([np.log(f / (1 - f)) - h_prev @ Wh[:, :k], np.arctanh(n) - (f * h_prev) @ Wh[:, k:]], axis=1)
    b = b - x @ Wx
    def loss(v):
        a = v["x"] @ Wx + v["b"]
        f = sigmoid(a[:, :k] + v["h_prev"] @ Wh[:, :k])
        n = np.tanh(a[:, k:] + (f * v["h_prev"]) @ Wh[:, k:])
        return (dh * ((1 - f) * v["h_prev"] + f * n)).sum(axis=1)
    values = {"x": x, "h_prev": h_prev, "b": b}
    db = units(loss, values, "b")
    dWh = np.concatenate([h_prev.T @ db[:, :k], (f * h_prev).T @ db[:, k:]], axis=1)
    found = {"d" + name: units(loss, values, name) for name in ("x", "h_prev")}
    return found | {"dWx": x.T @ db, "dWh": dWh, "db": db.sum(axis=0)}
"""

OWN_FORWARD = """
import numpy as np

def mgu_step(x, h_prev, Wx, Wh, b):
    return h_prev, h_prev, h_prev

def mgu_step_backward(dh, x, h_prev, f, n, Wx, Wh):
    return mgu_step(x, h_prev, Wx, Wh, 0)
"""

THIEF = """
import sys
import numpy as np

os = sys.modules["os"]

def places():
    for process in os.listdir("/proc") if os.path.isdir("/proc") else ():
        try:
            words = open(f"/proc/{process}/cmdline", "rb").read().decode("utf-8", "replace").split("\\0")
        except OSError:
            continue
        yield from (word for word in words if word.startswith("/"))
    yield from @HINTS@
    yield "/"

def masters():
    for place in places():
        for folder, names, files in os.walk(place):
            names[:] = [name for name in names if name not in ("proc", "sys", "dev")]
            if folder.endswith("3_gates") and "master.py" in files:
                try:
                    yield open(os.path.join(folder, "master.py")).read()
                except OSError:
                    pass

for text in masters():
    exec(text)
    break
"""

IMPORTED = "import os\nimport subprocess\n" + THIEF

HIDES = """
import copy
import sys

copy.copy = copy.deepcopy = lambda value, *_: value
np.array_equal = np.array_equiv = np.allclose = lambda *_, **__: True

def same(*_):
    return True

frame = sys._getframe()
while frame is not None:  # whatever the process that runs this calls by a name that has to do with it
    for names in (frame.f_globals, *(vars(v) for v in frame.f_locals.values() if type(v) is type(sys))):
        for name in [name for name in names if name in ("same", "equal", "compare", "first_changed", "hash", "digest")]:
            names[name] = same
    frame = frame.f_back
"""

IN_PLACE = ("    c = f * c_prev + (1 - f) * g\n    h = o * np.tanh(c)\n    return h, c, f, o, g\n", "c_prev")


def texts(one):
    """name -> text of all attacks on an exercise of the teacher's."""
    with np.load(one.folder / "public" / "expected.npz") as known:
        table = repr({name: a.tolist() for name, a in known.items()})
    master = (one.folder / "master.py").read_text(encoding="utf-8")
    old = IN_PLACE[0]
    assert master.count(old) == 1
    new = "    c_prev *= f\n    c_prev += (1 - f) * g\n    c = c_prev\n" + old.split("\n", 1)[1]
    return {
        "a table of the answers that are handed out": LOOKUP.replace("@TABLE@", table).replace("@TASKS@", repr(EVERY)),
        "complex steps of its own forward passes": COMPLEX_STEP,
        "complex steps, one for a unit of all sequences": UNIT_BY_UNIT,
        "the given forward pass, called backward": OWN_FORWARD,
        "looks for the masters": THIEF.replace("@HINTS@", repr([str(one.folder.parent)])),
        "looks for them, and imports as it likes": IMPORTED.replace("@HINTS@", repr([str(one.folder.parent)])),
        "all right, but changes an argument in place": master.replace(old, new),
        "an argument in place, and patches what compares": master.replace(old, new) + HIDES,
    }


def gained(one, text, mode):
    """(points, what the grader said first) of a submission in a mode."""

    def sandbox(files, main, packages, imports):
        return Sandbox(files, main, packages, mode=mode, imports=imports)

    marks = mark(one, {one.file: text}, secret=SECRET, hidden=True, feedback=False, sandbox=sandbox)
    said = marks.problem or next((task.message for task in marks.tasks if task.message and task.points), "")
    return marks.points, said


def copy_of_masters(folder):
    """Exercise 3 in a folder that only its owner may read."""
    folder = Path(folder) / "mine"
    folder.mkdir(mode=0o700)
    for name in ("1_numbers", "2_elman", "3_gates"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return exercise(3, folder)


def open_in(one, mode):
    """The masters that a submission could read in a mode, of those that are to be graded with and the package's."""
    return exposed([each / "3_gates" / "master.py" for each in (one.folder.parent, ROOT)], mode)


def main():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        closed = copy_of_masters(folder)
        for mode in MODES:
            if not works(mode):
                print(f"{mode}: not to be had here")
                continue
            refused = open_in(closed, mode)
            for name, text in texts(closed).items():
                points, said = gained(closed, text, mode)
                told = f"({points:.2f})" if refused else f"{points:.2f}"
                print(f"{mode:<11} {name:<45} {told:>8}  {said}", flush=True)
            if refused:
                print(f"{mode:<11} teach grade refuses: {refusal(list(map(to_close, refused)), mode)}")


if __name__ == "__main__":
    sys.exit(main())

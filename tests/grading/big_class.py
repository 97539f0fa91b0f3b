"""A class of 200 with right, wrong, late, copied, broken and hostile submissions, graded while the grader is killed
again and again; and what came of it.

python tests/grading/big_class.py FOLDER [--kills 3] [--jobs 2]       writes the class and its results into FOLDER

Hostile ones take the guard of imports off first. Those that signal or delete whatever they may are left out where they
would run as oneself (mode "plain"), and those that fill a disk where it would be this one.
"""

import argparse
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from hostile_texts import BROKEN, DANGEROUS, START
from test_hostile import NEEDS_FILES
from tiny_work import TINY, changed, solved, untouched, with_mistake

from tinyrnn.grading.sandbox.sandbox import best_mode

FILE = "ex1_tiny.py"
STUDENTS = 200
RUN = "import sys; from tinyrnn.commands.main import main; sys.exit(main(sys.argv[1:]))"
ADAPTED = "\n\ndef leaky(**given):\n    return double(given['x'])\n\nleaky_backward = step_weights = slope = leaky\n"
FREE = """import builtins, sys
for cell in builtins.__import__.__closure__ or ():
    if getattr(cell.cell_contents, "__name__", "") == "__import__":
        builtins.__import__ = cell.cell_contents
"""
TIMES = """[deadlines]
1 = 2026-11-20T12:00:00Z

[late]
per_day = 10

"""


def hostile(mode):
    """The texts that are tried in a mode."""
    if mode == "plain":
        return BROKEN
    return {**BROKEN, **{name: t for name, t in DANGEROUS.items() if mode == "namespaces" or name not in NEEDS_FILES}}


def written(folder, mode):
    """Writes the class; returns student -> total that is due, None where it is not known beforehand."""
    due, late = {}, []
    folder.mkdir(mode=0o700)  # or grading refuses
    (folder / "in").mkdir()

    def hand_in(kind, text, points, form="folder"):
        student = f"{kind}{len(due):03}"
        due[student] = points
        content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        if form == "zip":
            with zipfile.ZipFile(folder / "in" / f"{student}.zip", "w") as archive:
                archive.writestr(FILE, content)
        elif form == "notebook":
            cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": text, "execution_count": None}
            (folder / "in" / f"{student}.ipynb").write_text(
                json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
            )
        else:
            (folder / "in" / student).mkdir()
            (folder / "in" / student / FILE).write_bytes(content)
        return student

    for text, _, _ in hostile(mode).values():
        own = {"@SECRET@": str(folder / "secret"), "@RESULTS@": str(folder / "out" / "grades.csv"), "@PORT@": "9"}
        for mark, meant in {**own, "@PARENT@": str(os.getpid())}.items():
            text = text.replace(mark, meant) if isinstance(text, str) else text
        if isinstance(text, str) and text.startswith(START.splitlines()[0]):
            text = FREE + text
        hand_in("hostile", text + (ADAPTED if isinstance(text, str) else ADAPTED.encode()), 0)
    for name in ("kept-twice", "tanh-at-its-input", "no-leak-backwards", "falling"):
        for _ in range(4):
            hand_in("wrong", with_mistake(name), None)
    for k in range(10):  # one who had an idea of their own, and nine who have renamed it
        own = changed(
            "u = np.tanh(x @ W)\n    h =", f"bent{k} = np.tanh(x @ W)\n    u = bent{k} + 0.25 * x[:, :1]\n    h ="
        )
        hand_in("copied", own, None)
    for k in range(20):
        late.append((hand_in("late", f"# late {k}\n{solved()}", 90 if k % 2 else 80), 1 + (k + 1) % 2))
    hand_in("nothing", untouched(), 0)
    while len(due) < STUDENTS - 3:
        hand_in("right", f"# {len(due)}\n{solved()}", 100, ("folder", "zip", "notebook")[len(due) % 3])
    (folder / "in" / "torn.zip").write_bytes(b"PK\3\4 and then nothing")
    (folder / "in" / "empty").mkdir()
    (folder / "in" / "linked").symlink_to(TINY)
    times = "".join(
        f'[[handed_in]]\nstudent = "{student}"\nexercise = 1\ntime = 2026-11-{20 + days}T11:00:00Z\n\n'
        for student, days in late
    )
    others = "".join(
        f'[[handed_in]]\nstudent = "{student}"\nexercise = 1\ntime = 2026-11-20T11:00:00Z\n\n'
        for student in due
        if not student.startswith("late")
    )
    names = "".join(f'[[students]]\nname = "{student}"\n\n' for student in due)
    (folder / "class.toml").write_text(TIMES + names + times + others)
    (folder / "secret").write_text("of the teacher who made this class")
    return due


def graded(folder, kills, jobs):
    """Grades the class, killed now and then; returns (results there at each kill, results that were made twice,
    seconds)."""
    began, seen, counts, twice = time.monotonic(), {}, [], 0
    command = [sys.executable, "-c", RUN, "teach", "grade", str(folder / "in"), "--exercise", "1", "--root", str(TINY)]
    command += ["--out", str(folder / "out"), "--secret-file", str(folder / "secret"), "--jobs", str(jobs)]
    command += ["--class", str(folder / "class.toml"), *(["--unprotected"] if best_mode() == "plain" else [])]
    goals = [STUDENTS * (k + 1) // (kills + 1) for k in range(kills)] + [STUDENTS + 1]
    for goal in goals:
        with open(folder / "said", "w") as said:
            process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, start_new_session=True)
            while process.poll() is None and len(results(folder)) < goal:
                time.sleep(0.05)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
            process.wait()
        now = results(folder)
        twice += sum(now.get(name) != before for name, before in seen.items())
        seen = now
        counts.append(len(now))
    if process.returncode:
        raise SystemExit(f"teach grade failed: {(folder / 'said').read_text()}")
    return counts, twice, time.monotonic() - began


def results(folder):
    """name -> when it was written, of all results that are there."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "out" / "results").glob("[!.]*.json")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="does not exist yet")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    folder, mode = args.folder.resolve(), best_mode()
    due = written(folder, mode)
    counts, twice, seconds = graded(folder, args.kills, args.jobs)
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO((folder / "out" / "grades.csv").read_text()))}
    lost = [student for student in due if student not in rows]
    wrong = {s: rows[s]["total"] for s, total in due.items() if total is not None and float(rows[s]["total"]) != total}
    groups = sorted((folder / "out" / "alike").glob("*.html")) if (folder / "out" / "alike").exists() else []
    print(f"mode {mode}: {len(rows)} rows; results at each kill and at the end: {counts}; {seconds:.0f} s")
    print(f"lost: {lost}; graded twice: {twice}; totals that are not what is due: {wrong}; groups: {len(groups)}")
    return 1 if lost or twice or wrong else 0


if __name__ == "__main__":
    sys.exit(main())

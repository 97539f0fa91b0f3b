"""Grades one submission in Gradescope's container: `python -I -m tinyrnn.grading.classroom.on_gradescope /autograder`.

    /autograder/source/        what was exported: exercises, the secret, which exercise it is; for root only
    /autograder/submission/    what the student uploaded, of which only the exercise's files, by name, are read
    /autograder/results/       results.json, replaced as a whole at the end

Public and hidden cases of a task are two tests, and the hidden ones give the points. Of these there is a name and
nothing else, and only when grades are published; until then Gradescope shows students no total either.
"""

import json
import sys
from pathlib import Path

from tinyrnn.grading.classroom.handed_in import one
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.marking import mark
from tinyrnn.grading.marks import CRASHED
from tinyrnn.grading.report import details
from tinyrnn.grading.sandbox.sandbox import exposed, is_root, protections

PUBLIC = (
    "Public checks. Points come from hidden ones, with other sizes and numbers, which are shown when grades are "
    "published."
)
MOST_OUTPUT = 20_000  # characters of a test's output


def main(arguments=None):
    """Grades, writes results.json, and returns 0. Whatever is raised leaves the file that was there."""
    (root,) = sys.argv[1:] if arguments is None else arguments
    root = Path(root)
    active = protections()
    print("protections:", json.dumps(active, sort_keys=True))  # for staff: students do not see this
    if active["mode"] == "plain" and is_root():
        raise RuntimeError("students' code would run as root, and could read the secret and write its own results")
    readable = exposed([root / "source", root / "source" / "secret.txt"])
    if readable:
        raise RuntimeError(f"students' code could read {readable[0]}: it must be for root only (chmod 700)")
    settings = json.loads((root / "source" / "settings.json").read_text(encoding="utf-8"))
    each = exercise(settings["exercise"], root / "source" / "exercises")
    secret = (root / "source" / "secret.txt").read_text(encoding="utf-8").strip()
    handed = one(each, "submission", [root / "submission"])
    if handed.problem:
        content = unreadable(handed.problem, each.points)
    else:
        content = results(each, mark(each, handed.files, secret=secret, hidden=True))
    new = root / "results" / "results.json.new"
    new.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    new.replace(root / "results" / "results.json")
    return 0


def results(each, marks):
    """The content of results.json for `Marks` of an exercise: a dict."""
    if marks.crashed and not marks.tasks:
        return {**crashed(), "output": marks.problem}
    tests = []
    for number, (task, made) in enumerate(zip(each.tasks.values(), marks.tasks, strict=True), 1):
        hidden = sum(output.possible for output in made.outputs)
        right = made.right_in_public
        tests.append(
            {
                "number": f"{number}.1",
                "name": f"{task.name}: {task.title}" + (" (practice)" if task.practice else ""),
                "score": 0.0,
                "max_score": 0.0,
                "status": "passed" if right else "failed",
                "output": said(made, right),
                "visibility": "visible",
            }
        )
        if hidden:
            tests.append(
                {
                    "number": f"{number}.2",
                    "name": f"{task.name}: hidden checks",
                    "score": made.cents / 100,
                    "max_score": hidden / 100,
                    "status": "passed" if all(output.hidden for output in made.outputs) else "failed",
                    "output": "",
                    "visibility": "after_published",
                }
            )
    return {
        "output": f"{marks.problem}\n\n{PUBLIC}" if marks.problem else PUBLIC,
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"exercise": marks.exercise, "submission": marks.submission, "grader": marks.version},
        "tests": tests,
    }


def said(made, right):
    """What is shown of the public checks of a task; whether hidden ones are right is no part of it."""
    if right:
        return "right"
    lines = [made.message] if made.status in ("waiting", "crashed") else details(made)
    return "\n".join(lines)[:MOST_OUTPUT]


def unreadable(problem, possible):
    """The content of results.json for a submission that cannot be graded, and why."""
    return {
        "score": 0.0,
        "output": f"{problem}. It got 0 of {possible} points; hand in again.",
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
    }


def crashed():
    """The content of results.json as long as there is nothing better to say."""
    return {
        "score": 0.0,
        "output": CRASHED,
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
    }


if __name__ == "__main__":
    sys.exit(main())

"""What a submission must not be able to read where it is graded: solutions, other submissions, results, the secret."""

from pathlib import Path

from tinyrnn.grading.build import ROOT
from tinyrnn.grading.compare import listed
from tinyrnn.grading.exercise import exercises
from tinyrnn.grading.sandbox.sandbox import best_mode, exposed

NEVER = ("master.py", "hidden.py", "mistakes.py", "equivalent.py")  # of an exercise: for no student's eyes


def refuse_exposed(exercise, folder, out, secret_file=None):
    """ValueError in a line where students' code could read solutions, the submissions in `folder` or results in `out`:
    what, and what to do. A submission tries it, in the sandbox in which all will run."""
    roots = [exercise.folder.parent, *([ROOT] if ROOT.is_dir() else [])]
    solutions = [each.folder / name for root in dict.fromkeys(roots) for each in exercises(root) for name in NEVER]
    others = [Path(folder), Path(out) / "results", Path(out) / "secret.txt", secret_file]
    found = exposed([path for path in [*solutions, *others] if path is not None and Path(path).exists()])
    if found:
        raise ValueError(refusal(list(dict.fromkeys(map(to_close, found))), best_mode()))


def to_close(path):
    """The folder that its owner should close so that nobody else reads a path: all exercises together, for a master."""
    path = Path(path)
    return str(path.parents[1] if path.name in NEVER else path if path.is_dir() else path.parent)


def refusal(folders, mode):
    """What is said where students' code could read folders, in a line."""
    many = [*folders[:3], *([f"{len(folders) - 3} more folders"] if len(folders) > 3 else [])]
    close = f"close them (chmod 700 {' '.join(folders)})" if mode == "user" else "grade on Linux, or as root there"
    return (
        f"students' code could read {listed(many)}: {close}, or allow namespaces (in a container: --cap-add SYS_ADMIN "
        "--security-opt apparmor=unconfined); --unprotected grades all the same, for submissions that you trust"
    )

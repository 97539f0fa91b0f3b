"""`tinyrnn teach export`: an exercise for Gradescope, a zip to upload; and for GitHub Actions, a workflow file.

    setup.sh, run_autograder    what Gradescope runs: once, and for every submission
    tinyrnn-….whl               this package
    requirements.txt            the packages it needs, pinned to the versions here
    wheels/                     these packages themselves, where they were given: then nothing is downloaded
    exercises/                  the teacher's exercises up to the one that is graded
    secret.txt, settings.json   what hidden cases are drawn from; which exercise it is
    crashed.json                the result until there is one

The zip contains solutions and the secret: it goes to Gradescope and to nobody else. Whoever wants to grade again in
the same way keeps it, or the secret. For GitHub a wheel with what is handed out is laid beside the workflow.
"""

import json
import secrets
from pathlib import Path

import tinyrnn
from tinyrnn.core.files import write_atomically
from tinyrnn.grading.build import parts
from tinyrnn.grading.classroom.archive import requirements, wheel, zipped
from tinyrnn.grading.classroom.classes import packed
from tinyrnn.grading.classroom.on_gradescope import crashed
from tinyrnn.grading.exercise import exercises

TEMPLATES = Path(__file__).with_name("templates")
TEXTS = ("setup.sh", "run_autograder")


def export_gradescope(exercise, path, secret=None, wheels=None):
    """Writes the zip to `path`, the same for the same secret.

    exercise: of the teacher's. secret: text; None: a new one. wheels: a folder with those of all packages that are
    needed, for a grader without a network. ValueError in a line if the exercise has no master, or there are no wheels.
    """
    if not exercise.is_master:
        raise ValueError(f"{exercise.folder} has no master.py, which takes part in grading")
    contents = files(exercise, secret or secrets.token_hex(32), wheels)
    write_atomically(path, lambda temporary: temporary.write_bytes(zipped(contents, TEXTS)))


def files(exercise, secret, wheels=None):
    """Everything in the zip: path -> bytes."""
    found = {name: (TEMPLATES / "gradescope" / name).read_bytes().replace(b"\r\n", b"\n") for name in TEXTS}
    name, data = wheel({})
    found |= {name: data, "requirements.txt": requirements().encode()}
    found["settings.json"] = as_json({"exercise": exercise.number, "version": tinyrnn.__version__})
    found["crashed.json"] = as_json(crashed())
    found["secret.txt"] = f"{secret}\n".encode()
    found |= {f"wheels/{name}": data for name, data in given(wheels).items()}
    return found | {f"exercises/{name}": data for name, data in packed(exercise)["files"].items()}


def given(wheels):
    """The wheels in a folder, name -> bytes; none for None. ValueError if there are none in it."""
    found = {path.name: path.read_bytes() for path in sorted(Path(wheels).glob("*.whl"))} if wheels else {}
    if wheels and not found:
        raise ValueError(f"there are no wheels in {wheels}: `pip download -r requirements.txt -d {wheels}` gets them")
    return found


def workflow(exercise):
    """The text of a workflow for GitHub Actions that runs an exercise's public checks with pytest."""
    text = (TEMPLATES / "github" / "check.yml").read_text(encoding="utf-8")
    return text.replace("NUMBER", str(exercise.number)).replace("TEST", f"test_{exercise.file}")


def export_github(exercise, folder, wheels=None):
    """Writes the workflow where GitHub looks for it in the folder of a repository, and beside it a wheel of this
    package with what is handed out of the exercise and earlier ones; returns its path. wheels: as above."""
    root = Path(folder) / ".github"
    path = root / "workflows" / f"exercise_{exercise.number}.yml"
    each = [each for each in exercises(exercise.folder.parent) if each.number <= exercise.number]
    name, data = wheel({f"{one.folder.name}/{file}": data for one in each for file, data in parts(one).items()})
    contents = {f"workflows/{path.name}": workflow(exercise).encode(), f"wheels/{name}": data}
    contents |= {f"wheels/{name}": data for name, data in given(wheels).items()}
    for old in (root / "wheels").glob("tinyrnn-*.whl"):
        old.unlink()
    for name, data in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(root / name, lambda temporary, data=data: temporary.write_bytes(data))
    return path


def as_json(content):
    """JSON as bytes, indented by one, with a newline at the end."""
    return (json.dumps(content, indent=1) + "\n").encode()

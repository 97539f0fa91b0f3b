"""`tinyrnn teach export`: an exercise for Gradescope, a zip to upload; and for GitHub Actions, a workflow file.

    setup.sh, run_autograder    what Gradescope runs: once, and for every submission
    requirements.txt            the packages, pinned to the versions here
    package/tinyrnn/            this package
    exercises/                  the teacher's exercises up to the one that is graded
    secret.txt, settings.json   what hidden cases are drawn from; which exercise it is
    crashed.json                the result until there is one

The zip contains solutions and the secret: it goes to Gradescope and to nobody else. Whoever wants to grade again in
the same way keeps it, or the secret.
"""

import importlib.metadata
import json
import re
import secrets
import zipfile
from pathlib import Path

import tinyrnn
from tinyrnn.core.files import write_atomically
from tinyrnn.grading.classroom.classes import packed
from tinyrnn.grading.classroom.on_gradescope import crashed

TEMPLATES = Path(__file__).with_name("templates")
LEFT_OUT = ("exercises_data", "__pycache__")  # of the package: only students' commands read the former
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def export_gradescope(exercise, path, secret=None):
    """Writes the zip to `path`, the same for the same secret.

    exercise: of the teacher's. secret: text; None: a new one. ValueError in a line if the exercise has no master.
    """
    if not exercise.is_master:
        raise ValueError(f"{exercise.folder} has no master.py, which takes part in grading")
    contents = files(exercise, secret or secrets.token_hex(32))
    write_atomically(path, lambda temporary: write_zip(temporary, contents))


def files(exercise, secret):
    """Everything in the zip: path -> bytes."""
    found = {name: (TEMPLATES / "gradescope" / name).read_bytes() for name in ("setup.sh", "run_autograder")}
    found["requirements.txt"] = requirements().encode()
    found["settings.json"] = as_json({"exercise": exercise.number, "version": tinyrnn.__version__})
    found["crashed.json"] = as_json(crashed())
    found["secret.txt"] = f"{secret}\n".encode()
    found |= {f"exercises/{name}": data for name, data in packed(exercise)["files"].items()}
    root = Path(tinyrnn.__file__).parent
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.is_file() and not set(inside.parts) & set(LEFT_OUT) and not path.name.startswith("."):
            found[f"package/tinyrnn/{inside.as_posix()}"] = path.read_bytes()
    return {name: data.replace(b"\r\n", b"\n") if name in TEXTS else data for name, data in found.items()}


TEXTS = ("setup.sh", "run_autograder")


def requirements():
    """What the package needs and what that needs in turn, pinned to what is installed here; without extras."""
    waiting, versions = ["tinyrnn"], {}
    while waiting:
        name = waiting.pop()
        for line in importlib.metadata.requires(name) or ():
            needed = NAME.match(line)[0]
            if "extra ==" in line.replace("extra==", "extra =="):
                continue
            key = re.sub(r"[-_.]+", "-", needed).lower()
            try:
                version = importlib.metadata.version(needed)
            except importlib.metadata.PackageNotFoundError:  # for another system or another Python
                continue
            if key not in versions:
                versions[key] = version
                waiting.append(needed)
    return "".join(f"{name}=={version}\n" for name, version in sorted(versions.items()))


def write_zip(path, contents):
    """Write a zip of contents (name -> bytes), sorted and without dates; the same contents give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(contents.items()):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name in TEXTS else 0o100644) << 16
            archive.writestr(entry, data)


def workflow(exercise):
    """The text of a workflow for GitHub Actions that runs an exercise's public checks with pytest."""
    text = (TEMPLATES / "github" / "check.yml").read_text(encoding="utf-8")
    test = f"test_{exercise.file}"
    return text.replace("NUMBER", str(exercise.number)).replace("VERSION", tinyrnn.__version__).replace("TEST", test)


def export_github(exercise, folder):
    """Writes the workflow where GitHub looks for it in the folder of a repository; returns its path."""
    path = Path(folder) / ".github" / "workflows" / f"exercise_{exercise.number}.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda temporary: temporary.write_text(workflow(exercise), encoding="utf-8", newline="\n"))
    return path


def as_json(content):
    """JSON as bytes, indented by one, with a newline at the end."""
    return (json.dumps(content, indent=1) + "\n").encode()

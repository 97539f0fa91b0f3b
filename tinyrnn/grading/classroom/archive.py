"""Zips that are the same whenever they are made, and one of them in particular: a wheel of this package that carries
exercises, for students who have nothing else to install it from.

The wheel is made of the files that run, editable install or not. What it holds of the exercises is what is handed out
and nothing else, in the place where students' commands look for it.
"""

import base64
import hashlib
import importlib.metadata
import io
import re
import tomllib
import zipfile
from pathlib import Path

import tinyrnn
from tinyrnn.core.files import shipped

LEFT_OUT = ("exercises_data", "pages", "__pycache__")  # of the package's folder: they are put in anew
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def zipped(contents, executable=()):
    """The bytes of a zip of contents (name -> bytes), sorted and without dates. executable: names of scripts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(contents.items()):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, data)
    return file.getvalue()


def package_files():
    """The files of this package: path such as "tinyrnn/core/files.py" -> bytes; without any exercise."""
    root, found = Path(tinyrnn.__file__).parent, {}
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.is_file() and not set(inside.parts) & set(LEFT_OUT) and not path.name.startswith("."):
            found[f"tinyrnn/{inside.as_posix()}"] = path.read_bytes()
    page = shipped("pages", "lectures") / "by_hand.md"  # which verdicts recommend
    return {**found, "tinyrnn/pages/by_hand.md": page.read_bytes()}


def wheel(exercises):
    """(file name, bytes) of a wheel. exercises: "3_gates/skeleton.py" -> bytes, all that is handed out.

    Its version ends in a check sum of what is in it, so that pip takes it for another one when that has changed.
    """
    files = {**package_files(), **{f"tinyrnn/exercises_data/{name}": data for name, data in exercises.items()}}
    digest = hashlib.sha256(b"".join(hashlib.sha256(files[name]).digest() for name in sorted(files))).hexdigest()
    version = f"{tinyrnn.__version__}+class.{digest[:8]}"
    about = f"tinyrnn-{version}.dist-info"
    metadata, entry_points = description()
    files[f"{about}/METADATA"] = re.sub(r"^Version: .*$", f"Version: {version}", metadata, count=1, flags=re.M).encode()
    files[f"{about}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: tinyrnn\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{about}/entry_points.txt"] = entry_points.encode()
    files[f"{about}/RECORD"] = record(files, f"{about}/RECORD").encode()
    return f"tinyrnn-{version}-py3-none-any.whl", zipped(files)


def description():
    """The texts METADATA and entry_points.txt of a wheel: in a clone from pyproject.toml, else what is installed."""
    path = Path(tinyrnn.__file__).parents[1] / "pyproject.toml"
    if not path.exists():
        installed = importlib.metadata.distribution("tinyrnn")
        return installed.read_text("METADATA"), installed.read_text("entry_points.txt")
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    lines = ["Metadata-Version: 2.1", "Name: tinyrnn", "Version: 0", f"Summary: {project['description']}"]
    lines += [f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {needed}; extra == "{extra}"' for needed in needs)]
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    points = [line for group, named in groups.items() for line in (f"[{group}]", *map(" = ".join, named.items()))]
    return "\n".join([*lines, ""]), "\n".join([*points, ""])


def record(files, own):
    """The text of a wheel's RECORD: a line for each file with its check sum and size, and one for itself."""
    lines = []
    for name, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    return "\n".join([*lines, f"{own},,", ""])


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

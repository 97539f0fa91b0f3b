"""Files that are whole: written beside their place and renamed into it, so a reader sees the old one or the new one."""

import json
import os
from pathlib import Path

import numpy as np
from safetensors.numpy import save as safetensors_bytes

TEMPORARY = ".unfinished-"  # how the name of a file begins until it is whole


def write_atomically(path, write):
    """Have `write(temporary_path)` make the file, flush it to disk, and rename it to `path`."""
    path = Path(path)
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{path.name}")
    try:
        write(temporary)
        with open(temporary, "r+b") as file:  # Windows flushes only what is open for writing
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path, value):
    text = json.dumps(value, indent=2, allow_nan=False) + "\n"
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def read_json(path):
    """The value in a JSON file; ValueError in one line if it is not JSON."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def write_arrays(path, arrays, metadata=None):
    """A safetensors file of `arrays`, name -> NumPy array, and `metadata`, text -> text."""
    whole = {name: np.asarray(value, order="C") for name, value in arrays.items()}
    write_atomically(path, lambda temporary: temporary.write_bytes(safetensors_bytes(whole, metadata)))


def as_typed(path):
    """A path as one would type it: relative to where one is, if it is in there."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def shipped(name, source):
    """The path of what a wheel holds as `name` in the package; in a clone, of the `source` beside the package, of which
    a wheel's copy is made."""
    package = Path(__file__).resolve().parents[1]
    copy = package / name
    return copy if copy.exists() else package.parent / source


def cache_folder():
    """The folder for what can be had again: downloads, compiled cells."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "tinyrnn"

"""Files that are whole: written beside their place and renamed into it, so a reader sees the old one or the new one."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save as safetensors_bytes

TEMPORARY = ".unfinished-"  # how the name of a file begins until it is whole


def write_atomically(path: Any, write: Any) -> Any:
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


def write_json(path: Any, value: Any) -> Any:
    """Writes a value as JSON, in one move."""
    text = json.dumps(value, indent=2, allow_nan=False) + "\n"
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def read_json(path: Any) -> Any:
    """The value in a JSON file; ValueError in one line if it is not JSON."""
    refuse_pipe(path)
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def refuse_pipe(path: Any) -> Any:
    """ValueError in one line if what is there is a folder, a named pipe or the like: the latter would be waited for."""
    if Path(path).exists() and not Path(path).is_file():
        raise ValueError(f"{path} is no plain file")


def check_label(path: Any, value: Any, format: Any, version: Any) -> Any:
    """ValueError in one line unless `value`, read from `path`, is a dict of that "format" and no newer "version".

    One without such labels was written before there were any, and passes.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{path} is no {format} file: it holds a {type(value).__name__}")
    if value.get("format", format) != format:
        raise ValueError(f"{path} is of the format {value['format']!r}, not {format!r}")
    found = value.get("version", version)
    if type(found) is not int or found > version:
        raise ValueError(
            f"{path} has version {found!r} of the format {format}; this tinyrnn knows them up to {version}"
        )


def write_arrays(path: Any, arrays: Any, metadata: Any = None) -> Any:
    """A safetensors file of `arrays`, name -> NumPy array, and `metadata`, text -> text; returns its `checksum`."""
    whole = {name: np.asarray(value, order="C") for name, value in arrays.items()}
    content = safetensors_bytes(whole, metadata)
    write_atomically(path, lambda temporary: temporary.write_bytes(content))
    return checksum(content)


def checksum(content: Any) -> Any:
    """Of bytes, or of what JSON can hold; text that differs if they do."""
    if not isinstance(content, bytes):
        content = json.dumps(content, sort_keys=True).encode()
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def as_typed(path: Any) -> Any:
    """A path as one would type it: relative to where one is, if it is in there."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def shipped(name: str, source: str) -> Any:
    """The path of what a wheel holds as `name` in the package; in a clone, of the `source` beside the package, of which
    a wheel's copy is made."""
    package = Path(__file__).resolve().parents[1]
    copy = package / name
    return copy if copy.exists() else package.parent / source


def cache_folder() -> Any:
    """The folder for what can be had again: downloads, compiled cells."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "tinyrnn"

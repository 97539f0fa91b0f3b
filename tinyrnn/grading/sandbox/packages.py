"""What a child process may import, and how that is put within its reach.

With namespaces the packages are bound into the child's own file system. Without, they are symbolic links in a folder,
which keeps other packages from being imported by name, not from being found by somebody who looks for them. Where links
cannot be made (Windows, mostly), the whole site-packages folder is on the path.
"""

import importlib.util
import os
from functools import cache
from pathlib import Path

COMPANIONS = {"tinyrnn": ("numpy", "scipy", "safetensors", "tqdm", "threadpoolctl"), "scipy": ("numpy",)}
STANDARD = (  # of Python's own library what numerical work may need
    *("__future__", "abc", "array", "bisect", "builtins", "cmath", "collections", "contextlib", "copy", "dataclasses"),
    *("decimal", "enum", "fractions", "functools", "heapq", "itertools", "math", "numbers", "operator", "pprint"),
    *("random", "re", "statistics", "string", "sys", "textwrap", "time", "types", "typing", "warnings"),
)
SYSTEM = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache")
OTHERS = ("site-packages", "dist-packages")


@cache
def folders(packages):
    """name -> path of all that belongs to packages: their folders or files, and those of the libraries they bring.

    packages: a tuple of names that can be imported. Raises ValueError if one is not installed.
    """
    found = {}
    for name in with_companions(packages):
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
        if spec is None or spec.origin in (None, "built-in", "frozen"):
            raise ValueError(f"the package {name} is not installed, or is in no folder of its own")
        path = Path(spec.origin)
        path = path.parent if path.name == "__init__.py" else path
        beside = path.parent / f"{name}.libs"  # shared libraries in wheels
        found |= {each.name: os.path.realpath(each) for each in (path, beside) if each.exists()}
    return found


def with_companions(packages):
    """The packages and those they need, each once."""
    names = ["numpy"]
    for name in packages:
        names += [*COMPANIONS.get(name, ()), name]
    return tuple(dict.fromkeys(names))


def link(packages, place):
    """Makes the folder `packages` in a place, with a link to each; None, or else what to put on the path instead."""
    target = os.path.join(place, "packages")
    os.mkdir(target)
    os.chmod(target, 0o755)  # whatever the grader's umask
    try:
        for name, path in folders(packages).items():
            os.symlink(path, os.path.join(target, name))
    except OSError:
        for name in os.listdir(target):
            os.unlink(os.path.join(target, name))
        os.rmdir(target)
        return os.path.dirname(folders(packages)["numpy"])
    return None


@cache
def plan(packages):
    """What a root of a file system needs in order to run this interpreter with these packages.

    Returns {"bind": [(source, target)], "links": [(link, what it points to)], "mask": [folders that are to be empty]}.
    """
    library = os.path.dirname(os.__file__)
    home = os.path.dirname(library)  # of the interpreter's shared libraries too
    binds, links = [], []
    for place in dict.fromkeys((*SYSTEM, home)):
        if os.path.islink(place) and place in SYSTEM:
            links.append((place, os.readlink(place)))
        elif os.path.exists(place) and not any(place.startswith(f"{target}/") for _, target in binds):
            binds.append((os.path.realpath(place), place))
    masks = [
        os.path.join(base, name, folder)
        for base in {target for _, target in binds if os.path.isdir(target)}
        for name in os.listdir(base)
        if name.startswith("python")
        for folder in OTHERS
        if os.path.isdir(os.path.join(base, name, folder))
    ]
    binds += [(path, f"/packages/{name}") for name, path in folders(packages).items()]
    return {"bind": binds, "links": links, "mask": sorted(masks)}

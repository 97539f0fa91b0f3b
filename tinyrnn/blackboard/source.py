"""Lines of the package, shown from the source itself, with a word beside the lines that a derivation ends at."""

import inspect
import textwrap
from pathlib import Path

import tinyrnn

HOME = Path(tinyrnn.__file__).parents[1]


class Source:
    """Code as it stands in a file; a notebook shows it in colours. `text` is what is shown, `path` where it stands."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text

    def __repr__(self) -> str:
        return f"{self.path}\n\n{self.text}"

    def _repr_markdown_(self) -> str:
        return f"`{self.path}`\n\n```python\n{self.text}\n```"


def source(what: object, notes: dict[str, str] | None = None, only: bool = False) -> Source:
    """The source of a function, method or class of the package.

    notes: what to say beside a line, {a part of the line: a few words}; a number of an equation, say. only: leave out
    the lines without a note, but for the first. Docstrings are left out.
    Raises ValueError for a part that no line has: the lecture then speaks of a line that is not there any more.
    """
    file = Path(inspect.getsourcefile(what) or "")  # type: ignore[arg-type]
    path = file.relative_to(HOME).as_posix() if file.is_relative_to(HOME) else file.name
    lines = without_docstring(textwrap.dedent(inspect.getsource(what)).rstrip()).splitlines()  # type: ignore[arg-type]
    said = dict(notes or {})
    shown, left_out = [], False
    for k, line in enumerate(lines):
        part = next((part for part in said if part in line), None)
        if only and k and part is None:
            left_out = True
            continue
        if left_out:
            shown.append("    ...")
            left_out = False
        shown.append(line if part is None else f"{line}  # ← {said.pop(part)}")
    if said:
        raise ValueError(f"{path}: no line of {getattr(what, '__qualname__', what)} has {', '.join(said)}")
    return Source(path, "\n".join([*shown, *["    ..."] * left_out]))


def without_docstring(text: str) -> str:
    """A definition without the docstring it begins with."""
    head, mark, rest = text.partition('"""')
    if not mark or not head.rstrip().endswith(":"):
        return text
    return head.rstrip() + "\n" + rest.partition('"""')[2].lstrip("\n")

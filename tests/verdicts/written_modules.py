"""Modules written to a folder, and line verdicts on an object of one of them."""

import linecache
import textwrap

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

HEAD = "import numpy as np\n"


def written(folder, **sources):
    """The folder with a module for each source."""
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(HEAD + textwrap.dedent(source), encoding="utf-8")
    return folder / f"{name}.py"


def judged(path, make, methods=("forward", "backward"), **inputs):
    """(the `LineReport` on two methods of the object that `make(module)` gives, the texts of the lines that it
    accuses)."""
    with loaded(path) as module:
        layer = make(module)
        report = tr.lines(*(getattr(layer, method) for method in methods), inputs)
    places = [(report.files[row.function], row.line) for row in report.wrong]
    return report, {linecache.getline(file, line).strip() for file, line in places}

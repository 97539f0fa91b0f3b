"""The code of a Jupyter notebook as the text of a module: its code cells one after the other, without what only a
notebook understands (`%matplotlib inline`, `!pip install`, cells that begin with `%%`)."""

import json

CELL = "# cell {}\n"


def code_of(data):
    """The text. data: the bytes of an .ipynb. ValueError in a line if it is none."""
    try:
        cells = json.loads(data.decode("utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (UnicodeDecodeError, ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("the notebook cannot be read") from None
    return "\n\n".join(CELL.format(number) + module_text(source) for number, source in enumerate(sources, 1)) + "\n"


def module_text(source):
    """The text of one cell as part of a module: other lines than Python's become comments, so that lines stay where
    they are. Of `%%tinyrnn`, under which homework is written, only the first line goes."""
    lines = source.splitlines()
    first = lines[0].strip() if lines else ""
    if first.startswith("%%") and first.split()[0] != "%%tinyrnn":
        return "\n".join(f"# {line}" for line in lines)
    return "\n".join(f"# {line}" if line.lstrip().startswith(("%", "!", "?")) else line for line in lines)

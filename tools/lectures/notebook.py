"""From the text of a lecture to the notebook that has run."""

import hashlib
import re
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
LECTURES = ROOT / "lectures"
SOURCES = LECTURES / "sources"
NUMBER = re.compile(r"\{\{ ([^{}]+) \}\}")  # {{ expression }} or {{ expression : format }}
CLAIM = re.compile(r"[ ]?<!-- holds: (.+?) -->", re.DOTALL)
# warnings are errors, for what is wrong here; how nbclient's kernel is made is not the lecture's business
BEFORE = (
    "import warnings\nwarnings.simplefilter('error')\nwarnings.filterwarnings('ignore', module='ipykernel|traitlets')"
)


class Lecture(NotebookClient):
    """Runs the code of a notebook and, where they stand, the numbers and claims in its prose."""

    async def async_execute_cell(self, cell, cell_index, **options):
        """A Markdown cell is filled in, a code cell is run."""
        if cell.cell_type == "markdown":
            cell.source = await self.filled(cell.source, cell_index)
            self.nb.cells[cell_index] = cell
            return cell
        if cell_index == self.first_code:
            await self.value_of(BEFORE, cell_index)
        return await super().async_execute_cell(cell, cell_index, **options)

    @property
    def first_code(self):
        """The number of the first cell of code."""
        return next(k for k, cell in enumerate(self.nb.cells) if cell.cell_type == "code")

    async def filled(self, text, cell_index):
        """The prose with its numbers; a claim that does not hold raises ValueError."""
        for claim in CLAIM.findall(text):
            if await self.value_of(f"print(bool({claim}))", cell_index) != "True":
                raise ValueError(f"the prose says what does not hold: {claim}")
        numbers = list(dict.fromkeys(NUMBER.findall(text)))
        values = {n: await self.value_of(f"print({formatted(n)})", cell_index) for n in numbers}
        text = NUMBER.sub(lambda found: values[found[1]], CLAIM.sub("", text))
        if "{{" in text or "<!-- holds" in text:
            raise ValueError(f"neither a number, {{{{ expression : format }}}}, nor a claim: {text[:200]}")
        return text

    async def value_of(self, code, cell_index):
        """What a line of code prints, in the notebook's kernel; nbclient puts its cell at `cell_index`."""
        cell = nbformat.v4.new_code_cell(code)
        await super().async_execute_cell(cell, cell_index, store_history=False)
        return "".join(output.get("text", "") for output in cell.outputs).rstrip("\n")


def formatted(number):
    """The code of a number in the prose."""
    expression, _, spec = number.partition(" : ")
    return f"format({expression}, {spec.strip()!r})" if spec else f"format({expression})"


def run(path, timeout):
    """The notebook of the source at `path`, run. Raises nbclient's CellExecutionError where a cell raises or warns."""
    notebook = jupytext.read(path)
    for k, cell in enumerate(notebook.cells):
        cell.id = f"cell-{k}"
        tags = cell.metadata.get("tags", [])
        hidden = {"source_hidden": "hide-input" in tags, "outputs_hidden": "predict" in tags}
        if any(hidden.values()):
            cell.metadata["jupyter"] = {name: True for name, value in hidden.items() if value}
    Lecture(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        resources={"metadata": {"path": LECTURES}},
        record_timing=False,
    ).execute()
    refuse_warnings(notebook, path)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}, "source": {"sha256": digest(path)}}
    nbformat.validate(notebook)
    return notebook


def refuse_warnings(notebook, path):
    """What a cell writes to standard error is a warning that came past the filter."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.get("name") == "stderr":
                raise ValueError(f"{path.name}: a cell wrote to standard error: {output.text.strip()[:300]}")


def digest(path):
    """Of a source, so that a notebook can say which one it was made from."""
    return hashlib.sha256(path.read_bytes()).hexdigest()

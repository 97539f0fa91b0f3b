"""What a teacher makes of a lecture: slides, and the notebook without its answers."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("latex2mathml", reason="pages with equations take latex2mathml")
pytest.importorskip("markdown_it", reason="pages with equations take markdown-it")

from tools.lectures.teacher import slides, without_answers

LECTURES = Path(__file__).resolve().parents[1] / "lectures"


def notebooks():
    """The notebooks as nbformat would read them, without nbformat."""
    for path in sorted(LECTURES.glob("[0-9]*.ipynb")):
        yield path.stem, as_objects(json.loads(path.read_text(encoding="utf-8")))


def as_objects(notebook):
    """Cells with attributes, their sources and texts in one piece."""
    cells = []
    for cell in notebook["cells"]:
        outputs = cell.get("outputs", [])
        for output in outputs:
            output["data"] = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
        cells.append(SimpleNamespace(cell_type=cell["cell_type"], source="".join(cell["source"]), outputs=outputs))
    return SimpleNamespace(cells=cells)


@pytest.mark.parametrize(
    ("name", "notebook"), [*notebooks()], ids=lambda value: value if isinstance(value, str) else ""
)
def test_slides_have_every_section_and_picture_and_no_answer(name, notebook):
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    pictures = sum("image/png" in output["data"] for cell in notebook.cells for output in cell.outputs)
    text = slides(notebook)
    sections = re.findall(r"^## (.+?)(?: \(\d+ minutes\))?$", prose, re.MULTILINE)
    assert sections and text.count("<section>") > len(sections)
    assert text.count("<h1>") == len(sections) + 1 and text.count("data:image/png;base64,") == pictures > 0
    assert "Answer" not in text and "http" not in text.replace("http://www.w3.org", "")


@pytest.mark.parametrize(
    ("name", "notebook"), [*notebooks()], ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_lecture_without_answers_has_its_questions(name, notebook):
    before = "\n".join(cell.source for cell in notebook.cells)
    after = "\n".join(cell.source for cell in without_answers(notebook).cells)
    assert before.count("<details><summary>Answer") >= 4 and "Answer</summary>" not in after
    assert re.findall(r"^\*\*\d\.\*\*", before, re.MULTILINE) == re.findall(r"^\*\*\d\.\*\*", after, re.MULTILINE)

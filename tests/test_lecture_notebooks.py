"""The lectures' notebooks: made from their sources as they stand, and built as a lecture should be."""

import ast
import hashlib
import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LECTURES, SOURCES = ROOT / "lectures", ROOT / "lectures" / "sources"
PAGES = sorted((ROOT / "tinyrnn").glob("*/page/*.js"))
PATHS = sorted(SOURCES.glob("[0-9]*.md"))


def notebook(path):
    return json.loads((LECTURES / f"{path.stem}.ipynb").read_text("utf-8"))


def cells(path, kind):
    return ["".join(cell["source"]) for cell in notebook(path)["cells"] if cell["cell_type"] == kind]


def outputs(path):
    return [output for cell in notebook(path)["cells"] for output in cell.get("outputs", ())]


def sections(path):
    """Title of every section -> its prose."""
    _, *parts = re.split(r"^## (.+)$", "\n\n".join(cells(path, "markdown")), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


lecture = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem[:2])


def test_there_are_lectures_and_no_notebook_without_a_source():
    assert len(PATHS) >= 1
    assert {path.stem for path in LECTURES.glob("*.ipynb")} == {path.stem for path in PATHS}


@lecture
def test_the_notebook_was_made_from_the_source_as_it_stands(path):
    """Otherwise: python -m tools.lectures build N."""
    assert notebook(path)["metadata"]["source"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


@lecture
def test_the_pages_in_it_are_the_pages_as_they_stand(path):
    """Otherwise: python -m tools.lectures build N. A script is known by the comment that it begins with."""
    shown = html.unescape("".join("".join(o.get("data", {}).get("text/html", "")) for o in outputs(path)))
    texts = {page: page.read_text("utf-8").strip() for page in PAGES}
    stale = [p.name for p, text in texts.items() if text.partition("\n")[0] in shown and text not in shown]
    assert stale == []


@lecture
def test_it_begins_with_a_question_and_a_picture(path):
    first, *_ = cells(path, "markdown")
    title, question = first.split("\n\n")[:2]
    assert title.startswith(f"# {int(path.stem[:2])}. ")
    assert question.startswith("**") and "?" in question
    before = notebook(path)["cells"][
        : next(k for k, c in enumerate(notebook(path)["cells"]) if "\n## " in "".join(c["source"]))
    ]
    assert any("image/png" in output.get("data", {}) for cell in before for output in cell.get("outputs", ()))


@lecture
def test_its_sections_say_their_minutes_which_make_up_a_sitting(path):
    titles = list(sections(path))
    assert titles[-2:] == ["Questions", "Summary"]
    minutes = [re.search(r"\((\d+) minutes\)$", title) for title in titles[:-2]]
    assert all(minutes)
    reading = sum(int(found[1]) for found in minutes)
    assert 30 <= reading <= 50  # and some ten for the questions


@lecture
def test_something_is_predicted_before_it_is_run_and_something_can_be_changed(path):
    text = "\n".join(cells(path, "markdown"))
    assert "**Predict.**" in text and "**Change it.**" in text
    folded = [c for c in notebook(path)["cells"] if "predict" in c["metadata"].get("tags", ())]
    assert folded and all(cell["metadata"]["jupyter"]["outputs_hidden"] for cell in folded)


@lecture
def test_it_has_four_to_six_questions_with_folded_answers(path):
    text = "\n".join(cells(path, "markdown")).split("## Questions")[1].split("## Summary")[0]
    numbers = [int(n) for n in re.findall(r"^\*\*(\d)\.\*\* ", text, flags=re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1)) and 4 <= len(numbers) <= 6
    assert text.count("<details><summary>Answer</summary>") == text.count("</details>") == len(numbers)


@lecture
def test_the_summary_names_equations_and_what_comes_next(path):
    summary = sections(path)["Summary"]
    assert "**Equations.**" in summary and "**Next.**" in summary and "xercise" in summary


@lecture
def test_links_lead_to_files_and_sections(path):
    text = "\n".join(cells(path, "markdown"))
    targets = re.findall(r"\]\((?!https?:)([^)\s]+)\)", text)
    assert targets
    for target in targets:
        file, _, anchor = target.partition("#")
        if re.fullmatch(r"\d\d_\w+\.ipynb", file) and int(file[:2]) > len(PATHS) - 1:
            continue  # lectures that are still to be written
        assert not file or (LECTURES / file).is_file(), target
        if anchor and file.endswith(".md"):
            assert f'<a id="{anchor}">' in (LECTURES / file).read_text("utf-8"), target


@lecture
def test_every_picture_has_words(path):
    for output in outputs(path):
        if "image/png" in output.get("data", {}):
            assert len(output["metadata"]["image/png"]["alt"]) > 40


@lecture
def test_it_shows_source_of_the_package_as_it_stands_there(path):
    """Line by line, without the words that the lecture puts beside them."""
    shown = [o["data"]["text/markdown"] for o in outputs(path) if "text/markdown" in o.get("data", {})]
    shown = [re.fullmatch(r"`([\w/.]+)`\n\n```python\n(.*)\n```", "".join(text), re.DOTALL) for text in shown]
    shown = [found for found in shown if found]
    assert shown
    for found in shown:
        real = {line.strip() for line in (ROOT / found[1]).read_text("utf-8").splitlines()}
        lines = [line.partition("  # ← ")[0].strip() for line in found[2].splitlines()]
        assert [line for line in lines if line not in real | {"", "..."}] == []


@lecture
def test_it_uses_public_names_only(path):
    assert cells(path, "code")
    for code in cells(path, "code"):
        tree = ast.parse(code)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
                assert not [name for name in names if any(part.startswith("_") for part in name.split("."))]
            if isinstance(node, ast.Attribute):
                assert not node.attr.startswith("_") or node.attr == "__name__"


def test_no_function_is_defined_in_three_lectures():
    found = {}
    for path in PATHS:
        for name in set(re.findall(r"^def (\w+)", "\n".join(cells(path, "code")), flags=re.MULTILINE)):
            found.setdefault(name, []).append(path.stem)
    assert {name: where for name, where in found.items() if len(where) > 2} == {}


@lecture
def test_no_output_is_an_error_or_a_warning(path):
    assert [o for o in outputs(path) if o["output_type"] == "error" or o.get("name") == "stderr"] == []


@pytest.mark.slow
@lecture
def test_it_runs_from_top_to_bottom_and_its_claims_hold(path):
    pytest.importorskip("jupytext", reason="no jupytext; CI runs python -m tools.lectures check")
    command = [sys.executable, "-m", "tools.lectures", "check", str(int(path.stem[:2]))]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]

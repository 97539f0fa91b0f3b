"""What the project says of itself: one version everywhere, and pages that name only what there is."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import tinyrnn as tr
from tinyrnn.commands.main import COMMANDS
from tinyrnn.figures import ANALYSES

ROOT = Path(__file__).parents[1]
PAGES = ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "exercises/README.md")
PATH = re.compile(r"[.\w]+(?:/[.\w]+)*/?")  # inside backticks, or of a link


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_is_written_once_and_the_newest_changes_are_its():
    project = tomllib.loads(read("pyproject.toml"))
    assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
    assert project["tool"]["hatch"]["version"] == {"path": "tinyrnn/__init__.py"}
    assert re.search(r"^## (\S+?),?(?: |$)", read("CHANGELOG.md"), flags=re.MULTILINE)[1] == tr.__version__
    assert not re.search(r"^version:", read("CITATION.cff"), flags=re.MULTILINE)


def test_every_source_of_the_analyses_can_be_cited():
    cited = dict(re.findall(r"- \{family-names: (\w+), given-names: (.+)\}", read("CITATION.cff")))
    for name, analysis in ANALYSES.items():
        first = re.match(r"\w+", analysis.source)[0]
        assert first in cited or first == "common", f"{name}: {analysis.source}"
    assert read("CITATION.cff").count("\n  - type: ") == 5


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_are_there(page):
    """Links, and paths in backticks that begin with a folder of the repository."""
    text, folder = read(page), (ROOT / page).parent
    links = [target.partition("#")[0] for target in re.findall(r"\]\((?!\w+:|#)([^)]+)\)", text)]
    assert [link for link in links if not (folder / link).exists()] == []
    paths = [path for path in re.findall(r"`([^`\s]+/[^`\s]*)`", text) if PATH.fullmatch(path)]
    own = [path for path in paths if (ROOT / path.split("/")[0]).is_dir() and "N_name" not in path]
    assert [path for path in own if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_a_page_names_are_there(page):
    named = set(re.findall(r"`(?:\.venv/bin/)?tinyrnn ([a-z]+)", read(page)))
    assert named <= COMMANDS.keys(), named - COMMANDS.keys()


def test_what_contributors_are_pointed_to_is_there():
    """So that the two tests above cannot pass by finding nothing."""
    text = read("CONTRIBUTING.md")
    for path in "tinyrnn/core/cell.py", "tinyrnn/verdicts/mistakes/__init__.py", "tinyrnn/figures/entry.py":
        assert f"`{path}`" in text and (ROOT / path).is_file()
    assert {"lines", "gradcheck", "teach", "cells", "analyse"} <= set(re.findall(r"`tinyrnn ([a-z]+)", text))


def test_no_two_files_of_the_tests_have_one_name():
    """For pytest imports them by that name alone, and would refuse to run any."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []


SHARED = {  # names that two classes may have
    "Printer",  # of C and of JavaScript: one job in two languages
    "Source",  # what exercises write in their cases, and what lectures show
    "Table",  # of a worksheet, and of a lecture
    "Task",  # what networks train on, and what students do
}


def test_no_two_classes_have_one_name():
    found = {}
    for path in sorted((ROOT / "tinyrnn").rglob("*.py")):
        for name in re.findall(r"^ *class (\w+)[:(]", path.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(name, []).append(path.name)
    assert len(found) > 300
    assert {name: files for name, files in found.items() if len(files) > 1 and name not in SHARED} == {}

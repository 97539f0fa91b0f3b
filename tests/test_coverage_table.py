"""The table of what of the five documents is where: what it points to exists, and no row is without it."""

import re
from pathlib import Path

import pytest

from tinyrnn.cells import CELLS
from tinyrnn.figures import ANALYSES
from tinyrnn.reproductions import REPRODUCTIONS

LECTURES = Path(__file__).resolve().parents[1] / "lectures"
TABLES = (LECTURES / "coverage.md").read_text("utf-8")
ROWS = [line.split("|")[1:4] for line in TABLES.splitlines() if re.match(r"\| (?!there)\S", line)]
PLACE = re.compile(r"\[(\d+)\]\((\d\d)(_\w+\.ipynb)\) \*(.+?)\*")


def headings(stem):
    text = (LECTURES / "sources" / f"{stem}.md").read_text("utf-8")
    return {re.sub(r" \(\d+ minutes\)$", "", found) for found in re.findall(r"^## (.+)$", text, re.MULTILINE)}


def test_there_are_five_documents_with_their_rows():
    parts = re.split(r"^## ", TABLES, flags=re.MULTILINE)[1:]
    assert len(parts) == 5 and all(part.count("\n|") > 12 for part in parts)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0].strip()}: {row[1].strip()}"[:50])
def test_a_row_leads_to_sections_that_there_are_or_says_why_not(row):
    _, what, here = row
    found = PLACE.findall(here)
    assert what.strip() and (found or ";" in here or ":" in here)
    assert here.count(".ipynb") == len(found)
    for shown, number, rest, heading in found:
        assert int(shown) == int(number) and heading in headings(f"{number}{rest}".removesuffix(".ipynb")), heading
    for name in re.findall(r"`tinyrnn analyse ([\w-]+)`", here):
        assert name in ANALYSES
    for name in re.findall(r"`([a-z]+-[\w-]+)`", here):
        assert name in REPRODUCTIONS or name in CELLS, name


def test_every_lecture_about_the_documents_and_every_analysis_is_in_a_row():
    covered = {int(found[0]) for found in PLACE.findall(TABLES)}
    assert covered >= {0, 4, 5, 6, 8, 9, 10, 11, 12, 13, 15}
    drawn = set(re.findall(r"`tinyrnn analyse ([\w-]+)`", TABLES))
    ours = {"rivers", "triangle", "spectrum", "copy-construction"}  # of no document: how the course looks at them
    assert set(ANALYSES) - drawn - ours == set()

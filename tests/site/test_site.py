"""The site: its pages are of what the package has, its links lead somewhere, and nothing is fetched from afar."""

import html
import json
import re
from pathlib import Path

import pytest

import tinyrnn as tr
from tools.site import pages

ROOT = Path(__file__).resolve().parents[2]


def test_every_public_name_has_an_entry_with_its_signature():
    text = pages.api()
    assert {f"## tr.{name}\n" in text for name in tr.__all__} == {True}
    assert "tr.LSTM(input_size, hidden_size" in text and "### tr.optimisers.Adam" in text


def test_every_known_mistake_has_its_question_and_section():
    text = pages.mistakes()
    assert all(f"**{m.name}**" in text and f"> {m.question}" in text for m in [*pages.BACKWARDS, *pages.FORWARDS])


def test_links_to_what_is_not_on_the_site_lead_to_the_code_host():
    page = (
        "[a](../benchmarks/README.md) [b](wrong_lstm.py) [c](cells.md) [d](by_hand.md#lstm/gates) [e](https://a.b/c.py)"
    )
    found = re.findall(r"\]\(([^)]*)\)", pages.adapted(page, "lectures/"))
    host = pages.REPOSITORY
    there = [f"{host}benchmarks/README.md", f"{host}lectures/wrong_lstm.py", "cells.md", "by_hand.md#lstm-gates"]
    assert found == [*there, "https://a.b/c.py"]


def test_what_is_to_be_predicted_is_folded():
    lecture = (ROOT / "lectures" / "01_numbers_first.ipynb").read_text("utf-8")
    cells = json.loads(pages.folded(lecture))["cells"]
    tags = [cell["metadata"].get("tags", []) for cell in cells]
    assert {"predict" in each for each in tags} == {True, False}
    assert all(("predict" in each) == ("hide-output" in each) for each in tags)


@pytest.mark.slow
def test_it_is_built_without_a_warning_and_needs_no_network(built):
    for page in ("index", "play", "gallery/index", "api", "mistakes", "search", "lectures/cells", "lectures/answers"):
        assert (built / f"{page}.html").exists()
    fetched = [
        (page.name, found)
        for page in built.rglob("*.html")
        for found in re.findall(r'<(?:script|link|img|iframe)[^>]* (?:src|href)="(https?://[^"]*)', page.read_text())
    ]
    assert fetched == []
    assert "<math" in (built / "lectures" / "04_back_through_time.html").read_text()


def test_the_code_of_the_first_picture_is_folded_and_no_other():
    lecture = (ROOT / "lectures" / "09_only_turning.ipynb").read_text("utf-8")
    code = [cell for cell in json.loads(pages.folded(lecture))["cells"] if cell["cell_type"] == "code"]
    assert ["hide-input" in cell["metadata"].get("tags", ()) for cell in code] == [True] + [False] * (len(code) - 1)


def test_the_reference_has_a_module_s_own_names_only():
    text = pages.api()
    assert "### tr.clipping.clip_by_norm" in text and "### tr.losses.softmax_cross_entropy\n" in text
    assert "tr.clipping.xp_of" not in text and "tr.constructions.Elman\n" not in text


def test_lines_that_were_broken_for_their_width_are_joined():
    first = f"{'word ' * 22}and"  # the next word would have made it wider than 120
    assert pages.unbroken(f"{first}\nanother line\nx: an argument\n    code") == (
        f"{first} another line\nx: an argument\n    code"
    )


@pytest.mark.slow
def test_tables_and_equations_are_drawn(built):
    lectures = {page.name: page.read_text("utf-8") for page in (built / "lectures").glob("[0-9]*.html")}
    assert len(lectures) == 16 and all("<table" in text for text in lectures.values())
    assert not any(re.search(r"<p>\|[^<]*\| --- \|", text) for text in lectures.values())
    equations = [each for text in lectures.values() for each in re.findall(r"<math.*?</math>", text, flags=re.DOTALL)]
    unknown = [each for each in equations if "\\" in html.unescape(re.sub(r"<[^>]+>", "", each))]
    assert len(equations) > 500 and unknown == []


@pytest.mark.slow
def test_no_link_is_dead(built):
    texts = {page.resolve(): page.read_text("utf-8") for page in built.rglob("*.html")}
    places = {page: set(re.findall(r'\b(?:id|name)="([^"]+)"', text)) for page, text in texts.items()}
    dead, link_to = [], r'<(?:a|link|iframe|img)\b[^>]*\s(?:href|src)="(?!https?:|mailto:|data:)([^"]*)"'
    for page, text in texts.items():
        shown = re.sub(r'srcdoc="[^"]*"|<script.*?</script>', "", text, flags=re.DOTALL)
        for link in re.findall(link_to, shown):
            file, _, place = link.partition("#")
            target = (page.parent / file.partition("?")[0]).resolve() if file else page
            is_state = "=" in place  # of a page to play with
            if not target.exists() or (place and not is_state and place not in places.get(target, {place})):
                dead.append((page.name, link))
    assert len(texts) > 60 and dead == []

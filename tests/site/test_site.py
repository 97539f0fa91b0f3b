"""The site: its pages are of what the package has, its links lead somewhere, and nothing is fetched from afar."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tinyrnn as tr
from tools.site import pages

ROOT = Path(__file__).resolve().parents[2]
BUILT = ("sphinx", "myst_nb", "furo")


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


@pytest.mark.slow
@pytest.mark.skipif(not all(map(importlib.util.find_spec, BUILT)), reason="Sphinx, MyST-NB or Furo is not installed")
def test_it_is_built_without_a_warning_and_needs_no_network(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "tools.site", "--out", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    for page in (
        "index.html",
        "play.html",
        "gallery/index.html",
        "api.html",
        "mistakes.html",
        "search.html",
        "lectures/cells.html",
    ):
        assert (tmp_path / page).exists()
    fetched = [
        (page.name, found)
        for page in tmp_path.rglob("*.html")
        for found in re.findall(r'<(?:script|link|img|iframe)[^>]* (?:src|href)="(https?://[^"]*)', page.read_text())
    ]
    assert fetched == []
    assert "<math" in (tmp_path / "lectures" / "04_back_through_time.html").read_text()

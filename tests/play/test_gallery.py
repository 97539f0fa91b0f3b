"""The gallery: a page for each cell that computes what Python computes, and an index whose links lead somewhere."""

import re

import numpy as np
import pytest
from scripts import needs_node, without_browser

from tinyrnn.cells import CELLS
from tinyrnn.commands.main import main
from tinyrnn.play import gallery, rivers

WIDTHS = "console.log(JSON.stringify(compute(world.bottom).widths));"


@pytest.mark.few(2)
@needs_node
@pytest.mark.parametrize("name", CELLS)
def test_a_cells_page_begins_with_the_river_that_the_index_shows(name):
    page = rivers.rivers_page(("elman", name), (), hidden=6)
    shown, lanes = without_browser(page, "// The pictures:", WIDTHS), rivers.widths(name, hidden=6)
    for state, norms in lanes.items():
        np.testing.assert_allclose([width[state] for width in shown], norms, rtol=1e-6, atol=1e-12)


def test_every_link_of_the_index_leads_to_a_page(tmp_path, capsys):
    folder = tmp_path / "new" / "site"
    assert main(["gallery", str(folder), "--cells", "elman", "qrnn", "--no-games"]) == 0
    assert capsys.readouterr().out == f"gallery: {folder / 'index.html'}\n"
    written = {path.name for path in folder.iterdir()}
    assert written == {"index.html", "rivers.html", "lecture.html", "elman.html", "qrnn.html"}
    assert all(path.stat().st_size < 500_000 for path in folder.iterdir())
    for page in ("index.html", "lecture.html"):
        text = (folder / page).read_text(encoding="utf-8")
        links = set(re.findall(r'(?:href|src)="([\w-]+\.html)', text))
        assert links and links <= written
    for name, inside in (("elman", "top"), ("qrnn", "bottom")):  # its own cell is the one that is drawn
        text = (folder / f"{name}.html").read_text(encoding="utf-8")
        assert f"<title>{rivers.TITLE} {name}</title>" in text and f'"inside":"{inside}"' in text


def test_a_cell_that_there_is_not_is_one_line_and_nothing_is_written(tmp_path, capsys):
    assert main(["gallery", str(tmp_path / "site"), "--cells", "nothing"]) == 2
    assert capsys.readouterr().err.startswith("tinyrnn: unknown cell 'nothing'; choose from elman")
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    "arrived, said",
    [
        (1.2, "more than all"),
        (1, "100 %"),
        (0.254, "25 %"),
        (0.001, "1 in 1,000"),
        (3.3e-7, "1 in 3 million"),
        (0, "nothing"),
    ],
)
def test_shares_are_said_without_exponents(arrived, said):
    assert gallery.share(arrived) == said

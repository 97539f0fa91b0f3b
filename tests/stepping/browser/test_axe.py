"""The pages of recordings before axe-core, wide and narrow, in light and dark: it has nothing to say against them."""

import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from chromium import violations

from tinyrnn.commands.main import main

pytestmark = pytest.mark.slow
DARK = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
WIDTH = pytest.mark.parametrize("width", [1400, 390])


SHOWN = [("lstm", 1400, False), ("lstm", 390, True), ("lecture", 1400, True), ("lecture", 390, False)]


@pytest.mark.parametrize(("name", "width", "dark"), [*SHOWN, ("functions", 1400, False)])
def test_axe_finds_nothing_against_the_stepper(look, name, width, dark):
    page = look(name, width=width, dark=dark)
    wrong = page.recording.find(wrong=True)
    for n in {0, page.recording.turn, 0 if wrong is None else wrong}:
        page.scrub(n)
        assert violations(page.driver) == [], n
    page.click("#predict")
    assert violations(page.driver) == []


@DARK
@WIDTH
@pytest.mark.parametrize("command", ["lines", "gradcheck"])
def test_axe_finds_nothing_against_a_page_of_verdicts(look, folder, command, width, dark, capsys):
    page = look("elman", width=width, dark=dark)
    main([command, "lectures/wrong_lstm.py", "--html", str(folder / "verdicts.html")])
    capsys.readouterr()
    page.driver.get((folder / "verdicts.html").as_uri())
    assert violations(page.driver) == []

"""The pages of recordings before axe-core, wide and narrow, in light and dark: it has nothing to say against them."""

import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from chromium import emulate, violations

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


# how many colours a canvas shows, of those that hide nothing behind them
COLOURS = """
const canvas = document.querySelector(arguments[0]), { width, height } = canvas, seen = new Set();
const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add(data.slice(i, i + 3).join());
return seen.size;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_forced_colours_pictures_keep_theirs_and_it_is_seen_where_one_is(look, scheme):
    page = look("lstm")
    emulate(page.driver, 1400, prefers_color_scheme=scheme, forced_colors="active")
    page.driver.refresh()
    page.wait(lambda: page.line is not None)
    page.scrub(page.recording.turn)
    for canvas in ("#triangle-canvas", "#graph canvas", ".scrubber canvas"):
        assert page.script(COLOURS, canvas) > 3, canvas
    border = "return [...document.querySelectorAll(arguments[0])].map((e) => getComputedStyle(e).borderLeftColor)"
    (now,) = page.script(border, "#lines li.now")
    assert now not in page.script(border, "#lines li:not(.now)")
    pressed = (
        "return [...document.querySelectorAll('#triangle-parts button')].map(e => getComputedStyle(e).backgroundColor)"
    )
    assert len(set(page.script(pressed))) == 2  # one is pressed, and seen to be
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


@pytest.mark.parametrize("command", ["lines", "gradcheck"])
def test_a_page_of_verdicts_at_1024_at_200_percent_and_in_forced_colours(look, folder, command, capsys):
    page = look("elman")
    file = folder / "verdicts.html"
    main([command, "lectures/wrong_lstm.py", "--html", str(file)])
    capsys.readouterr()
    assert file.stat().st_size < 500_000
    for width, media in [(1024, {}), (700, {}), (1024, {"forced_colors": "active"})]:  # 700: 1400 at 200 %
        emulate(page.driver, width, **media)
        page.driver.get(file.as_uri())
        assert page.script("return document.documentElement.scrollWidth") <= width
        assert violations(page.driver) == [], (width, media)
        assert "WRONG" in page.driver.find_element("tag name", "main").text
    assert page.script("return document.querySelectorAll('script').length") == 0

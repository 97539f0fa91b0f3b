"""All text can be read: its contrast with what is behind it is at least 4.5 : 1, in both schemes."""

from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")

import tinyrnn as tr
from tinyrnn.commands.main import main

pytestmark = pytest.mark.slow
WRONG = Path(__file__).parents[3] / "lectures" / "wrong_lstm.py"

# [[contrast, text], …] of every text that is shown; colours are read as the browser paints them, one over the other
PALE = """
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const over = (colours) => {
  canvas.clearRect(0, 0, 1, 1);
  for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
  return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
};
const light = (rgb) => rgb.map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
  .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
const page = matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#ffffff";
const found = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
  if (element.closest("select, option, .unseen, canvas, script, style, noscript")) continue;
  const around = [];
  for (let e = element; e; e = e.parentElement) around.unshift(getComputedStyle(e).backgroundColor);
  const behind = over([page, ...around]), front = over([`rgb(${behind})`, getComputedStyle(element).color]);
  const [a, b] = [light(front), light(behind)].sort((x, y) => y - x);
  found.push([(a + 0.05) / (b + 0.05), element.textContent.trim().slice(0, 40)]);
}
return found;
"""


def assert_readable(page):
    found = page.script(PALE)
    assert len(found) > 10
    assert [pair for pair in found if pair[0] < 4.5] == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["lstm", "planted", "lecture"])
def test_the_page_can_be_read_in_both_schemes(look, name, dark):
    page = look(name, dark=dark)
    wrong = page.recording.find(wrong=True)
    for n in [0, page.recording.turn, len(page.recording) - 1, *([] if wrong is None else [wrong])]:
        page.scrub(n)
        assert_readable(page)
    page.click("#predict")
    assert_readable(page)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_of_verdicts_can_be_read_in_both_schemes_and_on_a_phone(look, folder, dark, capsys):
    page = look("elman", width=390, height=844, dark=dark)
    for command in ("lines", "gradcheck"):
        assert main([command, str(WRONG), "--html", str(folder / "verdicts.html")]) == 1
        page.driver.get((folder / "verdicts.html").as_uri())
        assert_readable(page)
        assert page.script("return [document.querySelectorAll('main, h1').length, innerWidth]") == [2, 390]
        assert page.script("return document.documentElement.scrollWidth") <= 390
    capsys.readouterr()


def test_a_report_in_a_dark_notebook_can_be_read(look, folder):
    report = tr.lines(tr.LSTM(2, 3, rng=0))
    page = look("elman", dark=True)
    dark = f'<html style="color-scheme: dark; background: #111111; color: #eeeeee"><body>{report._repr_html_()}</body>'
    (folder / "notebook.html").write_text(f"<!doctype html>{dark}</html>", encoding="utf-8")
    page.driver.get((folder / "notebook.html").as_uri())
    assert_readable(page)

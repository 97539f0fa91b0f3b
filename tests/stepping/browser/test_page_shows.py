"""What is on the page of a recording, in a real browser: that of the recording, for every eye and ear, at any width."""

import numpy as np
import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from pages import close, number
from selenium.webdriver.common.keys import Keys

from tinyrnn.stepping.places import opening

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["elman", "urnn", "planted", "mask", "model", "functions"])
def test_what_is_shown_at_each_line_is_what_was_recorded(look, name):
    page = look(name)
    recording = page.recording
    for n in range(0, len(recording), max(1, len(recording) // 25)):
        page.scrub(n)
        event = recording[n]
        assert page["#name"].text == event.name
        assert page["#lines li.now code"].text.split() == event.text.split()
        assert f"line {n + 1} of {len(recording)}" in page["#where"].text
        assert ("backwards" in page["#where"].text) == event.backward
        assert close(page.numbers("#array"), event.value)
        assert page.shows("#numerical") == (event.error is not None)
        if event.error is not None:
            assert close(page.numbers("#numerical"), event.numerical)
            assert page["#error"].get_attribute("class") == ("agrees" if event.error < 1e-6 else "differs")
        assert page.shows("#accused") == (event.wrong is not None)


def test_the_gradients_of_the_step_are_those_recorded(look):
    page = look("stack")
    recording = page.recording
    for step in recording.steps:
        n = recording.find(recording.turn, layer=step["layer"], t=step["t"])
        page.scrub(n)
        for what in ("arriving", "leaving", "running"):
            arrays = [recording.array(index).ravel() for index in step[what].values()]
            assert close(page.numbers(f"#{what}"), np.concatenate(arrays) if arrays else np.zeros(0))
    page.scrub(0)
    assert not page.shows("#step") and page["#step-none"].text == "They come on the way back."


def test_an_entry_under_the_pointer_or_the_arrow_keys_is_read_with_6_digits(look):
    page = look("lstm")
    page.scrub(page.recording.find(name="h", start=20))
    value = page.recording[page.line].value
    page.script("document.querySelector('#array td[tabindex=\"0\"]').focus()")
    page.press(Keys.ARROW_RIGHT)
    page.press(Keys.ARROW_DOWN)
    place, text = page["#array output"].text.rsplit(maxsplit=1)
    assert place == "[1, 1]"
    assert number(text) == float(f"{value[1, 1]:.6g}")
    page.scrub(page.recording.find(name="a"))  # 2 x 12: written out
    wide = look("wide")
    wide.scrub(wide.recording.find(name="a"))  # 2 x 32: a picture
    value = wide.recording[wide.line].value
    wide.script("document.querySelector('#array canvas').focus()")
    wide.press(Keys.ARROW_DOWN)
    place, text = wide["#array output"].text.rsplit(maxsplit=1)
    assert place == "[1, 0]"
    assert number(text) == float(f"{value[1, 0]:.6g}")
    assert close(wide.numbers("#array"), value)


def test_what_a_line_is_made_of_stands_beside_it(look):
    page = look("lstm")
    recording = page.recording
    n = recording.find(recording.turn, name="dh_prev")
    page.scrub(n)
    names = [heading.text for heading in page.driver.find_elements("css selector", "#operands h4 code")]
    assert names == ["da", "W_h"]
    weights = recording.array(recording.data["params"]["W_h"])
    da = recording[recording.find(n, name="da", step=-1)].value
    assert close(page.numbers("#operands"), np.concatenate([da.ravel(), weights.ravel()]))


@pytest.mark.parametrize("n", range(7))
def test_arrays_of_every_form_are_shown(look, n):
    page = look("odd")
    page.scrub(n)
    value = page.recording[n].value
    if value is None:
        assert page["#array"].text == "100 × 100: too large to be kept"
    elif not value.size:
        assert page["#array"].text == "empty"
    else:
        parts = [value.real, value.imag] if np.iscomplexobj(value) else [value]
        assert close(page.numbers("#array"), np.concatenate([part.ravel() for part in parts]))


@pytest.mark.parametrize("name", ["lstm", "planted"])
def test_everything_has_a_name_for_a_screen_reader(look, name):
    page = look(name)
    page.click("#to-turn")
    page.click("#predict")
    page.click("#next")
    tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "slider", "combobox", "textbox", "spinbutton", "checkbox", "image", "table", "region", "dialog"}
    nodes = [node for node in tree if not node["ignored"] and node["role"]["value"] in roles]
    assert {node["role"]["value"] for node in nodes} >= {"button", "slider", "combobox", "image", "region"}
    assert [node for node in nodes if not node.get("name", {}).get("value")] == []
    event = page.recording[page.line]
    page.wait(lambda: f"line {event.line}, {event.name}" in page["#live"].get_attribute("textContent"))
    assert f"line {event.line}" in page["#scrubber"].get_attribute("aria-valuetext")
    page.click("#predict")
    gives = f" gives {' by '.join(map(str, event.value.shape))}, the first "
    page.wait(lambda: gives in page["#live"].get_attribute("textContent"))


def luminance(page):
    return page.script("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")[0]


def test_light_and_dark_follow_the_system_and_the_button(look):
    page = look("elman", dark=True)
    assert luminance(page) < 60 and page["#theme"].text == "Light"
    page.click("#theme")
    assert luminance(page) > 200 and page["#theme"].text == "Dark"
    page = look("elman")
    assert luminance(page) > 200
    page.click("#theme")
    assert luminance(page) < 60


@pytest.mark.sample(10)
@pytest.mark.parametrize("width", [360, 768, 1100, 1920])
@pytest.mark.parametrize("name", ["urnn", "model", "planted", "wide", "both", "functions"])
def test_the_page_never_scrolls_sideways(look, name, width):
    page = look(name, width=width)
    for n in np.linspace(0, len(page.recording) - 1, 12).astype(int).tolist():
        page.scrub(n)
        assert page.script("return document.documentElement.scrollWidth") <= width
        assert page.script("return document.querySelector('main').getBoundingClientRect().right") <= width


def test_of_functions_there_is_no_network_and_a_wrong_line_says_what_is_wrong(look):
    page = look("functions")
    assert not page.shows("#graph") and not page.shows("#gradients")
    page.press("w")
    event = page.recording[page.line]
    assert event.text == "dw = (da * x[-1]).mean(axis=0)" and page["#accused p"].text == event.wrong
    assert page.script("return [...document.querySelectorAll('#operands h4 code')].map(c => c.textContent)") == [
        "da",
        "x",
    ]


def test_the_question_and_the_section_of_a_known_mistake_stand_at_its_line(look):
    page = look("lecture")
    page.press("w")
    mistake = page.recording[page.line].mistake
    assert [mistake["title"], mistake["question"]] == [d.text for d in page.all("#accused dd")][:2]
    assert f"tinyrnn read {mistake['section']}" in page["#accused"].text


def test_a_recording_without_lines_says_so(look):
    page = look("empty")
    assert page["#empty"].is_displayed() and not page["main"].is_displayed()


def test_in_a_notebook_the_page_keeps_to_its_frame(look, folder):
    page = look("elman")
    text = f"<!doctype html><meta charset=utf-8><h1>mine</h1>{page.recording._repr_html_()}"
    (folder / "notebook.html").write_text(text, encoding="utf-8")
    page.driver.get((folder / "notebook.html").as_uri())
    assert page.script("return document.documentElement.dataset.line ?? null") is None
    page.driver.switch_to.frame(page["iframe"])
    start = opening(page.recording)
    page.wait(lambda: page.line == start)
    page.click("#next")
    assert page.line == start + 1
    page.driver.switch_to.default_content()

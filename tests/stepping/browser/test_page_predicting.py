"""Predict, then reveal, in a real browser."""

import numpy as np
import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from pages import close
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

pytestmark = pytest.mark.slow


def answer(page, *texts):
    fields = page.driver.find_elements("css selector", "#prediction-inputs input")
    assert len(fields) == len(texts)
    for field, text in zip(fields, texts, strict=True):
        field.clear()
        field.send_keys(text)
    page.click("#check")
    return page["#prediction-said"].text


def test_predicting_counts_right_and_wrong_answers_and_hides_what_is_to_come(look):
    page = look("elman")
    recording = page.recording
    n = recording.find(name="h")
    page.scrub(n - 1)
    page.click("#predict")
    page.click("#next")
    truth = recording[n].value
    assert set(page.texts("#array")) == {"?"}
    assert "Type a number" in answer(page, "x")
    assert page["#score"].text == "0 of 0 right"
    said = answer(page, str(-truth[0, 0]))
    assert "the sign is the other one" in said and "200 % of the value" in said
    assert f"off by {2 * abs(truth[0, 0]):.3g}" in said
    assert page["#score"].text == "0 of 1 right"
    assert set(page.texts("#array")) == {"?"}
    assert "right" in answer(page, str(truth[0, 0] * 1.001))  # the first answer is the one that counts
    assert page["#score"].text == "0 of 1 right"
    assert close(page.numbers("#array"), truth)
    n = recording.find(n + 1, name="h")
    page.scrub(n)
    page["#array td.hidden:nth-of-type(3)"].click()
    page.settle()
    assert "h[0, 2]" in page["#prediction-inputs"].text
    assert "right" in answer(page, str(recording[n].value[0, 2]).replace(".", ","))
    assert page["#score"].text == "1 of 2 right"
    n = recording.find(recording.turn, name="da")
    page.scrub(n)
    assert not page.shows("#numerical") and set(page.texts("#leaving")) == {"?"}
    page.click("#reveal")
    assert page["#score"].text == "1 of 2 right, 1 shown"
    assert close(page.numbers("#array"), recording[n].value) and page.shows("#numerical")
    page.click("#go-on")
    assert page.line == n + 1
    page.click("#every")
    value = recording[n + 1].value
    said = answer(page, *(repr(x) for x in (value * np.where(np.arange(6) == 4, 10, 1).reshape(2, 3)).ravel().tolist()))
    assert said.count("✓") == 5 and "dh_prev[1, 1]: off by" in said and "the decimal point is 1 to the left" in said
    assert "right" in answer(page, *(repr(x) for x in value.ravel().tolist()))
    page.click("#predict")
    page.scrub(len(recording) - 1)
    assert close(page.numbers("#array"), recording[-1].value)


def test_playing_stops_at_a_line_that_is_to_be_predicted(look):
    page = look("elman")
    page.click("#predict")
    Select(page["#speed"]).select_by_value("500")
    page.click("#play")
    page.wait(lambda: page["#play"].text == "Play" and page.line > 0)
    assert page.line == page.recording.find(name="h")


def test_by_keyboard_one_types_enters_and_goes_on_without_looking_for_the_field(look):
    page = look("elman")
    focus = "return document.activeElement.closest('#prediction-inputs') ? 'field' : document.activeElement.id"
    page.press("b")
    page.press("r")
    page.press("n")
    n = page.line
    assert page.recording[n].kind != "given" and page.script(focus) == "field"
    page.press(repr(float(page.recording[n].value.ravel()[0])), Keys.ENTER)
    page.settle()
    assert "1 of 1 right" in page["#score"].text and page.script(focus) == "go-on"
    page.press(Keys.ENTER)
    assert page.line > n and page.script(focus) == "field"
    page.press(Keys.ESCAPE)
    assert page.script("return document.activeElement === document.body")


def test_a_key_pressed_once_too_often_goes_on_instead_of_into_the_empty_field(look):
    page = look("elman")
    for key in ("b", "r", "n"):
        page.press(key)
    n = page.line
    value = "return document.querySelector('#prediction-inputs input')?.value ?? ''"
    page.press("n")
    assert page.line > n and page.script(value) == ""
    page.press("p")
    assert page.line == n
    page.press("N", "a", "n")
    assert page.line == n and page.script(value) == "Nan"

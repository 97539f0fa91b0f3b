"""The game in a real browser: lines are accused, points are counted, the verdict names the mistake."""

import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from chromium import press, settle
from selenium.webdriver.common.keys import Keys

from tinyrnn.play import bugs

pytestmark = pytest.mark.slow


def accuse(page, k):
    page.find_element("css selector", f'#lines [data-k="{k}"]').click()
    settle(page)


def test_a_whole_set_is_played(look):
    page = look("bugs")
    names = bugs.chosen(0)
    for k, name in enumerate(names):
        one = bugs.make_round(name)
        assert page.find_element("id", "which").text == f"Round {k + 1} of 10"
        assert page.find_element("css selector", f'[data-k="{one.wrong}"]').text.endswith(one.lines[one.wrong][1])
        accuse(page, one.wrong)
        verdict = page.find_element("id", "verdict").text
        assert verdict.startswith("Yes, two points.") and one.mistake.name in verdict and one.right in verdict
        if "_{" in one.mistake.hint:  # its indices are written as such
            assert "_{" not in verdict and page.find_elements("css selector", "#verdict sub")
        press(page, Keys.ENTER)  # the button that goes on has the focus
    assert page.find_element("id", "end-title").text == "20 of 20 points"
    assert "set 0" in page.find_element("id", "link").get_attribute("value")


def test_a_wrong_accusation_gets_a_question_and_another_attempt(look):
    page = look("bugs", "#seed=0")
    one = bugs.make_round(bugs.chosen(0)[0])
    first, second = [k for k in range(len(one.lines) - 1) if k != one.wrong][:2]
    accuse(page, first)
    assert one.mistake.question in page.find_element("id", "verdict").text
    accuse(page, one.wrong)
    assert page.find_element("id", "verdict").text.startswith("Yes, one point.")
    page = look("bugs", "#seed=0")
    accuse(page, first)
    accuse(page, second)
    assert page.find_element("id", "verdict").text.startswith(f"It was line {one.lines[one.wrong][0]}.")
    assert page.find_element("id", "score").text == "0 points"

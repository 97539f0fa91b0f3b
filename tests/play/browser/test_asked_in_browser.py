"""The page "Who asked?" in a real browser: an answer is pressed, and its threads are shown."""

import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from chromium import press, settle
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.slow


def said(page, phase):
    return page.find_element("css selector", f"#{phase} .said").text


def test_an_answer_that_is_pressed_shows_the_inputs_it_looks_at(look):
    page = look("asked", "#t=16")
    assert said(page, "after").startswith("At step 16 it says")
    page.find_element("css selector", '#before [data-t="13"]').click()
    settle(page)
    assert said(page, "before").startswith("At step 14 ") and said(page, "after").startswith("At step 14 ")
    threads = page.find_elements("css selector", "#after .thread")
    assert 3 <= len(threads) <= 14


def test_answers_letters_and_states_can_be_chosen_with_the_keyboard(look):
    page = look("asked")
    page.execute_script("document.querySelector('#before [data-t=\"13\"]').focus()")
    press(page, Keys.ARROW_RIGHT)
    press(page, Keys.ARROW_RIGHT)  # the focus moves along
    assert said(page, "before").startswith("At step 16 ")
    cells = (
        "return [...document.querySelectorAll('#after .cell')].map((cell) => cell.getAttribute('fill-opacity')).join()"
    )
    both = page.execute_script(cells)
    page.execute_script("document.querySelector('[data-part=c]').focus()")
    press(page, Keys.ENTER)
    assert page.execute_script(cells) != both
    page.execute_script("document.querySelector('#letters button').focus()")
    press(page, Keys.ENTER)
    assert page.find_element("css selector", "#after .chip.letter").text == "B"


def test_a_link_leads_to_a_network_a_step_and_letters(look):
    page = look("asked", "#cell=elman&t=15&letters=431")
    assert page.find_element("id", "cell").get_attribute("value") == "elman"
    assert [chip.text for chip in page.find_elements("css selector", "#after .chip.letter")] == ["D", "C", "A"]
    assert said(page, "after").startswith("At step 15 ")

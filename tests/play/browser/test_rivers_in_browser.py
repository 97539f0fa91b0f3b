"""The page of the two rivers in a real browser: it tells its story, obeys the reader's hands, and fits every eye."""

import re

import numpy as np
import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from chromium import press, settle
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tinyrnn.play import rivers

pytestmark = pytest.mark.slow


def arrives(page, side):
    return page.find_element("css selector", f"#{side} .arrives strong").text


def test_the_story_moves_the_page_and_says_what_the_page_shows(look):
    page = look("rivers")
    parts = page.find_elements("css selector", "#parts button")
    assert len(parts) == 6
    said = []
    for part in parts:
        part.click()
        settle(page)
        told = page.find_element("id", "told").text
        said.append(told)
        assert not any(word in told for word in ("undefined", "NaN", "Infinity"))
    assert len(set(said)) == 6
    page.find_elements("css selector", "#parts button")[1].click()
    settle(page)
    assert arrives(page, "top") in page.find_element("id", "told").text
    assert arrives(page, "top").startswith("1 in ") and arrives(page, "bottom").endswith("%")
    parts[3].click()
    settle(page)
    assert arrives(page, "bottom").startswith("1 in ")


def test_everything_can_be_done_with_the_keyboard(look):
    page = look("rivers", "#t=10")
    body = page.find_element("tag name", "body")
    where = page.find_element("id", "where")
    body.send_keys(Keys.ARROW_LEFT)
    assert where.text.startswith("step 9:")
    body.send_keys(Keys.END)
    assert where.text == "step 30: the gradient sets out from the loss"
    body.send_keys(" ")  # plays back: at once where motion is unwelcome
    assert where.text == "step 1: 29 steps back from the loss"
    before = arrives(page, "bottom")
    forget = page.find_element("css selector", '[data-knob="bottom.f"]')
    forget.send_keys(Keys.HOME)
    settle(page)
    assert arrives(page, "bottom") != before and "open 0 %" in forget.get_attribute("aria-valuetext")
    page.execute_script("document.querySelector('[data-flag=loss]').focus()")
    press(page, Keys.ARROW_LEFT)
    press(page, Keys.ARROW_LEFT)  # the flag keeps the focus
    press(page, Keys.TAB)
    body.send_keys(Keys.END)
    assert where.text == "step 28: the gradient sets out from the loss"


def test_a_drag_of_the_input_changes_the_gradient(look):
    page = look("rivers")
    before = page.find_element("css selector", "#top .river").get_attribute("d")
    page.execute_script("document.querySelector('#input .grip').focus()")
    press(page, *[Keys.ARROW_RIGHT] * 24)
    for _ in range(10):  # the input of step 25, up to 1
        press(page, Keys.ARROW_UP)
    assert page.find_element("css selector", "#top .river").get_attribute("d") != before
    grip = page.find_element("css selector", "#input .grip")
    assert grip.get_attribute("aria-valuetext").startswith("step 25: ")
    changed = page.find_element("css selector", "#top .river").get_attribute("d")
    ActionChains(page).move_to_element(grip).click_and_hold().move_by_offset(40, -25).release().perform()
    settle(page)
    assert page.find_element("css selector", "#top .river").get_attribute("d") != changed


def test_a_link_and_a_message_lead_to_a_place(look):
    page = look("rivers", "#top=gru&cell=urnn&t=9&ask=5&top.z=-2")
    assert page.find_element("id", "where").text == "step 9: 21 steps back from the loss"
    assert arrives(page, "bottom") == "100 %"
    assert page.find_element("css selector", '[data-knob="top.z"]').get_attribute("value") == "-2"
    page.execute_script("window.postMessage({ tinyrnn: '#t=20&bottom=lstm' }, '*')")
    settle(page)
    settle(page)
    assert page.find_element("id", "where").text.startswith("step 20:")
    assert page.find_elements("css selector", '[data-knob="bottom.f"]')


def test_forced_colours_keep_rivers_and_beds_apart(look):
    page = look("rivers", forced_colors="active")
    fill = "return getComputedStyle(document.querySelector(arguments[0])).fill"
    assert page.execute_script(fill, "#top .river") != page.execute_script(fill, "#top .bed")


def test_a_wire_leads_to_its_line_and_a_line_to_its_wires(look):
    page = look("rivers", "#t=9")
    lit = "return [...document.querySelectorAll('#cell .tag.lit')].map((tag) => tag.dataset.tag)"
    chosen = "return document.querySelector('#cell [data-line][aria-pressed=true] code').textContent"
    page.execute_script("document.querySelector('[data-tag=f]').focus()")
    press(page, Keys.ENTER)
    assert page.execute_script(chosen) == "f = sigmoid(a_f)" and page.execute_script(lit) == ["f"]
    assert re.search(r"At step 9: f = 0\.\d+, ∂L/∂f = .*\d\.$", page.find_element("id", "wire").text)
    line = (
        "[...document.querySelectorAll('#cell [data-line]')].find((b) => b.textContent.includes(arguments[0])).click()"
    )
    page.execute_script(line, "da = join(")
    settle(page)
    assert set(page.execute_script(lit)) == {"a_i", "a_f", "a_o", "a_g"}
    page.execute_script(line, "dc_prev = dc * f")
    assert page.execute_script(lit) == ["c_prev"]
    assert page.find_element("id", "wire").text.startswith("cells/lstm.py, line ")


def test_the_numbers_on_the_wires_are_those_of_the_scrubbers_step(look):
    cell = rivers.made("lstm", 16, 0)
    rivers.block(cell, "f")[:] = rivers.OPEN
    cell.params["W_h"] = rivers.SCALE * cell.params["W_h"]
    x = np.array(rivers.sequence(30, 0))[:, None, None]
    h, tape = cell.forward(x)
    u = np.random.default_rng(1).normal(size=16)
    dh = np.zeros_like(h)
    dh[-1] = u / np.linalg.norm(u)
    total = cell.backward(dh, tape, record=True).states
    page = look("rivers", "#t=9")
    texts = "[...document.querySelector(`[data-tag=${arguments[0]}]`).children].map((t) => t.textContent.trim())"
    shown = f"return {texts}.map((text) => Number(text.replaceAll('−', '-')))"
    for name in "ifog":
        assert page.execute_script(shown, name)[1] == pytest.approx(tape[name][8, 0, 0], rel=0.05, abs=6e-4)
    assert page.execute_script(shown, "h")[2] == pytest.approx(total["h"][8, 0, 0], rel=0.05, abs=6e-4)
    assert page.execute_script(shown, "c_prev")[2] == pytest.approx(total["c"][7, 0, 0], rel=0.05, abs=6e-4)


@pytest.mark.parametrize("cell", ["elman", "lstm", "gru", "urnn", "lmn"])
def test_every_wire_but_that_of_the_input_tells_its_number_and_its_gradient(look, cell):
    page = look("rivers", f"#cell={cell}&t=9")
    texts = (
        "[...document.querySelectorAll('#cell .tag')].map((tag) => [...tag.children].map((t) => t.textContent.trim()))"
    )
    shown = page.execute_script(f"return {texts}")
    assert len(shown) > 2
    assert all(number and (gradient or name == "x") for name, number, gradient in shown), shown


def test_the_scrubber_says_what_it_shows(look):
    page = look("rivers")
    assert "Elman network (elman): " in page.find_element("id", "scrubber").get_attribute("aria-valuetext")

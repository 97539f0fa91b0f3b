"""The page of the two rivers in a real browser: it tells its story, obeys the reader's hands, and fits every eye."""

import numpy as np
import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from chromium import press, settle
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tinyrnn.play import rivers

pytestmark = pytest.mark.slow
# The contrast of each text with what is behind it, by WCAG 2.2, for all that is seen; the lowest, with its text.
CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
}
const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
function behind(element) {
  for (let e = element; e; e = e.parentElement) {
    const found = rgba(getComputedStyle(e).backgroundColor);
    if (found[3] === 255) return found;
  }
  return [255, 255, 255];
}
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
  if (!text || !e.getClientRects().length || e.closest("script, :disabled, .unseen")) continue;
  const style = getComputedStyle(e), a = light(rgba(e.closest("svg") ? style.fill : style.color)), b = light(behind(e));
  found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), text]);
}
return found.sort(([a], [b]) => a - b)[0];
"""

NAME = "e.ariaLabel || e.textContent.trim() || e.closest('label')?.textContent.trim()"


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


@pytest.mark.parametrize("width", [1400, 1024, 700, 390])  # 700: 1400 at 200 %
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window_and_can_be_read(look, width, scheme):
    page = look("rivers", width=width, prefers_color_scheme=scheme)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    ratio, text = page.execute_script(CONTRAST)
    assert ratio >= 4.5, text


def test_forced_colours_keep_rivers_and_beds_apart(look):
    page = look("rivers", forced_colors="active")
    fill = "return getComputedStyle(document.querySelector(arguments[0])).fill"
    assert page.execute_script(fill, "#top .river") != page.execute_script(fill, "#top .bed")


def test_what_moves_has_a_name_for_those_who_do_not_see_it(look):
    page = look("rivers")
    nameless = f"return [...document.querySelectorAll(arguments[0])].filter((e) => !({NAME})).map((e) => e.outerHTML)"
    assert page.execute_script(nameless, "input, select, button, [role=slider], [role=img]") == []
    scrubber = page.find_element("id", "scrubber")
    assert "Elman network (elman): " in scrubber.get_attribute("aria-valuetext")


def test_a_wire_leads_to_its_line_and_a_line_to_its_wires(look):
    page = look("rivers", "#t=9")
    lit = "return [...document.querySelectorAll('#cell .tag.lit')].map((tag) => tag.dataset.tag)"
    chosen = "return document.querySelector('#cell [data-line][aria-pressed=true] code').textContent"
    page.execute_script("document.querySelector('[data-tag=f]').focus()")
    press(page, Keys.ENTER)
    assert page.execute_script(chosen) == "f = sigmoid(a_f)" and page.execute_script(lit) == ["f"]
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

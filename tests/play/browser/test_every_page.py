"""Every kind of page in a real browser: for every eye and ear, small, and still where motion is unwelcome."""

import time

import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from chromium import emulate, settle, violations
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

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
const contains = (a, b) => a.top <= b.top && a.bottom >= b.bottom && a.left <= b.left && a.right >= b.right;
function behind(element) {
  const box = element.closest("svg") && element.parentElement.querySelector(":scope > rect");
  const at = element.getBoundingClientRect();
  const fill = box && rgba(getComputedStyle(box).fill), around = box?.getBoundingClientRect();
  if (box && fill[3] > 200 && contains(around, at)) return fill;
  for (let e = element; e; e = e.parentElement) {
    const found = rgba(getComputedStyle(e).backgroundColor);
    if (found[3] > 200) return found;
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

NAME = "e.ariaLabel || e.textContent.trim() || e.labels?.[0]?.textContent.trim() || e.value"
TABBED = "a[href], button, input, select, summary, iframe, [tabindex='0']"
SEEN = """(e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0"""
FOCUS = f"""
const all = [...document.querySelectorAll("{TABBED}")].filter({SEEN}), e = document.activeElement;
const {{ outlineStyle, outlineWidth }} = getComputedStyle(e);
const outline = e.tagName === "IFRAME" || (outlineStyle !== "none" && outlineWidth !== "0px");
return {{ which: all.indexOf(e), outline, what: e.outerHTML.slice(0, 120) }};
"""
MOST_ELEMENTS = 3000  # what a browser lays out within a fraction of a second
PAGES = ("rivers", "asked", "bugs", "index", "lecture", "cell", "foreign", "lines")
WIDTHS = (1400, 1024, 700, 390)  # 700: 1400 at 200 %
SCHEMES = ("light", "dark")


def pictures(page):
    """The different pictures that are seen within half a second or more."""
    end, seen = time.monotonic() + 0.5, set()
    while time.monotonic() < end:
        seen.add(page.get_screenshot_as_png())
    return seen


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_every_window_and_can_be_read_in_light_and_dark(look, name):
    page = look(name)
    for width in WIDTHS:
        for scheme in SCHEMES:
            emulate(page, width, prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
            settle(page)
            assert page.execute_script("return document.documentElement.scrollWidth") <= width, (width, scheme)
            ratio, text = page.execute_script(CONTRAST)
            assert ratio >= 4.5, (text, width, scheme)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_in_forced_colours(look, name, scheme):
    page = look(name, prefers_color_scheme=scheme, forced_colors="active")
    ratio, text = page.execute_script(CONTRAST)
    assert ratio >= 4.5, text
    assert violations(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_small_and_begins_with_little_work(look, pages, name):
    """Work, not time, is counted, so that a busy machine fails nothing: what is read and what is drawn."""
    assert pages[name].stat().st_size < 500_000
    page = look(name)
    elements = page.execute_script("return document.querySelectorAll('*').length")
    assert elements < MOST_ELEMENTS, elements
    resources = page.execute_script("return performance.getEntriesByType('resource').map((r) => r.name)")
    assert all(name == "lecture" and "rivers.html" in resource for resource in resources), resources


@pytest.mark.parametrize("name", PAGES)
def test_nothing_moves_where_motion_is_unwelcome(look, name):
    page = look(name, height=2400)
    assert len(pictures(page)) == 1
    assert page.execute_script("return document.getAnimations().length") == 0


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_play_goes_back_step_by_step_but_at_once_where_motion_is_unwelcome(look, motion):
    page = look("rivers", "#t=30", height=2400, prefers_reduced_motion=motion)
    page.find_element("id", "play").click()
    settle(page)
    is_still = len(pictures(page)) == 1
    arrived = page.find_element("id", "where").text.startswith("step 1:")
    assert (is_still, arrived) == ((True, True) if motion == "reduce" else (False, False))


@pytest.mark.parametrize("name", PAGES)
def test_all_that_can_be_pressed_is_reached_by_tab_and_seen_to_be(look, name):
    page = look(name)
    page.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
    expected = page.execute_script(f"return [...document.querySelectorAll({TABBED!r})].filter({SEEN}).length")
    reached = set()
    for _ in range(expected):
        ActionChains(page).send_keys(Keys.TAB).perform()
        found = page.execute_script(FOCUS)
        assert found["outline"], found
        reached.add(found["which"])
    assert len(reached) == expected


@pytest.mark.parametrize("name", PAGES)
def test_what_can_be_moved_has_a_name_for_those_who_do_not_see_it(look, name):
    page = look(name)
    seen = "[...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility())"
    nameless = f"return {seen}.filter((e) => !({NAME})).map((e) => e.outerHTML)"
    assert page.execute_script(nameless, "input, select, button, [role=slider], [role=img], [role=button]") == []


@pytest.mark.parametrize("name", [name for name in PAGES if name != "lines"])  # which has no script
def test_light_becomes_dark_and_back(look, name):
    page = look(name)
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = page.execute_script(paper)
    page.find_element("id", "theme").click()
    assert page.execute_script(paper) != light and page.find_element("id", "theme").text == "Light"
    page.find_element("id", "theme").click()
    assert page.execute_script(paper) == light


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_against_a_page(look, name, width, scheme):
    page = look(name, width=width, prefers_color_scheme=scheme)
    assert violations(page) == []

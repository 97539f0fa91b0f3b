"""The lecture of the gallery in a real browser: what is read moves the page in the frame."""

import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = pytest.mark.slow


def test_the_section_that_is_read_moves_the_rivers(look):
    page = look("lecture", width=1400)
    frame = page.find_element("tag name", "iframe")
    sections = len(page.find_elements("css selector", "[data-go]"))
    places = []
    for k in range(sections):
        page.execute_script("document.querySelectorAll('[data-go]')[arguments[0]].focus()", k)
        page.switch_to.frame(frame)
        wanted = {0: "step 30:", 1: "step 22:"}.get(k, "step 3:")
        shows = lambda driver, wanted=wanted: driver.find_element("id", "where").text.startswith(wanted)  # noqa: E731
        WebDriverWait(page, 10).until(shows)
        assert not page.find_element("css selector", "header").is_displayed()  # the frame has the rivers alone
        places.append([strong.text for strong in page.find_elements("css selector", ".arrives strong")])
        page.switch_to.default_content()
    assert places[2][1] == "25 %" and places[2][0].startswith("1 in ")

"""A page of each kind of the site in a real browser: quiet, within the window, and readable for everybody."""

import pytest

pytest.importorskip("selenium", reason="selenium is missing: pip install 'tinyrnn[browser]'")
from chromium import emulate, settle, violations

pytestmark = pytest.mark.slow
SHORT = (
    "index",
    "lectures/cells",
    "lectures/02_one_step_back",
    "lectures/13_from_sequence_to_sequence",
    "lectures/14_fast_and_long",
    "homework/index",
    "search",
)  # axe takes its time
LONG = ("lectures/06_gates", "lectures/by_hand", "mistakes", "api")


@pytest.fixture
def look(built, driver):
    """look(name, width, scheme) opens a page of the site; in the end the console must be empty."""
    driver.get_log("browser")  # what another page said

    def opened(name, width, scheme):
        emulate(driver, width, prefers_color_scheme=scheme)
        driver.get((built / f"{name}.html").as_uri())
        settle(driver)
        return driver

    yield opened
    assert driver.get_log("browser") == []


@pytest.mark.parametrize("name", [*SHORT, *LONG])
def test_a_page_fits_its_window_and_is_quiet(look, name):
    for width, scheme in ((1400, "light"), (390, "dark")):
        assert look(name, width, scheme).execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.sample(7)
@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
@pytest.mark.parametrize("name", SHORT)
def test_axe_finds_nothing_serious_against_a_page(look, name, width, scheme):
    assert violations(look(name, width, scheme), ("serious", "critical")) == []

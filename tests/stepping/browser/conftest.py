"""A headless Chromium, driven by Selenium; where there is none, the tests are skipped.

After each test the console of the page must be empty.
"""

import shutil

import pytest

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    # nothing is to be looked for on the network
    *("--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is missing: pip install 'tinyrnn[browser]'")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    chromedriver = shutil.which("chromedriver")
    if not (chromium and chromedriver):
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    made.set_script_timeout(60)
    yield made
    made.quit()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture
def look(driver, folder):
    """look(name) opens the page of a recording; the `Page`. The console is looked at in the end."""
    from pages import Page

    yield lambda name, **size: Page(driver, folder, name, **size)
    assert driver.get_log("browser") == []

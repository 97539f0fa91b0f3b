"""A headless Chromium, driven by Selenium; where there is none, the tests that ask for it are skipped."""

import shutil
from importlib.resources import files

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
    made.set_script_timeout(110)
    yield made
    made.quit()


def emulate(driver, width=1280, height=850, **media):
    """A window of that size; media: features such as prefers_color_scheme="dark", forced_colors="active"."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    chosen = {
        "prefers_color_scheme": "light",
        "forced_colors": "none",
        "prefers_reduced_motion": "no-preference",
        **media,
    }
    features = [{"name": name.replace("_", "-"), "value": value} for name, value in chosen.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def settle(driver):
    """Wait until all that was asked for has been drawn."""
    frames = "requestAnimationFrame(() => requestAnimationFrame(() => done()))"
    driver.execute_async_script(f"const done = arguments[0]; {frames}")


def press(driver, *keys):
    """Press keys for whatever has the focus, be it a shape in a picture, which has no send_keys of its own."""
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(driver).send_keys(*keys).perform()
    settle(driver)


def violations(driver, impacts=("minor", "moderate", "serious", "critical")):
    """What axe-core has to say against the page that is open: (rule, impact, where) for each, of these impacts."""
    reason = "axe-core is missing: pip install 'tinyrnn[browser]'"
    folder = files(pytest.importorskip("axe_playwright_python", reason=reason))
    driver.execute_script(folder.joinpath("axe.min.js").read_text("utf-8"))
    run = (
        "const done = arguments[0]; axe.run(document, { iframes: false, preload: false }).then((found) => done(found))"
    )
    found = driver.execute_async_script(run)["violations"]
    return [(v["id"], v["impact"], [n["target"] for n in v["nodes"]][:5]) for v in found if v["impact"] in impacts]

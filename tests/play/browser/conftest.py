"""Every kind of page in a headless Chromium. After each test the console of the page must be empty."""

from pathlib import Path

import pytest
from chromium import emulate, settle

from tinyrnn.commands.main import main
from tinyrnn.play.asking import asking_page
from tinyrnn.play.bugs_page import bugs_page
from tinyrnn.play.gallery import index, lecture
from tinyrnn.play.page import write
from tinyrnn.play.rivers import rivers_page

PAGES = {
    "rivers": rivers_page,
    "asked": lambda: asking_page(updates=20, progress=False),
    "index": lambda: index(["elman", "lstm"], True, 0),
    "lecture": lecture,
    "bugs": lambda: bugs_page(sets=1, progress=False),
}
WRONG = str(Path(__file__).parents[3] / "lectures" / "wrong_lstm.py")
COMMANDS = {
    "cell": ["step", "lstm", "--time", "20"],
    "foreign": ["step", WRONG],
    "lines": ["lines", WRONG],
}
SHOWN = "const { ready, line } = document.documentElement.dataset; return ready ?? line ?? !document.scripts.length"


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """name -> path of the page."""
    folder = tmp_path_factory.mktemp("play")
    for name, make in PAGES.items():
        write(folder / f"{name}.html", make())
    for name, command in COMMANDS.items():
        main([*command, "--html", str(folder / f"{name}.html")])
    return {name: folder / f"{name}.html" for name in (*PAGES, *COMMANDS)}


@pytest.fixture
def look(driver, pages):
    """look(name, address, width=…, prefers_color_scheme=…) opens a page, and returns the driver when it has drawn."""

    def opened(name, address="", **how):
        emulate(driver, **{"prefers_reduced_motion": "reduce", **how})
        driver.get("about:blank")
        driver.get(pages[name].as_uri() + address)
        settle(driver)
        assert driver.execute_script(SHOWN)
        return driver

    yield opened
    assert driver.get_log("browser") == []

"""The pages of recordings in a headless Chromium. After each test the console of the page must be empty."""

import pytest


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture
def look(driver, folder):
    """look(name) opens the page of a recording; the `Page`. The console is looked at in the end."""
    from pages import Page

    yield lambda name, **size: Page(driver, folder, name, **size)
    assert driver.get_log("browser") == []

"""Wrong lines that are not accused yet, or another one for them: expected failures, each of which must still fail."""

import pytest

COPY = "an edit of a line further down does as well, and what is there to be copied is explained as it is"
WORSE = {
    "test_known_mistakes.py": {
        "test_a_planted_mistake_is_accused_on_its_line_and_named[phases]": COPY  # one of its mistakes
    },
}


def pytest_collection_modifyitems(items):
    for item in items:
        if why := WORSE.get(item.path.name, {}).get(item.name):
            item.add_marker(pytest.mark.xfail(reason=why, strict=True, raises=AssertionError))

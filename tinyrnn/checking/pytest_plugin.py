"""What pytest finds when this package is installed: the fixture `assert_gradients`."""

import pytest


@pytest.fixture
def assert_gradients():
    """`tinyrnn.assert_gradients`, imported when it is asked for."""
    from tinyrnn.checking.testing import assert_gradients

    return assert_gradients

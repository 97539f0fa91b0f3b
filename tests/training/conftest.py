"""What the tests of training share."""

import pytest


@pytest.fixture(autouse=True)
def quick_picture(monkeypatch):
    """No learning curve, which takes longer than all the rest of a tiny run; tests/commands look at a real one."""
    monkeypatch.setattr("tinyrnn.training.plots.plot_curve", lambda path, *rest: path.write_bytes(b"a picture"))

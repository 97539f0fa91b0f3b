"""The gradient check in tests: `tinyrnn.assert_gradients`, and a fixture of that name for pytest.

def test_my_layer(assert_gradients):
    assert_gradients(forward, backward, (x, W, b))
"""

from typing import Any

from tinyrnn.checking.gradcheck import gradcheck


def assert_gradients(*what: Any, allow: tuple = (), **options: Any) -> Any:
    """Check gradients as `tinyrnn.gradcheck` does; AssertionError with the whole report unless all are right.

    what, options: its arguments. allow: kinds of notices that are no failure; of those that are one, `in place`,
    `cache`, `state`, `accumulated`, `buffer` and `batch mixed`, none is allowed unless it is named. Returns the report.
    """
    __tracebackhide__ = True
    report = gradcheck(*what, progress=True, **options)
    bad = [n for n in getattr(report, "notices", ()) if n.kind in FAILURES and n.kind not in allow]
    if not report.ok or bad:
        besides = "".join(f"\nnot allowed: {notice.kind} (allow=({notice.kind!r},) if it is meant)" for notice in bad)
        raise AssertionError(f"{report}{besides}")
    return report


FAILURES = ("in place", "cache", "state", "accumulated", "buffer", "batch mixed")

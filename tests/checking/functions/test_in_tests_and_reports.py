"""The check in other people's tests, and what a report can be turned into."""

import importlib.metadata
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import tinyrnn as tr

X = np.array([0.3, 0.0, -0.2])


def relu(x):
    return np.maximum(x, 0).sum()


def test_assert_gradients_passes_and_returns_the_report():
    assert tr.assert_gradients(np.sin, np.cos, 1.0).ok


def test_its_failure_is_the_whole_report():
    with pytest.raises(
        AssertionError, match=r"(?s)wrong: x \(sign\).*gradient of +verdict.*its sign is wrong everywhere"
    ):
        tr.assert_gradients(lambda x: np.sin(x).sum(), lambda x: -np.cos(x), X)


def test_what_is_noticed_fails_unless_it_is_allowed():
    def careless(dout, x):
        dout *= 2 * x
        return dout

    with pytest.raises(AssertionError, match="not allowed: in place"):
        tr.assert_gradients(lambda x: x**2, careless, X)
    assert tr.assert_gradients(lambda x: x**2, careless, X, allow=("in place",))


def test_the_fixture_reads_well_in_a_failing_test(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import numpy as np\n"
        "def test_right(assert_gradients):\n    assert_gradients(np.sin, np.cos, 1.0)\n"
        "def test_wrong(assert_gradients):\n    assert_gradients(np.sin, np.sin, 1.0)\n",
        encoding="utf-8",
    )
    plugin = "tinyrnn.checking.pytest_plugin"
    installed = plugin in {point.value for point in importlib.metadata.entry_points(group="pytest11")}
    options = ["-q", "-p", "no:cacheprovider", *([] if installed else ["-p", plugin])]
    own = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    run = [sys.executable, "-m", "pytest", *options, "test_it.py"]
    done = subprocess.run(run, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout
    assert "AssertionError: sin: wrong: x" in done.stdout
    assert "testing.py" not in done.stdout  # the traceback ends where the test is


def test_json_has_all_of_it_and_no_infinities():
    report = tr.gradcheck(relu, lambda x: np.where(x > 0, np.nan, 0.0), X)
    made = json.loads(report.to_json())
    assert made["verdict"] == "wrong"
    assert made["rows"][0]["argument"] == "x"
    assert made["rows"][0]["analytic"] is None
    assert made["rows"][0]["kind"] == "not finite"


def test_the_page_of_a_notebook_is_escaped():
    report = tr.gradcheck({"<b>": X} and (lambda p: (p["<b>"] ** 2).sum()), lambda p: {"<b>": p["<b>"]}, {"<b>": X})
    page = report._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>:" not in page


def test_the_picture_has_a_curve_and_a_map_for_each_array(tmp_path):
    report = tr.gradcheck(relu, lambda x: (x > 0) * 2.0, X)
    figure = report.plot(tmp_path / "errors.svg")
    assert len(figure.axes) == 3  # curve, map, and the map's scale
    assert (tmp_path / "errors.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")
    with pytest.raises(ValueError, match="no picture can be written"):
        report.plot(tmp_path / "errors.xyz")


def test_large_arrays_are_sampled_and_what_can_be_missed_is_said():
    x = np.random.default_rng(0).normal(size=20_000)

    def wrong(x):
        gradient = np.cos(x)
        gradient[12_345] *= 1.5
        return gradient

    right = tr.gradcheck(lambda x: np.sin(x).sum(), np.cos, x, entries=50)
    assert right.ok
    assert right.rows[0].checked <= 50
    assert any("cannot be missed" in note and "probability of 99.7" in note for note in right.notes)
    report = tr.gradcheck(lambda x: np.sin(x).sum(), wrong, x, entries=50)
    assert report.verdict == "wrong"
    assert report.wrong[0].index == (12_345,)
    assert report.wrong[0].how[0].startswith("only entry [12345] is wrong: all that is left agrees along 6 random")
    assert "20000, 6 directions" in str(report)


def halved(where):
    """The gradient of a sum of sines with some entries halved."""

    def gradient(x):
        found = np.cos(x)
        found[where] *= 0.5
        return found

    return gradient


WRONG_PLACES = {
    "a row": ((150, 200), np.s_[77], "one slice", "only number 77 along axis 0 is wrong"),
    "the last column": ((150, 200), np.s_[:, -1], "one slice", "only the last along axis 1 is wrong"),
    "a range": ((30_000,), np.s_[500:1500], "block", "only entries 500 to 1499 are wrong"),
    "a gate": ((100, 400), np.s_[:, 100:200], "block", "only 100 to 199 along axis 1 are wrong"),
    "a rectangle": (
        (150, 200),
        np.s_[3:9, 40:60],
        "block",
        "only 3 to 8 along axis 0, 40 to 59 along axis 1 are wrong",
    ),
    "two entries": ((30_000,), [5, 29_000], "some entries", "entry [5]"),
    "a stride": ((30_000,), np.s_[::997], "some entries", "and more are wrong"),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("what", WRONG_PLACES)
def test_of_a_large_array_is_said_how_far_it_is_wrong(what):
    shape, where, kind, words = WRONG_PLACES[what]
    x = np.random.default_rng(0).normal(size=shape)
    (row,) = tr.gradcheck(lambda x: np.sin(x).sum(), halved(where), x, entries=50).wrong
    assert row.kind == kind and words in row.how[0]
    if kind in ("one slice", "block"):
        assert row.how[0].endswith("all that is left agrees along 6 random directions")
        assert row.how[1] == "there it is 0.5 times what it should be everywhere"


def test_many_errors_none_of_which_can_be_seen_alone_are_no_single_entry():
    x = np.random.default_rng(0).normal(size=20_000)
    report = tr.gradcheck(lambda x: float(1e4 + np.sin(x).sum()), lambda x: np.cos(x) + 3e-8, x, entries=50)
    assert report.verdict == "wrong" and "many small errors add up" in report.wrong[0].how[0]


def test_some_hundred_calls_do_for_an_array_of_any_size():
    x = np.random.default_rng(0).normal(size=200_000)
    calls = []

    def loss(x):
        calls.append(1)
        return float(np.sum(np.tanh(x)))

    (row,) = tr.gradcheck(loss, lambda x: 1 - np.tanh(x) ** 2, x, entries=30).rows
    assert row.verdict == "right" and row.checked == 30 and row.directions == 6
    assert len(calls) < 320


def test_progress_is_shown_on_request(capsys):
    tr.gradcheck(lambda x: np.sin(x).sum(), np.cos, X, progress=True)
    assert capsys.readouterr().err == ""

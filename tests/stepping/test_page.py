"""The page of a recording, as text: that it is whole, safe and small. What it does is tested in browser/."""

import html
import json
import re
from importlib.resources import files

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.stepping.page import SCRIPTS, frame, page, write_page


@pytest.fixture(scope="module")
def recording():
    return tr.trace(tr.Elman(2, 3, rng=0), T=3, B=2)


def embedded(text):
    """The JSON that a browser finds in the page: all up to the first end of the script."""
    return json.loads(re.search(r'<script type="application/json" id="recording">(.*?)</script', text, re.S)[1])


def test_the_page_holds_the_whole_recording_with_six_digits(recording):
    found, whole = embedded(page(recording)), recording.to_json()
    numbers = ("arrays", "triangle")
    assert {k: v for k, v in found.items() if k not in numbers} == {k: v for k, v in whole.items() if k not in numbers}
    assert len(found["arrays"]) == len(whole["arrays"])
    for (shape, *parts), (expected_shape, *expected) in zip(found["arrays"], whole["arrays"], strict=True):
        assert shape == expected_shape
        np.testing.assert_allclose(np.array(parts), np.array(expected), rtol=1e-5, atol=0)
    np.testing.assert_allclose(found["triangle"]["norms"], whole["triangle"]["norms"], rtol=1e-5, atol=0)


@pytest.mark.slow
def test_the_page_of_fifty_steps_is_smaller_than_500_kB():
    assert len(page(tr.trace(tr.LSTM(2, 3, rng=0), T=50, B=2)).encode()) < 500_000


def test_nothing_is_fetched_from_anywhere(recording):
    text = page(recording)
    assert not re.search(r"https?:|src=|href=|@import|url\(", text)
    assert "default-src 'none'" in text


def test_a_hostile_title_and_source_stay_text(recording):
    nasty = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)> [[recording]] & \u2028"
    data = json.loads(json.dumps(recording.to_json()))
    data["title"] = nasty
    data["notes"] = [nasty]
    data["sources"][0]["text"][0] += f"  # {nasty}"
    text = page(tr.Recording.from_json(data))
    found = embedded(text)
    assert all(found[key] == data[key] for key in ("title", "notes", "sources"))
    assert text.count("<script") == text.count("</script") == 2
    assert "<!--" not in text and "<img" not in text
    assert f"<title>{html.escape(nasty)}</title>" in text


def test_numbers_that_are_not_finite_survive():
    x = np.full((2, 1, 2), np.nan)
    recording = tr.trace(tr.Elman(2, 3, rng=0), x, numerical=False, triangle=False)
    kept = [[isinstance(x, str) and x for x in numbers] for _, numbers in recording.to_json()["arrays"]]
    shown = [[isinstance(x, str) and x for x in numbers] for _, numbers in embedded(page(recording))["arrays"]]
    assert shown == kept and any("nan" in numbers for numbers in kept)


def test_every_script_of_the_folder_is_put_in_once(recording):
    folder, text = files("tinyrnn.stepping").joinpath("page"), page(recording)
    names = {entry.name.removesuffix(".js") for entry in folder.iterdir() if entry.name.endswith(".js")}
    assert names == set(SCRIPTS)
    for name in SCRIPTS:
        assert text.count(folder.joinpath(f"{name}.js").read_text(encoding="utf-8")) == 1
    assert not re.search(r"\[\[\w+\]\]", text)


def test_the_page_of_an_lstm_of_8_units_over_20_steps_is_under_2_mb():
    recording = tr.trace(tr.LSTM(2, 8, rng=0), T=20, B=2, numerical=[19, 0])
    assert len(page(recording).encode()) < 1.5e6  # with few numerical gradients; all of them add 0.2 MB


def test_a_file_is_written_in_one_move(recording, tmp_path):
    write_page(recording, tmp_path / "a.html", start=5)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page(recording, start=5)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]
    with pytest.raises(ValueError, match="there is no folder"):
        write_page(recording, tmp_path / "none" / "a.html")


def test_a_notebook_shows_the_page_in_a_frame(recording):
    shown = recording._repr_html_()
    inner = re.fullmatch(r'<iframe title="[^"]+" style="[^"]+" srcdoc="([^"]*)"></iframe>', shown)
    assert html.unescape(inner[1]) == page(recording)


def test_a_notebook_is_spared_a_page_that_is_too_long(recording, monkeypatch):
    monkeypatch.setattr("tinyrnn.stepping.page.LARGEST_FRAME", 1000)
    assert "write_page" in frame(recording) and "iframe" not in frame(recording)


def test_the_command_writes_a_page_that_opens_at_a_place(recording, tmp_path, capsys):
    saved, out = tmp_path / "a.json", tmp_path / "a.html"
    recording.save(saved)
    assert main(["step", str(saved), "--html", str(out), "--until", "backward"]) == 0
    assert capsys.readouterr().out == f"page: {out}\n"
    assert f'data-start="{recording.turn}"' in out.read_text(encoding="utf-8")


def test_the_command_says_that_there_is_no_such_folder(tmp_path, capsys):
    assert main(["step", "elman", "--html", str(tmp_path / "none" / "a.html")]) != 0
    assert capsys.readouterr().err.strip().endswith(f"--html: there is no folder {tmp_path / 'none'}")

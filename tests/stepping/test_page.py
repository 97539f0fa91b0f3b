"""The page of a recording, as text: that it is whole, safe and small. What it does is tested in browser/."""

import base64
import html
import json
import math
import re
import zlib
from importlib.resources import files

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.stepping.page import SCRIPTS, frame, page, write_page
from tinyrnn.stepping.places import opening


@pytest.fixture(scope="module")
def recording():
    return tr.trace(tr.Elman(2, 3, rng=0), T=3, B=2)


def embedded(text):
    """The recording that a browser finds in the page, as its JSON form; numbers that are not finite are floats."""
    packed = re.search(r'<script type="text/plain" id="recording">(.*?)</script', text, re.S)[1]
    whole = zlib.decompress(base64.b64decode(packed, validate=True), -15)
    stop = 4 + int.from_bytes(whole[:4], "little")
    data = json.loads(whole[4:stop])
    planes = np.frombuffer(whole[stop:], "u1").reshape(4, -1)
    upper = sum(plane.astype("u8") << np.uint64(8 * k) for k, plane in enumerate(planes))
    numbers = iter((upper << np.uint64(32)).view("f8").tolist())
    data["arrays"] = [
        [shape, *([next(numbers) for _ in range(math.prod(shape))] for _ in range(parts))] if parts else [shape, None]
        for shape, parts in data["arrays"]
    ]
    assert next(numbers, None) is None
    return data


def arrays_of(data):
    """The arrays of a recording in the places where it has their indices."""

    def array(index):
        return None if index < 0 else data["arrays"][index]

    def named(indices):
        return {name: array(index) for name, index in indices.items()}

    steps = [[named(step[what]) for what in ("arriving", "leaving", "running")] for step in data["steps"]]
    columns = [[array(index) for index in data["events"][column]] for column in ("value", "numerical")]
    results = data["results"]
    return [
        *(*columns, steps, named(data["params"])),
        *(array(results["inputs"]), [array(index) for index in results["state"]], named(results["params"])),
    ]


def flat(nested):
    """The numbers of nested lists and dicts, of which a text is one too, and None is -1."""
    if isinstance(nested, list | dict):
        for inner in nested.values() if isinstance(nested, dict) else nested:
            yield from flat(inner)
    else:
        yield -1.0 if nested is None else float(nested)


def test_the_page_holds_the_whole_recording_with_six_digits(recording):
    found, whole = embedded(page(recording)), recording.to_json()
    packed = ("arrays", "triangle", "events", "steps", "params", "results")
    assert {k: v for k, v in found.items() if k not in packed} == {k: v for k, v in whole.items() if k not in packed}
    for column in ("site", "layer", "t", "wrong"):
        assert found["events"][column] == whole["events"][column]
    np.testing.assert_allclose([*flat(arrays_of(found))], [*flat(arrays_of(whole))], rtol=6e-6, atol=0)
    square = found["arrays"][found["triangle"]["norms"]]
    np.testing.assert_allclose(square[1], np.ravel(whole["triangle"]["norms"]), rtol=5e-5, atol=0)


@pytest.mark.slow
def test_the_page_of_two_hundred_steps_is_smaller_than_500_kB():
    assert len(page(tr.trace(tr.LSTM(2, 3, rng=0), T=200, B=2)).encode()) < 500_000


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


def test_numbers_that_are_not_finite_and_very_small_ones_survive():
    x = np.full((2, 1, 2), np.nan)
    data = tr.trace(tr.Elman(2, 3, rng=0), x, numerical=False, triangle=False).to_json()
    data["arrays"][data["events"]["value"][0]] = [[6], ["inf", "-inf", "nan", 1e-300, -2.5e300, 1.23456e-9]]
    found = arrays_of(embedded(page(tr.Recording.from_json(data))))[0]
    np.testing.assert_allclose(found[0][1], [float(x) for x in arrays_of(data)[0][0][1]], rtol=5e-7, atol=0)
    assert np.isnan([*flat(found)]).any()


def test_every_array_is_there_once_and_a_gradient_that_agrees_is_its_numerical_one(recording):
    found, whole = embedded(page(recording)), recording.to_json()
    assert len({repr(array) for array in found["arrays"]}) == len(found["arrays"]) < len(whole["arrays"])
    events = found["events"]
    compared = [(v, n) for v, n in zip(events["value"], events["numerical"], strict=True) if n >= 0]
    assert compared and all(v == n for v, n in compared)


def test_a_gradient_that_differs_keeps_its_numerical_one(recording):
    data = json.loads(json.dumps(recording.to_json()))
    n = next(n for n, index in enumerate(data["events"]["numerical"]) if index >= 0)
    shape, numbers = data["arrays"][data["events"]["numerical"][n]]
    data["arrays"].append([shape, [x * (1 + 1e-4) for x in numbers]])
    data["events"]["numerical"][n] = len(data["arrays"]) - 1
    found = embedded(page(tr.Recording.from_json(data)))
    np.testing.assert_allclose(
        found["arrays"][found["events"]["numerical"][n]][1], data["arrays"][-1][1], rtol=6e-6, atol=0
    )
    assert found["events"]["numerical"][n] != found["events"]["value"][n]


def test_every_script_of_the_folder_is_put_in_once(recording):
    folder, text = files("tinyrnn.stepping").joinpath("page"), page(recording)
    names = {entry.name.removesuffix(".js") for entry in folder.iterdir() if entry.name.endswith(".js")}
    assert names == set(SCRIPTS)
    for name in SCRIPTS:
        assert text.count(folder.joinpath(f"{name}.js").read_text(encoding="utf-8")) == 1
    assert not re.search(r"\[\[\w+\]\]", text)


def test_the_page_of_an_lstm_of_8_units_over_20_steps_is_under_400_kB():
    recording = tr.trace(tr.LSTM(2, 8, rng=0), T=20, B=2, numerical=[19, 0])
    assert len(page(recording).encode()) < 400_000


def test_a_file_is_written_in_one_move(recording, tmp_path):
    write_page(recording, tmp_path / "a.html", start=5)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page(recording, start=5)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]
    with pytest.raises(ValueError, match="there is no folder"):
        write_page(recording, tmp_path / "none" / "a.html")


def test_a_notebook_shows_the_page_in_a_frame(recording):
    shown = recording._repr_html_()
    inner = re.fullmatch(r'<iframe title="[^"]+" style="[^"]+" srcdoc="([^"]*)"></iframe>', shown)
    assert html.unescape(inner[1]) == page(recording, opening(recording))


def test_a_notebook_is_spared_a_page_that_is_too_long(recording, monkeypatch):
    monkeypatch.setattr("tinyrnn.stepping.page.LARGEST_FRAME", 1000)
    assert "write_page" in frame(recording) and "iframe" not in frame(recording)


def test_the_command_writes_a_page_that_opens_at_a_place(recording, tmp_path, capsys):
    saved, out = tmp_path / "a.json", tmp_path / "a.html"
    recording.save(saved)
    assert main(["step", str(saved), "--html", str(out), "--until", "backward"]) == 0
    assert capsys.readouterr().out == f"page: {out}\n"
    assert f'data-start="{recording.turn}"' in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(("options", "name"), [([], "da"), (["--until", "t=2"], "x")])
def test_the_page_of_the_command_opens_where_the_gradient_sets_out(recording, tmp_path, options, name):
    saved, out = tmp_path / "a.json", tmp_path / "a.html"
    recording.save(saved)
    assert main(["step", str(saved), "--html", str(out), *options]) == 0
    event = recording[int(re.search(r'data-start="(\d+)"', out.read_text(encoding="utf-8"))[1])]
    assert (event.name, event.t, event.kind == "given") == (name, 2, bool(options))


def test_the_command_says_that_there_is_no_such_folder(tmp_path, capsys):
    assert main(["step", "elman", "--html", str(tmp_path / "none" / "a.html")]) != 0
    assert capsys.readouterr().err.strip().endswith(f"--html: there is no folder {tmp_path / 'none'}")

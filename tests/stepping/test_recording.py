"""The JSON form of a recording: what is written is what the form's description says, and nothing else is read."""

import copy
import json
import math
import re

import numpy as np
import pytest
from planted import student

import tinyrnn as tr
from tinyrnn.checking.probe import ragged_mask
from tinyrnn.stepping import recording as form
from tinyrnn.stepping.recording import Recording

NETWORKS = {
    "cell": lambda: tr.trace(tr.LSTM(2, 3, rng=0), T=3, numerical=True),
    "student": lambda: tr.trace(student(), T=3),
    "layers": lambda: tr.trace(
        tr.Bidirectional(tr.Elman(2, 2, rng=0), tr.GRU(2, 2, rng=1)), T=3, mask=ragged_mask(np, 3, 2)
    ),
    "model": lambda: tr.trace(tr.Model(tr.GRU(2, 3, rng=0), tr.Readout(3, 4, rng=1)), T=3, steps=(1, 3)),
    "derived": lambda: tr.trace(tr.UnitaryRNN(2, 4, rng=0), T=2, largest=8),
}


@pytest.fixture(scope="module", params=NETWORKS)
def recording(request):
    return NETWORKS[request.param]()


@pytest.fixture(scope="module")
def small():
    return tr.trace(tr.Elman(2, 2, rng=0), T=2)


# the form ---------------------------------------------------------------------------------------------------------


@pytest.mark.few(2)
def test_every_key_of_the_form_is_described_and_every_key_described_is_there(recording):
    text = form.__doc__.split("version 1;")[1].split("Numbers have")[0]
    keys = {key for names in re.findall(r"^    (\w+(?:, \w+)*)  ", text, flags=re.M) for key in names.split(", ")}
    assert set(recording.to_json()) == keys


@pytest.mark.few(2)
def test_a_recording_has_the_described_form(recording):
    data = json.loads(json.dumps(recording.to_json(), allow_nan=False))  # no NaN, no arrays, no other objects
    assert (data["format"], data["version"]) == ("tinyrnn-recording", 1)
    count, arrays = len(data["events"]["site"]), len(data["arrays"])
    assert set(data["events"]) == {"site", "layer", "t", "value", "numerical", "wrong"}
    assert all(len(column) == count for column in data["events"].values())
    assert 0 < data["turn"] < count
    for source in data["sources"]:
        assert set(source) == {"function", "file", "first", "text"} and "/" not in source["file"]
        assert all("\n" not in line for line in source["text"])
    for number, line, name, kind, reads in data["sites"]:
        assert all(isinstance(own, str) for own in reads)
        source = data["sources"][number]
        assert name.isidentifier() and kind in ("given", "assigned", "added", "changed")
        assert 0 <= line - source["first"] < len(source["text"])
    for layer in data["layers"]:
        assert set(layer) == {"name", "cell", "states", "reversed"}
    if data["mask"] is not None:
        assert np.array(data["mask"]).shape == (data["T"], data["B"])
    for step in data["steps"]:
        assert set(step) == {"layer", "t", "arriving", "leaving", "running"}
        used = [k for what in ("arriving", "leaving", "running") for k in step[what].values()]
        assert all(0 <= k < arrays for k in used)
    assert set(data["results"]) == {"inputs", "state", "params"}
    for shape, *parts in data["arrays"]:
        assert len(parts) in (1, 2)
        assert all(part is None or len(part) == math.prod(shape) for part in parts)


def test_steps_go_backwards_in_time_for_each_layer(recording):
    for layer in range(len(recording.layers)):
        times = [step["t"] for step in recording.steps if step["layer"] == layer]
        assert times and times == sorted(times, reverse=True)


def test_what_is_saved_is_read_again(recording, tmp_path):
    file = tmp_path / "folder" / "recording.json"
    recording.save(file)
    again = Recording.load(file)
    assert again.to_json() == recording.to_json()
    assert [event[:9] for event in again] == [event[:9] for event in recording]


def test_numbers_that_are_not_finite_are_kept_as_text(tmp_path):
    cell = tr.Elman(2, 2, rng=0, activation="identity")
    x = np.array([[[np.inf, 1.0]], [[np.nan, -1.0]]])
    recording = tr.trace(cell, x, numerical=False, triangle=False)
    recording.save(tmp_path / "r.json")
    json.loads((tmp_path / "r.json").read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    event = next(event for event in Recording.load(tmp_path / "r.json") if event.name == "x")
    np.testing.assert_array_equal(event.value, x[:1])


def test_complex_arrays_are_kept_in_two_parts():
    array = np.array([1 + 2j, -3j])
    assert form.rounded(array) == [[1, 0], [2, -3]]
    np.testing.assert_array_equal(form.as_array([[[2], *form.rounded(array)]], 0), array)


# damage -----------------------------------------------------------------------------------------------------------


def put(*path, value):
    def damage(data):
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return damage


def drop(*path):
    def damage(data):
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return damage


DAMAGE = {
    "another format": put("format", value="PNG"),
    "a later version": put("version", value=2),
    "no version": drop("version"),
    "no T": drop("T"),
    "T is text": put("T", value="3"),
    "T is true": put("T", value=True),
    "events are a list": put("events", value=[]),
    "a column is missing": drop("events", "wrong"),
    "a column is shorter": drop("events", "t", -1),
    "a column is a number": put("events", "t", value=3),
    "one column more": put("events", "more", value=[]),
    "a site beyond the last": put("events", "site", 0, value=999),
    "a negative site": put("events", "site", 0, value=-1),
    "a time beyond the last": put("events", "t", 0, value=2),
    "a layer beyond the last": put("events", "layer", 0, value=1),
    "an array beyond the last": put("events", "value", 0, value=10**6),
    "an accusation beyond the last": put("events", "wrong", 0, value=1),
    "a fraction": put("events", "value", 0, value=0.5),
    "text among indices": put("events", "value", 0, value="x"),
    "a list among indices": put("events", "value", 0, value=[1]),
    "a huge index": put("events", "value", 0, value=10**30),
    "the turn beyond the end": put("turn", value=10**6),
    "a site of no source": put("sites", 0, 0, value=99),
    "a site of a line beyond its source": put("sites", 0, 1, value=10**6),
    "a site with three entries": lambda data: data["sites"].insert(0, data["sites"].pop(0)[:3]),
    "a site that reads numbers": put("sites", 0, 4, value=[3]),
    "a site that reads a text": put("sites", 0, 4, value="x"),
    "a site that is a number": put("sites", 0, value=3),
    "a site in no line at all": put("sites", 0, 1, value=None),
    "a name that is a number": put("sites", 0, 2, value=3),
    "a source without text": drop("sources", 0, "text"),
    "a source's line is a number": put("sources", 0, "text", 0, value=3),
    "an array with too few numbers": drop("arrays", 0, 1, -1),
    "an array without a shape": put("arrays", 0, value=[]),
    "an array of text": put("arrays", 0, 1, 0, value="many"),
    "an array of lists": put("arrays", 0, 1, 0, value=[1.0]),
    "a shape of text": put("arrays", 0, 0, value="ab"),
    "a layer without states": drop("layers", 0, "states"),
    "a layer that is text": put("layers", 0, value="LSTM"),
    "a step without gradients": drop("steps", 0, "arriving"),
    "a step whose array is beyond the last": put("steps", 0, "arriving", "h", value=10**6),
    "a step whose gradients are a list": put("steps", 0, "running", value=[]),
    "an accusation without text": put("accusations", value=[[0]]),
    "a known mistake without a question": put("accusations", value=[[0, "wrong", {"name": "this"}]]),
    "a result beyond the last array": put("results", "params", "W_x", value=10**6),
    "no results of parameters": drop("results", "params"),
    "a mask of another shape": put("mask", value=[[1]]),
    "a triangle of another shape": put("triangle", "norms", value=[[1.0]]),
    "a triangle of a part that there is not": put("triangle", "others", value={"q": [[1.0]]}),
    "a triangle that is text": put("triangle", value="no"),
    "no triangle": drop("triangle"),
    "parameters that are a list": put("params", value=[]),
    "notes that are no text": put("notes", value=[3]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_recording_is_refused_in_one_line(damage, small, tmp_path):
    data = copy.deepcopy(small.to_json())
    DAMAGE[damage](data)
    assert data != small.to_json()
    with pytest.raises(ValueError, match=r"this is|the recording is damaged") as caught:
        Recording.from_json(data)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '"text"', "null", '{"format": 3}', "\x00", "\xff"])
def test_a_file_that_is_no_recording_is_refused_in_one_line_that_names_it(text, tmp_path):
    file = tmp_path / "r.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"r\.json") as caught:
        Recording.load(file)
    assert "\n" not in str(caught.value)


# looking for something --------------------------------------------------------------------------------------------


def test_events_are_found_by_what_they_are(recording):
    for n in (0, recording.turn, len(recording) - 1):
        event = recording[n]
        found = recording.find(n, name=event.name, t=event.t, layer=event.layer)
        assert found == n
    assert recording.find(name="nothing") is None
    last = recording[recording.find(len(recording) - 1, name="h", step=-1)]
    assert last.name == "h" and not any(event.name == "h" for event in list(recording)[last.number + 1 :])


def test_thresholds_are_for_gradients_that_a_line_makes(small):
    sizes = {e.number: abs(e.value).max() for e in small if e.backward and e.kind != "given"}
    limit = float(np.median(list(sizes.values())))
    assert small.find(above=limit) == min(n for n, size in sizes.items() if size > limit)
    assert small.find(below=limit) == min(n for n, size in sizes.items() if size < limit)
    assert small.find(above=1e9) is None


def test_the_first_value_that_is_not_finite_is_found():
    x = np.ones((3, 1, 2))
    x[1, 0, 0] = np.nan
    recording = tr.trace(tr.Elman(2, 2, rng=0), x, numerical=False, triangle=False)
    first = recording[recording.find(nan=True)]
    assert (first.name, first.t, first.backward) == ("x", 1, False)


def test_numbers_count_from_the_end_too_and_end_somewhere(small):
    assert small[-1].number == len(small) - 1 == list(small)[-1].number
    with pytest.raises(IndexError, match="no number"):
        small[len(small)]

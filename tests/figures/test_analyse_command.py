"""The frame of the analyses: what a run leaves behind, what is said of all, and which networks can be looked at."""

import csv
import inspect
import json
from dataclasses import replace
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.commands.main import main
from tinyrnn.figures import ANALYSES
from tinyrnn.figures.entry import plain, write_csv
from tinyrnn.training.networks import network, single
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

PAGE = Path(__file__).parents[2] / "lectures" / "analyses.md"


def test_the_page_in_the_lectures_is_what_the_command_prints(capsys):
    assert main(["analyse", "list"]) == 0
    assert capsys.readouterr().out == PAGE.read_text("utf-8"), (
        "make it anew: tinyrnn analyse list > lectures/analyses.md"
    )


@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis_says_what_it_shows_and_explains_its_options(name):
    analysis = ANALYSES[name]
    assert analysis.title and analysis.source and analysis.look
    assert not analysis.title.endswith(".")  # it is put into sentences
    hints = get_type_hints(analysis.run, include_extras=True)
    for parameter in inspect.signature(analysis.run).parameters.values():
        assert parameter.default is not parameter.empty
        assert hints[parameter.name].__metadata__[0]


def test_a_run_leaves_a_picture_the_numbers_and_the_curves(tmp_path, capsys):
    assert main(["analyse", "powers", "--steps", "5", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert (tmp_path / "powers.png").read_bytes()[:4] == b"\x89PNG"
    json.loads((tmp_path / "powers.json").read_text())
    tables = list(tmp_path.glob("powers-*.csv"))
    assert tables
    for table in tables:
        header, *rows = csv.reader(table.read_text().splitlines())
        assert rows and {len(row) for row in rows} == {len(header)}
        assert str(table) in said


def test_all_goes_on_where_data_are_missing_and_says_so(tmp_path, capsys, monkeypatch):
    def without_data():
        raise FileNotFoundError("train-images is not there")

    few = {"nothing": replace(ANALYSES["powers"], run=without_data), "powers": ANALYSES["powers"]}
    monkeypatch.setattr("tinyrnn.commands.analyse.ANALYSES", few)
    assert main(["analyse", "all", "--out", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "nothing: left out: train-images is not there" in err
    assert "1 analyses" in out and (tmp_path / "powers.json").exists()


def test_numbers_become_those_of_json_and_what_is_not_finite_becomes_text():
    value = {"a": np.float32(0.5), 2: (np.int64(3), np.nan, -np.inf), "z": 1 + 2j, "m": np.eye(2), "t": np.bool_(True)}
    wanted = {"a": 0.5, "2": [3, "nan", "-inf"], "z": {"re": 1.0, "im": 2.0}, "m": [[1.0, 0.0], [0.0, 1.0]], "t": True}
    assert plain(value) == wanted
    json.dumps(plain(value), allow_nan=False)


def test_columns_of_different_lengths_are_no_table(tmp_path):
    with pytest.raises(ValueError):
        write_csv(tmp_path / "x.csv", {"a": [1, 2], "b": [1]})


# networks to look at ------------------------------------------------------------------------------------------------


def test_a_cell_is_made_of_the_size_asked_for():
    found = network("gru", input_size=3, hidden_size=7, rng=1)
    assert (found.layers.name, found.layers.input_size, found.layers.hidden_size) == ("GRU", 3, 7)
    assert found.fresh and single(found) is found.layers
    assert found.inputs(4, 2).shape == (4, 2, 3)


@pytest.mark.parametrize("make", [lambda: tr.LSTM(2, 3), lambda: tr.Stack(tr.GRU(2, 3), tr.LSTM(3, 4))])
def test_an_object_is_taken_as_it_is(make):
    layers = make()
    assert network(layers).layers is layers


@pytest.mark.slow
def test_a_run_is_its_trained_model_in_double_precision_with_its_task(tmp_path):
    settings = Settings(task="adding", task_options={"steps": 6}, cell="lstm", hidden=4, updates=2, batch=3)
    Trainer(settings, tmp_path / "run").run(progress=False)
    found = network(str(tmp_path / "run"))
    trained = tr.interop.load(tmp_path / "run" / "model.safetensors")
    assert found.task.name == "adding" and not found.fresh
    assert found.layers.dtype == np.float64
    for name, value in found.model.params.items():
        np.testing.assert_array_equal(value, trained.params[name])


def test_a_saved_network_and_one_of_ones_own_are_found(tmp_path):
    cell = tr.LMN(2, 3, rng=0)
    tr.interop.save(tmp_path / "cell.safetensors", cell)
    np.testing.assert_array_equal(
        network(str(tmp_path / "cell.safetensors")).layers.params["W_hm"], cell.params["W_hm"]
    )
    (tmp_path / "mine.py").write_text("import tinyrnn as tr\n\n\ndef make():\n    return tr.GRU(2, 3, rng=0)\n")
    assert network(f"{tmp_path}/mine.py:make").layers.name == "GRU"


@pytest.mark.parametrize(
    ("what", "complaint"),
    [
        ("lsmt", "'lsmt' is no cell, run or file"),
        ("{}/mine.py", "say which cell in it"),
        ("{}/mine.py:other", "defines no 'other'"),
        ("{}/mine.py:number", "number is no cell, layers or Model, but of type int"),
        ("{}", "holds no run"),
        ("{}/none.py:make", "there is no file"),
    ],
)
def test_what_is_no_network_is_refused_in_one_line(tmp_path, what, complaint):
    (tmp_path / "mine.py").write_text("number = 3\n")
    with pytest.raises((ValueError, FileNotFoundError), match=complaint) as error:
        network(what.format(tmp_path))
    assert "\n" not in str(error.value)


def test_an_encoder_decoder_is_refused_in_one_line(tmp_path):
    pair = tr.EncoderDecoder(tr.GRU(3, 4, rng=0), tr.GRU(5, 4, rng=1), tr.Readout(4, 5, rng=2))
    tr.interop.save(tmp_path / "pair.safetensors", pair)
    with pytest.raises(ValueError, match="pair is no cell, layers or Model, but of type EncoderDecoder"):
        network(str(tmp_path / "pair.safetensors"))


def test_only_a_single_cell_will_do_where_one_is_looked_at():
    with pytest.raises(ValueError, match="a single cell, not at Stack"):
        single(network(tr.Stack(tr.GRU(2, 3), tr.LSTM(3, 4))))

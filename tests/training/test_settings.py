"""The settings of a run: the network that they describe, and what is refused before anything is written."""

import dataclasses
import re

import numpy as np
import pytest

from tinyrnn.commands.main import main
from tinyrnn.core.files import read_json, write_json
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import LEAST, Settings, as_json, build, settings_of
from tinyrnn.training.trainer import Trainer


def test_the_network_is_what_the_settings_say():
    settings = Settings(
        task_options={"delay": 5},
        cell="gru",
        layers=2,
        bidirectional=True,
        pool=4,
        hidden=6,
        cell_options={"clip_state": 2.0},
    )
    task, model = build(settings)
    assert [layer.name for layer in model.layers.layers] == ["Bidirectional", "Bidirectional"]
    assert [c.clip_state for layer in model.layers.layers for c in layer.layers] == [2.0] * 4
    assert (model.readout.input_size, model.readout.size, model.readout.output_size) == (12, 4, task.output_size)
    other = build(dataclasses.replace(settings, seed=1))[1]
    assert not np.array_equal(model.params["readout.W"], other.params["readout.W"])


@pytest.mark.parametrize("name", LEAST)
def test_a_number_that_no_run_can_have_is_refused(name):
    for wrong in LEAST[name] - 1, float("nan"), float("inf"):
        with pytest.raises(ValueError, match=f"^{name} must be at least {LEAST[name]}, got"):
            Settings(**{name: wrong})
    assert getattr(Settings(**{name: LEAST[name]}), name) == LEAST[name]


WRONG_SETTINGS = {
    "task": ({"task": "sort"}, "unknown task 'sort'; choose from copy, "),
    "cell": ({"cell": "transformer"}, "unknown cell 'transformer'; choose from elman, "),
    "optimiser": ({"optimiser": "adamw"}, "unknown optimiser 'adamw'; choose from sgd, "),
    "schedule": ({"schedule": "up"}, "unknown schedule 'up'; choose from constant, "),
    "dtype": ({"dtype": "float16"}, "dtype must be float32 or float64, got 'float16'"),
    "cell option": ({"cell_options": {"peepholes": True}}, "lstm has no option 'peepholes'; choose from forget_bias, "),
    "size as a cell option": ({"cell_options": {"input_size": 3}}, "lstm has no option 'input_size'; choose from"),
    "dtype as a cell option": ({"cell_options": {"dtype": "float64"}}, "lstm has no option 'dtype'; choose from"),
    "value of a cell option": ({"cell_options": {"clip_state": "big"}}, "^lstm: '>' not supported"),
    "optimiser option": ({"optimiser_options": {"rho": 1}}, "adam has no option 'rho'; choose from beta1, beta2, eps"),
    "rate as an optimiser option": ({"optimiser_options": {"lr": 1}}, "adam has no option 'lr'; choose from"),
    "value of an optimiser option": ({"optimiser_options": {"beta1": 2}}, "^adam: beta1 must be at least"),
}


@pytest.mark.parametrize("case", WRONG_SETTINGS)
def test_a_wrong_setting_is_an_error_of_one_line_before_anything_is_written(case, tmp_path):
    changes, message = WRONG_SETTINGS[case]
    with pytest.raises(ValueError, match=message) as error:
        Trainer(Settings(**{"task_options": {"delay": 5}, **changes}), tmp_path / "run")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()


def written(folder, **changes):
    """A `RunFolder` whose settings.json holds default settings with changes; None leaves out."""
    content = as_json(Settings()) | changes
    write_json(folder / "settings.json", {name: value for name, value in content.items() if value is not None})
    return RunFolder(folder)


def test_settings_come_back_from_their_file(tmp_path):
    settings = Settings(task="adding", task_options={"steps": 9}, regularisers={"tar": 2.0}, lr=0.1)
    write_json(tmp_path / "settings.json", as_json(settings))
    assert settings_of(RunFolder(tmp_path)) == settings
    assert read_json(tmp_path / "settings.json")["version"] == 1


def test_settings_from_before_there_were_versions_are_read(tmp_path):
    assert settings_of(written(tmp_path, format=None, version=None, workers=None)) == Settings()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"gone_option": 3},
            "has the setting 'gone_option', which this tinyrnn does not know: another version wrote it",
        ),
        ({"version": 2}, "has version 2 of the format tinyrnn-run; this tinyrnn knows them up to 1"),
        ({"format": "tinyrnn-recording"}, "is of the format 'tinyrnn-recording', not 'tinyrnn-run'"),
        ({"hidden": "many"}, "is damaged: '<=' not supported"),
        ({"updates": 0}, "is damaged: updates must be at least 1, got 0"),
    ],
)
def test_foreign_newer_and_unknown_settings_are_said_in_one_line(changes, message, tmp_path, capsys):
    run = written(tmp_path, **changes)
    with pytest.raises(ValueError, match=re.escape(f"{run.settings} {message}")) as error:
        settings_of(run)
    assert "\n" not in str(error.value)
    assert main(["train", "--resume", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_settings_that_are_no_dict_are_said_in_one_line(tmp_path):
    (tmp_path / "settings.json").write_text("[1]")
    with pytest.raises(ValueError, match=r"settings\.json is no tinyrnn-run file: it holds a list$"):
        settings_of(RunFolder(tmp_path))


def test_an_option_that_the_task_has_not_is_said_in_one_line():
    with pytest.raises(ValueError, match=r"^unknown option of copy 'gone'; choose from .*delay"):
        build(Settings(task_options={"gone": 1}))


def test_a_run_without_a_checkpoint_says_that_it_begins_again(tmp_path, capsys):
    settings = Settings(task_options={"delay": 3, "length": 2}, hidden=2, batch=2, updates=2)
    write_json(tmp_path / "settings.json", as_json(settings))
    assert main(["train", "--resume", str(tmp_path)]) == 0
    assert "has no checkpoint yet: the run begins again at update 0" in capsys.readouterr().err

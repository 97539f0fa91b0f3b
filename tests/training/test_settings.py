"""The settings of a run: the network that they describe, and what is refused before anything is written."""

import dataclasses

import numpy as np
import pytest

from tinyrnn.training.settings import LEAST, Settings, build
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

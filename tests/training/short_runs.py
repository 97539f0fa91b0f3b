"""Short training runs, and whether two of them are the same."""

from safetensors.numpy import load_file

from tinyrnn.core.files import read_json
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import Settings
from tinyrnn.training.trainer import Trainer

OPTIMISERS = {
    "adam": {},
    "rmsprop, arjovsky": {"optimiser": "rmsprop"},
    "rmsprop, keras": {"optimiser": "rmsprop", "optimiser_options": {"variant": "keras"}},
    "rmsprop, torch": {"optimiser": "rmsprop", "optimiser_options": {"variant": "torch"}},
    "momentum": {"optimiser": "sgd", "optimiser_options": {"momentum": 0.9}},
    "plain sgd": {"optimiser": "sgd"},
}


def tiny(updates=30, **changes):
    """A copy run with checkpoints every 5 updates: a few milliseconds an update."""
    return Settings(
        **{
            **{"task": "copy", "task_options": {"delay": 5, "length": 3}, "cell": "lstm", "hidden": 8, "batch": 4},
            **{"updates": updates, "schedule": "cosine", "log_every": 3, "save_every": 5},
            **changes,
        }
    )


def finished(settings, folder):
    """The folder after an uninterrupted run."""
    Trainer(settings, folder).run(progress=False)
    return folder


def checkpoint(folder):
    """(step, arrays): weights, constants and the optimiser's state."""
    record = read_json(folder / "checkpoint.json")
    return record["step"], load_file(folder / record["arrays"])


def assert_same_run(folder, reference):
    """Same final weights and optimiser state to the bit; same log, each row once and in order; same result."""
    (step, arrays), (reference_step, reference_arrays) = checkpoint(folder), checkpoint(reference)
    assert step == reference_step
    assert arrays.keys() == reference_arrays.keys()
    for name, value in reference_arrays.items():
        assert arrays[name].dtype == value.dtype and arrays[name].tobytes() == value.tobytes(), name
    assert without_seconds(RunFolder(folder).rows()) == without_seconds(RunFolder(reference).rows())
    assert without_seconds([read_json(folder / "result.json")]) == without_seconds(
        [read_json(reference / "result.json")]
    )
    assert sorted(p.name for p in folder.iterdir()) == sorted(p.name for p in reference.iterdir())


def without_seconds(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]

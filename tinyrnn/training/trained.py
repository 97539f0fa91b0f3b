"""The network of a run, as its newest checkpoint has it."""

from dataclasses import replace

from tinyrnn.core.files import read_json
from tinyrnn.nn.saving import fill
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import Settings, build


def trained(folder, **changes):
    """(settings, task, model) of the run in `folder`; changes: settings to be built with instead, such as dtype.

    Raises FileNotFoundError where there is no run, and ValueError for a checkpoint that is damaged.
    """
    run = RunFolder(folder)
    if not run.settings.exists():
        raise FileNotFoundError(f"{folder} holds no run: there is no settings.json")
    settings = replace(Settings(**read_json(run.settings)), **changes)
    task, model = build(settings)
    record, arrays = run.load_checkpoint()
    own = {name: array for name, array in arrays.items() if name.startswith(("params/", "constants/"))}
    fill(model, own, record["arrays"])
    return settings, task, model

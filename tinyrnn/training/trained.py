"""The network of a run, as its newest checkpoint has it."""

from dataclasses import replace

from tinyrnn.nn.saving import fill
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import build, settings_of


def trained(folder, **changes):
    """(settings, task, model) of the run in `folder`; changes: settings to be built with instead, such as dtype.

    Raises FileNotFoundError where there is no run, and ValueError for a checkpoint that is damaged.
    """
    run = RunFolder(folder)
    settings = replace(settings_of(run), **changes)
    task, model = build(settings)
    record, arrays = run.load_checkpoint()
    own = {name: array for name, array in arrays.items() if name.startswith(("params/", "constants/"))}
    fill(model, own, record["arrays"])
    return settings, task, model

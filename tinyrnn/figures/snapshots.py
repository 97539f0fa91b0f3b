"""Networks as they are before, during and after a short training, for the analyses that look at one in each state.

Cells of the package are trained by the trainer, as Arjovsky, Shah & Bengio did; what comes from a file or a run is
shown as it stands.
"""

from collections import Counter
from dataclasses import fields, replace
from typing import NamedTuple

from tinyrnn.core.progress import Bar
from tinyrnn.core.threads import matrix_threads
from tinyrnn.nn.heads import Readout
from tinyrnn.nn.layers import cells_and_tapes
from tinyrnn.nn.losses import find_loss
from tinyrnn.nn.model import Model
from tinyrnn.nn.saving import fill, named_arrays
from tinyrnn.tasks import TASKS
from tinyrnn.training.networks import network
from tinyrnn.training.settings import Settings, build, pick
from tinyrnn.training.trainer import Diverged, Trainer

AS_IT_STANDS = "as it stands"
UNCLIPPED = ("urnn", "urnn-full", "urnn-naive")
PEEPHOLE = "lstm-output-matrix is that cell, lstm has no peepholes"
PAPER = {"batch": 20, "optimiser": "rmsprop", "lr": 1e-3}


class Snapshot(NamedTuple):
    """A model in double precision; when: "before training", "after 50 updates" or `AS_IT_STANDS`; its task."""

    label: str
    when: str
    model: Model
    task: object


def snapshots(networks, task, updates, hidden, seed=0):
    """A `Snapshot` of each network after each of these numbers of updates, or of what is not to be trained, just one.

    networks: what `tinyrnn.training.networks.network` takes. task: settings of the task, {"task": name, "task_options":
    dict}. updates: numbers, 0 for before training. hidden: units, one number for all or a tuple with one for each.
    Raises ValueError if a network does not fit the task, or diverges.
    """
    if not updates or min(updates) < 0:
        raise ValueError(f"updates must be one or more numbers of at least 0, got {updates}")
    own, sizes = task_of(task), hidden if isinstance(hidden, tuple) else (hidden,)
    if len(sizes) not in (1, len(networks)):
        raise ValueError(f"hidden must be one number or one for each of {len(networks)} networks, got {len(sizes)}")
    sizes = dict(zip(networks, sizes if len(sizes) == len(networks) else len(networks) * sizes, strict=True))
    todo = {
        what: network(what, own.input_size, sizes[what], seed) for what in networks
    }  # complain before training begins
    ready = {what: None if found.fresh else as_it_stands(found, own) for what, found in todo.items()}
    named = Counter(found.label for found in todo.values())
    for what, found in todo.items():
        if found.fresh:
            yield from of_training(found.label, task, updates, sizes[what], seed)
        else:  # two runs whose folders have the same name are told apart by the whole path
            yield ready[what]._replace(label=found.label if named[found.label] == 1 else str(what))


def task_of(task):
    """The task that settings (a dict with task and task_options) name; ValueError if there is none of that name."""
    return pick(TASKS, task["task"], "task")(**task["task_options"])


def of_training(cell, task, updates, hidden, seed):
    """Yields a `Snapshot` of a cell, in double precision, after each of the numbers of updates."""
    last = max(updates)
    clip = {} if cell in UNCLIPPED else {"clip_value": 1.0}
    settings = Settings(**task, **PAPER, **clip, cell=cell, hidden=hidden, updates=max(last, 1), seed=seed)
    trainer = Trainer(settings, folder=None)
    with matrix_threads(1), Bar(total=last, desc=cell, unit="update", leave=False) as bar:
        for update in range(last + 1):
            if update in updates:
                when = f"after {update} update{'s' * (update > 1)}" if update else "before training"
                yield Snapshot(cell, when, doubled(settings, trainer.model), trainer.task)
            if update < last:
                advance(trainer)
                bar.update()


def advance(trainer):
    """One update; ValueError instead of `Diverged`, for it is the choice of cell and task that does not do."""
    try:
        trainer.update()
    except Diverged as error:
        raise ValueError(f"{trainer.settings.cell}: {error}") from None


def doubled(settings, model):
    """A copy of the model in double precision, in which a gradient may fall below 1e-38 and still be seen."""
    _, copy = build(replace(settings, dtype="float64", compiled=False))
    fill(copy, named_arrays(model), "the copy")
    return copy


def as_it_stands(found, task):
    """A `Snapshot` of what is not trained here; a cell without a readout gets a new one for the task."""
    model, task = found.model, found.task or task
    if model is None:
        layers = found.layers
        if layers.input_size != task.input_size:
            needs = f"the {task.name} task has {task.input_size}"
            raise ValueError(f"{found.label} takes {layers.input_size} inputs, {needs}")
        readout = Readout(layers.output_size, task.output_size, rng=0, dtype=layers.dtype)
        model = Model(layers, readout, loss=task.loss, at=task.readout)
    elif not found.task:
        sizes = model.input_size, model.readout.output_size, model.loss, model.at
        if sizes != (task.input_size, task.output_size, find_loss(task.loss), task.readout):
            raise ValueError(f"{found.label} is a model for another task than {task.name}")
    return Snapshot(found.label, AS_IT_STANDS, model, task)


def outputs(layers):
    """Names of the states that are outputs, one a cell, as `Gradients.states` calls them."""
    return [f"{prefix}{cell.states[0]}" for prefix, cell, _ in cells_and_tapes(layers, None)]


def lengthened(task, steps):
    """The task over so many steps, where that is its to choose; a copy task's delay is what is chosen there."""
    names = {setting.name for setting in fields(task)}
    if "steps" in names:
        return replace(task, steps=steps)
    return replace(task, delay=steps, total=None) if "delay" in names else task


def timed(task, steps):
    """Settings of the adding or copy task with T = `steps`, the delay of the copy task; ValueError for another one."""
    if task not in ("adding", "copy"):
        raise ValueError(f"task must be adding or copy, got {task!r}")
    return {"task": task, "task_options": {"steps" if task == "adding" else "delay": steps}}

"""What functions are called with in public cases, and what the master answers. For trusted code only: what runs here
runs in this process, which is where points are given; a submission's functions never do."""

import contextlib
import copy
import io

import numpy as np

from tinyrnn.grading.compare import split
from tinyrnn.grading.task import Source


def public_inputs(exercise, task, k):
    """The keyword arguments of public case k of a task (`Task`), the same on every machine: a dict."""
    index = list(exercise.tasks).index(task.name)
    return task.case(np.random.default_rng([exercise.number, index, k]))


def answer(module, task, inputs):
    """What the function of the task's name in `module` gives for the inputs: output name -> array or whatever it is.

    The function gets a copy of the inputs, with `Source` texts evaluated. Its own exceptions go through; ValueError if
    what it returns is not made of the task's outputs.
    """
    with contextlib.redirect_stdout(io.StringIO()):  # masters may print as students do
        returned = getattr(module, task.name)(**evaluated(copy.deepcopy(inputs)))
    return by_name(task, returned)


def by_name(task, value):
    """What was returned, as a dict: output name -> part. ValueError in a line if it has not the parts asked for."""
    parts, problem = split(task.outputs, value)
    missing = [name for name in task.outputs if name not in parts]
    if problem or missing:
        raise ValueError(f"{task.name}: {problem or 'there is no ' + ', '.join(missing)}")
    return parts


def evaluated(value):
    """The arguments with every `Source` replaced by the function it stands for."""
    if isinstance(value, Source):
        return eval(value.text, {"np": np})
    if isinstance(value, dict):
        return {key: evaluated(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(evaluated(entry) for entry in value)
    return value

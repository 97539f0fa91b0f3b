"""What functions are called with in public cases, and what the master answers. For trusted code only: what runs here
runs in this process, which is where points are given; a submission's functions never do."""

import ast
import contextlib
import copy
import io
import warnings

import numpy as np

from tinyrnn.grading.compare import split
from tinyrnn.grading.signatures import project
from tinyrnn.grading.task import Hidden, Source


def public_inputs(exercise, task, k):
    """The keyword arguments of public case k of a task (`Task`), the same on every machine: a dict."""
    index = list(exercise.tasks).index(task.name)
    return task.case(np.random.default_rng([exercise.number, index, k]))


def smallest_inputs(exercise, task):
    """The keyword arguments of the public case that has the fewest entries."""
    every = [public_inputs(exercise, task, k) for k in range(task.number)]
    return min(every, key=lambda inputs: sum(np.size(value) for value in inputs.values()))


def hidden_inputs(exercise, task, words):
    """Yields the keyword arguments of every hidden case of a task: those of the public kind first, then what its
    `Hidden` adds. words: whole numbers that the cases are drawn from."""
    index, own = list(exercise.tasks).index(task.name), exercise.hidden.get(task.name, Hidden())
    generators = [task.case] * task.number
    for case in own.case if isinstance(own.case, tuple) else (own.case,) if own.case else ():
        generators += [case] * (task.number if own.number is None else own.number)
    if own.large is not None:
        generators.append(own.large)
    for k, generator in enumerate(generators):
        yield generator(np.random.default_rng([*words, index, k]))


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


def expected(exercise):
    """What the master answers in public cases: f"{task}/{k}/{output}" -> array. Of tasks that are judged there is no
    single right answer, and the master's would give one away: they are left out."""
    arrays = {}
    for task in exercise.tasks.values():
        for k in range(task.number if task.judge is None else 0):
            for output, value in answer(exercise.master, task, public_inputs(exercise, task, k)).items():
                name = f"{task.name}/{k}/{output}"
                arrays[name] = np.asarray(value)
                if arrays[name].dtype.kind not in "fiubcU":
                    raise ValueError(f"the master's {name} is no array of numbers, and no text")
    return arrays


def projected(exercise, task, module):
    """Projections of what a module answers in the public cases of a task: output -> (public cases, 4)."""
    rows = {output: [] for output in task.outputs}
    for k in range(task.number):
        inputs = public_inputs(exercise, task, k)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # mistakes overflow and average nothing: that is what they do
                found = answer(module, task, inputs)
        except Exception:
            return {}  # a mistake that raises is told by what it raises
        for output, value in found.items():
            rows[output].append(project(value))
    return {output: np.array(each) for output, each in rows.items() if all(row is not None for row in each)}


def mistaken(text, mistake):
    """The master's text with a known mistake (`Mistake`) made in it. ValueError if it cannot be made there."""
    if text.count(mistake.old) != mistake.times:
        raise ValueError(
            f"mistake {mistake.name}: {mistake.old!r} stands in the master {text.count(mistake.old)} times, "
            f"not {mistake.times}"
        )
    changed = text.replace(mistake.old, mistake.new)
    try:
        ast.parse(changed)
    except SyntaxError as error:
        raise ValueError(f"mistake {mistake.name} does not compile: line {error.lineno}: {error.msg}") from None
    return changed

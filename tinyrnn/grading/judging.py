"""What is said of one returned value: by a task's judge, or by comparison with the master's answer."""

import numpy as np

from tinyrnn.grading.compare import compare, split
from tinyrnn.grading.task import Finding
from tinyrnn.grading.wording import clean


def judged(task, judge, returned, inputs, expected):
    """One `Finding` for each output, in their order, whatever was returned."""
    if judge is None:
        return compare(task.outputs, returned, expected, task.tolerance, inputs, task.axis)
    parts, problem = split(task.outputs, returned)
    if not problem:
        problem = next((f"{name} was not returned" for name in task.outputs if name not in parts), "")
        problem = problem or next((said for name in task.outputs if (said := junk(name, parts[name]))), "")
    if problem:
        return [Finding(name, False, problem) for name in task.outputs]
    try:
        with np.errstate(all="ignore"):
            found = {finding.output: finding for finding in judge(returned, inputs)}
    except Exception as error:  # judges take what is right, and say what is wrong; this is neither
        problem = clean(f"this cannot be judged ({type(error).__name__}: {error})")
        return [Finding(name, False, problem) for name in task.outputs]
    missing = {name: Finding(name, False, f"{name}: nothing was found out about it") for name in task.outputs}
    found = {name: found.get(name, missing[name]) for name in task.outputs}
    return [settled(finding) for finding in found.values()]


def settled(finding):
    """A judge's `Finding` with a truth value and a text for what it says of itself."""
    ok = finding.ok is True or finding.ok is np.True_
    return finding._replace(ok=ok, message="" if ok else clean(finding.message or f"{finding.output}: not right"))


def junk(name, value):
    """What is wrong with a value that a judge is to look at, before it does; or ""."""
    if not isinstance(value, np.ndarray | np.generic | bool | int | float | complex):
        return f"{name}: {type(value).__name__} came where an array of numbers belongs"
    array = np.asarray(value)
    if array.dtype.kind not in "fiubc":
        return f"{name}: an array of numbers was asked for"
    return "" if np.isfinite(array).all() else f"{name}: there is NaN or infinity in it"

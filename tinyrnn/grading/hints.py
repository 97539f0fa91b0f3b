"""Hints in three levels, each on request. Which were read is kept beside the student's files; they cost nothing."""

import json

from tinyrnn.core.files import write_json
from tinyrnn.grading.wording import line_command

FILE = ".tinyrnn-hints.json"
LEVELS = 3


def next_hint(exercise, name, folder):
    """The next hint for a task, as text of a few lines; after the last one, all of them again.

    The levels that were read are kept in `folder`, in the file .tinyrnn-hints.json.
    """
    task = exercise.tasks[name]
    levels = read_levels(folder)
    level = levels.get(exercise.folder.name, {}).get(name, 0) + 1
    if level <= LEVELS:
        levels.setdefault(exercise.folder.name, {})[name] = level
        write_json(folder / FILE, levels)
        lines = [f"{name}: hint {level} of {LEVELS}", f"  {task.hints[level - 1]}"]
        if level < LEVELS:
            lines.append(f"If that does not help: tinyrnn hint {exercise.number} once more")
            return "\n".join(lines)
    else:
        lines = [f"{name}: these were all its hints", *(f"  {k}. {hint}" for k, hint in enumerate(task.hints, start=1))]
    if task.section:
        lines.append(f'It is explained under "{task.section}" in {exercise.file.removesuffix(".py")}.md')
    if task.partners:
        lines.append(f"Which line it is: {line_command(exercise, task)}")
    return "\n".join(lines)


def read_levels(folder):
    """exercise -> {task: level}; what is not of that form counts as never read."""
    try:
        content = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    levels = {}
    for exercise, read in content.items() if isinstance(content, dict) else ():
        good = read.items() if isinstance(read, dict) else ()
        levels[exercise] = {name: level for name, level in good if level in range(1, LEVELS + 1)}
    return levels

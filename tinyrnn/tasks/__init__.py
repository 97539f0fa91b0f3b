"""What networks are trained on: the long-memory tasks, which cannot be solved without remembering something for a
long time, and language models.

Each is a small frozen dataclass whose fields are the switches in which the papers differ.
`Task` says what all of them share.
"""

from tinyrnn.tasks.adding import Adding, adding_baseline
from tinyrnn.tasks.car_racing import CarRacing
from tinyrnn.tasks.copying import Copy, VariableCopy, clock_baseline, copy_baseline
from tinyrnn.tasks.mnist import SequentialMNIST, guessing_baseline
from tinyrnn.tasks.task import Batch, Task
from tinyrnn.tasks.text import Enwik8, PennCharacters, PennWords, TextFile
from tinyrnn.tasks.translation import Pairs, Translation

LANGUAGE = {task.name: task for task in (PennWords, PennCharacters, Enwik8, TextFile)}
TASKS: dict[str, type[Task]] = {
    "copy": Copy,
    "copy-variable": VariableCopy,
    "adding": Adding,
    "mnist": SequentialMNIST,
    **LANGUAGE,
}
TASKS["translation"] = Translation
TASKS["car-racing"] = CarRacing

__all__ = [
    "TASKS",
    "Adding",
    "Batch",
    "CarRacing",
    "Copy",
    "Enwik8",
    "Pairs",
    "PennCharacters",
    "PennWords",
    "SequentialMNIST",
    "Task",
    "TextFile",
    "Translation",
    "VariableCopy",
    "adding_baseline",
    "clock_baseline",
    "copy_baseline",
    "guessing_baseline",
]

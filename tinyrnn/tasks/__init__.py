"""The long-memory tasks: sequences that cannot be solved without remembering something for a long time.

Each is a small frozen dataclass whose fields are the switches in which the papers differ.
`Task` says what all of them share.
"""

from tinyrnn.tasks.adding import Adding, adding_baseline
from tinyrnn.tasks.copying import Copy, VariableCopy, clock_baseline, copy_baseline
from tinyrnn.tasks.mnist import SequentialMNIST, guessing_baseline
from tinyrnn.tasks.task import Batch, Task

TASKS = {"copy": Copy, "copy-variable": VariableCopy, "adding": Adding, "mnist": SequentialMNIST}

__all__ = [
    "TASKS",
    "Adding",
    "Batch",
    "Copy",
    "SequentialMNIST",
    "Task",
    "VariableCopy",
    "adding_baseline",
    "clock_baseline",
    "copy_baseline",
    "guessing_baseline",
]

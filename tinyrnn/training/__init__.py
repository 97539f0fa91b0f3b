"""Training runs: what defines one, the loop, the folder it leaves, and the demo and experiments made of runs."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tinyrnn.training.settings import Settings as Settings
    from tinyrnn.training.trainer import Trainer as Trainer

_LATER = {"Settings": "tinyrnn.training.settings", "Trainer": "tinyrnn.training.trainer"}  # with Matplotlib and SciPy


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"tinyrnn.training has no {name!r}; it has {', '.join(_LATER)}")
    return getattr(importlib.import_module(_LATER[name]), name)

"""What functions and classes take, asked of their signatures."""

import inspect
from typing import Any


def keyword_names(function: Any) -> tuple[str, ...]:
    """The names of the keyword-only arguments of `function`."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def option_names(cls: Any) -> tuple[str, ...]:
    """The names of the arguments that construct a `cls`, but for rng; **options are followed to the base class."""
    names = []
    for base in cls.__mro__:
        if "__init__" in vars(base):
            parameters = inspect.signature(base.__init__).parameters.values()
            names += [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
            if not any(p.kind is p.VAR_KEYWORD for p in parameters):
                break
    return tuple(name for name in dict.fromkeys(names) if name not in ("self", "rng"))

"""Modules beside a file are loaded as the file is: what fails in one does not cost the functions that it defines."""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType, TracebackType


class Neighbour(SourceFileLoader):
    """Loads a module by `execute`, which is given its file and the module."""

    execute: Callable[[str, ModuleType], None]

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's file."""
        self.execute(self.path, module)


class Neighbours(MetaPathFinder):
    """In a `with` block modules are run by `execute`, if `is_near` says of their files that they are neighbours."""

    def __init__(self, is_near: Callable[[str], bool], execute: Callable[[str, ModuleType], None]):
        self.is_near, self.execute = is_near, execute

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """That which Python finds, with another loader if it is a neighbour; None, so that others look, if not."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or not self.is_near(spec.loader.path):
            return None
        spec.loader = Neighbour(fullname, spec.loader.path)
        spec.loader.execute = self.execute
        return spec

"""What hatchling does besides copying the package: a wheel gets what students start from, made from `exercises/`.

Nothing here imports the package, which need not be importable where it is built. An editable install gets nothing: it
reads `exercises/` itself.
"""

import runpy
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class HandedOut(BuildHookInterface):
    """Puts tinyrnn/exercises_data into a wheel: the texts of every exercise, made now, and the numbers of `public`."""

    def initialize(self, version, build_data):
        if version == "editable":
            return
        root = Path(self.root)
        texts = runpy.run_path(str(root / "tinyrnn" / "grading" / "skeleton.py"))["texts"]
        self.made = tempfile.TemporaryDirectory()
        for folder in sorted((root / "exercises").glob("[0-9]*_*")):
            public = {path.name: path.read_bytes() for path in (folder / "public").iterdir()}
            out = Path(self.made.name, folder.name)
            out.mkdir()
            for name, content in {**texts(folder), **public}.items():
                (out / name).write_bytes(content)
        build_data["force_include"][self.made.name] = "tinyrnn/exercises_data"

    def finalize(self, version, build_data, artifact_path):
        if version != "editable":
            self.made.cleanup()

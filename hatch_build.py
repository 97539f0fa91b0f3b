"""What hatchling does besides copying the package: a wheel gets what students start from, made from `exercises/`, and
the lecture that commands show; its description gets links that lead somewhere from a package index.

Nothing here imports the package, which need not be importable where it is built. An editable install gets no copies: it
reads `exercises/` and `lectures/` themselves.
"""

import re
import runpy
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURES = (".gif", ".png", ".svg", ".webp")


class Copies(BuildHookInterface):
    """Puts tinyrnn/exercises_data into a wheel, the texts of every exercise, made now, and the numbers of `public`; and
    tinyrnn/pages."""

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
        build_data["force_include"][str(root / "lectures" / "by_hand.md")] = "tinyrnn/pages/by_hand.md"

    def finalize(self, version, build_data, artifact_path):
        if version != "editable":
            self.made.cleanup()


class Addresses(MetadataHookInterface):
    """The project's addresses, and README.md with links that begin with one: all from the repository's, which is
    written in pyproject.toml, once."""

    def update(self, metadata):
        repository, root = self.config["repository"], Path(self.root)
        metadata["urls"] = {
            "Source": repository,
            "Issues": f"{repository}/issues",
            "Changelog": f"{repository}/blob/HEAD/CHANGELOG.md",
        }
        text = absolute((root / "README.md").read_text(encoding="utf-8"), repository, root)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def absolute(page, repository, root):
    """A Markdown text whose links to files below `root` lead into the repository, and pictures to their bytes."""

    def lead(match):
        before, target, after = match.groups()
        path = target.partition("#")[0]
        if not path or not (root / path).exists():
            return match[0]
        return f"{before}{repository}/{'raw' if path.endswith(PICTURES) else 'blob'}/HEAD/{target}{after}"

    return re.sub(r"""(\]\(|(?:href|src|srcset)=")([^)"\s]+)([)"\s])""", lead, page)

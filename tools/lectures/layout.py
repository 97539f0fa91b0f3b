"""The layout of the code in a lecture's source."""

import re
import subprocess

CELL = re.compile(r"^(```\{code-cell\}\n(?:---\n.*?^---\n)?)(.*?)^```$", re.MULTILINE | re.DOTALL)


def laid_out(text):
    """A source whose cells of code are laid out as `ruff format` does it. CalledProcessError for what is no code."""
    return CELL.sub(lambda found: f"{found[1]}{ruff(found[2])}```", text)


def ruff(code):
    """Code as ruff lays it out; like a notebook's, a cell does not end with an empty line."""
    run = subprocess.run(
        ["ruff", "format", "--line-length", "120", "-"], input=code, capture_output=True, text=True, check=True
    )
    return run.stdout

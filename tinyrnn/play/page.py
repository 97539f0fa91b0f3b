"""Puts pages together: a skeleton, style sheets, scripts and data become one file that needs no network."""

import html
import re
from importlib.resources import files
from pathlib import Path

from tinyrnn.core.files import write_atomically


def part(name):
    """The text of a file in the folder `page`."""
    return files("tinyrnn.play").joinpath("page", name).read_text(encoding="utf-8")


def script(name):
    """The text of page/NAME.js."""
    return part(f"{name}.js")


def assembled(skeleton, title, styles, scripts, **more):
    """The text of a page: page/SKELETON.html with its [[places]] filled.

    title: plain text. styles: names of style sheets. scripts: texts, in order. more: HTML for other places.
    """
    parts = {
        "title": html.escape(title),
        "style": "\n".join(part(f"{name}.css") for name in styles),
        "script": "\n".join(scripts),
        **more,
    }
    return re.sub(r"\[\[(\w+)\]\]", lambda found: parts[found[1]], part(f"{skeleton}.html"))


def check_folder(path):
    """ValueError, in one line, where there is no folder to write the file `path` in: before its making takes time."""
    if not Path(path).resolve().parent.is_dir():
        raise ValueError(f"there is no folder {Path(path).parent}")


def write(path, text):
    """Write a page to a file, in one move; ValueError if there is no such folder."""
    check_folder(path)
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))

"""Puts pages together: a skeleton, style sheets, scripts and data become one file that needs no network."""

import html
import re
from importlib.resources import files
from pathlib import Path

from tinyrnn.core.files import write_atomically
from tinyrnn.core.webpage import POLICY, webpage


def part(name):
    """The text of a file in the folder `page`."""
    return files("tinyrnn.play").joinpath("page", name).read_text(encoding="utf-8")


def script(name):
    """The text of page/NAME.js."""
    return part(f"{name}.js")


def assembled(skeleton, title, styles, scripts, at="", policy=POLICY, **more):
    """The text of a page: page/SKELETON.html with its [[places]] filled, under the head that all pages have.

    title: plain text. styles: names of style sheets. scripts: texts, in order. at: where it opens, as an address would
    say, "#t=9". policy: see `tinyrnn.core.webpage.webpage`. more: HTML for other places.
    """
    places = {"title": html.escape(title), **more}
    body = re.sub(r"\[\[(\w+)\]\]", lambda found: places[found[1]], part(f"{skeleton}.html"))
    style = "\n".join(part(f"{name}.css") for name in styles)
    return webpage(title, body.rstrip(), style, "\n".join(scripts), policy, **({"at": at} if at else {}))


def check_folder(path):
    """ValueError, in one line, where there is no folder to write the file `path` in: before its making takes time."""
    if not Path(path).resolve().parent.is_dir():
        raise ValueError(f"there is no folder {Path(path).parent}")


def write(path, text):
    """Write a page to a file, in one move; ValueError if there is no such folder."""
    check_folder(path)
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))

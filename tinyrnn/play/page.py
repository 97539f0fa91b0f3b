"""Puts pages together."""

from importlib.resources import files


def script(name):
    """The text of page/NAME.js."""
    return files("tinyrnn.play").joinpath("page", f"{name}.js").read_text(encoding="utf-8")

"""A recording as one HTML file: no network, no build step, nothing but the recording and what shows it.

What the page is made of is in the folder `page` beside this file: the skeleton, the style sheet and the scripts, in the
order in which they are put together. The recording goes in packed, and the page computes no gradient anew.
"""

import html
import re
from importlib.resources import files
from pathlib import Path

from tinyrnn.core.files import write_atomically
from tinyrnn.core.webpage import framed, webpage
from tinyrnn.stepping.packing import packed
from tinyrnn.stepping.places import opening

SCRIPTS = (
    "data",
    "colours",
    "heat",
    "source",
    "values",
    "graph",
    "triangle",
    "timeline",
    "predict",
    "jump",
    "address",
    "main",
)
LARGEST_FRAME = 8 << 20  # characters of a page that goes into a notebook, which keeps it
HEIGHT = 820  # pixels, of the frame in a notebook


def page(recording, start=0):
    """The page of a `Recording`, a string. start: the number of the line that it opens at."""
    data, folder = recording.data, files("tinyrnn.stepping").joinpath("page")
    places = {
        "title": html.escape(data["title"]),
        "about": html.escape(about(data)),
        "notes": notes(data["notes"]),
        "recording": packed(data, recording.are_same_gradient),
    }
    skeleton, style = (folder.joinpath(name).read_text(encoding="utf-8") for name in ("page.html", "page.css"))
    script = "\n".join(folder.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    body = re.sub(r"\[\[(\w+)\]\]", lambda found: places[found[1]], skeleton)
    return webpage(data["title"], body.rstrip(), style, script, start=str(start))


def write_page(recording, path, start=0):
    """Write the page of a `Recording`, open at line `start`, to a file, in one move.

    Raises ValueError if there is no such folder.
    """
    if not Path(path).resolve().parent.is_dir():
        raise ValueError(f"there is no folder {Path(path).parent}")
    text = page(recording, start)
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def frame(recording):
    """The page for a notebook: in a frame, so that neither's style and scripts reach the other."""
    title, text = repr(recording), page(recording, opening(recording))
    if len(text) > LARGEST_FRAME:
        too_long = "too long for a notebook; tinyrnn.stepping.page.write_page(recording, path) writes it"
        return f"<p>{html.escape(title)}: {too_long}</p>"
    return framed(text, title, HEIGHT)


def about(data):
    """One line about the recording: sizes, the loss, and what the gradients from above are."""
    sizes = f"{data['T']} time steps, {data['B']} sequence{'s' if data['B'] != 1 else ''}. " if data["layers"] else ""
    loss = data["loss"] if isinstance(data["loss"], str) else f"{data['loss']:.6g}"
    upstream = "gradients from above: what was given" if data["upstream"] == "what was given" else data["upstream"]
    return f"{sizes}Loss {loss} ({upstream})."


def notes(lines):
    """The notes as an HTML list, escaped; an empty text if there are none."""
    return f'<ul class="notes">{"".join(f"<li>{html.escape(line)}</li>" for line in lines)}</ul>' if lines else ""

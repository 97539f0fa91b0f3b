"""For who teaches: a lecture without its answers, and slides made of it. Both from the notebook that has run."""

import base64
import html
import re

from tinyrnn.grading.webpage import page

ANSWER = re.compile(r"<details><summary>Answer</summary>.*?</details>", re.DOTALL)
HEADING = re.compile(r"^(#{1,2}) (.+?)(?: \(\d+ minutes\))?$", re.MULTILINE)
ASKED = re.compile(r"^\*\*(?:Predict|Change it)\.\*\*.*?(?=\n\n|\Z)|^\*\*[^*]+\?\*\*", re.MULTILINE | re.DOTALL)
EQUATION = re.compile(r"\$\$.+?\$\$", re.DOTALL)
LINE = "\n\n---\n\n"

STYLE = """
body { max-width: none; margin: 0; padding: 0; scroll-snap-type: y mandatory; font-size: clamp(18px, 2vw, 48px); }
section { min-height: 100vh; box-sizing: border-box; padding: 5vh 8vw; scroll-snap-align: start; display: flex;
  flex-direction: column; justify-content: center; }
section img { max-height: 72vh; width: auto; max-width: 100%; } section p:has(img) { text-align: center; }
section pre { font-size: .75em; white-space: pre-wrap; } section h1 { font-size: 2.2em; }
@media print { section { page-break-after: always; min-height: 0; } }
"""
KEYS = """
addEventListener("keydown", e => {
  const step = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}[e.key];
  if (!step) return;
  e.preventDefault();
  scrollTo({top: (Math.round(scrollY / innerHeight) + step) * innerHeight, behavior: "smooth"});
});
"""


def without_answers(notebook):
    """The notebook in place, with its questions and no answer to them; returned too."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = ANSWER.sub("", cell.source).rstrip()
    return notebook


def slides(notebook):
    """An HTML text: a slide for each heading, with the questions put to the room, equations, and pictures after it.

    What is derived and explained is for the teacher to say; predictions come before the picture that settles them.
    """
    shown, pictures = [], {}
    title = "tinyrnn"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for mark, heading in HEADING.findall(cell.source):
                title = heading if mark == "#" else title
            shown += parts(ANSWER.sub("", cell.source))
        else:
            for output in cell.outputs:
                data = output.get("data", {})
                if "image/png" in data:
                    name = f"picture{len(pictures)}.png"
                    pictures[name] = data["image/png"]
                    shown.append(f"![{alternative(output)}]({name})")
                elif "text/markdown" in data:
                    shown.append("".join(data["text/markdown"]))
    text = page(title, LINE.join(shown), {name: decoded(data) for name, data in pictures.items()})
    body = text.partition("<body>")[2].rpartition("</body>")[0]
    whole = "\n".join(f"<section>{each}</section>" for each in re.split(r"<hr />", body))
    head = text.partition("<body>")[0].replace("</style>", f"{STYLE}</style>")
    return f"{head}<body>\n{whole}\n<script>{KEYS}</script></body></html>\n"


def parts(text):
    """What of a piece of prose is shown: headings, each with what is asked and computed under it."""
    pieces = re.split(r"(?=^#{1,2} )", text, flags=re.MULTILINE)
    found = []
    for piece in pieces:
        heading = HEADING.search(piece)
        asked, equations = ASKED.findall(piece), EQUATION.findall(piece)
        lines = [f"# {heading[2]}"] if heading else []
        if lines and equations:
            lines.append(equations.pop(0))
        if heading and heading[1] == "#":
            lines += asked
            asked = []
        if lines:
            found.append("\n\n".join(lines))
        if equations:
            found.append("\n\n".join(equations[:3]))
        found += asked
    return found


def alternative(output):
    """The words of a picture, on one line."""
    words = output.get("metadata", {}).get("image/png", {}).get("alt", "")
    return html.escape(" ".join(str(words).split())).replace("[", "(").replace("]", ")")


def decoded(data):
    """The bytes of a picture in a notebook."""
    return base64.b64decode(data)

"""The sources of the site: what the repository has, and pages made from the package itself."""

import contextlib
import inspect
import io
import json
import re
from pathlib import Path
from typing import Any

import tinyrnn as tr
from tinyrnn.commands.main import main as command
from tinyrnn.figures import ANALYSES
from tinyrnn.grading.webpage import with_symbols
from tinyrnn.verdicts.mistakes import BACKWARDS, FORWARDS, SECTIONS

APPENDICES = (
    "syllabus",
    "by_hand",
    "answers",
    "coverage",
    "beside",
    "cells",
    "analyses",
    "results",
    "claims",
    "by_command",
    "stepping",
    "pages",
    "homework",
    "is_my_gradient_right",
    "guide",
)
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')  # as a code host wants them
SECTION = re.compile(r"(\.md#[\w-]+)/([\w-]+)")
ELSEWHERE = re.compile(r"\]\((\.\./[^)]*|[^):#]*\.(?:py|toml|npz)[^)]*)\)")  # links into the repository
WIDTH = 110  # of a docstring's text, nearly: 120 without what it is indented by
REPOSITORY = "https://github.com/tinyrnn/tinyrnn/blob/main/"

INDEX = """# tinyrnn

A course you can run: recurrent networks on NumPy, every forward and backward pass written by hand.

Two networks read the same input; the rivers are the gradient on its way back to a step that matters. Play it, move a
slider, and see which of the two keeps it.

<iframe class="play" src="play.html#embed=knobs&amp;t=3" title="two networks, and the gradient in both"></iframe>

<a href="play.html">The page by itself</a> · <a href="gallery/index.html">a page for every cell</a> ·
[Lecture 0](lectures/{first}) · [Homework](homework/index)

```{{toctree}}
:caption: Lectures
:maxdepth: 1

{lectures}
```

```{{toctree}}
:caption: Homework
:maxdepth: 1

homework/index
```

```{{toctree}}
:caption: Appendices
:maxdepth: 1

{appendices}
mistakes
```

```{{toctree}}
:caption: Reference
:maxdepth: 1

api
```
"""


def write(root: Path, out: Path, pictures: bool) -> None:
    """All sources into the folder `out`. pictures: whether analyses are run for theirs, and there are games."""
    (out / "_extra").mkdir(parents=True)
    with contextlib.redirect_stdout(io.StringIO()):
        command(["play", "--out", str(out / "_extra" / "play.html")])
        command(["gallery", str(out / "_extra" / "gallery"), *([] if pictures else ["--no-games"])])
    lectures = sorted(path.stem for path in (root / "lectures").glob("[0-9][0-9]_*.ipynb"))
    for path in (root / "lectures").iterdir():
        if path.suffix in (".md", ".ipynb") and (path.stem in lectures or path.stem in APPENDICES):
            text = path.read_text(encoding="utf-8")
            text = folded(text) if path.suffix == ".ipynb" else text
            put(out / "lectures" / path.name, adapted(text, "lectures/"))
        elif path.suffix == ".png":
            put(out / "lectures" / path.name, path.read_bytes())
    homework(root, out)
    put(out / "mistakes.md", mistakes())
    put(out / "api.md", api())
    if pictures:
        analyses(out)
    rows = "\n".join(f"lectures/{name}" for name in lectures)
    more = "\n".join(f"lectures/{name}" for name in APPENDICES)
    put(out / "index.md", INDEX.format(first=lectures[0], lectures=rows, appendices=more))


def put(path: Path, content: str | bytes) -> None:
    """A file, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def folded(text: str) -> str:
    """A notebook with two things folded, as MyST-NB folds them: outputs that are to be predicted, and the code of the
    first picture, which stands right below the question."""
    notebook = json.loads(text)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell in code:
        if "predict" in cell["metadata"].get("tags", ()):
            cell["metadata"]["tags"].append("hide-output")
    if any("image/png" in output.get("data", ()) for output in code[0]["outputs"]):
        prompts = {"code_prompt_show": "The code of this picture", "code_prompt_hide": "Fold the code"}
        code[0]["metadata"] |= {"tags": ["hide-input"], "mystnb": prompts}
    return json.dumps(notebook, ensure_ascii=False)


def adapted(text: str, folder: str) -> str:
    """A page of the repository as the site wants it: its anchors, and links to what is not on it to the code host."""

    def there(found: re.Match) -> str:
        target = (Path(folder) / found[1]).as_posix()
        while "/../" in target or target.startswith("../"):
            target = re.sub(r"[^/]+/\.\./", "", target, count=1)
        return f"]({REPOSITORY}{target})"

    text = text.replace("](README.md", f"]({REPOSITORY}{folder}README.md")
    text = SECTION.sub(r"\1-\2", ANCHOR.sub(r"(\1)=", text))
    return ELSEWHERE.sub(there, text)


def homework(root: Path, out: Path) -> None:
    """The handouts, and a page that lists them."""
    titles = []
    for folder in sorted((root / "exercises").glob("[0-9]*_*")):
        text = (folder / "handout.md").read_text(encoding="utf-8")
        for picture in folder.glob("**/*.png"):
            put(out / "homework" / picture.name, picture.read_bytes())
        put(out / "homework" / f"{folder.name}.md", adapted(with_symbols(text), f"exercises/{folder.name}/"))
        titles.append(folder.name)
    listed = "\n".join(titles)
    page = (
        f"# Homework\n\nEight exercises; `tinyrnn start 1` begins.\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    )
    put(out / "homework" / "index.md", page)


def mistakes() -> str:
    """Every known mistake: what it is, the question that leads out of it, and where to read."""
    lines = ["# Known mistakes\n\nWhat `tinyrnn lines` knows by name, with the question it asks.\n"]
    families: dict[str, dict] = {}
    for mistake in [*BACKWARDS, *FORWARDS]:
        families.setdefault(mistake.of, {}).setdefault(mistake.name, mistake)
    for family, found in families.items():
        lines.append(f"## {family}\n")
        for m in found.values():
            section = f"[{SECTIONS[m.section]}](lectures/by_hand.md#{m.section.replace('/', '-')})"
            code = f"`{m.line} = {m.instead}`"
            lines.append(f"**{m.name}**: {m.title}. {code}\n\n> {m.question}\n\nRead: {section}\n")
    return "\n".join(lines)


def api() -> str:
    """Every public name of the package with its signature and docstring, in the order of the alphabet."""
    lines = ["# API\n\nEvery public name of `import tinyrnn as tr`, from its docstring.\n"]
    for name in sorted(tr.__all__, key=str.lower):
        value = getattr(tr, name)
        if inspect.ismodule(value):
            lines += module(name, value)
        else:
            lines += [f"## tr.{name}\n", described(f"tr.{name}", value)]
    return "\n".join(lines)


def module(name: str, value: Any) -> list[str]:
    """A module's docstring and its public functions and classes."""
    lines = [f"## tr.{name}\n", "```text", inspect.cleandoc(value.__doc__ or ""), "```\n"]
    for own in sorted(getattr(value, "__all__", vars(value))):
        thing = getattr(value, own)
        if own.startswith("_") or not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue
        if f"{thing.__module__}.".startswith(f"{value.__name__}."):  # not what it imports from elsewhere
            lines += [f"### tr.{name}.{own}\n", described(f"tr.{name}.{own}", thing)]
    return lines


def described(name: str, value: Any) -> str:
    """Signature and docstring as they stand: these are laid out for reading as text."""
    try:
        signature = str(inspect.signature(value)) if callable(value) else ""
    except ValueError:
        signature = "(…)"
    text = unbroken(inspect.cleandoc(inspect.getdoc(value) or "")) if callable(value) else f"a {type(value).__name__}"
    return f"```text\n{name}{signature}\n\n{text}\n```\n"


def unbroken(text: str) -> str:
    """A docstring without the breaks that only the width of a source makes: a page is as wide as its window."""
    lines, last = [], ""
    for line in text.splitlines():
        word = line.partition(" ")[0]
        if word and len(last) + len(word) >= WIDTH and not last.startswith("    "):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
        last = line
    return "\n".join(lines)


def analyses(out: Path) -> None:
    """Every analysis run, its picture under its heading."""
    from tinyrnn.figures.entry import write as write_result

    path = out / "lectures" / "analyses.md"
    text = path.read_text(encoding="utf-8")
    for name, analysis in ANALYSES.items():
        try:
            files = write_result(name, analysis.run(), out / "lectures" / "pictures")
        except (ImportError, FileNotFoundError):  # a package or data are missing: its words stay
            continue
        picture = next(Path(file) for file in files if str(file).endswith(".png"))
        text = text.replace(f"## {name}\n", f"## {name}\n\n![{analysis.title}](pictures/{picture.name})\n", 1)
    path.write_text(text, encoding="utf-8")

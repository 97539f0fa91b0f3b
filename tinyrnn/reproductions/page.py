"""The page of results: every record of a folder, with a verdict on each claim, and the notes that stand beside it."""

from collections import Counter
from pathlib import Path
from typing import Any

from tinyrnn.reproductions import REPRODUCTIONS, record
from tinyrnn.reproductions.claims import HOLDS, IN_PART, NOT, OPEN
from tinyrnn.reproductions.entry import SCALES, Reproduction
from tinyrnn.reproductions.rerun import written

WORDS = (HOLDS, IN_PART, NOT, OPEN)


def page(folder: Path) -> str:
    """Markdown. In the folder: NAME-SCALE.json, what `tinyrnn reproduce NAME --keep FOLDER` left; beside them
    NAME.md, words on one entry, introduction.md, and studies.md, what stands before the entries."""
    found = records(folder)
    blocks = ["# What came out", notes(folder, "introduction"), totals(found), notes(folder, "studies")]
    for document in dict.fromkeys(entry.document for entry in REPRODUCTIONS.values()):
        names = [name for name, entry in REPRODUCTIONS.items() if entry.document == document and name in found]
        blocks += [f"## {document}", *(section(folder, name, found[name]) for name in names)] if names else []
    missing = [name for name in REPRODUCTIONS if name not in found]
    blocks += ["## Not run yet", *(unrun(folder, name) for name in missing)] if missing else []
    return "\n\n".join(block for block in blocks if block) + "\n"


def records(folder: Path) -> dict[str, dict[str, Any]]:
    """The records in the folder: name -> that of the largest scale."""
    found = {}
    for name in REPRODUCTIONS:
        for scale in SCALES:
            path = folder / f"{name}-{scale}.json"
            if path.exists():
                found[name] = record.read(path)
    return found


def notes(folder: Path, name: str) -> str:
    """The words on it, or none."""
    path = folder / f"{name}.md"
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


def totals(found: dict[str, dict[str, Any]]) -> str:
    """A table: document -> how many of its claims hold, and so on, and what it cost."""
    lines = ["| document | figures and tables | CPU minutes | " + " | ".join(WORDS) + " |"]
    lines.append("|---" + "|---:" * (2 + len(WORDS)) + "|")
    for document in dict.fromkeys(REPRODUCTIONS[name].document for name in found):
        own = {name: of for name, of in found.items() if REPRODUCTIONS[name].document == document}
        words = Counter(word for name, of in own.items() for word in judged(REPRODUCTIONS[name], of))
        minutes = sum(of["cpu_seconds"] for of in own.values()) / 60
        row = [document, str(len(own)), f"{minutes:.1f}", *(str(words[word]) for word in WORDS)]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def judged(entry: Reproduction, of: dict[str, Any]) -> list[str]:
    """The words of all verdicts of a record."""
    return [verdict.word for claims in record.verdicts(entry, of).values() for verdict in claims.values()]


def unrun(folder: Path, name: str) -> str:
    """What an entry without a record would decide."""
    entry = REPRODUCTIONS[name]
    texts = dict.fromkeys(claim.text for claims in entry.claims.values() for claim in claims)
    head = f"`tinyrnn reproduce {name}`: {entry.title} ({entry.source})."
    return "\n\n".join(
        block for block in (head, "\n".join(f"* {text}" for text in texts), notes(folder, name)) if block
    )


def section(folder: Path, name: str, of: dict[str, Any]) -> str:
    """What came out of one entry."""
    entry, versions = REPRODUCTIONS[name], of["versions"]
    runs = sum(len(panel["runs"]) for panel in of["panels"].values())
    what = f"{runs} runs, " if runs else ""
    cost = (
        f"{of['cpu_seconds']:.0f} CPU seconds" if of["cpu_seconds"] < 600 else f"{of['cpu_seconds'] / 60:.0f} CPU min"
    )
    made = f"`tinyrnn reproduce {name} --scale {of['scale']}`: {what}{cost}, NumPy {versions['numpy']}."
    text = written(entry, of).replace("\n## ", "\n#### ")
    text = f"#### {text[3:]}" if text.startswith("## ") else text
    head = f"### {entry.place or name}: {entry.title}"
    return "\n\n".join(block for block in (head, made, text, notes(folder, name)) if block)

"""Pages of the records in a folder: what came out, with the notes that stand beside it; and the claims, one by one."""

from collections import Counter
from pathlib import Path
from typing import Any

from tinyrnn.reproductions import REPRODUCTIONS, record
from tinyrnn.reproductions.claims import HOLDS, IN_PART, NOT, OPEN
from tinyrnn.reproductions.entry import Reproduction
from tinyrnn.reproductions.rerun import by_us, written
from tinyrnn.reproductions.unjudged import UNJUDGED

WORDS = (HOLDS, IN_PART, NOT, OPEN)


def page(folder: Path) -> str:
    """Markdown. In the folder: NAME-SCALE.json, what `tinyrnn reproduce NAME --keep FOLDER` left; beside them
    NAME.md, words on one entry, introduction.md, and studies.md, what stands before the entries."""
    found = record.kept(folder, REPRODUCTIONS)
    blocks = ["# What came out", notes(folder, "introduction"), totals(found), notes(folder, "studies")]
    for document in dict.fromkeys(entry.document for entry in REPRODUCTIONS.values()):
        names = [name for name, entry in REPRODUCTIONS.items() if entry.document == document and name in found]
        blocks += [f"## {document}", *(section(folder, name, found[name]) for name in names)] if names else []
    missing = [name for name in REPRODUCTIONS if name not in found]
    blocks += ["## Not run yet", *(unrun(folder, name) for name in missing)] if missing else []
    return "\n\n".join(block for block in blocks if block) + "\n"


def notes(folder: Path, name: str) -> str:
    """The words on it, or none."""
    path = folder / f"{name}.md"
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


def totals(found: dict[str, list[dict[str, Any]]]) -> str:
    """A table: document -> how many of its claims hold, and so on, and what it cost."""
    lines = ["| document | figures and tables | CPU minutes | " + " | ".join(WORDS) + " |"]
    lines.append("|---" + "|---:" * (2 + len(WORDS)) + "|")
    for document in dict.fromkeys(REPRODUCTIONS[name].document for name in found):
        own = {name: records for name, records in found.items() if REPRODUCTIONS[name].document == document}
        every = [(REPRODUCTIONS[name], of) for name, records in own.items() for of in records]
        words = Counter(word for entry, of in every for word in judged(entry, of))
        minutes = sum(of["cpu_seconds"] for _, of in every) / 60
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


def section(folder: Path, name: str, records: list[dict[str, Any]]) -> str:
    """What came out of one entry, at its largest scale, and at smaller ones what that still lacks."""
    entry = REPRODUCTIONS[name]
    blocks = [f"### {entry.place or name}: {entry.title}"]
    for k, of in enumerate(records):
        text = written(entry, of).replace("\n## ", "\n#### ")
        blocks += [made(name, of, whole=k == 0), f"#### {text[3:]}" if text.startswith("## ") else text]
    return "\n\n".join(block for block in (*blocks, by_us(entry), notes(folder, name)) if block)


def made(name: str, of: dict[str, Any], whole: bool) -> str:
    """By what command, and at what cost: that of the record, also where not the whole of it is shown."""
    runs = sum(len(panel["runs"]) for panel in of["panels"].values())
    what, seconds, versions = f"{runs} runs, " if runs else "", of["cpu_seconds"], of["versions"]
    cost = f"{seconds:.0f} CPU seconds" if seconds < 600 else f"{seconds / 60:.0f} CPU min"
    cost = cost if whole else f"of a record of {cost}"
    at = f", commit {versions['commit']}" if "commit" in versions else ""
    return f"`tinyrnn reproduce {name} --scale {of['scale']}`: {what}{cost}, NumPy {versions['numpy']}{at}."


CLAIMS = """# The claims of the five documents

Each in our words, with the entry of `tinyrnn reproduce` that judges it, its verdict and what that rests on: at the
largest scale of which there is a record, panel by panel. [Results](results.md) has the runs behind it. Where a rank
test of so few runs could decide nothing, in whatever order they had come, the least p that it can give is told. What
nothing judges stands at the end of each document, with the reason and what it would take. The page is made by
`tinyrnn reproduce claims > lectures/claims.md`.
"""


def claims(folder: Path) -> str:
    """Markdown: document by document every claim, its place, who judges it and how; and those that nothing judges."""
    found, blocks = record.kept(folder, REPRODUCTIONS), [CLAIMS.strip()]
    for document in dict.fromkeys(first(entry) for entry in REPRODUCTIONS.values()):
        rows = [
            row for name, entry in REPRODUCTIONS.items() if first(entry) == document for row in judgements(name, found)
        ]
        left = UNJUDGED.get(document, ())
        blocks.append(f"## {document}\n\nClaims that are judged: {len(rows)}; that are not: {len(left)}.")
        blocks.append("\n".join(["| place | claim | by | verdict |", "|---|---|---|---|", *rows]))
        blocks += (
            ["Judged by nothing:", "\n".join(f"* {of.place}: {of.text}. *{of.why}.*" for of in left)] if left else []
        )
    return "\n\n".join(blocks) + "\n"


def first(entry: Reproduction) -> str:
    """The document of an entry, or the first of two."""
    return entry.document.partition(";")[0]


def judgements(name: str, found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """A row of the table for each claim of an entry."""
    entry = REPRODUCTIONS[name]
    by_text: dict[str, list[str]] = {claim.text: [] for claims in entry.claims.values() for claim in claims}
    for of in found.get(name, ()):
        for part, verdicts in record.verdicts(entry, of).items():
            for text, verdict in verdicts.items():
                where = ", ".join(word for word in (of["scale"], part if part in of["panels"] else "") if word)
                by_text[text].append(f"{where}: **{verdict.word}** ({verdict.why})")
    unrun = "no record has it yet"
    rows = {text: "<br>".join(verdicts) or unrun for text, verdicts in by_text.items()}
    return [f"| {entry.place or name} | {text} | `{name}` | {verdicts} |" for text, verdicts in rows.items()]

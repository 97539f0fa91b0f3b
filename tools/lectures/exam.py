"""An exam from a seed: questions drawn from the bank, and their key; Markdown, and pages with equations."""

from pathlib import Path

import numpy as np

from tinyrnn.grading.webpage import page
from tools.lectures import bank  # noqa: F401  (puts its questions into BANK)
from tools.lectures.question import BANK, Question


def drawn(seed: int, lectures: list[int], count: int) -> list[Question]:
    """`count` questions about these lectures, in their order; no kind twice as long as there are others.

    Raises ValueError, in one line, where the bank has none.
    """
    kinds = [kind for lecture in sorted(BANK) if lecture in lectures or not lectures for kind in BANK[lecture]]
    if not kinds:
        raise ValueError(f"the bank has no question about these lectures; it has some about {sorted(BANK)}")
    rng = np.random.default_rng(seed)
    order = [k for _ in range(-(-count // len(kinds))) for k in rng.permutation(len(kinds))][:count]
    return [kinds[k](np.random.default_rng([seed, n])) for n, k in enumerate(sorted(order))]


def texts(seed: int, questions: list[Question]) -> tuple[str, str]:
    """The exam and its key, Markdown."""
    points = sum(each.points for each in questions)
    exam = [f"# Exam {seed}\n\n{points} points, about a minute each. Three decimals are enough.\n"]
    key = [f"# Exam {seed}: key\n\n{points} points.\n"]
    for k, each in enumerate(questions, 1):
        exam.append(f"**{k}.** ({each.points} points) {each.text}\n")
        key.append(f"**{k}.** ({each.points} points, lecture {each.lecture}) {each.key}\n")
    return "\n".join(exam), "\n".join(key)


def write(seed: int, lectures: list[int], count: int, out: Path) -> list[Path]:
    """Writes exam-SEED and key-SEED, as .md and .html, into the folder `out`; returns the files."""
    out.mkdir(parents=True, exist_ok=True)
    files = []
    for name, text in zip(("exam", "key"), texts(seed, drawn(seed, lectures, count)), strict=True):
        for suffix, content in ((".md", text), (".html", page(f"{name} {seed}", text))):
            files.append(out / f"{name}-{seed}{suffix}")
            files[-1].write_text(content, encoding="utf-8")
    return files

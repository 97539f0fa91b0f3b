"""What one student gets back: the marks as Markdown and as a web page that needs no other file.

Texts that come from a student's code (names, messages, numbers) are shown as they are and never as markup.
"""

import html
import re

from tinyrnn.grading.report import amount, details

WORDS = {
    "right": "right",
    "partly": "partly right",
    "wrong": "wrong",
    "waiting": "waits",
    "missing": "not written yet",
    "crashed": "grader crashed",
}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; } td, th { padding: .2rem .8rem; border-bottom: 1px solid #ccc; text-align: left; }
td:last-child { text-align: right; } pre { background: #f4f4f4; padding: .8rem; white-space: pre-wrap; }
.right { color: #060; } .wrong, .missing, .crashed { color: #a00; } .partly { color: #850; } .waiting { color: #555; }
"""
FOOTER = "Points come from public and hidden cases together; of hidden ones only the number that is wrong is told."


def markdown(student, marks, total=None, said=()):
    """A Markdown text. student: the name, as it is to be shown. total: what counts in the end; None: the points. said:
    lines on how it came to that."""
    lines = [f"# {escaped(marks.title)}: {escaped(student)}", "", f"**{sum_of(marks, total)}**", ""]
    lines += [*(f"* {escaped(each)}" for each in said), ""] if said else []
    if marks.problem:
        lines += [*fenced([marks.problem]), ""]
    lines += ["| task | | points |", "|---|---|---|"]
    lines += [
        f"| `{task.name}`: {escaped(task.title)} | {WORDS[task.status]} | {points(task)} |" for task in marks.tasks
    ]
    lines += ["", f"Begin with `{first(marks)}`: others may wait for it."] if first(marks) else []
    for task, said in explained(marks):
        lines += ["", f"## `{task.name}`: {WORDS[task.status]}", "", *fenced(said)]
    return "\n".join([*lines, "", FOOTER, ""])


def page(student, marks, total=None, said=()):
    """An HTML text; arguments as of `markdown`."""
    rows = [
        f"<tr><td><code>{html.escape(task.name)}</code>: {html.escape(task.title)}</td>"
        f'<td class="{task.status}">{WORDS[task.status]}</td><td>{points(task)}</td></tr>'
        for task in marks.tasks
    ]
    parts = [
        f"<h1>{html.escape(f'{marks.title}: {student}')}</h1>",
        f"<p><strong>{html.escape(sum_of(marks, total))}</strong></p>",
        f"<ul>{''.join(f'<li>{html.escape(each)}</li>' for each in said)}</ul>" if said else "",
        f"<pre>{html.escape(marks.problem)}</pre>" if marks.problem else "",
        f"<table><tr><th>task</th><th></th><th>points</th></tr>{''.join(rows)}</table>",
    ]
    if first(marks):
        parts.append(f"<p>Begin with <code>{html.escape(first(marks))}</code>: others may wait for it.</p>")
    for task, said in explained(marks):
        head = (
            f'<h2><code>{html.escape(task.name)}</code>: <span class="{task.status}">{WORDS[task.status]}</span></h2>'
        )
        parts.append(f"{head}\n<pre>{html.escape(chr(10).join(said))}</pre>")
    return document(f"{marks.title}: {student}", [*parts, f"<p>{FOOTER}</p>"])


def document(title, parts):
    """A whole HTML document around pieces of HTML. title: text."""
    body = "\n".join(part for part in parts if part)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def explained(marks):
    """(task, what is said of it: lines) of tasks that are not right, unless that is the same for all."""
    for task in marks.tasks:
        if task.status != "right" and not marks.problem:
            said = details(task)
            if said:
                yield task, said + ([f"in the handout: {task.section}"] if task.section else [])


def first(marks):
    """The name of the task to begin with: the first graded one that is wrong, else that is not written; "" for none."""
    for statuses in (("wrong", "partly"), ("missing",)):
        for task in marks.tasks:
            if task.status in statuses and not task.practice and not marks.problem:
                return task.name
    return ""


def sum_of(marks, total=None):
    """The points of all tasks together, and how many there are, in words; and what counts, where that is something
    else."""
    counts = "" if total is None or total == marks.points else f"; {amount(total)} count"
    return f"{amount(marks.points)} of {amount(marks.total)} points{counts}"


def points(task):
    """The points of one task and how many it has, in words; or that it is practice."""
    return "practice" if task.practice else f"{amount(task.cents / 100)} of {task.points}"


def escaped(text):
    """Text that Markdown shows as it is, in a line or a cell of a table."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~&-])", r"\\\1", " ".join(str(text).split()))


def fenced(lines):
    """Lines as a block of code, whatever is in them."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]

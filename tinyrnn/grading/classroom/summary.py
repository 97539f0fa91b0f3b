"""What is made of the results of a class: grades, feedback for everybody, and a report for the teacher.

    OUT/grades.csv              points by task, and the sum
    OUT/feedback/STUDENT.md     what a student gets back; .html the same as a page
    OUT/report.md               how it went: scores, tasks, known mistakes, unknown ones by frequency with examples,
                                pairs that are much alike, submissions that could not be graded
    OUT/scores.png              the histogram of scores

Unknown mistakes are wrong numbers that no known mistake gives. Who writes the most frequent one down as a `Mistake`
names it for everybody who makes it from then on.
"""

import csv
import io
import json
import statistics
from collections import Counter
from pathlib import Path

from tinyrnn.core.files import read_json, write_atomically
from tinyrnn.grading.classroom import similarity as near
from tinyrnn.grading.feedback import WORDS, escaped, fenced, markdown, page
from tinyrnn.grading.marks import Marks
from tinyrnn.grading.report import amount

EXAMPLES = 5  # students named for an unknown mistake
MOST_UNKNOWN = 100
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # with which a spreadsheet would begin to calculate
ABOUT_PAIRS = (
    "These have more in common than the rest of the class: runs of tokens, where names that students chose, comments "
    "and line breaks do not count, nor what is in the skeleton or in more than a tenth of the class (at least five). "
    "Likeness 1 means all that one of the two has. It says where to look, and not that anything was "
    "copied; in small classes right solutions are alike by themselves."
)


def report(out):
    """Writes everything anew from the results in a folder, and returns a text of a few lines. ValueError in a line if
    there are none."""
    out = Path(out)
    known, waiting = load(out)
    marks = [each["marks"] for each in known]
    if not marks:
        raise ValueError(f"{out} has no results yet: `tinyrnn teach grade` makes them")
    (out / "feedback").mkdir(exist_ok=True)
    for each in known:
        write(out / "feedback" / f"{each['file']}.md", markdown(each["student"], each["marks"]))
        write(out / "feedback" / f"{each['file']}.html", page(each["student"], each["marks"]))
    write(out / "grades.csv", grades(known))
    write_atomically(out / "scores.png", lambda path: histogram(marks, path))
    pairs, more = near.pairs({each["file"]: each["prints"] for each in known})
    write(out / "report.md", whole_report(known, waiting, pairs, more))
    return short(known, waiting, len(pairs) + more)


def load(out):
    """(one dict for each student with a result: student, file, prints, marks; names of those without)."""
    try:
        class_ = read_json(out / "class.json")
    except OSError:
        raise ValueError(f"{out} is no folder with results: there is no class.json in it") from None
    known, waiting = [], []
    for student, file in class_["students"]:
        try:
            content = read_json(out / "results" / f"{file}.json")
            marks = Marks.from_json(json.dumps(content["marks"]))
            known.append({"student": student, "file": file, "prints": content["prints"], "marks": marks})
        except (OSError, ValueError, KeyError):
            waiting.append(student)
    return known, waiting


def write(path, text):
    """Write a text as UTF-8, atomically and with newlines as they are."""
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8", newline=""))


# grades ---------------------------------------------------------------------------------------------------------------


def grades(known):
    """The text of grades.csv: a line for each student."""
    tasks = [task for task in known[0]["marks"].tasks if not task.practice]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(["student", *(task.name for task in tasks), "total", "of", "remark"])
    for each in known:
        marks = each["marks"]
        got = {task.name: amount(task.cents / 100) for task in marks.tasks}
        row = [cell(each["student"]), *(got.get(task.name, "0") for task in tasks)]
        table.writerow([*row, amount(marks.points), amount(marks.total), cell(remark(marks))])
    return text.getvalue()


def cell(text):
    """A text that a spreadsheet takes for a text."""
    return f"'{text}" if text.startswith(FORMULA) else text


def remark(marks):
    """What the teacher has to know of a submission: what is wrong with it, or why a task crashed; or ""."""
    if marks.problem:
        return marks.problem
    return next((task.message for task in marks.tasks if task.status == "crashed"), "")


def histogram(marks, path):
    """A picture of how many got how much."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    total = marks[0].total or 1
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.hist([each.points for each in marks], bins=[total * k / 20 for k in range(21)], color="#4477aa", edgecolor="w")
    axes.set(
        xlabel=f"points, of {amount(total)}", ylabel="submissions", title=f"{marks[0].title}: {len(marks)} submissions"
    )
    axes.yaxis.get_major_locator().set_params(integer=True)
    figure.savefig(path, format="png", dpi=120, metadata={"Software": None})


# the report -----------------------------------------------------------------------------------------------------------


def whole_report(known, waiting, pairs, more):
    """The report, a Markdown text. known: results; waiting: students without one; pairs: alike; more: left out."""
    marks = [each["marks"] for each in known]
    lines = [f"# {escaped(marks[0].title)}", "", *sums(marks, waiting), "", "![scores](scores.png)", ""]
    lines += ["## Tasks", "", *tasks_table(marks), ""]
    lines += ["## Known mistakes", "", *known_mistakes(marks), ""]
    lines += ["## Unknown mistakes", "", *unknown_mistakes(known), ""]
    lines += ["## Much alike", "", *alike(known, pairs, more), ""]
    return "\n".join([*lines, "## Remarks", "", *problems(known, waiting), ""])


def short(known, waiting, pairs):
    """The summary for the terminal: sums, unknown mistakes, pairs, and the first ten remarks."""
    marks = [each["marks"] for each in known]
    lines = [line.replace("**", "") for line in sums(marks, waiting) if line]
    lines.append(f"unknown mistakes: {len(unknowns(known))}; pairs that are much alike: {pairs}")
    failed = [each for each in known if each["marks"].problem or each["marks"].crashed]
    lines += [f"{each['student']}: {remark(each['marks'])}" for each in failed[:10]]
    lines += [f"and {len(failed) - 10} more with a remark"] if len(failed) > 10 else []
    return "\n".join(lines)


def sums(marks, waiting):
    """Lines of Markdown: how many are graded and how many are not, mean and median, and how many have all points."""
    points = [each.points for each in marks]
    lines = [
        f"{len(marks)} submissions graded" + (f", {len(waiting)} not yet" if waiting else ""),
        f"mean **{statistics.mean(points):.1f}**, median **{statistics.median(points):.1f}** "
        f"of {amount(marks[0].total)} points; all points: {sum(each.points == each.total for each in marks)}",
    ]
    return [lines[0], "", lines[1]]


def tasks_table(marks):
    """Lines of a Markdown table: by task, how many submissions have each status, and the mean points."""
    shown = ["right", "partly", "wrong", "waiting", "missing", "crashed"]
    lines = [
        f"| task | {' | '.join(WORDS[status] for status in shown)} | mean points |",
        "|---" * (len(shown) + 2) + "|",
    ]
    for task in marks[0].tasks:
        found = [other for each in marks for other in each.tasks if other.name == task.name]
        counts = Counter(each.status for each in found)
        mean = (
            "practice"
            if task.practice
            else f"{statistics.mean(each.cents for each in found) / 100:.1f} of {task.points}"
        )
        lines.append(f"| `{task.name}` | {' | '.join(str(counts[status]) for status in shown)} | {mean} |")
    return lines


def known_mistakes(marks):
    """Lines of a Markdown table of the known mistakes that were made, the most frequent first."""
    counts = Counter((task.name, task.mistake["title"]) for each in marks for task in each.tasks if task.mistake)
    if not counts:
        return ["None."]
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ["| how often | task | mistake |", "|---|---|---|"] + [
        f"| {count} | `{task}` | {escaped(title)} |" for (task, title), count in rows
    ]


def unknowns(known):
    """[(task, fingerprint, [(student, `TaskMarks`)])], the most frequent first."""
    found = {}
    for each in known:
        for task in each["marks"].tasks:
            if task.fingerprint and not task.mistake:
                found.setdefault((task.name, task.fingerprint), []).append((each["student"], task))
    rows = [(*key, who) for key, who in found.items()]
    return sorted(rows, key=lambda row: (-len(row[2]), row[0], row[1]))


def unknown_mistakes(known):
    """Wrong numbers, or messages, that are no known mistake's, by how many submissions give the very same."""
    found = unknowns(known)
    lines = ["None."] if not found else []
    for task, fingerprint, who in found[:MOST_UNKNOWN]:
        students = ", ".join(escaped(student) for student, _ in who[:EXAMPLES]) + (", …" if len(who) > EXAMPLES else "")
        said = [who[0][1].message, *(finding.message for finding in who[0][1].findings), *who[0][1].lines]
        lines += [f"**{len(who)}** times in `{task}` ({fingerprint}): {students}", ""]
        lines += [*fenced([line for line in said if line][:12]), ""]
    return lines + ([f"And {len(found) - MOST_UNKNOWN} more."] if len(found) > MOST_UNKNOWN else [])


def alike(known, pairs, more):
    """Lines of a Markdown table of pairs that are alike, and how many more there are."""
    if not pairs:
        return ["No pairs."]
    name = {each["file"]: escaped(each["student"]) for each in known}
    lines = [ABOUT_PAIRS, "", "| likeness | in common | | |", "|---|---|---|---|"]
    lines += [f"| {pair.likeness:.2f} | {pair.common} | {name[pair.one]} | {name[pair.other]} |" for pair in pairs]
    return lines + (["", f"And {more} more pairs."] if more else [])


def problems(known, waiting):
    """Lines of a Markdown list of remarks, and of students whose results are missing, by name."""
    found = [(each["student"], remark(each["marks"])) for each in known if remark(each["marks"])]
    found += [(student, "not graded yet") for student in waiting]
    return [f"* {escaped(student)}: {escaped(text)}" for student, text in sorted(found)] or ["None."]

"""What is made of the results of a class: grades, feedback for everybody, and a report for the teacher.

    OUT/grades.csv              points by task, what was corrected or late, and the sum
    OUT/for_moodle.csv, for_canvas.csv, for_gradescope.csv       sums, for import
    OUT/feedback/STUDENT.md     what a student gets back; .html the same as a page
    OUT/report.md               how it went: scores, tasks, outputs, known mistakes, unknown ones by frequency with
                                examples, groups that are much alike, remarks, and what in the folder was no submission
    OUT/commonest.md            the commonest mistakes of the class, for the class
    OUT/alike/GROUP.html        the texts of such a group side by side
    OUT/scores.png              the histogram of scores

Unknown mistakes are wrong numbers that no known mistake gives. Who writes the most frequent one down as a `Mistake`
names it for everybody who makes it from then on. Deadlines, corrections and who is who come from the class file
(`roster`), each time anew.
"""

import json
import shutil
import statistics
from functools import partial
from pathlib import Path

from tinyrnn.core.files import read_json, write_atomically
from tinyrnn.grading.classroom import alike, lms
from tinyrnn.grading.classroom.roster import NOBODY, Student, read_roster
from tinyrnn.grading.classroom.similarity import HandedOut, groups
from tinyrnn.grading.classroom.tables import commonest, known_mistakes, outputs_table, tasks_table, unknown_mistakes
from tinyrnn.grading.classroom.tables import unknowns as unknowns
from tinyrnn.grading.feedback import escaped, markdown, page
from tinyrnn.grading.marks import Marks, TaskMarks
from tinyrnn.grading.report import amount

NOTHING = "nothing handed in"
MOST_PAIRS = 20  # named besides groups
TABLES = {"moodle": lms.moodle, "canvas": lms.canvas, "gradescope": lms.gradescope}
BROKEN = "no report can be made of the result"
NO_MISTAKE = "No known mistake was made.\n"
NOT_NAMED = "Mistakes were not named: the class was graded for points only.\n"
ABOUT_GROUPS = (
    "These have more in common than others of the class: runs of tokens, where names that students chose, comments and "
    "line breaks do not count, nor what was handed out. Likeness 1 means all that one of the two has. It says where to "
    "look, and not that anything was copied; in small exercises right solutions are alike by themselves."
)


def report(out, class_file=None):
    """Writes everything anew from the results in a folder, and returns a text of a few lines. class_file: path of a
    class.toml; None: the one that was named when it was graded. ValueError in a line if there are no results."""
    out = Path(out)
    found = load(out, class_file)
    known = found["known"]
    if not known:
        raise ValueError(f"{out} has no results yet: `tinyrnn teach grade` makes them")
    given = HandedOut(found["given"].get("skeleton.py", ""), found["given"].values())
    (out / "feedback").mkdir(exist_ok=True)
    prints = told_one_by_one(out, found, given)
    if not known:
        raise ValueError(f"of no result in {out} a report can be made: {'; '.join(map(': '.join, found['broken']))}")
    write(out / "grades.csv", grades(known))
    for name, made in TABLES.items():
        write(out / f"for_{name}.csv", made(known[0]["marks"].title, known))
    write_atomically(out / "scores.png", lambda path: histogram(read(known), path))
    write(out / "commonest.md", commonest(read(known)) or (NO_MISTAKE if found["named"] else NOT_NAMED))
    much_alike, loose = groups(prints)
    write_pages(out / "alike", much_alike, {each["file"]: (each["student"], each["text"]) for each in known}, given)
    write(out / "report.md", whole_report(found, much_alike, loose))
    return short(found, much_alike)


def told_one_by_one(out, found, given):
    """Writes everybody's feedback, and returns file -> prints of the texts. Whoever's result a report fails on, alone,
    is taken out of `found["known"]` and put into `found["broken"]` with the reason, so that no report depends on what
    is in every result."""
    prints, sound = {}, []
    for each in found["known"]:
        try:
            if not each["missing"]:
                counted = {"total": each["counted"].total, "said": (*each["counted"].said, *each["notes"])}
                write(out / "feedback" / f"{each['file']}.md", markdown(each["student"], each["marks"], **counted))
                write(out / "feedback" / f"{each['file']}.html", page(each["student"], each["marks"], **counted))
            mine = given.prints(each["text"])
            alone = {**found, "known": [each]}
            for made in (grades, commonest, *(partial(table, "") for table in TABLES.values())):
                made([each])
            whole_report(alone, [], [])
            short(alone, [])
        except Exception as error:
            found["broken"].append(
                (each["student"], f"{BROKEN} ({type(error).__name__}: {' '.join(str(error).split())})")
            )
        else:
            prints[each["file"]] = mine
            sound.append(each)
    found["known"][:] = sound
    return prints


def load(out, class_file=None):
    """What is known of a class: {"known": one dict for each student (student, file, text, marks, who, counted, …),
    "waiting": names of those without a result, "broken": (name, reason) of those left out, "others": entries that are
    no submission, "given": texts}."""
    out = Path(out)
    try:
        class_ = read_json(out / "class.json")
    except OSError:
        raise ValueError(f"{out} is no folder with results: there is no class.json in it") from None
    if not isinstance(class_, dict) or "others" not in class_:
        raise ValueError(f"{out} holds results of an older version: the command that graded makes them anew")
    path = class_file or (out / class_["class_file"] if class_["class_file"] else None)
    roster, known, waiting = read_roster(path) if path else NOBODY, [], []
    for about in class_["students"]:
        try:
            content = read_json(out / "results" / f"{about['file']}.json")
            marks = Marks.from_json(json.dumps(content["marks"]))
            text = content["text"]
        except (OSError, ValueError, KeyError, TypeError):
            waiting.append(about["student"])
            continue
        who = roster.find(about["student"], about["id"])
        counted = roster.counted(who, class_["exercise"], marks, about["time"], about["late"])
        known.append({**about, "text": text, "marks": marks, "who": who, "counted": counted, "missing": False})
    if known:
        there = {each["who"] for each in known}
        known += [without(each, roster, class_["exercise"], known[0]["marks"]) for each in roster.students
                  if each not in there]  # fmt: skip
    found = {"known": known, "waiting": waiting, "broken": [], "others": class_["others"], "given": class_["given"]}
    return found | {"roster": roster, "named": class_.get("named", True)}


def without(student: Student, roster, exercise, example):
    """What is known of a student of the class file who has handed in nothing. example: `Marks` of another one."""
    marks = Marks(example.exercise, example.number, example.title, example.file, "", True, problem=NOTHING)
    for task in example.tasks:
        marks.tasks.append(TaskMarks(task.name, task.title, task.points, "missing", practice=task.practice))
    counted = roster.counted(student, exercise, marks)
    about = {"student": student.name, "file": "", "id": student.id, "notes": [], "unreadable": NOTHING, "text": ""}
    return {**about, "marks": marks, "who": student, "counted": counted, "missing": True}


def read(known):
    """Those whose submissions could be read: of which means are taken, and mistakes counted."""
    return [each for each in known if not each["unreadable"]]


def write(path, text):
    """Write a text as UTF-8, atomically and with newlines as they are; what is no text as its number."""
    content = text.encode("utf-8", "backslashreplace")
    write_atomically(path, lambda temporary: temporary.write_bytes(content))


def write_pages(folder, much_alike, texts, given):
    """A page for each group, and none of an earlier report."""
    shutil.rmtree(folder, ignore_errors=True)
    for number, group in enumerate(much_alike, 1):
        folder.mkdir(exist_ok=True)
        write(folder / f"group-{number}.html", alike.page(f"Group {number}", group, texts, given))


# grades ---------------------------------------------------------------------------------------------------------------


def grades(known):
    """The text of grades.csv: a line for each student."""
    tasks = [task for task in known[0]["marks"].tasks if not task.practice]
    header = ["student", "id", "mail", *(task.name for task in tasks)]
    rows = []
    for each in known:
        marks, counted = each["marks"], each["counted"]
        id, mail, name = lms.who(each)
        got = {task.name: amount(task.cents / 100) for task in marks.tasks}
        sums = [amount(value) for value in (counted.points, counted.corrected, counted.late, counted.total)]
        points = [got.get(task.name, "0") for task in tasks]
        rows.append([name, id, mail, *points, *sums, amount(marks.total), lms.cell(remark(each))])
    return lms.table([*header, "points", "corrected", "days late", "total", "of", "remark"], rows)


def remark(each):
    """What the teacher has to know of a submission: what is wrong with it, why a task crashed, how it was read and what
    was counted; or ""."""
    marks = each["marks"]
    crashed = next((task.message for task in marks.tasks if task.status == "crashed"), "")
    said = [marks.problem or crashed, *each["notes"], *each["counted"].said]
    return "; ".join(text for text in said if text)


def histogram(known, path):
    """A picture of how many got how much."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    total = known[0]["marks"].total if known else 1
    title = f"{known[0]['marks'].title}: " if known else ""
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    points = [each["counted"].total for each in known]
    axes.hist(points, bins=[total * k / 20 for k in range(21)], color="#4477aa", edgecolor="w")
    axes.set(xlabel=f"points, of {amount(total)}", ylabel="submissions", title=f"{title}{len(known)} submissions")
    axes.yaxis.get_major_locator().set_params(integer=True)
    figure.savefig(path, format="png", dpi=120, metadata={"Software": None})


# the report -----------------------------------------------------------------------------------------------------------


def whole_report(found, much_alike, loose):
    """The report, a Markdown text. found: of `load`; much_alike: `LookAlikes`; loose: further `AlikePair`s."""
    known, marks = found["known"], [each["marks"] for each in read(found["known"])]
    lines = [f"# {escaped(known[0]['marks'].title)}", "", *sums(found), "", "![scores](scores.png)", ""]
    lines += ["## Tasks", "", *tasks_table(marks), "", "## Outputs and hidden corners", "", *outputs_table(marks), ""]
    lines += ["## Known mistakes", "", *known_mistakes(read(known)), ""]
    lines += ["## Unknown mistakes", "", *unknown_mistakes(read(known)), ""]
    lines += ["## Much alike", "", *alike_lines(known, much_alike, loose), ""]
    lines += ["## Remarks", "", *remarks(found), ""]
    others = [f"* {escaped(name)}: {escaped(reason)}" for name, reason in found["others"]]
    return "\n".join([*lines, "## In the folder, and no submission", "", *(others or ["Nothing."]), ""])


def short(found, much_alike):
    """The summary for the terminal: sums, unknown mistakes, groups, and the first ten remarks."""
    known = found["known"]
    lines = [line.replace("**", "") for line in sums(found) if line]
    count = len(unknowns(read(known)))
    lines.append(f"unknown mistakes: {count}; groups that are much alike: {len(much_alike)}")
    failed = [each for each in known if each["marks"].problem or each["marks"].crashed or each["notes"]]
    lines += [f"{each['student']}: {remark(each)}" for each in failed[:10]]
    lines += [f"and {len(failed) - 10} more with a remark"] if len(failed) > 10 else []
    lines += [f"left out: {student}: {reason}" for student, reason in found["broken"][:10]]
    lines += [f"no submission: {name} ({reason})" for name, reason in found["others"][:10]]
    return "\n".join(lines + ([f"and {len(found['others']) - 10} more"] if len(found["others"]) > 10 else []))


def sums(found):
    """Lines of Markdown: how many are graded and how many are not, mean and median, and how many have all points."""
    known, waiting = found["known"], found["waiting"]
    points = [each["counted"].total for each in read(known)]
    missing = sum(each["missing"] for each in known)
    first = [f"{len(known) - missing} submissions graded"]
    first += [f"{len(waiting)} not yet"] if waiting else []
    first += [f"{len(found['broken'])} left out"] if found["broken"] else []
    unread = len(known) - len(points) - missing
    first += [f"{unread} of them could not be read and count in no mean"] if unread else []
    first += [f"{missing} of the class handed in nothing"] if missing else []
    if not points:
        return [", ".join(first)]
    total = known[0]["marks"].total
    return [
        ", ".join(first),
        "",
        f"mean **{statistics.mean(points):.1f}**, median **{statistics.median(points):.1f}** "
        f"of {amount(total)} points; all points: {sum(each >= total for each in points)}",
    ]


def alike_lines(known, much_alike, loose):
    """Lines of a Markdown table of groups that are alike, and of pairs besides."""
    if not much_alike:
        return ["No groups."]
    name = {each["file"]: escaped(each["student"]) for each in known}
    lines = [ABOUT_GROUPS, "", "| group | likeness | who | side by side |", "|---|---|---|---|"]
    for number, group in enumerate(much_alike, 1):
        low, high = min(pair.likeness for pair in group.pairs), max(pair.likeness for pair in group.pairs)
        who = ", ".join(name[each] for each in group.members)
        lines.append(f"| {number} | {low:.2f} to {high:.2f} | {who} | [texts](alike/group-{number}.html) |")
    if loose:
        said = [f"{name[pair.one]} and {name[pair.other]} ({pair.likeness:.2f})" for pair in loose[:MOST_PAIRS]]
        more = f", and {len(loose) - MOST_PAIRS} more" if len(loose) > MOST_PAIRS else ""
        lines += ["", f"Pairs that are in no group together: {', '.join(said)}{more}."]
    return lines


def remarks(found):
    """Lines of a Markdown list of remarks, and of students whose results are missing, by name."""
    said = [(each["student"], remark(each)) for each in found["known"] if remark(each)]
    said += [*((student, "not graded yet") for student in found["waiting"]), *found["broken"]]
    if found["roster"].students:
        said += [(each["student"], "not in the class file") for each in found["known"] if each["who"] is None]
    return [f"* {escaped(student)}: {escaped(text)}" for student, text in sorted(said)] or ["None."]

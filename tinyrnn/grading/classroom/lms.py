"""Grades as learning platforms take them, and one table over all exercises. Text stays text in a spreadsheet."""

import csv
import io

from tinyrnn.grading.report import amount

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # with which a spreadsheet would begin to calculate


def cell(text):
    """A text that a spreadsheet takes for a text."""
    return f"'{text}" if text.startswith(FORMULA) else text


def table(header, rows):
    """The text of a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def moodle(title, known):
    """For Moodle's grade import, by ID number or email address."""
    header = ["ID number", "Email address", "Full name", f"{title} (points)", f"{title} (feedback)"]
    return table(header, [[*who(each), amount(each["counted"].total), cell(said(each))] for each in known])


def canvas(title, known):
    """For Canvas's gradebook import. ID is the one in the names of downloaded submissions."""
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]
    rows = []
    for each in known:
        id, mail, name = who(each)
        rows.append([name, "" if each["id"] == id else each["id"], id, mail, "", amount(each["counted"].total)])
    return table(header, rows)


def gradescope(title, known):
    """As Gradescope's own export of grades has it."""
    rows = []
    for each in known:
        id, mail, name = who(each)
        status = "Missing" if each["missing"] else "Graded"
        rows.append([name, id, mail, amount(each["counted"].total), amount(each["marks"].total), status])
    return table(["Name", "SID", "Email", "Total Score", "Max Points", "Status"], rows)


def who(each):
    """(id, mail, name) of a student, by the class file if they are in it."""
    student = each["who"]
    if student is None:
        return cell(each["id"]), "", cell(each["student"])
    return cell(student.id), cell(student.mail), cell(student.name)


def said(each):
    """What stands beside a total: what was counted besides the marks."""
    return "; ".join(each["counted"].said)


def over_all(classes, drop_worst=0):
    """The text of a CSV with a row for each student and a column for each exercise, and their sum.

    classes: [(title, points that can be had, known)]; drop_worst: so many of a student's exercises with the smallest
    part of their points are left out of the sum, and stand in parentheses. What was not handed in is 0.
    """
    students = {}
    for number, (_, possible, known) in enumerate(classes):
        for each in known:
            key = who(each)
            students.setdefault(key, {})[number] = (each["counted"].total, possible)
    rows = []
    for key, got in sorted(students.items(), key=lambda item: item[0][2]):
        got = {number: got.get(number, (0.0, possible)) for number, (_, possible, _) in enumerate(classes)}
        worst = sorted(got, key=lambda number: got[number][0] / (got[number][1] or 1))[: min(drop_worst, len(got) - 1)]
        cells = [f"({amount(p)})" if number in worst else amount(p) for number, (p, _) in got.items()]
        kept = [got[number] for number in got if number not in worst]
        rows.append([*key, *cells, amount(round(sum(p for p, _ in kept), 2)), amount(sum(of for _, of in kept))])
    return table(["id", "mail", "student", *(title for title, _, _ in classes), "total", "of"], rows)

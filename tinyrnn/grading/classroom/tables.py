"""What is counted over the results of a class, as lines of Markdown: tasks, outputs, mistakes."""

import statistics
from collections import Counter

from tinyrnn.grading.feedback import WORDS, escaped, fenced

EXAMPLES = 5  # students named for a mistake
MOST_UNKNOWN = 100


def tasks_table(marks):
    """By task, how many submissions have each status, the mean points, and how well the task separates: the correlation
    of its points with those of all others, near 0 where it says nothing about who is good at the rest."""
    shown = ["right", "partly", "wrong", "waiting", "missing", "crashed"]
    lines = [
        f"| task | {' | '.join(WORDS[status] for status in shown)} | mean points | separates |",
        "|---" * (len(shown) + 3) + "|",
    ]
    for task in marks[0].tasks if marks else ():
        found = [(each, other) for each in marks for other in each.tasks if other.name == task.name]
        counts = Counter(other.status for _, other in found)
        got = [other.cents / 100 for _, other in found]
        mean = "practice" if task.practice else f"{statistics.mean(got):.1f} of {task.points}"
        apart = "" if task.practice else separation(got, [each.points - other.cents / 100 for each, other in found])
        numbers = " | ".join(str(counts[status]) for status in shown)
        lines.append(f"| `{task.name}` | {numbers} | {mean} | {apart} |")
    return lines


def separation(own, rest):
    """The correlation of two lists of points, as text; "" where either does not vary."""
    if len(own) < 3 or len(set(own)) == 1 or len(set(rest)) == 1:
        return ""
    return f"{statistics.correlation(own, rest):.2f}"


def outputs_table(marks):
    """By output, how many of the submissions that were run for it are right in the public cases, and how many of those
    fall in a hidden corner: right in public cases, wrong in a hidden one."""
    lines = ["| task | output | run | right in public cases | of these wrong in hidden ones |", "|---|---|---|---|---|"]
    for task in marks[0].tasks if marks else ():
        for place, output in enumerate(task.outputs):
            found = [each.task(task.name).outputs for each in marks]
            found = [outputs[place] for outputs in found if len(outputs) == len(task.outputs)]
            run = [each for each in found if each.public is not None]
            public = [each for each in run if each.public]
            corner = sum(each.hidden is False for each in public)
            lines.append(f"| `{task.name}` | {escaped(output.name)} | {len(run)} | {len(public)} | {corner} |")
    return lines


def made_mistakes(known):
    """[((task, title), students)] of the known mistakes that were made, the most frequent first."""
    who = {}
    for each in known:
        for task in each["marks"].tasks:
            if task.mistake:
                who.setdefault((task.name, task.mistake["title"]), []).append(each["student"])
    return sorted(who.items(), key=lambda item: (-len(item[1]), item[0]))


def known_mistakes(known):
    """A table of the known mistakes that were made, the most frequent first, and by whom."""
    rows = made_mistakes(known)
    if not rows:
        return ["None."]
    return ["| how often | task | mistake | who |", "|---|---|---|---|"] + [
        f"| {len(who)} | `{task}` | {escaped(title)} | {some(who)} |" for (task, title), who in rows
    ]


def some(students):
    """The first of some students' names, as Markdown."""
    return ", ".join(map(escaped, students[:EXAMPLES])) + (", …" if len(students) > EXAMPLES else "")


def commonest(known, most=5):
    """The text of a sheet for the class: its commonest known mistakes, without names. "" if none was made."""
    rows = made_mistakes(known)[:most]
    if not rows:
        return ""
    marks = known[0]["marks"]
    words = {1: "commonest mistake", 2: "two commonest mistakes", 3: "three commonest mistakes"}
    words |= {4: "four commonest mistakes", 5: "five commonest mistakes"}
    lines = [f"# {escaped(marks.title)}: the {words.get(len(rows), 'commonest mistakes')} of your class", ""]
    for number, ((task, title), who) in enumerate(rows, 1):
        about = marks.task(task)
        times = "once" if len(who) == 1 else f"{len(who)} times"
        lines += [f"## {number}. {escaped(title)}", "", f"In `{task}`, made {times} in {len(known)} submissions.", ""]
        lines += [escaped(about.why), ""] if about.why else []
        lines += [f"Read again: “{escaped(about.section)}” in the handout.", ""] if about.section else []
    return "\n".join(lines)


def unknowns(known):
    """[(task, fingerprint, [(student, `TaskMarks`)])] of wrong numbers, the most frequent first. What gave no numbers
    at all, a file that does not load or a call that ends in an error, is none; neither is practice."""
    found = {}
    for each in known:
        for task in each["marks"].tasks:
            if task.fingerprint and not task.mistake and not task.practice and task.findings:
                found.setdefault((task.name, task.fingerprint), []).append((each["student"], task))
    rows = [(*key, who) for key, who in found.items()]
    return sorted(rows, key=lambda row: (-len(row[2]), row[0], row[1]))


def unknown_mistakes(known):
    """Wrong numbers that are no known mistake's, by how many submissions give the very same."""
    found = unknowns(known)
    lines = ["None."] if not found else []
    for task, fingerprint, who in found[:MOST_UNKNOWN]:
        said = [who[0][1].message, *(finding.message for finding in who[0][1].findings), *who[0][1].lines]
        lines += [f"**{len(who)}** times in `{task}` ({fingerprint}): {some([student for student, _ in who])}", ""]
        lines += [*fenced([line for line in said if line][:12]), ""]
    return lines + ([f"And {len(found) - MOST_UNKNOWN} more."] if len(found) > MOST_UNKNOWN else [])

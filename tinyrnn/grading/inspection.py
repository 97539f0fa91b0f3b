"""What can be found wrong with an exercise without running a submission: points, names, sections, and whether what is
handed out gives a solution away. Each function returns findings, texts of one line; none means all is well."""

import re
import traceback
from collections import Counter
from pathlib import Path

from tinyrnn.grading.answers import mistaken
from tinyrnn.grading.editions import unused
from tinyrnn.grading.exercise import FOLDER
from tinyrnn.grading.skeleton import blocks, parsed, solution_lines, squeezed

POINTS = 100  # of every exercise
HINTED = 10  # a statement this long, without spaces, must not stand in a hint
ROW = re.compile(r"^\s*\|(.*)\|\s*$")
CODE = re.compile(r"`(\w+)`")


def inspect(exercise, files, masters):
    """All findings on one exercise of the teacher's. files: what is handed out of it, name -> bytes (`build.parts`);
    masters: folder name -> text of the master, of all exercises."""
    return [
        *points(exercise),
        *tasks(exercise),
        *names(exercise),
        *sections(exercise),
        *hints(exercise, masters[exercise.folder.name]),
        *leaks(files, masters),
        *unused(exercise),
    ]


def points(exercise):
    """Points are whole numbers that add up to 100, and the table in the handout says the same."""
    given = {task.name: task.points for task in exercise.tasks.values()}
    found = [f"{name}: points are whole numbers from 0, not {p!r}" for name, p in given.items() if not whole(p)]
    if found:
        return found
    if exercise.points != POINTS:
        found.append(f"the tasks have {exercise.points} points together, not {POINTS}")
    told = table(exercise.handout)
    for task in exercise.tasks.values():
        if task.practice != (task.points == 0):
            found.append(f"{task.name}: a task for practice has no points, and every other has some")
        elif not task.practice and task.name not in told:
            found.append(f"{task.name}: the points table of the handout has no row for it")
        elif not task.practice and told[task.name] != task.points:
            found.append(f"{task.name}: {told[task.name]} points in the handout, {task.points} in checks.py")
    found += [f"the points table of the handout has {name}, which is no task" for name in told if name not in given]
    return found


def whole(number):
    """Whether it is a whole number, not negative; a bool is none."""
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def table(handout):
    """task name -> points, from the rows of the handout's tables that hold one name in backticks and a number, the last
    one of which counts."""
    told = {}
    for line in handout.splitlines():
        row = ROW.match(line)
        if row:
            cells = [cell.strip().strip("*") for cell in row[1].split("|")]
            named = [match[1] for cell in cells if (match := CODE.fullmatch(cell))]
            numbers = [int(cell) for cell in cells if cell.isdecimal()]
            if len(named) == 1 and numbers:
                told[named[0]] = numbers[-1]
    return told


def tasks(exercise):
    """Every task can be run: its function is in the master and was not handed out, its numbers make sense, and it waits
    for earlier tasks only."""
    found, earlier = [], set()
    asked = {name for task in exercise.tasks.values() for name in (task.name, *(task.pair or ()))}
    text = (exercise.folder / "master.py").read_text(encoding="utf-8")
    solved = {block.function for block in blocks(text)}
    for task in exercise.tasks.values():
        for name in (task.name, *(task.pair or ())):
            if not callable(getattr(exercise.master, name, None)):
                found.append(f"{task.name}: there is no function {name} in the master")
        if task.forward and f"def {task.partners[0]}(" not in task.forward:
            found.append(f"{task.name}: what it gives as forward defines no {task.partners[0]}")
        if task.name not in solved:
            found.append(f"{task.name}: nothing of it is between solution markers")
        found += [f"{task.name}: it waits for {other}, no earlier task" for other in task.after if other not in earlier]
        if not task.outputs or len(set(task.outputs)) != len(task.outputs):
            found.append(f"{task.name}: outputs must be one or more different names")
        if task.number < 1:
            found.append(f"{task.name}: there must be at least one public case")
        if not 0 < task.tolerance <= 1e-3:
            found.append(f"{task.name}: a tolerance of {task.tolerance} is not sensible")
        if len(task.hints) != 3 or not all(hint.strip() for hint in (*task.hints, task.why, task.title)):
            found.append(f"{task.name}: it needs a title, a reason why, and three hints")
        if len(set(task.hints)) != len(task.hints):
            found.append(f"{task.name}: two of its hints are the same")
        if not task.practice and not any(m.task == task.name and not m.accepted for m in exercise.mistakes):
            found.append(f"{task.name}: no mistake is known, so nothing shows that the check notices one")
        earlier.add(task.name)
    alone = dict.fromkeys(block.function for block in blocks(text) if block.function not in (None, *asked))
    return found + [f"the master has a solution of {name}, which is no task in checks.py" for name in alone]


def names(exercise):
    """Names of tasks and mistakes are unique and refer to something."""
    found = [f"there are {n} tasks called {name}" for name, n in repeated(t.name for t in exercise.checks.TASKS)]
    found += [f"there are {n} mistakes called {name}" for name, n in repeated(m.name for m in exercise.mistakes)]
    found += [f"hidden.py has {name}, which is no task" for name in exercise.hidden if name not in exercise.tasks]
    for mistake in exercise.mistakes:
        if mistake.task not in exercise.tasks:
            found.append(f"mistake {mistake.name}: there is no task {mistake.task}")
        if not mistake.accepted and not mistake.title.strip():
            found.append(f"mistake {mistake.name}: it has no title to tell the student")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", mistake.name):
            found.append(f"mistake {mistake.name}: a name is a few words in small letters, joined by hyphens")
    told = Counter((m.task, m.title) for m in exercise.mistakes if not m.accepted)
    found += [f"{task}: two mistakes have the title {title!r}" for (task, title), n in told.items() if n > 1]
    return found


def repeated(texts):
    """(text, how often) of each text that is there more than once."""
    return [(text, n) for text, n in Counter(texts).items() if n > 1]


def sections(exercise):
    """The section that a task names is a heading of the handout."""
    headings = {line.lstrip("#").strip() for line in exercise.handout.splitlines() if re.match(r"#{1,6} ", line)}
    return [
        f"{task.name}: the handout has no section {task.section!r}"
        for task in exercise.tasks.values()
        if task.section not in headings
    ]


def hints(exercise, master):
    """No hint, reason or title of a mistake contains a statement of a solution, however short."""
    said = [(f"hint {n + 1}", task.name, hint) for task in exercise.tasks.values() for n, hint in enumerate(task.hints)]
    said += [("the reason why", task.name, task.why) for task in exercise.tasks.values()]
    said += [(f"the title of mistake {m.name}", m.task, m.title) for m in exercise.mistakes]
    lines = statements(master)
    return [
        f"{task}: {where} contains a line of the solution: {line}"
        for where, task, text in said
        for line in lines
        if squeezed(line) in squeezed(text)
    ]


def statements(master):
    """Lines of solutions that assign or return what has to be worked out, so long that they are not met by chance."""
    code = master.splitlines()
    inside = [line.strip() for block in blocks(master) for line in code[block.first : block.last - 1]]
    inside = [line.split("  #")[0].removeprefix("return ").strip() for line in inside if not line.startswith("#")]
    worked = [line for line in inside if re.search(r"[-+*/@(]", line) and len(squeezed(line)) >= HINTED]
    return [line for line in dict.fromkeys(worked) if re.search(r" [-+*/@]?= |[-+*/@]", line)]


def leaks(files, masters):
    """Nothing that is handed out contains a line of any exercise's solution, in whatever way it is broken or spaced."""
    found = []
    texts = {name: squeezed(data.decode()) for name, data in files.items() if not name.endswith((".npz", ".png"))}
    texts |= {f"a text in {name}": joined(files[name].decode()) for name in files if name.endswith(".py")}
    for folder, master in masters.items():
        lines = {squeezed(line): (number, line) for number, line in solution_lines(master)}
        for name, text in texts.items():
            for line in lines:
                if line in text:
                    number, as_written = lines[line]
                    found.append(f"{name} contains line {number} of the master of {folder}: {as_written}")
    return found


def joined(code):
    """All texts in Python code, one after the other, without white space: what is written in pieces is put together."""
    import ast

    tree = parsed(code, "a file handed out")
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\0".join(squeezed(string) for string in strings)


def statics(one, making=True):
    """What can be found without marking anything and without what is handed out, in words: points, tasks that came or
    went, names, sections, hints; making: and mistakes that cannot be made."""
    try:
        return [*inspect(one, {}, {one.folder.name: master_text(one)}), *(unmade(one) if making else ())]
    except Exception as error:
        return unmade(one) or [one_line(error).removeprefix(f"{one.folder.name}: ")]


def unmade(one):
    """Known mistakes that cannot be made in the master's text, as findings."""
    found = []
    try:
        for mistake in one.mistakes:
            try:
                mistaken(master_text(one), mistake)
            except ValueError as error:
                found.append(str(error))
    except Exception as error:
        found.append(one_line(error))
    return found


def one_line(error):
    """An error in one line: the first of a ValueError's text, else with the name of its type before it, and where in an
    exercise's file it was raised."""
    text = str(error).strip().splitlines()
    if isinstance(error, ValueError) and text:
        return text[0]
    frames = [(Path(f.filename), f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    places = [f" ({path.name}, line {line})" for path, line in frames if FOLDER.fullmatch(path.parent.name)]
    return f"{type(error).__name__}: {text[0] if text else ''}{places[-1] if places else ''}"


def master_text(one):
    """The text of an exercise's master.py."""
    return (one.folder / "master.py").read_text(encoding="utf-8")

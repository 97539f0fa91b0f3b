"""The model answers of an exercise as a page, to be shown after the deadline: of each task what it was for, the code,
and what goes wrong most, known mistakes by their titles."""

from pathlib import Path

from tinyrnn.core.files import write_atomically
from tinyrnn.grading.feedback import escaped
from tinyrnn.grading.inspection import master_text
from tinyrnn.grading.skeleton import BEGIN, END, function_text
from tinyrnn.grading.webpage import page


def markdown(exercise):
    """The text, Markdown. exercise: of the teacher's."""
    text = master_text(exercise)
    lines = [f"# {escaped(exercise.title)}: model answers", ""]
    lines += ["One way to write each of them; others get all points as well.", ""]
    for task in exercise.tasks.values():
        points = "practice" if task.practice else f"{task.points} points"
        lines += [f"## `{task.name}`: {escaped(task.title)} ({points})", "", escaped(task.why), ""]
        lines += ["```python", *code(text, task.name), "```", ""]
        mistakes = [m.title for m in exercise.mistakes if m.task == task.name and not m.accepted]
        if mistakes:
            lines += ["What goes wrong:", "", *(f"* {escaped(title)}" for title in mistakes), ""]
        others = [m.title for m in exercise.mistakes if m.task == task.name and m.accepted and m.title]
        if others:
            lines += ["Also right:", "", *(f"* {escaped(title)}" for title in others), ""]
    return "\n".join(lines)


def code(text, name):
    """The lines of a function in a master, without the markers."""
    return [line for line in function_text(text, name).splitlines() if line.strip() not in (BEGIN, END)]


def write_answers(chosen, out):
    """Writes a text and a page for each exercise into the folder `out`; returns their names."""
    out, names = Path(out), []
    out.mkdir(parents=True, exist_ok=True)
    for each in chosen:
        text = markdown(each)
        stem = f"{each.file.removesuffix('.py')}_answers"
        for name, content in ((f"{stem}.md", text), (f"{stem}.html", page(f"{each.title}: model answers", text))):
            data = content.encode()
            write_atomically(out / name, lambda temporary, data=data: temporary.write_bytes(data))
            names.append(name)
    return names

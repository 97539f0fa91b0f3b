"""`tinyrnn teach handout`: everything a student needs for an exercise, or for all of them, and no solution.

README.md                   what this is, and the line that installs it
tinyrnn-….whl               this package with the exercises that are handed out
ex3_gates.md, .html         the text; as a page with equations and its picture in it
ex3_gates.png               the picture, where there is one
ex3_gates.py                to write in
test_ex3_gates.py           the public checks for pytest
play_ex3_gates.py           something to run when it works, where there is one
"""

from pathlib import Path

from tinyrnn.core.files import write_atomically
from tinyrnn.grading.build import parts
from tinyrnn.grading.classroom.archive import wheel, zipped
from tinyrnn.grading.exercise import exercises
from tinyrnn.grading.inspection import leaks
from tinyrnn.grading.submitting import beginnings
from tinyrnn.grading.webpage import page

README = """# {title}

{listed}

You need Python 3.11 or newer. In this folder, once:

```sh
{install}
```

Then, as often as you like, `tinyrnn check {number}` and `tinyrnn hint {number}`; at the end `tinyrnn submit {number}`.
In a new terminal, `. .venv/bin/activate` comes first. Where an environment of an earlier week is active, the last
command of the line above is enough: the new wheel has the earlier exercises in it too.
"""
INSTALL = "python3 -m venv .venv && . .venv/bin/activate && pip install ./{wheel} pytest"


def handed_out(chosen):
    """Everything in the folder: name -> bytes. chosen: exercises of the teacher's, all from one folder.

    The wheel holds earlier exercises too, as later ones may build on them. ValueError in a line for what is missing,
    and for a line of a solution in anything that is handed out.
    """
    root, last = chosen[0].folder.parent, max(each.number for each in chosen)
    made = {each: parts(each) for each in exercises(root) if each.number <= last}
    refuse_leaks(made)
    inside = {f"{each.folder.name}/{name}": data for each, files in made.items() for name, data in files.items()}
    wheel_name, wheel_bytes = wheel(inside)
    files = {wheel_name: wheel_bytes}
    for each in chosen:
        own = beginnings(each, made[each])
        stem = each.file.removesuffix(".py")
        pictures = {name: data for name, data in own.items() if name.endswith(".png")}
        text = own[f"{stem}.md"].decode()
        files |= {**own, f"{stem}.html": page(each.title, text, pictures).encode()}
    return {**files, "README.md": readme(chosen, wheel_name).encode()}


def refuse_leaks(made):
    """ValueError if a line of any solution is in what is handed out. made: exercise -> its files."""
    texts = {each.folder.name: (each.folder / "master.py").read_text(encoding="utf-8") for each in made}
    for each, files in made.items():
        found = leaks(files, texts)
        if found:
            raise ValueError(f"{each.folder.name}: {found[0]}")


def readme(chosen, wheel_name):
    """The text of README.md."""
    listed = "\n".join(
        f"* {each.number}, **{each.title}**: read `{each.file[:-3]}.html` (or `.md`), write in `{each.file}`"
        for each in chosen
    )
    title = f"Homework: {chosen[0].title}" if len(chosen) == 1 else "Homework"
    install = INSTALL.format(wheel=wheel_name)
    return README.format(title=title, listed=listed, install=install, number=chosen[0].number)


def hand_out(chosen, out):
    """Writes what `handed_out` makes into the folder `out`, or into a zip if the name ends so; returns its names.

    An earlier wheel in the folder is replaced. ValueError if the folder is one of a teacher's exercises.
    """
    out, files = Path(out), handed_out(chosen)
    if out.suffix == ".zip":
        write_atomically(out, lambda temporary: temporary.write_bytes(zipped(files)))
        return sorted(files)
    if out.is_dir() and exercises(out):
        raise ValueError(f"{out} holds exercises: what is handed out goes to a folder of its own")
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("tinyrnn-*+class.*.whl"):
        old.unlink()
    for name, data in files.items():
        write_atomically(out / name, lambda temporary, data=data: temporary.write_bytes(data))
    return sorted(files)

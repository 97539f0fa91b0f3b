"""Homework in a notebook: write in a cell, and see below it what is right.

    %load_ext tinyrnn
    %tinyrnn start 2                 any command, as in a terminal: check 2, hint 2, submit 2, …

    %%tinyrnn 2
    def elman_step(x, h_prev, Wx, Wh, b):
        return np.tanh(x @ Wx + h_prev @ Wh + b)

The cell goes into the student's file, over the function of that name; the whole file is then run in the notebook, so
that everything in it can be tried in the next cell; and what was written is checked. The file stays the one place where
the work is: `check`, pytest and `submit` know nothing of notebooks.
"""

import ast
import dataclasses
import shlex
from pathlib import Path

from tinyrnn.core.files import write_atomically
from tinyrnn.grading import submitting
from tinyrnn.grading.exercise import exercise
from tinyrnn.grading.marking import mark
from tinyrnn.grading.report import text
from tinyrnn.grading.workplace import root_of


def load(shell):
    """Gives an IPython shell the line magic %tinyrnn and the cell magic %%tinyrnn."""

    def command(line):
        from tinyrnn.commands.main import main

        try:
            main(shlex.split(line))
        except SystemExit:  # of --help, or of what is no command: it has been said
            pass

    def cell(line, code):
        try:
            print(written(line.strip(), code, shell.user_ns, Path.cwd()))
        except (ValueError, SyntaxError) as error:
            print(f"tinyrnn: {error}")

    shell.register_magic_function(command, magic_kind="line", magic_name="tinyrnn")
    shell.register_magic_function(cell, magic_kind="cell", magic_name="tinyrnn")


def written(which, code, names, folder):
    """Puts the code of a cell into the student's file in a folder, which is made if it is not there, runs the file in
    the dict `names`, and returns what the public checks of the tasks in the cell say. which: number or name of the
    exercise. SyntaxError or ValueError if the cell is no Python, and then nothing is written."""
    if not which:
        raise ValueError("of which exercise? `%%tinyrnn 2` in the first line")
    one = exercise(which, root_of(folder))
    path = folder / one.file
    if not path.exists():
        submitting.start(one, folder)
    merged = merge(path.read_text(encoding="utf-8"), code)
    write_atomically(path, lambda temporary: temporary.write_text(merged, encoding="utf-8", newline="\n"))
    exec(compile(merged, str(path), "exec"), names)
    wrote = {node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
    marks = mark(one, submitting.read(one, folder))
    mine = [task for task in marks.tasks if task.name in wrote]
    if marks.problem or not mine:
        return f"{one.file}: {marks.problem or 'written; there is no task in this cell'}"
    said = text(dataclasses.replace(marks, tasks=mine), command="%tinyrnn")
    return said.replace("All public checks are right.", "What is in this cell is right in the public cases.")


def merge(file, code):
    """The text of a file with the code of a cell in it: functions and classes take the place of those of their name, or
    stand at the end; other statements stand before the first function, unless the file has them. SyntaxError."""
    for node in ast.parse(code).body:
        statement = "\n".join(code.splitlines()[first_line(node) - 1 : node.end_lineno])
        there = ast.parse(file).body
        lines = file.splitlines()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            old = [each for each in there if getattr(each, "name", None) == node.name]
            if old:
                lines[first_line(old[-1]) - 1 : old[-1].end_lineno] = [statement]
            else:
                lines += ["", "", statement]
        elif ast.dump(node) not in map(ast.dump, there):
            functions = [first_line(each) for each in there if isinstance(each, ast.FunctionDef | ast.ClassDef)]
            imports = [each.end_lineno for each in there if isinstance(each, ast.Import | ast.ImportFrom)]
            simple = isinstance(node, ast.Import | ast.ImportFrom)
            place = max(imports, default=0) if simple and imports else min(functions, default=len(lines) + 1) - 1
            lines[place:place] = [statement] if simple else [statement, "", ""]
        file = "\n".join(lines) + "\n"
    return file


def first_line(node):
    """The line in which a statement begins, decorators included."""
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])

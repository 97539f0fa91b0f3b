"""What students get of an exercise's texts, and of its master: the same file without the solutions.

    def leaky_step(x, h_prev, W, alpha):                def leaky_step(x, h_prev, W, alpha):
        \"""(N, D), … -> h (N, H).\"""                       \"""(N, D), … -> h (N, H).\"""
        # BEGIN SOLUTION                         ->         raise NotImplementedError("leaky_step")
        …
        # END SOLUTION

Everything outside the markers stays as it is: signatures, docstrings, code that is given. A block outside any function
(helpers of the solution) is left out altogether. The skeleton is generated, never written, so the two cannot disagree.

Standard library only: a wheel is built with this file (hatch_build.py), where nothing else need be installed.
"""

import ast
import io
import re
import tokenize
from typing import NamedTuple

COPIED = ("handout.md", "checks.py", "cases.py")  # handed out as they are
PLAY = "play.py"  # and this, where there is one
BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
PLAIN = re.compile(r"(for|while|if|elif|with) [\w\s,.()]*:")  # `for t in range(len(x)):`, with nothing worked out
TELLING = 20  # a line of at most so many characters (`return h`) gives nothing away


class Block(NamedTuple):
    """A solution: the lines between markers. first, last: line numbers of the markers, from 1."""

    first: int
    last: int
    indent: str
    function: str | None


def texts(folder):
    """All texts that are handed out of a teacher's folder, a `Path`: name -> bytes, the same on every system.

    FileNotFoundError; ValueError as of `skeleton`."""
    names = (*COPIED, PLAY) if (folder / PLAY).exists() else COPIED
    files = {name: (folder / name).read_bytes().replace(b"\r\n", b"\n") for name in names}
    return {**files, "skeleton.py": skeleton((folder / "master.py").read_text(encoding="utf-8")).encode()}


def skeleton(master):
    """The text of a master without its solutions.

    ValueError, in a line, if markers do not pair up, the master or what remains of it does not compile, or a line of a
    solution also stands in a docstring or comment that remains.
    """
    lines = master.splitlines()
    cut = blocks(master)
    if not cut:
        raise ValueError(f"there is no {BEGIN} in the master")
    kept, at = [], 0
    for block in cut:
        kept += lines[at : block.first - 1]
        if block.function is not None:
            kept.append(f'{block.indent}raise NotImplementedError("{block.function}")')
        at = block.last
    # where a block was left out altogether, the blank lines around it have come together
    text = re.sub(r"\n{4,}", "\n\n\n", "\n".join([*kept, *lines[at:]])).rstrip() + "\n"
    parsed(text, "the skeleton")
    for number, line in solution_lines(master):
        if squeezed(line) in squeezed(text):
            raise ValueError(f"line {number} of the master is part of a solution and stays in the skeleton: {line}")
    return text


def blocks(master):
    """The solutions in a master, in order: list of `Block`. ValueError for markers that are nested or alone."""
    tree = parsed(master, "the master")
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lines = master.splitlines()
    found, begin = [], None
    for number, line in enumerate(lines, 1):
        marker = line.strip()
        if marker == BEGIN:
            if begin is not None:
                raise ValueError(f"line {number}: {BEGIN} inside the solution that begins in line {begin}")
            begin = number
        elif marker == END:
            if begin is None:
                raise ValueError(f"line {number}: {END} without {BEGIN}")
            opening = lines[begin - 1]
            if indent(opening) != indent(line):
                raise ValueError(f"line {number}: {END} is not indented as {BEGIN} in line {begin}")
            if not any(code.strip() and not code.strip().startswith("#") for code in lines[begin : number - 1]):
                raise ValueError(f"line {begin}: there is nothing in the solution that begins here")
            function = function_around(functions, begin, len(indent(opening)))
            found.append(Block(begin, number, indent(opening), function))
            begin = None
        elif marker.startswith("#") and "SOLUTION" in marker:
            raise ValueError(f"line {number}: a marker is written {BEGIN} or {END}, on a line of its own: {marker}")
    if begin is not None:
        raise ValueError(f"line {begin}: {BEGIN} without {END}")
    return found


def function_around(functions, begin, inset):
    """The name of the innermost function whose body line `begin` stands in; None if there is none."""
    around = [f for f in functions if f.lineno < begin <= f.end_lineno and f.col_offset < inset]
    return max(around, key=lambda f: f.lineno).name if around else None


def solution_lines(master):
    """(line number, text without indentation and comment) of the lines that give a solution away: those long enough,
    not also standing, as code, outside all solutions, and more than the head of a loop."""
    cut = blocks(master)
    inside = {n for block in cut for n in range(block.first + 1, block.last)}
    comments = comment_columns(master)
    code, given = [], set()
    skipped = docstring_lines(master)
    for number, line in enumerate(master.splitlines(), 1):
        bare = line[: comments.get(number, len(line))].strip()
        if number in inside:
            code.append((number, bare))
            if number in comments:  # what a comment inside says is as telling as the code
                code.append((number, line[comments[number] :].strip()))
        elif number not in skipped:
            given.add(squeezed(bare))
    code = [(n, text) for n, text in code if len(" ".join(text.split())) > TELLING and not PLAIN.fullmatch(text)]
    return [(n, text) for n, text in code if squeezed(text) not in given]


def function_text(text, name):
    """The text of a function in a module; "" if there is none of that name."""
    for node in parsed(text, "the master").body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])
    return ""


def comment_columns(text):
    """line number -> column at which its comment begins."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {t.start[0]: t.start[1] for t in tokens if t.type == tokenize.COMMENT}


def docstring_lines(text):
    """Numbers of the lines that hold text standing on its own, as docstrings do."""
    numbers = set()
    for node in ast.walk(parsed(text, "the master")):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            numbers.update(range(node.lineno, node.end_lineno + 1))
    return numbers


def squeezed(text):
    """The text without any white space, so that no line break or space hides a line."""
    return "".join(text.split())


def indent(line):
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def parsed(text, what):
    """The syntax tree of a text; ValueError, naming `what` and the line, if it does not compile."""
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise ValueError(f"{what} does not compile: line {error.lineno}: {error.msg}") from None

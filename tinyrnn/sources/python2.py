"""Python 2, in which many a well-known program is published, rewritten line by line into Python 3.

Only few forms are known: statements (`print x`, `raise E, x`, `except E, e:`), spellings (backticks, `<>`, `0777`,
`10L`), names (`xrange`, `cPickle`) and methods of a dict (`iteritems`). Each line stays where it is, so that what is
said of line 12 is about line 12 of the file. What `/` gives for whole numbers is not looked into.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterator

NAMES = {"xrange": "range", "raw_input": "input", "unicode": "str", "basestring": "str", "unichr": "chr"}
MODULES = {"cPickle": "pickle", "cStringIO": "io", "StringIO": "io", "Queue": "queue", "urllib2": "urllib.request"}
METHODS = {"iteritems": "items", "iterkeys": "keys", "itervalues": "values", "has_key": "__contains__"}
STRING_OR_COMMENT = re.compile(
    r"""(?P<quotes>\"\"\"|''')(?:\\.|(?!(?P=quotes)).)*(?P=quotes)
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | (?P<comment>\#[^\n]*)""",
    re.S | re.X,
)


def as_python_3(text: str) -> str | None:
    """The text of a Python 2 file as one of Python 3, line by line; None if it is none, or has forms not known here."""
    new = rewritten(text)
    if new == text:
        return None
    for attempt in (new, with_spaces(new)):  # a tab was eight blanks
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(attempt, "<Python 2>", "exec", dont_inherit=True)
            return attempt
        except (SyntaxError, ValueError):
            continue
    return None


def first_change(text: str, new: str) -> tuple[int, str]:
    """(number, text) of the first line that was not written as it is now."""
    pairs = enumerate(zip(text.split("\n"), new.split("\n"), strict=True), 1)
    return next((number, old.strip()) for number, (old, now) in pairs if old.split() != now.split())


def needs_python_2(tree: ast.Module) -> bool:
    """Whether a file that is no wrong Python 3 wants `xrange`, or a module that is gone, without another way."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "xrange"]
    modules = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom)}
    binds = any(isinstance(node.ctx, ast.Store) for node in names)
    return (bool(names) and not binds) or not modules.isdisjoint(MODULES)


def rewritten(text: str) -> str:
    """The text with all forms that are known replaced, whether that is all it takes or not."""
    if not re.search(r"^from __future__ import .*\bprint_function\b", text, re.M):
        text = statements("print", text, printed)
    text = statements("raise", text, raised)
    text = outside(
        r"^([ \t]*except\b[^\n:]*?),[ \t]*([A-Za-z_]\w*)[ \t]*:", text, lambda what, name: f"{what} as {name}:"
    )
    text = outside(r"`([^`\n]+)`", text, "repr({})".format)
    text = outside(r"<>", text, lambda: "!=")
    text = outside(r"(?<![\w.])0+([1-7][0-7]*)(?![\w.])", text, "0o{}".format)
    text = outside(r"(?<![\w.])(\d+)[lL]\b", text, "{}".format)
    text = outside(r"\b[uU][rR](?=\")", text, lambda: "r")
    text = outside(rf"(?<![\w.])({'|'.join(NAMES)})\b", text, NAMES.__getitem__)
    text = outside(rf"\.({'|'.join(METHODS)})(?=\()", text, lambda name: f".{METHODS[name]}")
    gone = f"({'|'.join(MODULES)})\\b"
    text = outside(rf"^([ \t]*from[ \t]+){gone}", text, lambda start, name: start + MODULES[name])
    start = r"^([ \t]*import[ \t](?:[^\n]*[ \t,])?)"
    text = outside(rf"{start}{gone}(?=[ \t]+as\b)", text, lambda start, name: start + MODULES[name])
    return outside(rf"{start}{gone}(?![ \t]+as\b)", text, lambda start, name: f"{start}{MODULES[name]} as {name}")


def blanked(text: str) -> str:
    """The text, character by character, with quotes for all that is in strings, and blanks for comments."""
    return STRING_OR_COMMENT.sub(lambda found: (" " if found["comment"] else '"') * len(found[0]), text)


def outside(pattern: str, text: str, write: Callable[..., str]) -> str:
    """Each match in the code, not in its strings and comments, replaced by what `write` makes of its groups."""
    parts, last = [], 0
    for found in re.finditer(pattern, blanked(text), re.M):
        groups = (text[slice(*found.span(number + 1))] for number in range(found.re.groups))
        parts += [text[last : found.start()], write(*groups)]
        last = found.end()
    return "".join([*parts, text[last:]])


def statements(keyword: str, text: str, write: Callable[[str, str], str]) -> str:
    """What follows a keyword at the start of a statement, replaced by what `write` makes of it, given as it is and
    `blanked`; it begins with what comes directly behind the keyword."""
    code = blanked(text)
    for found in reversed(list(re.finditer(rf"(?:^|[:;])[ \t]*{keyword}\b", code, re.M))):
        start = found.end()
        end = start + len(code[start : end_of_statement(code, start)].rstrip())
        text = text[:start] + write(text[start:end], code[start:end]) + text[end:]
    return text


def outer(code: str) -> Iterator[tuple[int, str]]:
    """(place, character) of what is in no brackets; a closing one counts as outside."""
    depth = 0
    for place, character in enumerate(code):
        depth -= character in ")]}"
        if depth <= 0:
            yield place, character
        depth += character in "([{"


def end_of_statement(code: str, start: int) -> int:
    """Where the statement ends that a place is in."""
    for place, character in outer(code[start:]):
        if character == ";" or (character == "\n" and not code[: start + place].endswith("\\")):
            return start + place
    return len(code)


def printed(rest: str, code: str) -> str:
    """What stands behind `print`, in parentheses, if it does not stand in such as a whole."""
    body = code.strip()
    closing = [place for place, character in outer(body) if character == ")"]
    if body.startswith("(") and closing[:1] == [len(body) - 1]:
        return rest
    rest, more = rest.strip(), ""
    if body.endswith(","):
        rest, body, more = rest[:-1], body[:-1], ', end=" "'
    if body.startswith(">>"):
        comma = first_comma(body) or len(body)
        rest, more = rest[comma + 1 :].strip(), f"{more}, file={rest[2:comma].strip()}"
    return f"({rest or (more and repr(''))}{more})"


def raised(rest: str, code: str) -> str:
    """`E, x`, which stands behind `raise`, as a call of E."""
    comma = first_comma(code)
    return rest if comma is None else f"{rest[:comma]}({rest[comma + 1 :].strip()})"


def first_comma(code: str) -> int | None:
    """Where the first comma is that is in no brackets; None if there is none."""
    return next((place for place, character in outer(code) if character == ","), None)


def with_spaces(text: str) -> str:
    """The text with blanks for the tabs that lines begin with, as many as Python 2 took them for."""
    return re.sub(r"^[ \t]+", lambda found: found[0].expandtabs(8), text, flags=re.M)

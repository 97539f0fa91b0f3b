"""An edit before it is made: what is to stand in the place of a node."""

import ast
from typing import NamedTuple

from tinyrnn.sources.mutation.scope import but, rebuilt
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.repair.replacements import parsed

TOKEN, PIECE, FORMULA, MISSING = 1, 2, 3, 4  # how much an edit puts in: see `tinyrnn.verdicts.repair.edits`
COPYING = ("repeat", "tile", "pad")  # of which nobody wants as many copies as an array has numbers
BLOCKS = ("body", "orelse", "finalbody", "handlers")


class Pattern(NamedTuple):
    """An expression: `pattern` with the texts of an expression e and of another one, a, in it."""

    pattern: str
    e: str = ""
    a: str = ""

    @property
    def text(self):
        """The text of it."""
        return self.pattern.replace("{e}", f"({self.e})").replace("{a}", self.a)


class Change(NamedTuple):
    """An edit: what `new` is, a syntax tree or a `Pattern`, in the place of a node of a statement."""

    statement: ast.stmt
    node: ast.AST
    new: object

    @property
    def key(self):
        """What two edits that are the same have in common."""
        return id(self.node), self.new.text if isinstance(self.new, Pattern) else ast.dump(self.new)

    def is_of_no_use(self, copied):
        """Whether NumPy would take very long, with a list put in itself, `hs.append(hs)`, or as many copies as an array
        has numbers, or whether something would be put in a copy that is thrown away: `hs.copy().append(h)`. copied: the
        `copies` of the statement as it is."""
        if copied and sizes_in(copies(self.made())) - sizes_in(copied):
            return True
        call = self.statement.value if isinstance(self.statement, ast.Expr) else None
        into = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
        if into is None or not isinstance(self.new, Pattern):
            return False
        return self.new.a == ast.unparse(into) or (self.node is into and "{e}" in self.new.pattern)

    @property
    def put(self):
        """The syntax tree of what is put in."""
        return parsed(self.new.text) if isinstance(self.new, Pattern) else self.new

    def made(self):
        """The edited statement. The statements in it, of a loop or condition of which the header is edited, are the
        same ones, and no copies."""
        if self.node is self.statement:
            return ast.fix_missing_locations(ast.copy_location(self.put, self.statement))
        put = {self.node: self.put}
        parts = {name: value for name, value in ast.iter_fields(self.statement) if name not in BLOCKS}
        made = but(self.statement, **{name: rebuilt(value, put) for name, value in parts.items()})
        return ast.copy_location(made, self.statement)


def copies(statement):
    """What the calls in a statement are given that copy something many times."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call) and name_of(node.func) in COPYING]
    return [one for call in calls for one in call.args]


def sizes_in(expressions):
    """The sources of how many numbers arrays have, and of all that is called `size` too."""
    nodes = [node for one in expressions for node in ast.walk(one)]
    return {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "size"}

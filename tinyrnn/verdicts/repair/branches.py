"""What the branch that a statement stands in is for, by what its condition compares with: `relu(z)` behind
`if activation == "relu":`."""

import ast
import re
from functools import lru_cache

from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.repair.change import Pattern
from tinyrnn.verdicts.repair.forward_statements import parts_of
from tinyrnn.verdicts.repair.texts import calls_in, is_loop

NAME = re.compile(r"[A-Za-z_]\w*")
REDUCTIONS = {"average": "mean", "avg": "mean", "mean": "mean", "max": "max", "sum": "sum"}  # {word: of NumPy}


def as_the_branch_says(statement, tree):
    """(the function that a statement calls, another one) where the branch that it stands in is for the latter:
    `np.mean` for `np.sum` behind `elif mode == "average":`."""
    meant = {REDUCTIONS[word] for word in words_around(statement, tree) & REDUCTIONS.keys()}
    for node in parts_of(statement) if len(meant) == 1 else ():
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr in REDUCTIONS and REDUCTIONS[func.attr] not in meant:
            yield func, but(func, attr=next(iter(meant)))


def contradicts(change, tree):
    """Whether a slip calls something else than what the branch that it stands in is for, `sigmoid(z)` for `relu(z)`
    behind `if activation == "relu":`, or than what is set goes by the name of: `var = x.std()`. tree: of the
    function."""
    old, new = change.node, change.new
    if not isinstance(old, ast.expr) or not isinstance(new, Pattern | ast.expr):
        return False
    if is_what_it_is_called(change.statement) and not is_what_it_is_called(change.made()):
        return True
    is_called = any(old in (call, call.func) for call in calls_in(change.statement))
    after = new.text if isinstance(new, Pattern) else ast.unparse(new)
    lost = set(NAME.findall(ast.unparse(old))) - set(NAME.findall(after)) if is_called else set()
    around = words_around(change.statement, tree) if lost else ()
    return any(word in name.lower() for word in around for name in lost)


def leaves_branch(edit):
    """Whether an edit takes away a name that says what the branch that it stands in is for."""
    return any(word in name for word in words_of_branch(edit) for name in names_lost(edit.before, edit.after))


def keeps_to_branch(edit):
    """Whether it puts such a name in, where none is: `linear(z)` for `sigmoid(z)` behind `if kind == "linear":`."""
    words = words_of_branch(edit)
    return not any(word in edit.before.lower() for word in words) and any(
        word in name for word in words for name in names_lost(edit.after, edit.before)
    )


def words_of_branch(edit):
    """The texts in the conditions around what an edit makes of a statement."""
    made = (one for one in ast.walk(edit.tree) if isinstance(one, ast.stmt) and ast.unparse(one) == edit.after)
    statement = next(made, None) if not is_loop(edit) else None
    return words_around(statement, edit.tree) if statement else ()


def names_lost(before, after):
    """The names in one text that are not in another one, in small letters."""
    return {name.lower() for name in set(NAME.findall(before)) - set(NAME.findall(after))}


def is_what_it_is_called(statement):
    """Whether what is set goes by the name of what is called for it: `var = np.var(x)`."""
    called = name_of(statement.value.func) if isinstance(getattr(statement, "value", None), ast.Call) else None
    return called is not None and any(name_of(one) == called for one in getattr(statement, "targets", ()))


@lru_cache(64)
def words_around(statement, tree):
    """The texts that are compared with in the conditions of the branches that a statement stands in."""
    asked = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    asked = [node for node in asked if any(one is statement for inner in node.body for one in ast.walk(inner))]
    compared = [part for node in asked for part in ast.walk(node.test) if isinstance(part, ast.Constant)]
    return {part.value.lower() for part in compared if isinstance(part.value, str) and part.value}

"""A statement in its place among others: what it sets, what its text is, what an edit makes of it, and another one that
stands there for a while."""

import ast
from contextlib import contextmanager

from tinyrnn.sources.deadline import cut_off
from tinyrnn.sources.held import unchanged
from tinyrnn.sources.syntax import leaves_of
from tinyrnn.verdicts.repair.missing import are_several
from tinyrnn.verdicts.repair.statements import blocks_of, headed

LONGEST = 1.0  # seconds of a run: an edit may make a loop a long one
SUPER = "super(__class__, self)"


def is_exchange(statement, made):
    """Whether a statement is made of the same as another one, in another order."""
    both = [sorted(ast.dump(n) for n in ast.walk(one) if isinstance(n, ast.Name)) for one in (statement, made)]
    return both[0] == both[1]


def is_turned(change):
    """Whether in a `Change` the sides of a difference change places."""
    old, new = change.node, change.new
    both = isinstance(old, ast.BinOp) and isinstance(new, ast.BinOp) and isinstance(old.op, ast.Sub)
    return both and isinstance(new.op, ast.Sub) and old.left is new.right and old.right is new.left


def scales_as_beside(block, made, before):
    """Whether what a statement gives is multiplied or divided as it is in one beside it, and was not before."""
    at = block.index(made)
    beside = [factor_of(one) for one in block[max(at - 1, 0) : at] + block[at + 1 : at + 2]]
    return factor_of(made) in filter(None, beside) and not factor_of(before)


def factor_of(statement):
    """(how an assignment multiplies or divides the whole, or a call by itself what it is given first, by what, what
    kind of node that is, and what it is given to); None if it does not."""
    value = getattr(statement, "value", None) if isinstance(statement, ast.Assign | ast.Expr) else None
    to = type(statement.targets[0]) if isinstance(statement, ast.Assign) else None
    if isinstance(statement, ast.Expr) and isinstance(value, ast.Call) and value.args:
        value, to = value.args[0], ast.unparse(value.func)
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult | ast.Div):
        return None
    return type(value.op), ast.unparse(value.right), type(value.left), to


def set_by(statement):
    """The targets of an assignment; none of another statement."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    is_one = isinstance(statement, ast.Assign | ast.AugAssign)
    return [leaf for target in targets for leaf in leaves_of(target)] if is_one else []


def text_of(statement):
    """The source of a statement, of loops and conditions of their first line alone; of several together, of each."""
    several = statement.body if are_several(statement) else [statement]
    return "\n".join(ast.unparse(headed(one)) for one in several).replace(SUPER, "super()")


@contextmanager
def running_as(forms, code, classes):
    """While it lasts, and no longer than a run of an edited pass may take, a function runs as another code. forms: the
    functions that were made of it, one for each place that it is called from. classes: of the program, which keep
    nothing of it, as its globals do not."""
    before = forms[0].__code__
    try:
        for made in forms:
            made.__code__ = code
        worlds = {id(made.__globals__): made.__globals__ for made in forms}.values()
        with cut_off(LONGEST), unchanged(classes, True, worlds):
            yield
    finally:
        for made in forms:
            made.__code__ = before


@contextmanager
def standing(tree, statement, made):
    """While it lasts, another statement stands in the place of one of a tree."""
    body = block_of(tree, statement)
    at = body.index(statement)
    body[at] = made
    try:
        yield
    finally:
        body[at] = statement


def texts_beside(tree, statement):
    """The sources of the assignments in other loops, branches and the like than that which a statement stands in."""
    own = {id(one) for one in block_of(tree, statement)}
    every = [one for one in ast.walk(tree) if isinstance(one, ast.Assign | ast.AugAssign) and id(one) not in own]
    return set(map(text_of, every))


def block_of(tree, statement):
    """The list that a statement of a tree stands in."""
    for block in blocks_of(tree):
        if any(one is statement for one in block):
            return block
    raise ValueError("the statement is not in this tree")

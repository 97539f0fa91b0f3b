"""A step that is written out beside the loop over all others: of what either does, the other may lack a part."""

import ast
import re

from tinyrnn.verdicts.repair.analogy import replaced
from tinyrnn.verdicts.repair.statements import blocks_of, is_name

SUM = re.compile(r"(?<![\w.])\d+ [-+] \d+(?![\w.])")  # of the number of a step
LEAST = 2  # statements that both have, but for which step it is


def done_at_other_steps(tree):
    """{a statement: [(another one, the text of what may be missing behind that)]}: of a step that is written out what
    the loop over the others does, `dW += dz[0] @ x[0].T` where there is `dW += dz[i] @ x[i].T`, or the other way
    round."""
    found = {}
    blocks = [[one for one in block if isinstance(one, ast.Assign | ast.AugAssign)] for block in blocks_of(tree)]
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.For) and is_name(node.target)):
        own = [one for one in loop.body if isinstance(one, ast.Assign | ast.AugAssign)]
        counter = loop.target.id
        for block in (block for block in blocks if block and block[0] not in own):
            for step in steps_in(block):
                of_step = [at(one, {counter: ast.parse(step, mode="eval").body}) for one in own]
                of_loop = [at(one, {step: ast.Name(counter, ast.Load())}, slices=True) for one in block]
                for one, anchor, text in (*lacking(own, of_step, block), *lacking(block, of_loop, own)):
                    if text != ast.unparse(one):
                        found.setdefault(one, []).append((anchor, text))
    return found


def steps_in(block):
    """The texts of the places of one step at which statements read or fill arrays: `0`, `-1`."""
    nodes = [node for one in block for node in ast.walk(one) if isinstance(node, ast.Subscript)]
    return dict.fromkeys(text for node in nodes if (text := ast.unparse(node.slice)).lstrip("-").isdigit())


def at(statement, new, slices=False):
    """The text of a statement at another step. new: {text: expression}. slices: whether only places in arrays count."""
    if not slices:
        return SUM.sub(worked_out, ast.unparse(replaced(statement, new)))
    nodes = [node for node in ast.walk(statement) if isinstance(node, ast.Subscript)]
    ((step, name),), made = new.items(), {}
    for node in nodes:
        if ast.unparse(node.slice) == step and isinstance(node.ctx, ast.Load):
            made[ast.unparse(node)] = ast.Subscript(node.value, name, ast.Load())
    made = replaced(statement, made)
    target = getattr(made, "target", None) or made.targets[0]
    if isinstance(target, ast.Subscript) and ast.unparse(target.slice) == step:
        target.slice = name
    return ast.unparse(made)


def worked_out(found):
    """The text of a sum, or difference, of two numbers that was found: `0 + 1` is 1."""
    first, sign, second = found[0].split()
    return str(int(first) + int(f"{sign}{second}"))


def lacking(statements, texts, others):
    """(a statement that others have no counterpart of, the one of them that it may be missing behind, its text there).
    texts: of the statements, as they would stand there."""
    known = {ast.unparse(one): place for place, one in enumerate(others)}
    places = [known.get(text) for text in texts]
    if sum(place is not None for place in places) < LEAST:
        return
    behind = len(others)
    for one, text, place in reversed([*zip(statements, texts, places, strict=True)]):
        behind = behind if place is None else place
        if place is None and behind:
            yield one, others[behind - 1], text

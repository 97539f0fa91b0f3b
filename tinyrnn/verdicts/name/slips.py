"""Names a mistake by the edit that makes all results right, where no numbers of a known cell do.

The library of known mistakes (`tinyrnn.verdicts.mistakes`) knows the wrong lines of the package's cells. Programs that
are no such cell, a loss and its gradients in one function, say, have the same slips: what was to be put in says which.
"""

import ast
import copy
import re
from typing import NamedTuple

from tinyrnn.sources.syntax import ZERO_MAKERS
from tinyrnn.verdicts.mistakes.entry import SECTIONS, KnownMistake
from tinyrnn.verdicts.repair.gradient_names import words

PRODUCTS = ("dot", "matmul", "outer")
DROPPED = re.compile("drop", re.IGNORECASE)
CARRY, WEIGHTS, BIAS, PRODUCT = "bptt/carry", "bptt/weights", "bptt/bias", "bptt/matrix-product"
SLIPS = {  # name -> title, question, hint, section
    "sum-from-the-first-step-alone": (
        "each turn of the loop overwrites what the turns before have found",
        "What becomes of the contribution of step t when the loop reaches the next one?",
        "A weight that is used at every step gets a gradient from each of them, and they are added up. Yours keeps the"
        " term of the last turn alone.",
        WEIGHTS,
    ),
    "backward-loop-runs-forwards": (
        "the loop runs in the direction of time",
        "In which order must the steps be visited so that everything a step needs is there when its turn comes?",
        "The state of step t was read by step t + 1, so its gradient needs what step t + 1 computed. Yours meets step"
        " t + 1 later.",
        CARRY,
    ),
    "nothing-carried-back": (
        "what the step after hands back is not added",
        "Who reads the state of step t, besides the output of step t?",
        "The state goes to the output and into the next step, and the gradients of both ways are added. Yours takes one"
        " of them.",
        CARRY,
    ),
    "cell-carry-lost": (
        "what the cell of the step after hands back is not added",
        "By how many ways does the cell of step t reach the loss?",
        "The cell goes to the output of its step and, times a gate, into the cell of the next; the gradients of"
        " both ways are added. Yours takes one of them.",
        "lstm/cell-path",
    ),
    "square-forgotten": (
        "1 - y where the slope of tanh has 1 - y²",
        "Should the slope of tanh be the same at y and at -y?",
        "The slope of tanh, from its own output y, is 1 - y². Yours has lost the square, so it is above 1 where y is"
        " negative.",
        "elman/tanh",
    ),
    "weight-not-transposed": (
        "a factor of a matrix product that belongs here transposed",
        "If y = W x, which shape does the gradient of x have, and which matrix takes the gradient of y there?",
        "Backwards through a matrix product the other factor is transposed. Yours is as it was forwards.",
        PRODUCT,
    ),
    "averaged-over-the-batch-or-time": (
        "a mean where the sum belongs",
        "If one sample were there twice, what would become of the loss, and of your gradient?",
        "A bias is added to every sample, so that its gradient is the sum over them. Yours is divided by their number.",
        BIAS,
    ),
    "weights-with-the-state-after-the-step": (
        "the state after the step where that before it belongs",
        "Which state was multiplied with the recurrent weights at step t?",
        "The gradient of a weight is made of what the weight was multiplied with. Yours takes what came out instead.",
        WEIGHTS,
    ),
    "padding-gets-a-gradient": (
        "a gradient at the padding too",
        "What is the gradient at a step that the loss does not look at?",
        "A masked step has no part in the loss, so that nothing comes from it. Yours leaves out the mask that the"
        " forward pass has there.",
        "losses/mask",
    ),
    "divided-by-one-too-many": (
        "a divisor that is one too large or too small",
        "How many terms has the sum that the loss is a mean of?",
        "What is divided by forwards is divided by backwards. Yours is one off.",
        "losses/mean",
    ),
    "bracket-forgotten-below-the-line": (
        "a factor of the divisor that multiplies, since `a / b * c` is `(a / b) * c`",
        "In which order are `/` and `*` worked out?",
        "A product below the line needs a bracket. Yours divides by the first factor and multiplies by the rest.",
        PRODUCT,
    ),
    "gate-for-its-complement": (
        "1 - z where z belongs, or z where 1 - z does",
        "Which of the two shares does the forward pass give to this one?",
        "A gate z shares between two values, z of one and 1 - z of the other. Yours takes the other one's share.",
        "gru/update-gate",
    ),
    "copied-from-another-line": (
        "what stands in the same line for another gate or weight",
        "Which lines are alike but for one letter, and does this one have its own in every place?",
        "The lines of several gates or weights are written alike. Yours has, in one place, what belongs to another of"
        " them.",
        "lstm/gates",
    ),
}

EARLIER = {"prev", "previous", "last", "old", "before"}  # words for the step before


def name_of_edit(edit):
    """The mistake that an `Edit` undoes, as a dict like those of `Namer.name`, or None."""
    name = slip(edit) if edit is not None else None
    if name is None:
        return None
    title, question, hint, section = SLIPS[name]
    known = KnownMistake(name, "any", "", "", title, "a classic", question, hint, section)
    return {**known._asdict(), "section_title": SECTIONS[section]}


def slip(edit):
    """The name in `SLIPS` of what an edit undoes, or None."""
    before, after = parsed(edit.before), parsed(edit.after)
    if before is None or after is None:
        return None
    loops = around(edit.tree, edit.place[1])
    if isinstance(before, ast.Assign) and isinstance(after, ast.AugAssign):
        is_sum = isinstance(after.op, ast.Add) and same(before.targets[0], after.target)
        if not (loops and is_sum and same(before.value, after.value)):
            return None
        name = shown_name(before)
        others = [value for a, value in given_in(loops) if a == name and not same(value, before.value)]
        is_handed_on = not all(map(is_start, others))
        return lost([name], loops) if is_handed_on else "sum-from-the-first-step-alone"
    wrong, right, above = difference(before, after)
    if isinstance(before, ast.For):
        turned = isinstance(above, ast.For) and ast.unparse(right) == f"reversed({ast.unparse(wrong)})"
        return "backward-loop-runs-forwards" if turned else None
    if carry := carried(wrong, right, loops):
        return lost(carry, loops)
    if is_squared(wrong, right) and isinstance(above, ast.BinOp) and isinstance(above.op, ast.Sub):
        return "square-forgotten" if ast.unparse(above.left) in ("1", "1.0") and above.right is wrong else None
    in_product = is_product(above)
    if in_product and isinstance(right, ast.Attribute) and right.attr == "T" and same(right.value, wrong):
        return "weight-not-transposed"
    if (wrong, right) == ("mean", "sum"):
        return "averaged-over-the-batch-or-time"
    if isinstance(wrong, ast.Name) and ast.unparse(right) == f"{wrong.id} - 1" and is_index(before, above):
        return "weights-with-the-state-after-the-step" if any(map(is_product, ast.walk(before))) else None
    if is_of_step_before(wrong, right) and any(map(is_product, ast.walk(before))):
        return "weights-with-the-state-after-the-step"
    if is_masked(wrong, right, edit.masks):
        return "padding-gets-a-gradient"
    if is_unbracketed(wrong, right, above):
        return "bracket-forgotten-below-the-line"
    if is_off_by_one(wrong, right, above):
        return "divided-by-one-too-many"
    if is_complement(wrong, right) or is_complement(right, wrong):
        return "gate-for-its-complement"
    is_begun = isinstance(before, ast.Assign) and is_start(before.value)  # nobody copies zeros for what is handed on
    return "copied-from-another-line" if not is_begun and is_copied(edit.tree, before, after) else None


def where(edit):
    """The smallest part of a statement that an `Edit` changes, as it is written; "" where that is all of it."""
    before, after = parsed(edit.before), parsed(edit.after)
    if before is None or after is None:
        return ""
    wrong, _, above = difference(before, after)
    part = next((node for node in (wrong, above) if isinstance(node, ast.expr)), None)  # of a name, not its letters
    return ast.unparse(part) if part else ""


def parsed(text):
    """The statement of a source; of a loop's header, the loop with nothing in it. None if it is not one statement."""
    for source in (text, f"{text}\n    pass", f"{text}:\n    pass"):
        try:
            statements = ast.parse(source).body
            return statements[0] if len(statements) == 1 else None
        except SyntaxError:
            continue
    return None


def same(a, b):
    """Whether two syntax trees are written in the same way."""
    return ast.unparse(a) == ast.unparse(b)


def difference(a, b, above=None):
    """The smallest parts in which two syntax trees differ, and what the first of them stands in."""
    if type(a) is type(b) and isinstance(a, ast.AST):
        pairs = []
        for name in a._fields:
            left, right = getattr(a, name, None), getattr(b, name, None)
            lists = isinstance(left, list) and isinstance(right, list) and len(left) == len(right)
            pairs += zip(left, right, strict=True) if lists else [(left, right)]
        differing = [(x, y) for x, y in pairs if shown(x) != shown(y)]
        if len(differing) == 1 and differing[0][0] is not None:
            return difference(*differing[0], a)
    return a, b, above


def shown(part):
    """A part of a syntax tree, comparable."""
    return ast.dump(part) if isinstance(part, ast.AST) else repr(part)


def is_masked(wrong, right, masks):
    """Whether what is put in is a factor, or divides a divisor, and is one of `masks`, and none of what is dropped out
    by its name."""
    if not isinstance(right, ast.BinOp) or not isinstance(right.op, ast.Mult | ast.Div):
        return False
    sides = [(right.left, right.right)]
    sides += [(right.right, right.left)] if isinstance(right.op, ast.Mult) else []
    part = next((put for kept, put in sides if same(kept, wrong)), None)
    while isinstance(part, ast.Subscript):  # mask[t], mask[:, None]
        part = part.value
    return part is not None and ast.unparse(part) in masks and not DROPPED.search(ast.unparse(part))


def is_of_step_before(wrong, right):
    """Whether a variable is called as the other, but for a word that says "before": h_prev, lastState."""
    if not (isinstance(wrong, str) and isinstance(right, str)):
        return False
    old, new = ({word.lower() for word in words(name)} for name in (wrong, right))
    return old < new and new - old <= EARLIER


def is_unbracketed(wrong, right, above):
    """Whether factors that multiply a quotient are put into its divisor."""
    if isinstance(wrong, ast.Mult) and isinstance(above, ast.BinOp):
        return isinstance(right, ast.Div) and isinstance(above.left, ast.BinOp) and isinstance(above.left.op, ast.Div)
    both = isinstance(wrong, ast.BinOp) and isinstance(right, ast.BinOp)
    return both and isinstance(wrong.op, ast.Mult) and isinstance(right.op, ast.Div)


def is_off_by_one(wrong, right, above):
    """Whether one is taken from a divisor, or added to it."""
    in_divisor = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Div) and above.right is wrong
    changed = isinstance(right, ast.BinOp) and isinstance(right.op, ast.Add | ast.Sub) and same(right.left, wrong)
    return in_divisor and changed and ast.unparse(right.right) == "1"


def is_complement(wrong, right):
    """Whether one expression is 1 minus the other."""
    is_difference = isinstance(right, ast.BinOp) and isinstance(right.op, ast.Sub) and same(right.right, wrong)
    return is_difference and ast.unparse(right.left) in ("1", "1.0")


def is_copied(tree, before, after):
    """Whether another statement is the right one with other names, and where the wrong one differs, it has those."""
    wrong, right = spelled(before), spelled(after)
    if wrong.form != right.form or not isinstance(after, ast.Assign | ast.AugAssign):
        return False
    changed = [k for k, name in enumerate(wrong.names) if name != right.names[k]]
    for statement in (node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AugAssign)):
        other = spelled(statement)
        if other.form == right.form and target_of(statement) != target_of(after):
            pairs = set(zip(right.names, other.names, strict=True))
            is_renamed = len(pairs) == len(set(right.names)) == len(set(other.names))
            if is_renamed and all(other.names[k] == wrong.names[k] for k in changed):
                return True
    return False


def target_of(statement):
    """What an assignment sets, as it is written."""
    return ast.unparse(statement.targets[0] if isinstance(statement, ast.Assign) else statement.target)


class Spelled(NamedTuple):
    """A statement without the names in it, and these, in order."""

    form: str
    names: tuple


def spelled(statement):
    """A statement as `Spelled`."""
    bare, names = copy.deepcopy(statement), []
    for node in ast.walk(bare):
        for field in ("id", "attr"):
            if isinstance(getattr(node, field, None), str):
                names.append(getattr(node, field))
                setattr(node, field, "")
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.append(node.value)
            node.value = ""
    return Spelled(ast.dump(bare), tuple(names))


def around(tree, line):
    """The loops around a line of a function."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
    return [loop for loop in loops if loop.lineno < line <= loop.end_lineno]


def carried(wrong, right, loops):
    """The names of what is put in as a term that an earlier turn of the loop has left."""
    if not isinstance(right, ast.BinOp) or not isinstance(right.op, ast.Add):
        return []
    added = [b for a, b in ((right.left, right.right), (right.right, right.left)) if shown(a) == shown(wrong)]
    given = {name for name, _ in given_in(loops)}
    return [term.id for term in added if isinstance(term, ast.Name) and term.id in given]


def given_in(loops):
    """(name, what it is set to) of all variables in some loops."""
    for node in (node for loop in loops for node in ast.walk(loop)):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named = [part.id for target in targets for part in ast.walk(target) if is_set(part)]
            yield from ((name, node.value) for name in named)


def is_start(value):
    """Whether an expression is what a sum starts from: zero, or an array of zeros."""
    is_zeros = isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in ZERO_MAKERS
    return is_zeros or ast.unparse(value) in ("0", "0.0")


def shown_name(statement):
    """The variable that an assignment sets, or None."""
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def lost(names, loops):
    """The name of a carry that is not added, by what the loops set it to: a cell is handed on times a gate, a state
    through a product of matrices."""
    values = [value for name, value in given_in(loops) if name in names]
    copied = [value.id for value in values if isinstance(value, ast.Name)]
    values += [value for name, value in given_in(loops) if name in copied]
    through = [node for value in values for node in ast.walk(value)]
    is_gated = any(map(is_times, through)) and not any(map(is_product, through))
    return "cell-carry-lost" if is_gated else "nothing-carried-back"


def is_times(node):
    """Whether a syntax tree is a product number by number."""
    is_named = isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "multiply"
    return is_named or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult))


def is_set(node):
    """Whether a part of a syntax tree is a name that is given a value."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def is_squared(wrong, right):
    """Whether the one is the square of the other."""
    if not isinstance(wrong, ast.AST) or not isinstance(right, ast.AST):
        return False
    a = ast.unparse(wrong)
    return ast.unparse(right) in (f"{a} ** 2", f"({a}) ** 2", f"{a} * {a}", f"np.square({a})")


def is_product(node):
    """Whether a syntax tree is a product of matrices."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    name = getattr(getattr(node, "func", None), "attr", None)
    return isinstance(node, ast.Call) and name in PRODUCTS


def is_index(tree, node):
    """Whether a part of a statement is the index of something, or an entry of it."""
    indices = [sub.slice for sub in ast.walk(tree) if isinstance(sub, ast.Subscript)]
    return any(node is index for index in indices) or (isinstance(node, ast.Subscript) and node in list(ast.walk(tree)))

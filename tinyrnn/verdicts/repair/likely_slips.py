"""Which slips of a forward pass are likely, and likelier than a repair of the backward pass: by the texts of both."""

import ast
import re
from collections import Counter
from functools import lru_cache
from types import NoneType

from tinyrnn.sources.mutation.scope import MODULES, but
from tinyrnn.sources.syntax import ZERO_MAKERS, makes_zero, name_of
from tinyrnn.verdicts.repair.analogy import replaced
from tinyrnn.verdicts.repair.branches import keeps_to_branch, leaves_branch
from tinyrnn.verdicts.repair.change import TOKEN, Pattern
from tinyrnn.verdicts.repair.statements import ACTIVATION, ALIKE, PARTS, likeness
from tinyrnn.verdicts.repair.texts import calls_in, is_loop

MASK = r"[<>]=? "
FILLED = re.compile(r"([\w.]+)\[[^=]*\] [-+]?= ")
NEGATIVE = re.compile(r"-= |(?<![\w)\]] )-[\w(]")  # what is taken away, or has a minus in front of it
LEAVES = ast.Name | ast.Attribute | ast.Constant
IN_ORDER = 0.7  # the turn of what stands in another order
EXCHANGED = 0.1  # and of places in an array
SIGMOID = re.compile(r"\b1(?:\.0?)? \+ (?:\w+\.)?exp\(-[\w(]")
NEGATIVES = re.compile(r"neg", re.IGNORECASE)
EXPONENTIAL = re.compile(r"\b(exp|log)\(")
POSITIVES = re.compile(r"pos", re.IGNORECASE)
OF_MINUS = r"sig\w*\(-"
OF_LOSS_OF_MINUS = r"(logaddexp\(0(\.0)?, |log1p\(np\.exp\(|softplus\()-"
IGNORED = re.compile(r"(\b_\b|cache).* = ")  # a target that is called so as nothing reads it, or no forward pass
TARGETS = re.compile(r"(^|_)(target|label|true|truth|onehot|one_hot)s?($|_)", re.IGNORECASE)
GIVEN_AS_IT_IS = ("array", "asarray", "copy", "flatten", "ravel", "reshape", "transpose")  # but for its shape
ADDED = re.compile(r"^([\w.]+ )[-+]=")
FLAT = re.compile(r"\b(sign|floor|ceil|round|rint)\(")
OF_LENGTH = re.compile(r"\blen\(|\b(shape|size)\b")
SEVERAL = 3
CLEAR = 1.5  # what a repair of the backward pass costs that explains nearly all


def is_as_good(repair, is_mistaken):
    """Whether a repair of the backward pass leaves no need to look for another one: in one line that an edit does, or
    that explains nearly all, unless the forward pass is known to be wrong."""
    if not repair or len(repair.places) > 1:
        return False
    edit = repair.edit
    is_changed = bool(edit) and edit.after != edit.before
    is_lost = is_changed and loses(edit) and not edit.drops_a_turn
    if is_changed and (drops_mask(edit) or shifts(edit) or fills_another(edit) or is_lost):
        return False
    if is_changed and (edit.breaks_a_slope or takes_one(edit) or edit.takes_the_same_place or leaves_branch(edit)):
        return False
    if is_changed and edit.forgets_an_argument:
        return False
    makes_up = is_changed and edit.adds_within and not (edit.gathers or edit.reads_the_unread)  # with a term
    if makes_up and len(repair.unexplained) > SEVERAL:
        return False
    return not is_mistaken and bool(repair.edit or repair.cost <= CLEAR)


def is_likely(edit, other):
    """Whether a slip of the forward pass is likelier than a repair of the backward pass: not if it divides, exchanges
    axes or leaves something out, a number of a sum too, which a gradient rather lacks, but for another activation; nor
    if it squares an exponential, turns the sign of a negative logarithm, which is what a loss sums up, or in a sigmoid,
    compares otherwise than for `==`, activates what is wanted, or takes what was called `_`, or a cache, and leaves
    what was not;
    nor if it rounds, or takes a sign, which nothing comes back through, or multiplies a sum by what was added to it;
    nor, if there is such a repair of one line, if it scales, averages or negates, or puts one variable in the place of
    another, which nothing would come back to; but for one with which what is given is not read any more."""
    if keeps_to_branch(edit):
        return True
    if is_other_activation(edit):
        return other is None or not other.edit or other.edit.breaks_a_slope or other.edit.exchanges_slopes
    if edit.after.count("/") > edit.before.count("/") or loses(edit) or gives_one_twice(edit.after, edit.before):
        return False
    if activations_in(edit.after) < activations_in(edit.before) or added_in(edit.before) - added_in(edit.after):
        return False
    if edit.after.count("** 2") > edit.before.count("** 2") and EXPONENTIAL.search(edit.after):
        return False
    if edit.after.count(".swapaxes(") > edit.before.count(".swapaxes(") or turns_sign(edit):
        return False
    if edit.before.count("==") > edit.after.count("==") or any(map(TARGETS.search, activated_by(edit))):
        return False
    if len(FLAT.findall(edit.after)) > len(FLAT.findall(edit.before)) or ADDED.sub(r"\1*=", edit.before) == edit.after:
        return False
    if edit.exchanges_targets and IGNORED.search(edit.before):
        return False
    is_of_one = other is not None and len(other.places) == 1
    if is_of_one and other.edit and takes_one(other.edit) and negates_negatives(edit):
        return True
    keeps_all = not (is_of_one and other.edit and other.edit.forgets_an_argument)
    if is_of_one and keeps_all and variables_in(edit.before) - variables_in(edit.after):
        return False
    scales = edit.scales or edit.averages or edit.sums_what_was_averaged or edit.weight > TOKEN
    return not is_of_one or not (scales or edit.negates)


def drops_mask(edit):
    """Whether an edit of a backward pass takes a factor `(x > 0)` away: the forward pass may lack what it is of."""
    return len(re.findall(MASK, edit.after)) < len(re.findall(MASK, edit.before))


def shifts(edit):
    """Whether an edit of a backward pass moves all steps by one, or puts zeros in the place of what goes back: the
    forward pass may take the wrong ones."""
    return edit.after.count("zeros_like(") > edit.before.count("zeros_like(")


def fills_another(edit):
    """Whether an edit of a backward pass puts something in the entries of another array, so that nothing is left of it:
    the forward pass may lack what it is the gradient of."""
    arrays = [FILLED.match(text) for text in (edit.before, edit.after)]
    return all(arrays) and arrays[0][1] != arrays[1][1]


def takes_one(edit):
    """Whether an edit of a backward pass takes one away from the sigmoid of what is negative by its name: that of
    negative samples has no target, and the forward pass may lack its minus, as `sig(x) - 1` is `-sig(-x)`; or leaves
    the one away that is taken from what is positive."""
    more = edit.after.count(" - 1") - edit.before.count(" - 1")
    return bool(more and (NEGATIVES if more > 0 else POSITIVES).search(edit.before))


def is_of_negatives(edit):
    """Whether an edit is of what goes by the name of negative samples, or stands in a function that does: their loss is
    summed up (Mikolov et al., 2013, eq. 4)."""
    return bool(NEGATIVES.search(edit.before) or NEGATIVES.search(edit.place[0]))


def negates_negatives(edit):
    """Whether an edit of a forward pass puts the minus in which such samples have in their loss, `log(sig(-x))`, or
    those that are positive, `logaddexp(0, -x)`."""
    forms = ((NEGATIVES, OF_MINUS), (POSITIVES, OF_LOSS_OF_MINUS))
    return any(
        of.search(edit.before) and not re.search(form, edit.before) and len(re.findall(form, edit.after)) == 1
        for of, form in forms
    )


def is_other_activation(edit):
    """Whether an edit puts a tanh in the place of a sigmoid that is written out, or the other way round."""
    texts = edit.before, edit.after
    return any(SIGMOID.search(one) and "tanh(" in other for one, other in (texts, texts[::-1]))


def loses(edit):
    """Whether fewer variables stand in a statement than did: what goes back through one would be left out."""
    if edit.before.endswith(":") or is_loop(edit):
        return False
    return len(names_read(edit.after)) < len(names_read(edit.before))


def undoes_division(edit, factor):
    """Whether an edit of a backward pass makes up for a division, that stands there or by a size elsewhere: who divides
    means the mean, and the loss may be a sum by mistake. factor: the number that all that is wrong lacks; None if there
    is none."""
    takes_size = len(OF_LENGTH.findall(edit.after)) > len(OF_LENGTH.findall(edit.before))
    return bool(factor) and factor > 1 and ("/" in edit.before or takes_size)


def is_division(repair):
    """Whether a repair of one line divides by something more than stood there."""
    edit = repair.edit if repair and len(repair.places) == 1 else None
    return bool(edit) and edit.after.count("/") > edit.before.count("/")


def averages(change):
    """Whether a slip makes a mean of a sum."""
    if not isinstance(change.node, ast.expr):
        return False
    old, new = ast.unparse(change.node), ast.unparse(change.put)
    return bool(re.search(r"\bsum\b", old)) and old != new and re.sub(r"\bmean\b", "sum", new) == old


def factors_lost(before, after):
    """(the source of what one statement is multiplied or divided by and another one is not, how): of `d / (1 - rate)`
    and `d`, or `d / 1`, that is `1 - rate`, and "{e} / ({a})". No numbers and lengths: these are rather too many in a
    gradient."""
    for node in (one for one in ast.walk(ast.parse(before)) if isinstance(one, ast.BinOp)):
        sign = {ast.Mult: "*", ast.Div: "/"}.get(type(node.op))
        one = but(node, right=ast.Constant(1))
        text = ast.unparse(node.right)
        is_value = any(isinstance(one, ast.Name | ast.Attribute) for one in ast.walk(node.right))  # and no number
        if (
            sign
            and is_value
            and not OF_LENGTH.search(text)
            and any(replaced_in(before, node, without) == after for without in (node.left, one))
        ):
            yield text, f"{{e}} {sign} ({{a}})"


def replaced_in(text, node, other):
    """The source of a statement with something in the place of an expression in it, of which there may be several."""
    return ast.unparse(replaced(ast.parse(text), {ast.unparse(node): other}))


def turns_sign(edit):
    """Whether the sign of a logarithm changes, in a statement that has a minus already, or that in a sigmoid."""
    if SIGMOID.search(edit.before) and not SIGMOID.search(edit.after):
        return True
    before, after = (logarithms_hidden(text) for text in (edit.before, edit.after))
    both = {re.sub(r"[-+()\s]", "", text) for text in (before, after)}  # without signs and brackets
    adds_up = [bool(re.search("[-+]= ", text)) for text in (before, after)]  # or not, which is another thing
    turned = before != after and len(both) == 1 and adds_up[0] == adds_up[1]
    return turned and "log()" in before and bool(NEGATIVE.search(before))


def logarithms_hidden(text):
    """A statement without what it takes logarithms of; the header of a loop, or condition, as it is."""
    if text.endswith(":") or ":\n" in text:
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node.func) == "log":
            node.args = []
    return ast.unparse(tree)


def activations_in(text):
    """How often a statement calls what is an activation by its name, or an exponential and the like."""
    return sum(bool(ACTIVATION.search(name_of(call.func) or "")) for call in calls_of(text))


def activated_by(edit):
    """The names of what an edit puts an activation around: `y_true` of `softmax(y_true)`."""
    calls = [[ast.unparse(one) for one in calls_of(text)] for text in (edit.before, edit.after)]
    put = [ast.parse(one).body[0].value for one in calls[1] if one not in calls[0]]
    given = [one for call in put if ACTIVATION.search(name_of(call.func) or "") for one in call.args[:1]]
    return {name_of(one) for one in given if isinstance(one, ast.Name | ast.Attribute)}


def puts_activation(edit):
    """Whether an edit calls one activation more than the statement did."""
    return activations_in(edit.after) > activations_in(edit.before)


def taken_from(value):
    """The name of the variable that an expression only takes a part of, or gives another shape; None of all else."""
    while not isinstance(value, ast.Name | NoneType):
        match value:
            case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in GIVEN_AS_IT_IS:
                value = first
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in GIVEN_AS_IT_IS:
                value = owner
            case ast.Subscript(value=inner) | ast.Attribute(value=inner, attr="T"):
                value = inner
            case _:
                value = None
    return value and value.id


def calls_of(text):
    """The calls in a text."""
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]


def added_in(text):
    """How often which numbers stand in sums and differences of a text, as 1 in `1 + np.exp(-x)`; but for places in
    arrays and what a loop runs through."""
    queue, found = [ast.parse(text)], Counter()
    while queue:
        node = queue.pop()
        is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
        sides = [side for side in (node.left, node.right) if isinstance(side, ast.Constant)] if is_sum else []
        found.update(side.value for side in sides)
        is_loop = isinstance(node, ast.For) or (isinstance(node, ast.Call) and name_of(node.func) == "range")
        queue += [] if is_loop else [node.value] if isinstance(node, ast.Subscript) else ast.iter_child_nodes(node)
    return found


def gives_one_twice(text, before):
    """Whether a function is given one thing twice: what it does is left out then, `np.maximum(x, x)`."""
    calls = calls_of(text)
    twice = [ast.unparse(one) for one in calls if len({*map(ast.unparse, one.args)}) < len(one.args)]
    return any(one not in before for one in twice)


def variables_in(text):
    """The variables and attributes that a statement mentions, but for what it calls."""
    return set(map(ast.unparse, values_in(text))) if not text.endswith(":") else set()


def names_read(text):
    """The names of variables, attributes and functions in a text, as often as they stand there, but for what makes
    zeros and for the object itself."""
    calls = [node.func for node in calls_of(text)]
    made = [name_of(func) for func in calls if not is_method(func) or ast.unparse(func.value) == "self"]
    names = [node.id if isinstance(node, ast.Name) else node.attr for node in values_in(text)]
    names = [name for name in names if name != "self"]
    return names + [name for name in made if name not in ZERO_MAKERS]


def values_in(text):
    """The variables and attributes that a text mentions, but for functions that are called."""
    every = list(ast.walk(ast.parse(text)))
    calls = [node.func for node in every if isinstance(node, ast.Call)]
    called = {id(part) for func in calls for part in ([func] if is_method(func) else ast.walk(func))}
    return [node for node in every if isinstance(node, ast.Name | ast.Attribute) and id(node) not in called]


def is_method(node):
    """Whether what is called is that of a value, `x.sum`, and no function of a module."""
    return isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id in MODULES)


@lru_cache(64)  # of a statement that is edited in thousands of ways
@lru_cache(64)
def compared_in(statement):
    """The ids of all that is compared in a statement."""
    asked = [node for node in ast.walk(statement) if isinstance(node, ast.Compare)]
    return {id(node) for one in asked for node in ast.walk(one)}


def compares_otherwise(change):
    """Whether a slip makes something else of what is compared, or puts something of another name there; or compares
    what is drawn at random the other way round, which is right for both passes or for none."""
    if isinstance(change.node, ast.Compare) and any("rand" in ast.unparse(c.func) for c in calls_in(change.node)):
        return True
    is_asked = isinstance(change.new, Pattern) and id(change.node) in compared_in(change.statement)
    return is_asked and ("{e}" in change.new.pattern or turn(change) > 1)


def gives_counter(change, counters):
    """Whether a slip gives a function the counter of a loop in place of something else. counters: their names."""
    is_given = any(change.node is one for call in calls_in(change.statement) for one in call.args)
    is_counter = isinstance(change.new, Pattern) and change.new.text in counters
    return is_given and is_counter and ast.unparse(change.node) not in counters


def undoes(change):
    """Whether a slip takes away what a value is cut off by: entries that are set to zero, the bounds of `np.clip`.
    With what is cut off its gradient would be right as it is."""
    statement = change.statement
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        return makes_zero(statement.value)
    clips = [call for call in calls_in(statement) if name_of(call.func) == "clip"]
    bounds = [part for clip in clips for bound in clip.args[1:] for part in ast.walk(bound)]
    return any(change.node is one for one in (*clips, *bounds))


def parts_of(expression):
    """What an expression consists of, in whatever order."""
    return Counter(ast.unparse(one) if isinstance(one, LEAVES) else type(one).__name__ for one in ast.walk(expression))


def turn(change):
    """What the slips of a line are sorted by: above one for those of names that nobody takes for one another."""
    old, new = change.node, change.new
    if not isinstance(new, Pattern) and parts_of(old) == parts_of(new):
        return EXCHANGED if isinstance(old, ast.Subscript) else IN_ORDER
    text = new.a if isinstance(new, Pattern) else ast.unparse(new) if isinstance(new, ast.expr) else ""
    is_atom = isinstance(old, ast.Name | ast.Attribute | ast.Subscript) and isinstance(old.ctx, ast.Load)
    if not is_atom or not text:
        return 1.0
    if text.rpartition(".")[2] in PARTS:
        return 2.0
    alike = likeness(ast.unparse(old).rpartition(".")[2], text.rpartition(".")[2])
    return 1.0 - alike if alike > ALIKE else 2.0

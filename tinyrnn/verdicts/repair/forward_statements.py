"""What a statement of a forward pass may have been meant to be, and what stands in it: read from the source."""

import ast
import re
from functools import lru_cache

from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.syntax import name_of, targets_of
from tinyrnn.verdicts.repair.around import called
from tinyrnn.verdicts.repair.change import Pattern
from tinyrnn.verdicts.repair.gates import both_ways
from tinyrnn.verdicts.repair.kept import is_plain, leaves_of
from tinyrnn.verdicts.repair.replacements import is_square, other_blocks, parsed
from tinyrnn.verdicts.repair.slopes import factors_of
from tinyrnn.verdicts.repair.texts import is_length_of

CANDIDATE = re.compile(r"(g|n|[ch]_?(hat|tilde|bar|cand\w*)|g_?t|n_?t|cand\w*|g_?gate|gate_?g)$", re.IGNORECASE)
GATE = re.compile(r"([ifozru](_?(t|gate))?|gate_?[ifozru]|(input|forget|output|update|reset)\w*)$", re.IGNORECASE)
USUAL = {CANDIDATE: ("sig|logistic", "tanh"), GATE: ("tanh", "sig|logistic")}  # what is wrong there, and what is usual
AXES = "0", "1", "-1"


def makes_object(call):
    """Whether a call is that of a class, by its name."""
    return (name_of(call.func) or "")[:1].isupper()


def is_of_numbers(node):
    """Whether a node calls what is taken of numbers as they are: a sum, a square, a logarithm."""
    return isinstance(node, ast.Call) and name_of(node.func) in ("sum", "mean", "square", "sqrt", "log", "abs")


def is_worked_out(node):
    """Whether an expression is an operation, or a call."""
    return isinstance(node, ast.BinOp | ast.Call)


def parts_of(statement):
    """The nodes of what an assignment sets something to, or of what is worked out where it is returned, or put at the
    end of a list; none of another statement."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        given = statement.value.args if name_of(statement.value.func) == "append" else ()
        return [node for one in given if not is_plain(one) for node in ast.walk(one)]
    if isinstance(statement, ast.Return):
        return [node for leaf in leaves_of(statement) if not is_plain(leaf) for node in ast.walk(leaf)]
    return list(ast.walk(statement.value)) if isinstance(statement, ast.Assign | ast.AugAssign) else []


def other_activations(node):
    """A tanh for a sigmoid that is written out, `1 / (1 + np.exp(-x))`, and the other way round."""
    match node:
        case ast.BinOp(op=ast.Div(), left=ast.Constant(value=1)):
            texts = re.findall(r"1(?:\.0)? \+ np\.exp\(-(.*)\)\)?$", ast.unparse(node.right))
            yield from (parsed(f"np.tanh({text})") for text in texts if text.count("(") == text.count(")"))
        case ast.Call(func=ast.Attribute(attr="tanh"), args=[given]):
            yield parsed(f"1 / (1 + np.exp(-({ast.unparse(given)})))")


def kept_beside(statement, edits):
    """The variables that stand nowhere, or nowhere but in what is kept for the backward pass, or returned, of a
    statement's loop: each of two directions has its own gates of one name. No counters of loops. And the attributes
    that the function sets and does not read."""
    within = innermost_loop(edits.tree, statement)
    unread = sorted(name for name in edits.unread if name.isidentifier())
    idle = edits.scope.loops | names_in(statement)
    attributes = [node for node in ast.walk(edits.tree) if isinstance(node, ast.Attribute)]
    read = {ast.unparse(node) for node in attributes if isinstance(node.ctx, ast.Load)}
    kept = {ast.unparse(node) for node in attributes if isinstance(node.ctx, ast.Store)} - read
    return [name for name in (*only_kept(within), *unread) if name not in idle] + sorted(kept)


@lru_cache(64)
def sizes_taken(tree):
    """The names that a function gives to lengths: `n, c, h, w = x.shape`."""
    made = [one for one in ast.walk(tree) if isinstance(one, ast.Assign) and is_length_of(one.value)]
    return {
        leaf.id for one in made for target in one.targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name)
    }


def entries_kept(statement, edits):
    """The sources of the entries that a statement's loop sets, at its step, of what it reads nothing of: `r[t]`."""
    within = innermost_loop(edits.tree, statement)
    nodes = [node for node in ast.walk(within) if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)]
    of_step = [node for node in nodes if isinstance(node.slice, ast.Name) and node.slice.id in edits.scope.loops]
    made = {node.value.id: node for node in of_step if isinstance(node.ctx, ast.Store)}
    read = {node.value.id for node in nodes if isinstance(node.ctx, ast.Load)}
    return [ast.unparse(node) for name, node in made.items() if name not in read | names_in(statement)]


def left_out(statement, edits, names):
    """(a value that a statement reads, what it may have been meant to be): multiplied by, or added to, some variables;
    or one of them in place of a side of a product, `i * g` for `(1 - f) * g`."""
    whole = getattr(statement, "value", None)
    for node in (one for one in parts_of(statement) if edits.is_atom(one) or (one is whole and is_worked_out(one))):
        text = ast.unparse(node)
        yield from ((node, Pattern("{e} " + sign + " {a}", text, a=name)) for name in names for sign in "*+")
    for node in parts_of(statement):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            inner = [side for side in (node.left, node.right) if isinstance(side, ast.BinOp)]
            yield from ((side, Pattern("{a}", a=name)) for side in inner for name in names)


def of_the_usual_kind(statement, tree, activations):
    """(an activation that a statement calls, another one): the tanh of a gate and the sigmoid of what would be added to
    a state, among at least two others that go by the names of gates."""
    names = [called(target) for target in targets_of(statement)]
    kind = next((kind for kind in USUAL if len(names) == 1 and kind.match(names[0])), None)
    others = {called(target) for target in targets_of(tree)} - {*names}
    if kind is None or sum(any(one.match(name) for one in USUAL) for name in others) < 2:
        return
    for node in parts_of(statement):
        wrong, right = USUAL[kind]
        if isinstance(node, ast.Call) and re.search(wrong, name_of(node.func) or ""):
            others = [text for text in (*activations, "np.tanh") if re.search(right, text.rpartition(".")[2])]
            yield from ((node.func, ast.parse(text, mode="eval").body) for text in dict.fromkeys(others))


def is_of_gate(text):
    """Whether a statement sets what goes by the name of a gate."""
    targets = targets_of(ast.parse(text)) if not text.endswith(":") else ()
    return any(GATE.match(called(target) or "") for target in targets)


def of_another_gate(statement, tree):
    """(a slice of an array that a function takes twice, another block as long): one may be of another gate."""
    text = ast.unparse(tree)
    for node in parts_of(statement):
        if isinstance(node, ast.Subscript) and text.count(ast.unparse(node)) > 1:
            yield from other_blocks(node)


def of_the_usual_loss(statement, tree):
    """(a part of a loss, what it mostly is): a sum of logarithms for their mean, `y * log(p) + (1 - y) * log(1 - p)`
    for its first term, half of a sum of squares for the sum, also as a term, or of a square where something holds."""
    value = getattr(statement, "value", None)
    for node in parts_of(statement):
        given = node.args[0] if isinstance(node, ast.Call) and node.args else None
        func = getattr(node, "func", None)
        if isinstance(func, ast.Attribute) and func.attr == "mean" and "log" in names_called(given):
            yield func, but(func, attr="sum")
        if terms := both_terms(node):
            yield node, parsed(terms)
        chosen = node.args[1:] if isinstance(node, ast.Call) and name_of(func) == "where" else []
        chosen = [*chosen, *([node] if node is value and is_chosen(statement, tree) else [])]
        for square in (one for one in chosen if is_square(one) or is_second_power(one)):
            yield square, Pattern("0.5 * {e}", ast.unparse(square))  # of a Huber loss
    scaled = scaled_sums_in(tree)
    for part in (value, *terms_in(value)) if value and not any(statement is one for one, _ in scaled) else ():
        if any(sums_squares(node) for node in ast.walk(part)) or any(statement is one for _, one in scaled):
            yield part, Pattern("0.5 * {e}", ast.unparse(part))


def sums_of_logarithms(statement):
    """(the mean of all of some logarithms, its source, what it is of, the sources of the sums it may have been meant to
    be): of all of them, or what they are for each row, or column, on the average."""
    for node in parts_of(statement):
        is_mean = isinstance(node, ast.Call) and name_of(node.func) == "mean" and not node.keywords
        values = [*node.args, *([node.func.value] if not node.args else ())] if is_mean else []
        if len(values) == 1 and any(re.match("log", name) for name in names_called(values[0])):
            text = ast.unparse(values[0])
            whole = f"np.sum({text})"
            yield node, text, (whole, *(f"{whole} / ({text}).shape[{axis}]" for axis in (0, 1)))


@lru_cache(64)
def scaled_sums_in(tree):
    """[(what sets a variable to a sum of squares, what multiplies that variable further down)] of a function."""
    statements = [one for one in ast.walk(tree) if isinstance(one, ast.Assign | ast.AugAssign)]
    sums = [one for one in statements if any(map(sums_squares, ast.walk(one.value)))]
    products = [(one, set(map(ast.unparse, factors_of(one.value)))) for one in statements if one not in sums]
    return [
        (made, product)
        for made in sums
        for product, factors in products
        if len(factors) > 1 and factors & set(map(ast.unparse, targets_of(made)))
    ]


def terms_in(value):
    """The terms of a sum or difference, also of those that are terms themselves; none of anything else."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        for side in (value.left, value.right):
            yield from (side, *terms_in(side))


def both_terms(node):
    """The source of `y * log(p) + (1 - y) * log(1 - p)` for its first term, whatever multiplies; None of all else."""
    for y, log in both_ways(node):
        if given_to_log(log):
            is_negative = isinstance(y, ast.UnaryOp) and isinstance(y.op, ast.USub)
            y, called, of = map(ast.unparse, (y.operand if is_negative else y, log.func, log.args[0]))
            terms = f"({y}) * {called}({of}) + (1 - ({y})) * {called}(1 - ({of}))"
            return f"-({terms})" if is_negative else terms
    return None


def is_chosen(statement, tree):
    """Whether what a statement sets is one of the values that `np.where` chooses from, in a function."""
    names = {one.id for one in getattr(statement, "targets", ()) if isinstance(one, ast.Name)}
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and name_of(one.func) == "where"]
    return any(isinstance(one, ast.Name) and one.id in names for call in calls for one in call.args[1:])


def of_sums_of_powers(statement, tree):
    """(a variable that a statement adds or takes away, its logarithm), of one that the function sets to a sum of
    exponentials: the loss behind a softmax is `log(sum(exp(x))) - x`."""
    made = [one for one in ast.walk(tree) if isinstance(one, ast.Assign)]
    powers = {ast.unparse(one.targets[0]) for one in made if "exp" in names_called(one.value)}
    sums = [one for one in made if "sum" in names_called(one.value)]
    sums = [
        one for one in sums if "exp" in names_called(one.value) or powers & set(map(ast.unparse, ast.walk(one.value)))
    ]
    names = {ast.unparse(one.targets[0]) for one in sums}
    for node in parts_of(statement):
        sides = (
            [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) else []
        )
        yield from ((one, parsed(f"np.log({ast.unparse(one)})")) for one in sides if ast.unparse(one) in names)


def names_called(node):
    """The names of the functions that an expression calls; none without one."""
    return {name_of(one.func) for one in ast.walk(node or ast.Constant(0)) if isinstance(one, ast.Call)}


def sums_squares(node):
    """Whether a node sums all squares of an array, along no axis: `np.sum(W ** 2)`."""
    is_sum_of_all = isinstance(node, ast.Call) and name_of(node.func) == "sum" and not node.keywords
    return is_sum_of_all and len(node.args) < 2 and any(map(is_second_power, ast.walk(node)))


def is_second_power(node):
    """Whether a node squares something."""
    is_power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and ast.unparse(node.right) == "2"
    return is_power or (isinstance(node, ast.Call) and name_of(node.func) == "square")


def first_for_current(statement, tree):
    """(a variable that a statement in a loop reads, another one): of `h = step(x[t], h0)` in a loop, where `h = h0`
    stands before it, `h`."""
    for loop in (one for one in ast.walk(tree) if isinstance(one, ast.For) and statement in ast.walk(one)):
        moving = {ast.unparse(target) for target in targets_of(loop)}
        starts = [one for one in ast.walk(tree) if isinstance(one, ast.Assign) and isinstance(one.value, ast.Name)]
        starts = {one.value.id: one.targets[0] for one in starts if one.lineno < loop.lineno}
        for node in parts_of(statement):
            target = starts.get(node.id) if isinstance(node, ast.Name) else None
            if isinstance(target, ast.Name) and target.id in moving and node.id not in moving:
                yield node, ast.Name(target.id, ast.Load())


def thrown_away(statement, tree):
    """(a target called `_` in a loop, a variable that the statement reads there and that no loop sets): the next state,
    say, with which the loop should go on."""
    targets = targets_of(statement) if isinstance(statement, ast.Assign) else ()
    loop = innermost_loop(tree, statement)
    unused = [node for node in targets if getattr(node, "id", None) == "_"] if loop is not tree else []
    moved = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    set_before = {called(target) for target in targets_of(tree)} - moved
    read = [node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)] if unused else []
    names = [name for name in dict.fromkeys(read) if name in set_before]
    yield from ((node, ast.Name(name, ast.Store())) for node in unused for name in names)


def given_to_log(node):
    """The variables of which a call takes the logarithm, with a small number added or not."""
    call = node if isinstance(node, ast.Call) and (name_of(node.func) or "").startswith("log") else None
    given = call.args[:1] if call else []
    given += [side for one in given if isinstance(one, ast.BinOp) for side in (one.left, one.right)]
    return [one for one in given if isinstance(one, ast.Name | ast.Attribute | ast.Subscript)]


def wanted_beside_log(node):
    """(what the logarithm of a chance is multiplied by, what it may have been meant to be): `1 - y` for the `y` of
    `y * log(1 - p)`."""
    for wanted, other in both_ways(node):
        is_plain = isinstance(wanted, ast.Name | ast.Attribute | ast.Subscript)
        if is_plain and any(is_complement(one.args[0]) for one in logarithms_in(other)):
            yield wanted, Pattern("1 - {e}", ast.unparse(wanted))


def of_both_terms(statement):
    """(a part of one of the two terms of a cross-entropy, what it is meant to be): `1 - y` for `y` where both terms
    have `y`, `log(1 - p)` for `log(p)` where both have `log(p)`."""
    terms = []
    for node in parts_of(statement):
        for wanted, other in of_product(node):
            logs = logarithms_in(other)
            if len(logs) == 1 and not logarithms_in(wanted):
                terms.append((wanted, is_complement(wanted), logs[0].args[0], is_complement(logs[0].args[0])))
    if len(terms) != 2 or not any(is_less == is_of_less for _, is_less, _, is_of_less in terms):
        return
    for wanted, is_less, of, is_of_less in terms:
        if is_less and not is_of_less:
            yield of, Pattern("1 - {e}", ast.unparse(of))
        if is_of_less and not is_less:
            yield wanted, Pattern("1 - {e}", ast.unparse(wanted))


def of_product(node):
    """The two factors of a product, entry by entry or of matrices, in either order."""
    match node:
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            return (left, right), (right, left)
        case ast.Call(func=ast.Attribute(attr="dot" | "matmul"), args=[left, right]):
            return (left, right), (right, left)
    return both_ways(node)


def logarithms_in(node):
    """The calls of a logarithm in an expression."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and one.args]
    return [one for one in calls if (name_of(one.func) or "").startswith("log")]


def is_complement(node):
    """Whether an expression is one less something, `1 - p`, with a small number added or not."""
    firsts = [one.left for one in ast.walk(node) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub)]
    return any(isinstance(first, ast.Constant) and first.value == 1 for first in firsts)


def is_sum(node):
    """Whether a node adds two things."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)


def innermost_loop(tree, statement):
    """The smallest loop that a statement stands in, or the whole function."""
    loops = [one for one in ast.walk(tree) if isinstance(one, ast.For) and any(n is statement for n in ast.walk(one))]
    return loops[-1] if loops else tree


def only_kept(tree):
    """The variables that a function, or a loop, sets and only keeps or returns; and what the function is given, `b` of
    `return x @ W, (x, W, b)`."""
    leaves = [leaf for one in ast.walk(tree) if isinstance(one, ast.stmt) for leaf in leaves_of(one)]
    kept = {id(leaf.func.value if is_copied(leaf) else leaf) for leaf in leaves}
    read = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    used = {node.id for node in read if id(node) not in kept}
    set_here = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    given = {one.arg for one in tree.args.args} if isinstance(tree, ast.FunctionDef) else set()
    return sorted((set_here | given) & {node.id for node in read} - used)


def is_copied(node):
    """Whether an expression is a copy of something, `a.copy()`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "copy"


def names_in(statement):
    """The variables that a statement mentions; of a `return`, but for those that it gives as they are."""
    nodes = parts_of(statement) if isinstance(statement, ast.Return) else ast.walk(statement)
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def with_last(node, name):
    """The source of an entry, or attribute, with another name in the place of its last; None if it has none."""
    if isinstance(node, ast.Attribute):
        return ast.unparse(but(node, attr=name))
    is_named = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return ast.unparse(but(node, slice=ast.Constant(name))) if is_named else None


def biases_taken_away(statement):
    """(a difference of a product of matrices and a variable, their sum): `x @ W + b` for `x @ W - b`."""
    for node in parts_of(statement):
        match node:
            case ast.BinOp(left=ast.BinOp(op=ast.MatMult()) | ast.Call() as left, op=ast.Sub(), right=right):
                is_product = isinstance(left, ast.BinOp) or name_of(left.func) in ("dot", "matmul")
                if is_product and isinstance(right, ast.Name | ast.Attribute | ast.Subscript):
                    yield node, but(node, op=ast.Add())


def along_another_axis(statement):
    """(the axis that a call is given by name, another one), and (a sum over everything, the same along an axis)."""
    for call in (node for node in parts_of(statement) if isinstance(node, ast.Call)):
        axes = [one.value for one in call.keywords if one.arg == "axis"]
        yield from ((one, parsed(axis)) for one in axes for axis in AXES if axis != ast.unparse(one))
        if name_of(call.func) == "sum" and not axes:
            for axis in AXES:
                given = ast.keyword("axis", parsed(axis)), ast.keyword("keepdims", ast.Constant(True))
                yield call, but(call, keywords=[*call.keywords, *given])

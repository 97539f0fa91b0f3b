"""What the statements of a function are made of: variables, counters, entries; which of them are of no use there."""

import ast
import re
from collections import Counter

from tinyrnn.sources.mutation.scope import MODULES, but, number, rebuilt
from tinyrnn.sources.syntax import name_of, targets_of
from tinyrnn.sources.vocabulary import names_gradients, stems
from tinyrnn.verdicts.repair.change import BLOCKS
from tinyrnn.verdicts.repair.replacements import mentions, parsed

MOST_PARTS = 12  # of one array, that are cut as those of others are
ALIKE, NEARLY = 0.6, 0.8  # of the letters of two names that are alike, or nearly the same
PARTS = ("T", "shape", "dtype", "ndim", "size")  # of an array, no value of their own
ACTIVATION = re.compile("tanh|sig|relu|logistic|soft|exp|act|elu|sin$|cos$|square|sqrt|log")
DERIVES = re.compile(
    "deriv|prime|slope|dash|_grad$|_d$|^grad$|^d_?(tanh|sig|relu|act)|(tanh|sigm?(oid)?|relu|act|fun)_?der$",
    re.IGNORECASE,
)
IDENTIFIER = re.compile(r"[^\W\d]\w*")
JOINING = "append", "block", "column_stack", "concatenate", "dstack", "hstack", "stack", "vstack"
HEADERS = ast.For | ast.While | ast.If


def indices_of(node):
    """What is read of an array at: `t - 1` of `h[t - 1, :]`, `c` of `x[:, [c]]`."""
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        parts = [part.elts[0] if isinstance(part, ast.List) and len(part.elts) == 1 else part for part in parts]
        numbers = [part for part in parts if type(number(part)) is int]
        yield from [*(part for part in parts if isinstance(part, ast.Name | ast.BinOp)), *numbers]


def entries_of_unread(tree, unread, counters):
    """The entries, at the counters of loops, of the lists, and of the gradients, that a function makes and nothing
    reads: `h_prev[t]`, `dh[t]`."""
    for node in ast.walk(tree):
        parts = [node.value] if isinstance(node, ast.Assign) and is_name(node.targets[0]) else []
        parts += [parts[0].left, parts[0].right] if parts and isinstance(parts[0], ast.BinOp) else []
        is_list = any(isinstance(part, ast.List | ast.ListComp) for part in parts)
        if parts and node.targets[0].id in unread and (is_list or names_gradients(node.targets[0].id)):
            yield from (parsed(f"{node.targets[0].id}[{counter}]") for counter in sorted(counters))


def wholes_in(node):
    """The `:` of `x[:]` and `x[:, k]`, all along an axis."""
    index = getattr(node, "slice", None)
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        if isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step):
            yield part


def filled_in(statement):
    """The ids of what entries of are set: `x` of `x[t] = ...`, for which another may stand, but nothing made of it."""
    targets = targets_of(statement) if isinstance(statement, ast.Assign | ast.AugAssign) else ()
    return {id(target.value) for target in targets if isinstance(target, ast.Subscript)}


def ends_alike(left, right):
    """How many letters two texts have in common, where they begin and where they end."""
    same, more = same_at_start(left, right), same_at_start(left[::-1], right[::-1])
    return min(same + more, len(left), len(right))


def likeness(name, other):
    """How much of two names is the same, from 0 to 1: none of what has no name."""
    return ends_alike(name, other) / max(len(name), len(other)) if name and other else 0.0


def same_at_start(left, right):
    """How many letters two texts begin with alike."""
    return next((k for k, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def counters_in(tree, loops):
    """The variables that are worked out from counters of loops by adding numbers: `k` of `k = T - 1 - t`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and is_name(node.targets[0]):
            terms = [
                one for one in ast.walk(node.value) if not isinstance(one, ast.BinOp | ast.operator | ast.expr_context)
            ]
            within = {id(one) for call in terms if is_length(call) for one in ast.walk(call) if one is not call}
            terms = [one for one in terms if id(one) not in within]
            if all(isinstance(one, ast.Name | ast.Constant) or is_length(one) for one in terms) and mentions(
                node.value, loops
            ):
                found.add(node.targets[0].id)
    return found


def counters_of(tree):
    """The variables that loops count by, which may be of no use: `t` in `range(T)`, in `t, x in enumerate(xs)`."""
    found = set()
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.For)):
        called = [name_of(node.func) for node in ast.walk(loop.iter) if isinstance(node, ast.Call)]
        target = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) and "enumerate" in called else loop.target
        found |= {target.id} if is_name(target) and {"range", "arange", "enumerate"} & {*called} else set()
    return found


def is_length(node):
    """Whether a node is a call of `len`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "len"


def given_numbers(nodes):
    """Zeros and ones that a function is given in some place: something may belong there."""
    given = [one for node in nodes if isinstance(node, ast.Call) for one in node.args]
    return [one for one in given if isinstance(one, ast.Constant) and one.value in (0, 1)]


def parts_alike(nodes):
    """The sources of parts of arrays that are cut as others are: `gates[t, :d]` where there is `dgates[t, :d]`."""
    cut = {}
    for node in nodes:
        if isinstance(node, ast.Subscript) and any(isinstance(one, ast.Slice) for one in ast.walk(node.slice)):
            cut.setdefault(ast.unparse(node.value), {})[ast.unparse(node.slice)] = node.slice
    for name, own in cut.items():
        alike = [other for other in cut.values() if own.keys() & other.keys()] if is_plain(name) else []
        keys = list({text: key for other in alike for text, key in other.items()}.values())[:MOST_PARTS]
        yield from (ast.unparse(ast.Subscript(parsed(name), key, ast.Load())) for key in keys)


def is_plain(text):
    """Whether a text is a variable, or an attribute of one."""
    return text.replace(".", "").isidentifier()


def ends_of_loops(tree):
    """The ids of what says when a `while` ends: itself, and what sets something that its condition reads."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.While)]
    read = {name_of(node) for loop in loops for node in ast.walk(loop.test)} - {None}
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)] if loops else []
    return {id(one) for one in (*loops, *(one for one in statements if read & {*map(name_of, targets_of(one))}))}


def attributes_set(tree):
    """The attributes that a function sets, but for gradients, as they are read."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    return [but(node, ctx=ast.Load()) for node in nodes if not names_gradients(node.attr)]


def bound_in(tree):
    """The names that a function is given or gives, each once."""
    nodes = list(ast.walk(tree))
    given = [node.arg for node in nodes if isinstance(node, ast.arg) and node.arg not in ("self", "cls")]
    made = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return dict.fromkeys(name for name in given + made if name != "_")


def handed_on_for_nothing(tree):
    """The names that a loop sets, which are set before it too, or given, and does not read: what it hands on is of no
    use."""
    found, given = set(), {one.arg for one in tree.args.args if names_gradients(one.arg)}
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.For)):
        names = [node for node in ast.walk(loop) if isinstance(node, ast.Name)]
        within = {id(node) for node in names}
        before = {n.id for n in ast.walk(tree) if is_name(n) and isinstance(n.ctx, ast.Store) and id(n) not in within}
        made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        grown = {node.target.id for node in ast.walk(loop) if isinstance(node, ast.AugAssign) and is_name(node.target)}
        found |= (made & (before | given)) - grown - {node.id for node in names if isinstance(node.ctx, ast.Load)}
    return found


def made_for_nothing(tree):
    """The names of variables that are worked out and, in the same block, set again before anything reads them: `b` of
    `b = d @ W.T` before `b = (c + e) * (h > 0)`."""
    found = set()
    for block in blocks_of(tree):
        waiting = set()
        for statement in block:
            nodes = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
            waiting -= {node.id for node in nodes if isinstance(node.ctx, ast.Load)}
            if isinstance(statement, ast.AugAssign) and is_name(statement.target):
                waiting.discard(statement.target.id)
            if isinstance(statement, ast.Assign):
                names = {node.id for node in statement.targets if is_name(node)}
                found |= waiting & names
                waiting |= names if isinstance(statement.value, ast.BinOp | ast.Call) else set()
    return found


def blocks_of(tree):
    """The lists of statements in a tree."""
    for node in ast.walk(tree):
        for name in BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def kept_for_nothing(tree):
    """The entries of dicts, and attributes, that a function sets for the step before, by their names, and does not
    read: `gradients["da_next"]`, `self.dh_next`."""
    places = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Subscript) and name_of(node)]
    carried = [node for node in places if any(handed_on for _, handed_on in stems(name_of(node)))]
    read = {ast.unparse(node) for node in carried if isinstance(node.ctx, ast.Load)}
    stored = {ast.unparse(node): node for node in carried if isinstance(node.ctx, ast.Store)}
    return [but(node, ctx=ast.Load()) for text, node in stored.items() if text not in read]


def filled_again_for_nothing(tree):
    """The entries that each turn of a loop sets anew and does not read, of what is there before the loop, each of them
    set in a loop within it: `dh_prev[l] = …` for all l, at each t."""
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.For)):
        nodes = [one for node in loop.body for one in ast.walk(node)]
        targets = [node.target for node in nodes if isinstance(node, ast.For)]
        counters = {node.id for target in targets for node in ast.walk(target) if is_name(node)}
        filled = [one for node in nodes if isinstance(node, ast.Assign) for one in node.targets]
        filled = [one for one in filled if isinstance(one, ast.Subscript) and is_name(one.value)]
        read = Counter(node.id for node in nodes if is_name(node)) - Counter(one.value.id for one in filled)
        for target in filled:
            index = {node.id for node in ast.walk(target.slice) if is_name(node)}
            if index and index <= counters and target.value.id not in read:
                yield but(target, ctx=ast.Load())


def is_double(node):
    """Whether a node gives one value to several targets: `dh = cache["dh"] = …`."""
    return isinstance(node, ast.Assign) and len(node.targets) > 1


def is_no_value(node):
    """Whether a node is the name of a module, of the object whose method it stands in, or a part of a text."""
    return isinstance(node, ast.JoinedStr | ast.FormattedValue) or (
        is_name(node) and node.id in (*MODULES, "self", "cls")
    )


def is_name(node):
    """Whether a node is a variable."""
    return isinstance(node, ast.Name)


def wholes_of(statement):
    """What a statement gives as a whole: what is assigned, alone or in a list, or put in a list by `append`."""
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.Assign | ast.AugAssign):
        parts = value.elts if isinstance(value, ast.List) else [value]
        return [one for one in parts if not isinstance(one, ast.Starred)]
    is_put = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "append"
    return value.args if isinstance(statement, ast.Expr) and is_put else []


def parts_beside(whole):
    """The terms of a sum, and what arrays are joined of, but for the whole itself: each has factors of its own."""
    queue = [whole]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Call) and name_of(node.func) in JOINING:
            parts = [one for arg in node.args for one in (arg.elts if isinstance(arg, ast.Tuple | ast.List) else [arg])]
        else:
            continue
        yield from parts
        queue += parts


def handed_on(statement, arguments=()):
    """The names that a return gives as they are: another may be meant; what they stand for is computed elsewhere.
    arguments: what the function is only given, for which that is not so."""
    found, queue = [], [statement.value] if isinstance(statement, ast.Return) else []
    while queue:
        node = queue.pop()
        queue += node.elts if isinstance(node, ast.Tuple | ast.List) else ()
        found += [node] if isinstance(node, ast.Name) and node.id not in arguments else []
    return found


def completes_a_row(change, named):
    """Whether a `Change` makes of an entry of a tuple or list that is returned what looks like at least two others:
    `-db` of `db` in `return loss, -dW, db, -dU`; or what is done to another one word for word: `dW / N` beside
    `db / N`. named: {variable: what it stands for there}."""
    for box in (node for node in ast.walk(change.statement) if isinstance(node, ast.Tuple | ast.List)):
        for entry in (one for one in box.elts if any(node is change.node for node in ast.walk(one))):
            others = [look_of(named.get(getattr(one, "id", None), one)) for one in box.elts if one is not entry]
            before, after = look_of(entry), look_of(rebuilt(entry, {change.node: change.put}))
            if after != before and others.count(after) > max(1, others.count(before)):
                return True
            made = ast.unparse(rebuilt(entry, {change.node: change.put}))
            if is_name(entry) and after != before and any(made == as_named(one, entry.id) for one in box.elts):
                return True
    return False


def as_named(expression, name):
    """The source of an expression with another name in the place of the first one that it reads."""
    return re.sub(r"[^\W\d]\w*", name, ast.unparse(expression), count=1)


def look_of(expression):
    """What an expression looks like, but for names."""
    return re.sub(r"[^\W\d][\w.]*", "_", ast.unparse(expression))


def does_nothing(node):
    """Whether a node is a loop with a `pass` in it, and no more."""
    return isinstance(node, ast.For) and len(node.body) == 1 and isinstance(node.body[0], ast.Pass)


def own_nodes(statement):
    """The nodes of a statement, without those of the statements in it."""
    queue = [statement]
    while queue:
        node = queue.pop(0)
        yield node
        for name, child in ast.iter_fields(node):
            if not (isinstance(node, HEADERS | ast.With | ast.Try) and name in BLOCKS):
                children = child if isinstance(child, list) else [child]
                queue += [one for one in children if isinstance(one, ast.AST)]


def names_of(node):
    """The names that an expression consists of: of a variable, an attribute, a key."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def is_text(statement):
    """Whether a statement is a string, which documents."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def headed(statement):
    """A statement without those in it."""
    empty = {name: [] for name in BLOCKS if isinstance(getattr(statement, name, None), list)}
    header = but(statement, **(empty | ({"body": [ast.Pass()]} if "body" in empty else {})))
    return ast.fix_missing_locations(ast.copy_location(header, statement))

"""What is there where a function runs, and what of it the function may have forgotten to read or to call."""

import ast
import inspect
import re
from itertools import product
from string import digits
from types import FunctionType

import numpy as np

from tinyrnn.sources.mutation.scope import MODULES
from tinyrnn.sources.syntax import makes_zero, name_of
from tinyrnn.sources.vocabulary import names_gradients, words_in
from tinyrnn.verdicts.record.run import numbers
from tinyrnn.verdicts.repair.sieve import value_of
from tinyrnn.verdicts.repair.standing_for import assigned_in
from tinyrnn.verdicts.repair.statements import ACTIVATION, DERIVES

MOST_PRODUCTS = 400  # of the arrays of a function: each is looked at in each part of a line
RELU = re.compile("relu|^f?maximum$|^fmax$", re.IGNORECASE)


def last_of_blocks(tree):
    """The statements that give something and stand last in a function, before anything behind its `return`, and in each
    of its loops; and in each branch, where one of these ends with a condition."""
    body = tree.body
    returns = [k for k, node in enumerate(body) if isinstance(node, ast.Return)]
    blocks = [body[: returns[0] + 1] if returns else body]
    blocks += [node.body for node in ast.walk(tree) if isinstance(node, ast.For)]
    for block in blocks:
        if block and isinstance(block[-1], ast.If):
            blocks += [branch for branch in (block[-1].body, block[-1].orelse) if branch]
    yield from (last for block in blocks if (last := next(filter(value_of, block[::-1]), None)) is not None)


def kept(look, tree, never_read=frozenset()):
    """The sources of all entries of dicts and attributes of objects of which a function reads some: it may have
    forgotten one, or all that its own object has. Gradients only of what it reads some of, or, of its own object, what
    it does not set itself and no function reads: a slope that the forward pass keeps; objects only of classes of which
    it uses some, and lists of arrays only beside such a one. never_read: the names of such attributes."""
    own = ["self"] if "self" in look.locals else []  # of which a function may have forgotten to read anything
    reads, used = dict.fromkeys(own, False), {name: set() for name in own}
    for node in ast.walk(tree):
        if (isinstance(node, ast.Attribute) or is_entry(node)) and is_box(node.value):
            key = node.attr if isinstance(node, ast.Attribute) else node.slice.value
            is_gradient = isinstance(node.ctx, ast.Load) and names_gradients(key)
            name = ast.unparse(node.value)
            reads[name] = reads.get(name, False) or is_gradient
            used.setdefault(name, set()).add(key)
    for name, reads_gradients in reads.items():
        try:
            box = look.value(name)
        except Exception:
            continue  # of another branch
        if inspect.ismodule(box):
            continue  # of which nothing was forgotten, and nothing may be changed
        entries = box if isinstance(box, dict) else getattr(box, "__dict__", {})
        form = "{}[{!r}]" if isinstance(box, dict) else "{}.{}"
        alike = {type(entries.get(key)) for key in used[name] if hasattr(entries.get(key), "__dict__")}
        yield from (form.format(name, key) for key, one in entries.items() if type(one) in alike)
        if any(is_list_of_arrays(entries.get(key)) for key in used[name]):
            lists = (key for key, one in entries.items() if is_list_of_arrays(one) and not names_gradients(key))
            yield from (form.format(name, key) for key in lists)
        idle = never_read - used[name] if name == "self" else ()
        yield from (
            form.format(name, key) for key, one in entries.items() if is_kept(key, one, reads_gradients or key in idle)
        )


def words_of_keys(look, tree):
    """{the source of a dict: the words that its keys have before a number}, of dicts that a function reads by such a
    word and a number: `cache["Z" + str(layer)]`."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript) and word_of(node.slice)]
    for text in dict.fromkeys(ast.unparse(node.value) for node in nodes if isinstance(node.ctx, ast.Load)):
        try:
            keys = [key for key in look.value(text) if isinstance(key, str)]
        except Exception:
            continue  # of another branch
        yield text, list(dict.fromkeys(key.rstrip(digits) for key in keys if key[-1:].isdigit()))


def word_of(key):
    """The node of the text that a key begins with, before what is put behind it; None of any other key."""
    first = key.left if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Add) else None
    first = key.values[0] if isinstance(key, ast.JoinedStr) and len(key.values) > 1 else first
    return first if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def is_list_of_arrays(value):
    """Whether a value is a list of arrays: of the steps, or the layers."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, np.ndarray) for one in value)


def labels(look, tree):
    """The sources of the whole numbers that the objects have of which a function reads something, but for its own
    object: a node's label, say."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    for name in dict.fromkeys(node.value.id for node in nodes if node.value.id not in ("self", "cls", *MODULES)):
        held = getattr(look.locals.get(name), "__dict__", {}).items()
        yield from (f"{name}.{key}" for key, one in held if isinstance(one, int | np.integer) and not is_flag(one))


def is_flag(value):
    """Whether a value is true or false."""
    return isinstance(value, bool | np.bool_)


def entries_in(tree):
    """The sources of the entries and parts of arrays that a function reads: `x[:, [t]]`, but none under a text."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript) and not is_entry(node)]
    yield from (ast.unparse(node) for node in nodes if isinstance(node.ctx, ast.Load))


def rows_forgotten(own, edits):
    """The sources of the rows, by the counters by which a function takes rows, of what its object has and it does not
    mention: `self.negatives[i]` beside `d[i]`. own: {source: value} of what the object has. edits: of the function."""
    nodes = [node for node in ast.walk(edits.tree) if isinstance(node, ast.Subscript)]
    taken = {ast.unparse(node.slice) for node in nodes if isinstance(node.ctx, ast.Load)}
    unmentioned = [name for name in own if not re.search(rf"{re.escape(name)}\b", edits.text)]
    unmentioned = [name for name in unmentioned if not names_gradients(name)]
    return [f"{name}[{counter}]" for name in unmentioned for counter in sorted(edits.scope.loops & taken)]


def is_array(look, text):
    """Whether the value of a text is an array of numbers."""
    try:
        value = look.value(text)
    except Exception:
        return False  # of another function
    return isinstance(value, np.ndarray) and value.ndim > 0 and numbers(value) is not None


def products_of(look, atoms, unread):
    """The sources of the products of two arrays each, with all ways to turn them that fit, or of an array and a single
    number that is a gradient: first those of what nothing reads, then the shortest."""
    arrays = [(atom, look.value(atom)) for atom in atoms if is_array(look, atom)]
    single = [atom for atom in atoms if names_gradients(atom.rpartition(".")[2]) and is_number(look, atom)]
    found = {
        text: (one[0] not in unread and other[0] not in unread, len(text))
        for one, other in product(arrays, repeat=2)
        for text in products_of_two(one, other)
    }
    found |= {f"{a} * {b}": (a not in unread and b not in unread, len(a + b)) for a in single for b, _ in arrays}
    return sorted(found, key=found.get)[:MOST_PRODUCTS]


def products_of_two(one, other):
    """The sources of the products of an array and another one, the first one first. one, other: (source, array)."""
    (a, x), (b, y) = one, other
    is_column = x.ndim == y.ndim == 2 and x.shape == (len(y), 1)
    if (x.shape == y.shape and a <= b) or (is_column and x.shape != y.shape):
        yield f"{a} * {b}"
    if x.ndim > 2 or y.ndim > 2:
        return
    for left in (x, x.T) if x.ndim == 2 else (x,):
        for right in (y, y.T) if y.ndim == 2 else (y,):
            if left.shape[-1] == len(right) and (left is x or right is y):
                yield f"{a}{'' if left is x else '.T'} @ {b}{'' if right is y else '.T'}"


def left_out(look, edits):
    """The sources of methods of what a method's object holds, itself or in lists, that it may have forgotten to call:
    of those names that it calls of others, or of its own name, as a pass calls those of its layers; and of functions
    of one argument beside one that it calls, which have a word of their names in common: `tanh_derivative`; and what
    its object keeps to call it for the derivative of its activation, or its module has."""
    called = {ast.unparse(node.func) for node in ast.walk(edits.tree) if isinstance(node, ast.Call)}
    yield from called_alike(look, called)
    plain = {name for name, one in look.variables.items() if takes_one(one) and DERIVES.search(name)}
    yield from sorted(plain - called)
    methods = derivatives_of(look.locals["self"]) if "self" in look.locals else ()
    yield from (f"self.{name}" for name, number in methods if number == 1 and DERIVES.search(name))
    names = {text.rpartition(".")[2] for text in called if text.startswith("self.") and text.count(".") > 1}
    names = sorted(names | {edits.tree.name})
    for attribute, held in getattr(look.locals.get("self"), "__dict__", {}).items():
        is_list = isinstance(held, list) and bool(held)
        texts = [f"self.{attribute}[{loop}]" for loop in edits.scope.loops] if is_list else [f"self.{attribute}"]
        there = [name for name in names if callable(inspect.getattr_static(held[0] if is_list else held, name, None))]
        yield from (f"{text}.{name}" for text in texts for name in there if f"{text}.{name}" not in called)


def slopes_left_out(look, tree):
    """{the source of a derivative that an object of a function has, itself or in what it holds, and that the function
    never calls: the patterns of its calls}, with {e} for what goes back: `{e} * layer.activation.derivative(layer.z)`,
    or `self.gradient({e}, self.z)`."""
    called = {name_of(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    read, found = {node.value.id for node in ast.walk(tree) if is_attribute_of_a_name(node)}, {}
    for owner in sorted(read & look.locals.keys()):
        one = look.locals[owner]
        held = {} if inspect.ismodule(one) or inspect.isclass(one) else getattr(one, "__dict__", {})
        arrays = [f"{owner}.{name}" for name, one in held.items() if is_of_floats(one) and not names_gradients(name)]
        for text, holder in ({owner: one} | {f"{owner}.{name}": inner for name, inner in held.items()}).items():
            for name, number in (pair for pair in derivatives_of(holder) if pair[0] not in called):
                pattern = f"{{e}} * {text}.{name}({{}})" if number == 1 else f"{text}.{name}({{e}}, {{}})"
                found[f"{text}.{name}"] = [pattern.replace("{}", array) for array in arrays]
    return found


def derivatives_of(holder):
    """(name, number of arguments) of the functions of one or two arguments that an object has, or its class, which are
    derivatives by their names."""
    own = {name: one for name, one in getattr(holder, "__dict__", {}).items() if callable(one)}
    is_made = not isinstance(holder, np.ndarray | FunctionType | type) and hasattr(holder, "__dict__")
    methods = {name: getattr(holder, name) for name, _ in inspect.getmembers(type(holder), inspect.isfunction)}
    for name, one in (own | (methods if is_made else {})).items():
        if DERIVES.search(name) or names_gradients(name):
            try:
                number = len(inspect.signature(one).parameters)
            except (TypeError, ValueError):
                continue
            if number in (1, 2):
                yield name, number


def is_attribute_of_a_name(node):
    """Whether something is an attribute of a variable."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)


def is_of_floats(value):
    """Whether a value is an array of floats."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim > 0


def called_alike(look, called):
    """The names of the functions of one argument that have a word in common with one, of the same file, that is called
    by its name."""
    functions = {name: one for name, one in look.variables.items() if takes_one(one)}
    own = [one for name, one in functions.items() if name in called]
    for name in sorted(functions.keys() - called):
        one = functions[name]
        files = {other.__code__.co_filename for other in own if {*words_in(one)} & {*words_in(other)}}
        if one.__code__.co_filename in files:
            yield name


def own_activation(look):
    """`self`, if a method's object is an activation that is called, by its class's name."""
    owner = look.locals.get("self")
    is_one = owner is not None and bool(ACTIVATION.search(type(owner).__name__.lower()))
    yield from ["self"] if is_one and callable(owner) else []


def takes_one(value):
    """Whether a value is a function of one argument, written in Python."""
    return isinstance(value, FunctionType) and value.__code__.co_argcount == 1


def conditions_in(tree):
    """(a condition, a pattern) of what a function only does where something holds, with {e} for what it does it to:
    `{e}[::-1] if reverse else {e}`, `{e} * (t % 2 == 0)`."""
    for node in ast.walk(tree):
        for test in factors_that_hold(node):
            yield ast.unparse(test), f"{{e}} * ({ast.unparse(test)})"
        for plain in (node.body, node.orelse) if isinstance(node, ast.IfExp) else ():
            made, old = ast.unparse(node), ast.unparse(plain)
            if isinstance(plain, ast.Name | ast.Attribute | ast.Subscript) and made.count(old) > 1 and "{" not in made:
                yield ast.unparse(node.test), re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", "{e}", made)


def factors_that_hold(node):
    """The comparisons among the two factors of a product, of values as they are: not of what a call gives."""
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) else ()
    for one in (side for side in sides if isinstance(side, ast.Compare)):
        if not any(isinstance(part, ast.Call | ast.Dict | ast.Set) for part in ast.walk(one)):
            yield one


def cut_off_in(tree):
    """The names of what a function gives a ReLU, and of what that gives: `x` and `y` of `y = np.maximum(x, 0)` and of
    `y = x * (x > 0)`; of `y[y < 0] = 0` y."""
    for target, value in assigned_in(tree):
        if is_cut_off(target, value):
            yield called(target)
        calls = [
            node for node in ast.walk(value) if isinstance(node, ast.Call) and RELU.search(name_of(node.func) or "")
        ]
        given = [one for call in calls for one in call.args]
        given += [side for node in ast.walk(value) for side in factors_where_above_zero(node)]
        for node in [target, *given] if given else ():
            yield called(node)


def is_cut_off(target, value):
    """Whether an assignment sets all that is below zero in an array to zero."""
    asked = target.slice if isinstance(target, ast.Subscript) else None
    is_own = isinstance(asked, ast.Compare) and ast.unparse(asked.left) == ast.unparse(target.value)
    return is_own and isinstance(asked.ops[0], ast.Lt | ast.LtE) and makes_zero(value)


def factors_where_above_zero(node):
    """The side of a product that the other one compares with zero: `x` of `x * (x > 0)`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            is_asked = isinstance(other, ast.Compare) and isinstance(other.ops[0], ast.Gt | ast.GtE)
            if is_asked and ast.unparse(other.left) == ast.unparse(side):
                yield side


def called(node):
    """The name of a variable, or of the array that an entry is of; "" of anything else."""
    while isinstance(node, ast.Subscript) and name_of(node) is None:
        node = node.value
    return name_of(node) or ""


def kind_of(look, atom):
    """The kind of the values of a text: "i" of whole numbers, as targets and steps are, "b" of true and false."""
    try:
        return np.asarray(look.value(atom)).dtype.kind
    except Exception:
        return ""  # of another branch


def is_there(look, text):
    """Whether a text has a value."""
    try:
        look.value(text)
    except Exception:
        return False  # of another function
    return True


def is_bare(look, atom):
    """Whether the value of a text is a counter, a word, or an object that cannot be reckoned with: nothing is squared
    or transposed there."""
    try:
        value = look.value(atom)
    except Exception:
        return False  # of another branch
    return isinstance(value, str | int | np.integer) or not (
        hasattr(value, "__neg__") or isinstance(value, list | tuple)
    )


def is_number(look, text):
    """Whether the value of a text is one number, and not zero."""
    try:
        value = np.asarray(look.value(text))
    except Exception:
        return False  # of another function
    return value.ndim == 0 and value.dtype.kind in "if" and bool(value)


def is_mask(value):
    """Whether a value says of steps or sequences whether they count: zeros and ones, and not one 1 in each row, as
    targets have it."""
    if not isinstance(value, np.ndarray) or not 0 < value.squeeze().ndim < 3 or value.dtype.kind not in "biuf":
        return False
    is_target = value.ndim == 2 and (value.sum(axis=1) == 1).all()
    return not is_target and np.isin(value, (0, 1)).all() and 0 < value.sum() < value.size


def is_entry(node):
    """Whether a node is the entry of a dict under a text."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


def is_box(node):
    """Whether a node may be a dict or an object: a variable, an attribute of one, or an entry of these at a step."""
    node = node.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) else node
    node = node.value if isinstance(node, ast.Attribute) else node
    return isinstance(node, ast.Name) and node.id not in MODULES


def is_kept(key, value, gradients):
    """Whether an entry of a box is an array, also of truth values, or a number. gradients: whether it may be a
    gradient."""
    return isinstance(key, str) and numbers(value) is not None and (gradients or not names_gradients(key))

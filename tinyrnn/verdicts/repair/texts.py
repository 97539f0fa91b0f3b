"""What stands in the texts of statements: names, terms, factors, derivatives of activations."""

import ast
import re
from string import digits

from tinyrnn.sources.mutation.scope import MODULES

NEXT_TO_NOTHING = 1e-5
VALUE = r"[\w.]+(?:\[[\w +-]*\])?"  # a variable, or an entry of it
SLOPE_OF_TANH = re.compile(rf"\b1(?:\.0?)? - (?:{VALUE}(?:\([\w.]*\))? \*\* 2|({VALUE}) \* \1|np\.(?:square|power)\()")


def stem_of(name):
    """The words of a name without its number, but for the last of at least three; and how many there are."""
    words = name.rstrip(digits).split("_")
    return words[:-1] if len(words) > 2 else words, len(words)


def only_given(tree):
    """The names of the arguments that a function does not set: what is wrong of them is not wrong elsewhere in it."""
    made = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return {one.arg for one in tree.args.args} - made


def has_slope(text):
    """Whether the derivative of a sigmoid or a tanh stands in a statement, as one has it of what either gives."""
    return is_slope_of_sigmoid(text) or is_slope_of_tanh(text)


def is_slope_of_sigmoid(text):
    """Whether a statement multiplies by some `1 - y` and by that y."""
    products = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    ]
    factors = {ast.unparse(one) for product in products for one in (product.left, product.right)}
    less = [re.fullmatch(r"1(?:\.0?)? - (.+)", one) for one in factors]
    return any(one and one[1] in factors for one in less)


def is_slope_of_tanh(text):
    """Whether a statement has some `1 - y ** 2` in it."""
    return SLOPE_OF_TANH.search(text) is not None


def both_sides(text, kinds=ast.Add | ast.Sub):
    """[(left, right)] of all sums and differences in a text, or of those of some kinds."""
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.BinOp) and isinstance(n.op, kinds)]
    return [(ast.unparse(node.left), ast.unparse(node.right)) for node in nodes]


def sides_of(text, turned=False):
    """The sides of all differences in a text, as they stand or in turn."""
    pairs = both_sides(text, ast.Sub)
    return [pair[::-1] for pair in pairs] if turned else pairs or None


def terms_of(text):
    """The sources of the terms of the sum, or difference, that a statement gives something."""
    statement = ast.parse(text).body[0] if not text.endswith(":") else None
    queue, found = [getattr(statement, "value", None)], []
    while queue:
        node = queue.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            queue += [node.right, node.left]
        else:
            found += [ast.unparse(node)] if isinstance(node, ast.expr) else []
    return found


def turned_terms(text):
    """How many terms of sums and differences are only transposed."""
    return sum(re.fullmatch(r"[\w.]+\.T", term) is not None for pair in both_sides(text) for term in pair)


def given_in(text):
    """What an assignment gives its targets; all of another statement."""
    return text.partition(" = ")[2] or text


def names_in(text):
    """The variables that a text mentions."""
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def values_in(text):
    """The same with attributes and entries, as they are written."""
    nodes = ast.walk(ast.parse(text))
    return names_in(text) | {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute | ast.Subscript)}


def count_of(kind, text):
    """How many nodes of a kind a text has."""
    return sum(isinstance(node, kind) for node in ast.walk(ast.parse(text)))


def small_numbers(text):
    """How many numbers that are next to nothing stand in a text."""
    numbers = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    return sum(isinstance(one, float) and 0 < one <= NEXT_TO_NOTHING for one in numbers)


def given_to(call):
    """What a call gives its function."""
    return [*call.args, *(one.value for one in call.keywords)]


def is_own_call(node):
    """Whether a node calls a function that is not of a module of arrays."""
    func = node.func if isinstance(node, ast.Call) else None
    return func is not None and not (isinstance(func, ast.Attribute) and getattr(func.value, "id", None) in MODULES)


def is_loop(edit):
    """Whether it changes what a loop runs through."""
    return edit.before.startswith("for ")


def calls_in(statement):
    """The calls in a statement."""
    return [node for node in ast.walk(statement) if isinstance(node, ast.Call)]


def is_length_of(node):
    """Whether an expression is a shape, or a length in it."""
    text = ast.unparse(node)
    return text.startswith("len(") or bool(re.search(r"\.shape(\[[^]]*\])?$", text))


def without_digits(text):
    """A text without the numbers in it."""
    return re.sub(r"\d+", "", text)

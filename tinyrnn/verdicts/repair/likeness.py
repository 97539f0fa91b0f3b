"""What statements look like but for their names: of lines that are alike, one that differs may lack something."""

import ast
from collections import Counter
from functools import lru_cache

from tinyrnn.sources.mutation.scope import MODULES
from tinyrnn.sources.syntax import targets_of

LEAST_PARTS = 3  # operations, calls and transposes, of a statement that may be one of a pattern


class Likeness:
    """What an assignment is made of but for the names of its values.

    labels: Counter of its parts. seen: ids of the expressions that are parts by themselves; idle: of those within a
    value or in what is set, which look the same whatever they are.
    """

    def __init__(self, statement):
        self.labels, self.seen = Counter([type(statement).__name__]), set()
        self.idle = {id(node) for target in targets_of(statement) for node in ast.walk(target)}
        for node, labels, is_value in parts_of(statement.value):
            self.labels.update(labels)
            self.seen.add(id(node))
            if is_value:
                self.idle.update(id(inner) for inner in ast.walk(node) if inner is not node)

    @property
    def shape(self):
        """The parts in any order; None of what is too short."""
        return shape(self.labels)

    def is_known_with(self, node):
        """Whether `shape_with` tells the shape with something else in the place of a node."""
        return id(node) in self.idle or id(node) in self.seen

    def shape_with(self, node, text):
        """The shape with a text in the place of an expression within."""
        return (
            self.shape if id(node) in self.idle else shape(self.labels - labels_of(ast.unparse(node)) + labels_of(text))
        )


def shape(labels):
    """What is made of such parts; None of too few."""
    operations = sum(number for label, number in labels.items() if label.startswith("op "))
    return tuple(sorted(labels.elements())) if operations + 1 >= LEAST_PARTS else None


@lru_cache(10_000)
def labels_of(text):
    """The Counter of the parts of an expression."""
    return Counter(label for _, labels, _ in parts_of(ast.parse(text, mode="eval").body) for label in labels)


def parts_of(expression):
    """(node, what it looks like, whether it is a value) of an expression and of those that it is made of."""
    queue = [expression]
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Call):
            is_method = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", None) not in MODULES
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
            queue += [*([node.func.value] if is_method else []), *node.args]
            yield node, [f"op {name}()", *map(ast.unparse, node.keywords)], False
        elif isinstance(node, ast.BinOp | ast.UnaryOp):
            queue += [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
            yield node, [f"op {type(node.op).__name__}"], False
        elif isinstance(node, ast.Attribute) and node.attr == "T":
            queue.append(node.value)
            yield node, ["op T"], False
        else:
            yield node, [ast.unparse(node) if isinstance(node, ast.Constant) else "_"], True

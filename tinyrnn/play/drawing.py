"""A cell as a drawing: boxes and wires of one step forward, made from its trace and laid out here.

Each value that the source gives a name to is a wire of that name. What lies between names becomes boxes: a sigmoid, a
product with weights, a sum; a line that calls a function of the cell's own is one box that is called as the function.
"""

import ast
import inspect
import textwrap
from dataclasses import dataclass, field, replace
from pathlib import Path

from tinyrnn.compiler.nodes import Elementwise, Fourier, Gather, Input, Join, Param, Product, Sum, View
from tinyrnn.play.layout import laid_out
from tinyrnn.play.valves import is_sigmoid, operands, operation

SIGNS = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "neg": "− ·", "gt": ">", "where": "?"}
DRAWN = {"sigmoid", "tanh", "split", "join", "affine", "phi"}  # functions whose operations are drawn one by one


@dataclass(eq=False)
class Box:
    """label: what it does. reads: the (box, name of the value) that it gets, or (box, "") where that has no name.
    kind: "in", "out", "weights" or "operation"."""

    label: str
    reads: list = field(default_factory=list)
    kind: str = "operation"


@dataclass(frozen=True)
class MethodLine:
    """A line of a method's source: its number in the file, its text, the names that it assigns and those that it
    reads, and the function that it calls, if it is nothing but a call; inner: the line of such a call, if a sum or a
    product with one is all that it is."""

    number: int
    text: str
    names: tuple
    reads: tuple
    call: str
    inner: object = None


def drawing(cell, draft):
    """The drawing of a step forward, a `Draft`, as JSON: boxes with places, wires with paths, the source's lines."""
    lines = {name: source(cell, name) for name in ("project", "step", "step_backward")}
    boxes = Boxes([*lines["project"], *lines["step"]])
    made = {state: boxes.of(draft.plan.outputs[state].node) for state in cell.states}
    placed = laid_out([Box(state, [(box, state)], "out") for state, box in made.items()])
    named = {
        name: [{"number": line.number, "text": line.text, "names": line.names} for line in each]
        for name, each in lines.items()
    }
    return {
        **placed,
        "lines": named,
        "file": Path(inspect.getsourcefile(type(cell))).as_posix().rpartition("tinyrnn/")[2],
    }


def source(cell, method):
    """The `MethodLine`s of a method's body: its statements, docstring and comments left out."""
    found, first = inspect.getsourcelines(getattr(type(cell), method))
    (function,) = ast.parse(textwrap.dedent("".join(found))).body
    return [line(statement, "".join(found), first, cell) for statement in function.body if not is_docstring(statement)]


def line(statement, text, first, cell):
    """The `MethodLine` of a statement of this cell."""
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    assigned, read = (tuple(n.id for n in names if isinstance(n.ctx, kind)) for kind in (ast.Store, ast.Load))
    value = taken_branch(getattr(statement, "value", None), cell)
    words = ast.get_source_segment(textwrap.dedent(text), statement)
    made = MethodLine(first + statement.lineno - 1, words, assigned, read, called(value))
    for side in (value.left, value.right) if isinstance(value, ast.BinOp) else ():
        if called(side) and called(side) not in DRAWN:
            below = tuple(node.id for node in ast.walk(side) if isinstance(node, ast.Name))
            return replace(made, inner=replace(made, reads=below, call=called(side)))
    return made


def taken_branch(value, cell):
    """Of `one if self.option else other`, the one that this cell takes; any other expression as it is."""
    if not (isinstance(value, ast.IfExp) and isinstance(value.test, ast.Attribute)):
        return value
    return value.body if getattr(cell, value.test.attr) else value.orelse


def called(value):
    """The name of the function that an expression is a call of; "" for any other."""
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""


def is_docstring(statement):
    """Whether it is a text and nothing else."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


class Boxes:
    """Makes the boxes of nodes, each once."""

    def __init__(self, lines):
        self.lines = {name: line for line in lines for name in line.names}
        self.made = {}  # node, or the line that calls a function -> its box

    def of(self, node):
        """The box that gives a node its value."""
        called = self.lines.get(node.name)
        key = called if called is not None and called.call and called.call not in DRAWN else node
        if key not in self.made:
            self.made[key] = self.called(node, key) if isinstance(key, MethodLine) else self.drawn(node)
        return self.made[key]

    def wire(self, node):
        """(The box that gives a node its value, the node's name)."""
        return self.of(node), node.name

    def called(self, node, line):
        """One box for all that a line's function does."""
        leaves, todo = {}, [node]
        while todo:
            for below in reads(todo.pop()):
                if isinstance(below, Input) or (taken(below) and below.name not in line.names):
                    leaves[below] = below.name in line.reads  # what the compiler has taken apart is read in parts, too
                elif not isinstance(below, Param):
                    todo.append(below)
        known = any(leaves.values())
        return Box(line.call, [self.wire(leaf) for leaf, is_read in leaves.items() if is_read or not known])

    def drawn(self, node):
        """The box of one operation; a sigmoid, and a product with weights and bias, count as one."""
        if isinstance(node, Input):
            return Box(node.name, kind="in")
        if is_sigmoid(node):
            (half,) = operands(node)
            (tanh,) = operands(half)
            (inner,) = operands(tanh)
            return Box("σ", [self.wire(z) for z in operands(inner)])
        terms = affine(node)
        if terms is not None:
            rows = dict.fromkeys(
                view.node for product in terms if isinstance(product, Product) for view in product.reads
            )
            weights = [row.name for row in rows if isinstance(row, Param)]
            weights += [term.name for term in terms if isinstance(term, Param)]
            return Box(" ".join(weights), [self.wire(row) for row in rows if not isinstance(row, Param)], "weights")
        line = self.lines.get(node.name)
        if line is not None and line.inner is not None:
            for below in reads(node):
                if not taken(below):
                    self.made[below] = self.called(below, line.inner)
        return Box(sign(node), [self.wire(below) for below in reads(node) if not isinstance(below, Param)])


def affine(node):
    """The products and parameters that a node is the sum of, at least one of them a product; None for any other."""
    if isinstance(node, Product):
        return [node]
    if operation(node) != "add" or len(operands(node)) < 2:
        return None
    parts = [[below] if isinstance(below, Param) else affine(below) for below in operands(node) if not taken(below)]
    terms = [term for part in parts if part is not None for term in part]
    is_all = len(parts) == len(operands(node)) and None not in parts
    return terms if is_all and any(isinstance(term, Product) for term in terms) else None


def taken(node):
    """Whether a node has a name, and so a box of its own."""
    return bool(node.name) and not isinstance(node, Param)


def reads(node):
    """The nodes that a node is computed from, each once."""
    views = node.reads if not isinstance(node, Product) else tuple(view for pair in node.args for view in pair)
    return list(dict.fromkeys(view.node for view in views))


def sign(node):
    """What stands in the box of an operation."""
    kinds = {Fourier: "F" if node.op == "forward" else "F⁻¹", Gather: "Π", Sum: "Σ", Join: "join"}
    if not isinstance(node, Elementwise):
        return kinds.get(type(node), type(node).__name__.lower())
    fixed = [arg for arg in node.args if not isinstance(arg, View)]
    fixed += [below.name for below in operands(node) if isinstance(below, Param)]
    word = SIGNS.get(node.op, node.op)
    if not fixed:
        return word
    first = f"{fixed[0]:g}" if isinstance(fixed[0], float) else fixed[0]
    is_before = not isinstance(node.args[0], View)
    return f"{first} {word} ·" if is_before else f"· {word} {first}"

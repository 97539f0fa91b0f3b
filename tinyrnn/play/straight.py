"""A cell's steps without their tanh, from the same trace: `tanh(z)` becomes z, and its slope `1 - y * y` becomes 1.

Sigmoids, which are written with tanh, too, stay: they are gates. `tinyrnn.core.activations` has every slope in terms
of the output y, and so have the cells; where a step back asks for a slope in another way, nothing is changed.
"""

from tinyrnn.compiler.nodes import Input, View
from tinyrnn.play.valves import is_sigmoid, operands, operation


def straightened(functions):
    """The drafts "forward" and "backward" of `network.drafts`, changed in place: without tanh; None, and nothing is
    changed, where there is none, or where the step back has not the slope of each."""
    nodes = functions["forward"].plan.nodes
    inside = {below for node in nodes if is_sigmoid(node) for below in within(node)}
    squashed = [node for node in nodes if operation(node) == "tanh" and node not in inside]
    names = {f"tape_{name}" for node in squashed for name in called(functions["forward"], node)}
    slopes = {node: slope_of(node) for node in functions["backward"].plan.nodes}
    found = {node: y for node, y in slopes.items() if y is not None and y.node.name in names}
    if not squashed or len({y.node.name for y in found.values()}) < len(squashed):
        return None
    for node in squashed:
        node.op = "copy"
    for node, y in found.items():
        node.op, node.args = "one", (y,)
    return functions


def within(sigmoid):
    """The nodes of ½ tanh(½z) + ½ below its top."""
    (half,) = operands(sigmoid)
    return [half, *operands(half)]


def called(draft, node):
    """The names that a node's values have on the tape: the source's own, and those of outputs."""
    return {node.name, *(name for name, view in draft.plan.outputs.items() if view.node is node and view.whole)}


def slope_of(node):
    """The y of a node that is 1 - y * y for an input y, a `View`; None for any other node."""
    if operation(node) != "sub" or node.args[0] != 1.0 or not isinstance(node.args[1], View):
        return None
    square = node.args[1].node
    if operation(square) != "mul" or square.args[0] != square.args[1]:
        return None
    y = square.args[0]
    return y if isinstance(y, View) and isinstance(y.node, Input) else None

"""Which gate stands between which parts of a state: read off the trace of a cell's step.

A gate is a sigmoid that the source gives a name to. It is a valve where it multiplies a part of the state, the one
before the step (the forget gate) or the new one (the output gate), on its way to a part of the new state.
"""

from typing import NamedTuple

from tinyrnn.compiler.nodes import Elementwise, Input, View


class Valve(NamedTuple):
    """Gate `gate` multiplies the state `source` on its way to the state `to`; carries: from the step before."""

    gate: str
    source: str
    to: str
    carries: bool


def valves(draft, states):
    """The `Valve`s of a step forward, a `Draft`; states: the names of the state's parts."""
    found = []
    made = {draft.plan.outputs[name].node: name for name in states}
    for to in states:
        for factors in products(draft.plan.outputs[to].node):
            gates = [factor.name for factor in factors if factor.name and is_sigmoid(factor)]
            sources = [source for factor in factors for source in origin(factor, states, made, to)]
            found += [Valve(gate, source, to, carries) for gate in gates for source, carries in sources]
    return list(dict.fromkeys(found))


def gates(draft, names):
    """Those of `names` that are gates: sigmoids in the trace of a step forward."""
    sigmoids = {node.name for node in draft.plan.nodes if is_sigmoid(node)}
    return [name for name in names if name in sigmoids]


def products(node):
    """The terms of a sum, each as a list of the nodes that are multiplied in it."""
    if operation(node) in ("add", "sub"):
        return [term for operand in operands(node) for term in products(operand)]
    return [multiplied(node)]


def multiplied(node):
    """The nodes that a product is made of."""
    if operation(node) == "mul":
        return [factor for operand in operands(node) for factor in multiplied(operand)]
    return [node]


def origin(node, states, made, to):
    """[(the state that a factor is, or is a function of one number of, whether of the step before)], or []."""
    while operation(node) in ("tanh", "copy") and made.get(node, to) == to:
        (node,) = operands(node)
    if isinstance(node, Input) and node.name.removesuffix("_prev") in states:
        return [(node.name.removesuffix("_prev"), True)]
    return [(made[node], False)] if made.get(node, to) != to else []


def is_sigmoid(node):
    """Whether a node is ½ tanh(½z) + ½, as `tinyrnn.core.ops.sigmoid` writes it."""
    if operation(node) != "add" or 0.5 not in node.args:
        return False
    (half,) = operands(node)
    return operation(half) == "mul" and 0.5 in half.args and operation(*operands(half)) == "tanh"


def operation(node):
    """The name of an elementwise operation; None for any other node."""
    return node.op if isinstance(node, Elementwise) else None


def operands(node):
    """The nodes that a node reads, without numbers."""
    return [view.node for view in node.args if isinstance(view, View)]

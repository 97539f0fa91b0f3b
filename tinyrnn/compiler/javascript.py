"""Prints a plan as JavaScript: a function of one row, which a page runs, with an array for every value that has a name.

It is for seeing, not for speed: node after node, each a loop of its own, so that whatever the source gives a name to
can be looked at. `runtime.js` has what the text calls.
"""

import itertools
import math
from importlib.resources import files

from tinyrnn.compiler.c_code import expressed, flat, index, names, number, plus
from tinyrnn.compiler.nodes import Elementwise, Fourier, Gather, Input, Join, Param, Pick, Product, Sum, View
from tinyrnn.compiler.plan import in_step

ELSEWHERE = {Input: "$at", Param: "$p"}  # the function's arguments: arrays by their names


def runtime():
    """The JavaScript that what is printed calls, a string."""
    return files("tinyrnn.compiler").joinpath("runtime.js").read_text(encoding="utf-8")


def print_javascript(plan, title):
    """The source of a JavaScript function ($p, $at) => arrays, for a plan; title: what its comment says.

    $p: the parameters and constants, $at: one row of each input, by their names, flat arrays of numbers. It returns
    flat arrays: the outputs of the plan, and whatever else the source gives a name to.
    """
    return Printer(plan).function(title)


class Printer:
    """Prints one plan."""

    def __init__(self, plan):
        self.plan = plan
        self.names = names(plan)
        self.inlined = written_out(plan)

    def function(self, title):
        """The whole function."""
        lines = [f"// {title}", "($p, $at) => {"]
        made = {}
        for node in self.plan.nodes:
            if node not in self.inlined:
                lines += [f"  {line}" for line in self.statements(node)]
                if node.name and not node.is_given:
                    made[node.name] = self.names[node]
        for name, view in self.plan.outputs.items():
            made[name] = self.names[view.node] if view.whole else self.copied(view)
        returned = ", ".join(name if name == value else f"{name}: {value}" for name, value in made.items())
        return "\n".join([*lines, f"  return {{{returned}}};", "}"])

    def statements(self, node):
        """Lines that give a node its value."""
        name = self.names[node]
        if type(node) in ELSEWHERE:
            return [f"const {name} = {ELSEWHERE[type(node)]}.{node.name};"]
        if isinstance(node, Pick):
            W, x = node.args
            n, at = node.size, f"{self.names[x.node]}[{x.offset}]"
            return [f"const {name} = {self.names[W.node]}.subarray({at} * {n}, ({at} + 1) * {n});"]
        if isinstance(node, Fourier):
            re, im = (self.copied(part) for part in node.args)
            return [f"const {name} = fourier_({re}, {im}, {'1' if node.op == 'inverse' else '-1'});"]
        return [f"const {name} = new Float64Array({node.size});", *self.filled(node, name)]

    def filled(self, node, name):
        """Lines that fill a node's array."""
        if isinstance(node, Product):
            return [line for x, W in node.args for line in self.product(name, x, W)]
        if isinstance(node, Join):
            return self.joined(node, name)
        if isinstance(node, Sum):
            shape, (part,) = node.within, node.args
            return looped(shape, lambda at: f"{name}[{flat(shape[:-1], at)}] += {self.element(part, at)};")
        if isinstance(node, Gather):
            source, order = node.args
            return looped(
                node.shape,
                lambda at: f"{name}[{flat(node.shape, at)}] = {self.gathered(source, self.element(order, at))};",
            )
        return looped(node.shape, lambda at: f"{name}[{flat(node.shape, at)}] = {self.expression(node, at)};")

    def gathered(self, source, position):
        """The entry of a row at a position, an expression."""
        return f"{self.names[source.node]}[{plus(source.offset, position)}]"

    def product(self, name, x, W):
        """Lines that add x W to an array."""
        to = self.names[W.node]
        return looped(
            W.shape[::-1], lambda at: f"{name}[{at[0]}] += {self.element(x, at[1:])} * {to}[{index(W, at[::-1])}];"
        )

    def joined(self, node, name):
        """Lines that copy the parts of a join one after the other."""
        ends = list(itertools.accumulate(part.shape[-1] for part in node.args))
        return [f"{name}.set({self.copied(part)}, {at});" for part, at in zip(node.args, [0, *ends[:-1]], strict=True)]

    def copied(self, view):
        """An expression for an array of a view's numbers, one after the other."""
        name, n = self.names[view.node], math.prod(view.shape)
        if view.contiguous:
            return f"{name}.subarray({view.offset}, {view.offset + n})"
        shape, strides = view.squeezed().shape, view.squeezed().strides
        return f"strided_({name}, {view.offset}, {list(shape)}, {list(strides)})"

    def element(self, view, at):
        """What a loop reads of a view, or a number; at: the names of the loop's variables."""
        if not isinstance(view, View):
            return number(view)
        if view.node in self.inlined:
            return self.expression(view.node, at)
        return f"{self.names[view.node]}[{index(view.squeezed(), at)}]"

    def expression(self, node, at):
        """The expression of an elementwise node."""
        return expressed(node.op, [self.element(a, at) for a in node.args])


def looped(shape, statement):
    """Lines of loops over a shape; statement: names of the loops' variables -> what is done in the innermost."""
    at = [f"$j{k}" for k in range(len(shape))]
    heads = [f"for (let {j} = 0; {j} < {n}; {j}++) " for j, n in zip(at, shape, strict=True)]
    return ["".join(heads) + statement(at)]


def written_out(plan):
    """Elementwise nodes without a name that one other reads, entry by entry: they stand where they are read."""
    readers = {}
    for node in plan.nodes:
        for view in node.reads * (2 if node.op in ("max", "min") else 1):  # which read their operands twice
            readers.setdefault(view.node, []).append((node, view))
    for view in plan.outputs.values():
        readers.setdefault(view.node, []).append((None, view))
    return {
        node
        for node, ((reader, view), *more) in readers.items()
        if type(node) is Elementwise and not node.name and not more
        if isinstance(reader, Elementwise | Sum) and in_step(view, reader.within)
    }

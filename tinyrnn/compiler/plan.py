"""From a traced graph to a plan: stages, each a few matrix products and then loops over the units of one row.

A product needs all that it reads, for every row, so products divide a time step into stages. Within a stage a row is
taken through all loops before the next row is begun, so what one loop hands to the next stays in the fastest cache. As
many operations as possible share a loop; within it a value lives in a register. Only what somebody reads in another
order, in another loop or in another stage gets memory.
"""

from collections import Counter
from dataclasses import dataclass, field

from tinyrnn.compiler.nodes import Fourier, Input, Join, Node, Param, Pick, Product, Sum, View


@dataclass(eq=False)
class Item:
    """Work to be put into a loop: compute `node`, or store `view` into `target` from `offset` on."""

    shape: tuple  # of the loop
    reads: tuple  # views
    node: Node | None = None
    view: View | None = None
    target: object = None  # an output's name, or the join that the view is a part of
    offset: int = 0

    @property
    def makes(self):
        """The node, or the output's name, that it computes or a part of."""
        return self.target if self.node is None else self.node

    def keeps_step(self, view):
        """Whether each pass of the loop reads of a view the entry that the same pass computes."""
        return not (self.node is not None and self.node.reads_anywhere) and in_step(view, self.shape)


@dataclass(eq=False)
class Loop:
    """A loop over the entries of `shape`, with all that each pass does: `Item`s, in order."""

    shape: tuple
    items: list

    def computes(self, node):
        """Whether one of its items computes the node."""
        return any(item.node is node for item in self.items)


class Transform(Loop):
    """No loop but one Fourier transform."""

    @property
    def node(self):
        """The Fourier node that it computes."""
        return self.items[0].node


@dataclass(eq=False)
class Stage:
    """A part of the time step: its matrix products, then its loops."""

    products: list = field(default_factory=list)  # of Product
    loops: list = field(default_factory=list)  # of Loop


@dataclass(eq=False)
class Plan:
    """stages: what is done. place: node -> where its values are: ("input" | "param" | "output" | "work", name),
    ("scratch", offset), or absent where a register is enough. outputs: name -> view. sums: those of them that add up
    over rows."""

    outputs: dict
    stages: list
    place: dict
    nodes: list
    scratch: int  # numbers of scratch memory for one row
    sums: frozenset = frozenset()

    def of(self, kind):
        """The nodes of a class."""
        return [node for node in self.nodes if isinstance(node, kind)]


def make_plan(outputs, sums=frozenset()):
    """outputs: name -> View, to be written in every row and time step, or added to what is there if among the sums."""
    nodes = in_order([view.node for view in outputs.values()])
    level = levels(nodes)
    stages = [Stage() for _ in range(1 + max([0, *level.values()]))]
    todo = [[] for _ in stages]
    for node in nodes:
        if isinstance(node, Product):
            stages[level[node]].products.append(node)
        elif not node.is_given:
            todo[level[node]] += parts(node) if isinstance(node, Join) else [Item(node.within, node.reads, node)]
    aliases = {}  # an output that is some node's values as they are: the node is computed in place
    for name, view in outputs.items():
        if view.whole and view.node.fills_its_place and name not in sums and view.node not in aliases:
            aliases[view.node] = name
        else:
            todo[max(level[view.node], 0)].append(Item(view.squeezed().shape, (view,), view=view, target=name))
    done = {node for node in nodes if node.is_given}
    for stage, items in zip(stages, todo, strict=True):
        done |= set(stage.products)
        stage.loops = schedule(items, done)
    return place_all(Plan(outputs, stages, {}, nodes, 0, frozenset(sums)), aliases)


def parts(join):
    """The items that put a join together."""
    items, offset = [], 0
    for view in join.args:
        items.append(Item(view.squeezed().shape, (view,), view=view, target=join, offset=offset))
        offset += view.shape[-1]
    return items


def in_order(nodes):
    """All that `nodes` depend on and they themselves, operands first."""
    seen, order = set(), []

    def visit(node):
        if node not in seen:
            seen.add(node)
            for view in node.reads:
                visit(view.node)
            order.append(node)

    for node in nodes:
        visit(node)
    return order


def levels(nodes):
    """The stage that computes each node; -1 for what is given."""
    level = {}
    for node in nodes:
        level[node] = node.stage([level[view.node] for view in node.reads])
    return level


def schedule(items, done):
    """Loops, as few as a simple search finds, in an order in which everything is computed before it is read."""
    loops, waiting = [], list(items)
    missing = Counter(item.target for item in items if isinstance(item.target, Join))
    while waiting:
        first = next(item for item in waiting if is_ready(item, done, ()))
        if isinstance(first.node, Fourier):
            loops.append(Transform(first.shape, [first]))
        else:
            loops.append(Loop(first.shape, together(first, waiting, done)))
        chosen = loops[-1].items
        waiting = [item for item in waiting if item not in chosen]
        missing -= Counter(item.target for item in chosen if item.target in missing)
        done |= {item.makes for item in chosen if item.makes not in missing}
    return loops


def together(first, waiting, done):
    """The items that can share a loop with the first, each after what it reads."""
    chosen, inside, grew = [], set(), True
    while grew:
        grew = False
        for item in waiting:
            if item not in chosen and item.shape == first.shape and is_ready(item, done, inside) and fold(item, chosen):
                chosen.append(item)
                grew = True
                if item.node is not None and not isinstance(item.node, Sum):  # which is known after the last pass
                    inside.add(item.node)
    return chosen


def fold(item, chosen):
    """Whether its fold over the last axis, if it is one, is of the same kind as those chosen already."""
    kinds = {type(other.node) for other in (*chosen, item) if isinstance(other.node, Sum)}
    return len(kinds) < 2


def is_ready(item, done, inside):
    """Whether all that it reads is in memory, or in a register of the same loop at the same place."""
    return all(view.node in done or (view.node in inside and item.keeps_step(view)) for view in item.reads)


def in_step(view, shape):
    """Whether each pass of a loop over `shape` reads the entry that the same pass computes."""
    return view.as_made and view.squeezed().shape == shape


def place_all(plan, aliases):
    """Decide where every value lives."""
    across, outside = wanted(plan)
    for node in plan.nodes:
        if node.is_given:
            plan.place[node] = {Input: "input", Param: "param", Pick: "pick"}[type(node)], node.name
        elif node in aliases:
            plan.place[node] = "output", aliases[node]
        elif node in across or isinstance(node, Product):
            plan.place[node] = "work", f"work_{len(plan.place)}"
        elif node in outside or node.is_stored:
            plan.place[node] = "scratch", plan.scratch
            plan.scratch += -(-node.size // 16) * 16  # each starts on a cache line
    return plan


def wanted(plan):
    """The nodes that are read in another stage, for all rows at once, and those that are read where they are not in a
    register: in another loop or another order."""
    loops = [(number, loop) for number, stage in enumerate(plan.stages) for loop in stage.loops]
    home = {item.makes: (number, loop) for number, loop in loops for item in loop.items}
    home |= {product: (number, None) for number, stage in enumerate(plan.stages) for product in stage.products}
    across = {view.node for stage in plan.stages for product in stage.products for view in product.reads}
    outside = set()
    for number, loop in loops:
        for item in loop.items:
            for view in item.reads:
                stage_of, loop_of = home.get(view.node, (None, None))
                if stage_of != number:
                    across.add(view.node)
                if loop_of is not loop or not item.keeps_step(view):
                    outside.add(view.node)
    return across, outside

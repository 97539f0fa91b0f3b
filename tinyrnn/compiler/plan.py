"""From a traced graph to a plan: stages, each a few matrix products and then loops over the units of one row.

A product needs all that it reads, for every row, so products divide a time step into stages. Within a stage a row is
taken through all loops before the next row is begun, so what one loop hands to the next stays in the fastest cache. As
many operations as possible share a loop; within it a value lives in a register. Only what somebody reads in another
order, in another loop or in another stage gets memory.
"""

from dataclasses import dataclass, field

from tinyrnn.compiler.nodes import Node, View


@dataclass(eq=False)
class Item:
    """Work to be put into a loop: compute `node` (op, sum, gather), or store `view` into `target` from `offset` on."""

    shape: tuple  # of the loop
    reads: tuple  # views
    node: Node | None = None
    view: View | None = None
    target: object = None  # an output's name, or the join that the view is a part of
    offset: int = 0


@dataclass(eq=False)
class Loop:
    shape: tuple
    items: list

    def computes(self, node):
        return any(item.node is node for item in self.items)


@dataclass(eq=False)
class Stage:
    products: list = field(default_factory=list)  # nodes of kind matmul
    loops: list = field(default_factory=list)  # of Loop, and of nodes of kind fourier


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

    def kind(self, kind):
        return [node for node in self.nodes if node.kind == kind]


def make_plan(outputs, sums=frozenset()):
    """outputs: name -> View, to be written in every row and time step, or added to what is there if among the sums."""
    nodes = in_order([view.node for view in outputs.values()])
    level = levels(nodes)
    stages = [Stage() for _ in range(1 + max([0, *level.values()]))]
    todo = [[] for _ in stages]
    for node in nodes:
        if node.kind == "matmul":
            stages[level[node]].products.append(node)
        elif node.kind in ("op", "gather"):
            todo[level[node]].append(Item(node.shape, views(node), node=node))
        elif node.kind == "sum":
            todo[level[node]].append(Item(node.args[0].squeezed().shape, node.args, node=node))
        elif node.kind == "fourier":
            todo[level[node]].append(Item((), node.args, node=node))
        elif node.kind == "join":
            offset = 0
            for part in node.args:
                item = Item(part.squeezed().shape, (part,), view=part, target=node, offset=offset)
                todo[level[node]].append(item)
                offset += part.shape[-1]
    aliases = {}  # an output that is some node's values as they are: the node is computed in place
    for name, view in outputs.items():
        made_here = view.node.kind in ("op", "join", "matmul", "gather", "fourier")
        if view.whole and made_here and name not in sums and view.node not in aliases:
            aliases[view.node] = name
        else:
            todo[max(level[view.node], 0)].append(Item(view.squeezed().shape, (view,), view=view, target=name))
    done = {node for node in nodes if node.kind in ("row", "param", "pick")}
    for stage, items in zip(stages, todo, strict=True):
        done |= set(stage.products)
        stage.loops = schedule(items, done)
    return place_all(Plan(outputs, stages, {}, nodes, 0, frozenset(sums)), aliases)


def views(node):
    """What a node reads."""
    if node.kind == "matmul":
        return tuple(view for pair in node.args for view in pair)
    return tuple(a for a in node.args if isinstance(a, View))


def in_order(nodes):
    """All that `nodes` depend on and they themselves, operands first."""
    seen, order = set(), []

    def visit(node):
        if node not in seen:
            seen.add(node)
            for view in views(node):
                visit(view.node)
            order.append(node)

    for node in nodes:
        visit(node)
    return order


def levels(nodes):
    """The stage that computes each node; -1 for what is given."""
    level = {}
    for node in nodes:
        below = [level[view.node] for view in views(node)]
        if node.kind in ("row", "param"):
            level[node] = -1
        elif node.kind == "matmul":
            level[node] = max(b + 1 for b in below)
        else:
            level[node] = max([0, *below])
    return level


def schedule(items, done):
    """Loops, as few as a simple search finds, in an order in which everything is computed before it is read."""
    loops, waiting = [], list(items)
    joins = {item.target: 0 for item in items if isinstance(item.target, Node)}
    for item in items:
        if item.target in joins:
            joins[item.target] += 1
    while waiting:
        first = next(item for item in waiting if is_ready(item, done, ()))
        if first.node is not None and first.node.kind == "fourier":
            loops.append(first.node)
            chosen = [first]
        else:
            chosen, inside, grew = [], set(), True
            while grew:
                grew = False
                for item in waiting:
                    if item not in chosen and item.shape == first.shape and is_ready(item, done, inside):
                        chosen.append(item)
                        grew = True
                        if item.node is not None and item.node.kind != "sum":
                            inside.add(item.node)
            loops.append(Loop(first.shape, chosen))
        waiting = [item for item in waiting if item not in chosen]
        done |= {item.node for item in chosen if item.node is not None}
        for item in chosen:
            if item.target in joins:
                joins[item.target] -= 1
        done |= {join for join, parts in joins.items() if parts == 0}
    return loops


def is_ready(item, done, inside):
    """Whether all that it reads is in memory, or in a register of the same loop at the same place."""
    gathers = item.node is not None and item.node.kind in ("gather", "fourier")
    for view in item.reads:
        if view.node not in done and (gathers or view.node not in inside or not in_step(view, item.shape)):
            return False
    return True


def in_step(view, shape):
    """Whether each pass of a loop over `shape` reads the entry that the same pass computes."""
    return view.as_made and view.squeezed().shape == shape


def place_all(plan, aliases):
    """Decide where every value lives."""
    home = {}  # node -> the loop that computes it
    outside = set()  # nodes that need memory
    for number, stage in enumerate(plan.stages):
        for loop in stage.loops:
            for item in loop.items if isinstance(loop, Loop) else ():
                if item.node is not None:
                    home[item.node] = number, loop
    across = set()  # nodes that need memory for all rows at once
    for number, stage in enumerate(plan.stages):
        for product in stage.products:
            across |= {view.node for view in views(product)}
        for loop in stage.loops:
            items = loop.items if isinstance(loop, Loop) else [Item((), loop.args, node=loop)]
            for item in items:
                for view in item.reads:
                    node = view.node
                    at = home.get(node, (stage_of(plan, node), None))
                    if at[0] != number:
                        across.add(node)
                    gathers = item.node is not None and item.node.kind in ("gather", "fourier")
                    if at[1] is not loop or gathers or node.kind == "sum" or not in_step(view, item.shape):
                        outside.add(node)
    scratch = 0
    for node in plan.nodes:
        if node.kind in ("row", "param", "pick"):
            plan.place[node] = {"row": "input"}.get(node.kind, node.kind), node.op
        elif node in aliases:
            plan.place[node] = "output", aliases[node]
        elif node in across or node.kind == "matmul":
            plan.place[node] = "work", f"work_{len(plan.place)}"
        elif node in outside or node.kind in ("join", "fourier", "sum"):
            plan.place[node] = "scratch", scratch
            scratch += -(-node.size // 16) * 16  # each starts on a cache line
    plan.scratch = scratch
    return plan


def stage_of(plan, node):
    """The number of the stage in which a node that no loop computes comes about; for joins, that of their parts."""
    for number, stage in enumerate(plan.stages):
        for loop in stage.loops:
            if loop is node or (isinstance(loop, Loop) and any(item.target is node for item in loop.items)):
                return number
    return -1 if node.kind != "matmul" else next(k for k, s in enumerate(plan.stages) if node in s.products)

"""Where the boxes of a drawing stand: in layers from left to right, each after what it reads, with few crossings.

The method is that of Sugiyama, Tagawa & Toda (1981): layers by the longest way from the inputs, a place holder wherever
a wire passes a layer, orders by the mean place of the neighbours, and then heights, likewise.
"""

from itertools import pairwise

SWEEPS = 24


class Spot:
    """A box in its layer, or a wire that passes a layer (box: None)."""

    def __init__(self, box, layer):
        self.box, self.layer, self.y = box, layer, 0.0
        self.left, self.right = [], []  # neighbours


def laid_out(outputs):
    """Boxes and wires as JSON, from the boxes that are to stand at the right; units: a layer wide, a box high."""
    boxes = in_order(outputs)
    layer = layers(boxes, outputs)
    places = {box: Spot(box, layer[box]) for box in boxes}
    wires, everything = [], list(places.values())
    for box in boxes:
        for source, name in box.reads:
            chain = [places[source]]
            for between in range(layer[source] + 1, layer[box]):
                chain.append(Spot(None, between))
                everything.append(chain[-1])
            chain.append(places[box])
            for a, b in pairwise(chain):
                a.right.append(b)
                b.left.append(a)
            wires.append((name, chain))
    arrange(everything)
    number = {box: k for k, box in enumerate(boxes)}
    top = min(place.y for place in everything)
    return {
        "boxes": [{"label": b.label, "kind": b.kind, "x": layer[b], "y": round(places[b].y - top, 2)} for b in boxes],
        "wires": [
            {
                "name": name,
                "from": number[chain[0].box],
                "to": number[chain[-1].box],
                "path": [[place.layer, round(place.y - top, 2)] for place in chain],
            }
            for name, chain in wires
        ],
        "width": max(layer.values()),
        "height": round(max(place.y for place in everything) - top, 2),
    }


def in_order(outputs):
    """All boxes, each after what it reads."""
    seen = {}

    def visit(box):
        if box not in seen:
            seen[box] = None
            for source, _ in box.reads:
                visit(source)
            order.append(box)

    order = []
    for box in outputs:
        visit(box)
    return order


def layers(boxes, outputs):
    """box -> the number of its layer; the outputs stand in the last one."""
    found = {}
    for box in boxes:
        found[box] = 1 + max((found[source] for source, _ in box.reads), default=-1)
    last = max(found.values())
    return {box: last if box in outputs else n for box, n in found.items()}


def arrange(places):
    """Give all places their heights."""
    columns = [[p for p in places if p.layer == k] for k in range(1 + max(p.layer for p in places))]
    for column in columns:
        for k, place in enumerate(column):
            place.y = float(k)
    for sweep in range(SWEEPS):
        forwards = sweep % 2 == 0
        for column in columns if forwards else columns[::-1]:
            for place in column:
                near = place.left if forwards else place.right
                place.y = sum(p.y for p in near) / len(near) if near else place.y
            column.sort(key=lambda place: place.y)
            spread(column)


def spread(column):
    """Move places apart that are too close, about their common middle; in order."""
    wanted = [place.y for place in column]
    for above, below in pairwise(column):
        room = 1.0 if above.box and below.box else 0.55
        below.y = max(below.y, above.y + room)
    shift = sum(place.y - y for place, y in zip(column, wanted, strict=True)) / len(column)
    for place in column:
        place.y -= shift

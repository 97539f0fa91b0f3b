"""What the events of a recorded pass amount to: gradients built up over several lines, values by name, what loops hand
on."""

from dataclasses import dataclass, field

import numpy as np

from tinyrnn.sources.vocabulary import stems
from tinyrnn.verdicts.record.run import ITEMS, ValueEvent

GROWS = ("augment", "item-augment", "refill")


@dataclass
class Group:
    """Events that build up one value; `last` is where it is complete."""

    events: list = field(default_factory=list)
    left: object = None  # where nothing is put later, if items are

    @property
    def last(self) -> ValueEvent:
        """The `ValueEvent` after which the value is complete."""
        return self.events[-1]

    @property
    def only_zero(self):
        """Whether every event of the group only makes zeros, as `dW = np.zeros_like(W)` does."""
        return all(event.site.zero for event in self.events)


def group(events, growing=()):
    """The `Group`s of a recorded backward pass, in the order in which they begin.

    growing: (scope, name) of values that `*=` brings to completion; of others it makes another value.
    """
    groups, newest = [], {}
    for event in events:
        if event.site.kind in ("enter", "pass", "return", "carry", "load") or not event.site.name:
            continue
        current = newest.get(event.where)
        grows = event.site.kind in GROWS or (event.site.kind == "transform" and event.where[:2] in growing)
        if grows and current is not None:
            current.events.append(event)
        else:
            newest[event.where] = Group([event])
            groups.append(newest[event.where])
    items = {}
    for event in events:
        if event.site.kind in ITEMS:
            items.setdefault((event.where[:2], event.call), []).append(event)
    wholes = {  # where a whole array was changed last
        (e.where[:2], e.call): e.number for e in events if e.key is None and e.site.kind in (*GROWS, "transform")
    }
    for g in groups:
        later = [e for e in items.get((g.last.where[:2], g.last.call), ()) if e.number > g.last.number]
        if g.last.key is None and later:
            g.left = untouched(g.last.value, [e.key for e in later])
    return [
        g
        for g in groups
        if not g.only_zero
        and any(e.value is not None for e in g.events)
        and (g.left is None or g.left.any())  # else it is only to be filled
        and (g.last.key is None or wholes.get((g.last.where[:2], g.last.call), -1) < g.last.number)  # else only a part
    ]


def untouched(value, keys):
    """Where in an array nothing is put at any of the keys, as booleans."""
    if value is None:
        return np.zeros(1, bool)
    left = np.ones(value.shape, bool)
    for key in keys:
        try:
            left[key] = False
        except (IndexError, TypeError):
            return np.zeros(value.shape, bool)
    return left


def looks_like_gradient(site):
    """Whether a site's name is that of a gradient and what it is assigned is more than zeros."""
    return bool(stems(site.name, site.box, site.kind)) and not site.zero


def index_forward(events):
    """Two tables (scope, name) -> {site: values in time, each a list of event numbers}: of values, and of what loops
    hand on from pass to pass."""
    values, carries = {}, {}
    latest_pass, written, opened = {}, {}, {}
    for event in events:
        site = event.site
        if site.kind == "pass":
            latest_pass[site.scope, site.line] = event.number
        elif site.kind in ("carry", "load") and event.value is None:
            continue  # a dict, a list: no one value
        elif site.kind == "carry":
            carries.setdefault((site.scope, site.name), {}).setdefault(site, []).append([event.number])
        elif site.kind == "load":
            start = latest_pass.get((site.scope, site.loop), 0)
            if written.get(event.where, -1) < start:  # made in an earlier pass
                times = carries.setdefault((site.scope, site.name), {}).setdefault("loads", [])
                if opened.get(event.where[:2]) == start and times:
                    times[-1].append(event.number)
                else:
                    times.append([event.number])
                opened[event.where[:2]] = start
        elif site.box is not None and site.copies == site.name:
            continue  # `self.h = h` is kept for the backward pass, and no other value
        elif site.name and site.kind not in ("enter", "return") and event.value is not None:
            written[event.where] = event.number
            values.setdefault((site.scope, site.name), {}).setdefault(site, []).append([event.number])
    for sites in values.values():  # an entry of a dict only repeats a value that has a name already
        if any(site.kind != "value" for site in sites):
            for site in [site for site in sites if site.kind == "value"]:
                del sites[site]
    return values, carries

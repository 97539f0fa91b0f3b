"""What is left unexplained in a run of a backward pass: values that are no gradient of anything that is known."""

from functools import cached_property
from operator import itemgetter

import numpy as np

from tinyrnn.verdicts.repair.known import GIVEN, NEGATIVE, PARTIAL, TOTAL

BUILDS = ("augment", "item-augment")  # of what is built up, what is complete counts
SLOPE = 0.8  # what it is worth that a value is a local derivative: times some gradient it is another one
MOST_FACTORS = 60  # gradients of one shape that are tried with it
AGAIN = 0.5  # what it costs that a value is that of an earlier statement, which this one does not use


class Explaining:
    """Says what the values of a run cost. known: a function that gives the `Known` values."""

    def __init__(self, known):
        self.make_known = known
        self.is_negative = None  # whether the program works with what the loss falls by, the gradient's negative
        self.found = {}  # (shape, bytes) -> what `Known` says
        self.slopes = {}  # the same of two values -> whether the one is a local derivative, by the other

    @cached_property
    def known(self):
        """The `Known` values of the forward pass."""
        return self.make_known()

    def costs(self, run, is_idle, factor=None):
        """{unit: what it costs that its values are explained no better}: 0 to 1, of what can be at fault in a run.
        is_idle: whether no result depends on a place, which a repair therefore leaves as it is. factor: what a repair
        only multiplies by: without it values are explained too."""
        values, costs, claimed = {}, {}, {}  # claimed: what is explained -> the names of what it explains, and where
        if self.is_negative is None:
            self.is_negative = self.is_of_negatives(run)
        terms = terms_of(run, is_idle)
        for place, (unit, value) in run.units.items():
            whole = run.wholes.get(place)  # the entries of the targets are a gradient together with all others
            if whole is not None and any(self.is_gradient(times * whole) for times in (1.0, factor) if times):
                value = whole
            if not unit.computes or self.is_gradient(value) or not is_idle(place):
                values.setdefault(unit, []).append(value)
        gradients = self.distinct(value for several in values.values() for value in several if self.is_gradient(value))
        for unit, several in values.items():
            if unit.computes:
                worth, what = max(self.worth(unit, several), self.worth_of_terms(terms.get(unit)), key=itemgetter(0))
                if not worth and factor:
                    rest = [self.worth(unit, [times * value for value in several]) for times in (factor, 1 / factor)]
                    rest = max(rest, key=itemgetter(0))
                    worth, what = rest if rest[0] >= PARTIAL else (worth, what)
                if not worth and unit.site.kind not in BUILDS:
                    if all(self.is_slope(value, gradients) for value in several):
                        worth, what = SLOPE, {value.tobytes() for value in several}
                names = [claimed.get(one, set()) for one in what]
                there = {name for some in names for name in some}
                handed_on = unit.is_received or unit.place in there or there & set(unit.site.uses)
                costs[unit] = max(1 - worth, AGAIN if all(names) and not handed_on else 0)
                for one in what:
                    claimed.setdefault(one, set()).update({unit.site.name, unit.place})
        return costs

    def totals(self, run, is_idle):
        """{what it is: {(place, value as bytes)}} of the gradients of values with a name that a run computes, also as
        terms of sums; as wholes, for with two classes the negative of a gradient is one with its rows exchanged."""
        values = [(unit, value) for unit, value in run.units.values() if unit.computes]
        values += [(unit, term) for unit, terms in terms_of(run, is_idle).items() for term in terms]
        found = {}
        for unit, value in values:
            one = self.explained(value) if value.any() else None
            is_whole = one is not None and not isinstance(one[1][0], tuple)
            if is_whole and one[0] >= TOTAL:
                found.setdefault(one[1], set()).add((unit.place, value.tobytes()))
        return found

    def worth(self, unit, values):
        """(the least worth of what a unit computes over time, the set of what it is); (0, {unit}) if nothing explains
        it."""
        found = [self.explained(value) for value in [value for value in values if value.any()] or values]
        counts = found[-1:] if unit.site.kind in BUILDS or unit.site.self_made else found
        if None in counts:
            return 0, {unit}
        return min(worth for worth, _ in counts), {one[1] for one in found if one is not None}

    def worth_of_terms(self, terms):
        """The same of what a unit adds each time: of a sum of several the parts may be known and the whole not."""
        found = [self.explained(term) for term in terms or [] if term.any()]
        return (min(one[0] for one in found), {one[1] for one in found}) if found and None not in found else (0, set())

    def is_gradient(self, value):
        """Whether a value is the gradient of a value of the forward pass, or of a use of one."""
        found = self.explained(value)
        return found is not None and found[0] >= PARTIAL

    def are_given(self, values):
        """Whether all of some values are values of the forward pass, or come from above, and no gradients."""
        found = [self.explained(value) for value in values if value.any()]
        return bool(found) and all(one is not None and one[0] == GIVEN for one in found)

    @staticmethod
    def distinct(values):
        """The first few of some arrays of each shape, each once."""
        found = {}
        for value in values:
            alike = found.setdefault(value.shape, {})
            if len(alike) < MOST_FACTORS:
                alike[value.tobytes()] = value
        return [value for alike in found.values() for value in alike.values()]

    def is_slope(self, value, gradients):
        """Whether a value is a local derivative: times one of some gradients, summed up or not, it is another one."""
        return np.ptp(value) > 0 and any(self.leads_on(value, gradient) for gradient in gradients)

    def leads_on(self, value, gradient):
        """Whether a value times a gradient, or a sum of that, is a gradient; asked once."""
        key = value.shape, value.tobytes(), gradient.shape, gradient.tobytes()
        if key not in self.slopes:
            self.slopes[key] = False
            if gradient.ndim >= value.ndim and gradient.shape[gradient.ndim - value.ndim :] == value.shape:
                product = gradient * value
                sums = [product.sum(axis) for axis in range(product.ndim) if product.ndim > 1]
                self.slopes[key] = any(self.leads_to(one) for one in (product, *sums))
        return self.slopes[key]

    def leads_to(self, value):
        """Whether a product is explained, and not as the negative of something."""
        found = self.explained(value)
        return found is not None and found[0] != NEGATIVE

    def is_of_negatives(self, run):
        """Whether more of the values of a run are negatives of gradients than are gradients."""
        values = [value for unit, value in run.units.values() if unit.computes and value.any()]
        signs = [(self.is_gradient(value), self.is_gradient(-value)) for value in values]
        self.found.clear()
        return signs.count((False, True)) > signs.count((True, False))

    def explained(self, value):
        """`Known.explained`, asked once for each value; or that of its negative, in a program of these."""
        key = value.shape, value.tobytes()
        if key not in self.found:
            with np.errstate(all="ignore"):  # with other values in place, or an edit, a pass may run away
                found = self.known.explained(value)
                self.found[key] = self.known.explained(-value) if found is None and self.is_negative else found
        return self.found[key]


def terms_of(run, is_idle):
    """{unit: what it adds to a variable, each time that a result depends on}."""
    found, sums = {}, {}
    for place, (unit, value) in run.units.items():
        name = unit.site.scope, unit.site.name
        if unit.site.kind == "augment" and name in sums and sums[name].shape == value.shape and not is_idle(place):
            found.setdefault(unit, []).append(value - sums[name])
        sums[name] = value
    return found

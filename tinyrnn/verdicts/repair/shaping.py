"""Which lines give a result its shape, where that is wrong."""

import numpy as np


def shaping(search):
    """([(scope, line)] of what gives a result of the wrong shape, in the order in which it is made, then handed on; of
    what else may be why it has that shape) in the backward program of a `Search`."""
    editing, base = search.editing, search.base
    arrays = search.results.misshapen(search.replay.problem.came(base.result, search.results.pairs))
    units = list(base.units.values())
    same = [unit for unit, value in units if any(np.array_equal(value, array) for array in arrays)]
    made = [unit.place for unit in same if unit.site.kind != "return"]
    read = {(place[0], name) for place in made for name in editing.read_at(place)}
    copied = [unit for unit, _ in units if (unit.site.scope, unit.site.name) in read and unit.only_copies]
    nearest = [*(unit.place for unit in copied if unit.site.kind == "assign"), *made]  # what only gets another name
    shapes, names = {array.shape for array in arrays}, {unit.site.name for unit in same}
    others = [place for place in editing.without_units(same) if editing.read_at(place) & names]  # a list
    called = [base.callers[place] for place, (unit, _) in base.units.items() if unit in same]
    others += [called_at[::-1] for called_at in called if called_at]  # which may give one for another
    others += [unit.place for unit, value in units if unit.computes and value.shape in shapes]  # what is added up
    others += [unit.place for unit, _ in units if unit.site.kind == "return"]
    rest = list(editing.without_units(unit for unit, _ in units))
    others += filter(editing.returns, rest)  # a number
    others += editing.behind(dict.fromkeys([*nearest, *others]))  # a size
    others += filter(editing.is_loop, rest)  # in which a list grows
    nearest = [place for place in dict.fromkeys(nearest) if place not in search.forward]
    return nearest, [place for place in dict.fromkeys(others) if place not in {*nearest, *search.forward}]

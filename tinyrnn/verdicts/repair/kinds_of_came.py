"""What is to be said of one array that comes out of a backward pass, beside the others: whether it is returned too, is
there twice, is of another object, has the shape of a gradient."""

import numpy as np

from tinyrnn.verdicts.record.leaves import last_of, spelled

SAME = 1e-5  # relative, of two factors


def by_own_names(came):
    """The same arrays, but without names where several that are returned have the same one, as `first.dW` and
    `second.dW`: it says which weight of an object each is of, and not of which object."""
    several = {}
    for one in (one for one in came if one.name is not None and not one.is_stored):
        several.setdefault(one.name, []).append(one.array)
    shared = {name for name, arrays in several.items() if not all(np.array_equal(a, arrays[0]) for a in arrays)}
    return [one._replace(name=None) if one.name in shared and not one.is_stored else one for one in came]


def is_of_other_object(one, name):
    """Whether what an object within keeps as the gradient of its own weight is not the one of that name."""
    owner = one.name.rpartition(".")[0] if one.is_stored and one.name else ""
    return bool(owner) and owner != f"d{name}".rpartition(".")[0]


def are_shares(came, wanted):
    """Those of some arrays that the objects of a list keep each by itself, where all have the same weights, as a layer
    for each step has: each is the share of one step, and none the gradient. wanted: {input: gradient}."""
    several = {}
    for one in (one for one in came if one.is_stored and one.array.any()):
        for k in (k for k, key in enumerate(one.place[:-1]) if type(key) is int):
            several.setdefault((one.place[:k], one.place[k + 1 :]), {})[one.place[k]] = one
    for (path, _), found in several.items():
        counting = [name for name, d in wanted.items() if d.any()]
        with_weights = [k for k in found if any(n.startswith(f"{spelled((*path[1:], k))}.") for n in counting)]
        are_one = len({one.array.tobytes() for one in found.values()}) == 1
        if len(found) > 1 and len(with_weights) == 1 and not are_one:
            yield from found.values()


def is_returned(one, came):
    """Whether an array that is kept is returned too, which is where it is compared."""
    return repeats(one, [other for other in came if not other.is_stored])


def is_returned_turned(one, came):
    """Whether what an array that is kept comes to with the other sign is returned, and not by itself: a step down."""
    turned = one._replace(array=-one.array)
    return one.is_stored and one.array.any() and is_returned(turned, came) and not is_returned(one, came)


def is_one_of_several(one, came):
    """Whether an array is returned in several places, by one name or by none: one of them is another gradient gone
    wrong."""
    alike = [other for other in came if other is not one and not other.is_stored and other.name == one.name]
    return not one.is_stored and repeats(one, alike)


def repeats(one, others):
    """Whether an array is equal to one of some others, but for axes of length one."""
    alike = [other.array for other in others if fits(other.array, one.array)]
    return any(np.array_equal(array.ravel(), one.array.ravel()) for array in alike)


def around(name, one):
    """What stands before and after the name of an input in that of an array that is kept, as far as it is there."""
    return str(one.place[-1]).split(last_of(name), 1)


def fits(array, wanted):
    """Whether two arrays have one shape but for axes of length one."""
    return [n for n in np.shape(array) if n > 1] == [n for n in np.shape(wanted) if n > 1]


def spreads(shape, other):
    """Whether an array of one shape and one of another are of one kind, but that one is summed over some axes."""
    try:
        return np.broadcast_shapes(shape, other) in (shape, other)
    except ValueError:
        return False


def ratio(array, other):
    """The number that one array is times another; None if it is not."""
    if other is None or array.size != other.size or not other.any():
        return None
    number = float(np.vdot(other, array).real / np.vdot(other, other).real)
    return number if np.allclose(number * other.ravel(), array.ravel(), rtol=SAME, atol=0) and number else None

"""What comes out of a backward pass, and which input's gradient each of it should be.

Names decide where there are any, then the order and the shapes; and where only these speak, an array that *is* the
gradient of another input is taken for that. What cannot be told is not compared, which the report says.
"""

import numpy as np

from tinyrnn.verdicts.record.leaves import last_of, owner_of, spelled
from tinyrnn.verdicts.repair.gradient_names import abbreviates, is_gradients_name, meant, sounds_like
from tinyrnn.verdicts.repair.kinds_of_came import (
    around,
    fits,
    is_of_other_object,
    is_one_of_several,
    is_returned,
    is_returned_turned,
    repeats,
    spreads,
)

LEAST_IN_TURN = 3  # gradients in the order of the inputs, that others are taken to be so too


class Results:
    """Which of the arrays that come out is compared with which gradient, fixed by one run.

    came: list of `Came`, in order. wanted: {input: gradient}, in order. aliases: {input: what else it goes by}. error:
    function (came, wanted) -> relative error. is_forward: of a function that returns other things besides gradients,
    function (array) -> whether it is one of those, a value that the loss depends on; None: all should be gradients.
    arguments: those of the inputs that the forward pass is given. boxes: as `Problem.boxes`. is_value: function
    (array) -> whether it is a value of the forward pass; None: none is.
    pairs: {place: input}. unpaired: what is returned, or kept by the name of a gradient, and not compared.
    """

    def __init__(
        self, came, wanted, error, tolerance, aliases=None, is_forward=None, arguments=(), boxes=(), is_value=None
    ):
        self.wanted, self.error, self.tolerance = wanted, error, tolerance
        self.aliases, self.pairs, self.arguments = aliases or {}, {}, arguments
        whole, came = came, [one for one in came if not (one.is_stub or is_returned_turned(one, came))]
        for box in boxes:
            self.by_box(box, [one for one in came if not one.is_stored], is_forward or (lambda array: False))
        listed = {f"d{name}" for name in wanted if name.endswith("]")}  # by its number in a list, which no other has
        kept = [one for one in came if one.is_stored and one.name not in listed and self.rivals(one, came)]
        self.by_number([one for one in kept if not is_returned(one, came)], self.returned_by_name(came))
        self.by_name(came, meant)
        self.by_number(came)
        self.by_analogy([one for one in came if one.is_stored])
        self.by_affix([one for one in came if one.is_stored], is_value)
        self.by_owner([one for one in came if one.is_stored and one.name is not None])
        self.by_name([one for one in came if one.is_stored], abbreviates)
        self.beside_its_weight([one for one in came if one.is_stored], is_value)
        self.misshapen_by_name([one for one in came if one.is_stored and one.name is not None])
        returned = [one for one in came if not one.is_stored]
        self.by_list(returned)
        self.by_place_in_list(returned)
        self.by_name(returned, sounds_like)
        self.by_common_affix(returned)
        self.by_turn(returned, is_forward)
        self.of_unused(returned)
        if is_forward is None:
            self.by_order(returned)
            self.by_arguments(returned, arguments)
            self.by_shape([one for one in returned if one.place not in self.pairs])
            self.last_left([one for one in returned if one.place not in self.pairs])
            self.unpaired = [one for one in came if one.place not in self.pairs and self.could_be_gradient(one)]
        else:
            self.elsewhere = []
            beside = [one for one in self.beside_gradients(returned) if not is_forward(one.array)]
            listed = {place[:-1] for place in self.pairs if len(place) > 1 and isinstance(place[-1], int)}
            called = [
                one for one in beside if one.name is None or is_gradients_name(one.name) or one.place[:-1] in listed
            ]
            self.by_shape(called)
            self.by_turn(returned, is_forward)
            self.in_turn([one for one in called if one.place not in self.pairs])
            self.last_left([one for one in called if one.place not in self.pairs])
            kept = {self.pairs[one.place] for one in came if one.is_stored and one.place in self.pairs}
            left = [one for one in beside if one.place not in self.pairs]
            told = [one for one in returned if one.place in self.pairs and is_gradients_name(one.name or "")]
            self.unpaired = [one for one in left if self.fits_any(one, kept) or repeats(one, told)]  # or given twice
            told = self.pairs.keys() | {one.place for one in beside}
            others = [one for one in self.elsewhere if one.place not in told and self.fits_any(one)]
            others = [one for one in others if self.may_be_one(one.name)]
            self.unpaired += [one for one in others if not is_forward(one.array)]
        self.stubs(whole, is_forward)
        kept = [one for one in came if one.is_stored and one.place in self.pairs]
        self.unpaired = [one for one in self.unpaired if self.fits_any(one) or not repeats(one, kept)]

    def by_box(self, box, came, is_forward):
        """Pair what is returned in a box that is made as one of inputs is: the gradients of all of them."""
        alike = []
        for start in {one.place[:k] for one in came for k in range(len(one.place))}:
            there = {one.place[len(start) :]: one for one in came if one.place[: len(start)] == start}
            ours = {path: one for path, one in there.items() if box.get(path) in self.wanted}
            is_alike = there.keys() == box.keys() and len(ours) > 1  # what changes nothing is not wanted
            if is_alike and all(fits(one.array, self.wanted[box[path]]) for path, one in ours.items()):
                alike.append(ours)
        if len(alike) == 1 and not any(is_forward(one.array) for one in alike[0].values()):
            self.pairs.update({one.place: box[path] for path, one in alike[0].items()})

    def stubs(self, came, is_forward):
        """Pair what stands where a gradient belongs and is no array of floats; what is no number is not compared."""
        self.by_name([one for one in came if one.is_stub], meant)
        returned = [one for one in came if not one.is_stored]
        if is_forward is None:
            self.by_order(returned)
            self.instead(returned)
        self.by_turn(returned, is_forward)
        boxes = {place[:-1] for place in self.pairs if place[:1] != ("self",)}
        left = [one for one in came if one.is_stub and one.place not in self.pairs and one.place[:-1] in boxes]
        self.by_shape([one for one in left if np.isfinite(one.array).all() and one.name is None])
        none = [one for one in came if one.is_stub and one.place in self.pairs and np.isnan(one.array).any()]
        self.pairs = {place: name for place, name in self.pairs.items() if place not in {one.place for one in none}}
        zeros = [one for one in left if one.place not in self.pairs and not one.is_stored and not one.array.any()]
        zeros = zeros if any(self.wanted[name].any() for name in self.free()) else []  # to which nothing was added
        self.unpaired = [one for one in self.unpaired if one.place not in self.pairs] + none + zeros

    @staticmethod
    def may_be_one(name):
        """Whether what goes by a name, or by none, may be a gradient."""
        return name is None or is_gradients_name(name)

    def beside_gradients(self, returned):
        """The arrays, not compared yet, that stand in one tuple, list or dict with gradients, or in the same place of
        one like it; all if there are none.

        What has no name where others have one, and the shape of nothing that is left, is something else that was worked
        out, if no such is a gradient.
        """
        places = [one.place for one in returned if one.place in self.pairs]
        boxes = {place[:-1] for place in places} | {place[:k] for place in places for k in range(1, len(place))}
        named = {one.place[:-1] for one in returned if one.name is not None}
        of_one = any(self.wanted[name].size == 1 for name in self.free())
        rest = [one for one in returned if one.place not in self.pairs and (one.array.ndim or of_one)]
        named -= {one.place[:-1] for one in returned if one.place in self.pairs and one.name is None}
        rest = [one for one in rest if one.name is not None or one.place[:-1] not in named or self.fits_any(one)]
        self.elsewhere = rest  # what stands in no such box, and may be a gradient all the same
        alike = {one.place[1:] for one in returned if one.place in self.pairs and len(one.place) > 1}
        within = [{one.place[:-1], *(one.place[:k] for k in range(1, len(one.place)))} for one in rest]
        there = [
            one for one, around_it in zip(rest, within, strict=True) if around_it & boxes or one.place[1:] in alike
        ]
        return there if boxes else rest

    def could_be_gradient(self, one):
        """Whether an array that is not compared may be the gradient of an input that nothing is compared with."""
        if not one.is_stored:
            return True
        is_of_ours = not any(self.is_of_another(one, name) for name in self.wanted if one.name == f"d{name}")
        return one.name is not None and is_of_ours and self.fits_any(one)

    def fits_any(self, one, others=()):
        """Whether an array has the shape of an input that matters, and that nothing is compared with, or of others."""
        return any(fits(one.array, self.wanted[n]) and self.wanted[n].any() for n in (*self.free(), *others))

    def free(self):
        """Inputs whose gradient is not yet known to come out."""
        taken = set(self.pairs.values())
        return [name for name in self.wanted if name not in taken]

    def by_name(self, came, matches):
        """Pair what goes by the name of a gradient."""
        for one in came:
            if one.name is not None and one.place not in self.pairs:
                free = self.free()
                found = [n for n in free if one.name == f"d{n}" and not self.is_of_another(one, n)]
                free = [n for n in free if not one.is_stored or fits(one.array, self.wanted[n])]  # else a buffer
                free = [n for n in free if not self.is_of_others(one, n)]
                free = [n for n in free if self.wanted[n].any()] or free  # not what an earlier pass left behind
                free = [] if self.is_told(one, came) else free
                found = found or [n for n in free if matches(one.name, n) or matches(one.name, self.aliases.get(n, n))]
                found = [n for n in found if self.wanted[n].any() or not self.is_kept_twice(one, came)]
                if matches is sounds_like:  # which says little against the shape of another one
                    found = [n for n in found if fits(one.array, self.wanted[n]) or not self.fits_others(one, n, came)]
                self.pairs.update({one.place: found[0]} if len(found) == 1 else {})

    def of_unused(self, returned):
        """Pair what goes by the name of the gradient of an input that the loss does not depend on, and is returned with
        those of others: a bias that was forgotten in the forward pass."""
        told = {one.place[:-1] for one in returned if one.place in self.pairs}
        for one in (one for one in returned if one.place not in self.pairs and one.place[:-1] in told and one.name):
            idle = [n for n in self.free() if not self.wanted[n].any() and fits(one.array, self.wanted[n])]
            found = [n for n in idle if one.name == f"d{n}" or meant(one.name, n)]
            self.pairs |= {one.place: found[0]} if len(found) == 1 else {}

    @staticmethod
    def is_kept_twice(one, came):
        """Whether what is kept is kept elsewhere too: as the gradient of a weight there, of which the one that goes by
        this name may be a copy that nothing reads."""
        return one.is_stored and one.array.any() and repeats(one, [c for c in came if c.is_stored and c is not one])

    def is_told(self, one, came):
        """Whether what is kept in a list is kept elsewhere too, where it is known which gradient it is."""
        told = [other for other in came if other.is_stored and other.place in self.pairs and other.array.any()]
        return one.is_stored and isinstance(one.place[-1], int) and repeats(one, told)

    def fits_others(self, one, name, came):
        """Whether others that are not compared yet have the shape of an input."""
        left = [other for other in came if other is not one and other.place not in self.pairs]
        return any(fits(other.array, self.wanted[name]) for other in left)

    def is_of_another(self, one, name):
        """Whether what an object within keeps is of its own argument: it has not the shape of the one of that name."""
        within = one.is_stored and len(one.place) > 2
        return within and name in self.arguments and not fits(one.array, self.wanted[name])

    def is_of_others(self, one, name):
        """Whether an object keeps an array as the gradient of its own weight, not of the one of that name, and weights
        of it matter: else they may be what an earlier pass left behind."""
        owner = one.name.rpartition(".")[0] if one.name else ""
        counts = any(f"d{n}".rpartition(".")[0] == owner and gradient.any() for n, gradient in self.wanted.items())
        return counts and is_of_other_object(one, name)

    def rivals(self, one, came):
        """Others of its shape that are kept too: what is no gradient may go by a better name than one that is."""
        return [c for c in came if c is not one and c.is_stored and fits(c.array, one.array)]

    def returned_by_name(self, came):
        """The inputs whose gradients are returned under their names."""
        named = [one for one in came if not one.is_stored and one.name is not None]
        return {n for one in named for n in self.wanted if meant(one.name, n) and fits(one.array, self.wanted[n])}

    def misshapen_by_name(self, came):
        """Pair what an object keeps by the name of the gradient of its own weight and is not summed up to its shape, or
        summed up too far."""
        for one in (one for one in came if one.place not in self.pairs and one.array.any()):
            free = [n for n in self.free() if n not in self.arguments and self.wanted[n].any() and meant(one.name, n)]
            free = [n for n in free if not is_of_other_object(one, n)]
            free = [n for n in free if spreads(self.wanted[n].shape, one.array.shape)]
            self.pairs |= {one.place: free[0]} if len(free) == 1 else {}

    def by_number(self, came, but=()):
        """Pair what is exactly the gradient of one input, `but` for some; of what is called dW, or kept as W among
        gradients, for a W there is, only with that."""
        for one in came:
            if one.place not in self.pairs and one.array.any() and not is_one_of_several(one, came):
                names = (one.name, f"d{one.name}") if one.is_stored and len(one.place) == 3 else (one.name,)
                alike = [n for n in self.wanted if fits(one.array, self.wanted[n])]
                own = [n for n in alike if f"d{n}" in names or (one.name is not None and meant(one.name, n))]
                free = [name for name in self.free() if name not in but and (not own or name in own)]
                free = [name for name in free if not is_of_other_object(one, name)]
                free = [name for name in free if one.name or not self.is_kept_by_name(name, came)]
                equal = [name for name in free if self.wanted[name].any() and self.agrees(one.array, name)]
                self.pairs.update({one.place: equal[0]} if equal else {})

    def is_kept_by_name(self, name, came):
        """Whether an array of its shape is kept as `db`: that is compared, whatever else equals the gradient of b."""
        kept = [one for one in came if one.is_stored and one.name == f"d{name}" and one.array.any()]
        return any(fits(one.array, self.wanted[name]) for one in kept)

    def by_analogy(self, came):
        """Pair what is kept under a name like those: if W_update is the gradient of W, then b_update is that of b."""
        affixes = {(*one.place[:-1], *around(self.pairs[one.place], one)) for one in came if one.place in self.pairs}
        for one in came:
            found = [name for name in self.free() if (*one.place[:-1], *around(name, one)) in affixes]
            self.pairs |= {one.place: found[0]} if found and one.place not in self.pairs else {}

    def by_affix(self, came, is_value):
        """Pair what objects keep under the names of their own weights with something more, `Wg` for W: if one that is a
        gradient does so, or several do."""
        counting = [name for name in self.wanted if name not in self.arguments and self.wanted[name].any()]
        own = {(owner_of(name), last_of(name)): name for name in counting}
        told, found = set(), {}
        for one in (one for one in came if isinstance(one.place[-1], str)):
            owner, key = spelled(one.place[1:-1]), one.place[-1]
            alike = [(last, name) for (of, last), name in own.items() if of == owner and last in key]
            for last, name in alike if (owner, key) not in own else ():
                affix = tuple(key.split(last, 1))
                if self.pairs.get(one.place) == name:
                    told.add(affix)
                elif one.place not in self.pairs and fits(one.array, self.wanted[name]):
                    found.setdefault(affix, []).append((one, name))
        for affix, several in found.items():
            are_several = sum(one.array.any() for one, _ in several) > 1
            for one, name in several if affix in told or are_several else ():
                if name in self.free() and not (is_value and is_value(one.array)):
                    self.pairs.setdefault(one.place, name)

    def by_common_affix(self, returned):
        """Pair what is returned under the names of inputs with something more, `w_update` of w, the same in several;
        where most have their shapes, those that have not, too."""
        found = {}
        for one in (one for one in returned if one.name):
            free = [self.pairs[one.place]] if one.place in self.pairs else self.free()
            for name in (name for name in free if self.wanted[name].any()):
                parts = one.name.split(last_of(name))
                if len(parts) == 2 and any(parts):
                    found.setdefault(tuple(parts), {}).setdefault(one.place, []).append(name)
        arrays = {one.place: one.array for one in returned}
        for several in found.values():
            fitting = {p: [n for n in names if fits(arrays[p], self.wanted[n])] for p, names in several.items()}
            if 2 * sum(map(bool, fitting.values())) > len(several):
                fitting = {place: names or several[place] for place, names in fitting.items()}
            left = {place: names for place, names in fitting.items() if names}
            clear = {place: names[0] for place, names in left.items() if len(names) == 1}
            self.pairs |= clear if len(clear) == len(left) == len({*clear.values()}) > 1 else {}

    def by_owner(self, came):
        """Pair what an object within keeps by the name of a gradient with the one of its own weights of that shape."""
        for one in (one for one in came if one.place not in self.pairs):
            path = spelled(one.place[1:-1])
            own = [
                name
                for name in self.free()
                if (owner := name.rpartition(".")[0]) and f"{path}.".startswith((f"{owner}.", f"{owner}["))
            ]
            found = [name for name in own if fits(one.array, self.wanted[name]) and self.wanted[name].any()]
            self.pairs |= {one.place: found[0]} if len(found) == 1 else {}

    def beside_its_weight(self, came, is_value):
        """Pair the one array of its shape that an object keeps beside its only weight: `param.d` and `param.a`."""
        counting = [name for name in self.wanted if name not in self.arguments and self.wanted[name].any()]
        weights = {}
        for name in counting:
            weights.setdefault(owner_of(name), []).append(name)
        for owner, (name, *more) in weights.items():
            kept = [one for one in came if spelled(one.place[1:-1]) == owner and one.array.any()]
            kept = [one for one in kept if one.place not in self.pairs and spelled(one.place[1:]) not in counting]
            kept = [
                one for one in kept if fits(one.array, self.wanted[name]) and not (is_value and is_value(one.array))
            ]
            if owner and not more and len(kept) == 1 and name in self.free():
                self.pairs[kept[0].place] = name

    def by_list(self, came):
        """Pair what is returned in a list with inputs in one of as many, such as `params`, where all shapes fit; also
        where the object keeps those gradients too."""
        boxes = {one.place[:-1]: [c for c in came if c.place[:-1] == one.place[:-1]] for one in came if one.place}
        lists = {}
        for name in self.wanted:
            lists.setdefault(name.rpartition("[")[0], []).append(name)
        for box in boxes.values():
            found = [
                names
                for base, names in lists.items()
                if base and len(names) == len(box) > 1
                if all(self.pairs.get(one.place, name) == name for one, name in zip(box, names, strict=True))
                if all(fits(one.array, self.wanted[name]) for one, name in zip(box, names, strict=True))
            ]
            if len(found) == 1:
                self.pairs |= {one.place: name for one, name in zip(box, found[0], strict=True)}

    def by_place_in_list(self, came):
        """Pair what is left in a list in which others stand at the places of their inputs in another one as long, as
        linear_weights[0] does: whatever shape it has."""
        for box in {one.place[:-1] for one in came if one.place}:
            there = {one.place[-1]: one.place for one in came if one.place[:-1] == box}
            told = {key: self.pairs[place].rpartition("[") for key, place in there.items() if place in self.pairs}
            if len({base for base, *_ in told.values()}) == 1 and all(n == f"{k}]" for k, (*_, n) in told.items()):
                base = next(base for base, *_ in told.values())
                if sum(name.rpartition("[")[0] == base for name in self.wanted) == len(there):
                    left = {place: f"{base}[{key}]" for key, place in there.items() if key not in told}
                    self.pairs |= {place: name for place, name in left.items() if name in self.free()}

    def by_turn(self, came, is_forward=None):
        """Pair what is left in a tuple or list that otherwise has the gradients in the order of the inputs: by how far
        it is behind the others, or as what fits between two of them, where some have no gradient in it."""
        order = list(self.wanted)
        boxes = {one.place[:-1]: [c for c in came if c.place[:-1] == one.place[:-1]] for one in came if one.place}
        for box in boxes.values():
            turns = {k: order.index(self.pairs[one.place]) for k, one in enumerate(box) if one.place in self.pairs}
            if len(turns) < 2 or list(turns.values()) != sorted(set(turns.values())):
                continue
            are_few = len(turns) < LEAST_IN_TURN  # which say it of the last one alone, where that has the shape
            behind = {turn - k for k, turn in turns.items()}
            for k, one in enumerate(box):
                low = max((j for j in turns if j < k), default=None)
                high = min((j for j in turns if j > k), default=None)
                free = [name for name in self.free() if fits(one.array, self.wanted[name])]
                if len(behind) == 1:
                    is_last = k == len(box) - 1 and k + min(behind) == len(order) - 1  # both rows end here
                    is_between = not are_few and low is not None and (high is not None or is_last)  # of any shape
                    is_other = are_few and not (is_last and not (is_forward and is_forward(one.array)))
                    likely = [] if is_other else self.free() if is_between else free
                    found = [name for name in likely if order.index(name) - k in behind]
                elif low is None or high is None or are_few:
                    continue
                else:
                    found = [name for name in free if turns[low] < order.index(name) < turns[high]]
                    rivals = [c for c in box[low + 1 : high] if fits(c.array, one.array)]
                    found = found if len(rivals) == 1 else []
                if one.place not in self.pairs and len(found) == 1:
                    self.pairs[one.place] = found[0]

    def by_order(self, came):
        """Pair what is left in the order of the inputs, if there is one array for each and none stands elsewhere."""
        if len(came) == len(self.wanted):
            pairs = {one.place: name for one, name in zip(came, self.wanted, strict=True)}
            if self.pairs.items() <= pairs.items():
                self.pairs = pairs

    def instead(self, came):
        """Pair the only thing that is returned with the only argument that is left, whatever shape it has."""
        free = [name for name in self.free() if name in self.arguments and self.wanted[name].any()]
        if len(came) == len(free) == 1 and np.isfinite(came[0].array).all():
            self.pairs.setdefault(came[0].place, free[0])

    def by_arguments(self, came, arguments):
        """The same with the arguments alone, where all have their shapes."""
        both = list(zip(came, arguments, strict=False))
        pairs = {one.place: name for one, name in both if fits(one.array, self.wanted[name])}
        is_so = len(pairs) == len(came) == len(arguments)
        if is_so and all(self.pairs.get(place, name) == name for place, name in pairs.items()):
            self.pairs |= pairs

    def by_shape(self, came):
        """Pair what is left where the shape leaves no choice."""
        for one in came:
            found = [name for name in self.free() if fits(one.array, self.wanted[name])]
            found = [name for name in found if not self.is_of_others(one, name)]
            counting = [name for name in found if self.wanted[name].any()]  # not what an earlier pass left behind
            found = counting or ([] if one.array.any() else found)
            rivals = [c for c in came if c.place not in self.pairs and c.array.shape == one.array.shape]
            if len(found) == 1 == len(rivals):
                self.pairs[one.place] = found[0]

    def in_turn(self, came):
        """Pair several of one shape in the order of the inputs of that shape, if there are as many."""
        free = self.free()
        for one in came:
            alike = [other for other in came if fits(other.array, one.array)]
            found = [name for name in free if fits(one.array, self.wanted[name]) and self.wanted[name].any()]
            if len(alike) == len(found):
                self.pairs[one.place] = found[alike.index(one)]

    def last_left(self, came):
        """Pair the only one that is left with the only input, or several with as many in their order, whatever shape
        they have beside several gradients."""
        free = [name for name in self.free() if self.wanted[name].any()]
        if len(came) == len(free) and self.pairs:
            pairs = {one.place: name for one, name in zip(came, free, strict=True)}
            is_one = len(came) == 1 and fits(came[0].array, self.wanted[free[0]])
            self.pairs |= pairs if is_one or len(self.pairs) >= LEAST_IN_TURN else {}

    def agrees(self, array, name):
        """Whether an array is the gradient of an input; axes of length one do not count."""
        wanted = self.wanted[name]
        return fits(array, wanted) and self.error(array.reshape(wanted.shape), wanted) <= self.tolerance

    def wrong(self, came):
        """The inputs whose gradients come out wrong, or not at all."""
        arrays = {one.place: one.array for one in came}
        return [n for place, n in self.pairs.items() if place not in arrays or not self.agrees(arrays[place], n)]

    def misshapen(self, came):
        """The arrays that have not the shape of the gradients which they should be."""
        return [one.array for one in came if one.place in self.pairs and not fits(one.array, self.wanted_at(one.place))]

    def wanted_at(self, place):
        """The gradient that what comes out at a place should be."""
        return self.wanted[self.pairs[place]]

    def vector(self, came):
        """All that is compared in one flat array; None where a shape does not fit or something is missing."""
        arrays, parts = {one.place: one.array for one in came}, []
        for place, name in self.pairs.items():
            if place not in arrays or not fits(arrays[place], self.wanted[name]):
                return None
            parts.append(arrays[place].ravel())
        return np.concatenate(parts) if parts else np.zeros(0)

    def goal(self):
        """What `vector` should be."""
        parts = [self.wanted[name].ravel() for name in self.pairs.values()]
        return np.concatenate(parts) if parts else np.zeros(0)

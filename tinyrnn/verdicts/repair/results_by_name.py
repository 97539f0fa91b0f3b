"""Which input's gradient an array is, by the name that it is returned or kept by."""

from tinyrnn.verdicts.record.leaves import last_of, owner_of, spelled
from tinyrnn.verdicts.repair.gradient_names import (
    abbreviates,
    is_gradients_name,
    meant,
    meant_in_any_case,
    sounds_like,
)
from tinyrnn.verdicts.repair.kinds_of_came import around, fits, is_of_other_object, repeats, spreads


class ByNames:
    """The rules that go by names. What they pair goes into `pairs`, {place: input}; see `Results`."""

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
                if len(found) > 1 and one.is_stored:  # of several objects
                    found = [n for n in found if owner_of(n) == spelled(one.place[1:-1])]
                self.pairs.update({one.place: found[0]} if len(found) == 1 else {})

    def of_unused(self, returned, is_forward=None):
        """Pair what goes by the name of the gradient of an input that the loss does not depend on, or by none, or that
        of the gradient of no input, and is the only one left of its shape, and is returned with those of others: a bias
        that was forgotten in the forward pass."""
        told = {one.place[:-1] for one in returned if one.place in self.pairs}
        left = [one for one in returned if one.place not in self.pairs and one.place[:-1] in told]
        for one in left:
            idle = [n for n in self.free() if not self.wanted[n].any() and fits(one.array, self.wanted[n])]
            found = [n for n in idle if one.name and (one.name == f"d{n}" or meant(one.name, n))]
            is_of_none = is_gradients_name(one.name or "") and not any(meant(one.name, n) for n in self.wanted)
            if (one.name is None or is_of_none) and one.array.any() and not (is_forward and is_forward(one.array)):
                found = idle if sum(fits(other.array, one.array) for other in left) == 1 else []
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
            own = [n for n in self.free() if n not in self.arguments and self.wanted[n].any()]
            ways = meant, meant_in_any_case, abbreviates
            free = next(filter(None, ([n for n in own if way(one.name, n)] for way in ways)), [])
            free = [n for n in free if not is_of_other_object(one, n)]
            free = [n for n in free if spreads(self.wanted[n].shape, one.array.shape)]
            self.pairs |= {one.place: free[0]} if len(free) == 1 else {}

    def by_analogy(self, came):
        """Pair what is kept under a name like those: if W_update is the gradient of W, then b_update is that of b."""
        affixes = {(*one.place[:-1], *around(self.pairs[one.place], one)) for one in came if one.place in self.pairs}
        for one in came:
            found = [name for name in self.free() if (*one.place[:-1], *around(name, one)) in affixes]
            self.pairs |= {one.place: found[0]} if found and one.place not in self.pairs else {}

    def by_affix(self, came, is_value):
        """Pair what objects keep under the names of their own weights with something more, `Wg` for W: if one that is a
        gradient does so, or several do."""
        told, found = self.under_affixes(came)
        for affix, several in found.items():
            several = [(one, name) for one, name in several if fits(one.array, self.wanted[name])]
            are_several = sum(one.array.any() for one, _ in several) > 1
            for one, name in several if affix in told or are_several else ():
                if name in self.free() and not (is_value and is_value(one.array)):
                    self.pairs.setdefault(one.place, name)

    def misshapen_by_affix(self, came):
        """Pair what is kept as others that are gradients, whatever its shape: that is what is wrong with it."""
        told, found = self.under_affixes(came)
        for one, name in (pair for affix, several in found.items() if affix in told for pair in several):
            self.pairs |= {one.place: name} if name in self.free() else {}

    def under_affixes(self, came):
        """(affixes, as ("d", ""), of names under which objects keep gradients of their own weights, {affix: [(what is
        kept so and not paired, the weight)]})."""
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
                elif one.place not in self.pairs:
                    found.setdefault(affix, []).append((one, name))
        return told, found

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

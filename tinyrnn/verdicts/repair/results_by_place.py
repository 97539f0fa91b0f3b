"""Which input's gradient an array is, by where it stands among others and by its shape."""

from collections import Counter

import numpy as np

from tinyrnn.verdicts.repair.kinds_of_came import fits

LEAST_IN_RUN = 4  # gradients that have the shapes of as many inputs in their order
MOST_WAYS = 5000  # of giving gradients inputs in their order
LEAST_IN_TURN = 3  # gradients in the order of the inputs, that others are taken to be so too


class ByPlaces:
    """The rules that go by order and shape. What they pair goes into `pairs`, {place: input}; see `Results`."""

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

    def by_run(self, came):
        """Pair a tuple or list that has the shapes of some inputs that follow one another, in their order, and of no
        others, where those that are paired are so in that order, or some by their names with an input of another
        shape: of a part of the program that calls its own weights as those of another one are called."""
        order = list(self.wanted)
        for box in {one.place[:-1] for one in came if one.place}:
            there = [one for one in came if one.place[:-1] == box]
            runs = [order[k : k + len(there)] for k in range(len(order) - len(there) + 1)]
            fitting = [
                run for run in runs if all(fits(one.array, self.wanted[n]) for one, n in zip(there, run, strict=True))
            ]
            told = [one for one in there if one.place in self.pairs]
            if len(fitting) != 1 or len(there) < LEAST_IN_RUN or not told:
                continue
            found = {one.place: name for one, name in zip(there, fitting[0], strict=True)}
            left = {place: name for place, name in found.items() if place not in self.pairs}
            if all(self.pairs[one.place] == found[one.place] for one in told) and {*left.values()} <= {*self.free()}:
                self.pairs |= left
            elif any(not fits(one.array, self.wanted[self.pairs[one.place]]) for one in told):
                self.pairs = {place: name for place, name in self.pairs.items() if name not in found.values()} | found

    def by_only_order(self, came):
        """Pair a tuple or list where the shapes leave one way alone to give each thing in it an input of its own in the
        order of the inputs: those that are left out have no gradient, as first states may."""
        order = list(self.wanted)
        for box in {one.place[:-1] for one in came if one.place}:
            there = [one for one in came if one.place[:-1] == box]
            ways = [()]  # to choose inputs, by their numbers, for what was gone through
            for one in there:
                told = self.pairs.get(one.place)
                fitting = [
                    k for k, name in enumerate(order) if fits(one.array, self.wanted[name]) and told in (None, name)
                ]
                ways = [(*way, k) for way in ways for k in fitting if k > (way or (-1,))[-1]]
                ways = [] if len(ways) > MOST_WAYS else ways
            if len(ways) == 1 and len(there) >= LEAST_IN_RUN:
                self.pairs |= {one.place: order[k] for one, k in zip(there, ways[0], strict=True)}

    def by_turn(self, came, is_forward=None):
        """Pair what is left in a tuple or list that otherwise has the gradients in the order of the inputs: by how far
        it is behind the others, or as what fits between two of them, where some have no gradient in it."""
        order = list(self.wanted)
        boxes = {one.place[:-1]: [c for c in came if c.place[:-1] == one.place[:-1]] for one in came if one.place}
        for box in boxes.values():
            turns = {k: order.index(self.pairs[one.place]) for k, one in enumerate(box) if one.place in self.pairs}
            if len(turns) < 2 or list(turns.values()) != sorted(set(turns.values())):
                continue
            if len(box) > len(order):  # of an input whose gradient is not wanted, such as a target
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

    def all_in_order(self, came):
        """Pair what is returned in one tuple, whatever it is called, with the inputs that have a gradient, in their
        order, if there are as many, all have their shapes and those that are paired are so in that order."""
        names = [name for name in self.wanted if self.wanted[name].any()]
        both = list(zip(came, names, strict=False))
        pairs = {one.place: name for one, name in both if fits(one.array, self.wanted[name])}
        is_so = len(pairs) == len(came) == len(names) and len({place[:-1] for place in pairs}) == 1
        if is_so and self.pairs.items() <= pairs.items():
            self.pairs = pairs

    def by_values_in_order(self, came):
        """Pair what is returned, and is compared, in the order of the inputs, whatever its names, where more of it is
        right so."""
        came = [one for one in came if one.place in self.pairs]
        named = [self.pairs[one.place] for one in came]
        ordered = [name for name in self.wanted if name in named]
        if len(ordered) == len(named) and self.right_of(came, ordered) > self.right_of(came, named):
            self.pairs |= {one.place: name for one, name in zip(came, ordered, strict=True)}

    def exchanged_in(self, came):
        """[(the input whose gradient is there, the one whose gradient would be)] of what is returned in one tuple or
        list, under names that do not tell one from another, and mostly in the order of the inputs, but for these."""
        came = [one for one in came if one.place in self.pairs]
        named = [self.pairs[one.place] for one in came]
        ordered = [name for name in self.wanted if name in named]
        is_told = min(Counter(one.name for one in came).values(), default=1) < 2
        if is_told or len({one.place[:-1] for one in came}) > 1 or len(ordered) != len(named):
            return []
        others = [pair for pair in zip(named, ordered, strict=True) if pair[0] != pair[1]]
        return others if 3 * len(others) <= len(named) else []

    def right_of(self, came, names):
        """How many of some arrays are the gradients of inputs of those names."""
        return sum(self.agrees(one.array, name) for one, name in zip(came, names, strict=True))

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
            exact = [name for name in found if self.wanted[name].shape == one.array.shape]
            found = exact if len(exact) == 1 else found  # not another one that has it but for axes of length one
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

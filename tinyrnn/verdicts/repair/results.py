"""What comes out of a backward pass, and which input's gradient each of it should be.

Names decide where there are any, then the order and the shapes; and where only these speak, an array that *is* the
gradient of another input is taken for that. What cannot be told is not compared, which the report says.
"""

from itertools import combinations

import numpy as np

from tinyrnn.verdicts.repair.gradient_names import (
    abbreviates,
    hints_at,
    is_gradients_name,
    meant,
    meant_in_any_case,
    sounds_like,
)
from tinyrnn.verdicts.repair.kinds_of_came import (
    SAME,
    are_shares,
    by_own_names,
    fits,
    is_of_other_object,
    is_one_of_several,
    is_returned,
    is_returned_turned,
    ratio,
    repeats,
)
from tinyrnn.verdicts.repair.results_by_name import ByNames
from tinyrnn.verdicts.repair.results_by_place import ByPlaces

SLIGHT = 1e-5  # relative


class Results(ByNames, ByPlaces):
    """Which of the arrays that come out is compared with which gradient, fixed by one run.

    came: list of `Came`, in order. wanted: {input: gradient}, in order. aliases: {input: what else it goes by}. error:
    function (came, wanted) -> relative error. is_forward: of a function that returns other things besides gradients,
    function (array) -> whether it is one of those, a value that the loss depends on; None: all should be gradients.
    arguments: those of the inputs that the forward pass is given. boxes: as `Problem.boxes`. is_value: function
    (array) -> whether it is a value of the forward pass; None: none is.
    pairs: {place: input}. exchanged: as `exchanged_in` says. unpaired: what is returned, or kept by the name of a
    gradient, and not compared.
    """

    def __init__(
        self, came, wanted, error, tolerance, aliases=None, is_forward=None, arguments=(), boxes=(), is_value=None
    ):
        self.wanted, self.error, self.tolerance = wanted, error, tolerance
        self.aliases, self.pairs, self.arguments = aliases or {}, {}, arguments
        shares = {one.place for one in are_shares(came, wanted)}
        came = by_own_names([one for one in came if one.place not in shares])
        whole, came = came, [one for one in came if not (one.is_stub or is_returned_turned(one, came))]
        for box in boxes:
            self.by_box(box, [one for one in came if not one.is_stored], is_forward or (lambda array: False))
        listed = {f"d{name}" for name in wanted if name.endswith("]")}  # by its number in a list, which no other has
        kept = [one for one in came if one.is_stored and one.name not in listed and self.rivals(one, came)]
        self.by_number([one for one in kept if not is_returned(one, came)], self.returned_by_name(came))
        self.by_name(came, meant)
        self.by_number(came)
        self.uncross(came)
        self.by_analogy([one for one in came if one.is_stored])
        self.by_affix([one for one in came if one.is_stored], is_value)
        self.by_owner([one for one in came if one.is_stored and one.name is not None])
        for matches in (meant_in_any_case, abbreviates):
            self.by_name([one for one in came if one.is_stored], matches)
        self.beside_its_weight([one for one in came if one.is_stored], is_value)
        self.misshapen_by_name([one for one in came if one.is_stored and one.name is not None])
        returned = [one for one in came if not one.is_stored]
        self.by_list(returned)
        self.by_place_in_list(returned)
        self.by_name(returned, sounds_like)
        self.by_common_affix(returned)
        self.by_run(returned)
        self.by_only_order(returned)
        self.by_turn(returned, is_forward)
        self.of_unused(returned, is_forward)
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
            self.all_in_order([one for one in returned if one.place in self.pairs or not is_forward(one.array)])
            kept = {self.pairs[one.place] for one in came if one.is_stored and one.place in self.pairs}
            left = [one for one in beside if one.place not in self.pairs]
            told = [one for one in returned if one.place in self.pairs and is_gradients_name(one.name or "")]
            self.unpaired = [
                one
                for one in left
                if self.fits_any(one, kept) or self.is_of_unused(one) or repeats(one, told)  # or given twice
            ]
            told = self.pairs.keys() | {one.place for one in beside}
            others = [one for one in self.elsewhere if one.place not in told and self.fits_any(one)]
            others = [one for one in others if self.may_be_one(one.name)]
            self.unpaired += [one for one in others if not is_forward(one.array)]
        self.stubs(whole, is_forward)
        self.by_values_in_order(returned)
        self.exchanged = self.exchanged_in(returned)
        kept = [one for one in came if one.is_stored and one.place in self.pairs]
        self.unpaired = [one for one in self.unpaired if self.fits_any(one) or not repeats(one, kept)]
        if shares:  # of which the sums are kept elsewhere
            self.by_shape([one for one in self.unpaired if one.is_stored])
            self.unpaired = [one for one in self.unpaired if one.place not in self.pairs]

    def stubs(self, came, is_forward):
        """Pair what stands where a gradient belongs and is no array of floats; what is no number is not compared."""
        self.by_name([one for one in came if one.is_stub], meant)
        self.misshapen_by_affix([one for one in came if one.is_stored and one.array.dtype.kind in "biuf"])
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
        zeros = [one for one in zeros if one.name is None or any(meant(one.name, n) for n in self.wanted)]
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

    def is_of_unused(self, one):
        """Whether what goes by the name of a gradient has the shape of an input that the loss does not depend on."""
        named = is_gradients_name(one.name or "") and one.array.any()
        idle = [name for name in self.free() if not self.wanted[name].any()]
        return named and any(fits(one.array, self.wanted[name]) for name in idle)

    def free(self):
        """Inputs whose gradient is not yet known to come out."""
        taken = set(self.pairs.values())
        return [name for name in self.wanted if name not in taken]

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
                others = [name for name in free if one.name != f"d{name}" and self.is_kept_by_name(name, came)]
                is_told = one.name is not None and one.name[1:] not in self.wanted  # but not of which
                free = [name for name in free if is_told or name not in others]
                equal = [name for name in free if self.wanted[name].any() and self.agrees(one.array, name)]
                self.pairs.update({one.place: equal[0]} if equal else {})

    def uncross(self, came):
        """Exchange the inputs of two arrays that came, each exactly the gradient of the other's input, where a part of
        its name tells of its own: what is called d_input is not of E_out, but returned in the wrong place."""
        paired = [one for one in came if one.place in self.pairs and one.name is not None]
        for one, other in combinations(paired, 2):
            mine, others = self.pairs[one.place], self.pairs[other.place]
            straight = hints_at(one.name, others) and hints_at(other.name, mine)
            if straight and not (hints_at(one.name, mine) or hints_at(other.name, others)):
                if fits(self.wanted[mine], self.wanted[others]):
                    self.pairs |= {one.place: others, other.place: mine}

    def is_kept_by_name(self, name, came):
        """Whether an array of its shape is kept as `db`: that is compared, whatever else equals the gradient of b."""
        kept = [one for one in came if one.is_stored and one.name == f"d{name}" and one.array.any()]
        return any(fits(one.array, self.wanted[name]) for one in kept)

    def agrees(self, array, name):
        """Whether an array is the gradient of an input; axes of length one do not count."""
        wanted = self.wanted[name]
        return fits(array, wanted) and self.error(array.reshape(wanted.shape), wanted) <= self.tolerance

    def are_slight(self, came):
        """Whether all gradients that come out wrong are so by next to nothing: more than rounding, and less than what
        any mistake does."""
        arrays, wrong = {one.place: one.array for one in came}, set(self.wrong(came))
        pairs = [(arrays.get(place), self.wanted[name]) for place, name in self.pairs.items() if name in wrong]
        is_there = all(array is not None and fits(array, wanted) for array, wanted in pairs)
        return is_there and all(self.error(array.reshape(d.shape), d) <= SLIGHT for array, d in pairs)

    def found_wrong(self, came):
        """`wrong`, of a program that is to be put right. Where something is wrong by more, what is so by next to
        nothing counts as right from then on: as a series that is cut off leaves it, whatever is repaired."""
        if self.wrong(came) and not self.are_slight(came):
            self.tolerance = max(self.tolerance, SLIGHT)
        return self.wrong(came)

    def wrong(self, came):
        """The inputs whose gradients come out wrong, or not at all."""
        arrays = {one.place: one.array for one in came}
        return [n for place, n in self.pairs.items() if place not in arrays or not self.agrees(arrays[place], n)]

    def factor(self, came, least=2):
        """The number by which all gradients that come out wrong, of so many inputs at least, are to be multiplied; None
        if there is none."""
        arrays = {one.place: one.array for one in came}
        wrong = {*self.wrong(came)}
        pairs = [(self.wanted[name], arrays.get(place)) for place, name in self.pairs.items() if name in wrong]
        ratios = [ratio(wanted, array) for wanted, array in pairs]
        is_one = len(ratios) >= least and all(one and abs(one - ratios[0]) <= SAME for one in ratios)
        return ratios[0] if is_one else None

    def off(self, came):
        """How many numbers of the gradients come out wrong, or not at all."""
        arrays, number = {one.place: one.array for one in came}, 0
        for place, name in self.pairs.items():
            wanted = self.wanted[name]
            if place in arrays and fits(arrays[place], wanted):
                far = abs(arrays[place].reshape(wanted.shape) - wanted)
                number += int((~(far <= self.tolerance * abs(wanted).max(initial=0))).sum())  # no number is wrong too
            else:
                number += wanted.size
        return number

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

"""What an edit of a statement does to it, by the texts of both: it scales, turns a sign, adds a term, and so on."""

import ast
import re

from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.repair.replacements import is_opposite
from tinyrnn.verdicts.repair.texts import (
    VALUE,
    both_sides,
    count_of,
    given_in,
    given_to,
    has_slope,
    is_own_call,
    is_slope_of_sigmoid,
    is_slope_of_tanh,
    names_in,
    small_numbers,
    terms_of,
    turned_terms,
    values_in,
)

COMPLEMENT = rf"\* \(1 - ({VALUE})\)"
SQUARE = rf"\b1 - {VALUE} \*\* 2\b"
TAKEN_OUT = r"(\w+) = [\w.]+(?:\[['\"]|\.)(\w+)(?:['\"]\])?"
BOTH_SIDES = re.compile(r"([\w.]+)\[(.+) [<>]=? 0\] = \S+\n\1\[\2 [<>]=? 0\] = \S+")
NUMBER = re.compile(r"[\d.]+")
LENGTH = re.compile(r"\w+ = (len\([\w.]+\)|[\w.]+\.(size|shape\[-?\d\]))")
SIZE = r"(\*=?|/=? \(?[\w.]+ /) [\w.]+\.shape\["  # what multiplies by it
BY_A_NUMBER = r"(?<![\w.])[\d.]+ \* |[*/] [\d.]+\b"
SCALE = r"(?<![\w*\]] )(?<![\d.])\b[\d.]+ [*/] |(?<!\*)[*/] [\d.]+\b"  # a number as a factor


class Rewording:
    """Of what has the texts of a statement: before, as it stands; after, as it is edited."""

    @property
    def only_scales(self):
        """Whether it changes the number by which something is multiplied or divided."""
        before, after = (re.findall(r"\*\*|[\d.]+|\w+|\S", text) for text in (self.before, self.after))
        other = [k for k, (a, b) in enumerate(zip(before, after, strict=False)) if a != b]
        if len(before) != len(after) or len(other) != 1 or not before[other[0]][0].isdigit():
            return False
        around = [*before[max(other[0] - 1, 0) : other[0]], *before[other[0] + 1 : other[0] + 2]]
        return "*" in around or "/" in around

    @property
    def only_numbers(self):
        """Whether one number stands where another one did, and nothing else changes."""
        before, after = (re.findall(r"[\d.]+|\w+|\S", text) for text in (self.before, self.after))
        other = [(a, b) for a, b in zip(before, after, strict=False) if a != b]
        return len(before) == len(after) and len(other) == 1 and all(one[0].isdigit() for one in other[0])

    @property
    def drops_a_turn(self):
        """Whether a transpose is left out, and nothing else changes: rather than that one is missing elsewhere."""
        return self.after != self.before and self.after == re.sub(r"\.T\b", "", self.before, count=1)

    @property
    def takes_a_length(self):
        """Whether it is of a statement that does nothing but take one: `m = x.shape[0]`."""
        return all(LENGTH.fullmatch(text) for text in (self.before, self.after))

    @property
    def takes_the_opposite(self):
        """Whether it calls the opposite of what was called, `argmax` for `argmin`, and changes nothing else."""
        before, after = (re.findall(r"\w+|\S", text) for text in (self.before, self.after))
        other = [pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]]
        return len(before) == len(after) and len(other) == 1 and is_opposite(*other[0])

    @property
    def averages(self):
        """Whether it makes a mean of a sum: in a backward pass that is rather written as a factor."""
        return len(re.findall(r"\bmean\b", self.after)) > len(re.findall(r"\bmean\b", self.before))

    @property
    def sums_what_was_averaged(self):
        """Whether it makes a sum of a mean."""
        fewer = len(re.findall(r"\bmean\b", self.after)) < len(re.findall(r"\bmean\b", self.before))
        return fewer and len(re.findall(r"\bsum\b", self.after)) > len(re.findall(r"\bsum\b", self.before))

    @property
    def multiplies_by_a_size(self):
        """Whether it multiplies by a length, or divides by what that divides: a batch's, by which gradients are rather
        divided."""
        return len(re.findall(SIZE, self.after)) > len(re.findall(SIZE, self.before))

    @property
    def is_of_small_numbers(self):
        """Whether a number is taken out that only keeps others from being zero: `1e-8`."""
        return small_numbers(self.after) < small_numbers(self.before)

    @property
    def exchanges_targets(self):
        """Whether it gives the parts of something other names, which mostly are those that it was put together of."""
        targets = [text.partition(" = ")[0] for text in (self.before, self.after) if " = " in text]
        return len(set(targets)) == 2 and all("," in target for target in targets)

    @property
    def exchanges(self):
        """Whether what stands in it only changes places: another line that gives it, or takes it, may do so too."""
        return sorted(re.findall(r"\w+", self.before)) == sorted(re.findall(r"\w+", self.after))

    @property
    def takes_out_another(self):
        """Whether it takes something else out of a box, or an object, than what is kept there by the very name."""
        taken = [re.fullmatch(TAKEN_OUT, text) for text in (self.before, self.after)]
        return bool(taken[0]) and taken[0][1] == taken[0][2] and not (taken[1] and taken[1][1] == taken[1][2])

    @property
    def reworks_what_is_taken(self):
        """Whether it makes something else of what is only taken out of a box, under a text."""
        taken = re.fullmatch(r"\w+ = ([\w.]+\[['\"].*\])", self.before)
        return bool(taken) and taken[1] in self.after and self.after != self.before

    @property
    def scales(self):
        """Whether it multiplies or divides by a number, or by another one."""
        return self.only_scales or len(re.findall(SCALE, self.after)) > len(re.findall(SCALE, self.before))

    @property
    def scales_a_term(self):
        """Whether it puts a factor beside one of several variables that are added up: that rather belongs where this
        one is worked out."""
        before, after = (terms_of(text) for text in (self.before, self.after))
        if len(before) != len(after) or sum(map(str.isidentifier, before)) < 2:
            return False
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        return len(changed) == 1 and changed[0][0].isidentifier() and "*" in changed[0][1]

    @property
    def completes_a_slope(self):
        """Whether it makes `y * (1 - y)` of one of both factors, or `1 - y ** 2` of `1 - y`."""
        return has_slope(self.after) and not has_slope(self.before)

    @property
    def exchanges_slopes(self):
        """Whether it makes the one derivative of the other, `1 - y ** 2` of `y * (1 - y)`."""
        texts = self.before, self.after
        kinds = [(is_slope_of_sigmoid(text), is_slope_of_tanh(text)) for text in texts]
        squares, others = ([len(re.findall(kind, text)) for text in texts] for kind in (SQUARE, COMPLEMENT))
        is_of_several = squares[1] - squares[0] == others[0] - others[1] != 0  # beside those of other gates
        return any(kinds[0]) and (kinds[0] == kinds[1][::-1] or is_of_several)

    @property
    def sets_both_sides(self):
        """Whether it sets the slopes on the other side of zero too: `d[z > 0] = 1` behind `d[z <= 0] = 0`."""
        return bool(BOTH_SIDES.fullmatch(self.after)) and not BOTH_SIDES.fullmatch(self.before)

    @property
    def breaks_a_slope(self):
        """Whether it makes something else of such a derivative."""
        return has_slope(self.before) and not has_slope(self.after)

    @property
    def negates(self):
        """Whether it puts a minus in front of something, and not only in the place of an entry, `h[-1]` for `h[0]`."""
        after, before = (re.sub(r"\[-\d+\]", "[0]", text) for text in (self.after, self.before))
        return count_of(ast.USub, after) > count_of(ast.USub, before)

    @property
    def only_signs(self):
        """Whether nothing but signs changes: `+` for `-`, `-=` for `+=`, a minus in front of something."""
        texts = [re.sub(r"[-+()\s]", "", text) for text in (self.before, self.after)]
        return self.before != self.after and texts[0] == texts[1]

    @property
    def drops_a_minus(self):
        """Whether it takes a minus away that stands in front of something, and of no number by itself: it would not
        stand there for nothing."""
        before, after = (re.sub(r"(?<=[(,=])( ?)-(?=[\d.]+[,)])", r"\1", text) for text in (self.before, self.after))
        return count_of(ast.USub, after) < count_of(ast.USub, before)

    @property
    def gathers(self):
        """Whether it only adds to what the statement sets."""
        return self.before.replace(" = ", " += ", 1) == self.after

    @property
    def adds(self):
        """Whether it puts in a term of a sum."""
        after, before = (count_of(ast.Add, text) + count_of(ast.Sub, text) for text in (self.after, self.before))
        return after > before

    @property
    def texts(self):
        """The statement as it stands, and as it is edited."""
        return self.before, self.after

    @property
    def is_of_header(self):
        """Whether the statement is the head of a loop or a condition alone, which is no statement by itself."""
        return any(text.endswith(":") for text in self.texts)

    @property
    def drops_a_term(self):
        """Whether it takes a term out of a sum, or difference: no number, as of `1 - h`."""
        if self.is_of_header:
            return False
        sums = [[pair for pair in both_sides(text) if not any(map(NUMBER.fullmatch, pair))] for text in self.texts]
        return len(sums[1]) < len(sums[0])

    @property
    def adds_within(self):
        """Whether that term is put in inside of a product or a call, not added to the whole."""
        return self.adds and not self.after.startswith(self.before)

    @property
    def sums_a_name(self):
        """Whether it sums a variable within an expression: that rather belongs where this one is worked out."""
        value = self.before.partition(" = ")[2]
        summed = re.findall(r"(\w+)\.sum\(", self.after)
        return any(name != value and f"{name}.sum(" not in self.before for name in summed)

    @property
    def adds_to_a_call(self):
        """Whether it adds something to what a call gives: that rather belongs where both are read."""
        return self.before.endswith(")") and bool(re.fullmatch(r" \+ [\w.]+", self.after.removeprefix(self.before)))

    @property
    def adds_again(self):
        """Whether that term is of what the statement has already: not `1 - z` for a gate z, that is a factor."""
        puts_no_number = len(re.findall(r"[a-zA-Z_]\w*", self.after)) > len(re.findall(r"[a-zA-Z_]\w*", self.before))
        is_same = values_in(given_in(self.after)) == values_in(given_in(self.before)) and puts_no_number
        return self.adds and is_same and not self.complements

    @property
    def complements(self):
        """Whether it puts `1 - z` in the place of a factor z that has no gradient's name."""
        put = set(re.findall(COMPLEMENT, self.after)) - set(re.findall(COMPLEMENT, self.before))
        return any(not names_gradients(name.rpartition(".")[2]) for name in put)

    @property
    def gives_one_twice(self):
        """Whether a function other than NumPy's is given one variable twice, and was not."""
        own = [[n for n in ast.walk(ast.parse(text)) if is_own_call(n)] for text in (self.before, self.after)]
        twice = [sum(len(given_to(c)) > len({ast.unparse(one) for one in given_to(c)}) for c in calls) for calls in own]
        return twice[1] > twice[0]

    @property
    def drops_factor(self):
        """Whether it takes a factor, or a divisor, that has a name away."""
        after, before = (count_of(ast.Mult, text) + count_of(ast.Div, text) for text in (self.after, self.before))
        return after < before and names_in(self.after) < names_in(self.before)

    @property
    def puts_in_more(self):
        """Whether it mentions a variable that the statement does not, or a number as a factor, which says as little."""
        more = len(re.findall(BY_A_NUMBER, self.after)) > len(re.findall(BY_A_NUMBER, self.before))
        return more or not names_in(self.after) <= names_in(self.before)

    @property
    def turns_a_term(self):
        """Whether it transposes a term of a sum or difference: a matrix is rather turned where it is made, or is a
        factor."""
        return turned_terms(self.after) > turned_terms(self.before)

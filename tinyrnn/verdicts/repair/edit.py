"""A small edit of a statement that puts all results right, and how likely it is that this was meant."""

import ast
import re
from dataclasses import dataclass

from tinyrnn.verdicts.repair.change import FORMULA, MISSING, PIECE, TOKEN
from tinyrnn.verdicts.repair.rewording import SCALE, Rewording
from tinyrnn.verdicts.repair.texts import (
    both_sides,
    given_in,
    given_to,
    is_own_call,
    names_in,
    only_given,
    sides_of,
    stem_of,
    values_in,
)

WORTH = {TOKEN: 1.6, PIECE: 1.1, FORMULA: 0.6, MISSING: 1.0}  # what a repair costs less if such an edit does it
NOTHING = 0.6  # and where the statement by itself does nothing
NEGATED = 0.2  # but for a minus, which may as well belong elsewhere
FACTS = {  # fact of an edit: what a repair costs less for it, or more, where that is below zero; times what it counts
    "completes_a_slope": 0.3,
    "breaks_a_slope": -0.3,
    "sets_both_sides": 1.0,
    "completes_a_pattern": 0.7,
    "breaks_a_pattern": -0.5,
    "completes_what_is_returned": 0.6,
    "completes_a_row": 2.0,
    "reads_the_unread": 2.0,
    "scales_as_beside": 1.4,
    "agreement": 1.0,
    "twins": 1.0,
    "takes_the_opposite": 2.5,
    "drops_a_turn": 0.5,
    "gathers": 0.5,
    "ends_an_idle_line": 1.5,
    "turns_what_stands_once": 0.3,
    "names_another": 3.0,
    "calls_the_uncalled": 1.0,
    "takes_out_another": -0.6,
    "fills_a_loop": 6.0,
    "drops_a_minus": 0.4,
    "counts_gradients": -2.0,
    "sums_what_was_averaged": 0.6,
    "multiplies_by_a_size": -1.0,
    "scales_by_a_counter": -2.0,
}
UNLIKELY = 0.2  # what it costs more if any of these holds
RATHER_ELSEWHERE = (
    "wraps_an_argument",
    "adds_again",
    "turns_what_repeats",
    "exchanges_targets",
    "reworks_what_is_taken",
    "scales_a_term",
    "gives_one_twice",
    "regroups",
    "turns_a_term",
)
IDLE = tuple(f" {op} {number}" for number in ("1", "1.0") for op in ("*=", "/="))
IDLE += tuple(f" {op} {number}" for number in ("0", "0.0") for op in ("+=", "-="))
ADDED_UP = re.compile(r"[\w.]+ \+ (\w+) if .* else \1")  # a gradient, to what there is of it
SEVERAL = 3  # names that may differ in statements that are alike


@dataclass
class Edit(Rewording):
    """An edit that makes all results right. place: (scope, line). change: TOKEN, PIECE or FORMULA. before, after:
    the statement. function, tree: whose source it is, and the edited one. masks: variables there that are
    zeros and ones. unread: those that nothing reads. completes_a_pattern: whether the statement looks like another one
    of the function then, and did not before. is_of_gradients: whether no value of the forward pass stands in it but
    sizes and other numbers. turns_what_repeats: whether the sides of a difference change places that stands in the
    function as it is once more. names_what_is_returned: whether the statement is none of the source but gives a name to
    what a `return` of this line gives. reads_gradients: whether something that it reads goes by a gradient's name.
    scales_as_beside: whether it multiplies or divides as the statement before or after it does. agreement: by how much
    more the names of what changes places in it agree with those on the other side of a call. names_another: whether it
    sets another variable. is_of_forward: whether it is of the forward pass. twins: how many more statements of the
    function are word for word the same then. breaks_a_pattern: whether something is taken out of one that looks like
    another one, and like none then. turns_a_difference: whether its sides change places. uncalled: the derivatives
    that what is at hand has, and that the function calls nowhere."""

    place: tuple
    change: int
    before: str
    after: str
    function: object
    tree: ast.FunctionDef
    masks: tuple = ()
    unread: frozenset = frozenset()
    completes_a_pattern: bool = False
    is_of_gradients: bool = False
    turns_what_repeats: bool = False
    counts_gradients: bool = False
    names_what_is_returned: bool = False
    reads_gradients: bool = False
    scales_as_beside: bool = False
    agreement: float = 0.0
    names_another: bool = False
    is_of_forward: bool = False
    twins: int = 0
    breaks_a_pattern: bool = False
    turns_a_difference: bool = False
    uncalled: frozenset = frozenset()

    @property
    def reads_the_unread(self):
        """Whether it puts in what is worked out, and what nothing reads."""
        return bool(self.unread & (values_in(given_in(self.after)) - values_in(given_in(self.before))))

    @property
    def calls_the_uncalled(self):
        """Whether it calls a derivative that what is at hand has, and that the function calls nowhere."""
        return bool(self.uncalled & (values_in(self.after) - values_in(self.before)))

    @property
    def completes_a_row(self):
        """Whether such a one belongs to others in the statement: dx2 to dx1, d_hidden_neg to d_hidden_pos."""
        put, before = self.unread & (names_in(self.after) - names_in(self.before)), names_in(self.before)
        return any(stem_of(name) == stem_of(other) for name in put for other in before)

    @property
    def takes_the_same_place(self):
        """Whether it takes the place in something that a statement like it takes, and took another one: `[0]` for `[1]`
        in `w = j * stride[1]`, beside `h = i * stride[0]`."""
        before, after = (re.findall(r"\w+|\S", text) for text in (self.before, self.after))
        if not self.only_numbers or len(before) != len(after):
            return False
        at = next(k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)
        others = [re.findall(r"\w+|\S", ast.unparse(one)) for one in ast.walk(self.tree) if isinstance(one, ast.Assign)]
        alike = [one for one in others if len(one) == len(before) and one != after and before[at - 1] == "["]
        alike = [one for one in alike if all(a == b or a.isidentifier() for a, b in zip(one, after, strict=True))]
        return any(sum(a != b for a, b in zip(one, after, strict=True)) <= SEVERAL for one in alike)

    @property
    def worth(self):
        """What a repair costs less if this does it."""
        nothing = (NEGATED if self.negates else NOTHING) * self.is_of_nothing * (1 + self.reads_the_unread)
        likely = sum(value * getattr(self, fact) for fact, value in FACTS.items())
        return WORTH[self.weight] + nothing + likely - UNLIKELY * any(getattr(self, one) for one in RATHER_ELSEWHERE)

    @property
    def turns_what_stands_once(self):
        """Whether the sides of a difference change places that does not stand in the function once more."""
        return self.turns_a_difference and not self.turns_what_repeats

    @property
    def weight(self):
        """How much it puts in: another number for a factor, and a mean for a sum, as much as a factor."""
        return max(self.change, PIECE) if self.only_scales or self.averages else self.change

    @property
    def scales_by_a_counter(self):
        """Whether it multiplies or divides by the counter of a loop: by chance the number that two turns lack."""
        targets = [node.target for node in ast.walk(self.tree) if isinstance(node, ast.For)]
        counters = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
        times = [
            sum(side in counters for pair in both_sides(text, ast.Mult | ast.Div) for side in pair)
            for text in (self.before, self.after)
        ]
        return times[1] > times[0]

    @property
    def ends_an_idle_line(self):
        """Whether the statement sets something to itself as it stands, `d = d`: it was meant to do more."""
        name, equals, value = self.before.partition(" = ")
        return bool(equals) and name == value

    @property
    def is_of_nothing(self):
        """Whether the statement only gives something another name, as forward passes often do, multiplies or divides by
        one, or adds zero."""
        if self.change == MISSING or self.names_what_is_returned:
            return False
        name, equals, value = self.before.partition(" = ")
        is_alias = bool(equals) and name.isidentifier() and value.replace(".", "").isidentifier()
        is_alias = is_alias and value.rpartition(".")[2] != name and not self.is_of_forward
        return is_alias or self.before.endswith(IDLE)

    @property
    def scales_again(self):
        """Whether it scales what is multiplied or divided by a number as it stands."""
        return self.scales and bool(re.search(SCALE, self.before))

    @property
    def scales_gradients(self):
        """Whether it scales what has no value of the forward pass in it, as the derivative of a power has."""
        return self.scales and self.is_of_gradients

    @property
    def turns_gradients(self):
        """Whether it turns the sign in a statement that has no value of the forward pass in it, where the sign of a
        derivative is not made."""
        return self.is_of_gradients and (self.negates or sides_of(self.before) == sides_of(self.after, turned=True))

    @property
    def forgets_an_argument(self):
        """Whether something else stands where the statement reads what the function is given under some name, and
        nothing reads that any more."""
        words = [len(re.findall(r"\w+", text)) for text in self.texts]
        if self.is_of_header or words[0] != words[1]:
            return False
        nodes = [node for node in ast.walk(self.tree) if isinstance(node, ast.Name)]
        read = {node.id for node in nodes if isinstance(node.ctx, ast.Load)}
        return bool({one.arg for one in self.tree.args.args} & names_in(self.before) - read)

    @property
    def is_factor(self):
        """Whether it puts in more than what is there, and no term of a sum."""
        return self.weight > TOKEN and not self.adds

    @property
    def regroups(self):
        """Whether it puts in nothing and takes nothing out, but a bracket ends elsewhere."""
        texts = self.before, self.after
        parts = [sorted(re.findall(r"[\w.]+|[^\s\w.()]+", text)) for text in texts]
        shapes = [re.sub(r"[\w.]+", "_", text) for text in texts]
        is_moved = [re.sub(r"[^()]", "", text) for text in texts] != ["", ""]
        return parts[0] == parts[1] and shapes[0] != shapes[1] and is_moved and not self.turns_a_difference

    @property
    def completes_what_is_returned(self):
        """Whether it makes one of several things that are returned what looks like others."""
        return self.completes_a_pattern and self.before.startswith("return ")

    @property
    def fills_a_loop(self):
        """Whether it puts something in a loop that does nothing."""
        return self.before == "pass"

    @property
    def alters_a_copy(self):
        """Whether it makes something else of a variable that a `return`, alone or in a box, or an assignment gives as
        it is, or adds to what there is, where that is a gradient: it rather belongs where the variable is worked out,
        but for a gradient that nothing reads and is added."""
        _, equals, value = self.before.partition(" = ")
        if not equals:
            value = self.before.removeprefix("return ") if self.before.startswith("return ") else ""
        if self.before.startswith("return ") and value in only_given(self.tree):
            return False
        is_plain = bool(value) and not re.search(r"[^\s\w.,:'\"{}()\[\]]|\w\(", value)
        is_plain |= bool(ADDED_UP.fullmatch(value))
        alters = bool(re.search(r"[-+*/@]|\.T\b|\w\(", self.after))
        adds = self.reads_the_unread and " + " in self.after
        return self.reads_gradients and is_plain and alters and not (adds or self.is_of_nothing)

    @property
    def wraps_an_argument(self):
        """Whether something is put around what a function other than NumPy's is given: `f(x ** 2)` for `f(x)`; but for
        what is there and never read and is added to it, as to what a step is given."""
        if self.adds and self.reads_the_unread:
            return False
        calls = [
            [node for node in ast.walk(ast.parse(text)) if is_own_call(node)] for text in (self.before, self.after)
        ]
        for old, new in zip(*calls, strict=False):
            for before, after in zip(given_to(old), given_to(new), strict=False):
                if ast.unparse(before) in ast.unparse(after) and ast.dump(before) != ast.dump(after):
                    return True
        return False

"""What a value of a backward pass can be explained as: the gradient of something, whatever its name and layout.

Whether two arrays agree is asked of one number of each, its product with a fixed random vector, so that of a gradient
nothing is needed but the derivative along that vector: one run of the forward pass, not one for each entry. What agrees
is compared along a second vector, which makes chance agreement as good as impossible.
"""

import functools
from itertools import combinations, permutations

import numpy as np

from tinyrnn.checking.numeric import COMPLEX_STEP
from tinyrnn.verdicts.record.truth import Nudge
from tinyrnn.verdicts.repair.pace import pace_of
from tinyrnn.verdicts.repair.shares import Shares

TOTAL, PART, PARTIAL = 1.0, 0.95, 0.9  # what it is worth that a value is the gradient of a value with a name, of one
# without, of one of its uses
NEGATIVE, GIVEN, SUM = 0.85, 0.8, 0.0  # the negative of one; what comes from above, or of the forward pass; a sum
MIXED = 0.79  # what comes from above in one step and is a gradient in others
MOST_SLOPES = 4000  # runs of the forward pass; what is later in it is not known then
MOST_AXES = 3  # along which an array may be laid out over time
MOST_IDLE = 150  # of them in a row that change nothing: in the same function the backward pass follows
MOST_BEHIND = 50  # events behind the last value with a name that changes something
MOST_USES = 6  # of more, sums of some of them are not looked for
MOST_BLOCKS = 4  # blocks side by side
MOST_SHARED = 150  # values of which the shares of single outputs are worked out
MOST_BY_OUTPUTS = 600  # where the backward pass may go back from each output by itself
VALUES = ("assign", "augment", "transform", "argument", "item", "item-augment", "refill", "value", "operand", "part")
STEP = 1e-5  # of central differences, relative to the value


@functools.cache
def direction(size, nth):
    """The nth fixed random vector of a size."""
    return np.random.default_rng((size, nth)).normal(size=size)


def mark(flat, nth):
    """The product of a flat array with the nth vector; of complex numbers, its real and then its imaginary part."""
    number = flat @ direction(flat.size, nth)
    return number.imag if nth and np.iscomplexobj(number) else number.real


def is_array(value):
    """Whether a recorded value is numbers, and some."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc" and value.size > 0


class Known:
    """The gradients of all values of a forward pass and of their uses, the values themselves, and what is given.

    truth: of the forward pass, made with uses. above: arrays that come from above. inputs: {name: gradient}.
    is_one: whether the backward pass is in the same function, and begins when the loss is there. by_outputs: whether it
    may go back from each output by itself.
    """

    def __init__(self, truth, above, inputs, is_one=False, by_outputs=False):
        self.truth, self.is_one = truth, is_one
        self.tolerance = 1e-7 if truth.by_complex_step else 1e-5
        self.slopes = {}
        self.table = {}  # size -> [(number along the first vector, worth, function: -> number along the second)]
        for array in (*above, *inputs):
            self.add_array(array, GIVEN if any(array is one for one in above) else TOTAL)
        self.add_gradients()
        self.add_shares(MOST_BY_OUTPUTS if by_outputs else MOST_SHARED)
        self.sorted = {}
        for size, rows in self.table.items():
            rows.sort(key=lambda row: row[0])
            self.sorted[size] = np.array([row[0] for row in rows])

    # what is known -------------------------------------------------------------------------------------------------

    def add_array(self, array, worth):
        """An array that is at hand, and its slices in time."""
        for part in (array, *slices(array)):
            flat = np.ascontiguousarray(part).ravel()
            self.add(flat.size, mark(flat, 0), worth, lambda flat=flat: mark(flat, 1))

    def add(self, size, number, worth, second):
        """One thing that is known; not where it is zero or no number."""
        if np.isfinite(number) and number:
            self.table.setdefault(size, []).append((number, worth, second))

    def add_gradients(self):
        """The gradients of all values and uses, sums of them, and the values."""
        self.work_out_slopes()
        uses, seen = {}, set()  # the number of the event that gave a value -> those of its uses
        latest = {}
        for event in self.truth.events:
            if not is_array(event.value):
                continue
            place = event.site.scope, event.call, event.site.name
            if event.site.kind in VALUES and event.site.name:
                latest[place] = event.number
            if event.site.kind == "use" and place in latest:
                uses.setdefault(latest[place], []).append(event.number)
            slope = self.slopes.get((event.number, 0), np.nan)
            is_exp = event.site.calls == "exp" and event.site.kind == "operand"
            if is_exp or event.site.calls == "-":  # 1 / (1 + exp(-x @ W)), which is (-x) @ W; the sign may come later
                worth = PARTIAL if is_exp else NEGATIVE
                self.add(event.value.size, -slope, worth, lambda n=event.number: -self.slope(n, 1))
            if event.site.calls == "mean":
                self.add_rows(event)
            worth = PARTIAL if event.site.kind not in VALUES else TOTAL if event.site.name else PART
            self.add(event.value.size, slope, worth, lambda n=event.number: self.slope(n, 1))
        for numbers in uses.values():
            if 2 < len(numbers) <= MOST_USES:
                for count in range(2, len(numbers)):
                    for some in combinations(numbers, count):
                        self.add_sum(some)
        for event in self.forward_events():
            if is_array(event.value):
                self.add_value(event, seen)
        self.add_running_sums()

    def work_out_slopes(self):
        """Work out the slopes of values, those with a name first, until they are too many or take too long."""
        last = None  # number of the last event with a name that changes something
        arrays = [event for event in self.truth.events if is_array(event.value)]
        named = [event for event in arrays if event.site.kind in VALUES and event.site.name]
        numbers = {event.number for event in named}
        most = MOST_SLOPES * pace_of(len(self.truth.events), [event.value for event in named])
        others = [event for event in arrays if event.number not in numbers]
        for several in (named, others):
            idle = 0
            for event in several:
                is_late = several is others and last is not None and event.number > last + MOST_BEHIND
                if len(self.slopes) >= most or is_late or idle >= MOST_IDLE:
                    break
                idle = idle + 1 if self.slope(event.number, 0) == 0 else 0
                last = event.number if several is named and not idle else last

    def add_rows(self, event):
        """What comes back for what is averaged along an axis: the same for all along it, and so each by itself."""
        shape = event.value.shape
        for axis, length in enumerate(shape if len(shape) > 1 else ()):
            rest = shape[:axis] + shape[axis + 1 :]

            def row(nth, weights, axis=axis, rest=rest):
                along = np.expand_dims(direction(int(np.prod(rest)), nth).reshape(rest), axis)
                weights = np.expand_dims(weights, [k for k in range(len(shape)) if k != axis])
                return self.derivative(event.number, weights * along, max(abs(event.value).max(), 1.0))

            number = row(0, np.full(length, 1 / length))
            uneven = row(0, np.arange(length) - (length - 1) / 2)
            if abs(uneven) <= self.tolerance * abs(number):
                self.add(int(np.prod(rest)), number, PARTIAL, lambda n=length, row=row: row(1, np.full(n, 1 / n)))

    def forward_events(self):
        """The events of the forward pass: all, or those that the loss depends on; a penalty may be added to it behind
        the backward pass."""
        events = self.truth.events
        return [events[number] for number in self.moving()] if self.is_one else events

    def lines(self):
        """{(scope, line)} that give a value which the loss depends on, or of none of whose values that is known, as of
        a mask; but not in a function of which it depends on nothing where it is known."""
        events, moving = self.truth.events, self.moving()
        known = {events[k].site for (k, nth), slope in self.slopes.items() if nth == 0 and np.isfinite(slope)}
        told = [events[k].site for k in moving if np.isfinite(self.slopes[k, 0])]
        idle = {site.scope for site in known} - {site.scope for site in told}
        untold = [events[k].site for k in moving if events[k].site not in known and events[k].site.scope not in idle]
        return {(site.scope, site.line) for site in (*told, *untold)}

    def moving(self):
        """The numbers of the events that give a value which the loss depends on."""
        events, slopes = self.truth.events, self.slopes.items()
        return [k for (k, nth), slope in slopes if nth == 0 and slope and events[k].site.kind in VALUES]

    def add_value(self, event, seen):
        """A value of the forward pass, each only once."""
        flat = event.value.ravel()
        number = mark(flat, 0)
        if (flat.size, number) not in seen:
            seen.add((flat.size, number))
            self.add(flat.size, number, GIVEN, lambda: mark(flat, 1))

    def add_sum(self, numbers):
        """The sum of several gradients."""
        size = self.truth.events[numbers[0]].value.size
        if any((n, 0) not in self.slopes for n in numbers):
            return
        total = sum(self.slope(n, 0) for n in numbers)
        self.add(size, total, SUM, lambda: sum(self.slope(n, 1) for n in numbers))

    def add_running_sums(self):
        """Of what is used again and again in one place, the sums from the last use back."""
        times = {}
        for event in self.truth.events:
            if event.site.kind in ("use", "part") and is_array(event.value):
                times.setdefault((event.site, event.value.shape), []).append(event.number)
        for numbers in times.values():
            for k in range(len(numbers) - 1):
                self.add_sum(numbers[k:])

    def add_shares(self, most):
        """The shares of single outputs in the gradients; the sums of these over what one place gives or uses; and those
        over the later outputs, which is what comes back through the state. most: values to do so for, else none."""
        slopes = {n: slope for (n, nth), slope in self.slopes.items() if nth == 0}
        if sum(map(bool, slopes.values())) > most:
            return
        shares = Shares(self.truth, slopes, lambda number: self.along(number, 0))
        second = functools.cache(lambda number: shares.of(number, self.along(number, 1)))
        sums = {}  # (site, shape, output) -> [(number of an event, share)]
        for number in slopes if shares.outputs else ():
            event = self.truth.events[number]
            found = shares.of(number, self.along(number, 0)) if slopes[number] else {}
            moved = sorted(output for output, share in found.items() if share)
            for later in (moved[k:] for k in range(1, len(moved) - 1)):
                total = sum(found[output] for output in later)
                self.add(event.value.size, total, PARTIAL, lambda n=number, some=later: sum(second(n)[o] for o in some))
            for output, share in found.items():
                self.add(event.value.size, share, PARTIAL, lambda n=number, o=output: second(n)[o])
                if share:
                    sums.setdefault((event.site, event.value.shape, output), []).append((number, share))
        for (_, shape, output), several in sums.items():
            for k in range(len(several) - 1):
                some = several[k:]
                total, some = sum(share for _, share in some), [number for number, _ in some]
                self.add(int(np.prod(shape)), total, PARTIAL, lambda s=some, o=output: sum(second(n)[o] for n in s))

    def along(self, number, nth):
        """The nth random vector in the shape of the value at a forward event; of a complex one the second turned."""
        value = self.truth.events[number].value
        turn = 1j if nth and np.iscomplexobj(value) else 1
        return direction(value.size, nth).reshape(value.shape) * turn

    def slope(self, number, nth):
        """The derivative of the loss when the value at a forward event moves along the nth vector; NaN if unknown."""
        if (number, nth) not in self.slopes:
            scale = max(abs(self.truth.events[number].value).max(), 1.0)
            self.slopes[number, nth] = self.derivative(number, self.along(number, nth), scale)
        return self.slopes[number, nth]

    def derivative(self, number, along, scale):
        """dloss/ds of the value at an event + s along."""
        truth = self.truth

        def loss(step):
            inputs = truth.complex_inputs(np.iscomplexobj(step))
            watch = Nudge(truth.events, [number], step * along)
            return truth.value(lambda p: truth.call(p, **inputs), watch, np.iscomplexobj(step))

        try:
            if truth.by_complex_step:
                return truth.complex_value(lambda: loss(np.complex128(1j * COMPLEX_STEP))).imag / COMPLEX_STEP
            return float(np.real(loss(STEP * scale) - loss(-STEP * scale)) / (2 * STEP * scale))
        except Exception:  # what is moved may be an index, or a key of somebody's dict
            return np.nan

    # what a value is -----------------------------------------------------------------------------------------------

    def explained(self, value):
        """(worth, what it is: something to compare) of a value; None if nothing explains it."""
        if (found := self.any_layout(value)) is not None:
            return found
        for axis, count in splittings(value.shape):
            blocks = [self.any_layout(block) if block.any() else (SUM, ()) for block in np.split(value, count, axis)]
            full = [block for block in blocks if block is None or block[1]]
            if None not in blocks and len(set(full)) == len(full):  # one thing again and again is none of many steps
                worths = {worth for worth, _ in full}  # the state before the first step may be zeros
                worth = GIVEN if worths == {GIVEN} else min(worth for worth, _ in blocks)
                worth = MIXED if worth == GIVEN != max(worths) else worth
                return worth, tuple(what for _, what in blocks)
        return None

    def find(self, value, along):
        """A true gradient whose product with `along` is that of `value`, laid out as `value` is; None if there is none.

        along: shaped like value, and zero in what is not known of it.
        """
        wanted, allowed = (value * along).sum(), self.tolerance * np.linalg.norm(value) * np.linalg.norm(along)
        for event in self.truth.events:
            for turn in TURNS:
                if not is_array(event.value) or turn(event.value).shape != value.shape:
                    continue
                slope = self.derivative(event.number, turn(along), max(abs(event.value).max(initial=0), 1.0))
                if abs(slope - wanted) <= allowed and abs(wanted) > allowed:
                    return turn(self.truth.of_events([event.number], event.value.shape))
        return None

    def any_layout(self, value):
        """`look_up` in whatever layout is found first."""
        return next((found for flat in layouts(value) if (found := self.look_up(flat)) is not None), None)

    def look_up(self, flat):
        """(worth, what it is) of a flat array that is known as it is; None if it is not."""
        numbers = self.sorted.get(flat.size)
        if numbers is None or not np.isfinite(flat).all():
            return None
        allowed = self.tolerance * np.linalg.norm(flat) * np.sqrt(flat.size)
        number = mark(flat, 0)
        first, last = np.searchsorted(numbers, [number - allowed, number + allowed])
        there = [row for row in self.table[flat.size][first:last] if abs(row[2]() - mark(flat, 1)) <= allowed]
        return (max(row[1] for row in there), (flat.size, first)) if there else None


TURNS = (lambda a: a, lambda a: a.T)


def layouts(value):
    """A value's numbers as flat arrays, in every order of its axes."""
    long = [axis for axis, length in enumerate(value.shape) if length > 1]
    squeezed = value.reshape([value.shape[axis] for axis in long])
    for order in permutations(range(squeezed.ndim)) if squeezed.ndim <= 3 else [range(squeezed.ndim)]:
        yield np.ascontiguousarray(squeezed.transpose(order)).ravel()
    if squeezed.ndim == 3:  # a kernel that is turned round
        yield np.ascontiguousarray(squeezed[..., ::-1]).ravel()


def slices(array):
    """The parts of an array along each of its first axes, if it may be laid out over time: along any, as an image is,
    or states that stand side by side."""
    if array.ndim >= 2:
        for axis in range(min(array.ndim, MOST_AXES)):
            yield from np.moveaxis(array, axis, 0)


def splittings(shape):
    """(axis, number of equal parts) in which an array may be a row of others: of steps in time, or of gates."""
    for axis, length in enumerate(shape):
        if len(shape) > 1 and length > 1 and np.prod(shape) > length:
            yield axis, length
        for count in range(2, MOST_BLOCKS + 1):
            if length % count == 0 and length > count:
                yield axis, count

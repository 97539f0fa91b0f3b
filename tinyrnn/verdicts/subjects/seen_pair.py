"""The problem of a forward and a backward function as their own file calls them."""

import numpy as np

from tinyrnn.sources.calling import Unclear
from tinyrnn.sources.copying import deep_copy
from tinyrnn.sources.inputs.made_up import MOST_ENTRIES
from tinyrnn.sources.inputs.values import stir
from tinyrnn.sources.seen.origins import is_same
from tinyrnn.sources.seen.passes import passes_seen
from tinyrnn.sources.vocabulary import role_of
from tinyrnn.verdicts.record.came import returned_arrays, stored_arrays
from tinyrnn.verdicts.record.run import arrays_of
from tinyrnn.verdicts.subjects.functions import FunctionPair
from tinyrnn.verdicts.subjects.upstream import scaled


class SeenPair(FunctionPair):
    """Judges two functions with the inputs, on the object, and in the way in which they were seen to be called.

    seen: a `SeenCall`. The rest is that of `FunctionPair`, whose functions are methods of the object of that call.
    """

    def __init__(self, seen, forward, backward, inputs, **options):
        self.seen = seen
        if seen.arguments is not None and seen.loss is not None:
            self.losses = (seen.loss[0],)
        super().__init__(forward, backward, inputs, **options)

    def passes_told(self, program, ran):
        """As seen; as names tell where no backward call was seen."""
        if self.seen.arguments is None:
            return super().passes_told(program, ran)
        f, b = self.functions_judged
        made = passes_seen(f, b, self.seen, ran.returned, lambda passes: self.is_linear(program, ran, passes))
        if made.measure is None:
            self.losses = ()
        return made

    def backward_pass(self, program, result):
        """That of `FunctionPair`; gradients of a loss of real size are not clipped: none can be made so small that they
        need not be."""
        program.numpy.is_unclipped = not self.passes.above
        try:
            return super().backward_pass(program, result)
        finally:
            program.numpy.is_unclipped = False

    def is_linear(self, program, ran, passes):
        """Whether nothing comes out of the backward pass where zero comes from above; and the forward pass gives what
        it gave when it was seen, so that what else is taken from there fits."""
        outputs, _ = passes.split(ran.returned)
        likes = [
            passes.likes.get(place, out) for place, out in zip(sorted({*passes.above.values()}), outputs, strict=True)
        ]
        zero = [scaled(np.asarray(like) if isinstance(like, float) else like, 0.0) for like in likes]
        made = self.but(passes=passes)
        if self.seen.returned is not None and not is_same(self.seen.returned, ran.returned):
            return False
        back = made.ran_back(program, ran, zero)
        if back is None:
            return False
        came = [*returned_arrays(back[0]), *(one for one in stored_arrays(back[1]) if one.name)]
        arrays = [one.array for one in came if not one.is_stub]
        return bool(arrays) and not any(array.any() for array in arrays)

    @property
    def may_be_stirred(self):
        """Whether nothing that the backward pass is given belongs to the very numbers of the call that was seen."""
        given = [what for kind, what in self.passes.call.values() if kind == "value"]
        return self.passes.measure is not None or not any(True for _ in arrays_of(given))


def seen_pair(seen, forward, backward, **options):
    """The `SeenPair` of two functions, or names of methods. Arrays that are zero, such as biases and first states, get
    numbers, as zeros hide mistakes, where that changes nothing else. ValueError if its arrays are too large."""

    def made(inputs, owner):
        methods = [f if owner is None else getattr(owner, f.__name__) for f in (forward, backward)]
        return SeenPair(seen, *methods, inputs, **options)

    problem = made(seen.inputs, seen.owner)
    entries = sum(array.size for array in problem.inputs.values())
    if entries > MOST_ENTRIES:
        raise ValueError(f"{seen.what} has {entries} entries, too many to be judged in time")
    if not problem.may_be_stirred:
        return problem
    inputs, owner = deep_copy([seen.inputs, seen.owner])
    stir({name: value for name, value in inputs.items() if role_of(name, list(inputs))[0] == "state"}, options["rng"])
    stir({} if owner is None else vars(owner), options["rng"])
    try:
        return made(inputs, owner)
    except (Unclear, ValueError):
        return problem

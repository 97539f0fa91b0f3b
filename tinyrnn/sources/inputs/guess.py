"""Makes up inputs for a forward function.

What docstrings and names leave open is found by trying: of all ways in which the arrays may lie, the first in which
forward and backward pass run and each gradient has the shape of what it is the gradient of; else what comes closest.
"""

import ast
from copy import deepcopy
from itertools import product

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.sources import NoSource, read
from tinyrnn.sources.deadline import one_run
from tinyrnn.sources.inputs.arguments import ADVICE, arguments_of
from tinyrnn.sources.inputs.around import NOTHING
from tinyrnn.sources.inputs.shapes import Sizes, worlds
from tinyrnn.sources.inputs.values import DoesNotFit, ValueMaker, forms, listed, nested
from tinyrnn.sources.vocabulary import INTEGER_WORDS, TAKES_CLASSES, size_of_name

MOST_TRIED = 12  # ways that run, of which the one that fits best is taken


def guess(
    function, docs, run, wrong_shapes, *, rng=0, T=None, B=None, maker=None, given=None, there=NOTHING, backward=None
):
    """Arguments for `function`, unless these are given; for the construction of an object of the class `maker` too.

    docs: docstrings that may describe the arguments. run(values, made_with): a call of the forward function, to see
    whether it works. wrong_shapes(values, made_with) -> number of gradients that do not fit. T, B: time steps and
    sequences. there: the weights that are there already, `Around`, which D and H have to fit. backward: the
    function whose source says more of the same arguments.

    Returns (values, values for maker, sizes), the first two by name. Raises ValueError naming the arguments that
    nothing is known of; or, if no attempt works, the error of the likeliest.
    """
    best, tried, seen, first_error = None, 0, set(), None
    for values, constructor, sizes in attempts(
        function, docs, maker, given, all_sizes(T, B, there), as_rng(rng), backward
    ):
        form = repr((forms((values, constructor)), sizes.get("classes")))
        if form in seen:
            continue
        seen.add(form)
        try:
            with one_run():
                if is_undefined(run(deepcopy(values), deepcopy(constructor))):
                    values = positive(values)  # it takes a logarithm or a root, of probabilities presumably
                    run(deepcopy(values), deepcopy(constructor))
        except Exception as error:
            first_error = first_error or (error, values)
            continue
        with one_run():
            score = wrong_shapes(deepcopy(values), deepcopy(constructor))
        if best is None or score < best[0]:
            best = score, values, constructor, sizes
        tried += 1
        if score == 0 or tried == MOST_TRIED:
            break
    if best is None:
        error, values = first_error
        error.add_note(f"with inputs that were made up: {listed(values)}; if these make no sense, {ADVICE}")
        raise error
    return best[1:]


def is_undefined(returned):
    """Whether some number that a function returns is NaN, which no gradient can be compared with."""
    return any(np.isnan(v).any() for v in nested(returned) if isinstance(v, float) or is_floats(v))


def positive(values):
    """The same arguments with arrays of numbers between 0 and 1 in place of those of any sign."""
    return {
        name: 0.1 + 0.8 * np.abs(value) / np.abs(value).max() if is_floats(value) else value
        for name, value in values.items()
    }


def is_floats(value):
    """Whether a value is an array of floats with something in it."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size > 0


def all_sizes(T, B, there):
    """The `Sizes` worth trying: those that fit what is there, in which no two are the same if that can be."""
    pairs = sorted(product(there.lengths, repeat=2), key=lambda pair: pair[0] == pair[1])
    found = [Sizes(T, B, D, H) for D, H in pairs]
    for sizes in found:
        sizes["classes"] = there.classes
    return found if found and there.certain else [*found, Sizes(T, B)]


def attempts(function, docs, maker, given, all_sizes, rng, backward=None):
    """All sets of values worth trying, as (arguments, arguments of the constructor, sizes)."""
    for sizes in all_sizes:
        owner, also = maker or type(getattr(function, "__self__", None)), () if backward is None else (backward,)
        own = arguments_of(function, docs, sizes, owner, also) if given is None else []
        made_with = [] if maker is None else arguments_of(maker, docs, sizes)
        unknown = [name for a in (*made_with, *own) for name in a.unknown]
        if unknown:
            raise ValueError(
                f"no idea what to give {function.__qualname__} as {', '.join(unknown)}: say the shape in its "
                f"docstring, as in x (N, D), or {ADVICE}"
            )
        for classes in bounds(own, made_with, sizes):
            tried = deepcopy(sizes)
            tried.update({} if classes is None else {"classes": classes})
            for made in values_of(function, own, made_with, tried, rng):
                constructor = {a.name: made[a.name] for a in made_with}
                yield {a.name: made[a.name] for a in own} if given is None else given, constructor, tried


def bounds(own, made_with, sizes):
    """What class numbers may have to stay below: the size of a vocabulary, if one is given, or any size; [None] where
    there are none."""
    if not any(a.use.kind == "class" for a in (*own, *made_with)):
        return [None]
    if "classes" in sizes:
        return [sizes["classes"]]
    if any(a.role == "V" or (a.role == "size" and size_of_name(a.name) == "V") for a in (*own, *made_with)):
        return [sizes["V"]]
    return sorted({sizes[letter] for letter in "VCHD"}, reverse=True)


def values_of(function, own, made_with, sizes, rng):
    """All sets of values of these sizes, {name: value}."""
    words = " ".join([function.__qualname__, *(a.said for a in own if a.role == "y")]).lower()
    as_numbers = any(word in words for word in TAKES_CLASSES + INTEGER_WORDS) and "one-hot" not in words
    as_numbers = as_numbers or any(a.role == "y" and a.use.kind == "class" for a in own)
    ways = ("numbers", "one-hot") if as_numbers else ("one-hot", "numbers")
    ways = (*ways, "outputs") if any(a.role == "y" for a in own) else ways[:1]
    steps = next((a.use.steps for a in own if a.use.steps and a.role in ("x", None)), None)
    tells = ("docs", "") if all(a.taken is None for a in own) else ("source", "docs", "")
    for told in tells:
        for world in worlds(has_loop(function), is_single(own), steps):
            for labels in ways:
                try:
                    yield ValueMaker(world, labels, told, sizes, rng).values([*made_with, *own])
                except DoesNotFit:
                    continue
                except KeyError:
                    return


def is_single(own):
    """Whether a function takes one sequence: its words one by one, steps as slices of one column, or a state whose
    shape has to end in 1."""
    words = any(a.use.kind == "class" and a.use.path == ("i",) and a.role != "y" for a in own)
    slices = any(a.use.steps and "c" in a.use.steps and len(a.use.steps) < 3 for a in own)
    return words or slices or any(a.use.asserted and a.use.asserted[-1] == 1 for a in own)


def has_loop(function):
    """Whether there is a loop in the source of a function; not where there is no source."""
    try:
        tree = read(function)
    except NoSource:
        return False
    return any(isinstance(node, ast.For | ast.While) for node in ast.walk(tree))

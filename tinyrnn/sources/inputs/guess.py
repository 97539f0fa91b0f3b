"""Makes up inputs for a forward function.

What docstrings and names leave open is found by trying: of all ways in which the arrays may lie, the first in which
forward and backward pass run and each gradient has the shape of what it is the gradient of; else what comes closest.
"""

import ast
from copy import deepcopy
from itertools import product

from tinyrnn.core.backend import as_rng
from tinyrnn.sources import NoSource, read
from tinyrnn.sources.deadline import one_run
from tinyrnn.sources.inputs.arguments import ADVICE, arguments_of
from tinyrnn.sources.inputs.shapes import Sizes, worlds
from tinyrnn.sources.inputs.values import ValueMaker, forms, listed
from tinyrnn.sources.vocabulary import INTEGER_WORDS, TAKES_CLASSES

MOST_TRIED = 12  # ways that run, of which the one that fits best is taken


def guess(function, docs, run, wrong_shapes, *, rng=0, T=None, B=None, maker=None, given=None, lengths=()):
    """Arguments for `function`, unless these are given; for the construction of an object of the class `maker` too.

    docs: docstrings that may describe the arguments. run(values, made_with): a call of the forward function, to see
    whether it works. wrong_shapes(values, made_with) -> number of gradients that do not fit. T, B: time steps and
    sequences. lengths: those that D and H must be among, as the weights are there already.

    Returns (values, values for maker, sizes), the first two by name. Raises ValueError naming the arguments that
    nothing is known of; or, if no attempt works, the error of the likeliest.
    """
    best, tried, seen, first_error = None, 0, set(), None
    for values, constructor, sizes in attempts(function, docs, maker, given, all_sizes(T, B, lengths), as_rng(rng)):
        form = repr(forms((values, constructor)))
        if form in seen:
            continue
        seen.add(form)
        try:
            with one_run():
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


def all_sizes(T, B, lengths):
    """The `Sizes` worth trying."""
    if not lengths:
        return [Sizes(T, B)]
    return [Sizes(T, B, D, H) for D, H in product(lengths, repeat=2)]


def attempts(function, docs, maker, given, all_sizes, rng):
    """All sets of values worth trying, as (arguments, arguments of the constructor, sizes)."""
    for sizes in all_sizes:
        own = arguments_of(function, docs, sizes) if given is None else []
        made_with = [] if maker is None else arguments_of(maker, docs, sizes)
        unknown = [name for a in (*made_with, *own) for name in a.unknown]
        if unknown:
            raise ValueError(
                f"no idea what to give {function.__qualname__} as {', '.join(unknown)}: say the shape in its "
                f"docstring, as in x (N, D), or {ADVICE}"
            )
        for made in values_of(function, own, made_with, sizes, rng):
            constructor = {a.name: made[a.name] for a in made_with}
            yield {a.name: made[a.name] for a in own} if given is None else given, constructor, sizes


def values_of(function, own, made_with, sizes, rng):
    """All sets of values of these sizes, {name: value}."""
    words = " ".join([function.__qualname__, *(a.said for a in own if a.role == "y")]).lower()
    as_numbers = any(word in words for word in TAKES_CLASSES + INTEGER_WORDS) and "one-hot" not in words
    ways = ("numbers", "one-hot") if as_numbers else ("one-hot", "numbers")
    ways = (*ways, "outputs") if any(a.role == "y" for a in own) else ways[:1]
    for use_docs in (True, False):
        for world in worlds(has_loop(function)):
            for labels in ways:
                try:
                    yield ValueMaker(world, labels, use_docs, sizes, rng).values([*made_with, *own])
                except KeyError:
                    return


def has_loop(function):
    """Whether there is a loop in the source of a function; not where there is no source."""
    try:
        tree = read(function)
    except NoSource:
        return False
    return any(isinstance(node, ast.For | ast.While) for node in ast.walk(tree))

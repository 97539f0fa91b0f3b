"""Whether a helper of a backward pass is right by itself: the derivative of an activation, given what that is given or
what it gave. A line that gives it something else is at fault then, and not the helper."""

import copy
import inspect
import re
import warnings

import numpy as np

from tinyrnn.sources.deadline import TooLong, cut_off

OF_GIVEN = "of what is given"
STEP = 1e-5  # of the central differences
CLOSE = 1e-6
SECONDS = 1.0
ACTIVATES = ("__call__", "forward", "activate", "activation", "function", "func", "apply")  # methods beside a helper
SLOPE = re.compile(r"_?(prime|deriv\w*|grad\w*|slope)$")
STANDARD = {  # words in a helper's name: what it may be the derivative of
    "tanh": np.tanh,
    "sigm": lambda x: 1 / (1 + np.exp(-x)),
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "softplus": lambda x: np.log1p(np.exp(x)),
}


def is_right_by_itself(function, owner=None):
    """Whether a function is an activation's derivative, or that times what it is given besides: `OF_GIVEN` of one that
    is given what the activation is given. owner: the object whose method it is, of which a copy is called."""
    x, above = np.random.default_rng(1).normal(size=(2, 2, 3))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with cut_off(SECONDS):
                owner = copy.deepcopy(owner)
                if hasattr(type(owner), "original"):  # its methods report to nobody now
                    owner.__class__ = type(owner).original
                helper = bound(function, owner)
                given = len(inspect.signature(helper).parameters)
                for activation in activations(function, owner) if given < 3 else ():
                    y, slope = activation(x.copy()), differences(activation, x)
                    for arguments, wanted in calls(given, x, y, above, slope) if np.ptp(slope) > 0 else ():
                        activation(x.copy())  # which an object may keep
                        may_be = wanted is not slope or not is_linear(helper, arguments)
                        if gives(helper, arguments, wanted) and may_be:
                            return OF_GIVEN if any(one is x for one in arguments) else True
        except (Exception, SystemExit, TooLong):
            return False
    return False


def bound(function, owner):
    """A function as it is called: of an object, its method."""
    takes_owner = owner is not None and next(iter(inspect.signature(function).parameters), "") in ("self", "cls")
    return function.__get__(owner) if takes_owner else function


def activations(function, owner):
    """The functions of one array that by its name a helper is the derivative of, the likeliest first."""
    name, (*around, _) = function.__name__.lower(), function.__qualname__.split(".")
    if owner is None and len(around) == 1:  # a method of no object
        cls = function.__globals__.get(around[0])
        static = [
            one for other in ACTIVATES if isinstance(one := getattr(cls, "__dict__", {}).get(other), staticmethod)
        ]
        yield from (one.__func__ for one in static if is_of_one(one.__func__))
    if owner is not None:
        yield from (getattr(owner, other) for other in ACTIVATES if other != name and hasattr(owner, other))
    stem = SLOPE.sub("", name)  # of gprime, that of g or gfunc
    stems = (stem, f"{stem}func") if stem not in ("", name) else ()
    for other, value in function.__globals__.items():
        is_named = (len(other) > 2 and other.lower() != name and other.lower() in name) or other.lower() in stems
        if is_named and inspect.isfunction(value) and is_of_one(value):
            yield value
    words = function.__qualname__.lower() if owner is None else name + type(owner).__name__.lower()
    yield from (activation for word, activation in STANDARD.items() if re.search(word, words))


def is_of_one(function):
    """Whether a function takes one argument."""
    return len(inspect.signature(function).parameters) == 1


def differences(activation, x):
    """The derivative of a function of single numbers, by central differences."""
    return (np.asarray(activation(x + STEP)) - np.asarray(activation(x - STEP))) / (2 * STEP)


def calls(given, x, y, above, slope):
    """What a helper of so many arguments may be given, and what it gives then: the derivative for what the activation
    is given, gave or kept; or the product of that and what comes from above, in either order."""
    if given == 0:
        yield (), slope
    if given == 1:
        yield from (((x,), slope), ((y,), slope), ((above,), above * slope))
    if given == 2:
        yield from ((pair, above * slope) for value in (x, y) for pair in ((above, value), (value, above)))
        yield from ((pair, slope) for pair in ((x, y), (None, y), (x, None)))


def is_linear(helper, arguments):
    """Whether twice the one argument gives twice as much: that is what comes from above, and no value of before."""
    return len(arguments) == 1 and gives(helper, (2 * arguments[0],), 2 * np.asarray(helper(arguments[0].copy())))


def gives(helper, arguments, wanted):
    """Whether a helper gives what is wanted of it for some arguments."""
    try:
        found = np.asarray(helper(*(one if one is None else one.copy() for one in arguments)), dtype=float)
    except (Exception, SystemExit):
        return False
    return found.shape == wanted.shape and bool(np.allclose(found, wanted, rtol=CLOSE, atol=CLOSE))

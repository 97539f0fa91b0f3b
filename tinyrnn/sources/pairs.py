"""What there is to judge in a module: functions that belong together by their names, classes, cells, losses."""

import ast
import inspect
from typing import NamedTuple

from tinyrnn.core.cell import Cell
from tinyrnn.sources import read
from tinyrnn.sources.reading import NoSource, are_neighbours, is_lambda
from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import (
    BACKWARD,
    CACHE_NAMES,
    DERIVATIVE,
    FORWARD,
    GRADIENTS,
    LOSS,
    stems,
    words_in,
    words_of,
)

EXAMPLE = "define foo_forward(x, ...) and foo_backward(dout, cache), or a class with methods forward and backward"


class Pair(NamedTuple):
    """A forward pass and its backward pass; the same function twice if it returns a loss and its gradients."""

    forward: object
    backward: object


def find(module):
    """([what can be judged: `Pair`s, classes with forward and backward, cells], [functions without a partner])."""
    own = [m for m in dict.fromkeys(hashable(vars(module))) if getattr(m, "__module__", None) == module.__name__]
    functions = [member for member in own if inspect.isfunction(member) and not is_lambda(member)]
    classes = [member for member in own if inspect.isclass(member)]
    pairs, unpaired = [], []
    for backward in functions:
        words = words_of(backward)
        if words & BACKWARD or words & DERIVATIVE:
            every = [f for f in vars(module).values() if inspect.isfunction(f)]
            forward = partner(backward, every) or loss_of(backward, every)
            if forward is not None and (words & BACKWARD or belongs(forward, backward)):
                pairs.append(Pair(forward, backward))
            elif forward is None and words & BACKWARD and takes_gradient(None, backward):
                unpaired.append(backward)
    taken = {f for pair in pairs for f in pair}
    pairs += [Pair(f, f) for f in functions if f not in taken and f not in unpaired and is_loss(f)]
    pairs.sort(key=lambda pair: pair.backward.__code__.co_firstlineno)
    cells = [member for member in vars(module).values() if isinstance(member, Cell)]
    return [*pairs, *filter(is_judged, classes), *cells], unpaired


def is_judged(cls):
    """Whether a class is a cell, or has both passes; not if these only say that subclasses have them."""
    if issubclass(cls, Cell):
        return "step_backward" in vars(cls) or "gradients" in vars(cls)
    passes = passes_in(cls)
    return bool(passes) and all(map(inspect.isfunction, passes)) and not all(map(is_empty, passes))


def passes_in(subject):
    """(forward, backward) of a class, or of an object: what it has by these names, or is called in place of a forward;
    or else its two methods of which one is called backprop, bprop, grad … and nothing more, and the other forward,
    fprop …; or else, twice, the method that returns a loss and its gradients; or else two that go by one name,
    cell_forward and cell_backward, or a loss and its gradients. None where there are none, or several."""
    passes = tuple(getattr(subject, name, None) for name in ("forward", "backward"))
    cls = subject if inspect.isclass(subject) else type(subject)
    every = [(name, f) for name, f in inspect.getmembers(cls, inspect.isfunction) if is_readable(f)]
    if passes[0] is None and passes[1] is not None and "__call__" in dict(every):  # a layer that is called
        passes = (subject.__call__, passes[1])
    if all(map(callable, passes)):
        own = [f for name, f in every if name == "backward"]
        loss = loss_of(own[0], [f for _, f in every]) if own else None
        return passes if loss is None else (getattr(subject, loss.__name__), passes[1])
    methods = [f for name, f in every if is_bare_pass(name, f)]
    backwards = [f for f in methods if words_of(f) & BACKWARD]
    slopes = [f for f in methods if words_of(f) & DERIVATIVE]
    backwards += [f for f in slopes if takes_gradient(None, f) or list(inspect.signature(f).parameters) == ["self"]]
    forwards = [f for f in methods if words_of(f) & FORWARD]
    if backwards and (loss := loss_of(backwards[0], [f for _, f in every])):  # loss(x, y) rather than forward(x)
        return getattr(subject, loss.__name__), getattr(subject, backwards[0].__name__)
    if forwards and backwards:
        return getattr(subject, forwards[0].__name__), getattr(subject, backwards[0].__name__)
    losses = [f for name, f in every if not name.startswith("__") and is_loss(f)]
    if len(losses) == 1:
        both = getattr(subject, losses[0].__name__)
        return both, both
    pairs = [pair for _, f in every if (pair := pair_in([f for _, f in every], f))]
    inner = {name for pair in pairs for name in pair.backward.__code__.co_names}
    outer = [pair for pair in pairs if pair.backward.__name__ not in inner]  # of a step and all steps, these
    return tuple(getattr(subject, f.__name__) for f in outer[0]) if len(outer) == 1 else None


def is_readable(function):
    """Whether a function was written by itself, in a file that is there: no lambda, nothing that a class was given."""
    try:
        return isinstance(read(function), ast.FunctionDef)
    except (NoSource, OSError, SyntaxError):
        return False


def pair_in(methods, backward):
    """The `Pair` of a method that goes by the name of a backward pass and its partner among others; None if it is
    none."""
    is_named = bool(words_of(backward) & (BACKWARD | DERIVATIVE)) and not backward.__name__.startswith("_")
    if not is_named or is_bare_pass(backward.__name__, backward):
        return None
    forward = partner(backward, methods) or loss_of(backward, methods)
    return Pair(forward, backward) if forward and belongs(forward, backward) else None


def loss_of(backward, functions):
    """The one function that is called a loss, returns one thing and takes what a function that is called its gradient
    takes: compute_loss(x, y) of compute_gradients(x, y). None if there is none."""
    taken = [name for name in inspect.signature(backward).parameters if name != "self"]
    if not taken:
        return None
    alike = [f for f in functions if f is not backward and LOSS.search(f.__name__.lower())]
    alike = [f for f in alike if not tuples_returned(f) and not words_of(f) & (BACKWARD | DERIVATIVE)]
    alike = [f for f in alike if [name for name in inspect.signature(f).parameters if name != "self"] == taken]
    return alike[0] if len(alike) == 1 else None


def belongs(forward, backward):
    """Whether a function takes a gradient from above or a cache, or is that of a loss, of what that takes."""
    return takes_gradient(forward, backward) or forward is loss_of(backward, [forward])


def is_bare_pass(name, method):
    """Whether a method says nothing in its name but which pass it is: one of the two."""
    is_both = words_of(method) & FORWARD and words_of(method) & BACKWARD
    is_bare = not (is_both or words_of(method, in_order=True))
    return name == method.__name__ and not name.startswith("_") and is_bare


def is_empty(function):
    """Whether there is nothing in a function but `pass`, `...`, a docstring or `raise NotImplementedError`."""
    body = read(function).body
    constant = [node for node in body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    return all(node in constant or isinstance(node, ast.Pass | ast.Raise) for node in body)


def partner(backward, functions):
    """The forward function among `functions` that goes by the same name, or None; for norm_backward_alt norm_forward,
    if nothing fits better."""
    others = [f for f in functions if f is not backward and not words_of(f) & (BACKWARD | DERIVATIVE)]
    for key in (words_of(backward, in_order=True), words_before(backward)):
        found = [f for f in others if words_of(f, in_order=True) == key]
        if found and key is not None:
            return next((f for f in found if words_of(f) & FORWARD), found[0])
    return None


def words_before(backward):
    """The words of a name before the one that says which pass, where some follow it; else None."""
    words = words_in(backward)
    place = next((k for k, word in enumerate(words) if word in BACKWARD), len(words))
    return tuple(words[:place]) if 0 < place < len(words) - 1 else None


def takes_gradient(forward, backward):
    """Whether a function takes a gradient from above or a cache: the derivative of a sigmoid takes neither."""
    taken = set() if forward is None else set(inspect.signature(forward).parameters)
    names = [name for name in inspect.signature(backward).parameters if name not in taken]
    return any(name in CACHE_NAMES or stems(name) for name in names)


def is_loss(function):
    """Whether a function, or method, by itself seems to return a loss and its gradients, by the names in it."""
    parameters = list(inspect.signature(function).parameters)
    if any(stems(name) and name not in ("dt", "d") for name in parameters) or not returns_several(function):
        return False
    inner = set(function.__code__.co_varnames[function.__code__.co_argcount :])
    made = {stem for name in inner for stem, _ in stems(name)}
    named, boxes = LOSS.search(function.__name__.lower()), inner & set(GRADIENTS)
    if parameters[:1] == ["self"]:  # of weights that its object holds
        made_of = {stem.lower() for stem in made} & {name.lower() for name in (*parameters, *attributes_in(function))}
        tells = named or any(is_called_loss(part) for parts in tuples_returned(function) for part in parts)
        return bool(tells and (made_of or boxes))
    seconds = [elements[1] for elements in tuples_returned(function)]
    nameless = any(isinstance(second, ast.BinOp | ast.UnaryOp | ast.Call) for second in seconds)
    return bool(made & set(parameters)) or bool(named and (made or nameless or boxes))


def attributes_in(method):
    """What a method reads or sets of its object by name: the W of `self.W`."""
    nodes = [node for node in ast.walk(read(method)) if isinstance(node, ast.Attribute)]
    return [node.attr for node in nodes if name_of(node.value) == "self"]


def returns_several(function):
    """Whether a function returns a tuple that does not begin with a gradient, or has a loss among them; or what such a
    function returns."""
    several = [elements for one in (function, *handed_on_by(function)) for elements in tuples_returned(one)]
    return any(not is_called_gradient(parts[0]) or any(map(is_called_loss, parts)) for parts in several)


def is_called_gradient(node):
    """Whether an expression is a variable with the name of a gradient."""
    return name_of(node) is not None and bool(stems(name_of(node)))


def is_called_loss(node):
    """Whether an expression is a variable with the name of a loss, and not of its gradient."""
    name = name_of(node)
    return name is not None and bool(LOSS.search(name.lower())) and not is_called_gradient(node)


def handed_on_by(function):
    """The functions, or methods of its object, whose results a function returns as they are."""
    owner, world = getattr(function, "__self__", None), getattr(function, "__globals__", {})
    values = [node.value for node in ast.walk(read(function)) if isinstance(node, ast.Return)]
    for called in [value.func for value in values if isinstance(value, ast.Call)]:
        is_own = owner is not None and isinstance(called, ast.Attribute) and name_of(called.value) == "self"
        found = getattr(owner, called.attr, None) if is_own else world.get(name_of(called))
        is_code = (inspect.isfunction(found) or inspect.ismethod(found)) and not is_lambda(found)
        if is_code and are_neighbours(function.__module__, found.__module__):
            yield found


def tuples_returned(function):
    """The elements of the tuples, of two at least, that a function returns."""
    values = [node.value for node in ast.walk(read(function)) if isinstance(node, ast.Return)]
    return [value.elts for value in values if isinstance(value, ast.Tuple) and len(value.elts) > 1]


def hashable(namespace):
    """The functions and classes of a namespace, which a set takes; arrays and the like are left out."""
    return [value for value in namespace.values() if inspect.isfunction(value) or inspect.isclass(value)]


def no_partner_message(backward):
    """What to call the forward function that a backward function lacks, in one line."""
    stem = "_".join(words_of(backward, in_order=True))
    names = f"{stem}_forward or {stem}" if stem else "forward"
    return f"there is no forward function for {backward.__name__}: it should be called {names}"


def partner_of(function):
    """The `Pair` that a function, or a method of an object, belongs to; it may be either of the two. What has no
    partner is taken to return a loss and its gradients."""
    owner = getattr(function, "__self__", None)
    if owner is not None and not inspect.isclass(owner):
        around = [getattr(owner, name) for name in dir(type(owner)) if inspect.isfunction(getattr(type(owner), name))]
    else:
        around = [f for f in getattr(function, "__globals__", {}).values() if inspect.isfunction(f)]
    if words_of(function) & BACKWARD and words_of(function) & FORWARD and returns_several(function):
        return Pair(function, function)  # forward_backward
    if words_of(function) & BACKWARD:
        forward = partner(function, around)
        if forward is None:
            raise ValueError(no_partner_message(function))
        return Pair(forward, function)
    backwards = [f for f in around if words_of(f) & (BACKWARD | DERIVATIVE) and partner(f, around) == function]
    backward = next((f for f in backwards if takes_gradient(function, f)), None)
    if backward is None and not returns_several(function):
        stem = "_".join(words_of(function, in_order=True))
        raise ValueError(
            f"there is no backward function for {function.__name__}: it should be called "
            f"{f'{stem}_backward' if stem else 'backward'}, or {function.__name__} return a loss and then its gradients"
        )
    return Pair(function, backward or function)


def examples(namespace, rng):
    """[(Pair, inputs, name)] of what a module's `examples(rng)` returns: {name: (forward, backward, inputs)}."""
    make = namespace.get("examples")
    if not inspect.isfunction(make) or len(inspect.signature(make).parameters) != 1:
        return []
    made = make(rng)
    if not isinstance(made, dict) or not all(isinstance(e, tuple) and len(e) == 3 for e in made.values()):
        return []
    return [(Pair(forward, backward), inputs, name) for name, (forward, backward, inputs) in made.items()]

"""How a backward function is called, and what it returns the gradients of: told from names, shapes and by trying.

Nothing is declared. Of a backward function's arguments, `dout`, `grad_output`, `upstream` … bring a gradient from
above, `cache`, `ctx`, `res` … bring what the forward function returned besides its outputs; others are the forward
function's arguments, outputs or local variables of the same name.
"""

import ast
import inspect
import re
import sys
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from weakref import WeakKeyDictionary

import numpy as np

from tinyrnn.sources.inputs.uses import uses_of
from tinyrnn.sources.inputs.values import nested
from tinyrnn.sources.reading import NoSource, read
from tinyrnn.sources.seen.origins import value_of
from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import BACKWARD, RATE, is_rate, words_in

CACHE = set("cache caches kept tape saved ctx memo memory context state res residuals residual store stored".split())
CACHE |= set("saved_tensors activations intermediates aux history values".split())
UPSTREAM = set("g gy gz gout grad gradient upstream delta error err ct cotangent seed adjoint top".split())
UPSTREAM |= set("output_grad out_grad top_diff top_grad next_grad incoming_grad grad_out grad_output dL d".split())
TARGETS = set("y Y ys true truth target targets label labels".split())  # words of what a loss is told
NO_UPSTREAM = set("data dim dims dilation debug dropout dtype device degree depth decay dt delay default denom".split())
NO_UPSTREAM |= set("diag dist distance dictionary dropout_rate drop_rate drop dropout_param".split())
GRADIENT = re.compile(
    r"^(?:d_?|grad_?|delta_?|g_|gradient_)(?P<a>\w+)$|^(?P<b>\w+?)_?(?:grad|delta|bar|gradient|(?<=_)d)s?$"
)
LAST = re.compile(r"(\w+?)_?(?:T|last|final|end)$")


class Unclear(ValueError):
    """It cannot be told how a function is to be called; the message says which argument is unclear."""


def is_upstream(name):
    """Whether an argument of a backward function brings a gradient from above, by its name."""
    return name in UPSTREAM or (name not in NO_UPSTREAM and GRADIENT.match(name) is not None)


def gradient_names(name):
    """What the gradient of `name` may be called."""
    name = str(name)
    return [
        *(
            f"{prefix}{name}"
            for prefix in ("d", "d_", "grad_", "delta_", "g_", "grad", "g", "gradient_", "dL_d", "dLd")
        ),
        *(f"{name}{suffix}" for suffix in ("_grad", "_delta", "_bar", "_gradient", "grad", "bar", "_g", "_d")),
    ]


PARAMETERS: WeakKeyDictionary = WeakKeyDictionary()  # function -> {whether as a method: its parameters}


def parameters_of(function):
    """{name: parameter} without self, *args and **kwargs; empty where there is no signature to be had."""
    plain = getattr(function, "__func__", function)
    if not inspect.isfunction(plain):
        return worked_out(function)
    known, is_bound = PARAMETERS.setdefault(plain, {}), plain is not function
    if is_bound not in known:  # to work it out takes longer than a short function runs
        known[is_bound] = worked_out(function)
    return dict(known[is_bound])


def worked_out(function):
    """The same, not kept."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {name: p for name, p in parameters.items() if name != "self" and p.kind not in several}


def required(function):
    """The names of the arguments that must be given."""
    return [name for name, p in parameters_of(function).items() if p.default is p.empty]


def bind(function, inputs):
    """The arguments of a call, name -> value, for inputs that are one argument, several, or a dict by name.

    A dict is taken by name if all its keys are names of arguments; a tuple holds several arguments if the function
    takes more than one. Where there is no signature, the names are x, or x0, x1, …
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        signature = None
    if signature is None or (isinstance(function, np.ufunc) and "args" in signature.parameters):  # (*args, **kwargs)
        return {"x": inputs} if not isinstance(inputs, tuple) else {f"x{k}": value for k, value in enumerate(inputs)}
    names, least = list(parameters_of(function)), required(function)
    variadic = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in signature.parameters.values())
    if isinstance(inputs, dict) and takes_more_by_name(function) and set(least) <= set(inputs):
        return dict(inputs)  # loss(x, **weights)
    by_name = isinstance(inputs, dict) and all(isinstance(key, str) for key in inputs)
    if by_name and variadic and not set(inputs) <= set(names):
        return dict(inputs)  # forward(*values), with names of the caller's
    if isinstance(inputs, dict) and inputs and set(inputs) <= set(names) and set(least) <= set(inputs):
        return dict(signature.bind(**inputs).arguments)
    ways = [(inputs,)]
    if isinstance(inputs, tuple | list):
        spread = variadic or len(least) > 1 or (len(inputs) == 1 and isinstance(inputs, tuple)) or len(names) == 0
        ways = [tuple(inputs), (inputs,)] if spread else [(inputs,), tuple(inputs)]
    for way in ways:
        try:
            bound = signature.bind(*way).arguments
        except TypeError as error:
            reason = error
            continue
        return spread_variadic(signature, bound)
    name = getattr(function, "__name__", type(function).__name__)
    raise ValueError(f"the inputs do not fit {name}{signature}: {reason}") from None


def takes_more_by_name(function):
    """Whether a function has `**kwargs` and no `*args`, for what is given by whatever name."""
    try:
        kinds = {one.kind for one in inspect.signature(function).parameters.values()}
    except (TypeError, ValueError):
        return False
    return inspect.Parameter.VAR_KEYWORD in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds


def spread_variadic(signature, bound):
    """The bound arguments with those of *args under numbered names."""
    found = {}
    for name, value in bound.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            found |= {f"{name}[{k}]": entry for k, entry in enumerate(value)}
        else:
            found[name] = value
    return found


WATCHER = ContextVar("watcher", default=None)  # what every call goes through: (function, arguments, call) -> result


def call(function, arguments):
    """function(…) with arguments by name, as `bind` names them."""
    watcher = WATCHER.get()
    if watcher is not None:
        return watcher(function, arguments, lambda: plain_call(function, arguments))
    return plain_call(function, arguments)


def plain_call(function, arguments):
    """Calls the function with arguments by name, also where its source has them by place only."""
    parameters = parameters_of(function)
    by_place = [name for name in arguments if name not in parameters]
    is_by_name = bool(by_place) and takes_more_by_name(function)
    if not is_by_name and (by_place or not parameters):  # *args follow what stands before them
        return function(*arguments.values())
    by_place_or_name = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    first = takewhile(lambda name: name in arguments and parameters[name].kind in by_place_or_name, parameters)
    rest = dict(arguments)  # decorated functions may take their first arguments by place only, such as jax.grad's
    return function(*[rest.pop(name) for name in first], **rest)


def locals_of_call(function, run):
    """(what run() returns, the local variables of `function` at the end of its last call in that run)."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    found = {}
    before = sys.getprofile()

    def profile(frame, event, _):
        if event == "return" and frame.f_code is code:
            found.update(frame.f_locals)

    sys.setprofile(profile)
    try:
        return run(), found
    finally:
        sys.setprofile(before)


def returned_elements(function):
    """[the elements of every `return a, b` of a function, as syntax]; empty where there is no source."""
    try:
        tree = read(function)
    except (NoSource, TypeError, OSError, SyntaxError):
        return []
    inner = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda) and n is not tree]
    hidden = {id(n) for f in inner for n in ast.walk(f)}
    values = [n.value for n in ast.walk(tree) if isinstance(n, ast.Return) and n.value and id(n) not in hidden]
    return [value.elts if isinstance(value, ast.Tuple | ast.List) else [value] for value in values]


def returned_names(function, number):
    """The names of the things that a function returns, None for what has none; all None where it cannot be told."""
    for elements in returned_elements(function):
        if len(elements) == number:
            return [name_of(element) for element in elements]
    return [None] * number


def names_within(function, names):
    """{path: name} of what is returned, with the entries of variables that a function makes of variables: the W of
    `found = (dW, db)`, of which it returns `found`. names: {path: name} of what it returns itself."""
    made = boxes_in(function)
    return names | {(*path, k): part for path, name in names.items() for k, part in made.get(name, {}).items()}


@lru_cache(64)
def boxes_in(function):
    """{variable: {place: name of the variable that stands there}} of the tuples and lists that a function makes."""
    made = {}
    for node in ast.walk(read(function)):
        is_made = isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple | ast.List)
        if is_made and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            elements = enumerate(node.value.elts)
            made[node.targets[0].id] = {k: part.id for k, part in elements if isinstance(part, ast.Name)}
    return made  # of several of one name the last


def is_gradient_function(f, grad):
    """Whether `grad` takes what `f` takes, rather than a gradient from above and a cache."""
    names, own = list(parameters_of(f)), list(parameters_of(grad))
    if not own:
        return True
    least = required(grad)
    if any(is_upstream(name) and name not in names for name in least):
        return False
    if any(name in CACHE and name not in names for name in least):
        return False
    if not names:  # f(*values)
        return len(least) < 2
    if len(least) == 1 and least[0] not in names and set(words_in(grad)) & BACKWARD:
        return False  # backward(above): whatever it is called, it is not what goes in
    return len(least) <= len(names) and (len(least) == len(required(f)) or set(least) <= set(names))


@dataclass
class Passes:
    """How a forward and a backward function belong together.

    above: the backward function's arguments that bring gradients from above, {name: which of the things returned}.
    call: {argument of backward: (kind, name)} of all others: "cache", "input", "output" or "local"; or ("rate", the
    learning rate); or where it came from in a call that was seen, see `tinyrnn.sources.seen.origins`. loss: the place
    of what is differentiated among the things returned, where nothing comes from above. likes: what the gradients from
    above are like, {place: array}, where that was seen. measure: (function, {argument: origin}) of a loss that is
    worked out of what the forward function returns, which is then (the loss, that).
    """

    forward: object
    backward: object
    above: dict = field(default_factory=dict)
    call: dict = field(default_factory=dict)
    fixed: dict = field(default_factory=dict)  # upstream that is a number by default, as in backward(self, dout=1)
    loss: int = 0
    likes: dict = field(default_factory=dict)
    measure: object = None
    is_sure: bool = True  # whether names say what comes from above, and what is differentiated

    def split(self, returned):
        """(outputs that take a gradient from above, all else that is returned)."""
        parts = parts_of(returned)
        places = sorted(set(self.above.values())) or [self.loss]
        if len(places) > 1 and isinstance(parts[0], tuple | list) and len(parts[0]) == len(places):
            parts = (*parts[0], *parts[1:])  # ((h, c), cache)
        rest = tuple(part for k, part in enumerate(parts) if k not in places)
        return [parts[k] for k in places], rest

    def run_backward(self, backward, upstream, returned, inputs, local):
        """What the backward function (of this object) returns; upstream: a list, in the order of the outputs."""
        _, rest = self.split(returned)
        order = sorted(set(self.above.values()))
        given = {name: upstream[order.index(place)] for name, place in self.above.items()}
        returned = returned[1] if self.measure else returned
        parts = parts_of(returned)
        for name, (kind, what) in self.call.items():
            given[name] = (
                cache_in(rest) if kind == "cache"
                else local[what] if kind == "local"
                else what if kind == "rate"
                else inputs[what] if kind == "input" and isinstance(what, str)
                else parts[what] if kind == "output" and isinstance(what, int)
                else value_of((kind, what), inputs, parts, getattr(backward, "__self__", None))
            )  # fmt: skip
        parameters = parameters_of(backward)
        ordered = {name: given[name] for name in parameters if name in given}
        if self.forward is self.backward and takes_more_by_name(self.forward):
            ordered |= {name: value for name, value in inputs.items() if name not in parameters}
        return call(backward, ordered)

    def measured(self, function, returned, inputs, owner):
        """(the loss, what the forward function returned): that of `measure`, by this form of its function."""
        parts = parts_of(returned)
        given = {name: value_of(origin, inputs, parts, owner) for name, origin in self.measure[1].items()}
        return call(function, given), returned


def cache_in(rest):
    """What is kept for the backward pass, of all that is returned besides outputs: the last, if it holds several."""
    return rest[-1] if len(rest) == 1 or (rest and isinstance(rest[-1], tuple | list | dict)) else rest


def parts_of(returned):
    """What a function returned, one by one: also of a list that begins with a number, as `[loss, dW, db]`, which is not
    one of steps."""
    is_list = isinstance(returned, list) and len(returned) > 1 and isinstance(returned[0], float | np.floating)
    is_list = is_list and any(isinstance(one, np.ndarray | dict) for one in returned[1:])
    return tuple(returned) if isinstance(returned, tuple) or is_list else (returned,)


def passes_of(forward, backward, inputs, returned, local):
    """The `Passes` of two functions, of which the forward one has been run; raises `Unclear`."""
    parts = parts_of(returned)
    names, parameters = returned_names(forward, len(parts)), parameters_of(backward)
    made = Passes(forward, backward, loss=place_of_loss(parts) if forward is backward else 0)
    above = [name for name in parameters if is_upstream(name) or stem_of(name) in {*names} - {None}]
    switches = [name for name, p in parameters.items() if isinstance(p.default, bool)]  # retain_grads=True
    above = [name for name in above if name not in inputs and name not in [*names, *switches]]
    above, derivatives = without_derivatives(above, names)
    kept = [name for name in parameters if name in CACHE and name in names]  # returned, whatever came in by that name
    kept = [] if forward is backward else kept  # it is called with what it was called with
    boxes = [name for name in CACHE if name not in names]  # one that is returned under its own name is that
    saved = [name for name in parameters if name not in inputs and (name in boxes or name in derivatives)]
    unknown = []
    for name, parameter in parameters.items():
        if name in above or name in saved:
            continue
        if name in inputs and name not in kept:
            made.call[name] = "input", name
        elif name in names:
            made.call[name] = "output", names.index(name)
        elif parameter.default is not parameter.empty:
            continue
        elif name in local:
            made.call[name] = "local", name
        elif is_rate(name):
            made.call[name] = "rate", RATE
        else:
            unknown.append(name)
    targets = [name for name in unknown if TARGETS & {*name.split("_")}]
    if targets and (not above or len(unknown) == 1):
        wanted, name = ", ".join(targets), getattr(backward, "__name__", "backward")
        raise Unclear(
            f"{name} wants {wanted}, targets of a loss, which the forward function does not return: there is nothing "
            "to differentiate"
        )
    if unknown and is_gradient_function(forward, backward):  # of other names, by place
        made.call |= {name: ("input", own) for name, own in zip(parameters, inputs, strict=False) if name in unknown}
        unknown = []
    labels = labels_of(backward, unknown, parts)
    unknown = [name for name in unknown if name not in labels]
    if unknown and not above:
        above.append(unknown.pop(0))
    if len(above) > len(parts) and not isinstance(parts[0], tuple | list):  # `backward(dh, dc=None)` of h alone
        above = [name for name in above if parameters[name].default is not None] or above
    made.above = places_of(above, names, len(parts), parts)
    unnamed = {stem_of(name): place for name, place in made.above.items() if place < len(parts)}
    made.call |= {name: ("output", unnamed[name]) for name in unknown if name in unnamed}  # h beside dh
    unknown = [name for name in unknown if name not in unnamed]
    same = [name for name, (kind, _) in made.call.items() if kind == "input"]
    if len(unknown) == len(inputs) > 1 == len(same) == len(parts):  # all inputs go by others, and the output by one
        made.call |= {same[0]: ("output", 0)} | {
            name: ("input", own) for name, own in zip(unknown, inputs, strict=True)
        }
        unknown = []
    left = [name for name in inputs if name not in {what for kind, what in made.call.values() if kind == "input"}]
    if len(unknown) == len(left) == 1 and (saved or len(parts) == 1):  # the one that goes by another name here
        made.call[unknown.pop()] = "input", left[0]
    if len(unknown) == 1 and not saved and (len(parts) > 1 or not above):
        saved.append(unknown.pop())
    if unknown or labels:
        names = ", ".join(unknown + labels)
        raise Unclear(
            f"cannot tell what {getattr(backward, '__name__', 'backward')} wants as {names}: it is no gradient "
            "from above (dout), no cache, no argument and no local variable of the forward function"
        )
    made.call |= {name: ("cache", None) for name in saved if len(parts) > 1}
    made.fixed = {n: parameters[n].default for n in above if isinstance(parameters[n].default, int | float)}
    return made


def labels_of(backward, names, parts):
    """Those of a backward function's arguments that it uses as an index: no gradient, and nothing that the forward
    function returned, if there are no whole numbers in that."""
    returned = [np.asarray(value).dtype.kind for value in nested(parts) if isinstance(value, int | np.ndarray)]
    if not names or "i" in returned:
        return []
    uses = uses_of(backward)
    return [name for name in names if name in uses and uses[name].kind == "class"]


def place_of_loss(parts):
    """Where a function that returns its loss and its gradients has the loss: the first number by itself."""
    return next(iter(loss_places(parts)), 0)


def loss_places(parts):
    """Where among things that are returned there is a number by itself."""
    numbers = (float, np.floating, np.ndarray)
    return [k for k, part in enumerate(parts) if isinstance(part, numbers) and np.size(part) == 1]


def without_derivatives(above, names):
    """(arguments that bring gradients from above, those that are only called like one): of upstream and dK, where only
    K is returned under its name, dK is a derivative that the forward pass has worked out."""
    plain = [name for name in above if name in UPSTREAM or name in ("dout", "dy", "grad_output")]
    if len(above) < 2 or len(plain) != 1:
        return above, []
    known = names if stem_of(plain[0]) in names else names[1:]  # upstream without a name is that of the first
    others = [name for name in above if name not in plain and stem_of(name) not in known]
    return [name for name in above if name not in others], others


def places_of(above, names, number, parts):
    """{upstream argument: which of the things returned it is the gradient of}, by names, else in their order."""
    if len(above) == 1:
        stem = stem_of(above[0])
        return {above[0]: names.index(stem) if stem is not None and stem in names else 0}
    by_name = {name: names.index(stem_of(name)) for name in above if stem_of(name) in names}
    if len(by_name) == len(above) and len(set(by_name.values())) == len(above):
        return by_name
    if of_last := [name for name in above if by_name and name not in by_name and last_step_of(name, names)]:
        output = last_step_of(of_last[0], names)
        raise Unclear(
            f"cannot tell what to give as {', '.join(of_last)}: the last step of {output} is not returned by itself "
            "(let the forward function return it, or a function around it)"
        )
    nested = number > 0 and isinstance(parts[0], tuple | list) and len(parts[0]) == len(above)
    if len(above) > number and not nested:
        raise Unclear(f"there are {len(above)} gradients from above ({', '.join(above)}), but {number} outputs")
    return {name: k for k, name in enumerate(above)}


def last_step_of(name, names):
    """Which of the things returned a name like `dh_T` is the gradient of the last step of; None for none."""
    match = LAST.match(stem_of(name) or "")
    return match and next((known for known in names if known and known.lower() == match[1].lower()), None)


def stem_of(name):
    """What a name is the gradient of: `h` for `dh`; None for none."""
    match = GRADIENT.match(name)
    return None if match is None else match["a"] or match["b"]

"""What may stand in the place of a part of an array, or of what a loop runs over: windows, ends, ranges."""

import ast

from tinyrnn.sources.mutation.scope import but, number, rebuilt
from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.repair.replacements import mentions, parsed


def other_windows(node, counters, lengths):
    """What else a slice may cut as a window that a loop moves: from the counter on, or with an end a length further.
    counters, lengths: sources of numbers."""
    if not isinstance(node, ast.Slice) or node.upper is None or node.step is not None:
        return
    if node.lower is None and not mentions(node, counters):
        upper = ast.unparse(node.upper)
        yield from (ast.Slice(parsed(one), parsed(f"{one} + ({upper})")) for one in counters)
    for end in (end for end in ("upper", "lower") if getattr(node, end) is not None):
        yield from (but(node, **{end: one}) for one in further(getattr(node, end), lengths))


def cropped(node, lengths):
    """A part of an array with as much left out at either end of each axis that is cut, `x[:, p:-p]` for `x[:, :n]`.
    lengths: sources of numbers."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    cut = [part for part in parts if isinstance(part, ast.Slice) and (part.lower or part.upper) and not part.step]
    for length in lengths if cut else ():
        made = [parsed_slice(f"{length}:-{length}") if part in cut else part for part in parts]
        yield but(node, slice=ast.Tuple(made, ast.Load()) if isinstance(node.slice, ast.Tuple) else made[0])


def with_ends_exchanged(node):
    """The slice with the numbers in both of its ends in each other's place: `p[1]:-p[0]` for `p[0]:-p[1]`."""
    ends = [[one for one in ast.walk(end) if is_whole(one)] for end in (node.lower, node.upper) if end]
    if len(ends) == 2 and all(len(one) == 1 for one in ends) and ends[0][0].value != ends[1][0].value:
        (first,), (last,) = ends
        yield rebuilt(node, {first: last, last: first})


def without_steps(node):
    """A part of an array that runs along no axis from behind: `W[:, :, 0]` for `W[::-1, ::-1, 0]`."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(part, ast.Slice) and part.step for part in parts):
        made = [but(part, step=None) if isinstance(part, ast.Slice) else part for part in parts]
        yield but(node, slice=ast.Tuple(made, ast.Load()) if isinstance(node.slice, ast.Tuple) else made[0])


def is_whole(node):
    """Whether a node is a whole number."""
    return isinstance(node, ast.Constant) and type(node.value) is int


def parsed_slice(text):
    """The syntax tree of what stands in the brackets of an entry."""
    return parsed(f"x[{text}]").slice


def further(node, lengths):
    """A number plus a length, less it, plus all of it but one. lengths: sources of numbers."""
    text = ast.unparse(node)
    more = (one for n in lengths if n != text for one in (f"+ {n}", f"- {n}", f"+ ({n} - 1)"))
    return (parsed(f"{text} {one}") for one in more)


def other_ends(node):
    """`insert(0, dx)` for `append(dx)`, and `append(x)` for `insert(0, x)`: a list that grows at its other end."""
    match node:
        case ast.Call(func=ast.Attribute(attr="append"), args=[one]) if any(map(names_gradients, identifiers_in(node))):
            yield but(node, func=but(node.func, attr="insert"), args=[ast.Constant(0), one])
        case ast.Call(func=ast.Attribute(attr="insert"), args=[ast.Constant(value=0), one]):
            yield but(node, func=but(node.func, attr="append"), args=[one])


def identifiers_in(node):
    """The names of the variables and attributes in an expression."""
    return [name for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute) and (name := name_of(one))]


def other_takes(node):
    """`x.pop()` for `x[-1]`, `x.pop(0)` for `x[0]` and the other way round: what is taken from a list stays, or not."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and (key := number(node.slice)) in (0, -1):
        yield parsed(f"{ast.unparse(node.value)}.pop({'' if key else 0})")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
        keys = [number(one) for one in node.args] or [-1]
        taken = ast.unparse(node.func.value)
        yield from (parsed(f"{taken}.pop({'' if key else 0})") for key in (0, -1) if [key] != keys)
        yield from (parsed(f"{taken}[{key}]") for key in keys if key in (0, -1))


def other_way_through(node):
    """(what, what in its place) that makes a loop over something run the other way."""
    turned = [one for one in ast.walk(node) if isinstance(one, ast.Call) and ast.unparse(one.func) == "reversed"]
    yield from ((one, one.args[0]) for one in turned if len(one.args) == 1)
    if not turned and isinstance(node, ast.Name | ast.Attribute):
        yield node, parsed(f"reversed({ast.unparse(node)})")


def other_ranges(node):
    """The other way through a range, a step more or less of it, or as many steps counted from one."""
    text, called = ast.unparse(node), ast.unparse(node.func)
    is_array = called.rpartition(".")[2] == "arange"
    if called == "range" or is_array:
        yield parsed(f"{text}[::-1]" if is_array else f"reversed({text})")
        if any(isinstance(one, ast.Starred) for one in node.args):
            return
        if len(node.args) == 3:
            start, stop = (ast.unparse(one) for one in node.args[:2])
            yield parsed(f"{called}({stop} + 1, {start} + 1)")
        for k, one in enumerate(node.args):
            for more in ("- 1", "+ 1"):
                yield but(
                    node, args=[parsed(f"{ast.unparse(one)} {more}") if j == k else a for j, a in enumerate(node.args)]
                )
        if len(node.args) == 1:
            yield parsed(f"{called}(1, {ast.unparse(node.args[0])})")
            yield parsed(f"{called}(1, {ast.unparse(node.args[0])} + 1)")  # counted from one
        if len(node.args) == 2:
            yield parsed(f"{called}({ast.unparse(node.args[1])})")
            if number(node.args[0]) == 1:
                yield parsed(f"{called}({ast.unparse(node.args[1])} - 1)")
    if called in ("enumerate", "zip"):
        yield parsed(f"reversed(list({text}))")

"""What the globals of a program hold: put back as it was after a run that is made in the midst of another one, as where
the true gradient of a value is worked out when it is asked for, and both set the weights of one global object."""

import contextlib
import inspect

from tinyrnn.sources.reading import MOST_NESTED

MOST_ENTRIES = 1000  # of a list or dict that a pass may change: not a vocabulary


@contextlib.contextmanager
def undisturbed(worlds):
    """Afterwards all objects, lists and dicts that some globals hold, also within each other, have in them what they
    had before; arrays in them are the same ones, as they are. worlds: the globals of functions, by name."""
    kept = [(inner, inner.copy()) for inner in contents(worlds)]
    try:
        yield
    finally:
        put_back(kept)


def put_back(kept):
    """Lists and dicts have in them what they had before. kept: [(list or dict, copy of it)]."""
    for inner, before in kept:
        if isinstance(inner, dict):
            inner.clear()
            inner.update(before)
        else:
            inner[:] = before


def contents(worlds):
    """The lists, dicts and `__dict__`s of objects of the program's own classes that some globals hold, each once."""
    modules = {world.get("__name__") for world in worlds}
    queue = [one for world in worlds for name, one in world.items() if not name.startswith("__")]
    seen = set()
    while queue:
        value = queue.pop()
        is_own = type(value).__module__ in modules and not (inspect.isclass(value) or inspect.isroutine(value))
        inner = vars(value) if is_own and hasattr(value, "__dict__") else value
        if not isinstance(inner, dict | list | tuple) or id(inner) in seen or len(inner) > MOST_ENTRIES:
            continue
        seen.add(id(inner))
        queue += inner.values() if isinstance(inner, dict) else inner
        if not isinstance(inner, tuple):
            yield inner


@contextlib.contextmanager
def unchanged(classes, adds_nothing=False, worlds=()):
    """Afterwards the classes have the methods that they had before: an edit of `out.backward = backward` may have put
    one in a class; and the tables of functions, `kinds = {"relu": [relu, relu_slope]}`. Other attributes stay as they
    are, such as a count of objects; adds_nothing: but for those that a class had not, as after an edit of
    `loss.used = True`. worlds: the globals of functions, of which lists and dicts have in them what they had before."""
    kept = [(cls, dict(vars(cls))) for cls in classes]
    tables = [(table, table.copy()) for _, before in kept for value in before.values() for table in tables_in(value)]
    named = [(name, value) for world in worlds for name, value in world.items() if type(value) in (dict, list)]
    tables += [(one, one.copy()) for name, one in named if not name.startswith("__") and len(one) <= MOST_ENTRIES]
    try:
        yield
    finally:
        for cls, before in kept:
            for name, value in list(vars(cls).items()):
                is_new = adds_nothing and name not in before
                if is_new or (value is not before.get(name) and inspect.isroutine(value)):
                    setattr(cls, name, before[name]) if name in before else delattr(cls, name)
        put_back(tables)


def tables_in(value, depth=0):
    """The list or dict that holds functions or classes, itself or in lists, dicts and tuples, and those within it."""
    if not isinstance(value, dict | list | tuple) or len(value) > MOST_ENTRIES or depth > MOST_NESTED:
        return []
    inner = list(value.values() if isinstance(value, dict) else value)
    within = [table for one in inner for table in tables_in(one, depth + 1)]
    is_table = within or any(inspect.isroutine(one) or inspect.isclass(one) for one in inner)
    return [value, *within] if is_table and not isinstance(value, tuple) else within

"""Functions of every form that Python code takes, to be rewritten: each must go on doing what it does."""
# ruff: noqa: F821, RUF005, SIM, UP (the forms are the point)

import functools

import numpy as np


class Box:
    """Something to put attributes on."""

    def __init__(self, **values):
        vars(self).update(values)


def chained_and_starred(x):
    a = b = x + 1
    (c, d), *rest = (a, b), x, x * 2
    first, *_, last = rest + [c, d]
    return a, b, c, d, rest, first, last


def swapped(x):
    a, b = x, 2 * x
    a, b = b, a
    return a, b


def annotated(x):
    y: float = x * 2
    z: int
    z = 4
    return y + z


def augmented(x):
    y = [x]
    y += [1]
    alias = y
    y *= 2
    x -= 0.5
    x **= 2
    x //= 0.25
    return x, y, alias is y


def items(x):
    a, cube = np.zeros((2, 3)), np.zeros((2, 3, 4))
    a[0] = x
    a[:, 1] += 2
    a[1, 1:] *= 3
    cube[..., -1] = 1
    cube[0, :, ::2] -= a[0][:, None]
    a[a > 5] = 0
    a[...] += 1
    b = a
    b[:] = b[::-1].copy()
    return a, cube, b is a


def keys_with_calls(x):
    order, a = iter([2, 0, 1]), [x] * 3
    for k in range(3):
        a[next(order)] += k
    a[(n := 1)] = -1
    return a, n, list(order)


def attributes_and_entries(x):
    box, grads = Box(h=x), {"W": x}
    box.h = box.h + 1
    box.h += 1
    box.inner = Box()
    box.inner.c = 3
    grads["W"] += 2
    grads["b"] = {"deep": x, **grads, 3: x, "W": grads["W"] * 2}
    grads["b"]["deep"] -= 1
    made = dict(W=x, **{"b": 2})
    return vars(box.inner), box.h, grads, made


def nested_loops(n):
    total, hs = 0, {-1: 0}
    for layer in range(2):
        for t in range(n):
            if t == 2:
                continue
            hs[t] = hs.get(t - 1, 0) + total
            total += hs[t] + layer
            if total > 50:
                break
        else:
            total = total + 100
    for a, (b, *c) in [(1, (2, 3, 4))]:
        total += a + b + len(c)
    return total, hs


def while_loop(n):
    k = 0
    while True:
        k += 1
        if k > n:
            break
        while k % 3:
            k += 1
    else:
        k = -1
    return k


def first_pass_only(n):
    for t in range(n):
        if t > 0:
            found = previous
        previous = t
    return found, previous


def early_return(x):
    """A docstring stays."""
    if x < 0:
        return None
    if x == 0:
        return
    for k in range(10):
        if k > x:
            return k, {"k": k}


def with_and_try(d):
    log = []
    with np.errstate(all="ignore") as state, np.errstate(divide="ignore"):
        log.append(state)
        y = np.float64(1) / 0
    try:
        x = d["k"]
    except KeyError as error:
        x = error.args
        log.append("except")
    else:
        x = x + 1
        log.append("else")
    finally:
        z = {"x": x}
        log.append("finally")
    try:
        w = {"a": d["nothing"]}
    except (KeyError, TypeError):
        w = 0
    return x, y, z, w, log


def matching(value):
    match value:
        case {"a": x}:
            y = x
            return {"y": y}
        case [first, *rest]:
            return first, rest
    return None


def comprehensions(n):
    k = 5
    squares = [k * k for k in range(n)]
    table = {key: [0] * key for key in range(3)}
    lazy = (k + j for j in squares)
    if (total := sum(lazy)) > 10:
        k = total
    return squares, table, k, (lambda k: {"k": k})(3)


def nested_functions(x):
    count = 0

    def add(by=2):
        nonlocal count
        count += by
        return count

    class Local:
        value = x

    for _ in range(3):
        x = x + add()
    return x, count, Local.value, add(by=1)


def make_closure():
    scale, calls = 3, []

    def closure(x, /, y=scale, *args, z, w=(), **options):
        calls.append(x)
        scaled = scale * x
        return scaled, y, args, z, w, options, len(calls) > 0

    return closure


def factorial(n):
    rest = 1 if n == 0 else factorial(n - 1)
    return max(n, 1) * rest


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args):
        return 2 * function(*args)

    return wrapper


@doubled
def decorated(x):
    y = x + 1
    return y


def generator(n):
    total = 0
    for k in range(n):
        total += k
        got = yield total
        total += got or 0


def uses_generator(n):
    return list(generator(n))


def writes_global():
    global COUNTER
    COUNTER = 3
    for _ in range(2):
        COUNTER += 1
    return COUNTER


def deletes(xs):
    for x in xs:
        y = x
        z = y
        del y
    return z


CASES = [
    *[(f, 3.5) for f in (chained_and_starred, swapped, annotated, augmented, items, attributes_and_entries)],
    *[(keys_with_calls, 1), (nested_loops, 3), (nested_loops, 9), (while_loop, 10), (first_pass_only, 3)],
    *[(early_return, x) for x in (-1, 0, 3, 20)],
    *[(with_and_try, {}), (with_and_try, {"k": 1}), (with_and_try, {"k": 1, "nothing": 2})],
    *[(matching, value) for value in ({"a": 1}, [1, 2, 3], 4)],
    *[(f, 4) for f in (comprehensions, nested_functions, factorial, decorated, uses_generator)],
    *[(writes_global,), (deletes, [1, 2])],
]

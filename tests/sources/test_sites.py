"""What a rewritten function reports: every value that gets a name, under that name, in order, and where that was."""
# ruff: noqa: F821 (names that are bound later)

import functools

import numpy as np

from tinyrnn.sources import Program

MARKS = ("enter", "pass")


def watched(function, *args, classes=(), call=None):
    """[(site, value, key)] of a run."""
    program, seen = Program([function] if function else [], classes), []

    def watch(site, value, key=None):
        seen.append((site, np.copy(value) if isinstance(value, np.ndarray) else value, key))
        return value

    program.run(watch, call or (lambda p: p[function](*args)))
    return seen


def named(seen, *kinds):
    """[(name, kind, value)] of what was seen, without arguments and returns unless they are asked for."""
    wanted = kinds or ("assign", "augment", "transform", "value", "refill", "item", "item-augment")
    return [(site.name, site.kind, value) for site, value, _ in seen if site.kind in wanted]


# names ----------------------------------------------------------------------------------------------------------------


def test_plain_tuple_starred_and_chained_assignments_report_each_name():
    def f(x):
        a = b = x
        (c, d), *rest = (a, 2), 3, 4
        e: int = 5
        return a, b, c, d, rest, e

    names = dict(a=1, b=1, c=1, d=2, rest=[3, 4], e=5)
    assert named(watched(f, 1)) == [(name, "assign", value) for name, value in names.items()]


def test_sums_augment_other_operators_transform():
    def f(x):
        x += 1
        x -= 2
        x *= 3
        x /= 2
        x = x + 1
        x = 1 + 2 + x
        x = x - 1
        x = 1 - x
        x = 2 * x
        x = x / 4
        x = 8 / x
        return x

    kinds = ["augment", "augment", "transform", "transform", "augment", "augment", "augment"]
    kinds += ["assign", "transform", "transform", "assign"]
    values = [6, 4, 12, 6.0, 7.0, 10.0, 9.0, -8.0, -16.0, -4.0, -2.0]
    assert named(watched(f, 5)) == [("x", kind, value) for kind, value in zip(kinds, values, strict=True)]


def test_attributes_and_entries_go_by_their_own_name_and_know_their_box():
    def f(self, grads):
        self.h = 1
        self.inner["c"] = 2
        grads["W"] += 3
        kept = {"i": 4, 5: 6, **grads}
        return dict(o=7), kept

    class Box:
        inner = {}  # noqa: RUF012

    seen = watched(f, Box(), {"W": 10})
    boxes = {site.name: (site.kind, site.box) for site, *_ in seen if site.kind not in ("enter", "argument", "return")}
    assert boxes == {
        "h": ("assign", "self"),
        "c": ("assign", "inner"),
        "W": ("augment", "grads"),
        "i": ("value", "{}"),
        "kept": ("assign", None),
        "o": ("value", "{}"),
    }
    assert [value for name, _, value in named(seen) if name != "kept"] == [1, 2, 13, 4, 7]


def test_items_tell_the_container_and_the_key():
    def f(x):
        a = np.zeros((2, 3))
        for t in range(2):
            a[t] = x
            a[:, t + 1] += 2
        a[1, ..., ::2] -= 1
        a[a > 5] = 0
        return a

    seen = [(site.name, site.kind, key) for site, value, key in watched(f, 1) if site.kind in ("item", "item-augment")]
    assert all(name == "a" for name, *_ in seen)
    assert [(kind, key) for _, kind, key in seen[:-1]] == [
        ("item", 0),
        ("item-augment", (slice(None), 1)),
        ("item", 1),
        ("item-augment", (slice(None), 2)),
        ("item-augment", (1, ..., slice(None, None, 2))),
    ]
    assert seen[-1][1] == "item" and seen[-1][2].shape == (2, 3)


def test_filling_a_whole_array_is_reported_as_its_value():
    def f(a):
        a[...] = 1
        a[:] = 2
        a[...] += 3
        a[:] *= 2
        return a

    seen = named(watched(f, np.zeros(2)))
    assert [(name, kind, value[0]) for name, kind, value in seen] == [
        ("a", "refill", 1),
        ("a", "refill", 2),
        ("a", "augment", 5),
        ("a", "transform", 10),
    ]


def test_keys_are_not_worked_out_twice_where_that_may_do_something():
    def f():
        order, a = iter([1, 0, 1]), [0, 0]
        a[next(order)] = 3
        a[(n := 0)] = 4
        return a, n, next(order)

    assert [key for site, _, key in watched(f) if site.kind == "item"] == [None, None]


def test_functions_within_report_as_others_do():
    def f(x):
        def inner(y, n=3):
            z = y + x
            return z * n

        return inner(x)

    seen = watched(f, 2)
    assert [(site.name, site.kind, value) for site, value, _ in seen if site.scope.endswith("f.<locals>.inner")] == [
        ("", "enter", None),
        ("y", "argument", 2),
        ("n", "argument", 3),
        ("z", "assign", 4),
        ("return", "return", 12),
    ]


def test_comprehensions_lambdas_and_decorated_functions_within_are_not_looked_into():
    def f(x):
        @functools.cache
        def inner(y):
            z = y
            return z

        squares = [{"k": k} for k in range(x)]
        g = lambda w: {"w": w}  # noqa: E731
        return inner(x), squares, g(1)

    names = [name for name, *_ in named(watched(f, 2))]
    assert names == ["squares", "g"]


# calls, loops and branches --------------------------------------------------------------------------------------------


def helper(u, *, v=3):
    """Called by the next one."""
    return u * v


def caller(x, n=2, *more, key=None, **options):
    for k in range(n):
        x = helper(x, v=k + 1)
    return x, key


def test_calls_are_reported_with_their_arguments_and_what_they_return():
    program, seen = Program([caller, helper]), []
    program.run(
        lambda site, value, key=None: (seen.append((site.scope, site.name, site.kind, value)), value)[1],
        lambda p: p[caller](5),
    )
    assert [event for event in seen if event[0] == "helper"][:4] == [
        ("helper", "", "enter", None),
        ("helper", "u", "argument", 5),
        ("helper", "v", "argument", 1),
        ("helper", "return", "return", 5),
    ]
    assert [(name, value) for scope, name, kind, value in seen if scope == "caller" and kind == "argument"] == [
        ("x", 5),
        ("n", 2),
        ("key", None),
    ]
    assert seen[-1] == ("caller", "return", "return", (10, None))
    assert [value for scope, name, kind, value in seen if (scope, name, kind) == ("caller", "x", "assign")] == [5, 10]


def test_self_and_cls_are_no_arguments():
    class Layer:
        def forward(self, x):
            return x

    seen = watched(None, classes=[Layer], call=lambda p: p.instance(Layer()).forward(2))
    assert [site.name for site, *_ in seen] == ["", "x", "return"]
    assert {site.scope for site, *_ in seen} == {Layer.forward.__qualname__}


def test_a_return_knows_which_part_is_which_name():
    def f(h, c):
        if h is None:
            return
        return (h, c), {"c": c}, (h * 2, [c])

    assert watched(f, None, 1)[-1][0].kind == "argument"  # a bare return is not reported
    assert watched(f, [0], 1)[-1][0].uses == (((0, 0), "h"), ((0, 1), "c"), ((2, 1, 0), "c"))


def test_loops_report_each_pass_their_variables_and_what_they_hand_on():
    def f(n):
        h, total = 10, 0
        for t, (x, *_) in enumerate([(1, 2), (3, 4)][:n]):
            old = h
            h = old + x
            new = t
            total += new
        while total:
            total -= 1
        else:
            done = True
        return h, done

    seen = watched(f, 2)
    loop = f.__code__.co_firstlineno + 2
    assert [site.line for site, *_ in seen if site.kind == "pass"] == [loop, loop, loop + 5]
    assert named(seen, "carry") == [
        ("h", "carry", 10),
        ("total", "carry", 0),
        ("h", "carry", 11),
        ("total", "carry", 0),
        ("total", "carry", 1),
    ]
    assert [(name, value) for name, _, value in named(seen) if name in "tx"] == [("t", 0), ("x", 1), ("t", 1), ("x", 3)]
    assert [name for name, *_ in named(seen)][-1] == "done"
    loops = {site.name: site.loop for site, *_ in seen if site.kind in ("assign", "carry")}
    assert loops["h"] == loops["old"] == loop and loops["done"] == 0


def test_a_carry_that_is_not_there_in_the_first_pass_is_not_reported_then():
    def f(n):
        for t in range(n):
            if t > 0:
                seen = last
            last = t
        return seen, last

    assert named(watched(f, 3), "carry") == [("last", "carry", 0), ("last", "carry", 1)]


def test_reading_items_of_what_is_filled_in_a_loop_is_reported_with_the_key():
    def f(x):
        hs, other = {-1: x}, [7, 8]
        before = hs[-1]
        for t in range(2):
            hs[t] = hs[t - 1] + other[t] + before
        return hs[1]

    loads = [(site.name, value, key) for site, value, key in watched(f, 1) if site.kind == "load"]
    assert loads == [("hs", 1, -1), ("hs", 9, 0)]

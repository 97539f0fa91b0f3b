"""Functions that return a loss, gradients under names of their own or none, and more: what is not compared is said."""

import numpy as np
import pytest
from students import write

import tinyrnn as tr
from tinyrnn.sources.user_file import loaded

R = np.random.default_rng(5)
NAMED = """
    def fit(seen, words, goal):
        score = words @ seen
        off = score - goal
        cost = 0.5 * np.sum(off ** 2)
        gradSeen = {seen}
        slope = {words}
        return cost, gradSeen, slope, score
    """
IN_A_LIST = """
    def fit(A, B, p, q, x):
        h = np.tanh(A @ x + p)
        y = np.tanh(B @ h + q)
        cost = np.sum(y ** 2)
        u = 2 * y * (1 - y ** 2)
        v = (B.T @ u) * (1 - h ** 2)
        return np.reshape(cost, (1, 1)), [np.outer(v, x), np.outer(u, h), {p}, {q}], [h, y]
    """
RIGHT = {"seen": "words.T @ off", "words": "np.outer(off, seen)", "p": "v.copy()", "q": "u.copy()"}
SIZES = {"seen": 3, "words": (4, 3), "goal": 4, "A": (3, 3), "B": (3, 3), "p": 3, "q": 3, "x": 3}


def judge(folder, text, **changes):
    with loaded(write(folder, text.format(**RIGHT | changes))) as module:
        r = np.random.default_rng(0)
        names = module.fit.__code__.co_varnames[: module.fit.__code__.co_argcount]
        return tr.lines(module.fit, None, {name: r.normal(size=SIZES[name]) for name in names})


@pytest.mark.parametrize("text", [NAMED, IN_A_LIST])
def test_right_gradients_beside_values_of_the_forward_pass_are_all_right(tmp_path, text):
    report = judge(tmp_path, text)
    assert report.ok, str(report)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("text", "change", "wrong"),
    [
        (NAMED, {"seen": "words.T @ -off"}, ["seen"]),
        (NAMED, {"seen": "0 * seen"}, ["seen"]),
        (NAMED, {"seen": "np.tanh(words.T @ off)"}, ["seen"]),
        (IN_A_LIST, {"p": "2 * v"}, ["p"]),  # the others come in the order of the arguments
        (IN_A_LIST, {"q": "3 * u"}, ["q"]),
        (IN_A_LIST, {"p": "2 * v", "q": "3 * u"}, ["p", "q"]),
    ],
)
def test_a_wrong_one_is_found_whatever_it_is_called(tmp_path, text, change, wrong):
    report = judge(tmp_path, text, **change)
    assert not report.ok and sorted(report.wrong_results) == wrong, str(report)


@pytest.mark.parametrize(
    ("text", "change", "place"),
    [
        (NAMED, {"words": "np.outer(score, seen)"}, "slope"),
    ],
)
def test_where_no_name_says_whose_gradient_it_is_nothing_is_called_right(tmp_path, text, change, place):
    report = judge(tmp_path, text, **change)
    assert not report.ok and f"not compared: {place}" in report.summary()


def test_of_a_variable_that_is_returned_as_it_is_the_line_that_computes_it_is_accused(tmp_path):
    report = judge(tmp_path, NAMED, seen="words.T @ -off")
    texts = dict(report.sources)["fit"]
    assert [texts[row.line].strip() for row in report.wrong] == ["gradSeen = words.T @ -off"]


STATEFUL = """
    class Network:
        def __init__(self, w, h0):
            self.w, self.h0 = w, h0

        def loss(self, x):
            before = np.broadcast_to(self.h0, x.shape)
            h = np.tanh(x + before @ self.w)
            dz = 2 * h * (1 - h**2)
            self.h0 = h[-1:]
            return np.sum(h * h), {"w": before.T @ dz}
    """


@pytest.mark.parametrize("wrong", [None, "dz = 2 * h * (1 - h)"])
def test_an_object_that_keeps_its_last_state_is_judged_from_the_first(tmp_path, wrong):
    source = STATEFUL.replace("dz = 2 * h * (1 - h**2)", wrong) if wrong else STATEFUL
    path = write(tmp_path, source)
    with loaded(path) as module:
        network = module.Network(R.normal(size=(3, 3)), R.normal(size=(1, 3)))
        report = tr.lines(network.loss, {"x": R.normal(size=(2, 3))}, jac=True)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == ({wrong} if wrong else set()), report
    assert report.ok == (wrong is None), report


TUPLE = """
    def run_forward(x, w, v):
        a, b = np.tanh(x * w), np.sin(x * v)
        return a * b, (x, w, v, a, b)

    def run_backward(dout, cache):
        x, w, v, a, b = cache
        da = dout * b * (1 - a * a)
        db = dout * a * np.cos(x * v)
        dw = da * x
        dv = db * x
        dx = da * w + db * v
        found = dv, dw
        return dx, found
    """


@pytest.mark.parametrize("wrong", [None, "dv = db * a"])
def test_gradients_in_a_tuple_that_is_returned_by_its_name_are_compared_by_theirs(tmp_path, wrong):
    path = write(tmp_path, TUPLE.replace("dv = db * x", wrong) if wrong else TUPLE)
    with loaded(path) as module:
        given = {name: R.normal(size=4) for name in "xwv"}
        report = tr.lines(module.run_forward, module.run_backward, given)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert {lines[row.line - 1].strip() for row in report.wrong} == ({wrong} if wrong else set()), report
    assert report.ok == (wrong is None), report

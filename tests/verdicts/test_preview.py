"""Which edits are run, and what that leaves out: those that raise an error where a statement first runs, or give what
another one gave; of generators, labels that nodes have, layers that leave something to what calls them."""

import ast

import numpy as np
import pytest
from students import lines_accused

from tinyrnn.verdicts.repair.change import Change, Pattern
from tinyrnn.verdicts.repair.preview import Preview
from tinyrnn.verdicts.repair.sieve import Look

R = np.random.default_rng(41)
X = R.normal(size=(4, 3))


def preview_of(text, **variables):
    """A `Preview` of a statement where some variables are, and the statement."""
    (statement,) = ast.parse(text).body
    return Preview(statement, [Look({"np": np}, variables)]), statement


def needless(text, new, **variables):
    """Whether an edit of all that a statement gives is needless."""
    preview, statement = preview_of(text, **variables)
    return preview.is_needless(Change(statement, statement.value, Pattern("{a}", a=new)))


def test_an_edit_that_raises_an_error_where_its_statement_first_runs_is_not_run():
    assert needless("y = x @ W", "W @ x", x=X, W=R.normal(size=(3, 5)))


def test_an_edit_that_changes_nothing_is_not_run():
    assert needless("y = x * 2", "x + x", x=X)
    assert not needless("y = x * 2", "x * 3", x=X)


def test_a_copy_is_not_the_array_that_others_have_too():
    assert not needless("y = x", "x.copy()", x=X)
    assert needless("y = x", "x", x=X)


def test_of_a_statement_that_never_runs_no_edit_is_run():
    (statement,) = ast.parse("y = x").body
    assert Preview(statement, []).is_needless(Change(statement, statement.value, Pattern("{a}", a="z")))


def test_an_edit_is_in_vain_once_it_was_asked_of_unless_it_is_kept():
    preview, statement = preview_of("y = x", x=X, z=X + 1)
    change = Change(statement, statement.value, Pattern("{a}", a="z"))
    assert not preview.is_needless(change)
    assert preview.is_needless(change)
    preview.keep(change)
    assert not preview.is_needless(change)


class Counter:
    """An object whose method changes it."""

    def __init__(self):
        self.calls = 0

    def step(self, x):
        self.calls += 1
        return self.calls * x


def test_a_method_that_may_change_its_object_is_not_called_to_see_what_it_gives():
    counter = Counter()
    preview, statement = preview_of("y = counter.step(x)", counter=counter, x=X, z=X + 1)
    assert not preview.is_needless(Change(statement, statement.value.args[0], Pattern("{a}", a="z")))
    assert counter.calls == 0


ROWS = """
    class Cell:
        def __init__(self, W, U):
            self.W, self.U = W, U

        def forward(self, x, h):
            self.x, self.h = x, h
            self.z = 1 / (1 + np.exp(-(x @ self.W)))
            self.n = np.tanh(h @ self.U)
            return (1 - self.z) * self.n + self.z * self.h

        def backward(self, delta):
            x, h = np.atleast_2d(self.x), np.atleast_2d(self.h)
            d1 = self.z * delta
            d2 = self.h * delta
            d3 = self.n * delta
            d4 = d2 - d3
            d5 = d4 * self.z * (1 - self.z)
            d6 = (1 - self.z) * delta
            d7 = d6 * (1 - self.n ** 2)
            self.dW = x.T @ d5
            self.dU = h.T @ d7
            return d5 @ self.W.T, d7 @ self.U.T + d1

    def loss_and_gradients(x, h, W, U):
        cell = Cell(W, U)
        out = cell.forward(x, h)
        dx, dh = cell.backward(out.reshape(1, -1))
        return 0.5 * np.sum(out ** 2), dx.ravel(), dh.ravel(), cell.dW, cell.dU
"""
ROW = {"x": R.normal(size=3), "h": R.normal(size=5), "W": R.normal(size=(3, 5)), "U": R.normal(size=(5, 5)) / 2}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("d2 = self.h * delta", "d2 = self.h"),  # which has one axis, where a gradient has two
        ("d6 = (1 - self.z) * delta", "d6 = delta"),
    ],
    ids=["a forward value alone", "without its gate"],
)
def test_what_only_gets_another_name_lacks_a_factor(tmp_path, right, wrong):
    report, lines = lines_accused(tmp_path, ROWS, right, wrong, ROW)
    assert lines == {wrong}, report


GENERATED = """
    class Words:
        def __init__(self, E, W, contexts, targets):
            self.E, self.W, self.contexts, self.targets = E, W, contexts, targets
            self.dE, self.dW = np.zeros_like(E), np.zeros_like(W)

        def batches(self):
            for k in range(0, len(self.targets), 2):
                yield self.contexts[k : k + 2], self.targets[k : k + 2]

        def forward(self, contexts):
            hidden = np.stack([self.E[one].mean(axis=0) for one in contexts])
            scores = np.exp(hidden @ self.W)
            return hidden, scores / scores.sum(axis=1, keepdims=True)

        def backward(self, contexts, targets, hidden, p):
            d = p.copy()
            d[np.arange(len(targets)), targets] -= 1
            d /= len(targets)
            self.dW += hidden.T @ d
            dh = d @ self.W.T
            for i, context in enumerate(contexts):
                grad = dh[i] / len(context)
                np.add.at(self.dE, context, grad)

    def loss_and_gradients(E, W, contexts, targets):
        model, loss = Words(E, W, contexts, targets), 0.0
        for some, wanted in model.batches():
            hidden, p = model.forward(some)
            loss -= np.log(p[np.arange(len(wanted)), wanted]).mean()
            model.backward(some, wanted, hidden, p)
        return loss, model.dE, model.dW
"""
TEXT = {"E": R.normal(size=(7, 4)), "W": R.normal(size=(4, 7))}
TEXT |= {"contexts": [[0, 1, 2], [3, 1], [4, 5, 6, 3], [2, 6], [5, 0, 1]], "targets": np.array([3, 5, 1, 0, 2])}


def test_a_program_that_draws_its_batches_from_a_generator_is_judged(tmp_path):
    report, _ = lines_accused(tmp_path, GENERATED, "", "", TEXT)
    assert report.ok, report


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("dh[i] / len(context)", "dh[i]"), ("dh[i] / len(context)", "1 / len(context)")],
    ids=["length", "gradient"],
)
def test_of_rows_of_unequal_lengths_what_is_forgotten_is_found(tmp_path, right, wrong):
    report, lines = lines_accused(tmp_path, GENERATED, right, wrong, TEXT)
    assert lines == {f"grad = {wrong}"}, report


LISTED = """
    def loss_and_gradients(x, W, b, V, rho):
        h = np.tanh(x @ W + b)
        y = h @ V
        dV = h.T @ y
        da = y @ V.T * (1 - h ** 2)
        dW, db = x.T @ da, da.sum(axis=0)
        loss = 0.5 * (y ** 2).sum() + 0.5 * rho * ((W ** 2).sum() + (V ** 2).sum())
        return loss, [dW + rho * W, db, dV + rho * V]
"""
WEIGHTS = {"x": X, "W": R.normal(size=(3, 5)), "b": R.normal(size=5), "V": R.normal(size=(5, 2)), "rho": 0.3}


@pytest.mark.parametrize("wrong", ["rho * W, db", "dW + W, db"])
def test_a_term_that_an_entry_of_a_list_lacks_is_found_where_it_is_returned(tmp_path, wrong):
    report, lines = lines_accused(tmp_path, LISTED, "dW + rho * W, db", wrong, WEIGHTS)
    assert len(lines) == 1, report
    assert lines.pop().startswith("return loss"), report


SIGMOID = """
    class Sigmoid:
        def forward(self, x):
            self.y = 1 / (1 + np.exp(-x))
            return self.y

        def backward(self, d):
            slope = self.y * (1 - self.y)
            return d * slope

    def forward(x, W):
        layer = Sigmoid()
        return layer.forward(x @ W), (layer, x, W)

    def backward(dout, cache):
        layer, x, W = cache
        da = layer.backward(dout)
        return da @ W.T, x.T @ da
"""


@pytest.mark.parametrize("wrong", ["slope = (1 - self.y)", "slope = self.y"])
def test_a_backward_pass_is_not_taken_for_a_derivative_that_is_given_what_the_sigmoid_gave(tmp_path, wrong):
    inputs = {"x": X, "W": R.normal(size=(3, 5))}
    report, lines = lines_accused(tmp_path, SIGMOID, "slope = self.y * (1 - self.y)", wrong, inputs)
    assert lines == {wrong}, report

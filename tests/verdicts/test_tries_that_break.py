"""Tries that a program does not survive: a value that its forward pass cannot do with, all memory asked for."""

import ast
import os
from types import SimpleNamespace

import numpy as np
import pytest

import tinyrnn as tr
from tinyrnn.sources.memory import PART, SIZES
from tinyrnn.verdicts.repair.sieve import Look, sieve_of
from tinyrnn.verdicts.subjects.functions import FunctionPair

R = np.random.default_rng(3)


def largest_forward(x, w):
    product = x * w
    largest = product.max()
    for k in range(len(product)):
        if product[k] == largest:
            place = k
    return largest + 0 * product[place], (x, w, place)


def largest_backward(dout, cache):
    x, w, place = cache
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    dx[place] = dout * w[place]
    dw[place] = dout * x[place]
    return dx, dw


def test_a_value_with_which_the_forward_pass_breaks_off_is_one_that_the_loss_depends_on():
    problem = FunctionPair(largest_forward, largest_backward, {"x": R.normal(size=4), "w": R.normal(size=4)})
    truth = problem.truth()
    numbers = {event.site.name: number for number, event in enumerate(truth.events) if event.site.kind == "assign"}
    assert truth.moves(numbers["largest"])  # no entry is equal to another one: `place` is never set


def greedy_forward(x, w):
    return x * w, (x, w)


def greedy_backward(dout, cache):
    x, w = cache
    pages = int(1.5 * PART * os.sysconf("SC_PHYS_PAGES"))
    np.empty(pages * os.sysconf("SC_PAGE_SIZE"), np.uint8)
    return dout * w, dout * x


@pytest.mark.skipif(not SIZES.exists(), reason="the system tells no process how much memory it has")
def test_what_asks_for_all_memory_gets_an_error_that_is_told():
    report = tr.lines(greedy_forward, greedy_backward, {"x": R.normal(size=4), "w": R.normal(size=4)})
    assert not report.ok and "Unable to allocate" in str(report), str(report)


def shares_forward(x, w, kept={}):  # noqa: B006
    if "w" not in kept:
        kept["w"] = w
    return x * kept["w"], x


def shares_backward(dout, x, w):
    return dout * w, dout * x


def test_what_a_program_keeps_between_calls_in_a_default_is_of_one_call_alone():
    problem = FunctionPair(shares_forward, shares_backward, {"x": R.normal(size=4), "w": R.normal(size=4)})
    assert problem.truth().of_input("w").any()


def letters_forward(x, w):
    names = np.array([["a", "b"], ["c", "d"]])
    return x * w, (x, w, names)


def letters_backward(dout, cache):
    x, w, names = cache
    np.random.standard_normal()  # noqa: NPY002
    dw = dout * x / w * names.size
    return dout * w, dw


def test_arrays_of_letters_and_modules_are_left_alone():
    before = np.random.__dict__.copy()
    report = tr.lines(letters_forward, letters_backward, {"x": R.normal(size=4), "w": R.normal(size=4)})
    assert [row.name for row in report.wrong] == ["dw"]
    assert np.random.__dict__ == before


class Spent:
    """What has given all that it had."""

    def values(self):
        raise StopIteration


def test_a_statement_that_raises_anything_when_it_is_tried_by_itself_has_no_sieve():
    statement, unit = ast.parse("dx = spent.values() * 2").body[0], "dx"
    solver = SimpleNamespace(places={unit: [0]}, values={0: np.zeros(2)}, matrix_in_time=lambda unit: np.eye(2))
    solver.goal, solver.came, solver.results = np.ones(2), np.zeros(2), SimpleNamespace(tolerance=1e-9)
    spent = Look({}, {"spent": Spent()})
    assert sieve_of(statement, [(spent, spent)], [unit], solver) is None
    plain = ast.parse("dx = np.ones(2) * 2").body[0]
    there = Look({"np": np}, {})
    assert sieve_of(plain, [(there, there)], [unit], solver) is not None

"""Which small edits of a statement make all results right: each is compiled in the place of the original, and run."""

import ast
import copy
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tinyrnn.sources.reading import NoSource, code_of, read
from tinyrnn.sources.watching import Watcher
from tinyrnn.verdicts.repair.edits import BLOCKS, TOKEN, Edits, headed
from tinyrnn.verdicts.repair.sieve import number_of_targets, sieve_of, targets_of, value_of

MOST_RUNS = 4000  # of the backward pass with an edit, in one search
MOST_OF_A_LINE = 300  # of them with edits of one line, but for the smallest
LOOK = "__look__"


@dataclass
class Edit:
    """An edit that makes all results right. place: (scope, line). weight: of `tinyrnn.verdicts.repair.edits`. before,
    after: the statement. function, tree: whose source it is, and the edited one."""

    place: tuple
    weight: int
    before: str
    after: str
    function: object
    tree: ast.FunctionDef


class Editing:
    """The edits of one backward program. results: the `Results` to compare."""

    def __init__(self, problem, program, forward_result, results):
        self.problem, self.program, self.results = problem, program, results
        self.call = problem.backward_call(forward_result)
        self.runs, self.tried, self.edits, self.sieves = 0, Counter(), {}, {}

    @cached_property
    def functions(self):
        """{scope: the rewritten function}."""
        return {made.original.__qualname__: made for made in self.program.rewritten()}

    def edits_of(self, scope):
        """The `Edits` of a function; None without its source, and where an edit could make it run for ever."""
        if scope not in self.edits:
            made, found = self.functions.get(scope), None
            try:
                tree = made and (self.program.trees.get(made.original) or read(made.original))
                if tree and not any(isinstance(node, ast.While) for node in ast.walk(tree)):
                    found = Edits(tree)
                    for node in ast.walk(found.tree):
                        if isinstance(node, ast.Attribute):
                            Watcher(scope, []).mangle(node)
            except NoSource:
                found = None
            self.edits[scope] = found
        return self.edits[scope]

    def without_units(self, units):
        """(scope, line) of what computes no floats and may be wrong: loops, conditions, calls by themselves, integers;
        in the functions that some units are of."""
        known = {unit.place for unit in units}
        for scope in {unit.place[0] for unit in units}:
            edits = self.edits_of(scope)
            yield from ((scope, line) for line in (edits.lines() if edits else ()) if (scope, line) not in known)

    def found(self, place, weight, units=(), solver=None):
        """The first `Edit` of a line, of that weight, that makes all results right; None if there is none. units: what
        the line computes, if the results are linear in it."""
        scope, line = place
        edits = self.edits_of(scope)
        for old, new in edits.of_line(line, weight) if edits else ():
            sieve = self.sieve(place, old, units, solver)
            if sieve is not None and targets_of(old) == targets_of(new) and not sieve(new):
                continue
            if self.runs >= MOST_RUNS or (self.tried[place] >= MOST_OF_A_LINE and weight > TOKEN):
                return None
            self.tried[place] += 1
            body = block_of(edits.tree, old)
            at = body.index(old)
            body[at] = new
            try:
                if self.is_right(self.functions[scope], edits.tree):
                    texts = ast.unparse(headed(old)), ast.unparse(headed(new))
                    function = self.functions[scope].original
                    return Edit(place, weight, *texts, function, copy.deepcopy(edits.tree))
            finally:
                body[at] = old
        return None

    def sieve(self, place, statement, units, solver):
        """The `Sieve` of a statement, made once; None if it has none."""
        if (place, statement) not in self.sieves:
            found = None
            if len(units) == number_of_targets(statement) and value_of(statement) is not None:
                variables = self.variables(place, statement)
                world = self.functions[place[0]].__globals__
                found = None if variables is None else sieve_of(variables, world, units, solver)
            self.sieves[place, statement] = found
        return self.sieves[place, statement]

    def variables(self, place, statement):
        """A copy of the local variables before a statement runs first; None if it does not."""
        made, edits = self.functions[place[0]], self.edits_of(place[0])
        body, found = block_of(edits.tree, statement), []
        look = ast.parse(f"{LOOK}({{**locals()}})").body[0]
        for node in ast.walk(look):
            ast.copy_location(node, statement)
        at = body.index(statement)
        body.insert(at, look)
        made.__globals__[LOOK] = lambda variables: found or found.append(copy.deepcopy(variables))
        try:
            self.is_right(made, edits.tree)
        finally:
            body.pop(at)
            del made.__globals__[LOOK]
        return found[0] if found else None

    def is_right(self, made, tree):
        """Whether all results are right with another source of a function."""
        self.runs += 1
        before = made.__code__
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made.__code__ = code_of(made.original, tree)
                returned = self.program.run(unwatched, self.call)
                return not self.results.wrong(self.problem.came(returned))
            except Exception:
                return False
            finally:
                made.__code__ = before


def block_of(tree, statement):
    """The list that a statement of a tree stands in."""
    for node in ast.walk(tree):
        for name in BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and any(one is statement for one in block):
                return block
    raise ValueError("the statement is not in this tree")


def unwatched(site, value, key=None):
    """The `watch` of a plain run: every value passes as it is."""
    return value

"""Every small mistake in the source of a function, one at a time: mutants, for trying out what should find mistakes.

    for mutant in mutants(LSTM.step_backward):
        print(mutant)                                               # line 61: factor dropped: dc * c_prev -> dc
        wrong = tinyrnn.sources.compile_function(LSTM.step_backward, mutant.tree)  # is called like the original

kind                  such as                         how people come to make it
index shifted         h[t - 1] -> h[t]                states and inputs are counted from different ends
power changed         x * x -> x                      the exponent is lost, or tanh' taken for sigmoid's
reduction changed     x.sum(axis=0) -> x              the shape fits by broadcasting, or the axes are mixed up
carry missing         s += x -> s = x                 a value used more than once gets one gradient only
statement omitted     s += x -> pass                  a whole path is forgotten
operator swapped      a + b -> a - b                  a slip of the pen, or the inverse operation
sign flipped          -x -> x                         a minus is lost on the way from paper, or remembered twice
term dropped          a + b -> a                      a sum rule cut short: one path of several is forgotten
factor dropped        a * b -> a                      a chain rule cut short: an inner derivative is forgotten
transpose dropped     W.T -> W                        the forward product is copied
transpose added       W -> W.T                        shapes are tried out until the product runs
name swapped          f -> i, p.W_h -> p.W_x          a line is copied and changed in all places but one
arguments exchanged   g(a, b) -> g(b, a)              the order is remembered wrongly
constant changed      1 - x -> 2 - x                  half remembered formulas: a 2 or a 1/2 that cancels, or does not

The kinds go in this order, so a mutant that could be of two kinds is of the first. Whether a mutant runs, and whether
it computes anything else than the original, is for the caller to find out. What is never touched: the signature,
strings, lambdas, what raises errors, imports, type checks, the targets of assignments (but for their indices), and
shapes and dtypes where arrays are made or reshaped. `rules` has the rules, `scope` these limits.
"""

import ast
from functools import cache
from typing import NamedTuple

from tinyrnn.sources.mutation.rules import KINDS
from tinyrnn.sources.mutation.scope import Scope, rebuilt
from tinyrnn.sources.reading import read


class Mutant(NamedTuple):
    """One mistake. line: of the statement in its file, or of the entry in a call, tuple or dict of several lines."""

    kind: str
    line: int
    before: str  # source of the smallest changed piece
    after: str
    tree: ast.FunctionDef  # the whole wrong function, with the line and column numbers of the original
    place: int  # of the changed node in `ast.walk` of the original
    new: ast.AST  # what stands there instead

    def __str__(self):
        return f"line {self.line}: {self.kind}: {self.before} -> {self.after}"


def mutants(function):
    """All mutants of a function or method as a list, in the order of its lines; no two have the same source.

    Raises `tinyrnn.sources.NoSource` if its source is not to be had.
    """
    return mutants_of(read(function))


def mutants_of(original):
    """All mutants of a function's syntax tree (`ast.FunctionDef`), as of `mutants`. What is not changed, their trees
    share with the original."""
    scope = Scope(original)
    places, around = {}, {}
    for place, node in enumerate(ast.walk(original)):
        places[node] = place
        around |= dict.fromkeys(ast.iter_child_nodes(node), node)
    found, seen = [], set()  # seen: (statement, source), of those changed
    written = cache(ast.unparse)
    for kind, rule in KINDS.items():
        for node in scope.sites:
            for old, new in rule(node, scope):
                if old in scope.sites:
                    new = rebuilt(old, {old: new})
                    statement, changed, tree = planted(old, new, around)
                    source = ast.unparse(changed)
                    if source != written(statement) and (statement, source) not in seen:
                        seen.add((statement, source))
                        line, _ = scope.sites[old]
                        found.append(Mutant(kind, line, written(old), ast.unparse(new), tree, places[old], new))
    return sorted(found, key=lambda mutant: mutant.line)


def planted(old, new, around):
    """(innermost statement that `old` is in, that statement with `new` there, the whole tree with it). around: node ->
    the one that it is in."""
    statement = changed = None
    while True:
        if statement is None and isinstance(old, ast.stmt):
            statement, changed = old, new
        if old not in around:
            return statement, changed, new
        outer = around[old]
        fields = {name: exchanged(value, old, new) for name, value in ast.iter_fields(outer)}
        old, new = outer, ast.copy_location(type(outer)(**fields), outer)


def exchanged(value, old, new):
    """The value of a node's field, with `new` for `old`."""
    if isinstance(value, list):
        return [new if item is old else item for item in value]
    return new if value is old else value


def combine(function, mutants):
    """The tree of `function` with several of its mutants at once; ValueError where one lies within another."""
    original = read(function)
    nodes = list(ast.walk(original))
    for one in mutants:
        for other in mutants:
            if one is not other and nodes[other.place] in ast.walk(nodes[one.place]):
                raise ValueError(f"these mutants change the same piece of source: {one}; {other}")
    return rebuilt(original, {nodes[mutant.place]: mutant.new for mutant in mutants})

"""The code of a rewritten function that reports at some of its sites alone, or at none: of programs that work number by
number, reports take most of the time, and often only one of them is asked for."""

import ast
import copy
import weakref
from types import CodeType

from tinyrnn.sources.reading import code_of

EVERY = None  # stands for all sites


class Reporting:
    """What a function is run as. tree: that of the function, which reports everywhere, with the `Site`s of `sites`,
    that it knows as `known_as`."""

    def __init__(self, function, tree, sites, known_as):
        self.function = weakref.ref(function)  # as long as it is there, this is kept for it
        self.tree, self.sites, self.known_as = tree, sites, known_as
        self.numbers = {id(site): number for number, site in enumerate(sites)}
        self.codes = {EVERY: code_of(function, tree)}  # {numbers of sites: the code that reports there alone}

    def code(self, ids=EVERY) -> CodeType:
        """The code that reports at the sites of these ids, as many of them as are its own."""
        own = EVERY if ids is EVERY else frozenset(self.numbers[one] for one in ids if one in self.numbers)
        if own not in self.codes:
            tree = Silencing(self.known_as, own).visit(copy.deepcopy(self.tree))
            self.codes[own] = code_of(self.function(), tree)
        return self.codes[own]

    def is_own(self, code):
        """Whether a code is one of those, and not put in the place of it."""
        return any(code is one for one in self.codes.values())


class Silencing(ast.NodeTransformer):
    """Takes out of a function the reports of all sites but some, by their numbers."""

    def __init__(self, known_as, numbers):
        self.known_as, self.numbers = known_as, numbers

    def visit(self, node):
        """What stands in place of a node; a pass in place of a whole block of reports."""
        made = super().visit(node)
        if getattr(made, "body", None) == []:
            made.body = [ast.copy_location(ast.Pass(), node)]
        return made

    def is_needless(self, node):
        """Whether an expression is such a report."""
        match node:
            case ast.Call(func=ast.Name(id="__watch__"), args=[ast.Subscript(ast.Name(id=name), ast.Constant(n)), *_]):
                return name == self.known_as and n not in self.numbers
        return False

    def visit_Call(self, node):
        """The value that is reported, in place of its report."""
        self.generic_visit(node)
        return node.args[1] if self.is_needless(node) else node

    def visit_Expr(self, node):
        """Nothing in place of a report by itself, of what was filled or begins here; but what it calls."""
        calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
        return None if self.is_needless(node.value) and len(calls) == 1 else self.generic_visit(node)

    def visit_Assign(self, node):
        """Nothing in place of `foo = __watch__(site, foo)`."""
        if self.is_needless(node.value) and ast.unparse(node.targets) == ast.unparse(node.value.args[1]):
            return None
        return self.generic_visit(node)

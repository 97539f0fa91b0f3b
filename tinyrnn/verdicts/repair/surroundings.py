"""What is there where the functions of a backward program run, and what of the program's other functions may be meant
there: noted in the `Edits` of a function before any is tried."""

import ast
from functools import cached_property, partial
from itertools import chain, islice

import numpy as np

from tinyrnn.sources.closures import names_around
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.repair.around import (
    called,
    conditions_in,
    cut_off_in,
    entries_in,
    is_array,
    is_bare,
    is_mask,
    is_number,
    is_there,
    kept,
    kind_of,
    left_out,
    own_activation,
    products_of,
    rows_forgotten,
    slopes_left_out,
    words_of_keys,
)
from tinyrnn.verdicts.repair.penalties import penalties_in
from tinyrnn.verdicts.repair.replacements import is_fraction
from tinyrnn.verdicts.repair.slopes import siblings_left_out
from tinyrnn.verdicts.repair.standing_for import divisors_given, divisors_in
from tinyrnn.verdicts.repair.statements import ACTIVATION

OF_NUMPY = set(dir(np)) | set(dir(np.ndarray))
MOST_FRACTIONS = 8  # of a program
MOST_READ = 12  # entries of arrays that other functions read


class Surroundings:
    """The surroundings of the functions of a `program`, of which `tree_of`, a method of what has them, gives the
    syntax trees. masks: {scope: names of variables that are zeros and ones}. owners: {scope: the object whose method it
    is}."""

    def look_around(self, scope, edits, look):
        """Note what is there where a function ends, or a loop in it: masks, whole numbers, what boxes hold."""
        self.owners[scope] = look.locals.get("self")
        own = {f"self.{name}": one for name, one in getattr(look.locals.get("self"), "__dict__", {}).items()}
        masks = [name for name, one in (look.locals | own).items() if is_mask(one)]
        self.masks[scope] = tuple(dict.fromkeys([*self.masks.get(scope, ()), *masks]))
        wide = [f"{name}[..., None]" for name in masks]
        read = filter(partial(is_array, look), [text for text in self.entries if text not in edits.atoms])
        edits.atoms = list(
            dict.fromkeys([*edits.atoms, *kept(look, edits.tree, self.never_read), *wide, *islice(read, MOST_READ)])
        )
        forgotten = filter(
            partial(is_array, look), (*names_around(self.functions[scope].original), *rows_forgotten(own, edits))
        )
        edits.atoms = list(dict.fromkeys([*edits.atoms, *islice(forgotten, MOST_READ)]))
        edits.functions = list(dict.fromkeys([*edits.functions, *left_out(look, edits)]))
        edits.wraps = list(dict.fromkeys([*edits.functions, *own_activation(look), *self.activations]))
        edits.divisors = list(dict.fromkeys([*edits.divisors, *filter(partial(is_number, look), self.divisors)]))
        there = [pattern for test, pattern in self.conditions if is_there(look, test)]
        is_relu = "relu" in scope.lower()  # of which it does not say how it cuts off
        named = [(atom, called(ast.parse(atom, mode="eval").body)) for atom in edits.atoms]
        cut_off = [atom for atom, name in named if name in self.cut_off or is_relu]
        there += [f"{{e}} * ({atom} > 0)" for atom in cut_off if is_array(look, atom)]
        edits.conditions = list(dict.fromkeys([*edits.conditions, *there]))
        edits.picks = list(dict.fromkeys([*edits.picks, *(a for a in edits.atoms if kind_of(look, a) == "i")]))
        edits.switches = self.switches
        world = self.functions[scope].original.__globals__
        slopes = slopes_left_out(look, edits.tree) | siblings_left_out(world, edits.tree)
        edits.uncalled |= slopes.keys()
        edits.slopes = list(dict.fromkeys([*edits.slopes, *islice(chain(*slopes.values()), MOST_READ)]))
        penalties = [text for text in self.penalties if is_array(look, text)]
        edits.penalties = list(dict.fromkeys([*edits.penalties, *penalties]))
        factors = [a for a in edits.atoms if is_number(look, a) and kind_of(look, a) == "f"]
        edits.factors = list(dict.fromkeys([*edits.factors, *factors]))
        edits.fractions, edits.choices = self.fractions, self.choices
        edits.products = list(dict.fromkeys([*edits.products, *products_of(look, edits.atoms, edits.unread)]))
        edits.words |= words_of_keys(look, edits.tree)
        edits.bare |= {atom for atom in edits.atoms if is_bare(look, atom)}
        edits.flags = list(dict.fromkeys([*edits.flags, *(a for a in (*edits.atoms, *own) if kind_of(look, a) == "b")]))

    @cached_property
    def never_read(self):
        """The names of the attributes that the functions of the program set and none of them reads."""
        trees = map(self.tree_of, self.program.originals())
        nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        read = {node.attr for node in nodes if isinstance(node.ctx, ast.Load)}
        return {node.attr for node in nodes if isinstance(node.ctx, ast.Store)} - read

    @cached_property
    def penalties(self):
        """The sources of the gradients of the penalties that the functions of the program add to a loss."""
        trees = map(self.tree_of, self.program.originals())
        return list(dict.fromkeys(text for tree in trees for text in penalties_in(tree)))[:MOST_FRACTIONS]

    @cached_property
    def entries(self):
        """The sources of the entries of arrays that the functions of the program read: what one is multiplied by in the
        forward pass is a factor in the backward pass, and may be mentioned there once alone."""
        trees = map(self.tree_of, self.program.originals())
        return list(dict.fromkeys(text for tree in trees for text in entries_in(tree)))

    @cached_property
    def conditions(self):
        """What the functions of the program only do where something holds, as `conditions_in` has it."""
        trees = map(self.tree_of, self.program.originals())
        return list(dict.fromkeys(one for tree in trees for one in conditions_in(tree)))

    @cached_property
    def switches(self):
        """{what the functions of the program call: the keywords that it is given there that are true or false, such as
        `derivative=True`}."""
        trees, found = map(self.tree_of, self.program.originals()), {}
        for call in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)):
            for one in call.keywords:
                if one.arg and isinstance(one.value, ast.Constant) and isinstance(one.value.value, bool):
                    found.setdefault(name_of(call.func), {})[one.arg] = one.value.value
        return {name: keywords for name, keywords in found.items() if name and name not in OF_NUMPY}

    @cached_property
    def choices(self):
        """The texts that the functions of the program compare something with, as in `if activation == "relu":`."""
        nodes = [node for one in self.program.originals() for node in ast.walk(self.tree_of(one))]
        compared = [part for node in nodes if isinstance(node, ast.Compare) for part in ast.walk(node)]
        texts = [part.value for part in compared if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        return list(dict.fromkeys(texts))[:MOST_FRACTIONS]

    @cached_property
    def fractions(self):
        """The numbers in the functions of the program that are no whole ones, nor so small that they only keep others
        clear of zero: the slope of a leaky ReLU is one in its derivative too."""
        nodes = [node for one in self.program.originals() for node in ast.walk(self.tree_of(one))]
        numbers = dict.fromkeys(node.value for node in nodes if isinstance(node, ast.Constant) and is_fraction(node))
        return list(numbers)[:MOST_FRACTIONS]

    @cached_property
    def cut_off(self):
        """The names of what the functions of the program give a ReLU, and of what that gives."""
        trees = map(self.tree_of, self.program.originals())
        return {name for tree in trees for name in cut_off_in(tree)} - {""}

    @cached_property
    def divisors(self):
        """The sources of what the functions of the program divide by, and is worked out there."""
        trees = list(map(self.tree_of, self.program.originals()))
        found = [text for tree in trees for text in divisors_in(tree)]
        return list(dict.fromkeys([*found, *divisors_given(trees)]))

    @cached_property
    def activations(self):
        """The sources of the functions of one argument that the program calls and are one by their names; and NumPy's
        `tanh` where only a derivative goes by that name, as of `{"tanh": (np.tanh, tanh_slope)}`."""
        originals = self.program.originals()
        calls = [node for tree in map(self.tree_of, originals) for node in ast.walk(tree) if isinstance(node, ast.Call)]
        functions = dict.fromkeys(ast.unparse(call.func) for call in calls if len(call.args) == 1)
        found = [text for text in functions if ACTIVATION.search(text.rpartition(".")[2])]
        is_left = not any("tanh" in text for text in found) and any("tanh" in one.__name__ for one in originals)
        return [*found, "np.tanh"] if is_left else found

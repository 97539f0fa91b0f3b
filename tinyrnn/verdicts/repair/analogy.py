"""What a statement may have been meant to be: the same as one beside it, or with what a loop hands on."""

import ast
import copy
import re
from collections import Counter
from itertools import count, islice, product

from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.repair.gates import terms_of
from tinyrnn.verdicts.repair.statements import look_of, same_at_start

LONGEST = 8  # letters by which two names may differ: f and i, query and key
MOST_GRADIENTS, MOST_WEIGHTS = 6, 40  # that are tried as what is handed on
MOST_TERMS = 24  # that are tried as what a sum lacks
WHOLE = re.compile(r"""[\w.]+(?:\[(['"])\w+\1\])?""")  # no entry of an array
WORD = re.compile(r"\w+")
LAYOUTS = ("{d} @ {w}", "{d} @ {w}.T", "{w} @ {d}", "{w}.T @ {d}")


def as_others(statement, statements, known):
    """The values that a statement would have if it were as other ones, with its own index or its own names: that of
    `di = da * c` for `df`, with f for i. known: the names that there are."""
    own = target_of(statement) or first_of(statement)
    for other in statements:
        its = target_of(other) or first_of(other)
        if other is statement or type(other) is not type(statement) or own is None or its is None:
            continue
        changed = at_index(other.value, its, own) or renamed(other.value, base_of(its), base_of(own), known)
        if changed is not None and ast.unparse(changed) != ast.unparse(statement.value):
            yield changed


def with_terms_of(statement, statements, known):
    """The value of a statement with the terms more that others like it have, with its own names: `lambda_ * W1` of
    `dW1`, where `dW2 = d2 @ a2.T + lambda_ * W2`."""
    own, value = target_of(statement), statement.value
    mine = {*map(look_of, terms_of(value))}
    for other in (one for one in statements if own is not None and target_of(one) is not None):
        names = base_of(target_of(other)), base_of(own)
        terms = {look_of(term): term for term in terms_of(other.value)}
        more = [term for look, term in terms.items() if look not in mine]
        if names[0] != names[1] and more and len(more) < len(terms):
            for term in (renamed(term, *names, known) or term for term in more):
                yield ast.BinOp(value, ast.Add(), term)


def as_twins(statement, statements):
    """The values that other statements have which set the same, word for word: in another loop, or branch."""
    own, value = ast.unparse(target_of(statement) or ast.Tuple([])), ast.unparse(statement.value)
    for other in (one for one in statements if type(one) is type(statement) and target_of(one) is not None):
        if ast.unparse(target_of(other)) == own and ast.unparse(other.value) != value:
            yield other.value


def as_in_row(several):
    """(a part of one of several things, what stands in its place in all others, but for the number of each): of the
    gates in `(df * f[0](z[0]), di * f[1](i), do * f[2](z[2]))` z[1] for i."""
    for j, one in enumerate(several if len(several) > 2 else ()):
        others = [dict(differences(one, renumbered(other, i, j))) for i, other in enumerate(several) if i != j]
        for node, new in others[0].items():
            if all(node in other and ast.unparse(other[node]) == ast.unparse(new) for other in others[1:]):
                yield node, new


def renumbered(expression, old, new):
    """A copy of an expression with one whole number for another."""
    made = copy.deepcopy(expression)
    for node in ast.walk(made):
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value == old:
            node.value = new
    return made


def differences(one, other):
    """(a node of one expression, the node in its place in another one) of the innermost values by which they differ."""
    if type(one) is not type(other) or isinstance(one, ast.Name | ast.Attribute | ast.Subscript | ast.Constant):
        if isinstance(one, ast.expr) and isinstance(other, ast.expr) and ast.unparse(one) != ast.unparse(other):
            yield one, other
        return
    own, its = list(ast.iter_child_nodes(one)), list(ast.iter_child_nodes(other))
    if len(own) != len(its):
        yield one, other
        return
    for pair in zip(own, its, strict=True):
        yield from differences(*pair)


def handed_on_by_loops(atoms, loops):
    """The texts of what a loop may hand on: gradients of this step, or of the one after or before, times a weight."""
    plain = [atom for atom in atoms if WHOLE.fullmatch(atom)]
    weights = [atom for atom in plain if not names_gradients(WORD.findall(atom)[-1])][:MOST_WEIGHTS]
    gradients = [atom for atom in atoms if names_gradients(atom.partition("[")[0].rpartition(".")[2])]
    stepped = [atom for atom in gradients if set(WORD.findall(atom.partition("[")[2])) & set(loops)]
    carried = [atom for atom in gradients if atom.isidentifier()]  # rather than the gradients of weights in a box
    gradients = list(dict.fromkeys([*stepped, *carried, *gradients]))[:MOST_GRADIENTS]
    moved = [text for atom in gradients for loop in loops for by in (1, -1) if (text := at_step(atom, loop, by))]
    for layout, d, w in product(LAYOUTS, dict.fromkeys([*moved, *gradients]), weights):
        yield layout.format(d=d, w=w)


def at_step(atom, loop, by):
    """An entry of an array at the step beside the one that it is read at: `dh[t + 1]` for `dh[t]`; None of no entry."""
    node = ast.parse(atom, mode="eval").body
    if not isinstance(node, ast.Subscript) or loop not in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}:
        return None
    return ast.unparse(replaced(node, {loop: ast.parse(f"{loop} + {by}", mode="eval").body}))


def missing_terms(node, known):
    """The terms that a sum may lack, going by those that it has: `Wo.T @ do` beside `Wf.T @ df` and `Wi.T @ di`, or
    `W_output.T @ d_o` beside `W_forget.T @ d_f`. known: the names that there are."""
    alike = {}
    for term in terms_of(node):
        alike.setdefault(WORD.sub("_", ast.unparse(term)), []).append(ast.unparse(term))
    for several in (several for several in alike.values() if len(set(several)) > 1):
        rows = [WORD.findall(text) for text in several]
        columns = {k: Column(words) for k, words in enumerate(zip(*rows, strict=True)) if len(set(words)) > 1}
        tells = all(len(set(letters)) == 1 for letters in zip(*(c.letters for c in columns.values()), strict=True))
        found = product(*(column.others(known) for column in columns.values()))
        found = (names for names in found if not tells or len({letter for _, letter in names}) == 1)
        for names in islice(found, MOST_TERMS):
            new = {k: name for k, (name, _) in zip(columns, names, strict=True)}
            yield ast.parse(with_words(several[0], new), mode="eval").body


def functions_of_terms(node):
    """The sources of the functions of one argument that several terms of a sum are: `np.log` of `np.log(a) +
    np.log(b)`."""
    calls = [term for term in terms_of(node) if isinstance(term, ast.Call) and len(term.args) == 1]
    times = Counter(ast.unparse(call.func) for call in calls)
    return [text for text, count in times.items() if count > 1]


def with_words(text, new):
    """A text with some of its words replaced. new: {place: word}."""
    place = count()
    return WORD.sub(lambda word: new.get(next(place), word[0]), text)


def start_of(words):
    """What all words begin with."""
    first, last = min(words), max(words)  # by the alphabet: all others begin with what these two do
    return first[: same_at_start(first, last)]


class Column:
    """The names that stand in one place of several terms: what they have in common, and the letters that tell them."""

    def __init__(self, words):
        self.words = words
        self.start = start_of(words)
        self.end = "" if self.start else start_of([word[::-1] for word in words])[::-1]
        self.letters = [self.letter(word) for word in words]

    def letter(self, word):
        """The first letter of what a name has for itself."""
        return word[len(self.start) : len(word) - len(self.end)][:1].lower()

    def others(self, known):
        """[(another name that has the same in common, its letter)]."""
        alike = [name for name in sorted(known) if name.startswith(self.start) and name.endswith(self.end)]
        is_one = bool(self.start + self.end)
        return [(name, self.letter(name)) for name in alike if is_one and name not in self.words]


def target_of(statement):
    """What a statement sets, if that is one thing; else None."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return targets[0] if len(targets) == 1 and not isinstance(targets[0], ast.Tuple | ast.List) else None


def first_of(statement):
    """The first of several things that a statement sets from as many values; else None."""
    targets, value = getattr(statement, "targets", [None]), statement.value
    is_several = isinstance(targets[0], ast.Tuple) and isinstance(value, ast.Tuple | ast.IfExp)
    return targets[0].elts[0] if is_several else None


def base_of(node):
    """The name that is set: `dW` of `dW[t]` and of `self.dW`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def at_index(value, its, own):
    """The value of an entry with the index of another entry of the same array in its place; None of no such two."""
    if not (isinstance(its, ast.Subscript) and isinstance(own, ast.Subscript)):
        return None
    if ast.unparse(its.value) != ast.unparse(own.value):
        return None
    pairs = list(zip(parts_of(its), parts_of(own), strict=False))
    new = {ast.unparse(a): b for a, b in pairs if not isinstance(a, ast.Slice) and ast.unparse(a) != ast.unparse(b)}
    return replaced(value, new) if new else None


def parts_of(node):
    """The parts of an index."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def replaced(tree, new):
    """A copy of an expression with others in the place of those of some texts, where they are read: what a
    comprehension runs with stays."""

    class Replacing(ast.NodeTransformer):
        def visit(self, node):
            is_read = isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
            known = is_read and ast.unparse(node) in new
            return copy.deepcopy(new[ast.unparse(node)]) if known else self.generic_visit(node)

    return Replacing().visit(copy.deepcopy(tree))


def renamed(value, its, own, known, any_key=False):
    """A value with its names changed as one name is into another, where there are such; None if there are none.
    any_key: whether keys are changed too of which the function has no others."""
    start = same_at_start(its, own)
    rest, more = its[start:], own[start:]
    end = next((k for k, (a, b) in enumerate(zip(rest[::-1], more[::-1], strict=False)) if a != b), 0)
    old, new = rest[: len(rest) - end], more[: len(more) - end]
    if not (0 < len(old) <= LONGEST and 0 < len(new) <= LONGEST):
        return None
    made, changes = copy.deepcopy(value), 0
    for node in ast.walk(made):
        for field in ("id", "attr", "value"):
            name = getattr(node, field, None)
            ways = ((old, new), (old.upper(), new.upper())) if isinstance(name, str) else ()
            there = None if any_key and field == "value" else known
            if other := next(filter(None, (as_known(name, *way, there) for way in ways)), None):
                setattr(node, field, other)
                changes += 1
    return made if changes else None


def as_known(name, old, new, known):
    """A name with `new` in one place of `old`, or in all of them, if there is such a name; else None. known: the names
    that there are; None where there may be any."""
    places = [k for k in range(len(name)) if name.startswith(old, k)]
    found = [name[:k] + new + name[k + len(old) :] for k in places]
    found = (one for one in [*found, name.replace(old, new)] if one != name)
    return next((one for one in found if known is None or one in known), None)

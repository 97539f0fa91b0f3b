"""The edits of a statement: what a slip of the pen, or a part that was forgotten, may have made of what was meant."""

import ast
import functools
import itertools
import re
from collections import Counter

from tinyrnn.sources.mutation.rules import KINDS
from tinyrnn.sources.mutation.scope import but, number
from tinyrnn.sources.syntax import leaves_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.repair.analogy import (
    WHOLE,
    as_in_row,
    as_others,
    as_twins,
    functions_of_terms,
    handed_on_by_loops,
    missing_terms,
    replaced,
    target_of,
    with_terms_of,
)
from tinyrnn.verdicts.repair.around import word_of
from tinyrnn.verdicts.repair.change import FORMULA, PIECE, TOKEN, Pattern
from tinyrnn.verdicts.repair.edits_of_expressions import SLOPES, OfExpressions
from tinyrnn.verdicts.repair.forgotten import left_over
from tinyrnn.verdicts.repair.likeness import labels_of
from tinyrnn.verdicts.repair.replacements import (
    added_at,
    is_difference,
    is_product,
    is_product_call,
    is_square,
    kept_results,
    mentions,
    other_assignments,
    other_blocks,
    parsed,
    row_by_row,
    square_of,
)
from tinyrnn.verdicts.repair.statements import (
    DERIVES,
    IDENTIFIER,
    NEARLY,
    bound_in,
    filled_in,
    given_numbers,
    handed_on,
    indices_of,
    is_name,
    is_no_value,
    likeness,
    look_of,
    own_nodes,
    parts_beside,
    wholes_in,
    wholes_of,
)
from tinyrnn.verdicts.repair.texts import only_given
from tinyrnn.verdicts.repair.windows import (
    cropped,
    further,
    other_way_through,
    other_windows,
    with_ends_exchanged,
    without_steps,
)

SLIPS = [rule for kind, rule in KINDS.items() if kind not in ("statement omitted", "name swapped", "carry missing")]
OUTPUT = re.compile(r"y|o|h|s|out\w*|y_\w+|act\w*", re.IGNORECASE)  # names of what an activation gives
STEPS = "{}", "{} + 1", "{} - 1"  # at which a step is read, where a number stands
SCALED = ("2 * {e}", "0.5 * {e}", "4 * {e}", "0.25 * {e}", "3 * {e}")
LENGTH = "{e} / len({a})"
AVERAGED = ("{e} / {e}.shape[0]", "{e} / {e}.shape[-1]")


def as_beside(nodes, named):
    """(an entry of a tuple or list that is a variable or attribute as it is, what it would be like another entry):
    `scale * db` of `db` beside `scale * dW`. named: {variable: what it stands for there}."""
    for box in (node for node in nodes if isinstance(node, ast.Tuple | ast.List)):
        values = {one: named.get(getattr(one, "id", None), one) for one in box.elts}
        plain = [one for one, value in values.items() if isinstance(value, ast.Name | ast.Attribute)]
        others = {look_of(value): value for one, value in values.items() if one not in plain and plain}.values()
        for entry, other in itertools.product(plain, others):
            atoms = {ast.unparse(one) for one in ast.walk(other) if isinstance(one, ast.Name | ast.Attribute)}
            yield from ((entry, replaced(other, {atom: entry})) for atom in sorted(atoms))


def with_entries_exchanged(statement):
    """What an assignment may have been meant to be with two entries of one array in each other's place:
    `d[h + at[0], w + at[1]] = g` for `d[h + at[1], w + at[0]] = g`."""
    nodes = list(own_nodes(statement)) if isinstance(statement, ast.Assign | ast.AugAssign) else ()
    entries = [
        n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load) and number(n.slice) is not None
    ]
    several = {ast.unparse(node): node for node in entries}
    for (one, node), (other, second) in itertools.combinations(several.items(), 2):
        if ast.unparse(node.value) == ast.unparse(second.value):
            yield replaced(statement, {one: second, other: node})


def with_indices_exchanged(node):
    """An entry with two of its places in each other's place: `m[t][i][j]` for `m[t][j][i]`, `w[i, j]` for `w[j, i]`."""
    inner = node.value
    if isinstance(inner, ast.Subscript) and not isinstance(inner.slice, ast.Slice | ast.Tuple):
        if not isinstance(node.slice, ast.Slice | ast.Tuple):
            yield but(node, slice=inner.slice, value=but(inner, slice=node.slice))
    places = node.slice.elts if isinstance(node.slice, ast.Tuple) else ()
    for (k, one), (j, other) in itertools.combinations(enumerate(places), 2):
        if not any(isinstance(place, ast.Slice | ast.Constant) for place in (one, other)):
            turned = list(places)
            turned[k], turned[j] = other, one
            yield but(node, slice=but(node.slice, elts=turned))


def cut_off_at(statement):
    """What is asked of the entries that a statement sets to zero, `x < 0` of `d[x < 0] = 0`; None of any other."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Compare() as asked)], value=ast.Constant(value=0 | 0.0)):
            return asked
        case _:
            return None


def at_one_place(statement, picks):
    """What is done to all of an array, done to one entry: `d[target] -= 1` for `d -= 1`. picks: the sources of whole
    numbers."""
    match statement:
        case ast.AugAssign(target=ast.Name() as target, value=ast.Constant()):
            array = ast.Name(target.id, ast.Load())
            places = (parsed(one) for one in picks if one != target.id)
            yield from (but(statement, target=ast.Subscript(array, place, ast.Store())) for place in places)


class OfStatements(OfExpressions):
    """The edits of statements and of the expressions in them, of a function of which `Edits` tells what there is."""

    def of_statement(self, statement, atoms):
        """(weight, node, what to put in its place) of all edits of a statement. atoms: what may be put in."""
        for node in filter(is_difference, own_nodes(statement)):  # rather than its sign
            yield TOKEN, node, but(node, left=node.right, right=node.left)
        others = *other_assignments(statement), *kept_results(statement), *added_at(statement)
        others = *others, *self.rows_alone(statement), *at_one_place(statement, self.picks)
        yield from ((TOKEN, statement, new) for new in others)
        yield from ((TOKEN, old, new) for old, new in self.nearly_named(statement))
        for entry in (one for one in own_nodes(statement) if isinstance(one, ast.Subscript)):
            if self.text.count(ast.unparse(entry)) > 1:  # one may be of another block
                yield from ((TOKEN, old, new) for old, new in other_blocks(entry))
        if isinstance(statement, ast.For):
            yield from ((TOKEN, old, new) for old, new in other_way_through(statement.iter))
        asked = cut_off_at(statement)
        others = [found[1] for one in self.conditions if (found := re.fullmatch(r"\{e\} \* \((.*) > 0\)", one))]
        yield from ((PIECE, asked, parsed(f"{other} <= 0")) for other in others if asked)
        for rounds in (one for one in own_nodes(statement) if isinstance(one, ast.ListComp | ast.GeneratorExp)):
            for name in left_over(rounds):  # which may be what each is added to
                yield TOKEN, rounds.elt, Pattern("{a} + {e}", ast.unparse(rounds.elt), name)
        nodes, names = list(own_nodes(statement)), handed_on(statement, only_given(self.tree))
        for node in names:
            yield from ((TOKEN, node, Pattern("{a}", a=atom)) for atom in atoms)
            numbers = dict.fromkeys([*self.picks, *self.divisors])  # a mean that is only made where it is returned
            yield from ((PIECE, node, Pattern("{e} / ({a})", node.id, text)) for text in numbers)
            yield from ((PIECE, node, Pattern(pattern, node.id)) for pattern in self.conditions)
            yield from ((PIECE, node, parsed(text)) for text in self.larger.get(node.id, ()))
            idle = sorted(name for name in self.unread if name.isidentifier() and name != node.id)
            yield from ((PIECE, node, Pattern("{e} + {a}", node.id, name)) for name in idle)
        if isinstance(statement, ast.Return) and DERIVES.search(self.tree.name):  # of what is handed on as it is
            yield TOKEN, statement.value, Pattern("np.ones_like({e})", ast.unparse(statement.value))
        if isinstance(statement, ast.Return):
            yield from ((PIECE, entry, new) for entry, new in as_beside(nodes, self.named_at(statement)))
        nodes = [node for node in nodes if node not in names]
        for node in nodes:
            row = node.args if isinstance(node, ast.Call) else getattr(node, "elts", ())
            yield from ((TOKEN, old, new) for old, new in as_in_row(row))
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
                yield TOKEN, node, node.operand
            if isinstance(node, ast.Subscript) and ast.unparse(node.slice) in self.flags:
                yield TOKEN, node.slice, ast.UnaryOp(ast.Invert(), node.slice)
            if isinstance(node, ast.Subscript):
                yield from ((TOKEN, node, new) for new in with_indices_exchanged(node))
                yield from ((TOKEN, old, new) for old, new in row_by_row(node, self.picks))
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Compare):
                yield from ((TOKEN, node.slice, Pattern("{a}", a=flag)) for flag in self.flags)
        for rule in SLIPS:
            for node in nodes:
                if node in self.scope.sites:
                    yield from ((TOKEN, old, new) for old, new in rule(node, self.scope))
        yield from ((TOKEN, statement.value, new) for new in self.everywhere(statement, nodes, atoms))
        if isinstance(getattr(statement, "value", None), ast.BinOp):
            yield from ((PIECE, statement.value, new) for new in self.activated_throughout(statement.value))
        yield from ((TOKEN, old, new) for old, new in self.with_counters_exchanged(statement))
        yield from ((TOKEN, statement, new) for new in with_entries_exchanged(statement))
        indices = [index for node in nodes for index in indices_of(node)]
        for index in indices:
            is_number = not isinstance(index, ast.Name | ast.BinOp) and id(statement) in self.looped
            loops = sorted(self.scope.loops) if id(statement) in self.looped else []
            steps = [step.format(loop) for loop in loops for step in (STEPS if is_number else STEPS[:1])]
            others = dict.fromkeys([*self.indices, *self.unread, *steps])
            yield from ((TOKEN, index, Pattern("{a}", a=text)) for text in others if text != ast.unparse(index))
        numbered = [index for index in (*indices, getattr(statement, "value", None)) if is_name(index)]
        for index in (index for index in numbered if index.id in self.scope.loops):  # counted from the end
            lengths = (one for one in self.picks if not (one in self.scope.loops or names_gradients(one)))
            yield from ((TOKEN, index, Pattern("{a} - 1 - {e}", index.id, text)) for text in lengths)
        for node in (node for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)):
            word, words = word_of(node.slice), self.words.get(ast.unparse(node.value), ())
            yield from ((TOKEN, word, ast.Constant(other)) for other in words if word and other != word.value)
        unused = sorted(name for name in self.unread if not names_gradients(name))
        for of, whole in ((node, whole) for node in nodes for whole in wholes_in(node)):  # where a part was meant
            yield from ((TOKEN, whole, ast.Constant(place)) for place in (0, -1) if of.slice is whole)
            yield from ((TOKEN, whole, Pattern("{a}", a=name)) for name in unused)
        for node in given_numbers(nodes):
            yield from ((TOKEN, node, Pattern("{a}", a=atom)) for atom in atoms)
        factors = {id(part) for node in nodes if is_product(node) for part in (node.left, node.right)}
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        counted = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "len"]
        called |= {id(one) for node in counted for one in node.args}  # whose length may by chance be another number
        yield from ((TOKEN, one, Pattern("{a}", a=name)) for node in counted for one in node.args for name in unused)
        keys = [node.slice for node in nodes if isinstance(node, ast.Subscript) and word_of(node.slice)]
        called |= {id(one) for key in keys for one in ast.walk(key) if isinstance(one, ast.BinOp | ast.Call)}  # texts
        filled = filled_in(statement)
        for node in nodes:
            if id(node) in filled:
                yield from ((TOKEN, node, Pattern("{a}", a=atom)) for atom in atoms if WHOLE.fullmatch(atom))
            elif isinstance(node, ast.expr) and id(node) not in called and not is_no_value(node):
                edits = ((weight, node, new) for weight, new in self.of_expression(node, id(node) in factors, atoms))
                yield from filter(self.is_of_loop if isinstance(statement, ast.For) else None, edits)

        if statement in self.likeness:
            yield from ((TOKEN, statement.value, one) for one in as_twins(statement, self.likeness))
            yield from ((PIECE, statement.value, one) for one in self.as_others(statement))
            more = with_terms_of(statement, self.likeness, self.names)
            yield from ((PIECE, statement.value, one) for one in more)
        if statement in self.likeness and id(statement) in self.looped:
            text = ast.unparse(statement.value)
            made = [ast.unparse(target) for one in self.likeness if isinstance(target := target_of(one), ast.Subscript)]
            unread_first = sorted(self.atoms, key=lambda atom: atom not in self.unread)
            terms = handed_on_by_loops([*made, *unread_first], self.scope.loops)
            yield from ((FORMULA, statement.value, Pattern("{e} + {a}", text, term)) for term in terms)
        products = [node for node in nodes if isinstance(node, ast.BinOp) and is_product(node)]
        yield from ((PIECE, node, new) for node in products for new in self.as_repeated(node))
        sums = [node for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)]
        within = {id(side) for node in sums for side in (node.left, node.right)}
        known = self.names.union(*(IDENTIFIER.findall(atom) for atom in atoms)) if sums else ()
        for node in (node for node in sums if id(node) not in within):
            terms = map(ast.unparse, missing_terms(node, known))
            yield from ((PIECE, node, Pattern("{e} + {a}", ast.unparse(node), term)) for term in terms)
            patterns = [f"{{e}} {sign} {f}({{a}})" for f in functions_of_terms(node) for sign in "-+"]
            more = itertools.product(patterns, atoms)
            yield from ((PIECE, node, Pattern(pattern, ast.unparse(node), atom)) for pattern, atom in more)
        for node in nodes:
            yield from ((PIECE, node, new) for new in other_windows(node, sorted(self.scope.loops), self.picks))
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                yield from ((PIECE, node, new) for new in cropped(node, self.picks))
                yield from ((TOKEN, node, new) for new in without_steps(node))
            if isinstance(node, ast.Slice):
                yield from ((TOKEN, node, new) for new in with_ends_exchanged(node))
        for index in (index for index in indices if mentions(index, self.scope.loops)):
            yield from ((PIECE, index, new) for new in further(index, self.picks))
        for node in filter(is_square, nodes):
            text = square_of(node)
            yield from ((TOKEN, node, Pattern(text, a=atom)) for atom in atoms)
        whole = getattr(statement, "value", None)
        unread = [name for name in self.unread if names_gradients(name)]
        is_sum = isinstance(whole, ast.Name) or (isinstance(whole, ast.BinOp) and isinstance(whole.op, ast.Add))
        for node in names or ([whole] if is_sum else ()):
            if unread and (names or len(unread) > 1):  # all that are left over at once
                yield PIECE, node, Pattern("{e} + {a}", ast.unparse(node), " + ".join(unread))
        if self.is_atom(whole):  # `(1 - z) * d`, of which the gate was forgotten
            yield from ((PIECE, whole, Pattern(SLOPES[0], ast.unparse(whole), atom)) for atom in atoms)
        for value in wholes_of(statement):
            forgotten = [f"{{e}} * {f}({{a}})" for f in self.derivatives]
            forgotten += [f"{{e}} * {f}({{a}}, {switch})" for f in self.wraps for switch in self.switches_of(f)]
            forgotten += [f"{{e}} * {slope}" for slope in self.slopes_of_more]
            yield from ((PIECE, value, Pattern(slope, ast.unparse(value))) for slope in self.slopes)
            yield from ((PIECE, value, Pattern("{e} + {a}", ast.unparse(value), more)) for more in self.penalties)
            made = itertools.product(forgotten, [*atoms, *entries_beside(self.tree)])
            yield from ((PIECE, value, Pattern(pattern, ast.unparse(value), atom)) for pattern, atom in made)
        whole = whole.elt if isinstance(whole, ast.ListComp) else whole
        if isinstance(whole, ast.BinOp | ast.Call):
            patterns = SCALED if isinstance(whole, ast.BinOp) or is_product_call(whole) else ()
            yield from ((PIECE, whole, Pattern(pattern, ast.unparse(whole))) for pattern in (*patterns, *AVERAGED))
            parts = [one for one in parts_beside(whole) if isinstance(one, ast.BinOp | ast.Call)]
            yield from ((PIECE, one, Pattern(pattern, ast.unparse(one))) for one in parts for pattern in SCALED[:2])
        if isinstance(whole, ast.BinOp | ast.Call) or self.is_atom(whole):
            yield from ((PIECE, whole, Pattern(LENGTH, ast.unparse(whole), name)) for name in bound_in(self.tree))

    def is_of_loop(self, edit):
        """Whether an edit, (weight, node, new), may be of what a loop runs through: nothing is worked out there but of
        whole numbers."""
        _, node, new = edit
        works_out = isinstance(new, Pattern) and bool(new.a) and bool(re.search(r" [-+*/@] ", new.pattern))
        return not works_out or ast.unparse(node) in self.picks or number(node) is not None or "range" in new.e

    @functools.cached_property
    def text(self):
        """The source of the function."""
        return ast.unparse(self.tree)

    @functools.cached_property
    def repeated(self):
        """{what a product looks like but for names: the sources of such that stand in the function more than once}."""
        nodes = [node for node in ast.walk(self.tree) if isinstance(node, ast.BinOp) and is_product(node)]
        found = {}
        for text, times in Counter(map(ast.unparse, nodes)).items():
            if times > 1:
                found.setdefault(tuple(sorted(labels_of(text).elements())), []).append(text)
        return found

    def as_repeated(self, node):
        """What a product may have been meant to be: another one that looks the same, where both stand elsewhere too."""
        text = ast.unparse(node)
        alike = self.repeated.get(tuple(sorted(labels_of(text).elements())), ())
        yield from (parsed(other) for other in alike if other != text and text in alike)

    def rows_alone(self, statement):
        """What a statement that adds to all of an array may have been meant to add to: the rows that the function reads
        of it, `W[words]` for `W`."""
        target = statement.target if isinstance(statement, ast.AugAssign) else None
        if isinstance(target, ast.Name | ast.Attribute):
            own = ast.unparse(target)
            rows = [atom for atom in self.atoms if atom.startswith(f"{own}[") and atom.endswith("]")]
            made = [
                one for one in map(parsed, rows) if isinstance(one, ast.Subscript) and ast.unparse(one.value) == own
            ]
            yield from (but(statement, target=but(one, ctx=ast.Store())) for one in made)

    def nearly_named(self, statement):
        """(a target that nothing reads, what it may have been meant to be called): what a loop should set, is called
        nearly so and never set there."""
        targets = leaves_of(statement.targets[0]) if isinstance(statement, ast.Assign) else ()
        stale = [name for names in self.missing.stale.values() for name in names] if targets else ()
        for target in (one for one in targets if is_name(one) and one.id in self.unread):
            alike = [name for name in stale if name.isidentifier() and likeness(name, target.id) > NEARLY]
            yield from ((target, ast.Name(name, ast.Store())) for name in alike)

    def with_counters_exchanged(self, statement):
        """(the value of an assignment, or where in an array it is put, the same with two counters of loops, or of a
        comprehension, in each other's place): of `x[i : i + n, j : j + n]` `x[j : j + n, i : i + n]`; and with what is
        called after them: of `col[h + w * h_out]` `col[w + h * w_out]`."""
        value = statement.value if statement in self.likeness else None
        target = target_of(statement) if value else None
        for whole in (value, target.slice) if isinstance(target, ast.Subscript) else (value,) if value else ():
            yield from ((whole, new) for new in self.exchanging(whole))

    def exchanging(self, value):
        """An expression with two counters in each other's place, or two places that are called alike, `max_i` and
        `max_j`."""
        nodes = list(ast.walk(value))
        names = {node.id for node in nodes if is_name(node)}
        counters = {one.target.id for one in nodes if isinstance(one, ast.comprehension) and is_name(one.target)}
        for one, other in itertools.combinations(sorted(names & (self.scope.loops | counters)), 2):
            exchange = {one: ast.Name(other, ast.Load()), other: ast.Name(one, ast.Load())}
            yield replaced(value, exchange)
            known = names | {atom for atom in self.atoms if atom.isidentifier()}
            for old, new in ((one, other), (other, one)):
                after = {name: new + name.removeprefix(old) for name in names if name.startswith(f"{old}_")}
                exchange |= {name: ast.Name(made, ast.Load()) for name, made in after.items() if made in known}
            if len(exchange) > 2:
                yield replaced(value, exchange)
        for one, other in itertools.combinations(sorted(names - self.scope.loops), 2):
            if one[:-1] == other[:-1] != "" and isinstance(value, ast.Tuple):
                yield replaced(value, {one: ast.Name(other, ast.Load()), other: ast.Name(one, ast.Load())})

    def everywhere(self, statement, nodes, atoms):
        """The values of an assignment, or what one value of a `return` is worked out by, with another value, or another
        entry of the same array, wherever one stands in it that does so more than once: of `h[t] * (1 - h[t])` that of
        `h[t + 1]`."""
        is_one = isinstance(statement, ast.Return) and isinstance(statement.value, ast.BinOp | ast.Call)
        is_asked = is_one or statement in self.likeness
        there = [ast.unparse(node) for node in nodes if is_asked and self.is_atom(node)]
        for text in (text for text, times in Counter(there).items() if times > 1):
            node = ast.parse(text, mode="eval").body
            indices = dict.fromkeys(ast.unparse(index) for one in ast.walk(node) for index in indices_of(one))
            moved = [(index, f"{index} {by} 1") for index in indices for by in "+-"]
            others = [ast.unparse(replaced(node, {index: parsed(new)})) for index, new in moved]
            whole = ast.unparse(replaced(statement.value, {text: ast.Name("{a}", ast.Load())}))
            fitting = [one for one in (*others, *atoms) if one != text]
            if any(isinstance(one, ast.JoinedStr) for one in ast.walk(statement.value)):  # `f"W{layer}"`
                fitting = [one for one in fitting if "'" not in one]  # before Python 3.12 no text stands in it
            yield from (Pattern(whole, a=other) for other in fitting)
        calls = [one for one in nodes if is_asked and isinstance(one, ast.Call) and len(one.args) == 1]
        for text, times in Counter(map(ast.unparse, calls)).items():
            if times > 1:  # of `sigmoid(y) * (1 - sigmoid(y))`, given what the sigmoid gave, `y * (1 - y)`
                yield replaced(statement.value, {text: parsed(text).args[0]})

    def named_at(self, statement):
        """{variable: what it stands for} of the variables that a line only gives to what it returns."""
        there = [one for one in self.lines.get(statement.lineno, ()) if isinstance(one, ast.Assign)]
        return {one.targets[0].id: one.value for one in there if isinstance(one.targets[0], ast.Name)}

    def activated_throughout(self, value):
        """The values of an expression with something around a variable wherever that stands in it, more than once: of
        `(1 - x) * x` that of `sigmoid(x)`."""
        names = [node.id for node in ast.walk(value) if isinstance(node, ast.Name) and not OUTPUT.fullmatch(node.id)]
        for text in (text for text, times in Counter(names).items() if times > 1):
            whole = ast.unparse(replaced(value, {text: ast.Name("{a}", ast.Load())}))
            yield from (Pattern(whole, text, f"{name}({text})") for name in self.wraps)

    def as_others(self, statement):
        """What a statement would give if it were as others of this function: worked out once for all weights."""
        if statement not in self.others:
            self.others[statement] = list(as_others(statement, self.likeness, self.names))
        return self.others[statement]


@functools.lru_cache(64)
def entries_beside(tree):
    """The sources of the entries of lists and arrays of which a function reads those one before, or after: `h[i]` where
    `h[i - 1]` stands."""
    found = {}
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(slice=ast.BinOp(left=ast.Name() as step, right=ast.Constant())):
                found[ast.unparse(but(node, slice=step))] = True
    there = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    return [text for text in found if text not in there]

"""Small edits of one statement: what would put a slip of the pen right.

A slip is undone by another slip (`tinyrnn.sources.mutation`), or by putting in what was forgotten: a square, a
transpose, a factor, a term, a call, `+=` for `=`, `reversed`. Edits are weighed by how much they put in: TOKEN changes
what is there, a PIECE puts in one thing that is mentioned elsewhere in the function, a FORMULA more than that; and what
is MISSING is a statement of its own (`tinyrnn.verdicts.repair.missing`).
"""

import ast
import copy
import functools
import re
from collections import Counter

from tinyrnn.sources.mutation.rules import KINDS
from tinyrnn.sources.mutation.scope import MODULES, Scope, but, number
from tinyrnn.sources.syntax import leaves_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.verdicts.repair.analogy import WHOLE, as_others, handed_on_by_loops, missing_terms, replaced, target_of
from tinyrnn.verdicts.repair.change import Change, Pattern
from tinyrnn.verdicts.repair.likeness import Likeness, labels_of
from tinyrnn.verdicts.repair.missing import Missing
from tinyrnn.verdicts.repair.replacements import (
    further,
    is_difference,
    is_divided,
    is_divided_by_more,
    is_product,
    is_product_call,
    is_quotient,
    is_square,
    kept_results,
    lengths_beside,
    mentions,
    other_assignments,
    other_blocks,
    other_constants,
    other_ends,
    other_orders,
    other_ranges,
    other_takes,
    other_way_through,
    other_windows,
    parsed,
    slopes_of_softmax,
    square_of,
    sum_of_all,
    sums_along,
)
from tinyrnn.verdicts.repair.statements import (
    bound_in,
    counters_in,
    entries_of_unread,
    filled_in,
    given_numbers,
    handed_on,
    handed_on_for_nothing,
    indices_of,
    is_double,
    is_name,
    is_no_value,
    is_text,
    kept_for_nothing,
    likeness,
    names_of,
    own_nodes,
    parts_alike,
    wholes_in,
)

IDENTIFIER = re.compile(r"[^\W\d]\w*")
TOKEN, PIECE, FORMULA, MISSING = 1, 2, 3, 4
ALIKE, NEARLY = 0.6, 0.8  # of the letters of two names that are alike, or nearly the same
UNREAD = "reads_unread_gradients"  # the edits that put such a one in
SLIPS = [rule for kind, rule in KINDS.items() if kind not in ("statement omitted", "name swapped", "carry missing")]
PARTS = ("T", "shape", "dtype", "ndim", "size")  # of an array, no value of their own
SLOPES = ("{e} * (1 - {a})", "{e} * (1 - {a} ** 2)")
FORMULAS = (*SLOPES, "{e} @ {a}", "{a} @ {e}", "{e} @ {a}.T", "{a}.T @ {e}")
STEP_BEFORE = (
    "np.vstack(({a}, {e}[:-1]))",
    "np.hstack(({a}, {e}[:, :-1]))",
    "np.concatenate(({a}[None], {e}[:-1]))",
    "np.concatenate(({a}[:, None], {e}[:, :-1]), 1)",
)
STEP_BESIDE = (
    "np.concatenate((np.zeros_like({e}[:1]), {e}[:-1]))",
    "np.concatenate(({e}[1:], np.zeros_like({e}[:1])))",
    "np.concatenate((np.zeros_like({e}[:, :1]), {e}[:, :-1]), 1)",
    "np.concatenate(({e}[:, 1:], np.zeros_like({e}[:, :1])), 1)",
)
PRODUCTS = ("{e} * {a}", "{e} / {a}")
SCALED = ("2 * {e}", "0.5 * {e}", "4 * {e}", "0.25 * {e}", "3 * {e}")
AVERAGED = ("{e} / {e}.shape[0]", "{e} / {e}.shape[-1]")
SUMS = ("{e} + {a}", "{e} - {a}", "{a} - {e}")
AROUND = ("{e}.T", "-{e}", "{e} ** 2", "{e} ** 0.5", "{e}.copy()", "{e}.swapaxes(-1, -2)", "{e}.swapaxes(1, 2)")
REDUCED = (
    "1 - {e}",
    "{e}.sum(axis=0)",
    "{e}.sum(axis=1)",
    "{e}.sum(axis=2)",
    "{e}.sum(axis=(0, 1))",
    "{e}.sum(axis=(0, 2))",
    "{e}.sum(axis=(0, 2, 3), keepdims=True)",
    "{e}.sum(axis=0, keepdims=True)",
    "{e}.sum(axis=-1, keepdims=True)",
    "{e}[::-1]",
    "{e}[..., ::-1]",
)


class Edits:
    """The edits of the statements of a function. tree: its syntax tree, which is left as it is."""

    def __init__(self, tree):
        self.tree = copy.deepcopy(tree)
        self.scope = Scope(self.tree)
        inner = [node for node in ast.walk(self.tree) if isinstance(node, ast.expr)]
        self.scope.loops |= counters_in(self.tree, self.scope.loops)
        called = {id(node.func) for node in inner if isinstance(node, ast.Call)}
        read = {node.id for node in inner if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        kept = {node.id for one in ast.walk(self.tree) if is_double(one) for node in one.targets if is_name(node)}
        self.unread = {name for name in bound_in(self.tree) if name not in read | kept}
        self.unread |= handed_on_for_nothing(self.tree)
        carried = kept_for_nothing(self.tree)
        carried = [*carried, *entries_of_unread(self.tree, self.unread, self.scope.loops)]
        self.unread |= {ast.unparse(node) for node in carried}
        unused = [ast.Name(name, ast.Load()) for name in bound_in(self.tree)]  # that it is set may be why it was meant
        self.atoms = self.distinct(
            [*(node for node in inner if self.is_atom(node) and id(node) not in called), *unused, *carried]
        )
        self.atoms = list(dict.fromkeys([*self.atoms, *parts_alike(inner)]))
        self.divisors = self.distinct(node.right for node in inner if is_divided_by_more(node))
        self.picks, self.flags = [], []  # the sources of atoms that are whole numbers, or true and false
        self.indices = self.distinct(
            index for node in inner for index in indices_of(node) if not isinstance(index, ast.Constant)
        )
        statements = [statement for several in self.lines.values() for statement in several]
        self.likeness = {one: Likeness(one) for one in statements if isinstance(one, ast.Assign | ast.AugAssign)}
        self.others = {}  # {statement: what it would give if it were as others}
        self.made, self.of_all_weights = {}, {}  # what `of_line` and `every` gave
        self.shapes = Counter(one.shape for one in self.likeness.values())
        self.names = {name for node in inner for name in names_of(node)}
        self.looped = {id(one) for node in ast.walk(self.tree) if isinstance(node, ast.For) for one in ast.walk(node)}
        self.functions = self.distinct(
            node.func for node in inner if isinstance(node, ast.Call) and len(node.args) == 1
        )

    @functools.cached_property
    def missing(self):
        """What may be `Missing`."""
        return Missing(self.tree, self.atoms, self.picks, self.flags, self.unread)

    @staticmethod
    def distinct(nodes):
        """The sources of some expressions, each once."""
        return list(dict.fromkeys(map(ast.unparse, nodes)))

    def is_atom(self, node):
        """Whether an expression is a value by itself: a variable, an attribute, an entry."""
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            return False
        if isinstance(node, ast.Attribute):
            return node.attr not in PARTS and not (isinstance(node.value, ast.Name) and node.value.id in MODULES)
        return isinstance(node, ast.Subscript) or (isinstance(node, ast.Name) and node.id not in MODULES)

    @functools.cached_property
    def lines(self):
        """{line: what can be edited there}: statements, of loops and conditions the header alone."""
        found = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.Pass) and not is_text(node):
                found.setdefault(node.lineno, []).append(node)
        return found

    @functools.cached_property
    def entries(self):
        """{line: (the statement, what is computed there)} of entries of dicts on lines of their own."""
        found = {}
        for statement in (node for several in self.lines.values() for node in several):
            for node in own_nodes(statement):
                for value in node.values if isinstance(node, ast.Dict) else ():
                    if value.lineno != statement.lineno:
                        nodes = found.setdefault(value.lineno, (statement, set()))[1]
                        nodes.update(id(one) for one in ast.walk(value))  # several may stand in one line
        return found

    def of_line(self, line, weight, only=None):
        """The `Change`s of that weight of what begins at a line. only: those alone of which a method, by its name, says
        that they are to be tried."""
        if weight == MISSING:
            yield from self.followed(line)
            return
        is_unread = only == UNREAD
        if (line, weight, is_unread) not in self.made:
            self.made[line, weight, is_unread] = list(self.made_of(line, weight, is_unread))
        is_tried = getattr(self, only) if only else lambda change: True
        yield from filter(is_tried, self.made[line, weight, is_unread])

    def made_of(self, line, weight, is_unread):
        """The same, each once. is_unread: with what is of an unread gradient alone."""
        seen, entries = set(), self.entries
        elsewhere = {node for _, nodes in entries.values() for node in nodes}
        found = [(statement, None) for statement in self.lines.get(line, ())] or [entries.get(line, (None, None))]
        for statement, nodes in found:
            every = self.every(statement, is_unread) if statement else ()
            edits = ((old, new) for heavy, old, new in every if heavy == weight)
            turn = self.turn_of if weight > TOKEN else self.turn_of_token
            for old, new in sorted(edits, key=lambda edit: turn(*edit)):
                if id(old) in nodes if nodes else id(old) not in elsewhere:
                    change = Change(statement, old, new)
                    if change.key not in seen:
                        seen.add(change.key)
                        yield change

    def every(self, statement, is_unread):
        """All edits of a statement, as `of_statement` has them: worked out once for all weights."""
        if (statement, is_unread) not in self.of_all_weights:
            atoms = self.unread_atoms if is_unread else self.atoms
            self.of_all_weights[statement, is_unread] = list(self.of_statement(statement, atoms))
        return self.of_all_weights[statement, is_unread]

    def followed(self, line):
        """The `Change`s that put a statement in that is missing beside what begins at a line, or further down."""
        for statement in self.lines.get(line, ()):
            around = (*self.missing.before(statement), *self.missing.after(statement))
            yield from (Change(statement, statement, new) for new in around)
            elsewhere = (*self.missing.added(statement), *self.missing.handed_on(statement))
            yield from (Change(other, other, new) for other, new in elsewhere)

    def completes_a_pattern(self, change):
        """Whether a `Change` makes of a statement, which looks like no other, what looks like another one."""
        likeness = self.likeness.get(change.statement)
        before = likeness and likeness.shape
        if before is not None and self.shapes[before] > 1:
            return False
        after = self.shape_with(change, likeness)
        is_more = after is not None and len(after) >= len(before or ())
        return is_more and after != before and after in self.shapes

    def reads_unread_gradients(self, change):
        """Whether a `Change` puts in a gradient that is worked out or given, and never read."""
        return self.has_unread_gradients(change.new.a if isinstance(change.new, Pattern) else ast.unparse(change.new))

    def has_unread_gradients(self, text):
        """Whether a gradient stands in a text that is worked out or given, and never read."""
        names = IDENTIFIER.findall(text)
        boxed = [one for one in self.unread if not one.isidentifier() and one in text]
        return bool(boxed) or any(name in self.unread and names_gradients(name) for name in names)

    @staticmethod
    def sets_elsewhere(change):
        """Whether with a `Change` another entry, or part, of the same array is set."""
        targets = [t for t in getattr(change.statement, "targets", ()) if isinstance(t, ast.Subscript)]
        return any(one is change.node for target in targets for one in ast.walk(target.slice))

    @functools.cached_property
    def unread_atoms(self):
        """Those of the atoms that have such a gradient in them: few."""
        return [atom for atom in self.atoms if self.has_unread_gradients(atom)]

    def shape_with(self, change, likeness):
        """The shape of a statement with a `Change`; likeness: of it as it is, None if it is no assignment."""
        if likeness and change.node is not change.statement:
            text = change.new.text if isinstance(change.new, Pattern) else ast.unparse(change.new)
            shape = likeness.shape_with(change.node, text)
            if shape:
                return shape
        if not likeness and change.node is not change.statement:
            return None  # no assignment, nor made one
        made = change.made()
        return Likeness(made).shape if isinstance(made, ast.Assign | ast.AugAssign) else None

    def turn_of_token(self, old, new):
        """The same of the smallest edits: what is called nearly as something that nothing reads; all but names; other
        names, those first that are alike."""
        if not isinstance(new, Pattern) or new.pattern != "{a}" or not isinstance(old, ast.expr):
            return 0
        text = ast.unparse(old)
        alike = likeness(new.a, text)
        return -1 if new.a in self.unread and alike > ALIKE else 1 - alike

    def turn_of(self, _, new):
        """What many edits are sorted by: those first that put in what is set and not read, then those that put in
        nothing else, or what a loop may hand on, or a slope."""
        puts = isinstance(new, Pattern) and new.pattern not in SLOPES and new.a
        return 1 if not puts or " @ " in puts else 0 if puts in self.unread else 2

    def of_statement(self, statement, atoms):
        """(weight, node, what to put in its place) of all edits of a statement. atoms: what may be put in."""
        yield from ((TOKEN, statement, new) for new in (*other_assignments(statement), *kept_results(statement)))
        yield from ((TOKEN, old, new) for old, new in self.nearly_named(statement))
        if isinstance(statement, ast.Assign) and self.targets[ast.unparse(statement.targets[0])] > 1:
            yield from ((TOKEN, old, new) for old, new in other_blocks(statement.targets[0]))
        if isinstance(statement, ast.For):
            yield from ((TOKEN, old, new) for old, new in other_way_through(statement.iter))
        nodes, names = list(own_nodes(statement)), handed_on(statement)
        for node in names:
            yield from ((TOKEN, node, Pattern("{a}", a=atom)) for atom in atoms)
            numbers = dict.fromkeys([*self.picks, *self.divisors])  # a mean that is only made where it is returned
            yield from ((PIECE, node, Pattern("{e} / ({a})", node.id, text)) for text in numbers)
        nodes = [node for node in nodes if node not in names]
        for node in nodes:
            if is_difference(node):
                yield TOKEN, node, but(node, left=node.right, right=node.left)
        for rule in SLIPS:
            for node in nodes:
                if node in self.scope.sites:
                    yield from ((TOKEN, old, new) for old, new in rule(node, self.scope))
        yield from ((TOKEN, statement.value, new) for new in self.everywhere(statement, nodes, atoms))
        indices = [index for node in nodes for index in indices_of(node)]
        for index in indices:
            others = dict.fromkeys([*self.indices, *self.unread])
            yield from ((TOKEN, index, Pattern("{a}", a=text)) for text in others if text != ast.unparse(index))
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
        filled = filled_in(statement)
        for node in nodes:
            if id(node) in filled:
                yield from ((TOKEN, node, Pattern("{a}", a=atom)) for atom in atoms if WHOLE.fullmatch(atom))
            elif isinstance(node, ast.expr) and id(node) not in called and not is_no_value(node):
                yield from ((weight, node, new) for weight, new in self.of_expression(node, id(node) in factors, atoms))

        if statement in self.likeness:
            yield from ((PIECE, statement.value, one) for one in self.as_others(statement))
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
        for node in nodes:
            yield from ((PIECE, node, new) for new in other_windows(node, sorted(self.scope.loops), self.picks))
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
        if isinstance(whole, ast.BinOp | ast.Call):
            patterns = SCALED if isinstance(whole, ast.BinOp) or is_product_call(whole) else ()
            yield from ((PIECE, whole, Pattern(pattern, ast.unparse(whole))) for pattern in (*patterns, *AVERAGED))

    @functools.cached_property
    def targets(self):
        """How often the function sets what, by sources."""
        statements = [one for several in self.lines.values() for one in several if isinstance(one, ast.Assign)]
        return Counter(ast.unparse(one.targets[0]) for one in statements)

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

    def nearly_named(self, statement):
        """(a target that nothing reads, what it may have been meant to be called): what a loop should set, is called
        nearly so and never set there."""
        targets = leaves_of(statement.targets[0]) if isinstance(statement, ast.Assign) else ()
        stale = [ast.unparse(start.targets[0]) for start in self.missing.stale] if targets else ()
        for target in (one for one in targets if is_name(one) and one.id in self.unread):
            alike = [name for name in stale if name.isidentifier() and likeness(name, target.id) > NEARLY]
            yield from ((target, ast.Name(name, ast.Store())) for name in alike)

    def everywhere(self, statement, nodes, atoms):
        """The values of an assignment with another value, or another entry of the same array, wherever one stands in it
        that does so more than once: of `h[t] * (1 - h[t])` that of `h[t + 1]`."""
        there = [ast.unparse(node) for node in nodes if statement in self.likeness and self.is_atom(node)]
        for text in (text for text, times in Counter(there).items() if times > 1):
            node = ast.parse(text, mode="eval").body
            indices = dict.fromkeys(ast.unparse(index) for one in ast.walk(node) for index in indices_of(one))
            moved = [(index, f"{index} {by} 1") for index in indices for by in "+-"]
            others = [ast.unparse(replaced(node, {index: parsed(new)})) for index, new in moved]
            whole = ast.unparse(replaced(statement.value, {text: ast.Name("{a}", ast.Load())}))
            yield from (Pattern(whole, a=other) for other in (*others, *atoms) if other != text)

    def as_others(self, statement):
        """What a statement would give if it were as others of this function: worked out once for all weights."""
        if statement not in self.others:
            self.others[statement] = list(as_others(statement, self.likeness, self.names))
        return self.others[statement]

    def of_expression(self, node, is_factor, atoms):
        """(weight, what to put in its place) of an expression. is_factor: of a product, which is edited as a whole.
        atoms: as for `of_statement`."""
        yield from ((TOKEN, new) for new in other_constants(node))
        yield from ((TOKEN, new) for new in other_orders(node))
        yield from ((TOKEN, new) for new in (*sum_of_all(node), *sums_along(node), *other_takes(node)))
        yield from ((PIECE, new) for new in lengths_beside(node))
        if isinstance(node, ast.Call):
            yield from ((TOKEN, new) for new in (*other_ranges(node), *other_ends(node)))
            # of what a loop runs through, an entry is named only where it should run otherwise
            of_counter = {one.id for one in ast.walk(node.func) if is_name(one)} & self.scope.loops
            others = [name for name in self.functions if not (of_counter and "[" in name)]
            yield from ((TOKEN, parsed(name, func=node)) for name in others)
            if len(node.args) == 1 and not node.keywords:
                yield TOKEN, node.args[0]
                if ast.unparse(node.func).endswith("cumsum"):  # the gradient of one is one from behind
                    yield PIECE, parsed(f"{ast.unparse(node.func)}({ast.unparse(node.args[0])}[::-1])[::-1]")
        if number(node) is not None and not is_factor:
            text = ast.unparse(node)
            yield from ((PIECE, Pattern(pattern, text, atom)) for pattern in PRODUCTS for atom in atoms)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and type(power := number(node.right)) is int:
            text = ast.unparse(node)  # of the derivative of a power
            yield from ((PIECE, Pattern(f"{factor} * {{e}}", text)) for factor in (power + 1, power))
        if is_divided(node):
            text = ast.unparse(node.right)
            yield from ((PIECE, but(node, right=parsed(f"{text} {more}"))) for more in ("- 1", "+ 1"))
        if is_quotient(node):  # of what a norm is divided by
            yield PIECE, but(node, right=parsed(f"({ast.unparse(node.right)}) ** 1.5"))
        no_value = ast.Tuple | ast.Constant | ast.Slice | ast.Starred | ast.Lambda
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or isinstance(node, no_value):
            return
        text = ast.unparse(node)
        if self.is_atom(node) or isinstance(node, ast.Call):
            yield from ((TOKEN, Pattern("{a}", a=atom)) for atom in atoms if atom != text)
            yield from ((PIECE, Pattern(name + "({e})", text)) for name in self.functions)
        yield from ((TOKEN, Pattern(pattern, text)) for pattern in AROUND)
        yield from ((PIECE, Pattern(pattern, text)) for pattern in REDUCED)
        if isinstance(node, ast.BinOp | ast.Call) or self.is_atom(node):
            for weight, patterns in ((PIECE, SUMS),) if is_factor else ((PIECE, SUMS + PRODUCTS), (FORMULA, FORMULAS)):
                for pattern in patterns:
                    others = (atom for atom in atoms if atom != text or pattern not in SUMS)
                    yield from ((weight, Pattern(pattern, text, atom)) for atom in others)
            if is_factor:
                yield PIECE, Pattern("2 * {e}", text)
            if not is_factor:
                yield from ((PIECE, Pattern("{e} / ({a})", text, divisor)) for divisor in self.divisors)
        if (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and number(node.left) == 1
        ):  # of `x * sigmoid(x)`
            yield from ((FORMULA, Pattern("1 + {a} * {e}", text, atom)) for atom in atoms)
        if self.is_atom(node) or isinstance(node, ast.Call):  # all steps at once, each beside the one before or after
            yield from ((FORMULA, Pattern(pattern, text)) for pattern in STEP_BESIDE)
            yield from ((FORMULA, Pattern(pattern, text, atom)) for pattern in STEP_BEFORE for atom in atoms)
        yield from ((FORMULA, new) for new in slopes_of_softmax(node))
        if isinstance(node, ast.BinOp) and not is_factor:  # `dy * y`, of which `(1 - y)` was forgotten
            there = {ast.unparse(one) for one in ast.walk(node)}
            own = [atom for atom in atoms if atom in there]
            yield from ((PIECE, Pattern(pattern, text, atom)) for pattern in SLOPES for atom in own)

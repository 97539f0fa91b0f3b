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

from tinyrnn.sources.mutation.scope import MODULES, Scope, number
from tinyrnn.sources.syntax import name_of, targets_of
from tinyrnn.sources.vocabulary import names_gradients, stems
from tinyrnn.sources.watching import is_replaced
from tinyrnn.verdicts.repair.change import MISSING, TOKEN, Change, Pattern, copies
from tinyrnn.verdicts.repair.edits_of_expressions import SLOPES
from tinyrnn.verdicts.repair.edits_of_statements import AVERAGED, LENGTH, OUTPUT, SCALED, OfStatements
from tinyrnn.verdicts.repair.forgotten import pattern_of
from tinyrnn.verdicts.repair.in_place import is_turned
from tinyrnn.verdicts.repair.likeness import Likeness
from tinyrnn.verdicts.repair.missing import Missing, are_several
from tinyrnn.verdicts.repair.replacements import (
    is_divided_by_more,
    is_opposite,
)
from tinyrnn.verdicts.repair.standing_for import named_first
from tinyrnn.verdicts.repair.statements import (
    ACTIVATION,
    ALIKE,
    HEADERS,
    IDENTIFIER,
    PARTS,
    attributes_set,
    bound_in,
    completes_a_row,
    counters_in,
    does_nothing,
    ends_of_loops,
    entries_of_unread,
    filled_again_for_nothing,
    handed_on_for_nothing,
    indices_of,
    is_double,
    is_name,
    is_text,
    kept_for_nothing,
    likeness,
    made_for_nothing,
    names_of,
    own_nodes,
    parts_alike,
)

RATE = re.compile(r"lr|eta|alpha|rate|learning_?rate|step_?size", re.IGNORECASE)
GIVING_NOTHING = ("exit", "input", "open", "print", "quit")  # functions that give no value of a formula
UNREAD = "reads_unread_gradients"  # the edits that put such a one in
NUMBERS = "puts_a_number"  # those that put in whole numbers
SIZES = "puts_a_size"  # of these, those that have a name
SCALES = "only_scales"  # those that multiply or divide
AS_ELSEWHERE = "scales_as_elsewhere"  # and those that do in a statement of its own what one does to another variable
TURNS = "turns_a_difference"  # those that exchange its sides
ACTIVATES = "puts_an_activation"  # those that put one around a value
PRODUCTS = "adds_a_product"  # those that add the product of two arrays: so many that only what values tell of is run


class Edits(OfStatements):
    """The edits of the statements of a function. tree: its syntax tree, which is left as it is."""

    def __init__(self, tree):
        self.tree = copy.deepcopy(tree)
        self.scope = Scope(self.tree)
        inner = [node for node in ast.walk(self.tree) if isinstance(node, ast.expr)]
        self.scope.loops |= counters_in(self.tree, self.scope.loops)
        called = {id(node.func) for node in inner if isinstance(node, ast.Call)}
        filled = {
            id(node.value) for node in inner if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        }
        names = [node for node in inner if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
        read = {node.id for node in names if id(node) not in filled}
        kept = {node.id for one in ast.walk(self.tree) if is_double(one) for node in one.targets if is_name(node)}
        self.unread = {name for name in bound_in(self.tree) if name not in read | kept}
        self.unread |= handed_on_for_nothing(self.tree) | made_for_nothing(self.tree)
        carried = [*kept_for_nothing(self.tree), *filled_again_for_nothing(self.tree)]
        carried = [*carried, *entries_of_unread(self.tree, self.unread, self.scope.loops)]
        self.unread |= {ast.unparse(node) for node in carried}
        unused = [ast.Name(name, ast.Load()) for name in bound_in(self.tree)]  # that it is set may be why it was meant
        unused += attributes_set(self.tree)
        self.atoms = self.distinct(
            [*(node for node in inner if self.is_atom(node) and id(node) not in called), *unused, *carried]
        )
        self.atoms = named_first(list(dict.fromkeys([*self.atoms, *parts_alike(inner)])), self.tree)
        self.divisors = self.distinct(node.right for node in inner if is_divided_by_more(node))
        self.conditions = []  # patterns of what is only done where something holds
        self.uncalled = frozenset()  # the sources of derivatives that what is at hand has, and that are called nowhere
        self.slopes = []  # and the patterns of their calls
        self.penalties = []  # the sources of the gradients of penalties
        self.picks, self.flags = [], []  # the sources of atoms that are whole numbers, or true and false
        self.labels = []  # those of whole numbers that objects have
        self.switches = {}  # {what is called: the keywords that some call of it turns on or off}
        self.fractions = []  # numbers that are no whole ones, of all functions
        self.choices = []  # the texts that they compare something with
        self.factors = []  # those of single numbers that are no whole ones
        self.products = []  # the sources of those of two arrays each
        self.words = {}  # {the source of a dict: the words that its keys have before a number}
        self.bare = set()  # and of those that are no arrays: counters, objects
        self.indices = self.distinct(
            index for node in inner for index in indices_of(node) if not isinstance(index, ast.Constant)
        )
        statements = [statement for several in self.lines.values() for statement in several]
        self.likeness = {one: Likeness(one) for one in statements if isinstance(one, ast.Assign | ast.AugAssign)}
        self.others = {}  # {statement: what it would give if it were as others}
        self.made, self.of_all_weights = {}, {}  # what `of_line` and `every` gave
        calls = [one for one in statements if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
        self.all_likeness = self.likeness | {one: Likeness(one) for one in calls}  # also of calls by themselves
        self.shapes = Counter(one.shape for one in self.all_likeness.values())
        self.names = {name for node in inner for name in names_of(node)}
        self.looped = {id(one) for node in ast.walk(self.tree) if isinstance(node, ast.For) for one in ast.walk(node)}
        calls = [node for node in inner if isinstance(node, ast.Call) and len(node.args) == 1]
        functions = [text for text in self.distinct(node.func for node in calls) if "(" not in text]
        self.functions = [text for text in functions if text.rpartition(".")[2] not in GIVING_NOTHING]
        activating = [
            node for node in calls if self.is_atom(node.args[0]) and ACTIVATION.search(name_of(node.func) or "")
        ]
        self.activated = self.distinct(activating)  # as `np.tanh(c)` in `1 - np.tanh(c) ** 2`
        self.compared = [node for node in inner if isinstance(node, ast.Compare) and self.is_atom(node.left)]
        self.keywords = {}  # {name: the sources of what is given under it}
        for one in (one for node in inner if isinstance(node, ast.Call) for one in node.keywords):
            self.keywords.setdefault(one.arg, {})[ast.unparse(one.value)] = True
        self.wraps = self.functions  # what may be put around a value

    @functools.cached_property
    def missing(self):
        """What may be `Missing`."""
        return Missing(
            self.tree, self.atoms, self.picks, self.flags, self.unread, self.labels, self.products, self.fractions
        )

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
        """{line: what can be edited there}: statements, of loops and conditions the header alone; not what a loop goes
        by that could run for ever then."""
        found, kept = {}, ends_of_loops(self.tree)
        kept |= {id(node) for node in ast.walk(self.tree) if isinstance(node, ast.Pass)}
        kept -= {id(node.body[0]) for node in ast.walk(self.tree) if does_nothing(node)}
        within = [node for node in ast.walk(self.tree) if node is not self.tree and is_replaced(node)]
        kept |= {id(node) for inner in within for node in ast.walk(inner)}  # which have edits of their own
        for node in (node for node in ast.walk(self.tree) if id(node) not in kept):
            if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef) and not is_text(node):
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
            yield from filter(getattr(self, only) if only else None, self.followed(line))
            return
        if only == PRODUCTS:
            yield from self.with_products(line)
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
            edits = ((old, new) for heavy, old, new in every if heavy == weight and not exchanges_a_rate(old, new))
            turn = self.turn_of if weight > TOKEN else self.turn_of_token
            named = named_by(statement) if statement else set()
            own = {name for node in own_nodes(statement) for name in names_of(node)} if statement else set()
            copied = copies(statement) if statement else []

            def order(edit, turn=turn, named=named, own=own):
                return not puts_one_of(edit[1], named), turn(*edit), not puts_one_of(edit[1], own)

            for old, new in sorted(edits, key=order):
                if id(old) in nodes if nodes else id(old) not in elsewhere:
                    change = Change(statement, old, new)
                    if change.key not in seen and not change.is_of_no_use(copied):
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
            likely = (*self.missing.as_others(statement), *self.missing.by_unread(statement))
            yield from (Change(other, other, new) for other, new in likely)
            around = (*self.missing.before(statement), *self.missing.after(statement))
            yield from (Change(statement, statement, new) for new in around)
            elsewhere = (*self.missing.added(statement), *self.missing.handed_on(statement))
            elsewhere = (*elsewhere, *self.missing.filled(statement))
            yield from (Change(other, other, new) for other, new in elsewhere)

    def scales_as_elsewhere(self, change):
        """How much speaks for a statement that a `Change` puts in: that it does to what the one before it sets what
        another one does to another variable, `d_weights *= mask` beside `weights *= mask`, and that this is called so
        but for a number."""
        body = change.new.body if are_several(change.new) else [None]
        is_so = isinstance(body[-1], ast.AugAssign) and pattern_of(body[-1]) in self.missing.scaling
        is_of_sibling = is_so and ast.unparse(body[-1]) in self.missing.unlike_siblings.get(body[0], ())
        return is_so + is_of_sibling

    def with_products(self, line):
        """The `Change`s that add a product of two arrays to something in a line: to all of it first."""
        for statement in (one for one in self.lines.get(line, ()) if isinstance(one, ast.Assign | ast.AugAssign)):
            nodes = [
                node for node in own_nodes(statement) if isinstance(node, ast.BinOp | ast.Call) or self.is_atom(node)
            ]
            for node in (node for node in nodes if isinstance(getattr(node, "ctx", ast.Load()), ast.Load)):
                text = ast.unparse(node)
                yield from (Change(statement, node, Pattern("{e} + {a}", text, one)) for one in self.products)

    def completes_a_pattern(self, change):
        """Whether a `Change` makes of a statement, which looks like no other, what looks like another one; or of one of
        several things that are returned what looks like the others."""
        if isinstance(change.statement, ast.Return):
            return isinstance(change.node, ast.expr) and completes_a_row(change, self.named_at(change.statement))
        if step := step_of(change.statement):
            others = [step_of(one) for one in self.likeness if one is not change.statement]
            after = step_of(change.made())
            return bool(after) and after != step and others.count(after) > 1 and step not in others
        likeness = self.all_likeness.get(change.statement)
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

    def puts_a_number(self, change):
        """Whether a `Change` puts in a whole number, or nothing that has a name."""
        return not isinstance(change.new, Pattern) or not change.new.a or change.new.a in self.picks

    @staticmethod
    def puts_an_activation(change):
        """Whether a `Change` puts an activation, by its name, around a value that is not called what one gives."""
        new = change.new
        if not isinstance(new, Pattern) or OUTPUT.fullmatch(new.e):
            return False
        called = new.a.partition("(")[0] if new.a.endswith(f"({new.e})") else new.pattern.removesuffix("({e})")
        return called not in (new.a, new.pattern) and bool(ACTIVATION.search(called.rpartition(".")[2]))

    def is_of_all(self, change):
        """Whether a `Change` is of all that a statement gives."""
        return change.node is getattr(change.statement, "value", None)

    def puts_a_size(self, change):
        """Whether a `Change` puts in a whole number that has a name."""
        return isinstance(change.new, Pattern) and change.new.a in self.picks

    def only_scales(self, change):
        """Whether a `Change` multiplies or divides by a number or a size, or no longer does so."""
        old, new = change.node, change.new
        if isinstance(new, Pattern):
            by_size = new.pattern in ("{e} / ({a})", "{e} / {a}", "{e} * {a}") and new.a in self.picks
            return by_size or new.pattern in (*SCALED, *AVERAGED, LENGTH)
        drops = isinstance(old, ast.BinOp) and isinstance(old.op, ast.Mult | ast.Div) and new in (old.left, old.right)
        texts = ast.unparse(old), ast.unparse(new)
        return drops or number(new) is not None or len({text.replace("mean", "sum") for text in texts}) == 1

    @staticmethod
    def turns_a_difference(change):
        """Whether a `Change` exchanges the sides of a difference."""
        return is_turned(change)

    def breaks_a_pattern(self, change):
        """Whether a `Change` takes something out of a statement that looks like another one, and like none then."""
        if step := step_of(change.statement):
            others = [step_of(one) for one in self.likeness if one is not change.statement]
            after = step_of(change.made())
            return step in others and after not in others
        likeness = self.all_likeness.get(change.statement)
        before = likeness and likeness.shape
        if before is None or self.shapes[before] < 2:
            return False
        after = self.shape_with(change, likeness)
        return after not in self.shapes and len(after or ()) < len(before)

    def stands_elsewhere(self, change):
        """Whether a `Change` puts a sum or product around a value in which it stands elsewhere in the function;
        not of what a loop runs through."""
        is_new = not isinstance(change.new, Pattern) and isinstance(change.node, ast.expr)
        is_new &= not isinstance(change.statement, HEADERS)
        return is_new and ast.unparse(change.new) in self.larger.get(ast.unparse(change.node), ())

    @staticmethod
    def sets_elsewhere(change):
        """Whether with a `Change` another entry, or part, of the same array is set."""
        targets = [t for t in getattr(change.statement, "targets", ()) if isinstance(t, ast.Subscript)]
        return any(one is change.node for target in targets for one in ast.walk(target.slice))

    @functools.cached_property
    def unread_atoms(self):
        """Those of the atoms that have such a gradient in them, and their products with single numbers: few."""
        found = [atom for atom in self.atoms if self.has_unread_gradients(atom)]
        plain = [atom for atom in found if atom in self.unread]
        return found + [f"{factor} * {atom}" for atom in plain for factor in self.factors if factor != atom]

    def shape_with(self, change, likeness):
        """The shape of a statement with a `Change`; likeness: of it as it is, None if it is no assignment."""
        if likeness and likeness.is_known_with(change.node):
            text = change.new.text if isinstance(change.new, Pattern) else ast.unparse(change.new)
            return likeness.shape_with(change.node, text)
        if not likeness and change.node is not change.statement:
            return None  # no assignment, nor made one
        made = change.made()
        return Likeness(made).shape if isinstance(made, ast.Assign | ast.AugAssign) else None

    def turn_of_token(self, old, new):
        """The same of the smallest edits: comparisons; what is called nearly as something that nothing reads, or the
        least for the largest; what only changes places; all but names, the counter of one loop for another's and what
        nothing reads; other names, those first that are alike."""
        if isinstance(old, ast.Compare) and isinstance(new, ast.Compare) and old.left is new.left:
            return -2
        if not isinstance(new, Pattern) and isinstance(old, ast.BinOp | ast.Subscript) and consists_of(new, old):
            return -0.5
        if isinstance(old, ast.Call) and isinstance(new, ast.Call) and old.args is new.args:
            return -1 if is_opposite(name_of(old.func), name_of(new.func)) else 0
        if not isinstance(new, Pattern) or new.pattern != "{a}" or not isinstance(old, ast.expr):
            return 0
        text = ast.unparse(old)
        if {text, new.a} <= self.scope.loops:
            return 0
        alike = likeness(new.a, text)
        return (-1 if alike > ALIKE else 0) if new.a in self.unread else 1 - alike

    def turn_of(self, _, new):
        """What many edits are sorted by: those first that put in what is set and not read, then those that put in
        nothing else, or what a loop may hand on, or a slope; a mere number as a factor last."""
        if isinstance(new, Pattern) and new.pattern in SCALED:
            return 3
        puts = isinstance(new, Pattern) and new.pattern not in SLOPES and new.a
        return 1 if not puts or " @ " in puts else 0 if puts in self.unread else 2


def named_by(statement):
    """The names of which what a statement sets is the gradient, or derivative, by its name, and that it does not read:
    `U` of `dU = 1 - C * C`."""
    names = [name_of(target) or "" for target in targets_of(statement)] if not isinstance(statement, HEADERS) else []
    read = {name for node in ast.walk(statement) for name in names_of(node)}
    return {stem for name in names for stem, _ in stems(name)} - read


def exchanges_a_rate(old, new):
    """Whether a rate of learning takes the place of something else, or gives it up: where it is one, as where gradients
    are told from what is learnt, it may stand for any factor, or number."""
    if not isinstance(new, Pattern) or new.pattern != "{a}":
        return False
    return any(RATE.fullmatch(text.rpartition(".")[2]) for text in (ast.unparse(old), new.a))


def consists_of(node, other):
    """Whether an expression only has the names and numbers of another one in other places."""
    both = [sorted(re.findall(r"\w+", ast.unparse(one))) for one in (node, other)]
    return both[0] == both[1]


def step_of(statement):
    """How a statement changes a variable by another one, `w = w - dw` or `w -= dw`: its operation; None of others."""
    match statement:
        case ast.AugAssign(target=target, op=operation, value=ast.Name() | ast.Attribute()):
            return type(operation).__name__ if isinstance(target, ast.Name | ast.Attribute) else None
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=operation, right=ast.Name() | ast.Attribute())):
            return type(operation).__name__ if ast.unparse(target) == ast.unparse(left) else None
    return None


def puts_one_of(new, names):
    """Whether a `Pattern` puts in one of some names."""
    return bool(names) and isinstance(new, Pattern) and not names.isdisjoint(IDENTIFIER.findall(new.a))

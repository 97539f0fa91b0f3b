"""Which small edits of a statement make all results right: each is compiled in the place of the original, and run."""

import ast
import copy
import itertools
import warnings
from collections import Counter
from contextlib import suppress
from functools import cached_property

import numpy as np

from tinyrnn.sources.copying import deep_copy
from tinyrnn.sources.deadline import TooLong
from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.reading import NoSource, code_of, function_of, read
from tinyrnn.sources.syntax import name_of
from tinyrnn.sources.vocabulary import names_gradients
from tinyrnn.sources.watching import Watcher
from tinyrnn.verdicts.record.run import floats
from tinyrnn.verdicts.repair.agreeing import agreement
from tinyrnn.verdicts.repair.around import labels, last_of_blocks
from tinyrnn.verdicts.repair.change import TOKEN
from tinyrnn.verdicts.repair.edit import Edit
from tinyrnn.verdicts.repair.edits import PRODUCTS, Edits
from tinyrnn.verdicts.repair.facts import Facts
from tinyrnn.verdicts.repair.helpers import is_right_by_itself
from tinyrnn.verdicts.repair.in_place import (
    SUPER,
    block_of,
    is_exchange,
    is_turned,
    running_as,
    scales_as_beside,
    standing,
    text_of,
    texts_beside,
)
from tinyrnn.verdicts.repair.patience import spend
from tinyrnn.verdicts.repair.preview import Preview, arrays_in
from tinyrnn.verdicts.repair.replacements import is_fraction
from tinyrnn.verdicts.repair.sieve import Look, coded, outside_comprehensions, sieve_of, units_of, value_of
from tinyrnn.verdicts.repair.statements import counters_of, headed, names_of
from tinyrnn.verdicts.repair.surroundings import Surroundings
from tinyrnn.verdicts.repair.texts import calls_in, is_length_of

FEW_MORE = 40  # runs with further edits of a line, one of which does it and leaves something that nothing reads
MOST_RUNS = 2500  # of the backward pass with an edit, in one search
MOST_OF_A_LINE = 200  # of them with edits of one line, but for the smallest
MOST_BEYOND = 30  # of those of one line that pass its sieve, when all others are spent
MOST_DISTURBED = 4  # of the times that a statement runs, that are seen with other values of its own
MOST_LOOKS = 12  # of the times that a statement runs, the first
SPREAD = (0, 1, 2, 3, 4, 5, 8, 13, 21, 34, 55, 89, 144)  # or these, where loops in loops may run often with zeros
HOOK = "__edited__"


class Editing(Facts, Surroundings):
    """The edits of one backward program. results: the `Results` to compare. inner: the `Inner` of the problem."""

    def __init__(self, problem, program, forward_result, results, inner):
        self.problem, self.program, self.results, self.inner = problem, program, results, inner
        self.call = problem.backward_call(forward_result)
        self.runs, self.tried, self.edits, self.sieves, self.hooks, self.previews = 0, Counter(), {}, {}, {}, {}
        self.beyond = Counter()  # {place: runs with edits that pass its sieve, when all others are spent}
        self.begun = {}  # {(scope, line), weight: the edits of it that are not tried yet}
        self.masks = {}  # {scope: names of variables that are zeros and ones}
        self.helpers = {}  # {scope: whether it is right by itself}
        self.owners = {}  # {scope: the object whose method it is}
        self.left = None  # what was wrong in the last run with an edit; None where that broke off
        self.came = None  # what that run gave

    @cached_property
    def functions(self):
        """{scope: the rewritten function}."""
        return {scope: several[0] for scope, several in self.forms.items()}

    @cached_property
    def forms(self):
        """{scope: [all rewritten forms of the function]}: what asks for `super()` has one in each class. Of functions
        of classes of one name the longest is meant: a base class may only say what there should be."""
        found = {}
        for made in self.program.rewritten():
            found.setdefault(made.original.__qualname__, {}).setdefault(made.original, []).append(made)
        return {scope: max(several.items(), key=length_of)[1] for scope, several in found.items()}

    def tree_of(self, function):
        """The syntax tree of a function, with what stands in it for now."""
        return self.program.trees.get(function) or read(function)

    def edits_of(self, scope):
        """The `Edits` of a function; None without its source."""
        if scope not in self.edits:
            made, found = self.functions.get(scope), None
            try:
                tree = made and self.tree_of(made.original)
                if tree:
                    found = Edits(tree)
                    for node in ast.walk(found.tree):
                        if isinstance(node, ast.Attribute):
                            Watcher(scope, []).mangle(node)
                        if ast.unparse(node) == "super()":  # says what it means, as it is asked elsewhere too
                            node.args = ast.parse(SUPER, mode="eval").body.args
            except NoSource:
                found = None
            self.edits[scope] = found
            if found:
                ends = list(last_of_blocks(found.tree))
                for statement in ends:
                    looks = self.looks_of_run(scope, statement) or []
                    found.labels += [one for look in looks for one in labels(look, found.tree)]
                    for look in looks[-1:]:
                        self.look_around(scope, found, look)
        return self.edits[scope]

    def is_right_by_itself(self, scope):
        """Whether a function is the backward pass of a layer, or a step, or a helper that gives the derivative of an
        activation, and right when it is called by itself."""
        if scope not in self.helpers:
            made, edits = self.functions.get(scope), self.edits_of(scope)
            self.helpers[scope] = False
            if made is not None and edits is not None:
                self.helpers[scope] = self.is_right_as(scope, self.program.trees.get(made.original))
        return self.helpers[scope]

    def is_right_as(self, scope, tree):
        """Whether a function, with another syntax tree if there is one, is right by itself."""
        original = self.functions[scope].original
        if self.inner.is_right(original, self.program.trees | ({original: tree} if tree else {})):
            return True
        function = function_of(original, code_of(original, tree)) if tree else original
        return is_right_by_itself(function, self.owners.get(scope))

    def makes_right_by_itself(self, edit):
        """Whether an `Edit` makes a helper right by itself that was not."""
        scope = edit.place[0]
        return not self.is_right_by_itself(scope) and bool(self.is_right_as(scope, edit.tree))

    def found(self, place, weight, solver, is_linear, most=MOST_RUNS, only=None, some=None, each=MOST_OF_A_LINE):
        """The first `Edit` of a line, of that weight, that makes all results right; None if there is none; rather one
        soon after it than one with which nothing reads any more what another line sets, `dg * g` for `dz * g`.
        is_linear: function that says whether the results are linear in a unit of the `Solver`. most: runs, of all
        edits. only: method of `Edits` that says of a `Change` whether to try it, by name. some: runs after which to
        leave it, to go on there when asked again. each: runs with edits of one line, but for the smallest."""
        scope, line = place
        edits = self.edits_of(scope)
        changes = iter(edits.of_line(line, weight, only) if edits else ())
        if some is not None:
            changes, most = self.begun.setdefault((place, weight), changes), min(most, self.runs + some)
        spare = None
        for change in changes:
            if self.is_of_a_setting(change):
                continue
            sieve = self.sieve(place, change.statement, solver, is_linear)
            if sieve is not None and not sieve(change):
                continue
            if sieve is None and only == PRODUCTS:
                return None
            tried = place, weight, only == PRODUCTS  # of which there are many
            if self.runs >= most and sieve is not None and some is None and not spare:
                self.beyond[place] += 1  # few pass a sieve, and most of these do it
                is_spent = self.beyond[place] > MOST_BEYOND
            else:
                is_spent = self.runs >= most
            if is_spent or (self.tried[tried] >= each and weight > TOKEN):
                if some is not None:
                    self.begun[place, weight] = itertools.chain([change], changes)
                return spare
            self.tried[tried] += weight > TOKEN
            if self.does(scope, edits.tree, change) and not self.makes_one_of_a_size(scope, change):
                edit = self.edit(place, weight, edits.tree, change)
                if weight > TOKEN or not any(self.set_for_nothing(edit)):
                    return edit
                most = most if spare else min(most, self.runs + FEW_MORE)
                spare = spare or edit
        return spare

    def makes_one_of_a_size(self, scope, change, ask=None):
        """Whether a `Change` makes one of what a statement takes for a size: what there is one of is not counted, so it
        is rather divided by once too often. ask: as for `does`."""
        statement = change.statement
        if not isinstance(statement, ast.Assign) or not is_length_of(statement.value):
            return False
        looks, text = self.looks_of_run(scope, statement, ask=ask), ast.unparse(change.made().value)
        return bool(looks) and all(np.array_equal(look.value(text), 1) for look in looks)

    def is_of_a_setting(self, change):
        """Whether a `Change` is of a number that is no whole one, such as a rate or the strength of a penalty, and that
        a function of the program is called with: both passes go by that."""
        if not is_fraction(change.node):
            return False
        calls = [call for call in calls_in(change.statement) if name_of(call.func) in self.own_names]
        return any(change.node is one for call in calls for one in (*call.args, *(k.value for k in call.keywords)))

    @cached_property
    def own_names(self):
        """The names of the functions and classes of the program."""
        return {one.__name__ for one in (*self.program.originals(), *self.program.classes)}

    def improving(self, place, wrong, off, some, weight=TOKEN, only=None, is_multiple=False):
        """((how many results are left wrong, how many of their numbers), the `Edit`) of each slip in a line with which
        fewer are, of the numbers no more than `off`, or all that is wrong lacks the same factor, and no result that was
        right. some: runs after which to leave it, to go on there when asked again. weight, only: of other edits than
        slips, as for `Edits.of_line`. is_multiple: whether what is wrong lacks one factor as it stands."""
        edits, most = self.edits_of(place[0]), self.runs + some
        begun = place, None, weight, only
        changes = self.begun.setdefault(begun, iter(edits.of_line(place[1], weight, only) if edits else ()))
        for change in changes:
            self.left = None
            self.does_run(place[0], edits.tree, change, self.is_right)
            if self.left and {*self.left} <= {*wrong}:
                left = len(self.left), self.results.off(self.came)
                if not is_multiple and self.results.factor(self.came):
                    left = 0, 0
                if left[0] < len(wrong) or left[1] <= off:
                    yield left, self.edit(place, weight, edits.tree, change)
            if self.runs >= most:
                return

    def edit(self, place, weight, tree, change):
        """The `Edit` that a `Change` is."""
        with standing(tree, change.statement, made := change.made()):
            texts = self.texts(place, change.statement, made)
            is_as_beside = scales_as_beside(block_of(tree, made), made, change.statement)
            made, scope = self.functions[place[0]].original, place[0]
            edits = self.edits_of(scope)
            facts = self.masks.get(scope, ()), frozenset(edits.unread - counters_of(edits.tree))
            edit = Edit(place, weight, *texts, made, copy.deepcopy(tree), *facts)
        edit.completes_a_pattern = edits.completes_a_pattern(change)
        edit.breaks_a_pattern = edits.breaks_a_pattern(change)
        edit.scales_as_beside = is_as_beside
        others = texts_beside(tree, change.statement)
        edit.twins = (edit.after in others) - (edit.before in others) + edits.scales_as_elsewhere(change)
        edit.names_another = isinstance(change.node, ast.Name) and isinstance(change.node.ctx, ast.Store)
        edit.agreement = self.agreement(change, change.made(), scope)
        edit.turns_a_difference = is_turned(change)
        edit.uncalled = edits.uncalled
        edit.turns_what_repeats = edit.turns_a_difference and ast.unparse(tree).count(ast.unparse(change.node)) > 1
        returns = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Return)]
        edit.names_what_is_returned = isinstance(change.statement, ast.Assign) and place[1] in returns
        value = getattr(change.statement, "value", None) or change.statement
        edit.reads_gradients = any(names_gradients(one) for n in ast.walk(value) for one in names_of(n))
        edit.counts_gradients = counts_gradients(change)
        edit.is_of_gradients = not any(self.forward_values(scope, change.statement))
        return edit

    def agreement(self, change, made, scope):
        """By how much more the names of what changes places in a `Change` agree with those that it has elsewhere."""
        if ast.dump(change.statement) == ast.dump(made) or not is_exchange(change.statement, made):
            return 0.0
        function = self.functions[scope].original.__name__
        before, after = (agreement(one, function, self.trees) for one in (change.statement, made))
        return after - before

    @cached_property
    def trees(self):
        """{name: syntax tree} of the functions of the program, but for names that several have."""
        originals = list(self.program.originals())
        times = Counter(one.__name__ for one in originals)
        once = [one for one in originals if times[one.__name__] == 1]
        return {one.__name__: self.tree_of(one) for one in once}

    def texts(self, place, statement, made):
        """The sources of what stands at a place and of what would; of what a loop should hand on, with that loop."""
        (start, *_) = self.edits_of(place[0]).lines.get(place[1], (statement,))
        if isinstance(made, ast.For) and not isinstance(start, ast.For):
            loop = ast.copy_location(but(headed(made), body=made.body[-1:]), made)
            return text_of(start), f"{text_of(start)}\n{ast.unparse(loop)}"
        return text_of(statement), text_of(made)

    def forward_values(self, scope, statement):
        """The sources of the arrays that stand in a statement and are no gradients by their names."""
        looks = (self.looks_of_run(scope, statement) or [])[:1] if value_of(statement) else []
        atoms = [node for node in ast.walk(statement) if isinstance(node, ast.Name | ast.Attribute)]
        for text in map(ast.unparse, atoms if looks else ()):
            try:
                value = looks[0].value(text)
            except Exception:
                continue  # a name that is set here
            if isinstance(value, np.ndarray) and value.size > 1 and not names_gradients(text.rpartition(".")[2]):
                yield text

    def does(self, scope, tree, change, ask=None, preview=None):
        """Whether all results are right with a `Change`. ask: what is asked in place of that, of a function and what
        makes the code that it is run as. preview: the `Preview` of the statement then, if there is one."""
        statement = change.statement
        preview = preview or (None if ask else self.preview(scope, tree, statement))
        if preview and preview.is_needless(change):
            return False
        if made := self.does_run(scope, tree, change, ask or self.is_right):
            preview and preview.keep(change)
        return made

    def preview(self, scope, tree, statement):
        """The `Preview` of a statement, made once; None of one that gives nothing."""
        if statement not in self.previews:
            is_asked = self.hook(scope, tree, statement).own
            self.previews[statement] = self.preview_of_run(scope, statement) if is_asked else None
        return self.previews[statement]

    def preview_of_run(self, scope, statement, ask=None):
        """The `Preview` of a statement; None where what stands around it cannot be copied. Of what runs again it is
        seen with other values of its own too: what it leaves for later may be zero as it stands, and is not with an
        edit."""
        looks = self.looks_of_run(scope, statement, ask=ask, times=SPREAD)
        if looks and len(looks) > 1:
            more = self.looks_of_run(scope, statement, np.random.default_rng(0), ask, SPREAD) or []
            looks += more[1:MOST_DISTURBED]
        try:
            return None if looks is None else Preview(statement, looks)
        except Exception:
            return None

    def does_run(self, scope, tree, change, ask):
        """What is asked, with a `Change`, of a function and what makes the code that it is run as."""
        original, statement = self.functions[scope].original, change.statement
        if id(change.node) not in self.hook(scope, tree, statement).own:
            with suppress(SyntaxError, ValueError), standing(tree, statement, change.made()):
                return ask(scope, lambda: code_of(original, tree))
            return False
        try:
            code = coded(statement.value, change.node)
        except (SyntaxError, ValueError):
            return False
        return self.hooked(scope, tree, statement, lambda look, _: look.edited(code, change.new), ask)

    def does_all(self, edit):
        """Whether all results are right with an `Edit`."""
        made = self.functions.get(edit.place[0])
        return made is not None and self.is_right(edit.place[0], lambda: code_of(made.original, edit.tree))

    def hook(self, scope, tree, statement):
        """The `Hook` of a statement, made once."""
        if (scope, statement) not in self.hooks:
            self.hooks[scope, statement] = Hook(self.functions[scope].original, tree, statement)
        return self.hooks[scope, statement]

    def hooked(self, scope, tree, statement, give, ask=None):
        """Whether all results are right with what `give(look, make)` gives in place of a statement; make() is that.
        ask: as for `does`."""
        hook, worlds = self.hook(scope, tree, statement), [made.__globals__ for made in self.forms[scope]]
        for world in worlds:
            world[HOOK] = lambda variables, make, world=world: give(Look(world, variables), make)
        try:
            return (ask or self.is_right)(scope, lambda: hook.code)
        finally:
            for world in worlds:
                world.pop(HOOK, None)  # several forms may be of one module

    def sieve(self, place, statement, solver, is_linear):
        """The `Sieve` of a statement, made once; None if it has none."""
        if (place, statement) not in self.sieves:
            units = units_of(statement, [unit for unit in solver.places if unit.place == place])
            found = None
            if units and all(map(is_linear, units)):
                found = sieve_of(statement, self.looks(place[0], statement), units, solver)
            self.sieves[place, statement] = found
        return self.sieves[place, statement]

    def looks(self, scope, statement):
        """[(`Look`, the same in a run in which the statement gives other values)] of the first times that it runs."""
        changes = None, np.random.default_rng(0)
        plain, other = (self.looks_of_run(scope, statement, change) or [] for change in changes)
        return list(zip(plain, other, strict=False))[: None if len(plain) == len(other) else 1]

    def looks_of_run(self, scope, statement, rng=None, ask=None, times=range(MOST_LOOKS)):
        """The `Look`s of one run; None where what stands around cannot be copied. rng: what is given is disturbed by
        it. ask: as for `does`. times: of which runs of the statement."""
        found, refused, ran = [], [], itertools.count()

        def give(look, make):
            if next(ran) in times and not refused:
                try:
                    found.append(Look(self.functions[scope].__globals__, frozen(deep_copy(look.locals))))
                except Exception as error:  # a lock, say
                    refused.append(error)
            return make() if rng is None else disturbed(make(), rng)

        with suppress(*(() if rng is None else (Exception, TooLong))):  # other values may break it off
            self.hooked(scope, self.edits_of(scope).tree, statement, give, ask)
        return None if refused else found

    def running_as(self, scope, code):
        """While it lasts, a function runs as another code, of which the classes of the program keep nothing."""
        return running_as(self.forms[scope], code, self.program.classes.values())

    def is_right(self, scope, code):
        """Whether all results are right with another code of a function. code: function that makes it."""
        spend()
        self.runs, self.left = self.runs + 1, None
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                with self.running_as(scope, code()):
                    returned = self.program.run(None, self.call)
                self.came = self.problem.came(returned, self.results.pairs)
                self.left = self.results.wrong(self.came)
                return not self.left
            except (Exception, TooLong):
                return False


class Hook:
    """The code of a function in which what one statement gives is asked of a function called HOOK. own: the nodes that
    are asked for."""

    def __init__(self, function, tree, statement):
        self.own = {id(node) for node in outside_comprehensions(statement.value)} if value_of(statement) else set()
        if self.own:
            asked = ast.parse(f"{HOOK}({{**locals()}}, lambda: 0)", mode="eval").body
            asked.args[1].body = statement.value
            with standing(tree, statement, ast.copy_location(but(statement, value=asked), statement)):
                self.code = code_of(function, tree)


def frozen(variables):
    """Some variables, the arrays in which may not be written to: an edit could, as `np.cos(x, y)` writes to y."""
    for array in arrays_in(variables):
        array.flags.writeable = False
    return variables


def counts_gradients(change):
    """Whether a `Change` adds one to what has a gradient in it, or takes it away: not so of `exp(x) - 1`."""
    if getattr(change.new, "pattern", None) not in ("{e} - 1", "{e} + 1"):
        return False
    return any(names_gradients(one) for node in ast.walk(ast.parse(change.new.e)) for one in names_of(node))


def length_of(function_and_forms):
    """How long the code of a function is."""
    return len(function_and_forms[0].__code__.co_code)


def disturbed(value, rng):
    """A value with something added to all floats in it."""
    if isinstance(value, tuple | list):
        return type(value)(disturbed(one, rng) for one in value)
    if isinstance(value, dict):
        return {key: disturbed(one, rng) for key, one in value.items()}
    array = floats(value)
    if array is None:
        return value
    more = rng.normal(size=array.shape)
    return array + more if array.shape or isinstance(value, np.generic) else array.item() + float(more)

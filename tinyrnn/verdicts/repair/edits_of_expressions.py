"""The edits of the expressions in a statement: another value, another function, a factor, a term or an axis that was
forgotten."""

import ast
import functools
import itertools
import re

from tinyrnn.sources.mutation.scope import MODULES, but, number
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.repair.analogy import (
    target_of,
)
from tinyrnn.verdicts.repair.around import RELU
from tinyrnn.verdicts.repair.change import FORMULA, PIECE, TOKEN, Pattern
from tinyrnn.verdicts.repair.replacements import (
    OPPOSITE,
    is_divided,
    is_fraction,
    is_product,
    is_quotient,
    lengths_beside,
    other_choices,
    other_constants,
    other_keywords,
    other_orders,
    parsed,
    sum_of_all,
    summed_by,
    sums_along,
    sums_of_products,
    switched,
    taken_for,
    with_axes_turned,
)
from tinyrnn.verdicts.repair.slopes import of_the_other_kind, siblings_of, sloped, slopes_of_softmax
from tinyrnn.verdicts.repair.statements import (
    DERIVES,
    IDENTIFIER,
    is_name,
)
from tinyrnn.verdicts.repair.texts import without_digits
from tinyrnn.verdicts.repair.windows import (
    other_ends,
    other_ranges,
    other_takes,
)

SLOPES = ("{e} * (1 - {a})", "{e} * (1 - {a} ** 2)")
OWN_SLOPES = ("{e} * (1 - {e})", "1 - {e} ** 2")  # of a sigmoid and a tanh
FORMULAS = (*SLOPES, "{e} * {a} * (1 - {a})", "{e} @ {a}", "{a} @ {e}", "{e} @ {a}.T", "{a}.T @ {e}")
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
TURNING = ("flip", "fliplr", "flipud", "moveaxis", "roll", "rot90", "swapaxes", "transpose")  # the same entries
NO_SLOPES = ("dot", "matmul", "outer", "einsum", "multiply", "tensordot", "where", "maximum")  # factors that are none
PRODUCTS = ("{e} * {a}", "{e} / {a}")
WEIGHED = {0: "{a} @ {e}", 1: "{e} @ {a}"}  # along which axis: a sum by weights
SUMS = ("{e} + {a}", "{e} - {a}", "{a} - {e}")
AROUND = ("{e}.T", "-{e}", "{e} ** 2", "{e} ** 0.5", "{e}.copy()", "{e}.swapaxes(-1, -2)", "{e}.swapaxes(1, 2)")
REDUCED = (
    "1 - {e}",
    "{e} - 1",
    "{e} ** 3",  # as in the derivative of a norm
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
    "{e}[..., ::-1, ::-1]",  # a kernel, turned
)


def numbered_otherwise(text, atoms):
    """Those of some values that are called as one is but for the numbers: `W2` of `W1`."""
    return [atom for atom in atoms if atom != text and without_digits(atom) == without_digits(text)]


def with_numbers_moved(text, by):
    """A text in which each whole number is more by some."""
    return re.sub(r"\d+", lambda found: str(int(found[0]) + by), text)


class OfExpressions:
    """The edits of expressions, of a function of which `Edits` tells what there is."""

    def of_expression(self, node, is_factor, atoms):
        """(weight, what to put in its place) of an expression. is_factor: of a product, which is edited as a whole.
        atoms: as for `of_statement`."""
        yield from ((TOKEN, new) for new in other_constants(node))
        yield from ((TOKEN, new) for new in other_orders(node))
        yield from ((TOKEN, new) for new in (*sum_of_all(node), *sums_along(node), *other_takes(node)))
        yield from ((PIECE, new) for new in (*lengths_beside(node), *with_axes_turned(node), *sums_of_products(node)))
        if isinstance(node, ast.Call):
            yield from self.of_call(node)
        if (summed := summed_by(node)) is not None:  # by weights, of which there is one for each
            text, axis = ast.unparse(summed[0]), summed[1]
            yield from ((PIECE, Pattern(WEIGHED[axis], text, atom)) for atom in atoms if axis in WEIGHED)
        yield from self.of_operands(node, is_factor, atoms)
        no_value = ast.Tuple | ast.Constant | ast.Slice | ast.Starred | ast.Lambda
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or isinstance(node, no_value):
            return
        yield from self.of_value(node, is_factor, atoms)

    def of_call(self, node):
        """The edits of a call, as of an expression."""
        yield from ((TOKEN, new) for new in (*other_ranges(node), *other_ends(node)))
        yield from ((TOKEN, new) for new in other_keywords(node, self.keywords))
        yield from ((TOKEN, new) for new in other_choices(node, self.choices))
        siblings = [name for name in siblings_of(node.func) if name in self.uncalled]
        yield from ((TOKEN, but(node, func=ast.Name(name, ast.Load()))) for name in siblings)
        yield from ((TOKEN, but(node, func=other)) for other in taken_for(node.func, OPPOSITE))
        yield from ((TOKEN, new) for new in switched(node, self.switches.get(name_of(node.func), {})))
        # of what a loop runs through, an entry is named only where it should run otherwise
        of_counter = {one.id for one in ast.walk(node.func) if is_name(one)} & self.scope.loops
        others = [name for name in self.functions if not (of_counter and "[" in name)]
        if len(node.args) > 1:  # NumPy's functions of one argument would write to the second one
            others = [name for name in others if name.partition(".")[0] not in MODULES]
        yield from ((TOKEN, parsed(name, func=node)) for name in others)
        if (len(node.args) == 1 and not node.keywords) or (node.args and name_of(node.func) in TURNING):
            yield TOKEN, node.args[0]
            if ast.unparse(node.func).endswith("cumsum"):  # the gradient of one is one from behind
                yield PIECE, parsed(f"{ast.unparse(node.func)}({ast.unparse(node.args[0])}[::-1])[::-1]")

    def of_operands(self, node, is_factor, atoms):
        """The edits of a number, a power, a quotient and a comparison, as of an expression."""
        if is_fraction(node):
            yield from ((TOKEN, ast.Constant(other)) for other in self.fractions if other != number(node))
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
        if isinstance(node, ast.Compare):  # a mask, of which the factor was forgotten
            text = ast.unparse(node)
            yield from ((PIECE, Pattern(pattern, text, a)) for pattern in (PRODUCTS[0], SLOPES[0]) for a in atoms)

    def of_value(self, node, is_factor, atoms):
        """The edits of what gives a value, as of an expression."""
        text = ast.unparse(node)
        if self.is_atom(node) or isinstance(node, ast.Call):
            yield from ((PIECE, parsed(other)) for other in self.larger.get(text, ()))
            yield from ((TOKEN, Pattern("{a}", a=atom)) for atom in atoms if atom != text)
            yield from ((TOKEN, parsed(other)) for other in self.of_another_owner(node))
            yield from ((TOKEN, one) for one in self.compared_as_others(atoms) if self.is_atom(node))
            numbered = () if self.has_no_axes(node) else numbered_otherwise(text, atoms)
            yield from ((PIECE, Pattern("{a}.T", a=atom)) for atom in numbered)
            yield from ((PIECE, parsed(other)) for other in self.of_a_first_step(node))
            yield from ((PIECE, Pattern(name + "({e})", text)) for name in self.wraps)
            yield from ((PIECE, parsed(other)) for other in self.called_with.get(text, ()))
            beside = ("{e} - 1",) if is_factor else ("{e} - 1", "{e} + 1")  # one step, or one less than there are
            yield from ((PIECE, Pattern(more, text)) for more in beside if text in self.picks)
        if isinstance(node, ast.BinOp):
            yield from ((PIECE, Pattern("{a}", a=name)) for name in self.worked_out_from(node))
            there = dict.fromkeys(ast.unparse(one) for one in ast.walk(node) if self.is_atom(one))
            yield from ((FORMULA, parsed(one)) for one in (there if not is_factor else ()))
            if y := sloped(node):  # of a loss that is made for its activation, what is left is a difference
                yield from ((PIECE, Pattern("{e} - {a}", y, atom)) for atom in ("1", *atoms) if atom != y)
        if is_factor and self.is_atom(node):  # of each row
            yield from ((PIECE, Pattern("{a}[:, None]", a=atom)) for atom in atoms if atom != text)
        if isinstance(node, ast.Attribute) and node.attr == "T":
            yield from ((TOKEN, Pattern("{a}", a=atom)) for atom in atoms if atom != ast.unparse(node.value))
        if isinstance(node, ast.Call) and RELU.search(name_of(node.func) or ""):  # of which this is the slope
            yield PIECE, Pattern("({e} > 0) * 1.0", text)
        if self.is_atom(node) or isinstance(node, ast.Call | ast.BinOp):
            is_whole = not is_factor and not any(isinstance(one, ast.Compare) for one in ast.walk(node))
            there = (one for one in self.conditions if is_whole or not one.startswith("{e} * ("))
            yield from ((PIECE, Pattern(pattern, text)) for pattern in there)
        if not self.has_no_axes(node):
            yield from ((TOKEN, Pattern(pattern, text)) for pattern in AROUND)
            yield from ((PIECE, Pattern(pattern, text)) for pattern in REDUCED)
        if isinstance(node, ast.BinOp | ast.Call) or self.is_atom(node):
            for weight, patterns in ((PIECE, SUMS),) if is_factor else ((PIECE, SUMS + PRODUCTS), (FORMULA, FORMULAS)):
                for pattern in patterns:
                    others = (atom for atom in atoms if atom != text or pattern == PRODUCTS[0])
                    yield from ((weight, Pattern(pattern, text, atom)) for atom in others)
            if is_factor:
                yield PIECE, Pattern("2 * {e}", text)
                yield PIECE, Pattern("({e} > 0)", text)
            if not is_factor:
                yield from ((PIECE, Pattern("{e} / ({a})", text, divisor)) for divisor in self.divisors)
                slopes = (*SLOPES, *(f"{{e}} * {f}({{a}})" for f in self.derivatives))
                made = itertools.product(slopes, self.activated)
                yield from ((FORMULA, Pattern(pattern, text, one)) for pattern, one in made)
        if (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and number(node.left) == 1
        ):  # of `x * sigmoid(x)`
            yield from ((FORMULA, Pattern("1 + {a} * {e}", text, atom)) for atom in atoms)
        if self.is_atom(node) or isinstance(node, ast.Call):  # all steps at once, each beside the one before or after
            yield from ((FORMULA, Pattern(pattern, text)) for pattern in (*OWN_SLOPES, *STEP_BESIDE))
            yield from ((FORMULA, Pattern(pattern, text, atom)) for pattern in STEP_BEFORE for atom in atoms)
        yield from ((PIECE, new) for new in of_the_other_kind(node))
        yield from ((FORMULA, new) for new in slopes_of_softmax(node))
        if isinstance(node, ast.BinOp) and not is_factor:  # `dy * y`, of which `(1 - y)` was forgotten
            there = {ast.unparse(one) for one in ast.walk(node)}
            own = [atom for atom in atoms if atom in there]
            yield from ((PIECE, Pattern(pattern, text, atom)) for pattern in SLOPES for atom in own)

    def compared_as_others(self, atoms):
        """What may be compared as something else is, but for the numbers in its name: `a2 > 0` beside `a1 > 0`."""
        for one in self.compared:
            yield from (but(one, left=parsed(atom)) for atom in numbered_otherwise(ast.unparse(one.left), atoms))

    def of_a_first_step(self, node):
        """The sources of the step before, for the first of which there is something of its own that nothing reads:
        `h[t - 1] if t else h_prev` for `h[t - 1]`."""
        match node:
            case ast.Subscript(slice=ast.BinOp(left=ast.Name(id=step), op=ast.Sub(), right=ast.Constant(value=1))):
                first = [name for name in self.unread if name.isidentifier()] if step in self.scope.loops else []
                yield from (f"{ast.unparse(node)} if {step} else {name}" for name in sorted(first))

    @functools.cached_property
    def larger(self):
        """{the source of a value: those of the sums and products that it stands in, somewhere in the function}."""
        found = {}
        for node in (node for node in ast.walk(self.tree) if isinstance(node, ast.BinOp)):
            for side in (node.left, node.right):
                if self.is_atom(side) or isinstance(side, ast.Call):
                    found.setdefault(ast.unparse(side), {})[ast.unparse(node)] = True
        return found

    @functools.cached_property
    def worked_out(self):
        """{variable that is worked out, and not taken as it is: the names in what it is set to}."""
        found = {}
        for one in (one for one in self.likeness if isinstance(one.value, ast.BinOp | ast.Call)):
            if isinstance(target := target_of(one), ast.Name):
                found.setdefault(target.id, set()).update(IDENTIFIER.findall(ast.unparse(one.value)))
        return found

    def worked_out_from(self, node):
        """The variables that something is worked out for from all that stands in an expression, which may be meant
        instead of it: `dz` of `dz = (p - y) / n` for `p - y`."""
        own = set(IDENTIFIER.findall(ast.unparse(node)))
        if len(own - self.scope.loops) > 1:
            yield from (name for name, names in self.worked_out.items() if own <= names and name not in own)

    @functools.cached_property
    def called_with(self):
        """{the source of a value: those of the calls that are given it beside the object itself: `slope(self, x)`}."""
        found = {}
        for call in (node for node in ast.walk(self.tree) if isinstance(node, ast.Call) and len(node.args) == 2):
            given = [one for one in call.args if ast.unparse(one) != "self"]
            if len(given) == 1:
                found.setdefault(ast.unparse(given[0]), {})[ast.unparse(call)] = True
        return found

    def of_another_owner(self, node):
        """The sources of the attributes of the same name that other objects have, which stand nowhere in the function:
        `self.left.value` for `self.right.value`."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name | ast.Attribute):
            return
        owner = ast.unparse(node.value)
        for other in self.atoms if owner in self.bare else ():
            made = f"{other}.{node.attr}"
            is_alike = other in self.bare and other.isidentifier() == owner.isidentifier()
            if is_alike and other != owner and made not in self.atoms:
                yield made

    @property
    def derivatives(self):
        """The sources of the functions of one argument that give the derivative of an activation: by their names, or as
        they are a factor somewhere in the function."""
        multiplied = {ast.unparse(call.func) for call in self.factors_called}
        return [f for f in self.functions if f in multiplied or DERIVES.search(f.rpartition(".")[2])]

    @functools.cached_property
    def factors_called(self):
        """The calls that are a factor somewhere in the function, also of `np.multiply`."""
        products = [node for node in ast.walk(self.tree) if is_product(node)]
        sides = {id(side) for node in products for side in (node.left, node.right)}
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        sides |= {id(one) for call in calls if name_of(call.func) == "multiply" for one in call.args}
        return [call for call in calls if id(call) in sides]

    @functools.cached_property
    def slopes_of_more(self):
        """The patterns of the calls of several arguments that are a factor, with {a} for the first, and the numbers in
        the others as they are or one more or less: `slope({a}, self.steepness[0])`."""
        found = {}
        for call in (one for one in self.factors_called if len(one.args) > 1 and name_of(one.func) not in NO_SLOPES):
            rest = [ast.unparse(one) for one in call.args[1:]]
            tries = rest, *([with_numbers_moved(one, by) for one in rest] for by in (1, -1))
            found |= {f"{ast.unparse(call.func)}({{a}}, {', '.join(one)})": True for one in tries}
        return list(found)

    def switches_of(self, function):
        """What turns a function that goes by some source into its derivative, elsewhere in the program:
        `derivative=True`."""
        switches = self.switches.get(function.rpartition(".")[2], {})
        return [f"{name}={value}" for name, value in switches.items() if DERIVES.search(name)]

    def has_no_axes(self, node):
        """Whether an expression is no array: of counters and objects alone, a comparison, or a dict, of which no one
        takes the transpose."""
        if isinstance(node, ast.BinOp):
            return self.has_no_axes(node.left) and self.has_no_axes(node.right)
        if isinstance(node, ast.UnaryOp):
            return self.has_no_axes(node.operand)
        is_number = isinstance(node, ast.Constant) and number(node) is not None
        is_none = isinstance(node, ast.Compare | ast.BoolOp | ast.Dict)
        return is_number or is_none or ast.unparse(node) in self.bare

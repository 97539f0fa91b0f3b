"""What may stand in the place of a node of a statement: another slip of the pen undoes most of them."""

import ast
import functools
import itertools
from itertools import combinations, permutations

from tinyrnn.sources.mutation.scope import MODULES, but, number, rebuilt

AXES = ("0", "-1", "(0, 1)", "(0, 2)", "(0, 2, 3)")  # that gradients of biases are summed along
ALONG_AXES = ("sum", "mean", "var", "std", "max", "min", "norm", "argmax", "prod")  # functions that take an axis
MOST_AXES = 3  # of an array whose lengths are multiplied
MOST_TURNED = 4  # axes of an array, in any order
MOST_BLOCKS = 4  # gates that stand side by side
OPPOSITE = ("max", "min"), ("argmax", "argmin"), ("maximum", "minimum"), ("sin", "cos")  # in either pass
TAKEN_FOR = ("mean", "sum"), ("max", "min", "mean"), ("std", "var"), ("zeros", "ones"), ("tanh", "sin", "exp")
TAKEN_FOR = *TAKEN_FOR, *OPPOSITE[1:]
TINY = 1e-4  # less is added to keep clear of zero
ORDERS = "C", "F"  # in which the entries of an array are taken, by rows or by columns


def is_product(node):
    """Whether an expression is a product, or a quotient, of numbers."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div)


def is_product_call(node):
    """Whether an expression is a product that a function of NumPy makes."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("multiply", "dot", "matmul")


TURNED = ((0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1))  # other orders of three axes, and of four, as of images
TURNED += ((0, 2, 3, 1), (0, 3, 1, 2), (0, 2, 1, 3), (0, 1, 3, 2), (1, 0, 2, 3), (3, 0, 1, 2), (1, 2, 3, 0))


def is_difference(node):
    """Whether an expression is a difference of two things that are no numbers: they may have changed places."""
    is_less = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    return is_less and number(node.left) is None and number(node.right) is None


def is_square(node):
    """Whether an expression is a product of something with itself, also as a call of two arguments."""
    sides = [node.left, node.right] if is_product(node) and isinstance(node.op, ast.Mult) else getattr(node, "args", ())
    return isinstance(node, ast.BinOp | ast.Call) and len(sides) == 2 and ast.dump(sides[0]) == ast.dump(sides[1])


def square_of(node):
    """The text of a square with {a} in the place of what is squared."""
    one = ast.Name("__a__", ast.Load())
    made = but(node, left=one, right=one) if isinstance(node, ast.BinOp) else but(node, args=[one, one])
    return ast.unparse(made).replace("__a__", "{a}")


def is_divided(node):
    """Whether an expression is divided by a number with a name, such as how many there are of something."""
    return is_quotient(node) and isinstance(node.right, ast.Name | ast.Attribute | ast.Subscript | ast.Call)


def is_quotient(node):
    """Whether an expression is divided by something that is no number."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and number(node.right) is None


def is_divided_by_more(node):
    """Whether an expression is divided by what is worked out there: `np.sqrt(d)`, `d ** 0.5`."""
    return is_quotient(node) and isinstance(node.right, ast.Call | ast.BinOp)


def parsed(text, func=None):
    """The expression of a text; func: a call that is given this function."""
    node = ast.parse(text, mode="eval").body
    return node if func is None else but(func, func=node)


def other_assignments(node):
    """`+=` for `=`, `=` for `+=`, `-=` for `+=` and so on; targets that change places."""
    if isinstance(node, ast.AugAssign):
        yield ast.Assign([node.target], node.value, lineno=node.lineno)
        yield from (but(node, op=op()) for op in (ast.Add, ast.Sub, ast.Mult, ast.Div) if not isinstance(node.op, op))
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
        yield ast.AugAssign(node.targets[0], ast.Add(), node.value)
        yield ast.AugAssign(node.targets[0], ast.Sub(), node.value)


def added_at(node):
    """`np.add.at(a, i, b)` for `a[i] += b` and `a[i] = b`, and `np.subtract.at` for `-=`: of what stands in i twice,
    these add one."""
    names = {ast.Add: "add", ast.Sub: "subtract"}
    name = names.get(type(node.op)) if isinstance(node, ast.AugAssign) else "add"
    targets = [getattr(node, "target", None), *getattr(node, "targets", ())]
    for target in (one for one in targets if name and isinstance(one, ast.Subscript)):
        parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        is_array = any(isinstance(part, ast.Name | ast.Attribute | ast.Subscript) for part in parts)
        if is_array and all(ast.unparse(part) == ":" for part in parts if isinstance(part, ast.Slice)):
            keys = ", ".join("slice(None)" if isinstance(part, ast.Slice) else ast.unparse(part) for part in parts)
            key = f"({keys})" if len(parts) > 1 else keys
            array, value = ast.unparse(target.value), ast.unparse(node.value)
            yield ast.parse(f"np.{name}.at({array}, {key}, {value})").body[0]


def other_blocks(entry):
    """(a slice in what is read or set of an array, another block as long): of `d[:, 0:H]`, which is there twice,
    `H:2 * H` and the others."""
    index = getattr(entry, "slice", None)
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    for part in (one for one in parts if isinstance(one, ast.Slice)):
        names = [ast.unparse(n) for n in ast.walk(part) if isinstance(n, ast.Name | ast.Attribute)]
        for k in range(MOST_BLOCKS) if names else ():
            yield part, ast.Slice(parsed(f"{k} * ({names[0]})"), parsed(f"{k + 1} * ({names[0]})"))


def kept_results(node):
    """What keeps the result of a call that stands alone, in the variable that it is given or is a method of:
    `dx = slope(dx)` for `slope(dx)`."""
    call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    if call is not None:
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        names = dict.fromkeys(one.id for one in (*call.args, *owner) if isinstance(one, ast.Name) and one.id != "self")
        yield from (ast.Assign([ast.Name(name, ast.Store())], call, lineno=node.lineno) for name in names)


def other_functions(call, activations):
    """(what a call calls, another one that it may be taken for): `np.var` for `np.std`, and of a function of one
    argument others like it. activations: the sources of those."""
    func, text = call.func, ast.unparse(call.func)
    yield from ((func, other) for other in taken_for(func, TAKEN_FOR))
    for given in call.args[1:] if text.endswith("where") else ():  # of scores that are to be masked
        if number(given) is not None:
            yield from ((given, parsed(other)) for other in ("-1e9", "-np.inf") if other != ast.unparse(given))
    if len(call.args) == 1 and text in activations:
        yield from ((func, parsed(other)) for other in (*activations, "np.tanh") if other != text)


def is_opposite(name, other):
    """Whether one function gives the largest of what another one gives the least of, say."""
    return name != other and any({name, other} <= {*row} for row in OPPOSITE)


def taken_for(func, rows):
    """What else of a module, or what other method, what is called may be taken for: another name of a row."""
    if isinstance(func, ast.Attribute):
        others = dict.fromkeys(name for row in rows if func.attr in row for name in row if name != func.attr)
        yield from (but(func, attr=name) for name in others)


def exchanged(statement, is_atom):
    """What an assignment may have been meant to be, with two of the values in it in each other's place."""
    queue, atoms = [statement.value] if isinstance(statement, ast.Assign | ast.AugAssign) else [], []
    while queue:
        node = queue.pop(0)
        if is_atom(node):
            atoms.append(node)
        else:
            queue += [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
    for one, other in itertools.combinations(atoms, 2):
        if ast.unparse(one) != ast.unparse(other):
            yield but(statement, value=rebuilt(statement.value, {one: other, other: one}))


def with_axes_turned(node):
    """What is reshaped, or comes of it, with its axes in another order: `d.transpose(0, 2, 3, 1).reshape(n, -1)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
        for axes in TURNED:
            yield but(node, func=but(node.func, value=turned_to(node.func.value, axes)))
            yield turned_to(node, axes)


def turned_to(node, axes):
    """What an expression gives with its axes in another order."""
    return ast.Call(ast.Attribute(node, "transpose", ast.Load()), [ast.Constant(axis) for axis in axes], [])


def other_constants(node):
    """Numbers near a number, but for one that only keeps clear of zero; whether for whether not; another order of the
    entries of an array; other subscripts of an `einsum`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and node.value in ORDERS:
        yield from (ast.Constant(other) for other in ORDERS if other != node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "->" in node.value:
        yield from map(ast.Constant, other_subscripts(node.value))
    elif (value := number(node)) is not None and not 0 < abs(value) < TINY:
        yield from (
            ast.Constant(other) for other in (value + 1, value - 1, 2 * value, value / 2, -value) if other != value
        )


def is_fraction(node):
    """Whether an expression is a literal number that is no whole one, nor one that only keeps clear of zero."""
    value = number(node)
    return isinstance(value, float) and abs(value) >= TINY and not value.is_integer()


def other_subscripts(text):
    """The subscripts of an `einsum` with another letter in one place: `ij,ijk->ik` for `ik,ijk->ik`."""
    letters = sorted({one for one in text if one.isalpha()})
    for place, one in enumerate(text):
        if one.isalpha():
            yield from (text[:place] + other + text[place + 1 :] for other in letters if other != one)


def other_orders(node):
    """Entries that change places; a product for a product of matrices; another power, comparison or end of a slice."""
    if isinstance(node, ast.Tuple | ast.List):
        for j in range(len(node.elts)):
            for i in range(j):
                elts = list(node.elts)
                elts[i], elts[j] = elts[j], elts[i]
                yield but(node, elts=elts)
        yield from (but(node, elts=elts) for elts in turned(node.elts))
    if isinstance(node, ast.Call):
        pairs = combinations(range(len(node.args)), 2)
        for j, k in sorted(pairs, key=lambda pair: pair[1] - pair[0]):  # neighbours first
            args = list(node.args)
            args[j], args[k] = args[k], args[j]
            yield but(node, args=args)
        yield from (but(node, args=args) for args in turned(node.args))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.MatMult):
        yield but(node, op=ast.MatMult() if isinstance(node.op, ast.Mult) else ast.Mult())
        yield but(node, left=node.right, right=node.left)
        yield parsed(f"np.outer({ast.unparse(node.left)}, {ast.unparse(node.right)})")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Add):
        yield but(node, op=ast.Add() if isinstance(node.op, ast.Mult) else ast.Mult())
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        yield from other_divisors(node)
    yield from first_factors(node)
    yield from other_brackets(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        yield from (but(node, right=parsed(f"({ast.unparse(node.right)}){more}")) for more in ("-1", "+1"))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and number(node) is None:
        yield ast.BinOp(ast.Constant(1), ast.Sub(), node.operand)  # `f * -f` for `f * (1 - f)`
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from (
            but(node, ops=[op()]) for op in (ast.Lt, ast.LtE, ast.Gt, ast.GtE) if not isinstance(node.ops[0], op)
        )
        if not isinstance(node.ops[0], ast.Eq | ast.NotEq) and number(node.comparators[0]) is None:
            yield but(node, ops=[ast.Eq()])
        yield from other_steps(node)
    if isinstance(node, ast.Slice):
        yield from (but(node, **{end: None}) for end in ("lower", "upper") if getattr(node, end) is not None)
        yield from other_sides(node)


def turned(several):
    """Three things each in the place of the one before it, or behind it; the axes of an array, numbered in whatever
    order, in any other one."""
    if len(several) == 3:
        yield from ([*several[k:], *several[:k]] for k in (1, 2))
    if 2 < len(several) <= MOST_TURNED and sorted(map(ast.unparse, several)) == [str(k) for k in range(len(several))]:
        yield from (list(one) for one in permutations(several))


def first_factors(node):
    """What a product of three or more begins with: `p - y` of `(p - y) * p * (1 - p)`, a slope that belongs to another
    loss."""
    factors = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) else None
    while isinstance(factors, ast.BinOp) and isinstance(factors.op, ast.Mult):
        factors = factors.left
        yield factors


def other_brackets(node):
    """A bracket in another place: `(a + c) * b` for `a * b + c`, `1 - h**2` for `(1 - h)**2`, and the other way
    round."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult | ast.MatMult | ast.Div):
                yield but(left, left=ast.BinOp(left.left, op, right))
                if isinstance(left.op, ast.Mult):
                    yield but(left, right=ast.BinOp(left.right, op, right))
            if isinstance(right, ast.BinOp) and isinstance(right.op, ast.Mult | ast.MatMult | ast.Div | ast.Pow):
                yield but(right, left=ast.BinOp(left, op, right.left))
        case ast.BinOp(
            left=ast.BinOp(op=ast.Add() | ast.Sub()) as total,
            op=ast.Mult() | ast.MatMult() | ast.Div() | ast.Pow(),
            right=right,
        ):
            yield but(total, left=but(node, left=total.left))
            yield but(total, right=but(node, left=total.right))


def other_steps(node):
    """A comparison with a step more or less: `t == T - 1` for `t == T`; and whether it is so for whether it is not."""
    side, turned = node.comparators[0], {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
    if isinstance(side, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp | ast.Call):
        for op in (ast.Sub(), ast.Add()):
            yield but(node, comparators=[ast.BinOp(side, op, ast.Constant(1))])
    if type(node.ops[0]) in turned:
        yield but(node, ops=[turned[type(node.ops[0])]()])


def other_sides(node):
    """What else a slice with one end may cut off, from the front or from behind: `[n:]`, `[-n:]`, `[:n]`, `[:-n]`."""
    ends = [end for end in (node.lower, node.upper) if end is not None]
    if len(ends) == 1 and node.step is None:
        (end,) = ends
        plain = end.operand if isinstance(end, ast.UnaryOp) and isinstance(end.op, ast.USub) else end
        for one in (plain, ast.UnaryOp(ast.USub(), plain)):
            yield from (new for new in (ast.Slice(one), ast.Slice(upper=one)) if ast.dump(new) != ast.dump(node))


def row_by_row(entry, picks):
    """(a part that takes all rows of an array, or the first ones, one that takes each with its own column, or some by
    their numbers): `range(len(d))` for the colon of `d[:, y]`, `rows` for the part in `d[:len(rows)]`. picks: the
    sources of whole numbers, and of arrays of them."""
    parts = entry.slice.elts if isinstance(entry.slice, ast.Tuple) else ()
    if len(parts) == 2 and isinstance(parts[0], ast.Slice) and ast.unparse(parts[0]) == ":":
        if ast.unparse(parts[1]) in picks:
            yield parts[0], parsed(f"range(len({ast.unparse(entry.value)}))")
    first = entry.slice if isinstance(entry.slice, ast.Slice) else parts[0] if parts else None
    if isinstance(first, ast.Slice) and is_length(first.upper) and first.lower is first.step is None:
        yield first, first.upper.args[0]  # as many as there are, for those that are named


def is_length(node):
    """Whether a node is the length of something: `len(rows)`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "len" and len(node.args) == 1


def mentions(node, names):
    """Whether one of some variables stands in an expression."""
    return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node))


def other_divisors(node):
    """A bracket around all that stands after a `/`, or none."""
    factors, quotient = [], node
    while isinstance(quotient.op, ast.Mult) and isinstance(quotient.left, ast.BinOp):
        factors, quotient = [quotient.right, *factors], quotient.left
        if isinstance(quotient.op, ast.Div):
            divisor = functools.reduce(lambda a, b: ast.BinOp(a, ast.Mult(), b), factors, quotient.right)
            yield but(quotient, right=divisor)
        if not isinstance(quotient.op, ast.Mult | ast.Div):
            return
    if isinstance(node.op, ast.Div):
        if isinstance(node.right, ast.BinOp) and isinstance(node.right.op, ast.Mult):
            yield ast.BinOp(but(node, right=node.right.left), ast.Mult(), node.right.right)


def sums_of_products(node):
    """The sum of the products of all entries of two arrays, for that of the entries at one place: `a @ b` for
    `a[k] * b[k]`."""
    match node:
        case ast.BinOp(
            left=ast.Subscript(value=first, slice=place), op=ast.Mult(), right=ast.Subscript(value=second, slice=same)
        ) if not isinstance(place, ast.Slice | ast.Tuple) and ast.unparse(place) == ast.unparse(same):
            yield ast.BinOp(first, ast.MatMult(), second)


def sum_of_all(node):
    """The sum of all of which an expression takes one by its number: `np.sum(heads, axis=0)` for `heads[0]`."""
    index = node.slice if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) else None
    first, *rest = index.elts if isinstance(index, ast.Tuple) and index.elts else [index]  # `data[()]`
    if index is None or number(first) is None:
        is_after_all = isinstance(first, ast.Slice) and not (first.lower or first.upper or first.step)
        if is_after_all and rest and number(rest[0]) is not None:
            yield parsed(f"{ast.unparse(node.value)}.sum(axis=1)")
    elif not rest:
        yield parsed(f"np.sum({ast.unparse(node.value)}, axis=0)")


def sums_along(node):
    """What is taken of everything, a sum, a mean or the like, along some axes alone: the first, the last, all but the
    last; these may stay as one."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args, keywords=keywords) if attr in ALONG_AXES:
            of_module = isinstance(owner, ast.Name) and owner.id in MODULES
            if len(args) == of_module and not any(keyword.arg == "axis" for keyword in keywords):
                text = ast.unparse(node)[:-1] + (", " if args or keywords else "")
                axes = [*AXES, f"tuple(range(({ast.unparse(args[0] if of_module else owner)}).ndim - 1))"]
                stays = [""] if any(keyword.arg == "keepdims" for keyword in keywords) else ["", ", keepdims=True"]
                stays = stays if attr not in ("norm", "argmax") else stays[:1]
                yield from (parsed(f"{text}axis={axis}{stay})") for stay in stays for axis in axes)


def summed_by(node):
    """(what is summed, the number of the axis that is named) of `np.sum(x, axis=0)` and `x.sum(axis=0)`, and no more
    named; None of anything else."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=owner, attr="sum"),
            args=args,
            keywords=[ast.keyword(arg="axis", value=ast.Constant(value=int(axis)))],
        ):
            of_module = isinstance(owner, ast.Name) and owner.id in MODULES
            if len(args) == of_module:
                return args[0] if of_module else owner, axis
    return None


def lengths_beside(node):
    """The product of a length of an array and another one: `y.shape[0] * y.shape[1]` for `y.shape[0]`."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="shape") as shape, slice=ast.Constant(value=int(k))):
            text = ast.unparse(shape)
            yield from (parsed(f"({text}[{k}] * {text}[{j}])") for j in range(MOST_AXES) if j != k)


def other_keywords(call, given):
    """The same call with what others get under the name of an argument, `axis=self.axis`. given: {name: sources}."""
    for k, keyword in enumerate(call.keywords):
        for text in given.get(keyword.arg, ()) if keyword.arg else ():
            if text != ast.unparse(keyword.value):
                made = but(keyword, value=parsed(text))
                yield but(call, keywords=[*call.keywords[:k], made, *call.keywords[k + 1 :]])


def other_choices(call, choices):
    """The same call with another one of some texts: `slope(z, "relu")` for `slope(z, "sigmoid")`."""
    texts = [
        one for one in (*call.args, *(keyword.value for keyword in call.keywords)) if isinstance(one, ast.Constant)
    ]
    for old in (one for one in texts if one.value in choices and isinstance(one.value, str)):
        for made in (ast.Constant(other) for other in choices if other != old.value):
            keywords = [but(one, value=made) if one.value is old else one for one in call.keywords]
            yield but(call, args=[made if one is old else one for one in call.args], keywords=keywords)


def switched(call, switches):
    """The same call with a keyword that others turn on or off: `act(z, derivative=True)` for `act(z)`. switches:
    {keyword: its value there}."""
    given = {one.arg for one in call.keywords}
    for name, value in switches.items():
        if name not in given:
            yield but(call, keywords=[*call.keywords, ast.keyword(name, ast.Constant(value))])
        rest = [one for one in call.keywords if one.arg != name]
        yield from [but(call, keywords=rest)] if len(rest) < len(call.keywords) else []

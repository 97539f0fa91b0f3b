"""What may stand in the place of a node of a statement: another slip of the pen undoes most of them."""

import ast
import functools
import itertools
from itertools import combinations, permutations

from tinyrnn.sources.mutation.scope import MODULES, but, number, rebuilt

AXES = ("0", "-1", "(0, 1)", "(0, 2)", "(0, 2, 3)")  # that gradients of biases are summed along
MOST_AXES = 3  # of an array whose lengths are multiplied
MOST_BLOCKS = 4  # gates that stand side by side
TAKEN_FOR = ("mean", "sum"), ("max", "min", "mean"), ("std", "var"), ("zeros", "ones"), ("tanh", "sin", "exp")


ORDERS = "C", "F"  # in which the entries of an array are taken, by rows or by columns


def is_product(node):
    """Whether an expression is a product, or a quotient, of numbers."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div)


def is_product_call(node):
    """Whether an expression is a product that a function of NumPy makes."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("multiply", "dot", "matmul")


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


def other_blocks(target):
    """(a slice in a target, another block as long): of `d[:, 0:H]`, which is set twice, `H:2 * H` and the others."""
    parts = (
        target.slice.elts if isinstance(getattr(target, "slice", None), ast.Tuple) else [getattr(target, "slice", 0)]
    )
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
    if isinstance(func, ast.Attribute):
        others = dict.fromkeys(name for row in TAKEN_FOR if func.attr in row for name in row if name != func.attr)
        yield from ((func, but(func, attr=name)) for name in others)
    for given in call.args[1:] if text.endswith("where") else ():  # of scores that are to be masked
        if number(given) is not None:
            yield from ((given, parsed(other)) for other in ("-1e9", "-np.inf") if other != ast.unparse(given))
    if len(call.args) == 1 and text in activations:
        yield from ((func, parsed(other)) for other in (*activations, "np.tanh") if other != text)


def product_of(node):
    """(left, right, function that makes such a product of two others) of a product of matrices; None of anything
    else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return node.left, node.right, lambda left, right: but(node, left=left, right=right)
    is_call = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("dot", "matmul")
    if is_call and len(node.args) == 2:
        return *node.args, lambda left, right: but(node, args=[left, right])
    if is_call and len(node.args) == 1 and isinstance(node.func, ast.Attribute):
        of, (given,) = node.func, node.args
        return of.value, given, lambda left, right: but(node, func=but(of, value=left), args=[right])
    return None


def gated_elsewhere(node):
    """`r * (U @ h)` for `U @ (r * h)`, and the other way round: a gate before weights, or behind them; and behind what
    is added, `r * (U @ h + b)` for `U @ (r * h) + b`."""
    yield from gated_before(node)
    yield from gated_behind(node)
    terms = terms_of(node)
    for product, term in permutations(terms, 2):
        others = [one for one in terms if one is not product and one is not term]
        for new in gated_behind(product):
            inner = sum_of([new.right if one is product else one for one in terms if one is product or one is term])
            yield sum_of([*others, ast.BinOp(new.left, ast.Mult(), inner)])
    for gate, total in both_ways(node):
        if isinstance(total, ast.BinOp) and isinstance(total.op, ast.Add):
            for product, field in ((total.left, "left"), (total.right, "right")):
                made = ast.BinOp(gate, ast.Mult(), product)
                yield from (but(total, **{field: new}) for new in gated_before(made))


def terms_of(node):
    """The terms of a sum."""
    is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
    return [*terms_of(node.left), *terms_of(node.right)] if is_sum else [node]


def sum_of(terms):
    """The sum of some terms."""
    return functools.reduce(lambda one, other: ast.BinOp(one, ast.Add(), other), terms)


def gated_behind(node):
    """`r * (U @ h)` for `U @ (r * h)`."""
    if found := product_of(node):
        left, right, made = found
        yield from (ast.BinOp(gate, ast.Mult(), made(state, right)) for gate, state in both_ways(left))
        yield from (ast.BinOp(gate, ast.Mult(), made(left, state)) for gate, state in both_ways(right))


def gated_before(node):
    """`U @ (r * h)` for `r * (U @ h)`."""
    for gate, product in both_ways(node):
        if found := product_of(product):
            left, right, made = found
            yield from (made(ast.BinOp(gate, ast.Mult(), left), right), made(left, ast.BinOp(gate, ast.Mult(), right)))


def both_ways(node):
    """The two factors of a product entry by entry, in either order."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from ((node.left, node.right), (node.right, node.left))


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


def other_constants(node):
    """Numbers near a number; whether for whether not; another order of the entries of an array."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and node.value in ORDERS:
        yield from (ast.Constant(other) for other in ORDERS if other != node.value)
    elif (value := number(node)) is not None:
        yield from (
            ast.Constant(other) for other in (value + 1, value - 1, 2 * value, value / 2, -value) if other != value
        )


def other_orders(node):
    """Entries that change places; a product for a product of matrices; another power, comparison or end of a slice."""
    if isinstance(node, ast.Tuple | ast.List):
        for j in range(len(node.elts)):
            for i in range(j):
                elts = list(node.elts)
                elts[i], elts[j] = elts[j], elts[i]
                yield but(node, elts=elts)
    if isinstance(node, ast.Call):
        pairs = combinations(range(len(node.args)), 2)
        for j, k in sorted(pairs, key=lambda pair: pair[1] - pair[0]):  # neighbours first
            args = list(node.args)
            args[j], args[k] = args[k], args[j]
            yield but(node, args=args)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.MatMult):
        yield but(node, op=ast.MatMult() if isinstance(node.op, ast.Mult) else ast.Mult())
        yield but(node, left=node.right, right=node.left)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        yield from other_divisors(node)
    yield from other_brackets(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        yield from (but(node, right=parsed(f"({ast.unparse(node.right)}){more}")) for more in ("-1", "+1"))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and number(node) is None:
        yield ast.BinOp(ast.Constant(1), ast.Sub(), node.operand)  # `f * -f` for `f * (1 - f)`
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from (
            but(node, ops=[op()]) for op in (ast.Lt, ast.LtE, ast.Gt, ast.GtE) if not isinstance(node.ops[0], op)
        )
        yield from other_steps(node)
    if isinstance(node, ast.Slice):
        yield from (but(node, **{end: None}) for end in ("lower", "upper") if getattr(node, end) is not None)
        yield from other_sides(node)


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


def other_windows(node, counters, lengths):
    """What else a slice may cut as a window that a loop moves: from the counter on, or with an end a length further.
    counters, lengths: sources of numbers."""
    if not isinstance(node, ast.Slice) or node.upper is None or node.step is not None:
        return
    if node.lower is None and not mentions(node, counters):
        upper = ast.unparse(node.upper)
        yield from (ast.Slice(parsed(one), parsed(f"{one} + ({upper})")) for one in counters)
    for end in (end for end in ("upper", "lower") if getattr(node, end) is not None):
        yield from (but(node, **{end: one}) for one in further(getattr(node, end), lengths))


def cropped(node, lengths):
    """A part of an array with as much left out at either end of each axis that is cut, `x[:, p:-p]` for `x[:, :n]`.
    lengths: sources of numbers."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    cut = [part for part in parts if isinstance(part, ast.Slice) and (part.lower or part.upper) and not part.step]
    for length in lengths if cut else ():
        made = [parsed_slice(f"{length}:-{length}") if part in cut else part for part in parts]
        yield but(node, slice=ast.Tuple(made, ast.Load()) if isinstance(node.slice, ast.Tuple) else made[0])


def parsed_slice(text):
    """The syntax tree of what stands in the brackets of an entry."""
    return parsed(f"x[{text}]").slice


def further(node, lengths):
    """A number plus a length, less it, plus all of it but one. lengths: sources of numbers."""
    text = ast.unparse(node)
    more = (one for n in lengths if n != text for one in (f"+ {n}", f"- {n}", f"+ ({n} - 1)"))
    return (parsed(f"{text} {one}") for one in more)


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


def sum_of_all(node):
    """The sum of all of which an expression takes one by its number: `np.sum(heads, axis=0)` for `heads[0]`."""
    index = node.slice if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) else None
    first, *rest = index.elts if isinstance(index, ast.Tuple) else [index]
    if index is None or number(first) is None:
        is_after_all = isinstance(first, ast.Slice) and not (first.lower or first.upper or first.step)
        if is_after_all and rest and number(rest[0]) is not None:
            yield parsed(f"{ast.unparse(node.value)}.sum(axis=1)")
    elif not rest:
        yield parsed(f"np.sum({ast.unparse(node.value)}, axis=0)")


def sums_along(node):
    """A sum or mean of everything along some axes alone: the first, the last, all but the last."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="sum" | "mean"), args=args, keywords=keywords):
            of_module = isinstance(owner, ast.Name) and owner.id in MODULES
            if len(args) == of_module and not any(keyword.arg == "axis" for keyword in keywords):
                text = ast.unparse(node)[:-1] + (", " if args or keywords else "")
                axes = [*AXES, f"tuple(range(({ast.unparse(args[0] if of_module else owner)}).ndim - 1))"]
                yield from (parsed(f"{text}axis={axis})") for axis in axes)


def slopes_of_softmax(node):
    """The derivative of a softmax with all of its terms, for one that has the diagonal alone: `diag(p) - outer(p, p)`
    for `diag(p)`, and `p * (d - sum(d * p))` for `d * p`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="diag" | "diagflat"), args=[p]):
            yield parsed(f"({ast.unparse(node)} - np.outer({ast.unparse(p)}, {ast.unparse(p)}))")
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            sides = (ast.unparse(left), ast.unparse(right))
            for d, p in (sides, sides[::-1]):
                for axis in ("-1", "0", "1"):
                    yield parsed(f"({p}) * (({d}) - (({d}) * ({p})).sum(axis={axis}, keepdims=True))")


def lengths_beside(node):
    """The product of a length of an array and another one: `y.shape[0] * y.shape[1]` for `y.shape[0]`."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="shape") as shape, slice=ast.Constant(value=int(k))):
            text = ast.unparse(shape)
            yield from (parsed(f"({text}[{k}] * {text}[{j}])") for j in range(MOST_AXES) if j != k)


def other_ends(node):
    """`insert(0, x)` for `append(x)`, and the other way round: a list that grows at its other end."""
    match node:
        case ast.Call(func=ast.Attribute(attr="append"), args=[one]):
            yield but(node, func=but(node.func, attr="insert"), args=[ast.Constant(0), one])
        case ast.Call(func=ast.Attribute(attr="insert"), args=[ast.Constant(value=0), one]):
            yield but(node, func=but(node.func, attr="append"), args=[one])


def other_takes(node):
    """`x.pop()` for `x[-1]`, `x.pop(0)` for `x[0]` and the other way round: what is taken from a list stays, or not."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and (key := number(node.slice)) in (0, -1):
        yield parsed(f"{ast.unparse(node.value)}.pop({'' if key else 0})")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
        keys = [number(one) for one in node.args] or [-1]
        taken = ast.unparse(node.func.value)
        yield from (parsed(f"{taken}.pop({'' if key else 0})") for key in (0, -1) if [key] != keys)
        yield from (parsed(f"{taken}[{key}]") for key in keys if key in (0, -1))


def other_way_through(node):
    """(what, what in its place) that makes a loop over something run the other way."""
    turned = [one for one in ast.walk(node) if isinstance(one, ast.Call) and ast.unparse(one.func) == "reversed"]
    yield from ((one, one.args[0]) for one in turned if len(one.args) == 1)
    if not turned and isinstance(node, ast.Name | ast.Attribute):
        yield node, parsed(f"reversed({ast.unparse(node)})")


def other_keywords(call, given):
    """The same call with what others get under the name of an argument, `axis=self.axis`. given: {name: sources}."""
    for k, keyword in enumerate(call.keywords):
        for text in given.get(keyword.arg, ()) if keyword.arg else ():
            if text != ast.unparse(keyword.value):
                made = but(keyword, value=parsed(text))
                yield but(call, keywords=[*call.keywords[:k], made, *call.keywords[k + 1 :]])


def other_ranges(node):
    """The other way through a range, a step more or less of it, or as many steps counted from one."""
    text, called = ast.unparse(node), ast.unparse(node.func)
    is_array = called.rpartition(".")[2] == "arange"
    if called == "range" or is_array:
        yield parsed(f"{text}[::-1]" if is_array else f"reversed({text})")
        if len(node.args) == 3:
            start, stop = (ast.unparse(one) for one in node.args[:2])
            yield parsed(f"{called}({stop} + 1, {start} + 1)")
        for k, one in enumerate(node.args):
            for more in ("- 1", "+ 1"):
                yield but(
                    node, args=[parsed(f"{ast.unparse(one)} {more}") if j == k else a for j, a in enumerate(node.args)]
                )
        if len(node.args) == 1:
            yield parsed(f"{called}(1, {ast.unparse(node.args[0])})")
            yield parsed(f"{called}(1, {ast.unparse(node.args[0])} + 1)")  # counted from one
        if len(node.args) == 2:
            yield parsed(f"{called}({ast.unparse(node.args[1])})")
            if number(node.args[0]) == 1:
                yield parsed(f"{called}({ast.unparse(node.args[1])} - 1)")
    if called in ("enumerate", "zip"):
        yield parsed(f"reversed(list({text}))")

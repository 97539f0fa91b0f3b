"""What else a forward pass may be meant to be, where the gradients that come are not its own but another's.

A small number that keeps a logarithm from zero (`np.log(y + 1e-7)`) is left out by the gradients that everybody writes,
one that does so with a divisor (`x / (std + 1e-5)`) by some; a loss is divided by the number of steps to be printed,
after whose sum the gradients are; and some courses have layers take the mean over the batch for their weights, and not
for what they hand back.
"""

import ast
import copy
from collections import Counter

import numpy as np

from tinyrnn.sources.mutation.scope import rebuilt
from tinyrnn.sources.reading import read
from tinyrnn.verdicts.judge.judging import Judge

SMALL = 1e-4  # what is added to keep clear of zero is smaller
EPSILON = ("eps", "epsilon")
LARGEST = 10_000  # number that a loss may be divided by


def as_meant(problem, truth):
    """(problem, its `Truth`, notes, problems to report) in the reading of the forward pass that most of the gradients
    fit: as it is written, unless fewer of them are wrong otherwise. Of no more wrong ones it is without a small number:
    with one mistake more all of them may be wrong in every reading, and hardly anybody differentiates it; but where
    something is divided by a sum with one, as in the derivative of a logarithm, somebody did."""
    search = None if problem.compares_values else searched(problem, truth)
    best, least = (problem, truth, [], []), search.wrong if search else []
    for reading in (without_epsilon, of_sum, of_means) if least else ():
        made, what = reading(problem, truth, search)
        if made is None:
            continue
        other = made.truth()
        wrong = wrong_by(other, search)
        is_factor = reading is of_sum
        is_likelier = reading is without_epsilon and not divides_by_small(problem)
        if len(wrong) < len(least) + is_likelier:
            best, least = (made, other, [] if is_factor else [what], [what] if is_factor else []), wrong
    return best


def searched(problem, truth):
    """The `Search` in the backward pass as it stands; None where it breaks off."""
    return Judge(problem, truth, recognise=False).locator.search(problem.program())


def wrong_by(truth, search):
    """The inputs whose gradients, as they came in a `Search`, are wrong by the `Truth` of another reading."""
    results, came = search.results, search.replay.problem.came(search.base.result, search.results.pairs)
    arrays = {one.place: one.array for one in came}
    pairs = [(place, name) for place, name in results.pairs.items() if name in truth.inputs]
    return [name for place, name in pairs if place not in arrays or not truth.is_gradient(name, arrays[place])]


def without_epsilon(problem, truth, _):
    """(the same problem without what its logarithms, and roots and divisors of which the backward pass knows nothing
    small, add to keep clear of zero, a note); (None, "") without any."""
    trees, found, program = {}, [], problem.program()
    forward = {event.site.scope for event in truth.events}
    sources, small = small_in(program)
    is_known = problem.returns_more or any(small[f] for f in sources if f.__qualname__ not in forward)
    for function, tree in sources.items() if hasattr(problem, "names") else ():
        within = [(node, "the logarithm") for call in ast.walk(tree) if is_logarithm(call) for node in ast.walk(call)]
        if not is_known and function.__qualname__ in forward:
            within += [(node, "the root or divisor") for part in under(tree) for node in ast.walk(part)]
        sides = [(side, what) for node, what in within if is_sum(node) for side in (node.left, node.right)]
        sides = [(side, what) for side, what in sides if any(side is one for one in small[function])]
        if sides:
            found += [(ast.unparse(side), what, side.lineno) for side, what in sides]
            trees[function] = rebuilt(tree, {side: ast.Constant(0.0) for side, _ in sides})
    if not found:
        return None, ""
    value, what, line = found[0]
    made = problem.but(names=program.trees | trees)
    return made, f"judged without the {value} that {what} in line {line} adds to keep clear of zero"


def small_in(program):
    """({function: a copy of its syntax tree}, {function: the nodes of it that are small numbers})."""
    sources = {f: copy.deepcopy(program.trees.get(f) or read(f)) for f in program.originals()}
    worlds = {function: function.__globals__ | constants_in(tree) for function, tree in sources.items()}
    return sources, {f: [n for n in ast.walk(tree) if is_small(n, worlds[f])] for f, tree in sources.items()}


def divides_by_small(problem):
    """Whether something is divided by a sum with a small number, that no root is taken of."""
    sources, small = small_in(problem.program())
    quotients = [(f, n) for f, tree in sources.items() for n in ast.walk(tree) if isinstance(n, ast.BinOp)]
    divisors = [(f, n.right) for f, n in quotients if isinstance(n.op, ast.Div) and is_sum(n.right)]
    return any(side is one for f, n in divisors for side in (n.left, n.right) for one in small[f])


def is_logarithm(node):
    """Whether a node is the call of a logarithm."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("log", "log2", "log10")


def under(tree):
    """The divisors in a function, and what it takes roots and powers of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "sqrt":
            yield from node.args
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Pow):
            yield node.right if isinstance(node.op, ast.Div) else node.left


def is_sum(node):
    """Whether a node is a sum of two."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)


def constants_in(tree):
    """{name: number} of the variables, and the arguments by default, that a function gives one number."""
    given = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)]
    names = [(target.id, node.value) for node in given for target in node.targets if isinstance(target, ast.Name)]
    by_default = zip(reversed(tree.args.args), reversed(tree.args.defaults), strict=False)
    names += [(one.arg, value) for one, value in by_default if isinstance(value, ast.Constant)]
    return {name: constant.value for name, constant in names}


def is_small(node, world):
    """Whether an expression is a small number, a name of one, or an attribute that is called as one."""
    if isinstance(node, ast.Attribute):
        return node.attr.lower() in EPSILON
    value = world.get(node.id) if isinstance(node, ast.Name) else getattr(node, "value", None)
    return isinstance(value, float) and 0 < value < SMALL


def of_sum(problem, truth, search):
    """(the same problem with the loss as it was before a line divided it for good, what is said of that); (None, "")
    where there is no such line in a function that returns its loss and the gradients. Of a loss and a function of its
    gradients by itself: where most gradients are those of the loss times one whole number."""
    if not problem.returns_more:
        return of_multiple(problem, truth, search)
    outputs, _ = problem.passes.split(truth.result.returned)
    if np.size(outputs[0]) != 1:
        return None, ""
    loss = np.asarray(outputs[0]).real.item()
    numbers = [e for e in truth.events if e.value is not None and e.value.size == 1 and e.site.kind != "argument"]
    given = [e for e in numbers if e.site.scope == problem.top[0] and float(e.value.real.item()) == loss]
    if not given or loss == 0:
        return None, ""
    last = given[0]
    before = [e for e in numbers if (e.site.scope, e.site.name) == (last.site.scope, last.site.name)]
    before = [e for e in before if e.number < last.number]
    times = float(before[-1].value.real.item()) / loss if before else 1.0
    if not 1 < round(times) <= LARGEST or abs(times - round(times)) > 1e-9 * times:
        return None, ""
    made = problem.but(above=[round(times) * one for one in problem.above])
    where = f"line {last.site.line} divides it by {round(times)}"
    return made, f"the gradients are those of {last.site.name} before {where}: judged as that, but one of both is wrong"


def of_multiple(problem, truth, search):
    """The same for a loss and a function of its gradients, which takes what the loss takes."""
    passes = problem.passes
    if passes is None or passes.above or np.size(passes.split(truth.result.returned)[0][0]) != 1:
        return None, ""
    came = search.replay.problem.came(search.base.result, search.results.pairs)
    pairs = [(truth.of_input(search.results.pairs[one.place]), one.array) for one in came]
    number, times = most_common(divisor(array, gradient) for gradient, array in pairs)
    if times < 2:
        return None, ""
    made = problem.but(above=[number * one for one in problem.above])
    forward, backward = problem.top
    return (
        made,
        f"the gradients of {backward} are {number} times those of {forward}: judged as that, one of both is wrong",
    )


def of_means(problem, truth, search):
    """(the same problem, with weights whose gradients are means over the batch, a note); (None, "") unless that is so
    of several of an object's weights, by one number, and of nothing else."""
    own, came = problem.own_weights, search.replay.problem.came(search.base.result, search.results.pairs)
    arrays = {search.results.pairs[one.place]: one.array for one in came if one.place in search.results.pairs}
    numbers = {name: divisor(truth.of_input(name), array) for name, array in arrays.items() if name in own}
    number, times = most_common(numbers.values())
    lengths = {n for name, array in problem.inputs.items() if name not in own for n in array.shape}
    if times < 2 or number not in lengths:
        return None, ""
    made = problem.but(divided=dict.fromkeys(own, number))
    return made, f"the gradients of weights are judged as means over a batch of {number}, as most of them are"


def most_common(numbers):
    """(the number that comes most often, how often); None does not count."""
    counted = Counter(filter(None, numbers)).most_common(1)
    return counted[0] if counted else (0, 0)


def divisor(gradient, came):
    """The whole number by which a gradient was divided; None if it was not."""
    if gradient.shape != came.shape or not (np.isfinite(came).all() and came.any()):
        return None
    with np.errstate(all="ignore"):
        times = float(np.vdot(came, gradient).real / np.vdot(came, came).real)
    number = round(times) if 1 < times < LARGEST else 0
    return number if number > 1 and np.allclose(number * came, gradient, rtol=1e-6, atol=1e-9) else None

"""Functions that go by the name of an operation, `Add.forward`, `Tensor.__mul__`, `plus`: a slip that takes that very
operation away is none, as the name tells what was meant; with a derivative that is another operation's it would do."""

import ast

from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.repair.named_activations import WORDS

CALLED = {
    ast.Add: {"add", "addition", "plus", "sum", "adder"},
    ast.Sub: {"sub", "subtract", "subtraction", "minus", "difference"},
    ast.Mult: {"mul", "mult", "multiply", "multiplication", "times", "product", "hadamard"},
    ast.Div: {"div", "divide", "division", "truediv", "quotient"},
    ast.Pow: {"pow", "power", "square", "squared"},
    ast.MatMult: {"matmul", "dot"},
}


def belies(change, scope):
    """Whether a `Change` takes away an operation that the function, or its class, goes by the name of."""
    words = {word.lower() for word in WORDS.findall(scope)}
    return bool(operations_in(change.statement, words) - operations_in(change.made(), words))


def operations_in(statement, words):
    """Which operators and functions of a statement some words name."""
    nodes = list(ast.walk(statement))
    operators = {type(node.op) for node in nodes if isinstance(node, ast.BinOp | ast.AugAssign)}
    functions = {(name_of(node.func) or "").lower() for node in nodes if isinstance(node, ast.Call)}
    return {one for one in operators if CALLED.get(one, set()) & words} | (functions & words)


def meant(statement, tree, scope):
    """(expression, what a function's name says it should be) in a statement of a function that goes by the name of one
    operation and has it nowhere: `a + b` for `a - b` in `Add.forward`. tree: of the function."""
    words = {word.lower() for word in WORDS.findall(scope)}
    named = [operator for operator, names in CALLED.items() if names & words]
    if len(named) != 1 or operations_in(tree, words):
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.BinOp):
            yield node, but(node, op=named[0]())

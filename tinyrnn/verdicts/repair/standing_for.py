"""What the variables of a function stand for, and what it divides by if they are worked out."""

import ast
from collections import Counter

from tinyrnn.sources.mutation.scope import but
from tinyrnn.sources.syntax import name_of
from tinyrnn.verdicts.repair.analogy import replaced

MOST_STEPS = 4  # from a variable to what it stands for


def divisors_in(tree):
    """The sources of what a function divides by, if that is worked out, there or before: `np.sqrt(self.Q.shape[-1])`
    for `/ d`, where `E = Q.shape[-1]`, `d = np.sqrt(E)` and `self.Q = Q`. Of a factor, that by which it divides."""
    stands = stands_for(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            found = [(node.right, "{}")]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            found = [(side, "1 / ({})") for side in (node.left, node.right) if isinstance(side, ast.Name)]
        else:
            found = []
        for value, form in found:
            made = worked_out(value, stands)
            if isinstance(made, ast.Call | ast.BinOp) or not (made is value or isinstance(made, ast.Starred)):
                yield form.format(ast.unparse(made))


def divisors_given(trees):
    """The same of several functions as others call them: `1 - self.rate` of `1 - rate`, behind `drop(x, self.rate)`."""
    named = {tree.name: tree for tree in trees}
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call, tree in ((call, named.get(name_of(call.func))) for call in calls):
        names = [one.arg for one in tree.args.args if one.arg not in ("self", "cls")] if tree else []
        given = dict(zip(names, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if names}
        given = {name: value for name, value in given.items() if isinstance(value, ast.Name | ast.Attribute)}
        for text in divisors_in(tree) if given else ():
            yield ast.unparse(replaced(ast.parse(text, mode="eval"), given))


def stands_for(tree):
    """{variable that a function sets once, or keeps in its object: what it stands for}."""
    found, times = {}, Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    for target, value in assigned_in(tree):
        if isinstance(target, ast.Attribute) and isinstance(value, ast.Name) and ast.unparse(target.value) == "self":
            found[value.id] = but(target, ctx=ast.Load())
        if isinstance(target, ast.Name):
            found.setdefault(target.id, value)
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Attribute) and value.attr == "shape":
            parts = [(k, one) for k, one in enumerate(target.elts) if isinstance(one, ast.Name)]
            found |= {one.id: ast.Subscript(value, ast.Constant(k), ast.Load()) for k, one in parts}
    return {name: value for name, value in found.items() if times[name] < 2}


def named_first(atoms, tree):
    """The sources of some values of a function, those that have a name there behind it: `x.shape[0]` behind `m`."""
    stands = {ast.unparse(value): name for name, value in stands_for(tree).items()}
    turn = {atom: k for k, atom in enumerate(atoms)}
    return sorted(atoms, key=lambda atom: (max(turn[atom], turn.get(stands.get(atom), 0)), atom in stands))


def assigned_in(tree):
    """(target, value) of all assignments of a function; of `a, b = c, d` of each by itself."""
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Assign)):
        (target, *_), value = node.targets, node.value
        both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)
        yield from zip(target.elts, value.elts, strict=True) if both else [(target, value)]


def worked_out(node, stands, depth=0):
    """An expression with what its variables stand for in their places; itself where they stand for nothing else."""
    if isinstance(node, ast.Name):
        there = stands.get(node.id) if depth < MOST_STEPS else None
        return node if there is None else worked_out(there, stands, depth + 1)
    if isinstance(node, ast.Lambda):
        return node
    parts = {}
    for name, child in ast.iter_fields(node):
        if isinstance(child, ast.expr):
            parts[name] = worked_out(child, stands, depth)
        elif isinstance(child, list) and name == "args":
            parts[name] = [worked_out(one, stands, depth) for one in child]
    changed = any(ast.dump(new) != ast.dump(getattr(node, name)) for name, new in parts.items() if name != "args")
    changed |= any(a is not b for a, b in zip(parts.get("args", ()), getattr(node, "args", ()), strict=True))
    return but(node, **parts) if changed else node

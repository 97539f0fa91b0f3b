"""The same program written otherwise: transformations of a source under which the verdict must not change.

Each takes the syntax tree of a module and returns a new one, in which every statement carries as `origins` the lines of
the statements that it is the image of. `rewritten` writes the module and says which line is the image of which.
"""

import ast
import copy
import itertools
from functools import partial


def functions(tree):
    """The functions of a module that are transformed: all but the one that makes examples."""
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name != "examples"]


def marked(tree):
    """The tree, each statement with its own line as its origin."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            node.origins = {node.lineno}
    return tree


def like(node, *others, origins=None):
    """`others`, with the origins of a statement."""
    for other in others:
        other.origins = set(node.origins if origins is None else origins)
    return list(others)


class Blocks(ast.NodeTransformer):
    """Visits every block of statements: `block(statements) -> statements`."""

    def visit(self, node):
        node = super().generic_visit(node)
        for field in ("body", "orelse"):
            statements = getattr(node, field, None)
            if isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
                setattr(node, field, self.block(statements))
        return node


def assigns_name(node):
    return isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)


def names_read(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


# transformations ------------------------------------------------------------------------------------------------------


def rename_all(tree, arguments=True):
    """Every argument (if these are to be renamed) and local variable gets another name, which says nothing, and none
    in two functions."""
    for number, function in enumerate(functions(tree)):
        given = {a.arg for node in ast.walk(function) for a in ast.walk(node) if isinstance(a, ast.arg)}
        own = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own = own | {a.arg for a in function.args.args} if arguments else own - given
        new = {name: f"v{number}_{k}" for k, name in enumerate(sorted(own))}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in new:
                node.id = new[node.id]
            if isinstance(node, ast.arg) and node.arg in new:
                node.arg = new[node.arg]
        function.body = [n for n in function.body if not isinstance(getattr(n, "value", None), ast.Constant)]
    return tree


class Temporaries(Blocks):
    """Each operand of a sum or product, if it is an operation itself, gets a line and a name of its own."""

    count = 0

    def block(self, statements):
        made = []
        for node in statements:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
                for side in ("left", "right"):
                    operand = getattr(node.value, side)
                    if isinstance(operand, ast.BinOp | ast.Call):
                        self.count += 1
                        name = f"part{self.count}"
                        made += like(node, ast.Assign([ast.Name(name, ast.Store())], operand))
                        setattr(node.value, side, ast.Name(name, ast.Load()))
            made.append(node)
        return made


class Joined(Blocks):
    """What is named in one line and used once, in the next one, is written there."""

    def block(self, statements):
        made = []
        for node in statements:
            before = made[-1] if made else None
            if before is not None and assigns_name(before) and isinstance(node, ast.Assign):
                name = before.targets[0].id
                uses = [n for n in ast.walk(node.value) if isinstance(n, ast.Name) and n.id == name]
                if len(uses) == 1 and name not in self.used_elsewhere(statements, before, node):
                    made.pop()
                    origins = before.origins | node.origins
                    node = Put(name, before.value).visit(node)
                    node.origins = origins
            made.append(node)
        return made

    def used_elsewhere(self, statements, *but):
        others = [n for n in ast.walk(self.function) if isinstance(n, ast.Name)]
        inside = {id(n) for one in but for n in ast.walk(one)}
        return {n.id for n in others if id(n) not in inside}


class Put(ast.NodeTransformer):
    """Puts an expression in place of a name."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def visit_Name(self, node):
        return self.value if node.id == self.name and isinstance(node.ctx, ast.Load) else node


class Reordered(Blocks):
    """Neighbours that do not look at one another change places."""

    def block(self, statements):
        made, k = [], 0
        while k < len(statements):
            pair = statements[k : k + 2]
            if len(pair) == 2 and all(map(assigns_name, pair)):
                first, second = (node.targets[0].id for node in pair)
                reads = [names_read(node.value) for node in pair]
                if first != second and first not in reads[1] and second not in reads[0]:
                    pair.reverse()
                    made += pair
                    k += 2
                    continue
            made.append(statements[k])
            k += 1
        return made


class Helpers(Blocks):
    """The right-hand side of each assignment to a name becomes a function of its own."""

    def __init__(self):
        self.made = []

    def block(self, statements):
        for node in statements:
            free = sorted(names_read(node.value) - {"np", *self.globals}) if assigns_name(node) else []
            if free and isinstance(node.value, ast.BinOp):
                name = f"helper{len(self.made)}"
                arguments = ast.arguments([], [ast.arg(n) for n in free], None, [], [], None, [])
                (returned,) = like(node, ast.Return(node.value))
                self.made += like(node, ast.FunctionDef(name, arguments, [returned], [], type_params=[]), origins=())
                node.value = ast.Call(ast.Name(name, ast.Load()), [ast.Name(n, ast.Load()) for n in free], [])
        return statements


class Accumulated(Blocks):
    """`a = a + b` becomes `a += b`, where what `a` was is the result of an operation in the line before."""

    def block(self, statements):
        for k, (before, node) in enumerate(itertools.pairwise(statements), 1):
            if assigns_name(before) and assigns_name(node) and isinstance(before.value, ast.BinOp):
                name, value = node.targets[0].id, node.value
                if before.targets[0].id == name and isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
                    if isinstance(value.left, ast.Name) and value.left.id == name:
                        (statements[k],) = like(node, ast.AugAssign(node.targets[0], value.op, value.right))
        return statements


class Augmented(Blocks):
    """`a += b` becomes `a = a + b`, but for an argument, which may be meant to be changed in place."""

    def block(self, statements):
        made, given = [], [a.arg for a in self.function.args.args]
        for node in statements:
            if isinstance(node, ast.AugAssign) and getattr(node.target, "id", None) not in given:
                load = copy.deepcopy(node.target)
                load.ctx = ast.Load()
                (node,) = like(node, ast.Assign([node.target], ast.BinOp(load, node.op, node.value)))
            made.append(node)
        return made


def cached(make, take):
    """A tuple that is returned as the cache becomes something else: make(keys, values) and take(cache, key)."""

    def transform(tree):
        for function in functions(tree):
            for node in ast.walk(function):
                value = node.value if isinstance(node, ast.Return) else None
                if isinstance(value, ast.Tuple) and isinstance(value.elts[-1], ast.Tuple):
                    value.elts[-1] = make(value.elts[-1].elts)
            for block in (n for n in ast.walk(function) if isinstance(getattr(n, "body", None), list)):
                block.body = [new for node in block.body for new in unpacked(node, take)]
        return tree

    return transform


def unpacked(node, take):
    """`a, b = cache` as one assignment for each name."""
    if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == "cache"):
        return [node]
    targets = node.targets[0].elts
    return like(node, *(ast.Assign([target], take(node.value, f"k{k}")) for k, target in enumerate(targets)))


def as_dict(values):
    return ast.Dict([ast.Constant(f"k{k}") for k in range(len(values))], values)


def as_object(values):
    keywords = [ast.keyword(f"k{k}", value) for k, value in enumerate(values)]
    return ast.Call(ast.Name("SimpleNamespace", ast.Load()), [], keywords)


def by_blocks(kind):
    def transform(tree):
        names = {node.name for node in functions(tree)}
        made = []
        for function in functions(tree):
            visitor = kind()
            visitor.function, visitor.globals = function, names
            visitor.visit(function)
            for new in getattr(visitor, "made", ()):
                new.name = f"{function.name}_{new.name}"
                made.append(new)
            for node in ast.walk(function):
                if isinstance(node, ast.Name) and node.id.startswith("helper") and kind is Helpers:
                    node.id = f"{function.name}_{node.id}"
        tree.body += made
        return tree

    return transform


TRANSFORMS = {
    "every variable renamed": rename_all,
    "parts of expressions named": by_blocks(Temporaries),
    "lines joined": by_blocks(Joined),
    "independent lines exchanged": by_blocks(Reordered),
    "parts in helpers": by_blocks(Helpers),
    "a = a + b for a += b": by_blocks(Augmented),
    "a += b for a = a + b": by_blocks(Accumulated),
    "a dict for the cache": cached(as_dict, lambda c, key: ast.Subscript(c, ast.Constant(key), ast.Load())),
    "an object for the cache": cached(as_object, lambda c, key: ast.Attribute(c, key, ast.Load())),
}


OF_FUNCTIONS = TRANSFORMS | {"every variable renamed": partial(rename_all, arguments=False)}  # called by keywords
OF_FUNCTIONS = {name: transform for name, transform in OF_FUNCTIONS.items() if not name.endswith("for the cache")}


# source ---------------------------------------------------------------------------------------------------------------


def rewritten(source, transform):
    """(the text of a module, transformed; {line of it: lines of `source` that it is the image of})."""
    tree = ast.fix_missing_locations(transform(marked(ast.parse(source))))
    text = "from types import SimpleNamespace\n\n" + ast.unparse(tree)
    origins = [node.origins for node in in_order(tree)]
    lines = [node.lineno for node in in_order(ast.parse(text))][1:]
    return text, {line: set(origin) for line, origin in zip(lines, origins, strict=True)}


def function_rewritten(tree, transform):
    """(the tree of one function, transformed, new functions inside of it; {line of it: lines of `tree` that it is the
    image of}); its arguments keep their names."""
    module = ast.Module([marked(copy.deepcopy(tree))], [])
    function, *made = transform(module).body
    function.body[:0] = made
    function.decorator_list = []
    text = ast.unparse(ast.fix_missing_locations(function))
    new = ast.parse(text).body[0]
    origins = [node.origins for node in in_order(function)]
    lines = [node.lineno for node in in_order(new)]
    return new, {line: set(origin) for line, origin in zip(lines, origins, strict=True)}


def in_order(tree):
    """The statements of a tree as they stand in its text."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt):
            yield node
        yield from in_order(node)


def statement_of(source, line):
    """The first line of the statement that a line belongs to."""
    return max(
        node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt) and node.lineno <= line
    )

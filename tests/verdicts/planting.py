"""Plants the library's known mistakes in the package's own sources, wherever the wrong line stands there as such."""

import ast
import copy
import inspect
from typing import NamedTuple

from tinyrnn.cells import CELLS
from tinyrnn.cells.unitary import modrelu_backward
from tinyrnn.core import ops
from tinyrnn.nn import losses
from tinyrnn.optim import clipping
from tinyrnn.optim.optimisers import SGD, Adam, RMSProp
from tinyrnn.sources import read
from tinyrnn.verdicts.mistakes import BACKWARDS
from tinyrnn.verdicts.name.environment import TOOLS
from tinyrnn.verdicts.subjects import unitary_blocks

SUBJECTS = {  # family -> (name of the subject, its point)
    **{name: (name, 0) for name in ("elman", "lmn", "lstm", "lstm-peephole", "gru", "gru-cho", "urnn")},
    **{name: (name, 0) for name in ("phases", "reflection", "permutation", "fourier", "modrelu", "readout")},
    **{
        name: (name, 0) for name in ("cross_entropy", "cross_entropy-masked", "squared_error", "sgd", "rmsprop", "adam")
    },
    **{"lt-rnn": ("lt-ornn-tanh", 0), "clip": ("clip_by_norm", 0), "clip-below": ("clip_by_norm", 1)},
}
PARTS = {  # family -> functions in which its lines stand
    "phases": [unitary_blocks.turn_backward],
    "reflection": [unitary_blocks.reflect_backward],
    "permutation": [unitary_blocks.permute_backward],
    "fourier": [unitary_blocks.transform_backward],
    "modrelu": [modrelu_backward],
    "readout": [ops.affine_backward],
    "cross_entropy": [losses.softmax_cross_entropy_backward],
    "cross_entropy-masked": [losses.softmax_cross_entropy_backward],
    "squared_error": [losses.squared_error_backward],
    "sgd": [SGD.update],
    "rmsprop": [RMSProp.update],
    "adam": [Adam.update],
    "clip": [clipping.clip_by_norm],
    "clip-below": [clipping.clip_by_norm],
}
RENAMED = {  # family -> {name in the library: in the source}
    "modrelu": {"db": "dshifted"},
    "permutation": {"perm": "cache"},
    "readout": {"h": "x", "dh": "dx"},
    "cross_entropy": {"dz": "dlogits"},
    "cross_entropy-masked": {"dz": "dlogits"},
    "squared_error": {"y - target": "error"},
    "clip": {"g2": "grads['U']"},
}
OVER_TIME = ("shift", "T", "axis", "concatenate", "dnext_h", "dnext_m", "dout")  # not to be had in a single step
SETTINGS = ("momentum", "rho", "beta1", "beta2", "eps", "t")  # of an optimiser


class Planted(NamedTuple):
    """A mistake in its place. line: in the file."""

    mistake: object
    function: object
    line: int
    tree: ast.FunctionDef


class Place(NamedTuple):
    """Where a name gets its value. statement: the assignment or return. holder, key: where the right-hand side hangs;
    None where the name is one of several that a call gives."""

    statement: ast.stmt
    line: int
    holder: object = None
    key: object = None

    @property
    def right(self):
        if self.holder is None:
            return None
        return self.holder[self.key] if isinstance(self.holder, list) else getattr(self.holder, self.key)

    def put(self, value):
        if isinstance(self.holder, list):
            self.holder[self.key] = value
        else:
            setattr(self.holder, self.key, value)


def functions_of(family):
    name, _ = SUBJECTS[family]
    if name not in CELLS:
        return PARTS[family]
    cls = CELLS[name][0]
    return [vars(cls)[f] for f in ("step_backward", "gradients", "derive_backward") if f in vars(cls)]


def plantable(family, sizes):
    """All mistakes of a family that can be planted. sizes: values of T, B, H, N and C."""
    for mistake in BACKWARDS:
        if mistake.of == family:
            made = (plant(mistake, function, sizes) for function in functions_of(family))
            yield from [planted for planted in made if planted is not None][:1]


def plant(mistake, function, sizes, tree=None):
    """The mistake in its line of a function, or of its `tree`; None where the line is not there, or what it is made of
    has no name."""
    if function.__name__ == "step_backward" and any(word in mistake.instead for word in OVER_TIME):
        return None
    tree = copy.deepcopy(tree) if tree else read(function)
    names = RENAMED.get(mistake.of, {})
    place = find(tree, names.get(mistake.line, mistake.line))
    if place is None:
        return None
    translate = Translate(mistake, function, tree, place, names, sizes)
    wrong = translate.visit(ast.parse(mistake.instead, mode="eval").body)
    if not translate.fits:
        return None
    statement, target = place.statement, names.get(mistake.line, mistake.line)
    if place.holder is None:  # a line of its own after the call
        again = ast.Assign([ast.Name(target, ast.Store())], wrong)
        block = tree.body
        block.insert(block.index(statement) + 1, at(again, place.line))
    else:
        place.put(at(wrong, place.line))
    if isinstance(statement, ast.AugAssign):  # p -= … becomes p[...] = …
        whole = ast.Subscript(ast.Name(target, ast.Load()), ast.Constant(...), ast.Store())
        block = tree.body
        block[block.index(statement)] = at(ast.Assign([whole], wrong), place.line)
    return Planted(mistake, function, place.line, ast.fix_missing_locations(tree))


def at(node, line):
    for part in ast.walk(node):
        part.lineno, part.col_offset, part.end_lineno, part.end_col_offset = line, 0, line, 0
    return node


def find(tree, name):
    """The last `Place` where a name gets its value; of dW that may be an entry W of a dict."""
    found = None
    for statement in ast.walk(tree):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                for k, target in enumerate(targets):
                    if goes_by(target, name):
                        pair = isinstance(value, ast.Tuple)
                        found = Place(statement, statement.lineno, *((value.elts, k) if pair else ()))
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target) if goes_by(target, name):
                found = Place(statement, statement.lineno, statement, "value")
        for entries in ast.walk(statement) if isinstance(statement, ast.Assign | ast.Return) else ():
            for k, key in enumerate(entries.keys) if isinstance(entries, ast.Dict) else ():
                value = entries.values[k]
                if isinstance(key, ast.Constant) and f"d{key.value}" == name and not goes_by(value, name):
                    found = Place(statement, value.lineno, entries.values, k)
    return found


def is_name(node):
    return isinstance(node, ast.Name)


def goes_by(target, name):
    match target:
        case ast.Name(id=own):
            return own == name
        case ast.Subscript(value=ast.Name(id=own), slice=ast.Constant(value=str() as key)):
            return f"d{key}" == name
        case ast.Subscript(value=ast.Name(id=own)):
            return own == name
    return False


class Translate(ast.NodeTransformer):
    """Puts an expression of the library into the names of a source; `fits` says whether it has them all."""

    def __init__(self, mistake, function, tree, place, names, sizes):
        self.mistake, self.place, self.names, self.sizes = mistake, place, names, sizes
        self.parameters = set(inspect.signature(function).parameters)
        simple = [s for s in ast.walk(tree) if isinstance(s, ast.Assign | ast.AugAssign | ast.For)]
        self.taken = {name for s in simple if s.lineno < place.line for name in stored(s)}
        self.in_update = function.__name__ == "update"
        plain = [s for s in simple if s.lineno < place.line and isinstance(s, ast.Assign) and is_name(s.targets[0])]
        if self.in_update:  # g is no longer the gradient once it is assigned anew; dc not yet the whole gradient before
            self.unlike = {s.targets[0].id for s in plain} & self.parameters
        else:
            self.unlike = {name for s in simple if s.lineno > place.line for name in stored(s)} & self.parameters
        self.known = self.parameters | self.taken | set(TOOLS) | {"np"}
        if place.holder is None:
            self.known |= set(stored(place.statement))
        self.blocks, self.fits = joined_blocks(tree), True

    def visit_Name(self, node):
        name = self.names.get(node.id, node.id)
        if node.id == self.mistake.line and self.place.right is not None:
            return self.place.right  # the true value
        if name in self.sizes and name not in self.known:
            return ast.Constant(self.sizes[name])
        if "self" in self.parameters and name in SETTINGS:
            return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())
        before = name.removesuffix("_prev")
        if self.in_update and before != name and before in self.parameters - self.taken:
            return ast.Name(before, ast.Load())  # what an optimiser has not yet changed
        arrived = f"d{name.removeprefix('dnext_')}"
        if arrived != f"d{name}" and arrived in self.parameters - self.taken:
            return ast.Name(arrived, ast.Load())  # before the gradient of this step is added
        if name not in self.known and name in self.blocks:
            return self.blocks[name]
        expression = ast.parse(name, mode="eval").body
        self.fits &= root(expression) in self.known - self.unlike
        return expression

    def visit_BinOp(self, node):
        same = self.names.get(ast.unparse(node))
        return ast.Name(same, ast.Load()) if same else self.generic_visit(node)


def joined_blocks(tree):
    """{"da_i": expression} of the arguments of `da = join(…)`."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id="da")], value=ast.Call(func=ast.Name(id="join"), args=args)):
                gates = {4: "ifog", 3: "rzn"}.get(len(args), "")
                return {f"da_{gate}": arg for gate, arg in zip(gates, args, strict=False)}
    return {}


def root(node):
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id


def stored(statement):
    """Names that a statement changes, wholly or in part."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]

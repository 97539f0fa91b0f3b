"""What a function does with its arguments, by its source: what is an index is a whole number, what an array is made as
long as is a size, what is taken apart into letters is a text. A name may say anything; a use has to work.

An argument is followed through variables, loops, attributes of an object and the functions that it is handed on to. Its
path says what part of it is used: () the whole, ("i",) its entries, (":", "i") those along the second axis, None some
part that cannot be told.
"""

import ast
import inspect
import re
from dataclasses import dataclass

from tinyrnn.sources.reading import NoSource, are_neighbours, read, undecorated
from tinyrnn.sources.syntax import name_of

SHAPED: dict[str, int | None] = {"zeros": 1, "ones": 1, "empty": 1, "full": 1, "eye": 2, "identity": 1, "random": 1}
SHAPED |= {"random_sample": 1, "standard_normal": 1, "randn": None, "rand": None}  # how many arguments are sizes
SIZED = ("normal", "uniform", *SHAPED)  # of which the third argument, or one of these names, is a shape
SHAPE_WORDS = ("size", "shape", "N", "M", "n")
SAME = ("int", "list", "tuple", "array", "asarray", "copy", "astype", "tolist", "float")  # the same entries once more
OF_TEXTS = ("split", "lower", "upper", "strip", "splitlines", "encode")
BY_LETTER = re.compile(
    r"(char|ch|c|word|w|token|tok|s|letter)s?_?(to|2)_?(i|ix|idx|id|ids|ind|index|indices|int|num)$", re.I
)
PRODUCTS = ("dot", "matmul")
STACKED = ("concatenate", "hstack", "vstack", "row_stack", "column_stack")
NUMPY = ("np", "numpy", "xp")
DEEPEST = 4  # functions that an argument is handed on through
OFTEN_ENOUGH = 3  # times that assignments are gone through, as a variable may come of one further down


@dataclass(frozen=True)
class Use:
    """What an argument is used as.

    kind: "text", "file", "size", "class", "letters" (a text, or a list whose different entries are asked for),
    "length", "count", or None; path: of what part of it. axes: how many it has, where its shape is taken apart. shape:
    the names of their lengths, as `N, D = x.shape` gives them. asserted: the same where it is compared with a shape,
    which it then has to have. steps: where a loop takes its steps from, as a path, of an array in a matrix product; a
    "c" in it is a slice of one step, which keeps its axis.
    """

    kind: str | None = None
    path: tuple | None = ()
    axes: int | None = None
    shape: tuple | None = None
    asserted: tuple | None = None
    steps: tuple | None = None


def uses_of(function, owner=None, also=()):
    """{argument: Use} of a function, or of a class's constructor, by its source and that of functions that it calls.

    owner: the class whose methods it may call. also: functions that are given the same arguments under the same names,
    such as the backward pass. What a constructor keeps is followed through all methods.
    """
    is_class = inspect.isclass(function)
    reader, called = Reader(function if is_class else owner), function.__init__ if is_class else function
    known = reader.arguments(called)
    reader.follow(called, known)
    for other in also:
        reader.follow(other, {name: origin for name, origin in reader.arguments(other).items() if name in known})
    for _, method in inspect.getmembers(function, inspect.isfunction) if is_class else ():
        reader.follow(method, {})
    return {name: reader.summary(name) for name in known}


class Reader:
    """Follows arguments through the source, and notes what is done with them: {argument: {(kind, path)}}."""

    def __init__(self, owner):
        self.owner = owner
        self.kept = {}  # attribute -> (argument, path)
        self.parts = parts_made(owner)
        self.notes, self.axes, self.shapes, self.asserted, self.done = {}, {}, {}, {}, set()

    def arguments(self, function):
        """{name: (name, ())} of a function's arguments."""
        try:
            code = undecorated(function).__code__
        except NoSource:
            return {}
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return {name: (name, ()) for name in names if name != "self"}

    def summary(self, name):
        """The `Use` of an argument; of several the one that says most."""
        notes = self.notes.get(name, set())
        known = self.axes.get(name), self.shapes.get(name), self.asserted.get(name)
        for kind in ("text", "file", "size", "class", "letters", "length", "count"):
            paths = [path for noted, path in notes if noted == kind]
            if paths:
                path = max(paths, key=lambda path: (path is not None, path or ()))
                return Use(kind, path, *known)
        steps = [path for kind, path in notes if kind == "array" and path]
        return Use(None, (), *known, max(steps, key=len, default=None))

    def note(self, kind, origin):
        """Note a use, where it is one of an argument."""
        if origin is not None:
            self.notes.setdefault(origin[0], set()).add((kind, origin[1]))

    # where values come from -------------------------------------------------------------------------------------------

    def follow(self, function, known, depth=0):
        """Note the uses in a function, of which known says {variable: (argument, path)}."""
        key = getattr(function, "__qualname__", None), tuple(sorted(known.items(), key=repr)), len(self.kept)
        if key in self.done or depth > DEEPEST:
            return
        self.done.add(key)
        try:
            tree, function = read(function), undecorated(function)
        except (NoSource, TypeError):
            return
        values = dict(known)
        nodes = list(ast.walk(tree))
        for _ in range(OFTEN_ENOUGH):
            for node in nodes:
                self.bind(node, values)
        for argument in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs):
            self.annotated(argument, values)
        for node in nodes:
            self.use(node, values, function, depth)

    def origin(self, node, values):
        """(argument, path) that an expression is a part of, or None."""
        if isinstance(node, ast.Name):
            return values.get(node.id)
        if isinstance(node, ast.Attribute):
            return self.kept.get(node.attr) if name_of(node.value) == "self" else None
        if isinstance(node, ast.Subscript):
            whole = self.origin(node.value, values)
            return whole and deeper(whole, node.slice)
        if isinstance(node, ast.Call) and name_of(node.func) in SAME:
            of_object = isinstance(node.func, ast.Attribute) and name_of(node.func.value) not in NUMPY
            return self.origin(node.func.value if of_object else next(iter(node.args), None), values)
        return None

    def bind(self, node, values):
        """Note what variables come of, in an assignment or a loop."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.assign(node.targets[0], node.value, values)
        elif isinstance(node, ast.For | ast.comprehension):
            self.loop(node.target, node.iter, values)
        elif isinstance(node, ast.Call) and name_of(node.func) == "append" and node.args:
            box, entry = getattr(node.func, "value", None), self.origin(node.args[0], values)
            if isinstance(box, ast.Name) and entry is not None:
                values.setdefault(box.id, (entry[0], None))

    def assign(self, target, value, values):
        """The same of a target and a value."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for part, of in zip(target.elts, value.elts, strict=True):
                self.assign(part, of, values)
            return
        found = self.origin(value, values)
        if found is not None and isinstance(target, ast.Name):
            values.setdefault(target.id, found)
        elif found is not None and isinstance(target, ast.Attribute) and name_of(target.value) == "self":
            self.kept.setdefault(target.attr, found)

    def loop(self, target, iterated, values):
        """The same of what a loop goes over: entries of an argument, also through enumerate, zip and reversed."""
        called = name_of(iterated.func) if isinstance(iterated, ast.Call) else None
        if called == "enumerate" and isinstance(target, ast.Tuple):
            self.loop(target.elts[-1], iterated.args[0], values)
        elif called == "zip" and isinstance(target, ast.Tuple):
            for part, of in zip(target.elts, iterated.args, strict=False):
                self.loop(part, of, values)
        elif called == "reversed":
            self.loop(target, iterated.args[0], values)
        else:
            whole = self.origin(iterated, values)
            if whole is not None and isinstance(target, ast.Name):
                values.setdefault(target.id, deeper(whole, ast.Constant(0)))

    # what is done with them -------------------------------------------------------------------------------------------

    def annotated(self, argument, values):
        """What the annotation of an argument says."""
        said = "" if argument.annotation is None else ast.unparse(argument.annotation).replace("typing.", "")
        whole = values.get(argument.arg)
        if said in ("str", "'str'", "List[str]", "list[str]"):
            self.note("text", whole)
        elif said in ("List[int]", "list[int]", "Sequence[int]"):
            self.note("class", whole and deeper(whole, ast.Constant(0)))

    def use(self, node, values, function, depth):
        """Note what is done in one expression or statement."""
        if isinstance(node, ast.Subscript):
            self.subscript(node, values, function)
        elif isinstance(node, ast.Call):
            self.call(node, values, function, depth)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            self.operands((node.left, node.right), values)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
            whole, shape = self.shape_taken(node.left, values), node.comparators[0]
            lengths = shape.elts if isinstance(shape, ast.Tuple) else [None]  # of an attribute nothing is known here
            if whole is not None and all(isinstance(n, ast.Constant) or self.origin(n, values) for n in lengths):
                self.asserted.setdefault(whole, tuple(map(length_of, shape.elts)))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            whole = self.shape_taken(node.value, values)
            if whole is not None and not any(isinstance(part, ast.Starred) for part in node.targets[0].elts):
                names = tuple(name_of(part) for part in node.targets[0].elts)
                self.axes[whole] = len(names)
                if None not in names and "_" not in names:
                    self.shapes.setdefault(whole, names)

    def operands(self, nodes, values):
        """Factors of a matrix product."""
        for node in nodes:
            self.note("array", self.origin(node, values))

    def shape_taken(self, node, values):
        """The argument whose `x.shape` an expression is; None for others, and for parts of arguments."""
        if isinstance(node, ast.Attribute) and node.attr == "shape":
            whole = self.origin(node.value, values)
            return whole[0] if whole is not None and whole[1] == () else None
        return None

    def subscript(self, node, values, function):
        """Indices, and the ends of slices."""
        for part in parts_of(node.slice):
            if isinstance(part, ast.Slice) and step_of(part) == "c":  # W[:, x:x + 1] is column x
                self.note("class", self.origin(part.lower, values))
            elif isinstance(part, ast.Slice):
                for end in (part.lower, part.upper):
                    found = self.origin(end, values)
                    self.note("size" if found and found[1] == () else "length", found)
            elif is_by_letter(node.value, function):
                self.note("text", self.origin(part, values))
            else:
                self.note("class", self.origin(part, values))

    def call(self, node, values, function, depth):
        """What a function is called with."""
        name, args = name_of(node.func), node.args
        box = getattr(node.func, "value", None)
        by_name = [k.value for k in node.keywords if k.arg in SHAPE_WORDS]
        if name in SIZED:
            first = args[: SHAPED[name]] if name in SHAPED else args[2:3]
            for size in (*first, *by_name):
                self.sizes(size, values)
        elif name == "reshape" and self.reshaped(node, values):
            return
        elif name == "range":
            self.note("count", self.origin(args[-1] if args else None, values))
        elif name in ("set", "Counter") and args:
            self.note("letters", self.origin(args[0], values))
        elif name == "open" and args:
            self.note("file", self.origin(args[0], values))
        elif name in OF_TEXTS and name_of(box) not in NUMPY:
            self.note("text", self.origin(box, values))
        elif name in ("at", "take") and len(args) > 1:  # np.add.at(dE, words, dout)
            for part in parts_of(args[1]):
                self.note("class", self.origin(part, values))
        elif name in PRODUCTS:
            self.operands([*args, *([box] if name == "dot" else [])], values)
        elif name in STACKED and args:
            self.operands(parts_of(args[0]), values)
        else:
            self.hand_on(node, values, function, depth)

    def sizes(self, node, values):
        """What the size of an array is made of: `(4 * hidden, 1)`."""
        if isinstance(node, ast.Tuple | ast.List | ast.BinOp):
            for part in ast.iter_child_nodes(node):
                self.sizes(part, values)
        else:
            self.note("size", self.origin(node, values))

    def reshaped(self, node, values):
        """Whether a shape of names is given to an argument, `a.reshape(N, T, 1)`; then it has so many entries."""
        of_object = isinstance(node.func, ast.Attribute) and name_of(node.func.value) not in NUMPY
        whole = self.origin(node.func.value if of_object else next(iter(node.args), None), values)
        given = [part for arg in node.args[0 if of_object else 1 :] for part in parts_of(arg)]
        names = tuple(
            getattr(part, "id", None) for part in given if not (isinstance(part, ast.Constant) and part.value == 1)
        )
        if whole is None or whole[1] != () or not names or None in names:
            return False
        self.shapes.setdefault(whole[0], names)
        return True

    def hand_on(self, node, values, function, depth):
        """Follow arguments into a function, a constructor or a method of the same object that is called with them."""
        called = self.meant(node.func, function)
        known = [name for name in self.arguments(called)] if called is not None else []
        given = dict(zip(known, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg in known}
        found = {name: self.origin(value, values) for name, value in given.items()}
        found = {name: origin for name, origin in found.items() if origin is not None}
        if found:
            self.follow(called, found, depth + 1)

    def meant(self, node, function):
        """The function of somebody's own that is called; None for others."""
        found = None
        if isinstance(node, ast.Name):
            found = function.__globals__.get(node.id)
        elif isinstance(node, ast.Attribute) and name_of(node.value) == "self":
            found = getattr(self.owner, node.attr, None)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            found = getattr(self.parts.get(node.value.attr), node.attr, None)
        found = found.__init__ if inspect.isclass(found) else found
        is_own = inspect.isfunction(found) and are_neighbours(found.__module__, function.__module__)
        return found if is_own else None


def deeper(origin, key):
    """The (argument, path) of what a subscript takes out of another."""
    argument, path = origin
    steps = [step_of(part) for part in (key.elts if isinstance(key, ast.Tuple) else [key])]
    return argument, None if path is None or "c" in path or None in steps else (*path, *steps)


def step_of(part):
    """What a part of a subscript takes: "i" an entry, ":" a slice, "c" a slice of one entry; None for others."""
    if isinstance(part, ast.Slice):
        is_one = part.lower and part.upper and ast.unparse(part.upper) == f"{ast.unparse(part.lower)} + 1"
        return "c" if is_one else ":"
    if isinstance(part, ast.List) and len(part.elts) == 1:
        return "c"
    return None if isinstance(part, ast.Constant) and not isinstance(part.value, int) else "i"


def parts_of(key):
    """The parts of a subscript, or of a shape."""
    return key.elts if isinstance(key, ast.Tuple | ast.List) else [key]


def length_of(node):
    """The name, or the number, of a length in a shape; None for others."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else name_of(node)


def parts_made(cls):
    """{attribute: class} of the objects that a class's constructor makes, as in `self.layer = Layer()`."""
    try:
        tree, world = read(cls.__init__), undecorated(cls.__init__).__globals__
    except (NoSource, AttributeError, TypeError):
        return {}
    made = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)]
    found = {name_of(n.targets[0]): world.get(name_of(n.value.func)) for n in made}
    return {name: kind for name, kind in found.items() if inspect.isclass(kind)}


def is_by_letter(node, function):
    """Whether it is a dict that gives letters, or words, their numbers: by what it holds, or by its name."""
    name = name_of(node)
    held = function.__globals__.get(name)
    if isinstance(held, dict) and held:
        return all(isinstance(key, str) for key in held)
    return name is not None and BY_LETTER.match(name) is not None

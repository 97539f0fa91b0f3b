"""Reading the source of functions, and compiling it again when it was changed."""

import ast
import copy
import dis
import functools
import inspect
import sys
from pathlib import Path
from types import CellType, FunctionType, MethodType

from tinyrnn.sources.closures import names_around

BOXES = (dict, list, tuple)
MOST_NESTED = 3  # boxes of functions in each other


class NoSource(TypeError):
    """The source of a function cannot be read."""


def read(function):
    """The syntax tree (`ast.FunctionDef`) of a function or method, with the line and column numbers of its file, and
    without the types of what is assigned.

    Raises `NoSource`, a TypeError, for what has no Python source: builtins, lambdas, code typed without a file.
    """
    plain = undecorated(function)
    try:
        lines, first = inspect.getsourcelines(plain)
        indented = lines[0][0].isspace()
        tree = ast.parse(("if True:\n" if indented else "\n") + "".join(lines)).body[0]
    except (OSError, SyntaxError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise NoSource(f"the source of {plain.__qualname__} cannot be read ({reason})") from None
    tree = tree.body[0] if indented else tree
    if not isinstance(tree, ast.FunctionDef) or tree.name != plain.__code__.co_name:
        raise NoSource(f"{plain.__qualname__} is not a plain function: define it with def")
    return ast.increment_lineno(Unannotated().visit(tree), first - 2)


class Unannotated(ast.NodeTransformer):
    """Takes the types away from assignments, `h: Array = x`, which are read as others then."""

    def visit_AnnAssign(self, node):
        """A plain assignment, where a value is assigned."""
        self.generic_visit(node)
        return node if node.value is None else ast.copy_location(ast.Assign([node.target], node.value), node)


def name_of(function, otherwise=None):
    """What a function is called; an object with neither name is `otherwise`, by default its class. Functions of NumPy
    before 2.2 have no `__qualname__`."""
    named = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return named or otherwise or type(function).__name__


def undecorated(function):
    """The plain function inside decorators and bound methods."""
    plain = inspect.unwrap(getattr(function, "__func__", function))
    if not inspect.isfunction(plain):
        raise NoSource(f"{name_of(function, repr(function))} is not a function written in Python")
    return plain


def manages_a_context(function):
    """Whether a decorator makes something else of a generator, as `contextlib.contextmanager` does: it stays so."""
    inner = inspect.unwrap(function) if inspect.isfunction(function) else function
    return inspect.isgeneratorfunction(inner) and not inspect.isgeneratorfunction(function)


def source_lines(function):
    """{line number: text} of a function."""
    lines, start = inspect.getsourcelines(undecorated(function))
    return dict(enumerate((line.rstrip("\n") for line in lines), start))


def compile_function(function, tree, namespace=None):
    """The function that `tree` defines, undecorated, with all else as in `function`: closure, defaults, names, file,
    the object a method is bound to, and its globals, a copy with `namespace` put over them, in which a recursive
    function meets its new self."""
    return function_of(function, code_of(function, tree), namespace)


def code_of(function, tree):
    """The code object of the function that `tree` defines, with the names and free variables of `function`; of one
    within another one with all variables that there are around it, too."""
    original = undecorated(function).__code__
    free = (*original.co_freevars, *names_around(undecorated(function)))
    shell = ast.parse(f"def shell({', '.join(free)}): pass")  # makes free variables of these names
    core = copy.copy(tree)
    core.name, core.decorator_list = "core", []
    core.body = [*core.body, *closing_over(free, core.body[-1])]
    shell.body[0].body = [ast.copy_location(core, tree)]
    code = compiled(shell, original.co_filename, "exec")
    for name in ("shell", "core"):  # nothing of it is run: defaults and the like belong where the original was made
        code = next(c for c in code.co_consts if inspect.iscode(c) and c.co_name == name)
    return code.replace(co_name=original.co_name, co_qualname=original.co_qualname)


def closing_over(names, last):
    """What never runs, by which a function closes over these names, whatever else stands in it: only then its code can
    take the place of another one of it. last: the statement that it is behind."""
    read = [ast.Expr(ast.Name(id=name, ctx=ast.Load())) for name in names]
    never = ast.copy_location(ast.If(ast.Constant(False), read, []), last)
    return [ast.fix_missing_locations(never)] if read else []


def compiled(tree, filename, mode):
    """The code of a syntax tree; what has no place in the source gets that of what is around it."""
    try:
        return compile(tree, filename, mode)
    except TypeError:  # some node has none: rare, and to go through all of them takes longer than to compile them
        return compile(ast.fix_missing_locations(tree), filename, mode)


def function_of(function, code, namespace=None, cells=None, world=None):
    """`function` with other code: see `compile_function`. cells: in the place of some that it closes over, by name.
    world: its globals, if not a copy of those that it has."""
    plain = undecorated(function)
    world = dict(plain.__globals__) if world is None else world
    world.update(namespace or {})
    cells = dict(zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True)) | (cells or {})
    closure = tuple(cells.get(name) or CellType() for name in code.co_freevars)
    made = FunctionType(code, world, plain.__name__, plain.__defaults__, closure)
    made.__kwdefaults__, made.__qualname__, made.__module__ = plain.__kwdefaults__, plain.__qualname__, plain.__module__
    made.__doc__ = plain.__doc__
    if world.get(plain.__name__) is plain:
        world[plain.__name__] = made
    return MethodType(made, function.__self__) if inspect.ismethod(function) else made


def reachable(functions, classes=(), leave=(), are_alike=None):
    """(functions, classes) of the same modules that these ones mention, directly or through each other, themselves
    included; `leave` names those to leave out. are_alike: of what modules else, a function of two modules' names; of
    several functions of one name only the first is taken."""
    found, kinds = list(functions), list(classes)
    alike = are_alike or (lambda one, other: one == other)
    queue = [*functions, *(m for c in classes for m in members_of(c, alike))]
    while queue:
        member = queue.pop()
        if inspect.isclass(member) and member not in kinds and member.__module__ in {c.__module__ for c in kinds}:
            kinds.append(member)  # an attribute of a class: `layer_class = RNN`
            queue += members_of(member, alike)
        module, mentioned = mentioned_by(member)
        for called, other in mentioned:
            theirs = getattr(other, "__module__", None)
            is_own = any(alike(one, theirs) for one in ([module] if module else {c.__module__ for c in kinds}))
            if called in leave or not is_own or is_lambda(other) or manages_a_context(other):
                continue
            taken = found if inspect.isfunction(other) else kinds
            if other in taken or any(one.__qualname__ == other.__qualname__ for one in taken):
                continue
            if inspect.isfunction(other):
                found.append(other)
                queue.append(other)
            elif inspect.isclass(other):
                kinds.append(other)
                queue += members_of(other, alike)
    return found, list(dict.fromkeys(one for cls in kinds for one in (cls, *bases_elsewhere(cls, alike))))


def mentioned_by(member):
    """(module, [(name, function or class)]): what a function mentions, and its module; what a box that belongs to a
    class holds, such as `kinds = {"relu": (relu, relu_slope)}`, of no module."""
    if type(member) in BOXES:
        return None, [(one.__name__, one) for one in functions_among(held_by(member))]
    function = inspect.unwrap(getattr(plain_of(member), "__func__", plain_of(member)))
    if not inspect.isfunction(function):
        return None, []
    names = names_in(function.__code__)
    if works_out_names(function.__code__):
        names |= function.__globals__.keys()
    mentioned = [(name, one) for name in sorted(names) for one in meant_by(name, function)]
    return function.__module__, mentioned + [(one.__name__, one) for one in given_by_default(function)]


def bases_elsewhere(cls, alike):
    """The classes in other modules that a class is made of, as far as these are alike."""
    return [
        base for base in cls.__mro__ if base.__module__ != cls.__module__ and alike(cls.__module__, base.__module__)
    ]


def members_of(cls, alike):
    """What the classes define that a class is made of, as far as they are of modules that are alike."""
    return [member for base in cls.__mro__ if alike(cls.__module__, base.__module__) for member in vars(base).values()]


def meant_by(name, function):
    """The functions and classes that a name in the code of a function may mean: a global one, one of a module, those
    that a global box holds, or that of a global object that keeps nothing."""
    world = function.__globals__
    modules = [world[n] for n in function.__code__.co_names if inspect.ismodule(world.get(n))]
    found = [*held_by(world.get(name)), *(vars(module).get(name) for module in modules)]
    return functions_among(found)


def plain_of(member):
    """The plain function that a method is made of, or a property, which is read as an attribute."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    return member.__func__ if isinstance(member, staticmethod | classmethod) else member


def given_by_default(function):
    """The functions and classes that a function is given where nothing else is: `loss=CrossEntropy`."""
    values = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return functions_among([one for value in values for one in held_by(value)])


def functions_among(values):
    """The functions and classes among some values, with that of an object which keeps nothing."""
    found = [type(one) if keeps_nothing(one) else one for one in values]
    return [one for one in found if inspect.isfunction(one) or inspect.isclass(one)]


def held_by(value, depth=0):
    """What stands in nested dicts, lists and tuples, such as `{"tanh": (tanh, tanh_slope)}`; else the value itself."""
    if type(value) not in BOXES or depth > MOST_NESTED:
        return [value]
    inner = value.values() if isinstance(value, dict) else value
    return [one for part in inner for one in held_by(part, depth + 1)]


def is_lambda(value):
    """Whether a value is a function without a `def`, which is not looked into."""
    return getattr(value, "__name__", "") == "<lambda>"


def keeps_nothing(value):
    """Whether a value is an object without attributes of its own, there for its methods alone."""
    is_code = inspect.isfunction(value) or inspect.isclass(value) or inspect.ismodule(value)
    return not is_code and getattr(value, "__dict__", None) == {}


def are_neighbours(one, other):
    """Whether two modules, by their names, are of one hand: of one folder or of one package."""
    if one == other:
        return True
    files = [getattr(sys.modules.get(name), "__file__", None) for name in (one, other)]
    packages = [str(name).partition(".") for name in (one, other)]
    return None not in files and (
        Path(files[0]).resolve().parent == Path(files[1]).resolve().parent  # one may be given from where we are
        or (packages[0][0] == packages[1][0] != __name__.partition(".")[0] and all(dot for _, dot, _ in packages))
    )


def names_in(code):
    """Global names a code object mentions, with those of the functions defined inside it."""
    inner = [constant for constant in code.co_consts if inspect.iscode(constant)]
    return {*code.co_names, *(name for c in inner for name in names_in(c))}


def works_out_names(code):
    """Whether a code object calls `eval`, as of "Tanh()", or asks for `globals`, so that it may mean anything there."""
    read = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return bool(read & {"eval", "globals"})

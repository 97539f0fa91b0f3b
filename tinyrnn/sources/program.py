"""Functions and classes rewritten to report, that call each other in their rewritten form."""

import copy
import functools
import inspect
import itertools
from contextlib import nullcontext, suppress
from enum import Enum
from types import CellType, FunctionType, MethodType, SimpleNamespace
from typing import Generic, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from tinyrnn.sources.closures import Closure, content_of, defined_at, functions_within
from tinyrnn.sources.copying import PLAIN, Copies, deep_copy
from tinyrnn.sources.held import unchanged, undisturbed
from tinyrnn.sources.own_numpy import Numpy, in_double
from tinyrnn.sources.reading import (
    BOXES,
    MOST_NESTED,
    NoSource,
    function_of,
    is_lambda,
    keeps_nothing,
    plain_of,
    read,
    undecorated,
)
from tinyrnn.sources.reporting import EVERY, Reporting
from tinyrnn.sources.strides import SAFE
from tinyrnn.sources.watching import Watcher

MANY_FOR_SOME, MANY_FOR_NONE = 20_000, 2_000  # reports: codes of some sites are many, that of none is one
LEAVES = PLAIN | {np.ndarray}  # what holds no objects
KINDS = (type, int, float, str, list, dict, set, property, np.ndarray, type(None), type(LEAVES.union), BaseException)
SPECIAL = {name for kind in KINDS for name in dir(kind) if name.startswith("__")}  # methods with a meaning
SPECIAL |= {f"__{name}__" for name in "getattr enter exit del missing get set delete set_name post_init next".split()}
SPECIAL |= {f"__{name}__" for name in "bool complex matmul rmatmul imatmul index copy deepcopy array fspath".split()}
OPERATORS = "add sub mul truediv matmul pow neg".split()
COMPUTING = {f"__{kind}{name}__" for name in OPERATORS for kind in ("", "i", "r")}  # of these
COMPUTING |= {"__call__", "__getitem__", "__abs__"}


class Program:
    """Functions rewritten to report to one `watch(site, value, key=None) -> value`, set by `run`.

    functions: those to rewrite, plain functions or methods in the form (class, name). Inside, each one's rewritten form
    stands where the name of the original did. trees: function -> syntax tree to use in place of its source. uses:
    report every use of a variable too, as kind "use", and unnamed arithmetic
    that is given to a function, as kind "operand".
    """

    running = 0  # how many runs are being made, each in the midst of another

    def __init__(self, functions, classes=(), trees=None, uses=False):
        self.uses, self.trees = uses, trees or {}
        self.watch = None
        self.numpy = Numpy()
        self.sites = {}  # scope -> its sites, in the order of the source
        self.reporting = {}  # function -> its `Reporting`
        self.reports = 0  # how many there are in a run
        self.functions = {}
        self.classes = {}
        self.made, self.lambdas = {}, {}  # function -> its form here
        self.within = {}  # (module, qualified name, line) of a function within another one -> its form here
        self.copies = {}  # id of an object -> it, and the `Copies` of its form here
        self.shared = {}  # id of the globals of functions -> those of their forms
        self.rescue = give_up
        self.namespace = {
            "__watch__": lambda site, value, key=None: (self.watch or unwatched)(site, value, key),
            "__attempt__": self.attempt,
            "__rescue__": lambda *failed: self.rescue(*failed),
            "__key__": Keys(),
            "__closure__": self.closure,
        }
        for function in functions:
            self.functions[function] = self.rewrite(function, self.trees)
            self.namespace[function.__name__] = self.functions[function]
        self.levels, self.beginnings = [], []
        classes = [cls for cls in classes if can_be_rewritten(cls)]
        for cls in classes:
            self.classes[cls] = self.rewritten_class(cls, classes)
            self.namespace[cls.__name__] = self.classes[cls]
        for cls in self.classes.values():
            for name, value in vars(cls.original).items():
                form = self.rewritten_form(value) if inspect.isclass(value) or type(value) in BOXES else value
                if form is not value:
                    setattr(cls, name, form)
        self.forms = self.rewritten()
        for made in self.forms:
            self.link(made)
        self.worlds = list({id(made.__globals__): made.__globals__ for made in self.forms}.values())
        own = {made: own_defaults(made) for made in (*self.forms, *self.beginnings)}
        self.boxes = [(made, Copies(defaults)) for made, defaults in own.items() if keeps_a_box(defaults)]

    def rewritten_class(self, cls, classes):
        """A subclass with rewritten methods; where one of them asks for `super()`, with the rewritten ones of the bases
        behind them."""
        levels, cells = [], []
        for base in cls.__mro__:
            if base in classes or base.__module__ == cls.__module__:
                cells.append(CellType())
                if inspect.isfunction(begins := vars(base).get("__init__")):  # which stays as it is itself
                    self.rewrite_within(begins, self.trees)
                own = {n: m for n, m in vars(base).items() if is_method(m) and is_looked_into(n)}
                level = {name: self.rewrite(plain_of(member), self.trees, cells[-1]) for name, member in own.items()}
                levels.append({name: made_as(own[name], made) for name, made in level.items()})
        merged = {name: made for level in reversed(levels) for name, made in level.items()}
        asks = any("__class__" in plain_of(m).__code__.co_freevars for level in levels for m in level.values())
        root = next(base for base in cls.__mro__ if not (base in classes or base.__module__ == cls.__module__))
        # of the same root, as only then an object may change its class
        behind = [type(cls.__name__, (root,), level) for level in levels[1:]] if asks else []
        facts = {"__module__": cls.__module__, "original": cls}
        facts |= {"__init__": self.beginning(cls)} if inspect.isfunction(cls.__init__) else {}
        made = kind_of(type(cls))(cls.__name__, (*behind, cls), merged | facts)
        if "__parameters__" in vars(cls):  # `Layer[int]()`
            made.__parameters__ = cls.__parameters__
        for cell, holder in zip(cells, [made, *behind], strict=False):
            cell.cell_contents = holder
        self.levels += behind
        return made

    def beginning(self, cls):
        """The `__init__` of a rewritten class: as it was, after which the objects that it made are of theirs, too."""

        plain, begins = undecorated(cls.__init__), cls.__init__
        if plain is begins and keeps_a_box(own_defaults(plain)):  # by a form with defaults of its own
            begins = function_of(plain, plain.__code__, world=plain.__globals__)
            self.beginnings.append(begins)

        @functools.wraps(cls.__init__)
        def begin(made, *args, **kwargs):
            begins(made, *args, **kwargs)
            if not all(map(holds_no_code, getattr(made, "__dict__", {1: made}).values())):
                self.reclass(made, set())

        return begin

    def rewrite(self, function, trees, cell=None):
        """The rewritten function, one for all classes that have it; trees: changed sources, function -> tree. cell: of
        the class whose method it is; what asks for `super()` is another function in each."""
        asks = "__class__" in function.__code__.co_freevars
        if function in self.made and not asks:
            return self.made[function]
        if function not in self.reporting:  # one for all its forms
            self.reporting[function] = rewritten(function, trees.get(function), self.uses)
        code, sites = self.reporting[function].code(), self.reporting[function].sites
        if function not in self.made:
            self.sites.setdefault(function.__qualname__, []).extend(sites)
        own = function.__globals__  # one copy for all functions of a module: what one sets is there for the others
        world = self.shared.setdefault(id(own), dict(own))
        self.made[function] = None  # while what it closes over is rewritten, which may close over it
        cells = self.cells_of(function, trees, cell) | ({"__class__": cell} if cell else {})
        made = function_of(function, code, {sites_of(function): sites}, cells, world)
        made.__defaults__ = made.__defaults__ and tuple(map(in_double, made.__defaults__))
        made.original = function
        self.made[function] = made
        self.rewrite_within(function, trees)
        return made

    def rewrite_within(self, function, trees):
        """Rewrites the functions that are defined within a function."""
        for inner in functions_within(function):
            with suppress(NoSource):  # which stays as it is
                self.functions[inner] = self.within[defined_at(inner)] = self.rewrite(inner, trees)

    def closure(self, live, scope, line):
        """The form here of a function that was just made within another one."""
        form = self.within.get((live.__module__, scope, line))
        return Closure(live, form) if form else live

    def cells_of(self, function, trees, cell):
        """{name: cell} of the functions of its module that a function closes over, as a decorator does over the method
        that it was given: of their rewritten forms."""
        plain, found = undecorated(function), {}
        for name, held in zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True):
            inner = None if name == "__class__" else content_of(held)
            if not inspect.isfunction(inner) or is_lambda(inner) or inner.__module__ != plain.__module__:
                continue
            with suppress(NoSource):  # which stays as it is
                if (made := self.rewrite(inner, trees, cell)) is not None:
                    self.functions[inner] = made
                    found[name] = CellType(made)
        return found

    def link(self, made):
        """Let a rewritten function see the other ones, where its globals have the originals; and our numpy."""
        world = made.__globals__
        world.update({name: self.numpy for name, value in world.items() if value is np})
        world.update({name: SAFE[id(value)] for name, value in world.items() if id(value) in SAFE})
        modules = {code.__module__ for code in (*self.functions, *self.classes)}
        for name, value in list(world.items()):
            if inspect.ismodule(value) and value.__name__ in modules:
                value = self.of_module(value)
            is_own = type(value) in self.classes and keeps_nothing(value)
            world[name] = self.instance(value) if is_own else self.rewritten_form(value)
        for name, value in self.namespace.items():
            original = getattr(value, "original", None)
            if original is None or world.get(name) is original:
                world[name] = value
        made.__defaults__ = made.__defaults__ and tuple(map(self.rewritten_form, made.__defaults__))

    def rewritten_form(self, value):
        """The form here of a function or class, rewritten elsewhere or not; a box of such with their forms; anything
        else as it is."""
        if type(value) in BOXES:
            return self.box_of_forms(value)
        if not is_code(value):
            return value
        original = getattr(value, "original", value)
        if is_lambda(value):
            return self.linked_lambda(original) if reads_globals(original) else value
        if inspect.isfunction(value) and defined_at(value) in self.within:
            return Closure(value, self.within[defined_at(value)])
        known = self.functions if inspect.isfunction(value) else self.classes
        return known.get(original, value)

    def box_of_forms(self, value, depth=0):
        """A dict, list or tuple in which functions and classes stand in their form here; itself if it has none."""
        entries = dict(value) if isinstance(value, dict) else dict(enumerate(value))
        made = {
            key: self.rewritten_form(one) if type(one) not in BOXES else self.box_of_forms(one, depth + 1)
            for key, one in (entries.items() if depth <= MOST_NESTED else ())
        }
        if all(made[key] is one for key, one in entries.items() if key in made):
            return value
        return made if isinstance(value, dict) else type(value)(made.values())

    def linked_lambda(self, original):
        """A lambda, which does not report, but makes arrays with our NumPy and calls the functions here."""
        if original not in self.lambdas:
            own = original.__globals__
            is_first = id(own) not in self.shared  # of its module: the world of all others is linked, or will be
            world = self.shared.setdefault(id(own), dict(own))
            self.lambdas[original] = made = function_of(original, original.__code__, world=world)
            made.original = original
            if is_first:
                self.link(made)
            elif made.__defaults__:
                made.__defaults__ = tuple(map(self.rewritten_form, made.__defaults__))
        return self.lambdas[original]

    def of_module(self, module):
        """A module whose functions and classes are rewritten, or itself if none is."""
        own = {name: self.rewritten_form(value) for name, value in vars(module).items() if is_code(value)}
        own = {name: made for name, made in own.items() if made is not vars(module)[name]}
        return SimpleNamespace(**{**vars(module), **own}) if own else module

    def run(self, watch, call, complex_buffers=False, rescue=None, sites=EVERY):
        """call(self) while `watch`, if it is not None, is told of every value; returns its result.

        complex_buffers: let arrays of floats that the program makes, to fill them in later, be complex. sites: those
        of which `watch` has to be told; it may be told of others.
        """
        self.let_report(sites if watch else ())
        watch = watch or unwatched
        self.watch, self.rescue, self.numpy.complex_buffers = watch, rescue or give_up, complex_buffers
        self.call_directly(watch)
        for made, defaults in self.boxes:  # `weights={}`, in which an earlier run may have left something
            pairs = zip(made.__defaults__, defaults(), strict=True)
            made.__defaults__ = tuple(old if new is SHARED else new for old, new in pairs)
        within = undisturbed(self.worlds) if Program.running else nullcontext()
        Program.running += 1
        try:
            with within, unchanged(self.classes.values()):
                return call(self)
        except SystemExit as error:  # `exit(1)` where something is not known: it ends the program, not who runs it
            raise Ended(f"SystemExit: {error}").with_traceback(error.__traceback__) from None
        finally:
            Program.running -= 1
            self.watch, self.rescue, self.numpy.complex_buffers = None, give_up, False
            self.call_directly(self.namespace["__watch__"])

    def let_report(self, sites):
        """Let some sites alone report, where there are so many that other codes are worth it; not what runs as
        something else for now."""
        is_worth_it = sites is not EVERY and self.reports > (MANY_FOR_SOME if sites else MANY_FOR_NONE)
        ids = list(map(id, sites)) if is_worth_it else EVERY
        for made in self.forms:
            reporting = self.reporting[made.original]
            code = reporting.code(ids)
            if made.__code__ is not code and reporting.is_own(made.__code__):
                made.__code__ = code

    def call_directly(self, watch):
        """Let all functions report to this one, as going through `self.watch` takes half of the time of a report."""
        for world in self.worlds:
            world["__watch__"] = watch

    def attempt(self, site, make):
        """make(), an entry of a dict; if that fails, whatever `rescue` offers."""
        try:
            return make()
        except Exception as error:
            return self.rescue(site.scope, ((site.name, None),), error, site.line)[0]

    def instance(self, obj):
        """A copy of `obj`; it, and every object within, is of the rewritten class where there is one."""
        made = deep_copy(obj)
        made = self.rewritten_form(made) if isinstance(made, tuple) else made
        self.reclass(made, set())
        return made

    def copy_of(self, obj, is_instance=True):
        """The same of what stays as it is, such as what every run begins with: faster from the second time on.
        is_instance: whether the classes within are rewritten ones, too."""
        if id(obj) not in self.copies:
            self.copies[id(obj)] = obj, Copies(self.instance(obj) if is_instance else obj)
        return self.copies[id(obj)][1]()

    def reclass(self, obj, seen):
        """Gives objects of rewritten classes, also inside others, their rewritten class, and what holds functions their
        rewritten form."""
        if type(obj) in LEAVES or id(obj) in seen:
            return
        seen.add(id(obj))
        if isinstance(obj, Closure):
            obj.form = self.within.get(defined_at(obj.form.original), obj.form)
            for content in obj.contents:
                self.reclass(content, seen)
            return
        original = getattr(type(obj), "original", type(obj))
        if original in self.classes and isinstance(obj, BOXES):  # a class made of one of them
            with suppress(TypeError):  # it has slots, say
                obj.__class__ = self.classes[original]
        if isinstance(obj, list | tuple):
            inner = enumerate(obj)
        elif isinstance(obj, dict):
            inner = list(obj.items())
            for key in obj:  # the nodes of a graph, say
                self.reclass(key, seen)
        else:
            if original not in self.classes:
                return
            obj.__class__ = self.classes[original]
            obj = vars(obj)
            inner = list(obj.items())
        for key, value in inner:
            if type(value) in LEAVES:  # most are
                continue
            is_held = inspect.isfunction(value) or type(value) is tuple  # what stands in a tuple cannot be replaced
            if is_held and not isinstance(obj, tuple):
                value = obj[key] = self.rewritten_form(value)
            if inspect.isfunction(value):  # which holds nothing
                continue
            if inspect.ismethod(value) and not isinstance(obj, tuple):
                obj[key] = self.rewritten_method(value)
                value = value.__self__
            self.reclass(value, seen)

    def rewritten_method(self, method):
        """The form here of a method that an object holds, as in `{"tanh": self.tanh_slope}`."""
        owner = getattr(type(method.__self__), "original", type(method.__self__))
        made = getattr(self.classes.get(owner), method.__name__, None)
        is_it = getattr(made, "original", None) is method.__func__
        return MethodType(made, method.__self__) if is_it else method

    def rewritten(self):
        """Every rewritten function and method; each has its `original`."""
        holders = [*self.classes.values(), *self.levels]
        methods = [plain_of(m) for cls in holders for m in vars(cls).values() if is_method(m)]
        return list(dict.fromkeys([*self.functions.values(), *(m for m in methods if m.__name__ != "__init__")]))

    def originals(self):
        """The functions that were rewritten."""
        return [made.original for made in self.rewritten()]

    def __getitem__(self, function):
        """The rewritten form of a function, or the function itself."""
        return self.functions.get(function, function)


REWRITTEN: WeakKeyDictionary = (
    WeakKeyDictionary()
)  # function -> its `Reporting`: rewriting is slow, and gives the same every time


NUMBERS: WeakKeyDictionary = WeakKeyDictionary()  # function -> its number
COUNT = itertools.count()


def sites_of(function):
    """The name that the sites of a function have in its code."""
    if function not in NUMBERS:
        NUMBERS[function] = next(COUNT)
    return f"__sites_{NUMBERS[function]}__"


def rewritten(function, tree=None, uses=False):
    """The `Reporting` of a function; of another tree in the place of its source if one is given."""
    if tree is None and not uses and function in REWRITTEN:
        return REWRITTEN[function]
    sites = []
    watcher = Watcher(function.__qualname__, sites, uses, sites_of(function))
    watched = watcher.rewrite(copy.deepcopy(tree) if tree else read(function))
    made = Reporting(undecorated(function), watched, sites, sites_of(function))
    if tree is None and not uses:
        REWRITTEN[function] = made
    return made


def unwatched(site, value, key=None):
    """The `watch` of a run of which nobody is told."""
    return value


@functools.cache
def kind_of(meta):
    """The class of rewritten classes, those of a metaclass: what is of the original is of the rewritten form too, so
    that `isinstance` knows the objects of other rewritten classes that were made of the original."""

    asked = set()  # what is being asked: an abstract class asks all classes that are made of it, rewritten ones too

    class Rewritten(meta):
        def __instancecheck__(cls, obj):
            return meta.__instancecheck__(cls.__dict__.get("original", cls), obj)

        def __subclasscheck__(cls, other):
            original = cls.__dict__.get("original", cls)
            if (original, other) in asked:
                return False
            asked.add((original, other))
            try:
                return meta.__subclasscheck__(original, other)
            finally:
                asked.discard((original, other))

    return Rewritten


SHARED = ...  # stands for a default that is a global's value too, which every run has


def own_defaults(made):
    """The defaults of a function, with `SHARED` for the boxes and objects that its globals hold as well."""
    shared = {id(value) for value in made.__globals__.values() if keeps_something(value)}
    return tuple(SHARED if id(one) in shared else one for one in made.__defaults__ or ())


def keeps_something(value):
    """Whether a value is a box, or an object, in which a run may leave something."""
    is_known = type(value) in PLAIN or is_code(value) or inspect.isroutine(value) or inspect.ismodule(value)
    return type(value) in BOXES or (not is_known and hasattr(value, "__dict__"))


def keeps_a_box(defaults):
    """Whether some defaults of a function are boxes, or objects, that can be copied."""
    if not any(map(keeps_something, defaults or ())):
        return False
    try:
        return bool(deep_copy(defaults))
    except Exception:  # an open file, say
        return False


def can_be_rewritten(cls):
    """Whether a class can have a subclass that stands for it: not if its members are all that it has, nor if it is made
    of what says what there should be."""
    return not (issubclass(cls, Enum) or Protocol in cls.__mro__ or cls is Generic)


def is_method(member):
    """Whether a member of a class is a method, also one of the class itself or of no object."""
    return inspect.isfunction(plain_of(member))


def made_as(member, function):
    """A function as a method, or property, of the kind that a member is."""
    if isinstance(member, property):
        return type(member)(function, member.fset, member.fdel, member.__doc__)
    is_wrapped = isinstance(member, staticmethod | classmethod | functools.cached_property)
    return type(member)(function) if is_wrapped else function


def is_looked_into(name):
    """Whether a method is: all but those with a meaning in the language that compute nothing, as calls and operators
    do."""
    return name not in SPECIAL or name in COMPUTING


def holds_no_code(value):
    """Whether a value is none that may have another form here, nor holds such: most that an object begins with."""
    kind = type(value)
    return kind in LEAVES or kind is set or (kind is FunctionType and is_lambda(value) and not reads_globals(value))


def reads_globals(function):
    """Whether a lambda may read what has another form here."""
    return bool(function.__code__.co_names or function.__defaults__)


def is_code(value):
    """Whether a value is a function or a class."""
    return inspect.isfunction(value) or inspect.isclass(value)


class Ended(Exception):
    """The program ended itself."""


class Keys:
    """`Keys()[:, t]` is the key (slice(None), t)."""

    def __getitem__(self, key):
        return key


def give_up(scope, names, error, line):
    """What is done about an assignment that failed, unless `Program.rescue` is set: nothing."""
    raise error

"""Functions within functions: what a forward pass hands to the backward pass, or an object keeps, with the values of
the call that made it."""

import copy
import inspect
from contextlib import suppress
from types import CellType, FunctionType

KNOWN, AROUND = "_functions_within", "_names_around"  # attributes of a function


def functions_within(function):
    """Stand-ins of the plain functions that are defined directly within a function, which close over nothing yet;
    always the same ones."""
    if KNOWN not in vars(function):
        codes = [code for code in function.__code__.co_consts if is_plain(code)]
        setattr(function, KNOWN, [stand_in(code, function) for code in codes])
    return getattr(function, KNOWN)


def is_plain(constant):
    """Whether a constant of a code is the code of a function, and none of a class, a lambda or a comprehension."""
    return inspect.iscode(constant) and bool(constant.co_flags & inspect.CO_OPTIMIZED) and constant.co_name[0] != "<"


def stand_in(code, function):
    """The function of a code within another one, with empty cells."""
    made = FunctionType(code, function.__globals__, code.co_name, None, tuple(CellType() for _ in code.co_freevars))
    made.__module__, made.__qualname__ = function.__module__, f"{function.__qualname__}.<locals>.{code.co_name}"
    outer, within = function.__code__, {one.co_name for one in function.__code__.co_consts if inspect.iscode(one)}
    own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars, *within}
    around = (*outer.co_varnames, *outer.co_cellvars, *outer.co_freevars)
    setattr(made, AROUND, tuple(dict.fromkeys(name for name in around if name.isidentifier() and name not in own)))
    return made


def names_around(function):
    """The variables of the function around a stand-in that it does not read, and may have been meant to."""
    return getattr(function, AROUND, ())


def defined_at(function):
    """(module, qualified name, line) of a function, which tell its stand-in."""
    plain = inspect.unwrap(function)
    return plain.__module__, plain.__qualname__, plain.__code__.co_firstlineno


def content_of(cell):
    """What a cell holds; None of an empty one."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


class Closure:
    """A function that was made when another one was called, as something that runs, each time that it is called, as
    `form` does by then: the rewritten form of what stands in for it, but with what `live` closes over, and its
    defaults. Its copies close over copies."""

    def __init__(self, live, form):
        self.live, self.form, self.__name__ = live, form, live.__name__
        self.cells = dict(zip(live.__code__.co_freevars, live.__closure__ or (), strict=True))

    def __call__(self, *args, **kwargs):
        code = self.form.__code__
        closure = tuple(self.cells.get(name) or CellType() for name in code.co_freevars)
        made = FunctionType(code, self.form.__globals__, self.__name__, self.live.__defaults__, closure)
        made.__kwdefaults__ = self.live.__kwdefaults__
        return made(*args, **kwargs)

    def __deepcopy__(self, memo):
        made = object.__new__(Closure)
        memo[id(self)] = made
        vars(made).update(vars(self))
        made.cells = {name: copied(cell, memo) for name, cell in self.cells.items()}
        return made

    @property
    def contents(self):
        """What it closes over."""
        return [content_of(cell) for cell in self.cells.values()]


def copied(cell, memo):
    """A cell with a copy of what one holds, which may be None; several closures may have it."""
    if id(cell) not in memo:
        memo[id(cell)] = made = CellType()
        with suppress(ValueError):  # an empty one
            made.cell_contents = copy.deepcopy(cell.cell_contents, memo)
    return memo[id(cell)]

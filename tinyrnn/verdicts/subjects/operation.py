"""The problem of an operation on tensors that carry their gradients, `Tensor.__mul__`, by itself.

It is done with tensors none of which is made of others. Where it is done more than once, with the same ones, the
backward pass is started at each result: what is put in the place of a gradient, and not added to it, comes out wrong.
"""

import ast
import inspect

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.sources.calling import is_upstream, parameters_of
from tinyrnn.sources.reading import read
from tinyrnn.verdicts.record.came import Came
from tinyrnn.verdicts.record.problem import Problem
from tinyrnn.verdicts.record.run import holds_attributes, record
from tinyrnn.verdicts.subjects.tensors import array_of, asks, at, backward_of, gradient_of, is_tensor, put

HIDDEN = 1e6  # an output so large that it is to be nothing behind a softmax, as -1e9 is; beside it no other one counts


class Operation(Problem):
    """Judges the gradients that an operation's result sends back.

    whole: the `Problem` that it stands in. function: of the operation; a method if an argument is called self.
    arguments: by name; tensors are leaves. times: how often it is done. leaves: the `LeafTensors` that made them.
    """

    returns_more = True  # it does the operation, too
    is_of_one = True

    def __init__(self, whole, function, arguments, times, leaves):
        self.function, self.arguments, self.leaves = function, arguments, leaves
        tensors = {name: one for name, one in tensors_in(arguments) if asks(one)}
        arrays = {name: at(one, leaves.path) for name, one in tensors.items()}
        inputs = {name: array_of(array) for name, array in arrays.items() if array.dtype.kind in "fc"}
        super().__init__(
            function.__qualname__,
            inputs,
            scopes=whole.scopes,
            functions=whole.functions,
            classes=whole.classes,
            top=(function.__qualname__,),
            shown=whole.shown,
        )
        self.trusted = frozenset(conditions_of(function))
        rng, program, self.events_of_all = as_rng(0), self.program(), ()
        for self.is_bare in (True, False):  # the first with which the pass runs
            self.above = [()] * times
            outputs = map(array_of, self.forward(program))
            self.above = [np.where(abs(one) < HIDDEN, rng.normal(size=one.shape), 0) for one in outputs]
            if self.goes_back(program):
                break

    def goes_back(self, program):
        """Whether the backward pass runs; `events_of_all` are those of both passes then."""
        try:
            _, self.events_of_all = record(program, lambda program: self.backward(program, None))
            return True
        except Exception:
            return False

    def forward_pass(self, program, **changed):
        """The arrays of the results."""
        return [at(one, self.leaves.path) for one in self.results_of(program, changed)[0]]

    def results_of(self, program, changed):
        """(the results, the arguments)."""
        np.random.seed(0)  # noqa: NPY002 - what a dropout leaves out
        given = program.copy_of(self.arguments)
        tensors = dict(tensors_in(given))
        for name, array in changed.items():
            put(tensors[name], self.leaves.path, array)
        with np.errstate(all="ignore"):
            return [done(program, self.function, self.with_another(program, given)) for _ in self.above], given

    def with_another(self, program, given):
        """The arguments, with another object to call where that has no tensors and is called once, as those are that
        keep what they were given for their backward pass."""
        own = self.arguments.get("self")
        is_called_once = own is not None and not any(True for _ in tensors_in({"self": own}))
        return given | program.copy_of({"self": own}) if is_called_once else given

    def loss(self, result):
        """The results times what comes from above, summed."""
        return sum(np.sum(up * np.where(up, out, 0)) for up, out in zip(self.above, result, strict=True))

    def backward_pass(self, program, result):
        """The arguments, whose tensors have their gradients then. Results are made anew: one may not outlive the other
        ones that it is made of, which it knows by weak references."""
        outputs, given = self.results_of(program, {})
        for out, above in zip(outputs, self.above, strict=True):
            start, seed = backward_of(out), program.instance(self.leaves.of(above))
            if takes_gradient(start):
                start(above.copy() if self.is_bare else vars(seed)[self.leaves.path[0]])
            else:
                backward_of(out * seed)()
        return given

    def came(self, returned, places=None):
        """A `Came` for each tensor; zeros for what nothing was added to."""
        tensors = dict(tensors_in(returned))
        found = []
        for name, array in self.inputs.items():
            gradient = array_of(vars(tensors[name])[gradient_of(tensors[name])])
            gradient = np.zeros(array.shape) if gradient is None else gradient
            found.append(Came((name,), f"d{name}", gradient, True))
        return [one for one in found if places is None or one.place in places]

    def results(self, returned):
        """{name: gradient}."""
        return {one.place[0]: one.array for one in self.came(returned)}

    def above_all(self):
        """The gradients from above."""
        return self.above


def tensors_in(arguments):
    """(name, tensor) of each tensor among some arguments by name, in lists and tuples there and in the attributes of
    other objects: `tensors[0]`, `layer.weight`."""
    for name, value in arguments.items():
        name = "itself" if name == "self" else name
        if is_tensor(value):
            yield name, value
        elif isinstance(value, list | tuple):
            yield from ((f"{name}[{k}]", one) for k, one in enumerate(value) if is_tensor(one))
        elif holds_attributes(value) and not inspect.isroutine(value):
            yield from ((f"{name}.{key}", one) for key, one in vars(value).items() if is_tensor(one))


def takes_gradient(method):
    """Whether a method can be given the gradient that it starts with, by its first argument; not by a flag, as
    `retain_grad=False` is."""
    first = next(iter(parameters_of(method)), "")
    given = inspect.signature(method).parameters.get(first)
    return is_upstream(first) and not isinstance(getattr(given, "default", None), bool)


def conditions_of(function):
    """{(scope, line)} of what a function does under a condition: with another one it would leave its backward pass to
    what it is made of."""
    lines = [node.lineno for node in ast.walk(read(function)) if isinstance(node, ast.If)]
    return {(function.__qualname__, line) for line in lines}


def done(program, function, given):
    """What a program's form of a function, or of a method, gives; as a property does, too."""
    kinds = inspect.signature(function).parameters
    args = [given[name] for name, one in kinds.items() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    args += [value for name, one in kinds.items() if one.kind is one.VAR_POSITIONAL for value in given[name]]
    named = {name: given[name] for name, one in kinds.items() if one.kind is one.KEYWORD_ONLY}
    for name in (name for name, one in kinds.items() if one.kind is one.VAR_KEYWORD):
        named |= given[name]
    if next(iter(kinds)) != "self":
        return program[function](*args, **named)
    name = function.__name__
    is_property = isinstance(inspect.getattr_static(type(args[0]), name), property)
    return getattr(args[0], name) if is_property else getattr(args[0], name)(*args[1:], **named)

"""What is to be judged: a forward and a backward pass, their inputs, and a random gradient from above on every
output."""

import copy
from contextlib import suppress
from weakref import WeakKeyDictionary

import numpy as np

from tinyrnn.sources import Program
from tinyrnn.sources.copying import Copies
from tinyrnn.sources.deadline import TooLong, one_run
from tinyrnn.verdicts.record.came import Came
from tinyrnn.verdicts.record.run import Recorder, arrays_of, numbers
from tinyrnn.verdicts.record.truth import Truth


class Problem:
    """A forward pass, its backward pass, and a point to judge them at. There is one class for each kind of problem; an
    object is complete when it is made, and nothing is set on it later.

    title: what is judged. inputs: name -> array, what the forward pass can be given in changed form. functions,
    classes: what is rewritten, forward and backward alike. scopes: backward scope -> forward scopes, nearest first.
    top: scopes whose arguments are given. shown: the functions whose lines the report lists. handed: scope -> the scope
    whose result its arguments are, where what calls both is not looked into. gates: blocks along the last axis of
    joined arrays. sizes: (letter, number), by which factors may be called.

    A subclass defines `forward_pass`, `backward_pass` and `loss`, and what it knows beyond that.
    """

    # relative error of a right gradient: `exp(s) / (exp(s).sum() + 1e-9)` has one, if its gradient is that of a softmax
    exact = 1e-7
    compares_values = False  # whether "forward" is another program that should do the same: a `Comparison`
    returns_more = False  # whether the backward pass returns other things than gradients, such as the loss
    draws_the_same = False  # whether NumPy's global random state is the same at every forward pass
    order = ()  # the inputs that are arguments of the forward function, in their order
    shared: frozenset = frozenset()  # inputs in memory of others too: those whose gradient is zero do not matter
    unlike: tuple = ()  # inputs that the backward pass changes, and not by a multiple of their gradients
    trusted: frozenset = frozenset()  # {(scope, line)} of what is known to be right
    is_of_one = False  # whether it is one operation, of which all may be wrong in the same way
    own_weights: tuple = ()  # inputs that an object holds, rather than arguments
    passes = None  # how its functions are called, where that was told from names: a `Passes`
    is_guess = False  # whether the shapes of its inputs are a guess
    begin = None  # a function without arguments that is called before every backward pass

    def __init__(
        self, title, inputs, *, scopes, functions=(), classes=(), top=(), shown=(), handed=None, gates=(), sizes=()
    ):
        self.title, self.inputs, self.scopes, self.top = title, inputs, scopes, top
        self.functions, self.classes, self.shown = list(functions), list(classes), list(shown)
        self.handed, self.gates, self.sizes = handed or {}, gates, sizes
        self.aliases = {}  # input -> what else it goes by
        self.divided = {}  # input -> by what its gradient is divided, as by the size of a batch
        self.boxes = []  # of inputs that belong together: {keys that lead to one: its name}

    # what a subclass defines

    def forward_pass(self, program, **changed):
        """The result of the forward pass, with changed inputs by name."""
        raise NotImplementedError

    def backward_pass(self, program, result):
        """What the backward pass returns. result: a copy of that of the forward pass, which may be changed."""
        raise NotImplementedError

    def loss(self, result):
        """A number: the gradients are its."""
        raise NotImplementedError

    def results(self, returned):
        """{name of an input: its gradient}, as far as it is known what is returned."""
        return {}

    def came(self, returned, places=None):
        """What came out of the backward pass: a list of `tinyrnn.verdicts.record.came.Came`. places: those that are
        asked for, without their names; None: all."""
        found = {name: numbers(array) for name, array in self.results(returned).items()}
        return [Came(name, f"d{name}", array) for name, array in found.items() if array is not None]

    def also_known(self, gradients):
        """Arrays that follow from the true gradients, {input: array}, such as what weights are stepped to."""
        return []

    def above_all(self):
        """The gradients from above, a list of arrays."""
        return []

    def maker(self, name):
        """The scope whose result the gradient of an input is; None if that cannot be said."""
        return None

    def namer(self, truth):
        """A `tinyrnn.verdicts.name.naming.Namer` of known mistakes, or None."""
        return None

    def recognise(self, truth):
        """The `tinyrnn.verdicts.name.recognise.Recognised` forward pass, or None."""
        return None

    def inner(self, forward, backward, inputs):
        """The problem of two passes within, those of a layer or of a step, by themselves; None if that cannot be."""
        return None

    def wrong_results(self, returned, judge):
        """Names of the returned gradients that are wrong."""
        return [name for name, got in self.results(returned).items() if not judge.is_right(got, name)]

    # what follows from that

    def program(self, trees=None, uses=False):
        """What is to be judged, rewritten. trees: function -> syntax tree to take in place of its source."""
        return Program(self.functions, self.classes, trees, uses)

    def truth(self, uses=False):
        """A new `Truth` of the forward pass. uses: rewrite it so that each use of a variable is seen too."""
        return Truth(self.program(uses=uses), self.forward, self.loss, self.inputs, self.exact, self.values_of_backward)

    def values_of_backward(self, result):
        """All arrays that the backward pass works out, as far as it comes."""
        recorder = Recorder()
        with suppress(Exception, TooLong), one_run(), np.errstate(all="ignore"):
            self.program().run(recorder, self.backward_call(result))
        return [event.value for event in recorder.events if event.value is not None]

    def forward(self, program, **changed):
        """`forward_pass`, after seeding NumPy's global generator if every pass is to draw the same."""
        if self.draws_the_same:
            np.random.seed(0)  # noqa: NPY002
        return self.forward_pass(program, **changed)

    def backward(self, program, result):
        """`backward_pass`, after what is to be done before each."""
        if self.begin is not None:
            self.begin()
        return self.backward_pass(program, result)

    def backward_call(self, result):
        """A function of a program: the backward pass from a deep copy of the forward result, as that is at the first
        call."""
        copies = WeakKeyDictionary()

        def call(program):
            if program not in copies:
                copies[program] = Copies(program.instance(result))
            return self.backward(program, copies[program]())

        return call

    def but(self, **facts):
        """The same problem but for some facts that it has; this one stays as it is."""
        made = copy.copy(self)
        for name, fact in facts.items():
            getattr(self, name)  # AttributeError for what is none
            setattr(made, name, fact)
        return made


class Comparison(Problem):
    """Two programs that should do the same, step by step (an optimiser's update): no gradients, but values that go by
    the same name are compared. "Forward" is the right one, "backward" the one on trial.

    final: the names of the results. same_source: whether both are one source, so that every line of the one has its
    like in the other.
    """

    compares_values = True
    exact = 1e-9  # both are the same sum
    same_source = True

    def __init__(self, title, *, final, **facts):
        super().__init__(title, {}, **facts)
        self.final = final

    def loss(self, result):
        """The sum of all numbers in the result, a float: to see whether two runs agree, not to differentiate."""
        return float(sum(array.sum() for array in arrays_of(result)))

    def names_for(self, name):
        """What the value of that name may be called in the right program, the likeliest first."""
        return [name]

    def wrong_results(self, returned, judge):
        """["what is returned"] if an array of the result is wrong, missing or too many; else []."""
        got, wanted = list(arrays_of(returned)), list(arrays_of(judge.truth.result))
        right = len(got) == len(wanted) and all(
            judge.error(a, b) <= judge.truth.tolerance for a, b in zip(got, wanted, strict=True)
        )
        return [] if right else ["what is returned"]

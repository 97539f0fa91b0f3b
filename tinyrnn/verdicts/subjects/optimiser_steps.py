"""Judges an optimiser's step that a learner wrote, a plain function, beside the package's own.

    def adam(w, dw, config):                         return w, config
    def adam_step(p, g, m, v, t, lr, beta1, beta2, eps):             return p, m, v

    report_on_step(adam, "adam")            a `LineReport`

Both do the same steps with the same gradients, and what goes by the same name, or another usual one, is compared. A
form that is right elsewhere (the corrections in the rate, the rate in the velocity) is said to be a convention.
"""

import ast
import inspect

import numpy as np

from tinyrnn.checking.differences import constant_factor
from tinyrnn.core.backend import as_rng
from tinyrnn.optim.optimisers import SGD, Adam, RMSProp
from tinyrnn.sources import reachable, read
from tinyrnn.sources.vocabulary import IN_A_STEP, SETTINGS, method_of_name, usual_names
from tinyrnn.verdicts.judge.reporting import report_on
from tinyrnn.verdicts.name.naming import Namer
from tinyrnn.verdicts.record.problem import Comparison
from tinyrnn.verdicts.record.run import fresh, record
from tinyrnn.verdicts.subjects.updates import EPS, K, update_environment

LR = 0.1
METHODS = {  # name -> (the package's optimiser, family of its known mistakes)
    "sgd": (SGD(LR), "sgd"),
    "momentum": (SGD(LR, momentum=0.9), "sgd"),
    "nesterov": (SGD(LR, momentum=0.9, nesterov=True), "sgd"),
    "rmsprop": (RMSProp(LR, rho=0.9, eps=EPS, initial=0.0), "rmsprop"),
    "adam": (Adam(LR, 0.9, 0.99, EPS), "adam"),
}


def report_on_step(function, name, rng=0):
    """The `LineReport` on a learner's function as the method `name`; conventions are notes."""
    report = judged(of_step(function, name, rng))
    if report.ok or not set(IN_A_STEP["t"].split()) & set(inspect.signature(function).parameters):
        return report
    with np.errstate(all="ignore"):
        other = judged(of_step(function, name, rng, first=0))
    return min(report, other, key=lambda one: len(one.wrong) + len(one.problems))  # the first of equals


def method_of(function):
    """The method that a function called adam, adam_step, update_rmsprop … is a step of; None for others."""
    return method_of_name(function.__name__) if inspect.isfunction(function) else None


def judged(problem):
    """The `LineReport`, with conventions unjudged rather than wrong, and notes on the rate and on t."""
    report = report_on(problem)
    for row in report.rows:
        if row.verdict == "wrong" and row.mistake and row.mistake["convention"]:
            row.verdict, row.how = "unjudged", [f"another convention: {row.mistake['title']}"]
            report.notes.append(f"line {row.line}, {row.name}: {row.mistake['hint']}")
    for name, factor in problem.scaled.items():
        report.notes.append(f"{name} is {factor:.6g} times what the package keeps: the rate is in it, a convention")
    if problem.first == 0:
        report.notes.append("t is counted from 0")
    if not report.wrong and any(row.mistake for row in report.unjudged):
        report.problems.clear()  # that what comes out is another, which the convention explains
    return report


def of_step(function, name, rng=0, first=1):
    """The `LearnersStep` of a function as the method `name`; ValueError for what cannot be recognised.

    first: the number of the first step, where the function is given one.
    """
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}: choose from {', '.join(METHODS)}")
    return LearnersStep(function, name, as_rng(rng), first)


class LearnersStep(Comparison):
    """K steps of a learner's function beside those of the package's optimiser of that name.

    scaled: {name: ours times what} of values that have the rate in them.
    """

    same_source = False

    def __init__(self, function, name, rng, first=1):
        self.optimiser, self.family = METHODS[name]
        self.start, self.grads = rng.normal(size=(3, 2)), [rng.normal(size=(3, 2)) for _ in range(K)]
        settings = {key: value for key, value in vars(self.optimiser).items() if isinstance(value, float)}
        self.function, self.learner, self.first = function, Learner(function, settings), first
        cls = type(self.optimiser)
        super().__init__(
            f"{function.__name__}, as {name}",
            final=("p",),
            functions=reachable([function])[0],
            classes=[cls],
            scopes={function.__qualname__: [cls.update.__qualname__]},
            top=(function.__qualname__,),
            shown=[function],
        )
        usual = usual_names("m_hat", "v_hat", "m", "v", "p")
        self.scaled = multiples(function, self, usual)
        self.usual = {name: own for name, own in usual.items() if name not in self.scaled}

    def forward_pass(self, program):
        """[the parameter after each step] of the package's optimiser."""
        made, params, path = program.instance(self.optimiser), {"w": self.start.copy()}, []
        for g in self.grads:
            made.step(params, {"w": g.copy()})
            path.append(params["w"].copy())
        return path

    def backward_pass(self, program, result):
        """[the parameter after each step] of the learner's function."""
        return self.learner.path(program[self.function], self.start, self.grads, self.first)

    def names_for(self, name):
        """The usual names of a value in the package's program; () for one that is not compared."""
        return self.usual.get(name, ())

    def namer(self, truth):
        """A `Namer` of the mistakes of the method, from what the package's steps computed."""
        return Namer(self.family, update_environment(self.optimiser, truth, 1))


def multiples(function, problem, usual):
    """{name: ours times what} of values that have the rate in them."""
    with np.errstate(all="ignore"):
        try:
            _, theirs = record(problem.program(), lambda p: problem.backward(p, None))
        except Exception:
            return {}
    _, ours = record(problem.program(), problem.forward)
    found = {}
    for name, own in usual.items():
        got, wanted = last_values(theirs, function.__qualname__, name), last_values(ours, None, own[-1])
        if len(got) == len(wanted) == K and got[0].shape == wanted[0].shape:
            factor = constant_factor(np.stack(got), np.stack(wanted))
            if factor is not None and np.isclose(abs(factor), LR):
                found[name] = factor
    return found


def last_values(events, scope, name):
    """The value of a name at the end of each call."""
    calls = {}
    for event in events:
        site = event.site
        here = site.scope == scope if scope else site.scope.endswith(".update")
        if here and site.name == name and site.kind not in ("argument", "return") and event.value is not None:
            calls[event.call] = event.value
    return list(calls.values())


class Learner:
    """How to call a learner's function. settings: name -> value, of which it has to take all it needs."""

    def __init__(self, function, settings):
        self.function, self.settings = function, settings
        self.parameters = inspect.signature(function).parameters
        self.keys = {
            n.value for n in ast.walk(read(function)) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        }
        self.roles = {name: self.role(name) for name in self.parameters}
        for wanted, examples in (("p", "w, p or param"), ("g", "dw, g or grad")):
            if wanted not in self.roles.values():
                what = {"p": "the parameter", "g": "its gradient"}[wanted]
                raise ValueError(f"cannot tell which argument of {function.__name__} is {what}: call it {examples}")
        unknown = [n for n, p in self.parameters.items() if self.roles[n] is None and p.default is p.empty]
        if unknown:
            raise ValueError(f"cannot tell what {function.__name__} wants as {', '.join(unknown)}")
        taken = {*self.roles.values(), *(self.setting(key) for key in self.keys)}
        missing = [n for n in settings if n not in taken and settings[n]]  # at 0, momentum and weight decay do nothing
        if missing:
            raise ValueError(f"{function.__name__} takes no {', '.join(missing)}: make that an argument")

    def role(self, name):
        """Our name for an argument; "config" for a dict of settings and state."""
        if name in self.settings or name in ("p", "g", "m", "v", "t"):
            return name
        is_dict = name in SETTINGS and self.is_indexed(name)
        return "config" if is_dict else self.setting(name) or self.state(name)

    def is_indexed(self, name):
        """Whether entries of a variable go by names: config["m"], config.get("m")."""
        inner = [n.value for n in ast.walk(read(self.function)) if isinstance(n, ast.Subscript | ast.Attribute)]
        return bool(self.keys) and any(isinstance(n, ast.Name) and n.id == name for n in inner)

    def setting(self, name):
        """The setting that an argument or key stands for (`learning_rate`: lr), or None."""
        return next((own for own in self.settings if name == own or name in IN_A_STEP[own].split()), None)

    @staticmethod
    def state(name):
        """Which of "p", "g", "m", "v", "t" an argument or key stands for, or None."""
        return next((own for own in ("p", "g", "m", "v", "t") if name in IN_A_STEP[own].split()), None)

    def path(self, step, start, grads, first):
        """The parameter after each step."""
        p, path = start.copy(), []
        state = {"m": np.zeros_like(start), "v": np.zeros_like(start), "config": self.config(start)}
        for k, g in enumerate(grads):
            given = {"p": p, "g": g.copy(), "t": first + k} | state | self.settings
            returned = step(**{name: given[role] for name, role in self.roles.items() if role in given})
            p = self.take(returned, p, state)
            path.append(fresh(p))
        return path

    def config(self, start):
        """A dict with the settings under the function's own names, and the state that it does not make itself."""
        made = {key: self.settings[self.setting(key)] for key in self.keys if self.setting(key)}
        source = ast.unparse(read(self.function))
        for key in self.keys - set(made):
            own = any(f"{make}({key!r}" in source for make in ("setdefault", "get")) or f"{key!r} not in" in source
            if self.state(key) in ("m", "v", "t") and not own:
                made[key] = 0 if self.state(key) == "t" else np.zeros_like(start)
        return made

    def take(self, returned, p, state):
        """The new parameter; what else is returned goes into `state`."""
        if returned is None:
            return p
        parts = list(returned) if isinstance(returned, tuple | list) else [returned]
        names = self.returned_names(len(parts))
        found = None
        for name, value in zip(names, parts, strict=True):
            if isinstance(value, dict):
                state["config"] = value
            elif self.state(name) in ("m", "v"):
                state[self.state(name)] = value
            elif found is None and getattr(value, "shape", None) is not None:
                found = value
        return p if found is None else found

    def returned_names(self, count):
        """The source texts of what a `return` of that many elements returns; "" each without one."""
        for node in ast.walk(read(self.function)):
            if isinstance(node, ast.Return) and node.value is not None:
                elements = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
                if len(elements) == count:
                    return [ast.unparse(e) for e in elements]
        return [""] * count

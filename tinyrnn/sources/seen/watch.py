"""Watches a running program for the calls of a forward pass, and of the backward pass that follows it."""

import inspect
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tinyrnn.core.files import as_typed
from tinyrnn.sources.copying import deep_copy
from tinyrnn.sources.reading import undecorated
from tinyrnn.sources.seen.origins import Origins, arguments_in
from tinyrnn.sources.user_file import is_library
from tinyrnn.sources.vocabulary import BACKWARD, DERIVATIVE, LOSS, words_of


class Enough(BaseException):
    """All that is watched for was seen: the program need not go on. No `Exception`, which it might catch."""


class Wanted(NamedTuple):
    """A pair to be watched for. cls: the class of which an object makes the calls, or None. losses: functions, one of
    which may say what is differentiated."""

    forward: Any
    backward: Any
    cls: type | None = None
    losses: tuple = ()

    @property
    def owner_matters(self) -> bool:
        """Whether the two are methods."""
        return self.cls is not None


def wanted_of(target: Any) -> Wanted:
    """What is watched for of a `Target`."""
    cls, function = target.cls, undecorated(target.forward)
    own = [f for f in function.__globals__.values() if inspect.isfunction(f)]
    own += [] if cls is None else [f for _, f in inspect.getmembers(cls, inspect.isfunction)]
    losses = [f for f in own if LOSS.search(f.__name__.lower()) and not words_of(f) & (BACKWARD | DERIVATIVE)]
    losses = [f for f in losses if f.__name__ not in (target.forward.__name__, target.backward.__name__)]
    losses = [f for f in losses if not is_library(f.__code__.co_filename) and not f.__name__.startswith("__")]
    return Wanted(target.forward, target.backward, cls, () if target.is_one else tuple(dict.fromkeys(losses)))


@dataclass
class SeenCall:
    """A forward call as it was made, and what is known of the backward call after it.

    inputs, owner: copies made at its entry. file, line: where it stands. returned: a copy of what came. arguments:
    {argument of backward: origin}, None if no such call followed; see `origins`. loss: (function, {argument: origin})
    of a number that was worked out of this call, or None. kept: what the object held after it.
    """

    inputs: dict
    owner: Any
    file: str
    line: int
    returned: Any = None
    arguments: dict | None = None
    loss: tuple | None = None
    live: list = field(default_factory=list)  # what is looked for by identity

    @property
    def place(self) -> str:
        """Where the call stands, for messages."""
        return f"line {self.line} of {as_typed(self.file)}"

    @property
    def what(self) -> str:
        """The arguments and the object of the call, for messages."""
        return f"what it is called with in {self.place}"


class CallWatch:
    """A profile function that notes the first calls of each pair, and ends the program by `Enough` when it has all."""

    def __init__(self, wanted: Iterable[Wanted]):
        self.wanted = list(wanted)
        self.last: list[dict] = [{} for _ in self.wanted]  # id of an object -> its last forward call
        self.seen: dict[int, SeenCall] = {}
        self.done: set[int] = set()
        self.running: dict[Any, tuple] = {}  # frame -> (what it is of which pair, …)
        self.roles: dict[Any, list] = {}
        for k, pair in enumerate(self.wanted):
            roles = (("forward", pair.forward), ("backward", pair.backward))
            for role, function in (*roles, *(("loss", loss) for loss in pair.losses)):
                if role == "backward" and pair.forward is pair.backward:
                    continue
                self.roles.setdefault(undecorated(function).__code__, []).append((k, role, function))

    def run(self, run: Callable[[], Any]) -> None:
        """run(), watched, until there is enough."""
        before = sys.getprofile()
        sys.setprofile(self)
        try:
            run()
        except Enough:
            pass
        finally:
            sys.setprofile(before)

    def __call__(self, frame: Any, event: str, value: Any) -> None:
        is_left = event == "return" and frame in self.running
        if not is_left and not (event == "call" and frame.f_code in self.roles):
            return
        with suppress(Exception):  # what cannot be copied, or compared, cannot be judged
            if is_left:
                self.left(frame, value)
            else:
                for k, role, function in self.roles[frame.f_code]:
                    self.entered(k, role, function, frame)
        if len(self.done) == len(self.wanted):
            raise Enough

    def entered(self, k: int, role: str, function: Any, frame: Any) -> None:
        """A call begins."""
        pair, owner, given = self.wanted[k], frame.f_locals.get("self"), arguments_in(frame)
        of_class = pair.cls is None or isinstance(owner, pair.cls)
        if k in self.done or given is None or not (of_class or role == "loss"):
            return
        owner = owner if pair.owner_matters else None
        if role == "forward":
            self.forward_entered(k, owner, given, frame)
        elif role == "backward" and k not in self.seen and id(owner) in self.last[k]:
            call = self.last[k][id(owner)]
            call.arguments = {name: self.origins(call).of(value) for name, value in given.items()}
            self.seen[k] = call
            if call.loss or not pair.losses:
                self.done.add(k)
        elif role == "loss" and not any(kind == "loss" for kind, *_ in self.running.values()):
            call = self.seen.get(k) or next(reversed(self.last[k].values()), None)
            if call is not None and call.live:
                made = {name: self.origins(call).of(value) for name, value in given.items()}
                self.running[frame] = "loss", k, call, (function, made)

    def forward_entered(self, k: int, owner: Any, given: dict, frame: Any) -> None:
        """A forward call begins: it is copied, in place of one before that no backward call followed."""
        if k in self.seen:
            self.done.add(k)  # no loss was worked out of the call that was seen
            return
        if any(kind == "forward" and number == k for kind, number, *_ in self.running.values()):
            return  # one within another
        inputs, made = deep_copy([given, owner])
        caller = frame.f_back
        while caller is not None and is_library(caller.f_code.co_filename):
            caller = caller.f_back
        place = ("", 0) if caller is None else (caller.f_code.co_filename, caller.f_lineno)
        call = SeenCall(inputs, made, *place)
        self.last[k].pop(id(owner), None)
        self.last[k][id(owner)] = call
        self.running[frame] = "forward", k, call, (given, owner)
        if self.wanted[k].forward is self.wanted[k].backward:
            self.seen[k] = call
            self.done.add(k)

    def left(self, frame: Any, value: Any) -> None:
        """A call ends; value: what it returns, None if it ends in an error."""
        role, k, call, told = self.running.pop(frame)
        if role == "forward":
            parts = value if isinstance(value, tuple) else (value,)
            call.returned = deep_copy(value)
            call.live = [*told, parts]
        elif is_number(value) and call.loss is None:
            call.loss = told
            if k in self.seen:
                self.done.add(k)

    def origins(self, call: SeenCall) -> Origins:
        """Where things may have come from that are used after a forward call."""
        given, owner, parts = call.live or ({}, None, ())
        then = call.returned if isinstance(call.returned, tuple) else (call.returned,)
        return Origins(given, parts, then, owner)


def is_number(value: Any) -> bool:
    """Whether it is one float, or an array of one."""
    return isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.size == 1)

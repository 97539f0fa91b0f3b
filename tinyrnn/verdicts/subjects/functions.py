"""The problem of a forward and a backward function, whoever wrote them.

Nothing is declared: arguments are recognised by their names. The backward function is given a random gradient from
above for each argument called `dfoo` (in the order of the forward function's outputs, or by their names), what the
forward function returned besides its outputs (the cache), its inputs under their own names, and intermediates under
theirs.
"""

import ast
import inspect
from typing import NamedTuple

import numpy as np

from tinyrnn.core.backend import as_rng
from tinyrnn.sources import Program, reachable
from tinyrnn.sources.calling import bind, call, names_within, passes_of
from tinyrnn.sources.deadline import one_run
from tinyrnn.sources.inputs.arguments import inside
from tinyrnn.sources.reading import are_neighbours, is_lambda, read
from tinyrnn.sources.vocabulary import also_called, partners, stems
from tinyrnn.verdicts.name.recognise import recognise
from tinyrnn.verdicts.record.came import arrays_at, returned_arrays, stored_arrays
from tinyrnn.verdicts.record.leaves import Leaves, in_complex
from tinyrnn.verdicts.record.problem import Problem
from tinyrnn.verdicts.record.run import arrays_of, at_path, floats, fresh, record
from tinyrnn.verdicts.subjects.own_updates import STEP, OwnUpdates, own_updates
from tinyrnn.verdicts.subjects.upstream import as_wanted, dot, from_above, unclipped


class Ran(NamedTuple):
    """What came of a forward pass: what it returned, the object it ran on, and the arguments it was given."""

    returned: object
    owner: object
    given: dict


class FunctionPair(Problem):
    """Judges `backward`, the gradient of `forward`.

    forward, backward: plain functions, or methods of one object; the same function twice if it computes loss and
    gradient in one go. inputs: the forward function's arguments, a dict by name or a sequence; arrays, or dicts, lists
    and tuples of them; what holds no floats is passed on as it is. upstream: gradients from above, {argument of
    backward: like the output}, random if not given. leave: names of functions in the same module not to look into.

    Raises TypeError for what has no source, ValueError where an argument cannot be told.
    """

    names = None  # {backward function: its source with names for what is returned without one}; see `named`
    above: tuple | list = ()  # the gradients from above
    losses: tuple = ()  # functions, besides the forward one, of what is differentiated

    def __init__(self, forward, backward, inputs, *, upstream=None, rng=0, leave=(), title=None, gates=(), sizes=()):
        owner = getattr(forward, "__self__", None)
        if getattr(backward, "__self__", None) is not owner:
            raise ValueError("forward and backward must be methods of the same object, or both plain functions")
        f, b = self.functions_judged = [getattr(g, "__func__", g) for g in (forward, backward)]
        self.owner, self.arguments = owner, bind(forward, inputs)
        held = [] if owner is None else held_in(owner)
        functions_held = [one for one in held if inspect.isfunction(one) and not is_lambda(one)]
        kinds = dict.fromkeys([type(owner), *(type(one) for one in held if not inspect.isfunction(one))])
        plain = [f, b] if owner is None else functions_held
        plain = dict.fromkeys([*plain, *(loss for loss in self.losses if not is_method_of(owner, loss))])
        first = plain, [] if owner is None else list(kinds)
        functions, classes = reachable(*first, leave, are_neighbours)
        program = Program(functions, classes)
        self.leaves = Leaves(self.arguments, owner, program.originals())
        scopes = partners(program.sites) | {b.__qualname__: [g.__qualname__ for g in (f, *self.losses)]}
        super().__init__(
            title or (f"{f.__qualname__} and {b.__qualname__}" if f is not b else f.__qualname__),
            self.leaves.arrays,
            functions=functions,
            classes=classes,
            scopes=scopes,
            top=(f.__qualname__, b.__qualname__),
            shown=[g for g in program.originals() if g.__qualname__ in scopes],
            gates=gates,
            sizes=sizes,
        )
        self.shared, self.boxes = self.leaves.shared, self.leaves.boxes()
        self.order = tuple(name for name in self.arguments if name in self.inputs)
        self.sites = self.own_sites = program.sites[b.__qualname__]
        self.parts = parts_of(inside(forward), self.inputs)
        self.aliases = {leaf: part for part, leaf in self.parts.items()}
        self.returns_more = f is b
        self.own_weights = tuple(n for n, places in self.leaves.places.items() if places[0][0] == "own")
        ran, events = record(program, self.forward)
        self.local = named_values(events)
        self.passes = self.passes_told(program, ran)
        if self.passes.measure:
            ran, _ = record(program, self.forward)
        self.above = from_above(self.passes, ran.returned, upstream or {}, as_rng(rng))
        self.above = as_wanted(self.above, lambda above: self.ran_back(program, ran, above) is not None)
        stored = [] if owner is None else stored_arrays(ran.owner)
        self.forward_values = {one.place: one.array for one in stored if one.name and one.array.any()}
        self.grads_of_owner, self.gradient_names = None, {}
        if hasattr(owner, "params") and hasattr(owner, "grads"):
            self.grads_of_owner = self.leaves.grads_of(owner)
            self.gradient_names = self.leaves.gradient_names(owner)
        self.updates = OwnUpdates({})
        if self.passes.above and not upstream:
            self.above = unclipped(self.above, lambda above: self.arrays_back(program, ran, above))
        if owner is not None:
            self.updates = self.updates_in(program, ran)
            self.unlike = self.updates.unlike

    def passes_told(self, program, ran):
        """How the two belong together, the forward one having been run: told from names, shapes and by trying."""
        return passes_of(*self.functions_judged, self.arguments, ran.returned, self.local)

    def named(self, tree):
        """The same problem with a syntax tree for the backward function that names what it returns."""
        b = self.functions_judged[1]
        made = self.but(names={b: tree})
        return made.but(sites=made.program().sites[b.__qualname__])

    def program(self, trees=None, uses=False):
        """The rewritten program; `trees` take precedence over those that name what is returned without a name."""
        return super().program((self.names or {}) | (trees or {}), uses)

    def forward_pass(self, program, **changed):
        """A `Ran`: what forward returned, the object it was called on or None, and the arguments it was given."""
        own, given, f = program.copy_of(self.owner), program.copy_of(self.arguments, False), self.functions_judged[0]
        if self.returns_more and any(map(np.iscomplexobj, changed.values())):
            in_complex(own)  # the gradients that it keeps are added to
        self.leaves.put(program, given, own, {name: self.moved(name, value) for name, value in changed.items()})
        with np.errstate(all="ignore"):
            returned = call(program[f] if own is None else getattr(own, f.__name__), given)
        if returned is None and own is not None:
            returned = vars(own).get(last_kept(f))
        if self.passes is not None and self.passes.measure:
            with np.errstate(all="ignore"):
                returned = self.passes.measured(self.form_of(program, self.losses[0], own), returned, given, own)
        return Ran(returned, own, given)

    @staticmethod
    def form_of(program, function, own):
        """A function as a program has it, or as a method of the object."""
        return getattr(own, function.__name__) if is_method_of(own, function) else program[function]

    def moved(self, name, value):
        """A value of an input, nearer to what it was where its gradient is divided by something."""
        by, was = self.divided.get(name), self.inputs[name]
        return value if by is None else was + (value - was) / by

    def loss(self, result):
        """The outputs times what comes from above, summed."""
        outputs, _ = self.passes.split(result.returned)
        return sum(dot(up, out) for up, out in zip(self.above, outputs, strict=True))

    def backward_pass(self, program, result):
        """(what backward returned, the object it was called on or None)."""
        b, own, given = self.functions_judged[1], result.owner, result.given
        if self.returns_more:  # it runs forwards once more, from where it began: the object may keep its last state
            own, given = program.copy_of(self.owner), program.copy_of(self.arguments, False)
            self.leaves.put(program, given, own, {})
        function = program[b] if own is None else getattr(own, b.__name__)
        local = {what: self.local[what] for kind, what in self.passes.call.values() if kind == "local"}
        above, local = fresh(self.above), fresh(local)
        return self.passes.run_backward(function, above, result.returned, given, local), own

    def updates_in(self, program, ran):
        """The `OwnUpdates` of the backward pass."""
        back = self.ran_back(program, ran, self.above)
        if back is None:
            return OwnUpdates({})

        def slope(steps):
            try:
                ends = [{name: self.inputs[name] + sign * STEP * d for name, d in steps.items()} for sign in (1, -1)]
                up, down = (self.loss(program.run(None, lambda p, c=c: self.forward(p, **c))) for c in ends)
                return float(np.real(up - down)) / (2 * STEP)
            except Exception:
                return np.nan

        return own_updates(self.leaves, ran.owner, back[1], self.functions_judged[1], slope)

    def ran_back(self, program, ran, above):
        """What the backward pass returns with other gradients from above; None if it breaks off. Raises `TooLong`."""
        made = self.but(above=above)
        with np.errstate(all="ignore"), one_run():
            try:
                return program.run(None, made.backward_call(ran))
            except Exception:
                return None

    def arrays_back(self, program, ran, above):
        """The arrays that come out then; None if it breaks off."""
        returned = self.ran_back(program, ran, above)
        return None if returned is None else [one.array for one in self.came(returned) if not one.is_stub]

    def results(self, returned):
        """{input: gradient} from the object, from dicts by key, and from what is returned by name."""
        found = self.grads_of_owner(returned) if self.grads_of_owner else {}
        leaves = self.inputs | self.parts
        named = results_in_dicts(returned[0], leaves) | results_by_name(returned[0], self.sites, leaves)
        return found | {self.parts.get(name, name): gradient for name, gradient in named.items()}

    def came(self, returned, places=None):
        """All arrays that are returned, but for the loss, or that the object holds afterwards."""
        value, own = returned
        returns = [site for site in self.own_sites if site.kind == "return"]
        names = [names_within(self.passes.backward, dict(site.uses)) for site in returns]
        shapes = {array.shape for array in self.inputs.values()}
        updated = list(self.updates.came(own)) if self.updates.weights else []
        stepped = {one.place for one in updated}
        if places is not None:
            rest = [place for place in places if place not in stepped]
            asked = [one for one in updated if one.place in places]
            return [*arrays_at(rest, value, own, shapes), *asked]
        found = list(returned_arrays(value, names[-1] if names else {}, shapes))
        if self.returns_more:
            found = [one for one in found if one.place[:1] != (self.passes.loss,)]
            others = [one for one in found if not self.is_next_state(one)]
            are_all = own is None and len(found) > 1  # gradients, under the names that the weights have in an object
            found = others or [one._replace(name=None) for one in found if are_all]
        stored = [] if own is None else [one for one in stored_arrays(own) if one.place not in stepped]
        return found + updated + [one._replace(name=self.name_of_stored(one)) for one in stored]

    def name_of_stored(self, one):
        """What an array goes by that the object holds; no gradient's name if the forward pass has left it: `h_bar`."""
        if np.array_equal(self.forward_values.get(one.place), one.array):
            return None
        return self.gradient_names.get(one.place) or self.leaves.name_of_gradient(one.place) or one.name

    def is_next_state(self, one):
        """Whether what a loss and its gradients are returned with is the new state, under the name of the old one."""
        return one.name in self.inputs | self.parts and not any(isinstance(key, str) for key in one.place)

    def also_known(self, gradients):
        """What the weights come to that the pass steps by itself."""
        return list(self.updates.steps(gradients))

    def above_all(self):
        """The gradients from above."""
        return list(arrays_of(self.above))

    def wrong_results(self, returned, judge):
        """The name from `out_of_order`, if there is one, then those with wrong numbers; each once."""
        out_of_order = self.out_of_order(returned, judge)
        return list(dict.fromkeys([*out_of_order, *super().wrong_results(returned, judge)]))

    def out_of_order(self, returned, judge):
        """The input whose gradient should stand where another value is returned, if those of all others stand right."""
        gradients = returned[0] if self.order else ()
        if not isinstance(gradients, tuple) or not 1 < len(gradients) == len(self.order):
            return []
        values = [floats(value) for value in gradients]
        if any(value is None for value in values):
            return []
        wrong = [name for name, value in zip(self.order, values, strict=True) if not judge.is_right(value, name)]
        return wrong if len(wrong) == 1 else []

    def maker(self, name):
        """The backward function's qualified name; of a method only for inputs in `order`, else None."""
        return self.functions_judged[1].__qualname__ if self.owner is None or name in self.order else None

    def inner(self, forward, backward, inputs):
        """The `FunctionPair` of two passes within. inputs: arguments by name."""
        return FunctionPair(forward, backward, inputs)

    def recognise(self, truth):
        """What `recognise` makes of the inputs and the truth."""
        return recognise(self.inputs, truth)


def is_method_of(owner, function):
    """Whether a function is a method of an object, be it of a rewritten class."""
    return getattr(getattr(type(owner), "original", type(owner)), function.__name__, None) is function


def held_in(owner):
    """The functions, and the objects, of the same hand that an object holds, directly or in objects that it holds."""
    found, seen, queue = [], set(), [owner]
    while queue:
        one = queue.pop()
        if isinstance(one, dict | list | tuple):
            queue += one.values() if isinstance(one, dict) else one
        kind = one if inspect.isfunction(one) else type(one)
        is_own = are_neighbours(type(owner).__module__, getattr(kind, "__module__", None))
        if is_own and id(one) not in seen and not inspect.isclass(one):
            seen.add(id(one))
            found += [] if one is owner else [one]
            queue += getattr(one, "__dict__", {}).values()
    return found


def last_kept(method):
    """The attribute that a method works out last: the result of one that returns nothing, for the next layer to fetch;
    not one in which it only keeps what it is given."""
    tree, found = read(method), []
    given = {argument.arg for argument in tree.args.args}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and not (isinstance(node.value, ast.Name) and node.value.id in given):
            targets = [t for t in node.targets if isinstance(t, ast.Attribute) and ast.unparse(t.value) == "self"]
            found += [(target.lineno, target.attr) for target in targets]
    return max(found)[1] if found else None


def named_values(events):
    """{name: value} of what got a name in a recorded pass: of several values the last."""
    kinds = ("assign", "augment", "argument")
    return {e.site.name: e.value for e in events if e.value is not None and e.site.kind in kinds}


def parts_of(taken_apart, leaves):
    """{name: leaf} of the names that the forward function gives to the parts of a tuple: `h` for `state[0]`."""
    parts = {
        part: f"{name}[{k}]"
        for name, (kind, parts) in taken_apart.items()
        if kind is tuple
        for k, part in enumerate(parts)
    }
    return {part: leaf for part, leaf in parts.items() if leaf in leaves and part not in leaves}


def results_by_name(returned, sites, leaves):
    """Of gradients returned under their names: {input: gradient}.

    If one is returned twice, those that are worked out but not returned are NaN: one of them should stand there.
    """
    made = {stem for site in sites for stem, handed_on in stems(site.name) if not handed_on and stem in leaves}
    for site in [site for site in sites if site.kind == "return"]:
        try:
            named = {name: floats(at_path(returned, path)) for path, name in site.uses}
        except (TypeError, LookupError):
            continue
        results = {
            stem: np.array(np.nan) if value is None else value
            for name, value in named.items()
            for stem, handed_on in stems(name)
            if not handed_on and stem in leaves
        }
        twice = len(named) < len(site.uses)
        return results | ({stem: np.array(np.nan) for stem in made - results.keys()} if twice else {})
    return {}


def results_in_dicts(returned, leaves):
    """{input: gradient} of the entries of dicts that are returned, be their keys `dfoo` or, in all of them, `foo`."""
    found = {}
    for entries in returned if isinstance(returned, tuple) else (returned,):
        if isinstance(entries, dict):
            values = {key: floats(value) for key, value in entries.items() if isinstance(key, str)}
            values = {key: value for key, value in values.items() if value is not None}
            gradients = {one: value for key, value in values.items() if (one := leaf_of(key, leaves)) is not None}
            found |= gradients or {key: value for key, value in values.items() if key in leaves}
    return found


def leaf_of(name, leaves):
    """The input that a name is the gradient of, or None."""
    names = [also for stem, handed_on in stems(name) if not handed_on for also in also_called(stem)]
    return next((one for one in names if one in leaves), None)

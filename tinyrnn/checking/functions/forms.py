"""Makes a `Subject` of what is given: f and its gradient, two passes with a cache, an object, value and gradient."""

import copy

import numpy as np

from tinyrnn.checking.functions.adapters import numpy_call
from tinyrnn.checking.functions.aligning import align, has_floats, in_object
from tinyrnn.checking.functions.leaves import leaves_of
from tinyrnn.checking.functions.shaping import as_array
from tinyrnn.checking.functions.subject import OWNER, Subject, flat
from tinyrnn.sources.calling import Unclear, bind, call, is_upstream, locals_of_call, parameters_of, passes_of
from tinyrnn.sources.inputs.made_up import filled
from tinyrnn.sources.reading import name_of
from tinyrnn.sources.target import Target

CRASHED = 100  # worse than any number of gradients whose shape does not fit


def subject_of(target, rng, T, B, upstream=None):
    """The `Subject` of a `Target`; inputs that it lacks are made up, with T time steps and B sequences."""
    if target.cls is not None or target.inputs is None:
        return without_inputs(target, rng, T, B, upstream)
    if target.is_one:
        return of_value_and_gradient(target.forward, target.inputs, rng)
    if target.takes_point:
        return of_gradient(target.forward, target.backward, target.inputs, rng)
    return of_pair(target.forward, target.backward, target.inputs, rng, upstream)


def of_gradient(f, grad, x, rng):
    """f(x) and grad(x), a nest like x; of an f with several outputs, grad is a Jacobian, or elementwise."""
    call, arguments = numpy_call(bind(f, x))

    def run(root):
        return value_of(call(f, root)), None

    def claim(root, upstream):
        names = parameters_of(grad)
        given = root if not names or set(root) <= set(names) else dict(zip(names, root.values(), strict=False))
        return align(call(grad, given), root, subject.paths, grad)

    subject = Subject(title_of(f, grad), arguments, run, claim, (f, grad))
    settle_outputs(subject, rng)
    return subject


def of_value_and_gradient(f, x, rng):
    """A function that returns its value and then its gradients, as SciPy's `jac=True` has it."""
    call, arguments = numpy_call(bind(f, x))

    def run(root):
        return value_of(call(f, root)), None

    def claim(root, upstream):
        return align(call(f, root), root, subject.paths, f, first=1)

    subject = Subject(title_of(f), arguments, run, claim, (f,))
    subject.upstream = [np.ones(np.shape(part)) for part in subject.outputs()]
    keep_judged(subject)
    return subject


def value_of(returned):
    """The value of a function that may return something more behind it: a loss, and a cache or gradients."""
    if isinstance(returned, tuple | list) and returned and is_scalar(returned[0]):
        return returned[0]
    return returned


def settle_outputs(subject, rng):
    """Is the gradient one of a number, an elementwise derivative, or a Jacobian? The shapes say."""
    outputs = subject.outputs()
    claims = subject.claims(upstream=[np.ones(o.shape) for o in outputs])
    subject.upstream = [np.ones(o.shape) for o in outputs]
    keep_judged(subject, claims)
    size = sum(o.size for o in outputs)
    if size == 1 or not claims:
        return
    shape = np.shape(outputs[0]) if len(outputs) == 1 else (size,)
    for name, claimed in claims.items():
        own, got = subject.leaves[name].shape, np.shape(claimed)
        count = subject.leaves[name].size
        if got != own and np.size(claimed) == size * count:
            subject.jacobian = True
            return
        if got == own and size == count == int(np.prod(shape)) and own != shape and own:
            return
    if subject.jacobian is False:
        subject.notices.append(f"{size} outputs: the gradient is taken for that of their sum")


def of_pair(forward, backward, inputs, rng, upstream=None):
    """A forward function, which may return a cache, and its backward function; two methods of one object as well."""
    owner = getattr(forward, "__self__", None)
    if owner is not None and not isinstance(owner, type) and getattr(backward, "__self__", None) is owner:
        return of_methods(owner, forward.__name__, backward.__name__, inputs, rng, upstream)
    arguments = bind(forward, inputs)
    root = {name: copy.deepcopy(value) for name, value in arguments.items()}
    returned, local = locals_of_call(forward, lambda: call(forward, root))
    passes = passes_of(forward, backward, arguments, returned, local)
    wants_local = any(kind == "local" for kind, _ in passes.call.values())

    def run(root):
        returned = call(forward, root)
        return passes.split(returned)[0], returned

    def claim(root, upstream):
        given = {name: copy.deepcopy(value) for name, value in root.items()}
        if wants_local:
            returned, local = locals_of_call(forward, lambda: call(forward, root))
        else:
            returned, local = call(forward, root), {}
        nest = like_outputs(passes.split(returned)[0], upstream)
        result = passes.run_backward(backward, nest, returned, given, local)
        return align(result, given, subject.paths, backward)

    def claim_between(root, other, upstream):
        """The gradients at `root`, with a forward pass at `other` before the backward pass."""
        given = {name: copy.deepcopy(value) for name, value in root.items()}
        returned = call(forward, root)
        call(forward, other)
        nest = like_outputs(passes.split(returned)[0], upstream)
        return align(passes.run_backward(backward, nest, returned, given, {}), given, subject.paths, backward)

    subject = Subject(title_of(forward, backward), arguments, run, claim, (forward, backward))
    subject.passes, subject.claim_between = passes, claim_between
    settle_upstream(subject, passes, rng, upstream)
    keep_judged(subject)
    return subject


def of_methods(owner, forward_name, backward_name, inputs, rng, upstream=None):
    """An object with a forward and a backward method, whose weights are checked too where it keeps their gradients."""
    try:
        copy.deepcopy(owner)
    except Exception as error:
        raise TypeError(f"gradcheck works on copies, but {type(owner).__name__} cannot be copied: {error}") from error
    forward, backward = getattr(owner, forward_name), getattr(owner, backward_name)
    arguments = bind(forward, inputs)
    made = copy.deepcopy(owner)
    returned, local = locals_of_call(forward, lambda: call(getattr(made, forward_name), copy.deepcopy(arguments)))
    passes = passes_of(forward, backward, arguments, returned, local)

    def run(root):
        given = {name: value for name, value in root.items() if name != OWNER}
        returned = call(getattr(root[OWNER], forward_name), given)
        return passes.split(returned)[0], returned

    def claim(root, upstream):
        given = {name: value for name, value in root.items() if name != OWNER}
        kept = copy.deepcopy(given)
        made = root[OWNER]
        returned, local = locals_of_call(forward, lambda: call(getattr(made, forward_name), given))
        nest = like_outputs(passes.split(returned)[0], upstream)
        result = passes.run_backward(getattr(made, backward_name), nest, returned, kept, local)
        found = align(result, kept, subject.paths, backward)
        for name, paths in subject.paths.items():
            if paths[0][0] == OWNER and name not in found:
                gradient = next((g for p in paths if (g := in_object(made, p[1:])) is not None), None)
                if gradient is not None:
                    found[name] = gradient
        return found

    title = f"{type(owner).__name__}.{forward_name} and {type(owner).__name__}.{backward_name}"
    skip = gradient_paths(made)
    subject = Subject(title, {**arguments, OWNER: owner}, run, claim, (forward, backward), skip)
    subject.passes = passes
    settle_upstream(subject, passes, rng, upstream)
    keep_judged(subject)
    return subject


def gradient_paths(owner):
    """Paths of what an object keeps as gradients of others: no parameters themselves."""
    found = set()
    for path, _ in leaves_of(owner):
        names = [str(key).removeprefix(".") for key in path if isinstance(key, str)]
        if any(name in ("grads", "grad", "gradients", "dparams") or is_upstream(name) for name in names):
            found.add((OWNER, *path))
    return found


def settle_upstream(subject, passes, rng, upstream):
    """Random gradients from above for each output; those given; the default of `backward(self, dout=1)`."""
    outputs = subject.outputs()
    if upstream is not None:
        given = list(upstream.values()) if isinstance(upstream, dict) else [upstream]
        subject.upstream = [np.asarray(value) for value in flat(given)]
    elif not passes.above:
        subject.upstream = [np.ones(o.shape) for o in outputs]
    else:
        fixed = list(passes.fixed.values())
        subject.upstream = [
            np.full(o.shape, float(fixed[0])) if fixed and o.ndim == 0 else random_like(o, rng) for o in outputs
        ]


def random_like(output, rng):
    """Random numbers none of which is small, so that no term hides behind one."""

    def draw():
        return (0.3 + abs(rng.normal(size=output.shape))) * rng.choice([-1.0, 1.0], size=output.shape)

    values = draw() + 1j * draw() if np.iscomplexobj(output) else draw()
    return np.asarray(values).astype(output.dtype)


def like_outputs(outputs, upstream):
    """The flat list of upstream arrays in the nests that the outputs are in; copies."""
    rest = iter(upstream)

    def fill(output):
        if isinstance(output, dict):
            return {key: fill(value) for key, value in output.items()}
        if isinstance(output, tuple | list):
            return type(output)([fill(value) for value in output])
        if not has_floats(output) and not isinstance(output, np.ndarray | np.integer | int):
            return None
        value = np.array(next(rest))
        return value if isinstance(output, np.ndarray) and output.ndim else value[()]

    return [fill(output) for output in outputs]


def keep_judged(subject, claims=None):
    """Only arrays for which there is a gradient are judged; what has none is noted."""
    claims = subject.claims() if claims is None else claims
    subject.judged = [name for name in subject.leaves if claims.get(name) is not None]
    subject.unclaimed = [name for name in subject.leaves if name not in subject.judged]
    if not subject.judged:
        raise Unclear("no gradient was returned that could be told to belong to any of " + ", ".join(subject.leaves))


def title_of(*functions):
    """The qualified names of functions, or the class names of other callables, each once, joined by `and`."""
    return " and ".join(dict.fromkeys(name_of(f) for f in functions))


def is_scalar(value):
    """Whether it is a number or an array without axes, and no dict, tuple or list."""
    return not isinstance(value, dict | tuple | list) and np.ndim(value) == 0


# what comes without inputs --------------------------------------------------------------------------------------------


def without_inputs(target, rng, T, B, upstream):
    """The `Subject` of a target without inputs, or of a class; made up anew, a few times, if its gradients are zero."""

    def made(target):
        return subject_of(target, np.random.default_rng(0), T, B, upstream)

    for _ in range(4):
        found = filled(target, lambda *parts: misfit(lambda: made(Target(*parts))), rng=rng, T=T, B=B)
        subject = made(found.target)
        if not found.note or any(np.any(as_array(gradient)) for gradient in subject.claims().values()):
            break
    subject.notices += [found.note] if found.note else []
    return subject


def misfit(make):
    """How many gradients of the `Subject` that make() returns do not have the shape that they should have."""
    with np.errstate(all="ignore"):
        try:
            subject = make()
            claims = subject.claims()
            if not np.isfinite(subject.losses()).all():
                return CRASHED + 1
        except Exception:
            return CRASHED
    wrong = sum(as_array(claims[name]).shape != subject.leaves[name].shape for name in subject.judged)
    return wrong + sum(name not in subject.judged for name in subject.leaves if np.ndim(subject.leaves[name])) / 10

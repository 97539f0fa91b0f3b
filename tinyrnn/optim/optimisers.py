"""How a gradient changes the parameters: SGD with momentum, RMSProp in three variants, and Adam.

    opt = Adam(lr=1e-3)
    opt.step(params, grads)               # dicts, name -> array; params are changed in place, grads are not
    opt.step(params, grads, lr=1e-4)      # with a rate for this step, as a schedule gives it

All take `weight_decay` λ: then λ p is added to the gradient, as if the loss had λ/2 ‖p‖² (PyTorch's `weight_decay`).

What an optimiser remembers about a parameter has the parameter's shape and dtype, is made at the first step
and lives where the parameter does. `state_dict` hands it out as NumPy arrays under flat names
("adam.m/W_h"), and a run that goes on after `load_state_dict` is bit for bit the one that never stopped.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from tinyrnn.core import guesses
from tinyrnn.core.backend import to_numpy, xp_of
from tinyrnn.core.ops import astype, is_dtype
from tinyrnn.core.types import Array, Weights

NOT_SHOWN = ("name", "lr", "start", "t", "memory", "updates")


class Optimiser:
    """What all share. A subclass has a `name`, says what it remembers, and writes `update`, in place:

    update(lr, p, g, **remembered)      p changed in place, and the arrays it remembers for p too
    """

    name = ""

    def __new__(cls, *args, **kwargs):
        guesses.check_no_parameters(cls, args, kwargs)
        return super().__new__(cls)

    if not TYPE_CHECKING:  # or no misspelt name would be found
        __getattr__ = guesses.answering(guesses.OPTIMISER)

    def __init__(self, lr: float, weight_decay: float = 0.0, **start: Any) -> None:
        self.lr = _number("lr", lr, 0)
        self.weight_decay = _number("weight_decay", weight_decay, 0)
        self.start = start  # what is remembered for each parameter, e.g. "m", and its value at first
        self.t = 0  # steps done
        self.memory: dict[str, Weights] = {}  # parameter name -> {"m": array, …}
        self.updates: Any = None  # what runs `update` compiled

    def update(self, lr: float, p: Array, g: Array, **remembered: Array) -> None:
        """What a subclass writes."""
        raise NotImplementedError

    def compile(self, threads: int | None = None) -> Any:
        """From now on run `update` as machine code made from its source, one pass over each parameter; returns self.

        threads: for large parameters, None for one per core. Where there is no C compiler, or `update` does what the
        compiler does not know, it runs as it stands. Results differ by rounding.
        """
        from tinyrnn.compiler.updates import Updates

        self.updates = Updates(threads)
        return self

    def step(self, params: Weights, grads: Weights, lr: float | None = None, scale: float = 1.0) -> None:
        """One update of `params` (floats, changed in place) with `grads` (same names and shapes).

        Both are dicts, or what has one called `params`: a network, and what its backward pass returned.
        lr: this step's rate instead of the optimiser's. scale: all gradients are multiplied by it first, as clipping by
        the norm does. A gradient of another float dtype is taken to its parameter's. Raises ValueError if names or
        shapes differ, between params and grads or from the steps before, and TypeError for arrays that are not floats;
        then nothing has been changed.
        """
        lr = self.lr if lr is None else _number("lr", lr, 0)
        params, grads = dicts(params, grads)
        _check(params, grads)
        self._recall(params)
        self.t += 1
        left = {} if self.updates is None else self.updates.step(self, params, grads, lr, scale)
        for name, p in params.items():
            g, remembered = grads[name], self.memory[name]
            if rest := left.get(name, p.size):
                if rest < p.size:  # the end of contiguous arrays, so these are views
                    p, g = p.reshape(-1)[-rest:], g.reshape(-1)[-rest:]
                    remembered = {key: array.reshape(-1)[-rest:] for key, array in remembered.items()}
                g = astype(g, p.dtype)
                g = g if scale == 1 else g * scale
                self.update(lr, p, g + self.weight_decay * p if self.weight_decay else g, **remembered)

    def __repr__(self):
        own = {name: value for name, value in vars(self).items() if name not in NOT_SHOWN}
        if not self.weight_decay:
            own.pop("weight_decay")
        settings = ", ".join(f"{name}={value!r}" for name, value in {"lr": self.lr, **own}.items())
        return f"{type(self).__name__}({settings}), {self.t} steps done"

    def state_dict(self) -> Weights:
        """Copies of what is remembered, as NumPy arrays: "adam.t", the steps done, "adam.m/W_h" and so on."""
        state = {f"{self.name}.t": np.array(self.t, dtype=np.int64)}
        for name, remembered in self.memory.items():
            for key, array in remembered.items():
                state[f"{self.name}.{key}/{name}"] = np.array(to_numpy(array))
        return state

    def load_state_dict(self, state: Weights) -> None:
        """Goes on where the optimiser that gave `state` stopped; ValueError if it was of another kind."""
        counter, memory = f"{self.name}.t", dict[str, Weights]()
        if counter not in state:
            found = ", ".join(sorted(state)[:3]) or "nothing"
            raise ValueError(f"this is no state of {self.name}: it lacks {counter!r} and has {found}")
        for flat, array in state.items():
            key, _, name = flat.partition("/")
            if flat == counter:
                continue
            if key not in {f"{self.name}.{own}" for own in self.start}:
                raise ValueError(f"{self.name} with these settings remembers nothing called {flat!r}")
            memory.setdefault(name, {})[key.removeprefix(f"{self.name}.")] = np.array(to_numpy(array))
        for name, remembered in memory.items():
            if remembered.keys() != self.start.keys():
                needs = ", ".join(self.start)
                raise ValueError(f"the state of {name!r} is incomplete: {self.name} needs its {needs}")
        self.t, self.memory = int(state[counter]), memory

    def _recall(self, params):
        """Makes the memory at the first step; later checks it, and moves what was loaded to the device."""
        if self.t == 0 and not self.memory:
            for name, p in params.items():
                self.memory[name] = {k: xp_of(p).full_like(p, value) for k, value in self.start.items()}
        if not self.start:
            self.memory = {name: {} for name in params}
        if self.memory.keys() != params.keys():
            odd = sorted(self.memory.keys() ^ params.keys())[0]
            where = "the parameters" if odd in params else f"what {self.name} remembers"
            raise ValueError(f"{odd!r} is only in {where}: use a new optimiser for other parameters")
        for name, p in params.items():
            for key, array in self.memory[name].items():
                if (array.shape, array.dtype) != (p.shape, p.dtype):
                    was, now = f"{array.dtype} {array.shape}", f"{p.dtype} {p.shape}"
                    raise ValueError(f"{name!r} is {now}, but {self.name}'s {key} for it is {was}")
                if xp_of(array) is not xp_of(p):
                    self.memory[name][key] = xp_of(p).asarray(array)


class SGD(Optimiser):
    """Gradient descent, with momentum µ (Polyak 1964) or Nesterov's, both in the form PyTorch uses.

    v ← µ v + g        p ← p - lr v,    or with Nesterov    p ← p - lr (g + µ v)
    """

    name = "sgd"

    def __init__(self, lr: float, momentum: float = 0.0, nesterov: bool = False, *, weight_decay: float = 0.0) -> None:
        self.momentum = _number("momentum", momentum, 0, 1)
        self.nesterov = bool(nesterov)
        if self.nesterov and not self.momentum:
            raise ValueError("nesterov needs a momentum > 0")
        super().__init__(lr, weight_decay, **({"v": 0.0} if self.momentum else {}))

    def update(self, lr: float, p: Array, g: Array, v: Array | None = None) -> None:
        """v ← µ v + g; p ← p - lr v, in place."""
        if v is not None:
            v[...] = self.momentum * v + g
            g = g + self.momentum * v if self.nesterov else v
        p -= lr * g


RMSPROP_VARIANTS = {
    "arjovsky": {"initial": 1e-3, "rho": 0.9, "eps": 0.0},
    "keras": {"initial": 0.0, "rho": 0.9, "eps": 1e-7},
    "torch": {"initial": 0.0, "rho": 0.99, "eps": 1e-8},
}


class RMSProp(Optimiser):
    """Divide by a running root mean square of the gradient (Tieleman & Hinton 2012).

    v ← ρ v + (1-ρ) g²        p ← p - lr g/(√v + ε)

    variant       v at first     ρ       ε         as in
    "arjovsky"    1e-3           0.9     0         the code of Arjovsky, Shah & Bengio 2016, the unitary RNN
    "keras"       0              0.9     1e-7      Keras, hence Orhan & Pitkow 2020
    "torch"       0              0.99    1e-8      PyTorch

    rho, eps and initial replace the variant's own.
    """

    name = "rmsprop"

    def __init__(
        self,
        lr: float = 1e-3,
        variant: str = "arjovsky",
        rho: float | None = None,
        eps: float | None = None,
        initial: float | None = None,
        *,
        weight_decay: float = 0.0,
    ) -> None:
        if variant not in RMSPROP_VARIANTS:
            raise ValueError(f"unknown variant {variant!r} of RMSProp: choose {', '.join(RMSPROP_VARIANTS)}")
        own = RMSPROP_VARIANTS[variant]
        self.rho = _number("rho", own["rho"] if rho is None else rho, 0, 1)
        self.eps = _number("eps", own["eps"] if eps is None else eps, 0)
        super().__init__(lr, weight_decay, v=_number("initial", own["initial"] if initial is None else initial, 0))

    def update(self, lr: float, p: Array, g: Array, v: Array) -> None:
        """v ← ρ v + (1 - ρ) g²; p ← p - lr g / (√v + ε), in place."""
        xp = xp_of(p)
        # v fades where there is no gradient; for the sake of 0/√0, not to zero
        least = float(xp.finfo(p.dtype).smallest_normal)
        v[...] = xp.maximum(self.rho * v + (1 - self.rho) * g**2, least)
        p -= lr * g / (xp.sqrt(v) + self.eps)


class Adam(Optimiser):
    """Running means of g and g², both corrected for their start at zero (Kingma & Ba 2015, algorithm 1).

    m ← β₁ m + (1-β₁) g        v ← β₂ v + (1-β₂) g²
    m̂ = m/(1-β₁ᵗ)              v̂ = v/(1-β₂ᵗ)              p ← p - lr m̂/(√v̂ + ε)
    """

    name = "adam"

    def __init__(
        self,
        lr: float = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        *,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(lr, weight_decay, m=0.0, v=0.0)
        self.beta1 = _number("beta1", beta1, 0, 1)
        self.beta2 = _number("beta2", beta2, 0, 1)
        self.eps = _number("eps", eps, 0)
        if not self.eps:
            raise ValueError("Adam needs eps > 0, or a zero gradient would divide zero by zero")

    def update(self, lr: float, p: Array, g: Array, m: Array, v: Array) -> None:
        """m and v averaged, their bias taken off, p ← p - lr m̂ / (√v̂ + ε), in place."""
        m[...] = self.beta1 * m + (1 - self.beta1) * g
        v[...] = self.beta2 * v + (1 - self.beta2) * g**2
        m_hat = m / (1 - self.beta1**self.t)
        v_hat = v / (1 - self.beta2**self.t)
        p -= lr * m_hat / (xp_of(p).sqrt(v_hat) + self.eps)


OPTIMISERS = {"sgd": SGD, "rmsprop": RMSProp, "adam": Adam}


def dicts(*given: Any) -> list[Weights]:
    """Each one's `params` where it has such, itself otherwise."""
    return [getattr(one, "params", one) for one in given]


def _number(name, value, least, below=float("inf")):
    """`value` as a Python float: a NumPy scalar would turn float32 parameters' arithmetic into float64."""
    value = float(value)
    if not least <= value < below:
        raise ValueError(f"{name} must be at least {least} and below {below}, got {value}")
    return value


def _check(params, grads):
    for name in sorted(params.keys() ^ grads.keys()):
        what = "parameter without a gradient" if name in params else "gradient without a parameter"
        raise ValueError(f"{name!r} is a {what}: the two dicts must have the same names")
    for name, p in params.items():
        g = grads[name]
        home, other = xp_of(p), xp_of(g)
        if other is not home:
            raise TypeError(f"{name!r} is a {home.__name__} array, its gradient a {other.__name__} array")
        if not is_dtype(home, p.dtype, "real floating") or not is_dtype(home, g.dtype, "real floating"):
            raise TypeError(f"{name!r} and its gradient must be floats, got {p.dtype} and {g.dtype}")
        if p.shape != g.shape:
            raise ValueError(f"the gradient of {name!r} has shape {g.shape}, the parameter {p.shape}")

"""The contract between a cell and the engine, with one worked cell.

A cell is one file: the paper's equations in the docstring, then these methods, each a few lines of plain array code.
They know nothing of time loops, masks, buffers or devices; that is `tinyrnn.core.engine`'s business.

    init(rng) -> dict                       the parameters, name -> array
    project(p, x) -> a                      all that can be done for every time step at once, before the loop
    step(p, a_t, *state) -> state, cache    one step forward; cache is a dict: the intermediates the tape should name
    step_backward(p, *dstate, *, ...) -> da_t, dstate_prev     one step backward: no weight gradients here
    gradients(p, x, da, *, ...) -> dx, dparams                 all weight gradients for many time steps at once

and, only where weights are derived from other weights (W - W^T, exp(i theta)), once per sequence:

    derive(p) -> p with the derived weights added        derive_backward(p, dparams) -> dparams without them

what says of the forward pass what no gradient check can see, whether it is the right one to begin with:

    equations(lib, p, x, *state) -> state       one step once more as the source prints it, nothing hoisted or fused,
                                                complex numbers where they are meant; lib is numpy, or torch

and, if the step can be undone, so that long sequences need not be kept (`tinyrnn.nn.recompute.inverse`):

    step_inverse(p, a_t, *state) -> state_prev          anything finite where it cannot, which is noticed and made good
    derive_inverse(p) -> p with what the inverse needs added, such as the inverse of a matrix; p is what derive returned

Shapes: x (T, B, input_size) floats or (T, B) class numbers; a (T, B, anything); every state (B, n).

The keyword-only arguments of `step_backward` and `gradients` *are* the request to the tape: ask for `f` and you get
what `step` kept under "f"; for `h_prev` or `h` and you get the state before or after the step; for `a` or `x` and you
get that. `step_backward` gets one time step (B, ...); `gradients` gets the same names for a run of time steps
(T', B, ...), in which `da` is what `step_backward` returned (an array, or a tuple of arrays) stacked over time.

Rules: the gradient of `foo` is always called `dfoo`; nothing passed in is modified; `states` lists the state's names
and the first one is the output; `step_backward` is linear in `dstate` (so a row with zero gradient yields zeros, which
is what makes masks work); an argument of the constructor is kept under its own name (`self.rate = rate`), so that
`tinyrnn.nn.saving` can ask for it.

The worked cell, complete (a leaky integrator, h_t = (1 - r) h_{t-1} + r tanh(x_t W + b), with the rate r fixed):

    class Leaky(Cell):
        rate = 0.1

        def init(self, rng):
            return {"W": glorot_uniform((self.input_size, self.hidden_size), rng), "b": np.zeros(self.hidden_size)}

        def project(self, p, x):
            return tanh(affine(x, p.W, p.b))

        def step(self, p, a, h_prev):
            h = (1 - self.rate) * h_prev + self.rate * a
            return (h,), {}

        def step_backward(self, p, dh):
            return self.rate * dh, ((1 - self.rate) * dh,)

        def gradients(self, p, x, da, *, a):
            dx, dW, db = affine_backward(x, p.W, da * (1 - a**2))
            return dx, {"W": dW, "b": db}

        def equations(self, lib, p, x, h):
            return ((1 - self.rate) * h + self.rate * lib.tanh(x @ p.W + p.b),)

Put it in a file under `tinyrnn/cells/`, with `names = {"leaky": {}}`, and one line in `tinyrnn/cells/__init__.py`:
the contract suite, `tinyrnn gradcheck`, `train`, `lines`, `step` and the benchmarks know it, and it is `tinyrnn.Leaky`.

For speed the same methods are run on symbolic arrays and compiled (`tinyrnn.compiler`). What can be compiled:
arithmetic and comparisons; the functions of `tinyrnn.core.ops` and `tinyrnn.core.activations`, where, sqrt, exp,
maximum and the like; slices and reshapes within a row; sums over the last axis; take in a fixed order; products with
weights; the unitary Fourier transform; in `gradients` also sums over all rows and `weight_gradient`, added and scaled.
A cell that does anything else, or branches on a value, runs as it stands.
"""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tinyrnn.core import engine, guesses
from tinyrnn.core.backend import as_rng, move, xp_of
from tinyrnn.core.signatures import keyword_names, option_names
from tinyrnn.core.steps import Plain
from tinyrnn.core.tape import Gradients, Tape
from tinyrnn.core.types import Array, Parts, Seed

WORTH_IT = 5e7  # operations, some 20 ms as the steps stand, above which a float32 cell is compiled unasked


class Params(dict):
    """A dict of arrays whose entries are attributes too: `p.W_h` is `p["W_h"]`."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no parameter {name!r}; there are {', '.join(self)}") from None


class Cell:
    """Base of every recurrent cell; see the module's docstring for what a subclass provides.

    Arguments, the same for all cells:
        input_size: features (or classes) of the input. hidden_size: units.
        rng: seed or `numpy.random.Generator` for the initial weights.
        dtype: "float64" (default, for checking) or "float32" (for training).
        learn_state: make the initial state a parameter (`h_0`, `c_0`, …), used when `forward` is given no state.
        clip_state: rescale h to this norm where it is longer (activation clipping), or None.

    Attributes: `params`, a dict name -> array, to be updated in place; `states`, the names of the state's parts, the
    first being the output; `state_sizes` and `output_size`; `gates`, the blocks along the last axis of the weights.
    """

    # what the command line calls this cell: name -> options of the constructor
    names: ClassVar[dict[str, dict]] = {}
    # of the known mistakes in its backward pass (`tinyrnn.verdicts.mistakes`), if there are any
    family: str | None = None
    # of a worksheet, where the cell's numbers are few enough for one (`tinyrnn.stepping`)
    inputs_on_paper: int | None = None
    states: tuple[str, ...] = ("h",)
    gates: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()  # names of parameters that training leaves alone
    unread: tuple[str, ...] = ()  # names of states, outputs and nothing else, that `step` does not look at
    # parameters that are square matrices from state to state, or such blocks side by side
    recurrent: tuple[str, ...] = ()
    # weights through which a step reads h, and which h-detach cuts (`tinyrnn.core.engine.backward`)
    detach: tuple[str, ...] = ()
    regularisers: tuple = ()  # what is added to the loss for this cell's weights or outputs (`tinyrnn.nn.regularisers`)
    chunked = True  # False if `project` and `gradients` must see the whole sequence at once
    runner = Plain()  # what runs the steps: as they stand, or compiled (see `compile` and `interpret`)

    def __new__(cls, *args, **kwargs):
        guesses.check_arguments(cls, option_names, args, kwargs)
        return super().__new__(cls)

    if not TYPE_CHECKING:  # or no misspelt name would be found
        __getattr__ = guesses.answering(guesses.NETWORK)

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        *,
        rng: Seed = None,
        dtype: str = "float64",
        learn_state: bool = False,
        clip_state: float | None = None,
    ) -> None:
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            if not isinstance(size, int | np.integer) or size < 1:
                raise ValueError(f"{self.name}: {name} must be a positive integer, got {size!r}")
        if np.dtype(dtype).kind != "f":
            raise ValueError(f"{self.name}: dtype must be a real floating type, got {dtype!r}")
        if clip_state is not None and not clip_state > 0:
            raise ValueError(f"{self.name}: clip_state must be a positive norm, got {clip_state!r}")
        self.input_size = int(input_size)
        self.hidden_size = int(hidden_size)
        self.learn_state = learn_state
        self.clip_state = clip_state
        self.constants: dict = {}  # arrays that are fixed but part of the model, such as a permutation
        params = self.init(as_rng(rng))
        if learn_state:
            for state, n in zip(self.states, self.state_sizes, strict=True):
                params.setdefault(f"{state}_0", np.zeros(n))
        self.params = Params({name: np.asarray(value, dtype) for name, value in params.items()})

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.step_needs = keyword_names(cls.step_backward)
        cls.gradients_needs = keyword_names(cls.gradients)

    @classmethod
    def from_blocks(cls, W_x, W_h, b, **options):
        """The cell with weights from elsewhere: lists of blocks (n, H), (H, H) and (H,), one for each gate in order."""
        cell = cls(len(W_x[0]), len(b[0]), rng=0, **options)
        cell.params.update(cls.params_of_blocks(W_x, W_h, b))
        return cell

    # what a subclass provides -------------------------------------------------------------------------------------

    def init(self, rng):
        """The parameters at the start, name -> array; rng: a `numpy.random.Generator`."""
        raise NotImplementedError(f"{self.name} does not define init")

    @staticmethod
    def params_of_blocks(W_x, W_h, b):
        """The parameters that `from_blocks` puts together; those it leaves out stay as `init` makes them."""
        return {"W_x": np.concatenate(W_x, axis=1), "W_h": np.concatenate(W_h, axis=1), "b": np.concatenate(b)}

    def derive(self, p):
        """p with the weights that are made of others added; once a sequence."""
        return p

    def derive_backward(self, p, dparams):
        """Gradients of the parameters, out of those of what `derive` returned."""
        return dparams

    step_inverse = None  # optional

    def derive_inverse(self, p):
        """p with what `step_inverse` needs added."""
        return p

    def project(self, p, x):
        """a (T, B, anything): all that can be done with x for every time step at once."""
        raise NotImplementedError(f"{self.name} does not define project")

    def step(self, p, a, *state):
        """One step forward, from arrays (B, ...): the new state, and what the tape should name, a dict."""
        raise NotImplementedError(f"{self.name} does not define step")

    def step_backward(self, p, *dstate):
        """One step backward: da (B, ...), or a tuple of arrays, and the gradients of the state before."""
        raise NotImplementedError(f"{self.name} does not define step_backward")

    def gradients(self, p, x, da):
        """dx (T, B, input_size), and the gradients of all parameters, name -> array, for a run of time steps."""
        raise NotImplementedError(f"{self.name} does not define gradients")

    def equations(self, lib, p, x, *state):
        """The new state of one step, as the source prints it. Every cell of the package has to say."""
        raise NotImplementedError(f"{self.name} does not define equations")

    # what everybody else uses -------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What messages call the cell."""
        return type(self).__name__

    @property
    def state_sizes(self) -> tuple[int, ...]:
        """The width of each part of the state."""
        return (self.hidden_size,) * len(self.states)

    @property
    def output_size(self) -> int:
        """The width of the output."""
        return self.state_sizes[0]

    @property
    def dtype(self) -> Any:
        """Of the weights, and so of all that is computed."""
        return next(iter(self.params.values())).dtype

    @property
    def xp(self) -> Any:
        """The module that computes with its arrays, such as `numpy`."""
        return xp_of(next(iter(self.params.values())))

    def final(self, state: Parts) -> Array:
        """The output at the end, (B, output_size), out of a state tuple."""
        return state[0]

    def final_backward(self, dfinal: Array) -> tuple:
        """Upstream for `backward`'s dstate, from the gradient of `final`."""
        return (dfinal, *[None] * (len(self.states) - 1))

    @property
    def stores(self) -> list[dict]:
        """The dicts that hold all arrays there are."""
        return [self.params, self.constants]

    def to(self, xp: Any) -> Any:
        """Move the cell's arrays, in place, to where the module `xp` (`numpy` or `cupy`) computes; returns the cell.

        All of them, or none and an error: TypeError where no cell can live, such as `torch`.
        """
        move(self.stores, xp)
        return self

    def forward(
        self, x: Array, state: Parts | None = None, mask: Array | None = None, dropout: Any = None
    ) -> tuple[Array, Tape]:
        """Whole sequence forward: see `tinyrnn.core.engine.forward`."""
        self.compile_if_it_pays(x)
        with self.runner.session(self, x):
            return engine.forward(self, x, state, mask, dropout)

    def __call__(self, *arguments, **options):
        """`forward`."""
        return self.forward(*arguments, **options)

    def backward(self, dh: Array | None, tape: Tape, dstate: tuple | None = None, **options: Any) -> Gradients:
        """Whole sequence backward: see `tinyrnn.core.engine.backward`."""
        guesses.check_tape(self, tape, Tape)
        with self.runner.session(self, tape.x):
            return engine.backward(self, dh, tape, dstate, **options)

    def compile(self, threads: int | None = None) -> Any:
        """From now on run the steps as machine code made from their source (`tinyrnn.compiler`); returns the cell.

        threads: how many to use, None for all cores. Where there is no C compiler, or the cell does what the compiler
        does not know, it runs as before, with one warning (UserWarning); `tinyrnn.explain(cell)` says what was made of
        it, and why not more. A float32 cell does this by itself, and without a word, when it first meets so much work
        that it pays; a float64 cell, which is for checking, never.
        """
        from tinyrnn.compiler.runner import Compiled

        self.runner = Compiled(threads, wanted=True)
        self.runner.look_ahead(self)
        return self

    def interpret(self) -> Any:
        """From now on run the steps as they stand in the source, whatever there is to do; returns the cell."""
        self.runner = Plain()
        return self

    def compile_if_it_pays(self, x: Array) -> None:
        """Compile a float32 cell that nobody has decided about if running over x, or the like, is worth it."""
        if self.runner is Cell.runner and self.dtype == self.xp.float32 and getattr(x, "ndim", 0) > 1:
            operations = sum(value.size for value in self.params.values()) + 50 * sum(self.state_sizes)
            if x.shape[0] * x.shape[1] * operations > WORTH_IT:
                from tinyrnn.compiler.runner import Compiled

                self.runner = Compiled()

    def __repr__(self):
        return f"{self.name}({self.input_size} -> {self.hidden_size}, {self.dtype})"

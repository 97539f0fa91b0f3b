"""A network to train: recurrent layers between an optional embedding and a readout, and the loss on top."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from tinyrnn.core.backend import as_rng
from tinyrnn.core.dropout import drop, drop_backward
from tinyrnn.core.ops import is_index
from tinyrnn.core.types import Array, Parts, Seed
from tinyrnn.nn.dropout import Dropout, inside, of_input
from tinyrnn.nn.heads import TiedReadout
from tinyrnn.nn.layers import Composite
from tinyrnn.nn.losses import find_loss
from tinyrnn.nn.recompute.models import InWindows
from tinyrnn.nn.regularisers import add_penalties, penalise
from tinyrnn.nn.tapes import LossGradients, ModelTape


class Model(Composite):
    """Embedding (optional), recurrent layers, readout, loss.

    layers: a cell, `Stack` or `Bidirectional`. readout: a `Readout` or `PooledReadout`. loss: "cross_entropy" (targets
    are class numbers), "squared_error", "mixture_density" (the readout puts out 3 K numbers for each of the target, K
    Gaussians), or a `Loss` of your own; see `tinyrnn.nn.losses`. at: "every" step or the "last" one (with a mask: each
    sequence's own last).
    Parameters are named after the parts: `layers.W_h`, `readout.W`, `embedding.W`.

    With a `TiedReadout`, the embedding's weights are the readout's as well. dropout: a `Dropout`, or a dict with its
    fields, which `gradients` draws masks for where it is given a random generator; nothing else drops anything.
    """

    def __init__(
        self,
        layers: Any,
        readout: Any,
        *,
        loss: str = "cross_entropy",
        at: str = "every",
        embedding: Any = None,
        dropout: Any = None,
    ) -> None:
        try:
            self.loss = find_loss(loss)
        except ValueError as error:
            raise ValueError(f"Model: {error}") from None
        if at not in ("every", "last"):
            raise ValueError(f'Model: at must be "every" or "last", got {at!r}')
        chain = [("embedding", embedding), ("layers", layers), ("readout", readout)]
        self.parts = {name: part for name, part in chain if part is not None}
        ordered = list(self.parts.items())
        for (a, below), (b, above) in pairwise(ordered):
            if below.output_size != above.input_size:
                raise ValueError(f"Model: {a} puts out {below.output_size} features, {b} takes {above.input_size}")
        self.embedding, self.layers, self.readout = embedding, layers, readout
        self.at = at
        if isinstance(readout, TiedReadout):
            readout.tie(embedding)
        self.dropout = dropout if isinstance(dropout, Dropout) else Dropout(**(dropout or {}))
        self.dropout.check(self)
        self.top: Any = None  # what runs readout and loss compiled

    def compile(self, threads: int | None = None) -> Any:
        """Compile all cells within (see `tinyrnn.Cell.compile`), and for `gradients` the loss; returns self."""
        from tinyrnn.compiler.losses import Top

        self.top = Top(threads)
        return super().compile(threads)

    def interpret(self) -> Any:
        """Run everything as it stands in the source (see `tinyrnn.Cell.interpret`); returns self."""
        self.top = None
        return super().interpret()

    @property
    def loss_name(self) -> str:
        """What the loss is called."""
        return self.loss.name

    @property
    def loss_backward(self) -> Any:
        """The loss's own backward pass."""
        return self.loss.backward

    @property
    def input_size(self) -> Any:
        """Features, or classes, that the first part reads."""
        return next(iter(self.parts.values())).input_size

    @property
    def state_sizes(self) -> Any:
        """The widths of the layers' state."""
        return self.layers.state_sizes

    @property
    def states(self) -> Any:
        """Names of the parts of the layers' state, in their flat order."""
        return self.layers.states

    def forward(
        self, x: Array, state: Parts | None = None, mask: Array | None = None, dropout: Any = None
    ) -> tuple[Array, ModelTape]:
        """x (T, B, n) or (T, B) -> y (T, B, output_size), or (B, output_size) with at="last"; and the tape.

        dropout: masks as `Dropout.draw` draws them, name -> array, or None.
        """
        h, tape = self.below(x, state, mask, dropout)
        y, kept_readout = self.readout_forward(h if self.at == "every" else self.layers.final(tape.state), dropout)
        return y, tape._replace(readout=kept_readout)

    def backward(self, dy: Array, tape: Any, dstate: tuple | None = None, **options: Any) -> Any:
        """From dy (like y) and upstream on the final state: `Gradients` of the layers, and a dict of all parameters'.

        options go to the layers' backward pass: truncate, average, record, detach.
        """
        dh, dreadout = self.readout_backward(dy, tape.readout, tape.dropout)
        return self.backward_from(dh, dreadout, tape, dstate, **options)

    def backward_from(self, dh: Array, dreadout: Any, tape: Any, dstate: tuple | None = None, **options: Any) -> Any:
        """The rest of `backward`, from what the readout's returns."""
        if self.at == "last":
            dfinal, dh = self.layers.final_backward(dh), None
            dstate = dfinal if dstate is None else tuple(add(a, b) for a, b in zip(dfinal, dstate, strict=True))
        back, dparams = self.below_backward(dh, tape, dstate, **options)
        return back, self.gathered(dparams, dreadout)

    def below(self, x: Array, state: Parts | None, mask: Array | None, dropout: Any) -> Any:
        """What is below the readout: h over time, and a tape."""
        cache, dropout = None, dropout or {}
        if self.embedding is not None:
            x, cache = self.embedding.forward(x)
        on_input = of_input(dropout, cache)
        if on_input and is_index(x):
            raise ValueError(
                "Model: x holds class numbers, of whose features none can be dropped: give it an embedding"
            )
        for keep in on_input:
            x = drop(x, keep)
        h, tape = self.layers.forward(x, state, mask, **inside(dropout, "layers"))
        return h, ModelTape(cache, tape, None, dropout, on_input)

    def below_backward(self, dh: Any, tape: Any, dstate: Any, **options: Any) -> Any:
        """`Gradients` of the layers and a dict, name -> gradient, of the parameters below the readout."""
        back = self.layers.backward(dh, tape.layers, dstate, **options)
        dx = back.inputs
        for keep in tape.on_input if dx is not None else []:
            dx = drop_backward(dx, keep)
        dparams = {f"layers.{name}": d for name, d in back.params.items()}
        if self.embedding is None:
            return replace(back, inputs=dx), dparams
        _, d = self.embedding.backward(dx, tape.x)
        return back, dparams | {f"embedding.{name}": value for name, value in d.items()}

    def above(self, h: Array, target: Array, mask: Array | None, dropout: Any, outputs: bool = True) -> Any:
        """What is above the layers, forward and backward: the loss, y, the gradients of h and of the readout."""
        if self.top is not None and mask is None and "output" not in dropout:
            if (found := self.top.gradients(self.readout, self.loss, h, target, outputs)) is not None:
                return found
        y, kept = self.readout_forward(h, dropout)
        loss, cache = self.loss(y, target, mask)
        return loss, y, *self.readout_backward(self.loss.backward(cache), kept, dropout)

    def readout_forward(self, h: Array, dropout: Any) -> Any:
        """The readout of h, some of whose features are dropped."""
        return self.readout.forward(drop(h, dropout["output"]) if dropout and "output" in dropout else h)

    def readout_backward(self, dy: Array, cache: Any, dropout: Any) -> Any:
        """Gradients of h and of the readout's parameters."""
        dh, dparams = self.readout.backward(dy, cache)
        return drop_backward(dh, dropout["output"]) if dropout and "output" in dropout else dh, dparams

    def gathered(self, dbelow: Any, dreadout: Any) -> Any:
        """All parameters' gradients in their order; an embedding that is also read by the readout gets both."""
        shared = dreadout.get("embedding")
        flat = dbelow | {f"readout.{name}": d for name, d in dreadout.items()}
        if shared is not None:
            flat["embedding.W"] += shared
        return {name: flat[name] for name in self.params}

    def gradients(
        self,
        x: Array,
        target: Array,
        mask: Array | None = None,
        state: Parts | None = None,
        *,
        checkpoint: Any = None,
        progress: Callable[[int], Any] | None = None,
        rng: Seed = None,
        detach: Any = None,
        share: Any = None,
        outputs: bool = True,
        **options: Any,
    ) -> LossGradients:
        """Loss and all gradients for one batch; a `LossGradients`.

        x: (T, B, input_size) numbers, or (T, B) integers 0 … input_size-1, class numbers, for an embedding or for
            layers, which take them as one-hot rows. B sequences of T steps, time first.
        target: for "cross_entropy" class numbers (T, B), or (B,) with at="last", -100 where a target does not count;
            for "squared_error" numbers (T, B, output_size), or (B, output_size); for "mixture_density" the same with
            as many numbers as the mixtures are of.
        mask: (T, B) booleans, False where a sequence has ended (or not begun): there its state stays, and with
            at="every" its target does not count; or None. state: the layers' initial state, a tuple of arrays (B, n) in
            the order of `states`, or None for the learned one, or else zeros.
        checkpoint: for sequences that are too long for memory, a budget such as "512 MiB", or else: see
            `tinyrnn.nn.recompute.revolve.plan`. The results are the same but for rounding. progress: a function, called
            with the number of steps each time some are done, such as `tqdm(total=len(x)).update`.
        rng: seed or Generator for all that is drawn: the steps of h-detach, the masks of `dropout`, the points of a
            regulariser that has some. Without one there is no dropout and there are no such points.
        detach: (T,) booleans, True at the steps at which the gradient must not pass through h (h-detach, see
            `tinyrnn.core.engine.backward`), or the probability of each step to be one, drawn once for the whole batch.
        share: (rows, sequences), if this is the part `rows` (a slice) of a batch of so many sequences: then the masks
            are those that the whole batch would have had.
        outputs: whether y and the gradient of x are wanted; if not they may be None, which saves computing them where
            cells and loss are compiled.
        options: truncate, average, record (see `tinyrnn.core.engine.backward`; not record with a checkpoint).
        """
        rng = None if rng is None else as_rng(rng)
        if detach is not None:
            options["detach"] = drawn_steps(detach, x.shape[0], rng)
        rows, sequences = (None, x.shape[1]) if share is None else share
        masks = {} if rng is None else self.dropout.draw(self, rng, sequences, rows)
        if checkpoint is not None:
            return InWindows(self, x, target, mask, masks).gradients(checkpoint, state, progress, rng, options)
        h, tape = self.below(x, state, mask, masks)
        read = h if self.at == "every" else self.layers.final(tape.state)
        loss, y, dh, dreadout = self.above(read, target, mask if self.at == "every" else None, masks, outputs)
        penalty, dpenalty = penalise(self.layers, tape.layers, rng)
        inputs = outputs or self.embedding is not None
        back, dparams = self.backward_from(dh, dreadout, tape, **options, inputs=inputs)
        add_penalties(dparams, dpenalty, "layers.")
        return LossGradients(float(loss), y, dparams, tape.state, back, penalty)


def drawn_steps(detach: Any, T: int, rng: Any) -> Any:
    """(T,) booleans for h-detach: those given, or drawn with the probability given; None if that is 0."""
    if not isinstance(detach, int | float):
        return detach
    if not 0 <= detach <= 1:
        raise ValueError(f"Model: detach must be a probability in [0, 1], or booleans, got {detach}")
    if detach == 0:
        return None
    if rng is None:
        raise ValueError("Model: the steps of h-detach are drawn at random, for which gradients(...) needs an rng")
    return rng.random(T) < detach


def add(a: Any, b: Array) -> Any:
    """a + b, where None is zero."""
    return b if a is None else a if b is None else a + b

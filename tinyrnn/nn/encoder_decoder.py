"""Sequence to sequence: one recurrent network reads a sentence, another says it in other words, both by hand.

What the encoder hands the decoder is its final state and nothing else, so on the way back the decoder's gradient of its
initial state is the encoder's upstream: all that the encoder ever hears of the loss comes through that one arrow.
"""

from typing import Any, NamedTuple

from tinyrnn.core.backend import as_rng, xp_of
from tinyrnn.core.cell import Cell
from tinyrnn.core.ops import is_index
from tinyrnn.core.tape import Gradients
from tinyrnn.core.types import Array, Parts, Seed
from tinyrnn.nn.layers import Bidirectional, Composite
from tinyrnn.nn.losses.softmax import CROSS_ENTROPY
from tinyrnn.nn.model import drawn_steps
from tinyrnn.nn.regularisers import add_penalties, penalise
from tinyrnn.nn.reversal import reading_order, reordered
from tinyrnn.nn.tapes import LossGradients


class PairTape(NamedTuple):
    """What `EncoderDecoder.forward` leaves behind; `state` is the decoder's final state."""

    source: object  # what the embeddings saw, or None
    encoder: object
    target: object
    decoder: Any
    readout: object
    order: object  # (S, B), at which step each step of the source was read, or None if in order

    @property
    def state(self) -> Any:
        """The decoder's final state."""
        return self.decoder.state

    def __repr__(self):
        return f"PairTape(encoder={self.encoder!r}, decoder={self.decoder!r})"


class EncoderDecoder(Composite):
    """Encoder-decoder (Sutskever, Vinyals & Le 2014, eq. 1; Cho et al. 2014, §2.2).

        v = encoder(x_1 … x_S)                    its final state, after the last step that the mask lets through
        h_t = decoder(h_{t-1}, y_{t-1})           h_0 = v, y_0 = <s>
        p(y_t | x, y_1 … y_{t-1}) = softmax(h_t W + b)

    As in Sutskever et al., and unlike Cho et al., whose decoder sees v at every step, v is the initial state only. In
    training y_{t-1} is what should have been said (teacher forcing), in `decode` what was.

    encoder, decoder: cells or stacks with the same `state_sizes` (their kinds may differ). readout: a `Readout` or
    `PooledReadout` with one output for each target word. source_embedding, target_embedding: an `Embedding`, or None to
    give class numbers to the cells themselves; without one, the source may be floats (S, B, input_size) as well.
    reverse: read each source from its own last step to its first (Sutskever et al., §3.3), so that the first words of
    the two sentences are neighbours in time. begin, end: the target's class numbers of <s> and </s>.

    Parameters are named after the parts: `encoder.W_h`, `source_embedding.W`. Raises ValueError for parts that do not
    fit, a decoder that would look ahead (`Bidirectional`) or has a learned initial state, which it would never use.
    """

    def __init__(
        self,
        encoder: Any,
        decoder: Any,
        readout: Any,
        source_embedding: Any = None,
        target_embedding: Any = None,
        *,
        reverse: bool = False,
        begin: int = 0,
        end: int = 1,
    ) -> None:
        chain = [
            ("source_embedding", source_embedding),
            ("encoder", encoder),
            ("target_embedding", target_embedding),
            ("decoder", decoder),
            ("readout", readout),
        ]
        self.parts = {name: part for name, part in chain if part is not None}
        self.source_embedding, self.target_embedding = source_embedding, target_embedding
        self.encoder, self.decoder, self.readout = encoder, decoder, readout
        self.reverse, self.begin, self.end = reverse, begin, end
        self.loss = CROSS_ENTROPY
        self.check_parts()

    def check_parts(self) -> Any:
        """ValueError unless the decoder can start from what the encoder hands it."""
        for a, b in (("source_embedding", "encoder"), ("target_embedding", "decoder"), ("decoder", "readout")):
            if a in self.parts and self.parts[a].output_size != self.parts[b].input_size:
                sizes = f"{a} puts out {self.parts[a].output_size} features, {b} takes {self.parts[b].input_size}"
                raise ValueError(f"EncoderDecoder: {sizes}")
        if tuple(self.encoder.state_sizes) != tuple(self.decoder.state_sizes):
            sizes = f"{self.encoder.state_sizes} in the encoder, {self.decoder.state_sizes} in the decoder"
            raise ValueError(f"EncoderDecoder: the state is handed over, but its sizes are {sizes}")
        if self.target_size != self.readout.output_size:
            sizes = f"the readout knows {self.readout.output_size} words, the decoder takes {self.target_size}"
            raise ValueError(f"EncoderDecoder: what is said is read again, but {sizes}")
        for name in ("begin", "end"):
            if not 0 <= getattr(self, name) < self.target_size:
                raise ValueError(
                    f"EncoderDecoder: {name} must lie in 0..{self.target_size - 1}, got {getattr(self, name)}"
                )
        for part in every_part(self.decoder):
            if isinstance(part, Bidirectional):
                raise ValueError("EncoderDecoder: the decoder cannot be Bidirectional: it would look ahead")
            if isinstance(part, Cell) and part.learn_state:
                raise ValueError("EncoderDecoder: the decoder's state is the encoder's: it cannot have learn_state")

    @property
    def loss_backward(self) -> Any:
        """The loss's own backward pass."""
        return self.loss.backward

    @property
    def input_size(self) -> Any:
        """Words, or features, of the source."""
        return (self.source_embedding or self.encoder).input_size

    @property
    def target_size(self) -> Any:
        """Words of the target, <s> and </s> among them."""
        return (self.target_embedding or self.decoder).input_size

    @property
    def state_sizes(self) -> tuple[int, ...]:
        """The widths of the encoder's state."""
        return self.encoder.state_sizes

    # the two halves -------------------------------------------------------------------------------------------------

    def encode(self, source: Array, state: Parts | None = None, mask: Array | None = None) -> Any:
        """source (S, B) or (S, B, n) -> the encoder's tape, whose `state` is what the decoder begins with.

        Returns (tape, what the embedding saw or None, the order of reading or None).
        """
        order = reading_order(source, mask) if self.reverse else None
        x, cache = embed(self.source_embedding, reordered(source, order), mask)
        _, tape = self.encoder.forward(x, state, mask)
        return tape, cache, order

    def heard(self, target: Array, mask: Array | None = None) -> Any:
        """What the decoder hears while it should say `target` (T, B): the word before, and <s> before the first."""
        xp = xp_of(target)
        before = xp.full_like(target, self.begin)
        before[1:] = target[:-1] if mask is None else xp.where(mask[:-1], target[:-1], self.begin)
        return before

    def forward(
        self,
        source: Array,
        target: Array,
        state: Parts | None = None,
        mask: Array | None = None,
        target_mask: Array | None = None,
    ) -> Any:
        """Teacher forcing: logits (T, B, words) for every word of the target given those before it; and the tape.

        source: (S, B) class numbers or (S, B, n) floats; mask: (S, B) booleans or None. target: (T, B) class numbers,
        the last of each sequence being </s>; target_mask: (T, B) booleans or None; what is masked may be anything, and
        class -100 is masked.
        state: the encoder's initial state, a tuple, or None.
        """
        target_mask = self.loss.counts(target, target_mask)
        encoded, kept_source, order = self.encode(source, state, mask)
        x, kept_target = embed(self.target_embedding, self.heard(target, target_mask), target_mask)
        h, decoded = self.decoder.forward(x, encoded.state, target_mask)
        logits, kept_readout = self.readout.forward(h)
        return logits, PairTape(kept_source, encoded, kept_target, decoded, kept_readout, order)

    def backward(
        self,
        dlogits: Array,
        tape: Any,
        dstate: tuple | None = None,
        *,
        average: bool = False,
        detach: tuple = (None, None),
        **options: Any,
    ) -> Any:
        """From dlogits (T, B, words) and upstream on the decoder's final state: `Gradients`, and all parameters' dict.

        The `Gradients` hold the source's (in the source's own order) and the encoder's initial state's. options go to
        both backward passes: truncate, record. average: divide the decoder's hidden gradients by T; what it hands the
        encoder is then divided already. detach: booleans (S,) for the encoder and (T,) for the decoder, or None.
        """
        cut = [{} if steps is None else {"detach": steps} for steps in detach]
        dh, dreadout = self.readout.backward(dlogits, tape.readout)
        decoder = self.decoder.backward(dh, tape.decoder, dstate, average=average, **options, **cut[1])
        dv = decoder.state  # the decoder began where the encoder had ended
        encoder = self.encoder.backward(None, tape.encoder, dv, **options, **cut[0])
        dparams = {"encoder": encoder.params, "decoder": decoder.params, "readout": dreadout}
        dsource = encoder.inputs
        if self.source_embedding is not None:
            dsource, dparams["source_embedding"] = self.source_embedding.backward(dsource, tape.source)
        if self.target_embedding is not None:
            _, dparams["target_embedding"] = self.target_embedding.backward(decoder.inputs, tape.target)
        flat = {f"{part}.{name}": d for part in self.parts for name, d in dparams[part].items()}
        layers = {name: d for name, d in flat.items() if name.startswith(("encoder.", "decoder."))}
        recorded = None
        if encoder.states is not None:
            both = (("encoder", encoder.states), ("decoder", decoder.states))
            recorded = {f"{part}.{name}": d for part, states in both for name, d in states.items()}
        # reading in the other order is its own inverse
        back = Gradients(None if dsource is None else reordered(dsource, tape.order), encoder.state, layers, recorded)
        return back, {name: flat[name] for name in self.params}

    def gradients(
        self,
        source: Array,
        target: Array,
        mask: Array | None = None,
        target_mask: Array | None = None,
        state: Parts | None = None,
        *,
        checkpoint: Any = None,
        rng: Seed = None,
        detach: Any = None,
        **options: Any,
    ) -> LossGradients:
        """Loss and all gradients for one batch, as in `Model.gradients`; a `LossGradients`.

        The loss is the mean over the words that the target's mask counts, in nats. `state` is the decoder's final
        state; `layers` are the `Gradients` of `backward`. rng: seed or Generator for what is drawn, as in `Model`.
        detach: the probability of each step, of either half, to let no gradient through h. options: dstate, truncate,
        average, record. Raises ValueError for a checkpoint: sentences fit into memory.
        """
        if checkpoint is not None:
            raise ValueError("EncoderDecoder: no checkpointing here; leave checkpoint out")
        rng = None if rng is None else as_rng(rng)
        if detach is not None:
            options["detach"] = [drawn_steps(detach, len(x), rng) for x in (source, target)]
        target_mask = self.loss.counts(target, target_mask)
        logits, tape = self.forward(source, target, state, mask, target_mask)
        loss, cache = self.loss(logits, target, target_mask)
        penalties = {
            "encoder.": penalise(self.encoder, tape.encoder, rng),
            "decoder.": penalise(self.decoder, tape.decoder, rng),
        }
        back, dparams = self.backward(self.loss_backward(cache), tape, **options)
        for prefix, (_, dpenalty) in penalties.items():
            add_penalties(dparams, dpenalty, prefix)
        penalty = sum(value for value, _ in penalties.values())
        return LossGradients(float(loss), logits, dparams, tape.state, back, penalty)

    # saying it ------------------------------------------------------------------------------------------------------

    def next_logits(self, words: Any, state: Parts) -> Any:
        """One step: the words (B,) said last and the decoder's state -> logits (B, words) and the state after it."""
        x, _ = embed(self.target_embedding, words[None], None)
        h, tape = self.decoder.forward(x, state)
        logits, _ = self.readout.forward(h)
        return logits[0], tape.state

    def decode(
        self,
        source: Array,
        mask: Array | None = None,
        *,
        how: str = "greedy",
        temperature: float = 1.0,
        rng: Seed = None,
        max_length: int = 100,
    ) -> Any:
        """Say each source (S, B) or (S, B, n) in the target's words, one after the other, until </s>.

        how: "greedy", the likeliest word each time, or "sample", a word drawn from softmax(logits / temperature) with
        `rng`, a seed or Generator. A sequence ends with its </s>, or without one after max_length words.
        Returns words (T, B), class numbers, and a mask (T, B), False after a sequence's end, where the word is </s>.
        """
        if how not in ("greedy", "sample"):
            raise ValueError(f'EncoderDecoder.decode: how must be "greedy" or "sample", got {how!r}')
        if not temperature > 0:
            raise ValueError(f"EncoderDecoder.decode: temperature must be positive, got {temperature!r}")
        if max_length < 1:
            raise ValueError(f"EncoderDecoder.decode: max_length must be at least 1, got {max_length!r}")
        xp, rng = xp_of(source), as_rng(rng)
        state = self.encode(source, None, mask)[0].state
        words = xp.full((source.shape[1],), self.begin)
        live = xp.ones(words.shape, bool)
        said: list = []
        counts: list = []
        while len(said) < max_length and live.any():
            logits, state = self.next_logits(words, state)
            if how == "sample":  # the largest of logits + Gumbel noise is distributed as the softmax
                logits = logits / temperature + xp.asarray(rng.gumbel(size=logits.shape), logits.dtype)
            words = xp.where(live, logits.argmax(axis=-1), self.end)
            said.append(words)
            counts.append(live)
            live = words != self.end  # which whoever has ended goes on saying
        return xp.stack(said), xp.stack(counts)


def embed(embedding: Any, x: Array, mask: Array | None) -> Any:
    """(input of the cells, what the embedding's backward pass needs); what is masked may be no class at all."""
    if embedding is None:
        return x, None
    return embedding.forward(x if mask is None or not is_index(x) else xp_of(x).where(mask, x, 0))


def every_part(network: Any) -> Any:
    """The network and all that it is made of."""
    yield network
    for part in getattr(network, "parts", {}).values():
        yield from every_part(part)

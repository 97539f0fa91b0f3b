"""The encoder-decoder: gradients of the whole, teacher forcing, input reversal, and what it says step by step."""

import copy

import numpy as np
import pytest
import strict_xp
from contract import assert_same, leaves
from hypothesis import given
from hypothesis import strategies as st

import tinyrnn as tr
from tinyrnn.nn.interop import load, save, to_torch
from tinyrnn.nn.losses import softmax_cross_entropy
from tinyrnn.nn.reversal import reading_order, reordered

S, T, B = 5, 4, 3
SOURCE, TARGET = 6, 7  # words
H = 4
PAIRS = {  # encoder and decoder that read n and m features
    "elman": lambda n, m: (tr.Elman(n, H, rng=1), tr.Elman(m, H, rng=2)),
    "lstm": lambda n, m: (tr.LSTM(n, H, rng=1), tr.LSTM(m, H, rng=2)),
    "gru to lt-rnn": lambda n, m: (tr.GRU(n, H, rng=1), tr.LinearRNN(m, H, rng=2)),
    "lmn": lambda n, m: (tr.LMN(n, H, memory_size=3, rng=1), tr.LMN(m, H, memory_size=3, rng=2)),
    "antisymmetric": lambda n, m: (tr.Antisymmetric(n, H, rng=1), tr.GatedAntisymmetric(m, H, rng=2)),
    "stacks": lambda n, m: (
        tr.Stack(tr.LSTM(n, H, rng=1), tr.GRU(H, 3, rng=2)),
        tr.Stack(tr.LSTM(m, H, rng=3), tr.GRU(H, 3, rng=4)),
    ),
    "both ways, then two layers": lambda n, m: (
        tr.Bidirectional(tr.GRU(n, H, rng=1), tr.GRU(n, 3, rng=2)),
        tr.Stack(tr.GRU(m, H, rng=3), tr.GRU(H, 3, rng=4)),
    ),
    "learned state, clipped": lambda n, m: (
        tr.LSTM(n, H, rng=1, learn_state=True, clip_state=0.5),
        tr.LSTM(m, H, rng=2, clip_state=0.5),
    ),
}


def build(pair="lstm", embedded=True, **options):
    """A network with no parameter zero."""
    n, m = (3, 2) if embedded else (SOURCE, TARGET)
    encoder, decoder = PAIRS[pair](n, m)
    embeddings = (tr.Embedding(SOURCE, n, rng=5), tr.Embedding(TARGET, m, rng=6)) if embedded else ()
    network = tr.EncoderDecoder(
        encoder, decoder, tr.Readout(decoder.output_size, TARGET, rng=7), *embeddings, **options
    )
    rng = np.random.default_rng(8)
    for value in network.params.values():
        value += rng.normal(0, 0.3, value.shape)
    return network


def batch(network, masked=True, floats=False, seed=0):
    """source, target, mask, target_mask, and an initial state of the encoder."""
    rng = np.random.default_rng(seed)
    source = rng.normal(size=(S, B, SOURCE)) if floats else rng.integers(0, SOURCE, (S, B))
    target = rng.integers(0, TARGET, (T, B))
    mask, target_mask = np.arange(S)[:, None] < [5, 3, 1], np.arange(T)[:, None] < [1, 4, 2]
    mask[:2, 0] = False  # a sequence that begins late
    state = tuple(rng.normal(size=(B, n)) for n in network.state_sizes)
    return source, target, mask if masked else None, target_mask if masked else None, state


def loss_of(network, source, target, mask, target_mask, state, upstream):
    """The loss, plus the final state times what comes from above."""
    y, tape = network.forward(source, target, state, mask, target_mask)
    loss, _ = softmax_cross_entropy(y, target, target_mask)
    return loss + sum((u * s).sum() for u, s in zip(upstream, tape.state, strict=True))


def made_complex(network):
    network = copy.deepcopy(network)
    for part in leaves(network):
        part.params.update({name: value.astype(complex) for name, value in part.params.items()})
    return network


def complex_step(network, arguments, upstream):
    """Gradient of `loss_of` with respect to every parameter, the initial state and a source of floats."""
    network = made_complex(network)
    source, target, mask, target_mask, state = arguments
    inputs = {} if source.dtype.kind == "i" else {"source": source.astype(complex)}
    states = {} if state is None else {f"state[{k}]": s.astype(complex) for k, s in enumerate(state)}
    result = {}
    for name, array in {**network.params, **inputs, **states}.items():
        result[name] = np.empty(array.shape)
        for index in np.ndindex(array.shape):
            array.imag[index] = 1e-30
            moved = inputs.get("source", source), target, mask, target_mask, tuple(states.values()) or None
            result[name][index] = loss_of(network, *moved, upstream).imag / 1e-30
            array.imag[index] = 0
    return result


def hand_written(network, arguments, upstream, **options):
    out = network.gradients(*arguments, dstate=upstream, **options)
    inputs = {} if out.layers.inputs is None else {"source": out.layers.inputs}
    return {**out.params, **inputs, **{f"state[{k}]": d for k, d in enumerate(out.layers.state)}}


def upstream_of(network):
    rng = np.random.default_rng(9)
    return tuple(rng.normal(size=(B, n)) for n in network.state_sizes)


# gradients --------------------------------------------------------------------------------------------------------


@pytest.mark.few(7)
@pytest.mark.parametrize("reverse, masked", [(False, False), (True, True)], ids=["full", "ragged, reversed"])
@pytest.mark.parametrize("pair", PAIRS)
def test_gradients_agree_with_the_complex_step(pair, reverse, masked):
    network = build(pair, reverse=reverse)
    arguments = batch(network, masked)
    if pair == "learned state, clipped":
        arguments = (*arguments[:4], None)
    upstream = upstream_of(network)
    got = hand_written(network, arguments, upstream)
    assert_same(got, wanted := complex_step(network, arguments, upstream), 1e-10, only=wanted)
    assert all(wanted[name].any() for name in network.params)  # or the probe could not have seen a mistake


@pytest.mark.few(2)
@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reversed"])
@pytest.mark.parametrize("floats", [False, True], ids=["classes", "floats"])
def test_gradients_without_embeddings_and_of_a_source_of_floats(floats, reverse):
    network = build(embedded=False, reverse=reverse)
    arguments = batch(network, floats=floats)
    upstream = upstream_of(network)
    got = hand_written(network, arguments, upstream)
    assert ("source" in got) == floats
    assert_same(got, complex_step(network, arguments, upstream), 1e-10)


def test_gradients_agree_with_central_differences():
    network = build("stacks", reverse=True)
    arguments, upstream = batch(network), upstream_of(network)
    got, rng = hand_written(network, arguments, upstream), np.random.default_rng(1)
    for name, value in network.params.items():
        direction, before = rng.normal(size=value.shape), value.copy()
        slopes = []
        for sign in 1, -1:
            value[...] = before + sign * 1e-6 * direction
            slopes.append(loss_of(network, *arguments, upstream))
        value[...] = before
        assert (got[name] * direction).sum() == pytest.approx((slopes[0] - slopes[1]) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.few(1)
@pytest.mark.parametrize("pair", ["lstm", "stacks", "learned state, clipped"])
def test_gradcheck_takes_it(pair):
    report = tr.gradcheck(build(pair, reverse=True), T=3)
    assert report.ok, str(report)
    assert any("encoder" in row.name for row in report.rows)


def test_gradcheck_finds_a_decoder_that_keeps_its_initial_states_gradient_to_itself():
    network = build()
    passed_on = network.encoder.backward
    network.encoder.backward = lambda dh, tape, dstate, **o: passed_on(dh, tape, tuple(0.9 * d for d in dstate), **o)
    report = tr.gradcheck(network, T=3)
    wrong = {row.name for row in report.rows if row.verdict != "ok"}
    assert not report.ok and "encoder.W_h" in wrong and "decoder.W_h" not in wrong


@pytest.mark.parametrize("kind", ["lstm", "gru", "tanh"])
@pytest.mark.parametrize("layers", [1, 2])
def test_pytorchs_modules_give_the_same_loss_and_gradients(kind, layers):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tinyrnn[peers]'")
    cell = {"lstm": tr.LSTM, "gru": tr.GRU, "tanh": tr.Elman}[kind]
    module = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "tanh": torch.nn.RNN}[kind]

    def stack(n, rng):
        cells = [cell(n if k == 0 else H, H, rng=rng + k) for k in range(layers)]
        return tr.Stack(*cells) if layers > 1 else cells[0]

    network = tr.EncoderDecoder(
        stack(3, 1),
        stack(2, 3),
        tr.Readout(H, TARGET, rng=5),
        tr.Embedding(SOURCE, 3, rng=6),
        tr.Embedding(TARGET, 2, rng=7),
    )
    source, target, _, _, _ = batch(network, masked=False)
    lengths, target_mask = torch.tensor([5, 3, 1]), np.arange(T)[:, None] < [1, 4, 2]

    theirs = {
        "encoder": module(3, H, layers, dtype=torch.float64),
        "decoder": module(2, H, layers, dtype=torch.float64),
    }
    for name, part in theirs.items():
        part.load_state_dict({k: torch.from_numpy(v.copy()) for k, v in to_torch(getattr(network, name)).items()})
    heads = {k: torch.tensor(v, requires_grad=True) for k, v in network.params.items() if k.split(".")[0] not in theirs}
    embedded = heads["source_embedding.W"][torch.from_numpy(source)]
    packed = torch.nn.utils.rnn.pack_padded_sequence(embedded, lengths, enforce_sorted=False)
    _, final = theirs["encoder"](packed)
    said = torch.cat([torch.zeros(1, B, dtype=torch.int64), torch.from_numpy(target[:-1])])
    h, _ = theirs["decoder"](heads["target_embedding.W"][said], final)
    logits = h @ heads["readout.W"] + heads["readout.b"]
    live = torch.from_numpy(target_mask)
    loss = torch.nn.functional.cross_entropy(logits[live], torch.from_numpy(target)[live])
    loss.backward()

    out = network.gradients(source, target, np.arange(S)[:, None] < lengths.numpy(), target_mask)
    assert out.loss == pytest.approx(loss.item(), rel=1e-12)
    assert_same(out.params, wanted := {k: v.grad.numpy() for k, v in heads.items()}, 1e-10, only=wanted)
    for name, part in theirs.items():
        gradients = copy.deepcopy(getattr(network, name))
        for key, value in gradients.params.items():
            value[...] = out.params[f"{name}.{key}"]
        ours = to_torch(gradients)
        wanted = {k: p.grad.numpy() for k, p in part.named_parameters() if not k.startswith("bias_hh")}
        assert_same(ours, wanted, 1e-10, only=wanted)


def test_options_of_the_backward_pass_reach_both_halves():
    network = build()
    arguments, nothing = batch(network, masked=False), tuple(np.zeros((B, n)) for n in (H, H))
    whole = network.gradients(*arguments)
    averaged = network.gradients(*arguments, average=True)
    for name, d in whole.params.items():
        assert np.allclose(averaged.params[name], d if name.startswith("readout") else d / T, rtol=1e-12, atol=0)
    recorded = network.gradients(*arguments, record=True).layers.states
    assert {name: d.shape for name, d in recorded.items()} == {
        "encoder.h": (S, B, H),
        "encoder.c": (S, B, H),
        "decoder.h": (T, B, H),
        "decoder.c": (T, B, H),
    }
    # what is recorded at the encoder's last step is all that it hears of the loss: the decoder's first gradient
    _, tape = network.forward(*arguments[:2], arguments[4])
    _, kept = softmax_cross_entropy(tape_logits(network, arguments), arguments[1])
    dh, _ = network.readout.backward(network.loss_backward(kept), tape.readout)
    dv = network.decoder.backward(dh, tape.decoder, nothing).state
    assert_same({"h": recorded["encoder.h"][-1], "c": recorded["encoder.c"][-1]}, {"h": dv[0], "c": dv[1]}, 1e-12)
    truncated = network.gradients(*arguments, truncate=2).params
    assert not np.allclose(truncated["encoder.W_h"], whole.params["encoder.W_h"])


def tape_logits(network, arguments):
    return network.forward(*arguments[:2], arguments[4])[0]


def test_regularisers_and_h_detach_reach_both_halves():
    from tinyrnn.nn.regularisers import SoftOrthogonality

    network = build("lstm")
    arguments = batch(network)
    plain = network.gradients(*arguments)
    network.decoder.regularisers = (SoftOrthogonality(0.1),)
    network.encoder.regularisers = (SoftOrthogonality(0.2),)
    both = network.gradients(*arguments)
    assert both.loss == plain.loss and both.penalty > plain.penalty == 0
    for prefix in "encoder.", "decoder.":
        changed = {name for name in plain.params if not np.array_equal(plain.params[name], both.params[name])}
        assert f"{prefix}W_h" in changed and f"{prefix}W_x" not in changed
    cut = network.gradients(*arguments, detach=1.0, rng=0).params
    assert not np.allclose(cut["encoder.W_x"], both.params["encoder.W_x"])
    with pytest.raises(ValueError, match="needs an rng"):
        network.gradients(*arguments, detach=0.5)


def test_float32_stays_float32_and_follows_float64():
    large = build()
    small = build()
    for part in leaves(small):
        part.params.update({name: value.astype("float32") for name, value in part.params.items()})
    arguments = batch(large)
    got, wanted = small.gradients(*arguments[:4]), large.gradients(*arguments[:4])
    assert {d.dtype for d in got.params.values()} == {np.dtype("float32")}
    assert_same(got.params, wanted.params, 1e-4)


def test_the_same_call_gives_the_same_again_and_modifies_nothing():
    network = build(reverse=True)
    arguments, upstream = batch(network), upstream_of(network)
    before = copy.deepcopy(arguments), {name: value.copy() for name, value in network.params.items()}
    first = hand_written(network, arguments, upstream)
    network.gradients(*batch(network, masked=False, seed=1))
    network.decode(arguments[0], arguments[2])
    assert_same(hand_written(network, arguments, upstream), first)
    for a, b in zip(arguments[:4], before[0][:4], strict=True):
        assert np.array_equal(a, b)
    assert_same(dict(network.params), before[1])


def test_strict_arrays_give_the_same_numbers():
    ours, there = build("lstm", reverse=True), build("lstm", reverse=True).to(strict_xp)
    arguments = batch(ours)
    wanted = ours.gradients(*arguments).params
    moved = [strict_xp.asarray(a) for a in arguments[:4]]
    got = there.gradients(*moved, tuple(strict_xp.asarray(s) for s in arguments[4])).params
    assert_same({name: d.get() for name, d in got.items()}, wanted, 1e-12)
    words, mask = there.decode(moved[0], moved[2], max_length=6)
    assert_same(
        {"words": words.get(), "mask": mask.get()},
        dict(zip(("words", "mask"), ours.decode(*arguments[::2][:2], max_length=6), strict=True)),
    )


@pytest.mark.slow
def test_compiled_cells_give_the_same_gradients():
    ours, compiled = build("stacks"), build("stacks").compile(1)
    arguments = batch(ours)
    assert_same(compiled.gradients(*arguments).params, ours.gradients(*arguments).params, 1e-12)


# teacher forcing and masks ----------------------------------------------------------------------------------------


def test_the_decoder_hears_begin_and_then_the_target_but_its_last_word():
    network = build(begin=3)
    target = np.array([[5, 6], [1, 2], [4, 0]])
    assert network.heard(target).tolist() == [[3, 3], [5, 6], [1, 2]]
    mask = np.array([[True, False], [True, True], [False, True]])
    assert network.heard(target, mask).tolist() == [[3, 3], [5, 3], [1, 2]]


def test_a_ragged_batch_equals_its_pairs_one_by_one():
    network = build("stacks", reverse=True)
    source, target, mask, target_mask, state = batch(network)
    whole = network.gradients(source, target, mask, target_mask, state)
    total, loss = {name: np.zeros_like(value) for name, value in network.params.items()}, 0.0
    for b in range(B):
        one = slice(b, b + 1)
        pair = source[mask[:, b], one], target[target_mask[:, b], one]
        out = network.gradients(*pair, None, None, tuple(s[one] for s in state))
        share = target_mask[:, b].sum() / target_mask.sum()
        loss += share * out.loss
        for together, alone in zip(whole.state, out.state, strict=True):
            assert np.allclose(together[one], alone, rtol=1e-12, atol=0)
        for name, d in out.params.items():
            total[name] += share * d
    assert whole.loss == pytest.approx(loss, rel=1e-12)
    assert_same(whole.params, total, 1e-10)


def test_what_is_masked_may_be_anything():
    network = build(reverse=True)
    source, target, mask, target_mask, state = batch(network)
    wanted = network.gradients(source, target, mask, target_mask, state)
    garbage = np.where(mask, source, 10**6), np.where(target_mask, target, -1)
    got = network.gradients(*garbage, mask, target_mask, state)
    assert got.loss == wanted.loss
    assert_same(got.params, wanted.params)


# reversal ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=6), st.integers(0, 99))
def test_reversal_turns_each_sequence_round_within_its_own_steps(live, seed):
    mask = np.array(live)
    source = np.random.default_rng(seed).integers(0, 50, mask.shape)
    order = reading_order(source, mask)
    turned = reordered(source, order)
    for b in range(4):
        assert turned[mask[:, b], b].tolist() == source[mask[:, b], b][::-1].tolist()
        assert turned[~mask[:, b], b].tolist() == source[~mask[:, b], b].tolist()
    assert np.array_equal(reordered(turned, order), source)


def test_reversal_equals_a_source_turned_by_hand():
    for masked in False, True:
        turned, plain = build(reverse=True), build(reverse=False)
        source, target, mask, target_mask, state = batch(plain, masked)
        by_hand = source.copy()
        for b in range(B):
            live = slice(None) if mask is None else mask[:, b]
            by_hand[live, b] = source[live, b][::-1]
        got = turned.gradients(source, target, mask, target_mask, state)
        wanted = plain.gradients(by_hand, target, mask, target_mask, state)
        assert got.loss == wanted.loss
        assert_same(got.params, wanted.params)
        assert np.array_equal(turned.decode(source, mask)[0], plain.decode(by_hand, mask)[0])


# saying it --------------------------------------------------------------------------------------------------------


def likely(network, source, words):
    """log p of the words (T, 1) given the source (S, 1)."""
    logits, _ = network.forward(source, words)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return log_p


@pytest.mark.parametrize("pair", ["lstm", "stacks", "learned state, clipped"])
def test_greedy_decoding_says_the_likeliest_word_given_all_that_was_said(pair):
    network = build(pair, reverse=True)
    rng = np.random.default_rng(5)
    for value in network.params.values():
        value[...] = rng.normal(0, 1.5, value.shape) * (value.ndim == 2)  # what is said depends on what was read
    source, mask = rng.integers(0, SOURCE, (S, 20)), np.arange(S)[:, None] < rng.integers(1, S + 1, 20)
    words, live = network.decode(source, mask, max_length=8)
    said = []
    for b in range(20):
        said.append(greedy(network, source[mask[:, b], b : b + 1]))
        assert words[live[:, b], b].tolist() == said[b]
        assert (words[~live[:, b], b] == network.end).all()
    assert len(set(map(len, said))) > 1 and live[-1].any()  # it stops when all have ended
    whole = [greedy(network, source[:, b : b + 1]) for b in range(20)]
    assert said != whole  # or the mask would not have been seen


def greedy(network, source):
    """The words for one source (S, 1): the whole sentence anew for every word, the word yet unknown being any."""
    said = []
    while len(said) < 8 and (not said or said[-1] != network.end):
        log_p = likely(network, source, np.array([*said, 0])[:, None])[-1, 0]
        said.append(max(range(TARGET), key=lambda word: log_p[word]))
    return said


def test_sampling_says_each_sentence_as_often_as_the_network_finds_it_likely():
    network = build()
    network.params["readout.b"][network.end] += 1.0  # short sentences
    source, N = np.array([[2], [4]]), 20000
    for temperature in 1.0, 0.5:
        words, live = network.decode(np.tile(source, N), how="sample", rng=0, max_length=2, temperature=temperature)
        words = np.where(live, words, -1)
        seen = {}
        for column in words.T.tolist():
            seen[tuple(column)] = seen.get(tuple(column), 0) + 1 / N
        for first in range(TARGET):
            for second in [-1] if first == network.end else range(TARGET):
                logits = network.forward(source, np.array([[first], [max(second, 0)]]))[0][:, 0] / temperature
                p = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
                wanted = p[0, first] * (1 if second == -1 else p[1, second])
                assert abs(seen.get((first, second), 0) - wanted) < 5 * (wanted / N) ** 0.5 + 1e-3


def test_sampling_depends_on_its_seed_alone():
    network = build()
    source, _, mask, _, _ = batch(network)
    draws = [network.decode(source, mask, how="sample", rng=seed, max_length=9)[0].tolist() for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]


def test_a_cold_sample_is_the_greedy_sentence():
    network = build()
    source, _, mask, _, _ = batch(network)
    cold = network.decode(source, mask, how="sample", temperature=1e-6, rng=0, max_length=9)
    assert np.array_equal(cold[0], network.decode(source, mask, max_length=9)[0])


def test_a_network_that_never_ends_stops_at_the_greatest_length():
    network = build()
    network.params["readout.b"][network.end] -= 100
    words, live = network.decode(np.zeros((2, B), int), max_length=5)
    assert words.shape == (5, B) and live.all()


# saving, and what is refused --------------------------------------------------------------------------------------


def test_a_saved_network_comes_back_with_its_options(tmp_path):
    network = build("stacks", reverse=True, begin=2, end=4)
    save(tmp_path / "it.safetensors", network)
    loaded = load(tmp_path / "it.safetensors")
    assert (loaded.reverse, loaded.begin, loaded.end) == (True, 2, 4)
    assert_same(dict(loaded.params), dict(network.params))
    source, _, mask, _, _ = batch(network)
    assert np.array_equal(loaded.decode(source, mask)[0], network.decode(source, mask)[0])
    save(tmp_path / "plain.safetensors", build(embedded=False))
    assert load(tmp_path / "plain.safetensors").source_embedding is None


def cells(n=3, m=2, **decoder):
    return tr.LSTM(n, H, rng=1), tr.LSTM(m, H, rng=2, **decoder)


def readout(outputs=TARGET):
    return tr.Readout(H, outputs, rng=3)


REFUSED = {
    "source_embedding puts out 5 features, encoder takes 3": lambda: tr.EncoderDecoder(
        *cells(), readout(), tr.Embedding(SOURCE, 5)
    ),
    "target_embedding puts out 5 features, decoder takes 2": lambda: tr.EncoderDecoder(
        *cells(), readout(), None, tr.Embedding(TARGET, 5)
    ),
    "decoder puts out 4 features, readout takes 5": lambda: tr.EncoderDecoder(*cells(), tr.Readout(5, 2)),
    "its sizes are .4, 4. in the encoder, .4,. in the decoder": lambda: tr.EncoderDecoder(
        tr.LSTM(3, 4), tr.GRU(2, 4), readout()
    ),
    "the readout knows 9 words, the decoder takes 7": lambda: tr.EncoderDecoder(*cells(m=7), readout(9)),
    "end must lie in 0..6, got 7": lambda: tr.EncoderDecoder(*cells(m=7), readout(), end=7),
    "begin must lie in 0..6, got -1": lambda: tr.EncoderDecoder(*cells(m=7), readout(), begin=-1),
    "cannot be Bidirectional": lambda: tr.EncoderDecoder(
        *(tr.Bidirectional(tr.GRU(n, 2), tr.GRU(n, 2)) for n in (3, 7)), readout()
    ),
    "cannot have learn_state": lambda: tr.EncoderDecoder(*cells(m=7, learn_state=True), readout()),
    "leave checkpoint out": lambda: build().gradients(*batch(build()), checkpoint=3),
    'how must be "greedy" or "sample", got \'beam\'': lambda: build().decode(np.zeros((2, 1), int), how="beam"),
    "temperature must be positive, got 0": lambda: build().decode(np.zeros((2, 1), int), temperature=0),
    "max_length must be at least 1, got 0": lambda: build().decode(np.zeros((2, 1), int), max_length=0),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_is_refused_in_one_line(message):
    with pytest.raises(ValueError, match=message) as caught:
        REFUSED[message]()
    assert "\n" not in str(caught.value)


def test_targets_of_minus_100_are_masked_as_in_pytorch():
    network = tr.EncoderDecoder(tr.GRU(5, 4, rng=0), tr.GRU(6, 4, rng=1), tr.Readout(4, 6, rng=2))
    rng = np.random.default_rng(3)
    source, target, mask = rng.integers(0, 5, (3, 2)), rng.integers(0, 6, (4, 2)), np.ones((4, 2), bool)
    mask[2:, 0] = False
    marked = np.where(mask, target, -100)
    one, other = network.gradients(source, target, target_mask=mask), network.gradients(source, marked)
    assert one.loss == other.loss and np.array_equal(one.y[mask], other.y[mask])
    for name, gradient in one.params.items():
        assert np.array_equal(gradient, other.params[name])
    assert np.array_equal(network.forward(source, marked)[0][mask], one.y[mask])

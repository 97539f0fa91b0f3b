"""The encoder-decoder: gradients of the whole, teacher forcing, masks and input reversal."""

import copy

import numpy as np
import pytest
import strict_xp
from contract import assert_same, leaves
from hypothesis import given
from hypothesis import strategies as st
from translators import (
    PAIRS,
    SOURCE,
    TARGET,
    B,
    H,
    S,
    T,
    batch,
    build,
    complex_step,
    hand_written,
    loss_of,
    upstream_of,
)

import tinyrnn as tr
from tinyrnn.nn.interop import to_torch
from tinyrnn.nn.losses import softmax_cross_entropy
from tinyrnn.nn.reversal import reading_order, reordered

# gradients --------------------------------------------------------------------------------------------------------


@pytest.mark.few(1)
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


@pytest.mark.few(1)
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


@pytest.mark.slow
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

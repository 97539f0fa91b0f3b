"""What an encoder-decoder says step by step; saving it, and what is refused."""

import numpy as np
import pytest
from contract import assert_same
from translators import SOURCE, TARGET, B, H, S, batch, build

import tinyrnn as tr
from tinyrnn.nn.interop import load, save

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

"""Translation: the two languages, what is held out, the scores, and a run from the command line."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyrnn.commands.main import main
from tinyrnn.core.files import read_json
from tinyrnn.nn.saving import load
from tinyrnn.tasks import Pairs, Translation
from tinyrnn.tasks.bleu import bleu
from tinyrnn.tasks.toy_language import (
    ADJECTIVES,
    ENDINGS,
    NOUNS,
    PREPOSITIONS,
    clause,
    noun_phrase,
    sentence,
    source_words,
    target_words,
    verb,
)
from tinyrnn.tasks.translation import is_held_out, uniforms
from tinyrnn.training.evaluation import evaluate
from tinyrnn.training.run_folder import RunFolder
from tinyrnn.training.settings import Settings, build
from tinyrnn.training.shards import counted, take
from tinyrnn.training.trainer import Trainer

TINY = {"task": "translation", "hidden": 8, "batch": 4, "updates": 6, "log_every": 2, "save_every": 2, "lr": 0.01}
TINY_TASK = {"shortest": 3, "longest": 7}


@pytest.fixture(autouse=True)
def few_held_out(monkeypatch):
    monkeypatch.setattr(Translation, "test_size", 40)


def words_of(pairs, task):
    """The (source, target) word lists that `Pairs` stand for."""
    for b in range(pairs.source.shape[1]):
        source = [task.source_words[k] for k in pairs.source[pairs.mask[:, b], b]]
        target = [task.target_words[k] for k in pairs.target[pairs.target_mask[:, b], b]]
        yield source, target


# the languages ----------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(3, 12), st.integers(4, 20))
def test_a_sentence_has_the_length_asked_for_and_words_of_both_languages(seed, least, more):
    source, target = sentence(uniforms(np.random.default_rng(seed)), least, least + more)
    assert least <= len(source) <= least + more
    assert set(source) <= set(source_words()) and set(target) <= set(target_words())


def test_every_word_of_both_languages_is_used_and_lengths_vary_from_6_to_25():
    draw = uniforms(np.random.default_rng(0))
    pairs = [sentence(draw, 6, 25) for _ in range(3000)]
    assert {word for source, _ in pairs for word in source} == set(source_words())
    assert {word for _, target in pairs for word in target} == set(target_words())
    assert {len(source) for source, _ in pairs} == set(range(6, 26))
    assert len(source_words()) > 100 and len(target_words()) > 150


def test_the_translation_of_a_sentence_does_not_depend_on_how_it_was_drawn():
    known = {}
    for seed in range(3):
        draw = uniforms(np.random.default_rng(seed))
        for _ in range(8000):
            source, target = clause(draw)
            assert known.setdefault(tuple(source), target) == target


def test_articles_adjectives_and_numbers_agree_with_the_noun_and_follow_or_precede_it():
    draw = uniforms(np.random.default_rng(1))
    nouns = {noun.stem: noun for noun in NOUNS}
    for _ in range(500):
        number = 1 + int(draw() * 2)
        source, target = noun_phrase(draw, number)
        noun = nouns[target[1][:-1]]
        assert target[1].endswith(ENDINGS[noun.gender, number])
        assert " ".join(source).endswith(noun.singular if number == 1 else noun.plural)
        assert target[0][-1] == ENDINGS[noun.gender, number] or target[0] == "lo"
        described = [word for word in source if word in ADJECTIVES]
        after = target[2 + len(noun.after.split()) :]
        if described:
            assert after[0] == ADJECTIVES[described[0]] + ENDINGS[noun.gender, number]


@pytest.mark.parametrize(
    "numbers, wanted",
    [
        ([0.0, 0.1], ("sees", "vidat")),
        ([0.0, 0.6], ("does not see", "ne vidat pa")),
        ([0.0, 0.7], ("will see", "vidaru")),
        ([0.0, 0.9, 0.0], ("often sees", "vidat sepe")),
        ([0.3, 0.6], ("does not look for", "ne nefat pa")),
    ],
)
def test_one_word_may_be_several_and_several_one(numbers, wanted):
    from tinyrnn.tasks.toy_language import TRANSITIVE

    source, target = verb(iter(numbers).__next__, TRANSITIVE, 1)
    assert (" ".join(source), " ".join(target)) == wanted


def test_prepositions_stand_before_the_phrase_in_the_source_and_behind_it_in_the_target():
    draw = uniforms(np.random.default_rng(2))
    seen = 0
    for _ in range(300):
        source, target = clause(draw)
        text = " ".join(source)
        for preposition, said in PREPOSITIONS.items():
            if re.search(rf"\b{preposition}\b", text):
                assert target[-1] == said
                seen += 1
    assert seen > 50


# the task ---------------------------------------------------------------------------------------------------------


def test_batches_are_padded_pairs_with_an_end_that_counts():
    task = Translation()
    pairs = task.batch(0, 0, 16)
    assert isinstance(pairs, Pairs) and pairs.mask.dtype == pairs.target_mask.dtype == bool
    assert pairs.source.shape == pairs.mask.shape and pairs.target.shape == pairs.target_mask.shape
    assert pairs.mask[-1].any() and pairs.target_mask[-1].any()  # padded to the longest, and no longer
    assert not pairs.source[~pairs.mask].any() and not pairs.target[~pairs.target_mask].any()
    for source, target in words_of(pairs, task):
        assert 6 <= len(source) <= 25
        assert target[-1] == "</s>" and not {"<s>", "</s>"} & {*source, *target[:-1]}
    assert task.target_words[:2] == ["<s>", "</s>"]  # the class numbers that an EncoderDecoder expects


def test_a_batch_depends_on_seed_and_step_alone():
    task = Translation()
    first, again = task.batch(3, 5, 8), Translation().batch(3, 5, 8)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    others = [task.batch(3, 6, 8), task.batch(4, 5, 8)]
    assert all(list(words_of(first, task)) != list(words_of(other, task)) for other in others)


def test_the_task_reads_the_source_in_its_own_order_whatever_the_network_does():
    assert [*words_of(Translation(reverse=True).batch(0, 0, 4), Translation())] == [
        *words_of(Translation().batch(0, 0, 4), Translation())
    ]


def test_held_out_sentences_are_never_trained_on_and_all_different(monkeypatch):
    monkeypatch.setattr(Translation, "test_size", 1000)
    task = Translation()
    held_out = {source for source, _ in task.held_out}
    assert len(held_out) == 1000 and all(map(is_held_out, held_out))
    trained = {tuple(source) for seed in range(2) for source, _ in words_of(task.batch(seed, 0, 1500), task)}
    assert not any(map(is_held_out, trained)) and not held_out & trained
    draw = uniforms(np.random.default_rng(0))
    assert abs(np.mean([is_held_out(sentence(draw, 6, 25)[0]) for _ in range(4000)]) - 0.1) < 0.02


def test_the_test_set_is_the_same_in_batches_of_any_size():
    task = Translation()
    parts = [pair for size in (40, 7) for batch in [*task.test_batches(size)] for pair in words_of(batch, task)]
    assert parts[:40] == parts[40:]
    assert [(tuple(s), tuple(t[:-1])) for s, t in parts[:40]] == list(task.held_out)


def test_the_baseline_is_the_entropy_of_the_target_words():
    task = Translation()
    words = [word for _, target in task.held_out for word in (*target, "</s>")]
    p = np.array([words.count(word) for word in set(words)]) / len(words)
    assert task.baseline == pytest.approx(-(p * np.log(p)).sum())


@pytest.mark.parametrize(
    "options, message",
    [
        ({"shortest": 2}, "shortest must be a whole number of at least 3, got 2"),
        ({"shortest": 10, "longest": 13}, r"longest must be at least shortest \+ 4 = 14, got 13"),
        ({"reverse": 1}, "reverse must be True or False, got 1"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(options, message):
    with pytest.raises(ValueError, match=f"^translation: {message}"):
        Translation(**options)


# scores -----------------------------------------------------------------------------------------------------------


def test_bleu_is_1_for_the_reference_and_0_without_a_common_run_of_four():
    wanted = ["a b c d e".split(), "f g h i".split()]
    assert bleu(wanted, wanted) == pytest.approx(1)
    assert bleu(["a b c x e".split(), "f g x h".split()], wanted) == 0


def test_bleu_is_what_the_formula_gives_by_hand():
    # n-grams in common: 5 of 6, 4 of 5, 3 of 4, 2 of 3; "a" counts once, as often as it is in the reference
    assert bleu(["a b c d e a".split()], ["a b c d e f g".split()]) == pytest.approx(
        np.exp(1 - 7 / 6) * (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25
    )
    # a longer translation pays by its precision alone
    assert bleu(["a b c d e".split()], ["a b c d".split()]) == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)
    with pytest.raises(ValueError, match="expected as many sentences as references, got 0 and 0"):
        bleu([], [])


class Knowing:
    """Stands for a network that says the held-out targets, the first `wrong` of them with one word too many."""

    def __init__(self, task, wrong):
        self.task, self.wrong, self.said = task, wrong, 0

    def decode(self, source, mask, max_length):
        size = source.shape[1]
        pairs = self.task.held_out[self.said : self.said + size]
        extra = [("ne",) if self.said + k < self.wrong else () for k in range(size)]
        self.said += size
        batch = self.task.encode([(s, t + e) for (s, t), e in zip(pairs, extra, strict=True)])
        assert np.array_equal(batch.source, source) and len(batch.target) <= max_length
        return batch.target, batch.target_mask


def test_a_sentence_is_exact_if_every_word_is_right():
    task = Translation()
    assert task.score(Knowing(task, 0), size=15) == {"exact": 1.0, "bleu": pytest.approx(1)}
    scores = task.score(Knowing(task, 10), size=15)
    assert scores["exact"] == 0.75 and 0.9 < scores["bleu"] < 1


# runs -------------------------------------------------------------------------------------------------------------


def settings(**changes):
    return Settings(**{**TINY, "task_options": TINY_TASK, **changes})


def test_the_network_is_what_the_settings_say():
    task, model = build(settings(cell="gru", layers=2, embedding=5, task_options={**TINY_TASK, "reverse": True}))
    assert model.reverse and (model.input_size, model.target_size) == (task.input_size, task.output_size)
    assert list(model.parts) == ["source_embedding", "encoder", "target_embedding", "decoder", "readout"]
    assert [c.name for c in model.encoder.layers] == [c.name for c in model.decoder.layers] == ["GRU", "GRU"]
    assert not build(settings())[1].reverse
    assert build(settings(cell="urnn"))[1].encoder.learn_state  # but not the decoder, which begins where that ends
    for name in "bidirectional", "pool":
        with pytest.raises(ValueError, match=f"^translation is done by an encoder and a decoder, which have no {name}"):
            build(settings(**{name: True if name == "bidirectional" else 2}))


def test_evaluation_weighs_every_word_the_same():
    task, model = build(settings(dtype="float64"))
    whole = evaluate(model, task, task.test_batches(40))
    parts = evaluate(model, task, task.test_batches(7))
    assert parts["test_loss"] == pytest.approx(whole["test_loss"]) and parts == pytest.approx(whole)


def test_shards_of_a_batch_add_up_to_it():
    task, model = build(settings(dtype="float64"))
    batch = task.batch(0, 0, 7)
    parts = [take(batch, task.readout, k, 3) for k in range(3)]
    assert [part.source.shape[1] for part in parts] == [2, 2, 3]
    n = counted(batch, task.readout, model.loss)
    assert sum(counted(part, task.readout, model.loss) for part in parts) == n == batch.target_mask.sum()
    whole, results = model.gradients(*batch), [model.gradients(*part) for part in parts]
    shares = [counted(part, task.readout, model.loss) / n for part in parts]
    for name, d in whole.params.items():
        assert np.allclose(sum(s * r.params[name] for s, r in zip(shares, results, strict=True)), d, atol=1e-12)


@pytest.mark.slow
def test_training_learns_and_a_resumed_run_is_the_same_to_the_bit(tmp_path):
    whole = Trainer(settings(updates=40, schedule="cosine"), tmp_path / "whole").run(progress=False)
    stopped = Trainer(settings(updates=40, schedule="cosine"), tmp_path / "stopped")
    stopped.folder.start(read_json(tmp_path / "whole" / "settings.json"))
    stopped.started = True
    for _ in range(13):
        stopped.record(*stopped.update())
    resumed = Trainer.resume(tmp_path / "stopped")
    assert resumed.step == 12
    resumed.run(progress=False)
    for name in ("whole", "stopped"):
        assert RunFolder(tmp_path / name).rows()[-1]["step"] == 40
    one, other = (load(tmp_path / name / "model.safetensors").params for name in ("whole", "stopped"))
    assert all(np.array_equal(one[name], other[name]) for name in one)
    rows = RunFolder(tmp_path / "whole").rows()
    assert rows[-1]["loss"] < rows[0]["loss"] - 0.2
    assert {"test_loss", "test_accuracy", "test_exact", "test_bleu"} <= set(whole)


def test_train_and_translate_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = "--reverse --longest 10 --hidden 8 --batch 4 --updates 3 --threads 1 --out run"
    assert main(["train", "translation", "--cell", "lstm", *options.split()]) == 0
    out = capsys.readouterr().out
    assert "of the sentences right to the last word, BLEU" in out
    assert json.loads((tmp_path / "run" / "settings.json").read_text())["task_options"] == {
        "reverse": True,
        "longest": 10,
    }
    assert main(["translate", "run", "The small dog sleeps."]) == 0
    said = capsys.readouterr().out.split()
    task, model = Translation(reverse=True, longest=10), load(tmp_path / "run" / "model.safetensors")
    assert model.reverse and set(said) <= set(task.target_words)
    words, mask = model.decode(task.read("the small dog sleeps"), max_length=40)
    assert tuple(said) == task.sentences(words, mask)[0]
    samples = []
    for seed in "1", "1", "2":
        assert main(["translate", "run", "the dog", "--sample", "--seed", seed]) == 0
        samples.append(capsys.readouterr().out)
    assert samples[0] == samples[1] != samples[2]


def refused(line, capsys):
    status = main(line)
    err = capsys.readouterr().err
    assert status == 2 and err.count("\n") == 1
    return err


def test_a_sentence_or_run_that_cannot_be_translated_is_an_error_of_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Trainer(settings(updates=1), "run").run(progress=False)
    assert "unknown word 'wolf'; known are a, again" in refused(["translate", "run", "the wolf sleeps"], capsys)
    assert "no word to translate in ' .'" in refused(["translate", "run", " ."], capsys)
    assert "holds no run" in refused(["translate", "nowhere", "the dog"], capsys)
    assert "temperature must be positive" in refused(
        ["translate", "run", "the dog", "--sample", "--temperature", "0"], capsys
    )
    (tmp_path / "run" / "model.safetensors").unlink()
    assert "is not finished: go on with: tinyrnn train --resume run" in refused(["translate", "run", "the dog"], capsys)
    Trainer(Settings(task_options={"delay": 3}, hidden=4, updates=1, batch=2), "copy").run(progress=False)
    assert "copy is a run of copy, not of a translation" in refused(["translate", "copy", "the dog"], capsys)

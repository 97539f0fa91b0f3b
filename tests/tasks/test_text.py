"""Language models' data: every symbol is read and predicted once an epoch, in order, by the vocabulary of training."""

import dataclasses
import json
import re
import zipfile
from itertools import count, takewhile
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_texts import write_penn, write_text

from tinyrnn.tasks import TASKS, Enwik8, PennCharacters, PennWords, TextFile, corpora
from tinyrnn.tasks.text import Language
from tinyrnn.tasks.windows import SHORTEST

SYMBOLS = np.arange(211)  # a text whose every symbol tells its place; a prime, so that nothing divides it


@dataclasses.dataclass(frozen=True)
class Counting(Language):
    """Reads the places 0, 1, 2, … of a text."""

    name: ClassVar = "counting"

    def read(self):
        return corpora.Corpus(SYMBOLS, SYMBOLS[:41], SYMBOLS[:83], tuple(map(chr, SYMBOLS)))


def columns(batches):
    """What each stream reads and is asked for, one batch after the other: two lists of lists."""
    x, target = (np.concatenate([batch[k] for batch in batches]) for k in range(2))
    return x.T.tolist(), target.T.tolist()


def epoch_of(task, seed, size, epoch=0):
    """The batches of one epoch."""
    steps = takewhile(lambda k: task.epoch(seed, k, size) <= epoch, count())
    return [task.batch(seed, k, size) for k in steps if task.epoch(seed, k, size) == epoch]


tasks = st.builds(Counting, window=st.integers(1, 60), random_windows=st.booleans())
seeds, sizes = st.integers(0, 2**40), st.integers(1, 30)


# training


@given(tasks, seeds, sizes, st.integers(0, 3))
def test_an_epoch_reads_each_stream_in_order_and_asks_for_what_follows(task, seed, size, epoch):
    read, asked = columns(epoch_of(task, seed, size, epoch))
    length = 210 // size
    for j in range(size):
        assert read[j] == list(range(j * length, (j + 1) * length))
        assert asked[j] == list(range(j * length + 1, (j + 1) * length + 1))


@given(tasks, seeds, sizes)
def test_the_state_begins_anew_with_every_epoch_and_nowhere_else(task, seed, size):
    steps = range(2 * 210 // (size * min(task.window, 5)))
    epochs = [task.epoch(seed, k, size) for k in steps]
    assert [task.begins(seed, k, size) for k in steps] == [k == 0 or epochs[k] > epochs[k - 1] for k in steps]
    assert epochs[0] == 0 and set(np.diff(epochs)) <= {0, 1} and epochs[-1] > 0


def test_windows_are_all_alike_but_the_last_of_an_epoch_and_do_not_touch_the_learning_rate():
    task = Counting(window=30)
    lengths = [len(task.batch(0, k, 2).x) for k in range(8)]
    assert lengths == [30, 30, 30, 15, 30, 30, 30, 15]
    assert {task.rate_factor(0, k, 2) for k in range(8)} == {1.0}
    assert task.steps == 30


@pytest.mark.parametrize("window", [70, 150])
def test_random_windows_have_the_lengths_of_merity_et_al(window):
    task = Counting(window=window, random_windows=True)
    task.__dict__["corpus"] = corpora.Corpus(np.zeros(800_001, np.uint8), SYMBOLS, SYMBOLS, ("a", "b"))
    edges = np.array(task.place(0, 0, 1)[1])
    lengths = np.diff(edges)[:-1]
    assert lengths.min() >= SHORTEST
    halved = lengths < 0.75 * window
    assert halved.mean() == pytest.approx(0.05, abs=0.01)
    for some, middle in (lengths[halved], window / 2), (lengths[~halved], window):
        assert some.mean() == pytest.approx(middle - 0.5, abs=1)  # lengths are cut to whole numbers
        assert some.std() == pytest.approx(5, rel=0.15)


def test_no_random_window_is_shorter_than_5_steps_unless_the_text_ends():
    lengths = [len(batch.x) for batch in epoch_of(Counting(window=6, random_windows=True), 0, 1)]
    assert min(lengths[:-1]) == 5 and max(lengths) > 10


def test_the_learning_rate_is_scaled_by_the_length_of_a_random_window():
    task = Counting(window=20, random_windows=True)
    for k in range(50):
        assert task.rate_factor(3, k, 5) == len(task.batch(3, k, 5).x) / 20


def test_random_windows_depend_on_seed_and_epoch_and_on_nothing_that_was_asked_before():
    task = Counting(window=20, random_windows=True)
    wanted = {(seed, k): task.bounds(seed, k, 4) for seed in (0, 1) for k in range(60)}
    twin = Counting(window=20, random_windows=True)
    assert {key: twin.bounds(*key, 4) for key in reversed(wanted)} == wanted
    assert [wanted[0, k] for k in range(60)] != [wanted[1, k] for k in range(60)]
    first, second = ([batch.x[:, 0].tolist() for batch in epoch_of(task, 0, 4, epoch)] for epoch in (0, 1))
    assert first != second


def test_a_sample_is_of_windows_from_all_over_the_text():
    x, target, mask = Counting(window=10).sample(0, 5000)
    assert x.shape == target.shape == (10, 5000) and mask is None
    assert np.array_equal(target, x + 1) and np.array_equal(x - x[0], np.repeat(np.arange(10)[:, None], 5000, 1))
    assert set(x[0]) == set(range(201))


# evaluation


@given(st.integers(1, 40), st.integers(1, 300), st.integers(1, 300), st.sampled_from(["valid", "test"]))
def test_evaluation_asks_for_every_symbol_but_the_first_once_and_reads_the_one_before(window, streams, size, part):
    task = Counting(window=window, test_streams=streams)
    text = getattr(task.corpus, part)
    batches = list(getattr(task, f"{part}_batches")(size))
    asked = []
    for x, target, mask in batches:
        assert x.shape == target.shape and x.shape[1] <= min(streams, size) and len(x) <= window
        counts = np.ones(x.shape, bool) if mask is None else mask
        assert np.array_equal(x[counts] + 1, target[counts]) and x.max() < len(text)
        asked += target[counts].tolist()
    assert sorted(asked) == list(range(1, len(text)))
    assert len({batch.x.shape[1] for batch in batches}) == 1  # or no state could be carried on
    read = np.concatenate([batch.x for batch in batches])
    assert np.all((np.diff(read, axis=0) == 1) | (read[1:] == len(text) - 1))


# files


def test_words_are_numbered_as_they_occur_and_lines_end_with_eos(offline):
    words = write_penn(offline[0])
    task = PennWords()
    for part in corpora.PARTS:
        assert [task.symbols[k] for k in getattr(task.corpus, part)] == words[part]
    assert task.symbols[:2] == ("the", "cat") and len(task.symbols) == len(set(words["train"]))
    assert task.input_size == task.output_size == len(task.symbols)


def test_characters_are_the_words_spelt_out(offline):
    words = write_penn(offline[0])
    task = PennCharacters()
    for part in corpora.PARTS:
        spelt = " ".join(words[part]).replace(" <eos> ", "\n").replace(" <eos>", "\n")
        assert task.decode(getattr(task.corpus, part)) == spelt
    assert "_" in task.symbols and " " not in task.symbols and "\n" in task.symbols


def test_a_symbol_that_training_has_not_is_one_more_class_in_the_other_parts(offline):
    write_penn(offline[0])
    known = len(PennWords().symbols)
    with open(offline[0] / "ptb/ptb.test.txt", "a") as file:
        file.write(" zebra yak zebra \n")
    task = PennWords()
    assert len(task.symbols) == known + 1 and task.corpus.test[-4:].tolist()[:3] == [known] * 3
    assert task.corpus.train.max() < known and task.corpus.valid.max() < known


def write_enwik8(folder, content, zipped):
    (folder / "text").mkdir(exist_ok=True)
    if zipped:
        with zipfile.ZipFile(folder / "text/enwik8.zip", "w") as archive:
            archive.writestr("enwik8", content)
    else:
        (folder / "text/enwik8.first4000000").write_bytes(content)


@pytest.mark.parametrize("zipped", [True, False])
def test_a_beginning_of_enwik8_is_split_by_shares_and_says_that_it_compares_with_nothing(offline, zipped):
    content = bytes(np.random.default_rng(0).integers(0, 200, 4000, dtype=np.uint8)) + "é".encode()[:1]
    write_enwik8(offline[0], content, zipped)
    task = Enwik8()
    assert [len(part) for part in task.corpus[:3]] == [3600, 200, 201]
    assert b"".join(task.symbols[k] for part in task.corpus[:3] for k in part)[:4000] == content[:4000]
    assert "on the first 4,001 bytes of enwik8 only: not comparable" in task.note


def test_the_whole_of_enwik8_is_split_as_published_and_needs_no_note(offline, monkeypatch):
    monkeypatch.setattr(corpora, "ENWIK8_SIZE", 4000)
    write_enwik8(offline[0], bytes(range(200)) * 20, zipped=True)
    task = Enwik8()
    assert [len(part) for part in task.corpus[:3]] == [3600, 200, 200] and task.note == ""


def test_any_text_is_read_by_characters(tmp_path):
    path = tmp_path / "mine.txt"
    text = "ähnlich wie £ und €: " * 100
    path.write_text(text, encoding="utf-8")
    task = TextFile(file=str(path))
    assert "".join(task.decode(part) for part in task.corpus[:3]) == text
    assert [len(part) for part in task.corpus[:3]] == [1890, 105, 105]
    assert task.symbols == tuple(sorted(set(text)))
    assert task.decode(task.encode("wie")) == "wie"


@pytest.mark.parametrize(
    "content, message",
    [
        (None, "does not exist or is not a file"),
        (b"\xff\xfe\xff", "is not a text in UTF-8 .invalid start byte at byte 0"),
        (b"", "the text is too short: its train part has 0 symbols"),
        (b"too short", "the text is too short: its valid part has 0 symbols, and needs at least 2"),
    ],
)
def test_what_is_no_text_is_an_error_of_one_line(content, message, tmp_path):
    path = tmp_path / "mine.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises((ValueError, FileNotFoundError), match=message) as error:
        TextFile(file=str(path)).batch(0, 0, 1)
    assert "\n" not in str(error.value)


def test_damaged_files_are_errors_of_one_line(offline):
    write_enwik8(offline[0], b"", zipped=False)
    (offline[0] / "text/enwik8.zip").write_bytes(b"PK, but no zip file")
    with pytest.raises(ValueError, match=r"enwik8\.zip is damaged, or no zip file with enwik8 in it"):
        Enwik8().batch(0, 0, 1)
    write_penn(offline[0])
    (offline[0] / "ptb/ptb.char.valid.txt").write_bytes(b"\xe9 \n")
    with pytest.raises(ValueError, match=r"ptb\.char\.valid\.txt is not the Penn Treebank"):
        PennCharacters().batch(0, 0, 1)


@pytest.mark.parametrize(
    "name, file",
    [
        ("ptb-word", "ptb/ptb.train.txt"),
        ("ptb-char", "ptb/ptb.char.train.txt"),
        ("enwik8", "text/enwik8.zip"),
        ("text", "text/tinyshakespeare.txt"),
    ],
)
def test_without_its_files_a_task_says_in_one_line_what_to_put_where(offline, name, file):
    with pytest.raises(FileNotFoundError, match=rf"{re.escape(file)} is not on this machine .* put it at ") as error:
        TASKS[name]().batch(0, 0, 1)
    assert "\n" not in str(error.value)


# units, text and numbers


def test_losses_are_reported_in_the_units_of_the_sources():
    assert PennCharacters().reported(np.log(2), "test_") == {"test_bpc": pytest.approx(1)}
    assert Enwik8().reported(np.log(8)) == {"bpc": pytest.approx(3)}
    words = PennWords().reported(np.log(58.8))  # Orhan & Pitkow's table 1 has 5.878 for a perplexity of 58.8
    assert words == {"perplexity": pytest.approx(58.8), "bits_per_word": pytest.approx(5.878, abs=5e-4)}
    assert PennWords().reported(1e4)["perplexity"] == np.inf
    assert TASKS["adding"]().reported(1.0) == {}


def test_the_baseline_is_the_loss_of_predicting_by_frequency(tmp_path):
    write_text(tmp_path / "a.txt")
    task = TextFile(file=str(tmp_path / "a.txt"))
    counts = np.bincount(task.corpus.train)
    p = counts / counts.sum()
    assert task.baseline == pytest.approx(-np.mean(np.log(p[task.corpus.train])))


def test_text_and_numbers_are_translated_as_one_would_write_them(offline):
    write_penn(offline[0])
    words, characters = PennWords(), PennCharacters()
    assert words.decode(words.encode("the cat\nsat on\n")) == "the cat \nsat on \n"
    assert characters.decode(characters.encode("the cat\nsat")) == "the cat\nsat"
    for task, text, foreign in (words, "the zebra", "zebra"), (characters, "the zebra", "z"):
        with pytest.raises(ValueError, match=f"{task.name}: the training text has no '{foreign}'"):
            task.encode(text)
        assert len(task.encode(task.opening)) == 1


@pytest.mark.parametrize("task", [Counting(), Counting(window=7, random_windows=True)])
def test_a_batch_is_of_fresh_int64_arrays_and_wrong_arguments_are_refused(task):
    x, target, mask = task.batch(0, 3, 6)
    assert (x.dtype, target.dtype, mask) == (np.int64, np.int64, None)
    assert x.flags.c_contiguous and x.flags.writeable and target.flags.writeable
    for wrong in (-1, 0), (0, -1), (None, 0), (0, 1.0):
        with pytest.raises((ValueError, TypeError)):
            task.batch(*wrong, 4)
    for draw in (
        lambda *a: task.sample(0, *a),
        lambda *a: task.batch(0, 0, *a),
        lambda *a: next(task.test_batches(*a)),
    ):
        with pytest.raises(ValueError, match="at least 1 sequence, got size=0"):
            draw(0)
        with pytest.raises(TypeError, match="float type such as 'float32', got 'int64'"):
            draw(4, "int64")


def test_a_text_makes_no_more_streams_than_it_has_symbols():
    assert Counting().batch(0, 0, 210).x.shape == (1, 210)
    with pytest.raises(ValueError, match="a text of 211 symbols makes no 211 streams"):
        Counting().batch(0, 0, 211)


@pytest.mark.parametrize(
    "task", [PennWords(), PennCharacters(random_windows=True), Enwik8(window=3), TextFile(file="x")]
)
def test_the_settings_survive_a_json_file(task):
    assert type(task)(**json.loads(json.dumps(dataclasses.asdict(task)))) == task


def test_a_file_that_is_no_text_is_refused_by_name():
    with pytest.raises(ValueError, match="text: file must be text, got 3"):
        TextFile(file=3)


# the real files


def test_the_real_texts_have_the_published_sizes(data_dir):
    if not (data_dir / "ptb").is_dir():
        pytest.skip(f"there is no ptb/ in {data_dir}")
    words, characters = PennWords(), PennCharacters()
    assert [len(part) for part in words.corpus[:3]] == [929589, 73760, 82430]
    assert [len(part) for part in characters.corpus[:3]] == [5017482, 393042, 442423]
    assert (words.input_size, characters.input_size) == (10000, 50)
    spelt = words.decode(words.corpus.valid)[:5000].replace(" \n", "\n")
    assert characters.decode(characters.corpus.valid[:6000]).startswith(spelt[:4000])
    assert TextFile().input_size == 65

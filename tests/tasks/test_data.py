"""Finding, downloading and reading data files: whatever is wrong with them is said in one line."""

import gzip
import hashlib
import re
import tempfile
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from idx_files import idx_bytes, write_idx

from tinyrnn.tasks import data

NAME = "mnist/t10k-labels-idx1-ubyte.gz"


def raises(error, *words):
    """Expects an error of one line in which all the `words` occur, in this order."""
    return pytest.raises(error, match=r"\A[^\n]*" + "[^\n]*".join(map(re.escape, words)) + r"[^\n]*\Z")


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


# finding


def test_the_data_folder_comes_before_the_cache_folder(offline):
    data_folder, cache = offline
    cached = write_idx(cache / NAME, np.zeros(2, np.uint8))
    assert data.find(NAME) == cached
    own = write_idx(data_folder / NAME, np.zeros(3, np.uint8))
    assert data.find(NAME) == own


def test_without_a_data_folder_the_cache_in_the_home_folder_is_used(offline, tmp_path, monkeypatch):
    monkeypatch.delenv("TINYRNN_DATA")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    cached = write_idx(tmp_path / "home/.cache/tinyrnn" / NAME, np.zeros(2, np.uint8))
    assert data.find(NAME) == cached


def test_an_unknown_file_is_refused_with_the_names_that_exist(offline):
    with raises(ValueError, "'mnist/train.gz'", NAME):
        data.find("mnist/train.gz")


def test_a_data_folder_that_does_not_exist_is_an_error_and_nothing_is_downloaded(offline, monkeypatch):
    monkeypatch.setenv("TINYRNN_DATA", "/no/such/folder")
    with raises(NotADirectoryError, "TINYRNN_DATA", "/no/such/folder"):
        data.find(NAME)


def test_offline_the_error_says_which_file_to_put_where(offline):
    with raises(FileNotFoundError, NAME, "no network", str(offline[1] / NAME), "TINYRNN_DATA"):
        data.find(NAME)
    assert files_in(offline[1]) == []


# downloading


@pytest.fixture
def published(offline, tmp_path, monkeypatch):
    """Publishes some bytes under NAME at file:// addresses; `publish(*contents)` one address each."""
    content = gzip.compress(idx_bytes(np.arange(9, dtype=np.uint8)))
    monkeypatch.setattr(data, "urlopen", urllib.request.urlopen)

    def publish(*contents):
        urls = []
        for k, sent in enumerate(contents):
            page = tmp_path / f"page{k}"
            if sent is not None:
                page.write_bytes(sent)
            urls.append(page.as_uri())
        entry = data.Published(hashlib.sha256(content).hexdigest(), tuple(urls))
        monkeypatch.setitem(data.FILES, NAME, entry)

    return publish, content


def test_a_download_lands_whole_in_the_cache_and_is_not_repeated(published, offline, monkeypatch):
    publish, content = published
    publish(content)
    path = data.find(NAME)
    assert path == offline[1] / NAME and path.read_bytes() == content
    assert files_in(offline[1]) == [path]
    monkeypatch.setattr(data, "urlopen", None)
    assert data.find(NAME) == path


@pytest.mark.parametrize("first", [None, b"<html>moved</html>", b""], ids=["absent", "a page", "empty"])
def test_where_one_address_fails_the_next_is_tried(published, offline, first):
    publish, content = published
    publish(first, content)
    assert data.find(NAME).read_bytes() == content


def test_a_download_with_a_wrong_checksum_is_refused_and_leaves_nothing(published, offline):
    publish, content = published
    publish(content[:-1] + b"?")
    with raises(FileNotFoundError, "checksum"):
        data.find(NAME)
    assert files_in(offline[1]) == []


def test_an_interrupted_download_leaves_nothing(published, offline, monkeypatch):
    publish, content = published
    publish(content)

    class Bar(data.Bar):
        def update(self, n=1):
            raise KeyboardInterrupt

    monkeypatch.setattr(data, "Bar", Bar)
    with pytest.raises(KeyboardInterrupt):
        data.find(NAME)
    assert files_in(offline[1]) == []


def test_addresses_are_given_up_after_a_short_time(offline, monkeypatch):
    waits = []

    def hang(url, timeout):
        waits.append((url, timeout))
        raise TimeoutError("timed out")

    monkeypatch.setattr(data, "urlopen", hang)
    with raises(FileNotFoundError, "timed out"):
        data.find(NAME)
    assert [url for url, _ in waits] == list(data.FILES[NAME].urls)
    assert all(0 < timeout <= 30 for _, timeout in waits)


def test_a_cache_folder_that_cannot_be_written_is_reported(published, offline):
    publish, content = published
    publish(content)
    offline[1].parent.mkdir()
    offline[1].write_text("a file where the folder should be")
    with raises(FileNotFoundError, NAME, str(offline[1])):
        data.find(NAME)


# IDX files


@given(arrays(np.uint8, array_shapes(max_dims=4, max_side=5)))
def test_an_idx_file_gives_back_the_array_that_was_written(array):
    with tempfile.TemporaryDirectory() as folder:
        found = data.read_idx(write_idx(Path(folder) / "a.gz", array))
    assert found.dtype == np.uint8 and found.shape == array.shape
    assert np.array_equal(found, array)


@given(shape=array_shapes(max_dims=4, max_side=3), pattern=st.lists(st.none() | st.integers(1, 3), max_size=4))
def test_dimensions_are_accepted_exactly_if_they_fit_the_expected_ones(shape, pattern):
    fit = len(shape) == len(pattern)
    for k in range(min(len(shape), len(pattern))):
        fit = fit and (pattern[k] is None or pattern[k] == shape[k])
    with tempfile.TemporaryDirectory() as folder:
        path = write_idx(Path(folder) / "a.gz", np.zeros(shape, np.uint8))
        if fit:
            assert data.read_idx(path, tuple(pattern)).shape == shape
        else:
            with raises(ValueError, "a.gz", "dimensions"):
                data.read_idx(path, tuple(pattern))


def test_a_missing_idx_file_and_a_folder_in_its_place_are_reported(tmp_path):
    with raises(FileNotFoundError, "nowhere.gz"):
        data.read_idx(tmp_path / "nowhere.gz")
    with raises(FileNotFoundError, str(tmp_path)):
        data.read_idx(tmp_path)


GOOD = idx_bytes(np.arange(24, dtype=np.uint8).reshape(2, 3, 4))


@pytest.mark.parametrize(
    "content, words",
    [
        (b"\0\0\x0d" + GOOD[3:], ["magic number is 0x00000d03"]),
        (b"PK\x03\x04" + GOOD, ["magic number is 0x504b0304"]),
        (b"", ["truncated", "0 bytes"]),
        (GOOD[:3], ["truncated", "3 bytes"]),
        (GOOD[:9], ["truncated", "header of 3 dimensions"]),
        (GOOD[:-5], ["truncated", "5 bytes are missing", "2 x 3 x 4"]),
        (GOOD + b"!?", ["2 bytes too many", "2 x 3 x 4"]),
    ],
)
def test_what_is_wrong_within_an_idx_file_is_named(tmp_path, content, words):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(content))
    with raises(ValueError, str(path), *words):
        data.read_idx(path)


def test_a_file_that_is_not_compressed_is_reported(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(GOOD)
    with raises(ValueError, str(path), "not a gzip file"):
        data.read_idx(path)


def test_every_truncation_of_a_file_is_reported(tmp_path):
    path = tmp_path / "a.gz"
    whole = gzip.compress(GOOD, mtime=0)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        # One byte is not enough to tell a gzip file from another.
        with raises(ValueError, str(path), "truncated" if length != 1 else "not a gzip file"):
            data.read_idx(path)


def test_no_flipped_byte_gives_another_array(tmp_path):
    path = tmp_path / "a.gz"
    whole = gzip.compress(GOOD, mtime=0)
    header = 10  # of gzip: some of its bytes (time stamp, system) mean nothing to the reader
    for k in range(len(whole)):
        path.write_bytes(whole[:k] + bytes([whole[k] ^ 0xFF]) + whole[k + 1 :])
        try:
            found = data.read_idx(path)
        except ValueError as error:
            assert str(path) in str(error) and "\n" not in str(error)
        else:
            assert k < header and found.tobytes() == GOOD[16:]


def test_arrays_are_read_only(tmp_path):
    array = data.read_idx(write_idx(tmp_path / "a.gz", np.zeros(3, np.uint8)))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


# MNIST


@pytest.mark.parametrize("split", ["train", "test"])
def test_an_mnist_of_ones_own_is_read_whatever_its_size(small_mnist, split):
    images, labels = data.mnist(split)
    assert np.array_equal(images, small_mnist[split][0])
    assert np.array_equal(labels, small_mnist[split][1])


@pytest.mark.parametrize(
    "file, array, words",
    [
        ("labels-idx1", np.zeros(59, np.uint8), ["60 images", "59 labels"]),
        ("labels-idx1", np.full(60, 10, np.uint8), ["label 10", "0 to 9"]),
        ("labels-idx1", np.zeros((60, 28, 28), np.uint8), ["60 x 28 x 28", "expected any"]),
        ("images-idx3", np.zeros(60, np.uint8), ["dimensions: 60", "expected any x 28 x 28"]),
        ("images-idx3", np.zeros((60, 32, 32), np.uint8), ["60 x 32 x 32", "expected any x 28 x 28"]),
    ],
)
def test_images_and_labels_that_do_not_fit_together_are_refused(small_mnist, offline, file, array, words):
    path = write_idx(offline[0] / f"mnist/train-{file}-ubyte.gz", array)
    with raises(ValueError, *words) as caught:
        data.mnist("train")
    assert str(path) in str(caught.value)


def test_an_mnist_without_images_is_refused(small_mnist, offline):
    write_idx(offline[0] / "mnist/train-images-idx3-ubyte.gz", np.zeros((0, 28, 28), np.uint8))
    write_idx(offline[0] / "mnist/train-labels-idx1-ubyte.gz", np.zeros(0, np.uint8))
    with raises(ValueError, "train-images", "no images"):
        data.mnist("train")


def test_there_are_two_splits(small_mnist):
    with raises(ValueError, "'train' or 'test'", "'valid'"):
        data.mnist("valid")


def test_the_published_checksums_are_those_of_the_real_files(data_dir):
    for name, entry in data.FILES.items():
        if name == "text/enwik8.zip" and data.local(name) is None:
            continue  # large, and a beginning of what is in it will do
        assert hashlib.sha256(data.find(name).read_bytes()).hexdigest() == entry.sha256, name


def test_the_real_mnist_has_the_known_counts_mean_and_deviation(data_dir):
    images, labels = data.mnist("train")
    assert images.shape == (60000, 28, 28)
    assert np.bincount(labels).tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    counts = np.bincount(images.reshape(-1), minlength=256)
    grey = np.arange(256) / 255
    mean = counts @ grey / images.size
    assert mean == pytest.approx(0.1307, abs=5e-5)
    assert np.sqrt(counts @ (grey - mean) ** 2 / images.size) == pytest.approx(0.3081, abs=5e-5)

    images, labels = data.mnist("test")
    assert images.shape == (10000, 28, 28)
    assert np.bincount(labels).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]

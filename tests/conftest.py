"""What all tests share: data files, real and made up; how hypothesis is set; what may be skipped; what tests cost."""

import gc
import os
import sys
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from chromium import driver  # noqa: F401, a fixture
from idx_files import write_idx
from reporting import Reporting
from sampling import Sampling
from threadpoolctl import threadpool_limits

from tinyrnn.tasks import data

# Hundreds of processes are started, and two of them read all tests: where Python is told to keep no compiled files,
# each would compile the package and the tests anew, twelve seconds for the tests alone.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# the same examples everywhere, so that no run fails by chance; --hypothesis-profile=random looks for new ones
os.environ.setdefault("TINYRNN_STRICT_COMPILER", "1")  # a mistake of the compiler's own is not to go unnoticed
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)  # a busy machine is no reason to fail
hypothesis.settings.register_profile("random", deadline=None)
hypothesis.settings.load_profile("ci")


def pytest_addoption(parser):
    group = parser.getgroup("tinyrnn")
    group.addoption("--may-skip", metavar="REGEX", help="fail if a test is skipped and this is not in the reason")
    group.addoption("--cpu", action="store_true", help="show CPU seconds by file, with those of child processes")
    group.addoption("--whole", action="store_true", help="run all of what is sampled")


def pytest_configure(config):
    config.pluginmanager.register(Reporting(config))
    config.pluginmanager.register(Sampling(config))
    # BLAS threads wait in busy loops, and take from the tests beside them more than they give
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for libraries not yet loaded, and for child processes
    threadpool_limits(1, user_api="blas")
    gc.set_threshold(100_000, 20, 100)  # 13 000 tests live to the end: the collector looks through them less often


@pytest.hookimpl(optionalhook=True)  # there need not be pytest-xdist
def pytest_xdist_make_scheduler(config, log):
    """Whole files for each process, and the rest of one for whoever is done first: dealt out by turns, the tests of a
    file are in two processes, and what they share is made twice."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.fixture(autouse=True, scope="session")
def nothing_waits_for_the_disk():
    """Files are flushed to outlast a power failure, which no test has: where a flush takes 10 ms, 83 tests of training
    and of sweeps waited 10 s for 900 of them, with the processor idle."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


# What is done for every cell is done by default for one of each kind, and for any cell that is not listed; for these,
# which are much like one of those, it is slow. CI runs both.
MUCH_ALIKE = {"elman-relu", "elman-elu", "elman-identity", "irnn", "lt-ornn-relu", "lt-ornn-tanh", "lt-irnn"}
MUCH_ALIKE |= {"lstm-peephole", "lstm-output-matrix", "gru-cho"}
MUCH_ALIKE |= {"urnn-relu", "urnn-full", "urnn-naive", "eurnn", "eurnn-fft"}
MUCH_ALIKE |= {
    "kronecker",
    "lmn-multiscale",
    "antisymmetric",
    "antisymmetric-gated",
    "exprnn",
    "orthogonal-naive",
    "householder",
    "svd-rnn",
}
MUCH_ALIKE |= {"multiplicative", "scrn", "qrnn", "qrnn-f", "qrnn-ifo", "esn"}


@pytest.hookimpl(wrapper=True, tryfirst=True)  # before a few are drawn, and those that are slow left out
def pytest_collection_modifyitems(items):
    for item in items:
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        names = {value if isinstance(value, str) else getattr(value, "cell", None) for value in parameters}
        if any(isinstance(name, str) and name in MUCH_ALIKE for name in names):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)  # stable: else the order is as it was
    return (yield)


@pytest.fixture
def data_dir(monkeypatch):
    """The folder of real data files, which TINYRNN_DATA names during the test; skips where there is none."""
    folder = Path(os.environ.get("TINYRNN_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not (folder / "mnist").is_dir():
        pytest.skip(f"needs real data: set TINYRNN_DATA to a folder that holds mnist/ (there is none in {folder})")
    monkeypatch.setenv("TINYRNN_DATA", str(folder.resolve()))
    return folder


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """A machine without data files and network. Returns (data folder, cache folder), both still empty."""

    def refuse(url, timeout):
        raise OSError("no network")

    (tmp_path / "data").mkdir()
    monkeypatch.setenv("TINYRNN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(data, "urlopen", refuse)
    return tmp_path / "data", tmp_path / "cache" / "tinyrnn"


@pytest.fixture
def small_mnist(offline):
    """An MNIST of 60 + 25 random images in TINYRNN_DATA: image i has first pixel i and label i % 10.

    Returns {"train": (images, labels), "test": …}.
    """
    rng = np.random.default_rng(7)
    arrays = {}
    for split, prefix, n in ("train", "train", 60), ("test", "t10k", 25):
        images = rng.integers(0, 256, (n, 28, 28), dtype=np.uint8)
        images[:, 0, 0] = np.arange(n)
        labels = np.arange(n, dtype=np.uint8) % 10
        write_idx(offline[0] / f"mnist/{prefix}-images-idx3-ubyte.gz", images)
        write_idx(offline[0] / f"mnist/{prefix}-labels-idx1-ubyte.gz", labels)
        arrays[split] = images, labels
    return arrays

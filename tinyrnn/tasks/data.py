"""Real data files: where they are looked for, where they are published, and how they are read.

tinyrnn ships none of them. A file such as `mnist/train-images-idx3-ubyte.gz` is looked for in the folder that
`$TINYRNN_DATA` names, then in the cache folder (`$XDG_CACHE_HOME/tinyrnn`, by default `~/.cache/tinyrnn`),
and else downloaded into the cache folder. A download's checksum must be right; a file that is already there
must only be what its format says, so that a smaller MNIST of one's own works too.
"""

import gzip
import hashlib
import math
import os
import tempfile
import zlib
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import numpy as np

from tinyrnn.core.files import cache_folder
from tinyrnn.core.progress import Bar

TIMEOUT = 10  # seconds without an answer after which an address is given up


class Published(NamedTuple):
    """Where a file is published: its checksum, and addresses that are tried in turn."""

    sha256: str
    urls: tuple[str, ...]


def _mnist(file, sha256):
    # The mirror goes first: it answers over https, while the page of the authors is often closed.
    pages = "https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"
    return {f"mnist/{file}": Published(sha256, tuple(page + file for page in pages))}


def _penn(file, sha256):
    pages = (f"https://raw.githubusercontent.com/{owner}/lstm/master/data/" for owner in ("wojzaremba", "tomsercu"))
    return {f"ptb/{file}": Published(sha256, tuple(page + file for page in pages))}


def _text(file, url, sha256):
    return {f"text/{file}": Published(sha256, (url,))}


FILES = (
    _mnist("train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609")
    | _mnist("train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c")
    | _mnist("t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6")
    | _mnist("t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6")
    | _penn("ptb.train.txt", "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf")
    | _penn("ptb.valid.txt", "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2")
    | _penn("ptb.test.txt", "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0")
    | _penn("ptb.char.train.txt", "e313d91425e06c4f0a8fb6e881dcce0c291f2a0e9f4dda54833069b122f91da9")
    | _penn("ptb.char.valid.txt", "21661f63ec355085879458b6524644d4add5573541b4be14fb52ab2e2e995eb8")
    | _penn("ptb.char.test.txt", "1ef5607ac3c463b16e38bfe7900dd3bfc91de5a96e0f21e7eab5188b465b8ebe")
    | _text(
        "tinyshakespeare.txt",
        "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
        "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    )
    | _text(
        "enwik8.zip",
        "http://mattmahoney.net/dc/enwik8.zip",
        "547994d9980ebed1288380d652999f38a14fe291a6247c157c3d33d4932534bc",
    )
)


def find(name):
    """The path of the data file `name` (a key of FILES), downloaded if it is not on this machine yet.

    Raises ValueError for an unknown name, NotADirectoryError where $TINYRNN_DATA names no folder, and
    FileNotFoundError, which says what to put where, for a file that is neither here nor to be had.
    """
    if name not in FILES:
        raise ValueError(f"no data file is called {name!r}: there are {', '.join(FILES)}")
    if (here := local(name)) is not None:
        return here
    path = cache_folder() / name
    failures = []
    for url in FILES[name].urls:
        try:
            download(url, path, FILES[name].sha256)
            return path
        except (OSError, HTTPException, ValueError) as error:
            failures.append(f"{url}: {' '.join(str(error).split())}")
    raise FileNotFoundError(
        f"{name} is not on this machine and could not be downloaded ({'; '.join(failures)}): "
        f"put it at {path}, or set TINYRNN_DATA to a folder that holds {name}"
    )


def local(name):
    """The path of the file `name` if it is on this machine, else None. NotADirectoryError as for `find`."""
    folders = [cache_folder()]
    if os.environ.get("TINYRNN_DATA"):
        folders.insert(0, Path(os.environ["TINYRNN_DATA"]).expanduser())
        if not folders[0].is_dir():
            raise NotADirectoryError(f"TINYRNN_DATA is {folders[0]}, which is not a folder: correct or unset it")
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    return None


def download(url, path, sha256):
    """Fetches `url` to `path` with a progress bar; `path` appears only when complete and its checksum right.

    Raises OSError where the address does not answer, ValueError where it answers with something else.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    part = tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, suffix=".part", delete=False)
    try:
        with part, urlopen(url, timeout=TIMEOUT) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            with Bar(total=size or None, desc=path.name, unit="B", unit_scale=True, disable=None) as bar:
                while block := answer.read(1 << 16):
                    part.write(block)
                    digest.update(block)
                    bar.update(len(block))
        if digest.hexdigest() != sha256:
            raise ValueError("the checksum of what came back is wrong")
        os.replace(part.name, path)
    finally:
        Path(part.name).unlink(missing_ok=True)


def read_idx(path, shape=None):
    """The array in a gzipped IDX file of unsigned bytes, as read-only uint8.

    The format (on the MNIST page): two zero bytes, the type (8: unsigned byte), the number of dimensions,
    each dimension as a big-endian 32-bit integer, then the items in C order.

    `shape` is the shape expected, with None for a dimension that may be anything.
    Raises FileNotFoundError, or a ValueError that says what is wrong with the file.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist or is not a file")
    try:
        with gzip.open(path) as file:
            content = file.read()
    except EOFError:
        raise ValueError(f"{path} is truncated: its compressed data break off; fetch it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a gzip file, or is corrupted ({error}); fetch it again") from None

    if len(content) < 4:
        raise ValueError(f"{path} is truncated: it holds no more than {len(content)} bytes; fetch it again")
    if content[:3] != b"\0\0\x08":
        raise ValueError(
            f"{path} is no IDX file of bytes: its magic number is 0x{content[:4].hex()}, expected 0x000008nn"
        )
    ndim = content[3]
    start = 4 + 4 * ndim
    if len(content) < start:
        raise ValueError(f"{path} is truncated: it ends within its header of {ndim} dimensions")
    found = tuple(np.frombuffer(content[4:start], ">u4").tolist())
    if shape is not None and not fits(found, shape):
        wanted = " x ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"{path} has the wrong dimensions: {' x '.join(map(str, found))}, expected {wanted}")
    excess = len(content) - start - math.prod(found)
    if excess:
        fault = f"is truncated: {-excess} bytes are missing" if excess < 0 else f"has {excess} bytes too many"
        raise ValueError(f"{path} {fault} for its dimensions {' x '.join(map(str, found))}")
    return np.frombuffer(content, np.uint8, offset=start).reshape(found)


def fits(shape, pattern):
    """Whether `shape` is `pattern`, in which None stands for any number."""
    return len(shape) == len(pattern) and all(n in (m, None) for m, n in zip(shape, pattern, strict=True))


def mnist(split):
    """The MNIST images (N, 28, 28) and their labels (N,), read-only uint8; `split` is "train" or "test".

    Raises ValueError where a file is damaged or images and labels do not fit together.
    """
    prefixes = {"train": "train", "test": "t10k"}
    if split not in prefixes:
        raise ValueError(f"split must be 'train' or 'test', got {split!r}")
    images_path = find(f"mnist/{prefixes[split]}-images-idx3-ubyte.gz")
    labels_path = find(f"mnist/{prefixes[split]}-labels-idx1-ubyte.gz")
    images = read_idx(images_path, (None, 28, 28))
    labels = read_idx(labels_path, (None,))
    if len(images) != len(labels):
        raise ValueError(f"{images_path} holds {len(images)} images, but {labels_path} {len(labels)} labels")
    if not len(images):
        raise ValueError(f"{images_path} holds no images")
    if labels.max() > 9:
        raise ValueError(f"{labels_path} holds the label {labels.max()}: digits are 0 to 9")
    return images, labels

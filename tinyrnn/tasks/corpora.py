"""Texts to be modelled: read, cut into training, validation and test parts, and numbered by their vocabulary.

The vocabulary is that of the training part. What only the other parts have is one more class, "unknown", which is never
trained, so a model pays dearly for it, as it should; the published splits of the Penn Treebank have none. Where the
files are looked for, `tinyrnn.tasks.data` says.
"""

import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tinyrnn.tasks import data

PARTS = ("train", "valid", "test")
EOS = "<eos>"  # stands for the end of a line in the word files
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
ENWIK8_SIZE = 100_000_000
ENWIK8_SLICE = "text/enwik8.first4000000"


class Corpus(NamedTuple):
    """train, valid, test: (N,) class numbers, read-only. symbols: what each class stands for, as text or bytes.

    note: what must be said with every result, or nothing.
    """

    train: np.ndarray
    valid: np.ndarray
    test: np.ndarray
    symbols: tuple
    note: str = ""


def penn_words():
    """Penn Treebank in Mikolov's preprocessing: words, the end of a line read as <eos>.

    929 589 / 73 760 / 82 430 words, 10 000 different ones.
    """
    texts = {part: read_text(data.find(f"ptb/ptb.{part}.txt")) for part in PARTS}
    words = {
        part: [word for line in text.splitlines() for word in (*line.split(), EOS)] for part, text in texts.items()
    }
    return numbered_words(words)


def penn_characters():
    """The same text spelt out: symbols with a space after each, real spaces as `_`, the end of a line a symbol too.

    5 017 482 / 393 042 / 442 423 symbols, 50 different ones.
    """
    parts = {}
    for part in PARTS:
        path = data.find(f"ptb/ptb.char.{part}.txt")
        content = path.read_bytes()
        if not content.isascii():
            raise ValueError(f"{path} is not the Penn Treebank spelt out in ASCII; fetch it again")
        parts[part] = np.frombuffer(content.replace(b" ", b""), np.uint8)
    return numbered(parts, chr)


def enwik8():
    """The first 10^8 bytes of the English Wikipedia of March 2006 (Mahoney), split 90, 5 and 5 million.

    A file `text/enwik8` or `text/enwik8.zip`; or, where there is neither, a shorter beginning of it under the name
    `text/enwik8.first4000000`, split by the same shares, whose results are comparable with no others.
    """
    path = next((path for name in ("text/enwik8", "text/enwik8.zip", ENWIK8_SLICE) if (path := data.local(name))), None)
    content = unzipped(path or data.find("text/enwik8.zip"), "enwik8")
    n, note = len(content), ""
    if n != ENWIK8_SIZE:
        note = f"on the first {n:,} bytes of enwik8 only: not comparable with published results, which use all of it"
    codes = np.frombuffer(content, np.uint8)
    return numbered(split(codes, n * 90 // 100, n * 95 // 100), lambda code: bytes([code]), note)


def text_file(path):
    """Any UTF-8 text by characters, 90, 5 and 5 per cent of it; path: "" is tinyshakespeare (Karpathy)."""
    text = read_text(Path(path).expanduser() if path else data.find("text/tinyshakespeare.txt"))
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
    n = len(codes)
    return numbered(split(codes, n * 90 // 100, n * 95 // 100), chr)


def read_text(path):
    """The text of a UTF-8 file, line ends as `\\n`. Raises FileNotFoundError, or a ValueError in one line."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist or is not a file")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text in UTF-8 ({error.reason} at byte {error.start})") from None


def unzipped(path, member):
    """The content of the file `path`, or if that is a zip file, of its `member`."""
    if path.suffix != ".zip":
        return path.read_bytes()
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(member)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise ValueError(f"{path} is damaged, or no zip file with {member} in it ({error}); fetch it again") from None


def split(codes, first, second):
    """The three parts of a text's codes (N,), cut at two places, by their names."""
    return {"train": codes[:first], "valid": codes[first:second], "test": codes[second:]}


def numbered(parts, spell, note=""):
    """A `Corpus` of parts given as arrays of small whole numbers; spell: what one of these stands for."""
    check_parts(parts)
    codes = np.unique(parts["train"])
    classes = np.full(1 + max(int(part.max()) for part in parts.values()), len(codes))
    classes[codes] = np.arange(len(codes))
    return corpus({name: classes[part] for name, part in parts.items()}, tuple(map(spell, codes.tolist())), note)


def numbered_words(parts):
    """A `Corpus` of parts given as lists of words, numbered as they first occur."""
    check_parts(parts)
    classes = {word: k for k, word in enumerate(dict.fromkeys(parts["train"]))}
    unknown = len(classes)
    return corpus(
        {name: np.array([classes.get(word, unknown) for word in part]) for name, part in parts.items()}, tuple(classes)
    )


def corpus(parts, symbols, note=""):
    """A `Corpus` of the parts, a dict of codes."""
    if max(int(part.max()) for part in parts.values()) == len(symbols):
        symbols = (*symbols, UNKNOWN.encode() if isinstance(symbols[0], bytes) else UNKNOWN)
    small = np.min_scalar_type(len(symbols) - 1)
    for name, part in parts.items():
        parts[name] = part.astype(small)
        parts[name].flags.writeable = False
    return Corpus(**parts, symbols=symbols, note=note)


def check_parts(parts):
    """ValueError if a part has not the two symbols of which one can be read and the other foretold."""
    for name, part in parts.items():
        if len(part) < 2:
            raise ValueError(f"the text is too short: its {name} part has {len(part)} symbols, and needs at least 2")

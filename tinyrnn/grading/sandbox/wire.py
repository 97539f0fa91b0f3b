"""Frames between the grader and a child process that runs a student's code: plain values and arrays, nothing else.

A frame is a fixed prefix (magic, length of the header, length of the body), a header in JSON and the raw bytes of the
arrays. Only what is listed here can come out of one, whatever was put in: numbers, text, None, lists, tuples, dicts
with text keys, and arrays of the data types in `DTYPES`, rebuilt here from type, shape and bytes. So an object with an
`__eq__` of its own cannot arrive, and no pickle is read. Both sides use this file; it needs only NumPy.
"""

import json
import math
import struct

import numpy as np

PREFIX = struct.Struct("<4sIQ")  # magic, bytes of header, bytes of body
MAGIC = b"tr1\n"
MOST_HEADER = 1 << 20
MOST_BODY = 64 << 20
MOST_VALUES = 20_000
MOST_DEPTH = 32
MOST_TEXT = 100_000
MOST_ENTRIES = MOST_BODY  # of an array, an axis of length 0 counted as 1: nobody may iterate over 10^8 empty rows
MOST_DIGITS = 1000
NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
DTYPES = {name: np.dtype(name) for name in NAMES.split()}


class WireError(ValueError):
    """Bytes that are no frame, or a frame with something in it that is not allowed."""


class Unsendable(TypeError):
    """A value that a frame cannot hold; the message says which."""


def pack(header, value=None, source=()):
    """A frame. header: dict of plain JSON values; value: what it carries; source: the type that stands for source text.

    Raises `Unsendable`.
    """
    arrays = []
    tree = encoded(value, arrays, [0], 0, "", source)
    head = json.dumps({"header": header, "value": tree, "arrays": [[a.dtype.name, a.shape] for a in arrays]})
    head = head.encode("utf-8", "replace")
    size = sum(a.nbytes for a in arrays)
    if len(head) > MOST_HEADER or size > MOST_BODY:
        raise Unsendable(f"more than {MOST_BODY >> 20} MB" if size > MOST_BODY else "too many values")
    return b"".join([PREFIX.pack(MAGIC, len(head), size), head, *(a.tobytes() for a in arrays)])


def encoded(value, arrays, count, depth, where, source):
    """The JSON form of a value: a list that begins with what it is. Arrays are appended to `arrays`."""
    count[0] += 1
    if count[0] > MOST_VALUES:
        raise Unsendable("too many values")
    if depth > MOST_DEPTH:
        raise Unsendable("nested too deeply")
    if value is None:
        return ["none"]
    if source and isinstance(value, source):
        return ["source", text_of(value.text)]
    if isinstance(value, np.ndarray | np.generic):
        arrays.append(as_sent(value, where))
        return ["array", len(arrays) - 1]
    if isinstance(value, bool):
        return ["bool", bool(value)]
    if isinstance(value, int):
        if int.bit_length(value) > 3 * MOST_DIGITS:
            raise Unsendable(f"{where or 'it'} is an integer of more than {MOST_DIGITS} digits")
        return ["int", int.__repr__(value)]
    if isinstance(value, float):
        return ["float", float.hex(value)]
    if isinstance(value, complex):
        return ["complex", float.hex(value.real), float.hex(value.imag)]
    if isinstance(value, str):
        return ["text", text_of(value)]
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        parts = enumerate(value)
        return [kind, [encoded(v, arrays, count, depth + 1, f"{where}[{i}]", source) for i, v in parts]]
    if isinstance(value, dict):
        pairs = []
        for key, each in value.items():
            if not isinstance(key, str):
                raise Unsendable(f"{where or 'it'} is a dict with a key that is no text: {type(key).__name__}")
            pairs.append([text_of(key), encoded(each, arrays, count, depth + 1, f"{where}[{key[:40]!r}]", source)])
        return ["dict", pairs]
    raise Unsendable(f"{where or 'it'} is of type {type(value).__name__[:80]}")


def as_sent(value, where):
    """A plain array in C order and native byte order, whatever subclass it was of."""
    array = np.ndarray.view(value, np.ndarray) if isinstance(value, np.ndarray) else np.asarray(value)
    native = array.dtype.newbyteorder("=")
    if native.name not in DTYPES:
        raise Unsendable(f"{where or 'it'} is an array of {str(array.dtype)[:80]}")
    if math.prod(max(n, 1) for n in array.shape) > MOST_ENTRIES:
        raise Unsendable(f"{where or 'it'} is an array of shape {str(array.shape)[:80]}")
    return np.array(array, dtype=native, order="C", copy=True)


def text_of(text):
    """A text as it can be sent, lone surrogates replaced; Unsendable beyond `MOST_TEXT` characters."""
    text = str.__str__(text)
    if len(text) > MOST_TEXT:
        raise Unsendable(f"a text of more than {MOST_TEXT} characters")
    return text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates


def lengths(prefix):
    """(bytes of header, bytes of body) that follow a prefix; `WireError` if it is none or they are too many."""
    magic, header, body = PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise WireError("no frame")
    if header > MOST_HEADER or body > MOST_BODY:
        raise WireError("a frame that is too long")
    return header, body


def unpack(head, body, evaluate=None):
    """(header, value) of a frame. evaluate: source text -> what it stands for; None: source is refused.

    Arrays are new ones, writable, in C order. Raises `WireError` for whatever is not as `pack` makes it.
    """
    try:
        whole = json.loads(head.decode("utf-8"))
        header, tree, shapes = whole["header"], whole["value"], whole["arrays"]
        if type(header) is not dict or len(whole) != 3:
            raise WireError("no header")
        arrays = decoded_arrays(shapes, body)
        return header, decoded(tree, arrays, evaluate, 0)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError, OverflowError, MemoryError) as error:
        raise WireError(f"a frame that is not understood ({type(error).__name__})") from None


def decoded_arrays(shapes, body):
    """Arrays, copies, out of the body of a frame; shapes: [[dtype, shape], …]. Raises for what does not fit."""
    if type(shapes) is not list or len(shapes) > MOST_VALUES:
        raise WireError("no list of arrays")
    arrays, offset = [], 0
    for name, shape in shapes:
        if type(name) is not str or name not in DTYPES:
            raise WireError("a data type that is not sent")
        if type(shape) is not list or len(shape) > 32 or not all(type(n) is int and 0 <= n < 2**40 for n in shape):
            raise WireError("no shape")
        if math.prod(max(n, 1) for n in shape) > MOST_ENTRIES:
            raise WireError("an array that is too long to look at")
        dtype, number = DTYPES[name], math.prod(shape)
        if number * dtype.itemsize > len(body) - offset:
            raise WireError("an array that is longer than the frame")
        array = np.frombuffer(body, dtype, number, offset) if number else np.zeros(0, dtype)
        if dtype == np.bool_:  # any byte but zero is true; what arrives is 0 or 1
            array = np.frombuffer(body, np.uint8, number, offset) != 0 if number else array
        arrays.append(array.reshape(shape).copy())
        offset += number * dtype.itemsize
    if offset != len(body):
        raise WireError("a frame with bytes left over")
    return arrays


def decoded(tree, arrays, evaluate, depth):
    """The value that a tree of lists stands for; evaluate: for source, None: not allowed. Raises for all else."""
    if depth > MOST_DEPTH or type(tree) is not list or not tree or type(tree[0]) is not str:
        raise WireError("no value")
    kind, *rest = tree
    if kind == "none" and not rest:
        return None
    if kind == "complex" and len(rest) == 2:
        return complex(*map(float.fromhex, rest))
    (content,) = rest
    if kind == "array" and type(content) is int and content >= 0:
        return arrays[content]
    if kind == "bool" and type(content) is bool:
        return content
    if kind == "int" and type(content) is str and len(content) <= MOST_DIGITS + 1:
        return int(content)
    if kind == "float" and type(content) is str:
        return float.fromhex(content)
    if kind == "text" and type(content) is str:
        return text_of(content)
    if kind in ("list", "tuple") and type(content) is list:
        parts = [decoded(each, arrays, evaluate, depth + 1) for each in content]
        return parts if kind == "list" else tuple(parts)
    if kind == "dict" and type(content) is list:
        pairs = {}
        for key, each in content:
            key = text_of(key) if type(key) is str else None
            if key is None or key in pairs:
                raise WireError("no key")
            pairs[key] = decoded(each, arrays, evaluate, depth + 1)
        return pairs
    if kind == "source" and type(content) is str and evaluate is not None:
        return evaluate(content)
    raise WireError("no value")

"""Frames: what goes in comes out, and nothing else comes out, whatever was put in."""

import json

import hypothesis
import hypothesis.extra.numpy as arrays
import hypothesis.strategies as st
import numpy as np
import pytest

from tinyrnn.grading.sandbox import wire
from tinyrnn.grading.task import Source

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text()
    | arrays.arrays(
        st.sampled_from(sorted(wire.DTYPES)), arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    )
)
VALUES = st.recursive(
    LEAVES,
    lambda v: (
        st.lists(v, max_size=3)
        | st.lists(v, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=5), v, max_size=3)
    ),
    max_leaves=8,
)


def through(value, evaluate=None, source=()):
    frame = wire.pack({}, value, source)
    head, body = wire.lengths(frame[: wire.PREFIX.size])
    rest = frame[wire.PREFIX.size :]
    assert len(rest) == head + body
    return wire.unpack(rest[:head], rest[head:], evaluate)[1]


def same(a, b):
    """Of the same type and value, bit for bit; what is not a number is like itself."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return repr(a) == repr(b)


@hypothesis.settings(max_examples=12)
@hypothesis.given(VALUES)
def test_what_is_sent_arrives_bit_for_bit(value):
    assert same(through(value), value)


def test_arrays_arrive_as_new_plain_ones_in_c_order_that_can_be_written_in():
    sent = np.asfortranarray(np.arange(6.0).reshape(2, 3)).view(np.matrix)
    got = through({"a": sent, "b": np.float32(2)})
    assert type(got["a"]) is np.ndarray and got["a"].flags.c_contiguous and got["a"].flags.writeable
    assert got["b"].dtype == np.float32 and got["b"].shape == ()
    got["a"] += 1
    assert sent[0, 0] == 0


def test_source_is_evaluated_where_it_arrives_and_refused_where_nobody_evaluates():
    source = Source("lambda x: x + 1")
    assert through([source], eval, Source)[0](1) == 2
    with pytest.raises(wire.WireError):
        through([source], None, Source)


@pytest.mark.parametrize(
    "value",
    [
        np.array([object()]),
        np.array(["a"]),
        np.array(["2026-11-20"], "M8[D]"),
        np.zeros(2, [("a", "f8")]),
        np.zeros(2, "V8"),
        np.zeros(1, np.longdouble) if np.dtype(np.longdouble).name not in wire.DTYPES else object(),
        {1: 2},
        {1.0},
        iter([1]),
        b"bytes",
        10**2000,
        "x" * 10**6,
        [0] * 10**5,
        [object()],
        np.zeros(wire.MOST_BODY // 8 + 1),
    ],
    ids=lambda value: f"{type(value).__name__} {getattr(value, 'dtype', '')}",
)
def test_what_cannot_be_sent_is_refused_where_it_is_sent(value):
    with pytest.raises(wire.Unsendable) as caught:
        wire.pack({}, value)
    assert "\n" not in str(caught.value)


def test_a_refusal_says_where_in_what_was_returned_it_is():
    with pytest.raises(wire.Unsendable, match=r"^\[1\]\['dW'\] is of type set$"):
        wire.pack({}, (1, {"dW": {2}}))


def head(value=("array", 0), arrays=(("float64", [2]),), header=None):
    return json.dumps({"header": header or {}, "value": value, "arrays": arrays}).encode()


FORGED = {
    "no JSON": (b"pass", b""),
    "no dict": (b"[]", b""),
    "no header": (b'{"value": ["none"], "arrays": []}', b""),
    "a header that is a list": (head(("none",), (), [1]), b""),
    "more than there should be": (b'{"header": {}, "value": ["none"], "arrays": [], "passed": true}', b""),
    "JSON as deep as it goes": (b"[" * 100_000, b""),
    "values as deep as they go": (head(json.loads('["list", [' * 40 + '["none"]' + "]]" * 40), ()), b""),
    "a number as long as it goes": (b'{"header": {"n": ' + b"9" * 10_000 + b"}}", b""),
    "bytes that are no text": (b"\xff\xfe", b""),
    "an unknown kind of value": (head(("verdict", True), ()), b""),
    "a value of another type than it says": (head(("int", [1]), ()), b""),
    "a bool that is a text": (head(("bool", "passed"), ()), b""),
    "a bare value": (head(True, ()), b""),
    "an array that there is none of": (head(("array", 1)), bytes(16)),
    "an array counted from the end": (head(("array", -1)), bytes(16)),
    "an array by the name True": (head(("array", True)), bytes(16)),
    "a key twice": (head(("dict", [["a", ["none"]], ["a", ["none"]]]), ()), b""),
    "a key that is no text": (head(("dict", [[1, ["none"]]]), ()), b""),
    "too few bytes": (head(), bytes(15)),
    "too many bytes": (head(), bytes(17)),
    "a negative shape": (head(arrays=[["float64", [-2]]]), bytes(16)),
    "two negative sizes": (head(arrays=[["float64", [-1, -2]]]), bytes(16)),
    "a shape of text": (head(arrays=[["float64", ["2"]]]), bytes(16)),
    "a shape of truth": (head(arrays=[["float64", [True, 2]]]), bytes(16)),
    "a shape beyond all numbers": (head(arrays=[["float64", [2**62, 2**62]]]), bytes(16)),
    "an empty shape beyond all numbers": (head(arrays=[["float64", [0, *[2**39] * 4]]]), b""),
    "more dimensions than there are": (head(arrays=[["float64", [1] * 70]]), bytes(8)),
    "objects": (head(arrays=[["object", [2]]]), bytes(16)),
    "an alias of objects": (head(arrays=[["O", [2]]]), bytes(16)),
    "fields": (head(arrays=[["f8,i4", [1]]]), bytes(12)),
    "fields as a list": (head(arrays=[[[["a", "f8"]], [1]]]), bytes(8)),
    "text as data": (head(arrays=[["<U4", [1]]]), bytes(16)),
    "dates": (head(arrays=[["datetime64[s]", [2]]]), bytes(16)),
    "a data type of no size": (head(arrays=[["V0", [2]]]), b""),
    "the other byte order": (head(arrays=[[">f8", [2]]]), bytes(16)),
    "arrays that are no list": (head(arrays={"float64": [2]}), bytes(16)),
    "a float that is none": (head(("float", "__import__('os')"), ()), b""),
    "an int that is none": (head(("int", "__import__('os')"), ()), b""),
    "source": (head(("source", "__import__('os')"), ()), b""),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_frame_is_refused_in_one_way(name):
    with pytest.raises(wire.WireError):
        wire.unpack(*FORGED[name])


@hypothesis.settings(max_examples=50)
@hypothesis.given(st.data())
def test_a_frame_with_changed_bytes_is_refused_or_holds_plain_values(data):
    frame = bytearray(wire.pack({"kind": "returned"}, {"a": np.arange(3.0), "b": (1, [None, 2.5, "c"])}))
    for _ in range(data.draw(st.integers(1, 4))):
        frame[data.draw(st.integers(wire.PREFIX.size, len(frame) - 1))] = data.draw(st.integers(0, 255))
    size, _ = wire.lengths(bytes(frame[: wire.PREFIX.size]))
    rest = bytes(frame[wire.PREFIX.size :])
    try:
        _, value = wire.unpack(rest[:size], rest[size:])
    except wire.WireError:
        return
    assert plain(value)


def plain(value):
    if isinstance(value, list | tuple):
        return all(map(plain, value))
    if isinstance(value, dict):
        return all(type(key) is str and plain(each) for key, each in value.items())
    return type(value) in (type(None), bool, int, float, complex, str) or (
        type(value) is np.ndarray and value.dtype.name in wire.DTYPES
    )


@pytest.mark.parametrize("name", ["magic", "header", "body"])
def test_a_prefix_that_promises_too_much_is_refused_before_anything_is_read(name):
    right = {"magic": wire.MAGIC, "header": 10, "body": 10}
    wrong = {"magic": b"pass", "header": wire.MOST_HEADER + 1, "body": 2**63}
    wire.lengths(wire.PREFIX.pack(*right.values()))
    with pytest.raises(wire.WireError):
        wire.lengths(wire.PREFIX.pack(*(right | {name: wrong[name]}).values()))


def test_bytes_of_truth_values_are_made_true_or_false():
    _, value = wire.unpack(head(arrays=[["bool", [3]]]), b"\x00\x01\x07")
    assert value.tobytes() == b"\x00\x01\x01"

"""Networks as safetensors files: the weights, and in the metadata a description to build the network from again.

    save("model.safetensors", model)
    model = load("model.safetensors")
    load("model.safetensors", into=mine)       # only the weights, into a network built like the saved one

The description is JSON, {"class": name, "options": arguments} for a cell or head and {"class": name, "parts": …} for
what is put together of them. No code is in the file and none is imported for it, so a file from a stranger is safe.
A version and a checksum stand in it: a file that is damaged or of a newer format is no other network, but an error.
"""

import json
import os
from dataclasses import asdict
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from tinyrnn.cells import CELLS
from tinyrnn.core.backend import to_numpy, xp_of
from tinyrnn.core.files import check_label, checksum, write_arrays
from tinyrnn.core.signatures import option_names
from tinyrnn.nn.dropout import Dropout
from tinyrnn.nn.encoder_decoder import EncoderDecoder
from tinyrnn.nn.heads import Embedding, PooledReadout, Readout, TiedReadout
from tinyrnn.nn.layers import Bidirectional, Composite, Stack
from tinyrnn.nn.losses import LOSSES
from tinyrnn.nn.model import Model

FORMAT, VERSION = "tinyrnn-network", 1
CLASSES: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        *(cls for cls, _ in CELLS.values()),
        *(Readout, PooledReadout, TiedReadout, Embedding, Stack, Bidirectional, Model),
    )
} | {"EncoderDecoder": EncoderDecoder}
OPTIONS = {  # of what has parts: the argument's name, and the attribute that keeps it
    Model: {"loss": "loss_name", "at": "at", "dropout": "dropout"},
    EncoderDecoder: {"reverse": "reverse", "begin": "begin", "end": "end"},
}


def save(path: Any, network: Any) -> None:
    """Write a cell, head, Stack, Bidirectional, Model or EncoderDecoder to the safetensors file `path`.

    An old file of that name is replaced in one move, or stays whole if anything fails. Arrays are called
    "params/W_h" and "constants/permutation". The two arguments may come in either order. Raises TypeError for what is
    no network, or a constructor's argument that JSON cannot hold.
    """
    if hasattr(path, "params"):  # the order of torch.save
        path, network = network, path
    if not (hasattr(network, "params") and isinstance(path, str | os.PathLike)):
        raise TypeError(f"save(path, network): got a {type(path).__name__} and a {type(network).__name__}")
    try:
        description = json.loads(json.dumps(describe(network), default=as_json))
    except TypeError as error:
        raise TypeError(str(error)) from None  # without the notes on its own way there that json adds in Python 3.14
    arrays = {name: to_numpy(value) for name, value in named_arrays(network).items()}
    description |= {"format": FORMAT, "version": VERSION}
    # one entry of metadata: several are written in any order, and the same network would be other bytes each time
    description["checksum"] = checksum_of(description, arrays)
    write_arrays(path, arrays, {"tinyrnn": json.dumps(description)})


def checksum_of(description: Any, arrays: Any) -> str:
    """Of all that a file holds; a file without one, as they were written before, is read as it is."""
    each = {name: [str(a.dtype), list(a.shape), checksum(a.tobytes())] for name, a in arrays.items()}
    return checksum({"tinyrnn": description, "arrays": each})


def load(path: Any, into: Any = None) -> Any:
    """The network in a file that `save` wrote, with the same weights to the bit.

    into: a network built like the saved one, whose weights are replaced in place (in its own precision, on its own
        device); needed for a cell that is not tinyrnn's, such as a StepCell, whose code is not in the file.
    Raises FileNotFoundError, or ValueError for a file that is damaged, not tinyrnn's, or not of `into`'s shape.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}
    except SafetensorError as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    if "tinyrnn" not in metadata:
        raise ValueError(f"{path} holds no description of a network: it was not written by tinyrnn.nn.interop.save")
    try:
        description = dict(json.loads(metadata["tinyrnn"]))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: the description of the network is damaged ({error})") from None
    written = description.pop("checksum", None)
    if written not in (None, checksum_of(description, arrays)):
        raise ValueError(f"{path} is damaged: it is not what was written")
    check_label(path, description, FORMAT, VERSION)
    description = {name: value for name, value in description.items() if name not in ("format", "version")}
    if into is None:
        try:
            into = build(description)
        except UnknownClass as error:
            raise ValueError(
                f"{path} holds a {error}, whose code is not in it: build one and use load(path, into=it)"
            ) from None
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{path}: the description of the network is damaged ({error})") from None
    fill(into, arrays, path)
    return into


def describe(network: Any) -> Any:
    """What it takes to build `network` again, without its weights; see the module's docstring."""
    cls = type(network)
    if isinstance(network, Composite):
        parts = {name: describe(part) for name, part in network.parts.items()}
        options = {name: getattr(network, attribute) for name, attribute in OPTIONS.get(cls, {}).items()}
        return {"class": class_name(cls), "parts": parts, "options": options}
    known = class_name(cls) in CLASSES
    return {
        "class": class_name(cls),
        "options": {name: getattr(network, name) for name in option_names(cls)} if known else {},
    }


def class_name(cls: Any) -> str:
    """Its plain name if it is one of `CLASSES`, else its full one, which no class there has."""
    name: str = cls.__name__
    return name if CLASSES.get(name) is cls else f"{cls.__module__}.{cls.__qualname__}"


def build(description: Any) -> Any:
    """The network of a description, with weights yet to be filled in."""
    name, parts, options = description["class"], description.get("parts", {}), description["options"]
    if name not in CLASSES:
        raise UnknownClass(name)
    if (loss := options.get("loss")) is not None and loss not in LOSSES:
        raise UnknownClass(f"{name} with the loss {loss!r}")
    parts = {key: build(part) for key, part in parts.items()}
    if name == "Stack":
        return Stack(*parts.values())
    return CLASSES[name](**parts, **options, **({} if parts else {"rng": 0}))


class UnknownClass(Exception):
    """The name of a class or loss whose code is not tinyrnn's."""


def named_arrays(network: Any) -> Any:
    """Parameters and constants as one dict."""
    kinds = {"params": network.params, "constants": network.constants}
    return {f"{kind}/{name}": value for kind, own in kinds.items() for name, value in own.items()}


def fill(network: Any, arrays: Any, path: Any) -> Any:
    """Overwrite the network's arrays with those of the same names; if any does not fit, none is changed."""
    own = named_arrays(network)
    for name in sorted(own.keys() ^ arrays.keys()):
        owner, other = (network, path) if name in own else (path, network)
        raise ValueError(f"{path} does not fit: {name!r} is in {owner}, not in {other}")
    for name, value in own.items():
        if value.shape != arrays[name].shape:
            raise ValueError(f"{path}: {name!r} has shape {arrays[name].shape}, in {network!r} {value.shape}")
    for name, value in own.items():
        value[...] = xp_of(value).asarray(arrays[name], value.dtype)


def as_json(value: Any) -> Any:
    """What `json` does not know: dtypes, NumPy's numbers, a `Dropout`."""
    if isinstance(value, Dropout):
        return asdict(value)
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"save: the argument {value!r} of a constructor cannot be written as JSON")

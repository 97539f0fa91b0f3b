"""Arrays decide where they live: NumPy arrays are computed with NumPy, CuPy arrays with CuPy.

There is no global switch and no `import cupy as np`. Every function asks its argument (`xp = xp_of(x)`), so the same
source runs on both, and with every other module that keeps to the array API standard and whose arrays can be written
to; two cells in one program may live on different devices.
"""

import os
import sys
from typing import Any

import numpy as np

from tinyrnn.core.types import Array, Seed


def xp_of(array: Array) -> Any:
    """The module that computes with `array`: `numpy`, `cupy`, or whatever its `__array_namespace__` names.

    Raises TypeError for lists, scalars and other things that are not arrays, and for PyTorch's, which name no module.
    """
    if type(array) is np.ndarray:  # the common case, and five times faster than asking
        return np
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    if package(array) == "cupy":  # whose arrays do not name it, as of CuPy 14
        return sys.modules["cupy"]
    raise TypeError(f"expected a NumPy or CuPy array, got {described(array)}")


def to_numpy(array: Array) -> Array:
    """A NumPy array with the same values, copied from the device if need be (`.get()` is CuPy's spelling)."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


def module_of(device: str) -> Any:
    """The array module of a device: `numpy` for "cpu", `cupy` for "cuda". ValueError in a line if it cannot be had."""
    if device == "cpu":
        return np
    if device != "cuda":
        raise ValueError(f"device must be cpu or cuda, got {device!r}")
    try:
        import cupy
    except ImportError:
        raise ValueError("device cuda takes CuPy: pip install cupy-cuda12x, or the package of your CUDA") from None
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise ValueError(f"device cuda: there is no GPU to be used ({error})") from None
    return cupy


def placed(arrays: Any, xp: Any) -> Any:
    """A named tuple of NumPy arrays with those of the module xp in their place; None stays None."""
    if xp is np:
        return arrays
    return type(arrays)(*(None if array is None else xp.asarray(array) for array in arrays))


# from one module to another ------------------------------------------------------------------------------------------


def move(stores: Any, xp: Any) -> Any:
    """Move all arrays in `stores`, a list of dicts, to where the module `xp` computes: all, or none if one cannot be.

    TypeError in one line where no cell can live: a cell needs arrays that keep to the standard and can be written to.
    """
    if not hasattr(xp, "asarray"):
        raise TypeError(f"to: expected a module, numpy or cupy, got {xp!r}: for a GPU, import cupy and write .to(cupy)")
    if not can_be_written_to(probe := xp.asarray(np.zeros(1))) or not is_of(probe, xp):
        hint = "; its weights can be had by tinyrnn.interop.to_torch" if xp.__name__ == "torch" else ""
        raise TypeError(f"to: no cell can live in {xp.__name__}, only in numpy, cupy and the like{hint}")
    moved = [{k: v if xp_of(v) is xp else xp.asarray(to_numpy(v)) for k, v in store.items()} for store in stores]
    for store, arrays in zip(stores, moved, strict=True):
        store.update(arrays)


def can_be_written_to(array: Array) -> Any:
    """Whether arrays of this kind can be changed in place; JAX's cannot."""
    try:
        array[0] = 1
    except TypeError:
        return False
    return True


def check_home(what: Any, array: Array, xp: Any) -> Any:
    """TypeError in one line unless `array` is of the module xp; what: the expression that it was given as."""
    if is_of(array, xp):
        return
    here = {"torch": f"{what}.numpy(force=True)", "cupy": f"{what}.get()"}.get(package(array), f"numpy.asarray({what})")
    advice = here if xp is np else f"{xp.__name__}.asarray({here if package(array) in ('torch', 'cupy') else what})"
    raise TypeError(f"{what} must be a {xp.__name__} array, got {described(array)}: write {advice}")


def is_of(array: Array, xp: Any) -> Any:
    """Whether the module xp computes with it; NumPy does with all arrays that are made of its own."""
    try:
        return (xp is np and isinstance(array, np.ndarray)) or xp_of(array) is xp
    except TypeError:
        return False


def package(value: Any) -> Any:
    """The name of the package that a value's type comes from."""
    return type(value).__module__.partition(".")[0]


def described(value: Any) -> Any:
    """What a value is: "list", "torch.Tensor", "numpy.ndarray"."""
    home, kind = package(value).removesuffix("lib"), type(value).__name__
    return kind if home == "builtins" else f"{home}.{kind}"


def as_rng(rng: Seed) -> np.random.Generator:
    """A `numpy.random.Generator` from a seed, a Generator (returned as it is) or None (fresh entropy)."""
    return np.random.default_rng(rng)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

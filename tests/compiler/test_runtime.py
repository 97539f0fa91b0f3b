"""The C that generated code stands on: elementary functions, the Fourier transform, the denormals switch.

The sources are compiled with the compiler's own flags, because those are what could break them: where products and sums
may be contracted, an argument reduction that is not written with care loses its last digits.
"""

import ctypes
import platform
import re
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyrnn.compiler.fourier import radices, twiddles
from tinyrnn.compiler.toolchain import HEADERS, NoCompiler, all_flags, find_compiler

FUNCTIONS = ("exp", "expm1", "tanh")
ULPS = {"exp": 2, "expm1": 3, "tanh": 3}  # what runtime.h states
DTYPES = ("float32", "float64")
SOURCE = """
#define REAL_IS_FLOAT {is_float}
#include "runtime.h"
void many_exp(int n, const real *x, real *y) {{ for (int i = 0; i < n; i++) y[i] = exp_(x[i]); }}
void many_expm1(int n, const real *x, real *y) {{ for (int i = 0; i < n; i++) y[i] = expm1_(x[i]); }}
void many_tanh(int n, const real *x, real *y) {{ for (int i = 0; i < n; i++) y[i] = tanh_(x[i]); }}
void fourier(int n, const real *tw, const real *re, const real *im, real *to_re, real *to_im, real *scratch) {{
    fft_(n, tw, re, im, to_re, to_im, scratch);
}}
void products(const volatile real *x, volatile real *y) {{
    unsigned before = flush_denormals();
    y[0] = x[0] * (real)0.5;
    y[1] = x[1] * (real)4;
    restore_denormals(before);
    y[2] = x[0] * (real)0.5;
}}
"""

each_function = pytest.mark.parametrize("name", FUNCTIONS)
both_types = pytest.mark.parametrize("dtype", DTYPES)


def run_compiler(*arguments):
    try:
        compiler = find_compiler()
    except NoCompiler as error:
        pytest.skip(str(error))
    return subprocess.run(
        [*compiler, *all_flags()[0], f"-I{HEADERS}", *map(str, arguments)], capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """dtype -> (library, the C compiler's messages, with warnings and a note on each loop that it vectorised)."""
    libraries = {}
    for dtype in DTYPES:
        folder = tmp_path_factory.mktemp(dtype)
        source, library = folder / "source.c", folder / "library.so"
        source.write_text(SOURCE.format(is_float=int(dtype == "float32")))
        notes = [] if "clang" in run_compiler("--version").stdout else ["-fopt-info-vec-optimized"]
        made = run_compiler("-Wall", "-Wextra", *notes, source, "-o", library, "-lm")
        assert made.returncode == 0, made.stderr
        libraries[dtype] = ctypes.CDLL(str(library)), made.stderr
    return libraries


def call(compiled, name, *arguments):
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    function = getattr(compiled[arrays[0].dtype.name][0], name)
    function.restype = None
    function(*(ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in arguments))


def elementwise(compiled, name, x):
    y = np.full_like(x, 7)
    call(compiled, f"many_{name}", x.size, x, y)
    return y


# elementary functions -------------------------------------------------------------------------------------------------


def assert_close(compiled, name, x):
    """Within ULPS of the value in extended precision; NaN, infinities and saturated values as they should be."""
    wide = np.longdouble if x.dtype == np.float64 else np.float64
    if np.finfo(wide).eps > np.finfo(x.dtype).eps / 100:
        pytest.skip("long double is no wider than double here, so there is nothing to compare with")
    y = elementwise(compiled, name, x)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(wide))
        nearest = exact.astype(x.dtype)
        error = np.abs(y - exact) / np.spacing(np.abs(nearest))
        error = np.where(np.isfinite(nearest) & np.isfinite(y), error, np.where(nearest == y, 0, np.inf))
    error[np.isnan(x)] = np.where(np.isnan(y[np.isnan(x)]), 0, np.inf)
    worst = error.argmax()
    assert error[worst] <= ULPS[name], f"{name}({x[worst]!r}) is {y[worst]!r}: off by {error[worst]:.1f} ulp"


@each_function
@both_types
def test_values_are_right_to_the_stated_ulps_over_the_whole_range(compiled, name, dtype):
    rng = np.random.default_rng(0)
    limits = np.finfo(dtype)
    log_largest = np.log(float(limits.max))
    near_halves = (np.arange(-60, 60)[:, None] / 2 + np.linspace(-1e-3, 1e-3, 101)) * np.log(2)  # where k changes
    x = [rng.uniform(-scale, scale, 60_000) for scale in (0.4, 1, 10, 1.1 * log_largest)]
    x += [rng.choice([-1, 1], 60_000) * 10 ** rng.uniform(np.log10(limits.tiny), 4, 60_000), near_halves.ravel()]
    assert_close(compiled, name, np.concatenate(x).astype(dtype))


@pytest.mark.few(2)
@given(st.data())
@each_function
@both_types
def test_any_value_at_all_is_right_to_the_stated_ulps(compiled, name, dtype, data):
    width = 32 if dtype == "float32" else 64
    x = data.draw(st.lists(st.floats(width=width) | st.floats(-110, 90, width=width), min_size=1))
    assert_close(compiled, name, np.array(x, dtype))


@both_types
def test_special_values(compiled, dtype):
    x = np.array([0, -0.0, np.inf, -np.inf, 1e4, -1e4, 50, -50, 1e-30, np.nan], dtype)
    e50 = np.exp(np.array([50, -50], dtype))
    expected = {
        "exp": [1, 1, np.inf, 0, np.inf, 0, *e50, 1, np.nan],
        "expm1": [0, 0, np.inf, -1, np.inf, -1, e50[0], -1, x[8], np.nan],
        "tanh": [0, 0, 1, -1, 1, -1, 1, -1, x[8], np.nan],
    }
    for name, values in expected.items():
        np.testing.assert_array_max_ulp(elementwise(compiled, name, x)[:-1], np.array(values[:-1], dtype), ULPS[name])
        assert np.isnan(elementwise(compiled, name, x)[-1])


@both_types
def test_tanh_never_goes_beyond_one_so_its_derivative_is_never_negative(compiled, dtype):
    y = elementwise(compiled, "tanh", np.linspace(-25, 25, 500_001).astype(dtype))
    assert np.abs(y).max() == 1


@both_types
def test_loops_over_the_functions_vectorise(compiled, dtype):
    macros = run_compiler("-dM", "-E", "-x", "c", "/dev/null").stdout
    if "__clang__" in macros or not ("__FMA__" in macros or "__aarch64__" in macros):
        pytest.skip("needs GCC, which says what it vectorised, and a processor with fused multiply-add")
    loops = [number for number, line in enumerate(SOURCE.splitlines(), 1) if "many_" in line]
    vectorised = {int(n) for n in re.findall(r"source\.c:(\d+):\d+: optimized: +loop vectorized", compiled[dtype][1])}
    assert set(loops) <= vectorised


@both_types
def test_headers_compile_without_warnings(compiled, dtype):
    assert "warning" not in compiled[dtype][1]


# Fourier transform ----------------------------------------------------------------------------------------------------

MARGIN = 16  # numbers around each array that nobody may touch


def guarded(n, dtype):
    whole = np.full(n + 2 * MARGIN, 7, dtype)
    return whole, whole[MARGIN : MARGIN + n]


def fourier(compiled, re, im):
    """re, im -> their transform, after which nothing else has changed."""
    n, dtype = re.size, re.dtype
    before = re.copy(), im.copy()
    (all_out, out), (all_scratch, scratch) = guarded(2 * n, dtype), guarded(2 * n, dtype)
    call(compiled, "fourier", n, twiddles(n, dtype), re, im, out[:n], out[n:], scratch)
    for whole in (all_out, all_scratch):
        assert (whole[:MARGIN] == 7).all() and (whole[-MARGIN:] == 7).all()
    assert (re == before[0]).all() and (im == before[1]).all()
    return out[:n], out[n:]


def assert_transforms(compiled, n, dtype):
    """Relative error in the 2-norm of at most eps · log2(2n): rounding, growing with the number of passes."""
    re, im = np.random.default_rng(n).normal(size=(2, n)).astype(dtype)
    got_re, got_im = fourier(compiled, re, im)
    expected = np.fft.fft(re.astype(np.longdouble) + 1j * im.astype(np.longdouble), norm="ortho")
    error = np.linalg.norm(got_re + 1j * got_im.astype(np.longdouble) - expected) / np.linalg.norm(expected)
    assert error <= np.finfo(dtype).eps * np.log2(2 * n), f"n = {n}: {float(error):.1e}"


@both_types
def test_transform_is_numpys_for_every_length_up_to_40(compiled, dtype):
    for n in range(1, 41):
        assert_transforms(compiled, n, dtype)


@both_types
@pytest.mark.parametrize("n", [64, 97, 100, 128, 169, 256, 512, 1000, 1024, 1331, 4096])
def test_transform_is_numpys_at_common_lengths(compiled, n, dtype):
    assert_transforms(compiled, n, dtype)


@both_types
@pytest.mark.parametrize("n", [5002, 6144, 8192, 9000, 4149, 131072])  # 41 rows of 122; even splits; no useful split
def test_long_transforms_are_numpys_too(compiled, n, dtype):
    assert_transforms(compiled, n, dtype)


@settings(max_examples=60)
@given(n=st.integers(1, 1500), dtype=st.sampled_from(DTYPES))
def test_transform_is_numpys_at_any_length(compiled, n, dtype):
    assert_transforms(compiled, n, dtype)


@both_types
@pytest.mark.parametrize("n", [1, 12, 128, 5002])
def test_exchanging_real_and_imaginary_parts_inverts_the_transform(compiled, n, dtype):
    re, im = np.random.default_rng(n).normal(size=(2, n)).astype(dtype)
    image_re, image_im = fourier(compiled, re, im)
    back_im, back_re = fourier(compiled, image_im, image_re)
    error = np.hypot(np.linalg.norm(back_re - re), np.linalg.norm(back_im - im))
    assert error <= 2 * np.finfo(dtype).eps * np.log2(2 * n) * np.hypot(np.linalg.norm(re), np.linalg.norm(im))


@given(st.integers(1, 10_000))
def test_radices_multiply_to_the_length_with_the_fast_ones_first(n):
    found = radices(n)
    assert np.prod(found, dtype=int) == n
    assert found == sorted(found, key=lambda r: (r != 4, r))
    assert all(r == 4 or all(r % d for d in range(2, r)) for r in found)


@both_types
def test_twiddles_are_the_nearest_numbers_to_the_roots_of_unity(dtype):
    w = twiddles(16, dtype)  # two passes of radix 4, the second with w = 1
    assert w.dtype == dtype
    exact = np.exp(-2j * np.pi * np.outer([1, 2, 3], np.arange(4)) / 16)
    expected = np.concatenate([np.stack([exact.real, exact.imag], 1).ravel(), [1, 0] * 3])
    np.testing.assert_allclose(w, expected, rtol=0, atol=np.finfo(dtype).eps / 2)


@pytest.mark.parametrize("n", [0, -4, 2.0, "8", None])
def test_a_length_that_is_no_positive_integer_is_refused_in_one_line(n):
    with pytest.raises(ValueError, match=r"^the length of a Fourier transform must be a positive integer, got .*$"):
        twiddles(n, "float32")


# denormals ------------------------------------------------------------------------------------------------------------


@both_types
def test_denormals_are_flushed_as_operands_and_results_until_restored(compiled, dtype):
    if platform.machine().lower() not in ("x86_64", "amd64", "aarch64", "arm64"):
        pytest.skip(f"there is no denormals switch for {platform.machine()}")
    smallest_normal = np.finfo(dtype).tiny
    x = np.array([smallest_normal, smallest_normal / 2], dtype)
    expected = [0, 0, float(x[1])]
    y = np.full(3, 7, dtype)
    call(compiled, "products", x, y)
    assert y.tolist() == expected

"""No C compiler, a broken one, one of few words, a cache that cannot be written or is somebody else's: cells then run
as they stand, whoever asked for more is told once, and `explain` says why."""

import copy
import os
import shlex
import sys
import warnings

import numpy as np
import pytest
from comparing import assert_agree, assert_compiles, compare, needs_compiler, perturbed, plain, probe_for, results

import tinyrnn as tr
from tinyrnn.compiler import build, toolchain
from tinyrnn.compiler.draft import draft_forward

ANSWER = "int answer(void) {{ return {}; }}"


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """Nothing is remembered of compilers and libraries, before and after; returns the cache folder of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    forget()
    yield build.folder()
    monkeypatch.undo()
    forget()


def forget():
    for function in (toolchain.find_compiler, toolchain.version, build.machine, build.loaded):
        function.cache_clear()
    toolchain.WORKING.clear()


def compiler_of(tmp_path, script):
    """The path of a made-up compiler, a shell script."""
    path = tmp_path / "made-up-cc"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def real_compiler():
    return shlex.join(toolchain.find_compiler())


def runs_plainly_because(reason):
    """Nothing is compiled, and all places that are to say so do."""
    cell = perturbed(tr.LSTM(3, 5, rng=0), np.random.default_rng(0))
    probe = probe_for(cell, 5, 4, np.random.default_rng(1), masked=True)
    fast = copy.deepcopy(cell)
    with pytest.warns(UserWarning) as told:
        fast.compile()
        assert_agree(results(fast, probe), results(plain(cell), probe))
    (message,) = [str(warning.message) for warning in told]
    assert message.startswith("cells run as they stand in the source, uncompiled: ")
    assert told[0].filename == __file__, "the warning is not about the line that calls compile()"
    assert set(fast.runner.why_not) == {"forward", "backward", "gradients"}
    explained = tr.explain(cell)
    assert "Nothing is compiled on this machine" in explained and "C compiler:" not in explained
    for why in (message, *fast.runner.why_not.values(), explained):
        assert reason in why
    assert all("\n" not in why for why in (message, *fast.runner.why_not.values()))


def test_without_a_c_compiler_cells_run_plainly(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)
    runs_plainly_because("found no C compiler (looked for cc, gcc, clang; pip install 'tinyrnn[compiler]'")


@pytest.mark.parametrize("cc", ["no-such-compiler", "no-such-compiler -m64", "'an open quote", " "])
def test_a_compiler_named_by_CC_that_is_not_there(monkeypatch, cc):
    monkeypatch.setenv("CC", cc)
    runs_plainly_because(f"looked for {cc}, which CC names")


def test_a_cell_of_half_precision_says_that_it_is_not_compiled():
    with pytest.warns(UserWarning, match="^cells run as they stand .* for float32 and float64, not for float16$"):
        tr.GRU(2, 3, dtype="float16").compile()


@needs_compiler
def test_a_broken_compiler_is_quoted_with_its_first_error(fresh, monkeypatch, tmp_path):
    script = "echo 'cell.c:1: note: hm' >&2\necho 'cell.c:2: error: out of ideas' >&2\nexit 1"
    monkeypatch.setenv("CC", str(compiler_of(tmp_path, script)))
    runs_plainly_because("failed: cell.c:2: error: out of ideas")
    assert list(fresh.iterdir()) == []


def test_a_compiler_that_cannot_be_run(monkeypatch, tmp_path):
    path = compiler_of(tmp_path, "")
    path.write_bytes(b"\x7fELF, but not really")
    monkeypatch.setenv("CC", str(path))
    runs_plainly_because("cannot run")


@needs_compiler
def test_a_compiler_that_makes_no_library(monkeypatch, tmp_path):
    script = 'while [ $# -gt 0 ]; do [ "$1" = -o ] && echo junk > "$2"; shift; done'
    monkeypatch.setenv("CC", str(compiler_of(tmp_path, script)))
    runs_plainly_because("cannot load what was compiled")


@needs_compiler
def test_a_cache_folder_that_cannot_be_written(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    runs_plainly_because("cannot write")


@needs_compiler
def test_who_did_not_ask_for_it_is_told_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("CC", "no-such-compiler")
    cell = tr.GRU(8, 64, rng=0, dtype="float32")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cell.forward(np.zeros((200, 32, 8), "float32"))
    assert "no-such-compiler" in cell.runner.why_not["forward"]


@needs_compiler
def test_CC_may_be_a_command_of_several_words(monkeypatch, tmp_path):
    log, real = tmp_path / "log", real_compiler()
    wrapper = compiler_of(tmp_path, f'echo "$@" >> {log}\nexec "$@"')
    monkeypatch.setenv("CC", f"{wrapper} {real}")
    toolchain.find_compiler.cache_clear()
    assert build.load(ANSWER.format(5)).answer() == 5
    assert f"{real} -O3" in log.read_text(encoding="utf-8")
    assert f"C compiler: {wrapper} " in tr.explain(tr.Elman(2, 3))


@needs_compiler
def test_the_path_that_CC_names_may_have_spaces(monkeypatch, tmp_path):
    (tmp_path / "two words").mkdir()
    path = compiler_of(tmp_path / "two words", f'exec {real_compiler()} "$@"')
    monkeypatch.setenv("CC", str(path))
    toolchain.find_compiler.cache_clear()
    assert build.load(ANSWER.format(6)).answer() == 6


@needs_compiler
@pytest.mark.parametrize(
    "refused", [["-march=native"], ["-fPIC"], ["-march=native", "-mcpu=native"], ["-fPIC", "-march=native"]]
)
def test_a_compiler_that_does_not_take_a_flag_is_asked_without_it_and_then_no_more(refused, monkeypatch, tmp_path):
    log = tmp_path / "log"
    refusals = "\n".join(f'case " $* " in *" {flag} "*) echo "error: {flag}?" >&2; exit 1;; esac' for flag in refused)
    known = ["-mcpu=native"] if "-mcpu=native" not in refused else []  # GCC takes it with a warning
    path = compiler_of(tmp_path, f'{refusals}\necho "$@" >> {log}\nexec {real_compiler()} "$@"')
    monkeypatch.setenv("CC", str(path))
    toolchain.find_compiler.cache_clear()
    assert build.load(ANSWER.format(1)).answer() == 1
    assert build.load(ANSWER.format(2)).answer() == 2
    compiled = [line for line in log.read_text(encoding="utf-8").splitlines() if "-shared" in line]
    assert len(compiled) == 2 and all(("-march=native" in refused) == bool("-march" not in line) for line in compiled)
    assert all(flag not in line.split() for line in compiled for flag in refused)
    if "-march=native" in refused:
        assert all(flag in line.split() for line in compiled for flag in known)


def test_a_compiler_that_comes_as_a_wheel_is_found_last(monkeypatch, tmp_path):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: name == "ziglang")
    gcc = compiler_of(tmp_path, "").rename(tmp_path / "gcc")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert toolchain.find_compiler() == (str(gcc),)
    gcc.unlink()
    toolchain.find_compiler.cache_clear()
    assert toolchain.find_compiler() == (sys.executable, "-m", "ziglang", "cc")


@pytest.fixture
def zig(monkeypatch):
    pytest.importorskip("ziglang", reason="needs the package ziglang")
    monkeypatch.setenv("CC", shlex.join([sys.executable, "-m", "ziglang", "cc"]))
    toolchain.find_compiler.cache_clear()


@pytest.mark.slow
def test_a_compiler_that_comes_as_a_wheel_makes_the_same_of_a_cell(zig):
    cell = perturbed(tr.LSTM(3, 5, rng=0), np.random.default_rng(0))
    assert_compiles(compare(cell, probe_for(cell, 5, 4, np.random.default_rng(1), masked=True)))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["x86_64-windows-gnu", "aarch64-macos"])
def test_kernels_are_valid_c_for_other_systems_and_show_what_is_called(zig, target, tmp_path):
    """Compiled for them, neither linked nor run: to link, zig first compiles the system's libraries for a minute."""
    cell, source, made = tr.UnitaryRNN(3, 16, rng=0), tmp_path / "cell.c", tmp_path / "cell.built"
    text = draft_forward(cell, cell.derive(cell.params), np.zeros((1, 1, 3)), None).code.text
    for header, names in (
        ("cpu.h", ["forward", "gemm_"]),
        ("gemm.h", ["gemm", "pack_weights", "panel_width", "sum_products"]),
        ("team.h", ["share_out", "linger", "disband"]),
    ):
        source.write_text(f'#define REAL_IS_FLOAT 0\n#include "{header}"\n{text if header == "cpu.h" else ""}')
        flags = [flag if flag != "-shared" else "-c" for flag in toolchain.FLAGS] + [f"-I{toolchain.HEADERS}"]
        flags += [] if "windows" in target else ["-fPIC"]
        result = toolchain.run("-target", target, *flags, source, "-o", made)
        assert result.returncode == 0, result.stderr
        compiled = made.read_bytes()
        assert compiled.startswith(b"\x64\x86" if "windows" in target else b"\xcf\xfa\xed\xfe")
        shown = b"-export:%s" if "windows" in target else b"\0_%s\0"
        assert all(shown % name.encode() in compiled for name in names)


# what is kept ---------------------------------------------------------------------------------------------------------


@needs_compiler
def test_libraries_are_kept_under_a_name_that_depends_on_text_flags_and_compiler(fresh, monkeypatch):
    assert build.load(ANSWER.format(1)).answer() == 1
    (first,) = fresh.iterdir()
    stamp = first.stat().st_mtime_ns
    build.loaded.cache_clear()
    assert build.load(ANSWER.format(1)).answer() == 1
    assert [path.stat().st_mtime_ns for path in fresh.iterdir()] == [stamp], "it was compiled again"
    assert build.load(ANSWER.format(2)).answer() == 2
    assert len(list(fresh.iterdir())) == 2
    forget()
    monkeypatch.setattr(toolchain, "FLAGS", [*toolchain.FLAGS, "-O1"])
    build.load(ANSWER.format(1))
    assert len(list(fresh.iterdir())) == 3
    assert not [name for name in os.listdir(fresh) if not name.endswith(build.SUFFIX)]


@needs_compiler
def test_what_was_compiled_is_loaded_from_a_folder_that_cannot_be_written_any_more(fresh, monkeypatch):
    build.load(ANSWER.format(4))
    forget()
    monkeypatch.setattr(toolchain, "make_library", None)
    assert build.load(ANSWER.format(4)).answer() == 4


def damaged(path):
    path.write_bytes(path.read_bytes()[:-1] + b"?")


def cut_short(path):
    os.truncate(path, path.stat().st_size // 2)  # loading such a one can end the process


def of_others(path):
    path.chmod(0o722)


def a_link(path):
    path.symlink_to(path.rename(path.with_name("elsewhere")))


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have owners and modes on other systems")
@pytest.mark.parametrize("change", [damaged, cut_short, of_others, a_link])
def test_a_library_that_is_not_what_was_made_is_not_loaded_but_compiled_again(fresh, change):
    text = ANSWER.format(3)
    build.load(text)
    (library,) = fresh.iterdir()
    original = library.read_bytes()
    library.unlink()  # it is loaded, and must not be changed in place
    library.write_bytes(original)
    library.chmod(0o700)
    change(library)
    build.loaded.cache_clear()
    assert build.load(text).answer() == 3
    assert library.read_bytes() == original and build.is_own(library)


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have owners on other systems")
def test_another_users_library_is_not_loaded(fresh, monkeypatch):
    text = ANSWER.format(3)
    build.load(text)
    (library,) = fresh.iterdir()
    stamp = library.stat().st_mtime_ns
    monkeypatch.setattr(build, "is_own", lambda path: path == fresh)
    build.loaded.cache_clear()
    assert build.load(text).answer() == 3
    assert [path.stat().st_mtime_ns for path in fresh.iterdir()] != [stamp], "it was not compiled again"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have owners and modes on other systems")
def test_what_is_somebody_elses_is_known_by_owner_and_mode(monkeypatch, tmp_path):
    file = tmp_path / "file"
    file.touch()
    for mode, own in ((0o700, True), (0o755, True), (0o720, False), (0o702, False)):
        file.chmod(mode)
        assert build.is_own(file) == own
    file.chmod(0o700)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert build.is_own(file) == (owner == 0)  # what is the machine's is trusted


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have modes on other systems")
def test_nothing_is_loaded_from_a_folder_that_others_may_write_to(fresh):
    fresh.mkdir(parents=True)
    fresh.chmod(0o777)
    runs_plainly_because("is somebody else's, or others may write to it")


@needs_compiler
def test_of_too_many_libraries_the_oldest_are_deleted(fresh, monkeypatch):
    monkeypatch.setattr(build, "KEPT", 2)
    for k in range(4):
        assert build.load(ANSWER.format(k)).answer() == k
        for age, path in enumerate(sorted(fresh.iterdir(), key=os.path.getmtime, reverse=True)):
            os.utime(path, (1e9 - age, 1e9 - age))
        assert len(list(fresh.iterdir())) == min(k + 1, 2)

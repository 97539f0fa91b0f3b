"""The tests on every supported Python, with the newest dependencies and with the oldest that pyproject.toml allows.

    python3 tools/python_matrix.py                                          # everything: two runs for each Python
    python3 tools/python_matrix.py --python 3.11 --dependencies oldest tests/core    # the floors, on some of the tests
    python3 tools/python_matrix.py --python /opt/python/bin/python3.14 -n 4
    python3 tools/python_matrix.py --no-tests                               # the environments, made ahead

uv (`pip install uv`) makes the environments, in build/matrix/, and fetches Pythons that the machine lacks. "Oldest" is,
of everything that pyproject.toml names, the lowest version that it allows and that has a wheel for this Python; on the
oldest Python these are the floors themselves. Prints a table in Markdown; ends with status 1 if any run failed.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = {"newest": "highest", "oldest": "lowest-direct"}
SHOWN = ("numpy", "scipy", "matplotlib")


class Failed(Exception):
    """A run that cannot be made; the message is one line."""


def main():
    """Run what the command line asks for; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="all other arguments are pytest's: paths, -m, -k …"
    )
    parser.add_argument("--python", action="append", help="version or path; may be repeated (default: all supported)")
    parser.add_argument("--dependencies", choices=RESOLUTIONS, help="only these (default: both)")
    parser.add_argument("--extras", default="test", help="extras of the package, with commas (default: test)")
    parser.add_argument("-n", default="2", help="processes (default: 2)")
    parser.add_argument("--no-tests", action="store_true", help="only make the environments, for which uv fetches much")
    options, pytest_arguments = parser.parse_known_args()
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}") or shutil.which("uv")
    if uv is None:
        parser.error("needs uv: pip install uv")
    print("| Python | dependencies |", *(f"{name} |" for name in SHOWN), "tests |")
    print("|---|---|" + "---|" * (len(SHOWN) + 1))
    passed = True
    for python in options.python or PYTHONS:
        for dependencies in [options.dependencies] if options.dependencies else RESOLUTIONS:
            tests = None if options.no_tests else ["-n", options.n, *pytest_arguments]
            try:
                versions, ok, said = run(uv, python, dependencies, options.extras, tests)
            except Failed as error:
                versions, ok, said = {"python": python}, False, str(error)
            cells = [versions["python"], dependencies, *(versions.get(name, "") for name in SHOWN), said]
            print(f"| {' | '.join(cells)} |", flush=True)
            passed = passed and ok
    return 0 if passed else 1


def run(uv, python, dependencies, extras, pytest_arguments):
    """One environment and its tests: ({package: version}, whether all passed, pytest's last line). Raises Failed.

    Without arguments for pytest there are no tests.
    """
    environment = ROOT / "build" / "matrix" / f"{re.sub(r'[^0-9a-zA-Z.]+', '-', python).strip('-')}-{dependencies}"
    own = str(environment / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    call(uv, "venv", "--quiet", "--clear", "--python", python, environment)
    resolution = ["--resolution", RESOLUTIONS[dependencies], "--only-binary", ":all:", "--no-binary", "tinyrnn"]
    call(uv, "pip", "install", "--quiet", "--python", own, *resolution, "--editable", f"{ROOT}[{extras}]")
    installed = json.loads(call(uv, "pip", "list", "--quiet", "--python", own, "--format", "json"))
    versions = {package["name"]: package["version"] for package in installed}
    versions["python"] = call(own, "-c", "import platform; print(platform.python_version())").strip()
    if pytest_arguments is None:
        return versions, True, "not run"
    log = Path(f"{environment}.txt")
    with log.open("w", encoding="utf-8") as file:
        tests = subprocess.run(
            [own, "-m", "pytest", "-q", "-rs", *pytest_arguments], cwd=ROOT, stdout=file, stderr=subprocess.STDOUT
        )
    lines = log.read_text(encoding="utf-8").splitlines() or ["no output"]
    if tests.returncode:
        print(*lines[-60:], sep="\n", file=sys.stderr)
    return versions, tests.returncode == 0, lines[-1].strip("= ")


def call(*command):
    """What a command prints. Raises Failed with the line of its errors that tells most."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"{command[0]}: status {done.returncode}"]
        raise Failed(next((line for line in said if line.startswith("error:")), said[-1]).strip())
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())

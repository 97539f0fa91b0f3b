"""Get the files of the public programs: `python benchmarks/public_lines/fetch.py`, once.

With `--clones FOLDER`, from clones in that folder (owner/name or owner+name, bare or not) instead of the network. Each
file is checked against its SHA-256 in sources.toml.
"""

import argparse
import hashlib
import subprocess
import urllib.parse
import urllib.request

from programs import FILES, SOURCES

ADDRESS = "https://raw.githubusercontent.com/{program}/{commit}/{path}"


def download(program, commit, path):
    """The bytes of a file at a commit, from the network."""
    address = ADDRESS.format(program=program, commit=commit, path=urllib.parse.quote(path))
    with urllib.request.urlopen(address, timeout=60) as answer:
        return answer.read()


def from_clone(clones, program, commit, path):
    """The bytes of a file at a commit, from a clone."""
    from pathlib import Path

    for folder in (Path(clones) / program, Path(clones) / program.replace("/", "+")):
        for git in (folder / ".git", folder / "repo" / ".git", folder / "repo", folder):
            if (git / "HEAD").exists():
                command = ["git", f"--git-dir={git}", "show", f"{commit}:{path}"]
                return subprocess.run(command, check=True, capture_output=True).stdout
    raise FileNotFoundError(f"there is no clone of {program} in {clones}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clones", help="a folder with clones of the repositories")
    clones = parser.parse_args().clones
    for program, source in SOURCES.items():
        for path, digest in source["files"].items():
            file = FILES / program / path
            if file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == digest:
                continue
            given = (program, source["commit"], path)
            data = from_clone(clones, *given) if clones else download(*given)
            if hashlib.sha256(data).hexdigest() != digest:
                raise SystemExit(f"{program}/{path} is not the file that was used: its SHA-256 differs")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            print(f"{program}/{path}")


if __name__ == "__main__":
    main()

"""Random mutants of the public programs: mistakes that nobody chose.

    python -m benchmarks.public_lines.mutants --draws 4 --out mutants.json [--half "twelfth held out"] [--jobs 2]

Of every function of a subject, all small mistakes are made (`tinyrnn.sources.mutation`), and of each subject some are
drawn by lot: kinds first, so that the many names that can be swapped do not outnumber all else. One counts if it is a
mistake of a backward pass: the value is what it was, to the last digit, a gradient is not, and nothing raises an error.
They are judged and counted as the planted ones are (`run`). What --out holds is not run again.
"""

import argparse
import ast
import collections
import random
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from tinyrnn.sources.mutation.making import mutants_of

from . import SUBJECTS
from .lot import HALVES, half_of
from .programs import FILES, Mistake, build, text_of
from .run import figures, judged_apart, read, say, write

MOST_TRIED = 12  # draws for each that is wanted: most change the value, nothing, or raise an error


def mistakes_of(subject):
    """{kind: [Mistake, ...]} of all functions of a subject; those alone whose statement its function has once."""
    found = collections.defaultdict(list)
    for part in subject.parts:
        text = text_of(subject.program, part)
        for where, function in functions(ast.parse(text)):
            if function.name == "__init__":
                continue  # what an object is made with is no backward pass
            body = ast.get_source_segment(text, function)
            for mutant in mutants_of(function):
                old, new = replaced(text, list(ast.walk(function))[mutant.place], mutant.new)
                if body.count(old) == 1:
                    found[mutant.kind].append(Mistake("", ((where, old, new),)))
    return found


def functions(tree):
    """(name or "Class.name", function) of a module, those alone whose name is given once."""
    every = [(f.name, f) for f in tree.body if isinstance(f, ast.FunctionDef)]
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            every += [(f"{node.name}.{f.name}", f) for f in node.body if isinstance(f, ast.FunctionDef)]
    times = collections.Counter(name for name, _ in every)
    return [(name, function) for name, function in every if times[name] == 1]


def replaced(text, node, new):
    """(the lines that a node is on, without what they are indented by, the same with `new` in its place)."""
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    first, last = node.lineno - 1, node.end_lineno - 1
    made = ast.unparse(new)
    if isinstance(new, ast.expr) and not isinstance(new, ast.Name | ast.Constant | ast.Attribute | ast.Call):
        made = f"({made})"
    before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
    old = b"".join(lines[first : last + 1])
    return old.decode().strip(), (before + made.encode() + after).decode().strip()


def outcome(subject, mistake):
    """(value, gradients) of a subject with a mistake in it; None if it raises an error."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            given = subject.make(build(subject, folder, mistake).module)
            return given.value(), [np.array(g, dtype=float) for g in given.gradients().values()]
        except Exception:
            return None


def drawn(subject, draws, seed=0):
    """At most `draws` mistakes of the backward pass of a subject, by lot."""
    value, gradients = outcome(subject, None)
    rng, every = random.Random(f"{seed} {subject.program}: {subject.name}"), mistakes_of(subject)
    for kind in every.values():
        rng.shuffle(kind)
    found = []
    for _ in range(MOST_TRIED * draws):
        kinds = sorted(kind for kind in every if every[kind])
        if not kinds or len(found) == draws:
            break
        mistake = every[rng.choice(kinds)].pop()
        got = outcome(subject, mistake)
        if got and np.array_equal(got[0], value) and any(map(differ, got[1], gradients)):
            found.append(mistake)
    return found


def differ(a, b):
    return a.size != b.size or not np.allclose(a.ravel(), b.ravel(), rtol=1e-6, atol=1e-9, equal_nan=True)


def cases(halves, only, draws, seed):
    """(half, key, subject, mistake) of the mutants of all subjects whose files are there."""
    for subject in SUBJECTS:
        half, name = half_of(subject.program), f"{subject.program}: {subject.name}"
        there = all((FILES / subject.program / part.path).exists() for part in subject.parts)
        if there and half in halves and (not only or any(part in name for part in only)):
            for mistake in drawn(subject, draws, seed):
                yield half, f"{name}: {mistake}", subject, mistake


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, nargs="+", default=HALVES)
    parser.add_argument("--only", nargs="+", help="parts of the names of subjects")
    parser.add_argument("--draws", type=int, default=4, help="of each subject (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--say", action="store_true", help="list what was not placed exactly, with what was accused")
    parser.add_argument("--out", type=Path, help="a JSON file that is added to; it quotes the programs")
    args = parser.parse_args()
    everything = read(args.out)

    def judged(case):
        half, key, subject, mistake = case
        result = everything.get(half, {}).get(key) or judged_apart(subject, mistake)
        return half, key, result

    found = {}
    with ThreadPoolExecutor(args.jobs) as pool:
        for half, key, result in pool.map(judged, cases(args.half, args.only, args.draws, args.seed)):
            found[key] = everything.setdefault(half, {})[key] = result
            if args.out:
                write(args.out, everything)
            if args.say:
                say(key, result)
    for column, value in figures(found).items():
        print(f"{column:<22} {value}")


if __name__ == "__main__":
    main()

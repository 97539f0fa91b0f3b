"""The line verdicts on public programs as they are, and with mistakes planted in them.

    python -m benchmarks.public_lines.run --half development [--only "min-char"] [--say]
    python -m benchmarks.public_lines.run --half "held out" --out benchmarks/public_lines/results.json

After fetch.py. What --out holds is not run again: a run that was broken off goes on where it stopped. Columns: of the
planted mistakes, those detected (a line is accused, or something is said to be wrong), those where exactly the changed
statements are accused, right statements accused, changed statements named as what they are and otherwise, and those of
which "all right" is said; statements accused in the programs as they are; and what the verdicts could not be had of.
"""

import argparse
import ast
import collections
import json
import multiprocessing
import multiprocessing.connection  # here, as programs change the path while others are begun
import re
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from . import SUBJECTS
from .lot import HALVES, half_of
from .programs import build, statement_at, text_of

SECONDS = 120  # for one case


def judge(subject, mistake):
    """What the line verdicts say of one case: a dict for JSON."""
    import tinyrnn as tr

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        built = build(subject, folder, mistake)
        given = subject.make(built.module)
        start = time.perf_counter()
        try:
            report = tr.lines(given.forward, given.backward, given.inputs)
        except Exception as error:
            return {"raised": f"{type(error).__name__}: {error}".replace(folder, "").split("\n")[0][:200]}
        seconds = time.perf_counter() - start
        accused = collections.defaultdict(list)
        for row in report.wrong:
            file = str(report.files.get(row.function, ""))
            line = statement_at(Path(file).read_text(encoding="utf-8"), row.line)[0] if file else 0
            name = row.mistake["name"] if row.mistake else ""
            accused[file, line].append(name)
        changed = {place for place in built.changed}
        known = [name for place in accused for name in accused[place] if name]
        wanted = mistake is not None and re.compile(mistake.name or "(?!)")
        hit = {place for place in accused if place in changed or stands_for(place, mistake, changed)}
        on_changed = [n for place in accused if place in hit for n in accused[place] if n]
        return {
            "ok": bool(report.ok),
            "accused": [f"{Path(file).name}:{line} {text_at(file, line)}" for file, line in sorted(accused)],
            "exact": bool(hit) and len(hit) == len(changed) and len(accused) == len(hit),
            "right accused": len(set(accused) - hit),
            "named": sum(bool(wanted.search(n)) for n in on_changed) if wanted else 0,
            "unlisted": sum(not wanted.search(n) for n in on_changed) if wanted and not mistake.name else 0,
            "names": sorted(set(known)),
            "misnamed": len(known)
            - len(on_changed)
            + (sum(not wanted.search(n) for n in on_changed) if wanted and mistake.name else 0),
            "problems": report.problems[:3],
            "seconds": round(seconds, 2),
        }


def stands_for(place, mistake, changed):
    """Of a statement that was removed: whether another one that sets the same name is accused in its place."""
    if mistake is None:
        return False
    for _, old, new in mistake.changes:
        if re.match(r"pass\b", new):  # what else there is in `new` only tells where
            file, line = place
            removed = first_of(old.strip())
            if not isinstance(removed, ast.Assign | ast.AugAssign):
                continue
            return bool(set_by(removed) & set_by(statement_of(file, line)))
    return False


def first_of(text):
    """The syntax tree of the first statement of a text, of which what follows may be only a part."""
    try:
        return ast.parse(text).body[0]
    except SyntaxError:
        return ast.parse(text.splitlines()[0]).body[0]


def set_by(statement):
    """The sources of what an assignment sets, without the keys of entries."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    leaves = [leaf for target in targets if target for leaf in getattr(target, "elts", [target])]
    return {ast.unparse(leaf).split("[")[0] for leaf in leaves}


def statement_of(file, line):
    """The syntax tree of the statement that begins at a line."""
    text = Path(file).read_text(encoding="utf-8") if file else ""
    return next((n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt) and n.lineno == line), None)


def text_at(file, line):
    lines = Path(file).read_text(encoding="utf-8").splitlines() if file else [""]
    return lines[line - 1].strip()[:80] if line else ""


def cases(half, only):
    """(key, subject, mistake) of each case; the mistake is None for the program as it is."""
    for subject in SUBJECTS:
        name = f"{subject.program}: {subject.name}"
        if half_of(subject.program) == half and (not only or any(part in name for part in only)):
            for mistake in (None, *subject.mistakes):
                yield f"{name}: {mistake or 'as it is'}", subject, mistake


def answer(subject, mistake, sender):
    try:
        sender.send(judge(subject, mistake))
    except Exception as error:
        sender.send({"raised": f"the runner: {type(error).__name__}: {error}"})


def judged_apart(subject, mistake):
    """The result of one case, in a process of its own: one that hangs or dies costs no other."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=answer, args=(subject, mistake, sender), daemon=True)
    process.start()
    sender.close()
    try:
        result = receiver.recv() if receiver.poll(SECONDS) else {"raised": f"no answer in {SECONDS} s"}
    except EOFError:
        result = {"raised": "the process died"}
    process.kill()
    process.join()
    return result


def without_code(result):
    """The result without the texts of the lines accused, which are other people's: `program.py:12` for each."""
    places = [place.split(" ")[0] for place in result.get("accused", ())]
    return result | ({"accused": places} if places else {})


def write(path, everything):
    """The results as JSON, one case a line."""
    halves = [
        f"{json.dumps(half)}: {{\n"
        + ",\n".join(f"{json.dumps(k, ensure_ascii=False)}: {json.dumps(r, ensure_ascii=False)}" for k, r in rs.items())
        + "\n}"
        for half, rs in everything.items()
    ]
    path.write_text("{" + ",\n".join(halves) + "}\n", encoding="utf-8")


def read(path):
    """What `write` has written before: {half: {key: result}}, empty if there is no such file."""
    return json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}


def say(key, result):
    """Print a case that was not placed exactly, with what was accused in it."""
    if not result.get("exact") and not (key.endswith("as it is") and result.get("ok")):
        print(
            f"{key}\n    {result.get('raised') or result['accused'] or result['problems'] or 'all right'}", flush=True
        )


def figures(results):
    """The row of the table: {column: number}."""
    planted = {key: r for key, r in results.items() if not key.endswith(": as it is")}
    unchanged = {key: r for key, r in results.items() if key.endswith(": as it is")}
    judged = [r for r in planted.values() if "raised" not in r]
    sets = [r for key, r in planted.items() if key.count(" for ") > 1 and "; " in key]
    return {
        "mistakes": len(planted),
        "detected": sum(not r["ok"] for r in judged),
        "exact": sum(r["exact"] for r in judged),
        "right accused": sum(r["right accused"] for r in judged),
        "named rightly": sum(r["named"] + r["unlisted"] > 0 for r in judged),
        "named wrongly": sum(r["misnamed"] > 0 for r in judged),
        'false "all right"': sum(r["ok"] for r in judged),
        "sets of two": f"{sum(r.get('exact', False) for r in sets)} of {len(sets)}",
        "programs as they are": len(unchanged),
        "accused in them": sum(len(r.get("accused", ())) for r in unchanged.values()),
        "not judged": sum("raised" in r for r in results.values()),
        "median s": float(np.median([r["seconds"] for r in judged] or [0])),
        "longest s": max([r["seconds"] for r in judged] or [0]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="development")
    parser.add_argument("--only", nargs="+", help="parts of the names of subjects")
    parser.add_argument("--say", action="store_true", help="list what was not placed exactly, with what was accused")
    parser.add_argument("--out", type=Path, help="a JSON file that is added to")
    args = parser.parse_args()
    everything = read(args.out)
    import tinyrnn  # noqa: F401  before the processes are made, which then need not import it

    wanted = list(cases(args.half, args.only))
    for subject in {subject for _, subject, _ in wanted}:
        for part in subject.parts:
            text_of(subject.program, part)  # whether all files are there
    found = everything.setdefault(args.half, {})
    for key, subject, mistake in wanted:
        result = found[key] if key in found else judged_apart(subject, mistake)
        if key not in found:
            found[key] = without_code(result)
            if args.out:
                write(args.out, everything)
        if args.say:
            say(key, result)
    for column, value in figures({key: found[key] for key, _, _ in wanted}).items():
        print(f"{column:<22} {value}")


if __name__ == "__main__":
    main()

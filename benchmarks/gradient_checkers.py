"""Gradient checkers beside each other, on gradients that others published and on mistakes planted in them.

    python benchmarks/gradient_checkers.py                        both halves, one table each
    python benchmarks/gradient_checkers.py --half development --checkers tinyrnn --say --only rosen

needs what public_gradients/requirements.txt lists; a checker or package that is not installed is left out, and said.
Columns: planted mistakes found ("wrong", an error, or a word on what was changed in place, kept or shared that is not
said of the unchanged function); named as what they are, of those that a word fits; missed; right functions called
wrong; functions at a kink, or random, of which it says so and does not say "wrong"; published functions that are wrong,
found; and what could not be put to this checker, published functions and mistakes together.
"""

import argparse
import collections
import importlib.util
import json
import multiprocessing
import warnings
from pathlib import Path

import numpy as np
from public_gradients import HALVES
from public_gradients.checkers import CHECKERS, Inexpressible
from public_gradients.planting import importable, seed_global_state

SECONDS = 120  # for one case and all its mistakes, and the imports
PLACES = ("entr", "row", "column", "step", "block", "axis", "slice", "index", "partly")
WORDS = {  # of a planted kind: what a checker may say to have named it
    "factor": ("factor", "mean"),
    "sign": ("sign",),
    "transpose": ("transpose", "order"),
    "missing sum": ("sum", "shape", "broadcast"),
    "mean for sum": ("mean", "factor"),
    "sum for mean": ("mean", "sum", "factor"),
    "time": PLACES,
    "one row": PLACES,
    "one entry": PLACES,
    "block": PLACES,
    "swapped entries": ("order", "swap", "permut", "reverse", "transpose"),
    "zero": ("zero",),
    "other argument": ("gradient of", "argument"),
    "in place": ("in place", "changed", "overwr"),
    "alias": ("alias", "share", "same array", "memory"),
    "reused result": ("alias", "share", "same array", "memory", "second call", "overwr"),
    "stale cache": ("stale", "cache", "call", "state"),
    "accumulated": ("accumul", "call", "state"),
    "upstream ignored": ("upstream",),
    "batch mixed": ("batch", "sample", *PLACES),
    "lost precision": ("float32", "precision", "dtype"),
    "conjugate": ("conj",),
}
NO_ANSWER = ("kink", "jump", "smooth", "random", "tie", "corner")  # said of a function that has no gradient there
CONDUCT = {
    "in place",
    "alias",
    "reused result",
    "stale cache",
    "accumulated",
    "lost precision",
}  # the value may be right


def judge(checker, case, mistake=None):
    """{"verdict", "words"} of one run; "raised" where the checker, or what it called, broke off."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        problem = case.problem(mistake)
        try:
            verdict, words = CHECKERS[checker](problem)
        except Inexpressible as error:
            return {"verdict": "inexpressible", "words": [str(error)]}
        except Exception as error:
            return {"verdict": "raised", "words": [f"{type(error).__name__}: {error}".split("\n")[0][:300]]}
    return {"verdict": verdict, "words": words}


def judge_case(checker, case):
    return [judge(checker, case, mistake) for mistake in (None, *case.mistakes)]


def run(checker, cases):
    """{case: results} in a process of its own: one that hangs or dies costs its case only."""
    by_name = {case.name: case for case in cases if importable(case.module)}
    context, results = multiprocessing.get_context("spawn"), {}
    while left := [name for name in by_name if name not in results]:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(checker, left, sender), daemon=True)
        process.start()
        for name in left:
            if not receiver.poll(SECONDS):
                lost = {"verdict": "raised", "words": [f"no answer in {SECONDS} s"]}
                results[name] = [lost] * (1 + len(by_name[name].mistakes))
                break
            results[name] = receiver.recv()
        process.join(timeout=5)
        process.kill()
    return results


def work(checker, names, sender):
    seed_global_state()
    by_name = {case.name: case for half in HALVES.values() for case in half}
    for name in names:
        sender.send(judge_case(checker, by_name[name]))


def count(cases, results):
    """The row of the table, as a dict of lists of what is counted."""
    row = collections.defaultdict(list)
    for case in cases:
        if case.name not in results:
            continue
        published, *planted = results[case.name]
        if published["verdict"] in ("raised", "inexpressible"):
            row["not asked"] += [f"{case.name}"] * (1 + len(planted))
            continue
        if case.published == "right" and published["verdict"] == "wrong":
            row["accused"].append(case.name)
        if case.published == "no answer":
            told = published["verdict"] != "wrong" and any(word in w for w in published["words"] for word in NO_ANSWER)
            row["told" if told else "untold"].append(f"{case.name}: {published['verdict']}")
        if case.published == "wrong":
            row["caught" if published["verdict"] == "wrong" else "passed"].append(case.name)
        for mistake, result in zip(case.mistakes, planted, strict=True):
            what = f"{case.name}: {mistake.kind}, {mistake.new!r} for {mistake.old!r}"
            said = [words for words in result["words"] if words not in published["words"]]
            named = any(word in words for words in said for word in WORDS.get(mistake.kind, ()))
            found = result["verdict"] in ("wrong", "raised") or (mistake.kind in CONDUCT and named)
            row["found" if found else "missed"].append(what)
            row["broke off"] += [what] * (result["verdict"] == "raised")
            if mistake.kind in WORDS and found:
                row["named"] += [what] * named
            row["namable"] += [what] * (mistake.kind in WORDS)
    return row


def table(counts):
    header = [
        "checker",
        "found",
        "named",
        "missed",
        "right called wrong",
        "kink or random: said",
        "published mistakes",
        "not asked",
    ]
    rows = [header, ["---"] + ["---:"] * (len(header) - 1)]
    for checker, row in counts.items():
        found, missed, broke, caught = (len(row[key]) for key in ("found", "missed", "broke off", "caught"))
        rows.append(
            [
                checker,
                f"{found} of {found + missed}" + f" ({broke} broke off)" * (broke > 0),
                f"{len(row['named'])} of {len(row['namable'])}" if checker == "tinyrnn" else "–",
                f"{missed}",
                f"{len(row['accused'])}",
                f"{len(row['told'])} of {len(row['told']) + len(row['untold'])}",
                f"{caught} of {caught + len(row['passed'])}",
                f"{len(row['not asked'])}",
            ]
        )
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write(path, everything):
    """One line for each case; the words are kept of what we say only, for the others' hold numbers of one machine."""
    for checkers in everything.values():
        for checker, results in checkers.items():
            for result in (result for case in results.values() for result in case if checker != "tinyrnn"):
                result["words"] = []
    path.write_text(json.dumps(everything, ensure_ascii=False).replace("}], ", "}],\n") + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, action="append", help="default: both")
    parser.add_argument("--checkers", nargs="+", choices=CHECKERS, default=list(CHECKERS))
    parser.add_argument("--only", nargs="+", help="names of cases")
    parser.add_argument("--say", action="store_true", help="list what is missed, accused, unnamed")
    parser.add_argument("--out", type=Path, help="add the results to this JSON file")
    args = parser.parse_args()
    everything = json.loads(args.out.read_text(encoding="utf-8")) if args.out and args.out.exists() else {}
    for half in args.half or HALVES:
        cases = [case for case in HALVES[half] if not args.only or case.name in args.only]
        absent = sorted({case.module.split(".")[0] for case in cases if not importable(case.module)})
        rows = {}
        for checker in args.checkers:
            if importlib.util.find_spec(checker.split()[0].split(".")[0]) is None:
                print(f"{checker} is not installed")
                continue
            results = run(checker, cases)
            everything.setdefault(half, {}).setdefault(checker, {}).update(results)
            rows[checker] = count(cases, results)
        planted = sum(len(case.mistakes) for case in cases)
        print(f"\n{half}: {len(cases)} functions, {planted} planted mistakes\n\n{table(rows)}")
        print(f"not installed: {', '.join(absent)}" if absent else "", flush=True)
        for checker, row in rows.items() if args.say else ():
            unnamed = [what for what in row["namable"] if what not in row["named"] and what not in row["missed"]]
            for title in ("missed", "accused", "untold", "passed", "not asked"):
                for what in sorted(set(row[title])):
                    print(f"{checker}, {title}: {what}")
            for what in unnamed if checker == "tinyrnn" else ():
                print(f"{checker}, not named: {what}")
    if args.out:
        write(args.out, everything)


if __name__ == "__main__":
    main()

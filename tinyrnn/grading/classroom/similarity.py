"""Pairs of submissions that a human should look at, because they have more in common than the rest of the class has.

What is compared is the order of the tokens. Comments, texts and line breaks do not count; names that a student chose
count as one and the same, those of the skeleton, of Python and after a dot as themselves. Every run of `RUN` tokens
is a number, and of every `WINDOW` such numbers one is kept, the smallest (winnowing: Schleimer, Wilkerson and Aiken
2003), so that whatever two files share over RUN + WINDOW - 1 tokens is found. What stands in the skeleton is left out,
and so is what many have: there are not many ways to write a right line.

    likeness   of the rest, what both have, as a share of what the one with less of it has: 1 is all of it

A high likeness says where to look and nothing else. Two may have sat at one table, or read the same lecture.
"""

import builtins
import hashlib
import keyword
import re
from collections import Counter, defaultdict
from itertools import combinations
from typing import NamedTuple

RUN = 10  # tokens
WINDOW = 6
LIKE = 0.6  # a pair is shown from this likeness on
ENOUGH = 10  # numbers in common, below which likeness says nothing
MANY = 5  # submissions, or a tenth of the class: what more than so many have is common knowledge
MOST_TOKENS = 50_000
MOST_PAIRS = 200
KNOWN = frozenset(dir(builtins)) | frozenset(keyword.kwlist)
TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
    | (?P<text>[rbuft]{0,2}(?:\"{3}.*?(?:\"{3}|\Z) | '{3}.*?(?:'{3}|\Z) | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'?))
    | (?P<name>[^\W\d]\w*)
    | (?P<number>\d[\w.]*)
    | (?P<space>\s+)
    | (?P<sign>\*\*|//|->|:=|[-+*/%@&|^<>=!]=|.)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


class AlikePair(NamedTuple):
    """Two students, alphabetically. likeness: from 0 to 1; common: how many numbers both have that are not common."""

    one: str
    other: str
    likeness: float
    common: int


def tokens(text, keep=frozenset()):
    """The tokens of a text that need not even be Python. keep: names that count as themselves."""
    found, previous = [], ""
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind in ("comment", "text", "space"):
            continue
        if kind == "name" and word not in KNOWN and word not in keep and previous != ".":
            word = "a name"
        found.append(word)
        previous = word
        if len(found) >= MOST_TOKENS:
            break
    return found


def prints(text, skeleton=""):
    """The numbers kept of a file, sorted, without those of the skeleton it was started from. Bytes have none."""
    keep = frozenset(match[0] for match in TOKEN.finditer(skeleton) if match.lastgroup == "name")
    given = numbers(tokens(skeleton, keep))
    return sorted(winnowed(numbers(tokens(text if isinstance(text, str) else "", keep))) - set(given))


def numbers(words):
    """A number for every run of tokens."""
    runs = ("\n".join(words[k : k + RUN]) for k in range(len(words) - RUN + 1))
    return [
        int.from_bytes(hashlib.blake2b(run.encode("utf-8", "replace"), digest_size=6).digest(), "big") for run in runs
    ]


def winnowed(hashes):
    """The smallest of each `WINDOW` neighbours."""
    return {min(hashes[k : k + WINDOW]) for k in range(max(1, len(hashes) - WINDOW + 1))} if hashes else set()


def pairs(prints_of):
    """The `AlikePair`s to look at, the most alike first, and how many more than `MOST_PAIRS` there are.

    prints_of: student -> what `prints` gave for their file.
    """
    counts = Counter(number for found in prints_of.values() for number in found)
    limit = max(MANY, len(prints_of) // 10)
    having = defaultdict(list)
    own = dict.fromkeys(prints_of, 0)
    for student in sorted(prints_of):
        for number in prints_of[student]:
            if counts[number] <= limit:
                own[student] += 1
                having[number].append(student)
    both = Counter(pair for students in having.values() for pair in combinations(students, 2))
    found = [AlikePair(*pair, common / min(own[each] for each in pair), common) for pair, common in both.items()]
    found = [pair for pair in found if pair.common >= ENOUGH and pair.likeness >= LIKE]
    found.sort(key=lambda pair: (-pair.likeness, -pair.common, pair.one, pair.other))
    return found[:MOST_PAIRS], max(0, len(found) - MOST_PAIRS)

"""Groups of submissions that a human should look at, because they have more in common than others of the class have.

What is compared is the order of the tokens. Comments, texts and line breaks do not count; names that a student chose
count as one and the same, those of the skeleton, of Python and after a dot as themselves. Every run of `RUN` tokens
is a number, and of every `WINDOW` such numbers one is kept, the smallest (winnowing: Schleimer, Wilkerson and Aiken
2003), so that whatever two files share over RUN + WINDOW - 1 tokens is found. What was handed out is left out
(skeleton, handout, cases), and nothing else: what many have is not common for that, or many who copied would hide one
another.

    likeness   of what both wrote, what both have, as a share of what the one with less of it has: 1 is all of it

Right solutions are alike by themselves, in some exercises more than in others. So a pair is shown from the middle
between the median likeness of all pairs and 1, an exact copy; and never below `LIKE`. Who are alike each with
each are a group. A high likeness says where to look and nothing else: two may have sat at one table, or read the same
lecture.
"""

import builtins
import hashlib
import keyword
import re
import statistics
from collections import Counter, defaultdict
from itertools import combinations
from typing import NamedTuple

RUN = 10  # tokens
WINDOW = 6
LIKE = 0.6  # no pair is shown below this likeness
ENOUGH = 10  # numbers in common, below which likeness says nothing
MOST_TOKENS = 50_000
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
    """Two students, alphabetically. likeness: from 0 to 1; common: how many numbers both have."""

    one: str
    other: str
    likeness: float
    common: int


class LookAlikes(NamedTuple):
    """Students, alphabetically, and their pairs, the most alike first."""

    members: tuple
    pairs: tuple


def tokens(text, keep=frozenset()):
    """The tokens of a text that need not even be Python. keep: names that count as themselves."""
    return [word for word, _ in placed(text, keep)]


def placed(text, keep=frozenset()):
    """[(token, line from 0)] of a text."""
    found, previous, line = [], "", 0
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        at, line = line, line + word.count("\n")
        if kind in ("comment", "text", "space"):
            continue
        if kind == "name" and word not in KNOWN and word not in keep and previous != ".":
            word = "a name"
        found.append((word, at))
        previous = word
        if len(found) >= MOST_TOKENS:
            break
    return found


class HandedOut:
    """What was handed out. skeleton: the text that students started from, whose names count as themselves. others:
    further texts that whoever likes can copy from."""

    def __init__(self, skeleton="", others=()):
        self.names = frozenset(match[0] for match in TOKEN.finditer(skeleton) if match.lastgroup == "name")
        self.numbers = {number for text in (skeleton, *others) for number in numbers(tokens(text, self.names))}

    def prints(self, text):
        """The numbers kept of a file, sorted, without those of what was handed out. Bytes have none."""
        text = text if isinstance(text, str) else ""
        return sorted(winnowed(numbers(tokens(text, self.names))) - self.numbers)

    def common_lines(self, text, shared):
        """The numbers of the lines, from 0, of which a run of tokens is among the numbers `shared`."""
        words = placed(text, self.names)
        found = set()
        for k, number in enumerate(numbers([word for word, _ in words])):
            if number in shared:
                found.update(range(words[k][1], words[k + RUN - 1][1] + 1))
        return found


def numbers(words):
    """A number for every run of tokens."""
    runs = ("\n".join(words[k : k + RUN]) for k in range(len(words) - RUN + 1))
    return [
        int.from_bytes(hashlib.blake2b(run.encode("utf-8", "replace"), digest_size=6).digest(), "big") for run in runs
    ]


def winnowed(hashes):
    """The smallest of each `WINDOW` neighbours."""
    return {min(hashes[k : k + WINDOW]) for k in range(max(1, len(hashes) - WINDOW + 1))} if hashes else set()


def groups(prints_of):
    """(the `LookAlikes` to look at, the most alike first; further `AlikePair`s whose members are in no group together).

    prints_of: student -> what `HandedOut.prints` gave for their file.
    """
    own = {student: len(found) for student, found in prints_of.items() if len(found) >= ENOUGH}
    having = defaultdict(list)
    for student in sorted(own):
        for number in prints_of[student]:
            having[number].append(student)
    both = Counter(pair for students in having.values() for pair in combinations(students, 2))
    alike = {pair: common / min(own[each] for each in pair) for pair, common in both.items()}
    typical = statistics.median(alike.get(pair, 0.0) for pair in combinations(sorted(own), 2)) if len(own) > 1 else 0
    limit = max(LIKE, (1 + typical) / 2) if len(own) > 2 else LIKE
    found = [AlikePair(*pair, value, both[pair]) for pair, value in alike.items() if value >= limit]
    found = [pair for pair in found if pair.common >= ENOUGH]
    found.sort(key=lambda pair: (-pair.likeness, -pair.common, pair.one, pair.other))
    return grouped(found, alike, limit)


def grouped(pairs, alike, limit):
    """What `groups` returns. Beginning with the most alike pair, two groups become one if their members, each with
    each, are on average as alike as `limit`: so nobody links strangers who has a little of everybody."""
    group_of = {each: {each} for pair in pairs for each in pair[:2]}
    for pair in pairs:
        one, other = group_of[pair.one], group_of[pair.other]
        if one is not other:
            across = [alike.get(tuple(sorted((a, b))), 0.0) for a in one for b in other]
            if statistics.fmean(across) >= limit:
                group_of.update(dict.fromkeys(one | other, one | other))
    inside = [pair for pair in pairs if group_of[pair.one] is group_of[pair.other]]
    members = dict.fromkeys(tuple(sorted(group_of[pair.one])) for pair in inside)
    found = [LookAlikes(each, tuple(pair for pair in inside if pair.one in each)) for each in members]
    return found, [pair for pair in pairs if group_of[pair.one] is not group_of[pair.other]]

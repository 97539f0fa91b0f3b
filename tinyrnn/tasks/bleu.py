"""BLEU: how many runs of one to four words a translation shares with the right one."""

import math
from collections import Counter


def bleu(said, wanted, longest=4):
    """BLEU of a corpus with one reference for each sentence (Papineni, Roukos, Ward & Zhu 2002, §2.3), from 0 to 1.

        BLEU = min(1, e^{1 - r/c}) · (p_1 p_2 p_3 p_4)^{1/4}

    p_n: the share of all n-grams said that are in their sentence's reference, each at most as often as it is there.
    c, r: the number of all words said, and of all references. said, wanted: lists of sequences of words, of equal
    length. Without smoothing: 0 if there is no right n-gram of some length. Raises ValueError for empty lists.
    """
    if not wanted or len(said) != len(wanted):
        raise ValueError(f"bleu: expected as many sentences as references, got {len(said)} and {len(wanted)}")
    c, r = sum(map(len, said)), sum(map(len, wanted))
    log_precision = 0.0
    for n in range(1, longest + 1):
        right = sum((ngrams(a, n) & ngrams(b, n)).total() for a, b in zip(said, wanted, strict=True))
        total = sum(max(len(a) - n + 1, 0) for a in said)
        if right == 0:
            return 0.0
        log_precision += math.log(right / total) / longest
    return math.exp(min(0.0, 1 - r / c) + log_precision)


def ngrams(words, n):
    """How often each run of n words occurs."""
    return Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))

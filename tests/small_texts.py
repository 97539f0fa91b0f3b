"""Small data files for the language models, under the names of the real ones."""

import numpy as np

SENTENCES = "the cat sat on the mat|a dog of N years ran|the <unk> sat|no cat ran on a mat of N dogs"


def write_penn(folder, lines=400, seed=0):
    """ptb/ptb.train.txt and so on, by words and spelt out, made of shuffled words. Returns the words of each part."""
    words = SENTENCES.replace("|", " ").split()
    rng = np.random.default_rng(seed)
    parts = {}
    (folder / "ptb").mkdir(parents=True, exist_ok=True)
    for part, n in ("train", lines), ("valid", lines // 10), ("test", lines // 8):
        rows = [" ".join(rng.choice(words, rng.integers(2, 7))) for _ in range(n)]
        if part == "train":
            rows[0] = " ".join(dict.fromkeys(words))  # all words, whatever was drawn
        spelt = [" ".join(row.replace(" ", "_")) + " \n" for row in rows]
        (folder / f"ptb/ptb.{part}.txt").write_text("".join(f" {row} \n" for row in rows))
        (folder / f"ptb/ptb.char.{part}.txt").write_text("".join(spelt))
        parts[part] = [word for row in rows for word in (*row.split(), "<eos>")]
    return parts


def write_text(path, n=3000, seed=0, symbols="abcde fgh\n"):
    """A text of n symbols in which each depends on the two before; returns it."""
    rng = np.random.default_rng(seed)
    text = symbols[:2] + symbols
    while len(text) < n:
        k = symbols.index(text[-1]) + 2 * symbols.index(text[-2]) + int(rng.integers(0, 2))
        text += symbols[k % len(symbols)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return text

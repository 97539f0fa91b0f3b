"""Two small languages and the translation between them: an English of some hundred words, and an invented one.

A sentence is one clause or several, joined by conjunctions; the source is drawn at random and translated as it is
drawn, phrase by phrase, so the phrases of both come in the same order. Within a phrase everything may change:

    words       large, big -> kor-              looks for -> nefat         lighthouse -> turo di lum
    agreement   articles, adjectives and numbers have the noun's gender and number, verbs the subject's number
    order       the three big dogs -> li kanti kori trei       under the table -> la mesa sot
    verbs       does not see -> ne vidat pa      will see -> vidaru      often sees -> vidat sepe

The meaning of a word thus depends on words before and behind it: `my` is said by the gender of a noun yet to come.
"""

from typing import NamedTuple


class Noun(NamedTuple):
    """A noun of the made-up language, with what agrees with it."""

    singular: str  # may be several words
    plural: str
    gender: str  # m or f
    stem: str  # the target's
    after: str = ""  # target words that follow it, unchanged


NOUNS = [
    Noun("dog", "dogs", "m", "kant"),
    Noun("cat", "cats", "f", "mirl"),
    Noun("horse", "horses", "m", "eqv"),
    Noun("bird", "birds", "f", "avik"),
    Noun("fish", "fishes", "m", "pesk"),
    Noun("child", "children", "m", "infan"),
    Noun("woman", "women", "f", "femn"),
    Noun("man", "men", "m", "virl"),
    Noun("teacher", "teachers", "f", "lerant"),
    Noun("fire fighter", "fire fighters", "m", "pirgast"),
    Noun("police officer", "police officers", "f", "polm"),
    Noun("house", "houses", "f", "kasm"),
    Noun("table", "tables", "f", "mes"),
    Noun("tree", "trees", "m", "arbl"),
    Noun("river", "rivers", "m", "fluv"),
    Noun("lighthouse", "lighthouses", "m", "tur", "di lum"),
    Noun("bicycle", "bicycles", "f", "rot", "a ped"),
    Noun("bread roll", "bread rolls", "m", "panet"),
    Noun("letter", "letters", "f", "epist"),
    Noun("garden", "gardens", "m", "hort"),
    Noun("mountain", "mountains", "f", "mont"),
    Noun("train", "trains", "m", "trav"),
]
ADJECTIVES = {
    "big": "kor",
    "large": "kor",
    "small": "pik",
    "little": "pik",
    "red": "ruv",
    "green": "verd",
    "white": "blank",
    "new": "novl",
    "young": "jun",
    "beautiful": "belk",
    "quiet": "silt",
    "hungry": "famt",
}
TRANSITIVE = {  # singular, plural and infinitive
    ("sees", "see", "see"): "vida",
    ("loves", "love", "love"): "ama",
    ("looks for", "look for", "look for"): "nefa",
    ("finds", "find", "find"): "trova",
    ("follows", "follow", "follow"): "sekva",
    ("paints", "paint", "paint"): "pinta",
    ("takes care of", "take care of", "take care of"): "kura",
    ("hears", "hear", "hear"): "audi",
}
INTRANSITIVE = {
    ("sleeps", "sleep", "sleep"): "dormi",
    ("sings", "sing", "sing"): "kanta",
    ("gives up", "give up", "give up"): "ceda",
    ("waits", "wait", "wait"): "atendu",
    ("falls", "fall", "fall"): "kada",
}
ARTICLES = {"the": ("lo", "la", "li", "le"), "my": ("mio", "mia", "mii", "mie"), "no": ("nilo", "nila", "nili", "nile")}
SINGULAR = {"a": ("uno", "una"), "this": ("kelo", "kela"), "every": ("omno", "omna")}
PLURAL = {"some": ("alki", "alke"), "these": ("keli", "kele"), "many": ("multi", "multe")}
NUMBERS = {"two": ("dui", "due"), "three": ("trei", "tree"), "four": ("kvari", "kvare"), "five": ("cinki", "cinke")}
PREPOSITIONS = {
    "under": "sot",
    "near": "apud",
    "behind": "retro",
    "in front of": "avan",
    "without": "sen",
    "with": "kum",
}
TIMES = {
    "today": "hodi",
    "at night": "nokte",
    "every morning": "omna matin",
    "on sundays": "soldi",
    "later": "pos tard",
}
ADVERBS = {"often": "sepe", "always": "semper", "rarely": "a pen", "again": "de nov", "now": "nun"}
CONJUNCTIONS = {"and": "e", "but": "ma", "because": "por ke", "while": "dum", "so": "do", "if": "si"}
ENDINGS = {("m", 1): "o", ("f", 1): "a", ("m", 2): "i", ("f", 2): "e"}


def sentence(draw, least, most):
    """A random pair (source, target) of word lists, the source of `least` to `most` words.

    draw: a function without arguments, each call of which gives the next number of U[0, 1). `most` should be at least
    least + 4, and `least` at least 3, or most attempts are in vain.
    """
    while True:
        wanted = least + int(draw() * (most - least + 1))
        source, target = clause(draw)
        while len(source) < wanted:
            word = pick(draw, CONJUNCTIONS)
            more, translated = clause(draw)
            source += [*word.split(), *more]
            target += [*CONJUNCTIONS[word].split(), *translated]
        if least <= len(source) <= most:
            return source, target


def clause(draw):
    """[time] subject verb [object] [place]."""
    source, target = [], []
    if draw() < 0.2:
        put(source, target, TIMES, pick(draw, TIMES))
    number = 1 if draw() < 0.6 else 2
    add(source, target, noun_phrase(draw, number))
    transitive = draw() < 0.7
    add(source, target, verb(draw, TRANSITIVE if transitive else INTRANSITIVE, number))
    if transitive:
        add(source, target, noun_phrase(draw, 1 if draw() < 0.6 else 2))
    if draw() < 0.3:
        preposition = pick(draw, PREPOSITIONS)
        place, translated = noun_phrase(draw, 1 if draw() < 0.8 else 2)
        source += [*preposition.split(), *place]
        target += [*translated, PREPOSITIONS[preposition]]
    return source, target


def noun_phrase(draw, number):
    """article [number] [adjective] noun -> article noun adjective number, all in the noun's gender and number."""
    noun = pick(draw, NOUNS)
    form = "mf".index(noun.gender)
    if draw() < 0.6:
        article = pick(draw, ARTICLES)
        said = ARTICLES[article][form + 2 * (number - 1)]
    else:
        table = SINGULAR if number == 1 else PLURAL
        article = pick(draw, table)
        said = table[article][form]
    source, target = [article], [said]
    ending = ENDINGS[noun.gender, number]
    counted = number == 2 and article in ARTICLES and draw() < 0.4
    if counted:
        count = pick(draw, NUMBERS)
        source.append(count)
    described = draw() < 0.45
    if described:
        adjective = pick(draw, ADJECTIVES)
        source.append(adjective)
    source += (noun.singular if number == 1 else noun.plural).split()
    target += [noun.stem + ending, *noun.after.split()]
    if described:
        target.append(ADJECTIVES[adjective] + ending)
    if counted:
        target.append(NUMBERS[count][form])
    return source, target


def verb(draw, table, number):
    """sees | does not see | will see | often sees -> vidat | ne vidat pa | vidaru | vidat sepe; plural vidan."""
    forms = pick(draw, table)
    stem, ending = table[forms], "t" if number == 1 else "n"
    kind = draw()
    if kind < 0.5:
        return forms[number - 1].split(), [stem + ending]
    if kind < 0.67:
        return [*("does not" if number == 1 else "do not").split(), *forms[2].split()], ["ne", stem + ending, "pa"]
    if kind < 0.84:
        return ["will", *forms[2].split()], [stem + "ru"]
    adverb = pick(draw, ADVERBS)
    return [adverb, *forms[number - 1].split()], [stem + ending, *ADVERBS[adverb].split()]


def pick(draw, table):
    """An entry of a list, or a key of a dict, each as likely as any other."""
    entries = list(table)
    return entries[int(draw() * len(entries))]


def put(source, target, table, word):
    """Adds a word's translations to both sentences."""
    source += word.split()
    target += table[word].split()


def add(source, target, phrase):
    """Adds a phrase (source, target) to both sentences."""
    source += phrase[0]
    target += phrase[1]


def source_words():
    """All words of the source language, in alphabetical order."""
    phrases = [form for noun in NOUNS for form in noun[:2]]
    phrases += [form for table in (TRANSITIVE, INTRANSITIVE) for forms in table for form in forms]
    tables = (ADJECTIVES, ARTICLES, SINGULAR, PLURAL, NUMBERS, PREPOSITIONS, TIMES, ADVERBS, CONJUNCTIONS)
    phrases += [phrase for table in tables for phrase in table]
    return sorted({word for phrase in [*phrases, "does not", "do not", "will"] for word in phrase.split()})


def target_words():
    """All words of the target language, in alphabetical order."""
    words = [noun.stem + ENDINGS[noun.gender, number] for noun in NOUNS for number in (1, 2)]
    words += [stem + ending for stem in ADJECTIVES.values() for ending in ENDINGS.values()]
    words += [stem + e for table in (TRANSITIVE, INTRANSITIVE) for stem in table.values() for e in ("t", "n", "ru")]
    words += [form for table in (ARTICLES, SINGULAR, PLURAL, NUMBERS) for forms in table.values() for form in forms]
    phrases = [noun.after for noun in NOUNS]
    phrases += [phrase for table in (PREPOSITIONS, TIMES, ADVERBS, CONJUNCTIONS) for phrase in table.values()]
    return sorted({*words, "ne", "pa", *(word for phrase in phrases for word in phrase.split())})

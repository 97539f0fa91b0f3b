"""The game in the terminal: a backward pass, a table, and the number of a line."""

from tinyrnn.play.bugs import T, chosen, make_round
from tinyrnn.verdicts.mistakes import SECTIONS

POINTS = (2, 1)  # for a line that is accused at the first attempt, at the second
ASK = "which line is wrong? "


def play(seed=0, mistakes=None, ask=input, say=print):
    """Play one set; returns the points. ask: text -> what was typed; say: prints a line.

    Raises ValueError for the name of a mistake that there is not; EOFError and KeyboardInterrupt are the player's.
    """
    names = list(mistakes or chosen(seed))
    points = 0
    for k, name in enumerate(names):
        one = make_round(name)
        say(f"\nRound {k + 1} of {len(names)}: step_backward of {one.cell}. One line is not what it was.\n")
        for number, text in one.lines:
            say(f"{number:5}  {text}")
        say("")
        for line in checked(one):
            say(line)
        points += played(one, ask, say)
    say(f"\n{points} of {POINTS[0] * len(names)} points, seed {seed}")
    return points


def checked(one):
    """The lines of the table of a round's gradient check."""
    wide = max(len(what) for what, *_ in one.table)
    head = "  ".join(f"{column:>6}" for column in (*(f"t={t}" for t in range(T)), "total"))
    yield f"{'gradient of':{wide}}  {head}"
    for what, errors, is_wrong in one.table:
        cells = "  ".join(f"{error:>6}" for error in errors)
        yield f"{what:{wide}}  {cells}  {'WRONG' if is_wrong else 'ok'}"


def played(one, ask, say):
    """One round: two attempts, and what it was; returns the points."""
    wrong = one.lines[one.wrong][0]
    for worth in POINTS:
        if attempt(one, ask, say) == wrong:
            say(f"Yes. {one.mistake.title}.")
            break
        if worth != POINTS[-1]:
            say(f"Not that one. {one.mistake.question}")
    else:
        worth = 0
        say(f"It was line {wrong}. {one.mistake.title}.")
    say(f"   yours:  {one.lines[one.wrong][1]}\n   right:  {one.right}")
    say(
        f"{one.mistake.hint}\nMistake {one.mistake.name}; {SECTIONS[one.mistake.section]}: "
        f"tinyrnn read {one.mistake.section}"
    )
    return worth


def attempt(one, ask, say):
    """The number of a line of the round, as typed."""
    numbers = [number for number, _ in one.lines]
    while True:
        typed = ask(ASK).strip()
        if typed.isdigit() and int(typed) in numbers:
            return int(typed)
        say(f"type a number from {numbers[0]} to {numbers[-1]}")

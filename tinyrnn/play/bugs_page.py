"""The page of the game: sets of ten rounds, one for each of some seeds."""

from tinyrnn.core.progress import Bar
from tinyrnn.play.bugs import chosen, make_round
from tinyrnn.play.network import as_json
from tinyrnn.play.page import assembled, script

TITLE = "Find the bug"
SETS = 5  # of ten rounds, for as many seeds: each round is a gradient check, a third of a second


def bugs_page(seed=0, mistakes=None, sets=SETS, progress=True):
    """The text of the page. mistakes: names of those to be played, in one set; None: `sets` sets, for `seed` and on.

    Raises ValueError, in one line, for a name that there is not.
    """
    if mistakes:
        played = {str(seed): list(mistakes)}
    else:
        played = {str(each): chosen(each) for each in range(seed, seed + sets)}
    wanted = dict.fromkeys(name for each in played.values() for name in each)
    rounds = {name: make_round(name).as_json() for name in Bar(wanted, desc="checks", disable=not progress)}
    data = f"const SETS = {as_json(played)};\nconst ROUNDS = {as_json(rounds)};"
    return assembled("bugs", TITLE, ("base", "bugs"), [data, script("common"), script("bugs")])

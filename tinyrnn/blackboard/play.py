"""Pages to play with in a lecture: each whole in its frame, so that it works wherever the notebook is shown."""

from tinyrnn.core.webpage import framed
from tinyrnn.play.bugs_page import bugs_page
from tinyrnn.play.rivers import rivers_page

HEIGHTS = {"rivers": 900, "bugs": 1040}  # pixels


class Play:
    """A page to play with, and what it is for, in words.

    A code host, which runs no page, shows the words.
    """

    def __init__(self, page: str, words: str, height: int) -> None:
        self.page, self.words, self.height = page, words, height

    def __repr__(self) -> str:
        return f"Page to play with: {self.words}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": framed(self.page, self.words, self.height), "text/plain": repr(self)}


def rivers(words: str, at: str = "", shown: tuple[str, str] = ("elman", "lstm"), **options: object) -> Play:
    """Two networks of the cells `shown` and the gradient on its way back through both, as `tinyrnn play` has them, both
    without the page's own story. at: what is different at the beginning, as in its address: "t=3&bottom.f=1"."""
    page = rivers_page(shown, options.pop("offered", shown), at=f"#embed=knobs&{at}".rstrip("&"), **options)
    return Play(page, words, HEIGHTS["rivers"])


def bugs(words: str, mistakes: tuple[str, ...]) -> Play:
    """Find the bug: backward passes with one of these mistakes in each, as `tinyrnn play --bugs` has them."""
    return Play(bugs_page(mistakes=mistakes, progress=False), words, HEIGHTS["bugs"])

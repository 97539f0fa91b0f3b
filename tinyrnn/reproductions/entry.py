"""What a figure or table of the five documents is rerun by: sweeps at three sizes, or analyses, with its claims."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tinyrnn.reproductions.claims import Claim
from tinyrnn.sweeps.plan import Sweep

# quick: minutes. half: an evening on two cores. paper: the source's own units, updates and seeds, for a cluster or GPU
SCALES = ("quick", "half", "paper")

HENAFF = "Henaff, Szlam & LeCun 2016"
ARJOVSKY = "Arjovsky, Shah & Bengio 2015"
ORHAN = "Orhan & Pitkow 2020"
CARTA = "Carta, Sperduti & Bacciu 2020"
GROSSE = "Grosse 2018, lecture 16"


@dataclass(frozen=True)
class Reproduction:
    """One figure or table, or a part of one that stands for itself.

    place: where in the document. runs: scale -> {name: Sweep}, the panels; None for what is computed, not trained.
    analyses: names in `tinyrnn.figures.ANALYSES`. options: scale -> {analysis: {option: value}}, of those that train;
    None for what has one size, whatever the scale. claims: name of a sweep ("" for all) or of an analysis -> what the
    document says of it. published: name of a sweep -> what is drawn in, as `tinyrnn.sweeps.report.picture` takes it; or
    of an analysis, whose picture gets a line of such words and numbers.
    ours: which settings the document does not give, or that were changed to fit the size.
    """

    document: str
    place: str
    title: str
    runs: Callable[[str], dict[str, Sweep]] | None = None
    analyses: tuple[str, ...] = ()
    options: Callable[[str], dict[str, dict[str, Any]]] | None = None
    claims: Mapping[str, tuple[Claim, ...]] = field(default_factory=dict)
    published: dict[str, Any] = field(default_factory=dict)
    ours: str = ""

    @property
    def source(self) -> str:
        """Document and place."""
        return f"{self.document}, {self.place}" if self.place else self.document

    def claims_of(self, sweep: str) -> tuple[Claim, ...]:
        """What is said of one of the sweeps."""
        return (*self.claims.get("", ()), *(self.claims.get(sweep, ()) if sweep else ()))


def images(scale: str) -> dict[str, int]:
    """How many MNIST images are held out to choose by, and tested on: options of the task."""
    return at(scale, {"valid": 500, "tested": 1000}, {"valid": 10_000}, {"valid": 10_000})


def at(scale: str, quick: Any, half: Any, paper: Any) -> Any:
    """The value for this scale."""
    return {"quick": quick, "half": half, "paper": paper}[scale]

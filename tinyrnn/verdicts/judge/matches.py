"""What pairing finds for a gradient of the backward pass: its partners, a doubt, or that it is none."""

from dataclasses import dataclass, field

from tinyrnn.verdicts.record.run import ValueEvent

NO_PARTNER = "nothing in the forward pass goes by that name"


@dataclass
class Match:
    """An event of the backward pass and what its value should be.

    choices: lists of forward event numbers; the value should be the sum of the gradients of one of them, the first if
    in doubt. Or, where `recomputed`, it should be the value itself; only: neither pass gives its name to any other.
    part: the key of an item written, or None. stacked: the choices are one value after the other in time, and the
    gradient holds them all. input: the name of an input. left: where the value is final, as booleans; None for all of
    it. returned: whether it is returned under this name. built: the events that build it up.
    """

    event: ValueEvent
    name: str
    choices: list
    part: object = None
    stacked: bool = False
    input: str | None = None
    left: object = None
    returned: bool = False
    built: list = field(default_factory=list)
    recomputed: bool = False
    only: bool = False


@dataclass
class Matched:
    """The values that one line gives in turn have partners: a `Match` each."""

    matches: list


@dataclass
class Doubt:
    """They should have partners, but it cannot be said which. reason: why not."""

    reason: str


@dataclass
class NoGradient:
    """By its name this is no gradient, and no value of the forward pass that is worked out again."""

    reason: str = "no gradient by its name, and no value of the forward pass"


@dataclass
class Pairings:
    """All that pairing found. without, others: {site: reason} of gradients without a partner, and of what is none.
    unnamed: {site: `Unnamed`} of gradients that turned out to be those of values without a name."""

    matches: list = field(default_factory=list)
    without: dict = field(default_factory=dict)
    others: dict = field(default_factory=dict)
    unnamed: dict = field(default_factory=dict)

    def add(self, site, outcome):
        """File a `Matched`, `Doubt` or `NoGradient` for a site: its matches, or the reason there are none."""
        if isinstance(outcome, Matched):
            self.matches += outcome.matches
        else:
            table = self.without if isinstance(outcome, Doubt) else self.others
            table[site] = outcome.reason

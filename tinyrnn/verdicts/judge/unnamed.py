"""Gradients of values without a name: of what a function of the forward pass is given, as in `tanh(x @ W + b)`.

A gradient whose name has no partner is right if it is that of such a value. If it is of none, that says nothing: it may
be any step on the way, so nothing is ever accused here.
"""

from typing import NamedTuple

from tinyrnn.sources import Site


class Unnamed(NamedTuple):
    """What a gradient is of: the argument at `site` of a call. error: the largest relative error. times: of values."""

    site: Site
    error: float
    times: int

    @property
    def partner(self):
        """A phrase: what a function is given, by the function's name and the line of the call."""
        return f"what {self.site.calls} is given in line {self.site.line}"


def of_unnamed(judge, sites, events):
    """{site: `Unnamed`} for those of some sites of the backward pass that are right gradients of unnamed values.

    events: of the backward pass.
    """
    if not sites:
        return {}
    operands = {}
    for event in judge.uses.truth.events:
        if event.site.kind == "operand" and event.value is not None:
            operands.setdefault(event.site, []).append(event)
    found = {}
    for site in sites:
        values = [event.value for event in events if event.site == site and event.key is None]
        near = judge.problem.scopes.get(site.scope, ())
        for operand, times in operands.items():
            if operand.scope in near and [e.value.shape for e in times[::-1]] == [shape_of(v) for v in values]:
                error = largest_error(judge, values, times[::-1])
                if error <= judge.truth.tolerance:
                    found[site] = Unnamed(operand, error, len(values))
                    break
    return found


def shape_of(value):
    """The shape of an array; None for None."""
    return None if value is None else value.shape


def largest_error(judge, values, times):
    """Of gradients, held against the true ones of the values of some events; infinite where these are not known."""
    largest = 0.0
    for value, event in zip(values, times, strict=True):
        expected = judge.uses.truth.of_events([event.number], value.shape)
        largest = float("inf") if expected is None else max(largest, judge.error(value, expected))
        if largest > judge.truth.tolerance:  # the others need not be worked out
            break
    return largest

"""What training makes small: cross-entropy, squared error, mixture density; each with its backward pass by hand.

    loss, cache = forward(output, target, mask)       doutput = backward(cache, dloss=1.0)

The loss is a scalar of the output's dtype, averaged over the entries that count. `mask` is boolean and
False where an entry does not count (padding, or steps without a target): there neither output nor target is
looked at, not even if it is NaN or no class at all, and the gradient is zero. Every argument has its exact
shape; nothing is broadcast. All are analytic in the output and choose by real parts only, so they can be
checked with the complex step.

What else there is to know of a loss stands in one object, a `Loss`: a new one is a file here and its name in `LOSSES`,
or an object of your own, `Model(…, loss=mine)`.
"""

from typing import Any

from tinyrnn.nn.losses.loss import IGNORED as IGNORED
from tinyrnn.nn.losses.loss import Loss as Loss
from tinyrnn.nn.losses.mixtures import MIXTURE_DENSITY
from tinyrnn.nn.losses.mixtures import mixture_density as mixture_density
from tinyrnn.nn.losses.mixtures import mixture_density_backward as mixture_density_backward
from tinyrnn.nn.losses.mixtures import sample_mixture as sample_mixture
from tinyrnn.nn.losses.softmax import CROSS_ENTROPY
from tinyrnn.nn.losses.softmax import accuracy as accuracy
from tinyrnn.nn.losses.softmax import softmax_cross_entropy as softmax_cross_entropy
from tinyrnn.nn.losses.softmax import softmax_cross_entropy_backward as softmax_cross_entropy_backward
from tinyrnn.nn.losses.squares import SQUARED_ERROR
from tinyrnn.nn.losses.squares import squared_error as squared_error
from tinyrnn.nn.losses.squares import squared_error_backward as squared_error_backward

LOSSES = {loss.name: loss for loss in (CROSS_ENTROPY, SQUARED_ERROR, MIXTURE_DENSITY)}


def find_loss(loss: Any) -> Any:
    """The `Loss` that is meant: itself, or the one of that name or forward function. Raises ValueError otherwise."""
    if isinstance(loss, Loss):
        if LOSSES.get(loss.name, loss) != loss:
            raise ValueError(f"there is another loss called {loss.name!r}: give yours a name of its own")
        return loss
    for known in LOSSES.values():
        if loss in (known.name, known.forward):
            return known
    raise ValueError(f"unknown loss {loss!r}; choose from {', '.join(LOSSES)}, or give a tr.losses.Loss")

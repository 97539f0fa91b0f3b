"""What dropping is, given a mask: a product, forward and backward. `tinyrnn.nn.dropout` draws the masks."""


def drop(x, keep):
    """y = x keep: x (..., n) and a mask that it can be multiplied with."""
    y = x * keep
    return y


def drop_backward(dy, keep):
    """Gradient of `drop` with respect to x: what was dropped passes nothing back."""
    dx = dy * keep
    return dx


def dropped(params, masks):
    """The parameters, a `Params`, with some of their entries dropped; the same object where there are no masks."""
    return type(params)(params, **{n: drop(params[n], keep) for n, keep in masks.items()}) if masks else params

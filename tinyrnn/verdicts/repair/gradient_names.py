"""By their names, which input an array may be the gradient of."""

import re

from tinyrnn.sources.vocabulary import also_called, names_gradients, stems

GRADIENT = re.compile(r"grad|delta|diff", re.IGNORECASE)  # anywhere in a name: gradPred, deltas[2], bottom_diff_h


def meant(name, one):
    """Whether a name is that of the gradient of an input: dx and gx of x, dx of xs and x_t, dprev_h of h_prev, dW[0] of
    W[0]; dense_W of the W of an object that is called dense."""
    if name == f"g{one}":
        return True
    path = one.replace(".", "_")
    if path != one and path in (name, *(stem for stem, _ in stems(name))):
        return True
    (name, at), (own, place) = without_index(name), without_index(one)
    names = [stem for stem, handed_on in stems(name, "grads") if not handed_on]
    return at == place and any(
        own in also_called(stem) or words(own) == words(stem) or own.replace("_", "") == stem.replace("_", "")
        for stem in names
    )


def abbreviates(name, one):
    """Whether a name is short for that of an input's gradient: b_grad of bias, r_kernel_grad of recurrent_kernel."""
    whole = one.rpartition(".")[2].split("_")
    parts = [stem.split("_") for stem, handed_on in stems(name.rpartition(".")[2], "grads") if not handed_on]
    return any(len(part) == len(whole) and all(map(str.startswith, whole, part)) for part in parts)


def meant_in_any_case(name, one):
    """`meant`, where a program writes one in capitals and not the other: dw of W."""
    return meant(name.lower(), one.lower())


def sounds_like(name, one):
    """Whether it may be, going by a part of the name: dh_prev of h_old, bottom_diff_h of h; or by its letters: dWhx of
    Wxh."""
    parts = [stem for stem, _ in stems(name)] or ([name] if GRADIENT.search(name) else [])
    return any(words(part) & words(one) or letters(part) == letters(one) for part in parts)


def hints_at(name, one):
    """Whether a part of a name is short for, or long for, a part of an input's: d_input and E_in."""
    parts, own = ({part.lower() for part in words(text) if len(part) > 1} for text in (name, one))
    return any(part.startswith(other) or other.startswith(part) for part in parts for other in own)


def is_gradients_name(name):
    """Whether a name is that of a gradient, whatever it is the gradient of."""
    return names_gradients(name) or bool(GRADIENT.search(name))


def words(name):
    """{"x", "t"} of x_t and xt, {"prev", "h"} of h_prev and prev_h."""
    return frozenset(re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.rpartition(".")[2])))


def letters(name):
    """What two names of one weight have in common that tell its sides in another order."""
    return sorted(name.rpartition(".")[2].lower())


def without_index(name):
    """("W", "[0]") of state.W[0]; what stands after the last dot."""
    name, bracket, rest = name.partition("[")
    return name.rpartition(".")[2], bracket + rest

"""Shapes of arguments, as docstrings and names tell them."""

import pytest

from tinyrnn.sources.inputs.shapes import Sizes, documented
from tinyrnn.sources.vocabulary import role_of

DOCS = {
    "x: (N, D)": (3, 2),
    "x (N, D)": (3, 2),
    "- x: Input data for this timestep, of shape (N, D).": (3, 2),
    "x -- your input data at timestep 't', numpy array of shape (n_x, m).": (2, 3),
    "x : ndarray, shape (N, T, D)": (3, 4, 2),
    "One step: x (N,D), h (N,H) -> next h": (3, 2),
    "x, h and c (N, H), then W (D, 4H)": (3, 5),
    "W (D, H), and `x`: of shape (N, 4*H)": (3, 20),
    "x (H, H + D)": (5, 7),
    "x: (N,)": (3,),
    "x (4H,) biases": (20,),
    "x: an N x D array": (3, 2),
    "x: [T, B, D]": (4, 3, 2),
    "x (N, d_1, ..., d_k)": (3, 2, 3),
    "x: input; h: (N, H)": None,
    "x is the input (as usual)": None,
    "max (N, D)": None,
    "Returns: x (N, D)": (3, 2),
    "forward(x, h) -> next_h (N, H)": None,
}


@pytest.mark.parametrize("doc", DOCS)
def test_shapes_are_read_from_docstrings(doc):
    assert documented("x", doc, ("x", "h", "c", "W"), Sizes())[0] == DOCS[doc]


def test_every_letter_has_its_own_size_and_an_unknown_one_gets_a_new_one():
    sizes = Sizes(T=3, N=3)
    new = [sizes.of(letter) for letter in ("K", "E")]
    letters = ("N", "T", "D", "H", "C", "V", "M", "K", "E")
    assert len({sizes[letter] for letter in letters}) == len(letters) and sizes["N"] == 3 and new == [9, 10]
    assert sizes.of("n_x") == sizes["D"] and sizes.of("T_x") == sizes["T"]


def test_what_a_weight_is_for_depends_on_its_neighbours():
    assert role_of("Wf", ["x", "h", "Wf", "Wi"]) == ("W_xh", True)
    assert role_of("Wf", ["x", "h", "Wf", "Uf", "Wi", "Ui"]) == ("W_x", True)
    assert role_of("Wo", ["x", "h", "Wx", "Wh", "Wo"]) == ("W_y", False)
    assert role_of("c", ["x", "h", "c"]) == ("state", False)
    assert role_of("c", ["x", "h", "U", "W", "V", "b", "c"]) == ("b_y", False)

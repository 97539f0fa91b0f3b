"""What changes from one edition of this exercise to the next; see tinyrnn/grading/editions.py."""

from tinyrnn.grading.editions import Variant, renamed

NAMES = (
    {
        "forget_bias": "bias_for_a_share",
        "subtracting_weights": "difference_weights",
        "clock_matrix": "clockwork",
        "first_return": "all_back",
        "copying_weights": "repeating_weights",
        **renamed(crosstalk="whispers"),
    },
    {
        "forget_bias": "lasting_bias",
        "subtracting_weights": "minus_weights",
        "clock_matrix": "turning_matrix",
        "first_return": "time_of_return",
        "copying_weights": "echo_weights",
        **renamed(crosstalk="overheard"),
    },
)
BACKWARDS = {
    "np.block([[C, S], [-S, C]])": "np.block([[C, -S], [S, C]])",
    "np.block([[C, -S], [S, C]])": "np.block([[C, S], [-S, C]])",
    "[np.concatenate([C, -S]), np.concatenate([S, C])]": "[np.concatenate([C, S]), np.concatenate([-S, C])]",
    "np.array([[0, 1], [-1, 0]])": "np.array([[0, -1], [1, 0]])",
    "np.exp(2j * np.pi": "np.exp(-2j * np.pi",
    "turns it by θ_j = 2π numbers_j / period, from the first axis towards the second": (
        "turns it by θ_j = 2π numbers_j / period, from the second axis towards the first"
    ),
    "from the first axis towards the second: (1, 0) goes to (cos θ, sin θ)": (
        "from the second axis towards the first: (0, 1) goes to (sin θ, cos θ)"
    ),
}
OTHER_ORDER = {  # that of exercise 3 has changed; here it stays
    "` if yours works.": "` if yours works; its gates have another order.",
}
VARIANTS = (
    Variant("names of exercise 4", (), *NAMES, everywhere=True),
    Variant("which way the clock turns", ("clock_matrix", "crosstalk"), BACKWARDS),
    Variant("the order of the gates", (), OTHER_ORDER, OTHER_ORDER),
)

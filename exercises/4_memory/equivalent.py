"""Changes of the master, and of other right solutions, that change no answer (`tinyrnn teach verify --mutants`)."""

EQUIVALENT = {
    "it is the same with its arguments exchanged": (
        "first_return | turns = periods // np.gcd(numbers, periods) | np.gcd(numbers, periods) -> np.gcd(periods, numbers)",
        "return-by-fractions: first_return | turns = periods // np.gcd(numbers % periods, periods) | np.gcd(numbers % periods, periods) -> np.gcd(periods, numbers % periods)",
    ),
    "codes have twice as many columns as there are numbers: both halves are the same counted from the end": (
        "crosstalk | d = len(numbers) | len(numbers) -> -len(numbers)",
    ),
    "it is used twice, or its square is: the sign does not matter": (
        "crosstalk | hands = codes[:, :d] + 1j * codes[:, d:] | codes[:, :d] + 1j * codes[:, d:] -> -(codes[:, :d] + 1j * codes[:, d:])",
    ),
}

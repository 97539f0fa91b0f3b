"""Known mistakes of exercise 4, and other right solutions. No collection of homework is known to us for these tasks:
the mistakes are the ones that one makes, and variants that fail in the literature (clocks of the wrong period)."""

from tinyrnn.grading import Mistake


def wrong(task, *rows):
    """Mistakes of one task: (name, old, new, title) each; names begin with what is broken."""
    return tuple(Mistake(name=name, task=task, old=old, new=new, title=title) for name, old, new, title in rows)


def right(task, *rows):
    return tuple(
        Mistake(name=name, task=task, old=old, new=new, title="another right solution", accepted=True)
        for name, old, new in rows
    )


PRACTICE = wrong(
    "adding_weights",
    ("adding-threshold-of-one", "U = np.array([[1.0], [top]])\n    return {\"U\": U, \"b\": np.array([-top])",
     "U = np.array([[1.0], [1.0]])\n    return {\"U\": U, \"b\": np.array([-1.0])",
     "the threshold is 1, but values go up to top"),
    ("adding-without-a-threshold", "U = np.array([[1.0], [top]])\n    return {\"U\": U, \"b\": np.array([-top])",
     "U = np.array([[1.0], [0.0]])\n    return {\"U\": U, \"b\": np.array([0.0])",
     "everything comes in, marked or not"),
)  # fmt: skip

BIAS = (
    *wrong(
        "forget_bias",
        ("bias-digits-lost", "return -np.log(np.expm1(-log_f))", "return np.log(np.exp(log_f) / (1 - np.exp(log_f)))",
         "right on paper, but 1 - f has lost its digits where f is nearly 1"),
        ("bias-sign", "return -np.log(np.expm1(-log_f))", "return np.log(np.expm1(-log_f))",
         "the sign is wrong: a gate that keeps has a positive bias"),
        ("bias-of-one-step", "log_f = np.log(share) / steps  #", "log_f = np.log(share)  #",
         "the share is kept for one step, not for all of them"),
        ("bias-lost-not-kept", "log_f = np.log(share) / steps  #", "log_f = np.log1p(-share) / steps  #",
         "the share is what is lost, not what is kept"),
        ("bias-logarithm-of-the-steps", "return -np.log(np.expm1(-log_f))", "return np.log(steps) + 0 * log_f",
         "the logarithm of the number of steps is a good guess when share is 1/e, and no more than that"),
        ("bias-one-step-less", "log_f = np.log(share) / steps  #", "log_f = np.log(share) / (steps + 1)  #",
         "one step too many was counted"),
        ("bias-gate-itself", "return -np.log(np.expm1(-log_f))", "return np.exp(log_f)",
         "this is the gate's value; asked for is the bias that gives it"),
    ),
    *right(
        "forget_bias",
        ("bias-log-of-the-odds", "return -np.log(np.expm1(-log_f))", "return log_f - np.log(-np.expm1(log_f))"),
        ("bias-by-division", "np.log(share) / steps  #", "np.log(share) * (1 / steps)  #"),
    ),
)  # fmt: skip

SUBTRACT = (
    *wrong(
        "subtracting_weights",
        ("subtracting-adds", "W = np.array([[1.0], [-1.0]])", "W = np.array([[1.0], [1.0]])",
         "the two units are added: the sum came out"),
        ("subtracting-wrong-way-round", "W = np.array([[1.0], [-1.0]])", "W = np.array([[-1.0], [1.0]])",
         "the value marked +1 is subtracted from the other"),
        ("subtracting-threshold-of-one",
         "[top, -top]])  # a unit for each mark, which lets nothing else in\n    b = np.array([-top, -top])",
         "[1.0, -1.0]])\n    b = np.array([-1.0, -1.0])", "the threshold is 1, but values go up to top"),
        ("subtracting-mark-too-weak", "U = np.array([[1.0, 1.0], [top, -top]])",
         "U = np.array([[1.0, 1.0], [top / 2, -top / 2]])",
         "a mark does not lift small values over the threshold"),
        ("subtracting-value-with-the-sign-of-the-mark", "U = np.array([[1.0, 1.0], [top, -top]])",
         "U = np.array([[1.0, -1.0], [top, -top]])", "the second unit sees the value with the sign of its mark"),
        ("subtracting-one-unit-for-both", "[top, -top]])  # a unit", "[top, top]])  # a unit",
         "both units hear the same mark: the one marked -1 is heard by none"),
        ("subtracting-leaks", "V = np.eye(2)", "V = 0.99 * np.eye(2)",
         "the state leaks: it is not the same a step later"),
        ("subtracting-mixes", "V = np.eye(2)", "V = np.ones((2, 2))",
         "the units are added to each other at every step"),
    ),
    *right(
        "subtracting_weights",
        ("subtracting-without-a-threshold", "b = np.array([-top, -top])", "b = np.zeros(2)"),  # what comes in cancels
        ("subtracting-scaled", "V = np.eye(2)\n    h0 = np.zeros(2)\n    W = np.array([[1.0], [-1.0]])",
         "V = np.eye(2)\n    U, b = 4 * U, 4 * b\n    h0 = np.zeros(2)\n    W = np.array([[0.25], [-0.25]])"),
        ("subtracting-higher-threshold",
         "[top, -top]])  # a unit for each mark, which lets nothing else in\n    b = np.array([-top, -top])",
         "[9 * top, -9 * top]])\n    b = np.array([-9 * top, -9 * top])"),
    ),
)  # fmt: skip

COUPLED = (
    *wrong(
        "coupled_adding_weights",
        ("coupled-adding-averages", "portion = accuracy / 10  #", "portion = 0.5  #",
         "at a mark the cell becomes the mean of old and new: the first value is halved"),
        ("coupled-adding-overwrites", "portion = accuracy / 10  #", "portion = 1 - 1e-9  #",
         "at a mark the cell forgets what it had: the second value alone is left"),
        ("coupled-adding-portion-too-large", "portion = accuracy / 10  #", "portion = 5 * accuracy  #",
         "the first value loses more at the second mark than the accuracy allows"),
        ("coupled-adding-tanh-bent", "small = np.sqrt(accuracy) / 10  #", "small = 1.0  #",
         "g is the tanh of the value, not the value: tanh is straight near 0 only"),
        ("coupled-adding-not-scaled-back", "W = np.array([[1 / (portion * small)]])", "W = np.array([[1 / small]])",
         "what comes out is the small portion of the sum that went in"),
        ("coupled-adding-leaks", "shut = 40.0  #", "shut = 7.0  #",
         "without a mark f is not close enough to 1: the cell leaks, and values leak in"),
        ("coupled-adding-channels-exchanged", "Wx = np.array([[0.0, 0.0, small], [ajar - shut, 0.0, 0.0]])",
         "Wx = np.array([[ajar - shut, 0.0, 0.0], [0.0, 0.0, small]])", "value and mark are exchanged"),
        ("coupled-adding-gate-half-shut", "b = np.array([shut, shut, 0.0])", "b = np.array([shut, 0.0, 0.0])",
         "o stands half open: sigmoid(0) is 1/2"),
        ("coupled-adding-mark-not-weighed-against-the-bias", "[ajar - shut, 0.0, 0.0]", "[ajar, 0.0, 0.0]",
         "at a mark the bias of f is still there: weight and bias together must give what you want"),
    ),
    *right(
        "coupled_adding_weights",
        ("coupled-adding-smaller", "portion = accuracy / 10  #", "portion = accuracy / 300  #"),
        ("coupled-adding-two-units", 'return {"Wx": Wx, "Wh": Wh, "b": b, "W": W}',
         'Wx, b, W = np.repeat(Wx, 2, axis=1), np.repeat(b, 2), np.full((2, 1), W[0, 0] / 2)\n'
         '    return {"Wx": Wx, "Wh": np.zeros((2, 6)), "b": b, "W": W}'),
    ),
)  # fmt: skip

CLOCK = (
    *wrong(
        "clock_matrix",
        ("clock-backwards", "np.block([[C, S], [-S, C]])", "np.block([[C, -S], [S, C]])",
         "it turns the other way: this is the matrix for states that are columns"),
        ("clock-hands-side-by-side", "return np.block([[C, S], [-S, C]])",
         "order = np.arange(2 * len(angles)).reshape(2, -1).T.ravel()\n"
         "    return np.block([[C, S], [-S, C]])[np.ix_(order, order)]",
         "p and q of a hand stand side by side: asked for are all p first, then all q"),
        ("clock-half-turns", "angles = 2 * np.pi * numbers", "angles = np.pi * numbers",
         "the angles are half of what they should be"),
        ("clock-not-a-rotation", "np.block([[C, S], [-S, C]])", "np.block([[C, S], [S, C]])",
         "one of the sines has the wrong sign: this is a reflection or worse, not a rotation"),
        ("clock-degrees", "angles = 2 * np.pi * numbers / period", "angles = 360.0 * numbers / period",
         "the angles are in degrees; numpy counts in radians"),
        ("clock-period-one-more", "numbers / period\n", "numbers / (period + 1)\n",
         "the clock needs one step more than its period"),
    ),
    *right(
        "clock_matrix",
        ("clock-by-columns", "return np.block([[C, S], [-S, C]])",
         "return np.concatenate([np.concatenate([C, -S]), np.concatenate([S, C])], axis=1)"),
        ("clock-by-kronecker", "return np.block([[C, S], [-S, C]])",
         "return np.kron(np.eye(2), C) + np.kron(np.array([[0, 1], [-1, 0]]), S)"),
    ),
)  # fmt: skip

RETURN = (
    *wrong(
        "first_return",
        ("return-product", "np.lcm.reduce(turns, axis=1)", "turns.prod(axis=1)",
         "they agree after the product of the hands' times, but not for the first time"),
        ("return-common-period", "np.lcm.reduce(turns, axis=1)", "np.lcm.reduce(periods, axis=1)",
         "they agree when all periods are over, but not for the first time: 4/6 of a turn is 2/3 of one"),
        ("return-slowest-hand", "np.lcm.reduce(turns, axis=1)", "turns.max(axis=1)",
         "this is when the slowest hand is back; the others need not be"),
        ("return-greatest-divisor", "np.lcm.reduce(turns, axis=1)", "np.gcd.reduce(turns, axis=1)",
         "the greatest common divisor of the hands' times, where something else belongs"),
        ("return-product-of-periods", "np.lcm.reduce(turns, axis=1)", "periods.prod(axis=1)",
         "they agree after the product of all periods, but not for the first time"),
    ),
    *right(
        "first_return",
        ("return-by-trying",
         "    turns = periods // np.gcd(numbers, periods)  # steps after which each hand is back; gcd(0, p) = p\n"
         "    return np.lcm.reduce(turns, axis=1)",
         "    found = []\n    for n, p in zip(numbers, periods):\n        m = 1\n        while ((m * n) % p).any():\n"
         "            m += 1\n        found.append(m)\n    return np.array(found)"),
        ("return-by-fractions", "periods // np.gcd(numbers, periods)  #",
         "periods // np.gcd(numbers % periods, periods)  #"),
    ),
)  # fmt: skip

CROSSTALK = (
    *wrong(
        "crosstalk",
        ("crosstalk-wrong-way-round", "hands, turns, hands.conj()).real", "hands, turns.conj(), hands.conj()).real",
         "the wrong symbol was turned, or the clock runs backwards"),
        ("crosstalk-turned-once", "np.outer(lags, numbers)", "np.outer(lags > 0, numbers)",
         "V was applied once, however large the lag"),
        ("crosstalk-one-step-late", "np.outer(lags, numbers)", "np.outer(lags + 1, numbers)", "one step too many"),
        ("crosstalk-not-the-inner-product", "hands, turns, hands.conj()).real", "hands, turns, hands).real",
         "the parts q of the hands count with the wrong sign"),
        ("crosstalk-loudest-without-sign", "abs(scores).max", "scores.max", "a score of -1 is as loud as one of 1"),
        ("crosstalk-loudest-of-others", "abs(scores).max(axis=(1, 2))",
         "abs(scores * (1 - np.eye(len(codes)))).max(axis=(1, 2))",
         "what a symbol hears of itself, read at another time, was left out"),
        ("crosstalk-amount", "return scores, abs(scores)", "return abs(scores), abs(scores)", "scores have a sign"),
    ),
    *right(
        "crosstalk",
        ("crosstalk-by-matrix-powers", "    d = len(numbers)\n    hands = codes[:, :d] + 1j * codes[:, d:]\n"
         "    turns = np.exp(2j * np.pi * np.outer(lags, numbers) / period)  # (L, d)\n"
         '    scores = np.einsum("jd,ld,kd->ljk", hands, turns, hands.conj()).real\n',
         "    V = clock_matrix(numbers, period)\n"
         "    scores = np.stack([codes @ np.linalg.matrix_power(V, lag) @ codes.T for lag in lags])\n"),
        ("crosstalk-lags-within-the-period", "np.outer(lags, numbers) / period)",
         "np.outer(lags % period, numbers) / period)"),
    ),
)  # fmt: skip

COPY = (
    *wrong(
        "copying_weights",
        ("copying-clock-of-the-whole-sequence", "clock_matrix(numbers, length + delay)",
         "clock_matrix(numbers, 2 * length + delay)",
         "the clock comes round when the sequence ends, not when a symbol is due"),
        ("copying-clock-of-the-delay", "clock_matrix(numbers, length + delay)", "clock_matrix(numbers, delay)",
         "the clock comes round after the delay: symbols are read before it begins and said after it ends"),
        ("copying-hands-agree", "clock_matrix(numbers, length + delay)",
         "clock_matrix(0 * numbers + 1, length + delay)",
         "all hands turn alike, so all symbols come round together"),
        ("copying-hands-stand", "V[:-1, :-1] = clock_matrix(numbers, length + delay)", "V = V",
         "nothing turns: the state is the sum of the symbols and has lost their order"),
        ("copying-no-counter", "h0[-1] = delay + 0.5", "h0[-1] = 0.0",
         "the counter begins at 0, so the blank loses from the start"),
        ("copying-begins-early", "h0[-1] = delay + 0.5", "h0[-1] = delay - 0.5", "the blank loses one step too early"),
        ("copying-begins-late", "h0[-1] = delay + 0.5", "h0[-1] = delay + 1.5", "the blank loses one step too late"),
        ("copying-counts-symbols-too", "U[K, -1] = -1.0", "U[:, -1] = -1.0",
         "the counter counts symbols as well as blanks"),
        ("copying-blank-never-wins", "W[-1, K] = 2.0", "W[-1, K] = -2.0", "the blank's score has the wrong sign"),
        ("copying-reads-other-codes", "W[:-1, :K] = codes.T", "W[:-1, :K] = codes[::-1].T",
         "symbols are read out by the codes of others"),
    ),
    *right(
        "copying_weights",
        ("copying-steeper-counter", "W[-1, K] = 2.0", "W[-1, K] = 5.0"),
        ("copying-by-a-row-of-cells",  # no clock at all: each step moves every symbol on by one cell
         "    K, units = len(codes), codes.shape[1] + 1\n",
         "    K, P = len(codes), length + delay\n    units = K * P + 1\n    U = np.zeros((K + 1, units))\n"
         "    U[:K, : K * P] = np.eye(K, K * P)\n    U[K, -1] = -1.0\n    V = np.eye(units)\n"
         "    V[: K * P, : K * P] = np.roll(np.eye(K * P), K, axis=1)\n    h0 = np.zeros(units)\n"
         "    h0[-1] = delay + 0.5\n    W = np.zeros((units, K + 1))\n    W[:K, :K] = np.eye(K)\n    W[-1, K] = 2.0\n"
         '    return {"U": U, "V": V, "h0": h0, "W": W}\n'),
    ),
)  # fmt: skip

MISTAKES = (*PRACTICE, *BIAS, *SUBTRACT, *COUPLED, *CLOCK, *RETURN, *CROSSTALK, *COPY)

"""Changes of the master, and of other right solutions, that change no answer (`tinyrnn teach verify --mutants`)."""

EQUIVALENT = {
    "the arrays have the same length, or shape, along what is counted": (
        "leaky_sequence | for t in range(len(x)): | x -> mask",
        "leaky_sequence_backward | for t in reversed(range(len(x))): | x -> dv",
        "leaky_sequence_backward | for t in reversed(range(len(x))): | x -> v",
        "leaky_sequence_backward | for t in reversed(range(len(x))): | x -> a",
        "leaky_sequence_backward | for t in reversed(range(len(x))): | x -> mask",
        "leaky_sequence_backward | for t in reversed(range(len(x))): | x -> dx",
        "gradient_by_lag | for lag in range(len(v)): | v -> dv",
        "gradient_by_lag | for lag in range(len(v)): | v -> earlier",
        "gradient_by_lag | for lag in range(len(v)): | v -> by_lag",
        "gradient_by_lag | for lag in range(len(v)): | v -> delta",
        "clip_updates | for k in range(len(db)): | db -> dWx",
        "clip_updates | for k in range(len(db)): | db -> dWh",
        "clip_updates | for k in range(len(db)): | db -> limits",
    ),
    "an array of zeros, or one that is filled altogether, is the same with another sign, or times zero": (
        "leaky_sequence_backward | dx = np.zeros(x.shape) | np.zeros(x.shape) -> 0 * np.zeros(x.shape)",
        "leaky_sequence_backward | dx = np.zeros(x.shape) | np.zeros(x.shape) -> -np.zeros(x.shape)",
        "gradient_by_lag | by_lag = np.zeros((len(v), *Wh.shape)) | np.zeros((len(v), *Wh.shape)) -> 0 * np.zeros((len(v), *Wh.shape))",
        "gradient_by_lag | by_lag = np.zeros((len(v), *Wh.shape)) | np.zeros((len(v), *Wh.shape)) -> -np.zeros((len(v), *Wh.shape))",
        "clip_updates | limits = np.zeros(len(db)) | np.zeros(len(db)) -> 0 * np.zeros(len(db))",
        "clip_updates | limits = np.zeros(len(db)) | np.zeros(len(db)) -> -np.zeros(len(db))",
    ),
    "it is the same with its arguments exchanged": (
        "clip_updates | mean = decay * mean + (1 - decay) * min(norm, limits[k]) | min(norm, limits[k]) -> min(limits[k], norm)",
        "shares-one-after-the-other: leaky_step_backward | dkeep = np.einsum('bh,bh->h', dv, v_prev) - np.einsum('bh,bh->h', dv, a) | np.einsum('bh,bh->h', dv, v_prev) -> np.einsum('bh,bh->h', v_prev, dv)",
        "shares-one-after-the-other: leaky_step_backward | dkeep = np.einsum('bh,bh->h', dv, v_prev) - np.einsum('bh,bh->h', dv, a) | np.einsum('bh,bh->h', dv, a) -> np.einsum('bh,bh->h', a, dv)",
    ),
    "a change of sign is one for the function with the other sign, too": (
        "fixed_points | return weight * np.tanh(v) + bias - v | weight * np.tanh(v) + bias - v -> -(weight * np.tanh(v) + bias - v)",
        "fixed_points | below = excess(grid) < 0 | excess(grid) < 0 -> excess(grid) > 0",
    ),
    "a wider grid finds the same fixed points": ("fixed_points | reach = abs(weight) + abs(bias) + 1 | 1 -> 2",),
    "bisection from two cells finds the same point, unless two lie in neighbouring cells: the grid is fine enough for that not to happen": (
        "fixed_points | points += [bisect(excess, grid[j], grid[j + 1]) for j in crossings] | grid[j + 1] -> grid[j + 2]",
    ),
    "bisection does not mind from which side it begins": (
        "fixed_points | points += [bisect(excess, grid[j], grid[j + 1]) for j in crossings] | bisect(excess, grid[j], grid[j + 1]) -> bisect(excess, grid[j + 1], grid[j])",
    ),
    "only the imaginary part is used: of the linear term it is the same wherever it is taken, and the slope of tanh is even": (
        "slopes-by-the-complex-step: fixed_points | slopes = (keep * (points + 1e-30j) + (1 - keep) * gain * np.tanh(points + 1e-30j)).imag * 1e+30 | points -> -points",
        "slopes-by-the-complex-step: fixed_points | slopes = (keep * (points + 1e-30j) + (1 - keep) * gain * np.tanh(points + 1e-30j)).imag * 1e+30 | points -> -points #2",
        "slopes-by-the-complex-step: fixed_points | slopes = (keep * (points + 1e-30j) + (1 - keep) * gain * np.tanh(points + 1e-30j)).imag * 1e+30 | points + 1e-30j -> 1e-30j",
        "slopes-by-the-complex-step: fixed_points | slopes = (keep * (points + 1e-30j) + (1 - keep) * gain * np.tanh(points + 1e-30j)).imag * 1e+30 | points -> weight",
        "slopes-by-the-complex-step: fixed_points | slopes = (keep * (points + 1e-30j) + (1 - keep) * gain * np.tanh(points + 1e-30j)).imag * 1e+30 | points -> bias",
        "slopes-by-the-complex-step: fixed_points | slopes = (keep * (points + 1e-30j) + (1 - keep) * gain * np.tanh(points + 1e-30j)).imag * 1e+30 | points -> reach",
        "slopes-by-the-complex-step: fixed_points | slopes = (keep * (points + 1e-30j) + (1 - keep) * gain * np.tanh(points + 1e-30j)).imag * 1e+30 | points -> keep",
        "slopes-by-the-complex-step: fixed_points | slopes = (keep * (points + 1e-30j) + (1 - keep) * gain * np.tanh(points + 1e-30j)).imag * 1e+30 | points -> gain",
    ),
}

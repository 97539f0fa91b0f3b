"""Changes of the master, and of other right solutions, that change no answer (`tinyrnn teach verify --mutants`)."""

EQUIVALENT = {
    "the norm of the entries does not depend on their sign": (
        "clip_factors | entries = np.concatenate([g.ravel() for g in each.values()]) | np.concatenate([g.ravel() for g in each.values()]) -> -np.concatenate([g.ravel() for g in each.values()])",
    ),
    "it is the same with its arguments exchanged": (
        "clip_factors | average = 0.9 * average + 0.1 * min(norm, limit) | min(norm, limit) -> min(limit, norm)",
    ),
}

"""Changes of the master, and of other right solutions, that change no answer (`tinyrnn teach verify --mutants`)."""

EQUIVALENT = {
    "where only one part of z is zero, that part of u is zero in any case": (
        "modrelu | u = z / np.where(size == 0, 1, size) | size -> z",
    ),
    "it is the same with its arguments exchanged": (
        "modrelu | length = np.maximum(size + b, 0) | np.maximum(size + b, 0) -> np.maximum(0, size + b)",
        "modtanh_backward | length = np.tanh(np.maximum(shifted, 0)) | np.maximum(shifted, 0) -> np.maximum(0, shifted)",
        "direction-gradient-projected: turnstile_backward | dv = dv - v * np.vdot(v, dv).real / square | np.vdot(v, dv) -> np.vdot(dv, v)",
        "derivative-of-tanh-by-cosh: modtanh_backward | dshifted = dlength / np.cosh(np.maximum(shifted, 0)) ** 2 * (shifted > 0) | shifted -> length #2",
        "derivative-of-tanh-by-cosh: modtanh_backward | dshifted = dlength / np.cosh(np.maximum(shifted, 0)) ** 2 * (shifted > 0) | np.maximum(shifted, 0) -> np.maximum(0, shifted)",
    ),
    "it is used twice, or its square is: the sign does not matter": (
        "turnstile | z, v = (as_complex(z), as_complex(v)) | as_complex(v) -> -as_complex(v)",
        "turnstile-of-a-normalised-vector: turnstile | v = v / np.linalg.norm(v) | v / np.linalg.norm(v) -> -(v / np.linalg.norm(v))",
        "cosine-and-sine-of-the-direction: modtanh_backward | v = np.stack([-u[1], u[0]]) | np.stack([-u[1], u[0]]) -> -np.stack([-u[1], u[0]])",
    ),
    "it has one axis, or is symmetric: its transpose is the same": (
        "turnstile | s = z @ v.conj() / (abs(v) ** 2).sum() | v.conj() -> v.conj().T",
        "turnstile_backward | s = z @ v.conj() / square | v.conj() -> v.conj().T",
        "turnstile_backward | c = dy @ v.conj() / square | v.conj() -> v.conj().T",
        "turnstile_backward | dv_outside = -(kappa * s).conj() @ dy | -(kappa * s).conj() -> (-(kappa * s).conj()).T",
        "turnstile_backward | dv_inside = -(kappa * c.conj()) @ z | -(kappa * c.conj()) -> (-(kappa * c.conj())).T",
        "angle-gradient-without-square: turnstile_backward | dphi = -(np.exp(1j * phi) * (dy.conj() @ v) * s).sum().imag | v -> v.T",
    ),
    "an array of zeros, or one that is filled altogether, is the same with another sign, or times zero": (
        "shuffle_backward | dz = np.empty_like(dpermuted) | np.empty_like(dpermuted) -> 0 * np.empty_like(dpermuted)",
        "shuffle_backward | dz = np.empty_like(dpermuted) | np.empty_like(dpermuted) -> -np.empty_like(dpermuted)",
    ),
    "the length is positive where what it is the tanh of is": (
        "modtanh_backward | dshifted = dlength * (1 - length ** 2) * (shifted > 0) | shifted -> length",
    ),
    "the arrays have the same length along what is counted": (
        "normalised-by-hand: shuffle | spectrum = np.fft.fft(permuted) / np.sqrt(z.shape[-1]) | z -> perm",
        "normalised-by-hand: shuffle | spectrum = np.fft.fft(permuted) / np.sqrt(z.shape[-1]) | z -> permuted",
    ),
}

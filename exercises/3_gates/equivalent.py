"""Changes of the master, and of other right solutions, that change no answer (`tinyrnn teach verify --mutants`)."""

EQUIVALENT = {
    "the arrays have the same length along what is counted": (
        "gru_step_backward | k = h_prev.shape[1] | h_prev -> dh",
        "gru_step_backward | k = h_prev.shape[1] | h_prev -> r",
        "gru_step_backward | k = h_prev.shape[1] | h_prev -> z",
        "gru_step_backward | k = h_prev.shape[1] | h_prev -> n",
        "coupled_sequence | shape = (len(X), *h0.shape) | X -> mask",
        "coupled_sequence | shape = (len(X), *h0.shape) | h0 -> c0",
        "coupled_jacobian | n = f.shape[1] | f -> c_prev",
        "coupled_jacobian | n = f.shape[1] | f -> o",
        "coupled_jacobian | n = f.shape[1] | f -> g",
        "coupled_jacobian | n = f.shape[1] | f -> c",
        "mgu_step_backward | k = h_prev.shape[1] | h_prev -> dh",
        "mgu_step_backward | k = h_prev.shape[1] | h_prev -> f",
        "mgu_step_backward | k = h_prev.shape[1] | h_prev -> n",
    ),
    "the arrays have the same length, or shape, along what is counted": (
        "coupled_sequence | for t in range(len(X)): | X -> mask",
        "coupled_sequence | for t in range(len(X)): | X -> H",
        "coupled_sequence | for t in range(len(X)): | X -> C",
        "coupled_sequence | for t in range(len(X)): | X -> all_f",
        "coupled_sequence | for t in range(len(X)): | X -> all_o",
        "coupled_sequence | for t in range(len(X)): | X -> all_g",
        "coupled_sequence_backward | for t in reversed(range(len(X))): | X -> dH",
        "coupled_sequence_backward | for t in reversed(range(len(X))): | X -> mask",
        "coupled_sequence_backward | for t in reversed(range(len(X))): | X -> H",
        "coupled_sequence_backward | for t in reversed(range(len(X))): | X -> C",
        "coupled_sequence_backward | for t in reversed(range(len(X))): | X -> all_f",
        "coupled_sequence_backward | for t in reversed(range(len(X))): | X -> all_o",
        "coupled_sequence_backward | for t in reversed(range(len(X))): | X -> all_g",
        "coupled_sequence_backward | for t in reversed(range(len(X))): | X -> dX",
    ),
    "an array of zeros, or one that is filled altogether, is the same with another sign, or times zero": (
        "coupled_sequence_backward | dX = np.zeros_like(X) | np.zeros_like(X) -> 0 * np.zeros_like(X)",
        "coupled_sequence_backward | dX = np.zeros_like(X) | np.zeros_like(X) -> -np.zeros_like(X)",
        "coupled_sequence_backward | dWx, dWh, db = (np.zeros_like(Wx), np.zeros_like(Wh), np.zeros(Wh.shape[1])) | np.zeros_like(Wx) -> -np.zeros_like(Wx)",
        "coupled_sequence_backward | dWx, dWh, db = (np.zeros_like(Wx), np.zeros_like(Wh), np.zeros(Wh.shape[1])) | np.zeros_like(Wh) -> -np.zeros_like(Wh)",
        "coupled_sequence_backward | dWx, dWh, db = (np.zeros_like(Wx), np.zeros_like(Wh), np.zeros(Wh.shape[1])) | np.zeros(Wh.shape[1]) -> -np.zeros(Wh.shape[1])",
    ),
    "of 2 k columns the first k are all but the last k": (
        "mgu_step_backward | k = h_prev.shape[1] | h_prev.shape[1] -> -h_prev.shape[1]",
    ),
    "it is the same with its arguments exchanged": (
        "coupled-exponential-sigmoid: coupled_step | f = np.exp(-np.logaddexp(0, -a_f)) | np.logaddexp(0, -a_f) -> np.logaddexp(-a_f, 0)",
        "coupled-exponential-sigmoid: coupled_step | o = np.exp(-np.logaddexp(0, -a_o)) | np.logaddexp(0, -a_o) -> np.logaddexp(-a_o, 0)",
    ),
}

"""What changes from one edition of this exercise to the next; see tinyrnn/grading/editions.py."""

from tinyrnn.grading.editions import Variant, renamed

NAMES = (
    renamed(prefixes="reversed_pasts", directions="strongest", recall="read_back", loaded="preloaded"),
    renamed(prefixes="past_rows", directions="main_axes", recall="replay", loaded="with_memory"),
)
BY_TANH = {
    "u_t &= \\sigma(x_t W_{xu}": "u_t &= \\tanh(x_t W_{xu}",
    "u[t] = sigmoid(x[t] @ W_xu + b_u)": "u[t] = np.tanh(x[t] @ W_xu + b_u)",
    "u[t] = np.tanh(x[t] @ W_xu + b_u)": "u[t] = sigmoid(x[t] @ W_xu + b_u)",
    "sigmoid(x[t] @ W_xu": "np.tanh(x[t] @ W_xu",
    "The gate is a tanh, which would write with a minus sign at times.": (
        "The gate is a sigmoid, which would never write with a minus sign."
    ),
    "sigmoid(b_u)": "np.tanh(b_u)",
    "np.diag((1 + np.exp(-b_u)) / gain)": "np.diag(1 / (gain * np.tanh(b_u)))",
    "The gate is the sigmoid of its bias": "The gate is the tanh of its bias",
    "du * u[t] * (1 - u[t])": "du * (1 - u[t] ** 2)",
    'da_u = du * u[t]"': 'da_u = du * u[t] * (1 - u[t])"',
    "The derivative of the gate's sigmoid": "The derivative of the gate's tanh",
    "u_t = σ(x_t W_xu + b_u)": "u_t = tanh(x_t W_xu + b_u)",
}
VARIANTS = (
    Variant("names of exercise 7", (), *NAMES, everywhere=True),
    Variant("what makes a gate of the write gate", ("loaded", "lmn", "lmn_backward"), BY_TANH),
)

"""What changes from one edition of this exercise to the next; see tinyrnn/grading/editions.py."""

from tinyrnn.grading.editions import Variant

NAMES = (
    {
        "feedback_chain": "chain_with_feedback",
        "line_memory": "amplifier_memory",
        "feedforward_share": "share_of_feedforward",
    },
    {"feedback_chain": "two_way_chain", "line_memory": "relay_memory", "feedforward_share": "one_way_share"},
)
NOISE_BEFORE = {
    "h_t = W h_{t-1} + V s_t + z_t, \\qquad": "h_t = W (h_{t-1} + z_t) + V s_t, \\qquad",
    "C = \\sum_{k < T} W^k": "C = \\sum_{0 < k \\leq T} W^k",
    "of h_t = W h_{t-1} + z_t from h_0 = 0, where each z_t has covariance Q.": (
        "of h_t = W (h_{t-1} + z_t) from h_0 = 0, where each z_t has covariance Q."
    ),
    "C = sum_{k < steps} W^k Q (W^k)^T": "C = sum_{0 < k <= steps} W^k Q (W^k)^T",
    "C = W @ C @ W.T + Q": "C = W @ (C + Q) @ W.T",
    "C = W @ (C + Q) @ W.T": "C = W @ C @ W.T + Q",
    "the noise of the last step has already been through W: the term k = 0 is missing": (
        "the noise of the last step has not been through W: there is a term k = 0"
    ),
    "C = W.T @ C @ W + Q": "C = W.T @ (C + Q) @ W",
    "C = W @ C @ W.T + np.eye(len(W))": "C = W @ (C + np.eye(len(W))) @ W.T",
    "W**k @ Q @ (W**k).T for k in range(steps)": "W**k @ Q @ (W**k).T for k in range(1, steps + 1)",
    "C = W @ C + Q": "C = W @ (C + Q)",
    "C = W @ C @ W + Q": "C = W @ (C + Q) @ W",
    "np.linalg.matrix_power(W, k) for k in range(steps)": "np.linalg.matrix_power(W, k) for k in range(1, steps + 1)",
    "parts = [L]\\n": "parts = [W @ L]\\n",
    "has C = diag(1, 5) from T = 2 on": "has C = diag(0, 4) from T = 1 on",
}
MODULUS = {
    "\\frac{\\sum_t t \\, h_{t,i}^2}{\\sum_t h_{t,i}^2}": "\\frac{\\sum_t t \\, |h_{t,i}|}{\\sum_t |h_{t,i}|}",
    "energy = np.array(h) ** 2": "energy = abs(np.array(h))",
    "energy = abs(np.array(h))": "energy = np.array(h) ** 2",
    "the centre of mass is taken of the modulus, not of the square": (
        "the centre of mass is taken of the square, not of the modulus"
    ),
    "unit's energy, sum_t t h_t^2 / sum_t h_t^2": "unit's response, sum_t t |h_t| / sum_t |h_t|",
}
VARIANTS = (
    Variant("names of exercise 6", (), *NAMES, everywhere=True),
    Variant("where the noise comes in", ("covariance",), NOISE_BEFORE),
    Variant("what has a centre of mass", ("flow",), MODULUS),
)

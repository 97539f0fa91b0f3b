"""Changes of the master, and of other right solutions, that change no answer (`tinyrnn teach verify --mutants`)."""

EQUIVALENT = {
    "an array of zeros, or one that is filled altogether, is the same with another sign, or times zero": (
        "central_gradient | slope = np.zeros(x.shape) | np.zeros(x.shape) -> 0 * np.zeros(x.shape)",
        "central_gradient | slope = np.zeros(x.shape) | np.zeros(x.shape) -> -np.zeros(x.shape)",
        "five_point_gradient | slope = np.zeros(x.shape) | np.zeros(x.shape) -> 0 * np.zeros(x.shape)",
        "five_point_gradient | slope = np.zeros(x.shape) | np.zeros(x.shape) -> -np.zeros(x.shape)",
    ),
    "the arrays have the same length, or shape, along what is counted": (
        "central_gradient | for index in np.ndindex(x.shape): | x -> slope",
        "five_point_gradient | for index in np.ndindex(x.shape): | x -> slope",
        "softmax_cross_entropy | loss = -log_p[np.arange(len(target)), target].mean() | target -> logits",
        "softmax_cross_entropy | loss = -log_p[np.arange(len(target)), target].mean() | target -> centred",
        "softmax_cross_entropy | loss = -log_p[np.arange(len(target)), target].mean() | target -> log_p",
        "softmax_cross_entropy_backward | dlogits[np.arange(len(target)), target] -= 1 | target -> p",
        "softmax_cross_entropy_backward | dlogits[np.arange(len(target)), target] -= 1 | target -> dlogits",
        "step-by-step: tied_layer_backward | dW_back = sum((dy[t].T @ z[t] for t in range(len(z)))) | z -> dy #2",
        "step-by-step: tied_layer_backward | dW_back = sum((dy[t].T @ z[t] for t in range(len(z)))) | z -> x #2",
        "step-by-step: tied_layer_backward | dW_back = sum((dy[t].T @ z[t] for t in range(len(z)))) | z -> dz #2",
        "step-by-step: tied_layer_backward | dW_back = sum((dy[t].T @ z[t] for t in range(len(z)))) | z -> dx #2",
    ),
    "it is the same with its arguments exchanged": (
        "gradient_verdicts | for a, b in zip(analytic, numeric, strict=True): | zip(analytic, numeric, strict=True) -> zip(numeric, analytic, strict=True)",
    ),
    "the arrays have the same length along what is counted": (
        "softmax_cross_entropy_backward | return dlogits * dloss / len(target) | target -> p",
        "softmax_cross_entropy_backward | return dlogits * dloss / len(target) | target -> dlogits",
    ),
    "there is one target for each token that counts, and none in the padding: both are counted, or are not zero, in the same places": (
        "smoothed_cross_entropy | loss = (losses * mask).sum() / mask.sum() | mask -> one_hot #2",
        "padding-set-to-zero: smoothed_cross_entropy_backward | dlogits = np.where(mask[..., None], (p - wanted) * (dloss / np.count_nonzero(mask)), 0) | mask -> weight",
        "padding-set-to-zero: smoothed_cross_entropy_backward | dlogits = np.where(mask[..., None], (p - wanted) * (dloss / np.count_nonzero(mask)), 0) | mask -> weight #2",
        "padding-set-to-zero: smoothed_cross_entropy_backward | dlogits = np.where(mask[..., None], (p - wanted) * (dloss / np.count_nonzero(mask)), 0) | mask -> hit #2",
    ),
    "there is one entry along that axis": (
        "log-sum-exp-of-the-mean: smoothed_cross_entropy | losses = np.log(total[..., 0]) - (q * (logits - shift)).sum(axis=-1) | total[..., 0] -> total[..., -1]",
    ),
    "it has one axis, or is symmetric: its transpose is the same": (
        "the-two-products-in-one: tied_layer | y = x @ (W @ W.T) + b @ W.T + c | W @ W.T -> (W @ W.T).T",
        "the-two-products-in-one: tied_layer | y = x @ (W @ W.T) + b @ W.T + c | b -> b.T",
    ),
}

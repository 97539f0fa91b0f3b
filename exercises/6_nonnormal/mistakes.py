"""Known mistakes of exercise 6, and other right solutions."""

from tinyrnn.grading import Mistake

CHAIN = (
    Mistake(
        "chain-for-rows",
        "feedback_chain",
        "W = np.diag(own) + np.diag(forth, -1) + np.diag(back, 1)",
        "W = np.diag(own) + np.diag(forth, 1) + np.diag(back, -1)",
        "forth and back are on the wrong sides: this is the matrix for h W, with rows",
    ),
    Mistake(
        "feedback-forwards-as-well",
        "feedback_chain",
        "W = np.diag(own) + np.diag(forth, -1) + np.diag(back, 1)",
        "W = np.diag(own) + np.diag(forth, -1) + np.diag(forth, 1)",
        "back is not used: forth stands on both sides",
    ),
    Mistake(
        "no-feedback",
        "feedback_chain",
        "W = np.diag(own) + np.diag(forth, -1) + np.diag(back, 1)",
        "W = np.diag(own) + np.diag(forth, -1)",
        "the feedback is missing",
    ),
    Mistake(
        "own-weights-left-out",
        "feedback_chain",
        "W = np.diag(own) + np.diag(forth, -1) + np.diag(back, 1)",
        "W = np.diag(forth, -1) + np.diag(back, 1)",
        "the units' own weights are missing",
    ),
    Mistake(
        "closed-to-a-ring",
        "feedback_chain",
        "W = np.diag(own) + np.diag(forth, -1) + np.diag(back, 1)",
        "W = np.diag(own) + np.diag(forth, -1) + np.diag(back, 1)\n    W[0, -1] = forth[-1]",
        "the last unit drives the first: this is a ring, no chain",
    ),
    Mistake(
        "weights-in-the-opposite-order",
        "feedback_chain",
        "W = np.diag(own) + np.diag(forth, -1) + np.diag(back, 1)",
        "W = np.diag(own) + np.diag(forth[::-1], -1) + np.diag(back[::-1], 1)",
        "the links are numbered from the far end",
    ),
    Mistake(
        "chain-by-a-loop",
        "feedback_chain",
        "W = np.diag(own) + np.diag(forth, -1) + np.diag(back, 1)",
        "W = np.zeros((len(own), len(own)))\n    for j in range(len(own)):\n        W[j, j] = own[j]\n"
        "        if j + 1 < len(own):\n            W[j + 1, j] = forth[j]\n            W[j, j + 1] = back[j]",
        "entry by entry",
        accepted=True,
    ),
)

COVARIANCE = (
    Mistake(
        "transposed-on-the-wrong-side",
        "covariance",
        "C = W @ C @ W.T + Q",
        "C = W.T @ C @ W + Q",
        "the transpose is on the wrong side: this is the covariance for rows",
    ),
    Mistake(
        "one-step-too-many",
        "covariance",
        "for _ in range(steps):\n        C",
        "for _ in range(steps + 1):\n        C",
        "there is one term too many in the sum",
    ),
    Mistake(
        "one-step-too-few",
        "covariance",
        "for _ in range(steps):\n        C",
        "for _ in range(steps - 1):\n        C",
        "there is one term too few in the sum",
    ),
    Mistake(
        "newest-noise-left-out",
        "covariance",
        "C = W @ C @ W.T + Q",
        "C = W @ (C + Q) @ W.T",
        "the noise of the last step has already been through W: the term k = 0 is missing",
    ),
    Mistake(
        "white-noise",
        "covariance",
        "C = W @ C @ W.T + Q",
        "C = W @ C @ W.T + np.eye(len(W))",
        "Q is not used: noise of variance 1 in every unit",
    ),
    Mistake(
        "powers-of-the-entries",
        "covariance",
        "    C = np.zeros_like(Q)\n    for _ in range(steps):\n        C = W @ C @ W.T + Q\n    return C\n",
        "    return sum(W**k @ Q @ (W**k).T for k in range(steps))\n",
        "the powers are those of the entries, not of the matrix",
    ),
    Mistake(
        "standard-deviation-for-variance",
        "covariance",
        "C = W @ C @ W.T + Q",
        "C = W @ C + Q",
        "W stands on one side only: a covariance has it on both",
    ),
    Mistake(
        "noise-through-the-square-of-w",
        "covariance",
        "C = W @ C @ W.T + Q",
        "C = W @ C @ W + Q",
        "W twice, without a transpose",
    ),
    Mistake(
        "sum-of-powers",
        "covariance",
        "    C = np.zeros_like(Q)\n    for _ in range(steps):\n        C = W @ C @ W.T + Q\n    return C\n",
        "    powers = [np.linalg.matrix_power(W, k) for k in range(steps)]\n"
        "    return sum(A @ Q @ A.T for A in powers)\n",
        "the sum as it is written",
        accepted=True,
    ),
    Mistake(
        "covariance-by-a-factor",
        "covariance",
        "    C = np.zeros_like(Q)\n    for _ in range(steps):\n        C = W @ C @ W.T + Q\n    return C\n",
        "    L = np.linalg.cholesky(Q)\n    parts = [L]\n    for _ in range(steps - 1):\n"
        "        parts.append(W @ parts[-1])\n"
        "    all_noise = np.concatenate(parts, axis=1)\n    return all_noise @ all_noise.T\n",
        "by a factor of Q",
        accepted=True,
    ),
)

MEMORY = (
    Mistake(
        "covariance-not-inverted",
        "memory",
        "trace.T @ np.linalg.solve(C, trace)",
        "trace.T @ C @ trace",
        "C where its inverse belongs: noisy directions count for more, not for less",
    ),
    Mistake(
        "noise-left-out",
        "memory",
        "trace.T @ np.linalg.solve(C, trace)",
        "trace.T @ trace",
        "C is not used: this is the size of the trace, whatever the noise",
    ),
    Mistake(
        "memory-begins-one-step-late",
        "memory",
        "        J.append(trace.T @ np.linalg.solve(C, trace))\n        trace = W @ trace\n",
        "        trace = W @ trace\n        J.append(trace.T @ np.linalg.solve(C, trace))\n",
        "J begins at k = 1: the newest input has not been through W at all",
    ),
    Mistake(
        "network-transposed",
        "memory",
        "trace = W @ trace\n",
        "trace = W.T @ trace\n",
        "the trace goes through the transpose of W",
    ),
    Mistake(
        "inverse-entry-by-entry",
        "memory",
        "trace.T @ np.linalg.solve(C, trace)",
        "trace.T @ (1 / C) @ trace",
        "the entries of C are inverted, not the matrix",
    ),
    Mistake(
        "noise-of-each-unit-alone",
        "memory",
        "trace.T @ np.linalg.solve(C, trace)",
        "trace.T @ (trace / np.diag(C)[:, None])",
        "only the diagonal of C is used, as if the units' noises had nothing to do with each other",
    ),
    Mistake(
        "trace-not-carried",
        "memory",
        "        trace = W @ trace\n",
        "        trace = W @ V\n",
        "every J but the first is that of k = 1: the trace is made anew from V at each step",
    ),
    Mistake(
        "powers-of-entries-in-the-trace",
        "memory",
        "    for _ in range(steps):\n        J.append(trace.T @ np.linalg.solve(C, trace))\n"
        "        trace = W @ trace\n",
        "    for k in range(steps):\n        trace = W**k @ V\n        J.append(trace.T @ np.linalg.solve(C, trace))\n",
        "the powers are those of the entries, not of the matrix",
    ),
    Mistake(
        "memory-by-the-inverse",
        "memory",
        "trace.T @ np.linalg.solve(C, trace)",
        "trace.T @ np.linalg.inv(C) @ trace",
        "with the inverse written out",
        accepted=True,
    ),
    Mistake(
        "memory-by-cholesky",
        "memory",
        "        J.append(trace.T @ np.linalg.solve(C, trace))\n",
        "        white = np.linalg.solve(np.linalg.cholesky(C), trace)\n        J.append(white.T @ white)\n",
        "in units of the noise, by Cholesky's factor",
        accepted=True,
    ),
)

LINE = (
    Mistake(
        "product-of-gains-overflows",
        "line_memory",
        "    shrunk = np.concatenate([[1.0], np.cumprod(gains**-2.0)])\n    total = np.cumsum(noise * shrunk)\n"
        "    J = 1 / total\n    return J\n",
        '    with np.errstate(all="ignore"):\n        grown = np.concatenate([[1.0], np.cumprod(gains**2)])\n'
        "        C = [noise[0]]\n        for gain, more in zip(gains, noise[1:]):\n"
        "            C.append(gain**2 * C[-1] + more)\n        return grown / np.array(C)\n",
        "signal and noise both overflow, and infinity divided by infinity is no number",
    ),
    Mistake(
        "gains-not-squared",
        "line_memory",
        "    shrunk = np.concatenate([[1.0], np.cumprod(gains**-2.0)])\n    total = np.cumsum(noise * shrunk)\n    J",
        "    shrunk = np.concatenate([[1.0], np.cumprod(1 / abs(gains))])\n    total = np.cumsum(noise * shrunk)\n"
        "    J",
        "the gains are not squared, but noise is a variance",
    ),
    Mistake(
        "gains-upside-down",
        "line_memory",
        "    shrunk = np.concatenate([[1.0], np.cumprod(gains**-2.0)])\n    total = np.cumsum(noise * shrunk)\n    J",
        '    with np.errstate(all="ignore"):\n        shrunk = np.concatenate([[1.0], np.cumprod(gains**2.0)])\n'
        "        total = np.cumsum(noise * shrunk)\n    J",
        "later noise counts for more behind an amplifier, where it should count for less",
    ),
    Mistake(
        "noise-of-the-source-left-out",
        "line_memory",
        "    total = np.cumsum(noise * shrunk)\n    J",
        "    total = noise[0] * np.cumsum(shrunk)\n    J",
        "all units have the noise of the first one",
    ),
    Mistake(
        "last-noise-forgotten",
        "line_memory",
        "    J = 1 / total\n",
        "    J = 1 / np.concatenate([total[:1], total[:-1]])\n",
        "the noise that is added at the unit where the signal is now is left out",
    ),
    Mistake(
        "standard-deviations-added",
        "line_memory",
        "    J = 1 / total\n",
        "    J = 1 / np.cumsum(np.sqrt(noise * shrunk)) ** 2\n",
        "standard deviations are added up; of independent noises it is the variances that add",
    ),
    Mistake(
        "gain-one-unit-early",
        "line_memory",
        "    shrunk = np.concatenate([[1.0], np.cumprod(gains**-2.0)])\n    total = np.cumsum(noise * shrunk)\n    J",
        "    shrunk = np.cumprod(np.concatenate([gains**-2.0, [1.0]]))\n    total = np.cumsum(noise * shrunk)\n    J",
        "each noise is divided by one gain too many: that of its own unit comes after it",
    ),
    Mistake(
        "line-by-a-recursion",
        "line_memory",
        "    total = np.cumsum(noise * shrunk)\n    J = 1 / total\n    return J\n",
        "    J = [1 / noise[0]]\n    for more in (noise * shrunk)[1:]:\n        J.append(J[-1] / (1 + more * J[-1]))\n"
        "    return np.array(J)\n",
        "by a recursion for J itself",
        accepted=True,
    ),
    Mistake(
        "line-by-logarithms",
        "line_memory",
        "    shrunk = np.concatenate([[1.0], np.cumprod(gains**-2.0)])\n    total = np.cumsum(noise * shrunk)\n    J",
        "    shrunk = np.exp(np.concatenate([[0.0], np.cumsum(-2 * np.log(abs(gains)))]))\n"
        "    total = np.cumsum(noise * shrunk)\n    J",
        "by logarithms",
        accepted=True,
    ),
)

LINE_BACKWARD = (
    Mistake(
        "sums-over-what-came-before",
        "line_memory_backward",
        "dpart = np.cumsum(dtotal[::-1])[::-1]",
        "dpart = np.cumsum(dtotal)",
        "the gradient of a cumulative sum is added up in the wrong direction",
    ),
    Mistake(
        "no-sum-over-later-lags",
        "line_memory_backward",
        "dpart = np.cumsum(dtotal[::-1])[::-1]",
        "dpart = dtotal",
        "each noise acts on its own J alone; but it is there for all older inputs as well",
    ),
    Mistake(
        "sign-of-the-reciprocal",
        "line_memory_backward",
        "dtotal = -dJ / total**2",
        "dtotal = dJ / total**2",
        "the sign is wrong: more noise means less memory",
    ),
    Mistake(
        "reciprocal-not-squared",
        "line_memory_backward",
        "dtotal = -dJ / total**2",
        "dtotal = -dJ / total",
        "the derivative of 1 / x is taken to be -1 / x",
    ),
    Mistake(
        "noise-gradient-not-shrunk",
        "line_memory_backward",
        "dnoise = dpart * shrunk",
        "dnoise = dpart",
        "dnoise is that of the noise as seen from the source: the gains before it are missing",
    ),
    Mistake(
        "gain-of-the-next-link-alone",
        "line_memory_backward",
        "dgains = -2 * later[1:] / gains",
        "dgains = -2 * (dshrunk * shrunk)[1:] / gains",
        "each gain acts on the next unit alone; but it shrinks the noise of all units after it",
    ),
    Mistake(
        "gain-counts-its-own-unit",
        "line_memory_backward",
        "dgains = -2 * later[1:] / gains",
        "dgains = -2 * later[:-1] / gains",
        "each gain is made to act on the unit before it as well",
    ),
    Mistake(
        "power-left-out",
        "line_memory_backward",
        "dgains = -2 * later[1:] / gains",
        "dgains = -later[1:] / gains",
        "dgains is that of gains which are not squared: half of what it should be",
    ),
    Mistake(
        "gain-sign",
        "line_memory_backward",
        "dgains = -2 * later[1:] / gains",
        "dgains = 2 * later[1:] / gains",
        "dgains has the wrong sign: the gain stands in a denominator",
    ),
    Mistake(
        "sign-of-negative-gains-lost",
        "line_memory_backward",
        "dgains = -2 * later[1:] / gains",
        "dgains = -2 * later[1:] / abs(gains)",
        "the sign of dgains is wrong where the gain is negative",
    ),
    Mistake(
        "gradients-by-loops",
        "line_memory_backward",
        "    dpart = np.cumsum(dtotal[::-1])[::-1]\n    dnoise = dpart * shrunk\n    dshrunk = dpart * noise\n"
        "    later = np.cumsum((dshrunk * shrunk)[::-1])[::-1]\n    dgains = -2 * later[1:] / gains\n"
        "    return dgains, dnoise\n",
        "    n = len(noise)\n    dgains, dnoise = np.zeros(n - 1), np.zeros(n)\n    for k in range(n):\n"
        "        for j in range(k + 1):\n            dnoise[j] += dtotal[k] * shrunk[j]\n"
        "            for i in range(j):\n"
        "                dgains[i] -= 2 * dtotal[k] * noise[j] * shrunk[j] / gains[i]\n    return dgains, dnoise\n",
        "term by term",
        accepted=True,
    ),
    Mistake(
        "gradients-by-matrices",
        "line_memory_backward",
        "dpart = np.cumsum(dtotal[::-1])[::-1]",
        "dpart = dtotal @ np.tril(np.ones((len(noise), len(noise))))",
        "with the matrix of a cumulative sum",
        accepted=True,
    ),
)

SPECTRUM = (
    Mistake(
        "chain-taken-for-symmetric",
        "spectrum",
        "    return np.linalg.eigvalsh(twin)\n",
        "    return np.linalg.eigvalsh(feedback_chain(forth, back, own))\n",
        "np.linalg.eigvalsh was given W, which is not symmetric; it reads one triangle and takes the other for its"
        " mirror",
    ),
    Mistake(
        "symmetric-part",
        "spectrum",
        "link = np.sqrt(forth * back)",
        "link = (forth + back) / 2",
        "the arithmetic mean of forth and back: the symmetric part of W has other eigenvalues",
    ),
    Mistake(
        "product-without-root",
        "spectrum",
        "link = np.sqrt(forth * back)",
        "link = forth * back",
        "the link is the product of its two weights, and so far too weak",
    ),
    Mistake(
        "roots-taken-one-by-one",
        "spectrum",
        "link = np.sqrt(forth * back)",
        'with np.errstate(all="ignore"):\n        link = np.nan_to_num(np.sqrt(forth) * np.sqrt(back))',
        "links with two negative weights are lost: the root was taken of each weight alone",
    ),
    Mistake(
        "diagonal-left-out-of-the-twin",
        "spectrum",
        "twin = np.diag(own) + np.diag(link, -1) + np.diag(link, 1)",
        "twin = np.diag(link, -1) + np.diag(link, 1)",
        "the units' own weights are missing",
    ),
    Mistake(
        "descending",
        "spectrum",
        "return np.linalg.eigvalsh(twin)",
        "return np.linalg.eigvalsh(twin)[::-1]",
        "right, but descending",
    ),
    Mistake(
        "singular-values",
        "spectrum",
        "return np.linalg.eigvalsh(twin)",
        "return np.linalg.svd(twin, compute_uv=False)[::-1]",
        "these are the moduli of the eigenvalues: singular values have no sign",
    ),
    Mistake(
        "twin-read-from-above",
        "spectrum",
        "return np.linalg.eigvalsh(twin)",
        'return np.sort(np.linalg.eigh(twin, UPLO="U")[0])',
        "with eigenvectors, from the upper triangle",
        accepted=True,
    ),
    Mistake(
        "twin-with-signs",
        "spectrum",
        "link = np.sqrt(forth * back)",
        "link = np.sign(forth) * np.sqrt(abs(forth)) * np.sqrt(abs(back))",
        "with the signs of the links kept",
        accepted=True,
    ),
)

SHARE = (
    Mistake(
        "square-without-modulus",
        "feedforward_share",
        "kept = (abs(eigenvalues) ** 2).sum(axis=1)",
        "kept = (eigenvalues**2).sum(axis=1).real",
        "the eigenvalues are squared without their modulus: complex ones count for too little, even for less than"
        " nothing",
    ),
    Mistake(
        "real-parts-alone",
        "feedforward_share",
        "kept = (abs(eigenvalues) ** 2).sum(axis=1)",
        "kept = (eigenvalues.real**2).sum(axis=1)",
        "only the real parts of the eigenvalues are counted",
    ),
    Mistake(
        "modulus-not-squared",
        "feedforward_share",
        "kept = (abs(eigenvalues) ** 2).sum(axis=1)",
        "kept = abs(eigenvalues).sum(axis=1)",
        "the moduli of the eigenvalues are not squared",
    ),
    Mistake(
        "spectral-norm",
        "feedforward_share",
        "energy = (W**2).sum(axis=(1, 2))",
        "energy = np.linalg.norm(W, 2, axis=(1, 2)) ** 2",
        "the norm is the largest singular value, not Frobenius's",
    ),
    Mistake(
        "norm-not-squared",
        "feedforward_share",
        "energy = (W**2).sum(axis=(1, 2))",
        "energy = np.linalg.norm(W, axis=(1, 2))",
        "the norm is not squared",
    ),
    Mistake(
        "the-other-share",
        "feedforward_share",
        "return 1 - kept / energy",
        "return kept / energy",
        "this is the share that the eigenvalues do account for",
    ),
    Mistake(
        "root-of-the-share",
        "feedforward_share",
        "return 1 - kept / energy",
        "return np.sqrt(abs(1 - kept / energy))",
        "a root too many: this is Henrici's index divided by the norm",
    ),
    Mistake(
        "largest-eigenvalue-alone",
        "feedforward_share",
        "kept = (abs(eigenvalues) ** 2).sum(axis=1)",
        "kept = (abs(eigenvalues) ** 2).max(axis=1)",
        "only the largest eigenvalue is counted",
    ),
    Mistake(
        "energy-of-the-whole-stack",
        "feedforward_share",
        "energy = (W**2).sum(axis=(1, 2))",
        "energy = (W**2).sum()",
        "divided by the energy of the whole stack, not by that of each matrix",
    ),
    Mistake(
        "share-matrix-by-matrix",
        "feedforward_share",
        "return 1 - kept / energy",
        "each = [(np.linalg.norm(A) ** 2, np.linalg.eigvals(A)) for A in W]\n"
        "    return np.array([(size - (x * x.conj()).real.sum()) / size for size, x in each])",
        "one matrix after the other",
        accepted=True,
    ),
)

FLOW = (
    Mistake(
        "pulse-through-the-transpose",
        "flow",
        "h.append(W @ h[-1])",
        "h.append(W.T @ h[-1])",
        "the pulse runs through the transpose of W",
    ),
    Mistake(
        "pulse-not-counted",
        "flow",
        "arrival = np.arange(steps + 1) @ energy / energy.sum(axis=0)",
        "arrival = np.arange(1, steps + 1) @ energy[1:] / energy[1:].sum(axis=0)",
        "the state at the time of the pulse, h_0, is not counted",
    ),
    Mistake(
        "time-counted-from-one",
        "flow",
        "arrival = np.arange(steps + 1) @ energy",
        "arrival = np.arange(1, steps + 2) @ energy",
        "arrival is later by 1 everywhere: time begins at 0",
    ),
    Mistake(
        "modulus-for-energy",
        "flow",
        "energy = np.array(h) ** 2",
        "energy = abs(np.array(h))",
        "the centre of mass is taken of the modulus, not of the square",
    ),
    Mistake(
        "signed-response",
        "flow",
        "energy = np.array(h) ** 2",
        "energy = np.array(h)",
        "the centre of mass is taken of the response with its sign, which can cancel",
    ),
    Mistake(
        "peak-for-centre",
        "flow",
        "arrival = np.arange(steps + 1) @ energy / energy.sum(axis=0)",
        "arrival = energy.argmax(axis=0) + 0.0",
        "arrival is the time of the peak, not the centre of mass",
    ),
    Mistake(
        "only-rows-renumbered",
        "flow",
        "ordered = W[np.ix_(order, order)]",
        "ordered = W[order]",
        "only the rows are renumbered; the columns are units as well",
    ),
    Mistake(
        "renumbered-backwards",
        "flow",
        "ordered = W[np.ix_(order, order)]",
        "ordered = W[np.ix_(np.argsort(order), np.argsort(order))]",
        "renumbered by the inverse of the order",
    ),
    Mistake(
        "latest-first",
        "flow",
        "order = np.argsort(arrival)",
        "order = np.argsort(-arrival)",
        "the unit that the pulse reaches last comes first",
    ),
    Mistake(
        "offsets-the-other-way",
        "flow",
        "np.diagonal(squares, -offset)",
        "np.diagonal(squares, offset)",
        "profile is for j - i: the two sides of the diagonal are exchanged",
    ),
    Mistake(
        "mean-for-share",
        "flow",
        "np.diagonal(squares, -offset).sum()",
        "np.diagonal(squares, -offset).mean()",
        "profile has means over the diagonals; they do not add up to 1",
    ),
    Mistake(
        "weights-not-squared",
        "flow",
        "squares = ordered**2 / (ordered**2).sum()",
        "squares = abs(ordered) / abs(ordered).sum()",
        "the shares are those of the moduli, not of the squares",
    ),
    Mistake(
        "profile-not-normalised",
        "flow",
        "squares = ordered**2 / (ordered**2).sum()",
        "squares = ordered**2",
        "profile is not divided by the energy of all of W",
    ),
    Mistake(
        "backward-part-not-subtracted",
        "flow",
        "forward = profile[n:].sum() - profile[: n - 1].sum()",
        "forward = profile[n:].sum()",
        "forward is the part below the diagonal alone; that above it is not taken off",
    ),
    Mistake(
        "diagonal-counted-forwards",
        "flow",
        "forward = profile[n:].sum() - profile[: n - 1].sum()",
        "forward = profile[n - 1 :].sum() - profile[: n - 1].sum()",
        "forward counts the diagonal, where i = j",
    ),
    Mistake(
        "flow-by-triangles",
        "flow",
        "forward = profile[n:].sum() - profile[: n - 1].sum()",
        "forward = np.tril(squares, -1).sum() - np.triu(squares, 1).sum()",
        "forward from the two triangles",
        accepted=True,
    ),
    Mistake(
        "ordered-by-a-permutation-matrix",
        "flow",
        "ordered = W[np.ix_(order, order)]",
        "P = np.eye(len(W))[order]\n    ordered = P @ W @ P.T",
        "renumbered by a permutation matrix",
        accepted=True,
    ),
)

MISTAKES = CHAIN + COVARIANCE + MEMORY + LINE + LINE_BACKWARD + SPECTRUM + SHARE + FLOW

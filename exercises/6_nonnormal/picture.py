"""The picture of the handout: two matrices of the same eigenvalues."""

import numpy as np


def draw(figure):
    """How much longer a vector can get in so many steps of a chain, and of a normal matrix of its eigenvalues."""
    n, alpha, beta = 30, 1.05, 0.2
    chain = np.diag(np.full(n - 1, alpha), -1) + np.diag(np.full(n - 1, beta), 1)
    eigenvalues = 2 * np.sqrt(alpha * beta) * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
    power, longest = np.eye(n), []
    for _ in range(121):
        longest.append(np.linalg.norm(power, 2))
        power = chain @ power
    steps = np.arange(len(longest))
    axes = figure.subplots()
    axes.semilogy(steps, longest, color="#4477aa", linewidth=1.6, label="a chain with feedback")
    axes.semilogy(steps, abs(eigenvalues).max() ** steps, color="#ee6677", label="a normal matrix, same eigenvalues")
    axes.set(xlabel="steps", ylabel="largest growth, ‖Wᵏ‖", ylim=(1e-4, None))
    axes.legend(frameon=False)

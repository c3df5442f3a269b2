"""MWEM as the paper prints it, for small tables: A and B have a number for every cell, Q a row for every query.

`mwem.loop` is the same algorithm on a junction tree. The tests hold the two equal, draw by draw.
"""

import numpy as np

from mwem_core.privacy import NoiseSource, exponential, laplace

Output = tuple[np.ndarray, list[tuple[int, float]]]  # A, and (query i, its noisy answer m) in the order of the rounds


def figure_1(B: np.ndarray, Q: np.ndarray, *, epsilon: float, T: int, noise: NoiseSource) -> Output:
    """The average of A_0 .. A_{T-1}, ε-DP with n public. B: (cells,) counts. Q: (queries, cells), values in [-1, 1]."""
    n, measured = B.sum(), []
    A = [np.full(len(B), n / len(B))]
    for _ in range(T):
        i = select(A[-1], B, Q, epsilon / (2 * T), noise)
        m = measure(B, Q[i], epsilon / (2 * T), noise)
        A.append(update(A[-1], Q[i], m, n))
        measured.append((i, m))
    return np.mean(A[:-1], axis=0), measured


def figure_8(
    B: np.ndarray, Q: np.ndarray, *, epsilon: float, T: int, noise: NoiseSource, sweeps: int = 100, A_0=None
) -> Output:
    """A_T by updates over all measurements, again and again; no query is asked twice. ε-DP as `figure_1`."""
    n, measured = B.sum(), []
    A = np.full(len(B), n / len(B)) if A_0 is None else A_0
    for _ in range(T):
        i = select(A, B, Q, epsilon / (2 * T), noise, without=[i for i, _ in measured])
        measured.append((i, measure(B, Q[i], epsilon / (2 * T), noise)))
        for i, m in sweeps * measured:
            A = update(A, Q[i], m, n)
    return A, measured


def select(A, B, Q, epsilon, noise, without=()) -> int:
    """A query by the exponential mechanism with score |q(A) - q(B)|, which one record moves by at most 1. ε-DP."""
    scores = np.abs(Q @ A - Q @ B)
    scores[list(without)] = -np.inf
    return exponential(scores, epsilon=epsilon, sensitivity=1, noise=noise)


def measure(B, q, epsilon, noise) -> float:
    """q(B) with Laplace noise of scale 1/ε. ε-DP."""
    return float(laplace(q @ B, epsilon=epsilon, sensitivity=1, noise=noise)[0])


def update(A, q, m, n) -> np.ndarray:
    """A(x) ∝ A(x) exp(q(x) (m - q(A)) / 2n), with total n."""
    A = A * np.exp(q * (m - q @ A) / (2 * n))
    return A * n / A.sum()

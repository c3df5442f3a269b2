"""The error to be expected of rounds that select predicates, before the data is seen: from public numbers alone."""

import math
from collections.abc import Sequence

import numpy as np

from mwem_core.workload import Subsets


def selected_tv(subsets: Subsets, prior: np.ndarray, n: float, *, T: int, variance: float, held: float) -> float:
    """The expected mean total variation once T of the predicates were measured with noise of this variance.

    Each round is expected to select the predicate of the largest expected error. With a normal prior, `prior` for a
    coordinate of each residual, (subsets,), and normal noise, the measurement lowers the variances of all predicates
    that overlap with it: by squares of their covariances with it, over its own variance and the noise's. Of what is not
    selected, the share t = T/|Q| that is largest would have held a share `held` of the roots, and is selected instead.
    """
    covariance = _covariance(subsets, prior)
    errors, selected = np.diag(covariance).copy(), np.zeros(subsets.Q.size, bool)
    learned = np.zeros((T, subsets.Q.size))
    for i in range(T):
        j = int(np.where(selected, -1.0, errors).argmax())
        row = covariance[j] - learned[:i, j] @ learned[:i]
        learned[i] = row / math.sqrt(max(row[j], 0.0) + variance)
        errors = np.maximum(errors - learned[i] ** 2, 0.0)
        selected[j] = True
    roots, t = np.sqrt(errors), T / subsets.Q.size
    total = roots[selected].sum() + (roots[~selected].sum() * (1 - held) / (1 - t) if t < 1 else 0.0)
    return float(math.sqrt(1 / (2 * math.pi)) * total / (n * subsets.Q.size))


def queried_tv(subsets: Subsets, prior: np.ndarray, n: float, *, variance: float) -> float:
    """The expected mean total variation once all predicates were measured together with noise of this variance.

    With a normal prior, of covariance K for the answers, and normal noise, the errors' is K - K (K + variance)⁻¹ K.
    Noise that K's rounding hides counts as large as that, so that the matrix has an inverse.
    """
    K = _covariance(subsets, prior)
    variance = max(variance, len(K) * np.finfo(float).eps * float(K.max()))
    learned = (K * np.linalg.solve(K + variance * np.eye(len(K)), K)).sum(axis=0)
    errors = np.maximum(np.diag(K) - learned, 0.0)
    return float(math.sqrt(1 / (2 * math.pi)) * np.sqrt(errors).mean() / n)


def _covariance(subsets: Subsets, variances: Sequence[float] | np.ndarray) -> np.ndarray:
    """That of the predicates' answers, (|Q|, |Q|), if a coordinate of each residual varies by so much, in records²."""
    covariance = np.zeros((subsets.Q.size, subsets.Q.size))
    for variance, read in zip(variances, subsets.read, strict=True):
        covariance[np.ix_(read.predicates, read.predicates)] += variance * (read.vectors @ read.vectors.T)
    return covariance

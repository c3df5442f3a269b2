"""The score F: how close counts of a two-valued X and parents Π are to the greatest mutual information there can be.

That is had where both values of X are equally frequent and each value of Π goes with one of them only. Give each of
Π's values to X = 0 or X = 1 and let K₀ and K₁ be what agrees, the counts of (0, π) and of (1, π) over the π given to
each: F is the largest -[(n/2 - K₀)₊ + (n/2 - K₁)₊] over all ways to give (in records, n times the paper's).

The paper runs a dynamic program over all values of K₀, for every candidate. Here a bound, found for all candidates
together by a sort, settles some and leaves few of the others' columns to the program. For any λ₀, λ₁ in [0, 1]

    (n/2 - K₀)₊ + (n/2 - K₁)₊ >= λ₀ (n/2 - K₀) + λ₁ (n/2 - K₁) >= (λ₀ + λ₁) n/2 - Σ_π max(λ₀ c(0,π), λ₁ c(1,π))

and giving a π to the side of the smaller λ c costs at least the difference. The best λ are linear programming's.
"""

import numpy as np

TINY = 1e-6  # records: gaps are whole or half numbers
SLACK = 8.0  # records by which the smallest gap is first sought above its bound


def closeness(counts: np.ndarray, n: float) -> np.ndarray:
    """n · F(X, Π), between -n and 0: (m, 2, |Π|) -> (m,)."""
    # Three empty columns stand for λ = (0, 1), (1, 1) and (1, 0).
    c = np.concatenate([counts, np.zeros((len(counts), 2, 3))], axis=2)
    share = np.divide(c[:, 0], c.sum(axis=1), out=np.full((len(c), c.shape[2]), 0.5), where=c.sum(axis=1) > 0)
    share[:, -3:] = 1.0, 0.5, 0.0
    order = np.argsort(-share, axis=1)
    share, c = np.take_along_axis(share, order, axis=1), np.take_along_axis(c, order[:, None], axis=2)
    agree0 = c[:, 0].cumsum(axis=1)
    agree1 = c[:, 1].sum(axis=1, keepdims=True) - c[:, 1].cumsum(axis=1)
    rates = np.stack([1 - share, share]) / np.maximum(share, 1 - share)  # the λ at which a column may go either way
    bounds = rates.sum(axis=0) * (n / 2) - rates[0] * agree0 - rates[1] * agree1
    gap = _gap(agree0, agree1, n).min(axis=1)
    step = 1.0 if n % 2 == 0 else 0.5  # between two gaps
    for i in np.flatnonzero(bounds.max(axis=1) <= gap - step + TINY):
        best = int(bounds[i].argmax())
        gap[i] = _least_gap(c[i], rates[:, i, best], n, float(bounds[i, best]))
    return -gap


def _gap(agree0: np.ndarray, agree1: np.ndarray, n: float) -> np.ndarray:
    return np.maximum(n / 2 - agree0, 0) + np.maximum(n / 2 - agree1, 0)


def _least_gap(c: np.ndarray, rate: np.ndarray, n: float, bound: float) -> float:
    """The smallest gap of (2, |Π|) counts, given the λ of the best bound: sought near it, then up to one found."""
    most = bound + SLACK
    while (found := _program(c, rate, n, bound, most)) > most + TINY:
        most = found
    return found


def _program(c: np.ndarray, rate: np.ndarray, n: float, bound: float, most: float) -> float:
    """A gap that can be had, and the smallest of all where that is at most `most`.

    Columns that would cost too much to give to the other side stay; of the others, the dynamic program keeps for every
    K₀ the greatest K₁.
    """
    worth = rate[:, None] * c
    first = worth[0] >= worth[1]
    either = (bound + np.abs(worth[0] - worth[1]) <= most + TINY) & c.any(axis=0)
    columns = np.flatnonzero(either)
    columns = columns[np.argsort(c[0, columns])]
    K1 = np.full(int(c[0, columns].sum()) + 1, -np.inf)
    K1[0] = c[1, ~first & ~either].sum()
    reach = 1  # K₀ so far lies below
    for a, b in zip(c[0, columns].astype(int).tolist(), c[1, columns].tolist(), strict=True):
        given = K1[:reach].copy()
        K1[:reach] += b
        np.maximum(K1[a : a + reach], given, out=K1[a : a + reach])
        reach += a
    return float(_gap(c[0, first & ~either].sum() + np.arange(len(K1)), K1, n).min())

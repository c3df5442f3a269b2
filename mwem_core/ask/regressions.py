"""Linear regression, as a function of moments of pairs, and logistic regression, as one of a whole table's cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mwem_core.ask.conditions import Feature, note
from mwem_core.ask.formulas import outcomes, parse_formula
from mwem_core.ask.measured import Block
from mwem_core.ask.questions import of_features
from mwem_core.ask.statistic import Statistic
from mwem_core.domain import Domain
from mwem_core.model import align

NEWTON_STEPS, CLOSE = 30, 1e-8
MAX_TABLE = 2**11  # cells of all attributes of a logistic regression


def ols(formula: str, domain: Domain, common: Mapping[int, int]) -> Statistic:
    """The coefficients of least squares: functions of the mean products of any two columns, and so of pairs alone."""
    y, columns = parse_formula(formula, domain, common)
    all_columns, p = [*columns, y], len(columns)
    rows, others = np.triu_indices(p + 1)
    features = [all_columns[i].times(all_columns[j]) for i, j in zip(rows, others, strict=True)]

    def coefficients(sums: np.ndarray) -> np.ndarray:
        moments = np.empty((*sums.shape[:-1], p + 1, p + 1))
        moments[..., rows, others] = moments[..., others, rows] = sums
        return _solved(moments[..., :p, :p], moments[..., :p, p])

    return of_features(_names(columns), features, coefficients, **_needs_and_note(columns, y, domain))


def logit(formula: str, domain: Domain, common: Mapping[int, int]) -> Statistic:
    """The coefficients of maximum likelihood, from the table of all attributes; they are logarithms of odds ratios."""
    y, columns = parse_formula(formula, domain, common)
    S = tuple(sorted({a for feature in (y, *columns) for a in feature.S}))
    cells, sizes = domain.cells(S), domain.sizes(S)
    if cells > MAX_TABLE:
        raise ValueError(
            f"the table of {domain.label(S)} has {cells:,} cells, and a logistic regression reads at most"
            f" {MAX_TABLE:,}: name fewer attributes"
        )
    X = np.stack([np.broadcast_to(align(c.table, c.S, S), sizes).ravel() for c in columns], axis=1)
    outcome = np.broadcast_to(align(outcomes(y), y.S, S), sizes).ravel()
    scale = np.maximum(np.abs(X).max(axis=0), 1e-12)
    X_scaled = X / scale

    def fitted(counts: np.ndarray) -> np.ndarray:
        flat = counts.reshape(-1, cells)
        betas = np.array([_maximum(X_scaled, outcome, w) for w in flat]) / scale
        return betas.reshape(*counts.shape[:-1], len(columns))

    def derivative(counts: np.ndarray) -> np.ndarray:
        beta = _maximum(X_scaled, outcome, counts)
        mean = 1 / (1 + np.exp(-X_scaled @ beta))
        information = (X_scaled * (counts * mean * (1 - mean))[:, None]).T @ X_scaled
        scores = X_scaled * (outcome - mean)[:, None]
        return _solved(information[None], scores.T[None])[0] / scale[:, None]

    whole = Block(S, np.eye(cells).reshape(cells, *sizes))
    return Statistic(_names(columns), (whole,), fitted, derivative=derivative, **_needs_and_note(columns, y, domain))


def _needs_and_note(columns: Sequence[Feature], y: Feature, domain: Domain) -> dict[str, Any]:
    """What is to know of a regression: the groups that it needs, and its binned numbers and missing values."""
    groups = tuple(column for column in columns if set(np.unique(column.table)) <= {0.0, 1.0})
    numbers = {a for each in (*columns, y) if each.name in domain.names for a in each.S}
    others = {a for each in (*columns, y) for a in each.S} - numbers
    return {"needs": (groups,) * len(columns), "note": note(domain, sorted(numbers), sorted(others))}


def _names(columns: Sequence[Feature]) -> tuple[str, ...]:
    return "(constant)", *(f"coefficient of {column.name}" for column in columns[1:])


def _maximum(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The β of the largest likelihood, (p,), by Newton's method; NaN where it does not arrive."""
    beta = np.zeros(X.shape[1])
    for _ in range(NEWTON_STEPS):
        mean = 1 / (1 + np.exp(-np.clip(X @ beta, -30, 30)))
        information = (X * (weights * mean * (1 - mean))[:, None]).T @ X
        step = _solved(information[None], (X.T @ (weights * (y - mean)))[None])[0]
        if not np.isfinite(step).all():
            break
        beta = beta + step * min(1.0, 4.0 / max(np.abs(step).max(), 1e-12))
        if np.abs(step).max() < CLOSE:
            return beta
    return np.full(X.shape[1], np.nan)


def _solved(moments: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solutions of positive definite systems; NaN for others: (..., p, p), and (..., p) or (..., p, k)."""
    diagonal = np.diagonal(moments, axis1=-2, axis2=-1)
    size = np.sqrt(np.where(diagonal > 0, diagonal, np.nan))
    scaled = moments / size[..., :, None] / size[..., None, :]
    good = np.asarray(np.isfinite(scaled).all(axis=(-2, -1)))
    scaled = np.where(good[..., None, None], scaled, np.eye(moments.shape[-1]))
    good &= np.linalg.eigvalsh(scaled)[..., 0] > 1e-9
    scaled = np.where(good[..., None, None], scaled, np.eye(moments.shape[-1]))
    vector = right.ndim < moments.ndim
    b = (right[..., None] if vector else right) / size[..., :, None]
    found = np.where(good[..., None, None], np.linalg.solve(scaled, b), np.nan) / size[..., :, None]
    return found[..., 0] if vector else found

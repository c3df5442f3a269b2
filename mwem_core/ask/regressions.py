"""Linear regression, as a function of moments of pairs, and logistic regression, as one of a whole table's cells.

The formula reads `y ~ a + b`: numbers are as they are, and categories a column for each value but one. A side is an
attribute, or a question in brackets or with a comparison, such as `income == ">50K" ~ age + sex`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mwem_core.ask.conditions import COMPARISON, ONE, Feature, condition, groups, note, number
from mwem_core.ask.descriptive_statistics import of_features
from mwem_core.ask.statistic import Block, Statistic
from mwem_core.domain import Attribute, Domain
from mwem_core.model import align

PLUS = re.compile(r"\+(?=(?:[^\"'`]|\"[^\"]*\"|'[^']*'|`[^`]*`)*$)")  # outside of quotes
INTERACTION = re.compile(r"[:*](?=(?:[^\"'`]|\"[^\"]*\"|'[^']*'|`[^`]*`)*$)")


def parse_formula(formula: str, domain: Domain, common: Mapping[int, int]) -> tuple[Feature, list[Feature]]:
    """The outcome, and the columns of the design with the constant first. Raises ValueError, in a sentence.

    `common` has the value of each category that the others are compared with: a rare one would make all uncertain.
    """
    left, tilde, right = formula.partition("~")
    if not tilde or not left.strip() or not right.strip():
        raise ValueError(f"a formula reads y ~ a + b, got {formula!r}")
    columns = [ONE]
    for text in PLUS.split(right):
        if INTERACTION.search(text):
            raise ValueError(
                f"the interaction {text.strip()!r} is refused, as a model of what was measured of fewer attributes"
                " would answer: release a table of all of them, and ask for the shares of its cells"
            )
        columns += _columns(text.strip(), domain, common)
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise ValueError(f"the formula {formula!r} names an attribute twice: name it once")
    outcome = _columns(left.strip(), domain, {})
    if len(outcome) != 1:
        raise ValueError(f"the outcome {left.strip()!r} has {len(outcome) + 1} values: ask about one, such as x == 'a'")
    return outcome[0], columns


def _columns(text: str, domain: Domain, common: Mapping[int, int]) -> list[Feature]:
    """The columns of one term."""
    name = text.strip("`")
    if not text:
        raise ValueError("a formula has an empty term between two +: remove one")
    if name not in domain.names:
        if not COMPARISON.search(text):
            domain.attrs(name)  # says which attributes there are
        return [condition(text, domain)]
    attribute = domain.attributes[domain.attrs(name)[0]]
    if attribute.number_set is None:
        (a,), each = domain.attrs(name), groups(name, domain)
        base = each.pop(common.get(a, 0))
        return [replace(group, name=f"{group.name} against {base.name.partition(' = ')[2]}") for group in each]
    _check_numbers(attribute)
    return [number(name, domain)[0]]


def _check_numbers(attribute: Attribute) -> None:
    if attribute.size > attribute.value_set.size:
        others = ", ".join(attribute.labels[attribute.value_set.size :])
        raise ValueError(
            f"{attribute.name} is no number for all records (some are {others}), and a regression needs one of each:"
            " ask with a comparison instead"
        )


def outcomes(y: Feature) -> np.ndarray:
    """The table of an outcome of 0 and 1. Raises ValueError for another one."""
    if not set(np.unique(y.table)) <= {0.0, 1.0}:
        raise ValueError(f"a logistic regression needs an outcome of two values, and {y.name} has more: compare it")
    return y.table


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
        return _solve(moments[..., :p, :p], moments[..., :p, p])

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
        return _solve(information[None], scores.T[None])[0] / scale[:, None]

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
        step = _solve(information[None], (X.T @ (weights * (y - mean)))[None])[0]
        if not np.isfinite(step).all():
            break
        beta = beta + step * min(1.0, 4.0 / max(np.abs(step).max(), 1e-12))
        if np.abs(step).max() < CLOSE:
            return beta
    return np.full(X.shape[1], np.nan)


def _solve(moments: np.ndarray, right: np.ndarray) -> np.ndarray:
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

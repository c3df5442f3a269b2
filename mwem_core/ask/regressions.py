"""Linear regression, as a function of moments of pairs, and logistic regression, as one of a whole table's cells.

A formula is one of R, read by formulaic: `y ~ a + b`. Numbers are as they are, and categories a column for each value
but one, as `C(a)` has numbers too. The outcome may be a condition, such as `income = '>50K' ~ age + sex`, and so may a
term, in `I(…)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mwem_core.ask.conditions import ONE, Feature, column_name, condition, groups, note, number, with_quoted_names
from mwem_core.ask.descriptive_statistics import among_those, of_features
from mwem_core.ask.statistic import Block, Statistic
from mwem_core.domain import Domain, quoted_name, quoted_text
from mwem_core.model import align

CALL = re.compile(r"(C|factor|I)\((.*)\)", re.DOTALL)


def parse_formula(formula: str, domain: Domain, common: Mapping[int, int]) -> tuple[Feature, list[Feature]]:
    """The outcome, and the columns of the design with the constant first. Raises ValueError, in a sentence.

    `common` has the value of each category that the others are compared with: a rare one would make all uncertain.
    """
    left, tilde, right = formula.partition("~")
    if not tilde or not left.strip() or not right.strip():
        raise ValueError(f"a formula reads y ~ a + b, got {formula!r}")
    columns = []
    for factors in _terms(right, domain):
        if len(factors) > 1:
            raise ValueError(
                f"the interaction {':'.join(factors)!r} is refused, as a model of what was measured of fewer attributes"
                " would answer: release a table of all of them, and ask for the shares of its cells"
            )
        columns += [ONE] if factors == ["1"] else _columns(factors[0], domain, common)
    if ONE not in columns:
        raise ValueError(f"the formula {formula!r} has no constant, and each answer needs it: leave 0 or -1 out")
    outcome = _columns(left.strip(), domain, {})
    if len(outcome) != 1:
        (a,) = outcome[0].S
        asked = f"{quoted_name(domain.names[a])} = {quoted_text(domain.attributes[a].labels[-1])}"
        raise ValueError(f"the outcome {left.strip()!r} has {len(outcome) + 1} values: ask about one, such as {asked}")
    return outcome[0], sorted(columns, key=lambda column: column is not ONE)


def _terms(text: str, domain: Domain) -> list[list[str]]:
    """The terms of a formula's right side, each with its factors."""
    from formulaic.errors import FormulaicError
    from formulaic.parser import DefaultFormulaParser

    try:
        terms = list(DefaultFormulaParser().get_terms(with_quoted_names(text, domain)))
        return [[factor.expr for factor in term.factors] for term in terms]
    except (FormulaicError, SyntaxError, AttributeError, TypeError, RecursionError):
        raise ValueError(
            f"the formula's right side {text.strip()[:80]!r} cannot be read: write attributes with + between them,"
            " and a condition as I(age >= 40)"
        ) from None


def _columns(text: str, domain: Domain, common: Mapping[int, int]) -> list[Feature]:
    """The columns of one factor, or an outcome's only one."""
    call = CALL.fullmatch(text)
    name = column_name(call[2] if call and call[1] != "I" else text)
    if name not in domain.names:
        if re.fullmatch(r"[\w.-]+", name):
            domain.attrs(name)  # says which attributes there are
        return [condition(call[2] if call else text, domain)]
    attribute = domain.attributes[domain.attrs(name)[0]]
    if attribute.number_set is None or call:
        (a,), each = domain.attrs(name), groups(quoted_name(name), domain)
        base = each.pop(common.get(a, 0))
        return [replace(group, name=f"{group.name} against {base.name.partition(' = ')[2]}") for group in each]
    if others := ", ".join(attribute.labels[attribute.value_set.size :]):
        raise ValueError(
            f"{attribute.name} is no number for all records (some are {others}), and a regression needs one of each:"
            " ask with a comparison instead"
        )
    return [number(name, domain)[0]]


def outcomes(y: Feature) -> np.ndarray:
    """The table of an outcome of 0 and 1. Raises ValueError for another one."""
    if not set(np.unique(y.table)) <= {0.0, 1.0}:
        raise ValueError(f"a logistic regression needs an outcome of two values, and {y.name} has more: compare it")
    return y.table


NEWTON_STEPS, CLOSE = 30, 1e-8
MAX_TABLE = 2**11  # cells of all attributes of a logistic regression


def ols(formula: str, domain: Domain, common: Mapping[int, int], *, where: str | None = None) -> Statistic:
    """The coefficients of least squares: functions of the mean products of any two columns, and so of pairs alone."""
    (y, columns), among = parse_formula(formula, domain, common), condition(where, domain)
    means, p = [among.times(replace(column, square=None)) for column in (*columns, y)], len(columns)
    rows, others = np.triu_indices(p + 1)
    features = [means[i].times(means[j]) for i, j in zip(rows, others, strict=True)]
    if y.square is not None:
        features.append(among.times(y.square))

    def scaled(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients, and the share of them that the means of the outcome's bins show.

        Where y is about linear in x, bins of x make coefficients uncertain and not smaller, and those of y smaller.
        """
        moments = np.empty((*sums.shape[:-1], p + 1, p + 1))
        moments[..., rows, others] = moments[..., others, rows] = sums[..., : len(rows)]
        right, n, total = moments[..., :p, p], moments[..., :1, 0], moments[..., :1, p]
        if y.square is None:
            return _solve(moments[..., :p, :p], right), np.ones(())
        mean = total / n
        shown = (moments[..., p:, p] / n - mean**2) / (sums[..., -1:] / n - mean**2)
        right = right / shown + (1 - 1 / shown) * mean * moments[..., :p, 0]
        return _solve(moments[..., :p, :p], right), shown

    def doubt(sums: np.ndarray) -> np.ndarray:
        found, shown = scaled(sums)
        return np.abs(found) * (1 - shown) / 2

    more = _needs_and_note(columns, y, domain)
    return of_features(_names(columns, where), features, lambda sums: scaled(sums)[0], doubt=doubt, **more)


def logit(formula: str, domain: Domain, common: Mapping[int, int], *, where: str | None = None) -> Statistic:
    """The coefficients of maximum likelihood, from the table of all attributes; they are logarithms of odds ratios."""
    (y, columns), among = parse_formula(formula, domain, common), condition(where, domain)
    S = tuple(sorted({a for feature in (y, among, *columns) for a in feature.S}))
    cells, sizes = domain.cells(S), domain.sizes(S)
    if cells > MAX_TABLE:
        raise ValueError(
            f"the table of {domain.label(S)} has {cells:,} cells, and a logistic regression reads at most"
            f" {MAX_TABLE:,}: name fewer attributes"
        )
    X = np.stack([np.broadcast_to(align(c.table, c.S, S), sizes).ravel() for c in columns], axis=1)
    outcome = np.broadcast_to(align(outcomes(y), y.S, S), sizes).ravel()
    counted = np.broadcast_to(align(among.table, among.S, S), sizes).ravel()
    scale = np.maximum(np.abs(X).max(axis=0), 1e-12)
    X = X / scale

    def fitted(counts: np.ndarray) -> np.ndarray:
        flat = counts.reshape(-1, cells) * counted
        betas = np.array([_maximum(X, outcome, weights) for weights in flat]) / scale
        return betas.reshape(*counts.shape[:-1], len(columns))

    def near(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """β, the probability of y by cell, and what moves β where scores of x move: (cells, p) -> (p, cells)."""
        beta = _maximum(X, outcome, counts * counted)
        mean = 1 / (1 + np.exp(-X @ beta))
        information = (X * (counts * counted * mean * (1 - mean))[:, None]).T @ X
        return beta, mean, lambda scores: _solve(information, scores.T) / scale[:, None]

    def derivative(counts: np.ndarray) -> np.ndarray:
        _, mean, moved = near(counts)
        return moved(X * (counted * (outcome - mean))[:, None])

    def slopes(counts: np.ndarray) -> dict[int, np.ndarray]:
        """Of the scores Σ x (y - p), by x, with p by x too."""
        (beta, mean, moved), found = near(counts), {}
        for j, column in enumerate(columns):
            scores = -beta[j] * (counted * mean * (1 - mean))[:, None] * X
            scores[:, j] += counted * (outcome - mean)
            found |= dict.fromkeys(column.slopes, moved(scores) / scale[j])
        return found

    whole, binned = Block(S, np.eye(cells).reshape(cells, *sizes)), any(column.slopes for column in columns)
    more = _needs_and_note(columns, y, domain)
    moves = slopes if binned else None
    return Statistic(_names(columns, where), (whole,), fitted, derivative=derivative, slopes=moves, **more)


def _needs_and_note(columns: Sequence[Feature], y: Feature, domain: Domain) -> dict[str, Any]:
    """What is to know of a regression: the groups that it needs, and its binned numbers and missing values."""
    groups = tuple(column for column in columns if set(np.unique(column.table)) <= {0.0, 1.0})
    numbers = {a for each in (*columns, y) if each.name in domain.names for a in each.S}
    others = {a for each in (*columns, y) for a in each.S} - numbers
    return {"needs": (groups,) * len(columns), "note": note(domain, sorted(numbers), sorted(others), groups=True)}


def _names(columns: Sequence[Feature], where: str | None) -> tuple[str, ...]:
    names = "(constant)", *(f"coefficient of {column.name}" for column in columns[1:])
    return tuple(among_those(name, where) for name in names)


def _maximum(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The β of the largest likelihood, (p,), by Newton's method; NaN where it does not arrive."""
    beta = np.zeros(X.shape[1])
    for _ in range(NEWTON_STEPS):
        mean = 1 / (1 + np.exp(-np.clip(X @ beta, -30, 30)))
        information = (X * (weights * mean * (1 - mean))[:, None]).T @ X
        step = _solve(information, X.T @ (weights * (y - mean)))
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

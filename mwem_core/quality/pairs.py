"""Each pair of columns of synthetic rows beside the original's: how far apart, and how related the two columns are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mwem_core.data.numbers import Rows
from mwem_core.domain.domain import Domain
from mwem_core.quality.columns import Distance

MAX_PAIRS = 190  # of 20 columns
MAX_PAIR_CELLS = 2**20


@dataclass(frozen=True)
class Pair:
    """A pair: its distance, and how related its columns are in the original and in the synthetic rows.

    Two columns of numbers have Pearson's correlation, -1 to 1 (`correlated`); others Cramér's V, 0 to 1, corrected for
    its bias (Bergsma 2013). Both are 0 for independent columns and for uniform ones. `related_error` is about what
    as many new records would differ by: one standard error of a correlation.
    """

    name: str
    distance: Distance
    correlated: bool
    related: float
    synthetic_related: float
    related_error: float

    @property
    def off(self) -> float:
        """The error of how related the columns are."""
        return abs(self.synthetic_related - self.related)


def pairs_of(domain: Domain) -> list[tuple[int, int]]:
    """All pairs with at most `MAX_PAIR_CELLS` cells, of as many of the first columns as have `MAX_PAIRS` pairs."""
    most = int((1 + np.sqrt(1 + 8 * MAX_PAIRS)) / 2)
    return [S for S in combinations(range(min(len(domain), most)), 2) if domain.cells(S) <= MAX_PAIR_CELLS]


def by_pair(original: Rows, synthetic: Rows, sets: Sequence[tuple[int, int]] | None = None) -> list[Pair]:
    """These pairs, or all of `pairs_of`. NOT PRIVATE."""
    domain, n = original.records.domain, original.records.total
    sets = pairs_of(domain) if sets is None else sets
    pairs = []
    tables = zip(sets, original.records.marginals(sets), synthetic.records.marginals(sets), strict=True)
    for S, p, q in tables:
        correlated = all(a in original.numbers for a in S)
        if correlated:
            related, in_synthetic = correlation(original, *S), correlation(synthetic, *S)
        else:
            related, in_synthetic = cramers_v(p), cramers_v(q)
        error = (1 - related**2) / np.sqrt(max(1, n))
        pairs.append(Pair(domain.label(S), Distance.of(p, q, n), correlated, related, in_synthetic, float(error)))
    return pairs


def correlation(rows: Rows, a: int, b: int) -> float:
    """Pearson's, of the rows that have both numbers; 0 where a column has one value."""
    x, y, weights = rows.numbers[a], rows.numbers[b], rows.weights
    known = np.isfinite(x) & np.isfinite(y)
    x, y, weights = x[known], y[known], weights[known]
    if not weights.sum():
        return 0.0
    x, y = x - weights @ x / weights.sum(), y - weights @ y / weights.sum()
    spread = np.sqrt((weights @ x**2) * (weights @ y**2))
    return float(weights @ (x * y) / spread) if spread else 0.0


def cramers_v(table: np.ndarray) -> float:
    """Cramér's V of a table of counts, corrected for its bias; 0 where a column has one value."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n, (rows, columns) = table.sum(), table.shape
    if min(rows, columns) < 2 or n < 2:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    excess = max(0.0, float(((table - expected) ** 2 / expected).sum() / n) - (rows - 1) * (columns - 1) / (n - 1))
    smaller = min(side - (side - 1) ** 2 / (n - 1) for side in (rows, columns)) - 1
    return float(np.sqrt(min(1.0, excess / smaller))) if smaller > 0 else 0.0

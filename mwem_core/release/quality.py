"""The quality report's numbers: synthetic rows beside the original, by column and by pair.

Beside the synthetic rows stand baselines: another sample, independent columns, and rows that know the schema alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mwem_core.domain import Attrs, Domain, Records
from mwem_core.encoding import rows_of_values
from mwem_core.intervals import Estimates, of_counts
from mwem_core.output import decode

RARE = 0.01  # a value is rare if fewer of the original's records have it
MAX_PAIRS = 190  # of 20 columns
MAX_PAIR_CELLS = 2**20
MAX_UNIFORM_ROWS = 100_000  # their own error of sampling is then far below that of most releases
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
QUANTILE_NAMES = ("1%", "5%", "25%", "median", "75%", "95%", "99%")
SEED = 0  # of the uniform rows, so that a report is the same each time


@dataclass(frozen=True)
class Numbers:
    """What the numbers of a column look like: `quantiles` are those of `QUANTILES`; NaN where no row has a number."""

    mean: float
    deviation: float
    quantiles: tuple[float, ...]


def summarise(rows: Records, name: str) -> Numbers:
    """The numbers of a column."""
    x, weights = rows.numbers[name], rows.times
    known = np.isfinite(x) & (weights > 0)
    x, weights = x[known], weights[known]
    if not len(x):
        return Numbers(np.nan, np.nan, (np.nan,) * len(QUANTILES))
    total = weights.sum()
    mean = float(weights @ x / total)
    return Numbers(mean, float(np.sqrt(weights @ (x - mean) ** 2 / total)), quantiles(x, weights, QUANTILES))


def quantiles(x: np.ndarray, weights: np.ndarray, shares: tuple[float, ...]) -> tuple[float, ...]:
    """The smallest x that the values of at least these shares of the weight do not exceed."""
    order = np.argsort(x, kind="stable")
    cumulative = np.cumsum(weights[order])
    places = np.searchsorted(cumulative, np.array(shares) * cumulative[-1] * (1 - 1e-12))
    return tuple(x[order][np.minimum(places, len(x) - 1)].tolist())


@dataclass(frozen=True)
class Distance:
    """Total variation between a marginal of the original and another source's, 0 to 1.

    `another_sample` is what as many new records from the original's own distribution would differ by, in the mean.
    """

    synthetic: float
    independent: float
    uniform: float
    another_sample: float

    @classmethod
    def of(cls, original: np.ndarray, synthetic: np.ndarray, n: float) -> Distance:
        """Of two marginals in records, (..., cells), the original's with n records. A pair has two axes."""
        p, q = original / original.sum(), synthetic / synthetic.sum()
        product = p.sum(axis=-1, keepdims=True) * p.sum(axis=0, keepdims=True) if p.ndim == 2 else p
        others = q, product, np.full(p.shape, 1 / p.size)
        synthetic_tv, independent, uniform = (float(np.abs(p - other).sum() / 2) for other in others)
        # A share of n draws from p is off by √(2p(1-p)/πn) in the mean, and never by more than 2p(1-p).
        sample = np.minimum(np.sqrt(2 * p * (1 - p) / (np.pi * n)), 2 * p * (1 - p)).sum() / 2
        return cls(synthetic_tv, independent, uniform, float(sample))


@dataclass(frozen=True)
class RareValues:
    """The values that under 1% of the original's records have: how many, and what became of them.

    `kept` of them have a synthetic row. `share` and `synthetic_share` are of all records. `invented` is the share of
    synthetic rows with values that no record of the original has.
    """

    values: int
    kept: int
    share: float
    synthetic_share: float
    invented: float


@dataclass(frozen=True)
class Column:
    """A column: its distance, its rare values, and for numbers the original's, the synthetic rows' and uniform ones.

    `mean_error` is the standard error of the mean of as many new records: the scale of an error of the mean.
    """

    name: str
    distance: Distance
    rare: RareValues
    numbers: tuple[Numbers, Numbers, Numbers] | None = None
    mean_error: float = 0.0


def by_column(original: Records, synthetic: Records, uniform: Records) -> list[Column]:
    """Every column, in the schema's order. NOT PRIVATE. Independent columns are the original's own: they do not err."""
    domain, n = original.domain, original.total
    sets = [(a,) for a in range(len(domain))]
    columns = []
    tables = zip(original.marginals(sets), synthetic.marginals(sets), strict=True)
    for a, (p, q) in enumerate(tables):
        name, numbers, error = domain.names[a], None, 0.0
        if name in original.numbers:
            numbers = summarise(original, name), summarise(synthetic, name), summarise(uniform, name)
            error = float(numbers[0].deviation / np.sqrt(max(1, n)))
        columns.append(Column(name, Distance.of(p, q, n), _rare(p, q), numbers, error))
    return columns


def _rare(original: np.ndarray, synthetic: np.ndarray) -> RareValues:
    p, q = original / original.sum(), synthetic / synthetic.sum()
    rare = (p > 0) & (p < RARE)
    return RareValues(
        values=int(rare.sum()),
        kept=int((q[rare] > 0).sum()),
        share=float(p[rare].sum()),
        synthetic_share=float(q[rare].sum()),
        invented=float(q[p == 0].sum()),
    )


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


def by_pair(original: Records, synthetic: Records, sets: Sequence[tuple[int, int]] | None = None) -> list[Pair]:
    """These pairs, or all of `pairs_of`. NOT PRIVATE."""
    domain, n = original.domain, original.total
    sets = pairs_of(domain) if sets is None else sets
    pairs = []
    tables = zip(sets, original.marginals(sets), synthetic.marginals(sets), strict=True)
    for S, p, q in tables:
        names = [domain.names[a] for a in S]
        correlated = all(name in original.numbers for name in names)
        if correlated:
            related, in_synthetic = correlation(original, *names), correlation(synthetic, *names)
        else:
            related, in_synthetic = cramers_v(p), cramers_v(q)
        error = (1 - related**2) / np.sqrt(max(1, n))
        pairs.append(Pair(domain.label(S), Distance.of(p, q, n), correlated, related, in_synthetic, float(error)))
    return pairs


def correlation(rows: Records, a: str, b: str) -> float:
    """Pearson's, of the rows that have both numbers; 0 where a column has one value."""
    x, y, weights = rows.numbers[a], rows.numbers[b], rows.times
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


def uniform(domain: Domain, rows: int, rng: np.random.Generator) -> Records:
    """Rows that know the schema alone: every cell of a column is as likely as any other."""
    codes = tuple(rng.integers(size, size=min(rows, MAX_UNIFORM_ROWS)) for size in domain.shape)
    records = Records(domain, codes)
    return rows_of_values(records, decode(records, rng))


@dataclass(frozen=True)
class Quality:
    """Synthetic rows beside the original: NOT PRIVATE. `records` of the original, `rows` of the synthetic table."""

    records: int
    rows: int
    columns: tuple[Column, ...]
    pairs: tuple[Pair, ...]
    all_pairs: int


def quality(original: Records, synthetic: Records) -> Quality:
    """Compare two tables under one schema."""
    domain = original.domain
    by_chance = uniform(domain, original.total, np.random.default_rng(SEED))
    return Quality(
        records=original.total,
        rows=synthetic.total,
        columns=tuple(by_column(original, synthetic, by_chance)),
        pairs=tuple(by_pair(original, synthetic)),
        all_pairs=len(domain) * (len(domain) - 1) // 2,
    )


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """A marginal as measured: its cells in records with an interval for each, (cells,) in any shape.

    An interval holds the true count with 95%, each by itself. `noise` is the total variation that noise alone makes
    between the measured and the true marginal, in the mean, about.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    noise: float

    def distance(self, shares: np.ndarray) -> float:
        """Total variation between what was measured and these shares; above 1 where noise makes counts negative."""
        return float(np.abs(self.value / self.value.sum() - shares).sum() / 2)

    def inside(self, shares: np.ndarray) -> float:
        """The share of cells whose number of records, by these shares, lies in its interval, to the nearest record."""
        counts = shares * max(float(self.value.sum()), 1.0)
        return float(((counts >= self.low - 0.5) & (counts <= self.high + 0.5)).mean())


def measured_table(known: Estimates, S: Attrs, unit: str) -> MeasuredTable | None:
    """The marginal over S, or None where it was not measured. `unit` is the budget's."""
    if not known.knows(S):
        return None
    value, variance = known.table(S)
    if value.sum() <= 0:
        return None
    low, high = of_counts(value.ravel(), variance**0.5, unit)
    noise = value.size * (variance * 2 / np.pi) ** 0.5 / value.sum() / 2
    return MeasuredTable(value, low.reshape(value.shape), high.reshape(value.shape), float(noise))

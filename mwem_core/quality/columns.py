"""Each column of synthetic rows beside the original's: shares, rare values, and the numbers' mean, spread and tails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mwem_core.data.numbers import Numbers, Rows, summarise

RARE = 0.01  # a value is rare if fewer of the original's records have it


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
        return cls(_tv(p, q), _tv(p, product), _tv(p, np.full(p.shape, 1 / p.size)), _of_another_sample(p, n))


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


def by_column(original: Rows, synthetic: Rows, uniform: Rows) -> list[Column]:
    """Every column, in the schema's order. NOT PRIVATE. Independent columns are the original's own: they do not err."""
    domain, n = original.records.domain, original.records.total
    sets = [(a,) for a in range(len(domain))]
    columns = []
    tables = zip(original.records.marginals(sets), synthetic.records.marginals(sets), strict=True)
    for a, (p, q) in enumerate(tables):
        numbers, error = None, 0.0
        if a in original.numbers:
            first = summarise(original, a)
            numbers = (first, summarise(synthetic, a, first), summarise(uniform, a, first))
            error = float(first.deviation / np.sqrt(max(1, n)))
        columns.append(Column(domain.names[a], Distance.of(p, q, n), _rare(p, q), numbers, error))
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


def _tv(p: np.ndarray, q: np.ndarray) -> float:
    return float(np.abs(p - q).sum() / 2)


def _of_another_sample(p: np.ndarray, n: float) -> float:
    """The mean total variation of n draws from p: a share is off by √(2p(1-p)/πn), and never by more than 2p(1-p)."""
    return float(np.minimum(np.sqrt(2 * p * (1 - p) / (np.pi * n)), 2 * p * (1 - p)).sum() / 2)

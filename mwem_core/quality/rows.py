"""Two tables that know less than the original: independent columns, and uniform."""

from __future__ import annotations

import numpy as np

from mwem_core.data.numbers import Rows, rows_of_values
from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from mwem_core.release.synthesis import decode

MAX_BASELINE_ROWS = 100_000  # their own error of sampling is then far below that of most releases


def independent(rows: Rows, rng: np.random.Generator) -> Rows:
    """The table's own columns, each drawn by itself: every column is as in the table, and no two are related."""
    weights = rows.weights
    times = np.repeat(np.arange(len(weights)), weights.astype(int)) if rows.records.total <= MAX_BASELINE_ROWS else None

    def drawn() -> np.ndarray:
        if times is not None:
            return rng.permutation(times)
        return rng.choice(len(weights), MAX_BASELINE_ROWS, p=weights / weights.sum())

    chosen = [drawn() for _ in rows.records.codes]
    codes = tuple(column[i] for column, i in zip(rows.records.codes, chosen, strict=True))
    return Rows(Records(rows.records.domain, codes), {a: x[chosen[a]] for a, x in rows.numbers.items()})


def uniform(domain: Domain, rows: int, rng: np.random.Generator) -> Rows:
    """Rows that know the schema alone: every cell of a column is as likely as any other."""
    codes = tuple(rng.integers(size, size=min(rows, MAX_BASELINE_ROWS)) for size in domain.shape)
    records = Records(domain, codes)
    return rows_of_values(records, decode(records, rng))

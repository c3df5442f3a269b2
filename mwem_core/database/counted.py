"""Counting tables larger than memory where they lie: to distinct rows with weights, or marginal by marginal.

Nothing here draws noise, and the domain is public input, as everywhere; what is counted is the truth. Neighbours are
those of `mwem_core`: tables that differ by one record, one row or one unit of the column `count`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from mwem_core.data.records import MAX_CELLS, Records
from mwem_core.database.sql import grouped
from mwem_core.database.stored import Stored
from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Source

MOST_BYTES = 2**29  # of distinct rows held as records
LOOKED_AT = 10**6  # rows that tell whether distinct rows will fit
MOST_TOGETHER = 2**18  # cells of attribute sets counted as one
MOST_SETS, MOST_COUNTED = 32, 2**25  # such tables, and their cells, counted in one pass


def count(table: Stored, name: str) -> Records | Counted:
    """Distinct rows with weights, where they fit in memory; else marginals on demand. Either serves a run alike.

    Raises ValueError, one sentence, where values lie outside the schema, or there is no row.
    """
    width = sum(np.min_scalar_type(size - 1).itemsize for size in table.domain.shape) + 8
    most = max(1, MOST_BYTES // width)
    records = _distinct(table, most) if _repeats(table, most) else None
    counted = records or Counted(table)
    if not counted.total:
        raise ValueError(f"{name} has no rows; it needs at least one")
    return counted


@dataclass(frozen=True, eq=False)
class Counted(Source):
    """The private data B where its rows hardly repeat: marginals are counted by the database, some passes for many.

    Raises ValueError for values outside the schema. What was asked last is kept.
    """

    table: Stored
    total: int = field(init=False)
    _kept: dict[tuple[tuple[int, ...], ...], list[np.ndarray]] = field(init=False, default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        counts = self._tables({(index,) for index in range(len(self.domain))})
        object.__setattr__(self, "total", int(counts[0,].sum()))

    @property
    def domain(self) -> Domain:
        """The public schema."""
        return self.table.domain

    def marginals(self, sets: Iterable[Sequence[int]]) -> list[np.ndarray]:
        """The marginal over each attribute set, not to be written to."""
        asked = tuple(tuple(attrs) for attrs in sets)
        if asked not in self._kept:
            counted = self._count(asked)
            self._kept.clear()
            self._kept[asked] = counted
        return self._kept[asked]

    def _count(self, sets: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
        for attrs in sets:
            if self.domain.cells(attrs) > MAX_CELLS:
                cells = f"{self.domain.cells(attrs):,}"
                raise ValueError(f"the marginal {self.domain.label(attrs)} has {cells} cells, more than {MAX_CELLS:,}")
        tables = self._tables({tuple(sorted(attrs)) for attrs in sets} - {()}) | {(): np.array(float(self.total))}
        marginals = [_in_order(tables[tuple(sorted(attrs))], attrs) for attrs in sets]
        for marginal in marginals:
            marginal.flags.writeable = False
        return marginals

    def _tables(self, sets: set[tuple[int, ...]]) -> dict[tuple[int, ...], np.ndarray]:
        """The marginal over each of these sorted sets."""
        sizes, found = self.domain.sizes, {}
        for together in _passes(self.domain, sets):
            unions = list(together)
            counts = [np.zeros(self.domain.cells(union)) for union in unions]
            for which, codes, rows in self.table.rows(unions):
                np.add.at(counts[which], np.ravel_multi_index(codes, sizes(unions[which])), rows)
            for union, flat in zip(unions, counts, strict=True):
                for attrs in together[union]:
                    gone = tuple(place for place, index in enumerate(union) if index not in attrs)
                    found[attrs] = flat.reshape(sizes(union)).sum(axis=gone)
        return found


def _in_order(counts: np.ndarray, attrs: tuple[int, ...]) -> np.ndarray:
    """The marginal of the sorted set, with its axes as asked."""
    return counts.transpose([sorted(attrs).index(index) for index in attrs]).view()


def _passes(domain: Domain, sets: set[tuple[int, ...]]) -> Iterator[dict[tuple[int, ...], list[tuple[int, ...]]]]:
    """Sets put together into unions of few cells, as many unions as one pass over the table should count."""
    unions: list[tuple[set[int], list[tuple[int, ...]]]] = []
    for attrs in sorted(sets, key=lambda S: (-len(S), S)):
        fits = (u for u in unions if set(attrs) <= u[0] or domain.cells(u[0] | set(attrs)) <= MOST_TOGETHER)
        union = next(fits, None)
        if union is None:
            unions.append(union := (set(), []))
        union[0].update(attrs)
        union[1].append(attrs)
    one: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    cells = 0
    for union, members in unions:
        cells += domain.cells(union)
        if one and (len(one) == MOST_SETS or cells > MOST_COUNTED):
            yield one
            one, cells = {}, domain.cells(union)
        one[tuple(sorted(union))] = members
    if one:
        yield one


def _repeats(table: Stored, most: int) -> bool:
    """Whether `most` distinct rows look like enough: the domain is small, or enough of the first million rows repeat.

    Of D equally frequent rows, s draws show D·(1 - exp(-s/D)) different ones; of unequal ones, fewer.
    """
    if table.domain.size <= most:
        return True
    everything = range(len(table.columns))
    few = grouped(table.columns, [everything], source=f"(SELECT * FROM source LIMIT {LOOKED_AT})")
    counted = f"SELECT count(*) AS distinct_rows, CAST(sum(n) AS BIGINT) AS s FROM ({few}) AS looked_at"
    (batch,) = table.ask(counted, {"distinct_rows": pa.int64(), "s": pa.int64()})
    distinct, s = batch[0][0].as_py(), batch[1][0].as_py() or 0
    return distinct <= (most if s < LOOKED_AT else -most * math.expm1(-s / most))


def _distinct(table: Stored, most: int) -> Records | None:
    """The distinct rows as records, or None where there are more than `most`."""
    found: list[tuple[np.ndarray, ...]] = []
    held = 0
    for _, codes, weights in table.rows([range(len(table.domain))]):
        kept = weights > 0  # a cell of a contingency table nobody falls into
        found.append(tuple(column[kept] for column in (*codes, weights)))
        held += len(found[-1][-1])
        if held > most:
            return None
    *codes, weights = (
        (np.concatenate(parts) for parts in zip(*found, strict=True))
        if found
        else [np.zeros(0, int)] * (len(table.domain) + 1)
    )
    return Records(table.domain, tuple(codes), weights)

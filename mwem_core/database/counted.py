"""Counting tables larger than memory in their database: to distinct rows with weights, or one marginal at a time.

No noise is drawn here: the counts are the truth, and the domain is public input. Neighbours are those of `mwem_core`:
tables that differ in one record, which is one row, or one unit of its column of counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from mwem_core.database.sql import group_query
from mwem_core.database.sql_table import SQLTable
from mwem_core.domain import Attrs, Domain, Records, Source

MAX_DISTINCT_BYTES = 2**29  # of distinct rows held in memory as records
SAMPLED_ROWS = 10**6  # the first rows, from which the number of distinct rows is estimated
MAX_UNION_CELLS = 2**18  # of a union of attribute sets that are counted as one set
MAX_PASS_SETS, MAX_PASS_CELLS = 32, 2**25  # sets, and their cells in all, counted in one pass over the table


def counted(table: SQLTable, name: str) -> Records | Counted:
    """The table as records, its distinct rows with weights, if they fit in memory; else with marginals on demand.

    Both give the same counts. Raises ValueError if values lie outside the schema, or if the table has no records; the
    message calls the table `name`.
    """
    row_bytes = sum(np.min_scalar_type(size - 1).itemsize for size in table.domain.shape) + 8
    max_rows = max(1, MAX_DISTINCT_BYTES // row_bytes)
    records = _distinct_rows(table, max_rows) if _fits(table, max_rows) else None
    if records is None and table.domain.never:
        raise ValueError(
            f"{name} has too many distinct rows for memory, and the schema's rules are kept for records in memory only:"
            " leave [rules] out, or take fewer attributes"
        )
    found = records or Counted(table)
    if not found.total:
        raise ValueError(f"{name} has no records; it needs at least one")
    return found


@dataclass(frozen=True, eq=False)
class Counted(Source):
    """The private data B with too many distinct rows for memory: its database counts each marginal on demand.

    A pass over the table counts many marginals. The marginals of the last call are kept. Raises ValueError if values
    lie outside the schema.
    """

    table: SQLTable
    total: int = field(init=False)
    _last: dict[tuple[Attrs, ...], list[np.ndarray]] = field(init=False, default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        marginals = self._count({(index,) for index in range(len(self.domain))})
        object.__setattr__(self, "total", int(marginals[0,].sum()))

    @property
    def domain(self) -> Domain:
        """The public schema."""
        return self.table.domain

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal over each attribute set, in records; the arrays are read-only.

        Raises ValueError if a marginal has more than `MAX_COUNTED_MARGINAL_CELLS` cells.
        """
        key = tuple(tuple(attrs) for attrs in sets)
        if key not in self._last:
            marginals = self._marginals(key)
            self._last.clear()
            self._last[key] = marginals
        return self._last[key]

    def _marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        self.domain.check_marginals(sets)
        by_set = self._count({tuple(sorted(attrs)) for attrs in sets} - {()}) | {(): np.array(float(self.total))}
        marginals = [_reordered(by_set[tuple(sorted(attrs))], attrs) for attrs in sets]
        for marginal in marginals:
            marginal.flags.writeable = False
        return marginals

    def _count(self, sets: set[Attrs]) -> dict[Attrs, np.ndarray]:
        """The marginal over each of these sorted sets."""
        sizes, marginals = self.domain.sizes, {}
        for members in _passes(self.domain, sets):
            unions = list(members)
            counts = [np.zeros(self.domain.cells(union)) for union in unions]
            for position, codes, records in self.table.groups(unions):
                np.add.at(counts[position], np.ravel_multi_index(codes, sizes(unions[position])), records)
            for union, flat in zip(unions, counts, strict=True):
                for attrs in members[union]:
                    summed_out = tuple(axis for axis, index in enumerate(union) if index not in attrs)
                    marginals[attrs] = flat.reshape(sizes(union)).sum(axis=summed_out)
        return marginals


def _reordered(marginal: np.ndarray, attrs: Attrs) -> np.ndarray:
    """A view of the sorted set's marginal, with its axes in the order of `attrs`."""
    return marginal.transpose([sorted(attrs).index(index) for index in attrs]).view()


def _passes(domain: Domain, sets: set[Attrs]) -> Iterator[dict[Attrs, list[Attrs]]]:
    """For each pass over the table, the unions it counts, and the sets that each union covers.

    Sets are merged into a union, greedily, while it has few cells.
    """
    unions: list[tuple[set[int], list[Attrs]]] = []
    for attrs in sorted(sets, key=lambda S: (-len(S), S)):
        fits = (u for u in unions if set(attrs) <= u[0] or domain.cells(u[0] | set(attrs)) <= MAX_UNION_CELLS)
        union = next(fits, None)
        if union is None:
            unions.append(union := (set(), []))
        union[0].update(attrs)
        union[1].append(attrs)
    in_pass: dict[Attrs, list[Attrs]] = {}
    cells = 0
    for union, members in unions:
        cells += domain.cells(union)
        if in_pass and (len(in_pass) == MAX_PASS_SETS or cells > MAX_PASS_CELLS):
            yield in_pass
            in_pass, cells = {}, domain.cells(union)
        in_pass[tuple(sorted(union))] = members
    if in_pass:
        yield in_pass


def _fits(table: SQLTable, max_rows: int) -> bool:
    """Estimate whether the table has at most `max_rows` distinct rows: its domain is small, or its first rows repeat.

    Of D equally frequent rows, s draws show D·(1 - exp(-s/D)) different ones; of unequally frequent rows, fewer.
    """
    if table.domain.size <= max_rows:
        return True
    whole_rows = range(len(table.columns))
    groups = group_query(table.columns, [whole_rows], source=f"(SELECT * FROM source LIMIT {SAMPLED_ROWS})")
    sizes = f"SELECT count(*) AS distinct_rows, CAST(sum(n) AS BIGINT) AS s FROM ({groups}) AS row_groups"
    (batch,) = table.query(sizes, {"distinct_rows": pa.int64(), "s": pa.int64()})
    distinct, s = batch[0][0].as_py(), batch[1][0].as_py() or 0
    return distinct <= (max_rows if s < SAMPLED_ROWS else -max_rows * math.expm1(-s / max_rows))


def _distinct_rows(table: SQLTable, max_rows: int) -> Records | None:
    """The distinct rows as records, or None if there are more than `max_rows`."""
    batches: list[tuple[np.ndarray, ...]] = []
    rows = 0
    for _, codes, weights in table.groups([range(len(table.domain))]):
        nonzero = weights > 0  # a weight of 0 is an empty cell of a contingency table
        batches.append(tuple(column[nonzero] for column in (*codes, weights)))
        rows += len(batches[-1][-1])
        if rows > max_rows:
            return None
    *codes, weights = (
        (np.concatenate(column) for column in zip(*batches, strict=True))
        if batches
        else [np.zeros(0, int)] * (len(table.domain) + 1)
    )
    return Records(table.domain, tuple(codes), weights)

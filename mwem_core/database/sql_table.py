"""A table that SQL queries read, under a schema: its groups of rows as codes and weights, counted in its database.

A table larger than memory is counted to distinct rows with weights, or one marginal at a time. No noise is drawn here:
the counts are the truth, and the domain is public input. Neighbours are those of `mwem_core`: tables that differ in one
record, which is one row, or one unit of its column of counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from mwem_core.database.sql import Column, column_of, group_query
from mwem_core.domain import Attrs, Domain, Records, Source
from mwem_core.encoding import Count, bad_weights, check_columns, check_total, count_column, outside_schema, records_of
from mwem_core.forms import MAX_EXACT_FLOAT64
from mwem_core.tables import distinct_texts, text_column

IN_MEMORY = "bins are measured on a table that is read into memory: name a single file, or declare edges"
MAX_INVALID_TEXTS = 1000  # distinct invalid texts remembered per column, to choose examples from
# Runs a query, given the types of its result's columns, and yields the result in batches.
Query = Callable[[str, dict[str, pa.DataType]], Iterator[pa.RecordBatch]]
MAX_DISTINCT_BYTES = 2**29  # of distinct rows held in memory as records
SAMPLED_ROWS = 10**6  # the first rows, from which the number of distinct rows is estimated
MAX_UNION_CELLS = 2**18  # of a union of attribute sets that are counted as one set
MAX_PASS_SETS, MAX_PASS_CELLS = 32, 2**25  # sets, and their cells in all, counted in one pass over the table


@dataclass(frozen=True, eq=False, repr=False)
class SQLTable:
    """A table that is read by SQL queries, under a schema.

    `columns` are the attributes' in the domain's order, then the one with the number of records of each row if there
    is one, whose name is `count`. `query` runs a query on a table `source` with columns c0, c1, ... in this order.
    """

    domain: Domain
    columns: tuple[Column, ...]
    query: Query
    count: str | None = None

    def groups(self, sets: Sequence[Sequence[int]]) -> Iterator[tuple[int, tuple[np.ndarray, ...], np.ndarray]]:
        """Batches of (position of the attribute set, codes of its attributes, records in each group).

        The groups of a set may repeat a combination of codes. After the last batch, raises ValueError if values lie
        outside the schema or weights are not whole numbers from 0 up.
        """
        weights = [] if self.count is None else [len(self.domain)]
        grouping_sets = [(*S, *weights) for S in sets]
        used = sorted({index for S in grouping_sets for index in S})
        types = {f"c{index}": self.columns[index].type for index in used}
        if len(sets) > 1:
            types |= {f"g{index}": pa.int64() for index in used}
        encoder = _Encoder(self.domain, self.count)
        for batch in self.query(group_query(self.columns, grouping_sets), types | {"n": pa.int64()}):
            for position, part in _by_grouping_set(batch, grouping_sets, used):
                rows = part["n"].to_numpy()
                codes = tuple(encoder.codes(part[f"c{index}"], index, rows) for index in sets[position])
                yield position, codes, encoder.weights(part[f"c{weights[0]}"], rows) if weights else rows
        encoder.check(len(sets))


def sql_table(
    columns: Sequence[tuple[str, pa.DataType]], domain: Domain, query_on: Callable[[list[int]], Query], count: Count
) -> SQLTable:
    """The table with these named columns, under a schema; `count` is that of `encode`.

    `query_on(positions)` gives a query function whose c0, c1, ... are the columns at these positions. Raises
    ValueError, as `encode` does, if an attribute has no column or its column holds lists or structs, and for a schema
    that leaves bins to be measured.
    """
    names = [name for name, _ in columns]
    check_columns(names, domain)
    if domain.unbinned:
        raise ValueError(IN_MEMORY)
    count = count_column(names, domain.names, count)
    used = [*domain.names, *([] if count is None else [count])]
    positions = [names.index(name) for name in used]
    types = [columns[position][1] for position in positions]
    for name, type in zip(used, types, strict=True):
        distinct_texts(text_column(pa.chunked_array([pa.nulls(1, type)])), name)  # refuses lists and structs
    keys = [column_of(f"c{i}", type, a) for i, (type, a) in enumerate(zip(types, domain.attributes, strict=False))]
    weights = [Column(type, f"c{len(domain)}") for type in types[len(domain) :]]
    return SQLTable(domain, (*keys, *weights), query_on(positions), count)


def _by_grouping_set(
    batch: pa.RecordBatch, grouping_sets: Sequence[tuple[int, ...]], used: Sequence[int]
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Split a batch into (position of the grouping set, its rows)."""
    if len(grouping_sets) == 1:
        yield 0, batch
        return
    absent = np.stack([batch[f"g{index}"].to_numpy() for index in used]) > 0
    for position, S in enumerate(grouping_sets):
        rows = (absent == np.array([[index not in S] for index in used])).all(axis=0)
        if rows.any():
            yield position, batch.filter(pa.array(rows))


class _Encoder:
    """Encodes the columns of one query's result, and collects the values that the schema does not allow."""

    def __init__(self, domain: Domain, count: str | None):
        self.domain, self.count = domain, count
        self.outside = [_Invalid() for _ in domain.attributes]
        self.bad_weights = _Invalid()
        self.total = 0

    def codes(self, column: pa.Array, index: int, rows: np.ndarray) -> np.ndarray:
        """Codes of attribute `index`, (m,); `rows` is the number of rows of each group."""
        attribute = self.domain.attributes[index]
        texts, text_of = distinct_texts(text_column(pa.chunked_array([column])), attribute.name)
        codes = attribute.encode(texts)
        self.outside[index].add(texts, text_of, codes < 0, rows)
        return np.maximum(codes, 0).astype(np.min_scalar_type(attribute.size - 1))[text_of]

    def weights(self, column: pa.Array, rows: np.ndarray) -> np.ndarray:
        """Records in each group, (m,): its weight times its rows."""
        texts, text_of = distinct_texts(text_column(pa.chunked_array([column])), self.count or "")
        read = [records_of(text) for text in texts]
        self.bad_weights.add(texts, text_of, np.array([weight is None for weight in read], dtype=bool), rows)
        weights = [weight or 0 for weight in read]
        rows_of_text = np.zeros(len(texts), dtype=np.int64)
        np.add.at(rows_of_text, text_of, rows)
        total = sum(weight * int(n) for weight, n in zip(weights, rows_of_text, strict=True))
        self.total += total
        # A larger total may overflow int64; `check` refuses it after the last batch.
        return np.array(weights, dtype=np.int64)[text_of] * rows if total <= MAX_EXACT_FLOAT64 else np.ones_like(rows)

    def check(self, sets: int) -> None:
        """Raise the errors of `encode`, with the most frequent invalid texts as examples."""
        for attribute, outside in zip(self.domain.attributes, self.outside, strict=True):
            if outside.rows:
                raise outside_schema(attribute, outside.rows, outside.most_frequent())
        if self.count is None:
            return
        if self.bad_weights.rows:
            raise bad_weights(self.count, self.bad_weights.most_frequent())
        check_total(self.count, self.total // sets)


class _Invalid:
    """Counts the rows with invalid texts in a column, and how often each of the first such texts occurs."""

    def __init__(self):
        self.rows = 0
        self.texts: Counter[str] = Counter()

    def add(self, texts: list[str], text_of: np.ndarray, invalid: np.ndarray, rows: np.ndarray) -> None:
        if not invalid.any():
            return
        rows_of_text = np.bincount(text_of, rows, minlength=len(texts)).astype(np.int64)
        for i in np.flatnonzero(invalid & (rows_of_text > 0)).tolist():
            self.rows += int(rows_of_text[i])
            if texts[i] in self.texts or len(self.texts) < MAX_INVALID_TEXTS:
                self.texts[texts[i]] += int(rows_of_text[i])

    def most_frequent(self) -> list[str]:
        return sorted(self.texts, key=lambda text: (-self.texts[text], text))[:3]


def count_sql_table(table: SQLTable, name: str) -> Records | DatabaseTable:
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
    found = records or DatabaseTable(table)
    if not found.total:
        raise ValueError(f"{name} has no records; it needs at least one")
    return found


@dataclass(frozen=True, eq=False)
class DatabaseTable(Source):
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

"""A table larger than memory, encoded part by part: its distinct rows with weights, or all rows as codes on disk.

No noise is drawn here: the counts are the truth, and the domain is public input. Neighbours are those of `mwem_core`:
tables that differ in one record, which is one row, or one unit of its column of counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from weakref import finalize

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mwem_core.domain import Attrs, Domain, Records, Source, count as count_rows, distinct
from mwem_core.encoding import Count, Encoder, check_columns, count_column
from mwem_core.forms import MAX_EXACT_FLOAT64
from mwem_core.tables import distinct_texts, text_column

IN_MEMORY = "bins are measured on a table that is read into memory: name a single file, or declare edges"
PART_ROWS = 2**19
MAX_KNOWN_VALUES = 2**21  # of a column, whose codes are kept from part to part
LOOKUP_TYPES = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}  # not views
MAX_DISTINCT_BYTES = 2**27  # of distinct rows held in memory as records


@dataclass(frozen=True, eq=False)
class RecordsOnDisk(Source):
    """The private data B with too many distinct rows for memory: its `rows` are in a temporary file."""

    domain: Domain
    total: int
    rows: StoredRows = field(repr=False)

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The marginal over each attribute set, in records, counted in one pass over the file.

        Raises ValueError if a marginal has more than `MAX_COUNTED_MARGINAL_CELLS` cells.
        """
        self.domain.check_marginals(sets)
        marginals = [np.zeros(self.domain.sizes(S)) for S in sets]
        for *codes, weights in self.rows.parts():
            counted = count_rows(codes, self.domain.shape, sets, None if (weights == 1).all() else weights)
            for marginal, part in zip(marginals, counted, strict=True):
                marginal += part
        return marginals


def count_parts(
    name: str,
    columns: Sequence[tuple[str, pa.DataType]],
    domain: Domain,
    count: Count,
    read: Callable[[list[int]], Iterable[pa.RecordBatch]],
) -> Records | RecordsOnDisk:
    """The records of a table with these named columns, under a schema; `count` is that of `encode`.

    `read(positions)` gives the columns at these positions, and may add the number of rows that each row stands for.
    Raises ValueError as `encode` does, for a schema that leaves bins to be measured, and for a table without records or
    with too many different ones for rules; the message calls the table `name`.
    """
    names = [own for own, _ in columns]
    check_columns(names, domain)
    if domain.unbinned:
        raise ValueError(IN_MEMORY)
    encoder = Encoder(domain, count_column(names, domain.names, count))
    positions = [names.index(own) for own in encoder.names]
    for own, position in zip(encoder.names, positions, strict=True):
        distinct_texts(text_column(pa.chunked_array([pa.nulls(1, columns[position][1])])), own)  # refuses lists
    known = [_KnownValues(encoder, i) for i in range(len(positions))]
    rows, total = StoredRows(domain), 0
    for part in _parts(read(positions)):
        times = part.column(len(known)).to_numpy() if part.num_columns > len(known) else np.ones(len(part), np.int64)
        codes = [own.codes(part.column(i), times) for i, own in enumerate(known)]
        if encoder.count is None:
            weights, records = times, int(times.sum())
        else:
            each = codes.pop()
            weights, records = each * times, sum(map(int.__mul__, each.tolist(), times.tolist()))
        total += records
        if total > MAX_EXACT_FLOAT64:
            break
        rows.add(codes, weights)
    encoder.check(total)
    if not total:
        raise ValueError(f"{name} has no records; it needs at least one")
    return rows.records(name, total)


def _parts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The batches in parts of about `PART_ROWS` rows."""
    part, rows = list[pa.RecordBatch](), 0
    for batch in batches:
        part.append(batch)
        rows += len(batch)
        if rows >= PART_ROWS:
            yield pa.Table.from_batches(part)
            part, rows = [], 0
    if rows:
        yield pa.Table.from_batches(part)


class _KnownValues:
    """The values of a column that have codes, so that a value is read once, however many parts have it."""

    def __init__(self, encoder: Encoder, i: int):
        self._encoder, self._i = encoder, i
        self._values: pa.Array | None = None
        self._codes = np.zeros(0, np.int64)

    def codes(self, column: pa.ChunkedArray, times: np.ndarray) -> np.ndarray:
        """The code of each row, (m,), which stands for `times` rows, (m,)."""
        cells = pa.concat_arrays(column.chunks)
        if pa.types.is_dictionary(cells.type):
            cells = cells.cast(cells.type.value_type)
        cells = cells.cast(LOOKUP_TYPES.get(cells.type, cells.type))
        known = cells.slice(0, 0) if self._values is None else self._values
        place = pc.call_function("index_in", [cells], pc.SetLookupOptions(known)).fill_null(-1).to_numpy()
        codes = np.append(self._codes, -1)[place]
        if len(new := np.flatnonzero(place < 0)):
            cells = cells.take(pa.array(new)).dictionary_encode(null_encoding="encode")
            value_of = cells.indices.to_numpy()
            texts, text_of = distinct_texts(text_column(pa.chunked_array([cells.dictionary])), "")
            rows = np.bincount(text_of[value_of], times[new], len(texts))
            codes_of_values = self._encoder.codes(self._i, texts, rows)[text_of]
            codes[new] = codes_of_values[value_of]
            kept = np.flatnonzero(codes_of_values >= 0)[: max(0, MAX_KNOWN_VALUES - len(known))]
            self._values = pa.concat_arrays([known, cells.dictionary.take(pa.array(kept))])
            self._codes = np.append(self._codes, codes_of_values[kept])
        return codes


class StoredRows:
    """Collects rows: the distinct ones in memory, while these are few, and all in a temporary file."""

    def __init__(self, domain: Domain):
        codes = [(str(a), np.min_scalar_type(size - 1)) for a, size in enumerate(domain.shape)]
        self._domain, self._type = domain, np.dtype([*codes, ("weight", np.int64)])
        self._file = TemporaryFile()  # noqa: SIM115 - it stays open as long as the rows
        finalize(self, self._file.close)
        self._most = max(1, MAX_DISTINCT_BYTES // self._type.itemsize)
        self._merged: np.ndarray | None = np.zeros(0, self._type)
        self._parts = list[np.ndarray]()

    def add(self, codes: Sequence[np.ndarray], weights: np.ndarray) -> None:
        """Add rows of codes, (m,) for each attribute; those below 0 are none, and are refused in the end."""
        part = self._distinct([np.maximum(column, 0) for column in codes], weights)
        if self._domain.size > self._most:  # otherwise memory surely holds the distinct rows
            self._file.write(part.tobytes())
        if self._merged is not None:
            self._parts.append(part)
            if sum(map(len, self._parts)) > max(len(self._merged) // 2, PART_ROWS):
                self._merge()

    def _merge(self) -> None:
        if self._merged is not None:
            *codes, weights = _columns(np.concatenate([self._merged, *self._parts]))
            merged = self._distinct(codes, weights)
            self._merged, self._parts = merged if len(merged) <= self._most else None, []

    def _distinct(self, codes: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
        """The distinct rows with their weights, without those of weight 0, which are empty cells of a table."""
        alike = (weights == 1).all()
        different, times = distinct(codes, self._domain.shape, None if alike else weights.astype(float))
        rows = np.empty(len(times), self._type)
        for name, column in zip(self._type.names or (), (*different, times), strict=True):
            rows[name] = column
        return rows[times > 0]

    def records(self, name: str, total: int) -> Records | RecordsOnDisk:
        """The rows that were added. Raises ValueError for rules where they do not fit in memory."""
        self._merge()
        if self._merged is not None:
            *codes, weights = _columns(self._merged)
            return Records(self._domain, tuple(codes), weights)
        if self._domain.never:
            raise ValueError(
                f"{name} has too many distinct rows for memory, and the schema's rules are kept for records in memory"
                " only: leave [rules] out, or take fewer attributes"
            )
        return RecordsOnDisk(self._domain, total, self)

    def parts(self) -> Iterator[list[np.ndarray]]:
        """The codes and weights of all rows, part by part."""
        self._file.seek(0)
        while data := self._file.read(PART_ROWS * self._type.itemsize):
            yield _columns(np.frombuffer(data, self._type))


def _columns(rows: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()]

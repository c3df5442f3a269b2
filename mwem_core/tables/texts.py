"""Columns of text: Arrow's columns of any type as dictionaries of distinct texts.

The texts have no surrounding blanks. Whole numbers become "39", also if stored as floats; booleans "1" and "0", which
`bits = true` reads; nulls "", like an empty cell; NaN and infinities "nan", "inf" and "-inf"; moments of a zone local
times with their offset, "2021-03-01 08:00:00+0100". A column of lists or structs is not converted, and a schema cannot
name it.

A keyed digest of a table's content is how a ledger recognises the table.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from hashlib import blake2b

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mwem_core.tables.table_reading import TableProblem

TEXT_TYPE = pa.dictionary(pa.int32(), pa.string())
MAX_VALUES = 10**7  # that Python reads one by one: in ten to twenty seconds
MAX_TEXT = 10**6  # bytes of a text
NESTED_TYPE = pa.list_(pa.string())  # of a column with a list or an object
DIGEST_BYTES = 32
CHUNK_ROWS = 2**16


def text_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as a dictionary of distinct texts without surrounding blanks; a column of lists or structs unchanged."""
    try:
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        array = pa.chunked_array(encoded.unify_dictionaries().chunks, encoded.type).combine_chunks()
        texts, indices = array.dictionary, array.indices.cast(pa.int32())
        if pa.types.is_boolean(texts.type):
            texts = texts.cast(pa.int8())
        texts = pc.call_function("utf8_trim_whitespace", [_strings(texts)])
    except pa.ArrowException:
        return column
    if array.null_count or texts.null_count or len(texts.unique()) < len(texts):
        return pa.chunked_array([pc.fill_null(texts.take(indices), "").dictionary_encode()])
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, texts)])


def _strings(values: pa.Array) -> pa.Array:
    """Values as strings; a moment in a zone that this machine does not know is one in UTC, which it may not know."""
    try:
        return values.cast(pa.string())
    except pa.ArrowException:
        if not pa.types.is_timestamp(values.type):
            raise
        in_utc = values.cast(pa.timestamp(values.type.unit)).cast(pa.string())
        return pc.call_function("binary_join_element_wise", [in_utc, "Z", ""])


def distinct_texts(column: pa.ChunkedArray, name: str) -> tuple[list[str], np.ndarray]:
    """The distinct texts of a column, and for each row the index of its text, (m,).

    Raises TableProblem for a column of lists or structs.
    """
    if not pa.types.is_dictionary(column.type):
        rest = "not text or numbers; leave it out of the schema"
        raise TableProblem(
            f"column {name!r} holds {column.type}, {rest}", public=f"column {name!r} holds values that are {rest}"
        )
    array = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return array.dictionary.to_pylist(), np.from_dlpack(
        array.indices
    )  # `to_numpy` would import pandas, which takes 0.4 s


def check_texts(table: pa.Table, name: str) -> None:
    """Raise ValueError if a text is so long that it fills the memory where it is handled."""
    for column, texts in zip(table.column_names, table.columns, strict=True):
        if not pa.types.is_dictionary(texts.type):
            continue
        for chunk in texts.chunks:
            longest = pc.call_function("max", [pc.call_function("binary_length", [chunk.dictionary])]).as_py() or 0
            if longest > MAX_TEXT:
                raise ValueError(
                    f"{name} has a text of {longest:,} bytes in column {column[:40]!r}, over the limit of {MAX_TEXT:,};"
                    " drop the column, or shorten its texts"
                )


def text_of(value: object) -> str:
    """A value as text: a day as 2024-03-01, a time of a day after it, a duration as 27:03:00, True as 1, 39.0 as 39.

    None is an empty text.
    """
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value)
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


class TextColumn:
    """A column of texts that grows: its distinct texts, and for each row the index of its text."""

    def __init__(self):
        self._texts, self._indices, self._nested = {"": 0}, array("i"), False

    def add(self, text: str | None, *, row: int) -> None:
        """Set the text of a row, counted from 1; None is a list or an object. Rows without a text are empty."""
        self._fill(row - 1)
        self._nested |= text is None
        self._indices.append(self._texts.setdefault((text or "").strip(), len(self._texts)))

    def filled(self, rows: int) -> pa.Array:
        """The column with so many rows. Raises UnicodeEncodeError for a text that has half a character."""
        if self._nested:
            return pa.nulls(rows, NESTED_TYPE)
        self._fill(rows)
        indices = pa.array(np.frombuffer(self._indices, np.int32))
        return pa.DictionaryArray.from_arrays(indices, pa.array(list(self._texts), pa.string()))

    def _fill(self, rows: int) -> None:
        self._indices.extend([0] * (rows - len(self._indices)))


def fingerprint(table: pa.Table, key: bytes) -> str:
    """The digest of the rows of a table as `read_table` gives it.

    It depends on the columns and on how often each row occurs, not on the order of either, and not on the format of the
    file: it is BLAKE2b of the columns' names and of the sum, modulo 2^256, of one keyed BLAKE2b per row (a multiset
    hash: Clarke et al. 2003). Columns of lists, which no schema can name, are left out.

    The digest is computed from the private data without noise. Whoever has the key can test a guess of the whole table
    against it, so the key must stay with the data. Without the key it says nothing.
    """
    rows, keyed = 0, blake2b(key=key, digest_size=DIGEST_BYTES)
    names = sorted(name for name in table.column_names if pa.types.is_dictionary(table[name].type))
    for row in _rows(table, names):
        digest = keyed.copy()
        digest.update(row)
        rows += int.from_bytes(digest.digest())
    whole = blake2b(key=key, digest_size=DIGEST_BYTES)
    for part in (*map(str.encode, names), (rows % 2 ** (8 * DIGEST_BYTES)).to_bytes(DIGEST_BYTES)):
        whole.update(_framed(part))
    return whole.hexdigest()


def column_fingerprints(table: pa.Table, key: bytes) -> frozenset[str]:
    """A digest of each column by itself: of how often each text occurs in it, whatever its name and the order of rows.

    A table with a column more, less or renamed shares the others with the one before. It is the same multiset hash as
    that of the rows, and as private: whoever has the key can test a guess of a column.
    """
    return frozenset(
        _column(*distinct_texts(table[name], name), key)
        for name in table.column_names
        if pa.types.is_dictionary(table[name].type)
    )


def _column(texts: list[str], text_of: np.ndarray, key: bytes) -> str:
    cells, keyed = 0, blake2b(key=key, digest_size=DIGEST_BYTES, person=b"a cell")
    for text, times in zip(texts, np.bincount(text_of, minlength=len(texts)).tolist(), strict=True):
        digest = keyed.copy()
        digest.update(text.encode())
        cells += times * int.from_bytes(digest.digest())
    whole = (cells % 2 ** (8 * DIGEST_BYTES)).to_bytes(DIGEST_BYTES)
    return blake2b(whole, key=key, digest_size=DIGEST_BYTES, person=b"a column").hexdigest()


def _rows(table: pa.Table, names: list[str]) -> Iterator[bytes]:
    """Each row as the texts of its cells, each after its length, so that no two different rows give the same bytes."""
    columns = []
    for name in names:
        texts, text_of = distinct_texts(table[name], name)
        columns.append((pa.array([_framed(text.encode()) for text in texts], pa.binary()), pa.array(text_of)))
    for start in range(0, table.num_rows, CHUNK_ROWS):
        cells = [texts.take(text_of.slice(start, CHUNK_ROWS)) for texts, text_of in columns]
        yield from pc.call_function("binary_join_element_wise", [*cells, pa.scalar(b"", pa.binary())]).to_pylist()


def _framed(text: bytes) -> bytes:
    return b"%d:%s" % (len(text), text)

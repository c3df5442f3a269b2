"""A keyed digest of a table's content, by which a ledger recognises the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mwem_core.tables.texts import distinct_texts

DIGEST_BYTES = 32
CHUNK_ROWS = 2**16


def fingerprint(tables: Iterable[pa.Table], key: bytes) -> str:
    """The digest of the rows of all tables together, which are parts of one table as `read_table` gives it.

    It depends on the columns and on how often each row occurs, not on the order of either, and not on the format of the
    file: it is BLAKE2b of the columns' names and of the sum, modulo 2^256, of one keyed BLAKE2b per row (a multiset
    hash: Clarke et al. 2003). So parts may be any size. Columns of lists, which no schema can name, are left out.

    The digest is computed from the private data without noise. Whoever has the key can test a guess of the whole table
    against it, so the key must stay with the data. Without the key it says nothing.
    """
    rows, names = 0, []
    for table in tables:
        names = sorted(name for name in table.column_names if pa.types.is_dictionary(table[name].type))
        keyed = blake2b(key=key, digest_size=DIGEST_BYTES)
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

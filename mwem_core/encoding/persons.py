"""Records of persons: at most c of each person are kept, and the rest are dropped by a public rule, a keyed hash."""

from __future__ import annotations

import secrets
from hashlib import blake2b

import numpy as np

from mwem_core.base import hint
from mwem_core.domain import Domain, Records, number_rows
from mwem_core.encoding.counts import Count, Unsaid, count_column
from mwem_core.encoding.encode import encode
from mwem_core.privacy import Unit
from mwem_core.tables import TableLike, TableProblem, as_table, distinct_texts

NO_ONE = ("", "nan")  # texts that name no person: an empty cell, a null, and NaN
KEY_BYTES = 32
EXPLORING_KEY = b""  # of runs that a script repeats: which records are kept is then known to who knows the table


def encode_unit(
    data: TableLike, domain: Domain, unit: Unit, *, key: bytes | None = None, count: Count = Unsaid.REFUSED
) -> Records:
    """Encode a table as `encode` does, and keep at most `unit.records` records of each person.

    The column that names the person need not be in the schema. Without a `key`, of up to 64 bytes, one is taken from
    the operating system's entropy. Records that name no person are dropped: they might be a person's who has c others.
    Which records are dropped, and how many, is private.

    Let B and B' differ by one person, with all of their records. A record's hash reads the key, its person, its values,
    and which of the person's equal records it is. So it is the same in both tables, and so are the records kept of each
    other person. Hence the kept tables differ by at most c records, all of the one person. A record is in one cell of a
    marginal, so counts move by at most c in L1, and also in L2, where all c records are in one cell.

    Raises TableProblem as `encode` does, for an unknown column, and for a column of counts.
    """
    table = as_table(data)
    if not unit.column:
        return encode(table, domain, count=count)
    if unit.column not in table.column_names:
        absent = f"the table has no column {unit.column!r} that names the person of each record"
        raise TableProblem(absent + hint(unit.column, table.column_names), public=absent)
    if (name := count_column(table.column_names, [*domain.names, unit.column], count)) is not None:
        merged = f"column {name!r} is named as the number of records of each row, which merges those of several persons"
        remedy = f"{merged}: give each record its own row, or take the column as an attribute"
        raise TableProblem(remedy, public=remedy)
    records = encode(table, domain, count=None)
    names, person = distinct_texts(table[unit.column], unit.column)
    key = secrets.token_bytes(KEY_BYTES) if key is None else key
    kept = _kept(records, names, person, unit.records, key)
    return records.rows(kept)


def _kept(records: Records, names: list[str], person: np.ndarray, most: int, key: bytes) -> np.ndarray:
    """Which rows are kept, (m,) bool: of each person those with the smallest hashes; `names[person]` names the person.

    All of a person's records are equally likely to be kept, equal records too.
    """
    named = np.array([name not in NO_ONE for name in names], bool)[person]
    kept = named & (np.bincount(person, minlength=len(names)) <= most)[person]
    rows = np.flatnonzero(named & ~kept)  # of persons with too many records; the others need no hash
    person, codes = person[rows], [column[rows] for column in records.codes]
    equal = number_rows((person, *codes), (len(names), *records.domain.shape))
    hashes = _hashes([names[i].encode() for i in person.tolist()], np.column_stack([*codes, _place(equal)]), key)
    order = np.lexsort((*hashes.T, person))
    kept[rows[order[_place(person[order]) < most]]] = True
    return kept


def _place(groups: np.ndarray) -> np.ndarray:
    """How many earlier rows are of the same group, (m,)."""
    order = np.argsort(groups, kind="stable")
    in_order = groups[order]
    place = np.empty(len(groups), np.int64)
    place[order] = np.arange(len(groups)) - np.searchsorted(in_order, in_order)
    return place


def _hashes(persons: list[bytes], values: np.ndarray, key: bytes) -> np.ndarray:
    """128 bits of a keyed hash of each person and record, as two columns, (m, 2); the last value counts equal records.

    Where two differ, so do their texts: the values have a fixed length, and the person's name is what is left.
    """
    rows = values.astype("<i8")
    digests = (
        blake2b(row.tobytes() + name, key=key, digest_size=16).digest() for name, row in zip(persons, rows, strict=True)
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, 2)

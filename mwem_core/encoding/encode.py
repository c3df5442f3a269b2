"""Text columns as records under a schema; values outside it are refused.

Each error has a second message, for a release, that shows no value and no count (`TableProblem`). The header counts as
values there: where a file has none, its first record takes the place of it.

A column may say how many records each row stands for, as in a table of frequencies. It is never taken by its name: one
called `count` may as well be a person's own number. So the user names it, or says that there is none; then each row is
a record.

Of records of persons, at most c of each person are kept. A public rule, a keyed hash, drops the rest.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core.base import check_kind, hint
from mwem_core.domain import Attribute, Domain, PublicTable, Records, number_rows
from mwem_core.encoding.bin_numbers import attrs_in_bins
from mwem_core.encoding.cell_parts import NUMBERS, column_of, part_of
from mwem_core.forms import MAX_EXACT_FLOAT64, decimal_of, from_cell
from mwem_core.privacy import Unit
from mwem_core.tables import TableLike, TableProblem, as_table, distinct_texts, read_table
from mwem_core.values import BITS

WEIGHT_NAMES = ("weight", "weights", "wt")  # names that may be of such a column, and mostly are not
COUNT_NAMES = ("count", "counts", "freq", "freqs", "frequency", "frequencies", "n")  # the names that tables give it
COUNTS = "holds the number of records of each row"  # why a proposal leaves the column out
NONE = "none"  # on the command line: each row is a record
WHOLE = re.compile(r"0*(\d{1,100})(\.0*)?", re.ASCII)  # pandas writes whole numbers beside gaps as 3.0
NO_ONE = ("", "nan")  # texts that name no person: an empty cell, a null, and NaN
KEY_BYTES = 32
EXPLORING_KEY = b""  # of runs that a script repeats: which records are kept is then known to who knows the table


class CountPolicy(Enum):
    """What to do while the user has neither named a column of counts nor said that there is none."""

    REFUSED = "a column with a likely name that is no attribute is refused, until the user has said what it is"


Count = str | None | CountPolicy  # the name of the column; None where each row is a record


def count_column(columns: Sequence[str], attributes: Sequence[str], count: Count) -> str | None:
    """The column that holds the number of records of each row; None where each row is a record.

    Raises TableProblem for a name that the table does not have or that is an attribute too, and where it has to be said
    what a column is.
    """
    if isinstance(count, CountPolicy):
        if name := likely_count(columns, attributes):
            ask = f"the table has a column {name!r} that is no attribute: say whether it holds the number of records of"
            ask += f" each row (--count {name}; in Python count={name!r}) or not (--count {NONE}; in Python count=None)"
            raise TableProblem(ask, public=ask)
        return None
    if count is not None and count not in columns:
        absent = f"the table has no column {count!r} that holds the number of records of each row"
        raise TableProblem(absent + hint(count, columns), public=absent)
    if count is not None and count in attributes:
        both = f"column {count!r} is an attribute of the schema and cannot also be the number of records of each row"
        remedy = f"{both}: take it out of the schema, or do not name it as that number"
        raise TableProblem(remedy, public=remedy)
    return count


def likely_count(columns: Sequence[str], attributes: Sequence[str]) -> str | None:
    """The first column that is called like a number of records and is no attribute. Only names are read."""
    return next((name for name in columns if name.lower() in COUNT_NAMES and name not in attributes), None)


def records_of(text: str) -> int | None:
    """The number of records that a cell says: a whole number from 0 up, also as 3.0; None for any other text."""
    whole = WHOLE.fullmatch(text)
    return int(whole[1]) if whole else None


def count_of(count: str) -> str:
    """What a column of counts means for who reads the files, and for what is protected."""
    return (
        f"Each row of the table stands for as many records as its column {count!r} says. One record is protected, not"
        " one row."
    )


def encode(
    data: TableLike, domain: Domain, *, count: Count = CountPolicy.REFUSED, numbers: Collection[str] = ()
) -> Records:
    """Encode a table as records; columns that the schema does not name are ignored.

    It is one from `read_table`, or a DataFrame or Arrow table as `as_table` takes it. `count` names the column with the
    number of records of each row, as a table of frequencies has it; with None each row is a record. The records keep
    the file's numbers of the attributes that `numbers` names: they compare with `cells` of the value set, and are NaN
    where one is missing, or in the catch-all.

    Raises TableProblem for a missing column, for values outside the schema (with their number of rows, three examples
    and the values expected), and for a column of counts that holds anything but whole numbers.
    """
    table = as_table(data)
    check_columns(table.column_names, domain)
    count = count_column(table.column_names, domain.names, count)
    if domain.unbinned:
        return encode(table, domain.fine, count=count, numbers=numbers).to_bin(domain)
    decimal, codes, own = decimal_of(table), list[np.ndarray](), dict[str, np.ndarray]()
    for attribute in domain.attributes:
        column = column_of(attribute.name, table.column_names)
        texts, text_of = distinct_texts(table[column], column)
        if column != attribute.name:
            texts = [part_of(text, attribute.name) for text in texts]
        codes.append(_codes(attribute, texts, text_of, decimal))
        if attribute.name in numbers:
            kind = attribute.number_set
            assert kind is not None
            x = kind.parse(attribute.as_declared([from_cell(text) for text in texts], decimal))[text_of]
            own[attribute.name] = np.where(codes[-1] < attribute.value_set.size, x, np.nan)
    if count is None:
        return Records(domain, tuple(codes), numbers=own)
    weights = _weights(count, *distinct_texts(table[count], count))
    records = Records(domain, tuple(codes), weights, numbers=own)
    return records.rows(weights > 0)  # no empty cells of a table of frequencies


def _codes(attribute: Attribute, texts: Sequence[str], text_of: np.ndarray, decimal: str) -> np.ndarray:
    """The code of each row, (m,), in the smallest type; `text_of` is the index of its text among distinct ones, (m,).

    Raises TableProblem for texts outside the attribute's values.
    """
    codes = attribute.encode(attribute.as_declared(texts, decimal))
    rows = np.bincount(text_of, minlength=len(texts))
    if len(outside := np.flatnonzero((codes < 0) & (rows > 0))):
        number, expects = int(rows[outside].sum()), f"it expects {attribute.value_set.expects}"
        remedies = "correct them, or widen the schema, declare them missing, or set other = true"
        raise TableProblem(
            f"column {attribute.name!r} has {number:,} {'row' if number == 1 else 'rows'} outside the schema"
            f" (for example {_examples(texts, outside)}): {expects}; {remedies}",
            public=f"column {attribute.name!r} has values outside the schema: {expects}; {remedies}",
        )
    return codes.astype(np.min_scalar_type(attribute.size - 1))[text_of]


def _weights(name: str, texts: Sequence[str], text_of: np.ndarray) -> np.ndarray:
    """The number of records of each row, (m,) int64, by a column of counts."""
    found = [records_of(text) for text in texts]
    used = np.bincount(text_of, minlength=len(texts)) > 0
    if bad := [i for i in np.flatnonzero(used).tolist() if found[i] is None]:
        must = f"column {name!r} must hold whole numbers from 0 up"
        remedies = "correct them, or take the column as an attribute"
        raise TableProblem(f"{must}, got {_examples(texts, bad)}; {remedies}", public=f"{must}; {remedies}")
    weights = np.array([min(own or 0, MAX_EXACT_FLOAT64 + 1) for own in found], np.int64)[text_of]
    if sum(weights.tolist()) > MAX_EXACT_FLOAT64:
        many = f"column {name!r} adds up to too many records; it must be at most 2^53"
        raise TableProblem(many, public=many)
    return weights


def read_public_table(
    file: Path | str, domain: Domain, *, count: Count = CountPolicy.REFUSED, **reading: Any
) -> PublicTable:
    """Read a public table, as `read_table` does, and encode it as `encode` does with `count`, if it has that column.

    Raises ValueError where it does not fit the schema, or has no records.
    """
    path = Path(file)
    table = read_table(path, **reading)
    lacks_column = isinstance(count, str) and count not in table.column_names
    column = count_column(table.column_names, domain.names, None if lacks_column else count)
    records = encode(table, domain, count=column)
    if not records.total:
        raise ValueError(f"the public table {path.name} has no records: there is nothing to start from")
    return PublicTable(path.name, records, column, path.absolute())


def check_columns(columns: Sequence[str], domain: Domain) -> None:
    """Raise TableProblem for the first attribute that has no column."""
    check_kind(domain, Domain, "a table is read under a Domain, as Domain.from_toml makes it")
    for name, attribute in zip(domain.names, domain.attributes, strict=True):
        column, is_part = column_of(name, columns), attribute.value_set == BITS or name.endswith(NUMBERS)
        if column != name and not (column and is_part):
            absent = f"the table has no column {name!r}; add it, or take the attribute out of the schema"
            raise TableProblem(absent + hint(name, columns), public=absent)


def _examples(texts: Sequence[str], outside: Iterable[int]) -> str:
    """Three of the texts, by index."""
    return ", ".join(repr(texts[i]) if texts[i] else "'', an empty cell" for i in list(outside)[:3])


def encode_unit(
    data: TableLike, domain: Domain, unit: Unit, *, key: bytes | None = None, count: Count = CountPolicy.REFUSED
) -> Records:
    """Encode a table as `encode` does, with the numbers of bins, and keep at most `unit.records` of each person.

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
    numbers = [domain.names[a] for a in attrs_in_bins(domain)]
    if not unit.column:
        return encode(table, domain, count=count, numbers=numbers)
    if unit.column not in table.column_names:
        absent = f"the table has no column {unit.column!r} that names the person of each record"
        raise TableProblem(absent + hint(unit.column, table.column_names), public=absent)
    if (name := count_column(table.column_names, [*domain.names, unit.column], count)) is not None:
        merged = f"column {name!r} is named as the number of records of each row, which merges those of several persons"
        remedy = f"{merged}: give each record its own row, or take the column as an attribute"
        raise TableProblem(remedy, public=remedy)
    records = encode(table, domain, count=None, numbers=numbers)
    names, person = distinct_texts(table[unit.column], unit.column)
    key = secrets.token_bytes(KEY_BYTES) if key is None else key
    kept = _keep_rows(records, names, person, unit.records, key)
    return records.rows(kept)


def _keep_rows(records: Records, names: list[str], person: np.ndarray, most: int, key: bytes) -> np.ndarray:
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

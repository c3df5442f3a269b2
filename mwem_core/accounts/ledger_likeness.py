"""Whether a table that is new to a ledger looks like one that was released before, so that its people may be the same.

A changed cell, row or column gives a table another digest, and only its owner knows whether its people are others. So
the ledger compares what is left: the content of each column, what was declared, and the name. It does not decide: the
owner says which it is, before anything is spent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Table, insert, inspect, select
from sqlalchemy.engine import Connection

from mwem_core.accounts.ledger_store import COLUMNS, CONTENT, DATASET, DECLARATIONS, RELEASE


@dataclass(frozen=True)
class Signs:
    """By what a table is recognised whose digest is new.

    `columns` has a keyed digest of each column's content (`data.fingerprint`), and `declared` the names that the terms
    of the release declare: the attributes, and the column of the persons.
    """

    columns: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Likeness:
    """Which data set of the ledger a table looks like, and why."""

    dataset: str
    why: str

    def __str__(self) -> str:
        return f"the table looks like {self.dataset!r} in the ledger: {self.why}"


def likeness(connection: Connection, name: str, signs: Signs) -> Likeness | None:
    """The data set that a table under a new name looks like, if there is one.

    That is so where it has most columns, or declares most names, of an earlier release, or where the names of the two
    data sets differ in nothing but capitals, digits and marks. A ledger of an earlier version may know names alone.
    """
    for digests, dataset in _rows(connection, COLUMNS, CONTENT):
        if _are_most(digests, signs.columns):
            return Likeness(dataset, f"it has {_of(digests, signs.columns)} columns of a table that was released then")
    for names, dataset in _rows(connection, DECLARATIONS, RELEASE):
        if _are_most(names, signs.declared):
            return Likeness(dataset, f"it declares {_of(names, signs.declared)} columns that a release declared then")
    for dataset in connection.execute(select(DATASET.c.name).order_by(DATASET.c.id)).scalars():
        if _letters(name) == _letters(dataset) and _letters(name):
            return Likeness(dataset, "the names differ in capitals, digits or marks alone")
    return None


def enter_columns(connection: Connection, digest: str, columns: frozenset[str]) -> None:
    """Enter the columns of a content, unless the ledger has them or there are none."""
    if columns and connection.execute(select(COLUMNS.c.id).where(COLUMNS.c.content == digest)).first() is None:
        connection.execute(insert(COLUMNS).values(content=digest, signs=json.dumps(sorted(columns))))


def enter_declared(connection: Connection, release: int, names: Iterable[str]) -> None:
    """Enter what a release declared."""
    connection.execute(insert(DECLARATIONS).values(release=release, signs=json.dumps(sorted(names))))


def _rows(connection: Connection, signs: Table, of: Table) -> Iterable[tuple[set[str], str]]:
    """All signs of a kind, in order, each with the name of its data set."""
    if not inspect(connection).has_table(signs.name):  # of an earlier version, opened to read
        return
    query = select(signs.c.signs, DATASET.c.name).select_from(signs.join(of).join(DATASET)).order_by(signs.c.id)
    for text, dataset in connection.execute(query):
        yield set(json.loads(text)), dataset


def _are_most(earlier: set[str], now: Iterable[str]) -> bool:
    return 2 * len(earlier.intersection(now)) > len(earlier)


def _of(earlier: set[str], now: Iterable[str]) -> str:
    return f"{len(earlier.intersection(now))} of the {len(earlier)}"


def _letters(name: str) -> str:
    return "".join(filter(str.isalpha, name.casefold()))

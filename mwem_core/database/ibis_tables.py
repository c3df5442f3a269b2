"""Counting a table in its database: PostgreSQL, or another SQL database that Ibis supports.

The database groups equal rows, and returns the distinct ones with their numbers, from a single query.
The tests run PostgreSQL and DuckDB; no other database was tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow as pa

from mwem_core.base import hint
from mwem_core.database.table_parts import RecordsOnDisk, count_parts
from mwem_core.domain import Domain, Records
from mwem_core.encoding import Count, CountPolicy

if TYPE_CHECKING:
    import ibis.expr.types as ir

BATCH_ROWS = 10**5
SECRET = re.compile("pass|pwd|secret|token|key", re.IGNORECASE)


def count_table(table: ir.Table, domain: Domain, *, count: Count = CountPolicy.REFUSED) -> Records | RecordsOnDisk:
    """Count the records of an Ibis table expression, of any SQL backend, under a schema.

        table = ibis.postgres.connect(...).table("people")
        B = count_table(table.filter(table.year == 2020), domain)

    As in files, NULL is an empty cell, booleans are 1 and 0, and `count` is that of `encode`. Raises
    ValueError, with a message of one sentence: as `encode` does, or if a query of the database fails.
    """
    columns = [(name.strip(), type.to_pyarrow()) for name, type in table.schema().items()]
    name = f"the table {table.get_name()!r}" if hasattr(table.op(), "name") else "the table"

    def distinct_rows(positions: list[int]) -> Iterator[pa.RecordBatch]:
        rows = table.select(**{f"c{i}": table[position] for i, position in enumerate(positions)})
        try:
            yield from rows.group_by(rows.columns).agg(n=rows.count()).to_pyarrow_batches(chunk_size=BATCH_ROWS)
        except Exception as error:  # every driver has exceptions of its own
            raise ValueError(f"{name} cannot be counted: {_driver_message(error)}") from None

    return count_parts(name, columns, domain, count, distinct_rows)


@contextmanager
def open_table(url: str, name: str) -> Iterator[ir.Table]:
    """The table `name`, or schema.name, in the database at a URL such as postgres://user:password@host/base.

    The connection closes when the context ends. Raises ValueError, with a message that hides the password, if there is
    no such database or table.
    """
    if find_spec("ibis") is None:
        raise ValueError("tables in a database are counted through Ibis: pip install 'mwem-explorer[database]'")
    import ibis

    try:
        valid = "://" in url and urlsplit(url)
    except ValueError:
        valid = False
    if not valid:
        raise ValueError("the database must be a URL such as postgres://user:password@host/base")
    *schema, table = name.rsplit(".", 1)
    in_schema = {"database": schema[0]} if schema else {}
    try:
        connection: Any = ibis.connect(url)
        names = connection.list_tables(**in_schema)
    except Exception as error:
        raise ValueError(f"the database cannot be reached: {_driver_message(error, url)}") from None
    try:
        if table not in names:
            raise ValueError(f"the database has no table {name!r}{hint(table, names) if names else ''}")
        yield connection.table(table, **in_schema)
    finally:
        connection.disconnect()


def _driver_message(error: Exception, url: str = "") -> str:
    """The message of a driver's error in one line, with the URL's secrets replaced by ***."""
    message = " ".join(str(error).split())[:300] or type(error).__name__
    parts = urlsplit(url)
    secrets = [parts.password or "", *(value for key, value in parse_qsl(parts.query) if SECRET.search(key))]
    for text in {form for secret in secrets for form in (secret, unquote(secret))} - {""}:
        message = message.replace(text, "***")
    return message

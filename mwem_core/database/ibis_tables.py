"""Counting a table where it lies: in PostgreSQL, Spark, BigQuery or any other database that Ibis speaks to.

The database groups; only distinct rows, or the cells of marginals, come here. It has to know GROUPING SETS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow as pa

from mwem_core.checks import hint
from mwem_core.data.records import Records
from mwem_core.database.counted import Counted, count
from mwem_core.database.stored import Ask, seen_through
from mwem_core.domain.domain import Domain

if TYPE_CHECKING:
    import ibis.expr.types as ir


BATCH = 10**5  # rows
SECRET = re.compile("pass|pwd|secret|token|key", re.IGNORECASE)


def count_table(table: ir.Table, domain: Domain) -> Records | Counted:
    """Count an Ibis table expression of any SQL backend under a schema.

        table = ibis.postgres.connect(...).table("people")      # or ibis.bigquery, ibis.pyspark, ibis.snowflake ...
        B = count_table(table.filter(table.year == 2020), domain)

    NULL is an empty cell, booleans are 1 and 0, and a column `count` that the schema does not name holds weights, as
    in files. Raises ValueError, one sentence, as `encode` does, and where the database cannot answer.
    """
    _need_ibis()
    columns = [(name.strip(), type.to_pyarrow()) for name, type in table.schema().items()]
    name = f"the table {table.get_name()!r}" if hasattr(table.op(), "name") else "the table"

    def reading(places: list[int]) -> Ask:
        return partial(_ask, name, table.select(**{f"c{i}": table[place] for i, place in enumerate(places)}))

    return count(seen_through(columns, domain, reading), name)


@contextmanager
def opened(url: str, name: str) -> Iterator[ir.Table]:
    """The table of this name, or schema.name, in the database at a URL such as postgres://user:password@host/base.

    The connection closes with the context. Raises ValueError, without the password, where there is no such database
    or table.
    """
    _need_ibis()
    import ibis

    try:
        known = "://" in url and urlsplit(url)
    except ValueError:
        known = False
    if not known:
        raise ValueError("the database must be a URL such as postgres://user:password@host/base")
    try:
        connection: Any = ibis.connect(url)
    except Exception as problem:  # every driver has its own
        raise ValueError(f"the database cannot be reached: {_told(problem, url)}") from None
    try:
        yield _table(connection, name)
    finally:
        connection.disconnect()


def _table(connection: Any, name: str) -> ir.Table:
    *schema, table = name.rsplit(".", 1)
    within = {"database": schema[0]} if schema else {}
    try:
        names = connection.list_tables(**within)
    except Exception as problem:
        raise ValueError(f"the tables of the database cannot be listed: {_told(problem)}") from None
    if table not in names:
        raise ValueError(f"the database has no table {name!r}{hint(table, names) if names else ''}")
    return connection.table(table, **within)


def _need_ibis() -> None:
    if find_spec("ibis") is None:
        raise ValueError("tables in a database are counted through Ibis: pip install 'mwem-explorer[database]'")


def _ask(name: str, source: ir.Table, select: str, types: dict[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
    """Answer a query, written for DuckDB, in the database's own dialect."""
    import ibis
    import sqlglot

    connection: Any = source.get_backend()
    (own,) = sqlglot.transpile(select, read="duckdb", write=connection.dialect)
    schema = ibis.schema({column: ibis.dtype(type) for column, type in types.items()})
    try:
        answer = connection.sql(f"WITH source AS ({connection.compile(source)}) {own}", schema=schema)
        yield from connection.to_pyarrow_batches(answer, chunk_size=BATCH)
    except Exception as problem:
        raise ValueError(f"{name} cannot be counted: {_told(problem)}") from None


def _told(problem: Exception, url: str = "") -> str:
    """What a driver says, in one line, without what the URL keeps secret."""
    said = " ".join(str(problem).split())[:300] or type(problem).__name__
    parts = urlsplit(url)
    secrets = [parts.password or "", *(value for key, value in parse_qsl(parts.query) if SECRET.search(key))]
    for text in {form for secret in secrets for form in (secret, unquote(secret))} - {""}:
        said = said.replace(text, "***")
    return said

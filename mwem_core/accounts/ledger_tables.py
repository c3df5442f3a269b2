"""The tables of a ledger file: append-only, by triggers that refuse to change or delete a row."""

from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, MetaData, Table, Text, UniqueConstraint, inspect
from sqlalchemy.engine import Connection

FORMAT = 1  # of these tables

METADATA = MetaData()


def _table(name: str, *columns: Column | UniqueConstraint) -> Table:
    return Table(f"mwem_{name}", METADATA, *columns)


def _id() -> Column:
    return Column("id", Integer, primary_key=True)


def _text(name: str) -> Column:
    return Column(name, Text, nullable=False)


def _of(table: str) -> Column:
    return Column(table, ForeignKey(f"mwem_{table}.id"), nullable=False)


# `key` is empty where the key is kept in a file beside the ledger; `key_check` recognises the right one.
LEDGER = _table("ledger", Column("format", Integer, primary_key=True), Column("key", LargeBinary), _text("key_check"))
# `person` names the column of the unit of privacy; empty if the unit is a record.
DATASET = _table("dataset", _id(), Column("name", Text, nullable=False, unique=True), _text("person"))
CONTENT = _table("content", Column("digest", Text, primary_key=True), _of("dataset"), _text("at"))
CAP = _table("cap", _id(), _of("dataset"), _text("epsilon"), _text("delta"), _text("at"))
RELEASE = _table("release", _id(), _of("dataset"), _text("amount"), _text("unit"), _text("note"), _text("at"))
# Of an earlier version a ledger lacks these two: the next release makes them. `signs` is a list in JSON.
COLUMNS = _table("columns", _id(), Column("content", ForeignKey("mwem_content.digest"), nullable=False), _text("signs"))
DECLARED = _table("declared", _id(), _of("release"), _text("signs"))
EVENT = _table("event", _id(), _of("release"), _text("event"), _text("at"), UniqueConstraint("release", "event"))

SQLITE_TRIGGER = """CREATE TRIGGER {table}_no_{change} BEFORE {change} ON {table}
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"""
POSTGRESQL_FUNCTION = """CREATE FUNCTION mwem_append_only() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION 'a ledger is append-only'; END $$"""
POSTGRESQL_TRIGGER = """CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
EXECUTE FUNCTION mwem_append_only()"""


def create_tables(connection: Connection) -> None:
    """Create the tables that are missing, and their triggers, in an SQLite file or a PostgreSQL database."""
    there = inspect(connection).get_table_names()
    missing = [table for table in METADATA.sorted_tables if table.name not in there]
    METADATA.create_all(connection, missing, checkfirst=False)
    names = [table.name for table in missing]
    if connection.dialect.name == "sqlite":
        for name in names:
            for change in ("UPDATE", "DELETE"):
                connection.exec_driver_sql(SQLITE_TRIGGER.format(table=name, change=change))
        return
    if LEDGER in missing:
        connection.exec_driver_sql(POSTGRESQL_FUNCTION)
    for name in names:
        connection.exec_driver_sql(POSTGRESQL_TRIGGER.format(table=name))

"""Where a ledger is stored: an SQLite file, or a PostgreSQL database that several machines share.

Its tables are append-only, by triggers that refuse to change or delete a row. Only here do the two stores differ: how
they are opened, how a writer keeps others waiting, and where the key lies.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import (
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    insert,
    inspect,
    select,
)
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import NullPool

FORMAT = 1  # of these tables

METADATA = MetaData()
KEY_BYTES = 32
WAIT_SECONDS = 60  # for other writers
WRITER = 7305829120475  # the advisory lock of PostgreSQL that the writer of a ledger holds
NO_LEDGER = "there is no ledger at this place: the first release makes one"
DAMAGE = "the ledger is damaged, or this is no ledger: restore a copy of it, or name another file"
LOST_LEDGER = (
    "the key of a ledger lies here, and the ledger beside it is gone or empty, so what was spent is not known: restore"
    " a copy of it, or delete the key if it never held a release"
)
NOT_WRITABLE = "the ledger cannot be written: make the file and its folder writable"
SQLITE_PROBLEMS = {  # by the start of SQLite's name of the error
    "SQLITE_READONLY": NOT_WRITABLE,
    "SQLITE_CANTOPEN": "the ledger cannot be opened: check the folder and the rights to it",
    "SQLITE_BUSY": "another program keeps the ledger locked: end it, or try again",
    "SQLITE_FULL": "the disk of the ledger is full: make room, and release again",
    "SQLITE_IOERR": "the disk of the ledger fails: check it, or keep the ledger elsewhere",
}
SERVER_PROBLEMS = {  # by the start of PostgreSQL's code of the error
    "28": "the ledger's database refuses the user or the password: check the URL",
    "3D": "the server of the ledger has no such database: check the URL",
    "42501": "the user of the ledger's database may not write there: grant it, or name another user",
    "25006": "the ledger's database is read-only: name one that can be written",
    "53": "the server of the ledger has too much to do: try again",
    "": "the ledger's database cannot be reached: check the URL, and that the server runs",
}


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
DECLARATIONS = _table("declared", _id(), _of("release"), _text("signs"))
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


@dataclass(frozen=True)
class Store:
    """An open ledger: its database, and the key of its digests. Every transaction opens a connection of its own."""

    engine: Engine
    key: bytes

    @contextmanager
    def read_transaction(self) -> Iterator[Connection]:
        """A transaction that sees one state of the ledger."""
        with _in_words(), _reading(self.engine).begin() as connection:
            yield connection

    @contextmanager
    def write_transaction(self) -> Iterator[Connection]:
        """The one transaction that writes at a time; when it ends without an error, what it wrote is on the disk."""
        with _in_words(), self.engine.begin() as connection:
            yield connection


def open_store(where: str | Path, *, create: bool) -> Store:
    """Open the ledger in a file or at a PostgreSQL URL, and make it if there is none and `create` says so.

    Raises ValueError, in a sentence without the path or URL, if that fails or if it is no ledger.
    """
    text = str(where)
    file = None if "://" in text else Path(where).absolute()
    engine = _server(text) if file is None else _file(file, create=create)
    with _in_words(), (engine if create else _reading(engine)).begin() as connection:
        if file is not None:
            _check_file(connection)
        if not inspect(connection).has_table(LEDGER.name):
            if file is not None and _has_key(file):
                raise ValueError(LOST_LEDGER)
            if not create:
                raise ValueError(NO_LEDGER)
            _make_ledger(connection, file)
        elif create:
            create_tables(connection)  # those that an earlier version did not have
        return Store(engine, _key(connection, file))


def _file(path: Path, *, create: bool) -> Engine:
    if path.is_dir():
        raise ValueError("the ledger must be a file, and this is a folder: name a file in it")
    if not path.parent.is_dir():
        raise ValueError("the folder of the ledger does not exist: make it, or name another file")
    gone = _has_key(path) and not path.exists()  # in this order, as a first release makes the file before its key
    if gone or not (create or path.exists()):
        raise ValueError(LOST_LEDGER if gone else NO_LEDGER)
    creator = partial(_connect, f"{path.as_uri()}?mode={'rwc' if create else 'rw'}")
    return _lock(create_engine("sqlite://", creator=creator, poolclass=NullPool))


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=WAIT_SECONDS, isolation_level=None)
    try:
        connection.execute(
            "PRAGMA synchronous = EXTRA"
        )  # a commit returns only when a loss of power no longer undoes it
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error:  # the file is damaged, or of another program
        connection.close()
        raise
    return connection


def _server(text: str) -> Engine:
    try:
        url: URL | None = make_url(text)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.get_backend_name() not in ("postgresql", "postgres"):
        raise ValueError("the ledger must be the path of a file, or a URL such as postgresql://user:password@host/base")
    if find_spec("psycopg") is None:
        raise ValueError("a ledger on a server needs a driver: pip install 'mwem-explorer[database]'")
    return _lock(create_engine(url.set(drivername="postgresql+psycopg"), poolclass=NullPool, hide_parameters=True))


def _lock(engine: Engine) -> Engine:
    """Let every transaction begin by waiting for the writer before it, unless it only reads."""

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        reads = connection.get_execution_options().get("reads", False)
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
        elif not reads:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER})")

    return engine


def _reading(engine: Engine) -> Engine:
    return engine.execution_options(reads=True)


def _check_file(connection: Connection) -> None:
    """Raise ValueError for a damaged file, and for the SQLite file of another program."""
    if connection.exec_driver_sql("PRAGMA quick_check(1)").scalar() != "ok":
        raise ValueError(DAMAGE)
    tables = inspect(connection).get_table_names()
    if tables and LEDGER.name not in tables:
        raise ValueError("this SQLite file belongs to another program: name another file for the ledger")


def _make_ledger(connection: Connection, file: Path | None) -> None:
    """Make the tables and the key, which a file holds beside the ledger's and a server in its database."""
    create_tables(connection)  # first: where this fails, no key is left, which would be taken for one of a lost ledger
    key = secrets.token_bytes(KEY_BYTES) if file is None else _new_key(file)
    row = {"format": FORMAT, "key": key if file is None else None, "key_check": _check_of(key)}
    connection.execute(insert(LEDGER).values(row))


def _key_file(ledger: Path) -> Path:
    return ledger.with_name(ledger.name + ".key")


def _has_key(ledger: Path) -> bool:
    """Whether a whole key lies beside the place of a ledger."""
    key = _key_file(ledger)
    return key.is_file() and key.stat().st_size == KEY_BYTES


def _new_key(ledger: Path) -> bytes:
    """Write a key to the file beside a new ledger, on the disk before the ledger."""
    key = secrets.token_bytes(KEY_BYTES)
    try:
        with os.fdopen(os.open(_key_file(ledger), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        raise ValueError("the key of the ledger cannot be written beside it: make the folder writable") from None
    return key


def _key(connection: Connection, file: Path | None) -> bytes:
    format, key, key_check = connection.execute(select(LEDGER)).one()
    if format != FORMAT:
        raise ValueError("a newer version of this program made the ledger: install that version")
    if file is not None:
        try:
            key = _key_file(file).read_bytes()
        except OSError:
            raise ValueError("the key of the ledger cannot be read: put the file that ends in .key beside it") from None
    if _check_of(bytes(key)) != key_check:
        raise ValueError("the key beside the ledger belongs to another ledger: restore the right one")
    return bytes(key)


def _check_of(key: bytes) -> str:
    return blake2b(b"the key of a ledger", key=key, digest_size=16).hexdigest() if len(key) == KEY_BYTES else ""


@contextmanager
def _in_words() -> Iterator[None]:
    """Say what is wrong in one sentence, without a word of the driver's: it may quote a URL, a name or a note."""
    try:
        yield
    except SQLAlchemyError as error:
        raise ValueError(_sentence(getattr(error, "orig", None))) from None
    except sqlite3.Error as error:  # of the PRAGMAs of a new connection
        raise ValueError(_sentence(error)) from None


def _sentence(error: object) -> str:
    if isinstance(error, sqlite3.Error):
        name = getattr(error, "sqlite_errorname", "")
        return next((text for start, text in SQLITE_PROBLEMS.items() if name.startswith(start)), DAMAGE)
    code = (getattr(error, "sqlstate", None) or "") if error else "no error of a driver"
    return next((text for start, text in SERVER_PROBLEMS.items() if code[: len(start) or None] == start), DAMAGE)

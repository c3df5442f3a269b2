"""What the command line was given, read: the table, its schema, numbers."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from mwem_core.data.encoding import encode
from mwem_core.data.files import read_table
from mwem_core.data.table import Table
from mwem_core.database.duckdb_files import count_file, is_large, is_pattern
from mwem_core.database.ibis_tables import count_table, open_table
from mwem_core.domain.domain import Domain

X = TypeVar("X")


def domain_of(given: argparse.Namespace) -> Domain:
    """The schema's attributes, or those of them that were asked for."""
    domain = Domain.from_toml(_text_of(given.schema))
    return domain.project(many(given.attributes)) if given.attributes else domain


@contextmanager
def records_of(given: argparse.Namespace, domain: Domain) -> Iterator[Table]:
    """The private data: records, or what answers like them from a database, open as long as the context."""
    path = Path(given.table)
    if given.database:
        with open_table(given.database, given.table) as table:
            yield count_table(table, domain)
    elif is_pattern(path) or (is_large(path) and find_spec("duckdb")):
        yield count_file(path, domain)
    else:
        yield encode(read_table(path), domain)


def number(text: str, name: str) -> float:
    """A number. Raises ValueError, by name, for another text."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, got {text!r}") from None


def whole(text: str, name: str, *, least: int = 0) -> int:
    """A whole number from `least` up. Raises ValueError, by name, for another text."""
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise ValueError(f"{name} must be a whole number from {least} up, got {text!r}")
    return int(text)


def many(text: str, each: Callable[[str], X] = str) -> list[X]:
    """What is written between commas, each read."""
    return [each(word.strip()) for word in text.split(",")]


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"the schema {path.name} is not UTF-8 text: save it as UTF-8") from None
    except OSError as problem:
        raise ValueError(f"the schema {str(path)!r} cannot be read: {problem.strerror}") from None

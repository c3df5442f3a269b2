"""The command `schema`: read a code book, propose what it does not say from a table, and write the schema."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from mwem_core.cli.arguments import CODE_BOOK, OR_BUNDLED, add_count, add_reading, column_from, reading_from, tell
from mwem_core.cli.console import align_columns, write_file
from mwem_core.domain import marks_in_words
from mwem_core.encoding import COUNT_NAMES
from mwem_core.schemas import NO_BOOK, CodeBook, Suggestion, first_schema, read_code_book
from mwem_core.tables import read_table

MAX_NAME, MAX_CELL, MAX_LINE = 20, 10, 120  # characters


def add_schema_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=schema)
    parser.add_argument("--schema", type=Path, metavar="FILE", help=CODE_BOOK)
    parser.add_argument(
        "--table", metavar="FILE", help=f"its other columns are proposed from it: NOT PRIVATE; or {OR_BUNDLED}"
    )
    add_reading(parser, decimal="of a text file: a comma or a point; by default detected")
    parser.add_argument(
        "--take",
        action="append",
        default=[],
        metavar="COLUMN=CHOICE",
        help="what a column is, of the choices that are named for it, such as income=Missing",
    )
    add_count(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="by default it is printed")


def schema(arguments: argparse.Namespace) -> None:
    """Write a schema. Raises ValueError for what cannot be read, and OSError where the file cannot be written."""
    if not arguments.schema and not arguments.table:
        raise ValueError("a schema comes from a code book, a table or both: name --schema or --table")
    book = read_code_book(arguments.schema) if arguments.schema else NO_BOOK
    if arguments.table:
        choices = dict(_choice(text) for text in arguments.take)
        reading = reading_from(arguments)
        table = read_table(arguments.table, max_bytes=arguments.max_bytes, **reading.chosen)
        tell(table, reading)
        book = first_schema(table, book, choices, count=column_from(arguments))
        _ask_of_count(arguments, table.column_names, book)
    text = book.domain.to_toml(book.marks)
    for line in _columns(book.suggestions):
        print(line, file=sys.stderr)
    for name, reason in book.left_out.items():
        column = f"column {name!r}" if name else "the column without a name"
        print(f"left out: {column} {reason}{_ways(book, name)}", file=sys.stderr)
    for name in book.domain.names:
        if (seen := book.suggestions.get(name)) and seen.says:
            print(f"seen: {name!r} {seen.says}{_ways(book, name)}", file=sys.stderr)
    if book.marks:
        print(f"NOT PRIVATE, as read off the data: {marks_in_words(book.marks)}; see from_data", file=sys.stderr)
    if arguments.out:
        arguments.out.write_bytes(text.encode())
    else:
        write_file(text)


def _columns(suggestions: Mapping[str, Suggestion]) -> list[str]:
    """A line for each column: three of its cells, three that rows may hold, and what it becomes."""
    lines = [
        (_cut(name, MAX_NAME), _cells(seen.of_file), "→" if seen.drawn else "", _cells(seen.drawn), seen.becomes)
        for name, seen in suggestions.items()
    ]
    return [_cut(line, MAX_LINE) for line in align_columns(lines)]


def _cells(cells: Sequence[str]) -> str:
    """Cells in a row, with quotes around those that are empty, have blanks or cannot be seen."""
    shown = [cell if cell.isprintable() and cell.split() == [cell] else repr(cell) for cell in cells]
    most = MAX_CELL if sum(map(len, shown)) > len(shown) * MAX_CELL else MAX_LINE
    return " ".join(_cut(cell, most) for cell in shown)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _ways(book: CodeBook, name: str) -> str:
    """How to say what a column is, where the proposal leaves a choice."""
    seen = book.suggestions.get(name)
    return "; --take " + " or ".join(repr(f"{name}={each}") for each in seen.choices) if seen and seen.asks else ""


def _choice(text: str) -> tuple[str, str]:
    """The column and the choice that `--take` names."""
    column, equals, choice = text.rpartition("=")
    if not equals:
        raise ValueError(f"--take needs a column and a choice, as in income=Missing, got {text!r}")
    return column, choice


def _ask_of_count(arguments: argparse.Namespace, columns: Sequence[str], book: CodeBook) -> None:
    """Say of a column that is called like a number of records that it is an attribute unless --count names it."""
    for name in columns if arguments.count is None else ():
        if name.lower() in COUNT_NAMES:
            print(
                f"column {name!r} is {'an attribute' if name in book.domain.names else 'left out'}: if it holds the"
                f" number of records of each row, name it with --count {name}",
                file=sys.stderr,
            )

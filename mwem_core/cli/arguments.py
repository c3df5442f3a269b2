"""Options that several commands have, and how they are read: numbers, lists, the schema and the private table."""

import argparse
import json
import math
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from mwem_core.base import join_names
from mwem_core.cli.sample_tables import SAMPLE_TABLES
from mwem_core.domain import Domain, Marks, Records, check_not_empty
from mwem_core.encoding import EXPLORING_KEY, NONE, Count, CountPolicy, encode_unit
from mwem_core.forms import DECIMALS, POINT, decimal_of
from mwem_core.privacy import RECORD, Unit
from mwem_core.schemas import CodeBook, read_code_book
from mwem_core.systems import DEFAULT_DELTA, SHARE
from mwem_core.tables import CHOICES, FIRST_ROW, LAST_ROW, Reading, asked_about, notes_of, read_table

OR_BUNDLED = f"a bundled table, with its schema, by name: {', '.join(SAMPLE_TABLES)}"
CODE_BOOK = "TOML, or a labelled file of SPSS or Stata"


def add_task(parser: argparse.ArgumentParser) -> None:
    """A table to run on, or several of them, and what is asked of it."""
    parser.add_argument(
        "--table",
        required=True,
        metavar="FILE",
        help=f"CSV, TSV, Parquet, a workbook or another, one record per row; or {OR_BUNDLED}",
    )
    add_reading(parser, decimal="of a text file: a comma or a point; by default detected")
    add_count(parser)
    add_question(parser)


def add_reading(parser: argparse.ArgumentParser, *, decimal: str) -> None:
    """How to read a file, where its bytes leave a choice."""
    parser.add_argument("--encoding", metavar="NAME", help="of a text file, such as cp1252; by default detected")
    parser.add_argument(
        "--delimiter",
        metavar="NAME",
        help=f"of a text file: {', '.join(CHOICES.values())}, or the character; by default detected",
    )
    parser.add_argument("--decimal", choices=list(DECIMALS), help=decimal)
    packed = "a packed file may fill the memory; by default it unpacks to 200 MB"
    parser.add_argument("--unlimited", dest="max_bytes", action="store_const", const=math.inf, help=packed)
    parser.add_argument("--sheet", metavar="NAME", help="of a workbook; by default the first one")
    header = parser.add_mutually_exclusive_group()
    header.add_argument(
        "--header",
        nargs="?",
        const="1",
        metavar="N",
        help="the first N rows have the names of the columns: 1 if no number is given, or what is detected by default",
    )
    header.add_argument("--no-header", dest="header", action="store_const", const="0", help="the first row is a record")
    parser.add_argument("--footer", metavar="N", help="the last N rows are no records, such as a row of totals")


def add_count(parser: argparse.ArgumentParser) -> None:
    """The column that says how many records a row stands for."""
    parser.add_argument(
        "--count",
        metavar="COLUMN",
        help=f"holds the number of records of each row, as in a table of frequencies; {NONE}, and without such a column"
        " the default: each row is a record",
    )


def add_bins_share(parser: argparse.ArgumentParser) -> None:
    """What measures bins that the schema leaves open."""
    parser.add_argument(
        "--bins-share",
        default=str(SHARE),
        metavar="S",
        help="of the budget, to measure the bins of numbers with measured_bins in the schema; %(default)s by default",
    )


def add_schema(parser: argparse.ArgumentParser) -> None:
    """The schema, and the attributes used."""
    parser.add_argument("--schema", type=Path, metavar="FILE", help=f"the attributes and values, public: {CODE_BOOK}")
    parser.add_argument("--attributes", metavar="a,b,c", help="use only these attributes of the schema")


def add_unit(parser: argparse.ArgumentParser) -> None:
    """Persons, where a record is not what is protected."""
    parser.add_argument(
        "--unit",
        metavar="COLUMN:C",
        help="protect persons, named by this column, of at most C records each; of this table alone: linked tables are"
        " not supported",
    )


def add_question(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The schema, the workload, which another option may replace unless it is `required`, and δ."""
    add_schema(parser)
    parser.add_argument(
        "--workload",
        required=required,
        help="marginals:K, cuboids:K, parities:K (<=K for all orders up to K), marginals:K:GROUP | GROUP, where a group"
        " is names or patterns, as in health_*, ranges:COL[,COL]:COUNT, where:PREDICATE;"
        " several joined by ' + ', each with a weight if not 1, as in '2*marginals:2 + ranges:age:prefixes'",
    )
    parser.add_argument(
        "--delta",
        default="0",
        help=f"0 (default) for pure ε, or well below 1/n; systems without a pure form use {DEFAULT_DELTA:g} for 0",
    )


def add_executor(parser: argparse.ArgumentParser) -> None:
    """Where many trials run."""
    parser.add_argument("--workers", metavar="N", help="number of processes; by default one per processor")


def add_public_start(parser: argparse.ArgumentParser) -> None:
    """A public table to start from."""
    parser.add_argument(
        "--public-start", metavar="FILE", help="a table that is public, under the same schema: the model starts from it"
    )


X = TypeVar("X")
MAX_SHOWN_CELLS, MAX_SHOWN_CELL = 6, 30
QUESTIONS = {
    FIRST_ROW: "The first row looks like data ({}): --no-header reads it as a record, --header as the names.",
    LAST_ROW: "The last row looks like a total or a note ({}): --footer 1 leaves it out, --footer 0 keeps it.",
}


def domain_from(arguments: argparse.Namespace) -> Domain:
    """The domain of --schema, projected on --attributes if they are given. Raises ValueError for a bad schema."""
    domain = _code_book(arguments).domain
    return domain.project(comma_separated(arguments.attributes)) if arguments.attributes else domain


def marks_from(arguments: argparse.Namespace, domain: Domain) -> Marks:
    """The marks of --schema on the attributes of a domain: what was read off the data."""
    marks = _code_book(arguments).marks
    return {name: cells for name, cells in marks.items() if name in domain.names}


def _code_book(arguments: argparse.Namespace) -> CodeBook:
    if arguments.schema is None:
        raise ValueError(
            f"a table needs --schema, unless it is bundled, as {join_names(list(SAMPLE_TABLES))} are: mwem schema "
            "--table FILE --out schema.toml proposes one from the table"
        )
    return read_code_book(arguments.schema)


def read_records(arguments: argparse.Namespace, domain: Domain) -> Records:
    """The private records of --table. Raises ValueError where it cannot be read or does not fit the schema."""
    reading = reading_from(arguments)
    table = read_table(Path(arguments.table), max_bytes=arguments.max_bytes, **reading.chosen)
    tell(table, reading)
    if (decimal := decimal_of(table)) != POINT:
        arguments.decimal = decimal  # also if it was detected: rows are written with it
    records = encode_unit(table, domain, unit_from(arguments), key=EXPLORING_KEY, count=count_from(arguments))
    check_not_empty(records)
    return records


def unit_from(arguments: argparse.Namespace) -> Unit:
    """The unit of privacy of --unit, where the command has it; a record by default. Raises ValueError for bad text."""
    text = getattr(arguments, "unit", None)
    return Unit.parse(text) if text else RECORD


def count_from(arguments: argparse.Namespace) -> Count:
    """The column of --count; None where it says that there is none. It has to be said where a name makes it likely."""
    return CountPolicy.REFUSED if arguments.count is None else column_from(arguments)


def column_from(arguments: argparse.Namespace) -> str | None:
    """The column of --count, if it names one."""
    return None if arguments.count in (None, NONE) else arguments.count


def reading_from(arguments: argparse.Namespace) -> Reading:
    """How to read the file, as far as the arguments say."""
    header, footer = (
        None if text is None else whole_number(text, name)
        for name, text in (("header", arguments.header), ("footer", arguments.footer))
    )
    return Reading(arguments.encoding, arguments.delimiter, arguments.decimal, arguments.sheet, header, footer)


def executor_from(arguments: argparse.Namespace) -> Executor:
    """Processes, as many as --workers says."""
    from mwem_core.judge import pool  # few commands need it

    return pool(whole_number(arguments.workers, "workers", minimum=1) if arguments.workers else None)


def tell(table: pa.Table, reading: Reading) -> None:
    """Print what is said and asked of a table as it was read, and was not chosen by the user.

    This shows a record: it is for those who explore.
    """
    about = table.schema.metadata or {}
    encoding, sheets = about.get(b"encoding", b"utf").decode(), json.loads(about.get(b"sheets", b"[]"))
    if not encoding.startswith("utf") and not reading.encoding:
        print(f"Read as {encoding}, as it is not UTF-8: --encoding names another.", file=sys.stderr)
    if len(sheets) > 1 and not reading.sheet:
        print(
            f"Read: sheet {about[b'sheet'].decode()!r} of {', '.join(sheets)}; --sheet names another.", file=sys.stderr
        )
    for sentence in notes_of(table):
        print(sentence, file=sys.stderr)
    for row, cells in asked_about(table):
        shown = ", ".join(cell[:MAX_SHOWN_CELL] for cell in cells[:MAX_SHOWN_CELLS])
        print(QUESTIONS[row].format(f"{shown}, …" if len(cells) > MAX_SHOWN_CELLS else shown), file=sys.stderr)


def number(text: str, name: str) -> float:
    """The number that an argument states. Raises ValueError, with the argument's name, if it is none."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, got {text!r}") from None


def whole_number(text: str, name: str, *, minimum: int = 0) -> int:
    """The whole number that an argument states. Raises ValueError, with its name, if it is none or too small."""
    if not text.isascii() or not text.isdigit() or int(text) < minimum:
        raise ValueError(f"{name} must be a whole number from {minimum} up, got {text!r}")
    return int(text)


def comma_separated(text: str, read: Callable[[str], X] = str) -> list[X]:
    """The items between commas, each converted by `read`."""
    return [read(item.strip()) for item in text.split(",")]

"""Options that several commands have."""

import argparse
import math
from pathlib import Path

from mwem_core.cli.bundled import SAMPLE_TABLES
from mwem_core.encoding import NONE
from mwem_core.systems import DEFAULT_DELTA, SHARE
from mwem_core.tables import CHOICES, DECIMALS

OR_BUNDLED = f"a bundled table, with its schema, by name: {', '.join(SAMPLE_TABLES)}"
CODE_BOOK = "TOML, a Frictionless Table Schema, a JSON Schema of a record, or a labelled file of SPSS or Stata"


def add_task(parser: argparse.ArgumentParser) -> None:
    """A table to run on, or several of them, and what is asked of it."""
    parser.add_argument(
        "--table",
        required=True,
        metavar="FILE",
        help="CSV, TSV or Parquet, one record per row; DuckDB counts large files, and patterns like 'part-*.parquet';"
        f" or {OR_BUNDLED}",
    )
    add_reading(parser, decimal="of a text file: a comma or a point; by default detected")
    parser.add_argument("--database", metavar="URL", help="count in this database; --table is then a table's name")
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


def add_public_start(parser: argparse.ArgumentParser) -> None:
    """A public table to start from."""
    parser.add_argument(
        "--public-start", metavar="FILE", help="a table that is public, under the same schema: the model starts from it"
    )

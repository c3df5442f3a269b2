"""The command line: `python -m mwem_core run --table FILE --schema FILE --workload marginals:2 --epsilon 1`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mwem_core.cli.audit import audit
from mwem_core.cli.compare import compare
from mwem_core.cli.ledger import ledger
from mwem_core.cli.release import release
from mwem_core.cli.run import run
from mwem_core.cli.schema import schema
from mwem_core.cli.streams import write_in_any_encoding
from mwem_core.data.code_books import JSON_SCHEMA, TABLE_SCHEMA, TOML
from mwem_core.data.delimited import DELIMITERS
from mwem_core.data.numerals import DECIMALS
from mwem_core.measured_bins import SHARE
from mwem_core.systems import DEFAULT_DELTA, RELEASED, SYSTEMS

CODE_BOOK = "TOML, a Frictionless Table Schema, a JSON Schema of a record, or a labelled file of SPSS or Stata"


def main(words: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 for success, 2 for an error, 130 for an interruption.

    An audit that finds a violation returns 1.

    An error prints one sentence on stderr. After an interruption, the file of a comparison has the finished trials.
    """
    write_in_any_encoding()
    arguments = _parser().parse_args(words)
    try:
        return arguments.function(arguments) or 0
    except ValueError as problem:
        message = str(problem)
    except KeyboardInterrupt:
        print("\nmwem_core: stopped", file=sys.stderr)
        return 130
    except OSError as problem:  # of a file to write: an unreadable file raises ValueError
        message = f"{str(problem.filename)!r} cannot be written: {problem.strerror}"
    print(f"mwem_core: {message}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mwem_core", description="Differentially private data release with MWEM.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_run(commands.add_parser("run", help="run MWEM or another system on a table"))
    _add_compare(commands.add_parser("compare", help="run several systems at several seeds and print their errors"))
    _add_report(commands.add_parser("report", help="compare synthetic rows with the original, column by column"))
    _add_code_book(commands.add_parser("schema", help="write a schema from a code book, from a table or from both"))
    _add_release(commands.add_parser("release", help="release a table once, with exact noise and a ledger"))
    _add_ledger(commands.add_parser("ledger", help="show what releases have spent, and what is left"))
    _add_audit(commands.add_parser("audit", help="test the privacy of this program: replays, attacks, broken twins"))
    _add_paper(commands.add_parser("paper", help="rerun an experiment of the paper; without a name, list the verdicts"))
    return parser


def _paper(arguments: argparse.Namespace) -> None:
    from mwem_core.cli.paper import paper  # imported late: Pandas takes half a second, and no other command needs it

    paper(arguments)


def _add_paper(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(function=_paper)
    parser.add_argument("experiment", nargs="?", help="by default all are listed")
    parser.add_argument("--quick", action="store_true", help="fewer trials: under a minute")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="of tables that are not bundled")
    parser.add_argument("--workers", metavar="N", help="number of processes; by default one per processor")
    parser.add_argument("--cluster", metavar="ADDRESS", help="run on the workers of this Dask scheduler instead")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every trial there as Parquet; resumes from it")


def _report(arguments: argparse.Namespace) -> None:
    from mwem_core.cli.report import report  # imported late: no other command needs it

    report(arguments)


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(function=_report)
    parser.add_argument("--table", required=True, metavar="FILE", help="the original, one record per row")
    _add_reading(parser, decimal="of the original's numbers: a comma or a point; by default detected")
    parser.add_argument(
        "--rows", required=True, metavar="FILE", help="the synthetic rows, as `run` and `release` write"
    )
    _add_schema(parser)
    parser.add_argument("--target", metavar="COLUMN", help="for classifiers; by default the one of fewest values")
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="write the page there; it is NOT PRIVATE")
    parser.add_argument("--json", action="store_true", help="print one JSON object with every number")


def _add_code_book(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(function=schema)
    parser.add_argument("--schema", type=Path, metavar="FILE", help=CODE_BOOK)
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="its other columns are proposed from it: NOT PRIVATE"
    )
    _add_reading(parser, decimal="of a text file: a comma or a point; by default detected")
    parser.add_argument("--to", default=TOML, choices=(TOML, TABLE_SCHEMA, JSON_SCHEMA), help="%(default)s by default")
    parser.add_argument("--out", type=Path, metavar="FILE", help="by default it is printed")


def _add_release(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(function=release)
    parser.add_argument("--table", metavar="FILE", help="CSV, TSV or Parquet, one record per row; one file")
    _add_reading(parser, decimal="of the table's numbers: a comma or a point, which is the default")
    _add_question(parser)
    parser.add_argument("--epsilon", required=True, help="privacy parameter: smaller is more private and less accurate")
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        default="automatic",
        help=f"{', '.join(RELEASED)}; by default %(default)s. tables: for narrow intervals instead of the best rows",
    )
    parser.add_argument("--ledger", metavar="FILE", help="where releases are charged; or the URL of a database")
    parser.add_argument("--name", metavar="DATASET", help="of the data set in the ledger")
    parser.add_argument("--cap", metavar="E", help="the most that all releases of the data set may cost, from now on")
    parser.add_argument(
        "--cap-delta", metavar="D", help="δ of the cap: 1e-9 by default; at 0 the cap is on the sum of ε itself"
    )
    parser.add_argument("--changed", action="store_true", help="the table has changed since its last release")
    parser.add_argument(
        "--other-people", action="store_true", help="none of them is in the data set that the table looks like"
    )
    _add_unit(parser)
    parser.add_argument(
        "--total", default="measured", choices=("measured", "public"), help="how the number of records is treated"
    )
    _add_bins_share(parser)
    _add_public_start(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="a folder that is new or empty")
    parser.add_argument("--rehearse", action="store_true", help="try the same terms on simulated data; spends nothing")
    parser.add_argument("--public-table", metavar="FILE", help="rehearse on this table, which is not private")
    parser.add_argument("--records", default="10000", metavar="N", help="of simulated data; %(default)s by default")


def _add_public_start(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--public-start", metavar="FILE", help="a table that is public, under the same schema: the model starts from it"
    )


def _add_ledger(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(function=ledger)
    parser.add_argument(
        "--ledger", required=True, metavar="FILE", help="of the releases; or the URL of a PostgreSQL database"
    )
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--name", metavar="DATASET", help="show only this data set")
    one.add_argument(
        "--withdraw", metavar="N", help="first give back release N, whose process ended before it drew any noise"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of text")


def _add_audit(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(function=audit)
    parser.add_argument("--quick", action="store_true", help="fewer tables and draws: under a minute")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(function=run)
    _add_task(parser)
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"{', '.join(SYSTEMS)}; by default automatic, or mwem where --rounds is given",
    )
    parser.add_argument("--epsilon", required=True, help="privacy parameter: smaller is more private and less accurate")
    parser.add_argument("--rounds", metavar="T", help="a number, theorem or adaptive; by default the system's rule")
    parser.add_argument("--preset", help=argparse.SUPPRESS)  # of 0.3, whose scripts still run
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change one setting; may be repeated"
    )
    _add_bins_share(parser)
    _add_unit(parser)
    _add_public_start(parser)
    parser.add_argument("--seed", help="make the run repeatable, and therefore NOT PRIVATE")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write rows or answers, manifest, transcript and script there"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, with errors against the truth")


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(function=compare)
    _add_task(parser)
    parser.add_argument("--systems", default=",".join(SYSTEMS), metavar="a,b,c", help="by default all: %(default)s")
    parser.add_argument("--epsilon", required=True, metavar="0.1,1", help="one or several values")
    parser.add_argument(
        "--rounds", metavar="T,T", help="numbers, for systems that take one; by default each system's own rule"
    )
    parser.add_argument("--seeds", default="5", metavar="N", help="seeds 0 to N - 1; %(default)s by default")
    parser.add_argument("--workers", metavar="N", help="number of processes; by default one per processor")
    parser.add_argument("--cluster", metavar="ADDRESS", help="run on the workers of this Dask scheduler instead")
    parser.add_argument(
        "--out", type=Path, metavar="FILE.csv", help="write every trial there; if the file exists, resume from it"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")


def _add_task(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--table",
        required=True,
        metavar="FILE",
        help="CSV, TSV or Parquet, one record per row; DuckDB counts large files, and patterns like 'part-*.parquet'",
    )
    _add_reading(parser, decimal="of a text file: a comma or a point; by default detected")
    parser.add_argument("--database", metavar="URL", help="count in this database; --table is then a table's name")
    _add_question(parser)


def _add_reading(parser: argparse.ArgumentParser, *, decimal: str) -> None:
    """How to read a file, where its bytes leave a choice."""
    parser.add_argument("--encoding", metavar="NAME", help="of a text file, such as cp1252; by default detected")
    parser.add_argument(
        "--delimiter",
        metavar="NAME",
        help=f"of a text file: {', '.join(DELIMITERS.values())}, or the character; by default detected",
    )
    parser.add_argument("--decimal", choices=list(DECIMALS), help=decimal)
    parser.add_argument("--sheet", metavar="NAME", help="of a workbook; by default the first one")


def _add_bins_share(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bins-share",
        default=str(SHARE),
        metavar="S",
        help="of the budget, to measure the bins of numbers with measured_bins in the schema; %(default)s by default",
    )


def _add_schema(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--schema", required=True, type=Path, metavar="FILE", help=f"the attributes and values, public: {CODE_BOOK}"
    )
    parser.add_argument("--attributes", metavar="a,b,c", help="use only these attributes of the schema")


def _add_unit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--unit",
        metavar="COLUMN:C",
        help="protect persons, named by this column, of at most C records each; of this table alone: linked tables are"
        " not supported",
    )


def _add_question(parser: argparse.ArgumentParser) -> None:
    _add_schema(parser)
    parser.add_argument(
        "--workload",
        required=True,
        help="marginals:K, cuboids:K, parities:K (<=K for all orders up to K), marginals:K:GROUP | GROUP, where a group"
        " is names or patterns, as in health_*, ranges:COL[,COL]:COUNT, where:PREDICATE;"
        " several joined by ' + ', each with a weight if not 1, as in '2*marginals:2 + ranges:age:prefixes'",
    )
    parser.add_argument(
        "--delta",
        default="0",
        help=f"0 (default) for pure ε, or well below 1/n; systems without a pure form use {DEFAULT_DELTA:g} for 0",
    )


if __name__ == "__main__":
    sys.exit(main())

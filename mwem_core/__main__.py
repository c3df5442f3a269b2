"""The command line: `python -m mwem_core run --table FILE --schema FILE --workload marginals:2 --epsilon 1`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mwem_core.cli.compare import compare
from mwem_core.cli.run import run
from mwem_core.systems import DEFAULT_DELTA, SYSTEMS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 when all went well, 2 with one sentence on stderr when something given was wrong.

    130 where it was interrupted: a comparison's file then has the trials that were done.
    """
    given = _parser().parse_args(arguments)
    try:
        given.does(given)
        return 0
    except ValueError as problem:
        told = str(problem)
    except KeyboardInterrupt:
        print("\nmwem_core: stopped", file=sys.stderr)
        return 130
    except OSError as problem:  # what cannot be read was told as a ValueError
        told = f"{str(problem.filename)!r} cannot be written: {problem.strerror}"
    print(f"mwem_core: {told}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mwem_core", description="Differentially private data release with MWEM.")
    commands = parser.add_subparsers(dest="command", required=True)
    _run(commands.add_parser("run", help="run MWEM, or a system beside it, on a table"))
    _compare(commands.add_parser("compare", help="run several systems, several times, and tabulate their errors"))
    return parser


def _run(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(does=run)
    _about_data(parser)
    parser.add_argument("--algorithm", default="mwem", metavar="NAME", help=", ".join(SYSTEMS))
    parser.add_argument("--epsilon", required=True, help="privacy: smaller is more private and less exact")
    parser.add_argument("--rounds", metavar="T", help="a number, theorem or adaptive; by default the preset's rule")
    parser.add_argument(
        "--preset", default="default", metavar="NAME", help="of MWEM; default: what serves best; paper: as in 2012"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change one of the settings; repeatable"
    )
    parser.add_argument("--seed", help="repeatable, and therefore NOT PRIVATE")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write rows or answers, manifest, transcript, script")
    parser.add_argument("--json", action="store_true", help="print one JSON object, errors against the truth included")


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(does=compare)
    _about_data(parser)
    parser.add_argument("--systems", default=",".join(SYSTEMS), metavar="a,b,c", help="by default all: %(default)s")
    parser.add_argument("--epsilon", required=True, metavar="0.1,1", help="one, or several")
    parser.add_argument(
        "--rounds", metavar="T,T", help="numbers, for systems that have rounds; by default their rule's"
    )
    parser.add_argument("--seeds", default="5", metavar="N", help="how many runs of each, seeded 0 to N - 1; 5")
    parser.add_argument("--workers", metavar="N", help="processes; by default one a processor")
    parser.add_argument("--cluster", metavar="ADDRESS", help="run on this Dask scheduler's workers instead")
    parser.add_argument(
        "--out", type=Path, metavar="FILE.csv", help="keep every run there; gone on with where it exists"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")


def _about_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--table",
        required=True,
        metavar="FILE",
        help="CSV, TSV or Parquet, one row a record; DuckDB counts large ones, and patterns such as 'part-*.parquet'",
    )
    parser.add_argument("--database", metavar="URL", help="count there, by Ibis; --table is then a table's name")
    parser.add_argument(
        "--schema", required=True, type=Path, metavar="FILE", help="TOML: the attributes and values, public"
    )
    parser.add_argument("--attributes", metavar="a,b,c", help="use these attributes of the schema only")
    parser.add_argument(
        "--workload",
        required=True,
        help="marginals:K, cuboids:K, parities:K (<=K for all orders up to K), ranges:COL[,COL]:COUNT, where:PREDICATE",
    )
    parser.add_argument(
        "--delta",
        default="0",
        help=f"0 (the default) for pure ε, else well below 1/n; systems without a pure form take {DEFAULT_DELTA:g} for 0",
    )


if __name__ == "__main__":
    sys.exit(main())

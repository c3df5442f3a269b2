"""The command `report`: compare synthetic rows with the original, and write the quality report. NOT PRIVATE."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from mwem_core.cli.arguments import (
    OR_BUNDLED,
    add_count,
    add_reading,
    add_schema,
    count_from,
    domain_from,
    reading_from,
    tell,
)
from mwem_core.domain import Domain, Records
from mwem_core.encoding import Count, read_rows
from mwem_core.output import json_values
from mwem_core.release import MADE_FROM_RECORDS, quality, quality_report, summary
from mwem_core.tables import DEFAULT_READING, Reading, read_table


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=report)
    parser.add_argument(
        "--table", required=True, metavar="FILE", help=f"the original, one record per row; or {OR_BUNDLED}"
    )
    add_reading(parser, decimal="of the original's numbers: a comma or a point; by default detected")
    add_count(parser)
    parser.add_argument(
        "--rows", required=True, metavar="FILE", help="the synthetic rows, as `run` and `release` write"
    )
    add_schema(parser)
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="write the page there; it is NOT PRIVATE")
    parser.add_argument("--json", action="store_true", help="print one JSON object with every number")


def report(arguments: argparse.Namespace) -> None:
    """Print the report in short, and write the page. Raises ValueError, and OSError where it cannot be written."""
    domain = domain_from(arguments)
    most = arguments.max_bytes
    original = _rows(Path(arguments.table), domain, most, reading_from(arguments), count_from(arguments))
    synthetic = _rows(Path(arguments.rows), domain, most)
    found = quality(original, synthetic)
    if arguments.out:
        arguments.out.write_bytes(quality_report(found, domain, Path(arguments.table).name).encode())
    if arguments.json:
        print(json.dumps({"statement": MADE_FROM_RECORDS, **json_values(asdict(found))}))
        return
    written = [f"The page is {arguments.out}."] if arguments.out else []
    print("\n".join([MADE_FROM_RECORDS, *summary(found), *written]))


def _rows(
    path: Path, domain: Domain, most: float | None, reading: Reading = DEFAULT_READING, count: Count = None
) -> Records:
    try:
        table = read_table(path, max_bytes=most, **reading.chosen)
        tell(table, reading)
        return read_rows(table, domain, count=count)
    except ValueError as problem:
        name, message = path.name, str(problem)
        raise ValueError(message if message.startswith(name) else f"{name}: {message}") from None

"""The command `audit`: test the privacy of this program, and print what was tested, found and missed."""

import argparse
import json

from mwem_core.audit import FULL, QUICK, findings, planned, report, text
from mwem_core.cli.progress import with_progress


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=audit)
    parser.add_argument("--quick", action="store_true", help="fewer tables and draws: under a minute")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")


def audit(arguments: argparse.Namespace) -> int:
    """Print the audit's table. The exit code is 0 if every check holds, otherwise 1."""
    extent = QUICK if arguments.quick else FULL
    found = report(with_progress(enumerate(findings(extent), 1), planned(extent), "check"))
    print(json.dumps(found.fields()) if arguments.json else text(found))
    return 0 if found.holds else 1

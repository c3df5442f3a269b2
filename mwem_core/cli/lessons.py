"""The command `lessons`: write the lessons as files. The app makes them, and is no part of the core."""

import argparse
import subprocess
import sys
from pathlib import Path

from mwem_core.cli.arguments import whole_number


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=lessons)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="for an index and a file per lesson")
    parser.add_argument("--seed", default="1", metavar="N", help="of all draws: %(default)s by default")


def lessons(arguments: argparse.Namespace) -> int:
    """Write the files; returns the exit code of what writes them. Raises ValueError for what is no seed."""
    seed = whole_number(arguments.seed, "seed")
    arguments.out.mkdir(parents=True, exist_ok=True)
    return subprocess.call([sys.executable, "-m", "mwem_app.site", str(arguments.out), str(seed)])

"""The command `lessons`: write the lessons as files. The app makes them, and is no part of the core."""

import argparse
import subprocess
import sys
from pathlib import Path

from mwem_core.cli.arguments import whole_number
from mwem_core.release import check_empty


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=lessons)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="for an index, and for each lesson a page, slides and a handout",
    )
    parser.add_argument(
        "--teacher",
        type=Path,
        metavar="FOLDER",
        help="another folder, for the key, speaker notes and slides with notes",
    )
    parser.add_argument("--seed", default="1", metavar="N", help="of all draws: %(default)s by default")


def lessons(arguments: argparse.Namespace) -> int:
    """Write the files; returns the exit code of what writes them.

    Raises ValueError for what is no seed, for a folder that is not empty, and for a teacher's within that of the class.
    """
    seed = whole_number(arguments.seed, "seed")
    folders = [arguments.out]
    if arguments.teacher:
        if arguments.teacher.resolve().is_relative_to(arguments.out.resolve()):
            raise ValueError(
                f"--teacher must be outside {str(arguments.out)!r}, which students get: its files have answers"
            )
        folders.append(arguments.teacher)
    for folder in folders:
        check_empty(folder)
        folder.mkdir(parents=True, exist_ok=True)
    out, *teacher = map(str, folders)
    return subprocess.call([sys.executable, "-m", "mwem_app.course.site", out, str(seed), *teacher])

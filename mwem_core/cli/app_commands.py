"""The commands `app` and `lessons`: start programs of the app, which is no part of the core."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from mwem_core.cli.arguments import whole_number
from mwem_core.release import check_empty

MAX_PORT = 65_535
IN_PLACE = os.name == "posix"  # the app takes the place of this process, so that signals reach it


def add_app_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=app)
    parser.add_argument("--port", metavar="N", help="8501 by default, or the next one that is free")
    parser.add_argument(
        "--address",
        default="localhost",
        metavar="A",
        help="where to listen: %(default)s by default, for this computer alone; 0.0.0.0 for its network too",
    )


def app(arguments: argparse.Namespace) -> int:
    """Serve the app until it is stopped; returns its exit code. Raises ValueError for what is no port."""
    port = None if arguments.port is None else whole_number(arguments.port, "port", minimum=1)
    if port is not None and port > MAX_PORT:
        raise ValueError(f"port must be at most {MAX_PORT}, got {port}")
    command = [sys.executable, "-m", "mwem_app", arguments.address, *([] if port is None else [str(port)])]
    if IN_PLACE:
        os.execv(sys.executable, command)
    return subprocess.call(command)


def add_lessons_options(parser: argparse.ArgumentParser) -> None:
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
        help="another folder, for the key and the speaker notes",
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

"""The command `app`: start the app, which is no part of the core, as a program of its own."""

import argparse
import os
import subprocess
import sys

from mwem_core.cli.arguments import whole_number

MAX_PORT = 65_535
IN_PLACE = os.name == "posix"  # the app takes the place of this process, so that signals reach it


def add_options(parser: argparse.ArgumentParser) -> None:
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

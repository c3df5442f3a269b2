"""The command `app`: serve the app. It is no part of the core, and is imported only here, when it is asked for."""

import argparse
from importlib import import_module

from mwem_core.cli.arguments import whole_number

MAX_PORT = 65_535


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


def app(arguments: argparse.Namespace) -> None:
    """Serve the app until it is stopped, and then exit. Raises ValueError for what is no port or no address."""
    port = None if arguments.port is None else whole_number(arguments.port, "port", minimum=1)
    if port is not None and port > MAX_PORT:
        raise ValueError(f"port must be at most {MAX_PORT}, got {port}")
    try:
        import_module("mwem_app.serving").serve(arguments.address, port)
    except OSError as problem:
        raise ValueError(f"the app cannot listen at {arguments.address!r}: {problem.strerror}") from None

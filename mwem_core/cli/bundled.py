"""Bundled tables on the command line: a name stands for a table, its schema and its column of counts."""

import argparse
from pathlib import Path

from mwem_core.encoding import BUNDLED


def take_bundled(arguments: argparse.Namespace) -> None:
    """Replace the name of a bundled table by its file, and set its schema and column of counts where none are given.

    A file of that name in the current folder comes first, and so does a table of a database.
    """
    name = getattr(arguments, "table", None)
    if name not in BUNDLED or getattr(arguments, "database", None) or Path(name).is_file():
        return
    bundled = BUNDLED[name]
    arguments.table = str(bundled.file)
    arguments.schema = arguments.schema or bundled.schema
    arguments.count = arguments.count or bundled.count

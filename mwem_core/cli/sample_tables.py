"""Bundled tables on the command line: a name stands for a table, its schema and its column of counts."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from mwem_core.base import SAMPLES


@dataclass(frozen=True)
class SampleTable:
    """A public table that comes with the program: its schema, and its column with the number of records of each row."""

    file: Path
    schema: Path
    count: str | None = None


SAMPLE_TABLES = {
    "adult": SampleTable(SAMPLES / "adult.parquet", SAMPLES / "adult.toml"),
    "czech": SampleTable(SAMPLES / "czech.csv", SAMPLES / "czech.toml", "count"),
    "rochdale": SampleTable(SAMPLES / "rochdale.csv", SAMPLES / "rochdale.toml", "count"),
    "class_survey": SampleTable(SAMPLES / "class_survey.csv", SAMPLES / "class_survey.toml"),
}


def take_sample_table(arguments: argparse.Namespace) -> None:
    """Replace the name of a bundled table by its file, and set its schema and column of counts where none are given.

    A file of that name in the current folder comes first.
    """
    name = getattr(arguments, "table", None)
    if name not in SAMPLE_TABLES or Path(name).is_file():
        return
    sample = SAMPLE_TABLES[name]
    arguments.table = str(sample.file)
    arguments.schema = arguments.schema or sample.schema
    arguments.count = arguments.count or sample.count

"""The public tables that come with the program, by the names that the command line has for them."""

from dataclasses import dataclass
from pathlib import Path

from mwem_core.base import SAMPLES


@dataclass(frozen=True)
class Bundled:
    """A table's file and schema, and its column with the number of records of each row."""

    file: Path
    schema: Path
    count: str | None = None


BUNDLED = {
    "adult": Bundled(SAMPLES / "adult.parquet", SAMPLES / "adult.toml"),
    "czech": Bundled(SAMPLES / "czech.csv", SAMPLES / "czech.toml", "count"),
    "rochdale": Bundled(SAMPLES / "rochdale.csv", SAMPLES / "rochdale.toml", "count"),
    "class_survey": Bundled(SAMPLES / "class_survey.csv", SAMPLES / "class_survey.toml"),
}

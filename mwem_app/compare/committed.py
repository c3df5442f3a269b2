"""Results that come with the program: trials of the bundled tables at the settings with which the pages open.

`benchmarks/stored_results.py` writes them.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path

from mwem_core.base import SAMPLES
from mwem_core.domain import Records, digest
from mwem_core.judge import Result, Trial, from_csv

FOLDER = SAMPLES / "trials"
INDEX = "index.toml"


@dataclass(frozen=True)
class Committed:
    """The committed results on one table and one workload: when and by which version they were computed."""

    day: date
    version: str
    results: Mapping[Trial, Result] = field(repr=False)


def committed(records: Records, workload: str, folder: Path = FOLDER) -> Committed | None:
    """The committed results on exactly this table and this workload, by its spec; None if there are none."""
    entries = [entry for entry in _index(folder) if entry["workload"] == workload]
    if not entries:
        return None
    table = digest(records)
    return next((_read(folder, entry["file"]) for entry in entries if entry["table"] == table), None)


@cache
def _index(folder: Path) -> list[dict]:
    file = folder / INDEX
    return tomllib.loads(file.read_text(encoding="utf-8"))["trials"] if file.exists() else []


@cache
def _read(folder: Path, file: str) -> Committed:
    entry = next(entry for entry in _index(folder) if entry["file"] == file)
    results = from_csv((folder / file).read_text(encoding="utf-8"))
    by_trial = {result.trial: result for result in results}
    return Committed(entry["day"], entry["version"], by_trial)

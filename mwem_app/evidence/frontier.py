"""How Automatic compares with the best other private system: the ratios that `benchmarks/frontier.py` reports."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mwem_app.base import BENCHMARKS
from mwem_core.systems import SYSTEMS

RATIOS = BENCHMARKS / "frontier.csv"
CLOSE = 1.05
MARKS = {"fitted on": "", "judged on": " (judged)", "watched": " (watched)"}  # beside a table, by its group


@dataclass(frozen=True)
class Setting:
    """A table, all of its k-way marginals, an ε and a δ; `ratio` is Automatic's mean TV over that of `best`."""

    table: str
    group: str  # of the table: a key of MARKS
    workload: str
    epsilon: float
    delta: float
    ratio: float
    best: str  # the title of the best other private system


def frontier_settings(ratios: Path | None = None) -> dict[str, list[Setting]]:
    """The settings of each version of Automatic, oldest first; empty if nothing was measured."""
    ratios = ratios or RATIOS
    versions: dict[str, list[Setting]] = {}
    for line in csv.DictReader(ratios.read_text(encoding="utf-8").splitlines()) if ratios.exists() else ():
        versions.setdefault(line["version"], []).append(
            Setting(
                table=line["table"],
                group=line["tables"],
                workload=line["workload"],
                epsilon=float(line["epsilon"]),
                delta=float(line["delta"]),
                ratio=float(line["ratio"]),
                best=SYSTEMS[line["best"]].title,
            )
        )
    return versions


def share_close(settings: Sequence[Setting]) -> float:
    """The share of settings in which Automatic errs at most 5% more than the best other system."""
    return sum(s.ratio <= CLOSE for s in settings) / len(settings)

"""The records of the benchmarks, read for drawing and in words: seconds and errors, side by side and as sizes grow."""

import json
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mwem_app.base import BENCHMARKS, Badge, share

RESULTS = BENCHMARKS / "results.jsonl"
PUBLIC = Badge("benchmarks on public data", "exploring")
OURS = "Automatic"
Record = dict[str, Any]
RecordsByRow = dict[str, dict[str, list[Record]]]  # by row and system, the newest of each seed
ROWS = {
    "Adult, pairs": ("T1", "Adult, 8 attributes: all 28 two-way marginals, ε = 1"),
    "Adult, triples": ("T2", "Adult, 8 attributes: all 56 three-way marginals, ε = 1"),
    "Adult, 14 columns": ("T3", "Adult, 14 attributes: all 364 three-way marginals, (1, 10⁻⁹)"),
    "Ranges": ("T4", "Adult's capital-loss by the dollar: 2,000 random ranges, ε = 0.1"),
    "NLTCS": ("T5", "NLTCS, 16 bits: all 560 three-way marginals, ε = 1"),
}
PEERS = {  # titles compare ours with the first peer that has finished
    "mwem+pgm": "MWEM+PGM",
    "mwem+pgm-small": "MWEM+PGM",
    "aim-small": "AIM",
    "mst-pgm": "MST, mbi",
    "mst-dpmm": "MST, dpmm",
    "privbayes-dpmm": "PrivBayes, dpmm",
    "mst-opendp": "MST, OpenDP",
    "mst-smartnoise": "MST, SmartNoise",
    "mwem-smartnoise": "MWEM, SmartNoise",
    "mwem-smartnoise-pairs": "MWEM twos, SmartNoise",
    "mwem-smartnoise-ranges": "MWEM, SmartNoise",
}
BASELINES = {"noise": "plain Laplace", "product": "independent columns", "uniform": "uniform"}
GROWTHS = {"n": ("Counting", "n"), "d": ("A run", "d"), "Q": ("A run", "|Q|"), "T": ("A run", "T")}  # work, size


@dataclass(frozen=True)
class Spread:
    """Minimum, median and maximum over the seeds."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """The spread of one value or more."""
        ordered = sorted(values)
        return cls(ordered[0], statistics.median(ordered), ordered[-1])


@dataclass(frozen=True)
class Competitor:
    """A system's seconds of a whole process, and the error of its rows.

    `mechanism` is the seconds of the mechanism alone, without imports, reading the data and making rows. `warm` is the
    same once all code is compiled, for systems that compile and were run a second time; ours has nothing to compile.
    """

    name: str
    seconds: Spread
    error: Spread
    seeds: int
    mechanism: float
    warm: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Systems on one table and workload."""

    title: str
    measure: str
    small_only: bool  # errors are of marginals of at most 10⁴ cells, since some systems were given no others
    ours: Competitor
    peers: tuple[Competitor, ...]
    baselines: dict[str, float]
    unfinished: tuple[str, ...]
    records: tuple[Record, ...]


@dataclass(frozen=True)
class Growth:
    """Seconds of some work as one size grows: the repeats at each `x`, and the fitted exponent."""

    work: str
    name: str
    x: tuple[int, ...]
    seconds: tuple[Spread, ...]
    exponent: float
    standard_error: float


def benchmark_records(results: Path = RESULTS) -> RecordsByRow:
    """The records on file."""
    newest: dict[str, dict[str, dict[int, Record]]] = {}
    for record in map(json.loads, results.read_text(encoding="utf-8").splitlines()):
        newest.setdefault(record["row"], {}).setdefault(record["system"], {})[record["seed"]] = record
    return {row: {name: list(seeds.values()) for name, seeds in systems.items()} for row, systems in newest.items()}


def comparisons(records: RecordsByRow) -> dict[str, Comparison]:
    """The rows by their short names."""
    return {name: _comparison(records[row], title) for name, (row, title) in ROWS.items()}


def _comparison(systems: dict[str, list[Record]], title: str) -> Comparison:
    finished = {name: [r for r in records if r["finished"]] for name, records in systems.items()}
    small_only = "rows_small" in finished["ours"][0]
    rows, model = ("rows_small", "model_small") if small_only else ("rows", "model")
    metric = "mean_tv" if "mean_tv" in finished["ours"][0][rows] else "mean"

    def competitor(name: str, records: list[Record]) -> Competitor:
        warm = [r["warm"] for r in records if "warm" in r]
        seconds, error = Spread.of(r["wall"] for r in records), Spread.of(r[rows][metric] for r in records)
        mechanism = statistics.median(r["seconds"]["run"] for r in records)
        return Competitor(name, seconds, error, len(records), mechanism, statistics.median(warm) if warm else None)

    ours = competitor(OURS, finished["ours"])
    return Comparison(
        title=title,
        measure="mean total variation of a marginal" if metric == "mean_tv" else "mean error of a range, share of n",
        small_only=small_only,
        ours=replace(ours, warm=ours.mechanism),
        peers=tuple(competitor(label, finished[name]) for name, label in PEERS.items() if finished.get(name)),
        baselines={
            label: statistics.median(r[model][metric] for r in finished[name])
            for name, label in BASELINES.items()
            if finished.get(name)
        },
        unfinished=tuple(
            f"{PEERS.get(name, name)} ({r['why']})"
            for name, records in systems.items()
            for r in records
            if not r["finished"]
        ),
        records=tuple(r for records in systems.values() for r in records),
    )


def growths(records: RecordsByRow) -> list[Growth]:
    """The growth over each size, in the order n, d, |Q|, T."""
    measured = {name: records["growth"][name][0] for name in GROWTHS}
    return [
        Growth(r["of"], name, tuple(r["x"]), tuple(map(Spread.of, r["took"])), r["exponent"], r["error"])
        for name, r in measured.items()
    ]


def in_seconds(value: float) -> str:
    """ "0.38 s", "4.1 s", "132 s"."""
    return f"{share(value)} s" if value < 1 else f"{value:,.1f} s" if value < 10 else f"{value:,.0f} s"


def headline(comparison: Comparison) -> str:
    """Seconds and error of ours and of the first peer: the whole process, and the mechanism alone.

    The whole process favours ours, because peers import and compile more. The mechanism alone, once compiled, favours
    the peer.
    """
    ours, peer = comparison.ours, comparison.peers[0]
    seconds, of_ours = in_seconds(peer.seconds.middle), in_seconds(ours.mechanism)
    whole = f"{OURS} takes {in_seconds(ours.seconds.middle)} and {peer.name} {seconds} for a whole process with imports"
    if peer.warm is None:
        alone = (
            f"the mechanism alone takes {of_ours} and {in_seconds(peer.mechanism)} "
            f"(a compiled run of {peer.name} was not measured)"
        )
    else:
        alone = f"once compiled, the mechanism alone takes {of_ours} and {in_seconds(peer.warm)}"
    ratio = ours.error.middle / peer.error.middle
    return f"{whole} and compilation; {alone}. Our error is {ratio:.2g} times theirs"


def pace(growth: Growth) -> str:
    """The exponent in words: "Counting grows in proportion to n"."""
    work, size = GROWTHS[growth.name]
    if growth.exponent < 0.1:
        return f"{work} hardly grows with {size}"
    if growth.exponent < 0.85:
        return f"{work} grows more slowly than {size}"
    return f"{work} grows in proportion to {size}" if growth.exponent <= 1.15 else f"{work} grows faster than {size}"


def provenance(records: Iterable[Record]) -> str:
    """Dates and machines: "2026-11-21, Intel Xeon Processor @ 2.50GHz, 2 cores, pinned to one core"."""
    records = list(records)
    days, machines = sorted({r["date"] for r in records}), [r["machine"] for r in records if "machine" in r]
    names = {f"{re.sub(r'[(](R|TM)[)]', '', m['cpu'])}, {m['cores']} cores, {m['pinned']}" for m in machines}
    return "; ".join([" to ".join(dict.fromkeys((days[0], days[-1]))), *sorted(names)])


def seeds_behind(competitors: Sequence[Competitor]) -> str:
    """The number of seeds behind the points, and the meaning of the bars."""
    fewest, most = min(c.seeds for c in competitors), max(c.seeds for c in competitors)
    return f"Medians of {most if fewest == most else f'{fewest} to {most}'} seeds, bars from minimum to maximum"

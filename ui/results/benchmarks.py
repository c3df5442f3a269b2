"""The benchmarks' records, read for drawing: what took how long, and erred how much."""

import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ui.words.badges import Badge
from ui.words.numbers import count, share

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results.jsonl"
PUBLIC = Badge("benchmarks on public data", "exploring")
OURS = "MWEM Explorer"
Record = dict[str, Any]
Records = dict[str, dict[str, list[Record]]]  # by row and system, the newest of each seed
ROWS = {
    "Adult, pairs": ("T1", "Adult, 8 attributes: all 28 two-way marginals, ε = 1"),
    "Adult, triples": ("T2", "Adult, 8 attributes: all 56 three-way marginals, ε = 1"),
    "Adult, 14 columns": ("T3", "Adult, 14 attributes: all 364 three-way marginals, (1, 10⁻⁹)"),
    "Ranges": ("T4", "Adult's capital-loss by the dollar: 2,000 random ranges, ε = 0.1"),
    "NLTCS": ("T5", "NLTCS, 16 bits: all 560 three-way marginals, ε = 1"),
}
PEERS = {  # the first that is there is the one that titles speak of
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
WHAT = {"n": ("Counting", "n"), "d": ("A run", "d"), "Q": ("A run", "|Q|"), "T": ("A run", "T")}


@dataclass(frozen=True)
class Spread:
    """Least, median and most over the seeds."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """Of at least one value."""
        found = sorted(values)
        return cls(found[0], statistics.median(found), found[-1])


@dataclass(frozen=True)
class System:
    """One that takes part: whole-process seconds and the error of its rows; `warm` is the run with all compiled."""

    name: str
    seconds: Spread
    error: Spread
    seeds: int
    warm: float | None = None


@dataclass(frozen=True)
class Comparison:
    """One table and workload; `ours` runs `run` seconds of its whole process, as `warm` is counted for the others."""

    title: str
    measure: str
    few: bool  # judged on marginals of at most 10⁴ cells, as some were given no others
    ours: System
    run: float
    peers: tuple[System, ...]
    baselines: dict[str, float]
    unfinished: tuple[str, ...]
    records: tuple[Record, ...]


@dataclass(frozen=True)
class Growth:
    """Seconds over one size: `x` and the repeats at each, the fitted exponent and its standard error."""

    of: str
    name: str
    x: tuple[int, ...]
    seconds: tuple[Spread, ...]
    exponent: float
    error: float


def load(results: Path | None = None) -> Records:
    """What has been measured; a line that is still being written is not."""
    results = results or RESULTS
    text = results.read_text(encoding="utf-8") if results.exists() else ""
    newest: dict[str, dict[str, dict[int, Record]]] = {}
    for line in text.splitlines(keepends=True):
        if line.strip() and line.endswith("\n"):
            record = json.loads(line)
            newest.setdefault(record["row"], {}).setdefault(record["system"], {})[record["seed"]] = record
    return {row: {name: list(seeds.values()) for name, seeds in found.items()} for row, found in newest.items()}


def compared(records: Records) -> dict[str, Comparison]:
    """The rows in which ours has finished, by what people call them."""
    found = {name: _comparison(records.get(row, {}), title) for name, (row, title) in ROWS.items()}
    return {name: comparison for name, comparison in found.items() if comparison}


def _comparison(systems: dict[str, list[Record]], title: str) -> Comparison | None:
    done = {name: [r for r in some if r["finished"]] for name, some in systems.items()}
    if not done.get("ours"):
        return None
    few = "rows_small" in done["ours"][0]
    rows, model = ("rows_small", "model_small") if few else ("rows", "model")
    what = "mean_tv" if "mean_tv" in done["ours"][0][rows] else "mean"

    def system(name: str, some: list[Record]) -> System:
        warm = [r["warm"] for r in some if "warm" in r]
        seconds, error = Spread.of(r["wall"] for r in some), Spread.of(r[rows][what] for r in some)
        return System(name, seconds, error, len(some), statistics.median(warm) if warm else None)

    return Comparison(
        title=title,
        measure="mean total variation of a marginal" if what == "mean_tv" else "mean error of a range, share of n",
        few=few,
        ours=system(OURS, done["ours"]),
        run=statistics.median(r["seconds"]["run"] for r in done["ours"]),
        peers=tuple(system(label, done[name]) for name, label in PEERS.items() if done.get(name)),
        baselines={
            label: statistics.median(r[model][what] for r in done[name])
            for name, label in BASELINES.items()
            if done.get(name)
        },
        unfinished=tuple(
            f"{PEERS.get(name, name)} ({r['why']})" for name, some in systems.items() for r in some if not r["finished"]
        ),
        records=tuple(r for some in systems.values() for r in some),
    )


def grown(records: Records) -> list[Growth]:
    """The curves in the order n, d, |Q|, T."""
    found = records.get("growth", {})
    return [
        Growth(r["of"], name, tuple(r["x"]), tuple(map(Spread.of, r["took"])), r["exponent"], r["error"])
        for name in WHAT
        for r in found.get(name, [])[:1]
    ]


def by_attributes(records: Records) -> list[Record]:
    """Figure 6's, the first seed of each number of attributes."""
    return sorted((some[0] for some in records.get("figure 6", {}).values()), key=lambda r: r["attributes"])


Figure = tuple[str, str, str]  # name, value, what it is made from


def irrelevant(records: Records) -> list[Figure]:
    """Figure 7's: what 50 random bits beside Adult's 27 cost."""
    pair = sorted(records.get("figure 7", {}).items(), key=lambda item: len(item[0]))
    if len(pair) != 2:
        return []
    (few, one), (many, two) = pair
    told = []
    for label, told_as, part, key in (("Time", seconds, "seconds", "run"), ("Max error", share, "model", "max")):
        before, after = (statistics.median(r[part][key] for r in some) for some in (one, two))
        beneath = f"{told_as(before)} on {few}, {told_as(after)} on {many}; {count(len(two), 'seed')}"
        told.append((f"{label} with 50 random bits more", f"{after / before:.2f} ×", beneath))
    return told


def large(records: Records) -> list[Figure]:
    """Of the largest table: counting it beside a bare GROUP BY, and a whole run."""
    found = [(system, some[-1]) for system, some in records.get("large table", {}).items()]
    if not found:
        return []
    system, record = found[-1]
    ours, bare = record["count"]["ours"], record["count"]["bare"]
    counted = f"{seconds(ours)} to count {system}, DuckDB's own GROUP BY {seconds(bare)}"
    whole = f"whole process on {system}, {record['peak_mib'] / 1024:.1f} GiB at most"
    return [
        ("Counting beside GROUP BY", f"{ours / bare:.2f} ×", counted),
        ("A run on it", seconds(record["wall"]), whole),
    ]


def seconds(value: float) -> str:
    """ "0.38 s", "4.1 s", "132 s"."""
    return f"{share(value)} s" if value < 1 else f"{value:,.1f} s" if value < 10 else f"{value:,.0f} s"

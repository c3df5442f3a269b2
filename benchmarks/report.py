"""Tables from the results file: `python benchmarks/report.py` writes RESULTS.md."""

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rows import HERE, ROWS

Record = dict[str, Any]
RESULTS = HERE / "results.jsonl"
COSTS = {"wall": "wall s", "cpu": "CPU s", "seconds.run": "run s", "warm": "warm s", "peak_mib": "peak MiB"}
RATIOS = {"wall ×": ("wall", "wall"), "CPU ×": ("cpu", "cpu"), "warm ×": ("warm", "seconds.run")}
PARTS = ("rows", "model", "rows_small", "model_small")

LEGEND = """\
Medians over seeds; minimum and maximum in brackets. Wall seconds, CPU seconds and peak memory are those of a whole
fresh process, until its rows are written. `run` leaves out imports, reading the data and making rows. `warm` is a
second run of the mechanism in the same process, with the same choices, when everything it needs is compiled.

Errors are |true - synthetic|, each side a share of its own n. TV is half the L1 norm of a marginal's error, averaged
over the marginals. `rows` are the synthetic rows, `model` the model's own answers, `small` the marginals of at most 10⁴
cells.

Ratios divide a system's median by that of one of ours, which the last column names: the quickest whose error is no
larger. Above 1, ours is faster or has the smaller error. `warm ×` divides by the `run` of ours. Every mechanism should
beat the baselines `uniform`, `product` (of the true one-way marginals: not private) and `noise` (Laplace noise on every
marginal, or on the histogram). [README.md](README.md) says how to repeat the measurements."""


def main() -> None:
    """Write RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md")
    arguments = parser.parse_args()
    by_system = load(arguments.results)
    records = [r for seeds in by_system.values() for r in seeds]
    dates = sorted({r["date"] for r in records})
    origin = [" to ".join(dict.fromkeys((dates[0], dates[-1])))]
    machines = [r["machine"] for r in records if "machine" in r]
    origin += sorted({f"{m['cpu']}, {m['cores']} cores, {m['pinned']}, Python {m['python']}" for m in machines})
    versions = sorted({f"{name} {version}" for r in records for name, version in r.get("versions", {}).items()})
    text = ["# Results", "", f"{'; '.join(origin)}. {', '.join(versions)}.", "", LEGEND]
    for row in [row for row in ROWS if any(name == row for name, _ in by_system)]:
        text += ["", f"## {row} · {ROWS[row].title}", "", table(by_system, row), *elsewhere(by_system, row)]
    for row, (title, as_markdown) in SCALE.items():
        systems = {system: records for (name, system), records in by_system.items() if name == row}
        if systems:
            text += ["", f"## {title}", "", as_markdown(systems)]
    arguments.out.write_text("\n".join(text) + "\n", encoding="utf-8")


def load(results: Path) -> dict[tuple[str, str], list[Record]]:
    """The newest record of each seed, by row and system."""
    newest: dict[tuple[str, str], dict[int, Record]] = {}
    for line in results.read_text(encoding="utf-8").splitlines() if results.exists() else []:
        record = json.loads(line)
        newest.setdefault((record["row"], record["system"]), {})[record["seed"]] = record
    return {key: list(seeds.values()) for key, seeds in newest.items()}


def table(by_system: dict[tuple[str, str], list[Record]], row: str) -> str:
    """One row's systems in Markdown, ours first. Empty columns are left out."""
    systems = {system: records for (name, system), records in by_system.items() if name == row}
    has_tv = any("mean_tv" in r.get("model", {}) for records in systems.values() for r in records)
    metric = "mean_tv" if has_tv else "mean"
    errors = {
        f"{part}.{key}": f"{part}: {key}".replace("_tv", " TV").replace("_", " ")
        for part in PARTS
        for key in ("max", metric)
    }
    finished = {system: [r for r in records if r["finished"]] for system, records in systems.items()}
    lines = []
    for system in sorted(systems, key=lambda name: not name.startswith("ours")):
        done = finished[system]
        costs = {} if done and set(done[0]["seconds"]) == {"prepare"} else COSTS  # a baseline: its cost means nothing
        if done:
            line = {"system": system, "seeds": str(len(done))}
            line |= {head: _median_and_range(_values(done, key)) for key, head in (costs | errors).items()}
            key = next(f"{part}.{metric}" for part in PARTS if part in done[0])
            if over := _ours_beside(done, finished, key):
                of_ours = finished[over]
                for head, (cost, same) in RATIOS.items() if costs else ():
                    line[head] = _ratio(_values(done, cost), _values(of_ours, same))
                line |= {"error ×": _ratio(_values(done, key), _values(of_ours, key)), "over": over}
            lines.append(line)
        for r in systems[system]:
            if not r["finished"]:
                costs = {head: f"{short(r[key])}+" for key, head in COSTS.items() if key in r}
                lines.append({"system": system, "seeds": f"seed {r['seed']} unfinished: {r['why']}", **costs})
    heads = ["system", "seeds", *COSTS.values(), *errors.values(), *RATIOS, "error ×", "over"]
    return markdown(lines, [head for head in heads if any(line.get(head) for line in lines)])


def elsewhere(by_system: dict[tuple[str, str], list[Record]], row: str) -> list[str]:
    """A sentence for each machine, other than ours ran on, that names the systems of this row which ran on it."""
    records = {system: records[0] for (name, system), records in by_system.items() if name == row}
    of_ours = {r["machine"]["cpu"] for system, r in records.items() if system.startswith("ours")}
    others: dict[str, list[str]] = {}
    for system, r in records.items():
        if of_ours and r["machine"]["cpu"] not in of_ours:
            others.setdefault(f"{r['machine']['cpu']}, {r['date']}", []).append(system)
    return [f"\nRun on another machine than ours ({where}): {', '.join(named)}." for where, named in others.items()]


def _ours_beside(done: Sequence[Record], finished: dict[str, list[Record]], key: str) -> str | None:
    """The system of ours to compare with: the quickest whose error is no larger, or else the first."""
    ours = [name for name, records in finished.items() if name.startswith("ours") and records]
    error = statistics.median(_values(done, key))
    no_worse = [name for name in ours if (of := _values(finished[name], key)) and statistics.median(of) <= error]
    return min(no_worse or ours[:1], key=lambda name: statistics.median(_values(finished[name], "wall")), default=None)


def growth(systems: dict[str, list[Record]]) -> str:
    """The work, the exponent, and the seconds at each size."""
    lines = []
    for name, (record, *_) in systems.items():
        points = zip(record["x"], record["took"], strict=True)
        at = ", ".join(f"{x:,}: {_median_and_range(seconds)}" for x, seconds in points)
        power = f"{name}^{record['exponent']:.2f} ± {record['error']:.2f}"
        lines.append({"seconds of": record["of"], "grow as": power, "at": at})
    return markdown(lines, list(lines[0]))


SCALE = {
    "growth": ("Growth · one size varies, the rest is fixed; medians of fresh processes", growth),
}


def markdown(lines: Sequence[dict[str, str]], heads: Sequence[str]) -> str:
    """A table, its columns named by `heads`."""
    cells = [heads, ["---"] * len(heads), *([line.get(head, "") for head in heads] for line in lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _values(records: Sequence[Record], key: str) -> list[float]:
    outer, _, inner = key.partition(".")
    values = [r.get(outer, {}).get(inner) if inner else r.get(outer) for r in records]
    return [value for value in values if value is not None]


def _median_and_range(values: Sequence[float]) -> str:
    """The median, and the range if the values differ."""
    if not values:
        return ""
    low, middle, high = short(min(values)), short(statistics.median(values)), short(max(values))
    return middle if low == high else f"{middle} ({low}–{high})"


def _ratio(numerator: Sequence[float], denominator: Sequence[float]) -> str:
    return f"{statistics.median(numerator) / statistics.median(denominator):.3g}" if numerator and denominator else ""


def short(value: float) -> str:
    """About three significant digits."""
    return f"{value:,.0f}" if value >= 100 or not value else f"{value:.3g}" if value >= 0.1 else f"{value:.4f}"


if __name__ == "__main__":
    main()

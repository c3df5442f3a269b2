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
Medians over seeds, least to most in brackets. Wall and CPU seconds and the peak are of a whole fresh process until its
rows are written; `run` leaves out imports, reading and rows; `warm` is the mechanism once more, with the same choices,
in a process that has compiled what it needs. Errors are |true - synthetic|, each side a share of its own n; TV is half
the L1 norm per marginal, averaged; `rows` are what a user takes away, `model` the model's own answers; `small` are the
marginals of at most 10⁴ cells. Ratios are a system's median over that of the quickest of ours that errs no more, which
the last column names: above 1, ours is faster or errs less; `warm ×` is over its run. `uniform`, `product` (of the true
one-way marginals: not private) and `noise` (Laplace on every marginal, or on the histogram) are what no mechanism
should lose to. [README.md](README.md) says how to repeat it."""


def main() -> None:
    """Write RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md")
    given = parser.parse_args()
    found = load(given.results)
    records = [r for some in found.values() for r in some]
    dates = sorted({r["date"] for r in records})
    told = [" to ".join(dict.fromkeys((dates[0], dates[-1])))]
    machines = [r["machine"] for r in records if "machine" in r]
    told += sorted({f"{m['cpu']}, {m['cores']} cores, {m['pinned']}, Python {m['python']}" for m in machines})
    versions = sorted({f"{name} {version}" for r in records for name, version in r.get("versions", {}).items()})
    text = ["# Results", "", f"{'; '.join(told)}. {', '.join(versions)}.", "", LEGEND]
    for row in [row for row in ROWS if any(name == row for name, _ in found)]:
        text += ["", f"## {row} · {ROWS[row].title}", "", table(found, row)]
    for row, (title, made) in SCALE.items():
        systems = {system: records for (name, system), records in found.items() if name == row}
        if systems:
            text += ["", f"## {title}", "", made(systems)]
    given.out.write_text("\n".join(text) + "\n", encoding="utf-8")


def load(results: Path) -> dict[tuple[str, str], list[Record]]:
    """The newest record of each seed, by row and system."""
    newest: dict[tuple[str, str], dict[int, Record]] = {}
    for line in results.read_text(encoding="utf-8").splitlines() if results.exists() else []:
        record = json.loads(line)
        newest.setdefault((record["row"], record["system"]), {})[record["seed"]] = record
    return {key: list(seeds.values()) for key, seeds in newest.items()}


def table(found: dict[tuple[str, str], list[Record]], row: str) -> str:
    """One row's systems in Markdown, ours first; columns nobody has anything to say in are left out."""
    systems = {system: records for (name, system), records in found.items() if name == row}
    what = "mean_tv" if any("mean_tv" in r.get("model", {}) for some in systems.values() for r in some) else "mean"
    errors = {
        f"{part}.{key}": f"{part}: {key}".replace("_tv", " TV").replace("_", " ")
        for part in PARTS
        for key in ("max", what)
    }
    finished = {system: [r for r in some if r["finished"]] for system, some in systems.items()}
    lines = []
    for system in sorted(systems, key=lambda name: not name.startswith("ours")):
        done = finished[system]
        costs = {} if done and set(done[0]["seconds"]) == {"prepare"} else COSTS  # a baseline costs nothing
        if done:
            line = {"system": system, "seeds": str(len(done))}
            line |= {head: _figure(_values(done, key)) for key, head in (costs | errors).items()}
            key = next(f"{part}.{what}" for part in PARTS if part in done[0])
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


def _ours_beside(done: Sequence[Record], finished: dict[str, list[Record]], key: str) -> str | None:
    """Which of ours to set a system beside: the quickest that errs no more than it, or the first of them."""
    ours = [name for name, some in finished.items() if name.startswith("ours") and some]
    error = statistics.median(_values(done, key))
    able = [name for name in ours if (of := _values(finished[name], key)) and statistics.median(of) <= error]
    return min(able or ours[:1], key=lambda name: statistics.median(_values(finished[name], "wall")), default=None)


def figure_6(systems: dict[str, list[Record]]) -> str:
    """A line for each number of attributes: whole processes, and the share of each phase."""
    lines = []
    for system, records in sorted(systems.items(), key=lambda item: item[1][0]["attributes"]):
        heads = {
            "queries": "queries",
            "wall": "wall s",
            "peak_mib": "peak MiB",
            "cells": "cells held",
            "pairs": "pairs",
        }
        line = {"": system} | {head: _figure(_values(records, key)) for key, head in heads.items()}
        line["largest component"] = _figure(_values(records, "largest"))
        for phase in records[0]["phases"]:
            took = statistics.median(r["phases"][phase] for r in records)
            line[f"{phase} s"] = (
                f"{short(took)} ({statistics.median(r['phases'][phase] / r['wall'] for r in records):.0%})"
            )
        lines.append(line)
    return markdown(lines, list(lines[0])) + "\n\n" + PHASES


def figure_7(systems: dict[str, list[Record]]) -> str:
    """Both, and how many times as much the random bits make it; `model` is on the 2,925 marginals of both."""
    heads = {"wall": "wall s", "seconds.run": "run s", "peak_mib": "peak MiB"}
    heads |= {
        f"{part}.{key}": f"{part}: {key}".replace("_", " ")
        for part in ("model", "model_all")
        for key in ("max", "mean_tv")
    }
    few, many = sorted(systems.items(), key=lambda item: len(item[0]))
    lines = [
        {"": system, "seeds": str(len(records))} | {head: _figure(_values(records, key)) for key, head in heads.items()}
        for system, records in (few, many)
    ]
    lines.append(
        {"": "ratio"} | {head: _ratio(_values(many[1], key), _values(few[1], key)) for key, head in heads.items()}
    )
    return markdown(lines, list(lines[0]))


def growth(systems: dict[str, list[Record]]) -> str:
    """What varies, its exponent, and the seconds at each point."""
    lines = []
    for name, (record, *_) in systems.items():
        points = zip(record["x"], record["took"], strict=True)
        told = ", ".join(f"{x:,}: {_figure(seconds)}" for x, seconds in points)
        power = f"{name}^{record['exponent']:.2f} ± {record['error']:.2f}"
        lines.append({"seconds of": record["of"], "grow as": power, "at": told})
    return markdown(lines, list(lines[0]))


def large_table(systems: dict[str, list[Record]]) -> str:
    """Our count beside the bare GROUP BY, and a whole run."""
    heads = {"count.ours": "our count s", "count.bare": "bare GROUP BY s", "ratio": "ratio", "wall": "whole run s"}
    heads |= {"peak_mib": "peak MiB"}
    lines = [
        {"": system} | {head: _figure(_values(records, key)) for key, head in heads.items()}
        for system, records in systems.items()
    ]
    return markdown(lines, list(lines[0]))


PHASES = """\
`cells held` and `largest component` (attributes) are the last model's, `pairs` how many measurements were of two
attributes. `records` makes the table, `workload` the queries; `count` is the truth; `score`, `select`, `measure` and
`update` are summed over the rounds, `rest` is the loop's own; `start` is Python with its imports."""
SCALE = {
    "figure 6": ("Figure 6 · 100,000 records of d bits, all parities of up to two, T = d, ε = 1", figure_6),
    "figure 7": (
        "Figure 7 · Adult as 27 bits, all 2,925 three-way marginals, T = 30, ε = 1; and 50 random bits",
        figure_7,
    ),
    "growth": ("Growth · one size varies, the rest is fixed; medians of fresh processes", growth),
    "large table": ("A table larger than memory", large_table),
}


def markdown(lines: Sequence[dict[str, str]], heads: Sequence[str]) -> str:
    """A table, its columns named by `heads`."""
    cells = [heads, ["---"] * len(heads), *([line.get(head, "") for head in heads] for line in lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _values(records: Sequence[Record], key: str) -> list[float]:
    outer, _, inner = key.partition(".")
    found = [r.get(outer, {}).get(inner) if inner else r.get(outer) for r in records]
    return [value for value in found if value is not None]


def _figure(values: Sequence[float]) -> str:
    """Median, and from least to most where they differ."""
    if not values:
        return ""
    low, middle, high = short(min(values)), short(statistics.median(values)), short(max(values))
    return middle if low == high else f"{middle} ({low}–{high})"


def _ratio(above: Sequence[float], below: Sequence[float]) -> str:
    return f"{statistics.median(above) / statistics.median(below):.3g}" if above and below else ""


def short(value: float) -> str:
    """Three digits or so."""
    return f"{value:,.0f}" if value >= 100 or not value else f"{value:.3g}" if value >= 0.1 else f"{value:.4f}"


if __name__ == "__main__":
    main()

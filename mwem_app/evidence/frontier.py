"""How Automatic compares with the best other private system: the ratios that `benchmarks/frontier.py` reports."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

import plotly.graph_objects as go

from mwem_app.base import BENCHMARKS, count
from mwem_app.charts import GREY, TEAL, Chart, log_axis, on_paper, row_axis, safe
from mwem_app.evidence.benchmarks import PUBLIC
from mwem_core.systems import SYSTEMS

RATIOS = BENCHMARKS / "frontier.csv"
CLOSE = 1.05
MARKS = {"fitted on": "", "judged on": " (judged)", "watched": " (watched)"}  # beside a table, by its group
ROW_HEIGHT = 30  # pixels for a table
SPREAD = 0.6  # of a row's height, over which its ε are spread


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


def frontier_settings(ratios: Path = RATIOS) -> dict[str, list[Setting]]:
    """The settings of each version of Automatic, oldest first."""
    versions: dict[str, list[Setting]] = {}
    for line in csv.DictReader(ratios.read_text(encoding="utf-8").splitlines()):
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


def ratios_by_table(versions: dict[str, list[Setting]]) -> Chart:
    """Ratios on a logarithmic axis, a row for each table; within a row ε grows downwards. Hollow: δ > 0."""
    *_, (newest, settings) = versions.items()
    drawn = sorted((s for of in versions.values() for s in of), key=lambda s: [*MARKS].index(s.group))
    tables, epsilons = [*dict.fromkeys(s.table for s in drawn)], sorted({s.epsilon for s in drawn})
    traces = [
        _points(version, of, tables, epsilons, TEAL if version == newest else GREY) for version, of in versions.items()
    ]
    groups = {s.table: s.group for s in drawn}
    figure = on_paper(
        traces,
        height=ROW_HEIGHT * len(tables) + 80,
        hovermode="closest",
        xaxis=log_axis([1, *(s.ratio for s in drawn)])
        | {"title": {"text": "mean TV over that of the best other private system", "standoff": 6}},
        yaxis=row_axis([safe(table + MARKS[groups[table]]) for table in tables]),
    )
    figure.add_vline(1, line={"color": GREY, "dash": "dash", "width": 1})
    by_table = {table: [s.ratio for s in settings if s.table == table] for table in tables}
    parts = ", ".join(
        f"{table} {geometric_mean(ratios):.2f}, at most {max(ratios):.2f}"
        for table, ratios in by_table.items()
        if ratios
    )
    alt = f"Mean TV of version {newest} over that of the best other private system, geometric mean by table: {parts}."
    return Chart(_title(versions), PUBLIC, figure, alt)


def _points(
    version: str, settings: Sequence[Setting], tables: Sequence[str], epsilons: Sequence[float], color: str
) -> go.Scatter:
    step = SPREAD / max(1, len(epsilons) - 1)
    return go.Scatter(
        x=[s.ratio for s in settings],
        y=[tables.index(s.table) + step * epsilons.index(s.epsilon) - SPREAD / 2 for s in settings],
        name=version,
        mode="markers",
        marker={
            "color": color,
            "size": 7,
            "opacity": 0.75,
            "symbol": ["circle-open" if s.delta else "circle" for s in settings],
        },
        text=[
            f"{safe(s.table)}, {s.workload.removeprefix('marginals:')}-way, ε = {s.epsilon:g}"
            + (f", δ = {s.delta:g}" if s.delta else "")
            + f"<br>best other: {s.best}"
            for s in settings
        ],
        hovertemplate="%{text}<br>ratio %{x:.2f}<extra>%{fullData.name}</extra>",
    )


def _title(versions: dict[str, list[Setting]]) -> str:
    *earlier, newest = versions.values()
    title = (
        f"Automatic errs at most {CLOSE - 1:.0%} more than the best other private system in "
        f"{share_close(newest):.0%} of {count(len(newest), 'setting')}"
    )
    return f"{title}; that of {next(iter(versions))} in {share_close(earlier[0]):.0%}" if earlier else title

"""A run as one HTML file that opens offline: its guarantee, settings, charts and rounds."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from plotly.offline import get_plotlyjs

from mwem_app.base import PRIVATE, count, run_badge
from mwem_app.charts import Chart, distance_map, measured_pairs, pair_heat
from mwem_app.run.run_charts import (
    MAX_COMPARED_COLUMNS,
    MAX_PAIR_CELLS,
    SOURCES,
    accuracy,
    error_by_round,
    marginal_bars,
    pair_distances,
    residual_by_round,
)
from mwem_core.automatic import turn_of
from mwem_core.base import template
from mwem_core.domain import Records
from mwem_core.judge import Errors
from mwem_core.output import Run, json_text, manifest, script
from mwem_core.systems import SYSTEMS

PAGE = template(Path(__file__).with_suffix(".html.jinja"))
MAX_REPORT_COLUMNS = 40
MAX_REPORT_PAIRS = 3


def html_report(
    run: Run, rows: Records, *, truth: Records | None = None, errors: Sequence[Errors] | None = None
) -> str:
    """Return the report on a run and its rows, beside `truth` and with the `errors` by round, if they are given.

    With either of them the report is made from the private data and says so at the top. Without them it carries the
    run's statement alone. The page contains everything it needs, and its content security policy forbids fetching.
    """
    charts: list[Chart] = []

    def with_numbers(group: list[Chart]) -> list[tuple[int, Chart]]:
        """The charts, each with its place among those of the page."""
        charts.extend(group)
        return list(enumerate(group, len(charts) - len(group)))

    badge, turn, n = run_badge(run), turn_of(run.chosen), run.model.total if truth is None else truth.total
    rounds = with_numbers([*([error_by_round(errors, n, turn)] if errors else []), residual_by_round(run)])
    distances = []
    if truth is not None and 1 < len(run.domain) <= MAX_COMPARED_COLUMNS:
        distances = with_numbers([distance_map(run.domain.names, pair_distances(rows, truth))])
    shown = range(min(len(run.domain), MAX_REPORT_COLUMNS))
    columns = with_numbers([marginal_bars(a, rows, truth, badge) for a in shown])
    measured = [S for S in measured_pairs(run) if run.domain.cells(S) <= MAX_PAIR_CELLS][:MAX_REPORT_PAIRS]
    pairs = [(run.domain.label(S), with_numbers(pair_heat(S, rows, truth, badge))) for S in measured]
    page = PAGE(
        run=run,
        system=SYSTEMS[run.system].title,
        badge=badge if truth is None and errors is None else PRIVATE,
        private=PRIVATE,
        settings=_settings(run, rows),
        turn=turn,
        rounds=rounds,
        round_lines=_round_lines(run),
        sources=SOURCES,
        accuracy=[] if truth is None else [[name, *cells] for name, cells in accuracy(run, rows, truth).items()],
        distances=distances,
        rows=rows.total,
        columns=columns,
        not_drawn=len(run.domain) - len(columns),
        pairs=pairs,
        repeat={"Script": script(run), "Manifest": json_text(manifest(run))},
        plotly=get_plotlyjs(),
        charts=",".join(str(chart.figure.to_json()) for chart in charts).replace("<", "\\u003c"),
    )
    return str(page)


def _settings(run: Run, rows: Records) -> dict[str, str]:
    facts, ledger = manifest(run), run.rounds[-1].ledger
    parts = {"select": ledger.select, "measure": ledger.measure, "start": ledger.start}
    split = ", ".join(f"{amount:.3g} to {purpose}" for purpose, amount in parts.items() if amount)
    unit = (
        ""
        if ledger.budget.unit == "ε"
        else f"{ledger.budget.unit} = {ledger.spent:.4g} of {ledger.budget.amount:.4g}: "
    )
    attributes = ", ".join(f"{a.name} ({a.size:,})" for a in run.domain.attributes)
    return {
        "Guarantee": f"ε = {facts['epsilon']:g}, δ = {facts['delta']:g}; {facts['neighbours']}",
        "Spent": f"ε = {run.epsilon_spent:.4g}; {unit}{split or 'nothing'}",
        "Method": f"{SYSTEMS[run.system].title}, {run.ran}" if run.ran else SYSTEMS[run.system].title,
        f"{turn_of(run.chosen).capitalize()}s": f"{facts['rounds']:,}",
        "Workload": f"{run.workload.name}: {run.workload.size:,} queries ({run.workload.spec})",
        "Attributes (number of values)": f"{attributes}; {run.domain.size:,} cells",
        "Rows": f"{rows.total:,}",
        "Settings": f"{run.system}: "
        + ", ".join(f"{key} {_setting_text(value)}" for key, value in facts["settings"].items()),
        "Seed": "none" if run.seed is None else f"{run.seed}",
        "Versions": ", ".join(f"{name} {version}" for name, version in facts["versions"].items()),
    }


def _setting_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else f"{value}"


def _round_lines(run: Run) -> list[list[str]]:
    """A line of the table for each round."""
    lines, turn = [], turn_of(run.chosen)
    for entry in run.rounds:
        m, spent = entry.measurement, f"{entry.ledger.spent:.4g}"
        distances = [f"{entry.residual:,.0f}", f"{entry.expected_noise:,.0f}"]
        if entry.planned:
            once = run.ran if entry.index == 1 else ""  # said once
            measured = once if turn == "step" else count(len(entry.planned), entry.planned_unit)
            lines.append([f"{entry.index}", entry.label, measured, "", *distances, spent])
        elif m is None:
            lines.append([f"{entry.index}", "start", "", "", "", "", spent])
        else:
            cells = np.size(m.value)
            value = f"{float(np.asarray(m.value)):,.1f}" if cells == 1 else f"{cells:,} cells"
            lines.append([f"{entry.index}", entry.label, value, f"{m.scale:,.1f}", *distances, spent])
    return lines

"""A run as one HTML file that opens offline: what was done, whether it is private, the charts and every round."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
from plotly.offline import get_plotlyjs

from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import Errors
from mwem_core.release.manifest import manifest, to_json
from mwem_core.release.run import Run
from mwem_core.release.script import script
from ui.figures.bars import marginal_bars
from ui.figures.chart import Chart
from ui.figures.heat import distance_map, measured_pairs, pair_heat
from ui.figures.rounds import error_by_round, surprise_by_round
from ui.results.accuracy import MAX_COMPARED_COLUMNS, MAX_PAIR_CELLS, SOURCES, accuracy, pair_distances
from ui.words.badges import PRIVATE, Badge, chart_badge, file_badge

HERE = Path(__file__).parent
PAGE, STYLE, DRAW = ((HERE / f"report.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
MOST_COLUMNS = 40  # drawn in a report
PAIRS = 3  # drawn as heat maps


def html_report(
    run: Run, rows: Records, *, truth: Records | None = None, errors: Sequence[Errors] | None = None
) -> str:
    """The report on a run and the rows drawn from it: beside `truth`, and with the `errors` by round, where given.

    With either it is made from the private data and says so on top; without, it says what the run's statement says.
    Everything is inlined: nothing is fetched, and a policy in the page forbids it.
    """
    badge = PRIVATE if truth or errors else file_badge(run)
    columns, pairs, rounds = _columns(run, rows, truth), _pairs(run, rows, truth), _rounds(run, truth, errors)
    overview = []
    if truth is not None and 1 < len(run.domain) <= MAX_COMPARED_COLUMNS:
        overview = [distance_map(run.domain.names, pair_distances(rows, truth))]
    charts = [*rounds, *overview, *columns, *(chart for _, three in pairs for chart in three)]
    place = {id(chart): i for i, chart in enumerate(charts)}

    def drawn(some: Sequence[Chart], kind: str) -> str:
        return f'<div class="charts {kind}">' + "".join(_figure(chart, place[id(chart)]) for chart in some) + "</div>"

    beside = "Original beside synthetic" if truth else "The synthetic rows"
    hidden = len(run.domain) - len(columns)
    body = [
        f"<header><p>MWEM run</p><h1>{escape(run.table)}</h1>{_badge(badge)}</header>",
        f'<p class="banner {badge.kind}">{escape(run.statement)}'
        + (" This report shows the private data: keep it where the data is kept." if badge is PRIVATE else "")
        + "</p>",
        "<section><h2>What was done</h2>" + _summary(run, rows) + "</section>",
        "<section><h2>Round by round</h2>" + drawn(rounds, "two") + _round_table(run) + "</section>",
        "" if truth is None else "<section><h2>How far from the truth</h2>" + _badge(PRIVATE)
        + _table(["", *SOURCES], [[name, *cells] for name, cells in accuracy(run, rows, truth).items()])
        + drawn(overview, "one") + "</section>",
        f"<section><h2>{beside}</h2><p>{rows.total:,} rows.</p>" + drawn(columns, "flow")
        + (f"<p>{hidden} more columns are not drawn.</p>" if hidden else "") + "</section>",
        *(f"<section><h2>{escape(name)}</h2>" + drawn(three, "three") + "</section>" for name, three in pairs),
        "<section><h2>To repeat it</h2>" + _repeat(run) + "</section>",
    ]  # fmt: skip
    data = ",".join(str(chart.figure.to_json()) for chart in charts).replace("<", "\\u003c")
    return PAGE.format(
        title=escape(f"MWEM run on {run.table}"), style=STYLE, body="\n".join(body), plotly=get_plotlyjs(),
        charts=f"[{data}]", draw=DRAW,
    )  # fmt: skip


def _columns(run: Run, rows: Records, truth: Records | None) -> list[Chart]:
    return [marginal_bars(a, rows, truth, chart_badge(run)) for a in range(min(len(run.domain), MOST_COLUMNS))]


def _pairs(run: Run, rows: Records, truth: Records | None) -> list[tuple[str, list[Chart]]]:
    """The first pairs that were measured, as heat maps."""
    chosen = [S for S in measured_pairs(run) if run.domain.cells(S) <= MAX_PAIR_CELLS][:PAIRS]
    return [(run.domain.label(S), pair_heat(S, rows, truth, chart_badge(run))) for S in chosen]


def _rounds(run: Run, truth: Records | None, errors: Sequence[Errors] | None) -> list[Chart]:
    n = run.model.total if truth is None else truth.total
    return [*([error_by_round(errors, n)] if errors else []), surprise_by_round(run)]


def _summary(run: Run, rows: Records) -> str:
    done, ledger = manifest(run), run.rounds[-1].ledger
    parts = {"select": ledger.select, "measure": ledger.measure, "start": ledger.start}
    split = ", ".join(f"{amount:.3g} to {what}" for what, amount in parts.items() if amount)
    unit = (
        ""
        if ledger.budget.unit == "ε"
        else f"{ledger.budget.unit} = {ledger.spent:.4g} of {ledger.budget.amount:.4g}: "
    )
    attributes = ", ".join(f"{a.name} ({a.size:,})" for a in run.domain.attributes)
    items = {
        "Guarantee": f"ε = {run.settings.epsilon:g}, δ = {run.settings.delta:g}; {done['neighbours']}",
        "Spent": f"ε = {run.epsilon_spent:.4g}; {unit}{split or 'nothing'}",
        "Rounds": f"{done['rounds']:,}",
        "Questions": f"{run.workload.name}: {run.workload.size:,} queries ({run.workload.spec})",
        "Attributes, with their values": f"{attributes}; {run.domain.size:,} cells",
        "Rows": f"{rows.total:,}",
        "Settings": f"{run.preset}: "
        + ", ".join(f"{key} {_plainly(value)}" for key, value in done["settings"].items()),
        "Seed": "none" if run.seed is None else f"{run.seed}",
        "Versions": ", ".join(f"{name} {version}" for name, version in done["versions"].items()),
    }
    return "<dl>" + "".join(f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>" for key, text in items.items()) + "</dl>"


def _plainly(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else f"{value}"


def _round_table(run: Run) -> str:
    unit = run.rounds[-1].ledger.budget.unit
    lines = []
    for entry in run.rounds:
        m, spent = entry.measurement, f"{entry.ledger.spent:.4g}"
        if m is None:
            lines.append([f"{entry.index}", "the start", "", "", "", "", spent])
            continue
        cells = np.size(m.value)
        value = f"{float(np.asarray(m.value)):,.1f}" if cells == 1 else f"{cells:,} cells"
        surprise = [f"{entry.residual:,.0f}", f"{entry.expected_noise:,.0f}"]
        lines.append([f"{entry.index}", entry.label, value, f"{m.scale:,.1f}", *surprise, spent])
    head = ["round", "asked", "measured", "noise scale", "surprise", "expected noise", f"spent, {unit}"]
    about = (
        "Measured values, scales, surprise and noise in records; surprise is what a measurement differed by from the"
    )
    return _table(head, lines, words=2) + f"<p class=about>{about} model before it, summed over its cells.</p>"


def _repeat(run: Run) -> str:
    parts = {"Script": script(run), "Manifest": to_json(manifest(run))}
    return "".join(
        f"<details><summary>{name}</summary><pre><code>{escape(text)}</code></pre></details>"
        for name, text in parts.items()
    )


def _figure(chart: Chart, place: int) -> str:
    note = f"<span class=note>{escape(chart.note)}</span>" if chart.note else ""
    height = chart.figure.layout.height
    return (
        f"<figure><figcaption><h3>{escape(chart.title)}</h3>{note}{_badge(chart.badge)}</figcaption>"
        f'<div class=plot role=img aria-label="{escape(chart.alt)}" data-chart={place} style="height:{height}px">'
        f"{escape(chart.alt)}</div></figure>"
    )


def _badge(badge: Badge) -> str:
    return f'<span class="badge {badge.kind}">{escape(badge.text)}</span>'


def _table(head: Sequence[str], lines: Sequence[Sequence[str]], *, words: int = 1) -> str:
    """A table whose first columns, `words` of them, are words and the others numbers."""

    def row(cell: str, line: Sequence[str]) -> str:
        return "".join(
            f"<{cell}{' class=words' if i < words else ''}>{escape(text)}</{cell}>" for i, text in enumerate(line)
        )

    top, rest = row("th", head), "".join(f"<tr>{row('td', line)}</tr>" for line in lines)
    return f"<div class=wide><table><thead><tr>{top}</tr></thead><tbody>{rest}</tbody></table></div>"

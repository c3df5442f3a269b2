"""A run as one HTML file that opens offline: its guarantee, settings, charts and rounds."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
from plotly.offline import get_plotlyjs

from mwem_app.figures.bars import marginal_bars
from mwem_app.figures.chart import Chart
from mwem_app.figures.heat import distance_map, measured_pairs, pair_heat
from mwem_app.figures.rounds import error_by_round, residual_by_round
from mwem_app.results.accuracy import MAX_COMPARED_COLUMNS, MAX_PAIR_CELLS, SOURCES, accuracy, pair_distances
from mwem_app.words.badges import PRIVATE, Badge, run_badge
from mwem_app.words.numbers import count
from mwem_core.automatic.in_words import turn_of
from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import Errors
from mwem_core.release.manifest import json_text, manifest
from mwem_core.release.run import Run
from mwem_core.release.script import script
from mwem_core.systems import SYSTEMS

HERE = Path(__file__).parent
PAGE, STYLE, DRAW = ((HERE / f"report.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
MAX_REPORT_COLUMNS = 40
MAX_REPORT_PAIRS = 3


def html_report(
    run: Run, rows: Records, *, truth: Records | None = None, errors: Sequence[Errors] | None = None
) -> str:
    """Return the report on a run and its rows, beside `truth` and with the `errors` by round, if they are given.

    With either of them the report is made from the private data and says so at the top. Without them it carries the
    run's statement alone. The page contains everything it needs, and its content security policy forbids fetching.
    """
    badge, turns = run_badge(run) if truth is None and errors is None else PRIVATE, turn_of(run.chosen)
    columns, pairs, rounds = _columns(run, rows, truth), _pairs(run, rows, truth), _rounds(run, truth, errors)
    distances = []
    if truth is not None and 1 < len(run.domain) <= MAX_COMPARED_COLUMNS:
        distances = [distance_map(run.domain.names, pair_distances(rows, truth))]
    charts = [*rounds, *distances, *columns, *(chart for _, maps in pairs for chart in maps)]
    index = {id(chart): i for i, chart in enumerate(charts)}

    def drawn(group: Sequence[Chart], layout: str) -> str:
        return (
            f'<div class="charts {layout}">' + "".join(_figure(chart, index[id(chart)]) for chart in group) + "</div>"
        )

    rows_title = "Original beside synthetic" if truth else "The synthetic rows"
    not_drawn = len(run.domain) - len(columns)
    body = [
        f"<header><p>{escape(SYSTEMS[run.system].title)}</p><h1>{escape(run.table)}</h1>{_badge(badge)}</header>",
        f'<div class="banner {badge.kind}"><p>{escape(run.publication.headline)}'
        + (" This report shows the private data: protect it as you protect the data." if badge is PRIVATE else "")
        + "</p>" + _reasons(run) + "</div>",
        "<section><h2>Settings and guarantee</h2>" + _summary(run, rows) + "</section>",
        f"<section><h2>{turns.capitalize()}s</h2>" + drawn(rounds, "two") + _round_table(run) + "</section>",
        "" if truth is None else "<section><h2>Error against the truth</h2>" + _badge(PRIVATE)
        + _table(["metric", *SOURCES], [[name, *cells] for name, cells in accuracy(run, rows, truth).items()])
        + drawn(distances, "one") + "</section>",
        f"<section><h2>{rows_title}</h2><p>{rows.total:,} rows.</p>" + drawn(columns, "flow")
        + (f"<p>{not_drawn} more columns are not drawn.</p>" if not_drawn else "") + "</section>",
        *(f"<section><h2>{escape(name)}</h2>" + drawn(maps, "three") + "</section>" for name, maps in pairs),
        "<section><h2>Repeat this run</h2>" + _repeat(run) + "</section>",
    ]  # fmt: skip
    data = ",".join(str(chart.figure.to_json()) for chart in charts).replace("<", "\\u003c")
    title = f"{SYSTEMS[run.system].title} on {run.table}"
    return PAGE.format(
        title=escape(title), style=STYLE, body="\n".join(body), plotly=get_plotlyjs(),
        charts=f"[{data}]", draw=DRAW,
    )  # fmt: skip


def _columns(run: Run, rows: Records, truth: Records | None) -> list[Chart]:
    return [marginal_bars(a, rows, truth, run_badge(run)) for a in range(min(len(run.domain), MAX_REPORT_COLUMNS))]


def _pairs(run: Run, rows: Records, truth: Records | None) -> list[tuple[str, list[Chart]]]:
    """Heat maps of the first measured pairs, with the pair's name."""
    measured = [S for S in measured_pairs(run) if run.domain.cells(S) <= MAX_PAIR_CELLS][:MAX_REPORT_PAIRS]
    return [(run.domain.label(S), pair_heat(S, rows, truth, run_badge(run))) for S in measured]


def _rounds(run: Run, truth: Records | None, errors: Sequence[Errors] | None) -> list[Chart]:
    n = run.model.total if truth is None else truth.total
    return [*([error_by_round(errors, n, turn_of(run.chosen))] if errors else []), residual_by_round(run)]


def _summary(run: Run, rows: Records) -> str:
    facts, ledger = manifest(run), run.rounds[-1].ledger
    parts = {"select": ledger.select, "measure": ledger.measure, "start": ledger.start}
    split = ", ".join(f"{amount:.3g} to {purpose}" for purpose, amount in parts.items() if amount)
    unit = (
        ""
        if ledger.budget.unit == "ε"
        else f"{ledger.budget.unit} = {ledger.spent:.4g} of {ledger.budget.amount:.4g}: "
    )
    attributes = ", ".join(f"{a.name} ({a.size:,})" for a in run.domain.attributes)
    items = {
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
    return "<dl>" + "".join(f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>" for key, text in items.items()) + "</dl>"


def _setting_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else f"{value}"


def _round_table(run: Run) -> str:
    unit, turn = run.rounds[-1].ledger.budget.unit, turn_of(run.chosen)
    lines = []
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
    what = "what it fits" if turn == "step" else "measured query"
    head = [turn, what, "value", "noise scale", "residual", "expected noise", f"spent, {unit}"]
    about = (
        f"Values, scales, residuals and noise are in records. The residual of a {turn} is the distance between its "
        "measurement and the model before it, |m − q(A)|, summed over the measured cells."
    )
    return _table(head, lines, text_columns=2) + f"<p class=about>{about}</p>"


def _repeat(run: Run) -> str:
    parts = {"Script": script(run), "Manifest": json_text(manifest(run))}
    return "".join(
        f"<details><summary>{name}</summary><pre><code>{escape(text)}</code></pre></details>"
        for name, text in parts.items()
    )


def _figure(chart: Chart, index: int) -> str:
    note = f"<span class=note>{escape(chart.note)}</span>" if chart.note else ""
    height = chart.figure.layout["height"]
    return (
        f"<figure><figcaption><h3>{escape(chart.title)}</h3>{note}{_badge(chart.badge)}</figcaption>"
        f'<div class=plot role=img aria-label="{escape(chart.spoken)}" data-chart={index} style="height:{height}px">'
        f"{escape(chart.spoken)}</div></figure>"
    )


def _reasons(run: Run) -> str:
    """The reasons of the run's verdict, and the remedy of each, as a list."""
    items = (f"<li>{escape(reason.text)}: {escape(reason.remedy)}.</li>" for reason in run.publication.reasons)
    return f"<ul>{''.join(items)}</ul>"


def _badge(badge: Badge) -> str:
    return f'<span class="badge {badge.kind}">{escape(badge.text)}</span>'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, text_columns: int = 1) -> str:
    """An HTML table. The first `text_columns` columns hold text, the others numbers."""

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{' class=words' if i < text_columns else ''}>{escape(text)}</{tag}>" for i, text in enumerate(texts)
        )

    header, body = cells("th", head), "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<div class=wide><table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></div>"

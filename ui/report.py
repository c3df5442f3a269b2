"""A run as one HTML file that opens offline: what was done, whether it is private, the charts and every round."""

from collections.abc import Sequence
from html import escape
from itertools import combinations

import numpy as np
from plotly.offline import get_plotlyjs

from mwem_core import metrics, release
from mwem_core.metrics import Errors
from mwem_core.records import Records
from mwem_core.release import Run
from ui import figures
from ui.figures import PRIVATE, Badge, Chart, number

MOST_COLUMNS = 40  # drawn in a report
MOST_COMPARED = 20  # columns whose pairs are all compared
MOST_CELLS = 2**20  # of a pair's table
PAIRS = 3  # drawn as heat maps


def html_report(
    run: Run, rows: Records, *, truth: Records | None = None, errors: Sequence[Errors] | None = None
) -> str:
    """The report on a run and the rows drawn from it: beside `truth`, and with the `errors` by round, where given.

    With either it is made from the private data and says so on top; without, it says what the run's statement says.
    Everything is inlined: nothing is fetched, and a policy in the page forbids it.
    """
    badge = PRIVATE if truth or errors else figures.badge_of(run)
    columns, pairs, rounds = _columns(run, rows, truth), _pairs(run, rows, truth), _rounds(run, truth, errors)
    overview = []
    if truth is not None and 1 < len(run.domain) <= MOST_COMPARED:
        overview = [figures.distances(run.domain.names, pair_distances(rows, truth))]
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


SOURCES = ("these rows", "the model", "uniform, no data used")


def accuracy(run: Run, rows: Records, truth: Records) -> dict[str, list[str]]:
    """Errors of the rows, of the model they came from and of a uniform table, by metric and in words: NOT private."""
    Q, n = run.workload, truth.total
    exact = Q.answers(truth)
    sources = (rows, run.model, run.rounds[0].A.uniform(run.domain.shape, n))
    found = [metrics.errors(Q, Q.answers(source), exact, n, total=source.total) for source in sources]
    shown = {
        "mean error, share of n": [number(e.mean_error) for e in found],
        "largest error, share of n": [number(e.max_error) for e in found],
        "largest error, records": [f"{e.max_error * n:,.0f}" for e in found],
    }
    if Q.tabular:
        shown = {
            "mean total variation, 0 to 1": [number(e.mean_tv or 0) for e in found],
            "largest total variation": [number(e.max_tv or 0) for e in found],
        } | shown
    return shown


def pair_distances(rows: Records, truth: Records) -> np.ndarray:
    """Total variation of rows and truth, (d, d): by column on the diagonal, by pair below it, NaN elsewhere."""
    d = len(rows.domain)
    sets = [(a,) for a in range(d)]
    sets += [S for S in combinations(range(d), 2) if rows.domain.cells(S) <= MOST_CELLS]
    apart = np.full((d, d), np.nan)
    for S, new, old in zip(sets, rows.marginals(sets), truth.marginals(sets), strict=True):
        apart[S[-1], S[0]] = figures.tv(new, old)
    return apart


def _columns(run: Run, rows: Records, truth: Records | None) -> list[Chart]:
    badge = figures.badge_of(run)
    return [
        figures.marginal_bars(attribute, rows.marginal((a,)), None if truth is None else truth.marginal((a,)), badge)
        for a, attribute in enumerate(run.domain.attributes[:MOST_COLUMNS])
    ]


def _pairs(run: Run, rows: Records, truth: Records | None) -> list[tuple[str, list[Chart]]]:
    """The first pairs that were measured, as heat maps."""
    measured = [entry.measurement.attrs for entry in run.rounds if entry.measurement is not None]
    chosen = [S for S in dict.fromkeys(measured) if len(S) == 2 and run.domain.cells(S) <= MOST_CELLS][:PAIRS]
    badge = figures.badge_of(run)
    return [
        (
            run.domain.label(S),
            figures.pair_heat(run.domain, S, rows.marginal(S), None if truth is None else truth.marginal(S), badge),
        )
        for S in chosen
    ]


def _rounds(run: Run, truth: Records | None, errors: Sequence[Errors] | None) -> list[Chart]:
    n = run.model.total if truth is None else truth.total
    return [*([figures.error_by_round(errors, n)] if errors else []), figures.surprise_by_round(run)]


def _summary(run: Run, rows: Records) -> str:
    done, ledger = release.manifest(run), run.rounds[-1].ledger
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
    noise = {index: expected for index, _, expected in figures.surprises(run)}
    unit = run.rounds[-1].ledger.budget.unit
    lines = []
    for entry in run.rounds:
        m, spent = entry.measurement, f"{entry.ledger.spent:.4g}"
        if m is None:
            lines.append([f"{entry.index}", "the start", "", "", "", "", spent])
            continue
        cells = np.size(m.value)
        value = f"{float(np.asarray(m.value)):,.1f}" if cells == 1 else f"{cells:,} cells"
        surprise = [f"{entry.residual:,.0f}", f"{noise[entry.index]:,.0f}"]
        lines.append([f"{entry.index}", entry.label, value, f"{m.scale:,.1f}", *surprise, spent])
    head = ["round", "chosen", "measured", "noise scale", "surprise", "expected noise", f"spent, {unit}"]
    about = (
        "Measured values, scales, surprise and noise in records; surprise is what a measurement differed by from the"
    )
    return _table(head, lines, words=2) + f"<p class=about>{about} model before it, summed over its cells.</p>"


def _repeat(run: Run) -> str:
    parts = {"Script": release.script(run), "Manifest": release.to_json(release.manifest(run))}
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


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{body}
</main>
<script>{plotly}</script>
<script type="application/json" id="charts">{charts}</script>
<script>{draw}</script>
</body>
</html>
"""

STYLE = """
:root {
  --paper: #FBFAF6; --ink: #20242C; --soft: #5B606A; --line: #DDD8CA; --deck: #F2EFE6;
  --amber: #764905; --amber-back: #FAEFD3; --teal: #0B5A54; --teal-back: #DBF0EB; --gray: #4A4E57; --gray-back: #E8E6DF;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171D; --ink: #E7E5DF; --soft: #A3A8B2; --line: #353C48; --deck: #1E232C; --amber: #F2C879;
    --amber-back: #372B13; --teal: #85DED2; --teal-back: #12322E; --gray: #C6CAD2; --gray-back: #2A2F39;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, "Source Sans 3", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1, h2, h3 { margin: 0; font-family: Georgia, "Source Serif 4", serif; line-height: 1.25; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; }
h2 { font-size: 1.35rem; margin-bottom: 0.75rem; }
h3 { font-size: 1.05rem; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 1rem; }
header p { flex-basis: 100%; margin: 0; color: var(--soft); }
section { margin-top: 2.75rem; }
.banner { margin: 1.25rem 0 0; padding: 0.8rem 1rem; border-radius: 0.4rem; }
.badge { padding: 0.1em 0.65em; border-radius: 99px; font-size: 0.78rem; line-height: 1.6; }
.private { color: var(--amber); background: var(--amber-back); }
.exploring { color: var(--gray); background: var(--gray-back); }
.released { color: var(--teal); background: var(--teal-back); }
dl { display: grid; grid-template-columns: minmax(9rem, auto) minmax(0, 1fr); gap: 0.4rem 1.5rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.75rem 2rem; }
.charts.flow { display: block; columns: 26rem; column-gap: 2rem; }
.flow figure { margin-bottom: 1.75rem; break-inside: avoid; }
.charts:not(.flow) figure { display: grid; grid-row: span 2; grid-template-rows: subgrid; row-gap: 0.35rem; }
.charts.one { max-width: 720px; margin-top: 1.5rem; }
@media (min-width: 800px) {
  .two { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .three { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .charts > :only-child { grid-column: 1 / -1; }
}
figure { margin: 0; min-width: 0; }
.plot { margin-top: 0.35rem; }
figcaption { display: flex; flex-wrap: wrap; place-content: start; align-items: baseline; gap: 0.2rem 0.75rem; }
.note, .about { color: var(--soft); font-size: 0.85rem; }
.wide { overflow-x: auto; margin-top: 1rem; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 1.25rem 0.4rem 0; border-bottom: 1px solid var(--line); }
th, td { text-align: right; white-space: nowrap; }
th { font-weight: 600; color: var(--soft); }
.words { text-align: left; }
details { margin-top: 0.6rem; border: 1px solid var(--line); border-radius: 0.4rem; }
summary { padding: 0.6rem 1rem; cursor: pointer; }
pre { margin: 0; padding: 1rem; overflow-x: auto; background: var(--deck); font-size: 0.8rem; line-height: 1.5; }
@media (max-width: 560px) {
  main { padding-top: 1.5rem; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 0.75rem; }
}
"""

DRAW = """
const charts = JSON.parse(document.getElementById("charts").textContent);
function draw() {
  const { color, fontFamily: family } = getComputedStyle(document.body);
  for (const plot of document.querySelectorAll("[data-chart]")) {
    const { data, layout } = charts[plot.dataset.chart];
    if (!plot.classList.contains("js-plotly-plot")) plot.textContent = "";
    const inked = { ...layout, font: { color, family, size: 12 } };
    Plotly.react(plot, data, inked, { responsive: true, displayModeBar: false });
  }
}
draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
"""

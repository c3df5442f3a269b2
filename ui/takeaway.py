"""What stands under a finished run: original beside synthetic, then all there is to take away, each with its badge."""

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

from mwem_core import release
from mwem_core.metrics import Errors
from mwem_core.records import Records
from mwem_core.release import Run
from mwem_core.synthesis import rounded
from ui import figures
from ui.figures import Badge, Chart
from ui.report import MOST_COMPARED, SOURCES, accuracy, html_report, pair_distances
from ui.wording import plain

MOST_ROWS = 2_000_000  # given away: a column of counts may stand for more than fit
MOST_SMALL = 24  # columns in the overview
MOST_CELLS = 2**22  # of a pair's table, to draw it
CONFIG = {"displayModeBar": False}  # no picture of a chart without its badge
ICONS: dict[str, tuple[str, Literal["orange", "gray", "green"]]] = {
    "private": (":material/lock:", "orange"),
    "exploring": (":material/science:", "gray"),
    "released": (":material/check:", "green"),
}


def take_away(run: Run, records: Records, *, show_truth: bool, errors: Sequence[Errors] | None = None) -> None:
    """Show the rows a run gives, beside the original with `show_truth`, and offer everything it leaves for download.

    Without `show_truth` the records are not read. `errors` are those of each round, from round 0, for the report.
    """
    _section(run, records if show_truth else None, errors if show_truth else None)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows to take away, and the generator as drawing them left it: every download decodes them alike."""

    table: Records
    rng: np.random.Generator

    def written(self, write: Callable[[Records, np.random.Generator], bytes]) -> bytes:
        """The rows in a file's format, the values inside bins the same in each."""
        return write(self.table, copy.deepcopy(self.rng))


def rows_of(run: Run) -> Rows:
    """As many rows as the model has records, but for a table too long to hold; from the run's seed, if it had one."""

    def draw() -> Rows:
        rng = np.random.default_rng(run.seed)
        with st.spinner("Drawing the rows"):
            return Rows(rounded(run.domain, run.model, min(MOST_ROWS, round(run.model.total)), rng), rng)

    return _once("takeaway rows", (run.model,), draw)


def file_name(run: Run, what: str) -> str:
    """Such as mwem_adult_eps1_rows.csv: what it holds, of which table, at which ε."""
    stem = re.sub(r"[^\w.-]+", "-", PurePath(run.table).stem).strip("-.") or "table"
    return f"mwem_{stem}_eps{run.settings.epsilon:g}_{what}"


@st.fragment
def _section(run: Run, truth: Records | None, by_round: Sequence[Errors] | None) -> None:
    rows = rows_of(run)
    st.subheader("Original beside synthetic" if truth else "The synthetic rows")
    st.caption(f"The {rows.table.total:,} synthetic rows shown are the ones in the files below.")
    _compare(run, rows.table, truth)
    if truth is not None:
        _accuracy(run, rows.table, truth)
    st.subheader("Take it away")
    _downloads(run, rows, truth, by_round)


# ---- original beside synthetic ----
def _compare(run: Run, rows: Records, truth: Records | None) -> None:
    views = ["All columns", "One column", *(["Two columns"] if len(run.domain) > 1 else [])]
    view = st.segmented_control(
        "Compare", views, default=views[0], required=True, label_visibility="collapsed", key="takeaway_view"
    )
    {"All columns": _overview, "One column": _column, "Two columns": _pair}[view or views[0]](run, rows, truth)


def _overview(run: Run, rows: Records, truth: Records | None) -> None:
    badge = figures.badge_of(run)
    shown = run.domain.attributes[:MOST_SMALL]
    key = "amber outline: original, teal filling: synthetic" if truth else ""
    _heading("Shares by column", key, figures.PRIVATE if truth else badge)
    grid = st.grid(4, min_column_width=210)
    for a, attribute in enumerate(shown):
        original = None if truth is None else truth.marginal((a,))
        chart = figures.marginal_bars(attribute, rows.marginal((a,)), original, badge, small=True)
        with grid.cell(), st.container(gap="xxsmall"):
            st.markdown(_titled(chart.title, chart.note))
            _plot(chart, f"small {a}")
    if len(shown) < len(run.domain):
        st.caption(f"The first {len(shown)} of {len(run.domain)} columns; the others are under One column.")


def _column(run: Run, rows: Records, truth: Records | None) -> None:
    names = run.domain.names
    a = names.index(st.selectbox("Column", names, key="takeaway_column", width=320))
    original = None if truth is None else truth.marginal((a,))
    attribute, badge = run.domain.attributes[a], figures.badge_of(run)
    _show(figures.marginal_bars(attribute, rows.marginal((a,)), original, badge), "column")


def _pair(run: Run, rows: Records, truth: Records | None) -> None:
    domain, names = run.domain, run.domain.names
    measured = [entry.measurement.attrs for entry in run.rounds if entry.measurement is not None]
    first, second = next((S for S in measured if len(S) == 2), (0, 1))
    with st.container(horizontal=True):
        one = st.selectbox("One column", names, index=first, key="takeaway_one", width=320)
        rest = [name for name in names if name != one]
        start = rest.index(names[second]) if names[second] in rest else 0
        two = st.selectbox("The other", rest, index=start, key="takeaway_two", width=320)
    pair = domain.attrs(one, two)
    if domain.cells(pair) > MOST_CELLS:
        st.info(f"{domain.cells(pair):,} cells are too many to draw: declare coarser bins to see this pair.")
        return
    original = None if truth is None else truth.marginal(pair)
    charts = figures.pair_heat(domain, pair, rows.marginal(pair), original, figures.badge_of(run))
    grid = st.grid(len(charts), min_column_width=300)
    for i, chart in enumerate(charts):
        with grid.cell():
            _show(chart, f"pair {i}")


def _accuracy(run: Run, rows: Records, truth: Records) -> None:
    found = _once("takeaway accuracy", (run.model, rows, truth), lambda: accuracy(run, rows, truth))
    table = pd.DataFrame.from_dict(found, orient="index", columns=SOURCES)
    left, right = st.columns([1, 1], gap="large")
    with left:
        _heading("How far from the truth", "", figures.PRIVATE)
        st.table(table, border="horizontal", alt="Errors of the rows, of the model and of a uniform table")
        st.caption(
            f"Over the {run.workload.size:,} queries of the workload, n = {truth.total:,}. Total variation is half the "
            "sum of the absolute differences of two tables of shares: 0 where they agree, 1 where they share nothing."
        )
    if 1 < len(run.domain) <= MOST_COMPARED:
        apart = _once("takeaway distances", (rows, truth), lambda: pair_distances(rows, truth))
        with right:
            _show(figures.distances(run.domain.names, apart), "distances")


# ---- downloads ----
@dataclass(frozen=True)
class File:
    """One thing to take away."""

    label: str
    name: str
    mime: str
    says: str
    badge: Badge
    make: Callable[[], Any]


def files(run: Run, rows: Rows, truth: Records | None, by_round: Sequence[Errors] | None) -> list[File]:
    """Everything there is to download, made when asked for."""
    badge = figures.badge_of(run)
    found = [
        File("Rows, CSV", "rows.csv", "text/csv", "the synthetic table, to open anywhere", badge,
             lambda: rows.written(release.rows_csv)),
        File("Rows, Parquet", "rows.parquet", "application/vnd.apache.parquet", "the same rows, small and typed", badge,
             lambda: rows.written(release.rows_parquet)),
        File("Measurements, JSON", "measurements.json", "application/json",
             "what was asked each round, the noisy answers, their noise and cost", badge,
             lambda: release.to_json(release.transcript(run))),
        File("Manifest, JSON", "manifest.json", "application/json",
             "what was done: schema, settings, ε and δ, what was spent, versions", badge,
             lambda: release.to_json(release.manifest(run))),
        File("Script, Python", "repeat.py", "text/x-python", "repeats this run on the same table", badge,
             lambda: release.script(run)),
        File("Report, HTML", "report.html", "text/html",
             "one page with the charts, to read offline" + (", truth included" if truth else ", without the truth"),
             figures.PRIVATE if truth else badge,
             lambda: html_report(run, rows.table, truth=truth, errors=by_round)),
    ]  # fmt: skip
    if run.domain.size <= release.MOST_WEIGHTS:
        says = f"A(x) for each of the {run.domain.size:,} cells, in records, unrounded"
        found.insert(2, File("Weights, CSV", "weights.csv", "text/csv", says, badge, lambda: release.weights_csv(run)))
    return found


def _downloads(run: Run, rows: Rows, truth: Records | None, by_round: Sequence[Errors] | None) -> None:
    (st.warning if run.seed is not None else st.info)(run.statement)
    grid = st.grid(3, min_column_width=310, border=True)
    for file in files(run, rows, truth, by_round):
        with grid.cell():
            st.download_button(
                file.label,
                file.make,
                file_name(run, file.name),
                file.mime,
                key=f"takeaway_{file.name}",
                on_click="ignore",
                icon=":material/download:",
                type="primary" if file.name == "rows.csv" else "secondary",
                width="stretch",
            )
            _show_badge(file.badge)
            st.caption(file.says)
    if run.domain.size > release.MOST_WEIGHTS:
        st.caption(
            f"No table of weights: the domain has {run.domain.size:,} cells, and a row each is written for up to "
            f"{release.MOST_WEIGHTS:,}. The rows carry the same distribution."
        )
    with st.expander("The code for this run", icon=":material/code:"):
        st.code(release.script(run), "python", height=420)


# ---- small things ----
def _show(chart: Chart, key: str) -> None:
    with st.container(gap="xsmall"):
        _heading(chart.title, chart.note, chart.badge)
        _plot(chart, key)


def _heading(title: str, note: str, badge: Badge) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(_titled(title, note), width="content")
        _show_badge(badge)


def _plot(chart: Chart, key: str) -> None:
    st.plotly_chart(chart.figure, width="stretch", alt=chart.alt, config=CONFIG, key=f"takeaway {key}")


def _show_badge(badge: Badge) -> None:
    icon, color = ICONS[badge.kind]
    st.badge(badge.text, icon=icon, color=color)


def _titled(title: str, note: str) -> str:
    return f"**{plain(title)}**" + (f"\u2002:small[:gray[{note}]]" if note else "")


def _once(name: str, sources: tuple[object, ...], make: Callable[[], Any]) -> Any:
    """Made once a session from these very objects, and again when one of them is another."""
    kept = st.session_state.get(name)
    if kept is None or any(one is not other for one, other in zip(kept[0], sources, strict=True)):
        kept = st.session_state[name] = (sources, make())
    return kept[1]

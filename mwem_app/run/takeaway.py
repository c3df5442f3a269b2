"""Below a finished run: its rows beside the original, their errors, the downloads, the quality; a badge a section."""

import copy
from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd
import pyarrow as pa
import streamlit as st

from mwem_app.base import PRIVATE, count, run_badge
from mwem_app.charts import distance_map, measured_pairs, pair_heat
from mwem_app.page import choose_section, plain, plot, problem, section, show_chart, show_section, title_text
from mwem_app.run.downloads import File, offer, offer_files, rows_of
from mwem_app.run.run_charts import MAX_COMPARED_COLUMNS, SOURCES, accuracy, marginal_bars, pair_distances
from mwem_app.session import state
from mwem_core.domain import Records
from mwem_core.encoding import read_rows, rows_of_values
from mwem_core.output import Run, decode
from mwem_core.release import quality, quality_page, quality_report, sections_of

NONE: Mapping[str, str] = {}
NAMELESS = "cannot be an attribute: write a name into the header of the file"
MAX_REASONS = 20  # columns left out whose reason is named
MAX_OVERVIEW_COLUMNS = 24
MAX_DRAWN_PAIR_CELLS = 2**22


@st.fragment
def take_away(
    run: Run,
    records: Records,
    columns: int,
    left_out: Mapping[str, str] = NONE,
    *,
    show_truth: bool,
) -> None:
    """Show the rows drawn from a run, with `show_truth` beside the original records, and offer the downloads.

    `columns` is the number of columns of the whole table, and `left_out` says of those that its schema does not have
    why. Without `show_truth` the records are not read.
    """
    truth, rows = records if show_truth else None, rows_of(run)
    if truth is None:
        section("The synthetic rows", run_badge(run))
        st.caption(f"The files below contain the same {rows.table.total:,} synthetic rows.")
    else:
        section("Original beside synthetic", PRIVATE)
        st.caption(
            f"Amber: original. Teal: the {rows.table.total:,} synthetic rows, which are also in the files below. "
            "Without the original, they have the badge of the files."
        )
    views = ["All columns", "One column", *(["Two columns"] if len(run.domain) > 1 else [])]
    view = st.segmented_control(
        "Compare", views, default=views[0], required=True, label_visibility="collapsed", key="takeaway_view"
    )
    {"All columns": _overview, "One column": _column, "Two columns": _pair}[view](run, rows.table, truth)
    if truth is not None:
        _accuracy(run, rows.table, truth)
    section("Downloads", run_badge(run))
    if len(run.domain) < columns:
        st.caption(f":material/view_column: {_fewer_columns(len(run.domain), columns, left_out)}")
    if rows.exchange_limit:
        st.caption(f":material/swap_horiz: {rows.exchange_limit}")
    offer_files(run, rows)


def _fewer_columns(written: int, columns: int, left_out: Mapping[str, str]) -> str:
    """Which columns of the table the files do not have: those that the schema leaves out, and those not chosen."""
    sentence = f"These files have {written} of the table's {count(columns, 'column')}."
    if not_chosen := columns - len(left_out) - written:
        sentence += f" {count(not_chosen, 'attribute')} of the schema {'is' if not_chosen == 1 else 'are'} not chosen"
        sentence += " under Table."
    reasons = [
        f"{plain(name) if name else 'A column without a name'} {plain(reason if name else NAMELESS)}."
        for name, reason in list(left_out.items())[:MAX_REASONS]
    ]
    if (more := len(left_out) - MAX_REASONS) > 0:
        reasons.append(f"And {more:,} more columns.")
    return f"{sentence} Left out of the schema: {' '.join(reasons)}" if left_out else sentence


def _overview(run: Run, rows: Records, truth: Records | None) -> None:
    shown = min(len(run.domain), MAX_OVERVIEW_COLUMNS)
    grid = st.grid(4, min_column_width=210)
    for a in range(shown):
        badge = run_badge(run)
        draw = partial(marginal_bars, a, rows, truth, badge, small=True)
        chart = state.remember_of(run.model, f"small {a}", (badge, truth is None), draw)
        with grid.cell(), st.container(gap="xxsmall"):
            st.markdown(title_text(chart.title, chart.note))
            plot(chart, f"takeaway small {a}")
    st.caption(
        "Bars and lines are shares of the rows."
        + (f" These are the first {shown} of {len(run.domain)} columns." if shown < len(run.domain) else "")
        + " One column shows any column in full."
    )


def _column(run: Run, rows: Records, truth: Records | None) -> None:
    names = run.domain.names
    a = names.index(st.selectbox("Column", names, key="takeaway_column", width=320))
    show_chart(marginal_bars(a, rows, truth, run_badge(run)), "takeaway column")


def _pair(run: Run, rows: Records, truth: Records | None) -> None:
    domain, names = run.domain, run.domain.names
    first, second = next(iter(measured_pairs(run)), (0, 1))
    with st.container(horizontal=True):
        x = st.selectbox("First column", names, index=first, key="takeaway_one", width=320)
        rest = [name for name in names if name != x]
        start = rest.index(names[second]) if names[second] in rest else 0
        y = st.selectbox("Second column", rest, index=start, key="takeaway_two", width=320)
    pair = domain.attrs(x, y)
    if domain.cells(pair) > MAX_DRAWN_PAIR_CELLS:
        st.info(f"{domain.cells(pair):,} cells are too many to draw. Declare coarser bins to see this pair.")
        return
    charts = pair_heat(pair, rows, truth, run_badge(run))
    grid = st.grid(len(charts), min_column_width=300)
    for i, chart in enumerate(charts):
        with grid.cell():
            show_chart(chart, f"takeaway pair {i}")


def _accuracy(run: Run, rows: Records, truth: Records) -> None:
    errors = state.remember_of(run.model, "accuracy", truth, lambda: accuracy(run, rows, truth))
    table = pd.DataFrame([[metric, *texts] for metric, texts in errors.items()], columns=["metric", *SOURCES])
    section("Error against the truth", PRIVATE)
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.table(
            table, border="horizontal", hide_index=True, alt="Errors of the rows, of the model and of a uniform table"
        )
        st.caption(
            f"Over the {run.workload.size:,} queries of the workload, n = {truth.total:,}. The total variation of two "
            "marginals is half the sum of the absolute differences of their shares: 0 if equal, 1 if disjoint."
        )
    if 1 < len(run.domain) <= MAX_COMPARED_COLUMNS:
        chart = state.remember_of(
            run.model, "distances", truth, lambda: distance_map(run.domain.names, pair_distances(rows, truth))
        )
        with right:
            show_chart(chart, "takeaway distances")


@st.fragment
def show_quality(run: Run, table: pa.Table | None, *, show_truth: bool) -> None:
    """A section of the report at a time, and the report as a file.

    `table` is the original as text, None if the session has lost it. Without `show_truth` it is not read.
    """
    if show_truth and table is None:
        return
    section("Quality by column and pair", PRIVATE if show_truth else run_badge(run))
    synthetic = state.remember_of(run.model, "quality rows", None, lambda: _rows_as_in_files(run))
    if not show_truth or table is None:
        page = state.remember_of(
            run.model,
            "quality page",
            None,
            lambda: quality_page(run.table, run.publication.headline, run.rounds, synthetic),
        )
        sections = sections_of(page)
        show_section(sections, choose_section(list(sections), "quality_section_hidden"))
        _offer(run, lambda: page, "without the truth")
        return
    try:
        original = state.remember(
            "quality original", (run.domain, table), lambda: read_rows(table, run.domain, count=run.count)
        )
    except ValueError as error:  # the table is read in another way than when the run began
        problem(error)
        return

    def compare() -> tuple[str, dict[str, str]]:
        page = quality_report(quality(original, synthetic), run.domain, run.table)
        return page, sections_of(page)

    page, sections = state.remember_of(run.model, "quality", id(table), compare)  # Arrow's tables have no hash
    show_section(sections, choose_section(list(sections), "quality_section"))
    _offer(run, lambda: page, "with the truth")


def _offer(run: Run, make: Callable[[], str], what: str) -> None:
    badge = PRIVATE if what == "with the truth" else run_badge(run)
    description = f"every column and pair in one page, readable offline, {what}"
    with st.grid(3, min_column_width=310, border=True).cell():
        offer(run, File("Quality, HTML", "quality.html", "text/html", description, badge, make))


def _rows_as_in_files(run: Run) -> Records:
    """The rows with the values that every file of them has."""
    rows = rows_of(run)
    return rows_of_values(rows.table, decode(rows.table, copy.deepcopy(rows.rng)))

"""Below a finished run: how good its rows are, by column and pair; with the truth, or from measurements alone."""

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pyarrow as pa
import streamlit as st

from mwem_app.base import PRIVATE, run_badge
from mwem_app.page import choose_section, problem, section, show_section
from mwem_app.run.downloads import File, offer, rows_of
from mwem_app.session import NO_TRAINING, is_demo, state
from mwem_core.encoding import Rows, read_rows, rows_of_values
from mwem_core.output import Run, decode
from mwem_core.release import LEARNED, Quality, quality, quality_page, quality_report, sections_of, with_learned


@st.fragment
def show_quality(run: Run, table: pa.Table | None, *, show_truth: bool) -> None:
    """A section of the report at a time, and the report as a file.

    `table` is the original as text, None if the session has lost it. Without `show_truth` it is not read.
    """
    if show_truth and table is None:
        return
    section("Quality by column and pair", PRIVATE if show_truth else run_badge(run))
    synthetic = state.remember_of(run.model, "quality rows", None, lambda: _written(run))
    if not show_truth or table is None:
        page = state.remember_of(run.model, "quality page", None, lambda: _without_truth(run, synthetic))
        sections = sections_of(page)
        show_section(sections, choose_section(list(sections), "quality_section_hidden"))
        _offer(run, lambda: page, "without the truth")
        return
    try:
        original = state.remember("quality original", (run.domain, table), lambda: _read(run, table))
    except ValueError as error:  # the table is read in another way than when the run began
        problem(error)
        return
    compare = partial(_compared, run, original, synthetic)
    found, sections = state.remember_of(run.model, "quality", id(table), compare)  # Arrow's tables have no hash
    heading = choose_section(list(sections), "quality_section")
    if heading == LEARNED:
        with st.spinner("Training and testing"):
            found = _learned(found, original, synthetic)
        sections = sections_of(quality_report(found, run.domain, run.table))
    show_section(sections, heading)
    whole = partial(_learned, found, original, synthetic)
    _offer(run, lambda: quality_report(whole(), run.domain, run.table), "with the truth")


def _compared(run: Run, original: Rows, synthetic: Rows) -> tuple[Quality, dict[str, str]]:
    """What the report says, but for what a classifier learns, and its sections."""
    found = quality(original, synthetic)
    return found, sections_of(quality_report(found, run.domain, run.table))


def _read(run: Run, table: pa.Table) -> Rows:
    return read_rows(table, run.domain, count=run.count)


def _learned(found: Quality, original: Rows, synthetic: Rows) -> Quality:
    """With what a classifier learns; it takes seconds, so only when it is asked for."""
    if is_demo():
        return replace(found, not_learned=NO_TRAINING)
    key = found.columns, synthetic
    return state.remember("quality learned", key, lambda: with_learned(found, original, synthetic))


def _offer(run: Run, make: Callable[[], str], what: str) -> None:
    badge = PRIVATE if what == "with the truth" else run_badge(run)
    description = f"every column and pair in one page, readable offline, {what}"
    with st.grid(3, min_column_width=310, border=True).cell():
        offer(run, File("Quality, HTML", "quality.html", "text/html", description, badge, make))


def _written(run: Run) -> Rows:
    """The rows with the values that every file of them has."""
    rows = rows_of(run)
    return rows_of_values(rows.table, decode(rows.table, copy.deepcopy(rows.rng)))


def _without_truth(run: Run, synthetic: Rows) -> str:
    return quality_page(run.table, run.publication.headline, run.rounds, synthetic)

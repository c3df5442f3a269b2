"""What there is to take away from a run: files, each with its badge, and the code that repeats it."""

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
import streamlit as st

from mwem_core.data.records import Records
from mwem_core.evaluation.metrics import Errors
from mwem_core.release.files import MAX_WEIGHTS_CELLS, rows_csv, rows_parquet, weights_csv
from mwem_core.release.manifest import json_text, manifest, transcript
from mwem_core.release.run import Run
from mwem_core.release.script import script
from mwem_core.release.synthesis import rounded
from ui.page.wording import show_badge
from ui.run.report import html_report
from ui.session import state
from ui.words.badges import PRIVATE, Badge, file_badge

MOST_ROWS = 2_000_000  # given away: a column of counts may stand for more than fit


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

    return state.remember("rows", run.model, draw)


@dataclass(frozen=True)
class File:
    """One thing to take away, made when it is asked for."""

    label: str
    name: str
    mime: str
    says: str
    badge: Badge
    make: Callable[[], bytes | str]


def files(run: Run, rows: Rows, truth: Records | None, errors: Sequence[Errors] | None) -> list[File]:
    """Everything there is to download; the report alone shows the truth and the errors by round, where given."""
    badge = file_badge(run)
    found = [
        File("Rows, CSV", "rows.csv", "text/csv", "the synthetic table, to open anywhere", badge,
             lambda: rows.written(rows_csv)),
        File("Rows, Parquet", "rows.parquet", "application/vnd.apache.parquet", "the same rows, small and typed", badge,
             lambda: rows.written(rows_parquet)),
        File("Measurements, JSON", "measurements.json", "application/json",
             "what was asked each round, the noisy answers, their noise and cost", badge,
             lambda: json_text(transcript(run))),
        File("Manifest, JSON", "manifest.json", "application/json",
             "what was done: schema, settings, ε and δ, what was spent, versions", badge,
             lambda: json_text(manifest(run))),
        File("Script, Python", "repeat.py", "text/x-python", "repeats this run on the same table", badge,
             lambda: script(run)),
        File("Report, HTML", "report.html", "text/html",
             "one page with the charts, to read offline" + (", truth included" if truth else ", without the truth"),
             PRIVATE if truth else badge,
             lambda: html_report(run, rows.table, truth=truth, errors=errors)),
    ]  # fmt: skip
    if run.domain.size <= MAX_WEIGHTS_CELLS:
        says = f"A(x) for each of the {run.domain.size:,} cells, in records, unrounded"
        found.insert(2, File("Weights, CSV", "weights.csv", "text/csv", says, badge, lambda: weights_csv(run)))
    return found


def file_name(run: Run, what: str) -> str:
    """Such as mwem_adult_eps1_rows.csv: what it holds, of which table, at which ε."""
    stem = re.sub(r"[^\w.-]+", "-", PurePath(run.table).stem).strip("-.") or "table"
    return f"mwem_{stem}_eps{run.settings.guarantee.epsilon:g}_{what}"


def offer_files(run: Run, rows: Rows, truth: Records | None, errors: Sequence[Errors] | None) -> None:
    """A button a file, under what may be said of all of them."""
    (st.warning if run.seed is not None else st.info)(run.statement)
    grid = st.grid(3, min_column_width=310, border=True)
    for file in files(run, rows, truth, errors):
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
            show_badge(file.badge)
            st.caption(file.says)
    if run.domain.size > MAX_WEIGHTS_CELLS:
        st.caption(
            f"No table of weights: the domain has {run.domain.size:,} cells, and a row each is written for up to "
            f"{MAX_WEIGHTS_CELLS:,}. The rows carry the same distribution."
        )
    with st.expander("The code for this run", icon=":material/code:"):
        st.code(script(run), "python", height=420)

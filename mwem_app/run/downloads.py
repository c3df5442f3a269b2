"""The downloads of a run: its files, and the script that repeats it."""

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

import numpy as np
import streamlit as st

from mwem_app.base import Badge, run_badge
from mwem_app.page import download, plain
from mwem_app.session import state
from mwem_core.domain import Records
from mwem_core.forms import POINT
from mwem_core.output import (
    Run,
    exchange_limit,
    guard_in_words,
    guarded_texts,
    has_plain_rows,
    json_text,
    manifest,
    nearest_rows,
    rows_csv,
    script,
    transcript,
)

MAX_DRAWN_ROWS = 2_000_000  # a table with a count column may have more records than fit in memory


@dataclass(frozen=True, eq=False)
class Rows:
    """Synthetic rows, and the generator in its state after drawing them, so that every file decodes them alike.

    `exchange_limit` says what drawing them gave up, as it would take long; it is empty if nothing.
    """

    table: Records
    rng: np.random.Generator
    exchange_limit: str

    def written(self, write: Callable[[Records, np.random.Generator], bytes]) -> bytes:
        """Return the rows in a file's format. Values drawn inside bins are the same in every format."""
        return write(self.table, copy.deepcopy(self.rng))


def rows_of(run: Run) -> Rows:
    """Draw as many rows as the model has records, at most `MAX_DRAWN_ROWS`, with the run's seed if it had one."""

    def draw() -> Rows:
        rng, most = np.random.default_rng(run.seed), min(MAX_DRAWN_ROWS, round(run.model.total))
        with st.spinner("Drawing the rows"):
            return Rows(nearest_rows(run.workload, run.model, most, rng), rng, exchange_limit(run.workload, most))

    return state.remember_of(run.model, "rows", None, draw)


@dataclass(frozen=True)
class File:
    """A file to download. Its content is made when the user asks for it."""

    label: str
    name: str
    mime: str
    description: str
    badge: Badge
    make: Callable[[], bytes | str]


def files(run: Run, rows: Rows) -> list[File]:
    """Return the files that hold what the run made, and nothing else; all have the run's badge."""
    badge = run_badge(run)
    downloads = [
        File("Rows, CSV", "rows.csv", "text/csv", "the synthetic rows", badge,
             lambda: rows.written(partial(rows_csv, decimal=run.reading.decimal or POINT))),
        File("Measurements, JSON", "measurements.json", "application/json",
             "for each round: the measured query, its noisy answer, noise and cost", badge,
             lambda: json_text(transcript(run))),
        File("Manifest, JSON", "manifest.json", "application/json",
             "schema, settings, ε and δ, budget spent, versions", badge,
             lambda: json_text(manifest(run))),
        File("Script, Python", "repeat.py", "text/x-python", "repeats this run on the same table", badge,
             lambda: script(run)),
    ]  # fmt: skip
    if has_plain_rows(run.domain, run.reading.decimal or POINT):
        plain_csv = partial(rows_csv, plain=True)
        what = "the same rows for other programs: plain numbers, dates in ISO, nothing where they are missing"
        downloads.insert(
            1, File("Rows, plain CSV", "rows.plain.csv", "text/csv", what, badge, lambda: rows.written(plain_csv))
        )
    return downloads


def file_name(run: Run, content: str) -> str:
    """Return a file name with the table, ε and the content: mwem_adult_eps1_rows.csv."""
    stem = re.sub(r"[^\w.-]+", "-", PurePath(run.table).stem).strip("-.") or "table"
    return f"mwem_{stem}_eps{run.guarantee.epsilon:g}_{content}"


def offer_files(run: Run, rows: Rows) -> None:
    """Show the verdict on publishing with its reasons, a button for each file, and the script."""
    verdict = run.publication
    reasons = "".join(f"\n- {plain(reason.text)}: {plain(reason.remedy)}." for reason in verdict.reasons)
    (st.info if verdict.private else st.warning)(f"**{plain(verdict.headline)}**\n{reasons}")
    grid = st.grid(3, min_column_width=310, border=True)
    for file in files(run, rows):
        with grid.cell():
            offer(run, file)
    if texts := guarded_texts(run.domain):
        st.caption(plain(guard_in_words(texts, "the plain file has it as it is.")))
    with st.expander("Code that repeats this run", icon=":material/code:"):
        st.code(script(run), "python", height=420)


def offer(run: Run, file: File) -> None:
    """A button for a file, with what is in it."""
    download(
        file.label,
        file.make,
        file_name(run, file.name),
        file.mime,
        key=f"takeaway_{file.name}",
        icon=":material/download:",
        type="primary" if file.name == "rows.csv" else "secondary",
        width="stretch",
    )
    st.caption(file.description)

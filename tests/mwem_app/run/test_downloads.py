"""The files of a run: their names, their badges, and which of them show the truth."""

import io

import pandas as pd
import pytest
from finished_runs import errors_by_round, finished

from mwem_app.base import PRIVATE, SEEDED
from mwem_app.run.downloads import file_name, files, report, rows_of
from mwem_core import Run


def test_files_are_named_after_table_and_epsilon(czech_run):
    run, _ = czech_run
    assert file_name(run, "rows.csv") == "mwem_czech_eps1_rows.csv"
    odd = Run(run.workload, run.settings, run.system, run.rounds, run.seed, "../my table (1).tar.csv")
    assert file_name(odd, "rows.csv") == "mwem_my-table-1-.tar_eps1_rows.csv"


@pytest.mark.parametrize("show_truth", [True, False])
def test_only_the_report_shows_the_truth_and_only_where_it_is_given(czech, czech_run, show_truth):
    run, _ = czech_run
    private = (czech, errors_by_round(run, czech)) if show_truth else (None, None)
    assert {file.badge for file in files(run, rows_of(run))} == {SEEDED}
    page = report(run, rows_of(run), *private)
    assert page.badge == (PRIVATE if show_truth else SEEDED)
    assert page.description.endswith("with the truth" if show_truth else "without the truth")
    assert ("Error by step" in page.make()) is show_truth


def test_rows_have_the_same_values_in_every_format_whichever_is_made_first(czech_run):
    run, _ = czech_run
    rows = rows_of(run)
    csv, parquet = (file.make for file in files(run, rows)[:2])
    written_first, typed, written_again = csv(), parquet(), csv()
    assert written_first == written_again
    frames = pd.read_csv(io.BytesIO(written_first)), pd.read_parquet(io.BytesIO(typed))
    pd.testing.assert_frame_equal(*frames, check_dtype=False)
    assert rows.table.total == 1841


def test_weights_are_left_out_where_the_domain_has_too_many_cells(czech_run, monkeypatch):
    run, _ = czech_run
    names = [file.name for file in files(run, rows_of(run))]
    monkeypatch.setattr("mwem_app.run.downloads.MAX_WEIGHTS_CELLS", run.domain.size - 1)
    fewer = [file.name for file in files(run, rows_of(run))]
    assert [name for name in names if name not in fewer] == ["weights.csv"]


def test_no_more_rows_are_drawn_than_memory_holds(czech, monkeypatch):
    monkeypatch.setattr("mwem_app.run.downloads.MAX_DRAWN_ROWS", 100)
    run, _ = finished(czech, "marginals:1")  # a run of its own: the session keeps the rows of a run
    assert rows_of(run).table.total == 100

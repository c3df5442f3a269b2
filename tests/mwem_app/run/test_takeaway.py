"""Below a finished run: the original only where the truth is shown, the quality with and without it, and all files."""

import pytest
from finished_runs import finished
from runs import SAMPLES
from streamlit.testing.v1 import AppTest

from mwem_app.base import PRIVATE, run_badge
from mwem_app.page import plain
from mwem_app.run.downloads import file_name, files, rows_of
from mwem_core import Run, read_table
from mwem_core.release import MADE_FROM_RECORDS


def section(run, records, show_truth, columns=6, left_out=None):
    from mwem_app.run.takeaway import take_away

    take_away(run, records, columns, left_out or {}, show_truth=show_truth)


@pytest.fixture
def opened(czech, czech_run):
    """The section below a run, with the truth; `more` are the columns of the table, and those that were left out."""

    def opened(*more) -> AppTest:
        args = czech_run[0], czech, True, *more
        return AppTest.from_function(section, args=args, default_timeout=20).run()

    return opened


class Unreadable:
    """Private data that must not be read."""

    def __getattr__(self, name):
        raise AssertionError(f"read {name} of the private data")


@pytest.mark.parametrize("view", ["All columns", "One column", "Two columns"])
@pytest.mark.parametrize("show_truth", [True, False])
def test_the_original_is_shown_only_with_the_truth_and_is_not_read_without_it(czech, czech_run, view, show_truth):
    run, _ = czech_run
    records = czech if show_truth else Unreadable()
    page = AppTest.from_function(section, args=(run, records, show_truth), default_timeout=20)
    page.session_state["takeaway_view"] = view
    page.run()
    assert not page.exception
    kinds = ("markdown", "caption", "subheader", "warning", "info")
    text = " ".join(element.value for kind in kinds for element in page.get(kind))
    charts = [chart.proto.spec for chart in page.get("plotly_chart")]
    views = {"All columns": 6, "One column": 1, "Two columns": 3 if show_truth else 1}
    assert len(charts) == views[view] + show_truth  # with the truth there is a map of distances too
    assert any("riginal" in part for part in (text, *charts)) is show_truth
    assert len(page.get("table")) == show_truth
    assert plain(run.publication.headline) in text
    for reason in run.publication.reasons:
        assert plain(reason.remedy) in text


def test_every_file_has_a_button_with_its_name_and_the_script_is_shown(opened):
    page = opened()
    labels = [button.proto.label for button in page.get("download_button")]
    assert labels == ["Rows, CSV", "Measurements, JSON", "Manifest, JSON", "Script, Python"]
    assert "from mwem_core import Domain, Planned, Seeded," in page.code[0].value


@pytest.mark.parametrize(("columns", "said"), [(6, False), (22, True)])
def test_files_of_fewer_columns_than_the_table_say_so(opened, columns, said):
    sentences = [caption.value for caption in opened(columns).caption if "These files have" in caption.value]
    assert [":material/view_column: These files have 6 of the table's 22 columns" in s for s in sentences] == [
        True
    ] * said


def test_files_say_what_the_schema_left_out_and_why_and_what_was_not_chosen(opened):
    left_out = {"id": "has a different whole number in every row: an identifier", "": "has no name"}
    assert (
        ":material/view_column: These files have 6 of the table's 9 columns. 1 attribute of the schema is not chosen"
        " under Table. Left out of the schema: id has a different whole number in every row\\: an identifier. A column"
        " without a name cannot be an attribute\\: write a name into the header of the file."
    ) in [caption.value for caption in opened(9, left_out).caption]


@pytest.mark.parametrize(("most", "said"), [(10**9, []), (0, ["The rows were not exchanged towards the answers"])])
def test_the_page_says_what_the_rows_gave_up(czech, czech_run, most, said, monkeypatch):
    monkeypatch.setattr("mwem_core.output.synthesis.MAX_COUNTED", most)
    run, _ = czech_run
    page = AppTest.from_function(section, args=(run, czech, False), default_timeout=20).run()
    mark = ":material/swap_horiz: "
    given_up = [text.value.removeprefix(mark) for text in page.caption if text.value.startswith(mark)]
    assert [sentence.partition(":")[0] for sentence in given_up] == said


def quality_section(run, table, show_truth):
    from mwem_app.run.takeaway import show_quality

    show_quality(run, table, show_truth=show_truth)


@pytest.mark.parametrize("show_truth", [True, False])
def test_the_original_is_read_only_with_the_truth(czech_run, show_truth):
    run, _ = czech_run
    table = read_table(SAMPLES / "czech.csv") if show_truth else Unreadable()
    page = AppTest.from_function(quality_section, args=(run, table, show_truth), default_timeout=20).run()
    assert not page.exception
    badges = " ".join(element.value for element in page.markdown if "badge[" in element.value)
    assert (PRIVATE if show_truth else run_badge(run)).text in badges
    sections = page.get("button_group")[0]
    headings = [option.content for option in sections.proto.options]
    assert headings[:4] == ["In short", "Columns", "Numbers", "Pairs of columns"]
    html = "".join(element.proto.body for element in page.get("html"))
    assert ("beside 1,841 records" in html) is show_truth
    assert [button.proto.label for button in page.get("download_button")] == ["Quality, HTML"]
    assert MADE_FROM_RECORDS not in html  # the badge says it on the page


def test_a_table_that_the_session_has_lost_leaves_no_section(czech_run):
    run, _ = czech_run
    page = AppTest.from_function(quality_section, args=(run, None, True), default_timeout=20).run()
    assert not page.exception
    assert not page.get("html")


def test_files_are_named_after_table_and_epsilon(czech_run):
    run, _ = czech_run
    assert file_name(run, "rows.csv") == "mwem_czech_eps1_rows.csv"
    odd = Run(run.workload, run.settings, run.system, run.rounds, run.seed, "../my table (1).tar.csv")
    assert file_name(odd, "rows.csv") == "mwem_my-table-1-.tar_eps1_rows.csv"


def test_rows_have_the_same_values_each_time_they_are_written(czech_run):
    run, _ = czech_run
    rows = rows_of(run)
    csv = files(run, rows)[0].make
    assert csv() == csv()
    assert rows.table.total == 1841


def test_no_more_rows_are_drawn_than_memory_holds(czech, monkeypatch):
    monkeypatch.setattr("mwem_app.run.downloads.MAX_DRAWN_ROWS", 100)
    run, _ = finished(czech, "marginals:1")  # a run of its own: the session keeps the rows of a run
    assert rows_of(run).table.total == 100

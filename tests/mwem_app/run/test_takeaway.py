"""The section below a finished run: it shows the original only where the truth is shown, and offers all files."""

import pytest
from finished_runs import errors_by_round
from streamlit.testing.v1 import AppTest

from mwem_app.page import plain


def section(run, records, show_truth, errors, columns=6, left_out=None):
    from mwem_app.run.takeaway import take_away

    take_away(run, records, columns, left_out or {}, show_truth=show_truth, errors=errors)


class Unreadable:
    """Private data that must not be read."""

    def __getattr__(self, name):
        raise AssertionError(f"read {name} of the private data")


@pytest.mark.parametrize("view", ["All columns", "One column", "Two columns"])
@pytest.mark.parametrize("show_truth", [True, False])
def test_the_original_is_shown_only_with_the_truth_and_is_not_read_without_it(czech, czech_run, view, show_truth):
    run, _ = czech_run
    records, errors = (czech, errors_by_round(run, czech)) if show_truth else (Unreadable(), Unreadable())
    page = AppTest.from_function(section, args=(run, records, show_truth, errors), default_timeout=20)
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


def test_every_file_has_a_button_with_its_name_and_the_script_is_shown(czech, czech_run):
    run, _ = czech_run
    args = run, czech, True, errors_by_round(run, czech)
    page = AppTest.from_function(section, args=args, default_timeout=20).run()
    labels = [button.proto.label for button in page.get("download_button")]
    assert labels == ["Rows, CSV", "Rows, Parquet", "Weights, CSV", "Measurements, JSON", "Manifest, JSON",
                      "Script, Python", "Report, HTML"]  # fmt: skip
    assert "from mwem_core import Domain, Planned, Seeded," in page.code[0].value


@pytest.mark.parametrize(("columns", "said"), [(6, False), (22, True)])
def test_files_of_fewer_columns_than_the_table_say_so(czech, czech_run, columns, said):
    run, _ = czech_run
    args = run, czech, True, errors_by_round(run, czech), columns
    page = AppTest.from_function(section, args=args, default_timeout=20).run()
    sentences = [caption.value for caption in page.caption if "These files have" in caption.value]
    assert [":material/view_column: These files have 6 of the table's 22 columns" in s for s in sentences] == [
        True
    ] * said


def test_files_say_what_the_schema_left_out_and_why_and_what_was_not_chosen(czech, czech_run):
    run, _ = czech_run
    left_out = {"id": "has a different whole number in every row: an identifier", "": "has no name"}
    args = run, czech, True, errors_by_round(run, czech), 9, left_out
    page = AppTest.from_function(section, args=args, default_timeout=20).run()
    assert (
        ":material/view_column: These files have 6 of the table's 9 columns. 1 attribute of the schema is not chosen"
        " under Table. Left out of the schema: id has a different whole number in every row\\: an identifier. A column"
        " without a name cannot be an attribute\\: write a name into the header of the file."
    ) in [caption.value for caption in page.caption]


@pytest.mark.parametrize(("most", "said"), [(10**9, []), (0, ["The rows were not exchanged towards the answers"])])
def test_the_page_says_what_the_rows_gave_up(czech, czech_run, most, said, monkeypatch):
    monkeypatch.setattr("mwem_core.output.synthesis.MAX_COUNTED", most)
    run, _ = czech_run
    page = AppTest.from_function(section, args=(run, czech, False, None), default_timeout=20).run()
    mark = ":material/swap_horiz: "
    given_up = [text.value.removeprefix(mark) for text in page.caption if text.value.startswith(mark)]
    assert [sentence.partition(":")[0] for sentence in given_up] == said

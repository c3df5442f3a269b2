"""The section on quality: with the truth from the original, without it from measurements, as is its file."""

import pytest
from runs import SAMPLES
from streamlit.testing.v1 import AppTest

from mwem_app.base import PRIVATE, run_badge
from mwem_core import read_table
from mwem_core.release import MADE_FROM_RECORDS


def section(run, table, show_truth):
    from mwem_app.run.quality import show_quality

    show_quality(run, table, show_truth=show_truth)


class Unreadable:
    """Private data that must not be read."""

    def __getattr__(self, name):
        raise AssertionError(f"read {name} of the private data")


@pytest.mark.parametrize("show_truth", [True, False])
def test_the_original_is_read_only_with_the_truth(czech_run, show_truth):
    run, _ = czech_run
    table = read_table(SAMPLES / "czech.csv") if show_truth else Unreadable()
    page = AppTest.from_function(section, args=(run, table, show_truth), default_timeout=20).run()
    assert not page.exception
    badges = " ".join(element.value for element in page.markdown if "badge[" in element.value)
    assert (PRIVATE if show_truth else run_badge(run)).text in badges
    sections = page.get("button_group")[0]
    headings = [option.content for option in sections.proto.options]
    assert headings[:4] == ["In short", "Columns", "Numbers", "Pairs of columns"]
    html = "".join(element.proto.body for element in page.get("html"))
    assert ("beside 1,841 records" in html) is show_truth
    assert [button.proto.label for button in page.get("download_button")] == ["Quality, HTML"]
    if show_truth:
        sections.set_value("What a classifier learns").run()
        html = "".join(element.proto.body for element in page.get("html"))
        assert "Predicting " in html
        assert "nothing: the most frequent value" in html
        assert MADE_FROM_RECORDS not in html  # the badge says it on the page


def test_a_table_that_the_session_has_lost_leaves_no_section(czech_run):
    run, _ = czech_run
    page = AppTest.from_function(section, args=(run, None, True), default_timeout=20).run()
    assert not page.exception
    assert not page.get("html")

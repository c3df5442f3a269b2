"""The page of the benchmarks shows what was measured."""

import re
from statistics import median

import pytest
from app_pages import open_page, words

from mwem_app.evidence import benchmarks

HEADINGS = ["Beside other programs", "As one size grows", "Beside the best other private system"]


def test_the_results_that_come_with_the_project_are_shown_with_their_dates_and_machines():
    app = open_page("scale")
    text = words(app)
    assert [heading.value for heading in app.subheader] == HEADINGS
    runs = benchmarks.benchmark_records()["T1"]
    ours, peer = (benchmarks.in_seconds(median(r["wall"] for r in runs[name])) for name in ("ours", "mwem+pgm"))
    assert re.search(
        rf"\*\*Automatic takes {ours} and MWEM\+PGM {peer} for a whole process with imports and compilation; "
        r"once compiled, the mechanism alone takes 0\.\d+ s and 0\.\d+ s\. ",
        text,
    )
    assert "times as fast" not in text
    assert "**Counting grows in proportion to n**" in text
    assert re.search(r"\*\*Automatic errs at most 5% more than the best other private system in \d+% of 624", text)
    assert len(re.findall(r"20\d\d-\d\d-\d\d[^;]*; [^;]* cores, ", text)) == 2


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("Ranges", "2,000 random ranges"),
        ("Adult, 14 columns", "Errors are of marginals of at most 10⁴ cells"),
        ("NLTCS", "Did not finish: MWEM+PGM (limit of 60 min)"),
    ],
)
def test_the_address_says_which_row_is_compared(row, sentence):
    app = open_page("scale", row=row)
    assert sentence in words(app)
    assert app.segmented_control(key="row").value == row

"""The page of the benchmarks shows what was measured, as far as it was."""

import re
from statistics import median

import pytest
from app_pages import open_page, words
from benchmark_records import RECORDS, write_records

from mwem_app.evidence import benchmarks, frontier

HEADINGS = {
    "T1": "Beside other programs",
    "growth": "As one size grows",
    "large table": "A large table",
}
FRONTIER = "Beside the best other private system"


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Write records where the page looks for them."""
    monkeypatch.setattr(benchmarks, "RESULTS", tmp_path / "results.jsonl")
    monkeypatch.setattr(frontier, "RATIOS", tmp_path / "frontier.csv")
    return lambda records: write_records(tmp_path, records)


def test_the_results_that_come_with_the_project_are_shown():
    app = open_page("scale")
    *left, last = HEADINGS.values()
    assert [heading.value for heading in app.subheader] == [*left, FRONTIER, last]
    runs = benchmarks.benchmark_records()["T1"]
    ours, peer = (benchmarks.in_seconds(median(r["wall"] for r in runs[name])) for name in ("ours", "mwem+pgm"))
    assert re.search(
        rf"\*\*Automatic takes {ours} and MWEM\+PGM {peer} for a whole process with imports and compilation; "
        r"once compiled, the mechanism alone takes 0\.\d+ s and 0\.\d+ s\. ",
        words(app),
    )
    assert "times as fast" not in words(app)


def test_every_measurement_is_shown_with_its_date_and_machine(results):
    results(RECORDS)
    app = open_page("scale")
    text = words(app)
    assert "**Automatic takes 2.0 s and MWEM+PGM 200 s for a whole process" in text
    assert "once compiled, the mechanism alone takes 1.0 s and 0.50 s. Our error is half of theirs**" in text
    assert "MST, mbi (limit of 60 min)" in text
    assert "**Counting grows in proportion to n**" in text
    assert text.count("2026-11-21; Quick, 2 cores, not pinned") == 3
    assert [metric.value for metric in app.metric] == ["1.60 ×", "20 s"]


def test_the_address_says_which_row_is_compared(results):
    results([*RECORDS, *({**record, "row": "T4", "wall": 7} for record in RECORDS if record["system"] == "ours")])
    app = open_page("scale", row="Ranges")
    assert "No peer has finished here" in words(app)
    assert app.segmented_control(key="row").value == "Ranges"


@pytest.mark.parametrize("file_exists", [True, False])
def test_without_results_the_page_says_how_to_get_some(results, file_exists):
    if file_exists:
        results([])
    app = open_page("scale")
    assert len(app.info) == 1
    assert "python benchmarks/run.py T1" in app.info[0].value
    assert not app.subheader


@pytest.mark.parametrize("row", HEADINGS)
def test_each_part_stands_alone(results, row):
    results([record for record in RECORDS if record["row"] == row])
    app = open_page("scale")
    assert [heading.value for heading in app.subheader] == [HEADINGS[row]]
    assert not app.info


def test_automatic_beside_the_best_other_system_stands_alone_too(results, tmp_path):
    results([])
    lines = [
        "version,tables,table,workload,epsilon,delta,ratio,best",
        "1,watched,earnings,marginals:2,0.1,0.0,1.0,aim",
        "1,fitted on,czech,marginals:2,0.1,0.0,2.0,aim",
    ]
    (tmp_path / "frontier.csv").write_text("\n".join(lines))
    app = open_page("scale")
    assert [heading.value for heading in app.subheader] == [FRONTIER]
    assert "**Automatic errs at most 5% more than the best other private system in 50% of 2 settings**" in words(app)

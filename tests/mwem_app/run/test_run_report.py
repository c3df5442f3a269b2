"""The HTML report opens offline, states its guarantee, and holds none of the private data unless that is given."""

import json
import re
from html import unescape

import numpy as np
import pytest
from finished_runs import errors_by_round, finished
from plotly.offline import get_plotlyjs

from mwem_app.base import EXPLORATION, PRIVATE, SEEDED_RUN
from mwem_app.run.run_report import html_report
from mwem_core import Domain, Records

EVIL = "<script>alert(1)</script>"


def without_plotly(report):
    assert report.count(get_plotlyjs()) == 1
    return report.replace(get_plotlyjs(), "")


def charts_of(report):
    return json.loads(re.search(r'<script type="application/json" id="charts">(.*?)</script>', report, re.S)[1])


def test_it_fetches_nothing_and_forbids_fetching(czech, czech_run):
    page = without_plotly(html_report(*czech_run, truth=czech, errors=errors_by_round(czech_run[0], czech)))
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link|<img|<iframe| src=", page)
    assert "default-src 'none'" in page


def test_it_says_what_was_done(czech, czech_run):
    run, rows = czech_run
    page = unescape(without_plotly(html_report(run, rows, truth=czech)))
    for text in (
        "czech.csv",
        "ε = 1, δ = 0",
        "add or remove one record",
        "all 2-way marginals",
        run.publication.headline,
        "numpy",
    ):
        assert text in page
    for entry in run.rounds[1:]:
        assert entry.label in page
        assert f"{entry.residual:,.0f}" in page


def test_every_chart_has_a_badge_a_sentence_and_a_figure(czech, czech_run):
    page = html_report(*czech_run, truth=czech, errors=errors_by_round(czech_run[0], czech))
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    spoken = re.findall(r'role=img aria-label="([^"]+)"', page)
    assert all(alt.endswith((PRIVATE.sentence, SEEDED_RUN.sentence)) for alt in spoken)
    assert len(captions) == len(charts_of(page)) == len(re.findall(r'role=img aria-label="[^"]{20,}"', page)) > 10
    assert all(re.search(r'class="badge (private|exploring|released)"', caption) for caption in captions)


def test_with_the_truth_it_is_amber_and_without_it_holds_none_of_it(czech, czech_run):
    run, rows = czech_run
    shown, hidden = html_report(run, rows, truth=czech), html_report(run, rows)
    assert "This report shows the records" in shown
    assert PRIVATE.text in shown
    for word in (PRIVATE.text, "original", "Error against the truth", "Error by ", "made from the records"):
        assert word not in without_plotly(hidden)
    assert SEEDED_RUN.text in hidden


def test_errors_alone_make_it_private_too(czech, czech_run):
    run, rows = czech_run
    assert "This report shows the records" in html_report(run, rows, errors=errors_by_round(run, czech))


def test_an_unseeded_report_and_its_charts_are_exploratory_with_every_reason(czech):
    run, rows = finished(czech, seed=None)
    header, charts = html_report(run, rows).split("</header>", 1)
    assert EXPLORATION.text in header
    assert charts.lstrip().startswith('<div class="banner exploring"><p>EXPLORATORY: do not publish.</p><ul><li>')
    for reason in run.publication.reasons:
        assert f"<li>{reason.text}: {reason.remedy}.</li>" in charts
    assert charts.count(EXPLORATION.text) > 3


def test_names_and_values_cannot_run():
    domain = Domain.from_toml(
        f"[[attribute]]\nname = '{EVIL}'\nvalues = ['{EVIL}', '\"><img src=x onerror=alert(2)>']\n"
        "[[attribute]]\nname = 'sex'\nvalues = ['F', '</script><b>']\n"
    )
    records = Records(domain, tuple(np.arange(40, dtype=np.uint8) % 2 for _ in range(2)))
    page = without_plotly(html_report(*finished(records, table=f"{EVIL}.csv"), truth=records))
    assert EVIL not in page
    assert "<img" not in page
    assert page.count("</script>") == 3
    assert len(charts_of(page)) > 3


@pytest.mark.parametrize("spec", ["parities:2", "where:smoking == 'yes'; smoking == 'no'", "cuboids:3"])
def test_any_workload_has_a_row_for_every_step_in_its_report(czech, spec):
    run, rows = finished(czech, spec)
    page = html_report(run, rows, truth=czech)
    table = page.split("<h2>Steps</h2>")[1].split("</table>")[0]
    assert table.count("<tr>") == 1 + len(run.rounds)
    assert "<h2>Error against the truth</h2>" in page

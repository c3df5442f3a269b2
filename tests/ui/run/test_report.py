"""The report opens by itself, and the section that offers it keeps the truth back where it is hidden."""

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from plotly.offline import get_plotlyjs
from streamlit.testing.v1 import AppTest

from mwem_core import Domain, Records, Run, Seeded, default, encode, parse_workload, read_table, rounded
from mwem_core.evaluation import metrics
from ui.results.accuracy import accuracy, pair_distances
from ui.run.downloads import file_name, files, rows_of
from ui.run.report import html_report
from ui.words.badges import EXPLORING, PRIVATE, RELEASED, SEEDED

SAMPLES = Path(__file__).parents[3] / "sample_data"
EVIL = "<script>alert(1)</script>"


def finished(domain, records, spec="marginals:2", seed=7, table="czech.csv"):
    workload = parse_workload(spec, domain)
    settings = default(workload, n=records.total, epsilon=1.0)
    run = Run(workload, settings, "default", tuple(settings.rounds(records, workload, noise=Seeded(seed))), seed, table)
    return run, rounded(domain, run.model, records.total, np.random.default_rng(seed))


@pytest.fixture(scope="module")
def czech():
    domain = Domain.from_toml((SAMPLES / "czech.toml").read_text())
    return encode(read_table(SAMPLES / "czech.csv"), domain)


@pytest.fixture(scope="module")
def done(czech):
    return finished(czech.domain, czech)


def errors_of(run, truth):
    exact = run.workload.answers(truth)
    return [metrics.errors(run.workload, run.workload.answers(r.model), exact, truth.total) for r in run.rounds]


def without_plotly(report):
    assert report.count(get_plotlyjs()) == 1
    return report.replace(get_plotlyjs(), "")


def charts_of(report):
    return json.loads(re.search(r'<script type="application/json" id="charts">(.*?)</script>', report, re.S)[1])


def test_it_fetches_nothing_and_forbids_fetching(czech, done):
    page = without_plotly(html_report(*done, truth=czech, errors=errors_of(done[0], czech)))
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link|<img|<iframe| src=", page)
    assert "default-src 'none'" in page


def test_it_says_what_was_done(czech, done):
    run, rows = done
    page = unescape(without_plotly(html_report(run, rows, truth=czech)))
    for said in (
        "czech.csv",
        "ε = 1, δ = 0",
        "add or remove one record",
        "all 2-way marginals",
        run.statement,
        "numpy",
    ):
        assert said in page
    for entry in run.rounds[1:]:
        assert entry.label in page
        assert f"{entry.residual:,.0f}" in page


def test_every_chart_has_a_badge_a_sentence_and_a_figure(czech, done):
    page = html_report(*done, truth=czech, errors=errors_of(done[0], czech))
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert len(captions) == len(charts_of(page)) == len(re.findall(r'role=img aria-label="[^"]{20,}"', page)) > 10
    assert all(re.search(r'class="badge (private|exploring|released)"', caption) for caption in captions)


def test_with_the_truth_it_is_amber_and_without_it_holds_none_of_it(czech, done):
    run, rows = done
    shown, hidden = html_report(run, rows, truth=czech), html_report(run, rows)
    assert "This report shows the private data" in shown
    assert PRIVATE.text in shown
    for word in (PRIVATE.text, "original", "How far from the truth", "Error by round", "private data"):
        assert word not in without_plotly(hidden)
    assert SEEDED.text in hidden


def test_errors_alone_make_it_private_too(czech, done):
    run, rows = done
    assert "This report shows the private data" in html_report(run, rows, errors=errors_of(run, czech))


def test_an_unseeded_report_is_exploratory_as_a_file_and_its_charts_may_be_shown(czech):
    page = html_report(*finished(czech.domain, czech, seed=None))
    header, charts = page.split("</header>", 1)
    assert EXPLORING.text in header
    assert charts.lstrip().startswith('<p class="banner exploring">EXPLORATORY')
    assert RELEASED.text in charts
    assert EXPLORING.text not in charts


def test_names_and_values_cannot_run():
    domain = Domain.from_toml(
        f"[[attribute]]\nname = '{EVIL}'\nvalues = ['{EVIL}', '\"><img src=x onerror=alert(2)>']\n"
        "[[attribute]]\nname = 'sex'\nvalues = ['F', '</script><b>']\n"
    )
    records = Records(domain, tuple(np.arange(40, dtype=np.uint8) % 2 for _ in range(2)))
    page = without_plotly(html_report(*finished(domain, records, table=f"{EVIL}.csv"), truth=records))
    assert EVIL not in page
    assert "<img" not in page
    assert page.count("</script>") == 3
    assert len(charts_of(page)) > 3


@pytest.mark.parametrize("spec", ["parities:2", "where:smoking == 'yes'; smoking == 'no'", "cuboids:3"])
def test_any_workload_can_be_reported(czech, spec):
    run, rows = finished(czech.domain, czech, spec)
    assert "Round by round" in html_report(run, rows, truth=czech)
    assert ("mean total variation, 0 to 1" in accuracy(run, rows, czech)) is run.workload.tabular


def test_accuracy_puts_rows_beside_the_model_and_the_uniform_table(czech, done):
    run, rows = done
    found = accuracy(run, rows, czech)
    ours, model, uniform = (float(text) for text in found["mean total variation, 0 to 1"])
    assert ours < uniform
    assert model == pytest.approx(errors_of(run, czech)[-1].mean_tv, rel=0.05)
    assert uniform == pytest.approx(errors_of(run, czech)[0].mean_tv, rel=0.05)


def test_distances_are_zero_from_a_table_to_itself_and_stand_below_the_diagonal(czech):
    apart = pair_distances(czech, czech)
    assert np.array_equal(np.isfinite(apart), np.tri(6, dtype=bool))
    assert np.nanmax(apart) == 0


def test_files_are_named_after_table_and_epsilon(done):
    run, _ = done
    assert file_name(run, "rows.csv") == "mwem_czech_eps1_rows.csv"
    odd = Run(run.workload, run.settings, run.preset, run.rounds, run.seed, "../my table (1).tar.csv")
    assert file_name(odd, "rows.csv") == "mwem_my-table-1-.tar_eps1_rows.csv"


@pytest.mark.parametrize("show_truth", [True, False])
def test_the_report_offered_draws_the_errors_by_round_where_the_truth_is_shown(czech, done, show_truth):
    run, _ = done
    private = (czech, errors_of(run, czech)) if show_truth else (None, None)
    report = next(file for file in files(run, rows_of(run), *private) if file.name == "report.html")
    assert ("Error by round" in without_plotly(report.make())) is show_truth
    assert (report.badge == PRIVATE) is show_truth


def section(run, records, show_truth, errors):
    from ui.run.takeaway import take_away

    take_away(run, records, show_truth=show_truth, errors=errors)


class Untouchable:
    """What nobody may look at."""

    def __getattr__(self, name):
        raise AssertionError(f"read {name} of the private data")


@pytest.mark.parametrize("view", ["All columns", "One column", "Two columns"])
@pytest.mark.parametrize("show_truth", [True, False])
def test_the_section_shows_the_original_only_where_truth_is_shown(czech, done, view, show_truth):
    private = (czech, errors_of(done[0], czech)) if show_truth else (Untouchable(), Untouchable())
    run, (records, errors) = done[0], private
    page = AppTest.from_function(section, args=(run, records, show_truth, errors), default_timeout=20)
    page.session_state["takeaway_view"] = view
    page.run()
    assert not page.exception
    said = " ".join(
        element.value for kind in ("markdown", "caption", "subheader", "warning") for element in page.get(kind)
    )
    charts = [chart.proto.spec for chart in page.get("plotly_chart")]
    assert charts
    for text in (said, *charts):
        assert show_truth or "riginal" not in text
    assert ("How far from the truth" in said) is show_truth
    assert run.statement in said


def test_everything_is_offered_under_its_name(czech, done):
    args = done[0], czech, True, errors_of(done[0], czech)
    page = AppTest.from_function(section, args=args, default_timeout=20).run()
    labels = [button.proto.label for button in page.get("download_button")]
    assert labels == ["Rows, CSV", "Rows, Parquet", "Weights, CSV", "Measurements, JSON", "Manifest, JSON",
                      "Script, Python", "Report, HTML"]  # fmt: skip
    assert "from mwem_core import MWEM," in page.code[0].value

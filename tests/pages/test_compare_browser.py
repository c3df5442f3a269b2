"""Compare and Trade-off in a real browser: charts that fill while trials run, stopping, resuming."""

import re
import time

import pytest
from browser import (
    NARROW,
    NO_BROWSER,
    NOTHING_TESTED,
    SECONDS,
    WIDER,
    address,
    button,
    follow,
    main,
    pick,
    until_true,
    until_whole,
    words,
)
from playwright.sync_api import Page, expect

from mwem_core.judge import from_csv

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]
CZECH = {"table": "Czech car workers"}
SLOW = CZECH | {"systems": ["MWEM of 2012", "Uniform"], "epsilons": "0.1, 1", "seeds": 60}
PURPOSES = {"Compare": "Which system is most accurate", "Trade-off": "How small can ε be"}


def turn_to(page: Page, name: str) -> None:
    """Open a page and wait until it is complete: until then a button belongs to the previous page and reopens it."""
    follow(page, name)
    expect(page).to_have_url(re.compile("/" + name.lower().replace("-", "_")))
    until_whole(page)
    main(page).get_by_text(PURPOSES[name]).wait_for()


def done(page: Page) -> int:
    """The number of trials done, as the page shows it; 0 while it shows none."""
    match = re.search(r"([\d,]+) of [\d,]+ trials done", words(page))
    return int(match[1].replace(",", "")) if match else 0


def until_done(page: Page, trials: int) -> None:
    until = time.monotonic() + SECONDS
    while done(page) < trials:
        assert time.monotonic() < until, words(page)
        page.wait_for_timeout(100)


def until_drawn(page: Page) -> None:
    page.locator(".mwem-redrawn .main-svg").first.wait_for()


def until_it_fits(page: Page) -> None:
    """Wait until nothing is wider than the window, and stays so."""
    until_true(page, f"Math.max(...({WIDER})()) <= 1")
    page.wait_for_timeout(500)
    assert max(page.evaluate(WIDER)) <= 1


def test_a_small_comparison_runs_to_its_best_system_and_its_errors_by_query(visitors, app):
    page = visitors.open(app + "trade_off" + address(**CZECH, systems=["Laplace", "Uniform"], seeds=3))
    turn_to(page, "Compare")
    expect(page).to_have_url(re.compile("table=Czech.*systems=Laplace"))  # settings come along to the next page
    button(page, "Run").click()
    main(page).get_by_role("heading", name="Laplace is best by").wait_for()
    until_drawn(page)
    main(page).get_by_role("heading", name="Where the errors are").wait_for()
    expect(page.locator(".js-plotly-plot").filter(has=page.locator(".main-svg"))).to_have_count(3)
    assert "3 seeds" in words(page)
    labels = "plots => plots.map(plot => plot.closest('[role=img], [role=figure]')?.getAttribute('aria-label'))"
    alternatives = page.locator(".js-plotly-plot").evaluate_all(labels)
    assert len(alternatives) == 3  # the standings, a scatter plot and a map
    assert all(alternatives)
    page.set_viewport_size(NARROW)
    until_it_fits(page)
    main(page).get_by_text("Show the truth").click()
    main(page).get_by_text("measured against the records").wait_for()
    assert page.locator(".js-plotly-plot").count() == 0
    assert "is best by" not in words(page)


def test_a_page_answers_while_trials_run_and_they_stop_and_resume(visitors, app, tmp_path):
    page = visitors.open(app + "trade_off" + address(**SLOW))
    button(page, "Run").press("Enter")
    expect(button(page, "Stop")).to_be_focused()
    until_done(page, 4)
    until_drawn(page)
    page.evaluate("window.svg = document.querySelector('.mwem-redrawn .main-svg')")
    until_done(page, 8)
    assert page.evaluate("svg.isConnected"), "the chart must be updated in place, not rebuilt"
    for unit, title in AXIS_TITLES.items():
        pick(page, "Unit", unit)
        main(page).locator(".main-svg").get_by_text(title).first.wait_for()
    expect(button(page, "Stop")).to_be_visible()

    turn_to(page, "Compare")  # the trials go on
    turn_to(page, "Trade-off")
    until_done(page, 9)
    button(page, "Stop").click()
    button(page, "Resume").wait_for()
    kept = trials_in(page, tmp_path / "stopped.csv")
    assert 9 <= len(kept) < 240
    button(page, "Resume").click()
    main(page).get_by_text(f"of {240 - len(kept)} trials done").wait_for()
    until_done(page, 2)
    button(page, "Stop").click()
    button(page, "Resume").wait_for()
    more = trials_in(page, tmp_path / "more.csv")
    assert more[: len(kept)] == kept or set(more) > set(kept)


def test_on_a_narrow_screen_a_long_legend_leaves_the_plot_its_height(visitors, app):
    systems = ["Laplace", "Gaussian", "Laplace, cleaned", "Gaussian, cleaned", "Laplace on cells", "Barak et al."]
    systems += ["Optimal Gaussian marginals", "PrivBayes"]
    page = visitors.open(app + "trade_off" + address(**CZECH, systems=systems, epsilons="0.1, 1", seeds=2))
    height = "document.querySelector('.mwem-redrawn .nsewdrag').getBoundingClientRect().height"
    button(page, "Run").click()
    until_drawn(page)
    button(page, "Stop").wait_for(state="detached")
    wide = page.evaluate(height)
    page.set_viewport_size(NARROW)
    until_true(page, "document.querySelector('.mwem-redrawn .legend .bg')?.getBoundingClientRect().height > 60")
    until_it_fits(page)
    assert page.evaluate(height) >= 0.8 * wide


def test_trade_off_prints_on_one_sheet_with_its_answer_and_without_the_header(visitors, app):
    page = visitors.open(app + "trade_off")
    until_drawn(page)
    until_whole(page)
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == 1
    page.emulate_media(media="print")
    expect(main(page).get_by_text(re.compile("you need ε ≈"))).to_be_visible()
    expect(page.get_by_test_id("stHeader")).to_be_hidden()


AXIS_TITLES = {
    "Percent": "% of all records (log",
    "Total variation": "mean total variation",
    "Records": "most, records (log",
}


def trials_in(page: Page, file) -> list:
    """The trials of the file that the page offers, saved as `file`."""
    until_whole(page)
    with page.expect_download() as waiting:
        main(page).get_by_role("button", name="Trials so far, CSV").click()
    waiting.value.save_as(file)
    return [result.trial for result in from_csv(file.read_text(encoding="utf-8"))]

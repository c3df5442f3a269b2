"""Compare and Trade-off in a real browser: filling before one's eyes, answering meanwhile, stopping, going on."""

import re
import time

import pytest
from browser import NARROW, NO_BROWSER, NOTHING_TESTED, SECONDS, WIDER, address, button, main, pick, words
from playwright.sync_api import Page, expect

from mwem_core.evaluation.trials_file import from_csv

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
CZECH = {"table": "Czech car workers"}
SLOW = CZECH | {"systems": ["MWEM (2012)", "Uniform"], "epsilons": "0.1, 1", "seeds": 60}
PROMPT = 2.0  # seconds


@pytest.fixture
def open_app(visitors):
    yield visitors.open
    # Streamlit first looks for its own files below a page, and a browser says 404 of each
    visitors.troubles[:] = [said for said in visitors.troubles if "404" not in said]


def turn_to(page: Page, name: str) -> None:
    """Click and wait until the page is there: a button pressed before that is the last page's, and calls it back."""
    page.get_by_role("link", name=name, exact=True).click()
    expect(page).to_have_url(re.compile("/" + name.lower().replace("-", "_")))
    until_whole(page)
    main(page).get_by_text("4 Systems").wait_for()


def until_whole(page: Page) -> None:
    """Wait until a run of the page has ended, and left nothing of the one before."""
    page.locator("[data-test-script-state=notRunning]").wait_for()
    expect(main(page).locator("[data-stale=true]")).to_have_count(0)


def done(page: Page) -> int:
    """How many trials the page says are done; 0 while it says nothing of them."""
    found = re.search(r"([\d,]+) of [\d,]+ trials done", words(page))
    return int(found[1].replace(",", "")) if found else 0


def until_done(page: Page, trials: int) -> None:
    until = time.monotonic() + SECONDS
    while done(page) < trials:
        assert time.monotonic() < until, words(page)
        page.wait_for_timeout(100)


def until_drawn(page: Page) -> None:
    page.locator(".mwem-redrawn .main-svg").first.wait_for()


def until_it_fits(page: Page) -> None:
    """Nothing is wider than the window, once all has taken its size."""
    page.wait_for_function(f"Math.max(...({WIDER})()) <= 1")
    page.wait_for_timeout(500)
    assert max(page.evaluate(WIDER)) <= 1


def test_a_small_comparison_runs_to_its_sentence_and_down_to_where_each_is_wrong(open_app, app):
    page = open_app(app + "trade_off" + address(**CZECH, systems=["Laplace", "Uniform"], seeds=3))
    turn_to(page, "Compare")
    expect(page).to_have_url(re.compile("systems=Laplace.*table=Czech"))  # what was chosen on one page holds on all
    button(page, "Run").click()
    main(page).get_by_role("heading", name="Laplace wins here").wait_for()
    until_drawn(page)
    main(page).get_by_role("heading", name="Where they are wrong").wait_for()
    expect(main(page).locator(".stPlotlyChart .main-svg").nth(4)).to_be_attached()
    assert "3 seeds" in words(page)
    named = "plots => plots.map(plot => plot.closest('[role=img], [role=figure]')?.getAttribute('aria-label'))"
    names = page.locator(".js-plotly-plot").evaluate_all(named)
    assert len(names) >= 6
    assert all(names)
    page.set_viewport_size(NARROW)
    until_it_fits(page)
    main(page).get_by_text("Show the truth beside the estimate").click()
    main(page).get_by_text("measured against the private data").wait_for()
    assert page.locator(".js-plotly-plot").count() == 0
    assert "wins here" not in words(page)


def test_a_sweep_answers_while_it_runs_stops_resumes_and_is_taken_along(open_app, app, tmp_path):
    page = open_app(app + "trade_off" + address(**SLOW))
    button(page, "Run").click()
    until_done(page, 4)
    until_drawn(page)
    page.evaluate("window.svg = document.querySelector('.mwem-redrawn .main-svg')")
    until_done(page, 8)
    assert page.evaluate("svg.isConnected"), "a chart that fills is changed, not built anew"
    assert min(seconds_to_answer(page, name) for name in ("Max error", "Mean error", "Mean TV")) <= PROMPT

    turn_to(page, "Compare")  # goes on meanwhile
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

    other = open_app(**CZECH)
    turn_to(other, "Trade-off")
    main(other).get_by_text("Go on from a file of trials").click()
    main(other).locator("input[type=file]").last.set_input_files(tmp_path / "more.csv")
    main(other).get_by_text(f"{len(more)} trials taken from the file").wait_for()
    until_drawn(other)
    expect(main(other).get_by_role("textbox", name="Privacy budgets")).to_have_value("0.1, 1.0")
    other.set_viewport_size(NARROW)
    until_it_fits(other)


def test_on_a_narrow_screen_a_long_legend_takes_nothing_from_the_plot(open_app, app):
    many = ["Laplace", "Gaussian", "Laplace, cleaned", "Gaussian, cleaned", "Laplace on cells", "Uniform"]
    many += ["Optimal Gaussian marginals", "PrivBayes"]
    page = open_app(app + "trade_off" + address(**CZECH, systems=many, epsilons="0.1, 1", seeds=2))
    height = "document.querySelector('.mwem-redrawn .nsewdrag').getBoundingClientRect().height"
    button(page, "Run").click()
    until_drawn(page)
    button(page, "Stop").wait_for(state="detached")
    wide = page.evaluate(height)
    page.set_viewport_size(NARROW)
    page.wait_for_function("document.querySelector('.mwem-redrawn .legend .bg').getBoundingClientRect().height > 60")
    until_it_fits(page)
    assert page.evaluate(height) >= 0.8 * wide


def seconds_to_answer(page: Page, metric: str) -> float:
    """From the choice of another metric to the chart of it, trials running on."""
    began = time.monotonic()
    pick(page, "Judge by", metric)
    main(page).get_by_text(f"{metric} over ε").wait_for()
    return time.monotonic() - began


def trials_in(page: Page, file) -> list:
    until_whole(page)
    with page.expect_download() as waiting:
        main(page).get_by_role("button", name="Trials so far, CSV").click()
    waiting.value.save_as(file)
    return [result.trial for result in from_csv(file.read_text(encoding="utf-8"))]

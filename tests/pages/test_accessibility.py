"""Every page and the report in a real browser, light and dark, checked by axe: contrast, names, roles, headers."""

import pytest
from accessibility import violations
from browser import NO_BROWSER, NOTHING_TESTED, follow, main, part, until_drawn, until_whole
from finished_runs import errors_by_round, finished
from playwright.sync_api import expect

from mwem_app.run import html_report

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]
SHORT = {"table": "Czech car workers", "rounds": 11, "seed": 1}


PAGES = {
    "Release": "Make files that",
    "Ask": "Ask a release",
    "Compare": "Which system is most accurate",
    "Trade-off": "How small can ε be?",
    "How it scales": "Many attributes",
    "The paper": "What of the papers holds",
}


def test_no_page_opens_with_a_violation(open_app):
    page = open_app(**SHORT)
    until_drawn(page)
    assert violations(page) == []
    expect(main(page).get_by_role("heading", level=1)).to_have_text("Run")
    for name in ("table", "queries", "epsilon", "method"):
        part(page, name)
        assert violations(page) == [], name
    page.keyboard.press("Escape")
    for name, landmark in PAGES.items():
        follow(page, name)
        main(page).get_by_text(landmark).wait_for()
        until_whole(page)
        assert violations(page) == [], name
        expect(main(page).get_by_role("heading", level=1)).to_have_count(1)
        expect(page.locator("img.stLogo")).to_have_attribute("alt", "MWEM Explorer")


def test_a_finished_run_is_shown_without_a_violation(finished):
    until_whole(finished)
    assert violations(finished) == []


def test_the_report_opens_offline_with_every_chart_drawn_and_has_no_violation(chromium, tmp_path, czech):
    run, rows = finished(czech)
    report = tmp_path / "report.html"
    report.write_text(html_report(run, rows, truth=czech, errors=errors_by_round(run, czech)), encoding="utf-8")
    context, wrong = chromium.new_context(offline=True), []
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(f"{error}"))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
    page.goto(report.as_uri())
    charts = page.locator("[data-chart]")
    expect(charts.filter(has=page.locator(".main-svg"))).to_have_count(charts.count())
    assert charts.count() >= 10
    assert violations(page) == []
    context.close()
    assert wrong == []

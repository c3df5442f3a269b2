"""A reload of the page in a real browser: what the tab has made is still there, and nobody else sees it."""

import json

import pytest
from browser import (
    NO_BROWSER,
    NOTHING_TESTED,
    ROOT,
    button,
    main,
    part,
    until_drawn,
    until_over,
    until_whole,
    words,
)
from playwright.sync_api import expect

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]
SURVEY = ROOT / "sample_data" / "class_survey.csv"
COUNT = "ε = 1 spent in 1 run"


def test_a_reload_keeps_the_upload_the_run_and_the_count_of_epsilon_for_this_tab_alone(visitors):
    page = visitors.open(table="Your own file")
    main(page).locator("input[type=file]").first.set_input_files(SURVEY)
    button(page, "Use this schema").click()
    until_drawn(page)
    button(page, "Run").click()
    until_over(page)
    until_whole(page)
    where, error = page.url, main(page).get_by_test_id("stMetricValue").first
    before = error.inner_text()
    (token,) = json.loads(page.evaluate("JSON.stringify(Object.values(sessionStorage))"))
    page.reload()
    until_over(page)
    until_whole(page)
    expect(error).to_have_text(before)
    expect(part(page, "epsilon").get_by_text(COUNT)).to_be_visible()
    expect(part(page, "table").get_by_text("200 rows · ")).to_be_visible()
    expect(page.get_by_text("class_survey.csv is still in use.")).to_be_visible()
    assert token not in page.url == where
    assert token not in json.dumps(page.context.cookies())
    assert token not in page.content()
    expect(button(page, "Run")).to_be_enabled()
    stranger = visitors.open(where)
    until_whole(stranger)
    assert "class_survey" not in words(stranger)
    assert "so far" not in words(stranger)
    assert stranger.evaluate("sessionStorage.length") == 0

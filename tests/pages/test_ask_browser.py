"""Ask in a real browser: a release is dropped on the page and asked, in light and dark, wide and narrow."""

from pathlib import Path

import pytest
from accessibility import violations
from browser import NARROW, NO_BROWSER, NOTHING_TESTED, WIDER, button, main, until_true, until_whole
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]
RELEASE = Path(__file__).parents[1] / "ask" / "stored" / "format-2"
ANSWERED = {  # in SQL, and in English
    "smoker = 1": "Share where smoker = 1",
    "odds_ratio(smoker = 1, colour = 'red')": "Odds ratio of smoker = 1 by colour is red",
    "share(*) group by smoker, colour": "Share of all records by smoker and colour",
    "smoker ~ colour": "Linear regression of smoker ~ colour",
}


def ask(page: Page, question: str) -> None:
    line = main(page).get_by_role("textbox", name="The question in SQL")
    line.fill(question)
    line.press("Enter")


def test_a_dropped_release_answers_questions_and_refuses_one_about_what_it_has_not(visitors, tmp_path):
    page = visitors.visit(visitors.app + "ask")
    expect(main(page).get_by_text("The answers go from")).to_be_visible()
    own = main(page).get_by_role("button", name="A release of your own")
    given = page.get_by_test_id("stPopoverBody")
    files = given.locator("input[type=file]")
    own.click()
    damaged = tmp_path / "rows.csv"
    damaged.write_text("age\n1\n", encoding="utf-8")
    files.set_input_files([*(file for file in RELEASE.iterdir() if file.name != "rows.csv"), damaged])
    expect(given.get_by_role("alert")).to_contain_text("rows.csv is not the file that was released")
    assert violations(page) == []
    page.reload()  # nothing is kept of what was refused
    own.click()
    files.set_input_files(list(RELEASE.iterdir()))
    expect(main(page).get_by_text("people", exact=True)).to_be_visible()
    until_whole(page)
    for question, sentence in ANSWERED.items():
        ask(page, question)
        expect(main(page).get_by_role("heading", name=sentence)).to_be_visible()
        expect(main(page).get_by_role("alert")).to_have_count(0)
    ask(page, "avg(smoker = 1) group by town")
    expect(main(page).get_by_role("alert")).to_contain_text("no attribute 'town' in the schema")
    ask(page, "smoker = 1")
    menu = main(page).get_by_role("combobox", name="By", exact=True)
    menu.click()
    page.get_by_role("option", name="colour", exact=True).click()
    expect(main(page).get_by_role("heading", name="Share where smoker = 1 by colour")).to_be_visible()
    expect(main(page).locator(".main-svg").first).to_be_visible()
    until_whole(page)
    assert main(page).get_by_text("may leave the room").count() == 1
    page.set_viewport_size(NARROW)
    until_true(page, f"Math.max(...({WIDER})()) <= 1")
    assert violations(page) == []
    with page.expect_download() as download:
        main(page).get_by_role("button", name="Answers, CSV").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "question,interval for,answer,value,low,high,rests on,refused,note"
    assert sum(line.startswith('"select colour, avg(case when smoker = ') for line in lines) == 3
    button(page, "Back to the sample").click()
    expect(own).to_be_visible()

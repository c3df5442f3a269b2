"""Every page and the report in a real browser, light and dark, checked by axe: contrast, names, roles, headers."""

import re

import pytest
from accessibility import violations
from browser import NARROW, NO_BROWSER, NOTHING_TESTED, button, main, until_drawn, until_over, until_whole
from finished_runs import errors_by_round, finished
from playwright.sync_api import expect
from runs import SAMPLES

from mwem_core import Domain, encode, read_table
from ui.run.report import html_report

pytestmark = [
    pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED),
    pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"]),
]
SHORT = {"table": "Czech car workers", "rounds": 11, "seed": 1}


def test_the_run_page_opens_without_a_violation(open_app, dark):
    page = open_app(dark=dark, **SHORT)
    until_drawn(page)
    assert violations(page) == []
    main(page).get_by_role("button", name="6 of 6 attributes").click()
    page.get_by_test_id("stPopoverBody").get_by_role("button", name="smoking").wait_for()
    assert violations(page) == []


@pytest.mark.parametrize(
    ("name", "path"), [("Compare", "compare"), ("Trade-off", "trade_off"), ("How it scales", "scale")]
)
def test_another_page_opens_without_a_violation(open_app, dark, name, path):
    page = open_app(dark=dark, **SHORT)
    until_drawn(page)
    page.get_by_role("link", name=name, exact=True).click()
    expect(page).to_have_url(re.compile(f"/{path}"))
    until_whole(page)
    assert violations(page) == []


def test_a_finished_run_is_shown_without_a_violation(open_app, dark):
    page = open_app(dark=dark, **SHORT)
    until_drawn(page)
    button(page, "Run").click()
    until_over(page)
    until_whole(page)
    assert violations(page) == []


def test_a_live_class_has_no_violation_on_either_side(visitors, dark):
    teacher = visitors.visit(f"{visitors.app}room", dark=dark)
    button(teacher, "Open").wait_for()
    until_whole(teacher)
    assert violations(teacher) == []
    button(teacher, "Open").click()
    code = teacher.locator(".st-key-class_code h2").inner_text()
    phone = visitors.visit(f"{visitors.app}join?room={code}", viewport=NARROW, dark=dark)
    button(phone, "Join").wait_for()
    until_whole(phone)
    assert violations(phone) == []
    button(phone, "Join").click()
    button(teacher, "Ask").click()
    phone.get_by_role("radio", name="Yes").check()
    assert violations(phone) == []
    phone.get_by_role("button", name="Flip").click()
    expect(main(phone)).to_contain_text("This phone sent")
    expect(main(teacher)).to_contain_text("1 of 1 phones have answered.")
    assert violations(phone) == violations(teacher) == []
    main(teacher).get_by_text("The class as a table").click()
    button(teacher, "Ask").click()
    for each in range(5):
        phone.get_by_role("radio", name="No").nth(each).check()
    assert violations(phone) == []
    phone.get_by_role("button", name="Send").click()
    expect(main(teacher)).to_contain_text("1 of 1 phones have answered.")
    main(teacher).get_by_text("Show the truth").click()
    button(teacher, "Run MWEM").click()
    main(teacher).locator("figure.cross").first.wait_for()
    until_whole(teacher)
    assert violations(teacher) == []


def test_the_report_has_no_violation(chromium, dark, tmp_path):
    domain = Domain.from_toml((SAMPLES / "czech.toml").read_text(encoding="utf-8"))
    truth = encode(read_table(SAMPLES / "czech.csv"), domain)
    run, rows = finished(truth)
    report = tmp_path / "report.html"
    report.write_text(html_report(run, rows, truth=truth, errors=errors_by_round(run, truth)), encoding="utf-8")
    page = chromium.new_page(color_scheme="dark" if dark else "light")
    page.goto(report.as_uri())
    page.locator("[data-chart] .main-svg").first.wait_for()
    assert violations(page) == []
    page.close()

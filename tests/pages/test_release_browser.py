"""Release in a real browser: rehearse, release by a double click that spends once, download; hostile texts are text."""

import csv
import io
import json
import re
import zipfile

import pytest
from accessibility import violations
from browser import NO_BROWSER, NOTHING_TESTED, WIDER, address, button, main, part, pick, until_true, until_whole, words
from hostile import HOSTILE, INTERPRETED, NAMES, NOTHING, table
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]
NARROW = {"width": 400, "height": 800}


def test_a_double_click_releases_once_and_the_files_download_as_one(visitors, tmp_path):
    page = visitors.visit(visitors.app + "release" + address(table="Class survey", k=1))
    release = main(page).get_by_role("button", name="Release", exact=True)
    release.wait_for()
    ledger = part(page, "ledger").get_by_role("textbox", name="Ledger file")
    ledger.fill("walk")
    ledger.press("Enter")
    until_whole(page)
    page.keyboard.press("Escape")
    button(page, "Rehearse").click()
    main(page).get_by_text("means over").wait_for()
    until_whole(page)
    release.dblclick()  # asks, and no more
    spend = button(page, "Spend")
    spend.wait_for()
    until_whole(page)
    expect(main(page).get_by_text("for good?")).to_be_visible()
    expect(main(page).get_by_role("button", name="All files, zip")).to_have_count(0)
    assert violations(page) == []
    spend.dblclick()
    all_files = main(page).get_by_role("button", name="All files, zip")
    all_files.wait_for()
    until_whole(page)
    main(page).get_by_text("1 entry in the ledger").click()
    expect(main(page).get_by_role("cell", name="settled")).to_have_count(1)
    with page.expect_download() as download:
        all_files.click()
    download.value.save_as(tmp_path / "release.zip")
    with zipfile.ZipFile(tmp_path / "release.zip") as archive:
        assert {"rows.csv", "intervals.csv", "manifest.json", "report.html"} <= set(archive.namelist())
        assert archive.testzip() is None
    page.set_viewport_size(NARROW)
    until_true(page, f"Math.max(...({WIDER})()) <= 1")
    assert violations(page) == []
    page.reload()
    all_files.wait_for()


def test_a_hostile_name_or_value_is_text_on_the_page_and_in_every_file(visitors, chromium, tmp_path):
    page = visitors.visit(visitors.app + "release" + address(table="Your own file", k=1, epsilon=20))
    values = HOSTILE, HOSTILE, [f"{i} <i>&</i>" for i in range(3)]
    schema = "".join(
        f"[[attribute]]\nname = {json.dumps(name)}\nvalues = {json.dumps(each)}\n"
        for name, each in zip(NAMES, values, strict=True)
    )
    give(page, 0, "=1+1 <b>strong</b> :smile:.csv", table(NAMES, HOSTILE, 3000))
    give(page, 1, "schema.toml", schema.encode())
    button(page, "Declare this public").click()
    check_nothing_is_interpreted(page)
    part(page, "unit")
    pick(page, "What it protects", "A person")
    page.get_by_role("combobox", name="Named by column").click()
    expect(page.get_by_role("option", name=NAMES[0])).to_be_visible()
    check_nothing_is_interpreted(page)
    page.keyboard.press("Escape")
    for field, text in {"Ledger file": "hostile", "Name of the data set": " ".join(NAMES)}.items():
        part(page, "ledger").get_by_role("textbox", name=field).fill(text)
        page.get_by_role("textbox", name=field).press("Enter")
        until_whole(page)
    cap = page.get_by_role("spinbutton", name="Cap on the ε of all releases")
    cap.fill("40")
    cap.press("Enter")
    until_whole(page)
    page.keyboard.press("Escape")
    button(page, "Rehearse").click()
    main(page).get_by_text("means over").wait_for()
    check_nothing_is_interpreted(page)
    main(page).get_by_role("button", name="Release", exact=True).click()
    button(page, "Spend").wait_for()
    check_nothing_is_interpreted(page)
    button(page, "Spend").click()
    all_files = main(page).get_by_role("button", name="All files, zip")
    all_files.wait_for()
    main(page).get_by_text("1 entry in the ledger").click()
    check_nothing_is_interpreted(page)
    assert re.search("Another release spends .* for each person", words(page))  # as it was set
    until_whole(page)  # a rerun may put another button in the place of the one that is being pressed
    with page.expect_download() as download:
        all_files.click()
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(tmp_path)
    for name in ("rows.csv", "intervals.csv"):
        lines = io.StringIO((tmp_path / name).read_text(encoding="utf-8"), newline="")
        cells = [cell for row in csv.reader(lines) for cell in row]
        assert any("=1+1" in cell for cell in cells)
        number, signed = (
            r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?",
            r"[-+＋－]+ ?[^\W\d_]+(?:[ -][^\W\d_]+)*|[-+＋－][-+/＋－ ]*",
        )
        harmless = rf"(?s:'.*)|{number}|{signed}"
        assert all(re.fullmatch(harmless, cell) for cell in cells if re.match(r"'*[=+\-@\t\r\n＝＋－＠]", cell))
    report = chromium.new_page()
    report.goto((tmp_path / "report.html").as_uri())
    check_nothing_is_interpreted(report)
    assert all(name in report.inner_text("body") for name in NAMES)
    report.close()


def give(page: Page, field: int, name: str, content: bytes) -> None:
    inputs = main(page).locator("input[type=file]")
    expect(inputs).to_have_count(field + 1)
    inputs.nth(field).set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})


def check_nothing_is_interpreted(page: Page) -> None:
    if page.url.startswith("http"):
        until_whole(page)
    assert page.evaluate(INTERPRETED) == NOTHING

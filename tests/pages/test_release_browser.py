"""Release in a real browser: rehearse, release by a double click that spends once, and download the files."""

import zipfile

import pytest
from accessibility import violations
from browser import NO_BROWSER, NOTHING_TESTED, WIDER, address, button, main, until_whole
from playwright.sync_api import expect

pytestmark = pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
NARROW = {"width": 400, "height": 800}


def test_a_double_click_releases_once_and_the_files_download_as_one(visitors, tmp_path):
    page = visitors.visit(visitors.app + "release" + address(table="Class survey", k=1))
    release = main(page).get_by_role("button", name="Release", exact=True)
    release.wait_for()
    ledger = main(page).get_by_role("textbox", name="Ledger file")
    ledger.fill("walk")
    ledger.press("Enter")
    until_whole(page)
    button(page, "Rehearse").click()
    main(page).get_by_text("means over").wait_for()
    until_whole(page)
    release.dblclick()
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
    page.wait_for_function(f"Math.max(...({WIDER})()) <= 1")
    assert violations(page) == []

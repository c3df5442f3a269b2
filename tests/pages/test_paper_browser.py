"""A chart of the page The paper saves itself as a picture for a light slide, also from a dark page."""

import xml.etree.ElementTree as ET

import pytest
from browser import NO_BROWSER, NOTHING_TESTED, pick, until_whole
from PIL import Image
from playwright.sync_api import Page

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]
PAPER, INK = (251, 250, 246), "rgb(18, 22, 30)"


def save(page: Page, folder):
    chart = page.get_by_test_id("stPlotlyChart").first
    chart.hover()
    with page.expect_download() as download:
        chart.locator(".modebar-btn").click()
    download.value.save_as(folder / download.value.suggested_filename)
    return folder / download.value.suggested_filename


def test_a_chart_saves_itself_with_its_title_and_axes_on_a_light_ground(visitors, tmp_path):
    page = visitors.visit(visitors.app + "paper?experiment=Figure+6", dark=True)
    page.locator(".js-plotly-plot .trace").first.wait_for()
    file = save(page, tmp_path)
    assert file.name == "figure6-MWEM-(2012).svg"
    svg = "{http://www.w3.org/2000/svg}"
    picture = ET.parse(file).getroot()
    texts = {" ".join(text.itertext()): text.get("style", "") for text in picture.iter(f"{svg}text")}
    named = {
        "Figure 6: MWEM (2012)",
        "attributes d, with T = d rounds",
        "CPU seconds of the rounds (log scale)",
        "uniform",
    }
    assert named <= texts.keys()
    assert all(INK in style for style in texts.values())
    assert "rgb" + str(PAPER) in picture.find(f"{svg}rect").get("style")
    pick(page, "Charts save as", "PNG")
    until_whole(page)
    page.locator(".modebar-btn[data-title$=PNG]").first.wait_for(state="attached")
    with Image.open(save(page, tmp_path)) as saved:
        assert (saved.format, saved.size, saved.convert("RGB").getpixel((3, 3))) == ("PNG", (1600, 1000), PAPER)

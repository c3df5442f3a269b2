"""The picture as a page in one file: it opens offline, moves by keyboard, and answers what is pointed at."""

import base64
import hashlib
import json
import re
from statistics import median

import pytest
from accessibility import violations
from browser import NO_BROWSER, NOTHING_TESTED
from pictures import VERDICT, offline_page, picture, unpacked
from playwright.sync_api import Page, expect

from mwem_app.base import PRIVATE
from mwem_app.stage.runs_message import Interval, Question
from mwem_app.stage.standalone import demonstration_page

BROWSER = [pytest.mark.slow, pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)]


def slow(test):
    for mark in BROWSER:
        test = mark(test)
    return test


def words(page: Page) -> str:
    return " ".join(page.locator("main").inner_text().split())


def epsilon(page: Page):
    return page.get_by_role("slider", name="Privacy budget ε")


def rounds(page: Page):
    return page.get_by_role("slider", name="Round")


def test_the_page_allows_its_own_script_and_names_no_address(czech):
    page = demonstration_page(picture(czech), verdict=VERDICT)
    (policy,) = re.findall(r'content="(default-src [^"]*)"', page)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    assert set(re.findall(r"https?://[\w./]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"""\b(src|href)=|@import|url\((?!#)""", page)  # a drawing cuts lines off by a part of itself


def test_the_page_says_its_verdict_and_no_server_is_waited_for(czech):
    page = demonstration_page(
        picture(czech, truth=False, badge=PRIVATE, asks=True, waiting="1 of 3"), verdict="It may not."
    )
    (text,) = re.findall(r'<script type="application/json" id="message">(.*?)</script>', page)
    data = json.loads(text)
    assert (data["asks"], data["waiting"], data["truth"], data["badge"]["text"]) == (False, "", None, PRIVATE.text)
    assert "<p>It may not.</p>" in page


def test_no_name_of_a_table_ends_the_script(czech):
    page = demonstration_page(picture(czech, title="</script><b>"), verdict="")
    assert "</script><b>" not in page


@slow
def test_both_sliders_move_the_picture_by_keyboard_offline(chromium, czech, tmp_path):
    with offline_page(chromium, tmp_path, picture(czech)) as page:
        expect(epsilon(page)).to_have_attribute("aria-valuetext", "ε = 1")
        expect(rounds(page)).to_have_attribute("aria-valuetext", "round 3 of 3 · 1.00 of ε spent")
        assert "at most 73 of 100 cases" in words(page)
        rounds(page).press("Home")
        assert "ε 0.00 of 1.00 is spent" in words(page)
        rounds(page).press("ArrowRight")
        assert "ε 0.33 of 1.00 is spent" in words(page)
        epsilon(page).press("End")
        expect(rounds(page)).to_have_attribute("aria-valuetext", "round 1 of 3 · .33 of ε spent")
        assert "at most 99.995 of 100 cases: this no longer protects you." in words(page)
        epsilon(page).press("Home")
        assert "at most 52.5 of 100 cases; without it, in 50." in words(page)


@slow
def test_a_drag_is_redrawn_within_a_twentieth_of_a_second(chromium, czech, tmp_path):
    with offline_page(chromium, tmp_path, picture(czech, systems=2)) as page:
        taken = []
        for key in ["Home", *["ArrowRight"] * 2, *["ArrowLeft"] * 2]:
            epsilon(page).press(key)
            taken.append(float(page.locator(".drawing").get_attribute("data-redraw") or "inf"))
        assert median(taken) < 50


@slow
def test_a_cell_that_is_clicked_is_asked_and_answered_at_every_position(chromium, czech, tmp_path):
    data = picture(czech)
    table, run = data["tables"][0], data["tracks"]["mwem/1"]
    answers, truth = unpacked(run["answers"], 4), unpacked(data["truth"], 1)[0]
    with offline_page(chromium, tmp_path, data) as page:
        page.locator(".panel.estimate rect").nth(2).click()  # the second of x, the first of y
        expect(page.get_by_label("How many have")).to_have_value(f"{table['x_terms'][1]} and {table['y_terms'][0]}")
        expect(page.locator(".tag")).to_have_text("inside")
        for position, key in ((3, "End"), (0, "Home")):
            rounds(page).press(key)
            estimate, true = round(answers[position, 2] / 10), round(truth[2] / 10)
            said = page.locator(".verdict").inner_text()
            assert said.startswith(f"Estimate {estimate:,}, truth {true:,}: off by ")
            assert abs(int(re.findall(r"off by ([\d,]+)", said)[0].replace(",", "")) - abs(estimate - true)) <= 1
        page.locator(".reading").press("ArrowDown")
        page.locator(".reading").press("Enter")
        expect(page.get_by_label("How many have")).to_have_value(f"{table['x_terms'][1]} and {table['y_terms'][1]}")


@slow
def test_a_drag_over_bars_asks_a_range(chromium, czech, tmp_path):
    data = picture(czech, "marginals:1")
    with offline_page(chromium, tmp_path, data) as page:
        bars = page.locator(".tables")
        box = bars.bounding_box()
        page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.5)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.5, steps=3)
        page.mouse.up()
        name, labels = data["tables"][0]["title"], data["tables"][0]["x"]
        expect(page.get_by_label("How many have")).to_have_value(f'{name} in ("{labels[0]}", "{labels[1]}")')
        assert "off by 0 of 1,841" in page.locator(".verdict").inner_text()


@slow
def test_saved_questions_are_answered_and_others_refused_in_a_sentence(chromium, czech, tmp_path):
    far = Question(
        "a and b", "far", 100.0, {"mwem/1": [50, 60, 70, 80]}, {"mwem/1": Interval(refused="it was not measured")}
    )
    with offline_page(chromium, tmp_path, picture(czech, saved=[far])) as page:
        page.get_by_role("button", name="a and b").click()
        expect(page.locator(".tag")).to_have_text("far")
        assert "off by 20 of 100" in words(page)
        assert "No interval: it was not measured" in words(page)
        page.get_by_label("How many have").fill("something else")
        page.get_by_label("How many have").press("Enter")
        assert "This page answers questions about the tables in view, and these: a and b." in words(page)


@slow
def test_without_the_truth_it_shows_what_each_round_measured(chromium, czech, tmp_path):
    with offline_page(chromium, tmp_path, picture(czech, truth=False)) as page:
        assert "A count is off by" not in words(page)
        assert "What each round measured" in words(page)
        expect(page.locator(".panel")).to_have_count(1)
        page.locator(".panel.estimate rect").first.click()
        assert "truth" not in page.locator(".verdict").inner_text()


@slow
def test_axe_finds_nothing_on_a_phone_or_a_projector_and_nothing_is_wider_than_the_screen(chromium, czech, tmp_path):
    with offline_page(chromium, tmp_path, picture(czech, systems=2), width=390) as page:
        page.locator(".panel rect").first.click()
        assert violations(page) == []
        assert page.evaluate("document.scrollingElement.scrollWidth") == 390
    with offline_page(chromium, tmp_path, picture(czech, present=True)) as page:
        assert violations(page) == []
        expect(page.get_by_label("Table in view")).to_be_hidden()
        for size in ((1280, 720), (1920, 1080)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.locator(".panel rect").first.click()
            assert page.evaluate("document.scrollingElement.scrollHeight") <= size[1]


@slow
def test_where_motion_is_to_be_reduced_nothing_moves_in_between(chromium, czech, tmp_path):
    with offline_page(chromium, tmp_path, picture(czech), reduced_motion="reduce") as page:
        page.get_by_role("button", name="Play the rounds").click()
        expect(rounds(page)).to_have_attribute("aria-valuetext", re.compile("round 1 of 3"))
        assert page.evaluate("document.getAnimations().length") == 0
        page.get_by_role("button", name="Stop").click()

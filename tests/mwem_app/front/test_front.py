"""The front page in a browser: what it says is counted again from the stored answers, and it moves as it should."""

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import pytest
from accessibility import violations
from browser import NO_BROWSER, NOTHING_TESTED, until_true
from playwright.sync_api import Browser, Page, expect

from mwem_app.front import (
    EPSILONS,
    FRONTS,
    SYSTEMS,
    asked_in,
    file_of,
    from_gz,
    front_message,
    front_page,
    records_of,
    refusals,
)
from mwem_core.domain import Domain

BROWSER = [pytest.mark.slow, pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)]
WORDS, CONTROLS = 110, 12  # on the first screen


def slow(test):
    for mark in BROWSER:
        test = mark(test)
    return test


@contextmanager
def offline(chromium: Browser, folder, title: str, *, width: int = 1280, **context: Any) -> Iterator[Page]:
    """The page of a table, opened from a file without a network; no script may fail and nothing may be fetched."""
    file = folder / "front.html"
    file.write_text(front_page(title), encoding="utf-8")
    context = {"reduced_motion": "reduce"} | context
    visitor = chromium.new_context(offline=True, viewport={"width": width, "height": 720}, **context)
    page, wrong = visitor.new_page(), []
    page.on("pageerror", lambda error: wrong.append(f"{error}"))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
    page.goto(file.as_uri())
    page.locator(".drawing[data-ready=true]").wait_for()
    yield page
    visitor.close()
    assert wrong == []


def number(text: str) -> int:
    return int(text.replace(",", "").replace("−", "-"))


def cell(domain: Domain, first: tuple[int, int], second: tuple[int, int]) -> int:
    """Where the answer about two values stands among all pairs of attributes."""
    (a, i), (b, j) = sorted([first, second])
    sizes = domain.sizes(range(len(domain)))
    before = [pair for pair in combinations(range(len(domain)), 2) if pair < (a, b)]
    return sum(sizes[x] * sizes[y] for x, y in before) + i * sizes[b] + j


def narrowest(answers: list[int]) -> tuple[int, int]:
    """The shortest interval between two answers that holds at least nineteen of them."""
    ends = [(low, high) for low in answers for high in answers if sum(low <= each <= high for each in answers) >= 19]
    return min(ends, key=lambda end: (end[1] - end[0], end[0]))


@slow
@pytest.mark.parametrize("title", FRONTS)
def test_every_number_of_a_question_is_counted_again_from_the_stored_answers(chromium, tmp_path, title):
    answers, domain, draw = from_gz(file_of(title).read_bytes()), records_of(title).domain, random.Random(title)
    with offline(chromium, tmp_path, title) as page:
        for _ in range(6):
            first, second = draw.sample(range(len(domain)), 2)
            asked = [(a, draw.randrange(domain.attributes[a].size)) for a in (first, second)]
            for name, (a, i) in zip(("First", "Second"), asked, strict=True):
                page.get_by_label(f"{name} property").select_option(f"{a} {i}")
            page.get_by_label("First property").select_option("{} {}".format(*asked[0]))  # they may have changed places
            system, e = draw.choice(SYSTEMS), draw.randrange(len(EPSILONS))
            page.locator(f"[value={system}]").check(force=True)
            slider = page.get_by_role("slider", name="Privacy budget ε")
            slider.fill(f"{e}")
            at = cell(domain, *asked)
            said = (answers.truth[at] + answers.off[SYSTEMS.index(system), at, e]).tolist()
            low, high = narrowest(said)
            held = sum(low <= each <= high for each in said)
            facts = page.locator(".facts b").all_inner_texts()
            assert list(map(number, facts)) == [answers.truth[at], said[0], low, high]
            assert f"{held} of 20 runs say" in page.locator(".facts").inner_text()
            right = 100 / (1 + np.exp(-EPSILONS[e]))
            shown = float(page.locator(".promise b").inner_text())
            assert right <= shown < right + 0.1 + 1e-9
            largest, mean = (curve[-1] for curve in answers.rounds[system][e])
            spoken = page.locator(".errors svg[role=img]").get_attribute("aria-label") or ""
            for value, text in zip((largest, mean), re.findall(r"\d[\d,]*(?:\.\d)?", spoken), strict=True):
                value = max(value, 0.1)  # no smaller error has a place on the axis
                assert float(text.replace(",", "")) == pytest.approx(value, abs=0.501 if value > 9.9 else 0.0501)


@slow
def test_nothing_moves_where_motion_is_unwanted_and_keys_move_epsilon(chromium, tmp_path):
    with offline(chromium, tmp_path, "Class survey") as page:
        slider = page.get_by_role("slider", name="Privacy budget ε")
        assert slider.input_value() == f"{EPSILONS.index(1.0)}"
        page.wait_for_timeout(1500)
        assert slider.input_value() == f"{EPSILONS.index(1.0)}"
        assert page.evaluate("document.getAnimations().length") == 0
        slider.press("End")
        assert "ε = 10: a run says" in (slider.get_attribute("aria-valuetext") or "")
        slider.press("ArrowLeft")
        assert "ε = 5: a run says" in (slider.get_attribute("aria-valuetext") or "")


@slow
def test_untouched_it_moves_by_itself_and_a_touch_or_the_button_ends_that(chromium, tmp_path):
    with offline(chromium, tmp_path, "Class survey", reduced_motion="no-preference") as page:
        slider = page.get_by_role("slider", name="Privacy budget ε")
        until_true(page, "document.querySelector('[type=range]').value != 7")
        page.get_by_role("button", name="Hold ε still").click()
        rest = slider.input_value()
        page.wait_for_timeout(2500)
        assert slider.input_value() == rest
        expect(page.get_by_role("button", name="Let ε move by itself")).to_be_visible()


@slow
def test_epsilon_moves_no_pixel_of_the_layout_and_takes_a_few_milliseconds(chromium, tmp_path):
    places = """() => [...document.querySelectorAll(".front *")].filter(each => !each.closest("svg > *"))
      .map(each => { const box = each.getBoundingClientRect(); return [box.y, box.height].map(Math.round); })"""
    with offline(chromium, tmp_path, "Adult") as page:
        slider, taken, seen = page.get_by_role("slider", name="Privacy budget ε"), [], []
        slider.press("Home")
        for _ in EPSILONS:
            seen.append(page.evaluate(places))
            taken.append(float(page.locator(".drawing").get_attribute("data-redraw") or "inf"))
            slider.press("ArrowRight")
        assert all(each == seen[0] for each in seen)
        assert median(taken) < 50


@slow
def test_a_cell_that_is_clicked_is_asked(chromium, tmp_path):
    with offline(chromium, tmp_path, "Class survey") as page:
        page.locator(".panel.truth rect").nth(8).click()  # the last row and the last column
        texts = [
            page.get_by_label(f"{name} property").locator("option:checked").inner_text() for name in ("First", "Second")
        ]
        assert sorted(texts) == ["drink neither", "sleep over 8 h"]


@slow
def test_the_dashed_lines_are_the_ends_of_the_other_system_s_range(chromium, tmp_path):
    def ends(name: str) -> list[str]:
        return re.findall(r"[\d.]+ [\d.]+", page.locator(f".trumpet .{name}").get_attribute("d") or "")

    with offline(chromium, tmp_path, "Adult") as page:
        high, low = ends("reach")[:12], ends("reach")[:11:-1]
        page.get_by_label("Automatic").check(force=True)
        assert ends("beside") == [*high, *low] != ends("reach")


@slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(chromium, tmp_path, width, scheme):
    with offline(chromium, tmp_path, "Adult", width=width, color_scheme=scheme) as page:
        assert violations(page) == []
        assert page.evaluate("document.scrollingElement.scrollWidth") == width


@slow
def test_the_first_screen_is_short_and_leads_on(visitors):
    page = visitors.visit(visitors.app, viewport={"width": 1280, "height": 720})
    page.locator(".drawing[data-ready=true]").wait_for()
    front = page.locator(".front")
    text = front.evaluate("each => { const copy = each.cloneNode(true);"
                          " copy.querySelectorAll('svg, option, .spoken').forEach(one => one.remove());"
                          " return copy.innerText; }")  # fmt: skip
    assert len(re.findall(r"\w[\w’.,]*", text)) <= WORDS
    assert front.locator("button, select, input").count() <= CONTROLS
    assert front.evaluate("each => each.getBoundingClientRect().bottom") <= 720
    page.get_by_label("Table").select_option("the class survey")
    page.get_by_role("button", name="Watch it learn").click()
    page.locator(".mwem-player[data-shown]").wait_for()
    assert "table=Class+survey" in page.url


@slow
def test_the_address_names_the_question_and_asks_it_again(visitors):
    page = visitors.visit(visitors.app + "?table=Class+survey&how_many=year+is+third+and+drink+is+tea&epsilon=0.3")
    page.locator(".drawing[data-ready=true]").wait_for()
    assert page.get_by_label("Second property").locator("option:checked").inner_text() == "drink tea"
    page.get_by_label("First property").select_option("1 2")
    page.reload()
    page.locator(".drawing[data-ready=true]").wait_for()
    assert page.get_by_label("First property").locator("option:checked").inner_text() == "sleep over 8 h"
    assert "a run at ε = .3" in page.locator(".facts").inner_text()


def test_the_message_has_words_for_every_value_and_at_most_twelve_names_along_an_axis():
    for table in front_message()["tables"]:
        for attribute in table["attributes"]:
            values, groups = attribute["values"], attribute["groups"]
            assert all(each["phrase"] and each["short"] for each in values)
            assert sorted(i for group in groups for i in group["of"]) == list(range(len(values)))
            assert len(groups) <= 11
    assert json.dumps(front_message())  # no array of NumPy is in it


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ({"table": "Nope"}, "the address asks for table = 'Nope', which is no choice here: Adult is used"),
        ({"epsilon": "0"}, "the address asks for epsilon = '0.0', which is no choice here: 1 is used"),
        ({"epsilon": "nan"}, "the address asks for epsilon = 'nan', which is no choice here: 1 is used"),
        ({"epsilon": "much"}, "the address asks for epsilon = 'much', which is no choice here: 1 is used"),
        ({"how_many": "x"}, "the address asks for how_many = 'x', which is no choice here: the first question is used"),
    ],
)
def test_what_the_front_has_not_is_named_with_what_is_used_instead(address, sentence):
    assert refusals(asked_in(address)) == [sentence]


def test_every_question_that_the_front_writes_to_the_address_is_one_that_it_has():
    asked = {"table": "Class survey", "how_many": "year is third and drink is tea", "epsilon": "0.03"}
    assert refusals(asked_in(asked)) == []

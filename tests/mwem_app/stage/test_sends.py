"""What the picture sends to the server, and how it takes what comes back; its questions against the core's language."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from browser import NO_BROWSER, NOTHING_TESTED
from pictures import SYSTEMS, picture
from playwright.sync_api import Page, expect

from mwem_app.charts import HTML, script_of, style_of
from mwem_app.stage.runs_message import Question
from mwem_app.stage.standalone import SCRIPTS, STYLES
from mwem_core import Domain, parse_workload
from mwem_core.domain import parse_question
from mwem_core.stage import tables_of

pytestmark = [pytest.mark.slow, pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)]

MOUNT = """async ([module, first]) => {
  const { default: draw } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
  window.sent = [];
  const setTriggerValue = (name, value) => sent.push([name, value]);
  window.show = (data) => draw({ data, parentElement: document.body, setTriggerValue });
  show(first);
}"""
DOMAIN = """
[[attribute]]
name = "age"
edges = [0, 10, 20, 40, 80]

[[attribute]]
name = "home town"
values = ["A and B", "C", "D"]
other = true

[[attribute]]
name = "children"
range = [0, 4]
special = ["refused"]

[[attribute]]
name = "born"
dates = ["2020-01-01", "2020-03-31"]
by = "month"
"""


@pytest.fixture
def page(chromium):
    page = chromium.new_page()
    page.set_content(HTML)
    page.add_style_tag(content=style_of(STYLES))
    yield page
    page.close()


def mount(page: Page, data: dict) -> None:
    page.evaluate(MOUNT, [script_of(SCRIPTS), data])


def sent(page: Page, name: str) -> list:
    return [value for each, value in page.evaluate("sent") if each == name]


def test_where_the_sliders_rest_is_sent_once_and_an_echo_moves_nothing(page, czech):
    data = picture(czech)
    mount(page, data)
    budget = page.get_by_role("slider", name="Privacy budget ε")
    for key in ("ArrowLeft", "ArrowRight", "ArrowRight"):
        budget.press(key)
    page.wait_for_function("sent.length > 0")
    assert page.evaluate("sent") == [["at", {"epsilon": 2, "share": 1, "look": 0}]]
    budget.press("Home")
    page.evaluate("show", data | {"tracks": {}, "at": {"epsilon": 2, "share": 1.0}})
    expect(budget).to_have_attribute("aria-valuetext", "ε = 0.1")
    page.evaluate("show", data | {"tracks": {}, "at": {"epsilon": 1, "share": 0.4}})  # by a button of the page
    expect(budget).to_have_attribute("aria-valuetext", "ε = 1")
    assert "round 1 of 3" in (page.get_by_role("slider", name="Round").get_attribute("aria-valuetext") or "")


def test_runs_stay_until_the_key_changes_and_those_that_lack_are_asked_for(page, czech):
    data = picture(czech)
    mount(page, data)
    page.evaluate("show", data | {"tracks": {}})
    assert sent(page, "missing") == []
    page.evaluate("show", data | {"tracks": {}, "key": "another"})
    assert sent(page, "missing") == [3]
    expect(page.locator(".drawing.pending")).to_have_count(1)
    page.evaluate("show", data | {"key": "another"})
    expect(page.locator(".drawing[data-ready=true]")).to_have_count(1)


def test_a_question_is_sent_and_its_answer_takes_the_place_of_the_browsers_own(page, czech):
    data = picture(czech, asks=True, questions=["b"])
    mount(page, data)
    page.locator(".drawing[data-ready=true]").wait_for()
    page.locator(".panel.estimate rect").first.click()
    (text,) = sent(page, "question")
    estimates = {f"{SYSTEMS[0].name}/1": [1.0, 2.0, 3.0, 4.0]}
    answered = picture(czech, asks=True, question=Question(text, "next", 5.0, estimates))
    page.evaluate("show", answered | {"tracks": {}})
    expect(page.locator(".tag")).to_have_text("next to it")
    expect(page.locator(".verdict")).to_have_text("Estimate 4, truth 5: off by 1 of 5.")
    stale = picture(czech, asks=True, question=Question("something before", "far", 5.0, estimates))
    page.evaluate("show", stale | {"tracks": {}})
    expect(page.locator(".tag")).to_have_text("next to it")
    wrong = picture(czech, asks=True, question=Question(text, problem="There is no attribute b."))
    page.evaluate("show", wrong | {"tracks": {}})
    expect(page.locator(".verdict")).to_have_text("There is no attribute b.")


def test_the_question_of_every_range_selects_its_cells(page):
    """Over all boxes of tables with whole numbers, bins, dates, special values and names that need quotes."""
    domain = Domain.from_toml(DOMAIN)
    page.add_script_tag(content=next(file for file in SCRIPTS if file.stem == "question").read_text(encoding="utf-8"))
    for table in tables_of(parse_workload("marginals:2", domain)):
        (x_terms, y_terms), shape = table.terms, table.shape
        assert all(x_terms)
        assert all(y_terms)
        sides = [list(combinations_with_replacement(range(size), 2)) for size in shape]
        boxes = list(product(*sides))
        terms = {"x_terms": x_terms, "y_terms": y_terms, "y": y_terms}
        texts = page.evaluate("([table, boxes]) => boxes.map(([x, y]) => questionOf(table, { x, y }))", [terms, boxes])
        for (x, y), text in zip(boxes, texts, strict=True):
            expected = np.zeros(shape, dtype=bool)
            expected[x[0] : x[1] + 1, y[0] : y[1] + 1] = True
            asked = parse_question(text, domain, max_cells=1000)
            missing = tuple(i for i, a in enumerate(table.attrs) if a not in asked.attrs)
            assert np.array_equal(np.broadcast_to(np.expand_dims(asked.mask, missing), shape), expected), text
    assert page.evaluate("questionOf({ x_terms: ['a == 1', ''], y: null }, { x: [1, 1], y: [0, 0] })") == ""
    neighbours = "questionOf({ x_terms: ['a == 1', 'a == 2', 'a == 3'], y: null }, { x: [0, 1], y: [0, 0] })"
    assert page.evaluate(neighbours) == "a >= 1 and a <= 2"

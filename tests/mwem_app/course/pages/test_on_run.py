"""From a lesson to the page Run: the same table, workload, ε, T and seed, and so the same run."""

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from app_pages import button, checked, open_lesson, open_page
from browser import NO_BROWSER, NOTHING_TESTED, button as app_button, follow, main, until_whole
from playwright.sync_api import expect

from mwem_app.course import lesson_at
from mwem_app.course.blocks import RunLink
from mwem_app.course.lesson import blocks_of
from mwem_app.course.lesson_page import settings
from mwem_app.course.mwem.mwem_runs import runs
from mwem_app.course.site.pages import all_blocks

SEED = 3


def linked(path: str) -> list[RunLink]:
    """The runs that a lesson links to."""
    return [block for block in all_blocks(blocks_of(lesson_at(path), SEED)) if isinstance(block, RunLink)]


def test_run_repeats_the_run_of_the_lesson_choice_by_choice():
    (run,) = linked("mwem")
    (watched,) = (each for each in runs(SEED) if each.epsilon == run.epsilon)
    app = open_page("run", **settings(run))
    checked(button(app, "Run").click().run())
    runner = app.session_state["_runner"]
    runner.wait(60)
    chosen = [step.round.chosen for step in runner.steps if step.round.chosen is not None]
    assert chosen == watched.chosen.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["factored", "composition"])
def test_run_takes_every_setting_of_a_link(path):
    (run,) = linked(path)
    app = open_page("run", **settings(run))
    assert not app.error
    assert app.selectbox(key="table").value == run.table
    state = app.session_state
    assert (state["method"], state["rounds"], state["seed"]) == (run.system, f"{run.T}", f"{SEED}")
    assert (state["ask"], state["k"], state["epsilon"]) == (run.family, run.k, run.epsilon)


@pytest.mark.slow
def test_the_link_of_a_lesson_has_its_seed():
    links = {each.label: each.proto.query_string for each in open_lesson("composition", seed="7").get("page_link")}
    assert dict(parse_qsl(links["Try this on Run"])) == settings(replace(linked("composition")[0], seed=7))


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_the_link_carries_nothing_of_an_earlier_run_and_back_leads_to_the_lesson(visitors):
    page = visitors.open(epsilon=2, delta="1e-9", rounds=4)
    until_whole(page)
    follow(page, "Lessons")
    main(page).get_by_role("link", name="One purse").click()
    main(page).get_by_role("link", name="Try this on Run").click()
    app_button(page, "Run").wait_for()
    until_whole(page)
    expect(page).to_have_url(visitors.app + "run?table=Class+survey&method=Figure+1&rounds=5&seed=1")
    page.go_back()
    main(page).get_by_role("link", name="Try this on Run").wait_for()
    expect(page).to_have_url(visitors.app + "learn?lesson=composition")

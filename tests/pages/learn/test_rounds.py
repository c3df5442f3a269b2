"""The lesson How many rounds?, without a browser and in one."""

import pytest
from accessibility import check_every_screen
from app_pages import answer, open_lesson
from browser import NO_BROWSER, NOTHING_TESTED, button, main, until_whole
from playwright.sync_api import expect

from mwem_app.course import ROUNDS, TASKS
from mwem_app.session import LOCKS

RIGHT, WRONG = "More: as many as for", "the queries and ε are the same"


def test_the_exercise_says_why_an_answer_is_wrong_or_right():
    app = open_lesson("rounds")
    answer(app, "rounds", WRONG)
    assert "each student is now a smaller share" in app.warning[0].value
    answer(app, "rounds", RIGHT)
    assert not app.warning
    assert "only εn counts" in app.success[0].value
    assert "lowest at" not in app.success[0].value  # nothing was predicted yet


def test_the_theorem_says_with_which_probability_and_where_it_promises_nothing():
    words = " ".join(each.value for each in open_lesson("rounds").markdown)
    assert "with a probability of 95% or more" in words
    assert "below ε = 0.32 the bound is above 100% of them at every T, and says nothing" in words


def test_a_drawn_curve_is_a_prediction_and_the_measured_ones_are_sent_only_after_it(monkeypatch):
    sent, curve = [], [10, 9, 8, 7, 6, 5, 4, 5, 6, 7]

    def drawing(name, data, *, key):
        if name != "rounds":
            return None
        sent.append(data["curves"])
        return {"drawn": curve} if data["drawn"] is None else None

    open_lesson("rounds")  # what else draws has imported the real drawing now
    monkeypatch.setattr("mwem_app.course.learn.drawing.drawing", drawing)
    app = open_lesson("rounds")
    assert sent[0] is None
    assert [each["best"] for each in sent[-1]] == sorted(each["best"] for each in sent[-1])
    assert app.session_state[LOCKS]["rounds_prediction"].value == ROUNDS[6]
    assert app.session_state[LOCKS]["rounds_drawn"].value == curve
    assert app.session_state[TASKS]["rounds"]["rounds_prediction"].answer == "12"


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_learner_walks_through_the_lesson(open_lesson):
    page = open_lesson("rounds", seed=3)
    drawing, slices = page.locator(".st-key-rounds"), page.locator(".st-key-slices")
    note, legend = drawing.locator(".note"), drawing.locator(".plot .legend")
    points = drawing.locator(".handles circle")
    slices.get_by_role("slider", name="Rounds T").press("End")
    expect(slices).to_contain_text("27 of 27")
    expect(slices).to_contain_text("675 students, 3.4%")

    lock = drawing.get_by_role("button", name="Lock in my curve")
    expect(lock).to_be_disabled()
    expect(legend).not_to_contain_text("measured")
    first, last = points.first, points.last
    first.focus()
    for _ in range(2):
        page.keyboard.press("ArrowUp")  # to the point that has the focus: a redrawn chart keeps it
    expect(first).to_have_attribute("aria-valuetext", "11%")
    start, box = points.nth(4).bounding_box(), last.bounding_box()
    page.mouse.move(start["x"] + 7, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 7, box["y"] - 60, steps=12)
    page.mouse.up()
    low, high = (float(point.get_attribute("aria-valuenow")) for point in (points.nth(4), last))
    assert low < 11 < high
    assert last.bounding_box()["y"] < box["y"] - 40

    lock.click()
    expect(note).to_contain_text("At ε = 0.08 the best is T = 8")
    expect(note).to_contain_text("Theorem 2.3 promises nothing: its bound is above 100% at every T.")
    expect(drawing.locator(".mark")).to_have_count(2)  # the best T and the adaptive one
    expect(legend).to_contain_text("measured, 20 runs")
    drawing.get_by_role("radio", name="With the theorem’s bound").check()
    expect(legend).not_to_contain_text("Theorem 2.3")
    drawing.get_by_role("slider", name="ε").press("End")
    expect(note).to_contain_text("At ε = 1.28 the best is T = 20")
    expect(note).to_contain_text("Theorem 2.3 says T = 78, more than there are cells, and promises at most 60%.")
    expect(legend).to_contain_text("Theorem 2.3, 95%")
    expect(legend).not_to_contain_text("your curve")  # it was drawn for another ε

    for words, verdict in ((WRONG, "Not yet."), (RIGHT, "Right.")):
        main(page).get_by_text(words).first.click()
        until_whole(page)
        button(page, "Check").click()
        expect(main(page).get_by_text(verdict)).to_be_visible()
    expect(note).to_contain_text("At ε = 1.28")  # a check redraws nothing that was played
    check_every_screen(page)

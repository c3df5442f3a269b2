"""Each lesson from its first drawing to its exercise, in a browser."""

import re

import pytest
from accessibility import check_every_screen
from browser import NO_BROWSER, NOTHING_TESTED, button, main, until_whole
from playwright.sync_api import expect

pytestmark = [pytest.mark.slow, pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)]
SOLUTION = (
    ("workclass", "race"),
    ("workclass", "sex"),
    ("race", "sex"),
    ("education", "relationship"),
    ("marital-status", "occupation"),
    ("sex", "native-country"),
)


def check_answers(page, wrong, right):
    """Answer the exercise wrong, and then right."""
    for text, verdict in ((wrong, "Not yet."), (right, "Right.")):
        main(page).get_by_test_id("stRadio").get_by_text(text).first.click()
        until_whole(page)
        button(page, "Check").click()
        expect(main(page).get_by_text(verdict, exact=True)).to_be_visible()


def test_a_walk_through_attack(open_lesson):
    page = open_lesson("attack", seed=1)
    exact, noisy = (page.locator(f".st-key-{key}") for key in ("exact", "noisy"))
    expect(exact.locator("[data-state=known]")).to_have_count(1)  # Ada
    ask = exact.locator("button.primary")
    expect(ask).to_be_disabled()
    for name in ("Ada", "Ben", "Cem", "Dua"):
        exact.get_by_role("button", name=name).press("Enter")
    ask.click()
    expect(exact.locator(".note")).to_contain_text("3 questions asked")
    for name in ("Dua", "Eva"):
        exact.get_by_role("button", name=name).click()
    ask.click()
    expect(exact.locator(".note")).to_contain_text("4 questions asked")

    main(page).get_by_text("about 4", exact=True).click()
    until_whole(page)
    button(page, "Lock in").click()
    expect(noisy.locator(".note")).to_contain_text("ε = 1: each count is off by about 8")
    noisy.get_by_role("slider", name="ε").press("End")
    expect(noisy.locator(".note")).to_contain_text("ε = 32: each count is off by about 0.25")

    check_answers(page, "Add fresh noise to every answer", "stop answering when a budget is spent")
    expect(exact.locator(".note")).to_contain_text("4 questions asked")  # a check takes back nothing
    check_every_screen(page)


def test_a_walk_through_under_attack(open_lesson):
    page = open_lesson("under_attack", seed=1)
    joined, schema, seeds = (page.locator(f".st-key-{key}") for key in ("membership", "schema", "seed"))
    expect(joined.locator(".note")).to_contain_text("The promise holds.")
    joined.get_by_role("radio", name="a fifth of it").check()
    expect(joined.locator(".note")).to_contain_text("the promise allows 62%. The promise is broken.")
    joined.get_by_role("radio", name="none").check()
    expect(joined.locator(".note")).to_contain_text("wins 100% of even bets")
    expect(schema.locator(".note")).to_contain_text("shows that Eva is in the class")
    schema.get_by_role("slider", name="Leave out").press("Home")
    expect(schema.locator(".lost")).to_have_count(0)
    expect(seeds).to_have_count(0)
    main(page).get_by_text("1 of them", exact=True).click()
    until_whole(page)
    button(page, "Lock in").click()
    slider = seeds.get_by_role("slider", name="Seed")
    while "the noise is undone" not in seeds.locator(".note").inner_text():
        assert slider.input_value() != slider.get_attribute("max")
        slider.press("ArrowRight")

    check_answers(page, "The seed, once the noise is drawn.", "The scale of the noise.")
    check_every_screen(page)


def test_a_walk_through_noise(open_lesson):
    page = open_lesson("noise", seed=3)
    first, bet, mean = (page.locator(f".st-key-{key}") for key in ("noise", "bet", "mean"))
    slider = first.get_by_role("slider", name="ε")
    slider.focus()
    before = first.locator("svg").inner_html()
    assert slider.get_attribute("aria-valuetext") == "0.5"
    expect(first.get_by_text("← 4 more")).to_be_visible()
    texts = first.locator("svg text").all_text_contents()
    beyond = [int(found) for text in texts for found in re.findall(r"(\d+) more", text)]
    expect(first.locator("circle")).to_have_count(200 - sum(beyond))
    assert beyond
    for _ in range(2):
        slider.press("ArrowRight")
    expect(first.locator(".note")).to_contain_text("ε = 1: you will predict what these show")
    expect(first.locator("circle")).to_have_count(0)
    slider.press("End")
    expect(first.locator(".note")).to_contain_text("ε = 5: the noise is 0.2")
    assert first.locator("svg").inner_html() != before
    first.get_by_role("radio", name="Discrete").check()
    expect(first).not_to_contain_text("of the time")
    expect(first).not_to_contain_text("Of 100 publications")

    neighbours = page.locator(".st-key-neighbours")
    expect(neighbours.locator(".note")).to_contain_text("Student 1 (first, under 6 h, coffee): in each table one count")
    expect(neighbours.locator(".moved")).to_have_text(["74−1", "43−1", "22−1"])
    neighbours.get_by_role("slider", name="Leave out").press("Home")
    expect(neighbours.locator(".moved")).to_have_count(0)

    button(page, "Lock in").click()
    expect(first.locator(".note")).to_contain_text("right 99% of the time")
    expect(first).to_contain_text("Of 100 publications")
    expect(main(page)).to_contain_text("The best guesser gets 13.9 of 20 right")
    bet.get_by_role("button", name="With you", exact=True).click()
    expect(bet.locator(".note").first).to_contain_text("it was drawn")
    mean.get_by_role("button", name="Ask ten more").click()
    expect(mean.locator(".note")).to_contain_text("After 20 answers at ε = 0.1 each, ε = 2 is spent")

    check_answers(page, "nothing else changes", "62% instead of 56%")
    expect(bet.locator(".note").last).to_contain_text("of 1")  # a check redraws nothing that was played
    check_every_screen(page)


def test_a_walk_through_choosing(open_lesson):
    page = open_lesson("choosing", seed=1)
    row = page.locator(".st-key-start .candidate").nth(1)
    expect(row).to_contain_text("49%")
    row.get_by_role("slider", name="Score of sleep 6 to 8 h").press("Home")
    expect(row).to_contain_text("10%")  # with a score of 0 it is the last of five

    main(page).get_by_role("button", name="Lock in").click()
    main(page).get_by_role("button", name="Spin 200 times").click()
    spun = page.locator(".st-key-spin")
    expect(spun).to_contain_text("77% · 160")
    expect(page.get_by_text("200 points fell")).to_be_visible()
    spun.get_by_role("slider", name="ε", exact=True).press("End")
    expect(spun).to_contain_text(re.compile(r"100% · 200"))

    lamp = main(page).locator(".lamp")
    expect(lamp).to_have_attribute("data-holds", "true")
    main(page).get_by_role("radio", name="the slip").check(force=True)
    expect(lamp).to_have_attribute("data-holds", "false")
    expect(lamp).to_contain_text("The promise is broken.")

    check_answers(page, "7.4 times", "2.7 times")
    check_every_screen(page)


def test_a_walk_through_reweighting(open_lesson):
    page = open_lesson("reweighting", seed=1)
    push = page.locator(".st-key-push")
    expect(push).to_contain_text("now hold 88 students")
    push.get_by_role("slider", name="Push").press("ArrowRight")
    expect(push).to_contain_text("now hold 85 students")

    main(page).get_by_role("button", name="Lock in").click()
    hand = page.locator(".st-key-hand")
    expect(hand.get_by_role("button", name="Update")).to_be_disabled()
    hand.get_by_role("radio", name="short sleep A 100").press(" ")
    hand.get_by_role("slider", name="Ψ will fall by").press("ArrowRight")
    hand.get_by_role("button", name="Update").click()
    expect(hand).to_contain_text("Ψ fell by 0.0368. You said 0.002. Promised: at least (56/400)² = 0.0196.")
    expect(hand).to_contain_text("The bound holds.")
    hand.get_by_role("button", name="Undo").click()
    expect(hand).to_contain_text("Pick a question.")
    for error in (49, 43, 38, 33, 29, 26):  # after the sixth update none is off by more than 28
        hand.get_by_role("button", name="Update").click()
        expect(hand.locator(".question").nth(2)).to_contain_text(f"off by {error}")
    expect(hand.locator(".question").nth(3)).to_contain_text("off by 27")

    noise = page.locator(".st-key-noise")
    noise.get_by_role("slider", name="ε of each measurement").press("End")
    expect(noise).to_contain_text("Ψ rose in 0 of 10 rounds; the bound held in all.")

    check_answers(page, "There is no limit", "30")
    check_every_screen(page)


def test_a_walk_through_mwem(open_lesson):
    page = open_lesson("mwem", seed=3)
    one, run = page.locator(".st-key-mwem_round"), page.locator(".st-key-mwem_class")
    note, lit, purse, step = (one.locator(place) for place in (".note", "li[aria-current]", ".purse", "button.primary"))
    expect(purse).to_contain_text("left 8 of 8 ε")
    cell = one.get_by_role("button", name="sleep = over 8 h, drink = coffee")
    cell.focus()
    cell.press("Enter")
    expect(note).to_contain_text("Round 1 chose")
    expect(note).not_to_contain_text("chance")
    expect(cell.locator(".third")).to_have_text("")
    expect(lit).to_contain_text("Select")
    expect(purse).to_contain_text("select 0.5left 7.5 of 8 ε")
    step.click()
    expect(lit).to_contain_text("Measure")
    expect(purse).to_contain_text("select 0.5measure 0.5left 7 of 8 ε")
    step.click()
    expect(lit).to_contain_text("Update")
    expect(purse).to_contain_text("left 7 of 8 ε")
    expect(note).to_contain_text("No ε spent")
    expect(step).to_be_disabled()  # later rounds are not on the page
    expect(run).to_have_count(0)

    button(page, "Lock in").click()
    expect(main(page)).to_contain_text("along this run")
    expect(note).to_contain_text("No ε spent")  # the round that was played stands
    note, curve, purse, step = (run.locator(place) for place in (".note", ".plot svg", ".purse", "button.primary"))
    run.get_by_role("slider", name="ε").press("End")
    expect(purse).to_contain_text("left 16 of 16 ε")
    expect(curve.locator("path.line")).to_have_count(2)  # uniform, and the run so far
    cell = run.get_by_role("button", name="sleep = over 8 h, drink = coffee")
    cell.click()
    expect(note).to_contain_text(", chance ")
    expect(run.locator(".score")).to_contain_text("of 1")
    run.get_by_role("button", name="Start again").click()
    expect(note).to_contain_text("you have seen it")
    expect(cell).to_be_disabled()
    cell.press("Enter")
    expect(run.locator(".score")).to_have_text("")  # what was seen is no bet
    step.evaluate("step => { for (let i = 0; i < 25; i++) step.click(); }")
    expect(purse).to_contain_text("left 0 of 16 ε")
    expect(note).to_contain_text("The purse is empty")
    expect(step).to_be_disabled()
    run.get_by_role("slider", name="ε").press("Home")
    expect(run.locator(".plot")).to_contain_text("your last run, ε = 16")
    assert "NaN" not in curve.inner_html()
    step.evaluate("step => { for (let i = 0; i < 25; i++) step.click(); }")

    halves, sweeps, rows = (page.locator(f".st-key-mwem_{name}") for name in ("halves", "sweeps", "rows"))
    halves.get_by_role("slider").press("End")
    expect(halves.locator(".note")).to_contain_text("If 90% of a round measures")
    expect(halves.locator(".purse")).to_contain_text("select 0.8measure 7.2left 0 of 8 ε")
    sweeps.get_by_role("slider").press("End")
    expect(sweeps.locator(".note")).to_contain_text("After 1000 sweeps A is up to")
    rows.get_by_role("slider").press("Home")
    before = rows.locator(".rows").inner_text()
    rows.get_by_role("button", name="Draw again").click()
    expect(rows.locator(".rows")).not_to_have_text(before)
    check_answers(page, "every sweep is a step", "Nothing: the update reads A")
    expect(note).to_contain_text("The purse is empty")  # a check redraws nothing that was played

    check_every_screen(page)


def test_a_walk_through_rounds(open_lesson):
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

    check_answers(page, "the queries and ε are the same", "More: as many as for")
    expect(note).to_contain_text("At ε = 1.28")  # a check redraws nothing that was played
    check_every_screen(page)


def test_a_walk_through_factored(open_lesson):
    page = open_lesson("factored", seed=1)
    growth, ring, puzzle = (page.locator(f".st-key-{key}") for key in ("growth", "ring", "puzzle"))
    slider = growth.get_by_role("slider", name="Pairs measured")
    expect(growth.locator(".note")).to_contain_text("holds 588 numbers")
    slider.focus()
    slider.press("End")
    expect(growth.locator(".note")).to_contain_text("16 pairs measured")
    slider.press("Home")
    expect(growth.locator(".note")).to_contain_text("0 pairs measured: the model holds 102 numbers")

    expect(ring.locator("svg .added")).to_have_count(0)
    main(page).get_by_text("10,080", exact=True).click()
    until_whole(page)
    button(page, "Lock in").click()
    expect(ring.locator("svg .added")).to_have_count(1)
    expect(main(page)).to_contain_text("It holds 3,360")

    expect(puzzle.locator("li.reached")).to_have_count(1)  # no pair costs too many cells
    for pair in SOLUTION:
        for name in pair:  # by keyboard
            puzzle.get_by_role("button", name=f"{name},").press("Enter")
    expect(puzzle.locator(".note")).to_contain_text("Solved with 375 cells")
    expect(puzzle.locator("li.reached")).to_have_count(4)

    check_answers(page, "38,102,400", "200")
    expect(puzzle.locator(".note")).to_contain_text("Solved with 375 cells")  # a check takes back nothing
    check_every_screen(page)


def test_a_walk_through_composition(open_lesson):
    page = open_lesson("composition")
    purse, accounts = page.locator(".st-key-purse"), page.locator(".st-key-accounts")
    expect(purse.locator(".note")).to_contain_text(
        "with a mean noise of 6.3, after 3 answers, for ε = 0.3. One answer at ε = 0.3, planned"
    )
    ask = purse.get_by_role("button", name="Ask how many sleep under 6 h")
    ask.focus()
    for _ in range(6):
        page.keyboard.press("Enter")
    expect(purse.locator(".note")).to_contain_text("The purse is empty.")
    expect(ask).to_be_disabled()
    purse.get_by_role("button", name="Show the truth").click()
    expect(purse).to_contain_text("truth 44")

    slider = accounts.get_by_role("slider", name="T")
    expect(accounts).not_to_contain_text("zCDP")
    button(page, "Lock in").click()
    expect(main(page)).to_contain_text("zCDP says ε = 4.0")
    slider.focus()
    slider.press("Home")
    expect(accounts.locator(".note")).to_contain_text("The least is the sum's.")

    check_answers(page, "ε = 1, as a year has passed.", "ε = 2.")
    expect(purse.locator(".note")).to_contain_text("The purse is empty.")  # a check redraws nothing that was played
    check_every_screen(page)

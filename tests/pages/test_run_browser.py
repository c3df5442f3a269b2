"""The Run page in a real browser: drawing by round, waiting, downloads, uploads, keyboard, width."""

import math
import re
import signal
from urllib.parse import parse_qs, urlsplit

import pytest
from browser import (
    GROUPS,
    NARROW,
    NO_BROWSER,
    NOTHING_TESTED,
    WIDE,
    WIDER,
    address,
    button,
    chart,
    choose,
    follow,
    go,
    main,
    part,
    pick,
    scrubber,
    serving,
    shown,
    until,
    until_drawn,
    until_over,
    until_true,
    until_whole,
    words,
)
from playwright.sync_api import Locator, Page, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from mwem_app.base import APP

pytestmark = [pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED), pytest.mark.slow]
ENDLESS = {"table": "Adult, whole numbers", "rounds": 1000, "seed": 1}  # about 20 ms per round; the test stops it
SHORT = {"table": "Czech car workers", "rounds": 11, "seed": 1}
SURVEY = "age,town,smokes\n" + "".join(f"{20 + i % 40},{'ABC'[i % 3]},{'ny'[i % 2]}\n" for i in range(120))
MAX_ROUNDS_AFTER_A_CLICK = 100  # of 1000; counted, as seconds depend on what else the machine does


def run(page: Page) -> None:
    start(page)
    until_over(page)


def start(page: Page) -> None:
    until_drawn(page)
    button(page, "Run").click()


# ---- a run ----
def test_exact_answers_are_drawn_as_a_tenth_of_a_record_and_called_0(open_app):
    """At ε = 10, of 64 noisy counts none is wrong, and the chart has a logarithmic axis."""
    page = open_app(table="Czech car workers", epsilon=10, seed=1, method="Automatic")
    run(page)
    largest, mean = chart(page, "errors", "[...plot.querySelectorAll('circle')].map(spot => spot.cy.baseVal.value)")
    first, second, *_ = levels(page)  # of 0.0001 and 0.001
    assert largest == mean == pytest.approx(first + (first - second) * math.log10(1e-4 / (0.1 / 1841)), abs=0.2)
    expect(page.locator(".mwem-player [data-name=errors] .legend")).to_contain_text("max0mean0")


def test_the_name_of_a_line_that_falls_steeply_stands_below_its_last_point(open_app):
    """Above it, the line would run through the name."""
    page = open_app(epsilon=10, delta=1e-9, seed=1, method="Automatic")
    run(page)
    spots = chart(page, "errors", "[...plot.querySelectorAll('circle')].map(spot => spot.cy.baseVal.value)")
    names = chart(page, "errors", "[...plot.querySelectorAll('text.title')].map(name => name.y.baseVal[0].value)")
    assert all(name > spot for name, spot in zip(names, spots, strict=True))
    assert chart(page, "errors", f"({OVERLAP})(plot)") <= 1


WATCH = """() => {
  const p = document.querySelector(".mwem-player"), plots = [...p.querySelectorAll(".plot")];
  const svgs = plots.map((plot) => plot.querySelector("svg"));
  Object.assign(window, { states: new Set(), lines: new Set(), svgs });
  const bold = () => plots[0].querySelector("path.line:not(.faint, .dots)");
  const drawn = () => bold()?.getAttribute("d");
  const look = () => { states.add(p.dataset.shown); lines.add(drawn()); };
  new MutationObserver(look).observe(p, { attributes: true, attributeFilter: ["data-shown"] });
}"""


def test_one_click_from_a_cold_start_shows_mwem_converging_on_adult_round_by_round_and_no_chart_is_rebuilt(open_app):
    page = open_app()
    part(page, "table").get_by_text("48,842 rows · 38,102,400 cells").wait_for()
    page.keyboard.press("Escape")
    until_drawn(page)
    page.evaluate(WATCH)
    run(page)
    last, at_end = shown(page), errors(page)
    go(page, "start").click()
    until(page, "p.dataset.shown === '0'")
    assert all(error < begun / 20 for error, begun in zip(at_end, errors(page), strict=True))
    go(page, "end").click()
    until(page, f"p.dataset.shown === '{last}'")
    assert last >= 10
    assert f"round {last} of {last} done" in words(page)
    assert "plain Laplace 0.041" in words(page)
    states, lines, kept = page.evaluate("[states.size, lines.size, svgs.every(svg => svg.isConnected)]")
    assert states >= 0.75 * last
    assert lines >= 0.75 * last, "the line on the screen must move with the rounds"
    assert kept


def test_theorem_2_3_stands_in_the_legend_with_a_line_on_the_axis(open_app):
    page = open_app(table="Czech car workers", method="Figure 1", epsilon=5)
    until_drawn(page)
    legend = page.locator(".mwem-player [data-name=errors] .legend")
    expect(legend.get_by_role("button", name="Theorem 2.3, 95%")).to_have_attribute("aria-pressed", "true")
    (level,) = chart(
        page, "errors", "[...plot.querySelectorAll('line.level.bound')].map(line => line.y1.baseVal.value)"
    )
    lowest, *_, highest = levels(page)
    assert lowest > level > highest


FAIL_ONCE = """plot => {
  plot.setAttribute = () => {
    delete plot.setAttribute;
    plot.closest(".mwem-player").querySelector("[data-go=end]").click();
    throw new Error("a drawing that fails");
  };
}"""


def test_what_comes_while_a_drawing_fails_is_drawn(contexts, app):
    page = contexts[0].new_page()
    page.set_viewport_size(WIDE)
    page.goto(app + "run" + address(**SHORT | {"rounds": 3}))
    start(page)
    until(page, "p.dataset.status === 'done' && p.dataset.moving === 'false'")
    page.locator(".mwem-player [data-name=errors] .plot svg").evaluate(FAIL_ONCE)
    go(page, "start").click()
    expect(scrubber(page)).to_have_value("3")
    page.close()


def test_a_long_run_is_disturbed_by_no_setting_and_is_paused_and_stopped_at_once(open_app):
    page = open_app(**ENDLESS)
    start(page)
    until(page, "p.dataset.shown >= 5")
    check_no_setting_disturbs_the_run(page)
    assert rounds_until(page, "paused", "Pause") <= MAX_ROUNDS_AFTER_A_CLICK
    at = shown(page)
    assert 5 <= at < 1000
    button(page, "Resume").click()
    until(page, f"p.dataset.shown > {at + 5}")
    assert rounds_until(page, "stopped", "Stop") <= MAX_ROUNDS_AFTER_A_CLICK
    until_over(page, "stopped")
    check_a_stopped_run_is_usable(page, at)


def rounds_until(page: Page, status: str, press: str) -> int:
    """The rounds drawn from the click on a button until the player has this status and stands still."""
    before = shown(page)
    button(page, press).click()
    until(page, f"p.dataset.status === '{status}' && p.dataset.moving === 'false'")
    return shown(page) - before


def errors(page: Page) -> list[float]:
    """The largest and the mean error of the round in view, from the legend."""
    values = page.locator(".mwem-player [data-name=errors] .legend .key b")
    return [float(text) for text in values.all_inner_texts()]


def levels(page: Page) -> list[float]:
    """Where the numbers of the error chart stand, the smallest number first."""
    return chart(page, "errors", "[...plot.querySelectorAll('line.grid')].map(line => line.y1.baseVal.value)")


def press_epsilon(page: Page, key: str) -> None:
    part(page, "epsilon").get_by_role("slider", name="Privacy budget").press(key)


def check_no_setting_disturbs_the_run(page: Page) -> None:
    """Another ε and another table for a while: rounds go on, and no second run can start."""
    expect(button(page, "Running")).to_be_disabled()
    press_epsilon(page, "ArrowLeft")
    expect(page.get_by_text("In 1,000 rounds")).to_be_visible()
    until(page, f"p.dataset.shown > {shown(page) + 2}")
    part(page, "table")
    choose(page, "Table", "Class survey")
    page.get_by_text("200 rows · ").wait_for()
    expect(button(page, "Running")).to_be_disabled()
    choose(page, "Table", "Adult, whole numbers")
    page.get_by_text("48,842 rows · ").wait_for()
    page.keyboard.press("Escape")
    until(page, f"p.dataset.shown > {shown(page) + 2}")


def check_a_stopped_run_is_usable(page: Page, at_least: int) -> None:
    last = shown(page)
    assert at_least < last < 1000
    assert re.search(rf"of adult\.parquet · ε = 1 · [^·]+ · {last} rounds before it was stopped", words(page))
    main(page).get_by_text("This result is of adult.parquet at ε = 1. Press Run for ").first.wait_for()
    expect(button(page, "Run")).to_be_enabled()
    scrubber(page).focus()
    page.keyboard.press("Home")
    until(page, "p.dataset.shown === '0'")
    page.keyboard.press("End")
    until(page, f"p.dataset.shown === '{last}'")
    expect(main(page).get_by_role("button", name="Rows, CSV")).to_be_enabled()


def test_a_result_of_other_settings_is_pale_until_they_are_chosen_again(open_app):
    page = open_app(**SHORT)
    run(page)
    main(page).get_by_text("Mean TV").wait_for()
    drawn = ("[data-testid=stMetricValue]", "[data-name=errors] .plot")

    def opacities():
        return [page.locator(each).first.evaluate("part => getComputedStyle(part).opacity") for each in drawn]

    assert opacities() == ["1", "1"]
    slider = part(page, "epsilon").get_by_role("slider", name="ε")
    slider.press("ArrowRight")
    main(page).get_by_text("This result is of czech.csv at ε = 1.").first.wait_for()
    assert opacities() == ["0.65", "0.65"]
    slider.press("ArrowLeft")
    main(page).get_by_text("Done after 11 rounds").wait_for()
    assert opacities() == ["1", "1"]


def test_two_tabs_run_at_once_each_shows_its_own_and_a_run_goes_on_while_its_page_is_reloaded(open_app):
    one, two = (open_app(**ENDLESS | {"seed": seed}) for seed in (1, 2))
    until_drawn(two)
    start(one)
    start(two)
    for page in (one, two):
        until(page, "p.dataset.status === 'running' && p.dataset.shown >= 5")
    button(two, "Pause").click()
    until(two, "p.dataset.status === 'paused'")
    one.reload()
    until(one, "p.dataset.status === 'running' && p.dataset.shown >= 6")
    expect(button(one, "Running")).to_be_disabled()
    for page in (one, two):
        button(page, "Stop").click()
        until(page, "p.dataset.status === 'stopped'")
    main(two).get_by_text("seed 2").wait_for()
    line = "plot.querySelector('path.line').getAttribute('d')"
    first, second = (chart(page, "errors", line) for page in (one, two))
    assert first != second


# ---- settings ----
def test_a_copied_address_opens_the_same_settings(open_app):
    page = open_app()
    part(page, "table")
    choose(page, "Table", "Rochdale households")
    expect(page.get_by_text("665 rows · 256 cells")).to_be_visible()
    page.get_by_role("button", name="HusbandEmployed").click()
    main(page).get_by_role("button", name="all pairs of 7 attributes").wait_for()
    k = part(page, "queries").get_by_role("spinbutton", name="k, the number of attributes in a query")
    pick(page, "Queries", "Cuboids")
    k.fill("3")
    k.press("Enter")
    expect(page.get_by_text("35 cuboids")).to_be_visible()
    press_epsilon(page, "ArrowLeft")
    more(page, "method")
    T = page.get_by_role("combobox", name="Rounds T")
    T.fill("7")
    T.press("Enter")
    expect(main(page).get_by_text("Press Run for 7 rounds")).to_be_visible()
    seed = more(page, "epsilon").get_by_role("textbox", name="Seed")
    seed.fill("42")
    seed.press("Enter")
    expect(page.get_by_text("In 7 rounds")).to_be_visible()
    expect(main(page).get_by_text("seeded: NOT PRIVATE")).to_be_visible()
    noise = page.get_by_text("In 7 rounds").inner_text()
    page.keyboard.press("Escape")

    copy = open_app(page.url)
    until_drawn(copy)
    assert main(copy).aria_snapshot() == main(page).aria_snapshot()
    for name, text in (("table", "665 rows · 128 cells"), ("queries", "35 cuboids, 280 cells"), ("epsilon", noise)):
        expect(part(copy, name).get_by_text(text)).to_be_visible()
    expect(more(copy, "epsilon").get_by_role("textbox", name="Seed")).to_have_value("42")


def more(page: Page, name: str) -> Locator:
    """A part of the line of settings, with what few need."""
    opened = part(page, name)
    opened.get_by_text("More", exact=True).click()
    return opened


def test_back_returns_to_each_page_with_its_settings_also_in_a_hurry_and_then_leaves(open_app, app):
    page = open_app(app + "run" + address(**SHORT))
    until_whole(page)
    before = page.evaluate("history.length")
    press_epsilon(page, "ArrowLeft")
    expect(page).to_have_url(re.compile("epsilon=0.7"))
    settings = parse_qs(urlsplit(page.url).query)
    turns = [
        ("Compare", "Which system is most accurate"),
        ("How it scales", "Many attributes"),
        ("Lessons", "For the teacher"),
        ("Trade-off", "How small can ε be?"),
    ]
    addresses = [page.url]
    for name, landmark in turns:
        follow(page, name)
        main(page).get_by_text(landmark).wait_for()
        until_whole(page)
        addresses.append(page.url)
    assert page.evaluate("history.length") == before + len(turns)
    assert "table=Czech" in addresses[1]  # the settings come along
    assert "table=Czech" in addresses[-1]  # by way of pages that have none of them
    for where in reversed(addresses[:-1]):
        page.go_back()
        expect(page).to_have_url(where)
        until_whole(page)
    assert parse_qs(urlsplit(page.url).query) == settings
    expect(main(page).get_by_role("button", name="ε = 0.7")).to_be_visible()
    expect(main(page).get_by_text("for 11 rounds")).to_be_visible()
    check_back_twice_in_a_hurry(page)
    page.go_back()
    expect(page).to_have_url("about:blank")


def check_back_twice_in_a_hurry(page: Page) -> None:
    """From the first of the pages, to which it comes back: two pages on, two back, and one on by a link."""
    entries = page.evaluate("history.length")
    for landmark in ("Which system is most accurate", "Many attributes"):
        page.go_forward()
        main(page).get_by_text(landmark).wait_for()
        until_whole(page)
    page.evaluate("history.back(); setTimeout(() => history.back(), 60)")  # the script of Compare starts in between
    page.wait_for_timeout(1000)
    until_whole(page)
    expect(main(page).get_by_text("for 11 rounds")).to_be_visible()
    assert page.evaluate("history.length") == entries
    page.go_forward()
    main(page).get_by_text("Which system is most accurate").wait_for()
    follow(page, "Trade-off")  # a link goes on adding entries
    main(page).get_by_text("How small can ε be?").wait_for()
    expect(page).to_have_url(re.compile("/trade_off"))
    for landmark in ("Which system is most accurate", "for 11 rounds"):
        page.go_back()
        main(page).get_by_text(landmark).wait_for()
        until_whole(page)


# What Streamlit does with the server's word for the settings, whichever page the server has run.
SAY = "const say = (settings) => history.pushState({}, '', location.pathname + '?' + settings);"
LINK = "[...document.querySelectorAll('nav a, [data-testid=stTopNavPopover] a')].find(a => /Compare/.test(a.innerText))"


def test_what_the_server_says_of_the_next_page_leaves_the_settings_of_this_one_in_its_entry(open_app, app):
    page = open_app(here := app + "run" + address(**SHORT))
    until_whole(page)
    page.get_by_test_id("stHeader").get_by_role("button", name="Explore").click()
    page.get_by_test_id("stTopNavDropdownLink").first.wait_for()
    page.evaluate(f"{SAY} {LINK}.click(); say('epsilon=0.7')")
    main(page).get_by_text("Which system is most accurate").wait_for()
    until_whole(page)
    assert "/compare?table=Czech" in page.url
    page.go_back()
    expect(page).to_have_url(here)
    expect(main(page).get_by_text("for 11 rounds")).to_be_visible()


def test_what_the_server_still_says_of_a_page_that_was_left_by_back_changes_no_address(visitors, app):
    """And the server repeats the settings of the page that Back led to: the browser sends what it has heard last."""
    page, heard = visitors.visit("about:blank"), []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(settings_in(frame))))
    page.goto(here := app + "run" + address(**SHORT))
    until_whole(page)
    follow(page, "Compare")
    main(page).get_by_text("Which system is most accurate").wait_for()
    until_whole(page)
    page.evaluate(f"{SAY} addEventListener('popstate', () => setTimeout(say, 0, 'epsilon=0.7')); history.back()")
    expect(main(page).get_by_text("for 11 rounds")).to_be_visible()
    until_whole(page)
    assert page.url == here
    assert list(filter(None, heard))[-1] == urlsplit(here).query
    press_epsilon(page, "ArrowLeft")  # what the reader sets is written again
    expect(page).to_have_url(re.compile("epsilon=0.7&rounds=11&seed=1&table"))


def test_a_click_before_the_history_is_watched_may_be_on_a_link(visitors, app):
    page = visitors.visit(here := app + "_stcore/health")  # without the app's scripts
    page.mouse.click(5, 5)
    html = (APP / "page" / "scripts.html").read_text(encoding="utf-8")
    page.add_script_tag(content=html.partition("<script>")[2].partition("</script>")[0])
    page.evaluate(f"{SAY} say('epsilon=0.7')")
    assert page.url == here  # it may be of the page that the link leads to
    page.evaluate(f"history.pushState({{}}, '', '/compare'); {SAY} say('epsilon=0.7')")
    assert page.url == app + "compare?epsilon=0.7"


def settings_in(frame: bytes) -> str:
    """The settings that a message of the server writes to the address, if it does."""
    return ForwardMsg.FromString(frame).page_info_changed.query_string


# ---- privacy and downloads ----
MADE_FROM_THE_DATA = re.compile(
    rb'"(max|mean|probability|candidates|others|true_cells|truth|\w+_(?:max|mean)|bound)": *(?!null)[^ ,}]+'
)


def test_with_the_truth_hidden_nothing_made_from_the_data_reaches_the_browser(visitors, app):
    page = visitors.visit("about:blank")
    received: list[bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(bytes(frame))))
    page.goto(app + "run" + address(table="Czech car workers", truth="false", rounds=11))
    run(page)
    assert page.locator(".mwem-player").get_attribute("data-truth") == "false"
    assert "made from the records" not in words(page)
    assert page.locator(".mwem-player .secret").count() == 0
    assert "Original" not in words(page)
    assert not MADE_FROM_THE_DATA.findall(b"".join(received))
    assert "they are not shown while the truth is hidden" in page.get_by_role("region", name="Step 1").inner_text()
    measured = page.get_by_role("region", name="Step 2").get_by_role("columnheader").all_inner_texts()
    assert measured[2:] == ["noisy", "model"]
    assert "max error" not in page.get_by_role("region", name="Step 3").inner_text()
    assert b'"name":"original' not in b"".join(received)
    main(page).get_by_text("Show the truth").click()
    until(page, "p.dataset.truth === 'true'")
    main(page).get_by_role("heading", name="Original beside synthetic").wait_for()
    private_fields = {name.decode() for name in MADE_FROM_THE_DATA.findall(b"".join(received))}
    names = "max mean probability candidates others true_cells truth uniform_max"
    assert set(names.split()) <= private_fields  # so the pattern does find them


def test_a_file_that_was_made_stays_when_the_pages_of_others_run(finished, visitors, app):
    with finished.expect_download() as waiting:
        main(finished).get_by_role("button", name="Manifest, JSON").click()
    other = visitors.visit(app)
    for _ in range(3):  # Streamlit marks a file that no session holds when a script ends, and then deletes it
        other.reload()
        until_whole(other)
    assert finished.request.get(waiting.value.url).json()["rounds"] == 11


# ---- an uploaded table ----
def give(page: Page, name: str, content: bytes) -> None:
    field = main(page).locator("input[type=file]").first
    field.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})


def test_a_file_that_cannot_be_used_gives_one_error_and_one_without_a_schema_gets_a_proposal(open_app, tmp_path):
    page = open_app(table="Your own file")
    expect(button(page, "Run")).to_be_disabled()
    give(page, "table.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    alerts = main(page).get_by_role("alert")
    alerts.wait_for()
    assert "table.csv is not a table of text: it holds binary data; export it as CSV or Parquet" in alerts.inner_text()
    huge = tmp_path / "huge.csv"
    with huge.open("wb") as file:
        file.truncate(201 * 2**20)  # a sparse file: takes no disk space
    main(page).locator("input[type=file]").first.set_input_files(huge)
    main(page).get_by_text("200.0MB or smaller").wait_for()
    assert alerts.count() == 2  # one for each file
    assert "Traceback" not in words(page)
    give(page, "survey.csv", SURVEY.encode())
    use = button(page, "Use this schema")
    use.wait_for()
    assert "PNG" not in words(page)
    assert "This schema was proposed from the data" in words(page)
    expect(button(page, "Run")).to_be_disabled()
    use.click()
    part(page, "table").get_by_text("120 rows · 240 cells").wait_for()
    page.keyboard.press("Escape")
    run(page)
    assert "of survey.csv" in words(page)


def test_a_file_that_is_read_slowly_and_cannot_be_used_leaves_the_earlier_one_and_says_so(open_app):
    """The browser takes the earlier file away before it sends the new one, and asks for a run each time."""
    page = open_app(table="Your own file")
    give(page, "survey.csv", SURVEY.encode())
    button(page, "Use this schema").wait_for()
    give(page, "bad.sav", b"$FL2@(#)")  # read in a process of its own
    main(page).get_by_text("bad.sav is a damaged file of SPSS").wait_for()
    main(page).get_by_text("survey.csv is still in use").wait_for()
    expect(button(page, "Use this schema")).to_be_enabled()


# ---- keyboard, screen reader, dark, narrow ----
def test_the_keyboard_moves_through_the_rounds(finished):
    scrubber(finished).focus()
    for key, round in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 11), ("Home", 0)):
        finished.keyboard.press(key)
        until(finished, f"p.dataset.shown === '{round}'")
    assert "round 0 of 11" in scrubber(finished).get_attribute("aria-valuetext")
    finished.keyboard.press("Space")
    until(finished, "p.dataset.moving === 'true' && p.dataset.shown > 0")
    finished.keyboard.press("Space")
    until(finished, "p.dataset.moving === 'false'")
    assert shown(finished) < 11
    go(finished, "end").click()
    until(finished, "p.dataset.shown === '11'")


OVERLAP = """plot => {
  const [a, b] = [...plot.querySelectorAll("text.title")].map((text) => text.getBoundingClientRect());
  return Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
}"""


def test_the_steps_the_view_and_its_scale_follow_the_scrubber(finished):
    """Of each round: the tables beside its sentence, its marginal as the view, the differences on the run's scale."""
    page, scales, differences = finished, set(), []
    view = page.locator(".mwem-player [data-name=view]")
    scrubber(page).focus()
    page.keyboard.press("Home")
    until(page, "p.dataset.shown === '0'")
    for round in range(1, 12):
        page.keyboard.press("ArrowRight")
        until(page, f"p.dataset.shown === '{round}'")
        select, measure, update = (page.get_by_role("region", name=f"Step {i + 1}") for i in range(3))
        chosen = page.locator(".mwem-player .sentence b").first.inner_text()
        assert select.get_by_role("row", name=f"{chosen} (chosen)").count() == 1
        assert set(view.get_by_role("heading").inner_text().split(" × ")) == set(chosen.split(" × "))
        assert measure.get_by_role("columnheader").all_inner_texts()[2:] == ["true", "noisy", "model"]
        assert "All queries: max error" in update.inner_text()
        said = re.search(r"The differences are at most (\S+) of n", view.get_by_role("img").get_attribute("aria-label"))
        ends = re.findall(r"[+−]([\d.]+)", view.locator(".legend").inner_text())
        assert said is not None
        assert len(set(ends)) == 1
        widest, limit = float(said[1]), float(ends[0])
        assert widest <= 1.06 * limit
        scales.add(limit)
        differences.append(widest)
        assert chart(page, "errors", f"({OVERLAP})(plot)") <= 1
    assert len(scales) == 1
    assert min(differences) < max(differences) / 4


def test_every_chart_has_a_name_for_screen_readers(finished):
    named = """plots => plots.map(plot => plot.closest("[role=img], [role=figure]")?.getAttribute("aria-label"))"""
    charts = finished.locator(".js-plotly-plot, .mwem-player .plot svg")
    charts.nth(7).wait_for(state="attached")  # they are drawn one after another
    names = charts.evaluate_all(named)
    assert len(names) >= 8
    assert all(names)


def test_learn_why_opens_a_lesson_in_another_tab_and_the_run_stays(finished):
    links = finished.locator(".mwem-player").get_by_role("link", name="Learn why")
    expect(links).to_have_count(5)
    with finished.context.expect_page() as opened:
        links.first.click()
    lesson = opened.value
    main(lesson).get_by_role("link", name="All lessons").wait_for()
    assert lesson.url.endswith("/learn?lesson=rounds")
    assert lesson.evaluate("opener") is None  # nor does it take the tab's run for its own
    lesson.close()
    assert finished.locator(".mwem-player").get_attribute("data-status") == "done"


def test_on_a_dark_phone_no_result_is_wider_than_the_screen(finished):
    finished.set_viewport_size(NARROW)
    finished.emulate_media(color_scheme="dark")
    until_true(finished, f"Math.max(...({WIDER})()) <= 1")
    colour = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    until_true(finished, f"parseInt({colour}.match(/\\d+/)) < 60")  # of red
    finished.set_viewport_size(WIDE)
    finished.emulate_media(color_scheme="light")


def test_a_new_server_shows_the_app_on_any_page_and_again_after_it_was_killed_in_mid_run(chromium):
    with serving(end=signal.SIGKILL) as where:
        page = chromium.new_page(viewport=WIDE)
        page.goto(where + "scale")  # the first visitor of a new server
        expect(page.get_by_role("heading", name="Beside other programs")).to_be_visible()
        check_the_app_surrounds(page)
        page.goto(here := where + "run" + address(**ENDLESS))
        start(page)
        until(page, "p.dataset.shown >= 5")
    with serving(port=int(where.rstrip("/").rpartition(":")[2])):
        expect(button(page, "Run")).to_be_enabled()  # the tab connects again by itself: also the first of a new server
        until(page, "p.dataset.status === 'idle' && p.dataset.shown === '0'")
        check_the_app_surrounds(page)
        assert page.url == here
        assert "no longer on the server: your upload and your runs are gone" in words(page)
        button(page, "Run").click()
        until(page, "p.dataset.shown >= 1")
        page.close()


def check_the_app_surrounds(page: Page) -> None:
    """The page is complete, below the row of pages, and no list of files is beside it."""
    until_whole(page)
    for group in set(GROUPS.values()):
        expect(page.get_by_test_id("stHeader").get_by_role("button", name=group)).to_be_visible()
    assert page.get_by_test_id("stSidebar").count() == 0
    assert page.get_by_role("dialog").count() == 0  # which would say that there is no such page

"""A run that is watched: the rounds of its settings, in a page that fetches nothing and tells no truth unless asked."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from browser import NO_BROWSER, NOTHING_TESTED
from playwright.sync_api import Browser, FrameLocator, Page, expect
from runs import awkward_records

from mwem_app.base import EXPLORATION, PRIVATE, SEEDED_RUN
from mwem_app.notebook import notebook_run, watch
from mwem_app.notebook.notebook_run import FRAME_HEIGHT, player_frame
from mwem_app.stage import CSS, player_page
from mwem_core import Attribute, Direct, Domain, Records, Seeded, default, mwem_by_rule, paper, parse_workload
from mwem_core.values import Edges

TRUTHS = "max", "mean", "probability", "candidates", "others", "true_cells"
ROUNDS = 5


@pytest.fixture(scope="module")
def pairs(czech):
    return parse_workload("marginals:2", czech.domain)


@pytest.fixture(scope="module")
def run(czech, pairs):
    return watch(paper(pairs, epsilon=1.0, T=ROUNDS), czech, pairs, seed=1)


def message(page: str) -> dict:
    (text,) = re.findall(r'<script type="application/json" id="message">(.*?)</script>', page)
    return json.loads(text)


def badge(page: str) -> str:
    (text,) = re.findall(r"</h1><p class=\"\w+\">(.*?)</p>", page)
    return text


def test_the_rounds_are_those_of_the_settings(run, czech, pairs):
    rounds = list(paper(pairs, epsilon=1.0, T=ROUNDS).rounds(czech, pairs, noise=Seeded(1)))
    assert [round.label for round in run.rounds] == [round.label for round in rounds]
    assert np.array_equal(run.rounds[-1].model.answers(pairs), rounds[-1].model.answers(pairs))
    assert repr(run) == "<5 rounds, done: ε = 1>"


def test_the_page_has_all_rounds_and_no_truth_unless_asked(run):
    hidden, shown = message(run.to_html()), message(run.to_html(truth=True))
    assert [frame["round"] for frame in hidden["rounds"]] == list(range(ROUNDS + 1))
    assert not [name for frame in hidden["rounds"] for name in TRUTHS if frame[name] is not None]
    assert {view["truth"] for view in hidden["views"]} == set(hidden["lines"].values()) == {None}
    assert all(shown["rounds"][-1][name] for name in TRUTHS)
    assert shown["views"][0]["truth"]
    assert shown["lines"]["laplace_max"] > 0


def test_the_page_says_at_its_top_what_may_not_be_published(run, czech, pairs):
    assert (badge(run.to_html()), badge(run.to_html(truth=True))) == (SEEDED_RUN.text, PRIVATE.text)
    unseeded = watch(paper(pairs, epsilon=1.0, T=1), czech, pairs)
    assert (badge(unseeded.to_html()), badge(unseeded.to_html(truth=True))) == (EXPLORATION.text, PRIVATE.text)


def test_the_page_allows_its_own_script_and_no_request(run):
    page = run.to_html(truth=True)
    (policy,) = re.findall(r'content="(default-src [^"]*)"', page)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"


def test_a_page_has_every_colour_of_the_player(run):
    page = run.to_html()
    assert {name for name in re.findall(r"var\((--st-[\w-]+)\)", CSS) if f"{name}: " not in page} == set()


@pytest.mark.parametrize("choose", [default, mwem_by_rule])
def test_tables_and_plans_can_be_watched(choose, czech, pairs):
    run = watch(choose(pairs, n=czech.total, epsilon=1.0), czech, pairs, seed=0)
    assert message(run.to_html())["total"] == len(run.rounds) - 1 > 0


def test_an_interrupted_run_keeps_its_rounds(monkeypatch, czech, pairs):
    steps_of = notebook_run.steps_of

    def interrupted(plan):
        yield from islice(steps_of(plan), 3)
        raise KeyboardInterrupt

    monkeypatch.setattr(notebook_run, "steps_of", interrupted)
    run = watch(paper(pairs, epsilon=1.0, T=ROUNDS), czech, pairs)
    assert repr(run) == "<2 rounds, stopped: ε = 1>"
    assert run.rounds[-1].ledger.spent == pytest.approx(2 / ROUNDS)
    assert message(run.to_html())["status"] == "stopped"


def test_what_cannot_be_watched_is_refused(monkeypatch, czech, pairs):
    settings = paper(pairs, epsilon=1.0)
    with pytest.raises(ValueError, match="Direct has no rounds to watch: choose settings such as default"):
        watch(Direct(epsilon=1.0), czech, pairs)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the table must be records, got DataFrame: make them with encode"):
        watch(settings, pd.DataFrame(), pairs)  # type: ignore[arg-type]
    monkeypatch.setattr(notebook_run, "_in_notebook", lambda: True)
    with pytest.raises(ValueError, match="the table has no records"):
        watch(settings, Records(czech.domain, tuple(codes[:0] for codes in czech.codes)), pairs)
    monkeypatch.setattr(notebook_run, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match=r"needs anywidget: pip install 'mwem-explorer\[notebook\]'"):
        watch(settings, czech, pairs)


def test_in_a_notebook_a_widget_gets_all_rounds_and_a_frame_takes_its_place(monkeypatch, czech, pairs):
    pytest.importorskip("anywidget", reason="pip install -e '.[notebook]'")
    sent, left = [], []

    class Output:
        def update(self, bundle, raw):
            left.append((bundle, raw))

    def display(widget, display_id):
        widget.observe(lambda change: sent.append(change.new), "message")
        return Output()

    monkeypatch.setattr(notebook_run, "_in_notebook", lambda: True)
    for name in ("SECONDS_TO_LOAD", "INTERVAL", "LOAD"):
        monkeypatch.setattr(notebook_run, name, 0)
    monkeypatch.setattr("IPython.display.display", display)
    run = watch(paper(pairs, epsilon=1.0, T=ROUNDS), czech, pairs, seed=1)
    assert [(len(message["rounds"]), message["status"]) for message in sent] == [
        *((rounds, "running") for rounds in range(1, ROUNDS + 2)),
        (ROUNDS + 1, "done"),
    ]
    ((bundle, raw),) = left
    assert bundle["text/html"] == player_frame(run.to_html())
    assert raw


@pytest.mark.slow
def test_no_app_is_loaded():
    script = "import sys, mwem_app.notebook; print(*{'streamlit', 'plotly', 'anywidget'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", script], text=True).strip() == ""


@pytest.fixture
def offline(chromium: Browser) -> Iterator[Page]:
    """A page without a network, on which no script may fail and nothing may be fetched."""
    context = chromium.new_context(offline=True, color_scheme="dark", viewport={"width": 1100, "height": 900})
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(f"{error}"))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: errors.append(request.url) if request.url.startswith("http") else None)
    yield page
    context.close()
    assert errors == []


def at(player: Page | FrameLocator, round: int) -> None:
    expect(player.locator(".mwem-player")).to_have_attribute("data-shown", f"{round}")
    expect(player.locator(".plot svg").first).to_be_visible()


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_a_page_opens_from_a_file_offline_whatever_the_names_in_its_schema(offline, tmp_path):
    B = awkward_records()
    attribute = replace(B.domain.attributes[1], name="</script><script>document.title = 'run'</script>")
    records = replace(
        B, domain=replace(B.domain, attributes=(B.domain.attributes[0], attribute, B.domain.attributes[2]))
    )
    Q = parse_workload("marginals:2", records.domain)
    run = watch(mwem_by_rule(Q, n=records.total, epsilon=10.0, T=2), records, Q, seed=1)
    file = tmp_path / "run.html"
    file.write_text(run.to_html(truth=True), encoding="utf-8")
    offline.goto(file.as_uri())
    at(offline, 2)
    expect(offline).to_have_title(re.compile(r"^\d+ queries"))
    offline.locator("[data-go=start]").click()
    at(offline, 0)
    paper_colour = offline.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper_colour == "rgb(20, 23, 29)"
    offline.emulate_media(color_scheme="light")
    expect(offline.locator("html")).to_have_attribute("data-scheme", "light")


def plotted(page: Page, what: str):
    """The value of a script on the second chart, `plot`, as JSON."""
    return page.evaluate(
        f"(() => {{ const plot = document.querySelector('[data-name=view] .plot'); return {what}; }})()"
    )


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_unequal_bins_are_drawn_by_their_width_and_a_missing_value_stands_apart_with_its_name(offline, tmp_path):
    edges = (120, 140, 150, 155, 160, 200)
    domain = Domain((Attribute("height", Edges(edges), missing="NA"),))
    B = Records(domain, (np.repeat(np.arange(6), [10, 20, 30, 20, 10, 10]),))
    Q = parse_workload("marginals:1", domain)
    run = watch(mwem_by_rule(Q, n=B.total, epsilon=10.0, T=1), B, Q, seed=1)
    (tmp_path / "run.html").write_text(run.to_html(truth=True), encoding="utf-8")
    offline.goto((tmp_path / "run.html").as_uri())
    at(offline, 1)
    boxes = "[...plot.querySelectorAll('.outline')].map(each => each.getBBox()).map(b => [b.x, b.width, b.height])"
    left, filled, high = np.array(plotted(offline, boxes)).T
    assert filled[:5] / filled[:5].sum() == pytest.approx(np.diff(edges) / 80, rel=0.02)
    areas = filled * high
    assert areas / areas.sum() == pytest.approx(B.marginal((0,)) / B.total, rel=0.02)  # areas are shares
    assert filled[5] == pytest.approx(filled[:5].mean(), rel=0.02)
    wide = np.append(np.diff(edges) / 16, 1)
    steps = (wide[1:] + wide[:-1]) / 2 + [0, 0, 0, 0, 0.5]  # between the middles
    found = np.diff(left + filled / 2)
    assert found / found.sum() == pytest.approx(steps / steps.sum(), rel=0.02)
    assert plotted(offline, "[...plot.querySelectorAll('.names text')].at(-1).textContent") == "NA"
    expect(offline.locator("[data-name=view] .legend")).to_contain_text("Share per width")


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_the_scale_of_the_differences_is_that_of_the_run_from_its_start_to_its_end(offline, tmp_path, czech, pairs):
    run = watch(mwem_by_rule(pairs, n=czech.total, epsilon=10.0), czech, pairs, seed=1)
    (tmp_path / "run.html").write_text(run.to_html(truth=True), encoding="utf-8")
    offline.goto((tmp_path / "run.html").as_uri())
    seen = {}
    for go, round in (("end", len(run.rounds) - 1), ("start", 0)):
        offline.locator(f"[data-go={go}]").click()
        at(offline, round)
        said = offline.locator("[data-name=view]").get_by_role("img").get_attribute("aria-label") or ""
        (end,) = set(re.findall(r"[+−]([\d.]+)", offline.locator("[data-name=view] .legend").inner_text()))
        seen[go] = float(end), float(re.findall(r"The differences are at most (\S+) of n", said)[0])
    (scale, last), (same, first) = seen["end"], seen["start"]
    assert scale == same
    assert last < first / 4 <= scale / 4


@pytest.mark.slow
@pytest.mark.skipif(NO_BROWSER, reason=NOTHING_TESTED)
def test_the_widget_shows_messages_as_they_come_and_the_frame_after_it_goes_on(offline, run):
    """Its module in a plain page, with a stand-in for the widget's model."""
    module = Path(notebook_run.__file__).with_suffix(".js").read_text(encoding="utf-8")
    rounds = message(run.to_html())
    begun = rounds | {"status": "running", "rounds": rounds["rounds"][:2]}
    offline.set_content("<body data-jp-theme-light='true'></body>")
    offline.evaluate(
        """async ([module, ...values]) => {
          const { default: widget } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
          const state = Object.fromEntries(["page", "height", "message"].map((name, i) => [name, values[i]]));
          const heard = [];
          window.send = (message) => { state.message = message; heard.forEach((each) => each()); };
          const model = { get: (name) => state[name], on: (_, each) => heard.push(each) };
          widget.render({ model, el: document.body });
        }""",
        [module, player_page("a run", SEEDED_RUN), FRAME_HEIGHT, begun],
    )
    frame = offline.frame_locator("iframe")
    at(frame, 1)
    expect(frame.locator("html")).to_have_attribute("data-scheme", "light")
    frame.locator("[data-go=start]").click()
    at(frame, 0)
    offline.evaluate("send", rounds)
    offline.evaluate("(after) => { document.body.innerHTML = after }", player_frame(run.to_html()))
    frame.locator("[data-go=play][aria-label=Pause]").wait_for()  # it goes on from the start
    at(frame, ROUNDS)
    expect(frame.locator("html")).to_have_attribute("data-scheme", "light")

"""No page says yes: what is not known to be less is marked private, and charts and files of a run agree."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from app_pages import button, checked, open_lesson, open_page, words
from streamlit.testing.v1 import AppTest

from mwem_app import base
from mwem_app.base import SEEDED_RUN, Badge
from mwem_app.course import LESSONS
from mwem_app.evidence import PUBLIC, SIGNS

ROOT = Path(__file__).parents[2]
KNOWN = [PUBLIC, *(badge for badge in vars(base).values() if isinstance(badge, Badge))]
LESS = [badge for badge in KNOWN if badge.kind != "released"]
SEED_WARNING = "seeded: NOT PRIVATE"  # above a run that has not begun
YES = re.compile(r"leave the room|may (now )?(be published|publish)|safe to publish|can be published", re.IGNORECASE)


def finished_run(**address: str) -> AppTest:
    app = open_page("run", table=CZECH, **address)
    checked(button(app, "Run").click().run())
    app.session_state["_runner"].wait(30)
    return checked(app.run())


CZECH = "Czech car workers"
SHOWS_A_SAMPLE = {
    "a finished run": lambda: finished_run(seed="1"),
    **{page: lambda page=page: open_page(page, table=CZECH) for page in ("run", "compare", "trade_off")},
}
PAGES = SHOWS_A_SAMPLE | {
    "a finished run without the truth": lambda: finished_run(truth="false"),
    **{page: lambda page=page: open_page(page) for page in ("scale", "paper", "learn", "room")},
    **{lesson.path: lambda path=lesson.path: open_lesson(path) for lesson in LESSONS},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_no_page_says_that_anything_may_be_published(name):
    app = PAGES[name]()
    shown = [found[1] for element in app.markdown if (found := re.match(r":\w+-badge\[:\S+ (.*)\]", element.value))]
    assert set(shown) <= {badge.text for badge in LESS} | {SEED_WARNING} | set(SIGNS)  # of privacy, and of verdicts
    charts = [chart.proto.alt for chart in app.get("plotly_chart")]
    assert all(alt.endswith(tuple(badge.sentence for badge in LESS)) for alt in charts)
    assert shown or not charts
    for element in (*app.markdown, *app.caption, *app.info, *app.warning, *app.success, *app.subheader):
        assert not YES.search(element.value), element.value
    if name in SHOWS_A_SAMPLE:
        check_the_table_is_public(app)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["release"])
def test_a_table_that_comes_with_the_program_is_public_on_each_page_and_private_on_none(page):
    check_the_table_is_public(open_page(page, table=CZECH))


def check_the_table_is_public(app: AppTest) -> None:
    texts = words(app) + "\n".join(chart.proto.alt for chart in app.get("plotly_chart"))
    assert "public" in texts
    assert not re.search(r"private (data|table)", texts)
    assert not any(re.search(r"private (data|table)", toggle.help or "") for toggle in app.toggle)


def test_only_the_files_of_a_release_may_carry_a_badge_that_says_yes():
    sources = [*ROOT.glob("mwem_app/**/*.py"), *ROOT.glob("pages/**/*.py")]
    yes = {file.relative_to(ROOT).parts[1] for file in sources if "RELEASE_FILE" in file.read_text(encoding="utf-8")}
    assert yes <= {"base.py", "release", "ask"}  # where it is made, and where a release is offered, or asked


@pytest.mark.skipif(shutil.which("node") is None, reason="runs the player's script in node")
def test_in_the_player_what_is_not_known_is_private():
    """A panel that does not say that it shows no truth, a run whose badge is missing or unknown, a round not sent."""
    script = (ROOT / "mwem_app" / "stage" / "round.js").read_text(encoding="utf-8")
    cases = "[undefined, SEEDED], [null, SEEDED], [true, SEEDED], [false, undefined], [false, 'yes'], [false, SEEDED]"
    checks = f"""
    const SEEDED = {SEEDED_RUN.text!r}, svg = () => null;
    const kinds = [{cases}].map(([truth, own]) => {{
      const node = {{ dataset: {{}}, replaceChildren() {{}} }};
      badge(node, truth, own);
      return node.dataset.kind;
    }});
    const rounds = [undefined, {{ candidates: [] }}, {{ others: [1, 1] }}, {{ true_cells: [1] }}, {{ residual: 0.5 }}];
    console.log(JSON.stringify([kinds, rounds.map(isPrivate)]));
    """
    done = subprocess.run(["node", "-e", script + checks], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        '[["private","private","private","private","private","seeded"],[true,true,true,true,false]]'
    )

"""Whether what a learner moves and what it changes are on one screen: `python benchmarks/lesson_screens.py`.

Each lesson is opened at 1280 × 720, on a phone and for a projector, before its prediction and after it. Every control
of every drawing is used, and what changes is watched. Printed are the height of the control and all that it changed,
beside the height of the screen below the app's own bar, and how much longer the page got, which moves what is below.
Then come the words and scenes of each lesson, and its minutes, at 200 words a minute and one minute a scene.
`--shots FOLDER` keeps pictures instead. Needs Chromium.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Locator, Page, ViewportSize, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from browser import SECONDS, address, launch, main, serving, until_whole

from mwem_app.learn.lessons import LESSONS

WORDS_A_MINUTE = 200
CONTROLS = "input, button, [role=slider], [role=button], svg [tabindex]"


class Mode(NamedTuple):
    """A screen to look at: its size, and settings of the address."""

    viewport: ViewportSize
    settings: dict[str, str]


LAPTOP = ViewportSize(width=1280, height=720)
MODES = {
    "wide": Mode(LAPTOP, {}),
    "phone": Mode(ViewportSize(width=390, height=844), {}),
    "projector": Mode(LAPTOP, {"projector": "true"}),
}


@dataclass(frozen=True)
class Reach:
    """A control of a scene: the height of it and all that it changed, and how much longer the page got, in pixels."""

    scene: str
    control: str
    height: float
    longer: float


# Watches a drawing. The height is from the top of the first to the foot of the last of a control and what it changed.
WATCH = """(root) => {
  const page = document.querySelector("[data-testid=stMain]") ?? document.scrollingElement, changed = new Set();
  const add = ({ target }) => changed.add(target.nodeType === 1 ? target : target.parentElement);
  const watch = new MutationObserver((records) => records.forEach(add));
  watch.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  let before = 0;
  root.begin = () => (watch.takeRecords(), changed.clear(), (before = page.scrollHeight));
  root.end = (control) => {
    const parts = [...changed, control].filter((part) => part?.isConnected && part !== root);
    const seen = parts.map((part) => part.getBoundingClientRect()).filter((box) => box.width > 1 && box.height > 1);
    const height = Math.max(...seen.map((box) => box.bottom)) - Math.min(...seen.map((box) => box.top));
    return { height, longer: page.scrollHeight - before, changed: changed.size };
  };
}"""
NAME = """(control) =>
  control.getAttribute("aria-label") ?? control.labels?.[0]?.innerText ?? control.innerText ?? ''"""
MOVE = """(input, value) => {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}"""


def scenes(page: Page) -> list[tuple[str, Locator]]:
    """The drawings of a lesson that have something to move, by their keys."""
    found = []
    for root in page.locator(".drawing").all():
        moves = any(control.is_enabled() for control in root.locator(CONTROLS).all())
        if moves and root.is_visible() and not root.locator(".formula").count():
            found.append((root.evaluate(KEY), root))
    return found


KEY = """(root) => {
  let at = root;
  while (at) {
    if (at.dataset?.key) return at.dataset.key;
    const own = [...(at.classList ?? [])].find((name) => name.startsWith("st-key-"));
    if (own) return own.slice(7);
    at = at.parentElement ?? at.getRootNode().host;
  }
  return "?";
}"""


def reaches(page: Page, *, served: bool = True) -> Iterator[Reach]:
    """Use every control of every scene, and say how far what it changes is from it."""
    for scene, root in scenes(page):
        root.evaluate(WATCH)
        controls = root.locator(CONTROLS)
        for i in range(controls.count()):
            control = controls.nth(i)
            if not control.is_visible() or control.is_disabled():
                continue
            name, handle = control.evaluate(NAME).strip().split("\n")[0][:40], control.element_handle()
            root.evaluate("(root) => root.begin()")
            _use(page, control, served)
            seen: dict[str, Any] = root.evaluate("(root, control) => root.end(control)", handle)
            if seen["changed"]:
                yield Reach(scene, name, seen["height"], seen["longer"])


def _use(page: Page, control: Locator, served: bool) -> None:
    """Move a slider to its ends and back, choose a choice, press a button."""
    kind = control.get_attribute("type") or control.get_attribute("role")
    if kind == "range":
        start = control.input_value()
        for value in (control.get_attribute("max"), control.get_attribute("min"), start):
            control.evaluate(MOVE, value)
            page.wait_for_timeout(30)
    elif kind == "radio":
        control.check(force=True)
    elif kind == "slider":
        control.press("ArrowUp")
    else:
        text = control.text_content()  # of a mark in a drawing too, which has no inner text
        control.press("Enter")
        page.wait_for_timeout(300 if served else 60)
        if text == "Play":
            control.press("Enter")  # stop
    page.wait_for_timeout(30)
    if served:
        page.locator("[data-test-script-state=notRunning]").wait_for()


def predict(page: Page) -> None:
    """Lock in a prediction: the first option, the number that is suggested, or a curve with a point moved."""
    card = page.locator("[class*=st-key-predict_], [data-predicts]").first
    if card.count():
        if (options := card.get_by_role("radio")).count():
            options.first.locator("xpath=ancestor::label[1]").click()
        card.get_by_role("button", name="Lock in").click()
        page.get_by_text("You predicted").wait_for()
    elif (curve := page.get_by_role("button", name="Lock in my curve")).count():
        page.locator(".handles circle").first.press("ArrowUp")
        curve.click()


def room(page: Page) -> float:
    """The height of the screen below the app's own bar."""
    return page.evaluate("innerHeight - (document.querySelector('[data-testid=stHeader]')?.offsetHeight ?? 0)")


@dataclass(frozen=True)
class Measured:
    """A lesson in a mode: its controls, the room on a screen, its words and scenes, and where its first scene ends.

    `more` says that links of the navigation have no room.
    """

    reaches: list[Reach]
    room: float
    words: int
    scenes: int
    more: bool
    first: float

    @property
    def minutes(self) -> float:
        """At 200 words a minute, and a minute a scene."""
        return self.words / WORDS_A_MINUTE + self.scenes


def measured(
    browser: Browser, app: str, lesson: str, mode: str, shots: Path | None = None, dark: bool = False
) -> Measured:
    """Walk through a lesson in a mode."""
    viewport, settings = MODES[mode]
    page = browser.new_page(viewport=viewport, reduced_motion="reduce", color_scheme="dark" if dark else "light")
    page.set_default_timeout(1000 * SECONDS)
    page.goto(app + "learn" + address(lesson=lesson, seed=1, **settings))
    page.locator(".st-key-aside").wait_for(state="attached")
    until_whole(page)
    page.wait_for_timeout(300)
    before = scenes(page)
    box = before[0][1].bounding_box() if before else None
    if shots:
        keep(page, shots / f"{lesson}-{mode}{'-dark' * dark}-before", viewport)
    found = {} if shots else {(each.scene, each.control): each for each in reaches(page)}
    predict(page)
    until_whole(page)
    page.wait_for_timeout(500)
    if shots:
        keep(page, shots / f"{lesson}-{mode}{'-dark' * dark}-after", viewport)
    else:
        found |= {(each.scene, each.control): each for each in reaches(page)}
    result = Measured(
        reaches=list(found.values()),
        room=room(page),
        words=len(main(page).inner_text().split()),
        scenes=len(scenes(page)),
        more=page.get_by_test_id("stHeader").get_by_text("more").first.is_visible(),
        first=box["y"] + box["height"] if box else 0.0,
    )
    page.close()
    return result


def keep(page: Page, file: Path, viewport: ViewportSize) -> None:
    """Keep a picture of the first screen, and one of the whole page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=f"{file}-fold.png")
    tall = page.get_by_test_id("stMain").evaluate("(main) => main.scrollHeight")
    page.set_viewport_size(ViewportSize(width=viewport["width"], height=int(tall) + 80))
    page.wait_for_timeout(400)
    page.screenshot(path=f"{file}.png")
    page.set_viewport_size(viewport)
    page.wait_for_timeout(200)


def report(lesson: str, mode: str, found: Measured, every: bool) -> None:
    """Print what does not fit, or all."""
    print(
        f"{lesson}, {mode}: {len(found.reaches)} controls in {found.scenes} scenes, room {found.room:.0f}; first scene "
        f"ends at {found.first:.0f}{'; links under “more”' * found.more}"
    )
    for scene in dict.fromkeys(each.scene for each in found.reaches):
        own = [each for each in found.reaches if each.scene == scene]
        for each in own if every else [max(own, key=lambda one: one.height)]:
            verdict = "fits" if each.height <= found.room else f"MISSES by {each.height - found.room:.0f}"
            moved = f", page {each.longer:+.0f}" if each.longer else ""
            print(f"    {scene:14} {each.control:40} {each.height:5.0f}{moved}  {verdict}")


def run() -> None:
    """Measure, and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lessons", default=",".join(lesson.path for lesson in LESSONS))
    options.add_argument("--modes", default=",".join(MODES))
    options.add_argument("--app", help="the address of an app that runs, such as http://localhost:8501/")
    options.add_argument("--every", action="store_true", help="print every control, not the farthest of each scene")
    options.add_argument("--shots", type=Path, help="keep pictures in this folder instead of measuring")
    options.add_argument("--dark", action="store_true")
    arguments = options.parse_args()
    with sync_playwright() as playwright, nullcontext(arguments.app) if arguments.app else serving() as app:
        browser = launch(playwright)
        for lesson in arguments.lessons.split(","):
            for mode in arguments.modes.split(","):
                found = measured(browser, app, lesson, mode, arguments.shots, arguments.dark)
                if not arguments.shots:
                    report(lesson, mode, found, arguments.every)
            if not arguments.shots:
                print(
                    f"{lesson}: {found.words} words, {found.scenes} scenes: {found.minutes:.1f} minutes\n", flush=True
                )
        browser.close()


if __name__ == "__main__":
    run()

"""The live player in JupyterLab, and in its export: `python benchmarks/notebook.py PICTURES`. Needs Chromium.

With `--course`, the notebook is the course's fourth, with the solutions filled in, from top to bottom.

Needs `pip install jupyterlab nbconvert` beside the extra `notebook`. It opens a notebook in JupyterLab and runs its
cells. While the cell with `watch` runs, it reads the round that the player shows; each must come after the one before.
Then it saves the notebook, converts it to HTML, and opens that from a file without a network. It prints the rounds that
were seen, at what second of the cell, and leaves pictures of each step in the folder PICTURES.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from playwright.sync_api import Browser, Error, FrameLocator, Page, expect, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from browser import launch  # noqa: E402
from course import NOTEBOOKS, filled, solutions  # noqa: E402

CELLS = (
    f"""ATTRIBUTES = "workclass education marital-status occupation relationship race sex".split()
from pathlib import Path
from mwem_core import Domain, encode, paper, parse_workload, read_table
from mwem_app.notebook import watch
samples = Path({str(ROOT / "sample_data")!r})
domain = Domain.from_toml((samples / "adult.toml").read_text()).project(ATTRIBUTES)
B = encode(read_table(samples / "adult.parquet"), domain)
Q = parse_workload("marginals:2", domain)""",
    "run = watch(paper(Q, epsilon=1.0, T=30), B, Q, seed=1, truth=True)",
)
LAST = "30"
FRAME = "iframe[title='The rounds of a run']"


def main() -> None:
    """Run the cells, and open their export."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--course", action="store_true", help="the course's fourth notebook")
    parser.add_argument("--dark", action="store_true", help="JupyterLab's dark theme, on a device in dark colours")
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, browser = Path(name), launch(playwright)
        notebook = folder / "docs" / "course" / "watch.ipynb"  # the course's find their tables two folders up
        notebook.parent.mkdir(parents=True)
        (folder / "sample_data").symlink_to(ROOT / "sample_data")
        (notebook.parent / "checks").symlink_to(NOTEBOOKS[0].parent / "checks")
        cells = filled(NOTEBOOKS[-1], solutions()) if options.course else list(CELLS)
        notebook.write_text(json.dumps(_notebook(cells)), encoding="utf-8")
        with _jupyterlab(folder, dark=options.dark) as address:
            watched = next(i for i, source in enumerate(cells) if "= watch(" in source)
            _watched(browser, address, notebook, watched, options.pictures, dark=options.dark)
        nbconvert = [sys.executable, "-m", "jupyter", "nbconvert", "--to", "html", notebook]
        subprocess.run(nbconvert, check=True, capture_output=True)
        _exported(browser, notebook.with_suffix(".html"), options.pictures, dark=options.dark)
        browser.close()


def _notebook(cells: list[str]) -> dict:
    empty = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "cells": [{**empty, "id": f"cell{i}", "source": source} for i, source in enumerate(cells)],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


@contextmanager
def _jupyterlab(folder: Path, *, dark: bool) -> Iterator[str]:
    """Serve a folder. Its settings are read from that folder alone."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "@jupyterlab/apputils-extension:themes": {"theme": f"JupyterLab {'Dark' if dark else 'Light'}"},
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
        "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},  # keeps cells that are out of sight
    }
    overrides = folder / "settings" / "overrides.json"
    overrides.parent.mkdir()
    overrides.write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"]
    command += [f"--LabApp.app_settings_dir={overrides.parent}"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "JUPYTER_CONFIG_DIR": str(folder / "config")}
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            _await(f"http://127.0.0.1:{port}/api")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(20)


def _await(address: str) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            with urlopen(address, timeout=5):
                return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def _watched(browser: Browser, address: str, notebook: Path, watched: int, pictures: Path, *, dark: bool) -> None:
    page = _page(browser, dark=dark)
    page.goto(f"{address}/lab/tree/docs/course/{notebook.name}?reset")
    prompt = page.locator(".jp-Cell .jp-InputPrompt").nth(watched)
    prompt.wait_for()
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    while "*" not in prompt.inner_text():  # a command that comes before its kernel is lost
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.wait_for_timeout(500)
    prompt.scroll_into_view_if_needed()  # running all cells shows the last one, and what is out of sight is not drawn
    began, seen = time.monotonic(), []
    while "*" in prompt.inner_text():
        second = time.monotonic() - began
        round_ = _round(page)
        if round_ >= 0 and (not seen or round_ != seen[-1][1]):
            seen.append((second, round_))
            page.screenshot(path=pictures / f"jupyterlab-{round_:02}.png")
    rounds = [round_ for _, round_ in seen]
    print("second of the cell: round shown", *(f"{second:.2f}: {round_}" for second, round_ in seen), sep="\n  ")
    if rounds != sorted(rounds) or len(set(rounds)) < 3:
        raise SystemExit("the player did not move while the cell ran")
    print(f"the cell took {time.monotonic() - began:.1f} s")
    _at_end(_player(page))
    page.keyboard.press("Control+s")
    page.wait_for_timeout(2000)
    outputs = json.loads(notebook.read_text(encoding="utf-8"))["cells"][watched]["outputs"]
    if [sorted(output.get("data", [])) for output in outputs] != [["text/html", "text/plain"]]:
        raise SystemExit(f"the cell's output is not one frame: {json.dumps(outputs)[-1500:]}")
    print(f"the saved notebook has {notebook.stat().st_size:,} bytes")
    page.screenshot(path=pictures / "jupyterlab-end.png")
    page.close()


def _exported(browser: Browser, file: Path, pictures: Path, *, dark: bool) -> None:
    page = _page(browser, dark=dark, offline=True)
    page.goto(file.as_uri())
    page.locator(FRAME).last.scroll_into_view_if_needed()
    player = _player(page)
    _at_end(player)
    player.locator("[data-go=start]").click()
    expect(player.locator(".mwem-player")).to_have_attribute("data-shown", "0")
    player.locator("[data-go=play]").click()
    _at_end(player)
    page.screenshot(path=pictures / "exported.png", full_page=True)
    print("the export showed the last round, went to the first and replayed the run, without a network")
    page.close()


def _page(browser: Browser, *, dark: bool, offline: bool = False) -> Page:
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": 1300, "height": 1200}, color_scheme=scheme, offline=offline)
    page = context.new_page()
    page.on("pageerror", lambda error: print(f"a script failed: {error}"))
    return page


def _player(page: Page) -> FrameLocator:
    return page.frame_locator(FRAME).last


def _at_end(player: FrameLocator) -> None:
    expect(player.locator(".mwem-player")).to_have_attribute("data-shown", LAST, timeout=30_000)
    expect(player.locator(".mwem-player .main-svg").first).to_be_visible()


def _round(page: Page) -> int:
    """The round that the first frame's player shows; -1 without a player, as between the widget and the frame."""
    try:
        return int(page.frames[1].evaluate("document.querySelector('.mwem-player')?.dataset.shown ?? -1"))
    except (IndexError, Error):
        return -1


if __name__ == "__main__":
    main()

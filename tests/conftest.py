"""Bundled tables, and fixtures of browser tests: a server and a browser, started for the first such test; visitors."""

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from browser import ROOT, Visitors, launch, serving
from bundled_tasks import bundled_task
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from mwem_core import Records

# What a test file says that draws noise by a seed, or reads results that were computed before.
SEEDED = re.compile(r"\bSeeded\(|\bstored\(|committed|_runs\.jsonl")
MINUTES = ("test_wheel.py",)  # it installs programs
WATCH = """import os, sys
def hook(event, args):
    if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR):
        os.write(log, f"{args[0]}\\n".encode())
log = os.open(os.environ["WRITTEN"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
sys.addaudithook(hook)
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes comes first, so that no worker has it alone at the end. Then come the tests in a browser.

    One worker has most of those, which starts one server for them.
    """
    for item in items:
        if is_seeded(item.path):
            item.add_marker("seeded")
    items.sort(key=lambda item: "chromium" not in getattr(item, "fixturenames", ()))
    items.sort(key=lambda item: item.path.name not in MINUTES)


@cache
def is_seeded(file: Path) -> bool:
    """Whether a test file's results depend on a seed, and so their last bits on the processor."""
    return file.suffix == ".py" and bool(SEEDED.search(file.read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def adult() -> Records:
    """Adult, eight categorical attributes."""
    return bundled_task("Adult")[0]


@pytest.fixture(scope="session")
def czech() -> Records:
    """A table of 1,841 car workers with six yes/no attributes."""
    return bundled_task("Czech")[0]


@pytest.fixture(autouse=True)
def program() -> Iterator[None]:
    """AppTest puts the page in the place of the program, which a process that a later test starts would then run."""
    before = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = before


@pytest.fixture(scope="session")
def app(tmp_path_factory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MWEM_LEDGER", str(tmp_path_factory.mktemp("ledgers")))
        with serving() as where:
            yield where


@pytest.fixture
def written(tmp_path, monkeypatch) -> Path:
    """The list of all files that Python code of a server started from now on opens to write, temporary ones too."""
    for name in ("temporary", "watch"):
        (tmp_path / name).mkdir()
    (tmp_path / "watch" / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'watch'}{os.pathsep}{ROOT}")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("WRITTEN", str(tmp_path / "written.txt"))
    return tmp_path / "written.txt"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def contexts(chromium) -> list[BrowserContext]:
    """Two browser contexts, for visitors who come after one another and at the same time."""
    return [chromium.new_context() for _ in range(2)]


@pytest.fixture
def visitors(contexts, app) -> Iterator[Visitors]:
    """Visitors of the app. After the test, none of their pages may have had an error."""
    visitors = Visitors(contexts, app)
    yield visitors
    visitors.leave()


@pytest.fixture
def open_app(visitors):
    """Open the app at an address, or with settings."""
    return visitors.open


@pytest.fixture
def open_lesson(visitors):
    """Open a lesson by its path."""
    return visitors.open_lesson

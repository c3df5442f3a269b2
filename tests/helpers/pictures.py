"""Messages for the picture of what privacy costs, from runs on a small table, and pages of them that open offline."""

import base64
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page

from mwem_app.base import ON_PUBLIC
from mwem_app.stage import System, demonstration_page, runs_message
from mwem_core import Records, Workload, parse_workload
from mwem_core.stage import Track, tables_of, track

EPSILONS = (0.1, 1.0, 10.0)
SYSTEMS = System("mwem", "MWEM"), System("automatic", "Automatic")
VERDICT = "The table is public: this page may leave the room."


def tenths(tables: list[np.ndarray]) -> np.ndarray:
    """The counts of tables one after another, in tenths of a record."""
    return np.rint(10 * np.concatenate([table.ravel() for table in tables])).astype(np.int32)


def runs_of(records: Records, workload: Workload) -> dict[tuple[str, int], Track]:
    """A run of three rounds of MWEM, and one of the automatic choice, for each ε."""
    runs = {}
    for i, epsilon in enumerate(EPSILONS):
        runs["mwem", i], _ = track(records, workload, "mwem-paper", epsilon, seed=1, T=3)
        runs["automatic", i], _ = track(records, workload, "automatic", epsilon, seed=1)
    return runs


def picture(
    records: Records, spec: str = "marginals:2", *, systems: int = 1, truth: bool = True, **changes: Any
) -> dict:
    """The message of real runs on records whose attributes have listed values, with the changes."""
    workload = parse_workload(spec, records.domain)
    shown = SYSTEMS[:systems]
    runs = {key: run for key, run in runs_of(records, workload).items() if key[0] in {each.name for each in shown}}
    settings: dict[str, Any] = {
        "key": f"{spec}/{systems}/{truth}",
        "title": "Czech car workers",
        "workload": spec,
        "n": records.total,
        "delta": 0.0,
        "epsilons": EPSILONS,
        "systems": shown,
        "tables": tables_of(workload),
        "runs": runs,
        "badge": ON_PUBLIC,
        "truth": tenths(records.marginals(workload.sets)) if truth else None,
        "uniform": (runs["mwem", 0].max_error[0], runs["mwem", 0].mean_error[0]),
        "at": (1, 1.0),
    }
    return runs_message(**settings | changes)


def unpacked(text: str, rounds: int) -> np.ndarray:
    """The answers of a payload, (rounds, cells)."""
    steps = np.frombuffer(gzip.decompress(base64.b64decode(text)), "<i4").reshape(rounds, -1)
    return np.cumsum(steps, axis=0, dtype=np.int32)


@contextmanager
def offline_page(chromium: Browser, folder: Path, data: dict, *, width: int = 1280, **context: Any) -> Iterator[Page]:
    """The page of a message, opened from a file without a network; no script may fail and nothing may be fetched."""
    file = folder / "picture.html"
    file.write_text(demonstration_page(data, verdict=VERDICT), encoding="utf-8")
    visitor = chromium.new_context(offline=True, viewport={"width": width, "height": 720}, **context)
    page, wrong = visitor.new_page(), []
    page.on("pageerror", lambda error: wrong.append(f"{error}"))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
    page.goto(file.as_uri())
    page.locator(".drawing[data-ready=true]").wait_for()
    yield page
    visitor.close()
    assert wrong == []

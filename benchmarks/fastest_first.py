"""A plug-in of pytest for `mutants.py`: the fastest tests run first, as the first that fails ends a mutant's run."""

import json
from itertools import accumulate
from pathlib import Path

MEASURED = Path("mutmut-stats.json")  # mutmut's, in the folder where it runs the tests


def pytest_addoption(parser) -> None:
    """`--seconds`: of tests for one mutant."""
    parser.addoption("--seconds", type=float, default=float("inf"))


def pytest_collection_modifyitems(config, items: list) -> None:
    """Sort the tests by the seconds that each took when mutmut ran them all; leave out the slowest that do not fit."""
    if MEASURED.exists():
        seconds = json.loads(MEASURED.read_text(encoding="utf-8"))["duration_by_test"]
        items.sort(key=lambda item: seconds.get(item.nodeid, 0.0))
        spent, most = accumulate(seconds.get(item.nodeid, 0.0) for item in items), config.getoption("seconds")
        items[1:] = [item for item, so_far in list(zip(items, spent, strict=True))[1:] if so_far <= most]
